"""[AAF+08]'s two-hop colouring with three colours

Every agent keeps a bit for each colour. Two neighbours flip the bits that they keep for each other's colour, so these agree as
long as no agent has two neighbours of one colour; where they do not, the initiator takes a random colour. The rules are known
from a secondary source, a published model.
"""
from ringleader.notation import *

ring = undirected
limit = 1000 * n ** 2 * ceil_log2(n)

colors: Param = 3

require(3 <= colors <= 16, "colors must be 3 to 16")


class Agent:
    color: span(0, colors - 1)
    F: array(colors, bit)


def agree(u, v):
    return u.F[v.color] == v.F[u.color]


def interact(u, v, coin: span(0, colors - 1)):
    if not agree(u, v):
        u.color = coin
        u.F[v.color] = v.F[u.color]
    else:
        u.F[v.color] = 1 - u.F[v.color]
        v.F[u.color] = 1 - v.F[u.color]


def output(v):
    return v.color


@phase
def two_hop_coloured(u):
    "no two agents at distance two of one colour (bits may still disagree)"
    return all(u[i].color != u[i + 2].color for i in range(n))


def safe(u):
    "two-hop coloured, bits agree"
    return two_hop_coloured(u) and all(agree(u[i], u[i + 1]) for i in range(n))


@start
def uniform(u):
    "every variable of every agent uniform over its domain"
    for v in u:
        (v.color, bits) = (randint(0, colors - 1), randint(0, 2 ** colors - 1))
        for c in range(colors):
            v.F[c] = bits // 2 ** c % 2


@start
def one_color(u):
    "every variable zero, so that every agent is in conflict; the worst start known"
