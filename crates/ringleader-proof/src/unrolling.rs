//! A symbolic execution: a start in which free bits stand for all values at once, and the configuration that a word makes of it.

use std::cell::RefCell;

use ringleader::ring::Interaction;

use crate::query::{Legend, Query, Undecided};
use crate::symbolic::{NamedCircuit, Symbolic};
use ringleader_notation::graph::Demand;
use ringleader_notation::graph::{Lit, goes_on};

/// An execution on all configurations at once.
pub struct Unrolling<'c, S: 'static> {
    circuit: &'c NamedCircuit<S>,
    /// The first configuration.
    pub start: Vec<Symbolic<'c, S>>,
    /// The configuration now.
    pub now: Vec<Symbolic<'c, S>>,
    /// What the domains demand of the free bits.
    demands: Vec<Demand>,
    /// The names of bits that are neither of the start nor of the configuration now.
    named: RefCell<Vec<(String, Lit)>>,
    /// How many interactions there were.
    steps: usize,
}

impl<'c, S: Copy + Default + 'static> Unrolling<'c, S> {
    /// From any configuration; `fix` may fix variables of an agent.
    pub fn new(circuit: &'c NamedCircuit<S>, n: usize, fix: impl Fn(usize, &mut Symbolic<'c, S>)) -> Self {
        let mut demands = Vec::new();
        let agent = |i: usize| {
            let mut agent = circuit.any_agent(&mut demands);
            fix(i, &mut agent);
            agent
        };
        let start: Vec<_> = (0..n).map(agent).collect();
        Self { circuit, now: start.clone(), start, demands, named: RefCell::default(), steps: 0 }
    }

    /// What one interaction makes of the configuration now, which stays as it is.
    #[must_use]
    pub fn after(&self, e: Interaction) -> Vec<Symbolic<'c, S>> {
        let (mut next, coin) = (self.now.clone(), self.circuit.coin());
        self.circuit.interact(&mut next, e.initiator, e.responder, &coin);
        let mut named = self.named.borrow_mut();
        let then = format!("after (u_{}, u_{})", e.initiator, e.responder);
        named.extend(
            coin.iter()
                .enumerate()
                .map(|(k, &bit)| (format!("coin[{k}] of (u_{}, u_{})", e.initiator, e.responder), bit)),
        );
        named.extend([e.initiator, e.responder].iter().flat_map(|&i| of_agent(i, &next[i], &then)));
        next
    }

    /// One interaction; none if gates are no longer made.
    pub fn interact(&mut self, e: Interaction) {
        if goes_on() {
            let (coin, step) = (self.circuit.coin(), self.steps);
            self.steps += 1;
            self.circuit.interact(&mut self.now, e.initiator, e.responder, &coin);
            let bits = coin.iter().enumerate().map(|(k, &bit)| (format!("coin[{k}] of interaction {step}"), bit));
            self.named.get_mut().extend(bits);
        }
    }

    /// A word.
    pub fn follow(&mut self, word: &[Interaction]) {
        word.iter().for_each(|&e| self.interact(e));
    }

    /// Lets these variables of these agents be anything. What holds afterwards holds whatever they are.
    pub fn forget(&mut self, agents: &[usize], names: &[&str]) {
        for &i in agents {
            self.now[i].forget(names, &mut self.demands);
            let when = format!("before interaction {}, anything", self.steps);
            let forgotten = |(name, _): &(String, Lit)| {
                names.iter().any(|one| name.strip_prefix(one).is_some_and(|rest| rest.starts_with('[')))
            };
            let bits = self.now[i].bits().filter(forgotten).map(|(name, bit)| (format!("u_{i}.{name} {when}"), bit));
            self.named.get_mut().extend(bits);
        }
    }

    /// A first configuration for which all of these hold; `None` if there is none.
    ///
    /// # Errors
    /// If a limit comes first.
    pub fn find(&self, query: &mut Query<'_>, asserted: &[Lit]) -> Result<Option<Vec<S>>, Undecided> {
        let model = query.ask_named(asserted, &self.demands, || self.legend())?;
        Ok(model.map(|model| self.start.iter().map(|agent| agent.state(&|lit| model.truth(lit))).collect()))
    }

    fn legend(&self) -> Legend {
        let whole = |config: &[Symbolic<'c, S>], when: &str| -> Vec<(String, Lit)> {
            config.iter().enumerate().flat_map(|(i, agent)| of_agent(i, agent, when)).collect()
        };
        let mut bits = whole(&self.start, "before");
        bits.extend(self.named.borrow().iter().cloned());
        if self.steps > 0 {
            bits.extend(whole(&self.now, &format!("after {} interactions", self.steps)));
        }
        Legend { codes: self.circuit.codes(), bits }
    }
}

/// The bits of an agent at some time.
pub(crate) fn of_agent<S: Copy + Default + 'static>(
    i: usize,
    agent: &Symbolic<'_, S>,
    when: &str,
) -> impl Iterator<Item = (String, Lit)> {
    agent.bits().map(move |(name, bit)| (format!("u_{i}.{name} {when}"), bit))
}
