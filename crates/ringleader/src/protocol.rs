//! What a protocol is: a transition function, and what the laboratory must know about it.
//!
//! A protocol is one file under `protocols/`: the state, its variables, the transition line by line with the paper's numbers, the
//! output, and the closed safe set; everything else has a default. A value of such a type has its parameters and knows its ring.
//! What is known before that (name, parameters, starts, phases) is a value too, its [`crate::blueprint::Blueprint`].

use std::fmt::Debug;
use std::hash::Hash;

use crate::circuit::WithCircuit;
use crate::error::Error;
use crate::params::Settings;
use crate::portrait::{LabelledSegment, PictureRow};
use crate::random::Generator;
use crate::ring::Ring;
use crate::value::{Text, Value, named};
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

/// A protocol with its parameters, on a ring of known size.
pub trait Protocol: Transition {
    /// The variables of an agent, in the order of the paper.
    fn variables(&self) -> Variables<Self::State>;

    /// Whether the configuration is in the closed safe set. It must be closed: an engine finds the exact
    /// first safe step by bisection.
    fn is_safe(&self, config: &[Self::State]) -> bool;

    /// Whether the configuration is in the set that is said to be safe, which is what a check looks at. A file may say so of
    /// configurations that have not one leader; they never count as safe.
    fn claims_safe(&self, config: &[Self::State]) -> bool {
        self.is_safe(config)
    }

    /// Whether the agent is a leader; always false in protocols that elect none.
    fn is_leader(&self, _state: &Self::State) -> bool {
        false
    }

    /// One interaction for an oracle, which counts leaders: how many of the two led before it, and how many do after it. Only asked of
    /// protocols that ask an oracle.
    #[inline]
    fn interact_counted(&self, initiator: &mut Self::State, responder: &mut Self::State, input: Input) -> [usize; 2] {
        let led = |agents: [&Self::State; 2]| agents.into_iter().filter(|state| self.is_leader(state)).count();
        let before = led([initiator, responder]);
        self.interact(initiator, responder, input);
        [before, led([initiator, responder])]
    }

    /// The output of an agent, pi_out, as a number: by default whether it is a leader.
    #[inline]
    fn output(&self, state: &Self::State) -> u64 {
        u64::from(self.is_leader(state))
    }

    /// A hash of the text that it was read from; 0 if it was not.
    fn text(&self) -> u64 {
        0
    }

    /// The lines of that text that an interaction executes, in their order.
    fn lines(&self, _initiator: &Self::State, _responder: &Self::State, _input: Input) -> Vec<u32> {
        Vec::new()
    }

    /// The parameters in force, defaults included.
    fn settings(&self) -> Settings {
        Vec::new()
    }

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

    /// If what colours are called makes no difference to the protocol, calls them by the order in which the agents have them; false if it
    /// does make one. Configurations that are the same afterwards differ in names only.
    fn rename(&self, _config: &mut [Self::State]) -> bool {
        false
    }

    /// Does something with the protocol's circuit, if it has one.
    fn with_circuit<W: WithCircuit<Self::State>>(&self, _work: W) -> Option<W::Output> {
        None
    }

    /// A number of steps after which an honest run has long been safe.
    fn default_limit(&self, ring: Ring) -> u64 {
        n_squared_log_n(ring, 1000)
    }

    /// The truth of every named set and predicate.
    fn facts(&self, config: &[Self::State]) -> Vec<(Text, Value)> {
        named([("leaders", leaders(self, config).into()), ("safe", self.is_safe(config).into())])
    }

    /// Counts worth watching while a run goes on.
    fn gauges(&self, config: &[Self::State]) -> Vec<(Text, usize)> {
        named([("leaders", leaders(self, config).len())])
    }

    /// The parts into which the protocol divides the ring, if it does.
    fn segments(&self, _config: &[Self::State]) -> Vec<LabelledSegment> {
        Vec::new()
    }

    /// The ring as text: one character an agent and row. If there are no rows, the leaders or the outputs are shown.
    fn picture(&self, _config: &[Self::State]) -> Vec<PictureRow> {
        Vec::new()
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

/// Whether no interaction of neighbours changes anything, whatever its coin: nothing will ever happen again. Of an oracle that is late
/// either answer is possible while there is no leader.
///
/// ```
/// # use ringleader::{protocol::silent, protocols::elim::{Elim, State}, ring::{Orientation, Ring}};
/// let ring = Ring::new(3, Orientation::Directed)?;
/// assert!(silent(&Elim, ring, &[State::default(); 3]), "without a leader nobody fires");
/// # Ok::<(), ringleader::error::Error>(())
/// ```
pub fn silent<P: Protocol>(protocol: &P, ring: Ring, config: &[P::State]) -> bool {
    let leader = config.iter().any(|state| protocol.is_leader(state));
    let late = !leader && protocol.oracle().is_some_and(|delay| delay > 0);
    let answers = if late { &[false, true][..] } else { &[leader][..] };
    (0..ring.arcs()).map(|arc| ring.arc(arc)).all(|e| {
        let (u, v) = (config[e.initiator], config[e.responder]);
        let coins = if protocol.reads_coin(&u, &v) { protocol.coins() } else { 1 };
        (0..coins).flat_map(|coin| answers.iter().map(move |&leader| Input { coin, leader })).all(|input| {
            let (mut l, mut r) = (u, v);
            protocol.interact(&mut l, &mut r, input);
            (l, r) == (u, v)
        })
    })
}

/// Every agent in a uniformly random state; inputs stay as in the all-zero state.
pub fn uniform<P: Protocol>(protocol: &P, ring: Ring, generator: &mut Generator) -> Vec<P::State> {
    let variables = protocol.variables();
    let sample = |_| {
        let mut state = P::State::default();
        variables.randomise(&mut state, generator);
        state
    };
    (0..ring.n()).map(sample).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ring::Orientation;
    use crate::variables::{Domain, Variable};

    /// Equal neighbours toss a coin, and the second changes if it shows 1. An oracle, if there is one, makes the second 2 as soon as it
    /// misses a leader, who is 3.
    #[derive(Clone)]
    struct Toss(Option<u64>);

    impl Transition for Toss {
        type State = u8;

        fn coins(&self) -> u64 {
            2
        }

        fn reads_coin(&self, l: &u8, r: &u8) -> bool {
            l == r && *l < 2
        }

        fn oracle(&self) -> Option<u64> {
            self.0
        }

        fn interact(&self, l: &mut u8, r: &mut u8, input: Input) {
            if self.reads_coin(l, r) && input.coin == 1 {
                *r = 1 - *r;
            }
            if self.0.is_some() && !input.leader {
                *r = 2;
            }
        }
    }

    impl Protocol for Toss {
        fn variables(&self) -> Variables<u8> {
            Variables(vec![Variable::new("side", Domain::Range { low: 0, high: 3 }, |v: &u8| v, |v| v)])
        }

        fn is_leader(&self, state: &u8) -> bool {
            *state == 3
        }

        fn is_safe(&self, _: &[u8]) -> bool {
            false
        }
    }

    #[test]
    fn silence_holds_for_every_coin_and_every_answer_of_the_oracle() {
        let ring = Ring::new(4, Orientation::Directed).expect("4 agents are a ring");
        assert!(silent(&Toss(None), ring, &[0, 1, 0, 1]));
        assert!(!silent(&Toss(None), ring, &[0, 1, 0, 0]), "a coin that shows 0 changes nothing, but 1 does");
        assert!(silent(&Toss(Some(0)), ring, &[2, 2, 2, 2]));
        assert!(silent(&Toss(Some(0)), ring, &[0, 1, 0, 3]), "the oracle sees a leader");
        assert!(!silent(&Toss(Some(0)), ring, &[0, 1, 0, 1]), "and that there is none");
        assert!(!silent(&Toss(Some(9)), ring, &[0, 1, 0, 1]), "soon or late");
    }
}
