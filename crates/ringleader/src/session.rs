//! One ring that is stepped, edited and looked at, whatever its types: what replays and views need.

use std::sync::Arc;

use crate::engine::seek;
pub use crate::engine::seek::Found;
use crate::engine::stepper::{Halt, Stepper, oracle};
use crate::error::Error;
use crate::fault::Fault;
use crate::instance::{Described, Instance};
use crate::observer::Observer;
use crate::portrait::{LabelledSegment, PictureRow};
use crate::protocol::{Protocol, leaders, silent};
use crate::random::{Stream, stream};
use crate::ring::Interaction;
use crate::schedule::AnySchedule;
use crate::trial::{Engine, Record, Trial};
use crate::value::{Text, Value};
use crate::variables::Variables;

/// An interaction that was looked at closely.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Who took part.
    pub interaction: Interaction,
    /// The coin, if it read one.
    pub coin: Option<u64>,
    /// What the oracle said, if it was asked.
    pub leader: bool,
    /// The two states before it, initiator first.
    pub before: [Value; 2],
    /// The events that occurred in it.
    pub events: Vec<Text>,
}

/// A ring of agents with what happens to it next. A duplicate has the same future.
pub trait Session: Send {
    /// What is to be known of the protocol on this ring.
    fn described(&self) -> &Described;
    /// The same once more.
    fn duplicate(&self) -> Box<dyn Session>;

    /// The state of agent `i`.
    fn agent(&self, i: usize) -> Value;
    /// One variable of all agents: the `k`-th.
    fn column(&self, k: usize) -> Vec<Value>;
    /// The indices of all leaders.
    fn leaders(&self) -> Vec<usize>;
    /// Whether the configuration is in the closed safe set.
    fn is_safe(&self) -> bool;
    /// Whether no interaction changes anything.
    fn is_silent(&self) -> bool;
    /// For each phase on the way to safety, whether it holds.
    fn phases(&self) -> Vec<bool>;
    /// The truth of every named set and predicate.
    fn facts(&self) -> Value;
    /// Counts worth watching.
    fn gauges(&self) -> Vec<(Text, usize)>;
    /// The parts into which the protocol divides the ring.
    fn segments(&self) -> Vec<LabelledSegment>;
    /// The ring as text.
    fn picture(&self) -> Vec<PictureRow>;

    /// Overwrites the states of some agents.
    ///
    /// # Errors
    /// If there is no such agent, or a value is outside its domain; nothing has changed then.
    fn set_agents(&mut self, states: &[(usize, Value)]) -> Result<(), Error>;
    /// Tells the oracle that the ring has been without a leader for so many interactions.
    ///
    /// # Errors
    /// If the protocol asks no oracle, or the ring has a leader, or the number is beyond the delay.
    fn set_leaderless(&mut self, steps: u64) -> Result<(), Error>;
    /// Lets a fault strike now, whenever it was meant to; its randomness follows from the seed. The agents that it struck are
    /// returned with their new states.
    ///
    /// # Errors
    /// If it cannot strike this protocol and ring.
    fn strike(&mut self, fault: &Fault, seed: u64) -> Result<Vec<(usize, Value)>, Error>;

    /// What happens next.
    fn schedule(&mut self) -> &mut AnySchedule;
    /// Runs some interactions.
    ///
    /// # Errors
    /// If the schedule ends: why, and after how many of the steps.
    fn advance(&mut self, steps: u64) -> Result<(), (Halt, u64)>;
    /// Runs one interaction and looks at it closely.
    ///
    /// # Errors
    /// If the schedule ends.
    fn step(&mut self) -> Result<Step, Halt>;
    /// Runs to the first step at which something happens that is wanted by name, or for some steps. Wanted may be events, and
    /// phases and the safe set, which happen when they are entered.
    ///
    /// # Errors
    /// If the schedule ends: why, and after how many of the steps.
    fn seek(&mut self, steps: u64, wanted: &[Text]) -> Result<Found, (Halt, u64)>;
    /// Runs a trial from the present configuration to its end, with the schedule of the trial's seed from its beginning. What would have
    /// happened next in this session is left as it was.
    ///
    /// # Errors
    /// If the configuration breaks an assumption of the protocol, a fault of the trial is refused, or the engine cannot do it.
    fn run(&mut self, trial: &Trial, engine: Engine, observer: &dyn Observer) -> Result<Record, Error>;
}

/// A session whose types are known.
struct Typed<P: Protocol> {
    instance: Arc<Instance<P>>,
    described: Arc<Described>,
    variables: Arc<Variables<P::State>>,
    stepper: Stepper<P, AnySchedule>,
}

impl<P: Protocol> Instance<P> {
    /// A ring at the start of a trial, with the schedule of its seed.
    ///
    /// # Errors
    /// If the start is refused.
    pub fn open(self, trial: &Trial) -> Result<Box<dyn Session>, Error> {
        let config = self.initial(trial.from.as_ref(), trial.seed)?;
        let schedule = AnySchedule::new(trial.scheduler, self.ring, trial.seed);
        let stepper = Stepper::new(self.protocol.clone(), config, schedule);
        let (described, variables) = (Arc::new(self.describe()), Arc::new(self.protocol.variables()));
        Ok(Box::new(Typed { instance: Arc::new(self), described, variables, stepper }))
    }
}

impl<P: Protocol> Session for Typed<P> {
    fn described(&self) -> &Described {
        &self.described
    }

    fn duplicate(&self) -> Box<dyn Session> {
        let Self { instance, described, variables, stepper } = self;
        let (instance, described, variables) = (instance.clone(), described.clone(), variables.clone());
        Box::new(Self { instance, described, variables, stepper: stepper.clone() })
    }

    fn agent(&self, i: usize) -> Value {
        self.variables.encode(&self.stepper.config[i])
    }

    fn column(&self, k: usize) -> Vec<Value> {
        let variable = &self.variables.0[k];
        self.stepper.config.iter().map(|state| variable.get(state)).collect()
    }

    fn leaders(&self) -> Vec<usize> {
        leaders(&self.stepper.protocol, &self.stepper.config)
    }

    fn is_safe(&self) -> bool {
        self.stepper.protocol.is_safe(&self.stepper.config)
    }

    fn is_silent(&self) -> bool {
        silent(&self.stepper.protocol, self.instance.ring, &self.stepper.config)
    }

    fn phases(&self) -> Vec<bool> {
        let phases = self.instance.blueprint.phases.iter();
        phases.map(|phase| (phase.holds)(&self.stepper.protocol, &self.stepper.config)).collect()
    }

    fn facts(&self) -> Value {
        Value::map(self.stepper.protocol.facts(&self.stepper.config))
    }

    fn gauges(&self) -> Vec<(Text, usize)> {
        self.stepper.protocol.gauges(&self.stepper.config)
    }

    fn segments(&self) -> Vec<LabelledSegment> {
        self.stepper.protocol.segments(&self.stepper.config)
    }

    fn picture(&self) -> Vec<PictureRow> {
        self.instance.picture(&self.stepper.config)
    }

    fn set_agents(&mut self, states: &[(usize, Value)]) -> Result<(), Error> {
        let n = self.instance.ring.n();
        let read = |(i, state): &(usize, Value)| {
            let unknown = || Error::new("agent", i, format!("agents are 0 to {}", n - 1));
            let agent = self.stepper.config.get(*i).ok_or_else(unknown)?;
            let state = self.variables.decode(state, *agent).map_err(|error| error.at(&format!("agent {i}")))?;
            Ok((*i, state))
        };
        let read = states.iter().map(read).collect::<Result<Vec<_>, Error>>()?;
        read.into_iter().for_each(|(i, state)| self.stepper.config[i] = state);
        self.stepper.recount();
        Ok(())
    }

    fn set_leaderless(&mut self, steps: u64) -> Result<(), Error> {
        let refuse = |why: String| Err(Error::new("leaderless", steps, why));
        let Stepper { protocol, config, .. } = &self.stepper;
        let Some(delay) = protocol.oracle() else {
            return refuse(format!("{} asks no oracle", self.described.about.name));
        };
        self.stepper.oracle = oracle(protocol, config).remembering(steps);
        match self.stepper.oracle.leaderless() {
            kept if kept == steps => Ok(()),
            _ if steps <= delay => refuse("the ring has a leader, so only 0".into()),
            _ => refuse(format!("allowed is 0 to the delay of the oracle, {delay}")),
        }
    }

    fn strike(&mut self, fault: &Fault, seed: u64) -> Result<Vec<(usize, Value)>, Error> {
        let Stepper { protocol, config, .. } = &mut self.stepper;
        fault.check(protocol, config.len())?;
        let struck = fault.strike(protocol, config, &mut stream(seed, Stream::Faults));
        self.stepper.recount();
        Ok(struck)
    }

    fn schedule(&mut self) -> &mut AnySchedule {
        &mut self.stepper.schedule
    }

    fn advance(&mut self, steps: u64) -> Result<(), (Halt, u64)> {
        let from = self.stepper.steps;
        self.stepper.advance(steps).map_err(|halt| (halt, self.stepper.steps - from))
    }

    fn step(&mut self) -> Result<Step, Halt> {
        let Self { instance, variables, stepper, .. } = self;
        let (mut events, mut states) = (Vec::new(), [P::State::default(); 2]);
        let leader = stepper.protocol.oracle().is_some() && stepper.oracle.leader();
        let (interaction, coin) = stepper.step_closely(&mut |protocol, before, after| {
            let occurred = instance.blueprint.events.iter().filter(|event| (event.occurs)(protocol, before, after));
            events.extend(occurred.map(|event| event.named.name.clone()));
            states = before.map(|state| *state);
        })?;
        Ok(Step { interaction, coin, leader, before: states.map(|state| variables.encode(&state)), events })
    }

    fn seek(&mut self, steps: u64, wanted: &[Text]) -> Result<Found, (Halt, u64)> {
        let from = self.stepper.steps;
        let found = seek::seek(&mut self.stepper, &self.instance.blueprint, steps, wanted);
        found.map_err(|halt| (halt, self.stepper.steps - from))
    }

    fn run(&mut self, trial: &Trial, engine: Engine, observer: &dyn Observer) -> Result<Record, Error> {
        let record = self.instance.run_from(trial, &mut self.stepper.config, engine, observer)?;
        self.stepper.oracle = oracle(&self.stepper.protocol, &self.stepper.config);
        Ok(record)
    }
}
