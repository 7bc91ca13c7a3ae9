//! A population on its way through what is to happen to it: the schedule, and what is done by hand.

use ringleader::engine::stepper::Halt;
use ringleader::error::Error;
use ringleader::lab::{Found, Population};
use ringleader::ring::Interaction;
use ringleader::schedule::AnySchedule;
use ringleader::value::Value;

use super::description::{Edit, What};
use crate::stop::Stop;

/// What is to happen beside the schedule.
pub(crate) struct Course {
    /// Done by hand, in the order of steps.
    pub(crate) edits: Vec<Edit>,
    /// What goes on when a recording ends.
    pub(crate) goes_on: AnySchedule,
}

/// The configuration after `at` interactions, and what comes next.
pub(crate) struct Cursor {
    pub(crate) at: u64,
    pub(crate) population: Box<dyn Population>,
    pub(crate) script: AnySchedule,
    /// How many of the edits have been done.
    pub(crate) applied: usize,
    /// What has happened, if somebody wants to know.
    pub(crate) log: Option<Log>,
}

/// What has happened to a population.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) interactions: Vec<Interaction>,
    pub(crate) coins: Vec<u64>,
    /// The states that were written by hand, and at which steps.
    pub(crate) written: Vec<(u64, Vec<(usize, Value)>)>,
}

impl Cursor {
    /// The beginning, before the first edit.
    pub(crate) fn new(population: &dyn Population, script: &AnySchedule) -> Self {
        Self { at: 0, population: population.duplicate(), script: script.clone(), applied: 0, log: None }
    }

    /// The same, without the log.
    pub(crate) fn duplicate(&self) -> Self {
        let (population, script) = (self.population.duplicate(), self.script.clone());
        Self { at: self.at, population, script, applied: self.applied, log: None }
    }

    /// The same, which from now on writes down what happens.
    pub(crate) fn logged(mut self) -> Self {
        self.log = Some(Log::default());
        self
    }

    /// Does what is to be done by hand at this step, but for interactions.
    pub(crate) fn apply(&mut self, course: &Course) -> Result<(), Stop> {
        let mut written = Vec::new();
        while let Some(edit) = course.edits.get(self.applied).filter(|edit| edit.step == self.at) {
            if edit.is_interaction() {
                break;
            }
            written.extend(edit.what.write(self.population.as_mut())?);
            self.applied += 1;
        }
        if let Some(log) = self.log.as_mut().filter(|_| !written.is_empty()) {
            log.written.push((self.at, written));
        }
        Ok(())
    }

    /// The interaction that comes next if it is one by hand, with its coin.
    pub(crate) fn by_hand(&self, course: &Course) -> Option<(Interaction, u64)> {
        match course.edits.get(self.applied) {
            Some(Edit { step, what: What::Interact { interaction, coin } }) if *step == self.at => {
                Some((*interaction, *coin))
            }
            _ => None,
        }
    }

    /// Goes on by at most `steps` interactions, up to the next edit, the end of a recording, or the first step with something
    /// that is wanted, which is returned.
    pub(crate) fn leg(&mut self, course: &Course, steps: u64, wanted: &[&str]) -> Result<Vec<&'static str>, Stop> {
        self.apply(course)?;
        let found = match self.by_hand(course) {
            Some((interaction, coin)) => {
                self.applied += 1;
                let mut once = AnySchedule::once(interaction, coin);
                self.follow(&mut once, steps.min(1), wanted)
            }
            None => self.scheduled(course, steps, wanted),
        };
        let Found { steps: done, names } = match found {
            Ok(found) => found,
            Err((Halt::Coins, done)) if course.edits.is_empty() => {
                let step = self.at + done;
                return Err(Stop::Bad(format!("draws: too few; the interaction at step {step} needs one more")));
            }
            // A recording that was edited may need more coins than were recorded; it ends there.
            Err((_, steps)) => {
                self.script = course.goes_on.clone();
                Found { steps, names: Vec::new() }
            }
        };
        self.at += done;
        self.apply(course)?;
        Ok(names)
    }

    /// Follows the schedule to the next edit, or to the end of a recording.
    fn scheduled(&mut self, course: &Course, steps: u64, wanted: &[&str]) -> Result<Found, (Halt, u64)> {
        if matches!(&self.script, AnySchedule::Recorded(recorded) if recorded.left() == 0) {
            self.script = course.goes_on.clone();
        }
        let mut script = std::mem::take(&mut self.script);
        let left = if let AnySchedule::Recorded(recorded) = &script { recorded.left() as u64 } else { u64::MAX };
        let next = course.edits.get(self.applied).map_or(u64::MAX, |edit| edit.step);
        let found = self.follow(&mut script, steps.min(left).min(next - self.at), wanted);
        self.script = script;
        found
    }

    fn follow(&mut self, script: &mut AnySchedule, steps: u64, wanted: &[&str]) -> Result<Found, (Halt, u64)> {
        if self.log.is_some() {
            *script = std::mem::take(script).logged();
        }
        let found = if wanted.is_empty() {
            self.population.follow(script, steps).map(|()| Found { steps, names: Vec::new() })
        } else {
            self.population.seek(script, steps, wanted)
        };
        let done = found.as_ref().map_or_else(|(_, done)| *done, |found| found.steps);
        if let (Some(log), AnySchedule::Logged(logged)) = (&mut self.log, &mut *script) {
            // The last one may have failed for want of a coin.
            log.interactions.extend(logged.interactions.drain(..).take(done as usize));
            log.coins.append(&mut logged.coins);
            *script = std::mem::take(&mut logged.script);
        }
        found
    }

    /// Goes on to a step that lies ahead.
    pub(crate) fn forward(&mut self, course: &Course, step: u64) -> Result<(), Stop> {
        while self.at < step {
            self.leg(course, step - self.at, &[])?;
        }
        Ok(())
    }
}

impl What {
    /// Overwrites states, and tells which.
    fn write(&self, population: &mut dyn Population) -> Result<Vec<(usize, Value)>, Error> {
        match self {
            Self::Interact { .. } => Ok(Vec::new()),
            Self::Corrupt { fault, seed } => population.strike(fault, *seed),
            Self::Write(states) => population.set_agents(states).map(|()| states.clone()),
            Self::Set { agent, state } => {
                let states = vec![(*agent, overwritten(population, *agent, state)?)];
                population.set_agents(&states).map(|()| states)
            }
        }
    }

    /// Whether it can be done: whether a value is allowed does not depend on the configuration.
    pub(crate) fn check(&self, population: &mut dyn Population) -> Result<(), Error> {
        self.write(population).map(drop)
    }
}

/// The state of an agent, with the variables overwritten that another one names.
fn overwritten(population: &dyn Population, agent: usize, state: &Value) -> Result<Value, Error> {
    let n = population.ring().n();
    if agent >= n {
        return Err(Error::new("agent", agent, format!("agents are 0 to {}", n - 1)));
    }
    let names: Vec<&str> = population.variables().iter().map(|(name, ..)| *name).collect();
    let (Value::Map(mut whole), Value::Map(parts)) = (population.agent(agent), state) else {
        return Err(Error::new("state", state, "allowed is an object with variables"));
    };
    match parts.iter().find(|(name, _)| !names.contains(&name.as_str())) {
        Some((name, _)) => Err(Error::new("variable", name, format!("the protocol has {}", names.join(", ")))),
        None => {
            whole.extend(parts.iter().cloned());
            Ok(Value::Map(whole))
        }
    }
}
