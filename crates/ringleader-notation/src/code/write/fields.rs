//! Variables of agents: what is known of a slot is not loaded again, and what is there already is not stored.

use super::*;

impl<'a> Writer<'a> {
    pub(super) fn put(&mut self, who: Who, cell: &Cell, value: &Val) {
        if !self.changes {
            return self.flow.bail();
        }
        match (cell, value) {
            (Cell::One(slot), _) => {
                let number = self.accepted(slot, value);
                self.flow.store(who, slot, number);
            }
            (Cell::Maybe(there, parts), Val::None) => {
                self.flow.store(who, there, Num::Const(0));
                parts.iter().for_each(|part| self.flow.store(who, part, Num::Const(part.zero)));
            }
            (_, Val::Maybe(some, inner)) => {
                let [yes, no, done] = [(); 3].map(|()| self.flow.label());
                self.compare(Cmp::Eq, *some, Num::Const(1), [yes, no]);
                self.place(yes);
                self.put(who, cell, inner);
                self.flow.jump(done, None);
                self.place(no);
                self.put(who, cell, &Val::None);
                self.flow.jump(done, None);
                self.place(done);
            }
            (Cell::Maybe(there, parts), _) => {
                let numbers: Vec<Num> = match (value, parts.as_slice()) {
                    (_, [part]) => vec![self.accepted(part, value)],
                    (Val::Tuple(values), _) if values.len() == parts.len() => {
                        parts.iter().zip(values.iter()).map(|(part, value)| self.accepted(part, value)).collect()
                    }
                    _ => return self.flow.bail(),
                };
                self.flow.store(who, there, Num::Const(1));
                parts.iter().zip(numbers).for_each(|(part, number)| self.flow.store(who, part, number));
            }
        }
    }

    /// The number of a value that a slot takes.
    pub(super) fn accepted(&mut self, slot: &Slot, value: &Val) -> Num {
        let number = match self.there(value) {
            Val::Int(number) if !slot.names => number,
            Val::Name(number) if slot.names => number,
            _ => return self.lost(Num::Const(slot.zero)),
        };
        let (low, high) = number.range();
        if slot.ranges.iter().any(|&(from, to)| from <= low && high <= to) {
            return number;
        }
        if let Num::Const(_) = number {
            return self.lost(Num::Const(slot.zero));
        }
        if self.trusted {
            return number;
        }
        let fits = self.flow.label();
        for &(from, to) in &slot.ranges {
            let [above, next] = [(); 2].map(|()| self.flow.label());
            self.compare(Cmp::Ge, number, Num::Const(from), [above, next]);
            self.place(above);
            match to.checked_add(1) {
                Some(end) => self.compare(Cmp::Lt, number, Num::Const(end), [fits, next]),
                None => self.flow.jump(fits, None),
            }
            self.place(next);
        }
        self.flow.bail();
        self.place(fits);
        number
    }

    /// The number in a slot.
    pub(super) fn load(&mut self, who: Who, slot: &Slot) -> Num {
        if slot.mask == 0 {
            return Num::Const(slot.low);
        }
        let place: Place = (who, slot.word, slot.shift);
        if let Some(known) = self.flow.now.known.get(&place) {
            return *known;
        }
        let (to, turn) = (self.flow.register(), slot.zero - slot.low);
        let add = if turn == 0 { slot.low } else { turn };
        self.flow.emit(loaded(to, who, slot, add));
        let to = if turn == 0 { to } else { self.turned(to, slot) };
        let number = Num::Reg(to, slot.low, slot.high);
        self.flow.now.known.insert(place, number);
        number
    }

    /// A slot whose zero is not its least value goes round.
    pub(super) fn turned(&mut self, from: Reg, slot: &Slot) -> Reg {
        let [masked, to] = [(); 2].map(|()| self.flow.register());
        self.flow.emit(Op::And { to: masked, a: from, mask: slot.mask as i64 });
        self.flow.emit(Op::AddConst { to, a: masked, value: slot.low });
        to
    }

    pub(super) fn part(&mut self, who: Who, slot: &Slot) -> Val {
        let number = self.load(who, slot);
        if slot.names { Val::Name(number) } else { Val::Int(number) }
    }

    pub(super) fn read(&mut self, who: Who, cell: &Cell) -> Val {
        match cell {
            Cell::One(slot) => self.part(who, slot),
            Cell::Maybe(there, parts) => {
                let there = self.load(who, there);
                if let Num::Const(0) = there {
                    return Val::None;
                }
                let value = match parts.as_slice() {
                    [only] => self.part(who, only),
                    parts => Val::Tuple(parts.iter().map(|part| self.part(who, part)).collect()),
                };
                if let Num::Const(_) = there { value } else { Val::Maybe(there, value.into()) }
            }
        }
    }

    /// The cell that an expression names, if it is one and nothing happens on the way.
    pub(super) fn cell(&mut self, expr: &Expr) -> Option<(Who, &'a Cell)> {
        if calls(expr) {
            return None;
        }
        let setting = self.setting;
        match &expr.kind {
            ExprKind::Field(agent, field) if !setting.layout.fields[*field].array => {
                Some((self.agent(agent), &setting.layout.fields[*field].cells[0].1))
            }
            ExprKind::Index(array, index) => match &array.kind {
                ExprKind::Field(agent, field) if setting.layout.fields[*field].array => {
                    let Num::Const(index) = self.int(index) else { return None };
                    let cells = &setting.layout.fields[*field].cells;
                    let (_, cell) = cells.get(usize::try_from(index).ok()?)?;
                    Some((self.agent(agent), cell))
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// A slot of an agent, with something added to its bits.
pub(super) fn loaded(to: Reg, who: Who, slot: &Slot, add: i64) -> Op<Reg> {
    match who {
        Who::Fixed(agent) => Op::Load { to, at: Bits::new(slot, Some(agent)), add },
        Who::At(agent) => Op::LoadOf { to, agent, at: Bits::new(slot, None), add },
    }
}

pub(super) fn calls(expr: &Expr) -> bool {
    let mut found = false;
    expr.visit(&mut |part| found |= matches!(part.kind, ExprKind::Call(..)));
    found
}
