//! What is refused before anything runs: names that would break a format, and trials that could not run.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::collections::BTreeMap;
use std::sync::Arc;

use common::{Collect, ENTRIES, open, trial};
use ringleader::blueprint::{Blueprint, LEADER_PHASES};
use ringleader::fault::{Fault, Place, When};
use ringleader::instance::Instance;
use ringleader::params::Params;
use ringleader::protocol::{Input, Protocol, Transition};
use ringleader::random::{Generator, Stream, below, index, stream};
use ringleader::ring::Orientation;
use ringleader::trial::{Engine, Initial, Trial};
use ringleader::value::Value;
use ringleader::variables::{Domain, Variable, Variables};
use ringleader_catalogue::Entry;

// --- Names ----------------------------------------------------------------------------------------------------

#[derive(Clone)]
struct Rumour(&'static [&'static str]);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
struct State {
    heard: u8,
}

impl Transition for Rumour {
    type State = State;
    fn interact(&self, l: &mut State, r: &mut State, _: Input) {
        r.heard |= l.heard;
    }
}

impl Protocol for Rumour {
    fn variables(&self) -> Variables<State> {
        let named = |name: &&'static str| Variable::new(*name, Domain::BIT, |v: &State| &v.heard, |v| &mut v.heard);
        Variables(self.0.iter().map(named).collect())
    }
    fn is_leader(&self, state: &State) -> bool {
        state.heard == 1
    }
    fn is_safe(&self, config: &[State]) -> bool {
        config.iter().all(|state| state.heard == 1)
    }
}

fn rumour() -> Blueprint<Rumour> {
    called("rumour", &["heard"])
}

fn called(name: &'static str, variables: &'static [&'static str]) -> Blueprint<Rumour> {
    Blueprint::new(name, Orientation::Directed, move |_, _| Ok(Rumour(variables))).start_all(
        "zero",
        "",
        State::default(),
    )
}

fn with_start(name: &'static str) -> Blueprint<Rumour> {
    rumour().start_all(name, "", State::default())
}

fn with_phase(name: &'static str) -> Blueprint<Rumour> {
    rumour().phase(name, "", |_, _| true)
}

fn with_event(name: &'static str) -> Blueprint<Rumour> {
    rumour().event(name, "", |_, _, _| true)
}

/// What is wrong with the names, if anything is; the same is said wherever the blueprint is used.
fn wrong(blueprint: Blueprint<Rumour>) -> Option<String> {
    let checked = blueprint.check_names().err().map(|error| error.to_string());
    let made = Instance::new(Arc::new(blueprint), 5, &Params::default()).err().map(|error| error.to_string());
    assert!(checked.is_none() || checked == made, "{checked:?} {made:?}");
    made
}

#[test]
fn names_that_would_break_a_format_are_refused() {
    assert_eq!(wrong(rumour()), None);
    let variables: [&'static [&'static str]; 5] = [&["a,b"], &["a\nb"], &[""], &[" "], &["a", "a"]];
    let broken = ["a,b", "a\nb", "", " ", "a\t", " a", "a\u{7f}"];
    let word = |kind: &str, blueprint: Blueprint<Rumour>| {
        let why = wrong(blueprint).unwrap_or_else(|| panic!("{kind} is accepted"));
        assert!(why.starts_with(&format!("protocol, {kind} = ")), "{why}");
    };
    for name in broken {
        word("name", called(name, &["heard"]));
        word("start", with_start(name));
        word("parameter", rumour().parameter(name, ""));
        word("phase", with_phase(name));
        word("event", with_event(name));
        if !name.contains(',') {
            word("case", rumour().case(name));
            word("safe set", rumour().safe(name));
        }
    }
    variables.into_iter().for_each(|names| word("variable", called("rumour", names)));
    // Words are typed on a command line, phases and events are read by people; a protocol may have the name of its file.
    for name in ["two words", "a=b", "ä", "a;b"] {
        word("start", with_start(name));
        word("parameter", rumour().parameter(name, ""));
        assert_eq!((wrong(with_phase(name)), wrong(with_event(name))), (None, None));
        assert_eq!(wrong(called(name, &["heard"])), None);
    }
    // So are safe sets, whose names are short sentences.
    assert_eq!(wrong(rumour().safe("one leader, out of danger")), None);
}

#[test]
fn names_that_are_there_twice_are_refused() {
    let twice = |blueprint: Blueprint<Rumour>| {
        let why = wrong(blueprint).expect("a name is there twice");
        assert!(why.contains("another one has that name"), "{why}");
    };
    twice(with_start("zero"));
    twice(rumour().parameter("k", "").parameter("k", ""));
    twice(with_phase("x").phase("x", "", |_, _| true));
    twice(with_event("output changed"));
    twice(with_event("x").event("x", "", |_, _, _| true));
    // Whoever waits for a name must know what will come: an event, a phase or the safe set.
    twice(with_event("x").phase("x", "", |_, _| true));
    twice(with_event("all have heard").safe("all have heard"));
    LEADER_PHASES.into_iter().for_each(|name| twice(with_phase(name).elects()));
    LEADER_PHASES.into_iter().for_each(|name| assert_eq!(wrong(with_phase(name)), None));
}

#[test]
fn the_safe_set_is_no_other_phase() {
    assert_eq!(rumour().safe("x").safe_phase(), "x");
    let same = with_phase("x").safe("x");
    assert_eq!((same.safe_phase(), wrong(same)), ("safe (x)".into(), None));
    for name in LEADER_PHASES {
        assert_eq!(rumour().safe(name).safe_phase(), name);
        let elects = rumour().elects().safe(name);
        assert_eq!(elects.safe_phase(), format!("safe ({name})"));
        let open = Trial { from: Some(Initial::Named("zero".into())), limit: Some(5), ..Trial::new("rumour", 5, 1) };
        let collect = Collect::default();
        Entry::new(elects).run(&open, &[1], Engine::Auto, &collect).unwrap();
        let mut phases: Vec<_> = collect.records()[0].phases.iter().map(|phase| phase.name.clone()).collect();
        phases.sort_unstable();
        phases.dedup();
        assert_eq!(phases.len(), LEADER_PHASES.len() + 1, "{phases:?}");
    }
    // No way around it.
    assert!(wrong(with_phase("x").phase("safe (x)", "", |_, _| true).safe("x")).is_some());
    for entry in ENTRIES.iter() {
        let described = (3..8).find_map(|n| entry.describe(n, &Params::default()).ok()).unwrap();
        let safe = &described.safe_phase;
        assert!(described.phases.iter().all(|phase| phase.name != *safe), "{}", entry.about().name);
        assert!(!described.about.elects || !LEADER_PHASES.contains(&&**safe), "{}", entry.about().name);
    }
}

#[test]
fn what_elects_has_the_events_of_leaders_whenever_it_says_so() {
    let names = |blueprint: Blueprint<Rumour>| blueprint.events.into_iter().map(|event| event.named.name).collect();
    let first: Vec<_> = names(rumour().elects().event("x", "", |_, _, _| true));
    let (last, twice): (Vec<_>, Vec<_>) = (names(with_event("x").elects()), names(with_event("x").elects().elects()));
    assert_eq!(first, ["leader created", "leader killed", "x"]);
    assert_eq!((&last, &twice), (&first, &first));
}

// --- Trials ---------------------------------------------------------------------------------------------------

/// A check looks at no configuration: this start cannot make one.
#[test]
fn a_check_makes_no_configuration() {
    let blueprint = Arc::new(rumour().start("never", "", |_, _, _| panic!("a configuration was made")));
    let instance = Instance::new(blueprint, 1 << 20, &Params::default()).unwrap();
    let mut trial = trial("rumour", 1 << 20, &[], "never", 1);
    trial.faults = vec!["agents=1048576,at=7".parse().unwrap()];
    trial.limit = Some(7);
    assert_eq!(instance.check(&trial), Ok(7));
    trial.limit = Some(6);
    assert!(instance.check(&trial).is_err());
}

/// One of these, by chance.
fn pick<T: Clone>(generator: &mut Generator, of: &[T]) -> T {
    of[index(generator, of.len())].clone()
}

fn random_fault(generator: &mut Generator, n: usize, variables: &[String]) -> Fault {
    let count = pick(generator, &[0, 1, 2, n - 1, n, n + 1]);
    let place = match below(generator, 3) {
        0 => Place::Random(count),
        1 => Place::Contiguous(count),
        _ => Place::Listed(vec![0, pick(generator, &[1, n - 1, n, n + 5])]),
    };
    let variable = (below(generator, 2) == 0).then(|| pick(generator, variables));
    let step = pick(generator, &[0, 50, 99, 100, 101, u64::MAX]);
    let when = if below(generator, 3) == 0 { When::Safe } else { When::Step(step) };
    Fault { place, variable, when }
}

fn random_trial(generator: &mut Generator, entry: &Entry) -> Trial {
    let about = entry.about();
    let n = pick(generator, &[3, 4, 5, 6, 7, 8, 9, 12, 16]);
    let mut trial = Trial::new(&about.name, pick(generator, &[n, n, n, n, 2]), below(generator, 1000));
    let names = about.parameters.iter().map(|parameter| parameter.name.to_string()).chain(["nothing".to_owned()]);
    for name in names {
        if below(generator, 5) == 0 {
            trial.params = trial.params.with(&name, pick(generator, &[0, 1, 2, 3, 4, 5, 8]));
        }
    }
    let starts: Vec<String> = entry.starts().iter().map(|start| start.name.to_string()).collect();
    let more = ["wrong-id".to_owned(), "nowhere".to_owned()];
    let named = Initial::Named(pick(generator, &[&starts[..], &starts, &more].concat()));
    trial.from = (below(generator, 5) > 0).then_some(named);
    trial.limit = (below(generator, 4) > 0).then_some(100);
    let described = entry.describe(trial.n, &Params::default());
    let known = described.map_or(Vec::new(), |described| described.variables);
    let variables: Vec<String> =
        known.iter().map(|variable| variable.name.to_string()).chain(["nothing".to_owned()]).collect();
    trial.faults = (0..below(generator, 3)).map(|_| random_fault(generator, n, &variables)).collect();
    trial
}

/// Why a run must be refused, told from what is said of the protocol.
fn refused(entry: &Entry, trial: &Trial) -> Option<&'static str> {
    let Ok(described) = entry.describe(trial.n, &trial.params) else { return Some("size or parameter") };
    if let Some(Initial::Named(name)) = &trial.from {
        let psi = || described.settings.iter().find(|(known, _)| known == "psi").unwrap().1 as usize;
        if described.starts.iter().all(|start| start.name != *name) {
            return Some("unknown start");
        } else if name == "wrong-id" && !trial.n.is_multiple_of(2 * psi()) {
            return Some("2 psi does not divide n");
        }
    }
    trial.faults.iter().find_map(|fault| {
        let agents = match &fault.place {
            Place::Random(k) | Place::Contiguous(k) => (1..=trial.n).contains(k),
            Place::Listed(agents) => agents.iter().all(|agent| *agent < trial.n),
        };
        let variable = fault.variable.as_ref().map(|name| described.variables.iter().find(|one| one.name == *name));
        match (agents, variable, fault.when) {
            (false, ..) => Some("fault beyond n"),
            (_, Some(None), _) => Some("fault in an unknown variable"),
            (_, Some(Some(variable)), _) if variable.input => Some("fault in an input"),
            (.., When::Step(step)) if trial.limit.is_some_and(|limit| step > limit) || step == u64::MAX => {
                Some("fault after the limit")
            }
            _ => None,
        }
    })
}

#[test]
fn a_check_refuses_what_a_run_refuses_and_nothing_else() {
    let (mut generator, mut seen) = (stream(5, Stream::Start), BTreeMap::new());
    for entry in ENTRIES.iter() {
        for _ in 0..2000 {
            let trial = random_trial(&mut generator, entry);
            let expected = refused(entry, &trial);
            let checked = entry.check(&trial);
            assert_eq!(checked.is_err(), expected.is_some(), "{trial:?}: {checked:?}, {expected:?}");
            // As soon as it runs it is broken off: it was not refused.
            let stop = Collect::looking(0);
            let ran = entry.run(&trial, &[trial.seed], Engine::Auto, &stop);
            assert_eq!(ran.is_err(), expected.is_some(), "{trial:?}: {ran:?}, {expected:?}");
            assert!(ran.is_err() || stop.records()[0].limit == checked.unwrap());
            *seen.entry(expected.unwrap_or("runs")).or_insert(0) += 1;
        }
    }
    println!("{seen:?}");
    assert!(seen.len() == 8 && seen.values().all(|&times| times > 30), "{seen:?}");
}

/// A given configuration is refused by a check, by a run, and, if it is none at all, when a ring is made of it.
#[test]
fn given_configurations_are_checked() {
    let zero = |trial: &Trial| vec![open(trial).agent(0); trial.n];
    let safe = |name: &str| {
        let trial = trial(name, 6, &[], "safe", 1);
        let session = open(&trial);
        (0..6).map(|i| session.agent(i)).collect::<Vec<Value>>()
    };
    let outside = |mut agents: Vec<Value>| {
        agents[3] = Value::map([("leader", Value::Int(2))]);
        agents
    };
    let too_few = safe("ppl").split_off(1);
    for (name, agents, word) in [
        ("ppl", safe("ppl"), None),
        ("por", safe("por"), None),
        ("ppl", too_few, Some("number of agents")),
        ("ppl", outside(safe("ppl")), Some("agent 3, variable leader")),
        ("por", zero(&trial("por", 6, &[], "safe", 1)), Some("two-hop colouring")),
        ("aaf-token", zero(&trial("aaf-token", 6, &[], "safe", 1)), Some("exactly one must be given")),
    ] {
        let trial = Trial { from: Some(Initial::Given(agents)), ..Trial::new(name, 6, 1) };
        let entry = common::entry(name);
        let (checked, ran) = (entry.check(&trial).err(), entry.run(&trial, &[1], Engine::Auto, &()).err());
        let said = checked.as_ref().map(ToString::to_string);
        assert_eq!(checked, ran, "{name}");
        assert!(
            said.as_deref().map_or(word.is_none(), |said| word.is_some_and(|word| said.contains(word))),
            "{said:?}"
        );
    }
}
