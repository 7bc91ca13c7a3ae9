//! From the tree of Python to that of a protocol: what each name means, what each function is for, and what is not allowed where.
//! Everything that is wrong is told at once.

use std::collections::BTreeMap;
use std::sync::Arc;

use ringleader::error::nearest;
use ringleader::ring::Orientation;

use crate::ast::{self, BinOp, CmpOp, Span};
use crate::program::{Pattern, PhaseDecl, Program, Setup};
use crate::rules::{self, Otherwise};
use crate::source::Problem;
use crate::tree::{
    Builtin, Clause, DomainExpr, DomainKind, Expr, ExprKind, Extra, Function, N, Stmt, StmtKind, Target, TargetKind,
    Value, VariableDecl,
};

/// The functions of the notation, with how many arguments they take.
const BUILTINS: [(&str, Builtin, usize, usize); 12] = [
    ("min", Builtin::Min, 1, 99),
    ("max", Builtin::Max, 1, 99),
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
    resolver.collect(module);
    resolver.resolve(module);
    resolver.uses();
    let Resolver { mut program, mut problems, .. } = resolver;
    program.paper_lines.clone_from(&module.paper_lines);
    problems.sort_by_key(|problem| problem.span);
    problems.dedup();
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
    /// The module's constants that are written as literals, for rule tables.
    literals: BTreeMap<String, ast::Expr>,
    uses: Vec<Uses>,
    /// The names that domains have, with the variables that have them.
    known: BTreeMap<String, Vec<usize>>,
}

/// The names of the function that is being resolved.
#[derive(Default)]
struct Scope {
    /// Names that are visible, with their numbers; the last one counts.
    visible: Vec<(String, usize)>,
    locals: Vec<String>,
    uses: Uses,
    /// Whether this is the module itself, whose names are globals.
    module: bool,
}

impl Scope {
    fn add(&mut self, name: &str) -> usize {
        self.locals.push(name.to_owned());
        self.visible.push((name.to_owned(), self.locals.len() - 1));
        self.locals.len() - 1
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.visible.iter().rev().find(|(known, _)| known == name).map(|(_, number)| *number)
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
            literals: BTreeMap::new(),
            uses: Vec::new(),
            known: BTreeMap::new(),
        }
    }

    fn wrong(&mut self, span: Span, what: impl Into<String>, help: impl Into<String>) {
        self.problems.push(Problem::new(span, what, help));
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
            (ast::ExprKind::Name(name), _) => drop(self.literals.insert(name.clone(), value.clone())),
            (ast::ExprKind::Tuple(targets), ast::ExprKind::Tuple(values)) if targets.len() == values.len() => {
                targets.iter().zip(values).for_each(|(target, value)| self.literal(target, value));
            }
            _ => {}
        }
    }

    /// The names and domains of variables; bounds of domains are resolved later.
    fn class(&mut self, name: &ast::Name, body: &[ast::Stmt]) {
        if name.text != "Agent" {
            let help = "the variables of an agent are in `class Agent:`";
            self.wrong(name.span, format!("`class {}` is not part of the notation", name.text), help);
        }
        if !self.program.variables.is_empty() {
            self.wrong(name.span, "there is a `class Agent` already", "one class has all variables");
        }
        for stmt in body {
            match &stmt.kind {
                ast::StmtKind::AnnAssign { target, annotation, .. } => {
                    self.variable(target, annotation);
                }
                ast::StmtKind::Pass => {}
                ast::StmtKind::Expr(text) if matches!(text.kind, ast::ExprKind::Str(_)) => {}
                _ => {
                    let help = "a variable is a line such as `leader: bit` or `dist: span(0, 7)`";
                    self.wrong(stmt.span, "a class has variables only", help);
                }
            }
        }
        if self.program.variables.is_empty() {
            self.wrong(name.span, "the agents have no variables", "a variable is a line such as `leader: bit`");
        }
    }

    fn variable(&mut self, target: &ast::Expr, annotation: &ast::Expr) {
        let ast::ExprKind::Name(name) = &target.kind else {
            return self.wrong(target.span, "a variable of an agent has a plain name", "");
        };
        if self.program.variables.iter().any(|known| known.name == *name) {
            return self.wrong(target.span, format!("there is a variable `{name}` already"), "");
        }
        let (given, annotation) = match call_of(annotation, "given") {
            Some([inner]) => (true, inner),
            _ => (false, annotation),
        };
        // Its number is needed for the names of its domain; both domain and zero follow once constants are known.
        let place = self.program.variables.len();
        let span = target.span;
        let domain = DomainExpr { span: annotation.span, kind: DomainKind::Bit };
        self.program.variables.push(VariableDecl { name: name.clone(), span, domain, given, zero: None });
        self.names_of(annotation, place);
    }

    /// The names in quotes that a domain has.
    fn names_of(&mut self, domain: &ast::Expr, variable: usize) {
        match &domain.kind {
            ast::ExprKind::Set(items) => {
                for item in items {
                    if let ast::ExprKind::Str(name) = &item.kind {
                        self.intern(name, variable);
                    }
                }
            }
            ast::ExprKind::Call { func, args, .. } => {
                let labels = matches!(&func.kind, ast::ExprKind::Name(name) if name == "pair" || name == "array");
                let parts = args.iter().filter(|arg| !(labels && matches!(arg.kind, ast::ExprKind::Str(_))));
                parts.for_each(|part| self.names_of(part, variable));
            }
            ast::ExprKind::BinOp { left, right, .. } => {
                self.names_of(left, variable);
                self.names_of(right, variable);
            }
            _ => {}
        }
    }

    fn intern(&mut self, name: &str, variable: usize) -> usize {
        self.known.entry(name.to_owned()).or_default().push(variable);
        self.number(name)
    }

    /// The number of a name in quotes.
    fn number(&mut self, name: &str) -> usize {
        self.program.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.program.names.push(name.to_owned());
            self.program.names.len() - 1
        })
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
            Some((_, span)) => {
                self.wrong(span, "a ring is `directed` or `undirected`", "write `ring = directed`");
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
        if self.program.globals.iter().any(|known| known == name) || self.functions.contains_key(name) {
            self.wrong(span, format!("`{name}` has a value already"), "a constant is given its value once");
            return None;
        }
        self.program.globals.push(name.to_owned());
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
            Some((ast::ExprKind::Str(text), _)) => text.clone(),
            Some((_, span)) => {
                self.wrong(span, "a message is a text in quotes", "");
                String::new()
            }
        }
    }

    fn domains(&mut self, body: &[ast::Stmt], scope: &mut Scope) {
        for stmt in body {
            let ast::StmtKind::AnnAssign { target, annotation, value } = &stmt.kind else { continue };
            let Some(place) = self.program.variables.iter().position(|known| known.span == target.span) else {
                continue;
            };
            let annotation = match call_of(annotation, "given") {
                Some([inner]) => inner,
                _ => annotation,
            };
            if let Some(domain) = self.domain(annotation, scope) {
                self.program.variables[place].domain = domain;
            }
            self.program.variables[place].zero = value.as_ref().map(|value| self.expr(value, scope));
        }
    }

    /// The domain that an expression names.
    fn domain(&mut self, expr: &ast::Expr, scope: &mut Scope) -> Option<DomainExpr> {
        let help =
            "a domain is `bit`, `span(a, b)`, `{\"A\", \"B\"}`, `maybe(...)`, `pair(...)`, `array(k, ...)` or `a | b`";
        let span = expr.span;
        let kind = match &expr.kind {
            ast::ExprKind::Name(word) if word == "bit" => DomainKind::Bit,
            ast::ExprKind::Set(items) => DomainKind::Set(items.iter().map(|item| self.expr(item, scope)).collect()),
            ast::ExprKind::BinOp { left, op: BinOp::BitOr, right } => {
                let (left, right) = (self.domain(left, scope), self.domain(right, scope));
                DomainKind::Union(vec![left?, right?])
            }
            ast::ExprKind::Call { func, args, keywords } if keywords.is_empty() => {
                let ast::ExprKind::Name(word) = &func.kind else {
                    self.wrong(span, "this is no domain", help);
                    return None;
                };
                match (word.as_str(), args.as_slice()) {
                    ("span", [low, high]) => DomainKind::Span(self.expr(low, scope), self.expr(high, scope)),
                    ("span", _) => {
                        self.wrong(span, "a span has two ends", "write `span(0, 7)`; both ends are included");
                        return None;
                    }
                    ("maybe", parts) if !parts.is_empty() => {
                        let parts: Vec<_> = parts.iter().map(|part| self.domain(part, scope)).collect();
                        DomainKind::Maybe(parts.into_iter().collect::<Option<_>>()?)
                    }
                    ("pair", [of, labels @ ..]) => {
                        let two = Expr { span, kind: ExprKind::Const(Value::Int(2)) };
                        self.array(two, of, labels, scope)?
                    }
                    ("array", [count, of, labels @ ..]) => {
                        let count = self.expr(count, scope);
                        self.array(count, of, labels, scope)?
                    }
                    ("given", _) => {
                        self.wrong(
                            span,
                            "`given(...)` goes round the whole domain of a variable",
                            "write `x: given(span(0, 4))`",
                        );
                        return None;
                    }
                    _ => {
                        let near = nearest(word, ["bit", "span", "maybe", "pair", "array", "given"]);
                        let meant = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                        let help = domain_instead(func).unwrap_or(help);
                        self.wrong(span, format!("`{word}(...)` is no domain{meant}"), help);
                        return None;
                    }
                }
            }
            _ => {
                self.wrong(span, "this is no domain", domain_instead(expr).unwrap_or(help));
                return None;
            }
        };
        Some(DomainExpr { span, kind })
    }

    fn array(&mut self, count: Expr, of: &ast::Expr, labels: &[ast::Expr], scope: &mut Scope) -> Option<DomainKind> {
        let mut names = Vec::new();
        for label in labels {
            match &label.kind {
                ast::ExprKind::Str(name) => names.push(name.clone()),
                _ => self.wrong(
                    label.span,
                    "the names of elements are texts in quotes",
                    "write `pair(bit, \"left\", \"right\")`",
                ),
            }
        }
        Some(DomainKind::Array(count, Box::new(self.domain(of, scope)?), names))
    }

    // --- Rule tables --------------------------------------------------------------------------------------------

    fn rules(
        &mut self,
        targets: &[ast::Expr],
        table: &ast::Expr,
        states: Option<&ast::Expr>,
        otherwise: Option<&ast::Expr>,
        _scope: &mut Scope,
    ) {
        let named = targets.first().map_or(table.span, |target| target.span);
        if !self.program.variables.is_empty() {
            return self.wrong(
                named,
                "a file has `class Agent` or a rule table, not both",
                "the state of a table is the variable `state`",
            );
        }
        if let Some(&own) = self.functions.get("interact") {
            let span = self.program.functions[own].span;
            return self.wrong(
                span,
                "a file has `interact` or a rule table, not both",
                "`def otherwise(l, r)` says what other pairs do",
            );
        }
        let other = match (otherwise.map(|other| (&other.kind, other.span)), self.functions.get("otherwise")) {
            (None, Some(&function)) => Otherwise::Function(function),
            (None, None) => Otherwise::Mirrored,
            (Some((ast::ExprKind::Name(word), _)), None) if word == "mirrored" => Otherwise::Mirrored,
            (Some((ast::ExprKind::Name(word), _)), None) if word == "unchanged" => Otherwise::Unchanged,
            (Some((_, span)), _) => {
                return self.wrong(
                    span,
                    "`otherwise` is `mirrored`, `unchanged` or a function",
                    "write `otherwise = mirrored`",
                );
            }
        };
        let rules = match rules::read(table, states, &self.literals) {
            Ok(rules) => rules,
            Err(problems) => return self.problems.extend(problems),
        };
        for state in &rules.states {
            if let rules::Label::Name(name) = state {
                self.intern(name, 0);
            }
        }
        let names = &mut self.program.names;
        let mut number = |name: &str| names.iter().position(|known| known == name).unwrap_or(0);
        let made = rules::translate(&rules, other, table.span, named, &mut number);
        self.program.variables.push(made.variable);
        self.program.extras = made.extras;
        self.program.interact = self.program.functions.len();
        self.program.functions.push(made.interact);
        let calls = if let Otherwise::Function(function) = other { vec![(function, named)] } else { Vec::new() };
        self.uses.push(Uses { calls, writes: vec![(named, 0)], ..Uses::default() });
    }

    // --- Functions ----------------------------------------------------------------------------------------------

    fn function(&mut self, def: &ast::FunctionDef) {
        let Some(&place) = self.functions.get(&def.name.text) else { return };
        if self.program.functions[place].span != def.name.span {
            return;
        }
        let mut scope = Scope::default();
        for arg in &def.args {
            if scope.find(&arg.name.text).is_some() {
                self.wrong(arg.name.span, format!("there is an argument `{}` already", arg.name.text), "");
            }
            scope.add(&arg.name.text);
        }
        self.role(def, place);
        let mut assigned = Vec::new();
        assigned_names(&def.body, &mut assigned);
        for name in assigned {
            if scope.find(&name.text).is_none() {
                if self.program.globals.contains(&name.text) || self.functions.contains_key(&name.text) {
                    let what = format!("`{}` is a constant or a function", name.text);
                    self.wrong(name.span, what, "a function cannot change it; take another name");
                }
                self.reserved(&name.text, name.span);
                scope.add(&name.text);
            }
        }
        self.keeps_agents(def, place);
        let body = if docstring(&def.body).is_some() { &def.body[1..] } else { &def.body[..] };
        let body = self.block(body, &mut scope);
        let function = &mut self.program.functions[place];
        (function.body, function.locals) = (body, scope.locals);
        self.uses[place] = scope.uses;
    }

    /// Refuses to give another meaning to the agents or the ring that a function is called with: it would change nobody.
    fn keeps_agents(&mut self, def: &ast::FunctionDef, place: usize) {
        let agents = match self.role_of(place) {
            Some(role) if role == "interact" => 2,
            Some(_) => 1,
            None => return,
        };
        let mut assigned = Vec::new();
        assigned_names(&def.body, &mut assigned);
        for arg in def.args.iter().take(agents) {
            if let Some(name) = assigned.iter().find(|name| name.text == arg.name.text) {
                let what = format!("this changes what `{}` means, and no agent", name.text);
                self.wrong(name.span, what, "an agent is changed by its variables: `v.x = ...`");
            }
        }
    }

    /// What a function is for, by its name and by what stands above it.
    fn role(&mut self, def: &ast::FunctionDef, place: usize) {
        let (name, span) = (def.name.text.as_str(), def.name.span);
        let mut marks = Vec::new();
        for decorator in &def.decorators {
            match &decorator.kind {
                ast::ExprKind::Name(word) if DECORATORS.contains(&word.as_str()) => marks.push(word.as_str()),
                ast::ExprKind::Name(word) => {
                    let near = nearest(word, DECORATORS);
                    let meant = near.map_or(String::new(), |near| format!("; did you mean `@{near}`?"));
                    self.wrong(
                        decorator.span,
                        format!("`@{word}` means nothing here"),
                        format!("there are @start, @phase, @closed, @promise and @inputs{meant}"),
                    );
                }
                _ => self.wrong(
                    decorator.span,
                    "this means nothing here",
                    "there are @start, @phase, @closed, @promise and @inputs",
                ),
            }
        }
        let extras = def.args.iter().skip(2).any(|arg| arg.annotation.is_some());
        if name == "interact" {
            self.interact(def, place);
        } else if let Some(arg) = def.args.iter().find(|arg| arg.annotation.is_some()) {
            let help = if extras || name != "interact" { "only `interact` has coins and an oracle" } else { "" };
            self.wrong(arg.name.span, "this argument needs no domain", help);
        }
        let wanted = SPECIAL.iter().find(|(known, _)| *known == name).map(|(_, args)| *args);
        let wanted = wanted.or((!marks.is_empty()).then_some("u"));
        if let Some(wanted) = wanted
            && wanted.split(", ").count() != def.args.len()
        {
            self.wrong(
                span,
                format!("`{name}` takes {} here", count(def.args.len(), "argument")),
                format!("write `def {name}({wanted}):`"),
            );
        }
        match name {
            "leader" => self.program.leader = Some(place),
            "output" => self.program.output = Some(place),
            "safe" => self.program.safe = Some(place),
            _ => {}
        }
        let closed = marks.contains(&"closed");
        if let (true, Some(asked)) = (marks.contains(&"start"), marks.iter().find(|mark| **mark != "start")) {
            let what = format!("a `@start` changes agents, and `@{asked}` is asked of them");
            return self.wrong(span, what, format!("write two functions; that of `@{asked}` returns whether it is so"));
        }
        for mark in &marks {
            match *mark {
                "start" => self.program.starts.push(place),
                "phase" => self.program.phases.push(PhaseDecl { function: place, closed }),
                "closed" => self.program.claims.push(place),
                "promise" if self.program.promise.replace(place).is_some() => {
                    self.wrong(span, "there is a promise already", "a protocol has one");
                }
                "inputs" if self.program.inputs.replace(place).is_some() => {
                    self.wrong(span, "there is an `@inputs` already", "a protocol has one");
                }
                _ => {}
            }
        }
    }

    fn interact(&mut self, def: &ast::FunctionDef, place: usize) {
        self.program.interact = place;
        let itself = def.args.first().is_some_and(|arg| arg.name.text == "self");
        if def.args.len() < 2 || itself {
            return self.wrong(
                def.name.span,
                "an interaction has an initiator and a responder",
                if itself { "there is no `self`: write `def interact(l, r):`" } else { "write `def interact(l, r):`" },
            );
        }
        let mut scope = Scope { module: true, ..Scope::default() };
        let mut oracles = 0;
        for (k, arg) in def.args.iter().enumerate() {
            let extra = match (&arg.annotation, k) {
                (None, 0 | 1) => continue,
                (Some(annotation), 0 | 1) => {
                    self.wrong(annotation.span, "the first two arguments are the agents", "they have no domain");
                    continue;
                }
                (None, _) => {
                    let help = "a coin has a domain, `coin: span(0, 15)`; the oracle is `there_is_a_leader: oracle`";
                    self.wrong(arg.name.span, format!("what is `{}`?", arg.name.text), help);
                    continue;
                }
                (Some(annotation), _) => match (&annotation.kind, call_of(annotation, "oracle")) {
                    (ast::ExprKind::Name(word), _) if word == "oracle" => Extra::Oracle(None),
                    (_, Some([delay])) => Extra::Oracle(Some(self.expr(delay, &mut scope))),
                    _ => match self.domain(annotation, &mut scope) {
                        Some(domain) => Extra::Coin(domain),
                        None => continue,
                    },
                },
            };
            oracles += usize::from(matches!(extra, Extra::Oracle(_)));
            if oracles == 2 {
                self.wrong(arg.name.span, "there is an oracle already", "a protocol asks one");
            }
            self.program.extras.push(extra);
        }
        self.program.locals = self.program.locals.max(scope.locals.len());
    }

    fn block(&mut self, stmts: &[ast::Stmt], scope: &mut Scope) -> Vec<Stmt> {
        stmts.iter().filter_map(|stmt| self.stmt(stmt, scope)).collect()
    }

    fn stmt(&mut self, stmt: &ast::Stmt, scope: &mut Scope) -> Option<Stmt> {
        let span = stmt.span;
        let kind = match &stmt.kind {
            ast::StmtKind::Pass => return None,
            ast::StmtKind::Expr(expr) if matches!(expr.kind, ast::ExprKind::Str(_)) => return None,
            ast::StmtKind::Expr(expr) => {
                if let Some([test, message @ ..]) = call_of(expr, "require") {
                    let message = self.message(message.first());
                    StmtKind::Assert(self.expr(test, scope), message)
                } else if matches!(expr.kind, ast::ExprKind::Call { .. }) {
                    let called = self.expr(expr, scope);
                    // What it returns is not used.
                    scope.uses.values.retain(|(_, place)| *place != span);
                    StmtKind::Do(called)
                } else {
                    let help = if matches!(expr.kind, ast::ExprKind::Compare { .. }) {
                        "an assignment is written with `=`"
                    } else {
                        ""
                    };
                    self.wrong(span, "an expression alone does nothing", help);
                    return None;
                }
            }
            ast::StmtKind::Assign { targets, value } => {
                let value = self.expr(value, scope);
                let targets: Vec<_> = targets.iter().map(|target| self.target(target, scope)).collect();
                let targets: Vec<_> = targets.into_iter().collect::<Option<_>>()?;
                targets.iter().for_each(|target| self.fits(target, &value));
                StmtKind::Assign(targets, value)
            }
            ast::StmtKind::AugAssign { target, op, value } => {
                let (old, value) = (self.expr(target, scope), self.expr(value, scope));
                let target = self.target(target, scope)?;
                let kind = ExprKind::Binary(*op, Box::new(old), Box::new(value));
                StmtKind::Assign(vec![target], Expr { span, kind })
            }
            ast::StmtKind::If { test, body, orelse } => {
                let test = self.expr(test, scope);
                StmtKind::If(test, self.block(body, scope), self.block(orelse, scope))
            }
            ast::StmtKind::For { target, iter, body } => {
                let iter = self.expr(iter, scope);
                let target = self.target(target, scope);
                let body = self.block(body, scope);
                StmtKind::For(self.loop_target(target?)?, iter, body)
            }
            ast::StmtKind::Return(value) => {
                let none = Expr { span, kind: ExprKind::Const(Value::None) };
                StmtKind::Return(value.as_ref().map_or(none, |value| self.expr(value, scope)))
            }
            ast::StmtKind::Assert { test, message } => {
                let message = self.message(message.as_ref());
                StmtKind::Assert(self.expr(test, scope), message)
            }
            ast::StmtKind::AnnAssign { annotation, .. } => {
                self.wrong(annotation.span, "names inside of functions have no domain", "write `x = ...`");
                return None;
            }
            ast::StmtKind::FunctionDef(_) | ast::StmtKind::ClassDef { .. } | ast::StmtKind::ImportFrom { .. } => {
                self.wrong(span, "this cannot stand inside of a function", "");
                return None;
            }
        };
        Some(Stmt { span, kind })
    }

    fn loop_target(&mut self, target: Target) -> Option<Target> {
        let plain = match &target.kind {
            TargetKind::Local(_) => true,
            TargetKind::Tuple(items) => items.iter().all(|item| matches!(item.kind, TargetKind::Local(_))),
            _ => false,
        };
        if !plain {
            self.wrong(target.span, "a loop gives values to plain names", "");
        }
        plain.then_some(target)
    }

    fn target(&mut self, expr: &ast::Expr, scope: &mut Scope) -> Option<Target> {
        let span = expr.span;
        let kind = match &expr.kind {
            ast::ExprKind::Name(name) => TargetKind::Local(scope.find(name)?),
            ast::ExprKind::Tuple(items) => {
                let items: Vec<_> = items.iter().map(|item| self.target(item, scope)).collect();
                TargetKind::Tuple(items.into_iter().collect::<Option<_>>()?)
            }
            ast::ExprKind::Attribute { value, attr } => {
                let agent = self.expr(value, scope);
                let field = self.field(attr)?;
                scope.uses.writes.push((span, field));
                TargetKind::Field(agent, field)
            }
            ast::ExprKind::Subscript { value, index } => {
                let ast::ExprKind::Attribute { value, attr } = &value.kind else {
                    self.wrong(
                        span,
                        "this cannot be assigned to",
                        "variables of agents can: `v.x = ...`, `v.x[i] = ...`, `u[i].x = ...`",
                    );
                    return None;
                };
                let (agent, index) = (self.expr(value, scope), self.expr(index, scope));
                let field = self.field(attr)?;
                scope.uses.writes.push((span, field));
                TargetKind::Element(agent, field, index)
            }
            _ => {
                self.wrong(
                    span,
                    "this cannot be assigned to",
                    "names and variables of agents can: `x = ...`, `v.x = ...`",
                );
                return None;
            }
        };
        Some(Target { span, kind })
    }

    /// The variable of an agent that has this name.
    fn field(&mut self, attr: &ast::Name) -> Option<usize> {
        let found = self.program.variables.iter().position(|variable| variable.name == attr.text);
        if found.is_none() {
            let names: Vec<&str> = self.program.variables.iter().map(|variable| variable.name.as_str()).collect();
            let meant = nearest(&attr.text, names.iter().copied());
            let meant = meant.map_or(String::new(), |name| format!("; did you mean `{name}`?"));
            let help = format!("the variables are {}{meant}", names.join(", "));
            self.wrong(attr.span, format!("agents have no variable `{}`", attr.text), help);
        }
        found
    }

    /// A name in quotes must be one that the variable may have.
    fn fits(&mut self, target: &Target, value: &Expr) {
        match (&target.kind, &value.kind) {
            (TargetKind::Tuple(targets), ExprKind::Tuple(values)) if targets.len() == values.len() => {
                targets.iter().zip(values).for_each(|(target, value)| self.fits(target, value));
            }
            (TargetKind::Tuple(targets), ExprKind::Tuple(values)) => {
                let what = format!("{} for {}", count(values.len(), "value"), count(targets.len(), "name"));
                self.wrong(value.span, what, "both sides must be equally long");
            }
            (TargetKind::Field(_, field), _) => self.may_be(*field, value),
            _ => {}
        }
    }

    /// Whether a variable may have the name that a literal is.
    fn may_be(&mut self, field: usize, value: &Expr) {
        let ExprKind::Const(Value::Name(name)) = value.kind else { return };
        let name = self.program.names[name].clone();
        let Some(owners) = self.known.get(&name) else { return };
        if !owners.contains(&field) {
            let variable = &self.program.variables[field].name;
            let values: Vec<&str> = self
                .known
                .iter()
                .filter(|(_, owners)| owners.contains(&field))
                .map(|(name, _)| name.as_str())
                .collect();
            let help = if values.is_empty() {
                "it has no names".to_owned()
            } else {
                format!("it may be {}", values.join(", "))
            };
            self.wrong(value.span, format!("`{variable}` is never \"{name}\""), help);
        }
    }

    // --- Expressions --------------------------------------------------------------------------------------------

    fn expr(&mut self, expr: &ast::Expr, scope: &mut Scope) -> Expr {
        let span = expr.span;
        let kind = match &expr.kind {
            ast::ExprKind::Name(name) => self.name(name, span, scope),
            ast::ExprKind::Int(value) => ExprKind::Const(Value::Int(*value)),
            ast::ExprKind::Bool(value) => ExprKind::Const(Value::Bool(*value)),
            ast::ExprKind::None => ExprKind::Const(Value::None),
            ast::ExprKind::Str(name) => self.quoted(name, span, scope),
            ast::ExprKind::Float(text) => {
                self.wrong(span, format!("{text} is no integer"), "only rule tables have probabilities");
                ExprKind::Const(Value::None)
            }
            ast::ExprKind::Tuple(items) => ExprKind::Tuple(self.exprs(items, scope)),
            ast::ExprKind::Set(_) => {
                self.wrong(span, "a set can only stand after `in`, and as a domain", "write a tuple: `(a, b)`");
                ExprKind::Const(Value::None)
            }
            ast::ExprKind::Dict(_) => {
                self.wrong(span, "a dictionary can only be the rules of a file", "");
                ExprKind::Const(Value::None)
            }
            ast::ExprKind::Generator { .. } => {
                self.wrong(
                    span,
                    "a generator stands alone in `sum all any min max tuple`",
                    "write `tuple(x for x in ...)`",
                );
                ExprKind::Const(Value::None)
            }
            ast::ExprKind::BoolOp { op: ast::BoolOp::And, values } => ExprKind::And(self.exprs(values, scope)),
            ast::ExprKind::BoolOp { op: ast::BoolOp::Or, values } => ExprKind::Or(self.exprs(values, scope)),
            ast::ExprKind::UnaryOp { op, operand } => {
                let operand = self.expr(operand, scope);
                match op {
                    ast::UnaryOp::Not => ExprKind::Not(Box::new(operand)),
                    ast::UnaryOp::USub => ExprKind::Neg(Box::new(operand)),
                    // It gives a number, and of nothing else.
                    ast::UnaryOp::UAdd => {
                        let zero = Expr { span, kind: ExprKind::Const(Value::Int(0)) };
                        ExprKind::Binary(BinOp::Add, Box::new(zero), Box::new(operand))
                    }
                }
            }
            ast::ExprKind::BinOp { op: BinOp::BitOr, .. } => {
                self.wrong(span, "`|` joins domains only", "truth values are joined by `or`");
                ExprKind::Const(Value::None)
            }
            ast::ExprKind::BinOp { left, op, right } => {
                ExprKind::Binary(*op, Box::new(self.expr(left, scope)), Box::new(self.expr(right, scope)))
            }
            ast::ExprKind::Compare { left, rest } => self.compare(left, rest, scope),
            ast::ExprKind::IfExp { test, body, orelse } => {
                let [test, body, orelse] = [test, body, orelse].map(|part| Box::new(self.expr(part, scope)));
                ExprKind::If(test, body, orelse)
            }
            ast::ExprKind::Call { func, args, keywords } => self.call(func, args, keywords, span, scope),
            ast::ExprKind::Attribute { value, attr } => {
                let agent = self.expr(value, scope);
                self.field(attr).map_or(ExprKind::Const(Value::None), |field| ExprKind::Field(Box::new(agent), field))
            }
            ast::ExprKind::Subscript { value, index } => {
                ExprKind::Index(Box::new(self.expr(value, scope)), Box::new(self.expr(index, scope)))
            }
        };
        Expr { span, kind }
    }

    fn exprs(&mut self, items: &[ast::Expr], scope: &mut Scope) -> Vec<Expr> {
        items.iter().map(|item| self.expr(item, scope)).collect()
    }

    fn name(&mut self, name: &str, span: Span, scope: &Scope) -> ExprKind {
        if let Some(local) = scope.find(name) {
            return ExprKind::Local(local);
        }
        if let Some(global) = self.program.globals.iter().position(|known| known == name) {
            return ExprKind::Global(global);
        }
        let is_function = self.functions.contains_key(name) || BUILTINS.iter().any(|builtin| builtin.0 == name);
        if is_function {
            self.wrong(span, format!("`{name}` is a function"), format!("call it: `{name}(...)`"));
        } else if WORDS.contains(&name) {
            self.wrong(span, format!("`{name}` is no value"), "");
        } else {
            let mut near = scope.locals.iter().chain(&self.program.globals).map(String::as_str).collect::<Vec<_>>();
            near.extend(self.functions.keys().map(String::as_str));
            let meant = nearest(name, near).map_or(String::new(), |near| format!("did you mean `{near}`?"));
            let above = self.literals.contains_key(name);
            let help = if above {
                "it is given a value further down; constants come before their use".to_owned()
            } else if name == "u" {
                "only functions over the ring have it: `def safe(u):`; an interaction knows its two agents".to_owned()
            } else if name == "self" {
                "there are no methods; a function takes the agents that it needs".to_owned()
            } else {
                meant
            };
            self.wrong(span, format!("`{name}` is not known here"), help);
        }
        ExprKind::Const(Value::None)
    }

    fn quoted(&mut self, name: &str, span: Span, scope: &Scope) -> ExprKind {
        if !scope.module && !self.known.contains_key(name) {
            let near = nearest(name, self.known.keys().map(String::as_str));
            let names: Vec<String> = self.known.keys().map(|name| format!("\"{name}\"")).collect();
            let all = if names.is_empty() {
                "no variable has names".to_owned()
            } else {
                format!("the names are {}", names.join(", "))
            };
            let meant = near.map_or(String::new(), |near| format!("; did you mean \"{near}\"?"));
            self.wrong(span, format!("no variable is ever \"{name}\""), format!("{all}{meant}"));
        }
        ExprKind::Const(Value::Name(self.number(name)))
    }

    fn compare(&mut self, left: &ast::Expr, rest: &[(CmpOp, ast::Expr)], scope: &mut Scope) -> ExprKind {
        let left = self.expr(left, scope);
        let mut pairs = Vec::new();
        for (op, right) in rest {
            let right = match (&right.kind, op) {
                (ast::ExprKind::Set(items), CmpOp::In | CmpOp::NotIn) => {
                    Expr { span: right.span, kind: ExprKind::Tuple(self.exprs(items, scope)) }
                }
                _ => self.expr(right, scope),
            };
            if matches!(op, CmpOp::Is | CmpOp::IsNot) && !matches!(right.kind, ExprKind::Const(Value::None)) {
                self.wrong(right.span, "`is` compares with `None` only", "write `==`");
            }
            let before = pairs.last().map_or(&left, |(_, last)| last);
            if let (ExprKind::Field(_, field), _) = (&before.kind, op) {
                let parts: Vec<Expr> =
                    if let ExprKind::Tuple(items) = &right.kind { items.clone() } else { vec![right.clone()] };
                parts.iter().for_each(|part| self.may_be(*field, part));
            }
            if let ExprKind::Field(_, field) = right.kind {
                let before = before.clone();
                self.may_be(field, &before);
            }
            pairs.push((*op, right));
        }
        ExprKind::Compare(Box::new(left), pairs)
    }

    fn call(
        &mut self,
        func: &ast::Expr,
        args: &[ast::Expr],
        keywords: &[(ast::Name, ast::Expr)],
        span: Span,
        scope: &mut Scope,
    ) -> ExprKind {
        let nothing = ExprKind::Const(Value::None);
        let ast::ExprKind::Name(name) = &func.kind else {
            let help = "there are no methods; a function takes agents and values: `f(v, 3)`";
            self.wrong(func.span, "only functions by their name are called", help);
            return nothing;
        };
        if let Some((word, _)) = keywords.first() {
            self.wrong(word.span, "arguments are given in their order, without names", "");
        }
        if let Some(&(_, builtin, least, most)) = BUILTINS.iter().find(|known| known.0 == name) {
            return self.builtin(name, builtin, least..=most, args, span, scope);
        }
        let Some(&function) = self.functions.get(name) else {
            let known = self.functions.keys().map(String::as_str).chain(BUILTINS.iter().map(|known| known.0));
            let meant = nearest(name, known).map_or(String::new(), |near| format!("did you mean `{near}`?"));
            let python = PYTHON.iter().find(|(known, _)| known == name).map(|(_, help)| (*help).to_owned());
            self.wrong(func.span, format!("there is no function `{name}`"), python.unwrap_or(meant));
            return nothing;
        };
        if scope.module {
            self.wrong(
                span,
                "constants do not call functions of the file",
                "those of the notation they may: min, max, ...",
            );
            return nothing;
        }
        let wanted = self.program.functions[function].args;
        if wanted != args.len() {
            let what = format!(
                "`{name}` takes {}, here {}",
                count(wanted, "argument"),
                if args.len() == 1 { "is 1".to_owned() } else { format!("are {}", args.len()) }
            );
            self.wrong(span, what, "");
        }
        scope.uses.calls.push((function, span));
        scope.uses.values.push((function, span));
        ExprKind::Call(function, self.exprs(args, scope))
    }

    fn builtin(
        &mut self,
        name: &str,
        builtin: Builtin,
        allowed: std::ops::RangeInclusive<usize>,
        args: &[ast::Expr],
        span: Span,
        scope: &mut Scope,
    ) -> ExprKind {
        if !allowed.contains(&args.len()) {
            let (least, most) = (*allowed.start(), *allowed.end());
            let wanted = if least == most { count(least, "argument") } else { format!("{least} or more arguments") };
            self.wrong(span, format!("`{name}` takes {wanted}"), "");
        }
        match builtin {
            Builtin::Randint => scope.uses.draws.push(span),
            Builtin::Require => self.wrong(span, "`require(...)` is a statement of its own", ""),
            _ => {}
        }
        let folds =
            [Builtin::Min, Builtin::Max, Builtin::Sum, Builtin::All, Builtin::Any, Builtin::Tuple].contains(&builtin);
        if let [ast::Expr { kind: ast::ExprKind::Generator { element, clauses }, span: place }] = args
            && folds
        {
            let generator = self.generator(element, clauses, scope);
            return ExprKind::Builtin(builtin, vec![Expr { span: *place, kind: generator }]);
        }
        ExprKind::Builtin(builtin, self.exprs(args, scope))
    }

    /// Its names are visible inside of it only.
    fn generator(&mut self, element: &ast::Expr, clauses: &[ast::Comprehension], scope: &mut Scope) -> ExprKind {
        let before = scope.visible.len();
        let mut resolved = Vec::new();
        for clause in clauses {
            let iter = self.expr(&clause.iter, scope);
            let mut names = Vec::new();
            target_names(&clause.target, &mut names);
            for name in &names {
                scope.add(&name.text);
            }
            let target = self.target(&clause.target, scope).and_then(|target| self.loop_target(target));
            let ifs = self.exprs(&clause.ifs, scope);
            if let Some(target) = target {
                resolved.push(Clause { target, iter, ifs });
            }
        }
        let element = self.expr(element, scope);
        scope.visible.truncate(before);
        ExprKind::Generator(Box::new(element), resolved)
    }

    // --- What the whole must have -------------------------------------------------------------------------------

    fn complete(&mut self, module: &ast::Module) {
        let end = module.body.last().map_or(Span { line: 1, column: 1, end_line: 1, end_column: 2 }, |stmt| stmt.span);
        let first = Span { end_line: end.line, end_column: end.column + 1, ..end };
        if self.program.interact == usize::MAX {
            // With problems of rules, this would only be their consequence.
            if self.problems.is_empty() {
                self.no_transition(first);
            }
        } else if self.program.variables.is_empty() && self.problems.is_empty() {
            self.wrong(first, "there are no variables", "a protocol has `class Agent:` with a line for every variable");
        }
        if let (Some(inputs), []) = (self.program.inputs, self.program.starts.as_slice()) {
            let span = self.program.functions[inputs].span;
            self.wrong(
                span,
                "`@inputs` without a start",
                "inputs are given by a `@start`, the first of which all others take",
            );
        }
        if let (Some(_), Some(output)) = (self.program.leader, self.program.output) {
            let span = self.program.functions[output].span;
            self.wrong(span, "a file has `leader` or `output`, not both", "the output of an election is who leads");
        }
        if self.program.inputs.is_none() {
            return;
        }
        if !self.program.variables.iter().any(|variable| variable.given) {
            let span = self.program.inputs.map_or(first, |function| self.program.functions[function].span);
            self.wrong(span, "`@inputs` without an input", "an input is a variable `x: given(...)`");
        }
    }

    /// No function is `interact`; one may be meant by it.
    fn no_transition(&mut self, place: Span) {
        let help = "a protocol has `def interact(l, r):` or `rules = {...}`";
        let meant = nearest("interact", self.functions.keys().map(String::as_str));
        let pairs = ["delta", "transition", "rule", "rules", "step", "update", "interaction"];
        let meant = meant.or_else(|| self.functions.keys().map(String::as_str).find(|name| pairs.contains(name)));
        match meant.map(|name| &self.program.functions[self.functions[name]]) {
            Some(function) => {
                let (span, name) = (function.span, function.name.clone());
                self.wrong(span, "there is no transition", format!("it is called `interact`: did you mean `{name}`?"));
            }
            None => self.wrong(place, "there is no transition", help),
        }
    }

    /// That nothing is returned where nobody takes it, and something is where somebody does.
    fn returns(&mut self) {
        let program = &self.program;
        let asked = [program.leader, program.output, program.safe, program.promise, program.inputs];
        let phases = program.phases.iter().map(|phase| phase.function);
        let asked: Vec<usize> =
            asked.into_iter().flatten().chain(phases).chain(program.claims.iter().copied()).collect();
        let changing: Vec<usize> = program.starts.iter().copied().chain([program.interact]).collect();
        let mut problems = Vec::new();
        for function in changing.into_iter().filter_map(|function| program.functions.get(function)) {
            if let Some(span) = returned(&function.body) {
                let name = &function.name;
                let help = "it changes agents in place: `r.x = l.x`, and ends with a plain `return` or none";
                problems.push(Problem::new(span, format!("what `{name}` returns is not used"), help));
            }
        }
        let silent = |function: usize| returned(&program.functions[function].body).is_none();
        for function in asked.into_iter().filter(|&function| silent(function)) {
            let Function { name, span, .. } = &program.functions[function];
            problems.push(Problem::new(*span, format!("`{name}` returns nothing"), "write `return ...`"));
        }
        for (function, span) in self.uses.iter().flat_map(|uses| &uses.values).filter(|(called, _)| silent(*called)) {
            let what = format!("`{}` returns nothing, so that this is `None`", program.functions[*function].name);
            problems.push(Problem::new(*span, what, "`return ...` in it gives a value"));
        }
        self.problems.extend(problems);
    }

    /// Who may write and draw, and that nobody calls itself.
    fn uses(&mut self) {
        // A function with problems is not all there.
        if self.problems.is_empty() {
            self.returns();
        }
        let count = self.program.functions.len();
        for function in 0..count {
            if let Some(span) = self.calls_itself(function) {
                let name = self.program.functions[function].name.clone();
                self.wrong(
                    span,
                    format!("`{name}` calls itself"),
                    "recursion is not part of the notation; a loop over `range(...)` is",
                );
            }
        }
        if self.problems.iter().any(|problem| problem.what.ends_with("calls itself")) {
            return;
        }
        let starts = self.program.starts.clone();
        for root in 0..count {
            let role = self.role_of(root);
            let Some(role) = role else { continue };
            let mut reached = vec![false; count];
            self.reach(root, &mut reached);
            for function in (0..count).filter(|&function| reached[function]) {
                let Uses { writes, draws, .. } = self.uses[function].clone();
                for (span, field) in writes {
                    let variable = self.program.variables[field].clone();
                    if role == "interact" && variable.given {
                        self.wrong(span, format!("`{}` is an input", variable.name), "an interaction never writes it");
                    } else if role != "interact" && !starts.contains(&root) {
                        self.wrong(span, format!("`{role}` changes agents"), "only `interact` and starts do");
                    }
                }
                for span in draws {
                    if !starts.contains(&root) {
                        self.wrong(
                            span,
                            "`randint` is for starts",
                            "`interact` has coins: `def interact(l, r, coin: span(0, 1))`",
                        );
                    }
                }
            }
        }
    }

    /// The name under which the program runs a function itself, if it does.
    fn role_of(&self, function: usize) -> Option<String> {
        let program = &self.program;
        if function == program.interact {
            return Some("interact".to_owned());
        }
        let mut roles =
            [program.leader, program.output, program.safe, program.promise, program.inputs].into_iter().flatten();
        let listed = roles.any(|role| role == function)
            || program.starts.contains(&function)
            || program.claims.contains(&function)
            || program.phases.iter().any(|phase| phase.function == function);
        listed.then(|| program.functions[function].name.clone())
    }

    fn reach(&self, function: usize, reached: &mut [bool]) {
        let mut pending = vec![function];
        while let Some(function) = pending.pop() {
            if !std::mem::replace(&mut reached[function], true) {
                pending.extend(self.uses[function].calls.iter().map(|(called, _)| *called));
            }
        }
    }

    /// Where a function calls one that leads back to it.
    fn calls_itself(&self, function: usize) -> Option<Span> {
        let leads_back = |called: usize| {
            let mut reached = vec![false; self.uses.len()];
            self.reach(called, &mut reached);
            reached[function]
        };
        self.uses[function].calls.iter().find(|(called, _)| leads_back(*called)).map(|(_, span)| *span)
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
