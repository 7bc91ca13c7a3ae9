//! Population protocols on rings, and their exact convergence.
//!
//! A protocol is one file in [`protocols`] that reads beside the paper: the variables of an agent, the transition
//! line by line, the output, the closed safe set. A [`trial::Trial`] says everything that determines a run; its
//! [`trial::Record`] is a pure function of it. Convergence means entering the closed safe set, and its step is exact.
//!
//! ```
//! use std::sync::Arc;
//! use ringleader::blueprint::Declared;
//! use ringleader::instance::Instance;
//! use ringleader::protocols::ppl::Ppl;
//! use ringleader::trial::{Engine, Trial};
//!
//! let trial = Trial::new("ppl", 16, 7);
//! let instance = Instance::new(Arc::new(Ppl::blueprint()), trial.n, &trial.params)?;
//! println!("{} states", instance.describe().states);
//!
//! let mut ring = instance.open(&trial)?;
//! let record = ring.run(&trial, Engine::Auto, &())?;
//! assert!(ring.is_safe() && ring.leaders().len() == 1);
//! println!("safe for ever after {} interactions", record.safe.unwrap_or(0));
//! # Ok::<(), ringleader::error::Error>(())
//! ```
//!
//! A [`blueprint::Blueprint`] is what is known of a protocol before its ring; an [`instance::Instance`] has its ring and parameters, and
//! refuses what cannot run; it runs many trials ([`instance::Instance::run`]) or opens one ring to be stepped and
//! edited ([`session::Session`]). An [`observer::Observer`] is told how things go. [`catalogue`] forgets the types.
//!
//! The library does no input or output, reads no clock, starts no threads and knows nothing of its environment.

pub mod agree;
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
