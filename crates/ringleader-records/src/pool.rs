//! One pool of threads for everything that takes long. What comes out does not depend on how many there are.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::error::Error;

/// How often the caller hears of the time in between.
const TICK: Duration = Duration::from_millis(50);

/// As many threads as cores.
#[must_use]
pub fn all_cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// What threads share; should one of them have panicked, it is still whole.
pub(crate) fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets threads make results until there are none left, and takes them in here, one by one; `None` is the time in between.
/// After the first failure `failed` is true, and what is still made is taken in.
///
/// # Errors
/// The first failure of `make` or `take`, or threads that could not be started.
pub fn spread<T: Send, E: Send + From<Error>>(
    threads: usize,
    failed: &AtomicBool,
    make: impl Fn() -> Option<Result<T, E>> + Sync,
    mut take: impl FnMut(Option<T>) -> Result<(), E>,
) -> Result<(), E> {
    thread::scope(|scope| {
        let (sender, results) = channel();
        for _ in 0..threads {
            let (make, sender) = (&make, sender.clone());
            let work = move || while make().is_some_and(|made| sender.send(made).is_ok()) {};
            let started = thread::Builder::new().spawn_scoped(scope, work);
            started.map_err(|error| {
                failed.store(true, Ordering::Relaxed);
                Error::new(format!("cannot start {threads} threads: {error}"))
            })?;
        }
        drop(sender);
        let mut outcome = Ok(());
        loop {
            let taken = match results.recv_timeout(TICK) {
                Ok(made) => made.and_then(|made| take(Some(made))),
                Err(RecvTimeoutError::Timeout) => take(None),
                Err(RecvTimeoutError::Disconnected) => return outcome,
            };
            if taken.is_err() && outcome.is_ok() {
                failed.store(true, Ordering::Relaxed);
                outcome = taken;
            }
        }
    })
}
