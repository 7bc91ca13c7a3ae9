//! The exact first step in a closed set, without looking at every step.
//!
//! Run for a window, look once at its end. If the configuration is in the set, replay the window to find where it
//! entered: the set is closed, so membership is monotone in time and bisection is exact.

use crate::engine::stepper::{Halt, Stepper};
use crate::observer::Pace;
use crate::protocol::Protocol;
use crate::schedule::Schedule;

/// How many interactions pass between two looks at a ring of `n` agents that has gone undisturbed for `steps`: enough that
/// looking and copying cost next to nothing, and so few that the final replay does. Observers are told as often.
#[must_use]
pub fn window(n: usize, steps: u64) -> u64 {
    (8 * n as u64).max(256).max((steps / 128).min(1 << 20))
}

/// The least `k <= steps` such that `holds` after `k` interactions from `before`, given that it holds after `steps`.
/// `holds` must be closed.
///
/// # Errors
/// If the observer breaks off.
pub fn first_in<P, S>(
    before: &Stepper<P, S>,
    steps: u64,
    holds: &dyn Fn(&P, &[P::State]) -> bool,
    pace: &mut Pace<'_>,
) -> Result<u64, Halt>
where
    P: Protocol,
    S: Schedule,
{
    // `low` is before the set and `at_low` its configuration, `high` is inside.
    let (mut low, mut high) = (0, steps);
    if holds(&before.protocol, &before.config) {
        return Ok(0);
    }
    let mut at_low = before.clone();
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        let mut probe = at_low.clone();
        probe.advance_at(pace, middle - low)?;
        probe.did(pace, probe.config.len() as u64)?;
        if holds(&probe.protocol, &probe.config) {
            high = middle;
        } else {
            (at_low, low) = (probe, middle);
        }
    }
    Ok(high)
}
