//! The tree of a file: that of CPython's `ast` for the part of Python that is the notation, node by node and name by name.

/// A place in the text: line and column from 1 (columns count characters), and where it ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
    /// The line of the last character.
    pub end_line: u32,
    /// The column after the last character.
    pub end_column: u32,
}

/// A whole file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// Its statements.
    pub body: Vec<Stmt>,
    /// The comments that are a number at the end of a line: line of the file, line of the paper (`# 12`, `# 12-14`, as written).
    pub paper_lines: Vec<(u32, String)>,
    /// Lines of which something could not be read, from and to.
    pub unread: Vec<(u32, u32)>,
}

/// A statement, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// Where.
    pub span: Span,
    /// What.
    pub kind: StmtKind,
}

/// What a statement is.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names are Python's")]
pub enum StmtKind {
    /// A call, or the text at the beginning of a module or function.
    Expr(Expr),
    /// `a = b = value`.
    Assign { targets: Vec<Expr>, value: Expr },
    /// `target += value`.
    AugAssign { target: Expr, op: BinOp, value: Expr },
    /// `target: annotation = value`.
    AnnAssign { target: Expr, annotation: Expr, value: Option<Expr> },
    /// `if`, `elif` (an `If` alone in `orelse`), `else`.
    If { test: Expr, body: Vec<Stmt>, orelse: Vec<Stmt> },
    /// `for target in iter`.
    For { target: Expr, iter: Expr, body: Vec<Stmt> },
    /// `return value`.
    Return(Option<Expr>),
    /// `assert test, message`.
    Assert { test: Expr, message: Option<Expr> },
    /// `pass`.
    Pass,
    /// `def name(args): body`.
    FunctionDef(FunctionDef),
    /// `class name: body`.
    ClassDef { name: Name, body: Vec<Stmt> },
    /// `from module import names`.
    ImportFrom { module: String, names: Vec<String> },
}

/// A name, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// Where.
    pub span: Span,
    /// The name.
    pub text: String,
}

/// A function.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionDef {
    /// Its name.
    pub name: Name,
    /// Its arguments.
    pub args: Vec<Arg>,
    /// What it does.
    pub body: Vec<Stmt>,
    /// What is written above it, after `@`.
    pub decorators: Vec<Expr>,
}

/// An argument of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Arg {
    /// Its name.
    pub name: Name,
    /// What stands after the colon.
    pub annotation: Option<Expr>,
}

/// An expression, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Where.
    pub span: Span,
    /// What.
    pub kind: ExprKind,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names are Python's")]
pub enum ExprKind {
    /// A name.
    Name(String),
    /// A number.
    Int(i64),
    /// A number with a point or an exponent, as written but for `_`; only rule tables have them.
    Float(String),
    /// A text.
    Str(String),
    /// `True` or `False`.
    Bool(bool),
    /// `None`.
    None,
    /// `(a, b)` or `a, b`.
    Tuple(Vec<Expr>),
    /// `{a, b}`.
    Set(Vec<Expr>),
    /// `{a: b}`.
    Dict(Vec<(Expr, Expr)>),
    /// `(element for ... if ...)`.
    Generator { element: Box<Expr>, clauses: Vec<Comprehension> },
    /// `a and b and c`, `a or b`.
    BoolOp { op: BoolOp, values: Vec<Expr> },
    /// `not a`, `-a`, `+a`.
    UnaryOp { op: UnaryOp, operand: Box<Expr> },
    /// `a + b`.
    BinOp { left: Box<Expr>, op: BinOp, right: Box<Expr> },
    /// `a < b <= c`.
    Compare { left: Box<Expr>, rest: Vec<(CmpOp, Expr)> },
    /// `body if test else orelse`.
    IfExp { test: Box<Expr>, body: Box<Expr>, orelse: Box<Expr> },
    /// `f(a, b, k=c)`.
    Call { func: Box<Expr>, args: Vec<Expr>, keywords: Vec<(Name, Expr)> },
    /// `a.b`.
    Attribute { value: Box<Expr>, attr: Name },
    /// `a[b]`.
    Subscript { value: Box<Expr>, index: Box<Expr> },
}

/// `for target in iter if ... if ...` of a generator.
#[derive(Clone, Debug, PartialEq)]
pub struct Comprehension {
    /// What takes the values.
    pub target: Expr,
    /// Where they come from.
    pub iter: Expr,
    /// Which of them are left.
    pub ifs: Vec<Expr>,
}

/// `and`, `or`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are Python's")]
pub enum BoolOp {
    And,
    Or,
}

/// `not`, `-`, `+`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are Python's")]
pub enum UnaryOp {
    Not,
    USub,
    UAdd,
}

/// Operators between two numbers; `BitOr` is the union of domains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are Python's")]
pub enum BinOp {
    Add,
    Sub,
    Mult,
    FloorDiv,
    Mod,
    Pow,
    BitOr,
}

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are Python's")]
pub enum CmpOp {
    Eq,
    NotEq,
    Lt,
    LtE,
    Gt,
    GtE,
    In,
    NotIn,
    Is,
    IsNot,
}
