//! The trace of a run, as a case that `replay` accepts: a second pass makes its hashes, and its schedule if it is short.

use std::path::Path;

use ringleader::schedule::{AnySchedule, Logged};
use ringleader::session::Session;
use ringleader::trial::{Record, Trial};
use ringleader_catalogue::Entry;
use ringleader_records::case::execution::{Course, Execution, MAX_SCHEDULE, Written};
use ringleader_records::{files, json};

use crate::cmd::play::{Play, default_times};
use crate::progress::{Bar, interrupted};
use crate::stop::Stop;

/// Rings up to this size are hashed and written in no time, even after Ctrl-C.
pub(crate) const SMALL: usize = 1 << 14;

/// Writes the trace of a run. After Ctrl-C the case of a small ring has its last hash only, and that of a large one, which would take
/// long, is not written: its seed and the number of its steps say it all.
pub(crate) fn write(
    path: &Path,
    trial: &Trial,
    record: &Record,
    entry: &Entry,
    last: &dyn Session,
    quiet: bool,
) -> Result<(), Stop> {
    let faults: Vec<Written<'_>> = record.faults.iter().map(|one| (one.step, one.agents.as_slice())).collect();
    let passed = match second_pass(trial, record, entry, &faults, quiet) {
        Err(Stop::Interrupted(_)) if trial.n > SMALL => return Err(unwritten(path, record)),
        Err(Stop::Interrupted(_)) => Pass { hashes: vec![(record.steps, json::hash(last))], log: None },
        passed => passed?,
    };
    let first = entry.open(trial)?;
    let course = match &passed.log {
        Some(log) => Course::Recorded(&log.interactions, &log.coins),
        None => Course::Seeded(trial.scheduler, trial.seed, record.steps),
    };
    let execution = Execution { faults, hashes: &passed.hashes, ..Execution::new(first.as_ref(), last, course) };
    Ok(files::write(path, |out| execution.write(out))?)
}

fn unwritten(path: &Path, record: &Record) -> Stop {
    let (path, steps) = (path.display(), record.steps);
    Stop::Interrupted(Some(format!("{path} was not written; the same run with --limit {steps} writes it")))
}

/// What the second pass found: hashes, and what happened if it is short enough to be written down.
struct Pass {
    hashes: Vec<(u64, String)>,
    log: Option<Box<Logged>>,
}

fn second_pass(
    trial: &Trial,
    record: &Record,
    entry: &Entry,
    faults: &[Written<'_>],
    quiet: bool,
) -> Result<Pass, Stop> {
    if interrupted() {
        return Err(Stop::Interrupted(None));
    }
    let mut session = entry.open(trial)?;
    if record.steps <= MAX_SCHEDULE {
        let schedule = std::mem::take(session.schedule());
        *session.schedule() = schedule.logged();
    }
    let mut play = Play { session: session.as_mut(), at: 0, bar: Bar::new(record.steps, quiet) };
    let hashes = play.hashes(&default_times(record.steps, false), record.steps, faults)?;
    let log = match std::mem::take(session.schedule()) {
        AnySchedule::Logged(log) => Some(log),
        _ => None,
    };
    Ok(Pass { hashes, log })
}
