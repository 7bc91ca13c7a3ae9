//! A row is a trial and what came of it. Its columns are declared once; Parquet and CSV follow from the declaration.

/// A trial of a sweep, with its outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Row {
    /// The number of the cell in the definition, from 0 on.
    pub(crate) cell: u32,
    pub(crate) protocol: String,
    pub(crate) n: u32,
    /// All parameters in force, as `k=v,k=v`, sorted by name.
    pub(crate) params: String,
    pub(crate) start: String,
    /// Faults in the order given, separated by `;`; empty if there are none.
    pub(crate) faults: String,
    pub(crate) scheduler: String,
    /// Which repeat of the cell, from 0 on.
    pub(crate) trial: u32,
    pub(crate) seed: u64,
    /// The limit in force.
    pub(crate) limit: u64,
    /// How many interactions were run.
    pub(crate) steps: u64,
    /// The first safe step, if it was reached.
    pub(crate) safe: Option<u64>,
    pub(crate) censored: bool,
    pub(crate) last_output_change: u64,
    pub(crate) coins_read: u64,
    /// The first steps of the phases, as `name=step,name=step`; `name=` if it was not reached; empty if not asked for.
    pub(crate) phases: String,
    /// The step at which the last fault struck, if all faults did: the recovery took `steps - last_fault`, or more if the
    /// trial is censored.
    pub(crate) last_fault: Option<u64>,
}

/// A column: its name, and how it is read from and written to a row.
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) access: Access,
}

/// The type of a column, with what gets and sets its value.
pub(crate) enum Access {
    Small(fn(&Row) -> u32, fn(&mut Row, u32)),
    Large(fn(&Row) -> u64, fn(&mut Row, u64)),
    Perhaps(fn(&Row) -> Option<u64>, fn(&mut Row, Option<u64>)),
    Flag(fn(&Row) -> bool, fn(&mut Row, bool)),
    Text(fn(&Row) -> &String, fn(&mut Row, String)),
}

macro_rules! column {
    (Text $name:ident) => {
        Column { name: stringify!($name), access: Access::Text(|row| &row.$name, |row, value| row.$name = value) }
    };
    ($kind:ident $name:ident) => {
        Column { name: stringify!($name), access: Access::$kind(|row| row.$name, |row, value| row.$name = value) }
    };
}

/// All columns, in the order in which they are written.
pub(crate) const COLUMNS: [Column; 17] = [
    column!(Small cell),
    column!(Text protocol),
    column!(Small n),
    column!(Text params),
    column!(Text start),
    column!(Text faults),
    column!(Text scheduler),
    column!(Small trial),
    column!(Large seed),
    column!(Large limit),
    column!(Large steps),
    column!(Perhaps safe),
    column!(Flag censored),
    column!(Large last_output_change),
    column!(Large coins_read),
    column!(Text phases),
    column!(Perhaps last_fault),
];

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Rows with every kind of value, the extreme ones included.
    pub(crate) fn samples(count: u32) -> Vec<Row> {
        let row = |k: u32| Row {
            cell: k / 10,
            protocol: "ppl".into(),
            n: u32::MAX - k,
            params: format!("kappa={k},psi=6"),
            start: "uniform".into(),
            faults: if k.is_multiple_of(2) { String::new() } else { "agents=1,at=safe;list=1+2,at=7".into() },
            scheduler: "clocks".into(),
            trial: k % 10,
            seed: u64::MAX - u64::from(k),
            limit: u64::MAX,
            steps: u64::from(k) << 33,
            safe: (!k.is_multiple_of(3)).then_some(u64::from(k) << 33),
            censored: k.is_multiple_of(3),
            last_output_change: u64::from(k),
            coins_read: 0,
            phases: if k.is_multiple_of(5) { "first leader=0,S_PL=".into() } else { String::new() },
            last_fault: k.is_multiple_of(7).then_some(u64::MAX),
        };
        (0..count).map(row).collect()
    }
}
