//! The lemmas on bullets for every ring (reductions `rest` and `trail` in PROOFS.md).
//!
//! Turn the ring so that `e_0` interacts: `u_0 u_1` and the rest. Of the rest the lemmas see only how the scan for peace passes through it, which
//! live bullets in it are peaceful for either value that enters, and whether it has no leader, one, or more. Words with the same of all
//! this are one element of a finite monoid, of which every element is met by a word of few agents. The monoid is computed with the
//! library's own predicate.

use std::collections::{HashMap, VecDeque};

use ringleader::circuit::any;
use ringleader::protocols::elim::sets::{Armed, in_c_pb, leads_alone, peaceful};
use ringleader::protocols::ppl::State;

use super::super::either;
use super::super::war::{fired, peace_lost, peaceful_by_index};
use super::meeting::{Meeting, Rules, Says, Scene, Weighed};
use crate::query::{Decided, Query, Undecided, Verdict};

/// What the lemmas see of a word of agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Element {
    /// Whether all is peaceful behind it, if it is not before it, and if it is.
    passes: [bool; 2],
    /// Whether it has a live bullet that is peaceful only if all is before it, and one that never is.
    sometimes: bool,
    never: bool,
    /// The number of leaders, up to 2.
    leaders: usize,
}

/// All states of an agent as far as the war is concerned.
fn letters() -> impl Iterator<Item = State> {
    let bits = (0..8).map(|bits: u8| [bits & 1, bits >> 1 & 1, bits >> 2]);
    bits.flat_map(|[leader, shield, signal_b]| {
        (0..3).map(move |bullet| State { leader, shield, signal_b, bullet, ..State::default() })
    })
}

/// Which agents of a word are peaceful behind a leader that is shielded or not: all is peaceful before the word, or not.
fn flags(word: &[State], before: bool) -> Vec<bool> {
    let leader = State { leader: 1, shield: before.into(), ..State::default() };
    let config: Vec<State> = [leader].into_iter().chain(word.iter().copied()).collect();
    peaceful_by_index(&config)[1..].to_vec()
}

/// The element of a word.
pub(super) fn element(word: &[State]) -> Element {
    let flags = [false, true].map(|before| flags(word, before));
    let pattern = |i: usize| [flags[0][i], flags[1][i]];
    let bullet = |which: [bool; 2]| (0..word.len()).any(|i| word[i].live() && pattern(i) == which);
    let leaders = word.iter().filter(|v| v.leader == 1).count().min(2);
    let (sometimes, never) = (bullet([false, true]), bullet([false, false]));
    Element { passes: pattern(word.len() - 1), sometimes, never, leaders }
}

/// Every element of the monoid with one of its shortest words.
pub(super) fn elements() -> HashMap<Element, Vec<State>> {
    let (mut known, mut pending) = (HashMap::new(), VecDeque::from([Vec::new()]));
    while let Some(word) = pending.pop_front() {
        for letter in letters() {
            let longer = [&word[..], &[letter]].concat();
            known.entry(element(&longer)).or_insert_with(|| {
                pending.push_back(longer.clone());
                longer
            });
        }
    }
    known
}

/// A fact about `e_0` on every ring: with each element as the rest.
fn with_every_rest<const PRIME: bool>(
    query: &mut Query<'_>,
    rules: &Rules<PRIME>,
    name: &str,
    says: Says<'_>,
) -> Result<Option<Decided>, Undecided> {
    let mut rests: Vec<Vec<State>> = elements().into_values().collect();
    rests.sort_by_key(|rest| {
        (rest.len(), rest.iter().map(|v| (v.leader, v.bullet, v.shield, v.signal_b)).collect::<Vec<_>>())
    });
    let mut says_something = false;
    for rest in &rests {
        match rules.weigh(query, name, &Scene { rest, ..Scene::anywhere() }, says)? {
            Weighed::Refuted(decided) => return Ok(Some(decided)),
            Weighed::Holds => says_something = true,
            Weighed::SaysNothing => {}
        }
    }
    Ok((!says_something).then(|| Verdict::Nothing.with_note(format!("there is no ring as it says: {name}"))))
}

/// A lemma on bullets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lemma {
    NeverKill,
    /// The same of any live bullet, which is wrong.
    NeverKillAtAll,
    NewLiveBullet,
    OncePeaceful,
    CpbClosed,
}

impl Lemma {
    /// What it says of `e_0`.
    fn says<A: Armed>(self, Meeting { before, after, created, .. }: &Meeting<A>) -> [A::Bit; 2] {
        let aimed = || leads_alone(before, 1) & before[0].live();
        match self {
            Self::NeverKill => [aimed() & peaceful_by_index(before)[0], after[1].leader()],
            Self::NeverKillAtAll => [aimed(), after[1].leader()],
            Self::NewLiveBullet => [fired(before, after, *created), peaceful_by_index(after)[1]],
            Self::OncePeaceful => {
                let bullet = any(peaceful(before).map(|(i, peaceful)| before[i].live() & peaceful));
                [bullet, !peace_lost(before, after)]
            }
            Self::CpbClosed => [in_c_pb(before), in_c_pb(after)],
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::NeverKill => "a peaceful bullet of u_0 does not kill the only leader u_1",
            Self::NeverKillAtAll => "no live bullet of u_0 kills the only leader u_1",
            Self::NewLiveBullet => "a live bullet that is fired is peaceful",
            Self::OncePeaceful => "a peaceful bullet stays peaceful",
            Self::CpbClosed => "C_PB is not left",
        }
    }

    /// On every ring, in P_PL, or in P'_PL if so asked.
    pub(super) fn decide(self, query: &mut Query<'_>, psi: usize) -> Result<Decided, Undecided> {
        let mut wrong = self.decide_by(query, &Rules::<false>::new(psi)?)?;
        if self == Self::CpbClosed && wrong.is_none() {
            wrong = self.decide_by(query, &Rules::<true>::new(psi)?)?;
        }
        Ok(wrong.unwrap_or_else(|| Verdict::Holds(None).with_note(format!("{} elements", elements().len()))))
    }

    pub(super) fn decide_by<const PRIME: bool>(
        self,
        query: &mut Query<'_>,
        rules: &Rules<PRIME>,
    ) -> Result<Option<Decided>, Undecided> {
        with_every_rest(query, rules, self.name(), either!(|meeting| self.says(meeting)))
    }
}

/// Neither a leader nor a bullet-absence signal.
fn clean<A: Armed>(u: &A) -> A::Bit {
    !u.leader() & !u.signal_b()
}

/// A leader behind which all is peaceful.
fn guarded<A: Armed>(u: &A) -> A::Bit {
    u.leader() & u.shield() & !u.signal_b()
}

/// Lemma "get_peaceful" with anything in between: what can happen at the trail of a live bullet, which is the agents that it has moved to.
/// Where `signals` may lie in a trail it is wrong.
pub(super) fn get_peaceful(query: &mut Query<'_>, psi: usize, signals: bool) -> Result<Decided, Undecided> {
    let rules = Rules::<false>::new(psi)?;
    Ok(trail(query, &rules, signals)?.unwrap_or_else(|| Verdict::Holds(None).into()))
}

pub(super) fn trail(query: &mut Query<'_>, rules: &Rules<false>, signals: bool) -> Result<Option<Decided>, Undecided> {
    let start: Says<'_> = either!(|meeting| {
        let [[_, r], [_, after]] = meeting.pairs();
        [clean(r), (clean(after) | guarded(after)) & (!r.live() | after.live())]
    });
    let inside: Says<'_> = either!(|meeting| {
        let [[l, r], [l_after, r_after]] = meeting.pairs();
        let quiet = if signals { !l.leader() } else { clean(l) };
        [quiet & clean(r), clean(l_after) | guarded(r_after)]
    });
    let moves: Says<'_> = either!(|meeting| {
        let [[l, _], [l_after, r_after]] = meeting.pairs();
        let old = l.live() & !(l.leader() & l.signal_b());
        [old, !l_after.live() & (r_after.leader() | clean(r_after))]
    });
    let head: Says<'_> = either!(|meeting| {
        let [[l, _], [l_after, r_after]] = meeting.pairs();
        [clean(l) & l.live(), clean(l_after) | r_after.leader()]
    });
    let facts = [
        ("an agent of a trail stays clean, or becomes a guarded leader, and keeps its live bullet", start),
        ("two agents of a trail stay clean, unless the right one becomes a guarded leader", inside),
        ("a live bullet that moves leaves its agent, and comes to a clean one unless it ends at a leader", moves),
        ("it leaves a clean agent clean, unless it ends at a leader", head),
    ];
    for (name, says) in facts {
        if let Some(wrong) = rules.fact(query, name, &Scene::anywhere(), says)? {
            return Ok(Some(wrong));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use ringleader::circuit::Uint;
    use ringleader::protocol::{Input, Transition};
    use ringleader::protocols::elim::Elim;
    use ringleader::protocols::elim::sets::peace;
    use ringleader::random::{Stream, index, stream};
    use ringleader_notation::graph::in_fresh_arena;

    use super::super::planted::{Bug, planted};
    use super::*;

    /// The element of a longer word follows from those of its parts, for all words of up to four agents; and no element needs more than three.
    #[test]
    fn words_are_elements_of_a_monoid() {
        let elements = elements();
        assert!(elements.values().all(|word| word.len() <= 3), "n = 3, 4, 5 decide every n");
        let letters: Vec<State> = letters().collect();
        let mut words: Vec<Vec<State>> = letters.iter().map(|&letter| vec![letter]).collect();
        for _ in 0..2 {
            let longer =
                |word: &Vec<State>| letters.iter().map(|&one| [&word[..], &[one]].concat()).collect::<Vec<_>>();
            words = words.iter().flat_map(longer).collect();
        }
        for word in &words {
            let short = &elements[&element(word)];
            for &letter in &letters {
                let [long, short] = [&word[..], short].map(|word| element(&[word, &[letter]].concat()));
                assert_eq!(long, short, "{word:?} {letter:?}");
            }
        }
    }

    /// The rest may be replaced by the word of its element, in whatever is said of `e_0`.
    #[test]
    fn of_the_rest_its_element_matters() {
        let (elements, letters) = (elements(), letters().collect::<Vec<_>>());
        let (mut generator, mut seen) = (stream(21, Stream::Start), [0; 4]);
        for _ in 0..20_000 {
            let long = 3 + index(&mut generator, 6);
            let config: Vec<State> = (0..long).map(|_| letters[index(&mut generator, 24)]).collect();
            let short = [&config[..2], &elements[&element(&config[2..])]].concat();
            let lemmas = [Lemma::NeverKillAtAll, Lemma::NewLiveBullet, Lemma::OncePeaceful, Lemma::CpbClosed];
            for (k, lemma) in lemmas.into_iter().enumerate() {
                let said = [&config, &short].map(|before| {
                    let mut after = before.clone();
                    let [mut l, mut r] = [war(&after[0]), war(&after[1])];
                    Elim.interact(&mut l, &mut r, Input::default());
                    (after[0], after[1]) = (armed(&l), armed(&r));
                    let (before, created, bits) = (before.clone(), false, Vec::new());
                    let [given, then] = lemma.says(&Meeting { before, after, created, kappa: Uint::constant(1), bits });
                    given && !then
                });
                assert_eq!(said[0], said[1], "{lemma:?} {config:?}");
                seen[k] += usize::from(said[0]);
            }
            assert_eq!(peace(&config), peace(&short));
        }
        // Only the first of these lemmas is ever violated.
        assert!(seen[0] > 100 && seen[1..] == [0; 3], "{seen:?}");
    }

    fn armed(v: &ringleader::protocols::elim::State) -> State {
        let ringleader::protocols::elim::State { leader, bullet, shield, signal_b } = *v;
        State { leader, bullet, shield, signal_b, ..State::default() }
    }

    fn war(v: &State) -> ringleader::protocols::elim::State {
        let State { leader, bullet, shield, signal_b, .. } = *v;
        ringleader::protocols::elim::State { leader, bullet, shield, signal_b }
    }

    /// Bullets are decided right for psi = 2, and a planted bug shows in the lemma that it breaks.
    #[test]
    fn planted_bugs_break_the_right_lemmas() {
        let all = [Lemma::NeverKill, Lemma::NewLiveBullet, Lemma::OncePeaceful, Lemma::CpbClosed];
        let holds = |bug: Option<Bug>| {
            let rules = bug.map_or_else(|| Rules::<false>::new(2).unwrap(), |bug| planted(2, bug));
            let mut query = Query::new(&|| None, None);
            let mut lemmas = all.map(|lemma| matches!(lemma.decide_by(&mut query, &rules), Ok(None))).to_vec();
            lemmas.push(matches!(trail(&mut query, &rules, false), Ok(None)));
            lemmas
        };
        in_fresh_arena(Box::new(|| None), || {
            assert_eq!(holds(None), [true; 5]);
            // Its bullet is fired without a shield before it.
            assert_eq!(holds(Some(Bug::Unshielded)), [true, false, false, false, false]);
            // A bullet comes to lie on a signal, and a trail is no longer clean.
            assert_eq!(holds(Some(Bug::SignalStays)), [true, false, false, false, false]);
            assert_eq!(holds(Some(Bug::CarryForgotten)), [true; 5]);
        });
    }
}
