//! The agents of all lanes in planes, and the clocks of all lanes, over one window of trial time.
//!
//! An edge has the number of its left agent. All that a visit of edge `j` sees are the agents `j` and `j + 1` and the times of the
//! edges `j - 1`, `j` and `j + 1` of each lane. What lies beyond the ends of an arc belongs to the arcs beside it, in other lanes; it is
//! mirrored into this one before the edges at the ends are visited, and written back afterwards:
//! ```text
//! agents   0  1  ...  m-2   m-1   m          m: the first agent of the arc to the right
//! times  -1 0  1 ...  m-2   m-1   m         -1: the last edge of the arc to the left, m: the first edge of the arc to the right
//! ```
//! In a short arc `m - 1` mirrors what `m` does. Its edge `m - 1` never fires, for its time does not precede that of `m`.

use std::ops::ControlFlow;

use super::layout::Layout;
use crate::circuit::{Circuit, Task};
use crate::clocks::Keys;
use crate::simd::{Lanes, for_each_lane, set_time, time};

mod leaders;
#[cfg(any(test, feature = "bench-parts"))]
pub mod parts;
mod rows;

use leaders::Leaders;
use rows::{KeyRows, TimeRows};

/// How many planes the count of a window has: the edges of 2^20 agents tick some 2^27 times, never 2^40.
const COUNT: usize = 40;
/// The most planes of input that a circuit may have.
const INPUTS: usize = 64;

/// What the coins and the direction of an interaction depend on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chance {
    /// Whether either agent of an edge may be the initiator.
    pub(super) undirected: bool,
    /// How many sides a coin has.
    pub(super) sides: u64,
    /// Whether an oracle is asked. In lanes it answers that there is a leader, and what speaks for that is noted.
    pub(super) asks: bool,
}

/// The rings of all lanes, and their clocks in one window.
pub(super) struct Block<L, C> {
    pub(super) circuit: C,
    pub(super) layout: Layout,
    chance: Chance,
    /// The planes of agent after agent.
    pub(super) planes: Vec<L>,
    /// The planes at the beginning of the window.
    pub(super) before: Vec<L>,
    /// Lanes that have a ring.
    busy: L,
    /// Lanes with a short arc.
    short: L,
    /// Row `j + 1` is edge `j`.
    times: TimeRows,
    keys: KeyRows,
    /// The order in which edges are visited: 0 2 1 4 3 6 5 ..., in which most of them find their time come.
    order: Vec<u32>,
    /// Edges whose clock still runs in some lane.
    running: Vec<bool>,
    /// How often each lane has fired in this window, in planes, and, at its end, as numbers.
    count: [L; COUNT],
    counts: Vec<u64>,
    /// Time and edge of the last change of output in this window, by lane; 0 if there was none.
    changed: Vec<u64>,
    /// How many coins each lane has read in this window.
    coins: Vec<u64>,
    /// Lanes with at least one leader, with more than one, and those in which something speaks against safety.
    one: L,
    many: L,
    bad: L,
    leaders: Option<Leaders<L>>,
}

impl<L: Lanes, C: Circuit> Block<L, C> {
    pub(super) fn new(circuit: C, layout: Layout, chance: Chance) -> Self {
        let m = layout.slots;
        let planes = vec![L::ZERO; (m + 1) * circuit.planes()];
        let pairs = (2..m as u32).step_by(2).flat_map(|e| [e, e - 1]);
        let last = m.is_multiple_of(2).then_some(m as u32 - 1);
        let is_short = |lane: &usize| layout.length(layout.arc(*lane)) < m;
        let leaders = circuit.leader_plane().filter(|_| chance.asks).map(|plane| Leaders::new(plane, m));
        Self {
            leaders,
            circuit,
            layout,
            chance,
            before: planes.clone(),
            planes,
            busy: L::ZERO,
            short: (0..L::LANES).filter(is_short).fold(L::ZERO, |short, lane| with_lane(short, lane, true)),
            times: TimeRows::new(m + 2, L::LANES),
            keys: KeyRows::new(&layout, L::LANES),
            order: std::iter::once(0).chain(pairs).chain(last).collect(),
            running: vec![true; m],
            count: [L::ZERO; COUNT],
            counts: vec![0; L::LANES],
            changed: vec![0; L::LANES],
            coins: vec![0; L::LANES],
            one: L::ZERO,
            many: L::ZERO,
            bad: L::ZERO,
        }
    }

    /// Puts configurations into the lanes of rings. All planes are taken apart for that and put together again, so that a bit can
    /// be set where it is.
    pub(super) fn put(&mut self, configs: &[(usize, Vec<u128>)]) {
        let (width, layout) = (self.circuit.planes(), self.layout);
        let mut words: Vec<[u64; 8]> = self.planes.iter().map(|plane| words_of(*plane)).collect();
        for (ring, codes) in configs {
            for ((lane, slot), code) in layout.agents(*ring).zip(codes) {
                let (word, shift) = (lane / 64, lane % 64);
                for (p, words) in words[slot * width..(slot + 1) * width].iter_mut().enumerate() {
                    words[word] = words[word] & !(1 << shift) | ((code >> p) as u64 & 1) << shift;
                }
            }
            (0..layout.arcs).for_each(|arc| self.busy = with_lane(self.busy, layout.lane(*ring, arc), true));
        }
        for (plane, words) in self.planes.iter_mut().zip(&words) {
            *plane = L::from_words(&words[..L::LANES / 64]);
        }
    }

    /// Frees the lanes of a ring.
    pub(super) fn free(&mut self, ring: usize) {
        for arc in 0..self.layout.arcs {
            self.busy = with_lane(self.busy, self.layout.lane(ring, arc), false);
        }
    }

    /// Reads the codes of rings out of planes, 64 lanes at a time.
    pub(super) fn codes(&self, planes: &[L], rings: &[usize]) -> Vec<Vec<u128>> {
        let (width, layout) = (self.circuit.planes(), self.layout);
        let mut all = vec![vec![0_u128; layout.n]; rings.len()];
        // By word: which of the rings are there, in which lane, from which agent on.
        let mut wanted: [Vec<(usize, usize, usize)>; 8] = Default::default();
        for (k, &ring) in rings.iter().enumerate() {
            for arc in 0..layout.arcs {
                let lane = layout.lane(ring, arc);
                wanted[lane / 64].push((k, lane % 64, arc));
            }
        }
        let mut words = [[0; 8]; 128];
        for slot in 0..layout.slots {
            let agent = &planes[slot * width..(slot + 1) * width];
            words.iter_mut().zip(agent).for_each(|(words, plane)| *words = words_of(*plane));
            for (word, wanted) in wanted.iter().enumerate().filter(|(_, wanted)| !wanted.is_empty()) {
                for half in 0..width.div_ceil(64) {
                    let mut square: [u64; 64] = std::array::from_fn(|p| words[64 * half + p][word]);
                    transpose(&mut square);
                    for &(k, bit, arc) in wanted.iter().filter(|(_, _, arc)| slot < layout.length(*arc)) {
                        all[k][layout.first(arc) + slot] |= u128::from(square[bit]) << (64 * half);
                    }
                }
            }
        }
        all
    }

    /// Sets the keys of a ring for the window that is about to be opened.
    pub(super) fn set_keys(&mut self, ring: usize, keys: &Keys) {
        let layout = self.layout;
        (0..layout.arcs).for_each(|arc| self.keys.set(layout.lane(ring, arc), layout.first(arc), layout.n, keys));
    }

    fn over_arcs(&self, ring: usize) -> impl Iterator<Item = usize> {
        let layout = self.layout;
        (0..layout.arcs).map(move |arc| layout.lane(ring, arc))
    }

    /// The number of interactions of a ring in this window.
    pub(super) fn counted(&self, ring: usize) -> u64 {
        self.over_arcs(ring).map(|lane| self.counts[lane]).sum()
    }

    /// The number of coins that a ring has read in this window.
    pub(super) fn coins_read(&self, ring: usize) -> u64 {
        self.over_arcs(ring).map(|lane| self.coins[lane]).sum()
    }

    /// Time and edge of the last change of output of a ring in this window; 0 if there was none.
    pub(super) fn changed(&self, ring: usize) -> u64 {
        self.over_arcs(ring).map(|lane| self.changed[lane]).max().unwrap_or(0)
    }

    /// Whether a ring may be safe at the end of the window: nothing that was looked at speaks against it.
    pub(super) fn may_be_safe(&self, ring: usize) -> bool {
        let is = |lanes: L| self.over_arcs(ring).filter(|&lane| has_lane(lanes, lane)).count();
        let elected = self.circuit.leader_plane().is_none() || (is(self.one) == 1 && is(self.many) == 0);
        elected && is(self.bad) == 0
    }

    /// Whether a ring has a leader at the end of the window; of a protocol that elects none it may have.
    pub(super) fn is_led(&self, ring: usize) -> bool {
        self.circuit.leader_plane().is_none() || self.over_arcs(ring).any(|lane| has_lane(self.one, lane))
    }

    /// The lanes in which an agent is there, and no copy of another.
    #[inline(always)]
    fn present(&self, slot: usize) -> L {
        if slot + 1 == self.layout.slots { !self.short } else { L::ONE }
    }

    /// Draws the first tick of every clock; lanes without a ring never fire.
    #[inline(always)]
    fn open(&mut self) {
        for j in 0..self.layout.slots {
            let (clocks, [low, high]) = (self.keys.of(j).cut(L::LANES), self.times.row_mut(j + 1));
            let mut times = [&mut low[..L::LANES], &mut high[..L::LANES]];
            for lane in 0..L::LANES {
                set_time(&mut times, lane, clocks.of(lane).first());
            }
            (!self.busy).rest(times);
        }
        self.running.fill(true);
        self.changed.fill(0);
        self.coins.fill(0);
        self.count = [L::ZERO; COUNT];
    }

    /// Mirrors the times beyond the ends of the arcs.
    #[inline(always)]
    fn mirror_times(&mut self, edge: usize, coarsely: bool) {
        let (m, rings) = (self.layout.slots, self.layout.rings);
        if edge == 0 {
            self.times.rotate_into(m, 0, L::LANES - rings, coarsely);
            if self.layout.has_short() {
                self.times.rotate_into(m - 1, m + 1, L::LANES - rings, coarsely);
                let short = self.short.rotate(L::LANES - rings);
                self.copy_times(short, m + 1, 0);
            }
        } else {
            self.times.rotate_into(1, m + 1, rings, coarsely);
            if self.layout.has_short() {
                self.copy_times(self.short, m + 1, m);
            }
        }
    }

    /// Copies a row of times in some lanes.
    #[inline(always)]
    fn copy_times(&mut self, lanes: L, from: usize, to: usize) {
        self.times.copy(&words_of(lanes), from, to);
    }

    /// Mirrors the first agent of the arc to the right into slot `to`, in some lanes.
    #[inline(always)]
    fn mirror_agent(&mut self, lanes: L, to: usize) {
        let (width, rings) = (self.circuit.planes(), self.layout.rings);
        for p in 0..width {
            let first = self.planes[p].rotate(rings);
            self.planes[to * width + p] = lanes.select(first, self.planes[to * width + p]);
        }
    }

    /// Writes a mirrored agent back to where it belongs.
    #[inline(always)]
    fn write_back(&mut self, lanes: L, from: usize) {
        let (width, back) = (self.circuit.planes(), L::LANES - self.layout.rings);
        let lanes = lanes.rotate(back);
        for p in 0..width {
            self.planes[p] = lanes.select(self.planes[from * width + p].rotate(back), self.planes[p]);
        }
    }

    /// The lanes in which an edge is the last of its arc.
    #[inline(always)]
    fn ends(&self, edge: usize) -> L {
        if edge + 1 == self.layout.slots { !self.short } else { self.short }
    }

    #[inline(always)]
    fn is_at_an_end(&self, edge: usize) -> bool {
        edge + 1 == self.layout.slots || (edge + 2 == self.layout.slots && self.layout.has_short())
    }

    /// The lanes in which the time of an edge has come; when looked at coarsely, not all of them.
    #[inline(always)]
    fn race(&self, j: usize, coarsely: bool) -> L {
        let (left, own, right) = (self.times.row(j), self.times.row(j + 1), self.times.row(j + 2));
        if coarsely { L::coarse_race(own[1], left[1], right[1]) } else { L::race(own, left, right) }
    }

    /// Fires an edge in the lanes where its time has come; whether its clock still runs in some lane.
    #[inline(always)]
    fn visit(&mut self, j: usize, coarsely: bool) -> bool {
        let at_end = self.is_at_an_end(j);
        if at_end {
            self.mirror_agent(self.ends(j), j + 1);
        }
        if at_end || j == 0 {
            self.mirror_times(j, coarsely);
        }
        let fires = self.race(j, coarsely);
        if !fires.any() {
            self.running[j] = L::runs(self.times.row(j + 1));
            return self.running[j];
        }
        let led = self.pair_leads(j);
        let changed = self.interact(j, fires);
        if changed.any() {
            self.note(changed, j);
        }
        L::redraw(fires, self.times.row_mut(j + 1), self.keys.of(j));
        self.tally(fires);
        if at_end {
            self.write_back(self.ends(j), j + 1);
        }
        self.note_leaders(j, fires, led);
        true
    }

    /// An interaction on an edge in some lanes; those in which an output changed.
    #[inline(always)]
    fn interact(&mut self, j: usize, fires: L) -> L {
        let width = self.circuit.planes();
        let (l, r) = self.planes[j * width..(j + 2) * width].split_at_mut(width);
        let reads = fires & self.circuit.reads_coin(l, r);
        let input = if reads.any() { self.coins(j, reads) } else { [L::ZERO; INPUTS] };
        let (l, r) = self.planes[j * width..(j + 2) * width].split_at_mut(width);
        if !self.chance.undirected {
            return self.circuit.interact(l, r, &input, fires);
        }
        let left = L::left_initiates(self.times.row(j + 1), self.keys.of(j));
        self.circuit.interact(l, r, &input, fires & left) | self.circuit.interact(r, l, &input, fires & !left)
    }

    /// The coins that some lanes read, in planes.
    fn coins(&mut self, j: usize, reads: L) -> [L; INPUTS] {
        let mut words = [[0; 8]; INPUTS];
        let (times, keys, coins, circuit) = (self.times.row(j + 1), self.keys.of(j), &mut self.coins, &self.circuit);
        for_each_lane(reads, |lane| {
            let bits = circuit.encode_coin(keys.of(lane).coin(time(times, lane), self.chance.sides));
            (0..circuit.inputs()).for_each(|p| words[p][lane / 64] |= (bits >> p & 1) << (lane % 64));
            coins[lane] += 1;
        });
        words.map(|words| L::from_words(&words[..L::LANES / 64]))
    }

    fn note(&mut self, changed: L, j: usize) {
        let (times, notes, layout) = (self.times.row(j + 1), &mut self.changed, self.layout);
        for_each_lane(changed, |lane| {
            let edge = (layout.first(layout.arc(lane)) + j) as u64;
            notes[lane] = notes[lane].max(u64::from(time(times, lane)) << 32 | edge);
        });
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

    /// Reads the counts out of their planes.
    #[inline(always)]
    fn count(&mut self) {
        self.counts.fill(0);
        for (k, plane) in self.count.iter().enumerate() {
            for_each_lane(*plane, |lane| self.counts[lane] |= 1 << k);
        }
    }

    /// Looks for what speaks against safety: no leader or more than one, or two neighbours that are unsettled.
    #[inline(always)]
    fn look(&mut self) {
        let (width, leader, m) = (self.circuit.planes(), self.circuit.leader_plane(), self.layout.slots);
        self.mirror_agent(self.short, m - 1);
        self.mirror_agent(L::ONE, m);
        (self.one, self.many, self.bad) = (L::ZERO, L::ZERO, L::ZERO);
        for j in 0..m {
            let present = self.present(j);
            let (l, r) = self.planes[j * width..(j + 2) * width].split_at(width);
            self.bad = self.bad | (present & self.circuit.unsettled(l, r));
            if let Some(p) = leader {
                self.many = self.many | (self.one & present & l[p]);
                self.one = self.one | (present & l[p]);
            }
        }
    }
}

/// Neighbours whose times have the same higher half, one in 500, wait for a sweep that looks closely: one in eight.
#[inline(always)]
fn is_coarse(sweep: usize) -> bool {
    !sweep.is_multiple_of(8)
}

impl<L: Lanes, C: Circuit> Block<L, C> {
    /// All interactions of a window, their numbers, and, if somebody looks, what a record needs to know. Whoever breaks off between
    /// two sweeps gets the planes back as they were before.
    #[inline(always)]
    fn window(&mut self, looks: bool, mut ask: impl FnMut(u64) -> ControlFlow<()>) -> ControlFlow<()> {
        if looks {
            self.before.clone_from(&self.planes);
        }
        self.open();
        self.note_first_leaders();
        let (mut runs, mut sweep) = (true, 0);
        while runs {
            (runs, sweep) = (false, sweep + 1);
            for k in 0..self.order.len() {
                let j = self.order[k] as usize;
                if self.running[j] {
                    runs |= self.visit(j, is_coarse(sweep));
                }
            }
            if ask(self.order.len() as u64).is_break() {
                self.planes.clone_from(&self.before);
                return ControlFlow::Break(());
            }
        }
        self.count();
        self.note_steady_leaders();
        if looks {
            self.look();
        }
        ControlFlow::Continue(())
    }
}

/// One window, and whether somebody broke off in the middle.
pub(super) struct Window<'a, L, C, A> {
    pub(super) block: &'a mut Block<L, C>,
    /// Told how many edges were visited in all lanes.
    pub(super) ask: A,
    pub(super) ran: ControlFlow<()>,
}

impl<L: Lanes, C: Circuit, A: FnMut(u64) -> ControlFlow<()>> Task for Window<'_, L, C, A> {
    #[inline(always)]
    fn go(&mut self) {
        self.ran = self.block.window(true, &mut self.ask);
    }
}

#[inline(always)]
fn words_of<L: Lanes>(lanes: L) -> [u64; 8] {
    let mut words = [0; 8];
    lanes.to_words(&mut words);
    words
}

/// Bit `i` of word `k` becomes bit `k` of word `i`.
fn transpose(square: &mut [u64; 64]) {
    let (mut by, mut mask) = (32, 0xffff_ffff_u64);
    while by > 0 {
        for k in (0..64).filter(|k| k & by == 0) {
            let differ = (square[k] >> by ^ square[k + by]) & mask;
            square[k] ^= differ << by;
            square[k + by] ^= differ;
        }
        by /= 2;
        mask ^= mask << by;
    }
}

#[inline(always)]
fn has_lane<L: Lanes>(lanes: L, lane: usize) -> bool {
    words_of(lanes)[lane / 64] >> (lane % 64) & 1 == 1
}

fn with_lane<L: Lanes>(lanes: L, lane: usize, set: bool) -> L {
    let mut words = words_of(lanes);
    let bit = 1 << (lane % 64);
    words[lane / 64] = if set { words[lane / 64] | bit } else { words[lane / 64] & !bit };
    L::from_words(&words[..L::LANES / 64])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::WithCircuit;
    use crate::params::Params;
    use crate::protocol::Protocol;
    use crate::protocols::ppl::{Ppl, State, starts};
    use crate::random::{Stream, stream};
    use crate::ring::{Orientation, Ring};

    /// Safe rings in all lanes, cut into this many arcs, after something was done to each; how many may be safe. They must be
    /// read back as they were.
    struct Looks<'a>(&'a Ppl, Ring, usize, fn(usize, &mut [State]));

    impl WithCircuit<State> for Looks<'_> {
        type Output = usize;

        fn with<C: Circuit<State = State>>(self, circuit: C) -> usize {
            let layout = Layout::with_arcs(64, self.1.n(), self.2);
            let mut block = Block::<u64, C>::new(circuit, layout, Chance { undirected: false, sides: 1, asks: false });
            let mut configs: Vec<Vec<State>> = (0..layout.rings)
                .map(|ring| starts::safe(self.0, self.1, &mut stream(ring as u64, Stream::Start)))
                .collect();
            configs.iter_mut().enumerate().for_each(|(ring, config)| self.3(ring, config));
            let codes = |config: &Vec<State>| config.iter().map(|state| block.circuit.encode(state)).collect();
            let coded: Vec<(usize, Vec<u128>)> = configs.iter().map(codes).enumerate().collect();
            block.put(&coded);
            block.look();
            let rings: Vec<usize> = (0..layout.rings).collect();
            assert!(block.codes(&block.planes, &rings).into_iter().zip(&coded).all(|(codes, put)| codes == put.1));
            (0..layout.rings).filter(|&ring| block.may_be_safe(ring)).count()
        }
    }

    fn looks(may_be_safe: impl Fn(usize) -> usize, change: fn(usize, &mut [State])) {
        for n in 3..70 {
            let ring = Ring::new(n, Orientation::Directed).unwrap();
            let protocol = Ppl::new(ring, &Params::default()).unwrap();
            for arcs in [1, 2, 4, 8, 16].into_iter().filter(|arcs| n.div_ceil(*arcs) > 2) {
                let found = protocol.with_circuit(Looks(&protocol, ring, arcs, change));
                assert_eq!(found, Some(may_be_safe(64 / arcs)), "n {n}, {arcs} arcs");
            }
        }
    }

    /// The cheap condition never speaks against a safe ring.
    #[test]
    fn safe_rings_may_be_safe() {
        looks(|rings| rings, |_, _| ());
    }

    /// It does against one in which a single `last` is wrong, wherever that is.
    #[test]
    fn unsettled_rings_may_not() {
        looks(|_| 0, |ring, config| config[ring % config.len()].last ^= 1);
    }
}
