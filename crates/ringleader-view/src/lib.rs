//! The laboratory in a browser: a server on this machine only, and a page that is part of the binary.
//!
//! What is seen is a function of plain data: a trial, what was done to it by hand, and a step ([`description`]). A link holds that
//! data, and [`run`] computes the picture from it, with snapshots so that no step is far away. What the server remembers is a
//! cache and nothing else: a page whose run was forgotten describes it again.

mod course;
mod description;
mod export;
mod frame;
mod page;
mod run;
mod runs;
pub(crate) mod server;

/// Whether a description can be shown.
pub(crate) fn check(text: &[u8]) -> Result<(), crate::stop::Stop> {
    description::read(text).map(drop)
}

/// The largest ring that is shown; a frame holds every variable of every agent.
pub(crate) const MAX_N: usize = 16_384;
/// The largest request.
pub(crate) const MAX_BODY: usize = 32 << 20;
/// The most changes by hand in one run.
pub(crate) const MAX_EDITS: usize = 1_000;
