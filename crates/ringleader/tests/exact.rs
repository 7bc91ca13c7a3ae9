//! Means of many runs against exact expected hitting times, from the Markov chain of all reachable configurations.
//!
//! The chain is built from the transition function alone and solved by Gauss-Seidel; the runs go through starts,
//! scheduler, coins, windows and bisection. If any of these were biased or off by one, the two would part.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::collections::HashMap;

use common::{instance, run, started};
use ringleader::blueprint::Declared;
use ringleader::instance::Instance;
use ringleader::protocol::{Input, Protocol, Transition};
use ringleader::protocols::aaf::Aaf;
use ringleader::protocols::aaf_colouring::AafColouring;
use ringleader::protocols::fj::Fj;
use ringleader::protocols::pcl::Pcl;
use ringleader::protocols::por::Por;
use ringleader::protocols::ppl::Ppl;
use ringleader::protocols::ysm::Ysm;
use ringleader::ring::Ring;
use ringleader::trial::{Initial, Scheduler, Trial};

type Config<P> = Vec<<P as Transition>::State>;

/// The expected number of steps from `start` to the safe set.
fn expected_steps<P: Protocol>(protocol: &P, ring: Ring, start: &Config<P>) -> f64 {
    let mut number: HashMap<Config<P>, usize> = HashMap::from([(start.clone(), 0)]);
    let mut configs = vec![start.clone()];
    // For each configuration: where it goes, with what probability; nothing if it is safe.
    let mut chain: Vec<Vec<(usize, f64)>> = Vec::new();
    while chain.len() < configs.len() {
        let config = configs[chain.len()].clone();
        let mut row: Vec<(usize, f64)> = Vec::new();
        for (next, probability) in successors(protocol, ring, &config) {
            let fresh = configs.len();
            let k = *number.entry(next.clone()).or_insert(fresh);
            if k == fresh {
                configs.push(next);
            }
            match row.iter_mut().find(|(known, _)| *known == k) {
                Some((_, sum)) => *sum += probability,
                None => row.push((k, probability)),
            }
        }
        chain.push(row);
        assert!(configs.len() < 2_000_000, "the chain is too large for this test");
    }
    solve(&chain)
}

fn successors<P: Protocol>(protocol: &P, ring: Ring, config: &Config<P>) -> Vec<(Config<P>, f64)> {
    if protocol.is_safe(config) {
        return Vec::new();
    }
    // What the immediate oracle says.
    let leader = config.iter().any(|state| protocol.is_leader(state));
    let mut all = Vec::new();
    for arc in 0..ring.arcs() {
        let e = ring.arc(arc);
        let (l, r) = (config[e.initiator], config[e.responder]);
        let coins = if protocol.reads_coin(&l, &r) { protocol.coins() } else { 1 };
        for coin in 0..coins {
            let (mut next, mut l, mut r) = (config.clone(), l, r);
            protocol.interact(&mut l, &mut r, Input { coin, leader });
            (next[e.initiator], next[e.responder]) = (l, r);
            all.push((next, 1.0 / (ring.arcs() as f64 * coins as f64)));
        }
    }
    all
}

/// Gauss-Seidel on E(c) = 1 + sum of p(c, c') E(c'), the last found first since it is nearest to safety.
fn solve(chain: &[Vec<(usize, f64)>]) -> f64 {
    let mut expected = vec![0.0_f64; chain.len()];
    for _ in 0..200_000 {
        let mut change = 0.0_f64;
        for k in (0..chain.len()).rev().filter(|&k| !chain[k].is_empty()) {
            let stay: f64 = chain[k].iter().filter(|(next, _)| *next == k).map(|(_, p)| p).sum();
            let go: f64 = chain[k].iter().filter(|(next, _)| *next != k).map(|(next, p)| p * expected[*next]).sum();
            let value = (1.0 + go) / (1.0 - stay);
            change = change.max((value - expected[k]).abs() / value);
            expected[k] = value;
        }
        if change < 1e-11 {
            return expected[0];
        }
    }
    panic!("Gauss-Seidel does not settle");
}

/// Mean and standard error of the first safe step over many seeds.
fn measured(mut trial: Trial, runs: u64) -> (f64, f64) {
    let steps: Vec<f64> = (0..runs)
        .map(|seed| {
            trial.seed = seed;
            run(&trial).1.safe.unwrap() as f64
        })
        .collect();
    let mean = steps.iter().sum::<f64>() / runs as f64;
    let variance = steps.iter().map(|step| (step - mean).powi(2)).sum::<f64>() / (runs - 1) as f64;
    (mean, (variance / runs as f64).sqrt())
}

fn compare<P: Declared>(n: usize, named: &[(&str, u64)], start: &str, runs: u64) {
    let instance: Instance<P> = instance(n, named);
    let config = started(&instance, start, 1);
    let exact = expected_steps(&instance.protocol, instance.ring, &config);
    let (name, variables) = (&instance.blueprint.about.name, instance.protocol.variables());
    let from = Some(Initial::Given(config.iter().map(|state| variables.encode(state)).collect()));
    for scheduler in Scheduler::ALL {
        let params = common::params(named);
        let trial = Trial { params, from: from.clone(), phases: false, scheduler, ..Trial::new(name, n, 0) };
        let (mean, error) = measured(trial, runs);
        let what = format!("{name} n = {n} from {start}, {}", scheduler.name());
        println!("{what}: exact {exact:.4}, measured {mean:.4} +- {error:.4} over {runs} seeds");
        assert!((mean - exact).abs() < 4.0 * error, "{what}: exact {exact}, measured {mean} +- {error}");
    }
}

#[test]
fn p_or_takes_the_expected_time() {
    for n in [3, 4, 6] {
        compare::<Por>(n, &[("colors", 3)], "two-segments", 20_000);
    }
}

#[test]
fn p_cl_takes_the_expected_time() {
    compare::<Pcl>(3, &[("colors", 3)], "one-color", 20_000);
    compare::<Pcl>(4, &[("colors", 3)], "one-color", 20_000);
}

#[test]
fn p_pl_takes_the_expected_time() {
    let params = [("psi", 2), ("kappa", 1)];
    compare::<Ppl>(3, &params, "leaderless", 20_000);
    compare::<Ppl>(3, &params, "all-leaders", 20_000);
}

#[test]
fn ysm_takes_the_expected_time() {
    compare::<Ysm>(3, &[], "leaderless", 20_000);
    compare::<Ysm>(4, &[("bound", 5)], "leaderless", 20_000);
    compare::<Ysm>(5, &[], "two-leaders", 20_000);
}

#[test]
fn fj_and_aaf_take_the_expected_time() {
    compare::<Fj>(5, &[], "two-leaders", 10_000);
    compare::<Aaf>(4, &[], "barriers", 10_000);
    compare::<AafColouring>(4, &[], "one-color", 10_000);
}
