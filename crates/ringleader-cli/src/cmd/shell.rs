//! `ringleader completions` and `ringleader man`: made from the declaration of the command line, protocols' parameters included.

use std::io::Write;
use std::path::Path;

use clap_mangen::Man;
use ringleader::error::Error;
use ringleader_catalogue::Entries;
use ringleader_records::files;

use crate::args::{CompletionsArgs, ManArgs, command};
use crate::stdout::to_stdout;
use crate::stop::Stop;

const NAME: &str = "ringleader";

pub(crate) fn completions(args: &CompletionsArgs, entries: &Entries) -> Result<(), Stop> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command(entries), NAME, &mut text);
    to_stdout(|out| out.write_all(&text))
}

pub(crate) fn man(args: &ManArgs, entries: &Entries) -> Result<(), Stop> {
    let pages = pages(entries)?;
    if let Some(folder) = &args.out {
        return write(&pages, folder);
    }
    let wanted = args.command.as_ref().map_or(NAME.to_owned(), |name| format!("{NAME}-{name}"));
    let page = pages.iter().find(|(name, _)| *name == wanted).ok_or_else(|| {
        let known = pages.iter().filter_map(|(name, _)| name.strip_prefix("ringleader-"));
        Error::unknown("command", args.command.as_deref().unwrap_or_default(), "allowed is", known)
    })?;
    to_stdout(|out| out.write_all(&page.1))
}

/// The page of ringleader and one for each command, by name.
fn pages(entries: &Entries) -> Result<Vec<(String, Vec<u8>)>, Stop> {
    let mut all = command(entries);
    all.build();
    let own = all.get_subcommands().filter(|one| one.get_name() != "help");
    let titled = own.map(|one| (format!("{NAME}-{}", one.get_name()), one.clone()));
    let commands: Vec<(String, clap::Command)> =
        std::iter::once((NAME.to_owned(), all.clone())).chain(titled).collect();
    let page = |(name, one): (String, clap::Command)| {
        let mut text = Vec::new();
        Man::new(one.name(name.clone())).render(&mut text)?;
        Ok((name, text))
    };
    commands.into_iter().map(page).collect()
}

fn write(pages: &[(String, Vec<u8>)], folder: &Path) -> Result<(), Stop> {
    let bad = |error: std::io::Error| Stop::Bad(format!("cannot write {}: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(bad)?;
    for (name, text) in pages {
        files::write(&folder.join(format!("{name}.1")), |out| out.write_all(text))?;
    }
    to_stdout(|out| writeln!(out, "{} pages in {}", pages.len(), folder.display()))
}
