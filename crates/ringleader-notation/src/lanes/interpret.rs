//! A network run on any words: slower than machine code, but on every processor.
//!
//! To find out what to do next takes longer than to do it. So nodes of one function follow each other where they can, and what they do is asked
//! once a run; and the parts that matter only where a condition holds in some lane are jumped over otherwise, as in machine code.

use ringleader::circuit::{Bit, Task};

use super::guards::{Block, Guarded};
use super::network::{Network, Node, Table, depends, permuted};

/// A network as acts on a frame of values: planes of l, planes of r, coins, the lanes that are asked, and what is computed.
#[derive(Clone, Debug)]
pub(crate) struct Acts {
    acts: Vec<Act>,
    steps: Vec<Step>,
    stores: Vec<Store>,
    /// How many values the frame has.
    frame: usize,
    /// Where the last output is, which is told, and whether it is negated.
    told: (u16, bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    /// These steps, all with one function.
    Run { table: Table, from: u32, to: u32 },
    /// These stores.
    Store { from: u32, to: u32 },
    /// On with another act, if a value is false in every lane.
    Jump { guard: u16, to: u32 },
}

/// The places of operands, and where the value goes.
#[derive(Clone, Copy, Debug)]
struct Step {
    of: [u16; 3],
    to: u16,
}

/// A value that becomes a plane of l or, after those, of r.
#[derive(Clone, Copy, Debug)]
struct Store {
    from: u16,
    plane: u16,
    negated: bool,
}

/// Longer frames are not run.
const LONGEST: usize = 4096;

const NEVER: usize = usize::MAX;

/// The orders of three operands.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// The same node with its operands in the order that makes its table least, so that there are few tables.
fn canonical(node: Node) -> Node {
    let in_order = |order: [usize; 3]| {
        let place = |k: usize| order.iter().position(|&from| from == k).unwrap_or(k);
        Node { table: permuted(node.table, [0, 1, 2].map(place)), of: order.map(|from| node.of[from]) }
    };
    ORDERS.map(in_order).into_iter().min_by_key(|node| node.table).unwrap_or(node)
}

/// The parts of a network that are jumped over or not, in order: their nodes, and their guard if they have one.
fn parts(nodes: usize, blocks: &[Block]) -> Vec<(std::ops::Range<usize>, Option<u32>)> {
    let (mut parts, mut at) = (Vec::new(), 0);
    for block in blocks {
        parts.push((at..block.from, None));
        parts.push((block.from..block.to, Some(block.guard)));
        at = block.to;
    }
    parts.push((at..nodes, None));
    parts
}

/// The nodes of a part so that those of one function follow each other, as far as what they need comes before.
fn in_runs(network: &Network, part: std::ops::Range<usize>) -> Vec<usize> {
    let own = |value: u32| (value as usize).checked_sub(network.inputs).filter(|of| part.contains(of));
    let operands = |node: &Node| (0..3).filter(|&k| depends(node.table, k)).filter_map(|k| own(node.of[k])).collect();
    let waits: Vec<Vec<usize>> = network.nodes[part.clone()].iter().map(operands).collect();
    let table = |k: usize| network.nodes[part.start + k].table;
    let (mut done, mut order, mut last) = (vec![false; part.len()], Vec::new(), 0);
    while order.len() < part.len() {
        let is_ready = |k: &usize| !done[*k] && waits[*k].iter().all(|of| done[of - part.start]);
        let ready: Vec<usize> = (0..part.len()).filter(is_ready).collect();
        let mut many = [0_usize; 256];
        ready.iter().for_each(|&k| many[table(k) as usize] += 1);
        let most = (0..=Table::MAX).max_by_key(|&table| many[table as usize]).unwrap_or(0);
        let next = if many[last as usize] > 0 { last } else { most };
        for &k in ready.iter().filter(|&&k| table(k) == next) {
            done[k] = true;
            order.push(part.start + k);
        }
        last = next;
    }
    order
}

impl Acts {
    /// The acts of a network without jumps.
    pub(crate) fn plain(network: &Network, changed: &[u16]) -> Option<Self> {
        Self::of(&Guarded { network: network.clone(), blocks: Vec::new() }, changed)
    }

    /// The acts of a network; all its outputs but the last become these planes. `None` if the frame would be too long.
    pub(crate) fn of(guarded: &Guarded, changed: &[u16]) -> Option<Self> {
        let nodes = guarded.network.nodes.iter().map(|&node| canonical(node)).collect();
        let network = Network { nodes, ..guarded.network.clone() };
        let parts = parts(network.nodes.len(), &guarded.blocks);
        let orders: Vec<Vec<usize>> = parts.iter().map(|(part, _)| in_runs(&network, part.clone())).collect();
        let reordered = network.reordered(&orders.concat());
        let mut values: Vec<u32> = (0..(network.inputs + network.nodes.len()) as u32).collect();
        for (k, node) in orders.iter().flatten().enumerate() {
            values[network.inputs + node] = (network.inputs + k) as u32;
        }
        let parts = parts.into_iter().map(|(part, guard)| (part, guard.map(|guard| values[guard as usize])));
        Writer::new(&reordered, parts.collect(), changed).written()
    }

    /// An interaction: all outputs but the last become planes of l or, after those, of r; the last is told.
    #[inline(always)]
    pub(crate) fn run<B: Bit>(&self, l: &mut [B], r: &mut [B], coins: &[B], when: B) -> B {
        match self.frame {
            0..=64 => self.run_in::<B, 64>(l, r, coins, when),
            65..=128 => self.run_in::<B, 128>(l, r, coins, when),
            129..=256 => self.run_in::<B, 256>(l, r, coins, when),
            257..=512 => self.run_in::<B, 512>(l, r, coins, when),
            _ => self.run_in::<B, LONGEST>(l, r, coins, when),
        }
    }

    /// What is told of these inputs.
    #[inline(always)]
    pub(crate) fn told<B: Bit>(&self, inputs: &[B]) -> B {
        if self.frame <= 128 {
            return self.told_in::<B, 128>(inputs);
        }
        self.told_in::<B, LONGEST>(inputs)
    }

    #[inline(always)]
    fn told_in<B: Bit, const N: usize>(&self, inputs: &[B]) -> B {
        let mut running = Running::<B, N> { acts: self, l: &mut [], r: &mut [], more: inputs, io: B::ZERO };
        B::work(&mut running);
        running.io
    }

    #[inline(always)]
    fn run_in<B: Bit, const N: usize>(&self, l: &mut [B], r: &mut [B], coins: &[B], when: B) -> B {
        let mut running = Running::<B, N> { acts: self, l, r, more: coins, io: when };
        B::work(&mut running);
        running.io
    }
}

/// What places and acts are made of, part after part.
struct Writer<'a> {
    network: &'a Network,
    parts: Vec<(std::ops::Range<usize>, Option<u32>)>,
    changed: &'a [u16],
    /// After which node a value is not needed any more.
    last: Vec<usize>,
    places: Vec<u16>,
    free: Vec<u16>,
    acts: Acts,
    /// Where the acts of this part begin.
    begun: usize,
}

impl<'a> Writer<'a> {
    fn new(network: &'a Network, parts: Vec<(std::ops::Range<usize>, Option<u32>)>, changed: &'a [u16]) -> Self {
        let values = network.inputs + network.nodes.len();
        let mut last = vec![0; values];
        // Inputs keep their places.
        last[..network.inputs].fill(NEVER);
        for (k, node) in network.nodes.iter().enumerate() {
            node.of.iter().for_each(|&value| last[value as usize] = last[value as usize].max(k));
        }
        for (part, guard) in &parts {
            // What a part stores it stores at its end.
            for &(value, _) in &network.outputs {
                if (value as usize).checked_sub(network.inputs).is_some_and(|node| part.contains(&node)) {
                    last[value as usize] = last[value as usize].max(part.end);
                }
            }
            guard.iter().for_each(|&guard| last[guard as usize] = last[guard as usize].max(part.start));
        }
        if let Some(&(told, _)) = network.outputs.last() {
            last[told as usize] = NEVER;
        }
        let places = (0..values).map(|value| value.min(LONGEST) as u16).collect();
        let (frame, told) = (network.inputs, (0, false));
        let acts = Acts { acts: Vec::new(), steps: Vec::new(), stores: Vec::new(), frame, told };
        Self { network, parts, changed, last, places, free: Vec::new(), acts, begun: 0 }
    }

    fn written(mut self) -> Option<Acts> {
        for (part, guard) in self.parts.clone() {
            let jump = self.acts.acts.len();
            if let Some(guard) = guard {
                self.acts.acts.push(Act::Jump { guard: self.places[guard as usize], to: 0 });
            }
            self.begun = self.acts.acts.len();
            part.clone().for_each(|node| self.step(node));
            self.store(&part);
            let end = self.acts.acts.len() as u32;
            if let (Some(Act::Jump { to, .. }), true) = (self.acts.acts.get_mut(jump), guard.is_some()) {
                *to = end;
            }
            self.release(part.end);
        }
        let &(told, negated) = self.network.outputs.last()?;
        self.acts.told = (self.places[told as usize], negated);
        (self.acts.frame <= LONGEST).then_some(self.acts)
    }

    /// Places whose values are not needed after so many nodes are free.
    fn release(&mut self, nodes: usize) {
        let inputs = self.network.inputs;
        for value in inputs..(inputs + nodes).min(self.last.len()) {
            if self.last[value] <= nodes {
                self.last[value] = NEVER;
                self.free.push(self.places[value]);
            }
        }
    }

    fn step(&mut self, k: usize) {
        let node = self.network.nodes[k];
        let of = node.of.map(|value| self.places[value as usize]);
        for value in node.of.map(|value| value as usize) {
            if self.last[value] == k && value >= self.network.inputs {
                self.last[value] = NEVER;
                self.free.push(self.places[value]);
            }
        }
        let to = self.free.pop().unwrap_or_else(|| {
            self.acts.frame += 1;
            self.acts.frame.min(LONGEST) as u16 - 1
        });
        self.places[self.network.inputs + k] = to;
        let end = self.acts.steps.len() as u32 + 1;
        self.acts.steps.push(Step { of, to });
        match self.acts.acts[self.begun..].last_mut() {
            Some(Act::Run { table, to, .. }) if *table == node.table => *to = end,
            _ => self.acts.acts.push(Act::Run { table: node.table, from: end - 1, to: end }),
        }
    }

    /// Stores the outputs that a part computes; what is no node belongs to the last part.
    fn store(&mut self, part: &std::ops::Range<usize>) {
        let (from, is_last) = (self.acts.stores.len() as u32, part.end == self.network.nodes.len());
        for (&(value, negated), &plane) in self.network.outputs.iter().zip(self.changed) {
            let node = (value as usize).checked_sub(self.network.inputs);
            if node.map_or(is_last, |node| part.contains(&node)) {
                self.acts.stores.push(Store { from: self.places[value as usize], plane, negated });
            }
        }
        let to = self.acts.stores.len() as u32;
        if to > from {
            self.acts.acts.push(Act::Store { from, to });
        }
    }
}

/// An interaction under way.
struct Running<'a, B, const N: usize> {
    acts: &'a Acts,
    l: &'a mut [B],
    r: &'a mut [B],
    /// The other inputs but the last: coins.
    more: &'a [B],
    /// The lanes that are asked, and then what is told.
    io: B,
}

impl<B: Bit, const N: usize> Task for Running<'_, B, N> {
    #[inline(always)]
    fn go(&mut self) {
        let (mut frame, mut at) = ([B::ZERO; N], 0);
        for part in [&*self.l, &*self.r, self.more, &[self.io]] {
            frame[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        }
        let (acts, mut k) = (self.acts, 0);
        while let Some(&act) = acts.acts.get(k) {
            k += 1;
            match act {
                Act::Run { table, from, to } => run(table, &acts.steps[from as usize..to as usize], &mut frame),
                Act::Store { from, to } => self.store(&acts.stores[from as usize..to as usize], &frame),
                Act::Jump { guard, to } if !frame[guard as usize % N].any() => k = to as usize,
                Act::Jump { .. } => {}
            }
        }
        self.io = value(&frame, acts.told);
    }
}

impl<B: Bit, const N: usize> Running<'_, B, N> {
    #[inline(always)]
    fn store(&mut self, stores: &[Store], frame: &[B; N]) {
        for store in stores {
            let plane = store.plane as usize;
            let width = self.l.len();
            let to = if plane < width { &mut self.l[plane] } else { &mut self.r[plane - width] };
            *to = value(frame, (store.from, store.negated));
        }
    }
}

#[inline(always)]
fn value<B: Bit, const N: usize>(frame: &[B; N], (from, negated): (u16, bool)) -> B {
    let value = frame[from as usize % N];
    if negated { !value } else { value }
}

/// A function whose table is a constant: what it is of two bits where the first holds, and where it does not.
#[inline(always)]
fn constant<B: Bit, const TABLE: u8>(a: B, b: B, c: B) -> B {
    let of_two = |table: u8| match table & 15 {
        0 => B::ZERO,
        1 => !(b | c),
        2 => !b & c,
        3 => !b,
        4 => b & !c,
        5 => !c,
        6 => b ^ c,
        7 => !(b & c),
        8 => b & c,
        9 => !(b ^ c),
        10 => c,
        11 => !b | c,
        12 => b,
        13 => b | !c,
        14 => b | c,
        _ => B::ONE,
    };
    let (high, low) = (TABLE >> 4, TABLE & 15);
    match (high, low) {
        _ if high == low => of_two(low),
        _ if high == !low & 15 => a ^ of_two(low),
        (_, 0) => a & of_two(high),
        (0, _) => !a & of_two(low),
        (15, _) => a | of_two(low),
        (0xe, 8) => B::majority(a, b, c),
        _ => a.select(of_two(high), of_two(low)),
    }
}

/// Some steps with a function whose table is a constant.
#[inline(always)]
fn constantly<B: Bit, const TABLE: u8, const N: usize>(steps: &[Step], frame: &mut [B; N]) {
    for step in steps {
        // The remainder is never taken: it spares the compiler a panic.
        let [a, b, c] = [step.of[0] as usize % N, step.of[1] as usize % N, step.of[2] as usize % N];
        frame[step.to as usize % N] = constant::<B, TABLE>(frame[a], frame[b], frame[c]);
    }
}

macro_rules! functions {
    ($table:expr, $with:ident; $($known:literal)*) => {
        match $table {
            $(
                $known => $with!($known),
            )*
            _ => $with!(0),
        }
    };
}

/// Some steps of one settled function. Others, and other orders of operands, occur in no acts.
#[inline(always)]
fn run<B: Bit, const N: usize>(table: Table, steps: &[Step], frame: &mut [B; N]) {
    macro_rules! steps {
        ($known:literal) => {
            constantly::<B, $known, N>(steps, frame)
        };
    }
    functions!(table, steps;
        2 6 8 10 14 22 24 26 30 40 42 44 46 60 62 104 106 110 126 128
        130 134 136 138 142 150 152 154 158 168 170 172 174 188 190 232 234 238 254
    );
}

/// A settled function of three words. Others, which are true for all false, occur in no network that is interpreted.
#[inline(always)]
pub(crate) fn apply<B: Bit>(table: Table, a: B, b: B, c: B) -> B {
    macro_rules! once {
        ($known:literal) => {
            constant::<B, $known>(a, b, c)
        };
    }
    functions!(table, once;
        2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 32
        34 36 38 40 42 44 46 48 50 52 54 56 58 60 62 64
        66 68 70 72 74 76 78 80 82 84 86 88 90 92 94 96
        98 100 102 104 106 108 110 112 114 116 118 120 122 124 126 128
        130 132 134 136 138 140 142 144 146 148 150 152 154 156 158 160
        162 164 166 168 170 172 174 176 178 180 182 184 186 188 190 192
        194 196 198 200 202 204 206 208 210 212 214 216 218 220 222 224
        226 228 230 232 234 236 238 240 242 244 246 248 250 252 254
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::tests::lanes;

    #[test]
    fn every_settled_function_is_known() {
        for table in (2..=254).step_by(2) {
            let node = canonical(Node { table, of: [0, 1, 2] });
            // The operands, the result, and what their order is now.
            let values = [0xf0_u8, 0xcc, 0xaa];
            let mut frame = [0; 4];
            frame[..3].copy_from_slice(&values.map(u64::from));
            run(node.table, &[Step { of: node.of.map(|of| of as u16), to: 3 }], &mut frame);
            assert_eq!(frame[3] & 0xff, u64::from(table));
            assert_eq!(apply(table, 0xf0_u64, 0xcc, 0xaa) & 0xff, u64::from(table));
        }
    }

    fn is_noticed(name: &str, change: impl FnOnce(&mut Acts)) -> bool {
        let lanes = lanes(name);
        let step = lanes.step();
        let mut acts = step.jumping();
        assert!(step.agrees(&acts));
        change(&mut acts);
        !step.agrees(&acts)
    }

    /// Another function, another operand, a store that is negated, jumps that are too long.
    #[test]
    fn a_wrong_act_is_noticed() {
        let table = |acts: &mut Acts| {
            let run =
                acts.acts.iter_mut().find_map(|act| if let Act::Run { table, .. } = act { Some(table) } else { None });
            *run.unwrap() ^= 0x66;
        };
        assert!(is_noticed("elim", table));
        assert!(is_noticed("ppl", |acts| acts.steps.last_mut().unwrap().of = [0; 3]));
        assert!(is_noticed("ppl", |acts| acts.stores.last_mut().unwrap().negated ^= true));
        let longer = |acts: &mut Acts| {
            let end = acts.acts.len() as u32;
            for act in &mut acts.acts {
                if let Act::Jump { to, .. } = act {
                    *to = end;
                }
            }
        };
        assert!(is_noticed("ppl", longer));
    }
}
