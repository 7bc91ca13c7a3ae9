//! Population protocols on rings, and their exact convergence.
//!
//! A protocol is one file in [`protocols`] that reads beside the paper: the variables of an agent, the transition
//! line by line, the output, the closed safe set. A [`trial::Trial`] says everything that determines a run; its
//! [`trial::Record`] is a pure function of it. Convergence means entering the closed safe set, and its step is exact.
//!
//! ```
//! use std::ops::ControlFlow;
//! use ringleader::{lab, trial::Trial};
//!
//! let trial = Trial::new("ppl", 16, 7);
//! let mut ring = lab::populate_trial(&trial)?;
//! let record = ring.run(&trial, &mut |_, _| ControlFlow::Continue(()))?;
//! assert!(ring.is_safe() && ring.leaders().len() == 1);
//! println!("safe for ever after {} interactions", record.safe.unwrap());
//! # Ok::<(), ringleader::error::Error>(())
//! ```
//!
//! The library does no input or output, reads no clock, starts no threads and knows nothing of its environment.

pub mod blueprint;
pub mod catalogue;
pub mod circuit;
pub mod clocks;
pub mod engine;
pub mod error;
pub mod fault;
pub mod fingerprint;
pub mod instance;
pub mod observer;
pub mod oracle;
pub mod params;
pub mod portrait;
pub mod protocol;
pub mod protocols;
pub mod random;
pub mod ring;
pub mod run;
pub mod schedule;
pub mod session;
pub(crate) mod simd;
pub mod stats;
pub mod trial;
pub mod value;
pub mod variables;

/// The example of `CONTRIBUTING.md` compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../../../CONTRIBUTING.md")]
struct Contributing;
