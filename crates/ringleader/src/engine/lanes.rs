//! Many rings side by side: a bit of every lane in one word, and a clock of every lane in one array.
//!
//! The idea, for one lane: an edge fires if its time precedes those of both neighbouring edges and lies in the window, and its
//! next time has been drawn ([`crate::clocks`]). Each reading does this for all its lanes: [`u64`] in plain Rust (64 lanes),
//! and, where the processor has them, 256 lanes with AVX2 and 512 with AVX-512. All give the same bits.

use crate::circuit::Bit;
use crate::clocks::{Clock, EDGE, WINDOW, next};

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

    /// In which lanes the edge fires: its time precedes both neighbours', lies in the window, and precedes the next one, which
    /// is a past one until it is drawn. In these lanes the time and the next one are exchanged.
    fn race(own: &mut [u32], left: &[u32], right: &[u32], next: &mut [u32]) -> Self;

    /// Draws the times after those of the edge, in all lanes.
    fn draw(own: &[u32], next: &mut [u32], keys: LaneKeys<'_>);

    /// On an undirected ring: the lanes in which the left agent initiates the interaction at these times.
    fn left_initiates(times: &[u32], keys: LaneKeys<'_>) -> Self;

    /// Lane `k` becomes lane `k - by`, around the end; `by` is at most the number of lanes.
    #[must_use]
    fn rotate(self, by: usize) -> Self;

    /// Whether the clock of the edge still runs in some lane.
    #[inline(always)]
    fn runs(own: &[u32]) -> bool {
        let mut least = u32::MAX;
        for &time in own {
            least = if time < least { time } else { least };
        }
        least < WINDOW
    }

    /// Puts the clock of the edge to rest in some lanes.
    fn rest(self, own: &mut [u32]) {
        for_each_lane(self, |lane| own[lane] = u32::MAX);
    }

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
    fn race(own: &mut [u32], left: &[u32], right: &[u32], next: &mut [u32]) -> Self {
        let (own, left, right, next) = (&mut own[..64], &left[..64], &right[..64], &mut next[..64]);
        let mut fires = 0;
        for k in 0..64 {
            let (t, then) = (own[k], next[k]);
            let fired = (t < WINDOW) & (t < left[k]) & (t < right[k]) & (t < then);
            (own[k], next[k]) = if fired { (then, t) } else { (t, then) };
            fires |= u64::from(fired) << k;
        }
        fires
    }

    #[inline(always)]
    fn draw(own: &[u32], drawn: &mut [u32], keys: LaneKeys<'_>) {
        let (own, drawn) = (&own[..64], &mut drawn[..64]);
        let (base, salt, rank) = (&keys.base[..64], &keys.salt[..64], &keys.rank[..64]);
        for k in 0..64 {
            drawn[k] = next(own[k], base[k].wrapping_add(keys.edge[0]), salt[k].wrapping_add(keys.edge[1]), rank[k]);
        }
    }

    #[inline(always)]
    fn left_initiates(times: &[u32], keys: LaneKeys<'_>) -> Self {
        let (times, base, salt) = (&times[..64], &keys.base[..64], &keys.salt[..64]);
        let mut left = 0;
        for k in 0..64 {
            let (base, salt) = (base[k].wrapping_add(keys.edge[0]), salt[k].wrapping_add(keys.edge[1]));
            left |= u64::from(Clock::with_keys(base, salt, 0).left_initiates(times[k])) << k;
        }
        left
    }

    #[inline(always)]
    fn rotate(self, by: usize) -> Self {
        self.rotate_right(by as u32)
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

    /// What is compared of two readings: an edge raced, drawn, its initiators, and a word rotated.
    pub(crate) trait Compared: Lanes {
        /// Calls these functions with the processor features of the reading.
        fn all(own: &mut [u32], others: [&[u32]; 5], next: &mut [u32], edge: [u32; 2], by: usize) -> [[u64; 8]; 3];
    }

    /// The body of [`Compared::all`].
    #[inline(always)]
    pub(crate) fn all<L: Lanes>(
        own: &mut [u32],
        [left, right, base, salt, rank]: [&[u32]; 5],
        next: &mut [u32],
        edge: [u32; 2],
        by: usize,
    ) -> [[u64; 8]; 3] {
        let keys = LaneKeys { base, salt, rank, edge };
        let fires = L::race(own, left, right, next);
        let initiators = L::left_initiates(next, keys);
        L::draw(own, next, keys);
        let mut words = [[0; 8]; 3];
        fires.to_words(&mut words[0]);
        initiators.to_words(&mut words[1]);
        fires.rotate(by).to_words(&mut words[2]);
        words
    }

    /// Any reading does lane by lane what the portable one does.
    pub(crate) fn equals_the_portable_reading<L: Compared>() {
        let mut generator = stream(17, Stream::Schedule);
        for round in 0..2_000 {
            let mut any = || times(&mut generator, L::LANES);
            let (mut own, left, right, mut next) = (any(), any(), any(), any());
            let (base, salt) = (any(), any());
            let rank: Vec<u32> = base.iter().map(|x| x % 3).collect();
            let (mut expected_own, mut expected_next) = (own.clone(), next.clone());
            let by = round % (L::LANES + 1);
            let [fires, left_ones, rotated] =
                L::all(&mut own, [&left, &right, &base, &salt, &rank], &mut next, edge_keys(round), by);
            for k in 0..L::LANES / 64 {
                let part = 64 * k..64 * (k + 1);
                let others = [&left, &right, &base, &salt, &rank].map(|row| &row[part.clone()]);
                let (own, next) = (&mut expected_own[part.clone()], &mut expected_next[part.clone()]);
                let [fired, initiators, _] = all::<u64>(own, others, next, edge_keys(round), 0);
                assert_eq!((fires[k], left_ones[k]), (fired[0], initiators[0]));
            }
            assert_eq!((own, next), (expected_own, expected_next));
            let lane = |words: &[u64; 8], k: usize| words[k / 64] >> (k % 64) & 1;
            assert!((0..L::LANES).all(|k| lane(&rotated, k) == lane(&fires, (k + by) % L::LANES)), "by {by}");
        }
    }
}
