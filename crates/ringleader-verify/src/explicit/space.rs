//! The space of configurations: each is a number whose digits are the states of the agents, and what an edge may do to
//! two digits stands in a table, forth and back.

use super::bits::Bits;
use ringleader::blueprint::Set;
use ringleader::instance::Instance;
use ringleader::oracle::Oracle;
use ringleader::protocol::{Input, Protocol};
use ringleader::ring::{Interaction, Orientation, Ring};
use ringleader::variables::Variables;

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
    /// For every pair of states, whether it may change an output.
    changes: Vec<bool>,
}

/// The edges of one answer of the oracle: one for all if all agents have the same inputs.
struct Edges(Vec<Edge>);

impl Edges {
    #[inline]
    fn at(&self, i: usize) -> &Edge {
        if self.0.len() == 1 { &self.0[0] } else { &self.0[i] }
    }
}

/// What is known of an agent with its inputs; an output is a number, and whether it leads.
struct Agent<S> {
    states: Vec<S>,
    outputs: Vec<(u64, bool)>,
}

impl<S: Copy + 'static> Agent<S> {
    fn new<P: Protocol<State = S>>(protocol: &P, variables: &Variables<S>, input: S) -> Self {
        let states = variables.free(input);
        let outputs = states.iter().map(|state| (protocol.output(state), protocol.is_leader(state))).collect();
        Self { states, outputs }
    }
}

/// All configurations for given inputs.
pub(super) struct Space<'a, P: Protocol> {
    pub(super) protocol: &'a P,
    pub(super) ring: Ring,
    pub(super) variables: Variables<P::State>,
    /// One for all, if all have the same inputs.
    agents: Vec<Agent<P::State>>,
    /// By answer of the oracle: no, yes; only the second if none is asked.
    edges: [Option<Edges>; 2],
    /// How many states an agent has, and what a digit is worth at each place.
    states: u64,
    worth: Vec<u64>,
    /// How many configurations there are for every memory of the oracle.
    pub(super) configs: u64,
    pub(super) delay: u64,
    /// Where safety is promised, if not everywhere.
    pub(super) promise: Option<&'a Set<P>>,
    /// Whether a safe configuration has exactly one leader.
    pub(super) elects: bool,
    /// Whether configurations that differ by a turn are alike.
    pub(super) turning: bool,
}

/// A configuration taken apart. Rings are small here.
pub(super) struct Digits {
    config: u64,
    digits: [u32; MAX_AGENTS],
    pub(super) oracle: Oracle,
}

/// 2^64 configurations would not fit into any memory.
pub(super) const MAX_AGENTS: usize = 64;

impl<'a, P: Protocol> Space<'a, P> {
    pub(super) fn new(instance: &'a Instance<P>, input: Vec<P::State>, promise: Option<&'a Set<P>>) -> Self {
        let Instance { blueprint, protocol, ring } = instance;
        let (ring, elects) = (*ring, blueprint.about.elects);
        let variables = protocol.variables();
        let alike = input.iter().all(|agent| *agent == input[0]);
        let different = if alike { &input[..1] } else { &input[..] };
        let agents: Vec<Agent<P::State>> =
            different.iter().map(|agent| Agent::new(protocol, &variables, *agent)).collect();
        let states = agents[0].states.len() as u64;
        let worth: Vec<u64> = (0..=ring.n() as u32).map(|i| states.saturating_pow(i)).collect();
        let configs = worth[ring.n()];
        let delay = protocol.oracle().unwrap_or(0);
        let (edges, turning) = ([None, None], alike);
        let mut space =
            Self { protocol, ring, variables, agents, edges, states, worth, configs, delay, promise, elects, turning };
        let no = protocol.oracle().map(|_| space.edges(false));
        space.edges = [no, Some(space.edges(true))];
        space
    }

    /// Whether all agents have the same inputs.
    pub(super) fn alike(&self) -> bool {
        self.agents.len() == 1
    }

    fn agent(&self, i: usize) -> &Agent<P::State> {
        if self.alike() { &self.agents[0] } else { &self.agents[i] }
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
        let mut changes = vec![false; (states * states) as usize];
        for [from, to] in &moves {
            changes[(from[0] * states + from[1]) as usize] |= self.changes(i, from.map(|a| a as usize), *to);
        }
        let states = states as usize;
        Edge { forward: Table::new(states, moves), backward: Table::new(states, turned), changes }
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

    /// The number of a state. One outside its domain breaks a law that is checked elsewhere; here it must not pass as
    /// another.
    fn digit(&self, state: &P::State) -> u32 {
        let index = self.variables.free_index(state);
        assert!(index.is_some(), "an interaction left the domains: {state:?}");
        index.unwrap_or(0) as u32
    }

    pub(super) fn digits(&self, number: u64) -> Digits {
        let (config, memory) = (number % self.configs, number / self.configs);
        let (mut digits, mut rest, mut leaders) = ([0; MAX_AGENTS], config, 0);
        for (i, digit) in digits.iter_mut().enumerate().take(self.ring.n()) {
            *digit = (rest % self.states) as u32;
            rest /= self.states;
            leaders += usize::from(self.agent(i).outputs[*digit as usize].1);
        }
        Digits { config, digits, oracle: Oracle::new(self.delay, leaders).remembering(memory) }
    }

    pub(super) fn config(&self, number: u64) -> Vec<P::State> {
        let digits = self.digits(number).digits;
        (0..self.ring.n()).map(|i| self.agent(i).states[digits[i] as usize]).collect()
    }

    /// The outputs of all agents.
    pub(super) fn outputs(&self, number: u64) -> Vec<(u64, bool)> {
        let digits = self.digits(number).digits;
        (0..self.ring.n()).map(|i| self.agent(i).outputs[digits[i] as usize]).collect()
    }

    /// Whether the number means something: where there is a leader, the oracle remembers nothing.
    pub(super) fn is_valid(&self, number: u64) -> bool {
        self.delay == 0 || self.digits(number).oracle.leaderless() == number / self.configs
    }

    /// The configuration turned by one agent.
    #[inline]
    fn turned(&self, config: u64) -> u64 {
        config / self.states + config % self.states * self.worth[self.ring.n() - 1]
    }

    /// Whether no turn of it is smaller; then, how many different turns it has.
    pub(super) fn least(&self, number: u64) -> Option<u64> {
        if !self.turning {
            return Some(1);
        }
        let (config, mut turned, mut different) = (number % self.configs, self.turned(number % self.configs), 1);
        while turned > config {
            different += 1;
            turned = self.turned(turned);
        }
        (turned == config).then_some(different)
    }

    /// Calls `each` with a configuration and all its turns; the least of them.
    #[inline]
    fn all_turns(&self, number: u64, mut each: impl FnMut(u64)) -> u64 {
        let (memory, mut config) = (number - number % self.configs, number % self.configs);
        let mut least = config;
        if self.turning {
            for _ in 1..self.ring.n() {
                config = self.turned(config);
                each(memory + config);
                least = least.min(config);
            }
        }
        each(number);
        memory + least
    }

    /// Adds a configuration with all its turns to `all`, and the least of them to `next`, unless it is there already.
    #[inline]
    pub(super) fn find(&self, number: u64, all: &Bits, next: &Bits) {
        if !all.has(number) {
            next.add(self.all_turns(number, |turned| all.add(turned)));
        }
    }

    /// Takes a configuration with all its turns out of `all`, and adds the least of them to `next`, if it is still
    /// there.
    #[inline]
    pub(super) fn lose(&self, number: u64, all: &Bits, next: &Bits) {
        if all.has(number) {
            next.add(self.all_turns(number, |turned| all.remove(turned)));
        }
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
        usize::from(self.agent(i).outputs[a].1) + usize::from(self.agent(right).outputs[b].1)
    }

    /// Whether the output of `u_i` or its right neighbour is another one with these digits.
    #[inline]
    pub(super) fn changes(&self, i: usize, [a, b]: [usize; 2], to: [u32; 2]) -> bool {
        let (left, right) = (&self.agent(i).outputs, &self.agent((i + 1) % self.ring.n()).outputs);
        left[a] != left[to[0] as usize] || right[b] != right[to[1] as usize]
    }

    fn edges_at(&self, digits: &Digits) -> Option<&Edges> {
        let answer = self.protocol.oracle().is_none() || digits.oracle.leader();
        self.edges[usize::from(answer)].as_ref()
    }

    /// Whether the outputs are such that they may stay, and no single interaction changes one.
    #[inline]
    pub(super) fn keeps_outputs(&self, number: u64) -> bool {
        let digits = self.digits(number);
        let may_change = |edges: &Edges| {
            (0..self.ring.n()).any(|i| {
                let (_, a, b) = self.pair(&digits, i);
                edges.at(i).changes[a * self.states as usize + b]
            })
        };
        (!self.elects || digits.oracle.leaders() == 1) && !self.edges_at(&digits).is_some_and(may_change)
    }

    /// Calls `next` with every configuration that one interaction may lead to, and with whether an output changes on
    /// the way.
    #[inline]
    pub(super) fn successors(&self, number: u64, mut next: impl FnMut(u64, bool)) {
        let digits = self.digits(number);
        let Some(edges) = self.edges_at(&digits) else { return };
        for i in 0..self.ring.n() {
            let (right, a, b) = self.pair(&digits, i);
            for &to in edges.at(i).forward.of(a * self.states as usize + b) {
                let mut oracle = digits.oracle;
                oracle.observe(self.led(i, a, right, b), self.led(i, to[0] as usize, right, to[1] as usize));
                let number = self.with(&digits, i, to) + oracle.leaderless() * self.configs;
                next(number, self.changes(i, [a, b], to));
            }
        }
    }

    /// The first interaction that leads to a configuration as wanted, and its coin if it reads one.
    pub(super) fn interaction(&self, number: u64, wanted: impl Fn(u64) -> bool) -> Option<(Interaction, Option<u64>)> {
        let (digits, config) = (self.digits(number), self.config(number));
        for i in 0..self.ring.n() {
            let (right, a, b) = self.pair(&digits, i);
            let (e, pair) = (self.ring.e(i), [config[i], config[right]]);
            for (interaction, coin) in self.choices(e, pair) {
                let input = Input { coin, leader: digits.oracle.leader() };
                let to = self.after(interaction == e, pair, input).map(|state| self.digit(&state));
                let mut oracle = digits.oracle;
                oracle.observe(self.led(i, a, right, b), self.led(i, to[0] as usize, right, to[1] as usize));
                if wanted(self.with(&digits, i, to) + oracle.leaderless() * self.configs) {
                    let (u, v) = (config[interaction.initiator], config[interaction.responder]);
                    return Some((interaction, self.protocol.reads_coin(&u, &v).then_some(coin)));
                }
            }
        }
        None
    }

    /// Calls `before` with every configuration from which one interaction may lead here.
    #[inline]
    pub(super) fn predecessors(&self, number: u64, mut before: impl FnMut(u64)) {
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

    /// What the oracle may have remembered when it gave this answer, if it has come to `now` by an interaction whose
    /// two agents had `was` leaders among them and now have `led`.
    fn memories(&self, leader: bool, now: Oracle, was: usize, led: usize) -> impl Iterator<Item = u64> {
        let then = Oracle::new(self.delay, now.leaders() + was - led);
        (0..=self.delay).filter(move |&memory| {
            let mut oracle = then.remembering(memory);
            let possible = oracle.leaderless() == memory && oracle.leader() == leader;
            oracle.observe(was, led);
            possible && oracle == now
        })
    }
}
