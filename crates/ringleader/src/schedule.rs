//! Who interacts next: the uniformly random scheduler, clocks on the edges, and recorded schedules.
//!
//! The random ones never end; recorded ones do. All are cheap to clone, which is how a stretch of a run is replayed to find the
//! exact step of an event.

use std::sync::Arc;

use crate::clocks::{Clock, Keys};
use crate::random::{Generator, Stream, below, stream};
use crate::ring::{Interaction, Orientation, Ring};

mod any;
mod buckets;

pub use any::{AnySchedule, Logged};

use buckets::{Buckets, packed};

/// A sequence of interactions, and of the coins that they read.
pub trait Schedule: Clone {
    /// The next interaction; `None` at the end of a recorded schedule.
    fn next(&mut self) -> Option<Interaction>;

    /// The coin of the interaction that came last, uniform in `[0, sides)`; `None` at the end of the recorded coins.
    fn coin(&mut self, sides: u64) -> Option<u64>;
}

/// The uniformly random scheduler of Section 2: every arc with the same probability, independently.
#[derive(Clone, Debug)]
pub struct Uniform {
    ring: Ring,
    arcs: u64,
    generator: Generator,
    coins: Generator,
}

impl Uniform {
    /// The schedule of a trial's seed.
    #[must_use]
    pub fn new(ring: Ring, seed: u64) -> Self {
        let (generator, coins) = (stream(seed, Stream::Schedule), stream(seed, Stream::Coins));
        Self { ring, arcs: ring.arcs() as u64, generator, coins }
    }
}

impl Schedule for Uniform {
    #[inline]
    fn next(&mut self) -> Option<Interaction> {
        Some(self.ring.arc(below(&mut self.generator, self.arcs) as usize))
    }

    #[inline]
    fn coin(&mut self, sides: u64) -> Option<u64> {
        Some(below(&mut self.coins, sides))
    }
}

/// A Poisson clock on every edge; see [`crate::clocks`] for the law. The ticks of a bucket of time are put into order and then
/// handed out one by one.
#[derive(Clone, Debug)]
pub struct Clocks {
    ring: Ring,
    seed: u64,
    window: u64,
    /// What comes after `ticks` in the window.
    buckets: Buckets,
    /// Time and edge of every tick of a bucket, in order; shared between clones.
    ticks: Arc<Vec<u64>>,
    /// How many of them have been handed out.
    done: usize,
}

impl Clocks {
    /// The schedule of a trial's seed.
    #[must_use]
    pub fn new(ring: Ring, seed: u64) -> Self {
        Self::from_window(ring, seed, 0)
    }

    /// The part of the schedule that begins with a window.
    #[must_use]
    pub fn from_window(ring: Ring, seed: u64, window: u64) -> Self {
        let buckets = Buckets::new(Keys::new(seed, window), ring.n());
        Self { ring, seed, window, buckets, ticks: Arc::default(), done: 0 }
    }

    /// How many interactions the window has.
    #[must_use]
    pub fn in_window(&self) -> usize {
        self.whole_window().map(|ticks| ticks.len()).sum()
    }

    /// How many interactions of the window are at or before the tick of `edge` at time `t`.
    #[must_use]
    pub fn until(&self, t: u32, edge: usize) -> usize {
        let mut before = 0;
        for ticks in self.whole_window() {
            let here = ticks.partition_point(|&tick| tick <= packed(t, edge));
            before += here;
            if here < ticks.len() {
                break;
            }
        }
        before
    }

    fn whole_window(&self) -> Buckets {
        Buckets::new(Keys::new(self.seed, self.window), self.ring.n())
    }

    /// Goes on to the next bucket, or to the next window.
    #[cold]
    fn refill(&mut self) {
        if let Some(ticks) = self.buckets.next() {
            (self.ticks, self.done) = (Arc::new(ticks), 0);
        } else {
            self.window += 1;
            self.buckets = self.whole_window();
        }
    }

    /// Time and clock of the tick that came last.
    fn last(&self) -> (u32, Clock) {
        let tick = self.ticks[self.done - 1];
        ((tick >> 32) as u32, self.buckets.keys().clock(tick as u32 as usize, self.ring.n()))
    }
}

impl Schedule for Clocks {
    #[inline]
    fn next(&mut self) -> Option<Interaction> {
        while self.done == self.ticks.len() {
            self.refill();
        }
        let edge = self.ticks[self.done] as u32 as usize;
        self.done += 1;
        let e = self.ring.e(edge);
        if self.ring.orientation() == Orientation::Directed {
            return Some(e);
        }
        let (t, clock) = self.last();
        Some(if clock.left_initiates(t) { e } else { e.reversed() })
    }

    fn coin(&mut self, sides: u64) -> Option<u64> {
        let (t, clock) = self.last();
        Some(clock.coin(t, sides))
    }
}

/// Recorded interactions, and the coins they read, in order; shared between clones.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    interactions: Arc<[Interaction]>,
    coins: Arc<[u64]>,
    done: usize,
    read: usize,
}

impl Recorded {
    /// A recording from its beginning.
    #[must_use]
    pub fn new(interactions: Vec<Interaction>, coins: Vec<u64>) -> Self {
        Self { interactions: interactions.into(), coins: coins.into(), done: 0, read: 0 }
    }

    /// How many interactions are left.
    #[must_use]
    pub fn left(&self) -> usize {
        self.interactions.len() - self.done
    }
}

impl Schedule for Recorded {
    fn next(&mut self) -> Option<Interaction> {
        let next = self.interactions.get(self.done).copied();
        self.done += usize::from(next.is_some());
        next
    }

    fn coin(&mut self, _: u64) -> Option<u64> {
        let coin = self.coins.get(self.read).copied();
        self.read += usize::from(coin.is_some());
        coin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(schedule: &mut impl Schedule, steps: usize) -> Vec<(usize, usize)> {
        (0..steps).filter_map(|_| schedule.next()).map(|e| (e.initiator, e.responder)).collect()
    }

    #[test]
    fn the_uniform_schedule_is_value_stable() {
        let ring = Ring::new(8, Orientation::Directed).unwrap();
        let first: Vec<usize> = take(&mut Uniform::new(ring, 1), 12).iter().map(|e| e.0).collect();
        assert_eq!(first, [6, 5, 0, 5, 1, 4, 7, 4, 0, 1, 7, 2]);
        let ring = Ring::new(8, Orientation::Undirected).unwrap();
        assert_eq!(take(&mut Uniform::new(ring, 1), 4), [(6, 7), (6, 5), (1, 0), (6, 5)]);
    }

    #[test]
    fn the_schedule_of_clocks_is_value_stable() {
        let ring = Ring::new(8, Orientation::Directed).unwrap();
        let first: Vec<usize> = take(&mut Clocks::new(ring, 1), 12).iter().map(|e| e.0).collect();
        assert_eq!(first, [2, 7, 2, 6, 2, 1, 5, 1, 0, 5, 4, 2]);
        let ring = Ring::new(8, Orientation::Undirected).unwrap();
        let mut clocks = Clocks::new(ring, 1);
        assert_eq!(take(&mut clocks, 4), [(3, 2), (0, 7), (3, 2), (7, 6)]);
        assert_eq!(clocks.coin(256), Some(173));
    }

    #[test]
    fn a_window_knows_its_interactions() {
        for n in [3, 4, 7, 64, 501] {
            let ring = Ring::new(n, Orientation::Directed).unwrap();
            let mut clocks = Clocks::from_window(ring, 4, 2);
            let many = clocks.in_window();
            for k in 0..many {
                clocks.next();
                if k.is_multiple_of(many / 50) {
                    let (last, edge) = (clocks.last().0, clocks.ticks[clocks.done - 1] as u32 as usize);
                    assert_eq!(clocks.until(last, edge), k + 1, "n {n}");
                }
            }
            assert_eq!((clocks.window, clocks.until(u32::MAX, 0)), (2, many), "n {n}");
            assert_eq!(clocks.next(), Clocks::from_window(ring, 4, 3).next(), "n {n}");
            assert_eq!(clocks.window, 3);
        }
    }

    #[test]
    fn coins_of_clocks_are_uniform() {
        let ring = Ring::new(5, Orientation::Undirected).unwrap();
        let (mut clocks, mut seen) = (Clocks::new(ring, 3), [0_u32; 9]);
        for _ in 0..90_000 {
            clocks.next();
            seen[clocks.coin(9).unwrap() as usize] += 1;
        }
        let chi: f64 = seen.iter().map(|&k| (f64::from(k) - 1e4).powi(2) / 1e4).sum();
        assert!(chi < 31.8, "chi-square {chi} with 8 degrees of freedom, {seen:?}");
    }
}
