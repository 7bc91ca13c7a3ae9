//! `ringleader replay`: run a recorded execution, and check what the case expects of it.

use std::io::{self, Write};

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
use crate::stdout::{SCHEMA, to_stdout};
use crate::stop::{Stop, outcome};
use crate::text::{alarm, commas, faint, good, ratio, strong};

pub(crate) fn replay(args: &ReplayArgs, entries: &Entries) -> Result<(), Stop> {
    let mut case = case::read(&args.case)?;
    if case.protocol.is_none() && args.protocol.is_none() {
        return Err(Stop::Bad(format!("{}: the case has no `protocol`; name it with --protocol", args.case.display())));
    }
    let given = args.protocol.as_deref();
    let protocols = case.protocols(&entries.catalogue(), given)?;
    let trial = case.trial(&protocols, given, &Default::default())?;
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
    let session = session.as_ref();
    let compared = compare(&case, first_safe, session, steps, &hashes)?;
    let printed = if args.format.is_json() {
        print(session, steps, &hashes, &compared)
    } else {
        to_stdout(|out| show(out, session, steps, &compared))
    };
    let flaw = compared.into_iter().find_map(|one| one.flaw);
    outcome(printed, flaw.map_or(Ok(()), |flaw| Err(Stop::Failed(flaw))))
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

fn show(out: &mut dyn Write, session: &dyn Session, steps: u64, compared: &[Compared]) -> io::Result<()> {
    let described = session.described();
    let mut ring = vec![format!("n = {}", described.ring.n())];
    ring.extend(described.settings.iter().map(|(name, value)| format!("{name} = {value}")));
    writeln!(out, "{}  {}", strong(&described.about.name), ring.join(", "))?;
    let parallel = ratio(steps as f64 / described.ring.n() as f64);
    writeln!(out, "{} steps (parallel time {parallel})", commas(steps))?;
    if described.about.elects {
        let leaders = session.leaders();
        let names: Vec<String> = leaders.iter().take(8).map(|i| format!("u_{i}")).collect();
        let more = if leaders.len() > names.len() {
            format!(" and {} more", leaders.len() - names.len())
        } else {
            String::new()
        };
        let names = if names.is_empty() { "none".into() } else { names.join(", ") };
        writeln!(out, "leaders at the end: {names}{more}")?;
    }
    let (is, safe) = (if session.is_safe() { "" } else { "not " }, described.about.in_safe_set());
    let set = if described.about.declares_safe {
        format!("{} is the safe set", described.about.safe)
    } else {
        "no safe set is declared".into()
    };
    writeln!(out, "the end is {is}{safe}: {set}\n")?;
    for Compared { what, count, flaw } in compared {
        let what = if *count == 1 { (*what).to_owned() } else { format!("{} {what}", commas(count)) };
        match flaw {
            None => writeln!(out, "{}  {what}", good("as expected"))?,
            // The difference itself is told on standard error.
            Some(flaw) => {
                let step = flaw.split(':').next().unwrap_or_default();
                let what = if *count == 1 { what } else { format!("some of {what}, the first") };
                writeln!(out, "{}  {what} at {step}", alarm("different  "))?;
            }
        }
    }
    if compared.is_empty() {
        writeln!(out, "{}", faint("the case expects nothing: no hashes, no final configuration"))?;
    }
    Ok(())
}

fn print(session: &dyn Session, steps: u64, hashes: &[(u64, String)], compared: &[Compared]) -> Result<(), Stop> {
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
            ("compared", compared.iter().map(Compared::as_json).collect::<Vec<_>>().into()),
            ("schema", SCHEMA.into()),
            ("kind", "replay".into()),
        ];
        for (name, value) in rest {
            write!(out, ",\"{name}\":")?;
            json::write(out, &value)?;
        }
        writeln!(out, "}}")
    })
}

/// Something that a case expects.
struct Compared {
    what: &'static str,
    /// How much of it there is.
    count: usize,
    /// The first difference, if there is one.
    flaw: Option<String>,
}

impl Compared {
    fn as_json(&self) -> Value {
        Value::map([
            ("what", self.what.into()),
            ("count", self.count.into()),
            ("as_expected", self.flaw.is_none().into()),
            ("difference", self.flaw.clone().into()),
        ])
    }
}

/// All that the case expects beside what came, in the order of the steps.
fn compare(
    case: &Case,
    first_safe: bool,
    session: &dyn Session,
    steps: u64,
    hashes: &[(u64, String)],
) -> Result<Vec<Compared>, Stop> {
    let mut all = Vec::new();
    let mut add = |what: &'static str, count: usize, flaw: Option<String>| all.push(Compared { what, count, flaw });
    if let Some(wanted) = case.first_safe {
        add("safety of the initial configuration", 1, other_truth("safe", wanted, first_safe.into(), 0));
    }
    if let Some(expected) = &case.hashes {
        add(if expected.len() == 1 { "hash" } else { "hashes" }, expected.len(), other_hash(expected, hashes));
    }
    if let Some(wanted) = &case.last {
        add("final configuration", 1, other_final(wanted, session, steps)?);
    }
    if let Some(wanted) = case.last_safe {
        add("safety at the end", 1, other_truth("safe", wanted, session.is_safe().into(), steps));
    }
    if let Some(wanted) = case.last_in_s_pl {
        let found = session.facts().get("S_PL").cloned().unwrap_or(Value::Null);
        add("S_PL at the end", 1, other_truth("S_PL", wanted, found, steps));
    }
    Ok(all)
}

fn other_hash(expected: &[(u64, String)], hashes: &[(u64, String)]) -> Option<String> {
    let mut expected: Vec<&(u64, String)> = expected.iter().collect();
    expected.sort_by_key(|(t, _)| *t);
    expected.into_iter().find_map(|(t, wanted)| {
        let found = hashes.iter().find(|(time, _)| time == t).map_or("", |(_, hash)| hash.as_str());
        (wanted != found).then(|| format!("step {t}: the hash is {found}, expected {}", brief(wanted)))
    })
}

fn other_truth(name: &str, wanted: bool, found: Value, step: u64) -> Option<String> {
    (found != wanted.into()).then(|| format!("step {step}: {name} is {found}, expected {wanted}"))
}

fn other_final(wanted: &Last, session: &dyn Session, steps: u64) -> Result<Option<String>, Stop> {
    let (n, mut differs) = (session.described().ring.n(), None);
    let agents = wanted.each(|i, agent| {
        if i < n && differs.is_none() {
            differs = difference(&session.agent(i), &agent, session).map(|found| format!("agent {i}, {found}"));
        }
    })?;
    if agents != n {
        differs = Some(format!("final has {agents} agents, expected {n}"));
    }
    Ok(differs.map(|differs| format!("step {steps}: {differs}")))
}

/// The first variable in which an agent is not what it should be.
fn difference(found: &Value, wanted: &Value, session: &dyn Session) -> Option<String> {
    let mut names = session.described().variables.iter().map(|variable| &variable.name);
    let name = names.find(|name| found.get(name) != wanted.get(name))?;
    let shown = |value: Option<&Value>| value.map_or("nothing".into(), |value| brief(&value.to_string()));
    Some(format!("variable {name} is {}, expected {}", shown(found.get(name)), shown(wanted.get(name))))
}
