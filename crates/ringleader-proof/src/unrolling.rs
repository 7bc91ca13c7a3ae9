//! A symbolic execution: a start in which free bits stand for all values at once, and the configuration that a word makes of it.

use ringleader::ring::Interaction;

use crate::query::{Query, Undecided};
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
        Self { circuit, now: start.clone(), start, demands }
    }

    /// What one interaction makes of the configuration now, which stays as it is.
    #[must_use]
    pub fn after(&self, e: Interaction) -> Vec<Symbolic<'c, S>> {
        let mut next = self.now.clone();
        self.circuit.interact(&mut next, e.initiator, e.responder, &self.circuit.coin());
        next
    }

    /// One interaction; none if gates are no longer made.
    pub fn interact(&mut self, e: Interaction) {
        if goes_on() {
            self.circuit.interact(&mut self.now, e.initiator, e.responder, &self.circuit.coin());
        }
    }

    /// A word.
    pub fn follow(&mut self, word: &[Interaction]) {
        word.iter().for_each(|&e| self.interact(e));
    }

    /// Lets these variables of these agents be anything. What holds afterwards holds whatever they are.
    pub fn forget(&mut self, agents: &[usize], names: &[&str]) {
        agents.iter().for_each(|&i| self.now[i].forget(names, &mut self.demands));
    }

    /// A first configuration for which all of these hold; `None` if there is none.
    ///
    /// # Errors
    /// If a limit comes first.
    pub fn find(&self, query: &mut Query<'_>, asserted: &[Lit]) -> Result<Option<Vec<S>>, Undecided> {
        let model = query.ask(asserted, &self.demands)?;
        Ok(model.map(|model| self.start.iter().map(|agent| agent.state(&|lit| model.truth(lit))).collect()))
    }
}
