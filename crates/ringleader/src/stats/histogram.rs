//! How often which values occur: bins of equal width, or of equal ratio where values differ by orders of magnitude.

use super::Sample;

/// Where the greatest value is so many times the least, bins are of equal ratio.
const WIDE: u64 = 30;

/// Values of a sample, counted in bins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    /// Whether bins are of equal ratio, not of equal width.
    pub log: bool,
    /// The bins, in order; every value is in one of them.
    pub bins: Vec<Bin>,
}

/// Whole numbers from one to another, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bin {
    /// The least.
    pub from: u64,
    /// The greatest.
    pub to: u64,
    /// How many values are here.
    pub count: usize,
    /// How many of them were cut off here: they belong here or further up.
    pub cut: usize,
}

/// The values of a sample in at most so many bins; `None` if there are no values.
#[must_use]
pub fn histogram(sample: &Sample, bins: usize) -> Option<Histogram> {
    let (least, greatest) = (sample.ranked(1)?.value, sample.ranked(sample.len())?.value);
    let log = greatest / least.max(1) >= WIDE;
    let mut bins: Vec<Bin> = edges(least, greatest, bins.max(1), log)
        .windows(2)
        .map(|ends| Bin { from: ends[0], to: ends[1] - 1, count: 0, cut: 0 })
        .collect();
    let mut at = 0;
    for observed in sample.observations() {
        while bins[at].to < observed.value && at + 1 < bins.len() {
            at += 1;
        }
        bins[at].count += 1;
        bins[at].cut += usize::from(!observed.exact);
    }
    Some(Histogram { log, bins })
}

/// Where bins begin, and where the last one has ended; all different.
fn edges(least: u64, greatest: u64, bins: usize, log: bool) -> Vec<u64> {
    let end = greatest.saturating_add(1);
    let (from, to) = (least as f64, end as f64);
    let edge = |k: usize| {
        let part = k as f64 / bins as f64;
        let at =
            if log { (from + 1.0).powf(1.0 - part) * (to + 1.0).powf(part) - 1.0 } else { from + (to - from) * part };
        (at.round() as u64).clamp(least, end)
    };
    let mut edges: Vec<u64> = (0..=bins).map(edge).collect();
    (edges[0], edges[bins]) = (least, end);
    edges.dedup();
    edges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Stream, below, stream};
    use crate::stats::Observed;

    fn sample(values: impl IntoIterator<Item = u64>) -> Sample {
        values.into_iter().map(Observed::exactly).collect()
    }

    #[test]
    fn bins_of_equal_width_for_values_of_one_magnitude() {
        let found = histogram(&sample(10..30), 4).unwrap();
        let ends: Vec<(u64, u64, usize)> = found.bins.iter().map(|bin| (bin.from, bin.to, bin.count)).collect();
        assert_eq!((found.log, ends), (false, vec![(10, 14, 5), (15, 19, 5), (20, 24, 5), (25, 29, 5)]));
    }

    /// From 0 to 9998: bins end where value + 1 is 10, 100, 1000, 10000.
    #[test]
    fn bins_of_equal_ratio_for_values_of_many() {
        let found = histogram(&sample([0, 8, 9, 98, 99, 998, 999, 9998]), 4).unwrap();
        let ends: Vec<(u64, u64, usize)> = found.bins.iter().map(|bin| (bin.from, bin.to, bin.count)).collect();
        assert_eq!((found.log, ends), (true, vec![(0, 8, 2), (9, 98, 2), (99, 998, 2), (999, 9998, 2)]));
    }

    #[test]
    fn every_value_is_in_one_bin() {
        let mut generator = stream(3, Stream::Start);
        for k in 0..2000 {
            let (count, most) = (1 + below(&mut generator, 50), 1_u64 << below(&mut generator, 63));
            let values: Vec<u64> = (0..count).map(|_| below(&mut generator, most + 1)).collect();
            let found = histogram(&sample(values.iter().copied()), 1 + k % 20).unwrap();
            assert!(found.bins.len() <= 1 + k % 20 && found.bins.windows(2).all(|two| two[0].to + 1 == two[1].from));
            for bin in &found.bins {
                let inside = values.iter().filter(|&&value| (bin.from..=bin.to).contains(&value)).count();
                assert_eq!(bin.count, inside, "{values:?} {found:?}");
            }
        }
        assert_eq!(histogram(&sample([]), 5), None);
        let one = Histogram { log: false, bins: vec![Bin { from: 7, to: 7, count: 2, cut: 0 }] };
        assert_eq!(histogram(&sample([7, 7]), 5), Some(one), "bins that would be empty of numbers are not there");
    }

    #[test]
    fn what_was_cut_off_is_marked() {
        let values = [Observed::exactly(1), Observed::at_least(10), Observed::exactly(10)];
        let found = histogram(&values.into_iter().collect(), 2).unwrap();
        assert_eq!(found.bins.iter().map(|bin| (bin.count, bin.cut)).collect::<Vec<_>>(), [(1, 0), (2, 1)]);
    }
}
