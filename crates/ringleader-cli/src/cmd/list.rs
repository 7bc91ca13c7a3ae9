//! `ringleader list`: what there is.

use std::io::Write;

use ringleader::error::Error;
use ringleader::lab::{Entry, PROTOCOLS};
use ringleader::trial::Trial;
use ringleader::value::Value;

use crate::args::ListArgs;
use crate::stop::Stop;
use crate::text::{commas, faint, strong};
use crate::{files, json};

/// A protocol and its |Q|, or why it does not run at this size.
struct Row {
    entry: Entry,
    states: Result<u128, Error>,
}

pub(crate) fn list(args: &ListArgs) -> Result<(), Stop> {
    let n = usize::try_from(args.n).unwrap_or(usize::MAX);
    ringleader::ring::Ring::new(n, ringleader::ring::Orientation::Directed)?;
    let rows: Vec<Row> = PROTOCOLS.iter().map(|&entry| Row { entry, states: states(entry, n) }).collect();
    files::to_stdout(|out| {
        if args.json {
            json::write(&mut &mut *out, &as_json(&rows, n))?;
            writeln!(out)
        } else if args.markdown {
            markdown(out, &rows, n)
        } else {
            plain(out, &rows, n)
        }
    })
}

fn states(entry: Entry, n: usize) -> Result<u128, Error> {
    Ok(entry.populate(&Trial::new(entry.about.name, n, 0))?.states())
}

fn plain(out: &mut dyn Write, rows: &[Row], n: usize) -> std::io::Result<()> {
    for Row { entry, states } in rows {
        let about = entry.about;
        let states = match states {
            Ok(states) => commas(states),
            Err(error) => format!("not at this size ({error})"),
        };
        let options: Vec<String> = about.parameters.iter().map(|parameter| format!("--{}", parameter.name)).collect();
        let starts: Vec<&str> = entry.starts().iter().map(|(name, _)| *name).collect();
        writeln!(out, "{}  {}", strong(about.name), about.summary)?;
        writeln!(out, "    {} {}", faint("ring      "), about.ring.name())?;
        writeln!(out, "    {} {}", faint("assumption"), about.assumption)?;
        writeln!(out, "    {} {} at n = {n}", faint("|Q|       "), states)?;
        writeln!(out, "    {} {} steps", faint("claimed   "), about.bound)?;
        writeln!(out, "    {} {}", faint("rules     "), about.origin.name())?;
        writeln!(out, "    {} {}", faint("safe set  "), about.safe)?;
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

fn markdown(out: &mut dyn Write, rows: &[Row], n: usize) -> std::io::Result<()> {
    writeln!(out, "| protocol | what it is | ring | assumption | states at n = {n} | claimed steps | rules |")?;
    writeln!(out, "|---|---|---|---|---:|---|---|")?;
    for Row { entry, states } in rows {
        let about = entry.about;
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

fn as_json(rows: &[Row], n: usize) -> Value {
    let row = |Row { entry, states }: &Row| {
        let about = entry.about;
        let parameter =
            |p: &ringleader::protocol::Parameter| Value::map([("name", p.name.into()), ("help", p.help.into())]);
        let start = |(name, about): (&str, &str)| Value::map([("name", name.into()), ("about", about.into())]);
        Value::map([
            ("name", about.name.into()),
            ("case", about.case.into()),
            ("summary", about.summary.into()),
            ("ring", about.ring.name().into()),
            ("assumption", about.assumption.into()),
            ("states", states.as_ref().map_or(Value::Null, |&states| Value::Digits(states.to_string()))),
            ("bound", about.bound.into()),
            ("rules", about.origin.name().into()),
            ("safe", about.safe.into()),
            ("parameters", about.parameters.iter().map(parameter).collect::<Vec<_>>().into()),
            ("starts", entry.starts().into_iter().map(start).collect::<Vec<_>>().into()),
        ])
    };
    Value::map([("n", n.into()), ("protocols", rows.iter().map(row).collect::<Vec<_>>().into())])
}
