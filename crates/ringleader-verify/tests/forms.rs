//! Clear form and circuit are equal: exhaustively where that is small, on random pairs at the sizes in use, and along whole
//! trajectories.
//!
//! 10^7 random pairs are compared. `RINGLEADER_PAIRS=10000000000 cargo test -p ringleader-verify --test forms` compares more.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../ringleader/tests/common/mod.rs"]
mod common;

use std::time::Instant;

use common::instance;
use ringleader::blueprint::Declared;
use ringleader::circuit::Circuit;
use ringleader::protocol::{Input, Protocol, Transition};
use ringleader::protocols::pcl::{self, Pcl, circuit::PclCircuit};
use ringleader::protocols::por::{Por, circuit::PorCircuit};
use ringleader::protocols::ppl::{Mode, Ppl, PplPrime, State, circuit::PplCircuit};
use ringleader::protocols::ysm::{Ysm, circuit::YsmCircuit};
use ringleader::random::{Stream, below, index, stream};
use ringleader::ring::{Orientation, Ring};
use ringleader::variables::Variables;
use ringleader_verify::forms::{Meeting, equal, trajectories};

fn protocol<P: Declared>(n: usize, named: &[(&str, u64)]) -> P {
    instance(n, named).protocol
}

/// Every state in which only the named variables differ from the all-zero state.
fn vary<S: Copy + Default + 'static>(variables: &Variables<S>, names: &[&str]) -> Vec<S> {
    names.iter().fold(vec![S::default()], |states, name| {
        let variable = variables.named(name).unwrap();
        let values: Vec<_> = (0..variable.domain.size()).map(|k| variable.domain.nth(k)).collect();
        let with = |state: &S| {
            let set = |value| {
                let mut state = *state;
                variable.set(&mut state, value).unwrap();
                state
            };
            values.iter().map(set).collect::<Vec<S>>()
        };
        states.iter().flat_map(with).collect()
    })
}

/// All meetings of states that differ in the named variables only.
fn exhaustive<P: Protocol, C: Circuit<State = P::State>>(protocol: &P, circuit: &C, l: &[&str], r: &[&str]) -> u64 {
    let variables = protocol.variables();
    let (ls, rs) = (vary(&variables, l), vary(&variables, r));
    let coins = protocol.coins();
    let meetings = ls.iter().flat_map(|l| rs.iter().flat_map(move |r| (0..coins).map(move |coin| (*l, *r, coin))));
    equal(protocol, circuit, meetings).unwrap_or_else(|broken| panic!("{broken}"))
}

/// A large pool of states. In every other one the variables mostly sit at the ends of their domains, since much happens
/// only there: a uniform state of P_PL is practically never in detection mode, and of many colours two are never the same.
fn pool<P: Protocol>(protocol: &P, seed: u64) -> Vec<P::State> {
    let (variables, mut generator) = (protocol.variables(), stream(seed, Stream::Start));
    let mut pool = vec![P::State::default(); 100_000];
    for variable in &variables.0 {
        let size = variable.domain.size();
        for (k, state) in pool.iter_mut().enumerate() {
            variable.randomise(state, &mut generator);
            if k % 2 == 1 && below(&mut generator, 4) > 0 {
                let end = [0, 1.min(size - 1), size.saturating_sub(2), size - 1][index(&mut generator, 4)];
                variable.set(state, &variable.domain.nth(end)).unwrap();
            }
        }
    }
    pool
}

/// Meetings of random states of the pool.
fn meetings<P: Protocol>(protocol: &P, pairs: u64, seed: u64) -> impl Iterator<Item = Meeting<P::State>> {
    let (pool, coins, mut generator) = (pool(protocol, seed), protocol.coins(), stream(seed, Stream::Coins));
    // Two uniform states, or two of the others.
    let half = pool.len() / 2;
    (0..pairs).map(move |k| {
        let mut any = || pool[2 * index(&mut generator, half) + (k % 2) as usize];
        let (l, r) = (any(), any());
        (l, r, below(&mut generator, coins))
    })
}

/// The number of random pairs over all protocols: 10^7, or what RINGLEADER_PAIRS says if that is more.
fn pairs(percent: u64) -> u64 {
    let least: u64 = 10_000_000;
    let asked =
        std::env::var("RINGLEADER_PAIRS").map_or(least, |text| text.parse().expect("RINGLEADER_PAIRS is a number"));
    asked.max(least).div_ceil(100) * percent
}

/// Compares a share of the random pairs.
fn random<P: Declared, C: Circuit<State = P::State>>(protocol: &P, circuit: Option<C>, percent: u64, seed: u64) {
    let (circuit, start) = (circuit.expect("the widths fit"), Instant::now());
    let compared = equal(protocol, &circuit, meetings(protocol, pairs(percent), seed));
    let compared = compared.unwrap_or_else(|broken| panic!("seed {seed}: {broken}"));
    println!("{}: {compared} random pairs in {:.1} s", P::blueprint().about.name, start.elapsed().as_secs_f64());
}

type Small = PplCircuit<2, 2>;

const MODE: [&str; 4] = ["leader", "clock", "signalR", "hits"];
const WAR: [&str; 4] = ["leader", "bullet", "shield", "signalB"];

#[test]
fn p_pl_is_equal_on_all_that_each_procedure_touches() {
    for (psi, kappa) in [(2, 1), (2, 3), (3, 2)] {
        let ppl: Ppl = protocol(3, &[("psi", psi), ("kappa", kappa)]);
        let circuit = Small::new(&ppl).unwrap();
        let mode = exhaustive(&ppl, &circuit, &MODE, &[&MODE[..], &["mode"]].concat());
        let war = exhaustive(&ppl, &circuit, &WAR, &WAR);
        let dist = ["leader", "dist", "last", "clock"];
        let string = exhaustive(&ppl, &circuit, &dist, &[&dist[..], &["shield", "bullet"]].concat());
        println!("psi {psi} kappa {kappa}: {mode} + {war} + {string} meetings");
        for token in ["tokenB", "tokenW"] {
            let tokens = exhaustive(
                &ppl,
                &circuit,
                &["b", "dist", "last", token],
                &["leader", "b", "dist", "last", token, "clock"],
            );
            println!("  {token}: {tokens} meetings");
        }
    }
}

#[test]
fn the_others_are_equal_on_all_states() {
    for bound in [3, 4, 5] {
        let ysm: Ysm = protocol(3, &[("bound", bound)]);
        everything(&ysm, YsmCircuit::<3>::new(&ysm));
    }
    let ysm: Ysm = protocol(3, &[("bound", 4)]);
    everything(&ysm, YsmCircuit::<2>::new(&ysm));
    for colors in [3, 4] {
        let por: Por = protocol(3, &[("colors", colors)]);
        everything(&por, PorCircuit::<2>::new(&por));
        let pcl: Pcl = protocol(3, &[("colors", colors)]);
        everything(&pcl, PclCircuit::<2>::new(&pcl));
    }
}

/// Every meeting of any two states with any coin.
fn everything<P: Protocol, C: Circuit<State = P::State>>(protocol: &P, circuit: Option<C>) {
    let (variables, states) = (protocol.variables(), protocol.variables().states() as u64);
    let names: Vec<&str> = variables.0.iter().map(|variable| &*variable.name).collect();
    let compared = exhaustive(protocol, &circuit.expect("the widths fit"), &names, &names);
    assert_eq!(compared, states * states * protocol.coins());
}

// The shares add up to 100 percent.

#[test]
fn p_pl_is_equal_on_random_pairs() {
    let ppl: Ppl = protocol(1024, &[]);
    random(&ppl, PplCircuit::<4, 9>::new(&ppl), 60, 1);
}

#[test]
fn the_largest_p_pl_is_equal_on_random_pairs() {
    let ppl: Ppl = protocol(100, &[("psi", 31), ("kappa", 65_535)]);
    random(&ppl, PplCircuit::<5, 16>::new(&ppl), 20, 2);
    let prime: PplPrime = protocol(1024, &[]);
    random(&prime, PplCircuit::<4, 9>::new(&prime), 4, 3);
}

#[test]
fn the_others_are_equal_on_random_pairs() {
    let ysm: Ysm = protocol(1024, &[]);
    random(&ysm, YsmCircuit::<10>::new(&ysm), 6, 4);
    let ysm: Ysm = protocol(3, &[("bound", 1 << 20)]);
    random(&ysm, YsmCircuit::<20>::new(&ysm), 2, 5);
    let (few, many): (Por, Por) = (protocol(9, &[]), protocol(9, &[("colors", 1000)]));
    random(&few, PorCircuit::<4>::new(&few), 2, 6);
    random(&many, PorCircuit::<10>::new(&many), 2, 7);
    let (few, many): (Pcl, Pcl) = (protocol(9, &[]), protocol(9, &[("colors", 1000)]));
    random(&few, PclCircuit::<4>::new(&few), 2, 8);
    random(&many, PclCircuit::<10>::new(&many), 2, 9);
}

// --- Whole trajectories -----------------------------------------------------------------------------------------

fn same_trajectories<P: Declared, C: Circuit<State = P::State>>(protocol: &P, circuit: Option<C>, n: usize, seed: u64) {
    let (ring, circuit) = (Ring::new(n, P::blueprint().about.ring).unwrap(), circuit.expect("the widths fit"));
    let stretches = [1, 9, 90, 900, 9_000, 20_000];
    trajectories(protocol, &circuit, ring, &stretches, seed).unwrap_or_else(|broken| panic!("seed {seed}: {broken}"));
}

#[test]
fn trajectories_are_equal() {
    for (seed, n) in (0..).zip([3, 12, 40]) {
        let ppl: Ppl = protocol(n, &[("kappa", 4)]);
        same_trajectories(&ppl, PplCircuit::<3, 3>::new(&ppl), n, seed);
        let prime: PplPrime = protocol(n, &[]);
        same_trajectories(&prime, PplCircuit::<3, 9>::new(&prime), n, seed);
        let ysm: Ysm = protocol(n, &[]);
        same_trajectories(&ysm, YsmCircuit::<6>::new(&ysm), n, seed);
        let por: Por = protocol(n, &[("colors", 5)]);
        same_trajectories(&por, PorCircuit::<3>::new(&por), n, seed);
        let pcl: Pcl = protocol(n, &[("colors", 5)]);
        same_trajectories(&pcl, PclCircuit::<3>::new(&pcl), n, seed);
    }
}

// --- Canary ---------------------------------------------------------------------------------------------------

/// P_PL with one planted bug, a different one for each number.
#[derive(Clone)]
struct Wrong(Ppl, u32);

impl Transition for Wrong {
    type State = State;
    fn interact(&self, l: &mut State, r: &mut State, input: Input) {
        let before = (*l, *r);
        self.0.interact(l, r, input);
        match self.1 {
            0 if before.0.hits > 1 => l.hits = 1,
            1 if before.0.leader == 1 && before.1.signal_r == self.0.kappa_max => r.hits = 1,
            2 if before.0.bullet == 2 && before.1.bullet == 1 => r.bullet = 2,
            3 if before.0.token[1].is_some() && l.token[1].is_none() && r.token[1].is_none() => {
                l.token[1] = before.0.token[1];
            }
            4 if before.0.last == 1 => l.last = 1,
            5 if r.mode == Mode::Detect && before.1.leader == 0 && r.leader == 1 => r.shield = 0,
            6 if l.mode == Mode::Detect && before.0.token[0].is_some() => l.b = 0,
            _ => {}
        }
    }
}

#[test]
fn a_planted_bug_is_found() {
    let ppl: Ppl = protocol(256, &[]);
    let circuit = PplCircuit::<3, 9>::new(&ppl).unwrap();
    let meetings = || meetings(&ppl, 100_000, 3);
    assert!(equal(&ppl, &circuit, meetings()).is_ok());
    for bug in 0..7 {
        assert!(equal(&Wrong(ppl, bug), &circuit, meetings()).is_err(), "bug {bug} was not found");
    }
}

/// A coin that is read without a conflict.
#[derive(Clone)]
struct Gambler(Pcl);

impl Transition for Gambler {
    type State = pcl::State;
    fn coins(&self) -> u64 {
        self.0.coins()
    }
    fn interact(&self, a: &mut pcl::State, b: &mut pcl::State, input: Input) {
        let calm = !a.stamp_conflict(b);
        self.0.interact(a, b, input);
        if calm && a.color == 3 && input.coin == 7 {
            a.color = 0;
        }
    }
}

#[test]
fn a_planted_bug_of_the_coins_is_found() {
    let pcl: Pcl = protocol(9, &[]);
    let circuit = PclCircuit::<4>::new(&pcl).unwrap();
    assert!(equal(&pcl, &circuit, meetings(&pcl, 100_000, 1)).is_ok());
    assert!(equal(&Gambler(pcl), &circuit, meetings(&pcl, 100_000, 1)).is_err());
}

#[test]
fn a_circuit_with_a_wrong_parameter_is_found() {
    let (ysm, other): (Ysm, Ysm) = (protocol(12, &[]), protocol(12, &[("bound", 13)]));
    let (ring, circuit) = (Ring::new(12, Orientation::Directed).unwrap(), YsmCircuit::<4>::new(&other).unwrap());
    assert!(equal(&ysm, &circuit, meetings(&ysm, 100_000, 1)).is_err());
    assert!(trajectories(&ysm, &circuit, ring, &[1_000], 1).is_err());
    assert!(trajectories(&other, &circuit, ring, &[1_000], 1).is_ok());
}

#[test]
fn a_width_that_does_not_fit_is_refused() {
    let ysm: Ysm = protocol(5, &[]);
    assert!(YsmCircuit::<2>::new(&ysm).is_none() && YsmCircuit::<3>::new(&ysm).is_some());
    let (por, pcl): (Por, Pcl) = (protocol(5, &[("colors", 5)]), protocol(5, &[("colors", 5)]));
    assert!(PorCircuit::<2>::new(&por).is_none() && PclCircuit::<2>::new(&pcl).is_none());
}
