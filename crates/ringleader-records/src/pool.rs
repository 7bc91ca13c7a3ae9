//! One pool of threads for everything that takes long. What comes out does not depend on how many there are.

use std::fmt::Display;
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

/// Stops the threads that were started, since one could not be; what is said of it.
fn give_up(threads: usize, failed: &AtomicBool, why: &dyn Display) -> Error {
    failed.store(true, Ordering::Relaxed);
    Error::new(format!("cannot start {threads} threads: {why}"))
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
            started.map_err(|error| give_up(threads, failed, &error))?;
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    /// No test can make a machine run out of threads, so this is what is done then.
    #[test]
    fn a_thread_that_cannot_be_started_stops_the_others() {
        let failed = AtomicBool::new(false);
        let told = give_up(7, &failed, &"no room");
        assert_eq!(told.to_string(), "cannot start 7 threads: no room");
        assert!(failed.load(Ordering::Relaxed));
    }

    #[test]
    fn the_first_failure_is_told_and_stops_the_others() {
        let (next, failed) = (AtomicU64::new(0), AtomicBool::new(false));
        let make = || {
            let number = next.fetch_add(1, Ordering::Relaxed);
            (!failed.load(Ordering::Relaxed)).then_some(if number < 3 { Ok(number) } else { Err(Error::new("three")) })
        };
        let mut taken = Vec::new();
        let spoilt = spread(1, &failed, make, |made| {
            taken.extend(made);
            Ok(())
        });
        assert_eq!((spoilt.unwrap_err().to_string(), taken), ("three".to_owned(), vec![0, 1, 2]));
        assert!(failed.load(Ordering::Relaxed));
    }

    #[test]
    fn a_failure_to_take_is_told_too_and_all_that_is_made_is_offered() {
        let (next, failed, mut offered) = (AtomicU64::new(0), AtomicBool::new(false), 0);
        let make = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|number| *number < 9).map(Ok);
        let spoilt = spread(3, &failed, make, |made| {
            offered += u64::from(made.is_some());
            made.map_or(Ok(()), |_| Err(Error::new(format!("number {offered}"))))
        });
        assert_eq!((spoilt.unwrap_err().to_string(), offered), ("number 1".to_owned(), 9));
        assert!(failed.load(Ordering::Relaxed));
    }
}
