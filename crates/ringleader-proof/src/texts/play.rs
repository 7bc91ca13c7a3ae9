//! Configurations under the law: words are played, and what can be reached is visited, to find words that lead somewhere.

use std::collections::VecDeque;

use ringleader::oracle::Oracle;
use ringleader::protocol::{Input, Protocol, Transition, leaders};
use ringleader::random::{Generator, below};
use ringleader_notation::setting::State;
use rustc_hash::FxHashMap;

use super::Found;
use super::graph::Graphs;
use crate::witness::Move;

/// A ring on which words are played.
#[derive(Clone)]
pub(super) struct Player {
    pub(super) config: Vec<State>,
    oracle: Oracle,
}

/// More coins are not tried one by one.
const MOST_COINS: u64 = 1 << 12;

/// For each configuration that may be visited, so many interactions may be tried on average.
const STEPS: usize = 50;

impl Player {
    pub(super) fn new(graphs: &Graphs, (config, leaderless): &Found) -> Self {
        let leaders = leaders(&graphs.law, config).len();
        let oracle = Oracle::new(graphs.law.oracle().unwrap_or(0), leaders).remembering(*leaderless);
        Self { config: config.clone(), oracle }
    }

    pub(super) fn leaders(&self) -> usize {
        self.oracle.leaders()
    }

    pub(super) fn found(&self) -> Found {
        (self.config.clone(), self.oracle.leaderless())
    }

    pub(super) fn step(&mut self, graphs: &Graphs, (e, coin): Move) {
        let before = [self.config[e.initiator], self.config[e.responder]];
        let [mut l, mut r] = before;
        graphs.law.interact(&mut l, &mut r, Input { coin, leader: self.oracle.leader() });
        let count = |pair: &[State; 2]| pair.iter().filter(|state| graphs.law.is_leader(state)).count();
        self.oracle.observe(count(&before), count(&[l, r]));
        (self.config[e.initiator], self.config[e.responder]) = (l, r);
    }

    pub(super) fn play(&mut self, graphs: &Graphs, word: &[Move]) {
        word.iter().for_each(|&one| self.step(graphs, one));
    }

    /// What a random execution of at most so many steps makes of it before it is as it should be.
    pub(super) fn walk(
        &self,
        graphs: &Graphs,
        most: usize,
        generator: &mut Generator,
        mut good: impl FnMut(&Self) -> bool,
    ) -> Option<Vec<Move>> {
        let (mut player, mut word) = (self.clone(), Vec::new());
        while !good(&player) {
            if word.len() == most {
                return None;
            }
            let arc = below(generator, graphs.ring.arcs() as u64) as usize;
            let one = (graphs.ring.arc(arc), below(generator, graphs.law.coins()));
            player.step(graphs, one);
            word.push(one);
        }
        Some(word)
    }

    fn leads_to(&self, graphs: &Graphs, word: &[Move], good: &mut impl FnMut(&Self) -> bool) -> bool {
        let mut player = self.clone();
        player.play(graphs, word);
        good(&player)
    }

    /// A part of a word that is enough.
    pub(super) fn shortened(
        &self,
        graphs: &Graphs,
        mut word: Vec<Move>,
        mut good: impl FnMut(&Self) -> bool,
    ) -> Vec<Move> {
        let mut block = word.len().div_ceil(2);
        while block > 0 {
            let mut from = 0;
            while from < word.len() {
                let shorter = [&word[..from], &word[(from + block).min(word.len())..]].concat();
                if self.leads_to(graphs, &shorter, &mut good) {
                    word = shorter;
                } else {
                    from += block;
                }
            }
            block = if block == 1 { 0 } else { block.div_ceil(2) };
        }
        word
    }

    /// Visits what can be reached, up to so many configurations.
    pub(super) fn visit(&self, graphs: &Graphs, most: usize, good: impl FnMut(&Self) -> bool) -> Visited {
        self.visit_telling(graphs, most, good, |_, _| ())
    }

    /// The same; told is every interaction that is tried, by the numbers of the configurations before and after it.
    fn visit_telling(
        &self,
        graphs: &Graphs,
        most: usize,
        mut good: impl FnMut(&Self) -> bool,
        mut tell: impl FnMut([usize; 2], [&[State]; 2]),
    ) -> Visited {
        if graphs.law.coins() > MOST_COINS {
            return Visited::TooMany;
        }
        let (mut order, mut next, mut steps) = (vec![self.clone()], VecDeque::from([0]), 0);
        let mut before: Vec<Option<(usize, Move)>> = vec![None];
        let mut known: FxHashMap<Found, usize> = FxHashMap::from_iter([(self.found(), 0)]);
        while let Some(k) = next.pop_front() {
            if good(&order[k]) {
                return Visited::Good(way(&before, k));
            }
            let moves = moves(graphs, &order[k]);
            steps += moves.len();
            if steps > STEPS * most {
                return Visited::TooMany;
            }
            for one in moves {
                let mut player = order[k].clone();
                player.step(graphs, one);
                let there = *known.entry(player.found()).or_insert(order.len());
                tell([k, there], [&order[k].config, &player.config]);
                if there == order.len() {
                    if order.len() == most {
                        return Visited::TooMany;
                    }
                    next.push_back(there);
                    order.push(player);
                    before.push(Some((k, one)));
                }
            }
        }
        Visited::All(order.len())
    }

    /// Whether no configuration that can be reached is safe by Definition 1: with one leader, if there is to be one, and outputs that never
    /// change again. `None` if there are too many to say.
    pub(super) fn never_settles(&self, graphs: &Graphs, most: usize) -> Option<bool> {
        let outputs = |config: &[State]| config.iter().map(|state| graphs.law.output(state)).collect::<Vec<_>>();
        // From where each configuration is reached, and which cannot be safe.
        let (mut from, mut unsafe_now): (Vec<Vec<usize>>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut elected = Vec::new();
        let all = self.visit_telling(
            graphs,
            most,
            |player| {
                elected.push(graphs.program.leader.is_none() || player.leaders() == 1);
                false
            },
            |[k, there], [before, after]| {
                from.resize(from.len().max(there + 1), Vec::new());
                from[there].push(k);
                if outputs(before) != outputs(after) {
                    unsafe_now.push(k);
                }
            },
        );
        let Visited::All(count) = all else { return None };
        from.resize(count, Vec::new());
        unsafe_now.extend((0..count).filter(|&k| !elected[k]));
        let mut may_be_safe = vec![true; count];
        while let Some(k) = unsafe_now.pop() {
            if std::mem::replace(&mut may_be_safe[k], false) {
                unsafe_now.extend(&from[k]);
            }
        }
        Some(!may_be_safe.contains(&true))
    }
}

/// What comes of a visit.
pub(super) enum Visited {
    /// A word leads to what was wanted.
    Good(Vec<Move>),
    /// It is nowhere among all that can be reached, so many configurations.
    All(usize),
    /// There are too many.
    TooMany,
}

/// All that can happen.
fn moves(graphs: &Graphs, player: &Player) -> Vec<Move> {
    let coins = |e: &ringleader::ring::Interaction| {
        let reads = graphs.law.reads_coin(&player.config[e.initiator], &player.config[e.responder]);
        if reads { graphs.law.coins() } else { 1 }
    };
    let arcs = (0..graphs.ring.arcs()).map(|k| graphs.ring.arc(k));
    arcs.flat_map(|e| (0..coins(&e)).map(move |coin| (e, coin))).collect()
}

fn way(before: &[Option<(usize, Move)>], mut to: usize) -> Vec<Move> {
    let mut word = Vec::new();
    while let Some((from, one)) = before[to] {
        word.push(one);
        to = from;
    }
    word.reverse();
    word
}
