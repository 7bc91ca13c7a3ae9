//! Statistics against values worked out by hand, where the tests beside them left room.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use ringleader::stats::compare::mann_whitney;

/// The arrangement of m small and n great values has p = 2 / C(m + n, m). Beyond 8 and 50 values the normal law stands in.
#[test]
fn few_values_are_counted_exactly() {
    let exact = |m: u64, n: u64| {
        let arrangements: f64 = (1..=m).map(|k| (n + k) as f64 / k as f64).product();
        let (small, great): (Vec<u64>, Vec<u64>) = ((0..m).collect(), (m..m + n).collect());
        (mann_whitney(&small, &great).unwrap().p * arrangements - 2.0).abs() < 1e-9
    };
    assert!([(1, 1), (3, 5), (8, 50), (50, 8), (8, 8)].into_iter().all(|(m, n)| exact(m, n)));
    assert!([(8, 51), (51, 8), (9, 50), (9, 9)].into_iter().all(|(m, n)| !exact(m, n)));
}
