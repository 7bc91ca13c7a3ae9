//! What a page is told: a run, a frame of it, its history, and the rows of its space-time diagram.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use ringleader::blueprint::{About, Named};
use ringleader::error::Error as Refusal;
use ringleader::instance::{Described, VariableAbout};
use ringleader::params::Parameter;
use ringleader::protocol::draw;
use ringleader::session::{Session, Step};
use ringleader::trial::Initial;
use ringleader::value::{Text, Value};
use ringleader::variables::Domain;
use ringleader_notation::eval::Fault;
use ringleader_records::error::Error;
use ringleader_records::json;

use crate::MAX_N;
use crate::library::{Library, is_file};
use crate::listing::{self, Listing, MAX_TEXT};
use crate::run::{Found, Run, Sample};
use crate::turn::Turn;

/// The most values of one space-time diagram.
const MAX_CELLS: usize = 1 << 21;

/// The protocols and their choices.
pub(crate) fn protocols(library: &Library) -> Value {
    let protocols = library.catalogue.0.iter().map(|protocol| {
        let mut fields = about(protocol.about());
        fields.push(("starts", list(&protocol.starts(), named)));
        Value::map(fields)
    });
    Value::map([
        ("version", env!("CARGO_PKG_VERSION").into()),
        ("limits", Value::map([("n", MAX_N.into()), ("text", MAX_TEXT.into())])),
        ("protocols", protocols.collect::<Vec<_>>().into()),
    ])
}

fn list<T>(items: &[T], value: impl FnMut(&T) -> Value) -> Value {
    items.iter().map(value).collect::<Vec<_>>().into()
}

fn named(named: &Named) -> Value {
    Value::map([("name", named.name.clone().into()), ("about", named.about.clone().into())])
}

fn about(about: &About) -> Vec<(&'static str, Value)> {
    let text = |text: &Text| text.clone().into();
    let parameter = |parameter: &Parameter| {
        let (name, help) = (text(&parameter.name), text(&parameter.help));
        Value::map([("name", name), ("help", help), ("flag", parameter.flag.into())])
    };
    vec![
        ("name", text(&about.name)),
        ("case", text(&about.case)),
        ("summary", text(&about.summary)),
        ("ring", about.ring.name().into()),
        ("assumption", text(&about.assumption)),
        ("bound", text(&about.bound)),
        ("origin", about.origin.name().into()),
        ("elects", about.elects.into()),
        ("safe", text(&about.safe)),
        ("parameters", list(&about.parameters, parameter)),
        ("file", is_file(&about.name).into()),
    ]
}

/// A run, before anything has happened.
pub(crate) fn describe(id: &str, run: &Run) -> Value {
    let (described, trial) = (run.first.described(), &run.trial);
    let start = match &trial.from {
        Some(Initial::Named(name)) => Some(name.as_str()),
        Some(Initial::Given(_)) => None,
        None => described.starts.first().map(|start| &*start.name),
    };
    let variable = |variable: &VariableAbout| {
        let mut fields = vec![("name", variable.name.clone().into()), ("input", variable.input.into())];
        fields.extend(domain_fields(&variable.domain));
        Value::map(fields)
    };
    let settings = described.settings.iter().map(|(name, value)| (name.clone(), Value::from(*value)));
    let mut fields = about(&described.about);
    fields.extend([
        ("id", id.into()),
        ("protocol", described.about.name.clone().into()),
        ("n", trial.n.into()),
        ("settings", Value::map(settings)),
        ("scheduler", trial.scheduler.name().into()),
        ("seed", trial.seed.to_string().into()),
        ("start", start.into()),
        ("states", described.states.to_string().into()),
        ("starts", list(&described.starts, named)),
        ("listing", run.listing.as_ref().map(Listing::value).into()),
        ("variables", list(&described.variables, variable)),
        ("phases", list(&described.phases, named)),
        ("gauges", list(&run.first.gauges(), |(name, _)| name.clone().into())),
        ("events", list(&described.events, named)),
        ("recorded", run.recorded.into()),
    ]);
    Value::map(fields)
}

fn domain_fields(domain: &Domain) -> Vec<(&'static str, Value)> {
    let mut fields = vec![("domain", domain.to_string().into()), ("size", domain.size().into())];
    match domain {
        Domain::Range { low, high } => {
            fields.extend([("kind", "range".into()), ("low", (*low).into()), ("high", (*high).into())]);
        }
        Domain::Names(names) => fields.extend([("kind", "names".into()), ("names", names.clone().into())]),
        Domain::Ranges(ranges) => {
            let range = |(low, high): &(i64, i64)| vec![Value::from(*low), Value::from(*high)].into();
            fields.extend([("kind", "ranges".into()), ("ranges", list(ranges, range))]);
        }
        Domain::Maybe(parts) => match token(domain) {
            Some(psi) => fields.extend([("kind", "token".into()), ("psi", psi.into())]),
            None => {
                let part = |part: &Domain| Value::map(domain_fields(part));
                fields.extend([("kind", "maybe".into()), ("parts", list(parts, part))]);
            }
        },
        Domain::Token { psi } => fields.extend([("kind", "token".into()), ("psi", (*psi).into())]),
        Domain::Bits { most } => fields.extend([("kind", "bits".into()), ("most", (*most).into())]),
        Domain::Parts(parts) => {
            let part = |(name, domain): &(Text, Domain)| {
                let named = [("name", name.clone().into())];
                Value::map(named.into_iter().chain(domain_fields(domain)))
            };
            fields.extend([("kind", "parts".into()), ("parts", list(parts, part))]);
        }
    }
    fields
}

/// The greatest position, if this is the domain of a token in other words: it is drawn as one.
fn token(domain: &Domain) -> Option<i64> {
    match domain {
        Domain::Maybe(parts) => match parts.as_slice() {
            [Domain::Ranges(ranges), Domain::BIT, Domain::BIT] => match ranges.as_slice() {
                [(low, -1), (1, psi)] if *low == 1 - psi => Some(*psi),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// The configuration at the cursor of a run, and how it came there.
pub(crate) fn frame(run: &mut Run, found: &Found, hash: bool) -> Value {
    let end = run.end();
    let Sample { gauges, phases, safe } = run.sample();
    let session = run.cursor.session.as_ref();
    let described = session.described();
    let lines = run.listing.as_ref().zip(run.last.as_ref()).map(|(listing, (step, _))| {
        let mut lines = listing.lines(step);
        lines.sort_unstable();
        lines.dedup();
        lines
    });
    let here = |fault: &Option<(u64, Fault)>| {
        fault.as_ref().filter(|(step, _)| *step == run.cursor.at).map(|(_, fault)| listing::fault(fault))
    };
    let phases = described.phases.iter().zip(phases).map(|(phase, holds)| (phase.name.clone(), holds.into()));
    let columns = described.variables.iter().enumerate().map(|(k, one)| (one.name.clone(), session.column(k).into()));
    let segments = session.segments().into_iter().map(|s| {
        Value::map([
            ("start", s.start.into()),
            ("length", s.length.into()),
            ("label", s.label.into()),
            ("dark", s.dark.into()),
        ])
    });
    let mut fields = vec![
        ("step", run.cursor.at.into()),
        ("behind", found.behind.into()),
        ("never", found.never.into()),
        ("event", found.event.as_ref().map(|name| event(described, name)).into()),
        ("end", end.into()),
        ("last", run.last.as_ref().map(|(step, by)| interaction(described, step, by)).into()),
        ("lines", lines.into()),
        ("broken", here(&run.broken).into()),
        ("blind", here(&run.blind).into()),
        ("columns", Value::map(columns)),
        ("leaders", session.leaders().into()),
        ("gauges", Value::map(gauges.into_iter().map(|(name, count)| (name, count.into())))),
        ("phases", Value::map(phases)),
        ("safe", safe.into()),
        ("segments", segments.collect::<Vec<_>>().into()),
        ("furthest", run.furthest.into()),
    ];
    if hash {
        fields.push(("hash", json::hash(session).into()));
    }
    Value::map(fields)
}

fn event(described: &Described, name: &Text) -> Value {
    let (name, kind) = match name {
        safe if *safe == described.safe_phase => (&described.about.safe, "safe"),
        phase if described.phases.iter().any(|one| one.name == *phase) => (phase, "phase"),
        event => (event, "event"),
    };
    Value::map([("name", name.clone().into()), ("kind", kind.into())])
}

fn interaction(described: &Described, step: &Step, by: &str) -> Value {
    Value::map([
        ("initiator", step.interaction.initiator.into()),
        ("responder", step.interaction.responder.into()),
        ("by", by.into()),
        ("draw", step.coin.map(|coin| draw(coin, &described.dice)).into()),
        ("before", step.before.to_vec().into()),
        ("events", step.events.clone().into()),
    ])
}

/// How often the lines of its text were executed up to a step: pairs of a line and a number.
pub(crate) fn counts(run: &mut Run, step: u64, turn: &mut Turn) -> Result<Value, Error> {
    let (at, counts) = run.count(step, turn)?;
    let pairs = (0_u32..).zip(&counts).filter(|(_, count)| **count > 0);
    let pairs = pairs.map(|(line, count)| vec![Value::from(line), Value::from(*count)].into());
    Ok(Value::map([("step", at.into()), ("counts", pairs.collect::<Vec<Value>>().into())]))
}

/// The samples of a run.
pub(crate) fn history(run: &Run) -> Value {
    let samples = &run.samples.items;
    let series = |value: &dyn Fn(&Sample) -> Value| list(samples, |(_, sample)| value(sample));
    let gauges = run.first.gauges().into_iter().enumerate();
    let gauges =
        gauges.map(|(k, (name, _))| (name, series(&|sample| sample.gauges.get(k).map(|gauge| gauge.1).into())));
    let phases = run.first.described().phases.iter().enumerate();
    let phases = phases.map(|(k, phase)| (phase.name.clone(), series(&|sample| u8::from(sample.phases[k]).into())));
    Value::map([
        ("stride", run.samples.stride.into()),
        ("steps", list(samples, |(at, _)| (*at).into())),
        ("gauges", Value::map(gauges)),
        ("phases", Value::map(phases)),
        ("safe", series(&|sample| u8::from(sample.safe).into())),
    ])
}

/// The rows of a space-time diagram of one variable.
pub(crate) fn spacetime(
    run: &Run,
    variable: &str,
    span: (u64, u64),
    rows: u64,
    turn: &mut Turn,
) -> Result<Value, Error> {
    let variables = &run.first.described().variables;
    let Some(k) = variables.iter().position(|one| one.name == variable) else {
        let names: Vec<&str> = variables.iter().map(|one| &*one.name).collect();
        return Err(Refusal::new("variable", variable, format!("the protocol has {}", names.join(", "))).into());
    };
    let (n, domain) = (run.trial.n, &variables[k].domain);
    let rows = rows.clamp(1, (MAX_CELLS / n) as u64);
    let _room = run.lend(2 * n * rows as usize)?;
    let number = |value: &Value| domain.index(value).map_or(0, |k| k.min(u64::from(u16::MAX)) as u16);
    let look = |session: &dyn Session| session.column(k).iter().map(number).collect::<Vec<u16>>();
    let seen = run.rows(span, rows, turn, look)?;
    let bytes: Vec<u8> = seen.iter().flat_map(|(_, row)| row.iter().flat_map(|value| value.to_le_bytes())).collect();
    Ok(Value::map([
        ("variable", variable.into()),
        ("size", domain.size().into()),
        ("n", n.into()),
        ("steps", list(&seen, |(at, _)| (*at).into())),
        ("values", BASE64_STANDARD.encode(&bytes).into()),
    ]))
}
