//! Clear form and circuit are equal.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use ringleader::check::forms::equal;
use ringleader::circuit::Circuit;
use ringleader::protocol::{Params, Protocol, Transition};
use ringleader::protocols::ppl::circuit::PplCircuit;
use ringleader::protocols::ppl::{Ppl, State};
use ringleader::random::{Stream, index, stream};
use ringleader::ring::Ring;
use ringleader::variables::Variables;

fn protocol<P: Protocol>(n: usize, params: &[(&str, u64)]) -> P {
    let ring = Ring::new(n, P::ABOUT.ring).unwrap();
    P::new(ring, &params.iter().fold(Params::default(), |all, (name, value)| all.with(name, *value))).unwrap()
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

/// Meetings of random states, drawn from a large pool; `pairs` of them.
fn random<P: Protocol, C: Circuit<State = P::State>>(protocol: &P, circuit: &C, pairs: usize, seed: u64) {
    let (variables, mut generator) = (protocol.variables(), stream(seed, Stream::Start));
    let mut pool: Vec<P::State> = std::iter::repeat_n(P::State::default(), 100_000).collect();
    for variable in &variables.0 {
        pool.iter_mut().for_each(|state| variable.randomise(state, &mut generator));
    }
    let coins = protocol.coins();
    let meet = |_| {
        let coin = ringleader::random::below(&mut generator, coins);
        (pool[index(&mut generator, pool.len())], pool[index(&mut generator, pool.len())], coin)
    };
    equal(protocol, circuit, (0..pairs).map(meet)).unwrap_or_else(|broken| panic!("seed {seed}: {broken}"));
}

type Small = PplCircuit<false, 4, 4>;

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
fn p_pl_is_equal_on_random_pairs() {
    let pairs = 2_000_000;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let ppl: Ppl = protocol(1024, &[]);
            random(&ppl, &PplCircuit::<false, 5, 9>::new(&ppl).unwrap(), pairs, 1);
        });
        scope.spawn(|| {
            let ppl: Ppl = protocol(100, &[("psi", 31), ("kappa", 65_535)]);
            random(&ppl, &PplCircuit::<false, 6, 16>::new(&ppl).unwrap(), pairs, 2);
        });
    });
}

// --- Canary ---------------------------------------------------------------------------------------------------

/// P_PL with one planted bug, a different one for each number.
#[derive(Clone)]
struct Wrong(Ppl, u32);

impl Transition for Wrong {
    type State = State;
    fn interact(&self, l: &mut State, r: &mut State, input: ringleader::protocol::Input) {
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
            _ => {}
        }
    }
}

#[test]
fn a_planted_bug_is_found() {
    let ppl: Ppl = protocol(256, &[]);
    let circuit = PplCircuit::<false, 4, 9>::new(&ppl).unwrap();
    let (variables, mut generator) = (ppl.variables(), stream(3, Stream::Start));
    let mut states = vec![State::default(); 40_000];
    states.iter_mut().for_each(|state| variables.randomise(state, &mut generator));
    let meetings = || states.chunks(2).map(|pair| (pair[0], pair[1], 0));
    assert!(equal(&ppl, &circuit, meetings()).is_ok());
    for bug in 0..5 {
        assert!(equal(&Wrong(ppl, bug), &circuit, meetings()).is_err(), "bug {bug} was not found");
    }
}
