//! `check` against CPython: python/tests/oracle.py decides the same by brute force over the same files. It knows nothing of this program,
//! and takes Definition 1 literally. The files are those of examples/protocols and mutants of the paper's protocols. And CPython runs its
//! own tests of the files.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod harness;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use harness::{json, program};
use serde_json::Value;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A text on a ring, and what is known of it.
struct Asked {
    name: String,
    text: String,
    n: usize,
    verdict: &'static str,
}

fn python() -> Command {
    let mut python = Command::new("python3");
    python.args(["-X", "utf8"]).env("PYTHONPATH", format!("{ROOT}/python")).env("PYTHONDONTWRITEBYTECODE", "1");
    python
}

fn saved(folder: &str, asked: &Asked) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(folder);
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{}-{}.py", asked.name, asked.n));
    std::fs::write(&path, &asked.text).unwrap();
    path
}

/// What CPython finds for all of them.
fn oracle(lines: &str) -> Vec<Value> {
    let mut python = python();
    let python = python.arg(format!("{ROOT}/python/tests/oracle.py")).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = python.spawn().expect("python3 is needed: it judges");
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Both say the same of all of them, and what is expected.
fn agree(folder: &str, asked: &[Asked]) {
    let paths: Vec<PathBuf> = asked.iter().map(|one| saved(folder, one)).collect();
    let lines: String = paths.iter().zip(asked).map(|(path, one)| format!("{} {}\n", path.display(), one.n)).collect();
    let found = oracle(&lines);
    assert_eq!(found.len(), asked.len());
    for ((one, path), found) in asked.iter().zip(&paths).zip(found) {
        let n = one.n.to_string();
        let output = program().arg("check").arg(path).args(["--n", &n, "--json"]).output().unwrap();
        let said = json(&output)["checks"][0].clone();
        let told = |key: &str| (said[key].clone(), found[key].clone());
        for key in ["configurations", "safe", "largest", "verdict"] {
            let (ours, theirs) = told(key);
            assert_eq!(ours, theirs, "{key} of {} on {n} agents: check first, then CPython", one.name);
        }
        assert_eq!(found["verdict"], one.verdict, "{} on {n} agents", one.name);
    }
}

/// What is known of the files from the literature, on rings of 3 and of 4.
const EXAMPLES: &[(&str, &str, &str)] = &[
    ("approximate-majority", "holds", "holds"),
    // One that has more than its right neighbour may change places with it, for ever.
    ("averaging", "fails", "fails"),
    ("colouring", "holds", "holds"),
    ("dijkstra", "holds", ""),
    ("loose", "fails", ""),
    ("lucky", "holds", "holds"),
    // On a ring of 4, as many strong A as strong B may never meet.
    ("majority", "holds", "fails"),
    ("modulo", "holds", "fails"),
    ("rumour", "holds", "holds"),
    ("token", "fails", "fails"),
];

#[test]
fn protocols_of_the_literature_are_what_they_are() {
    let folder = format!("{ROOT}/examples/protocols");
    let mut asked = Vec::new();
    for (name, three, four) in EXAMPLES {
        let text = std::fs::read_to_string(format!("{folder}/{name}.py")).unwrap();
        for (n, verdict) in [(3, *three), (4, *four)].into_iter().filter(|(_, verdict)| !verdict.is_empty()) {
            asked.push(Asked { name: (*name).to_owned(), text: text.clone(), n, verdict });
        }
    }
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), EXAMPLES.len());
    agree("literature", &asked);
}

/// Files of the paper's protocols with something changed, and what `check` must say of each on a ring of three.
const MUTANTS: &[(&str, &str, &str, &str)] = &[
    ("fj", "", "", "holds"),
    // Without its shield, the last leader dies of its own bullet.
    ("fj", "(x.bullet, x.shield, y.bullet, y.shield) = (1, 0, 0, 1)", "(x.bullet, x.shield) = (1, 0)", "fails"),
    // A bullet that passes a shield.
    ("fj", "(x.shield, y.bullet, y.shield) = (0, 0, 1)", "(x.shield, y.shield) = (0, 1)", "fails"),
    // Nobody becomes a leader.
    ("fj", "(x.bullet, x.leader, x.shield) = (1, 1, 1)", "(x.bullet, x.leader, x.shield) = (1, 0, 1)", "fails"),
    // Whoever is made has no shield, and gets none.
    ("fj", "(x.bullet, x.leader, x.shield) = (1, 1, 1)", "(x.bullet, x.leader, x.shield) = (1, 1, 0)", "fails"),
    // The safe set asks for less, or for more.
    ("fj", "return u[w + i].bullet == 0", "return True", "fails"),
    ("fj", "    if u[w].shield == 1:\n        return True\n", "", "fails"),
    ("fj", "for i in range(1, n)", "for i in range(1, n - 1)", "fails"),
    ("aaf-token", "", "", "holds"),
    ("elim", "", "", "holds"),
    // Line 52: without a shield.
    ("elim", "(l.bullet, l.shield, l.signalB) = (2, 1, 0)", "(l.bullet, l.shield, l.signalB) = (2, 0, 0)", "fails"),
    // Line 54: the shield stays.
    ("elim", "(r.bullet, r.shield, r.signalB) = (1, 0, 0)", "(r.bullet, r.shield, r.signalB) = (1, 1, 0)", "fails"),
    // Line 57: dummy bullets kill.
    ("elim", "if l.bullet == 2 and r.shield == 0", "if l.bullet >= 1 and r.shield == 0", "fails"),
    // Line 57: live bullets kill the shielded.
    ("elim", "if l.bullet == 2 and r.shield == 0", "if l.bullet == 2", "fails"),
    // Line 60: the signal survives a bullet.
    ("elim", "r.signalB = 0                 ", "pass                          ", "fails"),
];

#[test]
fn mutants_of_the_papers_protocols_are_judged_as_by_cpython() {
    let mut asked = Vec::new();
    for (k, &(file, from, to, verdict)) in MUTANTS.iter().enumerate() {
        let text = std::fs::read_to_string(format!("{ROOT}/protocols/{file}.py")).unwrap();
        assert!(text.contains(from), "{file} has no {from}");
        asked.push(Asked { name: format!("{file}-{k}"), text: text.replacen(from, to, 1), n: 3, verdict });
    }
    agree("mutants", &asked);
}

#[test]
fn cpython_passes_its_own_tests_of_the_files() {
    let mut python = python();
    let output =
        python.args(["-m", "unittest", "-q", "test_files"]).current_dir(format!("{ROOT}/python/tests")).output();
    let output = output.expect("python3 is needed: it runs the files");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
