//! A file with n and its parameters: the values of globals, and how the state of an agent is laid out in 128 bits.
//!
//! Every scalar of a state has a *slot*: some bits of one of two words. A variable is one slot, or a bit "is there" and a slot for each
//! part (`maybe`), or several of these (`pair`, `array`). Values are kept relative to the value that counts as zero, so that two words
//! of zero are the zero state, which every reading of the text relies on.

use ringleader::error::Error;
use ringleader::params::Params;

use crate::ast::Span;
use crate::eval::{Agents, Evaluator, Fault, Patience, Result, fault, show, truth};
use crate::program::{Pattern, Program, Setup};
use crate::tree::{DomainExpr, DomainKind, Expr, ExprKind, Extra, Value, VariableDecl};

/// The state of an agent; which bits mean what, a [`Layout`] says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct State(pub [u64; 2]);

/// Where a scalar stands in a state, and which values it has: integers, or the numbers of names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Which word.
    pub word: usize,
    /// Its lowest bit.
    pub shift: u32,
    /// How many ones, as a number: `2^bits - 1`.
    pub mask: u64,
    /// The values, as ranges in the order of the domain, both ends included, no two of which meet.
    pub ranges: Vec<(i64, i64)>,
    /// The least value.
    pub low: i64,
    /// The greatest value.
    pub high: i64,
    /// The value that counts as zero.
    pub zero: i64,
    /// Whether the values are names.
    pub names: bool,
}

impl Slot {
    /// The value in a state, as a number.
    #[inline]
    #[must_use]
    pub fn get(&self, state: &State) -> i64 {
        let raw = state.0[self.word] >> self.shift;
        self.low + (raw.wrapping_add((self.zero - self.low) as u64) & self.mask) as i64
    }

    /// Overwrites the value in a state with one of the domain.
    #[inline]
    pub fn put(&self, state: &mut State, value: i64) {
        let raw = (value - self.zero) as u64 & self.mask;
        let word = &mut state.0[self.word];
        *word = *word & !(self.mask << self.shift) | raw << self.shift;
    }

    /// Whether a number is one of the values.
    #[inline]
    #[must_use]
    pub fn contains(&self, value: i64) -> bool {
        self.ranges.iter().any(|(low, high)| (*low..=*high).contains(&value))
    }

    /// How many values there are.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.ranges.iter().map(|(low, high)| (high - low) as u64 + 1).sum()
    }

    /// The number as a value of the notation.
    #[must_use]
    pub fn value(&self, number: i64) -> Value {
        if self.names { Value::Name(number as usize) } else { Value::Int(number) }
    }
}

/// One value of a variable: a scalar, or `None` or its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// A scalar.
    One(Slot),
    /// `None` if the bit is 0 (then all parts are at their zero), else the parts; a single part stands for itself, several are a tuple.
    Maybe(Slot, Vec<Slot>),
}

/// A variable with its cells; more than one only if it is an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name in the file.
    pub name: String,
    /// Whether it is an input.
    pub given: bool,
    /// Whether it is `pair` or `array`.
    pub array: bool,
    /// Its cells, each with its name in JSON and tables.
    pub cells: Vec<(String, Cell)>,
}

/// The variables of an agent, in the order of the class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The variables.
    pub fields: Vec<Field>,
}

/// A file with n and parameters.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The size of the ring.
    pub n: usize,
    /// The values of `n`, constants and parameters, by number.
    pub globals: Vec<Value>,
    /// How a state is laid out.
    pub layout: Layout,
    /// The values of each coin, in the order of the arguments of `interact`.
    pub coins: Vec<Slot>,
    /// The delay of the oracle, if one is asked.
    pub oracle: Option<u64>,
    /// How long functions may run.
    pub patience: Patience,
}

impl Cell {
    /// How many values there are.
    #[must_use]
    pub fn size(&self) -> u128 {
        match self {
            Self::One(slot) => slot.size().into(),
            Self::Maybe(_, parts) => 1 + parts.iter().map(|part| u128::from(part.size())).product::<u128>(),
        }
    }
}

impl Field {
    /// How many values there are.
    #[must_use]
    pub fn size(&self) -> u128 {
        self.cells.iter().map(|(_, cell)| cell.size()).product()
    }

    /// The value in a state; that of an array is a tuple.
    #[must_use]
    pub fn get(&self, state: &State) -> Value {
        if self.array {
            Value::Tuple(self.cells.iter().map(|(_, cell)| cell.get(state)).collect())
        } else {
            self.cells[0].1.get(state)
        }
    }
}

// --- How a setting is made --------------------------------------------------------------------------------------------

/// The bits of a state that are taken.
#[derive(Default)]
struct Room([u32; 2]);

impl Room {
    /// A slot for these values, in the first word that has room.
    fn slot(&mut self, values: Values, span: Span) -> Result<Slot> {
        let Values { ranges, names } = values;
        let low = ranges.iter().map(|range| range.0).min().unwrap_or(0);
        let high = ranges.iter().map(|range| range.1).max().unwrap_or(0);
        let bits = u64::BITS - ((high - low) as u64).leading_zeros();
        let Some(word) = (0..2).find(|word| self.0[*word] + bits <= u64::BITS) else {
            return fault(span, "the state of an agent takes more than 128 bits");
        };
        let shift = self.0[word];
        self.0[word] += bits;
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

/// So many expressions may one constant, parameter or domain take.
const DECLARATION: u64 = 1 << 22;
/// At most so many values has a variable, and so many elements an array.
const MAX_VALUES: u64 = 1 << 32;
const MAX_ELEMENTS: i64 = 128;

/// What is computed from n and parameters: globals first, then domains.
struct Maker<'a> {
    program: &'a Program,
    globals: Vec<Value>,
    room: Room,
    patience: &'a Patience,
}

/// Why a file cannot be used on a ring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// A parameter or n is not as the file requires.
    Ring(Error),
    /// Something is wrong at a place of the text.
    Text(Fault),
}

impl Setting {
    /// A file with n and these parameters.
    ///
    /// # Errors
    /// If a condition of the file is broken, or a constant or a domain makes no sense.
    pub fn new(program: &Program, n: usize, params: &Params) -> std::result::Result<Self, Refused> {
        Self::within(program, n, params, &Patience::default())
    }

    /// The same with limited patience.
    ///
    /// # Errors
    /// As for [`Setting::new`].
    pub fn within(
        program: &Program,
        n: usize,
        params: &Params,
        patience: &Patience,
    ) -> std::result::Result<Self, Refused> {
        let globals = vec![Value::Int(n as i64)];
        let mut maker = Maker { program, globals, room: Room::default(), patience };
        maker.setup(params)?;
        maker.finish(n).map_err(|fault| Refused::Text(*fault))
    }

    /// The parameters in force, by name.
    #[must_use]
    pub fn parameters(&self, program: &Program) -> Vec<(String, u64)> {
        let parameters = program.setup.iter().filter_map(|setup| match setup {
            Setup::Parameter(global, _) => Some(*global),
            _ => None,
        });
        let value = |global: usize| match self.globals[global] {
            Value::Int(value) => value as u64,
            _ => 0,
        };
        parameters.map(|global| (program.globals[global].clone(), value(global))).collect()
    }
}

impl Maker<'_> {
    fn setup(&mut self, params: &Params) -> std::result::Result<(), Refused> {
        let wrong = |fault: Box<Fault>| Refused::Text(*fault);
        for setup in &self.program.setup {
            match setup {
                Setup::Constant(pattern, expr) => {
                    let value = self.value(expr).map_err(wrong)?;
                    self.bind(pattern, value, expr.span).map_err(wrong)?;
                }
                Setup::Parameter(global, default) => {
                    let name = &self.program.globals[*global];
                    let value = match params.get(name) {
                        Some(given) => i64::try_from(given)
                            .map_err(|_| Refused::Ring(Error::new(name, given, "allowed is a number below 2^63")))?,
                        None => self.int(default).map_err(wrong)?,
                    };
                    if value < 0 {
                        let what = format!("{name} = {value}: a parameter is not negative");
                        return fault(default.span, what).map_err(wrong);
                    }
                    self.globals.push(Value::Int(value));
                }
                Setup::Require(test, message) => {
                    if !truth(&self.value(test).map_err(wrong)?) {
                        return Err(Refused::Ring(self.broken(test, message)));
                    }
                }
            }
        }
        Ok(())
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
        let layout = Layout::default();
        let mut evaluator = Evaluator::new(self.program, &self.globals, &layout, Agents::Seen(&[]))
            .within(self.patience)
            .at_most(DECLARATION);
        evaluator.expr(expr, &mut vec![None; self.program.locals])
    }

    fn int(&self, expr: &Expr) -> Result<i64> {
        match self.value(expr)? {
            Value::Int(value) => Ok(value),
            Value::Bool(value) => Ok(i64::from(value)),
            other => fault(expr.span, format!("{} is no number", show(&other, &self.program.names))),
        }
    }

    fn bind(&mut self, pattern: &Pattern, value: Value, span: Span) -> Result<()> {
        match (pattern, value) {
            (Pattern::One(global), value) => {
                debug_assert_eq!(*global, self.globals.len(), "globals are numbered in the order of the file");
                self.globals.push(value);
                Ok(())
            }
            (Pattern::Tuple(patterns), Value::Tuple(values)) if patterns.len() == values.len() => patterns
                .iter()
                .zip(values.iter())
                .try_for_each(|(pattern, value)| self.bind(pattern, value.clone(), span)),
            (Pattern::Tuple(patterns), other) => {
                let shown = show(&other, &self.program.names);
                fault(span, format!("{shown} is no tuple of {}", patterns.len()))
            }
        }
    }

    fn finish(mut self, n: usize) -> Result<Setting> {
        let mut fields = Vec::new();
        for variable in &self.program.variables {
            fields.push(self.field(variable)?);
        }
        // The names under which variables are shown must differ.
        let mut names: Vec<&str> =
            fields.iter().flat_map(|field: &Field| field.cells.iter().map(|(name, _)| name.as_str())).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            let span = self.program.variables[0].span;
            return fault(span, format!("two variables are called `{}`", pair[0]));
        }
        let (mut coins, mut oracle, mut sides) = (Vec::new(), None, 1_u64);
        for extra in &self.program.extras {
            match extra {
                Extra::Coin(domain) => {
                    let values = self.values(domain)?;
                    // Coins have no room in a state.
                    let slot = Room::default().slot(values, domain.span)?;
                    sides = match sides.checked_mul(slot.size()).filter(|sides| *sides <= MAX_VALUES) {
                        Some(sides) => sides,
                        None => return fault(domain.span, "coins with more than 2^32 values together"),
                    };
                    coins.push(slot);
                }
                Extra::Oracle(None) => oracle = Some(0),
                Extra::Oracle(Some(delay)) => oracle = Some(self.int(delay)?.max(0) as u64),
            }
        }
        let patience = self.patience.clone();
        Ok(Setting { n, globals: self.globals, layout: Layout { fields }, coins, oracle, patience })
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
