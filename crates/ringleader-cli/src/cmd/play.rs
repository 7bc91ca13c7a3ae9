//! An execution played from its first configuration on, with hashes on the way: what `replay` and traces share.

use std::io::{self, Write};
use std::iter::Peekable;

use ringleader::engine::stepper::Halt;
use ringleader::session::Session;
use ringleader_records::case::execution::Written;
use ringleader_records::json::{Hasher, write_config};

use crate::progress::{Bar, interrupted};
use crate::stop::Stop;

/// A long replay looks for Ctrl-C this often.
const CHUNK: u64 = 1 << 18;

/// Hashes of a run given by its seed are at most this many.
const MAX_HASHES: u64 = 1000;

/// Every 100 steps up to the end, but in a run given by its seed not more than [`MAX_HASHES`] times.
pub(crate) fn default_times(steps: u64, recorded: bool) -> Vec<u64> {
    if recorded || steps <= 100 * MAX_HASHES {
        return (1..=steps / 100).map(|k| 100 * k).collect();
    }
    (1..=MAX_HASHES).map(|k| (u128::from(steps) * u128::from(k) / u128::from(MAX_HASHES)) as u64).collect()
}

/// A session on its way along its schedule.
pub(crate) struct Play<'a> {
    pub(crate) session: &'a mut dyn Session,
    pub(crate) at: u64,
    pub(crate) bar: Bar,
}

impl Play<'_> {
    /// Plays to the end, faults included; the hashes at the given times.
    pub(crate) fn hashes(
        &mut self,
        times: &[u64],
        end: u64,
        faults: &[Written<'_>],
    ) -> Result<Vec<(u64, String)>, Stop> {
        let mut hashes = Vec::new();
        let mut faults = faults.iter().peekable();
        for &time in times {
            self.play_to(time, &mut faults)?;
            hashes.push((time, hash(self.session).ok_or_else(|| self.interrupted())?));
        }
        self.play_to(end, &mut faults)?;
        Ok(hashes)
    }

    /// Plays up to step `time`, with the faults on the way.
    fn play_to<'f>(
        &mut self,
        time: u64,
        faults: &mut Peekable<impl Iterator<Item = &'f Written<'f>>>,
    ) -> Result<(), Stop> {
        while let Some((step, agents)) = faults.next_if(|(step, _)| *step <= time) {
            self.run_to(*step)?;
            self.session.set_agents(agents)?;
        }
        self.run_to(time)
    }

    /// Plays up to step `time`.
    fn run_to(&mut self, time: u64) -> Result<(), Stop> {
        while self.at < time {
            let steps = CHUNK.min(time - self.at);
            self.session.advance(steps).map_err(|(halt, done)| ended(halt, self.at + done))?;
            self.at += steps;
            if self.bar.show(self.at, String::new).is_break() {
                return Err(self.interrupted());
            }
        }
        Ok(())
    }

    fn interrupted(&self) -> Stop {
        Stop::Interrupted(Some(format!("after {} steps; nothing was checked", self.at)))
    }
}

/// Takes in a long configuration until a signal comes.
struct Asking(Hasher);

impl Write for Asking {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if interrupted() { Err(io::Error::other("interrupted")) } else { self.0.write(bytes) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The hash of a configuration; `None` after a signal.
fn hash(session: &dyn Session) -> Option<String> {
    let mut out = Asking(Hasher::default());
    write_config(&mut out, session).ok()?;
    Some(out.0.hex())
}

fn ended(halt: Halt, step: u64) -> Stop {
    Stop::Bad(match halt {
        Halt::Schedule => format!("schedule: it ends after {step} steps"),
        Halt::Coins => format!("draws: too few; the interaction at step {step} needs one more"),
        Halt::Stopped => format!("stopped after {step} steps"),
    })
}
