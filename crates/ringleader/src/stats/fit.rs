//! How steps grow with n: fits of c n^a (log2 n)^b, and a comparison of n^2, n^2 log n and n^3.
//!
//! A point is a size with the logarithm of its mean (or median) and the variance of that logarithm. The fit is weighted
//! least squares. With many trials the logarithm of a mean is nearly normal, so the sum of
//! the weighted squares is nearly chi-square when the model is right (up to its p-value, it fits), and twice the negative
//! log-likelihood up to a constant otherwise (so that AIC compares models). Intervals are percentiles over replicates of
//! all points: they say how far chance moves the fit, not how far a wrong model misleads it.

use statrs::function::gamma::gamma_ur;

use super::Sample;
use super::bootstrap::{self, REPLICATES};
use crate::random::Generator;

/// A claimed growth with n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// n^2.
    N2,
    /// n^2 log2 n.
    N2LogN,
    /// n^3.
    N3,
}

impl Scale {
    /// All of them, slowest growth first.
    pub const ALL: [Self; 3] = [Self::N2, Self::N2LogN, Self::N3];

    /// Its value.
    #[must_use]
    pub fn at(self, n: f64) -> f64 {
        match self {
            Self::N2 => n * n,
            Self::N2LogN => n * n * n.log2(),
            Self::N3 => n * n * n,
        }
    }

    /// In plain text.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::N2 => "n^2",
            Self::N2LogN => "n^2 log n",
            Self::N3 => "n^3",
        }
    }
}

/// What is fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// c times a claimed growth: c is free.
    Claimed(Scale),
    /// c n^a: c and a are free.
    Power,
    /// c n^a (log2 n)^b: all are free.
    PowerLog,
}

impl Model {
    /// How many parameters are free.
    #[must_use]
    pub fn free(self) -> usize {
        match self {
            Self::Claimed(_) => 1,
            Self::Power => 2,
            Self::PowerLog => 3,
        }
    }

    /// The part of ln(steps) that is not free.
    fn given(self, n: f64) -> f64 {
        match self {
            Self::Claimed(scale) => scale.at(n).ln(),
            _ => 0.0,
        }
    }
}

/// The mean or median at one size.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The size of the ring, 3 at least.
    pub n: f64,
    /// Its logarithm.
    pub log: f64,
    /// The variance of the logarithm.
    pub variance: f64,
    /// The logarithms of bootstrap replicates.
    pub replicates: Vec<f64>,
}

impl Point {
    /// The mean; `None` if it is not known, is 0, or does not vary, so that its weight is unknown. The variance of the
    /// logarithm is that of the mean divided by the square of the mean.
    #[must_use]
    pub fn of_mean(n: f64, sample: &Sample, generator: &mut Generator) -> Option<Self> {
        let (mean, count) = (sample.mean()?, sample.len() as f64);
        let squares: f64 = sample.known().iter().map(|&x| (x as f64 - mean.value) * (x as f64 - mean.value)).sum();
        let variance = squares / (count - 1.0) / count / (mean.value * mean.value);
        let replicates = bootstrap::means(sample.known(), generator);
        if mean.exact { Self::new(n, mean.value, variance, &replicates) } else { None }
    }

    /// The median; `None` if the upper end of its interval is not known, it is 0, or does not vary.
    #[must_use]
    pub fn of_median(n: f64, sample: &Sample, generator: &mut Generator) -> Option<Self> {
        let median = sample.quantile(50)?;
        let variance = bootstrap::variance_of_log_median(sample);
        let replicates = bootstrap::quantiles(sample, 50, generator);
        let values: Vec<f64> = replicates.iter().map(|one| one.value as f64).collect();
        if median.interval?.1.exact { Self::new(n, median.value.value as f64, variance, &values) } else { None }
    }

    fn new(n: f64, value: f64, variance: f64, replicates: &[f64]) -> Option<Self> {
        let point = Self { n, log: value.ln(), variance, replicates: replicates.iter().map(|one| one.ln()).collect() };
        let finite = point.replicates.iter().all(|log| log.is_finite()) && replicates.len() == REPLICATES;
        let varies = variance.is_finite() && variance > 1e-18;
        (point.log.is_finite() && finite && varies && n >= 3.0).then_some(point)
    }
}

/// A number with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// The ends of its interval.
    pub interval: (f64, f64),
}

/// A fitted model.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// What was fitted.
    pub model: Model,
    /// The constant c.
    pub c: Estimate,
    /// The exponent of n, if it is free.
    pub a: Option<Estimate>,
    /// The exponent of log2 n, if it is free.
    pub b: Option<Estimate>,
    /// The sum of the weighted squares that are left.
    pub chi_square: f64,
    /// The number of points less that of free parameters.
    pub freedom: usize,
    /// The largest deviation of a point from the curve, as a fraction of the curve.
    pub deviation: f64,
    /// Chi-square of every replicate.
    chi_squares: Vec<f64>,
}

impl Fit {
    /// Akaike's criterion, up to a constant: less is better.
    #[must_use]
    pub fn aic(&self) -> f64 {
        self.chi_square + 2.0 * self.model.free() as f64
    }

    /// How likely so bad a fit is if the model is right; `None` if there is nothing to judge by.
    #[must_use]
    pub fn p(&self) -> Option<f64> {
        (self.freedom > 0).then(|| chi_square_tail(self.chi_square, self.freedom))
    }

    /// The fitted value at a size.
    #[must_use]
    pub fn at(&self, n: f64) -> f64 {
        let power = |exponent: Option<Estimate>, base: f64| exponent.map_or(1.0, |e| base.powf(e.value));
        self.c.value * self.model.given(n).exp() * power(self.a, n) * power(self.b, n.log2())
    }
}

/// The probability that chi-square is greater.
fn chi_square_tail(value: f64, freedom: usize) -> f64 {
    if value <= 0.0 { 1.0 } else { gamma_ur(freedom as f64 / 2.0, value / 2.0) }
}

/// Fits a model; `None` if there are fewer points than free parameters, or sizes do not differ enough.
#[must_use]
pub fn fit(model: Model, points: &[Point]) -> Option<Fit> {
    let solver = Solver::new(model, points)?;
    let best = solver.solve(|point| point.log);
    let all: Vec<Solution> = (0..REPLICATES).map(|k| solver.solve(|point| point.replicates[k])).collect();
    let estimate = |part: fn(&Solution) -> f64| {
        let interval = bootstrap::interval(all.iter().map(part).collect())?;
        Some(Estimate { value: part(&best), interval })
    };
    let free = model.free();
    let fit = Fit {
        model,
        c: estimate(|solution| solution.free[0].exp())?,
        a: if free > 1 { estimate(|solution| solution.free[1]) } else { None },
        b: if free > 2 { estimate(|solution| solution.free[2]) } else { None },
        chi_square: best.chi_square,
        freedom: points.len() - free,
        deviation: 0.0,
        chi_squares: all.iter().map(|solution| solution.chi_square).collect(),
    };
    let deviation = |point: &Point| (point.log.exp() / fit.at(point.n) - 1.0).abs();
    let deviation = points.iter().map(deviation).fold(0.0, f64::max);
    Some(Fit { deviation, ..fit })
}

/// The free parameters ln c, a, b (0 where not free) and what is left.
struct Solution {
    free: [f64; 3],
    chi_square: f64,
}

/// Weighted least squares for many sets of values at the same sizes: `rows` turns them into the free parameters.
struct Solver<'a> {
    model: Model,
    points: &'a [Point],
    weights: Vec<f64>,
    columns: Vec<[f64; 3]>,
    inverse: [[f64; 3]; 3],
}

impl<'a> Solver<'a> {
    fn new(model: Model, points: &'a [Point]) -> Option<Self> {
        let free = model.free();
        let columns: Vec<[f64; 3]> = points.iter().map(|point| [1.0, point.n.ln(), point.n.log2().ln()]).collect();
        let weights: Vec<f64> = points.iter().map(|point| 1.0 / point.variance).collect();
        let mut normal = [[0.0; 3]; 3];
        for (x, w) in columns.iter().zip(&weights) {
            for i in 0..free {
                for j in 0..free {
                    normal[i][j] += w * x[i] * x[j];
                }
            }
        }
        // What is not free stands apart, as if it were known to be 0.
        (free..3).for_each(|k| normal[k][k] = 1.0);
        let inverse = inverted(normal)?;
        (points.len() >= free).then_some(Self { model, points, weights, columns, inverse })
    }

    fn solve(&self, value: impl Fn(&Point) -> f64) -> Solution {
        let values: Vec<f64> = self.points.iter().map(|point| value(point) - self.model.given(point.n)).collect();
        let mut sums = [0.0; 3];
        for ((x, w), y) in self.columns.iter().zip(&self.weights).zip(&values) {
            (0..self.model.free()).for_each(|k| sums[k] += w * x[k] * y);
        }
        let free = self.inverse.map(|row| row.iter().zip(sums).map(|(a, b)| a * b).sum());
        let fitted = |x: &[f64; 3]| -> f64 { x.iter().zip(free).map(|(a, b): (&f64, f64)| a * b).sum() };
        let left = self.columns.iter().zip(&self.weights).zip(&values);
        Solution { free, chi_square: left.map(|((x, w), y)| w * (y - fitted(x)).powi(2)).sum() }
    }
}

/// The inverse by Gauss and Jordan with pivots; `None` if the matrix is singular for all practical purposes.
fn inverted(mut m: [[f64; 3]; 3]) -> Option<[[f64; 3]; 3]> {
    let size = m.iter().flatten().fold(0.0_f64, |most, x| most.max(x.abs()));
    let mut inverse = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for k in 0..3 {
        let pivot = (k..3).max_by(|&i, &j| m[i][k].abs().total_cmp(&m[j][k].abs()))?;
        m.swap(k, pivot);
        inverse.swap(k, pivot);
        let scale = m[k][k];
        if scale.abs() <= 1e-13 * size {
            return None;
        }
        (0..3).for_each(|j| (m[k][j], inverse[k][j]) = (m[k][j] / scale, inverse[k][j] / scale));
        for i in (0..3).filter(|&i| i != k) {
            let factor = m[i][k];
            for j in 0..3 {
                m[i][j] -= factor * m[k][j];
                inverse[i][j] -= factor * inverse[k][j];
            }
        }
    }
    Some(inverse)
}

/// A claimed growth against the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The growth.
    pub scale: Scale,
    /// Its fit.
    pub fit: Fit,
    /// Akaike's weight: how likely this model is the best of those compared, given the data.
    pub weight: f64,
    /// The fraction of bootstrap replicates in which it is the best.
    pub share: f64,
}

/// Fits every claimed growth and compares them. Empty if there are fewer than two points.
#[must_use]
pub fn compare(points: &[Point]) -> Vec<Verdict> {
    let fits: Vec<Fit> = Scale::ALL.iter().filter_map(|&scale| fit(Model::Claimed(scale), points)).collect();
    if points.len() < 2 || fits.len() < Scale::ALL.len() {
        return Vec::new();
    }
    let least = fits.iter().map(Fit::aic).fold(f64::INFINITY, f64::min);
    let total: f64 = fits.iter().map(|fit| ((least - fit.aic()) / 2.0).exp()).sum();
    let best = |k: usize| {
        let chi = |j: &usize| fits[*j].chi_squares[k];
        (0..fits.len()).min_by(|i, j| chi(i).total_cmp(&chi(j)))
    };
    let winners: Vec<usize> = (0..REPLICATES).filter_map(best).collect();
    let verdict = |(k, fit): (usize, &Fit)| Verdict {
        scale: Scale::ALL[k],
        fit: fit.clone(),
        weight: ((least - fit.aic()) / 2.0).exp() / total,
        share: winners.iter().filter(|&&winner| winner == k).count() as f64 / REPLICATES as f64,
    };
    fits.iter().enumerate().map(verdict).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::uniform_real;
    use crate::stats::Observed;
    use crate::stats::bootstrap::generator;

    type PointOf = fn(f64, &Sample, &mut Generator) -> Option<Point>;

    const SIZES: [f64; 7] = [8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0];

    /// Exponential times with this mean, as steps.
    fn exponential(mean: f64, count: usize, random: &mut Generator) -> Vec<u64> {
        (0..count).map(|_| (-(1.0 - uniform_real(random)).ln() * mean * 1000.0) as u64 + 1).collect()
    }

    fn points(law: impl Fn(f64) -> f64, count: usize, random: &mut Generator) -> Vec<Point> {
        let point = |n: f64| {
            let sample: Sample = exponential(law(n), count, random).into_iter().map(Observed::exactly).collect();
            Point::of_mean(n, &sample, random).unwrap()
        };
        SIZES.into_iter().map(point).collect()
    }

    /// Points without chance, all with the same weight.
    fn exact(law: impl Fn(f64) -> f64) -> Vec<Point> {
        let noise = |k: usize| if k.is_multiple_of(2) { 1.01 } else { 1.0 / 1.01 };
        let replicates = |n: f64| (0..REPLICATES).map(|k| law(n) * noise(k)).collect::<Vec<_>>();
        let point = |n: f64| Point::new(n, law(n), 1e-4, &replicates(n));
        SIZES.into_iter().filter_map(point).collect()
    }

    #[test]
    fn what_was_put_in_comes_out() {
        let fit = fit(Model::PowerLog, &exact(|n| 0.7 * n.powf(2.1) * n.log2().powf(0.9))).unwrap();
        let (a, b) = (fit.a.unwrap().value, fit.b.unwrap().value);
        assert!((fit.c.value - 0.7).abs() < 1e-6 && (a - 2.1).abs() < 1e-7 && (b - 0.9).abs() < 1e-6, "{fit:?}");
        assert!((fit.at(100.0) / (0.7 * 100_f64.powf(2.1) * 100_f64.log2().powf(0.9)) - 1.0).abs() < 1e-6);
        assert_eq!((fit.freedom, fit.chi_square < 1e-9), (4, true));
    }

    /// The slope of a line by NumPy's `polyfit` on the logarithms of 5, 9, 40 at 4, 8, 16.
    #[test]
    fn the_slope_is_that_of_least_squares() {
        let same = |value: f64| (0..REPLICATES).map(move |k| value * if k % 2 == 0 { 1.1 } else { 0.9 });
        let point = |(n, value): (f64, f64)| Point::new(n, value, 0.01, &same(value).collect::<Vec<_>>()).unwrap();
        let points: Vec<Point> = [(4.0, 5.0), (8.0, 9.0), (16.0, 40.0)].into_iter().map(point).collect();
        let fit = fit(Model::Power, &points).unwrap();
        assert!((fit.a.unwrap().value - 1.5).abs() < 1e-12, "log2(40/5)/2 = 1.5: {fit:?}");
        assert!((fit.c.value.ln() + 0.620_648_33).abs() < 1e-8, "{}", fit.c.value.ln());
        // The middle lies farthest from its curve: e^(ln 9 - (ln 5 + ln 9 + ln 40) / 3) - 1 = 9 / 1800^(1/3) - 1.
        assert!((fit.deviation - (1.0 - 9.0 / 1800_f64.cbrt())).abs() < 1e-12, "{}", fit.deviation);
    }

    #[test]
    fn tails_of_chi_square_are_those_of_the_tables() {
        for (value, freedom, p) in [(3.841_458_821, 1, 0.05), (11.070_497_694, 5, 0.05), (23.209_251_159, 10, 0.01)] {
            assert!((chi_square_tail(value, freedom) - p).abs() < 1e-9, "{value} {freedom}");
        }
    }

    #[test]
    fn the_right_growth_is_found() {
        let mut random = generator(1, "growth");
        for scale in Scale::ALL {
            let verdicts = compare(&points(|n| 3.0 * scale.at(n), 100, &mut random));
            let best = verdicts.iter().max_by(|a, b| a.weight.total_cmp(&b.weight)).unwrap();
            assert_eq!(best.scale, scale);
            assert!(best.weight > 0.99 && best.share > 0.95 && best.fit.p().unwrap() > 0.01, "{best:?}");
            let wrong = verdicts.iter().filter(|verdict| verdict.scale != scale);
            assert!(wrong.into_iter().all(|verdict| verdict.fit.p().unwrap() < 1e-6));
        }
    }

    #[test]
    fn too_few_points_give_no_fit() {
        let all = exact(|n| n * n);
        assert!(fit(Model::Power, &all[..1]).is_none() && fit(Model::PowerLog, &all[..2]).is_none());
        assert!(fit(Model::Power, &[all[0].clone(), all[0].clone()]).is_none(), "one size twice");
        assert!(compare(&all[..1]).is_empty() && compare(&[]).is_empty());
        let point =
            |values: &[Observed], of: PointOf| of(8.0, &values.iter().copied().collect(), &mut generator(1, "few"));
        for of in [Point::of_mean as PointOf, Point::of_median] {
            assert!(point(&[Observed::exactly(5); 9], of).is_none(), "no variance, no weight");
            assert!(
                point(&[], of).is_none()
                    && point(&[0, 0, 0, 0, 0, 0, 7].map(Observed::exactly), Point::of_median).is_none()
            );
            assert!(point(&[3, 4, 5, 6, 7, 8].map(Observed::exactly), of).is_some());
            assert!(point(&[3, 4, 5, 6, 7, 8].map(Observed::at_least), of).is_none());
        }
    }

    /// How often the interval of the exponent holds the truth, over 300 experiments at a fixed seed.
    fn coverage(interval: impl Fn(&Estimate) -> (f64, f64)) -> usize {
        let covered = |k: u64| {
            let points = points(|n| 2.0 * n.powf(2.5), 40, &mut generator(k, "coverage"));
            let (from, to) = interval(&fit(Model::Power, &points).unwrap().a.unwrap());
            usize::from(from <= 2.5 && 2.5 <= to)
        };
        (0..300).map(covered).sum()
    }

    /// 95 % of 300 is 285; the bootstrap of 40 skewed values falls a little short of it.
    #[test]
    fn the_interval_of_the_exponent_covers() {
        let hits = coverage(|a| a.interval);
        assert!((270..=297).contains(&hits), "{hits}");
        // The canary: half as wide an interval, as if the variance were a quarter, is found out.
        let halved = |a: &Estimate| ((a.interval.0 + a.value) / 2.0, (a.interval.1 + a.value) / 2.0);
        let hits = coverage(halved);
        assert!(hits < 240, "{hits}");
    }
}
