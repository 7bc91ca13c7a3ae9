//! Files: read with a limit on their size, written so that they are never half there, and never over what is read.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::disk;
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

/// Where to write: into a file that takes the name when it is complete, or into the thing itself if it is a device or a pipe.
enum Target {
    Beside(PathBuf),
    Itself(PathBuf),
}

impl Target {
    fn of(path: &Path) -> Self {
        // A link stays a link: the file behind it is replaced.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let special = fs::metadata(&path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir());
        if special { Self::Itself(path) } else { Self::Beside(path) }
    }
}

/// The files that this process has begun and not finished.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes what this process has begun to write and not finished. From then on it can neither begin nor finish a file: this is for
/// a process that ends now, whatever its threads are doing.
pub fn abandon() {
    let unfinished = unfinished();
    unfinished.iter().for_each(|part| drop(fs::remove_file(part)));
    std::mem::forget(unfinished);
}

/// A file under a hidden name beside its own, which goes away unless it is finished.
struct Part(PathBuf);

impl Part {
    /// A new file, and never one that is there: a link with that name could lead anywhere.
    fn create(path: &Path) -> io::Result<(Self, File)> {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut unfinished = unfinished();
        let (mut tries, process) = (0, std::process::id());
        loop {
            let part = path.with_file_name(format!(".{name}.{process}-{tries}.part"));
            match File::create_new(&part) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < 1000 => tries += 1,
                Err(error) => return Err(error),
                Ok(file) => {
                    unfinished.insert(part.clone());
                    return Ok((Self(part), file));
                }
            }
        }
    }

    /// Gives the file its name.
    fn finish(self, path: &Path) -> io::Result<()> {
        let mut unfinished = unfinished();
        disk::rename(&self.0, path)?;
        unfinished.remove(&self.0);
        Ok(())
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if unfinished().remove(&self.0) {
            let _ = fs::remove_file(&self.0);
        }
    }
}

/// The files that this process has read and must not lose.
static KEPT: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// From now on this process does not write over this file, whatever else it does.
pub fn keep(input: &Path) {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).push(input.to_owned());
}

/// Refuses to write over a file that is kept.
fn spare_kept(out: &Path) -> Result<(), Error> {
    spare(&KEPT.lock().unwrap_or_else(PoisonError::into_inner), out)
}

/// Finds out early whether a file can be written, and leaves no trace.
///
/// # Errors
/// If that fails; the message names the file.
pub fn check_writable(path: &Path) -> Result<(), Error> {
    spare_kept(path)?;
    if path == Path::new("-") {
        return Err(Error::new("cannot write -: give the name of a file"));
    }
    if path.is_dir() {
        return Err(Error::new(format!("cannot write {}: it is a directory", path.display())));
    }
    match Target::of(path) {
        Target::Itself(_) => Ok(()),
        Target::Beside(beside) => Part::create(&beside).map(drop).map_err(|error| cannot_write(path, &error)),
    }
}

/// Refuses to write over what is read, under whatever name: the same path, a link, or another name of the same file.
///
/// # Errors
/// If one of the inputs is the file that would be written; the message names both.
pub fn spare(inputs: &[impl AsRef<Path>], out: &Path) -> Result<(), Error> {
    match inputs.iter().map(AsRef::as_ref).find(|input| are_one(input, out)) {
        None => Ok(()),
        Some(input) => {
            let told = "which is read; choose another name";
            Err(cannot_write(out, &format!("it is the same file as {}, {told}", input.display())))
        }
    }
}

/// Whether two paths lead to one file; `-` is what standard input comes from. Devices and pipes have nothing to lose.
fn are_one(input: &Path, out: &Path) -> bool {
    let read = if input == Path::new("-") { of_stdin() } else { fs::metadata(input) };
    let (Ok(read), Ok(there)) = (read, fs::metadata(out)) else { return false };
    let paths = fs::canonicalize(input).ok().zip(fs::canonicalize(out).ok());
    read.is_file() && there.is_file() && (has_number_of(&read, &there) || paths.is_some_and(|(a, b)| a == b))
}

#[cfg(unix)]
fn of_stdin() -> io::Result<Metadata> {
    File::from(std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned()?).metadata()
}

#[cfg(not(unix))]
fn of_stdin() -> io::Result<Metadata> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Whether both are one file on one device.
#[cfg(unix)]
pub(crate) fn has_number_of(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// Files have no numbers here.
#[cfg(not(unix))]
pub(crate) fn has_number_of(_: &Metadata, _: &Metadata) -> bool {
    false
}

fn cannot_write(path: &Path, why: &dyn Display) -> Error {
    Error::new(format!("cannot write {}: {why}", path.display()))
}

/// Writes a file under a temporary name and renames it when it is complete and on disk.
///
/// # Errors
/// If that fails; the message names the file.
pub fn write(path: &Path, fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<(), Error> {
    spare_kept(path)?;
    write_whole(path, fill).map_err(|error| cannot_write(path, &error))
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
        Target::Beside(path) => {
            let (part, file) = Part::create(&path)?;
            disk::force(&filled(file)?, &part.0)?;
            part.finish(&path)?;
            disk::force_folder(&path);
            Ok(())
        }
    }
}

/// Removes what killed processes have left of a file. The caller knows that no living one is writing it.
pub fn remove_parts(path: &Path) {
    let Target::Beside(path) = Target::of(path) else { return };
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

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::disk::tests::watched;

    /// An empty folder of this test.
    fn place(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("ringleader-files-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().to_string_lossy().into_owned();
        fs::read_dir(folder).unwrap().map(name).collect()
    }

    /// First the contents, then the name, then the folder with the name: no power failure leaves a name without its contents.
    #[test]
    fn a_file_is_on_disk_before_it_has_its_name_and_so_is_the_name_before_it_is_said() {
        let folder = place("forced");
        let done = watched(|| write(&folder.join("x"), |out| out.write_all(b"text")).unwrap());
        let [(forced, part), renamed, named] = &done[..] else { panic!("{done:?}") };
        assert!(forced == "force" && part.starts_with(".x.") && part.ends_with(".part"), "{done:?}");
        assert_eq!(*renamed, ("rename".into(), "x".into()));
        assert_eq!(*named, ("force".into(), folder.file_name().unwrap().to_string_lossy().into_owned()));
        assert_eq!((fs::read(folder.join("x")).unwrap(), names(&folder)), (b"text".to_vec(), vec!["x".to_owned()]));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_cannot_be_finished_goes_away() {
        let folder = place("unfinished");
        fs::write(folder.join("x"), "before").unwrap();
        let failed = write(&folder.join("x"), |out| out.write_all(b"text").and(Err(io::Error::other("enough"))));
        assert!(failed.unwrap_err().to_string().contains("enough"));
        assert_eq!((fs::read(folder.join("x")).unwrap(), names(&folder)), (b"before".to_vec(), vec!["x".to_owned()]));
        check_writable(&folder.join("y")).unwrap();
        assert_eq!(names(&folder), ["x"]);
        fs::remove_dir_all(folder).unwrap();
    }

    /// A file that has the temporary name, or a link that has it, is left alone.
    #[cfg(unix)]
    #[test]
    fn no_file_is_written_but_the_one_that_is_asked_for() {
        let folder = place("taken");
        let (precious, link) = (folder.join("precious"), folder.join(format!(".x.{}-0.part", std::process::id())));
        fs::write(&precious, "precious").unwrap();
        std::os::unix::fs::symlink(&precious, &link).unwrap();
        write(&folder.join("x"), |out| out.write_all(b"text")).unwrap();
        assert_eq!(
            (fs::read(&precious).unwrap(), fs::read(folder.join("x")).unwrap()),
            (b"precious"[..].into(), b"text"[..].into())
        );
        fs::remove_dir_all(folder).unwrap();
    }

    /// Names that are taken are left alone, and there is an end to trying others.
    #[test]
    fn after_a_thousand_taken_names_no_other_is_tried() {
        let (folder, process) = (place("crowded"), std::process::id());
        let part = |tries: u32| folder.join(format!(".x.{process}-{tries}.part"));
        (0..=1000).for_each(|tries| fs::write(part(tries), "taken").unwrap());
        let told = write(&folder.join("x"), |out| out.write_all(b"text")).unwrap_err().to_string();
        assert!(told.contains("cannot write") && !folder.join("x").exists(), "{told}");
        fs::remove_file(part(1000)).unwrap();
        write(&folder.join("x"), |out| out.write_all(b"text")).unwrap();
        assert_eq!(names(&folder).len(), 1001);
        assert_eq!(fs::read(part(0)).unwrap(), b"taken");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_killed_processes_left_of_a_file_goes_away_and_nothing_else() {
        let folder = place("left");
        let kept = [".x.1-0.parts", ".y.1-0.part", "x", "x.1-0.part"];
        kept.iter().chain(&[".x.1-0.part", ".x.77-3.part"]).for_each(|name| fs::write(folder.join(name), "").unwrap());
        remove_parts(&folder.join("x"));
        let mut names = names(&folder);
        names.sort();
        assert_eq!(names, kept);
        fs::remove_dir_all(folder).unwrap();
    }

    /// A folder is neither written into nor written over.
    #[test]
    fn a_folder_is_not_a_file_to_write() {
        let folder = place("folder");
        let inner = folder.join("x");
        fs::create_dir(&inner).unwrap();
        assert!(check_writable(&inner).unwrap_err().to_string().ends_with("x: it is a directory"));
        assert!(matches!(Target::of(&inner), Target::Beside(_)));
        write(&inner, |out| out.write_all(b"text")).unwrap_err();
        assert_eq!(names(&folder), ["x"]);
        fs::remove_dir_all(folder).unwrap();
    }

    /// What is written to a pipe comes out of it, and the pipe stays.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_pipe_is_written_to_and_stays() {
        use std::os::unix::fs::FileTypeExt;
        let folder = place("pipe");
        let path = folder.join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        // Open at both ends, so that nothing here waits for anybody.
        let mut pipe = File::options().read(true).write(true).open(&path).unwrap();
        check_writable(&path).unwrap();
        write(&path, |out| out.write_all(b"text")).unwrap();
        remove_parts(&path);
        assert!(fs::metadata(&path).unwrap().file_type().is_fifo());
        assert_eq!(names(&folder), ["pipe"]);
        pipe.write_all(b" and more").unwrap();
        let mut came = [0; 99];
        let length = pipe.read(&mut came).unwrap();
        assert_eq!(&came[..length], b"text and more");
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_known_by_every_name() {
        let folder = place("names");
        let [file, soft, hard, other] = ["file", "soft", "hard", "other"].map(|name| folder.join(name));
        fs::write(&file, "the same").unwrap();
        fs::write(&other, "the same").unwrap();
        std::os::unix::fs::symlink(&file, &soft).unwrap();
        fs::hard_link(&file, &hard).unwrap();
        fs::create_dir(folder.join("in")).unwrap();
        let round_about = folder.join("in/../file");
        let all = [&file, &soft, &hard, &round_about];
        for (input, out) in all.iter().flat_map(|input| all.iter().map(move |out| (*input, *out))) {
            let told = spare(&[&other, input], out).unwrap_err().to_string();
            let named = |path: &Path| told.contains(&path.display().to_string());
            assert!(named(input) && named(out), "{told}");
        }
        for input in all {
            spare(&[input], &other).unwrap();
            spare(&[input], &folder.join("new")).unwrap();
        }
        spare(&["/dev/null"], Path::new("/dev/null")).unwrap();
        fs::remove_dir_all(folder).unwrap();
    }
}
