//! The law of the notation: a straightforward interpreter of the tree. What anything else makes of a file must agree with it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ringleader::random::{Generator, below};

use crate::ast::{BinOp, CmpOp, Span};
use crate::program::Program;
use crate::setting::{Cell, Layout, Slot, State};
use crate::tree::{Builtin, Clause, Expr, ExprKind, Stmt, StmtKind, Target, TargetKind, Value};

/// Something that went wrong while a function ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub span: Span,
    /// What.
    pub what: String,
    /// In which states, if that was found out; empty otherwise.
    pub help: String,
    /// What goes wrong elsewhere, whether or not this does.
    pub also: Vec<Fault>,
}

impl Fault {
    /// Something that went wrong at a place.
    #[must_use]
    pub fn new(span: Span, what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { span, what: what.into(), help: help.into(), also: Vec::new() }
    }

    /// Several as one, which has the others; the first place is the first.
    #[must_use]
    pub fn several(mut faults: Vec<Self>) -> Option<Self> {
        faults.sort_by(|a, b| (a.span, &a.what).cmp(&(b.span, &b.what)));
        faults.dedup();
        let also = faults.split_off(faults.len().min(1));
        faults.pop().map(|first| Self { also, ..first })
    }
}

/// What running gives.
pub type Result<T> = std::result::Result<T, Box<Fault>>;

/// A fault at a place.
pub(crate) fn fault<T>(span: Span, what: impl Into<String>) -> Result<T> {
    Err(Box::new(Fault::new(span, what, "")))
}

/// So many expressions may one call evaluate, those of functions that it calls included.
pub(crate) const PATIENCE: u64 = 1 << 28;
/// So many one interaction.
const INTERACTION: u64 = 1 << 22;
/// What is said of a call that evaluates more.
pub(crate) const TOO_LONG: &str = "this takes too long";
/// So long may a tuple be.
const LONGEST: usize = 1 << 22;
/// An element of a tuple counts as so many expressions, since it takes memory.
const ELEMENT: u64 = 16;
/// So deep may tuples be nested, and so deep expressions, blocks and calls while they run: all of these are walked recursively.
const DEEPEST_TUPLE: usize = 8;
const DEEPEST: usize = 400;

/// How many expressions all calls together may still evaluate. Clones share it. Whoever runs a text that he does not trust allows little
/// at a time; by default there is no limit but that of each call.
#[derive(Clone, Debug)]
pub struct Patience(Arc<AtomicU64>);

impl Default for Patience {
    fn default() -> Self {
        Self(Arc::new(AtomicU64::new(u64::MAX)))
    }
}

impl Patience {
    /// From now on so many.
    pub fn allow(&self, expressions: u64) {
        self.0.store(expressions, Relaxed);
    }

    /// So many are left.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.0.load(Relaxed)
    }

    /// Without a limit nothing is written, so that threads that share one do not meet.
    pub(crate) fn spend(&self, expressions: u64) {
        let left = self.left();
        if left != u64::MAX {
            self.allow(left.saturating_sub(expressions));
        }
    }
}

/// The agents that a function sees.
pub enum Agents<'a> {
    /// To look at.
    Seen(&'a [State]),
    /// To change.
    Held(&'a mut [State]),
}

impl Agents<'_> {
    fn all(&self) -> &[State] {
        match self {
            Self::Seen(agents) => agents,
            Self::Held(agents) => agents,
        }
    }
}

/// Runs functions of a file on agents.
pub struct Evaluator<'a> {
    program: &'a Program,
    globals: &'a [Value],
    layout: &'a Layout,
    agents: Agents<'a>,
    random: Option<&'a mut Generator>,
    /// Told the line of every statement that is executed.
    watch: Option<&'a mut dyn FnMut(u32)>,
    /// The coins of an interaction: arguments that have no value before they are read.
    coins: Vec<(usize, Value)>,
    /// Whether one of them was read.
    drawn: bool,
    /// How many calls are under way.
    depth: usize,
    /// How many expressions, blocks and calls are under way.
    nested: usize,
    left: u64,
    /// What it had at first, and whose patience it uses.
    granted: (u64, Option<&'a Patience>),
}

impl Drop for Evaluator<'_> {
    fn drop(&mut self) {
        let (granted, patience) = self.granted;
        patience.inspect(|patience| patience.spend(granted - self.left));
    }
}

/// What a loop runs over.
enum Items {
    Tuple(Arc<[Value]>),
    Range(i64, i64, i64),
    Ring,
}

impl Items {
    fn len(&self, n: usize) -> u64 {
        match self {
            Self::Tuple(items) => items.len() as u64,
            Self::Range(from, to, step) if *step > 0 => {
                let gap = i128::from(*to) - i128::from(*from);
                u64::try_from((gap + i128::from(*step) - 1).max(0) / i128::from(*step)).unwrap_or(u64::MAX)
            }
            Self::Range(from, to, step) => {
                let (gap, step) = (i128::from(*from) - i128::from(*to), -i128::from(*step));
                u64::try_from((gap + step - 1).max(0) / step).unwrap_or(u64::MAX)
            }
            Self::Ring => n as u64,
        }
    }

    fn get(&self, k: u64) -> Value {
        match self {
            Self::Tuple(items) => items[k as usize].clone(),
            Self::Range(from, _, step) => Value::Int(from.wrapping_add(step.wrapping_mul(k as i64))),
            Self::Ring => Value::Agent(k as usize),
        }
    }
}

type Locals = Vec<Option<Value>>;

impl<'a> Evaluator<'a> {
    /// An evaluator for a file with these globals and agents.
    #[must_use]
    pub fn new(program: &'a Program, globals: &'a [Value], layout: &'a Layout, agents: Agents<'a>) -> Self {
        let (random, watch, coins) = (None, None, Vec::new());
        let (drawn, depth, nested, left, granted) = (false, 0, 0, PATIENCE, (PATIENCE, None));
        Self { program, globals, layout, agents, random, watch, coins, drawn, depth, nested, left, granted }
    }

    /// With no more patience than this.
    #[must_use]
    pub fn within(mut self, patience: &'a Patience) -> Self {
        self.left = self.left.min(patience.left());
        self.granted = (self.left, Some(patience));
        self
    }

    /// With a source of randomness, for starts.
    #[must_use]
    pub fn drawing(mut self, random: &'a mut Generator) -> Self {
        self.random = Some(random);
        self
    }

    /// Tells the line of every statement that is executed.
    #[must_use]
    pub fn watched(mut self, watch: &'a mut dyn FnMut(u32)) -> Self {
        self.watch = Some(watch);
        self
    }

    /// Calls a function.
    ///
    /// # Errors
    /// What went wrong.
    pub fn call(&mut self, function: usize, args: &[Value]) -> Result<Value> {
        self.frame(function, args.iter().cloned().map(Some).collect())
    }

    /// Calls `interact` on the agents 0 and 1, with these coins and answer of the oracle; whether a coin was read.
    ///
    /// # Errors
    /// What went wrong.
    pub fn interact(&mut self, coins: &[Value], oracle: bool) -> Result<bool> {
        let mut args = vec![Some(Value::Agent(0)), Some(Value::Agent(1))];
        let mut coins = coins.iter();
        self.coins.clear();
        for extra in &self.program.extras {
            match extra {
                crate::tree::Extra::Oracle(_) => args.push(Some(Value::Bool(oracle))),
                crate::tree::Extra::Coin(_) => {
                    self.coins.push((args.len(), coins.next().cloned().unwrap_or(Value::None)));
                    args.push(None);
                }
            }
        }
        (self.drawn, self.depth) = (false, 0);
        let spare = self.left.saturating_sub(INTERACTION);
        self.left -= spare;
        let ran = self.frame(self.program.interact, args);
        self.left += spare;
        ran?;
        Ok(self.drawn)
    }

    fn frame(&mut self, function: usize, mut locals: Locals) -> Result<Value> {
        let program = self.program;
        let function = &program.functions[function];
        locals.resize(function.locals.len().max(locals.len()), None);
        self.depth += 1;
        let given = self.block(&function.body, &mut locals)?;
        self.depth -= 1;
        Ok(given.unwrap_or(Value::None))
    }

    /// Runs statements until one returns, and gives what it does.
    fn block(&mut self, stmts: &[Stmt], locals: &mut Locals) -> Result<Option<Value>> {
        for stmt in stmts {
            if let Some(watch) = &mut self.watch {
                watch(stmt.span.line);
            }
            if let Some(given) = self.stmt(stmt, locals)? {
                return Ok(Some(given));
            }
        }
        Ok(None)
    }

    fn stmt(&mut self, stmt: &Stmt, locals: &mut Locals) -> Result<Option<Value>> {
        match &stmt.kind {
            StmtKind::Assign(targets, value) => {
                let value = self.expr(value, locals)?;
                for target in targets {
                    self.assign(target, value.clone(), locals)?;
                }
            }
            StmtKind::If(test, body, orelse) => {
                let branch = if self.truth(test, locals)? { body } else { orelse };
                return self.deeper(stmt.span, |this| this.block(branch, locals));
            }
            StmtKind::For(target, iter, body) => {
                let items = self.items(iter, locals)?;
                for k in 0..items.len(self.agents.all().len()) {
                    self.tick(stmt.span)?;
                    self.assign(target, items.get(k), locals)?;
                    if let Some(given) = self.deeper(stmt.span, |this| this.block(body, locals))? {
                        return Ok(Some(given));
                    }
                }
            }
            StmtKind::Return(value) => return self.expr(value, locals).map(Some),
            StmtKind::Assert(test, message) => {
                if !self.truth(test, locals)? {
                    let words = if message.is_empty() { self.program.words(test.span) } else { message.clone() };
                    return fault(stmt.span, format!("this must hold: {words}"));
                }
            }
            StmtKind::Do(expr) => drop(self.expr(expr, locals)?),
        }
        Ok(None)
    }

    fn tick(&mut self, span: Span) -> Result<()> {
        self.spend(1, span)
    }

    fn spend(&mut self, expressions: u64, span: Span) -> Result<()> {
        if self.left < expressions {
            self.left = 0;
            // Whatever is asked next would take as long.
            self.granted.1.inspect(|patience| patience.allow(0));
            return fault(span, TOO_LONG);
        }
        self.left -= expressions;
        Ok(())
    }

    /// Does something one level deeper.
    fn deeper<T>(&mut self, span: Span, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.nested == DEEPEST {
            return fault(span, format!("expressions and calls are nested more than {DEEPEST} deep"));
        }
        self.nested += 1;
        let done = work(self)?;
        self.nested -= 1;
        Ok(done)
    }

    /// A tuple, which has its price.
    fn tuple(&mut self, items: Vec<Value>, span: Span) -> Result<Value> {
        if items.len() > LONGEST {
            return fault(span, "this tuple is too long");
        }
        self.spend(ELEMENT * items.len() as u64, span)?;
        self.measure(&items, DEEPEST_TUPLE, span)?;
        Ok(Value::Tuple(items.into()))
    }

    fn measure(&mut self, items: &[Value], left: usize, span: Span) -> Result<()> {
        for item in items {
            if let Value::Tuple(items) = item {
                if left == 1 {
                    return fault(span, format!("tuples are nested more than {DEEPEST_TUPLE} deep"));
                }
                self.spend(items.len() as u64, span)?;
                self.measure(items, left - 1, span)?;
            }
        }
        Ok(())
    }

    // --- Assignments --------------------------------------------------------------------------------------------

    fn assign(&mut self, target: &Target, value: Value, locals: &mut Locals) -> Result<()> {
        match &target.kind {
            TargetKind::Local(local) => locals[*local] = Some(value),
            TargetKind::Tuple(targets) => match value {
                Value::Tuple(values) if values.len() == targets.len() => {
                    for (target, value) in targets.iter().zip(values.iter()) {
                        self.assign(target, value.clone(), locals)?;
                    }
                }
                other => {
                    let what = format!("{} is no tuple of {}", self.shown(&other), targets.len());
                    return fault(target.span, what);
                }
            },
            TargetKind::Field(agent, field) => {
                let agent = self.agent(agent, locals)?;
                self.store(agent, *field, &value, target.span)?;
            }
            TargetKind::Element(agent, field, index) => {
                let (agent, layout) = (self.agent(agent, locals)?, self.layout);
                let field = &layout.fields[*field];
                if !field.array {
                    return fault(target.span, format!("`{}` is no array", field.name));
                }
                let index = self.int(index, locals)?;
                let Some(k) = place(index, field.cells.len()) else {
                    return fault(target.span, format!("`{}` has no element {index}", field.name));
                };
                let (name, cell) = &field.cells[k];
                self.put(agent, name, cell, &value, target.span)?;
            }
        }
        Ok(())
    }

    fn store(&mut self, agent: usize, field: usize, value: &Value, span: Span) -> Result<()> {
        let layout = self.layout;
        let field = &layout.fields[field];
        if !field.array {
            let (name, cell) = &field.cells[0];
            return self.put(agent, name, cell, value, span);
        }
        match value {
            Value::Tuple(values) if values.len() == field.cells.len() => {
                for ((name, cell), value) in field.cells.iter().zip(values.iter()) {
                    self.put(agent, name, cell, value, span)?;
                }
                Ok(())
            }
            other => fault(
                span,
                format!("`{}` = {}: allowed is a tuple of {}", field.name, self.shown(other), field.cells.len()),
            ),
        }
    }

    fn put(&mut self, agent: usize, name: &str, cell: &Cell, value: &Value, span: Span) -> Result<()> {
        let names = &self.program.names;
        let Agents::Held(agents) = &mut self.agents else {
            return fault(span, "agents cannot be changed here");
        };
        if cell.put(&mut agents[agent], value) {
            return Ok(());
        }
        fault(span, format!("`{name}` = {}: allowed is {}", show(value, names), cell.allowed(names)))
    }

    // --- Expressions --------------------------------------------------------------------------------------------

    /// The value of an expression.
    ///
    /// # Errors
    /// What went wrong.
    pub fn expr(&mut self, expr: &Expr, locals: &mut Locals) -> Result<Value> {
        self.tick(expr.span)?;
        match &expr.kind {
            ExprKind::Const(value) => Ok(value.clone()),
            ExprKind::Local(local) => self.local(*local, expr.span, locals),
            ExprKind::Global(global) => Ok(self.globals[*global].clone()),
            _ => self.deeper(expr.span, |this| this.compound(expr, locals)),
        }
    }

    /// The value of an expression that has parts.
    fn compound(&mut self, expr: &Expr, locals: &mut Locals) -> Result<Value> {
        match &expr.kind {
            ExprKind::Tuple(items) => {
                let values: Result<Vec<Value>> = items.iter().map(|item| self.expr(item, locals)).collect();
                self.tuple(values?, expr.span)
            }
            ExprKind::And(items) => self.first(items, false, locals),
            ExprKind::Or(items) => self.first(items, true, locals),
            ExprKind::Not(operand) => Ok(Value::Bool(!self.truth(operand, locals)?)),
            ExprKind::Neg(operand) => {
                let value = self.int(operand, locals)?;
                value.checked_neg().map_or_else(|| too_large(expr.span), |value| Ok(Value::Int(value)))
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.expr(left, locals)?, self.expr(right, locals)?);
                self.binary(*op, &left, &right, expr.span)
            }
            ExprKind::Compare(left, rest) => self.compare(left, rest, locals),
            ExprKind::If(test, body, orelse) => {
                let branch = if self.truth(test, locals)? { body } else { orelse };
                self.expr(branch, locals)
            }
            ExprKind::Field(agent, field) => {
                let agent = self.agent(agent, locals)?;
                Ok(self.layout.fields[*field].get(&self.agents.all()[agent]))
            }
            ExprKind::Index(value, index) => self.index(value, index, expr.span, locals),
            ExprKind::Call(function, args) => {
                let args: Result<Locals> = args.iter().map(|arg| self.expr(arg, locals).map(Some)).collect();
                self.frame(*function, args?)
            }
            ExprKind::Builtin(builtin, args) => self.builtin(*builtin, args, expr.span, locals),
            ExprKind::Generator(..) | ExprKind::Const(_) | ExprKind::Local(_) | ExprKind::Global(_) => {
                fault(expr.span, "a generator is no value")
            }
        }
    }

    fn local(&mut self, local: usize, span: Span, locals: &Locals) -> Result<Value> {
        if let Some(value) = &locals[local] {
            return Ok(value.clone());
        }
        match self.coins.iter().find(|(coin, _)| self.depth == 1 && *coin == local) {
            Some((_, value)) => {
                self.drawn = true;
                Ok(value.clone())
            }
            None => fault(span, format!("`{}` has no value yet", self.program.words(span))),
        }
    }

    /// The first value whose truth is `wanted`, or the last.
    fn first(&mut self, items: &[Expr], wanted: bool, locals: &mut Locals) -> Result<Value> {
        let mut last = Value::None;
        for item in items {
            last = self.expr(item, locals)?;
            if truth(&last) == wanted {
                break;
            }
        }
        Ok(last)
    }

    fn truth(&mut self, expr: &Expr, locals: &mut Locals) -> Result<bool> {
        Ok(truth(&self.expr(expr, locals)?))
    }

    fn int(&mut self, expr: &Expr, locals: &mut Locals) -> Result<i64> {
        let value = self.expr(expr, locals)?;
        self.as_int(&value, expr.span)
    }

    fn as_int(&self, value: &Value, span: Span) -> Result<i64> {
        match value {
            Value::Int(value) => Ok(*value),
            Value::Bool(value) => Ok(i64::from(*value)),
            other => fault(span, format!("{} is no number", self.shown(other))),
        }
    }

    fn agent(&mut self, expr: &Expr, locals: &mut Locals) -> Result<usize> {
        match self.expr(expr, locals)? {
            Value::Agent(agent) if agent < self.agents.all().len() => Ok(agent),
            other => fault(expr.span, format!("{} is no agent", self.shown(&other))),
        }
    }

    fn shown(&self, value: &Value) -> String {
        show(value, &self.program.names)
    }

    fn binary(&mut self, op: BinOp, left: &Value, right: &Value, span: Span) -> Result<Value> {
        if let (BinOp::Add, Value::Tuple(a), Value::Tuple(b)) = (op, left, right) {
            return self.tuple(a.iter().chain(b.iter()).cloned().collect(), span);
        }
        let (a, b) = (self.as_int(left, span)?, self.as_int(right, span)?);
        let value = match op {
            BinOp::Add => a.checked_add(b),
            BinOp::Sub => a.checked_sub(b),
            BinOp::Mult => a.checked_mul(b),
            BinOp::FloorDiv | BinOp::Mod if b == 0 => return fault(span, "division by zero"),
            BinOp::FloorDiv => a.checked_div_euclid(b).map(|_| floor_div(a, b)),
            BinOp::Mod => Some(a.wrapping_sub(floor_div(a, b).wrapping_mul(b))),
            BinOp::Pow if b < 0 => return fault(span, "a negative exponent gives no integer"),
            BinOp::Pow => power(a, b),
            BinOp::BitOr => return fault(span, "`|` joins domains only"),
        };
        value.map_or_else(|| too_large(span), |value| Ok(Value::Int(value)))
    }

    fn compare(&mut self, left: &Expr, rest: &[(CmpOp, Expr)], locals: &mut Locals) -> Result<Value> {
        let mut before = self.expr(left, locals)?;
        for (op, right) in rest {
            let holds = match (op, &right.kind) {
                // A range is not written out for this.
                (CmpOp::In | CmpOp::NotIn, ExprKind::Builtin(Builtin::Range, _)) => {
                    let items = self.items(right, locals)?;
                    let inside = matches!(before, Value::Int(_) | Value::Bool(_))
                        && within(&items, self.as_int(&before, right.span)?);
                    inside == (*op == CmpOp::In)
                }
                _ => {
                    let after = self.expr(right, locals)?;
                    let holds = self.relation(*op, &before, &after, right.span)?;
                    before = after;
                    holds
                }
            };
            if !holds {
                return Ok(Value::Bool(false));
            }
        }
        Ok(Value::Bool(true))
    }

    fn relation(&mut self, op: CmpOp, a: &Value, b: &Value, span: Span) -> Result<bool> {
        let order = |this: &Self| -> Result<(i64, i64)> { Ok((this.as_int(a, span)?, this.as_int(b, span)?)) };
        Ok(match op {
            CmpOp::Eq => self.equal(a, b, span)?,
            CmpOp::NotEq => !self.equal(a, b, span)?,
            CmpOp::Is => matches!((a, b), (Value::None, Value::None)),
            CmpOp::IsNot => !matches!((a, b), (Value::None, Value::None)),
            CmpOp::Lt => order(self).map(|(a, b)| a < b)?,
            CmpOp::LtE => order(self).map(|(a, b)| a <= b)?,
            CmpOp::Gt => order(self).map(|(a, b)| a > b)?,
            CmpOp::GtE => order(self).map(|(a, b)| a >= b)?,
            CmpOp::In | CmpOp::NotIn => {
                let Value::Tuple(items) = b else {
                    return fault(span, format!("{} has no elements", self.shown(b)));
                };
                let mut found = false;
                self.spend(items.len() as u64, span)?;
                for item in items.iter() {
                    found = found || self.equal(a, item, span)?;
                }
                found == (op == CmpOp::In)
            }
        })
    }

    /// Equal as in Python: a truth value is 0 or 1, and different kinds are different.
    fn equal(&mut self, a: &Value, b: &Value, span: Span) -> Result<bool> {
        Ok(match (a, b) {
            (Value::Int(_) | Value::Bool(_), Value::Int(_) | Value::Bool(_)) => {
                self.as_int(a, span)? == self.as_int(b, span)?
            }
            (Value::Agent(_) | Value::Ring, _) | (_, Value::Agent(_) | Value::Ring) => {
                return fault(span, "agents are not compared; their variables are");
            }
            (Value::Tuple(a), Value::Tuple(b)) => {
                let mut equal = a.len() == b.len();
                self.spend(a.len() as u64, span)?;
                for (a, b) in a.iter().zip(b.iter()) {
                    equal = equal && self.equal(a, b, span)?;
                }
                equal
            }
            _ => a == b,
        })
    }

    fn index(&mut self, value: &Expr, index: &Expr, span: Span, locals: &mut Locals) -> Result<Value> {
        let of = self.expr(value, locals)?;
        let k = self.int(index, locals)?;
        match &of {
            Value::Ring => Ok(Value::Agent(k.rem_euclid(self.agents.all().len() as i64) as usize)),
            Value::Tuple(items) => match place(k, items.len()) {
                Some(k) => Ok(items[k].clone()),
                None => fault(span, format!("there is no element {k} of {}", items.len())),
            },
            other => fault(span, format!("{} has no elements", self.shown(other))),
        }
    }

    // --- Functions of the notation ------------------------------------------------------------------------------

    /// What a loop over an expression runs over.
    fn items(&mut self, expr: &Expr, locals: &mut Locals) -> Result<Items> {
        if let ExprKind::Builtin(Builtin::Range, args) = &expr.kind {
            let args: Result<Vec<i64>> = args.iter().map(|arg| self.int(arg, locals)).collect();
            return match args?.as_slice() {
                [to] => Ok(Items::Range(0, *to, 1)),
                [from, to] => Ok(Items::Range(*from, *to, 1)),
                [_, _, 0] => fault(expr.span, "a range whose step is 0"),
                [from, to, step] => Ok(Items::Range(*from, *to, *step)),
                _ => fault(expr.span, "`range` takes 1 to 3 arguments"),
            };
        }
        match self.expr(expr, locals)? {
            Value::Tuple(items) => Ok(Items::Tuple(items)),
            Value::Ring => Ok(Items::Ring),
            other => fault(expr.span, format!("{} cannot be looped over", self.shown(&other))),
        }
    }

    /// Hands over the elements of a generator, or of what can be looped over, until enough were seen.
    fn each(
        &mut self,
        expr: &Expr,
        locals: &mut Locals,
        take: &mut dyn FnMut(&Self, Value) -> Result<bool>,
    ) -> Result<bool> {
        if let ExprKind::Generator(element, clauses) = &expr.kind {
            return self.clauses(element, clauses, locals, take);
        }
        let items = self.items(expr, locals)?;
        for k in 0..items.len(self.agents.all().len()) {
            self.tick(expr.span)?;
            if take(self, items.get(k))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn clauses(
        &mut self,
        element: &Expr,
        clauses: &[Clause],
        locals: &mut Locals,
        take: &mut dyn FnMut(&Self, Value) -> Result<bool>,
    ) -> Result<bool> {
        let Some((clause, inner)) = clauses.split_first() else {
            let value = self.expr(element, locals)?;
            return take(self, value);
        };
        let items = self.items(&clause.iter, locals)?;
        for k in 0..items.len(self.agents.all().len()) {
            self.tick(clause.iter.span)?;
            self.assign(&clause.target, items.get(k), locals)?;
            let mut wanted = true;
            for test in &clause.ifs {
                wanted = wanted && self.truth(test, locals)?;
            }
            if wanted && self.clauses(element, inner, locals, take)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn builtin(&mut self, builtin: Builtin, args: &[Expr], span: Span, locals: &mut Locals) -> Result<Value> {
        let Some(first) = args.first() else { return fault(span, "an argument is missing") };
        match builtin {
            Builtin::All | Builtin::Any => {
                let wanted = builtin == Builtin::Any;
                let found = self.each(first, locals, &mut |_, value| Ok(truth(&value) == wanted))?;
                Ok(Value::Bool(found == wanted))
            }
            Builtin::Sum => {
                let mut sum = Some(0_i64);
                self.each(first, locals, &mut |this, value| {
                    let value = this.as_int(&value, span)?;
                    sum = sum.and_then(|sum| sum.checked_add(value));
                    Ok(sum.is_none())
                })?;
                sum.map_or_else(|| too_large(span), |sum| Ok(Value::Int(sum)))
            }
            Builtin::Min | Builtin::Max => self.extreme(builtin == Builtin::Max, args, span, locals),
            Builtin::Tuple => {
                let mut items = Vec::new();
                self.each(first, locals, &mut |this, value| {
                    items.push(value);
                    // What cannot be paid for in the end is not gathered.
                    if ELEMENT * items.len() as u64 > this.left.min(ELEMENT * LONGEST as u64) {
                        return fault(span, "this tuple is too long");
                    }
                    Ok(false)
                })?;
                self.tuple(items, span)
            }
            Builtin::Range => {
                let items =
                    self.items(&Expr { span, kind: ExprKind::Builtin(Builtin::Range, args.to_vec()) }, locals)?;
                let count = items.len(0);
                if ELEMENT * count.min(LONGEST as u64 + 1) > self.left.min(ELEMENT * LONGEST as u64) {
                    return fault(span, "this range is too long");
                }
                self.tuple((0..count).map(|k| items.get(k)).collect(), span)
            }
            Builtin::Abs => {
                let value = self.int(first, locals)?;
                value.checked_abs().map_or_else(|| too_large(span), |value| Ok(Value::Int(value)))
            }
            Builtin::Len => match self.expr(first, locals)? {
                Value::Tuple(items) => Ok(Value::Int(items.len() as i64)),
                Value::Ring => Ok(Value::Int(self.agents.all().len() as i64)),
                other => fault(span, format!("{} has no length", self.shown(&other))),
            },
            Builtin::CeilLog2 => match self.int(first, locals)? {
                value if value >= 1 => Ok(Value::Int(i64::from(64 - (value as u64 - 1).leading_zeros()))),
                value => fault(span, format!("{value} has no logarithm")),
            },
            Builtin::Randint => self.randint(args, span, locals),
            Builtin::Require => fault(span, "`require` is no value"),
        }
    }

    /// The first of the least or greatest values.
    fn extreme(&mut self, greatest: bool, args: &[Expr], span: Span, locals: &mut Locals) -> Result<Value> {
        let mut best: Option<(i64, Value)> = None;
        let mut take = |this: &Self, value: Value| {
            let number = this.as_int(&value, span)?;
            let better =
                best.as_ref().is_none_or(|(known, _)| if greatest { number > *known } else { number < *known });
            if better {
                best = Some((number, value));
            }
            Ok(false)
        };
        if let [only] = args {
            self.each(only, locals, &mut take)?;
        } else {
            for arg in args {
                let value = self.expr(arg, locals)?;
                take(self, value)?;
            }
        }
        best.map_or_else(|| fault(span, "there is no least or greatest of nothing"), |(_, value)| Ok(value))
    }

    fn randint(&mut self, args: &[Expr], span: Span, locals: &mut Locals) -> Result<Value> {
        let [low, high] = args else { return fault(span, "`randint` takes 2 arguments") };
        let (low, high) = (self.int(low, locals)?, self.int(high, locals)?);
        let Some(random) = &mut self.random else { return fault(span, "`randint` is for starts") };
        let Some(gap) = high.checked_sub(low).filter(|gap| *gap >= 0) else {
            return fault(span, format!("there is no number from {low} to {high}"));
        };
        Ok(Value::Int(low + below(random, gap as u64 + 1) as i64))
    }
}

/// Whether a value counts as true.
#[must_use]
pub fn truth(value: &Value) -> bool {
    match value {
        Value::Int(value) => *value != 0,
        Value::Bool(value) => *value,
        Value::None => false,
        Value::Tuple(items) => !items.is_empty(),
        Value::Name(_) | Value::Agent(_) | Value::Ring => true,
    }
}

/// A value as it is written; of a long one, the beginning.
#[must_use]
pub fn show(value: &Value, names: &[String]) -> String {
    let mut shown = String::new();
    show_into(value, names, &mut shown);
    shown
}

/// So much of a value is shown, in bytes.
const SHOWN: usize = 400;

fn show_into(value: &Value, names: &[String], out: &mut String) {
    match value {
        Value::Int(value) => out.push_str(&value.to_string()),
        Value::Bool(true) => out.push_str("True"),
        Value::Bool(false) => out.push_str("False"),
        Value::Name(name) => out.push_str(&format!("\"{}\"", names.get(*name).map_or("?", String::as_str))),
        Value::None => out.push_str("None"),
        Value::Tuple(items) => {
            out.push('(');
            for (k, item) in items.iter().enumerate() {
                out.push_str(if k > 0 { ", " } else { "" });
                if k == 8 || out.len() > SHOWN {
                    out.push_str("...");
                    break;
                }
                show_into(item, names, out);
            }
            out.push_str(if items.len() == 1 { ",)" } else { ")" });
        }
        Value::Agent(_) => out.push_str("an agent"),
        Value::Ring => out.push_str("the ring"),
    }
}

fn too_large<T>(span: Span) -> Result<T> {
    fault(span, "a number of 2^63 or more")
}

pub(crate) fn floor_div(a: i64, b: i64) -> i64 {
    let (quotient, rest) = (a.wrapping_div(b), a.wrapping_rem(b));
    if rest != 0 && (rest < 0) != (b < 0) { quotient - 1 } else { quotient }
}

pub(crate) fn power(base: i64, exponent: i64) -> Option<i64> {
    match base {
        0 | 1 => Some(if exponent == 0 { 1 } else { base }),
        -1 => Some(if exponent % 2 == 0 { 1 } else { -1 }),
        _ => base.checked_pow(u32::try_from(exponent).ok()?),
    }
}

/// An index as in Python: negative ones count from the end.
fn place(index: i64, len: usize) -> Option<usize> {
    let index = if index < 0 { index.checked_add(len as i64)? } else { index };
    usize::try_from(index).ok().filter(|index| *index < len)
}

fn within(items: &Items, value: i64) -> bool {
    match items {
        Items::Range(from, to, step) => {
            let inside = if *step > 0 { (*from..*to).contains(&value) } else { value <= *from && value > *to };
            inside && (i128::from(value) - i128::from(*from)) % i128::from(*step) == 0
        }
        _ => false,
    }
}

impl Cell {
    /// The value in a state.
    #[must_use]
    pub fn get(&self, state: &State) -> Value {
        let part = |slot: &Slot| slot.value(slot.get(state));
        match self {
            Self::One(slot) => part(slot),
            Self::Maybe(there, _) if there.get(state) == 0 => Value::None,
            Self::Maybe(_, parts) if parts.len() == 1 => part(&parts[0]),
            Self::Maybe(_, parts) => Value::Tuple(parts.iter().map(part).collect()),
        }
    }

    /// Overwrites the value in a state, if it is one of the domain.
    pub fn put(&self, state: &mut State, value: &Value) -> bool {
        match (self, value) {
            (Self::One(slot), _) => slot.accepts(value).map(|number| slot.put(state, number)).is_some(),
            (Self::Maybe(there, parts), Value::None) => {
                there.put(state, 0);
                parts.iter().for_each(|part| part.put(state, part.zero));
                true
            }
            (Self::Maybe(there, parts), _) => {
                let values = match value {
                    Value::Tuple(values) if parts.len() > 1 => &values[..],
                    other => std::slice::from_ref(other),
                };
                let numbers: Option<Vec<i64>> =
                    parts.iter().zip(values).map(|(part, value)| part.accepts(value)).collect();
                let Some(numbers) = numbers.filter(|_| values.len() == parts.len()) else { return false };
                there.put(state, 1);
                parts.iter().zip(numbers).for_each(|(part, number)| part.put(state, number));
                true
            }
        }
    }

    /// What may be stored, in words.
    #[must_use]
    pub fn allowed(&self, names: &[String]) -> String {
        match self {
            Self::One(slot) => slot.allowed(names),
            Self::Maybe(_, parts) if parts.len() == 1 => format!("None or {}", parts[0].allowed(names)),
            Self::Maybe(_, parts) => {
                let parts: Vec<String> = parts.iter().map(|part| part.allowed(names)).collect();
                format!("None or a tuple of {}", parts.join(", "))
            }
        }
    }
}

impl Slot {
    /// The number of a value, if it is one of the domain.
    #[must_use]
    pub fn accepts(&self, value: &Value) -> Option<i64> {
        let number = match value {
            Value::Int(number) if !self.names => *number,
            Value::Bool(number) if !self.names => i64::from(*number),
            Value::Name(name) if self.names => *name as i64,
            _ => return None,
        };
        self.contains(number).then_some(number)
    }

    /// What may be stored, in words.
    #[must_use]
    pub fn allowed(&self, names: &[String]) -> String {
        let one = |number: i64| show(&self.value(number), names);
        let range = |(low, high): &(i64, i64)| match high - low {
            0 => one(*low),
            1 => format!("{}, {}", one(*low), one(*high)),
            _ if self.names => (*low..=*high).map(one).collect::<Vec<_>>().join(", "),
            _ => format!("{low} to {high}"),
        };
        let ranges: Vec<String> = self.ranges.iter().take(8).map(range).collect();
        let more = if self.ranges.len() > 8 { ", ..." } else { "" };
        format!("{}{more}", ranges.join(", "))
    }
}
