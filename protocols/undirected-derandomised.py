"""The composition of Theorem 3, P_CL derandomised

P_CL colours the ring, with bits that it takes from the scheduler, every agent remembers the colours of its two neighbours, P_OR
lets all agents point the same way, and P_PL runs in that direction: the initiator is its left agent if it points at the
responder, else its right one.
"""
from ringleader.notation import *

ring = undirected
assumption = "psi = log n + O(1)"
bound = "O(n^2 log n)"

psi: Param = max(2, ceil_log2(n))
c1: Param = 48
kappa: Param = c1 * psi  # kappa_max
colors: Param = 16
unsound: Param = 0       # 1 accepts 2^psi < n, to see why the paper needs it

require(2 <= psi <= 31, "psi must be 2 to 31")
require(1 <= kappa <= 65535, "kappa must be 1 to 65535")
require(2 ** psi >= n or unsound == 1, "2^psi must be at least n (or say unsound)")
require(colors <= 65536, "there are at most 65536 colours")
require(colors >= (2 if n % 4 == 0 else 3), "a two-hop colouring needs 3 colours, or 2 if n is a multiple of 4")
require(colors == 2 ** ceil_log2(colors), "the derandomised form needs a power of two")

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
    color: span(0, colors - 1)
    stampC: span(0, colors - 1)
    stampB: bit
    role: {"Alg", "Flip"}
    bits: span(1, 2 * colors - 1)  # a one, and then the bits gathered so far; enough for a colour from `colors` on
    c1: span(0, colors - 1)
    c2: span(0, colors - 1)
    dir: span(0, colors - 1)
    strong: bit


# Section 5: the composition

def interact(a, b):
    recolor(a, b)
    observe(a, b.color)
    observe(b, a.color)
    orient(a, b)
    if a.dir == b.color:
        elect(a, b)
    else:
        elect(b, a)


def observe(v, color):
    if color != v.c1:
        (v.c1, v.c2) = (color, v.c1)


# Algorithm 7: P_CL, and the Note "Derandomization"

def recolor(a, b):
    if stamp_conflict(a, b) and a.bits >= colors and b.bits >= colors:                          # 77
        (a.color, b.color, a.bits, b.bits) = (a.bits - colors, b.bits - colors, 1, 1)           # 78
    (a.stampC, b.stampC) = (b.color, a.color)                                                   # 79
    (a.stampB, b.stampB) = (1 - a.stampB, 1 - a.stampB)                                         # 80
    if a.role == "Alg" and b.role == "Flip" and a.bits < colors:
        a.bits = 2 * a.bits
    if a.role == "Flip" and b.role == "Alg" and b.bits < colors:
        b.bits = 2 * b.bits + 1
    for v in (a, b):
        v.role = "Flip" if v.role == "Alg" else "Alg"


def stamp_conflict(a, b):
    return (a.color, a.stampC, a.stampB) == (b.stampC, b.color, 1 - b.stampB)


# Algorithm 6: P_OR

def orient(a, b):
    for v in (a, b):                                                                            # 63
        if v.dir not in {v.c1, v.c2}:                                                           # 64
            v.dir = v.c1                                                                        # 65
    if a.dir == b.color and b.dir == a.color:                                                   # 66
        if a.strong == 0 and b.strong == 1:                                                     # 67
            a.dir = turned(a, b.color)                                                          # 68
            (a.strong, b.strong) = (1, 0)                                                       # 69
        else:                                                                                   # 70
            b.dir = turned(b, a.color)                                                          # 71
            (a.strong, b.strong) = (0, 1)                                                       # 72
    elif a.dir == b.color:                                                                      # 73
        a.strong = 0                                                                            # 74
    elif b.dir == a.color:                                                                      # 75
        b.strong = 0                                                                            # 76


def turned(v, color):
    "the least colour that v remembers and that is not this one; dir as it is if there is none"
    if v.c1 == v.c2 == color:
        return v.dir
    return min(c for c in (v.c1, v.c2) if c != color)


# Algorithm 1: P_PL

def elect(l, r):
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


# The sets of P_CL and P_OR.

@phase
@closed
def red_free(u):
    "no colour or stamp conflict"
    return all(u[i].color != u[i + 2].color and not stamp_conflict(u[i], u[i + 1]) for i in range(n))


def remembers(v, left, right):
    return (v.c1, v.c2) in ((left.color, right.color), (right.color, left.color))


@phase
@closed
def memory(u):
    "red-free, and every agent knows its neighbours' colours"
    return red_free(u) and all(remembers(u[i], u[i - 1], u[i + 1]) for i in range(n))


def point(u, s):
    return all(u[i].dir == u[i + s].color for i in range(n))


def lead(u, s):
    "all agents point right (s = 1) or left (s = -1); without a two-hop colouring they may do both, which counts as right"
    return point(u, s) and (s == 1 or not point(u, 1))


@phase
@closed
def oriented(u):
    "red-free, memory right, and all agents point one way"
    return memory(u) and any(lead(u, s) for s in (1, -1))


# The sets of P_PL (Section 4.1), on the ring read in direction s. The unique leader is u[w].

def peaceful(u, i, s):
    "the nearest left leader is shielded, and no bullet-absence signal lies between"
    for j in range(n):
        if u[i - s * j].signalB == 1:
            return False
        if u[i - s * j].leader == 1:
            return u[i - s * j].shield == 1
    return True


def c_pb(u, s):
    return any(v.leader == 1 for v in u) and all(peaceful(u, i, s) for i in range(n) if u[i].bullet == 2)


@phase
@closed
def C_PB(u):
    "the same, and the P_PL part in C_PB"
    return any(lead(u, s) and c_pb(u, s) for s in (1, -1)) and memory(u)


def counted(u, w, s):
    "u[w] is the only leader, and dist and last are right"
    for i in range(n):
        v = u[w + s * i]
        if (v.leader, v.dist, v.last) != (i == 0, i % (2 * psi), i >= psi * (zeta - 1)):
            return False
    return True


def c_dl(u, s):
    return any(counted(u, w, s) for w in range(n)) and c_pb(u, s)


@phase
def C_DL(u):
    "oriented, and the P_PL part in C_DL"
    return any(lead(u, s) and c_dl(u, s) for s in (1, -1))


def carry(u, i, x, s):
    "whether 1 added to the bits from u[i] on is carried to bit x"
    return 1 if all(u[i + s * j].b == 1 for j in range(x)) else 0


def successor(u, i, x, s):
    "bit x of the ID of the segment at u[i], plus 1"
    return (u[i + s * x].b + carry(u, i, x, s)) % 2


def flawless(u, s):
    for i in range(n):
        if u[i].dist != (0 if u[i].leader == 1 else (u[i - s].dist + 1) % (2 * psi)):
            return False
        if u[i].dist in {0, psi} and all(u[i + s * j].leader == 0 for j in range(psi + 1)):
            if any(u[i + s * x].b != successor(u, i - s * psi, x, s) for x in range(psi)):
                return False
    return True


@phase
def perfect(u):
    "oriented, and the P_PL part perfect"
    return any(lead(u, s) and flawless(u, s) for s in (1, -1))


def numbered(u, w, s):
    "the IDs of S_0 to S_{zeta-2} count up"
    starts = tuple(w + s * psi * i for i in range(zeta - 2))
    return all(u[i + s * (psi + x)].b == successor(u, i, x, s) for i in starts for x in range(psi))


def correct(u, w, k, c, s):
    "the token of u[w + s k], if it has one, is not risky, and correct if it works for S_0 to S_{zeta-2}"
    z = u[w + s * k].token[c]
    if z is None:
        return True
    if zeta > 1 and z[0] > 0 and k + z[0] < psi:
        return False
    target = (k + z[0]) % n
    (i, x) = ((target // psi - 1) % zeta, target % psi) if z[0] > 0 else (target // psi, target % psi - 1)
    if i >= zeta - 2 or not valid(u[w + s * k], c, c * psi):
        return True
    first = w + s * psi * i
    return (z[1], z[2]) == (successor(u, first, x, s), carry(u, first, x + 1, s))


def s_pl(u, w, s):
    if not counted(u, w, s) or not numbered(u, w, s):
        return False
    return all(correct(u, w, k, c, s) for k in range(n) for c in (BLACK, WHITE))


def safe(u):
    "oriented S_PL"
    return any(lead(u, s) and c_pb(u, s) and any(s_pl(u, w, s) for w in range(n)) for s in (1, -1)) and memory(u)


def scramble(u):
    "all but the P_PL part uniform"
    for v in u:
        (v.color, v.stampC, v.stampB) = (randint(0, colors - 1), randint(0, colors - 1), randint(0, 1))
        (v.role, v.bits) = ("Alg" if randint(0, 1) == 0 else "Flip", randint(1, 2 * colors - 1))
        (v.c1, v.c2) = (randint(0, colors - 1), randint(0, colors - 1))
        (v.dir, v.strong) = (randint(0, colors - 1), randint(0, 1))


def settle(u):
    "colours 0 and 1 alternate along each cycle of the agent after next, and 2 ends one of odd length; all point right"
    length = n // 2 if n % 2 == 0 else n
    for i in range(n):
        k = i // 2 if n % 2 == 0 or i % 2 == 0 else (i + n) // 2
        u[i].color = 2 if k == length - 1 and length % 2 == 1 else k % 2
    for i in range(n):
        (u[i].c1, u[i].c2, u[i].dir) = (u[i - 1].color, u[i + 1].color, u[i + 1].color)


@start
def leaderless(u):
    "the P_PL part zero, no leader; all else uniform"
    scramble(u)


@start
def all_leaders(u):
    "every agent a leader; all else uniform"
    scramble(u)
    for v in u:
        v.leader = 1


@start
def stale_signals(u):
    "no leader, every signal set; all else uniform"
    scramble(u)
    for v in u:
        (v.signalR, v.signalB) = (kappa, 1)


@start
def live_bullets(u):
    "one unshielded leader, a live bullet at every agent; all else uniform"
    scramble(u)
    u[0].leader = 1
    for v in u:
        v.bullet = 2


@start
def two_leaders(u):
    "two shielded antipodal leaders, dist right for both; coloured and oriented"
    settle(u)
    for i in range(n):
        d = i if i < n // 2 else i - n // 2
        (u[i].leader, u[i].shield, u[i].dist) = (d == 0, d == 0, d % (2 * psi))


@start
def wrong_id(u):
    "no leader, detection mode, IDs wrong in one place only (needs 2psi | n); coloured and oriented"
    assert n % (2 * psi) == 0, "n must be a multiple of 2 psi, so that dist can be consistent"
    settle(u)
    for i in range(n):
        (u[i].dist, u[i].b) = (i % (2 * psi), i // psi // 2 ** (i % psi) % 2)
        (u[i].clock, u[i].mode) = (kappa, "Detect")


@start
def tokens(u):
    "one leader, dist and last right, random bits and tokens; coloured and oriented"
    settle(u)
    for i in range(n):
        (u[i].leader, u[i].dist, u[i].last) = (i == 0, i % (2 * psi), i >= psi * (zeta - 1))
        u[i].b = randint(0, 1)
        for c in (BLACK, WHITE):
            place = randint(2 - psi, psi)
            u[i].token[c] = (place if place > 0 else place - 1, randint(0, 1), randint(0, 1))
