//! The trials that lanes run, as the lanes see them.

use std::ops::ControlFlow;

use crate::blueprint::Phase;
use crate::circuit::Circuit;
use crate::engine::hitting::first_in;
use crate::engine::stepper::{Halt, Stepper};
use crate::engine::tracker::Tracker;
use crate::error::Error;
use crate::observer::{Observer, Pace};
use crate::protocol::{Protocol, leaders};
use crate::ring::Ring;
use crate::schedule::{AnySchedule, Clocks};
use crate::trial::{Reached, Record};
use crate::value::Text;

/// One after the other, trials that differ in their seeds only.
pub(crate) struct Batch<'a, P: Protocol> {
    /// The protocol.
    pub(crate) protocol: &'a P,
    /// The ring.
    pub(crate) ring: Ring,
    /// The limit of each trial.
    pub(crate) limit: u64,
    /// The seeds, in order.
    pub(crate) seeds: &'a [u64],
    /// The initial configuration of a seed.
    pub(crate) start: &'a dyn Fn(u64) -> Result<Vec<P::State>, Error>,
    /// The phases, if they are asked for.
    pub(crate) phases: Option<Phases<'a, P>>,
    /// Asked whether to go on, at least once a window, and told how many interactions the rings that run have behind them.
    pub(crate) observer: &'a dyn Observer,
}

/// The phases of a protocol on their way into records.
pub(crate) struct Phases<'a, P: Protocol> {
    pub(crate) all: &'a [Phase<P>],
    /// Whether a leader is elected, so that leaders are counted.
    pub(crate) elects: bool,
    /// The name of the safe set among the phases.
    pub(crate) safe: Text,
}

impl<P: Protocol> Phases<'_, P> {
    /// Those that have not been met and may hold where there is a leader or none.
    fn sought(&self, tracker: &Tracker, led: bool, protocol: &P, ring: Ring) -> impl Iterator<Item = &Phase<P>> {
        let met = tracker.phases.iter();
        let sought = self.all.iter().zip(met).filter(|(_, met)| met.is_none()).map(|(phase, _)| phase);
        sought.filter(move |phase| led || !phase.needs_leader(protocol, ring))
    }

    /// Whether hardly any window of a ring that begins so needs to be run again: there is no leader, and what needs a look at every step
    /// needs a leader, too.
    pub(crate) fn can_wait(&self, protocol: &P, ring: Ring, config: &[P::State]) -> bool {
        let mut open = self.all.iter().filter(|phase| phase.open.is_some());
        leaders(protocol, config).is_empty() && open.all(|phase| phase.needs_leader(protocol, ring))
    }

    fn reached(&self, tracker: &Tracker, safe: Option<u64>) -> Vec<Reached> {
        tracker.reached(self.all, self.elects, &self.safe, safe)
    }
}

/// Takes each trial that has ended, in the order in which they end: which of the seeds it had, its record and its last configuration.
pub(crate) type Ended<'a, P> =
    dyn FnMut(usize, Record, Vec<<P as crate::protocol::Transition>::State>) -> ControlFlow<()> + 'a;

/// A trial on its way.
pub(super) struct Running {
    /// Which of the seeds.
    pub(super) index: usize,
    pub(super) seed: u64,
    pub(super) window: u64,
    /// The interactions before this window.
    pub(super) steps: u64,
    pub(super) change: Change,
    pub(super) coins_read: u64,
    /// What its oracle remembers: for how many interactions there has been no leader.
    pub(super) leaderless: u64,
    /// What is known of its phases, if they are asked for.
    pub(super) tracker: Tracker,
}

impl Running {
    fn new(index: usize, seed: u64, tracker: Tracker) -> Self {
        Self { index, seed, window: 0, steps: 0, change: Change::Never, coins_read: 0, leaderless: 0, tracker }
    }
}

/// The last change of output so far.
#[derive(Clone, Copy)]
pub(super) enum Change {
    Never,
    /// At this time and edge of a window, before which there were so many interactions.
    Tick {
        window: u64,
        steps: u64,
        tick: u64,
    },
    /// At this step.
    Step(u64),
}

/// A window of a trial in the clear form.
pub(super) struct Replayed {
    pub(super) now: Vec<u128>,
    pub(super) change: Option<u64>,
    pub(super) coins_read: u64,
    pub(super) leaderless: u64,
    pub(super) tracker: Tracker,
}

/// How closely a window has to be looked at for phases.
pub(super) enum Watch {
    /// Nothing of them can have happened in it.
    Nothing,
    /// A phase is closed, so that its end tells.
    End,
    /// Step by step.
    Steps,
}

/// What lanes ask of the trials that they run, whatever the protocol: configurations are codes. So all that is compiled for each kind of word
/// is compiled once for all protocols that share a circuit.
pub(super) trait Trials {
    /// Where they run.
    fn about(&self) -> About;

    /// The next trial that is not over before it begins.
    fn next(&mut self) -> Result<Next, Error>;

    /// Whether a ring is safe, of which the lanes have nothing against it.
    fn is_safe(&self, ring: &[u128]) -> bool;

    /// Ends a trial, from what it was before its last window; `safe` if it is at the end of that. What comes of it is whether to go on.
    fn finish(
        &mut self,
        ring: &Running,
        before: &[u128],
        count: u64,
        safe: bool,
        pace: &mut Pace<'_>,
    ) -> Result<ControlFlow<()>, Halt>;

    /// How closely the last window of a trial has to be looked at: `changed` if an output changed, `led` if there is a leader at its end.
    fn watch(&self, ring: &Running, changed: bool, led: bool) -> Watch;

    /// Whether a phase holds at the end of the last window that was sought until then.
    fn has_entered(&self, ring: &Running, now: &[u128]) -> bool;

    /// Runs the last window of a trial in the clear form.
    fn replay(&self, ring: &Running, before: &[u128], count: u64, pace: &mut Pace<'_>) -> Result<Replayed, Halt>;

    /// Hands in a trial that is still running, as it is, even to somebody who has broken off.
    fn interrupt(&mut self, ring: &Running, now: &[u128]);
}

/// What trials have in common.
#[derive(Clone, Copy)]
pub(super) struct About {
    pub(super) ring: Ring,
    pub(super) limit: u64,
    /// How many there are.
    pub(super) trials: usize,
    /// How many sides a coin has.
    pub(super) sides: u64,
    /// The delay of the oracle, if one is asked.
    pub(super) oracle: Option<u64>,
}

/// What comes of asking for the next trial.
pub(super) enum Next {
    Begins(Running, Vec<u128>),
    /// There is none left.
    Nothing,
    /// Somebody broke off.
    Stopped,
}

/// The trials of a batch, whose states the circuit knows.
pub(super) struct Coded<'a, 'b, P: Protocol, C> {
    pub(super) batch: &'a Batch<'a, P>,
    pub(super) circuit: &'a C,
    pub(super) ended: &'a mut Ended<'b, P>,
    /// How many have begun.
    pub(super) begun: usize,
}

impl<P: Protocol, C: Circuit<State = P::State>> Coded<'_, '_, P, C> {
    fn decoded(&self, ring: &[u128]) -> Vec<P::State> {
        ring.iter().map(|&code| self.circuit.decode(code)).collect()
    }
}

impl<P: Protocol, C: Circuit<State = P::State>> Trials for Coded<'_, '_, P, C> {
    fn about(&self) -> About {
        let Batch { protocol, ring, limit, seeds, .. } = *self.batch;
        About { ring, limit, trials: seeds.len(), sides: protocol.coins(), oracle: protocol.oracle() }
    }

    fn next(&mut self) -> Result<Next, Error> {
        while let Some(&seed) = self.batch.seeds.get(self.begun) {
            let index = self.begun;
            let config = (self.batch.start)(seed)?;
            self.begun += 1;
            let safe = self.batch.protocol.is_safe(&config);
            let tracker = Tracker::new(self.batch.protocol, self.batch.phases(), &config);
            if !safe && self.batch.limit > 0 {
                let codes = config.iter().map(|state| self.circuit.encode(state)).collect();
                return Ok(Next::Begins(Running::new(index, seed, tracker), codes));
            }
            let record = self.batch.record(0, safe.then_some(0), 0, 0, &tracker);
            if (self.ended)(index, record, config).is_break() {
                return Ok(Next::Stopped);
            }
        }
        Ok(Next::Nothing)
    }

    fn is_safe(&self, ring: &[u128]) -> bool {
        self.circuit.looks_safe(ring) && self.batch.protocol.is_safe(&self.decoded(ring))
    }

    fn finish(
        &mut self,
        ring: &Running,
        before: &[u128],
        count: u64,
        safe: bool,
        pace: &mut Pace<'_>,
    ) -> Result<ControlFlow<()>, Halt> {
        let (record, config) = self.batch.finish(ring, self.decoded(before), count, safe, pace)?;
        Ok((self.ended)(ring.index, record, config))
    }

    fn watch(&self, ring: &Running, changed: bool, led: bool) -> Watch {
        let Some(phases) = &self.batch.phases else { return Watch::Nothing };
        // Where no output changed, leaders at the end are leaders all the time.
        let sought = || phases.sought(&ring.tracker, led || changed, self.batch.protocol, self.batch.ring);
        if (changed && phases.elects) || sought().any(|phase| phase.open.is_some()) {
            Watch::Steps
        } else if sought().next().is_some() {
            Watch::End
        } else {
            Watch::Nothing
        }
    }

    fn has_entered(&self, ring: &Running, now: &[u128]) -> bool {
        let (protocol, config) = (self.batch.protocol, self.decoded(now));
        let mut sought =
            self.batch.phases.iter().flat_map(|phases| phases.sought(&ring.tracker, true, protocol, self.batch.ring));
        sought.any(|phase| (phase.holds)(protocol, &config))
    }

    fn replay(&self, ring: &Running, before: &[u128], count: u64, pace: &mut Pace<'_>) -> Result<Replayed, Halt> {
        let (mut stepper, mut tracker) = (self.batch.stepper(ring, self.decoded(before)), ring.tracker.clone());
        self.batch.follow(&mut stepper, &mut tracker, count, pace)?;
        let change = tracker.last_output_change;
        Ok(Replayed {
            now: stepper.config.iter().map(|state| self.circuit.encode(state)).collect(),
            change: (change > ring.steps).then_some(change),
            coins_read: stepper.coins_read,
            leaderless: stepper.oracle.leaderless(),
            tracker,
        })
    }

    fn interrupt(&mut self, ring: &Running, now: &[u128]) {
        let changed = self.batch.changed_before(ring);
        let record = self.batch.record(ring.steps, None, changed, ring.coins_read, &ring.tracker);
        let record = Record { censored: false, interrupted: true, ..record };
        let config = self.decoded(now);
        let _ = (self.ended)(ring.index, record, config);
    }
}

/// What needs to know the protocol only, whatever the circuit and the words.
impl<P: Protocol> Batch<'_, P> {
    /// Replays the last window of a trial in the clear form, to the exact first safe step or to the limit.
    fn finish(
        &self,
        ring: &Running,
        before: Vec<P::State>,
        count: u64,
        safe: bool,
        pace: &mut Pace<'_>,
    ) -> Result<(Record, Vec<P::State>), Halt> {
        let (mut stepper, mut tracker) = (self.stepper(ring, before), ring.tracker.clone());
        let most = count.min(self.limit - ring.steps);
        let exact = if safe { first_in(&stepper, count, &P::is_safe, pace)? } else { count };
        self.follow(&mut stepper, &mut tracker, exact.min(most), pace)?;
        let changed = match tracker.last_output_change {
            step if step > ring.steps => step,
            _ => self.changed_before(ring),
        };
        let (in_time, steps, coins_read) = (safe && exact <= most, stepper.steps, ring.coins_read + stepper.coins_read);
        Ok((self.record(steps, in_time.then_some(steps), changed, coins_read, &tracker), stepper.config))
    }

    /// Runs so many interactions of a window, and follows what is asked for.
    fn follow(
        &self,
        stepper: &mut Stepper<P, AnySchedule>,
        tracker: &mut Tracker,
        steps: u64,
        pace: &mut Pace<'_>,
    ) -> Result<(), Halt> {
        let Some(phases) = &self.phases else { return tracker.follow_output(stepper, steps, pace) };
        let before = stepper.clone();
        tracker.follow_phases(stepper, phases.all, steps, pace)?;
        tracker.find_closed(&before, stepper, phases.all, pace)
    }

    fn phases(&self) -> &[Phase<P>] {
        self.phases.as_ref().map_or(&[], |phases| phases.all)
    }

    /// A trial before its last window.
    fn stepper(&self, ring: &Running, before: Vec<P::State>) -> Stepper<P, AnySchedule> {
        let clocks = Clocks::from_window(self.ring, ring.seed, ring.window);
        let mut stepper = Stepper::new(self.protocol.clone(), before, AnySchedule::Clocks(clocks));
        stepper.steps = ring.steps;
        stepper.oracle = stepper.oracle.remembering(ring.leaderless);
        stepper
    }

    /// The last change of output before this window.
    fn changed_before(&self, ring: &Running) -> u64 {
        match ring.change {
            Change::Never => 0,
            Change::Step(step) => step,
            Change::Tick { window, steps, tick } => {
                let clocks = Clocks::from_window(self.ring, ring.seed, window);
                steps + clocks.until((tick >> 32) as u32, tick as u32 as usize) as u64
            }
        }
    }

    fn record(&self, steps: u64, safe: Option<u64>, changed: u64, coins_read: u64, tracker: &Tracker) -> Record {
        Record {
            limit: self.limit,
            steps,
            safe,
            censored: safe.is_none(),
            interrupted: false,
            last_output_change: changed,
            phases: self.phases.as_ref().map_or_else(Vec::new, |phases| phases.reached(tracker, safe)),
            faults: Vec::new(),
            coins_read,
        }
    }
}
