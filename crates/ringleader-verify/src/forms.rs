//! Clear form and circuit are equal: one check for every protocol that has both.
//!
//! Pairs of states go through the circuit 64 at a time and through the clear form one by one. Lanes that are not in `when` must
//! keep their states. Whole trajectories of 64 rings on one schedule are compared as well.

use crate::laws::Broken;
use ringleader::blueprint::Declared;
use ringleader::circuit::Circuit;
use ringleader::protocol::{Input, Protocol, Transition};
use ringleader::random::{Stream, below, stream};
use ringleader::ring::{Interaction, Ring};
use ringleader::schedule::{Schedule, Uniform};

const EQUAL: &str = "clear form and circuit are equal";

/// Two states that meet, and the coin they read.
pub type Meeting<S> = (S, S, u64);

/// Puts 64 codes into planes: bit `k` of plane `p` is bit `p` of code `k`.
#[must_use]
pub fn slice(codes: &[u128; 64], planes: usize) -> Vec<u64> {
    let (mut low, mut high) = (codes.map(|code| code as u64), codes.map(|code| (code >> 64) as u64));
    transpose(&mut low);
    if planes > 64 {
        transpose(&mut high);
    }
    low.into_iter().chain(high).take(planes).collect()
}

/// Takes 64 codes out of planes again.
#[must_use]
pub fn unslice(planes: &[u64]) -> [u128; 64] {
    let half = |from: usize| {
        let mut rows = std::array::from_fn(|p| planes.get(from + p).copied().unwrap_or(0));
        if from < planes.len() {
            transpose(&mut rows);
        }
        rows
    };
    let (low, high): ([u64; 64], [u64; 64]) = (half(0), half(64));
    std::array::from_fn(|k| u128::from(low[k]) | u128::from(high[k]) << 64)
}

/// Transposes a matrix of 64 x 64 bits: swaps the off-diagonal quarters of blocks of 64, 32, ..., 2 rows.
fn transpose(rows: &mut [u64; 64]) {
    let (mut width, mut mask) = (32, u64::from(u32::MAX));
    while width > 0 {
        for k in (0..64).filter(|k| k & width == 0) {
            let swapped = (rows[k] >> width ^ rows[k + width]) & mask;
            rows[k] ^= swapped << width;
            rows[k + width] ^= swapped;
        }
        width /= 2;
        mask ^= mask << width;
    }
}

/// Checks all meetings; how many there were.
///
/// # Errors
/// The first meeting on which the two forms differ.
pub fn equal<P, C>(
    protocol: &P,
    circuit: &C,
    meetings: impl IntoIterator<Item = Meeting<P::State>>,
) -> Result<u64, Broken>
where
    P: Transition,
    C: Circuit<State = P::State>,
{
    let (mut batch, mut count) = (Vec::with_capacity(64), 0);
    for meeting in meetings {
        batch.push(meeting);
        if batch.len() == 64 {
            equal_batch(protocol, circuit, &batch, count)?;
            count += 64;
            batch.clear();
        }
    }
    if !batch.is_empty() {
        equal_batch(protocol, circuit, &batch, count)?;
    }
    Ok(count + batch.len() as u64)
}

fn equal_batch<P, C>(protocol: &P, circuit: &C, batch: &[Meeting<P::State>], number: u64) -> Result<(), Broken>
where
    P: Transition,
    C: Circuit<State = P::State>,
{
    let at = |k: usize| batch[k.min(batch.len() - 1)];
    let mut l = slice(&std::array::from_fn(|k| circuit.encode(&at(k).0)), circuit.planes());
    let mut r = slice(&std::array::from_fn(|k| circuit.encode(&at(k).1)), circuit.planes());
    let input = slice(&std::array::from_fn(|k| circuit.encode_coin(at(k).2).into()), circuit.inputs());
    // Some lanes rest, others from batch to batch.
    let when = !(1 << (number / 64 % 64));
    circuit.interact(&mut l, &mut r, &input, when);
    let (l, r) = (unslice(&l), unslice(&r));
    for k in 0..batch.len() {
        let before = batch[k];
        let (mut clear_l, mut clear_r, coin) = before;
        if when >> k & 1 == 1 {
            protocol.interact(&mut clear_l, &mut clear_r, Input { coin, ..Input::default() });
        }
        let sliced = (circuit.decode(l[k]), circuit.decode(r[k]));
        if sliced != (clear_l, clear_r) {
            let witness = format!("{before:?}: clear form {:?}, circuit {sliced:?}", (clear_l, clear_r));
            return Err(Broken { law: EQUAL, witness });
        }
    }
    Ok(())
}

/// Runs 64 rings from different starts on the uniform schedule of a seed, each with coins of its own, in both forms. All
/// configurations must be equal after each of the `parts`, which are numbers of interactions. Every lane of the
/// circuit gets a coin in every interaction; the clear form gets it only if it reads one. After
/// every interaction the circuit must tell the lanes in which an output changed.
///
/// # Errors
/// The first ring whose configurations differ.
pub fn trajectories<P, C>(protocol: &P, circuit: &C, ring: Ring, parts: &[u64], seed: u64) -> Result<(), Broken>
where
    P: Declared,
    C: Circuit<State = P::State>,
{
    let mut clear = starts_of_lanes(protocol, ring, seed);
    let mut sliced: Vec<Vec<u64>> = (0..ring.n())
        .map(|i| slice(&std::array::from_fn(|k| circuit.encode(&clear[k][i])), circuit.planes()))
        .collect();
    let (mut schedule, mut generator) = (Uniform::new(ring, seed), stream(seed, Stream::Coins));
    let mut time = 0;
    for &part in parts {
        for e in std::iter::from_fn(|| schedule.next()).take(part as usize) {
            let coins: [u64; 64] = std::array::from_fn(|_| below(&mut generator, protocol.coins()));
            let input = slice(&coins.map(|coin| circuit.encode_coin(coin).into()), circuit.inputs());
            let (mut l, mut r) = (sliced[e.initiator].clone(), sliced[e.responder].clone());
            let told = circuit.interact(&mut l, &mut r, &input, u64::MAX);
            (sliced[e.initiator], sliced[e.responder]) = (l, r);
            let mut changed = 0;
            for (k, (config, coin)) in clear.iter_mut().zip(coins).enumerate() {
                changed |= u64::from(interact(protocol, config, e, coin)) << k;
            }
            time += 1;
            if told != changed {
                let witness = format!("output changed in lanes {changed:#x} at {time}, circuit tells {told:#x}");
                return Err(Broken { law: EQUAL, witness });
            }
        }
        same_configurations(circuit, &clear, &sliced, time)?;
    }
    Ok(())
}

/// One interaction in the clear form; whether an output changed.
fn interact<P: Protocol>(protocol: &P, config: &mut [P::State], e: Interaction, coin: u64) -> bool {
    let before = (config[e.initiator], config[e.responder]);
    let (mut l, mut r) = before;
    let coin = if protocol.reads_coin(&l, &r) { coin } else { 0 };
    protocol.interact(&mut l, &mut r, Input { coin, ..Input::default() });
    (config[e.initiator], config[e.responder]) = (l, r);
    protocol.output(&before.0) != protocol.output(&l) || protocol.output(&before.1) != protocol.output(&r)
}

/// One configuration a lane: every start of the protocol in turn, with randomness of its own.
fn starts_of_lanes<P: Declared>(protocol: &P, ring: Ring, seed: u64) -> Vec<Vec<P::State>> {
    let (mut starts, mut generator) = (P::blueprint().starts, stream(seed, Stream::Start));
    starts.retain(|start| start.needs.as_ref().is_none_or(|needs| needs(protocol, ring).is_ok()));
    (0..64).map(|k| (starts[k % starts.len()].make)(protocol, ring, &mut generator)).collect()
}

fn same_configurations<C: Circuit>(
    circuit: &C,
    clear: &[Vec<C::State>],
    sliced: &[Vec<u64>],
    time: u64,
) -> Result<(), Broken> {
    for (i, planes) in sliced.iter().enumerate() {
        for (k, code) in unslice(planes).into_iter().enumerate() {
            let (expected, found) = (clear[k][i], circuit.decode(code));
            if found != expected {
                let place = format!("ring {k}, agent {i} after {time} interactions");
                let witness = format!("{place}: clear form {expected:?}, circuit {found:?}");
                return Err(Broken { law: EQUAL, witness });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::Rng;

    #[test]
    fn slices_are_transposed_codes() {
        let mut generator = stream(1, Stream::Start);
        for planes in [1, 5, 63, 64, 65, 127, 128] {
            let mut random = || u128::from(generator.next_u64()) << 64 | u128::from(generator.next_u64());
            let codes: [u128; 64] = std::array::from_fn(|_| random() >> (128 - planes));
            let sliced = slice(&codes, planes);
            assert_eq!(sliced.len(), planes);
            for (p, plane) in sliced.iter().enumerate() {
                assert!((0..64).all(|k| u128::from(plane >> k & 1) == codes[k] >> p & 1), "plane {p} of {planes}");
            }
            assert_eq!(unslice(&sliced), codes);
        }
    }
}
