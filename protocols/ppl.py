"""P_PL, Algorithms 1-5: elects one leader from any configuration

CreateLeader embeds a string on the ring that cannot be consistent without a leader: every agent knows its distance to the
nearest left leader modulo 2 psi, and the bits of each segment of psi agents spell the number of the segment. Agents build this
string or look for a flaw in it, as DetermineMode says, and create a leader where they find one. EliminateLeaders leaves one
leader.
"""
from ringleader.notation import *

ring = directed
assumption = "psi = log n + O(1)"
bound = "O(n^2 log n)"

psi: Param = max(2, ceil_log2(n))
c1: Param = 48
kappa: Param = c1 * psi  # kappa_max
unsound: Param = 0       # 1 accepts 2^psi < n, to see why the paper needs it

require(2 <= psi <= 31, "psi must be 2 to 31")
require(1 <= kappa <= 65535, "kappa must be 1 to 65535")
require(2 ** psi >= n or unsound == 1, "2^psi must be at least n (or say unsound)")

limit = 1000 * n ** 2 * ceil_log2(n) + 16 * kappa * n * 2 ** min(psi, 22)
zeta = (n + psi - 1) // psi
(BLACK, WHITE) = (0, 1)


class Agent:
    leader: bit
    b: bit
    dist: span(0, 2 * psi - 1)
    last: bit
    token: pair(maybe(span(1 - psi, -1) | span(1, psi), bit, bit), "tokenB", "tokenW")
    mode: {"Detect", "Construct"} = "Construct"
    clock: span(0, kappa)
    signalR: span(0, kappa)
    hits: span(0, psi)
    bullet: span(0, 2)
    shield: bit
    signalB: bit


# Algorithm 1: P_PL

def interact(l, r):
    create_leader(l, r)                                                                         # 1
    eliminate_leaders(l, r)                                                                     # 2


# Algorithm 2: CreateLeader()

def create_leader(l, r):
    determine_mode(l, r)                                                                        # 3
    tmp = 0 if r.leader == 1 else (l.dist + 1) % (2 * psi)                                      # 4
    if r.mode == "Detect" and tmp != r.dist:                                                    # 5
        (r.leader, r.bullet, r.shield, r.signalB) = (1, 2, 1, 0)                                # 6
    if r.mode == "Construct":                                                                   # 7
        r.dist = tmp                                                                            # 8
    l.last = 1 if r.leader == 1 else 0 if r.dist in {0, psi} else r.last                        # 9
    move_token(l, r, BLACK, 0)                                                                  # 10
    move_token(l, r, WHITE, psi)                                                                # 11


# Algorithm 3: MoveToken(token, d). The parts of a token, 1 to 3 in the paper, are 0 to 2 here.

def valid(v, c, d):
    if v.token[c] is None:
        return False
    target = (v.dist + v.token[c][0] + d) % (2 * psi)
    return psi <= target if v.token[c][0] > 0 else 1 <= target < psi


def move_token(l, r, c, d):
    for v in (l, r): v.token[c] = v.token[c] if valid(v, c, d) else None                        # 12
    if l.last == r.last == 0:                                                                   # 13
        if l.dist == d and l.token[c] is None:                                                  # 14
            l.token[c] = (psi, 1 - l.b, l.b)                                                    # 15
        if l.token[c] is not None and r.token[c] is not None:                                   # 16
            l.token[c] = None                                                                   # 17
        if l.token[c] is not None and l.token[c][0] == 1:                                       # 18
            if r.mode == "Detect" and l.token[c][1] != r.b:                                     # 19
                (r.leader, r.bullet, r.shield, r.signalB) = (1, 2, 1, 0)                        # 20
            elif r.mode == "Construct":                                                         # 21
                r.b = l.token[c][1]                                                             # 22
            r.token[c] = (1 - psi, l.token[c][1], l.token[c][2])                                # 23
            l.token[c] = None                                                                   # 24
        elif l.token[c] is not None and l.token[c][0] >= 2:                                     # 25
            r.token[c] = (l.token[c][0] - 1, l.token[c][1], l.token[c][2])                      # 26
            l.token[c] = None                                                                   # 27
        elif r.token[c] is not None and r.token[c][0] == -1:                                    # 28
            l.token[c] = (psi, 1 - l.b, l.b) if r.token[c][2] == 1 else (psi, l.b, 0)           # 29
            r.token[c] = None                                                                   # 30
        elif r.token[c] is not None and r.token[c][0] <= -2:                                    # 31
            l.token[c] = (r.token[c][0] + 1, r.token[c][1], r.token[c][2])                      # 32
            r.token[c] = None                                                                   # 33


# Algorithm 4: DetermineMode()

def determine_mode(l, r):
    if l.leader == 1:                                                                           # 34
        l.signalR = kappa                                                                       # 35
    l.hits = 0                                                                                  # 36
    r.hits = min(r.hits + 1, psi)                                                               # 37
    if l.signalR > 0 or r.signalR > 0:                                                          # 38
        (l.clock, r.clock) = (0, 0)                                                             # 39
        if l.signalR >= r.signalR:                                                              # 40
            (r.signalR, r.hits) = (l.signalR, 0)                                                # 41
        l.signalR = 0                                                                           # 42
        if r.hits == psi:                                                                       # 43
            r.signalR = r.signalR - 1                                                           # 44
            r.hits = 0                                                                          # 45
    elif r.hits == psi:                                                                         # 46
        r.clock = min(r.clock + 1, kappa)                                                       # 47
        r.hits = 0                                                                              # 48
    for v in (l, r):                                                                            # 49
        v.mode = "Detect" if v.clock == kappa else "Construct"                                  # 50


# Algorithm 5: EliminateLeaders()

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


# Section 4.1: the safe set and the way there. The unique leader is u[w].

def peaceful(u, i):
    "the nearest left leader is shielded, and no bullet-absence signal lies between"
    for j in range(n):
        if u[i - j].signalB == 1:
            return False
        if u[i - j].leader == 1:
            return u[i - j].shield == 1
    return True


@phase
@closed
def C_PB(u):
    "a leader exists and every live bullet is peaceful"
    return any(v.leader == 1 for v in u) and all(peaceful(u, i) for i in range(n) if u[i].bullet == 2)


def counted(u, w):
    "u[w] is the only leader, and dist and last are right"
    last = psi * (zeta - 1)
    return all((u[w + i].leader, u[w + i].dist, u[w + i].last) == (i == 0, i % (2 * psi), i >= last) for i in range(n))


@phase
def C_DL(u):
    "C_PB, one leader, dist and last right"
    return any(counted(u, w) for w in range(n)) and C_PB(u)


def carry(u, i, x):
    "whether 1 added to the bits from u[i] on is carried to bit x"
    return 1 if all(u[i + j].b == 1 for j in range(x)) else 0


def successor(u, i, x):
    "bit x of the ID of the segment at u[i], plus 1"
    return (u[i + x].b + carry(u, i, x)) % 2


@phase
def perfect(u):
    "eq. (1) and eq. (2) hold"
    for i in range(n):
        if u[i].dist != (0 if u[i].leader == 1 else (u[i - 1].dist + 1) % (2 * psi)):
            return False
        if u[i].dist in {0, psi} and all(u[i + j].leader == 0 for j in range(psi + 1)):
            if any(u[i + x].b != successor(u, i - psi, x) for x in range(psi)):
                return False
    return True


def numbered(u, w):
    "the IDs of S_0 to S_{zeta-2} count up"
    return all(u[i + psi + x].b == successor(u, i, x) for i in range(w, w + (zeta - 2) * psi, psi) for x in range(psi))


def correct(u, w, k, c):
    "the token of u[w + k], if it has one, is not risky, and correct if it works for S_0 to S_{zeta-2}"
    z = u[w + k].token[c]
    if z is None:
        return True
    if zeta > 1 and z[0] > 0 and k + z[0] < psi:
        return False
    target = (k + z[0]) % n
    (i, x) = ((target // psi - 1) % zeta, target % psi) if z[0] > 0 else (target // psi, target % psi - 1)
    if i >= zeta - 2 or not valid(u[w + k], c, c * psi):
        return True
    return (z[1], z[2]) == (successor(u, w + i * psi, x), carry(u, w + i * psi, x + 1))


def s_pl(u, w):
    return counted(u, w) and numbered(u, w) and all(correct(u, w, k, c) for k in range(n) for c in (BLACK, WHITE))


def safe(u):
    "S_PL"
    return any(s_pl(u, w) for w in range(n)) and C_PB(u)


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
        (u[i].leader, u[i].shield, u[i].dist) = (d == 0, d == 0, d % (2 * psi))


@start
def wrong_id(u):
    "no leader, all in detection mode, dist consistent, segment IDs wrong only from the last to the first (needs 2psi | n)"
    assert n % (2 * psi) == 0, "n must be a multiple of 2 psi, so that dist can be consistent"
    for i in range(n):
        (u[i].dist, u[i].b) = (i % (2 * psi), i // psi // 2 ** (i % psi) % 2)
        (u[i].clock, u[i].mode) = (kappa, "Detect")


@start
def stale_signals(u):
    "no leader, resetting signals of full TTL and bullet-absence signals everywhere"
    for v in u:
        (v.signalR, v.signalB) = (kappa, 1)


@start
def live_bullets(u):
    "one unshielded leader, a live bullet at every agent"
    u[0].leader = 1
    for v in u:
        v.bullet = 2


@start
def tokens(u):
    "one leader, dist and last right, random bits, random tokens of both colours everywhere"
    for i in range(n):
        (u[i].leader, u[i].dist, u[i].last) = (i == 0, i % (2 * psi), i >= psi * (zeta - 1))
        u[i].b = randint(0, 1)
        for c in (BLACK, WHITE):
            place = randint(2 - psi, psi)
            u[i].token[c] = (place if place > 0 else place - 1, randint(0, 1), randint(0, 1))
