//! Lemmas "impossible", "complete" and "srl_variant": what tokens and IDs do.

use ringleader::circuit::Bit;
use ringleader::error::Error;
use ringleader::protocols::ppl::{self, BLACK, WHITE};
use ringleader::ring::{Interaction, Ring};

use super::safe::{member, settled};
use super::{About, Claim, Lab, Point, unconfirmed, unless};
use crate::bits::Lit;
use crate::court::{Court, Finding, Verdict};
use crate::play::{Play, follow, start_of, witness};
use crate::sets::{Condition, PplSets};

const IMPOSSIBLE: Claim = Claim {
    name: "impossible",
    place: "Lemma impossible",
    says: "a configuration without a leader is not perfect (the paper asks for n <= 2^psi)",
    about: About::NPsi,
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
            decide: |court, point| impossible(court, Point { n: point.psi << point.psi, ..point }),
            ..IMPOSSIBLE
        },
        Claim {
            name: "complete",
            place: "Lemma complete",
            says: "during (seq_R(k,2psi-1) seq_L(k+2psi-1,2psi-1))^(2psi), whatever the modes, a new token of u_k completes its trajectory",
            about: About::Psi,
            quick: [(4, 4), (2, 3)],
            decide: |court, point| complete(court, point, 2 * point.psi),
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
            says: "the word of its proof leads P'_PL from C_PB with one leader into S_PL",
            quick: [(3, 7), (2, 3)],
            decide: |court, point| srl_variant(court, point, false),
            ..IMPOSSIBLE
        },
        Claim {
            name: "srl_variant-no-risky-part",
            place: "Lemma srl_variant",
            says: "so does the word without seq_R(0,psi)^2 (the paper does not say so)",
            quick: [(3, 7), (2, 3)],
            canary: true,
            decide: |court, point| srl_variant(court, point, true),
            ..IMPOSSIBLE
        },
    ]
}

fn impossible(court: &mut Court<'_>, point: Point) -> Result<Finding, Error> {
    let lab = Lab::<false>::new(point)?;
    let sets = PplSets::new(&lab.machine, point.n, point.psi);
    let play = Play::new(&lab.machine, point.n, |_, agent| {
        lab.machine.fix(agent, &["leader"], &ppl::State::default());
    });
    let ruling = court.ask(&[sets.perfect(&lab.machine, &play.now)], &play.demands);
    let shows = "perfect, without a leader";
    let confirm = |sets: ppl::Sets<'_>| sets.perfect() && sets.leaders().is_empty();
    let found = member(&lab, &play, ruling, shows, confirm, "");
    let turned = match found.verdict {
        Verdict::Holds => Verdict::Fails,
        Verdict::Fails => Verdict::Holds,
        unknown @ Verdict::Unknown(_) => unknown,
    };
    Ok(Finding { verdict: turned, ..found })
}

// --- Lemma complete -------------------------------------------------------------------------------------------

/// What *DetermineMode* sees, and so whatever decides the mode.
pub(super) const MODES: [&str; 4] = ["mode", "clock", "signalR", "hits"];

/// The 2psi agents `u_k, ..., u_{k+2psi-1}` of the lemma as the first of a ring, with one more that the word never touches.
struct Region<'a> {
    play: Play<'a, ppl::State>,
    sets: &'a PplSets,
    colour: usize,
    /// Where an agent holds a token that `u_k` generated on the way.
    fresh: Vec<Lit>,
    /// Where such a token has completed its trajectory.
    completed: Lit,
    /// Where all configurations so far are as the lemma demands.
    kept: Lit,
}

impl Region<'_> {
    /// One interaction of the word: `forget` what decides the mode, or not.
    fn interact(&mut self, e: Interaction, forget: bool) {
        let (l, r, c) = (e.initiator, e.responder, self.colour);
        if forget {
            self.play.forget(&[l, r], &MODES);
        }
        let sets = self.sets;
        let before = (self.play.now[l].clone(), self.play.now[r].clone());
        let [l_had, r_had] = [&before.0, &before.1].map(|v| sets.has_valid_token(v, c));
        let r_came = r_had & !sets.moves_right(&before.1, c);
        let l_fresh = if l == 0 { l_had.select(self.fresh[0], Lit::ONE) } else { self.fresh[l] & l_had };
        let arrives = !r_had & l_had & sets.goes_by(&before.0, c, 1);
        if r + 1 == self.fresh.len() {
            self.completed = self.completed | (arrives & self.fresh[l]);
        }
        self.play.interact(e);
        let (l_has, r_has) = (sets.has_token(&self.play.now[l], c), sets.has_token(&self.play.now[r], c));
        let r_fresh = self.fresh[r];
        self.fresh[l] = l_has & r_came.select(r_fresh, self.fresh[l]);
        self.fresh[r] = r_has & r_had.select(r_fresh, l_fresh);
        self.kept = self.kept & self.as_demanded(l) & self.as_demanded(r);
    }

    fn as_demanded(&self, i: usize) -> Lit {
        let agent = &self.play.now[i];
        let psi = self.fresh.len() / 2;
        let d = if self.colour == BLACK { 0 } else { psi };
        self.sets.dist_is(agent, (i + d) % (2 * psi)) & !self.sets.last(agent)
    }
}

fn word_of_complete(ring: Ring, psi: usize, times: usize) -> Vec<Interaction> {
    [ring.seq_r(0, 2 * psi - 1), ring.seq_l(2 * psi - 1, 2 * psi - 1)].concat().repeat(times)
}

/// Both colours; the modes are whatever they like at every interaction.
fn complete(court: &mut Court<'_>, point: Point, times: usize) -> Result<Finding, Error> {
    for colour in [BLACK, WHITE] {
        let found = completes(court, point, times, colour, true)?;
        if found.verdict != Verdict::Holds {
            return Ok(found);
        }
    }
    Ok(Finding::plain(Verdict::Holds))
}

fn completes(court: &mut Court<'_>, point: Point, times: usize, colour: usize, forget: bool) -> Result<Finding, Error> {
    let psi = point.psi;
    let point = Point { n: 2 * psi + 1, ..point };
    let lab = Lab::<false>::new(point)?;
    let sets = PplSets::new(&lab.machine, point.n, psi);
    let d = if colour == BLACK { 0 } else { psi };
    let play = Play::new(&lab.machine, point.n, |i, agent| {
        let state = ppl::State { dist: ((i + d) % (2 * psi)) as u8, ..ppl::State::default() };
        if i < 2 * psi {
            lab.machine.fix(agent, &["dist", "last"], &state);
        }
    });
    let fresh = vec![Lit::ZERO; 2 * psi];
    let mut region = Region { play, sets: &sets, colour, fresh, completed: Lit::ZERO, kept: Lit::ONE };
    let word = word_of_complete(lab.ring, psi, times);
    word.iter().for_each(|&e| region.interact(e, forget));
    let ruling = court.ask(&[region.kept, !region.completed], &region.play.demands);
    Ok(unless(ruling, |model| {
        let start = start_of(&region.play, model);
        let shows = format!("{times} repetitions, and no token that u_0 generated has completed its trajectory");
        let witness = (!forget).then(|| witness(&lab.protocol, &start, &word, shows));
        Finding { witness, ..Finding::plain(Verdict::Fails) }
    }))
}

/// How many repetitions it takes, counted up; the witness is of one less, in P_PL with this kappa_max.
fn tight(court: &mut Court<'_>, point: Point) -> Result<Finding, Error> {
    for times in 1..=2 * point.psi {
        let found = complete(court, point, times)?;
        if found.verdict == Verdict::Fails {
            continue;
        }
        let verdict = match found.verdict {
            Verdict::Holds if times == 2 * point.psi => Verdict::Holds,
            Verdict::Holds => Verdict::Fails,
            other => other,
        };
        let less = completes(court, point, times - 1, BLACK, false)?;
        return Ok(
            Finding { witness: less.witness, ..Finding::plain(verdict) }.with_note(format!("{times} are enough"))
        );
    }
    Ok(Finding::plain(Verdict::Fails).with_note("not even 2psi are enough"))
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

/// P'_PL creates no leader, and from C_PB the only one is never killed, so that `u_0` stays the leader and C_PB holds at the end; bullets
/// do nothing else, so they need not be followed. What is left to prove is the rest of S_PL.
pub(super) fn leads_to_s_pl(court: &mut Court<'_>, lab: &Lab<true>, point: Point, word: &[Interaction]) -> Finding {
    let sets = PplSets::new(&lab.machine, point.n, point.psi);
    let mut play = Play::new(&lab.machine, point.n, |i, agent| {
        lab.machine.fix(agent, &["leader"], &settled(point.psi, point.n, i));
        lab.machine.fix(agent, &WAR, &ppl::State::default());
    });
    for &e in word {
        play.interact(e);
        for i in [e.initiator, e.responder] {
            lab.machine.fix(&mut play.now[i], &["leader"], &settled(point.psi, point.n, i));
            lab.machine.fix(&mut play.now[i], &WAR, &ppl::State::default());
            lab.machine.fix(&mut play.now[i], &MODES, &ppl::State::default());
        }
    }
    let rest: Vec<Condition> = Condition::ALL.into_iter().filter(|&one| one != Condition::Peace).collect();
    let ruling = court.ask(&[!sets.with(&rest, &play.now)], &play.demands);
    unless(ruling, |model| {
        let start = start_of(&play, model);
        let last = follow(&lab.protocol, &start, word);
        let (before, after) = (lab.protocol.sets(&start), lab.protocol.sets(&last));
        if !(before.in_c_pb() && before.unique_leader() == Some(0)) || after.in_s_pl() {
            return unconfirmed();
        }
        let witness =
            witness(&lab.protocol, &start, word, "C_PB with one leader before the word, not S_PL after".into());
        Finding { witness: Some(witness), ..Finding::plain(Verdict::Fails) }
    })
}

fn srl_variant(court: &mut Court<'_>, point: Point, skip: bool) -> Result<Finding, Error> {
    let lab = Lab::<true>::new(point)?;
    let word = word_of_srl_variant(lab.ring, point.psi, skip);
    Ok(leads_to_s_pl(court, &lab, point, &word).with_note(format!("a word of {}", word.len())))
}
