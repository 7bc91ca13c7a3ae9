//! The one declaration of a protocol's variables.
//!
//! A protocol lists its variables once, each with its name in the paper, its domain, and the field of the
//! state that holds it. The number of states, uniform sampling, enumeration, faults on one variable, JSON
//! and tables all follow from that list.

use std::fmt;

use crate::error::Error;
use crate::random::{Generator, below};
use crate::value::{Text, Value};

/// The set of values a variable may take; value number `k` is the `k`-th in the order of the domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Domain {
    /// The integers of `[low, high]`.
    Range {
        /// The least value.
        low: i64,
        /// The greatest value.
        high: i64,
    },
    /// The integers of several ranges, both ends included, in this order.
    Ranges(Vec<(i64, i64)>),
    /// One of several names.
    Names(Vec<Text>),
    /// Bottom, or a value of each of these domains; a single one stands for itself.
    Maybe(Vec<Domain>),
    /// Bottom, or a triple from `([-psi+1,-1] u [1,psi]) x {0,1} x {0,1}`.
    Token {
        /// The greatest position.
        psi: i64,
    },
    /// Bit strings of at most this length.
    Bits {
        /// The greatest length.
        most: u32,
    },
    /// Blank, or something that has all of these parts.
    Parts(Vec<(Text, Domain)>),
}

impl Domain {
    /// `{0, 1}`.
    pub const BIT: Self = Self::Range { low: 0, high: 1 };

    /// `[0, high]`.
    #[must_use]
    pub fn up_to(high: impl Into<i64>) -> Self {
        Self::Range { low: 0, high: high.into() }
    }

    /// One of several literal names.
    #[must_use]
    pub fn names(names: &[&'static str]) -> Self {
        Self::Names(names.iter().map(|name| Text::from(*name)).collect())
    }

    /// How many values there are.
    #[must_use]
    pub fn size(&self) -> u64 {
        match self {
            Self::Range { low, high } => (high - low + 1) as u64,
            Self::Ranges(ranges) => ranges.iter().map(|(low, high)| (high - low + 1) as u64).sum(),
            Self::Names(names) => names.len() as u64,
            Self::Maybe(parts) => 1 + parts.iter().map(Self::size).product::<u64>(),
            Self::Token { psi } => 1 + 4 * (2 * psi - 1) as u64,
            Self::Bits { most } => (1 << (most + 1)) - 1,
            Self::Parts(parts) => 1 + parts.iter().map(|(_, domain)| domain.size()).product::<u64>(),
        }
    }

    /// Value number `k`, for `k` below [`Domain::size`].
    #[must_use]
    pub fn nth(&self, k: u64) -> Value {
        match self {
            Self::Range { low, .. } => Value::from(low + k as i64),
            Self::Ranges(ranges) => Value::from(nth_of_ranges(ranges, k)),
            Self::Names(names) => Value::from(names[k as usize].clone()),
            Self::Maybe(_) if k == 0 => Value::Null,
            Self::Maybe(parts) => nth_of_tuple(parts, k - 1),
            Self::Token { .. } if k == 0 => Value::Null,
            Self::Token { psi } => nth_token(*psi, k - 1),
            Self::Bits { .. } => nth_bits(k),
            Self::Parts(_) if k == 0 => Value::Null,
            Self::Parts(parts) => nth_parts(parts, k - 1),
        }
    }

    /// The number of a value, the inverse of [`Domain::nth`]; `None` if it is not of the domain.
    #[must_use]
    pub fn index(&self, value: &Value) -> Option<u64> {
        if !self.contains(value) {
            return None;
        }
        match (self, value) {
            (Self::Range { low, .. }, Value::Int(v)) => u64::try_from(v - i128::from(*low)).ok(),
            (Self::Ranges(ranges), Value::Int(v)) => index_of_ranges(ranges, *v),
            (Self::Names(names), Value::Text(name)) => names.iter().position(|known| known == name).map(|k| k as u64),
            (Self::Maybe(parts), value) if *value != Value::Null => {
                let digit = |k: u64, (part, value): (&Self, &Value)| Some(k * part.size() + part.index(value)?);
                Some(1 + parts.iter().zip(parts_of(parts, value)).try_fold(0, digit)?)
            }
            (Self::Token { psi }, Value::List(parts)) => token_index(*psi, parts),
            (Self::Bits { .. }, Value::List(bits)) => bits_index(bits),
            (Self::Parts(parts), Value::Map(_)) => parts_index(parts, value),
            _ => Some(0),
        }
    }

    /// Whether the value belongs to the domain.
    #[must_use]
    pub fn contains(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Range { low, high }, Value::Int(v)) => (i128::from(*low)..=i128::from(*high)).contains(v),
            (Self::Ranges(ranges), Value::Int(v)) => index_of_ranges(ranges, *v).is_some(),
            (Self::Names(names), Value::Text(name)) => names.iter().any(|known| known == name),
            (Self::Maybe(_), Value::Null) => true,
            (Self::Maybe(parts), value) => {
                let values = parts_of(parts, value);
                values.len() == parts.len() && parts.iter().zip(values).all(|(part, value)| part.contains(value))
            }
            (Self::Token { .. }, Value::Null) => true,
            (Self::Token { psi }, Value::List(parts)) => match parts.as_slice() {
                [Value::Int(p), bit, carry] => {
                    *p != 0 && (i128::from(1 - psi)..=i128::from(*psi)).contains(p) && is_bit(bit) && is_bit(carry)
                }
                _ => false,
            },
            (Self::Bits { most }, Value::List(bits)) => bits.len() <= *most as usize && bits.iter().all(is_bit),
            (Self::Parts(_), Value::Null) => true,
            (Self::Parts(parts), Value::Map(_)) => {
                parts.iter().all(|(name, domain)| value.get(name).is_some_and(|part| domain.contains(part)))
            }
            _ => false,
        }
    }
}

/// The parts of a value of [`Domain::Maybe`] that is not bottom.
fn parts_of<'a>(parts: &[Domain], value: &'a Value) -> &'a [Value] {
    match value {
        Value::List(values) if parts.len() > 1 => values,
        other => std::slice::from_ref(other),
    }
}

fn nth_of_ranges(ranges: &[(i64, i64)], mut k: u64) -> i64 {
    for (low, high) in ranges {
        let size = (high - low + 1) as u64;
        if k < size {
            return low + k as i64;
        }
        k -= size;
    }
    ranges.last().map_or(0, |(_, high)| *high)
}

fn index_of_ranges(ranges: &[(i64, i64)], value: i128) -> Option<u64> {
    let mut before = 0;
    for &(low, high) in ranges {
        if (i128::from(low)..=i128::from(high)).contains(&value) {
            return Some(before + (value - i128::from(low)) as u64);
        }
        before += (high - low + 1) as u64;
    }
    None
}

/// The last part changes fastest.
fn nth_of_tuple(parts: &[Domain], mut k: u64) -> Value {
    let mut values = Vec::new();
    for part in parts.iter().rev() {
        values.push(part.nth(k % part.size()));
        k /= part.size();
    }
    values.reverse();
    if let [_] = parts { values.remove(0) } else { Value::List(values) }
}

fn is_bit(value: &Value) -> bool {
    matches!(value, Value::Int(0 | 1))
}

fn nth_token(psi: i64, k: u64) -> Value {
    let position = (k / 4) as i64 + 1 - psi;
    // There is no position 0.
    let position = if position >= 0 { position + 1 } else { position };
    Value::List(vec![position.into(), (k / 2 % 2).into(), (k % 2).into()])
}

/// Bit strings in the order of length, then value, the first bit most significant: string `k` is `k + 1` in
/// binary without its leading one.
fn nth_bits(k: u64) -> Value {
    let length = (k + 1).ilog2();
    (0..length).rev().map(|j| (k + 1) >> j & 1).collect::<Vec<u64>>().into()
}

fn token_index(psi: i64, parts: &[Value]) -> Option<u64> {
    let [position, bit, carry] = parts else { return None };
    let position = position.as_int()?;
    let steps = position + i128::from(psi) - if position > 0 { 2 } else { 1 };
    Some(1 + 4 * steps as u64 + 2 * bit.as_int()? as u64 + carry.as_int()? as u64)
}

fn bits_index(bits: &[Value]) -> Option<u64> {
    let number = bits.iter().try_fold(1, |number, bit| Some(2 * number + bit.as_int()? as u64))?;
    Some(number - 1)
}

/// The last part changes fastest.
fn nth_parts(parts: &[(Text, Domain)], mut k: u64) -> Value {
    let mut values = Vec::new();
    for (name, domain) in parts.iter().rev() {
        values.push((name.clone(), domain.nth(k % domain.size())));
        k /= domain.size();
    }
    Value::map(values.into_iter().rev())
}

fn parts_index(parts: &[(Text, Domain)], value: &Value) -> Option<u64> {
    let digit = |k: u64, (name, domain): &(Text, Domain)| Some(k * domain.size() + domain.index(value.get(name)?)?);
    Some(1 + parts.iter().try_fold(0, digit)?)
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Range { low, high } => write!(f, "an integer of [{low}, {high}]"),
            Self::Ranges(ranges) => {
                let ranges: Vec<String> = ranges.iter().map(|(low, high)| format!("[{low}, {high}]")).collect();
                write!(f, "an integer of {}", ranges.join(" or "))
            }
            Self::Names(names) => write!(f, "one of \"{}\"", names.join("\", \"")),
            Self::Maybe(parts) => {
                let shown: Vec<String> = parts.iter().map(ToString::to_string).collect();
                let list = if parts.len() > 1 { "a list of " } else { "" };
                write!(f, "null or {list}{}", shown.join(", "))
            }
            Self::Token { psi } => {
                write!(f, "null or [p, 0|1, 0|1] with p in [{}, -1] or [1, {psi}]", 1 - psi)
            }
            Self::Bits { most } => write!(f, "a list of at most {most} bits"),
            Self::Parts(parts) => {
                let parts: Vec<String> = parts.iter().map(|(name, domain)| format!("{name}: {domain}")).collect();
                write!(f, "null or an object with {}", parts.join(", "))
            }
        }
    }
}

/// A type that can hold a variable: how it reads and writes as plain data.
pub trait Field {
    /// The field as plain data.
    fn get(&self) -> Value;
    /// Overwrite the field with a value of the variable's domain.
    fn put(&mut self, value: &Value);
}

macro_rules! integer_fields {
    ($($kind:ty),*) => {$(
        impl Field for $kind {
            fn get(&self) -> Value {
                Value::from(*self)
            }
            fn put(&mut self, value: &Value) {
                debug_assert!(value.as_int().is_some(), "the domain was checked before");
                *self = value.as_int().unwrap_or(0) as $kind;
            }
        }
    )*};
}
integer_fields!(u8, u16, u32, u64, i8);

type Get<S> = Box<dyn Fn(&S) -> Value + Send + Sync>;
type Put<S> = Box<dyn Fn(&mut S, &Value) + Send + Sync>;

/// One variable of a protocol whose agents have state `S`.
pub struct Variable<S> {
    /// The name in the paper and in JSON.
    pub name: Text,
    /// The values it may take.
    pub domain: Domain,
    /// Whether it is an input: given and right, never corrupted (P_OR's colours and memory).
    pub input: bool,
    get: Get<S>,
    put: Put<S>,
}

impl<S: 'static> Variable<S> {
    /// A variable that lives in the field that `field` and `field_mut` point at; see [`crate::variable!`].
    pub fn new<F: Field + 'static>(
        name: impl Into<Text>,
        domain: Domain,
        field: fn(&S) -> &F,
        field_mut: fn(&mut S) -> &mut F,
    ) -> Self {
        Self::computed(name, domain, move |state| field(state).get(), move |state, value| field_mut(state).put(value))
    }

    /// A variable that is read from a state and written to it, whatever the state looks like: a digit of a number, say.
    pub fn computed(
        name: impl Into<Text>,
        domain: Domain,
        get: impl Fn(&S) -> Value + Send + Sync + 'static,
        put: impl Fn(&mut S, &Value) + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), domain, input: false, get: Box::new(get), put: Box::new(put) }
    }

    /// The same variable, marked as an input.
    #[must_use]
    pub fn as_input(mut self) -> Self {
        self.input = true;
        self
    }

    /// The same variable of a larger state that has `S` as a part.
    pub fn within<T: 'static>(self, part: fn(&T) -> &S, part_mut: fn(&mut T) -> &mut S) -> Variable<T> {
        let Self { name, domain, input, get, put } = self;
        let get = Box::new(move |whole: &T| get(part(whole)));
        let put = Box::new(move |whole: &mut T, value: &Value| put(part_mut(whole), value));
        Variable { name, domain, input, get, put }
    }

    /// The value in a state.
    #[must_use]
    pub fn get(&self, state: &S) -> Value {
        (self.get)(state)
    }

    /// Overwrite the value in a state.
    ///
    /// # Errors
    /// If the value is not of the domain.
    pub fn set(&self, state: &mut S, value: &Value) -> Result<(), Error> {
        if !self.domain.contains(value) {
            let name = format!("variable {}", self.name);
            return Err(Error::new(name, value, format!("allowed is {}", self.domain)));
        }
        (self.put)(state, value);
        Ok(())
    }

    /// Overwrite the value in a state with one that is known to be of the domain.
    pub fn put(&self, state: &mut S, value: &Value) {
        (self.put)(state, value);
    }

    /// Overwrite the value with a uniform one of the domain.
    pub fn randomise(&self, state: &mut S, generator: &mut Generator) {
        let k = below(generator, self.domain.size());
        (self.put)(state, &self.domain.nth(k));
    }
}

/// Declares a variable: its name in the paper, its domain, and the field of the state that holds it.
///
/// ```
/// # use ringleader::{variable, variables::{Domain, Variable}};
/// struct State { leader: u8 }
/// let leader: Variable<State> = variable!("leader", Domain::BIT, State.leader);
/// assert_eq!(leader.get(&State { leader: 1 }), 1_u8.into());
/// ```
#[macro_export]
macro_rules! variable {
    ($name:literal, $domain:expr, $state:ident.$($field:tt)+) => {
        $crate::variables::Variable::new(
            $name,
            $domain,
            |state: &$state| &state.$($field)+,
            |state: &mut $state| &mut state.$($field)+,
        )
    };
}

/// How many values these variables have together.
fn product<'a, S: 'a>(variables: impl Iterator<Item = &'a Variable<S>>) -> u128 {
    variables.map(|variable| u128::from(variable.domain.size())).fold(1, u128::saturating_mul)
}

/// All variables of a protocol, in the order of the paper.
pub struct Variables<S>(pub Vec<Variable<S>>);

impl<S: Copy + 'static> Variables<S> {
    /// The number of states of an agent, |Q|, exactly; the greatest number there is if it is beyond that.
    #[must_use]
    pub fn states(&self) -> u128 {
        product(self.0.iter())
    }

    /// Overwrite every variable that is not an input with a uniform value.
    pub fn randomise(&self, state: &mut S, generator: &mut Generator) {
        self.0.iter().filter(|variable| !variable.input).for_each(|variable| variable.randomise(state, generator));
    }

    /// State number `k` of all |Q|, the last variable changing fastest.
    #[must_use]
    pub fn nth(&self, mut k: u128, mut state: S) -> S {
        for variable in self.0.iter().rev() {
            let size = u128::from(variable.domain.size());
            (variable.put)(&mut state, &variable.domain.nth((k % size) as u64));
            k /= size;
        }
        state
    }

    /// Every state that differs from `blank` in variables that are no inputs, each once, the last variable changing fastest.
    #[must_use]
    pub fn free(&self, blank: S) -> Vec<S> {
        let mut states = vec![blank];
        for variable in self.0.iter().filter(|variable| !variable.input) {
            let values: Vec<Value> = (0..variable.domain.size()).map(|k| variable.domain.nth(k)).collect();
            let all = |mut state: S, value: &Value| {
                (variable.put)(&mut state, value);
                state
            };
            states = states.iter().flat_map(|state| values.iter().map(move |value| all(*state, value))).collect();
        }
        states
    }

    /// How many states [`Variables::free`] gives.
    #[must_use]
    pub fn free_states(&self) -> u128 {
        product(self.0.iter().filter(|variable| !variable.input))
    }

    /// The number of a state in the order of [`Variables::free`]; `None` if a variable is outside its domain.
    #[must_use]
    pub fn free_index(&self, state: &S) -> Option<u64> {
        let mut free = self.0.iter().filter(|variable| !variable.input);
        free.try_fold(0, |k, variable| Some(k * variable.domain.size() + variable.domain.index(&variable.get(state))?))
    }

    /// Every state, each once; `blank` fills what is not a variable.
    pub fn enumerate(&self, blank: S) -> impl Iterator<Item = S> + '_ {
        (0..self.states()).map(move |k| self.nth(k, blank))
    }

    /// The state as named values.
    #[must_use]
    pub fn encode(&self, state: &S) -> Value {
        Value::map(self.0.iter().map(|variable| (variable.name.clone(), variable.get(state))))
    }

    /// The state with these named values; names that are not variables are ignored.
    ///
    /// # Errors
    /// If it is not a map, a variable is missing, or a value is outside its domain.
    pub fn decode(&self, agent: &Value, blank: S) -> Result<S, Error> {
        let mut state = blank;
        if !matches!(agent, Value::Map(_)) {
            return Err(Error::new("state", agent, "allowed is an object with the variables of the protocol"));
        }
        for variable in &self.0 {
            let value = agent.get(&variable.name).ok_or_else(|| {
                let name = format!("variable {}", variable.name);
                Error::new(name, "(missing)", format!("allowed is {}", variable.domain))
            })?;
            variable.set(&mut state, value)?;
        }
        Ok(state)
    }

    /// Whether every variable of the state is within its domain.
    #[must_use]
    pub fn contain(&self, state: &S) -> bool {
        self.0.iter().all(|variable| variable.domain.contains(&variable.get(state)))
    }

    /// The variable of that name.
    ///
    /// # Errors
    /// If there is none; the message lists those there are.
    pub fn named(&self, name: &str) -> Result<&Variable<S>, Error> {
        self.0.iter().find(|variable| variable.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.0.iter().map(|variable| &*variable.name).collect();
            Error::new("variable", name, format!("the protocol has {}", names.join(", ")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::named;

    #[test]
    fn every_domain_enumerates_distinct_members() {
        let domains = [
            Domain::Range { low: -3, high: 4 },
            Domain::Ranges(vec![(-3, -1), (5, 5), (1, 4)]),
            Domain::names(&["Detect", "Construct"]),
            Domain::Maybe(vec![Domain::Ranges(vec![(-3, -1), (1, 4)]), Domain::BIT, Domain::BIT]),
            Domain::Maybe(vec![Domain::up_to(4)]),
            Domain::Token { psi: 4 },
            Domain::Bits { most: 4 },
            Domain::Parts(named([
                ("head", Domain::names(&["none", "G"])),
                ("E", Domain::BIT),
                ("x", Domain::up_to(2)),
            ])),
        ];
        for domain in domains {
            let values: Vec<Value> = (0..domain.size()).map(|k| domain.nth(k)).collect();
            assert!(values.iter().all(|value| domain.contains(value)), "{domain}");
            assert!((1..values.len()).all(|k| !values[..k].contains(&values[k])), "{domain}");
            assert!((0..).zip(&values).all(|(k, value)| domain.index(value) == Some(k)), "{domain}");
            assert_eq!((domain.index(&Value::Bool(true)), domain.index(&Value::Int(99))), (None, None), "{domain}");
        }
    }

    #[test]
    fn a_token_is_never_at_position_zero() {
        let domain = Domain::Token { psi: 3 };
        assert_eq!(domain.size(), 1 + 5 * 4);
        let token = |p: i64| Value::List(vec![p.into(), 0_u8.into(), 1_u8.into()]);
        assert!([-2, -1, 1, 2, 3].map(|p| domain.contains(&token(p))).iter().all(|&inside| inside));
        assert!([-3, 0, 4].map(|p| domain.contains(&token(p))).iter().all(|&inside| !inside));
    }

    #[test]
    fn bit_strings_come_in_the_order_of_length() {
        let texts: Vec<String> = (0..7).map(|k| nth_bits(k).to_string()).collect();
        assert_eq!(texts, ["[]", "[0]", "[1]", "[0,0]", "[0,1]", "[1,0]", "[1,1]"]);
    }
}
