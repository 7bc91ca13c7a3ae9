"""Loosely stabilizing election: timers that run out make leaders, and a leader resets them; no configuration is safe"""
from ringleader.notation import *

ring = undirected

T: Param = n

require(T >= 1, "a timer begins with 1 or more")


class Agent:
    leader: bit
    timer: span(0, T)


def interact(a, b):
    if a.leader == b.leader == 1:
        b.leader = 0
    left = max(a.timer, b.timer) - 1
    if a.leader == 1 or b.leader == 1:
        left = T
    elif left <= 0:
        (a.leader, left) = (1, T)
    (a.timer, b.timer) = (left, left)


def leader(v):
    return v.leader == 1


@start
def all_leaders(u):
    "every agent is a leader"
    for v in u:
        v.leader = 1
