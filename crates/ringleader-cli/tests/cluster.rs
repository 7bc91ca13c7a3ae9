//! Sweeps on clusters as a user meets them, with commands of Slurm that only say what they were asked: what the scheduler would do, the test
//! does. `scripts/slurm-tests` runs them on a real Slurm.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod harness;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use harness::{complaint, json, program};

const DEFINITION: &str = "seed = 7\nrepeats = 50\n[[grid]]\nprotocol = [\"ppl\", \"ysm\"]\nn = [5, 8]\n";

/// A folder with a definition, and commands of Slurm that write down what they are asked.
struct Cluster {
    folder: PathBuf,
}

impl Cluster {
    fn new(name: &str) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("cluster {name}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("bin")).unwrap();
        fs::write(folder.join("a.toml"), DEFINITION).unwrap();
        let cluster = Self { folder };
        // Jobs are numbered from 1 on; the file `refuse` makes sbatch refuse the merge.
        cluster.command(
            "sbatch",
            r#"case "$*" in
                --version) exit 0 ;;
                *--dependency*) [ ! -e refuse ] || { echo 'sbatch: error: AssocMaxSubmitJobLimit' >&2; exit 1; } ;;
            esac
            echo "$*" >> asked
            wc -l < asked"#,
        );
        cluster.command("squeue", "cat queue 2> /dev/null || true");
        cluster.command("scancel", r#"echo "scancel $*" >> cancelled"#);
        cluster
    }

    fn command(&self, name: &str, text: &str) {
        let path = self.folder.join("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// A process in the folder that finds those commands, and no other of Slurm.
    fn process(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.folder).env("PATH", format!("{}:/usr/bin:/bin", self.path("bin").display()));
        command.env_remove("SLURM_JOB_ID").stdin(Stdio::null());
        command
    }

    fn run(&self, words: &str) -> Output {
        self.process(env!("CARGO_BIN_EXE_ringleader")).args(words.split_whitespace()).output().unwrap()
    }

    /// What it prints when all is well.
    fn done(&self, words: &str) -> String {
        let output = self.run(words);
        assert_eq!(output.status.code(), Some(0), "{words}: {}", complaint(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// What it complains of.
    fn refused(&self, words: &str, code: i32, expected: &[&str]) {
        refused(&self.run(words), code, expected);
    }

    /// Runs some tasks of the array, as Slurm would.
    fn tasks(&self, tasks: &[u32]) {
        for task in tasks {
            let mut command = self.process("sh");
            let output = command.arg("a.parquet.slurm/shard.sh").env("SLURM_ARRAY_TASK_ID", task.to_string()).output();
            let output = output.unwrap();
            assert!(output.status.success(), "{}", complaint(&output));
        }
    }

    /// Runs the job that merges, whose number is this.
    fn merge(&self, job: u32) -> Output {
        self.process("sh").arg("a.parquet.slurm/merge.sh").env("SLURM_JOB_ID", job.to_string()).output().unwrap()
    }

    /// What sbatch was asked for since the last time.
    fn asked(&self, since: usize) -> Vec<String> {
        self.text("asked").lines().skip(since).map(str::to_owned).collect()
    }

    /// The bytes of the sweep on one machine.
    fn undisturbed(&self) -> Vec<u8> {
        self.done("sweep a.toml --out one.parquet");
        fs::read(self.path("one.parquet")).unwrap()
    }

    /// All files under the folder but the commands.
    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.folder).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| name != "bin");
        names.sort();
        names
    }
}

fn refused(output: &Output, code: i32, expected: &[&str]) {
    let told = complaint(output);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(code), 0), "{told}");
    assert!(expected.iter().all(|word| told.contains(word)), "{told}\n{expected:?}");
    assert!(!told.contains("panicked"), "{told}");
}

fn has(text: &str, words: &[&str]) {
    assert!(words.iter().all(|word| text.contains(word)), "{text}\n{words:?}");
}

/// The whole way: some tasks end before their shards do, and those are submitted again, until all can be merged.
#[test]
fn a_sweep_on_slurm_goes_on_until_it_is_whole() {
    let cluster = Cluster::new("whole");
    let told = cluster.done("sweep a.toml --slurm --shards 4 -- --partition=long -t 5");
    has(&told, &["200 trials in 4 of 4 shards", "job array 1, then job 2", "sweep a.toml --slurm --status"]);
    let asked = cluster.asked(0);
    assert_eq!(asked.len(), 2);
    has(&asked[0], &["--array=1-4", "--requeue", "--parsable", "--partition=long -t 5", "shard.sh"]);
    has(&asked[1], &["--dependency=afterany:1 ", "--partition=long -t 5", "merge.sh"]);
    fs::write(
        cluster.path("queue"),
        "1|1|RUNNING\n1|2|PENDING\n1|3|PENDING\n1|4|PENDING\n2|N/A|PENDING\n9|N/A|RUNNING\n",
    )
    .unwrap();
    cluster.refused("sweep a.toml --slurm", 2, &["under way (job array 1 and merge 2)", "--status", "--cancel"]);
    assert_eq!(cluster.asked(2).len(), 0, "submitted twice");
    // Whoever edits the definition does not disturb jobs that wait.
    fs::write(cluster.path("a.toml"), "seed = 8\n[[grid]]\nprotocol = \"ysm\"\nn = 4\n").unwrap();
    cluster.tasks(&[1, 3]);
    fs::write(cluster.path("queue"), "2|N/A|RUNNING\n").unwrap();
    let output = cluster.merge(2);
    assert!(output.status.success(), "{}", complaint(&output));
    let asked = cluster.asked(2);
    assert_eq!(asked.len(), 2);
    has(&asked[0], &["--array=2,4 ", "--partition=long -t 5"]);
    has(&asked[1], &["--dependency=afterany:3 ", "--partition=long -t 5"]);
    has(&cluster.text("a.parquet.slurm/merge.sh"), &["--slurm --round 2", " -- --partition=long -t 5"]);
    cluster.tasks(&[2, 4]);
    let output = cluster.merge(4);
    assert!(output.status.success(), "{}", complaint(&output));
    fs::write(cluster.path("a.toml"), DEFINITION).unwrap();
    assert_eq!(fs::read(cluster.path("a.parquet")).unwrap(), cluster.undisturbed());
    // From now on there is nothing to do.
    fs::remove_file(cluster.path("queue")).unwrap();
    for words in ["", "--status"] {
        has(&cluster.done(&format!("sweep a.toml --slurm {words}")), &["complete: 200 trials"]);
    }
    assert_eq!(cluster.asked(4).len(), 0);
}

/// A task finds the text of a protocol that is a file where it finds the definition, whatever becomes of the file.
#[test]
fn tasks_of_an_array_run_the_file_as_it_was_submitted() {
    let cluster = Cluster::new("file");
    let own = include_str!("../../../protocols/ysm.py");
    fs::create_dir(cluster.path("variants")).unwrap();
    let (file, definition) = (cluster.path("variants/mine.py"), DEFINITION.replace("\"ysm\"", "\"variants/mine.py\""));
    fs::write(&file, own).unwrap();
    fs::write(cluster.path("a.toml"), &definition).unwrap();
    cluster.done("sweep a.toml --slurm --shards 2");
    fs::write(&file, own.replace("(2, 1, 0)", "(2, 0, 0)")).unwrap();
    cluster.tasks(&[1, 2]);
    assert!(cluster.merge(2).status.success());
    cluster.refused("sweep a.toml --slurm", 2, &["the text of variants/mine.py has changed"]);
    fs::write(&file, own).unwrap();
    assert_eq!(fs::read(cluster.path("a.parquet")).unwrap(), cluster.undisturbed());
}

/// With more cells only those are run.
#[test]
fn a_definition_that_grows_goes_on_from_its_shards() {
    let cluster = Cluster::new("grown");
    cluster.done("sweep a.toml --slurm --shards 2");
    cluster.tasks(&[1, 2]);
    assert!(cluster.merge(2).status.success());
    let grown = format!("{DEFINITION}[[grid]]\nprotocol = \"ysm\"\nn = 6\n");
    fs::write(cluster.path("a.toml"), grown).unwrap();
    has(&cluster.done("sweep a.toml --slurm"), &["submitted: 50 trials in 2 of 2 shards"]);
    cluster.tasks(&[1, 2]);
    assert!(cluster.merge(4).status.success());
    assert_eq!(fs::read(cluster.path("a.parquet")).unwrap(), cluster.undisturbed());
    // And no other change.
    fs::write(cluster.path("a.toml"), DEFINITION.replace("seed = 7", "seed = 8")).unwrap();
    cluster.refused("sweep a.toml --slurm", 2, &["a.parquet: it was made with another definition", "another --out"]);
}

/// Trials of a sweep that was begun on one machine are not those of shards, which is told.
#[test]
fn what_was_run_without_slurm_is_told() {
    let cluster = Cluster::new("begun");
    fs::write(cluster.path("a.toml"), DEFINITION.replace("n = [5, 8]", "n = 5")).unwrap();
    cluster.done("sweep a.toml");
    fs::write(cluster.path("a.toml"), DEFINITION).unwrap();
    let output = cluster.run("sweep a.toml --slurm --shards 2");
    assert!(output.status.success());
    has(&complaint(&output), &["note: 100 trials", "without Slurm"]);
}

#[test]
fn its_status_is_that_of_files_and_queue() {
    let cluster = Cluster::new("status");
    cluster.refused("sweep a.toml --slurm --status", 2, &["was not submitted", "a.parquet.slurm"]);
    cluster.done("sweep a.toml --slurm --shards 4");
    cluster.tasks(&[2]);
    fs::write(cluster.path("queue"), "1|1|RUNNING\n1|4|PENDING\n2|N/A|PENDING\n").unwrap();
    let told = cluster.done("sweep a.toml --slurm --status");
    has(&told, &["of 200 trials are done", "4 shards: 1 running, 1 complete, 1 ended, 1 pending", "merge 2: pending"]);
    let told = json(&cluster.run("sweep a.toml --slurm --status --json"));
    assert_eq!(
        (told["trials"].as_u64(), told["missing"].as_u64(), &told["complete"]),
        (Some(200), Some(3), &false.into())
    );
    assert_eq!((&told["list"][1]["state"], &told["list"][1]["done"]), (&"complete".into(), &told["done"]));
    // Nothing under way: what to do; no answer: what is known all the same.
    fs::write(cluster.path("queue"), "").unwrap();
    has(
        &cluster.done("sweep a.toml --slurm --status"),
        &["no job is under way", "go on with: ringleader sweep a.toml"],
    );
    cluster.command("squeue", "echo 'squeue: error: Unable to contact slurm controller' >&2; exit 1");
    has(&cluster.done("sweep a.toml --slurm --status"), &["Unable to contact", "1 complete", "3 unknown"]);
    cluster.refused("sweep a.toml --slurm", 2, &["squeue refused", "Unable to contact"]);
}

#[test]
fn cancelling_takes_the_merge_first_and_keeps_what_is_done() {
    let cluster = Cluster::new("cancel");
    cluster.refused("sweep a.toml --slurm --cancel", 2, &["was not submitted"]);
    cluster.done("sweep a.toml --slurm --shards 3");
    cluster.tasks(&[1]);
    fs::write(cluster.path("queue"), "1|2|RUNNING\n1|3|PENDING\n2|N/A|PENDING\n").unwrap();
    has(&cluster.done("sweep a.toml --slurm --cancel"), &["cancelled", "go on with: ringleader sweep a.toml --slurm"]);
    assert_eq!(cluster.text("cancelled"), "scancel 2 1\n");
    fs::write(cluster.path("queue"), "").unwrap();
    has(&cluster.done("sweep a.toml --slurm --cancel"), &["no job"]);
    has(&cluster.done("sweep a.toml --slurm"), &["in 2 of 3 shards"]);
    has(&cluster.asked(2)[0], &["--array=2-3 "]);
}

#[test]
fn rounds_that_bring_nothing_come_to_an_end() {
    let cluster = Cluster::new("idle");
    cluster.done("sweep a.toml --slurm --shards 2");
    for job in [2, 4] {
        assert!(cluster.merge(job).status.success(), "round of {job}");
    }
    // A trial that is done begins the count anew.
    cluster.tasks(&[1]);
    for job in [6, 8, 10] {
        assert!(cluster.merge(job).status.success(), "round of {job}");
    }
    let before = cluster.asked(0).len();
    refused(&cluster.merge(12), 1, &["3 rounds", "finished no trial", "a.parquet.slurm", "go on with: "]);
    assert_eq!(cluster.asked(before).len(), 0);
    // A user may begin again.
    cluster.done("sweep a.toml --slurm");
    assert!(cluster.merge(14).status.success());
}

/// A task that is requeued after the merge was let loose is waited for once more, and not submitted beside itself.
#[test]
fn a_task_that_comes_back_is_waited_for() {
    let cluster = Cluster::new("back");
    cluster.done("sweep a.toml --slurm --shards 2");
    cluster.tasks(&[1]);
    fs::write(cluster.path("queue"), "1|2|PENDING\n2|N/A|RUNNING\n").unwrap();
    let output = cluster.merge(2);
    assert!(output.status.success(), "{}", complaint(&output));
    let asked = cluster.asked(2);
    assert_eq!(asked.len(), 1);
    has(&asked[0], &["--dependency=afterany:1 ", "merge.sh"]);
    // A merge that comes to life again when another has taken its place does nothing.
    fs::write(cluster.path("queue"), "1|2|PENDING\n2|N/A|RUNNING\n3|N/A|PENDING\n").unwrap();
    refused(&cluster.merge(2), 2, &["under way"]);
}

#[test]
fn without_its_merge_an_array_is_taken_back() {
    let cluster = Cluster::new("refused");
    fs::write(cluster.path("refuse"), "").unwrap();
    cluster.refused("sweep a.toml --slurm --shards 2", 2, &["sbatch refused", "AssocMaxSubmitJobLimit"]);
    assert_eq!(cluster.text("cancelled"), "scancel 1\n");
}

#[test]
fn without_slurm_it_says_so_and_leaves_nothing() {
    let cluster = Cluster::new("none");
    fs::remove_dir_all(cluster.path("bin")).unwrap();
    let run = |words: &str| {
        let mut command = program();
        let empty = cluster.path("bin");
        command.args(words.split_whitespace()).current_dir(&cluster.folder).env("PATH", empty).output().unwrap()
    };
    refused(&run("sweep a.toml --slurm"), 2, &["cannot run sbatch: it is not found", "Slurm cluster", "--shard auto"]);
    // What would be submitted can be seen anywhere.
    let told = String::from_utf8(run("sweep a.toml --slurm --dry-run --shards 3 -- --time=9").stdout).unwrap();
    has(
        &told,
        &["--array=1-3", "--dependency=afterany:ARRAY", "--time=9", "shard.sh", "merge.sh", "$SLURM_ARRAY_TASK_ID/3"],
    );
    let told = json(&run("sweep a.toml --slurm --dry-run --shards 3 --json"));
    assert_eq!((told["commands"].as_array().unwrap().len(), told["missing"].as_u64()), (2, Some(3)));
    assert_eq!(cluster.files(), ["a.toml"]);
}

#[test]
fn wrong_use_is_refused_before_anything_is_submitted() {
    let cluster = Cluster::new("wrong");
    for (words, expected) in [
        ("--slurm --shards 0", ["--shards", "1 to 100000"]),
        ("--slurm --shard 1/2", ["--slurm", "--shard"]),
        ("--status", ["--slurm", "required"]),
        ("--slurm --status --cancel", ["--status", "--cancel"]),
        ("--slurm -- --array=1-3", ["--array=1-3", "leave it out"]),
        ("--slurm -- -d singleton", ["--dependency", "leave it out"]),
        ("-- --time=3", ["--slurm", "required"]),
    ] {
        cluster.refused(&format!("sweep a.toml {words}"), 2, &expected);
    }
    assert_eq!(cluster.files(), ["a.toml"]);
    cluster.done("sweep a.toml --slurm --shards 2");
    cluster.refused("sweep a.toml --slurm --shards 3", 2, &["2 shards already", "a.parquet.slurm"]);
    fs::write(cluster.path("a.parquet.slurm/jobs.json"), "{").unwrap();
    cluster.refused("sweep a.toml --slurm", 2, &["jobs.json is damaged", "remove it"]);
}

/// A shard that is damaged, of another definition, of another version, or no shard at all: all are named, and nothing is submitted.
#[test]
fn shards_that_do_not_belong_are_named() {
    let cluster = Cluster::new("foreign");
    cluster.done("sweep a.toml --slurm --shards 4");
    cluster.tasks(&[1, 2, 3, 4]);
    let shard = |index: u32| cluster.path(&format!("a.parquet.slurm/a.{index}of4.parquet"));
    let whole = fs::read(shard(1)).unwrap();
    fs::write(shard(1), &whole[..whole.len() / 2]).unwrap();
    fs::copy(shard(3), shard(2)).unwrap();
    fs::remove_file(shard(3)).unwrap();
    fs::write(shard(3).with_extension("parquet.journal"), "meta 3 00\n").unwrap();
    let before = cluster.asked(0).len();
    let expected =
        ["shard 1/4: ", "cut off", "shard 2/4: ", "it is shard 3/4", "shard 3/4: ", "earlier version", "remove"];
    cluster.refused("sweep a.toml --slurm", 2, &expected);
    refused(&cluster.merge(2), 2, &expected);
    let told = cluster.done("sweep a.toml --slurm --status");
    has(&told, &["3 bad, 1 complete", "shard 1/4: ", "shard 2/4: ", "shard 3/4: "]);
    assert_eq!((cluster.asked(before).len(), cluster.path("a.parquet").exists()), (0, false));
    // After what was told to do.
    for path in [shard(1), shard(2), shard(3).with_extension("parquet.journal")] {
        fs::remove_file(path).unwrap();
    }
    cluster.done("sweep a.toml --slurm");
    has(&cluster.asked(before)[0], &["--array=1-3 "]);
    cluster.tasks(&[1, 2, 3]);
    assert!(cluster.merge(4).status.success());
    assert_eq!(fs::read(cluster.path("a.parquet")).unwrap(), cluster.undisturbed());
}

/// `merge` by hand says which shard is lacking, and what to do.
#[test]
fn merge_says_what_is_lacking() {
    let cluster = Cluster::new("lacking");
    for index in [1, 2, 4] {
        cluster.done(&format!("sweep a.toml --shard {index}/4"));
    }
    let merge = "merge a.1of4.parquet a.2of4.parquet a.4of4.parquet --out all.parquet";
    cluster.refused(merge, 2, &["of 200 trials are in none of the files", "shard 3/4 is not among them"]);
    let all = "merge a.1of4.parquet a.2of4.parquet a.3of4.parquet a.4of4.parquet --out all.parquet";
    cluster.refused(all, 2, &["a.3of4.parquet", "run this shard first"]);
    fs::write(cluster.path("a.3of4.parquet.journal"), "").unwrap();
    cluster.refused(all, 2, &["a.3of4.parquet.journal is there", "not complete"]);
    fs::write(cluster.path("a.3of4.parquet"), "PAR1").unwrap();
    cluster.refused(all, 2, &["a.3of4.parquet", "remove it and run this shard again"]);
}

/// All write the same bytes, each under a name of its own that becomes the right one in one step.
#[test]
fn many_merges_at_once_are_one() {
    let cluster = Cluster::new("merges");
    for index in 1..=3 {
        cluster.done(&format!("sweep a.toml --shard {index}/3"));
    }
    let merge = ["merge", "a.1of3.parquet", "a.2of3.parquet", "a.3of3.parquet", "--out", "a.parquet"];
    let start = || cluster.process(env!("CARGO_BIN_EXE_ringleader")).args(merge).stdout(Stdio::null()).spawn().unwrap();
    let mut all: Vec<_> = (0..8).map(|_| start()).collect();
    assert!(all.iter_mut().all(|one| one.wait().unwrap().success()));
    let merged = fs::read(cluster.path("a.parquet")).unwrap();
    assert_eq!(merged, cluster.undisturbed());
    let expected = ["a.1of3.parquet", "a.2of3.parquet", "a.3of3.parquet", "a.parquet", "a.toml", "one.parquet"];
    assert_eq!(cluster.files(), expected, "nothing is left behind");
}

/// A script of the user's own.
#[test]
fn a_task_of_any_array_finds_its_shard() {
    let cluster = Cluster::new("auto");
    let run = |shard: &str, environment: &[(&str, &str)]| {
        let mut command = cluster.process(env!("CARGO_BIN_EXE_ringleader"));
        command.args(["sweep", "a.toml", "--shard", shard]).envs(environment.iter().copied()).output().unwrap()
    };
    let slurm = ["MIN", "MAX", "STEP", "COUNT"].map(|name| format!("SLURM_ARRAY_TASK_{name}"));
    let slurm: Vec<(&str, &str)> = slurm.iter().map(String::as_str).zip(["0", "2", "1", "3"]).collect();
    assert!(run("auto", &[&slurm[..], &[("SLURM_ARRAY_TASK_ID", "0")]].concat()).status.success());
    assert!(run("auto/3", &[("PBS_ARRAY_INDEX", "2")]).status.success());
    let sge = [("SGE_TASK_ID", "3"), ("SGE_TASK_FIRST", "1"), ("SGE_TASK_LAST", "3"), ("SGE_TASK_STEPSIZE", "1")];
    assert!(run("auto", &sge).status.success());
    cluster.done("merge a.1of3.parquet a.2of3.parquet a.3of3.parquet --out a.parquet");
    assert_eq!(fs::read(cluster.path("a.parquet")).unwrap(), cluster.undisturbed());
    refused(&run("auto", &[]), 2, &["auto", "no task of a job array", "SLURM_ARRAY_TASK_ID"]);
    refused(&run("auto", &[("PBS_ARRAY_INDEX", "2")]), 2, &["PBS does not tell", "--shard auto/64"]);
}

// --- Network file systems ------------------------------------------------------------------------------------

/// The library that makes a process in this folder meet a poor file system. Its name has no folder, whose name has a space.
fn poor(folder: &Path) -> &'static str {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cluster/refuse.c");
    let mut compiler = Command::new("cc");
    compiler.current_dir(folder).args(["-shared", "-fPIC", "-o", "refuse.so", source, "-ldl"]);
    let made = compiler.output().unwrap();
    assert!(made.status.success(), "{}", complaint(&made));
    "./refuse.so"
}

#[test]
fn a_file_system_without_locks_is_told_and_used() {
    let cluster = Cluster::new("locks");
    let mut command = cluster.process(env!("CARGO_BIN_EXE_ringleader"));
    command.args(["sweep", "a.toml"]).env("LD_PRELOAD", poor(&cluster.folder)).env("REFUSE_LOCKS", "1");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", complaint(&output));
    has(&complaint(&output), &["note: this file system has no locks", "No locks available", "second process"]);
    assert_eq!(fs::read(cluster.path("a.parquet")).unwrap(), cluster.undisturbed());
}

/// Wherever a quota ends: in the journal, in the records of a shard, or in those of the merge.
#[test]
fn a_full_quota_loses_nothing() {
    let cluster = Cluster::new("quota");
    let library = poor(&cluster.folder);
    let run = |words: &str, bytes: u64| {
        let mut command = cluster.process(env!("CARGO_BIN_EXE_ringleader"));
        command.args(words.split_whitespace()).env("LD_PRELOAD", library).env("REFUSE_AFTER", bytes.to_string());
        command.output().unwrap()
    };
    let stop = |bytes: u64| {
        let output = run("sweep a.toml --shard 1/2 --threads 1", bytes);
        refused(&output, 2, &["cannot write", "quota exceeded", "are kept in", "resume with: ringleader sweep a.toml"]);
        assert!(cluster.path("a.1of2.parquet.journal").exists() && !cluster.path("a.1of2.parquet").exists());
        complaint(&output)
    };
    [0, 10].into_iter().for_each(|bytes| drop(stop(bytes)));
    // A little more is kept each time, until the records are what there is no room for.
    let records = (0..50).find(|_| stop(2_000).contains("cannot write a.1of2.parquet:"));
    assert!(records.is_some_and(|times| times > 1), "{records:?}");
    cluster.done("sweep a.toml --shard 1/2");
    cluster.done("sweep a.toml --shard 2/2");
    for bytes in [0, 3_000] {
        let output = run("merge a.1of2.parquet a.2of2.parquet --out a.parquet", bytes);
        refused(&output, 2, &["cannot write", "a.parquet", "quota exceeded"]);
        assert!(!cluster.path("a.parquet").exists());
    }
    cluster.done("merge a.1of2.parquet a.2of2.parquet --out a.parquet");
    assert_eq!(fs::read(cluster.path("a.parquet")).unwrap(), cluster.undisturbed());
}
