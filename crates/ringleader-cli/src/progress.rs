//! A progress bar for long work, and signals that ask it to stop: Ctrl-C and SIGTERM.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use ringleader_records::files;
use signal_hook::consts::{SIGINT, SIGTERM};
#[cfg(unix)]
use signal_hook::iterator::Signals;

use crate::text::{duration, short};

/// The exit code of the signal that came, 128 and its number; 0 if none came.
static CODE: AtomicUsize = AtomicUsize::new(0);
/// Whether a signal ends the process at once.
static AT_ONCE: AtomicBool = AtomicBool::new(true);
/// How many pieces of work look for an interruption.
static LOOKING: AtomicUsize = AtomicUsize::new(0);

/// From now on the first signal asks long work to stop and to save what it has. The second, or the first where nothing
/// would notice it, ends the process, and files that are not finished go with it.
#[cfg(unix)]
pub(crate) fn catch_interrupts() {
    let (sender, caught) = channel();
    // Without handlers a signal ends the process at once, which is a poorer but still a right answer.
    let started = thread::Builder::new().spawn(move || {
        let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else { return };
        let _ = sender.send(());
        signals.forever().for_each(heed);
    });
    if started.is_ok() {
        let _ = caught.recv();
    }
}

/// Does what a signal asks for.
#[cfg(unix)]
fn heed(signal: i32) {
    let code = 128 + signal;
    if AT_ONCE.load(Ordering::SeqCst) {
        files::abandon();
        // Without the farewells of a process, during which other threads would still be at work.
        signal_hook::low_level::exit(code);
    }
    CODE.store(code as usize, Ordering::SeqCst);
    AT_ONCE.store(true, Ordering::SeqCst);
}

/// The same where signals cannot be waited for: files that are not finished stay.
#[cfg(not(unix))]
pub(crate) fn catch_interrupts() {
    use signal_hook::flag;
    for signal in [SIGINT, SIGTERM] {
        let code = 128 + signal;
        // What is registered first is done first.
        let _ = flag::register_conditional_shutdown(signal, code, &AT_ONCE)
            .and_then(|_| flag::register_usize(signal, &CODE, code as usize))
            .and_then(|_| flag::register(signal, &AT_ONCE));
    }
}

/// Whether a signal asks to stop.
pub(crate) fn interrupted() -> bool {
    CODE.load(Ordering::SeqCst) != 0
}

/// The exit code after an interruption.
pub(crate) fn interrupted_code() -> u8 {
    u8::try_from(CODE.load(Ordering::SeqCst)).ok().filter(|code| *code > 0).unwrap_or(128 + SIGINT as u8)
}

/// Work that looks for an interruption.
#[must_use]
pub(crate) struct Looking(());

/// From now on until the result is dropped, an interruption is looked for.
pub(crate) fn look() -> Looking {
    LOOKING.fetch_add(1, Ordering::SeqCst);
    if !interrupted() {
        AT_ONCE.store(false, Ordering::SeqCst);
    }
    Looking(())
}

impl Drop for Looking {
    fn drop(&mut self) {
        if LOOKING.fetch_sub(1, Ordering::SeqCst) == 1 {
            AT_ONCE.store(true, Ordering::SeqCst);
        }
    }
}

/// A bar on standard error while it is a terminal; nothing otherwise.
pub(crate) struct Bar {
    bar: ProgressBar,
    due: Instant,
    /// When the present part of the work began, and where it was shown last.
    begin: Instant,
    last: u64,
    /// Whether the length is only the most that it can become.
    most: bool,
    _looking: Looking,
}

/// Speeds and times are told from here on; sooner they would be noise.
const TELLING: Duration = Duration::from_millis(500);

impl Bar {
    /// A bar towards `length` steps.
    pub(crate) fn new(length: u64, quiet: bool) -> Self {
        Self::on(if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() }, length)
    }

    /// A bar towards `length` steps, after which the work is given up.
    pub(crate) fn at_most(length: u64, quiet: bool) -> Self {
        let mut bar = Self::new(length, quiet);
        bar.most = true;
        bar
    }

    fn on(target: ProgressDrawTarget, length: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(length), target);
        // A wide message is cut where the terminal ends: a line that is broken in two could not be taken back.
        if let Ok(style) = ProgressStyle::with_template("{elapsed} [{bar:12}] {wide_msg}") {
            bar.set_style(style.progress_chars("=> "));
        }
        let now = Instant::now();
        Self { bar, due: now, begin: now, last: 0, most: false, _looking: look() }
    }

    /// The same bar towards another length.
    pub(crate) fn set_length(&self, length: u64) {
        self.bar.set_length(length);
    }

    /// Shows where the work is, how fast it goes and how long it will take, ten times a second at most; `Break` after an
    /// interruption.
    pub(crate) fn show(&mut self, steps: u64, message: impl FnOnce() -> String) -> ControlFlow<()> {
        let length = self.bar.length().unwrap_or_default();
        if steps < self.last {
            self.begin = Instant::now();
        }
        self.last = steps;
        let pace = pace(steps, length, self.begin.elapsed(), self.most);
        let share = steps as f64 / length.max(1) as f64;
        self.at(share, || format!("{}/{} {}{pace}", HumanCount(steps), HumanCount(length), message()))
    }

    /// The same for work that knows itself what is to be said, and how much of it is done.
    pub(crate) fn at(&mut self, share: f64, message: impl FnOnce() -> String) -> ControlFlow<()> {
        if interrupted() {
            return ControlFlow::Break(());
        }
        if !self.bar.is_hidden() && Instant::now() >= self.due {
            self.bar.set_message(message());
            self.bar.set_position((share.clamp(0.0, 1.0) * self.bar.length().unwrap_or_default() as f64) as u64);
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

/// How fast work goes, and how long it will take, or can take at most.
fn pace(done: u64, length: u64, elapsed: Duration, most: bool) -> String {
    if done == 0 || elapsed < TELLING {
        return String::new();
    }
    let rate = done as f64 / elapsed.as_secs_f64();
    let left = duration(length.saturating_sub(done) as f64 / rate);
    let left = if most { format!("at most {left}") } else { format!("{left} left") };
    format!(", {}/s, {left}", short(rate))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use std::sync::{Arc, Mutex};

    use indicatif::TermLike;

    /// A terminal of 60 columns that keeps what is written, in lines.
    #[derive(Debug, Default, Clone)]
    struct Narrow(Arc<Mutex<Vec<String>>>);

    impl TermLike for Narrow {
        fn width(&self) -> u16 {
            60
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> io::Result<()> {
            self.write_str(text)?;
            self.clear_line()
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().last_mut().unwrap().push_str(text);
            Ok(())
        }
        fn clear_line(&self) -> io::Result<()> {
            self.0.lock().unwrap().push(String::new());
            Ok(())
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn speed_and_time_are_told_as_soon_as_they_are_known() {
        let after = |seconds, done, most| pace(done, 1_000_000, Duration::from_secs_f64(seconds), most);
        assert_eq!(after(0.1, 500, false), "");
        assert_eq!(after(2.0, 0, false), "");
        assert_eq!(after(2.0, 200_000, false), ", 100,000/s, 8 s left");
        assert_eq!(after(2.0, 20_000, true), ", 10,000/s, at most 98 s");
    }

    #[test]
    fn a_line_never_breaks() {
        let terminal = Narrow(Arc::new(Mutex::new(vec![String::new()])));
        let mut bar = Bar::on(ProgressDrawTarget::term_like(Box::new(terminal.clone())), 341_127_603_200_000);
        let message = || "steps, 12 leaders, 345 live bullets, and whatever else a protocol has to say".into();
        assert!(bar.show(1_989_146_632, message).is_continue());
        bar.bar.tick();
        let lines = terminal.0.lock().unwrap().clone();
        assert!(lines.iter().any(|line| line.contains("] 1,989,146,632/341,127,603,200,000 st")), "{lines:?}");
        assert!(lines.iter().all(|line| line.chars().count() <= 60), "{lines:?}");
    }
}
