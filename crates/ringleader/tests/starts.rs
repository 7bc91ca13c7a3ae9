//! Named starts are what they say.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{agents, instance, open, started, trial};
use ringleader::protocols::elim::Elim;
use ringleader::protocols::ppl::{Mode, Ppl};
use ringleader::value::Value;

#[test]
fn two_leaders_are_shielded_and_half_a_ring_apart() {
    for name in ["ppl", "ppl-prime", "undirected", "undirected-derandomised", "elim", "ysm", "fj"] {
        for seed in 0..4 {
            let session = open(&trial(name, 24, &[], "two-leaders", seed));
            let leaders = session.leaders();
            assert!(leaders.len() == 2 && leaders[1] - leaders[0] == 12, "{name}: {leaders:?}");
            let number = |i: usize, of: &str| session.agent(i).get(of).and_then(Value::as_int);
            assert!(leaders.iter().all(|&i| number(i, "shield") == Some(1)), "{name}");
            // With psi = 5, dist counts from the leader modulo 10; ysm counts on.
            let modulus = if name == "ysm" { 24 } else { 10 };
            if name.starts_with("ppl") || name == "ysm" {
                assert!((0..24).all(|i| number(i, "dist") == Some((i % 12 % modulus) as i128)), "{name}");
            }
        }
    }
}

/// Segments are numbered 0, 1, 2, ...; only the step from the last back to the first is wrong.
#[test]
fn wrong_ids_are_wrong_in_one_place() {
    let session = open(&trial("ppl", 32, &[("psi", 8)], "wrong-id", 1));
    let labels: Vec<String> = session.segments().into_iter().map(|segment| segment.label).collect();
    assert_eq!(labels, ["0", "1", "2", "3"]);
    assert!(session.leaders().is_empty());
    let ring = started(&instance::<Ppl>(32, &[("psi", 8)]), "wrong-id", 1);
    assert!(ring.iter().enumerate().all(|(i, v)| v.mode == Mode::Detect && usize::from(v.dist) == i % 16));
}

#[test]
fn tokens_are_everywhere_and_of_every_kind() {
    let instance = instance::<Ppl>(18, &[("psi", 5)]);
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..40 {
        for (i, v) in started(&instance, "tokens", seed).into_iter().enumerate() {
            // The fourth segment has three agents and is the last.
            assert_eq!(
                (usize::from(v.leader), usize::from(v.dist), usize::from(v.last)),
                (usize::from(i == 0), i % 10, usize::from(i >= 15))
            );
            seen.extend(v.token.map(Option::unwrap).map(|token| (token.pos, token.bit, token.carry)));
        }
    }
    let every =
        (-4..=5_i8).filter(|&pos| pos != 0).flat_map(|pos| [(pos, 0, 0), (pos, 0, 1), (pos, 1, 0), (pos, 1, 1)]);
    assert!(every.eq(seen));
}

/// Half of the random safe starts have no live bullet at all; of the others (2/3)^8.
#[test]
fn half_of_the_safe_starts_are_disarmed() {
    let instance = instance::<Elim>(8, &[]);
    let disarmed = |&seed: &u64| started(&instance, "safe", seed).iter().all(|v| v.bullet != 2);
    let count = (0..400).filter(disarmed).count();
    assert!((170..=246).contains(&count), "{count}");
}

#[test]
fn safe_starts_point_either_way() {
    for (name, of) in [("aaf-orientation", "suc"), ("por", "dir"), ("undirected", "dir")] {
        let right = |&seed: &u64| {
            let session = open(&trial(name, 7, &[], "safe", seed));
            session.agent(0).get(of) == session.agent(1).get("color")
        };
        let count = (0..200).filter(right).count();
        assert!((75..=125).contains(&count), "{name}: {count}");
    }
}

#[test]
fn a_start_is_a_function_of_its_seed() {
    let start = |seed| agents(&*open(&trial("undirected", 12, &[], "safe", seed)));
    assert!(start(1) == start(1) && start(1) != start(2));
}
