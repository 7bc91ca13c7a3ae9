//! `ringleader merge`: shards become one file, with the rows of a sweep that was not divided.

use ringleader::value::Value;
use ringleader_catalogue::Entries;
use ringleader_records::merge::merge as merged;

use crate::args::MergeArgs;
use crate::stdout::print;
use crate::stop::{Stop, outcome};
use crate::text::{commas, good};

pub(crate) fn merge(args: &MergeArgs, entries: &Entries) -> Result<(), Stop> {
    let rows = merged(&entries.catalogue(), &args.records, &args.out)?;
    let told = || Value::map([("records", args.out.display().to_string().into()), ("trials", rows.into())]);
    let printed = print(args.json, "merge", told, |out| {
        writeln!(out, "{} {} trials in {}", good("merged"), commas(rows), args.out.display())
    });
    outcome(printed, Ok(()))
}
