//! Other people's code that may panic on what it is given, made to give an error instead.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

#[cfg(not(panic = "unwind"))]
compile_error!("a panic of the Parquet reader must be caught: build without panic = \"abort\"");

thread_local! {
    /// Whether a panic of this thread is caught and told as an error.
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// What some work gives, or what it panicked with, in one line. Nobody hears of the panic otherwise. Whatever the work has changed
/// must not be used after a panic.
pub(crate) fn contained<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static SILENCE: Once = Once::new();
    SILENCE.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !CAUGHT.get() {
                others(info);
            }
        }));
    });
    let before = CAUGHT.replace(true);
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    CAUGHT.set(before);
    done.map_err(|panic| in_words(panic.as_ref()))
}

fn in_words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    text.unwrap_or_default().lines().next().unwrap_or_default().chars().take(120).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_of_one_line() {
        assert_eq!(contained(|| 7), Ok(7));
        assert_eq!(contained(|| panic!("no {}\nnor more", "sense")), Err::<(), _>("no sense".into()));
        assert_eq!(contained(|| panic!("{}", "x".repeat(999))), Err::<(), _>("x".repeat(120)));
    }

    /// Only while the work is done, and also in work that is part of other work.
    #[test]
    fn nobody_hears_of_a_panic_that_is_caught() {
        assert!(!CAUGHT.get());
        let inner = || (contained(|| CAUGHT.get()), CAUGHT.get());
        assert_eq!(contained(inner), Ok((Ok(true), true)));
        assert!(!CAUGHT.get());
    }
}
