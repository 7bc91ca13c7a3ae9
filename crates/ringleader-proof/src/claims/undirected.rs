//! P_OR and P_CL: their closed safe sets, and the lemmas of Section 5 and Appendix B.

use ringleader::circuit::{Agent, all, any, at_least};
use ringleader::params::Params;
use ringleader::protocols::pcl::{self, Pcl};
use ringleader::protocols::por::{self, Direction, Por};
use ringleader::ring::{Interaction, Orientation, Ring};

use super::convergence::in_vain;
use super::{About, Claim, Set, disappear, either, exit};
use crate::query::{Decided, Query, Undecided, Verdict};
use crate::witness::{Subject, Witness};

const ORIENTED: Claim = Claim {
    name: "por-oriented",
    place: "Section 5",
    says: "with 16 colours and a right memory, oriented configurations stay so and no dir changes",
    about: About::N,
    every: None,
    given: &[],
    canary: false,
    quick: [(3, 12), (2, 2)],
    decide: |query, point| oriented(query, point.n),
};

const RED_FREE: Claim = Claim {
    name: "pcl-red-free",
    place: "Appendix B",
    says: "with 16 colours, red-free configurations stay red-free and no colour changes, whatever the coins",
    decide: |query, point| pcl_closed(query, point.n, true),
    ..ORIENTED
};

pub(super) fn claims() -> Vec<Claim> {
    let of_por = vec![
        ORIENTED,
        Claim {
            name: "obstacle",
            place: "Lemma obstacle",
            says: "an agent becomes an obstacle only when it loses a head-to-head interaction and its segment disappears",
            quick: [(3, 8), (2, 2)],
            decide: |query, point| obstacle(query, point.n),
            ..ORIENTED
        },
        Claim {
            name: "disappear",
            place: "Claim disappear",
            says: "of any four neighbouring segments one disappears while seq'_R(0,n)^2 seq'_L(0,n)^2 occurs, whatever occurs in between, if the two in the middle have no obstacle",
            quick: [(3, 6), (2, 2)],
            decide: |query, point| {
                disappear::decide(query, &por(point.n)?, &sweeps(Ring::new(point.n, Orientation::Undirected)?, 2))
            },
            ..ORIENTED
        },
        Claim {
            name: "disappear-once",
            place: "Claim disappear",
            says: "without any obstacle seq'_R(0,n) seq'_L(0,n) leaves fewer segments, or the ring is oriented (the paper does not say so)",
            canary: true,
            quick: [(3, 6), (2, 2)],
            decide: |query, point| as_many_after(query, point.n, 1),
            ..ORIENTED
        },
        Claim {
            name: "por-convergence",
            place: "Theorem ssro",
            says: "words orient every configuration with right inputs, so that it is oriented with probability 1",
            given: &["por-oriented"],
            quick: [(3, 5), (2, 2)],
            decide: |query, point| por_converges(query, point.n),
            ..ORIENTED
        },
    ];
    let of_pcl = vec![
        RED_FREE,
        Claim {
            name: "pcl-two-hop-closed",
            says: "two-hop colourings stay as they are whatever the stamps (the paper does not say so)",
            canary: true,
            quick: [(3, 5), (2, 2)],
            decide: |query, point| pcl_closed(query, point.n, false),
            ..RED_FREE
        },
        Claim {
            name: "red_increase",
            place: "Lemma red_increase",
            says: "a blue agent becomes red only when a stamp conflict is detected",
            quick: [(3, 8), (2, 2)],
            decide: |query, point| reddens(query, point.n, false),
            ..RED_FREE
        },
        Claim {
            name: "recolour",
            place: "Theorem two-hop",
            says: "if a recolouring makes no colour conflict, both agents become blue and no blue agent becomes red",
            quick: [(3, 8), (2, 2)],
            decide: |query, point| reddens(query, point.n, true),
            ..RED_FREE
        },
        Claim {
            name: "red_decrease",
            place: "Lemma red_decrease",
            says: "if u_0 and u_2 have the same colour, one of (u_0,u_1) (u_1,u_2) (u_0,u_1) detects a stamp conflict, whatever others do; if no two have, u_1 and u_2 have a stamp conflict and u_1 meets u_0, that detects one or leaves fewer red agents (not how soon)",
            quick: [(3, 8), (2, 2)],
            decide: |query, point| red_decrease(query, point.n),
            ..RED_FREE
        },
    ];
    [of_por, of_pcl].concat()
}

/// P_OR with 16 colours.
pub(super) fn por(n: usize) -> Result<Subject<Por>, Undecided> {
    Subject::new(n, &Params::default())
}

/// P_CL with 16 colours.
pub(super) fn pcl(n: usize) -> Result<Subject<Pcl>, Undecided> {
    Subject::new(n, &Params::default())
}

// --- P_OR -----------------------------------------------------------------------------------------------------

fn oriented(query: &mut Query<'_>, n: usize) -> Result<Decided, Undecided> {
    let por = por(n)?;
    let set: Set<'_, por::State> = either!(|config| por::inputs_right(config) & por::is_oriented(config));
    Ok(exit(query, (&por, &por.unroll(|_, _| {})), ("oriented", set), &["color", "dir"])?.into())
}

/// The invariant of the analysis: the inputs are right and every agent points at a neighbour.
fn invariant<A: Agent<State = por::State>>(config: &[A]) -> A::Bit {
    let points = |i: usize| por::points(config, i, Direction::Right) | por::points(config, i, Direction::Left);
    por::inputs_right(config) & all((0..config.len()).map(points))
}

/// `u_i` becomes an obstacle, but not by turning while it is a segment of its own.
fn fresh_obstacle<A: Agent<State = por::State>>(before: &[A], after: &[A], i: usize) -> A::Bit {
    let turned = por::points(before, i, Direction::Right) ^ por::points(after, i, Direction::Right);
    por::is_obstacle(after, i) & !por::is_obstacle(before, i) & !(turned & por::is_alone(before, i))
}

/// By `e_0` in both directions, which stand for all interactions by rotation.
fn obstacle(query: &mut Query<'_>, n: usize) -> Result<Decided, Undecided> {
    let por = por(n)?;
    let (unrolling, ways) = (por.unroll(|_, _| {}), [por.ring.e(0), por.ring.e(0).reversed()]);
    let wrong = any(ways.map(|e| {
        let next = unrolling.after(e);
        any((0..n).map(|i| fresh_obstacle(&unrolling.now, &next, i)))
    }));
    let found = unrolling.find(query, &[invariant(&unrolling.now), wrong])?;
    let shown =
        |trace: &[Vec<por::State>]| invariant(&trace[0]) && (0..n).any(|i| fresh_obstacle(&trace[0], &trace[1], i));
    let shows = "a new obstacle that has not lost its segment";
    Ok(por.confirm_some(found, ways.map(|e| (e, 0)), shows, shown)?.into())
}

/// seq'_R(0,n)^times seq'_L(0,n)^times of Section 5: the initiator is the agent behind.
pub(super) fn sweeps(ring: Ring, times: usize) -> Vec<Interaction> {
    let left: Vec<Interaction> = ring.seq_l(0, ring.n()).into_iter().map(Interaction::reversed).collect();
    [ring.seq_r(0, ring.n()).repeat(times), left.repeat(times)].concat()
}

/// Without obstacles and not oriented before, and as many segments after: where two meet, `u_i` and `u_{i+1}` point at each other.
fn none_disappears<A: Agent<State = por::State>>(before: &[A], after: &[A]) -> A::Bit {
    let n = before.len();
    let meets = |config: &[A], i: usize| {
        por::points(config, i, Direction::Right) & por::points(config, (i + 1) % n, Direction::Left)
    };
    let meetings = |config: &[A]| at_least((0..n).map(|i| meets(config, i)));
    let fewer = any(meetings(before).into_iter().zip(meetings(after)).map(|(before, after)| before & !after));
    let free = !any((0..n).map(|i| por::is_obstacle(before, i)));
    invariant(before) & free & !por::is_oriented(before) & !fewer
}

fn as_many_after(query: &mut Query<'_>, n: usize, times: usize) -> Result<Decided, Undecided> {
    let por = por(n)?;
    let (word, mut unrolling) = (sweeps(por.ring, times), por.unroll(|_, _| {}));
    unrolling.follow(&word);
    let found = unrolling.find(query, &[none_disappears(&unrolling.start, &unrolling.now)])?;
    let shows = "no obstacle before the word, as many segments after";
    Ok(por.confirm(found, &word, shows, |trace| none_disappears(&trace[0], &trace[word.len()]))?.into())
}

/// A pair of heads can disappear in every second repetition, since the first clears the obstacles.
fn por_converges(query: &mut Query<'_>, n: usize) -> Result<Decided, Undecided> {
    let por = por(n)?;
    let (word, mut unrolling) = (sweeps(por.ring, 2).repeat(1 + n / 2), por.unroll(|_, _| {}));
    unrolling.follow(&word);
    let found = unrolling.find(query, &[por::inputs_right(&unrolling.start), !por::is_oriented(&unrolling.now)])?;
    match found {
        None => Ok(Verdict::Holds(None).with_note(format!("a word of {}", word.len()))),
        Some(_) => Err(in_vain("sweeps")),
    }
}

// --- P_CL -----------------------------------------------------------------------------------------------------

/// Red-free, or only without colour conflicts.
fn coloured<A: Agent<State = pcl::State>>(config: &[A], stamps: bool) -> A::Bit {
    let conflicts = || any((0..config.len()).map(|i| pcl::color_conflict(config, i)));
    if stamps { pcl::red_free(config) } else { !conflicts() }
}

pub(super) fn pcl_closed(query: &mut Query<'_>, n: usize, stamps: bool) -> Result<Decided, Undecided> {
    let pcl = pcl(n)?;
    let set: Set<'_, pcl::State> = either!(|config| coloured(config, stamps));
    Ok(exit(query, (&pcl, &pcl.unroll(|_, _| {})), ("inside the set", set), &["color"])?.into())
}

/// A blue agent becomes red by `e_0`, in either direction, without a stamp conflict; or with one, although both new colours are in no
/// colour conflict; or then one of the two stays red.
fn wrongly_red<A: Agent<State = pcl::State>>(before: &[A], after: &[A], recoloured: bool) -> A::Bit {
    let n = before.len();
    let conflict = pcl::stamp_conflict(&before[0], &before[1]);
    let reddens = any((0..n).map(|i| !pcl::is_red(before, i) & pcl::is_red(after, i)));
    if !recoloured {
        return reddens & !conflict;
    }
    let clash = any([n - 2, n - 1, 0, 1].map(|i| pcl::color_conflict(after, i)));
    conflict & !clash & (reddens | pcl::is_red(after, 0) | pcl::is_red(after, 1))
}

pub(super) fn reddens(query: &mut Query<'_>, n: usize, recoloured: bool) -> Result<Decided, Undecided> {
    let pcl = pcl(n)?;
    let (unrolling, ways) = (pcl.unroll(|_, _| {}), [pcl.ring.e(0), pcl.ring.e(0).reversed()]);
    let wrong = any(ways.map(|e| wrongly_red(&unrolling.now, &unrolling.after(e), recoloured)));
    let found = unrolling.find(query, &[wrong])?;
    let steps = ways.iter().flat_map(|&e| (0..256).map(move |coin| (e, coin)));
    let shown = |trace: &[Vec<pcl::State>]| wrongly_red(&trace[0], &trace[1], recoloured);
    Ok(pcl.confirm_some(found, steps, "an agent is red after the interaction", shown)?.into())
}

/// The three interactions of the proof are the next ones that touch one of these agents, so that whatever else occurs in between reads and
/// changes none of them. That `u_1` meets `u_2` instead detects their conflict by definition.
fn red_decrease(query: &mut Query<'_>, n: usize) -> Result<Decided, Undecided> {
    let pcl = pcl(n)?;
    query.step("a colour conflict of u_0 and u_2 that none of three interactions detects");
    Ok(match colour_conflict_unseen(query, &pcl)? {
        None => {
            query.step("a stamp conflict of u_1 and u_2 without colour conflicts, and u_1 meets u_0 to no avail");
            stays_red(query, &pcl)?.into()
        }
        unseen => unseen.into(),
    })
}

/// `u_0` and `u_2` have the same colour, and three interactions detect nothing.
pub(super) fn colour_conflict_unseen(query: &mut Query<'_>, pcl: &Subject<Pcl>) -> Result<Option<Witness>, Undecided> {
    let mut unrolling = pcl.unroll(|_, _| {});
    let word = [pcl.ring.e(0), pcl.ring.e(1), pcl.ring.e(0)];
    let mut unseen = vec![pcl::color_conflict(&unrolling.now, 0)];
    for e in word {
        unseen.push(!pcl::stamp_conflict(&unrolling.now[e.initiator], &unrolling.now[e.responder]));
        unrolling.interact(e);
    }
    let found = unrolling.find(query, &[all(unseen)])?;
    let shown = |trace: &[Vec<pcl::State>]| {
        let detects = |(config, e): (&Vec<pcl::State>, Interaction)| {
            pcl::stamp_conflict(&config[e.initiator], &config[e.responder])
        };
        pcl::color_conflict(&trace[0], 0) && !trace.iter().zip(word).any(detects)
    };
    pcl.confirm(found, &word, "no interaction detects a stamp conflict", shown)
}

/// No two agents have a colour conflict, `u_1` and `u_2` have a stamp conflict, `u_0` and `u_1` meet, which detects none, and not fewer agents are red.
fn no_fewer_red<A: Agent<State = pcl::State>>(before: &[A], after: &[A]) -> A::Bit {
    let n = before.len();
    let conflict = pcl::stamp_conflict(&before[1], &before[2]) & !any((0..n).map(|i| pcl::color_conflict(before, i)));
    let reddens = any((0..n).map(|i| !pcl::is_red(before, i) & pcl::is_red(after, i)));
    conflict & !pcl::stamp_conflict(&before[0], &before[1]) & (reddens | pcl::is_red(after, 1))
}

pub(super) fn stays_red(query: &mut Query<'_>, pcl: &Subject<Pcl>) -> Result<Option<Witness>, Undecided> {
    let (unrolling, ways) = (pcl.unroll(|_, _| {}), [pcl.ring.e(0), pcl.ring.e(0).reversed()]);
    let wrong = any(ways.map(|e| no_fewer_red(&unrolling.now, &unrolling.after(e))));
    let found = unrolling.find(query, &[wrong])?;
    let shown = |trace: &[Vec<pcl::State>]| no_fewer_red(&trace[0], &trace[1]);
    pcl.confirm_some(found, ways.map(|e| (e, 0)), "not fewer agents are red after the interaction", shown)
}
