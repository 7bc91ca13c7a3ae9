//! Protocols as files: a small part of Python, read, checked and run. Pure: no files, clock, threads.

pub mod ast;
mod lexer;
pub mod parser;
pub mod source;
