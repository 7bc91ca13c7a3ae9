//! The journal of a sweep under way: finished trials are appended at once, so that a killed sweep loses only what was running.
//!
//! After a line that says what it is, every line is a checksum and JSON, in which any name is one line of text: an object says what
//! trials belong to, and a list is a trial, with the number of such an object in front. A line whose checksum is wrong is not believed, and
//! costs nothing but itself. The checksum of a trial covers the object too: a line of another sweep, which a damaged disk may bring up, is
//! wrong here. The file is locked as long as a process has it open, and the lock ends with the process, however
//! that ends. A file system may have no locks; then two processes could write over each other's lines, which costs trials and makes no
//! wrong one, so it is told and no more.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::disk;
use crate::error::Error;
use crate::files::has_number_of;
use crate::meta::Meta;
use crate::outcome::Outcome;

/// The first line.
const HEAD: &[u8] = b"ringleader journal 2\n";
/// How journals began before.
const OLD_HEAD: &[u8] = b"meta ";
/// No line is longer; one that is has lost its end.
const MAX_LINE: u64 = 1 << 26;
/// The key of the number of a meta.
const NUMBER: &str = "number";

/// A trial as it is written: all fields of an outcome, after the number of its meta.
type Fields<Name> =
    (usize, u32, u32, u64, u64, Option<u64>, bool, u64, u64, Option<(u64, Option<u64>)>, Vec<(Name, Option<u64>)>);

fn fields(meta: usize, one: &Outcome) -> Fields<&str> {
    let phases = one.phases.iter().map(|(name, step)| (&**name, *step)).collect();
    let Outcome { cell, trial, seed, steps, safe, censored, last_output_change, coins_read, .. } = *one;
    let fault = one.last_fault.map(|step| (step, one.leaders_after_fault));
    (meta, cell, trial, seed, steps, safe, censored, last_output_change, coins_read, fault, phases)
}

fn outcome(fields: Fields<String>) -> (usize, Outcome) {
    let (meta, cell, trial, seed, steps, safe, censored, last_output_change, coins_read, fault, phases) = fields;
    let phases = phases.into_iter().map(|(name, step)| (Arc::from(name), step)).collect();
    let one = Outcome {
        cell,
        trial,
        seed,
        steps,
        safe,
        censored,
        last_output_change,
        coins_read,
        last_fault: fault.map(|(step, _)| step),
        leaders_after_fault: fault.and_then(|(_, leaders)| leaders),
        phases,
    };
    (meta, one)
}

/// What a line says.
enum Line {
    Meta(usize, Meta),
    Trial(usize, Outcome),
}

impl Line {
    fn parse(text: &str) -> Result<Self, String> {
        if text.starts_with('[') {
            let fields = serde_json::from_str(text).map_err(|error| error.to_string())?;
            let (meta, outcome) = outcome(fields);
            return Ok(Self::Trial(meta, outcome));
        }
        let pairs: BTreeMap<String, String> = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let number = pairs.get(NUMBER).and_then(|number| number.parse().ok()).ok_or("an object has no number")?;
        Ok(Self::Meta(number, Meta::from_pairs(|name| pairs.get(name).cloned())?))
    }
}

/// Trials of a cell in the journal: lines that follow each other.
#[derive(Clone, Debug)]
pub(crate) struct Stretch {
    /// Which of the metas they belong to.
    pub(crate) meta: usize,
    /// The number of the cell in the definition of that meta.
    pub(crate) cell: u32,
    pub(crate) trials: Vec<u32>,
    /// Where the first line begins and the last one ends.
    at: u64,
    end: u64,
}

pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    /// Where the last whole line ends.
    end: u64,
    /// What trials belong to, by number.
    pub(crate) metas: BTreeMap<usize, Meta>,
    /// The checksums of those.
    seals: BTreeMap<usize, String>,
    /// The number of the last meta.
    last: usize,
    pub(crate) stretches: Vec<Stretch>,
    /// Whether something in it is not believed.
    pub(crate) damaged: bool,
    /// Whether something after the last whole line is still in the file.
    littered: bool,
    /// Why nothing keeps other processes away, if so.
    pub(crate) unlocked: Option<String>,
}

impl Journal {
    /// Opens or begins a journal, and locks it.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let (file, unlocked) = locked(path, || (), File::try_lock)?;
        Self::of(path, file, unlocked.map(|error| error.to_string()))
    }

    /// What can be seen of a journal that another process may be writing; `None` if there is none.
    pub(crate) fn look(path: &Path) -> Result<Option<Self>, Error> {
        match File::open(path) {
            Ok(file) => Self::of(path, file, None).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::new(format!("cannot read {}: {error}", path.display()))),
        }
    }

    fn of(path: &Path, file: File, unlocked: Option<String>) -> Result<Self, Error> {
        let mut journal = Self {
            path: path.to_owned(),
            file,
            end: 0,
            metas: BTreeMap::new(),
            seals: BTreeMap::new(),
            last: 0,
            stretches: Vec::new(),
            damaged: false,
            littered: false,
            unlocked,
        };
        journal.scan().map_err(|error| Error::new(format!("cannot read {}: {error}", journal.path.display())))?;
        Ok(journal)
    }

    /// Reads all good lines.
    fn scan(&mut self) -> io::Result<()> {
        let length = self.file.seek(SeekFrom::End(0))?;
        self.file.rewind()?;
        let mut file = BufReader::new(self.file.try_clone()?);
        let mut line = Vec::new();
        file.by_ref().take(HEAD.len() as u64).read_to_end(&mut line)?;
        if line.starts_with(OLD_HEAD) {
            let told = "an earlier version wrote it: finish its sweep with that version, or move it away";
            return Err(io::Error::other(told));
        }
        if !HEAD.starts_with(&line) {
            return Err(io::Error::other("it is no journal of a sweep; move it away"));
        }
        if line == HEAD {
            self.end = HEAD.len() as u64;
            while let Some(size) = next_line(&mut file, &mut line)? {
                self.take(&line, size).map_err(io::Error::other)?;
                self.end += size;
            }
        }
        self.littered = self.end < length;
        self.damaged |= self.littered;
        Ok(())
    }

    /// The checksum and the text of a line that is believed.
    fn believed<'a>(&self, line: &'a [u8]) -> Option<(&'a str, &'a str)> {
        let (found, text) = std::str::from_utf8(line).ok()?.strip_suffix('\n')?.split_once(' ')?;
        let seal = match text.strip_prefix('[') {
            Some(list) => self.seals.get(&list.split_once(',')?.0.parse().ok()?)?,
            None => "",
        };
        (sum(seal, text) == found).then_some((found, text))
    }

    /// Takes in the line of this size that follows the last one.
    fn take(&mut self, line: &[u8], size: u64) -> Result<(), String> {
        let Some((seal, text)) = self.believed(line) else {
            self.damaged = true;
            return Ok(());
        };
        let other = |why| format!("it holds what this version does not write ({why}); move it away");
        match Line::parse(text).map_err(other)? {
            Line::Meta(number, meta) => {
                if self.metas.get(&number).is_some_and(|known| *known != meta) {
                    return Err("it holds two journals; move it away".into());
                }
                self.last = self.last.max(number);
                self.seals.insert(number, seal.to_owned());
                self.metas.insert(number, meta);
            }
            Line::Trial(meta, outcome) => self.note(meta, &outcome, self.end, size),
        }
        Ok(())
    }

    /// Remembers where a trial is.
    fn note(&mut self, meta: usize, outcome: &Outcome, at: u64, size: u64) {
        let (cell, key) = (outcome.cell, (meta, outcome.cell, at));
        if self.stretches.last().is_none_or(|last| (last.meta, last.cell, last.end) != key) {
            self.stretches.push(Stretch { meta, cell, trials: Vec::new(), at, end: at });
        }
        if let Some(stretch) = self.stretches.last_mut() {
            stretch.trials.push(outcome.trial);
            stretch.end = at + size;
        }
    }

    /// Says what the trials to come belong to, unless that is known.
    pub(crate) fn begin(&mut self, meta: &Meta) -> Result<(), Error> {
        if self.metas.get(&self.last) == Some(meta) {
            return Ok(());
        }
        let number = self.last + 1;
        let pairs: BTreeMap<&str, String> = meta.pairs().into_iter().chain([(NUMBER, number.to_string())]).collect();
        let mut text = if self.end == 0 { HEAD.to_vec() } else { Vec::new() };
        let (seal, meta_line) = line("", &pairs)?;
        text.extend(meta_line);
        self.append(&text)?;
        if text.starts_with(HEAD) {
            disk::force_folder(&self.path);
        }
        self.last = number;
        self.seals.insert(number, seal);
        self.metas.insert(number, meta.clone());
        Ok(())
    }

    /// Appends finished trials, numbered as in the last meta.
    pub(crate) fn add(&mut self, outcomes: &[Outcome]) -> Result<(), Error> {
        let seal = self.seals.get(&self.last).map_or("", String::as_str);
        let one = |one: &Outcome| line(seal, &fields(self.last, one)).map(|(_, line)| line);
        let lines = outcomes.iter().map(one).collect::<Result<Vec<_>, _>>()?;
        let mut at = self.end;
        self.append(&lines.concat())?;
        for (outcome, line) in outcomes.iter().zip(lines) {
            self.note(self.last, outcome, at, line.len() as u64);
            at += line.len() as u64;
        }
        Ok(())
    }

    /// Writes lines after the last whole one, all of them, or takes them back.
    fn append(&mut self, lines: &[u8]) -> Result<(), Error> {
        let written = self.clear().and_then(|()| self.file.seek(SeekFrom::Start(self.end)));
        let written = written.and_then(|_| self.file.write_all(lines));
        written.map_err(|error| {
            self.littered = true;
            // If even that fails, the next lines or the next start take the bad ones back.
            let _ = self.clear();
            Error::new(format!("cannot write {}: {error}", self.path.display()))
        })?;
        self.end += lines.len() as u64;
        Ok(())
    }

    /// Takes back what follows the last whole line.
    fn clear(&mut self) -> io::Result<()> {
        if self.littered {
            self.file.set_len(self.end)?;
            self.littered = false;
        }
        Ok(())
    }

    /// The trials of a stretch.
    pub(crate) fn read(&self, stretch: &Stretch) -> Result<Vec<Outcome>, Error> {
        let bad = |why: &str| Error::new(format!("cannot read {}: {why}", self.path.display()));
        let failed = |error: io::Error| bad(&error.to_string());
        let mut file = &self.file;
        file.seek(SeekFrom::Start(stretch.at)).map_err(failed)?;
        let (mut file, mut line, mut outcomes) = (BufReader::new(file), Vec::new(), Vec::new());
        for _ in &stretch.trials {
            next_line(&mut file, &mut line).map_err(failed)?;
            match self.believed(&line).map(|(_, text)| Line::parse(text)) {
                Some(Ok(Line::Trial(_, outcome))) => outcomes.push(outcome),
                _ => return Err(bad("it was changed while it was in use")),
            }
        }
        Ok(outcomes)
    }

    /// Puts everything on disk, so that not even a power failure takes it away.
    pub(crate) fn sync(&self) -> Result<(), Error> {
        let forced = disk::force(&self.file, &self.path);
        forced.map_err(|error| Error::new(format!("cannot write {}: {error}", self.path.display())))
    }

    /// Whether nothing is in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.end == 0
    }

    /// Ends the journal, whose rows are elsewhere by now.
    pub(crate) fn remove(self) -> Result<(), Error> {
        let removed = disk::remove(&self.path);
        removed.map_err(|error| Error::new(format!("cannot remove {}: {error}", self.path.display())))
    }
}

/// Opens a file for this process alone, or says why others cannot be kept away. Between the opening and the lock it may go away, or
/// another may take its name; `opened` is that moment, for tests.
fn locked(
    path: &Path,
    mut opened: impl FnMut(),
    lock: impl Fn(&File) -> Result<(), TryLockError>,
) -> Result<(File, Option<io::Error>), Error> {
    let bad = |error: io::Error| Error::new(format!("cannot write {}: {error}", path.display()));
    loop {
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path).map_err(bad)?;
        opened();
        let unlocked = match lock(&file) {
            Ok(()) => None,
            // A network file system without locks, or whose server of locks is away.
            Err(TryLockError::Error(error)) => Some(error),
            Err(TryLockError::WouldBlock) => {
                let told = "another process is running this sweep; wait for it, or choose another --out";
                return Err(Error::new(format!("{} is in use: {told}", path.display())));
            }
        };
        // Otherwise the process that had it has removed it meanwhile.
        if is_at(&file, path) {
            return Ok((file, unlocked));
        }
    }
}

/// Whether a path leads to this very file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    file.metadata().ok().zip(fs::metadata(path).ok()).is_some_and(|(open, there)| has_number_of(&open, &there))
}

/// Whether a path leads to this very file, as far as can be told.
#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

/// Reads the next line and tells its size; `None` if the file ends before the line does.
fn next_line(file: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<u64>> {
    line.clear();
    let size = file.by_ref().take(MAX_LINE).read_until(b'\n', line)? as u64;
    Ok((line.ends_with(b"\n") || size == MAX_LINE).then_some(size))
}

/// A value as a line, after its checksum.
fn line(seal: &str, value: &impl serde::Serialize) -> Result<(String, Vec<u8>), Error> {
    let text = serde_json::to_string(value).map_err(|error| Error::new(error.to_string()))?;
    let sum = sum(seal, &text);
    let line = format!("{sum} {text}\n").into_bytes();
    Ok((sum, line))
}

/// 64 bits of SHA-256, of a text and of the checksum of what it belongs to.
fn sum(seal: &str, text: &str) -> String {
    let hash = Sha256::new().chain_update(seal).chain_update(text).finalize();
    format!("{:016x}", hash[..8].iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::tests::samples;
    use crate::disk::tests::watched;
    use crate::meta::tests::sample;

    fn outcomes(cell: u32, count: u32) -> Vec<Outcome> {
        samples(40).into_iter().rev().take(count as usize).map(|row| Outcome { cell, ..row.outcome }).collect()
    }

    fn place(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("ringleader-journal-{}-{name}", std::process::id()));
        let _ = fs::remove_file(&path);
        path
    }

    fn read(journal: &Journal) -> Vec<(u32, Vec<Outcome>)> {
        journal.stretches.iter().map(|one| (one.cell, journal.read(one).unwrap())).collect()
    }

    #[test]
    fn what_was_added_is_read_wherever_it_was_cut_off() {
        let path = place("cut");
        let mut journal = Journal::open(&path).unwrap();
        journal.begin(&sample()).unwrap();
        journal.begin(&sample()).unwrap();
        for cell in 0..3 {
            journal.add(&outcomes(cell, 1)).unwrap();
        }
        drop(journal);
        let whole = fs::read(&path).unwrap();
        let mut seen = Vec::new();
        for length in (0..=whole.len()).rev() {
            fs::write(&path, &whole[..length]).unwrap();
            let mut journal = Journal::open(&path).unwrap();
            assert!(read(&journal).into_iter().all(|(cell, rows)| rows == outcomes(cell, 1)), "{length} bytes");
            seen.push((journal.metas.len(), journal.stretches.len()));
            // What is added now takes the place of what was cut off.
            journal.begin(&sample()).unwrap();
            journal.add(&outcomes(9, 2)).unwrap();
            drop(journal);
            let again = Journal::open(&path).unwrap();
            assert!(!again.damaged && again.stretches.last().unwrap().cell == 9, "{length} bytes");
            assert_eq!(again.stretches.len(), seen.last().unwrap().1 + 1, "{length} bytes");
        }
        seen.dedup();
        assert_eq!(seen, [(1, 3), (1, 2), (1, 1), (1, 0), (0, 0)]);
        fs::remove_file(&path).unwrap();
    }

    /// Trials are added one by one; neighbours of one cell are remembered as one stretch, also when the file is read again.
    #[test]
    fn lines_that_follow_each_other_are_one_stretch() {
        let path = place("stretch");
        let mut journal = Journal::open(&path).unwrap();
        journal.begin(&sample()).unwrap();
        for cell in [0, 0, 0, 1, 1, 0, 0] {
            journal.add(&outcomes(cell, 1)).unwrap();
        }
        let expected = [(0, 3), (1, 2), (0, 2)].map(|(cell, count)| (cell, vec![outcomes(cell, 1).remove(0); count]));
        assert_eq!(read(&journal), expected);
        drop(journal);
        let journal = Journal::open(&path).unwrap();
        assert_eq!(read(&journal), expected);
        journal.remove().unwrap();
    }

    #[test]
    fn a_changed_byte_costs_its_line_only() {
        let (path, all) = (place("changed"), outcomes(0, 9));
        let mut journal = Journal::open(&path).unwrap();
        journal.begin(&sample()).unwrap();
        journal.add(&all).unwrap();
        drop(journal);
        let whole = fs::read(&path).unwrap();
        let first_trial = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(1).unwrap().0 + 1;
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            fs::write(&path, &bytes).unwrap();
            // A file that does not even begin like a journal is left alone.
            let Ok(journal) = Journal::open(&path) else {
                assert!(at < HEAD.len(), "byte {at}");
                continue;
            };
            let kept: Vec<Outcome> = read(&journal).into_iter().flat_map(|(_, rows)| rows).collect();
            assert!(journal.damaged && kept.iter().all(|one| all.contains(one)), "byte {at}");
            // A line whose end is gone takes the next one along.
            let fewest = if at < first_trial {
                0
            } else if whole[at] == b'\n' {
                all.len() - 2
            } else {
                all.len() - 1
            };
            assert!((fewest..all.len()).contains(&kept.len()), "byte {at}: {} trials", kept.len());
        }
        fs::remove_file(&path).unwrap();
    }

    /// Trials of a meta that is lost do not become trials of another.
    #[test]
    fn trials_stay_with_their_own_meta() {
        let path = place("metas");
        let mut journal = Journal::open(&path).unwrap();
        for (cell, seed) in [(0, 1), (1, 2), (2, 3)] {
            journal.begin(&Meta { seed, ..sample() }).unwrap();
            journal.add(&outcomes(cell, 1)).unwrap();
        }
        drop(journal);
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        fs::write(&path, [&lines[..3], &["gone\n"], &lines[4..]].concat().concat()).unwrap();
        let journal = Journal::open(&path).unwrap();
        let seeds: Vec<(u32, u64)> =
            journal.stretches.iter().map(|one| (one.cell, journal.metas[&one.meta].seed)).collect();
        assert_eq!((seeds, journal.damaged), (vec![(0, 1), (2, 3)], true));
        fs::remove_file(&path).unwrap();
    }

    /// Nor do lines of another journal, which has the same numbers.
    #[test]
    fn lines_of_another_journal_are_not_believed() {
        let texts = [1, 2].map(|seed| {
            let path = place("one");
            let mut journal = Journal::open(&path).unwrap();
            journal.begin(&Meta { seed, ..sample() }).unwrap();
            journal.add(&outcomes(0, seed as u32)).unwrap();
            fs::read_to_string(&path).unwrap()
        });
        let path = place("one");
        let stray = texts[1].split_inclusive('\n').nth(2).unwrap();
        fs::write(&path, format!("{}{stray}", texts[0])).unwrap();
        let journal = Journal::open(&path).unwrap();
        assert_eq!((read(&journal), journal.damaged), (vec![(0, outcomes(0, 1))], true));
        drop(journal);
        fs::write(&path, texts.concat()).unwrap();
        assert!(Journal::open(&path).is_err_and(|error| error.to_string().contains("two journals")));
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn foreign_journals_are_left_alone() {
        for (text, told) in [("meta 3 00\n{}\n", "an earlier version"), ("something else", "no journal")] {
            let path = place("foreign");
            fs::write(&path, text).unwrap();
            assert!(Journal::open(&path).is_err_and(|error| error.to_string().contains(told)));
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
            fs::remove_file(&path).unwrap();
        }
    }

    /// A sweep that ends removes its journal, and one that begins makes it: a process that had opened the old one must not run along.
    #[cfg(unix)]
    #[test]
    fn the_lock_is_on_the_journal_that_is_there() {
        for again in [false, true] {
            let (path, mut times) = (place("moved"), 0);
            let opened = || {
                times += 1;
                if times == 1 {
                    fs::remove_file(&path).unwrap();
                    if again {
                        fs::write(&path, HEAD).unwrap();
                    }
                }
            };
            let (file, _) = locked(&path, opened, File::try_lock).unwrap();
            assert!(is_at(&file, &path) && times == 2, "made again: {again}");
            fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn it_is_forced_to_disk() {
        let path = place("forced");
        let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
        let mut journal = Journal::open(&path).unwrap();
        let begun = watched(|| journal.begin(&sample()).unwrap());
        assert_eq!(begun, [("force".to_owned(), name(path.parent().unwrap()))], "its name");
        let synced = watched(|| journal.add(&outcomes(0, 1)).and_then(|()| journal.sync()).unwrap());
        assert_eq!(synced, [("force".to_owned(), name(&path))], "its lines");
        journal.remove().unwrap();
    }

    /// Whatever a write left that failed, on a full disk for example, does not stay behind the lines that follow.
    #[test]
    fn what_a_failed_write_has_left_is_taken_back() {
        let path = place("littered");
        let mut journal = Journal::open(&path).unwrap();
        journal.begin(&sample()).unwrap();
        let before = fs::read(&path).unwrap();
        let (writable, litter) = (journal.file.try_clone().unwrap(), vec![b'x'; 1 << 16]);
        journal.file = File::open(&path).unwrap();
        assert!(journal.add(&outcomes(0, 1)).is_err_and(|error| error.to_string().contains("cannot write")));
        assert!(journal.stretches.is_empty());
        fs::write(&path, [before, litter].concat()).unwrap();
        journal.file = writable;
        journal.add(&outcomes(1, 1)).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().len(), journal.end);
        drop(journal);
        let journal = Journal::open(&path).unwrap();
        assert_eq!((read(&journal), journal.damaged), (vec![(1, outcomes(1, 1))], false));
        journal.remove().unwrap();
    }

    /// As on a network file system: the sweep runs all the same, and says that nothing keeps others away.
    #[test]
    fn a_file_system_without_locks_is_told_and_used() {
        let path = place("unlocked");
        let refuse = |_: &File| Err(TryLockError::Error(io::Error::from(io::ErrorKind::Unsupported)));
        let (_, unlocked) = locked(&path, || (), refuse).unwrap();
        assert_eq!(unlocked.unwrap().kind(), io::ErrorKind::Unsupported);
        assert!(
            locked(&path, || (), |_| Err(TryLockError::WouldBlock)).is_err(),
            "a lock that is held is no missing lock"
        );
        fs::remove_file(&path).unwrap();
    }

    /// Two processes that no lock keeps apart write over each other's lines: some trials are lost, and none is made up.
    #[test]
    fn without_locks_two_processes_lose_trials_and_make_up_none() {
        let (path, all) = (place("both"), outcomes(0, 30));
        let open = || {
            let (file, _) =
                locked(&path, || (), |_| Err(TryLockError::Error(io::ErrorKind::Unsupported.into()))).unwrap();
            Journal::of(&path, file, None).unwrap()
        };
        let mut both = [open(), open()];
        both.iter_mut().for_each(|journal| journal.begin(&sample()).unwrap());
        for (k, one) in all.iter().enumerate() {
            both[k * k % 3 % 2].add(std::slice::from_ref(one)).unwrap();
        }
        let after = open();
        let kept: Vec<Outcome> = read(&after).into_iter().flat_map(|(_, rows)| rows).collect();
        assert!(!kept.is_empty() && kept.len() < all.len() && kept.iter().all(|one| all.contains(one)), "{kept:?}");
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn one_process_at_a_time() {
        let path = place("locked");
        let first = Journal::open(&path).unwrap();
        assert!(Journal::open(&path).is_err_and(|error| error.to_string().contains("in use")));
        first.remove().unwrap();
        assert!(!path.exists());
        Journal::open(&path).unwrap().remove().unwrap();
    }
}
