//! `ringleader run`, the main job: from an adversarial start to the exact step at which it is safe for ever.

use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};
use std::path::Path;

use ringleader::lab::{Population, populate_trial};
use ringleader::protocol::Origin;
use ringleader::trial::{Engine, Initial, Record, Scheduler, Trial};
use ringleader::value::Value;

use crate::args::RunArgs;
use crate::cmd::{picture, trace, trials};
use crate::progress::Bar;
use crate::stop::{Stop, outcome};
use crate::text::{alarm, columns, commas, faint, good, ratio, strong};
use crate::{case, files, json};

const DEFAULT_N: usize = 256;

pub(crate) fn run(args: &RunArgs) -> Result<(), Stop> {
    match args.trials {
        Some(trials) => trials::run(args, trials),
        None => run_once(args),
    }
}

fn run_once(args: &RunArgs) -> Result<(), Stop> {
    let trial = trial(args)?;
    let mut population = populate_trial(&trial)?;
    if let Some(path) = &args.trace {
        files::check_writable(path)?;
    }
    let record = watched(population.as_mut(), &trial, args.quiet)?;
    let command = command(args, &trial);
    // First what was found, then the trace: if that cannot be written, at least the seed is known.
    let printed = files::to_stdout(|out| {
        if args.json {
            json::write(&mut &mut *out, &as_json(&trial, &record, population.as_ref(), &command))?;
            return writeln!(out);
        }
        summary(out, &trial, &record, population.as_ref(), &command)
    });
    if let Some(path) = &args.trace {
        trace::write(path, &trial, &record, population.as_ref(), args.quiet)?;
    }
    let verdict = match record {
        Record { interrupted: true, .. } => Err(Stop::Interrupted(None)),
        Record { censored: true, .. } => Err(Stop::Limit),
        _ => Ok(()),
    };
    outcome(printed, verdict)
}

fn watched(population: &mut dyn Population, trial: &Trial, quiet: bool) -> Result<Record, Stop> {
    let mut bar = Bar::new(population.limit(trial), quiet);
    Ok(population.run(trial, &mut |steps, gauges| bar.show(steps, || shown(&gauges(), trial.n)))?)
}

fn shown(gauges: &[(&str, usize)], n: usize) -> String {
    let gauge = |(name, count): &(&str, usize)| match *name {
        "detecting" => format!("{count}/{n} detecting"),
        name => format!("{count} {name}"),
    };
    gauges.iter().map(gauge).collect::<Vec<_>>().join(", ")
}

/// The trial that the options describe. What they do not say may come from a start file, or is a default.
pub(super) fn trial(args: &RunArgs) -> Result<Trial, Stop> {
    let seed = args.seed.unwrap_or_else(fresh_seed);
    let n = args.n.map(|n| usize::try_from(n).unwrap_or(usize::MAX));
    let mut trial = Trial::new(args.protocol.as_deref().unwrap_or("ppl"), n.unwrap_or(DEFAULT_N), seed);
    trial.params = args.params.0.clone();
    trial.scheduler = Scheduler::named(&args.scheduler)?;
    trial.engine = Engine::named(&args.engine)?;
    trial.limit = args.limit;
    trial.faults = args.fault.clone();
    // Phases come from the stepper, so asking for another engine is asking for none.
    trial.phases = !args.no_phases && matches!(trial.engine, Engine::Auto | Engine::Stepper);
    match &args.start {
        Some(name) if is_file(name) => from_file(&mut trial, args, n, Path::new(name))?,
        Some(name) => trial.from = Some(Initial::Named(name.clone())),
        None => {}
    }
    Ok(trial)
}

/// Names of starts have neither dots nor slashes.
fn is_file(name: &str) -> bool {
    name == "-" || name.contains(['.', '/'])
}

fn from_file(trial: &mut Trial, args: &RunArgs, n: Option<usize>, path: &Path) -> Result<(), Stop> {
    let mut file = case::read(path)?;
    let about = ringleader::lab::protocol(file.protocol_under(args.protocol.as_deref()))?.about;
    let agents =
        file.initial.take().ok_or_else(|| Stop::Bad(format!("{}: no `config` or `initial`", path.display())))?;
    trial.protocol = about.name.to_owned();
    trial.n = n.unwrap_or(agents.len());
    trial.params = file.params_under(about, &trial.params);
    trial.from = Some(Initial::Given(agents));
    Ok(())
}

/// A seed that differs from run to run, short enough to be typed.
fn fresh_seed() -> u64 {
    std::collections::hash_map::RandomState::new().build_hasher().finish() >> 32
}

/// The command that repeats the trial.
pub(super) fn command(args: &RunArgs, trial: &Trial) -> String {
    let mut words = vec!["ringleader run".to_owned()];
    let mut option = |name: &str, value: String| words.push(format!("--{name} {}", quoted(&value)));
    if trial.protocol != "ppl" {
        option("protocol", trial.protocol.clone());
    }
    if trial.n != DEFAULT_N {
        option("n", trial.n.to_string());
    }
    if let Some(start) = &args.start {
        option("start", start.clone());
    }
    trial.faults.iter().for_each(|fault| option("fault", fault.to_string()));
    option("seed", trial.seed.to_string());
    option("scheduler", trial.scheduler.name().to_owned());
    if let Some(limit) = trial.limit {
        option("limit", limit.to_string());
    }
    for (name, value) in &args.params.0.0 {
        words.push(if name == "unsound" { "--unsound".into() } else { format!("--{name} {value}") });
    }
    if !trial.phases {
        words.push("--no-phases".into());
    }
    words.join(" ")
}

/// An argument as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,+:@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

pub(super) fn start_name(trial: &Trial, population: &dyn Population) -> String {
    match &trial.from {
        Some(Initial::Named(name)) => name.clone(),
        Some(Initial::Given(_)) => "given".into(),
        None => {
            let entry = ringleader::lab::protocol(population.about().name);
            entry.map_or_else(|_| String::new(), |entry| entry.starts()[0].0.to_owned())
        }
    }
}

// --- For people -----------------------------------------------------------------------------------------------

fn summary(
    out: &mut dyn Write,
    trial: &Trial,
    record: &Record,
    population: &dyn Population,
    command: &str,
) -> io::Result<()> {
    heading(out, trial, record, population)?;
    picture::draw(out, population)?;
    writeln!(out)?;
    phases(out, trial.n, population.about().safe, record)?;
    faults(out, trial.n, record)?;
    writeln!(out)?;
    verdict(out, trial, record, population)?;
    writeln!(out, "{} {command}", faint("repeat:"))
}

/// The protocol, the ring and the settings.
pub(super) fn introduce(out: &mut dyn Write, trial: &Trial, population: &dyn Population) -> io::Result<()> {
    let about = population.about();
    let mut settings = vec![format!("n = {}", commas(trial.n))];
    settings.extend(population.settings().iter().map(|(name, value)| format!("{name} = {value}")));
    writeln!(out, "{}  {}", strong(about.name), about.summary)?;
    if about.origin != Origin::Paper {
        writeln!(out, "rules: {}", about.origin.name())?;
    }
    let states = commas(population.states());
    writeln!(out, "{}", settings.join(", "))?;
    writeln!(out, "|Q| = {states} states an agent")
}

fn heading(out: &mut dyn Write, trial: &Trial, record: &Record, population: &dyn Population) -> io::Result<()> {
    introduce(out, trial, population)?;
    let (start, scheduler) = (start_name(trial, population), trial.scheduler.name());
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

fn phases(out: &mut dyn Write, n: usize, safe: &'static str, record: &Record) -> io::Result<()> {
    let header = ["phase", "step", "parallel time", "/ n^2", "/ n^2 log2 n"].map(str::to_owned).to_vec();
    let mut reached: Vec<(&str, Option<u64>)> = record.phases.iter().map(|phase| (phase.name, phase.step)).collect();
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
    let mut lines = explained.map(|phase| format!("{:>18}: {}", phase.name, phase.about));
    lines.try_for_each(|line| writeln!(out, "{}", faint(line)))
}

fn faults(out: &mut dyn Write, n: usize, record: &Record) -> io::Result<()> {
    for struck in &record.faults {
        let (fault, step) = (&struck.fault, commas(struck.step));
        let parallel = ratio(struck.step as f64 / n as f64);
        writeln!(
            out,
            "\nfault {fault}\n  struck {} agents at step {step} (parallel time {parallel})",
            struck.agents.len()
        )?;
        match struck.safe {
            Some(safe) => {
                let recovery = safe - struck.step;
                let parallel = ratio(recovery as f64 / n as f64);
                writeln!(
                    out,
                    "  safe again at step {}, {} steps later (parallel time {parallel})",
                    commas(safe),
                    commas(recovery)
                )?;
            }
            None => writeln!(out, "  not safe again before the next fault or the end")?,
        }
    }
    Ok(())
}

fn verdict(out: &mut dyn Write, trial: &Trial, record: &Record, population: &dyn Population) -> io::Result<()> {
    let about = population.about();
    let (steps, parallel) = (commas(record.steps), ratio(record.steps as f64 / trial.n as f64));
    if record.interrupted {
        return writeln!(out, "{} after {steps} steps (parallel time {parallel})", alarm("interrupted"));
    }
    if record.censored {
        writeln!(out, "{} within {steps} steps (parallel time {parallel}): the limit came first", alarm("not safe"))?;
        return writeln!(out, "a larger --limit with the same seed continues the same execution");
    }
    writeln!(out, "{} from step {steps} on (parallel time {parallel})", good("safe for ever"))?;
    if let [leader] = population.leaders().as_slice() {
        writeln!(out, "u_{leader} stays the leader")?;
    }
    writeln!(out, "{}", faint(format!("the safe set is {}; it is closed, and its first step is exact", about.safe)))
}

// --- For machines ---------------------------------------------------------------------------------------------

fn as_json(trial: &Trial, record: &Record, population: &dyn Population, command: &str) -> Value {
    let n = trial.n as f64;
    let parallel = |step: Option<u64>| step.map(|step| step as f64 / n);
    let phase = |phase: &ringleader::engine::tracker::Reached| {
        Value::map([
            ("name", phase.name.into()),
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
            ("safe", struck.safe.into()),
            ("recovery", struck.safe.map(|safe| safe - struck.step).into()),
            ("recovery_parallel_time", parallel(struck.safe.map(|safe| safe - struck.step)).into()),
        ])
    };
    Value::map([
        ("protocol", population.about().name.into()),
        ("rules", population.about().origin.name().into()),
        ("n", trial.n.into()),
        ("settings", Value::map(population.settings())),
        ("states", Value::Digits(population.states().to_string())),
        ("start", start_name(trial, population).into()),
        ("scheduler", trial.scheduler.name().into()),
        ("seed", trial.seed.into()),
        ("limit", record.limit.into()),
        ("steps", record.steps.into()),
        ("parallel_time", parallel(Some(record.steps)).into()),
        ("safe", record.safe.into()),
        ("safe_parallel_time", parallel(record.safe).into()),
        ("safe_set", population.about().safe.into()),
        ("censored", record.censored.into()),
        ("interrupted", record.interrupted.into()),
        ("last_output_change", record.last_output_change.into()),
        ("last_output_change_parallel_time", parallel(Some(record.last_output_change)).into()),
        ("phases", record.phases.iter().map(phase).collect::<Vec<_>>().into()),
        ("faults", record.faults.iter().map(fault).collect::<Vec<_>>().into()),
        ("leaders", population.leaders().into()),
        ("final_hash", json::hash(population).into()),
        ("command", command.into()),
    ])
}
