//! Every built-in protocol keeps the laws of all protocols, at many sizes and with other parameters than its own.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../ringleader/tests/common/mod.rs"]
mod common;

use common::{ENTRIES, entry, instance, params};
use ringleader::blueprint::Declared;
use ringleader::protocol::Transition;
use ringleader::protocols::pcl::PclDerandomised;
use ringleader::protocols::por::Por;
use ringleader_verify::laws::ACCEPTED;

#[test]
fn every_protocol_keeps_the_laws() {
    for (seed, entry) in (0..).zip(ENTRIES.iter()) {
        let (name, mut accepted) = (&entry.about().name, 0);
        for n in [3, 4, 5, 6, 8, 12, 13, 32, 101] {
            match entry.laws(n, &params(&[]), seed) {
                Ok(()) => accepted += 1,
                // Some protocols do not run on every size.
                Err(broken) if broken.law == ACCEPTED => {}
                Err(broken) => panic!("{name} n = {n} seed {seed}: {broken}"),
            }
        }
        assert!(accepted >= 3, "{name} runs on {accepted} sizes only");
    }
}

#[test]
fn every_protocol_keeps_the_laws_with_other_parameters() {
    let small = params(&[("psi", 5), ("kappa", 1)]);
    let (few, loose) = (params(&[("colors", 4)]), params(&[("bound", 50)]));
    for (name, named) in [
        ("ppl", &small),
        ("ppl-prime", &small),
        ("pcl", &few),
        ("pcl-derandomised", &few),
        ("por", &few),
        ("ysm", &loose),
    ] {
        for n in [3, 7, 10, 20] {
            assert_eq!(entry(name).laws(n, named, 1), Ok(()), "{name} n = {n}");
        }
    }
}

#[test]
fn every_state_is_enumerated_once() {
    fn count<P: Declared>() -> (u128, usize) {
        let variables = instance::<P>(3, &[("colors", 4)]).protocol.variables();
        let states = variables.enumerate(<P as Transition>::State::default());
        let mut texts: Vec<String> = states.map(|state| variables.encode(&state).to_string()).collect();
        texts.sort_unstable();
        texts.dedup();
        (variables.states(), texts.len())
    }
    assert_eq!(count::<Por>(), (512, 512));
    assert_eq!(count::<PclDerandomised>(), (448, 448));
}
