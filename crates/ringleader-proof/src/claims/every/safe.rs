//! Lemma "safe" for every ring: what an interaction in S_PL can do is a question about two agents and the bits around them.
//!
//! S_PL with leader `u_0` is a conjunction over places `k` (reduction `places` in PROOFS.md): `A_k`, that leader, dist and last of `u_k` are
//! what its place says and that no token there is risky; `K_k`, that valid tokens of `u_k` are correct; `D_k`, that `b(k+psi)` is the bit of
//! the ID plus 1; and peace. `e_j` writes `u_j` and `u_{j+1}` only, so that a question has what of all this they see, by the
//! place `j` relative to the segment, the start and the end of the ring. How far IDs and tokens are right is a number of its own: all of
//! S_PL if it is where the last segment begins, less on the way there.

use std::collections::HashSet;
use std::ops::Range;

use ringleader::circuit::{Agent, Bit, all, implies, same};
use ringleader::protocols::ppl::{BLACK, State, WHITE, valid};

use super::super::either;
use super::meeting::{Meeting, Rules, Scene};
use super::words::risky;
use crate::query::{Decided, Query, Undecided, Verdict};

/// What is expected of one of the two agents.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Side {
    leader: bool,
    dist: usize,
    last: bool,
    /// A token that moves right is risky if its target is nearer than this.
    inside: usize,
    /// The place in the segment.
    offset: usize,
    /// The tokens of which something is asked, by `token[1]`: those that move right, and those that move left.
    right: Range<isize>,
    left: Range<isize>,
}

/// All that the question about `e_j` depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Question {
    psi: usize,
    sides: [Side; 2],
    /// Whether `u_{j+1}` is `u_0`.
    wraps: bool,
    /// Whether `b(j+1)` must stay, and whether it follows from bits before it.
    settled: bool,
    follows: bool,
}

/// How far IDs and tokens are right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// In all of S_PL, where no leader is created and no bit changes.
    Whole,
    /// In the first segments, however many; no leader is created.
    Begun,
}

/// Which conditions of S_PL a question leaves out: so it must fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dropped {
    Nothing,
    Risky,
    Tokens,
    Ids,
}

/// What `e_j` is asked on a ring of `n` agents whose IDs and tokens are right up to `end`.
fn question((n, psi): (usize, usize), j: usize, end: usize, extent: Extent) -> Question {
    let last_begins = psi * (n.div_ceil(psi) - 1);
    let side = |k: usize| {
        let (k, psi, end) = (k as isize, psi as isize, end as isize);
        Side {
            leader: k == 0,
            dist: (k % (2 * psi)) as usize,
            last: k >= last_begins as isize,
            inside: if last_begins == 0 { 0 } else { (psi - k).max(0) as usize },
            offset: (k % psi) as usize,
            right: (psi - k).max(1)..(end - k).min(psi + 1),
            left: (-k).max(1 - psi)..(end - psi - k).min(0),
        }
    };
    let (next, wraps) = ((j + 1) % n, j + 1 == n);
    let blank = |range: Range<isize>| if range.is_empty() { 0..0 } else { range };
    let sides =
        [side(j), side(next)].map(|side| Side { right: blank(side.right.clone()), left: blank(side.left), ..side });
    let settled = extent == Extent::Whole || next < end;
    Question { psi, sides, wraps, settled, follows: !wraps && psi <= next && next < end }
}

/// All different questions on rings of up to `most` agents.
pub(super) fn questions(psi: usize, most: usize, extent: Extent) -> Vec<Question> {
    let (mut known, mut all) = (HashSet::new(), Vec::new());
    for n in 3..=most {
        let segments = n.div_ceil(psi);
        let ends = if extent == Extent::Whole { segments - 1..=segments - 1 } else { 1..=segments - 1 };
        for (segments, j) in ends.flat_map(|end| (0..n).map(move |j| (end, j))) {
            let question = question((n, psi), j, psi * segments, extent);
            if known.insert(question.clone()) {
                all.push(question);
            }
        }
    }
    all
}

impl Question {
    /// `b` at a place so far to the right of one side.
    fn b<A: Agent<State = State>>(&self, meeting: &Meeting<A>, side: usize, by: isize) -> A::Bit {
        debug_assert!(!self.wraps || side == 0 || by == 0, "nothing lies before u_0");
        let place = by + side as isize;
        match place {
            0 | 1 => meeting.before[place as usize].ask(("b", 0, &["b"]), |v| v.b == 1),
            _ => meeting.bits[(-place - 1) as usize],
        }
    }

    /// Whether all bits of a place's segment before it are 1: what its ID plus 1 carries there.
    fn carried<A: Agent<State = State>>(&self, meeting: &Meeting<A>, side: usize, by: isize) -> A::Bit {
        let psi = self.psi as isize;
        let offset = (self.sides[side].offset as isize + by).rem_euclid(psi);
        all((1..=offset).map(|back| self.b(meeting, side, by - back)))
    }

    /// Bit and carry of a token that brings the bit of a place.
    fn correct<A: Agent<State = State>>(&self, meeting: &Meeting<A>, side: usize, by: isize) -> [A::Bit; 2] {
        let (b, carried) = (self.b(meeting, side, by), self.carried(meeting, side, by));
        [b ^ carried, b & carried]
    }

    /// `A_k`.
    fn in_place<A: Agent<State = State>>(&self, u: &A, side: usize, may_be_risky: bool) -> A::Bit {
        let Side { leader, dist, last, inside, .. } = self.sides[side];
        let right = same(u.ask(("leader", 0, &["leader"]), |v| v.leader == 1), A::Bit::constant(leader))
            & u.ask(("dist", dist as isize, &["dist"]), |v| usize::from(v.dist) == dist)
            & same(u.ask(("last", 0, &["last"]), |v| v.last == 1), A::Bit::constant(last));
        if may_be_risky { right } else { right & !risky(u, inside) }
    }

    /// `K_k`, with the bits as they were.
    fn tokens_correct<A: Agent<State = State>>(&self, meeting: &Meeting<A>, u: &A, side: usize) -> A::Bit {
        let psi = self.psi as isize;
        let Side { right, left, .. } = &self.sides[side];
        let each = right.clone().map(|pos| (pos, pos - psi)).chain(left.clone().map(|pos| (pos, pos - 1)));
        all(each.flat_map(|(pos, by)| [(BLACK, pos, by), (WHITE, pos, by)]).map(|(c, pos, by)| {
            let [here, bit, carry] = token_at(u, self.psi, c, pos);
            implies(here, || {
                let [right_bit, right_carry] = self.correct(meeting, side, by);
                same(bit, right_bit) & same(carry, right_carry)
            })
        }))
    }

    /// Before the interaction all is right, but for what is dropped; and afterwards.
    fn says<A: Agent<State = State>>(&self, meeting: &Meeting<A>, dropped: Dropped, extent: Extent) -> [A::Bit; 2] {
        let [before, after] = meeting.pairs();
        let is_right = |now: [&A; 2], risky: bool, tokens: bool| {
            all((0..2).map(|side| {
                let correct = if tokens { A::Bit::ONE } else { self.tokens_correct(meeting, now[side], side) };
                self.in_place(now[side], side, risky) & correct
            }))
        };
        let mut given = is_right(before, dropped == Dropped::Risky, dropped == Dropped::Tokens);
        if self.follows && dropped != Dropped::Ids {
            let [bit, _] = self.correct(meeting, 1, -(self.psi as isize));
            given = given & same(self.b(meeting, 1, 0), bit);
        }
        // That the only leader is not killed follows from peace.
        if self.wraps {
            given = given & after[1].ask(("leader", 0, &["leader"]), |v| v.leader == 1);
        }
        let kept = |side: usize| before[side].same(("b", |v: &State| v.b), after[side], ("b", |v| v.b));
        let mut then = is_right(after, false, false) & kept(0);
        if self.settled {
            then = then & kept(1);
        }
        match extent {
            Extent::Whole => then = then & !meeting.created,
            Extent::Begun => given = given & !meeting.created,
        }
        [given, then]
    }

    /// Decides the question.
    pub(super) fn decide<const PRIME: bool>(
        &self,
        rules: &Rules<PRIME>,
        query: &mut Query<'_>,
        (name, dropped, extent): (&str, Dropped, Extent),
    ) -> Result<Option<Decided>, Undecided> {
        let state = |side: usize| {
            let Side { leader, dist, last, .. } = self.sides[side];
            State { leader: leader.into(), dist: dist as u8, last: last.into(), ..State::default() }
        };
        let fixed: &[&str] = &["leader", "dist", "last"];
        let certain = [(fixed, state(0)), (fixed, state(1))];
        let scene = Scene { certain, rest: &[], bits: 2 * self.psi };
        rules.fact(query, name, &scene, either!(|meeting| self.says(meeting, dropped, extent)))
    }
}

/// Whether a valid token with this `token[1]` is here, and its bit and carry.
pub(super) fn token_at<A: Agent<State = State>>(u: &A, psi: usize, c: usize, pos: isize) -> [A::Bit; 3] {
    let names: &'static [&'static str] = if c == BLACK { &["tokenB"] } else { &["tokenW"] };
    let with_dist: &'static [&'static str] = if c == BLACK { &["dist", "tokenB"] } else { &["dist", "tokenW"] };
    let d = if c == BLACK { 0 } else { psi as u8 };
    let here = u.ask(("valid with", pos, with_dist), |v| {
        v.token[c].is_some_and(|z| isize::from(z.pos) == pos && valid(psi as u8, v.dist, z, d))
    });
    let bit = u.ask(("bit", 0, names), |v| v.token[c].is_some_and(|z| z.bit == 1));
    let carry = u.ask(("carry", 0, names), |v| v.token[c].is_some_and(|z| z.carry == 1));
    [here, bit, carry]
}

/// From here on no ring asks anything new: the last new question comes with the first ring of this size.
pub(super) fn largest(psi: usize) -> usize {
    5 * psi + 1
}

/// S_PL is closed, outputs are constant and Lines 6 and 20 are not executed, but for the war.
pub(super) fn closed(query: &mut Query<'_>, psi: usize, dropped: Dropped) -> Result<Decided, Undecided> {
    let rules = Rules::<false>::new(psi)?;
    closed_by(query, &rules, dropped)
}

pub(super) fn closed_by<const PRIME: bool>(
    query: &mut Query<'_>,
    rules: &Rules<PRIME>,
    dropped: Dropped,
) -> Result<Decided, Undecided> {
    let questions = questions(rules.psi, largest(rules.psi), Extent::Whole);
    for question in &questions {
        let name = "what is right at two neighbours in S_PL stays so, and Lines 6 and 20 are not executed";
        if let Some(wrong) = question.decide(rules, query, (name, dropped, Extent::Whole))? {
            return Ok(wrong);
        }
    }
    Ok(Verdict::Holds(None).with_note(format!("{} places", questions.len())))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use ringleader::protocols::ppl::{Token, sets::Sets};
    use ringleader_notation::graph::in_fresh_arena;

    use super::super::planted::{Bug, planted};
    use super::*;

    /// What the reduction says of places is what the library's predicates say, on all rings of up to 12 psi agents.
    #[test]
    fn places_are_those_of_the_predicates() {
        let mut seen = [0; 3];
        for (psi, n) in (2..=4).flat_map(|psi| (3..=12 * psi).map(move |n| (psi, n))) {
            let config = vec![State::default(); n];
            let sets = Sets::new(psi as u8, &config);
            for j in 0..n {
                let question = question((n, psi), j, psi * (sets.zeta() - 1), Extent::Whole);
                for (side, k) in question.sides.iter().zip([j, (j + 1) % n]) {
                    assert_eq!((side.leader, side.last), (k == 0, sets.in_last(k)), "{n} {psi} {k}");
                    let inside = if sets.zeta() == 1 { 0 } else { psi.saturating_sub(k) };
                    assert_eq!((side.dist, side.inside), (k % (2 * psi), inside));
                    let (k, long) = (k as isize, psi as isize);
                    for (c, pos) in (1 - long..=long).filter(|&pos| pos != 0).flat_map(|pos| [(0, pos), (1, pos)]) {
                        let token = Token { pos: pos as i8, bit: 0, carry: 0 };
                        if !valid(psi as u8, side.dist as u8, token, (c * psi) as u8) {
                            continue;
                        }
                        let by = match () {
                            () if side.right.contains(&pos) => Some(pos - long),
                            () if side.left.contains(&pos) => Some(pos - 1),
                            () => None,
                        };
                        let (i, x) = (sets.working_for(k as usize, pos), sets.round(k as usize, pos));
                        let brings = x.filter(|_| i < sets.pairs()).map(|x| (i * psi + x) as isize);
                        assert_eq!(by.map(|by| k + by), brings, "n {n} psi {psi} k {k} pos {pos}");
                        seen[usize::from(by.is_some()) + usize::from(by.is_some() && pos > 0)] += 1;
                    }
                }
                let next = j + 1;
                let follows = next < n && next >= psi && next / psi < sets.pairs() + 1;
                assert_eq!((question.follows, question.wraps), (follows, next == n));
            }
        }
        assert!(seen.iter().all(|&times| times > 1000), "{seen:?}");
    }

    /// Larger rings ask nothing new, and smaller ones do not ask everything.
    #[test]
    fn the_questions_end_with_5_psi_and_1() {
        for psi in 3..=9 {
            for (extent, places) in [(Extent::Whole, 12 * psi), (Extent::Begun, 14 * psi + 2)] {
                assert_eq!(questions(psi, 12 * psi, extent).len(), places, "psi {psi}");
                assert_eq!(questions(psi, largest(psi), extent).len(), places, "psi {psi}");
                assert!(questions(psi, largest(psi) - 1, extent).len() < places, "psi {psi}");
            }
        }
        assert_eq!(questions(2, 24, Extent::Whole).len(), questions(2, largest(2), Extent::Whole).len());
    }

    fn verdict(psi: usize, dropped: Dropped, bug: Option<Bug>) -> (&'static str, String) {
        let mut query = Query::new(&|| None, None);
        let decided = in_fresh_arena(Box::new(|| None), || match bug {
            None => closed(&mut query, psi, dropped),
            Some(bug) => closed_by(&mut query, &planted(psi, bug), dropped),
        });
        match decided {
            Ok(decided) => (decided.verdict.name(), decided.note),
            Err(Undecided::Unknown(why)) => ("unknown", why),
            Err(other) => panic!("{other:?}"),
        }
    }

    /// A token that forgets its carry brings a wrong bit.
    #[test]
    fn a_planted_bug_is_found() {
        for psi in 2..=3 {
            // The clear form has no such bug, so it does not confirm what is found.
            let (verdict_, why) = verdict(psi, Dropped::Nothing, Some(Bug::CarryForgotten));
            assert!(verdict_ == "unknown" && why.starts_with("what is right at two neighbours"), "{why}");
            assert_eq!(verdict(psi, Dropped::Nothing, Some(Bug::Unshielded)).0, "holds", "no leader is created");
        }
    }

    #[test]
    fn s_pl_is_closed_and_needs_its_conditions() {
        for psi in 2..=3 {
            assert_eq!(verdict(psi, Dropped::Nothing, None), ("holds", format!("{} places", 13 * psi - 3)));
            for dropped in [Dropped::Risky, Dropped::Tokens, Dropped::Ids] {
                assert_eq!(verdict(psi, dropped, None).0, "fails", "{dropped:?}");
            }
        }
    }
}
