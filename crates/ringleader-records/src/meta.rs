//! What a file of records says of itself.

use std::fmt;
use std::str::FromStr;

use crate::columns::fingerprint;
use crate::pool::all_cores;

/// The layout of rows and of what is said of them; another number is another layout.
pub const FORMAT: &str = "2";
/// Earlier layouts that are read; in format 1 parameters and phases were text.
const READ: [&str; 2] = ["1", FORMAT];
/// This program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A part of a sweep: trial number j belongs to shard `index` of `count` if j = index - 1 modulo count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 1 on.
    pub index: u32,
    /// How many there are.
    pub count: u32,
}

impl Shard {
    /// A sweep that is not divided.
    pub const WHOLE: Self = Self { index: 1, count: 1 };
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/').and_then(|(i, k)| Some((i.parse().ok()?, k.parse().ok()?)));
        let shard = parts.map(|(index, count)| Self { index, count });
        let fits = |shard: &Self| (1..=shard.count).contains(&shard.index) && shard.count <= 1_000_000;
        shard.filter(fits).ok_or_else(|| "the form is i/k, the i-th of k parts, with 1 <= i <= k <= 1000000".to_owned())
    }
}

/// Where the rows of a file come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meta {
    /// The layout of its rows.
    pub format: String,
    /// The text of the definition.
    pub definition: String,
    /// The hash of what the text means: of its list of cells.
    pub hash: String,
    /// The version that ran the trials.
    pub version: String,
    /// What ran them; nothing else in the file depends on it.
    pub machine: String,
    /// The master seed.
    pub seed: u64,
    /// Which part of the sweep it is.
    pub shard: Shard,
    /// The fingerprint of the rules of each cell; 0, or no entry, if it is not known.
    pub rules: Vec<u64>,
}

impl Meta {
    /// As pairs of names and values.
    pub fn pairs(&self) -> [(&'static str, String); 8] {
        [
            ("ringleader.format", self.format.clone()),
            ("ringleader.version", self.version.clone()),
            ("ringleader.definition", self.definition.clone()),
            ("ringleader.hash", self.hash.clone()),
            ("ringleader.machine", self.machine.clone()),
            ("ringleader.seed", self.seed.to_string()),
            ("ringleader.shard", self.shard.to_string()),
            ("ringleader.rules", self.rules.iter().map(|&rules| fingerprint(rules)).collect::<Vec<_>>().join(" ")),
        ]
    }

    /// From pairs, which `get` finds.
    ///
    /// # Errors
    /// If they are not there or of another format: what is wrong, to be put after the name of the file.
    pub fn from_pairs(get: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let format = get("ringleader.format").ok_or("it holds no records of ringleader")?;
        let version = get("ringleader.version").unwrap_or_else(|| "unknown".into());
        if !READ.contains(&&*format) {
            return Err(format!(
                "it has format {format} and was written by ringleader {version}; this is ringleader {VERSION}, which \
                 reads format {}",
                READ.join(" and ")
            ));
        }
        let need = |name: &str| get(name).ok_or_else(|| format!("{name} is missing, so it is damaged"));
        let wrong = |name: &str| format!("{name} makes no sense, so it is damaged");
        let words = get("ringleader.rules").unwrap_or_default();
        let one = |word: &str| if word.is_empty() { Ok(0) } else { u64::from_str_radix(word, 16) };
        let rules: Result<Vec<u64>, _> = words.split(' ').map(one).collect();
        Ok(Self {
            format,
            definition: need("ringleader.definition")?,
            hash: need("ringleader.hash")?,
            version,
            machine: need("ringleader.machine")?,
            seed: need("ringleader.seed")?.parse().map_err(|_| wrong("ringleader.seed"))?,
            shard: need("ringleader.shard")?.parse().map_err(|_| wrong("ringleader.shard"))?,
            rules: rules.map_err(|_| wrong("ringleader.rules"))?,
        })
    }
}

/// Adds what ran some trials to what is known already, each once. Where there were no trials, nothing did.
pub(crate) fn add_machines(known: &mut Vec<String>, machine: &str) {
    for one in machine.split("; ").filter(|one| !one.is_empty()) {
        if !known.iter().any(|other| other == one) {
            known.push(one.to_owned());
        }
    }
}

/// The machine in a few words: processor, cores, system.
pub fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let model = model.map_or("unknown processor", |(_, name)| name.trim());
    let cores = match all_cores() {
        1 => "1 core".to_owned(),
        cores => format!("{cores} cores"),
    };
    format!("{model}, {cores}, {} {}", std::env::consts::OS, std::env::consts::ARCH)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn sample() -> Meta {
        Meta {
            format: FORMAT.into(),
            definition: "seed = 1\n".into(),
            hash: "00".into(),
            version: VERSION.into(),
            machine: machine(),
            seed: u64::MAX,
            shard: Shard { index: 2, count: 3 },
            rules: vec![0, u64::MAX, 7],
        }
    }

    #[test]
    fn shards_are_read_as_they_are_written() {
        assert_eq!("2/3".parse(), Ok(Shard { index: 2, count: 3 }));
        assert_eq!("1/1".parse::<Shard>().unwrap().to_string(), "1/1");
        assert!(
            ["0/3", "4/3", "1", "1/", "/1", "-1/2", "1/1000001", "a/b", "1/2/3"]
                .iter()
                .all(|text| { text.parse::<Shard>().is_err() })
        );
    }

    #[test]
    fn what_was_written_is_read_and_other_formats_are_not() {
        let pairs = sample().pairs();
        let get = |name: &str| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| value.clone());
        assert_eq!(Meta::from_pairs(get), Ok(sample()));
        assert!(Meta::from_pairs(|_| None).unwrap_err().contains("no records"));
        let other = |name: &str| if name.ends_with("format") { Some("3".into()) } else { get(name) };
        let told = Meta::from_pairs(other).unwrap_err();
        assert!(told.contains("format 3") && told.contains("reads format 1 and 2"), "{told}");
        let without = |name: &str| get(name).filter(|_| !name.ends_with("seed"));
        assert!(Meta::from_pairs(without).unwrap_err().contains("ringleader.seed is missing"));
    }
}
