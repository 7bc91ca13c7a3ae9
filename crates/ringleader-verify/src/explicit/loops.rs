//! Why a configuration never becomes safe, as something to watch: nothing changes there, or interactions lead round and
//! back to it.
//!
//! Whoever walks at random from a configuration that cannot become safe ends in a class of configurations that all
//! reach each other. If it is one configuration, that is silent. Otherwise there is a way back from whatever happens,
//! and an interaction that changes an output is worth showing.

use std::collections::hash_map::Entry;

use ringleader::protocol::Protocol;
use ringleader::random::{Stream, index, stream};
use rustc_hash::FxHashMap;

use super::space::Space;
use super::{Evidence, Move};

/// A walk is so many times n^2 steps long.
const WALK: usize = 1000;
/// A search ends after so many configurations.
const MOST: usize = 1 << 20;

/// What a search came to.
enum Search {
    /// The configurations on the way, first and last included.
    Found(Vec<u64>),
    /// There is none.
    Nothing,
    /// There are too many configurations.
    TooMany,
}

impl<P: Protocol> Space<'_, P> {
    /// For a configuration from which none is reachable that is safe: one that shows it, and how.
    pub(super) fn unsafe_for_ever(&self, stuck: u64) -> (u64, Evidence) {
        let shown = self.recurrence(self.walk(stuck)).filter(|(at, _)| self.is_promised(*at));
        shown.unwrap_or((stuck, Evidence::Endless))
    }

    /// Where other configurations may come next.
    fn others(&self, number: u64) -> Vec<(u64, bool)> {
        let mut others = Vec::new();
        self.successors(number, |next, changes| {
            if next != number {
                others.push((next, changes));
            }
        });
        others
    }

    fn walk(&self, mut at: u64) -> u64 {
        let mut generator = stream(0, Stream::Schedule);
        for _ in 0..WALK * self.ring.n().pow(2) {
            let others = self.others(at);
            if others.is_empty() {
                break;
            }
            at = others[index(&mut generator, others.len())].0;
        }
        at
    }

    /// A silent configuration or a loop that can be reached; `None` if that takes too long. Where there is no way back,
    /// there is one configuration less to come back to.
    fn recurrence(&self, mut at: u64) -> Option<(u64, Evidence)> {
        loop {
            let (from, to, changes) = match self.search(at, |_, changes| changes) {
                Search::Found(way) => (way[way.len() - 2], way[way.len() - 1], true),
                Search::Nothing => match self.others(at).first() {
                    None => return Some((at, Evidence::Silent)),
                    Some((next, _)) => (at, *next, false),
                },
                Search::TooMany => return None,
            };
            match self.search(to, |next, _| next == from) {
                Search::Found(back) => {
                    let way: Vec<u64> = std::iter::once(from).chain(back).collect();
                    return Some((from, Evidence::Loop(self.moves(&way), changes)));
                }
                Search::Nothing => at = to,
                Search::TooMany => return None,
            }
        }
    }

    /// The shortest way from a configuration whose last interaction is as wanted: where it leads, and whether it
    /// changes an output.
    fn search(&self, from: u64, wanted: impl Fn(u64, bool) -> bool) -> Search {
        let (mut before, mut queue, mut next) = (FxHashMap::default(), vec![from], 0);
        before.insert(from, from);
        while let Some(&at) = queue.get(next) {
            for (to, changes) in self.others(at) {
                if wanted(to, changes) {
                    let mut way = vec![to, at];
                    while way[way.len() - 1] != from {
                        way.push(before[&way[way.len() - 1]]);
                    }
                    way.reverse();
                    return Search::Found(way);
                }
                if let Entry::Vacant(fresh) = before.entry(to) {
                    fresh.insert(at);
                    queue.push(to);
                }
            }
            if queue.len() > MOST {
                return Search::TooMany;
            }
            next += 1;
        }
        Search::Nothing
    }

    fn moves(&self, way: &[u64]) -> Vec<Move> {
        way.windows(2).filter_map(|pair| self.interaction(pair[0], |next| next == pair[1])).collect()
    }
}
