//! `ringleader export`: records for other programs.

use std::io::{self, Write};

use ringleader::value::Value;
use ringleader_records::columns::{Column, Row, columns};
use ringleader_records::error::Error;
use ringleader_records::meta::Meta;
use ringleader_records::{csv, files, json, parquet};

use crate::args::ExportArgs;
use crate::stdout::to_stdout;
use crate::stop::Stop;

pub(crate) fn export(args: &ExportArgs) -> Result<(), Stop> {
    if let Some(path) = &args.out {
        files::spare(&args.records, path)?;
    }
    if args.meta {
        let metas: Vec<Meta> = args.records.iter().map(|path| parquet::metadata(path)).collect::<Result<_, _>>()?;
        let value = Value::List(metas.iter().map(as_json).collect());
        return written(args, |out| json::write_line(out, &value));
    }
    let columns = columns(parquet::setups(&args.records)?.iter().map(|setup| &**setup));
    let rows = parquet::read(&args.records)?;
    written(args, |out| write_csv(out, &columns, rows))
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

fn as_json(meta: &Meta) -> Value {
    Value::map(meta.pairs().map(|(key, value)| (key.trim_start_matches("ringleader."), value.into())))
}
