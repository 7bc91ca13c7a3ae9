//! What can be taken away: the run as a case for `replay`, and a configuration for `inspect` and `run`.

use ringleader::value::Value;
use ringleader_records::case::execution::{self, Course, Execution, MAX_SCHEDULE};
use ringleader_records::error::Error;
use ringleader_records::json;

use crate::cursor::{Cursor, Log};
use crate::run::Run;
use crate::turn::Turn;

/// With interactions by hand a case must carry its schedule, so it may be longer, but not without limit.
const MAX_BY_HAND: u64 = 2_000_000;
/// A case has about so many hashes.
const HASHES: usize = 20;

/// The run up to the cursor as a case.
pub(crate) fn case(run: &Run, turn: &mut Turn) -> Result<Vec<u8>, Error> {
    let steps = run.cursor.at;
    let by_seed = run.edits.follow_the_seed(steps);
    if !by_seed && steps > MAX_BY_HAND {
        return Err(Error::new(format!(
            "step {steps}: a run with interactions of its own is written as a case up to step {MAX_BY_HAND}; \
             take the configuration instead"
        )));
    }
    let scheduled = !by_seed || steps <= MAX_SCHEDULE;
    let hashes = hashes(run, steps, turn);
    turn.undivided();
    let log = run.pace().file(|| if scheduled { whole(run, steps) } else { written(run, steps, turn) })?;
    let course = match scheduled {
        true => Course::Recorded(&log.interactions, &log.coins),
        false => Course::Seeded(run.trial.scheduler, run.trial.seed, steps),
    };
    let execution = Execution {
        leaderless: run.leaderless,
        faults: log.written.iter().map(|(step, agents)| (*step, agents.as_slice())).collect(),
        hashes: &hashes,
        ..Execution::new(run.first.as_ref(), run.cursor.session.as_ref(), course)
    };
    let mut text = Vec::new();
    match run.pace().look(|| execution.write(&mut text)) {
        (Ok(()), None) => Ok(text),
        (Err(error), _) => Err(Error::new(format!("cannot write the case: {error}"))),
        (_, Some(fault)) => Err(Error::new(format!("line {}: {}", fault.span.line, fault.what))),
    }
}

/// Everything that happened, from the beginning.
fn whole(run: &Run, steps: u64) -> Result<Log, Error> {
    let mut cursor = run.beginning().logged();
    cursor.forward(&run.edits, steps)?;
    cursor.apply(&run.edits)?;
    Ok(cursor.log.unwrap_or_default())
}

/// What edits wrote, each looked up from the snapshot before it.
fn written(run: &Run, steps: u64, turn: &mut Turn) -> Result<Log, Error> {
    let mut log = Log::default();
    let mut edited: Vec<u64> = run.edits.list.iter().map(|edit| edit.step).filter(|step| *step <= steps).collect();
    edited.dedup();
    for step in edited {
        if turn.is_up() {
            return Err(Error::new("the run is too long to look up all edits; take the configuration instead"));
        }
        let cursor = if step == 0 { run.beginning() } else { run.near(step - 1) };
        let mut cursor = cursor.logged();
        cursor.forward(&run.edits, step)?;
        cursor.apply(&run.edits)?;
        log.written.extend(cursor.log.unwrap_or_default().written.into_iter().filter(|(at, _)| *at == step));
    }
    Ok(log)
}

/// Hashes at some of the snapshots, and at the end.
fn hashes(run: &Run, steps: u64, turn: &mut Turn) -> Vec<(u64, String)> {
    let known: Vec<_> = run.snapshots.items.iter().filter(|(at, _)| (1..steps).contains(at)).collect();
    let some = known.iter().step_by(known.len().div_ceil(HASHES).max(1));
    let hash = |(at, cursor): &(u64, Cursor)| {
        turn.pass();
        (*at, json::hash(cursor.session.as_ref()))
    };
    let mut hashes: Vec<(u64, String)> = some.copied().map(hash).collect();
    hashes.push((steps, json::hash(run.cursor.session.as_ref())));
    hashes
}

/// The configuration at the cursor.
pub(crate) fn config(run: &Run) -> Value {
    let session = run.cursor.session.as_ref();
    let config = ("config".into(), execution::config(session));
    Value::map(execution::head(session).into_iter().chain([config]))
}

/// Moves a run to a step that was shown, and so is near.
pub(crate) fn go_to(run: &mut Run, step: u64, turn: &mut Turn) -> Result<(), Error> {
    run.move_to(step, turn)?;
    if run.cursor.at == step {
        Ok(())
    } else {
        Err(Error::new(format!("step {step}: not computed yet; go there first")))
    }
}
