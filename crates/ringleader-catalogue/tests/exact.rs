//! Exact hitting times exist for every built-in protocol: means of many runs are what the chains say, and a chain that is too
//! large is refused with its limit.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../ringleader/tests/common/mod.rs"]
mod common;

use common::{ENTRIES, batch, entry, params};
use ringleader::trial::{Engine, Initial, Record, Scheduler, Trial};
use ringleader_verify::exact::ask::{Question, Until};

/// Protocol, parameters and start.
type Case = (&'static str, &'static [(&'static str, u64)], &'static str);

/// Few parameters and a start for each protocol, which make a chain of a ring of three agents.
const CASES: [Case; 15] = [
    ("ppl", &[("psi", 2), ("kappa", 1)], "two-leaders"),
    ("ppl-prime", &[("psi", 2), ("kappa", 1)], "all-leaders"),
    ("por", &[], "two-segments"),
    ("pcl", &[("colors", 3)], "one-color"),
    ("pcl-derandomised", &[("colors", 4)], "one-color"),
    ("undirected", &[("psi", 2), ("kappa", 1), ("colors", 3)], "two-leaders"),
    ("undirected-derandomised", &[("psi", 2), ("kappa", 1), ("colors", 4)], "two-leaders"),
    ("ysm", &[], "leaderless"),
    ("fj", &[], "two-leaders"),
    ("aaf", &[], "barriers"),
    ("thue-morse", &[], "leaderless"),
    ("aaf-orientation", &[], "two-segments"),
    ("aaf-colouring", &[], "one-color"),
    ("aaf-token", &[], "alternating"),
    ("elim", &[], "all-leaders"),
];

/// What is too large on three agents already.
const TOO_LARGE: [&str; 2] = ["pcl-derandomised", "thue-morse"];

fn question(start: &str) -> Question<'_> {
    Question { start: Some(start), seed: 1, until: Until::Safe, rotate: true, most: 100_000, quantiles: 0 }
}

/// Mean and standard error of the first safe step.
fn mean(records: &[Record]) -> (f64, f64) {
    let (runs, steps) = (records.len() as f64, || records.iter().map(|record| record.safe.unwrap() as f64));
    let mean = steps().sum::<f64>() / runs;
    let variance = steps().map(|step| (step - mean).powi(2)).sum::<f64>() / (runs - 1.0);
    (mean, (variance / runs).sqrt())
}

#[test]
fn every_protocol_has_a_case() {
    let names: Vec<&str> = ENTRIES.iter().map(|entry| &*entry.about().name).collect();
    assert_eq!(names, CASES.map(|case| case.0));
}

#[test]
fn means_of_runs_are_what_the_chains_say() {
    for (name, named, start) in CASES.into_iter().filter(|case| !TOO_LARGE.contains(&case.0)) {
        let found = entry(name).exact(3, &params(named), &question(start), None, &()).unwrap().unwrap();
        let (exact, config) = found.worst.unwrap();
        assert!(exact > 1.0 && found.configurations > 5 && found.error < 1e-9, "{name}: {exact} {}", found.error);
        assert_eq!(found.mean, exact, "{name} has one start");
        // The parameters in force, which are the smallest ones where none were given.
        let settings: Vec<(&str, u64)> = found.settings.iter().map(|(name, value)| (&**name, *value)).collect();
        for scheduler in Scheduler::ALL {
            let from = Some(Initial::Given(config.clone()));
            let trial = Trial { params: params(&settings), from, scheduler, phases: false, ..Trial::new(name, 3, 0) };
            let (mean, error) = mean(&batch(&trial, &(0..8000).collect::<Vec<u64>>(), Engine::Auto));
            println!("{name} from {start}, {}: exact {exact:.4}, measured {mean:.4} +- {error:.4}", scheduler.name());
            assert!(
                (mean - exact).abs() < 4.0 * error,
                "{name} from {start}: exact {exact}, measured {mean} +- {error}"
            );
        }
    }
}

#[test]
fn a_chain_that_is_too_large_is_refused_with_its_limit() {
    for (name, named, start) in CASES.into_iter().filter(|case| TOO_LARGE.contains(&case.0)) {
        let refused = entry(name).exact(3, &params(named), &question(start), None, &()).err().unwrap().to_string();
        assert!(refused.contains("more than 100000 configurations can be reached"), "{name}: {refused}");
    }
}

#[test]
fn a_safe_start_takes_no_time() {
    for (name, named, _) in CASES {
        let found = entry(name).exact(3, &params(named), &question("safe"), None, &()).unwrap().unwrap();
        assert_eq!((found.mean, found.configurations, found.starts), (0.0, 1, [1, 0]), "{name}");
    }
}
