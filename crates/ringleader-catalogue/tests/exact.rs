//! Exact hitting times exist for every built-in protocol: means of many runs are what the chains say, and a chain that is too
//! large is refused with its limit.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../ringleader/tests/common/mod.rs"]
mod common;

use std::io::Write;
use std::ops::ControlFlow;
use std::sync::Mutex;

use common::{ENTRIES, batch, entry, params};
use ringleader::observer::{BETWEEN, Observer, Progress};
use ringleader::trial::{Engine, Initial, Record, Scheduler, Trial};
use ringleader_verify::exact::ask::{Begin, Export, Found, Question, Until};

/// Protocol, parameters and start.
type Case = (&'static str, &'static [(&'static str, u64)], &'static str);

/// Few parameters and a start for each protocol, which make a chain of a ring of three agents.
const CASES: [Case; 15] = [
    ("ppl", &[("psi", 2), ("kappa", 1)], "two-leaders"),
    ("ppl-prime", &[("psi", 2), ("kappa", 1)], "all-leaders"),
    ("por", &[], "two-segments"),
    ("pcl", &[("colors", 3)], "one-color"),
    ("pcl-derandomised", &[("colors", 4)], "one-color"),
    ("undirected", &[("psi", 2), ("kappa", 1), ("colors", 3)], "two-leaders"),
    ("undirected-derandomised", &[("psi", 2), ("kappa", 1), ("colors", 4)], "two-leaders"),
    ("ysm", &[], "leaderless"),
    ("fj", &[], "two-leaders"),
    ("aaf", &[], "barriers"),
    ("thue-morse", &[], "leaderless"),
    ("aaf-orientation", &[], "two-segments"),
    ("aaf-colouring", &[], "one-color"),
    ("aaf-token", &[], "alternating"),
    ("elim", &[], "all-leaders"),
];

/// What is too large on three agents already.
const TOO_LARGE: [&str; 2] = ["pcl-derandomised", "thue-morse"];

fn question(start: &str) -> Question<'_> {
    Question {
        start: Begin::Named(start),
        seed: 1,
        until: Until::Safe,
        rotate: true,
        rename: true,
        most: 100_000,
        quantiles: 0,
    }
}

/// Hears of the parts of an answer, and breaks off when it hears of one for the first time.
struct Parts<'a> {
    last: &'a str,
    heard: Mutex<Vec<String>>,
}

impl Observer for Parts<'_> {
    fn progress(&self, progress: Progress<'_>) -> ControlFlow<()> {
        let name = (progress.gauges)()[0].0.clone().into_owned();
        let ends = name == self.last;
        self.heard.lock().unwrap().push(name);
        if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The parts of which an observer heard before it broke off, and what came of the question.
fn heard(protocol: &str, n: usize, last: &str) -> (Vec<String>, Option<Found>) {
    let (mut model, observer) = (Vec::new(), Parts { last, heard: Mutex::default() });
    let question = Question { quantiles: 20, most: 1_000_000, ..question("every") };
    let prism: &mut dyn Write = &mut model;
    let found = entry(protocol).exact(n, &params(&[]), &question, Some((Export::Prism, prism)), &observer).unwrap();
    (observer.heard.into_inner().unwrap(), found)
}

/// In every part of the work somebody is asked after so much of it, and whoever breaks off is not asked again.
#[test]
fn every_part_of_an_answer_can_be_broken_off() {
    let mut parts =
        ["starts", "configurations", "configurations written", "configurations in order", "equations", "rounds"]
            .to_vec();
    parts.extend(["residuals", "steps"]);
    let (all, found) = heard("elim", 4, "");
    let found = found.unwrap();
    let asked = |part: &str| all.iter().filter(|name| *name == part).count() as u64;
    let least = (found.rounds * found.configurations / 4) as u64 / BETWEEN;
    assert!(least > 0 && asked("rounds") >= least, "{} of {least}", asked("rounds"));
    for part in parts {
        let (heard, found) = heard("elim", 4, part);
        assert!(found.is_none() && heard.iter().filter(|name| *name == part).count() == 1, "{part}: {heard:?}");
        assert_eq!(heard.last().map(String::as_str), Some(part), "{heard:?}");
    }
    let (heard, found) = heard("fj", 3, "equations");
    assert!(found.is_none(), "fractions: {heard:?}");
}

/// Mean and standard error of the first safe step.
fn mean(records: &[Record]) -> (f64, f64) {
    let (runs, steps) = (records.len() as f64, || records.iter().map(|record| record.safe.unwrap() as f64));
    let mean = steps().sum::<f64>() / runs;
    let variance = steps().map(|step| (step - mean).powi(2)).sum::<f64>() / (runs - 1.0);
    (mean, (variance / runs).sqrt())
}

#[test]
fn every_protocol_has_a_case() {
    let names: Vec<&str> = ENTRIES.iter().map(|entry| &*entry.about().name).collect();
    assert_eq!(names, CASES.map(|case| case.0));
}

/// From one configuration of the chain; a fraction of as many runs from there has ended by then.
#[test]
fn quantiles_of_runs_are_what_the_chains_say() {
    let question = Question { quantiles: 1_000_000, ..question("all-leaders") };
    let found = entry("elim").exact(3, &params(&[]), &question, None, &()).unwrap().unwrap();
    let trial = Trial { from: Some(Initial::Named("all-leaders".into())), phases: false, ..Trial::new("elim", 3, 1) };
    let records = batch(&trial, &(0..10_000).collect::<Vec<u64>>(), Engine::Auto);
    for (percent, step) in found.quantiles {
        let step = step.unwrap();
        let ended = |by: u64| records.iter().filter(|record| record.safe.unwrap() <= by).count() as f64 / 1e4;
        let (level, error) = (f64::from(percent) / 100.0, 0.02);
        assert!(ended(step) > level - error && ended(step - 1) < level + error, "{percent} %: {step}");
    }
}

#[test]
fn means_of_runs_are_what_the_chains_say() {
    for (name, named, start) in CASES.into_iter().filter(|case| !TOO_LARGE.contains(&case.0)) {
        let found = entry(name).exact(3, &params(named), &question(start), None, &()).unwrap().unwrap();
        let (exact, config) = found.worst.unwrap();
        assert!(exact > 1.0 && found.configurations > 5 && found.error < 1e-9, "{name}: {exact} {}", found.error);
        assert_eq!(found.mean, exact, "{name} has one start");
        // The parameters in force, which are the smallest ones where none were given.
        let settings: Vec<(&str, u64)> = found.settings.iter().map(|(name, value)| (&**name, *value)).collect();
        for scheduler in Scheduler::ALL {
            let from = Some(Initial::Given(config.clone()));
            let trial = Trial { params: params(&settings), from, scheduler, phases: false, ..Trial::new(name, 3, 0) };
            let (mean, error) = mean(&batch(&trial, &(0..8000).collect::<Vec<u64>>(), Engine::Auto));
            println!("{name} from {start}, {}: exact {exact:.4}, measured {mean:.4} +- {error:.4}", scheduler.name());
            assert!(
                (mean - exact).abs() < 4.0 * error,
                "{name} from {start}: exact {exact}, measured {mean} +- {error}"
            );
        }
    }
}

#[test]
fn a_chain_that_is_too_large_is_refused_with_its_limit() {
    for (name, named, start) in CASES.into_iter().filter(|case| TOO_LARGE.contains(&case.0)) {
        let refused = entry(name).exact(3, &params(named), &question(start), None, &()).err().unwrap().to_string();
        assert!(refused.contains("more than 100000 configurations can be reached"), "{name}: {refused}");
    }
}

#[test]
fn a_safe_start_takes_no_time() {
    for (name, named, _) in CASES {
        let found = entry(name).exact(3, &params(named), &question("safe"), None, &()).unwrap().unwrap();
        assert_eq!((found.mean, found.configurations, found.starts), (0.0, 1, [1, 0]), "{name}");
    }
}
