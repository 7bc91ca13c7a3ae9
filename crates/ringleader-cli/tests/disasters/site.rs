//! A sweep or a shard of one, and what befalls it. After every process it is known which trials must have been kept, from a reader of
//! journals of our own; none of them may be run again.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::harness::PATIENCE;
use crate::journal::{Journal, Trial, as_written};
use crate::plan::{Blow, Damage, Definition, Disaster, Moment, Thing};
use crate::world::{Ended, Running, SIGXFSZ, World, files, text};

/// About as long as a line of a journal.
const LINE: u64 = 110;

/// How things stand on disk.
struct State {
    /// The records of the present definition are there.
    complete: bool,
    /// The journal is none.
    refused: bool,
    /// Something belongs to the present definition, so that another would be noticed.
    bound: bool,
    /// What need not be run again.
    done: BTreeSet<Trial>,
}

pub(crate) struct Site<'a> {
    world: &'a mut World,
    folder: PathBuf,
    shard: (u64, u64),
    /// All so far, the present one last.
    definitions: Vec<Definition>,
    /// How many trials of the present one are ours.
    trials: u64,
    /// Those in records of an earlier definition.
    older: BTreeSet<Trial>,
}

impl<'a> Site<'a> {
    pub(crate) fn new(world: &'a mut World, folder: &Path, shard: (u64, u64)) -> Self {
        let (definitions, older) = (Vec::new(), BTreeSet::new());
        Self { world, folder: folder.to_owned(), shard, definitions, trials: 0, older }
    }

    pub(crate) fn records(&self) -> PathBuf {
        let (index, count) = self.shard;
        self.folder.join(if count == 1 { "a.parquet".into() } else { format!("a.{index}of{count}.parquet") })
    }

    pub(crate) fn trials(&self) -> u64 {
        self.trials
    }

    fn journal(&self) -> PathBuf {
        self.records().with_extension("parquet.journal")
    }

    fn definition(&self) -> PathBuf {
        self.folder.join("a.toml")
    }

    fn args(&self, threads: u64) -> Vec<String> {
        let (index, count) = self.shard;
        let words = ["sweep", text(&self.definition()), "--json", "--quiet"].map(str::to_owned);
        let values = [format!("--threads={threads}"), format!("--shard={index}/{count}")];
        words.into_iter().chain(values).collect()
    }

    /// A chapter of its life.
    pub(crate) fn live(&mut self, definition: &Definition, blows: &[Blow]) {
        if !self.definitions.is_empty() && self.state().complete {
            self.older = self.rows();
        }
        self.definitions.push(definition.clone());
        fs::write(self.definition(), definition.text()).unwrap();
        let args = self.args(1);
        let told = self.world.printed(&[&words(&args)[..], &["--dry-run"]].concat());
        self.trials = serde_json::from_slice::<serde_json::Value>(&told).unwrap()["trials"].as_u64().unwrap();
        blows.iter().for_each(|blow| self.befall(blow));
    }

    /// The trials in the records.
    fn rows(&mut self) -> BTreeSet<Trial> {
        let table = self.world.printed(&["export", "--csv", text(&self.records())]);
        let (cells, table) = (self.definitions[self.definitions.len() - 1].cells(), String::from_utf8(table).unwrap());
        // What is in quotes has commas, and does not matter here.
        let plain = |line: &str| line.split('"').step_by(2).collect::<String>();
        let mut lines = table.lines().map(|line| plain(line).split(',').map(str::to_owned).collect::<Vec<_>>());
        let header = lines.next().unwrap();
        let place = |name: &str| header.iter().position(|column| column == name).unwrap();
        let (cell, trial) = (place("cell"), place("trial"));
        let key = |line: Vec<String>| {
            let (grid, k) = cells[line[cell].parse::<usize>().unwrap()];
            (grid, k, line[trial].parse().unwrap())
        };
        lines.map(key).collect()
    }

    fn state(&mut self) -> State {
        let (there, present) = (self.records().exists(), &self.definitions[self.definitions.len() - 1]);
        let complete = there && {
            let told = self.world.printed(&["export", "--meta", text(&self.records())]);
            let meta: serde_json::Value = serde_json::from_slice(&told).unwrap();
            as_written(meta["files"][0]["definition"].as_str().unwrap()) == present.text()
        };
        let journal = Journal::read(&fs::read(self.journal()).unwrap_or_default());
        let mut done = journal.as_ref().map(|journal| journal.trials(&self.definitions)).unwrap_or_default();
        if there {
            done.extend(&self.older);
        }
        State {
            complete,
            refused: journal.is_none(),
            bound: complete || journal.is_some_and(|journal| journal.is_of(present)),
            done,
        }
    }

    fn missing(&self, state: &State) -> u64 {
        if state.complete { 0 } else { self.trials - state.done.len() as u64 }
    }

    /// The size of the journal at a moment of its life.
    fn size_at(&self, state: &State, at: Moment) -> u64 {
        size(&self.journal()).unwrap_or(0) + self.missing(state) * LINE * at / 1000
    }

    // --- What must hold after every process -------------------------------------------------------------------

    /// Nothing that was kept is lost, and what it says of itself is so. Tells whether the sweep is done.
    fn settle(&mut self, before: &State, ended: &Ended) -> bool {
        let after = self.state();
        let (known, kept) = (self.trials - self.missing(before), self.trials - self.missing(&after));
        let number = |name: &str| ended.told[name].as_u64().unwrap_or_else(|| panic!("no {name}: {ended:?}"));
        assert!(after.complete || after.done.is_superset(&before.done), "trials are lost: {ended:?}");
        match ended.code {
            Some(0) => {
                assert_eq!((number("ran"), number("finished")), (self.missing(before), self.trials), "{ended:?}");
                assert!(after.complete && !self.journal().exists() && self.parts().is_empty(), "{ended:?}");
            }
            // Before it has begun and while it writes the records, a signal ends it without a word; afterwards, though all is done.
            Some(130 | 143) if !ended.told.is_null() => {
                assert_eq!((number("finished"), number("ran")), (kept, kept - known), "{ended:?}");
            }
            _ => {}
        }
        self.world.tally.count("trials run", kept.saturating_sub(known));
        ended.code == Some(0)
    }

    fn parts(&self) -> Vec<PathBuf> {
        files(&self.folder).into_iter().filter(|path| text(path).ends_with(".part")).collect()
    }

    /// Everything on disk that a refusal may not touch: all but the definition and what has nothing in it.
    fn holdings(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let kept = files(&self.folder).into_iter().filter(|path| *path != self.definition() && path.is_file());
        let kept = kept.map(|path| (fs::read(&path).unwrap(), path)).map(|(bytes, path)| (path, bytes));
        kept.filter(|(path, bytes)| !text(path).ends_with(".part") && bytes.len() > 20).collect()
    }

    /// Runs it where it must be refused, with these words, and nothing may change.
    fn refused(&mut self, what: &str, command: Command, words: &str) {
        let before = self.holdings();
        let ended = self.world.run(command);
        assert!(ended.code == Some(2) && ended.complaint.contains(words), "{what}: {ended:?}");
        assert!(self.holdings() == before, "{what}: a file was changed");
        self.world.tally.count(what, 1);
    }

    fn plain(&self, threads: u64) -> Command {
        self.world.command(&words(&self.args(threads)))
    }

    // --- Disasters --------------------------------------------------------------------------------------------

    fn befall(&mut self, blow: &Blow) {
        let threads = blow.threads;
        if let Some(at) = blow.afresh {
            self.begin_afresh(at, threads);
        }
        match &blow.disaster {
            Disaster::SizeLimit { at, deaf } => self.limit_size(*at, *deaf, threads),
            Disaster::Signal { name, at } => self.signal(name, *at, threads),
            Disaster::Pause { at, others, killed } => self.pause(*at, *others, *killed, threads),
            Disaster::Crowd(count) => self.crowd(*count, threads),
            Disaster::Damage(damage) => self.damage(damage, threads),
            Disaster::Journal(thing) => self.replace_journal(*thing, threads),
            Disaster::Records(thing) => self.replace_records(*thing, threads),
            Disaster::Changed(text) => self.change(text, threads),
            Disaster::SmallDisk(pages) => self.small_disk(*pages, threads),
            Disaster::ReadOnly => self.read_only(threads),
            Disaster::Finish => self.finish(threads),
        }
    }

    /// Half way again, if all is done or nothing is.
    fn begin_afresh(&mut self, at: Moment, threads: u64) {
        if self.records().exists() {
            fs::remove_file(self.records()).unwrap();
            self.older.clear();
            self.world.tally.count("records: removed", 1);
        }
        if !self.journal().exists() {
            self.limit_size(at, true, threads);
        }
    }

    fn limit_size(&mut self, at: Moment, deaf: bool, threads: u64) {
        let before = self.state();
        let command = self.world.limited(self.size_at(&before, at), deaf, &words(&self.args(threads)));
        let ended = self.world.run(command);
        let how = match (ended.code, ended.signal) {
            (Some(0), _) => "too late",
            (Some(2), _) if !deaf && ended.complaint.contains("File too large") && self.parts().is_empty() => "error",
            (None, Some(SIGXFSZ)) if deaf => "killed",
            _ => panic!("{ended:?}"),
        };
        self.settle(&before, &ended);
        self.world.tally.count(format!("size limit: {how}"), 1);
    }

    fn small_disk(&mut self, pages: u64, threads: u64) {
        if !self.world.has_mounts() {
            return;
        }
        let before = self.state();
        let command = self.world.on_small_disk(&self.folder, pages, &words(&self.args(threads)));
        let ended = self.world.run(command);
        let how = match ended.code {
            Some(0) => "large enough",
            Some(2) if ended.complaint.contains("No space left") && self.parts().is_empty() => "full",
            _ => panic!("{ended:?}"),
        };
        self.settle(&before, &ended);
        self.world.tally.count(format!("small disk: {how}"), 1);
    }

    fn read_only(&mut self, threads: u64) {
        if self.world.has_mounts() {
            let command = self.world.on_read_only_disk(&self.folder, &words(&self.args(threads)));
            self.refused("read-only disk", command, "Read-only file system");
        }
    }

    /// Starts it and waits until the journal has a size; or until it ends before.
    fn start_until(&mut self, bytes: u64, threads: u64) -> Running {
        let (command, journal, begin) = (self.plain(threads), self.journal(), Instant::now());
        let mut running = self.world.start(command);
        while size(&journal).unwrap_or(0) < bytes && running.child().try_wait().unwrap().is_none() {
            assert!(begin.elapsed() < PATIENCE, "it does not end");
            sleep(Duration::from_micros(100));
        }
        running
    }

    fn signal(&mut self, name: &str, at: Moment, threads: u64) {
        let before = self.state();
        let mut running = self.start_until(self.size_at(&before, at), threads);
        send(name, &mut running);
        let ended = self.world.end(running);
        // Before the program has begun to listen, every signal kills.
        let how = match (name, ended.code, ended.signal) {
            (_, Some(0), _) => "too late",
            ("INT", Some(130), _) | ("TERM", Some(143), _) if ended.told.is_null() => "at once",
            ("INT", Some(130), _) | ("TERM", Some(143), _) => "heard",
            ("KILL", _, Some(9)) | ("INT", _, Some(2)) | ("TERM", _, Some(15)) => "killed",
            ("HUP", _, Some(1)) | ("QUIT", _, Some(3)) => "killed",
            _ => panic!("{name}: {ended:?}"),
        };
        self.settle(&before, &ended);
        self.world.tally.count(format!("SIG{name}: {how}"), 1);
    }

    /// Whoever has the lock keeps all others away, also while it sleeps.
    fn pause(&mut self, at: Moment, others: u64, killed: bool, threads: u64) {
        let before = self.state();
        let length = size(&self.journal()).unwrap_or(0);
        let mut first = self.start_until(self.size_at(&before, at), threads);
        send("STOP", &mut first);
        if !is_stopped(&mut first) {
            let ended = self.world.end(first);
            assert!(self.settle(&before, &ended));
            return self.world.tally.count("paused: too late", 1);
        }
        let (held, begun) = (self.is_locked(), size(&self.journal()).unwrap_or(0) > length);
        assert!(held || !begun, "it writes without a lock");
        let over = self.state().complete;
        for _ in 0..others {
            let command = self.plain(threads);
            if held {
                self.refused("paused: others refused", command, "is in use");
            } else {
                let (now, ended) = (self.state(), self.world.run(command));
                assert!(self.settle(&now, &ended), "{ended:?}");
                self.world.tally.count("paused: not yet or no longer locked", 1);
            }
        }
        let expected = if held || over { before } else { self.state() };
        send(if killed { "KILL" } else { "CONT" }, &mut first);
        let ended = self.world.end(first);
        assert!(self.settle(&expected, &ended) != (killed && ended.signal == Some(9)), "{ended:?}");
        self.world.tally.count(if killed { "paused: killed then" } else { "paused: went on" }, 1);
    }

    fn is_locked(&self) -> bool {
        let tried = File::open(self.journal()).map(|file| file.try_lock());
        matches!(tried, Ok(Err(TryLockError::WouldBlock)))
    }

    /// One does the work, others wait in vain or come too late; no trial is run twice.
    fn crowd(&mut self, count: u64, threads: u64) {
        let before = self.state();
        let all: Vec<Running> = (0..count).map(|_| self.world.start(self.plain(threads))).collect();
        let all: Vec<Ended> = all.into_iter().map(|one| self.world.end(one)).collect();
        let is_fine = |one: &Ended| one.code == Some(0) || one.code == Some(2) && one.complaint.contains("is in use");
        assert!(all.iter().all(is_fine) && self.state().complete, "{all:?}");
        let ran: u64 = all.iter().filter_map(|one| one.told["ran"].as_u64()).sum();
        assert_eq!(ran, self.missing(&before), "{all:?}");
        self.world.tally.count("trials run", ran);
        let done = all.iter().filter(|one| one.code == Some(0)).count() as u64;
        self.world.tally.count("several at once: done, or found it done", done);
        self.world.tally.count("several at once: refused", count - done);
    }

    fn damage(&mut self, damage: &Damage, threads: u64) {
        let whole = fs::read(self.journal()).unwrap_or_default();
        if whole.is_empty() {
            return self.world.tally.count("journal: none to damage", 1);
        }
        fs::write(self.journal(), damage.done_to(&whole)).unwrap();
        self.world.tally.count(format!("journal: {}", damage.name()), 1);
        if self.state().refused {
            self.refused("journal: refused", self.plain(threads), "move it away");
            fs::write(self.journal(), whole).unwrap();
        }
    }

    fn replace_journal(&mut self, thing: Thing, threads: u64) {
        let (path, aside) = (self.journal(), self.folder.with_extension("aside"));
        if !path.exists() {
            fs::write(&path, "").unwrap();
        }
        fs::rename(&path, &aside).unwrap();
        match thing {
            Thing::Empty => fs::write(&path, "").unwrap(),
            Thing::Text => fs::write(&path, "a diary, which is something else").unwrap(),
            Thing::Folder => fs::create_dir(&path).unwrap(),
            _ => {}
        }
        match thing {
            Thing::Text => self.refused("journal: a text", self.plain(threads), "no journal"),
            Thing::Folder => self.refused("journal: a folder", self.plain(threads), "Is a directory"),
            _ => {
                fs::remove_file(&aside).unwrap();
                return self.world.tally.count("journal: removed or emptied", 1);
            }
        }
        remove(&path);
        fs::rename(&aside, &path).unwrap();
    }

    fn replace_records(&mut self, thing: Thing, threads: u64) {
        let (path, aside) = (self.records(), self.folder.with_extension("aside"));
        let whole = fs::read(&path).ok();
        if whole.is_some() {
            fs::rename(&path, &aside).unwrap();
        }
        match (thing, &whole) {
            (Thing::Folder, _) => fs::create_dir(&path).unwrap(),
            (Thing::Text, _) => fs::write(&path, "something else").unwrap(),
            (Thing::Foreign, _) => fs::write(&path, foreign()).unwrap(),
            (Thing::Damaged(at), Some(whole)) => {
                let mut bytes = whole.clone();
                bytes[(at % whole.len() as u64) as usize] ^= 1 << (at >> 60 & 7);
                fs::write(&path, bytes).unwrap();
            }
            _ => fs::write(&path, "").unwrap(),
        }
        self.refused("records: foreign or damaged", self.plain(threads), text(&path));
        remove(&path);
        if whole.is_some() {
            fs::rename(&aside, &path).unwrap();
        }
    }

    fn change(&mut self, definition: &str, threads: u64) {
        // Who has kept nothing may begin anything.
        if !self.state().bound {
            return self.world.tally.count("definition: nothing to change yet", 1);
        }
        let whole = fs::read(self.definition()).unwrap();
        fs::write(self.definition(), definition).unwrap();
        self.refused("definition: changed or broken", self.plain(threads), "a.");
        fs::write(self.definition(), whole).unwrap();
    }

    /// To the end, and once more for nothing.
    pub(crate) fn finish(&mut self, threads: u64) {
        for _ in 0..2 {
            let before = self.state();
            let ended = self.world.run(self.plain(threads));
            assert!(self.settle(&before, &ended), "{ended:?}");
        }
        self.world.tally.count("finished", 1);
    }
}

fn words(args: &[String]) -> Vec<&str> {
    args.iter().map(String::as_str).collect()
}

fn size(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().map(|meta| meta.len())
}

fn remove(path: &Path) {
    if path.is_dir() { fs::remove_dir(path) } else { fs::remove_file(path) }.unwrap();
}

/// Records of another sweep.
fn foreign() -> Vec<u8> {
    fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/records/small.parquet")).unwrap()
}

/// Sends a signal, unless the process has ended already.
fn send(signal: &str, running: &mut Running) {
    let child = running.child();
    if child.try_wait().unwrap().is_none() {
        Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).output().unwrap();
    }
}

/// Waits until a process sleeps, with all its threads, or has ended; whether it sleeps.
fn is_stopped(running: &mut Running) -> bool {
    let begin = Instant::now();
    while running.child().try_wait().unwrap().is_none() {
        let threads = fs::read_dir(format!("/proc/{}/task", running.child().id())).into_iter().flatten().flatten();
        let sleeps = |thread: PathBuf| {
            let stat = fs::read_to_string(thread.join("stat")).unwrap_or_default();
            stat.rsplit_once(')').is_some_and(|(_, rest)| rest.starts_with(" T"))
        };
        let all: Vec<bool> = threads.map(|thread| sleeps(thread.path())).collect();
        if !all.is_empty() && all.iter().all(|sleeps| *sleeps) {
            return true;
        }
        assert!(begin.elapsed() < PATIENCE, "it neither sleeps nor ends");
        sleep(Duration::from_micros(100));
    }
    false
}
