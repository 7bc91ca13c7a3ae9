//! The folder beside the records of a sweep on Slurm: its definition as it was submitted, the scripts, the shards, what the jobs printed, and
//! the numbers of the jobs.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

use ringleader::value::Value;
use ringleader_records::error::Error;
use ringleader_records::meta::Shard;
use ringleader_records::{files, json};

use super::file_of;
use crate::stop::Stop;

/// The most memory that the numbers of jobs take.
const SMALL: usize = 1 << 16;

/// What was submitted last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Jobs {
    /// The number of the job array.
    pub(crate) array: u64,
    /// The number of the job that merges; 0 if there is none yet.
    pub(crate) merge: u64,
    /// How many shards there are.
    pub(crate) shards: u32,
    /// How many trials were done before.
    pub(crate) done: u64,
    /// How many rounds in a row before this one brought nothing.
    pub(crate) idle: u64,
}

impl Jobs {
    fn pairs(self) -> [(&'static str, u64); 5] {
        let Self { array, merge, shards, done, idle } = self;
        [("array", array), ("merge", merge), ("shards", shards.into()), ("done", done), ("idle", idle)]
    }

    fn parse(text: &str) -> Option<Self> {
        let pairs: BTreeMap<String, u64> = json::read(text.as_bytes(), SMALL, &[]).ok()?;
        let get = |name: &str| pairs.get(name).copied();
        let shards = u32::try_from(get("shards")?).ok().filter(|shards| *shards > 0)?;
        Some(Self { array: get("array")?, merge: get("merge")?, shards, done: get("done")?, idle: get("idle")? })
    }

    /// The numbers of the jobs.
    pub(crate) fn numbers(self) -> [u64; 2] {
        [self.array, self.merge]
    }
}

pub(crate) struct Folder {
    root: PathBuf,
    /// The name of the records.
    name: OsString,
}

impl Folder {
    /// The folder of records with an absolute path.
    pub(crate) fn of(records: &Path) -> Self {
        let mut root = OsString::from(records);
        root.push(".slurm");
        Self { root: root.into(), name: records.file_name().unwrap_or_default().to_owned() }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The definition as it was submitted: whoever edits the other one does not disturb jobs that wait.
    pub(crate) fn definition(&self) -> PathBuf {
        self.root.join("definition.toml")
    }

    /// What shards are named after.
    pub(crate) fn records(&self) -> PathBuf {
        self.root.join(&self.name)
    }

    /// The records of a shard.
    pub(crate) fn shard(&self, shard: Shard) -> PathBuf {
        file_of(&self.records(), shard)
    }

    fn numbers(&self) -> PathBuf {
        self.root.join("jobs.json")
    }

    /// What was submitted last, if anything was.
    pub(crate) fn jobs(&self) -> Result<Option<Jobs>, Stop> {
        let path = self.numbers();
        if !path.exists() {
            return Ok(None);
        }
        let wrong =
            || Stop::Bad(format!("{} is damaged: remove it when no job of this sweep is under way", path.display()));
        Jobs::parse(&files::read(&path)?).map(Some).ok_or_else(wrong)
    }

    /// Remembers what was submitted.
    pub(crate) fn keep(&self, jobs: Jobs) -> Result<(), Error> {
        let value = Value::map(jobs.pairs().map(|(name, number)| (name, Value::from(number))));
        files::write(&self.numbers(), |out| json::write_line(out, &value))
    }

    /// Writes a file of the folder, unless it is as it should be.
    pub(crate) fn write(&self, path: &Path, text: &str) -> Result<(), Error> {
        if files::read(path).is_ok_and(|there| there == text) {
            return Ok(());
        }
        files::write(path, |out| out.write_all(text.as_bytes()))
    }

    /// Makes the folder and keeps other processes from submitting, as long as the file is open. Where the file system has no locks,
    /// Slurm's queue alone tells what is under way.
    pub(crate) fn lock(&self) -> Result<File, Stop> {
        let path = self.root.join("lock");
        let bad = |error: std::io::Error| Stop::Bad(format!("cannot write {}: {error}", path.display()));
        fs::create_dir_all(&self.root).map_err(bad)?;
        let file = File::options().write(true).create(true).truncate(false).open(&path).map_err(bad)?;
        match file.try_lock() {
            Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
            Err(TryLockError::WouldBlock) => {
                let told = "another process is submitting, merging or cancelling this sweep; wait for it";
                Err(Stop::Bad(format!("{} is in use: {told}", self.root.display())))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_jobs_come_back() {
        let place = std::env::temp_dir().join(format!("ringleader-folder-{}", std::process::id()));
        let folder = Folder::of(&place.join("a.parquet"));
        fs::create_dir_all(folder.root()).unwrap();
        assert_eq!(folder.jobs().unwrap(), None);
        let jobs = Jobs { array: 1 << 40, merge: 7, shards: 64, done: 1_000_000, idle: 2 };
        folder.keep(jobs).unwrap();
        assert_eq!(folder.jobs().unwrap(), Some(jobs));
        for text in ["", "{}", "[]", r#"{"array":1,"merge":2,"shards":0,"done":0,"idle":0}"#] {
            fs::write(folder.numbers(), text).unwrap();
            assert!(folder.jobs().is_err(), "{text}");
        }
        fs::remove_dir_all(place).unwrap();
    }
}
