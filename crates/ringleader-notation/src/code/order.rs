//! From blocks to a list of instructions: what nobody needs goes, jumps to the next place go, and registers become few.

use std::collections::{BTreeMap, BTreeSet};

use super::flow::{BAIL, Edge, Flow, Label, NO, Term, Test, YES};
use super::value::{Num, Reg};
use super::{Cmp, Code, MASKS, MOST, Op};

/// Code from blocks; `None` if it needs too many registers.
pub(crate) fn order(mut flow: Flow, tables: Vec<Vec<i64>>) -> Option<Code> {
    let used = used(&flow);
    for block in &mut flow.blocks {
        block.ops.retain(|op| op.acts() || op.to().is_none_or(|to| used[to as usize]));
        block.term.edges_mut().for_each(|edge| edge.moves.retain(|(to, _)| used[*to as usize]));
    }
    shorten(&mut flow);
    let mut list = List::new(&flow);
    list.all();
    list.squeeze();
    let (ops, backs) = list.linked();
    let (ops, registers) = allocate(&ops, &backs)?;
    let mut masks = Box::new([(0, 0); MASKS]);
    masks.get_mut(..flow.masks.len())?.copy_from_slice(&flow.masks);
    Some(Code { ops, masks, tables, registers })
}

impl Term {
    fn edges(&self) -> &[Edge] {
        match self {
            Self::Jump(edge) | Self::Back(edge) => std::slice::from_ref(edge),
            Self::Branch(_, edges) => edges,
            Self::Open | Self::End(_) => &[],
        }
    }

    fn edges_mut(&mut self) -> impl Iterator<Item = &mut Edge> {
        match self {
            Self::Jump(edge) | Self::Back(edge) => std::slice::from_mut(edge).iter_mut(),
            Self::Branch(_, edges) => edges.iter_mut(),
            Self::Open | Self::End(_) => [].iter_mut(),
        }
    }
}

impl Test {
    fn registers(self) -> impl Iterator<Item = Reg> {
        match self {
            Self::Regs(_, a, b) => [Some(a), Some(b)],
            Self::Const(_, a, _) => [Some(a), None],
            Self::Bits(agent, ..) => [agent, None],
        }
        .into_iter()
        .flatten()
    }

    fn negated(self) -> Self {
        match self {
            Self::Regs(cmp, a, b) => Self::Regs(cmp.negated(), a, b),
            Self::Const(cmp, a, value) => Self::Const(cmp.negated(), a, value),
            Self::Bits(agent, word, mask, negated) => Self::Bits(agent, word, mask, !negated),
        }
    }

    /// As an instruction.
    fn jump(self, to: u32) -> Op<Reg> {
        match self {
            Self::Regs(Cmp::Eq, a, b) => Op::IfEq { a, b, to },
            Self::Regs(Cmp::Ne, a, b) => Op::IfNe { a, b, to },
            Self::Regs(Cmp::Lt, a, b) => Op::IfLt { a, b, to },
            Self::Regs(Cmp::Ge, a, b) => Op::IfGe { a, b, to },
            Self::Const(Cmp::Eq, a, value) => Op::IfEqConst { a, value, to },
            Self::Const(Cmp::Ne, a, value) => Op::IfNeConst { a, value, to },
            Self::Const(Cmp::Lt, a, value) => Op::IfLtConst { a, value, to },
            Self::Const(Cmp::Ge, a, value) => Op::IfGeConst { a, value, to },
            Self::Bits(None, word, mask, false) => Op::IfBits { word, mask, to },
            Self::Bits(None, word, mask, true) => Op::IfNotBits { word, mask, to },
            Self::Bits(Some(agent), word, mask, false) => Op::IfBitsOf { agent, word, mask, to },
            Self::Bits(Some(agent), word, mask, true) => Op::IfNotBitsOf { agent, word, mask, to },
        }
    }
}

impl<R: Copy> Op<R> {
    /// The same with other registers: those that are read first, and then, `true`, the one that is written.
    fn map<S>(self, mut f: impl FnMut(R, bool) -> S) -> Op<S> {
        macro_rules! same {
            ($kind:ident { $($read:ident),* } -> $to:ident { $($other:ident),* }) => {{
                $(let $read = f($read, false);)*
                let $to = f($to, true);
                Op::$kind { $to, $($read,)* $($other),* }
            }};
            ($kind:ident { $($read:ident),* } { $($other:ident),* }) => {{
                $(let $read = f($read, false);)*
                Op::$kind { $($read,)* $($other),* }
            }};
        }
        match self {
            Self::Set { to, value } => same!(Set {} -> to { value }),
            Self::Copy { to, from } => same!(Copy { from } -> to {}),
            Self::Load { to, at, add } => same!(Load {} -> to { at, add }),
            Self::LoadOf { to, agent, at, add } => same!(LoadOf { agent } -> to { at, add }),
            Self::Store { from, at, sub } => same!(Store { from } { at, sub }),
            Self::StoreOf { from, agent, at, sub } => same!(StoreOf { from, agent } { at, sub }),
            Self::Keep { word, mask } => Op::Keep { word, mask },
            Self::KeepOf { agent, word, mask } => same!(KeepOf { agent } { word, mask }),
            Self::Oracle { to } => same!(Oracle {} -> to {}),
            Self::Coin { to, coin } => same!(Coin {} -> to { coin }),
            Self::AddConst { to, a, value } => same!(AddConst { a } -> to { value }),
            Self::SubFrom { to, a, value } => same!(SubFrom { a } -> to { value }),
            Self::Add { to, a, b } => same!(Add { a, b } -> to {}),
            Self::Sub { to, a, b } => same!(Sub { a, b } -> to {}),
            Self::Mul { to, a, b } => same!(Mul { a, b } -> to {}),
            Self::And { to, a, mask } => same!(And { a } -> to { mask }),
            Self::Shift { to, a, by } => same!(Shift { a } -> to { by }),
            Self::Wrap { to, a, by } => same!(Wrap { a } -> to { by }),
            Self::Rem { to, a, by } => same!(Rem { a } -> to { by }),
            Self::Min { to, a, b } => same!(Min { a, b } -> to {}),
            Self::Max { to, a, b } => same!(Max { a, b } -> to {}),
            Self::MinConst { to, a, value } => same!(MinConst { a } -> to { value }),
            Self::MaxConst { to, a, value } => same!(MaxConst { a } -> to { value }),
            Self::Is { cmp, to, a, b } => same!(Is { a, b } -> to { cmp }),
            Self::IsConst { cmp, to, a, value } => same!(IsConst { a } -> to { cmp, value }),
            Self::Pick { to, a, table } => same!(Pick { a } -> to { table }),
            Self::Math { math, to, a, b } => same!(Math { a, b } -> to { math }),
            Self::Jump { to } => Op::Jump { to },
            Self::Back { to, cost } => Op::Back { to, cost },
            Self::IfEq { a, b, to } => same!(IfEq { a, b } { to }),
            Self::IfNe { a, b, to } => same!(IfNe { a, b } { to }),
            Self::IfLt { a, b, to } => same!(IfLt { a, b } { to }),
            Self::IfGe { a, b, to } => same!(IfGe { a, b } { to }),
            Self::IfEqConst { a, value, to } => same!(IfEqConst { a } { value, to }),
            Self::IfNeConst { a, value, to } => same!(IfNeConst { a } { value, to }),
            Self::IfLtConst { a, value, to } => same!(IfLtConst { a } { value, to }),
            Self::IfGeConst { a, value, to } => same!(IfGeConst { a } { value, to }),
            Self::IfBits { word, mask, to } => Op::IfBits { word, mask, to },
            Self::IfNotBits { word, mask, to } => Op::IfNotBits { word, mask, to },
            Self::IfBitsOf { agent, word, mask, to } => same!(IfBitsOf { agent } { word, mask, to }),
            Self::IfNotBitsOf { agent, word, mask, to } => same!(IfNotBitsOf { agent } { word, mask, to }),
            Self::IfNotBoth { words, masks, to } => Op::IfNotBoth { words, masks, to },
            Self::End(end) => Op::End(end),
        }
    }

    /// The register that is written.
    fn to(self) -> Option<R> {
        let mut written = None;
        let _ = self.map(|register, writes| {
            if writes {
                written = Some(register);
            }
        });
        written
    }

    fn reads(self) -> Vec<R> {
        let mut read = Vec::new();
        let _ = self.map(|register, writes| {
            if !writes {
                read.push(register);
            }
        });
        read
    }

    /// Whether it does more than to fill a register: it stores, counts as a coin that was read, or may bail out.
    fn acts(self) -> bool {
        self.to().is_none() || matches!(self, Self::Coin { .. } | Self::Math { .. } | Self::Pick { .. })
    }

    /// The place that a jump leads to.
    fn place(&mut self) -> Option<&mut u32> {
        match self {
            Self::Jump { to }
            | Self::Back { to, .. }
            | Self::IfEq { to, .. }
            | Self::IfNe { to, .. }
            | Self::IfLt { to, .. }
            | Self::IfGe { to, .. }
            | Self::IfEqConst { to, .. }
            | Self::IfNeConst { to, .. }
            | Self::IfLtConst { to, .. }
            | Self::IfGeConst { to, .. }
            | Self::IfBits { to, .. }
            | Self::IfNotBits { to, .. }
            | Self::IfBitsOf { to, .. }
            | Self::IfNotBitsOf { to, .. }
            | Self::IfNotBoth { to, .. } => Some(to),
            _ => None,
        }
    }

    fn leads(mut self) -> Option<u32> {
        self.place().copied()
    }

    /// The same jump to another place.
    fn led(mut self, place: impl Fn(u32) -> u32) -> Self {
        if let Some(to) = self.place() {
            *to = place(*to);
        }
        self
    }
}

/// The registers that somebody needs.
fn used(flow: &Flow) -> Vec<bool> {
    let mut sources: Vec<Vec<Reg>> = vec![Vec::new(); flow.registers as usize];
    let mut pending = Vec::new();
    for block in &flow.blocks {
        for op in &block.ops {
            match op.to() {
                Some(to) if !op.acts() => sources[to as usize].extend(op.reads()),
                _ => pending.extend(op.reads()),
            }
        }
        if let Term::Branch(test, _) = &block.term {
            pending.extend(test.registers());
        }
        for (to, from) in block.term.edges().iter().flat_map(|edge| &edge.moves) {
            if let Num::Reg(from, ..) = from {
                sources[*to as usize].push(*from);
            }
        }
    }
    let mut used = vec![false; flow.registers as usize];
    while let Some(register) = pending.pop() {
        if !std::mem::replace(&mut used[register as usize], true) {
            pending.extend(&sources[register as usize]);
        }
    }
    used
}

// --- Shorter ways -------------------------------------------------------------------------------------------------------

/// The block where something happens that a block leads to.
fn resolved(flow: &Flow, mut label: Label) -> Label {
    while let (true, Term::Jump(edge)) = (flow.blocks[label].ops.is_empty(), &flow.blocks[label].term) {
        if !edge.moves.is_empty() {
            break;
        }
        label = edge.to;
    }
    label
}

/// A question about bits that is all that a block does.
type Asked = (Option<Reg>, u8, (u64, u64));

/// What a block asks of bits, and where to it leads.
fn asks(flow: &Flow, label: Label) -> Option<(Asked, [Edge; 2])> {
    match &flow.blocks[label].term {
        Term::Branch(Test::Bits(agent, word, mask, false), edges) => {
            Some(((*agent, *word, flow.masks[*mask as usize]), edges.clone()))
        }
        _ => None,
    }
}

/// What was just asked is not asked again, and two questions about one word become one.
fn shorten(flow: &mut Flow) {
    for label in (0..flow.blocks.len()).rev() {
        let Some((asked, mut edges)) = asks(flow, label) else { continue };
        for (side, edge) in edges.iter_mut().enumerate() {
            edge.to = further(flow, asked, side == 0, edge);
        }
        let (mut joined, mut mask) = (asked.2, None);
        while let Some((both, yes)) = join(flow, (asked.0, asked.1, joined), &edges) {
            (joined, edges[0]) = (both, yes);
            mask = Some(flow.mask(both.0, both.1));
        }
        let Term::Branch(test, known) = &mut flow.blocks[label].term else { continue };
        *known = edges;
        if let (Some(mask), Test::Bits(_, _, old, _)) = (mask, test) {
            *old = mask;
        }
    }
}

/// Where a way leads on which the answer is known.
fn further(flow: &Flow, asked: Asked, answer: bool, edge: &Edge) -> Label {
    let mut to = edge.to;
    while edge.moves.is_empty() {
        let next = resolved(flow, to);
        let Some((other, edges)) = asks(flow, next) else { break };
        if (asked.0, asked.1) != (other.0, other.1) || !flow.blocks[next].ops.is_empty() {
            break;
        }
        let Some(truth) = follows(asked.2, answer, other.2) else { break };
        let edge = &edges[usize::from(!truth)];
        if !edge.moves.is_empty() {
            break;
        }
        to = edge.to;
    }
    to
}

/// What an answer says about another question of the same word.
fn follows((mask, value): (u64, u64), answer: bool, (other, wanted): (u64, u64)) -> Option<bool> {
    if !answer {
        let alike = mask == other;
        return if alike && value == wanted { Some(false) } else { (alike && mask.is_power_of_two()).then_some(true) };
    }
    if (value ^ wanted) & mask & other != 0 { Some(false) } else { (other & !mask == 0).then_some(true) }
}

/// The next question, if it can be asked at once, and where it leads if both answers are yes.
fn join(flow: &Flow, asked: Asked, [yes, no]: &[Edge; 2]) -> Option<((u64, u64), Edge)> {
    let next = resolved(flow, yes.to);
    let (other, [on, off]) = asks(flow, next)?;
    let (agent, word, (mask, value)) = asked;
    let plain = yes.moves.is_empty() && no.moves.is_empty() && off.moves.is_empty();
    let same = (agent, word) == (other.0, other.1) && resolved(flow, off.to) == resolved(flow, no.to);
    let (bits, wanted) = other.2;
    let fits = plain && same && flow.blocks[next].ops.is_empty() && mask & bits == 0;
    fits.then_some(((mask | bits, value | wanted), on))
}

/// A loop: where it starts, and the registers that are filled on the way back.
type Back = (usize, Vec<Reg>);

/// Instructions in a row; jumps lead to labels at first.
struct List<'a> {
    flow: &'a Flow,
    ops: Vec<Op<Reg>>,
    /// Where labels are; those beyond the blocks are made here.
    places: BTreeMap<u32, usize>,
    labels: u32,
    registers: Reg,
    filled: BTreeMap<usize, Vec<Reg>>,
}

impl<'a> List<'a> {
    fn new(flow: &'a Flow) -> Self {
        let (labels, registers) = (flow.blocks.len() as u32, flow.registers);
        Self { flow, ops: Vec::new(), places: BTreeMap::new(), labels, registers, filled: BTreeMap::new() }
    }

    /// The blocks that are reached, in order, those at the end last.
    fn reached(&self) -> Vec<Label> {
        let (mut seen, mut pending) =
            (vec![false; self.flow.blocks.len()], vec![resolved(self.flow, self.flow.order[0])]);
        while let Some(label) = pending.pop() {
            if !std::mem::replace(&mut seen[label], true) {
                pending.extend(self.flow.blocks[label].term.edges().iter().map(|edge| resolved(self.flow, edge.to)));
            }
        }
        let all = self.flow.order.iter().chain(&[YES, NO, BAIL]);
        all.copied().filter(|label| seen[*label]).collect()
    }

    fn all(&mut self) {
        let order = self.reached();
        for (k, &label) in order.iter().enumerate() {
            self.places.insert(label as u32, self.ops.len());
            let block = &self.flow.blocks[label];
            self.ops.extend(&block.ops);
            self.term(&block.term, order.get(k + 1).copied());
        }
    }

    fn term(&mut self, term: &Term, next: Option<Label>) {
        match term {
            Term::Open => {}
            Term::End(end) => self.ops.push(Op::End(*end)),
            Term::Jump(edge) => self.go(edge, next),
            Term::Back(edge) => {
                self.fill(&edge.moves);
                self.filled.insert(self.ops.len(), edge.moves.iter().map(|(to, _)| *to).collect());
                self.ops.push(Op::Back { to: resolved(self.flow, edge.to) as u32, cost: 0 });
            }
            Term::Branch(test, [yes, no]) => {
                let leads = |edge: &Edge| edge.moves.is_empty().then(|| resolved(self.flow, edge.to));
                match (leads(yes), leads(no)) {
                    (Some(yes), _) if Some(yes) != next || no.moves.is_empty() && resolved(self.flow, no.to) == yes => {
                        self.ops.push(test.jump(yes as u32));
                        self.go(no, next);
                    }
                    (_, Some(no)) => {
                        self.ops.push(test.negated().jump(no as u32));
                        self.go(yes, next);
                    }
                    _ => {
                        self.labels += 1;
                        let other = self.labels - 1;
                        self.ops.push(test.negated().jump(other));
                        self.go(yes, None);
                        self.places.insert(other, self.ops.len());
                        self.go(no, next);
                    }
                }
            }
        }
    }

    fn go(&mut self, edge: &Edge, next: Option<Label>) {
        self.fill(&edge.moves);
        let to = resolved(self.flow, edge.to);
        match &self.flow.blocks[to].term {
            _ if Some(to) == next => {}
            Term::End(end) => self.ops.push(Op::End(*end)),
            _ => self.ops.push(Op::Jump { to: to as u32 }),
        }
    }

    /// Fills registers, all at once: none before it was read.
    fn fill(&mut self, moves: &[(Reg, Num)]) {
        let mut left: Vec<(Reg, Num)> = moves.to_vec();
        left.retain(|(to, from)| !matches!(from, Num::Reg(from, ..) if from == to));
        while !left.is_empty() {
            let is_read = |to: Reg| left.iter().any(|(_, from)| matches!(from, Num::Reg(from, ..) if *from == to));
            let Some(free) = left.iter().position(|(to, _)| !is_read(*to)) else {
                // All are in rings: one of them is kept elsewhere.
                let (to, spare) = (left[0].0, self.registers);
                self.registers += 1;
                self.ops.push(Op::Copy { to: spare, from: to });
                for (_, from) in &mut left {
                    if matches!(from, Num::Reg(from, ..) if *from == to) {
                        *from = Num::Reg(spare, i64::MIN, i64::MAX);
                    }
                }
                continue;
            };
            let (to, from) = left.remove(free);
            self.ops.push(match from {
                Num::Const(value) => Op::Set { to, value },
                Num::Reg(from, ..) => Op::Copy { to, from },
            });
        }
    }

    /// Two questions in a row that lead to one place are one, and a value is put where it is copied to next.
    fn squeeze(&mut self) {
        let mut reads: BTreeMap<Reg, usize> = BTreeMap::new();
        for op in &self.ops {
            let _ = op.map(|register, _| *reads.entry(register).or_default() += 1);
        }
        let led_to: BTreeSet<usize> = self.ops.iter().filter_map(|op| self.places.get(&op.leads()?).copied()).collect();
        let (mut kept, mut at): (Vec<Op<Reg>>, Vec<usize>) = (Vec::new(), Vec::new());
        for (k, &op) in self.ops.iter().enumerate() {
            at.push(kept.len());
            let before = kept.last().copied().filter(|_| !led_to.contains(&k));
            let joined = match (before, op) {
                (Some(Op::IfNotBits { word: a, mask: x, to }), Op::IfNotBits { word: b, mask: y, to: same })
                    if to == same =>
                {
                    Some(Op::IfNotBoth { words: [a, b], masks: [x, y], to })
                }
                (Some(before), Op::Copy { to, from }) if before.to() == Some(from) && reads[&from] == 2 => {
                    Some(before.map(|register, writes| if writes { to } else { register }))
                }
                _ => None,
            };
            match joined {
                Some(joined) => {
                    kept.pop();
                    kept.push(joined);
                    // Whoever is led here comes after both.
                    at[k] = kept.len();
                }
                None => kept.push(op),
            }
        }
        at.push(kept.len());
        self.places.values_mut().for_each(|place| *place = at[*place]);
        self.filled = std::mem::take(&mut self.filled).into_iter().map(|(place, moves)| (at[place], moves)).collect();
        self.ops = kept;
    }

    /// With places for labels; and the loops, by their ends.
    fn linked(self) -> (Vec<Op<Reg>>, BTreeMap<usize, Back>) {
        let Self { ops, places, mut filled, .. } = self;
        let mut backs = BTreeMap::new();
        let linked = ops.iter().enumerate().map(|(at, op)| {
            let op = op.led(|label| places.get(&label).copied().unwrap_or(usize::MAX) as u32);
            let Op::Back { to, .. } = op else { return op };
            backs.insert(at, (to as usize, filled.remove(&at).unwrap_or_default()));
            // An expression of the law is some instructions.
            Op::Back { to, cost: (at + 4 - to as usize) as u32 / 4 }
        });
        (linked.collect(), backs)
    }
}

/// Few registers: one serves several that are never needed at once.
fn allocate(ops: &[Op<Reg>], backs: &BTreeMap<usize, Back>) -> Option<(Vec<Op<u8>>, usize)> {
    let mut lives: BTreeMap<Reg, (usize, usize)> = BTreeMap::new();
    for (at, op) in ops.iter().enumerate() {
        let _ = op.map(|register, _| lives.entry(register).or_insert((at, at)).1 = at);
    }
    // What is needed in a loop is needed until it ends; inner loops end first.
    for (&end, (start, filled)) in backs {
        for register in filled {
            lives.entry(*register).and_modify(|life| *life = (life.0.min(*start), life.1.max(end)));
        }
        for life in lives.values_mut().filter(|life| life.0 < *start && life.1 >= *start) {
            life.1 = life.1.max(end);
        }
    }
    let mut order: Vec<(Reg, (usize, usize))> = lives.into_iter().collect();
    order.sort_by_key(|(_, life)| *life);
    let (mut until, mut places) = (Vec::<usize>::new(), BTreeMap::new());
    for (register, (first, last)) in order {
        let place = until.iter().position(|last| *last <= first).unwrap_or_else(|| {
            until.push(0);
            until.len() - 1
        });
        until[place] = last;
        places.insert(register, u8::try_from(place).ok()?);
    }
    debug_assert!(until.len() <= MOST, "a register is a byte");
    let ops = ops.iter().map(|op| op.map(|register, _| places[&register])).collect();
    Some((ops, until.len()))
}
