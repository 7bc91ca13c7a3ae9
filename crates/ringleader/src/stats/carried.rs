//! Do a few trials carry the mean? Where one trial in a hundred takes a hundred times as long as the others, a mean says little, and
//! Student's interval less: it is right only if such trials came as often as they do.

use super::Sample;

/// Fewer values are too few to tell.
const ENOUGH: usize = 20;
/// No more than one in so many are a few.
const FEW: usize = 20;
/// The few are set apart by a gap of this ratio, ...
const GAP: f64 = 3.0;
/// ... and hold at least this share of the sum, ...
const SHARE: f64 = 0.1;
/// ... or they are the greatest hundredth, and hold this without any gap. Of an exponential law it would hold 0.056.
const HEAVY: f64 = 0.2;

/// A few values that carry the mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carried {
    /// How many there are, of how many.
    pub few: usize,
    /// How many values there are in all.
    pub of: usize,
    /// What they hold of the sum, as a fraction of 1.
    pub share: f64,
    /// The least of them.
    pub from: u64,
    /// The greatest of the others.
    pub others_to: u64,
}

/// The few values of a sample that carry its mean, if it is carried by a few. Values that were cut off count as what is known of them.
#[must_use]
pub fn carried(sample: &Sample) -> Option<Carried> {
    let (values, of) = (&sample.least, sample.len());
    if of < ENOUGH {
        return None;
    }
    let sum: f64 = values.iter().map(|&value| value as f64).sum();
    let with = |few: usize| {
        let share = values[of - few..].iter().map(|&value| value as f64).sum::<f64>() / sum;
        Carried { few, of, share, from: values[of - few], others_to: values[of - few - 1] }
    };
    let gap = |one: &Carried| one.from as f64 / one.others_to.max(1) as f64;
    let apart = (1..=of / FEW).map(with).filter(|one| gap(one) >= GAP && one.share >= SHARE);
    let heavy = (of >= 100).then(|| with(of / 100)).filter(|one| one.share >= HEAVY);
    // The widest gap is where the few begin.
    apart.max_by(|a, b| gap(a).total_cmp(&gap(b))).or(heavy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Stream, below, stream};
    use crate::stats::Observed;

    fn sample(values: impl IntoIterator<Item = u64>) -> Sample {
        values.into_iter().map(Observed::exactly).collect()
    }

    /// 497 trials of 100 steps and three of 10,000: these hold 30,000 of 79,700.
    #[test]
    fn the_few_are_counted_and_weighed() {
        let found = carried(&sample((0..497).map(|_| 100).chain([10_000; 3]))).unwrap();
        assert_eq!((found.few, found.of, found.from, found.others_to), (3, 500, 10_000, 100));
        assert!((found.share - 30_000.0 / 79_700.0).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn where_many_are_long_or_few_weigh_little_nothing_is_said() {
        assert_eq!(carried(&sample((0..95).map(|_| 100).chain([10_000; 6]))), None, "more than one in twenty");
        assert_eq!(
            carried(&sample((0..1000).map(|_| 100).chain([10_000]))),
            None,
            "10,000 of 110,000 is less than a tenth"
        );
        assert_eq!(carried(&sample((0..18).map(|_| 100).chain([10_000]))), None, "too few to tell");
        assert_eq!(carried(&sample([0; 50])), None);
    }

    /// A Pareto law of index 1.1 has no gap, but its greatest hundredth holds a good half; an exponential law does not.
    #[test]
    fn a_heavy_tail_is_told_from_an_exponential_one() {
        let mut generator = stream(5, Stream::Start);
        let mut uniform = || (below(&mut generator, 1 << 30) + 1) as f64 / f64::from(1 << 30);
        let pareto = sample((0..20_000).map(|_| (1000.0 * uniform().powf(-1.0 / 1.1)) as u64));
        let found = carried(&pareto).unwrap();
        assert!(found.share > HEAVY, "{found:?}");
        for _ in 0..200 {
            let exponential = sample((0..500).map(|_| (-1e6 * uniform().ln()) as u64));
            assert_eq!(carried(&exponential), None);
        }
    }
}
