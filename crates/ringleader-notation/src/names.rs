//! From the tree of Python to that of a protocol: what each name means, what each function is for, and what is not allowed where.
//! Everything that is wrong is told at once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ringleader::ring::Orientation;

use crate::ast::{self, BinOp, CmpOp, Span};
use crate::lexer::MOST_PROBLEMS;
use crate::program::{Pattern, PhaseDecl, Program, Setup};
use crate::rules::{self, Otherwise};
use crate::setting::{self, Doubtful};
use crate::source::{Problem, listed};
use crate::tree::{
    Builtin, Clause, DomainExpr, DomainKind, Expr, ExprKind, Extra, Function, N, Stmt, StmtKind, Target, TargetKind,
    Value, VariableDecl,
};

mod domains;
mod expressions;
mod functions;
mod kinds;
mod near;
mod whole;

use kinds::Kind;
use near::{Unread, is_slip, near};

/// The functions of the notation, with how many arguments they take.
const BUILTINS: [(&str, Builtin, usize, usize); 12] = [
    ("min", Builtin::Min, 1, usize::MAX),
    ("max", Builtin::Max, 1, usize::MAX),
    ("abs", Builtin::Abs, 1, 1),
    ("sum", Builtin::Sum, 1, 1),
    ("all", Builtin::All, 1, 1),
    ("any", Builtin::Any, 1, 1),
    ("len", Builtin::Len, 1, 1),
    ("range", Builtin::Range, 1, 3),
    ("tuple", Builtin::Tuple, 1, 1),
    ("ceil_log2", Builtin::CeilLog2, 1, 1),
    ("randint", Builtin::Randint, 2, 2),
    ("require", Builtin::Require, 1, 2),
];
/// What else the notation has names for.
const WORDS: [&str; 18] = [
    "directed",
    "undirected",
    "Param",
    "bit",
    "span",
    "maybe",
    "pair",
    "array",
    "given",
    "oracle",
    "start",
    "phase",
    "closed",
    "promise",
    "inputs",
    "mirrored",
    "unchanged",
    "n",
];
/// Functions of Python that are not here, and what is.
const PYTHON: [(&str, &str); 16] = [
    ("print", "a protocol prints nothing; `ringleader view` shows every step"),
    ("random", "`interact` has coins: `def interact(l, r, coin: span(0, 1))`; starts have `randint(a, b)`"),
    ("randrange", "`interact` has coins: `def interact(l, r, coin: span(0, 1))`; starts have `randint(a, b)`"),
    ("choice", "`interact` has coins: `def interact(l, r, coin: span(0, 1))`; starts have `randint(a, b)`"),
    ("int", "a truth value counts as 0 or 1 without it"),
    ("bool", "every value is true or false without it"),
    ("list", "tuples are: `tuple(x for x in ...)`"),
    ("set", "tuples are: `tuple(x for x in ...)`; a set stands after `in` only: `x in {0, 2}`"),
    ("map", "a generator does it: `f(x) for x in ...`"),
    ("filter", "a generator does it: `x for x in ... if ...`"),
    ("enumerate", "a loop over `range(n)` does it"),
    ("zip", "a loop over `range(n)` does it"),
    ("divmod", "`a // b` and `a % b` are"),
    ("pow", "`a ** b` is"),
    ("ceil", "`-(-a // b)` is a / b rounded up"),
    ("floor", "`a // b` is a / b rounded down"),
];
/// What stands above a function.
const DECORATORS: [&str; 5] = ["start", "phase", "closed", "promise", "inputs"];
/// Functions with a meaning, and their arguments.
const SPECIAL: [(&str, &str); 4] = [("leader", "v"), ("output", "v"), ("safe", "u"), ("otherwise", "l, r")];

/// Resolves the names of a file.
///
/// # Errors
/// All that is wrong.
pub(crate) fn resolve(file: &str, text: &str, module: &ast::Module) -> Result<Program, Vec<Problem>> {
    let mut resolver = Resolver::new(file, text);
    resolver.unread = Unread::new(text, module);
    resolver.collect(module);
    resolver.resolve(module);
    resolver.uses();
    let Resolver { mut program, mut problems, unread, nones, .. } = resolver;
    program.paper_lines.clone_from(&module.paper_lines);
    if !(problems.is_empty() && unread.is_empty()) {
        problems.extend(setting::mistakes(&program, &Doubtful { problems: &problems, nones: &nones }));
    }
    // What is said of these lines would only be a consequence.
    problems.retain(|problem| !unread.has(problem.span.line));
    problems.sort_by(|a, b| (a.span, &a.what).cmp(&(b.span, &b.what)));
    problems.dedup();
    problems.truncate(MOST_PROBLEMS);
    if problems.is_empty() { Ok(program) } else { Err(problems) }
}

/// What a function does that not every caller may.
#[derive(Clone, Default)]
struct Uses {
    /// Functions that it calls.
    calls: Vec<(usize, Span)>,
    /// Where it writes a variable of an agent, and which.
    writes: Vec<(Span, usize)>,
    /// Where it draws.
    draws: Vec<Span>,
    /// Functions of which it uses what they return.
    values: Vec<(usize, Span)>,
}

struct Resolver {
    program: Program,
    problems: Vec<Problem>,
    /// Functions by name.
    functions: BTreeMap<String, usize>,
    /// Constants and parameters by name, and `n`.
    globals: BTreeMap<String, usize>,
    /// The module's constants that are written as literals, for rule tables; and what those that are numbers are.
    literals: BTreeMap<String, ast::Expr>,
    fractions: rules::Fractions,
    uses: Vec<Uses>,
    /// The numbers of names in quotes.
    numbers: BTreeMap<String, usize>,
    /// The names that domains have, with the variables that have them.
    known: BTreeMap<String, Vec<usize>>,
    /// By variable, the kind of its values.
    kinds: Vec<Kind>,
    /// Where `None` is written.
    nones: BTreeSet<Span>,
    unread: Unread,
    /// Whether there are rules that could not be read, so that states are not known.
    broken_rules: bool,
}

/// A class has so many variables at most: those with more than one value would take more than 128 bits anyway.
const MOST_VARIABLES: usize = 256;
/// A domain lists so many values at most, and a name in quotes has so many letters.
const MOST_LISTED: usize = 4096;
const LONGEST_NAME: usize = 200;
/// So many has the message of a condition.
const LONGEST_MESSAGE: usize = 1000;
/// So many problems are kept until it is known which come first.
const KEPT: usize = 4 * MOST_PROBLEMS;
/// The names of the function that is being resolved.
#[derive(Default)]
struct Scope {
    /// Names that are visible, with their numbers; the last one counts.
    visible: BTreeMap<String, Vec<usize>>,
    locals: Vec<String>,
    /// What is known of the values of locals, and whether they were given one above.
    kinds: Vec<Kind>,
    given: Vec<bool>,
    /// How many loops are around this place: what is given below may be read above then.
    loops: usize,
    uses: Uses,
    /// Whether this is the module itself, whose names are globals.
    module: bool,
}

impl Scope {
    fn add(&mut self, name: &str) -> usize {
        self.kinds.push(Kind::Any);
        self.given.push(false);
        self.locals.push(name.to_owned());
        self.visible.entry(name.to_owned()).or_default().push(self.locals.len() - 1);
        self.locals.len() - 1
    }

    /// The name that was added last means what it did before.
    fn forget(&mut self, name: &str) {
        self.visible.get_mut(name).and_then(Vec::pop);
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.visible.get(name)?.last().copied()
    }
}

impl Resolver {
    fn new(file: &str, text: &str) -> Self {
        let program = Program {
            file: file.to_owned(),
            text: Arc::from(text),
            summary: String::new(),
            ring: Orientation::Directed,
            names: Vec::new(),
            globals: vec!["n".to_owned()],
            locals: 0,
            setup: Vec::new(),
            variables: Vec::new(),
            functions: Vec::new(),
            interact: usize::MAX,
            extras: Vec::new(),
            leader: None,
            output: None,
            safe: None,
            starts: Vec::new(),
            phases: Vec::new(),
            claims: Vec::new(),
            promise: None,
            inputs: None,
            limit: None,
            assumption: None,
            bound: None,
            paper_lines: Vec::new(),
        };
        Self {
            program,
            problems: Vec::new(),
            functions: BTreeMap::new(),
            globals: BTreeMap::from([("n".to_owned(), N)]),
            literals: BTreeMap::new(),
            fractions: BTreeMap::new(),
            uses: Vec::new(),
            numbers: BTreeMap::new(),
            known: BTreeMap::new(),
            kinds: Vec::new(),
            nones: BTreeSet::new(),
            unread: Unread::default(),
            broken_rules: false,
        }
    }

    fn wrong(&mut self, span: Span, what: impl Into<String>, help: impl Into<String>) {
        if !self.full() {
            self.problems.push(Problem::new(span, what, help));
        }
    }

    /// Whether more problems would not be kept, so that nothing need be found out for them.
    fn full(&self) -> bool {
        self.problems.len() >= KEPT
    }

    // --- The module ---------------------------------------------------------------------------------------------

    /// What must be known before anything is resolved: functions, variables of agents, names of domains.
    fn collect(&mut self, module: &ast::Module) {
        if let Some(text) = docstring(&module.body) {
            self.program.summary = first_line(text);
        }
        for stmt in &module.body {
            match &stmt.kind {
                ast::StmtKind::FunctionDef(def) => self.declare(def),
                ast::StmtKind::ClassDef { name, body } => self.class(name, body),
                ast::StmtKind::Assign { targets, value } => {
                    targets.iter().for_each(|target| self.literal(target, value));
                }
                _ => {}
            }
        }
    }

    fn declare(&mut self, def: &ast::FunctionDef) {
        let (name, span) = (&def.name.text, def.name.span);
        if self.functions.contains_key(name) {
            self.wrong(span, format!("there is a function `{name}` already"), "");
            return;
        }
        self.reserved(name, span);
        self.functions.insert(name.clone(), self.program.functions.len());
        let about = docstring(&def.body).map(first_line).unwrap_or_default();
        self.program.functions.push(Function {
            name: name.clone(),
            span,
            about,
            args: def.args.len(),
            locals: Vec::new(),
            body: Vec::new(),
        });
        self.uses.push(Uses::default());
    }

    /// Refuses to give a meaning to a name that has one; whether it has.
    fn reserved(&mut self, name: &str, span: Span) -> bool {
        let taken = BUILTINS.iter().any(|builtin| builtin.0 == name) || WORDS.contains(&name);
        if name == "n" {
            self.wrong(span, "`n` is the number of agents", "it is given where the file is used: `--n 64`");
        } else if taken {
            self.wrong(span, format!("`{name}` is a name of the notation"), "take another name");
        }
        taken
    }

    fn literal(&mut self, target: &ast::Expr, value: &ast::Expr) {
        match (&target.kind, &value.kind) {
            (ast::ExprKind::Name(name), _) => {
                if let Some(fraction) = rules::fraction(value, &self.fractions) {
                    self.fractions.insert(name.clone(), fraction);
                }
                self.literals.insert(name.clone(), value.clone());
            }
            (ast::ExprKind::Tuple(targets), ast::ExprKind::Tuple(values)) if targets.len() == values.len() => {
                targets.iter().zip(values).for_each(|(target, value)| self.literal(target, value));
            }
            _ => {}
        }
    }

    fn resolve(&mut self, module: &ast::Module) {
        let mut scope = Scope { module: true, ..Scope::default() };
        let (mut dictionary, mut ring, mut otherwise, mut states) = (None, None, None, None);
        for stmt in &module.body {
            match &stmt.kind {
                ast::StmtKind::Expr(text) if matches!(text.kind, ast::ExprKind::Str(_)) => {}
                ast::StmtKind::ImportFrom { .. } | ast::StmtKind::Pass => {}
                ast::StmtKind::FunctionDef(_) => {}
                ast::StmtKind::ClassDef { body, .. } => self.domains(body, &mut scope),
                ast::StmtKind::AnnAssign { target, annotation, value } => {
                    self.parameter(target, annotation, value.as_ref(), &mut scope);
                }
                ast::StmtKind::Assign { targets, value } if matches!(value.kind, ast::ExprKind::Dict(_)) => {
                    if dictionary.replace((targets, value)).is_some() {
                        self.wrong(
                            stmt.span,
                            "there is a dictionary already",
                            "the only dictionary of a file is its rules",
                        );
                    }
                }
                ast::StmtKind::Assign { targets, value } => match targets.as_slice() {
                    [ast::Expr { kind: ast::ExprKind::Name(name), .. }] if name == "ring" => ring = Some(value),
                    [ast::Expr { kind: ast::ExprKind::Name(name), .. }] if name == "otherwise" => {
                        otherwise = Some(value);
                    }
                    [ast::Expr { kind: ast::ExprKind::Name(name), .. }] if name == "states" => states = Some(value),
                    _ => self.constant(targets, value, &mut scope),
                },
                ast::StmtKind::Assert { test, message } => self.require(test, message.as_ref(), &mut scope),
                ast::StmtKind::Expr(call) => match call_of(call, "require") {
                    Some([test]) => self.require(test, None, &mut scope),
                    Some([test, message]) => self.require(test, Some(message), &mut scope),
                    _ => {
                        let help =
                            "a file has constants, parameters, `require(...)`, `class Agent`, functions and rules";
                        self.wrong(stmt.span, "an expression alone does nothing", help);
                    }
                },
                _ => {
                    let help = "a file has constants, parameters, `require(...)`, `class Agent`, functions and rules";
                    self.wrong(stmt.span, "this cannot stand outside of a function", help);
                }
            }
        }
        self.ring(ring, dictionary.is_some());
        if let Some((targets, value)) = dictionary {
            self.rules(targets, value, states, otherwise, &mut scope);
        } else if let Some(other) = states.or(otherwise) {
            self.wrong(other.span, "`states` and `otherwise` belong to a rule table", "there is none in this file");
        }
        self.program.locals = scope.locals.len();
        for stmt in &module.body {
            if let ast::StmtKind::FunctionDef(def) = &stmt.kind {
                self.function(def);
            }
        }
        self.complete(module);
    }

    fn ring(&mut self, ring: Option<&ast::Expr>, has_rules: bool) {
        self.program.ring = match ring.map(|ring| (&ring.kind, ring.span)) {
            None if has_rules => Orientation::Undirected,
            None => Orientation::Directed,
            Some((ast::ExprKind::Name(word), _)) if word == "directed" => Orientation::Directed,
            Some((ast::ExprKind::Name(word), _)) if word == "undirected" => Orientation::Undirected,
            Some((kind, span)) => {
                let near = match kind {
                    ast::ExprKind::Name(word) => near(word, ["directed", "undirected"]),
                    _ => None,
                };
                let help = format!("write `ring = {}`", near.unwrap_or("directed"));
                self.wrong(span, "a ring is `directed` or `undirected`", help);
                Orientation::Directed
            }
        };
    }

    fn constant(&mut self, targets: &[ast::Expr], value: &ast::Expr, scope: &mut Scope) {
        if let ([ast::Expr { kind: ast::ExprKind::Name(name), .. }], ast::ExprKind::Str(text)) = (targets, &value.kind)
        {
            match name.as_str() {
                "assumption" => return self.program.assumption = Some(text.clone()),
                "bound" => return self.program.bound = Some(text.clone()),
                _ => {}
            }
        }
        if let ast::ExprKind::Float(_) = value.kind {
            // Only rules use it, and they read it where it stands.
            return;
        }
        let value = self.expr(value, scope);
        if let [ast::Expr { kind: ast::ExprKind::Name(name), .. }] = targets
            && name == "limit"
        {
            self.program.limit = Some(value);
            return;
        }
        for target in targets {
            if let Some(pattern) = self.pattern(target) {
                self.program.setup.push(Setup::Constant(pattern, value.clone()));
            }
        }
    }

    fn pattern(&mut self, target: &ast::Expr) -> Option<Pattern> {
        match &target.kind {
            ast::ExprKind::Name(name) => self.global(name, target.span).map(Pattern::One),
            ast::ExprKind::Tuple(items) => {
                Some(Pattern::Tuple(items.iter().map(|item| self.pattern(item)).collect::<Option<_>>()?))
            }
            _ => {
                self.wrong(target.span, "a constant has a plain name", "");
                None
            }
        }
    }

    fn global(&mut self, name: &str, span: Span) -> Option<usize> {
        if self.reserved(name, span) {
            return None;
        }
        if self.globals.contains_key(name) || self.functions.contains_key(name) {
            self.wrong(span, format!("`{name}` has a value already"), "a constant is given its value once");
            return None;
        }
        self.program.globals.push(name.to_owned());
        self.globals.insert(name.to_owned(), self.program.globals.len() - 1);
        Some(self.program.globals.len() - 1)
    }

    fn parameter(&mut self, target: &ast::Expr, annotation: &ast::Expr, value: Option<&ast::Expr>, scope: &mut Scope) {
        let param = matches!(&annotation.kind, ast::ExprKind::Name(word) if word == "Param");
        let (ast::ExprKind::Name(name), true, Some(value)) = (&target.kind, param, value) else {
            return self.wrong(annotation.span, "this is no parameter", "write `k: Param = 3`, with the default");
        };
        let default = self.expr(value, scope);
        if let Some(global) = self.global(name, target.span) {
            self.program.setup.push(Setup::Parameter(global, default));
        }
    }

    fn require(&mut self, test: &ast::Expr, message: Option<&ast::Expr>, scope: &mut Scope) {
        let message = self.message(message);
        let test = self.expr(test, scope);
        self.program.setup.push(Setup::Require(test, message));
    }

    fn message(&mut self, message: Option<&ast::Expr>) -> String {
        match message.map(|message| (&message.kind, message.span)) {
            None => String::new(),
            Some((ast::ExprKind::Str(text), span)) => {
                let length = text.chars().count();
                if length > LONGEST_MESSAGE {
                    self.wrong(
                        span,
                        format!("a message of {length} letters"),
                        format!("at most {LONGEST_MESSAGE} are allowed"),
                    );
                }
                text.clone()
            }
            Some((_, span)) => {
                self.wrong(span, "a message is a text in quotes", "");
                String::new()
            }
        }
    }
}

// --- Small questions ------------------------------------------------------------------------------------------------

/// The text at the beginning of a module or a function.
fn docstring(body: &[ast::Stmt]) -> Option<&str> {
    match &body.first()?.kind {
        ast::StmtKind::Expr(ast::Expr { kind: ast::ExprKind::Str(text), .. }) => Some(text),
        _ => None,
    }
}

fn first_line(text: &str) -> String {
    text.trim().lines().next().unwrap_or("").trim().to_owned()
}

/// The arguments, if this is a call of a function of that name.
fn call_of<'a>(expr: &'a ast::Expr, name: &str) -> Option<&'a [ast::Expr]> {
    match &expr.kind {
        ast::ExprKind::Call { func, args, .. } => match &func.kind {
            ast::ExprKind::Name(called) if called == name => Some(args),
            _ => None,
        },
        _ => None,
    }
}

/// What to write in the place of something that is a domain elsewhere.
fn domain_instead(expr: &ast::Expr) -> Option<&'static str> {
    match &expr.kind {
        ast::ExprKind::Name(word) => match word.as_str() {
            "bool" => Some("0 and 1 are `bit`"),
            "int" | "float" => Some("a variable has finitely many values: `span(0, 7)`, both ends included"),
            "range" => Some("`range(4)` is `span(0, 3)` here: both ends are included"),
            "str" => Some("names are listed: `{\"A\", \"B\"}`"),
            _ => None,
        },
        ast::ExprKind::Tuple(_) => Some("values are listed in braces: `{0, 2, 4}`, `{\"A\", \"B\"}`"),
        ast::ExprKind::Dict(_) => Some("a domain has at least one value: `{\"A\", \"B\"}`"),
        ast::ExprKind::Int(_) => Some("a variable that never changes is a constant; one value is `span(0, 0)`"),
        _ => None,
    }
}

/// Where something is returned, `None` written out not being anything.
fn returned(body: &[Stmt]) -> Option<Span> {
    body.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Return(Expr { kind: ExprKind::Const(Value::None), .. }) => None,
        StmtKind::Return(_) => Some(stmt.span),
        StmtKind::If(_, body, orelse) => returned(body).or_else(|| returned(orelse)),
        StmtKind::For(_, _, body) => returned(body),
        _ => None,
    })
}

/// That so many arguments are there.
fn here(number: usize) -> String {
    if number == 1 { "here is 1".to_owned() } else { format!("here are {number}") }
}

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// The plain names that a block assigns to, which are the locals of its function.
fn assigned_names(body: &[ast::Stmt], names: &mut Vec<ast::Name>) {
    for stmt in body {
        match &stmt.kind {
            ast::StmtKind::Assign { targets, .. } => targets.iter().for_each(|target| target_names(target, names)),
            ast::StmtKind::AugAssign { target, .. } => target_names(target, names),
            ast::StmtKind::If { body, orelse, .. } => {
                assigned_names(body, names);
                assigned_names(orelse, names);
            }
            ast::StmtKind::For { target, body, .. } => {
                target_names(target, names);
                assigned_names(body, names);
            }
            _ => {}
        }
    }
}

fn target_names(target: &ast::Expr, names: &mut Vec<ast::Name>) {
    match &target.kind {
        ast::ExprKind::Name(text) => names.push(ast::Name { span: target.span, text: text.clone() }),
        ast::ExprKind::Tuple(items) => items.iter().for_each(|item| target_names(item, names)),
        _ => {}
    }
}

/// The global that `n` is.
const _: () = assert!(N == 0, "`n` is the first global");
