//! How a setting is made: globals first, then domains. Whatever is wrong is noted and what depends on it left out, so that all is told.

use std::cell::Cell as Counter;
use std::collections::BTreeSet;

use ringleader::error::Error;
use ringleader::params::Params;

use super::{Cell, Field, Layout, Refused, Setting, Slot};
use crate::ast::Span;
use crate::eval::{Agents, Evaluator, Fault, Patience, Result, TOO_LONG, fault, show, truth};
use crate::lexer::MOST_PROBLEMS;
use crate::program::{Pattern, Program, Setup};
use crate::source::Problem;
use crate::tree::{DomainExpr, DomainKind, Expr, ExprKind, Extra, N, Value, VariableDecl};

/// A file with n and these parameters.
pub(super) fn make(
    program: &Program,
    n: usize,
    params: &Params,
    patience: &Patience,
) -> std::result::Result<Setting, Refused> {
    let mut maker = Maker::new(program, n, patience, None);
    maker.setup(params)?;
    maker.finish(n)
}

/// What is known to be wrong with a file of which not all names are resolved.
pub(crate) struct Doubtful<'a> {
    /// Where something is wrong.
    pub(crate) problems: &'a [Problem],
    /// Where `None` is written: elsewhere it stands for what could not be resolved.
    pub(crate) nones: &'a BTreeSet<Span>,
}

impl Doubtful<'_> {
    fn doubts(&self, expr: &Expr) -> bool {
        let inside = |problem: &Problem| (expr.span.line..=expr.span.end_line).contains(&problem.span.line);
        let mut unresolved = false;
        expr.visit(&mut |part| {
            unresolved |= matches!(part.kind, ExprKind::Const(Value::None)) && !self.nones.contains(&part.span);
        });
        unresolved || self.problems.iter().any(inside)
    }
}

/// Rings on which a file is looked at before it meets one.
const TRIED: [usize; 2] = [5, 64];

/// What is wrong with the constants and domains of a file that cannot be used as it is, on whatever ring.
pub(crate) fn mistakes(program: &Program, doubtful: &Doubtful<'_>) -> Vec<Problem> {
    let faults = TRIED.map(|n| {
        let patience = Patience::default();
        let mut maker = Maker::new(program, n, &patience, Some(doubtful));
        let made = maker.setup(&Params::default()).and_then(|()| maker.finish(n).map(drop));
        match made {
            Err(Refused::Text(Fault { span, what, help, also })) => {
                let mut all = also;
                all.push(Fault::new(span, what, help));
                all
            }
            _ => Vec::new(),
        }
    });
    let [some, others] = faults;
    let both = some.into_iter().filter(|fault| others.contains(fault));
    both.map(|fault| Problem::new(fault.span, fault.what, fault.help)).collect()
}

/// The bits of a state that are taken.
#[derive(Default)]
struct Room {
    taken: [u32; 2],
    /// Whether something had no room.
    full: bool,
}

impl Room {
    /// A slot for these values, in the first word that has room.
    fn slot(&mut self, values: Values, span: Span) -> Result<Slot> {
        let Values { ranges, names } = values;
        let low = ranges.iter().map(|range| range.0).min().unwrap_or(0);
        let high = ranges.iter().map(|range| range.1).max().unwrap_or(0);
        let bits = u64::BITS - ((high - low) as u64).leading_zeros();
        let Some(word) = (0..2).find(|word| self.taken[*word] + bits <= u64::BITS) else {
            let what = if self.full { FOLLOWS } else { "the variables of an agent do not fit into 128 bits" };
            self.full = true;
            return fault(span, what);
        };
        let shift = self.taken[word];
        self.taken[word] += bits;
        let mask = if bits == 0 { 0 } else { u64::MAX >> (u64::BITS - bits) };
        // A slot without bits may stand anywhere.
        let shift = shift.min(u64::BITS - 1);
        let zero = ranges.first().map_or(0, |range| range.0);
        Ok(Slot { word, shift, mask, ranges, low, high, zero, names })
    }
}

/// The values of a scalar domain.
struct Values {
    ranges: Vec<(i64, i64)>,
    names: bool,
}

/// So many expressions may all constants, parameters and domains of a file take.
const DECLARATIONS: u64 = 1 << 22;
/// What is said of whatever follows from something that has been said: nothing.
const FOLLOWS: &str = "";
/// At most so many values has a variable, and so many elements an array.
const MAX_VALUES: u64 = 1 << 32;
const MAX_ELEMENTS: i64 = 128;

/// What is computed from n and parameters: globals first, then domains.
struct Maker<'a> {
    program: &'a Program,
    globals: Vec<Value>,
    /// The globals of which the value is not known, since something went wrong.
    unknown: Vec<bool>,
    room: Room,
    patience: &'a Patience,
    /// How many expressions are left.
    left: Counter<u64>,
    /// What went wrong so far.
    faults: Vec<Fault>,
    /// What is wrong with the file already.
    doubtful: Option<&'a Doubtful<'a>>,
}

impl<'a> Maker<'a> {
    fn new(program: &'a Program, n: usize, patience: &'a Patience, doubtful: Option<&'a Doubtful<'a>>) -> Self {
        let count = program.globals.len();
        let (room, left, faults) = (Room::default(), Counter::new(DECLARATIONS), Vec::new());
        let (globals, unknown) = (vec![Value::None; count], vec![true; count]);
        let mut maker = Self { program, globals, unknown, room, patience, left, faults, doubtful };
        maker.put(N, Some(Value::Int(n as i64)));
        maker
    }

    /// The values of globals; what goes wrong is noted, and what depends on it is left out.
    fn setup(&mut self, params: &Params) -> std::result::Result<(), Refused> {
        for setup in &self.program.setup {
            match setup {
                Setup::Constant(pattern, expr) => {
                    let bound = self.value(expr).and_then(|value| self.bind(pattern, &value, expr.span));
                    if self.noted(bound).is_none() {
                        self.unbound(pattern);
                    }
                }
                Setup::Parameter(global, default) => {
                    let value = match params.get(&self.program.globals[*global]) {
                        Some(given) => self.given(*global, given)?,
                        None => self.default(*global, default),
                    };
                    self.put(*global, value.map(Value::Int));
                }
                Setup::Require(test, message) => {
                    let value = self.value(test);
                    // What comes after a condition may rely on it.
                    if self.noted(value).is_some_and(|value| !truth(&value)) {
                        return Err(self.refused().unwrap_or_else(|| Refused::Ring(self.broken(test, message))));
                    }
                }
            }
        }
        Ok(())
    }

    /// The value of a parameter that was given.
    fn given(&self, global: usize, given: u64) -> std::result::Result<Option<i64>, Refused> {
        let name = &self.program.globals[global];
        let value = i64::try_from(given);
        value.map(Some).map_err(|_| Refused::Ring(Error::new(name, given, "allowed is a number below 2^63")))
    }

    fn default(&mut self, global: usize, default: &Expr) -> Option<i64> {
        let value = self.int(default).and_then(|value| match value {
            0.. => Ok(value),
            _ => {
                let name = &self.program.globals[global];
                fault(default.span, format!("{name} = {value}: a parameter is not negative"))
            }
        });
        self.noted(value)
    }

    /// What is right; what is wrong is noted.
    fn noted<T>(&mut self, value: Result<T>) -> Option<T> {
        match value {
            Ok(value) => Some(value),
            Err(fault) => {
                if fault.what != FOLLOWS && self.faults.len() < MOST_PROBLEMS {
                    self.faults.push(*fault);
                }
                None
            }
        }
    }

    /// All that was noted, if anything was.
    fn refused(&mut self) -> Option<Refused> {
        Fault::several(std::mem::take(&mut self.faults)).map(Refused::Text)
    }

    /// The error of a condition that does not hold: it names what the condition speaks of.
    fn broken(&self, test: &Expr, message: &str) -> Error {
        let words = if message.is_empty() { self.program.words(test.span) } else { message.to_owned() };
        let mut globals = Vec::new();
        globals_in(test, &mut globals);
        let is_parameter = |global: &&usize| {
            self.program.setup.iter().any(|setup| matches!(setup, Setup::Parameter(known, _) if known == *global))
        };
        let named = globals.iter().rev().find(is_parameter).copied().unwrap_or(0);
        let value = show(&self.globals[named], &self.program.names);
        let others: Vec<String> = globals
            .iter()
            .filter(|global| **global != named)
            .map(|global| {
                format!("{} = {}", self.program.globals[*global], show(&self.globals[*global], &self.program.names))
            })
            .collect();
        let others = if others.is_empty() { String::new() } else { format!(" ({})", others.join(", ")) };
        Error::new(&self.program.globals[named], value, format!("{words}{others}"))
    }

    fn value(&self, expr: &Expr) -> Result<Value> {
        let mut follows = self.doubtful.is_some_and(|doubtful| doubtful.doubts(expr));
        expr.visit(&mut |part| follows |= matches!(part.kind, ExprKind::Global(global) if self.unknown[global]));
        let (layout, given) = (Layout::default(), Patience::default());
        let granted = self.left.get().min(self.patience.left());
        let told = self.faults.iter().any(|fault| fault.what == TOO_LONG);
        if follows || granted == 0 && told {
            return fault(expr.span, FOLLOWS);
        }
        given.allow(granted);
        let value = Evaluator::new(self.program, &self.globals, &layout, Agents::Seen(&[]))
            .within(&given)
            .expr(expr, &mut vec![None; self.program.locals]);
        let spent = granted - given.left();
        self.patience.spend(spent);
        self.left.set(self.left.get() - spent);
        value.map_err(|fault| match fault.what.as_str() {
            TOO_LONG => Box::new(Fault {
                help: format!("a file evaluates {DECLARATIONS} expressions at most before it runs"),
                ..*fault
            }),
            _ => fault,
        })
    }

    fn int(&self, expr: &Expr) -> Result<i64> {
        match self.value(expr)? {
            Value::Int(value) => Ok(value),
            Value::Bool(value) => Ok(i64::from(value)),
            other => fault(expr.span, format!("{} is no number", show(&other, &self.program.names))),
        }
    }

    /// Gives a global its value, or what stands for one that is not known.
    fn put(&mut self, global: usize, value: Option<Value>) {
        self.unknown[global] = value.is_none();
        self.globals[global] = value.unwrap_or(Value::None);
    }

    fn unbound(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::One(global) => self.put(*global, None),
            Pattern::Tuple(patterns) => patterns.iter().for_each(|pattern| self.unbound(pattern)),
        }
    }

    fn bind(&mut self, pattern: &Pattern, value: &Value, span: Span) -> Result<()> {
        match (pattern, value) {
            (Pattern::One(global), value) => {
                self.put(*global, Some(value.clone()));
                Ok(())
            }
            (Pattern::Tuple(patterns), Value::Tuple(values)) if patterns.len() == values.len() => {
                patterns.iter().zip(values.iter()).try_for_each(|(pattern, value)| self.bind(pattern, value, span))
            }
            (Pattern::Tuple(patterns), other) => {
                let shown = show(other, &self.program.names);
                fault(span, format!("{shown} is no tuple of {}", patterns.len()))
            }
        }
    }

    fn finish(mut self, n: usize) -> std::result::Result<Setting, Refused> {
        let mut fields = Vec::new();
        for variable in &self.program.variables {
            let field = self.field(variable);
            fields.extend(self.noted(field));
        }
        let named = self.differ(&fields);
        self.noted(named);
        let (coins, oracle) = self.extras();
        let limit = self.program.limit.as_ref().and_then(|limit| {
            let steps = self.int(limit).and_then(|steps| match steps {
                1.. => Ok(steps as u64),
                _ => fault(limit.span, "a limit is a number of steps, at least 1"),
            });
            self.noted(steps)
        });
        if let Some(refused) = self.refused() {
            return Err(refused);
        }
        let patience = self.patience.clone();
        Ok(Setting { n, globals: self.globals, layout: Layout { fields }, coins, oracle, limit, patience })
    }

    /// The names under which variables are shown must differ.
    fn differ(&self, fields: &[Field]) -> Result<()> {
        let mut names: Vec<&str> =
            fields.iter().flat_map(|field| field.cells.iter().map(|(name, _)| name.as_str())).collect();
        names.sort_unstable();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            None => Ok(()),
            Some(pair) => {
                let shows = |field: &&Field| field.cells.iter().any(|(name, _)| name == pair[0]);
                let last = fields.iter().rfind(shows).map_or("", |field| field.name.as_str());
                let span = self.program.variables.iter().find(|variable| variable.name == last).map(|last| last.span);
                fault(span.unwrap_or_default(), format!("two variables are called `{}`", pair[0]))
            }
        }
    }

    /// The coins, and the delay of the oracle.
    fn extras(&mut self) -> (Vec<Slot>, Option<u64>) {
        let (mut coins, mut oracle, mut sides) = (Vec::new(), None, 1_u64);
        for extra in &self.program.extras {
            match extra {
                Extra::Coin(domain) => {
                    let slot = self.coin(domain, &mut sides);
                    coins.extend(self.noted(slot));
                }
                Extra::Oracle(None) => oracle = Some(0),
                Extra::Oracle(Some(delay)) => {
                    let steps = self.int(delay);
                    oracle = self.noted(steps).map(|steps| steps.max(0) as u64);
                }
            }
        }
        (coins, oracle)
    }

    /// A coin, which has no room in a state; `sides` are those of all coins so far.
    fn coin(&self, domain: &DomainExpr, sides: &mut u64) -> Result<Slot> {
        let slot = Room::default().slot(self.values(domain)?, domain.span)?;
        match sides.checked_mul(slot.size()).filter(|sides| *sides <= MAX_VALUES) {
            Some(all) => *sides = all,
            None => return fault(domain.span, "coins with more than 2^32 values together"),
        }
        Ok(slot)
    }

    fn field(&mut self, variable: &VariableDecl) -> Result<Field> {
        let VariableDecl { name, domain, given, .. } = variable;
        let field = |array, cells| Field { name: name.clone(), given: *given, array, cells };
        let mut made = match &domain.kind {
            DomainKind::Array(count, of, labels) => {
                let number = self.int(count)?;
                if !(1..=MAX_ELEMENTS).contains(&number) {
                    return fault(count.span, format!("an array of {number}: allowed is 1 to {MAX_ELEMENTS}"));
                }
                if !labels.is_empty() && labels.len() != number as usize {
                    return fault(domain.span, format!("{} names for {number} elements", labels.len()));
                }
                let label = |k: usize| labels.get(k).cloned().unwrap_or_else(|| format!("{name}{k}"));
                let cells: Result<Vec<_>> = (0..number as usize).map(|k| Ok((label(k), self.cell(of)?))).collect();
                field(true, cells?)
            }
            _ => field(false, vec![(name.clone(), self.cell(domain)?)]),
        };
        if let Some(zero) = &variable.zero {
            let value = self.value(zero)?;
            made.cells.iter_mut().try_for_each(|(name, cell)| self.zero(name, cell, &value, zero.span))?;
        }
        Ok(made)
    }

    /// Makes a value the one that counts as zero.
    fn zero(&self, name: &str, cell: &mut Cell, value: &Value, span: Span) -> Result<()> {
        match (&mut *cell, value) {
            (Cell::Maybe(..), Value::None) => Ok(()),
            (Cell::Maybe(..), _) => fault(span, format!("`{name}` starts as None")),
            (Cell::One(slot), _) => match slot.accepts(value) {
                Some(zero) => {
                    slot.zero = zero;
                    Ok(())
                }
                None => {
                    let names = &self.program.names;
                    fault(span, format!("`{name}` = {}: allowed is {}", show(value, names), slot.allowed(names)))
                }
            },
        }
    }

    fn cell(&mut self, domain: &DomainExpr) -> Result<Cell> {
        match &domain.kind {
            DomainKind::Maybe(parts) => {
                let bit = Values { ranges: vec![(0, 1)], names: false };
                let there = self.room.slot(bit, domain.span)?;
                let mut slots = Vec::new();
                for part in parts {
                    let values = self.values(part)?;
                    slots.push(self.room.slot(values, part.span)?);
                }
                Ok(Cell::Maybe(there, slots))
            }
            _ => {
                let values = self.values(domain)?;
                Ok(Cell::One(self.room.slot(values, domain.span)?))
            }
        }
    }

    /// The values of a scalar domain, in order.
    fn values(&self, domain: &DomainExpr) -> Result<Values> {
        let span = domain.span;
        let mut values = Values { ranges: Vec::new(), names: false };
        match &domain.kind {
            DomainKind::Bit => values.ranges.push((0, 1)),
            DomainKind::Span(low, high) => {
                let (low, high) = (self.int(low)?, self.int(high)?);
                if low > high {
                    return fault(span, format!("span({low}, {high}) is empty"));
                }
                values.ranges.push((low, high));
            }
            DomainKind::Union(parts) => {
                for part in parts {
                    let part = self.values(part)?;
                    values.names |= part.names;
                    values.ranges.extend(part.ranges);
                }
            }
            DomainKind::Set(items) => {
                for item in items {
                    match self.value(item)? {
                        Value::Name(name) if values.names || values.ranges.is_empty() => {
                            values.names = true;
                            values.ranges.push((name as i64, name as i64));
                        }
                        Value::Int(value) if !values.names => values.ranges.push((value, value)),
                        other => {
                            let shown = show(&other, &self.program.names);
                            return fault(
                                item.span,
                                format!("{shown} cannot be in a domain: all names, or all numbers"),
                            );
                        }
                    }
                }
            }
            DomainKind::Maybe(_) | DomainKind::Array(..) => {
                return fault(span, "`maybe` and `array` cannot be parts of a domain here");
            }
        }
        self.check_ranges(&mut values, span)?;
        Ok(values)
    }

    /// Refuses values that are there twice, or too many; joins ranges that follow each other.
    fn check_ranges(&self, values: &mut Values, span: Span) -> Result<()> {
        let ranges = &mut values.ranges;
        let mut sorted = ranges.clone();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0].1 >= pair[1].0) {
            let twice = pair[1].0;
            let twice = if values.names { Value::Name(twice as usize) } else { Value::Int(twice) };
            return fault(span, format!("a value is there twice: {}", show(&twice, &self.program.names)));
        }
        let (low, high) = (sorted.first().map_or(0, |range| range.0), sorted.last().map_or(0, |range| range.1));
        if i128::from(high) - i128::from(low) >= i128::from(MAX_VALUES) {
            return fault(span, format!("values from {low} to {high}: a variable has at most 2^32"));
        }
        ranges.dedup_by(|next, before| {
            let joins = before.1 + 1 == next.0;
            if joins {
                before.1 = next.1;
            }
            joins
        });
        Ok(())
    }
}

/// The globals that an expression speaks of, each once.
fn globals_in(expr: &Expr, found: &mut Vec<usize>) {
    expr.visit(&mut |expr| {
        if let ExprKind::Global(global) = expr.kind
            && !found.contains(&global)
        {
            found.push(global);
        }
    });
}
