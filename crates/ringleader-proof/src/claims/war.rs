//! The lemmas of Section 4.1 and 4.2 on bullets.
//!
//! Of everything outside *EliminateLeaders* the war sees only whether a leader is created at r, which may happen or not unless l is a leader
//! (then r is in construction mode); that is so for every psi and kappa_max, so one of each stands for all.

use ringleader::circuit::{Bit, all, any, implies};
use ringleader::protocol::{Input, Transition};
use ringleader::protocols::elim::sets::{Armed, in_c_pb, leads_alone, peace, peaceful};
use ringleader::protocols::ppl::{Ppl, PplOf, State};
use ringleader::ring::Interaction;

use super::tokens::WAR;
use super::{About, Claim, Point, Relation, Set, either, exit, ppl};
use crate::query::{Decided, Query, Undecided, Verdict};
use crate::symbolic::Symbolic;
use crate::witness::{Subject, Witness};
use ringleader_notation::graph::Lit;

const CLOSED: Claim = Claim {
    name: "cpb_closed",
    place: "Lemma cpb_closed",
    says: "C_PB is closed, also in P'_PL",
    about: About::N,
    every: None,
    given: &[],
    canary: false,
    quick: [(3, 12), (2, 2)],
    decide: |query, point| {
        let leaves: Relation<'_, State> = either!(|before, after| in_c_pb(before) & !in_c_pb(after));
        Ok(match one_step::<false>(query, point, leaves)? {
            None => one_step::<true>(query, point, leaves)?.into(),
            left => left.into(),
        })
    },
};

pub(super) fn claims() -> Vec<Claim> {
    vec![
        CLOSED,
        Claim {
            name: "never_kill",
            place: "Lemma never_kill",
            says: "if there is one leader, a peaceful bullet never kills it",
            decide: |query, point| {
                Ok(one_step::<false>(query, point, either!(|before, after| killed(before, after)))?.into())
            },
            ..CLOSED
        },
        Claim {
            name: "new_live_bullet",
            place: "Lemma new_live_bullet",
            says: "every newly fired live bullet is peaceful, also those of leaders that Lines 6 and 20 create again",
            decide: new_live_bullet,
            ..CLOSED
        },
        Claim {
            name: "once_peaceful",
            place: "Lemma once_peaceful",
            says: "a peaceful bullet never becomes non-peaceful",
            decide: |query, point| {
                Ok(one_step::<false>(query, point, either!(|before, after| peace_lost(before, after)))?.into())
            },
            ..CLOSED
        },
        Claim {
            name: "cpb-strict",
            place: "Corollary cpb_cnz",
            says: "C_PB is not all of C_NZ: a closed set with a leader in every member has others as well",
            quick: [(3, 8), (2, 2)],
            decide: strict,
            ..CLOSED
        },
        Claim {
            name: "get_peaceful",
            place: "Lemma get_peaceful",
            says: "after seq_R(0,n)^2 with nothing in between (the paper allows it) every live bullet is peaceful, from every configuration",
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
fn one_step<const PRIME: bool>(
    query: &mut Query<'_>,
    point: Point,
    violated: Relation<'_, State>,
) -> Result<Option<Witness>, Undecided> {
    let ppl = ppl::<PRIME>(point)?;
    query.step(format!("a configuration of {} in which e_0 violates it", if PRIME { "P'_PL" } else { "P_PL" }));
    let (unrolling, e) = (ppl.unroll(|_, _| {}), ppl.ring.e(0));
    let found = unrolling.find(query, &[(violated.0)(&unrolling.now, &unrolling.after(e))])?;
    ppl.confirm(found, &[e], "violated by e_0", |trace| (violated.1)(&trace[0], &trace[1]))
}

fn new_live_bullet(query: &mut Query<'_>, point: Point) -> Result<Decided, Undecided> {
    let ppl = ppl::<false>(point)?;
    let (unrolling, e) = (ppl.unroll(|_, _| {}), ppl.ring.e(0));
    let created = creates(&ppl, &unrolling.now, e);
    let found = unrolling.find(query, &[new_unpeaceful(&unrolling.now, &unrolling.after(e), created)])?;
    let shown = |trace: &[Vec<State>]| new_unpeaceful(&trace[0], &trace[1], creates_in(&ppl.protocol, &trace[0], e));
    Ok(ppl.confirm(found, &[e], "violated by e_0", shown)?.into())
}

/// Where an interaction executes Line 6 or 20, at a leader as well, where Line 5 does not look. Algorithms 2-4 read no variable of the war,
/// and with none of its marks around nothing but these lines puts a live bullet at r.
pub(super) fn creates(ppl: &Subject<Ppl>, config: &[Symbolic<'_, State>], e: Interaction) -> Lit {
    let bare = |i: usize| {
        let mut agent = config[i].clone();
        agent.fix(&WAR, &State::default());
        agent
    };
    let mut pair = [bare(e.initiator), bare(e.responder)];
    ppl.circuit.interact(&mut pair, 0, 1, &[]);
    pair[1].live()
}

/// The same in the clear form.
pub(super) fn creates_in<const PRIME: bool>(ppl: &PplOf<PRIME>, config: &[State], e: Interaction) -> bool {
    let [mut l, mut r] = [e.initiator, e.responder].map(|i| State { bullet: 0, shield: 0, signal_b: 0, ..config[i] });
    ppl.interact(&mut l, &mut r, Input::default());
    r.bullet == 2
}

/// `Peaceful(i)` by `i`.
pub(super) fn peaceful_by_index<A: Armed>(config: &[A]) -> Vec<A::Bit> {
    let mut by_index = vec![A::Bit::ZERO; config.len()];
    peaceful(config).for_each(|(i, peaceful)| by_index[i] = peaceful);
    by_index
}

/// `u_1` is the only leader, `u_0` holds a peaceful bullet, and `u_1` is killed.
fn killed<A: Armed>(before: &[A], after: &[A]) -> A::Bit {
    leads_alone(before, 1) & before[0].live() & peaceful_by_index(before)[0] & !after[1].leader()
}

/// After `e_0` a live bullet is at `u_1` that was at neither agent before: it was fired by `u_0` (Line 52, and moved at once), or by the
/// leader that was created at `u_1`, perhaps again (Lines 6 and 20).
fn new_unpeaceful<A: Armed>(before: &[A], after: &[A], created: A::Bit) -> A::Bit {
    fired(before, after, created) & !peaceful_by_index(after)[1]
}

/// A live bullet was fired and is at `u_1`.
pub(super) fn fired<A: Armed>(before: &[A], after: &[A], created: A::Bit) -> A::Bit {
    let fires = before[0].leader() & before[0].signal_b();
    let fresh = created | (!before[1].live() & (!before[0].live() | fires));
    fresh & after[1].live()
}

/// Where a live bullet of `u_i` is after `e_0`: `u_0`'s moves to `u_1` or vanishes, the others stay (or `u_1`'s is fired anew).
pub(super) fn peace_lost<A: Armed>(before: &[A], after: &[A]) -> A::Bit {
    let (peaceful, then) = (peaceful_by_index(before), peaceful_by_index(after));
    any((0..before.len()).map(|i| {
        let to = i.max(1);
        let moved = if i == 0 { !before[1].live() } else { A::Bit::ONE };
        before[i].live() & peaceful[i] & moved & after[to].live() & !then[to]
    }))
}

/// The live bullet of `u_0` is about to vanish at the leader `u_1`, which is shielded; no signal has come to `u_0` from its nearest left
/// leader on, and all other live bullets are peaceful. If `u_1` is the only leader, this one is as well.
fn doomed<A: Armed>(config: &[A]) -> A::Bit {
    let peaceful = peaceful_by_index(config);
    let others = all((1..config.len()).map(|i| implies(config[i].live(), || peaceful[i])));
    let quiet = |quiet: A::Bit, u: &A| u.leader() | (quiet & !u.signal_b());
    let quiet = config[1..].iter().chain(&config[..1]).fold(A::Bit::ZERO, quiet);
    let (u_0, u_1) = (&config[0], &config[1]);
    u_0.live() & u_1.leader() & u_1.shield() & quiet & others & (peaceful[0] | !leads_alone(config, 1))
}

/// C_PB with such configurations is closed, and they are not all in C_PB.
fn strict(query: &mut Query<'_>, point: Point) -> Result<Decided, Undecided> {
    let ppl = ppl::<false>(point)?;
    let unrolling = ppl.unroll(|_, _| {});
    let set: Set<'_, State> = either!(|config| in_c_pb(config) | doomed(config));
    if let Some(witness) = exit(query, (&ppl, &unrolling), ("in the larger set", set), &[])? {
        return Ok(Verdict::Fails(witness).with_note("the larger set is not closed"));
    }
    let outside: Set<'_, State> = either!(|config| doomed(config) & !in_c_pb(config));
    let found = unrolling.find(query, &[(outside.0)(&unrolling.now)])?;
    let shows = "in C_NZ, not in C_PB: the bullet of u_0 is not peaceful, and can kill none but u_1 while another leader is left";
    let member = ppl.confirm(found, &[], shows, |trace| (outside.1)(&trace[0]))?;
    Ok(member.map_or(Verdict::Nothing, |member| Verdict::Holds(Some(member))).into())
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::sync::Arc;

    use ringleader::params::Params;
    use ringleader::protocol::Protocol;
    use ringleader::random::{Stream, stream};
    use ringleader::ring::{Orientation, Ring};
    use ringleader_notation::listing::Lines;
    use ringleader_notation::written::Trouble;

    use super::*;

    /// The text of P_PL says which lines it executes.
    #[test]
    fn lines_6_and_20_are_executed_where_the_text_says_so() {
        let source = include_str!("../../../../protocols/ppl.py");
        let at =
            |number: &str| source.lines().position(|line| line.ends_with(&format!("# {number}"))).unwrap() as u32 + 1;
        let (text, lines) = (Arc::new(ringleader_notation::read("ppl.py", source).unwrap()), [at("6"), at("20")]);
        for psi in [2, 3] {
            let (ring, params) =
                (Ring::new(4, Orientation::Directed).unwrap(), Params::default().with("psi", psi).with("kappa", 1));
            let listing = Lines::new(&text, ring, &params, &Trouble::default()).unwrap();
            let ppl = Ppl::new(ring, &params).unwrap();
            let (variables, mut generator) = (ppl.variables(), stream(11, Stream::Start));
            let mut seen = [0; 4];
            for _ in 0..4_000 {
                let mut config = vec![State::default(); 4];
                config.iter_mut().for_each(|state| variables.randomise(state, &mut generator));
                let created = creates_in(&ppl, &config, ring.e(1));
                let executed = listing.of(&[1, 2].map(|i| variables.encode(&config[i])), Input::default());
                assert_eq!(created, executed.iter().any(|line| lines.contains(line)), "{config:?}");
                seen[usize::from(created) * 2 + usize::from(config[2].leader)] += 1;
            }
            assert!(seen.iter().all(|&times| times > 50), "{seen:?}");
        }
    }
}
