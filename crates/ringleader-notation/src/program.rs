//! What a file says, once its names are known; still without n and parameters.

use std::sync::Arc;

use ringleader::ring::Orientation;

use crate::ast::Span;
use crate::tree::{Expr, Extra, Function, VariableDecl};

/// Where the value of a constant goes.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// A global.
    One(usize),
    /// `(a, b) = ..`.
    Tuple(Vec<Pattern>),
}

/// One line of what is computed when n and parameters are known, in the order of the file.
#[derive(Clone, Debug)]
pub enum Setup {
    /// A constant.
    Constant(Pattern, Expr),
    /// A parameter: its global and its default.
    Parameter(usize, Expr),
    /// A condition, with its message.
    Require(Expr, String),
}

/// A set on the way to safety.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseDecl {
    /// The function.
    pub function: usize,
    /// Whether it is said to be closed.
    pub closed: bool,
}

/// A file whose names are resolved.
#[derive(Clone, Debug)]
pub struct Program {
    /// The name of the file.
    pub file: String,
    /// The text.
    pub text: Arc<str>,
    /// The first line of the text at the top.
    pub summary: String,
    /// The ring.
    pub ring: Orientation,
    /// All names in quotes, by number.
    pub names: Vec<String>,
    /// `n`, constants and parameters, by number.
    pub globals: Vec<String>,
    /// How many locals the generators of [`Program::setup`] and of domains need.
    pub locals: usize,
    /// What is computed first.
    pub setup: Vec<Setup>,
    /// The variables of an agent.
    pub variables: Vec<VariableDecl>,
    /// All functions.
    pub functions: Vec<Function>,
    /// The transition function.
    pub interact: usize,
    /// Its arguments beyond the two agents.
    pub extras: Vec<Extra>,
    /// Whether an agent is a leader.
    pub leader: Option<usize>,
    /// What an agent says.
    pub output: Option<usize>,
    /// The safe set.
    pub safe: Option<usize>,
    /// The starts, the first being the default.
    pub starts: Vec<usize>,
    /// Sets on the way to safety.
    pub phases: Vec<PhaseDecl>,
    /// Sets that are claimed to be closed, phases among them.
    pub claims: Vec<usize>,
    /// From where safety is promised, if not from everywhere.
    pub promise: Option<usize>,
    /// Whether the inputs are right.
    pub inputs: Option<usize>,
    /// After so many steps an honest run has long been safe.
    pub limit: Option<Expr>,
    /// What it assumes, in words.
    pub assumption: Option<String>,
    /// The claimed number of steps, in words.
    pub bound: Option<String>,
    /// Lines of the file with their numbers in the paper.
    pub paper_lines: Vec<(u32, String)>,
}

impl Program {
    /// The functions that are sets of configurations, each once.
    pub fn sets(&self) -> impl Iterator<Item = usize> {
        let phases = self.phases.iter().map(|phase| phase.function);
        let others = self.inputs.into_iter().chain(self.promise).chain(self.claims.iter().copied()).chain(self.safe);
        let mut sets: Vec<usize> = phases.chain(others).collect();
        sets.sort_unstable();
        sets.dedup();
        sets.into_iter()
    }

    /// Whether a function is a set that is said to be closed, or from which safety is promised.
    #[must_use]
    pub fn is_claimed(&self, function: usize) -> bool {
        self.claims.contains(&function) || self.promise == Some(function)
    }

    /// The text of a place on one line, for messages.
    #[must_use]
    pub fn words(&self, span: Span) -> String {
        let line = self.text.lines().nth(span.line.saturating_sub(1) as usize).unwrap_or("");
        let from = span.column.saturating_sub(1) as usize;
        let count =
            if span.end_line == span.line { span.end_column.saturating_sub(span.column) as usize } else { usize::MAX };
        line.chars().skip(from).take(count).collect()
    }
}
