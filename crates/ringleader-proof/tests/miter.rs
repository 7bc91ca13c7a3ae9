//! The text of a protocol and its circuit do the same, in whatever states two agents are: so what `prove --protocol NAME --aiger` writes is the
//! transition function of which the claims of the paper are decided. A solver says so, bit by bit of every variable.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use ringleader::blueprint::Declared;
use ringleader::circuit::{Bit, all, any, same};
use ringleader::params::Params;
use ringleader::protocol::Protocol;
use ringleader::protocols::por::Por;
use ringleader::protocols::ppl::Ppl;
use ringleader::protocols::ysm::Ysm;
use ringleader::ring::Ring;
use ringleader_notation::graph::{Lit, in_fresh_arena};
use ringleader_notation::setting::State;
use ringleader_notation::written::{Trouble, Written};
use ringleader_proof::diagram::Diagram;
use ringleader_proof::query::Query;
use ringleader_proof::symbolic::{NamedCircuit, Symbolic};
use ringleader_proof::texts::graph::Graphs;

/// How the values of a variable are spelt in the text, as the bits of a state, and in the circuit.
struct Spelling {
    places: Vec<usize>,
    values: Vec<(u128, Vec<bool>)>,
}

fn code(state: &State) -> u128 {
    u128::from(state.0[1]) << 64 | u128::from(state.0[0])
}

fn spellings<P: Protocol>(protocol: &P, circuit: &NamedCircuit<P::State>, law: &Written) -> Vec<Spelling> {
    let (ours, theirs) = (protocol.variables(), law.variables());
    assert_eq!(ours.0.len(), theirs.0.len());
    let spelling = |(one, other): (&ringleader::variables::Variable<P::State>, _)| {
        let other: &ringleader::variables::Variable<State> = other;
        assert_eq!((&one.name, one.domain.size()), (&other.name, other.domain.size()));
        let values = (0..one.domain.size()).map(|k| {
            let (value, mut ours, mut theirs) = (one.domain.nth(k), P::State::default(), State::default());
            one.set(&mut ours, &value).unwrap();
            other.set(&mut theirs, &value).unwrap();
            (code(&theirs), bits_of(&circuit.agent(&ours), &one.name).into_iter().map(|bit| bit == Lit::ONE).collect())
        });
        let values: Vec<(u128, Vec<bool>)> = values.collect();
        let mask = values.iter().fold(0, |mask, (code, _)| mask | (code ^ values[0].0));
        Spelling { places: (0..128).filter(|place| mask >> place & 1 == 1).collect(), values }
    };
    ours.0.iter().zip(&theirs.0).map(spelling).collect()
}

fn bits_of<S: Copy + Default + 'static>(agent: &Symbolic<'_, S>, name: &str) -> Vec<Lit> {
    agent.bits().filter(|(bit, _)| bit.split('[').next() == Some(name)).map(|(_, lit)| lit).collect()
}

/// Where an agent of the circuit is in the state that an agent of the text is in.
fn alike<S: Copy + Default + 'static>(
    (names, spellings): (&[String], &[Spelling]),
    ours: &Symbolic<'_, S>,
    theirs: &dyn Fn(usize) -> Lit,
) -> Lit {
    all(names.iter().zip(spellings).flat_map(|(name, Spelling { places, values })| {
        let spelt = |assignment: u64, code: u128| {
            places.iter().enumerate().all(|(j, place)| (assignment >> j & 1 == 1) == (code >> place & 1 == 1))
        };
        let bit = move |(k, ours): (usize, Lit)| {
            let as_text = Diagram::new(places, |assignment| {
                values.iter().any(|(code, bits)| spelt(assignment, *code) && bits[k])
            });
            same(ours, as_text.of(theirs))
        };
        bits_of(ours, name).into_iter().enumerate().map(bit).collect::<Vec<_>>()
    }))
}

/// Whether two agents may do otherwise in the text than in the circuit.
fn differ<P: Declared>(text: &str, params: &Params) -> bool {
    let program = Arc::new(ringleader_notation::read("p.py", text).unwrap());
    let ring = Ring::new(4, program.ring).unwrap();
    let law = Written::new(&program, ring, params, &Trouble::default()).unwrap();
    let protocol = (P::blueprint().make)(ring, params).unwrap();
    let circuit = NamedCircuit::of(&protocol).unwrap().unwrap();
    let spellings = spellings(&protocol, &circuit, &law);
    let names: Vec<String> = circuit.names().map(str::to_owned).collect();
    let places = used(&spellings);
    let graphs = Graphs::new("p.py".into(), program, ring, law, Box::new(|| None)).unwrap();
    in_fresh_arena(Box::new(|| None), || {
        let mut demands = Vec::new();
        let before = graphs.anything(&mut demands);
        let (after, _) = graphs.after(&before, ring.e(0), &[]);
        let mut pair = vec![circuit.any_agent(&mut demands), circuit.any_agent(&mut demands)];
        let of = |config: &[Lit]| {
            let config = config.to_vec();
            let places = places.clone();
            move |place: usize| config[places.iter().position(|known| *known == place).unwrap()]
        };
        let known = (&names[..], &spellings[..]);
        let both = |pair: &[Symbolic<'_, P::State>], agents: &[Vec<Lit>]| {
            [0, 1].map(|i| alike(known, &pair[i], &of(&agents[i])))
        };
        let start = all(both(&pair, &before.agents));
        circuit.interact(&mut pair, 0, 1, &[]);
        let otherwise = any(both(&pair, &after.agents).map(|same| !same));
        Query::new(&|| None, None).ask(&[start, otherwise], &demands).unwrap().is_some()
    })
}

/// The bits of a state that some variable has, lowest first.
fn used(spellings: &[Spelling]) -> Vec<usize> {
    let mut places: Vec<usize> = spellings.iter().flat_map(|spelling| spelling.places.iter().copied()).collect();
    places.sort_unstable();
    places
}

fn file(name: &str) -> String {
    std::fs::read_to_string(format!("{}/../../protocols/{name}.py", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn texts_are_the_circuits_of_which_claims_are_decided() {
    for (psi, kappa) in [(2, 1), (2, 3), (3, 2), (5, 7)] {
        let params = Params::default().with("psi", psi).with("kappa", kappa);
        assert!(!differ::<Ppl>(&file("ppl"), &params), "psi {psi}, kappa_max {kappa}");
    }
    assert!(!differ::<Por>(&file("por"), &Params::default()));
    assert!(!differ::<Ysm>(&file("ysm"), &Params::default()));
}

/// The canary: rules that are almost the same.
#[test]
fn a_text_with_one_rule_changed_differs() {
    let (ppl, params) = (file("ppl"), Params::default().with("psi", 3).with("kappa", 2));
    for (from, to) in [
        ("            r.signalB = 0 ", "            r.signalB = r.signalB "),
        (
            "(r.leader, r.bullet, r.shield, r.signalB) = (1, 2, 1, 0)",
            "(r.leader, r.bullet, r.shield, r.signalB) = (1, 2, 0, 0)",
        ),
    ] {
        assert!(ppl.contains(from), "{from}");
        assert!(differ::<Ppl>(&ppl.replacen(from, to, 1), &params), "{to}");
    }
}
