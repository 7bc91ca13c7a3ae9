//! `ringleader replay`: run a recorded execution, and check what the case expects of it.

use std::iter::Peekable;

use ringleader::engine::stepper::Halt;
use ringleader::lab::{Population, populate_trial};
use ringleader::schedule::AnySchedule;
use ringleader::value::Value;

use crate::args::ReplayArgs;
use crate::case::{self, Case};
use crate::progress::Bar;
use crate::stop::{Stop, outcome};
use crate::{files, json};

/// A long replay looks for Ctrl-C this often.
const CHUNK: u64 = 1 << 20;

/// Hashes of a run given by its seed are at most this many.
pub(crate) const MAX_HASHES: u64 = 1000;

pub(crate) fn replay(args: &ReplayArgs) -> Result<(), Stop> {
    let mut case = case::read(&args.case)?;
    if case.protocol.is_none() {
        return Err(Stop::Bad(format!("{}: the case has no `protocol`", args.case.display())));
    }
    let trial = case.trial(None, &Default::default())?;
    let mut population = populate_trial(&trial)?;
    if let Some(steps) = case.leaderless {
        population.set_leaderless(steps)?;
    }
    let first_safe = population.is_safe();
    let (script, steps) = case.script(population.as_ref())?;
    let times = hash_times(&case, steps)?;
    let mut play = Play { population: population.as_mut(), script, at: 0, bar: Bar::new(steps, args.quiet) };
    let hashes = play.hashes(&times, steps, &faults(&case, steps)?)?;
    drop(play);
    let printed = print(population.as_ref(), steps, &hashes);
    let safe = same_safety(case.first_safe, first_safe, 0);
    outcome(printed, safe.and_then(|()| expectations(&case, population.as_ref(), steps, &hashes)))
}

/// Every 100 steps up to the end, but in a run given by its seed not more than [`MAX_HASHES`] times.
pub(crate) fn default_times(steps: u64, recorded: bool) -> Vec<u64> {
    if recorded || steps <= 100 * MAX_HASHES {
        return (1..=steps / 100).map(|k| 100 * k).collect();
    }
    (1..=MAX_HASHES).map(|k| (u128::from(steps) * u128::from(k) / u128::from(MAX_HASHES)) as u64).collect()
}

fn hash_times(case: &Case, steps: u64) -> Result<Vec<u64>, Stop> {
    let Some(expected) = &case.hashes else { return Ok(default_times(steps, case.schedule.is_some())) };
    let mut times: Vec<u64> = expected.iter().map(|(t, _)| *t).collect();
    times.sort_unstable();
    times.dedup();
    match times.last() {
        Some(&last) if last > steps => {
            Err(Stop::Bad(format!("hashes: time {last} is beyond the end of the execution, {steps} steps")))
        }
        _ => Ok(times),
    }
}

/// A fault that has happened: its step, and the states that it wrote.
pub(crate) type Fault<'a> = (u64, &'a [(usize, Value)]);

fn faults(case: &Case, end: u64) -> Result<Vec<Fault<'_>>, Stop> {
    let mut faults: Vec<Fault<'_>> = case.faults.iter().map(|fault| (fault.step, fault.agents.as_slice())).collect();
    faults.sort_by_key(|(step, _)| *step);
    match faults.last() {
        Some((step, _)) if *step > end => {
            Err(Stop::Bad(format!("faults: step {step} is beyond the end of the execution, {end} steps")))
        }
        _ => Ok(faults),
    }
}

/// A population on its way through a script.
pub(crate) struct Play<'a> {
    pub(crate) population: &'a mut dyn Population,
    pub(crate) script: AnySchedule,
    pub(crate) at: u64,
    pub(crate) bar: Bar,
}

impl Play<'_> {
    /// Plays to the end, faults included; the hashes at the given times.
    pub(crate) fn hashes(&mut self, times: &[u64], end: u64, faults: &[Fault<'_>]) -> Result<Vec<(u64, String)>, Stop> {
        let mut hashes = Vec::new();
        let mut faults = faults.iter().peekable();
        for &time in times {
            self.play_to(time, &mut faults)?;
            hashes.push((time, json::hash(self.population)));
        }
        self.play_to(end, &mut faults)?;
        Ok(hashes)
    }

    /// Plays up to step `time`, with the faults on the way.
    fn play_to<'f>(
        &mut self,
        time: u64,
        faults: &mut Peekable<impl Iterator<Item = &'f Fault<'f>>>,
    ) -> Result<(), Stop> {
        while let Some((step, agents)) = faults.next_if(|(step, _)| *step <= time) {
            self.run_to(*step)?;
            self.population.set_agents(agents)?;
        }
        self.run_to(time)
    }

    /// Plays up to step `time`.
    fn run_to(&mut self, time: u64) -> Result<(), Stop> {
        while self.at < time {
            let steps = CHUNK.min(time - self.at);
            self.population.follow(&mut self.script, steps).map_err(|(halt, done)| ended(halt, self.at + done))?;
            self.at += steps;
            if self.bar.show(self.at, String::new).is_break() {
                return Err(Stop::Interrupted(Some(format!("after {} steps; nothing was checked", self.at))));
            }
        }
        Ok(())
    }
}

fn ended(halt: Halt, step: u64) -> Stop {
    Stop::Bad(match halt {
        Halt::Schedule => format!("schedule: it ends after {step} steps"),
        Halt::Coins => format!("draws: too few; the interaction at step {step} needs one more"),
    })
}

fn print(population: &dyn Population, steps: u64, hashes: &[(u64, String)]) -> Result<(), Stop> {
    files::to_stdout(|mut out| {
        write!(out, "{{\"final\":")?;
        json::write_config(&mut out, population)?;
        let hash = |(t, hash): &(u64, String)| vec![Value::from(*t), hash.clone().into()];
        let rest = [
            ("hashes", hashes.iter().map(hash).collect::<Vec<_>>().into()),
            ("leaders", population.leaders().into()),
            ("safe", population.is_safe().into()),
            ("steps", Value::from(steps)),
            ("parallel_time", Value::from(steps as f64 / population.ring().n() as f64)),
        ];
        for (name, value) in rest {
            write!(out, ",\"{name}\":")?;
            json::write(&mut out, &value)?;
        }
        writeln!(out, "}}")
    })
}

fn expectations(case: &Case, population: &dyn Population, steps: u64, hashes: &[(u64, String)]) -> Result<(), Stop> {
    let mut expected: Vec<&(u64, String)> = case.hashes.iter().flatten().collect();
    expected.sort_by_key(|(t, _)| *t);
    for (t, wanted) in expected {
        let found = hashes.iter().find(|(time, _)| time == t).map_or("", |(_, hash)| hash.as_str());
        if wanted != found {
            return Err(Stop::Failed(format!("step {t}: the hash is {found}, expected {wanted}")));
        }
    }
    if let Some(wanted) = &case.last {
        same_final(wanted, population, steps)?;
    }
    same_safety(case.last_safe, population.is_safe(), steps)?;
    let in_s_pl = population.facts().get("S_PL").cloned();
    match case.last_in_s_pl.map(Value::from) {
        Some(wanted) if in_s_pl.as_ref() != Some(&wanted) => {
            let found = in_s_pl.unwrap_or(Value::Null);
            Err(Stop::Failed(format!("step {steps}: S_PL is {found}, expected {wanted}")))
        }
        _ => Ok(()),
    }
}

fn same_safety(wanted: Option<bool>, found: bool, step: u64) -> Result<(), Stop> {
    match wanted {
        Some(wanted) if wanted != found => {
            Err(Stop::Failed(format!("step {step}: safe is {found}, expected {wanted}")))
        }
        _ => Ok(()),
    }
}

fn same_final(wanted: &[Value], population: &dyn Population, steps: u64) -> Result<(), Stop> {
    let n = population.ring().n();
    if wanted.len() != n {
        return Err(Stop::Failed(format!("step {steps}: final has {} agents, expected {n}", wanted.len())));
    }
    for (i, agent) in wanted.iter().enumerate() {
        let found = population.agent(i);
        for (name, _, _) in population.variables() {
            let (found, wanted) = (found.get(name).cloned(), agent.get(name).cloned());
            if found != wanted {
                let shown = |value: Option<Value>| value.map_or("nothing".into(), |value| value.to_string());
                let (found, wanted) = (shown(found), shown(wanted));
                return Err(Stop::Failed(format!(
                    "step {steps}: agent {i}, variable {name} is {found}, expected {wanted}"
                )));
            }
        }
    }
    Ok(())
}
