//! Who interacts next: the uniformly random scheduler, and recorded schedules.
//!
//! A scheduler is any `Iterator<Item = Interaction>`, and a source of coins any `Iterator<Item = u64>`. The
//! random ones never end; recorded ones do. Both are cheap to clone, which is how a stretch of a run is
//! replayed to find the exact step of an event.

use crate::random::{Generator, Stream, below, stream};
use crate::ring::{Interaction, Ring};

/// The uniformly random scheduler of Section 2: every arc with the same probability, independently.
#[derive(Clone, Debug)]
pub struct Uniform {
    ring: Ring,
    arcs: u64,
    generator: Generator,
}

impl Uniform {
    /// The schedule of a trial's seed.
    #[must_use]
    pub fn new(ring: Ring, seed: u64) -> Self {
        Self { ring, arcs: ring.arcs() as u64, generator: stream(seed, Stream::Schedule) }
    }
}

impl Iterator for Uniform {
    type Item = Interaction;

    #[inline]
    fn next(&mut self) -> Option<Interaction> {
        Some(self.ring.arc(below(&mut self.generator, self.arcs) as usize))
    }
}

/// Fair coins with a given number of sides, drawn only when an interaction reads one.
#[derive(Clone, Debug)]
pub struct Coins {
    sides: u64,
    generator: Generator,
}

impl Coins {
    /// The coins of a trial's seed, each with this many sides.
    #[must_use]
    pub fn new(sides: u64, seed: u64) -> Self {
        Self { sides, generator: stream(seed, Stream::Coins) }
    }
}

impl Iterator for Coins {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        Some(below(&mut self.generator, self.sides))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ring::Orientation;

    #[test]
    fn the_uniform_schedule_is_value_stable() {
        let ring = Ring::new(8, Orientation::Directed).unwrap();
        let first: Vec<usize> = Uniform::new(ring, 1).take(12).map(|e| e.initiator).collect();
        assert_eq!(first, [6, 5, 0, 5, 1, 4, 7, 4, 0, 1, 7, 2]);
        let ring = Ring::new(8, Orientation::Undirected).unwrap();
        let first: Vec<(usize, usize)> = Uniform::new(ring, 1).take(4).map(|e| (e.initiator, e.responder)).collect();
        assert_eq!(first, [(6, 7), (6, 5), (1, 0), (6, 5)]);
    }

    /// Chi-square over ordered pairs of consecutive arcs: uniform and independent. 99 degrees of freedom;
    /// 161.3 is passed by chance once in 10^4.
    #[test]
    fn consecutive_arcs_are_uniform_and_independent() {
        let ring = Ring::new(5, Orientation::Undirected).unwrap();
        let (mut seen, draws) = ([0_u32; 100], 200_000);
        let number = |e: Interaction| (0..10).position(|k| ring.arc(k) == e).unwrap();
        let mut schedule = Uniform::new(ring, 2);
        let mut previous = number(schedule.next().unwrap());
        for e in schedule.take(draws) {
            let next = number(e);
            seen[10 * previous + next] += 1;
            previous = next;
        }
        let expected = draws as f64 / 100.0;
        let chi: f64 = seen.iter().map(|&k| (f64::from(k) - expected).powi(2) / expected).sum();
        assert!(chi < 161.3, "chi-square {chi}");
    }
}
