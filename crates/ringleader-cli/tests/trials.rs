//! `run --trials` as a user meets it: the same from any number of threads, each trial the same as alone, none dropped.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod harness;

use std::process::Output;

use harness::{complaint, interrupted, json, ringleader};
use serde_json::Value;

fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn run(line: &str) -> Output {
    ringleader(&line.split(' ').collect::<Vec<_>>())
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().unwrap().clone()
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for line in [
        "run --n 8 --trials 203 --seed 5 --json",
        "run --protocol pcl --n 9 --trials 31 --seed 5 --json",
        "run --n 8 --start uniform --fault agents=8,at=safe --trials 30 --limit 400 --seed 18446744073709551600 --json",
    ] {
        let one = run(&format!("{line} --threads 1"));
        for threads in ["2", "7"] {
            let other = run(&format!("{line} --threads {threads}"));
            assert_eq!((code(&other), &other.stdout), (code(&one), &one.stdout), "{line}: {}", complaint(&other));
        }
        assert_eq!(run(line).stdout, one.stdout, "{line}: on all cores");
    }
}

#[test]
fn each_trial_is_the_run_of_its_seed_alone() {
    let line = "run --n 8 --start uniform --kappa 9 --fault agents=3,at=safe --limit 3000";
    let all = json(&run(&format!("{line} --trials 12 --seed 18446744073709551610 --json")));
    let trials = list(&all["trials"]);
    let seeds: Vec<u64> = trials.iter().map(|trial| trial["seed"].as_u64().unwrap()).collect();
    assert_eq!(seeds, (0..12).map(|k| 18_446_744_073_709_551_610_u64.wrapping_add(k)).collect::<Vec<_>>());
    for trial in &trials {
        let alone = json(&run(&format!("{line} --seed {} --json", trial["seed"])));
        for name in ["safe", "last_output_change", "censored"] {
            assert_eq!(trial[name], alone[name], "{name} of {alone}");
        }
        assert_eq!(trial["recovery"], alone["faults"][0]["recovery"], "{alone}");
    }
}

#[test]
fn the_commands_of_all_and_of_the_slowest_repeat() {
    let all = json(&run("run --n 8 --kappa 9 --trials 20 --seed 3 --json"));
    let again = |command: &Value| {
        let words = command.as_str().unwrap().strip_prefix("ringleader ").unwrap();
        json(&run(&format!("{words} --json")))
    };
    assert_eq!(again(&all["command"]), all);
    let slowest = again(&all["slowest"]["command"]);
    let most = list(&all["trials"]).iter().map(|trial| trial["safe"].as_u64().unwrap()).max().unwrap();
    assert_eq!((&slowest["safe"], &slowest["seed"]), (&most.into(), &all["slowest"]["seed"]));
    assert!(!list(&slowest["phases"]).is_empty(), "alone, its phases are shown");
}

/// The statistics again, from the list of trials alone and in other words.
#[test]
fn the_statistics_are_those_of_the_listed_trials() {
    let all = json(&run("run --n 8 --trials 100 --seed 1 --json"));
    for name in ["safe", "last_output_change"] {
        let steps: Vec<u64> = list(&all["trials"]).iter().map(|trial| trial[name].as_u64().unwrap()).collect();
        let shown = &all["statistics"][name];
        let mean = steps.iter().sum::<u64>() as f64 / 100.0;
        let squares: f64 = steps.iter().map(|&step| (step as f64).powi(2)).sum();
        // t(99) = 1.984216952 from a table.
        let half = 1.984_216_952 * ((squares - 100.0 * mean * mean) / 99.0 / 100.0).sqrt();
        let near = |value: &Value, expected: f64| (value.as_f64().unwrap() - expected).abs() < 1e-6 * expected;
        assert!(near(&shown["mean"]["steps"], mean) && near(&shown["mean"]["parallel_time"], mean / 8.0), "{shown}");
        let ends = &shown["mean"]["interval"];
        assert!(near(&ends[0], mean - half) && near(&ends[1], mean + half), "{ends}: {mean} -+ {half}");
        for quantile in list(&shown["quantiles"]) {
            let (percent, value) =
                (quantile["percent"].as_u64().unwrap(), quantile["value"]["steps"].as_u64().unwrap());
            let up_to = |bound: u64| steps.iter().filter(|&&step| step <= bound).count() as u64;
            assert!(steps.contains(&value) && up_to(value) >= percent && up_to(value - 1) < percent, "{quantile}");
        }
        // The ranks 40 and 61 enclose the median of 100 values.
        let median = &shown["quantiles"][2]["interval"];
        let mut sorted = steps.clone();
        sorted.sort_unstable();
        assert_eq!((&median[0]["steps"], &median[1]["steps"]), (&sorted[39].into(), &sorted[60].into()));
        assert_eq!((&shown["minimum"]["steps"], &shown["maximum"]["steps"]), (&sorted[0].into(), &sorted[99].into()));
        assert_eq!((shown["count"].as_u64(), shown["censored"].as_u64()), (Some(100), Some(0)));
    }
}

#[test]
fn censored_trials_are_kept() {
    let (limit, line) = (7_500, "run --n 8 --trials 40 --seed 1 --limit 7500");
    let output = run(&format!("{line} --json"));
    let all = json(&output);
    let cut = list(&all["trials"]).iter().filter(|trial| trial["safe"].is_null()).count();
    assert!(cut > 4 && cut < 20, "the limit cuts {cut} of 40, which this test does not fit");
    assert_eq!((code(&output), all["censored"].as_u64(), list(&all["trials"]).len()), (3, Some(cut as u64), 40));
    let safe = &all["statistics"]["safe"];
    assert_eq!((&safe["mean"]["exact"], &safe["mean"]["interval"][1]), (&false.into(), &Value::Null));
    let known: u64 = list(&all["trials"]).iter().map(|trial| trial["safe"].as_u64().unwrap_or(limit)).sum();
    assert_eq!(safe["mean"]["steps"].as_f64().unwrap(), known as f64 / 40.0);
    for quantile in list(&safe["quantiles"]) {
        let known = quantile["percent"].as_u64().unwrap() * 40 <= (40 - cut as u64) * 100;
        assert_eq!(quantile["value"]["exact"], known, "{quantile}");
        assert!(known || quantile["value"]["steps"] == limit, "{quantile}");
    }
    let output = run(line);
    let shown = text(&output);
    assert_eq!(code(&output), 3);
    for word in [format!("{cut} of 40 trials met the limit"), "mean (lower bound)".into(), "> 7,500".into()] {
        assert!(shown.contains(&word), "{word} is missing:\n{shown}");
    }
}

#[test]
fn people_see_a_table_that_fits_80_columns() {
    for line in [
        "run --n 8 --trials 50 --seed 1 --threads 2",
        "run --n 8 --trials 2 --seed 1 --threads 2 --fault agents=2,at=safe --limit 7500",
        "run --n 1000 --trials 2 --seed 1 --threads 2 --limit 100",
    ] {
        let output = run(line);
        let shown = text(&output);
        let words = ["first safe step", "last output change", "mean", "95 % from", "median", "99 %", "maximum"];
        for word in words.iter().chain(&["seeds 1 to", "2 threads", "slowest: seed", "repeat it alone: ringleader run"])
        {
            assert!(shown.contains(word), "{line}: {word} is missing:\n{shown}");
        }
        assert_eq!(shown.contains("last recovery"), line.contains("--fault"), "{shown}");
        let wide: Vec<&str> =
            shown.lines().filter(|line| line.chars().count() > 80 && !line.starts_with("repeat")).collect();
        assert_eq!(wide, Vec::<&str>::new(), "{line}");
        assert!(!shown.contains('\u{1b}') && complaint(&output).is_empty(), "no colours, no bar without a terminal");
        assert_eq!(text(&run(line)), shown, "nothing differs between two runs");
    }
}

#[test]
fn one_trial_has_no_intervals() {
    let output = run("run --n 8 --trials 1 --seed 1");
    assert_eq!((code(&output), text(&output).lines().filter(|line| line.ends_with("-")).count()), (0, 8));
    let all = json(&run("run --n 8 --trials 1 --seed 1 --json"));
    assert_eq!(all["statistics"]["safe"]["mean"]["interval"], Value::Null);
}

#[test]
fn bad_values_are_refused() {
    for (line, words) in [
        ("run --trials 0", ["'0'", "1 to 10000000"]),
        ("run --trials some", ["some", "1 to 10000000"]),
        ("run --trials 1e8", ["1e8", "1 to 10000000"]),
        ("run --trials -1", ["-1", "1 to 10000000"]),
        ("run --trials 2 --threads 0", ["'0'", "1 to 4096"]),
        ("run --trials 2 --threads 4097", ["4097", "1 to 4096"]),
        ("run --threads 2", ["--trials", "required"]),
        ("run --trials 2 --trace case.json", ["--trace", "cannot be used with"]),
        ("run --trials 2 --n 2", ["n = 2", "3 to 1048576"]),
        ("run --trials 200 --n 8 --fault agents=9,at=safe", ["agents = 9", "1 to n = 8"]),
        ("run --trials 200 --n 8 --limit 5 --fault agents=1,at=6", ["at = 6", "limit of the run is 5"]),
    ] {
        let output = run(line);
        let complaint = complaint(&output);
        assert_eq!((code(&output), text(&output).as_str()), (2, ""), "{line}: {complaint}");
        assert!(words.iter().all(|word| complaint.contains(word)), "{line}: {complaint}");
        assert!(!complaint.contains("panicked"), "{line}: {complaint}");
    }
}

/// What a line says when it is interrupted at its work.
fn interrupt(line: &str, begun: impl Fn(&Output) -> bool) -> Output {
    interrupted(&line.split(' ').collect::<Vec<_>>(), begun)
}

/// Trials of an hour each, and very many short ones.
#[test]
fn interruption_shows_what_is_finished() {
    let said = |output: &Output| !output.stdout.is_empty();
    let output = interrupt("run --n 8192 --trials 4 --threads 2 --seed 1 --json", said);
    let none = json(&output);
    assert_eq!((code(&output), none["finished"].as_u64(), list(&none["trials"])), (130, Some(0), Vec::new()));
    let many = "run --n 16 --trials 1e7 --threads 2 --seed 1";
    let output = interrupt(&format!("{many} --json"), |output| said(output) && json(output)["finished"] != 0);
    let some = json(&output);
    let finished = some["finished"].as_u64().unwrap();
    assert_eq!((code(&output), &some["interrupted"]), (130, &true.into()));
    assert!(finished > 0 && finished < 10_000_000);
    assert_eq!(some["statistics"]["safe"]["count"], finished);
    assert_eq!(list(&some["trials"]).len() as u64, finished);
    let output = interrupt(many, said);
    assert_eq!(code(&output), 130);
    let told = text(&output);
    let none = told.contains(": 0 of");
    assert!(told.contains("of 10,000,000 trials are finished"), "{told}");
    assert!(told.contains("the figures are too low") != none && told.contains("quantiles are") != none, "{told}");
    let output = interrupt("run --n 8192 --trials 4 --threads 2 --seed 1", said);
    let told = text(&output);
    assert!(told.contains("0 of 4 trials are finished\n") && !told.contains("the figures"), "{told}");
}

/// A text, and a protocol in the lanes of one, where the system refuses to make memory executable: the interpreter runs, that is told, and
/// nothing else is different.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn without_executable_memory_the_interpreter_runs() {
    let refuse = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/harness/refuse.py");
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../protocols/elim.py");
    for protocol in [file, "fj"] {
        let words = ["run", "--protocol", protocol, "--n", "16", "--trials", "64", "--seed", "1", "--engine", "sliced"];
        let usual = ringleader(&words);
        let mut python = std::process::Command::new("python3");
        let refused = python.arg(refuse).arg(env!("CARGO_BIN_EXE_ringleader")).args(words).output().unwrap();
        assert_eq!((code(&usual), text(&usual)), (0, text(&refused)), "{}", complaint(&refused));
        let (told, usually) = (complaint(&refused), complaint(&usual));
        assert!(told.contains("the interpreter runs"), "{protocol}: {told}");
        // A processor without wide words has no machine code anyway.
        assert!(!usually.is_empty() || told.contains("the system refuses executable memory"), "{protocol}: {told}");
        let interpreted = ringleader(&[&words[..words.len() - 1], &["sliced-interpreted"]].concat());
        assert_eq!((text(&interpreted), complaint(&interpreted)), (text(&usual), String::new()));
    }
}
