//! Rings of more than 2^16 agents, where the keys of edges no longer add up, on every engine.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{agents, open, trial};
use ringleader::trial::{Engine, Trial};

#[test]
fn a_ring_beyond_the_first_page_of_edges_ends_alike_on_every_engine() {
    for (protocol, n) in [("ysm", 70_001), ("pcl", 131_200)] {
        let trial = Trial { limit: Some(400_000), phases: false, ..trial(protocol, n, &[], "uniform", 5) };
        let ended = |engine| {
            let mut session = open(&trial);
            (session.run(&trial, engine, &()).unwrap(), agents(&*session))
        };
        assert!(ended(Engine::Stepper) == ended(Engine::Sliced), "{protocol} n {n}");
    }
}
