//! What is missing of a sweep: its trials on all threads, each kept in the journal as soon as it has finished.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use ringleader::catalogue::Catalogue;
use ringleader::observer::{Observer, Progress};
use ringleader::trial::{Engine, Record};

use crate::drive::{Steps, Stopped, UnderWay};
use crate::error::Error;
use crate::estimate::{Expected, of_sweep};
use crate::ledger::Ledger;
use crate::outcome::Outcome;
use crate::pool::{locked, spread};
use crate::sweep::{Cell, Sweep};

/// A thread takes trials for about this time, where they run one by one, so that all threads end together.
const SOON: Duration = Duration::from_millis(100);
/// And for this, where many run at once: the more trials wait for a free lane, the fewer lanes are idle.
const LATER: Duration = Duration::from_secs(30);
/// The most trials that a thread takes.
const MAX_CHUNK: usize = 1 << 15;
/// A thread writes to the journal no more often than this: trials of a few interactions take less time than a write.
const OFTEN: Duration = Duration::from_millis(1);
/// When it has taken this long, it is worth while to find out how long it will take, and this may take so long.
const LONG: Duration = Duration::from_millis(500);
/// How often the journal is put on disk.
const SYNC: Duration = Duration::from_secs(5);

/// How a sweep stands.
#[derive(Clone, Copy, Debug)]
pub struct Standing<'a> {
    /// How many trials are done, those of before included.
    pub done: u64,
    /// How many were run by now.
    pub ran: u64,
    /// How many interactions those had by now, trials under way included.
    pub steps: u64,
    /// For how long.
    pub elapsed: Duration,
    /// How long it will take; a guess, as soon as there is something to guess from.
    pub left: Option<Duration>,
    /// The cell that was taken last.
    pub cell: &'a Cell,
}

/// What was run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ran {
    /// How many trials.
    pub trials: u64,
    /// How many of them met their limit.
    pub censored: u64,
    /// The time spent in simulation, an average over threads.
    pub simulated: Duration,
    /// Somebody stopped it before all were done.
    pub interrupted: bool,
    /// What was under way then.
    pub under_way: UnderWay,
}

/// Runs the trials that a ledger misses, and keeps each in its journal. `tell` hears now and then how it stands.
///
/// # Errors
/// If a trial is refused, or the journal cannot be written; what was kept is kept.
pub fn run_missing(
    ledger: &mut Ledger<'_>,
    protocols: &Catalogue,
    threads: usize,
    stopped: Stopped<'_>,
    tell: &mut dyn FnMut(&Standing<'_>),
) -> Result<Ran, Error> {
    let ran = run_all(ledger, protocols, threads, stopped, tell, SYNC)?;
    if ran.interrupted {
        ledger.sync()?;
    }
    Ok(ran)
}

/// The same, putting the journal on disk so often.
fn run_all(
    ledger: &mut Ledger<'_>,
    protocols: &Catalogue,
    threads: usize,
    stopped: Stopped<'_>,
    tell: &mut dyn FnMut(&Standing<'_>),
    often: Duration,
) -> Result<Ran, Error> {
    let (before, sweep) = (ledger.done(), ledger.sweep());
    let pending = if ledger.is_complete() { Vec::new() } else { pending(ledger, protocols)? };
    if pending.is_empty() {
        return Ok(Ran::default());
    }
    ledger.begin()?;
    let work = Work::new(sweep, protocols, pending, threads, stopped, ledger);
    let (begin, mut synced) = (Instant::now(), Instant::now());
    spread(
        threads,
        &work.failed,
        || work.next(),
        |_: Option<()>| {
            if synced.elapsed() >= often {
                work.ledger().sync()?;
                synced = Instant::now();
            }
            if is_worth_while(begin.elapsed(), work.stopped) {
                work.foresee();
            }
            tell(&work.standing(before, begin.elapsed()));
            Ok::<(), Error>(())
        },
    )?;
    let trials = work.finished.load(Ordering::Relaxed);
    Ok(Ran {
        trials,
        censored: work.censored.load(Ordering::Relaxed),
        simulated: average(work.busy.load(Ordering::Relaxed), threads),
        interrupted: trials < work.missing,
        under_way: *locked(&work.under_way),
    })
}

/// Whether to find out how long it will take. Whoever stops it waits for its end.
fn is_worth_while(took: Duration, stopped: Stopped<'_>) -> bool {
    took > LONG && !stopped()
}

/// The share of a thread in the nanoseconds of all.
fn average(nanoseconds: u64, threads: usize) -> Duration {
    Duration::from_nanos(nanoseconds / threads as u64)
}

/// What is missing, the longest trials first, so that all threads end at about the same time.
fn pending(ledger: &Ledger<'_>, protocols: &Catalogue) -> Result<Vec<Pending>, Error> {
    let mut pending = Vec::new();
    for (cell, Cell { trial, .. }) in ledger.sweep().cells.iter().enumerate() {
        let trials = ledger.missing(cell);
        if !trials.is_empty() {
            let at_once = protocols.find(&trial.protocol)?.at_once(trial, Engine::Auto)?;
            pending.push(Pending { cell, trials, taken: 0, at_once, chunk: at_once });
        }
    }
    let weight = |one: &Pending| weight(&ledger.sweep().cells[one.cell]);
    pending.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
    Ok(pending)
}

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

/// Cells in the order in which they are run.
struct Queue {
    pending: Vec<Pending>,
    /// The first that is not all taken.
    first: usize,
}

/// What the threads share.
struct Work<'a, 'd> {
    sweep: &'a Sweep,
    protocols: &'a Catalogue,
    threads: usize,
    stopped: Stopped<'a>,
    queue: Mutex<Queue>,
    ledger: Mutex<&'a mut Ledger<'d>>,
    /// How many trials there are, how many are finished and kept, and how many of those met their limit.
    missing: u64,
    finished: AtomicU64,
    censored: AtomicU64,
    /// For each cell, how many trials were to be run, how many are still to be finished, and how many interactions there were.
    asked: Vec<u32>,
    left: Vec<AtomicU32>,
    steps: Vec<AtomicU64>,
    /// What is expected of a trial of each cell, as soon as it is worth while to know.
    expected: OnceLock<Vec<Option<Expected>>>,
    under_way: Mutex<UnderWay>,
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

/// How many of some trials are still to be run, if so many have not finished and all had so many steps. If it is known how many a
/// trial takes, those under way count by their steps.
fn still_to_run(trials: u32, left: u32, steps: u64, each: Option<f64>) -> f64 {
    let left = f64::from(left);
    let begun = each.map_or(left, |each| f64::from(trials) - steps as f64 / each.max(1.0));
    // However far they are, those that have not finished take some time.
    left.min(begun.max(left / 20.0))
}

impl<'a, 'd> Work<'a, 'd> {
    fn new(
        sweep: &'a Sweep,
        protocols: &'a Catalogue,
        pending: Vec<Pending>,
        threads: usize,
        stopped: Stopped<'a>,
        ledger: &'a mut Ledger<'d>,
    ) -> Self {
        let left: Vec<AtomicU32> = sweep.cells.iter().map(|_| 0.into()).collect();
        pending.iter().for_each(|one| left[one.cell].store(one.trials.len() as u32, Ordering::Relaxed));
        let missing = pending.iter().map(|one| one.trials.len() as u64).sum();
        let current = pending.first().map_or(0, |one| one.cell).into();
        Self {
            sweep,
            protocols,
            threads,
            stopped,
            queue: Mutex::new(Queue { pending, first: 0 }),
            ledger: Mutex::new(ledger),
            missing,
            finished: 0.into(),
            censored: 0.into(),
            asked: left.iter().map(|left| left.load(Ordering::Relaxed)).collect(),
            steps: left.iter().map(|_| 0.into()).collect(),
            left,
            expected: OnceLock::new(),
            under_way: Mutex::default(),
            current,
            busy: 0.into(),
            failed: false.into(),
        }
    }

    /// Finds out what is expected of trials, the first time.
    fn foresee(&self) {
        self.expected.get_or_init(|| {
            let left: Vec<u64> = self.left.iter().map(|left| left.load(Ordering::Relaxed).into()).collect();
            of_sweep(self.sweep, &left, self.protocols, LONG)
        });
    }

    /// How many trials are still to be run and were begun with, by what they weigh; trials under way count by their steps.
    fn weights(&self) -> (f64, f64) {
        let (mut left_over, mut all) = (0.0, 0.0);
        for (k, cell) in self.sweep.cells.iter().enumerate() {
            let (left, steps) = (self.left[k].load(Ordering::Relaxed), self.steps[k].load(Ordering::Relaxed));
            let expected = self.expected.get().and_then(|expected| expected[k]);
            let weight = expected.map_or_else(|| weight(cell), |one| one.seconds);
            left_over += weight * still_to_run(self.asked[k], left, steps, expected.map(|one| one.steps));
            all += weight * f64::from(self.asked[k]);
        }
        (left_over, all)
    }

    fn go_on(&self) -> ControlFlow<()> {
        let stopped = (self.stopped)() || self.failed.load(Ordering::Relaxed);
        if stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn ledger(&self) -> MutexGuard<'_, &'a mut Ledger<'d>> {
        locked(&self.ledger)
    }

    /// Takes some trials of the first cell that has any; with its place in the queue.
    fn take(&self) -> Option<(usize, usize, Vec<u32>)> {
        let mut queue = locked(&self.queue);
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
        let one = &mut locked(&self.queue).pending[place];
        if took < if one.at_once > 1 { LATER } else { SOON } / 2 {
            one.chunk = (one.chunk * 2).min(MAX_CHUNK);
        }
    }

    fn next(&self) -> Option<Result<(), Error>> {
        if self.go_on().is_break() {
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
    fn run(&self, number: usize, trials: &[u32]) -> Result<Duration, Error> {
        let cell = &self.sweep.cells[number];
        let seeds: Vec<u64> = trials.iter().copied().map(cell.seeds(self.sweep.seed)).collect();
        let (steps, held) = (Steps::default(), Mutex::default());
        let hand = Hand { work: self, number, cell, trials, seeds: &seeds, steps, held };
        let ran = self.protocols.find(&cell.trial.protocol)?.run(&cell.trial, &seeds, Engine::Auto, &hand);
        let mut held = hand.held.into_inner().unwrap_or_else(PoisonError::into_inner);
        let kept = self.keep(number, &mut held);
        ran?;
        held.failed.map_or(kept, Err).map(|()| held.keeping)
    }

    /// From here on not even `kill -9` makes these trials run again.
    fn keep(&self, cell: usize, held: &mut Held) -> Result<(), Error> {
        // What came of a text that went wrong means nothing.
        if let Some(fault) = self.protocols.find(&self.sweep.cells[cell].trial.protocol)?.fault() {
            return Err(fault.into());
        }
        let (begin, rows) = (Instant::now(), std::mem::take(&mut held.rows));
        if rows.is_empty() || held.failed.is_some() {
            return Ok(());
        }
        self.ledger().add(&rows)?;
        self.left[cell].fetch_sub(rows.len() as u32, Ordering::Relaxed);
        self.finished.fetch_add(rows.len() as u64, Ordering::Relaxed);
        let censored = rows.iter().filter(|row| row.censored).count();
        self.censored.fetch_add(censored as u64, Ordering::Relaxed);
        held.last = Some(Instant::now());
        held.keeping += begin.elapsed();
        Ok(())
    }

    fn standing(&self, before: u64, elapsed: Duration) -> Standing<'_> {
        let (ran, (weight, all)) = (self.finished.load(Ordering::Relaxed), self.weights());
        let left = elapsed.as_secs_f64() * weight / (all - weight).max(f64::MIN_POSITIVE);
        Standing {
            done: before + ran,
            ran,
            steps: self.steps.iter().map(|steps| steps.load(Ordering::Relaxed)).sum(),
            elapsed,
            left: (weight < all).then(|| Duration::try_from_secs_f64(left).unwrap_or(Duration::MAX)),
            cell: &self.sweep.cells[self.current.load(Ordering::Relaxed)],
        }
    }
}

/// What a thread has finished and not yet kept.
#[derive(Default)]
struct Held {
    rows: Vec<Outcome>,
    /// When it kept some last.
    last: Option<Instant>,
    /// How long all the keeping took.
    keeping: Duration,
    /// Why nothing can be kept any more.
    failed: Option<Error>,
}

/// A thread with some trials of a cell.
struct Hand<'a, 'w, 'd> {
    work: &'a Work<'w, 'd>,
    number: usize,
    cell: &'a Cell,
    trials: &'a [u32],
    seeds: &'a [u64],
    steps: Steps,
    held: Mutex<Held>,
}

impl Observer for Hand<'_, '_, '_> {
    /// Engines come here after every window, so right after trials have finished.
    fn progress(&self, progress: Progress<'_>) -> ControlFlow<()> {
        self.steps.tell(progress.steps, &self.work.steps[self.number]);
        let mut held = locked(&self.held);
        if !held.rows.is_empty()
            && held.last.is_none_or(|last| last.elapsed() > OFTEN)
            && let Err(error) = self.work.keep(self.number, &mut held)
        {
            held.failed = Some(error);
            self.work.failed.store(true, Ordering::Relaxed);
        }
        self.work.go_on()
    }

    fn finished(&self, index: usize, record: Record) -> ControlFlow<()> {
        if record.interrupted {
            locked(&self.work.under_way).add(record.steps, self.seeds[index]);
        } else {
            self.steps.finish(record.steps);
            let place = (u32::try_from(self.number).unwrap_or(u32::MAX), self.trials[index]);
            let outcome = Outcome::new(&self.cell.trial, place, self.seeds[index], &record);
            locked(&self.held).rows.push(outcome);
        }
        self.work.go_on()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::Definition;
    use crate::disk::tests::watched;
    use crate::meta::Shard;

    #[test]
    fn trials_under_way_count_by_their_steps() {
        assert_eq!(still_to_run(10, 10, 999, None), 10.0, "nothing is known of their steps");
        assert_eq!(still_to_run(10, 4, 999, None), 4.0);
        assert_eq!(still_to_run(10, 10, 250, Some(100.0)), 7.5);
        assert_eq!(still_to_run(10, 4, 250, Some(100.0)), 4.0, "the others have finished, however short they were");
        assert_eq!(still_to_run(10, 4, 5000, Some(100.0)), 0.2, "a twentieth at least");
        assert_eq!(still_to_run(10, 0, 1000, Some(100.0)), 0.0);
        assert_eq!(still_to_run(10, 10, 3, Some(0.0)), 7.0, "a trial of no steps counts as one of one");
    }

    #[test]
    fn how_long_it_takes_is_found_out_if_it_takes_long_and_goes_on() {
        let longer = LONG + Duration::from_millis(1);
        assert!(is_worth_while(longer, &|| false));
        assert!(!is_worth_while(longer, &|| true) && !is_worth_while(LONG, &|| false));
    }

    #[test]
    fn the_time_of_all_threads_is_shared_among_them() {
        assert_eq!(average(6_000_000_000, 3), Duration::from_secs(2));
        assert_eq!(average(7, 1), Duration::from_nanos(7));
    }

    /// Does something with the work that is to be done for this definition, before any of it is.
    fn with_work(name: &str, text: &str, threads: usize, test: impl FnOnce(&Work<'_, '_>)) {
        let folder = std::env::temp_dir().join(format!("ringleader-work-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let protocols = ringleader_catalogue::Entries::new(&ringleader_catalogue::builtin()).unwrap().catalogue();
        let definition = Definition::parse(text.into(), &protocols).unwrap();
        let mut ledger = Ledger::open(&definition, &protocols, Shard::WHOLE, &folder.join("a.parquet")).unwrap();
        let pending = pending(&ledger, &protocols).unwrap();
        test(&Work::new(&definition.sweep, &protocols, pending, threads, &|| false, &mut ledger));
        drop(ledger);
        std::fs::remove_dir_all(folder).unwrap();
    }

    const TWO_CELLS: &str = "seed = 1\nrepeats = 6\n[[grid]]\nprotocol = \"fj\"\nn = [4, 16]\n";

    /// The weights of rings of 4 and of 16 are 32 and 1024.
    #[test]
    fn the_time_left_is_guessed_from_what_trials_weigh() {
        with_work("left", TWO_CELLS, 1, |work| {
            let standing = || work.standing(5, Duration::from_secs(2));
            assert_eq!(
                (standing().cell.trial.n, standing().done, standing().ran),
                (16, 5, 0),
                "the longest comes first"
            );
            assert_eq!((work.weights(), standing().left), ((6336.0, 6336.0), None), "there is nothing to guess from");
            work.left[1].store(2, Ordering::Relaxed);
            work.steps[0].store(30, Ordering::Relaxed);
            work.steps[1].store(12, Ordering::Relaxed);
            work.finished.store(4, Ordering::Relaxed);
            let after = standing();
            assert_eq!((after.done, after.ran, after.steps, work.weights()), (9, 4, 42, (2240.0, 6336.0)));
            assert_eq!(after.left, Some(Duration::from_secs_f64(2.0 * 2240.0 / 4096.0)));
            let known = |seconds, steps| Some(Expected { seconds, steps });
            work.expected.set(vec![known(1.0, 10.0), known(5.0, 100.0)]).unwrap();
            assert_eq!(work.weights(), (3.0 + 5.0 * 2.0, 6.0 + 5.0 * 6.0));
        });
    }

    /// Two threads share a cell, and the next cell follows when all of it is taken.
    #[test]
    fn trials_are_taken_in_order_and_more_of_them_if_they_are_soon_done() {
        let text = TWO_CELLS.replace("[[grid]]", "scheduler = \"uniform\"\n[[grid]]");
        with_work("taken", &text, 2, |work| {
            let take = || work.take().map(|(_, cell, trials)| (cell, trials));
            assert_eq!(take(), Some((1, vec![0])), "one by one, at first");
            work.adapt(0, SOON / 2);
            assert_eq!(take(), Some((1, vec![1])), "that was not soon");
            work.adapt(0, SOON / 4);
            assert_eq!(take(), Some((1, vec![2, 3])));
            work.adapt(0, SOON / 4);
            assert_eq!(take(), Some((1, vec![4])), "the other thread has its share");
            assert_eq!(take(), Some((1, vec![5])));
            assert_eq!(work.standing(0, Duration::ZERO).cell.trial.n, 16);
            assert_eq!(take(), Some((0, vec![0])), "another cell, and one by one again");
            assert_eq!(work.standing(0, Duration::ZERO).cell.trial.n, 4);
            assert_eq!((0..6).filter_map(|_| take()).count(), 5);
        });
    }

    /// The journal reaches the disk while a sweep runs and when it is stopped, and goes away after the records are on disk.
    #[test]
    fn a_sweep_forces_its_journal_and_then_its_records_to_disk() {
        let folder = std::env::temp_dir().join(format!("ringleader-missing-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let text = "seed = 1\nrepeats = 3\n[[grid]]\nprotocol = \"fj\"\nn = 4\n";
        let entries = ringleader_catalogue::Entries::new(&ringleader_catalogue::builtin()).unwrap();
        let protocols = entries.catalogue();
        let definition = Definition::parse(text.into(), &protocols).unwrap();
        let records = folder.join("a.parquet");
        let open = || Ledger::open(&definition, &protocols, Shard::WHOLE, &records).unwrap();
        let count = |done: &[(String, String)], what: &str, name: &str| {
            done.iter().filter(|(one, of)| one == what && of == name).count()
        };
        let stopped = watched(|| {
            assert!(run_missing(&mut open(), &protocols, 1, &|| true, &mut |_| ()).unwrap().interrupted);
        });
        assert_eq!(count(&stopped, "force", "a.parquet.journal"), 1, "stopped: {stopped:?}");
        let mut ledger = open();
        let ran = watched(|| {
            run_all(&mut ledger, &protocols, 1, &|| false, &mut |_| (), Duration::ZERO).unwrap();
        });
        assert!(count(&ran, "force", "a.parquet.journal") > 0, "running: {ran:?}");
        let finished = watched(|| ledger.finish().unwrap());
        let order: Vec<&str> = finished.iter().map(|(what, _)| what.as_str()).collect();
        assert_eq!(order, ["force", "rename", "force", "remove"], "{finished:?}");
        assert_eq!(count(&finished, "remove", "a.parquet.journal"), 1);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
