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
//!
//! Where a word does not lead on, another may: then nothing is known. Convergence fails only where there is a closed set without a leader
//! ([`hopeless`]).

use ringleader::circuit::{Agent, Bit, all, any, implies};
use ringleader::protocol::Protocol;
use ringleader::protocols::elim::War;
use ringleader::protocols::elim::sets::{Armed, peace};
use ringleader::protocols::ppl::{Ppl, State};
use ringleader::ring::{Interaction, Ring};

use super::kappa::detects;
use super::safe::{sets, settled};
use super::tokens::{WAR, misses_s_pl};
use super::{About, Claim, Point, Set, either, exit, ppl};
use crate::query::{Decided, Query, Undecided, Verdict};
use crate::symbolic::Symbolic;
use crate::unrolling::Unrolling;
use crate::witness::{Subject, Witness};
use ringleader_notation::graph::Lit;

pub(super) fn claims() -> Vec<Claim> {
    let convergence = Claim {
        name: "convergence",
        place: "Theorem main",
        says: "from every configuration words lead into S_PL, so that it is reached with probability 1",
        about: About::NPsiKappa,
        every: None,
        given: &["get_peaceful", "new_live_bullet", "once_peaceful", "cpb_closed", "safe"],
        canary: false,
        quick: [(3, 5), (2, 3)],
        decide: converges,
    };
    let without_2_psi = Claim {
        name: "convergence-unsound",
        says: "the same where n = psi 2^psi (the paper asks for n <= 2^psi; n is ignored)",
        about: About::Psi,
        every: None,
        given: &[],
        canary: true,
        quick: [(8, 8), (2, 2)],
        decide: |query, point| converges(query, Point { n: point.psi << point.psi, ..point }),
        ..convergence
    };
    vec![convergence, without_2_psi]
}

/// Whether words lead from every configuration of one set to the next.
type Step = (&'static str, fn(&mut Query<'_>, Point) -> Result<bool, Undecided>);

const STEPS: [Step; 6] =
    [("clocks", clocks), ("dist", dist), ("ids", ids), ("fewer", fewer), ("construct", construct), ("settle", settle)];

fn converges(query: &mut Query<'_>, point: Point) -> Result<Decided, Undecided> {
    for (name, leads_on) in STEPS {
        query.step(format!("a configuration from which the words of step {name} do not lead on"));
        if !leads_on(query, point)? {
            return match never(query, point)? {
                Some(witness) => Ok(Verdict::Fails(witness).with_note(format!("step {name}"))),
                None => Err(in_vain(name)),
            };
        }
    }
    Ok(Verdict::Holds(None).into())
}

/// The words of a step do not lead on from every configuration; others might.
pub(super) fn in_vain(step: &str) -> Undecided {
    Undecided::Unknown(format!("the words of step {step} do not lead on from every configuration; others may"))
}

/// No leader, the string perfect as if there were one, and every valid token correct: no flaw is ever found.
fn hopeless<A: Agent<State = State>>(point: Point, config: &[A]) -> A::Bit {
    let sets = sets(point, config);
    let perfect = sets.perfect() & sets.dist_is(&config[0], 0);
    !any(config.iter().map(Armed::leader)) & perfect & sets.tokens_correct(0, 0..sets.zeta())
}

/// A configuration from which no leader is ever created: a member of a closed set without one.
fn never(query: &mut Query<'_>, point: Point) -> Result<Option<Witness>, Undecided> {
    let ppl = ppl::<false>(point)?;
    let unrolling = ppl.unroll(|_, agent| leaderless(agent));
    let set: Set<'_, State> = either!(|config| hopeless(point, config));
    if exit(query, (&ppl, &unrolling), ("hopeless", set), &[])?.is_some() {
        return Ok(None);
    }
    let found = unrolling.find(query, &[hopeless(point, &unrolling.now)])?;
    let shows = "no leader, and none is ever created: perfect rings with correct tokens stay so";
    ppl.confirm(found, &[], shows, |trace| hopeless(point, &trace[0]))
}

/// No leader.
fn leaderless(agent: &mut Symbolic<'_, State>) {
    agent.fix(&["leader"], &State::default());
}

/// An execution that stays without a leader; tells where none is created.
fn without_leader(unrolling: &mut Unrolling<'_, State>, word: &[Interaction]) -> Lit {
    let mut none = Lit::ONE;
    for &e in word {
        unrolling.interact(e);
        none = none & !unrolling.now[e.responder].leader();
        leaderless(&mut unrolling.now[e.responder]);
    }
    none
}

/// Without a leader: once around to run down the signals, once more to run down the clocks.
fn clocks(query: &mut Query<'_>, point: Point) -> Result<bool, Undecided> {
    let ppl = ppl::<false>(point)?;
    let mut unrolling = ppl.unroll(|_, agent| leaderless(agent));
    let (signals, clocks) = (1 + point.psi * point.kappa, point.psi * (point.kappa + 1));
    let round = |times: usize| (0..point.n).flat_map(move |i| std::iter::repeat_n(i, times));
    let word: Vec<Interaction> = round(signals).chain(round(clocks)).map(|i| ppl.ring.e(i)).collect();
    without_leader(&mut unrolling, &word);
    let over = |v: &State| usize::from(v.clock) == point.kappa && v.signal_r == 0;
    let all_over = all(unrolling.now.iter().map(|agent| agent.ask(("over", 0, &["clock", "signalR"]), over)));
    Ok(unrolling.find(query, &[!all_over])?.is_none())
}

/// A ring without a leader in which all clocks have run out, and what else is fixed.
fn detecting<'c>(
    ppl: &'c Subject<Ppl>,
    point: Point,
    names: &[&str],
    state: impl Fn(usize) -> State,
) -> Unrolling<'c, State> {
    ppl.unroll(|i, agent| {
        leaderless(agent);
        let over = State { clock: point.kappa as u16, signal_r: 0, ..state(i) };
        agent.fix(&["clock", "signalR"], &over);
        agent.fix(names, &over);
    })
}

/// If no leader is created by seq_R(0,n), equation (1) holds.
fn dist(query: &mut Query<'_>, point: Point) -> Result<bool, Undecided> {
    let ppl = ppl::<false>(point)?;
    let mut unrolling = detecting(&ppl, point, &[], |_| State::default());
    let none = without_leader(&mut unrolling, &ppl.ring.seq_r(0, point.n));
    let consistent = sets(point, &unrolling.start).eq_dist();
    Ok(unrolling.find(query, &[none, !consistent])?.is_none())
}

/// If equation (1) holds and `u_0.dist = 0`, which needs that 2psi divides n, the words of Lemma complete at all borders create a leader.
fn ids(query: &mut Query<'_>, point: Point) -> Result<bool, Undecided> {
    let Point { n, psi, .. } = point;
    if !n.is_multiple_of(2 * psi) {
        return Ok(true);
    }
    let ppl = ppl::<false>(point)?;
    let mut unrolling =
        detecting(&ppl, point, &["dist"], |i| State { dist: (i % (2 * psi)) as u8, ..State::default() });
    let at_border = |i: usize| {
        let (right, left) = (ppl.ring.seq_r(i * psi, 2 * psi - 1), ppl.ring.seq_l((i + 2) * psi - 1, 2 * psi - 1));
        [right, left].concat().repeat(2 * psi)
    };
    let word: Vec<Interaction> = ppl.ring.seq_l(0, n).into_iter().chain((0..n / psi).flat_map(at_border)).collect();
    let none = without_leader(&mut unrolling, &word);
    Ok(unrolling.find(query, &[none])?.is_none())
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

fn fewer(query: &mut Query<'_>, point: Point) -> Result<bool, Undecided> {
    let ppl = ppl::<false>(point)?;
    fewer_leaders(query, &ppl, &State { leader: 1, ..State::default() }, &battles(ppl.ring), |_| Lit::ONE)
}

/// From C_PB with leader `u_0` and others, some of these words leaves fewer leaders, creates none, and ends in this set.
pub(super) fn fewer_leaders<P: Protocol<State: War>>(
    query: &mut Query<'_>,
    subject: &Subject<P>,
    leader: &P::State,
    words: &[Vec<Interaction>],
    ends: impl Fn(&[Symbolic<'_, P::State>]) -> Lit,
) -> Result<bool, Undecided> {
    let mut unrolling = subject.unroll(|i, agent| {
        if i == 0 {
            agent.fix(&["leader"], leader);
        }
    });
    let leads = |config: &[Symbolic<'_, P::State>]| config.iter().map(Armed::leader).collect::<Vec<Lit>>();
    let before = leads(&unrolling.start);
    let mut asserted = vec![peace(&unrolling.start), any(before[1..].iter().copied())];
    for word in words {
        unrolling.now = unrolling.start.clone();
        unrolling.follow(word);
        let after = leads(&unrolling.now);
        let none_new = all(before.iter().zip(&after).map(|(&before, &after)| implies(after, || before)));
        let some_gone = any(before.iter().zip(&after).map(|(&before, &after)| before & !after));
        asserted.push(!(none_new & some_gone & ends(&unrolling.now)));
    }
    Ok(unrolling.find(query, &asserted)?.is_none())
}

fn construct(query: &mut Query<'_>, point: Point) -> Result<bool, Undecided> {
    let ppl = ppl::<false>(point)?;
    let fix = |i: usize, agent: &mut Symbolic<'_, State>| {
        agent.fix(&["leader"], &settled(point, i));
        agent.fix(&WAR, &State::default());
    };
    let mut unrolling = ppl.unroll(fix);
    let mut detected = Lit::ZERO;
    for e in there_and_back(ppl.ring) {
        unrolling.interact(e);
        detected = detected | detects(&unrolling.now[e.responder]);
        [e.initiator, e.responder].iter().for_each(|&i| fix(i, &mut unrolling.now[i]));
    }
    Ok(unrolling.find(query, &[detected])?.is_none())
}

fn settle(query: &mut Query<'_>, point: Point) -> Result<bool, Undecided> {
    let prime = ppl::<true>(point)?;
    let pairs = point.n.div_ceil(point.psi).saturating_sub(2);
    let word = there_and_back(prime.ring).repeat(4 + 2 * point.psi * pairs);
    Ok(misses_s_pl(query, &prime, point, &word)?.is_none())
}
