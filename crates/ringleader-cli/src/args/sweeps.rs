//! Options of the commands on many trials, their records and reports.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use ringleader_records::meta::Shard;

use super::{EXIT_CODES, SlurmArgs, threads};

#[derive(ClapArgs)]
#[command(after_help = EXIT_CODES, after_long_help = format!("\
A definition is a TOML file. Each [[grid]] stands for all combinations of its axes; an axis is one
value or a list. Keys above the first grid are defaults for all grids.

  seed = 1                      # required; all seeds of trials are derived from it
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
  phases = true                 # record the first step of every phase; slower [default: false]
  repeats = 1000

Finished trials are kept in a journal beside the records. However a sweep ends, the same command
resumes it, and the rows are the same as without the interruption. A changed definition is refused
unless it only adds cells. Censored trials are rows like the others and do not change the exit code.

Examples:
  ringleader sweep table.toml --dry-run             the cells, and how many trials they have
  ringleader sweep table.toml                       writes table.parquet
  ringleader sweep table.toml --shard 2/4           a quarter of it, into table.2of4.parquet
  ringleader merge table.*of4.parquet --out table.parquet
  ringleader export table.parquet --csv > table.csv

On clusters: `--shard auto` reads the number of a task from the environment of Slurm and of Grid
Engine, `--shard auto/64` (tasks 1 to 64) also from that of PBS. On Slurm one command submits all,
submits again what is missing, and merges; options of sbatch follow `--` (docs/cluster.md):
  ringleader sweep table.toml --slurm -- --partition=long --time=2:00:00
  ringleader sweep table.toml --slurm --status

{EXIT_CODES}"))]
pub(crate) struct SweepArgs {
    /// The definition, or - for standard input
    #[arg(value_name = "DEFINITION.toml")]
    pub(crate) definition: PathBuf,
    /// The file for the records [default: beside the definition, with the ending .parquet]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Run only the i-th of k parts; `merge` joins them. In a job array `auto` is the part of this task
    #[arg(long, value_name = "i/k", value_parser = crate::cluster::array::shard)]
    pub(crate) shard: Option<Shard>,
    /// The number of threads; it does not change the result [default: one for each core]
    #[arg(long, value_name = "T", value_parser = threads)]
    pub(crate) threads: Option<usize>,
    /// List the cells and count the trials without running them
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
The rows are those of an undivided sweep, in the same order. `merge` refuses shards of different
definitions or versions, and a set of shards that does not hold every trial.

Examples:
  ringleader merge table.1of2.parquet table.2of2.parquet --out table.parquet

{EXIT_CODES}"))]
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
A row is a trial; an unknown value (such as `safe` of a censored trial) is empty. Every parameter
and every phase has a column, `param_psi` or `phase_S_PL`. The recovery from the last fault took
`steps - last_fault` steps, or more if the trial is censored. METHODOLOGY.md lists the columns.

Examples:
  ringleader export table.parquet --csv > table.csv
  ringleader export table.*of4.parquet --csv --out table.csv
  ringleader export table.parquet --meta | jq -r '.[0].definition'
                                                    the definition of these records

{EXIT_CODES}"))]
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
    /// The file to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(ClapArgs)]
#[command(after_long_help = format!("\
`report` writes report.html, which needs no other file, figures/*.svg, and tables/*.md and *.tex.
The same records and seed give the same files, byte by byte. Trials that met their limit are
included. METHODOLOGY.md explains how everything is computed. LaTeX tables need booktabs, and
longtable if they are longer than a page; they hold the columns that fit a page of `article`.

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
    /// The series that all others are compared with: its label, or a part of it that no other has [default: the first]
    #[arg(long, value_name = "SERIES")]
    pub(crate) baseline: Option<String>,
    /// Write LaTeX tables with all columns, even if they do not fit a page
    #[arg(long)]
    pub(crate) wide: bool,
    /// Print the numbers as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
#[command(after_long_help = format!("\
The records of the experiment are in records/table1.parquet. To make them again:
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
    /// Print the LaTeX table with all columns, which does not fit a page
    #[arg(long, requires = "latex")]
    pub(crate) wide: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
