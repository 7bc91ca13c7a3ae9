//! A file with n and its parameters: the values of globals, and how the state of an agent is laid out in 128 bits.
//!
//! Every scalar of a state has a *slot*: some bits of one of two words. A variable is one slot, or a bit "is there" and a slot for each
//! part (`maybe`), or several of these (`pair`, `array`). Values are kept relative to the value that counts as zero, so that two words
//! of zero are the zero state, which every reading of the text relies on.

use ringleader::error::Error;
use ringleader::params::Params;

use crate::eval::{Fault, Patience};
use crate::program::{Program, Setup};
use crate::tree::Value;

mod maker;

pub(crate) use maker::{Doubtful, mistakes};

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
    /// After so many steps an honest run has long been safe, if the file says so.
    pub limit: Option<u64>,
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
        maker::make(program, n, params, patience)
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
