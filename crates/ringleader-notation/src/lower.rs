//! A text as a graph: the tree is run on all states at once, with literals for bits.
//!
//! A value is a few *cases*, each with the condition under which it is the value: an integer as bits, `None`, a tuple, an agent. Both
//! branches of an `if` are run, and what differs afterwards is chosen by its condition; loops are written out; after a `return` nothing is
//! *live*. Whatever can go wrong is noted with its place and the condition under which it does.
//!
//! What takes too long to write out, or has no bounds, is refused: then the law runs.

mod int;
mod shape;

use ringleader::circuit::Bit;

use crate::ast::{BinOp, CmpOp, Span};
use crate::graph::{Demand, Lit, goes_on};
use crate::program::Program;
use crate::setting::{Cell, Setting, Slot};
use crate::tree::{Builtin, Clause, Expr, ExprKind, Extra, Stmt, StmtKind, Target, TargetKind};
use int::{Choose, Int};
use shape::{Shape, Sym};

/// The bits of a state, those of the first word first.
pub type Bits = Vec<Lit>;

/// What a function does, on all states at once.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The agents before: free bits where a variable has some, zero elsewhere.
    pub before: Vec<Bits>,
    /// The agents after.
    pub after: Vec<Bits>,
    /// Each coin, as the bits of its place among the values.
    pub coins: Vec<Bits>,
    /// What the oracle says.
    pub oracle: Lit,
    /// Whether a coin is read.
    pub drawn: Lit,
    /// Whether what is returned counts as true.
    pub truth: Lit,
    /// Whether each agent leads, before and after.
    pub leads: Vec<[Lit; 2]>,
    /// Whether what some agent says differs afterwards.
    pub changed: Lit,
    /// Where and when something goes wrong.
    pub wrong: Vec<(Span, Lit)>,
    /// What states and coins are.
    pub demands: Vec<Demand>,
}

impl Lowered {
    /// All free bits: those of agents, of coins, and the answer of the oracle.
    #[must_use]
    pub fn inputs(&self) -> Vec<Lit> {
        let bits = self.before.iter().chain(&self.coins).flatten().copied();
        bits.filter(|bit| *bit != Lit::ZERO).chain([self.oracle]).collect()
    }
}

/// Why a text has no graph, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooHard {
    /// Where.
    pub span: Span,
    /// Why.
    pub why: &'static str,
}

type Result<T> = std::result::Result<T, Box<TooHard>>;

fn too_hard<T>(span: Span, why: &'static str) -> Result<T> {
    Err(Box::new(TooHard { span, why }))
}

/// So many expressions are looked at.
const PATIENCE: u64 = 1 << 20;
/// So deep are expressions, blocks and calls nested; the law allows more.
const DEEPEST: usize = 200;

/// The transition function, in the arena of the thread.
///
/// # Errors
/// If it is too hard.
pub fn interact(program: &Program, setting: &Setting) -> Result<Lowered> {
    interact_where(program, setting, Lit::ONE)
}

/// The transition function where it is asked for; elsewhere agents stay as they are. That is said statement by statement, so that what was
/// decided by one is needed no more when the next begins. The parts of a value that is not there are left as they were.
///
/// # Errors
/// If it is too hard.
pub fn interact_where(program: &Program, setting: &Setting, asked: Lit) -> Result<Lowered> {
    interact_told(program, setting, asked, Lit::input())
}

/// The same with an oracle that says this.
pub(crate) fn interact_told(program: &Program, setting: &Setting, asked: Lit, oracle: Lit) -> Result<Lowered> {
    let mut machine = Machine::new(program, setting, 2);
    machine.asked = asked;
    machine.lowered.oracle = oracle;
    let mut locals = vec![Sym::one(Shape::Agent(0)), Sym::one(Shape::Agent(1))];
    let mut coins = 0;
    for extra in &program.extras {
        locals.push(match extra {
            Extra::Oracle(_) => Sym::truth(machine.lowered.oracle),
            Extra::Coin(_) => {
                coins += 1;
                Sym::one(Shape::Coin(coins - 1))
            }
        });
    }
    machine.frame(program.interact, locals)?;
    machine.look()?;
    Ok(machine.lowered)
}

/// A function of the ring, in the arena of the thread.
///
/// # Errors
/// If it is too hard.
pub fn set(program: &Program, setting: &Setting, function: usize) -> Result<Lowered> {
    let mut machine = Machine::new(program, setting, setting.n);
    let given = machine.frame(function, vec![Sym::one(Shape::Ring)])?;
    machine.lowered.truth = given.is_true();
    Ok(machine.lowered)
}

/// Which functions change agents, those that they call included.
fn writers(program: &Program) -> Vec<bool> {
    let mut writers: Vec<bool> = program.functions.iter().map(|one| one.body.iter().any(Stmt::stores)).collect();
    loop {
        let calls = |body: &[Stmt]| {
            let mut found = false;
            body.iter().for_each(|stmt| stmt.visit(&mut |expr| found |= calls_any(expr, &writers)));
            found
        };
        let next: Vec<bool> =
            program.functions.iter().zip(&writers).map(|(one, known)| *known || calls(&one.body)).collect();
        if next == writers {
            return writers;
        }
        writers = next;
    }
}

fn calls_any(expr: &Expr, functions: &[bool]) -> bool {
    matches!(expr.kind, ExprKind::Call(function, _) if functions[function])
}

struct Machine<'a> {
    program: &'a Program,
    setting: &'a Setting,
    writers: Vec<bool>,
    /// What is found; `after` are the agents as they are now.
    lowered: Lowered,
    /// Where anything happens at all.
    asked: Lit,
    /// Under which condition this is run, where it is asked for.
    path: Lit,
    /// Where nothing was returned yet.
    live: Lit,
    nested: usize,
    left: u64,
}

/// A call under way.
#[derive(Clone)]
struct Frame {
    locals: Vec<Sym>,
    given: Sym,
}

/// Hands over an element under a condition; gives where no more are wanted.
type Take<'t, 'a> = &'t mut dyn FnMut(&mut Machine<'a>, Lit, Sym) -> Result<Lit>;

impl<'a> Machine<'a> {
    fn new(program: &'a Program, setting: &'a Setting, agents: usize) -> Self {
        let mut demands = Vec::new();
        let before: Vec<Bits> = (0..agents).map(|_| free_state(setting, &mut demands)).collect();
        let coins: Vec<Bits> = setting.coins.iter().map(|slot| free_coin(slot, &mut demands)).collect();
        let (after, oracle, wrong) = (before.clone(), Lit::input(), Vec::new());
        let (drawn, truth, changed, leads) = (Lit::ZERO, Lit::ZERO, Lit::ZERO, Vec::new());
        let lowered = Lowered { before, after, coins, oracle, drawn, truth, leads, changed, wrong, demands };
        let (asked, path, live, nested, left) = (Lit::ONE, Lit::ONE, Lit::ONE, 0, PATIENCE);
        Self { program, setting, writers: writers(program), lowered, asked, path, live, nested, left }
    }

    /// Who leads and what is said, before and after.
    fn look(&mut self) -> Result<()> {
        let after = self.lowered.after.clone();
        self.lowered.after.clone_from(&self.lowered.before);
        let before = self.said()?;
        self.lowered.after = after;
        // What goes wrong afterwards goes wrong before, in some other interaction.
        let wrong = self.lowered.wrong.len();
        let after = self.said()?;
        self.lowered.wrong.truncate(wrong);
        for ((leads, says), (will_lead, will_say)) in before.iter().zip(&after) {
            self.lowered.leads.push([*leads, *will_lead]);
            let same = self.equal(says, will_say, Span::default());
            self.lowered.changed = self.lowered.changed | !same;
        }
        self.lowered.wrong.truncate(wrong);
        if self.program.output.or(self.program.leader).is_none() {
            let cells = self.setting.layout.fields.iter().flat_map(|field| &field.cells);
            let agents = || self.lowered.before.iter().zip(&self.lowered.after);
            let differs = cells.flat_map(|(_, cell)| agents().map(|(before, after)| differs(cell, before, after)));
            self.lowered.changed = differs.fold(Lit::ZERO, |some, one| some | one);
        }
        Ok(())
    }

    /// Of both agents: whether they lead, and what they say.
    fn said(&mut self) -> Result<Vec<(Lit, Sym)>> {
        let (mut all, program) = (Vec::new(), self.program);
        for agent in 0..2 {
            let mut ask = |function: Option<usize>| {
                function.map(|function| self.frame(function, vec![Sym::one(Shape::Agent(agent))])).transpose()
            };
            let leads = ask(program.leader)?.map_or(Lit::ZERO, |value| value.is_true());
            let says = ask(program.output)?.unwrap_or_else(|| Sym::truth(leads));
            all.push((leads, says));
        }
        Ok(all)
    }

    /// Something goes wrong here under a condition.
    fn wrong(&mut self, when: Lit, span: Span) {
        let when = self.path & self.live & when;
        if when != Lit::ZERO {
            self.lowered.wrong.push((span, when));
        }
    }

    fn tick(&mut self, span: Span) -> Result<()> {
        if self.left == 0 || !goes_on() {
            return too_hard(span, "it takes too long to write out");
        }
        self.left -= 1;
        Ok(())
    }

    fn deeper<T>(&mut self, span: Span, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.nested == DEEPEST {
            return too_hard(span, "it is nested too deep");
        }
        self.nested += 1;
        let done = work(self)?;
        self.nested -= 1;
        Ok(done)
    }

    // --- Statements ---------------------------------------------------------------------------------------------

    fn frame(&mut self, function: usize, mut locals: Vec<Sym>) -> Result<Sym> {
        let function = &self.program.functions[function];
        locals.resize(function.locals.len().max(locals.len()), Sym::one(Shape::Unset));
        let (live, mut frame) = (self.live, Frame { locals, given: Sym::one(Shape::None) });
        self.block(&function.body, &mut frame)?;
        self.live = live;
        Ok(frame.given)
    }

    fn block(&mut self, stmts: &[Stmt], frame: &mut Frame) -> Result<()> {
        for stmt in stmts {
            if self.live == Lit::ZERO || self.path == Lit::ZERO {
                break;
            }
            self.deeper(stmt.span, |this| this.stmt(stmt, frame))?;
        }
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt, frame: &mut Frame) -> Result<()> {
        match &stmt.kind {
            StmtKind::Assign(targets, value) => {
                let value = self.expr(value, frame)?;
                targets.iter().try_for_each(|target| self.assign(target, &value, frame))?;
            }
            StmtKind::If(test, body, orelse) => {
                let test = self.truth(test, frame)?;
                self.branch(
                    test,
                    frame,
                    |this, frame| this.block(body, frame),
                    |this, frame| this.block(orelse, frame),
                )?;
            }
            StmtKind::For(target, iter, body) => {
                for (wanted, item) in self.items(iter, frame)? {
                    self.tick(stmt.span)?;
                    let once = |this: &mut Self, frame: &mut Frame| {
                        this.assign(target, &item, frame)?;
                        this.block(body, frame)
                    };
                    self.branch(wanted, frame, once, |_, _| Ok(()))?;
                }
            }
            StmtKind::Return(value) => {
                let value = self.expr(value, frame)?;
                frame.given = Sym::choose(self.live, &value, &frame.given);
                self.live = Lit::ZERO;
            }
            StmtKind::Assert(test, _) => {
                let test = self.truth(test, frame)?;
                self.wrong(!test, stmt.span);
            }
            StmtKind::Do(expr) => drop(self.expr(expr, frame)?),
        }
        Ok(())
    }

    /// Runs both, and chooses.
    fn branch(
        &mut self,
        test: Lit,
        frame: &mut Frame,
        then: impl FnOnce(&mut Self, &mut Frame) -> Result<()>,
        otherwise: impl FnOnce(&mut Self, &mut Frame) -> Result<()>,
    ) -> Result<()> {
        match test.constant() {
            Some(true) => return then(self, frame),
            Some(false) => return otherwise(self, frame),
            None => {}
        }
        let (path, live) = (self.path, self.live);
        let (agents, mut other) = (self.lowered.after.clone(), frame.clone());
        let before = self.is_outside().then(|| agents.clone());
        self.path = path & test;
        then(self, frame)?;
        let (changed, ended) = (std::mem::replace(&mut self.lowered.after, agents), self.live);
        (self.path, self.live) = (path & !test, live);
        otherwise(self, &mut other)?;
        (self.path, self.live) = (path, test.select(ended, self.live));
        merge(test, &changed, &mut self.lowered.after);
        before.inspect(|before| merge(!self.asked, before, &mut self.lowered.after));
        for (local, other) in frame.locals.iter_mut().zip(&other.locals) {
            *local = Sym::choose(test, local, other);
        }
        frame.given = Sym::choose(test, &frame.given, &other.given);
        Ok(())
    }

    /// Does something of an expression that is done under a condition only.
    fn under<T>(&mut self, when: Lit, writes: bool, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let path = self.path;
        let asked = if self.is_outside() { self.asked } else { Lit::ONE };
        self.path = path & when;
        let before = writes.then(|| self.lowered.after.clone());
        let done = work(self)?;
        if let Some(before) = before {
            merge(!(when & asked), &before, &mut self.lowered.after);
        }
        self.path = path;
        Ok(done)
    }

    fn writes(&self, expr: &Expr) -> bool {
        let mut found = false;
        expr.visit(&mut |part| found |= calls_any(part, &self.writers));
        found
    }

    // --- Assignments --------------------------------------------------------------------------------------------

    fn assign(&mut self, target: &Target, value: &Sym, frame: &mut Frame) -> Result<()> {
        match &target.kind {
            TargetKind::Local(local) => frame.locals[*local] = value.clone(),
            TargetKind::Tuple(targets) => {
                let (parts, fits) = value.parts(targets.len());
                self.wrong(!fits, target.span);
                for (target, part) in targets.iter().zip(&parts) {
                    self.assign(target, part, frame)?;
                }
            }
            TargetKind::Field(agent, field) => {
                let agents = self.agents(agent, frame)?;
                let field = &self.setting.layout.fields[*field];
                let (parts, fits) =
                    if field.array { value.parts(field.cells.len()) } else { (vec![value.clone()], Lit::ONE) };
                for (chosen, agent) in agents {
                    self.wrong(chosen & !fits, target.span);
                    for ((_, cell), part) in field.cells.iter().zip(&parts) {
                        self.put(agent, cell, part, chosen, target.span);
                    }
                }
            }
            TargetKind::Element(agent, field, index) => {
                let agents = self.agents(agent, frame)?;
                let field = &self.setting.layout.fields[*field];
                if !field.array {
                    self.wrong(Lit::ONE, target.span);
                    return Ok(());
                }
                let index = self.int(index, frame)?;
                let (places, inside) = places(&index, field.cells.len());
                self.wrong(!inside, target.span);
                for ((chosen, agent), (here, (_, cell))) in
                    agents.iter().flat_map(|one| places.iter().zip(&field.cells).map(move |place| (*one, place)))
                {
                    self.put(agent, cell, value, chosen & *here, target.span);
                }
            }
        }
        Ok(())
    }

    fn put(&mut self, agent: usize, cell: &Cell, value: &Sym, when: Lit, span: Span) {
        if when == Lit::ZERO {
            return;
        }
        match cell {
            Cell::One(slot) => {
                let (fits, raw) = accepted(slot, value);
                self.wrong(when & !fits, span);
                self.write(agent, slot, &raw, when);
            }
            Cell::Maybe(there, parts) => {
                let none = value.is_none();
                let (values, mut fits) =
                    if parts.len() == 1 { (vec![value.clone()], Lit::ONE) } else { value.parts(parts.len()) };
                for (part, value) in parts.iter().zip(&values) {
                    let (part_fits, raw) = accepted(part, value);
                    fits = fits & part_fits;
                    if self.is_loose() {
                        self.write(agent, part, &raw, when & !none);
                    } else {
                        let raw: Bits = raw.iter().map(|&bit| !none & bit).collect();
                        self.write(agent, part, &raw, when);
                    }
                }
                self.wrong(when & !none & !fits, span);
                self.write(agent, there, &[!none], when);
            }
        }
    }

    /// Whether the parts of a value that is not there may be anything, as in readings that are run: then `None` is written by one bit.
    fn is_loose(&self) -> bool {
        self.asked != Lit::ONE
    }

    /// Whether this runs wherever it is asked for, so that what it does has to say where that is.
    fn is_outside(&self) -> bool {
        self.path == Lit::ONE && self.asked != Lit::ONE
    }

    fn write(&mut self, agent: usize, slot: &Slot, raw: &[Lit], when: Lit) {
        let when = if self.is_outside() { self.asked } else { Lit::ONE } & self.live & when;
        for (k, &bit) in raw.iter().enumerate().take(bits_of(slot)) {
            let place = &mut self.lowered.after[agent][first_bit(slot) + k];
            *place = when.select(bit, *place);
        }
    }

    // --- Expressions --------------------------------------------------------------------------------------------

    fn expr(&mut self, expr: &Expr, frame: &mut Frame) -> Result<Sym> {
        self.tick(expr.span)?;
        self.deeper(expr.span, |this| this.compound(expr, frame))
    }

    fn compound(&mut self, expr: &Expr, frame: &mut Frame) -> Result<Sym> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Const(value) => Ok(Sym::of(value)),
            ExprKind::Global(global) => Ok(Sym::of(&self.setting.globals[*global])),
            ExprKind::Local(local) => Ok(self.local(&frame.locals[*local], span)),
            ExprKind::Tuple(items) => {
                let items: Result<Vec<Sym>> = items.iter().map(|item| self.expr(item, frame)).collect();
                self.tuple(items?, span)
            }
            ExprKind::And(items) => self.first(items, false, frame),
            ExprKind::Or(items) => self.first(items, true, frame),
            ExprKind::Not(operand) => Ok(Sym::truth(!self.truth(operand, frame)?)),
            ExprKind::Neg(operand) => {
                let value = self.int(operand, frame)?.neg();
                self.number(value, span)
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.expr(left, frame)?, self.expr(right, frame)?);
                self.binary(*op, &left, &right, span)
            }
            ExprKind::Compare(left, rest) => self.compare(left, rest, frame),
            ExprKind::If(test, body, orelse) => {
                let test = self.truth(test, frame)?;
                match test.constant() {
                    Some(true) => return self.expr(body, frame),
                    Some(false) => return self.expr(orelse, frame),
                    None => {}
                }
                let writes = self.writes(body);
                let then = self.under(test, writes, |this| this.expr(body, frame))?;
                let writes = self.writes(orelse);
                let otherwise = self.under(!test, writes, |this| this.expr(orelse, frame))?;
                Ok(Sym::choose(test, &then, &otherwise))
            }
            ExprKind::Field(agent, field) => {
                let agents = self.agents(agent, frame)?;
                let value = |(chosen, agent): (Lit, usize)| (chosen, self.field(agent, *field));
                Ok(Sym::chosen(agents.into_iter().map(value)))
            }
            ExprKind::Index(value, index) => self.index(value, index, span, frame),
            ExprKind::Call(function, args) => {
                let args: Result<Vec<Sym>> = args.iter().map(|arg| self.expr(arg, frame)).collect();
                self.frame(*function, args?)
            }
            ExprKind::Builtin(builtin, args) => self.builtin(*builtin, args, span, frame),
            ExprKind::Generator(..) => too_hard(span, "a generator is no value"),
        }
    }

    fn local(&mut self, value: &Sym, span: Span) -> Sym {
        let mut cases = Vec::new();
        for (when, shape) in &value.0 {
            match shape {
                Shape::Unset => self.wrong(*when, span),
                Shape::Coin(k) => {
                    self.lowered.drawn = self.lowered.drawn | (self.path & self.live & *when);
                    cases.push((*when, coin(&self.setting.coins[*k], &self.lowered.coins[*k])));
                }
                other => cases.push((*when, other.clone())),
            }
        }
        Sym(cases)
    }

    /// The value of a variable.
    fn field(&self, agent: usize, field: usize) -> Sym {
        let field = &self.setting.layout.fields[field];
        let bits = &self.lowered.after[agent];
        if field.array {
            Sym::one(Shape::Tuple(field.cells.iter().map(|(_, cell)| read(cell, bits)).collect()))
        } else {
            read(&field.cells[0].1, bits)
        }
    }

    fn tuple(&mut self, items: Vec<Sym>, span: Span) -> Result<Sym> {
        let tuple = Sym::one(Shape::Tuple(items));
        if tuple.depth() > 8 {
            return too_hard(span, "tuples are nested too deep");
        }
        Ok(tuple)
    }

    fn truth(&mut self, expr: &Expr, frame: &mut Frame) -> Result<Lit> {
        Ok(self.expr(expr, frame)?.is_true())
    }

    fn int(&mut self, expr: &Expr, frame: &mut Frame) -> Result<Int> {
        let value = self.expr(expr, frame)?;
        Ok(self.as_int(&value, expr.span))
    }

    fn as_int(&mut self, value: &Sym, span: Span) -> Int {
        let (int, fits) = value.as_int(false);
        self.wrong(!fits, span);
        int
    }

    /// A number that was computed, which must be below 2^63.
    fn number(&mut self, value: Option<Int>, span: Span) -> Result<Sym> {
        let Some(value) = value else { return too_hard(span, "numbers have too many values here") };
        let (low, high) = (i128::from(i64::MIN), i128::from(i64::MAX));
        if value.low < low || value.high > high {
            self.wrong(!value.is_between(low, high), span);
        }
        Ok(Sym::one(Shape::Int(value.within(low, high))))
    }

    fn agents(&mut self, expr: &Expr, frame: &mut Frame) -> Result<Vec<(Lit, usize)>> {
        let (mut agents, mut others) = (Vec::new(), Lit::ZERO);
        for (when, shape) in self.expr(expr, frame)?.0 {
            match shape {
                Shape::Agent(agent) => agents.push((when, agent)),
                _ => others = others | when,
            }
        }
        self.wrong(others, expr.span);
        Ok(agents)
    }

    /// The first value whose truth is `wanted`, or the last.
    fn first(&mut self, items: &[Expr], wanted: bool, frame: &mut Frame) -> Result<Sym> {
        let Some((first, rest)) = items.split_first() else { return Ok(Sym::one(Shape::None)) };
        let value = self.expr(first, frame)?;
        let on = value.is_true().negated_if(wanted);
        if rest.is_empty() || on == Lit::ZERO {
            return Ok(value);
        }
        let writes = rest.iter().any(|expr| self.writes(expr));
        let other = self.under(on, writes, |this| this.first(rest, wanted, frame))?;
        Ok(Sym::choose(on, &other, &value))
    }

    fn binary(&mut self, op: BinOp, left: &Sym, right: &Sym, span: Span) -> Result<Sym> {
        if op == BinOp::Add && left.has_tuple() && right.has_tuple() {
            return self.joined(left, right, span);
        }
        let (a, b) = (self.as_int(left, span), self.as_int(right, span));
        let value = match op {
            BinOp::Add => a.add(&b),
            BinOp::Sub => a.sub(&b),
            BinOp::Mult => a.mul(&b),
            BinOp::FloorDiv | BinOp::Mod => {
                self.wrong(b.is_zero(), span);
                let divided = a.divide(&b);
                divided.map(|(quotient, rest)| if op == BinOp::Mod { rest } else { quotient })
            }
            BinOp::Pow => {
                self.wrong(b.less(&Int::constant(0)), span);
                a.power(&b)
            }
            BinOp::BitOr => return too_hard(span, "`|` joins domains only"),
        };
        self.number(value, span)
    }

    fn joined(&mut self, left: &Sym, right: &Sym, span: Span) -> Result<Sym> {
        match (&left.0[..], &right.0[..]) {
            ([(_, Shape::Tuple(a))], [(_, Shape::Tuple(b))]) => self.tuple(a.iter().chain(b).cloned().collect(), span),
            _ => too_hard(span, "tuples of several lengths"),
        }
    }

    fn compare(&mut self, left: &Expr, rest: &[(CmpOp, Expr)], frame: &mut Frame) -> Result<Sym> {
        let (mut before, mut all) = (self.expr(left, frame)?, Lit::ONE);
        for (op, right) in rest {
            let writes = self.writes(right);
            let holds = self.under(all, writes, |this| match (op, &right.kind) {
                (CmpOp::In | CmpOp::NotIn, ExprKind::Builtin(Builtin::Range, args)) => {
                    let inside = this.in_range(&before, args, right.span, frame)?;
                    Ok(inside.negated_if(*op == CmpOp::NotIn))
                }
                _ => {
                    let after = this.expr(right, frame)?;
                    let holds = this.relation(*op, &before, &after, right.span);
                    before = after;
                    Ok(holds)
                }
            })?;
            all = all & holds;
        }
        Ok(Sym::truth(all))
    }

    fn in_range(&mut self, value: &Sym, args: &[Expr], span: Span, frame: &mut Frame) -> Result<Lit> {
        let (from, to, step) = self.range(args, span, frame)?;
        let (value, number) = value.as_int(false);
        let inside = if step > 0 { !value.less(&from) & value.less(&to) } else { !from.less(&value) & to.less(&value) };
        let hit = match step.abs() {
            1 => Lit::ONE,
            step => {
                let rest = value.sub(&from).and_then(|gap| gap.divide(&Int::constant(step)));
                let Some((_, rest)) = rest else { return too_hard(span, "numbers have too many values here") };
                rest.is_zero()
            }
        };
        Ok(number & inside & hit)
    }

    fn relation(&mut self, op: CmpOp, a: &Sym, b: &Sym, span: Span) -> Lit {
        match op {
            CmpOp::Eq => self.equal(a, b, span),
            CmpOp::NotEq => !self.equal(a, b, span),
            CmpOp::Is => a.is_none() & b.is_none(),
            CmpOp::IsNot => !(a.is_none() & b.is_none()),
            CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE => {
                let (a, b) = (self.as_int(a, span), self.as_int(b, span));
                match op {
                    CmpOp::Lt => a.less(&b),
                    CmpOp::LtE => !b.less(&a),
                    CmpOp::Gt => b.less(&a),
                    _ => !a.less(&b),
                }
            }
            CmpOp::In | CmpOp::NotIn => {
                let mut found = Lit::ZERO;
                for (when, shape) in &b.0 {
                    match shape {
                        Shape::Tuple(items) => {
                            for item in items {
                                found = found | (*when & self.equal(a, item, span));
                            }
                        }
                        _ => self.wrong(*when, span),
                    }
                }
                found.negated_if(op == CmpOp::NotIn)
            }
        }
    }

    fn equal(&mut self, a: &Sym, b: &Sym, span: Span) -> Lit {
        let mut equal = Lit::ZERO;
        for (when, x) in &a.0 {
            for (also, y) in &b.0 {
                let both = *when & *also;
                let same = match (x, y) {
                    (Shape::Agent(_) | Shape::Ring, _) | (_, Shape::Agent(_) | Shape::Ring) => {
                        self.wrong(both, span);
                        Lit::ZERO
                    }
                    (Shape::Tuple(x), Shape::Tuple(y)) if x.len() == y.len() => {
                        x.iter().zip(y).fold(Lit::ONE, |all, (x, y)| all & self.equal(x, y, span))
                    }
                    (Shape::Name(x), Shape::Name(y)) => x.equal(y),
                    (Shape::None, Shape::None) => Lit::ONE,
                    _ => match (x.int(), y.int()) {
                        (Some(x), Some(y)) => x.equal(&y),
                        _ => Lit::ZERO,
                    },
                };
                equal = equal | (both & same);
            }
        }
        equal
    }

    fn index(&mut self, value: &Expr, index: &Expr, span: Span, frame: &mut Frame) -> Result<Sym> {
        let (of, index) = (self.expr(value, frame)?, self.int(index, frame)?);
        let mut cases = Vec::new();
        for (when, shape) in of.0 {
            match shape {
                Shape::Tuple(items) => {
                    let (places, inside) = places(&index, items.len());
                    self.wrong(when & !inside, span);
                    let value = Sym::chosen(places.into_iter().zip(items));
                    cases.push((when, value));
                }
                Shape::Ring => {
                    let agents = self.lowered.after.len();
                    let rest = index.divide(&Int::constant(agents as i128)).map(|(_, rest)| rest);
                    let Some(rest) = rest else { return too_hard(span, "numbers have too many values here") };
                    let agent = |k: usize| (rest.equal(&Int::constant(k as i128)), Sym::one(Shape::Agent(k)));
                    cases.push((when, Sym::chosen((0..agents).map(agent))));
                }
                _ => self.wrong(when, span),
            }
        }
        Ok(Sym::chosen(cases))
    }

    // --- Functions of the notation ------------------------------------------------------------------------------

    fn range(&mut self, args: &[Expr], span: Span, frame: &mut Frame) -> Result<(Int, Int, i128)> {
        let args: Result<Vec<Int>> = args.iter().map(|arg| self.int(arg, frame)).collect();
        match args?.as_slice() {
            [to] => Ok((Int::constant(0), to.clone(), 1)),
            [from, to] => Ok((from.clone(), to.clone(), 1)),
            [from, to, step] => match step.known() {
                Some(0) => {
                    self.wrong(Lit::ONE, span);
                    Ok((from.clone(), from.clone(), 1))
                }
                Some(step) => Ok((from.clone(), to.clone(), step)),
                None => too_hard(span, "the step of a range is not constant"),
            },
            _ => too_hard(span, "`range` takes 1 to 3 arguments"),
        }
    }

    /// What a loop over an expression runs over, each element with the condition under which it is there.
    fn items(&mut self, expr: &Expr, frame: &mut Frame) -> Result<Vec<(Lit, Sym)>> {
        if let ExprKind::Builtin(Builtin::Range, args) = &expr.kind {
            return self.numbers(args, expr.span, frame);
        }
        let mut all = Vec::new();
        for (when, shape) in self.expr(expr, frame)?.0 {
            match shape {
                Shape::Tuple(items) => all.extend(items.into_iter().map(|item| (when, item))),
                Shape::Ring => {
                    let agents = self.lowered.after.len();
                    all.extend((0..agents).map(|agent| (when, Sym::one(Shape::Agent(agent)))));
                }
                _ => self.wrong(when, expr.span),
            }
        }
        Ok(all)
    }

    fn numbers(&mut self, args: &[Expr], span: Span, frame: &mut Frame) -> Result<Vec<(Lit, Sym)>> {
        let (from, to, step) = self.range(args, span, frame)?;
        let mut all = Vec::new();
        for k in 0_i128.. {
            let Some(number) = from.add(&Int::constant(k * step)) else { break };
            let wanted = if step > 0 { number.less(&to) } else { to.less(&number) };
            if wanted == Lit::ZERO {
                break;
            }
            self.tick(span)?;
            all.push((wanted, Sym::one(Shape::Int(number))));
        }
        Ok(all)
    }

    /// Hands over the elements of a generator, or of what can be looped over.
    fn each(&mut self, expr: &Expr, frame: &mut Frame, take: Take<'_, 'a>) -> Result<()> {
        let mut enough = Lit::ZERO;
        if let ExprKind::Generator(element, clauses) = &expr.kind {
            return self.clauses(element, clauses, Lit::ONE, frame, &mut enough, take);
        }
        for (wanted, item) in self.items(expr, frame)? {
            self.tick(expr.span)?;
            let wanted = wanted & !enough;
            enough = enough | self.under(wanted, false, |this| take(this, wanted, item))?;
        }
        Ok(())
    }

    fn clauses(
        &mut self,
        element: &Expr,
        clauses: &[Clause],
        wanted: Lit,
        frame: &mut Frame,
        enough: &mut Lit,
        take: Take<'_, 'a>,
    ) -> Result<()> {
        let Some((clause, inner)) = clauses.split_first() else {
            let wanted = wanted & !*enough;
            let writes = self.writes(element);
            let done = self.under(wanted, writes, |this| {
                let value = this.expr(element, frame)?;
                take(this, wanted, value)
            })?;
            *enough = *enough | done;
            return Ok(());
        };
        let items = self.under(wanted & !*enough, false, |this| this.items(&clause.iter, frame))?;
        for (there, item) in items {
            self.tick(clause.iter.span)?;
            let mut wanted = wanted & there;
            if wanted == Lit::ZERO || *enough == Lit::ONE {
                continue;
            }
            self.under(wanted & !*enough, false, |this| this.assign(&clause.target, &item, frame))?;
            for test in &clause.ifs {
                let writes = self.writes(test);
                let holds = self.under(wanted & !*enough, writes, |this| this.truth(test, frame))?;
                wanted = wanted & holds;
            }
            if wanted != Lit::ZERO {
                self.clauses(element, inner, wanted, frame, enough, take)?;
            }
        }
        Ok(())
    }

    fn builtin(&mut self, builtin: Builtin, args: &[Expr], span: Span, frame: &mut Frame) -> Result<Sym> {
        let Some(first) = args.first() else { return too_hard(span, "an argument is missing") };
        match builtin {
            Builtin::All | Builtin::Any => {
                let (wanted, mut found) = (builtin == Builtin::Any, Lit::ZERO);
                self.each(first, frame, &mut |_, when, value| {
                    let hit = when & value.is_true().negated_if(!wanted);
                    found = found | hit;
                    Ok(hit)
                })?;
                Ok(Sym::truth(found.negated_if(!wanted)))
            }
            Builtin::Sum => {
                let mut sum = Int::constant(0);
                self.each(first, frame, &mut |this, when, value| {
                    let value = this.as_int(&value, span);
                    let next = sum.add(&when.select_int(&value, &Int::constant(0)));
                    (sum, _) = this.number(next, span)?.as_int(false);
                    Ok(Lit::ZERO)
                })?;
                Ok(Sym::one(Shape::Int(sum)))
            }
            Builtin::Min | Builtin::Max => self.extreme(builtin == Builtin::Max, args, span, frame),
            Builtin::Tuple => {
                let mut items = Vec::new();
                self.each(first, frame, &mut |_, when, value| match when.constant() {
                    Some(true) => {
                        items.push(value);
                        Ok(Lit::ZERO)
                    }
                    Some(false) => Ok(Lit::ZERO),
                    None => too_hard(span, "the length of a tuple is not constant"),
                })?;
                self.tuple(items, span)
            }
            Builtin::Range => {
                let items = self.numbers(args, span, frame)?;
                if items.iter().any(|(when, _)| *when != Lit::ONE) {
                    return too_hard(span, "the length of a range is not constant");
                }
                self.tuple(items.into_iter().map(|(_, item)| item).collect(), span)
            }
            Builtin::Abs => {
                let value = self.int(first, frame)?.abs();
                self.number(value, span)
            }
            Builtin::Len => {
                let (mut cases, agents) = (Vec::new(), self.lowered.after.len());
                for (when, shape) in self.expr(first, frame)?.0 {
                    match shape {
                        Shape::Tuple(items) => cases.push((when, Sym::number(items.len() as i128))),
                        Shape::Ring => cases.push((when, Sym::number(agents as i128))),
                        _ => self.wrong(when, span),
                    }
                }
                Ok(Sym::chosen(cases))
            }
            Builtin::CeilLog2 => {
                let value = self.int(first, frame)?;
                self.wrong(value.less(&Int::constant(1)), span);
                Ok(Sym::one(Shape::Int(value.ceil_log2())))
            }
            Builtin::Randint | Builtin::Require => too_hard(span, "starts have no graph"),
        }
    }

    /// The first of the least or greatest values.
    fn extreme(&mut self, greatest: bool, args: &[Expr], span: Span, frame: &mut Frame) -> Result<Sym> {
        let (mut best, mut number, mut some) = (Sym(Vec::new()), Int::constant(0), Lit::ZERO);
        let mut take = |this: &mut Self, when: Lit, value: Sym| {
            let int = this.as_int(&value, span);
            let better = if greatest { number.less(&int) } else { int.less(&number) };
            let better = when & (!some | better);
            best = Sym::choose(better, &value, &best);
            number = if some == Lit::ZERO { int } else { better.select_int(&int, &number) };
            some = some | when;
            Ok(Lit::ZERO)
        };
        if let [only] = args {
            self.each(only, frame, &mut take)?;
        } else {
            for arg in args {
                let value = self.expr(arg, frame)?;
                take(self, Lit::ONE, value)?;
            }
        }
        self.wrong(!some, span);
        Ok(best)
    }
}

/// Where the condition holds, what is there becomes what was chosen.
fn merge(when: Lit, chosen: &[Bits], agents: &mut [Bits]) {
    for (place, &bit) in agents.iter_mut().flatten().zip(chosen.iter().flatten()) {
        *place = when.select(bit, *place);
    }
}

/// For each place of a tuple, whether an index means it; and whether it means any.
fn places(index: &Int, len: usize) -> (Vec<Lit>, Lit) {
    let is = |k: usize| {
        let (forward, back) = (Int::constant(k as i128), Int::constant(k as i128 - len as i128));
        index.equal(&forward) | index.equal(&back)
    };
    ((0..len).map(is).collect(), index.is_between(-(len as i128), len as i128 - 1))
}

// --- Slots as bits --------------------------------------------------------------------------------------------------

fn bits_of(slot: &Slot) -> usize {
    slot.mask.count_ones() as usize
}

fn first_bit(slot: &Slot) -> usize {
    64 * slot.word + slot.shift as usize
}

/// The number that some bits of a slot mean.
fn number(slot: &Slot, raw: &[Lit]) -> Int {
    let (low, high, zero) = (i128::from(slot.low), i128::from(slot.high), i128::from(slot.zero));
    let turned = Int::unsigned(raw, zero - low).bits_from(0, raw.len());
    Int::unsigned(&turned, low).within(low, high)
}

fn shaped(slot: &Slot, number: Int) -> Shape {
    if slot.names { Shape::Name(number) } else { Shape::Int(number) }
}

fn is_value(slot: &Slot, number: &Int) -> Lit {
    let range = |&(low, high): &(i64, i64)| number.is_between(low.into(), high.into());
    slot.ranges.iter().fold(Lit::ZERO, |some, one| some | range(one))
}

fn raw<'b>(slot: &Slot, bits: &'b Bits) -> &'b [Lit] {
    &bits[first_bit(slot)..first_bit(slot) + bits_of(slot)]
}

fn read(cell: &Cell, bits: &Bits) -> Sym {
    let part = |slot: &Slot| Sym::one(shaped(slot, number(slot, raw(slot, bits))));
    match cell {
        Cell::One(slot) => part(slot),
        Cell::Maybe(there, parts) => {
            let there = raw(there, bits)[0];
            let value = match parts.as_slice() {
                [only] => part(only),
                parts => Sym::one(Shape::Tuple(parts.iter().map(part).collect())),
            };
            Sym::choose(there, &value, &Sym::one(Shape::None))
        }
    }
}

/// Whether two values of a variable are not the same. The parts of values that are not there do not count.
fn differs(cell: &Cell, one: &Bits, other: &Bits) -> Lit {
    let differ = |slot: &Slot| {
        let bits = raw(slot, one).iter().zip(raw(slot, other));
        bits.fold(Lit::ZERO, |some, (a, b)| some | (*a ^ *b))
    };
    match cell {
        Cell::One(slot) => differ(slot),
        Cell::Maybe(there, parts) => {
            let parts = parts.iter().fold(Lit::ZERO, |some, part| some | differ(part));
            differ(there) | raw(there, one)[0] & parts
        }
    }
}

/// Whether a slot takes a value, and its bits then.
fn accepted(slot: &Slot, value: &Sym) -> (Lit, Bits) {
    let (number, fits) = value.as_int(slot.names);
    let fits = fits & is_value(slot, &number);
    let number = number.within(slot.low.into(), slot.high.into());
    (fits, number.bits_from(slot.zero.into(), bits_of(slot)))
}

/// A state with free bits.
fn free_state(setting: &Setting, demands: &mut Vec<Demand>) -> Bits {
    let mut bits = vec![Lit::ZERO; 128];
    let mut free = |slot: &Slot| -> (Bits, Lit) {
        let raw: Bits = (0..bits_of(slot)).map(|_| Lit::input()).collect();
        bits[first_bit(slot)..][..raw.len()].copy_from_slice(&raw);
        // All bits are values, or some are not.
        let full = slot.size() == slot.mask.wrapping_add(1);
        let holds = if full { Lit::ONE } else { is_value(slot, &unbounded(slot, &raw)) };
        (raw, holds)
    };
    for (_, cell) in setting.layout.fields.iter().flat_map(|field| &field.cells) {
        match cell {
            Cell::One(slot) => {
                let (bits, holds) = free(slot);
                demands.push(Demand { bits, holds });
            }
            Cell::Maybe(there, parts) => {
                let (mut bits, _) = free(there);
                let there = bits[0];
                for part in parts {
                    let (raw, holds) = free(part);
                    let zero = raw.iter().fold(Lit::ONE, |zero, &bit| zero & !bit);
                    bits.extend(&raw);
                    demands.push(Demand { bits: bits.clone(), holds: there.select(holds, zero) });
                }
            }
        }
    }
    demands.retain(|demand| demand.holds != Lit::ONE);
    bits
}

/// The number that bits would mean if all were values.
fn unbounded(slot: &Slot, raw: &[Lit]) -> Int {
    let high = slot.low + slot.mask as i64;
    number(&Slot { high, ..slot.clone() }, raw)
}

fn free_coin(slot: &Slot, demands: &mut Vec<Demand>) -> Bits {
    let last = slot.size() - 1;
    let bits: Bits = (0..u64::BITS - last.leading_zeros()).map(|_| Lit::input()).collect();
    let holds = Int::unsigned(&bits, 0).is_between(0, last.into());
    if holds != Lit::ONE {
        demands.push(Demand { bits: bits.clone(), holds });
    }
    bits
}

/// A coin by its place among the values.
fn coin(slot: &Slot, bits: &Bits) -> Shape {
    let place = Int::unsigned(bits, 0).within(0, i128::from(slot.size()) - 1);
    let (mut first, mut value) = (0_i128, Int::constant(slot.low.into()));
    for &(low, high) in &slot.ranges {
        let here = !place.less(&Int::constant(first));
        if let Some(number) = place.add(&Int::constant(i128::from(low) - first)) {
            value = here.select_int(&number.within(low.into(), high.into()), &value);
        }
        first += i128::from(high) - i128::from(low) + 1;
    }
    shaped(slot, value)
}
