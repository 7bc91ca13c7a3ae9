//! What a user learns without reading the manual: warnings, shapes, times, grids without a file, and help with the command line.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod harness;

use std::fs;
use std::process::Output;

use harness::{complaint, file, interrupted, json, place, ringleader};

fn run(line: &str) -> Output {
    ringleader(&line.split(' ').collect::<Vec<_>>())
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", complaint(output));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Exit code 2, and these words.
fn refused(line: &str, words: &[&str]) {
    let output = run(line);
    let told = complaint(&output);
    assert!(output.status.code() == Some(2) && words.iter().all(|word| told.contains(word)), "{line}: {told}");
}

/// Of these seeds, two are a hundred times as long as the others.
#[test]
fn a_mean_that_a_few_trials_carry_is_told() {
    let line = "run --n 64 --start safe --fault agents=10,at=safe --trials 300 --seed 1";
    let shown = text(&run(line));
    assert!(shown.contains("warning: 2 of 300 trials hold 34 % of the mean: 298 are at most "), "{shown}");
    let place = |words: &str| shown.find(words).unwrap_or_else(|| panic!("{words}: {shown}"));
    assert!(place("last recovery") < place("from (log scale)") && place("from (log scale)") < place("leaders left"));
    assert!(place("leaders left") < place("first safe step  0 in all 300 trials"), "the recovery comes first: {shown}");
    let found = json(&run(&format!("{line} --json")));
    let recovery = &found["statistics"]["recovery"];
    assert_eq!(
        (recovery["carried_by"]["trials"].as_u64(), recovery["carried_by"]["of"].as_u64()),
        (Some(2), Some(300))
    );
    let counted = |list: &serde_json::Value, name: &str| -> u64 {
        list.as_array().unwrap().iter().map(|one| one[name].as_u64().unwrap()).sum()
    };
    assert_eq!(counted(&recovery["histogram"]["bins"], "count"), 300);
    assert_eq!(counted(&found["leaders_after_fault"], "trials"), 300);
    // How many leaders were left is what a trial alone says.
    let alone = json(&run("run --n 64 --start safe --fault agents=10,at=safe --seed 1 --json"));
    let left = alone["faults"][0]["leaders"].as_u64().unwrap();
    assert!(found["leaders_after_fault"].as_array().unwrap().iter().any(|one| one["leaders"].as_u64() == Some(left)));
    assert!(!text(&run("run --n 8 --trials 100 --seed 1")).contains("warning"));
}

#[test]
fn phases_say_where_the_time_goes() {
    let found = json(&run("run --n 8 --trials 40 --seed 1 --phases --json"));
    let phases = found["phases"].as_array().unwrap();
    let sum = |name: &str| phases.iter().map(|one| one[name].as_f64().unwrap()).sum::<f64>();
    assert!((sum("share") - 1.0).abs() < 1e-9, "{phases:?}");
    // S_PL comes last of all, so that durations add up to its mean first step.
    let mean = found["statistics"]["safe"]["mean"]["steps"].as_f64().unwrap();
    assert!((sum("mean_duration") / mean - 1.0).abs() < 1e-9, "{phases:?}");
    assert!(text(&run("run --n 8 --trials 40 --seed 1 --phases")).contains("where the time goes"));
    refused("run --n 8 --phases", &["--trials"]);
    refused("run --n 8 --trials 2 --phases --fault agents=1,at=safe", &["--fault"]);
    assert!(found["command"].as_str().unwrap().ends_with("--trials 40 --phases"), "{found}");
}

#[test]
fn what_takes_days_is_told_and_what_is_stopped_is_not_all_lost() {
    let told = |output: &Output| complaint(output).contains("note: at its present speed, ");
    let output = interrupted(&["run", "--n", "100000", "--seed", "1", "--trials", "3"], told);
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains("0 of 3 trials are finished"), "{shown}");
    assert!(shown.contains("were under way, the farthest at step "), "{shown}");
    let alone = interrupted(&["run", "--n", "100000", "--seed", "1"], told);
    assert!(complaint(&alone).contains(" steps are expected"), "{}", complaint(&alone));
}

/// The same trials as from the file that one would have written, to the byte but for the text itself.
#[test]
fn a_grid_needs_no_file() {
    let out = place("grid.parquet");
    let line = format!("sweep -p ppl,ysm --n 4..8 --start uniform --trials 7 --kappa 9 --limit 5000 --out {out}");
    refused(&line, &["ysm", "kappa"]);
    let line = line.replace("ppl,ysm", "ppl,ppl-prime");
    let shown = text(&run(&line));
    assert!(shown.contains(&format!("what they say: ringleader report {out}")), "{shown}");
    let written = "seed = 1\nrepeats = 7\n[[grid]]\nprotocol = ['ppl', 'ppl-prime']\nn = [4, 8]\nstart = 'uniform'\n\
                   params = { kappa = 9 }\nlimit = 5000\n";
    let same = file("same.toml", written);
    let records = place("same.parquet");
    text(&run(&format!("sweep {same} --out {records}")));
    let csv = |records: &str| text(&run(&format!("export {records} --csv")));
    assert_eq!(csv(&out), csv(&records));
    // The same command has nothing to do; with more trials, only those are run.
    let again = json(&run(&format!("{line} --json")));
    assert_eq!((again["ran"].as_u64(), again["finished"].as_u64()), (Some(0), Some(28)));
    let more = json(&run(&format!("{} --json", line.replace("--trials 7", "--trials 9"))));
    assert_eq!((more["ran"].as_u64(), more["finished"].as_u64()), (Some(8), Some(36)));
    let resume = more["command"].as_str().unwrap().trim_start_matches("ringleader ").to_owned();
    assert_eq!(json(&run(&format!("{resume} --json")))["ran"].as_u64(), Some(0), "{resume}");
}

/// A sweep of short trials and one that never ends, stopped when some of the short ones are finished.
#[test]
fn a_sweep_under_way_can_be_reported_on() {
    let (out, folder) = (place("long.parquet"), place("under-way"));
    let _ = fs::remove_file(format!("{out}.journal"));
    let text_of = "seed = 1\n[[grid]]\nprotocol = 'fj'\nn = [3, 4, 5]\nrepeats = 50\n\
                   [[grid]]\nprotocol = 'ppl'\nn = 4096\nlimit = 1e15\nrepeats = 1\n";
    let definition = file("long.toml", text_of);
    let kept = |output: &Output| !complaint(output).contains(" 0 of 151") && complaint(output).contains("are kept");
    interrupted(&["sweep", &definition, "--out", &out, "--threads", "2"], kept);
    let dry = text(&run(&format!("sweep {definition} --out {out} --dry-run")));
    assert!(dry.contains("of them are done already"), "{dry}");
    let shown = text(&run(&format!("report {out} --out {folder}")));
    assert!(shown.contains("under way") && shown.contains("short ones finish first"), "{shown}");
    assert!(fs::read_to_string(format!("{folder}/report.html")).unwrap().contains("Under way:"));
    let found = json(&run(&format!("report {out} --json")));
    assert_eq!(found["under_way"].as_array().unwrap().len(), 1);
    assert!(found["trials"].as_u64().is_some_and(|trials| trials > 0 && trials < 151), "{found}");
}

#[test]
fn a_grid_that_makes_no_sense_is_refused() {
    refused("sweep", &["--example", "--protocol ppl --n 32..512"]);
    refused("sweep -p ppl --n 8", &["--out"]);
    refused("sweep -p ppl --out a.parquet", &["--n"]);
    refused("sweep x.toml -p ppl --n 8", &["x.toml", "leave out --protocol"]);
    refused("sweep -p ppl --n 9..8 --out a.parquet", &["32..512"]);
    refused("sweep -p ppl --n 8 --start unifrm --out a.parquet", &["did you mean uniform?"]);
    refused("sweep -p ppl --n 8 --trials 0 --out a.parquet", &["--trials", "1 to 1000000"]);
    refused("sweep x.toml --trials 3", &["x.toml", "leave out"]);
    refused("sweep -p ppl --n 3..4000:1 --out a.parquet", &["3998 sizes", "at most 1000"]);
    refused("run --n -5", &["-5", "3 to 1048576"]);
    refused("run --n 32..64", &["32..64", "ringleader sweep"]);
    refused("run --seed 1e30", &["1e30", "2^64-1"]);
}

#[test]
fn the_example_is_a_definition() {
    let example = file("example.toml", &text(&run("sweep --example")));
    let dry = text(&run(&format!("sweep {example} --dry-run")));
    assert!(dry.contains("1,280 trials of 16 cells"), "{dry}");
    // On a machine that is busy with other things no guess may be made in time.
    assert!(dry.contains("about ") != dry.contains("cannot be told"), "{dry}");
    let records = example.replace(".toml", ".parquet");
    let _ = fs::remove_file(&records);
    assert!(!fs::exists(records).unwrap(), "nothing is written");
}

#[test]
fn help_fits_a_screen() {
    let help = text(&run("run -h"));
    assert!(help.lines().count() <= 55 && help.lines().all(|line| line.chars().count() <= 80), "{help}");
    let detail = text(&run("list ppl"));
    for words in ["stale-signals", "--kappa", "C_DL", "tokenB", "at=safe|STEP"] {
        assert!(detail.contains(words), "{words}: {detail}");
    }
    assert_eq!(text(&run("list -n 16 --json fj")).matches("\"assumption\"").count(), 1);
    assert_eq!(run("run fj --n 4 --seed 1").stdout, run("run -p fj --n 4 --seed 1").stdout);
    assert_eq!(run("check fj --n 3").stdout, run("check -p fj --n 3").stdout);
    refused("check --n 3", &["no protocol", "ringleader list"]);
    refused("run fj -p ppl", &["cannot be used with"]);
}

#[test]
fn names_are_suggested() {
    refused("run -p PPL", &["did you mean ppl?"]);
    refused("run -p undirectd", &["did you mean undirected?"]);
    refused("run --start unifrom", &["did you mean uniform?"]);
    refused("run --engine slicd", &["did you mean sliced?"]);
    refused("exact fj --n 3 --start evry", &["did you mean every?"]);
    refused("man swep", &["did you mean sweep?"]);
}

#[test]
fn shells_and_manuals_know_every_command() {
    let commands = ["run", "list", "sweep", "check", "exact", "completions", "man"];
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = text(&run(&format!("completions {shell}")));
        assert!(commands.iter().all(|command| script.contains(command)) && script.contains("kappa"), "{shell}");
    }
    let folder = place("pages");
    let _ = fs::remove_dir_all(&folder);
    text(&run(&format!("man --out {folder}")));
    for command in commands {
        let page = fs::read_to_string(format!("{folder}/ringleader-{command}.1")).unwrap();
        assert!(
            page == text(&run(&format!("man {command}"))) && page.contains("EXAMPLES") | page.contains("Examples"),
            "{command}"
        );
    }
    assert!(fs::read_to_string(format!("{folder}/ringleader.1")).unwrap().contains("ringleader\\-sweep"));
}
