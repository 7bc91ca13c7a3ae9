//! One command a file.

pub(crate) mod check;
pub(crate) mod exact;
pub(crate) mod inspect;
pub(crate) mod list;
pub(crate) mod picture;
pub(crate) mod prove;
pub(crate) mod replay;
pub(crate) mod run;
pub(crate) mod trace;
pub(crate) mod trials;
