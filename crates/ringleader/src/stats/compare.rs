//! Is one sample smaller than another? The tests of Mann and Whitney and, where trials were cut off, of log-ranks; the ratio
//! of medians with its interval; Holm's correction where many questions are asked at once.

use statrs::function::erf::erfc;

use super::bootstrap::{self, REPLICATES};
use super::{CONFIDENCE, Observed, Sample};
use crate::random::Generator;

/// What a test says of two samples A and B.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Test {
    /// Which test it is.
    pub name: &'static str,
    /// The statistic: U of A for Mann and Whitney, chi-square for log-ranks.
    pub statistic: f64,
    /// The two-sided p-value: how likely at least such a difference is if there is none.
    pub p: f64,
}

/// Log-ranks if a trial was cut off, else Mann and Whitney. `None` if a sample is empty or all values are the same.
#[must_use]
pub fn test(a: &Sample, b: &Sample) -> Option<Test> {
    let all_known = a.censored() + b.censored() == 0;
    if all_known { mann_whitney(a.known(), b.known()) } else { log_rank(&a.observations(), &b.observations()) }
}

/// The probability that a trial of A takes fewer steps than one of B, ties counting half, if no trial was cut off.
#[must_use]
pub fn superiority(a: &Sample, b: &Sample) -> Option<f64> {
    let known = a.censored() + b.censored() == 0 && !a.is_empty() && !b.is_empty();
    known.then(|| 1.0 - wins(a.known(), b.known()) / (a.len() as f64 * b.len() as f64))
}

/// U: the pairs in which the value of `a` is greater, ties counting half. Both are sorted.
fn wins(a: &[u64], b: &[u64]) -> f64 {
    let (mut less, mut up_to) = (0, 0);
    let of_one = |value: &u64| {
        less += b[less..].iter().take_while(|other| *other < value).count();
        up_to = up_to.max(less);
        up_to += b[up_to..].iter().take_while(|other| *other <= value).count();
        (less + up_to) as f64 / 2.0
    };
    a.iter().map(of_one).sum()
}

/// The rank-sum test of Mann and Whitney on sorted samples: exact for few values without ties, else normal with corrections
/// for ties and continuity.
#[must_use]
pub fn mann_whitney(a: &[u64], b: &[u64]) -> Option<Test> {
    let (m, n) = (a.len() as f64, b.len() as f64);
    let u = wins(a, b);
    let mut all = [a, b].concat();
    all.sort_unstable();
    let cubes: f64 = all.chunk_by(|x, y| x == y).map(|same| same.len() as f64).map(|t| t * t * t - t).sum();
    let total = m + n;
    let variance = m * n / 12.0 * (total + 1.0 - cubes / (total * (total - 1.0)));
    let name = "Mann-Whitney";
    if cubes == 0.0 && a.len().min(b.len()) <= 8 && a.len().max(b.len()) <= 50 && !a.is_empty() && !b.is_empty() {
        return Some(Test { name, statistic: u, p: exact_p(a.len(), b.len(), u.max(m * n - u) as usize) });
    }
    let z = ((u - m * n / 2.0).abs() - 0.5).max(0.0) / variance.sqrt();
    (variance > 0.0).then(|| Test { name, statistic: u, p: erfc(z / std::f64::consts::SQRT_2) })
}

/// Twice the probability that U is at least `u`, where every order of the values is equally likely.
fn exact_p(m: usize, n: usize, u: usize) -> f64 {
    // ways[i][s]: subsets of i of the ranks so far whose ranks exceed the least possible by s in total.
    let mut ways = vec![vec![0.0; m * n + 1]; m + 1];
    ways[0][0] = 1.0;
    for rank in 0..m + n {
        for i in (1..=m.min(rank + 1)).rev() {
            let excess = rank + 1 - i;
            for s in (excess..=m * n).rev() {
                ways[i][s] += ways[i - 1][s - excess];
            }
        }
    }
    let total: f64 = ways[m].iter().sum();
    (2.0 * ways[m][u.min(m * n)..].iter().sum::<f64>() / total).min(1.0)
}

/// The log-rank test (Mantel and Cox).
#[must_use]
pub fn log_rank(a: &[Observed], b: &[Observed]) -> Option<Test> {
    let mut all: Vec<(u64, bool, bool)> = Vec::with_capacity(a.len() + b.len());
    all.extend(a.iter().map(|one| (one.value, one.exact, true)));
    all.extend(b.iter().map(|one| (one.value, one.exact, false)));
    all.sort_unstable();
    let (mut of_a, mut at_risk) = (a.len() as f64, all.len() as f64);
    let (mut surplus, mut variance) = (0.0, 0.0);
    for same in all.chunk_by(|x, y| x.0 == y.0) {
        let ended = same.iter().filter(|one| one.1).count() as f64;
        let ended_of_a = same.iter().filter(|one| one.1 && one.2).count() as f64;
        let share = of_a / at_risk;
        surplus += ended_of_a - ended * share;
        if at_risk > 1.0 {
            variance += ended * share * (1.0 - share) * (at_risk - ended) / (at_risk - 1.0);
        }
        of_a -= same.iter().filter(|one| one.2).count() as f64;
        at_risk -= same.len() as f64;
    }
    let statistic = surplus * surplus / variance;
    (variance > 0.0).then(|| Test { name: "log-rank", statistic, p: erfc((statistic / 2.0).sqrt()) })
}

/// The ratio of two medians.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// The least and the greatest that it can be; the same unless a median is known only from below.
    pub value: (f64, f64),
    /// The 95 % interval: percentiles of bootstrap replicates, each taken at the end that makes the interval wider.
    pub interval: (f64, f64),
}

/// The median of A divided by that of B. `None` if a sample is empty or the median of B may be 0.
#[must_use]
pub fn ratio_of_medians(a: &Sample, b: &Sample, generator: &mut Generator) -> Option<Ratio> {
    let value = divided(a.quantile(50)?.value, b.quantile(50)?.value);
    let above = bootstrap::quantiles(a, 50, generator);
    let below = bootstrap::quantiles(b, 50, generator);
    let ratios: Vec<(f64, f64)> = above.into_iter().zip(below).map(|(a, b)| divided(a, b)).collect();
    let end = |part: fn(&(f64, f64)) -> f64| bootstrap::interval(ratios.iter().map(part).collect());
    let interval = (end(|ratio| ratio.0)?.0, end(|ratio| ratio.1)?.1);
    let sound = !value.0.is_nan() && !interval.0.is_nan() && b.quantile(50)?.value.value > 0;
    sound.then_some(Ratio { value, interval })
}

/// The least and the greatest that a ratio can be.
fn divided(a: Observed, b: Observed) -> (f64, f64) {
    let ratio = a.value as f64 / b.value as f64;
    (if b.exact { ratio } else { 0.0 }, if a.exact { ratio } else { f64::INFINITY })
}

/// Holm's correction: p-values that hold for all questions at once.
#[must_use]
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&i, &j| p[i].total_cmp(&p[j]));
    let (mut adjusted, mut least) = (vec![1.0; p.len()], 0.0_f64);
    for (k, &i) in order.iter().enumerate() {
        least = least.max(p[i] * (p.len() - k) as f64).min(1.0);
        adjusted[i] = least;
    }
    adjusted
}

const _: () = assert!(REPLICATES as f64 * (1.0 - CONFIDENCE) > 50.0, "too few replicates for the ends of an interval");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::below;

    fn sample(values: &[u64]) -> Sample {
        values.iter().copied().map(Observed::exactly).collect()
    }

    fn near(found: f64, expected: f64) -> bool {
        (found - expected).abs() <= 1e-9 + 1e-7 * expected.abs()
    }

    /// SciPy's `mannwhitneyu(a, b)`.
    #[test]
    fn mann_whitney_is_that_of_scipy() {
        let (a, b) = ([19, 22, 16, 29, 24], [20, 11, 17, 12]);
        let sorted = |values: &[u64]| {
            let mut values = values.to_vec();
            values.sort_unstable();
            values
        };
        let exact = mann_whitney(&sorted(&a), &sorted(&b)).unwrap();
        assert!(exact.statistic == 17.0 && near(exact.p, 0.111_111_111_11), "{exact:?}");
        let tied = mann_whitney(&[1, 2, 2, 3, 3, 3, 4, 9, 9, 12], &[2, 3, 5, 5, 6, 9, 9, 11, 12, 13, 14]).unwrap();
        assert!(tied.statistic == SCIPY_TIED.0 && near(tied.p, SCIPY_TIED.1), "{tied:?}");
        let many =
            mann_whitney(&(0..100).map(|k| 3 * k).collect::<Vec<_>>(), &(0..90).map(|k| 4 * k + 1).collect::<Vec<_>>());
        let many = many.unwrap();
        assert!(many.statistic == SCIPY_MANY.0 && near(many.p, SCIPY_MANY.1), "{many:?}");
    }
    const SCIPY_TIED: (f64, f64) = (28.0, 0.059_832_121_995);
    const SCIPY_MANY: (f64, f64) = (3737.5, 0.044_081_171_95);

    /// The two arms of Freireich et al. (1963): chi-square 16.79, as in textbooks; digits from lifelines.
    #[test]
    fn log_rank_is_that_of_the_textbooks() {
        let placebo = [1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23].map(Observed::exactly);
        let known = [6, 6, 6, 7, 10, 13, 16, 22, 23].map(Observed::exactly);
        let cut = [6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35].map(Observed::at_least);
        let treated: Vec<Observed> = known.into_iter().chain(cut).collect();
        let test = log_rank(&treated, &placebo).unwrap();
        assert!(near(test.statistic, 16.792_940_9) && near(test.p, 4.168_809_1e-5), "{test:?}");
    }

    #[test]
    fn tests_are_chosen_by_what_is_known() {
        let known = sample(&[1, 2, 3]);
        let cut: Sample = [Observed::exactly(5), Observed::at_least(9)].into_iter().collect();
        assert_eq!(test(&known, &known.clone()).unwrap().name, "Mann-Whitney");
        assert_eq!(test(&known, &cut).unwrap().name, "log-rank");
        assert_eq!((test(&sample(&[]), &known), test(&sample(&[4, 4]), &sample(&[4]))), (None, None));
        assert_eq!(superiority(&known, &sample(&[2])), Some(0.5));
        assert_eq!(superiority(&known, &cut), None);
    }

    #[test]
    fn unknown_medians_give_ratios_that_are_known_from_one_side() {
        let (known, cut) = (sample(&[10; 9]), [Observed::at_least(100); 9].into_iter().collect::<Sample>());
        let mut random = bootstrap::generator(1, "ratio");
        let slower = ratio_of_medians(&cut, &known, &mut random).unwrap();
        assert_eq!((slower.value, slower.interval), ((10.0, f64::INFINITY), (10.0, f64::INFINITY)));
        let faster = ratio_of_medians(&known, &cut, &mut random).unwrap();
        assert_eq!((faster.value, faster.interval), ((0.0, 0.1), (0.0, 0.1)));
        assert_eq!(ratio_of_medians(&known, &sample(&[0]), &mut random), None);
    }

    /// 1000 pairs of samples at a fixed seed whose medians have the ratio 2.
    #[test]
    fn the_interval_of_a_ratio_covers() {
        let mut random = bootstrap::generator(5, "coverage");
        let mut draw = |scale: u64| -> Sample {
            (0..60).map(|_| Observed::exactly(scale * (1000 + below(&mut random, 8001)))).collect()
        };
        let pairs: Vec<(Sample, Sample)> = (0..1000).map(|_| (draw(2), draw(1))).collect();
        let covered = |(k, (a, b)): (usize, &(Sample, Sample))| {
            let (from, to) = ratio_of_medians(a, b, &mut bootstrap::generator(k as u64, "r")).unwrap().interval;
            usize::from(from <= 2.0 && 2.0 <= to)
        };
        let hits: usize = pairs.iter().enumerate().map(covered).sum();
        assert!((930..=975).contains(&hits), "{hits}");
    }

    #[test]
    fn holm_is_the_worked_example() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]);
        for (found, expected) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!(near(*found, expected), "{adjusted:?}");
        }
        assert!(holm(&[]).is_empty());
    }
}
