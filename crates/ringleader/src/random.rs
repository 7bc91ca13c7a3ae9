//! All randomness of a trial: four independent streams that follow from one seed.
//!
//! Stream `k` is xoshiro256++ seeded with the trial's seed and moved ahead by `k` long jumps, so the
//! streams never overlap (each is 2^192 numbers long). Faults therefore cannot shift the schedule, nor the
//! schedule the coins. The numbers are value-stable: tests pin them, and they change only with a line in
//! the changelog.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The generator behind every stream.
pub type Generator = Xoshiro256PlusPlus;

/// What a stream is for; the discriminant is the number of long jumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Which interaction comes next.
    Schedule = 0,
    /// The coins that interactions read.
    Coins = 1,
    /// The initial configuration.
    Start = 2,
    /// Where faults strike and what they write.
    Faults = 3,
}

/// The stream of `seed` for one purpose.
#[must_use]
pub fn stream(seed: u64, purpose: Stream) -> Generator {
    let mut generator = Generator::seed_from_u64(seed);
    for _ in 0..purpose as u32 {
        generator.long_jump();
    }
    generator
}

/// The increment of SplitMix64: 2^64 over the golden ratio.
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finaliser of SplitMix64, a permutation of all 64-bit words.
#[inline]
#[must_use]
pub fn mix(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// A uniform number in `[0, bound)`, without bias: Lemire's multiplication with rejection.
///
/// # Panics
/// If `bound` is 0, which no caller in this crate can cause.
#[inline]
pub fn below(generator: &mut Generator, bound: u64) -> u64 {
    assert!(bound > 0, "a uniform choice needs at least one candidate");
    loop {
        let product = u128::from(generator.next_u64()) * u128::from(bound);
        let low = product as u64;
        if low >= bound || low >= bound.wrapping_neg() % bound {
            return (product >> 64) as u64;
        }
    }
}

/// A uniform index into a list of `len` elements.
#[inline]
pub fn index(generator: &mut Generator, len: usize) -> usize {
    below(generator, len as u64) as usize
}

/// A uniform real number in `[0, 1)`, a multiple of 2^-53.
#[inline]
pub fn uniform_real(generator: &mut Generator) -> f64 {
    (generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// A uniform permutation of the list: Fisher and Yates.
pub fn shuffle<T>(generator: &mut Generator, list: &mut [T]) {
    for k in (1..list.len()).rev() {
        list.swap(k, index(generator, k + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected numbers come from the generator's published recurrence, worked out in another language.
    #[test]
    fn streams_are_value_stable() {
        let first = |purpose| stream(1, purpose).next_u64();
        assert_eq!(first(Stream::Schedule), 14971601782005023387);
        assert_eq!(first(Stream::Coins), 14330722100524715756);
        assert_eq!(first(Stream::Start), 3492625814899259070);
        assert_eq!(first(Stream::Faults), 7595788505787099191);
    }

    #[test]
    fn below_is_value_stable() {
        let mut generator = stream(7, Stream::Schedule);
        let drawn: Vec<u64> = (0..8).map(|_| below(&mut generator, 10)).collect();
        assert_eq!(drawn, [0, 1, 7, 4, 9, 4, 7, 3]);
    }

    /// Chi-square with 9 degrees of freedom; 33.7 is passed by chance once in 10^4.
    #[test]
    fn below_is_uniform() {
        let (mut generator, draws) = (stream(3, Stream::Coins), 100_000);
        let mut seen = [0_u32; 10];
        (0..draws).for_each(|_| seen[below(&mut generator, 10) as usize] += 1);
        let expected = f64::from(draws) / 10.0;
        let chi: f64 = seen.iter().map(|&k| (f64::from(k) - expected).powi(2) / expected).sum();
        assert!(chi < 33.7, "chi-square {chi}, counts {seen:?}");
    }

    /// Without rejection a bound of 3 * 2^62 would make every third number twice as likely as the others.
    #[test]
    fn below_rejects_what_would_bias() {
        let (bound, mut generator) = (3 << 62, stream(5, Stream::Schedule));
        let mut seen = [0_u32; 3];
        (0..30_000).for_each(|_| seen[(below(&mut generator, bound) % 3) as usize] += 1);
        assert!(seen.iter().all(|&k| (9_600..10_400).contains(&k)), "{seen:?}");
    }
}
