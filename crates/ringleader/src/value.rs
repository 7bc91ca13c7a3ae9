//! Plain data as it appears in JSON: what variables hold and what predicates report.
//!
//! The library speaks of configurations and facts in this one type and leaves reading and writing text
//! to the command line.

use std::borrow::Cow;

/// A name or a few words: a literal of the program, or text that was read while it runs.
pub type Text = Cow<'static, str>;

/// Pairs with literal names.
pub fn named<T, const N: usize>(pairs: [(&'static str, T); N]) -> Vec<(Text, T)> {
    pairs.map(|(name, value)| (name.into(), value)).into()
}

/// Why sets do not hold, for those that do not.
pub(crate) fn why_not(parts: impl IntoIterator<Item = (&'static str, Option<String>)>) -> Value {
    Value::map(parts.into_iter().filter_map(|(name, why)| Some((name, Value::from(why?)))))
}

/// One JSON value. Keys of a map keep the order in which they were put in, which does not matter; writers sort them.
#[derive(Clone, Debug)]
pub enum Value {
    /// `null`: bottom, infinity, or a question that makes no sense here.
    Null,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// A non-negative integer too large for [`Value::Int`], in decimal digits.
    Digits(String),
    /// A ratio such as parallel time.
    Real(f64),
    /// A word.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// Named values.
    Map(Vec<(String, Value)>),
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Real(a), Self::Real(b)) => a == b,
            (Self::Digits(a), Self::Digits(b)) | (Self::Text(a), Self::Text(b)) => a == b,
            (Self::List(a), Self::List(b)) => a == b,
            (Self::Map(a), Self::Map(b)) => {
                a.len() == b.len() && a.iter().all(|(key, _)| self.get(key) == other.get(key))
            }
            _ => false,
        }
    }
}

impl Value {
    /// A map from pairs.
    pub fn map<K: Into<String>>(pairs: impl IntoIterator<Item = (K, Value)>) -> Self {
        Self::Map(pairs.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }

    /// The value of a key, if this is a map that has it; the last one if it is there twice.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Self::Map(pairs) => pairs.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The integer, if it is one.
    #[must_use]
    pub fn as_int(&self) -> Option<i128> {
        match self {
            Self::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// The integer whose binary digits these are, least significant first, however many.
    pub fn from_bits(bits: impl ExactSizeIterator<Item = u8> + DoubleEndedIterator) -> Self {
        if bits.len() < 128 {
            return Self::Int(bits.rev().fold(0, |sum, bit| 2 * sum + i128::from(bit)));
        }
        Self::Digits(decimal(bits.rev()))
    }
}

/// Decimal digits of a binary number, most significant bit first, by limbs of 18 digits.
fn decimal(bits: impl Iterator<Item = u8>) -> String {
    const BASE: u128 = 1_000_000_000_000_000_000;
    let bits: Vec<u8> = bits.collect();
    let mut limbs: Vec<u64> = vec![0];
    // The first chunk takes the odd bits, so that all others have 32.
    let (odd, whole) = bits.split_at(bits.len() % 32);
    for chunk in std::iter::once(odd).chain(whole.chunks(32)) {
        let mut carry = chunk.iter().fold(0_u128, |sum, &bit| 2 * sum + u128::from(bit));
        for limb in &mut limbs {
            let sum = (u128::from(*limb) << chunk.len()) + carry;
            *limb = (sum % BASE) as u64;
            carry = sum / BASE;
        }
        if carry > 0 {
            limbs.push(carry as u64);
        }
    }
    let mut digits = limbs.pop().unwrap_or(0).to_string();
    limbs.iter().rev().for_each(|limb| digits += &format!("{limb:018}"));
    digits
}

/// Compact text for messages and tables: JSON with keys in the order of the map.
impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let joined = |items: Vec<String>| items.join(",");
        match self {
            Self::Null => write!(f, "null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Digits(value) => write!(f, "{value}"),
            Self::Real(value) => write!(f, "{value}"),
            Self::Text(value) => write!(f, "{value:?}"),
            Self::List(items) => write!(f, "[{}]", joined(items.iter().map(ToString::to_string).collect())),
            Self::Map(pairs) => {
                write!(f, "{{{}}}", joined(pairs.iter().map(|(key, value)| format!("{key:?}:{value}")).collect()))
            }
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<Text> for Value {
    fn from(value: Text) -> Self {
        Self::Text(value.into_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(values: Vec<T>) -> Self {
        Self::List(values.into_iter().map(Into::into).collect())
    }
}

macro_rules! from_integers {
    ($($kind:ty),*) => {$(
        impl From<$kind> for Value {
            fn from(value: $kind) -> Self {
                Self::Int(value.into())
            }
        }
    )*};
}
from_integers!(i8, u8, u16, u32, u64, i64, i128);

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        Self::Int(value as i128)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_keys_does_not_matter() {
        let map = |pairs: &[(&str, u8)]| Value::map(pairs.iter().map(|(key, value)| (*key, (*value).into())));
        assert_eq!(map(&[("a", 1), ("b", 2)]), map(&[("b", 2), ("a", 1)]));
        for other in [&[("a", 1)][..], &[("a", 1), ("b", 3)], &[("a", 1), ("c", 2)], &[("a", 1), ("b", 2), ("c", 3)]] {
            assert_ne!(map(&[("a", 1), ("b", 2)]), map(other));
        }
        assert_ne!(Value::from("1"), Value::Digits("1".into()));
    }

    #[test]
    fn long_binary_numbers_have_exact_digits() {
        let power = |k: usize| Value::from_bits((0..k + 1).map(|j| u8::from(j == k)));
        assert_eq!(power(100), Value::Int(1 << 100));
        assert_eq!(power(128), Value::Digits("340282366920938463463374607431768211456".into()));
        let ones = Value::from_bits((0..200).map(|_| 1));
        assert_eq!(ones, Value::Digits("1606938044258990275541962092341162602522202993782792835301375".into()));
    }
}
