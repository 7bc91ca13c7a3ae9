//! `ringleader sweep --slurm`: a job array with a task for each shard, and a job after it that merges them. That job is this same command:
//! it looks at what is there, merges if all is, and submits what is missing otherwise. So whatever ended a task (its time, a
//! preemption, a signal, its node), its shard goes on from its journal in the next round.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ringleader::catalogue::Catalogue;
use ringleader::value::Value;
use ringleader_records::definition::Definition;
use ringleader_records::ledger::{Part, Progress, progress};
use ringleader_records::merge::merge;
use ringleader_records::meta::Shard;

use crate::args::SlurmArgs;
use crate::cluster::folder::{Folder, Jobs};
use crate::cluster::{shards, slurm};
use crate::stdout::print;
use crate::stop::{Stop, outcome};
use crate::text::{alarm, commas, faint, good, quoted, ratio};

/// The most rounds that follow each other without a user.
const ROUNDS: u64 = 100;
/// The most rounds in a row that bring no finished trial.
const IDLE: u64 = 3;
/// How many bad shards are named.
const NAMED: usize = 8;

/// A sweep that is to run on Slurm.
pub(crate) struct OnSlurm<'a> {
    pub(crate) args: &'a SlurmArgs,
    pub(crate) protocols: &'a Catalogue,
    /// Where the records go.
    pub(crate) records: &'a Path,
    /// The command of the sweep without `--slurm`, to be shown.
    pub(crate) command: String,
    pub(crate) json: bool,
}

/// What is to be submitted, and how.
pub(crate) struct Request<'a> {
    pub(crate) definition: &'a Definition,
    /// How many seconds all trials take on one core, where that is known.
    pub(crate) seconds: Option<f64>,
    /// The threads of a task; as many as Slurm gives it if `None`.
    pub(crate) threads: Option<usize>,
    pub(crate) dry_run: bool,
}

/// How far each shard is, in order.
type Shards = Vec<Progress>;

fn shard(place: usize, of: usize) -> Shard {
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Shard { index: number(place + 1), count: number(of) }
}

fn missing(shards: &[Progress]) -> Vec<u32> {
    (1..).zip(shards).filter(|(_, shard)| !shard.complete).map(|(index, _)| index).collect()
}

fn done(shards: &[Progress]) -> u64 {
    shards.iter().map(|shard| shard.done).sum()
}

impl OnSlurm<'_> {
    /// An absolute path: jobs may begin in another folder.
    fn records(&self) -> Result<PathBuf, Stop> {
        let bad = |error: io::Error| Stop::Bad(format!("cannot find {}: {error}", self.records.display()));
        std::path::absolute(self.records).map_err(bad)
    }

    fn again(&self) -> String {
        format!("{} --slurm", self.command)
    }

    // --- To submit --------------------------------------------------------------------------------------------

    /// Submits what is missing, or merges if nothing is.
    pub(crate) fn submit(&self, request: &Request<'_>) -> Result<(), Stop> {
        slurm::check(&self.args.options)?;
        let records = self.records()?;
        let folder = Folder::of(&records);
        if request.dry_run {
            let before = folder.jobs()?;
            let shards = self.shards(&folder, request.definition, self.count(before, request)?)?;
            return self.show(request, &folder, &records, &shards);
        }
        let whole = progress(request.definition, self.protocols, Shard::WHOLE, &records)?;
        if whole.complete {
            return self.tell_complete(&records, whole.trials);
        }
        if whole.done > 0 && folder.jobs()?.is_none() {
            let told = "trials of this sweep were run without Slurm already, and are run again by its shards";
            let _ = writeln!(anstream::stderr(), "{}: {} {told}", alarm("note"), commas(whole.done));
        }
        slurm::is_there()?;
        let _lock = folder.lock()?;
        let before = folder.jobs()?;
        let array = self.under_way(before)?;
        let shards = self.shards(&folder, request.definition, self.count(before, request)?)?;
        if missing(&shards).is_empty() {
            return self.merge(&folder, &records, shards.len());
        }
        let idle = self.idle(before, done(&shards), &folder)?;
        let jobs = Jobs { array, merge: 0, shards: shard(0, shards.len()).count, done: done(&shards), idle };
        let jobs = self.send(request, &folder, &records, &shards, jobs)?;
        self.tell_submitted(&records, jobs, &shards)
    }

    /// How many shards there are: a sweep that was divided stays so.
    fn count(&self, before: Option<Jobs>, request: &Request<'_>) -> Result<u32, Stop> {
        match (before.map(|jobs| jobs.shards), self.args.shards) {
            (Some(before), Some(asked)) if before != asked => {
                let folder = Folder::of(self.records);
                let told = format!("it is divided into {before} shards already: leave --shards out");
                Err(Stop::Bad(format!("--shards {asked}: {told}, or remove {} to begin anew", folder.root().display())))
            }
            (Some(count), _) | (None, Some(count)) => Ok(count),
            (None, None) => Ok(shards(request.definition.sweep.trials(), request.seconds)),
        }
    }

    /// Refuses if jobs of this sweep are there already. The job that merges comes when the array has ended; should some of it be
    /// there again, it gives its number, to be waited for once more, and 0 otherwise.
    fn under_way(&self, before: Option<Jobs>) -> Result<u64, Stop> {
        let Some(jobs) = before else { return Ok(0) };
        let merging = self.args.round.and_then(|_| std::env::var("SLURM_JOB_ID").ok()?.parse::<u64>().ok());
        let queued = slurm::queued(&jobs.numbers())?;
        let mut others = queued.iter().filter(|task| Some(task.job) != merging);
        let Some(one) = others.next() else { return Ok(0) };
        if merging == Some(jobs.merge) && one.job == jobs.array {
            return Ok(jobs.array);
        }
        let numbers = format!("job array {} and merge {}", jobs.array, jobs.merge);
        let told = format!("see how far it is with: {0} --status\nor cancel it with: {0} --cancel", self.again());
        Err(Stop::Bad(format!("this sweep is under way ({numbers}), and is not submitted a second time\n{told}")))
    }

    /// How many rounds in a row have brought nothing. Too many, or too many rounds, are told instead of another one.
    fn idle(&self, before: Option<Jobs>, done: u64, folder: &Folder) -> Result<u64, Stop> {
        let (Some(round), Some(before)) = (self.args.round, before) else { return Ok(0) };
        let idle = if done > before.done { 0 } else { before.idle + 1 };
        let why = if idle >= IDLE {
            format!("{idle} rounds of jobs in a row have finished no trial")
        } else if round >= ROUNDS {
            format!("there were {round} rounds of jobs")
        } else {
            return Ok(idle);
        };
        let logs = format!("what they printed is in {}", folder.root().display());
        let told = format!("{} trials are kept, and no more jobs are submitted", commas(done));
        Err(Stop::Failed(format!("{why}; {told}; {logs}\nafter a look at that, go on with: {}", self.again())))
    }

    /// How far all shards are; refuses if some are damaged or of something else.
    fn shards(&self, folder: &Folder, definition: &Definition, count: u32) -> Result<Shards, Stop> {
        let (shards, bad) = self.look(folder, definition, count);
        if bad.is_empty() {
            return Ok(shards);
        }
        let more = bad.len().saturating_sub(NAMED);
        let more = if more > 0 { format!("\nand {more} more") } else { String::new() };
        let told = "nothing is submitted or merged; remove what is wrong to have its trials run again";
        let named: Vec<&str> = bad.values().take(NAMED).map(String::as_str).collect();
        Err(Stop::Bad(format!("{}{more}\n{told}", named.join("\n"))))
    }

    /// How far all shards are, and what is wrong with some.
    fn look(&self, folder: &Folder, definition: &Definition, count: u32) -> (Shards, BTreeMap<u32, String>) {
        let (mut shards, mut bad) = (Vec::new(), BTreeMap::new());
        for shard in (1..=count).map(|index| Shard { index, count }) {
            let found = progress(definition, self.protocols, shard, &folder.shard(shard));
            shards.push(found.unwrap_or_else(|error| {
                bad.insert(shard.index, format!("shard {shard}: {error}"));
                Progress {
                    trials: Part::new(&definition.sweep, shard).trials(&definition.sweep),
                    done: 0,
                    complete: false,
                }
            }));
        }
        (shards, bad)
    }

    /// Writes the scripts and submits them. Without the merge the array makes no sense, and is taken back.
    fn send(
        &self,
        request: &Request<'_>,
        folder: &Folder,
        records: &Path,
        shards: &[Progress],
        mut jobs: Jobs,
    ) -> Result<Jobs, Stop> {
        let scripts = self.scripts(request, folder, records, jobs.shards)?;
        folder.write(&folder.definition(), &request.definition.text)?;
        for (path, text) in &scripts {
            folder.write(path, text)?;
        }
        let [(array, _), (merge, _)] = &scripts;
        let begun = jobs.array == 0;
        if begun {
            jobs.array = slurm::submit(&self.array_options(folder, array, shards))?;
        }
        let sent = folder.keep(jobs).map_err(Stop::from).and_then(|()| {
            jobs.merge = slurm::submit(&self.merge_options(folder, merge, &jobs.array.to_string()))?;
            Ok(folder.keep(jobs)?)
        });
        if sent.is_err() && begun {
            let _ = slurm::cancel(&[jobs.array]);
        }
        sent.map(|()| jobs)
    }

    /// The scripts of a task of the array and of the merge, and their places.
    fn scripts(
        &self,
        request: &Request<'_>,
        folder: &Folder,
        records: &Path,
        count: u32,
    ) -> Result<[(PathBuf, String); 2], Stop> {
        let program = std::env::current_exe()
            .map_err(|error| Stop::Bad(format!("cannot find the path of this program: {error}")))?;
        let word = |path: &Path| quoted(&path.to_string_lossy());
        let (program, definition) = (word(&program), word(&folder.definition()));
        let sweep = format!("exec {program} sweep {definition}");
        let own = "\"${SLURM_CPUS_ON_NODE:-1}\"".to_owned();
        let threads = request.threads.map_or(own, |threads| threads.to_string());
        let shards = word(&folder.records());
        let array = format!(
            "#!/bin/sh\n# One shard of a sweep; started again, it goes on from its journal.\n\
             {sweep} --out {shards} --shard \"$SLURM_ARRAY_TASK_ID/{count}\" --threads {threads} --quiet\n"
        );
        let round = self.args.round.unwrap_or(0) + 1;
        let given = request.threads.map_or(String::new(), |threads| format!(" --threads {threads}"));
        let options: String = self.args.options.iter().map(|option| format!(" {}", quoted(option))).collect();
        let options = if options.is_empty() { options } else { format!(" --{options}") };
        let merge = format!(
            "#!/bin/sh\n# Merges the shards, or submits those that are not complete once more.\n\
             {sweep} --out {} --slurm --round {round}{given}{options}\n",
            word(records)
        );
        Ok([(folder.root().join("shard.sh"), array), (folder.root().join("merge.sh"), merge)])
    }

    /// The options of every job; those of the user come last and win.
    fn options(&self, folder: &Folder, log: &str, own: &[String], script: &Path) -> Vec<String> {
        let name = folder.root().file_stem().unwrap_or_default().to_string_lossy();
        // What follows a % is a number of the job.
        let root = folder.root().to_string_lossy().replace('%', "%%");
        let common = ["--parsable".into(), format!("--job-name={name}"), format!("--output={root}/{log}.log")];
        let requeue = ["--requeue".into(), "--open-mode=append".into()];
        let script = script.to_string_lossy().into_owned();
        [&common[..], &requeue[..], own, &self.args.options, &[script]].concat()
    }

    fn array_options(&self, folder: &Folder, script: &Path, shards: &[Progress]) -> Vec<String> {
        let tasks = format!("--array={}", slurm::ranges(&missing(shards)));
        self.options(folder, "%A_%a", &[tasks], script)
    }

    /// The merge comes however the tasks end.
    fn merge_options(&self, folder: &Folder, script: &Path, array: &str) -> Vec<String> {
        self.options(folder, "merge-%j", &[format!("--dependency=afterany:{array}")], script)
    }

    /// What would be submitted.
    fn show(&self, request: &Request<'_>, folder: &Folder, records: &Path, shards: &[Progress]) -> Result<(), Stop> {
        let lacking = missing(shards);
        let scripts = self.scripts(request, folder, records, shard(0, shards.len()).count)?;
        let [(array, _), (merge, _)] = &scripts;
        let command = |options: Vec<String>| {
            std::iter::once("sbatch".to_owned())
                .chain(options.iter().map(|one| quoted(one)))
                .collect::<Vec<_>>()
                .join(" ")
        };
        let lines =
            [command(self.array_options(folder, array, shards)), command(self.merge_options(folder, merge, "ARRAY"))];
        let lines = if lacking.is_empty() { &[][..] } else { &lines[..] };
        let value = || {
            let scripts = scripts.iter().map(|(path, text)| (path.to_string_lossy(), text.clone().into()));
            let lines = lines.iter().map(|line| line.clone().into()).collect();
            let all = vec![("scripts".into(), Value::map(scripts)), ("commands".into(), Value::List(lines))];
            Value::Map([common(records, shards), all].concat())
        };
        print(self.json, "slurm_plan", value, |out| {
            if lacking.is_empty() {
                let count = shards.len();
                return writeln!(
                    out,
                    "all {count} shards are complete: they would be merged into {}",
                    records.display()
                );
            }
            for (path, text) in &scripts {
                writeln!(out, "{}\n{text}", faint(format!("# {}", path.display())))?;
            }
            lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
            let (left, of) = (commas(trials(shards) - done(shards)), commas(trials(shards)));
            writeln!(out, "\n{left} of {of} trials are to be run, in {} of {} shards", lacking.len(), shards.len())
        })
    }

    fn merge(&self, folder: &Folder, records: &Path, count: usize) -> Result<(), Stop> {
        let files: Vec<PathBuf> = (0..count).map(|place| folder.shard(shard(place, count))).collect();
        let trials = merge(self.protocols, &files, records)?;
        self.tell_complete(records, trials)
    }

    fn tell_complete(&self, records: &Path, trials: u64) -> Result<(), Stop> {
        let value = || {
            let path = records.to_string_lossy().into_owned();
            Value::map([("complete", true.into()), ("records", path.into()), ("trials", trials.into())])
        };
        let told = print(self.json, "slurm_complete", value, |out| {
            writeln!(out, "{}: {} trials in {}", good("complete"), commas(trials), records.display())
        });
        outcome(told, Ok(()))
    }

    fn tell_submitted(&self, records: &Path, jobs: Jobs, shards: &[Progress]) -> Result<(), Stop> {
        let numbers = || {
            let numbers = [("array".into(), jobs.array.into()), ("merge".into(), jobs.merge.into())];
            Value::Map([common(records, shards), numbers.to_vec()].concat())
        };
        let told = print(self.json, "slurm_submitted", numbers, |out| {
            let (left, again) = (commas(trials(shards) - done(shards)), self.again());
            let lacking = missing(shards).len();
            writeln!(out, "{} {left} trials in {lacking} of {} shards", good("submitted:"), shards.len())?;
            writeln!(out, "job array {}, then job {}, which writes {}", jobs.array, jobs.merge, records.display())?;
            writeln!(out, "{} {again} --status", faint("how far it is:"))?;
            writeln!(out, "{} {again} --cancel", faint("to cancel it: "))
        });
        outcome(told, Ok(()))
    }

    // --- To look and to cancel --------------------------------------------------------------------------------

    /// Shows how far all shards are, from what is in the folder and what Slurm says of the jobs.
    pub(crate) fn status(&self) -> Result<(), Stop> {
        let records = self.records()?;
        let folder = Folder::of(&records);
        let jobs = self.submitted(&folder)?;
        let definition = Definition::read(&folder.definition(), self.protocols)?;
        let (shards, bad) = self.look(&folder, &definition, jobs.shards);
        let whole = progress(&definition, self.protocols, Shard::WHOLE, &records)?;
        let (queued, silent) = match slurm::queued(&jobs.numbers()) {
            Ok(queued) => (queued, None),
            Err(Stop::Bad(why) | Stop::Failed(why)) => (Vec::new(), Some(why)),
            Err(other) => return Err(other),
        };
        let words = States::new(&shards, &bad, &queued, jobs, silent.is_some());
        let value = || {
            let one = |(index, (shard, state)): (u32, (&Progress, &String))| {
                let state = ("state", state.clone().into());
                Value::map([
                    ("shard", index.into()),
                    ("trials", shard.trials.into()),
                    ("done", shard.done.into()),
                    state,
                ])
            };
            let list = Value::List((1..).zip(shards.iter().zip(&words.shards)).map(one).collect());
            let job = |number: u64, state: &str| Value::map([("job", number.into()), ("state", state.into())]);
            let more = [
                ("complete".into(), whole.complete.into()),
                ("list".into(), list),
                ("array".into(), Value::map([("job", Value::from(jobs.array))])),
                ("merge".into(), job(jobs.merge, &words.merge)),
            ];
            Value::Map([common(&records, &shards), more.to_vec()].concat())
        };
        let told = print(self.json, "slurm_status", value, |out| {
            if whole.complete {
                return writeln!(out, "{}: {} trials in {}", good("complete"), commas(whole.trials), records.display());
            }
            let (some, all) = (done(&shards), trials(&shards));
            let share = ratio(100.0 * some as f64 / all.max(1) as f64);
            writeln!(out, "{} of {} trials are done, {share} %", commas(some), commas(all))?;
            writeln!(out, "{} shards: {}", shards.len(), words.summary())?;
            writeln!(out, "job array {}, merge {}: {}", jobs.array, jobs.merge, words.merge)?;
            bad.values().try_for_each(|told| writeln!(out, "{}: {told}", alarm("bad")))?;
            match silent {
                Some(why) => writeln!(out, "{}: what Slurm does is not known: {why}", alarm("note")),
                None if queued.is_empty() => {
                    let log = folder.root().join(format!("merge-{}.log", jobs.merge));
                    let log =
                        if log.exists() { format!(" (its last words: {})", log.display()) } else { String::new() };
                    writeln!(out, "no job is under way{log}; go on with: {}", self.again())
                }
                None => Ok(()),
            }
        });
        outcome(told, Ok(()))
    }

    /// Cancels what Slurm has of the jobs; the merge first, which would come otherwise.
    pub(crate) fn cancel(&self) -> Result<(), Stop> {
        let records = self.records()?;
        let folder = Folder::of(&records);
        self.submitted(&folder)?;
        let _lock = folder.lock()?;
        let jobs = self.submitted(&folder)?;
        let queued = slurm::queued(&jobs.numbers())?;
        let there = |job: &u64| queued.iter().any(|task| task.job == *job);
        let cancelled: Vec<u64> = [jobs.merge, jobs.array].into_iter().filter(there).collect();
        if !cancelled.is_empty() {
            slurm::cancel(&cancelled)?;
        }
        let numbers = || Value::map([("cancelled", Value::List(cancelled.iter().map(|&job| job.into()).collect()))]);
        let told = print(self.json, "slurm_cancelled", numbers, |out| match cancelled.len() {
            0 => writeln!(out, "no job of this sweep is under way"),
            _ => {
                writeln!(
                    out,
                    "cancelled the jobs of this sweep; finished trials are kept in {}",
                    folder.root().display()
                )?;
                writeln!(out, "go on with: {}", self.again())
            }
        });
        outcome(told, Ok(()))
    }

    fn submitted(&self, folder: &Folder) -> Result<Jobs, Stop> {
        let none = || {
            let told = format!("there is no {}; submit it with: {}", folder.root().display(), self.again());
            Stop::Bad(format!("this sweep was not submitted: {told}"))
        };
        folder.jobs()?.ok_or_else(none)
    }
}

fn trials(shards: &[Progress]) -> u64 {
    shards.iter().map(|shard| shard.trials).sum()
}

fn common(records: &Path, shards: &[Progress]) -> Vec<(String, Value)> {
    let pairs: [(&str, Value); 5] = [
        ("records", records.to_string_lossy().into_owned().into()),
        ("shards", shards.len().into()),
        ("missing", missing(shards).len().into()),
        ("trials", trials(shards).into()),
        ("done", done(shards).into()),
    ];
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// The states of shards and of the merge, in words.
struct States {
    shards: Vec<String>,
    merge: String,
}

impl States {
    fn new(shards: &[Progress], bad: &BTreeMap<u32, String>, queued: &[slurm::Task], jobs: Jobs, silent: bool) -> Self {
        let word = |job: u64, index: Option<u32>| {
            let task = queued.iter().find(|task| task.job == job && task.index == index);
            task.map_or(if silent { "unknown" } else { "ended" }.to_owned(), |task| task.state.to_lowercase())
        };
        let one = |(index, shard): (u32, &Progress)| match shard.complete {
            true => "complete".to_owned(),
            false if bad.contains_key(&index) => "bad".to_owned(),
            false => word(jobs.array, Some(index)),
        };
        Self { shards: (1..).zip(shards).map(one).collect(), merge: word(jobs.merge, None) }
    }

    /// How many shards are in each state.
    fn summary(&self) -> String {
        let mut counts: Vec<(&str, u64)> = Vec::new();
        for state in &self.shards {
            match counts.iter_mut().find(|(known, _)| known == state) {
                Some((_, count)) => *count += 1,
                None => counts.push((state, 1)),
            }
        }
        counts.iter().map(|(state, count)| format!("{count} {state}")).collect::<Vec<_>>().join(", ")
    }
}
