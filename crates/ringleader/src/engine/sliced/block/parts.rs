//! For benchmarks, behind the feature `bench-parts`: windows of a batch with a stamp after each, and the parts of a window alone.
//!
//! What is counted is what the engine has fired, never what a window should hold.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use super::{Block, Chance, is_coarse};
use crate::circuit::{Circuit, Task};
use crate::clocks::Keys;
use crate::engine::sliced::layout::Layout;
use crate::engine::sliced::{Batch, Words, run_in};
use crate::error::Error;
use crate::observer::{Observer, Progress};
use crate::protocol::Protocol;
use crate::ring::Ring;
use crate::simd::Lanes;
#[cfg(target_arch = "x86_64")]
use crate::simd::{avx2, avx512};

/// Trials that differ in their seeds only, from one configuration.
#[derive(Clone, Copy, Debug)]
pub struct Trials<'a, P: Protocol> {
    /// The protocol.
    pub protocol: &'a P,
    /// The ring.
    pub ring: Ring,
    /// The initial configuration.
    pub start: &'a [P::State],
    /// The seeds.
    pub seeds: &'a [u64],
}

impl<P: Protocol> Trials<'_, P> {
    /// Runs the trials as any batch is run, a window of all lanes after the other, until `enough` of windows and interactions or
    /// all are safe. Before each window, and at the end, there is a stamp, and how many interactions the trials have behind them.
    ///
    /// # Errors
    /// If the engine refuses the batch.
    pub fn stamped<T: Send>(
        &self,
        circuit: impl Circuit<State = P::State>,
        words: Words,
        enough: impl Fn(usize, u64) -> bool + Sync,
        stamp: impl Fn() -> T + Sync,
    ) -> Result<Vec<(u64, T)>, Error> {
        let stamps = Stamps { enough, stamp, finished: AtomicU64::new(0), stamps: Mutex::new(Vec::new()) };
        let (start, limit) = (|_| Ok(self.start.to_vec()), u64::MAX);
        let Self { protocol, ring, seeds, .. } = *self;
        let batch = Batch { protocol, ring, limit, seeds, start: &start, phases: None, observer: &stamps };
        run_in(&batch, circuit, words, &mut |_, record, _| {
            stamps.finished.fetch_add(if record.interrupted { 0 } else { record.steps }, Relaxed);
            ControlFlow::Continue(())
        })?;
        Ok(stamps.stamps.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Stamps between windows.
struct Stamps<E, S, T> {
    enough: E,
    stamp: S,
    /// The interactions of trials that have ended.
    finished: AtomicU64,
    stamps: Mutex<Vec<(u64, T)>>,
}

impl<E: Fn(usize, u64) -> bool + Sync, S: Fn() -> T + Sync, T: Send> Observer for Stamps<E, S, T> {
    fn progress(&self, progress: Progress<'_>) -> ControlFlow<()> {
        let mut stamps = self.stamps.lock().unwrap_or_else(PoisonError::into_inner);
        let steps = self.finished.load(Relaxed) + progress.steps;
        // Asked in the middle of a window.
        if stamps.last().is_some_and(|(last, _)| *last == steps) {
            return ControlFlow::Continue(());
        }
        stamps.push((steps, (self.stamp)()));
        if (self.enough)(stamps.len() - 1, steps) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// A part of the engine on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Times are drawn, in all lanes.
    Draw,
    /// Times race, and are drawn where they fire.
    Schedule,
    /// Agents interact, in every third lane.
    Transition,
    /// Whole windows with nobody looking, a window for every hundred sweeps.
    Windows,
    /// Whole windows with the looks that a record needs.
    Looks,
}

/// Does a part of the engine this many times for each edge of directed rings of `n` agents, one in every lane. Returns how many
/// draws or interactions that makes; `None` if the processor does not have these words.
#[must_use]
pub fn alone(part: Part, circuit: impl Circuit, n: usize, words: Words, sweeps: usize) -> Option<u64> {
    match words {
        Words::Portable => Some(Alone::<u64, _>::new(part, circuit, n, sweeps).run()),
        #[cfg(target_arch = "x86_64")]
        Words::Avx2 if avx2::available() => Some(Alone::<avx2::B256, _>::new(part, circuit, n, sweeps).run()),
        #[cfg(target_arch = "x86_64")]
        Words::Avx512 if avx512::available() => Some(Alone::<avx512::B512, _>::new(part, circuit, n, sweeps).run()),
        _ => None,
    }
}

/// A part of the engine, done once for every edge in each of some sweeps. Nothing comes of it but the time it takes.
struct Alone<L, C> {
    block: Block<L, C>,
    part: Part,
    sweeps: usize,
    /// How many times were drawn, or interactions scheduled or computed.
    done: u64,
}

impl<L: Lanes, C: Circuit> Alone<L, C> {
    fn new(part: Part, circuit: C, n: usize, sweeps: usize) -> Self {
        let layout = Layout::with_arcs(L::LANES, n, 1);
        let mut block = Block::new(circuit, layout, Chance { undirected: false, sides: 1, asks: false });
        (0..layout.rings).for_each(|ring| block.set_keys(ring, &Keys::new(ring as u64, 0)));
        block.busy = L::ONE;
        Self { block, part, sweeps, done: 0 }
    }

    fn run(mut self) -> u64 {
        L::work(&mut self);
        self.done
    }

    /// The number of interactions that were fired since the window was opened.
    fn fired(&self) -> u64 {
        (0..self.block.layout.rings).map(|ring| self.block.counted(ring)).sum()
    }

    #[inline(always)]
    fn visit(&mut self, j: usize, third: L, coarsely: bool) {
        let block = &mut self.block;
        match self.part {
            Part::Draw => L::redraw(L::ONE, block.times.row_mut(j + 1), block.keys.of(j)),
            Part::Schedule => {
                if j == 0 || block.is_at_an_end(j) {
                    block.mirror_times(j, coarsely);
                }
                let fires = block.race(j, coarsely);
                L::redraw(fires, block.times.row_mut(j + 1), block.keys.of(j));
                block.tally(fires);
            }
            Part::Transition => {
                let changed = block.interact(j, third);
                block.bad = block.bad | changed;
            }
            Part::Windows | Part::Looks => {}
        }
    }

    #[inline(always)]
    fn windows(&mut self) {
        for _ in 0..self.sweeps.div_ceil(100) {
            let _ = self.block.window(self.part == Part::Looks, |_| ControlFlow::Continue(()));
            self.done += self.fired();
        }
    }

    #[inline(always)]
    fn sweep(&mut self) {
        self.block.open();
        let third = L::from_words(&[0x9249_2492_4924_9249; 8][..L::LANES / 64]);
        for sweep in 0..self.sweeps {
            for k in 0..self.block.order.len() {
                self.visit(self.block.order[k] as usize, third, is_coarse(sweep));
            }
        }
        self.block.count();
        let visits = (self.sweeps * self.block.layout.slots * L::LANES) as u64;
        self.done = match self.part {
            Part::Draw => visits,
            Part::Transition => visits / 3,
            _ => self.fired(),
        };
    }
}

impl<L: Lanes, C: Circuit> Task for Alone<L, C> {
    #[inline(always)]
    fn go(&mut self) {
        if matches!(self.part, Part::Windows | Part::Looks) { self.windows() } else { self.sweep() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::stepper::Stepper;
    use crate::params::Params;
    use crate::protocols::ppl::{Ppl, State, circuit::PplCircuit};
    use crate::ring::Orientation;
    use crate::schedule::Clocks;

    fn available() -> impl Iterator<Item = Words> {
        [Words::Portable, Words::Avx2, Words::Avx512].into_iter().filter(|words| words.available())
    }

    /// What the schedules of these seeds hold in their first windows, as the stepper reads them.
    fn held(ring: Ring, seeds: &[u64], windows: usize) -> u64 {
        let held =
            |&seed: &u64| (0..windows).map(move |window| Clocks::from_window(ring, seed, window as u64).in_window());
        seeds.iter().flat_map(held).sum::<usize>() as u64
    }

    /// Whole rings and arcs, in every width: the numbers that a benchmark divides by time are those of the schedules.
    #[test]
    fn stamps_count_what_the_windows_hold() {
        for (n, trials) in [(12, 70), (64, 3), (130, 1)] {
            let ring = Ring::new(n, Orientation::Directed).unwrap();
            let protocol = Ppl::new(ring, &Params::default().with("kappa", 300)).unwrap();
            let (start, seeds) = (vec![State::default(); n], (5..5 + trials).collect::<Vec<u64>>());
            let trials = Trials { protocol: &protocol, ring, start: &start, seeds: &seeds };
            for words in available() {
                let circuit = PplCircuit::<3, 9>::new(&protocol).unwrap();
                let running = &seeds[..seeds.len().min(words.lanes())];
                let stamps = trials.stamped(circuit, words, |windows, _| windows == 4, || ()).unwrap();
                let counted: Vec<u64> = stamps.iter().map(|(steps, ())| *steps).collect();
                let expected: Vec<u64> = (0..=4).map(|windows| held(ring, running, windows)).collect();
                assert_eq!(counted, expected, "n {n}, {words:?}");
            }
        }
    }

    /// With trials that finish on the way: the last count is the sum of the stepper's own.
    #[test]
    fn the_last_stamp_counts_the_steps_of_all_trials() {
        let ring = Ring::new(6, Orientation::Directed).unwrap();
        let protocol = Ppl::new(ring, &Params::default().with("kappa", 5)).unwrap();
        let (start, seeds) = (vec![State::default(); 6], (0..100).collect::<Vec<u64>>());
        let steps = |&seed: &u64| {
            let mut stepper = Stepper::new(protocol, start.clone(), Clocks::new(ring, seed));
            while !protocol.is_safe(&stepper.config) {
                stepper.advance(1).unwrap();
            }
            stepper.steps
        };
        let expected: u64 = seeds.iter().map(steps).sum();
        let trials = Trials { protocol: &protocol, ring, start: &start, seeds: &seeds };
        for words in available() {
            let circuit = PplCircuit::<3, 9>::new(&protocol).unwrap();
            let stamps = trials.stamped(circuit, words, |_, _| false, || ()).unwrap();
            assert_eq!(stamps.last(), Some(&(expected, ())), "{words:?}");
        }
    }

    /// The same windows alone: a ring in every lane, whose keys are those of the seeds from 0 on.
    #[test]
    fn windows_alone_count_what_they_hold() {
        let ring = Ring::new(24, Orientation::Directed).unwrap();
        let protocol = Ppl::new(ring, &Params::default()).unwrap();
        for words in available() {
            let seeds: Vec<u64> = (0..words.lanes() as u64).collect();
            let circuit = PplCircuit::<3, 9>::new(&protocol).unwrap();
            for part in [Part::Windows, Part::Looks] {
                let counted = alone(part, circuit, 24, words, 100);
                assert_eq!(counted, Some(held(ring, &seeds, 1)), "{part:?}, {words:?}");
            }
        }
    }
}
