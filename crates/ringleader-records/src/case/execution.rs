//! An execution as a case that `replay` accepts: the one writer of cases.
//!
//! Short executions carry their schedule, long ones the scheduler, the seed and the number of steps. A case is a list of fields, which
//! is written field by field (a ring may be long) or taken as plain data.

use std::io::{self, Write};

use ringleader::protocol::draw;
use ringleader::ring::{Interaction, Orientation};
use ringleader::session::Session;
use ringleader::trial::Scheduler;
use ringleader::value::{Text, Value};

use crate::json;

/// Executions up to this length carry their schedule.
pub const MAX_SCHEDULE: u64 = 100_000;

/// The states that a fault wrote, and at which step.
pub type Written<'a> = (u64, &'a [(usize, Value)]);

/// What happened.
pub enum Course<'a> {
    /// These interactions, with the coins that they read.
    Recorded(&'a [Interaction], &'a [u64]),
    /// So many steps by the seed of a scheduler.
    Seeded(Scheduler, u64, u64),
}

/// An execution from its first configuration to its last.
pub struct Execution<'a> {
    /// The first configuration.
    pub first: &'a dyn Session,
    /// The last one.
    pub last: &'a dyn Session,
    /// What happened in between.
    pub course: Course<'a>,
    /// What the oracle remembers at the beginning, if that is to be said.
    pub leaderless: Option<u64>,
    /// The states that faults wrote, and at which steps.
    pub faults: Vec<Written<'a>>,
    /// Hashes of configurations on the way.
    pub hashes: &'a [(u64, String)],
    /// Whether the first and the last configuration are to be safe or not, as they are now.
    pub safety: bool,
    /// What else is to be said, such as what the execution shows.
    pub notes: Vec<(Text, Value)>,
}

/// A field of a case, small or large.
enum Field<'a> {
    Value(Value),
    Config(&'a dyn Session),
}

impl<'a> Execution<'a> {
    /// An execution of which nothing is said but what happened.
    pub fn new(first: &'a dyn Session, last: &'a dyn Session, course: Course<'a>) -> Self {
        Self {
            first,
            last,
            course,
            leaderless: None,
            faults: Vec::new(),
            hashes: &[],
            safety: false,
            notes: Vec::new(),
        }
    }

    /// Writes it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for (k, (name, field)) in self.fields().into_iter().enumerate() {
            write!(out, "{}\"{name}\":", if k == 0 { '{' } else { ',' })?;
            match field {
                Field::Value(value) => json::write(out, &value)?,
                Field::Config(session) => json::write_config(out, session)?,
            }
        }
        writeln!(out, "}}")
    }

    /// The same as plain data.
    #[must_use]
    pub fn value(&self) -> Value {
        let value = |field| match field {
            Field::Value(value) => value,
            Field::Config(session) => config(session),
        };
        Value::map(self.fields().into_iter().map(|(name, field)| (name, value(field))))
    }

    fn fields(&self) -> Vec<(Text, Field<'a>)> {
        let value = |(name, value): (Text, Value)| (name, Field::Value(value));
        let mut fields: Vec<(Text, Field<'a>)> = head(self.first).into_iter().map(value).collect();
        fields.extend(self.notes.iter().cloned().map(value));
        fields.push(("initial".into(), Field::Config(self.first)));
        let hash = |(t, hash): &(u64, String)| Value::List(vec![(*t).into(), hash.as_str().into()]);
        let mut rest = vec![("hashes", self.hashes.iter().map(hash).collect::<Vec<_>>().into())];
        rest.extend(self.leaderless.map(|steps| ("leaderless", steps.into())));
        rest.extend(self.schedule());
        if !self.faults.is_empty() {
            rest.push(("faults", self.faults.iter().map(fault).collect::<Vec<_>>().into()));
        }
        if self.safety {
            rest.extend([("initial_safe", self.first.is_safe().into()), ("final_safe", self.last.is_safe().into())]);
        }
        rest.extend(self.last.facts().get("S_PL").map(|in_s_pl| ("final_S_PL", in_s_pl.clone())));
        fields.extend(rest.into_iter().map(|(name, one)| (name.into(), Field::Value(one))));
        fields.push(("final".into(), Field::Config(self.last)));
        fields
    }

    fn schedule(&self) -> Vec<(&'static str, Value)> {
        let described = self.first.described();
        let directed = described.ring.orientation() == Orientation::Directed;
        let interaction = |e: &Interaction| match directed {
            true => e.initiator.into(),
            false => vec![e.initiator, e.responder].into(),
        };
        match self.course {
            Course::Recorded(interactions, coins) => {
                let draws: Vec<Value> = coins.iter().map(|&coin| draw(coin, &described.dice).into()).collect();
                let schedule: Vec<Value> = interactions.iter().map(interaction).collect();
                vec![("schedule", schedule.into()), ("draws", draws.into())]
            }
            Course::Seeded(scheduler, seed, steps) => {
                vec![("scheduler", scheduler.name().into()), ("seed", seed.into()), ("steps", steps.into())]
            }
        }
    }
}

fn fault((step, agents): &Written<'_>) -> Value {
    let agent = |(i, state): &(usize, Value)| Value::List(vec![(*i).into(), state.clone()]);
    Value::map([("step", (*step).into()), ("agents", agents.iter().map(agent).collect::<Vec<_>>().into())])
}

/// A configuration as plain data.
#[must_use]
pub fn config(session: &dyn Session) -> Value {
    (0..session.described().ring.n()).map(|i| session.agent(i)).collect::<Vec<_>>().into()
}

/// The beginning of a case or a configuration: the protocol and its parameters.
#[must_use]
pub fn head(session: &dyn Session) -> Vec<(Text, Value)> {
    let described = session.described();
    let mut head =
        vec![("protocol".into(), described.about.case.clone().into()), ("n".into(), described.ring.n().into())];
    head.extend(described.settings.iter().map(|(name, value)| (name.clone(), Value::from(*value))));
    // A file may be changed or lost; the case is to be replayed all the same.
    head.extend(described.about.text.iter().map(|text| ("text".into(), Value::from(&**text))));
    head
}
