//! What is known of a value while code is written: its kind always, its number or the range of it as far as possible.

use std::rc::Rc;

use crate::tree::Value;

/// A register before there are few.
pub(crate) type Reg = u32;

/// A number.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Num {
    Const(i64),
    /// In a register, and between two bounds.
    Reg(Reg, i64, i64),
}

impl Num {
    /// Whether it surely is the same number.
    pub(crate) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Const(a), Self::Const(b)) => a == b,
            (Self::Reg(a, ..), Self::Reg(b, ..)) => a == b,
            _ => false,
        }
    }

    pub(crate) fn range(&self) -> (i64, i64) {
        match *self {
            Self::Const(value) => (value, value),
            Self::Reg(_, low, high) => (low, high),
        }
    }
}

/// An agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Who {
    /// One that is known.
    Fixed(usize),
    /// The one whose number is in a register.
    At(Reg),
}

/// A value. Truth values are 0 and 1, which is what they are to every operation.
#[derive(Clone, Debug)]
pub(crate) enum Val {
    Int(Num),
    /// A name, by its number.
    Name(Num),
    None,
    /// `None` if the number is 0; else a value, which means nothing otherwise.
    Maybe(Num, Rc<Val>),
    Tuple(Rc<[Val]>),
    Agent(Who),
    Ring,
    /// A local that has no value yet.
    Unset,
    /// A coin that is not read yet.
    Coin(usize),
    /// Values of different kinds met: who asks, asks the law.
    Lost,
}

/// Longer tuples are left to the law.
const LONGEST: usize = 4096;

impl Val {
    pub(crate) fn int(value: i64) -> Self {
        Self::Int(Num::Const(value))
    }

    pub(crate) fn of(value: &Value) -> Self {
        match value {
            Value::Int(value) => Self::int(*value),
            Value::Bool(truth) => Self::int(i64::from(*truth)),
            Value::Name(name) => Self::Name(Num::Const(*name as i64)),
            Value::None => Self::None,
            Value::Tuple(items) if items.len() > LONGEST => Self::Lost,
            Value::Tuple(items) => Self::Tuple(items.iter().map(Self::of).collect()),
            Value::Agent(agent) => Self::Agent(Who::Fixed(*agent)),
            Value::Ring => Self::Ring,
        }
    }

    /// Whether it surely is the same value.
    pub(crate) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) | (Self::Name(a), Self::Name(b)) => a.is(b),
            (Self::Maybe(a, x), Self::Maybe(b, y)) => a.is(b) && x.is(y),
            (Self::Tuple(a), Self::Tuple(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.is(b)),
            (Self::Agent(a), Self::Agent(b)) => a == b,
            (Self::Coin(a), Self::Coin(b)) => a == b,
            (Self::None, Self::None) | (Self::Ring, Self::Ring) => true,
            (Self::Unset, Self::Unset) | (Self::Lost, Self::Lost) => true,
            _ => false,
        }
    }

    /// How deep tuples are nested.
    pub(crate) fn depth(&self) -> usize {
        match self {
            Self::Tuple(items) => 1 + items.iter().map(Self::depth).max().unwrap_or(0),
            Self::Maybe(_, value) => value.depth(),
            _ => 0,
        }
    }
}
