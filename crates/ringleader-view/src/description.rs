//! A run as plain data: what is asked of the server, and what a link holds.

use std::collections::BTreeMap;

use ringleader::error::Error;
use ringleader::fault::{Fault, Place, When};
use ringleader::lab::{Population, populate_trial};
use ringleader::protocol::Params;
use ringleader::ring::{Interaction, MIN_N};
use ringleader::schedule::AnySchedule;
use ringleader::trial::{Initial, Scheduler, Trial};
use ringleader::value::Value;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::course::Course;
use super::{MAX_EDITS, MAX_N};
use crate::case::Case;
use crate::json::Json;
use crate::stop::Stop;

/// A run, as a page describes it.
#[derive(Deserialize, PartialEq)]
#[serde(expecting = "an object that describes a run")]
pub(crate) struct Description {
    protocol: Option<String>,
    n: Option<usize>,
    #[serde(default, deserialize_with = "parameters")]
    params: BTreeMap<String, u64>,
    start: Option<String>,
    scheduler: Option<String>,
    #[serde(default, deserialize_with = "optional_seed")]
    seed: Option<u64>,
    /// The text of a case or configuration.
    #[serde(default, deserialize_with = "optional_text")]
    case: Option<String>,
    #[serde(default)]
    edits: Vec<RawEdit>,
}

/// Something done by hand, at the configuration after `step` interactions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Edit {
    pub(crate) step: u64,
    pub(crate) what: What,
}

impl Edit {
    pub(crate) fn is_interaction(&self) -> bool {
        matches!(self.what, What::Interact { .. })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum What {
    /// The states that a fault of a case wrote.
    Write(Vec<(usize, Value)>),
    /// Some variables of an agent are overwritten.
    Set { agent: usize, state: Value },
    /// Random values, which follow from the seed.
    Corrupt { fault: Fault, seed: u64 },
    /// This interaction comes next, whatever the schedule says, which goes on after it.
    Interact { interaction: Interaction, coin: u64 },
}

#[derive(Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct RawEdit {
    step: u64,
    agent: Option<usize>,
    state: Option<Json>,
    corrupt: Option<usize>,
    place: Option<String>,
    variable: Option<String>,
    #[serde(default, deserialize_with = "optional_seed")]
    seed: Option<u64>,
    interact: Option<(usize, usize)>,
    coin: Option<u64>,
}

/// Seeds are decimal digits in text, since scripts of a page have no integers of 64 bits; plain numbers are taken too.
fn optional_seed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let Some(Json(value)) = Option::<Json>::deserialize(deserializer)? else { return Ok(None) };
    let seed = match &value {
        Value::Null => return Ok(None),
        Value::Text(digits) => digits.parse().ok(),
        Value::Int(number) => u64::try_from(*number).ok(),
        _ => None,
    };
    let wrong = || serde::de::Error::custom(Error::new("seed", &value, "allowed is 0 to 2^64-1"));
    seed.map(Some).ok_or_else(wrong)
}

/// Something as the text that it is.
fn optional_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let raw = Option::<Box<RawValue>>::deserialize(deserializer)?;
    Ok(raw.map(|raw| raw.get().to_owned()))
}

fn parameters<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, u64>, D::Error> {
    let number = |(name, Json(value)): (String, Json)| match value {
        Value::Bool(false) => None,
        Value::Bool(true) => Some(Ok((name, 1))),
        Value::Int(number) if u64::try_from(number).is_ok() => Some(Ok((name, number as u64))),
        _ => Some(Err(serde::de::Error::custom(Error::new(
            name,
            value,
            "allowed is a whole number, or true for a flag",
        )))),
    };
    BTreeMap::<String, Json>::deserialize(deserializer)?.into_iter().filter_map(number).collect()
}

/// A description that was understood: where the run begins, and what happens to it.
pub(crate) struct Plan {
    /// The description without its edits.
    pub(crate) base: Description,
    pub(crate) trial: Trial,
    pub(crate) first: Box<dyn Population>,
    pub(crate) script: AnySchedule,
    pub(crate) course: Course,
    /// How many interactions were recorded, if the run comes from a recording.
    pub(crate) recorded: Option<u64>,
    /// What the oracle remembers at the beginning.
    pub(crate) leaderless: Option<u64>,
}

/// Reads a description.
pub(crate) fn read(text: &[u8]) -> Result<Plan, Stop> {
    let description: Description =
        serde_json::from_slice(text).map_err(|error| Stop::Bad(format!("the description of the run: {error}")))?;
    description.plan()
}

impl Description {
    fn plan(mut self) -> Result<Plan, Stop> {
        let edits = std::mem::take(&mut self.edits);
        let mut case = match &self.case {
            Some(case) => serde_json::from_str(case).map_err(|error| Stop::Bad(format!("the case: {error}")))?,
            None => Case::default(),
        };
        let trial = self.trial(&mut case)?;
        let mut first = populate_trial(&trial)?;
        if let Some(steps) = case.leaderless {
            first.set_leaderless(steps)?;
        }
        let goes_on = AnySchedule::new(trial.scheduler, first.ring(), trial.seed);
        let (script, recorded) = match case.schedule {
            Some(_) => case.script(first.as_ref()).map(|(script, steps)| (script, Some(steps)))?,
            None => (goes_on.clone(), case.steps),
        };
        let mut all = faults(&mut case);
        all.extend(read_edits(edits, first.as_ref())?);
        if all.len() > MAX_EDITS {
            return Err(
                Error::new("edits", all.len(), format!("at most {MAX_EDITS}, faults of a case included")).into()
            );
        }
        all.sort_by_key(|edit| (edit.step, edit.is_interaction()));
        check(&all, first.as_ref())?;
        let course = Course { edits: all, goes_on };
        Ok(Plan { base: self, trial, first, script, course, recorded, leaderless: case.leaderless })
    }

    fn trial(&self, case: &mut Case) -> Result<Trial, Stop> {
        let params = Params(self.params.clone().into_iter().collect());
        let mut trial = if self.case.is_some() {
            // What the file says counts; the description fills in what it does not say.
            let params = if case.params.0.is_empty() { params } else { Params::default() };
            case.trial(case.protocol.is_none().then_some(self.protocol.as_deref()).flatten(), &params)?
        } else {
            let protocol = self.protocol.as_deref().unwrap_or("ppl");
            Trial { params, ..Trial::new(protocol, self.n.unwrap_or(64), 0) }
        };
        if !(MIN_N..=MAX_N).contains(&trial.n) {
            return Err(Error::new("n", trial.n, format!("a ring that is shown has {MIN_N} to {MAX_N} agents")).into());
        }
        if self.case.is_none() {
            trial.from = self.start.clone().map(Initial::Named);
        }
        let scheduler = case.scheduler.as_ref().or(self.scheduler.as_ref());
        trial.scheduler = scheduler.map_or(Ok(Scheduler::default()), |name| Scheduler::named(name))?;
        trial.seed = case.seed.or(self.seed).unwrap_or(1);
        Ok(trial)
    }
}

/// The faults of a case, as if they were done by hand.
fn faults(case: &mut Case) -> Vec<Edit> {
    case.faults.drain(..).map(|fault| Edit { step: fault.step, what: What::Write(fault.agents) }).collect()
}

fn read_edits(edits: Vec<RawEdit>, first: &dyn Population) -> Result<Vec<Edit>, Error> {
    let read = |(k, raw): (usize, RawEdit)| {
        let (step, place) = (raw.step, format!("edits[{k}]"));
        read_edit(raw, first).map(|what| Edit { step, what }).map_err(|error| error.at(&place))
    };
    edits.into_iter().enumerate().map(read).collect()
}

const FORM: &str = "an edit has a step and either agent and state, or corrupt, or interact";

fn read_edit(raw: RawEdit, first: &dyn Population) -> Result<What, Error> {
    match raw {
        RawEdit { agent: Some(agent), state: Some(Json(state)), corrupt: None, interact: None, .. } => {
            Ok(What::Set { agent, state })
        }
        RawEdit { corrupt: Some(k), agent: None, state: None, interact: None, .. } => {
            let place = match raw.place.as_deref() {
                None | Some("random") => Place::Random(k),
                Some("contiguous") => Place::Contiguous(k),
                Some(other) => return Err(Error::new("place", other, "allowed is random, contiguous")),
            };
            let fault = Fault { place, variable: raw.variable, when: When::Step(raw.step) };
            Ok(What::Corrupt { fault, seed: raw.seed.unwrap_or(0) })
        }
        RawEdit { interact: Some((initiator, responder)), agent: None, state: None, corrupt: None, .. } => {
            let interaction = first.ring().between(initiator, responder)?;
            let sides = first.dice().iter().product::<u64>().max(1);
            Ok(What::Interact { interaction, coin: raw.coin.unwrap_or(0) % sides })
        }
        _ => Err(Error::new("step", raw.step, FORM)),
    }
}

/// Finds out now what would be refused later: whether a value is allowed does not depend on the configuration.
fn check(edits: &[Edit], first: &dyn Population) -> Result<(), Error> {
    let mut population = first.duplicate();
    let twice = |pair: &&[Edit]| pair[0].step == pair[1].step && pair[0].is_interaction();
    if let Some(pair) = edits.windows(2).find(twice) {
        return Err(Error::new("interact at step", pair[0].step, "only one; the next comes a step later"));
    }
    for Edit { step, what } in edits {
        what.check(population.as_mut()).map_err(|error| error.at(&format!("step {step}")))?;
    }
    Ok(())
}
