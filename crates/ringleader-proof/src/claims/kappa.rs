//! What *DetermineMode* does: when all agents stay in detection mode, and how much of it is seen outside.
//!
//! One kappa_max stands for all in what is said of one interaction: *DetermineMode* is seen through the mode of r only, and with
//! kappa_max = 1 the same modes can be had.

use ringleader::circuit::{Agent, all, any, same};
use ringleader::protocol::{Input, Transition};
use ringleader::protocols::elim::sets::Armed;
use ringleader::protocols::ppl::{Mode, Ppl, State};

use super::tokens::MODES;
use super::{About, Claim, Point, Set, either, exit, ppl};
use crate::query::{Decided, Query, Undecided, Verdict};
use crate::symbolic::{NamedCircuit, Symbolic};
use crate::witness::Witness;
use ringleader_notation::graph::Lit;

pub(super) fn claims() -> Vec<Claim> {
    let detecting = Claim {
        name: "detecting",
        place: "Lemma enter_detection",
        says: "without a leader, all agents stay in detection mode until one is created, if no signal is left and all clocks are at kappa_max",
        about: About::NPsiKappa,
        every: None,
        given: &[],
        canary: false,
        quick: [(3, 6), (2, 3)],
        decide: |query, point| stays_detecting(query, point, true),
    };
    let clear = Claim {
        name: "detecting-clear",
        says: "so they do if all are in detection mode and no signal is left, whatever the clocks (\"it is clear\" in its proof)",
        canary: true,
        decide: |query, point| stays_detecting(query, point, false),
        ..detecting
    };
    let one = Claim {
        name: "one-kappa",
        place: "Algorithm 4",
        says: "what an interaction does with kappa_max = 2, 3 or 48psi to all but mode, clock, signal_R and hits, it can do with kappa_max = 1",
        about: About::Psi,
        every: None,
        given: &[],
        canary: false,
        quick: [(3, 3), (2, 5)],
        decide: one_kappa,
    };
    vec![one, detecting, clear]
}

/// No leader, no signal, all in detection mode; with clocks that say the same or not. Or there is a leader.
fn in_detection<A: Agent<State = State>>(config: &[A], kappa: usize, clocks: bool) -> A::Bit {
    let late = move |v: &State| !clocks || usize::from(v.clock) == kappa;
    let idle = |u: &A| {
        u.ask(("idle", usize::from(clocks) as isize, &["mode", "clock", "signalR"]), |v| {
            v.mode == Mode::Detect && v.signal_r == 0 && late(v)
        })
    };
    any(config.iter().map(Armed::leader)) | all(config.iter().map(idle))
}

/// Without a leader before it, no interaction leads out of this.
fn stays_detecting(query: &mut Query<'_>, point: Point, clocks: bool) -> Result<Decided, Undecided> {
    let ppl = ppl::<false>(point)?;
    let unrolling = ppl.unroll(|_, agent| agent.fix(&["leader"], &State::default()));
    let set: Set<'_, State> = either!(|config| in_detection(config, point.kappa, clocks));
    let shows = "no leader and all agents in detection mode without a signal";
    Ok(exit(query, (&ppl, &unrolling), (shows, set), &[])?.into())
}

fn one_kappa(query: &mut Query<'_>, point: Point) -> Result<Decided, Undecided> {
    for kappa in [2, 3, 48 * point.psi] {
        query.step(format!("an interaction that does with kappa_max = {kappa} what it cannot do with kappa_max = 1"));
        if let Some(witness) = differs(query, Point { kappa, ..point })? {
            return Ok(Verdict::Fails(witness).into());
        }
    }
    Ok(Verdict::Holds(None).into())
}

/// Where an agent detects.
pub(super) fn detects<A: Agent<State = State>>(u: &A) -> A::Bit {
    u.ask(("detects", 0, &["mode"]), |v| v.mode == Mode::Detect)
}

/// The same agent with kappa_max = 1: `clock` says whether r is going to detect, there is no signal and no hit.
fn with_kappa_one<'c>(
    one: &'c NamedCircuit<State>,
    rest: &[&str],
    agent: &Symbolic<'_, State>,
    detects: Lit,
) -> Symbolic<'c, State> {
    let [idle, late] = [0, 1].map(|clock| one.agent(&State { clock, ..State::default() }));
    let mut other = Symbolic::select(detects, &late, &idle);
    other.copy(rest, agent);
    other
}

/// An interaction that does with this kappa_max what it never does with kappa_max = 1.
fn differs(query: &mut Query<'_>, point: Point) -> Result<Option<Witness>, Undecided> {
    let (many, one) = (ppl::<false>(point)?, ppl::<false>(Point { kappa: 1, ..point })?);
    let rest: Vec<&str> = many.circuit.names().filter(|name| !MODES.contains(name)).collect();
    let (unrolling, e) = (many.unroll(|_, _| {}), many.ring.e(0));
    let next = unrolling.after(e);
    let detected = detects(&next[1]);
    let mut pair: Vec<_> =
        unrolling.now[..2].iter().map(|agent| with_kappa_one(&one.circuit, &rest, agent, detected)).collect();
    one.circuit.interact(&mut pair, 0, 1, &[]);
    let agrees = next[0].equal(&rest, &pair[0]) & next[1].equal(&rest, &pair[1]);
    let agrees = agrees & same(detected, detects(&pair[1]));
    let found = unrolling.find(query, &[!agrees])?;
    let shows = "no clocks make e_0 do the same with kappa_max = 1";
    many.confirm(found, &[e], shows, |trace| differs_indeed(&one.protocol, &trace[0], &trace[1]))
}

/// The same in the clear form, for one pair of states.
fn differs_indeed(one: &Ppl, before: &[State], after: &[State]) -> bool {
    let (mut l, mut r) = (before[0], before[1]);
    for v in [&mut l, &mut r] {
        (v.signal_r, v.hits, v.clock) = (0, 0, u16::from(after[1].mode == Mode::Detect));
    }
    one.interact(&mut l, &mut r, Input::default());
    let rest = |v: State| State { mode: Mode::Construct, clock: 0, signal_r: 0, hits: 0, ..v };
    (rest(after[0]), rest(after[1]), after[1].mode) != (rest(l), rest(r), r.mode)
}
