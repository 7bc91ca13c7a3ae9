//! Many rings at once: every lane of a word is a ring.
//!
//! The idea:
//! ```text
//! for each window of trial time:
//!     start the clocks of all edges in all lanes
//!     until no clock has a ring left in the window:
//!         for each edge: in the lanes where its time precedes both neighbours': interact, draw the next time
//!     count the interactions of each lane, note the last change of output
//!     in lanes that look safe: check; if safe, replay this window in the clear form for the exact step
//!     lanes that are done take the next trial
//! ```
//! Interactions on edges that are not neighbours commute, so a lane sees exactly the execution of its trial's schedule
//! ([`crate::clocks`]), whatever the order of the visits, the number of lanes, and the other lanes. Records are those of the
//! stepper under `--scheduler clocks`, to the bit.

use std::ops::ControlFlow;

use super::hitting::first_in;
use super::lanes::{LaneKeys, Lanes, Task, edge_keys, for_each_lane};
use super::stepper::Stepper;
use super::tracker::Tracker;
use crate::circuit::Circuit;
use crate::clocks::{Keys, START, color};
use crate::error::Error;
use crate::protocol::Protocol;
use crate::ring::Ring;
use crate::schedule::Clocks;
use crate::trial::Record;

/// Numbers in a cache-aligned array, a row for every edge.
struct Rows {
    numbers: Vec<u32>,
    start: usize,
    width: usize,
}

impl Rows {
    fn new(rows: usize, width: usize) -> Self {
        let numbers = vec![0; rows * width + 16];
        // If no aligned place is found, an unaligned one is only slower.
        let start = numbers.as_ptr().align_offset(64).min(16);
        Self { numbers, start, width }
    }

    #[inline(always)]
    fn row(&self, k: usize) -> &[u32] {
        let start = self.start + k * self.width;
        &self.numbers[start..start + self.width]
    }

    #[inline(always)]
    fn row_mut(&mut self, k: usize) -> &mut [u32] {
        let start = self.start + k * self.width;
        &mut self.numbers[start..start + self.width]
    }
}

/// The keys of every lane in one window.
struct KeyRows {
    n: usize,
    base: Rows,
    salt: Rows,
    ranks: [Rows; 3],
}

impl KeyRows {
    fn new(n: usize, lanes: usize) -> Self {
        let row = || Rows::new(1, lanes);
        Self { n, base: row(), salt: row(), ranks: [row(), row(), row()] }
    }

    fn set(&mut self, lane: usize, keys: &Keys) {
        self.base.row_mut(0)[lane] = keys.base;
        self.salt.row_mut(0)[lane] = keys.salt;
        (0..3).for_each(|c| self.ranks[c].row_mut(0)[lane] = keys.ranks[c]);
    }

    #[inline(always)]
    fn of(&self, e: usize) -> LaneKeys<'_> {
        let rank = self.ranks[color(e, self.n)].row(0);
        LaneKeys { base: self.base.row(0), salt: self.salt.row(0), rank, edge: edge_keys(e) }
    }
}

/// How many planes the count of a window has: 2^20 agents ring some 2^27 times, never 2^40.
const COUNT: usize = 40;

/// The rings of all lanes, and their clocks in one window.
struct Block<L, C> {
    circuit: C,
    n: usize,
    /// The planes of agent after agent.
    planes: Vec<L>,
    /// The planes at the beginning of the window.
    before: Vec<L>,
    /// Lanes that have a ring.
    busy: L,
    times: Rows,
    keys: KeyRows,
    /// The order in which edges are visited: 0 2 1 4 3 6 5 ..., in which most of them find their time come.
    order: Vec<u32>,
    /// Edges whose clock still runs in some lane.
    running: Vec<bool>,
    /// How often each lane has fired in this window, in planes.
    count: [L; COUNT],
    /// Time and edge of the last change of output in this window, by lane; 0 if there was none.
    changed: Vec<u64>,
    /// Lanes that may be safe at the end of the window.
    hopeful: L,
}

impl<L: Lanes, C: Circuit> Block<L, C> {
    fn new(circuit: C, n: usize) -> Self {
        let planes = vec![L::ZERO; n * circuit.planes()];
        let pairs = (2..n as u32).step_by(2).flat_map(|e| [e, e - 1]);
        let last = n.is_multiple_of(2).then_some(n as u32 - 1);
        Self {
            circuit,
            n,
            before: planes.clone(),
            planes,
            busy: L::ZERO,
            times: Rows::new(n, L::LANES),
            keys: KeyRows::new(n, L::LANES),
            order: std::iter::once(0).chain(pairs).chain(last).collect(),
            running: vec![true; n],
            count: [L::ZERO; COUNT],
            changed: vec![0; L::LANES],
            hopeful: L::ZERO,
        }
    }

    /// Puts a configuration into a lane.
    fn put(&mut self, lane: usize, codes: impl Iterator<Item = u128>) {
        let planes = self.circuit.planes();
        for (agent, code) in self.planes.chunks_mut(planes).zip(codes) {
            for (p, plane) in agent.iter_mut().enumerate() {
                *plane = with_lane(*plane, lane, code >> p & 1 == 1);
            }
        }
        self.busy = with_lane(self.busy, lane, true);
    }

    /// Reads a lane out of planes.
    fn read(&self, planes: &[L], lane: usize) -> Vec<C::State> {
        let code = |agent: &[L]| {
            let bit = |(p, plane): (usize, &L)| u128::from(has_lane(*plane, lane)) << p;
            agent.iter().enumerate().map(bit).fold(0, |code, bit| code | bit)
        };
        planes.chunks(self.circuit.planes()).map(|agent| self.circuit.decode(code(agent))).collect()
    }

    /// The number of interactions of a lane in this window.
    fn counted(&self, lane: usize) -> u64 {
        (0..COUNT).map(|k| u64::from(has_lane(self.count[k], lane)) << k).sum()
    }

    /// Draws the first ring of every clock; lanes without a ring never fire.
    #[inline(always)]
    fn open(&mut self) {
        for e in 0..self.n {
            let times = self.times.row_mut(e);
            times.fill(START);
            L::redraw(self.busy, times, self.keys.of(e));
        }
        self.before.clone_from(&self.planes);
        self.running.fill(true);
        self.changed.fill(0);
        self.count = [L::ZERO; COUNT];
    }

    /// The planes of the two agents of an edge.
    #[inline(always)]
    fn agents(planes: &mut [L], e: usize, n: usize, width: usize) -> (&mut [L], &mut [L]) {
        if e + 1 < n {
            let (left, right) = planes.split_at_mut((e + 1) * width);
            (&mut left[e * width..], &mut right[..width])
        } else {
            let (first, last) = planes.split_at_mut(e * width);
            (&mut last[..width], &mut first[..width])
        }
    }

    /// Fires an edge in the lanes where its time has come; whether there was any.
    #[inline(always)]
    fn visit(&mut self, e: usize) -> bool {
        if !self.running[e] {
            return false;
        }
        let n = self.n;
        let (left, right) = (if e == 0 { n - 1 } else { e - 1 }, if e + 1 == n { 0 } else { e + 1 });
        let (fires, runs) = L::race(self.times.row(e), self.times.row(left), self.times.row(right));
        if !fires.any() {
            self.running[e] = runs.any();
            return false;
        }
        let (l, r) = Self::agents(&mut self.planes, e, n, self.circuit.planes());
        let changed = self.circuit.interact(l, r, &[], fires);
        if changed.any() {
            self.note(changed, e);
        }
        L::redraw(fires, self.times.row_mut(e), self.keys.of(e));
        self.tally(fires);
        true
    }

    fn note(&mut self, changed: L, e: usize) {
        let (times, notes) = (self.times.row(e), &mut self.changed);
        for_each_lane(changed, |lane| notes[lane] = notes[lane].max(u64::from(times[lane]) << 32 | e as u64));
    }

    /// Adds one to the count of each lane that fired. With hundreds of lanes some carry nearly always goes ten planes up.
    #[inline(always)]
    fn tally(&mut self, fired: L) {
        let mut carry = fired;
        for k in 0..10 {
            (self.count[k], carry) = (self.count[k] ^ carry, self.count[k] & carry);
        }
        let mut k = 10;
        while carry.any() && k < COUNT {
            (self.count[k], carry) = (self.count[k] ^ carry, self.count[k] & carry);
            k += 1;
        }
    }

    /// Lanes in which nothing speaks against safety: one leader, and no two neighbours that are unsettled.
    #[inline(always)]
    fn look(&mut self) {
        let (width, leader) = (self.circuit.planes(), self.circuit.leader_plane());
        let (mut one, mut many, mut bad) = (L::ZERO, L::ZERO, L::ZERO);
        for e in 0..self.n {
            let (l, r) = Self::agents(&mut self.planes, e, self.n, width);
            bad = bad | self.circuit.unsettled(l, r);
            if let Some(p) = leader {
                many = many | (one & l[p]);
                one = one | l[p];
            }
        }
        let elected = if leader.is_some() { one & !many } else { L::ONE };
        self.hopeful = self.busy & elected & !bad;
    }
}

/// One window.
impl<L: Lanes, C: Circuit> Task for Block<L, C> {
    #[inline(always)]
    fn go(&mut self) {
        self.open();
        loop {
            let mut any = false;
            for k in 0..self.order.len() {
                any |= self.visit(self.order[k] as usize);
            }
            if !any {
                break;
            }
        }
        self.look();
    }
}

fn has_lane<L: Lanes>(lanes: L, lane: usize) -> bool {
    let mut words = [0; 8];
    lanes.to_words(&mut words);
    words[lane / 64] >> (lane % 64) & 1 == 1
}

fn with_lane<L: Lanes>(lanes: L, lane: usize, set: bool) -> L {
    let mut words = [0; 8];
    lanes.to_words(&mut words);
    let bit = 1 << (lane % 64);
    words[lane / 64] = if set { words[lane / 64] | bit } else { words[lane / 64] & !bit };
    L::from_words(&words[..L::LANES / 64])
}

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
    /// Asked once a window whether to stop.
    pub(crate) stop: &'a dyn Fn() -> bool,
}

/// A finished trial, with its last configuration.
pub(crate) type Finished<P> = (Record, Vec<<P as crate::protocol::Transition>::State>);

/// Told of each finished trial, in the order in which they finish.
pub(crate) type Told<'a> = dyn FnMut(&Record) -> ControlFlow<()> + 'a;

/// A trial on its way.
struct Lane {
    /// Which of the seeds.
    index: usize,
    seed: u64,
    window: u64,
    /// The interactions before this window.
    steps: u64,
    change: Option<Change>,
}

/// The last change of output so far.
struct Change {
    window: u64,
    /// The interactions before that window.
    steps: u64,
    /// Time and edge of the interaction.
    ring: u64,
}

struct Runner<'a, P: Protocol, L, C> {
    batch: &'a Batch<'a, P>,
    block: Block<L, C>,
    lanes: Vec<Option<Lane>>,
    next: usize,
    finished: Vec<Option<Finished<P>>>,
}

/// Runs all trials of a batch with this reading and circuit. What is finished when it is stopped is returned; others are `None`.
///
/// # Errors
/// If a start is refused.
pub(crate) fn run<P, L, C>(
    batch: &Batch<'_, P>,
    circuit: C,
    told: &mut Told<'_>,
) -> Result<Vec<Option<Finished<P>>>, Error>
where
    P: Protocol,
    L: Lanes,
    C: Circuit<State = P::State>,
{
    let finished = batch.seeds.iter().map(|_| None).collect();
    let lanes = (0..L::LANES).map(|_| None).collect();
    let mut runner = Runner { batch, block: Block::<L, C>::new(circuit, batch.ring.n()), lanes, next: 0, finished };
    while !(batch.stop)() {
        if runner.fill(told)?.is_break() || runner.lanes.iter().all(Option::is_none) {
            break;
        }
        runner.open();
        L::work(&mut runner.block);
        if runner.close(told).is_break() {
            break;
        }
    }
    Ok(runner.finished)
}

impl<P: Protocol, L: Lanes, C: Circuit<State = P::State>> Runner<'_, P, L, C> {
    /// Gives every free lane the next trial that is not over before it begins.
    fn fill(&mut self, told: &mut Told<'_>) -> Result<ControlFlow<()>, Error> {
        for lane in 0..L::LANES {
            while self.lanes[lane].is_none() && self.next < self.batch.seeds.len() {
                let (index, seed) = (self.next, self.batch.seeds[self.next]);
                let config = (self.batch.start)(seed)?;
                self.next += 1;
                let safe = self.batch.protocol.is_safe(&config);
                if safe || self.batch.limit == 0 {
                    let record = self.record(0, safe.then_some(0), 0);
                    if self.hand_in(index, record, config, told).is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                    continue;
                }
                let codes: Vec<u128> = config.iter().map(|state| self.block.circuit.encode(state)).collect();
                self.block.put(lane, codes.into_iter());
                self.lanes[lane] = Some(Lane { index, seed, window: 0, steps: 0, change: None });
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn open(&mut self) {
        for (k, lane) in self.lanes.iter().enumerate() {
            if let Some(lane) = lane {
                self.block.keys.set(k, &Keys::new(lane.seed, lane.window));
            }
        }
    }

    /// Takes stock at the end of a window.
    fn close(&mut self, told: &mut Told<'_>) -> ControlFlow<()> {
        for k in 0..L::LANES {
            let Some(lane) = &mut self.lanes[k] else { continue };
            let (count, changed) = (self.block.counted(k), self.block.changed[k]);
            let safe =
                has_lane(self.block.hopeful, k) && self.batch.protocol.is_safe(&self.block.read(&self.block.planes, k));
            if safe || lane.steps + count >= self.batch.limit {
                let index = lane.index;
                let (record, config) = self.finish(k, count, safe);
                self.lanes[k] = None;
                self.block.busy = with_lane(self.block.busy, k, false);
                self.hand_in(index, record, config, told)?;
                continue;
            }
            if changed > 0 {
                lane.change = Some(Change { window: lane.window, steps: lane.steps, ring: changed });
            }
            lane.steps += count;
            lane.window += 1;
        }
        ControlFlow::Continue(())
    }

    /// Replays the last window of a trial in the clear form, to the exact first safe step or to the limit.
    fn finish(&self, k: usize, count: u64, safe: bool) -> Finished<P> {
        let Some(lane) = &self.lanes[k] else { return (self.record(0, None, 0), Vec::new()) };
        let batch = self.batch;
        let clocks = Clocks::from_window(batch.ring, lane.seed, lane.window);
        debug_assert_eq!(clocks.in_window() as u64, count, "the lane has fired all rings of its window");
        let before = self.block.read(&self.block.before, k);
        let mut stepper = Stepper::new(batch.protocol.clone(), before, clocks);
        let mut tracker = Tracker::new(batch.protocol, &stepper.config);
        let most = count.min(batch.limit - lane.steps);
        let exact = if safe { first_in(&stepper, count, P::is_safe) } else { count };
        let followed = tracker.follow_output(&mut stepper, exact.min(most));
        debug_assert!(followed.is_ok(), "a window ended early: {followed:?}");
        let changed = match (tracker.last_output_change, &lane.change) {
            (0, None) => 0,
            (0, Some(change)) => {
                let clocks = Clocks::from_window(batch.ring, lane.seed, change.window);
                change.steps + clocks.until((change.ring >> 32) as u32, change.ring as u32 as usize) as u64
            }
            (step, _) => lane.steps + step,
        };
        let in_time = safe && exact <= most;
        let steps = lane.steps + exact.min(most);
        (self.record(steps, in_time.then_some(steps), changed), stepper.config)
    }

    fn record(&self, steps: u64, safe: Option<u64>, last_output_change: u64) -> Record {
        Record {
            limit: self.batch.limit,
            steps,
            safe,
            censored: safe.is_none(),
            interrupted: false,
            last_output_change,
            phases: Vec::new(),
            faults: Vec::new(),
            coins_read: 0,
        }
    }

    fn hand_in(&mut self, index: usize, record: Record, config: Vec<P::State>, told: &mut Told<'_>) -> ControlFlow<()> {
        let told = told(&record);
        self.finished[index] = Some((record, config));
        told
    }
}

/// Runs a batch with the widest words that the processor has, or with plain ones.
///
/// # Errors
/// If a start is refused.
pub(crate) fn run_widest<P: Protocol>(
    batch: &Batch<'_, P>,
    circuit: impl Circuit<State = P::State>,
    portable: bool,
    told: &mut Told<'_>,
) -> Result<Vec<Option<Finished<P>>>, Error> {
    #[cfg(target_arch = "x86_64")]
    {
        use super::lanes::{avx2, avx512};
        if !portable && avx512::available() {
            return run::<P, avx512::B512, _>(batch, circuit, told);
        }
        if !portable && avx2::available() {
            return run::<P, avx2::B256, _>(batch, circuit, told);
        }
    }
    run::<P, u64, _>(batch, circuit, told)
}

/// How many lanes [`run_widest`] has.
#[must_use]
pub(crate) fn widest(portable: bool) -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        use super::lanes::{avx2, avx512};
        if !portable && avx512::available() {
            return avx512::B512::LANES;
        }
        if !portable && avx2::available() {
            return avx2::B256::LANES;
        }
    }
    u64::LANES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::WithCircuit;
    use crate::protocol::{Params, uniform};
    use crate::protocols::ppl::{Ppl, State};
    use crate::random::{Stream, stream};
    use crate::ring::Orientation;

    /// The records of one batch with every width of words that the processor has.
    struct EveryWidth<'a>(&'a Batch<'a, Ppl>);

    impl WithCircuit<State> for EveryWidth<'_> {
        type Output = Vec<Vec<Option<Finished<Ppl>>>>;

        fn with<C: Circuit<State = State>>(self, circuit: C) -> Self::Output {
            let told = &mut |_: &Record| ControlFlow::Continue(());
            let mut all = vec![run::<Ppl, u64, C>(self.0, circuit.clone(), told).unwrap()];
            #[cfg(target_arch = "x86_64")]
            {
                use crate::engine::lanes::{avx2, avx512};
                if avx2::available() {
                    all.push(run::<Ppl, avx2::B256, C>(self.0, circuit.clone(), told).unwrap());
                }
                if avx512::available() {
                    all.push(run::<Ppl, avx512::B512, C>(self.0, circuit, told).unwrap());
                }
            }
            all
        }
    }

    #[test]
    fn every_width_gives_the_same_records_and_configurations() {
        for n in [3, 6, 11, 30] {
            let ring = Ring::new(n, Orientation::Directed).unwrap();
            let protocol = Ppl::new(ring, &Params::default().with("kappa", 5)).unwrap();
            let seeds: Vec<u64> = (0..600).collect();
            let start = |seed| uniform(&protocol, ring, &mut stream(seed, Stream::Start));
            let batch =
                Batch { protocol: &protocol, ring, limit: 100_000, seeds: &seeds, start: &start, stop: &|| false };
            let all = protocol.with_circuit(EveryWidth(&batch)).unwrap();
            assert!(all[0].iter().all(Option::is_some));
            assert!(all.iter().all(|width| *width == all[0]), "n {n}");
        }
    }

    /// The cheap condition never speaks against a safe ring.
    #[test]
    fn safe_rings_look_hopeful() {
        struct Looks<'a>(&'a Ppl, Ring);
        impl WithCircuit<State> for Looks<'_> {
            type Output = u64;
            fn with<C: Circuit<State = State>>(self, circuit: C) -> u64 {
                let mut block = Block::<u64, C>::new(circuit, self.1.n());
                let make = Ppl::starts().into_iter().find(|start| start.name == "safe").unwrap().make;
                for lane in 0..64 {
                    let config = make(self.0, self.1, &mut stream(lane as u64, Stream::Start)).unwrap();
                    let codes: Vec<u128> = config.iter().map(|state| block.circuit.encode(state)).collect();
                    block.put(lane, codes.into_iter());
                }
                block.look();
                block.hopeful
            }
        }
        for n in 3..40 {
            let ring = Ring::new(n, Orientation::Directed).unwrap();
            let protocol = Ppl::new(ring, &Params::default()).unwrap();
            assert_eq!(protocol.with_circuit(Looks(&protocol, ring)), Some(u64::MAX), "n {n}");
        }
    }
}
