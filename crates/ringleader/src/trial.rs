//! A trial and its record: plain data. The record is a pure function of the trial, whatever the engine or machine.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use crate::engine::hitting::{first_in, window};
use crate::engine::stepper::Stepper;
use crate::engine::tracker::{Reached, Tracker};
use crate::error::Error;
use crate::fault::{Fault, Struck, When};
use crate::protocol::{Params, Protocol};
use crate::random::{Generator, Stream, stream};
use crate::ring::Ring;
use crate::schedule::{Clocks, Schedule, Uniform};
use crate::value::Value;

/// Where a trial begins.
#[derive(Clone, Debug, PartialEq)]
pub enum Initial {
    /// A start of the protocol, by name.
    Named(String),
    /// This configuration.
    Given(Vec<Value>),
}

/// How interactions are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheduler {
    /// A Poisson clock on every edge, whose order is that of independent uniform arcs; see [`crate::clocks`].
    #[default]
    Clocks,
    /// Independent uniform arcs, one after the other.
    Uniform,
}

impl Scheduler {
    /// All schedulers.
    pub const ALL: [Self; 2] = [Self::Clocks, Self::Uniform];

    /// The word used on the command line and in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Clocks => "clocks",
            Self::Uniform => "uniform",
        }
    }

    /// The scheduler of that name.
    ///
    /// # Errors
    /// If there is none.
    pub fn named(name: &str) -> Result<Self, Error> {
        let names = Self::ALL.map(Self::name).join(", ");
        let found = Self::ALL.into_iter().find(|scheduler| scheduler.name() == name);
        found.ok_or_else(|| Error::new("scheduler", name, format!("allowed is {names}")))
    }
}

/// What computes a trial. It never changes the record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// The fastest that can do it.
    #[default]
    Auto,
    /// One ring, one interaction at a time, in the clear form.
    Stepper,
    /// Many rings at once, with the widest words that the processor has.
    Sliced,
    /// Many rings at once, in plain 64-bit words.
    SlicedPortable,
    /// Many rings at once, with AVX2 even where there are wider words.
    SlicedAvx2,
}

impl Engine {
    /// All engines.
    pub const ALL: [Self; 5] = [Self::Auto, Self::Stepper, Self::Sliced, Self::SlicedPortable, Self::SlicedAvx2];

    /// The word used on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Stepper => "stepper",
            Self::Sliced => "sliced",
            Self::SlicedPortable => "sliced-portable",
            Self::SlicedAvx2 => "sliced-avx2",
        }
    }

    /// The engine of that name.
    ///
    /// # Errors
    /// If there is none.
    pub fn named(name: &str) -> Result<Self, Error> {
        let names = Self::ALL.map(Self::name).join(", ");
        let found = Self::ALL.into_iter().find(|engine| engine.name() == name);
        found.ok_or_else(|| Error::new("engine", name, format!("allowed is {names}")))
    }
}

/// Everything that determines a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// The name of the protocol.
    pub protocol: String,
    /// The number of agents.
    pub n: usize,
    /// The protocol's parameters.
    pub params: Params,
    /// Where it begins; the protocol's first start if `None`.
    pub from: Option<Initial>,
    /// How interactions are chosen.
    pub scheduler: Scheduler,
    /// The seed of all randomness.
    pub seed: u64,
    /// The greatest number of interactions; derived from the protocol and n if `None`.
    pub limit: Option<u64>,
    /// Faults on the way.
    pub faults: Vec<Fault>,
    /// Whether to find the first step of every phase, which needs a look at every step.
    pub phases: bool,
    /// What computes it; the record does not depend on it.
    pub engine: Engine,
}

impl Trial {
    /// A trial with every choice left at its default.
    #[must_use]
    pub fn new(protocol: &str, n: usize, seed: u64) -> Self {
        Self {
            protocol: protocol.to_owned(),
            n,
            params: Params::default(),
            from: None,
            scheduler: Scheduler::default(),
            seed,
            limit: None,
            faults: Vec::new(),
            phases: true,
            engine: Engine::default(),
        }
    }
}

/// What came of a trial. Step `t` is the configuration after `t` interactions.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The limit in force.
    pub limit: u64,
    /// How many interactions were run: to the last safe step needed, or to the limit.
    pub steps: u64,
    /// The first step in the closed safe set, if it was reached.
    pub safe: Option<u64>,
    /// The limit came before safety, or before recovery from the last fault.
    pub censored: bool,
    /// Somebody stopped the run.
    pub interrupted: bool,
    /// Outputs have been constant since this step.
    pub last_output_change: u64,
    /// The first step of each phase; empty if phases were not asked for.
    pub phases: Vec<Reached>,
    /// The faults that struck, with their recoveries.
    pub faults: Vec<Struck>,
    /// The number of coins that interactions read.
    pub coins_read: u64,
}

/// Called now and then with the number of steps and a way to read gauges; `Break` stops the run.
pub type Watch<'a> = dyn FnMut(u64, &dyn Fn() -> Vec<(&'static str, usize)>) -> ControlFlow<()> + 'a;

struct Run<'a, P: Protocol, S> {
    trial: &'a Trial,
    limit: u64,
    stepper: Stepper<P, S>,
    tracker: Tracker,
    pending: VecDeque<Fault>,
    struck: Vec<Struck>,
    /// The first safe step of all, and since the last fault.
    safe: Option<u64>,
    safe_now: bool,
    generator: Generator,
}

/// The limit in force: the trial's own, or the protocol's default for every stretch between faults.
pub fn limit<P: Protocol>(protocol: &P, ring: Ring, trial: &Trial) -> u64 {
    let stretches = 1 + trial.faults.len() as u64;
    trial.limit.unwrap_or_else(|| protocol.default_limit(ring).saturating_mul(stretches))
}

/// Runs a trial from `config`, which is left at the last configuration.
///
/// # Errors
/// If the protocol does not accept the configuration, or a fault cannot strike this protocol and ring or would come
/// after the limit.
pub fn run<P: Protocol>(
    protocol: &P,
    ring: Ring,
    trial: &Trial,
    config: &mut Vec<P::State>,
    watch: &mut Watch<'_>,
) -> Result<Record, Error> {
    let limit = limit(protocol, ring, trial);
    protocol.accepts(config)?;
    check_faults(protocol, ring, trial, limit)?;
    let from = std::mem::take(config);
    let (record, last) = match trial.scheduler {
        Scheduler::Clocks => run_with(protocol, trial, limit, from, Clocks::new(ring, trial.seed), watch),
        Scheduler::Uniform => run_with(protocol, trial, limit, from, Uniform::new(ring, trial.seed), watch),
    };
    *config = last;
    Ok(record)
}

fn run_with<P: Protocol, S: Schedule>(
    protocol: &P,
    trial: &Trial,
    limit: u64,
    config: Vec<P::State>,
    schedule: S,
    watch: &mut Watch<'_>,
) -> (Record, Vec<P::State>) {
    let stepper = Stepper::new(protocol.clone(), config, schedule);
    let mut run = Run {
        trial,
        limit,
        tracker: Tracker::new(protocol, &stepper.config),
        stepper,
        pending: trial.faults.iter().cloned().collect(),
        struck: Vec::new(),
        safe: None,
        safe_now: false,
        generator: stream(trial.seed, Stream::Faults),
    };
    let interrupted = run.finish(watch).is_break();
    (run.record(interrupted), run.stepper.config)
}

fn check_faults<P: Protocol>(protocol: &P, ring: Ring, trial: &Trial, limit: u64) -> Result<(), Error> {
    for fault in &trial.faults {
        fault.check(protocol, ring.n())?;
        if let When::Step(step) = fault.when
            && step > limit
        {
            return Err(Error::new("fault, at", step, format!("the limit of the run is {limit} steps")));
        }
    }
    Ok(())
}

impl<P: Protocol, S: Schedule> Run<'_, P, S> {
    fn finish(&mut self, watch: &mut Watch<'_>) -> ControlFlow<()> {
        loop {
            self.settle();
            if self.strike() {
                continue;
            }
            if self.stepper.steps == self.limit || (self.safe_now && self.pending.is_empty()) {
                return ControlFlow::Continue(());
            }
            let (protocol, config) = (&self.stepper.protocol, &self.stepper.config);
            watch(self.stepper.steps, &|| protocol.gauges(config))?;
            self.advance();
        }
    }

    /// Notes that the configuration is safe, if it is and that is news.
    fn settle(&mut self) {
        if self.safe_now || !self.stepper.protocol.is_safe(&self.stepper.config) {
            return;
        }
        let step = self.stepper.steps;
        self.safe_now = true;
        self.safe.get_or_insert(step);
        if let Some(struck) = self.struck.last_mut() {
            struck.safe = Some(step);
        }
    }

    /// Lets the next fault strike if it is due: at its step, or, now that the ring is safe, in the order given.
    fn strike(&mut self) -> bool {
        let step = self.stepper.steps;
        let due = |fault: &Fault| match fault.when {
            When::Step(at) => at == step,
            When::Safe => self.safe_now,
        };
        let Some(k) = self.pending.iter().position(due) else { return false };
        let Some(fault) = self.pending.remove(k) else { return false };
        let (protocol, config) = (self.stepper.protocol.clone(), &mut self.stepper.config);
        let outputs = |config: &[P::State]| config.iter().map(|v| protocol.output(v)).collect::<Vec<u64>>();
        let before = outputs(config);
        let agents = fault.strike(&protocol, config, &mut self.generator);
        if outputs(config) != before {
            self.tracker.last_output_change = step;
        }
        self.tracker.restart(&protocol, config, step);
        self.stepper.recount();
        self.struck.push(Struck { fault, step, agents, safe: None });
        self.safe_now = false;
        true
    }

    /// Runs one window, or less: to the limit, to the next fault, or to the exact first safe step.
    fn advance(&mut self) {
        let goal = self.pending.iter().filter_map(|fault| match fault.when {
            When::Step(at) => Some(at),
            When::Safe => None,
        });
        let goal = goal.chain([self.limit]).filter(|&at| at > self.stepper.steps).min().unwrap_or(self.limit);
        let undisturbed = self.stepper.steps - self.struck.last().map_or(0, |struck| struck.step);
        let steps = window(self.stepper.config.len(), undisturbed).min(goal - self.stepper.steps);
        if self.safe_now {
            return self.follow(steps);
        }
        let before = (self.stepper.clone(), self.tracker.clone());
        self.follow(steps);
        if self.stepper.protocol.is_safe(&self.stepper.config) {
            let exact = first_in(&before.0, steps, P::is_safe);
            (self.stepper, self.tracker) = before;
            self.follow(exact);
        }
    }

    fn follow(&mut self, steps: u64) {
        let followed = if self.trial.phases {
            self.tracker.follow_phases(&mut self.stepper, steps)
        } else {
            self.tracker.follow_output(&mut self.stepper, steps)
        };
        debug_assert!(followed.is_ok(), "a random schedule ended: {followed:?}");
    }

    fn record(&self, interrupted: bool) -> Record {
        Record {
            limit: self.limit,
            steps: self.stepper.steps,
            safe: self.safe,
            censored: !self.safe_now && !interrupted,
            interrupted,
            last_output_change: self.tracker.last_output_change,
            phases: if self.trial.phases { self.tracker.reached::<P>(self.safe) } else { Vec::new() },
            faults: self.struck.clone(),
            coins_read: self.stepper.coins_read,
        }
    }
}
