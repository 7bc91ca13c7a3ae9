//! What tokens of one colour do at two segments in a row: all of an interaction inside, and that none crosses the borders. With that, how long
//! a token lives is plain computation, for every `psi`.

use ringleader::circuit::{Agent, Bit, all, any, implies, same};
use ringleader::protocols::ppl::{BLACK, State, WHITE};

use super::super::either;
use super::meeting::{Meeting, Rules, Says, Scene};
use super::safe::token_at;
use crate::query::{Decided, Query, Undecided};

const PLACE: &[&str] = &["dist", "last", "leader"];
const DIST: &[&str] = &["dist"];

/// Two segments of `psi` agents whose tokens of one colour are looked at; places are counted from their first agent.
#[derive(Clone, Copy)]
struct Window {
    psi: usize,
    colour: usize,
}

/// `b`.
pub(super) fn b<A: Agent<State = State>>(u: &A) -> A::Bit {
    u.ask(("b", 0, &["b"]), |v| v.b == 1)
}

impl Window {
    fn state(self, place: usize) -> State {
        let d = if self.colour == BLACK { 0 } else { self.psi };
        State { dist: ((place + d) % (2 * self.psi)) as u8, ..State::default() }
    }

    fn positions(self) -> impl Iterator<Item = isize> {
        (1 - self.psi as isize..=self.psi as isize).filter(|&pos| pos != 0)
    }

    /// A valid token with this `token[1]`, its bit and its carry.
    fn token<A: Agent<State = State>>(self, u: &A, pos: isize) -> [A::Bit; 3] {
        token_at(u, self.psi, self.colour, pos)
    }

    /// Where there is a valid token.
    fn any<A: Agent<State = State>>(self, u: &A) -> A::Bit {
        any(self.positions().map(|pos| self.token(u, pos)[0]))
    }

    /// Where the token is this one.
    fn is<A: Agent<State = State>>(self, u: &A, pos: isize, [bit, carry]: [A::Bit; 2]) -> A::Bit {
        let [here, its_bit, its_carry] = self.token(u, pos);
        here & same(its_bit, bit) & same(its_carry, carry)
    }

    /// All that `e_i` does inside: a token on the right stays if it moves right, and otherwise goes to the left agent in place of what is there;
    /// one on the left alone goes on to the right, or stays if it moves left; a token starts at the first agent only, and there it must.
    fn inside<A: Agent<State = State>>(self, meeting: &Meeting<A>, i: usize) -> [A::Bit; 2] {
        let [[l, r], [l_after, r_after]] = meeting.pairs();
        let (psi, none) = (self.psi as isize, [l_after, r_after].map(|u| !self.any(u)));
        let (l_any, r_any) = (self.any(l), self.any(r));
        let of_r = self.positions().map(|pos| {
            let [here, bit, carry] = self.token(r, pos);
            implies(here, || match pos {
                1.. => none[0] & self.is(r_after, pos, [bit, carry]),
                -1 => none[1] & self.is(l_after, psi, [b(l) ^ carry, b(l) & carry]),
                _ => none[1] & self.is(l_after, pos + 1, [bit, carry]),
            })
        });
        let of_l = self.positions().map(|pos| {
            let [here, bit, carry] = self.token(l, pos);
            implies(here & !r_any, || match pos {
                2.. => none[0] & self.is(r_after, pos - 1, [bit, carry]),
                1 if i + 2 == 2 * self.psi => none[0] & none[1] & same(b(r_after), bit),
                1 => none[0] & self.is(r_after, 1 - psi, [bit, carry]) & same(b(r_after), bit),
                _ => none[1] & self.is(l_after, pos, [bit, carry]),
            })
        });
        let fresh = if i == 0 { self.is(r_after, psi - 1, [!b(l), b(l)]) } else { none[1] };
        let starts = implies(!l_any & !r_any, || none[0] & fresh);
        let arrives = !r_any & self.token(l, 1)[0];
        let stays = if i + 1 < self.psi { A::Bit::ONE } else { arrives | same(b(r_after), b(r)) };
        [!meeting.created, all(of_r) & all(of_l) & starts & stays & same(b(l_after), b(l))]
    }

    /// The first agent as responder keeps its token and gets none.
    fn kept<A: Agent<State = State>>(self, meeting: &Meeting<A>) -> A::Bit {
        let [[_, r], [_, after]] = meeting.pairs();
        let keeps = self.positions().map(|pos| {
            let [here, bit, carry] = self.token(r, pos);
            implies(here, || self.is(after, pos, [bit, carry]))
        });
        all(keeps) & (self.any(r) | !self.any(after))
    }

    fn decide(self, query: &mut Query<'_>, rules: &Rules<false>, last: bool) -> Result<Option<Decided>, Undecided> {
        let fixed = if last { PLACE } else { DIST };
        for i in 0..2 * self.psi - 1 {
            // The left agent may be the leader; the right one is none.
            let left: &[&str] = if last { &["dist", "last"] } else { DIST };
            let certain = [(left, self.state(i)), (fixed, self.state(i + 1))];
            let scene = Scene { certain, ..Scene::anywhere() };
            let says: Says<'_> = either!(|meeting| self.inside(meeting, i));
            if let Some(wrong) = rules.fact(query, "what tokens do inside two segments", &scene, says)? {
                return Ok(Some(wrong));
            }
        }
        let follower: &[&str] = &["dist", "leader"];
        let certain = [(DIST, self.state(2 * self.psi - 1)), (follower, self.state(0))];
        let says: Says<'_> = either!(|meeting| {
            let [[l, _], [l_after, _]] = meeting.pairs();
            [!meeting.created, !self.any(l) & !self.any(l_after) & self.kept(meeting)]
        });
        let border = rules.fact(query, "no token crosses a border", &Scene { certain, ..Scene::anywhere() }, says)?;
        if border.is_some() || self.colour == WHITE {
            return Ok(border);
        }
        let last: &[&str] = &["last"];
        let leader: &[&str] = &["leader", "dist"];
        let certain =
            [(last, State { last: 1, ..State::default() }), (leader, State { leader: 1, ..State::default() })];
        let says: Says<'_> = either!(|meeting| [!meeting.created, self.kept(meeting)]);
        rules.fact(query, "no token comes to the leader", &Scene { certain, ..Scene::anywhere() }, says)
    }
}

/// All facts, for both colours; without `last` it is not said that `last` is 0, and they are wrong.
pub(super) fn tokens(query: &mut Query<'_>, rules: &Rules<false>, last: bool) -> Result<Option<Decided>, Undecided> {
    for colour in [BLACK, WHITE] {
        if let Some(wrong) = (Window { psi: rules.psi, colour }).decide(query, rules, last)? {
            return Ok(Some(wrong));
        }
    }
    Ok(None)
}

/// A valid token: its place in the window, its target, and whether it moves right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    at: usize,
    target: usize,
    right: bool,
}

/// A token that is not deleted, after `e_i`; none if it has come to the end of its trajectory.
fn moved(psi: usize, z: Place, i: usize) -> Option<Place> {
    let at = match z.right {
        true if i == z.at => z.at + 1,
        false if i + 1 == z.at => z.at - 1,
        _ => return Some(z),
    };
    match (at == z.target, z.right) {
        (false, _) => Some(Place { at, ..z }),
        (true, true) if at + 1 == 2 * psi => None,
        (true, true) => Some(Place { at, target: at + 1 - psi, right: false }),
        (true, false) => Some(Place { at, target: at + psi, right: true }),
    }
}

/// After so many repetitions of R B every token that was there is gone; `None` if one stays.
pub(super) fn repetitions(psi: usize) -> Option<usize> {
    let right =
        (psi..2 * psi).flat_map(|target| (target - psi..target).map(move |at| Place { at, target, right: true }));
    let left = (1..psi).flat_map(|target| (target + 1..target + psi).map(move |at| Place { at, target, right: false }));
    let around: Vec<usize> = (0..2 * psi - 1).chain((0..2 * psi - 1).rev()).collect();
    let life = |z: Place| {
        let mut now = Some(z);
        (1..=4 * psi).find(|_| {
            now = now.and_then(|z| around.iter().try_fold(z, |z, &i| moved(psi, z, i)));
            now.is_none()
        })
    };
    right.chain(left).map(life).try_fold(0, |most, life| Some(most.max(life?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_lives_for_psi_repetitions() {
        for psi in 2..=31 {
            assert_eq!(repetitions(psi), Some(psi), "psi {psi}");
        }
    }
}
