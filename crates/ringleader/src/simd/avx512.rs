//! 512 lanes with AVX-512. Leaf file: all its `unsafe` is calls of intrinsics.

#![allow(unsafe_code, reason = "intrinsics; every value of `B512` is made where AVX-512 is known to be there")]

use std::arch::x86_64::*;
use std::ops::{BitAnd, BitOr, BitXor, Not};

use super::{LaneClocks, Lanes, Times, TimesMut, cut};
use crate::circuit::{Bit, Task, Wide};
use crate::clocks::{INITIATOR, LOG, MULTIPLIERS};

/// 512 lanes.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct B512(__m512i);

/// Whether the processor can do it.
pub(crate) fn available() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512bitalg")
        && is_x86_feature_detected!("avx512vbmi2")
}

// SAFETY (all blocks of this file): `B512` is private to the library, which computes with it only inside functions that
// enable avx512f, avx512bw, avx512dq, avx512bitalg and avx512vbmi2 after `available()` said yes. Loads and stores go through slices whose lengths are
// asserted.

impl BitAnd for B512 {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_and_si512(self.0, other.0) })
    }
}

impl BitOr for B512 {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_or_si512(self.0, other.0) })
    }
}

impl BitXor for B512 {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_xor_si512(self.0, other.0) })
    }
}

impl Not for B512 {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        self ^ Self::ONE
    }
}

const fn filled(word: u64) -> B512 {
    // SAFETY: 64 bytes are 64 bytes, and any bits are a vector.
    B512(unsafe { std::mem::transmute::<[u64; 8], __m512i>([word; 8]) })
}

impl Bit for B512 {
    const ZERO: Self = filled(0);
    const ONE: Self = filled(u64::MAX);

    #[inline(always)]
    fn select(self, then: Self, otherwise: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_ternarylogic_epi64::<0xca>(self.0, then.0, otherwise.0) })
    }

    #[inline(always)]
    fn majority(a: Self, b: Self, c: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_ternarylogic_epi64::<0xe8>(a.0, b.0, c.0) })
    }

    #[inline(always)]
    fn constant(bit: bool) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_set1_epi64(-i64::from(bit)) })
    }

    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: see above.
        unsafe { _mm512_test_epi64_mask(self.0, self.0) != 0 }
    }

    #[inline(always)]
    fn wide(words: &mut [Self]) -> Wide<'_> {
        // SAFETY: a word is 8 numbers of 64 bits, of which any are a word, and its alignment is more than theirs.
        Wide::Avx512(unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), words.len()) })
    }

    fn work(task: &mut impl Task) {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512bitalg,avx512vbmi2")]
        #[inline(never)]
        fn with_features(task: &mut impl Task) {
            task.go();
        }
        assert!(available(), "this reading needs AVX-512");
        // SAFETY: the features were just found.
        unsafe { with_features(task) }
    }
}

#[inline(always)]
fn load(part: &[u16], k: usize) -> __m512i {
    let part: &[u16; 32] = (&part[32 * k..32 * k + 32]).try_into().unwrap_or(&[0; 32]);
    // SAFETY: see above; the array has the 64 bytes that are read.
    unsafe { _mm512_loadu_si512(part.as_ptr().cast()) }
}

#[inline(always)]
fn store(part: &mut [u16], k: usize, vector: __m512i) {
    let part = &mut part[32 * k..32 * k + 32];
    // SAFETY: see above; the slice has the 64 bytes that are written.
    unsafe { _mm512_storeu_si512(part.as_mut_ptr().cast(), vector) }
}

#[inline(always)]
fn all_lanes(number: u16) -> __m512i {
    // SAFETY: see above.
    unsafe { _mm512_set1_epi16(number as i16) }
}

impl Lanes for B512 {
    const LANES: usize = 512;

    #[inline(always)]
    fn from_words(words: &[u64]) -> Self {
        let words: [u64; 8] = words.try_into().unwrap_or([0; 8]);
        // SAFETY: see above; the array has the 64 bytes that are read.
        Self(unsafe { _mm512_loadu_si512(words.as_ptr().cast()) })
    }

    #[inline(always)]
    fn to_words(self, words: &mut [u64; 8]) {
        // SAFETY: 64 bytes are 64 bytes. This needs no feature, and so may be inlined anywhere.
        *words = unsafe { std::mem::transmute::<__m512i, [u64; 8]>(self.0) };
    }

    #[inline(always)]
    fn race(own: Times<'_>, left: Times<'_>, right: Times<'_>) -> Self {
        let (own, left, right) = (cut(own, 512), cut(left, 512), cut(right, 512));
        let mut fires = [0_u32; 16];
        for (k, fires) in fires.iter_mut().enumerate() {
            let (low, high) = (load(own[0], k), load(own[1], k));
            // SAFETY: see above.
            unsafe {
                let first = _mm512_min_epu16(bound(low, left, k), bound(low, right, k));
                *fires = _mm512_cmplt_epu16_mask(high, first);
            }
        }
        // SAFETY: 16 masks of 32 bits are the 64 bytes that are read.
        unsafe { Self(_mm512_loadu_si512(fires.as_ptr().cast())) }
    }

    #[inline(always)]
    fn coarse_race(own: &[u16], left: &[u16], right: &[u16]) -> Self {
        let (own, left, right) = (&own[..512], &left[..512], &right[..512]);
        let mut fires = [0_u32; 16];
        for (k, fires) in fires.iter_mut().enumerate() {
            // SAFETY: see above.
            *fires = unsafe { _mm512_cmplt_epu16_mask(load(own, k), _mm512_min_epu16(load(left, k), load(right, k))) };
        }
        // SAFETY: 16 masks of 32 bits are the 64 bytes that are read.
        unsafe { Self(_mm512_loadu_si512(fires.as_ptr().cast())) }
    }

    #[inline(always)]
    fn redraw(fired: Self, [low, high]: TimesMut<'_>, clocks: LaneClocks<'_>) {
        let (low, high, clocks) = (&mut low[..512], &mut high[..512], clocks.cut(512));
        let mut masks = [0_u32; 16];
        // SAFETY: 16 masks of 32 bits are the 64 bytes that are written.
        unsafe { _mm512_storeu_si512(masks.as_mut_ptr().cast(), fired.0) }
        for k in (0..16).step_by(TOGETHER) {
            let (t0, t1) = (several(low, k), several(high, k));
            let (y, x) = hash(t0, t1, clocks, k, clocks.edge);
            let part = part(x);
            for i in 0..TOGETHER {
                let mask = masks[k + i];
                // SAFETY: see above. Where nothing is added, a time stays what it is.
                unsafe {
                    // Two numbers side by side, shifted: their upper halves are the rest of a slot, and a gap in slots.
                    let rest = _mm512_shldi_epi16::<9>(part[i], y[i]);
                    // (a & b) | c
                    let rest = _mm512_ternarylogic_epi32::<0xea>(rest, all_lanes(!3), all_lanes(4));
                    let later = _mm512_mask_add_epi16(t0[i], mask, t0[i], rest);
                    let carry = _mm512_cmplt_epu16_mask(later, t0[i]);
                    store(low, k + i, later);
                    let zeros = _mm512_andnot_si512(y[i], _mm512_add_epi16(y[i], all_lanes(u16::MAX)));
                    let gap = _mm512_shldi_epi16::<9>(_mm512_popcnt_epi16(zeros), part[i]);
                    let later = _mm512_mask_adds_epu16(t1[i], mask, t1[i], gap);
                    store(high, k + i, _mm512_mask_adds_epu16(later, carry, later, all_lanes(1)));
                }
            }
        }
    }

    #[inline(always)]
    fn left_initiates(times: Times<'_>, clocks: LaneClocks<'_>) -> Self {
        let (times, clocks) = (cut(times, 512), clocks.cut(512));
        let edge = [clocks.edge[0], clocks.edge[1].wrapping_add(INITIATOR)];
        let mut left = [0_u32; 16];
        for k in (0..16).step_by(TOGETHER) {
            let (_, x) = hash(several(times[0], k), several(times[1], k), clocks, k, edge);
            for i in 0..TOGETHER {
                // SAFETY: see above.
                left[k + i] = unsafe { !_mm512_movepi16_mask(x[i]) };
            }
        }
        // SAFETY: 16 masks of 32 bits are the 64 bytes that are read.
        unsafe { Self(_mm512_loadu_si512(left.as_ptr().cast())) }
    }

    #[inline(always)]
    fn rotate(self, by: usize) -> Self {
        // SAFETY: see above. A shift by 64 bits gives zero.
        unsafe {
            let words = _mm512_set1_epi64((by / 64) as i64);
            let index = _mm512_add_epi64(words, _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
            let low = _mm512_permutexvar_epi64(index, self.0);
            let high = _mm512_permutexvar_epi64(_mm512_add_epi64(index, _mm512_set1_epi64(1)), self.0);
            let low = _mm512_srlv_epi64(low, _mm512_set1_epi64((by % 64) as i64));
            let high = _mm512_sllv_epi64(high, _mm512_set1_epi64(64 - (by % 64) as i64));
            Self(_mm512_or_si512(low, high))
        }
    }
}

/// What the higher half of a time must be less than, for the time to precede another: the other's, or one more if the lower
/// half precedes. At the end of a window it stays at its largest.
#[inline(always)]
fn bound(low: __m512i, other: Times<'_>, k: usize) -> __m512i {
    let high = load(other[1], k);
    // SAFETY: see above.
    unsafe {
        let precedes = _mm512_cmplt_epu16_mask(low, load(other[0], k));
        _mm512_mask_adds_epu16(high, precedes, high, all_lanes(1))
    }
}

/// So many vectors are drawn together, operation by operation: the chain of operations of one is long, and while it waits
/// the others compute.
const TOGETHER: usize = 4;

type Several = [__m512i; TOGETHER];

#[inline(always)]
fn several(row: &[u16], k: usize) -> Several {
    let mut vectors = [B512::ZERO.0; TOGETHER];
    for (i, vector) in vectors.iter_mut().enumerate() {
        *vector = load(row, k + i);
    }
    vectors
}

/// The hash of the law, 32 lanes at a time.
#[inline(always)]
fn hash(t0: Several, t1: Several, clocks: LaneClocks<'_>, k: usize, edge: [u16; 2]) -> (Several, Several) {
    let [a, b, c, d] = clocks.words;
    let (m0, m1, m2) = (all_lanes(MULTIPLIERS[0]), all_lanes(MULTIPLIERS[1]), all_lanes(MULTIPLIERS[2]));
    let (mut s, mut p, mut q, mut y, mut x) = (t0, t0, t0, t0, t0);
    // SAFETY: see above.
    unsafe {
        for i in 0..TOGETHER {
            s[i] = _mm512_add_epi16(t0[i], _mm512_add_epi16(load(a, k + i), all_lanes(edge[0])));
            s[i] = _mm512_mullo_epi16(s[i], m0);
        }
        for i in 0..TOGETHER {
            p[i] = _mm512_add_epi16(load(b, k + i), all_lanes(edge[1]));
            p[i] = _mm512_ternarylogic_epi32::<0x96>(s[i], t1[i], p[i]);
        }
        for i in 0..TOGETHER {
            q[i] = _mm512_xor_si512(s[i], _mm512_mulhi_epu16(p[i], load(c, k + i)));
            p[i] = _mm512_mullo_epi16(p[i], load(c, k + i));
        }
        for i in 0..TOGETHER {
            y[i] = _mm512_ternarylogic_epi32::<0x96>(_mm512_mulhi_epu16(q[i], m1), p[i], load(d, k + i));
            q[i] = _mm512_mullo_epi16(q[i], m1);
        }
        for i in 0..TOGETHER {
            x[i] = _mm512_xor_si512(_mm512_mulhi_epu16(y[i], m2), q[i]);
        }
    }
    (y, x)
}

/// The part of a slot, in units of 2^-16, 32 lanes at a time.
#[inline(always)]
fn part(x: Several) -> Several {
    let mut part = [all_lanes(LOG[LOG.len() - 1]); TOGETHER];
    for k in (0..LOG.len()).rev() {
        for i in 0..TOGETHER {
            // SAFETY: see above.
            part[i] = unsafe { _mm512_mulhi_epu16(x[i], part[i]) };
        }
        for part in part.iter_mut().filter(|_| k > 0) {
            // SAFETY: see above.
            *part = unsafe { _mm512_add_epi16(*part, all_lanes(LOG[k - 1])) };
        }
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::tests::{Compared, Words, all, obeys_the_law};

    impl Compared for B512 {
        fn all(own: TimesMut<'_>, neighbours: [Times<'_>; 2], clocks: LaneClocks<'_>, by: usize) -> Words {
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512bitalg,avx512vbmi2")]
            fn with_features(
                own: TimesMut<'_>,
                neighbours: [Times<'_>; 2],
                clocks: LaneClocks<'_>,
                by: usize,
            ) -> Words {
                all::<B512>(own, neighbours, clocks, by)
            }
            // SAFETY: called only where the features were found.
            unsafe { with_features(own, neighbours, clocks, by) }
        }
    }

    #[test]
    fn avx512_obeys_the_law() {
        // A processor without these words never runs this reading; the portable one is tested everywhere.
        if available() {
            obeys_the_law::<B512>();
        }
    }
}
