//! Words with many lanes: a bit of every lane in one word, and a clock of every lane in one array.
//!
//! The idea, for one lane: an edge fires if its time precedes those of both neighbouring edges and lies in the window; then
//! its next time is drawn ([`crate::clocks`]). Each reading does this for all its lanes: [`u64`] in plain Rust (64 lanes),
//! and, where the processor has them, 256 lanes with AVX2 and 512 with AVX-512. All give the same bits. What a lane holds, and
//! when an edge is visited, is for the engine to say.

use crate::circuit::Bit;
use crate::clocks::{Clock, END, add};

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;

/// A time of every lane: the lower halves of 16 bits, and the higher ones.
pub(crate) type Times<'a> = [&'a [u16]; 2];

/// Times to be changed.
pub(crate) type TimesMut<'a> = [&'a mut [u16]; 2];

/// The time of one lane.
#[inline(always)]
pub(crate) fn time([low, high]: Times<'_>, lane: usize) -> u32 {
    u32::from(high[lane]) << 16 | u32::from(low[lane])
}

/// Sets the time of one lane.
#[inline(always)]
pub(crate) fn set_time([low, high]: &mut TimesMut<'_>, lane: usize, t: u32) {
    (low[lane], high[lane]) = (t as u16, (t >> 16) as u16);
}

/// The times of the first lanes, so that the compiler knows how many there are. Written out, since `map` of an array is a call where no
/// link-time optimisation takes it away.
#[inline(always)]
pub(crate) fn cut([low, high]: Times<'_>, lanes: usize) -> Times<'_> {
    [&low[..lanes], &high[..lanes]]
}

/// One edge's clock in every lane.
#[derive(Clone, Copy)]
pub(crate) struct LaneClocks<'a> {
    /// The four keys.
    pub(crate) words: [&'a [u16]; 4],
    pub(crate) rank: &'a [u16],
    /// What the edge adds to the first two keys.
    pub(crate) edge: [u16; 2],
}

impl<'a> LaneClocks<'a> {
    /// The clock of one lane.
    #[inline(always)]
    pub(crate) fn of(&self, lane: usize) -> Clock {
        let [a, b, c, d] = self.words;
        Clock { words: add([a[lane], b[lane], c[lane], d[lane]], self.edge), rank: self.rank[lane] }
    }

    /// Those of the first lanes, so that the compiler knows how many there are.
    #[inline(always)]
    pub(crate) fn cut(self, lanes: usize) -> Self {
        let [a, b, c, d] = self.words;
        let words = [&a[..lanes], &b[..lanes], &c[..lanes], &d[..lanes]];
        Self { words, rank: &self.rank[..lanes], edge: self.edge }
    }
}

/// A word with one bit for every lane, and what clocks need of it.
///
/// The functions are meant to be inlined into a [`Task`](crate::circuit::Task), which [`Bit::work`] runs with the processor features of the reading.
pub(crate) trait Lanes: Bit {
    /// How many lanes there are.
    const LANES: usize;

    /// The word with these bits, 64 lanes to a number.
    fn from_words(words: &[u64]) -> Self;

    /// The bits, 64 lanes to a number; unused numbers stay as they are.
    fn to_words(self, words: &mut [u64; 8]);

    /// In which lanes the edge fires: its time precedes both neighbours' and lies in the window.
    fn race(own: Times<'_>, left: Times<'_>, right: Times<'_>) -> Self;

    /// Most of the lanes in which the edge fires: those in which the higher half of its time alone precedes both neighbours'.
    fn coarse_race(own: &[u16], left: &[u16], right: &[u16]) -> Self;

    /// Draws the next time of the edge in the lanes of `fired`.
    fn redraw(fired: Self, own: TimesMut<'_>, clocks: LaneClocks<'_>);

    /// On an undirected ring: the lanes in which the left agent initiates the interaction at these times.
    fn left_initiates(times: Times<'_>, clocks: LaneClocks<'_>) -> Self;

    /// Lane `k` becomes lane `k - by`, around the end; `by` is at most the number of lanes.
    #[must_use]
    fn rotate(self, by: usize) -> Self;

    /// Whether the clock of the edge still runs in some lane.
    #[inline(always)]
    fn runs([_, high]: Times<'_>) -> bool {
        high.iter().fold(u16::MAX, |least, &high| least.min(high)) < (END >> 16) as u16
    }

    /// Puts the clock of the edge to rest in some lanes.
    fn rest(self, mut own: TimesMut<'_>) {
        for_each_lane(self, |lane| set_time(&mut own, lane, END));
    }
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
    fn race(own: Times<'_>, left: Times<'_>, right: Times<'_>) -> Self {
        let (own, left, right) = (cut(own, 64), cut(left, 64), cut(right, 64));
        let mut fires = 0;
        for k in 0..64 {
            let t = time(own, k);
            fires |= u64::from((t < END) & (t < time(left, k)) & (t < time(right, k))) << k;
        }
        fires
    }

    #[inline(always)]
    fn coarse_race(own: &[u16], left: &[u16], right: &[u16]) -> Self {
        let (own, left, right) = (&own[..64], &left[..64], &right[..64]);
        let mut fires = 0;
        for k in 0..64 {
            fires |= u64::from(own[k] < left[k].min(right[k])) << k;
        }
        fires
    }

    #[inline(always)]
    fn redraw(fired: Self, [low, high]: TimesMut<'_>, clocks: LaneClocks<'_>) {
        let (low, high, clocks) = (&mut low[..64], &mut high[..64], clocks.cut(64));
        // All lanes are computed, so that the compiler can take several at a time.
        for k in 0..64 {
            let t = time([low, high], k);
            let drawn = clocks.of(k).next(t);
            let t = if fired >> k & 1 == 1 { drawn } else { t };
            (low[k], high[k]) = (t as u16, (t >> 16) as u16);
        }
    }

    #[inline(always)]
    fn left_initiates(times: Times<'_>, clocks: LaneClocks<'_>) -> Self {
        (0..64).fold(0, |left, k| left | u64::from(clocks.of(k).left_initiates(time(times, k))) << k)
    }

    #[inline(always)]
    fn rotate(self, by: usize) -> Self {
        self.rotate_right(by as u32)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::clocks::{Keys, edge_keys};
    use crate::random::{Generator, Stream, stream};
    use rand_core::Rng;

    /// Times with a rank in their lowest bits. Many have their higher half in common, and some are at the end.
    fn times(generator: &mut Generator, rank: u16, lanes: usize) -> [Vec<u16>; 2] {
        let higher = |bits: u32| match bits >> 30 {
            0 => u16::MAX,
            1 => (bits % 3) as u16,
            _ => bits as u16,
        };
        let low = (0..lanes).map(|_| generator.next_u32() as u16 & !3 | rank).collect();
        [low, (0..lanes).map(|_| higher(generator.next_u32())).collect()]
    }

    fn halves([low, high]: &[Vec<u16>; 2]) -> Times<'_> {
        [low, high]
    }

    /// What is compared with the law: the lanes that fire, those that are seen to by the higher halves alone, those in which the
    /// left agent initiates, and a word rotated.
    pub(crate) type Words = [[u64; 8]; 4];

    /// An edge raced and redrawn with the processor features of a reading.
    pub(crate) trait Compared: Lanes {
        /// Calls [`all`] with these features.
        fn all(own: TimesMut<'_>, neighbours: [Times<'_>; 2], clocks: LaneClocks<'_>, by: usize) -> Words;
    }

    /// The body of [`Compared::all`].
    #[inline(always)]
    pub(crate) fn all<L: Lanes>(
        [low, high]: TimesMut<'_>,
        neighbours: [Times<'_>; 2],
        clocks: LaneClocks<'_>,
        by: usize,
    ) -> Words {
        let fires = L::race([low, high], neighbours[0], neighbours[1]);
        let coarsely = L::coarse_race(high, neighbours[0][1], neighbours[1][1]);
        let initiators = L::left_initiates([low, high], clocks);
        L::redraw(fires, [low, high], clocks);
        let mut words = [[0; 8]; 4];
        let all = [fires, coarsely, initiators, fires.rotate(by)];
        all.into_iter().zip(&mut words).for_each(|(lanes, words)| lanes.to_words(words));
        words
    }

    /// A reading does in each lane what the law says.
    pub(crate) fn obeys_the_law<L: Compared>() {
        let mut generator = stream(17, Stream::Schedule);
        for round in 0..2_000 {
            let [mut own, left, right] = [0, 1, 2].map(|rank| times(&mut generator, rank, L::LANES));
            if round % 2 == 1 {
                // Nearly all lanes fire.
                own[1].iter_mut().for_each(|high| *high %= 16);
            }
            let keys: Vec<Keys> = (0..L::LANES).map(|_| Keys::new(generator.next_u64(), 0)).collect();
            let words = [0, 1, 2, 3].map(|k| keys.iter().map(|keys| keys.words[k]).collect::<Vec<u16>>());
            let (rank, before) = (vec![0; L::LANES], own.clone());
            let [a, b, c, d] = &words;
            let clocks = LaneClocks { words: [a, b, c, d], rank: &rank, edge: edge_keys(round) };
            let (by, [low, high]) = (round % (L::LANES + 1), &mut own);
            let [fires, coarsely, initiators, rotated] =
                L::all([low, high], [halves(&left), halves(&right)], clocks, by);
            let is = |words: &[u64; 8], k: usize| words[k / 64] >> (k % 64) & 1 == 1;
            for k in 0..L::LANES {
                let [t, left, right] = [&before, &left, &right].map(|times| time(halves(times), k));
                let first = t < left && t < right && t < END;
                assert_eq!(is(&fires, k), first, "lane {k}: {t} between {left} and {right}");
                assert_eq!(is(&coarsely, k), t >> 16 < left >> 16 && t >> 16 < right >> 16, "lane {k}");
                assert_eq!(time(halves(&own), k), if first { clocks.of(k).next(t) } else { t }, "lane {k}");
                assert_eq!(is(&initiators, k), clocks.of(k).left_initiates(t), "lane {k}");
                assert_eq!(is(&rotated, k), is(&fires, (k + by) % L::LANES), "by {by}");
            }
        }
    }

    impl Compared for u64 {
        fn all(own: TimesMut<'_>, neighbours: [Times<'_>; 2], clocks: LaneClocks<'_>, by: usize) -> Words {
            all::<u64>(own, neighbours, clocks, by)
        }
    }

    #[test]
    fn portable_lanes_obey_the_law() {
        obeys_the_law::<u64>();
    }
}
