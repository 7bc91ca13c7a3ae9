//! `run --trace`: the execution of a trial as a case that `replay` accepts.
//!
//! Short executions carry their schedule, long ones the scheduler, the seed and the number of steps. The hashes come from
//! a second pass over the same execution, which thereby checks that it repeats.

use std::io::{self, Write};
use std::path::Path;

use ringleader::lab::{Logged, Population, Script, populate_trial};
use ringleader::protocol::draw;
use ringleader::ring::Orientation;
use ringleader::trial::{Record, Trial};
use ringleader::value::Value;

use crate::cmd::replay::{Play, default_times};
use crate::progress::Bar;
use crate::stop::Stop;
use crate::{files, json};

/// Executions up to this length carry their schedule.
const MAX_SCHEDULE: u64 = 100_000;

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
    files::write(path, |out| write_case(out, trial, record, [first.as_ref(), last], &passed))
}

/// What the second pass found: hashes, and what happened if it is short enough to be written down.
struct Pass {
    hashes: Vec<(u64, String)>,
    log: Option<Box<Logged>>,
}

fn second_pass(trial: &Trial, record: &Record, quiet: bool) -> Result<Pass, Stop> {
    let mut population = populate_trial(trial)?;
    let script = Script::new(trial.scheduler, population.ring(), trial.seed);
    let script = if record.steps <= MAX_SCHEDULE { script.logged() } else { script };
    let mut play = Play { population: population.as_mut(), script, at: 0, bar: Bar::new(record.steps, quiet) };
    let faults: Vec<_> = record.faults.iter().map(|struck| (struck.step, struck.agents.as_slice())).collect();
    let hashes = play.hashes(&default_times(record.steps, false), record.steps, &faults)?;
    let log = match play.script {
        Script::Logged(log) => Some(log),
        _ => None,
    };
    Ok(Pass { hashes, log })
}

fn write_case(
    out: &mut impl Write,
    trial: &Trial,
    record: &Record,
    [first, last]: [&dyn Population; 2],
    passed: &Pass,
) -> io::Result<()> {
    write!(out, "{{\"protocol\":\"{}\",\"n\":{}", last.about().case, trial.n)?;
    last.settings().iter().try_for_each(|(name, value)| write!(out, ",\"{name}\":{value}"))?;
    write!(out, ",\"initial\":")?;
    json::write_config(out, first)?;
    write_schedule(out, trial, record, first, passed.log.as_deref())?;
    write_faults(out, record)?;
    write!(out, ",\"hashes\":")?;
    json::write_list(out, passed.hashes.iter(), |out, (t, hash)| write!(out, "[{t},\"{hash}\"]"))?;
    write!(out, ",\"final\":")?;
    json::write_config(out, last)?;
    if let Some(in_s_pl) = last.facts().get("S_PL") {
        write!(out, ",\"final_S_PL\":{in_s_pl}")?;
    }
    writeln!(out, "}}")
}

fn write_schedule(
    out: &mut impl Write,
    trial: &Trial,
    record: &Record,
    first: &dyn Population,
    log: Option<&Logged>,
) -> io::Result<()> {
    let Some(log) = log else {
        let (scheduler, seed, steps) = (trial.scheduler.name(), trial.seed, record.steps);
        return write!(out, ",\"scheduler\":\"{scheduler}\",\"seed\":{seed},\"steps\":{steps}");
    };
    let (directed, dice) = (first.ring().orientation() == Orientation::Directed, first.dice());
    write!(out, ",\"schedule\":")?;
    json::write_list(out, log.interactions.iter(), |out, e| {
        if directed { write!(out, "{}", e.initiator) } else { write!(out, "[{},{}]", e.initiator, e.responder) }
    })?;
    write!(out, ",\"draws\":")?;
    json::write_list(out, log.coins.iter(), |out, coin| json::write(out, &Value::from(draw(*coin, &dice))))
}

fn write_faults(out: &mut impl Write, record: &Record) -> io::Result<()> {
    if record.faults.is_empty() {
        return Ok(());
    }
    write!(out, ",\"faults\":")?;
    json::write_list(out, record.faults.iter(), |out, struck| {
        write!(out, "{{\"step\":{},\"agents\":", struck.step)?;
        json::write_list(out, struck.agents.iter(), |out, (i, state)| {
            write!(out, "[{i},")?;
            json::write(out, state)?;
            write!(out, "]")
        })?;
        write!(out, "}}")
    })
}
