//! Many rings side by side: a bit of every lane in one word, and a clock of every lane in one array.
//!
//! The idea, for one lane: an edge fires if its time precedes those of both neighbouring edges and lies in the window; then
//! its next time is drawn ([`crate::clocks`]). Each reading does this for all its lanes: [`u64`] in plain Rust (64 lanes),
//! and, where the processor has them, 256 lanes with AVX2 and 512 with AVX-512. All give the same bits.

use crate::circuit::Bit;
use crate::clocks::{EDGE, WINDOW, next};

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;

/// The keys of one edge's clock in every lane.
#[derive(Clone, Copy)]
pub(crate) struct LaneKeys<'a> {
    pub(crate) base: &'a [u32],
    pub(crate) salt: &'a [u32],
    pub(crate) rank: &'a [u32],
    /// What the edge adds to the base and to the salt.
    pub(crate) edge: [u32; 2],
}

/// A word with one bit for every lane, and what clocks need of it.
///
/// The functions are meant to be inlined into one that has the processor features of the reading; see `sliced.rs`.
pub(crate) trait Lanes: Bit {
    /// How many lanes there are.
    const LANES: usize;

    /// The word with these bits, 64 lanes to a number.
    fn from_words(words: &[u64]) -> Self;

    /// The bits, 64 lanes to a number; unused numbers stay as they are.
    fn to_words(self, words: &mut [u64; 8]);

    /// In which lanes the edge fires, and in which its clock still runs.
    fn race(own: &[u32], left: &[u32], right: &[u32]) -> (Self, Self);

    /// Draws the next time of the edge in the lanes of `fired`.
    fn redraw(fired: Self, own: &mut [u32], keys: LaneKeys<'_>);

    /// Does some work with the processor features of the reading.
    fn work(task: &mut impl Task);
}

/// Work that is compiled once for every reading: `go` and all it calls must be `#[inline(always)]`.
pub(crate) trait Task {
    /// Does it.
    fn go(&mut self);
}

/// Calls `visit` for every lane that is set.
#[inline]
pub(crate) fn for_each_lane<L: Lanes>(lanes: L, mut visit: impl FnMut(usize)) {
    let mut words = [0; 8];
    lanes.to_words(&mut words);
    for (k, mut word) in words.into_iter().take(L::LANES / 64).enumerate() {
        while word != 0 {
            visit(64 * k + word.trailing_zeros() as usize);
            word &= word - 1;
        }
    }
}

impl Lanes for u64 {
    const LANES: usize = 64;

    #[inline(always)]
    fn from_words(words: &[u64]) -> Self {
        words[0]
    }

    #[inline(always)]
    fn to_words(self, words: &mut [u64; 8]) {
        words[0] = self;
    }

    #[inline(always)]
    fn race(own: &[u32], left: &[u32], right: &[u32]) -> (Self, Self) {
        let (own, left, right) = (&own[..64], &left[..64], &right[..64]);
        let (mut fires, mut runs) = (0, 0);
        for k in 0..64 {
            let alive = own[k] < WINDOW;
            runs |= u64::from(alive) << k;
            fires |= u64::from(alive & (own[k] < left[k]) & (own[k] < right[k])) << k;
        }
        (fires, runs)
    }

    #[inline(always)]
    fn redraw(fired: Self, own: &mut [u32], keys: LaneKeys<'_>) {
        let (own, base, salt, rank) = (&mut own[..64], &keys.base[..64], &keys.salt[..64], &keys.rank[..64]);
        // All lanes are computed, so that the compiler can take several at a time.
        for k in 0..64 {
            let drawn = next(own[k], base[k].wrapping_add(keys.edge[0]), salt[k].wrapping_add(keys.edge[1]), rank[k]);
            own[k] = if fired >> k & 1 == 1 { drawn } else { own[k] };
        }
    }

    fn work(task: &mut impl Task) {
        task.go();
    }
}

/// What an edge adds to the base and to the salt.
#[inline]
pub(crate) fn edge_keys(edge: usize) -> [u32; 2] {
    EDGE.map(|factor| (edge as u32).wrapping_mul(factor))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::random::{Generator, Stream, stream};
    use rand_core::Rng;

    pub(crate) fn times(generator: &mut Generator, lanes: usize) -> Vec<u32> {
        // Half of them collide in their high bits, and some are beyond the window.
        (0..lanes)
            .map(|k| if k % 2 == 0 { generator.next_u32() >> (k % 3) } else { (generator.next_u32() % 16) << 27 | 1 })
            .collect()
    }

    /// Any reading does lane by lane what the portable one does.
    pub(crate) fn equals_the_portable_reading<L: Lanes>(
        race_and_redraw: impl Fn(&mut [u32], [&[u32]; 5], [u32; 2]) -> ([u64; 8], [u64; 8]),
    ) {
        let mut generator = stream(17, Stream::Schedule);
        for round in 0..2_000 {
            let mut any = || times(&mut generator, L::LANES);
            let (mut own, left, right) = (any(), any(), any());
            let (base, salt) = (any(), any());
            let rank: Vec<u32> = base.iter().map(|x| x % 3).collect();
            let mut expected = own.clone();
            let (fires, runs) = race_and_redraw(&mut own, [&left, &right, &base, &salt, &rank], edge_keys(round));
            for k in 0..L::LANES / 64 {
                let part = 64 * k..64 * (k + 1);
                let (fired, running) = u64::race(&expected[part.clone()], &left[part.clone()], &right[part.clone()]);
                let keys = LaneKeys {
                    base: &base[part.clone()],
                    salt: &salt[part.clone()],
                    rank: &rank[part.clone()],
                    edge: edge_keys(round),
                };
                u64::redraw(fired, &mut expected[part], keys);
                assert_eq!((fires[k], runs[k]), (fired, running));
            }
            assert_eq!(own, expected);
        }
    }
}
