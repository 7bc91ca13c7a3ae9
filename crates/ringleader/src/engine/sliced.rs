//! Many rings at once: every lane of a word is a ring, or an arc of one.
//!
//! The idea:
//! ```text
//! for each window of trial time:
//!     start the clocks of all edges in all lanes
//!     until no clock has a tick left in the window:
//!         for each edge: in the lanes where its time precedes both neighbours': interact, go on to the next time
//!     count the interactions of each ring, note the last change of output
//!     rings that look safe: check; if safe, replay this window in the clear form for the exact step
//!     rings that are done make room for the next trial; when there are none left, the others are cut into more arcs
//! ```
//! Interactions on edges that are not neighbours commute, so a ring sees exactly the execution of its trial's schedule
//! ([`crate::clocks`]), whatever the order of the visits, the number of lanes and arcs, and the other rings. Records are those of
//! the stepper under `--scheduler clocks`, to the bit.

use std::ops::ControlFlow;

use super::hitting::first_in;
use super::stepper::{Halt, Stepper};
use super::tracker::Tracker;
use crate::circuit::Circuit;
use crate::clocks::Keys;
use crate::error::Error;
use crate::observer::{Observer, Pace, Progress};
use crate::protocol::Protocol;
use crate::ring::{Orientation, Ring};
use crate::schedule::{AnySchedule, Clocks};
use crate::simd::Lanes;
#[cfg(target_arch = "x86_64")]
use crate::simd::{avx2, avx512};
use crate::trial::Record;

mod block;
mod layout;

use block::{Block, Chance, Window};
use layout::Layout;

#[cfg(any(test, feature = "bench-parts"))]
pub use block::parts;

/// To visit an edge in all lanes is about as much work as so many interactions of the stepper.
const VISIT: u64 = 4;

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
    /// Asked whether to go on, at least once a window, and told how many interactions the rings that run have behind them.
    pub(crate) observer: &'a dyn Observer,
}

/// Takes each trial that has ended, in the order in which they end: which of the seeds it had, its record and its last configuration.
pub(crate) type Ended<'a, P> =
    dyn FnMut(usize, Record, Vec<<P as crate::protocol::Transition>::State>) -> ControlFlow<()> + 'a;

/// A trial on its way.
struct Running {
    /// Which of the seeds.
    index: usize,
    seed: u64,
    window: u64,
    /// The interactions before this window.
    steps: u64,
    change: Option<Change>,
    coins_read: u64,
}

/// The last change of output so far.
struct Change {
    window: u64,
    /// The interactions before that window.
    steps: u64,
    /// Time and edge of the interaction.
    tick: u64,
}

/// What lanes ask of the trials that they run, whatever the protocol: configurations are codes. So all that is compiled for each kind of word
/// is compiled once for all protocols that share a circuit.
trait Trials {
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

    /// Hands in a trial that is still running, as it is, even to somebody who has broken off.
    fn interrupt(&mut self, ring: &Running, now: &[u128]);
}

/// What trials have in common.
#[derive(Clone, Copy)]
struct About {
    ring: Ring,
    limit: u64,
    /// How many there are.
    trials: usize,
    /// How many sides a coin has.
    sides: u64,
}

/// What comes of asking for the next trial.
enum Next {
    Begins(Running, Vec<u128>),
    /// There is none left.
    Nothing,
    /// Somebody broke off.
    Stopped,
}

struct Runner<'a, L, C> {
    trials: &'a mut dyn Trials,
    block: Block<L, C>,
    /// The trial of every ring of the block.
    rings: Vec<Option<Running>>,
}

/// Runs all trials with this reading and circuit. If it is stopped, trials that were running end as interrupted ones.
fn run<L: Lanes, C: Circuit>(trials: &mut dyn Trials, observer: &dyn Observer, circuit: C) -> Result<(), Error> {
    let (mut runner, mut pace) = (Runner::<L, C>::new(trials, circuit), Pace::new(observer));
    // Trials begin before anybody is asked: a batch that is stopped at once tells of them, as the stepper does.
    while runner.fill()?.is_continue()
        && pace.ask(Progress::of(runner.steps())).is_continue()
        && runner.rings.iter().any(Option::is_some)
    {
        runner.spread();
        runner.open();
        if runner.window(&mut pace).is_break() || runner.close(&mut pace).is_break() {
            break;
        }
    }
    runner.interrupt();
    Ok(())
}

/// A block for so many trials.
fn block<L: Lanes, C: Circuit>(about: About, circuit: C, trials: usize) -> Block<L, C> {
    let layout = Layout::new(L::LANES, about.ring.n(), trials);
    let undirected = about.ring.orientation() == Orientation::Undirected;
    Block::new(circuit, layout, Chance { undirected, sides: about.sides })
}

impl<'a, L: Lanes, C: Circuit> Runner<'a, L, C> {
    fn new(trials: &'a mut dyn Trials, circuit: C) -> Self {
        let about = trials.about();
        let block = block(about, circuit, about.trials);
        let rings = (0..block.layout.rings).map(|_| None).collect();
        Self { trials, block, rings }
    }

    /// The interactions of all rings that run.
    fn steps(&self) -> u64 {
        self.rings.iter().flatten().map(|ring| ring.steps).sum()
    }

    /// Gives every free place the next trial.
    fn fill(&mut self) -> Result<ControlFlow<()>, Error> {
        let (mut configs, mut ran) = (Vec::new(), ControlFlow::Continue(()));
        for (k, ring) in self.rings.iter_mut().enumerate().filter(|(_, ring)| ring.is_none()) {
            match self.trials.next()? {
                Next::Begins(running, codes) => {
                    configs.push((k, codes));
                    *ring = Some(running);
                }
                Next::Nothing => break,
                Next::Stopped => {
                    ran = ControlFlow::Break(());
                    break;
                }
            }
        }
        if !configs.is_empty() {
            self.block.put(&configs);
        }
        Ok(ran)
    }

    /// Cuts the rings into more arcs if that fills lanes that would be idle.
    fn spread(&mut self) {
        let old: Vec<usize> = (0..self.rings.len()).filter(|&ring| self.rings[ring].is_some()).collect();
        let layout = Layout::new(L::LANES, self.block.layout.n, old.len());
        if layout.arcs <= self.block.layout.arcs {
            return;
        }
        let mut spread = block(self.trials.about(), self.block.circuit.clone(), old.len());
        let codes = self.block.codes(&self.block.planes, &old);
        spread.put(&codes.into_iter().enumerate().collect::<Vec<_>>());
        let mut rings: Vec<Option<Running>> = (0..layout.rings).map(|_| None).collect();
        for (to, from) in old.into_iter().enumerate() {
            rings[to] = self.rings[from].take();
        }
        (self.block, self.rings) = (spread, rings);
    }

    fn open(&mut self) {
        for (k, ring) in self.rings.iter().enumerate() {
            if let Some(ring) = ring {
                self.block.set_keys(k, &Keys::new(ring.seed, ring.window));
            }
        }
    }

    fn window(&mut self, pace: &mut Pace<'_>) -> ControlFlow<()> {
        let steps = self.steps();
        let ask = |visits| pace.did(visits * VISIT, Progress::of(steps));
        let mut window = Window { block: &mut self.block, ask, ran: ControlFlow::Continue(()) };
        L::work(&mut window);
        window.ran
    }

    /// Takes stock at the end of a window. If somebody breaks off, those that have not ended are where they were before it.
    fn close(&mut self, pace: &mut Pace<'_>) -> ControlFlow<()> {
        let safe = self.safe();
        for (k, safe) in safe.into_iter().enumerate() {
            if self.end(k, safe, pace).is_break() {
                self.block.planes.clone_from(&self.block.before);
                return ControlFlow::Break(());
            }
        }
        for (k, ring) in self.rings.iter_mut().enumerate() {
            let Some(ring) = ring else { continue };
            let changed = self.block.changed(k);
            if changed > 0 {
                ring.change = Some(Change { window: ring.window, steps: ring.steps, tick: changed });
            }
            ring.steps += self.block.counted(k);
            ring.coins_read += self.block.coins_read(k);
            ring.window += 1;
        }
        ControlFlow::Continue(())
    }

    /// Which rings are safe at the end of the window.
    fn safe(&self) -> Vec<bool> {
        let may_be: Vec<usize> =
            (0..self.rings.len()).filter(|&k| self.rings[k].is_some() && self.block.may_be_safe(k)).collect();
        let mut safe = vec![false; self.rings.len()];
        for (k, codes) in may_be.iter().zip(self.block.codes(&self.block.planes, &may_be)) {
            safe[*k] = self.trials.is_safe(&codes);
        }
        safe
    }

    /// Ends the trial of a ring, if it is safe now or at its limit.
    fn end(&mut self, k: usize, safe: bool, pace: &mut Pace<'_>) -> ControlFlow<()> {
        let Some(ring) = &self.rings[k] else { return ControlFlow::Continue(()) };
        let count = self.block.counted(k);
        if !safe && ring.steps + count < self.trials.about().limit {
            return ControlFlow::Continue(());
        }
        let before = self.block.codes(&self.block.before, &[k]);
        let finished = self.trials.finish(ring, &before[0], count, safe, pace);
        debug_assert!(!matches!(finished, Err(Halt::Schedule | Halt::Coins)), "a window ended early");
        let Ok(ran) = finished else { return ControlFlow::Break(()) };
        self.rings[k] = None;
        self.block.free(k);
        ran
    }

    fn interrupt(&mut self) {
        for (k, ring) in self.rings.iter().enumerate() {
            let Some(ring) = ring else { continue };
            self.trials.interrupt(ring, &self.block.codes(&self.block.planes, &[k])[0]);
        }
    }
}

/// The trials of a batch, whose states the circuit knows.
struct Coded<'a, 'b, P: Protocol, C> {
    batch: &'a Batch<'a, P>,
    circuit: &'a C,
    ended: &'a mut Ended<'b, P>,
    /// How many have begun.
    begun: usize,
}

impl<P: Protocol, C: Circuit<State = P::State>> Coded<'_, '_, P, C> {
    fn decoded(&self, ring: &[u128]) -> Vec<P::State> {
        ring.iter().map(|&code| self.circuit.decode(code)).collect()
    }
}

impl<P: Protocol, C: Circuit<State = P::State>> Trials for Coded<'_, '_, P, C> {
    fn about(&self) -> About {
        let Batch { protocol, ring, limit, seeds, .. } = *self.batch;
        About { ring, limit, trials: seeds.len(), sides: protocol.coins() }
    }

    fn next(&mut self) -> Result<Next, Error> {
        while let Some(&seed) = self.batch.seeds.get(self.begun) {
            let index = self.begun;
            let config = (self.batch.start)(seed)?;
            self.begun += 1;
            let safe = self.batch.protocol.is_safe(&config);
            if !safe && self.batch.limit > 0 {
                let codes = config.iter().map(|state| self.circuit.encode(state)).collect();
                let running = Running { index, seed, window: 0, steps: 0, change: None, coins_read: 0 };
                return Ok(Next::Begins(running, codes));
            }
            let record = self.batch.record(0, safe.then_some(0), 0, 0);
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

    fn interrupt(&mut self, ring: &Running, now: &[u128]) {
        let record = self.batch.record(ring.steps, None, self.batch.changed_before(ring), ring.coins_read);
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
        let clocks = Clocks::from_window(self.ring, ring.seed, ring.window);
        debug_assert_eq!(clocks.in_window() as u64, count, "the ring has fired all that its window holds");
        let mut stepper = Stepper::new(self.protocol.clone(), before, AnySchedule::Clocks(clocks));
        let mut tracker = Tracker::new(self.protocol, &[], &stepper.config);
        let most = count.min(self.limit - ring.steps);
        let exact = if safe { first_in(&stepper, count, &P::is_safe, pace)? } else { count };
        tracker.follow_output(&mut stepper, exact.min(most), pace)?;
        let changed = match tracker.last_output_change {
            0 => self.changed_before(ring),
            step => ring.steps + step,
        };
        let in_time = safe && exact <= most;
        let (steps, coins_read) = (ring.steps + exact.min(most), ring.coins_read + stepper.coins_read);
        Ok((self.record(steps, in_time.then_some(steps), changed, coins_read), stepper.config))
    }

    /// The last change of output before this window.
    fn changed_before(&self, ring: &Running) -> u64 {
        ring.change.as_ref().map_or(0, |change| {
            let clocks = Clocks::from_window(self.ring, ring.seed, change.window);
            change.steps + clocks.until((change.tick >> 32) as u32, change.tick as u32 as usize) as u64
        })
    }

    fn record(&self, steps: u64, safe: Option<u64>, last_output_change: u64, coins_read: u64) -> Record {
        Record {
            limit: self.limit,
            steps,
            safe,
            censored: safe.is_none(),
            interrupted: false,
            last_output_change,
            phases: Vec::new(),
            faults: Vec::new(),
            coins_read,
        }
    }
}

/// The words that a batch runs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// 64 lanes, on any processor.
    Portable,
    /// 256 lanes.
    Avx2,
    /// 512 lanes.
    Avx512,
}

impl Words {
    /// The widest words that the processor has.
    #[must_use]
    pub fn widest() -> Self {
        #[cfg(target_arch = "x86_64")]
        let (avx512, avx2) = (avx512::available(), avx2::available());
        #[cfg(not(target_arch = "x86_64"))]
        let (avx512, avx2) = (false, false);
        Self::widest_of(avx512, avx2)
    }

    /// The widest words of a processor that has these.
    fn widest_of(avx512: bool, avx2: bool) -> Self {
        if avx512 {
            Self::Avx512
        } else if avx2 {
            Self::Avx2
        } else {
            Self::Portable
        }
    }

    /// Whether the processor has them.
    #[must_use]
    pub fn available(self) -> bool {
        self as u8 <= Self::widest() as u8
    }

    /// How many lanes they have.
    #[must_use]
    pub fn lanes(self) -> usize {
        match self {
            Self::Portable => 64,
            Self::Avx2 => 256,
            Self::Avx512 => 512,
        }
    }
}

/// How many of `rings` rings of size `n` run at the same time in these words, and how many lanes they take.
#[must_use]
pub fn at_once(words: Words, n: usize, rings: usize) -> (usize, usize) {
    let layout = Layout::new(words.lanes(), n, rings);
    let running = layout.rings.min(rings);
    (running, running * layout.arcs)
}

/// Runs a batch with these words; with plain ones if the processor does not have them.
///
/// # Errors
/// If a start is refused.
pub(crate) fn run_in<P: Protocol>(
    batch: &Batch<'_, P>,
    circuit: impl Circuit<State = P::State>,
    words: Words,
    ended: &mut Ended<'_, P>,
) -> Result<(), Error> {
    let (core, mut trials) = (circuit.core().clone(), Coded { batch, circuit: &circuit, ended, begun: 0 });
    match words {
        #[cfg(target_arch = "x86_64")]
        Words::Avx512 if avx512::available() => run::<avx512::B512, _>(&mut trials, batch.observer, core),
        #[cfg(target_arch = "x86_64")]
        Words::Avx2 if avx2::available() => run::<avx2::B256, _>(&mut trials, batch.observer, core),
        _ => run::<u64, _>(&mut trials, batch.observer, core),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::WithCircuit;
    use crate::params::Params;
    use crate::protocol::uniform;
    use crate::protocols::ppl::{Ppl, State};
    use crate::random::{Stream, stream};

    /// Which seed, its record, its last configuration.
    type All = Vec<(usize, Record, Vec<State>)>;

    /// The records of one batch with every width of words that the processor has, in the order of the seeds.
    struct EveryWidth<'a>(&'a Batch<'a, Ppl>);

    impl WithCircuit<State> for EveryWidth<'_> {
        type Output = Vec<All>;

        fn with<C: Circuit<State = State>>(self, circuit: C) -> Self::Output {
            let run = |words| {
                let mut all = All::new();
                run_in(self.0, circuit.clone(), words, &mut |index, record, config| {
                    all.push((index, record, config));
                    ControlFlow::Continue(())
                })
                .unwrap();
                all.sort_by_key(|one| one.0);
                all
            };
            let words = [Words::Portable, Words::Avx2, Words::Avx512];
            words.into_iter().filter(|words| words.available()).map(run).collect()
        }
    }

    /// One processor cannot try this: the words of all processors.
    #[test]
    fn the_widest_words_that_a_processor_has_are_taken() {
        let of = [(false, false), (false, true), (true, false), (true, true)];
        let words = [Words::Portable, Words::Avx2, Words::Avx512, Words::Avx512];
        assert_eq!(of.map(|(avx512, avx2)| Words::widest_of(avx512, avx2)), words);
        assert_eq!(words.map(Words::lanes), [64, 256, 512, 512]);
        assert!(Words::Portable.available() && Words::widest().available());
    }

    /// With many rings every lane is a ring; with few or one they are cut into arcs, differently for every width.
    #[test]
    fn every_width_and_every_cut_gives_the_same_records_and_configurations() {
        for (n, trials) in [(3, 600), (6, 600), (11, 600), (30, 200), (64, 3), (77, 40), (131, 1), (200, 9)] {
            let ring = Ring::new(n, Orientation::Directed).unwrap();
            let protocol = Ppl::new(ring, &Params::default().with("kappa", 5)).unwrap();
            let seeds: Vec<u64> = (0..trials).collect();
            let start = |seed| Ok(uniform(&protocol, ring, &mut stream(seed, Stream::Start)));
            let batch =
                Batch { protocol: &protocol, ring, limit: 100_000, seeds: &seeds, start: &start, observer: &() };
            let all = protocol.with_circuit(EveryWidth(&batch)).unwrap();
            assert_eq!(all[0].len(), seeds.len());
            assert!(all.iter().all(|width| *width == all[0]), "n {n}");
        }
    }
}
