"""P_CL, Algorithm 7: two-hop colouring with random colours

Neighbours stamp each other with their colours and a common bit. If the stamps say "you are the one I met last" but the bits
differ, somebody of the same colour came between: a conflict at distance two, and both agents take new colours.
"""
from ringleader.notation import *

ring = undirected
bound = "O(n^2) expected"

colors: Param = 16

require(colors <= 65536, "there are at most 65536 colours")
require(colors >= (2 if n % 4 == 0 else 3), "a two-hop colouring needs 3 colours, or 2 if n is a multiple of 4")

limit = 1000 * n ** 2 * ceil_log2(n)


class Agent:
    color: span(0, colors - 1)
    stampC: span(0, colors - 1)
    stampB: bit


# Algorithm 7: P_CL

def interact(a, b, x: span(0, colors - 1), y: span(0, colors - 1)):
    if stamp_conflict(a, b):                                                                    # 77
        (a.color, b.color) = (x, y)                                                             # 78
    (a.stampC, b.stampC) = (b.color, a.color)                                                   # 79
    (a.stampB, b.stampB) = (1 - a.stampB, 1 - a.stampB)                                         # 80


def stamp_conflict(a, b):
    return (a.color, a.stampC, a.stampB) == (b.stampC, b.color, 1 - b.stampB)


def output(v):
    return v.color


@phase
def two_hop_coloured(u):
    "no colour conflict (stamp conflicts may remain)"
    return all(u[i].color != u[i + 2].color for i in range(n))


def safe(u):
    "red-free"
    return two_hop_coloured(u) and not any(stamp_conflict(u[i], u[i + 1]) for i in range(n))


@start
def uniform(u):
    "every variable of every agent uniform over its domain"
    for v in u:
        (v.color, v.stampC, v.stampB) = (randint(0, colors - 1), randint(0, colors - 1), randint(0, 1))


@start
def one_color(u):
    "every variable zero, so that every agent is in conflict"
