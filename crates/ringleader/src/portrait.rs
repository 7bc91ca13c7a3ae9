//! How a protocol is shown: rows of characters, and parts of the ring with their labels.

use crate::value::Text;

/// One row of the picture of a ring: a character for every agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureRow {
    /// What the row shows.
    pub name: Text,
    /// One character an agent, `u_0` first.
    pub cells: Vec<char>,
    /// What the characters mean.
    pub legend: Text,
}

impl PictureRow {
    /// A row with a character for every agent.
    pub fn new(name: impl Into<Text>, legend: impl Into<Text>, cells: impl IntoIterator<Item = char>) -> Self {
        Self { name: name.into(), cells: cells.into_iter().collect(), legend: legend.into() }
    }

    /// The row of leaders.
    pub fn leaders(are: impl IntoIterator<Item = bool>) -> Self {
        Self::new("leader", "L leader", are.into_iter().map(|leads| if leads { 'L' } else { '.' }))
    }
}

/// Agents in a row that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelledSegment {
    /// The index of the first.
    pub start: usize,
    /// How many they are.
    pub length: usize,
    /// What it is called.
    pub label: String,
    /// Whether it is of the darker of two kinds.
    pub dark: bool,
}
