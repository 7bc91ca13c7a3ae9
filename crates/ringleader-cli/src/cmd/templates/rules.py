"""Approximate majority: agents of two opinions agree on one of them, mostly on that of the majority

Where two opinions meet, both agents become undecided; an undecided agent takes the opinion that it meets.
"""
from ringleader.notation import *

# The line above is for Python and for editors; `ringleader` reads this file without Python. docs/notation.md has all that there is.

ring = undirected          # either neighbour may be the initiator; the other kind is `directed`

# As in ppsim: what two states become. A pair that is not listed does what it does in the other order, and nothing if that is not listed
# either. For several outcomes: ("A", "B"): {("A", "U"): 0.5, ("U", "B"): 0.5}
rules = {
    ("A", "B"): ("U", "U"),
    ("A", "U"): ("A", "A"),
    ("B", "U"): ("B", "B"),
}


def safe(u):               # u[i] is agent i, counted around the ring; `check` tells whether this set is as it must be
    "all agents agree"
    return all(v.state == u[0].state for v in u)


@phase
@closed
def undecided_or_A(u):     # a set on the way to safety; @closed claims that no interaction leaves it
    "nobody has the opinion B"
    return all(v.state != "B" for v in u)


@start
def majority_A(u):         # starts change the configuration in which all agents are in the first state
    "two thirds A at random places, the others B"
    for v in u:
        v.state = "A" if randint(1, 3) < 3 else "B"


@start
def two_camps(u):
    "one half of the ring is A, the other B"
    for i in range(n // 2):
        u[i].state = "B"
