//! Rows become series: the cells of all sizes that differ in nothing else. Of a row only numbers are kept.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ringleader::blueprint::Origin;
use ringleader::catalogue::Catalogue;
use ringleader::stats::fit::Scale;
use ringleader::stats::{Observed, Sample};

use crate::columns::{Row, fingerprint};
use crate::definition::{File, files_in};
use crate::error::Error;
use crate::ledger::{journal_of, under_way};
use crate::meta::Meta;
use crate::outcome::Outcome;
use crate::parquet;
use crate::settings::{Setting, settings};
use crate::sweep::{Setup, same_rules};

/// What the trials of a series have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Kind {
    /// The name of the protocol.
    pub protocol: String,
    /// Its parameters, whatever n is.
    pub settings: Vec<Setting>,
    /// The name of the start.
    pub start: String,
    /// The faults, separated by `;`.
    pub faults: String,
    /// The name of the scheduler.
    pub scheduler: String,
}

/// The trials of one size.
#[derive(Debug)]
pub struct Cell {
    /// The number of agents.
    pub n: u32,
    /// The first safe step or, where there are faults, the steps from the last one to the next safe step.
    pub steps: Sample,
    /// The last output change.
    pub changes: Sample,
    /// The first steps of phases, in the order of the records, of the trials that reached them or were cut off before.
    pub phases: Vec<(String, Sample)>,
    /// The least and the greatest limit.
    pub limits: (u64, u64),
    /// How many rows were those of a trial that is counted already.
    pub repeated: usize,
}

/// Cells that differ in n only, smallest first.
#[derive(Debug)]
pub struct Series {
    /// What its trials have in common.
    pub kind: Kind,
    /// Whose rules these are, unless they are the paper's own.
    pub rules: Option<String>,
    /// The growth that the protocol's authors claim, or n^2 log n if that is none of ours.
    pub scale: Scale,
    /// What tells it from the other series of the report, after the protocol.
    pub label: String,
    /// Its cells.
    pub cells: Vec<Cell>,
}

impl Series {
    fn new(protocols: &Catalogue, kind: Kind) -> Self {
        let about = protocols.find(&kind.protocol).map(|protocol| protocol.about()).ok();
        let rules = match about.map(|about| &about.origin) {
            Some(Origin::Paper) => None,
            origin => Some(origin.map_or("unknown", Origin::name).to_owned()),
        };
        let scale = claimed(about.map_or("", |about| &about.bound));
        Self { kind, rules, scale, label: String::new(), cells: Vec::new() }
    }

    /// The name of the protocol, with a star if its rules are not the paper's own.
    #[must_use]
    pub fn marked(&self) -> String {
        format!("{}{}", self.kind.protocol, if self.rules.is_some() { "*" } else { "" })
    }

    /// What its steps are.
    #[must_use]
    pub fn measure(&self) -> &'static str {
        if self.kind.faults.is_empty() { "first safe step" } else { "recovery from the last fault" }
    }
}

/// The growth in the words of a claim.
fn claimed(bound: &str) -> Scale {
    let has = |words: &str| bound.contains(words);
    if has("n^3") {
        Scale::N3
    } else if has("n^2") && !has("log") {
        Scale::N2
    } else {
        Scale::N2LogN
    }
}

/// Whether these are records of a sweep that is under way: there is a journal, and nothing else yet.
#[must_use]
pub fn is_under_way(records: &Path) -> bool {
    !records.exists() && journal_of(records).exists()
}

/// The series in files of records, and what the files say of themselves. A folder stands for the Parquet files in it; of a sweep under
/// way there is what it has finished.
///
/// # Errors
/// If a file cannot be read, there are no trials, or a trial is there twice with different outcomes.
pub fn load(protocols: &Catalogue, records: &[PathBuf]) -> Result<(Vec<Series>, Vec<Meta>), Error> {
    let (mut metas, mut some, mut whole) = (Vec::new(), Vec::new(), Vec::new());
    for path in files_of(records)? {
        let journal = if is_under_way(&path) { under_way(protocols, &path)? } else { None };
        match journal {
            Some((meta, rows)) => {
                metas.push(meta);
                some.extend(rows);
            }
            None => {
                metas.push(parquet::metadata(&path)?);
                whole.push(path);
            }
        }
    }
    let whole = if whole.is_empty() { None } else { Some(parquet::read(&whole)?) };
    // What is usual for a protocol that is a file, its text says.
    let texts = metas.iter().flat_map(|meta| files_in(&meta.definition));
    let protocols =
        texts.fold(protocols.clone(), |known, File { name, text, .. }| known.with_text(&name, &text).unwrap_or(known));
    let series = gather(&protocols, whole.into_iter().flatten().chain(some.into_iter().map(Ok)))?;
    if series.is_empty() {
        let names: Vec<String> = records.iter().map(|path| path.display().to_string()).collect();
        return Err(Error::new(format!("{} holds no trials", names.join(", "))));
    }
    Ok((series, metas))
}

/// The files of records that are meant: a folder stands for the Parquet files in it.
///
/// # Errors
/// If a folder cannot be read, or holds none.
pub fn files_of(records: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut paths = Vec::new();
    for path in records {
        if path.is_dir() { paths.extend(folder(path)?) } else { paths.push(path.clone()) }
    }
    Ok(paths)
}

/// The Parquet files of a folder, sorted by name.
fn folder(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let bad = |error: std::io::Error| Error::new(format!("cannot read {}: {error}", path.display()));
    let entries = std::fs::read_dir(path).map_err(bad)?;
    let mut files = entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>().map_err(bad)?;
    let hidden = |file: &Path| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    files.retain(|file| file.extension().is_some_and(|ending| ending == "parquet") && !hidden(file));
    files.sort();
    if files.is_empty() {
        return Err(Error::new(format!("{} holds no Parquet files", path.display())));
    }
    Ok(files)
}

/// The series and sizes that are wanted, with labels that say what differs between these.
#[must_use]
pub fn select(
    series: Vec<Series>,
    series_wanted: impl Fn(&Series) -> bool,
    n_wanted: impl Fn(u32) -> bool,
) -> Vec<Series> {
    let mut kept: Vec<Series> = series.into_iter().filter(series_wanted).collect();
    kept.iter_mut().for_each(|one| one.cells.retain(|cell| n_wanted(cell.n)));
    kept.retain(|one| !one.cells.is_empty());
    relabel(&mut kept);
    kept
}

/// Takes all rows; the series come in the order in which their first rows came.
///
/// # Errors
/// If a row is an error, or a trial is there twice with different outcomes.
pub fn gather(protocols: &Catalogue, rows: impl Iterator<Item = Result<Row, Error>>) -> Result<Vec<Series>, Error> {
    let mut gathering = Gathering::default();
    for row in rows {
        let Row { setup, outcome } = row?;
        let place = gathering.place(&setup)?;
        gathering.cells[place].take(&setup, &outcome)?;
    }
    Ok(gathering.finish(protocols))
}

#[derive(Default)]
struct Gathering {
    /// Where the cell of that identity is.
    places: BTreeMap<String, usize>,
    /// The cell and the place of the row before, which are nearly always those of the next.
    last: Option<(Arc<Setup>, usize)>,
    cells: Vec<Gathered>,
}

/// The numbers of a cell while rows come.
struct Gathered {
    setup: Arc<Setup>,
    /// The fingerprint of the rules of all its trials that have one.
    rules: u64,
    limits: (u64, u64),
    steps: Vec<Observed>,
    changes: Vec<Observed>,
    phases: Vec<(Arc<str>, Vec<Observed>)>,
    /// The seed of every trial, with a hash of what came of it.
    known: HashMap<u64, u64>,
    repeated: usize,
}

impl Gathering {
    fn place(&mut self, setup: &Arc<Setup>) -> Result<usize, Error> {
        if let Some((known, place)) = &self.last
            && Arc::ptr_eq(known, setup)
        {
            return Ok(*place);
        }
        let place = *self.places.entry(setup.identity()).or_insert(self.cells.len());
        if place == self.cells.len() {
            self.cells.push(Gathered::new(setup));
        }
        self.cells[place].meet(setup)?;
        self.last = Some((setup.clone(), place));
        Ok(place)
    }

    fn finish(self, protocols: &Catalogue) -> Vec<Series> {
        let mut series: Vec<Series> = Vec::new();
        for cell in self.cells {
            let kind = kind(protocols, &cell.setup);
            let place = series.iter().position(|series| series.kind == kind).unwrap_or_else(|| {
                series.push(Series::new(protocols, kind));
                series.len() - 1
            });
            series[place].cells.push(cell.finish());
        }
        series.iter_mut().for_each(|series| series.cells.sort_by_key(|cell| cell.n));
        relabel(&mut series);
        series
    }
}

fn kind(protocols: &Catalogue, setup: &Setup) -> Kind {
    Kind {
        protocol: setup.protocol.clone(),
        settings: settings(protocols, setup),
        start: setup.start.clone(),
        faults: setup.faults.clone(),
        scheduler: setup.scheduler.clone(),
    }
}

impl Gathered {
    fn new(setup: &Arc<Setup>) -> Self {
        let (steps, changes, phases, known) = (Vec::new(), Vec::new(), Vec::new(), HashMap::new());
        let limits = (setup.limit, setup.limit);
        Self { setup: setup.clone(), rules: setup.rules, limits, steps, changes, phases, known, repeated: 0 }
    }

    /// Takes note of a file with trials of this cell.
    fn meet(&mut self, setup: &Setup) -> Result<(), Error> {
        if same_rules(self.rules, setup.rules).is_none() {
            return Err(Error::new(format!(
                "the rules of {} have changed between the trials of {} ({} and {}): they cannot be taken together",
                setup.protocol,
                setup.identity(),
                fingerprint(self.rules),
                fingerprint(setup.rules)
            )));
        }
        self.rules = self.rules.max(setup.rules);
        self.limits = (self.limits.0.min(setup.limit), self.limits.1.max(setup.limit));
        Ok(())
    }

    fn take(&mut self, setup: &Setup, outcome: &Outcome) -> Result<(), Error> {
        if self.knows(outcome)? {
            self.repeated += 1;
            return Ok(());
        }
        let faults = !setup.faults.is_empty();
        self.steps.push(if faults { outcome.recovery() } else { outcome.safety(setup.limit) });
        self.changes.push(outcome.last_change());
        for (name, step) in &outcome.phases {
            let reached = outcome.reached(*step);
            match self.phases.iter_mut().find(|(known, _)| known == name) {
                Some((_, steps)) => steps.extend(reached),
                None => self.phases.push((name.clone(), reached.into_iter().collect())),
            }
        }
        Ok(())
    }

    /// Whether the trial is known already, with the same outcome. A limit that was not met changes nothing.
    fn knows(&mut self, outcome: &Outcome) -> Result<bool, Error> {
        let Outcome {
            cell: _,
            trial: _,
            seed,
            steps,
            safe,
            censored,
            last_output_change,
            coins_read,
            last_fault,
            // Records of before do not say.
            leaders_after_fault: _,
            phases,
        } = outcome;
        let mut hasher = DefaultHasher::new();
        (steps, safe, censored, last_output_change, coins_read, last_fault, phases).hash(&mut hasher);
        let came = hasher.finish();
        match self.known.insert(*seed, came) {
            None => Ok(false),
            Some(known) if known == came => Ok(true),
            Some(_) => Err(Error::new(format!(
                "the trial of {} at n = {} from {} with seed {seed} has two rows that differ: they were made with different limits, \
                 phases or versions, or one of them is wrong",
                self.setup.protocol, self.setup.n, self.setup.start
            ))),
        }
    }

    fn finish(self) -> Cell {
        let sample = |values: Vec<Observed>| values.into_iter().collect::<Sample>();
        Cell {
            n: self.setup.n,
            steps: sample(self.steps),
            changes: sample(self.changes),
            phases: self.phases.into_iter().map(|(name, steps)| (name.to_string(), sample(steps))).collect(),
            limits: self.limits,
            repeated: self.repeated,
        }
    }
}

/// Whose rules the marked ones are, in a sentence for each protocol; empty if there are none.
pub fn whose_rules<'a>(series: impl Iterator<Item = &'a Series>) -> String {
    let rules: BTreeMap<&str, &str> =
        series.filter_map(|one| Some((one.kind.protocol.as_str(), one.rules.as_deref()?))).collect();
    rules.iter().map(|(protocol, rules)| format!(" * The rules of {protocol}: {rules}.")).collect()
}

fn relabel(series: &mut [Series]) {
    let labels = labels(series);
    series.iter_mut().zip(labels).for_each(|(series, label)| series.label = label);
}

/// The protocol, and whatever else differs between the series.
fn labels(series: &[Series]) -> Vec<String> {
    let kinds: Vec<&Kind> = series.iter().map(|series| &series.kind).collect();
    let differ = |part: &dyn Fn(&Kind) -> String| kinds.windows(2).any(|pair| part(pair[0]) != part(pair[1]));
    let (starts, faults) = (differ(&|kind| kind.start.clone()), differ(&|kind| kind.faults.clone()));
    let schedulers = differ(&|kind| kind.scheduler.clone());
    let label = |series: &Series| {
        let (kind, mut label) = (&series.kind, series.marked());
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
    series.iter().map(label).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::columns::columns;
    use crate::meta::tests::sample;
    use crate::outcome::tests::took;
    use crate::sweep::tests::builtin;

    /// A row of P_PL whose trial took so many steps, or more.
    pub(crate) fn row(n: u32, seed: u64, steps: Observed) -> Row {
        let psi = u64::from(n.next_power_of_two().ilog2());
        let phases = ["first leader", "S_PL"].map(Arc::<str>::from);
        let setup = Setup {
            protocol: "ppl".into(),
            n,
            params: vec![("kappa".into(), 48 * psi), ("psi".into(), psi)],
            start: "leaderless".into(),
            scheduler: "clocks".into(),
            limit: if steps.exact { 1_000_000_000 } else { steps.value },
            phases: phases.to_vec(),
            ..Setup::default()
        };
        let reached = phases.into_iter().zip([Some(1), steps.exact.then_some(9)]);
        Row { setup: setup.into(), outcome: Outcome { cell: n, phases: reached.collect(), ..took(seed, steps) } }
    }

    /// The same row with something else about its cell.
    pub(crate) fn but(row: Row, change: impl Fn(&mut Setup)) -> Row {
        let mut setup = Setup::clone(&row.setup);
        change(&mut setup);
        Row { setup: setup.into(), ..row }
    }

    pub(crate) fn gathered(rows: Vec<Row>) -> Vec<Series> {
        gather(&builtin(), rows.into_iter().map(Ok)).unwrap()
    }

    fn refused(rows: Vec<Row>) -> String {
        gather(&builtin(), rows.into_iter().map(Ok)).unwrap_err().to_string()
    }

    #[test]
    fn sizes_of_one_kind_are_one_series() {
        let mut rows: Vec<Row> = (0..10_u64).map(|k| row(32 >> (k % 2), k, Observed::exactly(100))).collect();
        rows.push(but(row(16, 99, Observed::at_least(70)), |setup| setup.start = "uniform".into()));
        let series = gathered(rows);
        let shown: Vec<(&str, Vec<u32>)> =
            series.iter().map(|one| (one.label.as_str(), one.cells.iter().map(|cell| cell.n).collect())).collect();
        assert_eq!(shown, [("ppl, leaderless", vec![16, 32]), ("ppl, uniform", vec![16])]);
        let cut = &series[1].cells[0];
        assert_eq!((cut.steps.censored(), cut.changes.censored(), cut.phases[1].1.censored()), (1, 1, 1));
        assert_eq!(cut.steps.ranked(1), Some(Observed::at_least(70)));
        let mut never = row(16, 1, Observed::exactly(9));
        never.outcome.phases[0].1 = None;
        assert!(gathered(vec![never])[0].cells[0].phases[0].1.is_empty(), "it did not happen, and never will");
    }

    #[test]
    fn what_is_selected_is_labelled_anew() {
        let uniform = |seed| but(row(16, seed, Observed::exactly(5)), |setup| setup.start = "uniform".into());
        let all = || gathered(vec![row(8, 1, Observed::exactly(5)), row(16, 2, Observed::exactly(5)), uniform(3)]);
        let shown = |series: &[Series]| -> Vec<(String, Vec<u32>)> {
            series.iter().map(|one| (one.label.clone(), one.cells.iter().map(|cell| cell.n).collect())).collect()
        };
        let some = select(all(), |one| one.kind.start == "leaderless", |_| true);
        assert_eq!(shown(&some), [("ppl".to_owned(), vec![8, 16])]);
        assert_eq!(shown(&select(all(), |_| true, |n| n == 8)), [("ppl".to_owned(), vec![8])]);
    }

    #[test]
    fn labels_say_what_differs() {
        let other = |kappa: u64, seed| but(row(16, seed, Observed::exactly(5)), |setup| setup.params[0].1 = kappa);
        let series = gathered(vec![other(192, 1), other(8, 2)]);
        let labels: Vec<&str> = series.iter().map(|one| one.label.as_str()).collect();
        assert_eq!(labels, ["ppl c1=48", "ppl c1=2"]);
        assert_eq!(gathered(vec![other(8, 2)])[0].label, "ppl c1=2");
        assert_eq!(gathered(vec![other(192, 2)])[0].label, "ppl");
    }

    #[test]
    fn rules_that_are_not_the_papers_own_are_marked() {
        let of = |protocol: &str, seed| {
            but(row(16, seed, Observed::exactly(5)), |setup| {
                setup.protocol = protocol.into();
                setup.params.clear();
            })
        };
        let series = gathered(vec![of("ppl", 1), of("ysm", 2), of("of another version", 3)]);
        let labels: Vec<&str> = series.iter().map(|one| one.label.as_str()).collect();
        assert_eq!(labels, ["ppl", "ysm*", "of another version*"]);
        assert_eq!([0, 1, 2].map(|k| series[k].scale), [Scale::N2LogN, Scale::N2, Scale::N2LogN]);
        assert_eq!(
            whose_rules([&series[1], &series[0], &series[1]].into_iter()),
            " * The rules of ysm: a reconstruction."
        );
        assert_eq!(whose_rules(series[..1].iter()), "");
    }

    #[test]
    fn a_trial_that_is_there_twice_counts_once() {
        let rows = || [7, 8].map(|seed| row(16, seed, Observed::exactly(5))).to_vec();
        let with = |change: fn(&mut Row)| {
            let mut other = rows()[0].clone();
            change(&mut other);
            [rows(), vec![other]].concat()
        };
        let other_limit = |row: &mut Row| *row = but(row.clone(), |setup| setup.limit += 1);
        for same in [|row: &mut Row| row.outcome.cell += 1, other_limit] {
            let cell = &gathered(with(same))[0].cells[0];
            assert_eq!((cell.steps.len(), cell.changes.len(), cell.repeated), (2, 2, 1));
        }
        for change in [
            |row: &mut Row| row.outcome.steps += 1,
            |row: &mut Row| row.outcome.safe = None,
            |row: &mut Row| row.outcome.censored = true,
            |row: &mut Row| row.outcome.last_output_change += 1,
            |row: &mut Row| row.outcome.coins_read += 1,
            |row: &mut Row| row.outcome.last_fault = Some(1),
            |row: &mut Row| row.outcome.phases.push(("another".into(), None)),
        ] {
            let told = refused(with(change));
            assert!(told.contains("seed 7 has two rows that differ"), "{told}");
        }
        let another = &gathered(with(|row| row.outcome.seed = 9))[0].cells[0];
        assert_eq!((another.steps.len(), another.repeated), (3, 0));
    }

    #[test]
    fn trials_of_different_rules_are_not_taken_together() {
        let of = |rules: u64, seed| but(row(16, seed, Observed::exactly(5)), |setup| setup.rules = rules);
        assert_eq!(gathered(vec![of(0, 1), of(7, 2), of(0, 3), of(7, 4)])[0].cells[0].steps.len(), 4);
        let told = refused(vec![of(7, 1), of(0, 2), of(8, 3)]);
        assert!(told.contains("the rules of ppl have changed") && told.contains("0000000000000008"), "{told}");
    }

    fn place(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("ringleader-series-{}-{name}", std::process::id()))
    }

    fn written(path: &Path, rows: Vec<Row>) {
        let columns = columns(rows.iter().map(|row| &*row.setup));
        parquet::write(path, &sample(), &columns, rows.into_iter().map(Ok)).unwrap();
    }

    #[test]
    fn files_and_folders_are_read_in_the_order_of_their_names() {
        let (folder, some) = (place("folder"), |n: u32| (0..9).map(move |seed| row(n, seed, Observed::exactly(9))));
        std::fs::create_dir_all(&folder).unwrap();
        written(&folder.join("b.parquet"), some(32).collect());
        written(&folder.join("a.parquet"), some(8).chain(some(16)).collect());
        std::fs::write(folder.join("notes.txt"), "not records").unwrap();
        let (series, metas) = load(&builtin(), std::slice::from_ref(&folder)).unwrap();
        assert_eq!((series.len(), series[0].cells.len(), metas.len()), (1, 3, 2));
        let (again, _) = load(&builtin(), &[folder.clone(), folder.join("a.parquet")]).unwrap();
        let sizes: Vec<_> = again[0].cells.iter().map(|cell| (cell.n, cell.steps.len(), cell.repeated)).collect();
        assert_eq!(sizes, [(8, 9, 9), (16, 9, 9), (32, 9, 0)]);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_holds_no_trials_is_refused_by_name() {
        let (empty, folder) = (place("empty.parquet"), place("nothing"));
        written(&empty, Vec::new());
        std::fs::create_dir_all(&folder).unwrap();
        let told = |path: &PathBuf| load(&builtin(), std::slice::from_ref(path)).unwrap_err().to_string();
        assert!(told(&empty).contains("empty.parquet holds no trials"));
        assert!(told(&folder).contains("no Parquet files"));
        std::fs::remove_file(&empty).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(gathered(Vec::new()).is_empty());
    }
}
