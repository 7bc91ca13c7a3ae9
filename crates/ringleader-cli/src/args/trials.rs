//! Options of the commands on one trial, and single configurations.

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::Args as ClapArgs;
use ringleader::fault::Fault;

use super::{ParamArgs, ProtocolArg, SEE, agents, count, seed, threads, trials};

#[derive(ClapArgs)]
#[command(after_long_help = format!("\
Steps are interactions; parallel time is steps / n. The run ends at the first
step in the closed safe set (the exact step), or at the limit. Of a file that
declares no safe set it ends when nothing can change any more: silent. Phases
are the first steps at which the sets of the paper hold.

Examples:
  ringleader run
      P_PL, n = 256, from no leader
  ringleader run --n 1000 --psi 12 --start uniform
  ringleader run --start safe --fault agents=10,at=safe
      corrupt 10 agents of a safe ring and recover
  ringleader run --fault list=3,variable=dist,at=5000 \\
      --fault agents=20,place=contiguous,at=safe
  ringleader run --protocol undirected --n 64
      colouring and orientation included
  ringleader run --n 16 --psi 2 --unsound --limit 1e8 --seed 1
      see why the paper needs 2^psi >= n
  ringleader run --n 8 --seed 1 --trace case.json
      write the execution for `replay`
  ringleader run --seed 1 --json | jq .safe
  ringleader run --n 64 --trials 1000 --seed 1
      mean, median, quantiles, on all cores

`ringleader list ppl` explains the starts and parameters of ppl; a start with a
dot or a slash in its name is a JSON file. A fault is
agents=K[,place=random|contiguous] or list=I+J+..., then
[,variable=NAME],at=safe|STEP: at that step these agents find that variable, or
all of theirs, overwritten at random.

{SEE}"))]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) protocol: ProtocolArg,
    /// The number of agents, 3 to 1048576 [default: 256]
    #[arg(long, short, value_parser = agents)]
    pub(crate) n: Option<u64>,
    #[command(flatten)]
    pub(crate) params: ParamArgs,
    /// The initial configuration: a name, or a JSON file with a list of agents, a configuration or a case
    #[arg(long, short, value_name = "NAME|FILE")]
    pub(crate) start: Option<String>,
    /// A fault during the run, such as agents=5,at=safe; can be given several times
    #[arg(long, value_name = "FAULT")]
    pub(crate) fault: Vec<Fault>,
    /// The seed of all randomness, 0 to 2^64-1 [default: a fresh one, printed]
    #[arg(long, value_parser = seed)]
    pub(crate) seed: Option<u64>,
    /// The maximum number of steps, such as 5000000 or 5e6 [default: a generous multiple of n^2 log n, printed]
    #[arg(long, value_name = "STEPS", value_parser = count)]
    pub(crate) limit: Option<u64>,
    /// How interactions are chosen: clocks (a Poisson clock on every edge) or uniform (independent uniform arcs); both have
    /// the same law
    #[arg(long, default_value = "clocks")]
    pub(crate) scheduler: String,
    /// The engine; it does not change the result: auto, stepper, sliced (many lanes at once), sliced-portable, sliced-avx2,
    /// sliced-interpreted
    #[arg(long, default_value = "auto")]
    pub(crate) engine: String,
    /// Record only safety and the last change of output, which is faster
    #[arg(long)]
    pub(crate) no_phases: bool,
    /// Run this many independent trials, with consecutive seeds from --seed on, and show statistics
    #[arg(long, value_name = "K", value_parser = trials)]
    pub(crate) trials: Option<u64>,
    /// With --trials and without faults, also find where the time goes, phase by phase, which is slower
    #[arg(long, requires = "trials", conflicts_with_all = ["no_phases", "fault"])]
    pub(crate) phases: bool,
    /// The number of threads; it does not change the result [default: one for each core]
    #[arg(long, value_name = "T", requires = "trials", value_parser = threads)]
    pub(crate) threads: Option<usize>,
    /// Write the execution as a case that `replay` accepts
    #[arg(long, value_name = "FILE", conflicts_with = "trials")]
    pub(crate) trace: Option<PathBuf>,
    /// Print the record as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// No progress bar
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(ClapArgs)]
#[command(after_long_help = format!("\
Examples:
  ringleader list
  ringleader list ppl
      its starts, parameters and phases
  ringleader list --n 4096 --json

{SEE}"))]
pub(crate) struct ListArgs {
    /// One protocol, in detail [default: all]
    #[arg(value_name = "PROTOCOL")]
    pub(crate) protocol: Option<String>,
    /// The number of agents for which |Q| is computed
    #[arg(long, short, default_value = "256", value_parser = count)]
    pub(crate) n: u64,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Print a Markdown table
    #[arg(long, conflicts_with_all = ["json", "protocol"])]
    pub(crate) markdown: bool,
}

#[derive(ClapArgs)]
#[command(after_long_help = format!("\
A case holds protocol, n, the parameters, `initial`, and either `schedule` (with
`draws`) or `scheduler`, `seed` and `steps`. `replay` prints `final`, `leaders`
and `hashes` at the times that the case lists, or else every 100 steps (at most
1000 times in a run given by its seed). It checks `hashes`, `final` and
`final_S_PL` if the case has them. On a terminal it says in words what came of
that; elsewhere, or with --json, it prints one JSON object.

The case of a protocol that is a file has its text, and is replayed with that,
wherever the file is now; --protocol FILE takes another one.

Examples:
  ringleader replay case.json
  ringleader run --n 8 --trace case.json && ringleader replay case.json
  ringleader replay - < case.json | jq .leaders

{SEE}"))]
pub(crate) struct ReplayArgs {
    /// The case, or - for standard input
    #[arg(value_name = "CASE.json")]
    pub(crate) case: PathBuf,
    /// The protocol, in the place of that of the case, such as a file that was changed since
    #[arg(long, short, value_name = "PROTOCOL")]
    pub(crate) protocol: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
    /// No progress bar
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(ClapArgs)]
#[command(after_long_help = format!("\
The file holds an object with `protocol`, the parameters and `config`, or a bare
list of agents. What the file does not specify comes from the options, or else
from the defaults of `run`. On a terminal `inspect` says in words which sets
hold, and why not; elsewhere, or with --json, it prints one JSON object.

Examples:
  ringleader inspect config.json
  ringleader inspect agents.json --protocol ppl --psi 4 --kappa 5
  ringleader inspect case.json | jq .S_PL
      the initial configuration of a case
  ringleader inspect case.json --text | less        in words, wherever they go

{SEE}"))]
pub(crate) struct InspectArgs {
    /// The configuration, or - for standard input
    #[arg(value_name = "CONFIG.json")]
    pub(crate) config: PathBuf,
    /// The protocol, if the file does not name it [default: ppl]
    #[arg(long, short)]
    pub(crate) protocol: Option<String>,
    #[command(flatten)]
    pub(crate) params: ParamArgs,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Words for people on a terminal, and JSON for whatever else reads standard output, as it always was.
#[derive(ClapArgs)]
pub(crate) struct Format {
    /// Print one JSON object, even on a terminal
    #[arg(long)]
    json: bool,
    /// Print words, even if standard output is no terminal
    #[arg(long, conflicts_with = "json")]
    text: bool,
}

impl Format {
    pub(crate) fn is_json(&self) -> bool {
        self.json || !(self.text || std::io::stdout().is_terminal())
    }
}
