//! A whole trial on the stepper: from its start through its faults to the exact first safe step, or to the limit.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use crate::blueprint::Phase;
use crate::engine::hitting::{first_in, window};
use crate::engine::stepper::{Halt, Stepper};
use crate::engine::tracker::Tracker;
use crate::fault::{Fault, Struck, When};
use crate::observer::{Observer, Pace, Progress};
use crate::protocol::{Protocol, leaders};
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
        let interrupted = self.finish(&mut Pace::new(observer)).is_break();
        let faults = self.struck.iter().cloned();
        let phases = self.phases.map(|phases| self.tracker.reached(phases, elects, safe, self.safe));
        Record {
            limit: self.limit,
            steps: self.stepper.steps,
            safe: self.safe,
            censored: !self.safe_now && !interrupted,
            interrupted,
            last_output_change: self.tracker.last_output_change,
            phases: phases.unwrap_or_default(),
            faults: faults.map(|one| Struck { leaders: one.leaders.filter(|_| elects), ..one }).collect(),
            coins_read: self.stepper.coins_read,
        }
    }

    fn finish(&mut self, pace: &mut Pace<'_>) -> ControlFlow<()> {
        loop {
            self.settle();
            if self.strike() {
                continue;
            }
            if self.stepper.steps == self.limit || (self.safe_now && self.pending.is_empty()) {
                return ControlFlow::Continue(());
            }
            let (protocol, config) = (&self.stepper.protocol, &self.stepper.config);
            pace.ask(Progress { steps: self.stepper.steps, gauges: &|| protocol.gauges(config) })?;
            self.advance(pace)?;
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
        let leaders = Some(leaders(&protocol, &self.stepper.config).len() as u64);
        self.struck.push(Struck { fault, step, agents, leaders, safe: None });
        self.safe_now = false;
        true
    }

    /// Runs one window, or less: to the limit, to the next fault, or to the exact first safe step. If the observer breaks off, the window
    /// has not been, so that all that is known of the run is exact.
    fn advance(&mut self, pace: &mut Pace<'_>) -> ControlFlow<()> {
        let goal = self.pending.iter().filter_map(|fault| match fault.when {
            When::Step(at) => Some(at),
            When::Safe => None,
        });
        let goal = goal.chain([self.limit]).filter(|&at| at > self.stepper.steps).min().unwrap_or(self.limit);
        let undisturbed = self.stepper.steps - self.struck.last().map_or(0, |struck| struck.step);
        let steps = window(self.stepper.config.len(), undisturbed).min(goal - self.stepper.steps);
        let before = (self.stepper.clone(), self.tracker.clone());
        let ran = self.window(&before, steps, pace);
        debug_assert!(matches!(ran, Ok(()) | Err(Halt::Stopped)), "a random schedule ended: {ran:?}");
        if ran.is_err() {
            (self.stepper, self.tracker) = before;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// Runs a window, and if it ends in the safe set, the part of it that comes before.
    fn window(&mut self, before: &(Stepper<P, S>, Tracker), steps: u64, pace: &mut Pace<'_>) -> Result<(), Halt> {
        self.follow(steps, pace)?;
        if !self.safe_now && self.stepper.protocol.is_safe(&self.stepper.config) {
            // What comes after is not needed again, and a long ring takes much memory.
            self.stepper.config = Vec::new();
            let exact = first_in(&before.0, steps, &P::is_safe, pace)?;
            (self.stepper, self.tracker) = before.clone();
            self.follow(exact, pace)?;
        }
        self.phases.map_or(Ok(()), |phases| self.tracker.find_closed(&before.0, &self.stepper, phases, pace))
    }

    fn follow(&mut self, steps: u64, pace: &mut Pace<'_>) -> Result<(), Halt> {
        match self.phases {
            Some(phases) => self.tracker.follow_phases(&mut self.stepper, phases, steps, pace),
            None => self.tracker.follow_output(&mut self.stepper, steps, pace),
        }
    }
}
