//! 512 lanes with AVX-512. Leaf file: all its `unsafe` is calls of intrinsics.

#![allow(unsafe_code, reason = "intrinsics; every value of `B512` is made where AVX-512 is known to be there")]

use std::arch::x86_64::*;
use std::ops::{BitAnd, BitOr, BitXor, Not};

use super::{LaneKeys, Lanes, Task};
use crate::circuit::Bit;
use crate::clocks::{INITIATOR, LOG, MULTIPLIERS, THREE_FIFTHS, WINDOW, whole};

/// 512 lanes.
#[derive(Clone, Copy)]
pub(crate) struct B512(__m512i);

/// Whether the processor can do it.
pub(crate) fn available() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512dq")
}

// SAFETY (all blocks of this file): `B512` is private to the engine, which computes with it only inside functions that
// enable avx512f, avx512bw and avx512dq after `available()` said yes. Loads and stores go through slices whose lengths are
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
}

#[inline(always)]
fn load(part: &[u32], k: usize) -> __m512i {
    let part: &[u32; 16] = (&part[16 * k..16 * k + 16]).try_into().unwrap_or(&[0; 16]);
    // SAFETY: see above; the array has the 64 bytes that are read.
    unsafe { _mm512_loadu_si512(part.as_ptr().cast()) }
}

#[inline(always)]
fn store(part: &mut [u32], k: usize, vector: __m512i) {
    let part = &mut part[16 * k..16 * k + 16];
    // SAFETY: see above; the slice has the 64 bytes that are written.
    unsafe { _mm512_storeu_si512(part.as_mut_ptr().cast(), vector) }
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
        // SAFETY: see above; the array has the 64 bytes that are written.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn race(own: &[u32], left: &[u32], right: &[u32]) -> Self {
        let (own, left, right) = (&own[..512], &left[..512], &right[..512]);
        let mut fires = [0_u16; 32];
        for (k, fires) in fires.iter_mut().enumerate() {
            // SAFETY: see above.
            unsafe {
                let others = _mm512_min_epu32(load(left, k), load(right, k));
                let first = _mm512_min_epu32(others, _mm512_set1_epi32(WINDOW as i32));
                *fires = _mm512_cmplt_epu32_mask(load(own, k), first);
            }
        }
        // SAFETY: 32 masks of 16 bits are the 64 bytes that are read.
        unsafe { Self(_mm512_loadu_si512(fires.as_ptr().cast())) }
    }

    #[inline(always)]
    fn redraw(fired: Self, own: &mut [u32], keys: LaneKeys<'_>) {
        let (own, base, salt, rank) = (&mut own[..512], &keys.base[..512], &keys.salt[..512], &keys.rank[..512]);
        let mut masks = [0_u16; 32];
        // SAFETY: 32 masks of 16 bits are the 64 bytes that are written.
        unsafe { _mm512_storeu_si512(masks.as_mut_ptr().cast(), fired.0) }
        for k in (0..32).step_by(TOGETHER) {
            let (t, mut x) = (load_several(own, k), load_several(base, k));
            for i in 0..TOGETHER {
                // SAFETY: see above.
                x[i] = unsafe { _mm512_add_epi32(x[i], t[i]) };
            }
            let gaps = gap(hash(x, load_several(salt, k), keys.edge));
            for i in 0..TOGETHER {
                // SAFETY: see above. Where nothing is added, the lowest bits are the rank already.
                unsafe {
                    let next = _mm512_mask_add_epi32(t[i], masks[k + i], t[i], gaps[i]);
                    // (next & !3) | rank
                    let next = _mm512_ternarylogic_epi32::<0xf2>(load(rank, k + i), _mm512_set1_epi32(3), next);
                    store(own, k + i, next);
                }
            }
        }
    }

    #[inline(always)]
    fn left_initiates(times: &[u32], keys: LaneKeys<'_>) -> Self {
        let (times, base, salt) = (&times[..512], &keys.base[..512], &keys.salt[..512]);
        let mut left = [0_u16; 32];
        for k in (0..32).step_by(TOGETHER) {
            let mut base = load_several(base, k);
            for base in &mut base {
                // SAFETY: see above.
                *base = unsafe { _mm512_xor_si512(*base, _mm512_set1_epi32(INITIATOR as i32)) };
            }
            let times = load_several(times, k);
            for i in 0..TOGETHER {
                // SAFETY: see above.
                base[i] = unsafe { _mm512_add_epi32(base[i], times[i]) };
            }
            let hashes = hash(base, load_several(salt, k), keys.edge);
            for i in 0..TOGETHER {
                // SAFETY: see above.
                left[k + i] = unsafe { !_mm512_movepi32_mask(hashes[i]) };
            }
        }
        // SAFETY: 32 masks of 16 bits are the 64 bytes that are read.
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

    fn work(task: &mut impl Task) {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq")]
        fn with_features(task: &mut impl Task) {
            task.go();
        }
        assert!(available(), "this reading needs AVX-512");
        // SAFETY: the features were just found.
        unsafe { with_features(task) }
    }
}

/// So many vectors are drawn together, operation by operation: the chain of operations of one is long, and while it waits
/// the others compute.
const TOGETHER: usize = 8;

type Several = [__m512i; TOGETHER];

#[inline(always)]
fn load_several(part: &[u32], k: usize) -> Several {
    let mut vectors = [B512::ZERO.0; TOGETHER];
    for (i, vector) in vectors.iter_mut().enumerate() {
        *vector = load(part, k + i);
    }
    vectors
}

/// `clocks::hash` of times to which the base has been added, 16 lanes at a time.
#[inline(always)]
fn hash(mut x: Several, salt: Several, edge: u32) -> Several {
    // SAFETY: see above.
    unsafe {
        for x in &mut x {
            *x = _mm512_xor_si512(*x, _mm512_srli_epi32::<16>(*x));
        }
        for x in &mut x {
            *x = _mm512_mullo_epi32(*x, _mm512_set1_epi32(MULTIPLIERS[0] as i32));
        }
        for i in 0..TOGETHER {
            x[i] = _mm512_xor_si512(x[i], _mm512_srli_epi32::<15>(x[i]));
            x[i] = _mm512_add_epi32(x[i], _mm512_add_epi32(salt[i], _mm512_set1_epi32(edge as i32)));
        }
        for x in &mut x {
            *x = _mm512_mullo_epi32(*x, _mm512_set1_epi32(MULTIPLIERS[1] as i32));
        }
        x
    }
}

/// `clocks::whole` of 0 to 31.
const WHOLE: [f32; 32] = {
    let (mut table, mut e) = ([0.0; 32], 0);
    while e < 32 {
        table[e] = whole(e as i32);
        e += 1;
    }
    table
};

/// `clocks::gap`, 16 lanes at a time, operation by operation: no fused multiplication, which would round differently.
#[inline(always)]
fn gap(hashes: Several) -> Several {
    // SAFETY: see above; the table has the 128 bytes that are read.
    unsafe {
        let (low, high) = (_mm512_loadu_ps(WHOLE.as_ptr()), _mm512_loadu_ps(WHOLE.as_ptr().add(16)));
        let mut x = hashes;
        for x in &mut x {
            *x = _mm512_castps_si512(_mm512_cvtepi32_ps(_mm512_srli_epi32::<1>(*x)));
        }
        let (mut e, mut y) = (x, [_mm512_set1_ps(0.0); TOGETHER]);
        for i in 0..TOGETHER {
            e[i] = _mm512_srai_epi32::<23>(_mm512_sub_epi32(x[i], _mm512_set1_epi32(THREE_FIFTHS)));
            let m = _mm512_castsi512_ps(_mm512_sub_epi32(x[i], _mm512_slli_epi32::<23>(e[i])));
            y[i] = _mm512_sub_ps(m, _mm512_set1_ps(1.0));
        }
        let mut sum = [_mm512_set1_ps(LOG[5]); TOGETHER];
        for k in (0..5).rev() {
            for i in 0..TOGETHER {
                sum[i] = _mm512_mul_ps(sum[i], y[i]);
            }
            for sum in &mut sum {
                *sum = _mm512_add_ps(*sum, _mm512_set1_ps(LOG[k]));
            }
        }
        for i in 0..TOGETHER {
            // Only the five lowest bits of `e` count.
            let whole = _mm512_permutex2var_ps(low, e[i], high);
            x[i] = _mm512_cvttps_epi32(_mm512_add_ps(whole, _mm512_mul_ps(sum[i], y[i])));
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::lanes::tests::{Compared, Words, all, equals_the_portable_reading};

    impl Compared for B512 {
        fn all(own: &mut [u32], others: [&[u32]; 5], edge: u32, by: usize) -> Words {
            #[target_feature(enable = "avx512f,avx512bw,avx512dq")]
            fn with_features(own: &mut [u32], others: [&[u32]; 5], edge: u32, by: usize) -> Words {
                all::<B512>(own, others, edge, by)
            }
            // SAFETY: called only where the features were found.
            unsafe { with_features(own, others, edge, by) }
        }
    }

    #[test]
    fn avx512_equals_the_portable_reading() {
        // A processor without these words never runs this reading; the portable one is tested everywhere.
        if available() {
            equals_the_portable_reading::<B512>();
        }
    }
}
