//! `ringleader show`: the text of a protocol, as it is, as LaTeX, and what its agents can be.

use std::io::{self, Write};

use ringleader::instance::Described;
use ringleader::value::Value;
use ringleader_catalogue::{Entries, File};
use ringleader_notation::program::Program;
use ringleader_notation::setting::{Field, Setting};
use ringleader_notation::typeset;

use crate::args::ShowArgs;
use crate::shapes::settings;
use crate::stdout::{print, signed};
use crate::stop::Stop;
use crate::text::{columns, commas, strong};
use crate::texts::{program_of, refused};

/// The number of agents for which states are counted if none is given, that of `list`.
const AGENTS: usize = 256;

pub(crate) fn show(args: &ShowArgs, entries: &Entries, files: &[File]) -> Result<(), Stop> {
    let entry = entries.find(args.protocol.name()?)?;
    let name = &*entry.about().name;
    let program = program_of(name, files)?;
    if args.states {
        let n = args.n.map_or(AGENTS, |n| usize::try_from(n).unwrap_or(usize::MAX));
        let described = entry.describe(n, &args.params.0)?;
        let setting = Setting::new(&program, n, &args.params.0).map_err(|why| refused(&program, why))?;
        let counted = Counted::new(&program, &setting, &described);
        return print(args.json, "show", || counted.as_json(), |out| counted.show(out));
    }
    if let Some((name, _)) = args.params.0.0.first() {
        return Err(Stop::Bad(format!("--{name}: the text is the same for all parameters; they count with --states")));
    }
    let latex = match (args.latex, args.standalone) {
        (false, _) => None,
        (true, false) => Some(typeset::fragment(&program)),
        (true, true) => Some(typeset::document(&program)),
    };
    // Not a byte of it is changed, so it goes past what removes colours.
    let mut out = io::stdout().lock();
    if args.json {
        let told = [("protocol", name.into()), ("text", Value::from(&*program.text)), ("latex", latex.into())];
        ringleader_records::json::write_line(&mut out, &signed("show", Value::map(told)))?;
    } else {
        out.write_all(latex.as_deref().unwrap_or(&program.text).as_bytes())?;
    }
    Ok(out.flush()?)
}

/// The states of an agent, counted.
struct Counted<'a> {
    described: &'a Described,
    n: usize,
    rows: Vec<Row>,
}

/// A variable with how many values it has.
struct Row {
    name: String,
    domain: String,
    given: bool,
    values: u128,
}

impl<'a> Counted<'a> {
    fn new(program: &Program, setting: &Setting, described: &'a Described) -> Self {
        let row = |(declared, field): (&ringleader_notation::tree::VariableDecl, &Field)| Row {
            name: field.name.clone(),
            domain: program.words(declared.domain.span),
            given: field.given,
            values: field.size(),
        };
        let rows = program.variables.iter().zip(&setting.layout.fields).map(row).collect();
        Self { described, n: setting.n, rows }
    }

    fn show(&self, out: &mut dyn Write) -> io::Result<()> {
        let Described { about, settings, states, .. } = self.described;
        let in_force: Vec<String> = settings.iter().map(|(name, value)| format!(", {name} = {value}")).collect();
        writeln!(out, "{}  {}", strong(&about.name), about.summary)?;
        writeln!(out, "n = {}{}\n", self.n, in_force.concat())?;
        let width = self.rows.iter().map(|row| row.domain.chars().count() + 7).max().unwrap_or(0);
        // The last column is to the left, as the first one is.
        let left = |text: &str| format!("{text:width$}");
        let line = |row: &Row| {
            let domain = if row.given { format!("given({})", row.domain) } else { row.domain.clone() };
            vec![row.name.clone(), commas(row.values), left(&domain)]
        };
        let header = vec!["variable".to_owned(), "values".to_owned(), left("domain")];
        let lines: Vec<Vec<String>> = std::iter::once(header).chain(self.rows.iter().map(line)).collect();
        columns(&lines).iter().try_for_each(|line| writeln!(out, "{}", line.trim_end()))?;
        writeln!(out, "\n|Q| = {}, the product", strong(commas(states)))
    }

    fn as_json(&self) -> Value {
        let row = |row: &Row| {
            Value::map([
                ("name", Value::from(row.name.as_str())),
                ("domain", row.domain.as_str().into()),
                ("input", row.given.into()),
                ("values", Value::Digits(row.values.to_string())),
            ])
        };
        let params: Vec<(String, u64)> =
            self.described.settings.iter().map(|(name, value)| (name.to_string(), *value)).collect();
        Value::map([
            ("protocol", Value::from(&*self.described.about.name)),
            ("n", self.n.into()),
            ("settings", settings(&params)),
            ("variables", self.rows.iter().map(row).collect::<Vec<_>>().into()),
            ("states", Value::Digits(self.described.states.to_string())),
        ])
    }
}
