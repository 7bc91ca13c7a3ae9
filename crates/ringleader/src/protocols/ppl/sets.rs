//! The sets and predicates of Sections 3 and 4, on one configuration of P_PL.
//!
//! Names are the paper's. `u_0` is the unique leader wherever the paper assumes one: segments, `last`, rounds
//! and targets go by index from it, validity goes by `dist`. Where the paper leaves a choice, `paper/NOTES.md`
//! says which reading this is.
//!
//! What proofs speak of is generic over the agent ([`Agent`]): the same lines are read with `bool` by [`PplOf::is_safe`] and with
//! literals by a proof. The rest, which is for people, is on plain states.
//!
//! [`PplOf::is_safe`]: super::PplOf

use std::ops::Range;

use super::{BLACK, State, Token, WHITE, valid};
use crate::circuit::{Agent, Bit, all, and, any, implies, same};
use crate::protocols::elim::sets::{Armed, in_c_pb, leads_alone, number_of_leaders, outside_c_pb, peace, peaceful};
use crate::value::{Text, Value, named, why_not};

// --- The sets of P_PL -----------------------------------------------------------------------------------------

/// A view of a configuration that answers which sets it belongs to.
#[derive(Debug)]
pub struct Sets<'a, A = State> {
    psi: usize,
    config: &'a [A],
}

impl<A> Clone for Sets<'_, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for Sets<'_, A> {}

/// The conditions of S_PL, one by one; the first four are those of C_DL. The order is that in which a configuration is quickly refuted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the paper's")]
pub enum Condition {
    Dist,
    OneLeader,
    Last,
    Peace,
    Risky,
    Ids,
    Tokens,
}

impl Condition {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Dist, Self::OneLeader, Self::Last, Self::Peace, Self::Risky, Self::Ids, Self::Tokens];
}

const TOKEN: [&[&str]; 2] = [&["tokenB"], &["tokenW"]];
const DIST_AND_TOKEN: [&[&str]; 2] = [&["dist", "tokenB"], &["dist", "tokenW"]];

impl<'a, A: Agent<State = State>> Sets<'a, A> {
    /// The sets of P_PL with this `psi` on a configuration of at least 3 agents.
    #[must_use]
    pub fn new(psi: u8, config: &'a [A]) -> Self {
        Self { psi: usize::from(psi), config }
    }

    /// The configuration.
    #[must_use]
    pub fn config(self) -> &'a [A] {
        self.config
    }

    /// `u_i`, with the index modulo n.
    #[inline(always)]
    #[must_use]
    pub fn at(self, i: usize) -> &'a A {
        &self.config[i % self.config.len()]
    }

    #[inline]
    fn n(self) -> usize {
        self.config.len()
    }

    /// `zeta = ceil(n / psi)`.
    #[must_use]
    #[inline]
    pub fn zeta(self) -> usize {
        self.n().div_ceil(self.psi)
    }

    /// The number of pairs `(S_i, S_{i+1})` with `i <= zeta - 3`.
    #[must_use]
    #[inline]
    pub fn pairs(self) -> usize {
        self.zeta().saturating_sub(2)
    }

    /// All agents in order from `u_0`.
    #[inline]
    fn from(self, u_0: usize) -> impl Iterator<Item = &'a A> {
        self.config[u_0..].iter().chain(&self.config[..u_0])
    }

    // --- What is asked of one agent -----------------------------------------------------------------------

    /// Where `u_i.b = 1`.
    #[inline(always)]
    pub fn b(self, i: usize) -> A::Bit {
        self.at(i).ask(("b", 0, &["b"]), |v| v.b == 1)
    }

    /// Where `last = 1`.
    #[inline(always)]
    pub fn last(self, u: &A) -> A::Bit {
        u.ask(("last", 0, &["last"]), |v| v.last == 1)
    }

    /// Where `dist` is this number.
    #[inline(always)]
    pub fn dist_is(self, u: &A, dist: usize) -> A::Bit {
        u.ask(("dist", dist as isize, &["dist"]), |v| usize::from(v.dist) == dist)
    }

    /// Whether `u_i` is a border.
    #[inline]
    pub fn is_border(self, i: usize) -> A::Bit {
        let psi = self.psi;
        self.at(i).ask(("border", 0, &["dist"]), |v| v.dist == 0 || usize::from(v.dist) == psi)
    }

    /// Where the agent has a token of this colour with this property, which has a name.
    #[inline(always)]
    fn token(self, u: &A, c: usize, name: &'static str, holds: impl Fn(Token) -> bool) -> A::Bit {
        u.ask((name, 0, TOKEN[c]), |v| v.token[c].is_some_and(&holds))
    }

    /// Where the agent has a token of this colour.
    #[inline]
    pub fn has_token(self, u: &A, c: usize) -> A::Bit {
        self.token(u, c, "token", |_| true)
    }

    /// Where it moves right.
    pub fn moves_right(self, u: &A, c: usize) -> A::Bit {
        self.token(u, c, "right", |z| z.pos > 0)
    }

    /// Where it is next to its target, which is on the right.
    pub fn arrives(self, u: &A, c: usize) -> A::Bit {
        self.token(u, c, "arrives", |z| z.pos == 1)
    }

    /// Where it is valid.
    #[inline]
    pub fn has_valid_token(self, u: &A, c: usize) -> A::Bit {
        u.ask(("valid", 0, DIST_AND_TOKEN[c]), |v| self.valid_token(v, c).is_some())
    }

    #[inline(always)]
    fn valid_token(self, v: &State, c: usize) -> Option<Token> {
        let d = if c == BLACK { 0 } else { self.psi };
        v.token[c].filter(|&z| valid(self.psi as u8, v.dist, z, d as u8))
    }

    // --- Section 3.1: the embedded string -----------------------------------------------------------------

    /// Equation (1) at two neighbours: `dist` is 0 at leaders and counts modulo 2 psi elsewhere.
    #[inline]
    fn follows(self, l: &A, r: &A) -> A::Bit {
        let two_psi = 2 * self.psi;
        let dist = l.cases(("dist", 0, &["dist"]), 0..two_psi as isize, |v| Some(v.dist.into()));
        let counts = all(dist.map(|(d, here)| implies(here, || self.dist_is(r, (d as usize + 1) % two_psi))));
        r.leader().select(self.dist_is(r, 0), counts)
    }

    /// Equation (1).
    pub fn eq_dist(self) -> A::Bit {
        all((0..self.n()).map(|i| self.is_followed(i)))
    }

    /// Equation (1) at `u_i` and `u_{i+1}`.
    #[inline]
    fn is_followed(self, i: usize) -> A::Bit {
        self.follows(&self.config[i], self.at(i + 1))
    }

    /// `iota` of the psi agents from `to` is that of the psi agents from `from`, plus 1 modulo 2^psi.
    #[inline]
    fn successive(self, from: usize, to: usize) -> A::Bit {
        let mut carry = A::Bit::ONE;
        all((0..self.psi).map(|x| {
            let (b, carried) = (self.b(from + x), carry);
            carry = carried & b;
            same(self.b(to + x), b ^ carried)
        }))
    }

    /// Perfect: equations (1) and (2). Given (1), a segment next to no leader has psi agents and so has the one before it.
    pub fn perfect(self) -> A::Bit {
        let (n, psi) = (self.n(), self.psi);
        let led = |i: usize| any((0..=psi).map(|j| self.at(i + j).leader()));
        let succeeds = |i: usize| implies(self.is_border(i), || led(i) | self.successive(i + psi * n - psi, i));
        and(self.eq_dist(), || all((0..n).map(succeeds)))
    }

    // --- Section 4.1: distances, IDs and tokens, counted from the leader ------------------------------------

    /// A condition of S_PL. Those on `dist`, `last`, IDs and tokens speak of `u_0` as the leader whether it is one or not.
    pub fn has(self, condition: Condition, u_0: usize) -> A::Bit {
        match condition {
            Condition::Dist => all(self.dists_right(u_0)),
            Condition::OneLeader => leads_alone(self.config, u_0),
            Condition::Last => all(self.lasts_right(u_0)),
            Condition::Peace => peace(self.config),
            Condition::Risky if self.zeta() == 1 => A::Bit::ONE,
            Condition::Risky => !any((0..self.psi).map(|i| self.has_risky_token(u_0, i))),
            Condition::Ids => all((0..self.pairs()).map(|i| self.ids_right(u_0, i))),
            Condition::Tokens => self.tokens_correct(u_0, 0..self.pairs()),
        }
    }

    /// Where `dist` is right, for each agent from `u_0` on.
    #[inline]
    fn dists_right(self, u_0: usize) -> impl Iterator<Item = A::Bit> {
        self.from(u_0).zip((0..2 * self.psi).cycle()).map(move |(u, dist)| self.dist_is(u, dist))
    }

    /// Where `last` is right, for each agent from `u_0` on.
    #[inline]
    fn lasts_right(self, u_0: usize) -> impl Iterator<Item = A::Bit> {
        let right = move |(u, i): (&A, usize)| same(self.last(u), A::Bit::constant(self.in_last(i)));
        self.from(u_0).zip(0..self.n()).map(right)
    }

    /// Where the ID of `S_{i+1}` is that of `S_i` plus 1.
    #[inline]
    fn ids_right(self, u_0: usize, i: usize) -> A::Bit {
        let start = u_0 + i * self.psi;
        self.successive(start, start + self.psi)
    }

    /// The configurations with all of these conditions.
    pub fn has_all(self, conditions: impl IntoIterator<Item = Condition>, u_0: usize) -> A::Bit {
        all(conditions.into_iter().map(|condition| self.has(condition, u_0)))
    }

    /// C_DL with leader `u_0`.
    pub fn c_dl(self, u_0: usize) -> A::Bit {
        self.has_all(Condition::ALL.into_iter().take(4), u_0)
    }

    /// S_PL with leader `u_0`, where no token is risky if `zeta = 1`.
    pub fn s_pl(self, u_0: usize) -> A::Bit {
        self.has_all(Condition::ALL, u_0)
    }

    /// S_PL read literally, with `S_0` the whole ring if `zeta = 1`: then no token moves right.
    pub fn s_pl_literal(self, u_0: usize) -> A::Bit {
        let right = |u: &A| self.moves_right(u, BLACK) | self.moves_right(u, WHITE);
        self.s_pl(u_0) & if self.zeta() == 1 { !any(self.config.iter().map(right)) } else { A::Bit::ONE }
    }

    /// Whether the agent at distance `i` from the leader belongs to the last segment.
    #[must_use]
    #[inline]
    pub fn in_last(self, i: usize) -> bool {
        i >= self.psi * (self.zeta() - 1)
    }

    /// Definition "risky", for the tokens of the agent at distance `i` from `u_0`, where `zeta > 1`.
    fn has_risky_token(self, u_0: usize, i: usize) -> A::Bit {
        let inside = (self.psi - i) as isize;
        let risky = |c: usize| {
            let question = ("risky", inside, TOKEN[c]);
            self.at(u_0 + i).ask(question, |v| v.token[c].is_some_and(|z| 0 < z.pos && isize::from(z.pos) < inside))
        };
        risky(BLACK) | risky(WHITE)
    }

    /// The valid tokens that work for `(S_i, S_{i+1})` are correct, for these `i`.
    pub fn tokens_correct(self, u_0: usize, pairs: Range<usize>) -> A::Bit {
        let each = (0..self.n()).flat_map(|k| [(k, BLACK), (k, WHITE)]);
        all(each.map(|(k, c)| self.token_correct(u_0, &pairs, k, c)))
    }

    /// The same for the token of one colour at distance `k` from `u_0`.
    #[inline]
    fn token_correct(self, u_0: usize, pairs: &Range<usize>, k: usize, c: usize) -> A::Bit {
        let psi = self.psi as isize;
        let places = (1 - psi..=psi).filter(|&pos| pos != 0);
        let u = self.at(u_0 + k);
        let valid =
            u.cases(("valid at", 0, DIST_AND_TOKEN[c]), places, |v| self.valid_token(v, c).map(|z| z.pos.into()));
        let right = |(pos, here): (isize, A::Bit)| match (self.working_for(k, pos), self.round(k, pos)) {
            (i, Some(x)) if pairs.contains(&i) => implies(here, || self.token_is(u, c, self.correct(u_0, i, x))),
            _ => A::Bit::ONE,
        };
        all(valid.map(right))
    }

    /// Where the token has this bit and this carry.
    fn token_is(self, u: &A, c: usize, (bit, carry): (A::Bit, A::Bit)) -> A::Bit {
        same(self.token(u, c, "bit", |z| z.bit == 1), bit) & same(self.token(u, c, "carry", |z| z.carry == 1), carry)
    }

    /// Definition "correct": the bit and the carry of a token in round `x` for `(S_i, S_{i+1})`.
    pub(super) fn correct(self, u_0: usize, i: usize, x: usize) -> (A::Bit, A::Bit) {
        let b = |k: usize| self.b(u_0 + i * self.psi + k);
        let ones = all((0..x).map(b));
        (b(x) ^ ones, ones & b(x))
    }

    /// The index of the target `T(z)` of a token of the agent at distance `k` from the leader, counted from there.
    fn target(self, k: usize, pos: isize) -> usize {
        (k as isize + pos).rem_euclid(self.n() as isize) as usize
    }

    /// The `i` such that a valid token works for `(S_i, S_{i+1})`.
    #[must_use]
    pub fn working_for(self, k: usize, pos: isize) -> usize {
        let segment = self.target(k, pos) / self.psi;
        if pos > 0 { (segment + self.zeta() - 1) % self.zeta() } else { segment }
    }

    /// The round of a valid token; every one that works for `(S_i, S_{i+1})` has one in C_DL.
    #[must_use]
    pub fn round(self, k: usize, pos: isize) -> Option<usize> {
        let offset = self.target(k, pos) % self.psi;
        if pos > 0 { Some(offset) } else { offset.checked_sub(1) }
    }
}

// --- On plain states ------------------------------------------------------------------------------------------

/// A maximal run of agents from one border up to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The index of its border.
    pub start: usize,
    /// The number of agents.
    pub length: usize,
}

/// A token and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Located {
    /// The index of the agent that carries it.
    pub agent: usize,
    /// [`BLACK`] or [`WHITE`].
    pub colour: usize,
    /// The token.
    pub token: Token,
}

impl Sets<'_> {
    /// The indices of all leaders.
    #[must_use]
    pub fn leaders(self) -> Vec<usize> {
        (0..self.n()).filter(|&i| self.at(i).leader == 1).collect()
    }

    /// C_PB.
    #[must_use]
    pub fn in_c_pb(self) -> bool {
        in_c_pb(self.config)
    }

    /// The first leader: `u_0` of Section 4, if there is only one.
    fn u_0(self) -> Option<usize> {
        self.config.iter().position(|v| v.leader == 1)
    }

    /// C_DL.
    #[must_use]
    pub fn in_c_dl(self) -> bool {
        self.u_0().is_some_and(|u_0| self.c_dl(u_0))
    }

    /// S_PL.
    #[must_use]
    pub fn in_s_pl(self) -> bool {
        self.u_0().is_some_and(|u_0| self.s_pl(u_0))
    }

    /// S_PL read literally.
    #[must_use]
    pub fn in_s_pl_literal(self) -> bool {
        self.u_0().is_some_and(|u_0| self.s_pl_literal(u_0))
    }

    /// All segments in the order of their starts; none if there is no border.
    #[must_use]
    pub fn segments(self) -> Vec<Segment> {
        let borders: Vec<usize> = (0..self.n()).filter(|&i| self.is_border(i)).collect();
        let end = |k: usize| borders.get(k + 1).copied().unwrap_or(borders[0] + self.n());
        (0..borders.len()).map(|k| Segment { start: borders[k], length: end(k) - borders[k] }).collect()
    }

    pub(super) fn bits(self, segment: Segment) -> impl ExactSizeIterator<Item = u8> + DoubleEndedIterator {
        (segment.start..segment.start + segment.length).map(move |i| self.at(i).b)
    }

    /// `iota(S) mod 2^psi`, and whether `iota(S)` is larger (a segment longer than psi may be).
    fn iota(self, segment: Segment) -> (u64, bool) {
        let low = self.bits(segment).take(self.psi).enumerate().map(|(j, b)| u64::from(b) << j).sum();
        (low, self.bits(segment).skip(self.psi).any(|b| b == 1))
    }

    /// Equation (2) whether (1) holds or not: each ID is its predecessor's plus 1 modulo 2^psi, except next to a leader.
    #[must_use]
    pub fn eq_seg(self) -> bool {
        self.wrong_id().is_none()
    }

    /// The first segment whose ID is not as equation (2) asks, and the one before it.
    fn wrong_id(self) -> Option<(Segment, Segment)> {
        let segments = self.segments();
        let successor = |segment: Segment| (self.iota(segment).0 + 1) % (1 << self.psi);
        let pairs = (0..segments.len()).map(|k| (segments[k], segments[(k + segments.len() - 1) % segments.len()]));
        let mut unled = pairs.filter(|(Segment { start, length }, _)| {
            self.at(*start).leader == 0 && self.at(start + length).leader == 0
        });
        unled.find(|&(segment, previous)| self.iota(segment) != (successor(previous), false))
    }

    /// Equation (1) holds, and `last` is 1 exactly in the segments that a leader follows.
    #[must_use]
    pub fn good(self) -> bool {
        self.eq_dist() && self.wrong_last().is_none()
    }

    /// The first agent whose `last` does not say whether a leader follows its segment.
    fn wrong_last(self) -> Option<usize> {
        self.segments().into_iter().find_map(|Segment { start, length }| {
            let followed = self.at(start + length).leader;
            (start..start + length).find(|&i| self.at(i).last != followed)
        })
    }

    /// Every token, by agent, black before white.
    pub fn tokens(self) -> impl Iterator<Item = Located> {
        let at = move |agent: usize, colour: usize| {
            self.config[agent].token[colour].map(|token| Located { agent, colour, token })
        };
        (0..self.n()).flat_map(move |agent| [at(agent, BLACK), at(agent, WHITE)]).flatten()
    }

    /// Definition "invalid": whether the token is on its trajectory, by `dist`.
    #[must_use]
    pub fn is_valid(self, z: Located) -> bool {
        self.has_valid_token(self.at(z.agent), z.colour)
    }

    /// The distance from `u_0` of the agent that has this token, and where the target is from there.
    pub(super) fn place(self, u_0: usize, z: Located) -> (usize, isize) {
        ((z.agent + self.n() - u_0) % self.n(), z.token.pos.into())
    }

    /// Definition "risky", with `S_0` the whole ring if `zeta = 1`.
    #[must_use]
    pub fn is_risky(self, u_0: usize, z: Located) -> bool {
        let (k, pos) = self.place(u_0, z);
        pos > 0 && (self.zeta() == 1 || k as isize + pos < self.psi as isize)
    }

    /// The truth of every set and predicate, by name.
    #[must_use]
    pub fn facts(self) -> Vec<(Text, Value)> {
        let leaders = self.leaders();
        let segments = self.segments();
        let u_0 = self.u_0().filter(|_| leaders.len() == 1);
        let c_dl = self.in_c_dl();
        named([
            ("n", self.n().into()),
            ("psi", self.psi.into()),
            ("zeta", self.zeta().into()),
            ("L1", (leaders.len() == 1).into()),
            ("Lge1", (!leaders.is_empty()).into()),
            ("eq_dist", self.eq_dist().into()),
            ("eq_seg", self.eq_seg().into()),
            ("perfect", self.perfect().into()),
            ("good", self.good().into()),
            ("peaceful", self.peaceful_fact()),
            ("C_PB", self.in_c_pb().into()),
            ("C_DL", c_dl.into()),
            ("S_PL", self.in_s_pl().into()),
            ("S_PL_literal", self.in_s_pl_literal().into()),
            ("d_LL", self.distances(&leaders, |from, to| (to + self.n() - from) % self.n()).into()),
            ("d_RL", self.distances(&leaders, |from, to| (from + self.n() - to) % self.n()).into()),
            ("number_of_segments", segments.len().into()),
            ("segments", segments.into_iter().map(|s| self.segment_fact(s)).collect::<Vec<_>>().into()),
            ("tokens", self.tokens().map(|z| self.token_fact(z, u_0, c_dl)).collect::<Vec<_>>().into()),
            ("why", why_not(self.why())),
            ("leaders", leaders.into()),
        ])
    }

    /// For every set that the configuration is not in, the first part that fails, and where.
    fn why(self) -> [(&'static str, Option<String>); 10] {
        let lone = |u_0: usize| leads_alone(self.config, u_0);
        let leaders = (!self.u_0().is_some_and(lone)).then(|| number_of_leaders(&self.leaders()));
        let u_0 = self.u_0().unwrap_or(0);
        let dist = (0..self.n()).find(|&i| !self.is_followed(i)).map(|i| self.unfollowed(i));
        let id = self.wrong_id().map(|(segment, previous)| {
            let [id, before] = [segment, previous].map(|one| self.iota(one).0);
            format!(
                "the ID {id} of the segment at u_{} does not follow {before}, that of the one before",
                segment.start
            )
        });
        let last = self.wrong_last().map(|i| {
            let follows = if self.at(i).last == 1 { "no leader follows" } else { "a leader follows" };
            format!("u_{}.last is {}, but {follows} its segment", i % self.n(), self.at(i).last)
        });
        let broken = |conditions: usize| {
            let first = Condition::ALL.into_iter().take(conditions);
            leaders.clone().or_else(|| first.into_iter().find_map(|condition| self.flaw(condition, u_0)))
        };
        let right = |z: &Located| self.zeta() == 1 && z.token.pos > 0;
        let literal =
            self.tokens().find(right).map(|z| format!("the token of u_{} moves right, and S_0 is the ring", z.agent));
        [
            ("L1", leaders.clone()),
            ("Lge1", self.u_0().is_none().then(|| number_of_leaders(&[]))),
            ("perfect", dist.clone().or_else(|| id.clone())),
            ("good", dist.clone().or(last)),
            ("eq_dist", dist),
            ("eq_seg", id),
            ("C_PB", outside_c_pb(self.config)),
            ("C_DL", broken(4)),
            ("S_PL", broken(7)),
            ("S_PL_literal", broken(7).or(literal)),
        ]
    }

    fn unfollowed(self, i: usize) -> String {
        let (l, r, j) = (self.at(i), self.at(i + 1), (i + 1) % self.n());
        match r.leader {
            1 => format!("u_{j} is a leader with dist {}, not 0", r.dist),
            _ => format!("u_{j}.dist is {}, after {} at u_{i}", r.dist, l.dist),
        }
    }

    /// Where a condition of S_PL is broken, if it is.
    fn flaw(self, condition: Condition, u_0: usize) -> Option<String> {
        if self.has(condition, u_0) {
            return None;
        }
        let u = |k: usize| (u_0 + k) % self.n();
        let said = match condition {
            Condition::Dist => {
                let k = first(self.dists_right(u_0));
                format!("u_{}.dist is {}, not {}", u(k), self.at(u(k)).dist, k % (2 * self.psi))
            }
            Condition::OneLeader => number_of_leaders(&self.leaders()),
            Condition::Last => {
                let k = first(self.lasts_right(u_0));
                format!("u_{}.last is {}, not {}", u(k), self.at(u(k)).last, u8::from(self.in_last(k)))
            }
            Condition::Peace => outside_c_pb(self.config)?,
            Condition::Risky => {
                let k = first((0..self.psi).map(|k| !self.has_risky_token(u_0, k)));
                format!("a token of u_{} is risky", u(k))
            }
            Condition::Ids => {
                let i = first((0..self.pairs()).map(|i| self.ids_right(u_0, i)));
                format!("the ID of S_{} is not that of S_{i} plus 1", i + 1)
            }
            Condition::Tokens => {
                let each = (0..self.n()).flat_map(|k| [(k, BLACK), (k, WHITE)]);
                let k = first(each.map(|(k, c)| self.token_correct(u_0, &(0..self.pairs()), k, c)));
                format!("a token of u_{} is not correct", u(k / 2))
            }
        };
        Some(said)
    }

    /// The distance from each agent to the nearest leader on one side, in time linear in n: each leader hands
    /// its distance on to the agents up to the next one.
    fn distances(self, leaders: &[usize], measure: impl Fn(usize, usize) -> usize) -> Vec<Option<usize>> {
        let mut nearest: Vec<Option<usize>> = vec![None; self.n()];
        let Some(&first) = leaders.first() else { return nearest };
        let ahead = measure(first, first + 1) == 1;
        let mut leader = first;
        for k in 0..self.n() {
            let i = if ahead { first + k } else { first + self.n() - k } % self.n();
            leader = if self.at(i).leader == 1 { i } else { leader };
            nearest[i] = Some(measure(leader, i));
        }
        nearest
    }

    fn peaceful_fact(self) -> Value {
        let live = peaceful(self.config).filter(|&(i, _)| self.config[i].live());
        Value::map(live.map(|(i, peaceful)| (i.to_string(), peaceful.into())))
    }

    fn segment_fact(self, segment: Segment) -> Value {
        vec![segment.start.into(), segment.length.into(), Value::from_bits(self.bits(segment))].into()
    }

    fn token_fact(self, z: Located, u_0: Option<usize>, c_dl: bool) -> Value {
        let Token { pos, bit, carry } = z.token;
        let mut fact = vec![
            ("agent", z.agent.into()),
            ("token", if z.colour == BLACK { "tokenB" } else { "tokenW" }.into()),
            ("value", vec![Value::from(pos), bit.into(), carry.into()].into()),
            ("valid", self.is_valid(z).into()),
        ];
        if let Some(u_0) = u_0 {
            let (k, pos) = self.place(u_0, z);
            let (i, x) = (self.is_valid(z).then(|| self.working_for(k, pos)), self.round(k, pos));
            fact.extend([("risky", self.is_risky(u_0, z).into()), ("working_for", i.into())]);
            if let (Some(i), Some(x)) = (i.filter(|&i| i < self.pairs() && c_dl), x) {
                let correct = self.token_is(self.at(z.agent), z.colour, self.correct(u_0, i, x));
                fact.extend([("round", x.into()), ("correct", correct.into())]);
            }
        }
        Value::map(fact)
    }
}

/// The first that is not right.
fn first(mut right: impl Iterator<Item = bool>) -> usize {
    right.position(|right| !right).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Params;
    use crate::protocol::{Protocol, Transition, uniform};
    use crate::protocols::ppl::{Ppl, starts};
    use crate::random::{Generator, Stream, below, index, stream};
    use crate::ring::{Orientation, Ring};

    fn lab(n: usize, psi: u64, kappa: u64) -> (Ring, Ppl) {
        let ring = Ring::new(n, Orientation::Directed).unwrap();
        let params = Params::default().with("psi", psi).with("kappa", kappa).with("unsound", 1);
        (ring, Ppl::new(ring, &params).unwrap())
    }

    /// One random single-variable change: near misses of a set are where its predicate is decided.
    fn nudge(ppl: &Ppl, config: &mut [State], generator: &mut Generator) {
        let variables = ppl.variables();
        let (i, k) = (index(generator, config.len()), index(generator, variables.0.len()));
        variables.0[k].randomise(&mut config[i], generator);
    }

    /// `d_LL(i)`, or with the other sign `d_RL(i)`: the distance to the nearest leader on that side; `None` is infinity.
    fn distance(config: &[State], i: usize, sign: isize) -> Option<usize> {
        let at = |j: usize| (i as isize + sign * j as isize).rem_euclid(config.len() as isize) as usize;
        (0..config.len()).find(|&j| config[at(j)].leader == 1)
    }

    /// `Peaceful(i)` straight from its definition.
    fn peaceful_by_definition(config: &[State], i: usize) -> bool {
        let left = |j: usize| &config[(i + config.len() - j) % config.len()];
        let quiet = |most: usize| (0..=most).all(|j| left(j).signal_b == 0);
        match distance(config, i, -1) {
            Some(d) => left(d).shield == 1 && quiet(d),
            None => quiet(config.len() - 1),
        }
    }

    /// C_PB straight from its definition.
    fn c_pb_by_definition(config: &[State]) -> bool {
        let led = config.iter().any(|v| v.leader == 1);
        led && (0..config.len()).all(|i| config[i].bullet != 2 || peaceful_by_definition(config, i))
    }

    /// S_PL straight from its definition: C_DL, IDs as numbers, and every token looked at by itself.
    fn s_pl_by_definition(ppl: &Ppl, config: &[State]) -> bool {
        let (n, psi, sets) = (config.len(), usize::from(ppl.psi), ppl.sets(config));
        let (zeta, leaders) = (n.div_ceil(psi), sets.leaders());
        let &[u_0] = &leaders[..] else { return false };
        let u = |i: usize| &config[(u_0 + i) % n];
        let id = |i: usize| (0..psi).map(|j| u32::from(u(i * psi + j).b) << j).sum::<u32>();
        let c_dl = c_pb_by_definition(config)
            && (0..n).all(|i| usize::from(u(i).dist) == i % (2 * psi) && (u(i).last == 1) == (i / psi == zeta - 1));
        let ids = (2..zeta).all(|i| id(i - 1) == (id(i - 2) + 1) % (1 << psi));
        let right = |z: Located| {
            let k = (z.agent + n - u_0) % n;
            let target = (k + n).strict_add_signed(isize::from(z.token.pos)) % n;
            if z.token.pos > 0 && zeta > 1 && k + (z.token.pos as usize) < psi {
                return false;
            }
            let valid = valid(ppl.psi, u(k).dist, z.token, if z.colour == BLACK { 0 } else { ppl.psi });
            let segment = if z.token.pos > 0 { (target / psi + zeta - 1) % zeta } else { target / psi };
            if !valid || segment + 2 >= zeta {
                return true;
            }
            let x = if z.token.pos > 0 { target % psi } else { target % psi - 1 };
            let (before, after) = (id(segment), (id(segment) + 1) % (1 << psi));
            let carry = (0..=x).all(|j| before >> j & 1 == 1);
            u32::from(z.token.bit) == after >> x & 1 && (z.token.carry == 1) == carry
        };
        c_dl && ids && sets.tokens().all(right)
    }

    #[test]
    fn one_pass_forms_equal_their_definitions() {
        let mut generator = stream(11, Stream::Start);
        let mut members = [0; 3];
        for k in 0..20_000 {
            let (ring, ppl) = lab(3 + k % 13, 2 + (k as u64) % 3, 2);
            let mut config = starts::safe(&ppl, ring, &mut generator);
            (0..k % 5 * (k % 7)).for_each(|_| nudge(&ppl, &mut config, &mut generator));
            let sets = ppl.sets(&config);
            let found = [sets.in_c_pb(), sets.in_s_pl(), sets.perfect()];
            let defined =
                [c_pb_by_definition(&config), s_pl_by_definition(&ppl, &config), sets.eq_dist() && sets.eq_seg()];
            assert_eq!(found, defined, "psi {}: {config:?}", ppl.psi);
            let live = (0..ring.n()).filter(|&i| config[i].bullet == 2);
            let peaceful = Value::map(live.map(|i| (i.to_string(), peaceful_by_definition(&config, i).into())));
            let d_ll: Vec<_> = (0..ring.n()).map(|i| distance(&config, i, -1)).collect();
            let d_rl: Vec<_> = (0..ring.n()).map(|i| distance(&config, i, 1)).collect();
            let facts = Value::map(sets.facts());
            assert_eq!(facts.get("peaceful"), Some(&peaceful), "{config:?}");
            assert_eq!(facts.get("d_LL"), Some(&d_ll.into()), "{config:?}");
            assert_eq!(facts.get("d_RL"), Some(&d_rl.into()), "{config:?}");
            (0..3).for_each(|set| members[set] += usize::from(found[set]));
        }
        assert!(members.iter().all(|of| (4_000..18_000).contains(of)), "{members:?} of 20000 do not discriminate");
    }

    /// A set has a reason exactly where the configuration is not in it.
    #[test]
    fn what_does_not_hold_has_a_reason() {
        let (mut generator, mut reasons) = (stream(16, Stream::Start), std::collections::BTreeSet::new());
        for k in 0..20_000 {
            let (ring, ppl) = lab(3 + k % 13, 2 + (k as u64) % 3, 2);
            let mut config = starts::safe(&ppl, ring, &mut generator);
            (0..k % 4).for_each(|_| nudge(&ppl, &mut config, &mut generator));
            let facts = Value::map(ppl.sets(&config).facts());
            for (name, why) in ppl.sets(&config).why() {
                assert_eq!(facts.get(name), Some(&why.is_none().into()), "{name}: {why:?} {config:?}");
                reasons.extend(why.map(|why| why.replace(|c: char| c.is_ascii_digit(), "")));
            }
        }
        assert!(reasons.len() >= 14, "{reasons:#?}");
    }

    /// The agent and the value that are wrong, changed by hand in a safe ring of three segments with leader `u_0`.
    #[test]
    fn reasons_name_what_is_wrong_and_where() {
        let (ring, ppl) = lab(9, 3, 2);
        let agent = |i: usize| State {
            leader: u8::from(i == 0),
            dist: (i % 6) as u8,
            last: u8::from(i >= 6),
            b: u8::from(i == 3),
            ..State::default()
        };
        let safe: Vec<State> = (0..ring.n()).map(agent).collect();
        let why = |set: &str, change: fn(&mut [State])| {
            let mut config = safe.clone();
            change(&mut config);
            let why = ppl.sets(&config).why().into_iter().find(|(name, _)| *name == set);
            why.and_then(|(_, why)| why).unwrap_or_default()
        };
        assert_eq!(why("S_PL", |_| ()), "");
        assert_eq!(why("S_PL", |u| u[4].dist = 2), "u_4.dist is 2, not 4");
        assert_eq!(why("eq_dist", |u| u[4].dist = 2), "u_4.dist is 2, after 3 at u_3");
        assert_eq!(why("C_DL", |u| u[7].last = 0), "u_7.last is 0, not 1");
        assert_eq!(why("good", |u| u[1].last = 1), "u_1.last is 1, but no leader follows its segment");
        assert_eq!(why("S_PL", |u| u[5].leader = 1), "there are 2 leaders: u_0, u_5");
        assert_eq!(why("C_PB", |u| u[0].leader = 0), "there is no leader");
        assert_eq!(why("S_PL", |u| u[8].bullet = 2), "the live bullet of u_8 is not peaceful");
        assert_eq!(why("S_PL", |u| u[4].b = 1), "the ID of S_1 is not that of S_0 plus 1");
        assert_eq!(
            why("perfect", |u| u[4].b = 1),
            "the ID 3 of the segment at u_3 does not follow 0, that of the one before"
        );
        let risky = |u: &mut [State]| u[1].token[BLACK] = Some(Token { pos: 1, bit: 0, carry: 0 });
        assert_eq!(why("S_PL", risky), "a token of u_1 is risky");
        // It brings the lowest bit of the ID 0 plus 1, which is 1, from the first to the second segment.
        let wrong = |u: &mut [State]| u[0].token[BLACK] = Some(Token { pos: 3, bit: 0, carry: 0 });
        assert_eq!(why("S_PL", wrong), "a token of u_0 is not correct");
    }

    /// A token in the first segment with its target in it as well keeps a configuration out of S_PL by itself.
    #[test]
    fn a_risky_token_is_not_in_s_pl() {
        let (mut generator, mut alone) = (stream(15, Stream::Start), 0);
        for (psi, n) in (2..=5).flat_map(|psi| (psi + 1..=4 * psi).map(move |n| (psi, n))) {
            let (ring, ppl) = lab(n, psi as u64, 1);
            let safe = starts::safe(&ppl, ring, &mut generator);
            let u_0 = ppl.sets(&safe).leaders()[0];
            for (i, pos) in (0..psi).flat_map(|i| (1..psi - i).map(move |pos| (i, pos))) {
                for (colour, bits) in [(BLACK, 0), (BLACK, 3), (WHITE, 1), (WHITE, 2)] {
                    let mut config = safe.clone();
                    let token = Token { pos: pos as i8, bit: bits & 1, carry: bits >> 1 };
                    config[(u_0 + i) % n].token[colour] = Some(token);
                    assert!(!ppl.is_safe(&config), "n {n} psi {psi}, distance {i}: {token:?}");
                    let others = Condition::ALL.into_iter().filter(|condition| *condition != Condition::Risky);
                    alone += usize::from(ppl.sets(&config).has_all(others, u_0));
                }
            }
        }
        assert!(alone > 500, "{alone} times nothing else was wrong");
    }

    /// Figures of the paper: S_PL is not empty and sampled members stay inside under every interaction, for
    /// sizes with n <= psi, n not a multiple of psi, and n = 2 psi k. Outputs and `b` never change.
    #[test]
    fn lemma_safe_s_pl_is_closed_on_sampled_members() {
        let mut generator = stream(12, Stream::Start);
        for psi in 2..=7 {
            for n in 3..=40 {
                let (ring, ppl) = lab(n, psi, 1 + below(&mut generator, 3));
                for _ in 0..20 {
                    let config = starts::safe(&ppl, ring, &mut generator);
                    assert!(ppl.is_safe(&config), "not in S_PL: n {n} psi {psi} {config:?}");
                    for i in 0..n {
                        let (mut next, e) = (config.clone(), ring.e(i));
                        let [l, r] = next.get_disjoint_mut([e.initiator, e.responder]).unwrap();
                        ppl.interact(l, r, crate::protocol::Input::default());
                        assert!(ppl.is_safe(&next), "left S_PL by e_{i}: n {n} psi {psi} {config:?}");
                        assert!((0..n).all(|j| (next[j].leader, next[j].b) == (config[j].leader, config[j].b)));
                    }
                }
            }
        }
    }

    #[test]
    fn lemma_c_pb_is_closed_on_sampled_members() {
        let mut generator = stream(13, Stream::Start);
        let mut members = 0;
        for k in 0..40_000 {
            let (ring, ppl) = lab(3 + k % 7, 2, 1);
            let config = uniform(&ppl, ring, &mut generator);
            if !ppl.sets(&config).in_c_pb() {
                continue;
            }
            members += 1;
            for i in 0..ring.n() {
                let (mut next, e) = (config.clone(), ring.e(i));
                let [l, r] = next.get_disjoint_mut([e.initiator, e.responder]).unwrap();
                ppl.interact(l, r, crate::protocol::Input::default());
                assert!(ppl.sets(&next).in_c_pb(), "left C_PB by e_{i}: {config:?}");
            }
        }
        assert!(members > 1000, "{members}");
    }

    /// Lemma "impossible", by enumeration of `dist` and `b` on leaderless rings; and with 2^psi < n it fails.
    #[test]
    fn lemma_impossible_no_leaderless_configuration_is_perfect() {
        let perfect_exists = |n: usize| {
            (0..1_u32 << n).any(|bits| {
                let agent = |i: usize| State { dist: (i % 4) as u8, b: (bits >> i & 1) as u8, ..State::default() };
                let config: Vec<State> = (0..n).map(agent).collect();
                Sets::new(2, &config).perfect()
            })
        };
        assert!(!perfect_exists(4));
        assert!(perfect_exists(8), "psi = 2, n = 8: four segments 0, 1, 2, 3 close the circle");
    }

    /// Lemma "get_peaceful": after seq_R(0, n) twice, no live bullet is unpeaceful.
    #[test]
    fn lemma_get_peaceful() {
        let mut generator = stream(14, Stream::Start);
        for k in 0..5_000 {
            let (ring, ppl) = lab(3 + k % 8, 3, 2);
            let mut config = uniform(&ppl, ring, &mut generator);
            for e in ring.seq_r(0, ring.n()).repeat(2) {
                let [l, r] = config.get_disjoint_mut([e.initiator, e.responder]).unwrap();
                ppl.interact(l, r, crate::protocol::Input::default());
            }
            assert!(peace(&config), "{config:?}");
        }
    }
}
