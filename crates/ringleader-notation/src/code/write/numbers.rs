//! Numbers: what is known is computed now, and what cannot go wrong, as ranges say, is not looked after.

use super::fields::loaded;
use super::*;

impl Writer<'_> {
    /// A number in a register.
    pub(super) fn held(&mut self, number: Num) -> Reg {
        match number {
            Num::Reg(register, ..) => register,
            Num::Const(value) => {
                let to = self.flow.register();
                self.flow.emit(Op::Set { to, value });
                to
            }
        }
    }

    pub(super) fn binary(&mut self, op: BinOp, left: &Expr, right: &Expr) -> Val {
        let (left, right) = (self.expr(left), self.expr(right));
        if let (BinOp::Add, Val::Tuple(a), Val::Tuple(b)) = (op, &left, &right) {
            return self.tuple(a.iter().chain(b.iter()).cloned().collect());
        }
        let (a, b) = (self.as_int(&left), self.as_int(&right));
        Val::Int(self.arithmetic(op, a, b))
    }

    pub(super) fn arithmetic(&mut self, op: BinOp, a: Num, b: Num) -> Num {
        let math = match op {
            BinOp::Add => Math::Add,
            BinOp::Sub => Math::Sub,
            BinOp::Mult => Math::Mul,
            BinOp::FloorDiv => Math::Div,
            BinOp::Mod => Math::Mod,
            BinOp::Pow => Math::Pow,
            BinOp::BitOr => return self.lost(Num::Const(0)),
        };
        if let (Num::Const(a), Num::Const(b)) = (a, b) {
            return math.of(a, b).map_or_else(|| self.lost(Num::Const(0)), Num::Const);
        }
        self.simple(op, a, b).unwrap_or_else(|| self.math(math, a, b))
    }

    /// What may go wrong.
    pub(super) fn math(&mut self, math: Math, a: Num, b: Num) -> Num {
        let ((low_a, high_a), (low_b, high_b)) = (a.range(), b.range());
        let (low, high) = match math {
            Math::Mod if low_b > 0 => (0, high_b - 1),
            Math::Div if low_b > 0 => (low_a.min(0), high_a.max(0)),
            Math::Pow if low_a >= 0 => (0, i64::MAX),
            Math::Abs => (0, i64::MAX),
            Math::Log => (0, 63),
            _ => (i64::MIN, i64::MAX),
        };
        let (a, b, to) = (self.held(a), self.held(b), self.flow.register());
        self.flow.emit(Op::Math { math, to, a, b });
        Num::Reg(to, low, high)
    }

    /// What cannot go wrong, as its ranges say.
    pub(super) fn simple(&mut self, op: BinOp, a: Num, b: Num) -> Option<Num> {
        let ((low_a, high_a), (low_b, high_b)) = (a.range(), b.range());
        let wide = |value: i64| i128::from(value);
        let (low, high) = match op {
            BinOp::Add => (wide(low_a) + wide(low_b), wide(high_a) + wide(high_b)),
            BinOp::Sub => (wide(low_a) - wide(high_b), wide(high_a) - wide(low_b)),
            BinOp::Mult => {
                let ends = [(low_a, low_b), (low_a, high_b), (high_a, low_b), (high_a, high_b)];
                let products = ends.map(|(a, b)| wide(a) * wide(b));
                (products.into_iter().min()?, products.into_iter().max()?)
            }
            BinOp::FloorDiv | BinOp::Mod => {
                let (Num::Reg(a, ..), Num::Const(by)) = (a, b) else { return None };
                return if by > 0 { self.divided(op, a, (low_a, high_a), by) } else { None };
            }
            _ => return None,
        };
        let (low, high) = (i64::try_from(low).ok()?, i64::try_from(high).ok()?);
        let to = self.flow.register();
        let written = match (op, a, b) {
            (BinOp::Add, Num::Const(0), other) | (BinOp::Add | BinOp::Sub, other, Num::Const(0)) => return Some(other),
            (BinOp::Add, Num::Const(value), Num::Reg(a, ..)) | (BinOp::Add, Num::Reg(a, ..), Num::Const(value)) => {
                self.raised(to, a, value)
            }
            (BinOp::Sub, Num::Reg(a, ..), Num::Const(value)) => self.raised(to, a, value.wrapping_neg()),
            (BinOp::Sub, Num::Const(value), Num::Reg(a, ..)) => Op::SubFrom { to, a, value },
            (BinOp::Mult, Num::Const(1), other) | (BinOp::Mult, other, Num::Const(1)) => return Some(other),
            _ => {
                let (a, b) = (self.held(a), self.held(b));
                match op {
                    BinOp::Add => Op::Add { to, a, b },
                    BinOp::Sub => Op::Sub { to, a, b },
                    _ => Op::Mul { to, a, b },
                }
            }
        };
        self.flow.emit(written);
        Some(Num::Reg(to, low, high))
    }

    /// A number and a constant: a slot that has the number is loaded with it.
    pub(super) fn raised(&self, to: Reg, a: Reg, value: i64) -> Op<Reg> {
        let slot = |(who, word, shift): Place| Some((who, *self.slots.get(&(word, shift))?));
        match self.place_of(a).and_then(slot) {
            Some((who, slot)) if slot.zero == slot.low => loaded(to, who, slot, slot.low.wrapping_add(value)),
            _ => Op::AddConst { to, a, value },
        }
    }

    /// The slot that has the number of a register now.
    pub(super) fn place_of(&self, register: Reg) -> Option<Place> {
        let is = |number: &Num| matches!(number, Num::Reg(known, ..) if *known == register);
        self.flow.now.known.iter().find(|(_, number)| is(number)).map(|(place, _)| *place)
    }

    /// Divided by a positive constant.
    pub(super) fn divided(&mut self, op: BinOp, a: Reg, (low, high): (i64, i64), by: i64) -> Option<Num> {
        let (shift, power) = (by.trailing_zeros() as u8, by & (by - 1) == 0);
        if op == BinOp::FloorDiv {
            let range = (low.div_euclid(by), high.div_euclid(by));
            if range.0 == range.1 {
                return Some(Num::Const(range.0));
            }
            let to = self.flow.register();
            return power.then(|| {
                self.flow.emit(Op::Shift { to, a, by: shift });
                Num::Reg(to, range.0, range.1)
            });
        }
        if 0 <= low && high < by {
            return Some(Num::Reg(a, low, high));
        }
        let to = self.flow.register();
        self.flow.emit(if power {
            Op::And { to, a, mask: by - 1 }
        } else if -by <= low && i128::from(high) < 2 * i128::from(by) {
            Op::Wrap { to, a, by }
        } else {
            Op::Rem { to, a, by }
        });
        Some(Num::Reg(to, 0, by - 1))
    }

    /// The lesser or greater of two.
    pub(super) fn better(&mut self, greatest: bool, a: Num, b: Num) -> Num {
        let ((low_a, high_a), (low_b, high_b)) = (a.range(), b.range());
        let range =
            if greatest { (low_a.max(low_b), high_a.max(high_b)) } else { (low_a.min(low_b), high_a.min(high_b)) };
        if high_a <= low_b || high_b <= low_a {
            return if (high_a <= low_b) == greatest { b } else { a };
        }
        let to = self.flow.register();
        let written = match (a, b, greatest) {
            (Num::Reg(a, ..), Num::Const(value), true) | (Num::Const(value), Num::Reg(a, ..), true) => {
                Op::MaxConst { to, a, value }
            }
            (Num::Reg(a, ..), Num::Const(value), false) | (Num::Const(value), Num::Reg(a, ..), false) => {
                Op::MinConst { to, a, value }
            }
            _ => {
                let (a, b) = (self.held(a), self.held(b));
                if greatest { Op::Max { to, a, b } } else { Op::Min { to, a, b } }
            }
        };
        self.flow.emit(written);
        Num::Reg(to, range.0, range.1)
    }
}
