//! Options of `sweep` on a Slurm cluster.

use clap::Args as ClapArgs;

use super::count;

/// The most shards that a sweep is divided into for Slurm; few clusters allow larger arrays.
const MAX_SHARDS: u64 = 100_000;

#[derive(ClapArgs)]
#[command(next_help_heading = "On a Slurm cluster")]
pub(crate) struct SlurmArgs {
    /// Submit it: a job array with a task for each shard, then a job that merges them, or submits again what is missing
    #[arg(long, conflicts_with = "shard")]
    pub(crate) slurm: bool,
    /// The number of shards [default: from the number of trials and how long they take]
    #[arg(long, value_name = "K", requires = "slurm", value_parser = shards)]
    pub(crate) shards: Option<u32>,
    /// Show how far all shards are
    #[arg(long, requires = "slurm", conflicts_with_all = ["cancel", "dry_run"])]
    pub(crate) status: bool,
    /// Cancel the jobs; finished trials are kept
    #[arg(long, requires = "slurm", conflicts_with = "dry_run")]
    pub(crate) cancel: bool,
    /// How often jobs were submitted before: the job that merges says so.
    #[arg(long, requires = "slurm", hide = true)]
    pub(crate) round: Option<u64>,
    /// Options of sbatch for all jobs, such as --partition=long --time=2:00:00 --account=x
    #[arg(last = true, value_name = "SBATCH OPTIONS", requires = "slurm")]
    pub(crate) options: Vec<String>,
}

fn shards(text: &str) -> Result<u32, String> {
    let shards = count(text).ok().filter(|shards| (1..=MAX_SHARDS).contains(shards));
    shards
        .and_then(|shards| u32::try_from(shards).ok())
        .ok_or_else(|| format!("allowed is a whole number, 1 to {MAX_SHARDS}"))
}
