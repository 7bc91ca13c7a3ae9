//! Whether the text of a protocol can go wrong, for all pairs of states: asked whenever a file meets a ring, and by `check --domains`.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ringleader::value::Value;
use ringleader_catalogue::{Entries, File};
use ringleader_notation::program::Program;
use ringleader_notation::setting::Setting;
use ringleader_notation::tree::Value as Global;
use ringleader_notation::written::{Judge, Judged, problems};
use ringleader_proof::domains::{Decided, Verdict, decide};

use crate::args::CheckArgs;
use crate::progress::{interrupted, locked};
use crate::shapes::settings;
use crate::stdout::print;
use crate::stop::{Stop, outcome};
use crate::text::{alarm, columns, commas, good, strong};
use crate::texts::{program_of, refused};

/// So long a file that is to be run is looked at; then it is looked at while it runs.
const PATIENCE: Duration = Duration::from_secs(1);

/// Asks once for every ring and its parameters.
pub(crate) fn judge() -> Judge {
    let known: Mutex<Vec<(Vec<Global>, Judged)>> = Mutex::default();
    Arc::new(move |program, setting| {
        let mut known = locked(&known);
        if let Some((_, judged)) = known.iter().find(|(globals, _)| *globals == setting.globals) {
            return judged.clone();
        }
        let judged = match asked(program, setting, Some(PATIENCE)).verdict {
            Verdict::Holds => Judged::Right,
            Verdict::Fails(fault) => Judged::Wrong(fault),
            Verdict::Unknown(why) => {
                note(program, &why);
                Judged::Unknown
            }
        };
        known.push((setting.globals.clone(), judged.clone()));
        judged
    })
}

fn note(program: &Program, why: &str) {
    let told = format!("{}: whether a store can leave its domain is looked at while it runs ({why})", program.file);
    let _ = writeln!(anstream::stderr(), "{}: {told}", alarm("note"));
}

fn asked(program: &Program, setting: &Setting, patience: Option<Duration>) -> Decided {
    let end = patience.map(|patience| Instant::now() + patience);
    let halt = move || match end {
        _ if interrupted() => Some("interrupted".to_owned()),
        Some(end) if Instant::now() >= end => Some("it is not decided within a second".to_owned()),
        _ => None,
    };
    decide(program, setting, &halt, Box::new(halt))
}

/// A ring and what was decided there.
struct Row {
    n: usize,
    settings: Vec<(String, u64)>,
    decided: Decided,
    seconds: f64,
}

/// `ringleader check --domains`.
pub(crate) fn domains(args: &CheckArgs, entries: &Entries, files: &[File]) -> Result<(), Stop> {
    let name = args.protocol.name()?;
    let about = entries.find(name)?.about();
    let program = program_of(&about.name, files)?;
    let mut rows = Vec::new();
    for &n in &args.n.0 {
        let setting = Setting::new(&program, n, &args.params.0).map_err(|why| refused(&program, why))?;
        let begun = Instant::now();
        let decided = asked(&program, &setting, None);
        if interrupted() {
            return Err(Stop::Interrupted(None));
        }
        let seconds = begun.elapsed().as_secs_f64();
        rows.push(Row { n, settings: setting.parameters(&program), decided, seconds });
    }
    let printed = print(args.json, "domains", || as_json(&program, &rows), |out| report(out, &program, &rows));
    outcome(printed, verdict(&rows))
}

fn verdict(rows: &[Row]) -> Result<(), Stop> {
    if rows.iter().any(|row| matches!(row.decided.verdict, Verdict::Fails(_))) {
        Err(Stop::Refuted)
    } else if rows.iter().any(|row| matches!(row.decided.verdict, Verdict::Unknown(_))) {
        Err(Stop::Undecided)
    } else {
        Ok(())
    }
}

fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Fails(_) => "fails",
        Verdict::Unknown(_) => "unknown",
    }
}

fn report(out: &mut dyn Write, program: &Program, rows: &[Row]) -> io::Result<()> {
    writeln!(out, "{}  {}", strong(&program.file), program.summary)?;
    writeln!(out, "claim: in whatever states two agents are, with every coin and answer, every store stays")?;
    writeln!(out, "in its domain, and no index, division, `None` or `assert` goes wrong\n")?;
    let header = ["n", "gates", "places", "clauses", "ms", "verdict"].map(str::to_owned).to_vec();
    let line = |Row { n, decided, seconds, .. }: &Row| {
        let Decided { verdict, gates, places, clauses } = decided;
        let numbers = [*n, *gates, *places, *clauses].map(commas);
        numbers.into_iter().chain([format!("{:.1}", 1000.0 * seconds), word(verdict).to_owned()]).collect()
    };
    let table: Vec<Vec<String>> = std::iter::once(header).chain(rows.iter().map(line)).collect();
    columns(&table).iter().try_for_each(|line| writeln!(out, "{line}"))?;
    writeln!(out)?;
    if rows.iter().all(|row| row.decided.verdict == Verdict::Holds) {
        return writeln!(out, "{} for all pairs of states", good("holds"));
    }
    for Row { n, decided, .. } in rows {
        match &decided.verdict {
            Verdict::Holds => {}
            Verdict::Fails(fault) => writeln!(out, "n = {n}: {}\n{}", alarm("fails"), problems(program, fault))?,
            Verdict::Unknown(why) => writeln!(out, "n = {n}: unknown: {why}")?,
        }
    }
    Ok(())
}

fn as_json(program: &Program, rows: &[Row]) -> Value {
    let row = |Row { n, settings: set, decided, seconds }: &Row| {
        let (line, column, what, states) = match &decided.verdict {
            Verdict::Holds => Default::default(),
            Verdict::Fails(fault) => {
                (Some(fault.span.line), Some(fault.span.column), Some(&*fault.what), Some(&*fault.help))
            }
            Verdict::Unknown(why) => (None, None, Some(&**why), None),
        };
        Value::map([
            ("n", Value::from(*n)),
            ("settings", settings(set)),
            ("verdict", word(&decided.verdict).into()),
            ("gates", decided.gates.into()),
            ("places", decided.places.into()),
            ("clauses", decided.clauses.into()),
            ("seconds", (*seconds).into()),
            ("line", line.into()),
            ("column", column.into()),
            ("what", what.into()),
            ("states", states.into()),
        ])
    };
    Value::map([
        ("protocol", program.file.as_str().into()),
        ("checks", rows.iter().map(row).collect::<Vec<_>>().into()),
    ])
}
