//! Protocols that are files: words of the command line that name one become protocols before anything else is understood, so that their
//! parameters are options like all others.

use std::ffi::OsString;
use std::fmt::Display;
use std::fs::File as Disk;
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Arc, Mutex};

use ringleader::catalogue::{Reader, is_file};
use ringleader::error::{Error, nearest};
use ringleader_catalogue::{File, builtin, text_of};
use ringleader_notation::program::Program;
use ringleader_notation::setting::Refused;
use ringleader_notation::source::Problems;
use ringleader_notation::written::{Judge, problems};
use ringleader_records::files;

use crate::progress::locked;
use crate::stop::Stop;
use crate::text::quoted;

/// A longer file is refused before it is read.
const LONGEST: u64 = 1 << 20;

/// Options whose value is a file that is written, whatever its name.
const WRITTEN: [&str; 8] = ["--out", "-o", "--trace", "--witness", "--prism", "--drn", "--aiger", "--blif"];

/// The files that words of the command line name, each once.
pub(crate) fn named(words: impl Iterator<Item = OsString>) -> Result<Vec<File>, Stop> {
    let words: Vec<String> = words.filter_map(|word| word.into_string().ok()).collect();
    // What is to be written is not there yet.
    if words.first().is_some_and(|command| command == "new") {
        return Ok(Vec::new());
    }
    let mut names: Vec<&str> = Vec::new();
    for (k, word) in words.iter().enumerate() {
        let before = k.checked_sub(1).map_or("", |before| &words[before]);
        if !WRITTEN.contains(&before) {
            names.extend(protocols_in(before, word).into_iter().filter(|name| is_file(name)));
        }
    }
    let each_once = names.iter().enumerate().filter(|(k, name)| !names[..*k].contains(name));
    each_once.map(|(_, name)| read(name)).collect()
}

/// The names that a word may be: that of an argument, or those of an option, of which `sweep` takes several.
fn protocols_in<'a>(before: &str, word: &'a str) -> Vec<&'a str> {
    let value = ["--protocol=", "-p="].iter().find_map(|option| word.strip_prefix(option));
    let value = value.or_else(|| word.strip_prefix("-p").filter(|value| !value.is_empty()));
    match value {
        Some(value) => value.split(',').collect(),
        None if ["-p", "--protocol"].contains(&before) => word.split(',').collect(),
        None if word.starts_with('-') => Vec::new(),
        None => vec![word],
    }
}

/// Reads a file as a protocol of that name.
fn read(name: &str) -> Result<File, Stop> {
    Ok(File::judged(name, &text(Path::new(name)).map_err(Stop::Bad)?, judge())?)
}

/// The text of a file.
fn text(path: &Path) -> Result<String, String> {
    let refuse = |why: String| format!("{}: {why}", path.display());
    files::keep(path);
    let disk = Disk::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => refuse(format!("there is no such file{}", instead(path))),
        _ => refuse(error.to_string()),
    })?;
    if disk.metadata().is_ok_and(|about| about.is_dir()) {
        return Err(refuse("it is a folder; a protocol is a file".into()));
    }
    let mut bytes = Vec::new();
    disk.take(LONGEST + 1).read_to_end(&mut bytes).map_err(|error| refuse(error.to_string()))?;
    if bytes.len() as u64 > LONGEST {
        return Err(too_long(path.display()));
    }
    String::from_utf8(bytes)
        .map_err(|error| refuse(format!("it is no text: byte {} is not UTF-8", error.utf8_error().valid_up_to() + 1)))
}

/// What may have been meant by a file that is not there.
fn instead(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let there = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let there: Vec<String> = there.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    if let Some(near) = nearest(&name, there.iter().map(String::as_str).filter(|name| is_file(name))) {
        return format!("; did you mean {}?", path.with_file_name(near).display());
    }
    let shown = quoted(&path.display().to_string());
    let stem = name.strip_suffix(".py").unwrap_or_default();
    match text_of(stem) {
        Some(_) => format!("; {stem} is built in, and `ringleader show {stem} > {shown}` makes a file of it"),
        None => format!("; `ringleader new {shown}` writes one to begin with"),
    }
}

/// What was wrong with texts that were read on the way.
pub(crate) type Unread = Arc<Mutex<Option<Problems>>>;

/// How texts that come with definitions, records and cases become protocols; what is wrong with them is kept.
pub(crate) fn reader(unread: &Unread) -> Reader {
    let unread = unread.clone();
    Arc::new(move |name, text| {
        if text.len() as u64 > LONGEST {
            return Err(too_long(name));
        }
        File::judged(name, text, judge()).map(|file| file.entry.any()).map_err(|problems| {
            let told = problems.to_string();
            locked(&unread).get_or_insert(problems);
            told
        })
    })
}

fn too_long(name: impl Display) -> String {
    format!("{name}: it is longer than {} MiB; a protocol is some pages of text", LONGEST >> 20)
}

/// The text of a built-in protocol.
pub(crate) fn built_in_text(name: &str) -> Result<&'static str, Stop> {
    text_of(name).ok_or_else(|| {
        let (entries, mut known) = (builtin(), Vec::new());
        known.extend(entries.iter().map(|entry| &*entry.about().name).filter(|name| text_of(name).is_some()));
        let told =
            format!("it is written in Rust, and there is no text of it; those with one are {}", known.join(", "));
        Error::new("protocol", name, told).into()
    })
}

/// The text of a protocol as it was read.
pub(crate) fn program_of(name: &str, files: &[File]) -> Result<Arc<Program>, Stop> {
    match files.iter().find(|file| file.program.file == name) {
        Some(file) => Ok(file.program.clone()),
        None => Ok(Arc::new(ringleader_notation::read(&format!("{name}.py"), built_in_text(name)?)?)),
    }
}

/// Why a text cannot be used on a ring.
pub(crate) fn refused(program: &Program, why: Refused) -> Stop {
    match why {
        Refused::Ring(error) => error.into(),
        Refused::Text(fault) => problems(program, &fault).into(),
    }
}

#[cfg(feature = "prove")]
fn judge() -> Option<Judge> {
    Some(crate::cmd::domains::judge())
}

/// Without a solver, all that can go wrong is noticed when it does.
#[cfg(not(feature = "prove"))]
fn judge() -> Option<Judge> {
    None
}

/// What went wrong while a text ran, as an error at its place.
pub(crate) fn trouble(files: &[File]) -> Result<(), Stop> {
    let told = files.iter().find_map(|file| Some(problems(&file.program, &file.trouble.first()?)));
    told.map_or(Ok(()), |problems| Err(problems.into()))
}
