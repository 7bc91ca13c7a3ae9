//! The lemmas of Section 4.1 and 4.2 on bullets.
//!
//! Of everything outside *EliminateLeaders* the war sees only whether a leader is created at r, which may happen or not unless l is a leader
//! (then r is in construction mode); that is so for every psi and kappa_max, so one of each stands for all.

use ringleader::circuit::{Bit, any};
use ringleader::protocols::elim::sets::{Armed, in_c_pb, leads_alone, peace, peaceful};
use ringleader::protocols::ppl::State;

use super::{About, Claim, Point, Relation, either, ppl};
use crate::query::{Decided, Query, Undecided, Verdict};

const CLOSED: Claim = Claim {
    name: "cpb_closed",
    place: "Lemma cpb_closed",
    says: "C_PB is closed",
    about: About::N,
    canary: false,
    quick: [(3, 12), (2, 2)],
    decide: |query, point| one_step(query, point, either!(|before, after| in_c_pb(before) & !in_c_pb(after))),
};

pub(super) fn claims() -> Vec<Claim> {
    vec![
        CLOSED,
        Claim {
            name: "never_kill",
            place: "Lemma never_kill",
            says: "if there is one leader, a peaceful bullet never kills it",
            decide: |query, point| one_step(query, point, either!(|before, after| killed(before, after))),
            ..CLOSED
        },
        Claim {
            name: "new_live_bullet",
            place: "Lemma new_live_bullet",
            says: "every newly fired live bullet is peaceful",
            decide: |query, point| one_step(query, point, either!(|before, after| new_unpeaceful(before, after))),
            ..CLOSED
        },
        Claim {
            name: "once_peaceful",
            place: "Lemma once_peaceful",
            says: "a peaceful bullet never becomes non-peaceful",
            decide: |query, point| one_step(query, point, either!(|before, after| peace_lost(before, after))),
            ..CLOSED
        },
        Claim {
            name: "get_peaceful",
            place: "Lemma get_peaceful",
            says: "after seq_R(0,n)^2 every live bullet is peaceful, from every configuration",
            quick: [(3, 6), (2, 2)],
            decide: |query, point| get_peaceful(query, point, 2),
            ..CLOSED
        },
        Claim {
            name: "get_peaceful-once",
            place: "Lemma get_peaceful",
            says: "one seq_R(0,n) is enough for that (the paper does not say so)",
            canary: true,
            quick: [(3, 5), (2, 2)],
            decide: |query, point| get_peaceful(query, point, 1),
            ..CLOSED
        },
    ]
}

/// A violation by `e_0`, which stands for all interactions by rotation.
fn one_step(query: &mut Query<'_>, point: Point, violated: Relation<'_, State>) -> Result<Decided, Undecided> {
    let ppl = ppl::<false>(point)?;
    let (unrolling, e) = (ppl.unroll(|_, _| {}), ppl.ring.e(0));
    let found = unrolling.find(query, &[(violated.0)(&unrolling.now, &unrolling.after(e))])?;
    Ok(ppl.confirm(found, &[e], "violated by e_0", |trace| (violated.1)(&trace[0], &trace[1]))?.into())
}

/// `Peaceful(i)` by `i`.
fn peaceful_by_index<A: Armed>(config: &[A]) -> Vec<A::Bit> {
    let mut by_index = vec![A::Bit::ZERO; config.len()];
    peaceful(config).for_each(|(i, peaceful)| by_index[i] = peaceful);
    by_index
}

/// `u_1` is the only leader, `u_0` holds a peaceful bullet, and `u_1` is killed.
fn killed<A: Armed>(before: &[A], after: &[A]) -> A::Bit {
    leads_alone(before, 1) & before[0].live() & peaceful_by_index(before)[0] & !after[1].leader()
}

/// After `e_0` a live bullet is at `u_1` that was at neither agent before: it was fired by `u_0` (Line 52, and moved at once), or with
/// the leader that was created at `u_1` (Lines 6 and 20).
fn new_unpeaceful<A: Armed>(before: &[A], after: &[A]) -> A::Bit {
    let fires = before[0].leader() & before[0].signal_b();
    let created = !before[1].leader() & after[1].leader();
    let fresh = created | (!before[1].live() & (!before[0].live() | fires));
    fresh & after[1].live() & !peaceful_by_index(after)[1]
}

/// Where a live bullet of `u_i` is after `e_0`: `u_0`'s moves to `u_1` or vanishes, the others stay (or `u_1`'s is fired anew).
fn peace_lost<A: Armed>(before: &[A], after: &[A]) -> A::Bit {
    let (peaceful, then) = (peaceful_by_index(before), peaceful_by_index(after));
    any((0..before.len()).map(|i| {
        let to = i.max(1);
        let moved = if i == 0 { !before[1].live() } else { A::Bit::ONE };
        before[i].live() & peaceful[i] & moved & after[to].live() & !then[to]
    }))
}

/// Everything that *EliminateLeaders* does not see.
pub(super) const OUTSIDE_WAR: [&str; 9] = ["b", "dist", "last", "tokenB", "tokenW", "mode", "clock", "signalR", "hits"];

/// First with leaders created wherever that is conceivable, which covers every psi and kappa_max; if that fails, in P_PL itself.
fn get_peaceful(query: &mut Query<'_>, point: Point, times: usize) -> Result<Decided, Undecided> {
    let ppl = ppl::<false>(point)?;
    let word = ppl.ring.seq_r(0, point.n).repeat(times);
    let mut whatever = ppl.unroll(|_, _| {});
    for &e in &word {
        whatever.forget(&[e.initiator, e.responder], &OUTSIDE_WAR);
        whatever.interact(e);
    }
    if whatever.find(query, &[!peace(&whatever.now)])?.is_none() {
        return Ok(Verdict::Holds(None).with_note("whatever creates leaders"));
    }
    let mut unrolling = ppl.unroll(|_, _| {});
    unrolling.follow(&word);
    let found = unrolling.find(query, &[!peace(&unrolling.now)])?;
    let shows = "a live bullet is not peaceful at the end";
    Ok(ppl.confirm(found, &word, shows, |trace| !peace(&trace[word.len()]))?.into())
}
