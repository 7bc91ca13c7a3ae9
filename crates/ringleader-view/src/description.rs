//! A run as plain data: what the server is asked for, and what a link holds.

use std::collections::BTreeMap;

use ringleader::catalogue::Catalogue;
use ringleader::error::Error as Refusal;
use ringleader::params::Params;
use ringleader::ring::MIN_N;
use ringleader::session::Session;
use ringleader::trial::{Initial, Scheduler, Trial};
use ringleader::value::Value;
use ringleader_records::case::{Case, FaultCase, parse_within};
use ringleader_records::error::{Error, brief};
use ringleader_records::json::{self, Json};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::MAX_N;
use crate::budget::{CASE, MAX_VALUES, VALUE, Weight};
use crate::edits::{Edit, EditRequest, Edits, What, optional_seed};
use crate::library::{Library, is_file};
use crate::listing::{Listing, Reading, Why, text_bytes};
use crate::run::first_bytes;

/// A run, as a page or the command line describes it.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(expecting = "an object that describes a run")]
pub struct Description {
    /// The name of the protocol; the first of the list if `None`.
    pub protocol: Option<String>,
    /// The number of agents.
    pub n: Option<usize>,
    /// The protocol's parameters.
    #[serde(default, deserialize_with = "parameters")]
    pub params: Params,
    /// The initial configuration, by name.
    pub start: Option<String>,
    /// How interactions are chosen, by name.
    pub scheduler: Option<String>,
    /// The seed of all randomness.
    #[serde(default, deserialize_with = "optional_seed")]
    pub seed: Option<u64>,
    /// The text of the protocol, if it is a file.
    pub text: Option<String>,
    /// The text of a case or configuration. What it says outweighs everything above.
    #[serde(default, deserialize_with = "optional_text")]
    pub case: Option<String>,
    /// What happens beside the schedule.
    #[serde(default)]
    pub edits: Vec<EditRequest>,
}

/// Something as the text that it is.
fn optional_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let raw = Option::<Box<RawValue>>::deserialize(deserializer)?;
    Ok(raw.map(|raw| raw.get().to_owned()))
}

fn parameters<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Params, D::Error> {
    let number = |(name, Json(value)): (String, Json)| match value {
        Value::Bool(false) => None,
        Value::Bool(true) => Some(Ok((name, 1))),
        Value::Int(number) if u64::try_from(number).is_ok() => Some(Ok((name, number as u64))),
        _ => {
            let refusal = Refusal::new(name, value, "allowed is a whole number, or true for a flag");
            Some(Err(serde::de::Error::custom(refusal)))
        }
    };
    let given = BTreeMap::<String, Json>::deserialize(deserializer)?;
    given.into_iter().filter_map(number).collect::<Result<_, _>>().map(Params)
}

/// The largest description beside its case, in bytes.
const MAX_REST: usize = 1 << 20;

/// The part of a description that may be long.
#[derive(Deserialize)]
#[serde(expecting = "an object that describes a run")]
struct Outline<'a> {
    #[serde(borrow)]
    case: Option<&'a RawValue>,
}

/// The parts of a case that may be long.
#[derive(Default, Deserialize)]
struct Long<'a> {
    #[serde(borrow)]
    schedule: Option<&'a RawValue>,
    #[serde(borrow)]
    draws: Option<&'a RawValue>,
}

/// What a case takes in memory, found before anything is built.
fn case_bytes(case: &str) -> Result<usize, Error> {
    let (all, long) = (Weight::of(case.as_bytes()), serde_json::from_str::<Long<'_>>(case).unwrap_or_default());
    let weight = |part: Option<&RawValue>| part.map_or(Weight::default(), |part| Weight::of(part.get().as_bytes()));
    let (schedule, draws) = (weight(long.schedule), weight(long.draws));
    let rest = all.without(schedule).without(draws);
    let bytes = case.len() + schedule.as_schedule() + draws.as_draws() + rest.as_values();
    if bytes > CASE {
        let allowed = format!("a case that is shown takes {} MiB at most", CASE >> 20);
        return Err(Error::new(format!("the case: it would take some {} MiB of memory; {allowed}", bytes >> 20)));
    }
    Ok(bytes)
}

/// A description that was understood: where the run begins, and what happens to it.
pub(crate) struct Plan {
    /// The description without its edits.
    pub(crate) base: Description,
    /// What its case takes in memory.
    pub(crate) case_bytes: usize,
    /// What its text takes.
    pub(crate) text_bytes: usize,
    /// What its edits take.
    pub(crate) edit_bytes: usize,
    pub(crate) trial: Trial,
    pub(crate) listing: Option<Listing>,
    pub(crate) first: Box<dyn Session>,
    pub(crate) edits: Edits,
    /// How many interactions were recorded, if the run comes from a case.
    pub(crate) recorded: Option<u64>,
    /// What the oracle remembers at the beginning.
    pub(crate) leaderless: Option<u64>,
}

impl Description {
    pub(crate) fn read(text: &[u8]) -> Result<Self, Error> {
        let whose = "the description of the run";
        let bad = |error: serde_json::Error| Error::new(brief(&error.to_string())).at(whose);
        let case = serde_json::from_slice::<Outline<'_>>(text).map_err(bad)?.case.map_or("", RawValue::get).as_bytes();
        let (values, bytes) = (Weight::of(text).without(Weight::of(case)).values(), text.len() - case.len());
        if values > MAX_VALUES || bytes > MAX_REST {
            let allowed = format!("allowed are {MAX_VALUES} values in {MAX_REST} bytes");
            let said = format!("{whose}: {values} values in {bytes} bytes beside its case");
            return Err(Error::new(format!("{said}; {allowed}")));
        }
        json::read(text, CASE, &["case"]).map_err(|error| error.at(whose))
    }

    /// What the run takes at the beginning, at most; the ring of a case is not known yet.
    pub(crate) fn bytes(&self) -> Result<usize, Error> {
        let n = if self.case.is_some() { MAX_N } else { self.n.unwrap_or(MAX_N).min(MAX_N) };
        Ok(first_bytes(n) + self.case_bytes()? + self.text_bytes() + self.edit_bytes())
    }

    fn text_bytes(&self) -> usize {
        self.text.as_deref().map_or(0, text_bytes)
    }

    fn case_bytes(&self) -> Result<usize, Error> {
        self.case.as_deref().map_or(Ok(0), case_bytes)
    }

    fn edit_bytes(&self) -> usize {
        self.edits.iter().map(EditRequest::values).sum::<usize>() * VALUE
    }

    /// Whether the run can be shown.
    ///
    /// # Errors
    /// What is wrong with it, and what is allowed.
    pub fn check(&self, library: &Library) -> Result<(), Error> {
        self.clone().with_text(library).plan(library).map(drop).map_err(Why::into_error)
    }

    /// The same with the text of the file that it names, if it does not say it.
    pub(crate) fn with_text(mut self, library: &Library) -> Self {
        let file = self.protocol.as_deref().or_else(|| library.default_name()).and_then(|name| library.file(name));
        self.text = self.text.or_else(|| file.map(|program| program.text.to_string()));
        self
    }

    pub(crate) fn plan(mut self, library: &Library) -> Result<Plan, Why> {
        let (case_bytes, text_bytes, edit_bytes) = (self.case_bytes()?, self.text_bytes(), self.edit_bytes());
        let requests = std::mem::take(&mut self.edits);
        let mut case = match &self.case {
            Some(case) => parse_within(case, CASE).map_err(|error| error.at("the case"))?,
            None => Case::default(),
        };
        let reading = self.reading(&case, library)?;
        let catalogue = reading.as_ref().map_or_else(|| library.catalogue.clone(), |one| one.among(&library.catalogue));
        let mut trial = self.trial(&mut case, &catalogue)?;
        let open = |reading: &Reading| {
            reading.check(trial.n, &trial.params)?;
            reading.made(catalogue.open(&trial))
        };
        let mut first = reading.as_ref().map_or_else(|| Ok(catalogue.open(&trial)?), open)?;
        // The agents are in the session now, where they take less.
        if let Some(Initial::Given(agents)) = &mut trial.from {
            *agents = Vec::new();
        }
        if let Some(steps) = case.leaderless {
            first.set_leaderless(steps)?;
        }
        let (mut recorded, mut after_recording) = (case.steps, None);
        if case.schedule.is_some() {
            let (schedule, steps) = case.schedule(first.described())?;
            recorded = Some(steps);
            after_recording = Some(std::mem::replace(first.schedule(), schedule));
        }
        // The faults of a case are edits, too.
        let fault = |fault: FaultCase| Edit { step: fault.step, what: What::Write(fault.agents) };
        let mut list: Vec<Edit> = case.faults.into_iter().map(fault).collect();
        for (k, request) in requests.into_iter().enumerate() {
            list.push(request.edit(first.as_ref()).map_err(|refusal| refusal.at(&format!("edits[{k}]")))?);
        }
        let edits = Edits::new(list, after_recording, first.as_ref())?;
        let (leaderless, described) = (case.leaderless, first.described());
        let listing = match reading {
            Some(reading) => {
                reading.made(Ok::<_, Error>(()))?;
                Some(reading.listing(described.ring, &trial.params))
            }
            None => library.text(&trial.protocol).map(|program| Listing::beside(program, described)),
        };
        Ok(Plan { base: self, case_bytes, text_bytes, edit_bytes, trial, listing, first, edits, recorded, leaderless })
    }

    /// The text that is to be run: that of the case, or that of the description, if the case is not of another protocol.
    fn reading(&self, case: &Case, library: &Library) -> Result<Option<Reading>, Why> {
        let own = self.protocol.as_deref().or_else(|| library.default_name()).unwrap_or("");
        let named = case.protocol.as_deref().unwrap_or(own);
        match (&case.text, &self.text) {
            (Some(text), _) if is_file(named) => Reading::new(named, text).map(Some),
            (_, Some(text)) if named == own => Reading::new(own, text).map(Some),
            _ => library.file(named).map(|program| Reading::new(named, &program.text)).transpose(),
        }
    }

    fn trial(&self, case: &mut Case, catalogue: &Catalogue) -> Result<Trial, Error> {
        let default = catalogue.0.first().map_or("", |protocol| &protocol.about().name);
        // What a case says counts; the description fills in what it does not say.
        let named = case.protocol.clone().or_else(|| self.protocol.clone());
        let protocol = named.as_deref().unwrap_or(default);
        let mut trial = if self.case.is_some() {
            let told = case.gives_parameters(catalogue.find(protocol)?.about());
            let params = if told { Params::default() } else { self.params.clone() };
            case.trial(catalogue, Some(protocol), &params)?
        } else {
            let from = self.start.clone().map(Initial::Named);
            Trial { params: self.params.clone(), from, ..Trial::new(protocol, self.n.unwrap_or(64), 0) }
        };
        if !(MIN_N..=MAX_N).contains(&trial.n) {
            let allowed = format!("a ring that is shown has {MIN_N} to {MAX_N} agents");
            return Err(Refusal::new("n", trial.n, allowed).into());
        }
        let scheduler = case.scheduler.as_ref().or(self.scheduler.as_ref());
        trial.scheduler = scheduler.map_or(Ok(Scheduler::default()), |name| Scheduler::named(name))?;
        trial.seed = case.seed.or(self.seed).unwrap_or(1);
        Ok(trial)
    }

    /// What the page is to show first, as it understands it. It gets the text of a case, since its numbers are shorter than ours.
    pub(crate) fn opening(&self) -> Value {
        let params = self.params.0.iter().map(|(name, value)| (name.as_str(), Value::from(*value)));
        Value::map([
            ("protocol", self.protocol.as_deref().into()),
            ("n", self.n.into()),
            ("params", Value::map(params)),
            ("start", self.start.as_deref().into()),
            ("scheduler", self.scheduler.as_deref().into()),
            ("seed", self.seed.map(|seed| seed.to_string()).into()),
            ("text", self.text.as_deref().into()),
            ("case", self.case.as_deref().into()),
        ])
    }
}
