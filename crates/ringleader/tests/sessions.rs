//! A ring that is stepped: every step is what a naive run of the transition gives, and whole runs end alike on every engine.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{agents, instance, open, started, trial};
use ringleader::blueprint::Declared;
use ringleader::engine::stepper::Halt;
use ringleader::instance::Instance;
use ringleader::protocol::{Input, Protocol, Transition};
use ringleader::protocols::{fj::Fj, pcl::Pcl, por::Por, ppl::Ppl, undirected::Undirected};
use ringleader::ring::Interaction;
use ringleader::schedule::{AnySchedule, Recorded, Schedule};
use ringleader::session::Session;
use ringleader::trial::{Engine, Trial};
use ringleader::value::{Text, Value};

/// A ring that is run by the transition alone.
struct Naive<P: Protocol> {
    instance: Instance<P>,
    schedule: AnySchedule,
    config: Vec<<P as Transition>::State>,
    leaderless: u64,
}

impl<P: Protocol> Naive<P> {
    fn has_leader(&self) -> bool {
        self.config.iter().any(|state| self.instance.protocol.is_leader(state))
    }

    fn agents(&self) -> Vec<Value> {
        let variables = self.instance.protocol.variables();
        self.config.iter().map(|state| variables.encode(state)).collect()
    }

    /// One interaction: who took part, and the coin if it read one.
    fn step(&mut self) -> ([usize; 2], Option<u64>) {
        let (e, protocol) = (self.schedule.next().unwrap(), self.instance.protocol.clone());
        let (mut l, mut r) = (self.config[e.initiator], self.config[e.responder]);
        let coin = protocol.reads_coin(&l, &r).then(|| self.schedule.coin(protocol.coins()).unwrap());
        let (delay, led) = (protocol.oracle().unwrap_or(0), self.has_leader());
        let leader = led || self.leaderless < delay;
        protocol.interact(&mut l, &mut r, Input { coin: coin.unwrap_or(0), leader });
        (self.config[e.initiator], self.config[e.responder]) = (l, r);
        self.leaderless = if led || self.has_leader() { 0 } else { (self.leaderless + 1).min(delay) };
        ([e.initiator, e.responder], coin)
    }
}

/// The events that two configurations show, in the order of the blueprint. What cannot be told from single variables is left to
/// tests of its own.
fn events(known: &[Text], before: &[Value], after: &[Value]) -> Vec<Text> {
    let differs = |name: &str| before.iter().zip(after).any(|(a, b)| a.get(name) != b.get(name));
    let turns = |from: i128, to: i128| {
        let leads = |agent: &Value| agent.get("leader").and_then(Value::as_int);
        before.iter().zip(after).any(|(a, b)| (leads(a), leads(b)) == (Some(from), Some(to)))
    };
    let occurs = |event: &&Text| match &***event {
        "leader created" => turns(0, 1),
        "leader killed" => turns(1, 0),
        "mode changed" => differs("mode"),
        "recoloured" => differs("color"),
        "direction changed" => differs("dir"),
        // The output of P_OR is its colour and its direction, that of P_CL its colour.
        "output changed" => differs("color") || differs("dir"),
        "token at its target" => false,
        other => panic!("unknown event {other}"),
    };
    known.iter().filter(occurs).cloned().collect()
}

fn compare<P: Declared>(n: usize, named: &[(&str, u64)], start: &str) {
    let mut seen: Vec<Text> = Vec::new();
    for seed in 0..3 {
        let instance: Instance<P> = instance(n, named);
        let name = instance.blueprint.about.name.clone();
        let trial = trial(&name, n, named, start, seed);
        let known: Vec<Text> = instance.blueprint.events.iter().map(|event| event.named.name.clone()).collect();
        let (schedule, config) =
            (AnySchedule::new(trial.scheduler, instance.ring, seed), started(&instance, start, seed));
        let (mut naive, mut session) = (Naive { instance, schedule, config, leaderless: 0 }, open(&trial));
        for t in 0..6000 {
            let before = naive.agents();
            let (pair, coin) = naive.step();
            let (step, after) = (session.step().unwrap(), naive.agents());
            assert_eq!([step.interaction.initiator, step.interaction.responder], pair, "{name} step {t}");
            assert_eq!(step.coin, coin, "{name} step {t}");
            assert_eq!(step.before, pair.map(|i| before[i].clone()), "{name} step {t}");
            assert_eq!(agents(&*session), after, "{name} step {t}");
            let told: Vec<Text> = step.events.into_iter().filter(|name| name != "token at its target").collect();
            assert_eq!(told, events(&known, &before, &after), "{name} step {t}");
            seen.extend(told);
        }
    }
    assert!(!seen.is_empty(), "nothing happened");
}

#[test]
fn steps_are_those_of_a_naive_run() {
    compare::<Por>(9, &[], "uniform");
    compare::<Pcl>(9, &[("colors", 4)], "one-color");
    compare::<Ppl>(8, &[("kappa", 2)], "uniform");
    compare::<Undirected>(8, &[("kappa", 2), ("colors", 5)], "uniform");
    // So late that the oracle has to remember.
    for delay in [0, 1, 300] {
        compare::<Fj>(5, &[("delay", delay)], "leaderless");
    }
}

/// A ring that is long enough to be cut into arcs, for a little more than a window.
#[test]
fn one_long_ring_ends_alike_on_every_engine() {
    for (protocol, start, n) in [
        ("ppl", "uniform", 3000),
        ("ppl", "leaderless", 3000),
        ("ysm", "uniform", 3001),
        ("por", "uniform", 3000),
        ("pcl", "one-color", 3001),
    ] {
        for limit in [1000, 300_000] {
            let trial = Trial { limit: Some(limit), phases: false, ..trial(protocol, n, &[], start, 5) };
            let ended = |engine| {
                let mut session = open(&trial);
                (session.run(&trial, engine, &()).unwrap(), agents(&*session))
            };
            let (record, last) = ended(Engine::Stepper);
            let mut stepped = open(&trial);
            stepped.advance(record.steps).unwrap();
            assert!(agents(&*stepped) == last, "{protocol} n {n}: the stepper");
            for engine in [Engine::Sliced, Engine::Auto] {
                let sliced = ended(engine);
                assert_eq!(sliced.0, record, "{protocol} n {n} {}", engine.name());
                assert!(sliced.1 == last, "{protocol} n {n} {}: another configuration", engine.name());
            }
        }
    }
}

/// The same ring with these interactions and coins before it.
fn with_schedule(session: &dyn Session, interactions: &[Interaction], coins: &[u64]) -> Box<dyn Session> {
    let mut other = session.duplicate();
    *other.schedule() = AnySchedule::Recorded(Recorded::new(interactions.to_vec(), coins.to_vec()));
    other
}

#[test]
fn a_schedule_that_ends_is_told_and_changes_nothing() {
    let session = open(&trial("pcl", 9, &[("colors", 3)], "uniform", 1));
    let (ring, before) = (session.described().ring, agents(&*session));
    let mut halted = 0;
    for e in (0..ring.arcs()).map(|k| ring.arc(k)) {
        let (mut without, mut with) = (with_schedule(&*session, &[e], &[]), with_schedule(&*session, &[e], &[5]));
        let step = with.step().unwrap();
        assert_eq!(with.step(), Err(Halt::Schedule));
        assert_eq!(without.step().err(), step.coin.map(|_| Halt::Coins));
        if step.coin.is_some() {
            assert_eq!((step.coin, agents(&*without)), (Some(5), before.clone()));
            halted += 1;
        }
    }
    assert!((1..ring.arcs()).contains(&halted), "{halted} interactions read a coin");
    let three: Vec<Interaction> = (0..3).map(|k| ring.arc(2 * k)).collect();
    for steps in [4, 1000] {
        assert_eq!(with_schedule(&*session, &three, &[0; 3]).advance(steps), Err((Halt::Schedule, 3)));
        assert_eq!(with_schedule(&*session, &three, &[0; 3]).seek(steps, &[]), Err((Halt::Schedule, 3)));
    }
}

/// An edit that is refused leaves the ring as it was, and with it what the oracle knows of it.
#[test]
fn a_refused_edit_changes_nothing() {
    let trial = trial("fj", 5, &[], "safe", 1);
    let (mut edited, mut other) = (open(&trial), open(&trial));
    let [dead, wrong] = [0, 2].map(|leader| {
        Value::map([("leader", leader), ("bullet", 0), ("shield", 0)].map(|(name, k)| (name, Value::Int(k))))
    });
    let leader = edited.leaders()[0];
    assert!(edited.set_agents(&[(leader, dead.clone()), (4 - leader, wrong)]).is_err());
    assert!(edited.set_agents(&[(leader, dead.clone()), (5, dead.clone())]).is_err());
    for _ in 0..100 {
        assert_eq!((edited.step(), agents(&*edited)), (other.step(), agents(&*other)));
    }
    let leader = edited.leaders()[0];
    edited.set_agents(&[(leader, dead)]).unwrap();
    assert!(edited.leaders().is_empty());
    edited.advance(1).unwrap();
    assert!(!edited.leaders().is_empty(), "the oracle has seen the edit");
}
