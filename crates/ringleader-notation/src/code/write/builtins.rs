//! The functions of the notation.

use super::*;

impl Writer<'_> {
    pub(super) fn builtin(&mut self, builtin: Builtin, args: &[Expr], expr: &Expr) -> Val {
        let Some(first) = args.first() else { return self.lost(Val::Lost) };
        match builtin {
            Builtin::All | Builtin::Any => self.condition(expr),
            Builtin::Sum => {
                let sum = self.push(Val::int(0));
                self.each(first, &mut |this, element| {
                    let number = this.number_of(element);
                    let next = this.arithmetic(BinOp::Add, this.kept(sum), number);
                    this.keep(sum, Val::Int(next));
                });
                self.pop(sum)
            }
            Builtin::Min | Builtin::Max => self.extreme(builtin == Builtin::Max, args),
            Builtin::Tuple => self.gathered(first),
            Builtin::Range => match self.items(expr) {
                Items::Count { from: Num::Const(from), to: Num::Const(to), step, .. } => {
                    let number = |k: i64| from.checked_add(k.checked_mul(step)?);
                    let inside = |number: &i64| if step > 0 { *number < to } else { *number > to };
                    let numbers = (0..).map_while(number).take_while(inside).take(LONGEST + 1);
                    let numbers: Rc<[Val]> = numbers.map(Val::int).collect();
                    if numbers.len() > LONGEST { self.lost(Val::Lost) } else { Val::Tuple(numbers) }
                }
                _ => self.lost(Val::Lost),
            },
            Builtin::Abs => {
                let number = self.int(first);
                Val::Int(if number.range().0 >= 0 { number } else { self.math(Math::Abs, number, number) })
            }
            Builtin::Len => {
                let value = self.expr(first);
                match self.there(&value) {
                    Val::Tuple(items) => Val::int(items.len() as i64),
                    Val::Ring => Val::int(self.setting.n as i64),
                    _ => self.lost(Val::Lost),
                }
            }
            Builtin::CeilLog2 => {
                let number = self.int(first);
                Val::Int(self.math(Math::Log, number, number))
            }
            Builtin::Randint | Builtin::Require => self.lost(Val::Lost),
        }
    }

    /// The least or greatest.
    pub(super) fn extreme(&mut self, greatest: bool, args: &[Expr]) -> Val {
        if let [only] = args {
            return self.extreme_of(greatest, only);
        }
        let mut best: Option<Num> = None;
        for arg in args {
            let number = self.int(arg);
            best = Some(best.map_or(number, |best| self.better(greatest, best, number)));
        }
        best.map_or_else(|| self.lost(Val::Lost), Val::Int)
    }

    pub(super) fn extreme_of(&mut self, greatest: bool, of: &Expr) -> Val {
        let (best, some) = (self.push(Val::int(0)), self.push(Val::int(0)));
        self.each(of, &mut |this, element| {
            let number = this.number_of(element);
            let [rival, better, done] = [(); 3].map(|()| this.flow.label());
            this.compare(Cmp::Eq, this.kept(some), Num::Const(0), [better, rival]);
            this.place(rival);
            let (a, b) = if greatest { (this.kept(best), number) } else { (number, this.kept(best)) };
            this.compare(Cmp::Lt, a, b, [better, done]);
            this.place(better);
            this.keep(best, Val::Int(number));
            this.keep(some, Val::int(1));
            this.flow.jump(done, None);
            this.place(done);
        });
        let found = self.flow.label();
        self.compare(Cmp::Ne, self.kept(some), Num::Const(0), [found, BAIL]);
        self.place(found);
        self.pop(some);
        self.pop(best)
    }

    /// A tuple of what a generator gives, if it is known how long it is.
    pub(super) fn gathered(&mut self, of: &Expr) -> Val {
        let ExprKind::Generator(element, clauses) = &of.kind else {
            return match self.items(of) {
                Items::List(items) => Val::Tuple(items),
                Items::Count { .. } => self.lost(Val::Lost),
            };
        };
        let [clause] = clauses.as_slice() else { return self.lost(Val::Lost) };
        let items: Rc<[Val]> = match self.items(&clause.iter) {
            Items::List(items) => items,
            Items::Count { from: Num::Const(from), to: Num::Const(to), step: 1, agents: false }
                if to.checked_sub(from).is_some_and(|count| count <= CHAIN as i64) =>
            {
                (from..to).map(Val::int).collect()
            }
            _ => return self.lost(Val::Lost),
        };
        if !clause.ifs.is_empty() {
            return self.lost(Val::Lost);
        }
        let each = |item: &Val| {
            self.assign(&clause.target, item);
            self.expr(element)
        };
        let gathered = items.iter().map(each).collect();
        self.tuple(gathered)
    }
}
