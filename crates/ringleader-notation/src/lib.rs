//! Protocols as files: a small part of Python, read, checked and run. Pure: no files, clock, threads.

pub mod ast;
pub mod eval;
mod names;
pub mod program;
mod rules;
pub mod setting;
pub mod source;
pub mod tree;
