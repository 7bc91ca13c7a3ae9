//! What commands print as JSON is what `docs/ringleader.schema.json` says, by a validator that is not ours.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod harness;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Output, Stdio};

use boon::{Compiler, SchemaIndex, Schemas};
use harness::{complaint, file, interrupted, json, place, program, ringleader};
use serde_json::Value;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const SMALL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/records/small.parquet");
const CUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/records/cut.parquet");
const CASE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/ppl_41_n6_psi3_k5.json");

struct Schema {
    text: Value,
    schemas: Schemas,
    index: SchemaIndex,
}

impl Schema {
    fn new() -> Self {
        let text = std::fs::read_to_string(format!("{ROOT}/docs/ringleader.schema.json")).unwrap();
        let text: Value = serde_json::from_str(&text).unwrap();
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource("http://localhost/schema", text.clone()).unwrap();
        let index = compiler.compile("http://localhost/schema", &mut schemas).unwrap();
        Self { text, schemas, index }
    }

    /// All kinds of answers.
    fn kinds(&self) -> BTreeSet<String> {
        let kinds = self.text["properties"]["kind"]["enum"].as_array().unwrap();
        kinds.iter().map(|kind| kind.as_str().unwrap().to_owned()).collect()
    }

    fn complaint(&self, answer: &Value) -> Option<String> {
        self.schemas.validate(answer, self.index).err().map(|error| format!("{error:#}"))
    }

    fn accepts(&self, words: &[&str], answer: &Value, kind: &str) {
        assert_eq!(answer["kind"], kind, "{words:?}: {answer}");
        assert_eq!(self.complaint(answer), None, "{words:?}: {answer}");
    }
}

/// Kinds that need a browser or a cluster, or are written to a file; they are looked at elsewhere, `view` and `certificates` below and Slurm's
/// in `tests/slurm.rs`.
const NEED_MORE: [&str; 7] =
    ["view", "certificates", "smt2", "slurm_submitted", "slurm_complete", "slurm_status", "slurm_cancelled"];

/// Commands with the kind of their answers; all that ends by itself.
fn commands() -> Vec<(Vec<String>, &'static str)> {
    let definition = file(
        "schema.toml",
        "seed = 1\nrepeats = 3\n[[grid]]\nprotocol = \"ppl\"\nn = [4, 5]\nfaults = [\"\", \"agents=1,at=safe\"]\nphases = true\n",
    );
    let (records, shards, merged) = (place("schema.parquet"), place("shards.parquet"), place("merged.parquet"));
    let (bad, fresh) = (file("bad.py", "class Agent:\n    x: bits\n"), place("fresh.py"));
    let shard = |k: u32| shards.replace(".parquet", &format!(".{k}of2.parquet"));
    let (first, second) = (shard(1), shard(2));
    // What a run before has left would be taken for a sweep that is done.
    [&first, &second].iter().for_each(|path| drop(std::fs::remove_file(path)));
    let lines = [
        ("run --n 8 --seed 1", "run"),
        ("run --n 8 --seed 1 --limit 5 --fault agents=2,at=0", "run"),
        ("run --protocol undirected-derandomised --n 5 --kappa 3 --seed 1", "run"),
        ("run --protocol por --n 5 --seed 1 --no-phases", "run"),
        ("run --n 8 --seed 1 --trials 12", "trials"),
        ("run --n 8 --seed 1 --trials 1 --limit 5", "trials"),
        ("run --n 8 --seed 1 --trials 5 --phases", "trials"),
        ("run --n 8 --seed 1 --trials 5 --start safe --fault agents=2,at=safe", "trials"),
        ("list", "list"),
        ("list ppl --n 7", "list"),
        ("check fj --n 3..4", "check"),
        ("check elim --n 3 --everywhere", "check"),
        ("check ppl --n 3", "check"),
        ("check ppl --n 3,9 --domains", "domains"),
        ("show ppl", "show"),
        ("show fj --latex --standalone", "show"),
        ("show undirected --states --n 8", "show"),
        ("prove --protocol fj --n 3", "proofs"),
        ("prove --protocol fj --list", "text_claims"),
        ("exact fj --n 3 --start every --quantiles 30", "exact"),
        ("exact elim --n 3 --start every", "exact"),
        ("prove safe impossible get_peaceful-once one-kappa --n 3,8 --psi 2", "prove"),
        ("prove complete --psi 3 --time 0", "prove"),
        ("prove needed-ids --n 3 --psi 2", "prove"),
        ("prove convergence --n 3 --psi 2 --premises", "prove"),
        ("prove every-safe every-safe-ids --psi 2", "prove"),
        ("prove --list", "claims"),
        ("paper", "paper"),
        ("paper Lemma 14", "paper"),
    ];
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let mut all: Vec<_> = lines.iter().map(|(line, kind)| (words(line), *kind)).collect();
    let with_files: [(Vec<&str>, &str); 18] = [
        (vec!["replay", CASE], "replay"),
        (vec!["inspect", CASE], "inspect"),
        (vec!["sweep", &definition, "--out", &records, "--dry-run"], "plan"),
        (vec!["sweep", &definition, "--out", &merged, "--slurm", "--dry-run"], "slurm_plan"),
        (vec!["sweep", &definition, "--out", &records], "sweep"),
        (vec!["sweep", &definition, "--out", &shards, "--shard", "1/2"], "sweep"),
        (vec!["sweep", &definition, "--out", &shards, "--shard", "2/2"], "sweep"),
        (vec!["merge", &first, &second, "--out", &merged], "merge"),
        (vec!["export", &merged], "rows"),
        (vec!["export", SMALL, CUT], "rows"),
        (vec!["export", SMALL, &records, "--meta"], "records"),
        (vec!["report", SMALL, CUT], "report"),
        (vec!["report", &records], "report"),
        (vec!["table1", SMALL], "table1"),
        (vec!["run", "--n", "2"], "error"),
        (vec!["new", &fresh], "new"),
        (vec!["run", &fresh, "--n", "8", "--seed", "1"], "run"),
        (vec!["run", &bad], "error"),
    ];
    all.extend(with_files.into_iter().map(|(words, kind)| (words.into_iter().map(str::to_owned).collect(), kind)));
    all
}

/// What a command says with `--json`, on standard output or, if that is empty, on standard error.
fn answer(words: &[&str]) -> Value {
    let output = ringleader(&[words, &["--json"]].concat());
    if output.stdout.is_empty() { of_stderr(&output) } else { json(&output) }
}

fn of_stderr(output: &Output) -> Value {
    serde_json::from_slice(&output.stderr).unwrap_or_else(|error| panic!("{error}: {}", complaint(output)))
}

#[test]
fn every_command_prints_what_the_schema_says() {
    let (schema, mut seen) = (Schema::new(), BTreeSet::from(NEED_MORE.map(str::to_owned)));
    for (words, kind) in commands() {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let answer = answer(&words);
        schema.accepts(&words, &answer, kind);
        changed(&schema, &answer);
        seen.insert(kind.to_owned());
    }
    assert_eq!(seen, schema.kinds(), "a kind that no command was seen to print, or the other way round");
}

/// The canary: a key more, a key less and another type are noticed, in the answer and in the objects of its lists.
fn changed(schema: &Schema, answer: &Value) {
    let refused = |answer: &Value, what: &str| assert!(schema.complaint(answer).is_some(), "{what}: {answer}");
    // What `inspect` says beyond P_PL is the protocol's own.
    for key in answer.as_object().unwrap().keys() {
        let mut less = answer.clone();
        less.as_object_mut().unwrap().remove(key);
        refused(&less, &format!("without {key}"));
        let mut other = answer.clone();
        other[key] = serde_json::json!({"surprise": [1.5]});
        refused(&other, &format!("{key} is something else"));
        if let Some(Value::Object(_)) = answer[key].get(0)
            && !["final", "worst_start"].contains(&key.as_str())
        {
            let mut more = answer.clone();
            more[key][0]["surprise"] = "x".into();
            refused(&more, &format!("more in {key}"));
        }
    }
    let mut more = answer.clone();
    more["surprise"] = 1.into();
    refused(&more, "a key more");
}

#[cfg(feature = "prove")]
#[test]
fn manifests_are_what_the_schema_says() {
    let schema = Schema::new();
    for (folder, words) in [
        ("of-claims", &["prove", "safe", "convergence", "--n", "4", "--psi", "2", "--premises"][..]),
        ("of-a-text", &["prove", "--protocol", "fj", "--n", "3"]),
    ] {
        let folder = place(folder);
        let output = ringleader(&[words, &["--certificate", &folder]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", complaint(&output));
        let manifest = std::fs::read_to_string(format!("{folder}/manifest.json")).unwrap();
        let manifest: Value = serde_json::from_str(&manifest).unwrap();
        schema.accepts(words, &manifest, "certificates");
        changed(&schema, &manifest);
    }
    let words = ["prove", "--every-n", "--json", "--smt2", &place("of-smt")];
    schema.accepts(&words, &serde_json::from_slice(&ringleader(&words).stdout).unwrap(), "smt2");
}

#[test]
fn every_command_has_the_option() {
    let help = String::from_utf8(ringleader(&["--help"]).stdout).unwrap();
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // A command stands two columns in; what is said of it may go on in the next line.
    let commands = commands.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    let speaking: Vec<&str> = commands.filter(|name| !["help", "completions", "man"].contains(name)).collect();
    assert!(speaking.len() >= 14, "{speaking:?}");
    for name in speaking {
        let help = String::from_utf8(ringleader(&[name, "--help"]).stdout).unwrap();
        assert!(help.contains("--json"), "{name}");
    }
}

/// Cases and witnesses of every protocol.
#[test]
fn replay_and_inspect_print_what_the_schema_says() {
    let (schema, mut looked) = (Schema::new(), 0);
    for folder in [format!("{ROOT}/paper/witnesses"), format!("{}/tests/conformance", env!("CARGO_MANIFEST_DIR"))] {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let path = path.to_str().unwrap();
            if path.ends_with("predicates_pl.json") {
                continue;
            }
            for kind in ["replay", "inspect"] {
                schema.accepts(&[kind, path], &answer(&[kind, path]), kind);
            }
            looked += 1;
        }
    }
    assert!(looked > 25, "{looked}");
    let started = place("started.json");
    for protocol in json(&ringleader(&["list", "--json"]))["protocols"].as_array().unwrap() {
        let name = protocol["name"].as_str().unwrap();
        let words = ["run", "--protocol", name, "--n", "5", "--seed", "1", "--limit", "7", "--trace", &started];
        schema.accepts(&words, &answer(&words), "run");
        schema.accepts(&["inspect", name], &answer(&["inspect", &started]), "inspect");
    }
}

/// Whatever goes wrong is one object on standard error, with the exit code in it; without `--json` it is words.
#[test]
fn errors_are_objects_too() {
    let schema = Schema::new();
    let cases: [(&[&str], i64); 7] = [
        (&["run", "--n", "2"], 2),
        (&["run", "--n", "many"], 2),
        (&["walk"], 2),
        (&["replay", "/no/such/file"], 2),
        (&["prove", "everything"], 2),
        (&["prove", "impossible", "--n", "8", "--psi", "2"], 1),
        (&["exact", "fj", "--most", "10", "--start", "every"], 4),
    ];
    for (words, code) in cases {
        let output = ringleader(&[words, &["--json"]].concat());
        let error = of_stderr(&output);
        schema.accepts(words, &error, "error");
        assert_eq!((output.status.code().map(i64::from), &error["exit_code"]), (Some(code), &code.into()), "{words:?}");
        assert!(complaint(&ringleader(words)).starts_with("error: "), "{words:?}");
    }
    let output =
        interrupted(&["exact", "por", "--n", "6", "--start", "every", "--json"], |output| !output.stderr.is_empty());
    assert_eq!((&of_stderr(&output)["interrupted"], &of_stderr(&output)["exit_code"]), (&true.into(), &130.into()));
}

#[test]
fn help_is_text_even_beside_json() {
    let output = ringleader(&["run", "--json", "--help"]);
    assert!(output.status.success() && String::from_utf8(output.stdout).unwrap().contains("Usage:"));
}

#[cfg(feature = "view")]
#[test]
fn the_view_says_where_it_is_open() {
    let mut command = program();
    command.args(["view", "--port", "0", "--no-open", "--json"]).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    Schema::new().accepts(&["view"], &serde_json::from_str(&line).unwrap(), "view");
}

/// The page for people names every kind.
#[test]
fn the_page_on_json_is_complete() {
    let page = std::fs::read_to_string(Path::new(ROOT).join("docs/json.md")).unwrap();
    let missing: Vec<String> =
        Schema::new().kinds().into_iter().filter(|kind| !page.contains(&format!("`{kind}`"))).collect();
    assert_eq!(missing, Vec::<String>::new());
}
