//! Protocols as files: a small part of Python, read, checked and run. Pure: no files, clock, threads.
//!
//! ```text
//! text --parser--> ast --names--> program --n, parameters--> setting
//! program, setting --eval--> the law: what every function does
//! program, setting --lower--> a graph of bits, for all states at once --lanes--> a circuit of the library
//! program --written--> a blueprint of the laboratory
//! ```

pub mod ast;
pub mod code;
pub mod eval;
mod glance;
pub mod graph;
pub mod lanes;
mod lexer;
pub mod listing;
pub mod lower;
mod names;
pub mod netlist;
mod pairs;
pub mod parser;
pub mod program;
mod quick;
mod rules;
pub mod setting;
pub mod source;
pub mod tree;
pub mod typeset;
pub mod written;

use program::Program;
use source::{Problem, Problems};

/// Reads a file.
///
/// # Errors
/// All that is wrong with it.
pub fn read(file: &str, text: &str) -> Result<Program, Problems> {
    let problems = |all: Vec<Problem>| Problems { file: file.to_owned(), text: text.to_owned(), all };
    let (module, mut wrong) = parser::parse(text);
    let resolved = names::resolve(file, text, &module);
    if wrong.is_empty() {
        return resolved.map_err(problems);
    }
    let misspelt = misspelt(text, &wrong, resolved.err().unwrap_or_default());
    wrong.extend(misspelt);
    wrong.sort_by_key(|problem| problem.span);
    Err(problems(wrong))
}

/// Names that are surely wrong in a file of which something could not be read: another is like them, and what could not be read does
/// not mention them.
fn misspelt(text: &str, unread: &[Problem], resolved: Vec<Problem>) -> Vec<Problem> {
    let text = parser::plain(text);
    let lines: Vec<&str> = text.lines().collect();
    let line = |number: u32| lines.get(number.saturating_sub(1) as usize).copied().unwrap_or("");
    let unread: Vec<&str> = unread.iter().map(|problem| line(problem.span.line)).collect();
    let sure = |problem: &Problem| {
        let (from, to) = (problem.span.column as usize - 1, problem.span.end_column as usize - 1);
        let word: String = line(problem.span.line).chars().take(to).skip(from).collect();
        let known = problem.help.contains("did you mean")
            || problem.help.starts_with("the variables are ") && problem.help.len() > 18;
        known && !word.is_empty() && !unread.iter().any(|line| line.contains(&word))
    };
    resolved.into_iter().filter(sure).collect()
}
