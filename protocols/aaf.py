"""[AAF+08]: elects one leader by counting modulo k around the ring

The count must break somewhere, since k does not divide n: at a barrier. Barriers move to the right and merge until one is left.
It sends out a probe to the right; a leader absorbs it and shoots a bullet to the left, which kills the leaders that it meets,
while a probe that comes round to a barrier has found no leader and makes one there. The rules are known from a secondary
source, a published model of the protocol, for k = 2; for other k they are a reconstruction.
"""
from ringleader.notation import *

ring = directed
assumption = "n is no multiple of k"
bound = "Theta(n^3)"
limit = 100 * n ** 3

k: Param = min(d for d in range(2, n + 2) if n % d != 0)

require(2 <= k <= 65536, "k must be 2 to 65536")
require(n % k != 0, "k must not divide n, for then no configuration is safe")


class Agent:
    leader: bit
    bullet: bit
    probe: bit
    phase: bit
    label: span(0, k - 1)


def barrier(u, v):
    return v.label != (u.label + 1) % k


def interact(u, v):
    if barrier(u, v):
        if u.probe == 1:
            (u.leader, u.probe) = (1, 0)
        if u.phase == 0:
            u.phase = 1
            if v.leader == 0:
                v.probe = 1
        elif v.probe == 0:
            (v.label, v.bullet, v.phase) = ((u.label + 1) % k, 0, 0)
    elif v.leader == 1 and v.bullet == 1:
        v.leader = 0
    elif v.leader == 1:
        (u.bullet, u.probe) = (1, 0)
    else:
        if v.bullet == 1:
            (u.bullet, v.bullet) = (1, 0)
        if u.probe == 1:
            (u.probe, v.probe) = (0, 1)


def leader(v):
    return v.leader == 1


@phase
@closed
def one_barrier(u):
    "the labels count around the ring with one break"
    return sum(1 for i in range(n) if barrier(u[i - 1], u[i])) == 1


def peace(u, w, b):
    "nothing from the leader u[w] on to the barrier before u[b] can make a second leader or kill the only one"
    distance = n - (w - b) % n
    return all(u[w + i].probe == 0 and (u[w + i].bullet == 0 or w == b) for i in range(distance))


def peaceful(u, w):
    return all(peace(u, w, b) for b in range(n) if barrier(u[b - 1], u[b]))


def safe(u):
    "one leader, one barrier, peace"
    return sum(v.leader for v in u) == 1 and one_barrier(u) and all(peaceful(u, w) for w in range(n) if u[w].leader == 1)


@start
def barriers(u):
    "no leader, barriers a third of the ring apart; the worst start known"
    for i in range(1, n):
        u[i].label = u[i - 1].label if i in (n // 3, 2 * n // 3) else (u[i - 1].label + 1) % k


@start
def leaderless(u):
    "every variable zero but one barrier, no leader"
    for i in range(n):
        u[i].label = i % k


@start
def one_label(u):
    "every variable zero: no leader, a barrier at every agent"


@start
def all_leaders(u):
    "every agent a leader, all else zero"
    for v in u:
        v.leader = 1


@start
def two_leaders(u):
    "two antipodal leaders, one barrier"
    leaderless(u)
    (u[0].leader, u[n // 2].leader) = (1, 1)
