//! `ringleader prove` and `ringleader exact` as a user meets them, on good and on bad input.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod harness;

use std::path::{Path, PathBuf};
use std::process::Output;

use harness::{complaint, interrupted, json, place, ringleader};
use serde_json::{Value, json as literal};
use sha2::{Digest, Sha256};

fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// An empty directory for one test.
fn directory(name: &str) -> String {
    let path = place(name);
    let _ = std::fs::remove_dir_all(&path);
    path
}

fn files(directory: impl AsRef<Path>, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|e| e == ending)).collect();
    found.sort();
    found
}

fn verdicts(output: &Output) -> Vec<String> {
    let rows = json(output)["rows"].clone();
    rows.as_array().unwrap().iter().map(|row| row["verdict"].as_str().unwrap().to_owned()).collect()
}

// --- prove a text ---------------------------------------------------------------------------------------------

/// The text of [FJ06]'s protocol with something else in the place of some words.
fn changed(name: &str, from: &str, to: &str) -> String {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../protocols/fj.py")).unwrap();
    assert!(text.contains(from), "{from}");
    harness::file(name, &text.replacen(from, to, 1))
}

#[test]
fn a_file_is_proven_and_a_broken_rule_has_a_witness_that_replays() {
    let right = changed("fj-right.py", "# 5", "# 5");
    let output = ringleader(&["prove", &right, "--n", "3..4"]);
    assert_eq!(code(&output), 0, "{}{}", text(&output), complaint(&output));
    assert!(text(&output).contains("12 hold, 0 fail, 0 unknown, 0 not decided"), "{}", text(&output));
    let broken = changed(
        "fj-broken.py",
        "(x.bullet, x.leader, y.bullet) = (1, 0, 0)",
        "(x.bullet, x.leader, y.bullet) = (1, 1, 0)",
    );
    let found = directory("fj-witnesses");
    let output = ringleader(&["prove", &broken, "--n", "3", "--witness", &found]);
    assert_eq!(code(&output), 1, "{}{}", text(&output), complaint(&output));
    assert!(text(&output).contains("fails at n = 3"), "{}", text(&output));
    let wrong: Vec<PathBuf> =
        files(&found, "json").into_iter().filter(|path| !path.ends_with("-exists.json")).collect();
    assert!(!wrong.is_empty());
    for path in wrong {
        let replayed = ringleader(&["replay", path.to_str().unwrap(), &broken]);
        let replayed = if code(&replayed) == 2 { ringleader(&["replay", path.to_str().unwrap()]) } else { replayed };
        assert_eq!(code(&replayed), 0, "{}: {}", path.display(), complaint(&replayed));
    }
}

#[test]
fn what_makes_no_sense_of_a_text_is_refused() {
    let right = changed("fj-refused.py", "# 5", "# 5");
    for (words, says) in [
        (&["prove", &right, "safe"][..], "stands alone"),
        (&["prove", "--protocol", "fj", "--psi", "2"], "takes delay"),
        (&["prove", "--protocol", "fj", "--k", "2"], "takes delay"),
        (&["prove", "safe", "--delay", "2"], "is for a protocol"),
        (&["prove", "safe", "--aiger", "x.aag"], "name one with --protocol"),
        (&["prove", "--protocol", "fj", "--aiger", "x.aag", "--of", "nothing"], "allowed are interact, safe"),
        (&["prove", "--protocol", "thue-morse"], "no text"),
    ] {
        let output = ringleader(words);
        assert_eq!(code(&output), 2, "{words:?}: {}", text(&output));
        assert!(complaint(&output).contains(says), "{words:?}: {}", complaint(&output));
    }
}

#[test]
fn a_graph_is_written_for_other_tools() {
    let folder = directory("graphs");
    std::fs::create_dir_all(&folder).unwrap();
    let [aag, aig, blif] = ["x.aag", "x.aig", "x.blif"].map(|name| format!("{folder}/{name}"));
    for words in [["--aiger", &aag], ["--aiger", &aig], ["--blif", &blif]] {
        let output = ringleader(&[&["prove", "--protocol", "elim", "--n", "3", "--of", "safe"][..], &words].concat());
        assert_eq!(code(&output), 0, "{}", complaint(&output));
    }
    let read = |path: &str| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
    assert!(read(&aag).starts_with("aag ") && read(&aag).contains("i0 u0.leader[0]\n"), "{}", read(&aag));
    assert!(read(&aig).starts_with("aig ") && read(&blif).contains(".model"));
}

// --- prove ----------------------------------------------------------------------------------------------------

#[test]
fn a_claim_holds_in_a_table_and_in_json() {
    let words = ["prove", "safe", "cpb_closed", "--n", "4..5", "--psi", "2,3"];
    let shown = ringleader(&words);
    assert_eq!(code(&shown), 0, "{}", complaint(&shown));
    assert!(text(&shown).contains("6 hold, 0 fail, 0 unknown, 0 not decided"), "{}", text(&shown));
    let output = ringleader(&[&words[..], &["--json"]].concat());
    assert_eq!(verdicts(&output), ["holds"; 6]);
    let first = &json(&output)["rows"][0];
    assert_eq!((&first["claim"], &first["n"], &first["psi"]), (&literal!("safe"), &literal!(4), &literal!(2)));
    assert!(first["variables"].as_u64() > Some(0) && first["clauses"].as_u64() > Some(0), "{first}");
    assert_eq!(first["kappa"], Value::Null, "every kappa_max at once");
}

#[test]
fn a_failure_has_a_witness_that_inspect_and_replay_confirm() {
    let found = directory("witnesses");
    let output = ringleader(&["prove", "impossible", "--n", "8", "--psi", "2", "--witness", &found]);
    assert_eq!(code(&output), 1, "{}", text(&output));
    let shown = text(&output);
    let told = format!("fails at n = 8, psi = 2: witness in {found}/impossible-n8-psi2.json");
    let words: Vec<&str> = shown.split_whitespace().collect();
    assert!(words.join(" ").contains(&told) && !shown.contains('{'), "{shown}");
    assert!(complaint(&output).contains("impossible fails"));
    let paths = files(&found, "json");
    let path = paths[0].to_str().unwrap();
    let facts = json(&ringleader(&["inspect", path]));
    assert_eq!((&facts["perfect"], &facts["leaders"]), (&literal!(true), &literal!([])));
    assert_eq!(code(&ringleader(&["replay", path])), 0);
}

/// A claim names what it is given, and decides it along if asked to.
#[test]
fn premises_are_named_or_decided() {
    let words = ["prove", "convergence", "--n", "3", "--psi", "2"];
    let premises = ["get_peaceful", "new_live_bullet", "once_peaceful", "cpb_closed", "safe"];
    let alone = ringleader(&words);
    assert!(text(&alone).contains("given") && text(&alone).contains("--premises decides"), "{}", text(&alone));
    let rows = json(&ringleader(&[&words[..], &["--json"]].concat()))["rows"].clone();
    let given = rows[0]["given"].as_array().unwrap();
    let mut names: Vec<&str> = given.iter().map(|one| one["claim"].as_str().unwrap()).collect();
    names.sort_unstable();
    let mut expected = premises.to_vec();
    expected.sort_unstable();
    assert_eq!(names, expected);
    assert!(given.iter().all(|one| one["verdict"].is_null()), "{given:?}");
    let with = [&words[..], &["--premises"]].concat();
    assert!(text(&ringleader(&with)).contains("decided on the same rings"));
    let found = json(&ringleader(&[&with[..], &["--json"]].concat()));
    let rows = found["rows"].as_array().unwrap();
    let convergence = rows.iter().find(|row| row["claim"] == "convergence").unwrap();
    assert!(convergence["given"].as_array().unwrap().iter().all(|one| one["verdict"] == "holds"), "{convergence}");
    // `safe` rests on `one-kappa` in turn.
    assert_eq!(rows.len(), 7, "{found}");
    for row in rows {
        assert_eq!((&row["verdict"], row["n"].as_u64().unwrap_or(3)), (&literal!("holds"), 3), "{row}");
    }
    assert!(complaint(&ringleader(&["prove", "--protocol", "fj", "--premises"])).contains("claims of the paper"));
}

/// What is known to be false must fail, and that is no error; where it holds the tool would be wrong.
#[test]
fn canaries_fail_as_they_must() {
    let output = ringleader(&["prove", "get_peaceful-once", "--n", "3"]);
    assert_eq!(code(&output), 0, "{}", complaint(&output));
    assert!(text(&output).contains("known to be false, fails at n = 3"), "{}", text(&output));
    assert!(text(&output).contains("0 hold, 0 fail, 1 fail as they must, 0 unknown"), "{}", text(&output));
    let partly = text(&ringleader(&["prove", "srl_variant-no-risky-part", "--n", "3..6", "--psi", "3"]));
    assert!(partly.contains("fails at 3 of 4 rings, first n = 4, psi = 3"), "{partly}");
    assert!(partly.contains("holds at the other ring; what is false need not fail on every ring"), "{partly}");
    let nowhere = ringleader(&["prove", "good-creates-none", "--n", "4", "--psi", "2"]);
    assert_eq!(code(&nowhere), 1);
    assert!(text(&nowhere).contains("but not on these rings"), "{}", text(&nowhere));
    assert!(complaint(&nowhere).contains("known to be false"), "{}", complaint(&nowhere));
}

#[test]
fn prove_is_a_line_for_each_claim_or_a_row_for_each_ring() {
    let words = ["prove", "safe", "cpb_closed", "--n", "3..5", "--psi", "2,4"];
    let lines = |output: Output| text(&output).lines().map(str::to_owned).collect::<Vec<_>>();
    let (short, long) = (lines(ringleader(&words)), lines(ringleader(&[&words[..], &["--every"]].concat())));
    assert_eq!((short.len(), long.len()), (6, 12), "{short:#?} {long:#?}");
    let fields = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let mut safe = fields(&short[1]);
    safe.remove(6);
    assert_eq!(safe, ["safe", "Lemma", "14", "3..5", "2,4", "any", "holds"], "without the seconds");
    assert!(short[2].starts_with("    given one-kappa; --premises") && long[1].ends_with("holds (given one-kappa)"));
    assert_eq!(fields(&long[1])[..4], ["safe", "3", "2", "any"]);
    assert_eq!(short.last(), long.last());
}

#[test]
fn everything_fits_80_columns() {
    for words in [&["prove"][..], &["prove", "--list"], &["prove", "impossible", "--n", "3..8", "--psi", "2"]] {
        let shown = text(&ringleader(words));
        let wide = shown.lines().find(|line| line.chars().count() > 80);
        assert_eq!((wide, shown.is_empty()), (None, false), "{words:?}");
    }
}

/// By the number, the label, with hyphens or underscores, in one word or two.
#[test]
fn claims_are_found_by_statement() {
    let claims = |words: &[&str]| -> Vec<String> {
        let listed = json(&ringleader(&[&["prove", "--list", "--json"], words].concat()));
        listed["claims"].as_array().unwrap().iter().map(|one| one["claim"].as_str().unwrap().to_owned()).collect()
    };
    for words in [&["Lemma 14"][..], &["Lemma", "14"], &["lemma14"], &["14"], &["LEMMA-14"]] {
        let every = ["every-safe", "every-safe-risky", "every-safe-tokens", "every-safe-ids"];
        assert_eq!(claims(words), [&["safe", "safe-literal"][..], &every].concat(), "{words:?}");
    }
    assert_eq!(claims(&["cpb-closed"]), ["cpb_closed"]);
    let both = ["cpb-lone-closed", "cpb_closed", "every-cpb_closed"];
    assert_eq!(claims(&["cpb_lone_closed", "Lemma 13", "cpb_closed"]), both);
    // With --every-n only theorems about every n are found, and a claim beside which there is none is refused.
    assert_eq!(claims(&["--every-n", "Lemma 13"]), ["every-cpb_closed"]);
    let refused = ringleader(&["prove", "--every-n", "one-kappa"]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused));
    assert!(complaint(&refused).contains("is decided ring by ring"), "{}", complaint(&refused));
    let refused = ringleader(&["prove", "every-safe", "--n", "5"]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused));
    assert!(complaint(&refused).contains("--n: these claims are about every n"), "{}", complaint(&refused));
}

#[test]
fn limits_leave_unknown_and_their_own_exit_code() {
    for (limit, says) in [(["--time", "0"], "0 s"), (["--memory", "1M"], "1 MiB of memory")] {
        let words = [&["prove", "complete", "--psi", "3..4", "--json"][..], &limit].concat();
        let output = ringleader(&words);
        assert_eq!(code(&output), 4, "{}", complaint(&output));
        assert_eq!(verdicts(&output), ["unknown"; 2]);
        assert_eq!(json(&output)["rows"][0]["limit"], says);
    }
}

#[test]
fn bad_questions_are_refused_with_what_is_allowed() {
    let cases: [(&[&str], &str); 14] = [
        (&["prove", "everything"], "allowed is a claim of `ringleader prove --list`"),
        (&["prove", "cbp_closed"], "did you mean \"cpb_closed\"?"),
        (&["prove", "Lemma", "5"], "Lemma 5 (keep_construction): no claim is about it"),
        (&["prove", "safe", "--n", "2..5"], "each from 3 to 512"),
        (&["prove", "safe", "--n", "8..3"], "a range such as 3..8"),
        (&["prove", "safe", "--n", "513"], "each from 3 to 512"),
        (&["prove", "safe", "--n", "many"], "each from 3 to 512"),
        (&["prove", "safe", "--psi", "1"], "each from 2 to 31"),
        (&["prove", "convergence", "--kappa", "0"], "each from 1 to 65535"),
        (&["prove", "safe", "--n", "40", "--psi", "2", "--most-psi", "3"], "hold no point"),
        (&["prove", "safe", "--memory", "much"], "such as 512M or 4G"),
        (&["prove", "safe", "--time", "soon"], "--time"),
        (&["prove", "safe", "--witness", "/dev/null/x"], "/dev/null/x"),
        (&["prove", "safe", "--certificate", "/dev/null/x"], "/dev/null/x"),
    ];
    for (words, says) in cases {
        let output = ringleader(words);
        assert_eq!(code(&output), 2, "{words:?}: {}", complaint(&output));
        assert!(complaint(&output).contains(says), "{words:?}: {}", complaint(&output));
        assert_eq!(text(&output), "", "{words:?}");
    }
}

#[test]
fn interruption_keeps_what_was_decided() {
    let words = ["prove", "convergence", "--n", "3..16", "--psi", "4", "--threads", "1", "--json"];
    let output = interrupted(&words, |output| !output.stdout.is_empty() && !verdicts(output).is_empty());
    assert_eq!(code(&output), 130);
    let table = json(&output);
    assert_eq!((&table["interrupted"], &table["asked"]), (&literal!(true), &literal!(14)));
    assert!(verdicts(&output).iter().all(|verdict| verdict == "holds"), "{table}");
}

/// The comments of a formula say what it is about, and the manifest has the hashes of all files.
#[test]
fn certificates_are_written_whole_and_say_what_they_are_for() {
    let folder = directory("certificates");
    let words = ["prove", "cpb_closed", "srl_variant", "--n", "4", "--psi", "2", "--certificate", &folder];
    let output = ringleader(&words);
    assert_eq!(code(&output), 0, "{}", complaint(&output));
    let (formulas, proofs) = (files(&folder, "cnf"), files(&folder, "drat"));
    // In P_PL and in P'_PL, and one for the word.
    assert_eq!((formulas.len(), proofs.len()), (3, 3));
    for (formula, proof) in formulas.iter().zip(&proofs) {
        let formula = std::fs::read_to_string(formula).unwrap();
        let (comments, clauses): (Vec<&str>, Vec<&str>) = formula.lines().partition(|line| line.starts_with("c "));
        let sizes: Vec<usize> = clauses[0].split(' ').filter_map(|word| word.parse().ok()).collect();
        assert!(clauses[0].starts_with("p cnf ") && clauses.len() == sizes[1] + 1, "{}", clauses[0]);
        assert_eq!(comments[0], format!("c ringleader {}", env!("CARGO_PKG_VERSION")));
        assert!(comments[1].starts_with("c claim ") && comments[2].starts_with("c for n = 4"), "{comments:#?}");
        let named = |name: &str| comments.iter().filter(|line| line.contains(name)).count();
        assert_eq!(named("is u_0.leader[0] before"), 1, "{comments:#?}");
        assert!(named("] after ") > 0 && named("c code bullet:") == 1, "{comments:#?}");
        let variables =
            comments.iter().filter_map(|line| line.strip_prefix("c variable ")?.split(' ').next()?.parse().ok());
        let known = variables.map(|variable: i64| variable.unsigned_abs() as usize).collect::<Vec<_>>();
        assert!(known.len() > 10 && known.iter().all(|&variable| variable >= 1 && variable <= sizes[0]), "{known:?}");
        assert!(std::fs::read_to_string(proof).unwrap().ends_with("0\n"));
    }
    let manifest = std::fs::read_to_string(format!("{folder}/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    let rows = manifest["rows"].as_array().unwrap();
    assert_eq!(rows[1]["given"], literal!([{"claim": "cpb_closed", "verdict": "holds"}]));
    let mut listed: Vec<String> = Vec::new();
    for made in rows.iter().flat_map(|row| row["formulas"].as_array().unwrap()) {
        assert_eq!(made["folded"], false, "{made}");
        for ending in ["cnf", "drat"] {
            let name = made[ending].as_str().unwrap();
            let bytes = std::fs::read(format!("{folder}/{name}")).unwrap();
            let hash: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(made[format!("{ending}_sha256")], hash, "{name}");
            listed.push(name.to_owned());
        }
    }
    assert_eq!(listed.len(), 6);
}

/// Where the gates alone decide a claim, no formula is left, and that is said.
#[test]
fn what_folds_away_is_said_to() {
    let folder = directory("folded");
    let words = ["prove", "srl_variant", "--n", "3", "--psi", "3", "--every"];
    let shown = text(&ringleader(&words));
    let found =
        json(&ringleader(&["prove", "srl_variant", "--n", "3", "--psi", "3", "--certificate", &folder, "--json"]));
    let row = &found["rows"][0];
    let folded = row["folded"].as_u64().unwrap() > 0;
    assert_eq!(shown.contains("the gates alone decide it"), folded, "{shown}{row}");
    for formula in files(&folder, "cnf") {
        let text = std::fs::read_to_string(formula).unwrap();
        assert_eq!(text.contains("c folded:"), text.contains("p cnf 0 "), "{text}");
    }
}

/// The counterexamples of paper/NOTES.md, in the clear form: they are named there, they run, and they show what is said.
#[test]
fn committed_witnesses_replay() {
    let paper = concat!(env!("CARGO_MANIFEST_DIR"), "/../../paper");
    let notes = std::fs::read_to_string(format!("{paper}/NOTES.md")).unwrap();
    let paths = files(format!("{paper}/witnesses"), "json");
    assert!(paths.len() >= 10, "{paths:?}");
    for path in &paths {
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(notes.contains(name), "{name} is not in the notes");
        let output = ringleader(&["replay", path.to_str().unwrap()]);
        assert_eq!(code(&output), 0, "{name}: {}", complaint(&output));
        assert_eq!(code(&ringleader(&["inspect", path.to_str().unwrap()])), 0, "{name}");
    }
    let facts = |name: &str| json(&ringleader(&["inspect", &format!("{paper}/witnesses/{name}.json")]));
    let trap = facts("literal-trap-n3-psi3");
    assert_eq!((&trap["S_PL"], &trap["S_PL_literal"]), (&literal!(true), &literal!(false)));
    let good = facts("good-creates-none-n4-psi3");
    assert_eq!((&good["good"], good["leaders"].as_array().unwrap().len()), (&literal!(true), 1));
    let after = ringleader(&["replay", &format!("{paper}/witnesses/good-creates-none-n4-psi3.json")]);
    assert_eq!(json(&after)["leaders"].as_array().unwrap().len(), 2);
}

// --- exact ----------------------------------------------------------------------------------------------------

#[test]
fn expectations_are_exact() {
    let found = json(&ringleader(&["exact", "fj", "--n", "3", "--start", "every", "--quantiles", "1000", "--json"]));
    assert_eq!((&found["starts"], &found["infinite"]), (&literal!(512), &literal!(0)));
    let (worst, fraction) = (found["worst"].as_f64().unwrap(), found["worst_fraction"].as_str().unwrap());
    let parts: Vec<f64> = fraction.split('/').map(|part| part.parse().unwrap()).collect();
    assert!((worst - parts[0] / parts.get(1).unwrap_or(&1.0)).abs() < 1e-9 * worst, "{worst} {fraction}");
    assert_eq!(found["quantiles"].as_array().unwrap().len(), 6);
    let shown = text(&ringleader(&["exact", "fj", "--n", "3", "--start", "every"]));
    assert!(shown.contains("worst start") && shown.contains(fraction), "{shown}");
}

#[test]
fn where_safety_is_not_certain_the_expectation_is_infinite() {
    let words = ["exact", "elim", "--n", "3", "--start", "every"];
    assert!(text(&ringleader(&words)).contains("infinite: from "));
    let found = json(&ringleader(&[&words[..], &["--json"]].concat()));
    assert_eq!(found["mean"], Value::Null);
    assert!(found["infinite"].as_u64() > Some(0));
}

#[test]
fn a_chain_is_exported_for_prism() {
    let model = place("chain.pm");
    let output = ringleader(&["exact", "fj", "--n", "3", "--start", "every", "--prism", &model]);
    assert_eq!(code(&output), 0, "{}", complaint(&output));
    let model = std::fs::read_to_string(model).unwrap();
    let drn = place("chain.drn");
    let output = ringleader(&["exact", "fj", "--n", "3", "--start", "every", "--drn", &drn]);
    assert_eq!(code(&output), 0, "{}", complaint(&output));
    let drn = std::fs::read_to_string(drn).unwrap();
    assert!(drn.contains("@type: DTMC") && drn.matches("\nstate ").count() == 176, "{drn}");
    for part in ["dtmc", "module ring", "init true endinit", "label \"safe\"", "rewards \"steps\""] {
        assert!(model.contains(part), "{part} is missing");
    }
}

/// The expectation to the first leader is at most that to C_PB, and that at most that to S_PL; a file begins where it says.
#[test]
fn chains_begin_at_files_and_end_at_phases() {
    let worst = |words: &[&str]| -> (f64, Value) {
        let found = json(&ringleader(&[&["exact", "ppl", "--json"], words].concat()));
        (found["worst"].as_f64().unwrap(), found["until"].clone())
    };
    let small = ["--psi", "2", "--kappa", "1", "--until"];
    let of = |target: &str| worst(&[&small[..], &[target]].concat()).0;
    let (leader, c_pb, safe) = (of("first-leader"), of("C_PB"), of("safe"));
    assert!(0.0 < leader && leader <= c_pb && c_pb < safe, "{leader} {c_pb} {safe}");
    assert!(of("largest") <= safe);
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../paper/witnesses/cpb-lone-closed-n3-psi2.json");
    let (steps, until) = worst(&["--start", file, "--until", "c_pb"]);
    assert_eq!((steps, until), (0.0, literal!("C_PB")), "it is in C_PB");
    assert!(worst(&["--start", file]).0 > 0.0);
}

#[test]
fn bad_chains_are_refused_with_what_is_allowed() {
    let elsewhere = concat!(env!("CARGO_MANIFEST_DIR"), "/../../paper/witnesses/cpb-lone-closed-n3-psi2.json");
    let cases: [(&[&str], &str); 9] = [
        (&["exact", "ppl", "--n", "4", "--start", elsewhere], "has 3 agents"),
        (&["exact", "ppl", "--start", "nowhere.json"], "nowhere.json"),
        (&["exact", "ppl", "--until", "S_PLL"], "at-most-one-leader, first-leader, C_PB"),
        (&["exact", "nothing"], "allowed is"),
        (&["exact", "fj", "--n", "2"], "3 to"),
        (&["exact", "fj", "--n", "65"], "at most 64"),
        (&["exact", "fj", "--start", "nowhere"], "allowed is a file, or every, "),
        (&["exact", "por", "--until", "at-most-one-leader"], "elects no leader"),
        (&["exact", "fj", "--prism", "/dev/null/x"], "/dev/null/x"),
    ];
    for (words, says) in cases {
        let output = ringleader(words);
        assert_eq!(code(&output), 2, "{words:?}: {}", complaint(&output));
        assert!(complaint(&output).contains(says), "{words:?}: {}", complaint(&output));
    }
}

#[test]
fn chains_that_are_too_large_are_undecided() {
    let cases: [(&[&str], &str); 4] = [
        (
            &["fj", "--most", "10", "--start", "every"],
            "512 configurations, at least 171 up to rotation: too large, --most",
        ),
        (&["ysm", "--n", "4", "--start", "every"], "too large"),
        (&["ppl", "--most", "1000"], "--most allows 1,000; the smallest parameters are --psi 2 --kappa 1"),
        (&["ppl"], "--most allows 500,000; the smallest parameters are --psi 2 --kappa 1"),
    ];
    for (words, says) in cases {
        let output = ringleader(&[&["exact"], words].concat());
        assert_eq!((code(&output), text(&output).as_str()), (4, ""), "{words:?}: {}", complaint(&output));
        assert!(complaint(&output).contains(says), "{words:?}: {}", complaint(&output));
    }
}

#[test]
fn a_chain_can_be_interrupted() {
    let output = interrupted(&["exact", "por", "--n", "6", "--start", "every"], |output| !output.stderr.is_empty());
    assert_eq!((code(&output), text(&output).as_str()), (130, ""));
    assert!(complaint(&output).contains("nothing was solved yet"), "{}", complaint(&output));
}

/// A certificate is there with its formula, or neither is; the solver that writes it is another process, which the signal reaches.
#[test]
fn interruption_leaves_no_half_of_a_certificate() {
    let folder = directory("interrupted-certificates");
    let words = ["prove", "safe", "--n", "44", "--psi", "7", "--threads", "1", "--certificate", &folder];
    let output = interrupted(&words, |output| text(output).contains("1 not decided"));
    assert_eq!(code(&output), 130, "{}", complaint(&output));
    let left: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["manifest.json"], "which says that nothing is certified");
}

#[test]
fn the_guide_shows_a_proof_as_it_is() {
    let guide = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/commands.md")).unwrap();
    let words = ["exact", "elim", "--n", "3", "--start", "every", "--until", "at-most-one-leader"];
    let shown = text(&ringleader(&words));
    let command = format!("`ringleader {}`:", words.join(" "));
    assert!(guide.contains(&command) && guide.contains(&shown), "the guide's figures are not:\n{shown}");
}
