//! What a name may have been meant for, and what may have been said of it where nothing could be read.

use std::collections::BTreeSet;

use ringleader::error::nearest;

use crate::ast;
use crate::parser::plain;

/// Among so many names one that was meant is looked for.
const LOOKED_AT: usize = 2000;

/// The name that was probably meant: one slip away, or at least alike and about as long.
pub(super) fn near<'a>(wanted: &str, among: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let alike = |name: &&str| 2 * name.len().min(wanted.len()) >= name.len().max(wanted.len());
    let known: Vec<&str> = among.into_iter().take(LOOKED_AT).filter(alike).collect();
    known.iter().find(|name| is_slip(wanted, name)).copied().or_else(|| nearest(wanted, known))
}

/// Whether one letter more, less, or another, or two in the wrong order, make of a word another.
pub(super) fn is_slip(wanted: &str, name: &str) -> bool {
    let (a, b) = (wanted.as_bytes(), name.as_bytes());
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[same..], &b[same..]);
    match (a.len() + same, b.len() + same) {
        (0 | 1, _) | (_, 0 | 1) => false,
        (long, short) if long == short + 1 => a[1..] == *b,
        (short, long) if long == short + 1 => *a == b[1..],
        (one, other) if one == other && !a.is_empty() => {
            a[1..] == b[1..] || a.len() > 1 && (a[0], a[1]) == (b[1], b[0]) && a[2..] == b[2..]
        }
        _ => false,
    }
}

/// What could not be read.
#[derive(Default)]
pub(super) struct Unread {
    /// The lines, from and to.
    lines: Vec<(u32, u32)>,
    /// The words in them.
    words: BTreeSet<String>,
}

impl Unread {
    pub(super) fn new(text: &str, module: &ast::Module) -> Self {
        let mut unread = Self { lines: module.unread.clone(), words: BTreeSet::new() };
        if !unread.is_empty() {
            let text = plain(text);
            let lines = (1..).zip(text.lines()).filter(|(number, _)| unread.has(*number));
            unread.words = lines.flat_map(|(_, line)| words(line)).map(str::to_owned).collect();
        }
        unread
    }

    /// Whether all could be read.
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub(super) fn has(&self, line: u32) -> bool {
        self.lines.iter().any(|(from, to)| (*from..=*to).contains(&line))
    }

    /// Whether a name may have been given a meaning where nothing could be read.
    pub(super) fn mentions(&self, name: &str) -> bool {
        !self.lines.is_empty() && words(name).all(|word| self.words.contains(word))
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}
