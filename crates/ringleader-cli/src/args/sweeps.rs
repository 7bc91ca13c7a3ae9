//! Options of the commands on many trials, their records and reports.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use ringleader_records::meta::Shard;

use super::{EXIT_CODES, threads};

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
A row is a trial; what is not known (`safe` of a censored trial) is empty. Every parameter and every
phase has a column, `param_psi` or `phase_S_PL`. The recovery from the last fault took
`steps - last_fault` steps, or more if the trial is censored. METHODOLOGY.md lists the columns.

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
#[command(after_long_help = format!("\
Written are report.html, which needs nothing else, figures/*.svg, and tables/*.md and *.tex. The
same records and seed give the same files to the byte. Trials that met their limit are kept.
METHODOLOGY.md says how everything is computed. LaTeX tables need booktabs, and longtable where they
are longer than a page; they hold the columns that fit a page of `article`.

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
    /// LaTeX tables with all columns, instead of those that fit a page
    #[arg(long)]
    pub(crate) wide: bool,
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
    /// Print a LaTeX table (with booktabs) that fits a page
    #[arg(long, conflicts_with = "json")]
    pub(crate) latex: bool,
    /// The LaTeX table with all columns
    #[arg(long, requires = "latex")]
    pub(crate) wide: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
