//! `ringleader view`: the laboratory in a browser.

use std::path::Path;
use std::process::{Command, Stdio};

use ringleader::value::Value;

use crate::args::ViewArgs;
use crate::case::Case;
use crate::stop::Stop;
use crate::text::{faint, strong};
use crate::view::{self, MAX_BODY, server};
use crate::{files, json, progress};

pub(crate) fn view(args: &ViewArgs) -> Result<(), Stop> {
    let opening = opening(args)?;
    let listener = server::bind(args.port)?;
    // From here on Ctrl-C closes the laboratory, which is its proper end.
    let looking = progress::look();
    let port = listener.local_addr().map_or(args.port, |address| address.port());
    let address = format!("http://127.0.0.1:{port}/");
    files::to_stdout(|out| {
        if args.json {
            json::write(&mut &mut *out, &Value::map([("address", address.as_str().into()), ("port", port.into())]))?;
            return writeln!(out);
        }
        writeln!(out, "The laboratory is open at {}", strong(&address))?;
        writeln!(out, "{}", faint("for this machine only; Ctrl-C closes it"))
    })?;
    if !args.no_open {
        open_browser(&address);
    }
    server::serve(listener, opening, &looking)
}

/// What the page is to show first, checked now so that mistakes are told here.
fn opening(args: &ViewArgs) -> Result<Value, Stop> {
    let text = args.file.as_deref().map(|path| read(path, args)).transpose()?;
    let n = args.n.map(|n| i128::from(n).into());
    let params = args.params.0.0.iter().map(|(name, value)| (name.as_str(), Value::from(*value)));
    let mut opening = vec![
        ("protocol", args.protocol.as_deref().into()),
        ("n", n.unwrap_or(Value::Null)),
        ("params", Value::map(params)),
        ("start", args.start.as_deref().into()),
        ("scheduler", args.scheduler.as_deref().into()),
        ("seed", args.seed.map(|seed| seed.to_string()).into()),
    ];
    let case = text.as_deref().unwrap_or("null");
    let mut described: Vec<String> = opening.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    described.push(format!("\"case\":{case}"));
    let checked = view::check(format!("{{{}}}", described.join(",")).as_bytes());
    checked.map_err(|stop| match &args.file {
        Some(path) => Stop::Bad(format!("{}: {}", path.display(), stop.message())),
        None => stop,
    })?;
    // The page gets the text itself, since its numbers are not as long as ours.
    opening.push(("case", text.into()));
    Ok(Value::map(opening))
}

/// The text of a file, which says nothing that the options say too.
fn read(path: &Path, args: &ViewArgs) -> Result<String, Stop> {
    let text = files::read(path)?;
    if text.len() > MAX_BODY {
        let most = MAX_BODY >> 20;
        return Err(Stop::Bad(format!("{}: larger than the limit of {most} MiB", path.display())));
    }
    let bad = |error| Stop::Bad(format!("{}: {error}", path.display()));
    let case: Case = serde_json::from_str(&text).map_err(bad)?;
    let params = (!case.params.0.is_empty()).then(|| args.params.0.0.first().map(|(name, _)| name.as_str())).flatten();
    let twice = [
        ("protocol", args.protocol.is_some() && case.protocol.is_some()),
        ("scheduler", args.scheduler.is_some() && case.scheduler.is_some()),
        ("seed", args.seed.is_some() && case.seed.is_some()),
        (params.unwrap_or_default(), params.is_some()),
    ];
    match twice.iter().find(|(_, twice)| *twice) {
        Some((name, _)) => Err(Stop::Bad(format!("--{name}: {} already sets it", path.display()))),
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
