//! What is wrong with a text, and where: shown as a compiler shows it.

use std::fmt::{self, Write as _};

use crate::ast::Span;
use crate::parser::plain;

/// Something that is wrong at a place of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub span: Span,
    /// What is wrong, with the value.
    pub what: String,
    /// What is allowed, or what to write instead; empty if there is nothing to say.
    pub help: String,
}

impl Problem {
    /// Something that is wrong at a place.
    pub fn new(span: Span, what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { span, what: brief(what.into()), help: brief(help.into()) }
    }
}

/// So long may a word of a message be; of a longer one that a text brings, so much is shown.
const WORD: (usize, usize) = (80, 40);
/// So many names are listed.
const LISTED: usize = 16;

/// A message with long words cut.
fn brief(words: String) -> String {
    if words.len() <= WORD.0 {
        return words;
    }
    let cut = |word: &str| match word.char_indices().nth(WORD.0) {
        None => word.to_owned(),
        Some(_) => {
            let kept: String = word.chars().take(WORD.1).collect();
            // What closes a quotation.
            let end = word.trim_end_matches(|c: char| !c.is_alphanumeric());
            format!("{kept}...{}", word[end.len()..].chars().take(3).collect::<String>())
        }
    };
    words.split(' ').map(cut).collect::<Vec<_>>().join(" ")
}

/// Whether a character is not seen, or changes how others are.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Names for a message, the first ones if there are many.
pub(crate) fn listed<T: AsRef<str>>(names: &[T]) -> String {
    let shown: Vec<&str> = names.iter().take(LISTED).map(AsRef::as_ref).collect();
    format!("{}{}", shown.join(", "), if names.len() > LISTED { ", ..." } else { "" })
}

/// All that is wrong with a file, in the order of its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems {
    /// The name of the file.
    pub file: String,
    /// The text.
    pub text: String,
    /// What is wrong.
    pub all: Vec<Problem>,
}

/// So many problems are shown; what comes after is mostly their consequence.
const SHOWN: usize = 20;
/// So much of a line is shown.
const WIDTH: usize = 120;

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, problem) in self.all.iter().take(SHOWN).enumerate() {
            if k > 0 {
                writeln!(f)?;
            }
            f.write_str(&shown(&self.file, &self.text, problem))?;
        }
        let more = self.all.len().saturating_sub(SHOWN);
        if more > 0 {
            write!(f, "\n\nand {more} more")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// One problem: `file:line:column: what`, the line, a mark under the place, and what to do.
fn shown(file: &str, text: &str, problem: &Problem) -> String {
    let Problem { span, what, help } = problem;
    let text = plain(text);
    let line = text.lines().nth(span.line.saturating_sub(1) as usize).unwrap_or("");
    let number = span.line.to_string();
    let from = (span.column.max(1) - 1) as usize;
    let to =
        if span.end_line == span.line { (span.end_column as usize).saturating_sub(1) } else { line.chars().count() };
    // A long line is shown around the place.
    let first = from.saturating_sub(WIDTH - 40);
    let part: String = line.chars().skip(first).take(WIDTH).map(|c| if is_hidden(c) { ' ' } else { c }).collect();
    let width = to.saturating_sub(from).clamp(1, WIDTH.saturating_sub(from - first).max(1));
    let (gap, blank) = (" ".repeat(number.len()), " ".repeat(from - first));
    let mut out = format!("{file}:{}:{}: {what}\n", span.line, span.column);
    let _ = write!(out, "{number} | {part}\n{gap} | {blank}{}", "^".repeat(width));
    if !help.is_empty() {
        let _ = write!(out, "\n{gap} = {help}");
    }
    out
}
