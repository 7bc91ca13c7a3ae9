//! What a protocol is: a transition function, and what the laboratory must know about it.
//!
//! A protocol is one file under `protocols/`: the state, its variables, the transition line by line with the
//! paper's numbers, the output, and the closed safe set. Everything else has a default.

use std::fmt::Debug;
use std::hash::Hash;

use crate::circuit::WithCircuit;
use crate::error::Error;
use crate::random::Generator;
use crate::ring::{Orientation, Ring};
use crate::value::Value;
use crate::variables::Variables;

/// All nondeterminism of one interaction beyond the choice of the two agents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// The coin, uniform in `[0, coins)`; 0 if the interaction reads none.
    pub coin: u64,
    /// What the oracle says: whether there is a leader. Only for protocols that ask one.
    pub leader: bool,
}

/// The transition function T of a protocol.
pub trait Transition: Clone + Send + Sync + 'static {
    /// The state of one agent; `default()` is the all-zero state.
    type State: Copy + Eq + Hash + Debug + Default + Send + Sync;

    /// How many equally likely coins one interaction may read; 1 for a deterministic protocol.
    fn coins(&self) -> u64 {
        1
    }

    /// Whether the interaction of these two states reads a coin.
    fn reads_coin(&self, _initiator: &Self::State, _responder: &Self::State) -> bool {
        false
    }

    /// The delay of the oracle that it asks, see [`crate::oracle`]; `None` if it asks none.
    #[inline]
    fn oracle(&self) -> Option<u64> {
        None
    }

    /// One interaction: both agents are updated in place, as the pseudocode does.
    fn interact(&self, initiator: &mut Self::State, responder: &mut Self::State, input: Input);
}

/// A protocol of the laboratory, with its parameters, on a ring of known size.
pub trait Protocol: Transition {
    /// Name, ring, claims and parameters.
    const ABOUT: About;

    /// The protocol with these parameters on this ring.
    ///
    /// # Errors
    /// If a parameter is out of range; the message names it and what is allowed.
    fn new(ring: Ring, params: &Params) -> Result<Self, Error>;

    /// The parameters in force, defaults included.
    fn settings(&self) -> Vec<(&'static str, Value)>;

    /// The variables of an agent, in the order of the paper.
    fn variables(&self) -> Variables<Self::State>;

    /// The output of an agent, pi_out, as a number.
    fn output(&self, state: &Self::State) -> u64;

    /// Whether the agent is a leader; always false in protocols that elect none.
    fn is_leader(&self, _state: &Self::State) -> bool {
        false
    }

    /// Whether the configuration is in the closed safe set. It must be closed: an engine finds the exact
    /// first safe step by bisection.
    fn is_safe(&self, config: &[Self::State]) -> bool;

    /// What one coin consists of when it is written down: independent dice with these numbers of sides, whose
    /// product is [`Transition::coins`].
    fn dice(&self) -> Vec<u64> {
        vec![self.coins()]
    }

    /// Refuses a given initial configuration that breaks an assumption of the protocol.
    ///
    /// # Errors
    /// If it does.
    fn accepts(&self, _config: &[Self::State]) -> Result<(), Error> {
        Ok(())
    }

    /// All that the inputs may be, as configurations whose other variables are zero, up to symmetries of the protocol.
    fn inputs(&self, ring: Ring) -> Vec<Vec<Self::State>> {
        vec![vec![Self::State::default(); ring.n()]]
    }

    /// From where the protocol promises to become safe.
    fn promise() -> Promise<Self> {
        Promise { name: "every configuration", holds: None }
    }

    /// The parameters of an explicit check, given those that the user named.
    fn parameters_of_check(_ring: Ring, given: &Params) -> Params {
        given.clone()
    }

    /// The initial configurations that have a name. The first is the default.
    fn starts() -> Vec<Start<Self>>;

    /// Does something with the protocol's circuit, if it has one.
    fn with_circuit<W: WithCircuit<Self::State>>(&self, _work: W) -> Option<W::Output> {
        None
    }

    /// Named sets on the way to safety, in the order in which they are expected.
    fn phases() -> Vec<Phase<Self>> {
        Vec::new()
    }

    /// What an interaction may do that is worth stopping at: by default to create or kill a leader, or to change an output where
    /// none is elected.
    fn events() -> Vec<Event<Self>> {
        if Self::ABOUT.elects { leader_events() } else { vec![output_changed()] }
    }

    /// A number of steps after which an honest run has long been safe.
    fn default_limit(&self, ring: Ring) -> u64 {
        n_squared_log_n(ring, 1000)
    }

    /// The truth of every named set and predicate.
    fn facts(&self, config: &[Self::State]) -> Vec<(&'static str, Value)> {
        let leaders: Vec<usize> = leaders(self, config);
        vec![("leaders", leaders.into()), ("safe", self.is_safe(config).into())]
    }

    /// Counts worth watching while a run goes on.
    fn gauges(&self, config: &[Self::State]) -> Vec<(&'static str, usize)> {
        vec![("leaders", leaders(self, config).len())]
    }

    /// The parts into which the protocol divides the ring, if it does.
    fn segments(&self, _config: &[Self::State]) -> Vec<LabelledSegment> {
        Vec::new()
    }

    /// The ring as text: one character an agent and lane. By default the leaders, or the outputs where none is elected.
    fn picture(&self, config: &[Self::State]) -> Vec<PictureRow> {
        if Self::ABOUT.elects {
            let cell = |state| if self.is_leader(state) { 'L' } else { '.' };
            return vec![PictureRow { name: "leader", cells: config.iter().map(cell).collect(), legend: "L leader" }];
        }
        let digit = |state| u32::try_from(self.output(state)).ok().and_then(|output| char::from_digit(output, 36));
        let cells = config.iter().map(|state| digit(state).unwrap_or('+')).collect();
        vec![PictureRow { name: "output", cells, legend: "the output, 0-9 a-z (+ beyond)" }]
    }
}

/// A coin as the dice that it consists of, see [`Protocol::dice`].
#[must_use]
pub fn draw(mut coin: u64, dice: &[u64]) -> Vec<u64> {
    let mut draw: Vec<u64> = dice
        .iter()
        .rev()
        .map(|sides| {
            let value = coin % sides;
            coin /= sides;
            value
        })
        .collect();
    draw.reverse();
    draw
}

/// The indices of all leaders.
pub fn leaders<P: Protocol>(protocol: &P, config: &[P::State]) -> Vec<usize> {
    (0..config.len()).filter(|&i| protocol.is_leader(&config[i])).collect()
}

/// `factor * n^2 * ceil(log2 n)`, saturating.
#[must_use]
pub fn n_squared_log_n(ring: Ring, factor: u64) -> u64 {
    let n = ring.n() as u64;
    factor.saturating_mul(n * n).saturating_mul(u64::from(n.next_power_of_two().ilog2()))
}

/// `factor * n^3`, saturating.
#[must_use]
pub fn n_cubed(ring: Ring, factor: u64) -> u64 {
    factor.saturating_mul((ring.n() as u64).pow(3))
}

/// Where the rules of a protocol come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The paper's own pseudocode.
    Paper,
    /// Known from another publication than the one that is cited.
    Secondary,
    /// Some from another publication, some rebuilt: these words say which.
    Mixed(&'static str),
    /// Rebuilt from what is known of a system whose rules were not available.
    Reconstruction,
    /// Designed for this laboratory.
    Ours,
}

impl Origin {
    /// The words used in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Paper => "the paper's own",
            Self::Secondary => "a secondary source",
            Self::Mixed(which) => which,
            Self::Reconstruction => "a reconstruction",
            Self::Ours => "our own design",
        }
    }
}

/// What is said of a protocol before it runs.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// The name on the command line.
    pub name: &'static str,
    /// The name in JSON cases.
    pub case: &'static str,
    /// One line on what it does.
    pub summary: &'static str,
    /// The ring it runs on.
    pub ring: Orientation,
    /// What it must know or assume.
    pub assumption: &'static str,
    /// The claimed number of steps.
    pub bound: &'static str,
    /// Whose rules these are.
    pub origin: Origin,
    /// Whether it elects a leader.
    pub elects: bool,
    /// The name of its closed safe set.
    pub safe: &'static str,
    /// The parameters it takes.
    pub parameters: &'static [Parameter],
}

/// A parameter of a protocol; it becomes an option of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it means, and its default.
    pub help: &'static str,
    /// Whether it is given without a value (and then counts as 1).
    pub flag: bool,
}

/// Parameters by name. Plain data: what was given, not what is in force.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Params(pub Vec<(String, u64)>);

impl Params {
    /// The same parameters and one more.
    #[must_use]
    pub fn with(mut self, name: &str, value: u64) -> Self {
        self.0.push((name.to_owned(), value));
        self
    }

    /// These parameters and others, which outweigh them.
    #[must_use]
    pub fn and(mut self, others: &Self) -> Self {
        self.0.extend(others.0.iter().cloned());
        self
    }

    /// The value of a parameter, if it was given.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<u64> {
        self.0.iter().rev().find(|(given, _)| given == name).map(|(_, value)| *value)
    }

    /// The value of a parameter, or its default, checked against a range.
    ///
    /// # Errors
    /// If the value lies outside.
    pub fn within(&self, name: &str, default: u64, low: u64, high: u64) -> Result<u64, Error> {
        let value = self.get(name).unwrap_or(default);
        if (low..=high).contains(&value) {
            Ok(value)
        } else {
            Err(Error::new(name, value, format!("allowed is {low} to {high}")))
        }
    }
}

/// Makes an initial configuration from a stream of randomness.
pub type MakeStart<P> = fn(&P, Ring, &mut Generator) -> Result<Vec<<P as Transition>::State>, Error>;

/// An initial configuration with a name.
pub struct Start<P: Protocol> {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it looks like and what it is for.
    pub about: &'static str,
    /// How it is made.
    pub make: MakeStart<P>,
}

/// Every agent in a uniformly random state; inputs stay as in the all-zero state.
///
/// # Errors
/// Never; the signature is that of [`MakeStart`].
pub fn uniform<P: Protocol>(protocol: &P, ring: Ring, generator: &mut Generator) -> Result<Vec<P::State>, Error> {
    let variables = protocol.variables();
    let sample = |_| {
        let mut state = P::State::default();
        variables.randomise(&mut state, generator);
        state
    };
    Ok((0..ring.n()).map(sample).collect())
}

/// Whether a configuration is in a set.
pub type Set<P> = fn(&P, &[<P as Transition>::State]) -> bool;

/// The set of configurations from which safety is promised.
pub struct Promise<P: Protocol> {
    /// Its name.
    pub name: &'static str,
    /// Whether the configuration is in it, and so the promise made; `None` if it is made for all.
    pub holds: Option<Set<P>>,
}

/// A set of configurations whose first step is of interest.
pub struct Phase<P: Protocol> {
    /// Its name in the paper.
    pub name: &'static str,
    /// What it means, in a few words.
    pub about: &'static str,
    /// Whether the configuration is in the set.
    pub holds: fn(&P, &[P::State]) -> bool,
    /// How its first step is found.
    pub kind: PhaseKind<P>,
}

/// How the first step of a phase is found.
pub enum PhaseKind<P: Protocol> {
    /// Closed: look now and then, then bisect.
    Closed,
    /// Not closed: look after every interaction that changes something the predicate can tell apart.
    Open(fn(&P::State, &P::State) -> bool),
}

/// Something that an interaction may do, told from the two states before and after it, initiator first.
pub struct Event<P: Protocol> {
    /// Its name.
    pub name: &'static str,
    /// What it means, in a few words.
    pub about: &'static str,
    /// Whether it happened.
    pub occurs: Occurs<P>,
}

/// Whether something happened between two pairs of states.
pub type Occurs<P> = fn(&P, [&<P as Transition>::State; 2], [&<P as Transition>::State; 2]) -> bool;

/// The events of every protocol that elects a leader.
#[must_use]
pub fn leader_events<P: Protocol>() -> Vec<Event<P>> {
    fn turned<P: Protocol>(protocol: &P, from: [&P::State; 2], to: [&P::State; 2]) -> bool {
        (0..2).any(|k| !protocol.is_leader(from[k]) && protocol.is_leader(to[k]))
    }
    vec![
        Event { name: "leader created", about: "an agent becomes a leader", occurs: turned::<P> },
        Event {
            name: "leader killed",
            about: "a leader is one no more",
            occurs: |protocol, before, after| turned(protocol, after, before),
        },
    ]
}

/// The event of every protocol with outputs.
#[must_use]
pub fn output_changed<P: Protocol>() -> Event<P> {
    Event {
        name: "output changed",
        about: "the output of an agent changes",
        occurs: |protocol, before, after| (0..2).any(|k| protocol.output(before[k]) != protocol.output(after[k])),
    }
}

/// Agents in a row that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelledSegment {
    /// The index of the first.
    pub start: usize,
    /// How many they are.
    pub length: usize,
    /// What it is called.
    pub label: String,
    /// Whether it is of the darker of two kinds.
    pub dark: bool,
}

/// One row of the picture of a ring: a character for every agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureRow {
    /// What the row shows.
    pub name: &'static str,
    /// One character an agent, `u_0` first.
    pub cells: Vec<char>,
    /// What the characters mean.
    pub legend: &'static str,
}
