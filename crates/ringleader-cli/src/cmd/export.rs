//! `ringleader export`: records for other programs.

use std::io::{self, Write};

use ringleader::value::Value;
use ringleader_records::columns::{Column, Row, columns};
use ringleader_records::definition::{File, files_in};
use ringleader_records::error::Error;
use ringleader_records::meta::Meta;
use ringleader_records::{csv, files, json, parquet};

use crate::args::ExportArgs;
use crate::stdout::{SCHEMA, signed, to_stdout};
use crate::stop::Stop;

pub(crate) fn export(args: &ExportArgs) -> Result<(), Stop> {
    if let Some(path) = &args.out {
        files::spare(&args.records, path)?;
    }
    if args.meta {
        let metas: Vec<Meta> = args.records.iter().map(|path| parquet::metadata(path)).collect::<Result<_, _>>()?;
        let files = Value::map([("files", metas.iter().map(as_json).collect::<Vec<_>>().into())]);
        return written(args, |out| json::write_line(out, &signed("records", files)));
    }
    let columns = columns(parquet::setups(&args.records)?.iter().map(|setup| &**setup));
    let rows = parquet::read(&args.records)?;
    written(args, |out| if args.json { write_json(out, &columns, rows) } else { write_csv(out, &columns, rows) })
}

fn written(args: &ExportArgs, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Stop> {
    match &args.out {
        Some(path) => Ok(files::write(path, |out| fill(out))?),
        None => to_stdout(|out| fill(out)),
    }
}

fn write_csv(
    out: &mut dyn Write,
    columns: &[Column],
    mut rows: impl Iterator<Item = Result<Row, Error>>,
) -> io::Result<()> {
    csv::write_header(out, columns)?;
    rows.try_for_each(|row| csv::write_row(out, columns, &row.map_err(io::Error::other)?))
}

/// One object that is written as its rows are read: there may be millions.
fn write_json(
    out: &mut dyn Write,
    columns: &[Column],
    rows: impl Iterator<Item = Result<Row, Error>>,
) -> io::Result<()> {
    write!(out, "{{\"kind\":\"rows\",\"rows\":[")?;
    for (k, row) in rows.enumerate() {
        let row = row.map_err(io::Error::other)?;
        out.write_all(if k > 0 { b",\n" } else { b"\n" })?;
        json::write(out, &Value::map(columns.iter().map(|column| (column.name.clone(), column.of(&row)))))?;
    }
    writeln!(out, "],\"schema\":{SCHEMA}}}")
}

fn as_json(meta: &Meta) -> Value {
    let value = |(key, value): (&'static str, String)| match key.trim_start_matches("ringleader.") {
        "seed" => ("seed", Value::from(meta.seed)),
        key => (key, value.into()),
    };
    let file = |file: File| {
        Value::map([("name", Value::from(file.name)), ("hash", file.hash.into()), ("text", file.text.into())])
    };
    let files: Vec<Value> = files_in(&meta.definition).into_iter().map(file).collect();
    Value::map(meta.pairs().map(value).into_iter().chain([("texts", files.into())]))
}
