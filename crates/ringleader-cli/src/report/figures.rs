//! Figures of a report: which there are, of which series, and what they say of themselves.

use std::collections::BTreeSet;

use ringleader::stats::fit::Scale;
use ringleader::stats::histogram::histogram;
use ringleader::stats::survival::kaplan_meier;
use ringleader::stats::{Sample, proportion};
use ringleader_records::analysis::{Analysed, Analysis, CellStatistics, Location, Stage, Sweep};
use ringleader_records::series::Cell;

use crate::report::choice::once;
use crate::report::plot::{Axis, Bar, Data, Figure, Line, MOST_LINES, Mark};
use crate::text::commas;

/// How figures are drawn, where they may be drawn in several ways.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Style {
    /// Means or medians; unless told, means where they are known.
    pub(crate) centre: Option<Location>,
    /// Whether the axes are logarithmic, unless each figure decides.
    pub(crate) log_x: Option<bool>,
    pub(crate) log_y: Option<bool>,
}

/// Bins of a histogram, at most.
const BINS: usize = 40;
/// Values within this ratio are seen best from 0 on.
const NARROW: f64 = 30.0;

/// A growth in plain text, with the base of its logarithm.
fn growth(scale: Scale) -> &'static str {
    match scale {
        Scale::N2 => "n^2",
        Scale::N2LogN => "(n^2 log2 n)",
        Scale::N3 => "n^3",
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
    let ticks = ticks.into_iter().map(|n| (f64::from(n), n.to_string())).collect();
    Axis { label: "n (agents)".into(), log: true, ticks }
}

impl Style {
    /// The figure with the axes that were asked for.
    fn on_axes(self, mut figure: Figure) -> Figure {
        figure.x.log = self.log_x.unwrap_or(figure.x.log);
        figure.y.log = self.log_y.unwrap_or(figure.y.log);
        figure
    }

    /// What stands for these samples: the median where one of them was cut off, as in fits.
    fn centre<'a>(self, mut samples: impl Iterator<Item = &'a Sample>) -> Location {
        let automatic = || if samples.any(|sample| sample.censored() > 0) { Location::Median } else { Location::Mean };
        self.centre.unwrap_or_else(automatic)
    }
}

// --- Whose data -----------------------------------------------------------------------------------------------

/// Series that share a figure.
struct Group<'a> {
    /// What the names of its figures end with; may be empty.
    suffix: String,
    series: Vec<&'a Analysed>,
}

/// All series in one figure if they can be told apart there; else a figure for each protocol, or several where it has more series
/// than there are colours. A single size makes no line, so such series are left to the tables unless there are no others.
fn groups(analysis: &Analysis) -> Vec<Group<'_>> {
    let long = |one: &&Analysed| one.series.cells.len() > 1;
    let some = analysis.series.iter().any(|one| long(&one));
    let series: Vec<&Analysed> = analysis.series.iter().filter(|one| !some || long(one)).collect();
    if series.len() <= MOST_LINES {
        return vec![Group { suffix: String::new(), series }];
    }
    let protocols = once(series.iter().map(|one| one.series.kind.protocol.as_str()));
    protocols.into_iter().flat_map(|protocol| of_protocol(protocol, &series)).collect()
}

fn of_protocol<'a>(protocol: &str, series: &[&'a Analysed]) -> Vec<Group<'a>> {
    let own: Vec<&Analysed> = series.iter().copied().filter(|one| one.series.kind.protocol == protocol).collect();
    let several = own.len() > MOST_LINES;
    let suffix =
        |k: usize| if several { format!("-{}-{}", slug(protocol), k + 1) } else { format!("-{}", slug(protocol)) };
    own.chunks(MOST_LINES).enumerate().map(|(k, some)| Group { suffix: suffix(k), series: some.to_vec() }).collect()
}

/// A name as a part of the name of a file.
fn slug(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { ' ' }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join("-").to_lowercase()
}

impl Group<'_> {
    /// Whose data these are: protocols, and the start.
    fn subject(&self) -> String {
        if let [one] = self.series[..] {
            return subject(one);
        }
        let protocols = once(self.series.iter().map(|one| one.series.marked())).join(", ");
        match once(self.series.iter().map(|one| one.series.kind.start.as_str())).as_slice() {
            [start] => format!("{protocols} from {start}"),
            starts => format!("{protocols} from {} starts", starts.len()),
        }
    }

    /// The label of a series in this group, without what they have in common.
    fn label(&self, one: &Analysed) -> String {
        let same = self.series.iter().all(|other| other.series.kind.protocol == one.series.kind.protocol);
        let label = &one.series.label;
        let rest = label.strip_prefix(&one.series.marked()).map(|rest| rest.trim_start_matches([',', ' ']));
        rest.filter(|rest| same && !rest.is_empty()).map_or_else(|| label.clone(), str::to_owned)
    }

    fn measure(&self) -> &'static str {
        match self.series.first() {
            Some(first) if self.series.iter().all(|one| one.series.measure() == first.series.measure()) => {
                first.series.measure()
            }
            _ => "steps",
        }
    }
}

/// A series with its start, which its label leaves out where all have the same.
fn subject(one: &Analysed) -> String {
    let (label, start) = (&one.series.label, &one.series.kind.start);
    if label.contains(start.as_str()) { label.clone() } else { format!("{label} from {start}") }
}

/// A figure for every series that has something to show.
fn each(analysis: &Analysis, kind: &'static str, figure: impl Fn(&Analysed) -> Option<Figure>) -> Vec<Figure> {
    let named = |one: &Analysed| {
        let figure = figure(one).filter(Figure::has_points)?;
        Some(Figure { kind, name: format!("{kind}-{}", slug(&one.series.label)), ..figure })
    };
    analysis.series.iter().filter_map(named).collect()
}

/// Numbers the names that are there more than once, since different series may be called nearly the same.
pub(crate) fn tell_apart<'a>(figures: impl Iterator<Item = &'a mut Figure>) {
    let mut known: BTreeSet<String> = BTreeSet::new();
    for figure in figures {
        let (name, mut times) = (figure.name.clone(), 1);
        while !known.insert(figure.name.clone()) {
            times += 1;
            figure.name = format!("{name}-{times}");
        }
    }
}

// --- Against n ------------------------------------------------------------------------------------------------

/// Steps against n, as they are or divided by a growth.
pub(crate) fn steps(analysis: &Analysis, scale: Option<Scale>, style: Style) -> Vec<Figure> {
    let kind = match scale {
        None => "steps",
        Some(Scale::N2) => "steps-n2",
        Some(Scale::N2LogN) => "steps-n2logn",
        Some(Scale::N3) => "steps-n3",
    };
    let label = scale.map_or("steps".to_owned(), |scale| format!("steps / {}", growth(scale)));
    let divisor = move |n: u32| scale.map_or(1.0, |scale| scale.at(f64::from(n)));
    let figure = |group: Group<'_>| {
        let cells = group.series.iter().flat_map(|one| &one.series.cells);
        let centre = style.centre(cells.map(|cell| &cell.steps));
        let line = |one: &&Analysed| {
            let marks = one.series.cells.iter().filter_map(|cell| mark(cell.n, &cell.steps, centre, divisor(cell.n)));
            Line::marks(group.label(one), marks.collect())
        };
        let lines: Vec<Line> = group.series.iter().map(line).collect();
        let y = if scale.is_some() && narrow(&lines) { linear(label.clone()) } else { log(label.clone()) };
        style.on_axes(Figure {
            kind,
            name: format!("{kind}{}", group.suffix),
            title: format!("{}, {}", group.subject(), group.measure()),
            caption: format!(
                "{} {label} against n, with 95 % intervals (bars); 5 % to 95 % of the trials (bands)",
                centre.name()
            ),
            x: sizes(group.series.iter().copied()),
            y,
            lines,
        })
    };
    groups(analysis).into_iter().map(figure).collect()
}

fn narrow(lines: &[Line]) -> bool {
    let marks = lines.iter().filter_map(|line| if let Data::Marks(marks) = &line.data { Some(marks) } else { None });
    let ends = marks.flatten().fold((f64::INFINITY, 0.0_f64), |(a, b), mark| (a.min(mark.y), b.max(mark.y)));
    ends.1 <= NARROW * ends.0
}

/// The mean or the median at a size, with its interval and the band of most trials.
fn mark(n: u32, sample: &Sample, centre: Location, divisor: f64) -> Option<Mark> {
    let divided = |value: u64| value as f64 / divisor;
    let band = sample.quantile(5).zip(sample.quantile(95));
    let band = band.map(|(low, high)| (divided(low.value.value), divided(high.value.value)));
    let (y, interval, open) = match centre {
        Location::Mean => {
            let mean = sample.mean()?;
            let end = |to: Option<f64>| to.map_or(f64::INFINITY, |to| to / divisor);
            (mean.value / divisor, mean.interval.map(|(from, to)| (from / divisor, end(to))), !mean.exact)
        }
        Location::Median => {
            let median = sample.quantile(50)?;
            let interval = median.interval.map(|(from, to)| (divided(from.value), divided(to.value)));
            (divided(median.value.value), interval, !median.value.exact)
        }
    };
    Some(Mark { x: f64::from(n), y, interval, band, open })
}

/// The exponents between neighbouring sizes.
pub(crate) fn local(analysis: &Analysis, style: Style) -> Vec<Figure> {
    let figure = |group: Group<'_>| {
        let line = |one: &&Analysed| {
            let local = one.growth.as_ref().map_or(&[][..], |growth| &growth.local);
            let mark = |(from, to, slope): &(u32, u32, ringleader::stats::fit::Estimate)| Mark {
                x: (f64::from(*from) * f64::from(*to)).sqrt(),
                y: slope.value,
                interval: Some(slope.interval),
                ..Mark::default()
            };
            Line::marks(group.label(one), local.iter().map(mark).collect())
        };
        style.on_axes(Figure {
            kind: "exponents",
            name: format!("exponents{}", group.suffix),
            title: format!("{}, growth of the {}", group.subject(), group.measure()),
            caption: "the exponent of n between each size and the next, with 95 % intervals".into(),
            x: sizes(group.series.iter().copied()),
            y: linear("exponent of n"),
            lines: group.series.iter().map(line).collect(),
        })
    };
    groups(analysis).into_iter().map(figure).filter(Figure::has_points).collect()
}

// --- Distributions --------------------------------------------------------------------------------------------

/// How often which numbers of steps occur, at the largest size of each series.
pub(crate) fn histograms(analysis: &Analysis) -> Vec<Figure> {
    each(analysis, "histogram", |one| {
        let cell = one.series.cells.last()?;
        let found = histogram(&cell.steps, BINS)?;
        let bar = |bin: &ringleader::stats::histogram::Bin| Bar {
            x: (bin.from as f64, bin.to as f64 + 1.0),
            y: (0.0, bin.count as f64),
        };
        let cut: usize = found.bins.iter().map(|bin| bin.cut).sum();
        let (all, n) = (cell.steps.len(), cell.n);
        let cut =
            if cut > 0 { format!("; {} were cut off, and count where that was", commas(cut)) } else { String::new() };
        Some(Figure {
            title: format!("{}, {} at n = {n}", subject(one), one.series.measure()),
            caption: format!("how many of {} trials take so many steps{cut}", commas(all)),
            x: Axis { label: "steps".into(), log: found.log, ticks: Vec::new() },
            y: linear("trials"),
            lines: vec![Line { label: String::new(), data: Data::Bars(found.bins.iter().map(bar).collect()) }],
            ..Figure::default()
        })
    })
}

/// How many trials take longer, for every size of a series; marks where it is 1/n.
pub(crate) fn tails(analysis: &Analysis, style: Style) -> Vec<Figure> {
    each(analysis, "tail", |one| {
        Some(style.on_axes(Figure {
            title: format!("{}, {}", subject(one), one.series.measure()),
            caption: "the fraction of trials that take longer, after Kaplan and Meier; marks where it is 1/n".into(),
            x: linear(format!("steps / {}", growth(one.series.scale))),
            y: log("fraction that takes longer"),
            lines: spread(&one.series.cells).into_iter().map(|k| tail(one, k)).collect(),
            ..Figure::default()
        }))
    })
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
    let points = steps.iter().map(|step| (step.time as f64 / scale, step.survival)).filter(|place| place.1 > 0.0);
    let known = one.cells[k].tail.filter(|tail| tail.value.exact && cell.steps.len() >= cell.n as usize);
    let special = known.map(|tail| (tail.value.value as f64 / scale, 1.0 / f64::from(cell.n)));
    let points = std::iter::once((0.0, 1.0)).chain(points).collect();
    Line { label: format!("n = {}", cell.n), data: Data::Curve(points, special.into_iter().collect()) }
}

/// Survival curves of the series with censored trials, on a plain scale.
pub(crate) fn survival(analysis: &Analysis, style: Style) -> Vec<Figure> {
    each(analysis, "survival", |one| {
        let censored = one.series.cells.iter().any(|cell| cell.steps.censored() > 0);
        censored.then(|| {
            style.on_axes(Figure {
                title: format!("{}, {}", subject(one), one.series.measure()),
                caption:
                    "the fraction of trials that are not yet safe, after Kaplan and Meier; curves end at the limit"
                        .into(),
                x: log(format!("steps / {}", growth(one.series.scale))),
                y: linear("fraction not yet safe"),
                lines: spread(&one.series.cells).into_iter().map(|k| curve(one, k)).collect(),
                ..Figure::default()
            })
        })
    })
}

/// From one just before the first end to the limit, where the curve stays.
fn curve(one: &Analysed, k: usize) -> Line {
    let cell = &one.series.cells[k];
    let scale = one.series.scale.at(f64::from(cell.n));
    let steps = kaplan_meier(&cell.steps.observations());
    let place = |time: u64, y: f64| (time as f64 / scale, y);
    let first = steps.first().map_or(cell.limits.1, |step| step.time);
    let mut points = vec![place(first, 1.0)];
    points.extend(steps.iter().map(|step| place(step.time, step.survival)));
    if cell.steps.censored() > 0 {
        let last = steps.last().map_or(1.0, |step| step.survival);
        points.push(place(cell.limits.1, last));
    }
    Line { label: format!("n = {}", cell.n), data: Data::Curve(points, Vec::new()) }
}

// --- Phases ---------------------------------------------------------------------------------------------------

/// First steps of the phases of each series against n.
pub(crate) fn phases(analysis: &Analysis, style: Style) -> Vec<Figure> {
    each(analysis, "phases", |one| {
        let samples = one.series.cells.iter().flat_map(|cell| cell.phases.iter().map(|(_, sample)| sample));
        let centre = style.centre(samples);
        Some(style.on_axes(Figure {
            title: format!("{}, phases", subject(one)),
            caption: format!(
                "{} first steps of phases, with 95 % intervals; step 0 is not on a logarithmic axis",
                centre.name()
            ),
            x: sizes(std::iter::once(one)),
            y: log("steps"),
            lines: phase_lines(&one.series.cells, centre),
            ..Figure::default()
        }))
    })
}

fn phase_lines(cells: &[Cell], centre: Location) -> Vec<Line> {
    let mut lines: Vec<(&str, Vec<Mark>)> = Vec::new();
    for cell in cells {
        for (name, sample) in &cell.phases {
            let Some(mark) = mark(cell.n, sample, centre, 1.0) else { continue };
            let mark = Mark { band: None, ..mark };
            match lines.iter_mut().find(|line| line.0 == *name) {
                Some(line) => line.1.push(mark),
                None => lines.push((name, vec![mark])),
            }
        }
    }
    lines.into_iter().map(|(name, marks)| Line::marks(name, marks)).collect()
}

/// Half the width of a bar that stands for a size.
const HALF_BAR: f64 = 0.36;

/// Where the time goes: for each size a bar that is divided among the phases, in the same order at all sizes.
pub(crate) fn shares(analysis: &Analysis) -> Vec<Figure> {
    each(analysis, "shares", |one| {
        let drawn = longest(&one.cells);
        let mut bars: Vec<Vec<Bar>> = vec![Vec::new(); drawn.len()];
        for (place, known) in one.cells.iter().enumerate() {
            let (place, mut below) = (place as f64, 0.0);
            for (bars, share) in bars.iter_mut().zip(divided(&known.stages, &drawn)) {
                let above = below + 100.0 * share;
                bars.push(Bar { x: (place - HALF_BAR, place + HALF_BAR), y: (below, above) });
                below = above;
            }
        }
        let line = |(name, bars): (&&str, Vec<Bar>)| Line { label: format!("until {name}"), data: Data::Bars(bars) };
        let ticks = one.series.cells.iter().enumerate().map(|(place, cell)| (place as f64, cell.n.to_string()));
        Some(Figure {
            title: format!("{}, where the time goes", subject(one)),
            caption: "mean time from each phase to the next, as a share of the mean time to safety".into(),
            x: Axis { label: "n (agents)".into(), log: false, ticks: ticks.collect() },
            y: linear("share of the time (%)"),
            lines: drawn.iter().zip(bars).map(line).collect(),
            ..Figure::default()
        })
    })
}

/// The shares of the stages that are drawn; what is not drawn by itself is counted with what comes after it.
fn divided(stages: &[Stage], drawn: &[&str]) -> Vec<f64> {
    let (mut shares, mut waiting) = (vec![0.0; drawn.len()], 0.0);
    for stage in stages {
        waiting += stage.share;
        if let Some(k) = drawn.iter().position(|name| *name == stage.until) {
            shares[k] += std::mem::take(&mut waiting);
        }
    }
    if let Some(last) = shares.last_mut() {
        *last += waiting;
    }
    shares
}

/// The stages that take the greatest shares, as many as there are colours, in the order of the largest size; always the last, which
/// ends with safety.
fn longest(cells: &[CellStatistics]) -> Vec<&str> {
    let stages = cells.iter().rev().find(|cell| !cell.stages.is_empty()).map_or(&[][..], |cell| &cell.stages);
    let most = |name: &str| {
        let shares = cells.iter().flat_map(|cell| &cell.stages).filter(|stage| stage.until == name);
        shares.map(|stage| stage.share).fold(0.0, f64::max)
    };
    let mut names: Vec<&str> = stages.iter().map(|stage| stage.until.as_str()).collect();
    while names.len() > MOST_LINES {
        let least = (0..names.len() - 1).min_by(|&a, &b| most(names[a]).total_cmp(&most(names[b]))).unwrap_or(0);
        names.remove(least);
    }
    names
}

// --- Comparisons and parameters -------------------------------------------------------------------------------

/// The ratios of medians to the baseline.
pub(crate) fn ratios(analysis: &Analysis, style: Style) -> Vec<Figure> {
    let base = analysis.series.get(analysis.baseline).map_or("", |one| &one.series.label);
    let line = |group: &Group<'_>, one: &Analysed| {
        let mine = |k: usize| std::ptr::eq(&raw const analysis.series[k], one);
        let marks = analysis.comparisons.iter().filter(|compared| mine(compared.series)).filter_map(|one| {
            let ratio = one.ratio?;
            let open = ratio.value.1.is_infinite();
            let y = if open { ratio.value.0 } else { ratio.value.1 };
            let interval = Some(ratio.interval).filter(|ends| ends.0 > 0.0 && ends.1.is_finite());
            Some(Mark { x: f64::from(one.n), y, interval, open, ..Mark::default() })
        });
        Line::marks(group.label(one), marks.collect())
    };
    let figure = |group: Group<'_>| {
        style.on_axes(Figure {
            kind: "faster",
            name: format!("faster{}", group.suffix),
            title: format!("{}, compared with {base}", group.subject()),
            caption: format!("the median divided by that of {base}, with 95 % intervals; below 1 is faster"),
            x: sizes(group.series.iter().copied()),
            y: log(format!("median / median of {base}")),
            lines: group.series.iter().map(|one| line(&group, one)).filter(|line| !line.is_empty()).collect(),
        })
    };
    groups(analysis).into_iter().map(figure).filter(Figure::has_points).collect()
}

/// Steps, and the share of censored trials, against a parameter.
pub(crate) fn sweep(analysis: &Analysis, sweep: &Sweep, name: &str, style: Style) -> Vec<Figure> {
    let log = sweep.members.iter().all(|(value, _)| *value > 0.0);
    let ticks = sweep.members.iter().map(|(value, _)| (*value, format!("{}", (value * 1000.0).round() / 1000.0)));
    let x = Axis { label: sweep.parameter.replace("-log2n", " - log2 n"), log, ticks: ticks.collect() };
    let cells = || sweep.members.iter().flat_map(|(_, k)| &analysis.series[*k].series.cells);
    let centre = style.centre(cells().map(|cell| &cell.steps));
    let steps = |cell: &Cell| {
        let mark = mark(cell.n, &cell.steps, centre, Scale::N2LogN.at(f64::from(cell.n)))?;
        Some(Mark { band: None, ..mark })
    };
    let censored = |cell: &Cell| {
        let (hits, all) = (cell.steps.censored(), cell.steps.len());
        Some(Mark { y: hits as f64 / all as f64, interval: Some(proportion::interval(hits, all)), ..Mark::default() })
    };
    let (kind, title) = ("parameter", format!("{}, sensitivity to {}", sweep.label, sweep.parameter));
    let mut figures = vec![style.on_axes(Figure {
        kind,
        name: name.to_owned(),
        title: title.clone(),
        caption: format!(
            "{} steps / {} against {}, with 95 % intervals",
            centre.name(),
            growth(Scale::N2LogN),
            sweep.parameter
        ),
        x: x.clone(),
        y: self::log(format!("steps / {}", growth(Scale::N2LogN))),
        lines: sweep_lines(analysis, sweep, steps),
    })];
    if cells().any(|cell| cell.steps.censored() > 0) {
        figures.push(Figure {
            kind,
            name: format!("{name}-censored"),
            title,
            caption: format!("the share of censored trials against {}, with exact 95 % intervals", sweep.parameter),
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
        Line::marks(format!("n = {n}"), points.collect())
    };
    sizes.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(until: &str, share: f64) -> Stage {
        Stage { until: until.into(), mean: 0.0, steps: 0.0, share }
    }

    #[test]
    fn what_is_not_drawn_counts_with_what_comes_after_it() {
        let stages = [stage("a", 0.125), stage("b", 0.25), stage("c", 0.5), stage("d", 0.125)];
        assert_eq!(divided(&stages, &["b", "c"]), [0.375, 0.625]);
        assert_eq!(divided(&stages, &["c", "a", "d"]), [0.75, 0.125, 0.125], "in the order that was asked for");
        assert_eq!(divided(&[], &["a"]), [0.0]);
    }

    #[test]
    fn no_two_figures_have_the_same_name() {
        let named = |name: &str| Figure { name: name.into(), ..Figure::default() };
        let mut figures = ["a", "a-2", "a", "b", "a"].map(named);
        tell_apart(figures.iter_mut());
        assert_eq!(figures.map(|figure| figure.name), ["a", "a-2", "a-3", "b", "a-4"]);
    }

    #[test]
    fn names_of_files_are_plain() {
        assert_eq!(slug("ppl c1=0.250, wrong-id; ../x"), "ppl-c1-0-250-wrong-id-x");
    }

    #[test]
    fn values_that_differ_little_are_shown_from_0() {
        let line = |ys: &[f64]| Line::marks("", ys.iter().map(|&y| Mark { y, ..Mark::default() }).collect());
        assert!(narrow(&[line(&[1.0, 30.0])]) && !narrow(&[line(&[1.0]), line(&[31.0])]));
    }
}
