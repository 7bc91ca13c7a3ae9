//! A text beside its run: the protocol whatever its types, and the lines that an interaction executes.

use std::sync::Arc;

use ringleader::catalogue::AnyProtocol;
use ringleader::error::Error;
use ringleader::params::Params;
use ringleader::protocol::{Input, Protocol};
use ringleader::ring::Ring;
use ringleader::value::Value;
use ringleader::variables::Variables;

use crate::program::Program;
use crate::setting::{Layout, State};
use crate::written::{Trouble, Written, blueprint};

/// A file as a protocol whose types are forgotten; faults while it runs go to `trouble`.
#[must_use]
pub fn protocol(program: &Arc<Program>, name: &str, trouble: &Trouble) -> Arc<dyn AnyProtocol> {
    Arc::new(Arc::new(blueprint(program, name, trouble)))
}

/// The lines of a text that interactions execute. States are told as plain data, so that the run may be that of a protocol in Rust that
/// does the same as the text.
pub struct Lines {
    written: Written,
    variables: Variables<State>,
}

impl Lines {
    /// Those of a file on a ring.
    ///
    /// # Errors
    /// If the file refuses the ring or a parameter, or something is wrong with it there.
    pub fn new(program: &Arc<Program>, ring: Ring, params: &Params, trouble: &Trouble) -> Result<Self, Error> {
        let written = Written::new(program, ring, params, trouble)?;
        let variables = written.variables();
        Ok(Self { written, variables })
    }

    /// The lines that an interaction of agents in these states executes, in their order; none if they are no states of the file.
    #[must_use]
    pub fn of(&self, before: &[Value; 2], input: Input) -> Vec<u32> {
        let [l, r] = before.each_ref().map(|state| self.variables.decode(state, State::default()));
        match (l, r) {
            (Ok(l), Ok(r)) => self.written.lines(&l, &r, input),
            _ => Vec::new(),
        }
    }

    /// The variables of the text, with the names of their values.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.written.setting().layout
    }
}
