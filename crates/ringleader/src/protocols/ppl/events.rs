//! What an interaction of P_PL may do that is worth stopping at.

use super::{BLACK, State, Token, WHITE, valid};

pub(in crate::protocols) const MODE_CHANGED: &str = "an agent goes from construction to detection, or back";
pub(in crate::protocols) const TOKEN_HIT: &str = "a token arrives where it writes, checks or reads a bit";

/// Whether an agent changes its mode.
pub(in crate::protocols) fn mode_changed(before: [&State; 2], after: [&State; 2]) -> bool {
    (0..2).any(|k| before[k].mode != after[k].mode)
}

/// Whether a token arrives at its target: Line 22 or 23 on its way right, Line 29 on its way left. The states are those of l and
/// r. Line 12 judges by the `dist` that r has after Line 8; of `last` only l's is written, before it is read.
pub(in crate::protocols) fn token_hit(psi: u8, before: [&State; 2], after: [&State; 2]) -> bool {
    let kept = |k: usize, c: usize, d: u8| before[k].token[c].filter(|&z| valid(psi, after[k].dist, z, d));
    let hit = |c: usize, d: u8| match (kept(0, c, d), kept(1, c, d)) {
        (_, Some(Token { pos, .. })) => pos == -1,
        (Some(Token { pos, .. }), None) => pos == 1,
        (None, None) => false,
    };
    after[0].last == 0 && after[1].last == 0 && (hit(BLACK, 0) || hit(WHITE, psi))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Params;
    use crate::protocol::{Input, Protocol, Transition};
    use crate::protocols::ppl::Ppl;
    use crate::random::{Stream, stream};
    use crate::ring::{Orientation, Ring};

    /// Lines 12 to 33 for one colour, told by what becomes of the tokens: whether Line 23 or Line 29 is run.
    fn arrives(psi: u8, l: &State, r: &State, c: usize, d: u8) -> bool {
        let [mut left, mut right] = [l, r].map(|v| v.token[c]);
        if left.is_some_and(|z| !valid(psi, l.dist, z, d)) {
            left = None;
        }
        if right.is_some_and(|z| !valid(psi, r.dist, z, d)) {
            right = None;
        }
        if l.last == 1 || r.last == 1 {
            return false;
        }
        if l.dist == d && left.is_none() {
            left = Some(Token { pos: psi as i8, bit: 1 - l.b, carry: l.b });
        }
        if left.is_some() && right.is_some() {
            left = None;
        }
        match (left, right) {
            (Some(z), _) if z.pos == 1 => true,
            (Some(_), _) => false,
            (None, Some(z)) => z.pos == -1,
            (None, None) => false,
        }
    }

    #[test]
    fn a_token_is_at_its_target_when_the_pseudocode_says_so() {
        for psi in [2, 3, 5] {
            let ring = Ring::new(4, Orientation::Directed).unwrap();
            let ppl = Ppl::new(ring, &Params::default().with("psi", psi).with("kappa", 1)).unwrap();
            let (variables, mut generator) = (ppl.variables(), stream(7, Stream::Start));
            let (psi, mut hits) = (psi as u8, 0);
            for _ in 0..200_000 {
                let mut before = [State::default(); 2];
                before.iter_mut().for_each(|state| variables.randomise(state, &mut generator));
                let mut after = before;
                let [l, r] = &mut after;
                ppl.interact(l, r, Input::default());
                // MoveToken sees the tokens of before, and `dist` and `last` of after.
                let [mut l, mut r] = after;
                (l.token, r.token) = (before[0].token, before[1].token);
                let expected = arrives(psi, &l, &r, BLACK, 0) || arrives(psi, &l, &r, WHITE, psi);
                assert_eq!(token_hit(psi, [&before[0], &before[1]], [&after[0], &after[1]]), expected);
                hits += u32::from(expected);
            }
            assert!(hits > 1000, "{hits}");
        }
    }
}
