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

    /// A name that nothing has; the message lists those that something has, after these words, and the one that was probably meant.
    pub fn unknown<'a>(
        name: impl Into<String>,
        value: &str,
        words: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        let meant =
            nearest(value, known.iter().copied()).map_or(String::new(), |name| format!("; did you mean {name}?"));
        Self::new(name, value, format!("{words} {}{meant}", known.join(", ")))
    }

    /// The same error with a place in front of the name.
    #[must_use]
    pub fn at(mut self, place: &str) -> Self {
        self.name = format!("{place}, {}", self.name);
        self
    }
}

/// How alike two names must be for one to be meant by the other.
const ALIKE: f64 = 0.7;

/// The name that was probably meant.
pub fn nearest<'a>(wanted: &str, among: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Nobody types a name that long.
    let wanted: String = wanted.chars().take(SHOWN).collect::<String>().to_lowercase();
    let likeness = |name: &str| strsim::jaro_winkler(&wanted, &name.to_lowercase());
    let scored = among.into_iter().map(|name| (likeness(name), name)).filter(|(likeness, _)| *likeness > ALIKE);
    scored.reduce(|best, other| if other.0 > best.0 { other } else { best }).map(|(_, name)| name)
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}: {}", self.name, self.value, self.allowed)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_the_one_that_was_meant() {
        let names = ["ppl", "ppl-prime", "por", "pcl", "undirected", "ysm"];
        let meant = |wanted: &str| nearest(wanted, names);
        assert_eq!(
            ["PPL", "pplprime", "undirectd", "ysn"].map(meant),
            [Some("ppl"), Some("ppl-prime"), Some("undirected"), Some("ysm")]
        );
        assert_eq!((meant("leader"), meant(&"x".repeat(1 << 20))), (None, None));
        let told = Error::unknown("protocol", "pp", "allowed is", names).to_string();
        assert_eq!(told, "protocol = pp: allowed is ppl, ppl-prime, por, pcl, undirected, ysm; did you mean ppl?");
    }
}
