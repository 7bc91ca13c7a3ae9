//! The explicit check: every configuration of a small ring, one by one.
//!
//! A configuration is a number whose digits are the states of the agents. What an edge may do to two digits, over both
//! directions, all coins and the oracle's answer, stands in a table, so that an interaction is a look into it and an
//! addition. The check
//!
//! 1. finds all safe configurations of Definition 1 (`largest`); where no safe set is declared, they are it;
//! 2. marks the declared safe set, and asks of each member whether every interaction leads to a member with the same
//!    outputs;
//! 3. goes back from the safe set, level by level, along the table turned round: what is never met cannot become safe.
//!
//! A configuration is one bit in each of three sets (found, frontier, next), which bounds the memory. Where all agents
//! have the same inputs, configurations that differ by a turn of the ring are alike: only the least of them is worked
//! on, and all its turns are marked when it is found. (Not so if a set that was read from a file tells agents apart by
//! their numbers.) What an oracle with a delay remembers is part of the configuration.
//!
//! There are no threads here: the check hands out work over ranges ([`Workers`]), which may be done in any order and at
//! once, and gives the same result.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use ringleader::instance::Instance;
use ringleader::params::Settings;
use ringleader::protocol::Protocol;
use ringleader::ring::{Interaction, Ring};
use ringleader::value::{Text, Value};

mod bits;
mod largest;
mod loops;
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

/// Given a name for the work and the number of words, does it on all words `[0, words)`, in any ranges; `Break` if it
/// was stopped.
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
    /// There is exactly one leader in the safe set.
    OneLeader,
    /// The safe set is closed.
    SafeClosed,
    /// Outputs are constant in the safe set.
    OutputsConstant,
    /// The set for which safety is promised is closed.
    PromiseClosed,
    /// From every configuration for which it is promised, the safe set is reachable.
    Reachable,
    /// The same where no safe set is declared: some safe configuration is.
    Stabilizes,
}

impl Claim {
    /// The claim in words, for a promise made for this set.
    #[must_use]
    pub fn text(self, promise: &str) -> String {
        match self {
            Self::OneLeader => "there is one leader in the safe set".into(),
            Self::SafeClosed => "the safe set is closed".into(),
            Self::OutputsConstant => "outputs are constant in the safe set".into(),
            Self::PromiseClosed => format!("{promise} is closed"),
            Self::Reachable => format!("from {} the safe set is reachable", each(promise)),
            Self::Stabilizes => format!("from {} a safe one is reachable", each(promise)),
        }
    }
}

fn each(promise: &str) -> String {
    if promise == EVERYTHING { EVERYTHING.into() } else { format!("every configuration of {promise}") }
}

/// An interaction, and its coin if it reads one.
pub type Move = (Interaction, Option<u64>);

/// How a configuration shows that a claim does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// As it is.
    Itself,
    /// This interaction breaks the claim.
    Step(Move),
    /// No interaction changes anything: so it stays.
    Silent,
    /// These interactions lead back to it, and so on for ever, with or without outputs that change. Nothing else leads
    /// to safety either.
    Loop(Vec<Move>, bool),
    /// It goes on for ever, but no loop of it was found in reasonable time.
    Endless,
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
    /// How it shows that.
    pub evidence: Evidence,
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

/// A safe configuration that the declared safe set leaves out.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOut {
    /// The agents of the least such configuration.
    pub config: Vec<Value>,
    /// How many there are.
    pub count: u64,
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
    /// How many of them are in the safe set: the declared one, or all safe configurations of Definition 1 if none is
    /// declared.
    pub safe: u64,
    /// How many are safe by Definition 1, taken literally.
    pub largest: u64,
    /// Those of them that are not in the safe set.
    pub left_out: Option<LeftOut>,
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
    let (size, about) = (Size::of(protocol, *ring), &blueprint.about);
    let promise = blueprint.promise.as_ref().filter(|_| !scope.everywhere);
    let holds = promise.map(|promise| &promise.holds);
    let mut explored = Explored {
        settings: protocol.settings(),
        verdict: Verdict::TooLarge,
        claims: claims(about.elects, about.declares_safe, promise.is_some()),
        promise: promise.map_or(EVERYTHING.into(), |promise| promise.name.clone()),
        inputs: None,
        states: size.states,
        configurations: size.configurations(),
        safe: 0,
        largest: 0,
        left_out: None,
        promised: 0,
        farthest: 0,
        flaws: Vec::new(),
    };
    let Some(total) = size.within(scope.memory) else { return explored };
    let inputs = protocol.inputs(*ring);
    explored.inputs = Some(inputs.len() as u64);
    explored.configurations = Some(u128::from(total) * inputs.len() as u128);
    let sets = [Bits::new(total), Bits::new(total), Bits::new(total)];
    for input in inputs {
        sets.iter().for_each(Bits::clear);
        let mut space = Space::new(instance, input, holds);
        let mut explore = || {
            space.settle_turning(&sets[0], about.declares_safe, workers)?;
            space.explore(&sets, about.declares_safe, &mut explored, workers)
        };
        if explore().is_break() {
            explored.verdict = Verdict::Stopped;
            return explored;
        }
    }
    explored.verdict = if explored.flaws.is_empty() { Verdict::Holds } else { Verdict::Fails };
    explored
}

fn claims(elects: bool, declares_safe: bool, promises: bool) -> Vec<Claim> {
    let asked = [
        (Claim::OneLeader, declares_safe && elects),
        (Claim::SafeClosed, declares_safe),
        (Claim::OutputsConstant, declares_safe),
        (Claim::PromiseClosed, promises),
        (Claim::Reachable, declares_safe),
        (Claim::Stabilizes, !declares_safe),
    ];
    asked.into_iter().filter_map(|(claim, asked)| asked.then_some(claim)).collect()
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
        sets: &[Bits; 3],
        declares_safe: bool,
        explored: &mut Explored,
        workers: &mut Workers<'_>,
    ) -> ControlFlow<()> {
        let [mut found, frontier, mut next] = sets.each_ref();
        let words = found.words();
        self.largest(sets, workers)?;
        explored.largest += found.count();
        let flaws =
            [Claim::OneLeader, Claim::SafeClosed, Claim::OutputsConstant].map(|claim| (claim, Tally::default()));
        if declares_safe {
            workers("safe set", words, &|range| self.mark_safe(next, frontier, range))?;
            self.note_left_out(found, next, explored);
            let same = found.equals(next);
            found.clear();
            (found, next) = (next, found);
            // The largest safe set is closed, with constant outputs.
            if !same {
                workers("closure", words, &|range| self.closure(found, frontier, range, &flaws))?;
            }
        } else {
            let least = |number: &u64| self.least(*number).is_some();
            workers("safe set", words, &|range| found.members(range).filter(least).for_each(|k| frontier.add(k)))?;
        }
        explored.safe += found.count();
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
        let reachable = if declares_safe { Claim::Reachable } else { Claim::Stabilizes };
        for (claim, tally) in flaws.into_iter().chain([(Claim::PromiseClosed, left), (reachable, stuck)]) {
            self.note(claim, &tally, explored);
        }
        ControlFlow::Continue(())
    }

    /// A text may tell the agents of its sets apart by their numbers. Then nothing is alike.
    fn settle_turning(&mut self, all: &Bits, declares_safe: bool, workers: &mut Workers<'_>) -> ControlFlow<()> {
        if !self.alike() || self.protocol.text() == 0 || !declares_safe && self.promise.is_none() {
            return ControlFlow::Continue(());
        }
        let uneven = AtomicBool::new(false);
        workers("turns", all.words(), &|range| {
            for number in self.numbers(range).take_while(|number| *number < self.configs) {
                let Some(turns) = self.least(number) else { continue };
                let mut config = self.config(number);
                let sets = |config: &[P::State]| {
                    let promised = self.promise.is_none_or(|holds| holds(self.protocol, config));
                    (promised, declares_safe && self.protocol.claims_safe(config))
                };
                let first = sets(&config);
                for _ in 1..turns {
                    config.rotate_left(1);
                    if sets(&config) != first {
                        return uneven.store(true, Relaxed);
                    }
                }
            }
        })?;
        self.turning = !uneven.into_inner();
        ControlFlow::Continue(())
    }

    fn numbers(&self, words: Range<u64>) -> Range<u64> {
        let total = self.configs * (self.delay + 1);
        64 * words.start..(64 * words.end).min(total)
    }

    fn mark_safe(&self, found: &Bits, frontier: &Bits, words: Range<u64>) {
        for number in self.numbers(words) {
            if self.least(number).is_some() && self.is_valid(number) && self.protocol.claims_safe(&self.config(number))
            {
                self.find(number, found, frontier);
            }
        }
    }

    /// `safe` is all of the safe set, `least` what has no smaller turn.
    fn closure(&self, safe: &Bits, least: &Bits, words: Range<u64>, flaws: &[(Claim, Tally); 3]) {
        for number in least.members(words) {
            let (mut leaves, mut changes) = (false, false);
            self.successors(number, |next, changed| {
                leaves |= !safe.has(next);
                changes |= changed;
            });
            let turns = self.least(number).unwrap_or(1);
            flaws[0].1.add(self.elects && self.digits(number).oracle.leaders() != 1, number, turns);
            flaws[1].1.add(leaves, number, turns);
            flaws[2].1.add(changes, number, turns);
        }
    }

    /// Of the configurations for which safety is promised: how many there are, which have a successor that is none, and
    /// which were never found.
    fn survey(&self, found: &Bits, words: Range<u64>, promised: &Tally, left: &Tally, stuck: &Tally) {
        for number in self.numbers(words) {
            let Some(turns) = self.least(number) else { continue };
            if !self.is_valid(number) || !self.is_promised(number) {
                continue;
            }
            promised.add(true, number, turns);
            stuck.add(!found.has(number), number, turns);
            if self.promise.is_some() {
                let mut leaves = false;
                self.successors(number, |next, _| leaves |= !self.is_promised(next));
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
        let (number, evidence) = self.evidence(claim, number);
        let (config, leaderless) = (self.encoded(number), number / self.configs);
        explored.flaws.push(Flaw { claim, config, leaderless, evidence, count });
    }

    fn evidence(&self, claim: Claim, number: u64) -> (u64, Evidence) {
        let step = |breaks: &dyn Fn(u64) -> bool| {
            (number, self.interaction(number, breaks).map_or(Evidence::Itself, Evidence::Step))
        };
        match claim {
            Claim::OneLeader => (number, Evidence::Itself),
            Claim::SafeClosed => step(&|next| !self.protocol.claims_safe(&self.config(next))),
            Claim::OutputsConstant => step(&|next| self.outputs(next) != self.outputs(number)),
            Claim::PromiseClosed => step(&|next| !self.is_promised(next)),
            Claim::Reachable | Claim::Stabilizes => self.unsafe_for_ever(number),
        }
    }

    fn encoded(&self, number: u64) -> Vec<Value> {
        self.config(number).iter().map(|state| self.variables.encode(state)).collect()
    }

    fn is_promised(&self, number: u64) -> bool {
        self.promise.is_none_or(|holds| holds(self.protocol, &self.config(number)))
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
