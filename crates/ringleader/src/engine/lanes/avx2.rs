//! 256 lanes with AVX2. Leaf file: all its `unsafe` is calls of intrinsics.

#![allow(unsafe_code, reason = "intrinsics; every value of `B256` is made where AVX2 is known to be there")]

use std::arch::x86_64::*;
use std::ops::{BitAnd, BitOr, BitXor, Not};

use super::{LaneKeys, Lanes, Task};
use crate::circuit::Bit;
use crate::clocks::{INITIATOR, LN_2, LOG, MULTIPLIERS, THREE_FIFTHS};

/// 256 lanes.
#[derive(Clone, Copy)]
pub(crate) struct B256(__m256i);

/// Whether the processor can do it.
pub(crate) fn available() -> bool {
    is_x86_feature_detected!("avx2")
}

// SAFETY (all blocks of this file): `B256` is private to the engine, which computes with it only inside functions that
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
}

#[inline(always)]
fn load(part: &[u32], k: usize) -> __m256i {
    let part: &[u32; 8] = (&part[8 * k..8 * k + 8]).try_into().unwrap_or(&[0; 8]);
    // SAFETY: see above; the array has the 32 bytes that are read.
    unsafe { _mm256_loadu_si256(part.as_ptr().cast()) }
}

#[inline(always)]
fn store(part: &mut [u32], k: usize, vector: __m256i) {
    let part = &mut part[8 * k..8 * k + 8];
    // SAFETY: see above; the slice has the 32 bytes that are written.
    unsafe { _mm256_storeu_si256(part.as_mut_ptr().cast(), vector) }
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
        // SAFETY: see above; the array has more than the 32 bytes that are written.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn race(own: &[u32], left: &[u32], right: &[u32]) -> Self {
        let (own, left, right) = (&own[..256], &left[..256], &right[..256]);
        let mut fires = [0_u8; 32];
        for (k, fires) in fires.iter_mut().enumerate() {
            // SAFETY: see above.
            unsafe {
                let others = _mm256_min_epu32(load(left, k), load(right, k));
                // The comparison is signed. Cut to below 2^31, the others are positive. A time beyond the window is negative and must
                // not fire; no time is 2^31 - 1, as its rank is at most 2.
                let first = _mm256_min_epu32(others, _mm256_set1_epi32(i32::MAX));
                let precedes = _mm256_andnot_si256(load(own, k), _mm256_cmpgt_epi32(first, load(own, k)));
                *fires = _mm256_movemask_ps(_mm256_castsi256_ps(precedes)) as u8;
            }
        }
        // SAFETY: 32 masks of 8 bits are the 32 bytes that are read.
        unsafe { Self(_mm256_loadu_si256(fires.as_ptr().cast())) }
    }

    #[inline(always)]
    fn redraw(fired: Self, own: &mut [u32], keys: LaneKeys<'_>) {
        let (own, base, salt, rank) = (&mut own[..256], &keys.base[..256], &keys.salt[..256], &keys.rank[..256]);
        let mut masks = [0_u8; 32];
        // SAFETY: 32 masks of 8 bits are the 32 bytes that are written.
        unsafe { _mm256_storeu_si256(masks.as_mut_ptr().cast(), fired.0) }
        // Two short loops are faster than one: the processor looks further ahead, and the constants stay in registers.
        let mut hashes = [Self::ZERO.0; 32];
        for (k, slot) in hashes.iter_mut().enumerate() {
            *slot = hash(load(own, k), load(base, k), load(salt, k), keys.edge);
        }
        for k in 0..32 {
            // SAFETY: see above. Where nothing is added, the lowest bits are the rank already.
            unsafe {
                let gap = _mm256_and_si256(gap(hashes[k]), spread(masks[k]));
                let next = _mm256_add_epi32(load(own, k), gap);
                store(own, k, _mm256_or_si256(_mm256_andnot_si256(_mm256_set1_epi32(3), next), load(rank, k)));
            }
        }
    }

    #[inline(always)]
    fn left_initiates(times: &[u32], keys: LaneKeys<'_>) -> Self {
        let (times, base, salt) = (&times[..256], &keys.base[..256], &keys.salt[..256]);
        let mut left = [0_u8; 32];
        for (k, left) in left.iter_mut().enumerate() {
            // SAFETY: see above.
            unsafe {
                let base = _mm256_xor_si256(load(base, k), _mm256_set1_epi32(INITIATOR as i32));
                let hashed = hash(load(times, k), base, load(salt, k), keys.edge);
                *left = !_mm256_movemask_ps(_mm256_castsi256_ps(hashed)) as u8;
            }
        }
        // SAFETY: 32 masks of 8 bits are the 32 bytes that are read.
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

    fn work(task: &mut impl Task) {
        #[target_feature(enable = "avx2")]
        fn with_features(task: &mut impl Task) {
            task.go();
        }
        assert!(available(), "this reading needs AVX2");
        // SAFETY: the features were just found.
        unsafe { with_features(task) }
    }
}

/// All bits of lane `k` are bit `k` of the mask.
#[inline(always)]
fn spread(mask: u8) -> __m256i {
    // SAFETY: see above.
    unsafe {
        let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(i32::from(mask)), bits), bits)
    }
}

/// `clocks::hash`, 8 lanes at a time.
#[inline(always)]
fn hash(t: __m256i, base: __m256i, salt: __m256i, edge: u32) -> __m256i {
    // SAFETY: see above.
    unsafe {
        let x = _mm256_add_epi32(t, base);
        let x = _mm256_xor_si256(x, _mm256_srli_epi32::<16>(x));
        let x = _mm256_mullo_epi32(x, _mm256_set1_epi32(MULTIPLIERS[0] as i32));
        let x = _mm256_xor_si256(x, _mm256_srli_epi32::<15>(x));
        let x = _mm256_add_epi32(x, _mm256_add_epi32(salt, _mm256_set1_epi32(edge as i32)));
        _mm256_mullo_epi32(x, _mm256_set1_epi32(MULTIPLIERS[1] as i32))
    }
}

/// `clocks::gap`, 8 lanes at a time, operation by operation. No multiplication is fused with an addition, which would round
/// differently.
#[inline(always)]
fn gap(hash: __m256i) -> __m256i {
    // SAFETY: see above.
    unsafe {
        let u = _mm256_castps_si256(_mm256_cvtepi32_ps(_mm256_srli_epi32::<1>(hash)));
        let e = _mm256_srai_epi32::<23>(_mm256_sub_epi32(u, _mm256_set1_epi32(THREE_FIFTHS)));
        let m = _mm256_castsi256_ps(_mm256_sub_epi32(u, _mm256_slli_epi32::<23>(e)));
        let x = _mm256_sub_ps(m, _mm256_set1_ps(1.0));
        let mut sum = _mm256_set1_ps(LOG[5]);
        for k in (0..5).rev() {
            sum = _mm256_add_ps(_mm256_mul_ps(sum, x), _mm256_set1_ps(LOG[k]));
        }
        // 31 - (e & 31)
        let rest = _mm256_cvtepi32_ps(_mm256_andnot_si256(e, _mm256_set1_epi32(31)));
        let whole = _mm256_add_ps(_mm256_mul_ps(rest, _mm256_set1_ps(LN_2)), _mm256_set1_ps(4.0));
        _mm256_cvttps_epi32(_mm256_add_ps(whole, _mm256_mul_ps(sum, x)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::lanes::tests::{Compared, Words, all, equals_the_portable_reading};

    impl Compared for B256 {
        fn all(own: &mut [u32], others: [&[u32]; 5], edge: u32, by: usize) -> Words {
            #[target_feature(enable = "avx2")]
            fn with_features(own: &mut [u32], others: [&[u32]; 5], edge: u32, by: usize) -> Words {
                all::<B256>(own, others, edge, by)
            }
            // SAFETY: called only where the features were found.
            unsafe { with_features(own, others, edge, by) }
        }
    }

    #[test]
    fn avx2_equals_the_portable_reading() {
        // A processor without these words never runs this reading; the portable one is tested everywhere.
        if available() {
            equals_the_portable_reading::<B256>();
        }
    }
}
