//! `ringleader export`: records for other programs.

use std::io::{self, Write};

use ringleader::value::Value;

use crate::args::ExportArgs;
use crate::stop::Stop;
use crate::store::meta::Meta;
use crate::store::row::Row;
use crate::store::{csv, parquet};
use crate::{files, json};

pub(crate) fn export(args: &ExportArgs) -> Result<(), Stop> {
    if args.meta {
        let metas: Vec<Meta> = args.records.iter().map(|path| parquet::metadata(path)).collect::<Result<_, _>>()?;
        let value = Value::List(metas.iter().map(as_json).collect());
        return written(args, |out| {
            json::write(out, &value)?;
            writeln!(out)
        });
    }
    let rows = parquet::read(&args.records)?;
    written(args, |out| write_csv(out, rows))
}

fn written(args: &ExportArgs, fill: impl FnOnce(&mut &mut dyn Write) -> io::Result<()>) -> Result<(), Stop> {
    match &args.out {
        Some(path) => files::write(path, |out| fill(&mut (out as &mut dyn Write))),
        None => files::to_stdout(|mut out| fill(&mut out)),
    }
}

fn write_csv(out: &mut &mut dyn Write, rows: impl Iterator<Item = Result<Row, Stop>>) -> io::Result<()> {
    csv::write_header(out)?;
    for row in rows {
        csv::write_row(out, &row.map_err(|stop| io::Error::other(stop.message()))?)?;
    }
    Ok(())
}

fn as_json(meta: &Meta) -> Value {
    Value::map(meta.pairs().map(|(key, value)| (key.trim_start_matches("ringleader."), value.into())))
}
