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

use crate::error::Error;
use crate::oracle::Oracle;
use crate::protocol::{Input, Params, Promise, Protocol, Set};
use crate::ring::{Interaction, Orientation, Ring};
use crate::value::Value;
use crate::variables::Variables;

/// Bits of memory that a configuration takes.
pub const BITS: u64 = 3;
/// Bytes that a pair of states takes in the tables, about.
const PAIR: u128 = 32;
/// No configuration has this number.
const NONE: u64 = u64::MAX;

/// Work on the words of a range, each of which stands for 64 configurations.
pub type Work<'a> = dyn Fn(Range<u64>) + Sync + 'a;

/// Does a piece of work on all words `[0, words)`, in ranges as it likes; told is also what the work is. `Break` if it was stopped.
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
    pub settings: Vec<(&'static str, Value)>,
    /// How it ended.
    pub verdict: Verdict,
    /// The claims that were asked.
    pub claims: Vec<Claim>,
    /// The set for which safety is promised.
    pub promise: &'static str,
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

/// Checks a protocol on all configurations of a ring of `n` agents.
///
/// # Errors
/// If the size or a parameter is refused.
pub fn explore<P: Protocol>(
    n: usize,
    given: &Params,
    scope: Scope,
    workers: &mut Workers<'_>,
) -> Result<Explored, Error> {
    let ring = Ring::new(n, P::ABOUT.ring)?;
    let protocol = P::new(ring, &P::parameters_of_check(ring, given))?;
    Ok(explore_protocol(&protocol, ring, scope, workers))
}

/// The same for a protocol that is there already.
pub fn explore_protocol<P: Protocol>(protocol: &P, ring: Ring, scope: Scope, workers: &mut Workers<'_>) -> Explored {
    let size = Size::of(protocol, ring);
    let promise = if scope.everywhere { Promise { name: EVERYTHING, holds: None } } else { P::promise() };
    let mut explored = Explored {
        settings: protocol.settings(),
        verdict: Verdict::TooLarge,
        claims: vec![Claim::SafeClosed, Claim::OutputsConstant, Claim::Reachable],
        promise: promise.name,
        inputs: None,
        states: size.states,
        configurations: size.configurations(),
        safe: 0,
        promised: 0,
        farthest: 0,
        flaws: Vec::new(),
    };
    if promise.holds.is_some() {
        explored.claims.insert(2, Claim::PromiseClosed);
    }
    let Some(total) = size.within(scope.memory) else { return explored };
    let inputs = protocol.inputs(ring);
    explored.inputs = Some(inputs.len() as u64);
    explored.configurations = Some(u128::from(total) * inputs.len() as u128);
    let sets = [Bits::new(total), Bits::new(total), Bits::new(total)];
    for input in inputs {
        sets.iter().for_each(Bits::clear);
        let space = Space::new(protocol, ring, input, promise.holds);
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

// --- Sets of configurations -----------------------------------------------------------------------------------

/// A set of numbers, to which several may add at once.
struct Bits(Vec<AtomicU64>);

impl Bits {
    fn new(len: u64) -> Self {
        Self((0..len.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    fn clear(&self) {
        self.0.iter().for_each(|word| word.store(0, Relaxed));
    }

    #[inline]
    fn has(&self, k: u64) -> bool {
        self.0[(k / 64) as usize].load(Relaxed) >> (k % 64) & 1 == 1
    }

    #[inline]
    fn add(&self, k: u64) {
        self.0[(k / 64) as usize].fetch_or(1 << (k % 64), Relaxed);
    }

    fn count(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.load(Relaxed).count_ones())).sum()
    }

    fn words(&self) -> u64 {
        self.0.len() as u64
    }

    /// The members in a range of words.
    fn members(&self, words: Range<u64>) -> impl Iterator<Item = u64> {
        words.flat_map(|word| ones(word, self.0[word as usize].load(Relaxed)))
    }

    /// The same, and removes them.
    fn take(&self, words: Range<u64>) -> impl Iterator<Item = u64> {
        words.flat_map(|word| ones(word, self.0[word as usize].swap(0, Relaxed)))
    }
}

/// The numbers of the ones in a word.
fn ones(word: u64, mut bits: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let k = bits.trailing_zeros();
        (bits != 0).then(|| {
            bits &= bits - 1;
            64 * word + u64::from(k)
        })
    })
}

// --- Tables ---------------------------------------------------------------------------------------------------

/// For every pair of states, by number: the pairs that an edge may turn it into.
struct Table {
    first: Vec<usize>,
    pairs: Vec<[u32; 2]>,
}

impl Table {
    fn new(states: usize, mut moves: Vec<[[u32; 2]; 2]>) -> Self {
        moves.sort_unstable();
        moves.dedup();
        let number = |[a, b]: [u32; 2]| a as usize * states + b as usize;
        let mut first = vec![0; states * states + 1];
        moves.iter().for_each(|[from, _]| first[number(*from) + 1] += 1);
        (0..states * states).for_each(|k| first[k + 1] += first[k]);
        Self { first, pairs: moves.into_iter().map(|[_, to]| to).collect() }
    }

    #[inline]
    fn of(&self, number: usize) -> &[[u32; 2]] {
        &self.pairs[self.first[number]..self.first[number + 1]]
    }
}

/// What an edge may do, and what it may have done.
struct Edge {
    forward: Table,
    backward: Table,
}

/// The edges of one answer of the oracle: one for all if all agents have the same inputs.
struct Edges(Vec<Edge>);

impl Edges {
    #[inline]
    fn at(&self, i: usize) -> &Edge {
        if self.0.len() == 1 { &self.0[0] } else { &self.0[i] }
    }
}

/// What is known of an agent with its inputs.
struct Agent<S> {
    states: Vec<S>,
    outputs: Vec<u64>,
    leads: Vec<bool>,
}

impl<S: Copy + 'static> Agent<S> {
    fn new<P: Protocol<State = S>>(protocol: &P, variables: &Variables<S>, input: S) -> Self {
        let states = variables.free(input);
        let outputs = states.iter().map(|state| protocol.output(state)).collect();
        let leads = states.iter().map(|state| protocol.is_leader(state)).collect();
        Self { states, outputs, leads }
    }
}

// --- The space of configurations ------------------------------------------------------------------------------

/// All configurations for given inputs.
struct Space<'a, P: Protocol> {
    protocol: &'a P,
    ring: Ring,
    variables: Variables<P::State>,
    /// One for all, if all have the same inputs.
    agents: Vec<Agent<P::State>>,
    /// By answer of the oracle: no, yes; only the second if none is asked.
    edges: [Option<Edges>; 2],
    /// How many states an agent has, and what a digit is worth at each place.
    states: u64,
    worth: Vec<u64>,
    /// How many configurations there are for every memory of the oracle.
    configs: u64,
    delay: u64,
    /// Where safety is promised, if not everywhere.
    promise: Option<Set<P>>,
}

/// A configuration taken apart. Rings are small here.
struct Digits {
    config: u64,
    digits: [u32; MAX_AGENTS],
    oracle: Oracle,
}

/// 2^64 configurations would not fit into any memory.
const MAX_AGENTS: usize = 64;

impl<'a, P: Protocol> Space<'a, P> {
    fn new(protocol: &'a P, ring: Ring, input: Vec<P::State>, promise: Option<Set<P>>) -> Self {
        let variables = protocol.variables();
        let alike = input.iter().all(|agent| *agent == input[0]);
        let different = if alike { &input[..1] } else { &input[..] };
        let agents: Vec<Agent<P::State>> =
            different.iter().map(|agent| Agent::new(protocol, &variables, *agent)).collect();
        let states = agents[0].states.len() as u64;
        let worth: Vec<u64> = (0..=ring.n() as u32).map(|i| states.saturating_pow(i)).collect();
        let configs = worth[ring.n()];
        let delay = protocol.oracle().unwrap_or(0);
        let mut space =
            Self { protocol, ring, variables, agents, edges: [None, None], states, worth, configs, delay, promise };
        let no = protocol.oracle().map(|_| space.edges(false));
        space.edges = [no, Some(space.edges(true))];
        space
    }

    /// Whether configurations that differ by a turn are alike.
    fn turns(&self) -> bool {
        self.agents.len() == 1
    }

    fn agent(&self, i: usize) -> &Agent<P::State> {
        if self.turns() { &self.agents[0] } else { &self.agents[i] }
    }

    fn edges(&self, leader: bool) -> Edges {
        Edges((0..self.agents.len()).map(|i| self.edge(i, leader)).collect())
    }

    /// Everything that may happen between `u_i` and its right neighbour.
    fn edge(&self, i: usize, leader: bool) -> Edge {
        let (states, right) = (self.states as u32, (i + 1) % self.ring.n());
        let mut moves = Vec::new();
        for from in (0..states).flat_map(|a| (0..states).map(move |b| [a, b])) {
            let pair = [self.agent(i).states[from[0] as usize], self.agent(right).states[from[1] as usize]];
            for (interaction, coin) in self.choices(self.ring.e(i), pair) {
                let [l, r] = self.after(interaction == self.ring.e(i), pair, Input { coin, leader });
                let to = [self.digit(&l), self.digit(&r)];
                // Where nothing changes, at most a delayed oracle has learnt something.
                if to != from || self.delay > 0 {
                    moves.push([from, to]);
                }
            }
        }
        let turned = moves.iter().map(|[from, to]| [*to, *from]).collect();
        Edge { forward: Table::new(states as usize, moves), backward: Table::new(states as usize, turned) }
    }

    /// The interactions of an edge with all their coins, for the states of its left and right agent.
    fn choices(&self, e: Interaction, [l, r]: [P::State; 2]) -> Vec<(Interaction, u64)> {
        let both = [(e, l, r), (e.reversed(), r, l)];
        let directions = if self.ring.orientation() == Orientation::Directed { &both[..1] } else { &both[..] };
        let coins = |(e, u, v): &(Interaction, P::State, P::State)| {
            let (e, coins) = (*e, if self.protocol.reads_coin(u, v) { self.protocol.coins() } else { 1 });
            (0..coins).map(move |coin| (e, coin))
        };
        directions.iter().flat_map(coins).collect()
    }

    /// The left and the right agent after an interaction in which the left one initiates, or does not.
    fn after(&self, left_initiates: bool, [mut l, mut r]: [P::State; 2], input: Input) -> [P::State; 2] {
        if left_initiates {
            self.protocol.interact(&mut l, &mut r, input);
        } else {
            self.protocol.interact(&mut r, &mut l, input);
        }
        [l, r]
    }

    /// The number of a state. One outside its domain breaks a law that is checked elsewhere; here it must not pass as another.
    fn digit(&self, state: &P::State) -> u32 {
        let index = self.variables.free_index(state);
        assert!(index.is_some(), "an interaction left the domains: {state:?}");
        index.unwrap_or(0) as u32
    }

    // --- Numbers ---

    fn digits(&self, number: u64) -> Digits {
        let (config, memory) = (number % self.configs, number / self.configs);
        let (mut digits, mut rest, mut leaders) = ([0; MAX_AGENTS], config, 0);
        for (i, digit) in digits.iter_mut().enumerate().take(self.ring.n()) {
            *digit = (rest % self.states) as u32;
            rest /= self.states;
            leaders += usize::from(self.agent(i).leads[*digit as usize]);
        }
        Digits { config, digits, oracle: Oracle::new(self.delay, leaders).remembering(memory) }
    }

    fn config(&self, number: u64) -> Vec<P::State> {
        let digits = self.digits(number).digits;
        (0..self.ring.n()).map(|i| self.agent(i).states[digits[i] as usize]).collect()
    }

    /// Whether the number means something: where there is a leader, the oracle remembers nothing.
    fn is_valid(&self, number: u64) -> bool {
        self.delay == 0 || self.digits(number).oracle.leaderless() == number / self.configs
    }

    /// The configuration turned by one agent.
    #[inline]
    fn turned(&self, config: u64) -> u64 {
        config / self.states + config % self.states * self.worth[self.ring.n() - 1]
    }

    /// Whether no turn of it is smaller; then, how many different turns it has.
    fn least(&self, number: u64) -> Option<u64> {
        if !self.turns() {
            return Some(1);
        }
        let (config, mut turned, mut different) = (number % self.configs, self.turned(number % self.configs), 1);
        while turned > config {
            different += 1;
            turned = self.turned(turned);
        }
        (turned == config).then_some(different)
    }

    /// Adds a configuration with all its turns to `all`, and the least of them to `next`, unless it is there already.
    #[inline]
    fn find(&self, number: u64, all: &Bits, next: &Bits) {
        if all.has(number) {
            return;
        }
        let (memory, mut config) = (number - number % self.configs, number % self.configs);
        let mut least = config;
        if self.turns() {
            for _ in 0..self.ring.n() {
                all.add(memory + config);
                config = self.turned(config);
                least = least.min(config);
            }
        }
        all.add(number);
        next.add(memory + least);
    }

    #[inline]
    fn pair(&self, digits: &Digits, i: usize) -> (usize, usize, usize) {
        let right = if i + 1 == self.ring.n() { 0 } else { i + 1 };
        (right, digits.digits[i] as usize, digits.digits[right] as usize)
    }

    /// The configuration in which `u_i` and its right neighbour have other digits.
    #[inline]
    fn with(&self, digits: &Digits, i: usize, [a, b]: [u32; 2]) -> u64 {
        let (right, old_a, old_b) = self.pair(digits, i);
        let change = |new: u32, old: usize, place: usize| {
            (u64::from(new).wrapping_sub(old as u64)).wrapping_mul(self.worth[place])
        };
        digits.config.wrapping_add(change(a, old_a, i)).wrapping_add(change(b, old_b, right))
    }

    fn led(&self, i: usize, a: usize, right: usize, b: usize) -> usize {
        usize::from(self.agent(i).leads[a]) + usize::from(self.agent(right).leads[b])
    }

    /// Calls `next` with every configuration that one interaction may lead to, and with the left agent and the digits that it wrote.
    #[inline]
    fn successors(&self, number: u64, mut next: impl FnMut(u64, usize, [u32; 2])) {
        let digits = self.digits(number);
        let answer = self.protocol.oracle().is_none() || digits.oracle.leader();
        let Some(edges) = &self.edges[usize::from(answer)] else { return };
        for i in 0..self.ring.n() {
            let (right, a, b) = self.pair(&digits, i);
            for &to in edges.at(i).forward.of(a * self.states as usize + b) {
                let mut oracle = digits.oracle;
                oracle.observe(self.led(i, a, right, b), self.led(i, to[0] as usize, right, to[1] as usize));
                next(self.with(&digits, i, to) + oracle.leaderless() * self.configs, i, to);
            }
        }
    }

    /// Calls `before` with every configuration from which one interaction may lead here.
    #[inline]
    fn predecessors(&self, number: u64, mut before: impl FnMut(u64)) {
        let digits = self.digits(number);
        for (edges, leader) in self.edges.iter().zip([false, true]) {
            let Some(edges) = edges else { continue };
            for i in 0..self.ring.n() {
                let (right, a, b) = self.pair(&digits, i);
                for &from in edges.at(i).backward.of(a * self.states as usize + b) {
                    let config = self.with(&digits, i, from);
                    if self.protocol.oracle().is_none() {
                        before(config);
                        continue;
                    }
                    let (led, was) = (self.led(i, a, right, b), self.led(i, from[0] as usize, right, from[1] as usize));
                    let memories = self.memories(leader, digits.oracle, was, led);
                    memories.for_each(|memory| before(config + memory * self.configs));
                }
            }
        }
    }

    /// What the oracle may have remembered when it gave this answer, if it has come to `now` by an interaction whose two agents had `was`
    /// leaders among them and now have `led`.
    fn memories(&self, leader: bool, now: Oracle, was: usize, led: usize) -> impl Iterator<Item = u64> {
        let then = Oracle::new(self.delay, now.leaders() + was - led);
        (0..=self.delay).filter(move |&memory| {
            let mut oracle = then.remembering(memory);
            let possible = oracle.leaderless() == memory && oracle.leader() == leader;
            oracle.observe(was, led);
            possible && oracle == now
        })
    }

    // --- The check ---

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
