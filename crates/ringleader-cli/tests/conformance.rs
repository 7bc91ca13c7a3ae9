//! The cases that every build must reproduce, step hashes included, and what they say besides.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod harness;

use std::path::{Path, PathBuf};

use harness::{complaint, file, json, ringleader};
use ringleader::ring::Orientation;
use ringleader::schedule::{AnySchedule, Recorded};
use ringleader::session::Session;
use ringleader::trial::{Initial, Trial};
use ringleader::value::Value;
use ringleader_catalogue::{Entries, builtin};
use serde_json::Value as Json;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance")
}

/// Every case with a schedule, by file name.
fn cases() -> Vec<(String, Json)> {
    let mut cases: Vec<(String, Json)> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), read(&path)))
        .filter(|(_, case)| case.get("schedule").is_some())
        .collect();
    cases.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(cases.len() >= 21, "only {} cases were found", cases.len());
    cases
}

fn read(path: &Path) -> Json {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn replayed(name: &str) -> std::process::Output {
    ringleader(&["replay", &folder().join(name).to_string_lossy()])
}

#[test]
fn every_case_is_reproduced() {
    for (name, case) in cases() {
        let output = replayed(&name);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", complaint(&output));
        let result = json(&output);
        assert_eq!(result["final"], case["final"], "{name}");
        assert_eq!(result["hashes"], case["hashes"], "{name}");
        if let Some(leaders) = case.get("final_leaders") {
            assert_eq!(&result["leaders"], leaders, "{name}");
        }
    }
}

#[test]
fn the_sets_of_the_final_configurations_are_as_the_cases_say() {
    for (name, case) in cases().into_iter().filter(|(_, case)| case.get("final_S_PL").is_some()) {
        let config = serde_json::json!({"protocol": case["protocol"], "psi": case["psi"], "kappa": case["kappa"], "config": case["final"]});
        let facts = json(&ringleader(&["inspect", &file(&format!("final-{name}"), &config.to_string())]));
        for set in ["C_PB", "S_PL", "S_PL_literal"] {
            assert_eq!(facts[set], case[format!("final_{set}")], "{name} {set}");
        }
        assert_eq!(facts["hash"], case["final_hash"], "{name}");
    }
}

#[test]
fn every_predicate_is_as_listed() {
    let listed = read(&folder().join("predicates_pl.json"));
    for (k, entry) in listed.as_array().unwrap().iter().enumerate() {
        let facts = json(&ringleader(&["inspect", &file(&format!("predicates-{k}.json"), &entry.to_string())]));
        for (name, truth) in entry["truth"].as_object().unwrap() {
            assert_eq!(&facts[name], truth, "{}: {name}", entry["description"]);
        }
    }
}

/// Steps of which the cases tell besides the hashes: who is red when, and when the configuration becomes safe.
#[test]
fn red_agents_and_first_safe_steps_are_as_the_cases_say() {
    let mut checked = 0;
    for (name, case) in cases() {
        let mut session = load(&case);
        let mut first_safe = None;
        let red_at: Vec<(u64, Json)> =
            case.get("red_agents").map_or(Vec::new(), |list| serde_json::from_value(list.clone()).unwrap());
        for t in 0..=case["schedule"].as_array().unwrap().len() as u64 {
            if t > 0 {
                session.advance(1).unwrap();
            }
            // The cases look after every interaction, so never at step 0.
            if t > 0 && first_safe.is_none() && session.is_safe() {
                first_safe = Some(t);
            }
            if let Some((_, red)) = red_at.iter().find(|(time, _)| *time == t) {
                assert_eq!(session.facts().get("red").unwrap().to_string(), red.to_string(), "{name} step {t}");
                checked += 1;
            }
        }
        for field in ["first_safe_after", "first_red_free_after"] {
            if let Some(expected) = case.get(field) {
                assert_eq!(first_safe, expected.as_u64(), "{name} {field}");
                checked += 1;
            }
        }
    }
    assert!(checked > 200, "{checked}");
}

fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Number(number) => Value::from(number.as_i64().unwrap()),
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => items.iter().map(value).collect::<Vec<_>>().into(),
        Json::Object(map) => Value::map(map.iter().map(|(key, item)| (key.as_str(), value(item)))),
        Json::Bool(truth) => Value::from(*truth),
    }
}

fn load(case: &Json) -> Box<dyn Session> {
    let n = case["n"].as_u64().unwrap() as usize;
    let mut trial = Trial::new(case["protocol"].as_str().unwrap(), n, 0);
    for name in ["psi", "kappa"] {
        if let Some(value) = case.get(name) {
            trial.params = trial.params.with(name, value.as_u64().unwrap());
        }
    }
    trial.from = Some(Initial::Given(case["initial"].as_array().unwrap().iter().map(value).collect()));
    let mut session = Entries::new(&builtin()).unwrap().catalogue().open(&trial).unwrap();
    let ring = session.described().ring;
    let index = |json: &Json| json.as_u64().unwrap() as usize;
    let interaction = |step: &Json| match ring.orientation() {
        Orientation::Directed => ring.e(index(step)),
        Orientation::Undirected => ring.between(index(&step[0]), index(&step[1])).unwrap(),
    };
    let schedule: Vec<_> = case["schedule"].as_array().unwrap().iter().map(interaction).collect();
    let coin = |draw: &Json| 16 * draw[0].as_u64().unwrap() + draw[1].as_u64().unwrap();
    let coins: Vec<u64> =
        case.get("draws").and_then(Json::as_array).map_or(Vec::new(), |draws| draws.iter().map(coin).collect());
    *session.schedule() = AnySchedule::Recorded(Recorded::new(schedule, coins));
    session
}

// --- Canaries: an expectation that does not hold must be noticed, and its step named. ---

fn spoiled(name: &str, tag: &str, spoil: impl FnOnce(&mut Json)) -> (Option<i32>, String) {
    let mut case = read(&folder().join(name));
    spoil(&mut case);
    let output = ringleader(&["replay", &file(&format!("spoiled-{tag}.json"), &case.to_string())]);
    assert!(
        output.status.code() != Some(1) || json(&output).get("final").is_some(),
        "the result is printed all the same"
    );
    (output.status.code(), complaint(&output))
}

const CASE: &str = "ppl_41_n6_psi3_k5.json";

#[test]
fn a_wrong_hash_is_noticed_at_its_step() {
    let (code, complaint) = spoiled(CASE, "hash", |case| case["hashes"][3][1] = "0".repeat(64).into());
    assert_eq!(code, Some(1));
    assert!(complaint.contains("step 40"), "{complaint}");
}

#[test]
fn a_wrong_interaction_is_noticed_at_the_next_hash() {
    // Step 57 with another edge: hashes up to 50 agree, the next one does not.
    let (code, complaint) = spoiled(CASE, "interaction", |case| {
        let edge = case["schedule"][57].as_u64().unwrap();
        case["schedule"][57] = ((edge + 3) % 6).into();
    });
    assert_eq!(code, Some(1));
    assert!(complaint.contains("step 60"), "{complaint}");
}

#[test]
fn a_wrong_final_state_is_noticed_with_agent_and_variable() {
    let (code, complaint) = spoiled(CASE, "final", |case| case["final"][2]["dist"] = 5.into());
    assert_eq!(code, Some(1));
    assert!(complaint.contains("step 1500") && complaint.contains("agent 2, variable dist"), "{complaint}");
}

#[test]
fn a_wrong_final_set_is_noticed() {
    let (code, complaint) = spoiled(CASE, "set", |case| case["final_S_PL"] = false.into());
    assert_eq!(code, Some(1));
    assert!(complaint.contains("S_PL is true, expected false"), "{complaint}");
}

#[test]
fn too_few_draws_are_an_error() {
    let (code, complaint) = spoiled("pcl_3_n20.json", "draws", |case| {
        case["draws"].as_array_mut().unwrap().pop();
    });
    assert_eq!(code, Some(2));
    assert!(complaint.contains("draws: too few"), "{complaint}");
}
