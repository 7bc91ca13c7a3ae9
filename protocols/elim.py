"""EliminateLeaders, Algorithm 5, alone: leaves one of many leaders

A leader that learns of no bullet in flight shoots one: live and with a shield, or dummy and without. A live bullet kills the
next leader that has no shield. One leader is left if there was one and every live bullet was peaceful; nothing here makes a
leader.
"""
from ringleader.notation import *

ring = directed
assumption = "starts in C_PB"
bound = "O(n^2 log n)"
limit = 1000 * n ** 2 * ceil_log2(n)


class Agent:
    leader: bit
    bullet: span(0, 2)  # none, dummy, live
    shield: bit
    signalB: bit        # no bullet is in flight


def interact(l, r):
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


@promise
@phase
@closed
def C_PB(u):
    "a leader exists and every live bullet is peaceful"
    return any(v.leader == 1 for v in u) and all(peaceful(u, i) for i in range(len(u)) if u[i].bullet == 2)


def safe(u):
    "C_PB, one leader"
    return sum(v.leader for v in u) == 1 and C_PB(u)


@start
def all_leaders(u):
    "every agent a leader, all else zero"
    for v in u:
        v.leader = 1


@start
def two_leaders(u):
    "two shielded antipodal leaders; the worst start known"
    for v in (u[0], u[n // 2]):
        (v.leader, v.shield) = (1, 1)
