//! Many trials over threads. What comes out does not depend on their number.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::HumanDuration;
use ringleader::lab::{batch_size, run_batch};
use ringleader::stats::Observed;
use ringleader::trial::{Record, Trial};

use crate::progress::{Bar, interrupted};
use crate::stop::Stop;
use crate::text::ratio;

/// The most seeds that a thread takes at once, in multiples of what its engine runs at once.
const MAX_CHUNK: u64 = 64;
/// How many times a thread comes for seeds at least, if there are enough, so that all end at about the same time.
const ROUNDS: u64 = 64;

/// What is kept of a finished trial.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Finished {
    pub(crate) seed: u64,
    pub(crate) steps: u64,
    pub(crate) safe: Option<u64>,
    pub(crate) last_output_change: u64,
    pub(crate) censored: bool,
    /// From the last fault to the next safe step, if the trial has faults.
    pub(crate) recovery: Option<Observed>,
}

impl Finished {
    fn new(trial: &Trial, seed: u64, record: &Record) -> Self {
        Self {
            seed,
            steps: record.steps,
            safe: record.safe,
            last_output_change: record.last_output_change,
            censored: record.censored,
            recovery: recovery(trial, record),
        }
    }
}

/// Nothing is known of a recovery from a last fault that did not strike before the limit.
fn recovery(trial: &Trial, record: &Record) -> Option<Observed> {
    let all_struck = record.faults.len() == trial.faults.len();
    let last = record.faults.last().filter(|_| all_struck);
    let known = last.map(|struck| match struck.safe {
        Some(safe) => Observed::exactly(safe - struck.step),
        None => Observed::at_least(record.steps - struck.step),
    });
    (!trial.faults.is_empty()).then(|| known.unwrap_or(Observed::at_least(0)))
}

/// As many threads as cores.
pub(crate) fn all_cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Lets threads make results until there are none left, and takes them in here, one by one; `None` is the time in between.
/// After the first failure `failed` is true, and what is still made is taken in.
pub(crate) fn spread<T: Send>(
    threads: usize,
    failed: &AtomicBool,
    make: impl Fn() -> Option<Result<T, Stop>> + Sync,
    mut take: impl FnMut(Option<T>) -> Result<(), Stop>,
) -> Result<(), Stop> {
    thread::scope(|scope| {
        let (sender, results) = channel();
        for _ in 0..threads {
            let (make, sender) = (&make, sender.clone());
            let work = move || while make().is_some_and(|made| sender.send(made).is_ok()) {};
            let started = thread::Builder::new().spawn_scoped(scope, work);
            started.map_err(|error| {
                failed.store(true, Ordering::Relaxed);
                Stop::Bad(format!("cannot start {threads} threads: {error}"))
            })?;
        }
        drop(sender);
        let mut outcome = Ok(());
        loop {
            let taken = match results.recv_timeout(Duration::from_millis(50)) {
                Ok(made) => made.and_then(|made| take(Some(made))),
                Err(RecvTimeoutError::Timeout) => take(None),
                Err(RecvTimeoutError::Disconnected) => return outcome,
            };
            if taken.is_err() && outcome.is_ok() {
                failed.store(true, Ordering::Relaxed);
                outcome = taken;
            }
        }
    })
}

/// Runs `trials` trials with seeds from the trial's own on, and gives them in that order. After Ctrl-C some are missing.
pub(crate) fn run_all(trial: &Trial, trials: u64, threads: usize, quiet: bool) -> Result<Vec<Finished>, Stop> {
    let chunk = chunk(trials, threads as u64, batch_size(trial)? as u64);
    let job = Job { trial, trials, chunk, next: 0.into(), done: 0.into(), failed: false.into() };
    let (mut bar, begin, mut finished) = (Bar::new(trials, quiet), Instant::now(), Vec::new());
    spread(
        threads,
        &job.failed,
        || job.next_chunk(),
        |chunk| {
            finished.extend(chunk.into_iter().flatten());
            let done = job.done.load(Ordering::Relaxed);
            // The threads look for Ctrl-C themselves, and still hand in what they have.
            let _ = bar.show(done, || pace(done, trials, begin.elapsed()));
            Ok(())
        },
    )?;
    finished.sort_unstable_by_key(|one: &Finished| one.seed.wrapping_sub(trial.seed));
    Ok(finished)
}

/// How many seeds a thread takes at once: few where trials run one by one, so that all threads end together; where many run at
/// once, enough to keep all lanes busy.
fn chunk(trials: u64, threads: u64, at_once: u64) -> u64 {
    if at_once == 1 {
        (trials / (ROUNDS * threads)).clamp(1, MAX_CHUNK)
    } else {
        trials.div_ceil(threads).clamp(1, MAX_CHUNK * at_once)
    }
}

/// How fast it goes, and how long it will take.
fn pace(done: u64, trials: u64, elapsed: Duration) -> String {
    if done == 0 {
        return "trials".into();
    }
    let each = elapsed.as_secs_f64() / done as f64;
    let left = Duration::try_from_secs_f64(each * trials.saturating_sub(done) as f64).unwrap_or(Duration::MAX);
    format!("trials, {}/s, {} left", ratio(1.0 / each.max(1e-9)), HumanDuration(left))
}

/// What the threads share.
struct Job<'a> {
    trial: &'a Trial,
    trials: u64,
    chunk: u64,
    /// The first trial that nobody has taken.
    next: AtomicU64,
    /// How many are finished.
    done: AtomicU64,
    /// A trial was refused, and so will be the others.
    failed: AtomicBool,
}

impl Job<'_> {
    fn stopped(&self) -> bool {
        interrupted() || self.failed.load(Ordering::Relaxed)
    }

    /// The next few trials; `None` if none are left or somebody gave up.
    fn next_chunk(&self) -> Option<Result<Vec<Finished>, Stop>> {
        if self.stopped() {
            return None;
        }
        let first = self.next.fetch_add(self.chunk, Ordering::Relaxed);
        (first < self.trials).then(|| self.run(first, (first + self.chunk).min(self.trials)))
    }

    fn run(&self, first: u64, end: u64) -> Result<Vec<Finished>, Stop> {
        let seeds = (first..end).map(|k| self.trial.seed.wrapping_add(k));
        let records = run_batch(self.trial, seeds, &|| self.stopped(), &mut |_, _| {
            self.done.fetch_add(1, Ordering::Relaxed);
            ControlFlow::Continue(())
        })?;
        Ok(records.iter().map(|(seed, record)| Finished::new(self.trial, *seed, record)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_wrap_around_in_order() {
        let trial = Trial { phases: false, ..Trial::new("ppl", 4, u64::MAX - 1) };
        let finished = run_all(&trial, 5, 3, true).unwrap();
        let seeds: Vec<u64> = finished.iter().map(|one| one.seed).collect();
        assert_eq!(seeds, [u64::MAX - 1, u64::MAX, 0, 1, 2]);
        assert_eq!(finished, run_all(&trial, 5, 1, true).unwrap());
    }

    #[test]
    fn what_one_trial_refuses_ends_all() {
        let trial = Trial { n: 2, ..Trial::new("ppl", 4, 0) };
        assert!(matches!(run_all(&trial, 1000, 2, true), Err(Stop::Bad(message)) if message.contains("n = 2")));
    }

    #[test]
    fn recoveries_are_those_of_the_last_fault() {
        let fault = |text: &str| text.parse().unwrap();
        let mut trial = Trial { phases: false, ..Trial::new("ppl", 4, 0) };
        trial.faults = vec![fault("agents=4,at=safe"), fault("agents=4,at=safe")];
        let known = run_all(&trial, 9, 2, true).unwrap();
        assert!(known.iter().all(|one| one.recovery.is_some_and(|recovery| recovery.exact)), "{known:?}");
        assert!(known.iter().any(|one| one.recovery.is_some_and(|recovery| recovery.value > 0)), "{known:?}");
        trial.limit = Some(0);
        let unknown = run_all(&trial, 1, 1, true).unwrap();
        assert_eq!(unknown[0].recovery, Some(Observed::at_least(0)), "no fault has struck");
        trial.faults = vec![fault("list=0+1+2+3,at=0")];
        trial.limit = Some(3);
        let cut = run_all(&trial, 1, 1, true).unwrap();
        assert_eq!((cut[0].recovery, cut[0].censored), (Some(Observed::at_least(3)), true));
    }
}
