//! An execution as a case that `replay` accepts.
//!
//! Short executions carry their schedule, long ones the scheduler, the seed and the number of steps.

use std::io::{self, Write};

use ringleader::lab::Population;
use ringleader::protocol::draw;
use ringleader::ring::{Interaction, Orientation};
use ringleader::trial::Trial;
use ringleader::value::Value;

use crate::json;

/// Executions up to this length carry their schedule.
pub(crate) const MAX_SCHEDULE: u64 = 100_000;

/// What happened in a trial up to some step.
pub(crate) struct Execution<'a> {
    pub(crate) trial: &'a Trial,
    pub(crate) steps: u64,
    pub(crate) first: &'a dyn Population,
    pub(crate) last: &'a dyn Population,
    /// What the oracle remembers at the beginning.
    pub(crate) leaderless: Option<u64>,
    /// The interactions, and the coins that they read; by the seed if `None`.
    pub(crate) log: Option<(&'a [Interaction], &'a [u64])>,
    /// The states that faults wrote, and at which steps.
    pub(crate) faults: Vec<(u64, &'a [(usize, Value)])>,
    pub(crate) hashes: &'a [(u64, String)],
}

impl Execution<'_> {
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        write_head(out, self.first)?;
        write!(out, ",\"initial\":")?;
        json::write_config(out, self.first)?;
        if let Some(steps) = self.leaderless {
            write!(out, ",\"leaderless\":{steps}")?;
        }
        self.write_schedule(out)?;
        self.write_faults(out)?;
        write!(out, ",\"hashes\":")?;
        json::write_list(out, self.hashes.iter(), |out, (t, hash)| write!(out, "[{t},\"{hash}\"]"))?;
        write!(out, ",\"final\":")?;
        json::write_config(out, self.last)?;
        if let Some(in_s_pl) = self.last.facts().get("S_PL") {
            write!(out, ",\"final_S_PL\":{in_s_pl}")?;
        }
        writeln!(out, "}}")
    }

    fn write_schedule(&self, out: &mut impl Write) -> io::Result<()> {
        let Some((interactions, coins)) = self.log else {
            let (scheduler, seed, steps) = (self.trial.scheduler.name(), self.trial.seed, self.steps);
            return write!(out, ",\"scheduler\":\"{scheduler}\",\"seed\":{seed},\"steps\":{steps}");
        };
        let (directed, dice) = (self.first.ring().orientation() == Orientation::Directed, self.first.dice());
        write!(out, ",\"schedule\":")?;
        json::write_list(out, interactions.iter(), |out, e| {
            if directed { write!(out, "{}", e.initiator) } else { write!(out, "[{},{}]", e.initiator, e.responder) }
        })?;
        write!(out, ",\"draws\":")?;
        json::write_list(out, coins.iter(), |out, coin| json::write(out, &Value::from(draw(*coin, &dice))))
    }

    fn write_faults(&self, out: &mut impl Write) -> io::Result<()> {
        if self.faults.is_empty() {
            return Ok(());
        }
        write!(out, ",\"faults\":")?;
        json::write_list(out, self.faults.iter(), |out, (step, agents)| {
            write!(out, "{{\"step\":{step},\"agents\":")?;
            json::write_list(out, agents.iter(), |out, (i, state)| {
                write!(out, "[{i},")?;
                json::write(out, state)?;
                write!(out, "]")
            })?;
            write!(out, "}}")
        })
    }
}

/// The beginning of a case or a configuration: an object with the protocol and its parameters, not yet closed.
pub(crate) fn write_head(out: &mut impl Write, population: &dyn Population) -> io::Result<()> {
    write!(out, "{{\"protocol\":\"{}\",\"n\":{}", population.about().case, population.ring().n())?;
    population.settings().iter().try_for_each(|(name, value)| write!(out, ",\"{name}\":{value}"))
}
