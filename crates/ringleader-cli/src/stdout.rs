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

/// One JSON object, or text for people.
pub(crate) fn print(
    as_json: bool,
    value: impl FnOnce() -> Value,
    people: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Stop> {
    to_stdout(|out| if as_json { json::write_line(out, &value()) } else { people(out) })
}
