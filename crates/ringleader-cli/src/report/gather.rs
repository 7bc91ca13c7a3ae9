//! Rows become series: the cells of all sizes that differ in nothing else. Of a row only numbers are kept.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};

use ringleader::lab;
use ringleader::protocol::Origin;
use ringleader::stats::{Observed, Sample};

use crate::report::settings::{Setting, settings};
use crate::stop::Stop;
use crate::store::row::Row;

/// What the trials of a series have in common.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Kind {
    pub(crate) protocol: String,
    pub(crate) settings: Vec<Setting>,
    pub(crate) start: String,
    pub(crate) faults: String,
    pub(crate) scheduler: String,
}

/// The trials of one size.
#[derive(Debug)]
pub(crate) struct Cell {
    pub(crate) n: u32,
    /// The first safe step or, where there are faults, the steps from the last one to the next safe step.
    pub(crate) steps: Sample,
    /// The last output change.
    pub(crate) changes: Sample,
    /// The first steps of phases, in the order of the records, of the trials that reached them or were cut off before.
    pub(crate) phases: Vec<(String, Sample)>,
    /// The least and the greatest limit.
    pub(crate) limits: (u64, u64),
    /// How many rows were those of a trial that is counted already.
    pub(crate) repeated: usize,
}

/// Cells that differ in n only, smallest first.
#[derive(Debug)]
pub(crate) struct Series {
    pub(crate) kind: Kind,
    /// What tells it from the other series of the report, after the protocol.
    pub(crate) label: String,
    pub(crate) cells: Vec<Cell>,
}

impl Series {
    /// What its steps are.
    pub(crate) fn measure(&self) -> &'static str {
        if self.kind.faults.is_empty() { "first safe step" } else { "recovery from the last fault" }
    }
}

/// Takes all rows; the series come in the order in which their first rows came.
pub(crate) fn gather(rows: impl Iterator<Item = Result<Row, Stop>>) -> Result<Vec<Series>, Stop> {
    let mut gathering = Gathering::default();
    for row in rows {
        gathering.take(&row?)?;
    }
    Ok(gathering.finish())
}

/// What the rows of a cell have in common: n, and the text of a few columns.
type Name = (u32, [String; 5]);

fn texts(row: &Row) -> [&String; 5] {
    [&row.protocol, &row.params, &row.start, &row.faults, &row.scheduler]
}

#[derive(Default)]
struct Gathering {
    /// Where the cell of that name is.
    places: BTreeMap<Name, usize>,
    /// The name and the place of the row before, which are nearly always those of the next.
    last: Option<(Name, usize)>,
    cells: Vec<Gathered>,
}

/// The numbers of a cell while rows come.
struct Gathered {
    kind: Kind,
    n: u32,
    steps: Vec<Observed>,
    changes: Vec<Observed>,
    phases: Vec<(String, Vec<Observed>)>,
    limits: (u64, u64),
    /// The seed of every trial, with what came of it.
    outcomes: HashMap<u64, u64>,
    repeated: usize,
}

impl Gathering {
    fn take(&mut self, row: &Row) -> Result<(), Stop> {
        let place = self.place(row)?;
        self.cells[place].take(row)
    }

    fn place(&mut self, row: &Row) -> Result<usize, Stop> {
        if let Some(((n, known), place)) = &self.last
            && *n == row.n
            && known.iter().eq(texts(row))
        {
            return Ok(*place);
        }
        let name = (row.n, texts(row).map(Clone::clone));
        let place = match self.places.get(&name) {
            Some(place) => *place,
            None => {
                self.cells.push(Gathered::new(row)?);
                self.places.insert(name.clone(), self.cells.len() - 1);
                self.cells.len() - 1
            }
        };
        self.last = Some((name, place));
        Ok(place)
    }

    fn finish(self) -> Vec<Series> {
        let mut series: Vec<Series> = Vec::new();
        for cell in self.cells {
            let (kind, cell) = cell.finish();
            match series.iter_mut().find(|series| series.kind == kind) {
                Some(series) => series.cells.push(cell),
                None => series.push(Series { kind, label: String::new(), cells: vec![cell] }),
            }
        }
        series.iter_mut().for_each(|series| series.cells.sort_by_key(|cell| cell.n));
        let labels = labels(&series.iter().map(|series| &series.kind).collect::<Vec<_>>());
        series.iter_mut().zip(labels).for_each(|(series, label)| series.label = label);
        series
    }
}

impl Gathered {
    fn new(row: &Row) -> Result<Self, Stop> {
        let settings =
            settings(&row.protocol, row.n, &row.params).map_err(|why| Stop::Bad(format!("a row says {why}")))?;
        let kind = Kind {
            protocol: row.protocol.clone(),
            settings,
            start: row.start.clone(),
            faults: row.faults.clone(),
            scheduler: row.scheduler.clone(),
        };
        let limits = (row.limit, row.limit);
        Ok(Self {
            kind,
            n: row.n,
            steps: Vec::new(),
            changes: Vec::new(),
            phases: Vec::new(),
            limits,
            outcomes: HashMap::new(),
            repeated: 0,
        })
    }

    fn take(&mut self, row: &Row) -> Result<(), Stop> {
        self.limits = (self.limits.0.min(row.limit), self.limits.1.max(row.limit));
        if self.knows(row)? {
            self.repeated += 1;
            return Ok(());
        }
        self.steps.push(steps(row));
        self.changes.push(Observed { value: row.last_output_change, exact: !row.censored });
        for phase in row.phases.split(',').filter(|phase| !phase.is_empty()) {
            let known = phase.split_once('=').and_then(|(name, step)| {
                let reached = if step.is_empty() { None } else { Some(Observed::exactly(step.parse().ok()?)) };
                Some((name, reached.or(row.censored.then_some(Observed::at_least(row.steps)))))
            });
            let wrong = || Stop::Bad(format!("a row says {phase:?} of a phase, which is not of the form name=step"));
            let (name, reached) = known.ok_or_else(wrong)?;
            match self.phases.iter_mut().find(|(known, _)| known == name) {
                Some((_, steps)) => steps.extend(reached),
                None => self.phases.push((name.to_owned(), reached.into_iter().collect())),
            }
        }
        Ok(())
    }

    /// Whether the trial of this row is known already, with the same outcome.
    fn knows(&mut self, row: &Row) -> Result<bool, Stop> {
        let outcome = outcome(row);
        match self.outcomes.insert(row.seed, outcome) {
            None => Ok(false),
            Some(known) if known == outcome => Ok(true),
            Some(_) => {
                let Row { protocol, start, n, seed, .. } = row;
                Err(Stop::Bad(format!(
                    "the trial of {protocol} at n = {n} from {start} with seed {seed} has two rows that differ: they were made with \
                     different limits, phases or versions, or one of them is wrong"
                )))
            }
        }
    }

    fn finish(self) -> (Kind, Cell) {
        let sample = |values: Vec<Observed>| values.into_iter().collect::<Sample>();
        let cell = Cell {
            n: self.n,
            steps: sample(self.steps),
            changes: sample(self.changes),
            phases: self.phases.into_iter().map(|(name, steps)| (name, sample(steps))).collect(),
            limits: self.limits,
            repeated: self.repeated,
        };
        (self.kind, cell)
    }
}

/// A hash of what came of a trial. A limit that was not met changes nothing.
fn outcome(row: &Row) -> u64 {
    let mut hasher = DefaultHasher::new();
    let reached = (row.steps, row.safe, row.censored, row.last_output_change, row.coins_read, row.last_fault);
    (reached, &row.phases).hash(&mut hasher);
    hasher.finish()
}

/// The steps of a row to its first safe step or, with faults, from the last of them to the next safe step. Nothing is known
/// of the recovery from a fault that did not strike.
fn steps(row: &Row) -> Observed {
    if row.faults.is_empty() {
        return row.safe.map_or(Observed::at_least(row.limit), Observed::exactly);
    }
    let since = row.last_fault.map(|fault| row.steps.saturating_sub(fault));
    Observed { value: since.unwrap_or(0), exact: since.is_some() && !row.censored }
}

/// The name of a protocol, with a star if its rules are not the paper's own.
pub(crate) fn marked(protocol: &str) -> String {
    let own = lab::protocol(protocol).is_ok_and(|entry| entry.about.origin == Origin::Paper);
    format!("{protocol}{}", if own { "" } else { "*" })
}

/// Whose rules the marked ones are, in a sentence for each; empty if there are none.
pub(crate) fn whose_rules<'a>(protocols: impl Iterator<Item = &'a str>) -> String {
    let mut all: Vec<&str> = protocols.filter(|protocol| marked(protocol).ends_with('*')).collect();
    all.sort_unstable();
    all.dedup();
    let rules = |protocol: &str| lab::protocol(protocol).map_or("unknown", |entry| entry.about.origin.name());
    all.iter().map(|protocol| format!(" * The rules of {protocol}: {}.", rules(protocol))).collect()
}

/// The protocol, and whatever else differs between the series.
fn labels(kinds: &[&Kind]) -> Vec<String> {
    let differ = |part: &dyn Fn(&Kind) -> String| kinds.windows(2).any(|pair| part(pair[0]) != part(pair[1]));
    let (starts, faults) = (differ(&|kind| kind.start.clone()), differ(&|kind| kind.faults.clone()));
    let schedulers = differ(&|kind| kind.scheduler.clone());
    let label = |kind: &&Kind| {
        let mut label = marked(&kind.protocol);
        let rivals = || kinds.iter().filter(|other| other.protocol == kind.protocol);
        for setting in &kind.settings {
            let varies = rivals().any(|other| !other.settings.contains(setting));
            if varies || !setting.default {
                let _ = write!(label, " {setting}");
            }
        }
        let mut say = |shown: bool, text: &str| {
            if shown && !text.is_empty() {
                let _ = write!(label, ", {text}");
            }
        };
        say(starts, &kind.start);
        say(faults, &kind.faults);
        say(schedulers, &kind.scheduler);
        label
    };
    kinds.iter().map(label).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A row of P_PL whose trial took so many steps, or more.
    pub(crate) fn row(n: u32, seed: u64, steps: Observed) -> Row {
        let psi = n.next_power_of_two().ilog2();
        Row {
            protocol: "ppl".into(),
            n,
            params: format!("kappa={},psi={psi}", 48 * psi),
            start: "leaderless".into(),
            scheduler: "clocks".into(),
            seed,
            limit: if steps.exact { 1_000_000_000 } else { steps.value },
            steps: steps.value,
            safe: steps.exact.then_some(steps.value),
            censored: !steps.exact,
            last_output_change: steps.value / 2,
            phases: if steps.exact { "first leader=1,S_PL=9".into() } else { "first leader=1,S_PL=".into() },
            ..Row::default()
        }
    }

    pub(crate) fn gathered(rows: Vec<Row>) -> Vec<Series> {
        gather(rows.into_iter().map(Ok)).unwrap()
    }

    #[test]
    fn sizes_of_one_kind_are_one_series() {
        let mut rows: Vec<Row> = (0..10_u64).map(|k| row(32 >> (k % 2), k, Observed::exactly(100))).collect();
        rows.push(Row { start: "uniform".into(), ..row(16, 99, Observed::at_least(70)) });
        let series = gathered(rows);
        let shown: Vec<(&str, Vec<u32>)> =
            series.iter().map(|one| (one.label.as_str(), one.cells.iter().map(|cell| cell.n).collect())).collect();
        assert_eq!(shown, [("ppl, leaderless", vec![16, 32]), ("ppl, uniform", vec![16])]);
        let cut = &series[1].cells[0];
        assert_eq!((cut.steps.censored(), cut.changes.censored(), cut.phases[1].1.censored()), (1, 1, 1));
        assert_eq!(cut.steps.ranked(1), Some(Observed::at_least(70)));
        let never = Row { phases: "first leader=".into(), ..row(16, 1, Observed::exactly(9)) };
        assert!(gathered(vec![never])[0].cells[0].phases[0].1.is_empty(), "it did not happen, and never will");
    }

    #[test]
    fn labels_say_what_differs() {
        let other = |params: &str, seed| Row { params: params.into(), ..row(16, seed, Observed::exactly(5)) };
        let series = gathered(vec![other("kappa=192,psi=4", 1), other("kappa=8,psi=4", 2)]);
        let labels: Vec<&str> = series.iter().map(|one| one.label.as_str()).collect();
        assert_eq!(labels, ["ppl c1=48", "ppl c1=2"]);
        assert_eq!(gathered(vec![other("kappa=8,psi=4", 2)])[0].label, "ppl c1=2");
        assert_eq!(gathered(vec![other("kappa=192,psi=4", 2)])[0].label, "ppl");
    }

    #[test]
    fn rules_that_are_not_the_papers_own_are_marked() {
        assert_eq!(["ppl", "ysm", "of another version"].map(marked), ["ppl", "ysm*", "of another version*"]);
        assert_eq!(whose_rules(["ysm", "ppl", "ysm"].into_iter()), " * The rules of ysm: a reconstruction.");
        assert_eq!(whose_rules(["ppl"].into_iter()), "");
    }

    #[test]
    fn a_trial_that_is_there_twice_counts_once() {
        let rows = || [7, 8].map(|seed| row(16, seed, Observed::exactly(5)));
        let other = |change: fn(&mut Row)| {
            let mut other = rows()[0].clone();
            change(&mut other);
            gather(rows().into_iter().chain([other]).map(Ok))
        };
        for same in [|row: &mut Row| row.cell += 1, |row: &mut Row| row.limit += 1] {
            let cell = &other(same).unwrap()[0].cells[0];
            assert_eq!((cell.steps.len(), cell.changes.len(), cell.phases[0].1.len(), cell.repeated), (2, 2, 2, 1));
        }
        for change in [
            |row: &mut Row| row.steps += 1,
            |row: &mut Row| row.safe = None,
            |row: &mut Row| row.censored = true,
            |row: &mut Row| row.last_output_change += 1,
            |row: &mut Row| row.coins_read += 1,
            |row: &mut Row| row.last_fault = Some(1),
            |row: &mut Row| row.phases.clear(),
        ] {
            let refused = other(change).unwrap_err();
            assert!(refused.message().contains("seed 7 has two rows that differ"), "{}", refused.message());
        }
        let another_trial = other(|row| row.seed = 9).unwrap();
        assert_eq!((another_trial[0].cells[0].steps.len(), another_trial[0].cells[0].repeated), (3, 0));
    }

    #[test]
    fn recoveries_are_counted_from_the_last_fault() {
        let faulty = |last_fault, censored| {
            let row = row(16, 1, Observed::exactly(500));
            steps(&Row { faults: "agents=1,at=safe".into(), last_fault, censored, ..row })
        };
        assert_eq!(faulty(Some(400), false), Observed::exactly(100));
        assert_eq!(faulty(Some(400), true), Observed::at_least(100));
        assert_eq!(faulty(None, true), Observed::at_least(0));
    }

    #[test]
    fn nothing_gives_nothing() {
        assert!(gathered(Vec::new()).is_empty());
    }
}
