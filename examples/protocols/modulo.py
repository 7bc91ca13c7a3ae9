"""Everybody counts one more than the left neighbour, modulo M: at rest only if M divides n"""
from ringleader.notation import *

M: Param = 3


class Agent:
    count: span(0, M - 1)


def interact(l, r):
    r.count = (l.count + 1) % M
