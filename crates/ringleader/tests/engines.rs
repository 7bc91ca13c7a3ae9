//! The engine never changes a record.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::ops::ControlFlow;

use ringleader::lab::{populate_trial, run_batch};
use ringleader::protocol::Params;
use ringleader::trial::{Engine, Initial, Record, Trial};

fn trial(n: usize, start: &str, params: &[(&str, u64)]) -> Trial {
    let mut trial = Trial::new("ppl", n, 0);
    trial.from = Some(Initial::Named(start.into()));
    trial.params = params.iter().fold(Params::default(), |all, (name, value)| all.with(name, *value));
    trial.phases = false;
    trial
}

/// The records of a batch, which are those that it told one by one.
fn batch(trial: &Trial, engine: Engine, seeds: std::ops::Range<u64>) -> Vec<(u64, Record)> {
    let mut told = Vec::new();
    let tell = &mut |index, record: &Record| {
        told.push((seeds.start + index as u64, record.clone()));
        ControlFlow::Continue(())
    };
    let records = run_batch(&Trial { engine, ..trial.clone() }, seeds.clone(), &|| false, tell).unwrap();
    told.sort_by_key(|(seed, _)| *seed);
    assert_eq!(told, records, "{}", engine.name());
    records
}

/// Every engine, with every width of words that this processor has, on the same trials.
fn same_records(trial: &Trial, seeds: std::ops::Range<u64>) {
    let stepper = batch(trial, Engine::Stepper, seeds.clone());
    assert_eq!(stepper.len() as u64, seeds.end - seeds.start);
    for engine in [Engine::Sliced, Engine::SlicedAvx2, Engine::SlicedPortable, Engine::Auto] {
        let sliced = batch(trial, engine, seeds.clone());
        for (expected, found) in stepper.iter().zip(&sliced) {
            assert_eq!(expected, found, "{} n {}", engine.name(), trial.n);
        }
        assert_eq!(stepper.len(), sliced.len());
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
            let trial = Trial { engine, ..trial.clone() };
            let mut ring = populate_trial(&trial).unwrap();
            let record = ring.run(&trial, &mut |_, _| ControlFlow::Continue(())).unwrap();
            (record, (0..12).map(|i| ring.agent(i)).collect::<Vec<_>>())
        });
        assert_eq!(stepper, sliced, "seed {seed}");
    }
}
