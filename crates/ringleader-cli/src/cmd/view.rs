//! `ringleader view`: the laboratory in a browser.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use ringleader::catalogue::{Catalogue, is_file};
use ringleader::value::Value;
use ringleader_catalogue::{Entries, File, text_of};
use ringleader_records::case;
use ringleader_records::error::Error;
use ringleader_records::files;
use ringleader_view::{Description, Library, MAX_BODY, Server};

use crate::args::ViewArgs;
use crate::progress;
use crate::stdout::print;
use crate::stop::Stop;
use crate::text::{faint, strong};

pub(crate) fn view(args: &ViewArgs, entries: &Entries, files: &[File]) -> Result<(), Stop> {
    let (mut catalogue, brought) = (entries.catalogue(), brought(args));
    if let Some((name, text)) = &brought {
        catalogue = catalogue.with_text(name, text).map_err(Stop::Bad)?;
    }
    let library = library(&catalogue, entries, files);
    let library = match brought.and_then(|(name, text)| ringleader_notation::read(&name, &text).ok()) {
        Some(program) => library.with_text(&program.file.clone(), Arc::new(program)),
        None => library,
    };
    let opening = opening(&library, &catalogue, args)?;
    let server = Server::bind(library, &opening, args.port)
        .map_err(|error| Stop::Bad(format!("{error}; choose another with --port")))?;
    // From here on Ctrl-C closes the laboratory, which is its proper end.
    let _looking = progress::look();
    let address = format!("http://127.0.0.1:{}/", server.port());
    let told = || Value::map([("address", address.as_str().into()), ("port", server.port().into())]);
    print(args.json, "view", told, |out| {
        writeln!(out, "The laboratory is open at {}", strong(&address))?;
        writeln!(out, "{}", faint("for this machine only; Ctrl-C closes it"))
    })?;
    if !args.no_open {
        open_browser(&address);
    }
    Ok(server.serve(&progress::interrupted)?)
}

/// The protocol whose text a case brings, unless another one is named. What is wrong with the case is told when it is opened.
fn brought(args: &ViewArgs) -> Option<(String, String)> {
    let named = args.protocol.is_some() || args.file.iter().any(|path| is_text(path));
    let path = args.file.iter().find(|path| **path != *Path::new("-")).filter(|_| !named)?;
    let text = files::read(path).ok().filter(|text| text.len() <= MAX_BODY)?;
    let case = case::parse(&text).ok()?;
    Some((case.protocol.filter(|name| is_file(name))?, case.text?))
}

/// The protocols with their texts.
fn library(catalogue: &Catalogue, entries: &Entries, files: &[File]) -> Library {
    let library = Library::from(catalogue.clone());
    let library =
        files.iter().fold(library, |library, file| library.with_text(&file.program.file, file.program.clone()));
    entries.iter().fold(library, |library, entry| {
        let name = &*entry.about().name;
        match text_of(name).and_then(|text| ringleader_notation::read(&format!("{name}.py"), text).ok()) {
            Some(program) => library.with_text(name, Arc::new(program)),
            None => library,
        }
    })
}

/// What the page is to show first, checked now so that mistakes are told here.
fn opening(library: &Library, catalogue: &Catalogue, args: &ViewArgs) -> Result<Description, Error> {
    let (text, case): (Vec<&PathBuf>, Vec<&PathBuf>) = args.file.iter().partition(|path| is_text(path));
    if let (Some(path), Some(protocol)) = (text.first(), &args.protocol) {
        return Err(Error::new(format!("--protocol {protocol}: {} is one already", path.display())));
    }
    let opening = Description {
        protocol: text.first().map(|path| path.display().to_string()).or_else(|| args.protocol.clone()),
        n: args.n.map(|n| usize::try_from(n).unwrap_or(usize::MAX)),
        params: args.params.0.clone(),
        start: args.start.clone(),
        scheduler: args.scheduler.clone(),
        seed: args.seed,
        text: None,
        case: case.first().map(|path| read(catalogue, path, args)).transpose()?,
        edits: Vec::new(),
    };
    let checked = opening.check(library);
    checked.map_err(|error| case.iter().fold(error, |error, path| error.at(path.display())))?;
    Ok(opening)
}

/// Whether a file is a protocol.
fn is_text(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "py")
}

/// The text of a file that says nothing that the options say too.
fn read(catalogue: &Catalogue, path: &Path, args: &ViewArgs) -> Result<String, Error> {
    let text = files::read(path)?;
    let bad = |error: String| Error::new(error).at(path.display());
    if text.len() > MAX_BODY {
        return Err(bad(format!("larger than {} MiB, the most that is shown", MAX_BODY >> 20)));
    }
    let case = case::parse(&text).map_err(|error| error.at(path.display()))?;
    let about = catalogue.find(case.protocol_under(args.protocol.as_deref()))?.about();
    let given = args.params.0.0.first().filter(|_| case.gives_parameters(about)).map(|(name, _)| name.as_str());
    let other = |protocol: &String| !is_text(Path::new(protocol)) || case.protocol.as_ref() != Some(protocol);
    let twice = [
        ("n", args.n.is_some()),
        ("start", args.start.is_some()),
        ("protocol", args.protocol.as_ref().is_some_and(other) && case.protocol.is_some()),
        ("scheduler", args.scheduler.is_some() && case.scheduler.is_some()),
        ("seed", args.seed.is_some() && case.seed.is_some()),
        (given.unwrap_or_default(), given.is_some()),
    ];
    match twice.iter().find(|(_, twice)| *twice) {
        Some((name, _)) => Err(Error::new(format!("--{name}: {} says it already", path.display()))),
        None => Ok(text),
    }
}

/// Opens the address in the user's browser; where there is none, the address has been printed.
fn open_browser(address: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = if cfg!(windows) {
        let mut command = Command::new("cmd");
        command.args(["/C", "start", "", address]);
        command
    } else {
        let mut command = Command::new(program);
        command.arg(address);
        command
    };
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let _ = quiet.spawn();
}
