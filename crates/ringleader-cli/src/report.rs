//! Reports: what `ringleader_records` finds in records, as tables, figures and a page.
//!
//! series -> analysis -> `tables`, `figures` -> `page`

pub(crate) mod figures;
pub(crate) mod latex;
pub(crate) mod numbers;
pub(crate) mod page;
pub(crate) mod svg;
pub(crate) mod tables;
