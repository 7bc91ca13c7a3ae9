//! `--shard auto`: which shard a task of a job array is, from what the scheduler says in the environment.

use ringleader_records::meta::Shard;

/// Where a scheduler says which task this is, and which there are.
struct Scheduler {
    name: &'static str,
    task: &'static str,
    /// The first task, the last one, and how far apart they are.
    range: Option<[&'static str; 3]>,
    /// How many there are.
    count: Option<&'static str>,
}

const SCHEDULERS: [Scheduler; 4] = [
    Scheduler {
        name: "Slurm",
        task: "SLURM_ARRAY_TASK_ID",
        range: Some(["SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP"]),
        count: Some("SLURM_ARRAY_TASK_COUNT"),
    },
    Scheduler { name: "PBS", task: "PBS_ARRAY_INDEX", range: None, count: None },
    Scheduler { name: "Torque", task: "PBS_ARRAYID", range: None, count: None },
    Scheduler {
        name: "Grid Engine",
        task: "SGE_TASK_ID",
        range: Some(["SGE_TASK_FIRST", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE"]),
        count: None,
    },
];

const SAY: &str = "say which tasks there are: --shard auto/64 for 1 to 64, --shard auto/0-63 for others";

/// `i/k`, or the shard that this task of a job array is: `auto`, `auto/K` if the tasks are 1 to K, `auto/A-B` if they are A to B.
pub(crate) fn shard(text: &str) -> Result<Shard, String> {
    shard_in(text, |name| std::env::var(name).ok())
}

fn shard_in(text: &str, environment: impl Fn(&str) -> Option<String>) -> Result<Shard, String> {
    let Some(given) = text.strip_prefix("auto") else {
        return text.parse().map_err(|told| format!("{told}; or auto in a job array"));
    };
    let number = |name: &str| -> Result<Option<u64>, String> {
        // Grid Engine says `undefined` to jobs that are no arrays.
        let value = environment(name).filter(|value| !value.is_empty() && value != "undefined");
        let parse = |value: String| value.parse().map_err(|_| format!("{name} is {value}, which is no number"));
        value.map(parse).transpose()
    };
    let given = if given.is_empty() { None } else { Some(tasks(given)?) };
    for scheduler in &SCHEDULERS {
        if let Some(task) = number(scheduler.task)? {
            return match given {
                Some((first, last)) => among(task, first, last, 1, scheduler.task),
                None => scheduler.shard(task, number),
            };
        }
    }
    let names = SCHEDULERS.map(|scheduler| scheduler.task).join(", ");
    Err(format!("this is no task of a job array: none of {names} is set; the form elsewhere is i/k"))
}

/// The first and the last task, from what follows `auto`.
fn tasks(given: &str) -> Result<(u64, u64), String> {
    let range = given.strip_prefix('/').and_then(|text| match text.split_once('-') {
        None => Some((1, text.parse().ok()?)),
        Some((first, last)) => Some((first.parse().ok()?, last.parse().ok()?)),
    });
    let wrong = || "the forms are auto, auto/K for tasks 1 to K, and auto/A-B for tasks A to B".to_owned();
    range.filter(|(first, last)| first <= last).ok_or_else(wrong)
}

impl Scheduler {
    /// The shard of a task, if the scheduler says which ones there are.
    fn shard(&self, task: u64, number: impl Fn(&str) -> Result<Option<u64>, String>) -> Result<Shard, String> {
        let Some([first, last, step]) = self.range else {
            return Err(format!("{} does not tell how many tasks the array has; {SAY}", self.name));
        };
        let need = |name: &str| number(name)?.ok_or_else(|| format!("{name} is not set; {SAY}"));
        let (first, last, step) = (need(first)?, need(last)?, number(step)?.unwrap_or(1));
        let shard = among(task, first, last, step, self.task)?;
        match self.count.map(number).transpose()?.flatten() {
            Some(count) if count != u64::from(shard.count) => {
                let told = "is not the whole array that the shards were made for, or has gaps";
                Err(format!("{count} tasks from {first} to {last} by {step}: this {told}; {SAY}"))
            }
            _ => Ok(shard),
        }
    }
}

/// The shard of a task among others.
fn among(task: u64, first: u64, last: u64, step: u64, name: &str) -> Result<Shard, String> {
    let place = task.checked_sub(first).filter(|place| step > 0 && task <= last && place % step == 0);
    let place =
        place.ok_or_else(|| format!("{name} is {task}, which is not among {first} to {last} by {step}; {SAY}"))?;
    let shard = format!("{}/{}", u128::from(place / step) + 1, u128::from((last - first) / step) + 1);
    shard.parse().map_err(|told| format!("{shard}: {told}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, environment: &str) -> Result<String, String> {
        let pairs: Vec<(&str, &str)> = environment.split_whitespace().filter_map(|pair| pair.split_once('=')).collect();
        let get = |name: &str| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        shard_in(text, get).map(|shard| shard.to_string())
    }

    fn slurm(task: &str, first: &str, last: &str, step: &str, count: &str) -> String {
        [("ID", task), ("MIN", first), ("MAX", last), ("STEP", step), ("COUNT", count)]
            .map(|(name, value)| format!("SLURM_ARRAY_TASK_{name}={value}"))
            .join(" ")
    }

    #[test]
    fn a_task_of_an_array_knows_its_shard() {
        for (text, environment, expected) in [
            ("auto", slurm("1", "1", "64", "1", "64"), "1/64"),
            ("auto", slurm("0", "0", "63", "1", "64"), "1/64"),
            ("auto", slurm("63", "0", "63", "1", "64"), "64/64"),
            ("auto", slurm("5", "2", "8", "3", "3"), "2/3"),
            ("auto", "SGE_TASK_ID=7 SGE_TASK_FIRST=1 SGE_TASK_LAST=10 SGE_TASK_STEPSIZE=3".into(), "3/4"),
            ("auto", "SGE_TASK_ID=7 SGE_TASK_FIRST=7 SGE_TASK_LAST=7".into(), "1/1"),
            ("auto/64", "PBS_ARRAY_INDEX=3".into(), "3/64"),
            ("auto/0-63", "PBS_ARRAYID=0".into(), "1/64"),
            // Some tasks once more: which ones the array has does not matter then.
            ("auto/8", slurm("7", "3", "7", "1", "2"), "7/8"),
            // Grid Engine's job that is no array, inside a task of Slurm.
            ("auto", format!("SGE_TASK_ID=undefined {}", slurm("2", "1", "2", "1", "2")), "2/2"),
            ("2/3", String::new(), "2/3"),
        ] {
            assert_eq!(read(text, &environment).as_deref(), Ok(expected), "{text} {environment}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_what_to_say() {
        for (text, environment, words) in [
            ("auto", String::new(), ["no task of a job array", "SLURM_ARRAY_TASK_ID"]),
            ("auto", "SGE_TASK_ID=undefined".into(), ["no task of a job array", "i/k"]),
            ("auto", "SLURM_ARRAY_TASK_ID=x".into(), ["SLURM_ARRAY_TASK_ID is x", "no number"]),
            ("auto", "SLURM_ARRAY_TASK_ID=-1".into(), ["SLURM_ARRAY_TASK_ID is -1", "no number"]),
            ("auto", "SLURM_ARRAY_TASK_ID=1".into(), ["SLURM_ARRAY_TASK_MIN is not set", "--shard auto/64"]),
            ("auto", slurm("3", "3", "7", "1", "2"), ["2 tasks from 3 to 7", "--shard auto/64"]),
            ("auto", slurm("9", "1", "8", "1", "8"), ["is 9", "not among 1 to 8"]),
            ("auto", slurm("3", "2", "8", "3", "3"), ["is 3", "by 3"]),
            ("auto", slurm("3", "2", "8", "0", "3"), ["is 3", "by 0"]),
            ("auto", slurm("1", "9", "8", "1", "3"), ["is 1", "not among"]),
            ("auto", slurm("0", "0", "18446744073709551615", "1", "1"), ["1/18446744073709551616", "1000000"]),
            ("auto", "PBS_ARRAY_INDEX=3".into(), ["PBS does not tell", "--shard auto/64"]),
            ("auto/64", "PBS_ARRAY_INDEX=0".into(), ["is 0", "auto/0-63"]),
            ("auto/5-3", "PBS_ARRAY_INDEX=3".into(), ["the forms are", "auto/A-B"]),
            ("auto/", "PBS_ARRAY_INDEX=3".into(), ["the forms are", "auto/A-B"]),
            ("automatic", "PBS_ARRAY_INDEX=3".into(), ["the forms are", "auto/A-B"]),
            ("3/2", String::new(), ["1 <= i <= k", "auto"]),
        ] {
            let told = read(text, &environment).unwrap_err();
            assert!(words.iter().all(|word| told.contains(word)), "{text} {environment}: {told}");
        }
    }
}
