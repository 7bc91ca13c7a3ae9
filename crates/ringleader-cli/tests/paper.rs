//! `ringleader paper`: the statements have the numbers of the paper, nothing is missing, and every command that is named works.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod harness;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Output;

use harness::{complaint, json, program, ringleader};
use serde_json::Value;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Labels and numbers as LaTeX wrote them into the .aux file of the paper, in its order.
const LABELS: &str = "\
    def:ss-le 1, lem:base 1, lem:whp_expected 2, theorem:main 1, lem:impossible 3, def:invalid 3, note:invalid 1, def:token_complete 4, \
    lem:complete 4, lem:keep_construction 5, lem:enter_detection 6, def:lottery 5, lem:upper_wl 7, lem:lower_wl 8, lem:absorbed 9, \
    lem:never_kill 10, lem:new_live_bullet 11, lem:once_peaceful 12, lem:cpb_closed 13, cor:cpb_cnz 1, def:correct 6, rem:correct 1, \
    rem:get_incorrect 2, def:srl 8, lem:safe 14, lem:get_peaceful 15, lem:cpb 16, lem:lone 17, lem:srl_variant 18, lem:srl 19, def:ro 9, \
    lem:obstacle 20, theorem:ssro 2, claim:disappear 1, theorem:undirected 3, lem:chernoff 21, note:derandomize 4, lem:red_increase 22, \
    lem:red_decrease 23, theorem:two-hop 4";
/// Statements without a label, by the numbers that are missing between the others.
const UNLABELLED: [&str; 7] =
    ["Definition 2", "Note 2", "Definition 7", "Note 3", "Definition 10", "Definition 11", "Definition 12"];

fn statements(words: &[&str]) -> Vec<Value> {
    let listed = json(&ringleader(&[&["paper", "--json"], words].concat()));
    listed["statements"].as_array().unwrap().clone()
}

fn titles(words: &[&str]) -> Vec<String> {
    statements(words).iter().map(|one| one["title"].as_str().unwrap().to_owned()).collect()
}

fn evidence(statement: &Value) -> Vec<Value> {
    statement["evidence"].as_array().unwrap().clone()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// "Lemma 14" of "lem:safe 14".
fn titled(label: &str) -> (String, String) {
    let (label, number) = label.split_once(' ').unwrap();
    let (kind, name) = label.split_once(':').unwrap();
    let kinds = ["Definition", "Lemma", "Theorem", "Corollary", "Remark", "Note", "Claim"];
    let kind = kinds.into_iter().find(|known| known.to_lowercase().starts_with(kind)).unwrap();
    (format!("{kind} {number}"), name.to_owned())
}

#[test]
fn statements_have_the_numbers_that_latex_gives_them() {
    let found = statements(&[]);
    let numbered = found.iter().filter(|one| one["numbered"] == true);
    let pair = |one: &Value| (one["title"].as_str().unwrap().to_owned(), one["name"].as_str().unwrap().to_owned());
    let labelled: Vec<_> =
        numbered.clone().map(pair).filter(|(title, _)| !UNLABELLED.contains(&title.as_str())).collect();
    let expected: Vec<_> = LABELS.split(", ").map(titled).collect();
    assert_eq!(labelled, expected);
    assert_eq!(numbered.count(), expected.len() + UNLABELLED.len(), "and nothing else has a number");
    assert_eq!((expected.len(), UNLABELLED.len()), (40, 7));
    // Numbers count up without a gap, kind by kind.
    for kind in ["Definition", "Lemma", "Theorem", "Corollary", "Remark", "Note", "Claim"] {
        let numbers: Vec<usize> =
            found.iter().filter_map(|one| one["title"].as_str()?.strip_prefix(kind)?.trim().parse().ok()).collect();
        assert_eq!(numbers, (1..=numbers.len()).collect::<Vec<_>>(), "{kind}");
    }
}

#[test]
fn a_statement_is_found_by_number_name_and_claim() {
    for words in [&["Lemma 14"][..], &["lemma", "14"], &["lemma14"], &["14"], &["safe"], &["safe-literal"]] {
        assert_eq!(titles(words), ["Lemma 14"], "{words:?}");
    }
    assert_eq!(titles(&["cpb-closed"]), ["Lemma 13"]);
    assert_eq!(titles(&["srl"]), ["Definition 8", "Lemma 19"]);
    assert_eq!(titles(&["needed_ids"]), ["Definition 8"]);
    assert_eq!(titles(&["2"]), ["Definition 2", "Lemma 2", "Note 2", "Remark 2", "Theorem 2"]);
    for (words, says) in [
        (&["Lema 14"][..], "did you mean \"Lemma 14\"?"),
        (&["99"], "allowed is a number or a name"),
        (&["never_kil"], "did you mean \"never_kill\"?"),
    ] {
        let output = ringleader(&[&["paper"], words].concat());
        assert_eq!((output.status.code(), text(&output).as_str()), (Some(2), ""), "{words:?}");
        assert!(complaint(&output).contains(says), "{words:?}: {}", complaint(&output));
    }
}

/// A claim belongs to a statement of the paper or, as ours, to a place in it.
#[test]
fn every_claim_belongs_to_a_statement() {
    let claims = json(&ringleader(&["prove", "--list", "--json"]))["claims"].clone();
    let name = |one: &Value| one["claim"].as_str().unwrap().to_owned();
    let known: BTreeSet<String> = claims.as_array().unwrap().iter().map(name).collect();
    let found = statements(&[]);
    let named = found.iter().flat_map(evidence).flat_map(|one| one["claims"].as_array().unwrap().clone());
    let named: BTreeSet<String> = named.map(|claim| claim.as_str().unwrap().to_owned()).collect();
    assert_eq!(named, known);
    let plain: BTreeSet<String> = known.iter().map(|name| name.replace('-', "_")).collect();
    assert_eq!(plain.len(), known.len(), "two claims have the same name but for hyphens");
    // The paper does not number these.
    let ours: Vec<_> = found.iter().filter(|one| one["numbered"] == false).flat_map(evidence).collect();
    let ours: Vec<_> = ours.iter().flat_map(|one| one["claims"].as_array().unwrap().clone()).collect();
    let texts = ["ppl-text", "ppl-prime-text", "por-text", "pcl-text", "ysm-text"];
    let others = ["ysm-safe", "ysm-convergence", "ysm-distances"];
    assert_eq!(ours, [&["cpb-lone-closed", "one-kappa"][..], &texts, &others].concat());
}

/// Proofs are long: their commands are only parsed. All others run here and now, where they are said to.
#[test]
fn every_command_works() {
    let commands: BTreeSet<String> =
        statements(&[]).iter().flat_map(evidence).filter_map(|one| Some(one["command"].as_str()?.to_owned())).collect();
    assert!(commands.len() > 40, "{}", commands.len());
    for command in commands {
        let mut words: Vec<&str> = command.split(' ').collect();
        let program_name = words.remove(0);
        if program_name == "cargo" {
            let test = words.pop().unwrap();
            assert!(is_a_test(test), "{command}");
            continue;
        }
        assert_eq!(program_name, "ringleader", "{command}");
        if words[0] == "prove" {
            words.push("--list");
        }
        let output = program().args(&words).current_dir(ROOT).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{command}: {}", complaint(&output));
    }
}

/// Whether a test of this name is where those that are named are.
fn is_a_test(name: &str) -> bool {
    let files = [
        "crates/ringleader/src/protocols/ppl/sets.rs",
        "crates/ringleader-verify/tests/chances.rs",
        "crates/ringleader-verify/tests/signals.rs",
        "crates/ringleader-records/tests/whp.rs",
    ];
    let text = files.map(|file| std::fs::read_to_string(Path::new(ROOT).join(file)).unwrap()).concat();
    text.contains(&format!("#[test]\n    fn {name}()")) || text.contains(&format!("#[test]\nfn {name}()"))
}

/// Rings that a command asks for, as `n`, `psi` and `kappa`; 0 if it does not say.
fn rings(command: &str) -> Vec<[usize; 3]> {
    let words: Vec<&str> = command.split(' ').collect();
    let option = |name: &str| words.iter().position(|word| *word == name).map(|k| words[k + 1]);
    let range = |part: &str| -> Vec<usize> {
        let (from, to) = part.split_once("..").unwrap_or((part, part));
        (from.parse().unwrap()..=to.parse().unwrap()).collect()
    };
    let numbers = |name: &str, default: &str| -> Vec<usize> {
        option(name).unwrap_or(default).split(',').flat_map(range).collect()
    };
    let most: Option<usize> = option("--most-psi").map(|most| most.parse().unwrap());
    let (n, psi, kappa) = (numbers("--n", "0"), numbers("--psi", "0"), numbers("--kappa", "1"));
    let all = psi.iter().flat_map(|&psi| n.iter().map(move |&n| (n, psi)));
    let all = all.flat_map(|(n, psi)| kappa.iter().map(move |&kappa| [n, psi, kappa]));
    all.filter(|[n, psi, _]| most.is_none_or(|most| *n <= most * psi)).collect()
}

/// What is said to be proven stands in the record of what was decided, ring by ring.
#[test]
fn what_is_proven_is_recorded() {
    let record = ["proofs", "proofs-every-n"].map(|name| std::fs::read_to_string(format!("{ROOT}/records/{name}.txt")));
    let record = record.map(Result::unwrap).concat();
    let rows: Vec<Vec<&str>> = record.lines().map(|line| line.split_whitespace().collect()).collect();
    let is_recorded = |claim: &str, ring: [usize; 3]| {
        let fits = |cell: &str, value: usize| cell == "any" || value == 0 || cell.parse() == Ok(value);
        let is_it = |row: &&Vec<&str>| {
            row.len() >= 8 && row[0] == claim && (0..3).all(|k| fits(row[1 + k], ring[k])) && row[7] != "unknown:"
        };
        rows.iter().any(|row| is_it(&row))
    };
    let known = json(&ringleader(&["prove", "--list", "--json"]))["claims"].clone();
    let false_ones: Vec<Value> = known
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["must_fail"] == true)
        .map(|one| one["claim"].clone())
        .collect();
    let mut looked = 0;
    for one in statements(&[]).iter().flat_map(evidence).filter(|one| one["how"] == "proven") {
        // Those that are known to be false are decided in tests, and their witnesses are in paper/witnesses.
        for claim in one["claims"].as_array().unwrap().iter().filter(|claim| !false_ones.contains(claim)) {
            for ring in rings(one["command"].as_str().unwrap()) {
                assert!(is_recorded(claim.as_str().unwrap(), ring), "{claim} at {ring:?} is not recorded: {one}");
                looked += 1;
            }
        }
    }
    assert!(looked > 400, "{looked}");
}

/// What is not addressed says why and names no command; everything else names one.
#[test]
fn nothing_is_left_unsaid() {
    for statement in statements(&[]) {
        for one in evidence(&statement) {
            let not = one["how"] == "not addressed";
            assert_eq!(one["command"].is_null(), not, "{statement}");
            assert!(one["what"].as_str().unwrap().len() > 5, "{statement}");
            let proves = !one["claims"].as_array().unwrap().is_empty();
            assert_eq!(proves, ["proven", "sharp", "refuted"].contains(&one["how"].as_str().unwrap()), "{statement}");
        }
    }
}

#[test]
fn proofs_md_shows_the_same_table() {
    let page = std::fs::read_to_string(format!("{ROOT}/PROOFS.md")).unwrap();
    let table = text(&ringleader(&["paper", "--markdown"]));
    assert!(page.contains(&table), "the table of PROOFS.md is not that of `ringleader paper --markdown`");
}

#[test]
fn the_list_fits_80_columns() {
    let shown = text(&ringleader(&["paper"]));
    assert_eq!(shown.lines().find(|line| line.chars().count() > 80), None);
    assert!(
        shown.contains("Lemma 14      safe               proven: psi = 2..7, all n = 3..min(7psi, 44),"),
        "{shown}"
    );
    // Commands are not broken, so that they can be copied.
    let one = text(&ringleader(&["paper", "Definition 8"]));
    let wide: Vec<&str> = one.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(wide.iter().all(|line| line.starts_with("      ringleader ")), "{one}");
}
