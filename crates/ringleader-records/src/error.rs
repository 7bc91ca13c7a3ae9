//! What is wrong with a file, a definition or a record, in words.

use std::fmt;

/// Something that cannot be read, written or understood; the message names it and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(pub String);

impl Error {
    /// An error with these words.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// The same with a place in front, such as the name of a file.
    #[must_use]
    pub fn at(self, place: impl fmt::Display) -> Self {
        Self(format!("{place}: {}", self.0))
    }
}

/// The first line of a text that somebody else wrote, cut off where it is long: what a message may show of it.
#[must_use]
pub fn brief(text: &str) -> String {
    const SHOWN: usize = 160;
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl From<ringleader::error::Error> for Error {
    fn from(error: ringleader::error::Error) -> Self {
        Self(error.to_string())
    }
}
