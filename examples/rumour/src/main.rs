//! Every command of `ringleader`, with one protocol more.

mod rumour;

use std::process::ExitCode;

use ringleader_cli::{Entry, builtin};

fn main() -> ExitCode {
    ringleader_cli::main(&[builtin(), vec![Entry::of::<rumour::Rumour>()]].concat())
}
