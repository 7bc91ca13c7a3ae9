//! `run --trace`: the execution of a trial as a case that `replay` accepts.
//!
//! Short executions carry their schedule, long ones the scheduler, the seed and the number of steps. The hashes come from
//! a second pass over the same execution, which thereby checks that it repeats.

use std::io::{self, Write};
use std::path::Path;

use ringleader::lab::{Population, Script, populate_trial};
use ringleader::ring::Orientation;
use ringleader::trial::{Record, Trial};
use ringleader::value::Value;

use crate::case::draw;
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
    let hashes = match second_pass(trial, record, quiet) {
        Err(Stop::Interrupted(_)) => vec![(record.steps, json::hash(last))],
        hashes => hashes?,
    };
    let first = populate_trial(trial)?;
    files::write(path, |out| write_case(out, trial, record, [first.as_ref(), last], &hashes))
}

fn second_pass(trial: &Trial, record: &Record, quiet: bool) -> Result<Vec<(u64, String)>, Stop> {
    let mut population = populate_trial(trial)?;
    let (script, bar) = (population.uniform_script(trial.seed), Bar::new(record.steps, quiet));
    let mut play = Play { population: population.as_mut(), script, at: 0, bar };
    let faults: Vec<_> = record.faults.iter().map(|struck| (struck.step, struck.agents.as_slice())).collect();
    play.hashes(&default_times(record.steps, false), record.steps, &faults)
}

fn write_case(
    out: &mut impl Write,
    trial: &Trial,
    record: &Record,
    [first, last]: [&dyn Population; 2],
    hashes: &[(u64, String)],
) -> io::Result<()> {
    write!(out, "{{\"protocol\":\"{}\",\"n\":{}", last.about().case, trial.n)?;
    last.settings().iter().try_for_each(|(name, value)| write!(out, ",\"{name}\":{value}"))?;
    write!(out, ",\"initial\":")?;
    json::write_config(out, first)?;
    write_schedule(out, trial, record, first)?;
    write_faults(out, record)?;
    write!(out, ",\"hashes\":")?;
    json::write_list(out, hashes.iter(), |out, (t, hash)| write!(out, "[{t},\"{hash}\"]"))?;
    write!(out, ",\"final\":")?;
    json::write_config(out, last)?;
    if let Some(in_s_pl) = last.facts().get("S_PL") {
        write!(out, ",\"final_S_PL\":{in_s_pl}")?;
    }
    writeln!(out, "}}")
}

fn write_schedule(out: &mut impl Write, trial: &Trial, record: &Record, first: &dyn Population) -> io::Result<()> {
    let (Script::Uniform(schedule, coins), true) = (first.uniform_script(trial.seed), record.steps <= MAX_SCHEDULE)
    else {
        let (scheduler, seed, steps) = (trial.scheduler.name(), trial.seed, record.steps);
        return write!(out, ",\"scheduler\":\"{scheduler}\",\"seed\":{seed},\"steps\":{steps}");
    };
    let directed = first.ring().orientation() == Orientation::Directed;
    write!(out, ",\"schedule\":")?;
    json::write_list(out, schedule.take(record.steps as usize), |out, e| {
        if directed { write!(out, "{}", e.initiator) } else { write!(out, "[{},{}]", e.initiator, e.responder) }
    })?;
    write!(out, ",\"draws\":")?;
    let (dice, read) = (first.dice(), coins.take(record.coins_read as usize));
    json::write_list(out, read, |out, coin| json::write(out, &Value::from(draw(coin, &dice))))
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
