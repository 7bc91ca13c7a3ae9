//! P_PL as text: the leader, the segments with their IDs, tokens, bullets and modes.

use super::sets::{Segment, Sets};
use super::{BLACK, Mode, State, WHITE};
use crate::portrait::{LabelledSegment, PictureRow};
use crate::protocols::elim::war_row;

/// The rows of a configuration.
pub(super) fn rows(sets: Sets<'_>) -> Vec<PictureRow> {
    let row = |name, legend, cell: fn(&State) -> char| PictureRow::new(name, legend, sets.config().iter().map(cell));
    vec![
        PictureRow::new("ring", "L leader, | border of a segment", ring(sets)),
        PictureRow::new("ids", "the ID of each segment, in decimal", ids(sets)),
        row("black", "> < black token moving right, left", |v| arrow(v, BLACK)),
        row("white", "> < white token moving right, left", |v| arrow(v, WHITE)),
        war_row(sets.config()),
        row("mode", "d detects, r resetting signal, . neither", |v| match v.mode {
            _ if v.signal_r > 0 => 'r',
            Mode::Detect => 'd',
            Mode::Construct => '.',
        }),
    ]
}

fn ring(sets: Sets<'_>) -> Vec<char> {
    let cell = |i: usize| match sets.at(i).leader {
        1 => 'L',
        _ if sets.is_border(i) => '|',
        _ => '.',
    };
    (0..sets.config().len()).map(cell).collect()
}

/// Writes each ID from its border on, where it fits into the segment.
fn ids(sets: Sets<'_>) -> Vec<char> {
    let n = sets.config().len();
    let mut cells = vec![' '; n];
    for segment in sets.segments() {
        let id = sets.iota_digits(segment);
        if id.len() <= segment.length {
            let digits = id.chars().chain(std::iter::repeat(' '));
            (0..segment.length).zip(digits).for_each(|(j, digit)| cells[(segment.start + j) % n] = digit);
        }
    }
    cells
}

fn arrow(v: &State, colour: usize) -> char {
    match v.token[colour] {
        Some(token) if token.pos > 0 => '>',
        Some(_) => '<',
        None => '.',
    }
}

impl Sets<'_> {
    /// The segments with their IDs; those that begin with `dist = 0` are black.
    pub(in crate::protocols) fn labelled_segments(self) -> Vec<LabelledSegment> {
        let labelled = |segment: Segment| LabelledSegment {
            start: segment.start,
            length: segment.length,
            label: self.iota_digits(segment),
            dark: self.at(segment.start).dist == 0,
        };
        self.segments().into_iter().map(labelled).collect()
    }

    fn iota_digits(self, segment: Segment) -> String {
        crate::value::Value::from_bits(self.bits(segment)).to_string()
    }
}
