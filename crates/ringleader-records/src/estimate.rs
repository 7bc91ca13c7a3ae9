//! How long trials will take: a few trials on small rings, how such times grow with n, and the speed measured for a moment. Guesses,
//! for progress bars, dry runs and time limits; no result depends on them.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use ringleader::catalogue::AnyProtocol;
#[cfg(feature = "sweeps")]
use ringleader::catalogue::Catalogue;
use ringleader::observer::{Observer, Progress};
use ringleader::stats::fit::Scale;
use ringleader::trial::{Engine, Initial, Record, Trial};

use crate::pool::locked;
#[cfg(feature = "sweeps")]
use crate::sweep::Sweep;

/// The smallest ring that is tried; others are twice, four times, ... as large.
const SMALLEST: usize = 8;
/// As many trials of each size as lanes of the widest words make no slower, at most.
const TRIALS: usize = 128;
/// A growth is taken for one of those that papers claim, if their exponents are no further apart than this.
const NEAR: f64 = 0.35;

/// How the number of steps grows with n, from one size on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Law {
    n: f64,
    steps: f64,
    growth: Growth,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Growth {
    Claimed(Scale),
    Power(f64),
}

impl Growth {
    fn at(self, n: f64) -> f64 {
        match self {
            Self::Claimed(scale) => scale.at(n),
            Self::Power(exponent) => n.powf(exponent),
        }
    }

    /// The growth that leads from some steps at one size to those at another.
    fn between(from: (f64, f64), to: (f64, f64)) -> Self {
        let exponent = (to.1 / from.1).ln() / (to.0 / from.0).ln();
        let off = |scale: &Scale| ((scale.at(to.0) / scale.at(from.0)).ln() / (to.0 / from.0).ln() - exponent).abs();
        let nearest = Scale::ALL.into_iter().min_by(|a, b| off(a).total_cmp(&off(b)));
        let near = nearest.filter(|scale| off(scale) <= NEAR);
        near.map_or(Self::Power(exponent.max(0.0)), Self::Claimed)
    }
}

impl Law {
    /// The law of trials like this one, whatever their n, from those that can be run within this time; `None` if none can.
    #[must_use]
    pub fn of(protocol: &dyn AnyProtocol, trial: &Trial, within: Duration) -> Option<Self> {
        if matches!(trial.from, Some(Initial::Given(_))) {
            return None;
        }
        let (until, mut found, mut size) = (Instant::now() + within, Vec::new(), SMALLEST);
        loop {
            let n = size.min(trial.n);
            let small = Trial { n, phases: false, limit: None, ..trial.clone() };
            match mean(protocol, &small, until) {
                Some(steps) => found.push((n as f64, steps)),
                // Small rings may be too small for these parameters or faults; long ones take too long.
                None if found.is_empty() && Instant::now() < until => {}
                None => return Self::through(&found),
            }
            if n == trial.n {
                return Self::through(&found);
            }
            size *= 2;
        }
    }

    /// The law through what was found, from the last but two to the last; two of them are too near to tell growths apart.
    fn through(found: &[(f64, f64)]) -> Option<Self> {
        let (&(n, steps), before) = found.split_last()?;
        let before = before.get(before.len().saturating_sub(2)).filter(|one| one.1 > 0.0 && steps > 0.0);
        let growth = before.map_or(Growth::Claimed(Scale::N2LogN), |&before| Growth::between(before, (n, steps)));
        Some(Self { n, steps, growth })
    }

    /// How many steps a trial takes on a ring of so many agents, on average.
    #[must_use]
    pub fn at(&self, n: usize) -> f64 {
        self.steps * self.growth.at(n as f64) / self.growth.at(self.n)
    }
}

/// The mean number of steps of some trials, if all of them end in time.
fn mean(protocol: &dyn AnyProtocol, trial: &Trial, until: Instant) -> Option<f64> {
    let trials = protocol.at_once(trial, Engine::Auto).ok()?.clamp(16, TRIALS);
    let seeds: Vec<u64> = (0..trials as u64).collect();
    let watch = Watch { until, told: Mutex::default() };
    protocol.run(trial, &seeds, Engine::Auto, &watch).ok()?;
    let told = locked(&watch.told);
    (told.ended == trials).then(|| told.finished as f64 / trials as f64)
}

/// How many steps a thread does in a second, of so many trials like this one; measured for this long, or less if they end.
#[must_use]
pub fn speed(protocol: &dyn AnyProtocol, trial: &Trial, engine: Engine, trials: u64, within: Duration) -> Option<f64> {
    let at_once = protocol.at_once(trial, engine).ok()? as u64;
    let seeds: Vec<u64> = (0..trials.clamp(1, at_once)).collect();
    let begin = Instant::now();
    let watch = Watch { until: begin + within, told: Mutex::default() };
    protocol.run(trial, &seeds, engine, &watch).ok()?;
    let told = locked(&watch.told);
    let steps = told.finished.max(told.steps) as f64;
    (steps > 0.0).then(|| steps / begin.elapsed().as_secs_f64().max(1e-9))
}

/// What is expected of a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    /// How many steps.
    pub steps: f64,
    /// How long a thread is busy with it, beside others.
    pub seconds: f64,
}

/// What is expected of a trial of each cell of a sweep, of which there are so many to run; found within about this time.
#[cfg(feature = "sweeps")]
#[must_use]
pub fn of_sweep(sweep: &Sweep, counts: &[u64], protocols: &Catalogue, within: Duration) -> Vec<Option<Expected>> {
    // Cells that differ in n alone share a law, and the speed of the largest of them.
    let mut groups: Vec<(Trial, Vec<usize>)> = Vec::new();
    for (k, cell) in sweep.cells.iter().enumerate().filter(|(k, _)| counts[*k] > 0) {
        let kind = Trial { n: 0, ..cell.trial.clone() };
        match groups.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, cells)) => cells.push(k),
            None => groups.push((kind, vec![k])),
        }
    }
    let (share, mut expected) = (within / (2 * groups.len().max(1) as u32), vec![None; sweep.cells.len()]);
    for (_, cells) in groups {
        let Some(largest) = cells.iter().copied().max_by_key(|&k| sweep.cells[k].trial.n) else { continue };
        let trial = &sweep.cells[largest].trial;
        let Ok(protocol) = protocols.find(&trial.protocol) else { continue };
        // What goes wrong with a text on a small ring is no fault of the sweep: another copy of it runs there.
        let text = protocol.about().text.as_deref();
        let copy = text.and_then(|text| protocols.with_text(&trial.protocol, text).ok());
        let Ok(protocol) = copy.as_ref().unwrap_or(protocols).find(&trial.protocol) else { continue };
        let speed = speed(protocol, trial, Engine::Auto, counts[largest], share);
        let Some((law, speed)) = Law::of(protocol, trial, share).zip(speed) else { continue };
        for k in cells {
            let steps = law.at(sweep.cells[k].trial.n).min(sweep.cells[k].setup.limit as f64);
            expected[k] = Some(Expected { steps, seconds: steps / speed });
        }
    }
    expected
}

/// Breaks off when the time is over.
struct Watch {
    until: Instant,
    told: Mutex<Told>,
}

#[derive(Default)]
struct Told {
    /// Trials that ended, and the steps of all that were run.
    ended: usize,
    finished: u64,
    /// The steps that were heard of.
    steps: u64,
}

impl Observer for Watch {
    fn progress(&self, progress: Progress<'_>) -> ControlFlow<()> {
        let mut told = locked(&self.told);
        told.steps = told.steps.max(told.finished + progress.steps);
        if Instant::now() < self.until { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn finished(&self, _: usize, record: Record) -> ControlFlow<()> {
        let mut told = locked(&self.told);
        told.ended += usize::from(!record.interrupted);
        told.finished += record.steps;
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    fn law(protocol: &str, n: usize, change: impl Fn(&mut Trial)) -> Option<Law> {
        let entries = ringleader_catalogue::Entries::new(&ringleader_catalogue::builtin()).unwrap();
        let mut trial = Trial::new(protocol, n, 7);
        change(&mut trial);
        Law::of(entries.catalogue().find(protocol).unwrap(), &trial, LONG)
    }

    #[test]
    fn growths_are_told_apart() {
        let of = |from: f64, to: f64| Growth::between((16.0, from), (64.0, to));
        for scale in Scale::ALL {
            assert_eq!(of(scale.at(16.0), scale.at(64.0)), Growth::Claimed(scale));
        }
        assert_eq!(of(1.0, 1024.0), Growth::Power(5.0));
        assert_eq!(of(7.0, 7.0), Growth::Power(0.0));
    }

    /// As the records of the laboratory have them: 42 n^2 log2 n and 5.5 n^2, within a factor of two; what is safe takes no time.
    #[test]
    fn what_is_known_is_foretold() {
        let near = |found: f64, known: f64| found > known / 2.0 && found < known * 2.0;
        let ppl = law("ppl", 32, |_| ()).unwrap();
        assert!(near(ppl.at(1024), 42.0 * 1024.0 * 1024.0 * 10.0), "{ppl:?}");
        let ysm = law("ysm", 256, |_| ()).unwrap();
        assert!(near(ysm.at(4096), 5.5 * 4096.0 * 4096.0), "{ysm:?}");
        let safe = law("ppl", 32, |trial| trial.from = Some(Initial::Named("safe".into()))).unwrap();
        assert_eq!(safe.at(1 << 20), 0.0);
    }

    /// Ten agents cannot be struck on a ring of eight.
    #[test]
    fn rings_that_are_too_small_are_passed_over() {
        let struck = |trial: &mut Trial| trial.faults = vec!["agents=10,at=safe".parse().unwrap()];
        assert!(law("ysm", 32, struck).is_some_and(|law| law.n == 32.0));
        assert_eq!(law("ysm", 8, struck), None);
        assert_eq!(law("ysm", 8, |trial| trial.from = Some(Initial::Given(Vec::new()))), None);
    }

    #[test]
    fn a_speed_is_measured_in_time_or_less() {
        let entries = ringleader_catalogue::Entries::new(&ringleader_catalogue::builtin()).unwrap();
        let catalogue = entries.catalogue();
        let ppl = catalogue.find("ppl").unwrap();
        let measured = |trial: &Trial, within| speed(ppl, trial, Engine::Auto, 100, within);
        assert!(measured(&Trial::new("ppl", 1 << 20, 1), Duration::ZERO).is_none_or(|speed| speed > 0.0));
        assert!(measured(&Trial { phases: false, ..Trial::new("ppl", 8, 1) }, LONG).is_some_and(|speed| speed > 0.0));
        assert_eq!(measured(&Trial::new("ppl", 2, 1), LONG), None);
    }
}
