"""P_OR, Algorithm 6: orients a ring whose two-hop colouring is given

Every agent points at one of its two neighbours by naming its colour. Where two agents point at each other, one wins and the
other turns round. A head that has just been turned is strong and keeps winning, which carries it across the ring quickly.
"""
from ringleader.notation import *

ring = undirected
assumption = "a two-hop colouring and its memory"
bound = "O(n^2 log n)"

colors: Param = 16

require(colors <= 65536, "there are at most 65536 colours")
require(colors >= (2 if n % 4 == 0 else 3), "a two-hop colouring needs 3 colours, or 2 if n is a multiple of 4")

limit = 1000 * n ** 2 * ceil_log2(n)


class Agent:
    color: given(span(0, colors - 1))
    c1: given(span(0, colors - 1))
    c2: given(span(0, colors - 1))
    dir: span(0, colors - 1)
    strong: bit


# Algorithm 6: P_OR

def interact(a, b):
    for v in (a, b):                                                                            # 63
        if v.dir not in {v.c1, v.c2}:                                                           # 64
            v.dir = v.c1                                                                        # 65
    if a.dir == b.color and b.dir == a.color:                                                   # 66
        if a.strong == 0 and b.strong == 1:                                                     # 67
            a.dir = turned(a, b.color)                                                          # 68
            (a.strong, b.strong) = (1, 0)                                                       # 69
        else:                                                                                   # 70
            b.dir = turned(b, a.color)                                                          # 71
            (a.strong, b.strong) = (0, 1)                                                       # 72
    elif a.dir == b.color:                                                                      # 73
        a.strong = 0                                                                            # 74
    elif b.dir == a.color:                                                                      # 75
        b.strong = 0                                                                            # 76


def turned(v, color):
    "the least colour that v remembers and that is not this one; dir as it is if there is none"
    if v.c1 == v.c2 == color:
        return v.dir
    return min(c for c in (v.c1, v.c2) if c != color)


def output(v):
    return v.dir


@inputs
def coloured(u):
    "color must be a two-hop colouring, and {c1, c2} the colours of the neighbours, at every agent"
    return all(u[i].color != u[i + 2].color and remembers(u[i], u[i - 1], u[i + 1]) for i in range(n))


def remembers(v, left, right):
    return (v.c1, v.c2) in ((left.color, right.color), (right.color, left.color))


def safe(u):
    "oriented"
    return coloured(u) and any(all(u[i].dir == u[i + s].color for i in range(n)) for s in (1, -1))


# The colours 0 and 1 alternate along each cycle of "the agent after next", and 2 ends a cycle of odd length.

def colour(u):
    length = n // 2 if n % 2 == 0 else n
    for i in range(n):
        k = i // 2 if n % 2 == 0 or i % 2 == 0 else (i + n) // 2
        u[i].color = 2 if k == length - 1 and length % 2 == 1 else k % 2
    for i in range(n):
        s = 2 * randint(0, 1) - 1
        (u[i].c1, u[i].c2) = (u[i - s].color, u[i + s].color)


@start
def uniform(u):
    "a two-hop colouring, dir and strong uniform over their domains"
    colour(u)
    for v in u:
        (v.dir, v.strong) = (randint(0, colors - 1), randint(0, 1))


@start
def two_segments(u):
    "two segments of half the ring each, all agents strong"
    colour(u)
    for i in range(n):
        (u[i].dir, u[i].strong) = (u[i + 1].color if i < n // 2 else u[i - 1].color, 1)
