//! The explicit check, against a naive one that shares nothing with it but the transition, and against planted bugs.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../ringleader/tests/common/mod.rs"]
mod common;
mod naive;

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use common::{entry, params};
use naive::{Node, leaderless, nodes, successors};
use ringleader::blueprint::{Blueprint, Declared};
use ringleader::instance::Instance;
use ringleader::protocol::{Input, Protocol, Transition};
use ringleader::protocols::aaf::Aaf;
use ringleader::protocols::aaf_orientation::AafOrientation;
use ringleader::protocols::aaf_token::AafToken;
use ringleader::protocols::elim::Elim;
use ringleader::protocols::fj::Fj;
use ringleader::protocols::pcl::Pcl;
use ringleader::protocols::por::Por;
use ringleader::protocols::ysm::Ysm;
use ringleader::ring::{Interaction, Orientation, Ring};
use ringleader::value::Value;
use ringleader::variable;
use ringleader::variables::{Domain, Variables};
use ringleader_verify::explicit::{Claim, Evidence, Explored, Flaw, Scope, Verdict, Work, alone, explore};

const SCOPE: Scope = Scope { memory: 1 << 28, everywhere: false };

/// A protocol with the parameters of a check.
fn smallest<P: Declared>(n: usize, named: &[(&str, u64)]) -> Instance<P> {
    Instance::smallest(Arc::new(P::blueprint()), n, &params(named)).unwrap()
}

/// A protocol with parameters that its blueprint would refuse.
fn forced<P: Declared>(protocol: P, n: usize) -> Instance<P> {
    let blueprint = P::blueprint();
    Instance { ring: Ring::new(n, blueprint.about.ring).unwrap(), blueprint: Arc::new(blueprint), protocol }
}

fn explored<P: Declared>(n: usize, named: &[(&str, u64)]) -> Explored {
    explore(&smallest::<P>(n, named), SCOPE, &mut alone)
}

// --- A naive check --------------------------------------------------------------------------------------------

/// Numbers of safe and promised nodes, of exceptions to each claim, and the distance of the farthest that can become
/// safe.
#[derive(Debug, Default, PartialEq)]
struct Naive {
    safe: u64,
    promised: u64,
    leaving: u64,
    changing: u64,
    stuck: u64,
    farthest: u64,
}

/// Rounds over all nodes until no distance to safety changes.
fn naive<P: Protocol>(Instance { blueprint, protocol, ring }: &Instance<P>) -> Naive {
    let ring = *ring;
    let (all, outputs) = (nodes(protocol, ring), |config: &[P::State]| -> Vec<u64> {
        config.iter().map(|state| protocol.output(state)).collect()
    });
    let mut distance: HashMap<Node<P>, u64> = HashMap::new();
    let mut seen = Naive::default();
    for node in all.iter().filter(|node| protocol.is_safe(&node.0)) {
        distance.insert(node.clone(), 0);
        let next = successors(protocol, ring, node);
        seen.safe += 1;
        seen.leaving += u64::from(next.iter().any(|(config, _)| !protocol.is_safe(config)));
        seen.changing += u64::from(next.iter().any(|(config, _)| outputs(config) != outputs(&node.0)));
    }
    for round in 1.. {
        seen.farthest = round - 1;
        let reaches = |node: &Node<P>| successors(protocol, ring, node).iter().any(|next| distance.contains_key(next));
        let fresh: Vec<Node<P>> =
            all.iter().filter(|node| !distance.contains_key(node) && reaches(node)).cloned().collect();
        if fresh.is_empty() {
            break;
        }
        distance.extend(fresh.into_iter().map(|node| (node, round)));
    }
    let is_promised = |node: &&Node<P>| blueprint.promise.as_ref().is_none_or(|set| (set.holds)(protocol, &node.0));
    for node in all.iter().filter(is_promised) {
        seen.promised += 1;
        seen.stuck += u64::from(!distance.contains_key(node));
    }
    seen
}

fn summary(explored: &Explored) -> Naive {
    let count = |claim: Claim| explored.flaws.iter().find(|flaw| flaw.claim == claim).map_or(0, |flaw| flaw.count);
    Naive {
        safe: explored.safe,
        promised: explored.promised,
        leaving: count(Claim::SafeClosed),
        changing: count(Claim::OutputsConstant),
        stuck: count(Claim::Reachable),
        farthest: explored.farthest,
    }
}

fn compare<P: Declared>(n: usize, named: &[(&str, u64)]) {
    let instance = smallest::<P>(n, named);
    let (explored, name) = (explore(&instance, SCOPE, &mut alone), &instance.blueprint.about.name);
    assert_eq!(summary(&explored), naive(&instance), "{name} n = {n} {named:?}");
    assert_eq!(explored.verdict, Verdict::Holds, "{name} n = {n} {named:?}");
}

#[test]
fn the_check_equals_a_naive_one() {
    compare::<Fj>(3, &[]);
    compare::<Fj>(4, &[]);
    compare::<Fj>(3, &[("delay", 1)]);
    compare::<Fj>(4, &[("delay", 3)]);
    compare::<Elim>(3, &[]);
    compare::<Aaf>(3, &[("k", 2)]);
    compare::<Pcl>(3, &[("colors", 3)]);
    compare::<Pcl>(4, &[("colors", 2)]);
    compare::<Por>(3, &[]);
    compare::<Por>(4, &[]);
    compare::<AafToken>(4, &[]);
    compare::<AafOrientation>(3, &[]);
    compare::<AafOrientation>(4, &[]);
}

/// The checks that a table of small rings would show; the larger ones are for the command line.
#[test]
fn small_rings_hold() {
    for (name, n, named) in [
        ("ysm", 3, vec![("bound", 3)]),
        ("ysm", 3, vec![("bound", 4)]),
        ("fj", 5, vec![]),
        ("fj", 6, vec![]),
        ("aaf", 4, vec![("k", 3)]),
        ("por", 5, vec![]),
        ("pcl", 3, vec![("colors", 5)]),
        ("pcl", 4, vec![("colors", 4)]),
        ("elim", 4, vec![]),
        ("aaf-orientation", 5, vec![]),
        ("aaf-colouring", 4, vec![]),
        ("aaf-token", 7, vec![]),
    ] {
        let explored = entry(name).explore(n, &params(&named), SCOPE, &mut alone).unwrap();
        assert_eq!(explored.verdict, Verdict::Holds, "{name} n = {n}: {:?}", explored.flaws);
    }
}

#[test]
fn two_hop_colourings_are_counted_up_to_renaming_and_turning() {
    let inputs = |n| explored::<AafOrientation>(n, &[]).inputs.unwrap();
    // By hand: 3 agents, all different; 4, two pairs; 5 and 7, colours of a 5-cycle and of a 7-cycle of "the agent after next".
    assert_eq!([3, 4, 5, 6].map(inputs), [1, 1, 1, 3]);
}

#[test]
fn the_order_of_work_changes_nothing() {
    let mut backwards = |_: &str, words: u64, work: &Work<'_>| {
        (0..words).rev().for_each(|word| work(word..word + 1));
        ControlFlow::Continue(())
    };
    let turned = explore(&smallest::<Aaf>(3, &[("k", 2)]), SCOPE, &mut backwards);
    assert_eq!(turned, explored::<Aaf>(3, &[("k", 2)]));
}

#[test]
fn a_stopped_check_says_so() {
    let stopped = explore(&smallest::<Fj>(3, &[]), SCOPE, &mut |_, _, _| ControlFlow::Break(()));
    assert_eq!(stopped.verdict, Verdict::Stopped);
}

#[test]
fn what_does_not_fit_is_too_large_and_counted() {
    let small = Scope { memory: 1000, ..SCOPE };
    let large = explore(&smallest::<Fj>(6, &[]), small, &mut alone);
    assert_eq!((large.verdict, large.configurations), (Verdict::TooLarge, Some(8_u128.pow(6))));
    let huge = entry("thue-morse").explore(3, &params(&[]), SCOPE, &mut alone).unwrap();
    let states = 24 * 2 * 4 * 217_u128.pow(3) * 57;
    assert_eq!((huge.verdict, huge.configurations), (Verdict::TooLarge, Some(states.pow(3))));
    let beyond = entry("ppl").explore(100, &params(&[]), SCOPE, &mut alone).unwrap();
    assert_eq!((beyond.verdict, beyond.configurations), (Verdict::TooLarge, None));
}

// --- Planted bugs ---------------------------------------------------------------------------------------------

/// Does what a flaw says, and gives the configurations before and after.
fn replayed<P: Protocol>(protocol: &P, flaw: &Flaw) -> [Vec<P::State>; 2] {
    let variables = protocol.variables();
    let read = |agent: &Value| variables.decode(agent, P::State::default()).unwrap();
    let config: Vec<P::State> = flaw.config.iter().map(read).collect();
    let mut next = config.clone();
    if let Evidence::Step((Interaction { initiator, responder }, coin)) = flaw.evidence {
        let (mut l, mut r) = (config[initiator], config[responder]);
        let leader = !leaderless(protocol, &config) || flaw.leaderless < protocol.oracle().unwrap_or(0);
        protocol.interact(&mut l, &mut r, Input { coin: coin.unwrap_or(0), leader });
        (next[initiator], next[responder]) = (l, r);
    }
    [config, next]
}

fn flaw(explored: &Explored, claim: Claim) -> &Flaw {
    assert_eq!(explored.verdict, Verdict::Fails);
    explored.flaws.iter().find(|flaw| flaw.claim == claim).unwrap_or_else(|| panic!("no {claim:?}: {explored:?}"))
}

/// N < n: the leader's left neighbour counts to N and declares another one, for ever.
#[test]
fn ysm_with_too_small_a_bound_has_no_safe_configuration() {
    let explored = explore(&forced(Ysm { bound: 2 }, 3), SCOPE, &mut alone);
    let stuck = flaw(&explored, Claim::Reachable);
    assert_eq!((explored.safe, explored.largest, stuck.count), (0, 0, 48_u64.pow(3)));
    assert!(matches!(stuck.evidence, Evidence::Loop(_, true)), "{stuck:?}");
}

/// k | n: the labels may count around the ring without a break.
#[test]
fn aaf_on_a_multiple_of_k_has_no_safe_configuration() {
    let explored = explore(&forced(Aaf { k: 3 }, 3), SCOPE, &mut alone);
    assert_eq!((explored.safe, flaw(&explored, Claim::Reachable).count), (0, 48_u64.pow(3)));
}

/// EliminateLeaders promises nothing outside C_PB, and would break such a promise.
#[test]
fn elim_fails_outside_c_pb() {
    let everywhere = Scope { everywhere: true, ..SCOPE };
    let explored = explore(&smallest::<Elim>(3, &[]), everywhere, &mut alone);
    let stuck = flaw(&explored, Claim::Reachable);
    assert!(explored.promise == "every configuration" && !explored.claims.contains(&Claim::PromiseClosed));
    // No leader, and so none for ever.
    assert!(stuck.config.iter().all(|agent| agent.get("leader") == Some(&Value::Int(0))));
    assert!(stuck.count >= 12_u64.pow(3));
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bug {
    None,
    /// A safe agent forgets, if the coin says so.
    Leaves,
    /// Outputs go on changing.
    Changes,
    /// Some agents never hear.
    Traps,
    /// The promised set is left.
    Breaks,
}

/// A rumour on an undirected ring that somebody has heard; who hears it counts to a random number.
#[derive(Clone)]
struct Rumour(Bug);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
struct State {
    heard: u8,
    count: u8,
}

impl Transition for Rumour {
    type State = State;
    fn coins(&self) -> u64 {
        3
    }
    fn reads_coin(&self, _: &State, r: &State) -> bool {
        r.count == 0
    }
    fn interact(&self, l: &mut State, r: &mut State, input: Input) {
        if self.0 == Bug::Traps && r.count == 2 {
            return;
        }
        r.heard = r.heard.max(l.heard);
        if r.count == 0 {
            r.count = input.coin as u8;
        }
        if self.0 == Bug::Leaves && l.count == 1 && r.count == 2 {
            r.heard = 0;
        }
        if self.0 == Bug::Breaks && l.count == 2 && r.count == 2 && l.heard + r.heard == 1 {
            (l.heard, r.heard) = (0, 0);
        }
    }
}

impl Protocol for Rumour {
    fn variables(&self) -> Variables<State> {
        let count = variable!("count", Domain::up_to(2), State.count);
        Variables(vec![variable!("heard", Domain::BIT, State.heard), count])
    }
    fn output(&self, state: &State) -> u64 {
        u64::from(if self.0 == Bug::Changes { state.count } else { state.heard })
    }
    fn is_safe(&self, config: &[State]) -> bool {
        config.iter().all(|state| state.heard == 1)
    }
}

impl Declared for Rumour {
    fn blueprint() -> Blueprint<Self> {
        Blueprint::new("rumour", Orientation::Undirected, |_, _| Ok(Self(Bug::None)))
            .safe("all have heard it")
            .promise("somebody", |_, config| config.iter().any(|state| state.heard == 1))
    }
}

fn rumour(bug: Bug) -> Explored {
    let instance = forced(Rumour(bug), 3);
    let explored = explore(&instance, SCOPE, &mut alone);
    assert_eq!(summary(&explored), naive(&instance), "{bug:?}");
    explored
}

#[test]
fn a_planted_bug_fails_with_a_witness_that_replays() {
    assert_eq!(rumour(Bug::None).verdict, Verdict::Holds);

    let leaves = rumour(Bug::Leaves);
    let [before, after] = replayed(&Rumour(Bug::Leaves), flaw(&leaves, Claim::SafeClosed));
    assert!(Rumour(Bug::Leaves).is_safe(&before) && !Rumour(Bug::Leaves).is_safe(&after));

    let changes = rumour(Bug::Changes);
    let [before, after] = replayed(&Rumour(Bug::Changes), flaw(&changes, Claim::OutputsConstant));
    assert!(Rumour(Bug::Changes).is_safe(&before) && Rumour(Bug::Changes).is_safe(&after));
    assert!((0..3).any(|i| before[i].count != after[i].count));
    assert_eq!(changes.flaws.len(), 1, "{:?}", changes.flaws);

    let traps = rumour(Bug::Traps);
    let [stuck, _] = replayed(&Rumour(Bug::Traps), flaw(&traps, Claim::Reachable));
    assert!(stuck.iter().any(|v| v.heard == 1) && stuck.iter().any(|v| v.heard == 0 && v.count == 2), "{stuck:?}");

    let breaks = rumour(Bug::Breaks);
    let [before, after] = replayed(&Rumour(Bug::Breaks), flaw(&breaks, Claim::PromiseClosed));
    assert!(before.iter().any(|v| v.heard == 1) && after.iter().all(|v| v.heard == 0));
}

/// 3 bits for a configuration and 32 bytes for a pair of states, twice if an oracle may say either.
#[test]
fn memory_is_counted() {
    let fits = |name: &str, named: &[(&str, u64)], memory: u64| {
        let scope = Scope { memory, ..SCOPE };
        entry(name).explore(3, &params(named), scope, &mut alone).unwrap().verdict != Verdict::TooLarge
    };
    let (fj, elim) = (8 * 8 * 8 * 3 / 8 + 8 * 8 * 32 * 2, 24 * 24 * 24 * 3 / 8 + 24 * 24 * 32);
    for (name, named, least) in [("fj", &[][..], fj), ("fj", &[("delay", 1)], fj + 192), ("elim", &[], elim)] {
        assert!(fits(name, named, least) && !fits(name, named, least - 1), "{name} {least}");
    }
}
