//! The journal of a sweep under way: finished trials are appended at once, so that a killed sweep loses only what was running.
//!
//! It is a file of frames: a line `kind length sum`, then that many bytes. A frame of kind `meta` says what the rows after it
//! belong to; one of kind `rows` holds trials of one cell. What follows the last good frame is not believed. The file is locked
//! as long as a process has it open, and the lock ends with the process, however that ends.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::stop::Stop;
use crate::store::meta::Meta;
use crate::store::row::Row;
use crate::store::seal::hex;

/// No frame is longer; one that says so is damaged.
const MAX_FRAME: usize = 1 << 30;

/// What came of a trial: the part of a row that does not follow from its cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) trial: u32,
    pub(crate) steps: u64,
    pub(crate) safe: Option<u64>,
    pub(crate) censored: bool,
    pub(crate) last_output_change: u64,
    pub(crate) coins_read: u64,
    pub(crate) phases: String,
    pub(crate) last_fault: Option<u64>,
}

impl From<Row> for Outcome {
    fn from(row: Row) -> Self {
        Self {
            trial: row.trial,
            steps: row.steps,
            safe: row.safe,
            censored: row.censored,
            last_output_change: row.last_output_change,
            coins_read: row.coins_read,
            phases: row.phases,
            last_fault: row.last_fault,
        }
    }
}

impl Outcome {
    fn line(&self) -> String {
        let Self { trial, steps, last_output_change, coins_read, phases, .. } = self;
        let maybe = |value: Option<u64>| value.map_or(String::new(), |value| value.to_string());
        let (safe, fault, cut) = (maybe(self.safe), maybe(self.last_fault), u8::from(self.censored));
        format!("{trial}\t{steps}\t{safe}\t{cut}\t{last_output_change}\t{coins_read}\t{phases}\t{fault}\n")
    }

    fn parse(line: &str) -> Option<Self> {
        let maybe = |text: &str| if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) };
        let fields: Vec<&str> = line.split('\t').collect();
        let [trial, steps, safe, cut, change, coins, phases, fault] = fields.try_into().ok()?;
        Some(Self {
            trial: trial.parse().ok()?,
            steps: steps.parse().ok()?,
            safe: maybe(safe)?,
            censored: cut == "1",
            last_output_change: change.parse().ok()?,
            coins_read: coins.parse().ok()?,
            phases: phases.to_owned(),
            last_fault: maybe(fault)?,
        })
    }
}

/// Trials of a cell in the journal: frames that follow each other.
#[derive(Clone, Debug)]
pub(crate) struct Stretch {
    /// Which of the metas they belong to.
    pub(crate) meta: usize,
    /// The number of the cell in the definition of that meta.
    pub(crate) cell: u32,
    pub(crate) trials: Vec<u32>,
    /// Where the first frame begins and the last one ends.
    at: u64,
    end: u64,
}

pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    /// Where the last good frame ends.
    end: u64,
    pub(crate) metas: Vec<Meta>,
    pub(crate) stretches: Vec<Stretch>,
    /// Whether something after the last good frame had to be given up.
    pub(crate) damaged: bool,
    /// Whether something after the last good frame is still in the file.
    littered: bool,
}

impl Journal {
    /// Opens or begins a journal, and locks it.
    pub(crate) fn open(path: &Path) -> Result<Self, Stop> {
        let file = locked(path)?;
        let (path_of, metas, stretches) = (path.to_owned(), Vec::new(), Vec::new());
        let mut journal = Self { path: path_of, file, end: 0, metas, stretches, damaged: false, littered: false };
        journal.scan().map_err(|error| Stop::Bad(format!("cannot read {}: {error}", path.display())))?;
        Ok(journal)
    }

    /// Reads all good frames.
    fn scan(&mut self) -> io::Result<()> {
        let length = self.file.seek(SeekFrom::End(0))?;
        self.file.rewind()?;
        let mut file = BufReader::new(self.file.try_clone()?);
        let start = file.fill_buf()?;
        if start.iter().zip(b"meta ").any(|(found, expected)| found != expected) {
            return Err(io::Error::other("it is not the journal of a sweep; move it away"));
        }
        while let Some((kind, bytes, size)) = read_frame(&mut file)? {
            match kind.as_str() {
                "meta" => {
                    self.metas.push(parse_meta(&bytes).map_err(io::Error::other)?);
                    self.end += size;
                }
                _ => {
                    let other = || io::Error::other("it was written by another version; move it away");
                    let (cell, rows) = parse_rows(&bytes).ok_or_else(other)?;
                    self.note(cell, &rows, size);
                }
            }
        }
        self.damaged = self.end < length;
        self.littered = self.damaged;
        Ok(())
    }

    /// Remembers a frame of this size that follows the last good one.
    fn note(&mut self, cell: u32, rows: &[Outcome], size: u64) {
        let (meta, at) = (self.metas.len().saturating_sub(1), self.end);
        self.end += size;
        let last = self.stretches.last().is_some_and(|last| (last.meta, last.cell, last.end) == (meta, cell, at));
        if !last {
            self.stretches.push(Stretch { meta, cell, trials: Vec::new(), at, end: at });
        }
        if let Some(stretch) = self.stretches.last_mut() {
            stretch.trials.extend(rows.iter().map(|row| row.trial));
            stretch.end = self.end;
        }
    }

    /// Says what the rows to come belong to, unless that is known.
    pub(crate) fn begin(&mut self, meta: &Meta) -> Result<(), Stop> {
        if self.metas.last() == Some(meta) {
            return Ok(());
        }
        let pairs: BTreeMap<&str, String> = meta.pairs().into_iter().collect();
        let text = serde_json::to_string(&pairs).map_err(|error| Stop::Bad(error.to_string()))?;
        self.end += self.append("meta", &text)?;
        self.metas.push(meta.clone());
        Ok(())
    }

    /// Appends finished trials of a cell, numbered as in the last meta.
    pub(crate) fn add(&mut self, cell: u32, rows: &[Outcome]) -> Result<(), Stop> {
        let lines: String = rows.iter().map(Outcome::line).collect();
        let size = self.append("rows", &format!("{cell}\n{lines}"))?;
        self.note(cell, rows, size);
        Ok(())
    }

    /// Writes a frame after the last good one, whole, or takes it back. Returns its size.
    fn append(&mut self, kind: &str, text: &str) -> Result<u64, Stop> {
        let frame = format!("{kind} {} {}\n{text}\n", text.len() + 1, sum(&[text.as_bytes(), b"\n"]));
        let written = self.clear().and_then(|()| self.file.seek(SeekFrom::Start(self.end)));
        let written = written.and_then(|_| self.file.write_all(frame.as_bytes()));
        written.map_err(|error| {
            self.littered = true;
            // If even that fails, the next frame or the next start takes the bad one back.
            let _ = self.clear();
            Stop::Bad(format!("cannot write {}: {error}", self.path.display()))
        })?;
        Ok(frame.len() as u64)
    }

    /// Takes back what follows the last good frame.
    fn clear(&mut self) -> io::Result<()> {
        if self.littered {
            self.file.set_len(self.end)?;
            self.littered = false;
        }
        Ok(())
    }

    /// The trials of a stretch.
    pub(crate) fn read(&self, stretch: &Stretch) -> Result<Vec<Outcome>, Stop> {
        let bad = |why: &str| Stop::Bad(format!("cannot read {}: {why}", self.path.display()));
        let mut file = &self.file;
        file.seek(SeekFrom::Start(stretch.at)).map_err(|error| bad(&error.to_string()))?;
        let (mut file, mut at, mut outcomes) = (BufReader::new(file), stretch.at, Vec::new());
        while at < stretch.end {
            let read = read_frame(&mut file).map_err(|error| bad(&error.to_string()))?;
            let rows = read.and_then(|(_, bytes, size)| Some((parse_rows(&bytes)?.1, size)));
            let (rows, size) = rows.ok_or_else(|| bad("it was changed while it was in use"))?;
            outcomes.extend(rows);
            at += size;
        }
        Ok(outcomes)
    }

    /// Puts everything on disk, so that not even a power failure takes it away.
    pub(crate) fn sync(&self) -> Result<(), Stop> {
        let synced = self.file.sync_data();
        synced.map_err(|error| Stop::Bad(format!("cannot write {}: {error}", self.path.display())))
    }

    /// Whether nothing is in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.end == 0
    }

    /// Ends the journal, whose rows are elsewhere by now.
    pub(crate) fn remove(self) -> Result<(), Stop> {
        let removed = fs::remove_file(&self.path);
        removed.map_err(|error| Stop::Bad(format!("cannot remove {}: {error}", self.path.display())))
    }
}

/// Opens a file for this process alone.
fn locked(path: &Path) -> Result<File, Stop> {
    let bad = |error: io::Error| Stop::Bad(format!("cannot write {}: {error}", path.display()));
    loop {
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path).map_err(bad)?;
        match file.try_lock() {
            Ok(()) if is_at(&file, path) => return Ok(file),
            // The process that had it has removed it meanwhile.
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let told = "another process is running this sweep; wait for it, or choose another --out";
                return Err(Stop::Bad(format!("{} is in use: {told}", path.display())));
            }
            Err(TryLockError::Error(error)) => return Err(bad(error)),
        }
    }
}

/// Whether a path leads to this very file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let same = |(a, b): (fs::Metadata, fs::Metadata)| (a.dev(), a.ino()) == (b.dev(), b.ino());
    file.metadata().ok().zip(fs::metadata(path).ok()).is_some_and(same)
}

/// Whether a path leads to this very file, as far as can be told.
#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

/// The next frame: its kind, its bytes and its size with the line in front; `None` if there is no good one.
fn read_frame(file: &mut impl BufRead) -> io::Result<Option<(String, Vec<u8>, u64)>> {
    let mut head = Vec::new();
    file.by_ref().take(64).read_until(b'\n', &mut head)?;
    let Some((kind, length, expected)) = parse_head(&head) else { return Ok(None) };
    let mut bytes = Vec::new();
    file.take(length as u64).read_to_end(&mut bytes)?;
    let good = bytes.len() == length && sum(&[&bytes]) == expected;
    Ok(good.then(|| (kind, bytes, (head.len() + length) as u64)))
}

fn parse_head(head: &[u8]) -> Option<(String, usize, String)> {
    let line = std::str::from_utf8(head).ok()?.strip_suffix('\n')?;
    let words: Vec<&str> = line.split(' ').collect();
    let [kind @ ("meta" | "rows"), length, sum] = words[..] else { return None };
    let length = length.parse().ok().filter(|&length| length <= MAX_FRAME)?;
    Some((kind.to_owned(), length, sum.to_owned()))
}

fn parse_meta(bytes: &[u8]) -> Result<Meta, String> {
    let pairs: BTreeMap<String, String> = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    Meta::from_pairs(|name| pairs.get(name).cloned())
}

fn parse_rows(bytes: &[u8]) -> Option<(u32, Vec<Outcome>)> {
    let mut lines = std::str::from_utf8(bytes).ok()?.lines().filter(|line| !line.is_empty());
    let cell = lines.next()?.parse().ok()?;
    Some((cell, lines.map(Outcome::parse).collect::<Option<_>>()?))
}

/// 64 bits of SHA-256.
fn sum(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part));
    hex(hash)[..16].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::meta::tests::sample;
    use crate::store::row::tests::samples;

    fn outcomes(count: u32) -> Vec<Outcome> {
        samples(count).into_iter().map(Outcome::from).collect()
    }

    fn place(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("ringleader-journal-{}-{name}", std::process::id()));
        let _ = fs::remove_file(&path);
        path
    }

    #[test]
    fn what_was_added_is_read_wherever_it_was_cut_off() {
        let path = place("cut");
        let mut journal = Journal::open(&path).unwrap();
        journal.begin(&sample()).unwrap();
        journal.begin(&sample()).unwrap();
        for cell in 0..3 {
            journal.add(cell, &outcomes(cell + 1)).unwrap();
        }
        drop(journal);
        let whole = fs::read(&path).unwrap();
        let mut seen = Vec::new();
        for length in (0..=whole.len()).rev() {
            fs::write(&path, &whole[..length]).unwrap();
            let mut journal = Journal::open(&path).unwrap();
            for stretch in &journal.stretches {
                assert_eq!(journal.read(stretch).unwrap(), outcomes(stretch.cell + 1), "{length} bytes");
            }
            seen.push((journal.metas.len(), journal.stretches.len()));
            // What is added now takes the place of what was damaged.
            journal.begin(&sample()).unwrap();
            journal.add(9, &outcomes(2)).unwrap();
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
    fn frames_that_follow_each_other_are_one_stretch() {
        let path = place("stretch");
        let mut journal = Journal::open(&path).unwrap();
        journal.begin(&sample()).unwrap();
        let all = outcomes(7);
        for (cell, row) in [0, 0, 0, 1, 1, 0, 0].into_iter().zip(&all) {
            journal.add(cell, std::slice::from_ref(row)).unwrap();
        }
        let read = |journal: &Journal| -> Vec<(u32, Vec<Outcome>)> {
            journal.stretches.iter().map(|one| (one.cell, journal.read(one).unwrap())).collect()
        };
        let expected = [(0, all[..3].to_vec()), (1, all[3..5].to_vec()), (0, all[5..].to_vec())];
        assert_eq!(read(&journal), expected);
        drop(journal);
        let journal = Journal::open(&path).unwrap();
        assert_eq!(read(&journal), expected);
        journal.remove().unwrap();
    }

    #[test]
    fn a_changed_byte_ends_what_is_believed() {
        let path = place("changed");
        let mut journal = Journal::open(&path).unwrap();
        journal.begin(&sample()).unwrap();
        journal.add(0, &outcomes(5)).unwrap();
        drop(journal);
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            fs::write(&path, &bytes).unwrap();
            // A file that does not even begin like a journal is left alone.
            let Ok(journal) = Journal::open(&path) else { continue };
            assert!(at >= 5 && journal.damaged && journal.stretches.is_empty(), "byte {at}");
        }
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn one_process_at_a_time() {
        let path = place("locked");
        let first = Journal::open(&path).unwrap();
        assert!(matches!(Journal::open(&path), Err(Stop::Bad(told)) if told.contains("in use")));
        first.remove().unwrap();
        assert!(!path.exists());
        Journal::open(&path).unwrap().remove().unwrap();
    }
}
