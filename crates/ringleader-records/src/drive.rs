//! Many trials over threads. What comes out does not depend on their number.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use ringleader::catalogue::AnyProtocol;
use ringleader::observer::{Observer, Progress};
use ringleader::trial::{Engine, Record, Trial};

use crate::error::Error;
use crate::outcome::Outcome;
use crate::pool::{locked, spread};

#[cfg(feature = "sweeps")]
mod missing;
#[cfg(feature = "sweeps")]
pub use missing::{Ran, Standing, run_missing};

/// The most seeds that a thread takes at once, in multiples of what its engine runs at once.
const MAX_CHUNK: u64 = 64;
/// How many times a thread comes for seeds at least, if there are enough, so that all end at about the same time.
const ROUNDS: u64 = 64;

/// Asked now and then, by all threads, whether to stop.
pub type Stopped<'a> = &'a (dyn Fn() -> bool + Sync);

/// How trials stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progressed {
    /// How many are finished.
    pub finished: u64,
    /// The interactions of all trials, those under way included.
    pub steps: u64,
}

/// Trials that were under way when somebody stopped them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnderWay {
    /// How many.
    pub trials: u64,
    /// How many steps the farthest of them had done, and its seed.
    pub farthest: Option<(u64, u64)>,
}

impl UnderWay {
    fn add(&mut self, steps: u64, seed: u64) {
        self.trials += 1;
        self.farthest = self.farthest.max(Some((steps, seed)));
    }
}

/// Counts the steps of a thread that runs one batch of trials after the other, and adds them to those of all threads.
#[derive(Default)]
struct Steps {
    finished: AtomicU64,
    told: AtomicU64,
}

impl Steps {
    fn finish(&self, steps: u64) {
        self.finished.fetch_add(steps, Ordering::Relaxed);
    }

    fn tell(&self, under_way: u64, all: &AtomicU64) {
        let steps = self.finished.load(Ordering::Relaxed) + under_way;
        let told = self.told.fetch_max(steps, Ordering::Relaxed);
        all.fetch_add(steps.saturating_sub(told), Ordering::Relaxed);
    }
}

/// Runs `trials` trials with seeds from the trial's own on. `take` is given them as they end, in any order, and hears how they stand;
/// in between it is given none. If somebody stops it, some are missing: those that were under way are told.
///
/// # Errors
/// If the trial is refused, or the engine cannot do it.
pub fn run_all(
    protocol: &dyn AnyProtocol,
    trial: &Trial,
    trials: u64,
    threads: usize,
    engine: Engine,
    stopped: Stopped<'_>,
    take: &mut dyn FnMut(Vec<Outcome>, Progressed),
) -> Result<UnderWay, Error> {
    if u32::try_from(trials).is_err() {
        return Err(Error::new(format!("trials = {trials}: allowed is a whole number of at most {}", u32::MAX)));
    }
    let chunk = chunk(trials, threads as u64, protocol.at_once(trial, engine)? as u64);
    let (zero, failed) = (|| AtomicU64::new(0), AtomicBool::new(false));
    let (next, done, steps, under_way) = (zero(), zero(), zero(), Mutex::default());
    let job = Job { protocol, trial, trials, engine, chunk, next, done, steps, under_way, failed, stopped };
    spread(
        threads,
        &job.failed,
        || job.next_chunk(),
        |chunk: Option<Vec<Outcome>>| {
            let (finished, steps) = (job.done.load(Ordering::Relaxed), job.steps.load(Ordering::Relaxed));
            take(chunk.unwrap_or_default(), Progressed { finished, steps });
            Ok::<(), Error>(())
        },
    )?;
    Ok(job.under_way.into_inner().unwrap_or_else(PoisonError::into_inner))
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

/// What the threads share.
struct Job<'a> {
    protocol: &'a dyn AnyProtocol,
    trial: &'a Trial,
    trials: u64,
    engine: Engine,
    chunk: u64,
    /// The first trial that nobody has taken.
    next: AtomicU64,
    /// How many are finished.
    done: AtomicU64,
    /// The interactions of all trials.
    steps: AtomicU64,
    under_way: Mutex<UnderWay>,
    /// A trial was refused, and so will be the others.
    failed: AtomicBool,
    stopped: Stopped<'a>,
}

impl Job<'_> {
    fn go_on(&self) -> ControlFlow<()> {
        let stopped = (self.stopped)() || self.failed.load(Ordering::Relaxed);
        if stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// The next few trials; `None` if none are left or somebody gave up.
    fn next_chunk(&self) -> Option<Result<Vec<Outcome>, Error>> {
        if self.go_on().is_break() {
            return None;
        }
        let first = self.next.fetch_add(self.chunk, Ordering::Relaxed);
        (first < self.trials).then(|| self.run(first, (first + self.chunk).min(self.trials)))
    }

    fn run(&self, first: u64, end: u64) -> Result<Vec<Outcome>, Error> {
        let seeds: Vec<u64> = (first..end).map(|k| self.trial.seed.wrapping_add(k)).collect();
        let hand = Hand { job: self, first, seeds: &seeds, steps: Steps::default(), outcomes: Mutex::default() };
        self.protocol.run(self.trial, &seeds, self.engine, &hand)?;
        Ok(hand.outcomes.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What a thread has finished.
struct Hand<'a> {
    job: &'a Job<'a>,
    first: u64,
    seeds: &'a [u64],
    steps: Steps,
    outcomes: Mutex<Vec<Outcome>>,
}

impl Observer for Hand<'_> {
    fn progress(&self, progress: Progress<'_>) -> ControlFlow<()> {
        self.steps.tell(progress.steps, &self.job.steps);
        self.job.go_on()
    }

    fn finished(&self, index: usize, record: Record) -> ControlFlow<()> {
        if record.interrupted {
            locked(&self.job.under_way).add(record.steps, self.seeds[index]);
        } else {
            self.steps.finish(record.steps);
            let trial = u32::try_from(self.first + index as u64).unwrap_or(u32::MAX);
            let outcome = Outcome::new(self.job.trial, (0, trial), self.seeds[index], &record);
            locked(&self.outcomes).push(outcome);
            self.job.done.fetch_add(1, Ordering::Relaxed);
        }
        self.job.go_on()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader::params::Params;
    use ringleader::stats::Observed;

    fn all(trial: &Trial, trials: u64, threads: usize) -> Result<Vec<Outcome>, Error> {
        let entries = ringleader_catalogue::Entries::new(&ringleader_catalogue::builtin()).unwrap();
        let protocols = entries.catalogue();
        let mut all = Vec::new();
        let mut take = |some, _| all.extend(some);
        run_all(protocols.find("ppl")?, trial, trials, threads, Engine::Auto, &|| false, &mut take)?;
        all.sort_unstable_by_key(|one: &Outcome| one.trial);
        Ok(all)
    }

    #[test]
    fn seeds_wrap_around_in_order() {
        let trial = Trial { phases: false, ..Trial::new("ppl", 4, u64::MAX - 1) };
        let finished = all(&trial, 5, 3).unwrap();
        let seeds: Vec<u64> = finished.iter().map(|one| one.seed).collect();
        assert_eq!(seeds, [u64::MAX - 1, u64::MAX, 0, 1, 2]);
        assert_eq!(finished, all(&trial, 5, 1).unwrap());
    }

    #[test]
    fn what_one_trial_refuses_ends_all() {
        let trial = Trial { n: 2, ..Trial::new("ppl", 4, 0) };
        assert!(all(&trial, 1000, 2).is_err_and(|error| error.to_string().contains("n = 2")));
    }

    #[test]
    fn recoveries_are_those_of_the_last_fault() {
        let fault = |text: &str| text.parse().unwrap();
        let mut trial = Trial { phases: false, ..Trial::new("ppl", 4, 0) };
        trial.faults = vec![fault("agents=4,at=safe"), fault("agents=4,at=safe")];
        let known = all(&trial, 9, 2).unwrap();
        assert!(known.iter().all(|one| one.recovery().exact), "{known:?}");
        assert!(known.iter().any(|one| one.recovery().value > 0), "{known:?}");
        trial.limit = Some(0);
        let unknown = all(&trial, 1, 1).unwrap();
        assert_eq!(unknown[0].recovery(), Observed::at_least(0), "no fault has struck");
        trial.faults = vec![fault("list=0+1+2+3,at=0")];
        trial.limit = Some(3);
        let cut = all(&trial, 1, 1).unwrap();
        assert_eq!((cut[0].recovery(), cut[0].censored), (Observed::at_least(3), true));
    }

    #[test]
    fn threads_come_often_for_trials_unless_many_run_at_once() {
        let one_by_one = |trials| chunk(trials, 2, 1);
        assert_eq!([1, 128, 255, 256, 8192, 1 << 20].map(one_by_one), [1, 1, 1, 2, 64, 64]);
        let at_once = |trials| chunk(trials, 2, 64);
        assert_eq!([0, 1, 99, 8192, 8194, 1 << 20].map(at_once), [1, 1, 50, 4096, 4096, 4096]);
    }

    /// Of the trials of a thread those that have finished count as a whole; steps are told once.
    #[test]
    fn steps_are_those_of_finished_trials_and_of_those_under_way() {
        let (steps, all) = (Steps::default(), AtomicU64::new(1000));
        let told = |under_way| {
            steps.tell(under_way, &all);
            all.load(Ordering::Relaxed)
        };
        assert_eq!([told(3), told(5)], [1003, 1005]);
        steps.finish(8);
        assert_eq!([told(0), told(0), told(4)], [1008, 1008, 1012]);
    }

    #[test]
    fn who_waits_hears_how_trials_stand() {
        let entries = ringleader_catalogue::Entries::new(&ringleader_catalogue::builtin()).unwrap();
        let (protocols, trial) = (entries.catalogue(), Trial::new("ppl", 4, 5));
        let (zero, failed) = (|| AtomicU64::new(0), AtomicBool::new(false));
        let (next, done, steps, under_way) = (zero(), zero(), zero(), Mutex::default());
        let (protocol, engine, stopped) = (protocols.find("ppl").unwrap(), Engine::Stepper, &|| false);
        let (trial, trials, chunk) = (&trial, 9, 9);
        let job = Job { protocol, trial, trials, engine, chunk, next, done, steps, under_way, failed, stopped };
        let (seeds, outcomes) = ([5, 6, 7], Mutex::default());
        let hand = Hand { job: &job, first: 2, seeds: &seeds, steps: Steps::default(), outcomes };
        let record = |steps, interrupted| Record {
            limit: 99,
            steps,
            safe: None,
            censored: true,
            interrupted,
            last_output_change: 0,
            phases: Vec::new(),
            faults: Vec::new(),
            coins_read: 0,
        };
        assert!(hand.finished(1, record(30, false)).is_continue());
        assert!(hand.finished(2, record(40, true)).is_continue());
        assert!(hand.progress(Progress::of(12)).is_continue());
        assert_eq!((job.done.load(Ordering::Relaxed), job.steps.load(Ordering::Relaxed)), (1, 42));
        assert_eq!(*locked(&job.under_way), UnderWay { trials: 1, farthest: Some((40, 7)) });
        let kept: Vec<(u32, u64)> = locked(&hand.outcomes).iter().map(|one| (one.trial, one.seed)).collect();
        assert_eq!(kept, [(3, 6)]);
        job.failed.store(true, Ordering::Relaxed);
        assert!(hand.progress(Progress::of(12)).is_break() && hand.finished(0, record(1, false)).is_break());
        assert!(job.next_chunk().is_none());
    }

    /// Somebody stops it while trials are under way: those are not among the finished ones.
    #[test]
    fn what_was_stopped_is_not_finished() {
        let entries = ringleader_catalogue::Entries::new(&ringleader_catalogue::builtin()).unwrap();
        let (asked, protocols) = (AtomicU64::new(0), entries.catalogue());
        let stopped = || asked.fetch_add(1, Ordering::Relaxed) > 300;
        // So short that some end, whichever thread is asked how often.
        let params = Params::default().with("kappa", 1);
        let trial = Trial { params, limit: Some(1_000_000_000), ..Trial::new("ppl", 4, 1) };
        let ppl = protocols.find("ppl").unwrap();
        let mut some = Vec::new();
        run_all(ppl, &trial, 1_000_000, 1, Engine::Stepper, &stopped, &mut |more, _| some.extend(more)).unwrap();
        assert!(!some.is_empty() && some.len() < 1_000_000, "{}", some.len());
        assert!(some.iter().all(|one| one.safe == Some(one.steps) && !one.censored), "{some:?}");
    }
}
