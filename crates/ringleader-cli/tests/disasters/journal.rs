//! A reader of journals that shares no code with the program, and what may befall one.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::plan::{Damage, Definition, Dice};

const HEAD: &[u8] = b"ringleader journal 2\n";

/// The grid, the number of the cell in it, the number of the trial.
pub(crate) type Trial = (usize, usize, u64);

/// What a journal says.
#[derive(Default)]
pub(crate) struct Journal {
    /// The definitions that trials belong to, by number, with the checksums of their lines.
    definitions: BTreeMap<u64, (String, String)>,
    /// The number of the definition, the cell, the trial.
    trials: Vec<(u64, u64, u64)>,
}

impl Journal {
    /// Its good lines; `None` if it does not begin like a journal.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let mut journal = Self::default();
        let Some(lines) = bytes.strip_prefix(HEAD) else { return HEAD.starts_with(bytes).then_some(journal) };
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            let _ = journal.take(line);
        }
        Some(journal)
    }

    /// Takes in a line; `None` if it is damaged.
    fn take(&mut self, line: &[u8]) -> Option<()> {
        let (found, text) = std::str::from_utf8(line).ok()?.strip_suffix('\n')?.split_once(' ')?;
        let value: Value = serde_json::from_str(text).ok()?;
        if value.is_array() {
            let [number, cell, trial] = [0, 1, 2].map(|k| value[k].as_u64());
            let (_, seal) = self.definitions.get(&number?)?;
            (sum(&format!("{seal}{text}")) == found).then_some(())?;
            self.trials.push((number?, cell?, trial?));
            Some(())
        } else {
            let number = value["number"].as_str()?.parse().ok()?;
            let definition = as_written(value["ringleader.definition"].as_str()?).to_owned();
            (sum(text) == found).then(|| drop(self.definitions.insert(number, (definition, found.to_owned()))))
        }
    }

    /// Whether something in it belongs to this definition.
    pub(crate) fn is_of(&self, definition: &Definition) -> bool {
        self.definitions.values().any(|(text, _)| *text == definition.text())
    }

    /// All trials that belong to one of these definitions.
    pub(crate) fn trials(&self, definitions: &[Definition]) -> BTreeSet<Trial> {
        let cells_of = |text: &String| definitions.iter().find(|one| one.text() == *text).unwrap().cells();
        let cells: BTreeMap<u64, Vec<(usize, usize)>> =
            self.definitions.iter().map(|(number, (text, _))| (*number, cells_of(text))).collect();
        let place = |&(number, cell, trial): &(u64, u64, u64)| {
            let (grid, k) = cells[&number][cell as usize];
            (grid, k, trial)
        };
        self.trials.iter().map(place).collect()
    }
}

/// Whole lines as they would be in the journal of the same sweep with another seed: a digit is changed in what trials belong to, and their
/// checksums are right there.
fn strays(lines: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let parts = |line: &Vec<u8>| Some(String::from_utf8(line.clone()).ok()?.trim_end().split_once(' ')?.1.to_owned());
    let texts = || lines.iter().filter_map(parts);
    let Some(meta) = texts().find(|text| text.starts_with('{')) else { return Vec::new() };
    let seal = sum(&meta.replacen("seed = ", "seed = 1", 1));
    let trials = texts().filter(|text| text.starts_with('[')).map(|text| text.replacen("0,", "1,", 1));
    trials.map(|text| format!("{} {text}\n", sum(&format!("{seal}{text}"))).into_bytes()).collect()
}

/// A definition without the texts of its files, which follow it.
pub(crate) fn as_written(definition: &str) -> &str {
    definition.split("\n# The files").next().unwrap_or_default()
}

fn sum(text: &str) -> String {
    Sha256::digest(text)[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Damage {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Flip(..) => "a bit flipped",
            Self::Cut(_) => "cut off",
            Self::Zero(..) => "a range of zeros",
            Self::Insert(..) => "garbage inserted",
            Self::Repeat(_) => "a line twice",
            Self::Delete(_) => "a line deleted",
            Self::Swap(..) => "lines swapped",
            Self::Shuffle(_) => "lines shuffled",
            Self::Twice => "the whole journal twice",
            Self::CarriageReturns => "carriage returns",
            Self::Strays(_) => "lines of another journal",
        }
    }

    /// A journal with this damage. It is not empty.
    pub(crate) fn done_to(&self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        let place = |at: u64| (at % bytes.len() as u64) as usize;
        let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        let line = |at: u64| (at % lines.len() as u64) as usize;
        match *self {
            Self::Flip(at, bit) => {
                let at = place(at);
                bytes[at] ^= 1 << bit;
                return bytes;
            }
            Self::Cut(at) => return bytes[..place(at)].to_vec(),
            Self::Zero(at, length) => {
                let (at, end) = (place(at), bytes.len());
                bytes[at..end.min(at + length as usize)].fill(0);
                return bytes;
            }
            Self::Insert(at, ref garbage) => {
                let at = place(at);
                return [&bytes[..at], garbage, &bytes[at..]].concat();
            }
            Self::Repeat(at) => lines.insert(line(at), lines[line(at)].clone()),
            Self::Delete(at) => drop(lines.remove(line(at))),
            Self::Swap(a, b) => {
                let (a, b) = (line(a), line(b));
                lines.swap(a, b);
            }
            Self::Shuffle(seed) => Dice::new(seed, 0).shuffle(&mut lines[1..]),
            Self::Twice => return [&bytes[..], &bytes].concat(),
            Self::Strays(at) => {
                let (at, strays) = (line(at), strays(&lines));
                lines.splice(at..at, strays);
            }
            Self::CarriageReturns => lines.iter_mut().filter(|line| line.ends_with(b"\n")).for_each(|line| {
                line.pop();
                line.extend(b"\r\n");
            }),
        }
        lines.concat()
    }
}
