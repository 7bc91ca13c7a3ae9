//! The sets and predicates of Sections 3 and 4, on one configuration of P_PL.
//!
//! Names are the paper's. `u_0` is the unique leader wherever the paper assumes one: segments, `last`, rounds
//! and targets go by index from it, validity goes by `dist`. Where the paper leaves a choice, `paper/NOTES.md`
//! says which reading this is.

use super::{BLACK, State, Token, WHITE, War, valid};
use crate::blueprint::Blueprint;
use crate::protocol::Protocol;
use crate::value::{Text, Value, named};

/// A view of a configuration that answers which sets it belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Sets<'a> {
    psi: usize,
    config: &'a [State],
}

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

/// C_PB of any protocol that runs *EliminateLeaders*: a leader exists and every live bullet is peaceful.
#[must_use]
pub fn in_c_pb<S: War>(config: &[S]) -> bool {
    let first = config.iter().position(|v| v.warrior().leader == 1);
    first.is_some_and(|first| peace_from(config, first).all(|(i, peace)| peace || config[i].warrior().bullet != 2))
}

/// Adds C_PB as a phase to any protocol that runs *EliminateLeaders*.
#[must_use]
pub(crate) fn c_pb<P: Protocol<State: War>>(blueprint: Blueprint<P>) -> Blueprint<P> {
    blueprint.phase("C_PB", "a leader exists and every live bullet is peaceful", |_, config| in_c_pb(config))
}

/// `Peaceful(i)` for all agents in one pass around the ring that starts at a leader.
fn peace_from<S: War>(config: &[S], leader: usize) -> impl Iterator<Item = (usize, bool)> {
    let n = config.len();
    (leader..leader + n).scan(false, move |peace, i| {
        let v = config[i % n].warrior();
        *peace = v.signal_b == 0 && if v.leader == 1 { v.shield == 1 } else { *peace };
        Some((i % n, *peace))
    })
}

impl<'a> Sets<'a> {
    /// The sets of P_PL with this `psi` on a configuration of at least 3 agents.
    #[must_use]
    pub fn new(psi: u8, config: &'a [State]) -> Self {
        Self { psi: usize::from(psi), config }
    }

    /// The configuration.
    #[must_use]
    pub fn config(self) -> &'a [State] {
        self.config
    }

    /// `u_i`, with the index modulo n.
    #[must_use]
    pub fn at(self, i: usize) -> &'a State {
        &self.config[i % self.config.len()]
    }

    fn n(self) -> usize {
        self.config.len()
    }

    // --- Section 3: leaders and distances -----------------------------------------------------------------

    /// The indices of all leaders.
    #[must_use]
    pub fn leaders(self) -> Vec<usize> {
        (0..self.n()).filter(|&i| self.at(i).leader == 1).collect()
    }

    /// The index of the leader if there is exactly one: the `u_0` of Section 4.
    #[must_use]
    pub fn unique_leader(self) -> Option<usize> {
        let mut leaders = (0..self.n()).filter(|&i| self.at(i).leader == 1);
        let first = leaders.next();
        if leaders.next().is_none() { first } else { None }
    }

    /// `d_LL(i)`: the distance to the nearest left leader; `None` is infinity.
    #[must_use]
    pub fn d_ll(self, i: usize) -> Option<usize> {
        (0..self.n()).find(|&j| self.at(i + self.n() - j).leader == 1)
    }

    /// `d_RL(i)`: the distance to the nearest right leader; `None` is infinity.
    #[must_use]
    pub fn d_rl(self, i: usize) -> Option<usize> {
        (0..self.n()).find(|&j| self.at(i + j).leader == 1)
    }

    /// `zeta = ceil(n / psi)`.
    #[must_use]
    pub fn zeta(self) -> usize {
        self.n().div_ceil(self.psi)
    }

    // --- Section 3.1: the embedded string -----------------------------------------------------------------

    /// Equation (1): `dist` is 0 at leaders and counts modulo 2 psi elsewhere.
    #[must_use]
    pub fn eq_dist(self) -> bool {
        let follows = |l: &State, r: &State| {
            let expected = if r.leader == 1 || usize::from(l.dist) + 1 == 2 * self.psi { 0 } else { l.dist + 1 };
            r.dist == expected
        };
        (0..self.n()).all(|i| follows(self.at(i), self.at(i + 1)))
    }

    /// Whether `u_i` is a border.
    #[must_use]
    pub fn is_border(self, i: usize) -> bool {
        let dist = usize::from(self.at(i).dist);
        dist == 0 || dist == self.psi
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

    /// Equation (2): each ID is its predecessor's plus 1 modulo 2^psi, except next to a leader.
    #[must_use]
    pub fn eq_seg(self) -> bool {
        let segments = self.segments();
        let previous = |k: usize| segments[(k + segments.len() - 1) % segments.len()];
        (0..segments.len()).all(|k| {
            let Segment { start, length } = segments[k];
            self.at(start).leader == 1
                || self.at(start + length).leader == 1
                || self.iota(segments[k]) == (self.successor(previous(k)), false)
        })
    }

    fn successor(self, segment: Segment) -> u64 {
        (self.iota(segment).0 + 1) % (1 << self.psi)
    }

    /// No violation of equation (1) or (2).
    #[must_use]
    pub fn perfect(self) -> bool {
        self.eq_dist() && self.eq_seg()
    }

    /// Equation (1) holds, and `last` is 1 exactly in the segments that a leader follows.
    #[must_use]
    pub fn good(self) -> bool {
        self.eq_dist()
            && self.segments().into_iter().all(|Segment { start, length }| {
                let followed = self.at(start + length).leader;
                (start..start + length).all(|i| self.at(i).last == followed)
            })
    }

    // --- Section 4.1: bullets -----------------------------------------------------------------------------

    /// `Peaceful(i)`: the nearest left leader is shielded and no bullet-absence signal lies between.
    #[must_use]
    pub fn peaceful(self, i: usize) -> bool {
        let quiet = |most: usize| (0..=most).all(|j| self.at(i + self.n() - j).signal_b == 0);
        match self.d_ll(i) {
            Some(d) => self.at(i + self.n() - d).shield == 1 && quiet(d),
            None => quiet(self.n() - 1),
        }
    }

    /// C_PB: a leader exists and every live bullet is peaceful.
    #[must_use]
    pub fn in_c_pb(self) -> bool {
        in_c_pb(self.config)
    }

    // --- Section 4.1: distances, IDs and tokens, counted from the unique leader -----------------------------

    /// C_DL: in C_PB, one leader, and `dist` and `last` are right at every agent.
    #[must_use]
    pub fn in_c_dl(self) -> bool {
        // With one leader, dist is right exactly if equation (1) holds, which is quick to refute.
        let Some(u_0) = Some(self).filter(|sets| sets.eq_dist()).and_then(Self::unique_leader) else { return false };
        let border = self.psi * (self.zeta() - 1);
        (0..self.n()).all(|i| (self.at(u_0 + i).last == 1) == (i >= border)) && self.in_c_pb()
    }

    /// The segment `S_i` of Section 4.1, for `i <= zeta - 2`.
    fn s(self, u_0: usize, i: usize) -> Segment {
        Segment { start: u_0 + i * self.psi, length: self.psi }
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
        let d = if z.colour == BLACK { 0 } else { self.psi };
        valid(self.psi as u8, self.at(z.agent).dist, z.token, d as u8)
    }

    /// The index of the target `T(z)`, counted from `u_0`.
    fn target(self, u_0: usize, z: Located) -> usize {
        let n = self.n() as isize;
        (z.agent as isize - u_0 as isize + isize::from(z.token.pos)).rem_euclid(n) as usize
    }

    /// The `i` such that a valid token works for `(S_i, S_{i+1})`.
    #[must_use]
    pub fn working_for(self, u_0: usize, z: Located) -> Option<usize> {
        let segment = self.target(u_0, z) / self.psi;
        let i = if z.token.pos > 0 { (segment + self.zeta() - 1) % self.zeta() } else { segment };
        self.is_valid(z).then_some(i)
    }

    /// The round of a token that works for `(S_i, S_{i+1})` in C_DL.
    #[must_use]
    pub fn round(self, u_0: usize, z: Located) -> usize {
        let offset = self.target(u_0, z) % self.psi;
        if z.token.pos > 0 { offset } else { offset - 1 }
    }

    /// Definition "correct", for a token that works for `(S_i, S_{i+1})` with `i <= zeta - 3` in C_DL.
    #[must_use]
    pub fn is_correct(self, u_0: usize, i: usize, z: Located) -> bool {
        let x = self.round(u_0, z);
        let b = |k: usize| self.at(u_0 + i * self.psi + k).b;
        let j = (0..self.psi).find(|&k| b(k) == 0).unwrap_or(self.psi);
        z.token.bit == b(x) ^ u8::from(x <= j) && z.token.carry == u8::from(x < j)
    }

    /// Definition "risky", with `S_0` the whole ring if `zeta = 1`.
    #[must_use]
    pub fn is_risky(self, u_0: usize, z: Located) -> bool {
        let k = (z.agent + self.n() - u_0) % self.n();
        z.token.pos > 0 && (self.zeta() == 1 || k + (z.token.pos as usize) < self.psi)
    }

    /// Both conditions of S_PL on `S_0, ..., S_{zeta-2}`: consecutive IDs, and correct tokens.
    fn ids_and_tokens_right(self, u_0: usize) -> bool {
        let pairs = self.zeta().saturating_sub(2);
        let follows = |i: usize| self.iota(self.s(u_0, i + 1)).0 == self.successor(self.s(u_0, i));
        let right = |z: Located| match self.working_for(u_0, z) {
            Some(i) if i < pairs => self.is_correct(u_0, i, z),
            _ => true,
        };
        (0..pairs).all(follows) && self.tokens().all(right)
    }

    fn no_risky_token(self, u_0: usize) -> bool {
        !self.tokens().any(|z| self.is_risky(u_0, z))
    }

    /// S_PL, where no token is risky if `zeta = 1`.
    #[must_use]
    pub fn in_s_pl(self) -> bool {
        self.unique_leader().is_some_and(|u_0| {
            self.in_c_dl() && (self.zeta() == 1 || self.no_risky_token(u_0)) && self.ids_and_tokens_right(u_0)
        })
    }

    /// S_PL read literally, with `S_0` the whole ring if `zeta = 1`.
    #[must_use]
    pub fn in_s_pl_literal(self) -> bool {
        self.in_s_pl() && self.unique_leader().is_some_and(|u_0| self.no_risky_token(u_0))
    }

    // --- Everything at once -------------------------------------------------------------------------------

    /// The truth of every set and predicate, by name.
    #[must_use]
    pub fn facts(self) -> Vec<(Text, Value)> {
        let leaders = self.leaders();
        let segments = self.segments();
        let u_0 = self.unique_leader();
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
            ("peaceful", self.peaceful_fact(leaders.first().copied())),
            ("C_PB", self.in_c_pb().into()),
            ("C_DL", c_dl.into()),
            ("S_PL", self.in_s_pl().into()),
            ("S_PL_literal", self.in_s_pl_literal().into()),
            ("d_LL", self.distances(&leaders, |from, to| (to + self.n() - from) % self.n()).into()),
            ("d_RL", self.distances(&leaders, |from, to| (from + self.n() - to) % self.n()).into()),
            ("number_of_segments", segments.len().into()),
            ("segments", segments.into_iter().map(|s| self.segment_fact(s)).collect::<Vec<_>>().into()),
            ("tokens", self.tokens().map(|z| self.token_fact(z, u_0, c_dl)).collect::<Vec<_>>().into()),
            ("leaders", leaders.into()),
        ])
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

    fn peaceful_fact(self, leader: Option<usize>) -> Value {
        let mut peace: Vec<bool> = vec![self.config.iter().all(|v| v.signal_b == 0); self.n()];
        leader.into_iter().flat_map(|leader| peace_from(self.config, leader)).for_each(|(i, p)| peace[i] = p);
        let live = (0..self.n()).filter(|&i| self.at(i).bullet == 2);
        Value::map(live.map(|i| (i.to_string(), peace[i].into())))
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
            let i = self.working_for(u_0, z);
            fact.extend([("risky", self.is_risky(u_0, z).into()), ("working_for", i.into())]);
            if let Some(i) = i.filter(|i| i + 3 <= self.zeta() && c_dl) {
                fact.extend([("round", self.round(u_0, z).into()), ("correct", self.is_correct(u_0, i, z).into())]);
            }
        }
        Value::map(fact)
    }
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

    /// C_PB straight from its definition.
    fn c_pb_by_definition(sets: Sets<'_>) -> bool {
        !sets.leaders().is_empty() && (0..sets.n()).all(|i| sets.at(i).bullet != 2 || sets.peaceful(i))
    }

    #[test]
    fn one_pass_forms_equal_their_definitions() {
        let mut generator = stream(11, Stream::Start);
        let mut members = 0;
        for k in 0..20_000 {
            let (ring, ppl) = lab(3 + k % 9, 2 + (k as u64) % 3, 2);
            let mut config = starts::safe(&ppl, ring, &mut generator);
            (0..k % 25).for_each(|_| nudge(&ppl, &mut config, &mut generator));
            let sets = ppl.sets(&config);
            assert_eq!(sets.in_c_pb(), c_pb_by_definition(sets), "{config:?}");
            let live = (0..ring.n()).filter(|&i| config[i].bullet == 2);
            let peaceful = Value::map(live.map(|i| (i.to_string(), sets.peaceful(i).into())));
            let d_ll: Vec<_> = (0..ring.n()).map(|i| sets.d_ll(i)).collect();
            let d_rl: Vec<_> = (0..ring.n()).map(|i| sets.d_rl(i)).collect();
            let facts = Value::map(sets.facts());
            assert_eq!(facts.get("peaceful"), Some(&peaceful), "{config:?}");
            assert_eq!(facts.get("d_LL"), Some(&d_ll.into()), "{config:?}");
            assert_eq!(facts.get("d_RL"), Some(&d_rl.into()), "{config:?}");
            members += usize::from(sets.in_c_pb());
        }
        assert!((2_000..18_000).contains(&members), "{members} members of 20000: the sample does not discriminate");
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
            let sets = ppl.sets(&config);
            assert!((0..ring.n()).all(|i| config[i].bullet != 2 || sets.peaceful(i)), "{config:?}");
        }
    }
}
