"""Three colours on a ring: who has the colour of a neighbour draws another"""
from ringleader.notation import *

ring = undirected


class Agent:
    color: span(0, 2)


def interact(a, b, drawn: span(0, 2)):
    if a.color == b.color:
        b.color = drawn


def output(v):
    return v.color


def safe(u):
    "neighbours have different colours"
    return all(u[i].color != u[i + 1].color for i in range(n))


@start
def equal(u):
    "all have the same colour"
