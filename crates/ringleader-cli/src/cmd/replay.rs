//! `ringleader replay`: run a recorded execution, and check what the case expects of it.

use ringleader::session::Session;
use ringleader::value::Value;
use ringleader_catalogue::Entries;
use ringleader_records::case::execution::Written;
use ringleader_records::case::{self, Case, Last};
use ringleader_records::error::brief;
use ringleader_records::json;

use crate::args::ReplayArgs;
use crate::cmd::play::{Play, default_times};
use crate::progress::Bar;
use crate::stdout::to_stdout;
use crate::stop::{Stop, outcome};

pub(crate) fn replay(args: &ReplayArgs, entries: &Entries) -> Result<(), Stop> {
    let mut case = case::read(&args.case)?;
    if case.protocol.is_none() {
        return Err(Stop::Bad(format!("{}: the case has no `protocol`", args.case.display())));
    }
    let protocols = entries.catalogue();
    let trial = case.trial(&protocols, None, &Default::default())?;
    let mut session = protocols.open(&trial)?;
    if let Some(steps) = case.leaderless {
        session.set_leaderless(steps)?;
    }
    let first_safe = session.is_safe();
    let (schedule, steps) = case.schedule(session.described())?;
    *session.schedule() = schedule;
    let times = hash_times(&case, steps)?;
    let mut play = Play { session: session.as_mut(), at: 0, bar: Bar::new(steps, args.quiet) };
    let hashes = play.hashes(&times, steps, &faults(&case, steps)?)?;
    drop(play);
    let printed = print(session.as_ref(), steps, &hashes);
    let safe = same_safety(case.first_safe, first_safe, 0);
    outcome(printed, safe.and_then(|()| expectations(&case, session.as_ref(), steps, &hashes)))
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

fn faults(case: &Case, end: u64) -> Result<Vec<Written<'_>>, Stop> {
    let mut faults: Vec<Written<'_>> = case.faults.iter().map(|fault| (fault.step, fault.agents.as_slice())).collect();
    faults.sort_by_key(|(step, _)| *step);
    match faults.last() {
        Some((step, _)) if *step > end => {
            Err(Stop::Bad(format!("faults: step {step} is beyond the end of the execution, {end} steps")))
        }
        _ => Ok(faults),
    }
}

fn print(session: &dyn Session, steps: u64, hashes: &[(u64, String)]) -> Result<(), Stop> {
    to_stdout(|out| {
        write!(out, "{{\"final\":")?;
        json::write_config(out, session)?;
        let hash = |(t, hash): &(u64, String)| vec![Value::from(*t), hash.clone().into()];
        let rest = [
            ("hashes", hashes.iter().map(hash).collect::<Vec<_>>().into()),
            ("leaders", session.leaders().into()),
            ("safe", session.is_safe().into()),
            ("steps", Value::from(steps)),
            ("parallel_time", Value::from(steps as f64 / session.described().ring.n() as f64)),
        ];
        for (name, value) in rest {
            write!(out, ",\"{name}\":")?;
            json::write(out, &value)?;
        }
        writeln!(out, "}}")
    })
}

fn expectations(case: &Case, session: &dyn Session, steps: u64, hashes: &[(u64, String)]) -> Result<(), Stop> {
    let mut expected: Vec<&(u64, String)> = case.hashes.iter().flatten().collect();
    expected.sort_by_key(|(t, _)| *t);
    for (t, wanted) in expected {
        let found = hashes.iter().find(|(time, _)| time == t).map_or("", |(_, hash)| hash.as_str());
        if wanted != found {
            return Err(Stop::Failed(format!("step {t}: the hash is {found}, expected {}", brief(wanted))));
        }
    }
    if let Some(wanted) = &case.last {
        same_final(wanted, session, steps)?;
    }
    same_safety(case.last_safe, session.is_safe(), steps)?;
    let in_s_pl = session.facts().get("S_PL").cloned();
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

fn same_final(wanted: &Last, session: &dyn Session, steps: u64) -> Result<(), Stop> {
    let (n, mut differs) = (session.described().ring.n(), None);
    let agents = wanted.each(|i, agent| {
        if i < n && differs.is_none() {
            differs = difference(&session.agent(i), &agent, session).map(|found| format!("agent {i}, {found}"));
        }
    })?;
    if agents != n {
        differs = Some(format!("final has {agents} agents, expected {n}"));
    }
    differs.map_or(Ok(()), |differs| Err(Stop::Failed(format!("step {steps}: {differs}"))))
}

/// The first variable in which an agent is not what it should be.
fn difference(found: &Value, wanted: &Value, session: &dyn Session) -> Option<String> {
    let mut names = session.described().variables.iter().map(|variable| &variable.name);
    let name = names.find(|name| found.get(name) != wanted.get(name))?;
    let shown = |value: Option<&Value>| value.map_or("nothing".into(), |value| brief(&value.to_string()));
    Some(format!("variable {name} is {}, expected {}", shown(found.get(name)), shown(wanted.get(name))))
}
