//! From the tree to blocks: every function is written out where it is called, with what is known there.
//!
//! Conditions are written as ways, not as values: whoever asks says where to go on if it holds and if not. What the law would call a fault,
//! and what is too rare or too hard to be worth instructions, bails out.

mod builtins;
mod conditions;
mod fields;
mod loops;
mod numbers;
mod values;

use std::collections::BTreeMap;
use std::rc::Rc;

use self::loops::{assigned_by, locals_of};
use super::flow::{BAIL, Flow, Label, NO, Place, Test, YES, bits};
use super::value::{Num, Reg, Val, Who};
use super::{Bits, Cmp, Code, Math, Op, order};
use crate::ast::{BinOp, CmpOp};
use crate::program::Program;
use crate::setting::{Cell, Setting, Slot};
use crate::tree::{Builtin, Clause, Expr, ExprKind, Extra, Stmt, StmtKind, Target, TargetKind};

/// So many expressions are looked at.
const PATIENCE: u32 = 1 << 17;
/// So deep are expressions, blocks and calls nested; the law allows more.
const DEEPEST: usize = 150;
/// Tuples that are nested deeper are a fault.
const DEEPEST_TUPLE: usize = 8;
/// Loops of at most so many rounds are written out, in functions of the ring and in interactions.
const UNROLLED: [i128; 2] = [2, 32];
/// So many elements of a tuple are told apart one by one.
const CHAIN: usize = 64;
/// So many numbers are written out.
const LONGEST: usize = 4096;

pub(crate) fn interact(program: &Program, setting: &Setting, trusted: bool) -> Option<Code> {
    let mut writer = Writer::new(program, setting, trusted, true);
    let mut locals = vec![Val::Agent(Who::Fixed(0)), Val::Agent(Who::Fixed(1))];
    let mut coins = 0;
    for extra in &program.extras {
        locals.push(match extra {
            Extra::Oracle(_) => {
                let to = writer.flow.register();
                writer.flow.emit(Op::Oracle { to });
                Val::Int(Num::Reg(to, 0, 1))
            }
            Extra::Coin(_) => {
                coins += 1;
                Val::Coin(coins - 1)
            }
        });
    }
    writer.called(program.interact, locals);
    writer.flow.jump(YES, None);
    writer.finish()
}

pub(crate) fn set(program: &Program, setting: &Setting, function: usize) -> Option<Code> {
    let mut writer = Writer::new(program, setting, false, false);
    writer.call(function, vec![Val::Ring], Given::Truth([YES, NO]));
    writer.finish()
}

/// A call under way: where its value goes, and how many locals the function has.
#[derive(Clone, Copy)]
struct Call {
    given: Given,
    locals: usize,
}

/// Where a value goes.
#[derive(Clone, Copy)]
enum Given {
    /// It is carried there.
    Value(Label),
    /// Where to go if it is true, and if not.
    Truth([Label; 2]),
}

/// An element of a generator, or of a tuple.
enum Element<'e> {
    Expr(&'e Expr),
    Val(Val),
}

/// What a loop runs over.
enum Items {
    List(Rc<[Val]>),
    /// Numbers, or the agents of the ring.
    Count {
        from: Num,
        to: Num,
        step: i64,
        agents: bool,
    },
}

struct Writer<'a> {
    program: &'a Program,
    setting: &'a Setting,
    flow: Flow,
    calls: Vec<Call>,
    slots: BTreeMap<(usize, u32), &'a Slot>,
    tables: Vec<Vec<i64>>,
    /// It is known that nothing goes wrong.
    trusted: bool,
    /// Agents may be changed.
    changes: bool,
    nested: usize,
    left: u32,
}

impl<'a> Writer<'a> {
    fn new(program: &'a Program, setting: &'a Setting, trusted: bool, changes: bool) -> Self {
        let cells = setting.layout.fields.iter().flat_map(|field| &field.cells);
        let slots = cells.flat_map(|(_, cell)| match cell {
            Cell::One(slot) => vec![slot],
            Cell::Maybe(there, parts) => parts.iter().chain([there]).collect(),
        });
        let slots = slots.filter(|slot| slot.mask != 0).map(|slot| ((slot.word, slot.shift), slot)).collect();
        let (flow, calls, tables) = (Flow::new(), Vec::new(), Vec::new());
        Self { program, setting, flow, calls, slots, tables, trusted, changes, nested: 0, left: PATIENCE }
    }

    fn finish(self) -> Option<Code> {
        (self.left > 0 && !self.flow.is_too_long()).then(|| order::order(self.flow, self.tables))?
    }

    /// Does something one level deeper, if there is patience.
    fn deeper<T>(&mut self, instead: T, work: impl FnOnce(&mut Self) -> T) -> T {
        self.left = self.left.saturating_sub(1);
        if self.nested == DEEPEST {
            self.left = 0;
        }
        if self.left == 0 {
            self.flow.bail();
        }
        if !self.flow.comes() {
            return instead;
        }
        self.nested += 1;
        let done = work(self);
        self.nested -= 1;
        done
    }

    /// Goes on here.
    fn place(&mut self, label: Label) {
        self.flow.place(label);
    }

    /// Goes on at a block, with what it is carried there.
    fn met(&mut self, label: Label) -> Val {
        self.flow.place(label).unwrap_or(Val::Lost)
    }

    /// Whatever is asked, the law has to say it.
    fn lost<T>(&mut self, instead: T) -> T {
        self.flow.bail();
        instead
    }

    // --- Statements -------------------------------------------------------------------------------------------------

    /// A call whose value is wanted.
    fn called(&mut self, function: usize, args: Vec<Val>) -> Val {
        let label = self.flow.label();
        self.call(function, args, Given::Value(label));
        self.met(label)
    }

    fn call(&mut self, function: usize, mut locals: Vec<Val>, given: Given) {
        let function = &self.program.functions[function];
        locals.resize(function.locals.len().max(locals.len()), Val::Unset);
        self.calls.push(Call { given, locals: locals.len() });
        self.flow.now.frames.push(locals);
        self.deeper((), |this| this.block(&function.body));
        self.give(Val::None);
        self.calls.pop();
    }

    fn give(&mut self, value: Val) {
        match self.calls.last().map(|call| call.given) {
            Some(Given::Value(label)) => self.flow.jump(label, Some(value)),
            Some(Given::Truth(to)) => self.truth(&value, to),
            None => {}
        }
    }

    fn block(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.deeper((), |this| this.stmt(stmt));
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign(targets, value) => self.assign_all(targets, value),
            StmtKind::If(test, body, orelse) => {
                self.fork(test, |this| this.block(body), |this| this.block(orelse));
            }
            StmtKind::For(target, iter, body) => {
                let items = self.items(iter);
                let mut locals = assigned_by(body);
                locals_of(target, &mut locals);
                self.for_each(items, locals, &mut |this, item| {
                    this.assign(target, &item);
                    this.block(body);
                });
            }
            StmtKind::Return(value) => match self.calls.last().map(|call| call.given) {
                Some(Given::Truth(to)) => self.cond(value, to),
                _ => {
                    let value = self.expr(value);
                    self.give(value);
                }
            },
            StmtKind::Assert(test, _) => {
                let go_on = self.flow.label();
                self.cond(test, [go_on, BAIL]);
                self.place(go_on);
            }
            StmtKind::Do(expr) => drop(self.expr(expr)),
        }
    }

    /// Does one of two things, and goes on.
    fn fork(&mut self, test: &Expr, then: impl FnOnce(&mut Self), otherwise: impl FnOnce(&mut Self)) {
        let [yes, no, done] = [(); 3].map(|()| self.flow.label());
        self.cond(test, [yes, no]);
        self.place(yes);
        then(self);
        self.flow.jump(done, None);
        self.place(no);
        otherwise(self);
        self.flow.jump(done, None);
        self.place(done);
    }

    /// One of two values is stored where it is known which.
    fn assign_all(&mut self, targets: &[Target], value: &Expr) {
        if let ExprKind::If(test, body, orelse) = &value.kind {
            let store = |value| move |this: &mut Self| this.deeper((), |this| this.assign_all(targets, value));
            return self.fork(test, store(body), store(orelse));
        }
        let value = self.expr(value);
        targets.iter().for_each(|target| self.assign(target, &value));
    }

    fn assign(&mut self, target: &Target, value: &Val) {
        if !self.flow.comes() {
            return;
        }
        match &target.kind {
            TargetKind::Local(local) => {
                if let Some(frame) = self.flow.now.frames.last_mut() {
                    frame[*local] = value.clone();
                }
            }
            TargetKind::Tuple(targets) => match self.there(value) {
                Val::Tuple(values) if values.len() == targets.len() => {
                    targets.iter().zip(values.iter()).for_each(|(target, value)| self.assign(target, value));
                }
                _ => self.flow.bail(),
            },
            TargetKind::Field(agent, field) => {
                let (who, field) = (self.agent(agent), &self.setting.layout.fields[*field]);
                if !field.array {
                    return self.put(who, &field.cells[0].1, value);
                }
                match self.there(value) {
                    Val::Tuple(values) if values.len() == field.cells.len() => {
                        field.cells.iter().zip(values.iter()).for_each(|((_, cell), value)| self.put(who, cell, value));
                    }
                    _ => self.flow.bail(),
                }
            }
            TargetKind::Element(agent, field, index) => {
                let (who, field) = (self.agent(agent), &self.setting.layout.fields[*field]);
                if !field.array {
                    return self.flow.bail();
                }
                let index = self.int(index);
                let done = self.flow.label();
                self.choose(index, field.cells.len(), |this, k| {
                    this.put(who, &field.cells[k].1, value);
                    this.flow.jump(done, None);
                });
                self.place(done);
            }
        }
    }

    /// Does something for the place that an index means, which ends elsewhere; bails out if there is none.
    fn choose(&mut self, index: Num, len: usize, mut work: impl FnMut(&mut Self, usize)) {
        if len > CHAIN {
            return self.flow.bail();
        }
        let (low, high) = index.range();
        for k in 0..len as i64 {
            for place in [k, k - len as i64] {
                if (low..=high).contains(&place) && self.flow.comes() {
                    let [here, next] = [(); 2].map(|()| self.flow.label());
                    self.compare(Cmp::Eq, index, Num::Const(place), [here, next]);
                    self.place(here);
                    work(self, k as usize);
                    self.place(next);
                }
            }
        }
        self.flow.bail();
    }
}
