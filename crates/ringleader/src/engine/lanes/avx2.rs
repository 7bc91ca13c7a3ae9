//! 256 lanes with AVX2. Leaf file: all its `unsafe` is calls of intrinsics.

#![allow(unsafe_code, reason = "intrinsics; every value of `B256` is made where AVX2 is known to be there")]

use std::arch::x86_64::*;
use std::ops::{BitAnd, BitOr, BitXor, Not};

use super::{LaneKeys, Lanes, Task};
use crate::circuit::Bit;
use crate::clocks::{INITIATOR, LN_2, LOG, WINDOW};

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
    fn race(own: &mut [u32], left: &[u32], right: &[u32], next: &mut [u32]) -> Self {
        let (own, left, right, next) = (&mut own[..256], &left[..256], &right[..256], &mut next[..256]);
        let mut fires = [0_u8; 32];
        for k in 0..32 {
            let (t, then) = (load(own, k), load(next, k));
            // SAFETY: see above.
            unsafe {
                let others = _mm256_min_epu32(_mm256_min_epu32(load(left, k), load(right, k)), then);
                let first = _mm256_min_epu32(others, _mm256_set1_epi32((WINDOW - 1) as i32));
                // The comparison is signed, so both sides are cut to below 2^31. No edge has the time 2^31 - 1, as its rank
                // is at most 2.
                let fired = _mm256_cmpgt_epi32(first, _mm256_min_epu32(t, _mm256_set1_epi32(i32::MAX)));
                fires[k] = _mm256_movemask_ps(_mm256_castsi256_ps(fired)) as u8;
                store(own, k, _mm256_blendv_epi8(t, then, fired));
                store(next, k, _mm256_blendv_epi8(then, t, fired));
            }
        }
        // SAFETY: 32 masks of 8 bits are the 32 bytes that are read.
        unsafe { Self(_mm256_loadu_si256(fires.as_ptr().cast())) }
    }

    #[inline(always)]
    fn draw(own: &[u32], drawn: &mut [u32], keys: LaneKeys<'_>) {
        let (own, drawn) = (&own[..256], &mut drawn[..256]);
        let (base, salt, rank) = (&keys.base[..256], &keys.salt[..256], &keys.rank[..256]);
        // Two short loops are faster than one: the processor looks further ahead, and the constants stay in registers.
        let mut hashes = [Self::ZERO.0; 32];
        for (k, slot) in hashes.iter_mut().enumerate() {
            *slot = hash(load(own, k), load(base, k), load(salt, k), keys.edge);
        }
        for k in 0..32 {
            store(drawn, k, after(load(own, k), hashes[k], load(rank, k)));
        }
    }

    #[inline(always)]
    fn left_initiates(times: &[u32], keys: LaneKeys<'_>) -> Self {
        let (times, base, salt) = (&times[..256], &keys.base[..256], &keys.salt[..256]);
        let mut left = [0_u8; 32];
        for k in 0..32 {
            // SAFETY: see above.
            unsafe {
                let salt = _mm256_add_epi32(load(salt, k), _mm256_set1_epi32(keys.edge[1] as i32));
                let base = _mm256_add_epi32(load(base, k), _mm256_set1_epi32(keys.edge[0] as i32));
                let base = _mm256_xor_si256(base, _mm256_set1_epi32(INITIATOR as i32));
                let hashed = hash(load(times, k), salt, base, [0, 0]);
                left[k] = !_mm256_movemask_ps(_mm256_castsi256_ps(hashed)) as u8;
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

/// `clocks::hash`, 8 lanes at a time.
#[inline(always)]
fn hash(t: __m256i, base: __m256i, salt: __m256i, edge: [u32; 2]) -> __m256i {
    // SAFETY: see above.
    unsafe {
        let x = _mm256_add_epi32(t, _mm256_add_epi32(base, _mm256_set1_epi32(edge[0] as i32)));
        let x = _mm256_xor_si256(x, _mm256_srli_epi32::<16>(x));
        let x = _mm256_mullo_epi32(x, _mm256_set1_epi32(0x7feb_352d));
        let x = _mm256_xor_si256(x, _mm256_srli_epi32::<15>(x));
        let x = _mm256_add_epi32(x, _mm256_add_epi32(salt, _mm256_set1_epi32(edge[1] as i32)));
        let x = _mm256_mullo_epi32(x, _mm256_set1_epi32(0x846c_a68b_u32 as i32));
        _mm256_xor_si256(x, _mm256_srli_epi32::<16>(x))
    }
}

/// The next time from the hash: `clocks::gap`, 8 lanes at a time, operation by operation. No multiplication is fused with an
/// addition, which would round differently.
#[inline(always)]
fn after(t: __m256i, hash: __m256i, rank: __m256i) -> __m256i {
    // SAFETY: see above.
    unsafe {
        let odd = _mm256_or_si256(_mm256_srli_epi32::<8>(hash), _mm256_set1_epi32(1));
        let u = _mm256_castps_si256(_mm256_cvtepi32_ps(odd));
        let e = _mm256_srai_epi32::<23>(_mm256_sub_epi32(u, _mm256_set1_epi32(0x3f40_0000)));
        let m = _mm256_castsi256_ps(_mm256_sub_epi32(u, _mm256_slli_epi32::<23>(e)));
        let x = _mm256_sub_ps(m, _mm256_set1_ps(1.0));
        let mut sum = _mm256_set1_ps(LOG[6]);
        for k in (0..6).rev() {
            sum = _mm256_add_ps(_mm256_mul_ps(sum, x), _mm256_set1_ps(LOG[k]));
        }
        let whole = _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_sub_epi32(_mm256_set1_epi32(24), e)), _mm256_set1_ps(LN_2));
        let gap = _mm256_cvttps_epi32(_mm256_add_ps(whole, _mm256_mul_ps(sum, x)));
        let next = _mm256_add_epi32(_mm256_add_epi32(t, gap), _mm256_set1_epi32(4));
        _mm256_or_si256(_mm256_andnot_si256(_mm256_set1_epi32(3), next), rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::lanes::tests::{Compared, all, equals_the_portable_reading};

    impl Compared for B256 {
        fn all(own: &mut [u32], others: [&[u32]; 5], next: &mut [u32], edge: [u32; 2], by: usize) -> [[u64; 8]; 3] {
            #[target_feature(enable = "avx2")]
            fn with_features(
                own: &mut [u32],
                others: [&[u32]; 5],
                next: &mut [u32],
                edge: [u32; 2],
                by: usize,
            ) -> [[u64; 8]; 3] {
                all::<B256>(own, others, next, edge, by)
            }
            // SAFETY: called only where the features were found.
            unsafe { with_features(own, others, next, edge, by) }
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
