//! What two agents become, by their states, for protocols with few of them: a table that is filled as pairs meet.
//!
//! A state of few bits has them all at the bottom of its first word, so the word is the index. A row is made when its initiator first meets
//! somebody. An entry is one number, stored and read at once, so threads share a table without waiting for each other; who comes first
//! works it out, and whoever comes at the same time finds the same.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use ringleader::protocol::Input;

use crate::setting::{Cell, Setting, Slot, State};

/// So many bits may a state have.
const WIDEST: u32 = 12;
/// So many bits may index the whole table, coins and the answer of the oracle included.
const MOST: u32 = 24;
/// An entry that is known.
const KNOWN: u32 = 1 << 31;
/// A coin is read.
const DRAWN: u32 = 1 << 30;

/// Here stand how many of the two led before the meeting, and, two bits up, how many do after it; only if an oracle counts them.
const LED: u32 = 2 * WIDEST;

/// What came of a meeting: whether a coin was read, and the agents afterwards.
pub(crate) type Met = (bool, [State; 2]);

/// The table of one protocol.
pub(crate) struct Pairs {
    /// The bits of a state.
    bits: u32,
    coins: u64,
    /// Whether what the oracle says is part of the index.
    asks: bool,
    rows: Box<[OnceLock<Box<[AtomicU32]>>]>,
}

impl Pairs {
    /// An empty table, if states and coins are few.
    pub(crate) fn new(setting: &Setting) -> Option<Self> {
        let cells = setting.layout.fields.iter().flat_map(|field| &field.cells);
        let bits = cells.map(|(_, cell)| cell.end()).collect::<Option<Vec<u32>>>()?.into_iter().max().unwrap_or(0);
        let (coins, asks) = (setting.coins.iter().map(Slot::size).product::<u64>(), setting.oracle.is_some());
        let more = u64::BITS - (coins - 1).leading_zeros() + u32::from(asks);
        let fits = bits <= WIDEST && 2 * bits + more <= MOST;
        fits.then(|| Self { bits, coins, asks, rows: (0..1 << bits).map(|_| OnceLock::new()).collect() })
    }

    /// The place of a meeting in the row of its initiator.
    #[inline]
    fn place(&self, r: &State, input: Input) -> usize {
        let coin = r.0[0] * self.coins + input.coin;
        (if self.asks { 2 * coin + u64::from(input.leader) } else { coin }) as usize
    }

    /// The entry of a meeting, if it is known.
    #[inline]
    fn entry(&self, l: &State, r: &State, input: Input) -> Option<u32> {
        let row = self.rows.get(l.0[0] as usize)?.get()?;
        let entry = row.get(self.place(r, input))?.load(Relaxed);
        (entry & KNOWN != 0).then_some(entry)
    }

    /// Lets two agents meet, if it is known what comes of it; how many of them led before and do after it, if that is counted.
    #[inline]
    pub(crate) fn meet(&self, l: &mut State, r: &mut State, input: Input) -> Option<[usize; 2]> {
        let entry = self.entry(l, r, input)?;
        let mask = (1 << self.bits) - 1;
        l.0[0] = u64::from(entry & mask);
        r.0[0] = u64::from(entry >> self.bits & mask);
        Some([entry >> LED & 3, entry >> LED >> 2 & 3].map(|led| led as usize))
    }

    /// Whether a coin is read, if that is known.
    #[inline]
    pub(crate) fn drawn(&self, l: &State, r: &State, input: Input) -> Option<bool> {
        self.entry(l, r, input).map(|entry| entry & DRAWN != 0)
    }

    /// Keeps what comes of a meeting. `leads` tells who leads, if an oracle counts them.
    #[cold]
    pub(crate) fn put(&self, l: &State, r: &State, input: Input, met: Met, leads: impl Fn(&State) -> bool) {
        let (drawn, [next_l, next_r]) = met;
        let Some(row) = self.rows.get(l.0[0] as usize) else { return };
        let width = (self.coins as usize) << (self.bits + u32::from(self.asks));
        let row = row.get_or_init(|| (0..width).map(|_| AtomicU32::new(0)).collect());
        let states = next_l.0[0] as u32 | (next_r.0[0] as u32) << self.bits;
        let led = |l, r| if self.asks { u32::from(leads(l)) + u32::from(leads(r)) } else { 0 };
        let led = (led(l, r) | led(&next_l, &next_r) << 2) << LED;
        if let Some(entry) = row.get(self.place(r, input)) {
            entry.store(KNOWN | if drawn { DRAWN } else { 0 } | led | states, Relaxed);
        }
    }
}

impl Cell {
    /// Where its bits end in the first word; `None` if some are in the second.
    fn end(&self) -> Option<u32> {
        let end = |slot: &Slot| match slot.mask {
            0 => Some(0),
            mask => (slot.word == 0).then(|| slot.shift + mask.count_ones()),
        };
        match self {
            Self::One(slot) => end(slot),
            Self::Maybe(there, parts) => {
                parts.iter().chain([there]).map(end).collect::<Option<Vec<u32>>>()?.into_iter().max()
            }
        }
    }
}
