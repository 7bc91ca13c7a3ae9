//! The law of `--scheduler clocks`: a Poisson clock on every edge, as a function of the trial's seed alone.
//!
//! Every edge ticks at the times of a Poisson process, independently of the others. The order in which the edges of a ring tick is
//! then that of the uniformly random scheduler: each next tick is at every edge with the same probability, independently of
//! the past. Unlike a list of edges, clocks can be read edge by edge and out of order: an interaction may take place as soon as its time
//! precedes the next times of both neighbouring edges. That is what lets an engine run hundreds of rings at once without lock step.
//!
//! Time is cut into windows of some 89 mean gaps. All clocks start afresh in each window, which changes nothing since they are
//! memoryless; so the ticks of a window depend on the seed and the number of the window only. In a window the gap after a
//! tick at time `t` of edge `e` is a function of a hash of (seed, window, `e`, `t`): the time itself is the counter.
//!
//! **Slots.** A window has 128 slots. A slot is the time in which a clock ticks with probability 1/2. A gap is `A` whole slots, as
//! many as a fair coin shows heads before it shows tails, and a part `B` of a slot: an exponential, cut off.
//!
//! **Halves.** Times have 32 bits, but all arithmetic is on halves of 16 bits, of which vectors hold twice as many.
//!
//! **Exactness.** A slot has 2^25 units of time. `A` ends after 16 flips, and `B` comes from 16 random bits and a polynomial; the
//! distribution function of a gap is off by less than 10^-4, in both directions, and the probability that a gap holds no tick
//! of one to five neighbours by less than 5 x 10^-7. Two neighbouring edges never tick at the same time: the two lowest bits of a time
//! are the rank of the edge's colour in a proper 3-colouring of the edges, and the ranks are permuted at random for every window, so
//! that what would have been a tie is won by either side with the same probability. Edges that are not neighbours commute; among them
//! equal times are ordered by the index of the edge.

use crate::random::{GOLDEN, mix};

/// The end of a window: a clock at this time or later has no tick left.
pub const END: u32 = 0xffff_0000;

/// The length of a slot in units of time, as a power of two.
pub const SLOT: u32 = 25;

/// What the clocks of one trial depend on in one window; with what its edge adds, what one clock depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keys {
    /// The keys of the hash.
    pub words: [u16; 4],
    /// The lowest two bits of the times of an edge, by its colour.
    pub ranks: [u16; 3],
}

/// What an edge adds to the first two keys. Both are linear in the first 2^16 edges, so that a key can be made in two steps.
#[inline(always)]
#[must_use]
pub fn edge_keys(edge: usize) -> [u16; 2] {
    let (edge, page) = (edge as u16, (edge >> 16) as u16);
    [edge.wrapping_mul(0x9e37), edge.wrapping_mul(0x85eb).wrapping_add(page.wrapping_mul(0xc2b3))]
}

/// What is hashed for the first gap of a window, instead of a time. No tick is at this time.
pub const START: u32 = u32::MAX;

/// Added to the second key, sets the hash that decides who initiates apart from the one that draws gaps.
pub const INITIATOR: u16 = 0x5851;

/// The multipliers of the hash. A fourth is one of the keys.
pub const MULTIPLIERS: [u16; 3] = [0xb2d3, 0x9e4d, 0xd1a3];

/// What makes a key a multiplier that mixes well: it is odd, and large.
const MULTIPLIER: u16 = 0x8001;

/// Coefficients of `-2^16 log2(1 - x/2)` on `[0, 1]`, without a constant, lowest degree first: those for which neighbours tick in a
/// gap with the right probability.
pub const LOG: [u16; 6] = [47_290, 11_678, 4_346, 1_254, 8, 962];

/// The higher half of a product.
#[inline(always)]
fn high(a: u16, b: u16) -> u16 {
    ((u32::from(a) * u32::from(b)) >> 16) as u16
}

impl Keys {
    /// The keys of a trial's window.
    #[must_use]
    pub fn new(seed: u64, window: u64) -> Self {
        const ORDERS: [[u16; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let first = mix(mix(seed.wrapping_add(GOLDEN)).wrapping_add(window.wrapping_mul(GOLDEN)));
        let second = mix(first.wrapping_add(GOLDEN));
        let mut words = [0, 16, 32, 48].map(|shift| (first >> shift) as u16);
        words[2] |= MULTIPLIER;
        Self { words, ranks: ORDERS[(second % 6) as usize] }
    }

    /// The clock of an edge.
    #[inline(always)]
    #[must_use]
    pub fn clock(&self, edge: usize, n: usize) -> Clock {
        Clock { words: add(self.words, edge_keys(edge)), rank: self.ranks[color(edge, n)] }
    }

    /// The tick after the one of `edge` at time `t`: [`Clock::next`], for which the rank does not matter.
    #[inline(always)]
    #[must_use]
    pub fn after(&self, edge: u32, t: u32) -> u32 {
        Clock { words: add(self.words, edge_keys(edge as usize)), rank: 0 }.next(t)
    }
}

/// Adds something to the first two keys.
#[inline(always)]
#[must_use]
pub fn add([a, b, c, d]: [u16; 4], [x, y]: [u16; 2]) -> [u16; 4] {
    [a.wrapping_add(x), b.wrapping_add(y), c, d]
}

/// The colour of an edge: neighbouring edges differ.
#[inline]
#[must_use]
pub fn color(edge: usize, n: usize) -> usize {
    if edge + 1 == n && n % 2 == 1 { 2 } else { edge % 2 }
}

/// One edge's clock in one window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// The keys of the hash, with those of the edge.
    pub words: [u16; 4],
    /// The lowest two bits of its times.
    pub rank: u16,
}

impl Clock {
    /// The first tick of the window; at or after [`END`] if there is none.
    #[inline(always)]
    #[must_use]
    pub fn first(self) -> u32 {
        self.later(u32::from(self.rank), START)
    }

    /// The tick after the one at time `t`; at or after [`END`] if there is none.
    #[inline(always)]
    #[must_use]
    pub fn next(self, t: u32) -> u32 {
        self.later(t, t)
    }

    /// On an undirected ring: whether the left agent of the edge is the initiator of the tick at time `t`.
    #[inline(always)]
    #[must_use]
    pub fn left_initiates(self, t: u32) -> bool {
        hash(t, add(self.words, [0, INITIATOR])).1 >> 15 == 0
    }

    /// The coin of the tick at time `t`, uniform in `[0, sides)` up to 2^-32.
    #[must_use]
    pub fn coin(self, t: u32, sides: u64) -> u64 {
        let key = self.words.iter().fold(0, |key, &word| key << 16 | u64::from(word));
        let bits = mix(mix(key).wrapping_add(u64::from(t)));
        ((u128::from(bits) * u128::from(sides)) >> 64) as u64
    }

    /// A gap after `t`, drawn by hashing `counter`. It is a multiple of four, so that the rank stays.
    #[inline(always)]
    fn later(self, t: u32, counter: u32) -> u32 {
        let (gap, rest) = gap(hash(counter, self.words));
        let (low, carry) = (t as u16).overflowing_add(rest);
        let high = ((t >> 16) as u16).saturating_add(gap).saturating_add(u16::from(carry));
        u32::from(high) << 16 | u32::from(low)
    }
}

/// Twice 16 random bits for the tick at time `t`.
#[inline(always)]
fn hash(t: u32, [a, b, c, d]: [u16; 4]) -> (u16, u16) {
    let s = (t as u16).wrapping_add(a).wrapping_mul(MULTIPLIERS[0]);
    let p = s ^ (t >> 16) as u16 ^ b;
    let q = s ^ high(p, c);
    let y = high(q, MULTIPLIERS[1]) ^ p.wrapping_mul(c) ^ d;
    (y, high(y, MULTIPLIERS[2]) ^ q.wrapping_mul(MULTIPLIERS[1]))
}

/// A gap of at least four units from random bits: whole slots and a part of one in the higher half, and the rest in the lower one. What is
/// finer than the part comes from the first number.
#[inline(always)]
fn gap((y, x): (u16, u16)) -> (u16, u16) {
    // The number of zeros at the end: 16 if there is nothing else.
    let slots = (!y & y.wrapping_sub(1)).count_ones() as u16;
    let mut part = LOG[LOG.len() - 1];
    for k in (0..LOG.len() - 1).rev() {
        part = high(x, part) + LOG[k];
    }
    let part = high(x, part);
    (slots << 9 | part >> 7, (part << 9 | y >> 7) & !3 | 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected numbers come from the law as stated above, worked out in another language.
    #[test]
    fn gaps_are_value_stable() {
        let keys = Keys::new(1, 0);
        assert_eq!((keys.words, keys.ranks), ([54_712, 33_472, 41_981, 56_548], [0, 1, 2]));
        let clock = keys.clock(3, 10);
        assert_eq!([clock.first(), clock.next(clock.first())], [88_199_917, 154_130_081]);
    }

    /// All parts of a slot, in slots, from the middle of what is added at random.
    fn parts() -> impl Iterator<Item = f64> {
        (0..=u16::MAX).map(|x| {
            let (part, rest) = gap((1, x));
            (f64::from(part) * 65_536.0 + f64::from(rest & !0x1ff) + 256.0) / f64::from(1 << SLOT)
        })
    }

    #[test]
    fn the_distribution_of_a_gap_is_exponential() {
        for (x, part) in parts().enumerate() {
            let ideal = (x as f64 + 0.5) / 65_536.0;
            let got = 2.0 * (1.0 - 0.5_f64.powf(part));
            assert!((got - ideal).abs() < 1e-4, "x {x}: {got} instead of {ideal}");
        }
    }

    /// With any number of neighbours: the probability that none of them ticks in a gap.
    #[test]
    fn neighbours_tick_in_a_gap_with_the_right_probability() {
        let ln_2 = std::f64::consts::LN_2;
        for neighbours in 1..=5 {
            let quiet = |slots: f64| (-f64::from(neighbours) * slots * ln_2).exp();
            let in_parts: f64 = parts().map(quiet).sum::<f64>() / 65_536.0;
            let in_slots: f64 = (0..=16).map(|a: i32| quiet(f64::from(a)) * 0.5_f64.powi(a.min(15) + 1)).sum();
            let ideal = 1.0 / (1.0 + f64::from(neighbours));
            assert!((in_parts * in_slots - ideal).abs() < 5e-7, "{neighbours}: {} for {ideal}", in_parts * in_slots);
        }
    }

    #[test]
    fn a_clock_goes_on_until_the_end() {
        for window in 0..2_000 {
            let clock = Keys::new(9, window).clock(window as usize, 5_000);
            let mut t = clock.first();
            while t < END {
                let next = clock.next(t);
                assert!(t < next && next & 3 == u32::from(clock.rank), "{t} {next}");
                t = next;
            }
        }
    }

    /// Keys of edges are made in two steps where an arc does not begin at the first edge.
    #[test]
    fn keys_of_edges_add_up() {
        for (first, slot) in [(0, 5), (1_000, 900), (40_000, 25_535)] {
            let words = Keys::new(3, 1).words;
            assert_eq!(add(add(words, edge_keys(first)), edge_keys(slot)), add(words, edge_keys(first + slot)));
        }
        assert_ne!(edge_keys(5), edge_keys(5 + (1 << 16)));
    }

    #[test]
    fn neighbouring_edges_never_tick_together() {
        for n in 3..40 {
            for edge in 0..n {
                assert_ne!(color(edge, n), color((edge + 1) % n, n), "n {n} edge {edge}");
            }
        }
    }

    #[test]
    fn every_order_of_ranks_is_equally_likely() {
        let mut seen = std::collections::BTreeMap::new();
        (0..60_000).for_each(|window| *seen.entry(Keys::new(5, window).ranks).or_insert(0) += 1);
        assert_eq!(seen.len(), 6);
        assert!(seen.values().all(|&k| (9_500..10_500).contains(&k)), "{seen:?}");
    }
}
