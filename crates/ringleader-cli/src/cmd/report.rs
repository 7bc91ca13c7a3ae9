//! `ringleader report`: what records say, as a page, figures and tables.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ringleader::stats::fit::Verdict;
use ringleader_catalogue::Entries;
use ringleader_records::analysis::{Analysed, Analysis, Growth, analyse};
use ringleader_records::files;
use ringleader_records::series::{Series, files_of, is_under_way, load, select};

use crate::args::{AxisScale, ReportArgs};
use crate::report::figures::Style;
use crate::report::latex::{self, Columns};
use crate::report::page::{self, Section, repeated, trials};
use crate::report::tables::{deviation, estimate, exponent, sizes, warnings};
use crate::report::{numbers, pdf, pgf, svg};
use crate::stdout::print;
use crate::stop::Stop;
use crate::text::{alarm, columns, commas, faint, strong};

/// Where a report goes unless told otherwise.
const FOLDER: &str = "report";
/// How often the summary says the same of different series.
const MOST_SENTENCES: usize = 3;

pub(crate) fn report(args: &ReportArgs, entries: &Entries) -> Result<(), Stop> {
    let records = files_of(&args.records)?;
    // Looked for before they are read: a sweep may finish meanwhile, which makes what is said too careful.
    let under_way: Vec<String> =
        records.iter().filter(|path| is_under_way(path)).map(|path| path.display().to_string()).collect();
    let (series, metas) = load(&entries.catalogue(), &records)?;
    let series = chosen(series, args)?;
    let baseline = baseline(&series, args.baseline.as_deref())?;
    let analysis = analyse(series, args.seed, baseline);
    let folder = args.out.as_deref().or_else(|| (!args.json).then_some(Path::new(FOLDER)));
    let sections = sections(&analysis, args)?;
    let mut old = 0;
    if let Some(folder) = folder {
        let contents = contents(folder, args, &sections, page::html(&analysis, &sections, &metas, &under_way));
        write_all(folder, &contents, &records)?;
        old = left_over(folder, &contents);
    }
    let people = |out: &mut dyn Write| {
        if !under_way.is_empty() {
            writeln!(out, "{}: {}\n", alarm("under way"), page::unfinished(&under_way))?;
        }
        summary(out, &analysis, folder.unwrap_or(Path::new(FOLDER)))?;
        if old > 0 {
            writeln!(out, "{}: {} files there are none of this report's", alarm("note"), commas(old))?;
        }
        Ok(())
    };
    print(args.json, "report", || numbers::as_json(&analysis, &metas, &under_way), people)
}

/// The series and sizes that `--only` and `--n` leave.
fn chosen(series: Vec<Series>, args: &ReportArgs) -> Result<Vec<Series>, Stop> {
    if let Some(flaw) = args.only.iter().find_map(|only| only.flaw(&series)) {
        return Err(Stop::Bad(flaw));
    }
    let wanted = |one: &Series| args.only.is_empty() || args.only.iter().any(|only| only.holds(&one.kind));
    let size = |n: u32| args.n.as_ref().is_none_or(|span| span.holds(n));
    let mut sizes: Vec<u32> =
        series.iter().filter(|one| wanted(one)).flat_map(|one| one.cells.iter().map(|cell| cell.n)).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let chosen = select(series, wanted, size);
    if chosen.is_empty() {
        let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
        return Err(Stop::Bad(format!("--n leaves no trials; there are n = {}", sizes.join(", "))));
    }
    Ok(chosen)
}

/// The sections with the figures that are wanted; names of figures and columns must be right.
fn sections(analysis: &Analysis, args: &ReportArgs) -> Result<Vec<Section>, Stop> {
    let style = Style {
        centre: args.centre.map(Into::into),
        log_x: args.x_axis.map(|scale| scale == AxisScale::Log),
        log_y: args.y_axis.map(|scale| scale == AxisScale::Log),
    };
    let mut sections = page::sections(analysis, style);
    page::choose(&mut sections, &args.figures).map_err(Stop::Bad)?;
    let names = latex::names(sections.iter().flat_map(|section| &section.tables));
    if let Some(unknown) = args.columns.iter().find(|name| !names.contains(&name.as_str())) {
        let allowed = names.join(", ");
        return Err(Stop::Bad(format!("--columns {unknown}: no table has such a column; allowed are {allowed}")));
    }
    for figure in sections.iter_mut().flat_map(|section| &mut section.figures) {
        *figure = std::mem::take(figure).thinned();
    }
    Ok(sections)
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

/// The files of a report: where each goes, and its bytes.
fn contents(folder: &Path, args: &ReportArgs, sections: &[Section], page: String) -> Vec<(PathBuf, Vec<u8>)> {
    let columns = match args.columns.as_slice() {
        [] if args.wide => Columns::All,
        [] => Columns::Short,
        names => Columns::Named(names),
    };
    let mut contents: Vec<(String, Vec<u8>)> = Vec::new();
    for figure in sections.iter().flat_map(|section| &section.figures) {
        let drawing = figure.draw(!args.no_titles);
        let files = [("svg", svg::write(&drawing).into_bytes()), ("pdf", pdf::write(&drawing))];
        let data = [("csv", pgf::csv(figure).into_bytes()), ("tex", pgf::tex(figure).into_bytes())];
        let named = |(ending, bytes)| (format!("figures/{}.{ending}", figure.name), bytes);
        contents.extend(files.into_iter().chain(data).map(named));
    }
    for table in sections.iter().flat_map(|section| &section.tables) {
        contents.push((format!("tables/{}.md", table.name), table.markdown().into_bytes()));
        contents.push((format!("tables/{}.tex", table.name), latex::render(table, columns).into_bytes()));
    }
    contents.push(("report.html".into(), page.into_bytes()));
    contents.into_iter().map(|(name, bytes)| (folder.join(name), bytes)).collect()
}

/// Writes them all, unless one would take the place of records.
fn write_all(folder: &Path, contents: &[(PathBuf, Vec<u8>)], records: &[PathBuf]) -> Result<(), Stop> {
    contents.iter().try_for_each(|(path, _)| files::spare(records, path))?;
    for folder in [folder.join("figures"), folder.join("tables")] {
        let made = std::fs::create_dir_all(&folder);
        made.map_err(|error| Stop::Bad(format!("cannot make the folder {}: {error}", folder.display())))?;
    }
    let write = |(path, bytes): &(PathBuf, Vec<u8>)| files::write(path, |out| out.write_all(bytes));
    Ok(contents.iter().try_for_each(write)?)
}

/// How many files of earlier reports are beside those of this one.
fn left_over(folder: &Path, contents: &[(PathBuf, Vec<u8>)]) -> usize {
    let folders = [folder.join("figures"), folder.join("tables")].map(std::fs::read_dir);
    let files = folders.into_iter().flatten().flatten().flatten().map(|entry| entry.path());
    files.filter(|file| contents.iter().all(|(path, _)| path != file)).count()
}

fn summary(out: &mut dyn Write, analysis: &Analysis, folder: &Path) -> io::Result<()> {
    let (all, censored) = trials(analysis);
    let header =
        ["series", "n", "trials", "censored", "exponent of n, 95 %", "c, 95 %", "best model", "deviates by at most"]
            .map(str::to_owned)
            .to_vec();
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
    some(out, "A few trials carry the mean: ", &warnings(analysis), "such sizes are named in report.html")?;
    some(out, "", &no_fits(analysis), "series have no fit; tables/fits.md says why")?;
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

/// Why there is no fit, for each series without one.
fn no_fits(analysis: &Analysis) -> Vec<String> {
    let why = |one: &Analysed| Some(format!("{}: {}", one.series.label, one.growth.as_ref().err()?));
    analysis.series.iter().filter_map(why).collect()
}

/// The first few of these sentences, and how many there are besides.
fn some(out: &mut dyn Write, head: &str, sentences: &[String], rest: &str) -> io::Result<()> {
    sentences.iter().take(MOST_SENTENCES).try_for_each(|sentence| writeln!(out, "{}{sentence}", alarm(head)))?;
    match sentences.len().saturating_sub(MOST_SENTENCES) {
        0 => Ok(()),
        more => writeln!(out, "{more} more {rest}"),
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
    let best = growth.and_then(Growth::best);
    let of_best = |text: &dyn Fn(&Verdict) -> String| best.map_or("-".into(), text);
    let n = growth.map_or(n, sizes);
    vec![
        one.series.label.clone(),
        n,
        commas(trials),
        commas(censored),
        slope,
        of_best(&|best| estimate(&best.fit.c)),
        of_best(&|best| format!("c {}", best.scale.name())),
        of_best(&|best| deviation(&best.fit)),
    ]
}
