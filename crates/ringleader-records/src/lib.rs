//! Trials as files: JSON and cases, and many trials at once over threads.

pub mod case;
pub mod error;
pub mod files;
pub mod json;
pub mod pool;
