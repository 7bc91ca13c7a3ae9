//! What `run` and `run --trials` share: the trial that the options describe, and the command that repeats it.

use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};
use std::path::Path;

use ringleader::blueprint::Origin;
use ringleader::catalogue::Catalogue;
use ringleader::instance::Described;
use ringleader::trial::{Engine, Initial, Scheduler, Trial};
use ringleader_catalogue::Entry;
use ringleader_records::case;

use crate::args::RunArgs;
use crate::stop::Stop;
use crate::text::{alarm, commas, quoted, strong};

const DEFAULT_N: usize = 256;

/// The trial that the options describe. What they do not say may come from a start file, or is a default.
pub(super) fn trial(args: &RunArgs, protocols: &Catalogue) -> Result<(Trial, Engine), Stop> {
    let seed = args.seed.unwrap_or_else(fresh_seed);
    let n = args.n.map(|n| usize::try_from(n).unwrap_or(usize::MAX));
    let mut trial = Trial::new(args.protocol.given().unwrap_or("ppl"), n.unwrap_or(DEFAULT_N), seed);
    trial.params = args.params.0.clone();
    trial.scheduler = Scheduler::named(&args.scheduler)?;
    let engine = Engine::named(&args.engine)?;
    trial.limit = args.limit;
    trial.faults = args.fault.clone();
    trial.phases = !args.no_phases;
    match &args.start {
        Some(name) if is_file(name) => from_file(&mut trial, args, n, Path::new(name), protocols)?,
        Some(name) => trial.from = Some(Initial::Named(name.clone())),
        None => {}
    }
    Ok((trial, engine))
}

/// Tells, if so many trials run slower than they might, why they do: a system may refuse what machine code needs.
pub(super) fn tell_if_slowed(entry: &Entry, trial: &Trial, trials: usize, engine: Engine, quiet: bool) {
    if let (Some(why), false) = (entry.slowed(trial, trials, engine), quiet) {
        let told =
            format!("{}: the interpreter runs, which is slower and gives the same records: {why}", trial.protocol);
        let _ = writeln!(anstream::stderr(), "{}: {told}", alarm("note"));
    }
}

/// Names of starts have neither dots nor slashes.
pub(super) fn is_file(name: &str) -> bool {
    name == "-" || name.contains(['.', '/'])
}

fn from_file(
    trial: &mut Trial,
    args: &RunArgs,
    n: Option<usize>,
    path: &Path,
    protocols: &Catalogue,
) -> Result<(), Stop> {
    let mut file = case::read(path)?;
    let about = protocols.find(file.protocol_under(args.protocol.given()))?.about();
    let agents =
        file.initial.take().ok_or_else(|| Stop::Bad(format!("{}: no `config` or `initial`", path.display())))?;
    trial.protocol = about.name.clone().into_owned();
    trial.n = n.unwrap_or(agents.len());
    trial.params = file.params_under(about, &trial.params)?;
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
    let phases = if trial.phases { "" } else { " --no-phases" };
    words.join(" ") + &args.params.words() + phases
}

pub(super) fn start_name(trial: &Trial, described: &Described) -> String {
    match &trial.from {
        Some(Initial::Named(name)) => name.clone(),
        Some(Initial::Given(_)) => "given".into(),
        None => described.starts[0].name.clone().into_owned(),
    }
}

/// The protocol, the ring and the settings.
pub(super) fn introduce(out: &mut dyn Write, described: &Described) -> io::Result<()> {
    let about = &described.about;
    let mut settings = vec![format!("n = {}", commas(described.ring.n()))];
    settings.extend(described.settings.iter().map(|(name, value)| format!("{name} = {value}")));
    writeln!(out, "{}  {}", strong(&about.name), about.summary)?;
    if about.origin != Origin::Paper {
        writeln!(out, "rules: {}", about.origin.name())?;
    }
    let states = commas(described.states);
    writeln!(out, "{}", settings.join(", "))?;
    writeln!(out, "|Q| = {states} states an agent")
}
