//! A quick comparison of a circuit with the clear form, for whoever is about to rely on it: a rule that was changed in one of the two is found
//! at once. `tests/forms.rs` compares far more.

use std::fmt;

use crate::circuit::Circuit;
use crate::protocol::{Input, Protocol};
use crate::random::{Generator, Stream, below, index, stream};

/// How many pairs are compared before a circuit is used: enough for any difference that is not very rare, in about a millisecond.
pub const PAIRS: usize = 4096;

/// Two states on which the two forms of a protocol differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// Who meets whom, with which coin.
    pub meeting: String,
    /// What differs after the interaction.
    pub what: String,
    /// What it is in the clear form.
    pub clear: String,
    /// What it is in the circuit.
    pub circuit: String,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { meeting, what, clear, circuit } = self;
        write!(f, "when {meeting}, ")?;
        write!(f, "{what} is {clear} in the clear form and {circuit} in the circuit")
    }
}

impl std::error::Error for Disagreement {}

/// Two states that meet, and the coin that they read.
type Meeting<S> = (S, S, u64);

/// Compares so many random meetings: the states afterwards, whether an output changed, whether a coin is read, and that a lane that is not
/// asked keeps its states. An oracle answers that there is a leader, as it does in lanes.
///
/// # Errors
/// The first difference.
pub fn agree<P, C>(protocol: &P, circuit: &C, pairs: usize, seed: u64) -> Result<(), Disagreement>
where
    P: Protocol,
    C: Circuit<State = P::State>,
{
    let (pool, mut generator) = (pool(protocol, seed), stream(seed, Stream::Coins));
    for k in 0..pairs.div_ceil(64) {
        // Two uniform states, or two of the others.
        let any = |generator: &mut Generator| pool[2 * index(generator, pool.len() / 2) + k % 2];
        let meeting = |generator: &mut Generator| (any(generator), any(generator), below(generator, protocol.coins()));
        let meetings: [Meeting<P::State>; 64] = std::array::from_fn(|_| meeting(&mut generator));
        compare(protocol, circuit, &meetings, !(1 << (k % 64)))?;
    }
    Ok(())
}

/// Some states. In every other one the variables mostly sit at the ends of their domains, since much happens only there: a uniform state
/// of P_PL is practically never in detection mode, and of many colours two are never the same.
pub fn pool<P: Protocol>(protocol: &P, seed: u64) -> Vec<P::State> {
    let (variables, mut generator) = (protocol.variables(), stream(seed, Stream::Start));
    let mut pool = vec![P::State::default(); 512];
    for variable in &variables.0 {
        let size = variable.domain.size();
        for (k, state) in pool.iter_mut().enumerate() {
            variable.randomise(state, &mut generator);
            if k % 2 == 1 && below(&mut generator, 4) > 0 {
                let end = [0, 1.min(size - 1), size.saturating_sub(2), size - 1][index(&mut generator, 4)];
                let put = variable.set(state, &variable.domain.nth(end));
                debug_assert!(put.is_ok(), "a value of the domain");
            }
        }
    }
    pool
}

/// Puts codes into planes: bit `k` of plane `p` is bit `p` of code `k`.
fn planes(code: impl Fn(usize) -> u128) -> [u64; 128] {
    let mut planes = [0; 128];
    for k in 0..64 {
        let mut rest = code(k);
        while rest != 0 {
            planes[rest.trailing_zeros() as usize] |= 1 << k;
            rest &= rest - 1;
        }
    }
    planes
}

/// Takes code `k` out of planes again.
fn code(planes: &[u64], k: usize) -> u128 {
    planes.iter().enumerate().fold(0, |code, (p, plane)| code | u128::from(plane >> k & 1) << p)
}

/// What is seen of an interaction.
#[derive(PartialEq)]
struct Seen<S> {
    l: S,
    r: S,
    changed: bool,
    reads: bool,
}

/// One interaction in the lanes of `when`, in both forms.
fn compare<P, C>(protocol: &P, circuit: &C, meetings: &[Meeting<P::State>; 64], when: u64) -> Result<(), Disagreement>
where
    P: Protocol,
    C: Circuit<State = P::State>,
{
    let mut l = planes(|k| circuit.encode(&meetings[k].0));
    let mut r = planes(|k| circuit.encode(&meetings[k].1));
    let input = planes(|k| circuit.encode_coin(meetings[k].2).into());
    let (l, r) = (&mut l[..circuit.planes()], &mut r[..circuit.planes()]);
    let reads = circuit.reads_coin(l, r);
    let changed = circuit.interact(l, r, &input[..circuit.inputs()], when);
    for (k, meeting) in meetings.iter().enumerate() {
        let in_lane = |word: u64| word >> k & 1 == 1;
        let clear = clear_form(protocol, *meeting, in_lane(when));
        let (l, r) = (circuit.decode(code(l, k)), circuit.decode(code(r, k)));
        let sliced = Seen { l, r, changed: in_lane(changed), reads: in_lane(reads) };
        if clear != sliced {
            return Err(disagreement(protocol, meeting, &clear, &sliced));
        }
    }
    Ok(())
}

fn clear_form<P: Protocol>(protocol: &P, (l, r, coin): Meeting<P::State>, asked: bool) -> Seen<P::State> {
    let mut after = (l, r);
    if asked {
        protocol.interact(&mut after.0, &mut after.1, Input { coin, leader: protocol.oracle().is_some() });
    }
    let output = |(l, r): (P::State, P::State)| (protocol.output(&l), protocol.output(&r));
    let changed = output((l, r)) != output(after);
    Seen { l: after.0, r: after.1, changed, reads: protocol.reads_coin(&l, &r) }
}

fn disagreement<P: Protocol>(
    protocol: &P,
    (l, r, coin): &Meeting<P::State>,
    clear: &Seen<P::State>,
    circuit: &Seen<P::State>,
) -> Disagreement {
    let variables = protocol.variables();
    let all = |seen: &Seen<P::State>| -> Vec<(String, String)> {
        let value = |who: &str, v: &P::State, k: usize| {
            let variable = &variables.0[k];
            (format!("{who}.{}", variable.name), variable.get(v).to_string())
        };
        let of = |who: &str, v: &P::State| (0..variables.0.len()).map(|k| value(who, v, k)).collect::<Vec<_>>();
        let told = [("output changed", seen.changed), ("coin read", seen.reads)];
        // What differs in no variable differs in something that the protocol does not name.
        let rest = ("the pair".to_owned(), format!("{:?}", (seen.l, seen.r)));
        let told = told.map(|(what, truth)| (what.to_owned(), truth.to_string())).into_iter().chain([rest]);
        of("l", &seen.l).into_iter().chain(of("r", &seen.r)).chain(told).collect()
    };
    let different = all(clear).into_iter().zip(all(circuit)).find(|(clear, circuit)| clear != circuit);
    let ((what, clear), (_, circuit)) = different.unwrap_or_default();
    let meeting = format!("{} meets {} (coin {coin})", variables.encode(l), variables.encode(r));
    Disagreement { meeting, what, clear, circuit }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blueprint::Declared;
    use crate::circuit::{Bit, WithCircuit};
    use crate::params::Params;
    use crate::protocols::pcl::Pcl;
    use crate::protocols::por::{self, Por};
    use crate::protocols::ppl::{Ppl, PplPrime};
    use crate::protocols::ysm::Ysm;
    use crate::ring::Ring;

    struct Agree<'a, P>(&'a P);

    impl<P: Protocol> WithCircuit<P::State> for Agree<'_, P> {
        type Output = Result<(), Disagreement>;

        fn with<C: Circuit<State = P::State>>(self, circuit: C) -> Self::Output {
            agree(self.0, &circuit, PAIRS, 1)
        }
    }

    fn protocol<P: Declared>(n: usize) -> P {
        let blueprint = P::blueprint();
        (blueprint.make)(Ring::new(n, blueprint.about.ring).unwrap(), &Params::default()).unwrap()
    }

    fn agrees<P: Declared>(n: usize) {
        let protocol: P = protocol(n);
        assert_eq!(protocol.with_circuit(Agree(&protocol)), Some(Ok(())), "{}", P::blueprint().about.name);
    }

    #[test]
    fn every_circuit_agrees() {
        for n in [3, 16, 1000] {
            agrees::<Ppl>(n);
            agrees::<PplPrime>(n);
            agrees::<Ysm>(n);
            agrees::<Por>(n);
            agrees::<Pcl>(n);
        }
    }

    /// A circuit that is wrong in one plane of r, where both agents are strong; or in what it tells.
    #[derive(Clone)]
    struct Planted<C> {
        circuit: C,
        strong: usize,
        plane: Option<usize>,
    }

    impl<C: Circuit<State = por::State>> Circuit for Planted<C> {
        type State = por::State;
        type Core = Self;

        fn core(&self) -> &Self {
            self
        }

        fn planes(&self) -> usize {
            self.circuit.planes()
        }
        fn encode(&self, state: &por::State) -> u128 {
            self.circuit.encode(state)
        }
        fn decode(&self, code: u128) -> por::State {
            self.circuit.decode(code)
        }
        fn interact<B: Bit>(&self, l: &mut [B], r: &mut [B], input: &[B], when: B) -> B {
            let both = l[self.strong] & r[self.strong] & when;
            let changed = self.circuit.interact(l, r, input, when);
            let Some(plane) = self.plane else { return changed ^ both };
            r[plane] = r[plane] ^ both;
            changed
        }
    }

    struct Plant<'a>(&'a Por, bool);

    impl WithCircuit<por::State> for Plant<'_> {
        type Output = Disagreement;

        fn with<C: Circuit<State = por::State>>(self, circuit: C) -> Disagreement {
            let code = |strong: u8, dir: u16| circuit.encode(&por::State { strong, dir, ..por::State::default() });
            let plane = |one: u128| (one ^ code(0, 0)).trailing_zeros() as usize;
            let (strong, plane) = (plane(code(1, 0)), self.1.then(|| plane(code(0, 1))));
            agree(self.0, &Planted { circuit, strong, plane }, PAIRS, 1).unwrap_err()
        }
    }

    #[test]
    fn a_planted_difference_is_found_and_named() {
        let por: Por = protocol(8);
        for (in_state, what) in [(true, "r.dir"), (false, "output changed")] {
            let found = por.with_circuit(Plant(&por, in_state)).unwrap();
            assert_eq!((&*found.what, found.meeting.matches("\"strong\":1").count()), (what, 2), "{found}");
            assert_ne!(found.clear, found.circuit);
            assert!(found.to_string().starts_with("when {"), "{found}");
        }
    }
}
