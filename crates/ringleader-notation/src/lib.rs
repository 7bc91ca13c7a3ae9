//! Protocols as files: a small part of Python, read, checked and run. Pure: no files, clock, threads.
//!
//! ```text
//! text --parser--> ast --names--> program --n, parameters--> setting
//! program, setting --eval--> the law: what every function does
//! program --written--> a blueprint of the laboratory
//! ```

pub mod ast;
pub mod eval;
mod glance;
mod lexer;
mod names;
pub mod parser;
pub mod program;
mod rules;
pub mod setting;
pub mod source;
pub mod tree;
pub mod written;

use program::Program;
use source::{Problem, Problems};

/// Reads a file.
///
/// # Errors
/// All that is wrong with it.
pub fn read(file: &str, text: &str) -> Result<Program, Problems> {
    let problems = |all: Vec<Problem>| Problems { file: file.to_owned(), text: text.to_owned(), all };
    let (module, wrong) = parser::parse(text);
    if !wrong.is_empty() {
        return Err(problems(wrong));
    }
    names::resolve(file, text, &module).map_err(problems)
}
