//! From tokens to the tree, by recursive descent. A statement that cannot be read is reported and left out, together with its line; the
//! block under it is still read, so that all problems of a file are found at once. Trees are kept so flat that walking them is safe.

use crate::ast::{
    Arg, BinOp, BoolOp, CmpOp, Comprehension, Expr, ExprKind, FunctionDef, Module, Name, Span, Stmt, StmtKind, UnaryOp,
};
use crate::lexer::{MOST_PROBLEMS, Tok, Token, lex, quoted};
use crate::source::Problem;

/// A file has so many bytes at most.
const LONGEST: usize = 1 << 20;
/// Expressions stand in each other so deep at most.
const DEPTH: u32 = 100;
/// Operators in a row, and blocks in each other (an `elif` stands in the one before), make a tree so high at most.
const HEIGHT: u32 = 200;

/// Reads a file: its tree, and all that is wrong with it, in the order of its lines. The tree is of use only if nothing is.
pub fn parse(text: &str) -> (Module, Vec<Problem>) {
    if text.len() > LONGEST {
        let top = Span { line: 1, column: 1, end_line: 1, end_column: 1 };
        let what = format!("the file has {} bytes", text.len());
        let nothing = Module { unread: vec![(1, u32::MAX)], ..Module::default() };
        return (nothing, vec![Problem::new(top, what, format!("at most {LONGEST} are read"))]);
    }
    let text = plain(text);
    let lexed = lex(&text);
    let (end, problems) = ((1, 1), Vec::new());
    let unread = lexed.unread;
    let mut parser = Parser { tokens: lexed.tokens, pos: 0, end, problems, unread, depth: 0, height: 0, level: 0 };
    let mut body = Vec::new();
    while *parser.tok() != Tok::End {
        parser.statements(Place::Module, &mut body);
        parser.eat_tok(&Tok::Dedent);
    }
    let mut problems = lexed.problems;
    problems.append(&mut parser.problems);
    problems.sort_by_key(|p| p.span);
    let mut unread = parser.unread;
    unread.extend(problems.iter().map(|problem| (problem.span.line, problem.span.end_line)));
    if problems.len() >= MOST_PROBLEMS {
        unread.push((1, u32::MAX));
    }
    problems.truncate(MOST_PROBLEMS);
    (Module { body, paper_lines: lexed.paper_lines, unread }, problems)
}

/// A text with the ends of lines that it has here, and nothing in front.
pub(crate) fn plain(text: &str) -> String {
    text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n").replace('\r', "\n")
}

/// What cannot be read has been reported.
struct Stop;
type Parse<T> = Result<T, Stop>;

/// What is around a statement.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Module,
    Class,
    Function,
}

struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    pos: usize,
    /// Where the last token ended.
    end: (u32, u32),
    problems: Vec<Problem>,
    /// Lines of statements that were left out.
    unread: Vec<(u32, u32)>,
    /// How many expressions are being read, one in the other.
    depth: u32,
    /// The height of the tree of the expression that is being read, so far.
    height: u32,
    /// The height of the statements around this one.
    level: u32,
}

/// Words that begin a statement of Python that is refused, and what to write instead.
const REFUSED: [(&str, &str); 18] = [
    ("while", "a loop over `range(...)` is"),
    ("try", "`require(...)` or `assert` refuses what must not be"),
    ("except", "`require(...)` or `assert` refuses what must not be"),
    ("finally", "`require(...)` or `assert` refuses what must not be"),
    ("raise", "`require(...)` or `assert` refuses what must not be"),
    ("with", ""),
    ("global", "a function takes what it needs as arguments and returns what it finds"),
    ("nonlocal", "a function takes what it needs as arguments and returns what it finds"),
    ("del", ""),
    ("break", "put what remains of the loop under an `if`, or `return` from a function"),
    ("continue", "put what remains of the loop under an `if`"),
    ("async", ""),
    ("await", ""),
    ("yield", "`return` gives a value"),
    ("lambda", "write a function with `def`"),
    ("as", ""),
    ("else", "no `if` stands before it, with the same indentation"),
    ("elif", "no `if` stands before it, with the same indentation"),
];

/// Words of other languages, or of newer Python, in front of a statement.
const FOREIGN: [(&str, &str); 12] = [
    ("match", "`if`, `elif` and `else` are"),
    ("case", "`if`, `elif` and `else` are"),
    ("switch", "`if`, `elif` and `else` are"),
    ("elsif", "it is written `elif`"),
    ("elseif", "it is written `elif`"),
    ("function", "a function begins with `def`"),
    ("fn", "a function begins with `def`"),
    ("func", "a function begins with `def`"),
    ("let", "write the assignment alone"),
    ("var", "write the assignment alone"),
    ("const", "write the assignment alone"),
    ("print", ""),
];

const IMPORT_HELP: &str = "a protocol is one file; only `from ringleader.notation import *` is known";
const EQUALS_HELP: &str = "did you mean `==`?";

impl<'a> Parser<'a> {
    fn tok(&self) -> &Tok<'a> {
        &self.tokens[self.pos].tok
    }

    /// The token after this one.
    fn next(&self) -> &Tok<'a> {
        &self.tokens[(self.pos + 1).min(self.tokens.len() - 1)].tok
    }

    fn span(&self) -> Span {
        self.tokens[self.pos].span
    }

    fn start(&self) -> (u32, u32) {
        (self.span().line, self.span().column)
    }

    /// From a place to the end of the last token.
    fn since(&self, (line, column): (u32, u32)) -> Span {
        Span { line, column, end_line: self.end.0, end_column: self.end.1 }
    }

    fn bump(&mut self) {
        if !matches!(self.tok(), Tok::Newline | Tok::Indent | Tok::Dedent | Tok::End) {
            self.end = (self.span().end_line, self.span().end_column);
        }
        self.pos = (self.pos + 1).min(self.tokens.len() - 1);
    }

    fn at(&self, op: &str) -> bool {
        matches!(self.tok(), Tok::Op(found) if *found == op)
    }

    fn eat(&mut self, op: &str) -> bool {
        let found = self.at(op);
        if found {
            self.bump();
        }
        found
    }

    fn eat_tok(&mut self, tok: &Tok<'_>) -> bool {
        let found = self.tok() == tok;
        if found {
            self.bump();
        }
        found
    }

    fn report(&mut self, span: Span, what: impl Into<String>, help: impl Into<String>) -> Stop {
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(Problem::new(span, what, help));
        } else {
            self.pos = self.tokens.len() - 1;
        }
        Stop
    }

    /// Reports this token, which something of Python begins that is not part of the notation.
    fn refuse(&mut self, what: &str, help: &str) -> Stop {
        self.report(self.span(), format!("{what} is not part of the notation"), help)
    }

    /// Reports this token, unless the lexer has.
    fn unexpected(&mut self, wanted: &str, help: &str) -> Stop {
        let found = match self.tok() {
            Tok::Bad => return Stop,
            Tok::Name(name) => quoted(name),
            Tok::Op(op) => format!("`{op}`"),
            Tok::Int(_) | Tok::Float(_) => "a number".to_string(),
            Tok::Str(_) => "a text".to_string(),
            Tok::Newline => "the end of the line".to_string(),
            Tok::Indent => "an indented line".to_string(),
            Tok::Dedent | Tok::End => "the end of the block".to_string(),
        };
        let help = if help.is_empty() && self.at("=") { EQUALS_HELP } else { help };
        self.report(self.span(), format!("expected {wanted}, found {found}"), help)
    }

    fn expect(&mut self, op: &str) -> Parse<()> {
        let found = self.eat(op);
        if found { Ok(()) } else { Err(self.unexpected(&format!("`{op}`"), "")) }
    }

    fn name(&mut self, wanted: &str) -> Parse<Name> {
        let Tok::Name(text) = *self.tok() else { return Err(self.unexpected(wanted, "")) };
        let name = Name { span: self.span(), text: text.to_string() };
        self.bump();
        Ok(name)
    }
}

/// Statements.
impl Parser<'_> {
    /// The statements to the end of the block.
    fn statements(&mut self, place: Place, out: &mut Vec<Stmt>) {
        while !matches!(self.tok(), Tok::Dedent | Tok::End) {
            self.statement(place, out);
        }
    }

    fn statement(&mut self, place: Place, out: &mut Vec<Stmt>) {
        let from = self.span().line;
        let goes_on = matches!(self.tok(), Tok::Op("if" | "for" | "while" | "try"));
        let inside = match self.tok() {
            Tok::Op("def" | "@") => Place::Function,
            Tok::Op("class") => Place::Class,
            _ => place,
        };
        let read = match self.tok() {
            Tok::Indent => {
                self.report(self.span(), "the line is indented, but nothing above it opens a block", "");
                self.bump();
                self.statements(place, out);
                self.eat_tok(&Tok::Dedent);
                return;
            }
            Tok::Op("if") => self.if_statement(place),
            Tok::Op("for") => self.for_statement(place),
            Tok::Op("def" | "@") => self.function(place),
            Tok::Op("class") => self.class(place),
            _ => {
                if self.simple_line(place, out).is_err() {
                    self.recover(inside, goes_on);
                    self.unread.push((from, self.end.0));
                }
                return;
            }
        };
        match read {
            Ok(statement) => out.push(statement),
            Err(Stop) => {
                self.recover(inside, goes_on);
                self.unread.push((from, self.end.0));
            }
        }
    }

    /// Leaves a statement that cannot be read, with its `else` if it may have one (`goes_on`); the blocks under it are read for their
    /// problems.
    fn recover(&mut self, inside: Place, mut goes_on: bool) {
        loop {
            self.skip_line();
            if self.eat_tok(&Tok::Indent) {
                self.statements(inside, &mut Vec::new());
                self.eat_tok(&Tok::Dedent);
                goes_on = true;
            }
            if !goes_on || !matches!(self.tok(), Tok::Op("elif" | "else" | "except" | "finally")) {
                return;
            }
        }
    }

    fn skip_line(&mut self) {
        while !matches!(self.tok(), Tok::Newline | Tok::Dedent | Tok::End) {
            self.bump();
        }
        self.eat_tok(&Tok::Newline);
    }

    /// `a; b` and the end of the line.
    fn simple_line(&mut self, place: Place, out: &mut Vec<Stmt>) -> Parse<()> {
        loop {
            let start = self.start();
            let kind = self.simple(place)?;
            out.push(Stmt { span: self.since(start), kind });
            let more = self.eat(";");
            if self.eat_tok(&Tok::Newline) {
                return Ok(());
            }
            if !more {
                return Err(self.unexpected("the end of the statement", ""));
            }
        }
    }

    fn simple(&mut self, place: Place) -> Parse<StmtKind> {
        let Tok::Op(word) = *self.tok() else { return self.expression_statement() };
        if let Some((_, help)) = REFUSED.iter().find(|r| r.0 == word) {
            return Err(self.refuse(&format!("`{word}`{}", if help.starts_with("no ") { " alone" } else { "" }), help));
        }
        match word {
            "return" => self.return_statement(place),
            "assert" => {
                self.bump();
                let test = self.condition()?;
                let message = if self.eat(",") { Some(self.expr()?) } else { None };
                Ok(StmtKind::Assert { test, message })
            }
            "pass" => {
                self.bump();
                Ok(StmtKind::Pass)
            }
            "import" => Err(self.refuse("`import`", IMPORT_HELP)),
            "from" => self.import(place),
            "if" | "for" | "def" | "class" => Err(self.unexpected("a statement of one line", "begin a new line")),
            _ => self.expression_statement(),
        }
    }

    fn return_statement(&mut self, place: Place) -> Parse<StmtKind> {
        if place != Place::Function {
            self.report(self.span(), "`return` outside a function", "");
        }
        self.bump();
        let alone = matches!(self.tok(), Tok::Newline | Tok::Op(";"));
        Ok(StmtKind::Return(if alone { None } else { Some(self.expressions()?) }))
    }

    fn import(&mut self, place: Place) -> Parse<StmtKind> {
        let start = self.start();
        self.bump();
        let mut module = self.name("the name of a module")?.text;
        while self.eat(".") {
            module.push('.');
            module.push_str(&self.name("the name of a module")?.text);
        }
        if module != "ringleader.notation" {
            let what = format!("{} cannot be imported", quoted(&module));
            let help = if module == "ppsim" {
                "of a notebook, copy the dictionary alone; it runs as it is"
            } else {
                IMPORT_HELP
            };
            return Err(self.report(self.since(start), what, help));
        }
        if place != Place::Module {
            self.report(self.since(start), "an import inside a function or class", "it stands at the top of the file");
        }
        self.expect("import")?;
        if self.eat("*") {
            return Ok(StmtKind::ImportFrom { module, names: vec!["*".to_string()] });
        }
        let bracket = self.eat("(");
        let mut names = vec![self.name("a name or `*`")?.text];
        while self.eat(",") && !(bracket && self.at(")")) {
            names.push(self.name("a name")?.text);
        }
        if bracket {
            self.expect(")")?;
        }
        if self.at("as") {
            return Err(self.refuse("`as`", "names are imported as they are"));
        }
        Ok(StmtKind::ImportFrom { module, names })
    }

    fn expression_statement(&mut self) -> Parse<StmtKind> {
        if let Tok::Name(word) = *self.tok()
            && matches!(self.next(), Tok::Name(_) | Tok::Int(_) | Tok::Str(_))
            && let Some((_, help)) = FOREIGN.iter().find(|f| f.0 == word)
        {
            return Err(self.refuse(&format!("`{word}`"), help));
        }
        let first = self.expressions()?;
        if let Tok::Op(op) = *self.tok()
            && let Some((op, _)) = op.strip_suffix('=').and_then(binary_operator)
        {
            self.assignable(&first, matches!(first.kind, ExprKind::Tuple(_)))?;
            self.bump();
            return Ok(StmtKind::AugAssign { target: first, op, value: self.expressions()? });
        }
        if self.at(":") {
            return self.annotated(first);
        }
        if !self.at("=") {
            self.has_effect(&first);
            return Ok(StmtKind::Expr(first));
        }
        let (mut targets, mut value) = (Vec::new(), first);
        while self.eat("=") {
            self.assignable(&value, false)?;
            targets.push(value);
            value = self.expressions()?;
        }
        Ok(StmtKind::Assign { targets, value })
    }

    fn annotated(&mut self, target: Expr) -> Parse<StmtKind> {
        if !matches!(target.kind, ExprKind::Name(_)) {
            return Err(self.report(target.span, "only a name may stand in front of `:`", "as in `name: domain`"));
        }
        self.bump();
        let annotation = self.expr()?;
        let value = if self.eat("=") { Some(self.expressions()?) } else { None };
        Ok(StmtKind::AnnAssign { target, annotation, value })
    }

    /// Reports a value that is computed and forgotten; what does not end the statement is reported elsewhere.
    fn has_effect(&mut self, expr: &Expr) {
        if !matches!(self.tok(), Tok::Newline | Tok::Op(";")) {
            return;
        }
        let help = match &expr.kind {
            ExprKind::Call { .. } | ExprKind::Str(_) => return,
            ExprKind::Compare { .. } => "an assignment is written with one `=`; `return` gives a value back",
            _ => "only calls and texts stand alone; `return` gives a value back",
        };
        self.report(expr.span, "the value is not used", help);
    }

    /// Whether a value may be assigned to this; to a tuple only if it is not `single`.
    fn assignable(&mut self, target: &Expr, single: bool) -> Parse<()> {
        match &target.kind {
            ExprKind::Name(_) | ExprKind::Attribute { .. } | ExprKind::Subscript { .. } => Ok(()),
            ExprKind::Tuple(parts) if !single => parts.iter().try_for_each(|part| self.assignable(part, false)),
            kind => {
                let help = if matches!(kind, ExprKind::Compare { .. }) { EQUALS_HELP } else { "" };
                Err(self.report(target.span, "nothing can be assigned to this", help))
            }
        }
    }

    fn if_statement(&mut self, place: Place) -> Parse<Stmt> {
        let level = self.level;
        let statement = self.branches(place);
        self.level = level;
        statement
    }

    fn branches(&mut self, place: Place) -> Parse<Stmt> {
        let (mut branches, mut orelse) = (Vec::new(), Vec::new());
        loop {
            let start = self.start();
            self.bump();
            let test = self.condition()?;
            branches.push((start, test, self.block(place)?));
            self.level += 1;
            if self.at("elif") {
                continue;
            }
            if self.eat("else") {
                if self.at("if") {
                    self.report(self.span(), "`else if` is not part of the notation", "it is written `elif`");
                    continue;
                }
                orelse = self.block(place)?;
            }
            break;
        }
        let nested = |orelse: Vec<Stmt>, (start, test, body)| {
            vec![Stmt { span: self.since(start), kind: StmtKind::If { test, body, orelse } }]
        };
        branches.into_iter().rev().fold(orelse, nested).pop().ok_or(Stop)
    }

    /// An expression after which `=` is a slip for `==`.
    fn condition(&mut self) -> Parse<Expr> {
        let test = self.expr()?;
        if self.at("=") {
            self.report(self.span(), "`=` in a condition", EQUALS_HELP);
            self.bump();
            self.expr()?;
        }
        Ok(test)
    }

    fn for_statement(&mut self, place: Place) -> Parse<Stmt> {
        let start = self.start();
        self.bump();
        let (target, iter) = self.loop_head(Self::expressions)?;
        let body = self.block(place)?;
        let span = self.since(start);
        if self.at("else") {
            return Err(self.refuse("`else` of a loop", "an `if` behind the loop is"));
        }
        Ok(Stmt { span, kind: StmtKind::For { target, iter, body } })
    }

    /// `target in iter`.
    fn loop_head(&mut self, iter: impl FnOnce(&mut Self) -> Parse<Expr>) -> Parse<(Expr, Expr)> {
        let target = self.commas(Self::postfix)?;
        self.assignable(&target, false)?;
        if !self.eat("in") {
            return Err(self.unexpected("`in`", "a loop is written `for x in range(...):`"));
        }
        Ok((target, iter(self)?))
    }

    /// `: statement` or `:` and a block.
    fn block(&mut self, place: Place) -> Parse<Vec<Stmt>> {
        let mut body = Vec::new();
        if self.level >= HEIGHT {
            let what = format!("a block in more than {HEIGHT} others");
            return Err(self.report(self.span(), what, "each `elif` counts as one in those before"));
        }
        if !self.eat(":") {
            let help = if self.at("{") { "a block is indented, not put in braces" } else { "" };
            let stop = self.unexpected("`:`", help);
            if *self.tok() != Tok::Newline || *self.next() != Tok::Indent {
                return Err(stop);
            }
        }
        if *self.tok() != Tok::Newline {
            if self.simple_line(place, &mut body).is_err() {
                let from = self.span().line;
                self.skip_line();
                self.unread.push((from, self.end.0));
            }
            return Ok(body);
        }
        self.bump();
        if !self.eat_tok(&Tok::Indent) {
            self.unexpected("an indented block", "a block that does nothing is `pass`");
            return Ok(body);
        }
        self.level += 1;
        self.statements(place, &mut body);
        self.eat_tok(&Tok::Dedent);
        self.level -= 1;
        Ok(body)
    }

    fn function(&mut self, place: Place) -> Parse<Stmt> {
        let mut decorators = Vec::new();
        while self.eat("@") {
            let decorator = self.expr()?;
            if !matches!(decorator.kind, ExprKind::Name(_)) {
                self.report(decorator.span, "what stands behind `@` is not a name", "as in `@start`");
            }
            decorators.push(decorator);
            if !self.eat_tok(&Tok::Newline) {
                return Err(self.unexpected("the end of the line", ""));
            }
        }
        if self.at("class") {
            self.report(self.span(), "`@` above a class", "only functions have a line with `@` above them");
            return self.class(place);
        }
        let start = self.start();
        if place != Place::Module && self.at("def") {
            self.report(self.span(), "a function in a function or class", "all functions stand at the left margin");
        }
        if !self.eat("def") {
            return Err(self.unexpected("`def`", "only a function has a line with `@` above it"));
        }
        let name = self.name("the name of the function")?;
        self.expect("(")?;
        let args = self.arguments()?;
        self.expect(")")?;
        if self.at("->") {
            self.refuse("`->`", "leave out what the function returns");
            self.bump();
            self.expr()?;
        }
        let body = self.block(Place::Function)?;
        let kind = StmtKind::FunctionDef(FunctionDef { name, args, body, decorators });
        Ok(Stmt { span: self.since(start), kind })
    }

    fn arguments(&mut self) -> Parse<Vec<Arg>> {
        let mut args = Vec::new();
        while !self.at(")") {
            if self.at("*") || self.at("**") {
                return Err(self.refuse("`*` in front of an argument", "name each argument"));
            }
            let name = self.name("the name of an argument")?;
            let annotation = if self.eat(":") { Some(self.expr()?) } else { None };
            if self.at("=") {
                self.refuse("a default argument", "give the value where the function is called");
                self.bump();
                self.expr()?;
            }
            args.push(Arg { name, annotation });
            if !self.eat(",") {
                break;
            }
        }
        Ok(args)
    }

    fn class(&mut self, place: Place) -> Parse<Stmt> {
        let start = self.start();
        if place != Place::Module {
            self.report(self.span(), "a class in a function or class", "`class Agent:` stands at the left margin");
        }
        self.bump();
        let name = self.name("the name of the class")?;
        if self.at("(") {
            self.refuse("a class built on others", "it is written `class Agent:`");
            self.bump();
            self.skip_to_close();
            self.bump();
        }
        let body = self.block(Place::Class)?;
        Ok(Stmt { span: self.since(start), kind: StmtKind::ClassDef { name, body } })
    }
}

/// Expressions.
impl Parser<'_> {
    fn made(&self, start: (u32, u32), kind: ExprKind) -> Expr {
        Expr { span: self.since(start), kind }
    }

    /// One more operator above what has been read.
    fn link(&mut self) -> Parse<()> {
        self.height += 1;
        if self.height <= HEIGHT {
            return Ok(());
        }
        let what = format!("more than {HEIGHT} operators in a row");
        Err(self.report(self.span(), what, "give a part of them a name"))
    }

    /// Reads what stands beside what has been read, not under it.
    fn beside<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        let height = std::mem::take(&mut self.height);
        let result = read(self);
        self.height = self.height.max(height);
        result
    }

    /// Reads something one level deeper.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= DEPTH {
            return Err(self.report(self.span(), format!("expressions are nested more than {DEPTH} deep"), ""));
        }
        self.depth += 1;
        let result = self.beside(|p| {
            let result = read(p);
            p.height += 1;
            result
        });
        self.depth -= 1;
        result
    }

    /// `a`, or a tuple without brackets.
    fn expressions(&mut self) -> Parse<Expr> {
        self.commas(Self::expr)
    }

    fn commas(&mut self, item: impl Fn(&mut Self) -> Parse<Expr>) -> Parse<Expr> {
        let start = self.start();
        let first = self.beside(&item)?;
        if !self.at(",") {
            return Ok(first);
        }
        let mut items = vec![first];
        while self.eat(",") && self.begins_expression() {
            items.push(self.beside(&item)?);
        }
        Ok(self.made(start, ExprKind::Tuple(items)))
    }

    /// Whether something follows a comma.
    fn begins_expression(&self) -> bool {
        match self.tok() {
            Tok::Newline => false,
            Tok::Op(op) => !(matches!(*op, ")" | "]" | "}" | ":" | ";" | "in") || op.ends_with('=')),
            _ => true,
        }
    }

    /// `a if c else b` and all that binds closer.
    fn expr(&mut self) -> Parse<Expr> {
        self.deeper(|p| {
            let start = p.start();
            let body = p.or_expr()?;
            if !p.eat("if") {
                return Ok(body);
            }
            let test = Box::new(p.beside(Self::or_expr)?);
            if !p.eat("else") {
                return Err(p.unexpected("`else`", "a choice is written `a if condition else b`"));
            }
            let orelse = Box::new(p.expr()?);
            Ok(p.made(start, ExprKind::IfExp { test, body: Box::new(body), orelse }))
        })
    }

    fn or_expr(&mut self) -> Parse<Expr> {
        self.joined("or", BoolOp::Or, |p| p.joined("and", BoolOp::And, Self::not_expr))
    }

    fn joined(&mut self, word: &str, op: BoolOp, item: impl Fn(&mut Self) -> Parse<Expr>) -> Parse<Expr> {
        let start = self.start();
        let first = item(self)?;
        if !self.at(word) {
            return Ok(first);
        }
        let mut values = vec![first];
        while self.eat(word) {
            values.push(self.beside(&item)?);
        }
        Ok(self.made(start, ExprKind::BoolOp { op, values }))
    }

    fn not_expr(&mut self) -> Parse<Expr> {
        if self.at("not") { self.prefixed(UnaryOp::Not, Self::not_expr) } else { self.comparison() }
    }

    fn prefixed(&mut self, op: UnaryOp, operand: impl FnOnce(&mut Self) -> Parse<Expr>) -> Parse<Expr> {
        let start = self.start();
        self.bump();
        let operand = Box::new(self.deeper(operand)?);
        Ok(self.made(start, ExprKind::UnaryOp { op, operand }))
    }

    fn comparison(&mut self) -> Parse<Expr> {
        let start = self.start();
        let left = self.binary(0)?;
        let mut rest = Vec::new();
        while let Some(op) = self.comparison_operator() {
            let right = self.beside(|p| p.binary(0))?;
            if matches!(op, CmpOp::Is | CmpOp::IsNot) && right.kind != ExprKind::None {
                let help = if op == CmpOp::Is { "write `==`" } else { "write `!=`" };
                self.report(right.span, "`is` compares with `None` only", help);
            }
            rest.push((op, right));
        }
        if rest.is_empty() {
            return Ok(left);
        }
        Ok(self.made(start, ExprKind::Compare { left: Box::new(left), rest }))
    }

    /// Goes over a comparison if there is one.
    fn comparison_operator(&mut self) -> Option<CmpOp> {
        let Tok::Op(op) = *self.tok() else { return None };
        let op = match op {
            "==" => CmpOp::Eq,
            "!=" => CmpOp::NotEq,
            "<" => CmpOp::Lt,
            "<=" => CmpOp::LtE,
            ">" => CmpOp::Gt,
            ">=" => CmpOp::GtE,
            "in" => CmpOp::In,
            "is" => CmpOp::Is,
            "not" if *self.next() == Tok::Op("in") => CmpOp::NotIn,
            _ => return None,
        };
        self.bump();
        match op {
            CmpOp::NotIn => self.bump(),
            CmpOp::Is if self.eat("not") => return Some(CmpOp::IsNot),
            _ => {}
        }
        Some(op)
    }

    /// Operators between numbers that bind at least so close.
    fn binary(&mut self, least: u8) -> Parse<Expr> {
        let start = self.start();
        let mut left = self.unary()?;
        while let Tok::Op(op) = *self.tok()
            && let Some((op, closeness)) = binary_operator(op)
            && closeness >= least
            && op != BinOp::Pow
        {
            self.bump();
            let right = Box::new(self.beside(|p| p.binary(closeness + 1))?);
            self.link()?;
            left = self.made(start, ExprKind::BinOp { left: Box::new(left), op, right });
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parse<Expr> {
        match self.tok() {
            Tok::Op("-") => self.prefixed(UnaryOp::USub, Self::unary),
            Tok::Op("+") => self.prefixed(UnaryOp::UAdd, Self::unary),
            _ => self.power(),
        }
    }

    fn power(&mut self) -> Parse<Expr> {
        let start = self.start();
        let left = self.postfix()?;
        if !self.eat("**") {
            return Ok(left);
        }
        let right = Box::new(self.deeper(Self::unary)?);
        self.link()?;
        Ok(self.made(start, ExprKind::BinOp { left: Box::new(left), op: BinOp::Pow, right }))
    }

    /// `a.b`, `a[b]`, `a(b)`.
    fn postfix(&mut self) -> Parse<Expr> {
        let start = self.start();
        let mut value = self.atom()?;
        loop {
            let kind = match self.tok() {
                Tok::Op(".") => {
                    self.bump();
                    ExprKind::Attribute { value: Box::new(value), attr: self.name("a name behind the point")? }
                }
                Tok::Op("[") => {
                    self.bump();
                    let index = Box::new(self.index()?);
                    self.expect("]")?;
                    ExprKind::Subscript { value: Box::new(value), index }
                }
                Tok::Op("(") => self.call(value)?,
                _ => return Ok(value),
            };
            self.link()?;
            value = self.made(start, kind);
        }
    }

    fn index(&mut self) -> Parse<Expr> {
        let index = if self.at(":") { None } else { Some(self.beside(Self::expressions)?) };
        match index {
            Some(index) if !self.at(":") => Ok(index),
            _ => {
                self.refuse("a slice", "an index is; a generator over a `range(...)` goes over several");
                Ok(self.skip_to_close())
            }
        }
    }

    /// `(a, b, k=c)` or `(a for ...)`.
    fn call(&mut self, func: Expr) -> Parse<ExprKind> {
        let (start, func) = (self.start(), Box::new(func));
        self.bump();
        let (mut args, mut keywords) = (Vec::new(), Vec::new());
        while !self.at(")") {
            if matches!(self.tok(), Tok::Name(_)) && *self.next() == Tok::Op("=") {
                let name = self.name("")?;
                self.bump();
                keywords.push((name, self.beside(Self::expr)?));
            } else {
                let place = self.span();
                args.push(self.beside(Self::expr)?);
                if self.at("for") && args.len() == 1 && keywords.is_empty() {
                    let element = args.remove(0);
                    let args = vec![self.generator(start, element)?];
                    return Ok(ExprKind::Call { func, args, keywords });
                }
                if !keywords.is_empty() {
                    self.report(place, "an argument without a name stands behind one with a name", "put it in front");
                }
            }
            if self.at("for") {
                return Err(self.unexpected("`,` or `)`", "a generator beside other arguments stands in brackets"));
            }
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(ExprKind::Call { func, args, keywords })
    }

    /// From the first `for` to the bracket that closes it.
    fn generator(&mut self, start: (u32, u32), element: Expr) -> Parse<Expr> {
        let mut clauses = Vec::new();
        while self.eat("for") {
            let (target, iter) = self.beside(|p| p.loop_head(Self::or_expr))?;
            let mut ifs = Vec::new();
            while self.eat("if") {
                ifs.push(self.beside(Self::or_expr)?);
            }
            clauses.push(Comprehension { target, iter, ifs });
        }
        self.expect(")")?;
        Ok(self.made(start, ExprKind::Generator { element: Box::new(element), clauses }))
    }

    fn atom(&mut self) -> Parse<Expr> {
        let start = self.start();
        let kind = match self.tok() {
            Tok::Op("(") => return self.group(),
            Tok::Op("{") => return self.braces(),
            Tok::Op("[") => {
                self.refuse("a list", "a tuple is: `(a, b)`, or `tuple(f(x) for x in ...)`");
                self.bump();
                let list = self.skip_to_close();
                self.bump();
                return Ok(list);
            }
            Tok::Str(_) => self.text(),
            Tok::Name(name) => {
                let (kind, name) = (ExprKind::Name(name.to_string()), *name);
                if let Some(right) =
                    [("true", "True"), ("false", "False"), ("null", "None")].iter().find(|w| w.0 == name)
                {
                    self.refuse(&format!("`{name}`"), &format!("it is written `{}`", right.1));
                }
                kind
            }
            Tok::Int(value) => ExprKind::Int(*value),
            Tok::Float(text) => ExprKind::Float(text.clone()),
            Tok::Op("True") => ExprKind::Bool(true),
            Tok::Op("False") => ExprKind::Bool(false),
            Tok::Op("None") => ExprKind::None,
            _ => return Err(self.no_expression()),
        };
        self.bump();
        Ok(self.made(start, kind))
    }

    /// Texts beside each other are one; the last is left to be gone over.
    fn text(&mut self) -> ExprKind {
        let mut text = String::new();
        while let Tok::Str(part) = self.tok() {
            text.push_str(part);
            if !matches!(self.next(), Tok::Str(_)) {
                break;
            }
            self.bump();
        }
        ExprKind::Str(text)
    }

    fn no_expression(&mut self) -> Stop {
        let before = |k: usize| self.pos.checked_sub(k).map(|k| &self.tokens[k].tok);
        if let (Some(Tok::Op(a @ ("+" | "-"))), Some(Tok::Op(b))) = (before(1), before(2))
            && a == b
        {
            let span = Span { end_column: self.end.1, ..self.tokens[self.pos - 2].span };
            return self.report(span, format!("`{a}{a}` is not part of the notation"), format!("`x {a}= 1` is"));
        }
        match *self.tok() {
            Tok::Op(op @ ("*" | "**")) => self.refuse(&format!("`{op}` in front of a value"), "name each value"),
            Tok::Op(op) => match REFUSED[..16].iter().find(|r| r.0 == op) {
                Some((_, help)) => self.refuse(&format!("`{op}`"), help),
                None => self.unexpected("an expression", ""),
            },
            _ => self.unexpected("an expression", ""),
        }
    }

    /// Goes to the bracket that closes this one; what stands there in the tree of a broken file is an empty name.
    fn skip_to_close(&mut self) -> Expr {
        let (start, mut open) = (self.start(), 0);
        loop {
            match self.tok() {
                Tok::Op("(" | "[" | "{") => open += 1,
                Tok::Op(")" | "]" | "}") if open == 0 => break,
                Tok::Op(")" | "]" | "}") => open -= 1,
                Tok::Newline | Tok::End => break,
                _ => {}
            }
            self.bump();
        }
        self.made(start, ExprKind::Name(String::new()))
    }

    /// `()`, `(a)`, `(a, b)`, `(a for ...)`.
    fn group(&mut self) -> Parse<Expr> {
        let start = self.start();
        self.bump();
        if self.eat(")") {
            return Ok(self.made(start, ExprKind::Tuple(Vec::new())));
        }
        let first = self.expr()?;
        if self.at("for") {
            return self.generator(start, first);
        }
        if !self.at(",") {
            self.expect(")")?;
            return Ok(first);
        }
        let items = self.items(first, Self::expr, ")")?;
        Ok(self.made(start, ExprKind::Tuple(items)))
    }

    /// What follows a first item, and the bracket.
    fn items<T>(&mut self, first: T, item: impl Fn(&mut Self) -> Parse<T>, close: &str) -> Parse<Vec<T>> {
        let mut items = vec![first];
        while self.eat(",") && !self.at(close) {
            items.push(self.beside(&item)?);
        }
        if close == "}" && self.at(":") {
            return Err(self.unexpected("`,` or `}`", "a comma stands between two pairs of a table"));
        }
        self.expect(close)?;
        Ok(items)
    }

    /// A set or a table.
    fn braces(&mut self) -> Parse<Expr> {
        let start = self.start();
        self.bump();
        if self.eat("}") {
            return Ok(self.made(start, ExprKind::Dict(Vec::new())));
        }
        let first = self.beside(Self::expr)?;
        let value = if self.eat(":") { Some(self.beside(Self::expr)?) } else { None };
        if self.at("for") {
            self.refuse(
                "a set or a table made by `for`",
                "write its items, or make a tuple: `tuple(f(x) for x in ...)`",
            );
            let broken = self.skip_to_close();
            self.bump();
            return Ok(broken);
        }
        let kind = match value {
            None => ExprKind::Set(self.items(first, Self::expr, "}")?),
            Some(value) => ExprKind::Dict(self.items((first, value), Self::entry, "}")?),
        };
        Ok(self.made(start, kind))
    }

    /// `a: b` of a table.
    fn entry(&mut self) -> Parse<(Expr, Expr)> {
        let key = self.expr()?;
        self.expect(":")?;
        Ok((key, self.expr()?))
    }
}

/// An operator between numbers, and how close it binds.
fn binary_operator(op: &str) -> Option<(BinOp, u8)> {
    Some(match op {
        "|" => (BinOp::BitOr, 0),
        "+" => (BinOp::Add, 1),
        "-" => (BinOp::Sub, 1),
        "*" => (BinOp::Mult, 2),
        "//" => (BinOp::FloorDiv, 2),
        "%" => (BinOp::Mod, 2),
        "**" => (BinOp::Pow, 3),
        _ => return None,
    })
}
