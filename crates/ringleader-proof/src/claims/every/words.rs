//! Convergence with probability 1 on every ring whose size is no multiple of `psi 2^psi`: the facts of the reduction `words` in PROOFS.md,
//! which leads from every configuration into S_PL by words. R is `e_0 ... e_{n-1}`, B is `e_{n-2} ... e_0`.

use ringleader::circuit::{Agent, Bit, all, any, implies, same};
use ringleader::protocols::elim::sets::Armed;
use ringleader::protocols::ppl::{BLACK, Mode, State, WHITE};

use super::super::either;
use super::super::kappa::detects;
use super::meeting::{Number, Rules, Says, Scene, Timed};
use super::safe::{Dropped, Extent, largest, questions};
use super::window::{b, repetitions, tokens};
use crate::query::{Decided, Query, Undecided, Verdict};

type Found = Result<Option<Decided>, Undecided>;

/// Facts about two agents in any states.
type Facts<'a> = &'a [(&'a str, Says<'a>)];

fn hold(query: &mut Query<'_>, rules: &Rules<false>, facts: Facts<'_>) -> Found {
    for (name, says) in facts {
        if let Some(wrong) = rules.fact(query, name, &Scene::anywhere(), *says)? {
            return Ok(Some(wrong));
        }
    }
    Ok(None)
}

/// All facts.
pub(super) fn lead_on(query: &mut Query<'_>, psi: usize) -> Result<Decided, Undecided> {
    let rules = Rules::<false>::new(psi)?;
    if let Some(wrong) = lead_on_by(query, &rules)? {
        return Ok(wrong);
    }
    let Some(times) = repetitions(psi) else { return Err(Undecided::Unknown("a token that never ends".into())) };
    Ok(Verdict::Holds(None).with_note(format!("a token ends within {times} repetitions of R B")))
}

pub(super) fn lead_on_by(query: &mut Query<'_>, rules: &Rules<false>) -> Found {
    let parts = [clocks, flaws, modes, battle, leader_alone, begun];
    for part in parts {
        if let Some(wrong) = part(query, rules)? {
            return Ok(Some(wrong));
        }
    }
    tokens(query, rules, true)
}

/// What must fail: that a live bullet kills whatever leader it comes to.
pub(super) fn kills_always(query: &mut Query<'_>, psi: usize) -> Result<Decided, Undecided> {
    let says: Says<'_> = either!(|meeting| {
        let [[l, r], [_, after]] = meeting.pairs();
        [l.live() & !l.leader() & r.leader() & !meeting.created, !after.leader()]
    });
    let found = hold(query, &Rules::new(psi)?, &[("a live bullet kills the leader that it comes to", says)])?;
    Ok(found.unwrap_or_else(|| Verdict::Holds(None).into()))
}

/// What must fail: the facts on tokens where `last` may be 1.
pub(super) fn tokens_always(query: &mut Query<'_>, psi: usize) -> Result<Decided, Undecided> {
    let found = tokens(query, &Rules::new(psi)?, false)?;
    Ok(found.unwrap_or_else(|| Verdict::Holds(None).into()))
}

/// Where `clock` is 0.
fn early<A: Timed>(u: &A, kappa: Number<A::Bit>) -> A::Bit {
    u.left(kappa).equals_that(kappa)
}

/// Where `clock` is `kappa_max`.
fn late<A: Timed>(u: &A, kappa: Number<A::Bit>) -> A::Bit {
    !u.left(kappa).positive()
}

fn hits_are<A: Timed>(u: &A, hits: usize) -> A::Bit {
    u.ask(("hits", hits as isize, &["hits"]), |v| usize::from(v.hits) == hits)
}

/// One hit more.
fn one_more<A: Timed>(psi: usize, before: &A, after: &A) -> A::Bit {
    any((0..psi).map(|hits| hits_are(before, hits) & hits_are(after, hits + 1)))
}

/// One less, or both 0.
fn one_less<B: Bit>(before: Number<B>, after: Number<B>) -> B {
    before.minus(before.positive()).equals_that(after)
}

/// Without a leader: repeated, `e_i` runs down the signals of both, then up the clock of `u_{i+1}`; and then both detect, for ever.
fn clocks(query: &mut Query<'_>, rules: &Rules<false>) -> Found {
    let psi = rules.psi;
    let gone: Says<'_> = either!(|meeting| {
        let [[l, r], [after, _]] = meeting.pairs();
        let some = l.signal_r().positive() | r.signal_r().positive();
        [!l.leader() & some, !after.signal_r().positive()]
    });
    let down: Says<'_> = either!(|meeting| {
        let [[l, r], [l_after, after]] = meeting.pairs();
        let (now, then) = (r.signal_r(), after.signal_r());
        let hit = now.equals_that(then) & one_more(psi, r, after);
        let given = !l.leader() & !l.signal_r().positive() & now.positive();
        [given, !l_after.signal_r().positive() & (hit | (one_less(now, then) & hits_are(after, 0)))]
    });
    let up: Says<'_> = either!(|meeting| {
        let ([[l, r], [l_after, after]], kappa) = (meeting.pairs(), meeting.kappa);
        let (now, then) = (r.left(kappa), after.left(kappa));
        let hit = now.equals_that(then) & one_more(psi, r, after);
        let none = !l_after.signal_r().positive() & !after.signal_r().positive();
        let tick = one_less(now, then) & hits_are(after, 0);
        [idle(l) & !r.signal_r().positive(), none & l.left(kappa).equals_that(l_after.left(kappa)) & (hit | tick)]
    });
    let detect: Says<'_> = either!(|meeting| {
        let ([[l, r], [l_after, after]], kappa) = (meeting.pairs(), meeting.kappa);
        let stay = all([l_after, after].map(|u| late(u, kappa) & !u.signal_r().positive() & detects(u)));
        [idle(l) & late(l, kappa) & !r.signal_r().positive() & late(r, kappa), stay]
    });
    let facts = [
        ("an initiator that is no leader has no signal afterwards", gone),
        ("then the signal of the responder comes down, or it is hit once more", down),
        ("without signals the clock of the responder goes up, or it is hit once more", up),
        ("without signals and with clocks at kappa_max both detect", detect),
    ];
    hold(query, rules, &facts)
}

/// Neither leader nor resetting signal.
fn idle<A: Timed>(u: &A) -> A::Bit {
    !u.leader() & !u.signal_r().positive()
}

/// Where `dist` of r is one more than that of l.
fn follows<A: Agent<State = State>>(psi: usize, l: &A, r: &A) -> A::Bit {
    any((0..2 * psi).map(|dist| dist_is(l, dist) & dist_is(r, (dist + 1) % (2 * psi))))
}

fn dist_is<A: Agent<State = State>>(u: &A, dist: usize) -> A::Bit {
    u.ask(("dist", dist as isize, &["dist"]), |v| usize::from(v.dist) == dist)
}

fn last<A: Agent<State = State>>(u: &A) -> A::Bit {
    u.ask(("last", 0, &["last"]), |v| v.last == 1)
}

fn border<A: Agent<State = State>>(psi: usize, u: &A) -> A::Bit {
    u.ask(("border", 0, &["dist"]), |v| usize::from(v.dist) % psi == 0)
}

fn unchanged<A: Agent<State = State>>(before: [&A; 2], after: [&A; 2]) -> A::Bit {
    all((0..2).map(|k| {
        let dist = before[k].same(("dist", |v: &State| v.dist), after[k], ("dist", |v| v.dist));
        dist & same(b(before[k]), b(after[k]))
    }))
}

/// In detection mode: a wrong distance makes a leader, nothing is written, and `last` goes to 0.
fn flaws(query: &mut Query<'_>, rules: &Rules<false>) -> Found {
    let psi = rules.psi;
    let leads: Says<'_> = either!(|meeting| [meeting.created, meeting.after[1].leader()]);
    let wrong: Says<'_> = either!(|meeting| {
        let [before, after] = meeting.pairs();
        let [l, r] = before;
        [detects(after[1]) & !r.leader(), unchanged(before, after) & (meeting.created | follows(psi, l, r))]
    });
    let falls: Says<'_> = either!(|meeting| {
        let [[_, r], [l_after, after]] = meeting.pairs();
        let given = !r.leader() & !meeting.created & (border(psi, after) | !last(r));
        [given, !last(l_after) & same(last(r), last(after))]
    });
    let facts = [
        ("who executes Line 6 or 20 is a leader afterwards", leads),
        ("in detection mode a wrong distance makes a leader, and dist and b stay", wrong),
        ("last is 0 beside a border, and where it is 0 on the right", falls),
    ];
    hold(query, rules, &facts)
}

fn constructs<A: Agent<State = State>>(u: &A) -> A::Bit {
    u.ask(("constructs", 0, &["mode"]), |v| v.mode == Mode::Construct)
}

/// A leader, or who carries its signal on.
fn sends<A: Timed>(u: &A, kappa: Number<A::Bit>) -> A::Bit {
    u.leader() | u.signal_r().equals_that(kappa)
}

/// Behind a leader all stay in construction mode: a sweep to the right carries its signal, and the sweep back finds clocks and hits at 0.
fn modes(query: &mut Query<'_>, rules: &Rules<false>) -> Found {
    let calm = |who: &str| format!("{who} leaves both in construction mode, creates no leader, and leaves clocks at 0");
    let (right, back) = (calm("a signal of kappa_max"), calm("who finds clocks and hits at 0"));
    let carries: Says<'_> = either!(|meeting| {
        let ([[l, _], [l_after, after]], kappa) = (meeting.pairs(), meeting.kappa);
        let both = all([l_after, after].map(|u| early(u, kappa) & hits_are(u, 0) & constructs(u)));
        [sends(l, kappa), both & after.signal_r().equals_that(kappa) & !meeting.created]
    });
    let finds: Says<'_> = either!(|meeting| {
        let ([[l, r], [l_after, after]], kappa) = (meeting.pairs(), meeting.kappa);
        let both = all([l_after, after].map(|u| early(u, kappa) & constructs(u)));
        [early(l, kappa) & early(r, kappa) & hits_are(r, 0), both & hits_are(l_after, 0) & !meeting.created]
    });
    hold(query, rules, &[(&right, carries), (&back, finds)])
}

fn disarmed<A: Agent<State = State>>(u: &A) -> A::Bit {
    u.ask(("disarmed", 0, &["bullet"]), |v| v.bullet == 0)
}

/// With two leaders or more: how bullets are swept away, signals go left, a bullet is fired and flies, and a leader is killed.
fn battle(query: &mut Query<'_>, rules: &Rules<false>) -> Found {
    let keeps: Says<'_> = either!(|meeting| {
        let [[l, r], [l_after, after]] = meeting.pairs();
        let none_new = implies(after.leader(), || r.leader());
        [!meeting.created, same(l.leader(), l_after.leader()) & none_new & disarmed(l_after)]
    });
    let tells: Says<'_> = either!(|meeting| {
        let [[l, r], [l_after, after]] = meeting.pairs();
        let silent = disarmed(l) & !(l.leader() & l.signal_b()) & !meeting.created;
        let stays = implies(disarmed(r) & !r.leader(), || disarmed(after));
        [silent & (r.leader() | r.signal_b()), l_after.signal_b() & stays]
    });
    let fires: Says<'_> = either!(|meeting| {
        let [[l, r], [_, after]] = meeting.pairs();
        let armed = (l.leader() & l.signal_b()) | (!l.leader() & l.live());
        [armed & !r.leader() & disarmed(r) & !meeting.created, after.live() & !after.leader()]
    });
    let kills: Says<'_> = either!(|meeting| {
        let [[l, r], [_, after]] = meeting.pairs();
        [l.live() & !l.leader() & r.leader() & r.signal_b() & !meeting.created, !after.leader()]
    });
    let neighbours: Says<'_> = either!(|meeting| {
        let [[l, r], [l_after, after]] = meeting.pairs();
        let open = implies(r.signal_b(), || !after.shield() & !after.signal_b());
        [l.leader() & r.leader() & !meeting.created, !after.leader() | (l_after.signal_b() & open)]
    });
    let shoots: Says<'_> = either!(|meeting| {
        let [[l, r], [_, after]] = meeting.pairs();
        let open = r.leader() & !r.shield() & !r.signal_b();
        [l.leader() & l.signal_b() & open & !meeting.created, !after.leader()]
    });
    let facts = [
        ("no leader is made, the initiator stays what it is, and has no bullet afterwards", keeps),
        ("a bullet-absence signal goes left where no bullet is", tells),
        ("a live bullet is fired, or flies on, to an agent without one", fires),
        ("a live bullet kills a leader with a bullet-absence signal", kills),
        ("a leader beside a leader gets the signal, and opens one that has it, or kills it", neighbours),
        ("a leader with a bullet-absence signal kills an open leader beside it", shoots),
    ];
    hold(query, rules, &facts)
}

/// With one leader in construction mode: dist and last become right; then a sweep to the right leaves no risky token.
fn leader_alone(query: &mut Query<'_>, rules: &Rules<false>) -> Found {
    let psi = rules.psi;
    let written: Says<'_> = either!(|meeting| {
        let [[l, r], [l_after, after]] = meeting.pairs();
        let dist = r.leader().select(dist_is(after, 0), follows(psi, l, after));
        let kept = l.same(("dist", |v: &State| v.dist), l_after, ("dist", |v| v.dist));
        let followed = r.leader() | (!border(psi, after) & last(r));
        // The responder is still a leader afterwards if it was one.
        let given = constructs(after) & same(r.leader(), after.leader());
        [given, dist & kept & same(last(l_after), followed) & same(last(after), last(r))]
    });
    if let Some(wrong) = hold(query, rules, &[("dist and last are written as in C_DL", written)])? {
        return Ok(Some(wrong));
    }
    for j in 0..psi - 1 {
        let place = |j: usize| State { leader: u8::from(j == 0), dist: j as u8, ..State::default() };
        let names: &[&str] = &["leader", "dist", "last"];
        let scene = Scene { certain: [(names, place(j)), (names, place(j + 1))], ..Scene::anywhere() };
        let says: Says<'_> = either!(|meeting| [!meeting.created, !risky(&meeting.after[0], psi - j)]);
        if let Some(wrong) = rules.fact(query, "e_j leaves no risky token at u_j", &scene, says)? {
            return Ok(Some(wrong));
        }
    }
    Ok(None)
}

/// Where a token moves right to a target that is nearer than this.
pub(super) fn risky<A: Agent<State = State>>(u: &A, inside: usize) -> A::Bit {
    let of = |c: usize, names: &'static [&'static str]| {
        u.ask(("risky", inside as isize, names), |v| v.token[c].is_some_and(|z| 0 < z.pos && (z.pos as usize) < inside))
    };
    of(BLACK, &["tokenB"]) | of(WHITE, &["tokenW"])
}

/// Pairs of segments that are settled stay so.
fn begun(query: &mut Query<'_>, rules: &Rules<false>) -> Found {
    let name = "dist and last, the absence of risky tokens, and the first segments stay right";
    for question in questions(rules.psi, largest(rules.psi), Extent::Begun) {
        if let Some(wrong) = question.decide(rules, query, (name, Dropped::Nothing, Extent::Begun))? {
            return Ok(Some(wrong));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use ringleader::params::Params;
    use ringleader::protocol::{Input, Protocol, Transition};
    use ringleader::protocols::elim::sets::peace;
    use ringleader::protocols::ppl::{Ppl, Sets};
    use ringleader::random::{Generator, Stream, index, stream};
    use ringleader::ring::{Orientation, Ring};
    use ringleader_notation::graph::in_fresh_arena;

    use super::super::planted::{Bug, planted};
    use super::*;

    /// A ring on which the words of the reduction are played.
    struct Play {
        ppl: Ppl,
        u: Vec<State>,
        /// How often each part of the reduction was needed.
        parts: [usize; 3],
    }

    impl Play {
        fn e(&mut self, i: usize) {
            let n = self.u.len();
            let [mut l, mut r] = [self.u[i % n], self.u[(i + 1) % n]];
            self.ppl.interact(&mut l, &mut r, Input::default());
            (self.u[i % n], self.u[(i + 1) % n]) = (l, r);
        }

        fn right(&mut self, from: usize, long: usize) {
            (from..from + long).for_each(|i| self.e(i));
        }

        fn left(&mut self, from: usize, long: usize) {
            (from..from + long).rev().for_each(|i| self.e(i));
        }

        fn leaders(&self) -> Vec<usize> {
            (0..self.u.len()).filter(|&i| self.u[i].leader == 1).collect()
        }

        /// R B, so many times.
        fn around(&mut self, times: usize) {
            let n = self.u.len();
            for _ in 0..times {
                self.right(0, n);
                self.left(0, n - 1);
            }
        }

        /// Step 2.
        fn find_a_flaw(&mut self) {
            let (n, psi, kappa) = (self.u.len(), usize::from(self.ppl.psi), usize::from(self.ppl.kappa_max));
            let rounds = psi * (kappa + 1) + 1;
            for word in [0..n, 0..n] {
                word.for_each(|i| (0..rounds).for_each(|_| self.e(i)));
            }
            self.around(1);
            let wrong = |this: &Self, start: usize| {
                let id = |from: usize| (0..psi).map(|x| usize::from(this.u[(from + x) % n].b) << x).sum::<usize>();
                (id(start) + 1) % (1 << psi) != id(start + psi)
            };
            if self.leaders().is_empty() {
                let border = |this: &Self, i: usize| usize::from(this.u[i].dist).is_multiple_of(psi) && wrong(this, i);
                let start = (0..n).find(|&i| border(self, i)).unwrap();
                self.u.rotate_left(start);
                self.around(3 * psi);
            }
        }

        /// Step 3, for the first two leaders: one of three is killed.
        fn kill_one(&mut self) {
            let (n, all) = (self.u.len(), self.leaders());
            let (a, b) = (all[0], all[1]);
            let c = all.get(2).map_or(a + n, |&c| c);
            let alert = |this: &mut Self, from: usize, to: usize| {
                this.right(from, to - from);
                if this.leaders().len() == all.len() && this.u[from].signal_b == 0 {
                    this.left(from, to - from);
                }
                this.leaders().len() < all.len()
            };
            if b == a + 1 {
                if !alert(self, b, c) {
                    self.e(a);
                    self.e(a);
                }
            } else if !alert(self, a, b) {
                self.right(a, b - 1 - a);
                if !alert(self, b, c) {
                    self.e(b - 1);
                }
            }
            assert!(self.leaders().len() < all.len() && !self.leaders().is_empty(), "{:?}", self.u);
        }

        /// The words of the reduction, one after the other.
        fn lead_on(&mut self) {
            let (n, psi) = (self.u.len(), usize::from(self.ppl.psi));
            self.right(0, 2 * n);
            assert!(peace(&self.u));
            if self.leaders().is_empty() {
                self.parts[0] += 1;
                self.find_a_flaw();
            }
            assert!(!self.leaders().is_empty(), "{:?}", self.u);
            while self.leaders().len() > 1 {
                self.parts[1] += 1;
                self.kill_one();
            }
            let u_0 = self.leaders()[0];
            self.u.rotate_left(u_0);
            self.right(0, 2 * n);
            self.left(0, n - 1);
            assert!(Sets::new(psi as u8, &self.u).c_dl(0), "{:?}", self.u);
            self.right(0, n);
            let pairs = n.div_ceil(psi).saturating_sub(2);
            self.parts[2] += usize::from(pairs > 0);
            self.around(3 * psi * pairs);
            assert!(Sets::new(psi as u8, &self.u).s_pl(0), "{:?}", self.u);
        }
    }

    /// From configurations at random, half of them without a leader and some of those with consistent distances.
    fn random(ppl: &Ppl, n: usize, generator: &mut Generator) -> Vec<State> {
        let (variables, mut u) = (ppl.variables(), vec![State::default(); n]);
        u.iter_mut().for_each(|v| variables.randomise(v, generator));
        let (leaderless, in_order) = (index(generator, 2) == 0, index(generator, 2) == 0);
        for (i, v) in u.iter_mut().enumerate() {
            if leaderless {
                v.leader = 0;
                v.dist = if in_order { (i % (2 * usize::from(ppl.psi))) as u8 } else { v.dist };
            }
        }
        u
    }

    #[test]
    fn the_words_of_the_reduction_lead_into_s_pl() {
        let (mut generator, mut parts) = (stream(22, Stream::Start), [0; 3]);
        for (psi, n) in (2..=4_usize).flat_map(|psi| (3..=5 * psi).map(move |n| (psi, n))) {
            if n.is_multiple_of(psi << psi) {
                continue;
            }
            for kappa in 1..=3 {
                let params = Params::default().with("psi", psi as u64).with("kappa", kappa).with("unsound", 1);
                let ppl = Ppl::new(Ring::new(n, Orientation::Directed).unwrap(), &params).unwrap();
                for _ in 0..20 {
                    let mut play = Play { ppl, u: random(&ppl, n, &mut generator), parts: [0; 3] };
                    play.lead_on();
                    (0..3).for_each(|k| parts[k] += play.parts[k]);
                }
            }
        }
        assert!(parts.iter().all(|&times| times > 300), "{parts:?}");
    }

    /// For psi = 2 and 3; and a planted bug breaks it.
    #[test]
    fn all_facts_hold_and_planted_bugs_break_them() {
        in_fresh_arena(Box::new(|| None), || {
            let mut query = Query::new(&|| None, None);
            for psi in 2..=3 {
                let decided = lead_on(&mut query, psi).unwrap();
                assert_eq!(decided.verdict, Verdict::Holds(None), "{decided:?}");
                assert_eq!(kills_always(&mut query, psi).unwrap().verdict.name(), "fails");
                assert_eq!(tokens_always(&mut query, psi).unwrap().verdict.name(), "fails");
            }
            let forgotten = lead_on_by(&mut query, &planted(3, Bug::CarryForgotten)).unwrap_err();
            assert!(format!("{forgotten:?}").contains("segments stay right"), "{forgotten:?}");
            let forgotten = tokens(&mut query, &planted(3, Bug::CarryForgotten), true).unwrap_err();
            assert!(format!("{forgotten:?}").contains("what tokens do"), "{forgotten:?}");
        });
    }
}
