//! What a page is told: a run, a frame of it, its history, and the rows of its space-time diagram.

use std::time::Instant;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use ringleader::lab::{PROTOCOLS, Population, protocol};
use ringleader::protocol::{About, draw};
use ringleader::trial::Initial;
use ringleader::value::Value;
use ringleader::variables::Domain;

use super::MAX_N;
use super::run::{Found, Last, Run, Sample};
use crate::json;
use crate::stop::Stop;

/// The most values of one space-time diagram.
const MAX_CELLS: usize = 1 << 21;

/// The protocols and their choices.
pub(crate) fn protocols() -> Value {
    let protocols = PROTOCOLS.iter().map(|entry| {
        let starts = entry.starts().into_iter();
        let starts = starts.map(|(name, about)| Value::map([("name", name.into()), ("about", about.into())]));
        let mut fields = about(entry.about);
        fields.push(("starts", starts.collect::<Vec<_>>().into()));
        Value::map(fields)
    });
    Value::map([
        ("version", env!("CARGO_PKG_VERSION").into()),
        ("limits", Value::map([("n", MAX_N.into())])),
        ("protocols", protocols.collect::<Vec<_>>().into()),
    ])
}

fn about(about: &About) -> Vec<(&'static str, Value)> {
    let parameter = |parameter: &ringleader::protocol::Parameter| {
        let (name, help) = (parameter.name.into(), parameter.help.into());
        Value::map([("name", name), ("help", help), ("flag", parameter.flag.into())])
    };
    vec![
        ("name", about.name.into()),
        ("case", about.case.into()),
        ("summary", about.summary.into()),
        ("ring", about.ring.name().into()),
        ("assumption", about.assumption.into()),
        ("bound", about.bound.into()),
        ("origin", about.origin.name().into()),
        ("elects", about.elects.into()),
        ("safe", about.safe.into()),
        ("parameters", about.parameters.iter().map(parameter).collect::<Vec<_>>().into()),
    ]
}

/// A run, before anything has happened.
pub(crate) fn describe(id: &str, run: &Run) -> Value {
    let (population, trial) = (run.first.as_ref(), &run.trial);
    let default = protocol(&trial.protocol).ok().and_then(|entry| entry.starts().first().map(|(name, _)| *name));
    let start = match &trial.from {
        Some(Initial::Named(name)) => Some(name.as_str()),
        Some(Initial::Given(_)) => None,
        None => default,
    };
    let named = |(name, about): (&str, &str)| Value::map([("name", name.into()), ("about", about.into())]);
    let phases = population.phases().into_iter().map(|(name, about, _)| named((name, about)));
    let variable = |(name, domain, input): (&str, Domain, bool)| {
        let mut fields = vec![("name", name.into()), ("input", input.into())];
        fields.extend(domain_fields(&domain));
        Value::map(fields)
    };
    let mut fields = about(population.about());
    fields.extend([
        ("id", id.into()),
        ("protocol", population.about().name.into()),
        ("n", trial.n.into()),
        ("settings", Value::map(population.settings())),
        ("scheduler", trial.scheduler.name().into()),
        ("seed", trial.seed.to_string().into()),
        ("start", start.into()),
        ("states", population.states().to_string().into()),
        ("variables", population.variables().into_iter().map(variable).collect::<Vec<_>>().into()),
        ("phases", phases.collect::<Vec<_>>().into()),
        ("gauges", population.gauges().into_iter().map(|(name, _)| name).collect::<Vec<_>>().into()),
        ("events", population.events().into_iter().map(named).collect::<Vec<_>>().into()),
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
        Domain::Names(names) => fields.extend([("kind", "names".into()), ("names", names.to_vec().into())]),
        Domain::Token { psi } => fields.extend([("kind", "token".into()), ("psi", (*psi).into())]),
        Domain::Bits { most } => fields.extend([("kind", "bits".into()), ("most", (*most).into())]),
        Domain::Parts(parts) => {
            let part = |(name, domain): &(&str, Domain)| {
                let named = [("name", Value::from(*name))];
                Value::map(named.into_iter().chain(domain_fields(domain)))
            };
            let parts: Vec<Value> = parts.iter().map(part).collect();
            fields.extend([("kind", "parts".into()), ("parts", parts.into())]);
        }
    }
    fields
}

/// The configuration at the cursor of a run, and how it came there.
pub(crate) fn frame(run: &Run, found: &Found, hash: bool) -> Value {
    let population = run.cursor.population.as_ref();
    let Sample { gauges, phases, safe } = Sample::of(population);
    let names = population.variables();
    let columns = names.iter().enumerate().map(|(k, (name, ..))| (*name, population.column(k).into()));
    let segments = population.segments().into_iter().map(|s| {
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
        ("event", found.event.map(|name| event(population, name)).into()),
        ("end", run.end().into()),
        ("last", run.last.as_ref().map(|last| interaction(population, last)).into()),
        ("columns", Value::map(columns)),
        ("leaders", population.leaders().into()),
        ("gauges", Value::map(gauges.into_iter().map(|(name, count)| (name, count.into())))),
        ("phases", Value::map(phases.into_iter().map(|(name, holds)| (name, holds.into())))),
        ("safe", safe.into()),
        ("segments", segments.collect::<Vec<_>>().into()),
        ("furthest", run.furthest.into()),
    ];
    if hash {
        fields.push(("hash", json::hash(population).into()));
    }
    Value::map(fields)
}

fn event(population: &dyn Population, name: &str) -> Value {
    let is_phase = population.phases().iter().any(|(phase, ..)| *phase == name);
    let kind = match name {
        _ if is_phase => "phase",
        safe if safe == population.about().safe => "safe",
        _ => "event",
    };
    Value::map([("name", name.into()), ("kind", kind.into())])
}

fn interaction(population: &dyn Population, last: &Last) -> Value {
    let dice = population.dice();
    let [initiator, responder] = last.before.clone();
    Value::map([
        ("initiator", last.interaction.initiator.into()),
        ("responder", last.interaction.responder.into()),
        ("by", last.by.into()),
        ("draw", last.coin.map(|coin| draw(coin, &dice)).into()),
        ("before", vec![initiator, responder].into()),
        ("events", last.events.clone().into()),
    ])
}

/// The samples of a run.
pub(crate) fn history(run: &Run) -> Value {
    let samples = &run.samples.items;
    let series = |names: Vec<&'static str>, value: &dyn Fn(&Sample, usize) -> Value| {
        let one = |(k, name)| (name, samples.iter().map(|(_, sample)| value(sample, k)).collect::<Vec<_>>().into());
        Value::map(names.into_iter().enumerate().map(one))
    };
    let (gauges, phases) = (run.first.gauges(), run.first.phases());
    let gauges = gauges.into_iter().map(|(name, _)| name).collect();
    let phases = phases.into_iter().map(|(name, ..)| name).collect();
    Value::map([
        ("stride", run.samples.stride.into()),
        ("steps", samples.iter().map(|(at, _)| *at).collect::<Vec<_>>().into()),
        ("gauges", series(gauges, &|sample, k| sample.gauges[k].1.into())),
        ("phases", series(phases, &|sample, k| u8::from(sample.phases[k].1).into())),
        ("safe", samples.iter().map(|(_, sample)| u8::from(sample.safe)).collect::<Vec<_>>().into()),
    ])
}

/// The rows of a space-time diagram of one variable.
pub(crate) fn spacetime(
    run: &Run,
    variable: &str,
    span: (u64, u64),
    rows: u64,
    deadline: Instant,
) -> Result<Value, Stop> {
    let variables = run.first.variables();
    let Some(k) = variables.iter().position(|(name, ..)| *name == variable) else {
        let names: Vec<&str> = variables.iter().map(|(name, ..)| *name).collect();
        let allowed = format!("the protocol has {}", names.join(", "));
        return Err(ringleader::error::Error::new("variable", variable, allowed).into());
    };
    let (n, domain) = (run.trial.n, &variables[k].1);
    let rows = rows.clamp(1, (MAX_CELLS / n) as u64);
    let number = |value: &Value| domain.index(value).map_or(0, |k| k.min(u64::from(u16::MAX)) as u16);
    let look = |population: &dyn Population| population.column(k).iter().map(number).collect::<Vec<u16>>();
    let seen = run.rows(span, rows, deadline, look)?;
    let bytes: Vec<u8> = seen.iter().flat_map(|(_, row)| row.iter().flat_map(|value| value.to_le_bytes())).collect();
    Ok(Value::map([
        ("variable", variable.into()),
        ("size", domain.size().into()),
        ("n", n.into()),
        ("steps", seen.iter().map(|(at, _)| *at).collect::<Vec<_>>().into()),
        ("values", BASE64_STANDARD.encode(&bytes).into()),
    ]))
}
