//! Who interacts next: the uniformly random scheduler, clocks on the edges, and recorded schedules.
//!
//! The random ones never end; recorded ones do. All are cheap to clone, which is how a stretch of a run is replayed to find the
//! exact step of an event.

use std::sync::Arc;

use crate::clocks::{Clock, Keys, WINDOW};
use crate::random::{Generator, Stream, below, stream};
use crate::ring::{Interaction, Orientation, Ring};

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

/// A Poisson clock on every edge; see [`crate::clocks`] for the law. The rings of one window are sorted by time and then
/// handed out one by one.
#[derive(Clone, Debug)]
pub struct Clocks {
    ring: Ring,
    seed: u64,
    keys: Keys,
    /// The window that `rings` belongs to.
    window: u64,
    /// Time and edge of every ring of the window, in order; shared between clones.
    rings: Arc<[u64]>,
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
        let keys = Keys::new(seed, window);
        Self { ring, seed, keys, window, rings: rings(&keys, ring.n()), done: 0 }
    }

    /// How many interactions the window has.
    #[must_use]
    pub fn in_window(&self) -> usize {
        self.rings.len()
    }

    /// How many interactions of the window are at or before the ring of `edge` at time `t`.
    #[must_use]
    pub fn until(&self, t: u32, edge: usize) -> usize {
        self.rings.partition_point(|&ring| ring <= packed(t, edge))
    }

    /// Time and clock of the ring that came last.
    fn last(&self) -> (u32, Clock) {
        let ring = self.rings[self.done.saturating_sub(1)];
        ((ring >> 32) as u32, self.keys.clock(ring as u32 as usize, self.ring.n()))
    }
}

fn packed(t: u32, edge: usize) -> u64 {
    u64::from(t) << 32 | edge as u64
}

/// All rings of a window, in the order of time, then edge.
fn rings(keys: &Keys, n: usize) -> Arc<[u64]> {
    let mut rings = Vec::with_capacity(n * 140);
    for edge in 0..n {
        let clock = keys.clock(edge, n);
        let mut t = clock.first();
        while t < WINDOW {
            rings.push(packed(t, edge));
            t = clock.next(t);
        }
    }
    rings.sort_unstable();
    rings.into()
}

impl Schedule for Clocks {
    #[inline]
    fn next(&mut self) -> Option<Interaction> {
        while self.done == self.rings.len() {
            *self = Self::from_window(self.ring, self.seed, self.window + 1);
        }
        let edge = self.rings[self.done] as u32 as usize;
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

/// Recorded interactions, and the coins they read, in order.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The interactions.
    pub interactions: std::vec::IntoIter<Interaction>,
    /// The coins.
    pub coins: std::vec::IntoIter<u64>,
}

impl Schedule for Recorded {
    fn next(&mut self) -> Option<Interaction> {
        self.interactions.next()
    }

    fn coin(&mut self, _: u64) -> Option<u64> {
        self.coins.next()
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
        assert_eq!(first, [3, 0, 2, 3, 2, 7, 0, 1, 1, 0, 5, 6]);
        let ring = Ring::new(8, Orientation::Undirected).unwrap();
        let mut clocks = Clocks::new(ring, 1);
        assert_eq!(take(&mut clocks, 4), [(3, 4), (0, 1), (3, 2), (4, 3)]);
        assert_eq!(clocks.coin(256), Some(28));
    }

    /// Chi-square over ordered pairs of consecutive arcs: uniform and independent. 99 degrees of freedom; 161.3 is
    /// passed by chance once in 10^4.
    fn uniform_and_independent(mut schedule: impl Schedule, ring: Ring) {
        let (mut seen, draws) = ([0_u32; 100], 1_000_000);
        let number = |e: Interaction| (0..10).position(|k| ring.arc(k) == e).unwrap();
        let mut previous = number(schedule.next().unwrap());
        for _ in 0..draws {
            let next = number(schedule.next().unwrap());
            seen[10 * previous + next] += 1;
            previous = next;
        }
        let expected = f64::from(draws) / 100.0;
        let chi: f64 = seen.iter().map(|&k| (f64::from(k) - expected).powi(2) / expected).sum();
        assert!((49.0..161.3).contains(&chi), "chi-square {chi}");
    }

    #[test]
    fn consecutive_arcs_are_uniform_and_independent() {
        let directed = Ring::new(10, Orientation::Directed).unwrap();
        let undirected = Ring::new(5, Orientation::Undirected).unwrap();
        uniform_and_independent(Uniform::new(directed, 2), directed);
        uniform_and_independent(Uniform::new(undirected, 2), undirected);
        uniform_and_independent(Clocks::new(directed, 2), directed);
        uniform_and_independent(Clocks::new(undirected, 2), undirected);
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
