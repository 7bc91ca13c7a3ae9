//! A text as LaTeX, as a paper would have it: what is declared, and an algorithm for each function, with the paper's numbers of lines.
//!
//! It is the tree that is set, not the text: `:=` is the assignment and `=` the comparison, `//` is rounded down in brackets, ranges are
//! sets, and all, any and sums over the ring have their signs. A fragment needs amsmath and algorithm2e.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::ast::{
    Arg, BinOp, BoolOp, CmpOp, Comprehension, Expr, ExprKind, FunctionDef, Module, Stmt, StmtKind, UnaryOp,
};
use crate::parser::parse;
use crate::program::Program;
use crate::tree;

/// What a document says before fragments.
const PREAMBLE: &str = "\\documentclass{article}\n\\usepackage{amsmath}\n\\usepackage[ruled,vlined]{algorithm2e}\n";
/// So many rules of a table are set together, since an algorithm is never broken between pages.
const RULES: usize = 40;

/// A file as a fragment for a document that has amsmath and algorithm2e.
#[must_use]
pub fn fragment(program: &Program) -> String {
    let (module, _) = parse(&program.text);
    let mut setter = Setter { program, numbers: module.paper_lines.clone(), out: String::new() };
    setter.module(&module);
    setter.out
}

/// The same as a document of its own.
#[must_use]
pub fn document(program: &Program) -> String {
    let title = plain(&program.file);
    format!(
        "{PREAMBLE}\\title{{{title}}}\\author{{}}\\date{{}}\n\\begin{{document}}\n\\maketitle\n{}\\end{{document}}\n",
        fragment(program)
    )
}

struct Setter<'a> {
    program: &'a Program,
    /// Numbers of lines that were not set yet: line of the file, number.
    numbers: Vec<(u32, String)>,
    out: String,
}

impl Setter<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "  ".repeat(depth));
    }

    /// The paper's number of what stands on these lines.
    fn number(&mut self, lines: std::ops::RangeInclusive<u32>) -> String {
        let place = self.numbers.iter().position(|(line, _)| lines.contains(line));
        place.map_or(String::new(), |place| format!("\\nlset{{{}}}", self.numbers.remove(place).1))
    }

    fn module(&mut self, module: &Module) {
        let Program { file, summary, .. } = self.program;
        let told = format!("% {}: {}", one_line(file), one_line(summary));
        self.line(0, told.trim_end_matches([' ', ':']));
        self.line(0, "% It needs \\usepackage{amsmath} and \\usepackage{algorithm2e}.");
        self.declarations(&module.body);
        for stmt in &module.body {
            if let StmtKind::Assign { value: Expr { kind: ExprKind::Dict(rules), .. }, .. } = &stmt.kind {
                self.rules(rules);
            }
        }
        let defs = module.body.iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::FunctionDef(def) => Some(def),
            _ => None,
        });
        let run = self.run_by_interactions();
        let (first, then): (Vec<_>, Vec<_>) = defs.partition(|def| run.contains(def.name.text.as_str()));
        first.into_iter().chain(then).for_each(|def| self.function(def));
    }

    /// The functions that an interaction may run, by name.
    fn run_by_interactions(&self) -> BTreeSet<String> {
        let functions = &self.program.functions;
        let (mut found, mut pending) = (BTreeSet::new(), vec![self.program.interact]);
        while let Some(function) = pending.pop().and_then(|number| functions.get(number)) {
            if found.insert(function.name.clone()) {
                let mut look = |expr: &tree::Expr| {
                    if let tree::ExprKind::Call(called, _) = expr.kind {
                        pending.push(called);
                    }
                };
                function.body.iter().for_each(|stmt| stmt.visit(&mut look));
            }
        }
        found
    }

    fn begin(&mut self, caption: &str) {
        self.out.push('\n');
        self.line(0, "\\begin{algorithm}[H]");
        self.line(0, "\\DontPrintSemicolon");
        self.line(0, &format!("\\caption{{{caption}}}"));
    }

    fn end(&mut self) {
        self.line(0, "\\end{algorithm}");
    }

    // --- What is declared ----------------------------------------------------------------------------------------------

    fn declarations(&mut self, body: &[Stmt]) {
        let lines: Vec<String> = body.iter().flat_map(declared).collect();
        if lines.is_empty() {
            return;
        }
        self.begin(&format!("Parameters and variables; the ring is {}", self.program.ring.name()));
        lines.iter().for_each(|line| self.line(1, &format!("{line}\\;")));
        self.end();
    }

    fn rules(&mut self, rules: &[(Expr, Expr)]) {
        for part in rules.chunks(RULES) {
            self.begin("Rules: pairs of states, and what becomes of them");
            for (before, after) in part {
                self.line(1, &format!("${} \\to {}$\\;", math(before, ATOM), outcomes(after)));
            }
            self.end();
        }
    }

    // --- Functions -------------------------------------------------------------------------------------------------------

    fn function(&mut self, def: &FunctionDef) {
        let arguments: Vec<String> = def.args.iter().map(|arg| name(&arg.name.text)).collect();
        let about = def.body.first().and_then(text_of).map(|text| first_line(text).to_owned()).unwrap_or_default();
        let about = if about.is_empty() { about } else { format!(": {}", plain(&about)) };
        self.begin(&format!("{}$({})${about}", function(&def.name.text), arguments.join(", ")));
        def.args.iter().filter_map(extra).for_each(|line| self.line(1, &format!("{line}\\;")));
        let body = if def.body.first().and_then(text_of).is_some() { &def.body[1..] } else { &def.body };
        if body.is_empty() {
            self.line(1, "nothing\\;");
        }
        self.block(body, 1);
        self.end();
    }

    fn block(&mut self, body: &[Stmt], depth: usize) {
        body.iter().for_each(|stmt| self.statement(stmt, depth));
    }

    fn statement(&mut self, stmt: &Stmt, depth: usize) {
        let (first, last) = (stmt.span.line, stmt.span.end_line);
        match &stmt.kind {
            StmtKind::If { .. } => self.branches(stmt, depth),
            StmtKind::For { target, iter, body } => {
                let number = self.number(first..=header_end(first, body));
                self.line(depth, &format!("{number}\\For{{${} \\in {}$}}{{", math(target, ATOM), math(iter, SUM)));
                self.block(body, depth + 1);
                self.line(depth, "}");
            }
            _ => {
                let number = self.number(first..=last);
                let text = simple(stmt);
                self.line(depth, &format!("{number}{text}\\;"));
            }
        }
    }

    /// `if` with all that belongs to it. What comes last is the one that ends it.
    fn branches(&mut self, stmt: &Stmt, depth: usize) {
        let (mut stmt, mut word) = (stmt, "If");
        loop {
            let StmtKind::If { test, body, orelse } = &stmt.kind else { return };
            let number = self.number(stmt.span.line..=header_end(stmt.span.line, body));
            let mark = if orelse.is_empty() { "" } else { "u" };
            self.line(depth, &format!("{number}\\{mark}{word}{{${}$}}{{", math(test, ANY)));
            self.block(body, depth + 1);
            self.line(depth, "}");
            let body_end = body.last().map_or(stmt.span.line, |stmt| stmt.span.end_line);
            match orelse.as_slice() {
                [] => return,
                [next] if is_elif(next, stmt) => (stmt, word) = (next, "ElseIf"),
                [next, ..] => {
                    let number = self.number(body_end + 1..=next.span.line.saturating_sub(1).max(body_end + 1));
                    self.line(depth, &format!("{number}\\Else{{"));
                    self.block(orelse, depth + 1);
                    return self.line(depth, "}");
                }
            }
        }
    }
}

/// The last line of what stands before a block, which may begin on the same line.
fn header_end(first: u32, body: &[Stmt]) -> u32 {
    body.first().map_or(first, |stmt| stmt.span.line.saturating_sub(1).max(first))
}

/// Whether an `if` alone in the `else` of another was written as `elif`: it then begins where the other one does.
fn is_elif(next: &Stmt, before: &Stmt) -> bool {
    matches!(next.kind, StmtKind::If { .. }) && next.span.column == before.span.column
}

fn simple(stmt: &Stmt) -> String {
    match &stmt.kind {
        StmtKind::Assign { targets, value } => {
            let targets: Vec<String> = targets.iter().map(|target| math(target, ATOM)).collect();
            format!("${} := {}$", targets.join(" := "), math(value, ANY))
        }
        StmtKind::AugAssign { target, op, value } => {
            let (left, _, sign, right) = operator(*op);
            let sum = format!("{} {sign} {}", math(target, left), math(value, right));
            format!("${} := {sum}$", math(target, ATOM))
        }
        StmtKind::Return(None) => "\\Return{}".to_owned(),
        StmtKind::Return(Some(value)) => format!("\\Return{{${}$}}", math(value, ANY)),
        StmtKind::Assert { test, .. } => format!("\\textbf{{assert}} ${}$", math(test, ANY)),
        StmtKind::Expr(value) => match call_of(value, "require") {
            Some([test, ..]) => format!("\\textbf{{assert}} ${}$", math(test, ANY)),
            _ => format!("${}$", math(value, ANY)),
        },
        _ => "nothing".to_owned(),
    }
}

/// A coin or an oracle of the transition.
fn extra(arg: &Arg) -> Option<String> {
    let annotation = arg.annotation.as_ref()?;
    let called = name(&arg.name.text);
    let is_oracle =
        call_of(annotation, "oracle").is_some() || matches!(&annotation.kind, ExprKind::Name(name) if name == "oracle");
    Some(match is_oracle {
        true => format!("\\textbf{{oracle}} ${called}$"),
        false => format!("\\textbf{{coin}} ${called} \\in {}$, uniform", domain(annotation)),
    })
}

/// What a statement of the file declares, a line each.
fn declared(stmt: &Stmt) -> Vec<String> {
    match &stmt.kind {
        StmtKind::AnnAssign { target, value: Some(value), .. } => {
            vec![format!("\\textbf{{parameter}} ${} := {}$", math(target, ATOM), math(value, ANY))]
        }
        StmtKind::Assign { targets, value } if !is_said_elsewhere(targets, value) => vec![simple(&Stmt {
            span: stmt.span,
            kind: StmtKind::Assign { targets: targets.clone(), value: value.clone() },
        })],
        StmtKind::Assert { test, .. } => vec![format!("\\textbf{{require}} ${}$", math(test, ANY))],
        StmtKind::Expr(value) => match call_of(value, "require") {
            Some([test, ..]) => vec![format!("\\textbf{{require}} ${}$", math(test, ANY))],
            _ => Vec::new(),
        },
        StmtKind::ClassDef { body, .. } => body.iter().filter_map(variable).collect(),
        _ => Vec::new(),
    }
}

/// The ring is in the caption, the rules are set on their own, and the limit and words are for the program.
fn is_said_elsewhere(targets: &[Expr], value: &Expr) -> bool {
    let words = ["ring", "limit", "assumption", "bound", "otherwise"];
    let named = |target: &Expr| matches!(&target.kind, ExprKind::Name(name) if words.contains(&name.as_str()));
    matches!(value.kind, ExprKind::Dict(_)) || targets.iter().any(named)
}

fn variable(stmt: &Stmt) -> Option<String> {
    let StmtKind::AnnAssign { target: Expr { kind: ExprKind::Name(name), .. }, annotation, value } = &stmt.kind else {
        return None;
    };
    let (kind, annotation) = match call_of(annotation, "given") {
        Some([inner]) => ("input", inner),
        _ => ("variable", annotation),
    };
    let zero = value.as_ref().map_or(String::new(), |value| format!(", zero is ${}$", math(value, ANY)));
    Some(format!("\\textbf{{{kind}}} $\\mathtt{{{}}} \\in {}${zero}", escaped(name), domain(annotation)))
}

fn domain(expr: &Expr) -> String {
    let list = |args: &[Expr]| args.iter().map(factor).collect::<Vec<_>>().join(" \\times ");
    match &expr.kind {
        ExprKind::Name(name) if name == "bit" => "\\{0, 1\\}".to_owned(),
        ExprKind::BinOp { left, op: BinOp::BitOr, right } => format!("{} \\cup {}", domain(left), domain(right)),
        ExprKind::Call { func, args, .. } => match (&func.kind, args.as_slice()) {
            (ExprKind::Name(name), [low, high]) if name == "span" => {
                format!("\\{{{}, \\dots, {}\\}}", math(low, SUM), math(high, SUM))
            }
            (ExprKind::Name(name), [of, ..]) if name == "pair" => format!("{}^{{2}}", power(of)),
            (ExprKind::Name(name), [count, of, ..]) if name == "array" => {
                format!("{}^{{{}}}", power(of), math(count, ANY))
            }
            (ExprKind::Name(name), parts) if name == "maybe" => format!("\\{{\\bot\\}} \\cup {}", list(parts)),
            _ => math(expr, SUM),
        },
        _ => math(expr, SUM),
    }
}

/// A domain as a part of a product.
fn factor(expr: &Expr) -> String {
    if matches!(expr.kind, ExprKind::BinOp { .. }) { format!("({})", domain(expr)) } else { domain(expr) }
}

/// A domain that is taken to a power.
fn power(expr: &Expr) -> String {
    let set = domain(expr);
    let is_one_set = set.starts_with("\\{") && set.matches("\\{").count() == 1;
    if is_one_set { set } else { format!("({set})") }
}

/// What becomes of a pair: another one, or one of several with their probabilities.
fn outcomes(after: &Expr) -> String {
    let ExprKind::Dict(items) = &after.kind else { return math(after, ATOM) };
    let one =
        |(pair, chance): &(Expr, Expr)| format!("{} \\textnormal{{ with }} {}", math(pair, ATOM), math(chance, SUM));
    items.iter().map(one).collect::<Vec<_>>().join(",\\ ")
}

// --- Expressions -----------------------------------------------------------------------------------------------------------

/// How strongly something binds; what binds less than its place asks for stands in brackets. `mod` binds less than a sum here, for
/// without brackets people read it so.
type Level = u8;
const ANY: Level = 0;
const OR: Level = 1;
const AND: Level = 2;
const NOT: Level = 3;
const COMPARE: Level = 4;
const UNION: Level = 5;
const MOD: Level = 6;
const SUM: Level = 7;
const PRODUCT: Level = 8;
const UNARY: Level = 9;
const POWER: Level = 10;
const ATOM: Level = 11;

/// An expression in mathematical mode, in a place that asks for something that binds so strongly.
fn math(expr: &Expr, place: Level) -> String {
    let (level, text) = formula(expr);
    if level < place { format!("({text})") } else { text }
}

fn formula(expr: &Expr) -> (Level, String) {
    let atom = |text: String| (ATOM, text);
    match &expr.kind {
        ExprKind::Name(text) => atom(name(text)),
        ExprKind::Int(number) if *number < 0 => (UNARY, number.to_string()),
        ExprKind::Int(number) => atom(number.to_string()),
        ExprKind::Float(text) => atom(text.clone()),
        ExprKind::Str(text) => atom(word(text)),
        ExprKind::Bool(true) => atom(word("true")),
        ExprKind::Bool(false) => atom(word("false")),
        ExprKind::None => atom("\\bot".to_owned()),
        ExprKind::Tuple(items) => atom(format!("({})", listed(items))),
        ExprKind::Set(items) => atom(format!("\\{{{}\\}}", listed(items))),
        ExprKind::Dict(_) => atom("\\{\\dots\\}".to_owned()),
        ExprKind::Generator { element, clauses } => atom(format!("({})_{{{}}}", math(element, ANY), over(clauses))),
        ExprKind::BoolOp { op, values } => {
            let (level, sign) = if *op == BoolOp::And { (AND, " \\land ") } else { (OR, " \\lor ") };
            (level, values.iter().map(|value| math(value, level + 1)).collect::<Vec<_>>().join(sign))
        }
        ExprKind::UnaryOp { op: UnaryOp::Not, operand } => (NOT, format!("\\lnot {}", math(operand, COMPARE + 1))),
        ExprKind::UnaryOp { op: UnaryOp::USub, operand } => (UNARY, format!("-{}", math(operand, UNARY))),
        ExprKind::UnaryOp { op: UnaryOp::UAdd, operand } => (UNARY, format!("+{}", math(operand, UNARY))),
        ExprKind::BinOp { left, op: BinOp::FloorDiv, right } => {
            atom(format!("\\lfloor {} / {} \\rfloor", math(left, PRODUCT), math(right, UNARY)))
        }
        ExprKind::BinOp { left, op: BinOp::Pow, right } => {
            (POWER, format!("{}^{{{}}}", math(left, ATOM), math(right, ANY)))
        }
        ExprKind::BinOp { left, op: BinOp::Mult, right } if is_factor(left, right) => {
            (PRODUCT, format!("{} {}", math(left, ATOM), math(right, ATOM)))
        }
        ExprKind::BinOp { left, op, right } => {
            let (first, level, sign, second) = operator(*op);
            (level, format!("{} {sign} {}", math(left, first), math(right, second)))
        }
        ExprKind::Compare { left, rest } => {
            let one = |(op, right): &(CmpOp, Expr)| format!(" {} {}", comparison(*op), math(right, UNION));
            (COMPARE, math(left, UNION) + &rest.iter().map(one).collect::<String>())
        }
        ExprKind::IfExp { test, body, orelse } => {
            let [body, test, orelse] = [math(body, OR), math(test, OR), math(orelse, ANY)];
            (ANY, format!("{body} \\textnormal{{ if }} {test} \\textnormal{{ else }} {orelse}"))
        }
        ExprKind::Call { func, args, .. } => call(func, args),
        ExprKind::Attribute { value, attr } => {
            atom(format!("{}.\\mathtt{{{}}}", math(value, ATOM), escaped(&attr.text)))
        }
        ExprKind::Subscript { value, index } => atom(match value.kind {
            // An agent of the ring, or a part of a value that has a name.
            ExprKind::Name(_) => format!("{}_{{{}}}", math(value, ATOM), math(index, ANY)),
            _ => format!("{}[{}]", math(value, ATOM), math(index, ANY)),
        }),
    }
}

fn listed(items: &[Expr]) -> String {
    items.iter().map(|item| math(item, UNION)).collect::<Vec<_>>().join(", \\allowbreak ")
}

/// Whether this is a number times a name, which needs no sign.
fn is_factor(left: &Expr, right: &Expr) -> bool {
    matches!((&left.kind, &right.kind), (ExprKind::Int(0..), ExprKind::Name(_)))
}

/// What an operator asks of its left side, how strongly it binds, its sign, and what it asks of its right side.
fn operator(op: BinOp) -> (Level, Level, &'static str, Level) {
    match op {
        BinOp::Add => (SUM, SUM, "+", PRODUCT),
        BinOp::Sub => (SUM, SUM, "-", PRODUCT),
        BinOp::Mult => (PRODUCT, PRODUCT, "\\cdot", UNARY),
        BinOp::Mod => (PRODUCT, MOD, "\\bmod", PRODUCT),
        BinOp::BitOr => (UNION, UNION, "\\cup", MOD),
        // These two have forms of their own, unless they augment.
        BinOp::FloorDiv => (PRODUCT, PRODUCT, "\\mathbin{\\text{div}}", UNARY),
        BinOp::Pow => (ATOM, POWER, "\\mathbin{\\text{to the}}", UNARY),
    }
}

fn comparison(op: CmpOp) -> &'static str {
    match op {
        CmpOp::Eq | CmpOp::Is => "=",
        CmpOp::NotEq | CmpOp::IsNot => "\\neq",
        CmpOp::Lt => "<",
        CmpOp::LtE => "\\leq",
        CmpOp::Gt => ">",
        CmpOp::GtE => "\\geq",
        CmpOp::In => "\\in",
        CmpOp::NotIn => "\\notin",
    }
}

fn call(func: &Expr, args: &[Expr]) -> (Level, String) {
    let ExprKind::Name(called) = &func.kind else { return (ATOM, format!("{}({})", math(func, ATOM), listed(args))) };
    let text = match (called.as_str(), args) {
        (_, [Expr { kind: ExprKind::Generator { element, clauses }, .. }]) => return folded(called, element, clauses),
        ("range", [end]) => interval("0", end),
        ("range", [begin, end]) => interval(&math(begin, SUM), end),
        ("abs" | "len", [of]) => format!("|{}|", math(of, ANY)),
        ("ceil_log2", [of]) => format!("\\lceil \\log_2 {} \\rceil", math(of, UNARY)),
        ("tuple", [of]) => math(of, ATOM),
        ("randint", [low, high]) => {
            format!("\\textnormal{{uniform in }} \\{{{}, \\dots, {}\\}}", math(low, SUM), math(high, SUM))
        }
        ("min" | "max", _) => format!("\\{called}({})", listed(args)),
        ("sum" | "all" | "any" | "range", _) => format!("\\operatorname{{{called}}}({})", listed(args)),
        _ => format!("{}({})", function(called), listed(args)),
    };
    (ATOM, text)
}

/// The numbers from one to another, without it.
fn interval(begin: &str, end: &Expr) -> String {
    let last = match &end.kind {
        ExprKind::Int(end) => (end - 1).to_string(),
        ExprKind::BinOp { left, op: BinOp::Add, right } if matches!(right.kind, ExprKind::Int(1)) => math(left, SUM),
        _ => format!("{} - 1", math(end, SUM)),
    };
    format!("\\{{{begin}, \\dots, {last}\\}}")
}

/// `all`, `any`, `sum`, `min`, `max` and `tuple` over something.
fn folded(called: &str, element: &Expr, clauses: &[Comprehension]) -> (Level, String) {
    let counts = matches!(element.kind, ExprKind::Int(1));
    match called {
        "all" => (ANY, format!("\\forall {}\\colon {}", over(clauses), math(element, OR))),
        "any" => (ANY, format!("\\exists {}\\colon {}", over(clauses), math(element, OR))),
        "sum" if counts => (ATOM, format!("|\\{{{}\\}}|", over(clauses))),
        "sum" => (PRODUCT, format!("\\sum_{{{}}} {}", over(clauses), math(element, PRODUCT))),
        "min" | "max" => (ATOM, format!("\\{called} \\{{{} \\mid {}\\}}", math(element, ANY), over(clauses))),
        _ => (ATOM, format!("({})_{{{}}}", math(element, ANY), over(clauses))),
    }
}

/// What names of a generator run over, and under which conditions.
fn over(clauses: &[Comprehension]) -> String {
    let one = |clause: &Comprehension| {
        let ifs: String = clause.ifs.iter().map(|test| format!(",\\ {}", math(test, OR))).collect();
        format!("{} \\in {}{ifs}", math(&clause.target, ATOM), math(&clause.iter, SUM))
    };
    clauses.iter().map(one).collect::<Vec<_>>().join(",\\ ")
}

fn call_of<'a>(expr: &'a Expr, name: &str) -> Option<&'a [Expr]> {
    match &expr.kind {
        ExprKind::Call { func, args, .. } if matches!(&func.kind, ExprKind::Name(called) if called == name) => {
            Some(args)
        }
        _ => None,
    }
}

fn text_of(stmt: &Stmt) -> Option<&str> {
    match &stmt.kind {
        StmtKind::Expr(Expr { kind: ExprKind::Str(text), .. }) => Some(text),
        _ => None,
    }
}

fn first_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or("").trim()
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

// --- Names and words ---------------------------------------------------------------------------------------------------------

/// Letters that mathematicians write in Greek.
const GREEK: [&str; 24] = [
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "pi", "rho", "sigma", "tau", "phi", "chi", "psi", "omega", "Psi", "Omega",
];

/// A word that means itself, upright wherever it stands.
fn word(text: &str) -> String {
    format!("\\textnormal{{\\textsf{{{}}}}}", plain(text))
}

/// The name of a function.
fn function(name: &str) -> String {
    word(name)
}

/// A name in mathematical mode: letters as such, Greek ones as Greek, numbers at the end below, and words as words.
fn name(text: &str) -> String {
    let letters = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &text[letters.len()..];
    let below = if digits.is_empty() { String::new() } else { format!("_{{{digits}}}") };
    let base = if GREEK.contains(&letters) {
        format!("\\{letters}")
    } else if letters.len() == 1 {
        escaped(letters)
    } else if !digits.is_empty() && letters.contains('_') {
        return format!("\\mathit{{{}}}", escaped(text));
    } else if letters.is_ascii() {
        format!("\\mathit{{{}}}", escaped(letters))
    } else {
        format!("\\textnormal{{{}}}", plain(letters))
    };
    base + &below
}

/// A name of letters, digits and underscores.
fn escaped(name: &str) -> String {
    name.replace('_', "\\_")
}

/// Text outside of mathematical mode. A character that pdflatex has not is named.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '#' | '$' | '%' | '&' | '_' | '{' | '}' => out.extend(['\\', c]),
            '\\' => out += "\\textbackslash{}",
            '~' => out += "\\textasciitilde{}",
            '^' => out += "\\textasciicircum{}",
            '<' => out += "\\textless{}",
            '>' => out += "\\textgreater{}",
            '|' => out += "\\textbar{}",
            '"' => out += "''",
            ' '..='~' | '\u{c0}'..='\u{17f}' => out.push(c),
            c if c.is_whitespace() || c.is_control() => out.push(' '),
            c => drop(write!(out, "[U+{:04X}]", u32::from(c))),
        }
    }
    out
}
