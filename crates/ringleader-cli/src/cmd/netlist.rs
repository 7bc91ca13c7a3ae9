//! The graph of a text as a file for other tools: AIGER or BLIF.

use std::io::Write;
use std::path::Path;

use ringleader_notation::graph::in_fresh_arena;
use ringleader_notation::lower::TooHard;
use ringleader_notation::netlist::{Netlist, interact, set};
use ringleader_notation::program::Program;
use ringleader_notation::setting::Setting;
use ringleader_records::files;

use crate::stop::Stop;

/// What a graph is of: the transition function, or a function of the ring by its name.
fn netlist(program: &Program, setting: &Setting, of: &str) -> Result<Netlist, Stop> {
    let made = in_fresh_arena(Box::new(|| None), || match of {
        "interact" => Ok(interact(program, setting)),
        name => program.sets().find(|&function| program.functions[function].name == name).map_or_else(
            || {
                let sets: Vec<&str> = program.sets().map(|function| &*program.functions[function].name).collect();
                let allowed = ["interact"].iter().chain(&sets).copied().collect::<Vec<_>>().join(", ");
                Err(Stop::Bad(format!("--of {of}: there is no such set in the text; allowed are {allowed}")))
            },
            |function| Ok(set(program, setting, function)),
        ),
    })?;
    made.map_err(|hard| {
        let TooHard { span, why } = *hard;
        Stop::Bad(format!("{}:{}:{}: no graph: {why}", program.file, span.line, span.column))
    })
}

/// Writes a graph as AIGER, which is binary if the name ends in `.aig`.
pub(crate) fn write_aiger(program: &Program, setting: &Setting, of: &str, path: &Path) -> Result<(), Stop> {
    let netlist = netlist(program, setting, of)?;
    let binary = path.extension().is_some_and(|ending| ending == "aig");
    let bytes = if binary { netlist.aig() } else { netlist.aag().into_bytes() };
    Ok(files::write(path, |out| out.write_all(&bytes))?)
}

/// Writes a graph as BLIF.
pub(crate) fn write_blif(program: &Program, setting: &Setting, of: &str, path: &Path) -> Result<(), Stop> {
    let text = netlist(program, setting, of)?.blif();
    Ok(files::write(path, |out| out.write_all(text.as_bytes()))?)
}
