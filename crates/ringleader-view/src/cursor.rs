//! A session on its way through its schedule and its edits.

use ringleader::engine::stepper::Halt;
use ringleader::ring::Interaction;
use ringleader::schedule::AnySchedule;
use ringleader::session::{Session, Step};
use ringleader::value::{Text, Value};
use ringleader_records::error::Error;

use crate::edits::{Edit, Edits, What};

/// The configuration after `at` interactions, and what comes next.
pub(crate) struct Cursor {
    pub(crate) at: u64,
    pub(crate) session: Box<dyn Session>,
    /// How many of the edits have been made.
    pub(crate) applied: usize,
    /// What has happened, if that is to be known.
    pub(crate) log: Option<Log>,
}

/// What has happened to a session.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) interactions: Vec<Interaction>,
    pub(crate) coins: Vec<u64>,
    /// The states that edits wrote, and at which steps.
    pub(crate) written: Vec<(u64, Vec<(usize, Value)>)>,
}

/// How many interactions were made, and what was seen; or why the schedule ended, and after how many.
type Gone<T> = Result<(u64, T), (Halt, u64)>;

impl Cursor {
    /// The beginning, before the first edit.
    pub(crate) fn new(session: &dyn Session) -> Self {
        Self { at: 0, session: session.duplicate(), applied: 0, log: None }
    }

    /// The same, without the log.
    pub(crate) fn duplicate(&self) -> Self {
        Self { at: self.at, applied: self.applied, ..Self::new(self.session.as_ref()) }
    }

    /// The same, which from now on writes down what happens.
    pub(crate) fn logged(mut self) -> Self {
        self.log = Some(Log::default());
        self
    }

    /// Makes the edits of this step, except for an interaction.
    pub(crate) fn apply(&mut self, edits: &Edits) -> Result<(), Error> {
        let mut written = Vec::new();
        let due = |edit: &&Edit| edit.step == self.at && !edit.is_interaction();
        while let Some(edit) = edits.list.get(self.applied).filter(due) {
            let states = edit.what.write(self.session.as_mut())?;
            if self.log.is_some() {
                written.extend(states);
            }
            self.applied += 1;
        }
        if let Some(log) = self.log.as_mut().filter(|_| !written.is_empty()) {
            log.written.push((self.at, written));
        }
        Ok(())
    }

    /// The interaction that comes next if it is one by hand, with its coin.
    pub(crate) fn by_hand(&self, edits: &Edits) -> Option<(Interaction, u64)> {
        match edits.list.get(self.applied) {
            Some(Edit { step, what: What::Interact { interaction, coin } }) if *step == self.at => {
                Some((*interaction, *coin))
            }
            _ => None,
        }
    }

    /// Goes on by at most `steps` interactions, up to the next edit or the end of a recording: `go` is told how many there may be,
    /// and returns how many it made and what it saw. Nothing is seen if a recording breaks off.
    fn advance_within<T>(
        &mut self,
        edits: &Edits,
        steps: u64,
        go: impl FnOnce(&mut dyn Session, u64) -> Gone<T>,
    ) -> Result<Option<T>, Error> {
        self.apply(edits)?;
        let gone = match self.by_hand(edits) {
            Some((interaction, coin)) => {
                self.applied += 1;
                let schedule = std::mem::replace(self.session.schedule(), AnySchedule::once(interaction, coin));
                let gone = self.go(1, go);
                *self.session.schedule() = schedule;
                gone
            }
            None => {
                let next = edits.list.get(self.applied).map_or(u64::MAX, |edit| edit.step);
                let most = steps.min(next - self.at).min(self.left(edits));
                self.go(most, go)
            }
        };
        let (done, seen) = match gone {
            Ok((done, seen)) => (done, Some(seen)),
            Err((_, done)) => match &edits.after_recording {
                // A recording that was edited may need more coins than were recorded; it ends there.
                Some(after) if !edits.list.is_empty() => {
                    *self.session.schedule() = after.clone();
                    (done, None)
                }
                _ => {
                    let step = self.at + done;
                    return Err(Error::new(format!("draws: too few; the interaction at step {step} needs one more")));
                }
            },
        };
        self.at += done;
        self.apply(edits)?;
        Ok(seen)
    }

    /// How many interactions the schedule has left. A recording at its end is replaced by the schedule that follows it.
    fn left(&mut self, edits: &Edits) -> u64 {
        match self.recording_left() {
            Some(0) => *self.session.schedule() = edits.after_recording.clone().unwrap_or_default(),
            Some(left) => return left,
            None => {}
        }
        u64::MAX
    }

    /// How many interactions a recording has left; `None` if the schedule is not one.
    pub(crate) fn recording_left(&mut self) -> Option<u64> {
        match self.session.schedule() {
            AnySchedule::Recorded(recorded) => Some(recorded.left() as u64),
            _ => None,
        }
    }

    /// Goes on by at most `steps` interactions, and logs them.
    fn go<T>(&mut self, steps: u64, go: impl FnOnce(&mut dyn Session, u64) -> Gone<T>) -> Gone<T> {
        let Some(log) = &mut self.log else { return go(self.session.as_mut(), steps) };
        let schedule = std::mem::take(self.session.schedule());
        *self.session.schedule() = schedule.logged();
        let gone = go(self.session.as_mut(), steps);
        if let AnySchedule::Logged(logged) = std::mem::take(self.session.schedule()) {
            let done = gone.as_ref().map_or_else(|(_, done)| *done, |(done, _)| *done);
            // The last one may have failed for want of a coin.
            log.interactions.extend(logged.interactions.into_iter().take(done as usize));
            log.coins.extend(logged.coins);
            *self.session.schedule() = logged.script;
        }
        gone
    }

    /// Goes on to a step that lies ahead.
    pub(crate) fn forward(&mut self, edits: &Edits, step: u64) -> Result<(), Error> {
        while self.at < step {
            self.advance_within(edits, step - self.at, |session, most| session.advance(most).map(|()| (most, ())))?;
        }
        Ok(())
    }

    /// Goes on by at most `steps` interactions, up to the next edit or the first step with something wanted; its name.
    pub(crate) fn seek(&mut self, edits: &Edits, steps: u64, wanted: &[Text]) -> Result<Option<Text>, Error> {
        let seek = |session: &mut dyn Session, most| session.seek(most, wanted).map(|found| (found.steps, found.names));
        let names = self.advance_within(edits, steps, seek)?;
        Ok(names.and_then(|names| names.into_iter().next()))
    }

    /// One interaction, looked at closely.
    pub(crate) fn step(&mut self, edits: &Edits) -> Result<Step, Error> {
        loop {
            let step = |session: &mut dyn Session, _| session.step().map(|step| (1, step)).map_err(|halt| (halt, 0));
            if let Some(step) = self.advance_within(edits, 1, step)? {
                return Ok(step);
            }
        }
    }
}
