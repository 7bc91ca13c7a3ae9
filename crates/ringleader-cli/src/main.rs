//! `ringleader`: the command line. The only place that knows files, formats, the terminal and signals.

mod args;
mod case;
mod cmd;
mod definition;
mod files;
mod json;
mod progress;
mod report;
mod stop;
mod store;
mod text;
mod view;
mod work;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};

fn main() -> ExitCode {
    let args = Args::parse();
    progress::catch_interrupts();
    let command = args.command.unwrap_or_else(args::main_job);
    let done = match command {
        Command::Run(run) => cmd::run::run(&run),
        Command::List(list) => cmd::list::list(&list),
        Command::Sweep(sweep) => cmd::sweep::sweep(&sweep),
        Command::Merge(merge) => cmd::merge::merge(&merge),
        Command::Export(export) => cmd::export::export(&export),
        Command::Replay(replay) => cmd::replay::replay(&replay),
        Command::Check(check) => cmd::check::check(&check),
        Command::Inspect(inspect) => cmd::inspect::inspect(&inspect),
        Command::Report(report) => cmd::report::report(&report),
        Command::Table1(table1) => cmd::table1::table1(&table1),
        Command::Prove(prove) => cmd::prove::prove(&prove),
        Command::Exact(exact) => cmd::exact::exact(&exact),
        Command::View(view) => cmd::view::view(&view),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(stop) => stop.report(),
    }
}
