//! P_OR and P_CL for every ring (reductions `arrows` and `near` in PROOFS.md): an interaction sees and changes two agents, and what is said of the
//! others depends on few who are near.

use std::ops::Range;

use ringleader::circuit::{Agent, all, any};
use ringleader::protocol::Protocol;
use ringleader::protocols::pcl::{self, Pcl};
use ringleader::protocols::por::{self, Direction, Por};
use ringleader::ring::Interaction;

use super::super::either;
use super::super::undirected::{colour_conflict_unseen, pcl, pcl_closed, por, reddens, stays_red};
use crate::query::{Decided, Query, Undecided, Verdict};
use crate::symbolic::Symbolic;
use crate::witness::Subject;
use ringleader_notation::graph::Lit;

type Found = Result<Option<Decided>, Undecided>;

/// A condition and its consequence, before and after an interaction of `u_0` and `u_1`.
type Says<'a, S> =
    (&'a dyn Fn(&[Symbolic<'_, S>], &[Symbolic<'_, S>]) -> [Lit; 2], &'a dyn Fn(&[S], &[S]) -> [bool; 2]);

/// Decides a fact about one interaction on a small ring, that its condition holds somewhere included.
fn fact<P: Protocol>(
    query: &mut Query<'_>,
    subject: &Subject<P>,
    e: Interaction,
    (name, says): (&str, Says<'_, P::State>),
) -> Found {
    let unrolling = subject.unroll(|_, _| {});
    let next = unrolling.after(e);
    let [given, then] = (says.0)(&unrolling.now, &next);
    query.step(format!("agents of whom this says something: {name}"));
    if unrolling.find(query, &[given])?.is_none() {
        return Ok(Some(Verdict::Nothing.with_note(format!("there are no agents as it says: {name}"))));
    }
    query.step(format!("agents of whom this is wrong: {name}"));
    let found = unrolling.find(query, &[given, !then])?;
    let shown = |trace: &[Vec<P::State>]| (says.1)(&trace[0], &trace[1]) == [true, false];
    let steps = (0..subject.protocol.coins()).map(|coin| (e, coin));
    let witness = subject.confirm_some(found, steps, &format!("u_0 and u_1 refute: {name}"), shown)?;
    Ok(witness.map(|witness| Verdict::Fails(witness).with_note(name)))
}

fn holds(found: Option<Decided>) -> Decided {
    found.unwrap_or_else(|| Verdict::Holds(None).into())
}

// --- P_OR -----------------------------------------------------------------------------------------------------

use Direction::{Left, Right};

const COLOR: (&str, fn(&por::State) -> u16) = ("color", |v| v.color);

/// What `u_0` and `u_1` are told of colours is right; their other neighbours are `u_3` and `u_2`.
fn told<A: Agent<State = por::State>>(config: &[A]) -> A::Bit {
    let differ = |i: usize, j: usize| !config[i].same(COLOR, &config[j], COLOR);
    differ(3, 1) & differ(0, 2) & por::remembers(config, 0) & por::remembers(config, 1)
}

fn strong<A: Agent<State = por::State>>(u: &A) -> A::Bit {
    u.ask(("strong", 0, &["strong"]), |v| v.strong == 1)
}

/// Both point that way.
fn agree<A: Agent<State = por::State>>(config: &[A], way: Direction) -> A::Bit {
    por::points(config, 0, way) & por::points(config, 1, way)
}

/// Where `u_0` and `u_1` point at each other, and `initiator` is strong or the other one is not.
fn wins<A: Agent<State = por::State>>(config: &[A], initiator: usize) -> A::Bit {
    strong(&config[initiator]) | !strong(&config[1 - initiator])
}

/// The facts for one direction of the interaction; the initiator wins always if `always`, which is wrong.
fn meet(query: &mut Query<'_>, por: &Subject<Por>, initiator: usize, always: bool) -> Found {
    let e = if initiator == 0 { por.ring.e(0) } else { por.ring.e(0).reversed() };
    let (mine, other) = if initiator == 0 { (Right, Left) } else { (Left, Right) };
    let points: Says<'_, por::State> = either!(|before, after| {
        let points = |i: usize| por::points(after, i, Right) | por::points(after, i, Left);
        [told(before), points(0) & points(1) & told(after)]
    });
    let goes_on: Says<'_, por::State> = either!(|before, after| {
        let kept = all([Right, Left].map(|way| !agree(before, way) | agree(after, way)));
        [told(before) & (agree(before, Right) | agree(before, Left)), kept]
    });
    let apart: Says<'_, por::State> = either!(|before, after| {
        let [before_apart, after_apart] =
            [before, after].map(|config| por::points(config, 0, Left) & por::points(config, 1, Right));
        [told(before) & before_apart, after_apart]
    });
    let win: Says<'_, por::State> = either!(|before, after| {
        let heads = told(before) & por::points(before, 0, Right) & por::points(before, 1, Left);
        let given = if always { heads } else { heads & wins(before, initiator) };
        [given, agree(after, mine) & strong(&after[1 - initiator]) & !strong(&after[initiator])]
    });
    let lose: Says<'_, por::State> = either!(|before, after| {
        let heads = told(before) & por::points(before, 0, Right) & por::points(before, 1, Left);
        let lost = agree(after, other) & strong(&after[initiator]) & !strong(&after[1 - initiator]);
        [heads & !wins(before, initiator), lost]
    });
    let facts = [
        ("who has interacted points at a neighbour, and what colours are told stays right", points),
        ("who point the same way go on", goes_on),
        ("who point apart go on", apart),
        ("of two heads the initiator wins, if it is strong or the other is not, and the loser is strong then", win),
        ("otherwise the responder wins, and the initiator is strong then", lose),
    ];
    for says in facts {
        if let Some(wrong) = fact(query, por, e, says)? {
            return Ok(Some(wrong));
        }
    }
    Ok(None)
}

/// All facts about arrows.
pub(super) fn arrows(query: &mut Query<'_>, always: bool) -> Result<Decided, Undecided> {
    let por = por(4)?;
    for initiator in [0, 1] {
        if let Some(wrong) = meet(query, &por, initiator, always)? {
            return Ok(wrong);
        }
    }
    Ok(holds(None))
}

// --- P_CL -----------------------------------------------------------------------------------------------------

/// On rings of so many agents all that `e_0` may change, and all that it depends on, are different agents.
const NEAR: usize = 10;

/// The lemmas on fresh red agents, on every ring up to one of this size.
pub(super) fn fresh_red(query: &mut Query<'_>, recoloured: bool) -> Result<Decided, Undecided> {
    for n in 3..=NEAR {
        query.step(format!("an agent that is wrongly red after e_0 on a ring of {n}"));
        let decided = reddens(query, n, recoloured)?;
        if decided.verdict != Verdict::Holds(None) {
            return Ok(decided);
        }
    }
    Ok(holds(None))
}

/// Neither of these conflicts: of colours between `u_i` and `u_{i+2}`, of stamps between `u_i` and `u_{i+1}`, for these `i`, which may be negative.
fn without_conflict<A: Agent<State = pcl::State>>(config: &[A], colours: Range<isize>, stamps: Range<isize>) -> A::Bit {
    let n = config.len();
    let place = |i: isize| i.rem_euclid(n as isize) as usize;
    let colours = any(colours.map(|i| pcl::color_conflict(config, place(i))));
    let stamps = any(stamps.map(|i| pcl::stamp_conflict(&config[place(i)], &config[place(i + 1)])));
    !colours & !stamps
}

/// Both directions of `e_0`.
fn both_ways(query: &mut Query<'_>, pcl: &Subject<Pcl>, named: (&str, Says<'_, pcl::State>)) -> Found {
    for e in [pcl.ring.e(0), pcl.ring.e(0).reversed()] {
        if let Some(wrong) = fact(query, pcl, e, named)? {
            return Ok(Some(wrong));
        }
    }
    Ok(None)
}

/// Red-free configurations: whole rings of 3 to 5 agents, and six agents in a row of any larger one.
pub(super) fn red_free(query: &mut Query<'_>) -> Result<Decided, Undecided> {
    for n in 3..=5 {
        query.step(format!("a red-free ring of {n}, and an interaction after which it is not"));
        let decided = pcl_closed(query, n, true)?;
        if decided.verdict != Verdict::Holds(None) {
            return Ok(decided);
        }
    }
    let says: Says<'_, pcl::State> = either!(|before, after| {
        let none = |config| without_conflict(config, -2..2, -1..2);
        let color = ("color", (|v| v.color) as fn(&pcl::State) -> u16);
        let kept = before[0].same(color, &after[0], color) & before[1].same(color, &after[1], color);
        [none(before), none(after) & kept]
    });
    Ok(holds(both_ways(
        query,
        &pcl(6)?,
        ("where no conflict is near there is none afterwards, and no colour changes", says),
    )?))
}

/// Lemma "red_decrease": three agents, and then rings of up to nine and ten agents in a row of any larger one.
pub(super) fn red_decrease(query: &mut Query<'_>) -> Result<Decided, Undecided> {
    for n in 3..=4 {
        query.step(format!(
            "a colour conflict of u_0 and u_2 that none of three interactions detects, on a ring of {n}"
        ));
        if let Some(witness) = colour_conflict_unseen(query, &pcl(n)?)? {
            return Ok(Verdict::Fails(witness).into());
        }
    }
    for n in 3..NEAR {
        query.step(format!("u_1 and u_2 have a stamp conflict, and u_1 meets u_0 to no avail, on a ring of {n}"));
        if let Some(witness) = stays_red(query, &pcl(n)?)? {
            return Ok(Verdict::Fails(witness).into());
        }
    }
    let says: Says<'_, pcl::State> = either!(|before, after| {
        let conflict = pcl::stamp_conflict(&before[1], &before[2]) & !pcl::stamp_conflict(&before[0], &before[1]);
        let near = [8, 9, 0, 1, 2, 3];
        let reddens = any(near.map(|i: usize| !pcl::is_red(before, i) & pcl::is_red(after, i)));
        [conflict & without_conflict(before, -4..4, 0..0), !reddens & !pcl::is_red(after, 1)]
    });
    let name = "without colour conflicts near, u_1 meets u_0 and is red no longer, and nobody becomes red";
    Ok(holds(both_ways(query, &pcl(NEAR)?, (name, says))?))
}

/// After `e_0` the colours of `u_0` and `u_1` differ, from each other and from those of all agents at distance 1 or 2.
fn are_fresh<A: Agent<State = pcl::State>>(after: &[A]) -> A::Bit {
    let n = after.len();
    let color = ("color", (|v| v.color) as fn(&pcl::State) -> u16);
    let near = [n - 2, n - 1, 2, 3 % n].into_iter().filter(|&i| i > 1);
    let taken = any(near.flat_map(|i| [0, 1].map(|k| after[k].same(color, &after[i], color))));
    !taken & !after[0].same(color, &after[1], color)
}

/// A stamp conflict is between red agents, and with fresh colours both become blue and nobody red. With any colours that is wrong.
pub(super) fn fresh_colours(query: &mut Query<'_>, any_colours: bool) -> Result<Decided, Undecided> {
    let says: Says<'_, pcl::State> = either!(|before, after| {
        let reddens = any((0..before.len()).map(|i| !pcl::is_red(before, i) & pcl::is_red(after, i)));
        let blue = all([0, 1].map(|i| pcl::is_red(before, i) & !pcl::is_red(after, i)));
        let conflict = pcl::stamp_conflict(&before[0], &before[1]);
        [if any_colours { conflict } else { conflict & are_fresh(after) }, blue & !reddens]
    });
    let name = "red agents with a stamp conflict become blue with fresh colours, and nobody becomes red";
    for n in 3..=NEAR {
        if let Some(wrong) = both_ways(query, &pcl(n)?, (name, says))? {
            return Ok(wrong);
        }
    }
    Ok(holds(None))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use ringleader::protocol::{Input, Transition};
    use ringleader::random::{Stream, index, stream};
    use ringleader::ring::{Orientation, Ring};
    use ringleader_notation::graph::in_fresh_arena;

    use super::*;

    #[test]
    fn the_facts_hold_and_canaries_fail() {
        in_fresh_arena(Box::new(|| None), || {
            let mut query = Query::new(&|| None, None);
            assert_eq!(arrows(&mut query, false).unwrap().verdict, Verdict::Holds(None));
            assert_eq!(arrows(&mut query, true).unwrap().verdict.name(), "fails");
            assert_eq!(red_free(&mut query).unwrap().verdict, Verdict::Holds(None));
            assert_eq!(red_decrease(&mut query).unwrap().verdict, Verdict::Holds(None));
            assert_eq!(fresh_colours(&mut query, false).unwrap().verdict, Verdict::Holds(None));
            assert_eq!(fresh_colours(&mut query, true).unwrap().verdict.name(), "fails");
        });
    }

    /// The words of the reduction `arrows`, on random rings.
    #[test]
    fn runs_are_removed_one_by_one() {
        let (mut generator, mut removed) = (stream(23, Stream::Start), 0);
        for n in (3..=14).flat_map(|n| [n; 20]) {
            let por = Por::with_colors(16);
            let mut u =
                ringleader::protocol::uniform(&por, Ring::new(n, Orientation::Undirected).unwrap(), &mut generator);
            // A two-hop colouring: all colours differ.
            (0..n).for_each(|i| u[i].color = i as u16);
            por::remember(&mut u, &mut generator);
            let meet = |u: &mut Vec<por::State>, a: usize, b: usize| {
                let [mut l, mut r] = [u[a % n], u[b % n]];
                por.interact(&mut l, &mut r, Input::default());
                (u[a % n], u[b % n]) = (l, r);
            };
            (0..n).for_each(|i| meet(&mut u, i, i + 1));
            let heads = |u: &[por::State]| {
                (0..n).filter(|&i| por::points(u, i, Right) && por::points(u, (i + 1) % n, Left)).collect::<Vec<_>>()
            };
            while !por::is_oriented(&u) {
                let all = heads(&u);
                let i = all[index(&mut generator, all.len())];
                let right = u[i].strong == 1 || u[(i + 1) % n].strong == 0;
                let mut at = if right { i } else { i + 1 + n };
                for _ in 0..n {
                    let next = if right { at + 1 } else { at - 1 };
                    let faces = por::points(&u, next % n, if right { Left } else { Right });
                    if !faces {
                        break;
                    }
                    meet(&mut u, at, next);
                    at = next;
                }
                assert!(heads(&u).len() < all.len(), "{u:?}");
                removed += 1;
            }
        }
        assert!(removed > 100, "{removed}");
    }
}
