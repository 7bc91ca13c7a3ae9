//! A population on its way through what is to happen to it: the schedule, and what is done by hand.

use ringleader::engine::stepper::Halt;
use ringleader::error::Error;
use ringleader::lab::{Population, Script};
use ringleader::ring::Interaction;
use ringleader::schedule::Schedule;
use ringleader::value::Value;

use super::description::{Edit, What};
use crate::stop::Stop;

/// What is to happen beside the schedule.
pub(super) struct Course {
    /// Done by hand, in the order of steps.
    pub(super) edits: Vec<Edit>,
    /// What goes on when a recording ends.
    pub(super) goes_on: Script,
}

/// The configuration after `at` interactions, and what comes next.
pub(super) struct Cursor {
    pub(super) at: u64,
    pub(super) population: Box<dyn Population>,
    pub(super) script: Script,
    /// How many of the edits have been done.
    pub(super) applied: usize,
    /// What has happened, if somebody wants to know.
    pub(super) log: Option<Log>,
}

/// What has happened to a population.
#[derive(Default)]
pub(super) struct Log {
    pub(super) interactions: Vec<Interaction>,
    pub(super) coins: Vec<u64>,
    /// The states that were written by hand, and at which steps.
    pub(super) written: Vec<(u64, Vec<(usize, Value)>)>,
}

impl Cursor {
    /// The beginning, before the first edit.
    pub(super) fn new(population: &dyn Population, script: &Script) -> Self {
        Self { at: 0, population: population.duplicate(), script: script.clone(), applied: 0, log: None }
    }

    /// The same, without the log.
    pub(super) fn duplicate(&self) -> Self {
        let (population, script) = (self.population.duplicate(), self.script.clone());
        Self { at: self.at, population, script, applied: self.applied, log: None }
    }

    /// The same, which from now on writes down what happens.
    pub(super) fn logged(mut self) -> Self {
        self.log = Some(Log::default());
        self
    }

    /// Does what is to be done by hand at this step, but for interactions.
    pub(super) fn apply(&mut self, course: &Course) -> Result<(), Stop> {
        let mut written = Vec::new();
        while let Some(Edit { step, what }) = course.edits.get(self.applied)
            && *step == self.at
        {
            match what {
                What::Interact { .. } => break,
                What::Set { agent, state } => {
                    overwrite(self.population.as_mut(), *agent, state)?;
                    written.push((*agent, self.population.agent(*agent)));
                }
                What::Corrupt { fault, seed } => written.extend(self.population.strike(fault, *seed)?),
            }
            self.applied += 1;
        }
        if let Some(log) = self.log.as_mut().filter(|_| !written.is_empty()) {
            log.written.push((self.at, written));
        }
        Ok(())
    }

    /// The interaction that comes next if it is one by hand, with its coin.
    pub(super) fn by_hand(&self, course: &Course) -> Option<(Interaction, u64)> {
        match course.edits.get(self.applied) {
            Some(Edit { step, what: What::Interact { interaction, coin } }) if *step == self.at => {
                Some((*interaction, *coin))
            }
            _ => None,
        }
    }

    /// The interaction that comes next.
    pub(super) fn upcoming(&mut self, course: &Course) -> Option<Interaction> {
        if let Some((interaction, _)) = self.by_hand(course) {
            return Some(interaction);
        }
        let next = self.script.clone().next();
        if next.is_none() {
            self.script = course.goes_on.clone();
        }
        next.or_else(|| self.script.clone().next())
    }

    /// Goes on by at most `steps` interactions, up to the next edit, the end of a recording, or the first happening that is
    /// wanted, whose name is returned.
    pub(super) fn leg(&mut self, course: &Course, steps: u64, wanted: &[&str]) -> Result<Option<&'static str>, Stop> {
        self.apply(course)?;
        let followed = match self.by_hand(course) {
            Some((interaction, coin)) => {
                self.applied += 1;
                self.follow(&mut Script::once(interaction, coin), steps.min(1), wanted)
            }
            None => {
                let next = course.edits.get(self.applied).map_or(u64::MAX, |edit| edit.step);
                let mut script = std::mem::take(&mut self.script);
                let followed = self.follow(&mut script, steps.min(next - self.at), wanted);
                self.script = script;
                followed
            }
        };
        let (done, name) = match followed {
            Ok(followed) => followed,
            Err((Halt::Coins, done)) if course.edits.is_empty() => {
                let step = self.at + done;
                return Err(Stop::Bad(format!("draws: too few; the interaction at step {step} needs one more")));
            }
            // A recording that was edited may need more coins than were recorded; it ends there.
            Err((_, done)) => {
                self.script = course.goes_on.clone();
                (done, None)
            }
        };
        self.at += done;
        self.apply(course)?;
        Ok(name)
    }

    /// Follows a script.
    fn follow(&mut self, script: &mut Script, steps: u64, wanted: &[&str]) -> Followed {
        if self.log.is_some() {
            *script = std::mem::take(script).logged();
        }
        let followed = if wanted.is_empty() {
            self.population.follow(script, steps).map(|()| (steps, None))
        } else {
            self.population.seek(script, steps, wanted).map(|found| (found.steps, found.name))
        };
        if let (Some(log), Script::Logged(logged)) = (&mut self.log, &mut *script) {
            log.interactions.append(&mut logged.interactions);
            log.coins.append(&mut logged.coins);
            *script = std::mem::take(&mut logged.script);
        }
        followed
    }

    /// Goes on to a step that lies ahead.
    pub(super) fn forward(&mut self, course: &Course, step: u64) -> Result<(), Stop> {
        while self.at < step {
            self.leg(course, step - self.at, &[])?;
        }
        Ok(())
    }

    /// The step at which the recording ends, if it has not.
    pub(super) fn end(&self) -> Option<u64> {
        match &self.script {
            Script::Recorded(recorded) if recorded.left() > 0 => Some(self.at + recorded.left() as u64),
            _ => None,
        }
    }
}

/// Overwrites the variables of an agent that a state names, and leaves the others.
pub(super) fn overwrite(population: &mut dyn Population, agent: usize, state: &Value) -> Result<(), Error> {
    let (n, variables) = (population.ring().n(), population.variables());
    if agent >= n {
        return Err(Error::new("agent", agent, format!("agents are 0 to {}", n - 1)));
    }
    let names: Vec<&str> = variables.iter().map(|(name, ..)| *name).collect();
    let (Value::Map(mut whole), Value::Map(parts)) = (population.agent(agent), state) else {
        return Err(Error::new("state", state, "allowed is an object with variables"));
    };
    match parts.iter().find(|(name, _)| !names.contains(&name.as_str())) {
        Some((name, _)) => Err(Error::new("variable", name, format!("the protocol has {}", names.join(", ")))),
        None => {
            whole.extend(parts.iter().cloned());
            population.set_agent(agent, &Value::Map(whole))
        }
    }
}

/// How far, and what was found there; or why not farther.
type Followed = Result<(u64, Option<&'static str>), (Halt, u64)>;
