//! The law of `--scheduler clocks`: a Poisson clock on every edge, as a function of the trial's seed alone.
//!
//! Every edge rings at the times of a Poisson process of rate 1, independently of the others. The order in which the
//! edges of a ring ring is then exactly that of the uniformly random scheduler: each next ring is at every edge with the
//! same probability, independently of the past. Unlike a list of edges, clocks can be read edge by edge and out of order: an
//! interaction may take place as soon as its time precedes the next times of both neighbouring edges. That is what lets an
//! engine run hundreds of rings at once without lock step.
//!
//! Time is cut into windows of 128 mean gaps. All clocks start afresh in each window, which changes nothing since they are
//! memoryless; so the rings of a window depend on the seed and the number of the window only. In a window the gap after a
//! ring at time `t` of edge `e` is the exponential of a hash of (seed, window, `e`, `t`): the time itself is the counter.
//!
//! **Exactness.** Times are integers, 2^24 to a mean gap, and the exponential is computed from 23 random bits by float
//! operations that are rounded alike on every machine. Its distribution function is off by less than 2^-20. Two neighbouring edges never
//! ring at the same time: the two lowest bits of a time are the rank of the edge's colour in a proper 3-colouring of the
//! edges, and the ranks are permuted at random for every window, so that what would have been a tie is won by either side with the
//! same probability. Edges that are not neighbours commute; among them equal times are ordered by the index of the edge.

/// The length of a window: 128 mean gaps.
pub const WINDOW: u32 = 1 << 31;

/// What the clocks of one trial depend on in one window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keys {
    /// Added to the time before it is hashed.
    pub base: u32,
    /// Added, with the edge, halfway through the hash.
    pub salt: u32,
    /// The lowest two bits of the times of an edge, by its colour.
    pub ranks: [u32; 3],
}

/// What is hashed for the first gap of a window; no ring has this time.
pub const START: u32 = u32::MAX;

/// The edge times these is added to the base and to the salt. One of them alone would not do: the first gaps of a window
/// are hashes of the same time.
pub const EDGE: [u32; 2] = [0x9e37_79b9, 0x85eb_ca77];

/// Sets the hash that decides who initiates apart from the one that draws gaps.
pub const INITIATOR: u32 = 0x5851_f42d;

/// The finaliser of SplitMix64.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl Keys {
    /// The keys of a trial's window.
    #[must_use]
    pub fn new(seed: u64, window: u64) -> Self {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        const ORDERS: [[u32; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let first = mix(mix(seed.wrapping_add(STEP)).wrapping_add(window.wrapping_mul(STEP)));
        let second = mix(first.wrapping_add(STEP));
        Self { base: first as u32, salt: (first >> 32) as u32, ranks: ORDERS[(second % 6) as usize] }
    }

    /// The keys of a clock.
    #[inline]
    #[must_use]
    pub fn clock(&self, edge: usize, n: usize) -> Clock {
        let (base, salt) = self.of(edge as u32);
        Clock { base, salt, rank: self.ranks[color(edge, n)] }
    }

    /// The ring after the one of `edge` at time `t`, whose rank is in `t` already: [`Clock::next`] without a choice to make.
    #[inline(always)]
    #[must_use]
    pub fn after(&self, edge: u32, t: u32) -> u32 {
        let (base, salt) = self.of(edge);
        next(t, base, salt, t & 3)
    }

    #[inline(always)]
    fn of(&self, edge: u32) -> (u32, u32) {
        let [base, salt] = EDGE.map(|factor| edge.wrapping_mul(factor));
        (self.base.wrapping_add(base), self.salt.wrapping_add(salt))
    }
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
    base: u32,
    salt: u32,
    rank: u32,
}

impl Clock {
    /// The clock with these keys, which the edge is part of.
    #[inline]
    #[must_use]
    pub(crate) fn with_keys(base: u32, salt: u32, rank: u32) -> Self {
        Self { base, salt, rank }
    }

    /// The first ring of the window; at or after [`WINDOW`] if there is none.
    #[inline]
    #[must_use]
    pub fn first(self) -> u32 {
        self.next(START)
    }

    /// The ring after the one at time `t`.
    #[inline]
    #[must_use]
    pub fn next(self, t: u32) -> u32 {
        next(t, self.base, self.salt, self.rank)
    }

    /// On an undirected ring: whether the left agent of the edge is the initiator of the ring at time `t`.
    #[inline]
    #[must_use]
    pub fn left_initiates(self, t: u32) -> bool {
        hash(t, self.salt, self.base ^ INITIATOR) >> 31 == 0
    }

    /// The coin of the ring at time `t`, uniform in `[0, sides)` up to 2^-32: 64 bits, multiplied.
    #[must_use]
    pub fn coin(self, t: u32, sides: u64) -> u64 {
        let bits = mix(mix(u64::from(self.base) << 32 | u64::from(self.salt)).wrapping_add(u64::from(t)));
        ((u128::from(bits) * u128::from(sides)) >> 64) as u64
    }
}

/// The ring after the one at time `t`: at least four units later, with the rank in its two lowest bits. From [`START`] the
/// sum wraps around to the beginning of the window.
#[inline(always)]
#[must_use]
pub fn next(t: u32, base: u32, salt: u32, rank: u32) -> u32 {
    t.wrapping_add(gap(hash(t, base, salt)) + 4) & !3 | rank
}

/// 32 random bits for the ring at time `t`.
#[inline]
#[must_use]
pub fn hash(t: u32, base: u32, salt: u32) -> u32 {
    let mut x = t.wrapping_add(base);
    x = (x ^ (x >> 16)).wrapping_mul(0x7feb_352d);
    x = (x ^ (x >> 15)).wrapping_add(salt).wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

/// Coefficients of `-2^24 ln(1 + x) / x` on `[-1/4, 1/2]`, lowest degree first.
pub const LOG: [f32; 7] = {
    const MEAN: f32 = -16_777_216.0;
    [
        1.000_001 * MEAN,
        -0.499_986_65 * MEAN,
        0.333_143_23 * MEAN,
        -0.250_605_5 * MEAN,
        0.206_759_36 * MEAN,
        -0.168_271 * MEAN,
        0.083_166_48 * MEAN,
    ]
};

/// `2^24 ln 2`.
pub const LN_2: f32 = 11_629_080.0;

/// An exponential with mean 2^24 from 32 random bits: `-2^24 ln(u)` with `u` an odd multiple of 2^-24.
#[inline]
#[must_use]
pub fn gap(bits: u32) -> u32 {
    let u = ((bits >> 8 | 1) as f32).to_bits();
    // u = m * 2^e with m in [3/4, 3/2).
    let e = (u as i32 - 0x3f40_0000) >> 23;
    let m = f32::from_bits((u as i32 - (e << 23)) as u32);
    let x = m - 1.0;
    let mut sum = LOG[6];
    for k in (0..6).rev() {
        sum = sum * x + LOG[k];
    }
    let gap = (24 - e) as f32 * LN_2 + sum * x;
    // Its integer part: the sum below is exact, since 1 <= gap < 2^29, and unlike a cast it is quick in vectors.
    ((f64::from(gap) + f64::from(1 << 29)).to_bits() >> 23) as u32 & ((1 << 29) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected numbers come from the law as stated above, worked out in another language.
    #[test]
    fn gaps_are_value_stable() {
        assert_eq!([0, 1 << 31, u32::MAX, 12345 << 8].map(gap), [279097920, 11629078, 1, 121039656]);
        // Over all values that `u` can take.
        let (mut sum, mut moment) = (0_u64, 0_u64);
        for k in 0..1_u32 << 23 {
            let gap = u64::from(gap((2 * k + 1) << 8));
            (sum, moment) = (sum + gap, moment.wrapping_add(gap.wrapping_mul(k.into())));
        }
        assert_eq!((sum, moment), (140_737_482_232_171, 18_446_667_304_236_144_825));
        let keys = Keys::new(1, 0);
        assert_eq!((keys.base, keys.salt, keys.ranks), (2_193_675_704, 3_705_938_940, [0, 1, 2]));
        let clock = keys.clock(3, 10);
        assert_eq!([clock.first(), clock.next(clock.first())], [275_785, 3_919_289]);
    }

    /// Over all 2^23 values that `u` can take: the quantiles of an exponential, to 2^-20.
    #[test]
    fn gaps_are_exponential() {
        for k in 0..1 << 23 {
            let u = f64::from(2 * k + 1) / f64::from(1 << 24);
            let (ideal, got) = (-u.ln(), f64::from(gap((2 * k + 1) << 8)) / f64::from(1 << 24));
            // The probability beyond `got` against that beyond `ideal`.
            assert!(((-got).exp() - (-ideal).exp()).abs() < 0.5_f64.powi(20), "u {u}: {got} instead of {ideal}");
        }
    }

    #[test]
    fn neighbouring_edges_never_ring_together() {
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
