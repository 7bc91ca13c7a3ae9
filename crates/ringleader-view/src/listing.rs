//! The text of a protocol beside its run: the lines that interactions execute, what is wrong with it and where, and how much it may use.
//!
//! A text may come from anybody, so it is bounded before it runs (its length, its variables), and while it runs it has patience for some
//! milliseconds at a time only: what takes longer is tried again with fewer interactions, and an interaction that takes longer alone is
//! where the run ends.

use std::sync::Arc;

use ringleader::catalogue::{AnyProtocol, Catalogue};
use ringleader::error::Error as Refusal;
use ringleader::instance::Described;
use ringleader::params::Params;
use ringleader::protocol::Input;
use ringleader::ring::Ring;
use ringleader::session::Step;
use ringleader::value::Value;
use ringleader_notation::eval::Fault;
use ringleader_notation::listing::{Lines, protocol};
use ringleader_notation::program::Program;
use ringleader_notation::setting::{Cell, Refused, Setting};
use ringleader_notation::source::{Problem, Problems};
use ringleader_notation::written::{Trouble, problems};
use ringleader_records::error::{Error, brief};

use crate::MAX_N;
use crate::cursor::Cursor;
use crate::edits::Edits;
use crate::library::is_file;

/// The longest text that is run, in bytes.
pub const MAX_TEXT: usize = 64 << 10;
/// The most values of an agent, those inside of others included, and of all agents: a frame shows them.
const MAX_VALUES: usize = 256;
const MAX_SHOWN: usize = 20 * MAX_N;
/// The most sets on the way to safety.
const MAX_PHASES: usize = 64;
/// The most problems that are told.
const MAX_PROBLEMS: usize = 100;

/// So many expressions a text may evaluate for a ring before its first interaction, for some interactions, for a look at the sets of a
/// configuration, and for a file.
const MAKING: u64 = 1 << 22;
const SLICE: u64 = 1 << 20;
const LOOK: u64 = 1 << 22;
const FILE: u64 = 1 << 27;

/// What a byte of a text becomes in memory, and what the constants of a text take, since each of their parts has a price.
const BYTE: usize = 160;
const CONSTANTS: usize = 8 << 20;
/// How often executed lines are counted up to a step that is remembered, and what a line takes for that.
pub(crate) const COUNTS: usize = 32;
const LINE: usize = 8 * (COUNTS + 2);

/// What a text takes in memory.
pub(crate) fn text_bytes(text: &str) -> usize {
    CONSTANTS + BYTE * text.len() + LINE * text.lines().count()
}

/// Why a run cannot be shown.
pub(crate) enum Why {
    /// Its text is wrong.
    Text(Problems),
    /// Anything else.
    Other(Error),
}

impl<E: Into<Error>> From<E> for Why {
    fn from(error: E) -> Self {
        Self::Other(error.into())
    }
}

impl Why {
    pub(crate) fn into_error(self) -> Error {
        match self {
            Self::Text(problems) => Error::new(problems.to_string()),
            Self::Other(error) => error,
        }
    }
}

/// A text that was read, and is to be run.
pub(crate) struct Reading {
    pub(crate) program: Arc<Program>,
    trouble: Trouble,
}

impl Reading {
    /// Reads a text that somebody sent.
    pub(crate) fn new(name: &str, text: &str) -> Result<Self, Why> {
        if text.len() > MAX_TEXT {
            let allowed = format!("a text that is shown has {MAX_TEXT} bytes at most");
            return Err(Refusal::new("text", format!("{} bytes", text.len()), allowed).into());
        }
        if !is_file(name) || name.len() > 200 || name.chars().any(|c| c.is_control() || "\"\\".contains(c)) {
            return Err(Refusal::new("protocol", name, "a text has the name of a file, which ends in .py").into());
        }
        let program = ringleader_notation::read(name, text).map_err(Why::Text)?;
        if program.phases.len() > MAX_PHASES {
            return Err(Refusal::new("phases", program.phases.len(), format!("at most {MAX_PHASES} are shown")).into());
        }
        let trouble = Trouble::default();
        trouble.patience.allow(MAKING);
        Ok(Self { program: Arc::new(program), trouble })
    }

    /// These protocols and the text.
    pub(crate) fn among(&self, catalogue: &Catalogue) -> Catalogue {
        let name = &self.program.file;
        let others = catalogue.0.iter().filter(|one| one.about().name != *name.as_str()).cloned();
        let own: Arc<dyn AnyProtocol> = protocol(&self.program, name, &self.trouble);
        Catalogue(std::iter::once(own).chain(others).collect(), catalogue.1.clone())
    }

    /// Refuses a ring that the text does not allow, or that would be too large to be shown.
    pub(crate) fn check(&self, n: usize, params: &Params) -> Result<(), Why> {
        let setting = match Setting::within(&self.program, n, params, &self.trouble.patience) {
            Ok(setting) => setting,
            Err(Refused::Ring(error)) => return Err(error.into()),
            Err(Refused::Text(fault)) => return Err(self.wrong(&fault)),
        };
        let values = |cell: &Cell| match cell {
            Cell::One(_) => 1,
            Cell::Maybe(_, parts) => 1 + parts.len(),
        };
        let cells = setting.layout.fields.iter().flat_map(|field| &field.cells);
        let values: usize = cells.map(|(_, cell)| values(cell)).sum();
        if values > MAX_VALUES {
            return Err(Refusal::new("variables", values, format!("an agent that is shown has {MAX_VALUES}")).into());
        }
        if values * n > MAX_SHOWN {
            let most = MAX_SHOWN / values;
            let allowed = format!("a ring of agents with {values} values is shown up to {most} agents");
            return Err(Refusal::new("n", n, allowed).into());
        }
        Ok(())
    }

    fn wrong(&self, fault: &Fault) -> Why {
        Why::Text(problems(&self.program, fault))
    }

    /// What was made, unless the text went wrong on the way.
    pub(crate) fn made<T, E: Into<Why>>(&self, made: Result<T, E>) -> Result<T, Why> {
        match self.trouble.take() {
            Some(fault) => Err(self.wrong(&fault)),
            None => made.map_err(Into::into),
        }
    }

    pub(crate) fn listing(self, ring: Ring, params: &Params) -> Listing {
        self.trouble.patience.allow(MAKING);
        let lines = Lines::new(&self.program, ring, params, &self.trouble).ok();
        let _ = self.trouble.take();
        Listing { program: self.program, runs: true, trouble: self.trouble, lines }
    }
}

/// A text beside a run.
pub(crate) struct Listing {
    pub(crate) program: Arc<Program>,
    /// Whether it is the text that runs; otherwise it says what the protocol that runs does.
    pub(crate) runs: bool,
    trouble: Trouble,
    lines: Option<Lines>,
}

impl Listing {
    /// The text of a protocol in Rust. On rings that it refuses no lines are told.
    pub(crate) fn beside(program: &Arc<Program>, described: &Described) -> Self {
        let trouble = Trouble::default();
        trouble.patience.allow(MAKING);
        let params = Params(described.settings.iter().map(|(name, value)| (name.to_string(), *value)).collect());
        let lines = Lines::new(program, described.ring, &params, &trouble).ok();
        Self { program: program.clone(), runs: false, trouble, lines }
    }

    /// The lines that an interaction executed, in their order.
    pub(crate) fn lines(&self, step: &Step) -> Vec<u32> {
        self.trouble.patience.allow(SLICE);
        let input = Input { coin: step.coin.unwrap_or(0), leader: step.leader };
        let lines = self.lines.as_ref().map_or_else(Vec::new, |lines| lines.of(&step.before, input));
        let _ = self.trouble.take();
        lines
    }

    /// Whether lines are told.
    pub(crate) fn tells(&self) -> bool {
        self.lines.is_some()
    }

    /// As plain data.
    pub(crate) fn value(&self) -> Value {
        let layout = self.lines.as_ref().map(Lines::layout);
        let fields = layout.iter().flat_map(|layout| &layout.fields).map(|field| {
            let names: Vec<Value> = field.cells.iter().map(|(name, _)| name.as_str().into()).collect();
            (field.name.clone(), Value::from(names))
        });
        Value::map([
            ("text", (&*self.program.text).into()),
            ("runs", self.runs.into()),
            ("tells", self.tells().into()),
            ("fields", Value::map(fields)),
        ])
    }
}

/// What is wrong with a text, as plain data.
pub(crate) fn told(problems: &Problems) -> Value {
    problems.all.iter().take(MAX_PROBLEMS).map(problem).collect::<Vec<_>>().into()
}

fn problem(Problem { span, what, help }: &Problem) -> Value {
    Value::map([
        ("line", Value::from(span.line)),
        ("column", span.column.into()),
        ("end_line", span.end_line.into()),
        ("end_column", span.end_column.into()),
        ("what", brief(what).into()),
        ("help", brief(help).into()),
    ])
}

/// A fault at its place.
pub(crate) fn fault(fault: &Fault) -> Value {
    problem(&Problem::new(fault.span, fault.what.clone(), ""))
}

// --- Patience -------------------------------------------------------------------------------------------------------

/// So many interactions are run between two looks at the time.
pub(crate) const CHUNK: u64 = 1 << 14;

/// How a run goes on: protocols in Rust are quick, a text has patience for a slice only.
pub(crate) struct Pace {
    text: Option<Trouble>,
    chunk: u64,
}

impl Pace {
    pub(crate) fn new(listing: Option<&Listing>) -> Self {
        let text = listing.filter(|listing| listing.runs).map(|listing| listing.trouble.clone());
        let chunk = if text.is_some() { 64 } else { CHUNK };
        Self { text, chunk }
    }

    /// Does something with so many interactions at most from a cursor; `go` gets the cursor and how many there may be. If that was
    /// too much for the text, or it went wrong, the cursor is where it was and fewer are tried; `Err` is the fault of a single one.
    pub(crate) fn attempt<T>(
        &mut self,
        cursor: &mut Cursor,
        steps: u64,
        go: impl FnMut(&mut Cursor, u64) -> T,
    ) -> Result<T, Fault> {
        self.within(SLICE, cursor, steps, go)
    }

    /// The same for interactions after each of which there is a look at sets.
    pub(crate) fn attempt_looking<T>(
        &mut self,
        cursor: &mut Cursor,
        steps: u64,
        go: impl FnMut(&mut Cursor, u64) -> T,
    ) -> Result<T, Fault> {
        self.within(SLICE + LOOK, cursor, steps, go)
    }

    fn within<T>(
        &mut self,
        patience: u64,
        cursor: &mut Cursor,
        steps: u64,
        mut go: impl FnMut(&mut Cursor, u64) -> T,
    ) -> Result<T, Fault> {
        let mut steps = steps.min(self.chunk);
        let Some(trouble) = &self.text else { return Ok(go(cursor, steps)) };
        loop {
            let before = cursor.duplicate();
            trouble.patience.allow(patience);
            let done = go(cursor, steps);
            let easy = trouble.patience.left() > patience / 2;
            let Some(fault) = trouble.take() else {
                self.chunk = if easy { (2 * self.chunk).min(CHUNK) } else { self.chunk };
                return Ok(done);
            };
            *cursor = before;
            if steps == 1 {
                return Err(fault);
            }
            steps = (steps / 8).max(1);
            self.chunk = steps;
        }
    }

    /// Goes on towards a step that lies ahead.
    pub(crate) fn forward(
        &mut self,
        cursor: &mut Cursor,
        edits: &Edits,
        goal: u64,
    ) -> Result<Result<(), Error>, Fault> {
        let ahead = goal - cursor.at;
        self.attempt(cursor, ahead, |cursor, steps| cursor.forward(edits, cursor.at + steps))
    }

    /// Looks at a configuration, and says what went wrong with that.
    pub(crate) fn look<T>(&self, look: impl FnOnce() -> T) -> (T, Option<Fault>) {
        let Some(trouble) = &self.text else { return (look(), None) };
        trouble.patience.allow(LOOK);
        let seen = look();
        (seen, trouble.take())
    }

    /// Does something for a file, which cannot be divided.
    pub(crate) fn file<T>(&self, make: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        let Some(trouble) = &self.text else { return make() };
        trouble.patience.allow(FILE);
        let made = make();
        match trouble.take() {
            Some(_) => Err(Error::new("the run takes too long for a file; take the configuration instead")),
            None => made,
        }
    }
}
