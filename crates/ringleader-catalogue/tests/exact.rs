#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#[path = "../../ringleader/tests/common/mod.rs"]
mod common;
use common::{ENTRIES, params};
use ringleader_verify::exact::ask::{Question, Until};

#[test]
fn explore_sizes() {
    for entry in ENTRIES.iter() {
        let n = (3..9).find(|n| entry.describe(*n, &params(&[])).is_ok()).unwrap();
        for start in entry.starts() {
            let t = std::time::Instant::now();
            let q = Question {
                start: Some(&start.name),
                seed: 1,
                until: Until::Safe,
                rotate: true,
                most: 100_000,
                quantiles: 0,
            };
            match entry.exact(n, &params(&[]), &q, None, &()) {
                Ok(f) => {
                    let f = f.unwrap();
                    println!(
                        "{} n {n} {}: {} configs, {:?} starts, mean {} err {} settings {:?} in {:?}",
                        entry.about().name,
                        start.name,
                        f.configurations,
                        f.starts,
                        f.mean,
                        f.error,
                        f.settings,
                        t.elapsed()
                    )
                }
                Err(e) => println!("{} n {n} {}: {e} in {:?}", entry.about().name, start.name, t.elapsed()),
            }
        }
    }
}
