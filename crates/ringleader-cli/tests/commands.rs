//! The commands as a user meets them, on good and on bad input.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod harness;

use std::fs::File;
use std::process::Stdio;

use harness::{complaint, file, interrupted, json, place, program, ringleader, ringleader_with_input};
use serde_json::{Value, json as literal};

fn code(output: &std::process::Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

fn text(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

// --- run ------------------------------------------------------------------------------------------------------

#[test]
fn run_shows_the_ring_the_phases_the_seed_and_how_to_repeat() {
    let output = ringleader(&["run", "--n", "32", "--seed", "5"]);
    let shown = text(&output);
    assert_eq!(code(&output), 0);
    for word in ["seed 5", "limit", "C_PB", "C_DL", "perfect", "parallel time", "/ n^2 log2 n", "safe for ever", "u_"] {
        assert!(shown.contains(word), "{word} is missing:\n{shown}");
    }
    assert!(shown.contains("repeat: ringleader run --n 32 --seed 5 --scheduler clocks"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "no colours without a terminal");
    assert_eq!(complaint(&output), "", "no progress bar without a terminal");
}

#[test]
fn pictures_fit_80_columns() {
    for args in [["run", "--n", "100"], ["run", "--n", "700"], ["run", "--n", "3"]] {
        let shown = text(&ringleader(&[&args[..], &["--seed", "1", "--start", "uniform"]].concat()));
        let wide: Vec<&str> =
            shown.lines().filter(|line| line.chars().count() > 80 && !line.starts_with("repeat:")).collect();
        assert_eq!(wide, Vec::<&str>::new());
    }
    for protocol in ["undirected", "undirected-derandomised", "por", "pcl"] {
        let shown = text(&ringleader(&["run", "--protocol", protocol, "--n", "70", "--seed", "1"]));
        let wide: Vec<&str> =
            shown.lines().filter(|line| line.chars().count() > 80 && !line.starts_with("repeat:")).collect();
        assert_eq!(wide, Vec::<&str>::new());
    }
}

#[test]
fn the_repeat_command_repeats() {
    let words = [
        "run",
        "--n",
        "16",
        "--kappa",
        "9",
        "--start",
        "uniform",
        "--fault",
        "agents=2,variable=dist,at=safe",
        "--seed",
        "3",
        "--json",
    ];
    let first = json(&ringleader(&words));
    let command = first["command"].as_str().unwrap();
    let again: Vec<&str> = command.split(' ').skip(1).chain(["--json"]).collect();
    assert_eq!(json(&ringleader(&again)), first);
}

/// The hash was confirmed by a generator written in Python that feeds the transition of `benches/ppl.cpp`. It changes only
/// with a line in the changelog.
#[test]
fn records_are_pinned() {
    let record = json(&ringleader(&["run", "--n", "64", "--seed", "1", "--scheduler", "uniform", "--json"]));
    let golden = ["safe", "last_output_change", "final_hash"].map(|name| record[name].clone());
    assert_eq!(
        golden,
        [
            literal!(1_026_381),
            literal!(1_002_905),
            literal!("7eb5b8a3233a9c4fd0b8e00268f4c98dd75da0e49d4559f6f014cc5060d77e28")
        ]
    );
}

/// The same under clocks, confirmed in the same way.
#[test]
fn records_under_clocks_are_pinned() {
    for engine in ["auto", "stepper", "sliced", "sliced-portable", "sliced-avx2"] {
        let words = ["run", "--n", "64", "--seed", "1", "--no-phases", "--engine", engine, "--json"];
        let record = json(&ringleader(&words));
        let golden = ["safe", "last_output_change", "final_hash"].map(|name| record[name].clone());
        let hash = "73a945bfb74da8247e4f23f875b2231b2a82fc8f2330fb12845607e993c5e065";
        assert_eq!(golden, [literal!(1_062_527), literal!(1_044_250), literal!(hash)], "{engine}");
    }
}

#[test]
fn an_engine_that_cannot_is_refused() {
    refused(&["run", "--engine", "fast"], &["engine = fast", "auto, stepper, sliced"]);
    refused(&["run", "--engine", "sliced", "--scheduler", "uniform"], &["engine = sliced", "clocks"]);
    refused(&["run", "--engine", "sliced", "--fault", "agents=1,at=safe"], &["engine = sliced", "faults"]);
    refused(
        &["run", "--engine", "sliced", "--protocol", "thue-morse", "--n", "8", "--no-phases"],
        &["engine = sliced", "circuit"],
    );
}

/// An engine gives the whole record, with the phases that were asked for, or says that it cannot.
#[test]
fn no_engine_drops_a_part_of_a_record() {
    for protocol in ["ppl", "ysm", "por", "pcl", "fj"] {
        let words = |engine| ["run", "--protocol", protocol, "--n", "5", "--seed", "3", "--json", "--engine", engine];
        let whole = json(&ringleader(&words("stepper")));
        assert!(!whole["phases"].as_array().unwrap().is_empty(), "{protocol} has no phases");
        for engine in ["auto", "sliced", "sliced-portable", "sliced-avx2"] {
            let output = ringleader(&words(engine));
            if code(&output) == 0 {
                assert_eq!(json(&output), whole, "{protocol}, {engine}");
            } else {
                let told = complaint(&output);
                assert!(code(&output) == 2 && told.contains("circuit") && protocol == "fj", "{told}");
            }
            assert!(code(&output) == 0 || engine != "auto", "{protocol}: auto gives way");
        }
    }
}

#[test]
fn an_unseeded_run_tells_its_seed() {
    let seeds: Vec<Value> =
        (0..2).map(|_| json(&ringleader(&["run", "--n", "4", "--start", "safe", "--json"]))["seed"].clone()).collect();
    assert_ne!(seeds[0], seeds[1]);
}

#[test]
fn a_limit_of_zero_is_valid_and_censors() {
    let output = ringleader(&["run", "--n", "8", "--limit", "0", "--seed", "1", "--json"]);
    let record = json(&output);
    assert_eq!((code(&output), &record["censored"], &record["safe"]), (3, &literal!(true), &Value::Null));
    assert_eq!(code(&ringleader(&["run", "--n", "8", "--limit", "0", "--seed", "1"])), 3);
}

#[test]
fn the_main_job_needs_no_argument() {
    let output = ringleader(&[]);
    assert_eq!(code(&output), 0);
    assert!(text(&output).contains("n = 256") && text(&output).contains("safe for ever"));
}

#[test]
fn a_start_may_come_from_a_file() {
    let case = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/ppl_13_n8_psi4_k5.json");
    let record = json(&ringleader(&["run", "--start", case, "--seed", "2", "--json"]));
    assert_eq!(
        (&record["n"], &record["settings"]["psi"], &record["settings"]["kappa"]),
        (&literal!(8), &literal!(4), &literal!(5))
    );
    let por = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/por_3_n9.json");
    assert_eq!(json(&ringleader(&["run", "--start", por, "--seed", "2", "--json"]))["protocol"], "por");
}

// --- trace and replay -----------------------------------------------------------------------------------------

fn trace_and_replay(tag: &str, args: &[&str]) -> Value {
    let path = place(&format!("trace-{tag}.json"));
    let output = ringleader(&[&["run", "--trace", &path, "--json"], args].concat());
    assert_eq!(code(&output), 0, "{tag}: {}", complaint(&output));
    let replayed = ringleader(&["replay", &path]);
    assert_eq!(code(&replayed), 0, "{tag}: {}", complaint(&replayed));
    let case: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(case["final"], json(&replayed)["final"]);
    assert!(case["hashes"].as_array().unwrap().len() <= 1000);
    case
}

#[test]
fn a_trace_replays() {
    let short = trace_and_replay("short", &["--n", "8", "--kappa", "9", "--seed", "1"]);
    assert!(short.get("schedule").is_some() && short["hashes"][0][0] == 100);
    let long = trace_and_replay("long", &["--n", "32", "--seed", "1"]);
    assert!(long.get("schedule").is_none() && long["scheduler"] == "clocks" && long["seed"] == 1);
    assert_eq!(long["hashes"].as_array().unwrap().len(), 1000);
    trace_and_replay("coins", &["--protocol", "pcl", "--n", "30", "--start", "one-color", "--seed", "1"]);
    trace_and_replay(
        "parts",
        &["--protocol", "thue-morse", "--n", "4", "--start", "uniform", "--limit", "2000", "--seed", "1"],
    );
    trace_and_replay("prime", &["--protocol", "ppl-prime", "--n", "9", "--start", "tokens", "--seed", "1"]);
    trace_and_replay(
        "derandomised",
        &["--protocol", "undirected-derandomised", "--n", "5", "--kappa", "3", "--seed", "1"],
    );
    let args = [
        "--n",
        "10",
        "--kappa",
        "9",
        "--start",
        "uniform",
        "--seed",
        "4",
        "--fault",
        "agents=10,at=100",
        "--fault",
        "agents=5,at=safe",
    ];
    let faults = trace_and_replay("faults", &args);
    assert_eq!(faults["faults"].as_array().unwrap().len(), 2);
    assert_eq!(faults["faults"][0]["step"], 100);
}

#[test]
fn replay_reads_standard_input_and_hashes_every_100_steps() {
    let case = literal!({"protocol": "P_CL", "n": 3, "initial": vec![literal!({"color": 0, "stampC": 1, "stampB": 0}); 3],
        "scheduler": "uniform", "seed": 1, "steps": 250});
    let result = json(&ringleader_with_input(&["replay", "-"], &case.to_string()));
    let times: Vec<&Value> = result["hashes"].as_array().unwrap().iter().map(|entry| &entry[0]).collect();
    assert_eq!(times, [&literal!(100), &literal!(200)]);
}

const CASE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/ppl_41_n6_psi3_k5.json");

/// The case with something changed.
fn spoiled(name: &str, change: impl Fn(&mut Value)) -> String {
    let mut case: Value = serde_json::from_str(&std::fs::read_to_string(CASE).unwrap()).unwrap();
    change(&mut case);
    file(name, &case.to_string())
}

#[test]
fn replay_says_what_matched() {
    let shown = text(&ringleader(&["replay", CASE, "--text"]));
    let matched = ["as expected  42 hashes", "as expected  final configuration", "as expected  S_PL at the end"];
    assert!(matched.iter().all(|line| shown.contains(line)) && shown.contains("leaders at the end: u_5"), "{shown}");
    let compared = json(&ringleader(&["replay", CASE]))["compared"].clone();
    assert_eq!(compared[0], literal!({"what": "hashes", "count": 42, "as_expected": true, "difference": null}));
    assert_eq!(compared.as_array().unwrap().len(), 3);
    let other = spoiled("other-hash.json", |case| case["hashes"][3][1] = "0".repeat(64).into());
    let output = ringleader(&["replay", &other, "--text"]);
    assert!(text(&output).contains("different    some of 42 hashes, the first at step 40"), "{}", text(&output));
    assert!(text(&output).contains("as expected  final configuration"), "the rest is looked at all the same");
    assert!(code(&output) == 1 && complaint(&output).contains("step 40: the hash is "), "{}", complaint(&output));
    let compared = json(&ringleader(&["replay", &other]))["compared"].clone();
    assert_eq!((&compared[0]["as_expected"], &compared[1]["as_expected"]), (&literal!(false), &literal!(true)));
    let bare = spoiled("bare.json", |case| {
        ["hashes", "final", "final_S_PL"].iter().for_each(|name| drop(case.as_object_mut().unwrap().remove(*name)));
    });
    let shown = text(&ringleader(&["replay", &bare, "--text"]));
    assert!(shown.contains("the case expects nothing") && !shown.contains("as expected"), "{shown}");
}

/// The values were changed by hand; so the reasons are known.
#[test]
fn inspect_says_which_sets_hold_and_why_not() {
    let witness = concat!(env!("CARGO_MANIFEST_DIR"), "/../../paper/witnesses/good-creates-none-n4-psi3.json");
    let shown = text(&ringleader(&["inspect", witness, "--text"]));
    assert!(
        shown.contains("yes C_DL\n") && shown.contains("no  S_PL                a token of u_1 is risky\n"),
        "{shown}"
    );
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    let facts = json(&ringleader(&["inspect", witness]));
    assert_eq!(facts["why"], literal!({"S_PL": "a token of u_1 is risky", "S_PL_literal": "a token of u_1 is risky"}));
    assert_eq!((&facts["phases"]["C_DL"], &facts["phases"]["perfect"]), (&literal!(true), &literal!(true)));
    assert_eq!(facts["settings"], literal!({"psi": 3, "kappa": 1}));
    let agent = |color: u8| literal!({"color": color, "c1": 2, "c2": 2, "dir": 7, "strong": 0});
    let config = literal!({"protocol": "P_OR", "config": [agent(1), agent(2), agent(1), agent(2), agent(3)]});
    let facts = json(&ringleader(&["inspect", &file("why-por.json", &config.to_string())]));
    assert_eq!(
        facts["why"],
        literal!({
            "two_hop_colored": "u_0 and u_2 both have colour 1",
            "memory_correct": "u_0 does not know the colours of its neighbours",
            "oriented": "u_0 points at neither of its neighbours",
        })
    );
    let agent = |stamp: u8| literal!({"color": 1, "stampC": stamp, "stampB": 0});
    let config = literal!({"protocol": "P_CL", "config": [agent(1), agent(2), agent(3)]});
    let facts = json(&ringleader(&["inspect", &file("why-pcl.json", &config.to_string())]));
    assert_eq!(facts["why"]["red_free"], "u_0 is red");
    refused(&["inspect", witness, "--text", "--json"], &["--json", "cannot be used with"]);
}

/// On a terminal there are words, unless JSON is asked for; in a pipe it is the other way round.
#[cfg(target_os = "linux")]
#[test]
fn replay_and_inspect_speak_to_whoever_reads() {
    for command in ["replay", "inspect"] {
        let on_terminal = |option: &str| {
            let line = format!("'{}' {command} '{CASE}' {option} 2> /dev/null", env!("CARGO_BIN_EXE_ringleader"));
            let output =
                std::process::Command::new("script").args(["-qec", &line, "/dev/null"]).stdin(Stdio::null()).output();
            String::from_utf8_lossy(&output.unwrap().stdout).into_owned()
        };
        let is_json = |text: &str| text.trim_start().starts_with('{');
        assert!(on_terminal("").contains("S_PL") && !is_json(&on_terminal("")), "{}", on_terminal(""));
        assert!(is_json(&on_terminal("--json")));
        assert!(is_json(&text(&ringleader(&[command, CASE]))));
        assert!(!is_json(&text(&ringleader(&[command, CASE, "--text"]))));
    }
}

// --- bad input ------------------------------------------------------------------------------------------------

/// Exit code 2, a message with these words, no panic, nothing on standard output.
fn refused(args: &[&str], words: &[&str]) {
    let output = ringleader(args);
    let complaint = complaint(&output);
    assert_eq!((code(&output), text(&output).as_str()), (2, ""), "{args:?}: {complaint}");
    assert!(words.iter().all(|word| complaint.contains(word)), "{args:?}: {complaint}");
    assert!(!complaint.contains("panicked"), "{args:?}: {complaint}");
}

#[test]
fn bad_options_are_refused() {
    refused(&["run", "--n", "2"], &["n = 2", "3 to 1048576"]);
    refused(&["run", "--n", "1048577"], &["1048577", "3 to 1048576"]);
    refused(&["run", "--n", "99999999999999999999"], &["99999999999999999999"]);
    refused(&["run", "--n", "many"], &["many", "whole number"]);
    refused(&["run", "--n", "300", "--psi", "8"], &["psi = 8", "9 to 31", "--unsound"]);
    refused(&["run", "--psi", "1"], &["psi = 1"]);
    refused(&["run", "--kappa", "0"], &["kappa = 0", "1 to 65535"]);
    refused(&["run", "--c1", "0"], &["c1 = 0"]);
    refused(&["run", "--limit", "-1"], &["-1"]);
    refused(&["run", "--seed", "x"], &["x"]);
    refused(&["run", "--protocol", "pp"], &["protocol = pp", "ppl", "undirected"]);
    refused(&["run", "--start", "nowhere"], &["start = nowhere", "leaderless", "uniform"]);
    refused(&["run", "--scheduler", "fair"], &["scheduler = fair", "uniform"]);
    refused(&["run", "--start", "wrong-id", "--n", "10"], &["2 psi = 8"]);
    refused(&["run", "--fault", "agents=1"], &["the form is"]);
    refused(&["run", "--n", "8", "--fault", "agents=9,at=safe"], &["agents = 9", "1 to n = 8"]);
    refused(&["run", "--protocol", "por", "--psi", "3"], &["psi", "por takes colors"]);
    refused(&["list", "--n", "2"], &["n = 2"]);
    refused(&["walk"], &["walk"]);
}

const AGENT: &str = r#"{"leader":0,"b":1,"dist":2,"last":0,"tokenB":[-1,1,1],"tokenW":null,"mode":"Construct","clock":0,"signalR":0,"hits":2,"bullet":2,"shield":1,"signalB":0}"#;

fn agents(change: (&str, &str)) -> String {
    format!("[{AGENT},{},{AGENT}]", AGENT.replace(change.0, change.1))
}

#[test]
fn bad_configurations_are_refused_with_agent_variable_value_and_range() {
    let bad = |tag: &str, change: (&str, &str), words: &[&str]| {
        let path = file(&format!("bad-{tag}.json"), &agents(change));
        refused(&["inspect", &path, "--psi", "3", "--kappa", "5"], words);
        refused(&["run", "--start", &path, "--psi", "3", "--kappa", "5"], words);
    };
    bad("dist", (r#""dist":2"#, r#""dist":6"#), &["agent 1", "variable dist", "= 6", "[0, 5]"]);
    bad("clock", (r#""clock":0"#, r#""clock":-1"#), &["agent 1", "variable clock", "-1", "[0, 5]"]);
    bad("token", ("[-1,1,1]", "[0,1,1]"), &["agent 1", "variable tokenB", "[0,1,1]", "[-2, -1] or [1, 3]"]);
    bad("mode", ("Construct", "Sleep"), &["agent 1", "variable mode", "Sleep", "Detect"]);
    bad("type", (r#""b":1"#, r#""b":"1""#), &["agent 1", "variable b", "[0, 1]"]);
    bad("huge", (r#""b":1"#, r#""b":1e99"#), &["agent 1", "variable b"]);
    bad("missing", (r#""hits":2,"#, ""), &["agent 1", "variable hits", "missing", "[0, 3]"]);
    let good = file("good.json", &agents(("x", "x")));
    assert_eq!(code(&ringleader(&["inspect", &good, "--psi", "3", "--kappa", "5"])), 0);
    refused(&["run", "--start", &good, "--n", "4"], &["number of agents = 3", "n = 4"]);
}

#[test]
fn bad_files_are_refused() {
    refused(&["inspect", &place("nothing.json")], &["cannot read", "nothing.json"]);
    refused(&["inspect", env!("CARGO_TARGET_TMPDIR")], &["cannot read"]);
    for (tag, content, words) in [
        ("empty", "", "line 1 column 0"),
        ("cut", "{\"protocol\":\n \"P_PL\", \"config\":[", "line 2"),
        ("number", "7", "a list of agents"),
        ("two", &format!("[{AGENT},{AGENT}]"), "3 to 1048576"),
        ("text", "[1,2,3]", "agent 0"),
        ("object", "{}", "no `config`"),
        ("unknown", r#"{"protocol":"P_X","config":[]}"#, "protocol = P_X"),
        ("psi", r#"{"psi":"x","config":[]}"#, "`psi`"),
        ("deep", &"[".repeat(100_000), "recursion limit"),
    ] {
        refused(&["inspect", &file(&format!("file-{tag}.json"), content)], &[words]);
    }
    std::fs::write(place("binary.json"), [0xff, 0xfe, 0x00]).unwrap();
    refused(&["replay", &format!("{}/binary.json", env!("CARGO_TARGET_TMPDIR"))], &["cannot read"]);
}

#[test]
fn a_gigabyte_is_refused_without_reading_it_all() {
    let path = place("huge.json");
    File::create(&path).unwrap().set_len(1 << 30).unwrap();
    refused(&["replay", &path], &["larger than the limit of 512 MiB"]);
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn bad_cases_are_refused() {
    let case = |change: &dyn Fn(&mut Value)| {
        let mut case = literal!({"protocol": "P_PL", "n": 3, "psi": 3, "kappa": 5, "schedule": [0, 1, 2]});
        case["initial"] = serde_json::from_str(&agents(("x", "x"))).unwrap();
        change(&mut case);
        case.to_string()
    };
    let bad = |tag: &str, words: &str, change: &dyn Fn(&mut Value)| {
        refused(&["replay", &file(&format!("case-{tag}.json"), &case(change))], &[words]);
    };
    assert_eq!(code(&ringleader(&["replay", &file("case-good.json", &case(&|_| ()))])), 0);
    bad("index", "schedule[1] = 3: agents are 0 to 2", &|case| case["schedule"][1] = 3.into());
    bad("negative", "`schedule`", &|case| case["schedule"][1] = literal!(-1));
    bad("pair", "right neighbour", &|case| case["schedule"][1] = literal!([1, 0]));
    bad("triple", "`schedule`", &|case| case["schedule"][1] = literal!([0, 1, 2]));
    bad("n", "number of agents = 3", &|case| case["n"] = 4.into());
    bad("time", "beyond the end", &|case| case["hashes"] = literal!([[4, "00"]]));
    bad("nothing", "neither `schedule` nor", &|case| drop(case.as_object_mut().unwrap().remove("schedule")));
    bad("protocol", "no `protocol`", &|case| drop(case.as_object_mut().unwrap().remove("protocol")));
    let undirected = literal!({"protocol": "P_CL", "n": 3, "initial": vec![literal!({"color": 0, "stampC": 1, "stampB": 0}); 3], "schedule": [0]});
    refused(&["replay", &file("case-undirected.json", &undirected.to_string())], &["[initiator, responder]"]);
}

#[test]
fn p_or_does_not_run_on_wrong_inputs_but_can_be_replayed_and_inspected() {
    let agent = r#"{"color":1,"c1":2,"c2":2,"dir":0,"strong":0}"#;
    let path = file("por-wrong.json", &format!(r#"{{"protocol":"P_OR","config":[{agent},{agent},{agent}]}}"#));
    refused(&["run", "--start", &path], &["two-hop colouring"]);
    let facts = json(&ringleader(&["inspect", &path]));
    assert_eq!(
        (&facts["two_hop_colored"], &facts["safe"], &facts["red"]),
        (&literal!(false), &literal!(false), &Value::Null)
    );
}

// --- the world ------------------------------------------------------------------------------------------------

#[test]
fn a_closed_pipe_is_no_error() {
    for args in [vec!["list"], vec!["run", "--n", "400", "--start", "safe"], vec!["--help"]] {
        let mut child = program().args(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((code(&output), complaint(&output).as_str()), (0, ""), "{args:?}");
    }
}

/// A reader that went away does not turn a failure into a success.
#[test]
fn a_closed_pipe_does_not_hide_the_verdict() {
    let case = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/ppl_41_n6_psi3_k5.json");
    let mut spoiled: Value = serde_json::from_str(&std::fs::read_to_string(case).unwrap()).unwrap();
    spoiled["hashes"][3][1] = "0".repeat(64).into();
    let spoiled = file("spoiled-pipe.json", &spoiled.to_string());
    for (args, expected) in [(vec!["replay", &spoiled], 1), (vec!["run", "--n", "8", "--limit", "5"], 3)] {
        let mut child = program().args(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        assert_eq!(code(&child.wait_with_output().unwrap()), expected, "{args:?}");
    }
}

#[test]
fn a_full_disk_is_told() {
    let full = || File::options().write(true).open("/dev/full").unwrap();
    for args in [vec!["list"], vec!["run", "--n", "8", "--start", "safe", "--json"]] {
        let output = program().args(&args).stdout(full()).output().unwrap();
        assert_eq!(code(&output), 2, "{args:?}");
        assert!(complaint(&output).contains("cannot write to standard output"), "{}", complaint(&output));
    }
    let silent = program().args(["run", "--n", "2"]).stderr(full()).output().unwrap();
    assert_eq!(code(&silent), 2, "an error that cannot be printed is still an error");
    let output = ringleader(&["run", "--n", "8", "--start", "safe", "--trace", "/dev/full"]);
    assert_eq!(code(&output), 2);
    assert!(complaint(&output).contains("cannot write /dev/full"), "{}", complaint(&output));
    assert!(text(&output).contains("safe for ever"), "what was found is shown all the same");
}

#[test]
fn a_trace_that_cannot_be_written_is_told_before_the_run() {
    refused(&["run", "--n", "4096", "--trace", "/no/such/folder/case.json"], &["cannot write", "/no/such/folder"]);
    refused(&["run", "--n", "4096", "--trace", env!("CARGO_TARGET_TMPDIR")], &["it is a directory"]);
}

#[test]
fn the_command_line_outweighs_the_file() {
    let case = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/ppl_13_n8_psi4_k5.json");
    assert_eq!(json(&ringleader(&["inspect", case]))["psi"], 4);
    assert_eq!(json(&ringleader(&["inspect", case, "--psi", "6"]))["psi"], 6);
    assert_eq!(json(&ringleader(&["inspect", case, "--c1", "3"]))["kappa"], 12);
    assert_eq!(json(&ringleader(&["run", "--start", case, "--psi", "6", "--json"]))["settings"]["psi"], 6);
}

#[test]
fn the_version_names_the_engine() {
    let shown = text(&ringleader(&["--version"]));
    assert!(shown.starts_with(concat!("ringleader ", env!("CARGO_PKG_VERSION"))), "{shown}");
    assert!(shown.contains("\nsliced engine: ") && shown.ends_with(" lanes\n"), "{shown}");
    assert_eq!(text(&ringleader(&["-V"])), concat!("ringleader ", env!("CARGO_PKG_VERSION"), "\n"));
}

/// Where nothing would look for it, Ctrl-C ends the process at once.
#[test]
fn a_command_that_waits_for_input_can_be_interrupted() {
    // Before it has begun, the signal itself ends it.
    let output = interrupted(&["inspect", "-"], |output| output.status.code().is_some());
    assert_eq!(code(&output), 130);
}

#[test]
fn interruption_shows_and_saves_what_was_done() {
    let path = place("interrupted.json");
    let output = interrupted(&["run", "--n", "8192", "--seed", "1", "--json", "--trace", &path], |output| {
        !output.stdout.is_empty() && json(output)["steps"] != 0
    });
    let record = json(&output);
    assert_eq!((code(&output), &record["interrupted"], &record["censored"]), (130, &literal!(true), &literal!(false)));
    let replayed = ringleader(&["replay", &path]);
    assert_eq!(code(&replayed), 0, "{}", complaint(&replayed));
    assert_eq!(json(&replayed)["steps"], record["steps"]);
}

/// A case of a long ring would take long to make and to write.
#[test]
fn interruption_writes_no_trace_of_a_long_ring() {
    let path = place("interrupted-long.json");
    let args = ["run", "--n", "65536", "--seed", "1", "--json", "--trace", &path];
    let output = interrupted(&args, |output| !output.stdout.is_empty());
    assert_eq!((code(&output), &json(&output)["final_hash"]), (130, &Value::Null));
    let says = format!("{path} was not written; the same run with --limit {} writes it", json(&output)["steps"]);
    assert!(complaint(&output).contains(&says), "{}", complaint(&output));
    assert!(!std::path::Path::new(&path).exists());
}

// --- list and documents ---------------------------------------------------------------------------------------

#[test]
fn list_has_every_protocol_with_exact_states() {
    let listed = json(&ringleader(&["list", "--n", "256", "--json"]));
    let names: Vec<&str> =
        listed["protocols"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    let of_the_paper = ["ppl", "ppl-prime", "por", "pcl", "pcl-derandomised", "undirected", "undirected-derandomised"];
    assert!(of_the_paper.iter().all(|name| names.contains(name)), "{names:?}");
    assert_eq!(listed["protocols"][0]["states"], 15_249_122_380_800_u64);
    assert!(names.iter().all(|name| text(&ringleader(&["list"])).contains(name)));
}

#[test]
fn the_guide_shows_the_list_as_it_is() {
    let guide = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/commands.md")).unwrap();
    let table = text(&ringleader(&["list", "--markdown"]));
    assert!(guide.contains(&table), "the protocols of docs/commands.md are not those of `ringleader list --markdown`");
}

#[test]
fn help_explains_every_command_with_examples_and_exit_codes() {
    for args in [
        vec!["--help"],
        vec!["run", "--help"],
        vec!["list", "--help"],
        vec!["replay", "--help"],
        vec!["inspect", "--help"],
        vec!["check", "--help"],
        vec!["paper", "--help"],
    ] {
        let output = ringleader(&args);
        let help = text(&output);
        // In one place, and every command says where.
        let codes = if args.len() == 1 { ["130  interrupted", "143  "] } else { ["lists the exit codes", "--help"] };
        assert!(help.contains("Examples:") && codes.iter().all(|words| help.contains(words)), "{args:?}: {help}");
    }
}

#[test]
fn the_readme_shows_a_run_as_it_is() {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md")).unwrap();
    let command = "run --n 64 --start uniform --seed 2 --scheduler uniform";
    let shown = text(&ringleader(&command.split(' ').collect::<Vec<_>>()));
    assert!(
        readme.contains(&format!("`ringleader {command}`:")) && readme.contains(&shown),
        "the README's run is not this one:\n{shown}"
    );
}
