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
//! **Exactness.** Times are integers, 2^24 to a mean gap, and the exponential is computed from 31 random bits by float
//! operations that are rounded alike on every machine. Its distribution function is off by less than 10^-6. Two neighbouring edges never
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
    /// Added, with the key of the edge, halfway through the hash.
    pub salt: u32,
    /// The lowest two bits of the times of an edge, by its colour.
    pub ranks: [u32; 3],
}

/// What an edge adds to the salt.
#[inline]
#[must_use]
pub fn edge_key(edge: usize) -> u32 {
    (edge as u32).wrapping_mul(0x85eb_ca77)
}

/// What is hashed for the first gap of a window, instead of a time; the window begins one unit later. Each edge has its own, since
/// clocks that are hashed at the same time are not independent.
#[inline]
#[must_use]
pub fn start(edge: usize) -> u32 {
    (edge as u32).wrapping_mul(0x9e37_79b9) | 3
}

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

    /// The clock of an edge.
    #[inline]
    #[must_use]
    pub fn clock(&self, edge: usize, n: usize) -> Clock {
        let salt = self.salt.wrapping_add(edge_key(edge));
        Clock { base: self.base, salt, rank: self.ranks[color(edge, n)], start: start(edge) }
    }

    /// The ring after the one of `edge` at time `t`, whose rank is in `t` already: [`Clock::next`] without a choice to make.
    #[inline(always)]
    #[must_use]
    pub fn after(&self, edge: u32, t: u32) -> u32 {
        next(t, self.base, self.salt.wrapping_add(edge_key(edge as usize)), t & 3)
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
    /// With the key of the edge.
    salt: u32,
    rank: u32,
    start: u32,
}

impl Clock {
    /// The first ring of the window; at or after [`WINDOW`] if there is none.
    #[inline]
    #[must_use]
    pub fn first(self) -> u32 {
        self.next(self.start).wrapping_sub(self.start.wrapping_add(1))
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
        left_initiates(t, self.base, self.salt)
    }

    /// The coin of the ring at time `t`, uniform in `[0, sides)` up to 2^-32.
    #[inline]
    #[must_use]
    pub fn coin(self, t: u32, sides: u64) -> u64 {
        coin(t, self.base, self.salt, sides)
    }
}

/// The ring after the one at time `t`, with the rank in its two lowest bits.
#[inline(always)]
#[must_use]
pub fn next(t: u32, base: u32, salt: u32, rank: u32) -> u32 {
    t.wrapping_add(gap(hash(t, base, salt))) & !3 | rank
}

/// See [`Clock::left_initiates`].
#[inline(always)]
#[must_use]
pub fn left_initiates(t: u32, base: u32, salt: u32) -> bool {
    hash(t, base ^ INITIATOR, salt) >> 31 == 0
}

/// See [`Clock::coin`]: 64 bits, multiplied.
#[must_use]
pub fn coin(t: u32, base: u32, salt: u32, sides: u64) -> u64 {
    let bits = mix(mix(u64::from(base) << 32 | u64::from(salt)).wrapping_add(u64::from(t)));
    ((u128::from(bits) * u128::from(sides)) >> 64) as u64
}

/// 32 random bits for the ring at time `t`, of which the highest are the best.
#[inline(always)]
#[must_use]
pub fn hash(t: u32, base: u32, salt: u32) -> u32 {
    let mut x = t.wrapping_add(base);
    x = (x ^ (x >> 16)).wrapping_mul(MULTIPLIERS[0]);
    (x ^ (x >> 15)).wrapping_add(salt).wrapping_mul(MULTIPLIERS[1])
}

/// The multipliers of the hash.
pub const MULTIPLIERS: [u32; 2] = [0x7feb_352d, 0x846c_a68b];

/// Coefficients of `-2^24 ln(1 + x) / x` on `[-2/5, 1/5]`, lowest degree first: the polynomial for which the largest error of the
/// distribution function is least.
pub const LOG: [f32; 6] = {
    const MEAN: f32 = -16_777_216.0;
    [
        0.999_971_6 * MEAN,
        -0.500_138_05 * MEAN,
        0.335_865_4 * MEAN,
        -0.238_790_97 * MEAN,
        0.159_419_4 * MEAN,
        -0.383_920_46 * MEAN,
    ]
};

/// `2^24 ln 2`.
pub const LN_2: f32 = 11_629_080.0;

/// The bits of the float 3/5.
pub const THREE_FIFTHS: i32 = 0x3f19_999a;

/// `2^24 (31 - e) ln 2`, and the least gap of four units.
#[inline(always)]
#[must_use]
pub const fn whole(e: i32) -> f32 {
    (31 - e) as f32 * LN_2 + 4.0
}

/// An exponential with mean 2^24 from 32 random bits, at least 4: `4 - 2^24 ln(u)` with `u` a multiple of 2^-31. (The logarithm
/// of 0 is taken to be that of 2^-30.)
#[inline(always)]
#[must_use]
pub fn gap(bits: u32) -> u32 {
    let u = ((bits >> 1) as i32 as f32).to_bits() as i32;
    // 2^31 u = m * 2^e with m in [3/5, 6/5), and e from 0 to 31; -127 if u is 0.
    let e = (u - THREE_FIFTHS) >> 23;
    let x = f32::from_bits((u - (e << 23)) as u32) - 1.0;
    let mut sum = LOG[5];
    for k in (0..5).rev() {
        sum = sum * x + LOG[k];
    }
    let gap = whole(e & 31) + sum * x;
    // Its integer part: the sum below is exact, since 4 <= gap < 2^29, and unlike a cast it is quick in vectors.
    ((f64::from(gap) + f64::from(1 << 29)).to_bits() >> 23) as u32 & ((1 << 29) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected numbers come from the law as stated above, worked out in another language.
    #[test]
    fn gaps_are_value_stable() {
        assert_eq!([0, 1 << 31, u32::MAX, 12345 << 8].map(gap), [348_872_384, 11_629_084, 4, 121_039_656]);
        let keys = Keys::new(1, 0);
        assert_eq!((keys.base, keys.salt, keys.ranks), (2_193_675_704, 3_705_938_940, [0, 1, 2]));
        let clock = keys.clock(3, 10);
        assert_eq!([clock.first(), clock.next(clock.first())], [17_943_185, 26_384_305]);
    }

    /// Over every 127th value that `u` can take: the quantiles of an exponential, to 10^-6.
    #[test]
    fn gaps_are_exponential() {
        for k in (0..1_u32 << 31).step_by(127) {
            // The probability of a longer gap.
            let (ideal, got) = (f64::from(k) / f64::from(1_u32 << 31), f64::from(gap(k << 1) - 4) / f64::from(1 << 24));
            assert!(((-got).exp() - ideal).abs() < 1e-6, "u {ideal}: {got}");
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
