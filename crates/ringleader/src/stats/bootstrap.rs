//! The bootstrap: how much a statistic varies when the trials are drawn again from those that were seen.
//!
//! A replicate of the *mean* is drawn: as many trials as there are, with replacement. A sample of more than
//! [`MOST_DRAWS`] trials is first shuffled into that many blocks, whose means are drawn instead; they have the same
//! variance. A replicate of a *quantile* needs no drawing of trials, since the law of its rank is known: the rank of the
//! `m`-th smallest of `k` draws from the ranks 1 to `k` is at most `j` with the probability that a variable with
//! distribution Beta(m, k - m + 1) is at most `j / k`.
//!
//! Every use has its own generator, made from the seed and a name: an interval depends on its trials, the seed and the
//! name, not on what else a report holds.

use rand_core::SeedableRng;
use statrs::function::beta::beta_reg;

use super::{CONFIDENCE, Observed, Sample};
use crate::random::{Generator, index, shuffle, uniform_real};

/// The number of replicates behind an interval.
pub const REPLICATES: usize = 2000;

/// The greatest number of trials, or blocks of them, that are drawn for a replicate.
pub const MOST_DRAWS: usize = 1024;

/// The generator of a seed for the statistic of that name: the name is hashed (FNV-1a) into the seed.
#[must_use]
pub fn generator(seed: u64, name: &str) -> Generator {
    let hash = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    Generator::seed_from_u64(seed ^ hash)
}

/// Replicates of the mean.
#[must_use]
pub fn means(values: &[u64], generator: &mut Generator) -> Vec<f64> {
    let blocks = blocks(values, generator);
    let count = blocks.len();
    let draw = |_| (0..count).map(|_| blocks[index(generator, count)]).sum::<f64>() / count as f64;
    if count == 0 { Vec::new() } else { (0..REPLICATES).map(draw).collect() }
}

/// The values themselves, or means of blocks of equal size if there are too many. Up to [`MOST_DRAWS`] values are left over
/// of samples that the number of blocks does not divide.
fn blocks(values: &[u64], generator: &mut Generator) -> Vec<f64> {
    let size = values.len() / MOST_DRAWS;
    if size < 2 {
        return values.iter().map(|&value| value as f64).collect();
    }
    let mut mixed = values.to_vec();
    shuffle(generator, &mut mixed);
    let mean = |block: &[u64]| block.iter().map(|&value| value as f64).sum::<f64>() / size as f64;
    mixed.chunks_exact(size).map(mean).collect()
}

/// Replicates of the quantile at so many percent.
#[must_use]
pub fn quantiles(sample: &Sample, percent: usize, generator: &mut Generator) -> Vec<Observed> {
    let law = RankLaw::new(sample.len(), percent);
    let draw = |_| sample.ranked(law.rank(uniform_real(generator)));
    (0..REPLICATES).filter_map(draw).collect()
}

/// The variance of the logarithm of such replicates of the median, from the law itself; none are drawn.
#[must_use]
pub fn variance_of_log_median(sample: &Sample) -> f64 {
    let law = RankLaw::new(sample.len(), 50);
    let log = |(k, up_to): (usize, &f64)| {
        let before = if k == 0 { 0.0 } else { law.up_to[k - 1] };
        sample.ranked(law.first + k).map(|value| (up_to - before, (value.value as f64).ln()))
    };
    let logs: Vec<(f64, f64)> = law.up_to.iter().enumerate().filter_map(log).collect();
    let mean: f64 = logs.iter().map(|(weight, log)| weight * log).sum();
    logs.iter().map(|(weight, log)| weight * (log - mean) * (log - mean)).sum()
}

/// The law of the rank that a quantile of drawn trials has among all trials.
struct RankLaw {
    /// The least rank that is not neglected.
    first: usize,
    /// The probabilities that the rank is at most `first`, `first + 1`, ...
    up_to: Vec<f64>,
}

impl RankLaw {
    /// Ranks more than eight standard deviations off, which have probability 10^-14, are left out.
    fn new(count: usize, percent: usize) -> Self {
        let (k, p) = (count as f64, percent as f64 / 100.0);
        let middle = (percent * count).div_ceil(100).max(1);
        let reach = (8.0 * (k * p * (1.0 - p)).sqrt()).ceil() as usize + 2;
        let first = middle.saturating_sub(reach).max(1);
        let (a, b) = (middle as f64, (count + 1).saturating_sub(middle) as f64);
        let up_to = |j: usize| if j >= count { 1.0 } else { beta_reg(a, b, j as f64 / k) };
        Self { first, up_to: (first..=(middle + reach).min(count)).map(up_to).collect() }
    }

    /// The rank at a level from 0 to 1.
    fn rank(&self, level: f64) -> usize {
        let last = self.up_to.len().saturating_sub(1);
        self.first + self.up_to.partition_point(|&below| below < level).min(last)
    }
}

/// The percentile interval of replicates; `None` if there are none.
#[must_use]
pub fn interval(mut replicates: Vec<f64>) -> Option<(f64, f64)> {
    replicates.sort_unstable_by(f64::total_cmp);
    let error = (1.0 - CONFIDENCE) / 2.0;
    let skipped = (error * replicates.len() as f64) as usize;
    let end = replicates.len().checked_sub(1 + skipped)?;
    Some((replicates[skipped], replicates[end]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::below;

    fn sample(values: &[u64]) -> Sample {
        values.iter().copied().map(Observed::exactly).collect()
    }

    fn spread(values: &[f64]) -> f64 {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        (values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
    }

    /// Of 3 values, the median of 3 draws is the least with probability 7/27, the middle one with 13/27.
    #[test]
    fn ranks_of_drawn_medians_have_their_exact_law() {
        let law = RankLaw::new(3, 50);
        assert_eq!(law.first, 1);
        for (found, exact) in law.up_to.iter().zip([7.0 / 27.0, 20.0 / 27.0, 1.0]) {
            assert!((found - exact).abs() < 1e-12, "{:?}", law.up_to);
        }
        assert_eq!([0.0, 0.25, 0.26, 0.74, 0.75, 1.0].map(|level| law.rank(level)), [1, 1, 2, 2, 3, 3]);
    }

    /// The law against plain drawing.
    #[test]
    fn quantiles_are_those_of_drawn_samples() {
        let mut random = generator(1, "plain");
        let values: Vec<u64> = (0..101).map(|_| below(&mut random, 1_000_000)).collect();
        let all = sample(&values);
        let law: Vec<f64> = quantiles(&all, 50, &mut random).iter().map(|one| one.value as f64).collect();
        let plain: Vec<f64> = (0..REPLICATES)
            .map(|_| {
                let drawn: Vec<u64> = (0..101).map(|_| values[index(&mut random, 101)]).collect();
                sample(&drawn).quantile(50).unwrap().value.value as f64
            })
            .collect();
        let (ours, theirs) = (spread(&law), spread(&plain));
        assert!((ours / theirs - 1.0).abs() < 0.08, "{ours} {theirs}");
        let logs: Vec<f64> = plain.iter().map(|median| median.ln()).collect();
        assert!((variance_of_log_median(&all).sqrt() / spread(&logs) - 1.0).abs() < 0.08);
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        assert!((mean(&law) - mean(&plain)).abs() < 4.0 * theirs / (REPLICATES as f64 / 2.0).sqrt());
    }

    /// The spread of drawn means is s / sqrt(k), with and without blocks.
    #[test]
    fn means_vary_as_they_should() {
        let mut random = generator(2, "means");
        for count in [30, 2047, 2048, 50_000] {
            let values: Vec<u64> = (0..count).map(|_| below(&mut random, 1_000_000)).collect();
            let reals: Vec<f64> = values.iter().map(|&value| value as f64).collect();
            let expected = spread(&reals) / f64::from(count).sqrt();
            let found = spread(&means(&values, &mut random));
            assert!((found / expected - 1.0).abs() < 0.1, "{count}: {found} {expected}");
        }
    }

    #[test]
    fn intervals_leave_a_fortieth_on_each_side() {
        assert_eq!(interval((0..2000).rev().map(f64::from).collect()), Some((50.0, 1949.0)));
        assert_eq!(interval(vec![3.0]), Some((3.0, 3.0)));
        assert_eq!(interval(Vec::new()), None);
    }

    #[test]
    fn nothing_has_no_replicates() {
        let mut random = generator(3, "nothing");
        assert!(means(&[], &mut random).is_empty());
        assert!(quantiles(&sample(&[]), 50, &mut random).is_empty());
        assert_eq!(quantiles(&sample(&[7]), 50, &mut random)[0], Observed::exactly(7));
    }

    #[test]
    fn generators_follow_from_seed_and_name() {
        let first = |seed, name| below(&mut generator(seed, name), u64::MAX);
        assert_eq!(first(1, "a"), first(1, "a"));
        assert!(first(1, "a") != first(2, "a") && first(1, "a") != first(1, "b"));
    }
}
