"""Tokens walk to the right, and two that meet become one; nobody makes one where there is none"""
from ringleader.notation import *


class Agent:
    token: bit


def interact(l, r):
    if l.token == 1:
        (l.token, r.token) = (0, 1)


@closed
def one_token(u):
    return sum(v.token for v in u) == 1
