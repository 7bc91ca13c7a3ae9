//! Built-in protocols without a circuit run in the lanes of their texts, with the records of the stepper; oracles are asked there, too.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../ringleader/tests/common/mod.rs"]
mod common;

use common::{batch, entry, trial};
use ringleader::trial::{Engine, Trial};

/// Protocol, ring, parameters, starts and limit.
type Case = (&'static str, usize, &'static [(&'static str, u64)], &'static [&'static str], Option<u64>);

const CASES: &[Case] = &[
    ("undirected", 3, &[("kappa", 3)], &["uniform"], None),
    ("undirected", 9, &[("kappa", 3)], &["uniform"], None),
    ("undirected", 16, &[], &["uniform"], Some(60_000)),
    ("undirected-derandomised", 7, &[("kappa", 3)], &["uniform"], Some(20_000)),
    ("pcl-derandomised", 3, &[], &["uniform", "one-color"], None),
    ("pcl-derandomised", 20, &[], &["uniform", "one-color"], None),
    ("aaf", 5, &[], &["uniform"], Some(20_000)),
    ("aaf", 12, &[], &["uniform"], Some(60_000)),
    ("aaf-orientation", 9, &[], &["uniform"], None),
    ("aaf-colouring", 9, &[], &["uniform"], None),
    ("aaf-token", 9, &[], &["uniform"], None),
    ("fj", 3, &[], &["leaderless", "two-leaders", "uniform"], None),
    ("fj", 5, &[("delay", 1)], &["uniform", "all-leaders"], None),
    ("fj", 24, &[], &["two-leaders", "uniform"], None),
    // Several windows pass before the oracle says that there is no leader, and a part of one.
    ("fj", 40, &[("delay", 20_000)], &["leaderless", "two-leaders"], None),
    ("elim", 3, &[], &["all-leaders"], None),
    ("elim", 40, &[], &["all-leaders", "two-leaders"], None),
];

#[test]
fn records_do_not_depend_on_the_engine() {
    for &(name, n, named, starts, limit) in CASES {
        for start in starts {
            let trial = Trial { phases: false, limit, ..trial(name, n, named, start, 0) };
            // More than there are lanes, if a trial is short; then also few, which are cut into arcs.
            for seeds in [if n < 6 { 0..600 } else { 0..70 }, 0..3] {
                let seeds: Vec<u64> = seeds.collect();
                let stepper = batch(&trial, &seeds, Engine::Stepper);
                assert!(stepper.iter().any(|record| record.safe.is_some() || limit.is_some()));
                for engine in Engine::ALL {
                    let same = batch(&trial, &seeds, engine) == stepper;
                    assert!(same, "{name}, n = {n}, from {start}, {} trials, {}", seeds.len(), engine.name());
                }
            }
        }
    }
}

#[test]
fn lanes_are_filled() {
    for &(name, n, named, starts, _) in CASES {
        let trial = Trial { phases: false, ..trial(name, n, named, starts[0], 0) };
        assert!(entry(name).at_once(&trial, Engine::Auto).unwrap() >= 64, "{name}");
    }
}

/// Where there are leaders nearly every window would be run again.
#[test]
fn phases_fill_lanes_where_nobody_leads() {
    for (start, filled) in [("leaderless", true), ("stale-signals", true), ("all-leaders", false)] {
        let trial = Trial { phases: true, ..trial("ppl", 16, &[], start, 0) };
        assert_eq!(entry("ppl").at_once(&trial, Engine::Auto).unwrap() >= 64, filled, "{start}");
    }
}
