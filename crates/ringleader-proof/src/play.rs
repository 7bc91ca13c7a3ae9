//! A symbolic execution: a start in which free bits stand for all values at once, and the configuration that a word makes of it.

use ringleader::protocol::{Input, Protocol, draw};
use ringleader::ring::{Interaction, Orientation, Ring};

use crate::bits::{Lit, goes_on};
use crate::cnf::Demand;
use crate::court::{Model, Witness};
use crate::machine::{Config, Machine};

/// An execution on all configurations at once.
pub struct Play<'m, S: 'static> {
    /// The circuit.
    pub machine: &'m Machine<S>,
    /// The first configuration.
    pub start: Config<Lit>,
    /// The configuration now.
    pub now: Config<Lit>,
    /// What the domains demand of the free bits.
    pub demands: Vec<Demand>,
    /// What happened.
    pub word: Vec<Interaction>,
}

impl<'m, S: Copy + Default> Play<'m, S> {
    /// All configurations of `n` agents, except that `fix` may fix some variables of an agent.
    pub fn new(machine: &'m Machine<S>, n: usize, fix: impl Fn(usize, &mut Vec<Lit>)) -> Self {
        let mut demands = Vec::new();
        let agent = |i: usize| {
            let mut agent = machine.free(&mut demands);
            fix(i, &mut agent);
            agent
        };
        let start: Config<Lit> = (0..n).map(agent).collect();
        Self { machine, now: start.clone(), start, demands, word: Vec::new() }
    }

    /// Free bits for a coin.
    #[must_use]
    pub fn coin(&self) -> Vec<Lit> {
        (0..self.machine.inputs()).map(|_| Lit::input()).collect()
    }

    /// What one interaction makes of the configuration now, which stays as it is.
    #[must_use]
    pub fn after(&self, e: Interaction, coin: &[Lit]) -> Config<Lit> {
        let mut next = self.now.clone();
        self.machine.interact(&mut next, e.initiator, e.responder, coin);
        next
    }

    /// One interaction; none if gates are no longer made.
    pub fn interact(&mut self, e: Interaction) {
        if !goes_on() {
            return;
        }
        let coin = self.coin();
        self.machine.interact(&mut self.now, e.initiator, e.responder, &coin);
        self.word.push(e);
    }

    /// Lets these variables of these agents be anything. What holds afterwards holds whatever they are.
    pub fn forget(&mut self, agents: &[usize], names: &[&str]) {
        agents.iter().for_each(|&i| self.machine.forget(&mut self.now[i], names, &mut self.demands));
    }
}

/// A configuration of a model with a word, as a witness.
pub fn witness<P: Protocol>(protocol: &P, start: &[P::State], word: &[Interaction], shows: String) -> Witness {
    witness_with(protocol, start, (word, 0), shows)
}

/// The same with this coin wherever one is read.
pub fn witness_with<P: Protocol>(
    protocol: &P,
    start: &[P::State],
    (word, coin): (&[Interaction], u64),
    shows: String,
) -> Witness {
    let variables = protocol.variables();
    let before = |k: usize| follow_with(protocol, start, &word[..k], coin);
    let reads = |&k: &usize| {
        let config = if protocol.coins() > 1 { before(k) } else { return false };
        protocol.reads_coin(&config[word[k].initiator], &config[word[k].responder])
    };
    Witness {
        protocol: P::ABOUT.case,
        settings: protocol.settings(),
        initial: start.iter().map(|state| variables.encode(state)).collect(),
        word: word.to_vec(),
        draws: (0..word.len()).filter(reads).map(|_| draw(coin, &protocol.dice())).collect(),
        directed: P::ABOUT.ring == Orientation::Directed,
        shows,
    }
}

/// What a word makes of a configuration, in the clear form.
pub fn follow<P: Protocol>(protocol: &P, start: &[P::State], word: &[Interaction]) -> Vec<P::State> {
    follow_with(protocol, start, word, 0)
}

/// The same with this coin wherever one is read.
pub fn follow_with<P: Protocol>(protocol: &P, start: &[P::State], word: &[Interaction], coin: u64) -> Vec<P::State> {
    let mut config = start.to_vec();
    for e in word {
        let (mut a, mut b) = (config[e.initiator], config[e.responder]);
        protocol.interact(&mut a, &mut b, Input { coin, ..Input::default() });
        (config[e.initiator], config[e.responder]) = (a, b);
    }
    config
}

/// The start of a play in a model.
#[must_use]
pub fn start_of<S: Copy + Default>(play: &Play<'_, S>, model: &Model) -> Vec<S> {
    model.states(play.machine, &play.start)
}

/// The ring of a protocol.
pub(crate) fn ring_of<P: Protocol>(n: usize) -> Result<Ring, ringleader::error::Error> {
    Ring::new(n, P::ABOUT.ring)
}
