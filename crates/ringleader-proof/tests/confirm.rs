//! Confirmation by others: a DRAT checker accepts the certificates. The test installs it, which takes a minute and a network, so it
//! runs only when asked, as `scripts/check` does: `cargo test -p ringleader-proof --test confirm -- --ignored`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::Command;

use ringleader_notation::graph::in_fresh_arena;
use ringleader_proof::claims::{Point, claims};
use ringleader_proof::query::{Certificate, Query, Verdict};

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

#[test]
#[ignore = "installs the DRAT checker rate with cargo"]
fn an_independent_checker_accepts_certificates() {
    let directory = workshop("rate");
    let rate = directory.join("bin/rate");
    if !rate.exists() {
        run(Command::new("cargo").args(["install", "rate", "--version", "0.3.0", "--root"]).arg(&directory));
    }
    for (name, n, psi) in
        [("safe", 9, 3), ("srl_variant", 7, 2), ("get_peaceful", 6, 2), ("convergence", 4, 2), ("ppl-text", 3, 4)]
    {
        let save = |made: &Certificate| {
            let path = |ending: &str| directory.join(format!("{name}-{}.{ending}", made.number));
            std::fs::write(path("cnf"), &made.dimacs).unwrap();
            std::fs::write(path("drat"), &made.drat).unwrap();
            let text = run(Command::new(&rate).arg(path("cnf")).arg(path("drat")));
            if text.contains("s VERIFIED") { Ok(()) } else { Err(format!("not accepted: {text}")) }
        };
        let claim = claims().into_iter().find(|claim| claim.name == name).unwrap();
        let mut query = Query::new(&|| None, Some(&save));
        let found = in_fresh_arena(Box::new(|| None), || claim.decide(&mut query, Point { n, psi, kappa: 1 })).unwrap();
        assert_eq!(found.verdict, Verdict::Holds(None), "{name}");
    }
}
