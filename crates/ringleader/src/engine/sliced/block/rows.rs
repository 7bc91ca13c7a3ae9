//! Rows of numbers for every edge: times, and the keys of clocks.

use crate::clocks::{Keys, add, color, edge_keys};
use crate::engine::sliced::layout::Layout;
use crate::simd::{LaneClocks, Times, TimesMut};

/// Numbers in a cache-aligned array, a row for every edge.
pub(super) struct Rows {
    numbers: Vec<u16>,
    start: usize,
    width: usize,
}

impl Rows {
    pub(super) fn new(rows: usize, width: usize) -> Self {
        let numbers = vec![0; rows * width + 32];
        // If no aligned place is found, an unaligned one is only slower.
        let start = numbers.as_ptr().align_offset(64).min(32);
        Self { numbers, start, width }
    }

    #[inline(always)]
    pub(super) fn row(&self, k: usize) -> &[u16] {
        let start = self.start + k * self.width;
        &self.numbers[start..start + self.width]
    }

    #[inline(always)]
    pub(super) fn row_mut(&mut self, k: usize) -> &mut [u16] {
        let start = self.start + k * self.width;
        &mut self.numbers[start..start + self.width]
    }

    /// Row `from`, moved by `by` lanes to the left around the end, into row `to`.
    #[inline(always)]
    pub(super) fn rotate_into(&mut self, from: usize, to: usize, by: usize) {
        let (from, to, width) = (self.start + from * self.width, self.start + to * self.width, self.width);
        self.numbers.copy_within(from + by..from + width, to);
        self.numbers.copy_within(from..from + by, to + width - by);
    }
}

/// The times of every lane, in halves, a row of each for every edge.
pub(super) struct TimeRows {
    low: Rows,
    high: Rows,
}

impl TimeRows {
    pub(super) fn new(rows: usize, width: usize) -> Self {
        Self { low: Rows::new(rows, width), high: Rows::new(rows, width) }
    }

    #[inline(always)]
    pub(super) fn row(&self, k: usize) -> Times<'_> {
        [self.low.row(k), self.high.row(k)]
    }

    #[inline(always)]
    pub(super) fn row_mut(&mut self, k: usize) -> TimesMut<'_> {
        [self.low.row_mut(k), self.high.row_mut(k)]
    }

    /// Moves a row around the end; of the halves only the higher one where nobody looks at the other.
    #[inline(always)]
    pub(super) fn rotate_into(&mut self, from: usize, to: usize, by: usize, coarsely: bool) {
        if !coarsely {
            self.low.rotate_into(from, to, by);
        }
        self.high.rotate_into(from, to, by);
    }

    /// Copies a row in the lanes whose bits are set.
    #[inline(always)]
    pub(super) fn copy(&mut self, words: &[u64; 8], from: usize, to: usize) {
        for half in [&mut self.low, &mut self.high] {
            let (from, to) = (half.start + from * half.width, half.start + to * half.width);
            for k in 0..half.width {
                let chosen = words[k / 64] >> (k % 64) & 1 == 1;
                half.numbers[to + k] = if chosen { half.numbers[from + k] } else { half.numbers[to + k] };
            }
        }
    }
}

/// The keys of every lane in one window, with what the first edge of its arc adds to them.
pub(super) struct KeyRows {
    slots: usize,
    words: [Rows; 4],
    /// In large rings, where the keys of edges do not add up, the second keys of all edges.
    second: Option<Rows>,
    /// The ranks of even slots, of odd slots, and of the last two, among which may be the edge with a colour of its own.
    ranks: Rows,
}

/// Up to this size of a ring the keys of edges add up.
pub(super) const ADD_UP: usize = 1 << 16;

impl KeyRows {
    pub(super) fn new(layout: &Layout, lanes: usize) -> Self {
        Self {
            slots: layout.slots,
            words: [0; 4].map(|_| Rows::new(1, lanes)),
            second: (layout.n > ADD_UP).then(|| Rows::new(layout.slots, lanes)),
            ranks: Rows::new(4, lanes),
        }
    }

    pub(super) fn set(&mut self, lane: usize, first: usize, n: usize, keys: &Keys) {
        for (rows, word) in self.words.iter_mut().zip(add(keys.words, edge_keys(first))) {
            rows.row_mut(0)[lane] = word;
        }
        if let Some(second) = &mut self.second {
            (0..self.slots).for_each(|slot| second.row_mut(slot)[lane] = add(keys.words, edge_keys(first + slot))[1]);
        }
        for (row, slot) in [0, 1, self.slots - 2, self.slots - 1].into_iter().enumerate() {
            self.ranks.row_mut(row)[lane] = keys.ranks[color((first + slot) % n, n)];
        }
    }

    #[inline(always)]
    pub(super) fn of(&self, slot: usize) -> LaneClocks<'_> {
        let [a, b, c, d] = &self.words;
        let (mut words, mut edge) = ([a.row(0), b.row(0), c.row(0), d.row(0)], edge_keys(slot));
        if let Some(second) = &self.second {
            (words[1], edge[1]) = (second.row(slot), 0);
        }
        let row = if slot + 2 < self.slots { slot % 2 } else { slot + 4 - self.slots };
        LaneClocks { words, rank: self.ranks.row(row), edge }
    }
}
