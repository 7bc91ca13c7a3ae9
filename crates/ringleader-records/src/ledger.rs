//! What is done of a sweep and what is not: its journal, and the records of an earlier definition with fewer cells.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ringleader::catalogue::Catalogue;

use crate::columns::{Row, columns};
use crate::definition::Definition;
use crate::error::Error;
use crate::files;
use crate::journal::Journal;
use crate::meta::{FORMAT, Meta, Shard, VERSION, add_machines, machine};
use crate::outcome::Outcome;
use crate::parquet;
use crate::sweep::{Setup, Sweep, same_rules};

/// How many rows are copied at once.
const COPIED: usize = 4096;

/// The part of a sweep that a shard runs: shards take turns at the trials of each cell, so that each has its share of every cell,
/// the long ones too. Whose turn is first is told by a seed that depends on the cell alone: cells that are added move no trial
/// of others into another shard.
pub struct Part {
    shard: Shard,
    /// For each cell, the shard of its first trial, counted from 0.
    first: Vec<u64>,
}

impl Part {
    /// The part of a shard.
    #[must_use]
    pub fn new(sweep: &Sweep, shard: Shard) -> Self {
        let first = sweep.cells.iter().map(|cell| cell.seeds(sweep.seed)(0) % u64::from(shard.count)).collect();
        Self { shard, first }
    }

    fn has(&self, cell: usize, trial: u32) -> bool {
        (self.first[cell] + u64::from(trial)) % u64::from(self.shard.count) == u64::from(self.shard.index - 1)
    }

    /// How many trials of a cell there are.
    #[must_use]
    pub fn count(&self, cell: usize, repeats: u32) -> u64 {
        (0..repeats).filter(|&trial| self.has(cell, trial)).count() as u64
    }
}

/// The state of a sweep on disk.
pub struct Ledger<'a> {
    definition: &'a Definition,
    protocols: &'a Catalogue,
    part: Part,
    /// What the records will say of themselves; of rules, what is known of those of all trials of a cell.
    meta: Meta,
    records: PathBuf,
    journal: Journal,
    /// For each cell, which of its trials are done.
    done: Vec<Vec<bool>>,
    /// For each cell, the stretches of the journal with its trials.
    stretches: Vec<Vec<usize>>,
    /// All that ran trials so far.
    machines: Vec<String>,
    /// The records are complete already.
    complete: bool,
}

impl<'a> Ledger<'a> {
    /// Finds out what is done, and keeps other processes away.
    ///
    /// # Errors
    /// If what is there belongs to another sweep, is damaged, or is in use.
    pub fn open(
        definition: &'a Definition,
        protocols: &'a Catalogue,
        shard: Shard,
        records: &Path,
    ) -> Result<Self, Error> {
        let journal = Journal::open(&journal_of(records))?;
        files::remove_parts(records);
        let cells = &definition.sweep.cells;
        let mut ledger = Self {
            definition,
            protocols,
            part: Part::new(&definition.sweep, shard),
            meta: meta(definition, shard),
            records: records.to_owned(),
            journal,
            done: cells.iter().map(|cell| vec![false; cell.repeats as usize]).collect(),
            stretches: vec![Vec::new(); cells.len()],
            machines: Vec::new(),
            complete: false,
        };
        match ledger.look() {
            Ok(()) => Ok(ledger),
            Err(error) => {
                if ledger.journal.is_empty() {
                    let _ = ledger.journal.remove();
                }
                Err(error)
            }
        }
    }

    fn look(&mut self) -> Result<(), Error> {
        self.look_at_journal()?;
        if self.records.exists() { self.look_at_records() } else { Ok(()) }
    }

    fn look_at_journal(&mut self) -> Result<(), Error> {
        let path = journal_of(&self.records);
        let mut numbers = BTreeMap::new();
        for (number, meta) in self.journal.metas.clone() {
            numbers.insert(number, self.numbers(&path, &meta)?);
            self.ran_on(&meta.machine);
        }
        let stretches = std::mem::take(&mut self.journal.stretches);
        for (k, stretch) in stretches.iter().enumerate() {
            let number = numbers.get(&stretch.meta).and_then(|numbers| numbers.get(stretch.cell as usize));
            let wrong = || Error::new(format!("{} is damaged: there is no cell {}", path.display(), stretch.cell));
            self.note(*number.ok_or_else(wrong)? as usize, k, stretch.trials.iter().copied());
        }
        self.journal.stretches = stretches;
        Ok(())
    }

    fn note(&mut self, cell: usize, stretch: usize, trials: impl Iterator<Item = u32>) {
        if self.stretches[cell].last() != Some(&stretch) {
            self.stretches[cell].push(stretch);
        }
        for trial in trials {
            if let Some(done) = self.done[cell].get_mut(trial as usize) {
                *done = true;
            }
        }
    }

    /// Records that are there are either complete, or of a definition with fewer cells; then they are copied.
    fn look_at_records(&mut self) -> Result<(), Error> {
        let meta = parquet::metadata(&self.records)
            .map_err(|error| Error::new(format!("{error}; move it away or choose another --out")))?;
        let path = self.records.clone();
        let numbers = self.numbers(&path, &meta)?;
        self.ran_on(&meta.machine);
        if meta.hash == self.meta.hash {
            self.complete = true;
            return Ok(());
        }
        self.begin()?;
        let (mut cell, mut some) = (u32::MAX, Vec::new());
        for row in parquet::read(std::slice::from_ref(&path))? {
            let Row { outcome, .. } = row?;
            if outcome.cell != cell || some.len() == COPIED {
                self.copy(std::mem::take(&mut some))?;
                cell = outcome.cell;
            }
            let wrong = || Error::new(format!("{} is damaged: there is no cell {cell}", path.display()));
            let number = *numbers.get(cell as usize).ok_or_else(wrong)?;
            if self.done[number as usize].get(outcome.trial as usize) == Some(&false) {
                some.push(Outcome { cell: number, ..outcome });
            }
        }
        self.copy(some)
    }

    fn copy(&mut self, rows: Vec<Outcome>) -> Result<(), Error> {
        if rows.is_empty() { Ok(()) } else { self.add(&rows) }
    }

    /// The numbers here of the cells of a file, if it belongs to this sweep.
    fn numbers(&mut self, path: &Path, meta: &Meta) -> Result<Vec<u32>, Error> {
        let refuse = |why: String| Error::new(format!("{}: {why}", path.display()));
        if meta.version != VERSION {
            let versions = format!("ringleader {} wrote it, and this is ringleader {VERSION}", meta.version);
            return Err(refuse(format!("{versions}, whose trials may differ; choose another --out")));
        }
        if meta.shard != self.meta.shard {
            return Err(refuse(format!("it is shard {}, and not {}", meta.shard, self.meta.shard)));
        }
        let numbers: Vec<u32> = if meta.hash == self.meta.hash {
            (0..).take(self.definition.sweep.cells.len()).collect()
        } else {
            let old = Definition::parse(meta.definition.clone(), self.protocols).map_err(refuse)?;
            self.definition.numbers_of(&old).map_err(|changes| {
                let told = "it was made with another definition, and this one does more than to add cells and repeats:";
                refuse(format!("{told}{changes}\nuse the old definition, or choose another --out"))
            })?
        };
        for (old, &number) in numbers.iter().enumerate() {
            let (before, now) = (meta.rules.get(old).copied().unwrap_or(0), &mut self.meta.rules[number as usize]);
            let Setup { protocol, .. } = &*self.definition.sweep.cells[number as usize].setup;
            let told =
                || refuse(format!("the rules of {protocol} have changed since its trials; choose another --out"));
            *now = same_rules(before, *now).ok_or_else(told)?;
        }
        Ok(numbers)
    }

    fn ran_on(&mut self, machine: &str) {
        add_machines(&mut self.machines, machine);
    }

    /// The sweep.
    pub(crate) fn sweep(&self) -> &'a Sweep {
        &self.definition.sweep
    }

    /// How many trials of the sweep are in this shard.
    #[must_use]
    pub fn trials(&self) -> u64 {
        let cells = self.sweep().cells.iter().enumerate();
        cells.map(|(k, cell)| self.part.count(k, cell.repeats)).sum()
    }

    /// Whether all records are there already.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Whether something of the journal had to be given up.
    #[must_use]
    pub fn is_damaged(&self) -> bool {
        self.journal.damaged
    }

    /// The trials of a cell that are not done.
    pub(crate) fn missing(&self, cell: usize) -> Vec<u32> {
        let done = (0..).zip(&self.done[cell]).filter(|&(trial, done)| !done && self.part.has(cell, trial));
        done.map(|(trial, _)| trial).collect()
    }

    /// Says in the journal what will be added.
    pub(crate) fn begin(&mut self) -> Result<(), Error> {
        self.ran_on(&self.meta.machine.clone());
        self.journal.begin(&self.meta)
    }

    /// Adds finished trials of one cell.
    pub(crate) fn add(&mut self, rows: &[Outcome]) -> Result<(), Error> {
        let Some(first) = rows.first() else { return Ok(()) };
        self.journal.add(rows)?;
        self.note(first.cell as usize, self.journal.stretches.len() - 1, rows.iter().map(|row| row.trial));
        Ok(())
    }

    /// Puts everything on disk.
    pub(crate) fn sync(&self) -> Result<(), Error> {
        self.journal.sync()
    }

    /// How many trials are done.
    #[must_use]
    pub fn done(&self) -> u64 {
        if self.complete { self.trials() } else { self.done.iter().flatten().filter(|&&done| done).count() as u64 }
    }

    /// Writes the records and ends the journal.
    ///
    /// # Errors
    /// If that fails; the journal is then still there.
    pub fn finish(self) -> Result<(), Error> {
        if !self.complete {
            let meta = Meta { machine: self.machines.join("; "), ..self.meta.clone() };
            let setups: Vec<Arc<Setup>> = self.setups().collect();
            let columns = columns(setups.iter().map(|setup| &**setup));
            let rows = setups.into_iter().enumerate().flat_map(|(cell, setup)| {
                let (outcomes, failed) =
                    self.outcomes(cell).map_or_else(|error| (Vec::new(), Some(error)), |outcomes| (outcomes, None));
                let row = move |outcome| Ok(Row { setup: setup.clone(), outcome });
                outcomes.into_iter().map(row).chain(failed.map(Err))
            });
            parquet::write(&self.records, &meta, &columns, rows)?;
        }
        self.journal.remove()
    }

    /// The cells as the records will have them.
    fn setups(&self) -> impl Iterator<Item = Arc<Setup>> {
        self.sweep().cells.iter().zip(&self.meta.rules).map(|(cell, &rules)| {
            let mut setup = cell.setup.clone();
            if setup.rules != rules {
                Arc::make_mut(&mut setup).rules = rules;
            }
            setup
        })
    }

    /// What came of the trials of a cell, in order.
    fn outcomes(&self, cell: usize) -> Result<Vec<Outcome>, Error> {
        let mut outcomes = Vec::new();
        for &stretch in &self.stretches[cell] {
            outcomes.extend(self.journal.read(&self.journal.stretches[stretch])?);
        }
        outcomes.sort_unstable_by_key(|one| one.trial);
        outcomes.dedup_by_key(|one| one.trial);
        // The definition may have had fewer cells when they were run.
        let number = u32::try_from(cell).unwrap_or(u32::MAX);
        outcomes.iter_mut().for_each(|one| one.cell = number);
        Ok(outcomes)
    }
}

/// The journal of a file of records.
#[must_use]
pub fn journal_of(records: &Path) -> PathBuf {
    let mut name = OsString::from(records);
    name.push(".journal");
    name.into()
}

/// What a file of records says of itself, if this process writes it.
fn meta(definition: &Definition, shard: Shard) -> Meta {
    Meta {
        format: FORMAT.to_owned(),
        definition: definition.text.clone(),
        hash: definition.hash.clone(),
        version: VERSION.to_owned(),
        machine: machine(),
        seed: definition.sweep.seed,
        shard,
        rules: definition.sweep.cells.iter().map(|cell| cell.setup.rules).collect(),
    }
}
