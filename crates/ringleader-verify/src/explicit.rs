//! The explicit check: every configuration of a small ring, one by one.
//!
//! A configuration is a number whose digits are the states of the agents. What an edge may do to two digits, over both
//! directions, all coins and the oracle's answer, stands in a table, so that an interaction is a look into it and an addition. The check
//!
//! 1. marks the safe set, and asks of each member whether every interaction leads to a member with the same outputs;
//! 2. goes back from the safe set, level by level, along the table turned round: what is never met cannot become safe.
//!
//! A configuration is one bit in each of three sets (found, frontier, next), which bounds the memory. Where all agents have the
//! same inputs, configurations that differ by a turn of the ring are alike: only the least of them is worked on, and all its turns are
//! marked when it is found. What an oracle with a delay remembers is part of the configuration.
//!
//! There are no threads here: the check hands out work over ranges ([`Workers`]), which may be done in any order and at once,
//! and gives the same result.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ringleader::instance::Instance;
use ringleader::params::Settings;
use ringleader::protocol::{Input, Protocol};
use ringleader::ring::{Interaction, Ring};
use ringleader::value::{Text, Value};

mod bits;
mod space;

use bits::Bits;
use space::{MAX_AGENTS, Space};

/// Bits of memory that a configuration takes.
pub const BITS: u64 = 3;
/// Bytes that a pair of states takes in the tables, about.
const PAIR: u128 = 32;
/// No configuration has this number.
const NONE: u64 = u64::MAX;

/// Work on the words of a range, each of which stands for 64 configurations.
pub type Work<'a> = dyn Fn(Range<u64>) + Sync + 'a;

/// Given a name for the work and the number of words, does it on all words `[0, words)`, in any ranges; `Break` if it was stopped.
pub type Workers<'a> = dyn FnMut(&str, u64, &Work<'_>) -> ControlFlow<()> + 'a;

/// One after the other.
///
/// # Errors
/// Never; the signature is that of [`Workers`].
pub fn alone(_: &str, words: u64, work: &Work<'_>) -> ControlFlow<()> {
    work(0..words);
    ControlFlow::Continue(())
}

/// How far a check goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope {
    /// The most bytes that it may take.
    pub memory: u64,
    /// Whether safety is asked from every configuration, even where the protocol promises nothing.
    pub everywhere: bool,
}

/// The set of all configurations.
const EVERYTHING: &str = "every configuration";

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The safe set is closed.
    SafeClosed,
    /// Outputs are constant in the safe set.
    OutputsConstant,
    /// The set for which safety is promised is closed.
    PromiseClosed,
    /// From every configuration for which it is promised, the safe set is reachable.
    Reachable,
}

impl Claim {
    /// The claim in words, for a promise made for this set.
    #[must_use]
    pub fn text(self, promise: &str) -> String {
        match self {
            Self::SafeClosed => "the safe set is closed".into(),
            Self::OutputsConstant => "outputs are constant in the safe set".into(),
            Self::PromiseClosed => format!("{promise} is closed"),
            Self::Reachable if promise == EVERYTHING => format!("from {EVERYTHING} the safe set is reachable"),
            Self::Reachable => format!("from every configuration of {promise} the safe set is reachable"),
        }
    }
}

/// A claim that does not hold: a configuration, and what happens there.
#[derive(Clone, Debug, PartialEq)]
pub struct Flaw {
    /// The claim.
    pub claim: Claim,
    /// The agents of the configuration.
    pub config: Vec<Value>,
    /// What the oracle remembers: for how many interactions there has been no leader.
    pub leaderless: u64,
    /// The interaction that breaks the claim, and its coin if it reads one; `None` where no interaction helps.
    pub step: Option<(Interaction, Option<u64>)>,
    /// How many configurations are like this one.
    pub count: u64,
}

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every claim holds.
    Holds,
    /// Some claim does not.
    Fails,
    /// The configurations do not fit into the memory that was allowed; nothing was checked.
    TooLarge,
    /// Somebody stopped it.
    Stopped,
}

impl Verdict {
    /// The word used on the command line and in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Fails => "fails",
            Self::TooLarge => "too large",
            Self::Stopped => "stopped",
        }
    }
}

/// What came of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct Explored {
    /// The parameters in force.
    pub settings: Settings,
    /// How it ended.
    pub verdict: Verdict,
    /// The claims that were asked.
    pub claims: Vec<Claim>,
    /// The set for which safety is promised.
    pub promise: Text,
    /// How many ways there are to give the inputs, up to symmetry; `None` if they were not counted.
    pub inputs: Option<u64>,
    /// The number of states that an agent may have for given inputs.
    pub states: u128,
    /// How many configurations there are, over all inputs if these were counted, else for each; `None` from 2^128 on.
    pub configurations: Option<u128>,
    /// How many of them are safe.
    pub safe: u64,
    /// For how many safety is promised.
    pub promised: u64,
    /// How many interactions the farthest of all that can become safe is away from safety, at best.
    pub farthest: u64,
    /// At most one flaw for every claim.
    pub flaws: Vec<Flaw>,
}

/// Checks a protocol on all configurations of its ring.
pub fn explore<P: Protocol>(instance: &Instance<P>, scope: Scope, workers: &mut Workers<'_>) -> Explored {
    let Instance { blueprint, protocol, ring } = instance;
    let (size, ring) = (Size::of(protocol, *ring), *ring);
    let promise = blueprint.promise.as_ref().filter(|_| !scope.everywhere);
    let holds = promise.map(|promise| &promise.holds);
    let mut explored = Explored {
        settings: protocol.settings(),
        verdict: Verdict::TooLarge,
        claims: vec![Claim::SafeClosed, Claim::OutputsConstant, Claim::Reachable],
        promise: promise.map_or(EVERYTHING.into(), |promise| promise.name.clone()),
        inputs: None,
        states: size.states,
        configurations: size.configurations(),
        safe: 0,
        promised: 0,
        farthest: 0,
        flaws: Vec::new(),
    };
    if holds.is_some() {
        explored.claims.insert(2, Claim::PromiseClosed);
    }
    let Some(total) = size.within(scope.memory) else { return explored };
    let inputs = protocol.inputs(ring);
    explored.inputs = Some(inputs.len() as u64);
    explored.configurations = Some(u128::from(total) * inputs.len() as u128);
    let sets = [Bits::new(total), Bits::new(total), Bits::new(total)];
    for input in inputs {
        sets.iter().for_each(Bits::clear);
        let space = Space::new(protocol, ring, input, holds);
        if space.explore(&sets, &mut explored, workers).is_break() {
            explored.verdict = Verdict::Stopped;
            return explored;
        }
    }
    explored.verdict = if explored.flaws.is_empty() { Verdict::Holds } else { Verdict::Fails };
    explored
}

/// How large a check is.
struct Size {
    states: u128,
    n: u32,
    memories: u128,
    tables: u128,
}

impl Size {
    fn of<P: Protocol>(protocol: &P, ring: Ring) -> Self {
        let variables = protocol.variables();
        let kinds = if variables.0.iter().any(|variable| variable.input) { ring.n() as u128 } else { 1 };
        let states = variables.free_states();
        let memories = protocol.oracle().map_or(1, |delay| u128::from(delay) + 1);
        let answers = if protocol.oracle().is_some() { 2 } else { 1 };
        let tables = states.saturating_mul(states).saturating_mul(kinds * answers * PAIR);
        Self { states, n: ring.n() as u32, memories, tables }
    }

    fn configurations(&self) -> Option<u128> {
        self.states.checked_pow(self.n)?.checked_mul(self.memories)
    }

    /// The number of configurations, if they and the tables fit.
    fn within(&self, memory: u64) -> Option<u64> {
        let total = self.configurations().filter(|_| self.n as usize <= MAX_AGENTS)?;
        let bytes = total.checked_mul(u128::from(BITS))?.div_ceil(8).checked_add(self.tables)?;
        (bytes <= u128::from(memory)).then_some(total as u64)
    }
}

// --- The check ------------------------------------------------------------------------------------------------

impl<P: Protocol> Space<'_, P> {
    fn explore(
        &self,
        [found, frontier, next]: &[Bits; 3],
        explored: &mut Explored,
        workers: &mut Workers<'_>,
    ) -> ControlFlow<()> {
        let words = found.words();
        workers("safe set", words, &|range| self.mark_safe(found, frontier, range))?;
        explored.safe += found.count();
        let flaws = [Claim::SafeClosed, Claim::OutputsConstant].map(|claim| (claim, Tally::default()));
        workers("closure", words, &|range| self.closure(found, frontier, range, &flaws))?;
        let (mut here, mut there, mut level) = (frontier, next, 0);
        loop {
            let met = AtomicU64::new(0);
            workers(&format!("level {level}"), words, &|range| {
                let level = here.take(range);
                let count = level.map(|number| self.predecessors(number, |before| self.find(before, found, there)));
                met.fetch_add(count.count() as u64, Relaxed);
            })?;
            if met.load(Relaxed) == 0 {
                break;
            }
            (here, there, level) = (there, here, level + 1);
        }
        explored.farthest = explored.farthest.max(u64::saturating_sub(level, 1));
        let (promised, left, stuck) = (Tally::default(), Tally::default(), Tally::default());
        workers("promise", words, &|range| self.survey(found, range, &promised, &left, &stuck))?;
        explored.promised += promised.count.load(Relaxed);
        let [closed, constant] = flaws;
        for (claim, tally) in [closed, constant, (Claim::PromiseClosed, left), (Claim::Reachable, stuck)] {
            self.note(claim, &tally, explored);
        }
        ControlFlow::Continue(())
    }

    fn numbers(&self, words: Range<u64>) -> Range<u64> {
        let total = self.configs * (self.delay + 1);
        64 * words.start..(64 * words.end).min(total)
    }

    fn mark_safe(&self, found: &Bits, frontier: &Bits, words: Range<u64>) {
        for number in self.numbers(words) {
            if self.least(number).is_some() && self.is_valid(number) && self.protocol.is_safe(&self.config(number)) {
                self.find(number, found, frontier);
            }
        }
    }

    /// `safe` is all of the safe set, `least` what has no smaller turn.
    fn closure(&self, safe: &Bits, least: &Bits, words: Range<u64>, flaws: &[(Claim, Tally); 2]) {
        for number in least.members(words) {
            let (mut leaves, mut changes) = (false, false);
            let digits = self.digits(number);
            self.successors(number, |next, i, to| {
                let (right, a, b) = self.pair(&digits, i);
                let output = |i: usize, digit: usize| self.agent(i).outputs[digit];
                leaves |= !safe.has(next);
                changes |=
                    output(i, a) != output(i, to[0] as usize) || output(right, b) != output(right, to[1] as usize);
            });
            let turns = self.least(number).unwrap_or(1);
            flaws[0].1.add(leaves, number, turns);
            flaws[1].1.add(changes, number, turns);
        }
    }

    /// Of the configurations for which safety is promised: how many there are, which have a successor that is none, and which were
    /// never found.
    fn survey(&self, found: &Bits, words: Range<u64>, promised: &Tally, left: &Tally, stuck: &Tally) {
        let is_promised = |number: u64| self.promise.is_none_or(|holds| holds(self.protocol, &self.config(number)));
        for number in self.numbers(words) {
            let Some(turns) = self.least(number) else { continue };
            if !self.is_valid(number) || !is_promised(number) {
                continue;
            }
            promised.add(true, number, turns);
            stuck.add(!found.has(number), number, turns);
            if self.promise.is_some() {
                let mut leaves = false;
                self.successors(number, |next, _, _| leaves |= !is_promised(next));
                left.add(leaves, number, turns);
            }
        }
    }

    /// Keeps the flaw if there is one, unless there is one of this kind already.
    fn note(&self, claim: Claim, tally: &Tally, explored: &mut Explored) {
        let (number, count) = (tally.least.load(Relaxed), tally.count.load(Relaxed));
        if number == NONE {
            return;
        }
        if let Some(known) = explored.flaws.iter_mut().find(|flaw| flaw.claim == claim) {
            known.count += count;
            return;
        }
        let config = self.config(number);
        explored.flaws.push(Flaw {
            claim,
            config: config.iter().map(|state| self.variables.encode(state)).collect(),
            leaderless: number / self.configs,
            step: self.culprit(claim, number, &config),
            count,
        });
    }

    /// The first interaction that breaks the claim.
    fn culprit(&self, claim: Claim, number: u64, config: &[P::State]) -> Option<(Interaction, Option<u64>)> {
        let leader = self.digits(number).oracle.leader();
        let outputs = |config: &[P::State]| config.iter().map(|v| self.protocol.output(v)).collect::<Vec<u64>>();
        let breaks = |next: &[P::State]| match claim {
            Claim::SafeClosed => !self.protocol.is_safe(next),
            Claim::OutputsConstant => outputs(next) != outputs(config),
            Claim::PromiseClosed => self.promise.is_some_and(|holds| !holds(self.protocol, next)),
            Claim::Reachable => false,
        };
        for i in 0..self.ring.n() {
            let (e, mut next) = (self.ring.e(i), config.to_vec());
            let pair = [config[e.initiator], config[e.responder]];
            for (interaction, coin) in self.choices(e, pair) {
                let [l, r] = self.after(interaction == e, pair, Input { coin, leader });
                (next[e.initiator], next[e.responder]) = (l, r);
                if breaks(&next) {
                    let reads =
                        self.protocol.reads_coin(&config[interaction.initiator], &config[interaction.responder]);
                    return Some((interaction, reads.then_some(coin)));
                }
            }
        }
        None
    }
}

/// How many configurations are of some kind, and the least of them. Several may add at once.
struct Tally {
    count: AtomicU64,
    least: AtomicU64,
}

impl Default for Tally {
    fn default() -> Self {
        Self { count: 0.into(), least: NONE.into() }
    }
}

impl Tally {
    #[inline]
    fn add(&self, is_one: bool, number: u64, turns: u64) {
        if is_one {
            self.count.fetch_add(turns, Relaxed);
            self.least.fetch_min(number, Relaxed);
        }
    }
}
