//! `ringleader run`, the main job: from an adversarial start to the exact step at which it is safe for ever.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Mutex;

use ringleader::instance::Described;
use ringleader::observer::{Observer, Progress};
use ringleader::session::Session;
use ringleader::trial::{Record, Trial};
use ringleader::value::{Text, Value};
use ringleader_catalogue::{Entries, Entry};
use ringleader_records::drive::Progressed;
use ringleader_records::{files, json};

use crate::args::RunArgs;
use crate::cmd::trial::{command, introduce, is_file, start_name, tell_if_slowed, trial};
use crate::cmd::{closed, picture, trace, trials};
use crate::forecast::Forecast;
use crate::progress::{Bar, locked};
use crate::shapes::settings;
use crate::stdout::print;
use crate::stop::{Stop, outcome, sound};
use crate::text::{alarm, columns, commas, faint, good, quoted, ratio, strong};

pub(crate) fn run(args: &RunArgs, entries: &Entries) -> Result<(), Stop> {
    match args.trials {
        Some(trials) => trials::run(args, trials, entries),
        None => run_once(args, entries),
    }
}

fn run_once(args: &RunArgs, entries: &Entries) -> Result<(), Stop> {
    let (trial, engine) = trial(args, &entries.catalogue())?;
    if let (Some(path), Some(start)) = (&args.trace, args.start.as_ref().filter(|start| is_file(start))) {
        files::spare(&[start], path)?;
    }
    let entry = entries.find(&trial.protocol)?;
    let limit = entry.check(&trial)?;
    let mut session = entry.open(&trial)?;
    if let Some(path) = &args.trace {
        files::check_writable(path)?;
    }
    tell_if_slowed(entry, &trial, 1, engine, args.quiet);
    let forecast = Mutex::new(Forecast::new(&**entry, &trial, 1, limit, args.quiet));
    let watch = Watch { entry, bar: Mutex::new(Bar::new(limit, args.quiet)), forecast, n: trial.n };
    let record = session.run(&trial, engine, &watch)?;
    drop(watch);
    sound(&**entry)?;
    let is_safe = record.safe.is_some() && !record.interrupted;
    let left =
        (is_safe && closed::in_doubt(session.described())).then(|| closed::left_after(session.as_ref())).flatten();
    let command = command(args, &trial);
    // First what was found, then the trace: if that cannot be written, at least the seed is known.
    let printed = print(
        args.json,
        "run",
        || as_json(&trial, &record, left, session.as_ref(), &command),
        |out| summary(out, &trial, &record, left, session.as_ref(), &command),
    );
    if let Some(path) = &args.trace {
        trace::write(path, &trial, &record, entry, session.as_ref(), args.quiet)?;
    }
    let verdict = match record {
        Record { interrupted: true, .. } => Err(Stop::Interrupted(None)),
        Record { censored: true, .. } => Err(Stop::Limit),
        _ if left.is_some() => Err(Stop::Refuted),
        _ => Ok(()),
    };
    outcome(printed, verdict)
}

/// Shows the gauges of one run.
struct Watch<'a> {
    entry: &'a Entry,
    bar: Mutex<Bar>,
    forecast: Mutex<Forecast<'a>>,
    n: usize,
}

impl Observer for Watch<'_> {
    fn progress(&self, progress: Progress<'_>) -> ControlFlow<()> {
        // What a text does after it went wrong is of no use.
        if self.entry.fault().is_some() {
            return ControlFlow::Break(());
        }
        let (share, pace) = locked(&self.forecast).look(Progressed { finished: 0, steps: progress.steps });
        let gauges = || shown(&(progress.gauges)(), self.n);
        locked(&self.bar).at(share, || format!("step {}{pace}, {}", commas(progress.steps), gauges()))
    }
}

fn shown(gauges: &[(Text, usize)], n: usize) -> String {
    let gauge = |(name, count): &(Text, usize)| match &**name {
        "detecting" => format!("{count}/{n} detecting"),
        name => format!("{count} {name}"),
    };
    gauges.iter().map(gauge).collect::<Vec<_>>().join(", ")
}

// --- For people -----------------------------------------------------------------------------------------------

fn summary(
    out: &mut dyn Write,
    trial: &Trial,
    record: &Record,
    left: Option<u64>,
    session: &dyn Session,
    command: &str,
) -> io::Result<()> {
    heading(out, trial, record, session)?;
    picture::draw(out, session)?;
    writeln!(out)?;
    phases(out, trial.n, session.described(), record)?;
    faults(out, trial.n, session.described().about.in_safe_set(), record)?;
    writeln!(out)?;
    verdict(out, trial, record, left, session)?;
    writeln!(out, "{} {command}", faint("repeat:"))
}

fn heading(out: &mut dyn Write, trial: &Trial, record: &Record, session: &dyn Session) -> io::Result<()> {
    introduce(out, session.described())?;
    let (start, scheduler) = (start_name(trial, session.described()), trial.scheduler.name());
    writeln!(out, "start {start}, scheduler {scheduler}, seed {}", trial.seed)?;
    let (limit, parallel) = (commas(record.limit), ratio(record.limit as f64 / trial.n as f64));
    writeln!(out, "limit {limit} steps (parallel time {parallel})\n")
}

/// Steps as they are, as parallel time, and divided by the scales of the paper.
fn scaled(name: &str, n: usize, step: Option<u64>) -> Vec<String> {
    let n = n as f64;
    let scales = [n, n * n, n * n * n.log2()];
    let ratios = scales.map(|scale| step.map_or("-".into(), |step| ratio(step as f64 / scale)));
    [vec![name.to_owned(), step.map_or("-".into(), commas)], ratios.to_vec()].concat()
}

fn phases(out: &mut dyn Write, n: usize, described: &Described, record: &Record) -> io::Result<()> {
    let safe = &*described.safe_phase;
    let header = ["phase", "step", "parallel time", "/ n^2", "/ n^2 log2 n"].map(str::to_owned).to_vec();
    let mut reached: Vec<(&str, Option<u64>)> = record.phases.iter().map(|phase| (&*phase.name, phase.step)).collect();
    if reached.is_empty() {
        reached.push((safe, record.safe));
    }
    reached.push(("last output change", Some(record.last_output_change)));
    // In the order in which they happened; what never happened comes last.
    reached.sort_by_key(|(_, step)| step.unwrap_or(u64::MAX));
    let rows = reached.into_iter().map(|(name, step)| scaled(name, n, step));
    let lines = columns(&std::iter::once(header).chain(rows).collect::<Vec<_>>());
    writeln!(out, "{}", strong(&lines[0]))?;
    lines[1..].iter().try_for_each(|line| writeln!(out, "{line}"))?;
    let explained = record.phases.iter().filter(|phase| !phase.about.is_empty());
    let mut lines = explained.map(|phase| {
        let is_safe = described.about.declares_safe || phase.name != safe;
        let about = if is_safe { &*phase.about } else { "nothing can change any more" };
        format!("{:>18}: {about}", phase.name)
    });
    lines.try_for_each(|line| writeln!(out, "{}", faint(line)))
}

fn faults(out: &mut dyn Write, n: usize, safe: &str, record: &Record) -> io::Result<()> {
    for struck in &record.faults {
        let (fault, step) = (&struck.fault, commas(struck.step));
        let parallel = ratio(struck.step as f64 / n as f64);
        writeln!(
            out,
            "\nfault {fault}\n  struck {} agents at step {step} (parallel time {parallel})",
            struck.agents.len()
        )?;
        if let Some(leaders) = struck.leaders {
            writeln!(out, "  left {leaders} leader{}", if leaders == 1 { "" } else { "s" })?;
        }
        match struck.safe {
            Some(step) => {
                let recovery = step - struck.step;
                let parallel = ratio(recovery as f64 / n as f64);
                writeln!(
                    out,
                    "  {safe} again at step {}, {} steps later (parallel time {parallel})",
                    commas(step),
                    commas(recovery)
                )?;
            }
            None => writeln!(out, "  not {safe} again before the next fault or the end")?,
        }
    }
    Ok(())
}

fn verdict(
    out: &mut dyn Write,
    trial: &Trial,
    record: &Record,
    left: Option<u64>,
    session: &dyn Session,
) -> io::Result<()> {
    let about = &session.described().about;
    let (steps, parallel) = (commas(record.steps), ratio(record.steps as f64 / trial.n as f64));
    if record.interrupted {
        return writeln!(out, "{} after {steps} steps (parallel time {parallel})", alarm("interrupted"));
    }
    if !about.declares_safe {
        return undeclared(out, trial, record, session);
    }
    if record.censored {
        writeln!(out, "{} within {steps} steps (parallel time {parallel}): the limit came first", alarm("not safe"))?;
        return writeln!(out, "{CONTINUES}");
    }
    if let Some(after) = left {
        writeln!(out, "{} at step {steps} (parallel time {parallel})", alarm("safe, but not for ever,"))?;
        return closed::tell(out, after, &about.name);
    }
    // "For ever" and "stays" need a closed set, and that needs evidence.
    let (safe, stays) = if about.evidence.is_some() { ("safe for ever", "stays") } else { ("safe", "is") };
    writeln!(out, "{} from step {steps} on (parallel time {parallel})", good(safe))?;
    if let [leader] = session.leaders().as_slice() {
        writeln!(out, "u_{leader} {stays} the leader")?;
    }
    writeln!(out, "{}", faint(format!("the safe set is {}; where it is closed, its first step is exact", about.safe)))?;
    let closed = about.evidence.as_ref().map_or_else(
        || format!("declared by the protocol;\n`ringleader check {} --n 3..4` looks", quoted(&about.name)),
        |evidence| evidence.clone().into_owned(),
    );
    writeln!(out, "{}", faint(format!("closed: {closed}")))
}

const CONTINUES: &str = "a larger --limit with the same seed continues the same execution";

/// Without a safe set a run can tell when outputs changed last, and when nothing can change any more.
fn undeclared(out: &mut dyn Write, trial: &Trial, record: &Record, session: &dyn Session) -> io::Result<()> {
    let about = &session.described().about;
    let (steps, parallel) = (commas(record.steps), ratio(record.steps as f64 / trial.n as f64));
    let silent = session.facts().get("silent") == Some(&true.into());
    if !record.censored {
        writeln!(out, "{} from step {steps} on (parallel time {parallel})", good("silent"))?;
        if let [leader] = session.leaders().as_slice() {
            writeln!(out, "u_{leader} stays the leader")?;
        }
    } else if silent {
        let leaders = session.leaders().len();
        writeln!(out, "{}: nothing can change any more, with {leaders} leaders", alarm("silent but not safe"))?;
    } else {
        writeln!(out, "{} within {steps} steps (parallel time {parallel}): the limit came first", alarm("not silent"))?;
        writeln!(out, "{CONTINUES}")?;
    }
    writeln!(out, "last output change at step {}", commas(record.last_output_change))?;
    let why = format!(
        "when it became safe is not known: {} declares no safe set;\n\
        `ringleader check {} --n 3..4` finds the safe configurations of small rings",
        about.name,
        quoted(&about.name)
    );
    why.lines().try_for_each(|line| writeln!(out, "{}", faint(line)))
}

// --- For machines ---------------------------------------------------------------------------------------------

fn as_json(trial: &Trial, record: &Record, left: Option<u64>, session: &dyn Session, command: &str) -> Value {
    let (n, described) = (trial.n as f64, session.described());
    let about = &described.about;
    let parallel = |step: Option<u64>| step.map(|step| step as f64 / n);
    let phase = |phase: &ringleader::trial::Reached| {
        Value::map([
            ("name", phase.name.clone().into()),
            ("step", phase.step.into()),
            ("parallel_time", parallel(phase.step).into()),
        ])
    };
    let fault = |struck: &ringleader::fault::Struck| {
        Value::map([
            ("fault", struck.fault.to_string().into()),
            ("step", struck.step.into()),
            ("parallel_time", parallel(Some(struck.step)).into()),
            ("agents", struck.agents.iter().map(|(i, _)| *i).collect::<Vec<_>>().into()),
            ("leaders", struck.leaders.into()),
            ("safe", struck.safe.into()),
            ("recovery", struck.safe.map(|safe| safe - struck.step).into()),
            ("recovery_parallel_time", parallel(struck.safe.map(|safe| safe - struck.step)).into()),
        ])
    };
    // After Ctrl-C nobody wants to wait for the hash of a long ring.
    let final_hash = (!record.interrupted || trial.n <= trace::SMALL).then(|| json::hash(session));
    Value::map([
        ("protocol", about.name.clone().into()),
        ("rules", about.origin.name().into()),
        ("n", trial.n.into()),
        ("settings", settings(&described.settings)),
        ("states", Value::Digits(described.states.to_string())),
        ("start", start_name(trial, session.described()).into()),
        ("scheduler", trial.scheduler.name().into()),
        ("seed", trial.seed.into()),
        ("limit", record.limit.into()),
        ("steps", record.steps.into()),
        ("parallel_time", parallel(Some(record.steps)).into()),
        ("safe", record.safe.into()),
        ("safe_parallel_time", parallel(record.safe).into()),
        ("safe_set", about.safe.clone().into()),
        ("safe_declared", about.declares_safe.into()),
        ("safe_left_after", left.into()),
        ("censored", record.censored.into()),
        ("interrupted", record.interrupted.into()),
        ("last_output_change", record.last_output_change.into()),
        ("last_output_change_parallel_time", parallel(Some(record.last_output_change)).into()),
        ("phases", record.phases.iter().map(phase).collect::<Vec<_>>().into()),
        ("faults", record.faults.iter().map(fault).collect::<Vec<_>>().into()),
        ("leaders", session.leaders().into()),
        ("final_hash", final_hash.into()),
        ("command", command.into()),
    ])
}
