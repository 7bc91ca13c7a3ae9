//! Texts in lanes: the circuit against the law on random pairs, and whole trials in every kind of word against the stepper.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod generate;

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use ringleader::agree::{Disagreement, agree};
use ringleader::blueprint::Blueprint;
use ringleader::circuit::{Circuit, WithCircuit};
use ringleader::instance::Instance;
use ringleader::observer::Observer;
use ringleader::params::Params;
use ringleader::protocol::Protocol;
use ringleader::ring::Ring;
use ringleader::trial::{Engine, Initial, Record, Trial};
use ringleader_notation::setting::State;
use ringleader_notation::written::{Judged, Trouble, Written, blueprint};

/// Files of which it is known elsewhere (`tests/domains.rs` of the proofs) that nothing goes wrong.
fn file(name: &str) -> Blueprint<Written> {
    let path = format!("{}/../../protocols/{name}.py", env!("CARGO_MANIFEST_DIR"));
    let program = ringleader_notation::read(name, &std::fs::read_to_string(path).unwrap()).unwrap();
    blueprint(&Arc::new(program), name, &Trouble::judged(Some(Arc::new(|_, _| Judged::Right))))
}

struct Agree<'a>(&'a Written);

impl WithCircuit<State> for Agree<'_> {
    type Output = Result<(), Disagreement>;

    fn with<C: Circuit<State = State>>(self, circuit: C) -> Self::Output {
        agree(self.0, &circuit, 4096, 1)
    }
}

const FILES: [&str; 12] = [
    "aaf-colouring",
    "aaf-orientation",
    "aaf-token",
    "elim",
    "fj",
    "pcl",
    "pcl-derandomised",
    "por",
    "ppl",
    "ppl-prime",
    "undirected",
    "ysm",
];

#[test]
fn every_file_in_lanes_is_the_law() {
    for name in FILES {
        for n in [3, 8, 20] {
            let blueprint = file(name);
            let ring = Ring::new(n, blueprint.about.ring).unwrap();
            let Ok(written) = (blueprint.make)(ring, &Params::default()) else { continue };
            assert_eq!(written.with_circuit(Agree(&written)), Some(Ok(())), "{name}, n = {n}");
        }
    }
}

#[test]
fn generated_files_in_lanes_are_the_law() {
    let mut compared = 0;
    for seed in 0..600 {
        let (source, n) = generate::protocol(seed);
        let program = Arc::new(ringleader_notation::read("p.py", &source).unwrap());
        let ring = Ring::new(n, program.ring).unwrap();
        let written = Written::new(&program, ring, &Params::default(), &Trouble::default()).unwrap();
        if let Some(same) = written.with_circuit(Agree(&written)) {
            assert_eq!(same, Ok(()), "{source}");
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared} compared");
}

/// Keeps all records, by seed.
#[derive(Default)]
struct Records(Mutex<Vec<(usize, String)>>);

impl Observer for Records {
    fn finished(&self, k: usize, record: Record) -> ControlFlow<()> {
        self.0.lock().unwrap().push((k, format!("{record:?}")));
        ControlFlow::Continue(())
    }
}

/// The same records in every kind of word, with machine code and without, as on the stepper.
fn same_records(instance: &Instance<Written>, trial: &Trial, seeds: std::ops::Range<u64>) {
    let seeds: Vec<u64> = seeds.collect();
    let run = |engine| {
        let records = Records::default();
        instance.run(trial, &seeds, engine, &records).unwrap();
        let mut records = records.0.into_inner().unwrap();
        records.sort();
        records
    };
    let stepper = run(Engine::Stepper);
    for engine in [Engine::Sliced, Engine::SlicedAvx2, Engine::SlicedPortable, Engine::SlicedInterpreted] {
        assert!(run(engine) == stepper, "{} {engine:?}, n = {}", trial.protocol, trial.n);
    }
}

#[test]
fn no_word_changes_a_record() {
    for (name, n, limit) in
        [("elim", 9, 3000), ("pcl", 7, 500), ("por", 9, 2000), ("undirected", 5, 300), ("ppl", 6, 2000)]
    {
        let instance = Instance::new(Arc::new(file(name)), n, &Params::default()).unwrap();
        let from = Some(Initial::Named("uniform".into()));
        let trial = Trial { phases: false, limit: Some(limit), from, ..Trial::new(name, n, 1) };
        same_records(&instance, &trial, 1..70);
    }
}

/// Leaders walk, and vanish when they meet; who misses one tosses a coin. What the oracle says depends on the order of all interactions,
/// and on how many of them had no leader.
const WALK: &str = r#"""" Leaders walk """
from ringleader.notation import *
wait: Param = 0
ring = undirected
class Agent:
    leader: bit
    met: bit
def interact(a, b, there: oracle(wait), coin: bit):
    if not there:
        a.leader = coin
    elif a.leader == 1 and b.leader == 1:
        (a.leader, b.leader, b.met) = (0, 0, coin)
    elif a.leader == 1:
        (a.leader, b.leader) = (0, 1)
def leader(v): return v.leader == 1
def safe(u): return sum(v.leader for v in u) == 1
"#;

#[test]
fn an_oracle_is_asked_in_lanes() {
    let program = Arc::new(ringleader_notation::read("walk", WALK).unwrap());
    let walk = Arc::new(blueprint(&program, "walk", &Trouble::default()));
    for (n, wait, limit) in [(3, 0, 2000), (7, 0, 5000), (8, 3, 4000), (40, 10_000, 40_000), (40, 0, 9000)] {
        let instance = Instance::new(walk.clone(), n, &Params::default().with("wait", wait)).unwrap();
        for start in ["uniform", "zero"] {
            let from = Some(Initial::Named(start.into()));
            let trial = Trial { phases: false, limit: Some(limit), from, ..Trial::new("walk", n, 1) };
            same_records(&instance, &trial, if n < 10 { 1..70 } else { 1..5 });
        }
    }
}
