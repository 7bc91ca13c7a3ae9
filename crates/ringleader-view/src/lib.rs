//! Runs in a browser: a server on this machine only, and a page that is part of the program.
//!
//! What is seen is a function of plain data: a trial, its edits, and a step ([`Description`]). A link holds that data, and `run.rs`
//! computes the picture from it, with snapshots so that no step is far away. What the server remembers is a cache and nothing
//! else: a page whose run was forgotten describes it again.
//!
//! ```no_run
//! # use ringleader::catalogue::Catalogue;
//! # use ringleader_view::{Description, Library, Server};
//! # fn show(catalogue: Catalogue) -> Result<(), ringleader_records::error::Error> {
//! let opening = Description { n: Some(24), ..Description::default() };
//! let library = Library::from(catalogue);
//! opening.check(&library)?;
//! let server = Server::bind(library, &opening, 0)?;
//! println!("http://127.0.0.1:{}/", server.port());
//! server.serve(&|| false)
//! # }
//! ```

mod budget;
mod connections;
mod cursor;
mod description;
mod edits;
mod export;
mod frame;
mod library;
mod listing;
mod page;
mod run;
mod runs;
mod server;
#[cfg(test)]
mod tests;
mod turn;

pub use budget::MAX_MEMORY;
pub use description::Description;
pub use edits::EditRequest;
pub use library::Library;
pub use listing::MAX_TEXT;
pub use server::Server;

/// The largest ring that is shown; a frame holds every variable of every agent.
pub const MAX_N: usize = 16_384;
/// The largest request, and so the largest case, in bytes.
pub const MAX_BODY: usize = 32 << 20;
