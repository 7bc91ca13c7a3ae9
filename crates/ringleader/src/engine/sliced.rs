//! Many rings at once: every lane of a word is a ring, or an arc of one.
//!
//! The idea:
//! ```text
//! for each window of trial time:
//!     start the clocks of all edges in all lanes
//!     until no clock has a tick left in the window:
//!         for each edge: in the lanes where its time precedes both neighbours': interact, go on to the next time
//!     count the interactions of each ring, note the last change of output
//!     of rings whose phases are asked for: replay the window in the clear form if leaders changed or a phase may have been entered
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
use crate::blueprint::Phase;
use crate::circuit::Circuit;
use crate::clocks::Keys;
use crate::error::Error;
use crate::observer::{Observer, Pace, Progress};
use crate::protocol::{Protocol, leaders};
use crate::ring::{Orientation, Ring};
use crate::schedule::{AnySchedule, Clocks};
use crate::simd::Lanes;
#[cfg(target_arch = "x86_64")]
use crate::simd::{avx2, avx512};
use crate::trial::{Reached, Record};
use crate::value::Text;

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
    /// The phases that are asked for; `None` if nobody wants to know.
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
    /// Whether an open phase may be entered where there is a leader or none: it is still sought, and may hold.
    fn may_open(&self, tracker: &Tracker, led: bool, protocol: &P, ring: Ring) -> bool {
        let sought = self.sought(tracker, led, protocol, ring);
        sought.into_iter().any(|k| self.all[k].open.is_some())
    }

    /// The phases that have not been met and may hold where there is a leader or none.
    fn sought(&self, tracker: &Tracker, led: bool, protocol: &P, ring: Ring) -> Vec<usize> {
        let may = |&k: &usize| tracker.phases[k].is_none() && (led || !self.all[k].needs_leader(protocol, ring));
        (0..self.all.len()).filter(may).collect()
    }

    /// Whether hardly any window of a ring that begins so needs to be replayed: there is no leader, and what is worth a look at every
    /// step asks for one.
    pub(crate) fn can_wait(&self, protocol: &P, ring: Ring, config: &[P::State]) -> bool {
        let open = |phase: &&Phase<P>| phase.open.is_some();
        leaders(protocol, config).is_empty()
            && self.all.iter().filter(open).all(|phase| phase.needs_leader(protocol, ring))
    }

    fn reached(&self, tracker: &Tracker, safe: Option<u64>) -> Vec<Reached> {
        tracker.reached(self.all, self.elects, &self.safe, safe)
    }
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
    /// What is known of its phases; of no use if nobody asks for them.
    tracker: Tracker,
}

/// The last change of output so far.
struct Change {
    window: u64,
    /// The interactions before that window.
    steps: u64,
    /// Time and edge of the interaction.
    tick: u64,
}

struct Runner<'a, P: Protocol, L, C> {
    batch: &'a Batch<'a, P>,
    block: Block<L, C>,
    /// The trial of every ring of the block.
    rings: Vec<Option<Running>>,
    /// What is known of the phases of each at the end of the window that is looked at.
    seen: Vec<Tracker>,
    next: usize,
}

/// Runs all trials of a batch with this reading and circuit. If it is stopped, trials that were running end as interrupted ones.
///
/// # Errors
/// If a start is refused.
pub(crate) fn run<P, L, C>(batch: &Batch<'_, P>, circuit: C, ended: &mut Ended<'_, P>) -> Result<(), Error>
where
    P: Protocol,
    L: Lanes,
    C: Circuit<State = P::State>,
{
    let layout = Layout::new(L::LANES, batch.ring.n(), batch.seeds.len());
    let (mut runner, mut pace) = (Runner::<P, L, C>::new(batch, circuit, layout), Pace::new(batch.observer));
    // Trials begin before anybody is asked: a batch that is stopped at once tells of them, as the stepper does.
    while runner.fill(ended)?.is_continue()
        && pace.ask(Progress::of(runner.steps())).is_continue()
        && runner.rings.iter().any(Option::is_some)
    {
        runner.spread();
        runner.open();
        if runner.window(&mut pace).is_break() || runner.close(ended, &mut pace).is_break() {
            break;
        }
    }
    runner.interrupt(ended);
    Ok(())
}

impl<'a, P: Protocol, L: Lanes, C: Circuit<State = P::State>> Runner<'a, P, L, C> {
    fn new(batch: &'a Batch<'a, P>, circuit: C, layout: Layout) -> Self {
        let undirected = batch.ring.orientation() == Orientation::Undirected;
        let chance = Chance { undirected, sides: batch.protocol.coins() };
        let block = Block::new(circuit, layout, chance);
        let nothing = Tracker::new(batch.protocol, &[], &[]);
        Self {
            batch,
            block,
            rings: (0..layout.rings).map(|_| None).collect(),
            seen: vec![nothing; layout.rings],
            next: 0,
        }
    }

    /// The interactions of all rings that run.
    fn steps(&self) -> u64 {
        self.rings.iter().flatten().map(|ring| ring.steps).sum()
    }

    /// Gives every free place the next trial that is not over before it begins.
    fn fill(&mut self, ended: &mut Ended<'_, P>) -> Result<ControlFlow<()>, Error> {
        let mut configs = Vec::new();
        for ring in 0..self.rings.len() {
            while self.rings[ring].is_none() && self.next < self.batch.seeds.len() {
                let (index, seed) = (self.next, self.batch.seeds[self.next]);
                let config = (self.batch.start)(seed)?;
                self.next += 1;
                let safe = self.batch.protocol.is_safe(&config);
                let tracker = Tracker::new(self.batch.protocol, self.batch.phases(), &config);
                if safe || self.batch.limit == 0 {
                    let record = self.batch.record(0, safe.then_some(0), 0, 0, &tracker);
                    if ended(index, record, config).is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                    continue;
                }
                configs.push((ring, config.iter().map(|state| self.block.circuit.encode(state)).collect()));
                let running = Running { index, seed, window: 0, steps: 0, change: None, coins_read: 0, tracker };
                self.rings[ring] = Some(running);
            }
        }
        if !configs.is_empty() {
            self.block.put(&configs);
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Cuts the rings into more arcs if that fills lanes that would be idle.
    fn spread(&mut self) {
        let running = self.rings.iter().flatten().count();
        let layout = Layout::new(L::LANES, self.batch.ring.n(), running);
        if layout.arcs <= self.block.layout.arcs {
            return;
        }
        let mut spread = Self::new(self.batch, self.block.circuit.clone(), layout);
        spread.next = self.next;
        let old: Vec<usize> = (0..self.rings.len()).filter(|&ring| self.rings[ring].is_some()).collect();
        let codes = |&ring: &usize| self.block.codes(&self.block.planes, ring).collect();
        let configs: Vec<(usize, Vec<u128>)> = old.iter().map(codes).enumerate().collect();
        spread.block.put(&configs);
        for (to, from) in old.into_iter().enumerate() {
            spread.rings[to] = self.rings[from].take();
        }
        *self = spread;
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
    fn close(&mut self, ended: &mut Ended<'_, P>, pace: &mut Pace<'_>) -> ControlFlow<()> {
        for k in 0..self.rings.len() {
            if self.end(k, ended, pace).is_break() || self.watch(k, pace).is_break() {
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
            ring.tracker.clone_from(&self.seen[k]);
        }
        ControlFlow::Continue(())
    }

    /// Follows the phases of a ring through the window, if anything of them may have happened in it. If somebody breaks off, the window has
    /// not been, so what was seen is kept apart until all rings are through.
    fn watch(&mut self, k: usize, pace: &mut Pace<'_>) -> ControlFlow<()> {
        let (Some(ring), Some(phases)) = (&self.rings[k], &self.batch.phases) else { return ControlFlow::Continue(()) };
        let (changed, led) = (self.block.changed(k) > 0, self.block.is_led(k));
        let (protocol, on) = (self.batch.protocol, self.batch.ring);
        self.seen[k].clone_from(&ring.tracker);
        // Where no output changes, leaders at the end are leaders all the time.
        let mut matters = changed && (phases.elects || phases.may_open(&ring.tracker, true, protocol, on));
        matters |= phases.may_open(&ring.tracker, led, protocol, on);
        if !matters {
            let sought = phases.sought(&ring.tracker, led, protocol, on);
            let entered = |config: &[P::State]| sought.iter().any(|&k| (phases.all[k].holds)(protocol, config));
            matters = !sought.is_empty() && entered(&self.block.read(&self.block.planes, k));
        }
        if !matters {
            return ControlFlow::Continue(());
        }
        let count = self.block.counted(k);
        let mut stepper = self.batch.at_window(ring, self.block.read(&self.block.before, k));
        match self.batch.follow(&mut stepper, &mut self.seen[k], count, pace) {
            Err(Halt::Stopped) => ControlFlow::Break(()),
            ran => {
                debug_assert_eq!(ran, Ok(()), "a window ended early");
                ControlFlow::Continue(())
            }
        }
    }

    /// Ends the trial of a ring, if it is safe now or at its limit.
    fn end(&mut self, k: usize, ended: &mut Ended<'_, P>, pace: &mut Pace<'_>) -> ControlFlow<()> {
        let Some(ring) = &self.rings[k] else { return ControlFlow::Continue(()) };
        let count = self.block.counted(k);
        let safe = self.block.may_be_safe(k) && self.batch.protocol.is_safe(&self.block.read(&self.block.planes, k));
        if !safe && ring.steps + count < self.batch.limit {
            return ControlFlow::Continue(());
        }
        let before = self.block.read(&self.block.before, k);
        let finished = self.batch.finish(ring, before, count, safe, pace);
        debug_assert!(!matches!(finished, Err(Halt::Schedule | Halt::Coins)), "a window ended early");
        let Ok((record, config)) = finished else { return ControlFlow::Break(()) };
        let index = ring.index;
        self.rings[k] = None;
        self.block.free(k);
        ended(index, record, config)
    }

    /// Hands in what is still running, as it is, even to somebody who has broken off.
    fn interrupt(&self, ended: &mut Ended<'_, P>) {
        for (k, ring) in self.rings.iter().enumerate() {
            let Some(ring) = ring else { continue };
            let changed = self.batch.changed_before(ring);
            let record = self.batch.record(ring.steps, None, changed, ring.coins_read, &ring.tracker);
            let record = Record { censored: false, interrupted: true, ..record };
            let _ = ended(ring.index, record, self.block.read(&self.block.planes, k));
        }
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
        let mut stepper = self.at_window(ring, before);
        let mut tracker = ring.tracker.clone();
        let most = count.min(self.limit - ring.steps);
        let exact = if safe { first_in(&stepper, count, &P::is_safe, pace)? } else { count };
        self.follow(&mut stepper, &mut tracker, exact.min(most), pace)?;
        let changed = match tracker.last_output_change {
            step if step > ring.steps => step,
            _ => self.changed_before(ring),
        };
        let (in_time, steps) = (safe && exact <= most, stepper.steps);
        Ok((self.record(steps, in_time.then_some(steps), changed, stepper.coins_read, &tracker), stepper.config))
    }

    /// The ring in the clear form, at the beginning of its window.
    fn at_window(&self, ring: &Running, before: Vec<P::State>) -> Stepper<P, AnySchedule> {
        let clocks = Clocks::from_window(self.ring, ring.seed, ring.window);
        let mut stepper = Stepper::new(self.protocol.clone(), before, AnySchedule::Clocks(clocks));
        (stepper.steps, stepper.coins_read) = (ring.steps, ring.coins_read);
        stepper
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

    /// The last change of output before this window.
    fn changed_before(&self, ring: &Running) -> u64 {
        ring.change.as_ref().map_or(0, |change| {
            let clocks = Clocks::from_window(self.ring, ring.seed, change.window);
            change.steps + clocks.until((change.tick >> 32) as u32, change.tick as u32 as usize) as u64
        })
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
    match words {
        #[cfg(target_arch = "x86_64")]
        Words::Avx512 if avx512::available() => run::<P, avx512::B512, _>(batch, circuit, ended),
        #[cfg(target_arch = "x86_64")]
        Words::Avx2 if avx2::available() => run::<P, avx2::B256, _>(batch, circuit, ended),
        _ => run::<P, u64, _>(batch, circuit, ended),
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
            let batch = Batch {
                protocol: &protocol,
                ring,
                limit: 100_000,
                seeds: &seeds,
                start: &start,
                phases: None,
                observer: &(),
            };
            let all = protocol.with_circuit(EveryWidth(&batch)).unwrap();
            assert_eq!(all[0].len(), seeds.len());
            assert!(all.iter().all(|width| *width == all[0]), "n {n}");
        }
    }
}
