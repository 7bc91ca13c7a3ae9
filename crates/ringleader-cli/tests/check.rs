//! `ringleader check` as a user meets it, and its witnesses as `replay` and `inspect` meet them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod harness;

use std::process::Output;

use harness::{complaint, file, interrupted, json, place, ringleader};
use serde_json::{Value, json as literal};

fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_check_that_holds_says_what_was_claimed_and_of_how_many() {
    let output = ringleader(&["check", "fj", "--n", "3..5"]);
    let shown = text(&output);
    assert_eq!((code(&output), complaint(&output).as_str()), (0, ""));
    for words in [
        "a secondary source",
        "the safe set is closed",
        "outputs are constant",
        "from every configuration the safe set is reachable",
        "32,768",
        "holds",
    ] {
        assert!(shown.contains(words), "{words} is missing:\n{shown}");
    }
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    let elim = text(&ringleader(&["check", "elim", "--n", "3"]));
    assert!(elim.contains("C_PB is closed") && elim.contains("from every configuration of C_PB"), "{elim}");
}

#[test]
fn threads_change_nothing() {
    let with = |threads: &str| {
        let output = ringleader(&["check", "ysm", "--n", "3", "--bound", "5", "--json", "--threads", threads]);
        assert_eq!(code(&output), 0);
        json(&output)
    };
    let one = with("1");
    assert_eq!(
        (&one["checks"][0]["configurations"], &one["checks"][0]["safe"]),
        (&literal!(1_728_000), &literal!(1980))
    );
    assert_eq!(one, with("3"));
}

#[test]
fn a_witness_replays_and_inspects() {
    let path = place("witness.json");
    let output = ringleader(&["check", "elim", "--n", "3", "--everywhere", "--witness", &path]);
    assert_eq!(code(&output), 1);
    assert!(
        text(&output).contains("fails") && text(&output).contains("witness: ringleader replay"),
        "{}",
        text(&output)
    );
    let replayed = ringleader(&["replay", &path]);
    assert_eq!(code(&replayed), 0, "{}", complaint(&replayed));
    assert_eq!(json(&replayed)["safe"], literal!(false));
    let facts = json(&ringleader(&["inspect", &path]));
    assert_eq!(
        (&facts["safe"], &facts["C_PB"], &facts["leaders"]),
        (&literal!(false), &literal!(false), &literal!([]))
    );
    let found = json(&ringleader(&["check", "elim", "--n", "3", "--everywhere", "--json"]));
    let written: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(found["checks"][0]["witness"], written);
}

/// What `replay` checks of a witness: a case that claims otherwise fails.
#[test]
fn a_wrong_claim_of_safety_is_found() {
    let agent = literal!({"leader": 0, "bullet": 0, "shield": 0});
    let leader = literal!({"leader": 1, "bullet": 0, "shield": 1});
    let case = |first: bool, last: bool, delay: u64, leaderless: u64| {
        let case = literal!({"protocol": "FJ06", "n": 3, "delay": delay, "leaderless": leaderless, "initial": [agent, agent, agent],
            "schedule": [0], "initial_safe": first, "final_safe": last, "leader": leader});
        ringleader(&["replay", &file(&format!("fj-{first}-{last}-{delay}-{leaderless}.json"), &case.to_string())])
    };
    assert_eq!(code(&case(false, true, 0, 0)), 0, "the immediate oracle makes a leader at once");
    assert_eq!(code(&case(false, false, 2, 1)), 0, "a late one does not");
    assert_eq!(code(&case(false, true, 2, 2)), 0, "but in time");
    let wrong = case(true, true, 0, 0);
    assert!(code(&wrong) == 1 && complaint(&wrong).contains("step 0: safe is false"), "{}", complaint(&wrong));
    let wrong = case(false, false, 0, 0);
    assert!(code(&wrong) == 1 && complaint(&wrong).contains("step 1: safe is true"), "{}", complaint(&wrong));
    let refused = case(false, true, 2, 3);
    assert!(code(&refused) == 2 && complaint(&refused).contains("leaderless = 3"), "{}", complaint(&refused));
}

#[test]
fn a_trace_with_a_late_oracle_replays() {
    let path = place("late.json");
    let run = ["run", "--protocol", "fj", "--n", "6", "--delay", "50", "--start", "leaderless", "--seed", "4"];
    let faults = ["--fault", "agents=6,variable=leader,at=safe", "--fault", "list=0+1+2+3+4+5,variable=leader,at=30"];
    let output = ringleader(&[&run[..], &faults[..], &["--trace", &path]].concat());
    assert_eq!(code(&output), 0, "{}", complaint(&output));
    let replayed = ringleader(&["replay", &path]);
    assert_eq!(code(&replayed), 0, "{}", complaint(&replayed));
    assert_eq!(json(&replayed)["safe"], literal!(true));
}

#[test]
fn what_is_too_large_is_told_with_its_size() {
    let output = ringleader(&["check", "thue-morse", "--n", "3"]);
    assert_eq!(code(&output), 4);
    assert!(text(&output).contains("too large") && text(&output).contains("our own design"), "{}", text(&output));
    let says = |words: &[&str], parts: &[&str]| {
        let output = ringleader(&[&["check"], words].concat());
        let text = text(&output);
        assert!(code(&output) == 4 && parts.iter().all(|part| text.contains(part)), "{words:?}: {text}");
    };
    says(
        &["ppl", "--n", "3"],
        &[
            "beyond any memory",
            "--psi 2 --kappa 1, there are",
            "still too many",
            "ringleader prove safe convergence --n 3",
        ],
    );
    says(
        &["ysm", "--n", "4", "--bound", "64", "--memory", "1M"],
        &["it takes", "--memory allows 1.00 MiB", "--bound 4, there are"],
    );
    says(&["fj", "--n", "6", "--memory", "16K"], &["it takes 96.00 KiB, and --memory allows 16.00 KiB"]);
    let output = ringleader(&["check", "fj", "--n", "6,3", "--memory", "16K", "--json"]);
    let checks = json(&output)["checks"].clone();
    assert_eq!(
        (code(&output), &checks[0]["verdict"], &checks[1]["verdict"]),
        (4, &literal!("too large"), &literal!("holds"))
    );
    assert_eq!((&checks[0]["configurations"], &checks[0]["safe"]), (&literal!(262_144), &Value::Null));
}

#[test]
fn bad_use_is_refused_before_anything_runs() {
    for (args, words) in [
        (vec!["check", "fj"], "--n"),
        (vec!["check", "fj", "--n", "2"], "n = 2"),
        (vec!["check", "fj", "--n", "8..3"], "a range such as 3..8"),
        (vec!["check", "fj", "--n", "three"], "a range such as 3..8"),
        (vec!["check", "aaf", "--k", "2", "--n", "3..5"], "it divides n = 4"),
        (vec!["check", "ysm", "--n", "5", "--bound", "4"], "N must be at least n"),
        (vec!["check", "fj", "--n", "3", "--psi", "4"], "fj takes delay"),
        (vec!["check", "nothing", "--n", "3"], "protocol = nothing"),
        (vec!["check", "fj", "--n", "3", "--memory", "much"], "512M"),
        (vec!["check", "fj", "--n", "3", "--witness", "/no/such/folder/case.json"], "cannot write"),
    ] {
        let output = ringleader(&args);
        assert_eq!((code(&output), text(&output).as_str()), (2, ""), "{args:?}");
        assert!(complaint(&output).contains(words), "{args:?}: {}", complaint(&output));
    }
}

#[test]
fn interruption_keeps_what_was_checked() {
    let output = interrupted(&["check", "elim", "--n", "3,6", "--json"], |output| {
        !output.stdout.is_empty() && json(output)["checks"][0]["verdict"] != "stopped"
    });
    let checks = json(&output)["checks"].clone();
    assert_eq!(
        (code(&output), &checks[0]["verdict"], &checks[1]["verdict"]),
        (130, &literal!("holds"), &literal!("stopped"))
    );
}

#[test]
fn the_guide_shows_a_check_as_it_is() {
    let guide = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/commands.md")).unwrap();
    let shown = text(&ringleader(&["check", "fj", "--n", "3..6"]));
    assert!(
        guide.contains("`ringleader check fj --n 3..6`:") && guide.contains(&shown),
        "the guide's check is not:\n{shown}"
    );
}

// --- Definition 1 without a safe set --------------------------------------------------------------------------------

const WALK: &str = "\"\"\"The leader moves on and on.\"\"\"\nclass Agent:\n    leads: bit\n\n\
    def interact(l, r):\n    (l.leads, r.leads) = (0, 1) if l.leads and not r.leads else (l.leads, r.leads)\n\n\
    def leader(v): return v.leads == 1\n\n@promise\ndef alone(u): return sum(v.leads for v in u) == 1\n";
const FIGHT: &str = "\"\"\"Leaders that meet fight.\"\"\"\nclass Agent:\n    leads: bit\n\n\
    def interact(l, r):\n    if l.leads and r.leads: r.leads = 0\n\ndef leader(v): return v.leads == 1\n";
const RUMOUR: &str =
    "\"\"\"A rumour spreads.\"\"\"\nclass Agent:\n    x: bit\n\ndef interact(l, r): r.x = max(l.x, r.x)\n";

#[test]
fn the_safe_set_of_a_built_in_protocol_may_not_be_all_of_it() {
    let shown = text(&ringleader(&["check", "ysm", "--n", "3", "--bound", "3"]));
    assert!(shown.contains("n = 3: the safe set has 1,980 of the 16,200 safe configurations\nleft out"), "{shown}");
    let found = json(&ringleader(&["check", "ysm", "--n", "3", "--bound", "3", "--json"]))["checks"][0].clone();
    assert_eq!(
        (&found["safe"], &found["largest"], &found["left_out"]["count"]),
        (&literal!(1980), &literal!(16_200), &literal!(14_220))
    );
    let config = file(
        "left-out.json",
        &literal!({"protocol": "YSM21", "n": 3, "bound": 3, "config": found["left_out"]["config"]}).to_string(),
    );
    let facts = json(&ringleader(&["inspect", &config]));
    assert_eq!((&facts["safe"], facts["leaders"].as_array().unwrap().len()), (&literal!(false), 1));
}

#[test]
fn a_file_without_a_safe_set_is_checked_by_definition_1() {
    let rumour = file("rumour.py", RUMOUR);
    let output = ringleader(&["check", &rumour, "--n", "3..5"]);
    let shown = text(&output);
    assert_eq!(code(&output), 0, "{}", complaint(&output));
    for words in [
        "no safe set is declared; safe: no output ever changes",
        "self-stabilizing: it becomes safe with probability 1",
    ] {
        assert!(shown.contains(words), "{words} is missing:\n{shown}");
    }
    let found = json(&ringleader(&["check", &rumour, "--n", "3", "--json"]));
    let row = &found["checks"][0];
    assert_eq!(
        (&found["safe_declared"], &row["safe"], &row["largest"]),
        (&literal!(false), &literal!(2), &literal!(2))
    );

    let fight = file("fight.py", FIGHT);
    let output = ringleader(&["check", &fight, "--n", "3"]);
    let shown = text(&output);
    assert_eq!(code(&output), 1);
    for words in ["not self-stabilizing", "violated in 1 configurations", "no interaction changes anything"] {
        assert!(shown.contains(words), "{words} is missing:\n{shown}");
    }
}

#[test]
fn a_livelock_comes_with_the_loop_to_watch() {
    let (walk, path) = (file("walk.py", WALK), place("loop.json"));
    let output = ringleader(&["check", &walk, "--n", "3", "--witness", &path]);
    let shown = text(&output);
    assert_eq!(code(&output), 1, "{}", complaint(&output));
    for words in ["3 interactions lead round and back; outputs change on the way", "watch it: ringleader view"] {
        assert!(shown.contains(words), "{words} is missing:\n{shown}");
    }
    let case: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(case["initial"], case["final"]);
    assert_eq!((&case["initial_safe"], case["schedule"].as_array().unwrap().len()), (&literal!(false), 3));
}

#[test]
fn exact_goes_on_to_the_largest_safe_set() {
    let mean = |words: &[&str]| {
        let found = json(&ringleader(&[&["exact"], words, &["--start", "every", "--json"]].concat()));
        (found["until"].as_str().unwrap().to_owned(), found["mean"].as_f64())
    };
    let rumour = file("exact.py", RUMOUR);
    // One of three has heard it: 3 steps until the next hears it, then 3 more. Of 8 starts 3 have one, 3 two.
    assert_eq!(mean(&[&rumour, "--n", "3"]), ("safe by Definition 1".into(), Some((3.0 * 6.0 + 3.0 * 3.0) / 8.0)));
    let [largest, declared] = [&["--until", "largest"][..], &[]]
        .map(|until| mean(&[&["ysm", "--n", "3", "--bound", "3"], until].concat()).1.unwrap());
    assert!(largest < declared, "{largest} {declared}");
}

#[test]
fn a_run_without_a_safe_set_does_not_speak_of_safety() {
    let rumour = file("run.py", RUMOUR);
    let output = ringleader(&["run", &rumour, "--n", "8", "--start", "uniform", "--seed", "1"]);
    let shown = text(&output);
    assert_eq!(code(&output), 0, "{}", complaint(&output));
    for words in ["silent from step", "last output change at step", "when it became safe is not known"] {
        assert!(shown.contains(words), "{words} is missing:\n{shown}");
    }
    assert!(!shown.contains("safe for ever") && !shown.contains("closed safe set"), "{shown}");
    let found = json(&ringleader(&["run", &rumour, "--n", "8", "--start", "uniform", "--seed", "1", "--json"]));
    assert_eq!((&found["safe_declared"], &found["safe_set"]), (&literal!(false), &literal!("silent")));
    let walk = file("run-walk.py", WALK);
    let output = ringleader(&["run", &walk, "--n", "5", "--limit", "100", "--start", "uniform", "--seed", "3"]);
    assert!(code(&output) == 3 && text(&output).contains("not silent within 100 steps"), "{}", text(&output));
    let fight = file("run-fight.py", FIGHT);
    let output = ringleader(&["run", &fight, "--n", "5", "--limit", "100", "--start", "zero"]);
    assert!(
        text(&output).contains("silent but not safe: nothing can change any more, with 0 leaders"),
        "{}",
        text(&output)
    );
    let shown = text(&ringleader(&["run", &rumour, "--n", "8", "--trials", "5", "--seed", "1"]));
    assert!(shown.contains("first silent step") && shown.contains("silent in 5 of 5 trials"), "{shown}");
}

/// A text whose variable leaves its domain when two agents meet that are both at the end of it.
const COUNT: &str =
    "class Agent:\n    x: span(0, 5)\ndef interact(l, r):\n    if l.x == 5 and r.x >= 4:\n        r.x = r.x + 1\n";

#[test]
fn a_file_that_can_go_wrong_is_refused_before_it_runs() {
    let count = file("count.py", COUNT);
    for command in
        ["run COUNT --n 8 --start zero", "check COUNT --n 3", "exact COUNT --n 3", "run COUNT --n 3 --trials 2"]
    {
        let words: Vec<&str> = command.split(' ').map(|word| if word == "COUNT" { &count } else { word }).collect();
        let output = ringleader(&words);
        let told = complaint(&output);
        assert_eq!((code(&output), text(&output).as_str()), (2, ""), "{told}");
        for words in
            ["count.py:5:9: `x` = 6: allowed is 0 to 5", "        r.x = r.x + 1", "l.x = 5, r.x = 5; all else zero"]
        {
            assert!(told.contains(words), "{words} is missing:\n{told}");
        }
    }
    let output = ringleader(&["check", &count, "--n", "3..4", "--domains"]);
    assert!(code(&output) == 1 && text(&output).contains("r.x = r.x + 1"), "{}", text(&output));
    let mended = file("mended.py", &COUNT.replace("r.x >= 4", "r.x == 4"));
    let output = ringleader(&["check", &mended, "--n", "3..4", "--domains"]);
    assert!(code(&output) == 0 && text(&output).contains("holds for all pairs of states"), "{}", text(&output));
}

#[test]
fn a_text_that_is_too_hard_is_looked_at_while_it_runs() {
    // The divisor has more values than are tried one by one.
    let hard = COUNT.replace("r.x = r.x + 1", "r.x = 5 - 20 // (l.x + 77 * (r.x + l.x))");
    let hard = file("hard.py", &hard.replace("l.x == 5", "(l.x + 2) ** 40 > 0"));
    let output = ringleader(&["run", &hard, "--n", "4", "--start", "zero", "--limit", "10"]);
    assert!(complaint(&output).contains("is looked at while it runs"), "{}", complaint(&output));
}
