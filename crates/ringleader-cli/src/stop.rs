//! Why a command ended otherwise than well, and the exit code that says so.

use std::io::{self, Write};
use std::process::ExitCode;

use ringleader::catalogue::AnyProtocol;
use ringleader::error::Error;
use ringleader::value::Value;
use ringleader_notation::source::{Problem, Problems};
use ringleader_records::json;

use crate::progress::interrupted_code;
use crate::stdout::signed;

/// The end of a command that is not plain success.
#[derive(Debug)]
pub(crate) enum Stop {
    /// A check or an expectation failed: exit code 1.
    Failed(String),
    /// Wrong use, bad input, or a file that cannot be read or written: exit code 2.
    Bad(String),
    /// Something is wrong with the text of a protocol: exit code 2.
    Wrong(Problems),
    /// The limit came before safety: exit code 3. The command has said so itself.
    Limit,
    /// A claim was refuted: exit code 1. The command has said so itself.
    Refuted,
    /// A check does not fit into memory, or a claim is unknown within its limits: exit code 4. The command has said so itself.
    Undecided,
    /// There are too many configurations: exit code 4.
    TooLarge(String),
    /// Ctrl-C or SIGTERM: exit code 130 or 143, with a message unless the command has said so itself.
    Interrupted(Option<String>),
    /// Another process has done the work and said everything: its exit code.
    #[cfg(feature = "prove")]
    Done(u8),
    /// The reader of our output went away (`| head`): nothing is wrong.
    Unheard,
}

impl Stop {
    /// Tells the user on standard error, in words or as a JSON object, and gives the exit code.
    pub(crate) fn report(self, as_json: bool) -> ExitCode {
        let kind = if matches!(self, Self::Interrupted(_)) { "interrupted" } else { "error" };
        let problems = if let Self::Wrong(problems) = &self { listed(problems) } else { Vec::new() };
        let (code, message) = match self {
            Self::Wrong(problems) => (2, Some(problems.to_string())),
            Self::Failed(message) => (1, Some(message)),
            Self::Bad(message) => (2, Some(message)),
            Self::Limit => (3, None),
            Self::Refuted => (1, None),
            Self::Undecided => (4, None),
            Self::TooLarge(message) => (4, Some(message)),
            Self::Interrupted(message) => (interrupted_code(), message),
            #[cfg(feature = "prove")]
            Self::Done(code) => (code, None),
            Self::Unheard => (0, None),
        };
        if let Some(message) = message {
            tell(kind, &message, problems, code, as_json);
        }
        ExitCode::from(code)
    }
}

/// What is wrong with a text, all of it.
fn listed(Problems { file, all, .. }: &Problems) -> Vec<Value> {
    let one = |Problem { span, what, help }: &Problem| {
        Value::map([
            ("file", Value::from(file.as_str())),
            ("line", span.line.into()),
            ("column", span.column.into()),
            ("end_line", span.end_line.into()),
            ("end_column", span.end_column.into()),
            ("message", what.as_str().into()),
            ("help", help.as_str().into()),
        ])
    };
    all.iter().map(one).collect()
}

/// If even standard error is closed, the exit code has to say it alone.
fn tell(kind: &str, message: &str, problems: Vec<Value>, code: u8, as_json: bool) {
    let _ = if as_json {
        let error = [
            ("error", Value::from(message)),
            ("interrupted", (kind == "interrupted").into()),
            ("exit_code", code.into()),
            ("problems", problems.into()),
        ];
        json::write_line(&mut io::stderr(), &signed("error", Value::map(error)))
    } else {
        writeln!(anstream::stderr(), "{}: {message}", crate::text::alarm(kind))
    };
}

/// What came of a text that went wrong means nothing, so it is not shown.
pub(crate) fn sound(protocol: &dyn AnyProtocol) -> Result<(), Stop> {
    protocol.fault().map_or(Ok(()), |fault| Err(fault.into()))
}

/// The result of a command that has printed `heard` and come to a `verdict`: a reader that went away does not change the
/// verdict.
pub(crate) fn outcome(heard: Result<(), Stop>, verdict: Result<(), Stop>) -> Result<(), Stop> {
    match heard {
        Ok(()) | Err(Stop::Unheard) => verdict,
        failed => failed,
    }
}

/// A circuit that is not its clear form is no wrong use: a check has failed.
impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        if error.name == "circuit" { Self::Failed(error.to_string()) } else { Self::Bad(error.to_string()) }
    }
}

impl From<ringleader_records::error::Error> for Stop {
    fn from(error: ringleader_records::error::Error) -> Self {
        Self::Bad(error.0)
    }
}

impl From<Problems> for Stop {
    fn from(problems: Problems) -> Self {
        Self::Wrong(problems)
    }
}

/// An error while writing to standard output.
impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Unheard,
            _ => Self::Bad(format!("cannot write to standard output: {error}")),
        }
    }
}
