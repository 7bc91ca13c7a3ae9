"""Discrete averaging: two agents share what they have"""
from ringleader.notation import *

ring = undirected

top: Param = 3


class Agent:
    x: span(0, top)


def interact(a, b):
    both = a.x + b.x
    (a.x, b.x) = (both // 2, both - both // 2)


def output(v):
    return v.x


@start
def halves(u):
    "one half has the most, the other nothing"
    for i in range(n // 2):
        u[i].x = top
