//! `ringleader merge`: shards become one file, with the rows of a sweep that was not divided.

use std::path::PathBuf;

use ringleader::value::Value;

use crate::args::MergeArgs;
use crate::definition::Definition;
use crate::stop::{Stop, outcome};
use crate::store::meta::{Meta, Shard};
use crate::store::parquet;
use crate::store::row::Row;
use crate::text::{commas, good};
use crate::{files, json};

type Rows = std::iter::Peekable<Box<dyn Iterator<Item = Result<Row, Stop>>>>;

pub(crate) fn merge(args: &MergeArgs) -> Result<(), Stop> {
    let metas: Vec<Meta> = args.records.iter().map(|path| parquet::metadata(path)).collect::<Result<_, _>>()?;
    let first = &metas[0];
    same_sweep(&args.records, &metas)?;
    let bad = |why: String| Stop::Bad(format!("{}: {why}", args.records[0].display()));
    let definition = Definition::parse(first.definition.clone()).map_err(bad)?;
    let mut machines: Vec<&str> = Vec::new();
    for machine in metas.iter().flat_map(|meta| meta.machine.split("; ")) {
        if !machines.contains(&machine) {
            machines.push(machine);
        }
    }
    let meta = Meta { machine: machines.join("; "), shard: Shard::WHOLE, ..first.clone() };
    count_all(args, &definition)?;
    let rows = parquet::write(&args.out, &meta, merged(&args.records)?)?;
    let printed = files::to_stdout(|out| {
        if args.json {
            let value = Value::map([("records", args.out.display().to_string().into()), ("trials", rows.into())]);
            json::write(&mut &mut *out, &value)?;
            return writeln!(out);
        }
        writeln!(out, "{} {} trials in {}", good("merged"), commas(rows), args.out.display())
    });
    outcome(printed, Ok(()))
}

fn same_sweep(paths: &[PathBuf], metas: &[Meta]) -> Result<(), Stop> {
    let (first, name) = (&metas[0], paths[0].display());
    for (path, meta) in paths.iter().zip(metas) {
        let other = path.display();
        if meta.hash != first.hash {
            return Err(Stop::Bad(format!("{other} and {name} were made with different definitions")));
        }
        if meta.version != first.version {
            let versions = format!("ringleader {} and {}", meta.version, first.version);
            return Err(Stop::Bad(format!("{other} and {name} were made by different versions, {versions}")));
        }
    }
    Ok(())
}

/// Every trial must be there; if one is there twice, it must be the same.
fn count_all(args: &MergeArgs, definition: &Definition) -> Result<(), Stop> {
    let mut found = 0_u64;
    let mut last: Option<Row> = None;
    for row in merged(&args.records)? {
        let row = row?;
        if let Some(last) = last.filter(|last| (last.cell, last.trial) == (row.cell, row.trial)) {
            let place = format!("trial {} of cell {}", last.trial, last.cell);
            return Err(Stop::Bad(format!(
                "{place} differs between the files; at least one of them is not what it claims to be"
            )));
        }
        found += 1;
        last = Some(row);
    }
    let all = definition.sweep.trials();
    if found == all {
        return Ok(());
    }
    let (missing, all) = (commas(all.saturating_sub(found)), commas(all));
    Err(Stop::Bad(format!(
        "{missing} of {all} trials are in none of the files; `report` and `export` take them as they are"
    )))
}

/// All rows in the order of cells and trials; equal ones once.
fn merged(paths: &[PathBuf]) -> Result<impl Iterator<Item = Result<Row, Stop>> + use<>, Stop> {
    let open = |path: &PathBuf| {
        let rows: Box<dyn Iterator<Item = Result<Row, Stop>>> = Box::new(parquet::read(std::slice::from_ref(path))?);
        Ok::<Rows, Stop>(rows.peekable())
    };
    let mut files: Vec<Rows> = paths.iter().map(open).collect::<Result<_, _>>()?;
    let mut last: Option<Row> = None;
    Ok(std::iter::from_fn(move || {
        loop {
            let row = next(&mut files)?;
            match (&row, &last) {
                (Ok(row), Some(last)) if row == last => {}
                (Ok(new), _) => {
                    last = Some(new.clone());
                    return Some(row);
                }
                (Err(_), _) => return Some(row),
            }
        }
    }))
}

/// The least of the next rows. An error comes first.
fn next(files: &mut [Rows]) -> Option<Result<Row, Stop>> {
    let key = |rows: &mut Rows| match rows.peek() {
        None => None,
        Some(Err(_)) => Some((0, 0, 0)),
        Some(Ok(row)) => Some((1, row.cell, row.trial)),
    };
    let (_, least) = files.iter_mut().enumerate().filter_map(|(k, rows)| Some((key(rows)?, k))).min()?;
    files[least].next()
}
