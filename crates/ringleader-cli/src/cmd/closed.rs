//! Whether a safe set that nobody has proven to be closed is left again. If it is, a run may have been in it before, between two looks of
//! the engine: then the step that is told says when somebody looked, and no more.

use std::io::{self, Write};

use ringleader::instance::Described;
use ringleader::session::Session;
use ringleader::trial::{Engine, Trial};
use ringleader_catalogue::Entry;

use crate::stop::Stop;
use crate::text::{commas, faint, quoted};

/// So many looks are worth it, on rings of which each takes little.
const LOOKS: usize = 4096;

/// A trial of more steps is not run again for it.
const LONG: u64 = 20_000_000;

/// Whether a run could have been misled: the set is declared, and nothing is known of it.
pub(crate) fn in_doubt(described: &Described) -> bool {
    described.about.declares_safe && described.about.evidence.is_none()
}

/// After how many interactions a ring that is safe now is seen not to be: they are looked at one by one, and then now and then.
pub(crate) fn left_after(session: &dyn Session) -> Option<u64> {
    let n = session.described().ring.n();
    let looks = ((1 << 22) / n).clamp(16, LOOKS);
    let (mut ring, mut steps) = (session.duplicate(), 0);
    (0..looks).find_map(|look| {
        let gap = if look < looks / 2 { 1 } else { n as u64 };
        steps += gap;
        (ring.advance(gap).is_ok() && !ring.is_safe()).then_some(steps)
    })
}

/// The same of a trial that took so many steps, which is run again.
pub(crate) fn left_after_trial(entry: &Entry, trial: &Trial, steps: u64) -> Result<Option<u64>, Stop> {
    if steps > LONG || !in_doubt(&entry.describe(trial.n, &trial.params)?) {
        return Ok(None);
    }
    let mut session = entry.open(trial)?;
    let record = session.run(trial, Engine::Auto, &())?;
    Ok(record.safe.and_then(|_| left_after(session.as_ref())))
}

/// Tells what that means.
pub(crate) fn tell(out: &mut dyn Write, after: u64, name: &str) -> io::Result<()> {
    let s = if after == 1 { "" } else { "s" };
    writeln!(out, "the safe set is not closed: the ring is out of it {} interaction{s} later,", commas(after))?;
    writeln!(out, "and may have been in it before; so steps say only when somebody looked")?;
    writeln!(out, "{}", faint(format!("`ringleader check {} --n 3..4` may show why", quoted(name))))
}
