//! Certificates as files: formulas and proofs, and a manifest that says what each is for, with hashes.

use std::cell::RefCell;
use std::io::Write;
use std::path::Path;

use ringleader::value::Value;
use ringleader_proof::query::Certificate;
use ringleader_records::{files, json};

use crate::stdout::signed;
use crate::stop::Stop;

/// Where the certificates of one row go, and what has been written.
pub(super) struct Archive<'a> {
    directory: Option<&'a Path>,
    label: String,
    written: RefCell<Vec<Value>>,
}

impl<'a> Archive<'a> {
    pub(super) fn new(directory: Option<&'a Path>, label: String) -> Self {
        Self { directory, label, written: RefCell::default() }
    }

    pub(super) fn save(&self, made: &Certificate) -> Result<(), String> {
        let Some(directory) = self.directory else { return Ok(()) };
        let mut entry: Vec<(&str, Value)> = vec![("step", made.step.as_str().into()), ("folded", made.folded.into())];
        entry.extend(["variables", "clauses"].into_iter().zip(made.size.map(Value::from)));
        for (ending, hash, text) in [("cnf", "cnf_sha256", &made.dimacs), ("drat", "drat_sha256", &made.drat)] {
            let name = format!("{}-{}.{ending}", self.label, made.number);
            let path = directory.join(&name);
            files::write(&path, |out| out.write_all(text.as_bytes()))
                .map_err(|_| format!("cannot write {}", path.display()))?;
            entry.extend([(ending, name.into()), (hash, sha256(text).into())]);
        }
        self.written.borrow_mut().push(Value::map(entry));
        Ok(())
    }

    /// What has been written, formula by formula.
    pub(super) fn written(self) -> Vec<Value> {
        self.written.into_inner()
    }
}

fn sha256(text: &str) -> String {
    let mut hasher = json::Hasher::default();
    let taken = hasher.write_all(text.as_bytes());
    debug_assert!(taken.is_ok(), "hashing does no input or output");
    hasher.hex()
}

/// Writes `manifest.json`: the rows of a run with their certificates, and whether it was cut short.
pub(super) fn manifest(directory: &Path, rows: Vec<Value>, interrupted: bool) -> Result<(), Stop> {
    let about = Value::map([
        ("version", env!("CARGO_PKG_VERSION").into()),
        ("rows", rows.into()),
        ("interrupted", interrupted.into()),
    ]);
    Ok(files::write(&directory.join("manifest.json"), |out| json::write_line(out, &signed("certificates", about)))?)
}
