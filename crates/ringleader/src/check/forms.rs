//! Clear form and circuit are equal: one check for every protocol that has both.
//!
//! Pairs of states go through the circuit 64 at a time and through the clear form one by one. Lanes that are not in `when` must
//! keep their states.

use super::Broken;
use crate::circuit::Circuit;
use crate::protocol::{Input, Transition};

/// Two states that meet, and the coin they read.
pub type Meeting<S> = (S, S, u64);

/// Puts 64 codes into planes: bit `k` of plane `p` is bit `p` of code `k`.
#[must_use]
pub fn slice(codes: &[u128; 64], planes: usize) -> Vec<u64> {
    let plane = |p: usize| (0..64).fold(0, |plane, k| plane | ((codes[k] >> p) as u64 & 1) << k);
    (0..planes).map(plane).collect()
}

/// Takes 64 codes out of planes again.
#[must_use]
pub fn unslice(planes: &[u64]) -> [u128; 64] {
    std::array::from_fn(|k| (0..planes.len()).fold(0, |code, p| code | u128::from(planes[p] >> k & 1) << p))
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
    let codes = |code: &dyn Fn(Meeting<P::State>) -> u128| std::array::from_fn(|k| code(at(k)));
    let mut l = slice(&codes(&|(l, _, _)| circuit.encode(&l)), circuit.planes());
    let mut r = slice(&codes(&|(_, r, _)| circuit.encode(&r)), circuit.planes());
    let input = slice(&codes(&|(_, _, coin)| circuit.encode_coin(coin).into()), circuit.inputs());
    // Some lanes rest, others from batch to batch.
    let when = !(1 << (number / 64 % 64));
    circuit.interact(&mut l, &mut r, &input, when);
    let (l, r) = (unslice(&l), unslice(&r));
    for k in 0..batch.len() {
        let before = batch[k];
        let (mut clear_l, mut clear_r, coin) = before;
        if when >> k & 1 == 1 {
            protocol.interact(&mut clear_l, &mut clear_r, Input { coin });
        }
        let sliced = (circuit.decode(l[k]), circuit.decode(r[k]));
        if sliced != (clear_l, clear_r) {
            let witness = format!("{before:?}: clear form {:?}, circuit {sliced:?}", (clear_l, clear_r));
            return Err(Broken { law: "clear form and circuit are equal", witness });
        }
    }
    Ok(())
}
