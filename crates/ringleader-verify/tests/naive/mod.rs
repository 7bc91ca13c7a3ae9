//! All configurations of a small ring and what may come next, with nothing shared but the transition.

#![allow(unreachable_pub, reason = "a module of tests")]

use ringleader::protocol::{Input, Protocol, Transition};
use ringleader::ring::Ring;

/// A configuration, and for how many steps there has been no leader.
pub type Node<P> = (Vec<<P as Transition>::State>, u64);

pub fn leaderless<P: Protocol>(protocol: &P, config: &[P::State]) -> bool {
    !config.iter().any(|state| protocol.is_leader(state))
}

/// Every node, in no order that matters.
pub fn nodes<P: Protocol>(protocol: &P, ring: Ring) -> Vec<Node<P>> {
    let variables = protocol.variables();
    let mut all = Vec::new();
    for input in protocol.inputs(ring) {
        let mut configs: Vec<Vec<P::State>> = vec![Vec::new()];
        for agent in input {
            let states: Vec<P::State> = variables
                .enumerate(agent)
                .filter(|state| variables.0.iter().all(|v| !v.input || v.get(state) == v.get(&agent)))
                .collect();
            let longer = |config: &Vec<P::State>| {
                states.iter().map(|state| [config.as_slice(), &[*state]].concat()).collect::<Vec<_>>()
            };
            configs = configs.iter().flat_map(longer).collect();
        }
        for config in configs {
            let delay = protocol.oracle().filter(|_| leaderless(protocol, &config)).unwrap_or(0);
            all.extend((0..=delay).map(|memory| (config.clone(), memory)));
        }
    }
    all
}

pub fn successors<P: Protocol>(protocol: &P, ring: Ring, (config, memory): &Node<P>) -> Vec<Node<P>> {
    let (without, mut all) = (leaderless(protocol, config), Vec::new());
    let leader = !without || *memory < protocol.oracle().unwrap_or(0);
    for e in (0..ring.arcs()).map(|arc| ring.arc(arc)) {
        let (l, r) = (config[e.initiator], config[e.responder]);
        for coin in 0..if protocol.reads_coin(&l, &r) { protocol.coins() } else { 1 } {
            let (mut next, mut l, mut r) = (config.clone(), l, r);
            protocol.interact(&mut l, &mut r, Input { coin, leader });
            (next[e.initiator], next[e.responder]) = (l, r);
            let still = without && leaderless(protocol, &next);
            let memory = if still { (memory + 1).min(protocol.oracle().unwrap_or(0)) } else { 0 };
            all.push((next, memory));
        }
    }
    all
}
