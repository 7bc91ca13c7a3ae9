//! `ringleader view`: the laboratory in a browser.

use std::path::Path;
use std::process::{Command, Stdio};

use ringleader::catalogue::Catalogue;
use ringleader::value::Value;
use ringleader_catalogue::Entries;
use ringleader_records::case;
use ringleader_records::error::Error;
use ringleader_records::files;
use ringleader_view::{Description, MAX_BODY, Server};

use crate::args::ViewArgs;
use crate::progress;
use crate::stdout::print;
use crate::stop::Stop;
use crate::text::{faint, strong};

pub(crate) fn view(args: &ViewArgs, entries: &Entries) -> Result<(), Stop> {
    let catalogue = entries.catalogue();
    let opening = opening(&catalogue, args)?;
    let server = Server::bind(catalogue, &opening, args.port)
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

/// What the page is to show first, checked now so that mistakes are told here.
fn opening(catalogue: &Catalogue, args: &ViewArgs) -> Result<Description, Error> {
    let opening = Description {
        protocol: args.protocol.clone(),
        n: args.n.map(|n| usize::try_from(n).unwrap_or(usize::MAX)),
        params: args.params.0.clone(),
        start: args.start.clone(),
        scheduler: args.scheduler.clone(),
        seed: args.seed,
        case: args.file.as_deref().map(|path| read(catalogue, path, args)).transpose()?,
        edits: Vec::new(),
    };
    let checked = opening.check(catalogue);
    checked.map_err(|error| args.file.iter().fold(error, |error, path| error.at(path.display())))?;
    Ok(opening)
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
    let twice = [
        ("protocol", args.protocol.is_some() && case.protocol.is_some()),
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
