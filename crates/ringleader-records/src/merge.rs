//! Shards become one file, with the rows of a sweep that was not divided.

use std::collections::BTreeSet;
use std::iter::Peekable;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ringleader::catalogue::Catalogue;

use crate::columns::{Row, columns};
use crate::definition::Definition;
use crate::error::Error;
use crate::files;
use crate::ledger::journal_of;
use crate::meta::{FORMAT, Meta, Shard, add_machines};
use crate::parquet;
use crate::sweep::{Setup, same_rules};

type Rows = Peekable<Box<dyn Iterator<Item = Result<Row, Error>>>>;

/// Joins shards; the number of trials. No shard is written over, though its rows would be kept: a shard that holds the whole sweep
/// could not be resumed as the shard that its name says it is.
///
/// # Errors
/// If they are not all the shards of one sweep, or something cannot be read or written.
pub fn merge(protocols: &Catalogue, shards: &[PathBuf], out: &Path) -> Result<u64, Error> {
    files::spare(shards, out)?;
    let metas: Vec<Meta> = shards.iter().map(|path| complete(path)).collect::<Result<_, _>>()?;
    let (Some(first), Some(path)) = (metas.first(), shards.first()) else {
        return Err(Error::new("there is nothing to merge"));
    };
    let rules = same_sweep(shards, &metas)?;
    let bad = |why: String| Error::new(format!("{}: {why}", path.display()));
    let definition = Definition::parse(first.definition.clone(), protocols).map_err(bad)?;
    let mut machines = Vec::new();
    metas.iter().for_each(|meta| add_machines(&mut machines, &meta.machine));
    let (format, machine) = (FORMAT.to_owned(), machines.join("; "));
    let meta = Meta { format, machine, shard: Shard::WHOLE, rules, ..first.clone() };
    let setups = count_all(shards, &metas, &meta.rules, definition.sweep.trials())?;
    let columns = columns(setups.iter().map(|setup| &**setup));
    parquet::write(out, &meta, &columns, merged(shards, &meta.rules)?)
}

/// What a shard says of itself, if it is there and whole.
fn complete(path: &Path) -> Result<Meta, Error> {
    parquet::metadata(path).map_err(|Error(why)| {
        let journal = journal_of(path);
        let told = if path.exists() {
            "remove it and run this shard again".to_owned()
        } else if journal.exists() {
            format!("{} is there, so this shard is not complete: run it to its end first", journal.display())
        } else {
            "run this shard first".to_owned()
        };
        Error::new(format!("{why}; {told}"))
    })
}

/// The shards that should be there and are not.
fn lacking(metas: &[Meta]) -> String {
    const SHOWN: usize = 8;
    let count = metas.iter().map(|meta| meta.shard.count).max().unwrap_or(1);
    let there: BTreeSet<u32> =
        metas.iter().filter(|meta| meta.shard.count == count).map(|meta| meta.shard.index).collect();
    let lacking: Vec<String> =
        (1..=count).filter(|index| !there.contains(index)).map(|index| format!("{index}/{count}")).collect();
    let more = lacking.len().saturating_sub(SHOWN);
    let names = lacking[..lacking.len() - more].join(", ");
    match (lacking.len(), more) {
        (0, _) => String::new(),
        (1, _) => format!("; shard {names} is not among them, run it first"),
        (_, 0) => format!("; shards {names} are not among them, run them first"),
        _ => format!("; shards {names} and {more} more are not among them, run them first"),
    }
}

/// Refuses files of different sweeps; what is known of the rules of each cell.
fn same_sweep(paths: &[PathBuf], metas: &[Meta]) -> Result<Vec<u64>, Error> {
    let (first, name) = (&metas[0], paths[0].display());
    let mut rules = first.rules.clone();
    for (path, meta) in paths.iter().zip(metas) {
        let told = "take shards of one sweep, or remove the wrong one and run it again";
        let refuse = |why: String| Err(Error::new(format!("{} and {name} were made {why}; {told}", path.display())));
        if meta.hash != first.hash {
            return refuse("with different definitions".into());
        }
        if meta.version != first.version {
            return refuse(format!("by different versions, ringleader {} and {}", meta.version, first.version));
        }
        rules.resize(rules.len().min(meta.rules.len()), 0);
        for (cell, (rules, other)) in rules.iter_mut().zip(&meta.rules).enumerate() {
            match same_rules(*rules, *other) {
                Some(known) => *rules = known,
                None => return refuse(format!("with different rules of the protocol of cell {cell}")),
            }
        }
    }
    Ok(rules)
}

/// Every trial must be there; if one is there twice, it must be the same. Gives the cells.
fn count_all(paths: &[PathBuf], metas: &[Meta], rules: &[u64], all: u64) -> Result<Vec<Arc<Setup>>, Error> {
    let (mut found, mut setups) = (0_u64, Vec::new());
    let mut last: Option<(u32, u32)> = None;
    for row in merged(paths, rules)? {
        let Row { setup, outcome } = row?;
        let (cell, trial) = (outcome.cell, outcome.trial);
        if last == Some((cell, trial)) {
            let place = format!("trial {trial} of cell {cell}");
            return Err(Error::new(format!("{place} differs between the files; at least one was not made as it says")));
        }
        if last.is_none_or(|(before, _)| before != cell) {
            setups.push(setup);
        }
        found += 1;
        last = Some((cell, trial));
    }
    if found == all {
        return Ok(setups);
    }
    let missing = all.saturating_sub(found);
    let told = "`report` and `export` take the files as they are";
    Err(Error::new(format!("{missing} of {all} trials are in none of the files{}; {told}", lacking(metas))))
}

/// All rows in the order of cells and trials; equal ones once.
fn merged(paths: &[PathBuf], rules: &[u64]) -> Result<impl Iterator<Item = Result<Row, Error>> + use<>, Error> {
    let open = |path: &PathBuf| {
        let rows: Box<dyn Iterator<Item = Result<Row, Error>>> = Box::new(parquet::read(std::slice::from_ref(path))?);
        Ok::<Rows, Error>(rows.peekable())
    };
    let mut files: Vec<Rows> = paths.iter().map(open).collect::<Result<_, _>>()?;
    let (mut last, rules): (Option<Row>, Vec<u64>) = (None, rules.to_vec());
    Ok(std::iter::from_fn(move || {
        loop {
            let mut row = match next(&mut files)? {
                Ok(row) => row,
                failed => return Some(failed),
            };
            let known = rules.get(row.outcome.cell as usize).copied().unwrap_or(0);
            if row.setup.rules != known {
                Arc::make_mut(&mut row.setup).rules = known;
            }
            if last.as_ref() != Some(&row) {
                last = Some(row.clone());
                return Some(Ok(row));
            }
        }
    }))
}

/// The least of the next rows. An error comes first.
fn next(files: &mut [Rows]) -> Option<Result<Row, Error>> {
    let key = |rows: &mut Rows| match rows.peek() {
        None => None,
        Some(Err(_)) => Some((0, 0, 0)),
        Some(Ok(row)) => Some((1, row.outcome.cell, row.outcome.trial)),
    };
    let (_, least) = files.iter_mut().enumerate().filter_map(|(k, rows)| Some((key(rows)?, k))).min()?;
    files[least].next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meta::tests::sample;

    fn shards(places: &[(u32, u32)]) -> Vec<Meta> {
        places.iter().map(|&(index, count)| Meta { shard: Shard { index, count }, ..sample() }).collect()
    }

    fn told(places: &[(u32, u32)]) -> String {
        lacking(&shards(places))
    }

    #[test]
    fn the_shards_that_are_not_there_are_named() {
        assert_eq!(told(&[(1, 3), (2, 3), (3, 3)]), "");
        assert_eq!(told(&[(1, 3), (3, 3)]), "; shard 2/3 is not among them, run it first");
        assert_eq!(told(&[(2, 3)]), "; shards 1/3, 3/3 are not among them, run them first");
        let (eight, ten) = (told(&[(9, 9)]), told(&[(11, 11)]));
        assert_eq!(eight, "; shards 1/9, 2/9, 3/9, 4/9, 5/9, 6/9, 7/9, 8/9 are not among them, run them first");
        let first = "1/11, 2/11, 3/11, 4/11, 5/11, 6/11, 7/11, 8/11";
        assert_eq!(ten, format!("; shards {first} and 2 more are not among them, run them first"));
    }

    /// A half is no third: of shards of two divisions, those of the finer one are looked for.
    #[test]
    fn a_shard_of_another_division_is_not_in_the_place_of_one() {
        assert_eq!(told(&[(2, 2), (1, 3), (3, 3)]), "; shard 2/3 is not among them, run it first");
        assert_eq!(told(&[(1, 3), (2, 3), (3, 3), (1, 2)]), "");
    }

    #[test]
    fn shards_of_one_sweep_agree_on_definition_version_and_rules() {
        let paths = ["a", "b"].map(PathBuf::from);
        let with = |change: fn(&mut Meta)| {
            let mut metas = shards(&[(1, 2), (2, 2)]);
            change(&mut metas[1]);
            same_sweep(&paths, &metas).map_err(|error| error.to_string())
        };
        assert_eq!(with(|_| ()), Ok(vec![0, u64::MAX, 7]));
        assert_eq!(with(|meta| meta.rules = vec![5, 0]), Ok(vec![0, 0]), "what one does not know is not known");
        let refused = |change, why: &str| {
            let told = with(change).unwrap_err();
            assert!(told.starts_with("b and a were made ") && told.contains(why), "{told}");
        };
        refused(|meta| meta.hash = "01".into(), "with different definitions");
        refused(|meta| meta.version = "0.0.9".into(), "by different versions, ringleader 0.0.9 and ");
        refused(|meta| meta.rules[2] = 8, "with different rules of the protocol of cell 2");
    }

    /// What to do about a shard that cannot be read depends on what there is of it.
    #[test]
    fn what_is_there_of_a_shard_says_what_to_do() {
        let shard = std::env::temp_dir().join(format!("ringleader-merge-{}.parquet", std::process::id()));
        let told = || complete(&shard).unwrap_err().to_string();
        assert!(told().ends_with("; run this shard first"), "{}", told());
        std::fs::write(journal_of(&shard), "").unwrap();
        assert!(told().ends_with("so this shard is not complete: run it to its end first"), "{}", told());
        std::fs::write(&shard, "PAR1").unwrap();
        assert!(told().ends_with("; remove it and run this shard again"), "{}", told());
        std::fs::remove_file(journal_of(&shard)).unwrap();
        std::fs::remove_file(&shard).unwrap();
    }
}
