//! What came of a trial: one struct, from the engine through journal and records to the report.

use std::sync::Arc;

use ringleader::stats::Observed;
use ringleader::trial::{Record, Trial};

/// Phases by name, each with its first step, if there was one.
pub type Phases = Vec<(Arc<str>, Option<u64>)>;

/// A finished trial. What all trials of a cell have in common is not repeated here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The number of its cell in the definition, from 0 on.
    pub cell: u32,
    /// Which repeat of the cell, from 0 on.
    pub trial: u32,
    /// The seed of all its randomness.
    pub seed: u64,
    /// How many interactions were run: to the last safe step needed, or to the limit.
    pub steps: u64,
    /// The first safe step, if it was reached.
    pub safe: Option<u64>,
    /// The limit came before safety, or before recovery from the last fault.
    pub censored: bool,
    /// Outputs have been constant since this step.
    pub last_output_change: u64,
    /// The number of coins that interactions read.
    pub coins_read: u64,
    /// The step at which the last fault struck, if all faults did.
    pub last_fault: Option<u64>,
    /// How many leaders it left, if the protocol elects one.
    pub leaders_after_fault: Option<u64>,
    /// The phases that were looked for.
    pub phases: Phases,
}

impl Outcome {
    /// What came of a trial with this seed, which nobody interrupted.
    #[must_use]
    pub fn new(asked: &Trial, (cell, trial): (u32, u32), seed: u64, record: &Record) -> Self {
        let all_struck = record.faults.len() == asked.faults.len();
        let last_fault = record.faults.last().filter(|_| all_struck);
        Self {
            cell,
            trial,
            seed,
            steps: record.steps,
            safe: record.safe,
            censored: record.censored,
            last_output_change: record.last_output_change,
            coins_read: record.coins_read,
            last_fault: last_fault.map(|struck| struck.step),
            leaders_after_fault: last_fault.and_then(|struck| struck.leaders),
            phases: record.phases.iter().map(|phase| (Arc::from(&*phase.name), phase.step)).collect(),
        }
    }

    /// The first safe step; of a trial that met its limit it is known that it comes later.
    #[must_use]
    pub fn safety(&self, limit: u64) -> Observed {
        self.safe.map_or(Observed::at_least(limit), Observed::exactly)
    }

    /// The steps from the last fault to the next safe step. Nothing is known of the recovery from a fault that did not strike.
    #[must_use]
    pub fn recovery(&self) -> Observed {
        let since = self.last_fault.map(|fault| self.steps.saturating_sub(fault));
        Observed { value: since.unwrap_or(0), exact: since.is_some() && !self.censored }
    }

    /// The last change of an output. A trial that was cut off may have seen it already, or may not.
    #[must_use]
    pub fn last_change(&self) -> Observed {
        Observed { value: self.last_output_change, exact: !self.censored }
    }

    /// The trial cut into parts that end with these phases, given by their places: how long each took. A phase that had come before
    /// another one took no time of its own, nor did one that never came; the first that was still awaited took the rest.
    #[must_use]
    pub fn parts(&self, order: &[usize]) -> Vec<u64> {
        let mut at = 0;
        let mut part = |&k: &usize| {
            let end = self.phases[k].1.unwrap_or(if self.censored { self.steps } else { at });
            let part = end.saturating_sub(at);
            at = at.max(end);
            part
        };
        order.iter().map(&mut part).collect()
    }

    /// The first step of a phase: `None` if it did not hold, and nothing more will happen.
    #[must_use]
    pub fn reached(&self, step: Option<u64>) -> Option<Observed> {
        step.map(Observed::exactly).or(self.censored.then_some(Observed::at_least(self.steps)))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use ringleader::fault::{Fault, Struck};

    use super::*;

    /// An outcome whose trial took so many steps, or more.
    pub(crate) fn took(seed: u64, steps: Observed) -> Outcome {
        Outcome {
            cell: 0,
            trial: 0,
            seed,
            steps: steps.value,
            safe: steps.exact.then_some(steps.value),
            censored: !steps.exact,
            last_output_change: steps.value / 2,
            coins_read: 0,
            last_fault: None,
            leaders_after_fault: None,
            phases: Vec::new(),
        }
    }

    #[test]
    fn recoveries_are_counted_from_the_last_fault() {
        let faulty =
            |last_fault, censored| Outcome { last_fault, censored, ..took(1, Observed::exactly(500)) }.recovery();
        assert_eq!(faulty(Some(400), false), Observed::exactly(100));
        assert_eq!(faulty(Some(400), true), Observed::at_least(100));
        assert_eq!(faulty(None, true), Observed::at_least(0));
    }

    #[test]
    fn a_trial_is_the_sum_of_its_parts() {
        let with = |steps: [Option<u64>; 4], censored: bool| {
            let phases = steps.into_iter().map(|step| (Arc::from("phase"), step)).collect();
            Outcome { phases, censored, ..took(1, Observed::exactly(100)) }
        };
        let whole = with([Some(10), Some(40), None, Some(100)], false);
        assert_eq!(whole.parts(&[0, 1, 2, 3]), [10, 30, 0, 60]);
        assert_eq!(whole.parts(&[1, 0, 3]), [40, 0, 60], "what came before took no time of its own");
        assert_eq!(with([Some(10), None, None, None], true).parts(&[0, 1, 2, 3]), [10, 90, 0, 0]);
    }

    /// The recovery is from the last fault of the trial, which need not be the last that struck.
    #[test]
    fn a_last_fault_is_known_only_if_all_struck() {
        let fault: Fault = "agents=1,at=3".parse().unwrap();
        let mut asked = Trial::new("ppl", 4, 1);
        asked.faults = vec![fault.clone(); 2];
        let struck = |step| Struck { fault: fault.clone(), step, agents: Vec::new(), leaders: Some(2), safe: None };
        for (steps, last) in [(vec![], None), (vec![3], None), (vec![3, 9], Some(9))] {
            let record = Record {
                limit: 99,
                steps: 99,
                safe: None,
                censored: true,
                interrupted: false,
                last_output_change: 0,
                phases: Vec::new(),
                faults: steps.iter().copied().map(struck).collect(),
                coins_read: 0,
            };
            let Outcome { last_fault, leaders_after_fault, .. } = Outcome::new(&asked, (0, 0), 1, &record);
            assert_eq!((last_fault, leaders_after_fault), (last, last.map(|_| 2)), "struck at {steps:?}");
        }
    }

    #[test]
    fn what_was_cut_off_is_known_from_below() {
        let (cut, whole) = (took(1, Observed::at_least(70)), took(1, Observed::exactly(70)));
        assert_eq!((cut.safety(70), whole.safety(99)), (Observed::at_least(70), Observed::exactly(70)));
        assert_eq!((cut.last_change(), whole.last_change()), (Observed::at_least(35), Observed::exactly(35)));
        assert_eq!(
            (cut.reached(None), cut.reached(Some(3))),
            (Some(Observed::at_least(70)), Some(Observed::exactly(3)))
        );
        assert_eq!(whole.reached(None), None, "it did not happen, and never will");
    }
}
