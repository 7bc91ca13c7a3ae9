//! Confirmation by others: a DRAT checker accepts the certificates, and Z3 decides the formulas in SMT-LIB. The tests install them, which takes
//! a minute and a network, so they run only when asked, as `scripts/check` does: `cargo test -p ringleader-proof --test confirm -- --ignored`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use ringleader::agree::pool;
use ringleader::protocol::{Input, Transition};
use ringleader::protocols::ppl::{Mode, Ppl, State, Token};
use ringleader_notation::graph::in_fresh_arena;
use ringleader_proof::claims::every::smt::{algorithms, formulas};
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

/// Z3 from PyPI, in a virtual environment of its own; one test installs it.
fn z3() -> (PathBuf, PathBuf) {
    static ONE: Mutex<()> = Mutex::new(());
    let _alone = ONE.lock().unwrap();
    let directory = workshop("z3");
    let z3 = directory.join("bin/z3");
    if !z3.exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&directory));
        run(Command::new(directory.join("bin/pip")).args(["install", "--quiet", "z3-solver"]));
    }
    (directory, z3)
}

fn solved((directory, z3): &(PathBuf, PathBuf), name: &str, script: &str) -> String {
    let path = directory.join(format!("{name}.smt2"));
    std::fs::write(&path, script).unwrap();
    run(Command::new(z3).arg("-T:300").arg(path)).trim().to_owned()
}

#[test]
#[ignore = "installs z3-solver with pip"]
fn an_smt_solver_decides_all_psi_at_once() {
    let z3 = z3();
    for smt in formulas() {
        let expected = if smt.satisfiable { "sat" } else { "unsat" };
        assert_eq!(solved(&z3, smt.name, &smt.script), expected, "{}: {}", smt.name, smt.says);
    }
}

/// A state without its war in SMT-LIB.
fn spelt(v: &State) -> String {
    let int = |number: i64| if number < 0 { format!("(- {})", -number) } else { number.to_string() };
    let token = |z: Option<Token>| {
        z.map_or("none".to_owned(), |z| format!("(token true {} {} {})", int(z.pos.into()), z.bit == 1, z.carry == 1))
    };
    let [black, white] = v.token.map(token);
    format!("(agent {} {} {} {} {black} {white})", v.leader == 1, v.dist, v.last == 1, v.b == 1)
}

/// The algorithms in SMT-LIB do what the clear form does, on random pairs; and one that is changed by hand is found.
#[test]
#[ignore = "installs z3-solver with pip"]
fn the_algorithms_in_smt_lib_are_the_clear_form() {
    let z3 = z3();
    for psi in [2_u8, 3, 5, 31] {
        let ppl = Ppl { psi, kappa_max: 1 };
        // Without bullets nobody is killed.
        let pool: Vec<State> =
            pool(&ppl, 5).into_iter().map(|v| State { bullet: 0, signal_b: 0, shield: 1, ..v }).collect();
        let differs = |canary: bool| -> String {
            let each = pool.chunks_exact(2).map(|pair| {
                let [mut l, mut r] = [pair[0], pair[1]];
                ppl.interact(&mut l, &mut r, Input::default());
                let (u, v, detect) = (spelt(&pair[0]), spelt(&pair[1]), r.mode == Mode::Detect);
                l.b ^= u8::from(canary);
                let created = r.bullet == 2 || (r.leader > pair[1].leader);
                let same = format!("(and (= (initiator p) {}) (= (responder p) {}))", spelt(&l), spelt(&r));
                // A leader that is created at a leader shows by its bullet.
                format!("(let ((p (interact {u} {v} {detect}))) (not (and {same} (=> {created} (created p)))))\n")
            });
            let each: String = each.collect();
            format!("{}(assert (= psi {psi}))\n(assert (or {each}))\n(check-sat)\n", algorithms())
        };
        assert_eq!(solved(&z3, "agrees", &differs(false)), "unsat", "psi {psi}");
        assert_eq!(solved(&z3, "canary", &differs(true)), "sat", "psi {psi}");
    }
}
