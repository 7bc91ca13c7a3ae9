//! Definition 1 taken literally, against a search from every configuration on its own; for the protocols of the paper
//! and for files that are right, never settle, or settle on something wrong.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod naive;

use std::collections::HashSet;
use std::sync::Arc;

use naive::{Node, leaderless, nodes, successors};
use ringleader::blueprint::Declared;
use ringleader::instance::Instance;
use ringleader::params::Params;
use ringleader::protocol::{Input, Protocol, leaders};
use ringleader::protocols::aaf::Aaf;
use ringleader::protocols::aaf_token::AafToken;
use ringleader::protocols::elim::Elim;
use ringleader::protocols::fj::Fj;
use ringleader::protocols::pcl::Pcl;
use ringleader::protocols::por::Por;
use ringleader::protocols::ysm::Ysm;
use ringleader::value::Value;
use ringleader_notation::written::{Trouble, Written, blueprint};
use ringleader_verify::exact::ask::{Begin, Found, Question, Until, ask};
use ringleader_verify::explicit::{Claim, Evidence, Explored, Flaw, Scope, Verdict, alone, explore};

const SCOPE: Scope = Scope { memory: 1 << 28, everywhere: false };

fn params(named: &[(&str, u64)]) -> Params {
    named.iter().fold(Params::default(), |all, (name, value)| all.with(name, *value))
}

fn declared<P: Declared>(n: usize, named: &[(&str, u64)]) -> Instance<P> {
    Instance::smallest(Arc::new(P::blueprint()), n, &params(named)).unwrap()
}

fn written(text: &str, n: usize) -> Instance<Written> {
    let program = ringleader_notation::read("test.py", text).unwrap_or_else(|problems| panic!("{problems}"));
    let blueprint = blueprint(&Arc::new(program), "test.py", &Trouble::default());
    Instance::smallest(Arc::new(blueprint), n, &Params::default()).unwrap()
}

// --- The definition, word by word -----------------------------------------------------------------------------------

fn outputs<P: Protocol>(protocol: &P, config: &[P::State]) -> Vec<u64> {
    config.iter().map(|state| protocol.output(state)).collect()
}

/// Goes through everything that is reachable; `wanted` ends the search.
fn reaches<P: Protocol>(instance: &Instance<P>, from: &Node<P>, wanted: impl Fn(&Node<P>) -> bool) -> bool {
    let (mut seen, mut stack) = (HashSet::from([from.clone()]), vec![from.clone()]);
    while let Some(node) = stack.pop() {
        if wanted(&node) {
            return true;
        }
        let fresh = successors(&instance.protocol, instance.ring, &node).into_iter();
        stack.extend(fresh.filter(|next| seen.insert(next.clone())));
    }
    false
}

/// (i) one leader, if one is elected; (ii) at every configuration that is reachable, all agents keep their outputs.
fn safe<P: Protocol>(instance: &Instance<P>, node: &Node<P>) -> bool {
    let (protocol, first) = (&instance.protocol, outputs(&instance.protocol, &node.0));
    let one = !instance.blueprint.about.elects || leaders(protocol, &node.0).len() == 1;
    one && !reaches(instance, node, |(config, _)| outputs(protocol, config) != first)
}

/// All nodes, and those that are safe.
fn definition<P: Protocol>(instance: &Instance<P>) -> (Vec<Node<P>>, HashSet<Node<P>>) {
    let all = nodes(&instance.protocol, instance.ring);
    let safe = all.iter().filter(|node| safe(instance, node)).cloned().collect();
    (all, safe)
}

// --- The check ------------------------------------------------------------------------------------------------------

fn read<P: Protocol>(protocol: &P, config: &[Value]) -> Vec<P::State> {
    let variables = protocol.variables();
    config.iter().map(|agent| variables.decode(agent, P::State::default()).unwrap()).collect()
}

/// What the check says of all safe configurations is what the definition says.
fn compare<P: Protocol>(instance: &Instance<P>) -> Explored {
    let Instance { blueprint, protocol, ring } = instance;
    let (explored, (all, safe)) = (explore(instance, SCOPE, &mut alone), definition(instance));
    let name = format!("{}, n = {}", blueprint.about.name, ring.n());
    assert_eq!(explored.largest, safe.len() as u64, "{name}");
    if blueprint.about.declares_safe {
        let left_out = safe.iter().filter(|node| !protocol.is_safe(&node.0)).count() as u64;
        assert_eq!(explored.left_out.as_ref().map_or(0, |left_out| left_out.count), left_out, "{name}");
        if let Some(example) = &explored.left_out {
            let node = (read(protocol, &example.config), 0);
            assert!(safe.contains(&node) && !protocol.is_safe(&node.0), "{name}: {example:?}");
        }
        return explored;
    }
    assert_eq!((explored.safe, &explored.left_out), (explored.largest, &None), "{name}");
    let promised = |node: &&Node<P>| blueprint.promise.as_ref().is_none_or(|set| (set.holds)(protocol, &node.0));
    let stuck = |node: &&Node<P>| !reaches(instance, node, |next| safe.contains(next));
    let stuck = all.iter().filter(promised).filter(stuck).count() as u64;
    let flaw = explored.flaws.iter().find(|flaw| flaw.claim == Claim::Stabilizes);
    assert_eq!(flaw.map_or(0, |flaw| flaw.count), stuck, "{name}");
    if let Some(flaw) = flaw {
        assert!(!reaches(instance, &shown(instance, flaw), |next| safe.contains(next)), "{name}: {flaw:?}");
    }
    explored
}

/// The node of a flaw, after its evidence was looked at.
fn shown<P: Protocol>(instance: &Instance<P>, flaw: &Flaw) -> Node<P> {
    let Instance { protocol, ring, .. } = instance;
    let first = (read(protocol, &flaw.config), flaw.leaderless);
    match &flaw.evidence {
        Evidence::Silent => assert!(successors(protocol, *ring, &first).iter().all(|next| *next == first)),
        Evidence::Loop(moves, changes) => {
            let (mut node, mut changed) = (first.clone(), false);
            for (e, coin) in moves {
                let leader = !leaderless(protocol, &node.0) || node.1 < protocol.oracle().unwrap_or(0);
                let (mut next, mut l, mut r) = (node.0.clone(), node.0[e.initiator], node.0[e.responder]);
                assert_eq!(coin.is_some(), protocol.reads_coin(&l, &r));
                protocol.interact(&mut l, &mut r, Input { coin: coin.unwrap_or(0), leader });
                (next[e.initiator], next[e.responder]) = (l, r);
                changed |= outputs(protocol, &next) != outputs(protocol, &node.0);
                let still = leaderless(protocol, &node.0) && leaderless(protocol, &next);
                let memory = if still { (node.1 + 1).min(protocol.oracle().unwrap_or(0)) } else { 0 };
                node = (next, memory);
            }
            assert_eq!((&node, changed), (&first, *changes), "{flaw:?}");
            assert!(!moves.is_empty());
        }
        other => panic!("{other:?}"),
    }
    first
}

#[test]
fn all_safe_configurations_of_the_protocols_of_the_paper() {
    for explored in [
        compare(&declared::<Fj>(3, &[])),
        compare(&declared::<Fj>(4, &[("delay", 2)])),
        compare(&declared::<Elim>(3, &[])),
        compare(&declared::<Aaf>(3, &[("k", 2)])),
        compare(&declared::<AafToken>(4, &[])),
        compare(&declared::<Por>(3, &[])),
        compare(&declared::<Por>(4, &[])),
        compare(&declared::<Pcl>(3, &[("colors", 3)])),
        compare(&declared::<Ysm>(3, &[("bound", 3)])),
    ] {
        assert_eq!(explored.verdict, Verdict::Holds);
    }
}

// --- Files ----------------------------------------------------------------------------------------------------------

const FJ: &str = include_str!("../../../protocols/fj.py");

/// A file without its function `safe`.
fn without_safe(text: &str) -> String {
    let (before, rest) = text.split_once("def safe(u):").unwrap();
    let (_, after) = rest.split_once("\n\n\n").unwrap();
    format!("{before}{after}")
}

/// Agents with a bit that says who leads and a counter, with this transition.
fn election(interact: &str) -> String {
    format!("class Agent:\n    leads: bit\n    count: span(0, 2)\n\ndef leader(v): return v.leads == 1\n\n{interact}")
}

#[test]
fn a_file_that_is_right_stabilizes_without_a_safe_set() {
    let file = compare(&written(&without_safe(FJ), 3));
    assert_eq!((file.verdict, file.safe), (Verdict::Holds, explore(&declared::<Fj>(3, &[]), SCOPE, &mut alone).safe));
    assert_eq!(file.claims, [Claim::Stabilizes]);
    let late = without_safe(FJ).replace("delay: Param = 0", "delay: Param = 2");
    assert_eq!(compare(&written(&late, 3)).verdict, Verdict::Holds);
    let rumour = "class Agent:\n    x: span(0, 3)\ndef interact(l, r):\n    r.x = max(l.x, r.x)\n";
    assert_eq!(compare(&written(rumour, 4)).verdict, Verdict::Holds);
    // The coin makes two that are equal differ; then the outputs stay.
    let colours = "ring = undirected\nclass Agent:\n    c: span(0, 2)\n\
        def interact(l, r, coin: span(0, 2)):\n    if l.c == r.c:\n        r.c = coin\n";
    assert_eq!(compare(&written(colours, 4)).verdict, Verdict::Holds);
}

/// The evidence of the only flaw.
fn evidence(text: &str, n: usize) -> Evidence {
    let explored = compare(&written(text, n));
    assert_eq!((explored.verdict, explored.flaws.len()), (Verdict::Fails, 1), "{text}");
    explored.flaws[0].evidence.clone()
}

#[test]
fn a_silent_wrong_configuration_is_shown() {
    // Leaders that meet fight; nobody makes one, and two that are apart never meet.
    let fight = election("def interact(l, r):\n    if l.leads and r.leads:\n        r.leads = 0\n");
    assert_eq!(evidence(&fight, 3), Evidence::Silent);
    assert_eq!(evidence(&fight, 4), Evidence::Silent);
    let rules = "rules = {(\"L\", \"L\"): (\"L\", \"F\")}\ndef leader(v): return v.state == \"L\"\n";
    assert_eq!(evidence(rules, 4), Evidence::Silent);
}

#[test]
fn a_livelock_is_shown_as_a_loop() {
    // The leader moves on and on. Up to a turn of the ring nothing happens at all.
    let walk = election("def interact(l, r):\n    if l.leads and not r.leads:\n        (l.leads, r.leads) = (0, 1)\n");
    let alone_on_its_way = format!("{walk}\n@promise\ndef one(u): return sum(v.leads for v in u) == 1\n");
    let Evidence::Loop(moves, true) = evidence(&alone_on_its_way, 3) else { panic!() };
    assert_eq!(moves.len(), 3, "once round the ring");
    // A coin decides, again and again.
    let coin = election("def interact(l, r, coin: bit):\n    r.leads = coin\n");
    assert!(matches!(evidence(&coin, 3), Evidence::Loop(moves, true) if moves.iter().all(|(_, coin)| coin.is_some())));
    // Without a leader the counters go on and nobody becomes one.
    let busy = election("def interact(l, r):\n    r.count = (r.count + 1) % 3\n    if l.leads: r.leads = 0\n");
    assert!(matches!(evidence(&busy, 3), Evidence::Loop(moves, false) if moves.len() == 3));
}

/// On its way to where it stays, a leader may still change: only what can no longer change is safe.
#[test]
fn one_leader_is_not_enough() {
    let ages = election("def interact(l, r):\n    if l.count < 2: l.count += 1\n    elif l.leads: l.leads = 0\n");
    let instance = written(&ages, 3);
    let explored = compare(&instance);
    assert_eq!((explored.safe, explored.verdict), (0, Verdict::Fails));
    // A canary: a single look ahead would have found some.
    let Instance { protocol, ring, .. } = &instance;
    let keeps = |node: &&Node<Written>| {
        let next = successors(protocol, *ring, node);
        next.iter().all(|next| outputs(protocol, &next.0) == outputs(protocol, &node.0))
    };
    let all = nodes(protocol, *ring);
    assert!(all.iter().filter(|node| leaders(protocol, &node.0).len() == 1).any(|node| keeps(&node)));
    let settles =
        election("def interact(l, r):\n    if l.count == 1:\n        (l.count, r.leads) = (2, 1 - r.leads)\n");
    let explored = compare(&written(&settles, 3));
    assert!(explored.safe > 0 && explored.safe < 3 * 3_u64.pow(3), "{explored:?}");
}

#[test]
fn a_declared_set_must_have_one_leader() {
    let still = election("def interact(l, r):\n    pass\n\ndef safe(u): return sum(v.leads for v in u) <= 1\n");
    let explored = compare(&written(&still, 3));
    let flaw = &explored.flaws[0];
    assert_eq!((flaw.claim, flaw.count, &flaw.evidence), (Claim::OneLeader, 3_u64.pow(3), &Evidence::Itself));
}

/// Sets that tell agents apart by their numbers are taken as they are, and not turned.
#[test]
fn a_set_may_know_the_numbers_of_agents() {
    let instance = written(
        &election(
            "def interact(l, r):\n    if l.leads and r.leads:\n        r.leads = 0\n\n\
            def safe(u): return u[0].leads == 1 and sum(v.leads for v in u) == 1\n",
        ),
        3,
    );
    let explored = compare(&instance);
    assert_eq!((explored.safe, explored.largest), (3_u64.pow(3), 3 * 3_u64.pow(3)));
    let Instance { protocol, ring, .. } = &instance;
    let all = nodes(protocol, *ring);
    let stuck = all.iter().filter(|node| !reaches(&instance, node, |next| protocol.is_safe(&next.0))).count() as u64;
    let flaws: Vec<(Claim, u64)> = explored.flaws.iter().map(|flaw| (flaw.claim, flaw.count)).collect();
    assert_eq!(flaws, [(Claim::Reachable, stuck)]);
    assert!(
        ask(&instance, &question(Until::Safe, true), None, &())
            .is_err_and(|error| error.to_string().contains("--no-rotation"))
    );
    assert!(asked(&instance, Until::Safe, false).starts[1] >= stuck);
}

// --- Exact times ----------------------------------------------------------------------------------------------------

fn question(until: Until<'_>, rotate: bool) -> Question<'_> {
    Question { start: Begin::Named("every"), seed: 1, until, rotate, rename: true, most: 1 << 20, quantiles: 0 }
}

fn asked<P: Protocol>(instance: &Instance<P>, until: Until<'_>, rotate: bool) -> Found {
    ask(instance, &question(until, rotate), None, &()).unwrap().unwrap()
}

/// The mean over all starts, from values that are iterated until nothing changes any more.
fn mean<P: Protocol>(instance: &Instance<P>) -> f64 {
    let (all, safe) = definition(instance);
    let number: std::collections::HashMap<&Node<P>, usize> = all.iter().zip(0..).collect();
    // No coins here, so all arcs are equally likely.
    let next: Vec<Vec<usize>> = all
        .iter()
        .map(|node| successors(&instance.protocol, instance.ring, node).iter().map(|next| number[next]).collect())
        .collect();
    let mut steps = vec![0.0; all.len()];
    for _ in 0..1000 {
        steps = (0..all.len())
            .map(|k| {
                let after = next[k].iter().map(|&to| steps[to]).sum::<f64>() / next[k].len() as f64;
                if safe.contains(&all[k]) { 0.0 } else { 1.0 + after }
            })
            .collect();
    }
    steps.iter().sum::<f64>() / all.len() as f64
}

#[test]
fn exact_times_end_at_the_largest_safe_set() {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b;
    let (file, fj) = (written(&without_safe(FJ), 3), declared::<Fj>(3, &[]));
    let times = [
        asked(&file, Until::Safe, true),
        asked(&file, Until::Largest, false),
        asked(&fj, Until::Largest, true),
        asked(&fj, Until::Safe, true),
    ];
    // The declared set of FJ06 is all of it.
    assert!(times.iter().all(|found| near(found.mean, times[0].mean)), "{:?}", times.map(|found| found.mean));
    assert!(near(times[0].mean, mean(&fj)));
    assert_eq!(times[0].until, "safe by Definition 1");
    let aaf = declared::<Aaf>(3, &[("k", 2)]);
    let [largest, set] = [Until::Largest, Until::Safe].map(|until| asked(&aaf, until, true).mean);
    let naive = mean(&aaf);
    assert!(largest <= set && near(largest, naive), "{largest} {set} {naive}");
    // A leader that moves on is not safe, although it is the same up to rotation.
    let walk = election("def interact(l, r):\n    if l.leads and not r.leads:\n        (l.leads, r.leads) = (0, 1)\n");
    let found = asked(&written(&walk, 3), Until::Safe, true);
    assert_eq!(found.starts[0], found.starts[1], "nothing is safe");
}
