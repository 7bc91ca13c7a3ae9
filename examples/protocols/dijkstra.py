"""Dijkstra's token ring: one agent is different, and one privilege circulates

Each agent compares itself with its left neighbour. With K states, K at least n - 1, the ring comes to exactly one privileged agent from
any configuration (Self-stabilizing systems in spite of distributed control, 1974). The privilege goes round, so the whole state as the
output would never come to rest; who has the privilege is not for one agent to say. So the output is who is different, which is given.
"""
from ringleader.notation import *

K: Param = n

require(K >= 2, "there are at least 2 states")


class Agent:
    bottom: given(bit)
    x: span(0, K - 1)


def interact(l, r):
    if r.bottom == 1:
        if l.x == r.x:
            r.x = (r.x + 1) % K
    else:
        r.x = l.x


def output(v):
    return v.bottom


@inputs
def one_bottom(u):
    "exactly one agent is different"
    return sum(v.bottom for v in u) == 1


def privileged(u, i):
    return (u[i - 1].x == u[i].x) == (u[i].bottom == 1)


def safe(u):
    "one privilege"
    return sum(privileged(u, i) for i in range(n)) == 1


@start
def equal(u):
    "all counters equal"
    u[0].bottom = 1
