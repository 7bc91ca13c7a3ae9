//! Claim "disappear" as it stands, with anything in between: a search over configurations of P_OR with how far the word has come.
//!
//! Segments are told by the places where two of them stand back to back: such a place never moves, and is gone when one of the two is.
//! S_{2j+1}, ..., S_{2j+4} have two such places (one and the same if there are only two segments), with S_{2j+2} and S_{2j+3} between them.
//! The word has come as far as it can by its earliest occurrence, so that one number says what is left of it. With right inputs a state is
//! its way and whether it is strong: what colours are called makes no difference, so each agent has its own.

use ringleader::protocol::{Input, Transition};
use ringleader::protocols::por::{self, Direction, Por, State};
use ringleader::ring::Interaction;

use crate::query::{Decided, Query, Undecided, Verdict};
use crate::witness::Subject;

/// Rings with more agents than this are not searched.
const MOST: usize = 8;

/// A configuration: two bits an agent, whether it points right and whether it is strong.
type Code = u32;

/// No four segments survive the word.
pub(super) fn decide(query: &mut Query<'_>, por: &Subject<Por>, word: &[Interaction]) -> Result<Decided, Undecided> {
    let n = por.ring.n();
    if n > MOST {
        return Err(Undecided::Unknown(format!("the search is for n = 3..{MOST}")));
    }
    let (search, mut places) = (Search::new(por, word), 0);
    for first in 0..n {
        for second in 0..n {
            let (seen, path) = search.survive(query, (first, second))?;
            places += seen;
            if let Some((start, path)) = path {
                let back_to_back = |config: &Vec<State>| [first, second].iter().all(|&i| parts(config, i));
                let shown = |trace: &[Vec<State>]| trace.iter().all(back_to_back);
                let shows = "the word has occurred, and all four segments are there";
                return Ok(por.confirm(Some(search.config(start)), &path, shows, shown)?.into());
            }
        }
    }
    let note = format!("by search, {places} configurations with what is left of the word");
    Ok(Verdict::Holds(None).with_note(note))
}

/// Where `u_i` points left and `u_{i+1}` right.
fn parts(config: &[State], i: usize) -> bool {
    por::points(config, i, Direction::Left) && por::points(config, (i + 1) % config.len(), Direction::Right)
}

struct Search<'a> {
    n: usize,
    arcs: Vec<Interaction>,
    word: &'a [Interaction],
    /// What an arc makes of the four bits of its two agents.
    moves: Vec<[u8; 16]>,
}

/// How many places were visited; and an execution in which all survive, if there is one.
type Survivors = (usize, Option<(Code, Vec<Interaction>)>);

impl<'a> Search<'a> {
    fn new(por: &Subject<Por>, word: &'a [Interaction]) -> Self {
        let n = por.ring.n();
        let arcs: Vec<Interaction> = (0..por.ring.arcs()).map(|k| por.ring.arc(k)).collect();
        let mut search = Self { n, arcs, word, moves: Vec::new() };
        search.moves = search.arcs.iter().map(|&e| search.table(&por.protocol, e)).collect();
        search
    }

    fn config(&self, code: Code) -> Vec<State> {
        let n = self.n;
        let agent = |i: usize| {
            let (left, right) = (((i + n - 1) % n) as u16, ((i + 1) % n) as u16);
            let bits = code >> (2 * i);
            let dir = if bits & 1 == 1 { right } else { left };
            State { color: i as u16, c1: left, c2: right, dir, strong: (bits >> 1 & 1) as u8 }
        };
        (0..n).map(agent).collect()
    }

    fn bits(&self, i: usize, state: &State) -> u8 {
        u8::from(usize::from(state.dir) == (i + 1) % self.n) | state.strong << 1
    }

    fn table(&self, por: &Por, e: Interaction) -> [u8; 16] {
        std::array::from_fn(|bits| {
            let code = (bits as Code & 3) << (2 * e.initiator) | (bits as Code >> 2) << (2 * e.responder);
            let config = self.config(code);
            let (mut a, mut b) = (config[e.initiator], config[e.responder]);
            por.interact(&mut a, &mut b, Input::default());
            self.bits(e.initiator, &a) | self.bits(e.responder, &b) << 2
        })
    }

    fn after(&self, code: Code, arc: usize) -> Code {
        let (a, b) = (2 * self.arcs[arc].initiator, 2 * self.arcs[arc].responder);
        let pair = (code >> a & 3) | (code >> b & 3) << 2;
        let next = Code::from(self.moves[arc][pair as usize]);
        code & !(3 << a | 3 << b) | (next & 3) << a | (next >> 2) << b
    }

    /// Whether segments stand back to back at `u_i` and `u_{i+1}`.
    fn parts(&self, code: Code, i: usize) -> bool {
        let right = |i: usize| code >> (2 * (i % self.n)) & 1 == 1;
        !right(i) && right(i + 1)
    }

    /// Whether the four segments with these two places are there, and no others between the places.
    fn four(&self, code: Code, (first, second): (usize, usize)) -> bool {
        let next = (first + 1..=first + self.n).map(|i| i % self.n).find(|&i| self.parts(code, i));
        self.parts(code, first) && next == Some(second)
    }

    /// Whether no agent of the two segments in the middle is an obstacle.
    fn clear(&self, code: Code, (first, second): (usize, usize)) -> bool {
        let config = self.config(code);
        let long = (second + self.n - first - 1) % self.n + 1;
        (first + 1..=first + long).all(|i| !por::is_obstacle(&config, i % self.n))
    }

    /// All that can be reached while the four segments survive.
    fn survive(&self, query: &Query<'_>, places: (usize, usize)) -> Result<Survivors, Undecided> {
        let configs = 1_usize << (2 * self.n);
        // From where a place was reached, and by which arc; for a start from itself.
        let mut from: Vec<Option<(u32, u8)>> = vec![None; configs * (self.word.len() + 1)];
        let mut found: Vec<u32> =
            (0..configs as Code).filter(|&code| self.four(code, places) && self.clear(code, places)).collect();
        found.iter().for_each(|&start| from[start as usize] = Some((start, 0)));
        let mut next = 0;
        while let Some(&here) = found.get(next) {
            next += 1;
            if next.is_multiple_of(1 << 16)
                && let Some(why) = query.halted()
            {
                return Err(Undecided::Unknown(why));
            }
            let (code, done) = (here % configs as u32, here as usize / configs);
            if done == self.word.len() {
                return Ok((found.len(), Some(self.way(&from, here))));
            }
            for (arc, e) in self.arcs.iter().enumerate() {
                let code = self.after(code, arc);
                let there = code as usize + configs * (done + usize::from(self.word[done] == *e));
                if from[there].is_none() && self.parts(code, places.0) && self.parts(code, places.1) {
                    from[there] = Some((here, arc as u8));
                    found.push(there as u32);
                }
            }
        }
        Ok((found.len(), None))
    }

    /// The execution that leads somewhere.
    fn way(&self, from: &[Option<(u32, u8)>], mut here: u32) -> (Code, Vec<Interaction>) {
        let mut path = Vec::new();
        while let Some((before, arc)) = from[here as usize].filter(|(before, _)| *before != here) {
            path.push(self.arcs[usize::from(arc)]);
            here = before;
        }
        path.reverse();
        (here, path)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use ringleader::params::Params;
    use ringleader::random::{Stream, index, stream};

    use super::super::undirected::sweeps;
    use super::*;
    use crate::query::Query;

    fn subject(n: usize) -> Subject<Por> {
        Subject::new(n, &Params::default()).unwrap()
    }

    /// Half of the word is not enough, and the execution that shows it has the half in it.
    #[test]
    fn half_of_the_word_is_not_enough() {
        let (por, mut query) = (subject(6), Query::new(&|| None, None));
        let word = sweeps(por.ring, 1);
        let found = decide(&mut query, &por, &word).unwrap();
        let Verdict::Fails(witness) = found.verdict else { panic!("{found:?}") };
        let mut rest = word.iter().peekable();
        for e in &witness.word {
            let _ = rest.next_if(|next| *next == e);
        }
        assert!(rest.next().is_none(), "{:?}", witness.word);
    }

    /// Executions of the clear form, with all kinds of things in between.
    #[test]
    fn random_executions_agree() {
        let (por, mut generator, mut survived) = (subject(7), stream(3, Stream::Start), 0);
        let word = sweeps(por.ring, 2);
        let search = Search::new(&por, &word);
        for _ in 0..20_000 {
            let (code, places) = (index(&mut generator, 1 << 14) as Code, [0; 2].map(|_| index(&mut generator, 7)));
            if !search.four(code, (places[0], places[1])) || !search.clear(code, (places[0], places[1])) {
                continue;
            }
            let (mut config, mut done) = (search.config(code), 0);
            let four = |config: &[State]| places.iter().all(|&i| parts(config, i));
            while done < word.len() && four(&config) {
                let e = search.arcs[index(&mut generator, search.arcs.len())];
                let (mut a, mut b) = (config[e.initiator], config[e.responder]);
                por.protocol.interact(&mut a, &mut b, Input::default());
                (config[e.initiator], config[e.responder]) = (a, b);
                done += usize::from(word[done] == e);
            }
            assert!(!four(&config), "{code:b}");
            survived += 1;
        }
        assert!(survived > 200, "{survived}");
    }
}
