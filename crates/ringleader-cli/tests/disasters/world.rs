//! Where rounds take place: processes and what became of them, small and read-only disks, shards merged and compared in the end.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

use crate::plan::{Definition, Dice, Plan};
use crate::site::Site;

/// The signal of a file that would become too large.
pub(crate) const SIGXFSZ: i32 = 25;

/// Runs a command while the folder `$1` is on a disk of `$3` bytes; what is there is copied to that disk, and back. `$2` is a folder for that.
const SMALL_DISK: &str = r#"
set -e
folder="$1" aside="$2"
mount --bind "$folder" "$aside"
mount -t tmpfs -o size="$3" none "$folder"
cp -a "$aside/." "$folder"
shift 3
code=0
"$@" || code=$?
find "$aside" -mindepth 1 -delete
cp -a "$folder/." "$aside"
exit $code"#;

/// Runs a command while the folder `$1` cannot be written.
const READ_ONLY: &str = r#"
set -e
mount --bind "$1" "$1"
mount -o remount,bind,ro "$1"
shift
exec "$@""#;

/// How often what happened.
#[derive(Default)]
pub(crate) struct Tally(BTreeMap<String, u64>);

impl Tally {
    pub(crate) fn count(&mut self, what: impl Into<String>, times: u64) {
        *self.0.entry(what.into()).or_default() += times;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(what, times)| writeln!(f, "{times:>9} {what}"))
    }
}

/// What became of a process.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
    /// What it says in JSON.
    pub(crate) told: Value,
    pub(crate) complaint: String,
}

/// A process that does not outlive a round that failed.
pub(crate) struct Running(Option<Child>);

impl Running {
    pub(crate) fn child(&mut self) -> &mut Child {
        self.0.as_mut().unwrap()
    }

    fn output(mut self) -> Output {
        self.0.take().unwrap().wait_with_output().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

pub(crate) struct World {
    program: PathBuf,
    folder: PathBuf,
    /// Whether disks can be mounted here, for a process alone.
    mounts: bool,
    pub(crate) tally: Tally,
}

impl World {
    pub(crate) fn new(program: PathBuf, folder: PathBuf) -> Self {
        // Signals are to leave no image of the memory behind; those who come after us inherit this.
        let own = std::process::id().to_string();
        assert!(Command::new("prlimit").args(["--core=0:0", "--pid", &own]).status().unwrap().success());
        let mut world = Self { program, folder, mounts: true, tally: Tally::default() };
        let place = world.folder.join("mount");
        fs::create_dir(&place).unwrap();
        let both = [world.on_small_disk(&place, 9, &["-V"]), world.on_read_only_disk(&place, &["-V"])];
        world.mounts = both.into_iter().all(|mut command| command.output().unwrap().status.success());
        if !world.mounts {
            world.tally.count("disks cannot be mounted here: no small and no read-only ones", 1);
        }
        world
    }

    // --- Processes --------------------------------------------------------------------------------------------

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(args);
        command
    }

    /// With a limit on the size of files. By default the signal that comes with it kills.
    pub(crate) fn limited(&self, bytes: u64, deaf: bool, args: &[&str]) -> Command {
        let script = if deaf { r#"exec "$0" "$@""# } else { r#"trap '' XFSZ; exec "$0" "$@""# };
        let mut command = Command::new("bash");
        command.args(["-c", script, "prlimit", &format!("--fsize={bytes}")]).arg(&self.program).args(args);
        command
    }

    /// With so many pages left on the disk of a folder.
    pub(crate) fn on_small_disk(&self, folder: &Path, pages: u64, args: &[&str]) -> Command {
        let sizes = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len().div_ceil(4096));
        let bytes = 4096 * (sizes.sum::<u64>() + pages);
        let aside = self.folder.join("aside");
        fs::create_dir_all(&aside).unwrap();
        let mut command = Command::new("unshare");
        command.args(["-rm", "bash", "-c", SMALL_DISK, "bash"]).arg(folder).arg(aside).arg(bytes.to_string());
        command.arg(&self.program).args(args);
        command
    }

    pub(crate) fn on_read_only_disk(&self, folder: &Path, args: &[&str]) -> Command {
        let mut command = Command::new("unshare");
        command.args(["-rm", "bash", "-c", READ_ONLY, "bash"]).arg(folder).arg(&self.program).args(args);
        command
    }

    pub(crate) fn has_mounts(&self) -> bool {
        self.mounts
    }

    /// Our Ctrl-C is not theirs.
    pub(crate) fn start(&mut self, mut command: Command) -> Running {
        self.tally.count("processes", 1);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        Running(Some(command.spawn().unwrap()))
    }

    /// Waits for the end, whatever it is, but for a panic.
    pub(crate) fn end(&mut self, running: Running) -> Ended {
        let output = running.output();
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        let (code, signal) = (output.status.code(), output.status.signal());
        assert!(!complaint.contains("panicked") && code != Some(101), "{code:?}: {complaint}");
        Ended { code, signal, told: serde_json::from_slice(&output.stdout).unwrap_or_default(), complaint }
    }

    pub(crate) fn run(&mut self, command: Command) -> Ended {
        let running = self.start(command);
        self.end(running)
    }

    /// What a command prints that must succeed.
    pub(crate) fn printed(&mut self, args: &[&str]) -> Vec<u8> {
        let command = self.command(args);
        let output = self.start(command).output();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    // --- Rounds -----------------------------------------------------------------------------------------------

    pub(crate) fn round(&mut self, round: u64, plan: &Plan) {
        // Neither blanks nor letters of other languages break anything.
        let folder = self.folder.join(format!("Runde {round} für sich"));
        let (reference, sweep) = (folder.join("undisturbed"), folder.join("sweep"));
        fs::create_dir_all(&reference).unwrap();
        fs::create_dir_all(&sweep).unwrap();
        fs::write(folder.join("mine.py"), include_str!("../../../../protocols/fj.py")).unwrap();
        let last = &plan.chapters[plan.chapters.len() - 1].definition;
        let (expected, table) = self.undisturbed(&reference, last);
        let mut shards = Vec::new();
        for shard in 1..=plan.shards {
            let mut site = Site::new(self, &sweep, (shard, plan.shards));
            plan.chapters.iter().for_each(|one| site.live(&one.definition, &one.blows[shard as usize - 1]));
            site.finish(2);
            shards.push((site.records(), site.trials()));
        }
        let mut expected_names: Vec<PathBuf> = shards.iter().map(|(path, _)| path.clone()).collect();
        expected_names.extend(["a.toml", "all.parquet", "all.csv"].map(|name| sweep.join(name)));
        expected_names.sort();
        self.merge(plan, shards, &sweep.join("all.parquet"), &expected);
        self.export(plan, &sweep, &table);
        assert_eq!(files(&sweep), expected_names, "what is left");
        self.tally.count("rounds, all equal to the byte", 1);
        fs::remove_dir_all(&folder).unwrap();
    }

    /// The records and their table if nothing happens.
    fn undisturbed(&mut self, folder: &Path, definition: &Definition) -> (Vec<u8>, Vec<u8>) {
        let (path, records) = (folder.join("a.toml"), folder.join("a.parquet"));
        fs::write(&path, definition.text()).unwrap();
        self.printed(&["sweep", text(&path), "--threads", "1", "--quiet"]);
        let table = self.printed(&["export", "--csv", text(&records)]);
        (fs::read(records).unwrap(), table)
    }

    fn merge(&mut self, plan: &Plan, mut shards: Vec<(PathBuf, u64)>, out: &Path, expected: &[u8]) {
        Dice::new(plan.rest, 1).shuffle(&mut shards);
        let (first, trials) = shards[0].clone();
        let paths: Vec<&str> = shards.iter().map(|(path, _)| text(path)).collect();
        let onto = ["merge", "--out", text(out)];
        for (at, deaf) in &plan.merge {
            let command = self.limited(expected.len() as u64 * at / 1000, *deaf, &[&onto, &paths[..]].concat());
            self.cut_short("merge", command, out, expected);
        }
        if trials > 0 && paths.len() > 1 {
            let ended = self.run(self.command(&[&onto, &paths[1..]].concat()));
            assert!(ended.code == Some(2) && !out.exists(), "a shard is missing: {ended:?}");
            self.tally.count("merge: a shard missing", 1);
        }
        let whole = fs::read(&first).unwrap();
        let mut damaged = whole.clone();
        damaged[(plan.rest % whole.len() as u64) as usize] ^= 1 << (plan.rest % 8);
        fs::write(&first, &damaged).unwrap();
        let ended = self.run(self.command(&[&onto, &paths[..]].concat()));
        assert!(ended.code == Some(2) && !out.exists(), "a shard is damaged: {ended:?}");
        self.tally.count("merge: a shard damaged", 1);
        fs::write(&first, &whole).unwrap();
        // One of them twice is no harm.
        self.printed(&[&onto, &paths[..1], &paths].concat());
        assert!(fs::read(out).unwrap() == expected, "the merged records differ");
    }

    fn export(&mut self, plan: &Plan, sweep: &Path, expected: &[u8]) {
        let (records, out) = (sweep.join("all.parquet"), sweep.join("all.csv"));
        let args = ["export", text(&records), "--out", text(&out)];
        for (at, deaf) in &plan.merge {
            let command = self.limited(expected.len() as u64 * at / 1000, *deaf, &args);
            self.cut_short("export", command, &out, expected);
        }
        self.printed(&args);
        assert!(fs::read(&out).unwrap() == expected, "the tables differ");
    }

    /// What cannot write all of its file writes none of it.
    fn cut_short(&mut self, name: &str, command: Command, out: &Path, expected: &[u8]) {
        let ended = self.run(command);
        let parts = files(out.parent().unwrap()).into_iter().filter(|path| text(path).ends_with(".part"));
        let parts: Vec<PathBuf> = parts.collect();
        let how = match (ended.code, ended.signal) {
            (Some(0), _) => {
                assert!(fs::read(out).unwrap() == expected, "{name}: the file differs");
                fs::remove_file(out).unwrap();
                "too late"
            }
            (Some(2), _) => {
                assert!(ended.complaint.contains("File too large") && parts.is_empty(), "{name}: {parts:?}, {ended:?}");
                "error"
            }
            (None, Some(SIGXFSZ)) => {
                parts.iter().for_each(|part| fs::remove_file(part).unwrap());
                "killed"
            }
            _ => panic!("{name}: {ended:?}"),
        };
        assert!(!out.exists());
        self.tally.count(format!("{name}: size limit, {how}"), 1);
    }
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// All that is in a folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}
