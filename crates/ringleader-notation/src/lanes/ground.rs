//! What all readings of an interaction start from: its network, and what they are compared with.

use ringleader::random::mix;

use super::Sample;
use super::guards::{Guarded, Rings, guarded};
use super::network::Network;
use crate::graph::Cone;

pub(super) struct Ground {
    pub(super) cone: Cone,
    pub(super) network: Network,
    /// How many planes of l, of r, coins and words that are asked there are.
    pub(super) parts: [usize; 4],
    /// Which planes of l or, after those, of r the outputs become, all but the last, which is told.
    pub(super) changed: Vec<u16>,
    /// Some states of an agent in 64 lanes.
    pub(super) sample: Sample,
}

/// So many random words of each plane are compared.
pub(super) const WORDS: u64 = 64;

impl Ground {
    /// A network for this cone with what need not run when.
    pub(super) fn guarded(&self, network: &Network) -> Guarded {
        let kept: Vec<Option<u32>> = self.changed.iter().map(|&plane| Some(u32::from(plane))).chain([None]).collect();
        guarded(network, &kept, &self.rings().rare(network))
    }

    /// Rings on which it is looked at how often things happen.
    fn rings(&self) -> Rings<'_> {
        let agents = (0..16).map(|ring| (0..8).map(|agent| (self.sample)(8 * ring + agent)).collect()).collect();
        Rings { planes: self.parts[0], coins: self.parts[2], agents, changed: &self.changed }
    }

    /// Whether a reading of words of `N` numbers does what the network does. It is given l, r and coins, and the lanes that are asked.
    pub(super) fn agrees<const N: usize>(
        &self,
        seed: u64,
        reading: impl Fn([&mut [[u64; N]]; 3], [u64; N]) -> Option<[u64; N]>,
    ) -> bool {
        let mut state = seed << 32;
        let mut number = || {
            state = state.wrapping_add(1);
            mix(state)
        };
        let when: [u64; N] = std::array::from_fn(|_| number());
        // Much happens only where most bits are clear, and jumps are taken only where some are clear in every lane.
        let mut planes = |count: usize| -> Vec<[u64; N]> {
            let mut plane = || {
                let clear = seed % 4 > 1 && number() % if seed % 8 < 4 { 4 } else { 32 } > 0;
                let mut word = || if seed.is_multiple_of(2) { number() } else { number() & number() & number() };
                if clear { [0; N] } else { std::array::from_fn(|_| word()) }
            };
            (0..count).map(|_| plane()).collect()
        };
        let [width, _, coins, _] = self.parts;
        let (mut l, mut r, mut coins) = (planes(width), planes(width), planes(coins));
        let part = |words: &[[u64; N]], k: usize| words.iter().map(|word| word[k]).collect::<Vec<u64>>();
        let expected: Vec<(Vec<u64>, Vec<u64>, u64)> =
            (0..N).map(|k| self.step(part(&l, k), part(&r, k), &part(&coins, k), when[k])).collect();
        let Some(told) = reading([&mut l, &mut r, &mut coins], when) else { return false };
        (0..N).all(|k| expected[k] == (part(&l, k), part(&r, k), told[k]))
    }

    /// One interaction in 64 lanes, node after node.
    fn step(&self, mut l: Vec<u64>, mut r: Vec<u64>, coins: &[u64], when: u64) -> (Vec<u64>, Vec<u64>, u64) {
        let values = self.network.values(&[&l, &r, coins, &[when]].concat());
        let output = |(value, negated): (u32, bool)| values[value as usize] ^ if negated { u64::MAX } else { 0 };
        for (&plane, &from) in self.changed.iter().zip(&self.network.outputs) {
            let plane = plane as usize;
            let width = l.len();
            let to = if plane < width { &mut l[plane] } else { &mut r[plane - width] };
            *to = output(from);
        }
        let told = self.network.outputs.last().map_or(0, |&last| output(last));
        (l, r, told)
    }
}
