//! One command a file; `trial` is what `run` and `run --trials` share.

pub(crate) mod check;
pub(crate) mod exact;
#[cfg(feature = "report")]
pub(crate) mod export;
pub(crate) mod inspect;
pub(crate) mod list;
#[cfg(feature = "report")]
pub(crate) mod merge;
pub(crate) mod paper;
pub(crate) mod picture;
pub(crate) mod play;
#[cfg(feature = "prove")]
pub(crate) mod prove;
pub(crate) mod replay;
#[cfg(feature = "report")]
pub(crate) mod report;
pub(crate) mod run;
#[cfg(feature = "report")]
pub(crate) mod sweep;
#[cfg(feature = "report")]
pub(crate) mod table1;
pub(crate) mod trace;
pub(crate) mod trial;
pub(crate) mod trials;
#[cfg(feature = "view")]
pub(crate) mod view;
