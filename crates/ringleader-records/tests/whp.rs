//! "With high probability" of Theorem 1, of recorded trials, with constants that were chosen before the first of them was run.

#![cfg(feature = "sweeps")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::Path;

use ringleader_records::parquet;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// How sure all cells together make us.
const ERROR: f64 = 0.05;

/// For each start and size, how many of how many trials are later than `early n^2 log2 n`.
fn late(early: f64) -> BTreeMap<(String, u32), (u64, u64)> {
    let mut cells = BTreeMap::new();
    for row in parquet::read(&[Path::new(ROOT).join("records/whp.parquet")]).unwrap() {
        let row = row.unwrap();
        let n = f64::from(row.setup.n);
        let (late, all) = cells.entry((row.setup.start.clone(), row.setup.n)).or_insert((0, 0));
        *late += u64::from(row.outcome.safe.is_none_or(|step| step as f64 > early * n * n * n.log2()));
        *all += 1;
    }
    cells
}

/// The chance of so few late trials if each were late with chance `p`: the binomial distribution, term by term.
fn so_few(late: u64, all: u64, p: f64) -> f64 {
    let mut term = (1.0 - p).powf(all as f64);
    let mut sum = term;
    for i in 0..late {
        term *= (all - i) as f64 / (i + 1) as f64 * p / (1.0 - p);
        sum += term;
    }
    sum
}

/// The cells for which `P(T > early n^2 log2 n) <= late/n` is not shown, all cells being asked at once.
fn not_shown(early: f64, most: f64) -> Vec<(String, u32)> {
    let cells = late(early);
    let error = ERROR / cells.len() as f64;
    let shown = |(n, late, all): (u32, u64, u64)| so_few(late, all, most / f64::from(n)) <= error;
    let rows = cells.into_iter().filter(|((_, n), (late, all))| !shown((*n, *late, *all)));
    rows.map(|(cell, _)| cell).collect()
}

/// The constants are those that the definition states, which is the one that the records were made of.
#[test]
fn the_theorem_holds_with_high_probability() {
    let stated = std::fs::read_to_string(Path::new(ROOT).join("experiments/whp.toml")).unwrap();
    assert!(stated.contains("P(T > 64 n^2 log2 n) <= 1/n"));
    let recorded = parquet::metadata(&Path::new(ROOT).join("records/whp.parquet")).unwrap().definition;
    assert_eq!(recorded, stated);
    let cells = late(64.0);
    assert_eq!((cells.len(), cells.values().map(|(_, all)| all).sum::<u64>()), (18, 66_000));
    assert_eq!(not_shown(64.0, 1.0), Vec::new(), "{cells:?}");
}

/// With constants that are too small nothing is shown: without a leader the clocks must run out first, which takes some 40 n^2 log2 n.
#[test]
fn smaller_constants_are_not_shown() {
    assert!(not_shown(40.0, 1.0).iter().any(|(start, _)| start == "leaderless"));
    assert!(!not_shown(64.0, 0.1).is_empty(), "so many trials cannot show ten times less");
}

#[test]
fn the_binomial_distribution_is_right() {
    // SciPy's `binom.cdf` gives these.
    for (late, all, p, expected) in
        [(0, 10, 0.1, 0.348_678_440_1), (3, 20, 0.25, 0.225_156_047_5), (7, 1000, 0.01, 0.218_863_194_5)]
    {
        assert!((so_few(late, all, p) - expected).abs() < 1e-9, "{late} of {all}: {}", so_few(late, all, p));
    }
}
