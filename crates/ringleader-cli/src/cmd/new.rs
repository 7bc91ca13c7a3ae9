//! `ringleader new`: a protocol to begin with.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use ringleader::catalogue::is_file;
use ringleader::error::Error;
use ringleader::value::Value;
use ringleader_catalogue::Entries;

use crate::args::NewArgs;
use crate::stdout::print;
use crate::stop::Stop;
use crate::text::{faint, good, quoted};
use crate::texts::built_in_text;

const ELECTION: &str = include_str!("templates/election.py");
const UNDIRECTED: &str = include_str!("templates/undirected.py");
const RULES: &str = include_str!("templates/rules.py");

pub(crate) fn new(args: &NewArgs, entries: &Entries) -> Result<(), Stop> {
    let text = match &args.from {
        Some(name) => built_in_text(&entries.find(name)?.about().name)?,
        None if args.undirected => UNDIRECTED,
        None if args.rules => RULES,
        None => ELECTION,
    };
    let name = args.file.display().to_string();
    if !is_file(&name) {
        return Err(Error::new("file", name, "the name of a protocol's file ends in .py, such as mine.py").into());
    }
    write(&args.file, text)?;
    let commands = next(&name);
    let told = || {
        let commands = commands.iter().map(|command| command.as_str().into()).collect();
        Value::map([("file", Value::from(name.as_str())), ("commands", Value::List(commands))])
    };
    print(args.json, "new", told, |out| show(out, &name, &commands))
}

/// Writes a file that is not there yet.
fn write(path: &Path, text: &str) -> Result<(), Stop> {
    let refuse = |error: io::Error| {
        Stop::Bad(match error.kind() {
            io::ErrorKind::AlreadyExists => {
                format!("{} is there already, and is not written over: choose another name", path.display())
            }
            _ => format!("cannot write {}: {error}", path.display()),
        })
    };
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(refuse)?;
    file.write_all(text.as_bytes()).map_err(|error| {
        // What is not whole must not stay.
        let _ = std::fs::remove_file(path);
        refuse(error)
    })
}

/// What to try next.
fn next(name: &str) -> Vec<String> {
    // A name that begins with a dash would be an option.
    let name = if name.starts_with('-') { format!("./{name}") } else { name.to_owned() };
    let name = quoted(&name);
    [
        format!("ringleader run {name} --n 16"),
        format!("ringleader check {name} --n 3..5"),
        format!("ringleader run {name} --n 16 --trials 100"),
        format!("ringleader list {name} --n 16"),
        format!("ringleader show {name} --latex"),
    ]
    .into_iter()
    .chain(cfg!(feature = "view").then(|| format!("ringleader view {name}")))
    .collect()
}

fn show(out: &mut dyn Write, name: &str, commands: &[String]) -> io::Result<()> {
    writeln!(out, "{}: {name} is a protocol that works; change it", good("written"))?;
    writeln!(out, "{}", faint("try:"))?;
    commands.iter().try_for_each(|command| writeln!(out, "  {command}"))
}
