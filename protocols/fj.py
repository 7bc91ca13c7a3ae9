"""[FJ06]: elects one leader with an oracle that tells whether there is one

A leader sends its shield to the right and shoots bullets to the left; a bullet kills the unshielded leaders that it passes, and
a shield that it meets absorbs it. The rules are known from a secondary source, a published model of the protocol.
"""
from ringleader.notation import *

ring = directed
assumption = "the oracle Omega?"
bound = "Theta(n^3)"

delay: Param = 0  # the oracle says "no leader" only after so many steps without one

require(0 <= delay <= 2 ** 40, "delay must be 0 to 2^40")

limit = 100 * n ** 3 + 100 * delay


class Agent:
    bullet: bit
    leader: bit
    shield: bit


def interact(x, y, there_is_a_leader: oracle(delay)):
    if not there_is_a_leader:                                                                   # 1
        (x.bullet, x.leader, x.shield) = (1, 1, 1)
    elif x.leader == 0 and x.shield == 1:                                                       # 2
        (x.shield, y.bullet, y.shield) = (0, 0, 1)
    elif x.leader == 1 and x.shield == 1:                                                       # 3
        (x.bullet, x.shield, y.bullet, y.shield) = (1, 0, 0, 1)
    elif x.leader == 1 and y.bullet == 0:                                                       # 4
        x.bullet = 1
    elif y.bullet == 1:                                                                         # 5
        (x.bullet, x.leader, y.bullet) = (1, 0, 0)


def leader(v):
    return v.leader == 1


def out_of_danger(u, w):
    "u[w] is shielded, or a free shield comes before any bullet on its right"
    if u[w].shield == 1:
        return True
    for i in range(1, n):
        if u[w + i].bullet == 1 or u[w + i].shield == 1:
            return u[w + i].bullet == 0
    return False


def safe(u):
    "one leader, out of danger"
    return sum(v.leader for v in u) == 1 and all(out_of_danger(u, w) for w in range(n) if u[w].leader == 1)


@start
def two_leaders(u):
    "two shielded antipodal leaders; the worst start known"
    for v in (u[0], u[n // 2]):
        (v.leader, v.shield) = (1, 1)


@start
def leaderless(u):
    "every variable zero, no leader"


@start
def all_leaders(u):
    "every agent a leader, all else zero"
    for v in u:
        v.leader = 1
