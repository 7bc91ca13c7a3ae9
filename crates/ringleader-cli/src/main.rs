//! `ringleader`: the command line with the built-in protocols.

use std::process::ExitCode;

fn main() -> ExitCode {
    ringleader_cli::main(&ringleader_cli::builtin())
}
