//! A fingerprint of rules: a hash of what a transition does on fixed pairs of states. Records carry it, so that those of rules which
//! were changed are never taken for records of the old ones.

use crate::protocol::{Input, Protocol};
use crate::random::{Generator, Stream, below, mix, stream};
use crate::variables::Variables;

/// How many pairs of states are looked at. A rule that concerns fewer than one pair in some hundred may go unnoticed.
const PAIRS: usize = 1000;
/// The seed of the pairs. Another one would give other fingerprints, and make all records look changed.
const SEED: u64 = 1;

/// The fingerprint of a protocol with its parameters: its text if it has one, and transition, coins that are read, outputs and leaders,
/// on fixed pairs.
pub fn fingerprint<P: Protocol>(protocol: &P) -> u64 {
    let (variables, mut generator) = (protocol.variables(), stream(SEED, Stream::Start));
    (0..PAIRS).fold(SEED ^ protocol.text(), |hash, k| {
        let [mut l, mut r] = [(); 2].map(|()| any_state(&variables, &mut generator));
        let (coin, leader) = (below(&mut generator, protocol.coins()), k % 2 == 0);
        let reads = protocol.reads_coin(&l, &r);
        protocol.interact(&mut l, &mut r, Input { coin: if reads { coin } else { 0 }, leader });
        let hash = [l, r].iter().fold(mix(hash ^ u64::from(reads)), |hash, state| hash_state(hash, &variables, state));
        [l, r].iter().fold(hash, |hash, v| mix(mix(hash ^ protocol.output(v)) ^ u64::from(protocol.is_leader(v))))
    })
}

/// Inputs may be anything here.
fn any_state<S: Copy + Default + 'static>(variables: &Variables<S>, generator: &mut Generator) -> S {
    let mut state = S::default();
    variables.0.iter().for_each(|variable| variable.randomise(&mut state, generator));
    state
}

fn hash_state<S: Copy + 'static>(hash: u64, variables: &Variables<S>, state: &S) -> u64 {
    let index = |variable: &crate::variables::Variable<S>| variable.domain.index(&variable.get(state));
    variables.0.iter().fold(hash, |hash, variable| mix(hash ^ index(variable).unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Transition;
    use crate::protocols::ysm::{State, Ysm};

    /// [YSM21] with one rule changed: a dead agent forgets its distance.
    #[derive(Clone)]
    struct Changed(Ysm);

    impl Transition for Changed {
        type State = State;
        fn interact(&self, l: &mut State, r: &mut State, input: Input) {
            self.0.interact(l, r, input);
            if r.bullet == 2 && r.shield == 0 {
                r.signal_b = 0;
            }
        }
    }

    impl Protocol for Changed {
        fn variables(&self) -> Variables<State> {
            self.0.variables()
        }
        fn is_safe(&self, config: &[State]) -> bool {
            self.0.is_safe(config)
        }
        fn is_leader(&self, state: &State) -> bool {
            self.0.is_leader(state)
        }
    }

    #[test]
    fn a_changed_rule_or_parameter_changes_it_and_nothing_else_does() {
        let (ysm, other) = (Ysm { bound: 8 }, Ysm { bound: 9 });
        assert_eq!(fingerprint(&ysm), fingerprint(&ysm));
        assert_ne!(fingerprint(&ysm), fingerprint(&other));
        assert_ne!(fingerprint(&ysm), fingerprint(&Changed(ysm)));
    }
}
