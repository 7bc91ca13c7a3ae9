//! A whole trial on the stepper: from its start through its faults to the exact first safe step, or to the limit.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use crate::blueprint::Phase;
use crate::engine::hitting::{first_in, window};
use crate::engine::stepper::Stepper;
use crate::engine::tracker::Tracker;
use crate::fault::{Fault, Struck, When};
use crate::observer::{Observer, Progress};
use crate::protocol::Protocol;
use crate::random::{Generator, Stream, stream};
use crate::schedule::Schedule;
use crate::trial::{Record, Trial};

/// A trial on its way.
pub(crate) struct Whole<'a, P: Protocol, S> {
    limit: u64,
    /// The phases to follow; `None` if nobody wants to know.
    phases: Option<&'a [Phase<P>]>,
    /// The configuration and its future.
    pub(crate) stepper: Stepper<P, S>,
    tracker: Tracker,
    pending: VecDeque<Fault>,
    struck: Vec<Struck>,
    /// The first safe step of all.
    safe: Option<u64>,
    /// Whether it is safe since the last fault.
    safe_now: bool,
    generator: Generator,
}

impl<'a, P: Protocol, S: Schedule> Whole<'a, P, S> {
    /// A trial before its first interaction. Faults have been checked.
    pub(crate) fn new(trial: &'a Trial, seed: u64, limit: u64, phases: &'a [Phase<P>], stepper: Stepper<P, S>) -> Self {
        let phases = trial.phases.then_some(phases);
        Self {
            limit,
            phases,
            tracker: Tracker::new(&stepper.protocol, phases.unwrap_or_default(), &stepper.config),
            stepper,
            pending: trial.faults.iter().cloned().collect(),
            struck: Vec::new(),
            safe: None,
            safe_now: false,
            generator: stream(seed, Stream::Faults),
        }
    }

    /// Runs to the end, unless the observer breaks off. `safe` is the name of the safe set among the phases.
    pub(crate) fn run(&mut self, elects: bool, safe: &str, observer: &dyn Observer) -> Record {
        let interrupted = self.finish(observer).is_break();
        let phases = self.phases.map(|phases| self.tracker.reached(phases, elects, safe, self.safe));
        Record {
            limit: self.limit,
            steps: self.stepper.steps,
            safe: self.safe,
            censored: !self.safe_now && !interrupted,
            interrupted,
            last_output_change: self.tracker.last_output_change,
            phases: phases.unwrap_or_default(),
            faults: self.struck.clone(),
            coins_read: self.stepper.coins_read,
        }
    }

    fn finish(&mut self, observer: &dyn Observer) -> ControlFlow<()> {
        loop {
            self.settle();
            if self.strike() {
                continue;
            }
            if self.stepper.steps == self.limit || (self.safe_now && self.pending.is_empty()) {
                return ControlFlow::Continue(());
            }
            let (protocol, config) = (&self.stepper.protocol, &self.stepper.config);
            observer.progress(Progress { steps: self.stepper.steps, gauges: &|| protocol.gauges(config) })?;
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
        self.tracker.restart(&protocol, self.phases.unwrap_or_default(), config, step);
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
            let exact = first_in(&before.0, steps, &P::is_safe);
            (self.stepper, self.tracker) = before;
            self.follow(exact);
        }
    }

    fn follow(&mut self, steps: u64) {
        let followed = match self.phases {
            Some(phases) => self.tracker.follow_phases(&mut self.stepper, phases, steps),
            None => self.tracker.follow_output(&mut self.stepper, steps),
        };
        debug_assert!(followed.is_ok(), "a random schedule ended: {followed:?}");
    }
}
