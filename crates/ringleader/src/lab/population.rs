//! A configuration that knows what it means: a protocol, behind a face that does not depend on its types.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::{run_sliced, worth_slicing};
use crate::engine::seek;
use crate::engine::stepper::{Halt, Stepper, oracle};
use crate::error::Error;
use crate::fault::Fault;
use crate::oracle::Oracle;
use crate::protocol::{About, LabelledSegment, Phase, PictureRow, Protocol, leaders};
use crate::random::{Stream, stream};
use crate::ring::Ring;
use crate::schedule::{AnySchedule, Schedule};
use crate::trial::{self, Initial, Record, Trial, Watch};
use crate::value::Value;
use crate::variables::{Domain, Variables};

pub use crate::engine::seek::Found;

/// A ring of agents that run a protocol: a configuration that knows what it means.
pub trait Population: Send {
    /// Name, ring, claims and parameters of the protocol.
    fn about(&self) -> &'static About;
    /// The ring.
    fn ring(&self) -> Ring;
    /// The parameters in force.
    fn settings(&self) -> Vec<(&'static str, Value)>;
    /// Name and domain of each variable, and whether it is an input.
    fn variables(&self) -> Vec<(&'static str, Domain, bool)>;
    /// |Q|, exactly.
    fn states(&self) -> u128;
    /// The same population once more.
    fn duplicate(&self) -> Box<dyn Population>;
    /// The state of agent `i`.
    fn agent(&self, i: usize) -> Value;
    /// Overwrites the states of some agents.
    ///
    /// # Errors
    /// If there is no such agent, or a value is outside its domain.
    fn set_agents(&mut self, states: &[(usize, Value)]) -> Result<(), Error>;
    /// Tells the oracle that the ring has been without a leader for so many interactions.
    ///
    /// # Errors
    /// If the protocol asks no oracle, or the ring has a leader, or the number is beyond the delay.
    fn set_leaderless(&mut self, steps: u64) -> Result<(), Error>;
    /// The indices of all leaders.
    fn leaders(&self) -> Vec<usize>;
    /// Whether the configuration is in the closed safe set.
    fn is_safe(&self) -> bool;
    /// The truth of every named set and predicate.
    fn facts(&self) -> Value;
    /// Name and meaning of each phase on the way to safety, and whether it holds.
    fn phases(&self) -> Vec<(&'static str, &'static str, bool)>;
    /// Name and meaning of what an interaction may do that is worth stopping at.
    fn events(&self) -> Vec<(&'static str, &'static str)>;
    /// Counts worth watching.
    fn gauges(&self) -> Vec<(&'static str, usize)>;
    /// The parts into which the protocol divides the ring.
    fn segments(&self) -> Vec<LabelledSegment>;
    /// One variable of all agents: the `k`-th.
    fn column(&self, k: usize) -> Vec<Value>;
    /// Lets a fault strike now, whenever it was meant to; its randomness follows from the seed. The agents that it struck are
    /// returned with their new states.
    ///
    /// # Errors
    /// If it cannot strike this protocol and ring.
    fn strike(&mut self, fault: &Fault, seed: u64) -> Result<Vec<(usize, Value)>, Error>;
    /// The ring as text.
    fn picture(&self) -> Vec<PictureRow>;
    /// The dice that one coin consists of.
    fn dice(&self) -> Vec<u64>;
    /// Follows a script for some steps.
    ///
    /// # Errors
    /// If the script ends: why, and after how many of the steps.
    fn follow(&mut self, script: &mut AnySchedule, steps: u64) -> Result<(), (Halt, u64)>;
    /// Follows a script to the first step at which something happens that is wanted by name, or for some steps. Wanted may be
    /// events, and phases and the safe set, which happen when they are entered.
    ///
    /// # Errors
    /// If the script ends: why, and after how many of the steps.
    fn seek(&mut self, script: &mut AnySchedule, steps: u64, wanted: &[&str]) -> Result<Found, (Halt, u64)>;
    /// The limit in force in a trial: what it says, or the protocol's default for every stretch between faults.
    fn limit(&self, trial: &Trial) -> u64;
    /// Runs the trial from the present configuration.
    ///
    /// # Errors
    /// If the configuration breaks an assumption of the protocol, or a fault of the trial is refused.
    fn run(&mut self, trial: &Trial, watch: &mut Watch<'_>) -> Result<Record, Error>;
}

pub(super) struct Typed<P: Protocol> {
    pub(super) protocol: P,
    pub(super) ring: Ring,
    pub(super) variables: Arc<Variables<P::State>>,
    pub(super) config: Vec<P::State>,
    pub(super) oracle: Oracle,
}

impl<P: Protocol> Population for Typed<P> {
    fn about(&self) -> &'static About {
        &P::ABOUT
    }

    fn ring(&self) -> Ring {
        self.ring
    }

    fn settings(&self) -> Vec<(&'static str, Value)> {
        self.protocol.settings()
    }

    fn variables(&self) -> Vec<(&'static str, Domain, bool)> {
        self.variables.0.iter().map(|variable| (variable.name, variable.domain.clone(), variable.input)).collect()
    }

    fn states(&self) -> u128 {
        self.variables.states()
    }

    fn duplicate(&self) -> Box<dyn Population> {
        let Self { protocol, ring, variables, config, oracle } = self;
        let (protocol, ring, variables) = (protocol.clone(), *ring, variables.clone());
        Box::new(Self { protocol, ring, variables, config: config.clone(), oracle: *oracle })
    }

    fn agent(&self, i: usize) -> Value {
        self.variables.encode(&self.config[i])
    }

    fn set_agents(&mut self, states: &[(usize, Value)]) -> Result<(), Error> {
        let n = self.ring.n();
        for (i, state) in states {
            let unknown = || Error::new("agent", i, format!("agents are 0 to {}", n - 1));
            let agent = self.config.get_mut(*i).ok_or_else(unknown)?;
            *agent = self.variables.decode(state, *agent).map_err(|error| error.at(&format!("agent {i}")))?;
        }
        self.recount();
        Ok(())
    }

    fn set_leaderless(&mut self, steps: u64) -> Result<(), Error> {
        let refuse = |why: String| Err(Error::new("leaderless", steps, why));
        let Some(delay) = self.protocol.oracle() else { return refuse(format!("{} asks no oracle", P::ABOUT.name)) };
        self.oracle = oracle(&self.protocol, &self.config).remembering(steps);
        match self.oracle.leaderless() {
            kept if kept == steps => Ok(()),
            _ if steps <= delay => refuse("the ring has a leader, so only 0".into()),
            _ => refuse(format!("allowed is 0 to the delay of the oracle, {delay}")),
        }
    }

    fn leaders(&self) -> Vec<usize> {
        leaders(&self.protocol, &self.config)
    }

    fn is_safe(&self) -> bool {
        self.protocol.is_safe(&self.config)
    }

    fn facts(&self) -> Value {
        Value::map(self.protocol.facts(&self.config))
    }

    fn phases(&self) -> Vec<(&'static str, &'static str, bool)> {
        let held = |phase: Phase<P>| (phase.name, phase.about, (phase.holds)(&self.protocol, &self.config));
        P::phases().into_iter().map(held).collect()
    }

    fn events(&self) -> Vec<(&'static str, &'static str)> {
        P::events().into_iter().map(|event| (event.name, event.about)).collect()
    }

    fn gauges(&self) -> Vec<(&'static str, usize)> {
        self.protocol.gauges(&self.config)
    }

    fn segments(&self) -> Vec<LabelledSegment> {
        self.protocol.segments(&self.config)
    }

    fn column(&self, k: usize) -> Vec<Value> {
        let variable = &self.variables.0[k];
        self.config.iter().map(|state| variable.get(state)).collect()
    }

    fn strike(&mut self, fault: &Fault, seed: u64) -> Result<Vec<(usize, Value)>, Error> {
        fault.check(&self.protocol, self.ring.n())?;
        let struck = fault.strike(&self.protocol, &mut self.config, &mut stream(seed, Stream::Faults));
        self.recount();
        Ok(struck)
    }

    fn picture(&self) -> Vec<PictureRow> {
        self.protocol.picture(&self.config)
    }

    fn dice(&self) -> Vec<u64> {
        self.protocol.dice()
    }

    fn follow(&mut self, script: &mut AnySchedule, steps: u64) -> Result<(), (Halt, u64)> {
        self.along(script, Advance(steps))
    }

    fn seek(&mut self, script: &mut AnySchedule, steps: u64, wanted: &[&str]) -> Result<Found, (Halt, u64)> {
        self.along(script, Seek { steps, wanted })
    }

    fn limit(&self, trial: &Trial) -> u64 {
        trial::limit(&self.protocol, self.ring, trial)
    }

    fn run(&mut self, trial: &Trial, watch: &mut Watch<'_>) -> Result<Record, Error> {
        if worth_slicing(trial, 1)
            && let Some(record) = self.run_in_arcs(trial, watch)?
        {
            return Ok(record);
        }
        let record = trial::run(&self.protocol, self.ring, trial, &mut self.config, watch);
        self.oracle = oracle(&self.protocol, &self.config);
        record
    }
}

impl<P: Protocol> Typed<P> {
    /// The sliced engine with a single trial, all lanes of which are arcs of its ring; `None` if it cannot and was not insisted on.
    fn run_in_arcs(&mut self, trial: &Trial, watch: &mut Watch<'_>) -> Result<Option<Record>, Error> {
        let watch = RefCell::new(watch);
        let stop = |steps| (watch.borrow_mut())(steps, &Vec::new).is_break();
        let agents = (0..self.config.len()).map(|i| self.agent(i)).collect();
        let trial = Trial { from: Some(Initial::Given(agents)), ..trial.clone() };
        let done = run_sliced::<P>(&trial, &[trial.seed], &stop, &mut |_, _| ControlFlow::Continue(()))?;
        Ok(done.and_then(|mut all| all.pop().flatten()).map(|(record, config)| {
            self.config = config;
            record
        }))
    }

    /// Shows the oracle a configuration that was changed by something else than an interaction.
    fn recount(&mut self) {
        if self.protocol.oracle().is_some() {
            self.oracle.recount(leaders(&self.protocol, &self.config).len());
        }
    }

    /// Does some work along a script, of which the rest is left.
    fn along<W: Work>(&mut self, script: &mut AnySchedule, work: W) -> Result<W::Output, (Halt, u64)> {
        let (done, rest) = match std::mem::take(script) {
            AnySchedule::Recorded(schedule) => self.work(schedule, work, AnySchedule::Recorded),
            AnySchedule::Uniform(schedule) => self.work(schedule, work, AnySchedule::Uniform),
            AnySchedule::Clocks(schedule) => self.work(schedule, work, AnySchedule::Clocks),
            AnySchedule::Logged(schedule) => self.work(*schedule, work, |logged| AnySchedule::Logged(Box::new(logged))),
        };
        *script = rest;
        done
    }

    /// Does some work along a schedule, and gives back what is left of it.
    fn work<S: Schedule, W: Work>(
        &mut self,
        schedule: S,
        work: W,
        rest: impl FnOnce(S) -> AnySchedule,
    ) -> (Result<W::Output, (Halt, u64)>, AnySchedule) {
        let config = std::mem::take(&mut self.config);
        let mut stepper = Stepper::new(self.protocol.clone(), config, schedule);
        stepper.oracle = self.oracle;
        let done = work.on(&mut stepper).map_err(|halt| (halt, stepper.steps));
        self.oracle = stepper.oracle;
        let (config, schedule) = stepper.into_parts();
        self.config = config;
        (done, rest(schedule))
    }
}

/// What is done along a schedule whose type is known only on the spot.
trait Work {
    type Output;
    fn on<P: Protocol, S: Schedule>(self, stepper: &mut Stepper<P, S>) -> Result<Self::Output, Halt>;
}

struct Advance(u64);

impl Work for Advance {
    type Output = ();
    fn on<P: Protocol, S: Schedule>(self, stepper: &mut Stepper<P, S>) -> Result<(), Halt> {
        stepper.advance(self.0)
    }
}

struct Seek<'a> {
    steps: u64,
    wanted: &'a [&'a str],
}

impl Work for Seek<'_> {
    type Output = Found;
    fn on<P: Protocol, S: Schedule>(self, stepper: &mut Stepper<P, S>) -> Result<Found, Halt> {
        seek::seek(stepper, self.steps, self.wanted)
    }
}
