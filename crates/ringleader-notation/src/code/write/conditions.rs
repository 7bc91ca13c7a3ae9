//! Conditions, as ways.

use super::*;

impl Writer<'_> {
    /// Goes to the first block if an expression is true, else to the second.
    pub(super) fn cond(&mut self, expr: &Expr, to: [Label; 2]) {
        self.deeper((), |this| this.asked(expr, to));
    }

    pub(super) fn asked(&mut self, expr: &Expr, to: [Label; 2]) {
        match &expr.kind {
            ExprKind::And(items) | ExprKind::Or(items) if !items.is_empty() => {
                let any = matches!(expr.kind, ExprKind::Or(_));
                for item in &items[..items.len() - 1] {
                    let next = self.flow.label();
                    self.cond(item, if any { [to[0], next] } else { [next, to[1]] });
                    self.place(next);
                }
                self.cond(&items[items.len() - 1], to);
            }
            ExprKind::Not(operand) => self.cond(operand, [to[1], to[0]]),
            ExprKind::Compare(left, rest) => self.compared(left, rest, to),
            ExprKind::If(test, body, orelse) => {
                let [yes, no] = [(); 2].map(|()| self.flow.label());
                self.cond(test, [yes, no]);
                for (label, value) in [(yes, body), (no, orelse)] {
                    self.place(label);
                    self.cond(value, to);
                }
            }
            ExprKind::Call(function, args) => {
                let args = args.iter().map(|arg| self.expr(arg)).collect();
                self.call(*function, args, Given::Truth(to));
                // The frame of the call ends where its ways lead.
            }
            ExprKind::Builtin(Builtin::Any, args) if args.len() == 1 => {
                self.each(&args[0], &mut |this, element| this.on(element, |next| [to[0], next]));
                self.flow.jump(to[1], None);
            }
            ExprKind::Builtin(Builtin::All, args) if args.len() == 1 => {
                self.each(&args[0], &mut |this, element| this.on(element, |next| [next, to[1]]));
                self.flow.jump(to[0], None);
            }
            _ => {
                let value = self.expr(expr);
                self.truth(&value, to);
            }
        }
    }

    /// Asks for the truth of an element, and goes on here one way.
    pub(super) fn on(&mut self, element: Element<'_>, to: impl FnOnce(Label) -> [Label; 2]) {
        let next = self.flow.label();
        match element {
            Element::Expr(expr) => self.cond(expr, to(next)),
            Element::Val(value) => self.truth(&value, to(next)),
        }
        self.place(next);
    }

    pub(super) fn truth(&mut self, value: &Val, to: [Label; 2]) {
        match value {
            Val::Int(number) => self.compare(Cmp::Ne, *number, Num::Const(0), to),
            Val::None => self.flow.jump(to[1], None),
            Val::Tuple(items) => self.flow.jump(to[usize::from(items.is_empty())], None),
            Val::Name(_) | Val::Agent(_) | Val::Ring => self.flow.jump(to[0], None),
            Val::Maybe(there, value) => {
                let some = self.flow.label();
                self.compare(Cmp::Eq, *there, Num::Const(1), [some, to[1]]);
                self.place(some);
                self.truth(value, to);
            }
            Val::Unset | Val::Coin(_) | Val::Lost => self.flow.bail(),
        }
    }

    pub(super) fn compared(&mut self, left: &Expr, rest: &[(CmpOp, Expr)], to: [Label; 2]) {
        // Whether a variable is `None` is asked without its parts.
        if let [(op @ (CmpOp::Is | CmpOp::IsNot), right)] = rest
            && matches!(right.kind, ExprKind::Const(crate::tree::Value::None))
            && let Some((who, Cell::Maybe(there, _))) = self.cell(left)
        {
            let there = self.load(who, there);
            let none = if *op == CmpOp::Is { 0 } else { 1 };
            return self.compare(Cmp::Eq, there, Num::Const(none), to);
        }
        if let Some((operands, value)) = self.all_are(left, rest) {
            for operand in operands {
                let next = self.flow.label();
                let operand = self.expr(operand);
                self.equal(&operand, &value, [next, to[1]]);
                self.place(next);
            }
            return self.flow.jump(to[0], None);
        }
        let mut before = self.expr(left);
        for (k, (op, right)) in rest.iter().enumerate() {
            let next = if k + 1 == rest.len() { to[0] } else { self.flow.label() };
            let to = [next, to[1]];
            match (op, &right.kind) {
                (CmpOp::In | CmpOp::NotIn, ExprKind::Builtin(Builtin::Range, _)) => {
                    let items = self.items(right);
                    self.in_range(&before, &items, if *op == CmpOp::In { to } else { [to[1], to[0]] });
                }
                _ => {
                    let after = self.expr(right);
                    self.relation(*op, &before, &after, to);
                    before = after;
                }
            }
            if k + 1 < rest.len() {
                self.place(next);
            }
        }
    }

    /// Of `a == b == 0`, where a and b are variables: each is compared with the last, which takes fewer instructions.
    pub(super) fn all_are<'e>(&mut self, left: &'e Expr, rest: &'e [(CmpOp, Expr)]) -> Option<(Vec<&'e Expr>, Val)> {
        let ((_, last), others) = rest.split_last()?;
        let ExprKind::Const(value @ crate::tree::Value::Int(_)) = &last.kind else { return None };
        if others.is_empty() || rest.iter().any(|(op, _)| *op != CmpOp::Eq) {
            return None;
        }
        let operands: Vec<&Expr> = [left].into_iter().chain(others.iter().map(|(_, expr)| expr)).collect();
        let plain = |expr: &&Expr| match &expr.kind {
            ExprKind::Field(agent, _) => matches!(agent.kind, ExprKind::Local(_)),
            _ => false,
        };
        operands.iter().all(plain).then(|| (operands, Val::of(value)))
    }

    pub(super) fn in_range(&mut self, value: &Val, items: &Items, to: [Label; 2]) {
        match (value, items) {
            (Val::Int(number), Items::Count { from, to: end, step: 1, .. }) => {
                let above = self.flow.label();
                self.compare(Cmp::Ge, *number, *from, [above, to[1]]);
                self.place(above);
                self.compare(Cmp::Lt, *number, *end, to);
            }
            _ => self.flow.bail(),
        }
    }

    pub(super) fn relation(&mut self, op: CmpOp, a: &Val, b: &Val, to: [Label; 2]) {
        if !self.flow.comes() {
            return;
        }
        let turned = [to[1], to[0]];
        match op {
            CmpOp::Eq => self.equal(a, b, to),
            CmpOp::NotEq => self.equal(a, b, turned),
            CmpOp::Is => self.both_none(a, b, to),
            CmpOp::IsNot => self.both_none(a, b, turned),
            CmpOp::In => self.member(a, b, to),
            CmpOp::NotIn => self.member(a, b, turned),
            CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE => {
                let (a, b) = (self.as_int(a), self.as_int(b));
                match op {
                    CmpOp::Lt => self.compare(Cmp::Lt, a, b, to),
                    CmpOp::LtE => self.compare(Cmp::Ge, b, a, to),
                    CmpOp::Gt => self.compare(Cmp::Lt, b, a, to),
                    _ => self.compare(Cmp::Ge, a, b, to),
                }
            }
        }
    }

    pub(super) fn both_none(&mut self, a: &Val, b: &Val, to: [Label; 2]) {
        let next = self.flow.label();
        self.is_none(a, [next, to[1]]);
        self.place(next);
        self.is_none(b, to);
    }

    pub(super) fn is_none(&mut self, value: &Val, to: [Label; 2]) {
        match value {
            Val::None => self.flow.jump(to[0], None),
            Val::Maybe(there, _) => self.compare(Cmp::Eq, *there, Num::Const(0), to),
            Val::Unset | Val::Coin(_) | Val::Lost => self.flow.bail(),
            _ => self.flow.jump(to[1], None),
        }
    }

    pub(super) fn member(&mut self, a: &Val, b: &Val, to: [Label; 2]) {
        let Val::Tuple(items) = self.there(b) else { return self.flow.bail() };
        for item in items.iter() {
            let next = self.flow.label();
            self.equal(a, item, [to[0], next]);
            self.place(next);
        }
        self.flow.jump(to[1], None);
    }

    pub(super) fn equal(&mut self, a: &Val, b: &Val, to: [Label; 2]) {
        match (a, b) {
            (Val::Unset | Val::Coin(_) | Val::Lost | Val::Agent(_) | Val::Ring, _)
            | (_, Val::Unset | Val::Coin(_) | Val::Lost | Val::Agent(_) | Val::Ring) => self.flow.bail(),
            (Val::Int(a), Val::Int(b)) | (Val::Name(a), Val::Name(b)) => self.compare(Cmp::Eq, *a, *b, to),
            (Val::None, Val::None) => self.flow.jump(to[0], None),
            (Val::Maybe(there, value), other) | (other, Val::Maybe(there, value)) => {
                let [some, none] = [(); 2].map(|()| self.flow.label());
                self.compare(Cmp::Eq, *there, Num::Const(1), [some, none]);
                self.place(some);
                self.equal(value, other, to);
                self.place(none);
                self.is_none(other, to);
            }
            (Val::Tuple(a), Val::Tuple(b)) if a.len() == b.len() => {
                for (a, b) in a.iter().zip(b.iter()) {
                    let next = self.flow.label();
                    self.equal(a, b, [next, to[1]]);
                    self.place(next);
                }
                self.flow.jump(to[0], None);
            }
            _ => self.flow.jump(to[1], None),
        }
    }

    /// Goes to the first block if a comparison holds, else to the second.
    pub(super) fn compare(&mut self, cmp: Cmp, a: Num, b: Num, to: [Label; 2]) {
        if let Some(truth) = decided(cmp, a, b) {
            return self.flow.jump(to[usize::from(!truth)], None);
        }
        match (a, b) {
            (Num::Const(value), Num::Reg(..)) => match cmp {
                Cmp::Eq | Cmp::Ne => self.compare(cmp, b, a, to),
                // It is not decided, so there is a number above.
                Cmp::Lt => self.compare(Cmp::Ge, b, Num::Const(value + 1), to),
                Cmp::Ge => self.compare(Cmp::Lt, b, Num::Const(value + 1), to),
            },
            (Num::Reg(register, low, high), Num::Const(value)) => {
                let (cmp, value) = match cmp {
                    Cmp::Lt if low.checked_add(1) == Some(value) => (Cmp::Eq, low),
                    Cmp::Lt if value == high => (Cmp::Ne, high),
                    Cmp::Ge if low.checked_add(1) == Some(value) => (Cmp::Ne, low),
                    Cmp::Ge if value == high => (Cmp::Eq, high),
                    other => (other, value),
                };
                self.against(cmp, register, value, (low, high), to);
            }
            _ => {
                let (a, b) = (self.held(a), self.held(b));
                self.flow.branch(Test::Regs(cmp, a, b), to, [None, None]);
            }
        }
    }

    /// A register is compared with a constant; if a slot has the same number, its bits are.
    pub(super) fn against(&mut self, cmp: Cmp, register: Reg, value: i64, (low, high): (i64, i64), to: [Label; 2]) {
        let (Some(place), Cmp::Eq | Cmp::Ne) = (self.place_of(register), cmp) else {
            return self.flow.branch(Test::Const(cmp, register, value), to, [None, None]);
        };
        let (who, word, shift) = place;
        let Some(slot) = self.slots.get(&(word, shift)) else { return self.flow.bail() };
        let (mask, kept) = bits(slot, value);
        let mask = self.flow.mask(mask, kept);
        let (agent, word) = match who {
            Who::Fixed(agent) => (None, word + 2 * agent),
            Who::At(register) => (Some(register), word),
        };
        // Of two values, it is the other one.
        let other = if value == low { high } else { low };
        let other = (high.checked_sub(low) == Some(1)).then_some((place, Num::Const(other)));
        let learned = [Some((place, Num::Const(value))), other];
        let (to, learned) = if cmp == Cmp::Eq { (to, learned) } else { ([to[1], to[0]], learned) };
        self.flow.branch(Test::Bits(agent, word as u8, mask, false), to, learned);
    }
}

/// What a comparison says for all numbers that may be.
pub(super) fn decided(cmp: Cmp, a: Num, b: Num) -> Option<bool> {
    let ((low_a, high_a), (low_b, high_b)) = (a.range(), b.range());
    match cmp {
        Cmp::Eq if high_a < low_b || high_b < low_a => Some(false),
        Cmp::Eq => a.is(&b).then_some(true),
        Cmp::Lt if high_a < low_b => Some(true),
        Cmp::Lt if low_a >= high_b || a.is(&b) => Some(false),
        Cmp::Lt => None,
        Cmp::Ne | Cmp::Ge => decided(cmp.negated(), a, b).map(|truth| !truth),
    }
}
