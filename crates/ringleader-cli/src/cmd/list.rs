//! `ringleader list`: what there is.

use std::io::{self, Write};

use ringleader::blueprint::Named;
use ringleader::error::Error;
use ringleader::instance::VariableAbout;
use ringleader::params::{Parameter, Params};
use ringleader::ring::{Orientation, Ring};
use ringleader::value::Value;
use ringleader_catalogue::{Entries, Entry};

use crate::args::ListArgs;
use crate::stdout::print;
use crate::stop::Stop;
use crate::text::{commas, faint, strong};

/// A protocol and its |Q|, or why it does not run at this size.
struct Row<'a> {
    entry: &'a Entry,
    states: Result<u128, Error>,
}

pub(crate) fn list(args: &ListArgs, entries: &Entries) -> Result<(), Stop> {
    let n = usize::try_from(args.n).unwrap_or(usize::MAX);
    Ring::new(n, Orientation::Directed)?;
    let states = |entry: &Entry| Ok(entry.describe(n, &Params::default())?.states);
    let one = args.protocol.as_deref().map(|name| entries.find(name)).transpose()?;
    let chosen = one.map_or_else(|| entries.iter().collect(), |entry| vec![entry]);
    let rows: Vec<Row<'_>> = chosen.into_iter().map(|entry| Row { entry, states: states(entry) }).collect();
    let people = match one {
        Some(_) => in_detail,
        None if args.markdown => markdown,
        None => plain,
    };
    print(args.json, "list", || as_json(&rows, n), |out| people(out, &rows, n))
}

/// All that can be said on the command line of one protocol.
fn in_detail(out: &mut dyn Write, rows: &[Row<'_>], n: usize) -> io::Result<()> {
    plain(out, rows, n)?;
    for Row { entry, .. } in rows {
        let about = entry.about();
        let parameter = |one: &Parameter| (format!("--{}", one.name), one.help.to_string());
        let named = |one: &Named| (one.name.to_string(), one.about.to_string());
        explained(out, "parameters", about.parameters.iter().map(parameter).collect())?;
        explained(out, "starts, the first is the default", entry.starts().iter().map(named).collect())?;
        let Ok(described) = entry.describe(n, &Params::default()) else { continue };
        let mut phases: Vec<(String, String)> = described.phases.iter().map(named).collect();
        phases.push((described.safe_phase.to_string(), "the safe set".to_owned()));
        explained(out, "phases", phases)?;
        let variable = |one: &VariableAbout| {
            let input = if one.input { ", an input" } else { "" };
            (one.name.to_string(), format!("{}{input}", one.domain))
        };
        explained(out, &format!("variables at n = {n}"), described.variables.iter().map(variable).collect())?;
    }
    writeln!(
        out,
        "{}",
        faint("faults: agents=K[,place=random|contiguous] or list=I+J+..., then [,variable=NAME],at=safe|STEP")
    )
}

/// Names with what they mean.
fn explained(out: &mut dyn Write, title: &str, lines: Vec<(String, String)>) -> io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(out, "{}", strong(title))?;
    let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    lines.iter().try_for_each(|(name, about)| writeln!(out, "    {name:width$}  {about}"))?;
    writeln!(out)
}

fn plain(out: &mut dyn Write, rows: &[Row<'_>], n: usize) -> io::Result<()> {
    for Row { entry, states } in rows {
        let about = entry.about();
        let states = match states {
            Ok(states) => commas(states),
            Err(error) => format!("not at this size ({error})"),
        };
        let options: Vec<String> = about.parameters.iter().map(|parameter| format!("--{}", parameter.name)).collect();
        let starts: Vec<String> = entry.starts().into_iter().map(|start| start.name.into_owned()).collect();
        writeln!(out, "{}  {}", strong(&about.name), about.summary)?;
        writeln!(out, "    {} {}", faint("ring      "), about.ring.name())?;
        writeln!(out, "    {} {}", faint("assumption"), about.assumption)?;
        writeln!(out, "    {} {} at n = {n}", faint("|Q|       "), states)?;
        writeln!(out, "    {} {} steps", faint("claimed   "), about.bound)?;
        writeln!(out, "    {} {}", faint("rules     "), about.origin.name())?;
        let (safe, closed) = match about.declares_safe {
            true => (&*about.safe, "declared by the protocol"),
            false => ("none is declared; a run ends when it is silent", "nothing can change any more"),
        };
        writeln!(out, "    {} {safe}", faint("safe set  "))?;
        let evidence = about.evidence.as_deref().unwrap_or(closed);
        writeln!(out, "    {} {evidence}", faint("closed    "))?;
        writeln!(
            out,
            "    {} {}",
            faint("options   "),
            if options.is_empty() { "none".into() } else { options.join(" ") }
        )?;
        writeln!(out, "    {} {}\n", faint("starts    "), starts.join(", "))?;
    }
    Ok(())
}

fn markdown(out: &mut dyn Write, rows: &[Row<'_>], n: usize) -> io::Result<()> {
    writeln!(out, "| protocol | what it is | ring | assumption | states at n = {n} | claimed steps | rules |")?;
    writeln!(out, "|---|---|---|---|---:|---|---|")?;
    for Row { entry, states } in rows {
        let about = entry.about();
        let states = states.as_ref().map_or_else(|_| "-".into(), commas);
        writeln!(
            out,
            "| `{}` | {} | {} | {} | {states} | {} | {} |",
            about.name,
            about.summary,
            about.ring.name(),
            about.assumption,
            about.bound,
            about.origin.name()
        )?;
    }
    Ok(())
}

fn as_json(rows: &[Row<'_>], n: usize) -> Value {
    let row = |Row { entry, states }: &Row<'_>| {
        let about = entry.about();
        let parameter = |p: &Parameter| Value::map([("name", p.name.clone().into()), ("help", p.help.clone().into())]);
        let start = |start: Named| Value::map([("name", start.name.into()), ("about", start.about.into())]);
        Value::map([
            ("name", about.name.clone().into()),
            ("case", about.case.clone().into()),
            ("summary", about.summary.clone().into()),
            ("ring", about.ring.name().into()),
            ("assumption", about.assumption.clone().into()),
            ("states", states.as_ref().map_or(Value::Null, |&states| Value::Digits(states.to_string()))),
            ("bound", about.bound.clone().into()),
            ("rules", about.origin.name().into()),
            ("safe", about.safe.clone().into()),
            ("closed", about.evidence.clone().map_or(Value::Null, Value::from)),
            ("parameters", about.parameters.iter().map(parameter).collect::<Vec<_>>().into()),
            ("starts", entry.starts().into_iter().map(start).collect::<Vec<_>>().into()),
        ])
    };
    Value::map([("n", n.into()), ("protocols", rows.iter().map(row).collect::<Vec<_>>().into())])
}
