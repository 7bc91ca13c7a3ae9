"""P_CL with random bits taken from the scheduler (Note in Appendix B)

An agent in role Alg that meets one in role Flip learns a bit: whether it was the initiator. Roles flip at every interaction.
Neighbours stamp each other with their colours and a common bit. If the stamps say "you are the one I met last" but the bits
differ, somebody of the same colour came between: a conflict at distance two, and both agents take new colours.
"""
from ringleader.notation import *

ring = undirected
bound = "O(n^2) expected"

colors: Param = 16

require(colors <= 65536, "there are at most 65536 colours")
require(colors >= (2 if n % 4 == 0 else 3), "a two-hop colouring needs 3 colours, or 2 if n is a multiple of 4")
require(colors == 2 ** ceil_log2(colors), "the derandomised form needs a power of two")

limit = 1000 * n ** 2 * ceil_log2(n)


class Agent:
    color: span(0, colors - 1)
    stampC: span(0, colors - 1)
    stampB: bit
    role: {"Alg", "Flip"}
    bits: span(1, 2 * colors - 1)  # a one, and then the bits gathered so far; enough for a colour from `colors` on


# Algorithm 7: P_CL, and the Note "Derandomization"

def interact(a, b):
    if stamp_conflict(a, b) and a.bits >= colors and b.bits >= colors:                          # 77
        (a.color, b.color, a.bits, b.bits) = (a.bits - colors, b.bits - colors, 1, 1)           # 78
    (a.stampC, b.stampC) = (b.color, a.color)                                                   # 79
    (a.stampB, b.stampB) = (1 - a.stampB, 1 - a.stampB)                                         # 80
    if a.role == "Alg" and b.role == "Flip" and a.bits < colors:
        a.bits = 2 * a.bits
    if a.role == "Flip" and b.role == "Alg" and b.bits < colors:
        b.bits = 2 * b.bits + 1
    for v in (a, b):
        v.role = "Flip" if v.role == "Alg" else "Alg"


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
        (v.role, v.bits) = (("Alg", "Flip")[randint(0, 1)], randint(1, 2 * colors - 1))


@start
def one_color(u):
    "every variable zero, so that every agent is in conflict"
