//! Told how things go, and asked whether to go on: the only callback of the library.

use std::ops::ControlFlow;

use crate::trial::Record;
use crate::value::Text;

/// How far something has come.
#[derive(Clone, Copy)]
pub struct Progress<'a> {
    /// How many interactions, or whatever the work consists of, are done.
    pub steps: u64,
    /// Counts worth watching, if there are any.
    pub gauges: &'a dyn Fn() -> Vec<(Text, usize)>,
}

impl Progress<'_> {
    /// A number of steps and nothing else.
    #[must_use]
    pub fn of(steps: u64) -> Self {
        Self { steps, gauges: &Vec::new }
    }
}

/// Told how things go, and asked whether to go on.
pub trait Observer: Sync {
    /// Called now and then.
    fn progress(&self, _: Progress<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Called with each record, in the order in which trials end, and the place of its seed among those that were asked for. If
    /// somebody broke off, that includes trials which were under way; they are marked as interrupted.
    fn finished(&self, _index: usize, _record: Record) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Nobody looks.
impl Observer for () {}
