//! [YSM21]: its safe set is closed, and words lead into it from every configuration.

use ringleader::circuit::Agent;
use ringleader::params::Params;
use ringleader::protocols::elim::sets::{in_c_pb, leads_alone, peace};
use ringleader::protocols::ysm::{State, Ysm, safe_with};
use ringleader::ring::Interaction;

use super::convergence::{battles, fewer_leaders, in_vain};
use super::{About, Claim, Point, Set, either, exit};
use crate::query::{Decided, Query, Undecided, Verdict};
use crate::witness::Subject;

const SAFE: Claim = Claim {
    name: "ysm-safe",
    place: "[YSM21], a reconstruction",
    says: "with N = n, one leader, right distances and C_PB are closed, and no output changes",
    about: About::N,
    every: None,
    given: &[],
    canary: false,
    quick: [(3, 12), (2, 2)],
    decide: |query, point| is_closed(query, point, true),
};

pub(super) fn claims() -> Vec<Claim> {
    vec![
        SAFE,
        Claim {
            name: "ysm-distances",
            says: "one leader and C_PB are closed whatever the distances (the paper does not say so)",
            canary: true,
            quick: [(3, 5), (2, 2)],
            decide: |query, point| is_closed(query, point, false),
            ..SAFE
        },
        Claim {
            name: "ysm-convergence",
            says: "with N = n words lead into the safe set from every configuration, so that it is reached with probability 1",
            given: &["ysm-safe"],
            quick: [(3, 6), (2, 2)],
            decide: converges,
            ..SAFE
        },
    ]
}

/// [YSM21] with `N = n`.
fn ysm(point: Point) -> Result<Subject<Ysm>, Undecided> {
    Subject::new(point.n, &Params::default().with("bound", point.n as u64))
}

/// The safe set with leader `u_0`, or what is left of it without the distances.
fn inside<A: Agent<State = State>>(config: &[A], counted: bool) -> A::Bit {
    if counted { safe_with(config, 0) } else { leads_alone(config, 0) & peace(config) }
}

fn is_closed(query: &mut Query<'_>, point: Point, counted: bool) -> Result<Decided, Undecided> {
    let ysm = ysm(point)?;
    let fixed: &[&str] = if counted { &["leader", "dist"] } else { &["leader"] };
    let state = |i: usize| State { leader: u8::from(i == 0), dist: i as u32, ..State::default() };
    let unrolling = ysm.unroll(|i, agent| agent.fix(fixed, &state(i)));
    let set: Set<'_, State> = either!(|config| inside(config, counted));
    Ok(exit(query, (&ysm, &unrolling), ("inside the set", set), &["leader"])?.into())
}

/// Three rounds lead into C_PB, battles then leave fewer leaders, create none and end in C_PB again, and one round more is enough for the
/// distances.
fn converges(query: &mut Query<'_>, point: Point) -> Result<Decided, Undecided> {
    let ysm = ysm(point)?;
    let (around, leader) = (ysm.ring.seq_r(0, point.n), State { leader: 1, ..State::default() });
    // e_{n-1} first, so that u_0.dist = 0 and no count reaches N.
    let first = |word: Vec<Interaction>| [vec![ysm.ring.e(point.n - 1)], word].concat();
    let words: Vec<Vec<Interaction>> = battles(ysm.ring).into_iter().map(first).collect();

    let mut anywhere = ysm.unroll(|_, _| {});
    anywhere.follow(&around.repeat(3));
    let mut alone = ysm.unroll(|i, agent| agent.fix(&["leader"], &State { leader: u8::from(i == 0), ..leader }));
    alone.follow(&first(around));

    query.step("a configuration from which three rounds do not lead into C_PB");
    if anywhere.find(query, &[!in_c_pb(&anywhere.now)])?.is_some() {
        return Err(in_vain("C_PB"));
    }
    query.step("a member of C_PB with several leaders from which no word of the battle leads to a member with fewer");
    if !fewer_leaders(query, &ysm, &leader, &words, |config| in_c_pb(config))? {
        return Err(in_vain("fewer"));
    }
    query.step("a member of C_PB with one leader from which a round does not lead into the safe set");
    if alone.find(query, &[peace(&alone.start), !safe_with(&alone.now, 0)])?.is_some() {
        return Err(in_vain("distances"));
    }
    Ok(Verdict::Holds(None).into())
}
