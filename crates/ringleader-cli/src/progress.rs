//! A progress bar for long work, and Ctrl-C.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::text::ratio;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// How many pieces of work look for an interruption.
static LOOKING: AtomicUsize = AtomicUsize::new(0);

/// From now on the first Ctrl-C asks long work to stop and to save what it has. The second, or the first where nothing
/// would notice it, ends the process.
pub(crate) fn catch_interrupts() {
    // Without a handler Ctrl-C ends the process at once, which is a poorer but still a right answer.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::SeqCst) || LOOKING.load(Ordering::SeqCst) == 0 {
            std::process::exit(130);
        }
    });
}

/// Whether Ctrl-C was pressed.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// Somebody who looks for an interruption.
pub(crate) struct Looking(());

/// From now on until the result is dropped, somebody looks for an interruption.
pub(crate) fn look() -> Looking {
    LOOKING.fetch_add(1, Ordering::SeqCst);
    Looking(())
}

impl Looking {
    /// Whether Ctrl-C was pressed.
    pub(crate) fn interrupted(&self) -> bool {
        interrupted()
    }
}

impl Drop for Looking {
    fn drop(&mut self) {
        LOOKING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A bar on standard error while it is a terminal; nothing otherwise.
pub(crate) struct Bar {
    bar: ProgressBar,
    due: Instant,
    _looking: Looking,
}

impl Bar {
    /// A bar towards `length` steps; it fits 80 columns.
    pub(crate) fn new(length: u64, quiet: bool) -> Self {
        let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
        let form = "{elapsed} [{bar:12}] {human_pos}/{human_len} {msg}";
        if let Ok(style) = ProgressStyle::with_template(form) {
            bar.set_style(style.progress_chars("=> "));
        }
        if quiet {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        Self { bar, due: Instant::now(), _looking: look() }
    }

    /// The same bar towards another length.
    pub(crate) fn set_length(&self, length: u64) {
        self.bar.set_length(length);
    }

    /// Shows where the work is, ten times a second at most; `Break` after Ctrl-C.
    pub(crate) fn show(&mut self, steps: u64, message: impl FnOnce() -> String) -> ControlFlow<()> {
        if interrupted() {
            return ControlFlow::Break(());
        }
        if !self.bar.is_hidden() && Instant::now() >= self.due {
            self.bar.set_message(message());
            self.bar.set_position(steps);
            self.due = Instant::now() + Duration::from_millis(100);
        }
        ControlFlow::Continue(())
    }
}

/// Takes the bar off the screen.
impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A bar, or something else that observers share; should one of them have panicked, it is still whole.
pub(crate) fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How fast trials go, and how long they will take.
pub(crate) fn pace(done: u64, trials: u64, elapsed: Duration) -> String {
    if done == 0 {
        return "trials".into();
    }
    let each = elapsed.as_secs_f64() / done as f64;
    let left = Duration::try_from_secs_f64(each * trials.saturating_sub(done) as f64).unwrap_or(Duration::MAX);
    format!("trials, {}/s, {} left", ratio(1.0 / each.max(1e-9)), HumanDuration(left))
}
