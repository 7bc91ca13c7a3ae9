//! Which series, sizes and figures of the records are wanted.
//!
//! `--only` takes conditions, separated by commas, all of which must hold: a protocol, or a property and its value, such as
//! `ppl,start=leaderless,c1=48`. Of several `--only` one must hold. A condition that no series meets is a mistake.

use std::fmt;

use ringleader_records::series::{Kind, Series};
use ringleader_records::settings::number;

/// One condition.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Condition {
    key: String,
    value: String,
}

/// Conditions that must all hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Only(Vec<Condition>);

impl std::str::FromStr for Only {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let condition = |part: &str| {
            let (key, value) = part.split_once('=').unwrap_or(("protocol", part));
            let (key, value) = (key.trim().to_owned(), value.trim().to_owned());
            (!key.is_empty() && !value.is_empty()).then_some(Condition { key, value })
        };
        let conditions: Option<Vec<Condition>> = text.split(',').map(condition).collect();
        let allowed = "allowed are a protocol, or conditions such as ppl,start=leaderless,c1=48";
        conditions.map(Self).ok_or_else(|| allowed.to_owned())
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.key, self.value)
    }
}

/// What a series is, as pairs of a property and its value.
fn properties(kind: &Kind) -> Vec<(&str, String)> {
    let faults = if kind.faults.is_empty() { "none" } else { "some" };
    let mut all = vec![
        ("protocol", kind.protocol.clone()),
        ("start", kind.start.clone()),
        ("scheduler", kind.scheduler.clone()),
        ("faults", faults.to_owned()),
    ];
    all.extend(kind.settings.iter().map(|setting| (setting.name.as_str(), number(setting.value))));
    all
}

impl Condition {
    fn holds(&self, kind: &Kind) -> bool {
        properties(kind).iter().any(|(key, value)| *key == self.key && *value == self.value)
    }
}

impl Only {
    pub(crate) fn holds(&self, kind: &Kind) -> bool {
        self.0.iter().all(|condition| condition.holds(kind))
    }

    /// What is wrong with it, if no series meets it.
    pub(crate) fn flaw(&self, series: &[Series]) -> Option<String> {
        let met = |condition: &&Condition| !series.iter().any(|one| condition.holds(&one.kind));
        if let Some(condition) = self.0.iter().find(met) {
            return Some(unmet(condition, series));
        }
        let none = !series.iter().any(|one| self.holds(&one.kind));
        none.then(|| {
            let all: Vec<String> = self.0.iter().map(ToString::to_string).collect();
            let labels: Vec<&str> = series.iter().map(|one| one.label.as_str()).collect();
            format!("--only {}: no series is all of it; there are {}", all.join(","), labels.join("; "))
        })
    }
}

/// Says what there is instead.
fn unmet(condition: &Condition, series: &[Series]) -> String {
    let all: Vec<(&str, String)> = series.iter().flat_map(|one| properties(&one.kind)).collect();
    let values = once(all.iter().filter(|(key, _)| *key == condition.key).map(|(_, value)| value.clone()));
    if values.is_empty() {
        let keys = once(all.iter().map(|(key, _)| (*key).to_owned()));
        return format!("--only {condition}: there is no {:?}; allowed are {}", condition.key, keys.join(", "));
    }
    format!("--only {condition}: no series has it; {} is {}", condition.key, values.join(", "))
}

/// Each of them once, in order.
pub(crate) fn once<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut once = Vec::new();
    for one in all {
        if !once.contains(&one) {
            once.push(one);
        }
    }
    once
}

/// Numbers of agents: ranges, both ends included, of which one may be left open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span(Vec<(u32, u32)>);

impl std::str::FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let end = |text: &str, open: u32| if text.is_empty() { Some(open) } else { text.parse().ok() };
        let part = |part: &str| match part.trim().split_once("..") {
            None => part.trim().parse().ok().map(|n| (n, n)),
            Some((from, to)) => Some((end(from, 0)?, end(to, u32::MAX)?)).filter(|(from, to)| from <= to),
        };
        let parts: Option<Vec<(u32, u32)>> = text.split(',').map(part).collect();
        parts.map(Self).ok_or_else(|| "allowed are sizes such as 64, 64..512, 64.. or 16,64,256".to_owned())
    }
}

impl Span {
    pub(crate) fn holds(&self, n: u32) -> bool {
        self.0.iter().any(|(from, to)| (*from..=*to).contains(&n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_lists_of_ranges() {
        let span = |text: &str| text.parse::<Span>();
        let held =
            |text: &str| [8, 16, 64, 100].into_iter().filter(|n| span(text).unwrap().holds(*n)).collect::<Vec<_>>();
        assert_eq!(held("16"), [16]);
        assert_eq!(held("16..64"), [16, 64]);
        assert_eq!(held("64.."), [64, 100]);
        assert_eq!(held("..16"), [8, 16]);
        assert_eq!(held("8, 100"), [8, 100]);
        for bad in ["", "x", "64..16", "1,,2", "-3", "1e3"] {
            assert!(span(bad).is_err_and(|why| why.contains("64..512")), "{bad}");
        }
    }

    #[test]
    fn conditions_are_pairs_or_protocols() {
        let condition = |key: &str, value: &str| Condition { key: key.into(), value: value.into() };
        assert_eq!("ppl, c1=4".parse(), Ok(Only(vec![condition("protocol", "ppl"), condition("c1", "4")])));
        for bad in ["", "ppl,", "=3", "start="] {
            assert!(bad.parse::<Only>().is_err_and(|why| why.contains("start=leaderless")), "{bad}");
        }
    }
}
