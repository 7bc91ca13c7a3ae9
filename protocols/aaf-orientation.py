"""[AAF+08]'s ring orientation: orients a ring whose two-hop colouring is given

Every agent names the colours of its predecessor and of its successor. Where neighbours disagree, the initiator has its way: the
frontier between two orientations walks at random until one is gone. The rules are known from a secondary source, a published
model.
"""
from ringleader.notation import *

ring = undirected
assumption = "a two-hop colouring"
limit = 100 * n ** 3

colors: Param = 16

require(colors <= 65536, "there are at most 65536 colours")
require(colors >= (2 if n % 4 == 0 else 3), "a two-hop colouring needs 3 colours, or 2 if n is a multiple of 4")


class Agent:
    color: given(span(0, colors - 1))
    pre: span(0, colors - 1)
    suc: span(0, colors - 1)


def interact(u, v):
    if v.color == u.pre and v.color != u.suc:
        v.suc = u.color
    elif v.color == u.suc and v.color != u.pre:
        v.pre = u.color
    else:
        (u.pre, v.suc) = (v.color, u.color)


def output(v):
    return v.pre * colors + v.suc


@inputs
def coloured(u):
    "color must be a two-hop colouring"
    return all(u[i].color != u[i + 2].color for i in range(n))


def directed_to(u, s):
    return all((u[i].pre, u[i].suc) == (u[i - s].color, u[i + s].color) for i in range(n))


def safe(u):
    "oriented"
    return coloured(u) and (directed_to(u, 1) or directed_to(u, -1))


# The colours 0 and 1 alternate along each cycle of "the agent after next", and 2 ends a cycle of odd length.

def colour(u):
    length = n // 2 if n % 2 == 0 else n
    for i in range(n):
        k = i // 2 if n % 2 == 0 or i % 2 == 0 else (i + n) // 2
        u[i].color = 2 if k == length - 1 and length % 2 == 1 else k % 2


@start
def uniform(u):
    "a two-hop colouring, pre and suc uniform over their domains"
    colour(u)
    for v in u:
        (v.pre, v.suc) = (randint(0, colors - 1), randint(0, colors - 1))


@start
def two_segments(u):
    "two segments of half the ring each, oriented against each other; the worst start known"
    colour(u)
    for i in range(n):
        s = 1 if i < n // 2 else -1
        (u[i].pre, u[i].suc) = (u[i - s].color, u[i + s].color)
