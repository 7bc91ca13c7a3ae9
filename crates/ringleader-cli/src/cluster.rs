//! Sweeps on clusters. The shared file system is all that the jobs have in common: each shard has its journal and its records there, and
//! whoever looks at them knows what is missing.

pub(crate) mod array;
pub(crate) mod folder;
pub(crate) mod slurm;

use std::path::{Path, PathBuf};

use ringleader_records::meta::Shard;

/// A shard takes about this many seconds, if that is known: long beside the start of a job, short beside a queue's limits.
const SECONDS: f64 = 1800.0;
/// Otherwise it has about this many trials.
const TRIALS: u64 = 1000;
/// The most shards that are chosen without knowing how long they take.
const BLIND: u64 = 64;
/// The most that are chosen at all: Slurm allows arrays of 1000 tasks, unless it is told otherwise.
const MOST: u64 = 1000;

/// How many shards to make of so many trials that take so many seconds of one core, where that is known.
pub(crate) fn shards(trials: u64, seconds: Option<f64>) -> u32 {
    let wanted = match seconds {
        // Too long for a number is as long as can be.
        Some(seconds) => (seconds / SECONDS).ceil().max(1.0) as u64,
        None => trials.div_ceil(TRIALS).min(BLIND),
    };
    u32::try_from(wanted.min(MOST).min(trials).max(1)).unwrap_or(1)
}

/// The file of a shard beside that of the whole.
pub(crate) fn file_of(path: &Path, shard: Shard) -> PathBuf {
    if shard == Shard::WHOLE {
        return path.to_owned();
    }
    let part = format!("{}of{}", shard.index, shard.count);
    let ending = path.extension().map_or(part.clone(), |ending| format!("{part}.{}", ending.to_string_lossy()));
    path.with_extension(ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_as_many_as_is_worth_it() {
        for (trials, seconds, expected) in [
            (1, None, 1),
            (999, None, 1),
            (1001, None, 2),
            (1_000_000, None, 64),
            (1_000_000, Some(0.5), 1),
            (1_000_000, Some(11.0 * 3600.0), 22),
            (1_000_000, Some(1e9), 1000),
            (5, Some(1e9), 5),
            (5, Some(f64::INFINITY), 5),
            (5, Some(f64::NAN), 1),
            (0, None, 1),
        ] {
            assert_eq!(shards(trials, seconds), expected, "{trials} {seconds:?}");
        }
    }

    #[test]
    fn a_shard_has_a_file_of_its_own() {
        let file = |path: &str, index, count| file_of(Path::new(path), Shard { index, count }).display().to_string();
        assert_eq!(file("b/a.parquet", 2, 4), "b/a.2of4.parquet");
        assert_eq!(file("b/a", 2, 4), "b/a.2of4");
        assert_eq!(file("a.parquet", 1, 1), "a.parquet");
    }
}
