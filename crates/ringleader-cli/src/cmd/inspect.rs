//! `ringleader inspect`: which sets of the paper a configuration is in.

use std::io::{self, Write};

use ringleader::session::Session;
use ringleader::value::Value;
use ringleader_catalogue::Entries;
use ringleader_records::{case, json};

use crate::args::InspectArgs;
use crate::shapes::settings;
use crate::stdout::print;
use crate::stop::Stop;
use crate::text::{WIDTH, alarm, faint, good, strong, wrapped};

pub(crate) fn inspect(args: &InspectArgs, entries: &Entries) -> Result<(), Stop> {
    let (mut case, given) = (case::read(&args.config)?, args.protocol.as_deref());
    let protocols = case.protocols(&entries.catalogue(), given)?;
    let trial = case.trial(&protocols, given, &args.params.0)?;
    let session = protocols.open(&trial)?;
    let session = session.as_ref();
    print(args.format.is_json(), "inspect", || as_json(session), |out| show(out, session))
}

/// Names of phases and whether they hold.
fn phases(session: &dyn Session) -> impl Iterator<Item = (String, bool)> {
    let names = session.described().phases.iter().map(|phase| phase.name.clone().into_owned());
    names.zip(session.phases()).collect::<Vec<_>>().into_iter()
}

// --- For people -----------------------------------------------------------------------------------------------

fn show(out: &mut dyn Write, session: &dyn Session) -> io::Result<()> {
    let described = session.described();
    let mut ring = vec![format!("n = {}", described.ring.n())];
    ring.extend(described.settings.iter().map(|(name, value)| format!("{name} = {value}")));
    writeln!(out, "{}  {}", strong(&described.about.name), ring.join(", "))?;
    writeln!(out, "{} {}\n", faint("hash"), json::hash(session))?;
    let facts = session.facts();
    show_truths(out, &facts, "")?;
    // What is a fact under the same name has been said.
    let phases = phases(session).chain([("safe".to_owned(), session.is_safe())]);
    for (name, holds) in phases.filter(|(name, _)| facts.get(name).is_none()) {
        show_truth(out, "", &name, holds, None)?;
    }
    writeln!(out)?;
    show_rest(out, &facts, "")
}

/// What is true or not, and why not.
fn show_truths(out: &mut dyn Write, facts: &Value, front: &str) -> io::Result<()> {
    let Value::Map(pairs) = facts else { return Ok(()) };
    for (name, value) in pairs {
        let Value::Bool(holds) = value else { continue };
        let why = match facts.get("why").and_then(|why| why.get(name)) {
            Some(Value::Text(why)) => Some(&**why),
            _ => None,
        };
        show_truth(out, front, name, *holds, why)?;
    }
    Ok(())
}

/// The most items of a list that are shown.
const ITEMS: usize = 12;

/// Everything else: a line each, and for an item of a list with parts.
fn show_rest(out: &mut dyn Write, facts: &Value, front: &str) -> io::Result<()> {
    let Value::Map(pairs) = facts else { return Ok(()) };
    let line = |out: &mut dyn Write, text: String| writeln!(out, "{front}{}", cut(&text, WIDTH - front.len()));
    for (name, value) in pairs.iter().filter(|(name, _)| !["n", "psi", "why", "peaceful"].contains(&name.as_str())) {
        match value {
            Value::Bool(_) | Value::Null => {}
            Value::Map(_) => {
                line(out, strong(name))?;
                show_truths(out, value, &format!("{front}  "))?;
                show_rest(out, value, &format!("{front}  "))?;
            }
            Value::List(items) if matches!(items.first(), Some(Value::Map(_))) => {
                line(out, format!("{name:<18}  {}", items.len()))?;
                items.iter().take(ITEMS).try_for_each(|item| line(out, format!("  {}", parts(item))))?;
                if items.len() > ITEMS {
                    line(out, format!("  and {} more", items.len() - ITEMS))?;
                }
            }
            value => line(out, format!("{name:<18}  {value}"))?,
        }
    }
    Ok(())
}

fn parts(item: &Value) -> String {
    let Value::Map(pairs) = item else { return item.to_string() };
    let known = pairs.iter().filter(|(_, value)| *value != Value::Null);
    let part = |(name, value): &(String, Value)| match value {
        Value::Text(text) => format!("{name} {text}"),
        value => format!("{name} {value}"),
    };
    known.map(part).collect::<Vec<_>>().join(", ")
}

fn show_truth(out: &mut dyn Write, front: &str, name: &str, holds: bool, why: Option<&str>) -> io::Result<()> {
    let word = if holds { good("yes") } else { alarm("no ") };
    let mut reason = wrapped(why.unwrap_or_default(), WIDTH - 24 - front.len()).into_iter();
    let first = reason.next().map_or(String::new(), |line| format!("  {line}"));
    writeln!(out, "{front}{word} {}", format!("{name:<18}{first}").trim_end())?;
    reason.try_for_each(|line| writeln!(out, "{front}{:24}{line}", ""))
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        text.into()
    } else {
        text.chars().take(width - 4).chain(" ...".chars()).collect()
    }
}

// --- For machines ---------------------------------------------------------------------------------------------

fn as_json(session: &dyn Session) -> Value {
    let described = session.described();
    let mut facts = vec![
        ("protocol".to_owned(), described.about.case.clone().into()),
        ("hash".to_owned(), json::hash(session).into()),
        ("settings".to_owned(), settings(&described.settings)),
        ("phases".to_owned(), Value::map(phases(session).map(|(name, holds)| (name, holds.into())))),
    ];
    facts.extend(described.settings.iter().map(|(name, value)| (name.clone().into_owned(), Value::from(*value))));
    if let Value::Map(truth) = session.facts() {
        // `psi` is both a setting and a fact; one of them is enough.
        facts.retain(|(name, _)| !truth.iter().any(|(known, _)| known == name));
        facts.extend(truth);
    }
    Value::Map(facts)
}
