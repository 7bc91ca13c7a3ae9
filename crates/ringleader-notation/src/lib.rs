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
    wrong.extend(resolved.err().unwrap_or_default());
    wrong.sort_by_key(|problem| problem.span);
    wrong.truncate(lexer::MOST_PROBLEMS);
    Err(problems(wrong))
}
