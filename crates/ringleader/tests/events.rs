//! What the view rests on: events at their exact steps, duplicates that go on alike, and parts of the ring that are what they say.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{ENTRIES, agents, open};
use ringleader::instance::Described;
use ringleader::session::Session;
use ringleader::trial::{Initial, Trial};
use ringleader::value::{Text, Value};

fn trial(protocol: &str, n: usize, seed: u64) -> Trial {
    let mut trial = Trial::new(protocol, n, seed);
    if protocol.starts_with("ppl") || protocol.starts_with("undirected") {
        trial.params = trial.params.with("c1", 1);
    }
    trial
}

/// All that one can wait for.
fn all(described: &Described) -> Vec<Text> {
    let named = described.events.iter().chain(&described.phases).map(|named| named.name.clone());
    named.chain([described.safe_phase.clone()]).collect()
}

/// What can be told from two configurations without asking the protocol about interactions.
fn seen_from_outside(before: &dyn Session, after: &dyn Session) -> Vec<Text> {
    let (old, new, described) = (before.leaders(), after.leaders(), after.described());
    let mut seen = Vec::<Text>::new();
    if described.about.elects && new.iter().any(|i| !old.contains(i)) {
        seen.push("leader created".into());
    }
    if described.about.elects && old.iter().any(|i| !new.contains(i)) {
        seen.push("leader killed".into());
    }
    for ((phase, held), holds) in described.phases.iter().zip(before.phases()).zip(after.phases()) {
        if holds && !held {
            seen.push(phase.name.clone());
        }
    }
    if after.is_safe() && !before.is_safe() {
        seen.push(described.safe_phase.clone());
    }
    seen
}

#[test]
fn events_are_those_that_a_naive_observer_sees() {
    for entry in ENTRIES.iter() {
        for seed in 0..4 {
            let name = &entry.about().name;
            let first = open(&trial(name, 7, seed));
            let told = ["leader created", "leader killed"];
            let wanted: Vec<Text> = all(first.described())
                .into_iter()
                .filter(|name| told.contains(&&**name) || !is_event(first.described(), name))
                .collect();
            let (mut naive, mut steps) = (Vec::new(), first.duplicate());
            for step in 1..=4000_u64 {
                let before = steps.duplicate();
                steps.advance(1).unwrap();
                let mut names = seen_from_outside(&*before, &*steps);
                names.sort_unstable();
                if !names.is_empty() {
                    naive.push((step, names));
                }
            }
            let (mut sought, mut seeker, mut at) = (Vec::new(), first, 0);
            while at < 4000 {
                let mut found = seeker.seek((4000 - at).min(997), &wanted).unwrap();
                at += found.steps;
                found.names.sort_unstable();
                if !found.names.is_empty() {
                    sought.push((at, found.names));
                }
            }
            assert_eq!(naive, sought, "{name} seed {seed}");
            assert_eq!(agents(&*steps), agents(&*seeker), "{name}");
        }
    }
}

fn is_event(described: &Described, name: &str) -> bool {
    described.events.iter().any(|known| known.name == name)
}

#[test]
fn nothing_wanted_is_nothing_found() {
    let found = open(&trial("ppl", 8, 1)).seek(5000, &[]).unwrap();
    assert_eq!((found.steps, found.names), (5000, Vec::new()));
}

/// The number that the bits `b` spell from the border on.
fn spelled(session: &dyn Session, agents: impl Iterator<Item = usize>) -> String {
    let bits: Vec<i128> = agents.map(|i| session.agent(i).get("b").and_then(Value::as_int).unwrap()).collect();
    bits.iter().rev().fold(0, |sum, bit| 2 * sum + bit).to_string()
}

#[test]
fn segments_cover_the_ring_and_spell_their_ids_in_either_direction() {
    let mut directions = Vec::new();
    for seed in 0..6 {
        let mut trial = trial("undirected", 22, seed);
        trial.from = Some(Initial::Named("safe".into()));
        let session = open(&trial);
        let facts = session.facts();
        let left = facts.get("direction") == Some(&Value::from("left"));
        directions.push(left);
        let segments = session.segments();
        assert_eq!(segments.iter().map(|s| s.length).sum::<usize>(), 22);
        for segment in segments {
            let agents = (0..segment.length).map(|k| {
                let k = if left { segment.length - 1 - k } else { k };
                (segment.start + k) % 22
            });
            assert_eq!(spelled(&*session, agents), segment.label, "seed {seed}, left {left}");
        }
    }
    assert!(directions.contains(&true) && directions.contains(&false), "{directions:?}");
}

#[test]
fn segments_of_directions_are_runs_of_agents_that_point_one_way() {
    for seed in 0..20 {
        let session = open(&trial("por", 9, seed));
        let number = |i: usize, name: &str| session.agent(i % 9).get(name).and_then(Value::as_int).unwrap();
        for segment in session.segments() {
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
    for entry in ENTRIES.iter() {
        let name = &entry.about().name;
        let mut one = open(&trial(name, 7, 3));
        one.advance(500).unwrap();
        let (mut two, before) = (one.duplicate(), agents(&*one));
        two.advance(500).unwrap();
        assert_eq!(agents(&*one), before, "{name}");
        one.advance(500).unwrap();
        assert_eq!(agents(&*one), agents(&*two), "{name}");
    }
}
