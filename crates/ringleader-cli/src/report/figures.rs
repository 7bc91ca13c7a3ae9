//! Figures of a report.

use ringleader::stats::fit::Scale;
use ringleader::stats::survival::kaplan_meier;
use ringleader::stats::{Quantile, proportion};
use ringleader_records::analysis::{Analysed, Analysis, QUANTILES, Sweep};
use ringleader_records::series::Cell;

use crate::report::svg::{Axis, Figure, Line, MOST_LINES, Mark};

/// In figures exponents are raised.
fn raised(scale: Scale) -> &'static str {
    match scale {
        Scale::N2 => "n²",
        Scale::N2LogN => "n² log₂ n",
        Scale::N3 => "n³",
    }
}

fn log(label: impl Into<String>) -> Axis {
    Axis { label: label.into(), log: true, ticks: Vec::new() }
}

fn linear(label: impl Into<String>) -> Axis {
    Axis { label: label.into(), log: false, ticks: Vec::new() }
}

/// The sizes, with ticks where there are some.
fn sizes<'a>(series: impl Iterator<Item = &'a Analysed>) -> Axis {
    let mut ticks: Vec<u32> = series.flat_map(|one| one.series.cells.iter().map(|cell| cell.n)).collect();
    ticks.sort_unstable();
    ticks.dedup();
    Axis { label: "n, agents".into(), log: true, ticks: ticks.into_iter().map(f64::from).collect() }
}

/// How many figures of one kind there are at most where every series has its own; tables hold all series.
const MOST_FIGURES: usize = 12;

/// As many series as can be told apart, with a name for each figure. A single size makes no line, so such series are left
/// to the tables unless there are no others.
fn groups<'a>(analysis: &'a Analysis, name: &str) -> Vec<(String, Vec<&'a Analysed>)> {
    let long = |one: &&Analysed| one.series.cells.len() > 1;
    let some = analysis.series.iter().any(|one| long(&one));
    let series: Vec<&Analysed> = analysis.series.iter().filter(|one| !some || long(one)).collect();
    let several = series.len() > MOST_LINES;
    let name = |k: usize| if several { format!("{name}-{}", k + 1) } else { name.to_owned() };
    series.chunks(MOST_LINES).enumerate().map(|(k, group)| (name(k), group.to_vec())).collect()
}

/// Steps against n, as they are or divided by a growth.
pub(crate) fn steps(analysis: &Analysis, scale: Option<Scale>) -> Vec<Figure> {
    let (name, label) = match scale {
        None => ("steps", "steps".to_owned()),
        Some(Scale::N2) => ("steps-n2", format!("steps / {}", raised(Scale::N2))),
        Some(Scale::N2LogN) => ("steps-n2logn", format!("steps / {}", raised(Scale::N2LogN))),
        Some(Scale::N3) => ("steps-n3", format!("steps / {}", raised(Scale::N3))),
    };
    let divisor = move |n: u32| scale.map_or(1.0, |scale| scale.at(f64::from(n)));
    let line = |one: &&Analysed| Line {
        label: one.series.label.clone(),
        points: one
            .series
            .cells
            .iter()
            .zip(&one.cells)
            .filter_map(|(cell, known)| mark(cell, &known.quantiles, divisor(cell.n)))
            .collect(),
        ..Line::default()
    };
    let figure = |(name, group): (String, Vec<&Analysed>)| Figure {
        name,
        caption: format!("{label} against n: median, its 95 % interval (bars), 5 % to 95 % of the trials (bands)"),
        x: sizes(group.iter().copied()),
        y: log(label.clone()),
        lines: group.iter().map(line).collect(),
    };
    groups(analysis, name).into_iter().map(figure).collect()
}

/// The median of a cell with its interval and the band of most trials.
fn mark(cell: &Cell, quantiles: &[Quantile], divisor: f64) -> Option<Mark> {
    let at = |percent: usize| quantiles.get(QUANTILES.iter().position(|&known| known == percent)?);
    let divided = |value: u64| value as f64 / divisor;
    let median = at(50)?;
    let band = at(5).zip(at(95)).map(|(low, high)| (divided(low.value.value), divided(high.value.value)));
    let interval = median.interval.map(|(from, to)| (divided(from.value), divided(to.value)));
    let (x, y) = (f64::from(cell.n), divided(median.value.value));
    Some(Mark { x, y, interval, band, open: !median.value.exact })
}

/// The exponents between neighbouring sizes.
pub(crate) fn local(analysis: &Analysis) -> Vec<Figure> {
    let line = |one: &&Analysed| {
        let local = one.growth.as_ref().map_or(&[][..], |growth| &growth.local);
        let mark = |(from, to, slope): &(u32, u32, ringleader::stats::fit::Estimate)| Mark {
            x: (f64::from(*from) * f64::from(*to)).sqrt(),
            y: slope.value,
            interval: Some(slope.interval),
            ..Mark::default()
        };
        Line { label: one.series.label.clone(), points: local.iter().map(mark).collect(), ..Line::default() }
    };
    let figure = |(name, group): (String, Vec<&Analysed>)| Figure {
        name,
        caption: "The exponent of n between each size and the next, with 95 % intervals".into(),
        x: sizes(group.iter().copied()),
        y: linear("exponent of n"),
        lines: group.iter().map(line).collect(),
    };
    groups(analysis, "exponents").into_iter().map(figure).filter(Figure::has_points).collect()
}

/// How many trials take longer, for every size of a series; marks where it is 1/n.
pub(crate) fn tails(analysis: &Analysis) -> Vec<Figure> {
    let figure = |(k, one): (usize, &Analysed)| Figure {
        name: format!("tail-{}", k + 1),
        caption: format!(
            "{}: the fraction of trials that take longer, after Kaplan and Meier; marks where it is 1/n",
            one.series.label
        ),
        x: linear(format!("steps / {}", raised(one.series.scale))),
        y: log("fraction that takes longer"),
        lines: spread(&one.series.cells).into_iter().map(|k| tail(one, k)).collect(),
    };
    analysis.series.iter().enumerate().map(figure).take(MOST_FIGURES).collect()
}

/// As many of the cells as can be told apart, the smallest and the largest among them.
fn spread(cells: &[Cell]) -> Vec<usize> {
    let (count, most) = (cells.len(), MOST_LINES);
    if count <= most { (0..count).collect() } else { (0..most).map(|k| k * (count - 1) / (most - 1)).collect() }
}

fn tail(one: &Analysed, k: usize) -> Line {
    let cell = &one.series.cells[k];
    let scale = one.series.scale.at(f64::from(cell.n));
    let steps = kaplan_meier(&cell.steps.observations());
    let place = |time: u64, y: f64| Mark { x: time as f64 / scale, y, ..Mark::default() };
    let points = std::iter::once(place(0, 1.0)).chain(steps.iter().map(|step| place(step.time, step.survival)));
    let known = one.cells[k].tail.filter(|tail| tail.value.exact && cell.steps.len() >= cell.n as usize);
    let special = known.map(|tail| (tail.value.value as f64 / scale, 1.0 / f64::from(cell.n)));
    Line {
        label: format!("n = {}", cell.n),
        points: points.filter(|mark| mark.y > 0.0).collect(),
        steps: true,
        special: special.into_iter().collect(),
    }
}

/// Survival curves of the series with censored trials, on a plain scale.
pub(crate) fn survival(analysis: &Analysis) -> Vec<Figure> {
    let censored = |one: &Analysed| one.series.cells.iter().any(|cell| cell.steps.censored() > 0);
    let figure = |(k, one): (usize, &Analysed)| Figure {
        name: format!("survival-{}", k + 1),
        caption: format!(
            "{}: the fraction of trials that are not yet safe, after Kaplan and Meier; curves end at the limit",
            one.series.label
        ),
        x: log(format!("steps / {}", raised(one.series.scale))),
        y: linear("fraction not yet safe"),
        lines: spread(&one.series.cells).into_iter().map(|k| curve(one, k)).collect(),
    };
    analysis.series.iter().filter(|one| censored(one)).take(MOST_FIGURES).enumerate().map(figure).collect()
}

/// From one just before the first end to the limit, where the curve stays.
fn curve(one: &Analysed, k: usize) -> Line {
    let cell = &one.series.cells[k];
    let scale = one.series.scale.at(f64::from(cell.n));
    let steps = kaplan_meier(&cell.steps.observations());
    let place = |time: u64, y: f64| Mark { x: time as f64 / scale, y, ..Mark::default() };
    let first = steps.first().map_or(cell.limits.1, |step| step.time);
    let mut points = vec![place(first, 1.0)];
    points.extend(steps.iter().map(|step| place(step.time, step.survival)));
    if cell.steps.censored() > 0 {
        let last = steps.last().map_or(1.0, |step| step.survival);
        points.push(place(cell.limits.1, last));
    }
    Line { label: format!("n = {}", cell.n), points, steps: true, special: Vec::new() }
}

/// Medians of the phases of each series against n.
pub(crate) fn phases(analysis: &Analysis) -> Vec<Figure> {
    let figure = |(k, one): (usize, &Analysed)| Figure {
        name: format!("phases-{}", k + 1),
        caption: format!(
            "{}: medians of the first steps of phases, with 95 % intervals; step 0 is not on the logarithmic axis",
            one.series.label
        ),
        x: sizes(std::iter::once(one)),
        y: log("steps"),
        lines: phase_lines(&one.series.cells),
    };
    analysis.series.iter().enumerate().map(figure).filter(Figure::has_points).take(MOST_FIGURES).collect()
}

fn phase_lines(cells: &[Cell]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for cell in cells {
        for (name, sample) in &cell.phases {
            let quantiles: Vec<Quantile> =
                QUANTILES.into_iter().filter_map(|percent| sample.quantile(percent)).collect();
            let Some(mark) = mark(cell, &quantiles, 1.0).filter(|mark| mark.y > 0.0) else { continue };
            let mark = Mark { band: None, ..mark };
            match lines.iter_mut().find(|line| line.label == *name) {
                Some(line) => line.points.push(mark),
                None => lines.push(Line { label: name.clone(), points: vec![mark], ..Line::default() }),
            }
        }
    }
    lines
}

/// The ratios of medians to the baseline.
pub(crate) fn ratios(analysis: &Analysis) -> Vec<Figure> {
    let base = analysis.series.get(analysis.baseline).map_or("", |one| &one.series.label);
    let line = |k: usize| {
        let marks = analysis.comparisons.iter().filter(|one| one.series == k).filter_map(|one| {
            let ratio = one.ratio?;
            let open = ratio.value.1.is_infinite();
            let y = if open { ratio.value.0 } else { ratio.value.1 };
            let interval = Some(ratio.interval).filter(|ends| ends.0 > 0.0 && ends.1.is_finite());
            Some(Mark { x: f64::from(one.n), y, interval, open, ..Mark::default() })
        });
        Line { label: analysis.series[k].series.label.clone(), points: marks.collect(), ..Line::default() }
    };
    let all: Vec<Line> = (0..analysis.series.len()).map(line).filter(|line| !line.points.is_empty()).collect();
    let several = all.len() > MOST_LINES;
    let figure = |(k, lines): (usize, &[Line])| Figure {
        name: if several { format!("faster-{}", k + 1) } else { "faster".into() },
        caption: format!("The median divided by that of {base}, with 95 % intervals"),
        x: sizes(analysis.series.iter()),
        y: log(format!("median / median of {base}")),
        lines: lines.to_vec(),
    };
    all.chunks(MOST_LINES).enumerate().map(figure).collect()
}

/// Steps, and the share of censored trials, against a parameter.
pub(crate) fn sweep(analysis: &Analysis, sweep: &Sweep, name: &str) -> Vec<Figure> {
    let log = sweep.members.iter().all(|(value, _)| *value > 0.0);
    let ticks = sweep.members.iter().map(|(value, _)| *value).collect();
    let x = Axis { label: sweep.parameter.replace("-log2n", " - log₂ n"), log, ticks };
    let steps = |cell: &Cell| {
        let median = cell.steps.quantile(50)?;
        let scale = Scale::N2LogN.at(f64::from(cell.n));
        let interval = median.interval.map(|(from, to)| (from.value as f64 / scale, to.value as f64 / scale));
        Some(Mark { y: median.value.value as f64 / scale, interval, open: !median.value.exact, ..Mark::default() })
    };
    let censored = |cell: &Cell| {
        let (hits, all) = (cell.steps.censored(), cell.steps.len());
        Some(Mark { y: hits as f64 / all as f64, interval: Some(proportion::interval(hits, all)), ..Mark::default() })
    };
    let cut = sweep
        .members
        .iter()
        .any(|(_, k)| analysis.series[*k].series.cells.iter().any(|cell| cell.steps.censored() > 0));
    let of = |what: &str| format!("{what} against {} ({})", sweep.parameter, sweep.label);
    let mut figures = vec![Figure {
        name: name.to_owned(),
        caption: of("Medians, with 95 % intervals,"),
        x: x.clone(),
        y: self::log(format!("median / {}", raised(Scale::N2LogN))),
        lines: sweep_lines(analysis, sweep, steps),
    }];
    if cut {
        figures.push(Figure {
            name: format!("{name}-censored"),
            caption: of("The share of censored trials, with exact 95 % intervals,"),
            x,
            y: linear("share of censored trials"),
            lines: sweep_lines(analysis, sweep, censored),
        });
    }
    figures
}

/// A line for every size.
fn sweep_lines(analysis: &Analysis, sweep: &Sweep, mark: impl Fn(&Cell) -> Option<Mark>) -> Vec<Line> {
    let mut sizes: Vec<u32> =
        sweep.members.iter().flat_map(|(_, k)| analysis.series[*k].series.cells.iter().map(|cell| cell.n)).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let line = |n: u32| {
        let points = sweep.members.iter().filter_map(|&(value, k)| {
            let cell = analysis.series[k].series.cells.iter().find(|cell| cell.n == n)?;
            Some(Mark { x: value, ..mark(cell)? })
        });
        Line { label: format!("n = {n}"), points: points.collect(), ..Line::default() }
    };
    sizes.into_iter().map(line).collect()
}

impl Figure {
    fn has_points(&self) -> bool {
        self.lines.iter().any(|line| !line.points.is_empty())
    }
}
