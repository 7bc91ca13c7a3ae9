//! Files: read with a limit on their size, written so that they are never half there.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read};
use std::path::{Path, PathBuf};

use crate::error::Error;

/// The largest JSON file that is read.
const MAX_BYTES: u64 = 512 << 20;

/// The text of a file, or of standard input if the name is `-`.
///
/// # Errors
/// If that fails; the message names the file.
pub fn read(path: &Path) -> Result<String, Error> {
    let bad = |error: io::Error| Error::new(format!("cannot read {}: {error}", path.display()));
    let mut text = String::new();
    let source: Box<dyn Read> =
        if path == Path::new("-") { Box::new(io::stdin()) } else { Box::new(File::open(path).map_err(bad)?) };
    source.take(MAX_BYTES + 1).read_to_string(&mut text).map_err(bad)?;
    if text.len() as u64 > MAX_BYTES {
        let most = MAX_BYTES >> 20;
        return Err(Error::new(format!("{} is larger than the limit of {most} MiB", path.display())));
    }
    Ok(text)
}

/// Where to write before the file is complete: a hidden name beside it, or the thing itself if it is a device or a pipe.
enum Target {
    Beside { temporary: PathBuf, path: PathBuf },
    Itself(PathBuf),
}

impl Target {
    fn of(path: &Path) -> Self {
        // A link stays a link: the file behind it is replaced.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if fs::metadata(&path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir()) {
            return Self::Itself(path);
        }
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let temporary = path.with_file_name(format!(".{name}.{}.part", std::process::id()));
        Self::Beside { temporary, path }
    }
}

/// Finds out early whether a file can be written, and leaves no trace.
///
/// # Errors
/// If that fails; the message names the file.
pub fn check_writable(path: &Path) -> Result<(), Error> {
    if path == Path::new("-") {
        return Err(Error::new("cannot write -: give the name of a file"));
    }
    if path.is_dir() {
        return Err(Error::new(format!("cannot write {}: it is a directory", path.display())));
    }
    match Target::of(path) {
        Target::Itself(_) => Ok(()),
        Target::Beside { temporary, .. } => {
            let created = File::create(&temporary).and_then(|_| fs::remove_file(&temporary));
            created.map_err(|error| Error::new(format!("cannot write {}: {error}", path.display())))
        }
    }
}

/// Writes a file under a temporary name and renames it when it is complete and on disk.
///
/// # Errors
/// If that fails; the message names the file.
pub fn write(path: &Path, fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<(), Error> {
    write_whole(path, fill).map_err(|error| Error::new(format!("cannot write {}: {error}", path.display())))
}

fn write_whole(path: &Path, fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let filled = |file: File| -> io::Result<File> {
        let mut out = BufWriter::new(file);
        fill(&mut out)?;
        out.into_inner().map_err(|error| error.into_error())
    };
    match Target::of(path) {
        // A device cannot be synchronised, and need not be.
        Target::Itself(path) => filled(File::options().write(true).open(path)?).map(drop),
        Target::Beside { temporary, path } => {
            let written = File::create(&temporary).and_then(filled).and_then(|file| file.sync_all());
            let done = written.and_then(|()| fs::rename(&temporary, &path)).map(|()| sync_folder(&path));
            done.inspect_err(|_| {
                let _ = fs::remove_file(&temporary);
            })
        }
    }
}

/// Makes a new name in a folder survive a power failure. Systems that cannot do so for a folder do it by themselves.
fn sync_folder(path: &Path) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

/// Removes what killed processes have left of a file. The caller knows that no living one is writing it.
pub fn remove_parts(path: &Path) {
    let Target::Beside { path, .. } = Target::of(path) else { return };
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let start = format!(".{}.", name.to_string_lossy());
    let is_part = |name: &str| name.starts_with(&start) && name.ends_with(".part");
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_part) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
