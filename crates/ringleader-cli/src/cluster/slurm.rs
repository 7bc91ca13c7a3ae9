//! Slurm's own commands, which are all that is asked of it; nothing relies on its accounting.

use std::ffi::OsStr;
use std::io;
use std::process::{Command, Stdio};

use crate::stop::Stop;

/// A job, or a task of a job array, that Slurm has not done with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Task {
    pub(crate) job: u64,
    /// The number of the task; `None` if the job is no array.
    pub(crate) index: Option<u32>,
    /// In capitals, such as RUNNING.
    pub(crate) state: String,
}

/// Refuses early where there is no Slurm.
pub(crate) fn is_there() -> Result<(), Stop> {
    call("sbatch", &["--version"]).map(drop)
}

/// Submits a job; its number.
pub(crate) fn submit(options: &[String]) -> Result<u64, Stop> {
    let told = call("sbatch", options)?;
    // On a federation the name of the cluster follows.
    let id = told.lines().last().and_then(|line| line.split(';').next()).and_then(|id| id.trim().parse().ok());
    id.ok_or_else(|| Stop::Bad(format!("sbatch said `{}`, where the number of a job was expected", told.trim())))
}

/// What of these jobs is waiting, running or ending.
pub(crate) fn queued(jobs: &[u64]) -> Result<Vec<Task>, Stop> {
    let told = call("squeue", &["--me", "--noheader", "--array", "--format=%F|%K|%T"])?;
    Ok(told.lines().filter_map(task).filter(|task| jobs.contains(&task.job)).collect())
}

fn task(line: &str) -> Option<Task> {
    let mut fields = line.trim().split('|');
    let (job, index, state) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok(), fields.next()?.to_owned());
    Some(Task { job, index, state })
}

/// Cancels jobs.
pub(crate) fn cancel(jobs: &[u64]) -> Result<(), Stop> {
    call("scancel", &jobs.iter().map(u64::to_string).collect::<Vec<_>>()).map(drop)
}

/// What a command of Slurm prints.
fn call(program: &str, args: &[impl AsRef<OsStr>]) -> Result<String, Stop> {
    let output = Command::new(program).args(args).stdin(Stdio::null()).output().map_err(|error| {
        let elsewhere = "without Slurm, `--shard auto` works in any job array (docs/cluster.md)";
        let why =
            if error.kind() == io::ErrorKind::NotFound { "it is not found".to_owned() } else { error.to_string() };
        Stop::Bad(format!("cannot run {program}: {why}; --slurm needs the commands of a Slurm cluster; {elsewhere}"))
    })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let told = String::from_utf8_lossy(&output.stderr);
    Err(Stop::Bad(format!("{program} refused: {}", told.trim())))
}

/// Numbers as Slurm writes the tasks of an array: 1-3,7.
pub(crate) fn ranges(numbers: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let text = |(first, last): &(u32, u32)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    ranges.iter().map(text).collect::<Vec<_>>().join(",")
}

/// Options that `--slurm` gives itself, in both spellings.
const OURS: [(&str, &str); 5] =
    [("--array", "-a"), ("--dependency", "-d"), ("--wait", "-W"), ("--wrap", ""), ("--test-only", "")];

/// Refuses options of sbatch that would make something else of the jobs.
pub(crate) fn check(options: &[String]) -> Result<(), Stop> {
    for option in options {
        let name = option.split('=').next().unwrap_or(option);
        let is = |(long, short): &&(&str, &str)| {
            name == *long || (!short.is_empty() && name.starts_with(short) && !name.starts_with("--"))
        };
        if let Some((long, _)) = OURS.iter().find(is) {
            return Err(Stop::Bad(format!("{option}: --slurm decides on {long} itself; leave it out")));
        }
        // Slurm takes any beginning of an option that is no other's; a word without a hyphen may be the value of the option before.
        if name.len() > 4 && OURS.iter().any(|(long, _)| long.starts_with(name)) {
            return Err(Stop::Bad(format!("{option}: write options of sbatch in full")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_squeue_are_read() {
        let of = |job, index, state: &str| Some(Task { job, index, state: state.into() });
        assert_eq!(task("14|2|PENDING"), of(14, Some(2), "PENDING"));
        assert_eq!(task(" 13|N/A|RUNNING "), of(13, None, "RUNNING"));
        assert_eq!(["", "x|1|RUNNING", "14|2"].map(task), [None, None, None]);
    }

    #[test]
    fn tasks_are_written_as_ranges() {
        for (numbers, text) in [(vec![], ""), (vec![4], "4"), (vec![1, 2, 3, 5, 7, 8], "1-3,5,7-8")] {
            assert_eq!(ranges(&numbers), text);
        }
    }

    #[test]
    fn options_that_are_ours_are_refused() {
        for (option, fine) in [
            ("--partition=long", true),
            ("-ppublic", true),
            ("-Along", true),
            ("--dead", true),
            ("--array=1-3", false),
            ("-a", false),
            ("-a1-3", false),
            ("-dafterok:1", false),
            ("--dependency", false),
            ("--wrap=true", false),
            ("-W", false),
            ("--wait-all-nodes=1", true),
            ("--arr=3", false),
            ("--depend=3", false),
        ] {
            assert_eq!(check(&[option.into()]).is_ok(), fine, "{option}");
        }
    }
}
