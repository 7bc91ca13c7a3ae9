//! `ringleader prove --list`: what is claimed, and where the paper says it.

use std::io::{self, Write};

use ringleader::value::Value;
use ringleader_proof::claims::Claim;

use super::summary;
use crate::stdout::print;
use crate::stop::Stop;
use crate::text::{WIDTH, faint, strong, wrapped};

/// Lists the claims instead of deciding them.
pub(super) fn list(chosen: &[Claim], as_json: bool) -> Result<(), Stop> {
    let entry = |claim: &Claim| {
        Value::map([
            ("claim", claim.name.into()),
            ("statements", summary::statements(claim.name).collect::<Vec<_>>().into()),
            ("place", claim.place.into()),
            ("says", claim.says.into()),
            ("reduction", claim.every.map(Value::from).into()),
            ("given", claim.given.iter().map(|&name| Value::from(name)).collect::<Vec<_>>().into()),
            ("must_fail", claim.canary.into()),
        ])
    };
    let all = || Value::map([("claims", chosen.iter().map(entry).collect::<Vec<_>>().into())]);
    print(as_json, "claims", all, |out| chosen.iter().try_for_each(|claim| show(out, claim)))
}

fn show(out: &mut dyn Write, claim: &Claim) -> io::Result<()> {
    let statements: Vec<&str> = summary::statements(claim.name).collect();
    writeln!(out, "{}  {}", strong(claim.name), faint(statements.join(", ")))?;
    let must = if claim.canary { "; known to be false: it must fail" } else { "" };
    let given = if claim.given.is_empty() { String::new() } else { format!("; given {}", claim.given.join(", ")) };
    let every = claim.every.map_or(String::new(), |name| format!("; every n by the reduction {name} (PROOFS.md)"));
    let says = format!("{}{every}{given}{must}", claim.says);
    wrapped(&says, WIDTH - 4).iter().try_for_each(|line| writeln!(out, "    {line}"))
}
