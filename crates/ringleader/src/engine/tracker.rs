//! What a run remembers of its way: changes of output, births and deaths of leaders, and the first step of every
//! phase.
//!
//! Phases that are closed sets are found by window and bisection. Those that are not need a look at every step;
//! that look is cheap because a predicate is evaluated only after an interaction that changed something it can tell
//! apart.

use crate::blueprint::{LEADER_PHASES, Phase};
use crate::engine::hitting::first_in;
use crate::engine::stepper::{Halt, Stepper};
use crate::observer::Pace;
use crate::protocol::{Protocol, leaders};
use crate::schedule::Schedule;
use crate::trial::Reached;
use crate::value::Text;

/// The memory of a run.
#[derive(Clone, Debug)]
pub struct Tracker {
    /// Outputs have been constant since this step.
    pub last_output_change: u64,
    /// The first step with at least one leader.
    pub first_leader: Option<u64>,
    /// The first step with exactly one leader.
    pub one_leader: Option<u64>,
    /// The last step at which a leader was killed.
    pub last_kill: Option<u64>,
    /// The first step of each phase of the protocol, in its order.
    pub phases: Vec<Option<u64>>,
    leaders: usize,
}

impl Tracker {
    /// The memory of a run that starts here and wants to know about these phases.
    pub fn new<P: Protocol>(protocol: &P, phases: &[Phase<P>], config: &[P::State]) -> Self {
        let mut tracker = Self {
            last_output_change: 0,
            first_leader: None,
            one_leader: None,
            last_kill: None,
            phases: vec![None; phases.len()],
            leaders: 0,
        };
        tracker.restart(protocol, phases, config, 0);
        tracker
    }

    /// Takes in a configuration that was not reached by an interaction: the first one, or one after a fault.
    pub fn restart<P: Protocol>(&mut self, protocol: &P, phases: &[Phase<P>], config: &[P::State], step: u64) {
        self.leaders = leaders(protocol, config).len();
        self.count_leaders(step);
        for (phase, reached) in phases.iter().zip(&mut self.phases) {
            if reached.is_none() && (phase.holds)(protocol, config) {
                *reached = Some(step);
            }
        }
    }

    fn count_leaders(&mut self, step: u64) {
        if self.leaders >= 1 {
            self.first_leader.get_or_insert(step);
        }
        if self.leaders == 1 {
            self.one_leader.get_or_insert(step);
        }
    }

    /// Runs `steps` interactions and follows the output only.
    ///
    /// # Errors
    /// If the schedule ends, or the observer breaks off.
    pub fn follow_output<P, S>(
        &mut self,
        stepper: &mut Stepper<P, S>,
        steps: u64,
        pace: &mut Pace<'_>,
    ) -> Result<(), Halt>
    where
        P: Protocol,
        S: Schedule,
    {
        stepper.in_pieces(pace, steps, |stepper, steps| {
            let first = stepper.steps + 1;
            for step in first..first + steps {
                let look = |protocol: &P, before: [u64; 2], after: [&P::State; 2]| {
                    if outputs(protocol, after) != before {
                        self.last_output_change = step;
                    }
                };
                stepper.step(outputs, look)?;
            }
            Ok(())
        })
    }

    /// Runs `steps` interactions and follows everything but the closed phases.
    ///
    /// # Errors
    /// If the schedule ends, or the observer breaks off.
    pub fn follow_phases<P, S>(
        &mut self,
        stepper: &mut Stepper<P, S>,
        phases: &[Phase<P>],
        steps: u64,
        pace: &mut Pace<'_>,
    ) -> Result<(), Halt>
    where
        P: Protocol,
        S: Schedule,
    {
        let mut open: Vec<usize> = self.pending(phases, true);
        let (end, mut work) = (stepper.steps + steps, 0);
        while stepper.steps < end && !open.is_empty() {
            work += 1;
            if self.step(stepper, phases, &open)? {
                work += (open.len() * stepper.config.len()) as u64;
                self.look(stepper, phases, &mut open);
            }
            if work >= pace.room() {
                stepper.did(pace, std::mem::take(&mut work))?;
            }
        }
        stepper.did(pace, work)?;
        let left = end - stepper.steps;
        stepper.in_pieces(pace, left, |stepper, steps| self.follow_leaders(stepper, steps))
    }

    /// Finds out when the closed phases were entered that hold now and did not `before`.
    ///
    /// # Errors
    /// If the observer breaks off.
    pub fn find_closed<P, S>(
        &mut self,
        before: &Stepper<P, S>,
        stepper: &Stepper<P, S>,
        phases: &[Phase<P>],
        pace: &mut Pace<'_>,
    ) -> Result<(), Halt>
    where
        P: Protocol,
        S: Schedule,
    {
        let steps = stepper.steps - before.steps;
        for k in self.pending(phases, false) {
            if (phases[k].holds)(&stepper.protocol, &stepper.config) {
                self.phases[k] = Some(before.steps + first_in(before, steps, &*phases[k].holds, pace)?);
            }
        }
        Ok(())
    }

    /// Runs `steps` interactions and follows outputs and leaders, when no open phase is left.
    fn follow_leaders<P, S>(&mut self, stepper: &mut Stepper<P, S>, steps: u64) -> Result<(), Halt>
    where
        P: Protocol,
        S: Schedule,
    {
        let first = stepper.steps + 1;
        for step in first..first + steps {
            let look = |protocol: &P, before: ([u64; 2], [bool; 2]), after: [&P::State; 2]| {
                if outputs(protocol, after) != before.0 {
                    self.last_output_change = step;
                    self.births_and_deaths(before.1, led(protocol, after), step);
                }
            };
            let peek = |protocol: &P, states: [&P::State; 2]| (outputs(protocol, states), led(protocol, states));
            stepper.step(peek, look)?;
        }
        Ok(())
    }

    fn pending<P: Protocol>(&self, phases: &[Phase<P>], open: bool) -> Vec<usize> {
        (0..phases.len()).filter(|&k| self.phases[k].is_none() && phases[k].open.is_some() == open).collect()
    }

    /// One interaction; tells whether an open phase may have been entered by it.
    #[inline]
    fn step<P, S>(&mut self, stepper: &mut Stepper<P, S>, phases: &[Phase<P>], open: &[usize]) -> Result<bool, Halt>
    where
        P: Protocol,
        S: Schedule,
    {
        let (step, mut woken) = (stepper.steps + 1, false);
        let look = |protocol: &P, before: [P::State; 2], after: [&P::State; 2]| {
            let before = [&before[0], &before[1]];
            if outputs(protocol, before) != outputs(protocol, after) {
                self.last_output_change = step;
                self.births_and_deaths(led(protocol, before), led(protocol, after), step);
            }
            woken = open.iter().any(|&k| phases[k].may_differ(protocol, before, after));
        };
        stepper.step(|_, [l, r]| [*l, *r], look)?;
        Ok(woken)
    }

    fn births_and_deaths(&mut self, before: [bool; 2], after: [bool; 2], step: u64) {
        for k in 0..2 {
            match (before[k], after[k]) {
                (false, true) => self.leaders += 1,
                (true, false) => {
                    self.leaders -= 1;
                    self.last_kill = Some(step);
                }
                _ => {}
            }
        }
        self.count_leaders(step);
    }

    /// Evaluates the open phases and forgets those that hold.
    fn look<P: Protocol, S>(&mut self, stepper: &Stepper<P, S>, phases: &[Phase<P>], open: &mut Vec<usize>) {
        open.retain(|&k| {
            let holds = (phases[k].holds)(&stepper.protocol, &stepper.config);
            if holds {
                self.phases[k] = Some(stepper.steps);
            }
            !holds
        });
    }

    /// Every phase by name: those of leaders where the protocol elects one, its own, and safety.
    #[must_use]
    pub fn reached<P: Protocol>(
        &self,
        phases: &[Phase<P>],
        elects: bool,
        safe_set: &str,
        safe: Option<u64>,
    ) -> Vec<Reached> {
        let reached = |name: Text, about: Text, step| Reached { name, about, step };
        let leaders = LEADER_PHASES.into_iter().zip([self.first_leader, self.one_leader, self.last_kill]);
        let leaders = leaders.filter(|_| elects).map(|(name, step)| reached(name.into(), Text::default(), step));
        let own = phases.iter().map(|phase| phase.named.clone()).zip(&self.phases);
        let own = own.map(|(named, &step)| reached(named.name, named.about, step));
        let safe = reached(safe_set.to_owned().into(), "the closed safe set".into(), safe);
        leaders.chain(own).chain([safe]).collect()
    }
}

/// Written out, since `map` of an array is a call where no link-time optimisation takes it away.
#[inline]
fn outputs<P: Protocol>(protocol: &P, [l, r]: [&P::State; 2]) -> [u64; 2] {
    [protocol.output(l), protocol.output(r)]
}

/// Which of the two are leaders.
#[inline]
fn led<P: Protocol>(protocol: &P, [l, r]: [&P::State; 2]) -> [bool; 2] {
    [protocol.is_leader(l), protocol.is_leader(r)]
}
