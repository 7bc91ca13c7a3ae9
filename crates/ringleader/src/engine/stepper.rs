//! One ring, one interaction at a time, in the clear form. This is the reference that every other engine must equal.

use crate::observer::{Pace, Progress};
use crate::oracle::Oracle;
use crate::protocol::{Input, Protocol, Transition, leaders};
use crate::ring::Interaction;
use crate::schedule::Schedule;

/// Why a stepper cannot go on. Random schedules never end; recorded ones do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The recorded schedule is at its end.
    Schedule,
    /// The interaction reads a coin and the recorded coins are at their end.
    Coins,
    /// The observer broke off.
    Stopped,
}

/// A configuration, what happens to it next, and how many interactions it has seen. A clone replays the same future.
#[derive(Clone, Debug)]
pub struct Stepper<P: Protocol, S> {
    /// The protocol.
    pub protocol: P,
    /// The configuration after [`Stepper::steps`] interactions.
    pub config: Vec<P::State>,
    /// The number of interactions so far.
    pub steps: u64,
    /// The number of coins read so far.
    pub coins_read: u64,
    /// What the oracle knows, if the protocol asks one.
    pub oracle: Oracle,
    sides: u64,
    pub(crate) schedule: S,
}

impl<P: Protocol, S: Schedule> Stepper<P, S> {
    /// A configuration before its first interaction.
    pub fn new(protocol: P, config: Vec<P::State>, schedule: S) -> Self {
        let (sides, oracle) = (protocol.coins(), oracle(&protocol, &config));
        Self { protocol, config, steps: 0, coins_read: 0, oracle, sides, schedule }
    }

    /// Shows the oracle a configuration that was changed by something else than an interaction.
    pub fn recount(&mut self) {
        if self.protocol.oracle().is_some() {
            self.oracle.recount(leaders(&self.protocol, &self.config).len());
        }
    }

    /// One interaction. `peek` takes what it needs from the two states before, and `look` sees that and the states
    /// after; the agents are updated in place, so nothing else is copied. Returns who took part, and the coin if one was read.
    ///
    /// # Errors
    /// If the schedule or the coins are at their end; no agent has changed then.
    #[inline]
    pub fn step<T>(
        &mut self,
        peek: impl FnOnce(&P, [&P::State; 2]) -> T,
        look: impl FnOnce(&P, T, [&P::State; 2]),
    ) -> Result<(Interaction, Option<u64>), Halt> {
        let interaction = self.schedule.next().ok_or(Halt::Schedule)?;
        let Interaction { initiator, responder } = interaction;
        let (l, r) = two_agents(&mut self.config, initiator, responder);
        let coin = if self.protocol.reads_coin(l, r) {
            let coin = self.schedule.coin(self.sides).ok_or(Halt::Coins)?;
            self.coins_read += 1;
            Some(coin)
        } else {
            None
        };
        let input = Input { coin: coin.unwrap_or(0), leader: false };
        let before = peek(&self.protocol, [l, r]);
        // The compiler knows which protocols ask no oracle, so it costs them nothing.
        if self.protocol.oracle().is_some() {
            let input = Input { leader: self.oracle.leader(), ..input };
            let [before, after] = self.protocol.interact_counted(l, r, input);
            self.oracle.observe(before, after);
        } else {
            self.protocol.interact(l, r, input);
        }
        look(&self.protocol, before, [l, r]);
        self.steps += 1;
        Ok((interaction, coin))
    }

    /// One interaction for an observer that wants to see both pairs of states, and can wait for a call.
    ///
    /// # Errors
    /// As for [`Stepper::step`].
    pub fn step_closely(&mut self, look: &mut Look<'_, P>) -> Result<(Interaction, Option<u64>), Halt> {
        self.step(|_, [l, r]| [*l, *r], |protocol, before, after| look(protocol, [&before[0], &before[1]], after))
    }

    /// Several interactions with nobody looking.
    ///
    /// # Errors
    /// As for [`Stepper::step`].
    pub fn advance(&mut self, steps: u64) -> Result<(), Halt> {
        (0..steps).try_for_each(|_| self.step(|_, _| (), |_, (), _| ()).map(drop))
    }

    /// Several interactions, of which an observer is told.
    ///
    /// # Errors
    /// As for [`Stepper::step`], or if the observer breaks off.
    pub fn advance_at(&mut self, pace: &mut Pace<'_>, steps: u64) -> Result<(), Halt> {
        self.in_pieces(pace, steps, Self::advance)
    }

    /// Does `steps` interactions in pieces, and asks in between.
    pub(crate) fn in_pieces(
        &mut self,
        pace: &mut Pace<'_>,
        steps: u64,
        mut run: impl FnMut(&mut Self, u64) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let end = self.steps + steps;
        while self.steps < end {
            let piece = pace.room().min(end - self.steps);
            run(self, piece)?;
            self.did(pace, piece)?;
        }
        Ok(())
    }

    /// So much was done; asks if it is time to.
    pub(crate) fn did(&self, pace: &mut Pace<'_>, work: u64) -> Result<(), Halt> {
        let gauges = || self.protocol.gauges(&self.config);
        let asked = pace.did(work, Progress { steps: self.steps, gauges: &gauges });
        if asked.is_break() { Err(Halt::Stopped) } else { Ok(()) }
    }
}

/// Sees the two states of an interaction before and after it, initiator first.
pub type Look<'a, P> = dyn FnMut(&P, [&<P as Transition>::State; 2], [&<P as Transition>::State; 2]) + 'a;

/// The oracle of a ring before its first interaction; it knows nothing if the protocol does not ask it.
pub fn oracle<P: Protocol>(protocol: &P, config: &[P::State]) -> Oracle {
    protocol.oracle().map_or_else(Oracle::default, |delay| Oracle::new(delay, leaders(protocol, config).len()))
}

/// The agents of an interaction; they are neighbours on a ring of at least 3 agents, so never the same.
#[inline]
fn two_agents<S>(config: &mut [S], i: usize, j: usize) -> (&mut S, &mut S) {
    if i < j {
        let (left, right) = config.split_at_mut(j);
        (&mut left[i], &mut right[0])
    } else {
        let (left, right) = config.split_at_mut(i);
        (&mut right[0], &mut left[j])
    }
}
