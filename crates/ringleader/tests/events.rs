//! What the view rests on: events at their exact steps, duplicates that go on alike, and parts of the ring that are what they say.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use ringleader::lab::{PROTOCOLS, Population, populate_trial};
use ringleader::schedule::AnySchedule;
use ringleader::trial::{Initial, Trial};
use ringleader::value::Value;

fn trial(protocol: &str, n: usize, seed: u64) -> Trial {
    let mut trial = Trial::new(protocol, n, seed);
    if protocol.starts_with("ppl") || protocol.starts_with("undirected") {
        trial.params = trial.params.with("c1", 1);
    }
    trial
}

fn script(population: &dyn Population, trial: &Trial) -> AnySchedule {
    AnySchedule::new(trial.scheduler, population.ring(), trial.seed)
}

/// All that one can wait for.
fn all(population: &dyn Population) -> Vec<&'static str> {
    let events = population.events().into_iter().map(|(name, _)| name);
    let phases = population.phases().into_iter().map(|(name, ..)| name);
    events.chain(phases).chain([population.about().safe]).collect()
}

/// What can be told from two configurations without asking the protocol about interactions.
fn seen_from_outside(before: &dyn Population, after: &dyn Population) -> Vec<&'static str> {
    let (old, new) = (before.leaders(), after.leaders());
    let mut seen = Vec::new();
    if after.about().elects && new.iter().any(|i| !old.contains(i)) {
        seen.push("leader created");
    }
    if after.about().elects && old.iter().any(|i| !new.contains(i)) {
        seen.push("leader killed");
    }
    for ((name, _, held), (_, _, holds)) in before.phases().into_iter().zip(after.phases()) {
        if holds && !held {
            seen.push(name);
        }
    }
    if after.is_safe() && !before.is_safe() {
        seen.push(after.about().safe);
    }
    seen
}

#[test]
fn events_are_those_that_a_naive_observer_sees() {
    for entry in PROTOCOLS {
        for seed in 0..4 {
            let (n, trial) = (7, trial(entry.about.name, 7, seed));
            let first = populate_trial(&trial).unwrap();
            let told = ["leader created", "leader killed"];
            let wanted: Vec<&str> = all(first.as_ref())
                .into_iter()
                .filter(|name| told.contains(name) || !is_happening(&*first, name))
                .collect();
            let (mut naive, mut steps) = (Vec::new(), first.duplicate());
            let mut schedule = script(first.as_ref(), &trial);
            for step in 1..=4000_u64 {
                let before = steps.duplicate();
                steps.follow(&mut schedule, 1).unwrap();
                let mut names = seen_from_outside(before.as_ref(), steps.as_ref());
                names.sort_unstable();
                if !names.is_empty() {
                    naive.push((step, names));
                }
            }
            let (mut sought, mut seeker, mut at) = (Vec::new(), first, 0);
            let mut schedule = script(seeker.as_ref(), &trial);
            while at < 4000 {
                let mut found = seeker.seek(&mut schedule, (4000 - at).min(997), &wanted).unwrap();
                at += found.steps;
                found.names.sort_unstable();
                if !found.names.is_empty() {
                    sought.push((at, found.names));
                }
            }
            assert_eq!(naive, sought, "{} seed {seed}", entry.about.name);
            let state = |population: &dyn Population| (0..n).map(|i| population.agent(i)).collect::<Vec<_>>();
            assert_eq!(state(steps.as_ref()), state(seeker.as_ref()), "{}", entry.about.name);
        }
    }
}

fn is_happening(population: &dyn Population, name: &str) -> bool {
    population.events().iter().any(|(known, _)| *known == name)
}

#[test]
fn nothing_wanted_is_nothing_found() {
    let trial = trial("ppl", 8, 1);
    let mut population = populate_trial(&trial).unwrap();
    let mut schedule = script(population.as_ref(), &trial);
    let found = population.seek(&mut schedule, 5000, &[]).unwrap();
    assert_eq!((found.steps, found.names), (5000, Vec::new()));
}

/// The number that the bits `b` spell from the border on.
fn spelled(population: &dyn Population, agents: impl Iterator<Item = usize>) -> String {
    let bits: Vec<i128> = agents.map(|i| population.agent(i).get("b").and_then(Value::as_int).unwrap()).collect();
    bits.iter().rev().fold(0, |sum, bit| 2 * sum + bit).to_string()
}

#[test]
fn segments_cover_the_ring_and_spell_their_ids_in_either_direction() {
    let mut directions = Vec::new();
    for seed in 0..6 {
        let mut trial = trial("undirected", 22, seed);
        trial.from = Some(Initial::Named("safe".into()));
        let population = populate_trial(&trial).unwrap();
        let facts = population.facts();
        let left = facts.get("direction") == Some(&Value::from("left"));
        directions.push(left);
        let segments = population.segments();
        assert_eq!(segments.iter().map(|s| s.length).sum::<usize>(), 22);
        for segment in segments {
            let agents = (0..segment.length).map(|k| {
                let k = if left { segment.length - 1 - k } else { k };
                (segment.start + k) % 22
            });
            assert_eq!(spelled(population.as_ref(), agents), segment.label, "seed {seed}, left {left}");
        }
    }
    assert!(directions.contains(&true) && directions.contains(&false), "{directions:?}");
}

#[test]
fn segments_of_directions_are_runs_of_agents_that_point_one_way() {
    for seed in 0..20 {
        let population = populate_trial(&trial("por", 9, seed)).unwrap();
        let number = |i: usize, name: &str| population.agent(i % 9).get(name).and_then(Value::as_int).unwrap();
        for segment in population.segments() {
            let towards = if segment.label == "right" { 1 } else { 8 };
            for k in 0..segment.length {
                let i = segment.start + k;
                assert_eq!(number(i, "dir"), number(i + towards, "color"), "seed {seed}: {segment:?}");
            }
        }
    }
}

#[test]
fn a_duplicate_goes_on_alike_and_apart() {
    for entry in PROTOCOLS {
        let trial = trial(entry.about.name, 7, 3);
        let mut one = populate_trial(&trial).unwrap();
        let mut schedule = script(one.as_ref(), &trial);
        one.follow(&mut schedule, 500).unwrap();
        let (mut two, before) = (one.duplicate(), (0..7).map(|i| one.agent(i)).collect::<Vec<_>>());
        two.follow(&mut schedule.clone(), 500).unwrap();
        assert_eq!((0..7).map(|i| one.agent(i)).collect::<Vec<_>>(), before, "{}", entry.about.name);
        one.follow(&mut schedule, 500).unwrap();
        let states = |population: &dyn Population| (0..7).map(|i| population.agent(i)).collect::<Vec<_>>();
        assert_eq!(states(one.as_ref()), states(two.as_ref()), "{}", entry.about.name);
    }
}
