//! Protocols that are files, as a user meets them: shown, begun, run in sweeps, recorded, and wrong in all ways.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod harness;

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use harness::{complaint, json, program, ringleader};
use serde_json::Value;
use sha2::{Digest, Sha256};

const PROTOCOLS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../protocols");

/// A folder for one test, empty.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("texts").join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// Runs a line of words in a folder.
fn within(folder: &Path, line: &str) -> Output {
    words_within(folder, &line.split(' ').collect::<Vec<_>>())
}

fn words_within(folder: &Path, words: &[&str]) -> Output {
    program().args(words).current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Runs what must end well.
fn well(folder: &Path, line: &str) -> Output {
    let output = within(folder, line);
    assert_eq!(code(&output), 0, "{line}: {}{}", complaint(&output), text(&output));
    output
}

/// Runs what must be refused, with all of these words and nothing on standard output.
fn refused(folder: &Path, line: &str, said: &[&str]) {
    let output = within(folder, line);
    let told = complaint(&output);
    assert_eq!((code(&output), text(&output).as_str()), (2, ""), "{line}: {told}");
    said.iter().for_each(|words| assert!(told.contains(words), "{line}: {words} is missing: {told}"));
}

fn builtins() -> Vec<String> {
    let list = json(&ringleader(&["list", "--n", "32", "--json"]));
    list["protocols"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
}

fn text_of(name: &str) -> Option<String> {
    std::fs::read_to_string(format!("{PROTOCOLS}/{name}.py")).ok()
}

// --- kept ---------------------------------------------------------------------------------------------------------------

#[test]
fn no_command_writes_over_the_text_it_reads() {
    let place = folder("kept");
    let own = "rules = {('x', 'y'): ('y', 'y')}\n";
    std::fs::write(place.join("mine.py"), own).unwrap();
    std::fs::hard_link(place.join("mine.py"), place.join("link")).unwrap();
    for line in [
        "run mine.py --n 4 --quiet --trace",
        "check mine.py --n 3 --quiet --witness",
        "exact mine.py --n 3 --quiet --prism",
        "exact mine.py --n 3 --quiet --drn",
        "prove mine.py --n 3 --aiger",
        "prove mine.py --n 3 --blif",
        "sweep -p mine.py --n 4 --trials 1 --quiet --out",
    ] {
        for out in ["mine.py", "./mine.py", "link"] {
            let output = within(&place, &format!("{line} {out}"));
            let told = complaint(&output);
            assert!(code(&output) == 2 && told.contains(out), "{line} {out}: {told}");
            assert_eq!(std::fs::read_to_string(place.join("mine.py")).unwrap(), own, "{line} {out}");
        }
    }
}

// --- truth --------------------------------------------------------------------------------------------------------------

/// Whether it goes wrong in a start, in a set of the ring or in an interaction too hard for the solver: nothing is shown but the error.
#[test]
fn a_text_that_goes_wrong_has_no_results() {
    let place = folder("wrong");
    let agents = "from ringleader.notation import *\nclass Agent:\n    x: span(0, 3)\n";
    let rest = "def interact(l, r):\n    r.x = l.x\ndef output(v):\n    return v.x\n";
    let start = "@start\ndef one(u):\n    for v in u: v.x = n // 2\n";
    let safe = "def safe(u):\n    return sum(v.x for v in u) // (n - len(u)) == 1\n";
    std::fs::write(place.join("start.py"), format!("{agents}{rest}{start}")).unwrap();
    std::fs::write(place.join("safe.py"), format!("{agents}{rest}{safe}")).unwrap();
    for line in ["run FILE --n 8", "run FILE --n 8 --json", "run FILE --n 8 --trials 20", "run FILE --n 8 --no-phases"]
    {
        refused(&place, &line.replace("FILE", "start.py"), &["start.py:10", "allowed is 0 to 3"]);
        refused(&place, &line.replace("FILE", "safe.py"), &["safe.py:9", "by zero"]);
    }
    refused(&place, "run start.py --n 8 --trace case.json", &["start.py:10"]);
    assert!(!place.join("case.json").exists());
    for line in ["check safe.py --n 3", "check safe.py --n 3..4 --json", "exact safe.py --n 3 --start every"] {
        refused(&place, line, &["safe.py:9", "by zero"]);
    }
}

/// An error at the start, and not a law of the library.
#[test]
fn a_start_must_give_inputs_as_they_must_be() {
    let place = folder("inputs");
    let text = "from ringleader.notation import *\nclass Agent:\n    root: given(bit)\n    x: bit\ndef interact(l, r):\n    r.x = l.x\n\
        @inputs\ndef two(u):\n    \"exactly two roots\"\n    return sum(v.root for v in u) == 2\n@start\ndef first(u):\n    u[0].root = 1\n";
    std::fs::write(place.join("p.py"), text).unwrap();
    for line in [
        "run p.py --n 4",
        "run p.py --n 4 --start zero",
        "check p.py --n 3",
        "exact p.py --n 3",
        "run p.py --n 4 --trials 3",
    ] {
        refused(&place, line, &["p.py:12:5", "def first(u)", "exactly two roots"]);
    }
}

/// Where the safe set is not closed, a run may have been in it before anybody looked; so it is looked at after the end.
#[test]
fn a_safe_set_that_is_left_again_is_told() {
    let place = folder("left");
    let open = "from ringleader.notation import *\nclass Agent:\n    b: bit\ndef interact(l, r):\n    r.b = 1 - r.b\n\
        def output(v):\n    return 0\ndef safe(u):\n    \"exactly one\"\n    return sum(v.b for v in u) == 1\n@start\ndef none(u):\n    \"none\"\n";
    std::fs::write(place.join("open.py"), open).unwrap();
    for line in
        ["run open.py --n 8 --seed 4", "run open.py --n 8 --seed 4 --trials 20", "run open.py --n 8 --no-phases"]
    {
        let output = within(&place, line);
        let shown = text(&output);
        assert_eq!(code(&output), 1, "{line}: {shown}");
        assert!(shown.contains("the safe set is not closed") && !shown.contains("for ever from"), "{line}: {shown}");
        let answer = json(&within(&place, &format!("{line} --json")));
        assert!(answer["safe_left_after"].as_u64().is_some_and(|steps| steps > 0), "{line}: {answer}");
    }
    // A leader that is kept is safe, but nobody has proven it.
    well(&place, "new kept.py");
    let shown = text(&well(&place, "run kept.py --n 8 --trials 20 --seed 1"));
    assert!(shown.contains("safe in 20 of 20 trials") && !shown.contains("not closed"), "{shown}");
    assert!(json(&well(&place, "run kept.py --n 8 --json"))["safe_left_after"].is_null());
}

// --- show ------------------------------------------------------------------------------------------------------------------

#[test]
fn texts_are_shown_to_the_byte() {
    let (place, mut shown) = (folder("show"), 0);
    for name in builtins() {
        match text_of(&name) {
            Some(own) => {
                assert_eq!(text(&well(&place, &format!("show {name}"))), own, "{name}");
                shown += 1;
            }
            None => refused(&place, &format!("show {name}"), &[&name, "written in Rust", "ppl, ppl-prime"]),
        }
    }
    assert!(shown > 10, "{shown}");
    // What a terminal would take for a colour, strange ends of lines, none at the end of the file.
    let odd = "class Agent:\r\n    x: bit  # \u{3c8} \r\ndef interact(l, r):\n    r.x = l.x";
    std::fs::write(place.join("odd.py"), odd).unwrap();
    assert_eq!(text(&well(&place, "show odd.py")), odd);
    assert_eq!(json(&well(&place, "show -p odd.py --json"))["text"], odd);
    refused(&place, "show odd.py --n 8", &["--states"]);
    refused(&place, "show ppl --psi 3", &["--psi", "--states"]);
}

#[test]
fn a_copy_is_the_same_protocol_and_a_changed_one_is_not() {
    let place = folder("copy");
    let records = |words: &str, ends: i32| {
        let output = within(&place, &format!("{words} --n 12 --start uniform --seed 5 --json"));
        assert_eq!(code(&output), ends, "{words}: {}", complaint(&output));
        let found = json(&output);
        // The names of phases are written in other ways.
        let steps = found["phases"].as_array().unwrap().iter().map(|phase| phase["step"].clone()).collect();
        (["safe", "steps", "final_hash", "last_output_change"].map(|name| found[name].clone()), Value::Array(steps))
    };
    for name in ["ppl", "ysm", "undirected"] {
        let own = text(&well(&place, &format!("show {name}")));
        std::fs::write(place.join("mine.py"), &own).unwrap();
        assert_eq!(records(&format!("run {name}"), 0), records("run mine.py", 0), "{name}");
    }
    let own = text_of("ysm").unwrap();
    std::fs::write(place.join("mine.py"), own.replacen("(2, 1, 0)", "(2, 0, 0)", 1)).unwrap();
    // Who fires without a shield may be hit: the safe set is not closed any more, which is told.
    assert_ne!(records("run ysm --limit 2000", 0), records("run mine.py --limit 2000", 1));
}

#[test]
fn states_are_counted_as_list_counts_them() {
    let place = folder("states");
    // Some are more than 64 bits hold, so they are compared as they are written.
    let digits = |output: &Output| {
        let text = text(output);
        text.split("\"states\":").nth(1).unwrap().split([',', '}']).next().unwrap().to_owned()
    };
    for name in builtins().into_iter().filter(|name| text_of(name).is_some()) {
        let found = well(&place, &format!("show {name} --states --n 32 --json"));
        let states = digits(&found);
        assert_eq!(states, digits(&well(&place, &format!("list {name} --n 32 --json"))), "{name}");
        let variables = json(&found)["variables"].as_array().unwrap().clone();
        let product: u128 = variables.iter().map(|one| u128::from(one["values"].as_u64().unwrap())).product();
        assert_eq!(product.to_string(), states, "{name}");
    }
    // 12 values of dist, and 1 + 11 * 4 of each of two tokens.
    let shown = text(&well(&place, "show ppl --states --n 64"));
    for line in ["dist          12  span(0, 2 * psi - 1)", "token      2,025  pair(maybe(", "|Q| = 2,727,729,043,200"] {
        assert!(shown.contains(line), "{line} is missing:\n{shown}");
    }
    let more = json(&well(&place, "show ppl --states --n 64 --psi 7 --json"));
    assert_eq!((&more["settings"]["psi"], &more["variables"][2]["values"]), (&7.into(), &14.into()));
    refused(&place, "show ppl --states --n 64 --psi 2", &["2^psi must be at least n"]);
}

#[test]
fn latex_has_every_line_of_the_paper_once() {
    let place = folder("latex");
    let numbers = |latex: &str| -> Vec<u32> {
        latex.split("\\nlset{").skip(1).map(|rest| rest.split('}').next().unwrap().parse().unwrap()).collect()
    };
    assert_eq!(numbers(&text(&well(&place, "show ppl --latex"))), (1..=62).collect::<Vec<_>>());
    for name in builtins().into_iter().filter(|name| text_of(name).is_some()) {
        let latex = text(&well(&place, &format!("show {name} --latex")));
        let asked = text_of(&name).unwrap();
        let written = |line: &&str| line.rsplit_once("# ").is_some_and(|(_, end)| end.parse::<u32>().is_ok());
        assert_eq!(numbers(&latex).len(), asked.lines().filter(written).count(), "{name}");
        let braces = |brace: char| latex.replace("\\{", "").replace("\\}", "").matches(brace).count();
        assert_eq!(braces('{'), braces('}'), "{name}");
        let document = text(&well(&place, &format!("show {name} --latex --standalone")));
        assert!(document.starts_with("\\documentclass") && document.contains(&latex), "{name}");
    }
}

// --- new -------------------------------------------------------------------------------------------------------------------

#[test]
fn what_new_writes_works_as_it_says() {
    let place = folder("new");
    for (name, option) in [("a.py", ""), ("b c.py", "--rules"), ("-d.py", "--undirected"), ("e.py", "--from=fj")] {
        let path = format!("./{name}");
        let mut words = vec!["new", &path, "--json"];
        words.extend((!option.is_empty()).then_some(option));
        let output = words_within(&place, &words);
        assert_eq!(code(&output), 0, "{name}: {}", complaint(&output));
        let commands = json(&output)["commands"].as_array().unwrap().clone();
        assert!(commands.len() >= 5, "{commands:?}");
        for command in commands.iter().map(|command| command.as_str().unwrap()) {
            let Some(rest) = command.strip_prefix("ringleader ").filter(|rest| !rest.starts_with("view")) else {
                continue;
            };
            // As a shell takes it, with our binary.
            let line = format!("{} {rest}", env!("CARGO_BIN_EXE_ringleader"));
            let done = std::process::Command::new("sh").args(["-c", &line]).current_dir(&place).output().unwrap();
            assert_eq!(done.status.code(), Some(0), "{command}: {}", complaint(&done));
        }
        let output = words_within(&place, &["check", &path, "--n", "3..9", "--domains"]);
        assert!(
            code(&output) == 0 && text(&output).contains("holds for all pairs of states"),
            "{}",
            complaint(&output)
        );
    }
    // Self-stabilizing, all of it by definition 1.
    let found = json(&well(&place, "check a.py --n 3..5 --json"));
    for check in found["checks"].as_array().unwrap() {
        assert_eq!((&check["verdict"], &check["safe"], &check["largest"]), (&"holds".into(), &check["n"], &check["n"]));
    }
}

#[test]
fn new_writes_over_nothing() {
    let place = folder("over");
    std::fs::write(place.join("mine.py"), "mine").unwrap();
    refused(&place, "new mine.py", &["mine.py is there already"]);
    assert_eq!(std::fs::read_to_string(place.join("mine.py")).unwrap(), "mine");
    for name in ["mine", "mine.txt", ".py", "mine.py.bak"] {
        refused(&place, &format!("new {name}"), &["ends in .py", "mine.py"]);
        assert!(!place.join(name).exists(), "{name}");
    }
    refused(&place, "new none/mine.py", &["cannot write none/mine.py"]);
    refused(&place, "new other.py --from thue-morse", &["written in Rust"]);
    refused(&place, "new other.py --from ppll", &["did you mean ppl"]);
    assert!(!place.join("other.py").exists());
}

// --- Sweeps ----------------------------------------------------------------------------------------------------------------

const DEFINITION: &str =
    "seed = 7\nrepeats = 6\n[[grid]]\nprotocol = [\"mine.py\", \"fj\"]\nn = [4, 6]\nstart = \"leaderless\"\n";

/// A definition and its file in a folder within another one.
fn sweep_in(name: &str) -> PathBuf {
    let place = folder(name);
    let inner = place.join("exp");
    std::fs::create_dir_all(&inner).unwrap();
    std::fs::write(inner.join("mine.py"), text_of("ysm").unwrap()).unwrap();
    std::fs::write(inner.join("a.toml"), DEFINITION).unwrap();
    place
}

fn rows(place: &Path, records: &str) -> String {
    text(&well(place, &format!("export {records} --csv")))
}

#[test]
fn a_sweep_finds_its_files_from_its_definition_and_keeps_their_texts() {
    let place = sweep_in("sweep");
    well(&place, "sweep exp/a.toml --quiet");
    let meta = json(&well(&place, "export exp/a.parquet --meta"))["files"][0].clone();
    let (own, file) = (text_of("ysm").unwrap(), &meta["texts"][0]);
    assert_eq!((&file["name"], &file["text"]), (&"mine.py".into(), &own.as_str().into()));
    let hash: String = Sha256::digest(own.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(file["hash"], hash);
    // The trials are those of the protocol whose text it is, but for their seeds, which come from the name.
    let first = rows(&place, "exp/a.parquet").lines().nth(1).unwrap().to_owned();
    assert!(first.contains("mine.py"), "{first}");
    // Nothing but the records is needed to make them again.
    let again = folder("again");
    std::fs::write(again.join("b.toml"), meta["definition"].as_str().unwrap()).unwrap();
    well(&again, "sweep b.toml --quiet");
    assert_eq!(rows(&again, "b.parquet"), rows(&place, "exp/a.parquet"));
    let report = json(&well(&again, "report b.parquet --json"));
    assert_eq!(report["series"].as_array().unwrap().len(), 2, "{report}");
    well(&again, "report b.parquet");
    well(&again, "table1 b.parquet");
    assert!(text(&well(&place, "sweep exp/a.toml --quiet")).contains("complete"), "the same again");
}

#[test]
fn a_sweep_whose_file_has_changed_is_refused() {
    let place = sweep_in("changed");
    well(&place, "sweep exp/a.toml --quiet");
    let own = text_of("ysm").unwrap();
    std::fs::write(place.join("exp/mine.py"), format!("{own}# a word\n")).unwrap();
    for line in ["sweep exp/a.toml --quiet", "sweep exp/a.toml --dry-run"] {
        refused(&place, line, &["another definition", "the text of mine.py has changed", "--out"]);
    }
    // What is only added is run, and the rest is not.
    std::fs::write(place.join("exp/mine.py"), &own).unwrap();
    std::fs::write(place.join("exp/a.toml"), DEFINITION.replace("repeats = 6", "repeats = 8")).unwrap();
    let found = json(&well(&place, "sweep exp/a.toml --quiet --json"));
    assert_eq!((&found["ran"], &found["trials"]), (&8.into(), &32.into()));
}

#[test]
fn shards_of_a_file_merge_only_if_it_was_the_same() {
    let place = sweep_in("shards");
    well(&place, "sweep exp/a.toml --quiet --out whole.parquet");
    well(&place, "sweep exp/a.toml --quiet --out part.parquet --shard 1/2");
    // A task of a job array has a copy of the definition, and no file beside it.
    let plan = json(&well(&place, "sweep exp/a.toml --slurm --dry-run --json --out whole2.parquet"));
    assert_eq!(plan["trials"], 24);
    let meta = json(&well(&place, "export part.1of2.parquet --meta"))["files"][0].clone();
    std::fs::write(place.join("copy.toml"), meta["definition"].as_str().unwrap()).unwrap();
    well(&place, "sweep copy.toml --quiet --out part.parquet --shard 2/2");
    well(&place, "merge part.1of2.parquet part.2of2.parquet --out merged.parquet");
    let bytes = |name: &str| std::fs::read(place.join(name)).unwrap();
    assert!(bytes("merged.parquet") == bytes("whole.parquet"), "a sweep that was divided is the same to the byte");
    std::fs::remove_file(place.join("part.2of2.parquet")).unwrap();
    std::fs::write(place.join("exp/mine.py"), text_of("ysm").unwrap() + "\n# another\n").unwrap();
    well(&place, "sweep exp/a.toml --quiet --out part.parquet --shard 2/2");
    refused(&place, "merge part.1of2.parquet part.2of2.parquet --out no.parquet", &["different definitions"]);
}

#[test]
fn a_grid_takes_files_too() {
    let place = sweep_in("grid");
    well(&place, "sweep -p exp/mine.py,fj --n 4,6 --trials 3 --out g.parquet --quiet");
    well(&place, "sweep --protocol=exp/mine.py --n 4,6 --trials 3 --out h.parquet --quiet --bound 9");
    let found = rows(&place, "g.parquet");
    assert_eq!((found.lines().count(), found.matches("exp/mine.py").count()), (13, 6), "{found}");
    assert!(rows(&place, "h.parquet").contains(",9,"));
}

#[test]
fn rings_of_all_sizes_are_one_series_though_a_parameter_follows_n() {
    let place = folder("follows");
    let own = text_of("ysm").unwrap().replace("bound", "size");
    assert!(own.contains("size: Param = n"), "{own}");
    std::fs::write(place.join("mine.py"), own).unwrap();
    let settings = |line: &str| -> Vec<serde_json::Value> {
        well(&place, &format!("sweep -p mine.py --n 4,6,8 --trials 3 --quiet {line}"));
        let report = json(&well(&place, "report out.parquet --json"));
        report["series"].as_array().unwrap().iter().map(|series| series["settings"].clone()).collect()
    };
    assert_eq!(settings("--out out.parquet"), [serde_json::json!({"size-default": 0.0})]);
    std::fs::remove_file(place.join("out.parquet")).unwrap();
    assert_eq!(settings("--out out.parquet --size 9"), [serde_json::json!({"size": 9.0})]);
}

#[test]
fn a_definition_says_what_is_wrong_with_its_files() {
    let place = sweep_in("wrong");
    let (file, definition) = (place.join("exp/mine.py"), place.join("exp/a.toml"));
    std::fs::write(&file, "class Agent:\n    x: bits\ndef interact(l, r):\n    r.y = 1\n").unwrap();
    refused(&place, "sweep exp/a.toml", &["mine.py:2:8", "bits", "mine.py:4:"]);
    let output = within(&place, "sweep exp/a.toml --json");
    let error: Value = serde_json::from_str(&complaint(&output)).unwrap();
    assert_eq!((error["problems"][0]["line"].as_u64(), &error["exit_code"]), (Some(2), &2.into()), "{error}");
    std::fs::remove_file(&file).unwrap();
    refused(&place, "sweep exp/a.toml", &["exp/mine.py", "from the folder of the definition"]);
    std::fs::create_dir(&file).unwrap();
    refused(&place, "sweep exp/a.toml", &["exp/mine.py", "a folder"]);
    std::fs::remove_dir(&file).unwrap();
    std::fs::write(&file, [0xff, 0xfe, 0]).unwrap();
    refused(&place, "sweep exp/a.toml", &["cannot read exp/mine.py"]);
    std::fs::write(&file, "# ".repeat(600_000)).unwrap();
    refused(&place, "sweep exp/a.toml", &["mine.py: it is longer than 1 MiB"]);
    let own = text_of("fj").unwrap();
    std::fs::write(&file, format!("{own}#{}", " ".repeat((1 << 20) - 1 - own.len()))).unwrap();
    refused(&place, "sweep exp/a.toml", &["bytes with its files", "at most 1048576"]);
    let part = DEFINITION.to_owned() + "[texts]\n\"other.py\" = 'x: bit'\n";
    std::fs::write(&definition, part).unwrap();
    refused(&place, "sweep exp/a.toml", &["other.py:1"]);
    let own = text_of("fj").unwrap().replace('\\', "");
    std::fs::write(&definition, format!("{DEFINITION}[texts]\n\"other.py\" = '''\n{own}'''\n")).unwrap();
    refused(&place, "sweep exp/a.toml", &["mine.py is not among its `texts`"]);
}

/// What a solver does not decide within a second goes wrong while it runs: nothing of it is kept.
#[test]
fn no_trial_of_a_text_that_went_wrong_is_kept() {
    let place = folder("fault");
    let hard = "class Agent:\n    x: span(0, 5)\ndef interact(l, r):\n    if r.x >= 0:\n        \
                r.x = 5 - 20 // (l.x + 77 * (r.x + l.x))\n@start\ndef ones(u):\n    for v in u: v.x = randint(0, 1)\n";
    std::fs::write(place.join("hard.py"), hard).unwrap();
    let output = within(&place, "sweep -p hard.py --n 5 --trials 4 --limit 1000 --out a.parquet --quiet");
    assert_eq!(code(&output), 2, "{}", text(&output));
    assert!(complaint(&output).contains("hard.py:5:"), "{}", complaint(&output));
    assert!(!place.join("a.parquet").exists());
    let before = within(&place, "sweep -p hard.py --n 5 --trials 4 --limit 1000 --out a.parquet --dry-run --json");
    assert_eq!(json(&before)["done"], 0);
}

// --- Cases -----------------------------------------------------------------------------------------------------------------

#[test]
fn a_case_of_a_file_needs_the_file_no_more() {
    let (place, other) = (folder("cases"), folder("elsewhere"));
    let file = place.join("my file.py");
    std::fs::write(&file, text_of("ysm").unwrap()).unwrap();
    let output = words_within(
        &place,
        &["run", "my file.py", "--n", "6", "--seed", "3", "--fault", "agents=2,at=safe", "--trace", "case.json"],
    );
    assert_eq!(code(&output), 0, "{}", complaint(&output));
    assert!(text(&output).contains("run --protocol 'my file.py' --n 6"), "{}", text(&output));
    std::fs::remove_file(&file).unwrap();
    let case = place.join("case.json").display().to_string();
    let replayed = json(&words_within(&other, &["replay", &case, "--json"]));
    assert!(replayed["compared"].as_array().unwrap().iter().all(|one| one["as_expected"] == true), "{replayed}");
    let inspected = json(&words_within(&other, &["inspect", &case]));
    assert_eq!((&inspected["n"], &inspected["C_PB"]), (&6.into(), &false.into()), "{inspected}");
    // Another text does something else, and that is found.
    std::fs::write(other.join("new.py"), text_of("ysm").unwrap().replacen("(2, 1, 0)", "(2, 0, 0)", 1)).unwrap();
    let output = words_within(&other, &["replay", &case, "--protocol", "new.py", "--json"]);
    assert!(code(&output) == 1 && complaint(&output).contains("step "), "{}", complaint(&output));
    // A text that was damaged is told as any other.
    let damaged = std::fs::read_to_string(&case).unwrap().replace("def interact", "def interacts");
    std::fs::write(other.join("damaged.json"), damaged).unwrap();
    refused(&other, "replay damaged.json", &["my file.py:", "there is no transition"]);
}

// --- Names and what is behind them -----------------------------------------------------------------------------------------

#[test]
fn files_that_are_no_protocols_are_named_as_what_they_are() {
    let place = folder("strange");
    std::fs::create_dir(place.join("folder.py")).unwrap();
    std::fs::write(place.join("empty.py"), "").unwrap();
    std::fs::write(place.join("binary.py"), [b'#', 0xff, 0, 1]).unwrap();
    std::fs::write(place.join("huge.py"), "# much\n".repeat(300_000)).unwrap();
    std::fs::write(place.join("mine.py"), text_of("fj").unwrap()).unwrap();
    for command in
        ["run", "list", "show", "check --n 3", "exact --n 3", "inspect -p", "view --no-open", "run --trials 3 -p"]
    {
        let with = |name: &str| format!("{command} {name}");
        refused(&place, &with("folder.py"), &["folder.py: it is a folder"]);
        refused(&place, &with("empty.py"), &["empty.py:1:1", "there is no transition"]);
        refused(&place, &with("binary.py"), &["binary.py: it is no text: byte 2"]);
        refused(&place, &with("huge.py"), &["huge.py: it is longer than 1 MiB"]);
        refused(&place, &with("mime.py"), &["mime.py: there is no such file", "did you mean mine.py?"]);
        refused(&place, &with("none/ppl.py"), &["ringleader show ppl > none/ppl.py"]);
        refused(&place, &with("zzzzzzzz.py"), &["ringleader new zzzzzzzz.py"]);
    }
    refused(&place, "run mine.py --psi 3", &["parameter = psi", "delay"]);
    refused(&place, "run --trials 3 -p mine.py --start none", &["start = none", "two-leaders"]);
}

#[test]
fn names_of_files_may_be_strange_and_alike() {
    let place = folder("alike");
    std::fs::create_dir_all(place.join("a")).unwrap();
    let (fj, ysm) = (text_of("fj").unwrap(), text_of("ysm").unwrap());
    for (name, text) in [("ppl.py", &fj), ("a/ppl.py", &ysm), ("-x y.py", &fj), ("\u{e4}.py", &fj), ("it's.py", &fj)] {
        std::fs::write(place.join(name), text).unwrap();
    }
    let name_of = |words: &[&str]| json(&words_within(&place, words))["protocol"].as_str().unwrap().to_owned();
    let run = ["run", "--n", "4", "--seed", "1", "--json", "-p"];
    for name in ["ppl.py", "a/ppl.py", "./-x y.py", "\u{e4}.py", "it's.py", "ppl"] {
        assert_eq!(name_of(&[&run[..], &[name]].concat()), name);
    }
    // A file does not take the place of a protocol whose name it has, nor do files of one stem meet.
    let steps = |name: &str| json(&words_within(&place, &[&run[..], &[name]].concat()))["safe"].clone();
    assert_eq!((steps("ppl.py"), steps("a/ppl.py")), (steps("fj"), steps("ysm")));
    let repeat = text(&words_within(&place, &["run", "it's.py", "--n", "4", "--seed", "1"]));
    assert!(repeat.contains(r"'it'\''s.py'"), "{repeat}");
    // An option that is written to is no protocol.
    let output = within(&place, "run ppl.py --n 4 --seed 1 --trace out.py");
    assert!(code(&output) == 0 && place.join("out.py").exists(), "{}", complaint(&output));
}

#[test]
fn all_problems_of_a_file_are_told_with_their_places() {
    let place = folder("problems");
    std::fs::write(
        place.join("bad.py"),
        "class Agent:\n    x: bits\ndef interact(l, r):\n    while l.x:\n        r.x = 1\n",
    )
    .unwrap();
    let output = within(&place, "run bad.py --json");
    let error: Value = serde_json::from_str(&complaint(&output)).unwrap();
    assert_eq!((code(&output), &error["kind"], &error["exit_code"]), (2, &"error".into(), &2.into()));
    assert_eq!((&error["problems"][0]["line"], &error["problems"][0]["column"]), (&2.into(), &8.into()), "{error}");
    let problem = &error["problems"][1];
    let place_of = ["line", "column", "end_line", "end_column"].map(|name| problem[name].as_u64().unwrap());
    assert_eq!((problem["file"].as_str(), place_of[0], place_of[1]), (Some("bad.py"), 4, 5), "{problem}");
    assert!(problem["message"].as_str().unwrap().contains("while") && !problem["help"].as_str().unwrap().is_empty());
    // One that is found while it is made for a ring has a place as well.
    std::fs::write(place.join("small.py"), "class Agent:\n    x: span(0, n - 9)\ndef interact(l, r):\n    r.x = l.x\n")
        .unwrap();
    let error: Value = serde_json::from_str(&complaint(&within(&place, "run small.py --n 8 --json"))).unwrap();
    assert_eq!((&error["problems"][0]["line"], &error["problems"][0]["column"]), (&2.into(), &8.into()), "{error}");
    let error: Value = serde_json::from_str(&complaint(&within(&place, "run ppl --n 2 --json"))).unwrap();
    assert_eq!(error["problems"].as_array().unwrap().len(), 0, "{error}");
}
