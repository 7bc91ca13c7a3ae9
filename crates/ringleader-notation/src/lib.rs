//! Protocols as files: a small part of Python, read, checked and run. Pure: no files, clock, threads.

pub mod ast;
pub mod setting;
pub mod source;
pub mod tree;
