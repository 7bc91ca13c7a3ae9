//! Confirmation by others: Storm solves the exported chains, and a DRAT checker accepts the certificates. Both are installed by the tests
//! themselves, which takes minutes and a network, so they run only when asked, as `scripts/check` does:
//! `cargo test -p ringleader-proof --test confirm -- --ignored`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::Command;

use ringleader::protocol::Params;
use ringleader_proof::bits::in_fresh_arena;
use ringleader_proof::claims::{Point, claims};
use ringleader_proof::exact::ask::{Question, Until, ask};
use ringleader_proof::query::{Query, Verdict};

fn workshop(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {text}{errors}");
    text.into_owned()
}

/// The worst and the mean of all configurations, by Storm.
const STORM: &str = r#"
import stormpy, sys
program = stormpy.parse_prism_program(sys.argv[1])
formula = stormpy.parse_properties('R{"steps"}=? [F "safe"]', program)
model = stormpy.build_model(program, formula)
values = list(stormpy.model_checking(model, formula[0]).get_value_vector())
print(max(values), sum(values) / len(values))
"#;

#[test]
#[ignore = "installs stormpy with pip"]
fn storm_finds_the_same_expectations() {
    let directory = workshop("storm");
    let python = directory.join("venv/bin/python");
    if !python.exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(directory.join("venv")));
    }
    run(Command::new(&python).args(["-m", "pip", "install", "-q", "stormpy"]));
    std::fs::write(directory.join("storm.py"), STORM).unwrap();
    let (none, few) = (Params::default(), Params::default().with("colors", 3));
    let cases = [
        ("elim", 3, &none, Until::AtMostOneLeader),
        ("fj", 3, &none, Until::Safe),
        ("fj", 4, &none, Until::Safe),
        ("pcl", 3, &few, Until::Safe),
    ];
    for (protocol, n, params, until) in cases {
        let question = Question {
            protocol,
            n,
            params,
            start: Some("every"),
            seed: 0,
            until,
            rotate: false,
            most: 1_000_000,
            quantiles: 0,
            stop: &|_| false,
        };
        let mut model = Vec::new();
        let found = ask(&question, Some(&mut model)).unwrap().unwrap();
        let path = directory.join(format!("{protocol}-{n}.pm"));
        std::fs::write(&path, model).unwrap();
        let text = run(Command::new(&python).arg(directory.join("storm.py")).arg(&path));
        let values: Vec<f64> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
        let ours = [found.worst.unwrap().0, found.mean];
        for (storm, ours) in values.iter().zip(ours) {
            assert!((storm - ours).abs() < 1e-4 * ours, "{protocol}, n {n}: Storm {storm}, ours {ours}");
        }
    }
}

#[test]
#[ignore = "installs the DRAT checker rate with cargo"]
fn an_independent_checker_accepts_certificates() {
    let directory = workshop("rate");
    let rate = directory.join("bin/rate");
    if !rate.exists() {
        run(Command::new("cargo").args(["install", "rate", "--version", "0.3.0", "--root"]).arg(&directory));
    }
    for (name, n, psi) in [("safe", 9, 3), ("srl_variant", 7, 2), ("get_peaceful", 6, 2), ("convergence", 4, 2)] {
        let save = |formula: &str, cnf: &str, proof: &str| {
            let path = |ending: &str| directory.join(format!("{name}-{formula}.{ending}"));
            std::fs::write(path("cnf"), cnf).unwrap();
            std::fs::write(path("drat"), proof).unwrap();
            let text = run(Command::new(&rate).arg(path("cnf")).arg(path("drat")));
            if text.contains("s VERIFIED") { Ok(()) } else { Err(format!("not accepted: {text}")) }
        };
        let claim = claims().into_iter().find(|claim| claim.name == name).unwrap();
        let mut query = Query::new(&|| None, Some(&save));
        let found = in_fresh_arena(Box::new(|| None), || claim.decide(&mut query, Point { n, psi, kappa: 1 })).unwrap();
        assert_eq!(found.verdict, Verdict::Holds(None), "{name}");
    }
}
