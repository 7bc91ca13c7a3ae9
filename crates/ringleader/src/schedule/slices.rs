//! The rings of all clocks of a window in the order of time, one slice after the other.
//!
//! The idea:
//! ```text
//! for each slice of time:
//!     edges whose next ring lies in the slice are due
//!     while there are any: note their rings, draw their next ones, keep those that are still in the slice
//!     put the rings into buckets of time, and those into order
//! ```
//! Rings are uniform in time, so with two buckets to a ring hardly anything is left to be put into order. A slice
//! stays in the cache, and memory is linear in n. Rings are drawn for dense lists of edges by nothing but arithmetic on
//! 32-bit numbers, which compilers turn into vector instructions.

use crate::clocks::{END, Keys, SLOT};
use crate::engine::lanes::{Lanes, Task};

/// A slice has about this many rings, as a power of two, unless it would be longer than a window or shorter than
/// [`SHORTEST`].
const RINGS: u32 = 14;

/// A quarter of a slot, as a power of two: in a shorter slice finding the due edges would cost more than drawing.
const SHORTEST: u32 = SLOT - 2;

/// So many edges are drawn at a time.
const BLOCK: usize = 1 << 10;

/// A ring as one number: its time, then its edge.
pub(super) fn packed(t: u32, edge: usize) -> u64 {
    u64::from(t) << 32 | edge as u64
}

/// The clocks of all edges between two slices of a window; each next item is the rings of a slice in order.
#[derive(Clone, Debug)]
pub(super) struct Slices {
    keys: Keys,
    /// Where the last slice ended.
    end: u32,
    /// The next ring of every edge, at or after that.
    times: Vec<u32>,
}

impl Slices {
    /// All clocks at the beginning of a window.
    pub(super) fn new(keys: Keys, n: usize) -> Self {
        Self { keys, end: 0, times: (0..n).map(|edge| keys.clock(edge, n).first()).collect() }
    }

    /// The keys of the window.
    pub(super) fn keys(&self) -> &Keys {
        &self.keys
    }
}

impl Iterator for Slices {
    type Item = Vec<u64>;

    fn next(&mut self) -> Option<Vec<u64>> {
        if self.end == END {
            return None;
        }
        let buckets = Buckets::new(self.end, self.times.len());
        self.end = self.end.saturating_add(1 << length(self.times.len())).min(END);
        let mut slice = Slice { clocks: self, buckets, rings: Vec::new() };
        with_the_widest_words(&mut slice);
        Some(slice.rings)
    }
}

/// A slice in the making.
struct Slice<'a> {
    clocks: &'a mut Slices,
    buckets: Buckets,
    rings: Vec<u64>,
}

impl Task for Slice<'_> {
    #[inline(always)]
    fn go(&mut self) {
        let mut drawn = Vec::with_capacity(self.buckets.counts.len() / 2);
        let (keys, end) = (self.clocks.keys, self.clocks.end);
        let mut due = Due { edges: [0; BLOCK], times: [0; BLOCK], after: [0; BLOCK], many: 0 };
        for (k, times) in self.clocks.times.chunks_mut(BLOCK).enumerate() {
            due.find(times, k * BLOCK, end);
            while due.many > 0 {
                due.draw(keys);
                drawn.extend(due.rings());
                self.buckets.count(due.times());
                due.go_on(times, k * BLOCK, end);
            }
        }
        self.rings = self.buckets.sort(&drawn);
    }
}

fn with_the_widest_words(task: &mut impl Task) {
    #[cfg(target_arch = "x86_64")]
    {
        use crate::engine::lanes::{avx2, avx512};
        if avx512::available() {
            return avx512::B512::work(task);
        }
        if avx2::available() {
            return avx2::B256::work(task);
        }
    }
    u64::work(task);
}

/// The length of a slice, as a power of two.
fn length(n: usize) -> u32 {
    (SLOT + RINGS - n.ilog2()).clamp(SHORTEST, 31)
}

/// Edges of a block that ring in the slice, when they do, and when they do next.
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
    fn rings(&self) -> impl Iterator<Item = u64> {
        self.times().iter().zip(&self.edges).map(|(&t, &edge)| packed(t, edge as usize))
    }

    /// Finds those of a block, whose first edge is `first`. Edges are kept without a branch, which nobody could foresee.
    #[inline(always)]
    fn find(&mut self, times: &[u32], first: usize, end: u32) {
        let mut kept = 0;
        for (k, &t) in times.iter().enumerate() {
            (self.edges[kept % BLOCK], self.times[kept % BLOCK]) = ((first + k) as u32, t);
            kept += usize::from(t < end);
        }
        self.many = kept;
    }

    /// Draws the ring after each.
    #[inline(always)]
    fn draw(&mut self, keys: Keys) {
        let rings = self.edges[..self.many].iter().zip(&self.times);
        for (after, (&edge, &t)) in self.after.iter_mut().zip(rings) {
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
struct Buckets {
    start: u32,
    /// The length of a bucket, as a power of two.
    shift: u32,
    counts: Vec<u32>,
}

impl Buckets {
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
            let bucket = self.of(t);
            self.counts[bucket] += 1;
        }
    }

    /// Puts what has been counted into order.
    #[inline(always)]
    fn sort(&mut self, drawn: &[u64]) -> Vec<u64> {
        let mut sum = 0;
        for count in &mut self.counts {
            (*count, sum) = (sum, sum + *count);
        }
        let mut rings = vec![0; drawn.len()];
        for &ring in drawn {
            let bucket = self.of((ring >> 32) as u32);
            rings[self.counts[bucket] as usize] = ring;
            self.counts[bucket] += 1;
        }
        insert(&mut rings);
        rings
    }
}

/// Insertion sort for a list that is nearly in order: hardly any ring moves by more than one place, so that only the first
/// exchange is worth a choice without a branch.
#[inline(always)]
fn insert(rings: &mut [u64]) {
    for k in 1..rings.len() {
        (rings[k - 1], rings[k]) = (rings[k - 1].min(rings[k]), rings[k - 1].max(rings[k]));
        let mut place = k - 1;
        while place > 0 && rings[place - 1] > rings[place] {
            rings.swap(place - 1, place);
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
        let mut rings: Vec<u64> = (0..n).flat_map(clock).collect();
        rings.sort_unstable();
        rings
    }

    #[test]
    fn slices_hold_every_ring_of_a_window_in_order() {
        for (n, window) in [(3, 0), (4, 1), (5, 2), (8, 3), (63, 4), (64, 5), (129, 6), (1023, 7), (1025, 8), (5000, 9)]
        {
            let keys = Keys::new(n as u64, window);
            let sliced: Vec<u64> = Slices::new(keys, n).flatten().collect();
            assert!(sliced == plainly(&keys, n, END), "n {n}");
        }
    }

    /// The whole window of a large ring is too much for a test; its slices are the shortest there are.
    #[test]
    fn slices_of_a_large_ring_are_short_and_right() {
        let (n, keys) = (100_003, Keys::new(1, 1));
        let mut slices = Slices::new(keys, n);
        let sliced: Vec<u64> = slices.by_ref().take(3).flatten().collect();
        assert_eq!(slices.end, 3 << SHORTEST);
        assert!(sliced == plainly(&keys, n, slices.end));
    }
}
