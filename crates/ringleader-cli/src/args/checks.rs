//! Options of the commands on everything at once: explicit checks, proofs, exact expectations.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::{ParamArgs, ProtocolArg, SEE, Sizes, bytes, count, kappas, psis, ring_sizes, sizes, threads};

#[derive(ClapArgs)]
#[command(after_long_help = format!("\
`check` visits every configuration; any edge, direction, coin and oracle answer
is a possible next step. It checks that the safe set is closed, that outputs are
constant in it, with one leader, and that it is reachable from every
configuration (for some protocols only from those of a named set, which must
then be closed itself). If all this holds, the ring becomes safe with
probability 1 under the random scheduler. It also finds all configurations that
are safe by Definition 1 of the paper, and says how many of them the safe set
has; of a file that declares none, they are the safe set. If a protocol has
inputs, such as a given colouring, all of them are tried, up to symmetry; by
default --colors is then the smallest possible number.

Verdicts: holds; fails, with a case that `replay` confirms and `inspect` reads
(where a ring never becomes safe, a loop that `view` plays); too large, with the
number of configurations.

Examples:
  ringleader check fj --n 3..8                      all sizes from 3 to 8
  ringleader check fj --n 4 --delay 3               with an oracle that is late
  ringleader check aaf --k 2 --n 3,5
  ringleader check ysm --n 4 --bound 4 --memory 4G --threads 8
  ringleader check por --n 3..7
      every two-hop colouring with the fewest colours
  ringleader check pcl --n 4 --colors 5 --json | jq .checks[0].verdict
  ringleader check elim --n 3..6
      EliminateLeaders alone, from C_PB
  ringleader check mine.py --n 3..5
      a file of yours: is it self-stabilizing?
  ringleader check mine.py --n 3..64 --domains
      can a store of it leave its domain? for all pairs of states
  ringleader check elim --n 3 --everywhere --witness case.json
      it fails outside, and `replay case.json` shows how

{SEE}"))]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) protocol: ProtocolArg,
    /// The numbers of agents, such as 4, 3..8 (both ends included) or 3,5
    #[arg(long, short, value_name = "SIZES", value_parser = sizes)]
    pub(crate) n: Sizes,
    #[command(flatten)]
    pub(crate) params: ParamArgs,
    /// Only decide, for all pairs of states, whether the text of the protocol can go wrong: a store that leaves its domain, an index, a
    /// division by zero, a `None` where a number is wanted, an `assert`
    #[cfg(feature = "prove")]
    #[arg(long, conflicts_with_all = ["everywhere", "witness", "memory", "threads"])]
    pub(crate) domains: bool,
    /// Require safety from every configuration, even where the protocol does not promise it
    #[arg(long)]
    pub(crate) everywhere: bool,
    /// The memory limit for configurations, such as 512M or 4G; each takes three bits
    #[arg(long, value_name = "BYTES", default_value = "1G", value_parser = bytes)]
    pub(crate) memory: u64,
    /// The number of threads; it does not change the result [default: one for each core]
    #[arg(long, value_name = "T", value_parser = threads)]
    pub(crate) threads: Option<usize>,
    /// Write the first witness of a failure to this file, as a case that `replay` accepts
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
#[command(after_long_help = format!("\
Of a file, and of a built-in protocol after --protocol, `prove` decides what the
text claims, ring by ring: nothing goes wrong, sets that it calls closed are,
the safe set among them, in it outputs are constant and one agent leads, no set
is empty, and from every configuration some word leads into it, so that the ring
becomes safe with probability 1. The limit is then 60 s a row unless one is
given.

A claim holds if no configuration violates it: `prove` turns the circuit of the
protocol, with a free bit for every bit of every agent, into a formula, and a
SAT solver shows that it has no solution. A solution would be a witness, which
is written as a case that `replay` and `inspect` accept. Without a CLAIM,
`prove` decides all of them; without ranges, on a quick subset. A CLAIM may be a
statement of the paper, as in `ringleader paper`.

Verdicts: holds; fails, with a witness that the clear form has confirmed;
nothing, if what the claim says exists does not; unknown, with the limit that
came first or what was tried in vain. What holds \"given\" other claims rests on
them at the same ring: --premises decides them, too.

Examples:
  ringleader prove --list                           what is claimed, and where
  ringleader prove                                  a quick subset of everything
  ringleader prove safe --n 3..44 --psi 2..7 --most-psi 7
      S_PL is closed, up to n = 7psi
  ringleader prove cpb_closed --n 3..24
  ringleader prove \"Lemma 14\"                       the claims that belong to it
  ringleader prove convergence --n 3..8 --psi 2..4 --kappa 1..2
  ringleader prove convergence --n 5..8 --psi 3 --premises
      with everything that it is given
  ringleader prove impossible --n 8 --psi 2 --witness found
  ringleader inspect found/*.json                   what it found
  ringleader prove safe --n 12 --psi 3 --certificate proofs
      formulas and DRAT proofs, for any checker; manifest.json lists them
  ringleader prove complete --psi 5 --time 60 --memory 4G
  ringleader prove --every-n --psi 2..31
      the theorems about every n, for every psi and kappa_max
  ringleader prove --every-n --smt2 smt && z3 smt/safe.smt2
      some of it for all psi at once, for any SMT solver
  ringleader prove mine.py --n 3..8                 a file of yours
  ringleader prove mine.py --n 3..6 --every --witness found
  ringleader prove --protocol ysm --n 3..8 --bound 9
  ringleader prove mine.py --n 4 --of safe --aiger safe.aag
      the graph of its safe set, for other tools

{SEE}"))]
pub(crate) struct ProveArgs {
    /// The claims, by name or by statement of the paper [default: all]
    #[arg(value_name = "CLAIM")]
    pub(crate) claims: Vec<String>,
    /// What the text of a protocol claims: a file of yours, or a built-in one by name
    #[arg(long, short, value_name = "PROTOCOL", conflicts_with = "claims")]
    pub(crate) protocol: Option<String>,
    #[command(flatten)]
    pub(crate) params: ParamArgs,
    /// List the claims instead of deciding them
    #[arg(long)]
    pub(crate) list: bool,
    /// The numbers of agents, such as 4, 3..8 or 3,5, from 3 to 512 [default: a quick subset, by claim]
    #[arg(long, short, value_name = "SIZES", value_parser = ring_sizes)]
    pub(crate) n: Option<Sizes>,
    /// The psi of P_PL, from 2 to 31 [default: a quick subset, by claim]
    #[arg(long, value_name = "SIZES", value_parser = psis)]
    pub(crate) psi: Option<Sizes>,
    /// The kappa_max of P_PL, from 1 to 65535, for the claims in which it matters; the words of `convergence` get as long as n psi kappa_max
    /// asks [default: 1]
    #[arg(long, value_name = "SIZES", value_parser = kappas)]
    pub(crate) kappa: Option<Sizes>,
    /// Decide the theorems about every number of agents: facts about two neighbours, for each psi, and reductions in PROOFS.md
    #[arg(long, conflicts_with_all = ["n", "kappa", "most_psi", "protocol"])]
    pub(crate) every_n: bool,
    /// Decide also, on the same rings, the claims that the chosen ones are given
    #[arg(long)]
    pub(crate) premises: bool,
    /// Show a row for each ring instead of a line for each claim
    #[arg(long)]
    pub(crate) every: bool,
    /// Leave out the points with n > K psi
    #[arg(long, value_name = "K")]
    pub(crate) most_psi: Option<usize>,
    /// The time limit for each row, in seconds; a row that takes longer is unknown [default: none; 60 for the text of a protocol]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) time: Option<u64>,
    /// The memory limit of the process, such as 512M or 4G; a row that takes more is unknown
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub(crate) memory: Option<u64>,
    /// Write each formula (DIMACS) and the proof that it has no solution (DRAT) into this directory, and a manifest with their hashes
    #[arg(long, value_name = "DIR")]
    pub(crate) certificate: Option<PathBuf>,
    /// With --every-n, write the facts on tokens and IDs as SMT-LIB instead, with psi, n and places as integers, into this directory
    #[arg(long, value_name = "DIR", requires = "every_n", conflicts_with_all = ["claims", "psi", "certificate", "witness"])]
    pub(crate) smt2: Option<PathBuf>,
    /// Of the text of a protocol, write the graph as AIGER instead (binary if FILE ends in .aig), at the first n
    #[arg(long, value_name = "FILE")]
    pub(crate) aiger: Option<PathBuf>,
    /// The same as BLIF
    #[arg(long, value_name = "FILE")]
    pub(crate) blif: Option<PathBuf>,
    /// What the graph is of: interact, or a set by its name, such as safe
    #[arg(long, value_name = "NAME", default_value = "interact")]
    pub(crate) of: String,
    /// Write the witnesses into this directory, as cases
    #[arg(long, value_name = "DIR")]
    pub(crate) witness: Option<PathBuf>,
    /// The number of threads; it does not change a verdict [default: one for each core]
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
#[command(after_long_help = format!("\
Numbers are those of the paper, names its labels; \"Lemma 14\", lemma14, 14 and
safe are the same. Without a STATEMENT, `paper` lists all of them, and at the
end what is ours. `prove` takes the same names and decides the claims that
belong to them.

Examples:
  ringleader paper
      what is known of each statement, and how
  ringleader paper \"Lemma 14\"
      one of them, with the commands that show it
  ringleader paper 1
      everything that has the number 1
  ringleader paper --json | jq '.statements[].title'

{SEE}"))]
pub(crate) struct PaperArgs {
    /// A number, a name, or both [default: all statements]
    #[arg(value_name = "STATEMENT", conflicts_with = "markdown")]
    pub(crate) statement: Vec<String>,
    /// Print a Markdown table
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
#[command(after_long_help = format!("\
`exact` builds the Markov chain of the reachable configurations, up to rotation
(and the names of colours, where they make no difference), and solves it: in
rational numbers if it is small, otherwise in floating point with a bound on the
error. The expectation is infinite where the target is not
reached with probability 1. Of a file that declares no safe set, the target is
all safe configurations of Definition 1, which --until largest asks of others.

Examples:
  ringleader exact ysm --n 3 --start every
      the worst start, and the mean over all
  ringleader exact ysm --n 3 --start every --until largest
      until safe by Definition 1, which the declared set only bounds
  ringleader exact elim --n 5 --start every --until at-most-one-leader
  ringleader exact fj --n 3 --start every           small enough for a fraction
  ringleader exact ppl --n 3 --psi 2 --kappa 1
      all of P_PL, with its smallest parameters
  ringleader exact por --n 5 --start two-segments --quantiles 100000
  ringleader exact ppl --psi 2 --kappa 1 --until first-leader
  ringleader exact ppl --start paper/witnesses/cpb-lone-closed-n3-psi2.json
      from the configuration of a file
  ringleader exact pcl --n 4 --start one-color
      P_CL with 16 colours, up to their names
  ringleader exact aaf --n 3 --start every --no-rotation --prism aaf.pm
      for PRISM or Storm: R{{\"steps\"}}=? [F \"safe\"]
  ringleader exact ysm --n 3 --start every --drn ysm.drn
      for Storm (storm --explicit-drn ysm.drn)

{SEE}"))]
pub(crate) struct ExactArgs {
    #[command(flatten)]
    pub(crate) protocol: ProtocolArg,
    /// The number of agents [default: 3, or as many as FILE has]
    #[arg(long, short, value_parser = count)]
    pub(crate) n: Option<u64>,
    #[command(flatten)]
    pub(crate) params: ParamArgs,
    /// A start by its name, see `run --help`, every configuration, or the configuration of a file that ends in .json, which also says the
    /// parameters, as `inspect` takes it [default: the first of `run`]
    #[arg(long, short, value_name = "NAME|every|FILE")]
    pub(crate) start: Option<String>,
    /// The seed of a random start
    #[arg(long, default_value = "0")]
    pub(crate) seed: u64,
    /// The target at which the chain ends: safe (the safe set), largest (all safe configurations of Definition 1), at-most-one-leader,
    /// first-leader, or a phase by its name, such as C_PB (`list PROTOCOL` has them)
    #[arg(long, value_name = "TARGET", default_value = "safe")]
    pub(crate) until: String,
    /// Do not merge the rotations of a configuration (this confirms that merging them is right)
    #[arg(long)]
    pub(crate) no_rotation: bool,
    /// Do not merge configurations that differ in the names of colours only, where names make no difference (this confirms that merging
    /// them is right)
    #[arg(long)]
    pub(crate) no_renaming: bool,
    /// The maximum number of configurations [default: 20000000; 500000 for a named start if there are more than 2^64]
    #[arg(long, value_name = "K")]
    pub(crate) most: Option<usize>,
    /// Also print quantiles of the number of steps from the worst start, up to this many steps
    #[arg(long, value_name = "STEPS", value_parser = count)]
    pub(crate) quantiles: Option<u64>,
    /// Write the chain as a PRISM model, with a command for each configuration
    #[arg(long, value_name = "FILE")]
    pub(crate) prism: Option<PathBuf>,
    /// Write the chain in Storm's own format, DRN, from which it need not build a model
    #[arg(long, value_name = "FILE", conflicts_with = "prism")]
    pub(crate) drn: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// No progress bar
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
