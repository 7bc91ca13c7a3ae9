//! Trials as files: JSON and cases, and many trials at once over threads. With the feature `sweeps` also what many trials are by
//! design, how they are kept, and what they say:
//!
//! definition -> cells -> trials -> outcomes -> journal -> Parquet -> series -> analysis

#[cfg(feature = "sweeps")]
pub mod analysis;
pub mod case;
#[cfg(feature = "sweeps")]
pub mod columns;
#[cfg(feature = "sweeps")]
mod contain;
#[cfg(feature = "sweeps")]
pub mod csv;
#[cfg(feature = "sweeps")]
pub mod definition;
mod disk;
pub mod drive;
pub mod error;
pub mod estimate;
pub mod files;
#[cfg(feature = "sweeps")]
mod journal;
pub mod json;
#[cfg(feature = "sweeps")]
pub mod ledger;
#[cfg(feature = "sweeps")]
pub mod merge;
#[cfg(feature = "sweeps")]
pub mod meta;
pub mod outcome;
#[cfg(feature = "sweeps")]
mod pages;
#[cfg(feature = "sweeps")]
pub mod parquet;
pub mod pool;
#[cfg(feature = "sweeps")]
mod seal;
#[cfg(feature = "sweeps")]
pub mod series;
#[cfg(feature = "sweeps")]
pub mod settings;
#[cfg(feature = "sweeps")]
pub mod sweep;
