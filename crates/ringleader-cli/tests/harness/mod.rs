//! Runs the binary as a user would.

#![allow(dead_code, reason = "each test binary uses its part of the harness")]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// Only what would never come ends here, however slow the machine is.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

/// The program, ready for arguments.
pub(crate) fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_ringleader"))
}

/// Runs it to the end.
pub(crate) fn ringleader(args: &[&str]) -> Output {
    program().args(args).stdin(Stdio::null()).output().unwrap()
}

/// Runs it with a text on standard input.
pub(crate) fn ringleader_with_input(args: &[&str], input: &str) -> Output {
    let mut child =
        program().args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A command that refuses its arguments may close its input before it is all written.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// Presses Ctrl-C.
pub(crate) fn interrupt(child: &Child) {
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
}

/// Runs what takes very long, interrupts it, and gives what it has said then. If that was too early, which only the machine decides, it is
/// run again and interrupted later.
pub(crate) fn interrupted(args: &[&str], begun: impl Fn(&Output) -> bool) -> Output {
    let mut pause = Duration::from_millis(50);
    loop {
        let mut command = program();
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // Held open, so that the end of the input is not what ends it.
        let _input = child.stdin.take();
        std::thread::sleep(pause);
        interrupt(&child);
        let output = child.wait_with_output().unwrap();
        if begun(&output) {
            return output;
        }
        assert!(pause < PATIENCE, "{args:?} does not begin: {output:?}");
        pause *= 2;
    }
}

/// Its standard output as JSON.
pub(crate) fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{error}: {} {}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
    })
}

/// Its standard error as text.
pub(crate) fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A file for one test, with this text.
pub(crate) fn file(name: &str, text: &str) -> String {
    let path = place(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// The path of a file for one test, which does not exist yet.
pub(crate) fn place(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_file(&path);
    path.to_string_lossy().into_owned()
}
