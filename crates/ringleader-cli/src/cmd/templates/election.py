"""Counts around the ring: elects one leader from any configuration

The agents know n. Every agent keeps a number below n, and an interaction makes that of the right neighbour one more than that of
the left one. Where all follow each other, they count once around the ring, so exactly one of them is 0: the leader.
"""
from ringleader.notation import *

# The line above is for Python and for editors; `ringleader` reads this file without Python. docs/notation.md has all that there is.

ring = directed            # the initiator l is the left neighbour of the responder r; the other kind is `undirected`
assumption = "n is known"  # words for `ringleader list`
bound = "O(n^3)"
# A parameter would become an option, here --k, with its default:   k: Param = 2 * n


class Agent:               # every variable has finitely many values; zero is the first
    number: span(0, n - 1)  # 0 to n - 1


def interact(l, r):        # what an interaction does; a number at the end of a line is the line of the paper
    r.number = (l.number + 1) % n                                                               # 1


def leader(v):             # who is a leader
    return v.number == 0


def safe(u):               # u[i] is agent i, counted around the ring; `check` tells whether this set is as it must be
    "all numbers follow each other"
    return all(u[i + 1].number == (u[i].number + 1) % n for i in range(n))


@phase
def one_leader(u):         # a set on the way to safety: `run` shows when it is entered
    "there is one leader"
    return sum(1 for v in u if leader(v)) == 1


@start
def all_leaders(u):        # starts change the configuration in which every variable is zero; the first one is the default
    "every agent a leader"


@start
def leaderless(u):
    "no leader"
    for v in u:
        v.number = 1
