//! `ringleader report`: what records say, as a page, figures and tables.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ringleader_catalogue::Entries;
use ringleader_records::analysis::{Analysed, Analysis, analyse};
use ringleader_records::files;
use ringleader_records::series::{Series, files_of, load};

use crate::args::ReportArgs;
use crate::report::page::{self, Section, repeated, sections, trials};
use crate::report::tables::{exponent, sizes};
use crate::report::{latex, numbers};
use crate::stdout::print;
use crate::stop::Stop;
use crate::text::{alarm, columns, commas, faint, strong};

/// Where a report goes unless told otherwise.
const FOLDER: &str = "report";
/// For how many series the summary says why there is no fit.
const MOST_REASONS: usize = 3;

pub(crate) fn report(args: &ReportArgs, entries: &Entries) -> Result<(), Stop> {
    let records = files_of(&args.records)?;
    let (series, metas) = load(&entries.catalogue(), &records)?;
    let baseline = baseline(&series, args.baseline.as_deref())?;
    let analysis = analyse(series, args.seed, baseline);
    let folder = args.out.as_deref().or_else(|| (!args.json).then_some(Path::new(FOLDER)));
    let sections = sections(&analysis);
    if let Some(folder) = folder {
        write_all(folder, &contents(folder, args.wide, &sections, page::html(&analysis, &sections, &metas)), &records)?;
    }
    let people = |out: &mut dyn Write| summary(out, &analysis, folder.unwrap_or(Path::new(FOLDER)));
    print(args.json, "report", || numbers::as_json(&analysis, &metas), people)
}

/// The series that is meant: the first, or the only one with these words in its label.
fn baseline(series: &[Series], wanted: Option<&str>) -> Result<usize, Stop> {
    let Some(wanted) = wanted else { return Ok(0) };
    if let Some(k) = series.iter().position(|one| one.label == wanted) {
        return Ok(k);
    }
    let matching: Vec<usize> = (0..series.len()).filter(|&k| series[k].label.contains(wanted)).collect();
    match matching[..] {
        [k] => Ok(k),
        _ => {
            let labels: Vec<String> = series.iter().map(|one| format!("{:?}", one.label)).collect();
            let found = if matching.is_empty() { "no series" } else { "more than one series" };
            Err(Stop::Bad(format!("--baseline {wanted:?} fits {found}; there are {}", labels.join(", "))))
        }
    }
}

/// The files of a report: where each goes, and its text.
fn contents(folder: &Path, wide: bool, sections: &[Section], page: String) -> Vec<(PathBuf, String)> {
    let mut contents = Vec::new();
    for section in sections {
        let figures = section.figures.iter().map(|figure| (format!("figures/{}.svg", figure.name), figure.render()));
        contents.extend(figures);
        for table in &section.tables {
            contents.push((format!("tables/{}.md", table.name), table.markdown()));
            contents.push((format!("tables/{}.tex", table.name), latex::render(table, wide)));
        }
    }
    contents.push(("report.html".into(), page));
    contents.into_iter().map(|(name, text)| (folder.join(name), text)).collect()
}

/// Writes them all, unless one would take the place of records.
fn write_all(folder: &Path, contents: &[(PathBuf, String)], records: &[PathBuf]) -> Result<(), Stop> {
    contents.iter().try_for_each(|(path, _)| files::spare(records, path))?;
    for folder in [folder.join("figures"), folder.join("tables")] {
        let made = std::fs::create_dir_all(&folder);
        made.map_err(|error| Stop::Bad(format!("cannot make the folder {}: {error}", folder.display())))?;
    }
    let write = |(path, text): &(PathBuf, String)| files::write(path, |out| out.write_all(text.as_bytes()));
    Ok(contents.iter().try_for_each(write)?)
}

fn summary(out: &mut dyn Write, analysis: &Analysis, folder: &Path) -> io::Result<()> {
    let (all, censored) = trials(analysis);
    let header = ["series", "n", "trials", "censored", "exponent of n, 95 %", "best model"].map(str::to_owned).to_vec();
    let rows: Vec<Vec<String>> = std::iter::once(header).chain(analysis.series.iter().map(line)).collect();
    let lines = columns(&rows);
    writeln!(out, "{}", strong(&lines[0]))?;
    lines[1..].iter().try_for_each(|line| writeln!(out, "{line}"))?;
    writeln!(out)?;
    let rules = analysis.whose_rules();
    if !rules.is_empty() {
        writeln!(out, "{}", faint(rules.trim_start()))?;
    }
    if censored > 0 {
        writeln!(out, "{}: {} of {} trials; they are included", alarm("censored"), commas(censored), commas(all))?;
    }
    let repeated = repeated(analysis.series.iter().map(|one| &one.series));
    if !repeated.is_empty() {
        writeln!(out, "{}: {repeated}", faint("note"))?;
    }
    no_fits(out, analysis)?;
    writeln!(out, "{} {}", faint("seed of the bootstrap:"), analysis.seed)?;
    writeln!(out, "{} {}", faint("page:"), folder.join("report.html").display())?;
    writeln!(
        out,
        "{} {}, {}",
        faint("figures, tables:"),
        folder.join("figures").display(),
        folder.join("tables").display()
    )
}

/// Why there is no fit, for a few series; tables say it of all.
fn no_fits(out: &mut dyn Write, analysis: &Analysis) -> io::Result<()> {
    let without: Vec<(&str, &str)> = analysis
        .series
        .iter()
        .filter_map(|one| Some((one.series.label.as_str(), one.growth.as_ref().err()?.as_str())))
        .collect();
    without.iter().take(MOST_REASONS).try_for_each(|(label, why)| writeln!(out, "{label}: {why}"))?;
    match without.len().saturating_sub(MOST_REASONS) {
        0 => Ok(()),
        more => writeln!(out, "{more} more series have no fit; tables/fits.md says why"),
    }
}

fn line(one: &Analysed) -> Vec<String> {
    let cells = &one.series.cells;
    let n = match cells.as_slice() {
        [first, .., last] => format!("{} to {}", first.n, last.n),
        _ => cells.first().map_or("-".into(), |cell| cell.n.to_string()),
    };
    let trials = cells.iter().map(|cell| cell.steps.len()).sum::<usize>();
    let censored = cells.iter().map(|cell| cell.steps.censored()).sum::<usize>();
    let growth = one.growth.as_ref().ok();
    let slope = growth.and_then(|growth| growth.power.a.as_ref()).map_or("-".into(), exponent);
    let best = growth.and_then(|growth| growth.verdicts.iter().max_by(|a, b| a.weight.total_cmp(&b.weight)));
    let best = best.map_or("-".into(), |best| {
        let fits = best.fit.p().is_none_or(|p| p >= 0.01);
        format!("{}{}", best.scale.name(), if fits { "" } else { " (does not fit)" })
    });
    let n = growth.map_or(n, sizes);
    vec![one.series.label.clone(), n, commas(trials), commas(censored), slope, best]
}
