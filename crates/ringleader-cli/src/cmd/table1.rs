//! `ringleader table1`: the paper's Table 1, with what it claims beside what was measured.

use std::io::Write;
use std::path::{Path, PathBuf};

use ringleader::params::Params;
use ringleader::stats::fit::{Estimate, Scale};
use ringleader::value::Value;
use ringleader_catalogue::Entries;
use ringleader_records::analysis::{Analysed, analyse};
use ringleader_records::series::{Cell, load, whose_rules};

use crate::args::Table1Args;
use crate::report::latex::{self, Columns};
use crate::report::numbers;
use crate::report::page::repeated;
use crate::report::tables::{Table, estimate, exponent, short, sizes, with_error};
use crate::stdout::print;
use crate::stop::Stop;
use crate::text::{commas, faint, strong};

/// Where the records of the experiment are, and how they were made.
pub(crate) const RECORDS: &str = "records/table1.parquet";
const EXPERIMENT: &str = "ringleader sweep experiments/table1.toml";

/// The sizes at which |Q| is given where nothing was measured.
const SIZES: [usize; 3] = [17, 257, 1025];

/// A row of the table as the paper has it.
struct Claim {
    work: &'static str,
    /// The protocol with its rules, as far as they are known; none if they are not public.
    protocol: Option<&'static str>,
    assumption: &'static str,
    steps: &'static str,
    states: &'static str,
    /// The claimed growth, unless it is none that can be fitted.
    scale: Option<Scale>,
}

/// Of work whose rules nobody knows.
const NOT_PUBLIC: &str = "its rules are not public";

/// The rows of the paper's table and, below the one that cannot be run, a protocol of ours that stands in for its kind under its own name.
const CLAIMS: [Claim; 6] = [
    Claim {
        work: "[AAF+08]",
        protocol: Some("aaf"),
        assumption: "n is not a multiple of k",
        steps: "Theta(n^3)",
        states: "O(1)",
        scale: Some(Scale::N3),
    },
    Claim {
        work: "[FJ06]",
        protocol: Some("fj"),
        assumption: "oracle Omega?",
        steps: "Theta(n^3)",
        states: "O(1)",
        scale: Some(Scale::N3),
    },
    Claim {
        work: "[CC19]",
        protocol: None,
        assumption: "none",
        steps: "super-exponential",
        states: "O(1)",
        scale: None,
    },
    Claim {
        work: "thue-morse",
        protocol: Some("thue-morse"),
        assumption: "none",
        steps: "super-exponential",
        states: "O(1)",
        scale: None,
    },
    Claim {
        work: "[YSM21]",
        protocol: Some("ysm"),
        assumption: "log n <= psi <= log n + O(1)",
        steps: "Theta(n^2)",
        states: "O(n)",
        scale: Some(Scale::N2),
    },
    Claim {
        work: "this work",
        protocol: Some("ppl"),
        assumption: "log n <= psi <= log n + O(1)",
        steps: "O(n^2 log n)",
        states: "polylog(n)",
        scale: Some(Scale::N2LogN),
    },
];

/// A row with what was measured.
struct Measured<'a> {
    claim: &'a Claim,
    /// Whose rules its protocol has.
    rules: String,
    /// From the worst start, if there are trials.
    worst: Option<&'a Analysed>,
    /// The starts that were tried.
    starts: Vec<&'a str>,
    /// |Q| at several n.
    states: Vec<(usize, u128)>,
}

pub(crate) fn table1(args: &Table1Args, entries: &Entries) -> Result<(), Stop> {
    let records = if args.records.is_empty() { vec![default_records()?] } else { args.records.clone() };
    let (series, _) = load(&entries.catalogue(), &records)?;
    let analysis = analyse(series, args.seed, 0);
    let rows: Vec<Measured<'_>> = CLAIMS.iter().map(|claim| measured(claim, &analysis.series, entries)).collect();
    let table = table(&rows);
    let people = |out: &mut dyn Write| match () {
        () if args.latex && args.wide => write!(out, "{}", latex::render(&captioned(table), Columns::All)),
        () if args.latex => write!(out, "{}", latex::render(&paper(&rows, args.seed), Columns::Short)),
        () if args.markdown => write!(out, "{}\n{}\n", table.markdown(), notes(&rows, args.seed).join("\n")),
        () => plain(out, &table, &rows, args.seed),
    };
    print(args.json, "table1", || as_json(&rows, args.seed), people)
}

fn default_records() -> Result<PathBuf, Stop> {
    let path = Path::new(RECORDS);
    let missing = || {
        Stop::Bad(format!(
            "there is no {RECORDS} here: name the records, or make them with `{EXPERIMENT} --out {RECORDS}`"
        ))
    };
    path.exists().then(|| path.to_owned()).ok_or_else(missing)
}

/// The series of a protocol with default parameters and without faults, and the worst of them.
fn measured<'a>(claim: &'a Claim, series: &'a [Analysed], entries: &Entries) -> Measured<'a> {
    let usual = |one: &&Analysed| {
        let kind = &one.series.kind;
        Some(kind.protocol.as_str()) == claim.protocol
            && kind.faults.is_empty()
            && kind.settings.iter().all(|setting| setting.default)
    };
    let all: Vec<&Analysed> = series.iter().filter(usual).collect();
    let starts = all.iter().map(|one| one.series.kind.start.as_str()).collect();
    let worst = worst(&all);
    let rules = rules(claim.protocol, entries);
    let states = claim.protocol.map_or(Vec::new(), |protocol| states(protocol, worst, entries));
    Measured { claim, rules, worst, starts, states }
}

/// The start with the greatest mean at its largest size, relative to the claimed growth; the first of equals.
fn worst<'a>(all: &[&'a Analysed]) -> Option<&'a Analysed> {
    let slowness = |one: &Analysed| {
        let (cell, known) = (one.series.cells.last()?, one.cells.last()?);
        Some(known.mean?.value / one.series.scale.at(f64::from(cell.n)))
    };
    let slowness = |one: &Analysed| slowness(one).unwrap_or(0.0);
    all.iter().rev().max_by(|a, b| slowness(a).total_cmp(&slowness(b))).copied()
}

/// |Q|, exactly, at the least, a middle and the largest size that was measured, or at some sizes if none was.
fn states(protocol: &str, worst: Option<&Analysed>, entries: &Entries) -> Vec<(usize, u128)> {
    let cells = worst.map_or(&[][..], |worst| &worst.series.cells);
    let mut sizes: Vec<usize> = match cells {
        [] => SIZES.to_vec(),
        cells => [0, cells.len() / 2, cells.len() - 1].map(|k| cells[k].n as usize).to_vec(),
    };
    sizes.dedup();
    let at = |n: usize| Some((n, entries.find(protocol).ok()?.describe(n, &Params::default()).ok()?.states));
    sizes.into_iter().filter_map(at).collect()
}

// --- For people -----------------------------------------------------------------------------------------------

fn table(rows: &[Measured<'_>]) -> Table {
    let header = [
        "work",
        "protocol",
        "rules",
        "assumption",
        "claimed steps",
        "measured: n",
        "exponent of n, 95 %",
        "mean / claim at largest n, 95 %",
        "claimed states",
        "states, exactly",
    ];
    let mut table = Table::new("table1", "", &header.map(|name| (name, "")));
    table.rows.extend(rows.iter().map(row));
    table
}

fn row(one: &Measured<'_>) -> Vec<String> {
    let claim = one.claim;
    let growth = one.worst.and_then(|worst| worst.growth.as_ref().ok()).filter(|_| claim.scale.is_some());
    let n = match (growth, one.worst) {
        (Some(growth), _) => sizes(growth),
        (None, Some(worst)) => {
            let all: Vec<String> = worst.series.cells.iter().map(|cell| cell.n.to_string()).collect();
            all.join(", ")
        }
        (None, None) => if claim.protocol.is_some() { "not measured" } else { "-" }.into(),
    };
    vec![
        claim.work.to_owned(),
        claim.protocol.unwrap_or("-").to_owned(),
        one.rules.clone(),
        claim.assumption.to_owned(),
        claim.steps.to_owned(),
        n,
        growth.and_then(|growth| growth.power.a.as_ref()).map_or_else(|| no_exponent(one), exponent),
        growth.map_or_else(|| medians(one), |growth| estimate(&growth.constant)),
        claim.states.to_owned(),
        exact_states(&one.states),
    ]
}

/// The assumption on psi, which is never below log n, as long as a column of a paper may be.
const PSI: [&str; 2] = ["log n <= psi <= log n + O(1)", "psi = log n + O(1)"];

/// The table for a page of a paper: below what a row claims stands what was measured.
fn paper(rows: &[Measured<'_>], seed: u64) -> Table {
    let header = ["work", "assumption", "steps", "mean / claim", "states"].map(|name| ("", name));
    let mut table = Table::new("table1", "", &header);
    let rules = whose_rules(rows.iter().filter_map(|one| one.worst).map(|worst| &worst.series));
    table.in_short = format!(
        "What is claimed, where psi >= log n, and below it what was measured with a protocol of this laboratory, from the worst \
         start of those tried: the exponent of the best c n^a over these n, and the mean divided by the claim at the largest n, \
         each with half the width of its 95 % bootstrap interval (seed {seed}); the number of states is that at the largest \
         n.{rules}"
    );
    for one in rows {
        let claim = one.claim;
        let assumption = if claim.assumption == PSI[0] { PSI[1] } else { claim.assumption };
        table.rows.push([claim.work, assumption, claim.steps, "", claim.states].map(str::to_owned).to_vec());
        table.rows.push(below(one));
    }
    table
}

/// What was measured, below what is claimed.
fn below(one: &Measured<'_>) -> Vec<String> {
    let Some(protocol) = one.claim.protocol else {
        return ["", NOT_PUBLIC, "", "", ""].map(str::to_owned).to_vec();
    };
    let growth = one.worst.and_then(|worst| worst.growth.as_ref().ok()).filter(|_| one.claim.scale.is_some());
    let n = match (growth, one.worst.and_then(|worst| worst.series.cells.last())) {
        (Some(growth), _) => format!("n = {}", sizes(growth)),
        (None, Some(cell)) => format!("n = {}", cell.n),
        (None, None) => "not measured".into(),
    };
    let half = |estimate: &Estimate| (estimate.interval.1 - estimate.interval.0) / 2.0;
    let power = growth.and_then(|growth| growth.power.a.as_ref());
    let steps = match one.worst.and_then(|worst| worst.series.cells.last()) {
        Some(cell) if power.is_none() => {
            median(cell).map_or(String::new(), |median| format!("median {}", median.trim_end_matches(".00")))
        }
        _ => power.map_or(String::new(), |a| format!("a = {:.3} +- {:.3}", a.value, half(a))),
    };
    let constant = growth.map_or(String::new(), |growth| with_error(growth.constant.value, half(&growth.constant)));
    let states = one.states.last().map_or(String::new(), |&(_, states)| match states {
        0..1_000_000 => commas(states),
        many => short(many as f64),
    });
    vec![
        String::new(),
        format!("{}, {n}", one.worst.map_or_else(|| protocol.to_owned(), |worst| worst.series.marked())),
        steps,
        constant,
        states,
    ]
}

fn captioned(table: Table) -> Table {
    Table { caption: "What is claimed, and what was measured from the worst start of those tried.".into(), ..table }
}

/// Whose rules these are.
fn rules(protocol: Option<&str>, entries: &Entries) -> String {
    let Some(protocol) = protocol else { return NOT_PUBLIC.to_owned() };
    entries.find(protocol).map_or("not in this laboratory", |entry| entry.about().origin.name()).to_owned()
}

fn no_exponent(one: &Measured<'_>) -> String {
    match (one.worst, one.claim.scale) {
        (None, _) => "-".into(),
        (Some(_), None) => "no fit: its sizes are too small".into(),
        (Some(_), Some(_)) => "no fit: too few sizes or trials".into(),
    }
}

/// What is known where nothing is fitted.
fn medians(one: &Measured<'_>) -> String {
    let Some(worst) = one.worst else { return "-".into() };
    let at = |cell: &Cell| Some(format!("{} steps at n = {}", median(cell)?, cell.n));
    format!("median {}", worst.series.cells.iter().filter_map(at).collect::<Vec<_>>().join(", "))
}

fn median(cell: &Cell) -> Option<String> {
    let value = cell.steps.quantile(50)?.value;
    Some(format!("{}{}", if value.exact { "" } else { "> " }, short(value.value as f64)))
}

fn exact_states(states: &[(usize, u128)]) -> String {
    match states {
        [] => "-".into(),
        [(_, first), rest @ ..] if rest.iter().all(|(_, other)| other == first) => {
            format!("{} for any n", commas(first))
        }
        states => {
            let one = |(n, states): &(usize, u128)| format!("{} at n = {n}", commas(states));
            states.iter().map(one).collect::<Vec<_>>().join("; ")
        }
    }
}

/// What has to be said beside the table.
fn notes(rows: &[Measured<'_>], seed: u64) -> Vec<String> {
    let worst = "Steps are first safe steps from the worst start of those tried, by the mean at its largest n:";
    let mut notes = vec![worst.to_owned()];
    for one in rows {
        let (Some(worst), Some(protocol)) = (one.worst, one.claim.protocol) else { continue };
        let (trials, censored) = worst.series.cells.iter().fold((Vec::new(), 0), |(mut trials, censored), cell| {
            trials.push(cell.steps.len());
            (trials, censored + cell.steps.censored())
        });
        let (least, most) = (trials.iter().min().copied().unwrap_or(0), trials.iter().max().copied().unwrap_or(0));
        let each = if least == most { commas(least) } else { format!("{} to {}", commas(least), commas(most)) };
        let others: Vec<&str> = one.starts.iter().copied().filter(|start| *start != worst.series.kind.start).collect();
        let among =
            if others.is_empty() { "the only one tried".into() } else { format!("worse than {}", others.join(", ")) };
        notes.push(format!(
            "- {}: {} ({among}); {each} trials at each n, {} censored.",
            protocol,
            worst.series.kind.start,
            commas(censored)
        ));
    }
    let repeated = repeated(rows.iter().filter_map(|one| one.worst).map(|worst| &worst.series));
    notes.extend(Some(repeated).filter(|note| !note.is_empty()));
    notes.push(format!(
        "Exponents are those of the best c n^a over these n, not of large n; intervals are bootstrap percentiles, seed {seed}."
    ));
    notes
}

fn plain(out: &mut dyn Write, table: &Table, rows: &[Measured<'_>], seed: u64) -> std::io::Result<()> {
    for (one, row) in rows.iter().zip(&table.rows) {
        let name = one.claim.protocol.unwrap_or(NOT_PUBLIC);
        let head = if name == one.claim.work { name.to_owned() } else { format!("{} {name}", one.claim.work) };
        writeln!(out, "{}", strong(head))?;
        for (column, value) in table.header.iter().zip(row).skip(2) {
            writeln!(out, "  {:<32}{value}", column.name)?;
        }
        writeln!(out)?;
    }
    notes(rows, seed).iter().try_for_each(|note| writeln!(out, "{}", faint(note)))
}

// --- For machines ---------------------------------------------------------------------------------------------

fn as_json(rows: &[Measured<'_>], seed: u64) -> Value {
    let row = |one: &Measured<'_>| {
        let claim = one.claim;
        let growth = one.worst.and_then(|worst| worst.growth.as_ref().ok()).filter(|_| claim.scale.is_some());
        let states = |(n, states): &(usize, u128)| {
            Value::map([("n", (*n).into()), ("states", Value::Digits(states.to_string()))])
        };
        Value::map([
            ("work", claim.work.into()),
            ("protocol", claim.protocol.into()),
            ("rules", one.rules.clone().into()),
            ("assumption", claim.assumption.into()),
            ("claimed_steps", claim.steps.into()),
            ("claimed_states", claim.states.into()),
            ("start", one.worst.map(|worst| worst.series.kind.start.as_str()).into()),
            ("starts", one.starts.clone().into()),
            ("sizes", growth.map(|growth| growth.sizes.clone()).into()),
            ("exponent", growth.and_then(|growth| growth.power.a.as_ref()).map(numbers::estimate).into()),
            ("constant", growth.map(|growth| numbers::estimate(&growth.constant)).into()),
            ("states", one.states.iter().map(states).collect::<Vec<_>>().into()),
        ])
    };
    Value::map([("seed", seed.into()), ("rows", rows.iter().map(row).collect::<Vec<_>>().into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `scripts/latex` compiles it.
    #[test]
    fn the_table_is_latex() {
        let records = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(RECORDS);
        let entries = Entries::new(&ringleader_catalogue::builtin()).unwrap();
        let analysis = analyse(load(&entries.catalogue(), &[records]).unwrap().0, 1, 0);
        let rows: Vec<Measured<'_>> = CLAIMS.iter().map(|claim| measured(claim, &analysis.series, &entries)).collect();
        for (table, columns) in [(paper(&rows, 1), Columns::Short), (captioned(table(&rows)), Columns::All)] {
            let text = latex::render(&table, columns);
            assert_eq!(latex::tests::flaw(&text), None, "{text}");
            assert!(
                ["[FJ06]", "$\\Theta(n^{3})$", "$O(n^{2} \\log n)$"].iter().all(|part| text.contains(part)),
                "{text}"
            );
        }
    }
}
