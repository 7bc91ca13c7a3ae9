//! A file whose names are resolved: what the evaluator runs, and what every other reading starts from.
//!
//! Locals are numbered in each function, arguments first; globals (`n`, constants and parameters) in the file; names in quotes in the
//! file, so that a name is a number everywhere. `tree` knows neither n nor parameters: with them, globals and domains get their values
//! (see [`crate::setting`]).

use crate::ast::{BinOp, CmpOp, Span};

/// The number of the global `n`.
pub const N: usize = 0;

/// An integer, a truth value, a name (by its number in the file), `None`, a tuple, an agent, or the ring.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// An integer.
    Int(i64),
    /// A truth value; counts as 0 or 1.
    Bool(bool),
    /// A name in quotes.
    Name(usize),
    /// `None`.
    None,
    /// A tuple.
    Tuple(std::sync::Arc<[Value]>),
    /// An agent, by its place: 0 is the initiator and 1 the responder of an interaction; on the ring its index.
    Agent(usize),
    /// The whole ring.
    Ring,
}

/// A statement, and where it stands.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Where; its line is the one that counts as executed.
    pub span: Span,
    /// What.
    pub kind: StmtKind,
}

/// What a statement is.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// Every target takes the value, from left to right; `Augment` has been rewritten (`x += 1` is `x = x + 1`).
    Assign(Vec<Target>, Expr),
    /// `if`, with what is done otherwise.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// `for` over a tuple, a range or the ring.
    For(Target, Expr, Vec<Stmt>),
    /// `return`; `None` if nothing is returned.
    Return(Expr),
    /// `assert`, with its message.
    Assert(Expr, String),
    /// An expression whose value is not used: a call.
    Do(Expr),
}

/// What can be assigned to.
#[derive(Clone, Debug)]
pub struct Target {
    /// Where.
    pub span: Span,
    /// What.
    pub kind: TargetKind,
}

/// What can be assigned to.
#[derive(Clone, Debug)]
pub enum TargetKind {
    /// A local name.
    Local(usize),
    /// A tuple of targets: the value must be a tuple of that length.
    Tuple(Vec<Target>),
    /// A variable of an agent (the agent, the number of the variable in the class).
    Field(Expr, usize),
    /// An element of an array variable of an agent (the agent, the variable, the index).
    Element(Expr, usize, Expr),
}

/// An expression, and where it stands.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Where.
    pub span: Span,
    /// What.
    pub kind: ExprKind,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A literal.
    Const(Value),
    /// A local name.
    Local(usize),
    /// `n`, a constant or a parameter.
    Global(usize),
    /// A tuple; a set in `x in {..}` is one, too.
    Tuple(Vec<Expr>),
    /// The first value that is false, or the last one.
    And(Vec<Expr>),
    /// The first value that is true, or the last one.
    Or(Vec<Expr>),
    /// `not`.
    Not(Box<Expr>),
    /// `-`.
    Neg(Box<Expr>),
    /// Arithmetic; `+` also joins tuples. Never `BitOr`.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// `a < b <= c`: each operand is evaluated once, and those after the first failure not at all.
    Compare(Box<Expr>, Vec<(CmpOp, Expr)>),
    /// `a if test else b` (test, a, b).
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A variable of an agent; an array variable as a whole is a tuple.
    Field(Box<Expr>, usize),
    /// An element of a tuple or of the ring (there modulo n). Negative indices of tuples count from the end, as in Python.
    Index(Box<Expr>, Box<Expr>),
    /// A call of a function of the file.
    Call(usize, Vec<Expr>),
    /// A call of a function of the notation.
    Builtin(Builtin, Vec<Expr>),
    /// `element for .. if ..`, the only argument of `sum all any min max tuple`.
    Generator(Box<Expr>, Vec<Clause>),
}

/// `for target in iter if .. if ..`.
#[derive(Clone, Debug)]
pub struct Clause {
    /// What takes the values: a local or a tuple of locals.
    pub target: Target,
    /// Where they come from.
    pub iter: Expr,
    /// Which are left.
    pub ifs: Vec<Expr>,
}

/// The functions of the notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are Python's")]
pub enum Builtin {
    Min,
    Max,
    Abs,
    Sum,
    All,
    Any,
    Len,
    Range,
    Tuple,
    CeilLog2,
    /// Starts only.
    Randint,
    /// `require(test, message)`, in functions the same as `assert`; never a value.
    Require,
}

/// A function of the file.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Where its name stands.
    pub span: Span,
    /// The text under it, first line; empty if there is none.
    pub about: String,
    /// How many arguments it has; they are its first locals. Coins and the oracle of `interact` are arguments, too.
    pub args: usize,
    /// The names of its locals.
    pub locals: Vec<String>,
    /// What it does.
    pub body: Vec<Stmt>,
}

/// What an argument of `interact` beyond the two agents is.
#[derive(Clone, Debug)]
pub enum Extra {
    /// A coin, uniform over a domain.
    Coin(DomainExpr),
    /// What an oracle says, with its delay.
    Oracle(Option<Expr>),
}

/// A domain whose bounds are not known yet.
#[derive(Clone, Debug)]
pub struct DomainExpr {
    /// Where.
    pub span: Span,
    /// What.
    pub kind: DomainKind,
}

/// What a domain is.
#[derive(Clone, Debug)]
pub enum DomainKind {
    /// `bit`.
    Bit,
    /// `span(a, b)`.
    Span(Expr, Expr),
    /// `a | b`.
    Union(Vec<DomainExpr>),
    /// `{..}` of names or of integers (constants).
    Set(Vec<Expr>),
    /// `maybe(..)`: the parts, which are spans or names.
    Maybe(Vec<DomainExpr>),
    /// `pair(..)` and `array(k, ..)`: how many, of what, names of the elements if they have any.
    Array(Expr, Box<DomainExpr>, Vec<String>),
}

/// A variable of an agent.
#[derive(Clone, Debug)]
pub struct VariableDecl {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// Its values.
    pub domain: DomainExpr,
    /// Whether it is an input.
    pub given: bool,
    /// The value that counts as zero; the first one if none is named.
    pub zero: Option<Expr>,
}

impl Expr {
    /// Looks at this expression and all its parts.
    pub fn visit(&self, look: &mut dyn FnMut(&Self)) {
        look(self);
        let mut parts: Vec<&Self> = Vec::new();
        match &self.kind {
            ExprKind::Const(_) | ExprKind::Local(_) | ExprKind::Global(_) => {}
            ExprKind::Tuple(items) | ExprKind::And(items) | ExprKind::Or(items) => parts.extend(items),
            ExprKind::Call(_, args) | ExprKind::Builtin(_, args) => parts.extend(args),
            ExprKind::Not(part) | ExprKind::Neg(part) | ExprKind::Field(part, _) => parts.push(part),
            ExprKind::Binary(_, left, right) | ExprKind::Index(left, right) => parts.extend([&**left, right]),
            ExprKind::Compare(left, rest) => {
                parts.push(left);
                parts.extend(rest.iter().map(|(_, right)| right));
            }
            ExprKind::If(test, body, orelse) => parts.extend([&**test, body, orelse]),
            ExprKind::Generator(element, clauses) => {
                parts.push(element);
                parts.extend(clauses.iter().flat_map(|clause| clause.ifs.iter().chain([&clause.iter])));
            }
        }
        parts.into_iter().for_each(|part| part.visit(look));
    }
}

impl Stmt {
    /// Whether it stores to a variable of an agent, those in it included.
    #[must_use]
    pub fn stores(&self) -> bool {
        match &self.kind {
            StmtKind::Assign(targets, _) => targets.iter().any(Target::stores),
            StmtKind::If(_, body, orelse) => body.iter().chain(orelse).any(Self::stores),
            StmtKind::For(target, _, body) => target.stores() || body.iter().any(Self::stores),
            StmtKind::Return(_) | StmtKind::Assert(..) | StmtKind::Do(_) => false,
        }
    }

    /// Looks at all expressions of this statement, those of statements in it included.
    pub fn visit(&self, look: &mut dyn FnMut(&Expr)) {
        match &self.kind {
            StmtKind::Assign(targets, value) => {
                targets.iter().for_each(|target| target.visit(look));
                value.visit(look);
            }
            StmtKind::If(test, body, orelse) => {
                test.visit(look);
                body.iter().chain(orelse).for_each(|stmt| stmt.visit(look));
            }
            StmtKind::For(_, iter, body) => {
                iter.visit(look);
                body.iter().for_each(|stmt| stmt.visit(look));
            }
            StmtKind::Return(value) | StmtKind::Assert(value, _) | StmtKind::Do(value) => value.visit(look),
        }
    }
}

impl Target {
    fn stores(&self) -> bool {
        match &self.kind {
            TargetKind::Local(_) => false,
            TargetKind::Tuple(targets) => targets.iter().any(Self::stores),
            TargetKind::Field(..) | TargetKind::Element(..) => true,
        }
    }

    fn visit(&self, look: &mut dyn FnMut(&Expr)) {
        match &self.kind {
            TargetKind::Local(_) => {}
            TargetKind::Tuple(targets) => targets.iter().for_each(|target| target.visit(look)),
            TargetKind::Field(agent, _) => agent.visit(look),
            TargetKind::Element(agent, _, index) => {
                agent.visit(look);
                index.visit(look);
            }
        }
    }
}
