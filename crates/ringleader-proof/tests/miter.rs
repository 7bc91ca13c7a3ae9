//! The text of a protocol and its circuit do the same, in whatever states two agents are: so what `prove --protocol NAME --aiger` writes is the
//! transition function of which the claims of the paper are decided. A solver says so, bit by bit of every variable.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use ringleader::blueprint::Declared;
use ringleader::circuit::{Agent, all, any, same};
use ringleader::params::Params;
use ringleader::protocol::Protocol;
use ringleader::protocols::por::Por;
use ringleader::protocols::ppl::Ppl;
use ringleader::protocols::ysm::Ysm;
use ringleader::ring::Ring;
use ringleader::variables::Variable;
use ringleader_notation::graph::{Lit, in_fresh_arena};
use ringleader_notation::setting::State;
use ringleader_notation::written::{Trouble, Written};
use ringleader_proof::diagram::Diagram;
use ringleader_proof::query::Query;
use ringleader_proof::symbolic::{NamedCircuit, Symbolic};
use ringleader_proof::texts::graph::Graphs;

/// A variable in both readings: its name, its values, and where the text keeps it in a state.
struct Shared<S> {
    name: &'static str,
    names: &'static [&'static str],
    ours: Variable<S>,
    theirs: Variable<State>,
    places: Vec<usize>,
}

fn code(state: &State) -> u128 {
    u128::from(state.0[1]) << 64 | u128::from(state.0[0])
}

fn shared<P: Protocol>(protocol: &P, law: &Written) -> Vec<Shared<P::State>> {
    let (ours, theirs) = (protocol.variables().0, law.variables().0);
    assert_eq!(ours.len(), theirs.len());
    let one = |(ours, theirs): (Variable<P::State>, Variable<State>)| {
        assert_eq!((&ours.name, ours.domain.size()), (&theirs.name, theirs.domain.size()));
        let coded = (0..theirs.domain.size()).map(|k| {
            let mut state = State::default();
            theirs.set(&mut state, &theirs.domain.nth(k)).unwrap();
            code(&state)
        });
        let codes: Vec<u128> = coded.collect();
        let mask = codes.iter().fold(0, |mask, code| mask | (code ^ codes[0]));
        let places = (0..128).filter(|place| mask >> place & 1 == 1).collect();
        let name: &'static str = ours.name.to_string().leak();
        Shared { name, names: vec![name].leak(), ours, theirs, places }
    };
    ours.into_iter().zip(theirs).map(one).collect()
}

/// Where an agent of the circuit is in the state that an agent of the text is in. Some values have more spellings than one.
fn alike<S: Copy + Default + 'static>(
    shared: &[Shared<S>],
    ours: &Symbolic<'_, S>,
    theirs: &dyn Fn(usize) -> Lit,
) -> Lit {
    let alike_in = |one: &Shared<S>, k: u64| {
        let value = one.ours.domain.nth(k);
        let is_ours = ours.ask((one.name, k as isize, one.names), |state| one.ours.get(state) == value);
        let is_theirs = Diagram::new(&one.places, |assignment| {
            let bit = |(j, place): (usize, &usize)| u128::from(assignment >> j & 1) << place;
            let spelt: u128 = one.places.iter().enumerate().map(bit).sum();
            one.theirs.get(&State([spelt as u64, (spelt >> 64) as u64])) == value
        });
        same(is_ours, is_theirs.of(theirs))
    };
    all(shared
        .iter()
        .flat_map(|one| (0..one.ours.domain.size()).map(move |k| (one, k)))
        .map(|(one, k)| alike_in(one, k)))
}

/// Whether two agents may do otherwise in the text than in the circuit.
fn differ<P: Declared>(text: &str, params: &Params) -> bool {
    let program = Arc::new(ringleader_notation::read("p.py", text).unwrap());
    let ring = Ring::new(4, program.ring).unwrap();
    let law = Written::new(&program, ring, params, &Trouble::default()).unwrap();
    let protocol = (P::blueprint().make)(ring, params).unwrap();
    let circuit = NamedCircuit::of(&protocol).unwrap().unwrap();
    let shared = shared(&protocol, &law);
    let mut places: Vec<usize> = shared.iter().flat_map(|one| one.places.iter().copied()).collect();
    places.sort_unstable();
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
        let both = |pair: &[Symbolic<'_, P::State>], agents: &[Vec<Lit>]| {
            [0, 1].map(|i| alike(&shared, &pair[i], &of(&agents[i])))
        };
        let start = all(both(&pair, &before.agents));
        circuit.interact(&mut pair, 0, 1, &[]);
        let otherwise = any(both(&pair, &after.agents).map(|same| !same));
        Query::new(&|| None, None).ask(&[start, otherwise], &demands).unwrap().is_some()
    })
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
