//! Options of the commands on many trials, their records and reports.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use ringleader_records::analysis::Location;
use ringleader_records::meta::Shard;

use super::{GridArgs, SEE, SlurmArgs, threads};
use crate::report::choice::{Only, Span};

#[derive(ClapArgs)]
#[command(after_long_help = format!("\
A definition is a TOML file; `sweep --example` prints one with comments. Each
[[grid]] stands for all combinations of its axes; an axis is one value or a
list. Keys above the first grid are defaults for all grids.

Finished trials are kept in a journal beside the records. However a sweep ends,
the same command resumes it, and the rows are the same as without the
interruption. A changed definition is refused unless it only adds cells or
repeats. Censored trials are rows like the others and do not change the exit
code.

Without a file, --protocol, --n and the options below them make one grid. A
range of sizes doubles: 32..512 is 32, 64, 128, 256, 512; 32..128:16 goes in
steps of 16; a list has commas.

Examples:
  ringleader sweep -p ppl --n 32..512 --start leaderless,uniform --trials 200 \\
      --out a.parquet
  ringleader sweep --example > table.toml           a definition with comments
  ringleader sweep table.toml --dry-run
      the cells, what is done, and how long it takes
  ringleader sweep table.toml                       writes table.parquet
  ringleader sweep table.toml --shard 2/4
      a quarter of it, into table.2of4.parquet
  ringleader merge table.*of4.parquet --out table.parquet
  ringleader export table.parquet --csv > table.csv

On clusters: `--shard auto` reads the number of a task from the environment of
Slurm and Grid Engine, `--shard auto/64` (tasks 1 to 64) also from that of PBS.
On Slurm all is submitted, resubmitted and merged by one command, and the
options of sbatch follow `--` (docs/cluster.md):
  ringleader sweep table.toml --slurm -- --partition=long --time=2:00:00
  ringleader sweep table.toml --slurm --status

{SEE}"))]
pub(crate) struct SweepArgs {
    /// The definition, or - for standard input
    #[arg(value_name = "DEFINITION.toml")]
    pub(crate) definition: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) grid: GridArgs,
    /// Print a definition with comments
    #[arg(long, exclusive = true)]
    pub(crate) example: bool,
    /// The file for the records [default: beside the definition, with the ending .parquet]; a grid without a file needs it
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Run only the i-th of k parts; `merge` joins them. In a job array `auto` is the part of this task
    #[arg(long, value_name = "i/k", value_parser = crate::cluster::array::shard)]
    pub(crate) shard: Option<Shard>,
    /// The number of threads; it does not change the result [default: one for each core]
    #[arg(long, value_name = "T", value_parser = threads)]
    pub(crate) threads: Option<usize>,
    /// List the cells, count the trials, and say about how long they take, without running them
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// No progress bar
    #[arg(long, short)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) slurm: SlurmArgs,
}

#[derive(ClapArgs)]
#[command(after_long_help = format!("\
The rows are those of an undivided sweep, in the same order. `merge` refuses
shards of different definitions or versions, and a set of shards that does not
hold every trial.

Examples:
  ringleader merge table.1of2.parquet table.2of2.parquet --out table.parquet

{SEE}"))]
pub(crate) struct MergeArgs {
    /// The shards
    #[arg(value_name = "RECORDS.parquet", required = true)]
    pub(crate) records: Vec<PathBuf>,
    /// The file for the joined records
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
#[command(after_long_help = format!("\
A row is a trial; an unknown value (such as `safe` of a censored trial) is
empty. Every parameter and every phase has a column, `param_psi` or
`phase_S_PL`. The recovery from the last fault took `steps - last_fault` steps,
or more if the trial is censored. METHODOLOGY.md lists the columns.

Examples:
  ringleader export table.parquet --csv > table.csv
  ringleader export table.*of4.parquet --csv --out table.csv
  ringleader export table.parquet --json | jq '.rows[].safe'
  ringleader export table.parquet --meta | jq -r '.files[0].definition'
      the definition of these records

{SEE}"))]
pub(crate) struct ExportArgs {
    /// The records
    #[arg(value_name = "RECORDS.parquet", required = true)]
    pub(crate) records: Vec<PathBuf>,
    /// Print comma-separated values with a header (the default)
    #[arg(long, conflicts_with = "meta")]
    pub(crate) csv: bool,
    /// Print the metadata of the records as JSON: definition, version, machine, seed, shard
    #[arg(long)]
    pub(crate) meta: bool,
    /// Print one JSON object: the rows or, with --meta, the metadata
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// The file to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(ClapArgs)]
#[command(after_long_help = format!("\
`report` writes report.html, which needs no other file; figures/*.svg and *.pdf,
with their data as *.csv and PGFPlots that draws it as *.tex; and tables/*.md
and *.tex. The same records, options and seed give the same files, byte by byte.
Trials that met their limit are included. METHODOLOGY.md explains how everything
is computed. LaTeX tables need booktabs, and longtable if they are longer than a
page; they hold the columns that fit a page of `article`.

Examples:
  ringleader report records/table1.parquet
  ringleader report one.parquet two.parquet --out comparison --baseline ysm
  ringleader report records/table1.parquet --figure steps \\
      --only ppl,start=leaderless --n 64..
  ringleader report records/table1.parquet --only ppl --only ysm \\
      --y-axis linear --centre median
  ringleader report records/table1.parquet --columns 'n,median,95 % quantile'
  ringleader report records/table1.parquet --json | jq .series[].growth.power

{SEE}"))]
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
    /// The series that all others are compared with: its label, or a part of it that no other has [default: the first]
    #[arg(long, value_name = "SERIES")]
    pub(crate) baseline: Option<String>,
    /// Only these series: a protocol, or conditions such as ppl,start=leaderless,c1=48 (also scheduler=, faults=none or
    /// some); repeat it for more
    #[arg(long, value_name = "CONDITIONS")]
    pub(crate) only: Vec<Only>,
    /// Only these numbers of agents, such as 64, 64..512, 64.. or 16,64,256
    #[arg(long, value_name = "SIZES")]
    pub(crate) n: Option<Span>,
    /// Draw only figures of this name, such as tail-ppl, or kind, such as tail; repeat it for more
    #[arg(long = "figure", value_name = "NAME")]
    pub(crate) figures: Vec<String>,
    /// What figures show of the trials of a size [default: mean, or median where trials are censored]
    #[arg(long, value_name = "WHICH")]
    pub(crate) centre: Option<Centre>,
    /// The horizontal axis of all figures [default: as suits each]
    #[arg(long, value_name = "SCALE")]
    pub(crate) x_axis: Option<AxisScale>,
    /// The vertical axis of all figures [default: as suits each]
    #[arg(long, value_name = "SCALE")]
    pub(crate) y_axis: Option<AxisScale>,
    /// Draw figures without titles, for papers that have captions
    #[arg(long)]
    pub(crate) no_titles: bool,
    /// The columns of LaTeX tables, separated by commas, as in the Markdown tables; one that has none of them stays as it is
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) columns: Vec<String>,
    /// Write LaTeX tables with all columns, even if they do not fit a page
    #[arg(long, conflicts_with = "columns")]
    pub(crate) wide: bool,
    /// Print the numbers as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// What stands for the trials of a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Centre {
    Mean,
    Median,
}

impl From<Centre> for Location {
    fn from(centre: Centre) -> Self {
        match centre {
            Centre::Mean => Self::Mean,
            Centre::Median => Self::Median,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AxisScale {
    Linear,
    Log,
}

#[derive(ClapArgs)]
#[command(after_long_help = format!("\
The records of the experiment are in records/table1.parquet. To make them again:
  ringleader sweep experiments/table1.toml --out records/table1.parquet

Examples:
  ringleader table1
  ringleader table1 --markdown                      as in docs/reports.md
  ringleader table1 my-records --latex

{SEE}"))]
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
    /// Print a LaTeX table (with booktabs) that fits a page
    #[arg(long, conflicts_with = "json")]
    pub(crate) latex: bool,
    /// Print the LaTeX table with all columns, which does not fit a page
    #[arg(long, requires = "latex")]
    pub(crate) wide: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
