//! `ringleader inspect`: which sets of the paper a configuration is in.

use ringleader::value::Value;
use ringleader_catalogue::Entries;
use ringleader_records::{case, json};

use crate::args::InspectArgs;
use crate::stdout::to_stdout;
use crate::stop::Stop;

pub(crate) fn inspect(args: &InspectArgs, entries: &Entries) -> Result<(), Stop> {
    let protocols = entries.catalogue();
    let trial = case::read(&args.config)?.trial(&protocols, args.protocol.as_deref(), &args.params.0)?;
    let session = protocols.open(&trial)?;
    let described = session.described();
    let mut facts = vec![
        ("protocol".to_owned(), described.about.case.clone().into()),
        ("hash".to_owned(), json::hash(session.as_ref()).into()),
    ];
    facts.extend(described.settings.iter().map(|(name, value)| (name.clone().into_owned(), Value::from(*value))));
    if let Value::Map(truth) = session.facts() {
        // `psi` is both a setting and a fact; one of them is enough.
        facts.retain(|(name, _)| !truth.iter().any(|(known, _)| known == name));
        facts.extend(truth);
    }
    to_stdout(|out| json::write_line(out, &Value::Map(facts)))
}
