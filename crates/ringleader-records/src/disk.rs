//! What is done to a disk and must be done in order: all of it passes here, where a test can watch it.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Returns when what was written to an open file is on disk.
pub(crate) fn force(file: &File, path: &Path) -> io::Result<()> {
    file.sync_all()?;
    note("force", path);
    Ok(())
}

/// Makes names in the folder of a path survive a power failure. Systems that cannot do so for a folder do it by themselves.
pub(crate) fn force_folder(path: &Path) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let _ = File::open(folder).and_then(|file| force(&file, folder));
}

/// Gives a file its name, in the place of one that has it.
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)?;
    note("rename", to);
    Ok(())
}

/// Removes a file.
#[cfg(feature = "sweeps")]
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    fs::remove_file(path)?;
    note("remove", path);
    Ok(())
}

#[cfg(not(test))]
fn note(_: &str, _: &Path) {}

#[cfg(test)]
use tests::note;

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::RefCell;

    use super::*;

    thread_local! {
        /// What this thread has done, and to which name.
        static DONE: RefCell<Vec<(String, String)>> = const { RefCell::new(Vec::new()) };
    }

    pub(super) fn note(what: &str, path: &Path) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        DONE.with_borrow_mut(|done| done.push((what.to_owned(), name)));
    }

    /// What a piece of work does to the disk, in order; names of unfinished files end in `.part`.
    pub(crate) fn watched(work: impl FnOnce()) -> Vec<(String, String)> {
        DONE.take();
        work();
        DONE.take()
    }

    /// The one thing that a log cannot show: that the system is asked. It refuses to force what has no disk behind it.
    #[cfg(target_os = "linux")]
    #[test]
    fn to_force_is_to_ask_the_system() {
        let nothing = Path::new("/dev/null");
        assert!(watched(|| assert!(force(&File::open(nothing).unwrap(), nothing).is_err())).is_empty());
    }
}
