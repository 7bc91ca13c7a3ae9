//! How often something happens: Clopper and Pearson's exact interval.

use statrs::function::beta::inv_beta_reg;

use super::CONFIDENCE;

/// The interval of a probability after `hits` of `count` trials; exact, so it covers with 0.95 at least.
#[must_use]
pub fn interval(hits: usize, count: usize) -> (f64, f64) {
    let error = (1.0 - CONFIDENCE) / 2.0;
    let (k, missed) = (hits as f64, count.saturating_sub(hits) as f64);
    let from = if hits == 0 { 0.0 } else { inv_beta_reg(k, missed + 1.0, error) };
    let to = if hits >= count { 1.0 } else { inv_beta_reg(k + 1.0, missed, 1.0 - error) };
    (from, to)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SciPy's `binomtest(k, n).proportion_ci()` gives these.
    #[test]
    fn intervals_are_the_published_ones() {
        let table = [
            (0, 10, 0.0, 0.308_497_1),
            (1, 10, 0.002_528_579, 0.445_016_1),
            (5, 10, 0.187_086_0, 0.812_914_0),
            (10, 10, 0.691_502_9, 1.0),
            (7, 1000, 0.002_818_859, 0.014_369_195),
        ];
        for (hits, count, from, to) in table {
            let found = interval(hits, count);
            assert!((found.0 - from).abs() < 1e-6 && (found.1 - to).abs() < 1e-6, "{hits}/{count}: {found:?}");
        }
    }
}
