//! Lemma "safe" and what is around it: S_PL is closed, and which of its conditions are needed.

use ringleader::circuit::{Agent, Bit, all, any, implies};
use ringleader::protocols::elim::sets::{Armed, leads_alone, peace};
use ringleader::protocols::ppl::sets::{Condition, Sets};
use ringleader::protocols::ppl::{BLACK, Ppl, State, WHITE};

use super::war::{creates, creates_in};
use super::{About, Claim, Point, Set, either, exit, ppl};
use crate::query::{Decided, Query, Undecided, Verdict};
use crate::unrolling::Unrolling;
use crate::witness::Subject;
use ringleader_notation::graph::Lit;

const CLOSED: Claim = Claim {
    name: "safe",
    place: "Lemma safe",
    says: "S_PL is closed, and inside it no leader is created or killed, no b changes, and Lines 6 and 20 are never executed, for every kappa_max",
    about: About::NPsi,
    every: None,
    given: &["one-kappa"],
    canary: false,
    quick: [(3, 10), (2, 4)],
    decide: |query, point| is_safe(query, point, ("in S_PL", either!(|config| sets(point, config).s_pl(0)))),
};

pub(super) fn claims() -> Vec<Claim> {
    let others = [
        Claim {
            name: "safe-literal",
            says: "all of that for S_PL with S_0 the whole ring where zeta = 1 (Section 3.2)",
            quick: [(3, 6), (2, 4)],
            decide: |query, point| {
                let set: Set<'_, State> = either!(|config| sets(point, config).s_pl_literal(0));
                is_safe(query, point, ("in S_PL (literal)", set))
            },
            ..CLOSED
        },
        Claim {
            name: "literal-trap",
            place: "Definition srl, Section 3.2",
            says: "where zeta = 1 and S_0 is the whole ring, a valid token that moves right stays for ever: S_PL is never reached",
            quick: [(3, 4), (4, 5)],
            decide: literal_trap,
            ..CLOSED
        },
        Claim {
            name: "good-creates-none",
            place: "Section 3.2, the note after Lines 16-17",
            says: "in a good configuration with one leader no token makes a leader in the first or the last segment",
            canary: true,
            quick: [(4, 8), (3, 3)],
            decide: good_creates_none,
            ..CLOSED
        },
        Claim {
            name: "safe-more",
            place: "Definition 1",
            says: "S_PL is not all of the safe configurations: agents outside the last segment may have last = 1",
            quick: [(4, 8), (2, 3)],
            decide: more,
            ..CLOSED
        },
        Claim {
            name: "safe-not-empty",
            place: "Definition srl",
            says: "S_PL has a member, which is perfect",
            given: &[],
            quick: [(3, 12), (2, 4)],
            decide: not_empty,
            ..CLOSED
        },
        Claim {
            name: "cpb-lone-closed",
            place: "Section 4.1: \"Unfortunately, the answer is no\"",
            says: "C_PB with one leader is closed",
            canary: true,
            quick: [(3, 5), (2, 3)],
            decide: |query, point| {
                let set: Set<'_, State> = either!(|config| leads_alone(config, 0) & peace(config));
                closed(query, point, &["leader"], ("in C_PB with one leader", set), &[])
            },
            ..CLOSED
        },
    ];
    let needed = NEEDED.map(|(name, says, decide)| Claim {
        name,
        place: "Definition srl",
        says,
        quick: [(7, 8), (2, 3)],
        decide,
        ..CLOSED
    });
    [&[CLOSED][..], &others, &needed].concat()
}

/// What S_PL fixes for certain, and what must not change in it.
const CONDITIONS_FIX: [&str; 3] = ["leader", "dist", "last"];
const STILL: [&str; 2] = ["leader", "b"];

pub(super) fn sets<A: Agent<State = State>>(point: Point, config: &[A]) -> Sets<'_, A> {
    Sets::new(point.psi as u8, config)
}

/// What `u_i` is in C_DL with leader `u_0`.
pub(super) fn settled(Point { n, psi, .. }: Point, i: usize) -> State {
    let last = u8::from(i >= psi * (n.div_ceil(psi) - 1));
    State { leader: u8::from(i == 0), dist: (i % (2 * psi)) as u8, last, ..State::default() }
}

/// All configurations in which these variables are as in C_DL with leader `u_0`.
fn unroll<'c>(ppl: &'c Subject<Ppl>, point: Point, fixed: &[&str]) -> Unrolling<'c, State> {
    ppl.unroll(|i, agent| agent.fix(fixed, &settled(point, i)))
}

/// No interaction leaves the set, changes a leader or a `b`, or executes Line 6 or 20, of which a leader would show nothing but bullets.
fn is_safe(query: &mut Query<'_>, point: Point, set: (&str, Set<'_, State>)) -> Result<Decided, Undecided> {
    let decided = closed(query, point, &CONDITIONS_FIX, set, &STILL)?;
    if !matches!(decided.verdict, Verdict::Holds(_)) {
        return Ok(decided);
    }
    executes(query, point, set)
}

/// No interaction executes Line 6 or 20 in the set.
fn executes(query: &mut Query<'_>, point: Point, set: (&str, Set<'_, State>)) -> Result<Decided, Undecided> {
    let ppl = ppl::<false>(point)?;
    let unrolling = unroll(&ppl, point, &CONDITIONS_FIX);
    let executed = any((0..point.n).map(|i| creates(&ppl, &unrolling.now, ppl.ring.e(i))));
    query.step(format!("a configuration {}, and an interaction that executes Line 6 or 20", set.0));
    let found = unrolling.find(query, &[(set.1.0)(&unrolling.now), executed])?;
    let makes =
        |config: &Vec<State>| (0..point.n).map(|i| ppl.ring.e(i)).find(|&e| creates_in(&ppl.protocol, config, e));
    let wrong = found.as_ref().and_then(makes);
    let shows = format!("{} before the interaction, which executes Line 6 or 20", set.0);
    let shown =
        |trace: &[Vec<State>]| (set.1.1)(&trace[0]) && wrong.is_some_and(|e| creates_in(&ppl.protocol, &trace[0], e));
    Ok(ppl.confirm(found, wrong.as_slice(), &shows, shown)?.into())
}

/// No interaction leaves the set.
fn closed(
    query: &mut Query<'_>,
    point: Point,
    fixed: &[&str],
    set: (&str, Set<'_, State>),
    still: &[&str],
) -> Result<Decided, Undecided> {
    let ppl = ppl::<false>(point)?;
    Ok(exit(query, (&ppl, &unroll(&ppl, point, fixed)), set, still)?.into())
}

type Needed = (&'static str, &'static str, super::Decide);

const NEEDED: [Needed; 7] = [
    ("needed-peaceful", "S_PL without \"live bullets are peaceful\" is not closed", |query, point| {
        needed(query, point, Condition::Peace, "peaceful")
    }),
    ("needed-one-leader", "S_PL without \"u_0 is the only leader\" is not closed", |query, point| {
        needed(query, point, Condition::OneLeader, "one-leader")
    }),
    ("needed-dist", "S_PL without \"dist is right\" is not closed", |query, point| {
        needed(query, point, Condition::Dist, "dist")
    }),
    ("needed-last", "S_PL without \"last is right\" is not closed", |query, point| {
        needed(query, point, Condition::Last, "last")
    }),
    ("needed-no-risky", "S_PL without \"no token is risky\" is not closed", |query, point| {
        needed(query, point, Condition::Risky, "no-risky")
    }),
    ("needed-ids", "S_PL without \"IDs are consecutive\" is not closed", |query, point| {
        needed(query, point, Condition::Ids, "ids")
    }),
    ("needed-correct-tokens", "S_PL without \"valid tokens are correct\" is not closed", |query, point| {
        needed(query, point, Condition::Tokens, "correct-tokens")
    }),
];

/// S_PL with leader `u_0` without one of its conditions.
pub(super) fn without<A: Agent<State = State>>(point: Point, dropped: Condition, config: &[A]) -> A::Bit {
    sets(point, config).has_all(Condition::ALL.into_iter().filter(|&condition| condition != dropped), 0)
}

/// Without this condition some interaction leaves the set.
fn needed(query: &mut Query<'_>, point: Point, dropped: Condition, name: &str) -> Result<Decided, Undecided> {
    let ppl = ppl::<false>(point)?;
    let set: Set<'_, State> = either!(|config| without(point, dropped, config));
    let name = format!("all conditions of S_PL but {name}");
    Ok(match exit(query, (&ppl, &unroll(&ppl, point, &[])), (&name, set), &[])? {
        None => Verdict::Nothing.with_note("closed without it"),
        witness => Verdict::Holds(witness).into(),
    })
}

/// S_PL with `last = 1` demanded in the last segment and nothing elsewhere.
fn last_loose<A: Agent<State = State>>(point: Point, config: &[A]) -> A::Bit {
    let sets = sets(point, config);
    let last = |(i, u): (usize, &A)| implies(A::Bit::constant(sets.in_last(i)), || sets.last(u));
    without(point, Condition::Last, config) & all(config.iter().enumerate().map(last))
}

/// The looser set is closed and outputs are constant in it, and it has a member outside S_PL.
fn more(query: &mut Query<'_>, point: Point) -> Result<Decided, Undecided> {
    let ppl = ppl::<false>(point)?;
    let unrolling = unroll(&ppl, point, &["leader", "dist"]);
    let set: Set<'_, State> = either!(|config| last_loose(point, config));
    if let Some(witness) = exit(query, (&ppl, &unrolling), ("in the looser set", set), &STILL)? {
        return Ok(Verdict::Fails(witness).with_note("the looser set is not closed"));
    }
    let outside: Set<'_, State> = either!(|config| last_loose(point, config) & !sets(point, config).s_pl(0));
    member(query, (&ppl, &unrolling), ("safe, but not in S_PL", outside), "zeta = 1: the looser set is S_PL")
}

/// S_PL with a valid token that moves right. Where zeta = 1 no token ever moves, since all agents have `last = 1`; if `S_0` is the
/// whole ring, such a token is risky.
fn trapped<A: Agent<State = State>>(point: Point, config: &[A]) -> A::Bit {
    let sets = sets(point, config);
    let right = |u: &A, c: usize| sets.has_valid_token(u, c) & sets.moves_right(u, c);
    sets.s_pl(0) & any(config.iter().flat_map(|u| [right(u, BLACK), right(u, WHITE)]))
}

/// The trap is closed, and it has a member, which is not in S_PL read literally.
fn literal_trap(query: &mut Query<'_>, point: Point) -> Result<Decided, Undecided> {
    let ppl = ppl::<false>(point)?;
    let unrolling = unroll(&ppl, point, &CONDITIONS_FIX);
    let set: Set<'_, State> = either!(|config| trapped(point, config));
    if let Some(witness) = exit(query, (&ppl, &unrolling), ("in the trap", set), &[])? {
        return Ok(Verdict::Fails(witness).with_note("the trap is not closed"));
    }
    let set: Set<'_, State> = either!(|config| trapped(point, config) & !sets(point, config).s_pl_literal(0));
    member(query, (&ppl, &unrolling), ("in S_PL, and never in S_PL read literally", set), "the trap is empty")
}

/// The note says that inconsistent IDs of the first and the last segment never make a leader; a risky token does.
fn good_creates_none(query: &mut Query<'_>, point: Point) -> Result<Decided, Undecided> {
    let ppl = ppl::<false>(point)?;
    let unrolling = unroll(&ppl, point, &CONDITIONS_FIX);
    let ignored = |i: usize| i < point.psi || sets(point, &unrolling.now).in_last(i);
    let created = |i: usize| {
        let r = (i + 1) % point.n;
        let next = unrolling.after(ppl.ring.e(i));
        Lit::of(ignored(r)) & !unrolling.now[r].leader() & next[r].leader()
    };
    let found = unrolling.find(query, &[any((0..point.n).map(created))])?;
    let creates = |trace: &[Vec<State>]| {
        let fresh = |i: usize| ignored(i) && trace[0][i].leader == 0 && trace[1][i].leader == 1;
        sets(point, &trace[0]).good() && (0..point.n).any(fresh)
    };
    let steps = (0..point.n).map(|i| (ppl.ring.e(i), 0));
    Ok(ppl.confirm_some(found, steps, "good before the interaction, which makes a leader", creates)?.into())
}

/// The solver finds a member; larger rings have those of the start `safe`.
fn not_empty(query: &mut Query<'_>, point: Point) -> Result<Decided, Undecided> {
    let ppl = ppl::<false>(point)?;
    let set: Set<'_, State> =
        (&|config| sets(point, config).s_pl(0), &|config| sets(point, config).s_pl(0) && sets(point, config).perfect());
    member(query, (&ppl, &unroll(&ppl, point, &[])), ("a member of S_PL", set), "empty")
}

/// A claim that a set has a member.
fn member(
    query: &mut Query<'_>,
    (ppl, unrolling): (&Subject<Ppl>, &Unrolling<'_, State>),
    (shows, set): (&str, Set<'_, State>),
    otherwise: &str,
) -> Result<Decided, Undecided> {
    let found = unrolling.find(query, &[(set.0)(&unrolling.now)])?;
    Ok(match ppl.confirm(found, &[], shows, |trace| (set.1)(&trace[0]))? {
        None => Verdict::Nothing.with_note(otherwise),
        witness => Verdict::Holds(witness).into(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use ringleader_notation::graph::in_fresh_arena;

    use super::*;

    /// Risky tokens make Line 20 run, and nothing does in S_PL.
    #[test]
    fn a_condition_less_and_the_lines_are_executed() {
        let verdict = |point: Point, dropped: Option<Condition>| {
            let all = Condition::ALL.into_iter().filter(move |&one| Some(one) != dropped);
            let set: Set<'_, State> = either!(|config| sets(point, config).has_all(all.clone(), 0));
            let mut query = Query::new(&|| None, None);
            in_fresh_arena(Box::new(|| None), || executes(&mut query, point, ("in the set", set))).unwrap().verdict
        };
        let point = Point { n: 7, psi: 3, kappa: 1 };
        assert_eq!(verdict(point, None).name(), "holds");
        assert_eq!(verdict(point, Some(Condition::Risky)).name(), "fails");
        assert_eq!(verdict(Point { n: 9, ..point }, Some(Condition::Tokens)).name(), "fails");
    }
}
