//! Blocks of code, and what is known where. Where ways meet, values that differ get a register, which every way fills as it comes in.
//!
//! A register gets its value in one place, except for those of meetings, which get one on every way; so what is known of a register stays so.

use std::collections::BTreeMap;

use super::value::{Num, Reg, Val, Who};
use super::{Bits, Cmp, End, MASKS, Op};
use crate::setting::Slot;

/// More instructions are not written.
const LONGEST: usize = 1 << 14;

/// A block, by its number.
pub(crate) type Label = usize;

/// The blocks that code ends in.
const ENDS: [End; 3] = [End::Yes, End::No, End::Bail];
pub(crate) const YES: Label = 0;
pub(crate) const NO: Label = 1;
pub(crate) const BAIL: Label = 2;

/// A question at the end of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    Regs(Cmp, Reg, Reg),
    Const(Cmp, Reg, i64),
    /// Bits of a word, with the agent if its number is in a register; whether they have to differ.
    Bits(Option<Reg>, u8, u16, bool),
}

/// A way from a block to another, with the registers that are filled on it, all at once.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) to: Label,
    pub(crate) moves: Vec<(Reg, Num)>,
}

/// How a block ends.
#[derive(Clone, Debug)]
pub(crate) enum Term {
    Open,
    Jump(Edge),
    /// The same, backwards.
    Back(Edge),
    Branch(Test, [Edge; 2]),
    End(End),
}

#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) ops: Vec<Op<Reg>>,
    pub(crate) term: Term,
    /// The ways into it so far.
    incoming: Vec<Incoming>,
    /// How many frames there are in it, and how many locals the last one has.
    depth: (usize, usize),
}

/// A way into a block: from which, by which of its edges, and what is known on it.
#[derive(Clone, Debug)]
struct Incoming {
    from: Label,
    side: usize,
    now: Now,
    carried: Option<Val>,
}

/// A slot of an agent, by its word and lowest bit.
pub(crate) type Place = (Who, usize, u32);

/// What is known at some place of the code.
#[derive(Clone, Debug, Default)]
pub(crate) struct Now {
    /// The locals of the calls under way.
    pub(crate) frames: Vec<Vec<Val>>,
    /// The numbers that slots have.
    pub(crate) known: BTreeMap<Place, Num>,
}

/// Code as it is written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flow {
    pub(crate) blocks: Vec<Block>,
    /// The blocks that are written, in the order of the text: every way but those back leads forward.
    pub(crate) order: Vec<Label>,
    /// The block that is written now; none where nothing comes.
    at: Option<Label>,
    pub(crate) now: Now,
    pub(crate) registers: Reg,
    pub(crate) masks: Vec<(u64, u64)>,
    written: usize,
}

impl Flow {
    /// Whether anything comes here.
    pub(crate) fn comes(&self) -> bool {
        self.at.is_some()
    }

    /// Whether it became too long.
    pub(crate) fn is_too_long(&self) -> bool {
        self.written > LONGEST || self.masks.len() > MASKS || self.blocks.len() > 4 * LONGEST
    }

    pub(crate) fn register(&mut self) -> Reg {
        self.registers += 1;
        self.registers - 1
    }

    pub(crate) fn emit(&mut self, op: Op<Reg>) {
        self.written += 1;
        if self.is_too_long() {
            self.at = None;
        }
        if let Some(at) = self.at {
            self.blocks[at].ops.push(op);
        }
    }

    /// The entry of the table of masks.
    pub(crate) fn mask(&mut self, mask: u64, value: u64) -> u16 {
        let known = self.masks.iter().position(|&known| known == (mask, value));
        let place = known.unwrap_or_else(|| {
            self.masks.push((mask, value));
            self.masks.len() - 1
        });
        place as u16
    }

    // --- Blocks and the ways between them ---------------------------------------------------------------------------

    /// A block that is written later, within the call that is under way.
    pub(crate) fn label(&mut self) -> Label {
        let depth = (self.now.frames.len(), self.now.frames.last().map_or(0, Vec::len));
        self.written += 1;
        self.blocks.push(Block { ops: Vec::new(), term: Term::Open, incoming: Vec::new(), depth });
        self.blocks.len() - 1
    }

    fn come(&mut self, from: Label, side: usize, to: Label, carried: Option<Val>, mut now: Now) -> Edge {
        if to < ENDS.len() {
            return Edge { to, moves: Vec::new() };
        }
        let (frames, locals) = self.blocks[to].depth;
        now.frames.truncate(frames);
        if let Some(last) = now.frames.last_mut() {
            last.truncate(locals);
        }
        self.blocks[to].incoming.push(Incoming { from, side, now, carried });
        Edge { to, moves: Vec::new() }
    }

    /// Goes to a block, perhaps with a value.
    pub(crate) fn jump(&mut self, to: Label, carried: Option<Val>) {
        let Some(from) = self.at.take() else { return };
        let edge = self.come(from, 0, to, carried, self.now.clone());
        self.blocks[from].term = Term::Jump(edge);
    }

    /// Goes to one of two blocks; on the first and the second way a slot is known to have a number.
    pub(crate) fn branch(&mut self, test: Test, to: [Label; 2], learned: [Option<(Place, Num)>; 2]) {
        let Some(from) = self.at.take() else { return };
        let edges = [0, 1].map(|side| {
            let mut now = self.now.clone();
            now.known.extend(learned[side]);
            self.come(from, side, to[side], None, now)
        });
        self.blocks[from].term = Term::Branch(test, edges);
    }

    /// Leaves it to the law.
    pub(crate) fn bail(&mut self) {
        self.jump(BAIL, None);
    }

    /// Writes a block from here on, all ways into it being known; the value that they carry.
    pub(crate) fn place(&mut self, label: Label) -> Option<Val> {
        debug_assert!(self.at.is_none(), "the block before has an end");
        let incoming = std::mem::take(&mut self.blocks[label].incoming);
        let (frames, locals) = self.blocks[label].depth;
        if incoming.is_empty() {
            self.now.frames.truncate(frames);
            if let Some(last) = self.now.frames.last_mut() {
                last.truncate(locals);
            }
            return None;
        }
        self.at = Some(label);
        self.order.push(label);
        let mut moves = vec![Vec::new(); incoming.len()];
        let mut meeting = Meeting { flow: self, moves: &mut moves };
        let (now, carried) = meeting.of(&incoming);
        self.now = now;
        for (way, moves) in incoming.iter().zip(moves) {
            self.edge(way.from, way.side).moves.extend(moves);
        }
        carried
    }

    /// Code with the blocks that it ends in, and its first one.
    pub(crate) fn new() -> Self {
        let mut flow = Self::default();
        for end in ENDS {
            let label = flow.label();
            flow.blocks[label].term = Term::End(end);
        }
        let first = flow.label();
        flow.at = Some(first);
        flow.order.push(first);
        flow
    }

    fn edge(&mut self, from: Label, side: usize) -> &mut Edge {
        match &mut self.blocks[from].term {
            Term::Jump(edge) | Term::Back(edge) => edge,
            Term::Branch(_, edges) => &mut edges[side],
            Term::Open | Term::End(_) => unreachable!("a way leads from here"),
        }
    }

    // --- Loops ------------------------------------------------------------------------------------------------------

    /// Starts a loop, in which locals of the last frame are as given.
    pub(crate) fn begin(&mut self, heads: &[(usize, Val)]) -> Label {
        let head = self.label();
        let moves = self.moves_into(heads);
        let (from, now) = (self.at.take(), self.now.clone());
        let Some(from) = from else { return head };
        self.blocks[from].term = Term::Jump(Edge { to: head, moves: moves.unwrap_or_default() });
        self.at = Some(head);
        self.order.push(head);
        self.now = now;
        if let Some(last) = self.now.frames.last_mut() {
            heads.iter().for_each(|(local, value)| last[*local] = value.clone());
        }
        head
    }

    /// Goes back to the start of a loop; the locals that are not of its kinds, if there are any.
    pub(crate) fn back(&mut self, head: Label, heads: &[(usize, Val)]) -> Result<(), Vec<usize>> {
        let Some(from) = self.at else { return Ok(()) };
        let Some(moves) = self.moves_into(heads) else {
            let unlike =
                heads.iter().filter(|(local, value)| fill(value, self.last(*local), &mut Vec::new()).is_none());
            return Err(unlike.map(|(local, _)| *local).collect());
        };
        self.at = None;
        self.blocks[from].term = Term::Back(Edge { to: head, moves });
        Ok(())
    }

    pub(crate) fn last(&self, local: usize) -> &Val {
        self.now.frames.last().and_then(|frame| frame.get(local)).unwrap_or(&Val::Unset)
    }

    fn moves_into(&self, heads: &[(usize, Val)]) -> Option<Vec<(Reg, Num)>> {
        let mut moves = Vec::new();
        heads.iter().try_for_each(|(local, value)| fill(value, self.last(*local), &mut moves))?;
        Some(moves)
    }

    /// A value of the same kind of which nothing else is known.
    pub(crate) fn any(&mut self, value: &Val) -> Val {
        let number = |flow: &mut Self| Num::Reg(flow.register(), i64::MIN, i64::MAX);
        match value {
            Val::Int(_) => Val::Int(number(self)),
            Val::Name(_) => Val::Name(number(self)),
            Val::Maybe(_, value) => {
                let there = Num::Reg(self.register(), 0, 1);
                Val::Maybe(there, self.any(value).into())
            }
            Val::Tuple(items) => Val::Tuple(items.iter().map(|item| self.any(item)).collect()),
            Val::Agent(_) => Val::Agent(Who::At(self.register())),
            Val::Unset => Val::Lost,
            Val::None | Val::Ring | Val::Coin(_) | Val::Lost => value.clone(),
        }
    }

    /// A value of a kind that takes both.
    pub(crate) fn wider(&mut self, a: &Val, b: &Val) -> Val {
        let mut moves = vec![Vec::new(); 2];
        let met = Meeting { flow: self, moves: &mut moves }.value(&[Some(a), Some(b)]);
        self.any(&met)
    }

    // --- Words ------------------------------------------------------------------------------------------------------

    /// Stores a number in a slot, which is known from then on.
    pub(crate) fn store(&mut self, who: Who, slot: &Slot, value: Num) {
        let place = (who, slot.word, slot.shift);
        if slot.mask == 0 || self.now.known.get(&place).is_some_and(|known| known.is(&value)) {
            return;
        }
        match value {
            Num::Const(value) => self.keep(who, slot, value),
            Num::Reg(from, ..) => {
                let sub = slot.zero;
                self.emit(match who {
                    Who::Fixed(agent) => Op::Store { from, at: Bits::new(slot, Some(agent)), sub },
                    Who::At(agent) => Op::StoreOf { from, agent, at: Bits::new(slot, None), sub },
                });
            }
        }
        // Two agents whose numbers are not known may be the same.
        let same = |other: &Who| matches!((who, *other), (Who::At(_), _) | (_, Who::At(_)));
        self.now.known.retain(|(other, word, shift), _| (*word, *shift) != (place.1, place.2) || !same(other));
        self.now.known.insert(place, value);
    }

    /// Several constants in a row for one word are stored at once.
    fn keep(&mut self, who: Who, slot: &Slot, value: i64) {
        let (bits, value) = bits(slot, value);
        let word = slot.word + if let Who::Fixed(agent) = who { 2 * agent } else { 0 };
        let last = self.at.and_then(|at| self.blocks[at].ops.last().copied());
        let joined = match (last, who) {
            (Some(Op::Keep { word: other, mask }), Who::Fixed(_)) if usize::from(other) == word => Some(mask),
            (Some(Op::KeepOf { agent: of, word: other, mask }), Who::At(agent))
                if of == agent && usize::from(other) == word =>
            {
                Some(mask)
            }
            _ => None,
        };
        let (mut all, mut now) = (bits, value);
        if let (Some(mask), Some(at)) = (joined, self.at) {
            let (before, kept) = self.masks[mask as usize];
            (all, now) = (before | bits, kept & !bits | value);
            self.blocks[at].ops.pop();
        }
        let (mask, word) = (self.mask(all, now), word as u8);
        self.emit(match who {
            Who::Fixed(_) => Op::Keep { word, mask },
            Who::At(agent) => Op::KeepOf { agent, word, mask },
        });
    }
}

/// The bits of a slot in its word, and those of a value there.
pub(crate) fn bits(slot: &Slot, value: i64) -> (u64, u64) {
    (slot.mask << slot.shift, (value.wrapping_sub(slot.zero) as u64 & slot.mask) << slot.shift)
}

/// Fills the registers of a value with another one, if that is of the same kind.
fn fill(into: &Val, from: &Val, moves: &mut Vec<(Reg, Num)>) -> Option<()> {
    let mut number = |into: &Num, from: Num| {
        if let Num::Reg(register, ..) = into {
            moves.push((*register, from));
        }
    };
    match (into, from) {
        (Val::Lost, _) => {}
        (Val::Int(into), Val::Int(from)) | (Val::Name(into), Val::Name(from)) => number(into, *from),
        (Val::Maybe(into, _), Val::None) => number(into, Num::Const(0)),
        (Val::Maybe(into, value), Val::Maybe(from, other)) => {
            number(into, *from);
            fill(value, other, moves)?;
        }
        (Val::Maybe(into, value), other) => {
            number(into, Num::Const(1));
            fill(value, other, moves)?;
        }
        (Val::Tuple(into), Val::Tuple(from)) if into.len() == from.len() => {
            into.iter().zip(from.iter()).try_for_each(|(into, from)| fill(into, from, moves))?;
        }
        (Val::Agent(Who::At(into)), Val::Agent(from)) => moves.push((*into, number_of(*from))),
        (into, from) if into.is(from) => {}
        _ => return None,
    }
    Some(())
}

/// An agent as a number.
fn number_of(who: Who) -> Num {
    match who {
        Who::Fixed(agent) => Num::Const(agent as i64),
        Who::At(register) => Num::Reg(register, 0, i64::MAX),
    }
}

/// Ways that meet, and what is filled on each.
struct Meeting<'a> {
    flow: &'a mut Flow,
    moves: &'a mut [Vec<(Reg, Num)>],
}

impl Meeting<'_> {
    fn of(&mut self, ways: &[Incoming]) -> (Now, Option<Val>) {
        let mut now = ways[0].now.clone();
        let carried: Vec<Option<&Val>> = ways.iter().map(|way| way.carried.as_ref()).collect();
        let carried = carried[0].is_some().then(|| self.value(&carried));
        if ways.len() > 1 {
            for (f, frame) in now.frames.iter_mut().enumerate() {
                for (k, local) in frame.iter_mut().enumerate() {
                    let values: Vec<Option<&Val>> = ways.iter().map(|way| Some(&way.now.frames[f][k])).collect();
                    *local = self.value(&values);
                }
            }
            now.known.retain(|place, number| {
                ways[1..].iter().all(|way| way.now.known.get(place).is_some_and(|other| other.is(number)))
            });
        }
        (now, carried)
    }

    /// A value that is each of these on its way; where there is none, it does not matter.
    fn value(&mut self, values: &[Option<&Val>]) -> Val {
        let mut present = values.iter().flatten();
        let Some(&first) = present.next() else { return Val::Lost };
        if present.clone().all(|value| value.is(first)) {
            return first.clone();
        }
        let any = |holds: fn(&Val) -> bool| values.iter().flatten().any(|value| holds(value));
        if any(|value| matches!(value, Val::Lost)) {
            return Val::Lost;
        }
        if any(|value| matches!(value, Val::None | Val::Maybe(..))) {
            return self.maybe(values);
        }
        let numbers = |kind: fn(&Val) -> Option<Num>| -> Option<Vec<Option<Num>>> {
            values.iter().map(|value| value.map_or(Some(None), |value| kind(value).map(Some))).collect()
        };
        let int = |value: &Val| if let Val::Int(number) = value { Some(*number) } else { None };
        let name = |value: &Val| if let Val::Name(number) = value { Some(*number) } else { None };
        let who = |value: &Val| if let Val::Agent(who) = value { Some(number_of(*who)) } else { None };
        if let Some(numbers) = numbers(int) {
            return Val::Int(self.number(&numbers));
        }
        if let Some(numbers) = numbers(name) {
            return Val::Name(self.number(&numbers));
        }
        if let Some(numbers) = numbers(who) {
            return match self.number(&numbers) {
                Num::Const(agent) => Val::Agent(Who::Fixed(agent as usize)),
                Num::Reg(register, ..) => Val::Agent(Who::At(register)),
            };
        }
        self.tuple(values)
    }

    fn maybe(&mut self, values: &[Option<&Val>]) -> Val {
        let there = |value: &&Val| match value {
            Val::None => Num::Const(0),
            Val::Maybe(there, _) => *there,
            _ => Num::Const(1),
        };
        let inner = |value: Option<&'_ Val>| match value {
            None | Some(Val::None) => None,
            Some(Val::Maybe(_, value)) => Some((**value).clone()),
            Some(other) => Some(other.clone()),
        };
        let theres: Vec<Option<Num>> = values.iter().map(|value| value.as_ref().map(there)).collect();
        let inners: Vec<Option<Val>> = values.iter().map(|value| inner(*value)).collect();
        let there = self.number(&theres);
        let value = self.value(&inners.iter().map(Option::as_ref).collect::<Vec<_>>());
        Val::Maybe(there, value.into())
    }

    fn tuple(&mut self, values: &[Option<&Val>]) -> Val {
        let tuples: Option<Vec<Option<&[Val]>>> = values
            .iter()
            .map(|value| match value {
                None => Some(None),
                Some(Val::Tuple(items)) => Some(Some(&**items)),
                Some(_) => None,
            })
            .collect();
        let Some(tuples) = tuples else { return Val::Lost };
        let len = tuples.iter().flatten().next().map_or(0, |items| items.len());
        if tuples.iter().flatten().any(|items| items.len() != len) {
            return Val::Lost;
        }
        let item = |k: usize| tuples.iter().map(|items| items.map(|items| &items[k])).collect::<Vec<_>>();
        Val::Tuple((0..len).map(|k| self.value(&item(k))).collect())
    }

    fn number(&mut self, numbers: &[Option<Num>]) -> Num {
        let present: Vec<Num> = numbers.iter().flatten().copied().collect();
        match present.as_slice() {
            [] => Num::Const(0),
            [first, rest @ ..] if rest.iter().all(|other| other.is(first)) => *first,
            _ => {
                let low = present.iter().map(|number| number.range().0).min().unwrap_or(0);
                let high = present.iter().map(|number| number.range().1).max().unwrap_or(0);
                let register = self.flow.register();
                for (moves, number) in self.moves.iter_mut().zip(numbers) {
                    moves.extend(number.map(|number| (register, number)));
                }
                Num::Reg(register, low, high)
            }
        }
    }
}
