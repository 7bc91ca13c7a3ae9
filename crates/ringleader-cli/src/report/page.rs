//! The report as sections of text, figures and tables, and as one HTML page that needs nothing else.

use std::fmt::Write;

use ringleader::stats::fit::Scale;
use ringleader_records::analysis::{Analysis, Sweep};
use ringleader_records::meta::Meta;
use ringleader_records::series::Series;

use crate::report::choice::once;
use crate::report::figures::{self, Style};
use crate::report::plot::Figure;
use crate::report::svg::{self, escape};
use crate::report::tables::{self, Table};
use crate::text::commas;

/// A part of a report.
pub(crate) struct Section {
    pub(crate) title: String,
    pub(crate) text: String,
    pub(crate) figures: Vec<Figure>,
    pub(crate) tables: Vec<Table>,
}

impl Section {
    fn new(title: &str, text: &str, figures: Vec<Figure>, tables: Vec<Table>) -> Self {
        Self { title: title.into(), text: text.into(), figures, tables }
    }
}

/// How many figures of one kind there are where every series has its own, unless some are asked for; tables hold all series.
const MOST_FIGURES: usize = 12;

/// The sections that have something to show, with all their figures.
pub(crate) fn sections(analysis: &Analysis, style: Style) -> Vec<Section> {
    let scaled = Scale::ALL.into_iter().flat_map(|scale| figures::steps(analysis, Some(scale), style)).collect();
    let mut sections = vec![Section::new("Constants", CONSTANTS, Vec::new(), vec![tables::constants(analysis)])];
    sections.extend(parameters(analysis, style));
    sections.extend([
        Section::new("Steps", STEPS, figures::steps(analysis, None, style), vec![tables::steps(analysis)]),
        Section::new("Steps divided by claimed growths", SCALED, scaled, vec![tables::scaled(analysis)]),
        Section::new(
            "Fits",
            FITS,
            figures::local(analysis, style),
            vec![tables::fits(analysis), tables::models(analysis), tables::local(analysis)],
        ),
        Section::new("Histograms", HISTOGRAMS, figures::histograms(analysis), Vec::new()),
        Section::new("With high probability", TAILS, figures::tails(analysis, style), vec![tables::tails(analysis)]),
        Section::new("Where the time goes", SHARES, figures::shares(analysis), vec![tables::shares(analysis)]),
        Section::new("Phases", PHASES, figures::phases(analysis, style), vec![tables::phases(analysis)]),
        Section::new("Censored trials", SURVIVAL, figures::survival(analysis, style), Vec::new()),
        Section::new("Is it faster?", FASTER, figures::ratios(analysis, style), vec![tables::comparisons(analysis)]),
    ]);
    let rules = analysis.whose_rules();
    for section in &mut sections {
        section.tables.retain(|table| !table.rows.is_empty());
        section.tables.iter_mut().for_each(|table| table.note(&rules));
    }
    sections.retain(|section| !section.tables.is_empty() || !section.figures.is_empty());
    figures::tell_apart(sections.iter_mut().flat_map(|section| &mut section.figures));
    sections
}

/// Keeps the figures of these names or kinds, or some of each kind if none are named.
///
/// # Errors
/// If there is no figure of a name.
pub(crate) fn choose(sections: &mut Vec<Section>, wanted: &[String]) -> Result<(), String> {
    let is = |figure: &Figure, name: &str| figure.name == name || figure.kind == name;
    let figures = || sections.iter().flat_map(|section| &section.figures);
    if let Some(unknown) = wanted.iter().find(|name| !figures().any(|figure| is(figure, name))) {
        let names = once(figures().flat_map(|figure| [figure.kind, &figure.name]));
        return Err(format!("--figure {unknown}: there is no such figure; allowed are {}", names.join(", ")));
    }
    for section in sections.iter_mut() {
        if wanted.is_empty() {
            few(section);
        } else {
            section.figures.retain(|figure| wanted.iter().any(|name| is(figure, name)));
        }
    }
    sections.retain(|section| !section.tables.is_empty() || !section.figures.is_empty());
    Ok(())
}

/// Leaves out figures where there are too many of a kind, and says so.
fn few(section: &mut Section) {
    let all = section.figures.len();
    if section.figures.first().is_some_and(|first| section.figures.iter().all(|figure| figure.kind == first.kind)) {
        section.figures.truncate(MOST_FIGURES);
    }
    if section.figures.len() < all {
        let _ = write!(section.text, " Here are {MOST_FIGURES} of {all} figures; --figure and --only choose others.");
    }
}

/// A section for every parameter that varies alone.
fn parameters(analysis: &Analysis, style: Style) -> Vec<Section> {
    let section = |(k, sweep): (usize, &Sweep)| {
        let name = format!("parameter-{}", k + 1);
        let (figures, table) = (figures::sweep(analysis, sweep, &name, style), tables::sweep(analysis, sweep, &name));
        let title = format!("Sensitivity to {} ({})", sweep.parameter, sweep.label);
        Section::new(&title, SWEEP, figures, vec![table])
    };
    analysis.sweeps.iter().enumerate().map(section).collect()
}

const CONSTANTS: &str = "How fast it is, in a number: the constant in front of the growth that suits the steps best.";
const STEPS: &str = "Every trial of the records is included. A trial that met its limit is censored: it is known \
    to take longer than that. Figures show means, or medians where trials are censored. An open mark with an arrow is known only \
    from below.";
const SCALED: &str = "A curve that stays level grows like its divisor.";
const FITS: &str = "The fits use the mean of each size, which is what the claims are about, or the median if a trial of the \
    series is censored. Weights and intervals come from resampling the trials of each size. The assumptions are: trials are \
    independent; there are enough of them for the logarithm of a mean to be nearly normal; the model holds for all sizes \
    shown. Constants and logarithms hide lower-order terms: a fit over small n is not a statement about large n.";
const HISTOGRAMS: &str = "How many trials take so many steps, at the largest size of each series.";
const TAILS: &str = "Curves are on a logarithmic scale: a straight tail is exponential. A mark on a curve is where it falls \
    to 1/n; the claim is that these marks stay to the left of a constant.";
const SHARES: &str = "The mean time from each phase to the next, in the order of their means. What every trial reaches is shown; a \
    phase may be left again.";
const PHASES: &str = "The first steps at which the sets of the paper hold, if the sweep recorded them.";
const SURVIVAL: &str = "The estimate of Kaplan and Meier uses censored trials up to their limits.";
const FASTER: &str =
    "A ratio below 1 means faster. An interval that contains 1, or a corrected p above 0.05, decides nothing.";
const SWEEP: &str = "All other parameters are the same. An open mark with an arrow is known only from below.";

/// What the records say of themselves: each different origin once.
pub(crate) fn origins(metas: &[Meta]) -> Vec<&Meta> {
    let mut origins: Vec<&Meta> = Vec::new();
    for meta in metas {
        let same = |known: &&Meta| {
            (&known.definition, &known.version, &known.machine) == (&meta.definition, &meta.version, &meta.machine)
        };
        if !origins.iter().any(same) {
            origins.push(meta);
        }
    }
    origins
}

/// What the records of sweeps that are under way lack.
pub(crate) fn unfinished(records: &[String]) -> String {
    format!("{} will hold more trials; short ones finish first, so these figures are too low", records.join(", "))
}

/// The whole page; these records are of sweeps under way.
pub(crate) fn html(analysis: &Analysis, sections: &[Section], metas: &[Meta], under_way: &[String]) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Ringleader report</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>Ringleader report</h1>\n"
    );
    let (trials, censored) = trials(analysis);
    let rules = analysis.whose_rules();
    let _ = writeln!(
        out,
        "<p>{} trials in {} series, {} of them censored. {} Seed of the bootstrap: {}.{}</p>",
        commas(trials),
        commas(analysis.series.len()),
        commas(censored),
        repeated(analysis.series.iter().map(|one| &one.series)),
        analysis.seed,
        escape(&rules)
    );
    if !under_way.is_empty() {
        let _ = writeln!(out, "<p><strong>Under way:</strong> {}.</p>", escape(&unfinished(under_way)));
    }
    warnings(&mut out, analysis);
    contents(&mut out, sections);
    for (k, section) in sections.iter().enumerate() {
        let _ = writeln!(out, "<h2 id=\"{}\">{}</h2>\n<p>{}</p>", k + 1, escape(&section.title), escape(&section.text));
        for figure in &section.figures {
            let (drawn, caption) = (svg::write(&figure.draw(false)), escape(&figure.description()));
            let _ = writeln!(out, "<figure>\n{drawn}<figcaption>{caption}.</figcaption>\n</figure>");
        }
        section.tables.iter().for_each(|table| out.push_str(&table.html()));
    }
    out.push_str("<h2 id=\"records\">Records</h2>\n");
    for meta in origins(metas) {
        let _ = writeln!(
            out,
            "<p>Seed {}, ringleader {}, on {}.</p>\n<details><summary>Definition</summary><pre>{}</pre></details>",
            meta.seed,
            escape(&meta.version),
            escape(&meta.machine),
            escape(&meta.definition)
        );
    }
    out + "</body>\n</html>\n"
}

/// Where a few trials carry the mean.
fn warnings(out: &mut String, analysis: &Analysis) {
    let warnings = tables::warnings(analysis);
    if !warnings.is_empty() {
        let items: String = warnings.iter().map(|warning| format!("<li>{}</li>\n", escape(warning))).collect();
        let _ =
            writeln!(out, "<p><strong>A few trials carry the mean:</strong></p>\n<ul class=\"warning\">\n{items}</ul>");
    }
}

fn contents(out: &mut String, sections: &[Section]) {
    let item = |to: String, title: &str| format!("<li><a href=\"#{to}\">{}</a></li>\n", escape(title));
    let items: String =
        sections.iter().enumerate().map(|(k, section)| item((k + 1).to_string(), &section.title)).collect();
    let _ = writeln!(out, "<nav>\n<ul>\n{items}{}</ul>\n</nav>", item("records".into(), "Records"));
}

/// A sentence on rows that are there more than once; empty if there are none.
pub(crate) fn repeated<'a>(series: impl IntoIterator<Item = &'a Series>) -> String {
    match series.into_iter().flat_map(|one| &one.cells).map(|cell| cell.repeated).sum::<usize>() {
        0 => String::new(),
        1 => "1 row repeats a trial of another; it is counted once.".into(),
        rows => format!("{} rows repeat trials of others; each trial is counted once.", commas(rows)),
    }
}

/// How many trials there are, and how many are censored.
pub(crate) fn trials(analysis: &Analysis) -> (usize, usize) {
    let cells = || analysis.series.iter().flat_map(|one| &one.series.cells);
    (cells().map(|cell| cell.steps.len()).sum(), cells().map(|cell| cell.steps.censored()).sum())
}

const STYLE: &str = "\
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, Helvetica, Arial, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color: light-dark(#1a1a1a, #e6e6e6); background: light-dark(#ffffff, #16181c); }
h2 { margin-top: 2.5rem; border-bottom: 1px solid light-dark(#ddd, #444); }
figure { margin: 1.5rem 0; }
figure svg { max-width: 100%; height: auto; }
figcaption, caption { font-size: 0.9rem; color: light-dark(#555, #aaa); text-align: left; }
nav ul { columns: 2; }
.warning { color: light-dark(#a33c00, #ffb380); }
/* A shadow at the side where more of a wide table is, and a bar that does not hide. */
.wide { overflow-x: auto; margin: 1.5rem 0; background:
  linear-gradient(to right, light-dark(#ffffff, #16181c) 50%, transparent) left / 40px 100% no-repeat local,
  linear-gradient(to left, light-dark(#ffffff, #16181c) 50%, transparent) right / 40px 100% no-repeat local,
  linear-gradient(to right, light-dark(#0005, #fff5), transparent) left / 16px 100% no-repeat,
  linear-gradient(to left, light-dark(#0005, #fff5), transparent) right / 16px 100% no-repeat; }
.wide::-webkit-scrollbar { height: 10px; }
.wide::-webkit-scrollbar-thumb { background: light-dark(#999, #777); border-radius: 5px; }
table { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }
caption { padding-bottom: 0.4rem; position: sticky; left: 0; max-width: min(58rem, 100vw - 2rem); }
th, td { padding: 0.15rem 0.6rem; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
thead th { border-bottom: 1px solid currentColor; }
tbody tr:nth-child(even) { background: light-dark(#0000000a, #ffffff0c); }
pre { overflow-x: auto; background: light-dark(#f5f5f5, #1f2228); padding: 0.8rem; }
";
