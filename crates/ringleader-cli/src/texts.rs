//! Protocols that are files: words of the command line that name one become protocols before anything else is understood, so that their
//! parameters are options like all others.

use std::ffi::OsString;
use std::fs::File as Disk;
use std::io::Read;

use ringleader_catalogue::File;
use ringleader_notation::written::problems;

use crate::stop::Stop;

/// A longer file is refused before it is read.
const LONGEST: u64 = 1 << 20;

/// The files that words of the command line name, each once.
pub(crate) fn named(words: impl Iterator<Item = OsString>) -> Result<Vec<File>, Stop> {
    let mut names: Vec<String> = Vec::new();
    for word in words.filter_map(|word| word.into_string().ok()) {
        let name = word.strip_prefix("--protocol=").unwrap_or(&word);
        if name.ends_with(".py") && !name.starts_with('-') && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names.iter().map(|name| read(name)).collect()
}

fn read(name: &str) -> Result<File, Stop> {
    let refuse = |why: String| Stop::Bad(format!("{name}: {why}"));
    let disk = Disk::open(name).map_err(|error| refuse(error.to_string()))?;
    let mut text = String::new();
    disk.take(LONGEST + 1).read_to_string(&mut text).map_err(|error| refuse(error.to_string()))?;
    File::read(name, &text).map_err(|problems| Stop::Bad(problems.to_string()))
}

/// What went wrong while a text ran, as an error at its place.
pub(crate) fn trouble(files: &[File]) -> Result<(), Stop> {
    let told = files.iter().find_map(|file| Some(problems(&file.program, &file.trouble.first()?)));
    told.map_or(Ok(()), |problems| Err(Stop::Bad(problems.to_string())))
}
