//! Many rings at once: every lane of a word is a ring, or an arc of one.
//!
//! The idea:
//! ```text
//! for each window of trial time:
//!     start the clocks of all edges in all lanes
//!     until no clock has a tick left in the window:
//!         for each edge: in the lanes where its time precedes both neighbours': interact, go on to the next time
//!     count the interactions of each ring, note the last change of output
//!     rings of which phases are asked for: replay the window in the clear form if leaders changed or a phase may have been entered
//!     rings that look safe: check; if safe, replay this window in the clear form for the exact step
//!     rings that are done make room for the next trial; when there are none left, the others are cut into more arcs
//! ```
//! Interactions on edges that are not neighbours commute, so a ring sees exactly the execution of its trial's schedule
//! ([`crate::clocks`]), whatever the order of the visits, the number of lanes and arcs, and the other rings. Records are those of
//! the stepper under `--scheduler clocks`, to the bit.

use std::ops::ControlFlow;

use super::stepper::Halt;
use crate::circuit::Circuit;
use crate::clocks::Keys;
use crate::error::Error;
use crate::observer::{Observer, Pace, Progress};
use crate::protocol::Protocol;
use crate::ring::Orientation;
use crate::simd::Lanes;
#[cfg(target_arch = "x86_64")]
use crate::simd::{avx2, avx512};

mod block;
mod layout;
mod trials;

use block::{Block, Chance, Window};
use layout::Layout;
use trials::{About, Change, Coded, Next, Replayed, Running, Trials, Watch};
pub(crate) use trials::{Batch, Ended, Phases};

#[cfg(any(test, feature = "bench-parts"))]
pub use block::parts;

/// To visit an edge in all lanes is about as much work as so many interactions of the stepper.
const VISIT: u64 = 4;

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
    Block::new(circuit, layout, Chance { undirected, sides: about.sides, asks: about.oracle.is_some() })
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
        let Ok(replayed) = self.replay(pace) else {
            self.block.planes.clone_from(&self.block.before);
            return ControlFlow::Break(());
        };
        let safe = self.safe(&replayed);
        for (k, safe) in safe.into_iter().enumerate() {
            if self.end(k, safe, pace).is_break() {
                self.block.planes.clone_from(&self.block.before);
                return ControlFlow::Break(());
            }
        }
        for ((k, ring), replayed) in self.rings.iter_mut().enumerate().zip(replayed) {
            let Some(ring) = ring else { continue };
            let count = self.block.counted(k);
            let tick = |tick: u64| Change::Tick { window: ring.window, steps: ring.steps, tick };
            let (change, coins_read, leaderless) = match replayed {
                Some(all) => {
                    ring.tracker = all.tracker;
                    (all.change.map(Change::Step), all.coins_read, all.leaderless)
                }
                None => {
                    let leaderless = if self.block.had_no_leader(k) { ring.leaderless + count } else { 0 };
                    let changed = self.block.changed(k);
                    ((changed > 0).then(|| tick(changed)), self.block.coins_read(k), leaderless)
                }
            };
            ring.change = change.unwrap_or(ring.change);
            ring.leaderless = leaderless;
            ring.steps += count;
            ring.coins_read += coins_read;
            ring.window += 1;
        }
        ControlFlow::Continue(())
    }

    /// Runs windows again in the clear form of which the lanes do not know enough.
    fn replay(&mut self, pace: &mut Pace<'_>) -> Result<Vec<Option<Replayed>>, Halt> {
        let mut replayed: Vec<Option<Replayed>> = self.rings.iter().map(|_| None).collect();
        let doubtful: Vec<usize> = (0..self.rings.len()).filter(|&k| self.is_doubtful(k)).collect();
        let mut again = [&doubtful[..], &self.watched(&doubtful)].concat();
        again.sort_unstable();
        if again.is_empty() {
            return Ok(replayed);
        }
        let mut configs = Vec::new();
        for (&k, before) in again.iter().zip(self.block.codes(&self.block.before, &again)) {
            let Some(ring) = &self.rings[k] else { continue };
            let mut window = self.trials.replay(ring, &before, self.block.counted(k), pace)?;
            configs.push((k, std::mem::take(&mut window.now)));
            replayed[k] = Some(window);
        }
        configs.retain(|(k, _)| doubtful.contains(k));
        if !configs.is_empty() {
            self.block.put(&configs);
        }
        Ok(replayed)
    }

    /// In lanes the oracle always answers that there is a leader: whether that may not have been so in this window.
    fn is_doubtful(&self, k: usize) -> bool {
        let Some(delay) = self.trials.about().oracle else { return false };
        let waits = |ring: &Running| self.block.had_no_leader(k) && ring.leaderless + self.block.counted(k) <= delay;
        self.rings[k].as_ref().is_some_and(|ring| !self.block.had_leader(k) && !waits(ring))
    }

    /// The rings, but for those left out, in whose phases something may have happened.
    fn watched(&self, out: &[usize]) -> Vec<usize> {
        let (mut all, mut look) = (Vec::new(), Vec::new());
        for (k, ring) in self.rings.iter().enumerate().filter(|(k, _)| !out.contains(k)) {
            let Some(ring) = ring else { continue };
            match self.trials.watch(ring, self.block.changed(k) > 0, self.block.is_led(k)) {
                Watch::Nothing => {}
                Watch::End => look.push(k),
                Watch::Steps => all.push(k),
            }
        }
        if !look.is_empty() {
            let ends = self.block.codes(&self.block.planes, &look);
            let entered =
                |k: usize, end: &[u128]| self.rings[k].as_ref().is_some_and(|ring| self.trials.has_entered(ring, end));
            all.extend(look.into_iter().zip(&ends).filter(|(k, end)| entered(*k, end)).map(|(k, _)| k));
        }
        all
    }

    /// Which rings are safe at the end of the window. Of those that were replayed for the oracle the lanes know nothing.
    fn safe(&self, replayed: &[Option<Replayed>]) -> Vec<bool> {
        let asks = self.trials.about().oracle.is_some();
        let unknown = |k: usize| asks && replayed[k].is_some();
        let may_be = |&k: &usize| self.rings[k].is_some() && (unknown(k) || self.block.may_be_safe(k));
        let may_be: Vec<usize> = (0..self.rings.len()).filter(may_be).collect();
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
    use crate::ring::Ring;
    use crate::trial::Record;

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
