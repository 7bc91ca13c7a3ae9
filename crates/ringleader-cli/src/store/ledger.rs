//! What is done of a sweep and what is not: its journal, and the records of an earlier definition with fewer cells.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use ringleader::sweep::{Cell, Sweep};

use crate::definition::Definition;
use crate::files;
use crate::stop::Stop;
use crate::store::journal::{Journal, Outcome};
use crate::store::meta::{Meta, Shard, VERSION, machine};
use crate::store::parquet;
use crate::store::row::Row;

/// How many rows are copied at once.
const COPIED: usize = 4096;

/// The part of a sweep that a shard runs: shards take turns at the trials of each cell, so that each has its share of every cell,
/// the long ones too. Whose turn is first is told by a seed that depends on the cell alone: cells that are added move no trial
/// of others into another shard.
pub(crate) struct Part {
    shard: Shard,
    /// For each cell, the shard of its first trial, counted from 0.
    first: Vec<u64>,
}

impl Part {
    pub(crate) fn new(sweep: &Sweep, shard: Shard) -> Self {
        let first = sweep.cells.iter().map(|cell| cell.seeds(sweep.seed)(0) % u64::from(shard.count)).collect();
        Self { shard, first }
    }

    pub(crate) fn has(&self, cell: usize, trial: u32) -> bool {
        (self.first[cell] + u64::from(trial)) % u64::from(self.shard.count) == u64::from(self.shard.index - 1)
    }

    /// How many trials of a cell there are.
    pub(crate) fn count(&self, cell: usize, repeats: u32) -> u64 {
        (0..repeats).filter(|&trial| self.has(cell, trial)).count() as u64
    }
}

/// The state of a sweep on disk.
pub(crate) struct Ledger<'a> {
    definition: &'a Definition,
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
    pub(crate) fn open(definition: &'a Definition, shard: Shard, records: &Path) -> Result<Self, Stop> {
        let journal = Journal::open(&journal_of(records))?;
        files::remove_parts(records);
        let cells = &definition.sweep.cells;
        let mut ledger = Self {
            definition,
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
            Err(stop) => {
                if ledger.journal.is_empty() {
                    let _ = ledger.journal.remove();
                }
                Err(stop)
            }
        }
    }

    fn look(&mut self) -> Result<(), Stop> {
        self.look_at_journal()?;
        if self.records.exists() { self.look_at_records() } else { Ok(()) }
    }

    fn look_at_journal(&mut self) -> Result<(), Stop> {
        let path = journal_of(&self.records);
        let metas = std::mem::take(&mut self.journal.metas);
        let numbers: Vec<Vec<u32>> = metas.iter().map(|meta| self.numbers(&path, meta)).collect::<Result<_, _>>()?;
        metas.iter().for_each(|meta| self.ran_on(&meta.machine));
        self.journal.metas = metas;
        let stretches = std::mem::take(&mut self.journal.stretches);
        for (k, stretch) in stretches.iter().enumerate() {
            let number = numbers.get(stretch.meta).and_then(|numbers| numbers.get(stretch.cell as usize));
            let wrong = || Stop::Bad(format!("{} is damaged: there is no cell {}", path.display(), stretch.cell));
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
    fn look_at_records(&mut self) -> Result<(), Stop> {
        let meta = parquet::metadata(&self.records)
            .map_err(|stop| Stop::Bad(format!("{}; move it away or choose another --out", stop.message())))?;
        let numbers = self.numbers(&self.records, &meta)?;
        self.ran_on(&meta.machine);
        if meta.hash == self.meta.hash {
            self.complete = true;
            return Ok(());
        }
        self.begin()?;
        let mut rows = parquet::read(std::slice::from_ref(&self.records))?.peekable();
        while let Some(first) = rows.peek() {
            let (Ok(Row { cell, .. }), mut some) = (first, Vec::new()) else { break };
            let cell = *cell;
            while let Some(row) =
                rows.next_if(|row| some.len() < COPIED && row.as_ref().is_ok_and(|row| row.cell == cell))
            {
                some.push(Outcome::from(row?));
            }
            let wrong = || Stop::Bad(format!("{} is damaged: there is no cell {cell}", self.records.display()));
            self.copy(*numbers.get(cell as usize).ok_or_else(wrong)? as usize, some)?;
        }
        rows.next().map_or(Ok(()), |failed| failed.map(drop))
    }

    fn copy(&mut self, cell: usize, mut rows: Vec<Outcome>) -> Result<(), Stop> {
        rows.retain(|row| self.done[cell].get(row.trial as usize) == Some(&false));
        if rows.is_empty() { Ok(()) } else { self.add(cell, &rows) }
    }

    /// The numbers here of the cells of a file, if it belongs to this sweep.
    fn numbers(&self, path: &Path, meta: &Meta) -> Result<Vec<u32>, Stop> {
        let refuse = |why: String| Stop::Bad(format!("{}: {why}", path.display()));
        if meta.version != VERSION {
            let versions = format!("ringleader {} wrote it, and this is ringleader {VERSION}", meta.version);
            return Err(refuse(format!("{versions}, whose trials may differ; choose another --out")));
        }
        if meta.shard != self.meta.shard {
            return Err(refuse(format!("it is shard {}, not {}", meta.shard, self.meta.shard)));
        }
        if meta.hash == self.meta.hash {
            return Ok((0..).take(self.definition.sweep.cells.len()).collect());
        }
        let old = Definition::parse(meta.definition.clone()).map_err(refuse)?;
        self.definition.numbers_of(&old).map_err(|changes| {
            let told = "it was made with another definition, and this one does not only add cells:";
            refuse(format!("{told}{changes}\nuse the old definition, or choose another --out"))
        })
    }

    fn ran_on(&mut self, machine: &str) {
        for one in machine.split("; ") {
            if !self.machines.iter().any(|known| known == one) {
                self.machines.push(one.to_owned());
            }
        }
    }

    /// Whether all records are there already.
    pub(crate) fn is_complete(&self) -> bool {
        self.complete
    }

    /// Whether something of the journal had to be given up.
    pub(crate) fn is_damaged(&self) -> bool {
        self.journal.damaged
    }

    /// The trials of a cell that are not done.
    pub(crate) fn missing(&self, part: &Part, cell: usize) -> Vec<u32> {
        let done = &self.done[cell];
        (0..).zip(done).filter(|&(trial, done)| !done && part.has(cell, trial)).map(|(trial, _)| trial).collect()
    }

    /// Says in the journal what will be added.
    pub(crate) fn begin(&mut self) -> Result<(), Stop> {
        self.ran_on(&self.meta.machine.clone());
        self.journal.begin(&self.meta)
    }

    /// Adds finished trials.
    pub(crate) fn add(&mut self, cell: usize, rows: &[Outcome]) -> Result<(), Stop> {
        self.journal.add(u32::try_from(cell).unwrap_or(u32::MAX), rows)?;
        self.note(cell, self.journal.stretches.len() - 1, rows.iter().map(|row| row.trial));
        Ok(())
    }

    /// Puts everything on disk.
    pub(crate) fn sync(&self) -> Result<(), Stop> {
        self.journal.sync()
    }

    /// How many trials are done.
    pub(crate) fn done(&self) -> u64 {
        self.done.iter().flatten().filter(|&&done| done).count() as u64
    }

    /// Writes the records and ends the journal.
    pub(crate) fn finish(self) -> Result<(), Stop> {
        if !self.complete {
            let meta = Meta { machine: self.machines.join("; "), ..self.meta.clone() };
            let rows = (0..self.stretches.len()).flat_map(|cell| {
                let (rows, failed) = self.rows(cell).map_or_else(|stop| (None, Some(stop)), |rows| (Some(rows), None));
                rows.into_iter().flatten().map(Ok).chain(failed.map(Err))
            });
            parquet::write(&self.records, &meta, rows)?;
        }
        self.journal.remove()
    }

    /// The rows of a cell, in order.
    fn rows(&self, cell: usize) -> Result<impl Iterator<Item = Row>, Stop> {
        let mut outcomes = Vec::new();
        for &stretch in &self.stretches[cell] {
            outcomes.extend(self.journal.read(&self.journal.stretches[stretch])?);
        }
        outcomes.sort_unstable_by_key(|one| one.trial);
        outcomes.dedup_by_key(|one| one.trial);
        let Sweep { seed, cells } = &self.definition.sweep;
        let seeds = cells[cell].seeds(*seed);
        Ok(outcomes.into_iter().map(move |one| row(cell, &cells[cell], seeds(one.trial), one)))
    }
}

/// The journal of a file of records.
pub(crate) fn journal_of(records: &Path) -> PathBuf {
    let mut name = OsString::from(records);
    name.push(".journal");
    name.into()
}

/// What a file of records says of itself, if this process writes it.
pub(crate) fn meta(definition: &Definition, shard: Shard) -> Meta {
    Meta {
        definition: definition.text.clone(),
        hash: definition.hash.clone(),
        version: VERSION.to_owned(),
        machine: machine(),
        seed: definition.sweep.seed,
        shard,
    }
}

/// A trial and what came of it, as a row.
fn row(place: usize, cell: &Cell, seed: u64, outcome: Outcome) -> Row {
    let small = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    Row {
        cell: small(place),
        protocol: cell.trial.protocol.clone(),
        n: small(cell.trial.n),
        params: cell.params.clone(),
        start: cell.start.clone(),
        faults: cell.faults.clone(),
        scheduler: cell.trial.scheduler.name().to_owned(),
        trial: outcome.trial,
        seed,
        limit: cell.limit,
        steps: outcome.steps,
        safe: outcome.safe,
        censored: outcome.censored,
        last_output_change: outcome.last_output_change,
        coins_read: outcome.coins_read,
        phases: outcome.phases,
        last_fault: outcome.last_fault,
    }
}
