//! `run --trace`: the execution of a trial as a case that `replay` accepts.
//!
//! Short executions carry their schedule, long ones the scheduler, the seed and the number of steps. The hashes come from
//! a second pass over the same execution, which thereby checks that it repeats.

use std::io::Write;
use std::path::Path;

use ringleader::lab::{Population, Script, populate_trial};
use ringleader::trial::{Record, Trial};
use ringleader::value::Value;

use crate::case::draw;
use crate::cmd::replay::{Play, default_times};
use crate::progress::Bar;
use crate::stop::Stop;
use crate::{files, json};

/// Executions up to this length carry their schedule.
const MAX_SCHEDULE: u64 = 100_000;

/// Writes the case; `last` is the population after the run. After Ctrl-C only the last hash is given, without a second
/// pass.
pub(crate) fn write(
    path: &Path,
    trial: &Trial,
    record: &Record,
    last: &dyn Population,
    quiet: bool,
) -> Result<(), Stop> {
    let mut population = populate_trial(trial)?;
    files::write(path, |out| {
        let text = |value: &Value| value.to_string();
        write!(out, "{{\"protocol\":\"{}\",\"n\":{}", last.about().case, trial.n)?;
        for (name, value) in last.settings() {
            write!(out, ",\"{name}\":{}", text(&value))?;
        }
        write!(out, ",\"initial\":")?;
        json::write_config(out, population.as_ref())?;
        write_schedule(out, trial, record, population.as_ref())?;
        write_faults(out, record)?;
        let hashes = if record.interrupted {
            vec![(record.steps, json::hash(last))]
        } else {
            second_pass(population.as_mut(), trial, record, quiet)?
        };
        write!(out, ",\"hashes\":")?;
        json::write_list(out, hashes.iter(), |out, (t, hash)| write!(out, "[{t},\"{hash}\"]"))?;
        write!(out, ",\"final\":")?;
        json::write_config(out, last)?;
        if let Some(in_s_pl) = last.facts().get("S_PL") {
            write!(out, ",\"final_S_PL\":{in_s_pl}")?;
        }
        Ok(writeln!(out, "}}")?)
    })
}

fn write_schedule(
    out: &mut impl Write,
    trial: &Trial,
    record: &Record,
    population: &dyn Population,
) -> Result<(), Stop> {
    let Script::Uniform(schedule, coins) = population.uniform_script(trial.seed) else {
        return Err(Stop::Bad("the scheduler cannot be written down".into()));
    };
    if record.steps > MAX_SCHEDULE {
        let (scheduler, seed, steps) = (trial.scheduler.name(), trial.seed, record.steps);
        return Ok(write!(out, ",\"scheduler\":\"{scheduler}\",\"seed\":{seed},\"steps\":{steps}")?);
    }
    let directed = population.ring().orientation() == ringleader::ring::Orientation::Directed;
    write!(out, ",\"schedule\":")?;
    json::write_list(out, schedule.take(record.steps as usize), |out, e| {
        if directed { write!(out, "{}", e.initiator) } else { write!(out, "[{},{}]", e.initiator, e.responder) }
    })?;
    write!(out, ",\"draws\":")?;
    let dice = population.dice();
    let read = coins.take(record.coins_read as usize);
    Ok(json::write_list(out, read, |out, coin| json::write(out, &draw(coin, &dice).into()))?)
}

fn write_faults(out: &mut impl Write, record: &Record) -> Result<(), Stop> {
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
    })?;
    Ok(())
}

fn second_pass(
    population: &mut dyn Population,
    trial: &Trial,
    record: &Record,
    quiet: bool,
) -> Result<Vec<(u64, String)>, Stop> {
    let script = population.uniform_script(trial.seed);
    let mut play = Play { population, script, at: 0, bar: Bar::new(record.steps, quiet) };
    let faults: Vec<_> = record.faults.iter().map(|struck| (struck.step, struck.agents.as_slice())).collect();
    let hashes = play.hashes(&default_times(record.steps, false), record.steps, &faults)?;
    play.bar.clear();
    Ok(hashes)
}
