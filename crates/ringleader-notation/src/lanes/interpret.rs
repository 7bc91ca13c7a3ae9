//! A network run on any words, node after node: slower than machine code, but on every processor, and what machine code is compared with.

use ringleader::circuit::Bit;

use super::network::{Network, Table};

/// A network as a list of steps on a frame of values: planes of l, planes of r, coins, the lanes that are asked, and what is computed.
#[derive(Clone, Debug)]
pub(crate) struct Steps {
    steps: Vec<Step>,
    /// How many values the frame has.
    frame: usize,
    /// Where the values of outputs are, and whether they are negated.
    outputs: Vec<(u16, bool)>,
}

/// A function, its operands, and where its value goes.
#[derive(Clone, Copy, Debug)]
struct Step {
    table: Table,
    of: [u16; 3],
    to: u16,
}

/// Longer frames are not run.
const LONGEST: usize = 4096;

impl Steps {
    /// The steps of a network; `None` if the frame would be too long.
    pub(crate) fn of(network: &Network) -> Option<Self> {
        let values = network.inputs + network.nodes.len();
        let mut uses = vec![0_u32; values];
        network.nodes.iter().flat_map(|node| node.of).for_each(|value| uses[value as usize] += 1);
        network.outputs.iter().for_each(|&(value, _)| uses[value as usize] += 1);
        // A place is free again after the last use of its value; inputs keep theirs.
        let mut places: Vec<u16> = (0..values).map(|value| value.min(LONGEST) as u16).collect();
        let (mut steps, mut free, mut frame) = (Vec::new(), Vec::new(), network.inputs);
        for (k, node) in network.nodes.iter().enumerate() {
            let of = node.of.map(|value| places[value as usize]);
            for value in node.of.map(|value| value as usize) {
                uses[value] -= 1;
                if uses[value] == 0 && value >= network.inputs {
                    free.push(places[value]);
                }
            }
            let to = free.pop().unwrap_or_else(|| {
                frame += 1;
                frame.min(LONGEST) as u16 - 1
            });
            places[network.inputs + k] = to;
            steps.push(Step { table: node.table, of, to });
        }
        let outputs = network.outputs.iter().map(|&(value, negated)| (places[value as usize], negated)).collect();
        (frame <= LONGEST).then_some(Self { steps, frame, outputs })
    }

    /// An interaction: all outputs but the last become planes of l or, after those, of r; the last is told.
    #[inline(always)]
    pub(crate) fn run<B: Bit>(&self, l: &mut [B], r: &mut [B], coins: &[B], when: B, planes: &[u16]) -> B {
        match self.frame {
            0..=64 => self.run_in::<B, 64>(l, r, coins, when, planes),
            65..=128 => self.run_in::<B, 128>(l, r, coins, when, planes),
            129..=256 => self.run_in::<B, 256>(l, r, coins, when, planes),
            257..=512 => self.run_in::<B, 512>(l, r, coins, when, planes),
            _ => self.run_in::<B, LONGEST>(l, r, coins, when, planes),
        }
    }

    #[inline(always)]
    fn run_in<B: Bit, const N: usize>(&self, l: &mut [B], r: &mut [B], coins: &[B], when: B, planes: &[u16]) -> B {
        let frame = self.frame::<B, N>([l, r, coins, &[when]]);
        for (k, &plane) in planes.iter().enumerate() {
            let plane = plane as usize;
            let to = if plane < l.len() { &mut l[plane] } else { &mut r[plane - l.len()] };
            *to = self.output(&frame, k);
        }
        self.output(&frame, planes.len())
    }

    /// The last output alone.
    #[inline(always)]
    pub(crate) fn told<B: Bit>(&self, l: &[B], r: &[B], coins: &[B]) -> B {
        // Asked of every lane.
        let (inputs, last) = ([l, r, coins, &[B::ONE]], self.outputs.len() - 1);
        match self.frame {
            0..=128 => self.output(&self.frame::<B, 128>(inputs), last),
            129..=512 => self.output(&self.frame::<B, 512>(inputs), last),
            _ => self.output(&self.frame::<B, LONGEST>(inputs), last),
        }
    }

    #[inline(always)]
    fn output<B: Bit>(&self, frame: &[B], k: usize) -> B {
        let (from, negated) = self.outputs[k];
        if negated { !frame[from as usize] } else { frame[from as usize] }
    }

    /// All values.
    #[inline(always)]
    fn frame<B: Bit, const N: usize>(&self, inputs: [&[B]; 4]) -> [B; N] {
        let (mut frame, mut at) = ([B::ZERO; N], 0);
        for part in inputs {
            frame[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        }
        for step in &self.steps {
            // The remainder is never taken: it spares the compiler a panic.
            let at = |k: usize| step.of[k] as usize % N;
            frame[step.to as usize % N] = apply(step.table, frame[at(0)], frame[at(1)], frame[at(2)]);
        }
        frame
    }
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

macro_rules! functions {
    ($table:expr, $a:expr, $b:expr, $c:expr; $($high:literal)*) => {
        match $table {
            $(
                $high => constant::<B, $high>($a, $b, $c),
            )*
            _ => B::ZERO,
        }
    };
}

/// A settled function of three words. Others, which are false for all false nowhere, occur in no network that is interpreted.
#[inline(always)]
pub(crate) fn apply<B: Bit>(table: Table, a: B, b: B, c: B) -> B {
    functions!(table, a, b, c;
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
