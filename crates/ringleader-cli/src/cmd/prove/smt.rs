//! `ringleader prove --every-n --smt2 DIR`: formulas for other solvers.

use std::io::Write;
use std::path::Path;

use ringleader::value::Value;
use ringleader_proof::claims::every::smt::{Smt, formulas};
use ringleader_records::files;

use crate::stdout::print;
use crate::stop::Stop;

/// What a solver must say of it.
fn status(smt: &Smt) -> &'static str {
    if smt.satisfiable { "sat" } else { "unsat" }
}

/// Writes all formulas, and tells what each is about.
pub(super) fn write(directory: &Path, as_json: bool) -> Result<(), Stop> {
    std::fs::create_dir_all(directory)
        .map_err(|error| Stop::Bad(format!("cannot make the directory {}: {error}", directory.display())))?;
    let all = formulas();
    for smt in &all {
        files::write(&directory.join(format!("{}.smt2", smt.name)), |out| out.write_all(smt.script.as_bytes()))?;
    }
    let one = |smt: &Smt| {
        let file = format!("{}.smt2", smt.name);
        Value::map([("file", file.into()), ("status", status(smt).into()), ("solution", smt.says.into())])
    };
    let listed = || Value::map([("formulas", all.iter().map(one).collect::<Vec<_>>().into())]);
    print(as_json, "smt2", listed, |out| {
        all.iter().try_for_each(|smt| {
            writeln!(out, "{:<22} must be {:<5}  a solution: {}", format!("{}.smt2", smt.name), status(smt), smt.says)
        })
    })
}
