//! `ringleader exact`: expected hitting times from the Markov chain of all reachable configurations.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Mutex;

use ringleader::observer::{Observer, Progress};
use ringleader::stats::Observed;
use ringleader::value::Value;
use ringleader_catalogue::{Entries, Entry};
use ringleader_records::{files, json};
use ringleader_verify::exact::NoChain;
use ringleader_verify::exact::ask::{Found, Question, Until};

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
    let (entry, n) = (entries.find(args.protocol.name()?)?, usize::try_from(args.n).unwrap_or(usize::MAX));
    let most = args.most.map_or_else(|| default_most(args, entry, n), Ok)?;
    let question = Question {
        start: args.start.as_deref(),
        seed: args.seed,
        until: match args.until.as_str() {
            "safe" => Until::Safe,
            "largest" => Until::Largest,
            _ => Until::AtMostOneLeader,
        },
        rotate: !args.no_rotation,
        most,
        quantiles: args.quantiles.unwrap_or(0),
    };
    let mut model = args.prism.as_ref().map(|_| Vec::new());
    let prism = model.as_mut().map(|model| model as &mut dyn Write);
    let watch = Watch(Mutex::new(Bar::at_most(most as u64, args.quiet)));
    let found = entry.exact(n, &args.params.0, &question, prism, &watch).map_err(|none| refused(most, entry, none))?;
    drop(watch);
    sound(&**entry)?;
    let Some(found) = found else { return Err(Stop::Interrupted(Some("nothing was solved yet".into()))) };
    if let (Some(path), Some(model)) = (&args.prism, model) {
        files::write(path, |out| out.write_all(&model))?;
    }
    print(args.json, "exact", || as_json(args, &found), |out| show(out, args, &found))
}

/// How many configurations a chain may have by default. From a start that is named, nobody knows how many can be reached before they
/// are counted; so where there are very many, it is found out soon.
fn default_most(args: &ExactArgs, entry: &Entry, n: usize) -> Result<usize, Stop> {
    let states = entry.describe_smallest(n, &args.params.0)?.states;
    let few = states.checked_pow(n as u32).is_some_and(|all| all <= 1 << 64);
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
    Stop::TooLarge(format!("{message}: too large, --most allows {}{smaller}", commas(most)))
}

fn show(out: &mut dyn Write, args: &ExactArgs, found: &Found) -> io::Result<()> {
    let settings: String = found.settings.iter().map(|(name, value)| format!(", {name} = {value}")).collect();
    let (protocol, n) = (args.protocol.given().unwrap_or_default(), args.n);
    writeln!(out, "{protocol}, n = {n}{settings}, start {}, until {}", found.start, found.until)?;
    let turned = if args.no_rotation { "" } else { " up to rotation" };
    writeln!(out, "{} configurations{turned}, {} moves", commas(found.configurations), commas(found.moves))?;
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
fn as_json(args: &ExactArgs, found: &Found) -> Value {
    let real = |value: f64| -> Value { value.is_finite().then_some(value).map_or(Value::Null, Value::from) };
    let n = usize::try_from(args.n).unwrap_or(usize::MAX);
    // Beyond the limit nothing is known.
    let quantile = |(percent, steps): &(u32, Option<u64>)| {
        let value = steps.map(|steps| observed(Observed::exactly(steps), n));
        Value::map([("percent", Value::from(*percent)), ("value", value.into()), ("interval", Value::Null)])
    };
    Value::map([
        ("protocol", args.protocol.given().unwrap_or_default().into()),
        ("n", args.n.into()),
        ("settings", settings(&found.settings)),
        ("start", found.start.as_str().into()),
        ("until", found.until.clone().into()),
        ("configurations", found.configurations.into()),
        ("moves", found.moves.into()),
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
