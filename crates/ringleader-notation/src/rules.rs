//! Rule tables as in ppsim, `{("A", "B"): ("C", "D"), ...}`: read, completed, and written as an `interact` of the notation, so that
//! whatever runs functions runs tables.

use std::collections::BTreeMap;

use crate::ast::{self, BinOp, CmpOp, Span, UnaryOp};
use crate::source::Problem;
use crate::tree::{
    DomainExpr, DomainKind, Expr, ExprKind, Extra, Function, Stmt, StmtKind, Target, TargetKind, Value, VariableDecl,
};

/// A state of a table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Label {
    /// A name in quotes.
    Name(String),
    /// A number.
    Int(i64),
}

/// What a pair does that is not listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Otherwise {
    /// What the pair in the other order does.
    Mirrored,
    /// Nothing.
    Unchanged,
    /// What this function does.
    Function(usize),
}

type Pair = (usize, usize);

/// A rule: a pair, and the pairs that it becomes, each with its weight of [`Rules::sides`].
struct Rule {
    span: Span,
    pair: Pair,
    outcomes: Vec<(Pair, u64)>,
}

/// A table of rules.
pub(crate) struct Rules {
    /// The states, in order.
    pub(crate) states: Vec<Label>,
    rules: Vec<Rule>,
    /// How many sides the coin has, 1 if none is needed.
    sides: u64,
}

/// At most so many sides has the coin of a table.
const MAX_SIDES: u64 = 1 << 20;
/// At most so many states.
const MAX_STATES: usize = 4096;

/// A fraction that is exact.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Fraction(i128, i128);

/// Constants that are numbers a table may have for probabilities, by name.
pub(crate) type Fractions = BTreeMap<String, Fraction>;

impl Fraction {
    fn new(over: i128, under: i128) -> Self {
        let divisor = gcd(over.unsigned_abs(), under.unsigned_abs()).max(1) as i128;
        Self(over / divisor, under / divisor)
    }

    fn checked(over: Option<i128>, under: Option<i128>) -> Option<Self> {
        let (over, under) = (over?, under?);
        (under != 0 && over.abs() < 1 << 60 && under.abs() < 1 << 60).then(|| Self::new(over, under))
    }
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Reads a table; constants stand for the literals that they were given.
pub(crate) fn read(
    table: &ast::Expr,
    states: Option<&ast::Expr>,
    literals: &BTreeMap<String, ast::Expr>,
    fractions: &Fractions,
) -> Result<Rules, Vec<Problem>> {
    let ast::ExprKind::Dict(items) = &table.kind else { return Err(Vec::new()) };
    let (states_read, numbers, problems) = (Vec::new(), BTreeMap::new(), Vec::new());
    let mut reader = Reader { literals, fractions, states: states_read, numbers, problems };
    match states.map(|states| (&states.kind, states.span)) {
        Some((ast::ExprKind::Tuple(items), _)) => {
            for item in items {
                reader.state(item);
            }
        }
        Some((_, span)) => reader.wrong(span, "`states` is a tuple", "write `states = (\"A\", \"B\")`"),
        None => {}
    }
    let mut read = Vec::new();
    for (key, value) in items {
        let pair = reader.pair(key);
        let outcomes = reader.outcomes(value);
        if let (Some(pair), Some(outcomes)) = (pair, outcomes) {
            read.push((key.span, pair, outcomes));
        }
    }
    reader.finish(read, table.span)
}

struct Reader<'a> {
    literals: &'a BTreeMap<String, ast::Expr>,
    fractions: &'a Fractions,
    states: Vec<Label>,
    numbers: BTreeMap<Label, usize>,
    problems: Vec<Problem>,
}

type Read = (Span, Pair, Vec<(Pair, Fraction)>);

impl<'a> Reader<'a> {
    fn wrong(&mut self, span: Span, what: impl Into<String>, help: impl Into<String>) {
        self.problems.push(Problem::new(span, what, help));
    }

    /// What a constant stands for.
    fn literal<'e>(&self, expr: &'e ast::Expr) -> &'e ast::Expr
    where
        'a: 'e,
    {
        match &expr.kind {
            ast::ExprKind::Name(name) => self.literals.get(name).unwrap_or(expr),
            _ => expr,
        }
    }

    fn state(&mut self, expr: &ast::Expr) -> Option<usize> {
        let label = match &self.literal(expr).kind {
            ast::ExprKind::Str(name) => Label::Name(name.clone()),
            ast::ExprKind::Int(value) => Label::Int(*value),
            ast::ExprKind::UnaryOp { op: UnaryOp::USub, operand } => match operand.kind {
                ast::ExprKind::Int(value) => Label::Int(-value),
                _ => return self.no_state(expr),
            },
            _ => return self.no_state(expr),
        };
        let next = self.states.len();
        let number = *self.numbers.entry(label.clone()).or_insert(next);
        if number == next {
            self.states.push(label);
        }
        Some(number)
    }

    fn no_state(&mut self, expr: &ast::Expr) -> Option<usize> {
        let help = "a state of a rule table is a name in quotes, a number, or a constant that is one";
        let help = match &expr.kind {
            ast::ExprKind::Name(name) => format!("{help}; did you mean \"{name}\"?"),
            _ => help.to_owned(),
        };
        self.wrong(expr.span, "this is no state", help);
        None
    }

    fn pair(&mut self, expr: &ast::Expr) -> Option<Pair> {
        match &expr.kind {
            ast::ExprKind::Tuple(items) if items.len() == 2 => {
                let (left, right) = (self.state(&items[0]), self.state(&items[1]));
                Some((left?, right?))
            }
            _ => {
                self.wrong(expr.span, "this is no pair of states", "a rule is `(\"A\", \"B\"): (\"C\", \"D\")`");
                None
            }
        }
    }

    fn outcomes(&mut self, value: &ast::Expr) -> Option<Vec<(Pair, Fraction)>> {
        let ast::ExprKind::Dict(items) = &value.kind else {
            return Some(vec![(self.pair(value)?, Fraction(1, 1))]);
        };
        let mut outcomes = Vec::new();
        for (pair, chance) in items {
            let pair = self.pair(pair);
            let fraction = fraction(chance, self.fractions).filter(|chance| chance.0 >= 0 && chance.0 <= chance.1);
            if fraction.is_none() {
                self.wrong(chance.span, "this is no probability", "a number from 0 to 1 such as 0.25");
            }
            outcomes.push(pair.zip(fraction));
        }
        let outcomes = outcomes.into_iter().collect::<Option<Vec<_>>>()?;
        let sum = outcomes.iter().try_fold(Fraction(0, 1), |sum, (_, chance)| add(Some(sum), Some(*chance)));
        if sum.is_none_or(|sum| sum.0 > sum.1) {
            self.wrong(
                value.span,
                "these probabilities are more than 1 together",
                "what is missing to 1 changes nothing",
            );
            return None;
        }
        Some(outcomes)
    }

    fn finish(mut self, read: Vec<Read>, span: Span) -> Result<Rules, Vec<Problem>> {
        let mut seen = BTreeMap::new();
        for (place, pair, _) in &read {
            if seen.insert(*pair, ()).is_some() {
                self.wrong(*place, "this pair has a rule already", "Python would take the last one; leave one of them");
            }
        }
        let numbers = self.states.iter().filter(|label| matches!(label, Label::Int(_))).count();
        if numbers != 0 && numbers != self.states.len() {
            self.wrong(span, "some states are names, some are numbers", "all must be names in quotes, or all numbers");
        }
        if self.states.is_empty() && self.problems.is_empty() {
            self.wrong(span, "a table without rules has no states", "a rule is `(\"A\", \"B\"): (\"C\", \"D\")`");
        } else if self.states.len() > MAX_STATES {
            self.wrong(span, format!("{} states", self.states.len()), format!("a rule table has at most {MAX_STATES}"));
        }
        let sides = read.iter().flat_map(|(_, _, outcomes)| outcomes).try_fold(1_u128, |sides, (_, chance)| {
            let under = chance.1.unsigned_abs();
            Some(sides / gcd(sides, under) * under).filter(|sides| *sides <= u128::from(MAX_SIDES))
        });
        let Some(sides) = sides else {
            self.wrong(
                span,
                "these probabilities need too fine a coin",
                format!("with a common denominator of at most {MAX_SIDES}"),
            );
            return Err(self.problems);
        };
        if !self.problems.is_empty() {
            return Err(self.problems);
        }
        let weight = |chance: Fraction| (chance.0.unsigned_abs() * (sides / chance.1.unsigned_abs())) as u64;
        let rule = |(span, pair, outcomes): Read| {
            let outcomes = outcomes.into_iter().map(|(pair, chance)| (pair, weight(chance))).collect();
            Rule { span, pair, outcomes }
        };
        Ok(Rules { states: self.states, rules: read.into_iter().map(rule).collect(), sides: sides as u64 })
    }
}

/// A decimal number, a constant that is one, or a sum, difference or product of such, exactly.
pub(crate) fn fraction(expr: &ast::Expr, known: &Fractions) -> Option<Fraction> {
    match &expr.kind {
        ast::ExprKind::Name(name) => known.get(name).copied(),
        ast::ExprKind::Int(value) => Some(Fraction((*value).into(), 1)),
        ast::ExprKind::Float(text) => decimal(text),
        ast::ExprKind::BinOp { left, op, right } => {
            let (left, right) = (fraction(left, known)?, fraction(right, known)?);
            match op {
                BinOp::Add => add(Some(left), Some(right)),
                BinOp::Sub => add(Some(left), Some(Fraction(-right.0, right.1))),
                BinOp::Mult => Fraction::checked(left.0.checked_mul(right.0), left.1.checked_mul(right.1)),
                _ => None,
            }
        }
        _ => None,
    }
}

fn add(a: Option<Fraction>, b: Option<Fraction>) -> Option<Fraction> {
    let (a, b) = (a?, b?);
    Fraction::checked(a.0.checked_mul(b.1)?.checked_add(b.0.checked_mul(a.1)?), a.1.checked_mul(b.1))
}

/// `0.25`, `1e-3`, exactly.
fn decimal(text: &str) -> Option<Fraction> {
    let text: String = text.chars().filter(|c| *c != '_').collect::<String>().to_lowercase();
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: i128 = format!("0{whole}{part}").parse().ok()?;
    let shift = exponent.parse::<i32>().ok()? - i32::try_from(part.len()).ok()?;
    let power = 10_i128.checked_pow(shift.unsigned_abs())?;
    if shift >= 0 {
        Fraction::checked(digits.checked_mul(power), Some(1))
    } else {
        Fraction::checked(Some(digits), Some(power))
    }
}

/// What a table is in the notation.
pub(crate) struct Translated {
    pub(crate) variable: VariableDecl,
    pub(crate) interact: Function,
    pub(crate) extras: Vec<Extra>,
}

/// Writes a table as a function: one test for each state of the initiator, in it one for each state of the responder.
pub(crate) fn translate(
    rules: &Rules,
    otherwise: Otherwise,
    span: Span,
    name: Span,
    number: &mut dyn FnMut(&str) -> usize,
) -> Translated {
    let values: Vec<Value> = rules
        .states
        .iter()
        .map(|label| match label {
            Label::Name(name) => Value::Name(number(name)),
            Label::Int(value) => Value::Int(*value),
        })
        .collect();
    let writer = Writer { values: &values, sides: rules.sides };
    let domain = DomainKind::Set(values.iter().map(|value| constant(span, value.clone())).collect());
    let variable = VariableDecl {
        name: "state".to_owned(),
        span: name,
        domain: DomainExpr { span, kind: domain },
        given: false,
        zero: None,
    };
    let mut extras = Vec::new();
    let mut locals = vec!["l".to_owned(), "r".to_owned()];
    if rules.sides > 1 {
        let (low, high) = (constant(span, Value::Int(0)), constant(span, Value::Int(rules.sides as i64 - 1)));
        extras.push(Extra::Coin(DomainExpr { span, kind: DomainKind::Span(low, high) }));
        locals.push("coin".to_owned());
    }
    let mut body = writer.tests(&completed(rules, otherwise));
    if let Otherwise::Function(function) = otherwise {
        let kind = ExprKind::Call(function, vec![local(span, 0), local(span, 1)]);
        body.push(Stmt { span: name, kind: StmtKind::Do(Expr { span, kind }) });
    }
    let about = String::new();
    let interact = Function { name: "interact".to_owned(), span: name, about, args: locals.len(), locals, body };
    Translated { variable, interact, extras }
}

/// By states of initiator and responder: where the rule stands, and what the pair becomes.
type Table = BTreeMap<usize, BTreeMap<usize, (Span, Vec<(Pair, u64)>)>>;

/// By state of the initiator, the rules for states of the responder; with those that are mirrored.
fn completed(rules: &Rules, otherwise: Otherwise) -> Table {
    let mut table: Table = BTreeMap::new();
    for rule in &rules.rules {
        table.entry(rule.pair.0).or_default().insert(rule.pair.1, (rule.span, rule.outcomes.clone()));
    }
    if otherwise == Otherwise::Mirrored {
        for rule in &rules.rules {
            let mirror = |((left, right), weight): &(Pair, u64)| ((*right, *left), *weight);
            let row = table.entry(rule.pair.1).or_default();
            row.entry(rule.pair.0).or_insert_with(|| (rule.span, rule.outcomes.iter().map(mirror).collect()));
        }
    }
    table
}

struct Writer<'a> {
    values: &'a [Value],
    sides: u64,
}

impl Writer<'_> {
    fn tests(&self, table: &Table) -> Vec<Stmt> {
        let mut body = Vec::new();
        for (left, row) in table {
            let span = row.values().next().map_or(Span::default(), |(span, _)| *span);
            let inner = row.iter().map(|(right, (span, outcomes))| self.rule(*span, *right, outcomes)).collect();
            let kind = StmtKind::If(self.is(span, 0, *left), inner, Vec::new());
            body.push(Stmt { span, kind });
        }
        body
    }

    /// `if r.state == right: ...; return`.
    fn rule(&self, span: Span, right: usize, outcomes: &[(Pair, u64)]) -> Stmt {
        let none = StmtKind::Return(constant(span, Value::None));
        let mut body = self.outcomes(span, outcomes);
        body.push(Stmt { span, kind: none });
        Stmt { span, kind: StmtKind::If(self.is(span, 1, right), body, Vec::new()) }
    }

    fn outcomes(&self, span: Span, outcomes: &[(Pair, u64)]) -> Vec<Stmt> {
        // A rule that is certain draws no coin.
        if let [(pair, weight)] = outcomes
            && *weight == self.sides
        {
            return vec![self.become_pair(span, *pair)];
        }
        let mut below = 0;
        let mut body = Vec::new();
        for (pair, weight) in outcomes {
            below += *weight as i64;
            let kind =
                ExprKind::Compare(Box::new(local(span, 2)), vec![(CmpOp::Lt, constant(span, Value::Int(below)))]);
            let done = Stmt { span, kind: StmtKind::Return(constant(span, Value::None)) };
            let taken = vec![self.become_pair(span, *pair), done];
            body.push(Stmt { span, kind: StmtKind::If(Expr { span, kind }, taken, Vec::new()) });
        }
        body
    }

    fn become_pair(&self, span: Span, (left, right): Pair) -> Stmt {
        let target = |agent| Target { span, kind: TargetKind::Field(local(span, agent), 0) };
        let targets = vec![Target { span, kind: TargetKind::Tuple(vec![target(0), target(1)]) }];
        let values = [left, right].map(|state| constant(span, self.values[state].clone()));
        Stmt { span, kind: StmtKind::Assign(targets, Expr { span, kind: ExprKind::Tuple(values.into()) }) }
    }

    fn is(&self, span: Span, agent: usize, state: usize) -> Expr {
        let field = Expr { span, kind: ExprKind::Field(Box::new(local(span, agent)), 0) };
        let value = constant(span, self.values[state].clone());
        Expr { span, kind: ExprKind::Compare(Box::new(field), vec![(CmpOp::Eq, value)]) }
    }
}

fn constant(span: Span, value: Value) -> Expr {
    Expr { span, kind: ExprKind::Const(value) }
}

fn local(span: Span, number: usize) -> Expr {
    Expr { span, kind: ExprKind::Local(number) }
}
