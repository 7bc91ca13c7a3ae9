//! The other systems of Table 1 and their parts: sizes, safe sets, and what they cost, roughly.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::collections::HashSet;

use common::{batch, entry, instance, params, run, started, trial};
use ringleader::instance::Instance;
use ringleader::protocol::{Input, Protocol, Transition};
use ringleader::protocols::thue_morse::ThueMorse;
use ringleader::ring::{Orientation, Ring};
use ringleader::trial::{Engine, Trial};
use ringleader::value::Value;

#[test]
fn states_are_counted_exactly() {
    let states = |protocol: &str, n, named: &[(&str, u64)]| entry(protocol).describe(n, &params(named)).unwrap().states;
    assert_eq!(states("fj", 9, &[]), 8);
    assert_eq!((states("aaf", 9, &[]), states("aaf", 9, &[("k", 5)])), (32, 80));
    assert_eq!(states("elim", 9, &[]), 24);
    assert_eq!((states("aaf-orientation", 9, &[("colors", 3)]), states("aaf-token", 9, &[])), (27, 8));
    assert_eq!((states("aaf-colouring", 9, &[]), states("aaf-colouring", 9, &[("colors", 5)])), (24, 5 * 32));
    let (checker, writer) = (1 + 3 * 3 * 2 * 2 * 6, 1 + 2 * 2 * 2 * 7);
    assert_eq!(states("thue-morse", 9, &[]), 24 * 2 * 4 * 217_u128.pow(3) * 57);
    assert_eq!((checker, writer), (217, 57));
}

// --- What it costs --------------------------------------------------------------------------------------------

/// The mean of the first safe step over seeds from 1 on, divided by n^power.
fn mean(protocol: &str, n: usize, start: &str, trials: u64, power: i32) -> f64 {
    let trial = Trial { phases: false, ..trial(protocol, n, &[], start, 1) };
    let seeds: Vec<u64> = (1..1 + trials).collect();
    let steps: u64 = batch(&trial, &seeds, Engine::Auto).iter().map(|record| record.safe.unwrap()).sum();
    steps as f64 / trials as f64 / (n as f64).powi(power)
}

/// Fixed seeds, so these figures never change; the ranges are what is known of the systems.
#[test]
fn the_cubic_systems_take_what_is_known_of_them() {
    for n in [24, 48] {
        let fj = mean("fj", n, "two-leaders", 60, 3);
        assert!((0.10..0.18).contains(&fj), "fj, n = {n}: {fj}");
        let aaf = mean("aaf", n + 1, "uniform", 60, 3);
        assert!((0.10..0.20).contains(&aaf), "aaf, n = {}: {aaf}", n + 1);
    }
}

#[test]
fn ysm_takes_about_five_and_a_half_squares() {
    let ysm = mean("ysm", 48, "leaderless", 60, 2);
    assert!((4.0..7.0).contains(&ysm), "{ysm}");
}

// --- The oracle -----------------------------------------------------------------------------------------------

#[test]
fn a_late_oracle_costs_its_delay() {
    let safe = |delay| run(&trial("fj", 16, &[("delay", delay)], "leaderless", 3)).1.safe.unwrap();
    // A leaderless ring of zeros does not change until the oracle speaks; the first interaction after that makes a shielded leader.
    assert_eq!([0, 1, 1000].map(safe), [1, 2, 1001]);
}

/// A fault may take the only leader away; the oracle must see it.
#[test]
fn the_oracle_sees_faults() {
    for delay in [0, 500] {
        let mut trial = trial("fj", 3, &[("delay", delay)], "safe", 5);
        trial.faults = vec!["agents=3,variable=leader,at=safe".parse().unwrap(); 30];
        let (session, record) = run(&trial);
        assert!(session.is_safe() && record.faults.len() == 30, "delay {delay}");
        let dead = |state: &Value| state.get("leader") == Some(&Value::Int(0));
        let mut killed = record.faults.iter().filter(|struck| struck.agents.iter().all(|(_, state)| dead(state)));
        let recoveries: Vec<u64> = killed.by_ref().map(|struck| struck.safe.unwrap() - struck.step).collect();
        assert!(!recoveries.is_empty() && recoveries.iter().all(|&steps| steps > delay), "{recoveries:?}");
    }
}

#[test]
fn a_size_that_k_divides_is_refused() {
    for (n, k) in [(6, 2), (9, 3), (10, 5)] {
        let refused = entry("aaf").describe(n, &params(&[("k", k)])).err().unwrap().to_string();
        assert!(refused.contains(&format!("k = {k}: it divides n = {n}")), "{refused}");
    }
}

// --- Thue-Morse -----------------------------------------------------------------------------------------------

/// All configurations that a safe one may lead to are safe, with the same leader.
fn closed_from_clean(n: usize, most: usize) -> usize {
    let ring = Ring::new(n, Orientation::Directed).unwrap();
    let mut clean = vec![<ThueMorse as Transition>::State::default(); n];
    clean[0].leader = 1;
    (0..n).for_each(|i| clean[i].x = (i.count_ones() % 2) as u8);
    let (mut seen, mut fresh) = (HashSet::from([clean.clone()]), vec![clean]);
    while let Some(config) = fresh.pop() {
        assert!(ThueMorse.is_safe(&config) && config[0].leader == 1, "{config:?}");
        for e in (0..n).map(|i| ring.e(i)) {
            let mut next = config.clone();
            let (mut l, mut r) = (config[e.initiator], config[e.responder]);
            ThueMorse.interact(&mut l, &mut r, Input::default());
            (next[e.initiator], next[e.responder]) = (l, r);
            if seen.len() < most && seen.insert(next.clone()) {
                fresh.push(next);
            }
        }
    }
    seen.len()
}

#[test]
fn thue_morse_stays_safe_wherever_it_goes() {
    let all = closed_from_clean(3, 400_000);
    println!("{all} configurations");
    assert!(all > 1000);
}

#[test]
fn thue_morse_converges_on_three_agents_from_garbage() {
    for seed in 0..40 {
        let (session, record) = run(&Trial { phases: false, ..trial("thue-morse", 3, &[], "uniform", seed) });
        assert!(record.safe.is_some() && session.leaders().len() == 1, "seed {seed}: {record:?}");
    }
}

/// With a leader, the Thue-Morse string is what it writes.
#[test]
fn thue_morse_writes_its_string() {
    let instance: Instance<ThueMorse> = instance(4, &[]);
    let config = started(&instance, "safe", 1);
    let leader = config.iter().position(|v| v.leader == 1).unwrap();
    let bits: Vec<u8> = (0..4).map(|i| config[(leader + i) % 4].x).collect();
    assert_eq!(bits, [0, 1, 1, 0]);
}
