//! Cases and configurations as JSON files.
//!
//! One reader serves all: a bare list of agents, a configuration object, or a case with a schedule. Fields that have no
//! meaning are ignored. Large parts are read straight into small types.

use std::cell::Cell;
use std::fmt;
use std::path::Path;

use ringleader::blueprint::About;
use ringleader::catalogue::{Catalogue, is_file};
use ringleader::error::Error;
use ringleader::instance::Described;
use ringleader::params::Params;
use ringleader::ring::{Interaction, MAX_N, Orientation, Ring};
use ringleader::schedule::{AnySchedule, Recorded};
use ringleader::trial::{Initial, Scheduler, Trial};
use ringleader::value::Value;
use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::error::Error as Bad;
use crate::files;
use crate::json::{self, AtMost, Json};

pub mod execution;

/// What a case may take in memory beside its text: a ring of 2^20 agents of P_PL takes nearly so much.
const MOST_MEMORY: usize = 2 << 30;
/// No state holds more values.
const MOST_VALUES: usize = 256;

/// What a file says; everything is optional until a command needs it.
#[derive(Default)]
#[expect(missing_docs, reason = "the names are those of the file")]
pub struct Case {
    pub protocol: Option<String>,
    /// The text of the protocol, if it is a file.
    pub text: Option<String>,
    pub n: Option<usize>,
    /// Fields that may be parameters, depending on the protocol.
    pub others: Vec<(String, Field)>,
    pub initial: Option<Vec<Value>>,
    pub schedule: Option<Vec<Pair>>,
    pub draws: Vec<Vec<u64>>,
    pub scheduler: Option<String>,
    pub seed: Option<u64>,
    pub steps: Option<u64>,
    pub faults: Vec<FaultCase>,
    pub hashes: Option<Vec<(u64, String)>>,
    pub last: Option<Last>,
    pub last_in_s_pl: Option<bool>,
    pub first_safe: Option<bool>,
    pub last_safe: Option<bool>,
    /// What the oracle remembers at the beginning.
    pub leaderless: Option<u64>,
}

/// The last configuration, as text: it is only looked at agent by agent.
pub struct Last(Box<RawValue>);

impl Last {
    /// Hands on its agents, one by one, and tells how many there are.
    ///
    /// # Errors
    /// If it is no list of agents.
    pub fn each(&self, mut take: impl FnMut(usize, Value)) -> Result<usize, Bad> {
        let mut text = serde_json::Deserializer::from_str(self.0.get());
        text.deserialize_seq(AgentsVisitor(&mut take)).map_err(|error| Bad::new(error.to_string()))
    }
}

/// The states that a fault wrote, after `step` interactions.
pub struct FaultCase {
    /// The number of interactions before it.
    pub step: u64,
    /// The agents, and what it made of them.
    pub agents: Vec<(usize, Value)>,
}

/// A field that may be a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// A whole number.
    Number(u64),
    /// Not given.
    Null,
    /// Anything else; ignored unless the protocol has a parameter of that name.
    Else,
}

/// An interaction as written: an initiator on directed rings, or both agents.
#[derive(Clone, Copy)]
pub struct Pair {
    initiator: usize,
    responder: Option<usize>,
}

/// Reads a file, or standard input if the name is `-`.
///
/// # Errors
/// If it cannot be read, or is no case.
pub fn read(path: &Path) -> Result<Case, Bad> {
    parse(&files::read(path)?).map_err(|error| error.at(path.display()))
}

/// Makes sense of a text.
///
/// # Errors
/// If it is no case.
pub fn parse(text: &str) -> Result<Case, Bad> {
    parse_within(text, MOST_MEMORY)
}

/// The same with so much memory beside the text.
///
/// # Errors
/// If it is no case, or would take more.
pub fn parse_within(text: &str, most: usize) -> Result<Case, Bad> {
    json::read(text.as_bytes(), most, &["final"])
}

impl Case {
    /// The trial that begins at the configuration of this file. Replays and inspections do not ask whether 2^psi >= n:
    /// what happened has happened, and closure does not need it.
    ///
    /// # Errors
    /// If the protocol is unknown, a parameter is no number, or there is no configuration.
    pub fn trial(&mut self, protocols: &Catalogue, given_protocol: Option<&str>, given: &Params) -> Result<Trial, Bad> {
        let about = protocols.find(self.protocol_under(given_protocol))?.about();
        let agents = self.initial.take().ok_or_else(|| Bad::new("the file has no `config` or `initial`"))?;
        let mut trial = Trial::new(&about.name, self.n.unwrap_or(agents.len()), 0);
        trial.from = Some(Initial::Given(agents));
        trial.params = self.params_under(about, given)?;
        if about.parameters.iter().any(|parameter| parameter.name == "unsound") {
            trial.params = trial.params.with("unsound", 1);
        }
        Ok(trial)
    }

    /// The protocols with the one whose text the case brings, unless the command line names another.
    ///
    /// # Errors
    /// If something is wrong with the text.
    pub fn protocols(&self, known: &Catalogue, given: Option<&str>) -> Result<Catalogue, Bad> {
        match (&self.protocol, &self.text, given) {
            (Some(name), Some(text), None) if is_file(name) => known.with_text(name, text).map_err(Bad::new),
            _ => Ok(known.clone()),
        }
    }

    /// The protocol: what the command line says outweighs the file.
    pub fn protocol_under<'a>(&'a self, given: Option<&'a str>) -> &'a str {
        given.or(self.protocol.as_deref()).unwrap_or("ppl")
    }

    /// The parameters: what the command line says outweighs the file, of which only what the protocol takes has a meaning.
    ///
    /// # Errors
    /// If the file gives a parameter that is no number.
    pub fn params_under(&self, about: &About, given: &Params) -> Result<Params, Bad> {
        let takes = |name: &str| about.parameters.iter().any(|parameter| parameter.name == name);
        // `kappa` and `c1` say the same thing.
        let said = |name: &str| given.get(name).is_some() || (name == "kappa" && given.get("c1").is_some());
        let mut params = Params::default();
        for (name, field) in self.others.iter().filter(|(name, _)| takes(name) && !said(name)) {
            match field {
                Field::Number(value) => params = params.with(name, *value),
                Field::Null => {}
                Field::Else => return Err(Bad::new(format!("`{name}`: a parameter is a whole number"))),
            }
        }
        Ok(params.and(given))
    }

    /// Whether the file gives a parameter.
    pub fn gives_parameters(&self, about: &About) -> bool {
        let is = |name: &str| about.parameters.iter().any(|parameter| parameter.name == name);
        self.others.iter().any(|(name, field)| is(name) && matches!(field, Field::Number(_)))
    }

    /// What happens, and how many steps it has.
    ///
    /// # Errors
    /// If the file does not say, or says what this ring cannot do.
    pub fn schedule(&self, described: &Described) -> Result<(AnySchedule, u64), Bad> {
        if let Some(schedule) = &self.schedule {
            let steps = schedule.len() as u64;
            let interactions = interactions(schedule, described.ring)?;
            let coins = coins(&self.draws, &described.dice)?;
            return Ok((AnySchedule::Recorded(Recorded::new(interactions, coins)), steps));
        }
        let (Some(scheduler), Some(seed), Some(steps)) = (&self.scheduler, self.seed, self.steps) else {
            return Err(Bad::new("the case has neither `schedule` nor `scheduler`, `seed` and `steps`"));
        };
        Ok((AnySchedule::new(Scheduler::named(scheduler)?, described.ring, seed), steps))
    }
}

fn interactions(schedule: &[Pair], ring: Ring) -> Result<Vec<Interaction>, Error> {
    let interaction = |(t, pair): (usize, &Pair)| {
        let place = format!("schedule[{t}]");
        match pair.responder {
            Some(responder) => ring.between(pair.initiator, responder).map_err(|error| error.at(&place)),
            None if ring.orientation() == Orientation::Undirected => {
                Err(Error::new(place, pair.initiator, "on an undirected ring an interaction is [initiator, responder]"))
            }
            None if pair.initiator < ring.n() => Ok(ring.e(pair.initiator)),
            None => Err(Error::new(place, pair.initiator, format!("agents are 0 to {}", ring.n() - 1))),
        }
    };
    schedule.iter().enumerate().map(interaction).collect()
}

/// Each draw is a list of dice; a coin is the number that they spell.
fn coins(draws: &[Vec<u64>], dice: &[u64]) -> Result<Vec<u64>, Error> {
    let coin = |(k, draw): (usize, &Vec<u64>)| {
        let fits = draw.len() == dice.len() && draw.iter().zip(dice).all(|(value, sides)| value < sides);
        if fits {
            return Ok(draw.iter().zip(dice).fold(0, |coin, (value, sides)| coin * sides + value));
        }
        let ranges: Vec<String> = dice.iter().map(|sides| format!("[0, {}]", sides - 1)).collect();
        Err(Error::new(
            format!("draws[{k}]"),
            format!("{draw:?}"),
            format!("allowed is one number of each of {}", ranges.join(", ")),
        ))
    };
    if dice.is_empty() { Ok(Vec::new()) } else { draws.iter().enumerate().map(coin).collect() }
}

impl<'de> Deserialize<'de> for Case {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CaseVisitor)
    }
}

struct CaseVisitor;

impl<'de> Visitor<'de> for CaseVisitor {
    type Value = Case;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of agents, or an object with `config` or `initial`")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Case, A::Error> {
        let mut agents = Vec::new();
        AgentsVisitor(&mut |_, agent| agents.push(agent)).visit_seq(items)?;
        Ok(Case { initial: Some(agents), ..Case::default() })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Case, A::Error> {
        let mut case = Case::default();
        while let Some(key) = map.next_key::<String>()? {
            read_field(&mut case, &key, &mut map).map_err(|error| A::Error::custom(format!("`{key}`: {error}")))?;
        }
        Ok(case)
    }
}

/// A list of agents.
struct Agents(Vec<Value>);

impl<'de> Deserialize<'de> for Agents {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut agents = Vec::new();
        deserializer.deserialize_seq(AgentsVisitor(&mut |_, agent| agents.push(agent)))?;
        Ok(Self(agents))
    }
}

/// Hands on the agents of a list that is not longer than the largest ring; counts them.
struct AgentsVisitor<'a>(&'a mut dyn FnMut(usize, Value));

impl<'de> Visitor<'de> for AgentsVisitor<'_> {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of agents")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<usize, A::Error> {
        let mut count = 0;
        while let Some(Json(agent)) = items.next_element_seed(AtMost(&Cell::new(MOST_VALUES)))? {
            if count == MAX_N {
                return Err(A::Error::custom(format!("more than {MAX_N} agents")));
            }
            (self.0)(count, agent);
            count += 1;
        }
        Ok(count)
    }
}

fn read_field<'de, A: MapAccess<'de>>(case: &mut Case, key: &str, map: &mut A) -> Result<(), A::Error> {
    match key {
        "protocol" => case.protocol = map.next_value()?,
        "text" => case.text = map.next_value()?,
        "n" => case.n = map.next_value()?,
        "initial" | "config" => case.initial = map.next_value::<Option<Agents>>()?.map(|Agents(list)| list),
        "schedule" => case.schedule = map.next_value()?,
        "draws" => case.draws = map.next_value()?,
        "scheduler" => case.scheduler = map.next_value()?,
        "seed" => case.seed = map.next_value()?,
        "steps" => case.steps = map.next_value()?,
        "faults" => case.faults = map.next_value()?,
        "hashes" => case.hashes = map.next_value()?,
        "final" => case.last = map.next_value()?,
        "final_S_PL" => case.last_in_s_pl = map.next_value()?,
        "initial_safe" => case.first_safe = map.next_value()?,
        "final_safe" => case.last_safe = map.next_value()?,
        "leaderless" => case.leaderless = map.next_value()?,
        _ => case.others.push((key.to_owned(), map.next_value()?)),
    }
    Ok(())
}

impl<'de> Deserialize<'de> for Last {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let last = Self(Box::deserialize(deserializer)?);
        last.each(|_, _| ()).map_err(D::Error::custom)?;
        Ok(last)
    }
}

impl<'de> Deserialize<'de> for Field {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldVisitor;
        impl<'de> Visitor<'de> for FieldVisitor {
            type Value = Field;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_u64<E>(self, value: u64) -> Result<Field, E> {
                Ok(Field::Number(value))
            }
            fn visit_unit<E>(self) -> Result<Field, E> {
                Ok(Field::Null)
            }
            fn visit_bool<E>(self, _: bool) -> Result<Field, E> {
                Ok(Field::Else)
            }
            fn visit_i64<E>(self, _: i64) -> Result<Field, E> {
                Ok(Field::Else)
            }
            fn visit_f64<E>(self, _: f64) -> Result<Field, E> {
                Ok(Field::Else)
            }
            fn visit_str<E>(self, _: &str) -> Result<Field, E> {
                Ok(Field::Else)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Field, A::Error> {
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Field::Else)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Field, A::Error> {
                while pairs.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Field::Else)
            }
        }
        deserializer.deserialize_any(FieldVisitor)
    }
}

impl<'de> Deserialize<'de> for Pair {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairVisitor;
        impl<'de> Visitor<'de> for PairVisitor {
            type Value = Pair;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the index of an initiator, or [initiator, responder]")
            }
            fn visit_u64<E>(self, initiator: u64) -> Result<Pair, E> {
                Ok(Pair { initiator: initiator as usize, responder: None })
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Pair, A::Error> {
                let mut next = |k| items.next_element()?.ok_or_else(|| A::Error::invalid_length(k, &self));
                let (initiator, responder) = (next(0)?, next(1)?);
                match items.next_element::<IgnoredAny>()? {
                    None => Ok(Pair { initiator, responder: Some(responder) }),
                    Some(_) => Err(A::Error::invalid_length(3, &self)),
                }
            }
        }
        deserializer.deserialize_any(PairVisitor)
    }
}

impl<'de> Deserialize<'de> for FaultCase {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Json(fault) = Json::deserialize(deserializer)?;
        read_fault(fault).ok_or_else(|| D::Error::custom("a fault is {\"step\": t, \"agents\": [[i, state], ...]}"))
    }
}

fn read_fault(fault: Value) -> Option<FaultCase> {
    let step = u64::try_from(fault.get("step")?.as_int()?).ok()?;
    let Value::Map(pairs) = fault else { return None };
    let (_, Value::List(agents)) = pairs.into_iter().find(|(name, _)| name == "agents")? else { return None };
    let agent = |pair: Value| {
        let Value::List(pair) = pair else { return None };
        let [i, state] = <[Value; 2]>::try_from(pair).ok()?;
        Some((usize::try_from(i.as_int()?).ok()?, state))
    };
    Some(FaultCase { step, agents: agents.into_iter().map(agent).collect::<Option<_>>()? })
}

#[cfg(test)]
mod tests {
    use ringleader::protocol::draw;

    use super::*;

    #[test]
    fn a_coin_is_the_number_that_its_dice_spell() {
        let dice = [16, 16];
        for coin in [0, 17, 255] {
            assert_eq!(coins(&[draw(coin, &dice)], &dice).unwrap(), [coin]);
        }
        assert!(coins(&[vec![16, 0]], &dice).unwrap_err().to_string().contains("draws[0]"));
    }

    fn complaint(text: &str) -> String {
        parse(text).map_or_else(|error| error.to_string(), |_| String::new())
    }

    #[test]
    fn a_state_holds_few_values() {
        let state = |values: usize| format!("[{}0]", "0,".repeat(values - 2));
        for (before, after) in [("[", "]"), (r#"{"initial":["#, "]}"), (r#"{"final":["#, "]}")] {
            let list = |one: &str| format!("{before}{one},{one}{after}");
            assert_eq!(complaint(&list(&state(MOST_VALUES))), "");
            assert!(complaint(&list(&state(MOST_VALUES + 1))).contains("more values than any state has at line 1"));
        }
        assert!(complaint(r#"{"final":7}"#).contains("`final`"));
    }

    #[test]
    fn the_last_configuration_is_handed_on_agent_by_agent() {
        let (last, mut seen) = (parse(r#"{"final":[1,[2],{"a":3}]}"#).unwrap().last.unwrap(), Vec::new());
        assert_eq!(last.each(|i, agent| seen.push(format!("{i} {agent}"))).unwrap(), 3);
        assert_eq!(seen, ["0 1", "1 [2]", "2 {\"a\":3}"]);
    }
}
