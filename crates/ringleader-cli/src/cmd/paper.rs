//! `ringleader paper`: every numbered statement of the paper, and what the laboratory has for it.

use std::io::{self, Write};

use ringleader::error::nearest;
use ringleader::value::Value;

use crate::args::PaperArgs;
use crate::paper::{Evidence, How, STATEMENTS, Statement, called};
use crate::stdout::print;
use crate::stop::Stop;
use crate::text::{WIDTH, faint, strong, wrapped};

pub(crate) fn paper(args: &PaperArgs) -> Result<(), Stop> {
    let chosen = choose(&args.statement.join(" "))?;
    let people = match args {
        PaperArgs { markdown: true, .. } => markdown,
        PaperArgs { statement, .. } if statement.is_empty() => list,
        _ => details,
    };
    print(args.json, "paper", || as_json(&chosen), |out| people(out, &chosen))
}

fn choose(words: &str) -> Result<Vec<&'static Statement>, Stop> {
    if words.is_empty() {
        return Ok(STATEMENTS.iter().collect());
    }
    let found = called(words);
    if found.is_empty() {
        let names = STATEMENTS.iter().flat_map(|one| [one.title, one.name].into_iter().chain(one.claims()));
        let meant = nearest(words, names).map_or(String::new(), |name| format!("did you mean {name:?}? "));
        let allowed = "allowed is a number or a name such as \"Lemma 14\", lemma14, 14 or safe; \
                       `ringleader paper` lists them all";
        return Err(Stop::Bad(format!("statement = {words}: {meant}{allowed}")));
    }
    Ok(found)
}

// --- For people -----------------------------------------------------------------------------------------------

/// Where the columns of the list begin.
const NAME: usize = 14;
const HAS: usize = 33;

fn list(out: &mut dyn Write, chosen: &[&Statement]) -> io::Result<()> {
    let header = format!("{:NAME$}{:width$}the laboratory has", "statement", "name", width = HAS - NAME);
    writeln!(out, "{}", strong(header))?;
    for statement in chosen {
        let mut lines = wrapped(&all_in_short(statement.evidence), WIDTH - HAS).into_iter();
        let front = format!("{:NAME$}{:width$}", statement.title, statement.name, width = HAS - NAME);
        writeln!(out, "{front}{}", lines.next().unwrap_or_default())?;
        lines.try_for_each(|line| writeln!(out, "{:HAS$}{line}", ""))?;
    }
    writeln!(out)?;
    let legend = How::ALL.map(|how| format!("{}: {}", how.name(), how.about()));
    legend.iter().try_for_each(|line| writeln!(out, "{}", faint(line)))?;
    writeln!(out, "{}", faint("with the commands: ringleader paper \"Lemma 14\", or any other number or name"))
}

/// How it is known stands before the first of several that are known in this way.
fn all_in_short(evidence: &[Evidence]) -> String {
    let said = |k: usize| match k.checked_sub(1) {
        Some(before) if evidence[before].how == evidence[k].how => evidence[k].what.to_owned(),
        _ => in_short(&evidence[k]),
    };
    (0..evidence.len()).map(said).collect::<Vec<_>>().join("; ")
}

fn in_short(evidence: &Evidence) -> String {
    format!("{}: {}", evidence.how.name(), evidence.what)
}

fn details(out: &mut dyn Write, chosen: &[&Statement]) -> io::Result<()> {
    for (k, statement) in chosen.iter().enumerate() {
        if k > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}  {}", strong(statement.title), statement.name)?;
        indented(out, "  ", statement.says)?;
        for evidence in statement.evidence {
            indented(out, "  ", &in_short(evidence))?;
            if !evidence.command.is_empty() {
                // In one line, however long, so that it can be copied.
                writeln!(out, "      {}", faint(evidence.command))?;
            }
        }
    }
    Ok(())
}

/// Words broken to the width of a terminal; all lines but the first stand four columns further in.
fn indented(out: &mut dyn Write, front: &str, words: &str) -> io::Result<()> {
    for (k, line) in wrapped(words, WIDTH - front.len() - 4).iter().enumerate() {
        writeln!(out, "{front}{}{line}", if k == 0 { "" } else { "    " })?;
    }
    Ok(())
}

fn markdown(out: &mut dyn Write, chosen: &[&Statement]) -> io::Result<()> {
    writeln!(out, "| statement | name | it says | what there is |\n|---|---|---|---|")?;
    for Statement { title, name, says, evidence } in chosen {
        let part = |one: &Evidence| {
            let command = if one.command.is_empty() { String::new() } else { format!(" (`{}`)", one.command) };
            format!("**{}**: {}{command}", one.how.name(), one.what)
        };
        let parts: Vec<String> = evidence.iter().map(part).collect();
        writeln!(out, "| {title} | `{name}` | {says} | {} |", parts.join("<br>"))?;
    }
    Ok(())
}

// --- For machines ---------------------------------------------------------------------------------------------

fn as_json(chosen: &[&Statement]) -> Value {
    let text = |text: &'static str| Value::from(Some(text).filter(|text| !text.is_empty()));
    let evidence = |one: &Evidence| {
        Value::map([
            ("how", one.how.name().into()),
            ("what", one.what.into()),
            ("claims", one.claims().collect::<Vec<_>>().into()),
            ("command", text(one.command)),
        ])
    };
    let statement = |one: &&Statement| {
        Value::map([
            ("title", one.title.into()),
            ("name", one.name.into()),
            ("numbered", one.is_numbered().into()),
            ("says", one.says.into()),
            ("evidence", one.evidence.iter().map(evidence).collect::<Vec<_>>().into()),
        ])
    };
    Value::map([("statements", chosen.iter().map(statement).collect::<Vec<_>>().into())])
}
