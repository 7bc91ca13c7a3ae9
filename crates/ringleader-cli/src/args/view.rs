//! Options of the commands on the view.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::{ParamArgs, SEE, count};

#[derive(ClapArgs)]
#[command(after_long_help = format!("\
The page is served to this machine only and needs no network. Its address
describes everything that it shows, so a link leads to the same picture as long
as the laboratory is open at the same port. A file is a case (such as a witness
of `check` or `prove`, or a trace of `run`) or a configuration; files can also
be dropped onto the page. Options add what a file does not specify. A protocol
that is a file is shown with its text, which can be changed in the page, as can
those of the built-in protocols. Ctrl-C closes the laboratory, with exit code 0.

Examples:
  ringleader view                                   P_PL, n = 64, from no leader
  ringleader view --protocol undirected --n 24 --start uniform --seed 7
  ringleader view --n 1000 --start uniform
      long rings become a band that can be zoomed
  ringleader view case.json
      look at an execution or a counterexample
  ringleader view mine.py --n 24
      your own protocol, its text beside the ring
  ringleader view --port 0 --no-open
      any free port, and no browser

{SEE}"))]
pub(crate) struct ViewArgs {
    /// A case or a configuration to look at, - for standard input, or a protocol
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// The protocol; see `ringleader list` [default: ppl, or what the file says]
    #[arg(long, short)]
    pub(crate) protocol: Option<String>,
    /// The number of agents, 3 to 16384 [default: 64]
    #[arg(long, short, value_parser = count)]
    pub(crate) n: Option<u64>,
    #[command(flatten)]
    pub(crate) params: ParamArgs,
    /// The initial configuration, by name; see `ringleader run --help`
    #[arg(long, short, value_name = "NAME")]
    pub(crate) start: Option<String>,
    /// The seed of all randomness, 0 to 2^64-1 [default: 1]
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// How interactions are chosen: clocks or uniform [default: clocks]
    #[arg(long)]
    pub(crate) scheduler: Option<String>,
    /// The port to serve on; 0 is any free one
    #[arg(long, default_value = "7464")]
    pub(crate) port: u16,
    /// Only print the address; do not open a browser
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Print the address as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
