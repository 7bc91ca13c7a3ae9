//! What a report says, as plain data: every number that a table, a figure or JSON shows is made here.

use ringleader::stats::bootstrap::{self, generator};
use ringleader::stats::carried::{Carried, carried};
use ringleader::stats::compare::{self, Ratio, Test};
use ringleader::stats::fit::{self, Estimate, Fit, Model, Point, Scale, Verdict};
use ringleader::stats::{Mean, Quantile, Sample};

use crate::series::{Cell, Series, whose_rules};

/// The percentages of the quantiles in tables; the figures show the median and the outer two of the first five.
pub const QUANTILES: [usize; 6] = [5, 25, 50, 75, 95, 99];

/// How many sizes a fit of a power needs at least, so that something is left to judge it by.
pub const LEAST_SIZES: usize = 3;
/// How many trials of a size a fit needs at least: with fewer not even the median has an interval.
pub const LEAST_TRIALS: usize = 6;

/// All of it.
pub struct Analysis {
    /// The seed of the bootstrap.
    pub seed: u64,
    /// The series with their statistics.
    pub series: Vec<Analysed>,
    /// The series that the others are compared with.
    pub baseline: usize,
    /// All other series against the baseline, size by size.
    pub comparisons: Vec<Comparison>,
    /// Parameters that vary alone.
    pub sweeps: Vec<Sweep>,
}

impl Analysis {
    /// Whose rules those are that are not the paper's own.
    #[must_use]
    pub fn whose_rules(&self) -> String {
        whose_rules(self.series.iter().map(|one| &one.series))
    }
}

/// A series with its statistics.
pub struct Analysed {
    /// The series.
    pub series: Series,
    /// One for each of its cells.
    pub cells: Vec<CellStatistics>,
    /// How its steps grow with n, or why nothing is said of it.
    pub growth: Result<Growth, String>,
}

/// The statistics of a cell.
pub struct CellStatistics {
    /// The mean of its steps.
    pub mean: Option<Mean>,
    /// The quantiles at [`QUANTILES`].
    pub quantiles: Vec<Quantile>,
    /// The quantile at 1 - 1/n.
    pub tail: Option<Quantile>,
    /// The few trials that carry the mean, if there are some.
    pub carried: Option<Carried>,
    /// Where the time to safety goes, if phases were recorded.
    pub stages: Vec<Stage>,
}

/// The time from one phase to the next, on average over all trials. Means subtract, so the steps of all stages add up to the mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// The phase that ends it.
    pub until: String,
    /// The mean of the first steps of that phase.
    pub mean: f64,
    /// The mean number of steps since the phase before, or since the beginning.
    pub steps: f64,
    /// That as a fraction of the mean time to safety.
    pub share: f64,
}

/// What is fitted: the mean or, where trials are censored, the median.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// The mean.
    Mean,
    /// The median.
    Median,
}

impl Location {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Median => "median",
        }
    }
}

/// A model whose fit is less likely than this, if it is right, deviates by more than noise.
const NOISE: f64 = 0.01;

/// How far a fit is from the points, and whether chance explains it.
#[must_use]
pub fn more_than_noise(fit: &Fit) -> Option<bool> {
    fit.p().map(|p| p < NOISE)
}

/// How the steps of a series grow with n.
pub struct Growth {
    /// What is fitted.
    pub location: Location,
    /// The sizes that were used; others had too few trials, or a median that is not known.
    pub sizes: Vec<u32>,
    /// c n^a.
    pub power: Fit,
    /// c n^a (log2 n)^b, if there are sizes enough.
    pub power_log: Option<Fit>,
    /// n^2, n^2 log n, n^3.
    pub verdicts: Vec<Verdict>,
    /// Between each size and the next: both, and the exponent of n.
    pub local: Vec<(u32, u32, Estimate)>,
    /// The mean or median at the greatest size divided by the claimed growth.
    pub constant: Estimate,
}

impl Growth {
    /// The best of the models n^2, n^2 log n and n^3.
    #[must_use]
    pub fn best(&self) -> Option<&Verdict> {
        self.verdicts.iter().max_by(|a, b| a.weight.total_cmp(&b.weight))
    }
}

/// A series against the baseline at one size.
pub struct Comparison {
    /// The series.
    pub series: usize,
    /// The size.
    pub n: u32,
    /// Whether the two differ.
    pub test: Option<Test>,
    /// The p-value for all comparisons at once.
    pub adjusted: Option<f64>,
    /// The median of the series divided by that of the baseline.
    pub ratio: Option<Ratio>,
    /// The probability that a trial of the series takes fewer steps, if none is censored.
    pub superiority: Option<f64>,
}

impl Comparison {
    /// The answer at 5 %, for all questions at once.
    #[must_use]
    pub fn answer(&self) -> &'static str {
        let sure = self.adjusted.is_some_and(|p| p < 0.05);
        match self.ratio {
            Some(Ratio { value: (_, most), .. }) if sure && most < 1.0 => "faster",
            Some(Ratio { value: (least, _), .. }) if sure && least > 1.0 => "slower",
            _ if sure => "different",
            _ => "not decided",
        }
    }
}

/// Series that differ in one parameter only.
pub struct Sweep {
    /// The name of the parameter.
    pub parameter: String,
    /// What they have in common.
    pub label: String,
    /// The values of the parameter, in order, with the series.
    pub members: Vec<(f64, usize)>,
}

/// Everything that follows from the series, the seed and the choice of a baseline.
#[must_use]
pub fn analyse(series: Vec<Series>, seed: u64, baseline: usize) -> Analysis {
    let series: Vec<Analysed> = series.into_iter().map(|series| analysed(series, seed)).collect();
    let comparisons = comparisons(&series, baseline, seed);
    let sweeps = sweeps(&series);
    Analysis { seed, series, baseline, comparisons, sweeps }
}

fn analysed(series: Series, seed: u64) -> Analysed {
    let common = common_phases(&series);
    let cells = series.cells.iter().map(|cell| statistics(cell, &common)).collect();
    let growth = growth(&series, seed);
    Analysed { series, cells, growth }
}

fn statistics(cell: &Cell, phases: &[String]) -> CellStatistics {
    let quantile = |percent| cell.steps.quantile(percent);
    CellStatistics {
        mean: cell.steps.mean(),
        quantiles: QUANTILES.into_iter().filter_map(quantile).collect(),
        tail: cell.steps.all_but_one_in(cell.n as usize),
        carried: carried(&cell.steps),
        stages: stages(cell, phases),
    }
}

/// The phases that every trial reached, at every size where phases were recorded. Of trials with faults, or that were cut off, nothing
/// is said: their steps are not those of their phases, or not known.
fn common_phases(series: &Series) -> Vec<String> {
    let recorded = || series.cells.iter().filter(|cell| !cell.phases.is_empty());
    let reached = |cell: &Cell, name: &str| {
        let sample = cell.phases.iter().find(|(known, _)| known == name).map(|(_, sample)| sample);
        sample.is_some_and(|sample| sample.len() == cell.steps.len() && sample.censored() == 0)
    };
    let Some(first) = recorded().next().filter(|_| series.kind.faults.is_empty()) else { return Vec::new() };
    let names = first.phases.iter().map(|(name, _)| name);
    names.filter(|name| recorded().all(|cell| reached(cell, name))).cloned().collect()
}

/// The stages between these phases, in the order of their means.
fn stages(cell: &Cell, phases: &[String]) -> Vec<Stage> {
    let Some(all) = cell.steps.mean().filter(|mean| mean.exact && mean.value > 0.0).map(|mean| mean.value) else {
        return Vec::new();
    };
    let mean = |(name, sample): &(String, Sample)| Some((name.clone(), sample.mean()?.value));
    let mut ends: Vec<(String, f64)> =
        cell.phases.iter().filter(|(name, _)| phases.contains(name)).filter_map(mean).collect();
    ends.sort_by(|a, b| a.1.total_cmp(&b.1));
    // What comes after safety is not on the way to it.
    ends.retain(|(_, mean)| *mean <= all);
    match ends.last() {
        None => return Vec::new(),
        Some((_, last)) if *last < all => ends.push(("safe".into(), all)),
        Some(_) => {}
    }
    let mut before = 0.0;
    let stage = |(until, mean): (String, f64)| {
        let steps = mean - std::mem::replace(&mut before, mean);
        Stage { until, mean, steps, share: steps / all }
    };
    ends.into_iter().map(stage).collect()
}

// --- Growth ---------------------------------------------------------------------------------------------------

fn growth(series: &Series, seed: u64) -> Result<Growth, String> {
    let censored = series.cells.iter().any(|cell| cell.steps.censored() > 0);
    let location = if censored { Location::Median } else { Location::Mean };
    let many = |cell: &&Cell| cell.steps.len() >= LEAST_TRIALS;
    let point = |cell: &Cell| {
        let mut random = generator(seed, &name(series, cell.n, "growth"));
        match location {
            Location::Mean => Point::of_mean(f64::from(cell.n), &cell.steps, &mut random),
            Location::Median => Point::of_median(f64::from(cell.n), &cell.steps, &mut random),
        }
    };
    let points: Vec<Point> = series.cells.iter().filter(many).filter_map(point).collect();
    let all = series.cells.len();
    if all < LEAST_SIZES {
        return Err(format!("no fit: {all} size{}; a fit needs {LEAST_SIZES}", if all == 1 { "" } else { "s" }));
    }
    if points.len() < LEAST_SIZES {
        return Err(format!(
            "no fit: {} of {all} sizes have {LEAST_TRIALS} trials or more and a known, varying {}; a fit needs {LEAST_SIZES}",
            points.len(),
            location.name()
        ));
    }
    let power = fit::fit(Model::Power, &points).ok_or("no fit: the sizes are too close together")?;
    let local = points.windows(2).filter_map(local).collect();
    Ok(Growth {
        location,
        sizes: points.iter().map(|point| point.n as u32).collect(),
        power,
        power_log: if points.len() > LEAST_SIZES { fit::fit(Model::PowerLog, &points) } else { None },
        verdicts: fit::compare(&points),
        local,
        constant: constant(&points[points.len() - 1], series.scale),
    })
}

/// The name of a use of randomness.
fn name(series: &Series, n: u32, purpose: &str) -> String {
    let kind = &series.kind;
    let settings: Vec<String> = kind.settings.iter().map(ToString::to_string).collect();
    let (protocol, settings) = (&kind.protocol, settings.join(","));
    format!("{protocol};{settings};{};{};{};{n};{purpose}", kind.start, kind.faults, kind.scheduler)
}

fn local(pair: &[Point]) -> Option<(u32, u32, Estimate)> {
    let slope = fit::fit(Model::Power, pair)?.a?;
    Some((pair[0].n as u32, pair[1].n as u32, slope))
}

fn constant(point: &Point, scale: Scale) -> Estimate {
    let divided = |log: f64| log.exp() / scale.at(point.n);
    let value = divided(point.log);
    let replicates = point.replicates.iter().map(|log| divided(*log)).collect();
    Estimate { value, interval: bootstrap::interval(replicates).unwrap_or((value, value)) }
}

// --- Comparisons ----------------------------------------------------------------------------------------------

fn comparisons(series: &[Analysed], baseline: usize, seed: u64) -> Vec<Comparison> {
    let Some(base) = series.get(baseline) else { return Vec::new() };
    let mut all: Vec<Comparison> = Vec::new();
    for (k, other) in series.iter().enumerate().filter(|(k, other)| *k != baseline && comparable(other, base)) {
        for cell in &other.series.cells {
            if let Some(same) = base.series.cells.iter().find(|same| same.n == cell.n) {
                let name =
                    format!("{} {}", name(&other.series, cell.n, "ratio"), name(&base.series, cell.n, "baseline"));
                all.push(comparison(k, cell.n, &cell.steps, &same.steps, seed, &name));
            }
        }
    }
    let tested: Vec<usize> = (0..all.len()).filter(|&k| all[k].test.is_some()).collect();
    let p: Vec<f64> = tested.iter().filter_map(|&k| all[k].test.map(|test| test.p)).collect();
    for (k, adjusted) in tested.into_iter().zip(compare::holm(&p)) {
        all[k].adjusted = Some(adjusted);
    }
    all
}

/// Steps to safety are not compared with recoveries.
fn comparable(one: &Analysed, other: &Analysed) -> bool {
    one.series.measure() == other.series.measure()
}

fn comparison(series: usize, n: u32, a: &Sample, b: &Sample, seed: u64, name: &str) -> Comparison {
    Comparison {
        series,
        n,
        test: compare::test(a, b),
        adjusted: None,
        ratio: compare::ratio_of_medians(a, b, &mut generator(seed, name)),
        superiority: compare::superiority(a, b),
    }
}

// --- Parameters -----------------------------------------------------------------------------------------------

/// Parameters that take three values or more while all else stays the same.
fn sweeps(series: &[Analysed]) -> Vec<Sweep> {
    let mut sweeps: Vec<(Rest, Sweep)> = Vec::new();
    for (k, one) in series.iter().enumerate() {
        for setting in &one.series.kind.settings {
            let rest = rest(one, &setting.name);
            match sweeps.iter_mut().find(|(known, _)| *known == rest) {
                Some((_, sweep)) => sweep.members.push((setting.value, k)),
                None => {
                    let label = rest.1.join(", ");
                    let sweep = Sweep { parameter: setting.name.clone(), label, members: vec![(setting.value, k)] };
                    sweeps.push((rest, sweep));
                }
            }
        }
    }
    let mut sweeps: Vec<Sweep> =
        sweeps.into_iter().map(|(_, sweep)| sweep).filter(|sweep| sweep.members.len() > 2).collect();
    sweeps.iter_mut().for_each(|sweep| sweep.members.sort_by(|a, b| a.0.total_cmp(&b.0)));
    sweeps
}

/// The name of a parameter, and all that a series is otherwise.
type Rest = (String, Vec<String>);

fn rest(one: &Analysed, parameter: &str) -> Rest {
    let kind = &one.series.kind;
    let others = kind.settings.iter().filter(|setting| setting.name != parameter).map(ToString::to_string);
    let words = [&kind.protocol, &kind.start, &kind.faults, &kind.scheduler].map(Clone::clone);
    (parameter.to_owned(), words.into_iter().filter(|word| !word.is_empty()).chain(others).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::Row;
    use crate::series::tests::{but, gathered, row};
    use ringleader::random::below;
    use ringleader::stats::Observed;

    /// Trials of P_PL that take 2 n^2 log n steps, give or take a half.
    fn rows(sizes: &[u32], trials: u64, factor: f64) -> Vec<Row> {
        let mut random = generator(7, &format!("rows {factor}"));
        let mut rows = Vec::new();
        for &n in sizes {
            let scale = (1000.0 * factor * Scale::N2LogN.at(f64::from(n))) as u64;
            rows.extend(
                (0..trials).map(|seed| row(n, seed, Observed::exactly((scale + below(&mut random, 2 * scale)) / 1000))),
            );
        }
        rows
    }

    #[test]
    fn growth_is_found_and_depends_on_its_own_trials_only() {
        let rows = rows(&[8, 16, 32, 64, 128], 100, 1.0);
        let alone = analyse(gathered(rows.clone()), 1, 0);
        let growth = alone.series[0].growth.as_ref().unwrap();
        assert_eq!((growth.location, growth.sizes.len(), growth.local.len()), (Location::Mean, 5, 4));
        let best = growth.verdicts.iter().max_by(|a, b| a.weight.total_cmp(&b.weight)).unwrap();
        assert_eq!(best.scale, Scale::N2LogN);
        assert!((growth.constant.value - 2.0).abs() < 0.2, "{:?}", growth.constant);
        let other = rows.iter().take(300).map(|row| but(row.clone(), |setup| setup.start = "uniform".into()));
        let both = analyse(gathered(other.chain(rows.clone()).collect()), 1, 0);
        assert_eq!(both.series[1].growth.as_ref().unwrap().power, growth.power);
        let again = analyse(gathered(rows), 2, 0);
        let moved = again.series[0].growth.as_ref().unwrap();
        assert_eq!(moved.power.a.unwrap().value, growth.power.a.unwrap().value);
        assert_ne!(moved.power.a.unwrap().interval, growth.power.a.unwrap().interval, "another seed");
    }

    #[test]
    fn censored_series_are_fitted_by_medians() {
        let mut rows = rows(&[8, 16, 32, 64], 40, 1.0);
        rows.extend((40..45).map(|seed| row(64, seed, Observed::at_least(1_000_000))));
        let some = analyse(gathered(rows.clone()), 1, 0);
        assert_eq!(some.series[0].growth.as_ref().unwrap().location, Location::Median);
        rows.extend((45..200).map(|seed| row(64, seed, Observed::at_least(1_000_000))));
        let most = analyse(gathered(rows), 1, 0);
        assert_eq!(most.series[0].growth.as_ref().unwrap().sizes, [8, 16, 32], "the median of the rest is not known");
    }

    #[test]
    fn too_little_is_said_to_be_too_little() {
        for rows in [vec![row(8, 1, Observed::exactly(5))], rows(&[8, 16], 50, 1.0), rows(&[8, 16, 32], 5, 1.0)] {
            let analysis = analyse(gathered(rows), 1, 0);
            assert!(analysis.series[0].growth.as_ref().is_err_and(|why| why.contains("no fit")));
        }
        let why = |rows| analyse(gathered(rows), 1, 0).series.remove(0).growth.err().unwrap();
        assert_eq!(why(rows(&[8], 50, 1.0)), "no fit: 1 size; a fit needs 3");
        assert_eq!(why(rows(&[8, 16], 50, 1.0)), "no fit: 2 sizes; a fit needs 3");
        let few = why(rows(&[8, 16, 32], 5, 1.0));
        assert_eq!(few, "no fit: 0 of 3 sizes have 6 trials or more and a known, varying mean; a fit needs 3");
        assert!(analyse(Vec::new(), 1, 0).series.is_empty());
    }

    /// A trial with these first steps of "first leader" and "S_PL".
    fn phased(seed: u64, leader: u64, safe: u64) -> Row {
        let mut row = row(16, seed, Observed::exactly(safe));
        row.outcome.phases[0].1 = Some(leader);
        row.outcome.phases[1].1 = Some(safe);
        row
    }

    /// Means 20 and 100 by hand: a fifth of the time until the first leader, the rest until S_PL.
    #[test]
    fn stages_are_differences_of_means() {
        let stages = |rows: Vec<Row>| analyse(gathered(rows), 1, 0).series[0].cells[0].stages.clone();
        let found = stages(vec![phased(1, 10, 50), phased(2, 30, 150)]);
        let stage = |until: &str, mean, steps, share| Stage { until: until.into(), mean, steps, share };
        assert_eq!(found, [stage("first leader", 20.0, 20.0, 0.2), stage("S_PL", 100.0, 80.0, 0.8)]);
        let mut never = phased(3, 10, 50);
        never.outcome.phases[0].1 = None;
        let found = stages(vec![phased(1, 10, 50), phased(2, 30, 150), never.clone()]);
        assert_eq!(found.len(), 1, "a phase that a trial never reached has no mean of all trials: {found:?}");
        let cut = row(16, 4, Observed::at_least(70));
        assert_eq!(stages(vec![phased(1, 10, 50), cut]), [], "the mean is not known");
        let faulty = but(phased(1, 10, 50), |setup| setup.faults = "agents=1,at=safe".into());
        assert_eq!(stages(vec![faulty]), []);
    }

    #[test]
    fn the_slower_is_found() {
        let slow = rows(&[8, 16], 50, 3.0).into_iter().map(|row| but(row, |setup| setup.start = "uniform".into()));
        let analysis = analyse(gathered(rows(&[8, 16, 32], 50, 1.0).into_iter().chain(slow).collect()), 1, 0);
        assert_eq!(analysis.comparisons.len(), 2);
        for comparison in &analysis.comparisons {
            let ratio = comparison.ratio.unwrap();
            assert_eq!(comparison.answer(), "slower");
            assert!(ratio.interval.0 < 3.0 && 3.0 < ratio.interval.1, "{ratio:?}");
            assert!(comparison.adjusted.unwrap() >= comparison.test.unwrap().p);
        }
    }

    #[test]
    fn parameters_that_vary_alone_are_sweeps() {
        let with = |c1: u64, seed| but(row(16, seed, Observed::exactly(9)), |setup| setup.params[0].1 = 4 * c1);
        let analysis = analyse(gathered(vec![with(48, 1), with(4, 2), with(16, 3)]), 1, 0);
        assert_eq!(analysis.sweeps.len(), 1);
        assert_eq!(analysis.sweeps[0].parameter, "c1");
        assert_eq!(analysis.sweeps[0].members, [(4.0, 1), (16.0, 2), (48.0, 0)]);
    }
}
