// What a new protocol begins with: short, and it runs.

export const TEMPLATE = `"""Leaders walk to the right, and two that meet become one

The first line of this text is the summary. Change something, and press Ctrl+Enter.
"""
from ringleader.notation import *

ring = directed     # l is the left neighbour of r


class Agent:        # what an agent remembers; every variable has a finite domain
    leader: bit
    age: span(0, 9)


def interact(l, r):
    if l.leader == 1:
        (l.leader, l.age) = (0, 0)
        (r.leader, r.age) = (1, 0)
    elif r.leader == 0:
        r.age = min(r.age + 1, 9)


def leader(v):      # makes it an election
    return v.leader == 1


@start
def all_leaders(u):
    "every agent is a leader"
    for v in u:
        v.leader = 1
`;
