//! Options of the commands on everything at once: explicit checks, proofs, exact expectations.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::{EXIT_CODES, ParamArgs, Sizes, bytes, count, kappas, psis, ring_sizes, sizes, threads};

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
A claim holds if no configuration whatever violates it: the circuit of the protocol, with a free
bit for every bit of every agent, becomes a formula, and a solver shows that it has no solution. If
it has one, that is the witness, a case that `replay` and `inspect` accept. Without a claim, all
are decided, and without ranges on a quick subset.

Verdicts: holds; fails, with a witness that the clear form has confirmed; nothing, if what the
claim says exists does not; unknown, with the limit that came first or what was tried in vain.

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
    /// The protocol; see `ringleader list`
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
