//! Lemmas "impossible", "complete" and "srl_variant": what tokens and IDs do.

use ringleader::circuit::{Agent, Bit};
use ringleader::protocols::elim::sets::{in_c_pb, leads_alone};
use ringleader::protocols::ppl::sets::{Condition, Sets};
use ringleader::protocols::ppl::{BLACK, PplOf, State, WHITE};
use ringleader::ring::{Interaction, Ring};

use super::safe::{sets, settled, without};
use super::{About, Claim, Point, ppl};
use crate::query::{Decided, Query, Undecided, Verdict};
use crate::witness::{Subject, Witness};
use ringleader_notation::graph::Lit;

const IMPOSSIBLE: Claim = Claim {
    name: "impossible",
    place: "Lemma impossible",
    says: "a configuration without a leader is not perfect (the paper asks for n <= 2^psi)",
    about: About::NPsi,
    every: None,
    given: &[],
    canary: false,
    quick: [(3, 8), (3, 4)],
    decide: impossible,
};

pub(super) fn claims() -> Vec<Claim> {
    vec![
        IMPOSSIBLE,
        Claim {
            name: "impossible-unsound",
            says: "nor is it if n is a multiple of psi 2^psi (the paper does not say so; n is ignored)",
            about: About::Psi,
            canary: true,
            quick: [(8, 8), (2, 3)],
            decide: |query, point| impossible(query, Point { n: point.psi << point.psi, ..point }),
            ..IMPOSSIBLE
        },
        Claim {
            name: "complete",
            place: "Lemma complete",
            says: "during (seq_R(k,2psi-1) seq_L(k+2psi-1,2psi-1))^(2psi) with nothing in between (the paper allows it), whatever the modes, a new token of u_k completes its trajectory",
            about: About::Psi,
            quick: [(4, 4), (2, 3)],
            decide: |query, point| complete(query, point, 2 * point.psi),
            ..IMPOSSIBLE
        },
        Claim {
            name: "complete-tight",
            place: "Lemma complete",
            says: "2psi repetitions are tight for it: 2psi - 1 are not enough (the paper does not say so)",
            about: About::Psi,
            quick: [(4, 4), (2, 3)],
            decide: tight,
            ..IMPOSSIBLE
        },
        Claim {
            name: "srl_variant",
            place: "Lemma srl_variant",
            says: "the word of its proof, with nothing in between, leads P'_PL from C_PB with one leader into S_PL (the paper: from C_PB, whatever is in between, and how soon)",
            given: &["cpb_closed"],
            quick: [(3, 7), (2, 3)],
            decide: |query, point| srl_variant(query, point, false),
            ..IMPOSSIBLE
        },
        Claim {
            name: "srl_variant-no-risky-part",
            place: "Lemma srl_variant",
            says: "so does the word without seq_R(0,psi)^2 (the paper does not say so)",
            given: &["cpb_closed"],
            quick: [(3, 7), (2, 3)],
            canary: true,
            decide: |query, point| srl_variant(query, point, true),
            ..IMPOSSIBLE
        },
    ]
}

fn impossible(query: &mut Query<'_>, point: Point) -> Result<Decided, Undecided> {
    let ppl = ppl::<false>(point)?;
    let unrolling = ppl.unroll(|_, agent| agent.fix(&["leader"], &State::default()));
    let found = unrolling.find(query, &[sets(point, &unrolling.now).perfect()])?;
    let leaderless_and_perfect = |trace: &[Vec<State>]| {
        let sets = sets(point, &trace[0]);
        sets.perfect() && sets.leaders().is_empty()
    };
    Ok(ppl.confirm(found, &[], "perfect, without a leader", leaderless_and_perfect)?.into())
}

// --- Lemma complete -------------------------------------------------------------------------------------------

/// What *DetermineMode* sees, and so whatever decides the mode.
pub(super) const MODES: [&str; 4] = ["mode", "clock", "signalR", "hits"];

/// What is watched of the tokens of one colour at the 2psi agents `u_k, ..., u_{k+2psi-1}` of the lemma, which are the first of a ring.
struct Watched<B> {
    colour: usize,
    /// Where an agent holds a token that `u_k` generated on the way.
    fresh: Vec<B>,
    /// Where such a token has completed its trajectory.
    completed: B,
    /// Where all configurations so far are as the lemma demands.
    kept: B,
}

impl<B: Bit> Watched<B> {
    fn new(psi: usize, colour: usize) -> Self {
        Self { colour, fresh: vec![B::ZERO; 2 * psi], completed: B::ZERO, kept: B::ONE }
    }

    /// What an interaction of the word does, between these two configurations.
    fn watch<A: Agent<State = State, Bit = B>>(&mut self, before: Sets<'_, A>, after: Sets<'_, A>, e: Interaction) {
        let (l, r, c) = (e.initiator, e.responder, self.colour);
        let [l_had, r_had] = [l, r].map(|i| before.has_valid_token(before.at(i), c));
        let r_came = r_had & !before.moves_right(before.at(r), c);
        let l_fresh = if l == 0 { l_had.select(self.fresh[0], B::ONE) } else { self.fresh[l] & l_had };
        if r + 1 == self.fresh.len() {
            let arrives = !r_had & l_had & before.arrives(before.at(l), c);
            self.completed = self.completed | (arrives & self.fresh[l]);
        }
        let [l_has, r_has] = [l, r].map(|i| after.has_token(after.at(i), c));
        let r_fresh = self.fresh[r];
        self.fresh[l] = l_has & r_came.select(r_fresh, self.fresh[l]);
        self.fresh[r] = r_has & r_had.select(r_fresh, l_fresh);
        self.kept = self.kept & self.as_demanded(after, l) & self.as_demanded(after, r);
    }

    fn as_demanded<A: Agent<State = State, Bit = B>>(&self, sets: Sets<'_, A>, i: usize) -> B {
        let u = sets.at(i);
        sets.dist_is(u, usize::from(dist(self.fresh.len() / 2, self.colour, i))) & !sets.last(u)
    }

    /// Where the word was in vain.
    fn in_vain(&self) -> B {
        self.kept & !self.completed
    }
}

/// `dist` of the `i`-th agent of the lemma, for this colour.
fn dist(psi: usize, colour: usize, i: usize) -> u8 {
    let d = if colour == BLACK { 0 } else { psi };
    ((i + d) % (2 * psi)) as u8
}

/// Both colours; the modes are whatever they like at every interaction. If that is too much, in P_PL itself.
fn complete(query: &mut Query<'_>, point: Point, times: usize) -> Result<Decided, Undecided> {
    for colour in [BLACK, WHITE] {
        let (ppl, word) = region(point, times)?;
        let name = if colour == BLACK { "black" } else { "white" };
        query.step(format!("a start from which no new {name} token completes its trajectory in {times} repetitions"));
        if in_vain(query, (&ppl, point), &word, colour, true)?.is_some() {
            if let Some(witness) = not_completed(query, point, times, colour)? {
                return Ok(Verdict::Fails(witness).into());
            }
            let tried = format!("{times} repetitions are not enough for all modes, but for those of this kappa_max");
            return Err(Undecided::Unknown(tried));
        }
    }
    Ok(Verdict::Holds(None).into())
}

/// A ring with one agent more than the 2psi of the lemma, which the word never touches, and the word.
fn region(point: Point, times: usize) -> Result<(Subject<PplOf<false>>, Vec<Interaction>), Undecided> {
    let long = 2 * point.psi - 1;
    let ppl = ppl::<false>(Point { n: long + 2, ..point })?;
    let word = [ppl.ring.seq_r(0, long), ppl.ring.seq_l(long, long)].concat().repeat(times);
    Ok((ppl, word))
}

/// A start from which the word completes no trajectory; `forget` lets the modes be anything.
fn in_vain(
    query: &mut Query<'_>,
    (ppl, point): (&Subject<PplOf<false>>, Point),
    word: &[Interaction],
    colour: usize,
    forget: bool,
) -> Result<Option<Vec<State>>, Undecided> {
    let mut unrolling = ppl.unroll(|i, agent| {
        if i < 2 * point.psi {
            agent.fix(&["dist", "last"], &State { dist: dist(point.psi, colour, i), ..State::default() });
        }
    });
    let mut watched = Watched::new(point.psi, colour);
    for &e in word {
        if forget {
            unrolling.forget(&[e.initiator, e.responder], &MODES);
        }
        let before = unrolling.now.clone();
        unrolling.interact(e);
        watched.watch(sets(point, &before), sets(point, &unrolling.now), e);
    }
    unrolling.find(query, &[watched.in_vain()])
}

/// The same in P_PL with this kappa_max, as a witness.
fn not_completed(
    query: &mut Query<'_>,
    point: Point,
    times: usize,
    colour: usize,
) -> Result<Option<Witness>, Undecided> {
    let (ppl, word) = region(point, times)?;
    let found = in_vain(query, (&ppl, point), &word, colour, false)?;
    let shows = format!("{times} repetitions, and no token that u_0 generated has completed its trajectory");
    ppl.confirm(found, &word, &shows, |trace| {
        let mut watched = Watched::new(point.psi, colour);
        let steps = word.iter().zip(trace.windows(2));
        steps.for_each(|(&e, pair)| watched.watch(sets(point, &pair[0]), sets(point, &pair[1]), e));
        watched.in_vain()
    })
}

/// One repetition less is not enough in P_PL with this kappa_max.
fn tight(query: &mut Query<'_>, point: Point) -> Result<Decided, Undecided> {
    let enough = 2 * point.psi;
    let found = complete(query, point, enough)?;
    if !matches!(found.verdict, Verdict::Holds(_)) {
        return Ok(found);
    }
    Ok(match not_completed(query, point, enough - 1, BLACK)? {
        None => Verdict::Nothing.with_note(format!("{} are enough", enough - 1)),
        witness => Verdict::Holds(witness).with_note(format!("{enough} are enough")),
    })
}

// --- Lemma srl_variant ----------------------------------------------------------------------------------------

/// What the war is made of; leaders apart.
pub(super) const WAR: [&str; 3] = ["bullet", "shield", "signalB"];

/// The word of the proof; `skip` leaves out the part against risky tokens.
fn word_of_srl_variant(ring: Ring, psi: usize, skip: bool) -> Vec<Interaction> {
    let n = ring.n();
    let pairs = n.div_ceil(psi).saturating_sub(2);
    let for_pair = |i: usize| {
        [ring.seq_r(i * psi, 2 * psi - 1), ring.seq_l((i + 2) * psi - 1, 2 * psi - 1)].concat().repeat(2 * psi)
    };
    let against_risky = if skip { Vec::new() } else { ring.seq_r(0, psi).repeat(2) };
    let start = [vec![ring.e(n - 1)], ring.seq_r(0, n - 1), ring.seq_l(0, n), against_risky].concat();
    start.into_iter().chain((0..pairs).flat_map(for_pair)).collect()
}

/// From C_PB the only leader is never killed (claim `cpb_closed`), and that P'_PL creates none is asked, so that `u_0` stays the leader and
/// C_PB holds at the end; bullets do nothing else, so they need not be followed. What is left to prove is the rest of S_PL.
pub(super) fn misses_s_pl(
    query: &mut Query<'_>,
    prime: &Subject<PplOf<true>>,
    point: Point,
    word: &[Interaction],
) -> Result<Option<Witness>, Undecided> {
    let mut unrolling = prime.unroll(|i, agent| {
        agent.fix(&["leader"], &settled(point, i));
        agent.fix(&WAR, &State::default());
    });
    let mut created = Lit::ZERO;
    for &e in word {
        unrolling.interact(e);
        created = created | !unrolling.now[e.responder].equal(&["leader"], &unrolling.start[e.responder]);
        for i in [e.initiator, e.responder] {
            unrolling.now[i].fix(&["leader"], &settled(point, i));
            unrolling.now[i].fix(&WAR, &State::default());
            unrolling.now[i].fix(&MODES, &State::default());
        }
    }
    let found = unrolling.find(query, &[created | !without(point, Condition::Peace, &unrolling.now)])?;
    let shows = "C_PB with one leader before the word, not S_PL after";
    prime.confirm(found, word, shows, |trace| {
        let (before, after) = (&trace[0], sets(point, &trace[word.len()]));
        in_c_pb(before) && leads_alone(before, 0) && !after.in_s_pl()
    })
}

fn srl_variant(query: &mut Query<'_>, point: Point, skip: bool) -> Result<Decided, Undecided> {
    let prime = ppl::<true>(point)?;
    let word = word_of_srl_variant(prime.ring, point.psi, skip);
    let found = misses_s_pl(query, &prime, point, &word)?;
    Ok(Verdict::from(found).with_note(format!("a word of {}", word.len())))
}
