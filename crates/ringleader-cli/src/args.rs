//! What the user may say. Options that are parameters of protocols come from the list of protocols.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Args as ClapArgs, FromArgMatches, Parser, Subcommand};
use ringleader::fault::Fault;
use ringleader::lab::PROTOCOLS;
use ringleader::protocol::{Parameter, Params};

use crate::store::meta::Shard;

const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    a check or an expectation failed
  2    wrong use, bad input, or a file that cannot be read or written
  3    the limit came before safety
  4    undecided: a check is too large, or a claim is unknown within its limits
  130  interrupted (Ctrl-C); what was done so far is shown and saved";

/// A laboratory for self-stabilizing leader election on rings.
///
/// Without a command, `ringleader` does its main job: it elects a leader with P_PL on a ring of 256 agents from a
/// configuration without any, and shows when it is safe for ever.
#[derive(Parser)]
#[command(version, max_term_width = 100, after_help = EXIT_CODES, after_long_help = format!("\
Examples:
  ringleader                                        elect a leader on a ring of 256 agents
  ringleader run --n 64 --start uniform --seed 7    from a random configuration, repeatable
  ringleader list --n 1024                          the protocols and their states at n = 1024
  ringleader sweep definition.toml                  many trials by design, each kept as a row
  ringleader replay case.json                       run a recorded execution and check its hashes
  ringleader inspect config.json                    which sets of the paper a configuration is in
  ringleader check fj --n 3..8                      every configuration of small rings
  ringleader report records/table1.parquet          figures and tables from the records of a sweep
  ringleader prove                                  the paper's claims on all configurations
  ringleader exact fj --n 3 --start every           exact expected numbers of steps
  ringleader view                                   see it in a browser

{EXIT_CODES}"))]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run a protocol from an adversarial start to the exact step at which it is safe for ever
    Run(RunArgs),
    /// List the protocols: ring, assumption, number of states, claimed bound, whose rules
    List(ListArgs),
    /// Replay a recorded execution and check what the case expects of it
    Replay(ReplayArgs),
    /// Run all trials that a definition asks for, and keep every one as a row
    Sweep(SweepArgs),
    /// Join the shards of a sweep into one file of records
    Merge(MergeArgs),
    /// Print records as CSV, or what they say of themselves
    Export(ExportArgs),
    /// Print the truth of every named set and predicate of the paper for a configuration
    Inspect(InspectArgs),
    /// Check every configuration of a small ring: is the safe set closed, and reachable from everywhere?
    Check(CheckArgs),
    /// Make a page, figures and tables from the records of sweeps
    Report(ReportArgs),
    /// Print the paper's Table 1: what it claims beside what was measured
    Table1(Table1Args),
    /// Decide the paper's claims on all configurations, with a SAT solver
    Prove(ProveArgs),
    /// Expected numbers of steps, exactly, from the Markov chain of a small ring
    Exact(ExactArgs),
    /// See any protocol in a browser: play, scrub, edit, corrupt, share
    View(ViewArgs),
}

/// The command without a command.
pub(crate) fn main_job() -> Command {
    Command::Run(RunArgs {
        protocol: None,
        n: None,
        params: ParamArgs::default(),
        start: None,
        fault: Vec::new(),
        seed: None,
        limit: None,
        scheduler: "clocks".into(),
        engine: "auto".into(),
        no_phases: false,
        trials: None,
        threads: None,
        trace: None,
        json: false,
        quiet: false,
    })
}

#[derive(ClapArgs)]
#[command(after_help = EXIT_CODES, after_long_help = format!("\
Steps are interactions; parallel time is steps / n. The run ends at the first step in the closed
safe set, which is exact, or at the limit. Phases are the first steps at which the sets of the
paper hold.

Examples:
  ringleader run                                    P_PL, n = 256, no leader at first
  ringleader run --n 1000 --psi 12 --start uniform
  ringleader run --start safe --fault agents=10,at=safe
                                                    corrupt 10 agents of a safe ring and recover
  ringleader run --fault list=3,variable=dist,at=5000 --fault agents=20,place=contiguous,at=safe
  ringleader run --protocol undirected --n 64       colouring and orientation included
  ringleader run --n 16 --psi 2 --unsound --limit 1e8 --seed 1
                                                    see why the paper needs 2^psi >= n
  ringleader run --n 8 --seed 1 --trace case.json   write the execution for `replay`
  ringleader run --seed 1 --json | jq .safe
  ringleader run --n 64 --trials 1000 --seed 1      mean, median, quantiles, on all cores

Starts (the first is the default; a name with a dot or a slash is a JSON file):
{}

{EXIT_CODES}", starts_help()))]
pub(crate) struct RunArgs {
    /// The protocol; see `ringleader list` [default: ppl]
    #[arg(long, short)]
    pub(crate) protocol: Option<String>,
    /// The number of agents, 3 to 1048576 [default: 256]
    #[arg(long, short, value_parser = count)]
    pub(crate) n: Option<u64>,
    #[command(flatten)]
    pub(crate) params: ParamArgs,
    /// The initial configuration: a name, or a JSON file with a list of agents, a configuration or a case
    #[arg(long, short, value_name = "NAME|FILE")]
    pub(crate) start: Option<String>,
    /// A fault on the way, such as agents=5,at=safe; may be given several times
    #[arg(long, value_name = "FAULT")]
    pub(crate) fault: Vec<Fault>,
    /// The seed of all randomness, 0 to 2^64-1 [default: a fresh one, printed]
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// The greatest number of steps, such as 5000000 or 5e6 [default: a generous multiple of n^2 log n, printed]
    #[arg(long, value_name = "STEPS", value_parser = count)]
    pub(crate) limit: Option<u64>,
    /// How interactions are chosen; clocks: a Poisson clock on every edge, which gives the same law as uniform:
    /// independent uniform arcs
    #[arg(long, default_value = "clocks")]
    pub(crate) scheduler: String,
    /// What computes it, which changes no result: auto, stepper, sliced (many rings at once), sliced-portable, sliced-avx2
    #[arg(long, default_value = "auto")]
    pub(crate) engine: String,
    /// Look only for safety and the last change of output, which is faster
    #[arg(long)]
    pub(crate) no_phases: bool,
    /// Run this many independent trials, with seeds from --seed on, and show statistics instead of phases
    #[arg(long, value_name = "K", value_parser = trials)]
    pub(crate) trials: Option<u64>,
    /// How many threads run the trials, which changes no result [default: one for every core]
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
Written are report.html, which needs nothing else, figures/*.svg, and tables/*.md and *.tex. The
same records and seed give the same files to the byte. Trials that met their limit are kept.
METHODOLOGY.md says how everything is computed.

Examples:
  ringleader report records/table1.parquet
  ringleader report one.parquet two.parquet --out comparison --baseline ysm
  ringleader report records/table1.parquet --json | jq '.series[].growth.power.a'

{EXIT_CODES}"))]
pub(crate) struct ReportArgs {
    /// Records of sweeps: Parquet files, or folders of them
    #[arg(required = true, value_name = "RECORDS")]
    pub(crate) records: Vec<PathBuf>,
    /// The folder to write to [default: report, or none with --json]
    #[arg(long, short, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// The seed of the bootstrap
    #[arg(long, default_value = "1")]
    pub(crate) seed: u64,
    /// The series that the others are compared with: its label, or a part of it that no other has [default: the first]
    #[arg(long, value_name = "SERIES")]
    pub(crate) baseline: Option<String>,
    /// Print the numbers as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
#[command(after_long_help = format!("\
The records of the experiment are in records/table1.parquet. This makes them again:
  ringleader sweep experiments/table1.toml --out records/table1.parquet

Examples:
  ringleader table1
  ringleader table1 --markdown                      as in the README
  ringleader table1 my-records --latex

{EXIT_CODES}"))]
pub(crate) struct Table1Args {
    /// Records of sweeps: Parquet files, or folders of them [default: records/table1.parquet]
    #[arg(value_name = "RECORDS")]
    pub(crate) records: Vec<PathBuf>,
    /// The seed of the bootstrap
    #[arg(long, default_value = "1")]
    pub(crate) seed: u64,
    /// Print a Markdown table
    #[arg(long, conflicts_with_all = ["latex", "json"])]
    pub(crate) markdown: bool,
    /// Print a LaTeX table
    #[arg(long, conflicts_with = "json")]
    pub(crate) latex: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
#[command(after_long_help = format!("\
Examples:
  ringleader list
  ringleader list --n 4096 --json

{EXIT_CODES}"))]
pub(crate) struct ListArgs {
    /// The number of agents for which |Q| is given
    #[arg(long, short, default_value = "256", value_parser = count)]
    pub(crate) n: u64,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Print a Markdown table
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
}

#[derive(ClapArgs)]
#[command(after_long_help = format!("\
A case holds protocol, n, the parameters, `initial`, and either `schedule` (with `draws`) or
`scheduler`, `seed` and `steps`. Printed are `final`, `leaders` and `hashes` at the times that the
case lists, or else every 100 steps (at most 1000 times in a run given by its seed). If the case
carries `hashes`, `final` or `final_S_PL` they are checked.

Examples:
  ringleader replay case.json
  ringleader run --n 8 --trace case.json && ringleader replay case.json
  ringleader replay - < case.json | jq .leaders

{EXIT_CODES}"))]
pub(crate) struct ReplayArgs {
    /// The case, or - for standard input
    #[arg(value_name = "CASE.json")]
    pub(crate) case: PathBuf,
    /// No progress bar
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(ClapArgs)]
#[command(after_long_help = format!("\
The file holds an object with `protocol`, the parameters and `config`, or a bare list of agents.
What the file does not say is taken from the options, or else from the defaults of `run`.

Examples:
  ringleader inspect config.json
  ringleader inspect agents.json --protocol ppl --psi 4 --kappa 5
  ringleader inspect case.json | jq .S_PL           the initial configuration of a case

{EXIT_CODES}"))]
pub(crate) struct InspectArgs {
    /// The configuration, or - for standard input
    #[arg(value_name = "CONFIG.json")]
    pub(crate) config: PathBuf,
    /// The protocol, if the file does not name it [default: ppl]
    #[arg(long, short)]
    pub(crate) protocol: Option<String>,
    #[command(flatten)]
    pub(crate) params: ParamArgs,
}

#[derive(ClapArgs)]
#[command(after_long_help = format!("\
Looked at is every configuration, with every edge, direction, coin and answer of an oracle as a
possible next step. The claims are: the safe set is closed, outputs are constant in it, and it is
reachable from every configuration (of some protocols only from those of a named set, which must
then be closed itself). With all of them the ring becomes safe with probability 1 under the random
scheduler. Inputs of a protocol, such as a given colouring, are taken in every way, up to
symmetry; --colors is the fewest possible by default where a colouring is given.

Verdicts: holds; fails, with a case that `replay` confirms and `inspect` reads; too large, with
the number of configurations.

Examples:
  ringleader check fj --n 3..8                      all sizes from 3 to 8
  ringleader check fj --n 4 --delay 3               with an oracle that is late
  ringleader check aaf --k 2 --n 3,5
  ringleader check ysm --n 4 --bound 4 --memory 4G --threads 8
  ringleader check por --n 3..7                     every two-hop colouring with the fewest colours
  ringleader check pcl --n 4 --colors 5 --json | jq .checks[0].verdict
  ringleader check elim --n 3..6                    EliminateLeaders alone, from C_PB
  ringleader check elim --n 3 --everywhere --witness case.json
                                                    it fails outside, and `replay case.json` shows how

{EXIT_CODES}"))]
pub(crate) struct CheckArgs {
    /// The protocol; see `ringleader list`
    #[arg(value_name = "PROTOCOL")]
    pub(crate) protocol: String,
    /// The numbers of agents, such as 4, 3..8 (both ends included) or 3,5
    #[arg(long, short, value_name = "SIZES", value_parser = sizes)]
    pub(crate) n: Sizes,
    #[command(flatten)]
    pub(crate) params: ParamArgs,
    /// Ask for safety from every configuration, even where the protocol promises nothing
    #[arg(long)]
    pub(crate) everywhere: bool,
    /// The most memory that configurations may take, such as 512M or 4G; each takes three bits
    #[arg(long, value_name = "BYTES", default_value = "1G", value_parser = bytes)]
    pub(crate) memory: u64,
    /// How many threads work, which changes no result [default: one for every core]
    #[arg(long, value_name = "T", value_parser = threads)]
    pub(crate) threads: Option<usize>,
    /// Where to write the first witness of a failure, as a case that `replay` accepts
    #[arg(long, value_name = "FILE")]
    pub(crate) witness: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// No progress bar
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(ClapArgs)]
#[command(after_help = EXIT_CODES, after_long_help = format!("\
A definition is TOML. Each [[grid]] is all combinations of its axes; an axis is one value or a
list. What stands above the grids holds for those that do not say otherwise.

  seed = 1                      # required; the seed of every trial follows from this one
  repeats = 100                 # trials of each cell [default: 100]

  [[grid]]
  protocol = [\"ppl\", \"ysm\"]
  n = [16, 32, 64]
  start = \"uniform\"           # [default: the first start of the protocol]

  [[grid]]
  protocol = \"ppl\"
  n = 64
  params = {{ c1 = [4, 8, 48], psi = \"default\" }}
  faults = [\"\", \"agents=5,at=safe\", \"agents=9,at=0; list=1+2,at=safe\"]
  limit = 1e8                   # [default: as in `run`]
  scheduler = \"uniform\"       # [default: clocks]
  phases = true                 # the first step of every phase, which is slower [default: false]
  repeats = 1000

Finished trials are kept in a journal beside the records. However a sweep ends, the same command
goes on with it, and the rows are the same as if nothing had happened. A definition that has
changed is refused unless it only adds cells. Censored trials are rows like the others, and do
not change the exit code.

Examples:
  ringleader sweep table.toml --dry-run             the cells, and how many trials they have
  ringleader sweep table.toml                       writes table.parquet
  ringleader sweep table.toml --shard 2/4           a quarter of it, into table.2of4.parquet
  ringleader merge table.*of4.parquet --out table.parquet
  ringleader export table.parquet --csv > table.csv

{EXIT_CODES}"))]
pub(crate) struct SweepArgs {
    /// The definition, or - for standard input
    #[arg(value_name = "DEFINITION.toml")]
    pub(crate) definition: PathBuf,
    /// Where the records go [default: beside the definition, with the ending .parquet]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Run the i-th of k parts only; `merge` joins them
    #[arg(long, value_name = "i/k")]
    pub(crate) shard: Option<Shard>,
    /// How many threads run the trials, which changes no result [default: one for every core]
    #[arg(long, value_name = "T", value_parser = threads)]
    pub(crate) threads: Option<usize>,
    /// List the cells and count the trials, and run nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// No progress bar
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(ClapArgs)]
#[command(after_long_help = format!("\
The page is served to this machine only and needs no network. Its address holds all that it shows,
so a link gives back the same picture as long as the laboratory is open at the same port. A file
may be a case (such as a witness of `check` or `prove`, or a trace of `run`) or a configuration;
files can also be dropped onto the page.

Examples:
  ringleader view                                   P_PL, n = 64, no leader at first
  ringleader view --protocol undirected --n 24 --start uniform --seed 7
  ringleader view --n 1000 --start uniform          long rings become a band that can be zoomed
  ringleader view case.json                         look at an execution or a counterexample
  ringleader view --port 0 --no-open                any free port, and no browser

{EXIT_CODES}"))]
pub(crate) struct ViewArgs {
    /// A case or a configuration to look at, or - for standard input
    #[arg(value_name = "FILE.json", conflicts_with_all = ["n", "start", "seed"])]
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
    /// How interactions are chosen: clocks, uniform
    #[arg(long, default_value = "clocks")]
    pub(crate) scheduler: String,
    /// The port of this machine to serve on; 0 is any free one
    #[arg(long, default_value = "7464")]
    pub(crate) port: u16,
    /// Print the address only, and open no browser
    #[arg(long)]
    pub(crate) no_open: bool,
}

/// Numbers of agents, in the order given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sizes(pub(crate) Vec<usize>);

/// Larger rings are never checked explicitly, so a longer list is a mistake.
const MAX_SIZES: usize = 1000;

fn sizes(text: &str) -> Result<Sizes, String> {
    let part = |part: &str| -> Option<Vec<usize>> {
        let number = |text: &str| count(text.trim()).ok().and_then(|n| usize::try_from(n).ok());
        match part.split_once("..") {
            None => Some(vec![number(part)?]),
            Some((from, to)) => {
                let (from, to) = (number(from)?, number(to.trim_start_matches('='))?);
                (from <= to && to - from < MAX_SIZES).then(|| (from..=to).collect())
            }
        }
    };
    let sizes: Option<Vec<Vec<usize>>> = text.split(',').map(part).collect();
    let sizes = sizes.map(|parts| parts.concat()).filter(|sizes| sizes.len() <= MAX_SIZES);
    sizes.map(Sizes).ok_or_else(|| "allowed is a number, a range such as 3..8, or several of them, such as 3,5".into())
}

fn bytes(text: &str) -> Result<u64, String> {
    let units = [("K", 10), ("M", 20), ("G", 30), ("T", 40)];
    let unit = units.iter().find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, *shift)));
    let (number, shift) = unit.unwrap_or((text, 0));
    let bytes = count(number).ok().and_then(|number| number.checked_mul(1 << shift));
    bytes.ok_or_else(|| "allowed is a number of bytes, such as 512M or 4G".into())
}

#[derive(ClapArgs)]
#[command(after_long_help = format!("\
The rows are those of a sweep that was not divided, in the same order. Shards of different
definitions or versions are refused, and so is a set of shards that does not hold every trial.

Examples:
  ringleader merge table.1of2.parquet table.2of2.parquet --out table.parquet

{EXIT_CODES}"))]
pub(crate) struct MergeArgs {
    /// The shards
    #[arg(value_name = "RECORDS.parquet", required = true)]
    pub(crate) records: Vec<PathBuf>,
    /// Where the joined records go
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
#[command(after_long_help = format!("\
A row is a trial; what is not known (`safe` of a censored trial) is empty. The recovery from the
last fault took `steps - last_fault` steps, or more if the trial is censored.

Examples:
  ringleader export table.parquet --csv > table.csv
  ringleader export table.*of4.parquet --csv --out table.csv
  ringleader export table.parquet --meta | jq -r '.[0].definition'
                                                    the definition that the records were made with

{EXIT_CODES}"))]
pub(crate) struct ExportArgs {
    /// The records
    #[arg(value_name = "RECORDS.parquet", required = true)]
    pub(crate) records: Vec<PathBuf>,
    /// Comma-separated values with a header, the columns as in the records (this is the default)
    #[arg(long, conflicts_with = "meta")]
    pub(crate) csv: bool,
    /// As JSON, what the records say of themselves: definition, version, machine, seed, shard
    #[arg(long)]
    pub(crate) meta: bool,
    /// Where it goes [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(ClapArgs)]
#[command(after_help = EXIT_CODES, after_long_help = format!("\
A claim holds if no configuration whatever violates it: the circuit of the protocol, with a free
bit for every bit of every agent, becomes a formula, and a solver shows that it has no solution. If
it has one, that is the witness, a case that `replay` and `inspect` accept. Without a claim, all
are decided, and without ranges on a quick subset.

Examples:
  ringleader prove --list                           what is claimed, and where
  ringleader prove                                  a quick subset of everything
  ringleader prove safe --n 3..44 --psi 2..7 --most-psi 7
                                                    S_PL is closed, up to n = 7psi
  ringleader prove cpb_closed --n 3..24
  ringleader prove convergence --n 3..8 --psi 2..4 --kappa 1..2
  ringleader prove impossible --n 8 --psi 2 --witness found && ringleader inspect found/*.json
  ringleader prove safe --n 12 --psi 3 --certificate proofs
                                                    formulas and DRAT proofs, for any checker
  ringleader prove complete --psi 5 --time 60 --memory 4G

{EXIT_CODES}"))]
pub(crate) struct ProveArgs {
    /// The claims, by name [default: all]
    #[arg(value_name = "CLAIM")]
    pub(crate) claims: Vec<String>,
    /// List the claims instead of deciding them
    #[arg(long)]
    pub(crate) list: bool,
    /// The numbers of agents, such as 4, 3..8 or 3,5, from 3 to 512 [default: a quick subset, by claim]
    #[arg(long, short, value_name = "SIZES", value_parser = ring_sizes)]
    pub(crate) n: Option<Sizes>,
    /// The psi of P_PL, from 2 to 31 [default: a quick subset, by claim]
    #[arg(long, value_name = "SIZES", value_parser = psis)]
    pub(crate) psi: Option<Sizes>,
    /// The kappa_max of P_PL, from 1 to 64, for the claims in which it matters [default: 1]
    #[arg(long, value_name = "SIZES", value_parser = kappas)]
    pub(crate) kappa: Option<Sizes>,
    /// Leave out the points with n > K psi
    #[arg(long, value_name = "K")]
    pub(crate) most_psi: Option<usize>,
    /// The greatest number of seconds for each row; what takes longer is unknown
    #[arg(long, value_name = "SECONDS")]
    pub(crate) time: Option<u64>,
    /// The most memory of the process, such as 512M or 4G; what takes more is unknown
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub(crate) memory: Option<u64>,
    /// Write each formula (DIMACS) and the proof that it has no solution (DRAT) into this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) certificate: Option<PathBuf>,
    /// Write the witnesses into this directory, as cases
    #[arg(long, value_name = "DIR")]
    pub(crate) witness: Option<PathBuf>,
    /// How many threads, which changes no verdict [default: one for every core]
    #[arg(long, value_name = "T", value_parser = threads)]
    pub(crate) threads: Option<usize>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// No progress bar
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(ClapArgs)]
#[command(after_help = EXIT_CODES, after_long_help = format!("\
Builds the Markov chain of the configurations that can be reached, up to rotation, and solves it:
in rational numbers if it is small, else in floating point with a bound on the error. Where the
target is not certain the expectation is infinite.

Examples:
  ringleader exact ysm --n 3 --start every          the worst start and the mean over all
  ringleader exact elim --n 5 --start every --until at-most-one-leader
  ringleader exact fj --n 3 --start every           small enough for a fraction
  ringleader exact ppl --n 3 --psi 2 --kappa 1      full P_PL at its smallest
  ringleader exact por --n 5 --start two-segments --quantiles 100000
  ringleader exact aaf --n 3 --start every --no-rotation --prism aaf.pm
                                                    for PRISM or Storm: R{{\"steps\"}}=? [F \"safe\"]

{EXIT_CODES}"))]
pub(crate) struct ExactArgs {
    /// The protocol: ppl, ppl-prime, por, pcl, pcl-derandomised, ysm, fj, aaf or elim
    pub(crate) protocol: String,
    /// The number of agents
    #[arg(long, short, default_value = "3", value_parser = count)]
    pub(crate) n: u64,
    #[command(flatten)]
    pub(crate) params: ParamArgs,
    /// A start by its name, see `run --help`, or every configuration [default: the first of `run`]
    #[arg(long, short, value_name = "NAME|every")]
    pub(crate) start: Option<String>,
    /// The seed of a random start
    #[arg(long, default_value = "0")]
    pub(crate) seed: u64,
    /// Where the chain ends
    #[arg(long, default_value = "safe", value_parser = ["safe", "at-most-one-leader"])]
    pub(crate) until: String,
    /// Keep rotations of a configuration apart, to confirm that they need not be
    #[arg(long)]
    pub(crate) no_rotation: bool,
    /// The greatest number of configurations
    #[arg(long, default_value = "20000000", value_name = "K")]
    pub(crate) most: usize,
    /// Also the quantiles of the steps from the worst start, up to so many steps
    #[arg(long, value_name = "STEPS", value_parser = count)]
    pub(crate) quantiles: Option<u64>,
    /// Write the chain as a PRISM model
    #[arg(long, value_name = "FILE")]
    pub(crate) prism: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// No progress bar
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

fn ring_sizes(text: &str) -> Result<Sizes, String> {
    sizes_within(text, 3, 512)
}

fn psis(text: &str) -> Result<Sizes, String> {
    sizes_within(text, 2, 31)
}

fn kappas(text: &str) -> Result<Sizes, String> {
    sizes_within(text, 1, 64)
}

fn sizes_within(text: &str, least: usize, most: usize) -> Result<Sizes, String> {
    let within = |sizes: &Sizes| sizes.0.iter().all(|size| (least..=most).contains(size));
    let allowed = "allowed is a number, a range such as 3..8, or several of them, such as 3,5";
    sizes(text).ok().filter(within).ok_or_else(|| format!("{allowed}, each from {least} to {most}"))
}

fn count(text: &str) -> Result<u64, String> {
    let allowed = "allowed is a whole number of at most 2^64-1, such as 5000000 or 5e6";
    ringleader::fault::count(text).ok_or_else(|| allowed.into())
}

/// The greatest number of trials in one go; each takes some memory until the end.
const MAX_TRIALS: u64 = 10_000_000;
/// More threads than any machine of today has cores.
const MAX_THREADS: u64 = 4096;

fn trials(text: &str) -> Result<u64, String> {
    let allowed = |trials: &u64| (1..=MAX_TRIALS).contains(trials);
    count(text).ok().filter(allowed).ok_or_else(|| format!("allowed is a whole number, 1 to {MAX_TRIALS}"))
}

fn threads(text: &str) -> Result<usize, String> {
    let allowed = |threads: &u64| (1..=MAX_THREADS).contains(threads);
    let threads = count(text).ok().filter(allowed).and_then(|threads| usize::try_from(threads).ok());
    threads.ok_or_else(|| format!("allowed is a whole number, 1 to {MAX_THREADS}"))
}

fn starts_help() -> String {
    let block = |entry: &ringleader::lab::Entry| {
        let starts = entry.starts();
        let lines = starts.iter().map(|(name, about)| format!("    {name:14} {about}\n"));
        format!("  {}\n{}", entry.about.name, lines.collect::<String>())
    };
    PROTOCOLS.iter().map(block).collect::<String>().trim_end().to_owned()
}

/// The parameters of all protocols, as options.
#[derive(Default)]
pub(crate) struct ParamArgs(pub(crate) Params);

/// Every parameter once, with the protocols that take it.
fn parameters() -> Vec<(Parameter, Vec<&'static str>)> {
    let mut all: Vec<(Parameter, Vec<&'static str>)> = Vec::new();
    for entry in PROTOCOLS {
        for parameter in entry.about.parameters {
            match all.iter_mut().find(|(known, _)| known.name == parameter.name) {
                Some((_, takers)) => takers.push(entry.about.name),
                None => all.push((*parameter, vec![entry.about.name])),
            }
        }
    }
    all
}

impl ClapArgs for ParamArgs {
    fn augment_args(command: clap::Command) -> clap::Command {
        let option = |(parameter, takers): (Parameter, Vec<&str>)| {
            let arg = Arg::new(parameter.name).long(parameter.name).help(format!(
                "{} ({})",
                parameter.help,
                takers.join(", ")
            ));
            if parameter.flag {
                arg.action(ArgAction::SetTrue)
            } else {
                arg.value_name("N").value_parser(clap::value_parser!(u64))
            }
        };
        command.args(parameters().into_iter().map(option))
    }
    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ParamArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut params = Params::default();
        for (Parameter { name, flag, .. }, _) in parameters() {
            let given = if flag { matches.get_flag(name).then_some(1) } else { matches.get_one::<u64>(name).copied() };
            if let Some(value) = given {
                params = params.with(name, value);
            }
        }
        Ok(Self(params))
    }
    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    /// Longer lines would be broken a second time, in the middle of a paragraph.
    #[test]
    fn long_help_fits_its_width() {
        let args = Args::command();
        for command in args.get_subcommands().chain([&args]) {
            let help = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
            // The list of starts has four spaces in front, and descriptions as long as they are.
            let long = help.lines().find(|line| line.chars().count() > 100 && !line.starts_with("    "));
            assert_eq!(long, None, "{}", command.get_name());
        }
    }

    #[test]
    fn the_main_job_is_run_without_options() {
        let Some(Command::Run(run)) = Args::parse_from(["ringleader", "run"]).command else {
            panic!("run is a command")
        };
        let Command::Run(main) = main_job() else { panic!("the main job is run") };
        assert_eq!((main.protocol, main.n, main.params.0, main.start), (run.protocol, run.n, run.params.0, run.start));
        assert_eq!((main.seed, main.limit, main.scheduler), (run.seed, run.limit, run.scheduler));
        assert_eq!(
            (main.fault, main.no_phases, main.trace, main.json),
            (run.fault, run.no_phases, run.trace, run.json)
        );
        assert_eq!((main.trials, main.threads), (run.trials, run.threads));
    }

    #[test]
    fn counts_are_read_as_people_write_them() {
        assert_eq!(["7", "5_000", "5e6"].map(|text| count(text).unwrap()), [7, 5_000, 5_000_000]);
        assert_eq!(["7", "2K", "3G"].map(|text| bytes(text).unwrap()), [7, 2048, 3 << 30]);
        assert!(["", "G", "1.5G", "99999999T"].iter().all(|text| bytes(text).is_err()));
        assert_eq!(["4", "3..5", "3,6..7"].map(|text| sizes(text).unwrap().0), [vec![4], vec![3, 4, 5], vec![3, 6, 7]]);
        assert!(["", "5..3", "3..", "x", "3,,4", "0..5000"].iter().all(|text| sizes(text).is_err()));
        assert!(["", "-1", "1.5", "1e20", "e", "99999999999999999999"].iter().all(|text| count(text).is_err()));
    }
}
