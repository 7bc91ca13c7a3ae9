//! What texts claim: the files of the project keep it, changed ones do not, with witnesses of which the law has seen every step, and on
//! small rings the explicit check says the same, claim by claim, of files written by hand and of generated ones.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../ringleader-notation/tests/generate/mod.rs"]
mod generate;

use std::cell::Cell;
use std::sync::Arc;

use ringleader::instance::Instance;
use ringleader::params::Params;
use ringleader::random::{Stream, below, stream};
use ringleader::ring::Ring;
use ringleader_notation::graph::in_fresh_arena;
use ringleader_notation::program::Program;
use ringleader_notation::written::{Trouble, Written, blueprint};
use ringleader_proof::query::{Query, Verdict};
use ringleader_proof::texts::graph::Graphs;
use ringleader_proof::texts::{Answer, claims, decide};
use ringleader_verify::explicit::{self, Claim, Explored, Scope, alone, explore};

fn program(text: &str) -> Arc<Program> {
    Arc::new(ringleader_notation::read("p.py", text).unwrap())
}

fn file(name: &str) -> String {
    std::fs::read_to_string(format!("{}/../../protocols/{name}.py", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// The claims of a text on a ring, and what came of them; `None` if it has no graph.
fn proven(text: &str, n: usize, params: &Params) -> Option<Vec<(String, Answer)>> {
    proven_as(text, text, n, params)
}

/// The same with the graphs of one text and the law of another.
fn proven_as(text: &str, law: &str, n: usize, params: &Params) -> Option<Vec<(String, Answer)>> {
    let (program, law) = (program(text), program(law));
    let ring = Ring::new(n, program.ring).unwrap();
    let law = Written::new(&law, ring, params, &Trouble::default()).unwrap();
    let graphs = Graphs::new("p.py".into(), program.clone(), ring, law, Box::new(|| None)).ok()?;
    // Patience in questions, not in seconds.
    let asked = Cell::new(0);
    let halt = || {
        asked.set(asked.get() + 1);
        (asked.get() > 3_000).then(|| "enough".to_owned())
    };
    let mut query = Query::new(&halt, None);
    let mut answer = |claim| in_fresh_arena(Box::new(|| None), || decide(&graphs, claim, &mut query)).unwrap();
    let mut all = Vec::new();
    for claim in &claims(&program) {
        all.push((claim.name.clone(), answer(claim)));
        // All others rest on the first.
        if all[0].1.name() != "holds" {
            break;
        }
    }
    Some(all)
}

fn verdicts(text: &str, n: usize, params: &Params) -> Vec<(String, &'static str)> {
    proven(text, n, params).unwrap().into_iter().map(|(name, answer)| (name, answer.name())).collect()
}

#[test]
fn the_files_of_the_project_keep_what_they_claim() {
    let none = Params::default();
    let files = [
        ("aaf", 3..=4, none.clone()),
        ("aaf-orientation", 3..=4, none.clone()),
        ("aaf-token", 3..=5, none.clone()),
        ("elim", 3..=5, none.clone()),
        ("fj", 3..=5, none.clone()),
        ("fj", 3..=3, none.clone().with("delay", 2)),
        ("ysm", 3..=4, none.clone()),
        ("ysm", 3..=3, none.clone().with("bound", 5)),
        ("por", 3..=3, none.clone().with("colors", 3)),
        ("pcl", 3..=3, none.with("colors", 4)),
    ];
    for (name, sizes, params) in files {
        for n in sizes {
            let verdicts = verdicts(&file(name), n, &params);
            assert!(verdicts.iter().all(|(_, verdict)| *verdict == "holds"), "{name}, n = {n}: {verdicts:?}");
        }
    }
}

/// One rule of a file changed, the size of the ring, and the claim that must then fail.
#[test]
fn a_broken_rule_is_caught() {
    let changes = [
        (
            "fj",
            "(x.bullet, x.leader, y.bullet) = (1, 0, 0)",
            "(x.bullet, x.leader, y.bullet) = (1, 1, 0)",
            3,
            "convergence",
        ),
        (
            "fj",
            "(x.shield, y.bullet, y.shield) = (0, 0, 1)",
            "(x.shield, y.bullet, y.shield) = (0, 1, 1)",
            4,
            "safe-closed",
        ),
        (
            "elim",
            "(r.bullet, r.shield, r.signalB) = (1, 0, 0)",
            "(r.bullet, r.shield, r.signalB) = (2, 0, 0)",
            3,
            "C_PB-closed",
        ),
        (
            "elim",
            "r.leader = 0 if l.bullet == 2 and r.shield == 0 else 1",
            "r.leader = 0 if l.bullet > 0 and r.shield == 0 else 1",
            3,
            "safe-closed",
        ),
        ("ysm", "elif l.dist + 1 < bound:", "elif l.dist + 2 < bound:", 4, "safe-closed"),
        (
            "aaf",
            "return sum(v.leader for v in u) == 1 and one_barrier(u) and",
            "return one_barrier(u) and",
            3,
            "one-leader",
        ),
        ("por", "return coloured(u) and any(", "return coloured(u) or any(", 3, "constant"),
    ];
    for (name, from, to, n, claim) in changes {
        let changed = file(name).replacen(from, to, 1);
        assert_ne!(changed, file(name), "{name}: {from}");
        let all = proven(&changed, n, &Params::default()).unwrap();
        let (_, answer) = all.iter().find(|(known, _)| known == claim).unwrap();
        let Answer::Decided(decided) = answer else { panic!("{name}: {answer:?}") };
        assert!(matches!(decided.verdict, Verdict::Fails(_)), "{name}, {from} -> {to}: {claim} {:?}", decided.verdict);
    }
}

#[test]
fn a_set_of_nothing_is_told() {
    let empty = file("fj").replacen("sum(v.leader for v in u) == 1 and", "sum(v.leader for v in u) == n + 1 and", 1);
    let all = verdicts(&empty, 3, &Params::default());
    assert!(all.contains(&("safe-exists".to_owned(), "nothing")), "{all:?}");
    assert!(all.contains(&("convergence".to_owned(), "fails")), "{all:?}");
}

#[test]
fn a_function_that_goes_wrong_is_told() {
    let wrong = file("fj").replacen(
        "    \"one leader, out of danger\"\n",
        "    if 5 // (n - sum(v.leader for v in u)) > 9:\n        return True\n",
        1,
    );
    let all = proven(&wrong, 3, &Params::default()).unwrap();
    let Answer::Wrong(fault) = &all[0].1 else { panic!("{:?}", all[0]) };
    assert!(fault.what.contains("division by zero"), "{fault:?}");
}

#[test]
fn what_is_no_graph_is_unknown() {
    let hard = file("fj").replacen(
        "def safe(u):\n",
        "def safe(u):\n    for i in range(10 ** 7):\n        if u[i].leader == 2:\n            return False\n",
        1,
    );
    let all = proven(&hard, 3, &Params::default()).unwrap();
    let Answer::Decided(decided) = &all[0].1 else { panic!("{:?}", all[0]) };
    assert!(matches!(&decided.verdict, Verdict::Unknown(why) if why.contains("too long")), "{decided:?}");
}

// --- The explicit check ---------------------------------------------------------------------------------------

fn checked(text: &str, n: usize, params: &Params) -> Option<Explored> {
    let (program, trouble) = (program(text), Trouble::default());
    let instance = Instance::new(Arc::new(blueprint(&program, "p.py", &trouble)), n, params).ok()?;
    let explored = explore(&instance, Scope { memory: 1 << 15, everywhere: false }, &mut |what, words, work| {
        alone(what, words, work)
    });
    let done = matches!(explored.verdict, explicit::Verdict::Holds | explicit::Verdict::Fails);
    (done && trouble.first().is_none()).then_some(explored)
}

/// Where both say something of the same claim and differ; and how many claims were compared.
fn differences(text: &str, law: &str, n: usize, params: &Params) -> Option<(Vec<String>, usize)> {
    let explored = checked(law, n, params)?;
    let all = proven_as(text, law, n, params)?;
    let program = program(text);
    let name =
        |function: Option<usize>| function.map(|function| format!("{}-closed", program.functions[function].name));
    let claims = [
        (Claim::SafeClosed, name(program.safe)),
        (Claim::OneLeader, Some("one-leader".to_owned())),
        (Claim::OutputsConstant, Some("constant".to_owned())),
        (Claim::PromiseClosed, name(program.promise)),
        (Claim::Reachable, Some("convergence".to_owned())),
    ];
    let (mut differ, mut compared) = (Vec::new(), 0);
    for (claim, name) in claims.into_iter().filter(|(claim, _)| explored.claims.contains(claim)) {
        let Some((name, answer)) = all.iter().find(|(known, _)| Some(known) == name.as_ref()) else { continue };
        if answer.name() == "unknown" {
            // Only the law could say that the graph is wrong.
            let Answer::Decided(decided) = answer else { unreachable!() };
            if matches!(&decided.verdict, Verdict::Unknown(why) if why.contains("confirm")) {
                differ.push(format!("{name}: not confirmed"));
            }
            continue;
        }
        let fails = explored.flaws.iter().any(|flaw| flaw.claim == claim);
        compared += 1;
        if fails != (answer.name() == "fails") {
            differ.push(format!(
                "{name}: {} by SAT, {} by check",
                answer.name(),
                if fails { "fails" } else { "holds" }
            ));
        }
    }
    Some((differ, compared))
}

/// Small protocols of many kinds: elections, colourings, coins, oracles, promises, inputs, right and wrong ones.
fn small() -> Vec<(&'static str, String)> {
    let agent = "from ringleader.notation import *\nring = RING\nclass Agent:\n    x: span(0, 2)\n    leader: bit\n";
    let text = |ring: &str, rest: &str| agent.replace("RING", ring) + rest;
    let elects = "def leader(v): return v.leader == 1\ndef safe(u): return sum(v.leader for v in u) == 1\n";
    let silent = "def output(v): return v.x\ndef safe(u): return all(u[i].x != u[i + 1].x for i in range(n))\n";
    vec![
        ("two meet, one stays", text("undirected", &format!("def interact(a, b):\n    if a.leader == b.leader == 1: b.leader = 0\n{elects}"))),
        (
            "from some leader",
            text("undirected", &format!("def interact(a, b):\n    if a.leader == b.leader == 1: b.leader = 0\n    elif a.leader == 1: (a.leader, b.leader) = (0, 1)\n@promise\n@closed\ndef some(u): return any(v.leader == 1 for v in u)\n{elects}")),
        ),
        (
            "a promise that is not kept",
            text("directed", &format!("def interact(a, b):\n    if a.leader == 1: a.leader = 0\n    else: b.leader = 1\n@promise\ndef some(u): return any(v.leader == 1 for v in u)\n{elects}")),
        ),
        ("colours by coins", text("undirected", &format!("def interact(a, b, c: span(0, 2)):\n    if a.x == b.x: b.x = c\n{silent}"))),
        ("colours without", text("undirected", &format!("def interact(a, b):\n    if a.x == b.x: b.x = (b.x + 1) % 3\n{silent}"))),
        ("colours that chase each other", text("directed", &format!("def interact(a, b):\n    if a.x == b.x: b.x = 1 - min(b.x, 1)\n{silent}"))),
        (
            "an oracle that is late",
            text("directed", &format!("def interact(a, b, some: oracle(2)):\n    if not some: b.leader = 1\n    elif a.leader == b.leader == 1: b.leader = 0\n    elif a.leader == 1: (a.leader, b.leader) = (0, 1)\n{elects}")),
        ),
        (
            "an oracle at once",
            text("undirected", &format!("def interact(a, b, some: oracle):\n    if not some: a.leader = 1\n    elif a.leader == b.leader == 1: b.leader = 0\n{elects}")),
        ),
        (
            "given marks",
            "from ringleader.notation import *\nclass Agent:\n    m: given(bit)\n    leader: bit\ndef interact(l, r):\n    r.leader = 1 if r.m == 1 else 0\n@inputs\ndef one(u): return sum(v.m for v in u) == 1\n@start\ndef marked(u): u[0].m = 1\ndef leader(v): return v.leader == 1\ndef safe(u): return all(v.leader == v.m for v in u)\n".to_owned(),
        ),
    ]
}

/// The text without its safe set, which it declares last: then check and proof find what is safe in their own ways.
fn undeclared(text: &str) -> &str {
    text.split("def safe").next().unwrap()
}

/// Safe without ever being silent: an output that does not change, or a leader beside whom something turns.
#[test]
fn what_is_safe_but_never_silent_is_not_refuted() {
    for (rest, verdict) in [
        ("    r.x = 1 - min(l.x, 1)\ndef output(v): return 0\n", "unknown"),
        ("    r.x = 1 - min(l.x, 1)\ndef output(v): return v.x\n", "fails"),
        (
            "    (l.x, r.x) = (0, 1 - min(r.x, 1))\n    if l.leader == r.leader == 1: r.leader = 0\ndef leader(v): return v.leader == 1\n",
            "unknown",
        ),
    ] {
        let text = format!(
            "from ringleader.notation import *\nclass Agent:\n    x: span(0, 2)\n    leader: bit\ndef interact(l, r):\n{rest}"
        );
        let all = verdicts(&text, 3, &Params::default());
        assert_eq!(all.last(), Some(&("convergence".to_owned(), verdict)), "{text}");
    }
}

#[test]
fn the_explicit_check_says_the_same_of_small_files() {
    let mut compared = 0;
    for (name, text) in small() {
        for (n, text) in (3..=4).flat_map(|n| [(n, &*text), (n, undeclared(&text))]) {
            let (differ, count) = differences(text, text, n, &Params::default()).unwrap();
            assert!(differ.is_empty(), "{name}, n = {n}: {differ:?}");
            compared += count;
        }
    }
    assert!(compared > 50, "{compared}");
}

/// Of generated files most are too large to be checked, or go wrong; the others must be as the check says.
#[test]
fn the_explicit_check_says_the_same_of_generated_files() {
    let mut compared = 0;
    for seed in 0..200 {
        let (text, _) = generate::protocol(seed);
        // The check goes through all inputs, of which there may be any number.
        if text.contains("given(") {
            continue;
        }
        if let Some((differ, count)) = differences(&text, &text, 3, &Params::default()) {
            assert!(differ.is_empty(), "{seed}: {differ:?}\n{text}");
            compared += count;
        }
    }
    assert!(compared > 3, "{compared}");
}

/// Tables of rules at random, with a safe set at random: elections and others, on both rings, with and without a coin.
fn random(seed: u64) -> String {
    let mut generator = stream(seed, Stream::Start);
    let mut below = |n| below(&mut generator, n);
    let (ring, coin) = (["directed", "undirected"][below(2) as usize], below(3) == 0);
    let mut text = format!("from ringleader.notation import *\nring = {ring}\nclass Agent:\n    x: span(0, 2)\n");
    text += if coin { "def interact(a, b, c: bit):\n" } else { "def interact(a, b):\n" };
    text += "    (i, k) = (a.x, b.x)\n";
    for i in 0..3 {
        for k in 0..3 {
            if below(2) == 0 {
                let right = if coin && below(2) == 0 { format!("{} * c", below(3)) } else { below(3).to_string() };
                text += &format!("    if (i, k) == ({i}, {k}): (a.x, b.x) = ({}, {right})\n", below(3));
            }
        }
    }
    text += &match below(2) {
        0 => format!("def leader(v): return v.x == {}\n", below(3)),
        _ => format!("def output(v): return v.x // {}\n", 1 + below(2)),
    };
    text + &match below(3) {
        0 => format!("def safe(u): return sum(1 for v in u if v.x == {}) == {}\n", below(3), below(2)),
        1 => format!("def safe(u): return all(v.x != {} for v in u)\n", below(3)),
        _ => format!("def safe(u): return any(u[i].x == {} for i in range(n)) and u[0].x < 2\n", below(3)),
    }
}

#[test]
fn the_explicit_check_says_the_same_of_random_tables() {
    let mut compared = 0;
    for seed in 0..100 {
        let text = random(seed);
        for text in [&text, undeclared(&text)] {
            let (differ, count) = differences(text, text, 3 + seed as usize % 2, &Params::default()).unwrap();
            assert!(differ.is_empty(), "{seed}: {differ:?}\n{text}");
            compared += count;
        }
    }
    assert!(compared > 300, "{compared}");
}

/// A graph in which one rule is missing, beside the law of the whole text: the check must notice.
#[test]
fn a_graph_without_a_rule_is_noticed() {
    let noticed = |seed: &u64| {
        let text = random(*seed);
        let Some(rule) = text.lines().find(|line| line.contains("if (i, k)")) else { return false };
        let missing = text.replacen(rule, "", 1);
        differences(&missing, &text, 3, &Params::default()).is_some_and(|(differ, _)| !differ.is_empty())
    };
    let count = (0..40).filter(noticed).count();
    assert!(count > 5, "{count}");
}
