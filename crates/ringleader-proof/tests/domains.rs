//! Whether texts can go wrong: the files of the project cannot, changed ones do where the change says so, and what the solver decides for
//! all pairs of generated protocols, the law says pair by pair.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../ringleader-notation/tests/generate/mod.rs"]
mod generate;

use std::sync::Arc;

use ringleader::params::Params;
use ringleader::protocol::{Input, Protocol, Transition};
use ringleader::random::{Stream, below, stream};
use ringleader::ring::Ring;
use ringleader_notation::program::Program;
use ringleader_notation::setting::{Setting, State};
use ringleader_notation::written::{Trouble, Written};
use ringleader_proof::domains::{Decided, Verdict, decide};

fn program(text: &str) -> Program {
    ringleader_notation::read("p.py", text).unwrap()
}

fn file(name: &str) -> String {
    std::fs::read_to_string(format!("{}/../../protocols/{name}.py", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn decided(program: &Program, n: usize) -> Decided {
    let setting = Setting::new(program, n, &Params::default()).unwrap();
    decide(program, &setting, &|| None, Box::new(|| None))
}

#[test]
fn the_files_of_the_project_cannot_go_wrong() {
    let names =
        ["aaf", "aaf-colouring", "aaf-orientation", "aaf-token", "elim", "fj", "pcl", "pcl-derandomised", "por"];
    for name in names.into_iter().chain(["ppl", "ppl-prime", "undirected", "undirected-derandomised", "ysm"]) {
        let program = program(&file(name));
        for n in [3, 8, 100, 1 << 16] {
            assert_eq!(decided(&program, n).verdict, Verdict::Holds, "{name}, n = {n}");
        }
    }
}

/// A change of P_PL, the line at which it must fail, and what must be said of the states.
#[test]
fn a_store_that_leaves_its_domain_is_found_with_its_states() {
    let changes = [
        ("(l.dist + 1) % (2 * psi)", "l.dist + 1", "r.dist = tmp", "l.dist = 5"),
        ("min(r.clock + 1, kappa)", "r.clock + 1", "r.clock = r.clock + 1", "r.clock = 144"),
        ("2 * psi - 1)", "2 * psi - 2)", "r.dist = tmp", "l.dist = 4"),
    ];
    for (from, to, line, state) in changes {
        let (source, changed) = (file("ppl"), file("ppl").replacen(from, to, 1));
        assert_ne!(source, changed, "{from}");
        let changed = program(&changed);
        let Verdict::Fails(fault) = decided(&changed, 8).verdict else { panic!("{from} -> {to} cannot go wrong") };
        let found = changed.text.lines().nth(fault.span.line as usize - 1).unwrap();
        assert!(found.contains(line), "{found}");
        assert!(fault.what.contains("allowed is") && fault.help.contains(state), "{fault:?}");
    }
}

#[test]
fn what_goes_wrong_is_named() {
    let header = "class Agent:\n    x: span(0, 5)\n    t: pair(maybe(span(0, 2)))\ndef leader(v): return v.x == 0\n";
    let cases = [
        ("    l.x = 5 // r.x", 6, "division by zero"),
        ("    l.x = (4, 3, 2, 1)[r.x]", 6, "there is no element 4"),
        ("    l.x = r.t[0] + 1", 6, "None is no number"),
        ("    if l.x > 2: y = 1\n    r.x = y", 7, "has no value yet"),
        ("    assert l.x + r.x < 10, \"too many\"", 6, "this must hold: too many"),
        ("    l.t[r.x] = 1", 6, "has no element"),
        ("    l.x = max(k for k in range(r.x))", 6, "of nothing"),
        ("    (l.x, r.x) = l.t", 6, "allowed is"),
        ("    l.x = 0 * 9 ** (6 * r.x)", 6, "2^63"),
    ];
    for (body, line, words) in cases {
        let program = program(&format!("{header}def interact(l, r):\n{body}\n"));
        match decided(&program, 3).verdict {
            Verdict::Fails(fault) => {
                assert_eq!(fault.span.line, line, "{body}");
                assert!(fault.what.contains(words), "{body}: {}", fault.what);
            }
            other => panic!("{body}: {other:?}"),
        }
    }
}

#[test]
fn every_place_that_can_be_first_to_go_wrong_is_named() {
    let text = "class Agent:\n    x: span(0, 3)\n    y: bit\ndef interact(l, r):\n    l.x = l.x + 1\n    if r.x == 2: r.y = r.x\n    \
                r.x = 6 // r.x\n    l.x = 4\n    r.y = 7\n    assert l.y == 0\ndef leader(v): return (1, 0)[v.x] == 1\n";
    let Verdict::Fails(fault) = decided(&program(text), 3).verdict else { panic!("nothing goes wrong") };
    let lines: Vec<u32> = std::iter::once(&fault).chain(&fault.also).map(|fault| fault.span.line).collect();
    // Line 7 can divide by 0 and store a 6. Nothing comes after line 8, which always goes wrong.
    assert_eq!(lines, [5, 6, 7, 7, 8]);
    assert!(std::iter::once(&fault).chain(&fault.also).all(|fault| !fault.help.is_empty()));
}

#[test]
fn what_goes_wrong_where_it_is_asked_who_leads_is_named() {
    let class = "class Agent:\n    x: span(0, 3)\n    t: maybe(bit, bit)\ndef interact(l, r): pass\n";
    let program = program(&format!("{class}def leader(v): return v.x == 3 and v.t[1] == 1\n"));
    let Verdict::Fails(fault) = decided(&program, 3).verdict else { panic!("nothing goes wrong") };
    assert_eq!((fault.span.line, &*fault.what), (5, "None has no elements"));
    assert!(fault.help.contains("x = 3"), "{}", fault.help);
}

#[test]
fn generated_protocols_go_wrong_where_the_law_says_so() {
    let (mut fails, mut holds, mut unknown) = (0, 0, 0);
    for seed in 1000..1200 {
        let (text, n) = generate::protocol(seed);
        let program = Arc::new(program(&text));
        match decided(&program, n).verdict {
            Verdict::Unknown(why) => {
                assert!(!why.contains("differ"), "{text}");
                unknown += 1;
            }
            // The law said so itself.
            Verdict::Fails(_) => fails += 1,
            Verdict::Holds => {
                holds += 1;
                never_faults(&program, n, seed);
            }
        }
    }
    assert!(fails > 30 && holds > 100 && unknown < 20, "{fails} fail, {holds} hold, {unknown} unknown");
}

fn never_faults(program: &Arc<Program>, n: usize, seed: u64) {
    let trouble = Trouble::default();
    let written = Written::new(program, Ring::new(n, program.ring).unwrap(), &Params::default(), &trouble).unwrap();
    let (variables, mut generator) = (written.variables(), stream(seed, Stream::Start));
    for _ in 0..400 {
        let mut states = [State::default(); 2];
        for state in &mut states {
            variables.0.iter().for_each(|variable| variable.randomise(state, &mut generator));
        }
        let (coin, [mut l, mut r]) = (below(&mut generator, written.coins()), states);
        written.interact(&mut l, &mut r, Input { coin, leader: coin % 2 == 0 });
        assert_eq!(trouble.first(), None, "{states:?}\n{}", program.text);
    }
}
