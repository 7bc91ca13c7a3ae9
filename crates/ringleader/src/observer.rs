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

/// How much is done between two questions, in interactions or agents looked at: some hundredths of a second.
pub const BETWEEN: u64 = 1 << 18;

/// Sees to it that an observer is asked after so much work, however the work is cut.
pub struct Pace<'a> {
    observer: &'a dyn Observer,
    left: u64,
}

impl<'a> Pace<'a> {
    /// Asks this observer.
    #[must_use]
    pub fn new(observer: &'a dyn Observer) -> Self {
        Self { observer, left: BETWEEN }
    }

    /// How much may be done before the next question; at least 1.
    #[must_use]
    pub fn room(&self) -> u64 {
        self.left
    }

    /// So much was done; asks if it is time to.
    ///
    /// # Errors
    /// If the observer breaks off.
    pub fn did(&mut self, work: u64, progress: Progress<'_>) -> ControlFlow<()> {
        if work < self.left {
            self.left -= work;
            return ControlFlow::Continue(());
        }
        self.ask(progress)
    }

    /// Asks now.
    pub fn ask(&mut self, progress: Progress<'_>) -> ControlFlow<()> {
        self.left = BETWEEN;
        self.observer.progress(progress)
    }
}
