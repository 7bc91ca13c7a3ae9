//! Reports: from records to tables, figures and a page. They read records only.
//!
//! rows -> `gather` -> series -> `analyse` -> numbers -> `tables`, `figures` -> `page`

pub(crate) mod analyse;
pub(crate) mod figures;
pub(crate) mod gather;
pub(crate) mod latex;
pub(crate) mod numbers;
pub(crate) mod page;
pub(crate) mod settings;
pub(crate) mod svg;
pub(crate) mod tables;

use std::path::{Path, PathBuf};

use crate::report::gather::{Series, gather};
use crate::stop::Stop;
use crate::store::meta::Meta;
use crate::store::parquet;

/// The series in files of records, and what the files say of themselves. A folder stands for the Parquet files in it.
pub(crate) fn load(records: &[PathBuf]) -> Result<(Vec<Series>, Vec<Meta>), Stop> {
    let mut paths = Vec::new();
    for path in records {
        if path.is_dir() { paths.extend(folder(path)?) } else { paths.push(path.clone()) }
    }
    let metas = paths.iter().map(|path| parquet::metadata(path)).collect::<Result<_, _>>()?;
    let series = gather(parquet::read(&paths)?)?;
    if series.is_empty() {
        let names: Vec<String> = records.iter().map(|path| path.display().to_string()).collect();
        return Err(Stop::Bad(format!("{} holds no trials", names.join(", "))));
    }
    Ok((series, metas))
}

/// The Parquet files of a folder, sorted by name.
fn folder(path: &Path) -> Result<Vec<PathBuf>, Stop> {
    let bad = |error: std::io::Error| Stop::Bad(format!("cannot read {}: {error}", path.display()));
    let entries = std::fs::read_dir(path).map_err(bad)?;
    let mut files = entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>().map_err(bad)?;
    let hidden = |file: &Path| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    files.retain(|file| file.extension().is_some_and(|ending| ending == "parquet") && !hidden(file));
    files.sort();
    if files.is_empty() {
        return Err(Stop::Bad(format!("{} holds no Parquet files", path.display())));
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::analyse::tests::rows;
    use crate::store::meta::tests::sample;
    use crate::store::row::Row;

    fn place(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("ringleader-{}-{name}", std::process::id()))
    }

    fn written(path: &Path, rows: Vec<Row>) {
        parquet::write(path, &sample(), rows.into_iter().map(Ok)).unwrap();
    }

    #[test]
    fn files_and_folders_are_read_in_the_order_of_their_names() {
        let folder = place("folder");
        std::fs::create_dir_all(&folder).unwrap();
        let (first, second) = (rows(&[8, 16], 9, 1.0), rows(&[32], 9, 1.0));
        written(&folder.join("b.parquet"), second);
        written(&folder.join("a.parquet"), first);
        std::fs::write(folder.join("notes.txt"), "not records").unwrap();
        let (series, metas) = load(std::slice::from_ref(&folder)).unwrap();
        assert_eq!((series.len(), series[0].cells.len(), metas.len()), (1, 3, 2));
        let (again, _) = load(&[folder.clone(), folder.join("a.parquet")]).unwrap();
        let sizes: Vec<_> = again[0].cells.iter().map(|cell| (cell.n, cell.steps.len(), cell.repeated)).collect();
        assert_eq!(sizes, [(8, 9, 9), (16, 9, 9), (32, 9, 0)]);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_holds_no_trials_is_refused_by_name() {
        let (empty, folder) = (place("empty.parquet"), place("nothing"));
        written(&empty, Vec::new());
        std::fs::create_dir_all(&folder).unwrap();
        assert!(load(std::slice::from_ref(&empty)).unwrap_err().message().contains("empty.parquet holds no trials"));
        assert!(load(std::slice::from_ref(&folder)).unwrap_err().message().contains("no Parquet files"));
        std::fs::remove_file(&empty).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
