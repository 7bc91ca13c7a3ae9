//! The survival curve of Kaplan and Meier: the probability that a trial is not yet done, when some were cut off.

use super::{NORMAL, Observed};

/// The curve falls to `survival` at `time`, and stays there up to the next step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// When.
    pub time: u64,
    /// How many trials were still running just before.
    pub at_risk: usize,
    /// How many ended then.
    pub ended: usize,
    /// The estimated probability to run longer.
    pub survival: f64,
    /// Its 95 % interval at this time: Greenwood's variance on the scale of log(-log), so that it stays in 0 to 1. None
    /// where nothing survives.
    pub interval: Option<(f64, f64)>,
}

/// The steps of the curve, in order. A trial that was cut off at a time counts as running at that time.
#[must_use]
pub fn kaplan_meier(trials: &[Observed]) -> Vec<Step> {
    let mut sorted = trials.to_vec();
    sorted.sort_unstable_by_key(|one| one.value);
    let (mut steps, mut at_risk, mut survival, mut variance) = (Vec::new(), sorted.len(), 1.0, 0.0);
    for same in sorted.chunk_by(|a, b| a.value == b.value) {
        let ended = same.iter().filter(|one| one.exact).count();
        if ended > 0 {
            let (d, r) = (ended as f64, at_risk as f64);
            survival *= 1.0 - d / r;
            variance += d / (r * (r - d));
            let interval = pointwise(survival, variance);
            steps.push(Step { time: same[0].value, at_risk, ended, survival, interval });
        }
        at_risk -= same.len();
    }
    steps
}

/// The interval from Greenwood's sum, by the delta method on log(-log).
fn pointwise(survival: f64, sum: f64) -> Option<(f64, f64)> {
    let width = NORMAL * sum.sqrt() / survival.ln().abs();
    let end = |sign: f64| survival.powf((sign * width).exp());
    (survival > 0.0 && sum.is_finite()).then(|| (end(1.0), end(-1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Remission times in weeks under 6-mercaptopurine (Freireich et al. 1963), the standard example.
    fn remissions() -> Vec<Observed> {
        let known = [6, 6, 6, 7, 10, 13, 16, 22, 23].map(Observed::exactly);
        let cut = [6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35].map(Observed::at_least);
        known.into_iter().chain(cut).collect()
    }

    /// The published curve, and the intervals that lifelines gives.
    #[test]
    fn the_standard_example_has_its_published_curve() {
        let published = [
            (6, 21, 0.857_142_9, 0.619_718_0, 0.951_552_4),
            (7, 17, 0.806_722_7, 0.563_147_2, 0.922_808_5),
            (10, 15, 0.752_941_2, 0.503_200, 0.889_361_8),
            (13, 12, 0.690_196_1, 0.431_610, 0.849_066_4),
            (16, 11, 0.627_451_0, 0.367_511, 0.804_912_1),
            (22, 7, 0.537_815_1, 0.267_779_4, 0.746_791),
            (23, 6, 0.448_179_3, 0.188_052, 0.680_143_1),
        ];
        let curve = kaplan_meier(&remissions());
        assert_eq!(curve.len(), published.len());
        for (step, (time, at_risk, survival, from, to)) in curve.iter().zip(published) {
            let (low, high) = step.interval.unwrap();
            assert_eq!((step.time, step.at_risk), (time, at_risk));
            assert!((step.survival - survival).abs() < 1e-6, "{step:?}");
            assert!((low - from).abs() < 1e-6 && (high - to).abs() < 1e-6, "{step:?}");
        }
    }

    #[test]
    fn without_cuts_it_is_the_empirical_distribution() {
        let curve = kaplan_meier(&[4, 2, 2, 8].map(Observed::exactly));
        let shown: Vec<(u64, f64)> = curve.iter().map(|step| (step.time, step.survival)).collect();
        assert_eq!(shown, [(2, 0.5), (4, 0.25), (8, 0.0)]);
        assert_eq!(curve[2].interval, None);
        assert!(kaplan_meier(&[]).is_empty() && kaplan_meier(&[Observed::at_least(3)]).is_empty());
    }
}
