//! The composition on undirected rings against P_PL alone.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{open, trial};
use ringleader::ring::Interaction;
use ringleader::schedule::{AnySchedule, Recorded};
use ringleader::session::Session;
use ringleader::value::{Text, Value};

/// Whether a token arrives at its target if this is what happens next.
fn hits(session: &dyn Session, interaction: Interaction) -> bool {
    let wanted: [Text; 1] = ["token at its target".into()];
    let mut next = session.duplicate();
    *next.schedule() = AnySchedule::Recorded(Recorded::new(vec![interaction], vec![]));
    !next.seek(1, &wanted).unwrap().names.is_empty()
}

/// An oriented ring, every interaction of it, and the same on a directed ring with its P_PL part.
#[test]
fn tokens_arrive_in_the_composition_when_they_do_in_p_pl() {
    let (n, params, mut seen) = (12, [("psi", 4), ("c1", 1)], [[0; 2]; 2]);
    for seed in 0..40 {
        let both = open(&trial("undirected", n, &params, "tokens", seed));
        let left = both.facts().get("direction") == Some(&Value::from("left"));
        let place = |i: usize| if left { n - 1 - i } else { i };
        let mut ppl = open(&trial("ppl", n, &params, "leaderless", seed));
        let names: Vec<Text> = ppl.described().variables.iter().map(|variable| variable.name.clone()).collect();
        let part = |i: usize| Value::map(names.iter().map(|name| (&**name, both.agent(i).get(name).unwrap().clone())));
        let parts: Vec<(usize, Value)> = (0..n).map(|i| (place(i), part(i))).collect();
        ppl.set_agents(&parts).unwrap();
        let (ring, directed) = (both.described().ring, ppl.described().ring);
        for arc in (0..ring.arcs()).map(|k| ring.arc(k)) {
            let (a, b) = (place(arc.initiator), place(arc.responder));
            let alone = directed.between(a, b).or_else(|_| directed.between(b, a)).unwrap();
            let expected = hits(&*ppl, alone);
            assert_eq!(hits(&*both, arc), expected, "seed {seed}, left {left}, {arc:?}");
            seen[usize::from(left)][usize::from(expected)] += 1;
        }
    }
    assert!(seen.iter().flatten().all(|&count| count > 20), "{seen:?}");
}
