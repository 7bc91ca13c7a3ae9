//! Parameters by name: what was given, and what is in force.

use crate::error::Error;
use crate::value::Text;

/// A parameter of a protocol; it becomes an option of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: Text,
    /// What it means, and its default.
    pub help: Text,
    /// Whether it is given without a value (and then counts as 1).
    pub flag: bool,
}

/// The parameters in force, defaults included.
pub type Settings = Vec<(Text, u64)>;

/// Parameters by name. Plain data: what was given, not what is in force.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Params(pub Vec<(String, u64)>);

impl Params {
    /// The same parameters and one more.
    #[must_use]
    pub fn with(mut self, name: &str, value: u64) -> Self {
        self.0.push((name.to_owned(), value));
        self
    }

    /// These parameters and others, which outweigh them.
    #[must_use]
    pub fn and(mut self, others: &Self) -> Self {
        self.0.extend(others.0.iter().cloned());
        self
    }

    /// The value of a parameter, if it was given.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<u64> {
        self.0.iter().rev().find(|(given, _)| given == name).map(|(_, value)| *value)
    }

    /// The value of a parameter, or its default, checked against a range.
    ///
    /// # Errors
    /// If the value lies outside.
    pub fn within(&self, name: &str, default: u64, low: u64, high: u64) -> Result<u64, Error> {
        let value = self.get(name).unwrap_or(default);
        if (low..=high).contains(&value) {
            Ok(value)
        } else {
            Err(Error::new(name, value, format!("allowed is {low} to {high}")))
        }
    }
}
