//! Statistics against values worked out by hand, where the tests beside them left room.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use ringleader::stats::bootstrap::REPLICATES;
use ringleader::stats::compare::mann_whitney;
use ringleader::stats::fit::{Model, Point, Scale, compare, fit};

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

fn point(n: f64, value: f64, variance: f64) -> Point {
    let log = value.ln();
    let replicates = (0..REPLICATES).map(|k| log + if k % 2 == 0 { 0.1 } else { -0.1 }).collect();
    Point { n, log, variance, replicates }
}

/// Akaike: of two models with as many parameters, one is exp((chi - chi') / 2) times as likely as the other.
#[test]
fn weights_are_likelihoods() {
    let points: Vec<Point> = [8.0_f64, 16.0, 32.0].map(|n| point(n, n * n * n.log2().sqrt(), 0.1)).into();
    let verdicts = compare(&points);
    assert!((verdicts.iter().map(|one| one.weight).sum::<f64>() - 1.0).abs() < 1e-12);
    for (a, b) in verdicts.iter().flat_map(|a| verdicts.iter().map(move |b| (a, b))) {
        let expected = (b.fit.chi_square - a.fit.chi_square) / 2.0;
        assert!(((a.weight / b.weight).ln() - expected).abs() < 1e-9, "{:?} {:?}", a.scale, b.scale);
    }
    assert!(verdicts.iter().filter(|one| one.weight > 0.05).count() > 1, "none of them is sure");
}

/// Whatever is left over is at least the nothing that is left over of the same point twice.
#[test]
fn a_perfect_fit_is_certain() {
    let twice = [point(8.0, 64.0, 0.1), point(8.0, 64.0, 0.1)];
    let fit = fit(Model::Claimed(Scale::ALL[0]), &twice).unwrap();
    assert_eq!((fit.chi_square, fit.freedom, fit.p()), (0.0, 1, Some(1.0)));
}
