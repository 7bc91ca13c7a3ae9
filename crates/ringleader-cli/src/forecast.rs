//! How long a run will take, found out and told while it runs: steps expected of it, by how those of smaller rings grow, and the speed
//! that it has.

use std::io::Write;
use std::time::{Duration, Instant};

use ringleader::catalogue::AnyProtocol;
use ringleader::trial::Trial;
use ringleader_records::drive::Progressed;
use ringleader_records::estimate::Law;

use crate::text::{alarm, commas, duration, short};

/// What takes less time needs no forecast; afterwards one is made within about as long.
const SOON: Duration = Duration::from_millis(300);
/// What takes longer is told, also where there is no bar, as soon as its speed is more than that of its beginning.
const LONG: f64 = 600.0;
const SURE: Duration = Duration::from_secs(4);
/// A speed is that of the last second or two: some runs begin slowly.
const RECENT: Duration = Duration::from_secs(1);

/// What is expected of trials under way.
pub(crate) struct Forecast<'a> {
    protocol: &'a dyn AnyProtocol,
    trial: &'a Trial,
    trials: u64,
    limit: u64,
    quiet: bool,
    begin: Instant,
    /// The steps of a trial, once they were asked for.
    expected: Option<Option<f64>>,
    told: bool,
    /// Where it was two looks ago, and at the last one.
    marks: [(Instant, u64); 2],
}

impl<'a> Forecast<'a> {
    pub(crate) fn new(protocol: &'a dyn AnyProtocol, trial: &'a Trial, trials: u64, limit: u64, quiet: bool) -> Self {
        let begin = Instant::now();
        let (expected, told, marks) = (None, false, [(begin, 0); 2]);
        Self { protocol, trial, trials, limit, quiet, begin, expected, told, marks }
    }

    /// Steps a second, of late.
    fn rate(&mut self, steps: u64) -> f64 {
        let now = Instant::now();
        if now - self.marks[1].0 > RECENT {
            self.marks = [self.marks[1], (now, steps)];
        }
        let (then, before) = self.marks[0];
        steps.saturating_sub(before) as f64 / (now - then).as_secs_f64().max(1e-9)
    }

    /// Which part of the work is done, and words on how fast it goes and how long it will take.
    pub(crate) fn look(&mut self, done: Progressed) -> (f64, String) {
        if self.quiet || self.begin.elapsed() < SOON {
            return (done.finished as f64 / self.trials as f64, String::new());
        }
        let (protocol, trial, limit) = (self.protocol, self.trial, self.limit as f64);
        let law = || Law::of(protocol, trial, SOON).map(|law| law.at(trial.n).min(limit));
        let expected = *self.expected.get_or_insert_with(law);
        let rate = self.rate(done.steps);
        let speed = format!(", {} steps/s", short(rate));
        let Some(all) = expected.map(|steps| steps * self.trials as f64).filter(|_| rate > 0.0) else {
            return (done.finished as f64 / self.trials as f64, speed);
        };
        let left = (all - done.steps as f64) / rate;
        self.warn(all, rate, left);
        // Beyond what was expected nothing is known.
        let left =
            if left > 0.0 { format!(", about {} left", duration(left)) } else { ", longer than expected".into() };
        ((done.steps as f64 / all.max(1.0)).min(0.99), speed + &left)
    }

    /// Says once that it will take long.
    fn warn(&mut self, steps: f64, rate: f64, left: f64) {
        if left < LONG || self.begin.elapsed() < SURE || std::mem::replace(&mut self.told, true) {
            return;
        }
        let trials = if self.trials == 1 { String::new() } else { format!(" for {} trials", commas(self.trials)) };
        let (left, steps, rate) = (duration(left), short(steps), short(rate));
        let faster = if self.trial.phases { "; --no-phases is faster" } else { "" };
        let told = format!(
            "at its present speed, {rate} steps a second, this takes about {left}{trials}; {steps} steps are expected{faster}"
        );
        let _ = writeln!(anstream::stderr(), "{}: {told}", alarm("note"));
    }
}
