//! The command line of Ringleader: the only place that knows the terminal, signals and exit codes. The list of protocols is an
//! argument, so a program with protocols of its own is a few lines:
//!
//! ```no_run
//! use std::process::ExitCode;
//! use ringleader_cli::{Entry, builtin};
//! # use ringleader::protocols::fj::Fj as Rumour;
//!
//! fn main() -> ExitCode {
//!     ringleader_cli::main(&[builtin(), vec![Entry::of::<Rumour>()]].concat())
//! }
//! ```

mod args;
#[cfg(feature = "report")]
mod cluster;
mod cmd;
mod forecast;
mod paper;
mod progress;
#[cfg(feature = "report")]
mod report;
mod shapes;
mod stdout;
mod stop;
mod text;
mod texts;

use std::process::ExitCode;

use crate::args::Command;
use crate::stop::Stop;

use ringleader_catalogue::File;
pub use ringleader_catalogue::{Entries, Entry, Tools, builtin};

/// Runs the command that the arguments of the process name, with these protocols.
#[must_use]
pub fn main(protocols: &[Entry]) -> ExitCode {
    // Asked for before anything is parsed, for what cannot be parsed is an error too.
    let as_json = std::env::args_os().any(|word| word == "--json");
    match parse_and_run(protocols, as_json) {
        Ok(()) => ExitCode::SUCCESS,
        Err(stop) => stop.report(as_json),
    }
}

fn parse_and_run(protocols: &[Entry], as_json: bool) -> Result<(), Stop> {
    let files = texts::named(std::env::args_os().skip(1))?;
    // Those of files come first: where parameters have the same name, theirs counts.
    let all: Vec<Entry> = files.iter().map(|file| file.entry.clone()).chain(protocols.iter().cloned()).collect();
    let unread = texts::Unread::default();
    let entries = Entries::new(&all)?.reading(texts::reader(&unread));
    let command = args::parse(&entries, as_json)?;
    progress::catch_interrupts();
    let done = run(&command, &entries, &files);
    // A text that went wrong on its way has no results.
    texts::trouble(&files)?;
    match (done, progress::locked(&unread).take()) {
        // The same with its places, for those who asked for JSON.
        (Err(Stop::Bad(told)), Some(problems)) if told.contains(&problems.to_string()) => Err(problems.into()),
        (done, _) => done,
    }
}

fn run(command: &Command, entries: &Entries, files: &[File]) -> Result<(), Stop> {
    match command {
        Command::Run(args) => cmd::run::run(args, entries),
        Command::List(args) => cmd::list::list(args, entries),
        Command::New(args) => cmd::new::new(args, entries),
        Command::Show(args) => cmd::show::show(args, entries, files),
        Command::Replay(args) => cmd::replay::replay(args, entries),
        Command::Inspect(args) => cmd::inspect::inspect(args, entries),
        Command::Paper(args) => cmd::paper::paper(args),
        #[cfg(feature = "prove")]
        Command::Check(args) if args.domains => cmd::domains::domains(args, entries, files),
        Command::Check(args) => cmd::check::check(args, entries),
        Command::Exact(args) => cmd::exact::exact(args, entries),
        Command::Completions(args) => cmd::shell::completions(args, entries),
        Command::Man(args) => cmd::shell::man(args, entries),
        #[cfg(feature = "report")]
        Command::Sweep(args) => cmd::sweep::sweep(args, entries),
        #[cfg(feature = "report")]
        Command::Merge(args) => cmd::merge::merge(args, entries),
        #[cfg(feature = "report")]
        Command::Export(args) => cmd::export::export(args),
        #[cfg(feature = "report")]
        Command::Report(args) => cmd::report::report(args, entries),
        #[cfg(feature = "report")]
        Command::Table1(args) => cmd::table1::table1(args, entries),
        #[cfg(feature = "prove")]
        Command::Prove(args) => cmd::prove::prove(args, entries, files),
        #[cfg(feature = "view")]
        Command::View(args) => cmd::view::view(args, entries, files),
    }
}
