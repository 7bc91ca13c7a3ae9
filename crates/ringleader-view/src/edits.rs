//! What happens to a run beside its schedule: states that are overwritten, and interactions chosen by hand.

use ringleader::error::Error;
use ringleader::fault::{Fault, Place, When};
use ringleader::ring::Interaction;
use ringleader::schedule::AnySchedule;
use ringleader::session::Session;
use ringleader::value::Value;
use ringleader_records::json::Json;
use serde::{Deserialize, Deserializer};

/// The most edits of one run.
pub(crate) const MAX_EDITS: usize = 1_000;
/// The most states that all edits of one run write; each is some 200 bytes of a case, and a kilobyte until it is written.
const MAX_WRITTEN: usize = 1 << 16;

/// All edits of a run.
pub(crate) struct Edits {
    /// In the order of their steps; at the same step an interaction comes last.
    pub(crate) list: Vec<Edit>,
    /// If the schedule is a recording, the one that follows when it ends.
    pub(crate) after_recording: Option<AnySchedule>,
}

/// An edit of the configuration after `step` interactions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Edit {
    pub(crate) step: u64,
    pub(crate) what: What,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum What {
    /// The states that a fault of a case wrote.
    Write(Vec<(usize, Value)>),
    /// Some variables of an agent are overwritten.
    Set { agent: usize, state: Value },
    /// Random values, which follow from the seed.
    Corrupt { fault: Fault, seed: u64 },
    /// This interaction comes next, whatever the schedule says; the schedule continues after it.
    Interact { interaction: Interaction, coin: u64 },
}

impl Edits {
    /// Puts edits in order, and finds out now what would be refused later: whether a value is allowed does not depend on the
    /// configuration.
    pub(crate) fn new(
        mut list: Vec<Edit>,
        after_recording: Option<AnySchedule>,
        first: &dyn Session,
    ) -> Result<Self, Error> {
        if list.len() > MAX_EDITS {
            let allowed = format!("at most {MAX_EDITS}, including the faults of a case");
            return Err(Error::new("edits", list.len(), allowed));
        }
        let written = list.iter().fold(0, |sum: usize, edit| sum.saturating_add(edit.what.agents()));
        if written > MAX_WRITTEN {
            return Err(Error::new("states that edits write", written, format!("at most {MAX_WRITTEN} in all")));
        }
        list.sort_by_key(|edit| (edit.step, edit.is_interaction()));
        let twice = |pair: &&[Edit]| pair[0].step == pair[1].step && pair[0].is_interaction();
        if let Some(pair) = list.windows(2).find(twice) {
            return Err(Error::new("interact at step", pair[0].step, "only one; the next comes a step later"));
        }
        let mut session = first.duplicate();
        for Edit { step, what } in &list {
            what.write(session.as_mut()).map_err(|error| error.at(&format!("step {step}")))?;
        }
        Ok(Self { list, after_recording })
    }

    /// Whether all interactions before a step follow from the seed.
    pub(crate) fn follow_the_seed(&self, step: u64) -> bool {
        self.after_recording.is_none() && !self.list.iter().any(|edit| edit.step < step && edit.is_interaction())
    }
}

impl Edit {
    pub(crate) fn is_interaction(&self) -> bool {
        matches!(self.what, What::Interact { .. })
    }
}

impl What {
    /// How many agents it overwrites.
    fn agents(&self) -> usize {
        match self {
            Self::Interact { .. } => 0,
            Self::Set { .. } => 1,
            Self::Write(states) => states.len(),
            Self::Corrupt { fault, .. } => match &fault.place {
                Place::Random(k) | Place::Contiguous(k) => *k,
                Place::Listed(agents) => agents.len(),
            },
        }
    }

    /// Overwrites states, and returns those that it wrote.
    pub(crate) fn write(&self, session: &mut dyn Session) -> Result<Vec<(usize, Value)>, Error> {
        match self {
            Self::Interact { .. } => Ok(Vec::new()),
            Self::Corrupt { fault, seed } => session.strike(fault, *seed),
            Self::Write(states) => session.set_agents(states).map(|()| states.clone()),
            Self::Set { agent, state } => {
                let states = vec![(*agent, overwritten(session, *agent, state)?)];
                session.set_agents(&states).map(|()| states)
            }
        }
    }
}

/// The state of an agent, after some of its variables are overwritten.
fn overwritten(session: &dyn Session, agent: usize, state: &Value) -> Result<Value, Error> {
    let described = session.described();
    let n = described.ring.n();
    if agent >= n {
        return Err(Error::new("agent", agent, format!("agents are 0 to {}", n - 1)));
    }
    let names: Vec<&str> = described.variables.iter().map(|variable| &*variable.name).collect();
    let (Value::Map(mut whole), Value::Map(parts)) = (session.agent(agent), state) else {
        return Err(Error::new("state", state, "allowed is an object with variables"));
    };
    match parts.iter().find(|(name, _)| !names.contains(&name.as_str())) {
        Some((name, _)) => Err(Error::new("variable", name, format!("the protocol has {}", names.join(", ")))),
        None => {
            whole.retain(|(name, _)| parts.iter().all(|(part, _)| part != name));
            whole.extend(parts.iter().cloned());
            Ok(Value::Map(whole))
        }
    }
}

/// An edit as it is asked for.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct EditRequest {
    step: u64,
    agent: Option<usize>,
    #[serde(default, deserialize_with = "optional_value")]
    state: Option<Value>,
    corrupt: Option<usize>,
    place: Option<String>,
    variable: Option<String>,
    #[serde(default, deserialize_with = "optional_seed")]
    seed: Option<u64>,
    interact: Option<(usize, usize)>,
    coin: Option<u64>,
}

const FORM: &str = "an edit has a step and either agent and state, or corrupt, or interact";

impl EditRequest {
    /// How many values it has.
    pub(crate) fn values(&self) -> usize {
        4 + self.state.as_ref().map_or(0, values)
    }

    /// The edit that it asks for.
    pub(crate) fn edit(self, first: &dyn Session) -> Result<Edit, Error> {
        Ok(Edit { step: self.step, what: self.what(first)? })
    }

    fn what(self, first: &dyn Session) -> Result<What, Error> {
        match self {
            Self { agent: Some(agent), state: Some(state), corrupt: None, interact: None, .. } => {
                Ok(What::Set { agent, state })
            }
            Self { corrupt: Some(k), agent: None, state: None, interact: None, .. } => {
                let place = match self.place.as_deref() {
                    None | Some("random") => Place::Random(k),
                    Some("contiguous") => Place::Contiguous(k),
                    Some(other) => return Err(Error::new("place", other, "allowed is random, contiguous")),
                };
                let fault = Fault { place, variable: self.variable, when: When::Step(self.step) };
                Ok(What::Corrupt { fault, seed: self.seed.unwrap_or(0) })
            }
            Self { interact: Some((initiator, responder)), agent: None, state: None, corrupt: None, .. } => {
                let described = first.described();
                let interaction = described.ring.between(initiator, responder)?;
                let sides = described.dice.iter().product::<u64>().max(1);
                Ok(What::Interact { interaction, coin: self.coin.unwrap_or(0) % sides })
            }
            _ => Err(Error::new("step", self.step, FORM)),
        }
    }
}

/// How many values a value has, itself included.
fn values(value: &Value) -> usize {
    match value {
        Value::List(items) => 1 + items.iter().map(values).sum::<usize>(),
        Value::Map(pairs) => 1 + pairs.iter().map(|(_, value)| values(value)).sum::<usize>(),
        _ => 1,
    }
}

/// Anything, or nothing.
pub(crate) fn optional_value<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Ok(Option::<Json>::deserialize(deserializer)?.map(|Json(value)| value))
}

/// Seeds are decimal digits in text, since scripts of a page have no integers of 64 bits; plain numbers are accepted too.
pub(crate) fn optional_seed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let Some(value) = optional_value(deserializer)? else { return Ok(None) };
    let seed = match &value {
        Value::Text(digits) => digits.parse().ok(),
        Value::Int(number) => u64::try_from(*number).ok(),
        _ => None,
    };
    let wrong = || serde::de::Error::custom(Error::new("seed", &value, "allowed is 0 to 2^64-1"));
    seed.map(Some).ok_or_else(wrong)
}
