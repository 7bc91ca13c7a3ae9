//! 256 lanes with AVX2. Leaf file: all its `unsafe` is calls of intrinsics.

#![allow(unsafe_code, reason = "intrinsics; every value of `B256` is made where AVX2 is known to be there")]

use std::arch::x86_64::*;
use std::ops::{BitAnd, BitOr, BitXor, Not};

use super::{LaneClocks, Lanes, Times, TimesMut, cut};
use crate::circuit::{Bit, Task, Wide};
use crate::clocks::{INITIATOR, LOG, MULTIPLIERS};

/// 256 lanes.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct B256(__m256i);

/// Whether the processor can do it.
pub(crate) fn available() -> bool {
    is_x86_feature_detected!("avx2")
}

// SAFETY (all blocks of this file): `B256` is private to the library, which computes with it only inside functions that
// enable avx2 after `available()` said yes. Loads and stores go through slices whose lengths are asserted.

impl BitAnd for B256 {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_and_si256(self.0, other.0) })
    }
}

impl BitOr for B256 {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_or_si256(self.0, other.0) })
    }
}

impl BitXor for B256 {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }
}

impl Not for B256 {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        self ^ Self::ONE
    }
}

const fn filled(word: u64) -> B256 {
    // SAFETY: 32 bytes are 32 bytes, and any bits are a vector.
    B256(unsafe { std::mem::transmute::<[u64; 4], __m256i>([word; 4]) })
}

impl Bit for B256 {
    const ZERO: Self = filled(0);
    const ONE: Self = filled(u64::MAX);

    #[inline(always)]
    fn select(self, then: Self, otherwise: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_or_si256(_mm256_and_si256(self.0, then.0), _mm256_andnot_si256(self.0, otherwise.0)) })
    }

    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: see above.
        unsafe { _mm256_testz_si256(self.0, self.0) == 0 }
    }

    #[inline(always)]
    fn wide(words: &mut [Self]) -> Wide<'_> {
        // SAFETY: a word is 4 numbers of 64 bits, of which any are a word, and its alignment is more than theirs.
        Wide::Avx2(unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), words.len()) })
    }

    fn work(task: &mut impl Task) {
        #[target_feature(enable = "avx2")]
        #[inline(never)]
        fn with_features(task: &mut impl Task) {
            task.go();
        }
        assert!(available(), "this reading needs AVX2");
        // SAFETY: the features were just found.
        unsafe { with_features(task) }
    }
}

#[inline(always)]
fn load(part: &[u16], k: usize) -> __m256i {
    let part: &[u16; 16] = (&part[16 * k..16 * k + 16]).try_into().unwrap_or(&[0; 16]);
    // SAFETY: see above; the array has the 32 bytes that are read.
    unsafe { _mm256_loadu_si256(part.as_ptr().cast()) }
}

#[inline(always)]
fn store(part: &mut [u16], k: usize, vector: __m256i) {
    let part = &mut part[16 * k..16 * k + 16];
    // SAFETY: see above; the slice has the 32 bytes that are written.
    unsafe { _mm256_storeu_si256(part.as_mut_ptr().cast(), vector) }
}

#[inline(always)]
fn all_lanes(number: u16) -> __m256i {
    // SAFETY: see above.
    unsafe { _mm256_set1_epi16(number as i16) }
}

/// A bit for each of twice 16 lanes whose bits are all the same.
#[inline(always)]
fn gather(low: __m256i, high: __m256i) -> u32 {
    // SAFETY: see above. Bytes are packed within each half; the quarters in the middle are put right.
    unsafe { _mm256_movemask_epi8(_mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi16(low, high))) as u32 }
}

/// All bits of lane `k` are bit `k` of the mask.
#[inline(always)]
fn spread(mask: u16) -> __m256i {
    // SAFETY: see above.
    unsafe {
        let bits = _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, i16::MIN);
        _mm256_cmpeq_epi16(_mm256_and_si256(all_lanes(mask), bits), bits)
    }
}

impl Lanes for B256 {
    const LANES: usize = 256;

    #[inline(always)]
    fn from_words(words: &[u64]) -> Self {
        let words: [u64; 4] = words.try_into().unwrap_or([0; 4]);
        // SAFETY: see above; the array has the 32 bytes that are read.
        Self(unsafe { _mm256_loadu_si256(words.as_ptr().cast()) })
    }

    #[inline(always)]
    fn to_words(self, words: &mut [u64; 8]) {
        // SAFETY: 32 bytes are 32 bytes. This needs no feature, and so may be inlined anywhere.
        words[..4].copy_from_slice(&unsafe { std::mem::transmute::<__m256i, [u64; 4]>(self.0) });
    }

    #[inline(always)]
    fn race(own: Times<'_>, left: Times<'_>, right: Times<'_>) -> Self {
        let (own, left, right) = (cut(own, 256), cut(left, 256), cut(right, 256));
        let mut words = [0_u32; 8];
        for (k, word) in words.iter_mut().enumerate() {
            *word = gather(precedes_both(own, left, right, 2 * k), precedes_both(own, left, right, 2 * k + 1));
        }
        // SAFETY: 8 masks of 32 bits are the 32 bytes that are read.
        unsafe { Self(_mm256_loadu_si256(words.as_ptr().cast())) }
    }

    #[inline(always)]
    fn coarse_race(own: &[u16], left: &[u16], right: &[u16]) -> Self {
        let (own, left, right) = (&own[..256], &left[..256], &right[..256]);
        let mut words = [0_u32; 8];
        for (k, word) in words.iter_mut().enumerate() {
            *word = gather(less(own, left, right, 2 * k), less(own, left, right, 2 * k + 1));
        }
        // SAFETY: 8 masks of 32 bits are the 32 bytes that are read.
        unsafe { Self(_mm256_loadu_si256(words.as_ptr().cast())) }
    }

    #[inline(always)]
    fn redraw(fired: Self, [low, high]: TimesMut<'_>, clocks: LaneClocks<'_>) {
        let (low, high, clocks) = (&mut low[..256], &mut high[..256], clocks.cut(256));
        let mut masks = [0_u16; 16];
        // SAFETY: 16 masks of 16 bits are the 32 bytes that are written.
        unsafe { _mm256_storeu_si256(masks.as_mut_ptr().cast(), fired.0) }
        for (k, &mask) in masks.iter().enumerate() {
            let (t, mask) = ([load(low, k), load(high, k)], spread(mask));
            let (y, x) = hash(t, keys(clocks, k), clocks.edge);
            let part = part(x);
            // SAFETY: see above. Where nothing is added, a time stays what it is.
            unsafe {
                let rest = _mm256_or_si256(_mm256_slli_epi16::<9>(part), _mm256_srli_epi16::<7>(y));
                let rest = _mm256_or_si256(_mm256_and_si256(rest, all_lanes(!3)), all_lanes(4));
                let later = _mm256_add_epi16(t[0], _mm256_and_si256(mask, rest));
                // All ones, which is -1, where there is none.
                let no_carry = _mm256_cmpeq_epi16(_mm256_max_epu16(later, t[0]), later);
                store(low, k, later);
                let slots = _mm256_slli_epi16::<9>(zeros_at_the_end(y));
                let gap = _mm256_or_si256(slots, _mm256_srli_epi16::<7>(part));
                let later = _mm256_adds_epu16(t[1], _mm256_and_si256(mask, gap));
                store(high, k, _mm256_adds_epu16(later, _mm256_add_epi16(no_carry, all_lanes(1))));
            }
        }
    }

    #[inline(always)]
    fn left_initiates(times: Times<'_>, clocks: LaneClocks<'_>) -> Self {
        let (times, clocks) = (cut(times, 256), clocks.cut(256));
        let edge = [clocks.edge[0], clocks.edge[1].wrapping_add(INITIATOR)];
        let mut left = [0_u32; 8];
        for (k, left) in left.iter_mut().enumerate() {
            let (_, x0) = hash(both(times, 2 * k), keys(clocks, 2 * k), edge);
            let (_, x1) = hash(both(times, 2 * k + 1), keys(clocks, 2 * k + 1), edge);
            // SAFETY: see above.
            *left = !unsafe { gather(_mm256_srai_epi16::<15>(x0), _mm256_srai_epi16::<15>(x1)) };
        }
        // SAFETY: 8 masks of 32 bits are the 32 bytes that are read.
        unsafe { Self(_mm256_loadu_si256(left.as_ptr().cast())) }
    }

    #[inline(always)]
    fn rotate(self, by: usize) -> Self {
        // SAFETY: see above. A shift by 64 bits gives zero; only the lowest three bits of an index count.
        unsafe {
            let words = _mm256_set1_epi32((by / 64 * 2) as i32);
            let index = _mm256_add_epi32(words, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
            let low = _mm256_permutevar8x32_epi32(self.0, index);
            let high = _mm256_permutevar8x32_epi32(self.0, _mm256_add_epi32(index, _mm256_set1_epi32(2)));
            let low = _mm256_srlv_epi64(low, _mm256_set1_epi64x((by % 64) as i64));
            let high = _mm256_sllv_epi64(high, _mm256_set1_epi64x(64 - (by % 64) as i64));
            Self(_mm256_or_si256(low, high))
        }
    }
}

/// Both halves of times.
#[inline(always)]
fn both(times: Times<'_>, k: usize) -> [__m256i; 2] {
    [load(times[0], k), load(times[1], k)]
}

/// The keys of clocks.
#[inline(always)]
fn keys(clocks: LaneClocks<'_>, k: usize) -> [__m256i; 4] {
    let [a, b, c, d] = clocks.words;
    [load(a, k), load(b, k), load(c, k), load(d, k)]
}

/// Where a number is less than two others.
#[inline(always)]
fn less(own: &[u16], left: &[u16], right: &[u16], k: usize) -> __m256i {
    let own = load(own, k);
    // SAFETY: see above.
    unsafe {
        let others = _mm256_min_epu16(load(left, k), load(right, k));
        _mm256_xor_si256(_mm256_cmpeq_epi16(_mm256_max_epu16(own, others), own), all_lanes(u16::MAX))
    }
}

/// Where a time precedes two others.
#[inline(always)]
fn precedes_both(own: Times<'_>, left: Times<'_>, right: Times<'_>, k: usize) -> __m256i {
    let own = both(own, k);
    // SAFETY: see above.
    unsafe { _mm256_and_si256(precedes(own, both(left, k)), precedes(own, both(right, k))) }
}

/// Where a time precedes another. There are no unsigned comparisons but with the lesser of two.
#[inline(always)]
fn precedes(own: [__m256i; 2], other: [__m256i; 2]) -> __m256i {
    // SAFETY: see above.
    unsafe {
        let not_low = _mm256_cmpeq_epi16(_mm256_max_epu16(own[0], other[0]), own[0]);
        // The other's higher half, or one more; at the end of a window it stays at its largest.
        let bound = _mm256_adds_epu16(other[1], _mm256_add_epi16(not_low, all_lanes(1)));
        let not_high = _mm256_cmpeq_epi16(_mm256_max_epu16(own[1], bound), own[1]);
        _mm256_xor_si256(not_high, all_lanes(u16::MAX))
    }
}

/// The hash of the law, 16 lanes at a time.
#[inline(always)]
fn hash(t: [__m256i; 2], [a, b, c, d]: [__m256i; 4], edge: [u16; 2]) -> (__m256i, __m256i) {
    let (m0, m1, m2) = (all_lanes(MULTIPLIERS[0]), all_lanes(MULTIPLIERS[1]), all_lanes(MULTIPLIERS[2]));
    // SAFETY: see above.
    unsafe {
        let s = _mm256_mullo_epi16(_mm256_add_epi16(t[0], _mm256_add_epi16(a, all_lanes(edge[0]))), m0);
        let p = _mm256_xor_si256(_mm256_xor_si256(s, t[1]), _mm256_add_epi16(b, all_lanes(edge[1])));
        let q = _mm256_xor_si256(s, _mm256_mulhi_epu16(p, c));
        let low = _mm256_xor_si256(_mm256_mullo_epi16(p, c), d);
        let y = _mm256_xor_si256(_mm256_mulhi_epu16(q, m1), low);
        (y, _mm256_xor_si256(_mm256_mulhi_epu16(y, m2), _mm256_mullo_epi16(q, m1)))
    }
}

/// The number of zeros after the last one of each lane; 16 if there is none.
#[inline(always)]
fn zeros_at_the_end(y: __m256i) -> __m256i {
    // SAFETY: see above.
    unsafe {
        // As many ones as there are zeros, counted in nibbles, then in bytes.
        let ones = _mm256_andnot_si256(y, _mm256_add_epi16(y, all_lanes(u16::MAX)));
        let counts = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
        let nibble = _mm256_set1_epi8(15);
        let low = _mm256_shuffle_epi8(counts, _mm256_and_si256(ones, nibble));
        let high = _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi16::<4>(ones), nibble));
        _mm256_maddubs_epi16(_mm256_add_epi8(low, high), _mm256_set1_epi8(1))
    }
}

/// The part of a slot, in units of 2^-16, 16 lanes at a time.
#[inline(always)]
fn part(x: __m256i) -> __m256i {
    // SAFETY: see above.
    unsafe {
        let mut part = all_lanes(LOG[LOG.len() - 1]);
        for k in (0..LOG.len() - 1).rev() {
            part = _mm256_add_epi16(_mm256_mulhi_epu16(x, part), all_lanes(LOG[k]));
        }
        _mm256_mulhi_epu16(x, part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::tests::{Compared, Words, all, obeys_the_law};

    impl Compared for B256 {
        fn all(own: TimesMut<'_>, neighbours: [Times<'_>; 2], clocks: LaneClocks<'_>, by: usize) -> Words {
            #[target_feature(enable = "avx2")]
            fn with_features(
                own: TimesMut<'_>,
                neighbours: [Times<'_>; 2],
                clocks: LaneClocks<'_>,
                by: usize,
            ) -> Words {
                all::<B256>(own, neighbours, clocks, by)
            }
            // SAFETY: called only where the features were found.
            unsafe { with_features(own, neighbours, clocks, by) }
        }
    }

    #[test]
    fn avx2_obeys_the_law() {
        // A processor without these words never runs this reading; the portable one is tested everywhere.
        if available() {
            obeys_the_law::<B256>();
        }
    }
}
