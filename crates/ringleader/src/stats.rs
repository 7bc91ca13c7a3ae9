//! Statistics of many trials, some of which may be known only from below.
//!
//! A quantile is an order statistic, the inverse of the empirical distribution: the `p` quantile of `k` values is the
//! least value such that at least a fraction `p` of them does not exceed it (Hyndman and Fan's type 1). So it is a
//! value that occurred, and it makes sense when the largest values are unknown. Its interval is distribution-free: two
//! order statistics, from the binomial distribution. The interval of the mean is Student's.
//!
//! Of one sample: [`carried`] (do a few trials carry the mean?) and [`histogram`]. The parts that compare many:
//! [`bootstrap`] (resampling), [`fit`] (growth with n), [`survival`] (Kaplan and
//! Meier), [`compare`] (is one sample smaller than another?) and [`proportion`] (how often something happens).

pub mod bootstrap;
pub mod carried;
pub mod compare;
pub mod fit;
pub mod histogram;
pub mod proportion;
pub mod survival;

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The confidence of every interval, as a fraction of 1.
pub const CONFIDENCE: f64 = 0.95;

/// The quantile of the normal distribution at `1 - (1 - CONFIDENCE) / 2`.
const NORMAL: f64 = 1.959_963_984_540_054;

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observed {
    /// The value, or the most that is known to be below it.
    pub value: u64,
    /// Whether it is the value; if not, the value is unknown but at least this.
    pub exact: bool,
}

impl Observed {
    /// A value that is known.
    #[must_use]
    pub fn exactly(value: u64) -> Self {
        Self { value, exact: true }
    }

    /// A value that was cut off.
    #[must_use]
    pub fn at_least(value: u64) -> Self {
        Self { value, exact: false }
    }
}

/// The mean with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean, or a lower bound of it.
    pub value: f64,
    /// Whether it is the mean; if some values are known only from below, so is the mean.
    pub exact: bool,
    /// The ends of the interval. A lower bound has no upper end, a single value no interval.
    pub interval: Option<(f64, Option<f64>)>,
}

/// A quantile with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantile {
    /// The quantile.
    pub value: Observed,
    /// The ends of the interval, if there are enough values for one.
    pub interval: Option<(Observed, Observed)>,
}

/// Values in order.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// All values, each at the least it can be.
    least: Vec<u64>,
    /// Those that are known, unless all are.
    exact: Option<Vec<u64>>,
}

impl FromIterator<Observed> for Sample {
    fn from_iter<I: IntoIterator<Item = Observed>>(values: I) -> Self {
        let (mut known, mut cut) = (Vec::new(), Vec::new());
        values.into_iter().for_each(|one| if one.exact { known.push(one.value) } else { cut.push(one.value) });
        Self::new(known, cut)
    }
}

impl Sample {
    /// Values that are known, and those that were cut off.
    #[must_use]
    pub fn new(mut known: Vec<u64>, cut: Vec<u64>) -> Self {
        known.sort_unstable();
        if cut.is_empty() {
            return Self { least: known, exact: None };
        }
        let mut least = [&known[..], &cut].concat();
        least.sort_unstable();
        Self { least, exact: Some(known) }
    }

    /// How many values there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.least.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.least.is_empty()
    }

    /// How many are known only from below.
    #[must_use]
    pub fn censored(&self) -> usize {
        self.least.len() - self.known().len()
    }

    /// The known values, in order.
    #[must_use]
    pub fn known(&self) -> &[u64] {
        self.exact.as_deref().unwrap_or(&self.least)
    }

    /// All values, in order.
    #[must_use]
    pub fn observations(&self) -> Vec<Observed> {
        let mut known = self.known().iter().peekable();
        let one = |&value: &u64| Observed { value, exact: known.next_if_eq(&&value).is_some() };
        self.least.iter().map(one).collect()
    }

    /// The value of that rank, from 1 for the least on. It is exact if it is the same wherever the unknown values lie.
    #[must_use]
    pub fn ranked(&self, rank: usize) -> Option<Observed> {
        let k = rank.checked_sub(1)?;
        let value = *self.least.get(k)?;
        Some(Observed { value, exact: self.known().get(k) == Some(&value) })
    }

    /// The quantile at so many percent, 1 to 100.
    #[must_use]
    pub fn quantile(&self, percent: usize) -> Option<Quantile> {
        self.quantile_of_rank((percent * self.len()).div_ceil(100).max(1), percent as f64 / 100.0)
    }

    /// The quantile at 1 - 1/n: what a trial exceeds with probability 1/n.
    #[must_use]
    pub fn all_but_one_in(&self, n: usize) -> Option<Quantile> {
        let (above, p) = (self.len() / n.max(1), 1.0 - 1.0 / n as f64);
        self.quantile_of_rank((self.len() - above).max(1), p)
    }

    fn quantile_of_rank(&self, rank: usize, p: f64) -> Option<Quantile> {
        let value = self.ranked(rank)?;
        let ends = interval_ranks(self.len(), p);
        let interval = ends.and_then(|(from, to)| self.ranked(from).zip(self.ranked(to)));
        Some(Quantile { value, interval })
    }

    /// The mean. The interval does not go below 0.
    #[must_use]
    pub fn mean(&self) -> Option<Mean> {
        if self.is_empty() {
            return None;
        }
        let (count, exact) = (self.len() as f64, self.censored() == 0);
        let value = self.least.iter().map(|&value| u128::from(value)).sum::<u128>() as f64 / count;
        let squares: f64 = self.least.iter().map(|&x| (x as f64 - value) * (x as f64 - value)).sum();
        let interval = (self.len() > 1).then(|| {
            let error = (squares / (count - 1.0) / count).sqrt();
            let half = student(self.len() - 1) * error;
            ((value - half).max(0.0), exact.then_some(value + half))
        });
        Some(Mean { value, exact, interval })
    }
}

/// The ranks whose values enclose the `p` quantile of the distribution with probability 0.95 at least, whatever the
/// distribution, given `count` independent values; each end errs with probability 0.025 at most. `None` if there are
/// too few values.
#[must_use]
pub fn interval_ranks(count: usize, p: f64) -> Option<(usize, usize)> {
    let error = (1.0 - CONFIDENCE) / 2.0;
    // The number of values up to the quantile is binomial: the interval misses it if fewer than `from` or at least `to`
    // values are below.
    let (mut below, mut from, mut to) = (0.0, 0, None);
    let mut log = count as f64 * (1.0 - p).ln();
    for k in 0..count {
        below += log.exp();
        if below <= error {
            from = k + 1;
        }
        if to.is_none() && 1.0 - below <= error {
            to = Some(k + 1);
        }
        log += ((count - k) as f64 / (k + 1) as f64 * (p / (1.0 - p))).ln();
    }
    to.filter(|_| from > 0).map(|to| (from, to))
}

/// Student's t: the two-sided quantile at [`CONFIDENCE`] for so many degrees of freedom, to nine decimals (so that it
/// is the same on every machine).
#[must_use]
pub fn student(freedom: usize) -> f64 {
    let few = StudentsT::new(0.0, 1.0, freedom as f64).ok().filter(|_| freedom <= FEW);
    let t = few.map_or_else(|| student_of_many(freedom as f64), |law| law.inverse_cdf(f64::midpoint(1.0, CONFIDENCE)));
    (t * 1e9).round() / 1e9
}

/// From here on the inverse of the distribution function loses digits, and a few terms of an expansion are enough.
const FEW: usize = 1000;

/// The expansion 26.7.5 of Abramowitz and Stegun, for many degrees of freedom.
fn student_of_many(freedom: f64) -> f64 {
    let x = NORMAL;
    let powers = |coefficients: [f64; 4]| coefficients.iter().rev().fold(0.0, |sum, c| sum * x * x + c) * x;
    let terms = [
        powers([1.0, 1.0, 0.0, 0.0]) / 4.0,
        powers([3.0, 16.0, 5.0, 0.0]) / 96.0,
        powers([-15.0, 17.0, 19.0, 3.0]) / 384.0,
    ];
    x + terms.iter().rev().fold(0.0, |sum, term| (sum + term) / freedom)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Stream, below, stream};

    fn exact(values: impl IntoIterator<Item = u64>) -> Sample {
        values.into_iter().map(Observed::exactly).collect()
    }

    #[test]
    fn student_is_that_of_the_tables() {
        let table = [
            (1, 12.706_204_736),
            (2, 4.302_652_730),
            (5, 2.570_581_836),
            (10, 2.228_138_852),
            (30, 2.042_272_456),
            (100, 1.983_971_519),
            (1000, 1.962_339_081),
        ];
        for (freedom, t) in table {
            assert!((student(freedom) - t).abs() < 2e-9, "{freedom}: {} is not {t}", student(freedom));
        }
        let (few, many) = (student(FEW), student_of_many(FEW as f64));
        assert!((few - many).abs() < 1e-9, "{few} {many}");
    }

    /// The ranks for the median stand in many tables.
    #[test]
    fn ranks_of_the_median_are_those_of_the_tables() {
        let table = [(6, (1, 6)), (10, (2, 9)), (20, (6, 15)), (25, (8, 18)), (50, (18, 33)), (100, (40, 61))];
        for (count, ranks) in table {
            assert_eq!(interval_ranks(count, 0.5), Some(ranks), "{count}");
        }
        assert!((0..6).all(|count| interval_ranks(count, 0.5).is_none()));
        assert_eq!(interval_ranks(367, 0.99), None, "0.99^367 > 0.025");
        assert!(interval_ranks(368, 0.99).is_some(), "0.99^368 < 0.025");
    }

    /// Against binomial probabilities worked out in another way, by Pascal's triangle.
    #[test]
    fn ranks_enclose_just_enough() {
        for count in 1..200_usize {
            for p in [0.05, 0.25, 0.5, 0.75, 0.95] {
                let mut row = vec![1.0];
                for _ in 0..count {
                    let left = row.iter().map(|w| w * (1.0 - p)).chain([0.0]);
                    let right = std::iter::once(0.0).chain(row.iter().map(|w| w * p));
                    row = left.zip(right).map(|(a, b)| a + b).collect();
                }
                let fewer = |k: usize| row[..k].iter().sum::<f64>();
                let at_least = |k: usize| row[k..].iter().sum::<f64>();
                match interval_ranks(count, p) {
                    Some((from, to)) => {
                        assert!(fewer(from) <= 0.025 && fewer(from + 1) > 0.025, "{count} {p}: {from}");
                        assert!(at_least(to) <= 0.025 && at_least(to - 1) > 0.025, "{count} {p}: {to}");
                    }
                    None => assert!(fewer(1) > 0.025 || at_least(count) > 0.025, "{count} {p}"),
                }
            }
        }
    }

    #[test]
    fn many_trials_are_near_the_normal_distribution() {
        let (from, to) = interval_ranks(1_000_000, 0.5).unwrap();
        assert!((499_019..=499_021).contains(&from) && (500_980..=500_982).contains(&to), "{from} {to}");
        assert!((student(1_000_000) - NORMAL).abs() < 3e-6);
    }

    #[test]
    fn quantiles_are_values_that_occurred() {
        let sample = exact((1..=10).rev());
        let at = |percent| sample.quantile(percent).unwrap().value.value;
        assert_eq!([5, 10, 11, 25, 50, 75, 95, 99, 100].map(at), [1, 1, 2, 3, 5, 8, 10, 10, 10]);
        let ends = sample.quantile(50).unwrap().interval.unwrap();
        assert_eq!(ends, (Observed::exactly(2), Observed::exactly(9)));
    }

    /// A tenth of 30 values lies above the 27th. An interval needs (1 - 1/n)^k <= 0.025: 36 values for n = 10.
    #[test]
    fn all_but_one_in_n_is_a_quantile() {
        let sample = exact(1..=30);
        assert_eq!(sample.all_but_one_in(10).unwrap().value.value, 27);
        assert_eq!(sample.all_but_one_in(100).unwrap(), Quantile { value: Observed::exactly(30), interval: None });
        assert_eq!(sample.all_but_one_in(2), sample.quantile(50));
        let ends = |count| exact(1..=count).all_but_one_in(10).unwrap().interval;
        assert!(ends(35).is_none() && ends(36).is_some(), "0.9^35 = 0.02503, 0.9^36 = 0.02253");
        assert_eq!(exact([]).all_but_one_in(7), None);
    }

    /// Mean 5, variance 32/7; the interval is 5 -+ t(7) sqrt(4/7) with t(7) = 2.364624252.
    #[test]
    fn the_mean_has_students_interval() {
        let mean = exact([2, 4, 4, 4, 5, 5, 7, 9]).mean().unwrap();
        let half = 2.364_624_252 * (4.0_f64 / 7.0).sqrt();
        let (from, to) = mean.interval.unwrap();
        assert!((mean.value - 5.0).abs() < 1e-12 && (from - 5.0 + half).abs() < 1e-8);
        assert!((to.unwrap() - 5.0 - half).abs() < 1e-8);
        assert_eq!(exact([0, 10]).mean().unwrap().interval.unwrap().0, 0.0, "no steps below 0");
    }

    #[test]
    fn one_value_has_no_interval_and_none_has_nothing() {
        let one = exact([7]);
        assert_eq!(one.mean(), Some(Mean { value: 7.0, exact: true, interval: None }));
        assert_eq!(one.quantile(99), Some(Quantile { value: Observed::exactly(7), interval: None }));
        assert_eq!((exact([]).mean(), exact([]).quantile(50), exact([]).ranked(1)), (None, None, None));
    }

    #[test]
    fn what_is_unknown_is_kept_as_a_lower_bound() {
        let sample: Sample =
            [Observed::exactly(10), Observed::at_least(100), Observed::exactly(20), Observed::at_least(100)]
                .into_iter()
                .collect();
        assert_eq!((sample.len(), sample.censored()), (4, 2));
        assert_eq!(sample.quantile(50).unwrap().value, Observed::exactly(20));
        assert_eq!(sample.quantile(75).unwrap().value, Observed::at_least(100));
        let mean = sample.mean().unwrap();
        assert_eq!((mean.value, mean.exact), (57.5, false));
        assert_eq!(mean.interval.unwrap().1, None, "a lower bound has no upper end");
        // An unknown value may lie anywhere above 15, so only the least is sure.
        let mixed: Sample = [10, 20, 30].map(Observed::exactly).into_iter().chain([Observed::at_least(15)]).collect();
        let ranked: Vec<Observed> = (1..=4).filter_map(|k| mixed.ranked(k)).collect();
        assert_eq!(ranked[0], Observed::exactly(10));
        assert_eq!(ranked[1..], [15, 20, 30].map(Observed::at_least));
    }

    /// 4000 samples at a fixed seed; the true mean and median of the distribution are known.
    #[test]
    fn intervals_cover_as_often_as_they_say() {
        let mut generator = stream(11, Stream::Start);
        let (mut medians, mut means) = (0, 0);
        for _ in 0..4000 {
            let sample = exact((0..30).map(|_| below(&mut generator, 100_001)));
            let (from, to) = sample.quantile(50).unwrap().interval.unwrap();
            medians += u32::from(from.value <= 50_000 && 50_000 <= to.value);
            let (from, to) = sample.mean().unwrap().interval.unwrap();
            means += u32::from(from <= 50_000.0 && 50_000.0 <= to.unwrap());
        }
        // The order statistics 10 and 21 of 30 enclose with 0.957; three standard errors are 0.01.
        assert!((3780..=3880).contains(&medians), "{medians}");
        assert!((3750..=3850).contains(&means), "{means}");
    }
}
