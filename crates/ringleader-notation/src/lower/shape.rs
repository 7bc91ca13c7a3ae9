//! What a value may be, and when: a few cases of different kinds, no two of which hold at once.

use ringleader::circuit::Bit;

use super::int::{Choose, Int};
use crate::graph::Lit;
use crate::tree::Value;

/// A value of one kind.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    Int(Int),
    Bool(Lit),
    /// A name, by its number.
    Name(Int),
    None,
    Tuple(Vec<Sym>),
    Agent(usize),
    Ring,
    /// A local that has no value yet.
    Unset,
    /// A coin that was not read yet.
    Coin(usize),
}

/// Cases with the conditions under which they are the value; at most one of each kind.
#[derive(Clone, Debug)]
pub(super) struct Sym(pub(super) Vec<(Lit, Shape)>);

impl Shape {
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Tuple(a), Self::Tuple(b)) => a.len() == b.len(),
            (Self::Agent(a), Self::Agent(b)) | (Self::Coin(a), Self::Coin(b)) => a == b,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }

    /// One of two that are alike.
    fn choose(when: Lit, then: &Self, otherwise: &Self) -> Self {
        match (then, otherwise) {
            (Self::Int(a), Self::Int(b)) => Self::Int(when.select_int(a, b)),
            (Self::Name(a), Self::Name(b)) => Self::Name(when.select_int(a, b)),
            (Self::Bool(a), Self::Bool(b)) => Self::Bool(when.select(*a, *b)),
            (Self::Tuple(a), Self::Tuple(b)) => {
                Self::Tuple(a.iter().zip(b).map(|(a, b)| Sym::choose(when, a, b)).collect())
            }
            _ => then.clone(),
        }
    }

    /// As a number, if it is one.
    pub(super) fn int(&self) -> Option<Int> {
        match self {
            Self::Int(int) => Some(int.clone()),
            Self::Bool(truth) => Some(Int::of(*truth)),
            _ => None,
        }
    }
}

impl Sym {
    pub(super) fn one(shape: Shape) -> Self {
        Self(vec![(Lit::ONE, shape)])
    }

    pub(super) fn truth(truth: Lit) -> Self {
        Self::one(Shape::Bool(truth))
    }

    pub(super) fn number(number: i128) -> Self {
        Self::one(Shape::Int(Int::constant(number)))
    }

    pub(super) fn of(value: &Value) -> Self {
        Self::one(match value {
            Value::Int(value) => Shape::Int(Int::constant((*value).into())),
            Value::Bool(truth) => Shape::Bool(Lit::of(*truth)),
            Value::Name(name) => Shape::Name(Int::constant(*name as i128)),
            Value::None => Shape::None,
            Value::Tuple(items) => Shape::Tuple(items.iter().map(Self::of).collect()),
            Value::Agent(agent) => Shape::Agent(*agent),
            Value::Ring => Shape::Ring,
        })
    }

    pub(super) fn choose(when: Lit, then: &Self, otherwise: &Self) -> Self {
        match when.constant() {
            Some(true) => return then.clone(),
            Some(false) => return otherwise.clone(),
            None => {}
        }
        let (mut cases, mut others) = (Vec::new(), Vec::from_iter(&otherwise.0));
        for (here, shape) in &then.0 {
            cases.push(match others.iter().position(|(_, other)| shape.is_like(other)) {
                Some(k) => {
                    let (there, other) = others.remove(k);
                    (when.select(*here, *there), Shape::choose(when, shape, other))
                }
                None => (when & *here, shape.clone()),
            });
        }
        cases.extend(others.into_iter().map(|(there, other)| (!when & *there, other.clone())));
        cases.retain(|(when, _)| *when != Lit::ZERO);
        Self(cases)
    }

    /// The value whose condition holds; if none does, it may be anything.
    pub(super) fn chosen(cases: impl IntoIterator<Item = (Lit, Self)>) -> Self {
        let mut cases = cases.into_iter().filter(|(when, _)| *when != Lit::ZERO);
        let first = cases.next().map_or_else(|| Self(Vec::new()), |(_, value)| value);
        cases.fold(first, |other, (when, value)| Self::choose(when, &value, &other))
    }

    /// Where something holds of the value.
    fn wherever(&self, holds: impl Fn(&Shape) -> Lit) -> Lit {
        self.0.iter().fold(Lit::ZERO, |some, (when, shape)| some | (*when & holds(shape)))
    }

    pub(super) fn is_true(&self) -> Lit {
        self.wherever(|shape| match shape {
            Shape::Int(int) => !int.is_zero(),
            Shape::Bool(truth) => *truth,
            Shape::Tuple(items) => Lit::of(!items.is_empty()),
            Shape::Name(_) | Shape::Agent(_) | Shape::Ring => Lit::ONE,
            Shape::None | Shape::Unset | Shape::Coin(_) => Lit::ZERO,
        })
    }

    pub(super) fn is_none(&self) -> Lit {
        self.wherever(|shape| Lit::of(matches!(shape, Shape::None)))
    }

    pub(super) fn has_tuple(&self) -> bool {
        self.0.iter().any(|(_, shape)| matches!(shape, Shape::Tuple(_)))
    }

    /// The number, or the number of a name; and where it is one.
    pub(super) fn as_int(&self, names: bool) -> (Int, Lit) {
        let int = |shape: &Shape| match shape {
            Shape::Name(name) if names => Some(name.clone()),
            other if !names => other.int(),
            _ => None,
        };
        let (mut found, mut fits) = (None, Lit::ZERO);
        for (when, number) in self.0.iter().filter_map(|(when, shape)| Some((*when, int(shape)?))) {
            fits = fits | when;
            found = Some(match found {
                None => number,
                Some(other) => when.select_int(&number, &other),
            });
        }
        (found.unwrap_or_else(|| Int::constant(0)), fits)
    }

    /// The parts of a tuple of so many, and where it is one.
    pub(super) fn parts(&self, count: usize) -> (Vec<Self>, Lit) {
        let tuple = self.0.iter().find_map(|(when, shape)| match shape {
            Shape::Tuple(items) if items.len() == count => Some((items.clone(), *when)),
            _ => None,
        });
        tuple.unwrap_or_else(|| (vec![Self::one(Shape::None); count], Lit::ZERO))
    }

    /// How deep tuples are nested.
    pub(super) fn depth(&self) -> usize {
        let depth = |shape: &Shape| match shape {
            Shape::Tuple(items) => 1 + items.iter().map(Self::depth).max().unwrap_or(0),
            _ => 0,
        };
        self.0.iter().map(|(_, shape)| depth(shape)).max().unwrap_or(0)
    }
}
