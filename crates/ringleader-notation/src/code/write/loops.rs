//! Loops: short ones are written out, long ones stay loops.

use super::*;

impl Writer<'_> {
    pub(super) fn items(&mut self, expr: &Expr) -> Items {
        let nothing = || Items::List(Rc::new([]));
        if let ExprKind::Builtin(Builtin::Range, args) = &expr.kind {
            let args: Vec<Num> = args.iter().map(|arg| self.int(arg)).collect();
            let count = |from, to, step| Items::Count { from, to, step, agents: false };
            return match args.as_slice() {
                [to] => count(Num::Const(0), *to, 1),
                [from, to] => count(*from, *to, 1),
                [from, to, Num::Const(step)] if *step != 0 => count(*from, *to, *step),
                _ => self.lost(nothing()),
            };
        }
        let value = self.expr(expr);
        match self.there(&value) {
            Val::Tuple(items) => Items::List(items),
            Val::Ring => {
                let to = Num::Const(self.setting.n as i64);
                Items::Count { from: Num::Const(0), to, step: 1, agents: true }
            }
            _ => self.lost(nothing()),
        }
    }

    /// Does something for all; `locals` are those that it may change.
    pub(super) fn for_each(&mut self, items: Items, locals: Vec<usize>, body: &mut dyn FnMut(&mut Self, Val)) {
        let (from, to, step, agents) = match items {
            Items::List(items) => {
                for item in items.iter() {
                    self.deeper((), |this| body(this, item.clone()));
                }
                return;
            }
            Items::Count { from, to, step, agents } => (from, to, step, agents),
        };
        if let (Num::Const(from), Num::Const(to)) = (from, to) {
            let (gap, step) = (i128::from(to) - i128::from(from), i128::from(step));
            let count = ((gap * step.signum() + step.abs() - 1) / step.abs()).max(0);
            if count <= UNROLLED[usize::from(self.changes)] {
                for k in 0..count {
                    let number = (i128::from(from) + k * step) as i64;
                    let item = if agents { Val::Agent(Who::Fixed(number as usize)) } else { Val::int(number) };
                    self.deeper((), |this| body(this, item));
                }
                return;
            }
        }
        self.repeat(from, to, step, agents, locals, body);
    }

    /// A loop that stays one. What locals are at its start is guessed, and guessed again if that was too narrow.
    pub(super) fn repeat(
        &mut self,
        from: Num,
        to: Num,
        step: i64,
        agents: bool,
        mut locals: Vec<usize>,
        body: &mut dyn FnMut(&mut Self, Val),
    ) {
        if !self.flow.comes() {
            return;
        }
        let counter = self.push(Val::Int(from));
        // What is gathered, and the counters of loops around this one, come after the locals of the function.
        locals.extend(self.calls.last().map_or(0, |call| call.locals)..=counter);
        locals.sort_unstable();
        locals.dedup();
        let saved = self.flow.clone();
        let mut guessed: Vec<(usize, Val)> =
            locals.iter().map(|&local| (local, self.flow.last(local).clone())).collect();
        for attempt in 0..4 {
            let heads: Vec<(usize, Val)> =
                guessed.iter().map(|(local, value)| (*local, self.flow.any(value))).collect();
            let Err(unlike) = self.round(counter, &heads, (from, to, step, agents), body) else { break };
            let seen = std::mem::replace(&mut self.flow, saved.clone());
            for (local, value) in guessed.iter_mut().filter(|(local, _)| unlike.contains(local)) {
                *value = if attempt < 2 { self.flow.wider(value, seen.last(*local)) } else { Val::Lost };
            }
        }
        self.pop(counter);
    }

    /// One round of a loop, and where it goes on; the locals that are of other kinds at its end than was guessed.
    pub(super) fn round(
        &mut self,
        counter: usize,
        heads: &[(usize, Val)],
        (from, to, step, agents): (Num, Num, i64, bool),
        body: &mut dyn FnMut(&mut Self, Val),
    ) -> Result<(), Vec<usize>> {
        let head = self.flow.begin(heads);
        if self.changes {
            self.flow.now.known.clear();
        }
        let &Val::Int(Num::Reg(register, ..)) = self.flow.last(counter) else { return Ok(()) };
        let [inside, out] = [(); 2].map(|()| self.flow.label());
        let now = Num::Reg(register, i64::MIN, i64::MAX);
        let (a, b) = if step > 0 { (now, to) } else { (to, now) };
        self.compare(Cmp::Lt, a, b, [inside, out]);
        self.place(inside);
        let (low, high) = match step > 0 {
            true => (from.range().0, to.range().1.saturating_sub(1)),
            false => (to.range().0.saturating_add(1), from.range().1),
        };
        let number = Num::Reg(register, low, high);
        body(self, if agents { Val::Agent(Who::At(register)) } else { Val::Int(number) });
        let next = self.arithmetic(BinOp::Add, number, Num::Const(step));
        self.keep(counter, Val::Int(next));
        self.flow.back(head, heads)?;
        self.place(out);
        Ok(())
    }

    /// A local of the one who writes.
    pub(super) fn push(&mut self, value: Val) -> usize {
        let Some(frame) = self.flow.now.frames.last_mut() else { return 0 };
        frame.push(value);
        frame.len() - 1
    }

    pub(super) fn pop(&mut self, local: usize) -> Val {
        let value = self.flow.last(local).clone();
        if let Some(frame) = self.flow.now.frames.last_mut() {
            frame.truncate(local);
        }
        value
    }

    pub(super) fn keep(&mut self, local: usize, value: Val) {
        if let Some(kept) = self.flow.now.frames.last_mut().and_then(|frame| frame.get_mut(local)) {
            *kept = value;
        }
    }

    pub(super) fn kept(&self, local: usize) -> Num {
        if let Val::Int(number) = self.flow.last(local) { *number } else { Num::Const(0) }
    }

    /// Hands over the elements of a generator, or of what can be looped over.
    pub(super) fn each(&mut self, expr: &Expr, take: &mut dyn FnMut(&mut Self, Element<'_>)) {
        if let ExprKind::Generator(element, clauses) = &expr.kind {
            let mut locals = Vec::new();
            assigned_in(expr, &mut locals);
            return self.clauses(element, clauses, &locals, take);
        }
        let items = self.items(expr);
        self.for_each(items, Vec::new(), &mut |this, item| take(this, Element::Val(item)));
    }

    pub(super) fn clauses(
        &mut self,
        element: &Expr,
        clauses: &[Clause],
        locals: &[usize],
        take: &mut dyn FnMut(&mut Self, Element<'_>),
    ) {
        let Some((clause, inner)) = clauses.split_first() else { return take(self, Element::Expr(element)) };
        let items = self.items(&clause.iter);
        self.for_each(items, locals.to_vec(), &mut |this, item| {
            this.assign(&clause.target, &item);
            let skip = this.flow.label();
            for test in &clause.ifs {
                let wanted = this.flow.label();
                this.cond(test, [wanted, skip]);
                this.place(wanted);
            }
            this.clauses(element, inner, locals, take);
            this.flow.jump(skip, None);
            this.place(skip);
        });
    }

    pub(super) fn number_of(&mut self, element: Element<'_>) -> Num {
        match element {
            Element::Expr(expr) => self.int(expr),
            Element::Val(value) => self.as_int(&value),
        }
    }
}

pub(super) fn locals_of(target: &Target, locals: &mut Vec<usize>) {
    match &target.kind {
        TargetKind::Local(local) => locals.push(*local),
        TargetKind::Tuple(targets) => targets.iter().for_each(|target| locals_of(target, locals)),
        TargetKind::Field(..) | TargetKind::Element(..) => {}
    }
}

/// The locals that generators in an expression change.
pub(super) fn assigned_in(expr: &Expr, locals: &mut Vec<usize>) {
    expr.visit(&mut |part| {
        if let ExprKind::Generator(_, clauses) = &part.kind {
            clauses.iter().for_each(|clause| locals_of(&clause.target, locals));
        }
    });
}

/// The locals that statements change.
pub(super) fn assigned_by(stmts: &[Stmt]) -> Vec<usize> {
    fn targets(stmts: &[Stmt], locals: &mut Vec<usize>) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Assign(all, _) => all.iter().for_each(|target| locals_of(target, locals)),
                StmtKind::If(_, body, orelse) => {
                    targets(body, locals);
                    targets(orelse, locals);
                }
                StmtKind::For(target, _, body) => {
                    locals_of(target, locals);
                    targets(body, locals);
                }
                StmtKind::Return(_) | StmtKind::Assert(..) | StmtKind::Do(_) => {}
            }
        }
    }
    let mut locals = Vec::new();
    targets(stmts, &mut locals);
    stmts.iter().for_each(|stmt| {
        stmt.visit(&mut |expr| {
            if let ExprKind::Generator(_, clauses) = &expr.kind {
                clauses.iter().for_each(|clause| locals_of(&clause.target, &mut locals));
            }
        });
    });
    locals
}
