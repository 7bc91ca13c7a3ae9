//! One command a file.

pub(crate) mod check;
pub(crate) mod exact;
pub(crate) mod export;
pub(crate) mod inspect;
pub(crate) mod list;
pub(crate) mod merge;
pub(crate) mod picture;
pub(crate) mod prove;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod sweep;
pub(crate) mod table1;
pub(crate) mod trace;
pub(crate) mod trials;
pub(crate) mod view;
