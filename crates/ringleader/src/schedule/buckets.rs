//! The ticks of all clocks of a window in the order of time, one bucket of time after the other.
//!
//! The idea:
//! ```text
//! for each bucket of time:
//!     edges whose next tick lies in the bucket are due
//!     while there are any: note their ticks, draw their next ones, keep those that are still in the bucket
//!     put the ticks into bins of time, and those into order
//! ```
//! Ticks are uniform in time, so with two bins to a tick hardly anything is left to be put into order. A bucket
//! stays in the cache, and memory is linear in n. Ticks are drawn for dense lists of edges by nothing but arithmetic on
//! 32-bit numbers, which compilers turn into vector instructions.

use crate::circuit::{Bit, Task};
use crate::clocks::{END, Keys, SLOT};

/// A bucket has about this many ticks, as a power of two, unless it would be longer than a window or shorter than
/// [`SHORTEST`].
const TICKS: u32 = 14;

/// A quarter of a slot, as a power of two: in a shorter bucket finding the due edges would cost more than drawing.
const SHORTEST: u32 = SLOT - 2;

/// How many edges are drawn at a time.
const BLOCK: usize = 1 << 10;

/// A tick as one number: its time, then its edge.
pub(super) fn packed(t: u32, edge: usize) -> u64 {
    u64::from(t) << 32 | edge as u64
}

/// The clocks of all edges between two buckets of a window; each next item is the ticks of a bucket in order.
#[derive(Clone, Debug)]
pub(super) struct Buckets {
    keys: Keys,
    /// Where the last bucket ended.
    end: u32,
    /// The next tick of every edge, at or after that.
    times: Vec<u32>,
}

impl Buckets {
    /// All clocks at the beginning of a window.
    pub(super) fn new(keys: Keys, n: usize) -> Self {
        Self { keys, end: 0, times: (0..n).map(|edge| keys.clock(edge, n).first()).collect() }
    }

    /// The keys of the window.
    pub(super) fn keys(&self) -> &Keys {
        &self.keys
    }
}

impl Iterator for Buckets {
    type Item = Vec<u64>;

    fn next(&mut self) -> Option<Vec<u64>> {
        if self.end == END {
            return None;
        }
        let bins = Bins::new(self.end, self.times.len());
        self.end = self.end.saturating_add(1 << length(self.times.len())).min(END);
        let mut bucket = Bucket { clocks: self, bins, ticks: Vec::new() };
        with_the_widest_words(&mut bucket);
        Some(bucket.ticks)
    }
}

/// A bucket in the making.
struct Bucket<'a> {
    clocks: &'a mut Buckets,
    bins: Bins,
    ticks: Vec<u64>,
}

impl Task for Bucket<'_> {
    #[inline(always)]
    fn go(&mut self) {
        let mut drawn = Vec::with_capacity(self.bins.counts.len() / 2);
        let (keys, end) = (self.clocks.keys, self.clocks.end);
        let mut due = Due { edges: [0; BLOCK], times: [0; BLOCK], after: [0; BLOCK], many: 0 };
        for (k, times) in self.clocks.times.chunks_mut(BLOCK).enumerate() {
            due.find(times, k * BLOCK, end);
            while due.many > 0 {
                due.draw(keys);
                drawn.extend(due.ticks());
                self.bins.count(due.times());
                due.go_on(times, k * BLOCK, end);
            }
        }
        self.ticks = self.bins.sort(&drawn);
    }
}

fn with_the_widest_words(task: &mut impl Task) {
    #[cfg(target_arch = "x86_64")]
    {
        use crate::simd::{avx2, avx512};
        if avx512::available() {
            return avx512::B512::work(task);
        }
        if avx2::available() {
            return avx2::B256::work(task);
        }
    }
    u64::work(task);
}

/// The length of a bucket, as a power of two.
fn length(n: usize) -> u32 {
    (SLOT + TICKS - n.ilog2()).clamp(SHORTEST, 31)
}

/// Edges of a block that tick in the bucket, when they do, and when they do next.
struct Due {
    edges: [u32; BLOCK],
    times: [u32; BLOCK],
    after: [u32; BLOCK],
    many: usize,
}

impl Due {
    #[inline(always)]
    fn times(&self) -> &[u32] {
        &self.times[..self.many]
    }

    #[inline(always)]
    fn ticks(&self) -> impl Iterator<Item = u64> {
        self.times().iter().zip(&self.edges).map(|(&t, &edge)| packed(t, edge as usize))
    }

    /// Finds those of a block, whose first edge is `first`. Edges are kept without a branch, since no
    /// processor could predict it.
    #[inline(always)]
    fn find(&mut self, times: &[u32], first: usize, end: u32) {
        let mut kept = 0;
        for (k, &t) in times.iter().enumerate() {
            (self.edges[kept % BLOCK], self.times[kept % BLOCK]) = ((first + k) as u32, t);
            kept += usize::from(t < end);
        }
        self.many = kept;
    }

    /// Draws the tick after each.
    #[inline(always)]
    fn draw(&mut self, keys: Keys) {
        let ticks = self.edges[..self.many].iter().zip(&self.times);
        for (after, (&edge, &t)) in self.after.iter_mut().zip(ticks) {
            *after = keys.after(edge, t);
        }
    }

    /// Goes on to what was drawn, and keeps the edges that are still due.
    #[inline(always)]
    fn go_on(&mut self, times: &mut [u32], first: usize, end: u32) {
        let mut kept = 0;
        for k in 0..self.many {
            let (edge, t) = (self.edges[k], self.after[k]);
            times[edge as usize - first] = t;
            (self.edges[kept % BLOCK], self.times[kept % BLOCK]) = (edge, t);
            kept += usize::from(t < end);
        }
        self.many = kept;
    }
}

/// A counting sort by time, followed by insertion.
struct Bins {
    start: u32,
    /// The length of a bin, as a power of two.
    shift: u32,
    counts: Vec<u32>,
}

impl Bins {
    fn new(start: u32, n: usize) -> Self {
        let shift = SLOT - 1 - n.next_power_of_two().ilog2();
        Self { start, shift, counts: vec![0; 1 << (length(n) - shift)] }
    }

    #[inline(always)]
    fn of(&self, t: u32) -> usize {
        ((t - self.start) >> self.shift) as usize
    }

    #[inline(always)]
    fn count(&mut self, times: &[u32]) {
        for &t in times {
            let bin = self.of(t);
            self.counts[bin] += 1;
        }
    }

    /// Puts what has been counted into order.
    #[inline(always)]
    fn sort(&mut self, drawn: &[u64]) -> Vec<u64> {
        let mut sum = 0;
        for count in &mut self.counts {
            (*count, sum) = (sum, sum + *count);
        }
        let mut ticks = vec![0; drawn.len()];
        for &tick in drawn {
            let bin = self.of((tick >> 32) as u32);
            ticks[self.counts[bin] as usize] = tick;
            self.counts[bin] += 1;
        }
        insert(&mut ticks);
        ticks
    }
}

/// Insertion sort for a list that is nearly in order: hardly any tick moves by more than one place, so that only the first
/// exchange is worth a choice without a branch.
#[inline(always)]
fn insert(ticks: &mut [u64]) {
    for k in 1..ticks.len() {
        (ticks[k - 1], ticks[k]) = (ticks[k - 1].min(ticks[k]), ticks[k - 1].max(ticks[k]));
        let mut place = k - 1;
        while place > 0 && ticks[place - 1] > ticks[place] {
            ticks.swap(place - 1, place);
            place -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clock by clock, then sorted: the law with nothing clever about it.
    fn plainly(keys: &Keys, n: usize, end: u32) -> Vec<u64> {
        let clock = |edge| {
            let clock = keys.clock(edge, n);
            let times = std::iter::successors(Some(clock.first()), move |&t| Some(clock.next(t)));
            times.take_while(move |&t| t < end).map(move |t| packed(t, edge))
        };
        let mut ticks: Vec<u64> = (0..n).flat_map(clock).collect();
        ticks.sort_unstable();
        ticks
    }

    #[test]
    fn buckets_hold_every_tick_of_a_window_in_order() {
        for (n, window) in [(3, 0), (4, 1), (5, 2), (8, 3), (63, 4), (64, 5), (129, 6), (1023, 7), (1025, 8), (5000, 9)]
        {
            let keys = Keys::new(n as u64, window);
            let ticks: Vec<u64> = Buckets::new(keys, n).flatten().collect();
            assert!(ticks == plainly(&keys, n, END), "n {n}");
        }
    }

    /// The whole window of a large ring is too much for a test; its buckets are the shortest there are.
    #[test]
    fn buckets_of_a_large_ring_are_short_and_right() {
        let (n, keys) = (100_003, Keys::new(1, 1));
        let mut buckets = Buckets::new(keys, n);
        let ticks: Vec<u64> = buckets.by_ref().take(3).flatten().collect();
        assert_eq!(buckets.end, 3 << SHORTEST);
        assert!(ticks == plainly(&keys, n, buckets.end));
    }
}
