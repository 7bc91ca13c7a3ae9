//! Convergence with probability 1 from every configuration: a chain of sets, and words that lead from each to the next.
//!
//! A finite ring under the random scheduler performs any given word sooner or later, again and again. So if from every configuration
//! some word leads into S_PL, which is closed, S_PL is reached almost surely. The chain:
//!
//! 1. All live bullets become peaceful by seq_R(0,n)^2 and stay so (claims `get_peaceful`, `new_live_bullet`, `once_peaceful`); from then on a ring
//!    with a leader is in C_PB and keeps a leader (claim `cpb_closed`).
//! 2. `clocks`: a ring that stays without a leader loses its resetting signals, and all its clocks run out.
//! 3. `dist`, `ids`: then a leader is created, at a wrong distance by seq_R(0,n), or else at a wrong ID, wherever `u_0` is a border.
//! 4. `fewer`: from C_PB with leader `u_0` and others, seq_R(0,n) seq_L(n-1,n-1) seq_R(0,n) or the same after another seq_R(0,n) kills a leader and
//!    creates none.
//! 5. `construct`: with the only leader `u_0`, seq_R(0,n) seq_L(n-1,n-1) keeps all agents in construction mode, so that P_PL does what P'_PL does.
//! 6. `settle`: that word, repeated, leads P'_PL from C_PB with one leader into S_PL.

use ringleader::circuit::Bit;
use ringleader::error::Error;
use ringleader::protocol::{Protocol, leaders};
use ringleader::protocols::ppl::sets::in_c_pb;
use ringleader::protocols::ppl::{self, Mode, War};
use ringleader::ring::{Interaction, Ring};

use super::safe::settled;
use super::tokens::{WAR, leads_to_s_pl};
use super::{About, Claim, Lab, Point, unconfirmed, unless};
use crate::bits::{Lit, all, any, implies};
use crate::court::{Court, Finding, Verdict};
use crate::machine::Machine;
use crate::play::{Play, follow, start_of, witness};
use crate::sets::{PplSets, WarSets};

pub(super) fn claims() -> Vec<Claim> {
    let convergence = Claim {
        name: "convergence",
        place: "Theorem main",
        says: "from every configuration words lead into S_PL, so that it is reached with probability 1",
        about: About::NPsiKappa,
        canary: false,
        quick: [(3, 5), (2, 3)],
        decide: |court, point| every(court, point, &STEPS),
    };
    let without_2_psi = Claim {
        name: "convergence-unsound",
        says: "the same where n = psi 2^psi (the paper asks for n <= 2^psi; n is ignored)",
        about: About::Psi,
        canary: true,
        quick: [(8, 8), (2, 2)],
        decide: |court, point| every(court, Point { n: point.psi << point.psi, ..point }, &STEPS),
        ..convergence
    };
    vec![convergence, without_2_psi]
}

type Step = (&'static str, fn(&mut Court<'_>, Point) -> Result<Finding, Error>);

const STEPS: [Step; 6] =
    [("clocks", clocks), ("dist", dist), ("ids", ids), ("fewer", fewer), ("construct", construct), ("settle", settle)];

fn every(court: &mut Court<'_>, point: Point, steps: &[Step]) -> Result<Finding, Error> {
    for (name, decide) in steps {
        let found = decide(court, point)?;
        if found.verdict != Verdict::Holds {
            let note = format!("step {name} {}", found.note);
            return Ok(found.with_note(note.trim_end()));
        }
    }
    Ok(Finding::plain(Verdict::Holds))
}

/// No leader anywhere.
fn leaderless(lab: &Lab<false>, agent: &mut [Lit]) {
    lab.machine.fix(agent, &["leader"], &ppl::State::default());
}

/// An execution that stays without a leader; tells where none is created.
fn without_leader(lab: &Lab<false>, play: &mut Play<'_, ppl::State>, sets: &PplSets, word: &[Interaction]) -> Lit {
    let mut none = Lit::ONE;
    for &e in word {
        play.interact(e);
        none = none & !sets.war.leader(&play.now[e.responder]);
        leaderless(lab, &mut play.now[e.responder]);
    }
    none
}

/// Without a leader: once around to run down the signals, once more to run down the clocks.
fn clocks(court: &mut Court<'_>, point: Point) -> Result<Finding, Error> {
    let lab = Lab::<false>::new(point)?;
    let sets = PplSets::new(&lab.machine, point.n, point.psi);
    let mut play = Play::new(&lab.machine, point.n, |_, agent| leaderless(&lab, agent));
    let (signals, clocks) = (1 + point.psi * point.kappa, point.psi * (point.kappa + 1));
    let round = |times: usize| (0..point.n).flat_map(move |i| std::iter::repeat_n(i, times));
    let word: Vec<Interaction> = round(signals).chain(round(clocks)).map(|i| lab.ring.e(i)).collect();
    without_leader(&lab, &mut play, &sets, &word);
    let kappa = point.kappa as u16;
    let over = lab.machine.test(&["clock", "signalR"], |v| v.clock == kappa && v.signal_r == 0);
    let all_over = all(play.now.iter().map(|agent| lab.machine.at(&over, agent)));
    Ok(unless(court.ask(&[!all_over], &play.demands), |_| Finding::plain(Verdict::Fails)))
}

/// A ring without a leader in which all clocks have run out, and what else is fixed.
fn detecting<'m>(
    lab: &'m Lab<false>,
    point: Point,
    names: &[&str],
    state: impl Fn(usize) -> ppl::State,
) -> Play<'m, ppl::State> {
    Play::new(&lab.machine, point.n, |i, agent| {
        leaderless(lab, agent);
        let over = ppl::State { clock: point.kappa as u16, signal_r: 0, ..state(i) };
        lab.machine.fix(agent, &["clock", "signalR"], &over);
        lab.machine.fix(agent, names, &over);
    })
}

/// If no leader is created by seq_R(0,n), equation (1) holds.
fn dist(court: &mut Court<'_>, point: Point) -> Result<Finding, Error> {
    let lab = Lab::<false>::new(point)?;
    let sets = PplSets::new(&lab.machine, point.n, point.psi);
    let mut play = detecting(&lab, point, &[], |_| ppl::State::default());
    let none = without_leader(&lab, &mut play, &sets, &lab.ring.seq_r(0, point.n));
    let consistent =
        all((0..point.n).map(|i| sets.follows(&lab.machine, &play.start[i], &play.start[(i + 1) % point.n])));
    Ok(unless(court.ask(&[none, !consistent], &play.demands), |_| Finding::plain(Verdict::Fails)))
}

/// If equation (1) holds and `u_0.dist = 0`, which needs that 2psi divides n, the words of Lemma complete at all borders create a leader.
fn ids(court: &mut Court<'_>, point: Point) -> Result<Finding, Error> {
    let Point { n, psi, .. } = point;
    if !n.is_multiple_of(2 * psi) {
        return Ok(Finding::plain(Verdict::Holds));
    }
    let lab = Lab::<false>::new(point)?;
    let sets = PplSets::new(&lab.machine, n, psi);
    let mut play =
        detecting(&lab, point, &["dist"], |i| ppl::State { dist: (i % (2 * psi)) as u8, ..ppl::State::default() });
    let at_border = |i: usize| {
        let (right, left) = (lab.ring.seq_r(i * psi, 2 * psi - 1), lab.ring.seq_l((i + 2) * psi - 1, 2 * psi - 1));
        [right, left].concat().repeat(2 * psi)
    };
    let word: Vec<Interaction> = lab.ring.seq_l(0, n).into_iter().chain((0..n / psi).flat_map(at_border)).collect();
    let none = without_leader(&lab, &mut play, &sets, &word);
    Ok(unless(court.ask(&[none], &play.demands), |model| {
        let start = start_of(&play, model);
        let last = follow(&lab.protocol, &start, &word);
        if !lab.protocol.sets(&last).leaders().is_empty() {
            return unconfirmed();
        }
        let witness = witness(&lab.protocol, &start, &word, "no leader before the word, and none after".into());
        Finding { witness: Some(witness), ..Finding::plain(Verdict::Fails) }
    }))
}

/// seq_R(0,n) seq_L(n-1,n-1).
fn there_and_back(ring: Ring) -> Vec<Interaction> {
    [ring.seq_r(0, ring.n()), ring.seq_l(ring.n() - 1, ring.n() - 1)].concat()
}

/// The words that are tried on a ring with several leaders: a few times around, there and back once or twice, and around again.
pub(super) fn battles(ring: Ring) -> Vec<Vec<Interaction>> {
    let (around, back) = (ring.seq_r(0, ring.n()), there_and_back(ring));
    let battle = |(before, times): (usize, usize)| [around.repeat(before), back.repeat(times), around.clone()].concat();
    (0..3).flat_map(|before| [(before, 1), (before, 2)]).map(battle).collect()
}

fn fewer(court: &mut Court<'_>, point: Point) -> Result<Finding, Error> {
    let lab = Lab::<false>::new(point)?;
    let leader = ppl::State { leader: 1, ..ppl::State::default() };
    Ok(fewer_leaders(court, (&lab.protocol, lab.ring), (&lab.machine, &leader), &battles(lab.ring)))
}

/// From C_PB with leader `u_0` and others, some of these words leaves fewer leaders and creates none.
pub(super) fn fewer_leaders<P: Protocol<State: War + Default>>(
    court: &mut Court<'_>,
    (protocol, ring): (&P, Ring),
    (machine, leader): (&Machine<P::State>, &P::State),
    words: &[Vec<Interaction>],
) -> Finding {
    let war = WarSets::new(machine);
    let mut play = Play::new(machine, ring.n(), |i, agent| {
        if i == 0 {
            machine.fix(agent, &["leader"], leader);
        }
    });
    let leads = |config: &[Vec<Lit>]| config.iter().map(|agent| war.leader(agent)).collect::<Vec<Lit>>();
    let before = leads(&play.start);
    let mut asserted = vec![war.peace(&play.start), any(before[1..].iter().copied())];
    for word in words {
        play.now = play.start.clone();
        word.iter().for_each(|&e| play.interact(e));
        let after = leads(&play.now);
        let none_new = all(before.iter().zip(&after).map(|(&before, &after)| implies(after, before)));
        let some_gone = any(before.iter().zip(&after).map(|(&before, &after)| before & !after));
        asserted.push(!(none_new & some_gone));
    }
    unless(court.ask(&asserted, &play.demands), |model| {
        let start = start_of(&play, model);
        let before = leaders(protocol, &start);
        let fewer = |word: &Vec<Interaction>| {
            let after = leaders(protocol, &follow(protocol, &start, word));
            after.len() < before.len() && after.iter().all(|i| before.contains(i))
        };
        if !in_c_pb(&start) || words.iter().any(fewer) {
            return unconfirmed();
        }
        let witness = witness(protocol, &start, &words[0], "no word leaves fewer leaders".into());
        Finding { witness: Some(witness), ..Finding::plain(Verdict::Fails) }
    })
}

fn construct(court: &mut Court<'_>, point: Point) -> Result<Finding, Error> {
    let lab = Lab::<false>::new(point)?;
    let fix = |i: usize, agent: &mut Vec<Lit>| {
        lab.machine.fix(agent, &["leader"], &settled(point.psi, point.n, i));
        lab.machine.fix(agent, &WAR, &ppl::State::default());
    };
    let mut play = Play::new(&lab.machine, point.n, fix);
    let detects = lab.machine.test(&["mode"], |v| v.mode == Mode::Detect);
    let mut detected = Lit::ZERO;
    for e in there_and_back(lab.ring) {
        play.interact(e);
        detected = detected | lab.machine.at(&detects, &play.now[e.responder]);
        [e.initiator, e.responder].iter().for_each(|&i| fix(i, &mut play.now[i]));
    }
    Ok(unless(court.ask(&[detected], &play.demands), |_| Finding::plain(Verdict::Fails)))
}

fn settle(court: &mut Court<'_>, point: Point) -> Result<Finding, Error> {
    let lab = Lab::<true>::new(point)?;
    let pairs = point.n.div_ceil(point.psi).saturating_sub(2);
    let word = there_and_back(lab.ring).repeat(4 + 2 * point.psi * pairs);
    Ok(leads_to_s_pl(court, &lab, point, &word))
}
