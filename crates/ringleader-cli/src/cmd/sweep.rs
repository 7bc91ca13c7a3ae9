//! `ringleader sweep`: all trials of a definition on all cores, each kept as a row, whatever happens meanwhile.

use std::cell::RefCell;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::HumanDuration;
use ringleader::lab::{batch_size, run_batch};
use ringleader::sweep::{Cell, Sweep};
use ringleader::trial::Record;
use ringleader::value::Value;

use crate::args::SweepArgs;
use crate::definition::Definition;
use crate::progress::{Bar, interrupted};
use crate::stop::{Stop, outcome};
use crate::store::journal::Outcome;
use crate::store::ledger::{Ledger, Part, journal_of};
use crate::store::meta::Shard;
use crate::text::{alarm, columns, commas, faint, good, ratio, strong};
use crate::work::{all_cores, spread};
use crate::{files, json};

/// A thread takes trials for about this time, where they run one by one, so that all threads end together.
const SOON: Duration = Duration::from_millis(100);
/// And for this, where many run at once: the more trials wait for a free lane, the fewer lanes are idle.
const LATER: Duration = Duration::from_secs(30);
/// The most trials that a thread takes.
const MAX_CHUNK: usize = 1 << 15;
/// A thread writes to the journal no more often than this: trials of a few interactions take less time than a write.
const OFTEN: Duration = Duration::from_millis(1);
/// How often the journal is put on disk.
const SYNC: Duration = Duration::from_secs(5);

pub(crate) fn sweep(args: &SweepArgs) -> Result<(), Stop> {
    let definition = Definition::read(&args.definition)?;
    let shard = args.shard.unwrap_or(Shard::WHOLE);
    let part = Part::new(&definition.sweep, shard);
    let records = records_of(args, shard)?;
    let plan = Plan { args, definition: &definition, shard, part, records };
    if args.dry_run {
        return outcome(files::to_stdout(|out| plan.list(out)), Ok(()));
    }
    plan.run()
}

/// Where the records go; shards do not get into each other's way.
fn records_of(args: &SweepArgs, shard: Shard) -> Result<PathBuf, Stop> {
    let path = match &args.out {
        Some(path) => path.clone(),
        None if args.definition == Path::new("-") => {
            return Err(Stop::Bad("a definition from standard input needs --out FILE".into()));
        }
        None => args.definition.with_extension("parquet"),
    };
    if path.is_dir() || path.file_name().is_none() || path == Path::new("-") {
        return Err(Stop::Bad(format!("cannot write {}: give the name of a file", path.display())));
    }
    if shard == Shard::WHOLE {
        return Ok(path);
    }
    let part = format!("{}of{}", shard.index, shard.count);
    let ending = path.extension().map_or(part.clone(), |ending| format!("{part}.{}", ending.to_string_lossy()));
    Ok(path.with_extension(ending))
}

/// What is to be done.
struct Plan<'a> {
    args: &'a SweepArgs,
    definition: &'a Definition,
    shard: Shard,
    part: Part,
    records: PathBuf,
}

/// What was done.
struct Report {
    done: u64,
    ran: u64,
    censored: u64,
    elapsed: Duration,
    /// The time spent in simulation, an average over threads.
    simulated: Duration,
    interrupted: bool,
}

impl Plan<'_> {
    fn sweep(&self) -> &Sweep {
        &self.definition.sweep
    }

    /// How many trials of a cell are in this shard.
    fn count(&self, cell: usize) -> u64 {
        self.part.count(cell, self.sweep().cells[cell].repeats)
    }

    fn trials(&self) -> u64 {
        (0..self.sweep().cells.len()).map(|cell| self.count(cell)).sum()
    }

    fn run(&self) -> Result<(), Stop> {
        let mut ledger = Ledger::open(self.definition, self.shard, &self.records)?;
        if ledger.is_damaged() {
            let told = "the end of the journal was damaged; the missing trials run again";
            let _ = writeln!(anstream::stderr(), "{}: {told}", alarm("note"));
        }
        let begin = Instant::now();
        let mut report = self.run_missing(&mut ledger).map_err(|stop| self.resumable(stop))?;
        if report.interrupted {
            ledger.sync()?;
        } else {
            ledger.finish().map_err(|stop| self.resumable(stop))?;
        }
        report.elapsed = begin.elapsed();
        let verdict =
            if report.interrupted { Err(Stop::Interrupted(Some(self.how_to_go_on(&report)))) } else { Ok(()) };
        outcome(files::to_stdout(|out| self.tell(out, &report)), verdict)
    }

    fn run_missing(&self, ledger: &mut Ledger<'_>) -> Result<Report, Stop> {
        let before = ledger.done();
        let mut report = Report {
            done: before,
            ran: 0,
            censored: 0,
            elapsed: Duration::ZERO,
            simulated: Duration::ZERO,
            interrupted: false,
        };
        if ledger.is_complete() {
            report.done = self.trials();
            return Ok(report);
        }
        let pending = self.pending(ledger)?;
        if pending.is_empty() {
            return Ok(report);
        }
        ledger.begin()?;
        let threads = self.args.threads.unwrap_or_else(all_cores);
        let work = Work::new(self.sweep(), pending, threads, ledger);
        let (mut bar, begin, mut synced) =
            (Bar::new(before + work.missing, self.args.quiet), Instant::now(), Instant::now());
        let ran = spread(
            threads,
            &work.failed,
            || work.next(),
            |_: Option<()>| {
                if synced.elapsed() > SYNC {
                    work.ledger().sync()?;
                    synced = Instant::now();
                }
                let _ = bar.show(before + work.finished.load(Ordering::Relaxed), || work.pace(begin.elapsed()));
                Ok(())
            },
        );
        drop(bar);
        ran?;
        report.simulated = Duration::from_nanos(work.busy.load(Ordering::Relaxed) / threads as u64);
        report.ran = work.finished.load(Ordering::Relaxed);
        report.censored = work.censored.load(Ordering::Relaxed);
        report.interrupted = report.ran < work.missing;
        report.done = before + report.ran;
        Ok(report)
    }

    /// What is missing, the longest trials first, so that all threads end at about the same time.
    fn pending(&self, ledger: &Ledger<'_>) -> Result<Vec<Pending>, Stop> {
        let mut pending = Vec::new();
        for (cell, asked) in self.sweep().cells.iter().enumerate() {
            let trials = ledger.missing(&self.part, cell);
            if !trials.is_empty() {
                let at_once = batch_size(&asked.trial)?;
                pending.push(Pending { cell, trials, taken: 0, at_once, chunk: at_once });
            }
        }
        let weight = |one: &Pending| weight(&self.sweep().cells[one.cell]);
        pending.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
        Ok(pending)
    }

    fn command(&self) -> String {
        let mut words = format!("ringleader sweep {}", self.args.definition.display());
        if self.shard != Shard::WHOLE {
            words += &format!(" --shard {}", self.shard);
        }
        self.args.out.iter().for_each(|out| words += &format!(" --out {}", out.display()));
        words
    }

    fn how_to_go_on(&self, report: &Report) -> String {
        let (done, all) = (commas(report.done), commas(self.trials()));
        let journal = journal_of(&self.records);
        format!("{done} of {all} trials are kept in {}\nresume with: {}", journal.display(), self.command())
    }

    /// Whatever went wrong, finished trials are in the journal.
    fn resumable(&self, stop: Stop) -> Stop {
        match stop {
            Stop::Bad(message) => {
                let journal = journal_of(&self.records);
                let kept = format!("finished trials are kept in {}", journal.display());
                Stop::Bad(format!("{message}\n{kept}; after fixing this, resume with: {}", self.command()))
            }
            stop => stop,
        }
    }
}

// --- The work -------------------------------------------------------------------------------------------------

/// Trials of a cell that are to be run.
struct Pending {
    cell: usize,
    trials: Vec<u32>,
    /// How many of them were taken.
    taken: usize,
    /// How many the engine runs at once.
    at_once: usize,
    /// How many a thread takes.
    chunk: usize,
}

/// What a thread has finished and not yet kept.
struct Hand {
    rows: Vec<Outcome>,
    /// When it kept some last.
    last: Option<Instant>,
    /// How long all the keeping took.
    keeping: Duration,
    kept: Result<(), Stop>,
}

impl Default for Hand {
    fn default() -> Self {
        Self { rows: Vec::new(), last: None, keeping: Duration::ZERO, kept: Ok(()) }
    }
}

impl Hand {
    fn is_due(&self) -> bool {
        !self.rows.is_empty() && self.last.is_none_or(|last| last.elapsed() > OFTEN)
    }
}

/// Cells in the order in which they are run.
struct Queue {
    pending: Vec<Pending>,
    /// The first that is not all taken.
    first: usize,
}

/// What the threads share.
struct Work<'a, 'd> {
    sweep: &'a Sweep,
    threads: usize,
    queue: Mutex<Queue>,
    ledger: Mutex<&'a mut Ledger<'d>>,
    /// How many trials there are, how many are finished and kept, and how many of those met their limit.
    missing: u64,
    finished: AtomicU64,
    censored: AtomicU64,
    /// For each cell, how many trials are still to be finished.
    left: Vec<AtomicU32>,
    weight: f64,
    /// The cell that was taken last.
    current: AtomicUsize,
    /// Nanoseconds spent in simulation, over all threads.
    busy: AtomicU64,
    failed: AtomicBool,
}

/// How long a trial takes, in proportion to others: a guess, for the time left and the order of cells.
fn weight(cell: &Cell) -> f64 {
    let n = cell.trial.n as f64;
    n * n * n.log2()
}

impl<'a, 'd> Work<'a, 'd> {
    fn new(sweep: &'a Sweep, pending: Vec<Pending>, threads: usize, ledger: &'a mut Ledger<'d>) -> Self {
        let left: Vec<AtomicU32> = sweep.cells.iter().map(|_| 0.into()).collect();
        pending.iter().for_each(|one| left[one.cell].store(one.trials.len() as u32, Ordering::Relaxed));
        let missing = pending.iter().map(|one| one.trials.len() as u64).sum();
        let current = pending.first().map_or(0, |one| one.cell).into();
        let mut work = Self {
            sweep,
            threads,
            queue: Mutex::new(Queue { pending, first: 0 }),
            ledger: Mutex::new(ledger),
            missing,
            finished: 0.into(),
            censored: 0.into(),
            left,
            weight: 0.0,
            current,
            busy: 0.into(),
            failed: false.into(),
        };
        work.weight = work.remaining();
        work
    }

    /// The weight of all trials that are left.
    fn remaining(&self) -> f64 {
        let left = self.left.iter().map(|left| left.load(Ordering::Relaxed)).zip(&self.sweep.cells);
        left.map(|(left, cell)| f64::from(left) * weight(cell)).sum()
    }

    fn stopped(&self) -> bool {
        interrupted() || self.failed.load(Ordering::Relaxed)
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ledger(&self) -> MutexGuard<'_, &'a mut Ledger<'d>> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes some trials of the first cell that has any; with its place in the queue.
    fn take(&self) -> Option<(usize, usize, Vec<u32>)> {
        let mut queue = self.queue();
        let place = queue.first;
        let one = queue.pending.get_mut(place)?;
        let left = &one.trials[one.taken..];
        // The threads share the rest of a cell, as long as that leaves no lane idle.
        let share = left.len().div_ceil(self.threads).max(one.at_once);
        let trials = left[..one.chunk.min(share).min(left.len())].to_vec();
        one.taken += trials.len();
        let (cell, all_taken) = (one.cell, one.taken == one.trials.len());
        queue.first += usize::from(all_taken);
        self.current.store(cell, Ordering::Relaxed);
        Some((place, cell, trials))
    }

    /// More at a time from now on, if the last ones were soon done.
    fn adapt(&self, place: usize, took: Duration) {
        let one = &mut self.queue().pending[place];
        if took < if one.at_once > 1 { LATER } else { SOON } / 2 {
            one.chunk = (one.chunk * 2).min(MAX_CHUNK);
        }
    }

    fn next(&self) -> Option<Result<(), Stop>> {
        if self.stopped() {
            return None;
        }
        let (place, cell, trials) = self.take()?;
        let begin = Instant::now();
        let ran = self.run(cell, &trials);
        let took = begin.elapsed();
        self.adapt(place, took);
        Some(ran.map(|keeping| {
            let simulated = took.saturating_sub(keeping).as_nanos();
            self.busy.fetch_add(u64::try_from(simulated).unwrap_or(u64::MAX), Ordering::Relaxed);
        }))
    }

    /// Runs some trials of a cell and keeps each when it has finished; tells how long the keeping took.
    fn run(&self, number: usize, trials: &[u32]) -> Result<Duration, Stop> {
        let cell = &self.sweep.cells[number];
        let seeds = trials.iter().copied().map(cell.seeds(self.sweep.seed));
        let hand = RefCell::new(Hand::default());
        // Engines ask whether to stop after every window, so right after trials have finished.
        let stop = || {
            let mut hand = hand.borrow_mut();
            if hand.is_due() {
                self.keep(number, &mut hand);
            }
            self.stopped()
        };
        let ran = run_batch(&cell.trial, seeds, &stop, &mut |index, record| {
            hand.borrow_mut().rows.push(outcome_of(cell, trials[index], record));
            ControlFlow::Continue(())
        });
        let mut hand = hand.into_inner();
        self.keep(number, &mut hand);
        ran?;
        hand.kept.map(|()| hand.keeping)
    }

    /// From here on not even `kill -9` makes these trials run again.
    fn keep(&self, cell: usize, hand: &mut Hand) {
        let begin = Instant::now();
        let rows = std::mem::take(&mut hand.rows);
        if rows.is_empty() || hand.kept.is_err() {
            return;
        }
        hand.kept = self.ledger().add(cell, &rows);
        if hand.kept.is_err() {
            self.failed.store(true, Ordering::Relaxed);
            return;
        }
        self.left[cell].fetch_sub(rows.len() as u32, Ordering::Relaxed);
        self.finished.fetch_add(rows.len() as u64, Ordering::Relaxed);
        let censored = rows.iter().filter(|row| row.censored).count();
        self.censored.fetch_add(censored as u64, Ordering::Relaxed);
        hand.last = Some(Instant::now());
        hand.keeping += begin.elapsed();
    }

    /// How fast it goes, how long it will take, and where it is.
    fn pace(&self, elapsed: Duration) -> String {
        let (finished, weight) = (self.finished.load(Ordering::Relaxed), self.remaining());
        let cell = &self.sweep.cells[self.current.load(Ordering::Relaxed)].trial;
        let place = format!("{} n={}", cell.protocol, cell.n);
        if finished == 0 {
            return format!("trials, {place}");
        }
        let rate = ratio(finished as f64 / elapsed.as_secs_f64().max(1e-9));
        let left = elapsed.as_secs_f64() * weight / (self.weight - weight).max(f64::MIN_POSITIVE);
        let left = HumanDuration(Duration::try_from_secs_f64(left).unwrap_or(Duration::MAX));
        format!("{rate}/s, {left} left, {place}")
    }
}

fn outcome_of(cell: &Cell, trial: u32, record: &Record) -> Outcome {
    let phase = |phase: &ringleader::engine::tracker::Reached| {
        format!("{}={}", phase.name, phase.step.map_or(String::new(), |step| step.to_string()))
    };
    let all_struck = record.faults.len() == cell.trial.faults.len();
    Outcome {
        trial,
        steps: record.steps,
        safe: record.safe,
        censored: record.censored,
        last_output_change: record.last_output_change,
        coins_read: record.coins_read,
        phases: record.phases.iter().map(phase).collect::<Vec<_>>().join(","),
        last_fault: record.faults.last().filter(|_| all_struck).map(|struck| struck.step),
    }
}

// --- What is told ---------------------------------------------------------------------------------------------

impl Plan<'_> {
    /// The cells and how many trials they have.
    fn list(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.args.json {
            json::write(&mut &mut *out, &Value::Map([self.common(), vec![("cells".into(), self.cells())]].concat()))?;
            return writeln!(out);
        }
        let header =
            ["cell", "protocol", "n", "start", "parameters", "faults", "limit", "trials"].map(str::to_owned).to_vec();
        let row = |(k, cell): (usize, &Cell)| {
            let text = |text: &str| if text.is_empty() { "-".to_owned() } else { text.to_owned() };
            let (n, limit, count) = (commas(cell.trial.n), commas(cell.limit), commas(self.count(k)));
            let (start, params, faults) = (text(&cell.start), text(&cell.params), text(&cell.faults));
            vec![k.to_string(), cell.trial.protocol.clone(), n, start, params, faults, limit, count]
        };
        let cells = self.sweep().cells.iter().enumerate().map(row);
        let lines = columns(&std::iter::once(header).chain(cells).collect::<Vec<_>>());
        writeln!(out, "{}", strong(&lines[0]))?;
        lines[1..].iter().try_for_each(|line| writeln!(out, "{line}"))?;
        let (trials, cells) = (commas(self.trials()), commas(self.sweep().cells.len()));
        let shard = if self.shard == Shard::WHOLE { String::new() } else { format!(", shard {}", self.shard) };
        writeln!(out, "\n{trials} trials of {cells} cells, seed {}{shard}", self.sweep().seed)?;
        writeln!(out, "the records would go into {}", self.records.display())
    }

    fn tell(&self, out: &mut dyn Write, report: &Report) -> io::Result<()> {
        if self.args.json {
            let told = [
                ("finished".into(), report.done.into()),
                ("interrupted".into(), report.interrupted.into()),
                ("ran".into(), report.ran.into()),
                ("ran_censored".into(), report.censored.into()),
            ];
            json::write(&mut &mut *out, &Value::Map([self.common(), told.to_vec()].concat()))?;
            return writeln!(out);
        }
        if report.ran > 0 {
            let (ran, cut) = (commas(report.ran), commas(report.censored));
            let simulated = ratio(100.0 * report.simulated.as_secs_f64() / report.elapsed.as_secs_f64().max(1e-9));
            let elapsed = HumanDuration(report.elapsed);
            writeln!(out, "ran {ran} trials in {elapsed}, {simulated} % of it simulation")?;
            if report.censored > 0 {
                writeln!(
                    out,
                    "{}: {cut} of them met their limit; they are kept as rows like the others",
                    alarm("censored")
                )?;
            }
        }
        if report.interrupted {
            return Ok(());
        }
        let (done, records) = (commas(report.done), self.records.display());
        writeln!(out, "{}: {done} trials in {records}", good("complete"))?;
        writeln!(out, "{} ringleader export {records} --csv", faint("as a table:"))
    }

    fn common(&self) -> Vec<(String, Value)> {
        let pairs: [(&str, Value); 7] = [
            ("definition", self.args.definition.display().to_string().into()),
            ("hash", self.definition.hash.clone().into()),
            ("records", self.records.display().to_string().into()),
            ("seed", self.sweep().seed.into()),
            ("shard", self.shard.to_string().into()),
            ("trials", self.trials().into()),
            ("command", self.command().into()),
        ];
        pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }

    fn cells(&self) -> Value {
        let cell = |(k, cell): (usize, &Cell)| {
            Value::map([
                ("cell", k.into()),
                ("protocol", cell.trial.protocol.clone().into()),
                ("n", cell.trial.n.into()),
                ("params", cell.params.clone().into()),
                ("start", cell.start.clone().into()),
                ("faults", cell.faults.clone().into()),
                ("scheduler", cell.trial.scheduler.name().into()),
                ("limit", cell.limit.into()),
                ("phases", cell.trial.phases.into()),
                ("repeats", cell.repeats.into()),
                ("trials", self.count(k).into()),
            ])
        };
        Value::List(self.sweep().cells.iter().enumerate().map(cell).collect())
    }
}
