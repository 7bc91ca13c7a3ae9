//! `ringleader view`: the laboratory in a browser.

use std::process::{Command, Stdio};

use ringleader::lab::populate_trial;
use ringleader::protocol::Params;
use ringleader::trial::{From, Scheduler, Trial};
use ringleader::value::Value;

use crate::args::ViewArgs;
use crate::files;
use crate::stop::Stop;
use crate::text::{faint, strong};
use crate::view::{MAX_BODY, MAX_N, server};

/// The number of agents that is shown if nothing is said; a ring of them can be read at a glance.
const DEFAULT_N: usize = 64;

pub(crate) fn view(args: &ViewArgs) -> Result<(), Stop> {
    let opening = opening(args)?;
    let listener = server::bind(args.port)?;
    let port = listener.local_addr().map_or(args.port, |address| address.port());
    let address = format!("http://127.0.0.1:{port}/");
    files::to_stdout(|out| {
        writeln!(out, "The laboratory is open at {}", strong(&address))?;
        writeln!(out, "{}", faint("for this machine only; Ctrl-C closes it"))
    })?;
    if !args.no_open {
        open_browser(&address);
    }
    server::serve(listener, opening)
}

/// What the page is to show first, checked now so that mistakes are told here.
fn opening(args: &ViewArgs) -> Result<Value, Stop> {
    if let Some(path) = &args.file {
        let text = files::read(path)?;
        if text.len() > MAX_BODY {
            let most = MAX_BODY >> 20;
            return Err(Stop::Bad(format!("{}: larger than {most} MiB, the most that is shown", path.display())));
        }
        let (protocol, params) = (Value::from(args.protocol.as_deref()), parameters(&args.params.0));
        let description = format!("{{\"protocol\":{protocol},\"params\":{params},\"case\":{text}}}");
        let named = |stop: Stop| Stop::Bad(format!("{}: {}", path.display(), stop.message()));
        crate::view::check(description.as_bytes()).map_err(named)?;
        // The page gets the text itself, since its numbers are not as long as ours.
        return Ok(Value::map([("protocol", protocol), ("params", params), ("case", text.into())]));
    }
    let n = args.n.map_or(DEFAULT_N, |n| usize::try_from(n).unwrap_or(usize::MAX));
    let mut trial = Trial::new(args.protocol.as_deref().unwrap_or("ppl"), n, args.seed.unwrap_or(1));
    trial.params = args.params.0.clone();
    trial.scheduler = Scheduler::named(&args.scheduler)?;
    trial.from = args.start.clone().map(From::Named);
    if n > MAX_N {
        return Err(Stop::Bad(format!("n: {n}; a ring that is shown has 3 to {MAX_N} agents")));
    }
    populate_trial(&trial)?;
    Ok(described(&trial))
}

fn described(trial: &Trial) -> Value {
    let start = match &trial.from {
        Some(From::Named(name)) => Value::from(name.as_str()),
        _ => Value::Null,
    };
    Value::map([
        ("protocol", trial.protocol.as_str().into()),
        ("n", trial.n.into()),
        ("params", parameters(&trial.params)),
        ("start", start),
        ("scheduler", trial.scheduler.name().into()),
        ("seed", trial.seed.to_string().into()),
    ])
}

fn parameters(params: &Params) -> Value {
    Value::map(params.0.iter().map(|(name, value)| (name.as_str(), Value::from(*value))))
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
