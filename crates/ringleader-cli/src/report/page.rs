//! The report as sections of text, figures and tables, and as one HTML page that needs nothing else.

use std::fmt::Write;

use ringleader::stats::fit::Scale;
use ringleader_records::analysis::{Analysis, Sweep};
use ringleader_records::meta::Meta;
use ringleader_records::series::Series;

use crate::report::figures;
use crate::report::svg::{Figure, escape};
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

/// The sections that have something to show.
pub(crate) fn sections(analysis: &Analysis) -> Vec<Section> {
    let scaled = Scale::ALL.into_iter().flat_map(|scale| figures::steps(analysis, Some(scale))).collect();
    let mut sections: Vec<Section> = parameters(analysis);
    sections.extend([
        Section::new("Steps", STEPS, figures::steps(analysis, None), vec![tables::steps(analysis)]),
        Section::new("Steps divided by claimed growths", SCALED, scaled, vec![tables::scaled(analysis)]),
        Section::new(
            "Fits",
            FITS,
            figures::local(analysis),
            vec![tables::fits(analysis), tables::models(analysis), tables::local(analysis)],
        ),
        Section::new("With high probability", TAILS, figures::tails(analysis), vec![tables::tails(analysis)]),
        Section::new("Phases", PHASES, figures::phases(analysis), vec![tables::phases(analysis)]),
    ]);
    let survival = figures::survival(analysis);
    if !survival.is_empty() {
        sections.push(Section::new("Censored trials", SURVIVAL, survival, Vec::new()));
    }
    sections.push(Section::new(
        "Is it faster?",
        FASTER,
        figures::ratios(analysis),
        vec![tables::comparisons(analysis)],
    ));
    let rules = analysis.whose_rules();
    for section in &mut sections {
        section.tables.retain(|table| !table.rows.is_empty());
        section.tables.iter_mut().for_each(|table| table.note(&rules));
    }
    sections.retain(|section| !section.tables.is_empty() || !section.figures.is_empty());
    sections
}

/// A section for every parameter that varies alone.
fn parameters(analysis: &Analysis) -> Vec<Section> {
    let section = |(k, sweep): (usize, &Sweep)| {
        let name = format!("parameter-{}", k + 1);
        let (figures, table) = (figures::sweep(analysis, sweep, &name), tables::sweep(analysis, sweep, &name));
        let title = format!("Sensitivity to {} ({})", sweep.parameter, sweep.label);
        Section::new(&title, SWEEP, figures, vec![table])
    };
    analysis.sweeps.iter().enumerate().map(section).collect()
}

const STEPS: &str = "Every trial of the records is included. A trial that met its limit is censored: it is known \
    to take longer than that. An open mark with an arrow is a median that is known only from below.";
const SCALED: &str = "A curve that stays level grows like its divisor.";
const FITS: &str = "The fits use the mean of each size, which is what the claims are about, or the median if a trial of the \
    series is censored. Weights and intervals come from resampling the trials of each size. The assumptions are: trials are \
    independent; there are enough of them for the logarithm of a mean to be nearly normal; the model holds for all sizes \
    shown. Constants and logarithms hide lower-order terms: a fit over small n is not a statement about large n.";
const TAILS: &str = "Curves are on a logarithmic scale: a straight tail is exponential. A mark on a curve is where it falls \
    to 1/n; the claim is that these marks stay to the left of a constant.";
const PHASES: &str = "The first steps at which the sets of the paper hold, if the sweep recorded them.";
const SURVIVAL: &str = "The estimate of Kaplan and Meier uses censored trials up to their limits.";
const FASTER: &str =
    "A ratio below 1 means faster. An interval that contains 1, or a corrected p above 0.05, decides nothing.";
const SWEEP: &str =
    "All other parameters are the same. An open mark with an arrow is a median that is known only from below.";

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

/// The whole page.
pub(crate) fn html(analysis: &Analysis, sections: &[Section], metas: &[Meta]) -> String {
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
    for section in sections {
        let _ = writeln!(out, "<h2>{}</h2>\n<p>{}</p>", escape(&section.title), escape(&section.text));
        for figure in &section.figures {
            let caption = escape(&figure.caption);
            let _ = writeln!(out, "<figure>\n{}<figcaption>{caption}.</figcaption>\n</figure>", figure.render());
        }
        section.tables.iter().for_each(|table| out.push_str(&table.html()));
    }
    out.push_str("<h2>Records</h2>\n");
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
.wide { overflow-x: auto; margin: 1.5rem 0; }
table { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }
caption { padding-bottom: 0.4rem; position: sticky; left: 0; max-width: min(58rem, 100vw - 2rem); }
th, td { padding: 0.15rem 0.6rem; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
thead th { border-bottom: 1px solid currentColor; }
tbody tr:nth-child(even) { background: light-dark(#f5f5f5, #1f2228); }
pre { overflow-x: auto; background: light-dark(#f5f5f5, #1f2228); padding: 0.8rem; }
";
