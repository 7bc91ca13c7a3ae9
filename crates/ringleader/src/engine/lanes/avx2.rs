//! 256 lanes with AVX2. Leaf file: all its `unsafe` is calls of intrinsics.

#![allow(unsafe_code, reason = "intrinsics; every value of `B256` is made where AVX2 is known to be there")]

use std::arch::x86_64::*;
use std::ops::{BitAnd, BitOr, BitXor, Not};

use super::{LaneKeys, Lanes, Task};
use crate::circuit::Bit;
use crate::clocks::{LN_2, LOG};

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
    fn race(own: &[u32], left: &[u32], right: &[u32]) -> (Self, Self) {
        let (own, left, right) = (&own[..256], &left[..256], &right[..256]);
        let (mut fires, mut runs) = ([0_u8; 32], [0_u8; 32]);
        for k in 0..32 {
            let t = load(own, k);
            // SAFETY: see above.
            unsafe {
                // Comparisons are signed: with the highest bit flipped they are those of the unsigned times.
                let flip = _mm256_set1_epi32(i32::MIN);
                let flipped = _mm256_xor_si256(t, flip);
                let before_left = _mm256_cmpgt_epi32(_mm256_xor_si256(load(left, k), flip), flipped);
                let before_right = _mm256_cmpgt_epi32(_mm256_xor_si256(load(right, k), flip), flipped);
                let first = _mm256_and_si256(before_left, before_right);
                // In the window is where the highest bit is clear.
                runs[k] = _mm256_movemask_ps(_mm256_castsi256_ps(flipped)) as u8;
                fires[k] = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_andnot_si256(t, first))) as u8;
            }
        }
        // SAFETY: 32 masks of 8 bits are the 32 bytes that are read.
        unsafe { (Self(_mm256_loadu_si256(fires.as_ptr().cast())), Self(_mm256_loadu_si256(runs.as_ptr().cast()))) }
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
            let t = load(own, k);
            let drawn = after(t, hashes[k], load(rank, k));
            // SAFETY: see above; the slice has the 32 bytes that are written.
            unsafe {
                let kept = _mm256_blendv_ps(_mm256_castsi256_ps(t), _mm256_castsi256_ps(drawn), spread(masks[k]));
                _mm256_storeu_ps(own[8 * k..8 * k + 8].as_mut_ptr().cast(), kept);
            }
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

/// Bit `k` of the mask as the highest bit of lane `k`, which is the one `blendv` looks at.
#[inline(always)]
fn spread(mask: u8) -> __m256 {
    // SAFETY: see above.
    unsafe {
        let shifts = _mm256_setr_epi32(31, 30, 29, 28, 27, 26, 25, 24);
        _mm256_castsi256_ps(_mm256_sllv_epi32(_mm256_set1_epi32(i32::from(mask)), shifts))
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
    use crate::engine::lanes::tests::equals_the_portable_reading;

    #[target_feature(enable = "avx2")]
    fn race_and_redraw(own: &mut [u32], others: [&[u32]; 5], edge: [u32; 2]) -> ([u64; 8], [u64; 8]) {
        let [left, right, base, salt, rank] = others;
        let (fires, runs) = B256::race(own, left, right);
        B256::redraw(fires, own, LaneKeys { base, salt, rank, edge });
        let mut words = ([0; 8], [0; 8]);
        fires.to_words(&mut words.0);
        runs.to_words(&mut words.1);
        words
    }

    #[test]
    fn avx2_equals_the_portable_reading() {
        // A processor without these words never runs this reading; the portable one is tested everywhere.
        if available() {
            // SAFETY: the features were just found.
            equals_the_portable_reading::<B256>(|own, others, edge| unsafe { race_and_redraw(own, others, edge) });
        }
    }
}
