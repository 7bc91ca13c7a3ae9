//! Options of the commands on the texts of protocols.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::{ParamArgs, ProtocolArg, SEE, count};

#[derive(ClapArgs)]
#[command(after_long_help = format!("\
The text of a built-in protocol is a file like those that you write, and tested
to do the same as the protocol. So a variant of the paper is a copy with a line
changed. docs/notation.md says what a file may contain.

--latex sets each function as an algorithm, with the paper's numbers of lines;
the fragment needs amsmath and algorithm2e.

Examples:
  ringleader show ppl > mine.py
      a copy to be changed; then `ringleader run mine.py --n 64`
  ringleader show mine.py --states --n 1024
      |Q|, variable by variable
  ringleader show ppl --latex > ppl.tex             for \\input
  ringleader show mine.py --latex --standalone > mine.tex && pdflatex mine.tex

{SEE}"))]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    pub(crate) protocol: ProtocolArg,
    /// Count the states of an agent, variable by variable
    #[arg(long)]
    pub(crate) states: bool,
    /// The number of agents for which states are counted [default: 256]
    #[arg(long, short, requires = "states", value_parser = count)]
    pub(crate) n: Option<u64>,
    #[command(flatten)]
    pub(crate) params: ParamArgs,
    /// Print the text as LaTeX: a fragment that needs amsmath and algorithm2e
    #[arg(long, conflicts_with = "states")]
    pub(crate) latex: bool,
    /// Print the LaTeX as a document of its own
    #[arg(long, requires = "latex")]
    pub(crate) standalone: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
#[command(after_long_help = format!("\
The file is a small protocol that works, with comments on every part: change it.
Without an option it is a leader election on a directed ring whose agents know
n. A file that is there already is never written over.

Examples:
  ringleader new mine.py
  ringleader new mine.py --undirected         a colouring, with coins
  ringleader new mine.py --rules              a table of rules, as in ppsim
  ringleader new mine.py --from ppl
      the same as `ringleader show ppl > mine.py`

{SEE}"))]
pub(crate) struct NewArgs {
    /// The file to write; its name ends in .py
    #[arg(value_name = "FILE.py")]
    pub(crate) file: PathBuf,
    /// A protocol for undirected rings
    #[arg(long)]
    pub(crate) undirected: bool,
    /// A protocol that is a table of rules
    #[arg(long, conflicts_with = "undirected")]
    pub(crate) rules: bool,
    /// A copy of this built-in protocol
    #[arg(long, value_name = "PROTOCOL", conflicts_with_all = ["undirected", "rules"])]
    pub(crate) from: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
