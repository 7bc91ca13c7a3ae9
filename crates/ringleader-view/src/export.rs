//! What can be taken away: the run as a case for `replay`, and a configuration for `inspect` and `run`.

use std::time::Instant;

use super::course::Log;
use super::run::Run;
use crate::case::execution::{Execution, MAX_SCHEDULE, write_head};
use crate::json;
use crate::stop::Stop;

/// With interactions by hand a case must carry its schedule, so it may be longer, but not without limit.
const MAX_BY_HAND: u64 = 2_000_000;
/// A case has about so many hashes.
const HASHES: usize = 20;

/// The run up to the cursor as a case.
pub(crate) fn case(run: &Run, deadline: Instant) -> Result<Vec<u8>, Stop> {
    let steps = run.cursor.at;
    let by_seed = !matches!(run.script, ringleader::schedule::AnySchedule::Recorded(_))
        && !run.course.edits.iter().any(|edit| edit.step < steps && edit.is_interaction());
    if !by_seed && steps > MAX_BY_HAND {
        return Err(Stop::Bad(format!(
            "step {steps}: a run with interactions of its own is written as a case up to step {MAX_BY_HAND}; \
             take the configuration instead"
        )));
    }
    let scheduled = !by_seed || steps <= MAX_SCHEDULE;
    let log = if scheduled { whole(run, steps)? } else { written(run, steps, deadline)? };
    let hashes = hashes(run, steps);
    let execution = Execution {
        trial: &run.trial,
        steps,
        first: run.first.as_ref(),
        last: run.cursor.population.as_ref(),
        leaderless: run.leaderless,
        log: scheduled.then_some((&log.interactions, &log.coins)),
        faults: log.written.iter().map(|(step, agents)| (*step, agents.as_slice())).collect(),
        hashes: &hashes,
    };
    let mut text = Vec::new();
    execution.write(&mut text).map_err(|error| Stop::Bad(format!("cannot write the case: {error}")))?;
    Ok(text)
}

/// Everything that happened, from the beginning.
fn whole(run: &Run, steps: u64) -> Result<Log, Stop> {
    let mut cursor = run.beginning().logged();
    cursor.forward(&run.course, steps)?;
    cursor.apply(&run.course)?;
    Ok(cursor.log.unwrap_or_default())
}

/// What was written by hand, each looked up from the snapshot before it.
fn written(run: &Run, steps: u64, deadline: Instant) -> Result<Log, Stop> {
    let mut log = Log::default();
    let mut edited: Vec<u64> = run.course.edits.iter().map(|edit| edit.step).filter(|step| *step <= steps).collect();
    edited.dedup();
    for step in edited {
        if Instant::now() >= deadline {
            return Err(Stop::Bad("the run is too long to look up all edits; take the configuration instead".into()));
        }
        let cursor = if step == 0 { run.beginning() } else { run.near(step - 1) };
        let mut cursor = cursor.logged();
        cursor.forward(&run.course, step)?;
        cursor.apply(&run.course)?;
        log.written.extend(cursor.log.unwrap_or_default().written.into_iter().filter(|(at, _)| *at == step));
    }
    Ok(log)
}

/// Hashes at some of the snapshots, and at the end.
fn hashes(run: &Run, steps: u64) -> Vec<(u64, String)> {
    let known: Vec<_> = run.snapshots.items.iter().filter(|(at, _)| (1..steps).contains(at)).collect();
    let some = known.iter().step_by(known.len().div_ceil(HASHES).max(1));
    let mut hashes: Vec<(u64, String)> =
        some.map(|(at, cursor)| (*at, json::hash(cursor.population.as_ref()))).collect();
    hashes.push((steps, json::hash(run.cursor.population.as_ref())));
    hashes
}

/// The configuration at the cursor.
pub(crate) fn config(run: &Run) -> Result<Vec<u8>, Stop> {
    let mut text = Vec::new();
    let written = write_head(&mut text, run.cursor.population.as_ref())
        .and_then(|()| {
            text.extend(b",\"config\":");
            json::write_config(&mut text, run.cursor.population.as_ref())
        })
        .map(|()| text.extend(b"}\n"));
    written.map_err(|error| Stop::Bad(format!("cannot write the configuration: {error}")))?;
    Ok(text)
}

/// Moves a run to a step that was shown, and so is near.
pub(crate) fn go_to(run: &mut Run, step: u64, deadline: Instant) -> Result<(), Stop> {
    run.move_to(step, deadline)?;
    if run.cursor.at == step {
        Ok(())
    } else {
        Err(Stop::Bad(format!("step {step}: not computed yet; go there first")))
    }
}
