//! Reports: what `ringleader_records` finds in records, as tables, figures and a page.
//!
//! series, of which `choice` takes some -> analysis -> `tables`, `figures` -> `page`
//! figure -> `plot` lays it out -> `drawing` -> `svg`, `pdf`; or `pgf`, which leaves the drawing to LaTeX

pub(crate) mod choice;
pub(crate) mod drawing;
pub(crate) mod figures;
pub(crate) mod latex;
pub(crate) mod numbers;
pub(crate) mod page;
pub(crate) mod pdf;
pub(crate) mod pgf;
pub(crate) mod plot;
pub(crate) mod svg;
pub(crate) mod tables;
