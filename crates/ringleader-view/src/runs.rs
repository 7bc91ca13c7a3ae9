//! The runs that the server remembers: the latest few. Each is a cache of what its description determines.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ringleader_records::error::Error;

use crate::description::Plan;
use crate::run::Run;

/// So many runs are remembered.
const MAX_RUNS: usize = 16;

/// A run that several requests may ask for.
type Shared = Arc<Mutex<Run>>;

/// The latest last.
#[derive(Default)]
pub(crate) struct Runs(Mutex<Vec<(String, Shared)>>);

impl Runs {
    /// Remembers a run, under a name that cannot be guessed.
    pub(crate) fn add(&self, plan: Plan) -> Result<(String, Shared), Error> {
        let id = format!("{:016x}", RandomState::new().build_hasher().finish());
        let run = Arc::new(Mutex::new(Run::new(plan)?));
        let mut runs = open(&self.0);
        if runs.len() >= MAX_RUNS {
            runs.remove(0);
        }
        runs.push((id.clone(), run.clone()));
        Ok((id, run))
    }

    /// The run of that name, which is now the latest.
    pub(crate) fn get(&self, id: &str) -> Option<Shared> {
        let mut runs = open(&self.0);
        let place = runs.iter().position(|(known, _)| known == id)?;
        let found = runs.remove(place);
        let run = found.1.clone();
        runs.push(found);
        Some(run)
    }
}

/// A lock; even if a thread panicked while it held it, what it guards is a cache that is still whole.
pub(crate) fn open<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
