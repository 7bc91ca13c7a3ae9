//! A row of records is a trial of a cell and what came of it. Its columns are declared once; Parquet and CSV follow from the
//! declaration.
//!
//! Every parameter and every phase of the cells has a column of its own, `param_NAME` and `phase_NAME`; no other column begins like
//! that, so no name can get into the way of another.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::outcome::Outcome;
use crate::sweep::Setup;

/// What the columns of parameters begin with.
pub(crate) const PARAM: &str = "param_";
/// What the columns of phases begin with.
pub(crate) const PHASE: &str = "phase_";

/// The column that is there if a cell has faults.
pub(crate) const LEADERS: &str = "leaders_after_fault";

/// A trial of a cell and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What it has in common with the other trials of its cell.
    pub setup: Arc<Setup>,
    /// What came of it.
    pub outcome: Outcome,
}

/// A column: its name, and how its values are found.
pub struct Column {
    /// The name, which no other column has.
    pub name: String,
    pub(crate) value: Value,
}

impl Column {
    /// Its value in a row; null if it is not known.
    #[must_use]
    pub fn of(&self, row: &Row) -> ringleader::value::Value {
        match &self.value {
            Value::Truth(get) => get(row).into(),
            Value::Text(get) => get(row).into_owned().into(),
            numbers => numbers.number(row).into(),
        }
    }
}

/// The type of a column, with what gets its value.
pub(crate) enum Value {
    Whole(fn(&Row) -> u64),
    /// With all 64 bits in use.
    Seed(fn(&Row) -> u64),
    Perhaps(fn(&Row) -> Option<u64>),
    Truth(fn(&Row) -> bool),
    Text(fn(&Row) -> Cow<'_, str>),
    Param(String),
    Phase(Arc<str>),
}

impl Value {
    /// The value of a column of numbers, if there is one.
    pub(crate) fn number(&self, row: &Row) -> Option<u64> {
        match self {
            Self::Whole(get) | Self::Seed(get) => Some(get(row)),
            Self::Perhaps(get) => get(row),
            Self::Param(name) => row.setup.params.iter().find(|(known, _)| known == name).map(|(_, value)| *value),
            Self::Phase(name) => row.outcome.phases.iter().find(|(known, _)| known == name)?.1,
            Self::Truth(_) | Self::Text(_) => None,
        }
    }
}

/// The columns of these cells, in the order in which they are written.
#[must_use]
pub fn columns<'a>(setups: impl IntoIterator<Item = &'a Setup>) -> Vec<Column> {
    let (mut params, mut phases, mut faulty) = (BTreeSet::new(), Vec::new(), false);
    for setup in setups {
        faulty |= !setup.faults.is_empty();
        // The sign puts them into the order in which cells hold them.
        params.extend(setup.params.iter().map(|(name, _)| format!("{name}=")));
        for phase in &setup.phases {
            if !phases.contains(phase) {
                phases.push(phase.clone());
            }
        }
    }
    let column = |name: &str, value| Column { name: name.to_owned(), value };
    let mut columns = vec![
        column("cell", Value::Whole(|row| row.outcome.cell.into())),
        column("protocol", Value::Text(|row| (&row.setup.protocol).into())),
        column("n", Value::Whole(|row| row.setup.n.into())),
    ];
    for name in params.iter().map(|name| name.trim_end_matches('=')) {
        columns.push(column(&format!("{PARAM}{name}"), Value::Param(name.to_owned())));
    }
    columns.extend([
        column("start", Value::Text(|row| (&row.setup.start).into())),
        column("faults", Value::Text(|row| (&row.setup.faults).into())),
        column("scheduler", Value::Text(|row| (&row.setup.scheduler).into())),
        column("rules", Value::Text(|row| fingerprint(row.setup.rules).into())),
        column("limit", Value::Whole(|row| row.setup.limit)),
        column("trial", Value::Whole(|row| row.outcome.trial.into())),
        column("seed", Value::Seed(|row| row.outcome.seed)),
        column("steps", Value::Whole(|row| row.outcome.steps)),
        column("safe", Value::Perhaps(|row| row.outcome.safe)),
        column("censored", Value::Truth(|row| row.outcome.censored)),
        column("last_output_change", Value::Whole(|row| row.outcome.last_output_change)),
        column("coins_read", Value::Whole(|row| row.outcome.coins_read)),
        column("last_fault", Value::Perhaps(|row| row.outcome.last_fault)),
    ]);
    if faulty {
        columns.push(column(LEADERS, Value::Perhaps(|row| row.outcome.leaders_after_fault)));
    }
    columns.extend([column("phases", Value::Text(|row| list(&row.setup.phases).into()))]);
    columns.extend(phases.into_iter().map(|name| column(&format!("{PHASE}{name}"), Value::Phase(name))));
    columns
}

/// A fingerprint of rules as text; nothing if it is not known.
#[must_use]
pub fn fingerprint(rules: u64) -> String {
    if rules == 0 { String::new() } else { format!("{rules:016x}") }
}

/// Names as a JSON list.
fn list(names: &[Arc<str>]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| serde_json::Value::from(&**name).to_string()).collect();
    format!("[{}]", quoted.join(","))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Rows with every kind of value, the extreme ones included, and names that are hard to write.
    pub(crate) fn samples(count: u32) -> Vec<Row> {
        const MOST: u64 = i64::MAX as u64;
        let phases = ["first leader", "C_PB, with \"one\" leader=1", "S\t\u{e9}\\"].map(Arc::from).to_vec();
        let setup = |cell: u32| Setup {
            protocol: "ppl".into(),
            n: u32::MAX - cell,
            params: [("kappa".into(), MOST), ("psi".into(), cell.into())][usize::from(cell.is_multiple_of(2))..]
                .to_vec(),
            start: "uniform".into(),
            faults: if cell.is_multiple_of(2) { String::new() } else { "agents=1,at=safe;list=1+2,at=7".into() },
            scheduler: "clocks".into(),
            rules: u64::from(cell) << 60,
            limit: MOST,
            phases: phases[..cell as usize % 4].to_vec(),
        };
        let mut setups: Vec<Arc<Setup>> = Vec::new();
        let mut row = |k: u32| {
            if k.is_multiple_of(10) {
                setups.push(setup(k / 10).into());
            }
            let (setup, k) = (setups[setups.len() - 1].clone(), u64::from(k));
            let reached = |j: usize| (j != 1).then_some(k);
            let outcome = Outcome {
                cell: k as u32 / 10,
                trial: k as u32 % 10,
                seed: u64::MAX - k,
                steps: k << 33,
                safe: (!k.is_multiple_of(3)).then_some(k << 33),
                censored: k.is_multiple_of(3),
                last_output_change: k,
                coins_read: 0,
                last_fault: k.is_multiple_of(7).then_some(MOST),
                leaders_after_fault: (!setup.faults.is_empty() && k.is_multiple_of(14)).then_some(k),
                phases: setup.phases.iter().enumerate().map(|(j, name)| (name.clone(), reached(j))).collect(),
            };
            Row { setup, outcome }
        };
        (0..count).map(&mut row).collect()
    }

    /// The cells of rows.
    pub(crate) fn setups(rows: &[Row]) -> impl Iterator<Item = &Setup> {
        rows.iter().map(|row| &*row.setup)
    }

    #[test]
    fn every_parameter_and_phase_has_a_column() {
        let rows = samples(40);
        let columns = columns(setups(&rows));
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names[..5], ["cell", "protocol", "n", "param_kappa", "param_psi"]);
        assert_eq!(
            names[19..],
            ["phases", "phase_first leader", "phase_C_PB, with \"one\" leader=1", "phase_S\t\u{e9}\\"]
        );
        let faultless = super::columns(setups(&rows[..10]));
        assert!(names.contains(&LEADERS) && faultless.iter().all(|column| column.name != LEADERS));
        let at = |row: usize, name: &str| columns.iter().find(|one| one.name == name).unwrap().value.number(&rows[row]);
        assert_eq!((at(0, "param_kappa"), at(10, "param_kappa")), (None, Some(i64::MAX as u64)));
        assert_eq!((at(39, "phase_first leader"), at(0, "phase_first leader")), (Some(39), None));
    }
}
