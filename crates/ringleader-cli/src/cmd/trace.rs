//! `run --trace`: the execution of a trial as a case that `replay` accepts.
//!
//! The hashes come from a second pass over the same execution, which thereby checks that it repeats.

use std::path::Path;

use ringleader::lab::{Population, populate_trial};
use ringleader::schedule::{AnySchedule, Logged};
use ringleader::trial::{Record, Trial};

use crate::case::execution::{Execution, MAX_SCHEDULE};
use crate::cmd::replay::{Play, default_times};
use crate::progress::Bar;
use crate::stop::Stop;
use crate::{files, json};

/// Writes the case; `last` is the population after the run. After Ctrl-C, during the run or during the second pass, the
/// only hash is the last one.
pub(crate) fn write(
    path: &Path,
    trial: &Trial,
    record: &Record,
    last: &dyn Population,
    quiet: bool,
) -> Result<(), Stop> {
    let passed = match second_pass(trial, record, quiet) {
        Err(Stop::Interrupted(_)) => Pass { hashes: vec![(record.steps, json::hash(last))], log: None },
        passed => passed?,
    };
    let first = populate_trial(trial)?;
    let execution = Execution {
        trial,
        steps: record.steps,
        first: first.as_ref(),
        last,
        leaderless: None,
        log: passed.log.as_ref().map(|log| (log.interactions.as_slice(), log.coins.as_slice())),
        faults: record.faults.iter().map(|struck| (struck.step, struck.agents.as_slice())).collect(),
        hashes: &passed.hashes,
    };
    files::write(path, |out| execution.write(out))
}

/// What the second pass found: hashes, and what happened if it is short enough to be written down.
struct Pass {
    hashes: Vec<(u64, String)>,
    log: Option<Box<Logged>>,
}

fn second_pass(trial: &Trial, record: &Record, quiet: bool) -> Result<Pass, Stop> {
    let mut population = populate_trial(trial)?;
    let script = AnySchedule::new(trial.scheduler, population.ring(), trial.seed);
    let script = if record.steps <= MAX_SCHEDULE { script.logged() } else { script };
    let mut play = Play { population: population.as_mut(), script, at: 0, bar: Bar::new(record.steps, quiet) };
    let faults: Vec<_> = record.faults.iter().map(|struck| (struck.step, struck.agents.as_slice())).collect();
    let hashes = play.hashes(&default_times(record.steps, false), record.steps, &faults)?;
    let log = match play.script {
        AnySchedule::Logged(log) => Some(log),
        _ => None,
    };
    Ok(Pass { hashes, log })
}
