//! Sets of numbers as bits.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A set of numbers, to which several may add at once.
pub(super) struct Bits(Vec<AtomicU64>);

impl Bits {
    pub(super) fn new(len: u64) -> Self {
        Self((0..len.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    pub(super) fn clear(&self) {
        self.0.iter().for_each(|word| word.store(0, Relaxed));
    }

    #[inline]
    pub(super) fn has(&self, k: u64) -> bool {
        self.0[(k / 64) as usize].load(Relaxed) >> (k % 64) & 1 == 1
    }

    #[inline]
    pub(super) fn add(&self, k: u64) {
        self.0[(k / 64) as usize].fetch_or(1 << (k % 64), Relaxed);
    }

    #[inline]
    pub(super) fn remove(&self, k: u64) {
        self.0[(k / 64) as usize].fetch_and(!(1 << (k % 64)), Relaxed);
    }

    pub(super) fn count(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.load(Relaxed).count_ones())).sum()
    }

    pub(super) fn equals(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a.load(Relaxed) == b.load(Relaxed))
    }

    /// How many members another set does not have, and the first of them.
    pub(super) fn without(&self, other: &Self) -> (u64, Option<u64>) {
        let words = (0..).zip(self.0.iter().zip(&other.0));
        let mut rest = words.map(|(k, (a, b))| (k, a.load(Relaxed) & !b.load(Relaxed))).filter(|(_, bits)| *bits != 0);
        let Some((word, bits)) = rest.next() else { return (0, None) };
        let count = u64::from(bits.count_ones()) + rest.map(|(_, bits)| u64::from(bits.count_ones())).sum::<u64>();
        (count, ones(word, bits).next())
    }

    pub(super) fn words(&self) -> u64 {
        self.0.len() as u64
    }

    /// The members in a range of words.
    pub(super) fn members(&self, words: Range<u64>) -> impl Iterator<Item = u64> {
        words.flat_map(|word| ones(word, self.0[word as usize].load(Relaxed)))
    }

    /// The same, and removes them.
    pub(super) fn take(&self, words: Range<u64>) -> impl Iterator<Item = u64> {
        words.flat_map(|word| ones(word, self.0[word as usize].swap(0, Relaxed)))
    }
}

/// The numbers of the ones in a word.
fn ones(word: u64, mut bits: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let k = bits.trailing_zeros();
        (bits != 0).then(|| {
            bits &= bits - 1;
            64 * word + u64::from(k)
        })
    })
}
