"""[YSM21]: counts distances up to N; elects one leader from any configuration

Every agent counts its distance from the nearest leader on its left. A count of N, the parameter `bound`, proves that there is
none. The count is a reconstruction, from the number of states and the time; EliminateLeaders is that of the paper, which leaves
one leader. It takes Theta(n^2) steps in expectation.
"""
from ringleader.notation import *

ring = directed
assumption = "n <= N = O(n)"

bound: Param = n

require(n <= bound <= 2 ** 20, "N must be n to 2^20: below n no configuration is safe")

limit = 1000 * n ** 2 * ceil_log2(n) + 100 * n * bound


class Agent:
    leader: bit
    dist: span(0, bound - 1)
    bullet: span(0, 2)  # none, dummy, live
    shield: bit
    signalB: bit        # no bullet is in flight


def interact(l, r):
    count(l, r)
    eliminate_leaders(l, r)


def count(l, r):
    if r.leader == 1:
        r.dist = 0
    elif l.dist + 1 < bound:
        r.dist = l.dist + 1
    else:
        r.dist = 0
        (r.leader, r.bullet, r.shield, r.signalB) = (1, 2, 1, 0)


# Algorithm 5 of the paper

def eliminate_leaders(l, r):
    if l.leader == l.signalB == 1:                                                              # 51
        (l.bullet, l.shield, l.signalB) = (2, 1, 0)                                             # 52
    if r.leader == r.signalB == 1:                                                              # 53
        (r.bullet, r.shield, r.signalB) = (1, 0, 0)                                             # 54
    if l.bullet > 0:                                                                            # 55
        if r.leader == 1:                                                                       # 56
            r.leader = 0 if l.bullet == 2 and r.shield == 0 else 1                              # 57
        else:                                                                                   # 58
            r.bullet = l.bullet if r.bullet == 0 else r.bullet                                  # 59
            r.signalB = 0                                                                       # 60
        l.bullet = 0                                                                            # 61
    l.signalB = max(l.signalB, r.signalB, r.leader)                                             # 62


def leader(v):
    return v.leader == 1


# The sets of Section 4.1.

def peaceful(u, i):
    "the nearest left leader is shielded, and no bullet-absence signal lies between"
    for j in range(len(u)):
        if u[i - j].signalB == 1:
            return False
        if u[i - j].leader == 1:
            return u[i - j].shield == 1
    return True


@phase
@closed
def C_PB(u):
    "a leader exists and every live bullet is peaceful"
    return any(v.leader == 1 for v in u) and all(peaceful(u, i) for i in range(len(u)) if u[i].bullet == 2)


def safe(u):
    "C_PB, one leader, dist right"
    return any(counted(u, w) for w in range(n)) and C_PB(u)


def counted(u, w):
    "u[w] is the only leader, and dist counts from it"
    return all((u[w + i].leader, u[w + i].dist) == (i == 0, i) for i in range(n))


@start
def leaderless(u):
    "every variable zero, no leader"


@start
def all_leaders(u):
    "every agent a leader, all else zero"
    for v in u:
        v.leader = 1


@start
def two_leaders(u):
    "two shielded antipodal leaders, dist right for both"
    for i in range(n):
        d = i if i < n // 2 else i - n // 2
        (u[i].leader, u[i].shield, u[i].dist) = (d == 0, d == 0, d)
