//! A schedule whose kind is known only at run time.

use super::{Clocks, Recorded, Schedule, Uniform};
use crate::ring::{Interaction, Ring};
use crate::trial::Scheduler;

/// Interactions and coins, wherever they come from.
#[derive(Clone, Debug)]
pub enum AnySchedule {
    /// Recorded interactions and coins.
    Recorded(Recorded),
    /// The uniform scheduler of a seed.
    Uniform(Uniform),
    /// The clocks of a seed.
    Clocks(Clocks),
    /// Another schedule that writes down what it hands out.
    Logged(Box<Logged>),
}

impl AnySchedule {
    /// The schedule of a seed on a ring.
    #[must_use]
    pub fn new(scheduler: Scheduler, ring: Ring, seed: u64) -> Self {
        match scheduler {
            Scheduler::Uniform => Self::Uniform(Uniform::new(ring, seed)),
            Scheduler::Clocks => Self::Clocks(Clocks::new(ring, seed)),
        }
    }

    /// The schedule of one interaction; the coin is read if the interaction reads one.
    #[must_use]
    pub fn once(interaction: Interaction, coin: u64) -> Self {
        Self::Recorded(Recorded::new(vec![interaction], vec![coin]))
    }

    /// The same schedule, which from now on writes down what it hands out.
    #[must_use]
    pub fn logged(self) -> Self {
        Self::Logged(Box::new(Logged { script: self, interactions: Vec::new(), coins: Vec::new() }))
    }
}

/// Nothing at all.
impl Default for AnySchedule {
    fn default() -> Self {
        Self::Recorded(Recorded::default())
    }
}

impl Schedule for AnySchedule {
    fn next(&mut self) -> Option<Interaction> {
        match self {
            Self::Recorded(schedule) => schedule.next(),
            Self::Uniform(schedule) => schedule.next(),
            Self::Clocks(schedule) => schedule.next(),
            Self::Logged(schedule) => schedule.next(),
        }
    }

    fn coin(&mut self, sides: u64) -> Option<u64> {
        match self {
            Self::Recorded(schedule) => schedule.coin(sides),
            Self::Uniform(schedule) => schedule.coin(sides),
            Self::Clocks(schedule) => schedule.coin(sides),
            Self::Logged(schedule) => schedule.coin(sides),
        }
    }
}

/// A schedule that writes down what it hands out.
#[derive(Clone, Debug)]
pub struct Logged {
    /// What is handed out.
    pub script: AnySchedule,
    /// The interactions so far.
    pub interactions: Vec<Interaction>,
    /// The coins that they read.
    pub coins: Vec<u64>,
}

impl Schedule for Logged {
    fn next(&mut self) -> Option<Interaction> {
        let next = self.script.next();
        self.interactions.extend(next);
        next
    }

    fn coin(&mut self, sides: u64) -> Option<u64> {
        let coin = self.script.coin(sides);
        self.coins.extend(coin);
        coin
    }
}
