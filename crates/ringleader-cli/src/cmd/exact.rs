//! `ringleader exact`: expected hitting times from the Markov chain of all reachable configurations.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;

use ringleader::observer::{Observer, Progress};
use ringleader::params::Params;
use ringleader::stats::Observed;
use ringleader::trial::{Initial, Trial};
use ringleader::value::Value;
use ringleader_catalogue::{Entries, Entry};
use ringleader_records::{case, files, json};
use ringleader_verify::exact::NoChain;
use ringleader_verify::exact::ask::{Begin, Export, Found, Question, Until};

use crate::args::ExactArgs;
use crate::progress::{Bar, locked};
use crate::shapes::{observed, settings};
use crate::stdout::print;
use crate::stop::{Stop, sound};
use crate::text::{alarm, commas, faint, ratio, strong};

/// Shows how far a chain has come.
struct Watch(Mutex<Bar>);

impl Observer for Watch {
    fn progress(&self, progress: Progress<'_>) -> ControlFlow<()> {
        let names = || (progress.gauges)().into_iter().map(|(name, _)| name.into_owned());
        locked(&self.0).show(progress.steps, || names().collect())
    }
}

/// The most configurations, unless told otherwise.
const MOST: usize = 20_000_000;
/// The most where the ring has more than 2^64 configurations: if a start reaches so many of them, it nearly always reaches far too many.
const MOST_OF_MANY: usize = 500_000;

pub(crate) fn exact(args: &ExactArgs, entries: &Entries) -> Result<(), Stop> {
    let (entry, given) = (entries.find(args.protocol.name()?)?, given(args, entries)?);
    let asked = Asked::new(args, given);
    let most = args.most.map_or_else(|| default_most(args, entry, &asked), Ok)?;
    let question = Question {
        start: match (&asked.config, args.start.as_deref()) {
            (Some(config), Some(name)) => Begin::Given(name, config),
            (None, Some(name)) => Begin::Named(name),
            (_, None) => Begin::First,
        },
        seed: args.seed,
        until: match args.until.as_str() {
            "safe" => Until::Safe,
            "largest" => Until::Largest,
            "at-most-one-leader" => Until::AtMostOneLeader,
            "first-leader" => Until::FirstLeader,
            phase => Until::Phase(phase),
        },
        rotate: !args.no_rotation,
        rename: !args.no_renaming,
        most,
        quantiles: args.quantiles.unwrap_or(0),
    };
    let (format, path) = match (&args.prism, &args.drn) {
        (Some(path), _) => (Export::Prism, Some(path)),
        (None, path) => (Export::Drn, path.as_ref()),
    };
    let mut model = path.map(|_| Vec::new());
    let out = model.as_mut().map(|model| (format, model as &mut dyn Write));
    let watch = Watch(Mutex::new(Bar::at_most(most as u64, args.quiet)));
    let found = entry.exact(asked.n, &asked.params, &question, out, &watch);
    let found = found.map_err(|none| refused(most, entry, none))?;
    drop(watch);
    sound(&**entry)?;
    let Some(found) = found else { return Err(Stop::Interrupted(Some("nothing was solved yet".into()))) };
    if let (Some(path), Some(model)) = (path, model) {
        files::write(path, |out| out.write_all(&model))?;
    }
    print(args.json, "exact", || as_json(args, &asked, &found), |out| show(out, args, &asked, &found))
}

/// The ring, the parameters, and the configuration to begin with if a file has it.
struct Asked {
    n: usize,
    params: Params,
    config: Option<Initial>,
}

impl Asked {
    fn new(args: &ExactArgs, given: Option<Trial>) -> Self {
        match given {
            Some(Trial { n, params, from, .. }) => Self { n, params, config: from },
            None => {
                let n = args.n.map_or(3, |n| usize::try_from(n).unwrap_or(usize::MAX));
                Self { n, params: args.params.0.clone(), config: None }
            }
        }
    }
}

/// The configuration of a file, if the start is one: as `inspect` reads it.
fn given(args: &ExactArgs, entries: &Entries) -> Result<Option<Trial>, Stop> {
    let Some(path) = args.start.as_ref().filter(|start| start.ends_with(".json")) else { return Ok(None) };
    let (mut case, protocol) = (case::read(Path::new(path))?, Some(args.protocol.name()?));
    let trial = case.trial(&entries.catalogue(), protocol, &args.params.0)?;
    match args.n {
        Some(n) if usize::try_from(n).ok() != Some(trial.n) => {
            Err(Stop::Bad(format!("--n {n}: the configuration of {path} has {} agents", trial.n)))
        }
        _ => Ok(Some(trial)),
    }
}

/// How many configurations a chain may have by default. From a start that is named, nobody knows how many can be reached before they
/// are counted; so where there are very many, it is found out soon.
fn default_most(args: &ExactArgs, entry: &Entry, Asked { n, params, .. }: &Asked) -> Result<usize, Stop> {
    let states = entry.describe_smallest(*n, params)?.states;
    let few = states.checked_pow(*n as u32).is_some_and(|all| all <= 1 << 64);
    Ok(if few || args.start.as_deref() == Some("every") { MOST } else { MOST_OF_MANY })
}

/// What is too large is not wrong, and smaller parameters may help.
fn refused(most: usize, entry: &Entry, none: NoChain) -> Stop {
    let message = match none {
        NoChain::Wrong(error) => return error.into(),
        NoChain::TooLarge(message) => message,
    };
    let psi = entry.about().parameters.iter().any(|known| known.name == "psi");
    let smaller = if psi { "; the smallest parameters are --psi 2 --kappa 1, at n = 3" } else { "" };
    let others = "more may fit with --most, less is reached with --start NAME or FILE, or until a phase (--until), and `run --trials` samples";
    Stop::TooLarge(format!("{message}: too large, --most allows {}{smaller}; {others}", commas(most)))
}

fn show(out: &mut dyn Write, args: &ExactArgs, asked: &Asked, found: &Found) -> io::Result<()> {
    let settings: String = found.settings.iter().map(|(name, value)| format!(", {name} = {value}")).collect();
    let (protocol, n) = (args.protocol.given().unwrap_or_default(), asked.n);
    writeln!(out, "{protocol}, n = {n}{settings}, start {}, until {}", found.start, found.until)?;
    let turned = match (!args.no_rotation, found.renamed) {
        (true, true) => " up to rotation and the names of colours",
        (true, false) => " up to rotation",
        (false, true) => " up to the names of colours",
        (false, false) => "",
    };
    writeln!(out, "{} configurations{turned}, {} moves", commas(found.configurations), commas(found.moves))?;
    if let ("largest", (members, Some(declared))) = (args.until.as_str(), found.target) {
        let (members, declared) = (commas(members), commas(declared));
        writeln!(out, "{members} of them are in the target, {declared} of these in the declared safe set")?;
    }
    let [starts, lost] = found.starts;
    if lost > 0 {
        let share =
            format!("from {} of {} starts the target is not reached with certainty", commas(lost), commas(starts));
        writeln!(out, "{}: {share}, and the expectation is infinite", alarm("infinite"))?;
    }
    if let Some((steps, config)) = &found.worst {
        let name = if starts == 1 { "expected steps" } else { "worst start" };
        let exactly = found.fraction.as_ref().map_or(String::new(), |fraction| format!(" = {fraction}"));
        writeln!(out, "{}  {}{exactly}", strong(format!("{name:14}")), precise(*steps))?;
        if starts > 1 {
            writeln!(
                out,
                "{}  {} over {} starts",
                strong("mean          "),
                precise(found.finite_mean),
                commas(starts - lost)
            )?;
            write!(out, "from ")?;
            json::write_line(out, &Value::List(config.clone()))?;
        }
    }
    for (percent, steps) in &found.quantiles {
        writeln!(out, "{percent:>3} % by step  {}", steps.map_or("(beyond the limit)".into(), commas))?;
    }
    let bound = format!("relative error at most {:.1e}, by the residual; {} rounds", found.error, commas(found.rounds));
    writeln!(out, "{}", faint(bound))
}

/// Ten digits, which is less than the bound on the error allows.
fn precise(steps: f64) -> String {
    if steps >= 1e6 { ratio(steps) } else { format!("{steps:.8}") }
}

/// Infinity is null.
fn as_json(args: &ExactArgs, asked: &Asked, found: &Found) -> Value {
    let real = |value: f64| -> Value { value.is_finite().then_some(value).map_or(Value::Null, Value::from) };
    let n = asked.n;
    // Beyond the limit nothing is known.
    let quantile = |(percent, steps): &(u32, Option<u64>)| {
        let value = steps.map(|steps| observed(Observed::exactly(steps), n));
        Value::map([("percent", Value::from(*percent)), ("value", value.into()), ("interval", Value::Null)])
    };
    Value::map([
        ("protocol", args.protocol.given().unwrap_or_default().into()),
        ("n", n.into()),
        ("settings", settings(&found.settings)),
        ("start", found.start.as_str().into()),
        ("until", found.until.clone().into()),
        ("renamed", found.renamed.into()),
        ("configurations", found.configurations.into()),
        ("moves", found.moves.into()),
        ("target", found.target.0.into()),
        ("declared", found.target.1.into()),
        ("starts", found.starts[0].into()),
        ("infinite", found.starts[1].into()),
        ("mean", real(found.mean)),
        ("finite_mean", real(found.finite_mean)),
        ("worst", found.worst.as_ref().map_or(Value::Null, |(steps, _)| real(*steps))),
        ("worst_fraction", found.fraction.as_ref().map(ToString::to_string).map_or(Value::Null, Value::from)),
        ("worst_start", found.worst.as_ref().map_or(Value::Null, |(_, config)| config.clone().into())),
        ("relative_error", found.error.into()),
        ("quantiles", found.quantiles.iter().map(quantile).collect::<Vec<_>>().into()),
    ])
}
