"""[AAF+08]'s token circulation: one token travels around a ring with a leader

Every agent copies the label of its left neighbour, except the leader, which takes the other one. An edge where that is due is
active; the token lies at its left end. Active edges move to the right and vanish in pairs, and the leader's twist keeps their
number odd, so that one is left. The rules are known from a secondary source, a published model.
"""
from ringleader.notation import *

ring = directed
assumption = "one leader is given"
limit = 100 * n ** 3


class Agent:
    leader: given(bit)
    token: bit
    label: bit


def interact(u, v):
    if v.leader == 1 and u.label == v.label:
        (u.token, v.token, v.label) = (0, 1, 1 - u.label)
    elif v.leader == 0 and u.label != v.label:
        (u.token, v.token, v.label) = (0, 1, u.label)


def output(v):
    return v.leader  # nothing else of a circulating token is constant


@inputs
def one_leader(u):
    "exactly one leader must be given"
    return sum(v.leader for v in u) == 1


def active(u, v):
    "v has yet to take over a label, and with it the token"
    return (u.label == v.label) == (v.leader == 1)


def safe(u):
    "one active edge, one token"
    held = all(active(u[i], u[i + 1]) == (u[i].token == 1) for i in range(n))
    return one_leader(u) and sum(v.token for v in u) == 1 and held


@start
def uniform(u):
    "tokens and labels uniform over their domains"
    u[0].leader = 1
    for v in u:
        (v.token, v.label) = (randint(0, 1), randint(0, 1))


@start
def alternating(u):
    "a token at every agent, labels that alternate; the worst start known"
    u[0].leader = 1
    for i in range(n):
        (u[i].token, u[i].label) = (1, i % 2)
