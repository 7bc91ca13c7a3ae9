//! A text as code of few instructions on registers, for one ring: what `interact` does to two agents, and whether a ring is in a set.
//!
//! ```text
//! tree --write (partial evaluation)--> flow: blocks with values --order--> Vec<Op> --run-->
//! ```
//! Calls are written out, constants and ranges known, agents and kinds of values decided beforehand; loops that are long stay loops. Code
//! works on a copy, and wherever something may go wrong, or is not worth an instruction, it *bails out*: then nothing has happened, and the
//! law does it all. So code never decides what a fault is.

mod flow;
mod order;
mod value;
mod write;

use crate::eval::{floor_div, power};
use crate::program::Program;
use crate::setting::{Setting, Slot, State};

/// How code ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The set holds, or the interaction is done.
    Yes,
    /// The set does not hold.
    No,
    /// The law has to do it.
    Bail,
}

/// A slot in a word: shifted left and then right, what remains are its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bits {
    /// Which word: of an agent that is known twice its place more.
    word: u8,
    left: u8,
    right: u8,
}

/// What may go wrong with numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Math {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Pow,
    Abs,
    Log,
}

/// How numbers are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cmp {
    Eq,
    Ne,
    Lt,
    Ge,
}

impl Cmp {
    #[inline]
    fn holds(self, a: i64, b: i64) -> bool {
        match self {
            Self::Eq => a == b,
            Self::Ne => a != b,
            Self::Lt => a < b,
            Self::Ge => a >= b,
        }
    }

    fn negated(self) -> Self {
        match self {
            Self::Eq => Self::Ne,
            Self::Ne => Self::Eq,
            Self::Lt => Self::Ge,
            Self::Ge => Self::Lt,
        }
    }
}

/// An instruction; `R` is a register. Jumps say where to, as a place in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op<R> {
    Set {
        to: R,
        value: i64,
    },
    Copy {
        to: R,
        from: R,
    },
    /// A slot of an agent that is known, or of one whose number is in a register.
    Load {
        to: R,
        at: Bits,
        add: i64,
    },
    LoadOf {
        to: R,
        agent: R,
        at: Bits,
        add: i64,
    },
    Store {
        from: R,
        at: Bits,
        sub: i64,
    },
    StoreOf {
        from: R,
        agent: R,
        at: Bits,
        sub: i64,
    },
    /// Some bits of a word become what an entry of the table of masks says.
    Keep {
        word: u8,
        mask: u16,
    },
    KeepOf {
        agent: R,
        word: u8,
        mask: u16,
    },
    Oracle {
        to: R,
    },
    Coin {
        to: R,
        coin: u8,
    },
    AddConst {
        to: R,
        a: R,
        value: i64,
    },
    SubFrom {
        to: R,
        a: R,
        value: i64,
    },
    Add {
        to: R,
        a: R,
        b: R,
    },
    Sub {
        to: R,
        a: R,
        b: R,
    },
    Mul {
        to: R,
        a: R,
        b: R,
    },
    And {
        to: R,
        a: R,
        mask: i64,
    },
    Shift {
        to: R,
        a: R,
        by: u8,
    },
    /// Modulo a number of which at most one has to be added or taken away.
    Wrap {
        to: R,
        a: R,
        by: i64,
    },
    /// Modulo a positive number.
    Rem {
        to: R,
        a: R,
        by: i64,
    },
    Min {
        to: R,
        a: R,
        b: R,
    },
    Max {
        to: R,
        a: R,
        b: R,
    },
    MinConst {
        to: R,
        a: R,
        value: i64,
    },
    MaxConst {
        to: R,
        a: R,
        value: i64,
    },
    Is {
        cmp: Cmp,
        to: R,
        a: R,
        b: R,
    },
    IsConst {
        cmp: Cmp,
        to: R,
        a: R,
        value: i64,
    },
    /// An element of a table of numbers.
    Pick {
        to: R,
        a: R,
        table: u16,
    },
    Math {
        math: Math,
        to: R,
        a: R,
        b: R,
    },
    Jump {
        to: u32,
    },
    /// A jump back, which costs so much patience.
    Back {
        to: u32,
        cost: u32,
    },
    IfEq {
        a: R,
        b: R,
        to: u32,
    },
    IfNe {
        a: R,
        b: R,
        to: u32,
    },
    IfLt {
        a: R,
        b: R,
        to: u32,
    },
    IfGe {
        a: R,
        b: R,
        to: u32,
    },
    IfEqConst {
        a: R,
        value: i64,
        to: u32,
    },
    IfNeConst {
        a: R,
        value: i64,
        to: u32,
    },
    IfLtConst {
        a: R,
        value: i64,
        to: u32,
    },
    IfGeConst {
        a: R,
        value: i64,
        to: u32,
    },
    /// Whether some bits of a word are what an entry of the table of masks says, or not.
    IfBits {
        word: u8,
        mask: u16,
        to: u32,
    },
    IfNotBits {
        word: u8,
        mask: u16,
        to: u32,
    },
    IfBitsOf {
        agent: R,
        word: u8,
        mask: u16,
        to: u32,
    },
    IfNotBitsOf {
        agent: R,
        word: u8,
        mask: u16,
        to: u32,
    },
    /// Whether one of two words is not so.
    IfNotBoth {
        words: [u8; 2],
        masks: [u16; 2],
        to: u32,
    },
    End(End),
}

/// Code that can be run.
#[derive(Clone, Debug)]
pub struct Code {
    ops: Vec<Op<u8>>,
    /// Which bits of a word, and what they are.
    masks: Box<[(u64, u64); MASKS]>,
    tables: Vec<Vec<i64>>,
    /// So many registers are used.
    registers: usize,
}

/// What code works on.
trait Memory {
    fn word(&self, index: usize) -> u64;
    fn set(&mut self, index: usize, word: u64);
}

/// Two agents, to change.
struct Pair([u64; 4]);

impl Memory for Pair {
    #[inline(always)]
    fn word(&self, index: usize) -> u64 {
        self.0[index % 4]
    }

    #[inline(always)]
    fn set(&mut self, index: usize, word: u64) {
        self.0[index % 4] = word;
    }
}

/// A ring, to look at.
struct Seen<'a>(&'a [State]);

impl Memory for Seen<'_> {
    #[inline(always)]
    fn word(&self, index: usize) -> u64 {
        self.0[index / 2].0[index % 2]
    }

    #[inline(always)]
    fn set(&mut self, _: usize, _: u64) {}
}

/// What else an interaction may ask.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The values of coins.
    pub coins: &'a [Slot],
    /// All coins in one number.
    pub coin: u64,
    /// What the oracle says.
    pub leader: bool,
}

/// So many masks there may be.
pub(crate) const MASKS: usize = 1024;
/// So many registers are enough for most code, and so many there may be.
const FEW: usize = 16;
const MOST: usize = 256;

impl Code {
    /// The code of `interact`; if it is known that nothing can go wrong, nothing is looked after. `None` if it is too hard.
    #[must_use]
    pub fn interact(program: &Program, setting: &Setting, proven: bool) -> Option<Self> {
        write::interact(program, setting, proven)
    }

    /// The code of a function of the ring. `None` if it is too hard.
    #[must_use]
    pub fn set(program: &Program, setting: &Setting, function: usize) -> Option<Self> {
        write::set(program, setting, function)
    }

    /// What a run costs in expressions of the law, those of loops not counted: an instruction takes an eighth of the time.
    #[inline]
    pub(crate) fn price(&self) -> u64 {
        self.ops.len() as u64 / 8 + 1
    }

    /// One interaction; whether a coin was read, and the agents afterwards. `None` if the law has to do it.
    #[inline]
    pub fn meet(&self, l: &State, r: &State, asked: Asked<'_>, fuel: &mut u64) -> Option<(bool, [State; 2])> {
        let mut pair = Pair([l.0[0], l.0[1], r.0[0], r.0[1]]);
        let mut drawn = false;
        let end = if self.registers <= FEW {
            self.run::<_, FEW>(&mut pair, asked, fuel, &mut drawn)
        } else {
            self.run::<_, MOST>(&mut pair, asked, fuel, &mut drawn)
        };
        let [a, b, c, d] = pair.0;
        (end != End::Bail).then_some((drawn, [State([a, b]), State([c, d])]))
    }

    /// Whether a ring is in the set; `None` if the law has to say it.
    pub fn holds(&self, config: &[State], fuel: &mut u64) -> Option<bool> {
        let asked = Asked { coins: &[], coin: 0, leader: false };
        match self.run::<_, MOST>(&mut Seen(config), asked, fuel, &mut false) {
            End::Yes => Some(true),
            End::No => Some(false),
            End::Bail => None,
        }
    }

    /// Runs code. Numbers wrap where it is known that they do not get so large.
    #[inline(always)]
    fn run<M: Memory, const N: usize>(
        &self,
        memory: &mut M,
        asked: Asked<'_>,
        fuel: &mut u64,
        drawn: &mut bool,
    ) -> End {
        let mut registers = [0_i64; N];
        macro_rules! get {
            ($register:expr) => {
                registers[$register as usize % N]
            };
        }
        macro_rules! put {
            ($register:expr, $value:expr) => {
                registers[$register as usize % N] = $value
            };
        }
        let mut at = 0_usize;
        loop {
            let Some(op) = self.ops.get(at) else { return End::Bail };
            at += 1;
            match *op {
                Op::Set { to, value } => put!(to, value),
                Op::Copy { to, from } => put!(to, get!(from)),
                Op::Load { to, at, add } => put!(to, at.of(memory.word(at.word as usize)).wrapping_add(add)),
                Op::LoadOf { to, agent, at, add } => {
                    let word = memory.word(2 * get!(agent) as usize + at.word as usize);
                    put!(to, at.of(word).wrapping_add(add));
                }
                Op::Store { from, at, sub } => {
                    let word = at.put(memory.word(at.word as usize), get!(from).wrapping_sub(sub));
                    memory.set(at.word as usize, word);
                }
                Op::StoreOf { from, agent, at, sub } => {
                    let index = 2 * get!(agent) as usize + at.word as usize;
                    memory.set(index, at.put(memory.word(index), get!(from).wrapping_sub(sub)));
                }
                Op::Keep { word, mask } => {
                    let ((mask, value), index) = (self.mask(mask), word as usize);
                    memory.set(index, memory.word(index) & !mask | value);
                }
                Op::KeepOf { agent, word, mask } => {
                    let ((mask, value), index) = (self.mask(mask), 2 * get!(agent) as usize + word as usize);
                    memory.set(index, memory.word(index) & !mask | value);
                }
                Op::Oracle { to } => put!(to, i64::from(asked.leader)),
                Op::Coin { to, coin } => {
                    *drawn = true;
                    put!(to, asked.value(coin as usize));
                }
                Op::AddConst { to, a, value } => put!(to, get!(a).wrapping_add(value)),
                Op::SubFrom { to, a, value } => put!(to, value.wrapping_sub(get!(a))),
                Op::Add { to, a, b } => put!(to, get!(a).wrapping_add(get!(b))),
                Op::Sub { to, a, b } => put!(to, get!(a).wrapping_sub(get!(b))),
                Op::Mul { to, a, b } => put!(to, get!(a).wrapping_mul(get!(b))),
                Op::And { to, a, mask } => put!(to, get!(a) & mask),
                Op::Shift { to, a, by } => put!(to, get!(a) >> (by & 63)),
                Op::Wrap { to, a, by } => {
                    let a = get!(a);
                    let low = if a < 0 { a.wrapping_add(by) } else { a };
                    put!(to, if low >= by { low.wrapping_sub(by) } else { low });
                }
                Op::Rem { to, a, by } => put!(to, rem(get!(a), by)),
                Op::Min { to, a, b } => put!(to, get!(a).min(get!(b))),
                Op::Max { to, a, b } => put!(to, get!(a).max(get!(b))),
                Op::MinConst { to, a, value } => put!(to, get!(a).min(value)),
                Op::MaxConst { to, a, value } => put!(to, get!(a).max(value)),
                Op::Is { cmp, to, a, b } => put!(to, i64::from(cmp.holds(get!(a), get!(b)))),
                Op::IsConst { cmp, to, a, value } => put!(to, i64::from(cmp.holds(get!(a), value))),
                Op::Pick { to, a, table } => match self.tables[table as usize].get(get!(a) as usize) {
                    Some(&value) => put!(to, value),
                    None => return End::Bail,
                },
                Op::Math { math, to, a, b } => match math.of(get!(a), get!(b)) {
                    Some(value) => put!(to, value),
                    None => return End::Bail,
                },
                Op::Jump { to } => at = to as usize,
                Op::Back { to, cost } => {
                    let Some(left) = fuel.checked_sub(cost.into()) else { return End::Bail };
                    *fuel = left;
                    at = to as usize;
                }
                Op::IfEq { a, b, to } if get!(a) == get!(b) => at = to as usize,
                Op::IfNe { a, b, to } if get!(a) != get!(b) => at = to as usize,
                Op::IfLt { a, b, to } if get!(a) < get!(b) => at = to as usize,
                Op::IfGe { a, b, to } if get!(a) >= get!(b) => at = to as usize,
                Op::IfEqConst { a, value, to } if get!(a) == value => at = to as usize,
                Op::IfNeConst { a, value, to } if get!(a) != value => at = to as usize,
                Op::IfLtConst { a, value, to } if get!(a) < value => at = to as usize,
                Op::IfGeConst { a, value, to } if get!(a) >= value => at = to as usize,
                Op::IfBits { word, mask, to } if self.are(mask, memory.word(word as usize)) => at = to as usize,
                Op::IfNotBits { word, mask, to } if !self.are(mask, memory.word(word as usize)) => at = to as usize,
                Op::IfBitsOf { agent, word, mask, to }
                    if self.are(mask, memory.word(2 * get!(agent) as usize + word as usize)) =>
                {
                    at = to as usize;
                }
                Op::IfNotBitsOf { agent, word, mask, to }
                    if !self.are(mask, memory.word(2 * get!(agent) as usize + word as usize)) =>
                {
                    at = to as usize;
                }
                Op::IfNotBoth { words: [a, b], masks: [x, y], to }
                    if !self.are(x, memory.word(a as usize)) || !self.are(y, memory.word(b as usize)) =>
                {
                    at = to as usize;
                }
                Op::End(end) => return end,
                // A condition that does not hold.
                _ => {}
            }
        }
    }

    #[inline(always)]
    fn are(&self, mask: u16, word: u64) -> bool {
        let (mask, value) = self.mask(mask);
        word & mask == value
    }

    /// An entry of the table of masks, which is so long that nothing has to be looked after.
    #[inline(always)]
    fn mask(&self, mask: u16) -> (u64, u64) {
        self.masks[mask as usize % MASKS]
    }
}

impl Bits {
    /// Those of a slot that has some, of an agent that is known or not.
    fn new(slot: &Slot, agent: Option<usize>) -> Self {
        let bits = slot.mask.count_ones();
        let word = slot.word + 2 * agent.unwrap_or(0);
        Self { word: word as u8, left: (u64::BITS - bits - slot.shift) as u8, right: (u64::BITS - bits) as u8 }
    }

    #[inline(always)]
    fn of(self, word: u64) -> i64 {
        (word << (self.left & 63) >> (self.right & 63)) as i64
    }

    #[inline(always)]
    fn put(self, word: u64, value: i64) -> u64 {
        let place = |bits: u64| bits << (self.right & 63) >> (self.left & 63);
        word & !place(u64::MAX) | place(value as u64)
    }
}

/// The rest that is not negative; numbers that are not large are divided faster.
#[inline(always)]
fn rem(a: i64, by: i64) -> i64 {
    match (u32::try_from(a), u32::try_from(by)) {
        (Ok(a), Ok(by)) if by > 0 => i64::from(a % by),
        _ => a.checked_rem_euclid(by).unwrap_or(0),
    }
}

impl Asked<'_> {
    /// The value of a coin; the last one is the lowest digit.
    fn value(&self, coin: usize) -> i64 {
        let mut rest = self.coin;
        for slot in self.coins[coin + 1..].iter().rev() {
            rest /= slot.size();
        }
        let slot = &self.coins[coin];
        slot.nth(rest % slot.size())
    }
}

impl Math {
    /// As the law has it; `None` where that is a fault.
    fn of(self, a: i64, b: i64) -> Option<i64> {
        match self {
            Self::Add => a.checked_add(b),
            Self::Sub => a.checked_sub(b),
            Self::Mul => a.checked_mul(b),
            Self::Div | Self::Mod if b == 0 => None,
            Self::Div => a.checked_div_euclid(b).map(|_| floor_div(a, b)),
            Self::Mod => Some(a.wrapping_sub(floor_div(a, b).wrapping_mul(b))),
            Self::Pow if b < 0 => None,
            Self::Pow => power(a, b),
            Self::Abs => a.checked_abs(),
            Self::Log => (a >= 1).then(|| i64::from(64 - (a as u64 - 1).leading_zeros())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ringleader::params::Params;
    use ringleader::ring::Ring;

    use super::*;
    use crate::written::{Trouble, Written};

    fn ppl() -> Written {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../protocols/ppl.py");
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let program = Arc::new(crate::read("ppl.py", &text).unwrap_or_else(|_| panic!("a text without a problem")));
        let ring = Ring::new(8, program.ring).unwrap_or_else(|error| panic!("{error}"));
        Written::new(&program, ring, &Params::default(), &Trouble::default()).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The same instruction with something wrong.
    fn wrong(op: Op<u8>) -> Option<Op<u8>> {
        Some(match op {
            Op::Load { to, at, add } => Op::Load { to, at, add: add + 1 },
            Op::Store { from, at, sub } => Op::Store { from, at: Bits { word: at.word ^ 2, ..at }, sub },
            Op::Keep { word, mask } => Op::Keep { word: word ^ 2, mask },
            Op::AddConst { to, a, value } => Op::AddConst { to, a, value: value + 1 },
            Op::SubFrom { to, a, value } => Op::SubFrom { to, a, value: value + 1 },
            Op::Wrap { to, a, by } => Op::Wrap { to, a, by: by - 1 },
            Op::MinConst { to, a, value } => Op::MinConst { to, a, value: value - 1 },
            Op::Max { to, a, b } => Op::Min { to, a, b },
            Op::IfBits { word, mask, to } => Op::IfNotBits { word, mask, to },
            Op::IfNotBits { word, mask, to } => Op::IfBits { word, mask, to },
            Op::IfLt { a, b, to } => Op::IfGe { a, b, to },
            Op::IfGeConst { a, value, to } => Op::IfLtConst { a, value, to },
            Op::IfLtConst { a, value, to } => Op::IfLtConst { a, value: value + 1, to },
            _ => return None,
        })
    }

    /// One wrong instruction at a time: what is compared before code is used finds more than nine in ten; some make no difference.
    #[test]
    fn a_wrong_instruction_is_noticed() {
        let text = ppl();
        let Some(code) = Code::interact(text.program(), text.setting(), true) else { panic!("it can be written") };
        assert!(text.is_kept(&code));
        let (mut planted, mut noticed) = (0, 0);
        for at in 0..code.ops.len() {
            let Some(op) = wrong(code.ops[at]) else { continue };
            let mut other = code.clone();
            other.ops[at] = op;
            planted += 1;
            noticed += usize::from(!text.is_kept(&other));
        }
        assert!(planted > 150 && 10 * noticed > 9 * planted, "{noticed} of {planted}");
    }
}
