//! `ringleader inspect`: which sets of the paper a configuration is in.

use ringleader::lab::populate_trial;
use ringleader::value::Value;

use crate::args::InspectArgs;
use crate::stop::Stop;
use crate::{case, files, json};

pub(crate) fn inspect(args: &InspectArgs) -> Result<(), Stop> {
    let trial = case::read(&args.config)?.trial(args.protocol.as_deref(), &args.params.0)?;
    let population = populate_trial(&trial)?;
    let mut facts = vec![
        ("protocol".to_owned(), population.about().case.into()),
        ("hash".to_owned(), json::hash(population.as_ref()).into()),
    ];
    facts.extend(population.settings().into_iter().map(|(name, value)| (name.to_owned(), value)));
    if let Value::Map(truth) = population.facts() {
        // `psi` is both a setting and a fact; one of them is enough.
        facts.retain(|(name, _)| !truth.iter().any(|(known, _)| known == name));
        facts.extend(truth);
    }
    files::to_stdout(|out| {
        json::write(&mut &mut *out, &Value::Map(facts))?;
        writeln!(out)
    })
}
