//! The engine never changes a record.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{agents, batch, open};
use ringleader::trial::{Engine, Trial};

fn trial(n: usize, start: &str, named: &[(&str, u64)]) -> Trial {
    Trial { phases: false, ..common::trial("ppl", n, named, start, 0) }
}

/// Every engine, with every width of words that this processor has, on the same trials.
fn same_records(trial: &Trial, seeds: std::ops::Range<u64>) {
    let seeds: Vec<u64> = seeds.collect();
    let stepper = batch(trial, &seeds, Engine::Stepper);
    for engine in [Engine::Sliced, Engine::SlicedAvx2, Engine::SlicedPortable, Engine::Auto] {
        let sliced = batch(trial, &seeds, engine);
        for ((seed, expected), found) in seeds.iter().zip(&stepper).zip(&sliced) {
            assert_eq!(expected, found, "{} n {} seed {seed}", engine.name(), trial.n);
        }
    }
}

#[test]
fn records_do_not_depend_on_the_engine() {
    for n in [3, 4, 5, 7, 8, 12, 16, 33] {
        for start in ["leaderless", "uniform", "all-leaders", "tokens", "live-bullets", "safe"] {
            same_records(&trial(n, start, &[("kappa", 6)]), 0..70);
        }
    }
}

#[test]
fn records_do_not_depend_on_the_engine_at_the_default_parameters() {
    same_records(&trial(64, "uniform", &[]), 5..105);
    same_records(&trial(24, "leaderless", &[]), 0..30);
    same_records(&trial(20, "uniform", &[("psi", 20), ("kappa", 40)]), 0..30);
}

/// Undirected rings, whose clocks also say who initiates, and P_CL's coins.
#[test]
fn records_of_the_other_circuits_do_not_depend_on_the_engine() {
    for n in [3, 4, 9, 40, 101] {
        for (protocol, starts) in [
            ("ysm", ["leaderless", "uniform", "two-leaders"]),
            ("por", ["uniform", "two-segments", "uniform"]),
            ("pcl", ["uniform", "one-color", "safe"]),
        ] {
            for start in starts {
                let trial = Trial { protocol: protocol.into(), ..trial(n, start, &[]) };
                same_records(&trial, if n > 9 { 0..5 } else { 0..70 });
            }
        }
    }
}

/// Of rings that begin without a leader, with some, and with one that lasts; of protocols whose phases may hold anywhere; where a ring may
/// be perfect without a leader; and at limits.
#[test]
fn phases_do_not_depend_on_the_engine() {
    let with = |trial: Trial| Trial { phases: true, ..trial };
    for n in [3, 5, 8, 13] {
        for start in ["leaderless", "uniform", "stale-signals", "tokens"] {
            same_records(&with(trial(n, start, &[("kappa", 4)])), 0..12);
        }
    }
    same_records(&with(trial(70, "leaderless", &[("kappa", 2)])), 0..1);
    for limit in [0, 1, 700, 5_000] {
        let unsound = trial(8, "uniform", &[("psi", 2), ("kappa", 2), ("unsound", 1)]);
        same_records(&with(Trial { limit: Some(limit), ..unsound }), 0..12);
    }
    for (protocol, start) in [
        ("ysm", "leaderless"),
        ("por", "uniform"),
        ("pcl", "uniform"),
        ("pcl", "one-color"),
        ("undirected", "leaderless"),
        ("fj", "uniform"),
    ] {
        for n in [3, 9] {
            // Several windows pass before there is a leader, and closed phases are entered meanwhile.
            if protocol == "undirected" {
                let late = trial(n, start, &[("kappa", 60)]);
                same_records(&with(Trial { protocol: protocol.into(), limit: Some(4_000), ..late }), 0..12);
            }
            let small = if protocol == "undirected" { &[("kappa", 4)][..] } else { &[] };
            same_records(&with(Trial { protocol: protocol.into(), ..trial(n, start, small) }), 0..12);
        }
    }
}

#[test]
fn limits_do_not_depend_on_the_engine() {
    for limit in [0, 1, 500, 3_000, 20_000] {
        let mut trial = trial(16, "uniform", &[]);
        trial.limit = Some(limit);
        same_records(&trial, 0..80);
    }
}

/// More trials than lanes: those that finish make room for the next.
#[test]
fn lanes_are_used_again() {
    same_records(&trial(5, "uniform", &[("kappa", 3)]), 100..1_700);
}

#[test]
fn the_last_configuration_does_not_depend_on_the_engine() {
    for seed in 0..10 {
        let mut trial = trial(12, "uniform", &[("kappa", 5)]);
        trial.seed = seed;
        let [stepper, sliced] = [Engine::Stepper, Engine::Sliced].map(|engine| {
            let mut session = open(&trial);
            let record = session.run(&trial, engine, &()).unwrap();
            (record, agents(&*session))
        });
        assert_eq!(stepper, sliced, "seed {seed}");
    }
}
