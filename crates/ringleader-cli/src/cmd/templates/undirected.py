"""Colours a ring with three colours at random: in the end no two neighbours have the same

If two neighbours have the same colour, one of them takes a random one. Since an agent has only two neighbours, one of three
colours is always free.
"""
from ringleader.notation import *

# The line above is for Python and for editors; `ringleader` reads this file without Python. docs/notation.md has all that there is.

ring = undirected          # either neighbour may be the initiator; the other kind is `directed`

colors: Param = 3          # becomes the option --colors

require(3 <= colors <= 64, "colors must be 3 to 64")


class Agent:               # every variable has finitely many values; zero is the first
    color: span(0, colors - 1)  # 0 to colors - 1


def interact(a, b, coin: span(0, colors - 1)):  # a coin is uniform over its values
    if a.color == b.color:
        b.color = coin


def output(v):             # what an agent says; a protocol with `leader(v)` in its place is an election
    return v.color


def conflicts(u):          # u[i] is agent i, counted around the ring
    return sum(1 for i in range(n) if u[i].color == u[i + 1].color)


def safe(u):               # `check` tells whether this set is as it must be
    "no two neighbours have the same colour"
    return conflicts(u) == 0


@phase
@closed
def few_conflicts(u):      # a set on the way to safety; @closed claims that no interaction leaves it
    "at most one pair of neighbours has the same colour"
    return conflicts(u) <= 1


@start
def all_alike(u):          # starts change the configuration in which every variable is zero; the first one is the default
    "every agent has the same colour"


@start
def random(u):
    "every agent has a random colour"
    for v in u:
        v.color = randint(0, colors - 1)
