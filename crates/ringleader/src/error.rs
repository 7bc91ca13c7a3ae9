//! The one error of the library: a value that is not allowed, with what is.

use std::fmt;

/// At most this many characters of a value are shown.
const SHOWN: usize = 120;

/// Something was asked for that cannot be; the message names the value and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What the value is for, such as `psi` or `agent 3, variable dist`.
    pub name: String,
    /// The offending value.
    pub value: String,
    /// What would be accepted.
    pub allowed: String,
}

impl Error {
    /// `name = value` is refused because of `allowed`.
    pub fn new(name: impl Into<String>, value: impl ToString, allowed: impl Into<String>) -> Self {
        let value = value.to_string();
        let shown = if value.chars().count() > SHOWN {
            value.chars().take(SHOWN).chain("...".chars()).collect()
        } else {
            value
        };
        Self { name: name.into(), value: shown, allowed: allowed.into() }
    }

    /// The same error with a place in front of the name.
    #[must_use]
    pub fn at(mut self, place: &str) -> Self {
        self.name = format!("{place}, {}", self.name);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}: {}", self.name, self.value, self.allowed)
    }
}

impl std::error::Error for Error {}
