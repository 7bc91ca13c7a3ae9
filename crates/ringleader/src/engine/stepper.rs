//! One ring, one interaction at a time, in the clear form. This is the reference that every other engine must equal.

use crate::protocol::{Input, Protocol};
use crate::ring::Interaction;

/// Why a stepper cannot go on. Random schedules never end; recorded ones do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The recorded schedule is at its end.
    Schedule,
    /// The interaction reads a coin and the recorded coins are at their end.
    Coins,
}

/// A configuration, what happens to it next, and how many interactions it has seen. A clone replays the same future.
#[derive(Clone, Debug)]
pub struct Stepper<P: Protocol, S, C> {
    /// The protocol.
    pub protocol: P,
    /// The configuration after [`Stepper::steps`] interactions.
    pub config: Vec<P::State>,
    /// The number of interactions so far.
    pub steps: u64,
    /// The number of coins read so far.
    pub coins_read: u64,
    schedule: S,
    coins: C,
}

impl<P: Protocol, S: Iterator<Item = Interaction>, C: Iterator<Item = u64>> Stepper<P, S, C> {
    /// A configuration before its first interaction.
    pub fn new(protocol: P, config: Vec<P::State>, schedule: S, coins: C) -> Self {
        Self { protocol, config, steps: 0, coins_read: 0, schedule, coins }
    }

    /// One interaction; `look` sees the two states before and after it.
    ///
    /// # Errors
    /// If the schedule or the coins are at their end; nothing has changed then.
    #[inline]
    pub fn step(&mut self, look: impl FnOnce([&P::State; 2], [&P::State; 2])) -> Result<(), Halt> {
        let Interaction { initiator, responder } = self.schedule.next().ok_or(Halt::Schedule)?;
        let before = [self.config[initiator], self.config[responder]];
        let [mut l, mut r] = before;
        let coin = if self.protocol.reads_coin(&l, &r) {
            self.coins_read += 1;
            self.coins.next().ok_or(Halt::Coins)?
        } else {
            0
        };
        self.protocol.interact(&mut l, &mut r, Input { coin });
        look([&before[0], &before[1]], [&l, &r]);
        (self.config[initiator], self.config[responder]) = (l, r);
        self.steps += 1;
        Ok(())
    }

    /// Several interactions with nobody looking.
    ///
    /// # Errors
    /// As for [`Stepper::step`].
    pub fn advance(&mut self, steps: u64) -> Result<(), Halt> {
        (0..steps).try_for_each(|_| self.step(|_, _| ()))
    }
}
