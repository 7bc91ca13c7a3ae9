//! Expressions whose value is wanted.

use super::conditions::decided;
use super::*;

impl Writer<'_> {
    /// The value of an expression.
    pub(super) fn expr(&mut self, expr: &Expr) -> Val {
        self.deeper(Val::Lost, |this| this.compound(expr))
    }

    pub(super) fn compound(&mut self, expr: &Expr) -> Val {
        match &expr.kind {
            ExprKind::Const(value) => Val::of(value),
            ExprKind::Global(global) => Val::of(&self.setting.globals[*global]),
            ExprKind::Local(local) => self.local(*local),
            ExprKind::Tuple(items) => {
                let items: Rc<[Val]> = items.iter().map(|item| self.expr(item)).collect();
                self.tuple(items)
            }
            ExprKind::And(items) => self.first(items, false),
            ExprKind::Or(items) => self.first(items, true),
            ExprKind::Neg(operand) => {
                let number = self.int(operand);
                Val::Int(self.arithmetic(BinOp::Sub, Num::Const(0), number))
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right),
            ExprKind::Compare(left, rest) => self.comparison(expr, left, rest),
            ExprKind::Not(_) => self.condition(expr),
            ExprKind::If(test, body, orelse) => {
                let [yes, no, done] = [(); 3].map(|()| self.flow.label());
                self.cond(test, [yes, no]);
                for (label, value) in [(yes, body), (no, orelse)] {
                    self.place(label);
                    let value = self.expr(value);
                    self.flow.jump(done, Some(value));
                }
                self.met(done)
            }
            ExprKind::Field(agent, field) => {
                let (who, field) = (self.agent(agent), &self.setting.layout.fields[*field]);
                if field.array {
                    Val::Tuple(field.cells.iter().map(|(_, cell)| self.read(who, cell)).collect())
                } else {
                    self.read(who, &field.cells[0].1)
                }
            }
            ExprKind::Index(value, index) => self.index(expr, value, index),
            ExprKind::Call(function, args) => {
                let args = args.iter().map(|arg| self.expr(arg)).collect();
                self.called(*function, args)
            }
            ExprKind::Builtin(builtin, args) => self.builtin(*builtin, args, expr),
            ExprKind::Generator(..) => self.lost(Val::Lost),
        }
    }

    pub(super) fn local(&mut self, local: usize) -> Val {
        match self.flow.last(local).clone() {
            Val::Unset | Val::Lost => self.lost(Val::Lost),
            Val::Coin(coin) => {
                let (to, slot) = (self.flow.register(), &self.setting.coins[coin]);
                self.flow.emit(Op::Coin { to, coin: coin as u8 });
                let number = Num::Reg(to, slot.low, slot.high);
                if slot.names { Val::Name(number) } else { Val::Int(number) }
            }
            value => value,
        }
    }

    pub(super) fn tuple(&mut self, items: Rc<[Val]>) -> Val {
        let tuple = Val::Tuple(items);
        if tuple.depth() > DEEPEST_TUPLE { self.lost(Val::Lost) } else { tuple }
    }

    /// The first value whose truth is `wanted`, or the last.
    pub(super) fn first(&mut self, items: &[Expr], wanted: bool) -> Val {
        let done = self.flow.label();
        let Some((last, others)) = items.split_last() else { return Val::None };
        for item in others {
            let [found, next] = [(); 2].map(|()| self.flow.label());
            let to = if wanted { [found, next] } else { [next, found] };
            let value = if is_truth(item) {
                self.cond(item, to);
                Val::int(wanted.into())
            } else {
                let value = self.expr(item);
                self.truth(&value, to);
                value
            };
            self.place(found);
            self.flow.jump(done, Some(value));
            self.place(next);
        }
        let value = self.expr(last);
        self.flow.jump(done, Some(value));
        self.met(done)
    }

    /// A condition as a value.
    pub(super) fn condition(&mut self, expr: &Expr) -> Val {
        let [yes, no, done] = [(); 3].map(|()| self.flow.label());
        self.cond(expr, [yes, no]);
        for (label, truth) in [(yes, 1), (no, 0)] {
            self.place(label);
            self.flow.jump(done, Some(Val::int(truth)));
        }
        self.met(done)
    }

    /// Two numbers are compared without a jump.
    pub(super) fn comparison(&mut self, expr: &Expr, left: &Expr, rest: &[(CmpOp, Expr)]) -> Val {
        let [(op, right)] = rest else { return self.condition(expr) };
        let (cmp, turned) = match op {
            CmpOp::Eq => (Cmp::Eq, false),
            CmpOp::NotEq => (Cmp::Ne, false),
            CmpOp::Lt => (Cmp::Lt, false),
            CmpOp::GtE => (Cmp::Ge, false),
            CmpOp::Gt => (Cmp::Lt, true),
            CmpOp::LtE => (Cmp::Ge, true),
            _ => return self.condition(expr),
        };
        let (a, b) = (self.expr(left), self.expr(right));
        let (Val::Int(x), Val::Int(y)) = (&a, &b) else {
            let [yes, no, done] = [(); 3].map(|()| self.flow.label());
            self.relation(*op, &a, &b, [yes, no]);
            for (label, truth) in [(yes, 1), (no, 0)] {
                self.place(label);
                self.flow.jump(done, Some(Val::int(truth)));
            }
            return self.met(done);
        };
        let (x, y) = if turned { (*y, *x) } else { (*x, *y) };
        Val::Int(self.is(cmp, x, y))
    }

    pub(super) fn is(&mut self, cmp: Cmp, x: Num, y: Num) -> Num {
        if let Some(truth) = decided(cmp, x, y) {
            return Num::Const(truth.into());
        }
        let to = self.flow.register();
        match (x, y) {
            (Num::Reg(a, ..), Num::Const(value)) => self.flow.emit(Op::IsConst { cmp, to, a, value }),
            (Num::Const(value), Num::Reg(a, ..)) if matches!(cmp, Cmp::Eq | Cmp::Ne) => {
                self.flow.emit(Op::IsConst { cmp, to, a, value });
            }
            _ => {
                let (a, b) = (self.held(x), self.held(y));
                self.flow.emit(Op::Is { cmp, to, a, b });
            }
        }
        Num::Reg(to, 0, 1)
    }

    /// The value, which is not `None`.
    pub(super) fn there(&mut self, value: &Val) -> Val {
        let Val::Maybe(there, inner) = value else { return value.clone() };
        if !self.trusted {
            let go_on = self.flow.label();
            self.compare(Cmp::Eq, *there, Num::Const(1), [go_on, BAIL]);
            self.place(go_on);
        }
        (**inner).clone()
    }

    pub(super) fn int(&mut self, expr: &Expr) -> Num {
        let value = self.expr(expr);
        self.as_int(&value)
    }

    pub(super) fn as_int(&mut self, value: &Val) -> Num {
        match self.there(value) {
            Val::Int(number) => number,
            _ => self.lost(Num::Const(0)),
        }
    }

    pub(super) fn agent(&mut self, expr: &Expr) -> Who {
        let value = self.expr(expr);
        match self.there(&value) {
            // On a ring, agents are always numbers.
            Val::Agent(Who::Fixed(agent)) if !self.changes => Who::At(self.held(Num::Const(agent as i64))),
            Val::Agent(who) => who,
            _ => self.lost(Who::Fixed(0)),
        }
    }

    pub(super) fn index(&mut self, expr: &Expr, value: &Expr, index: &Expr) -> Val {
        if let Some((who, cell)) = self.cell(expr) {
            return self.read(who, cell);
        }
        if let Some((who, Cell::Maybe(there, parts))) = self.cell(value)
            && let (false, ExprKind::Const(_) | ExprKind::Global(_) | ExprKind::Local(_)) =
                (parts.len() == 1, &index.kind)
            && let Num::Const(k) = self.int(index)
            && let Some(part) = usize::try_from(k).ok().and_then(|k| parts.get(k))
        {
            let there = self.load(who, there);
            self.there(&Val::Maybe(there, Val::None.into()));
            return self.part(who, part);
        }
        let value = self.expr(value);
        let index = self.int(index);
        match self.there(&value) {
            Val::Ring => self.on_ring(index),
            Val::Tuple(items) => self.element(&items, index),
            _ => self.lost(Val::Lost),
        }
    }

    /// An agent of the ring.
    pub(super) fn on_ring(&mut self, index: Num) -> Val {
        let n = Num::Const(self.setting.n as i64);
        match self.arithmetic(BinOp::Mod, index, n) {
            Num::Const(agent) => Val::Agent(Who::Fixed(agent as usize)),
            Num::Reg(register, ..) => Val::Agent(Who::At(register)),
        }
    }

    pub(super) fn element(&mut self, items: &Rc<[Val]>, index: Num) -> Val {
        if let Num::Const(k) = index {
            let k = if k < 0 { k.saturating_add(items.len() as i64) } else { k };
            let item = usize::try_from(k).ok().and_then(|k| items.get(k).cloned());
            return item.unwrap_or_else(|| self.lost(Val::Lost));
        }
        let numbers =
            items.iter().map(|item| if let Val::Int(Num::Const(number)) = item { Some(*number) } else { None });
        if let Some(numbers) = numbers.collect::<Option<Vec<i64>>>()
            && let (Num::Reg(a, ..), Some(low), Some(high)) = (index, numbers.iter().min(), numbers.iter().max())
        {
            let (to, low, high) = (self.flow.register(), *low, *high);
            let table = self.tables.iter().position(|known| *known == numbers).unwrap_or_else(|| {
                self.tables.push(numbers);
                self.tables.len() - 1
            });
            self.flow.emit(Op::Pick { to, a, table: table as u16 });
            return Val::Int(Num::Reg(to, low, high));
        }
        let done = self.flow.label();
        self.choose(index, items.len(), |this, k| this.flow.jump(done, Some(items[k].clone())));
        self.met(done)
    }
}

/// Whether it is 0 or 1, whatever happens.
pub(super) fn is_truth(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Compare(..) | ExprKind::Not(_) | ExprKind::Builtin(Builtin::All | Builtin::Any, _))
}
