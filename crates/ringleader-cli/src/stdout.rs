//! Standard output.

use std::io::{self, BufWriter, Write};

use ringleader::value::Value;
use ringleader_records::json;

use crate::stop::Stop;

/// Standard output, buffered; errors are reported, and a closed pipe is no error.
pub(crate) fn to_stdout(fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Stop> {
    let mut out = BufWriter::new(anstream::AutoStream::auto(io::stdout().lock()));
    fill(&mut out)?;
    Ok(out.flush()?)
}

/// The version of what commands print as JSON; `docs/json.md` says when it grows.
pub(crate) const SCHEMA: u32 = 1;

/// An answer with what makes it known: the version, and of which kind it is.
pub(crate) fn signed(kind: &str, answer: Value) -> Value {
    let mut pairs = vec![("schema".to_owned(), SCHEMA.into()), ("kind".to_owned(), kind.into())];
    pairs.extend(if let Value::Map(answer) = answer { answer } else { vec![("answer".to_owned(), answer)] });
    Value::Map(pairs)
}

/// One JSON object of this kind, or text for people.
pub(crate) fn print(
    as_json: bool,
    kind: &str,
    value: impl FnOnce() -> Value,
    people: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Stop> {
    to_stdout(|out| if as_json { json::write_line(out, &signed(kind, value())) } else { people(out) })
}
