//! Sweeps as a library: whatever happens on the way, the rows are the same to the byte, and each is the run of its seed.

#![cfg(feature = "sweeps")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ringleader::blueprint::Blueprint;
use ringleader::catalogue::{AnyProtocol, Catalogue};
use ringleader::error::Error as Refused;
use ringleader::observer::Observer;
use ringleader::params::{Params, Settings};
use ringleader::protocol::{Input, Protocol, Transition};
use ringleader::ring::Orientation;
use ringleader::trial::{Engine, Initial, Record, Scheduler, Trial};
use ringleader::variable;
use ringleader::variables::{Domain, Variables};
use ringleader_catalogue::Entries;
use ringleader_records::columns::{Row, columns};
use ringleader_records::definition::Definition;
use ringleader_records::drive::{Ran, run_missing};
use ringleader_records::error::Error;
use ringleader_records::ledger::{Ledger, Part, journal_of};
use ringleader_records::merge::merge;
use ringleader_records::meta::Shard;
use ringleader_records::outcome::Outcome;
use ringleader_records::parquet;
use ringleader_records::series::{gather, load};
use ringleader_records::sweep::{Cell, Setup};

/// All kinds of cells: many rings at once and one by one, faults, phases, censored trials, coins.
const DEFINITION: &str = r#"
seed = 7
repeats = 70

[[grid]]
protocol = ["ppl", "ysm"]
n = [5, 8]

[[grid]]
protocol = "ppl"
n = 8
start = "uniform"
params.psi = [3, 4]
faults = ["", "agents=3,at=safe", "list=1,at=5; agents=8,at=safe"]
phases = true
limit = 300
repeats = 10

[[grid]]
protocol = "pcl"
n = 9
scheduler = "uniform"
"#;

/// A few trials of a few interactions, with a name that has commas.
const SHORT: &str = r#"
seed = 3
repeats = 2
phases = true
[[grid]]
protocol = ["ysm", "elim"]
n = 4
faults = ["", "agents=1,at=safe"]
"#;

fn builtin() -> Catalogue {
    Entries::new(&ringleader_catalogue::builtin()).unwrap().catalogue()
}

/// An empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("sweeps-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn define(text: &str) -> Definition {
    Definition::parse(text.to_owned(), &builtin()).unwrap()
}

/// Runs what is missing, and writes the records unless somebody stopped it.
fn sweep(definition: &Definition, shard: Shard, threads: usize, records: &Path) -> Result<Ran, Error> {
    sweep_until(definition, shard, threads, records, &|| false)
}

fn sweep_until(
    definition: &Definition,
    shard: Shard,
    threads: usize,
    records: &Path,
    stopped: &(dyn Fn() -> bool + Sync),
) -> Result<Ran, Error> {
    let protocols = builtin();
    let mut ledger = Ledger::open(definition, &protocols, shard, records)?;
    let ran = run_missing(&mut ledger, &protocols, threads, stopped, &mut |_| ())?;
    if !ran.interrupted {
        ledger.finish()?;
    }
    Ok(ran)
}

/// The bytes of the records of a definition that nothing interrupts.
fn undisturbed(folder: &Path, definition: &Definition) -> Vec<u8> {
    let records = folder.join("undisturbed.parquet");
    sweep(definition, Shard::WHOLE, 1, &records).unwrap();
    fs::read(records).unwrap()
}

fn rows(path: &Path) -> Vec<Row> {
    parquet::read(&[path.to_owned()]).unwrap().map(Result::unwrap).collect()
}

/// The journal of a definition of which every trial is done, and no records.
fn journal(folder: &Path, definition: &Definition) -> (PathBuf, Vec<u8>) {
    let (records, protocols) = (folder.join("a.parquet"), builtin());
    let mut ledger = Ledger::open(definition, &protocols, Shard::WHOLE, &records).unwrap();
    run_missing(&mut ledger, &protocols, 1, &|| false, &mut |_| ()).unwrap();
    drop(ledger);
    let bytes = fs::read(journal_of(&records)).unwrap();
    (records, bytes)
}

#[test]
fn killed_at_every_byte_it_goes_on() {
    let (folder, definition) = (folder("killed"), define(SHORT));
    let expected = undisturbed(&folder, &definition);
    let (records, whole) = journal(&folder, &definition);
    for length in (0..=whole.len()).rev().step_by(3) {
        fs::write(journal_of(&records), &whole[..length]).unwrap();
        sweep(&definition, Shard::WHOLE, 1, &records).unwrap();
        assert_eq!(fs::read(&records).unwrap(), expected, "{length} bytes");
        assert!(!journal_of(&records).exists());
        fs::remove_file(&records).unwrap();
    }
}

#[test]
fn a_changed_byte_of_the_journal_costs_a_trial_or_two() {
    let (folder, definition) = (folder("changed"), define(SHORT));
    let expected = undisturbed(&folder, &definition);
    let (records, whole) = journal(&folder, &definition);
    let first_trial = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(1).unwrap().0 + 1;
    for at in (first_trial..whole.len()).step_by(7) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        fs::write(journal_of(&records), &bytes).unwrap();
        let ran = sweep(&definition, Shard::WHOLE, 1, &records).unwrap();
        assert!((1..=2).contains(&ran.trials), "byte {at}: {ran:?}");
        assert_eq!(fs::read(&records).unwrap(), expected, "byte {at}");
        fs::remove_file(&records).unwrap();
    }
}

#[test]
fn stopped_again_and_again_it_comes_to_the_same_end() {
    let (folder, definition) = (folder("stopped"), define(DEFINITION));
    let expected = undisturbed(&folder, &definition);
    let (records, mut stops, mut all) = (folder.join("a.parquet"), 0, 0);
    loop {
        let asked = AtomicUsize::new(0);
        let stopped = || asked.fetch_add(1, Ordering::Relaxed) > 40 << (stops / 8);
        let ran = sweep_until(&definition, Shard::WHOLE, 3, &records, &stopped).unwrap();
        all += ran.trials;
        if !ran.interrupted {
            break;
        }
        stops += 1;
    }
    assert!(stops > 3, "{stops} stops");
    assert_eq!(all, 410, "no finished trial was run again");
    assert_eq!(fs::read(&records).unwrap(), expected, "after {stops} stops");
}

#[test]
fn neither_threads_nor_shards_change_a_byte() {
    let (folder, definition) = (folder("shards"), define(DEFINITION));
    let expected = undisturbed(&folder, &definition);
    let threads = folder.join("threads.parquet");
    sweep(&definition, Shard::WHOLE, 5, &threads).unwrap();
    assert_eq!(fs::read(&threads).unwrap(), expected);
    for count in [1, 2, 3, 50] {
        let shard = |index: u32| {
            let path = folder.join(format!("{index}of{count}.parquet"));
            let ran = sweep(&definition, Shard { index, count }, 2, &path).unwrap();
            // Shards differ by at most one trial in each of the 11 cells.
            assert!(ran.trials.abs_diff(410 / u64::from(count)) <= 11, "{ran:?}");
            path
        };
        let shards: Vec<PathBuf> = (1..=count).rev().map(shard).collect();
        let out = folder.join("merged.parquet");
        assert_eq!(merge(&builtin(), &shards, &out), Ok(410));
        assert_eq!(fs::read(&out).unwrap(), expected, "{count} shards");
        if count > 1 {
            let told = merge(&builtin(), &shards[1..], &out).unwrap_err().to_string();
            assert!(told.contains("trials are in none of the files"), "{told}");
        }
    }
}

#[test]
fn a_definition_may_only_grow() {
    let folder = folder("grown");
    let expected = undisturbed(&folder, &define(DEFINITION));
    let (smaller, records) = (DEFINITION.replace("n = [5, 8]", "n = 8"), folder.join("a.parquet"));
    sweep(&define(&smaller), Shard::WHOLE, 2, &records).unwrap();
    let before = fs::read(&records).unwrap();
    for (text, words) in [
        (smaller.replace("seed = 7", "seed = 8"), vec!["seed: it was 7, and is 8"]),
        (smaller.replace("repeats = 70", "repeats = 69"), vec!["ysm n=8", "it had", "repeats=70", "repeats=69"]),
        (smaller.replace("limit = 300", "limit = 301"), vec!["limit=300", "limit=301"]),
        (smaller.replace("\"pcl\"", "\"por\""), vec!["pcl n=9", "removed"]),
    ] {
        let told = sweep(&define(&text), Shard::WHOLE, 1, &records).unwrap_err().to_string();
        assert!(words.iter().chain(&["a.parquet", "another definition"]).all(|word| told.contains(word)), "{told}");
        assert_eq!(fs::read(&records).unwrap(), before, "nothing was touched");
        assert!(!journal_of(&records).exists());
    }
    // A comment changes nothing, and so there is nothing to run.
    let same = sweep(&define(&format!("# the same\n{smaller}")), Shard::WHOLE, 1, &records).unwrap();
    assert_eq!((same.trials, same.interrupted), (0, false));
    // More cells, and in the middle: the others are not run again, and the file is that of a fresh sweep.
    assert_eq!(sweep(&define(DEFINITION), Shard::WHOLE, 2, &records).unwrap().trials, 140);
    assert_eq!(fs::read(&records).unwrap(), expected);
    // So are more repeats.
    let more = define(&DEFINITION.replace("repeats = 70", "repeats = 75"));
    let added = more.sweep.trials() - define(DEFINITION).sweep.trials();
    assert!(added > 0 && sweep(&more, Shard::WHOLE, 2, &records).unwrap().trials == added);
    assert_eq!(fs::read(&records).unwrap(), undisturbed(&folder, &more));
}

/// Shards may grow as well: no trial moves to another shard, so none is run again.
#[test]
fn a_shard_may_only_grow_too() {
    let folder = folder("grown-shards");
    let ran = |text: &str, index: u32| {
        let records = folder.join(format!("{index}.parquet"));
        let ran = sweep(&define(text), Shard { index, count: 3 }, 1, &records).unwrap();
        (ran.trials, rows(&records).len() as u64)
    };
    for index in 1..=3 {
        let (first, kept) = ran(&DEFINITION.replace("n = [5, 8]", "n = 8"), index);
        let (more, all) = ran(DEFINITION, index);
        assert_eq!((first, more), (kept, all - kept), "shard {index}");
    }
}

/// The definition with a fingerprint of the rules of each of its cells.
fn with_rules(text: &str, rules: u64) -> Definition {
    let mut definition = define(text);
    definition.sweep.cells.iter_mut().for_each(|cell| Arc::make_mut(&mut cell.setup).rules = rules);
    definition
}

#[test]
fn trials_of_different_rules_are_not_mixed() {
    let (folder, half) = (folder("rules"), |index| Shard { index, count: 2 });
    let files = [(1, 5), (2, 5), (2, 6), (2, 0)].map(|(index, rules)| {
        let path = folder.join(format!("{index}-{rules}.parquet"));
        sweep(&with_rules(SHORT, rules), half(index), 1, &path).unwrap();
        path
    });
    let [one, same, other, unknown] = &files;
    let merged = |two: &PathBuf| {
        let out = folder.join("merged.parquet");
        merge(&builtin(), &[one.clone(), two.clone()], &out).map(|_| rows(&out)[0].setup.rules)
    };
    assert_eq!((merged(same), merged(unknown)), (Ok(5), Ok(0)), "one that is not known makes all unknown");
    assert!(merged(other).unwrap_err().to_string().contains("different rules"));
    // A sweep does not go on with, and does not take for its own, what other rules have made.
    let told = sweep(&with_rules(SHORT, 6), half(1), 1, one).unwrap_err().to_string();
    assert!(told.contains("the rules of ysm have changed"), "{told}");
    // All trials of one cell in two files: a report does not take them together.
    let told = load(&builtin(), &[one.clone(), other.clone()]).unwrap_err().to_string();
    assert!(told.contains("the rules of ysm have changed") && told.contains("0000000000000006"), "{told}");
    assert!(load(&builtin(), &[one.clone(), same.clone()]).is_ok());
}

/// Keeps the records of a run.
#[derive(Default)]
struct Keep(Mutex<Vec<Record>>);

impl Observer for Keep {
    fn finished(&self, _: usize, record: Record) -> std::ops::ControlFlow<()> {
        self.0.lock().unwrap().push(record);
        std::ops::ControlFlow::Continue(())
    }
}

/// The trial of a row, from what the row says alone.
fn trial_of(Row { setup, outcome }: &Row) -> Trial {
    let faults = setup.faults.split(';').filter(|fault| !fault.is_empty());
    Trial {
        params: Params(setup.params.clone()),
        from: Some(Initial::Named(setup.start.clone())),
        scheduler: Scheduler::named(&setup.scheduler).unwrap(),
        limit: Some(setup.limit),
        faults: faults.map(|fault| fault.parse().unwrap()).collect(),
        phases: !setup.phases.is_empty(),
        ..Trial::new(&setup.protocol, setup.n as usize, outcome.seed)
    }
}

/// Runs the trial of a row again, alone and on the stepper.
fn is_the_run_of_its_seed(protocol: &dyn AnyProtocol, row: &Row) {
    let (trial, keep) = (trial_of(row), Keep::default());
    protocol.run(&trial, &[trial.seed], Engine::Stepper, &keep).unwrap();
    let record = keep.0.into_inner().unwrap().remove(0);
    let all_struck = record.faults.len() == trial.faults.len();
    let expected = Outcome {
        cell: row.outcome.cell,
        trial: row.outcome.trial,
        seed: trial.seed,
        steps: record.steps,
        safe: record.safe,
        censored: record.censored,
        last_output_change: record.last_output_change,
        coins_read: record.coins_read,
        last_fault: record.faults.last().filter(|_| all_struck).map(|struck| struck.step),
        leaders_after_fault: record.faults.last().filter(|_| all_struck).and_then(|struck| struck.leaders),
        phases: record.phases.iter().map(|phase| (Arc::from(&*phase.name), phase.step)).collect(),
    };
    assert_eq!(row.outcome, expected, "{:?}", row.setup);
    let names: Vec<&str> = row.setup.phases.iter().map(|name| &**name).collect();
    assert_eq!(names, record.phases.iter().map(|phase| &*phase.name).collect::<Vec<_>>());
}

#[test]
fn each_row_is_the_run_of_its_seed() {
    let (folder, protocols) = (folder("rows"), builtin());
    let records = folder.join("a.parquet");
    let ran = sweep(&define(DEFINITION), Shard::WHOLE, 2, &records).unwrap();
    assert!(ran.censored > 0, "the limit cuts nothing, which this test does not fit");
    let rows = rows(&records);
    assert_eq!(rows.len(), 410);
    let struck =
        |all: bool| rows.iter().any(|row| row.setup.faults.contains(';') && row.outcome.last_fault.is_some() == all);
    assert!(struck(true) && struck(false), "sometimes the second fault strikes, and sometimes it does not");
    rows.iter().step_by(9).for_each(|row| is_the_run_of_its_seed(protocols.find(&row.setup.protocol).unwrap(), row));
}

/// Sweeps that look at phases make records that a report takes, for every protocol.
#[test]
fn phases_of_every_protocol_come_back() {
    let (folder, protocols) = (folder("phases"), builtin());
    for protocol in &protocols.0 {
        let name = &protocol.about().name;
        // On a few steps most phases are not reached, on more they are.
        let text = format!(
            "seed = 1\nrepeats = 3\nphases = true\n[[grid]]\nprotocol = \"{name}\"\nn = 5\nlimit = 40\n\
             [[grid]]\nprotocol = \"{name}\"\nn = 7\nlimit = 4000\n"
        );
        let records = folder.join(format!("{name}.parquet"));
        sweep(&define(&text), Shard::WHOLE, 1, &records).unwrap();
        let rows = rows(&records);
        rows.iter().for_each(|row| is_the_run_of_its_seed(&**protocol, row));
        let (series, _) = load(&protocols, std::slice::from_ref(&records)).unwrap();
        let phases: Vec<&str> = series[0].cells[0].phases.iter().map(|(name, _)| name.as_str()).collect();
        assert!(!phases.is_empty() && phases.len() == rows[0].setup.phases.len(), "{name}: {phases:?}");
    }
}

/// A rumour that spreads clockwise, with a setting of this name.
#[derive(Clone)]
struct Rumour(&'static str);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
struct Heard {
    heard: u8,
}

impl Transition for Rumour {
    type State = Heard;
    fn interact(&self, l: &mut Heard, r: &mut Heard, _: Input) {
        r.heard |= l.heard;
    }
}

impl Protocol for Rumour {
    fn settings(&self) -> Settings {
        vec![(self.0.into(), 7)]
    }
    fn variables(&self) -> Variables<Heard> {
        Variables(vec![variable!("heard", Domain::BIT, Heard.heard)])
    }
    fn is_safe(&self, config: &[Heard]) -> bool {
        config.iter().all(|v| v.heard == 1)
    }
}

/// Names of phases that would break any format that is put together by hand.
const NAMES: [&str; 5] = ["a;b=1;c=", "\"quoted\" \\ back", "param_x", "phase_\u{1f514}; 'x'", "null"];

fn rumour(make_start: bool, setting: &'static str) -> Catalogue {
    let mut blueprint = Blueprint::new("rumour", Orientation::Directed, move |_, _| Ok::<_, Refused>(Rumour(setting)))
        .parameter("x", "nothing depends on it")
        .safe("seed")
        .start("one", "one has heard it", move |_, ring, _| {
            assert!(make_start, "a ring was made");
            (0..ring.n()).map(|i| Heard { heard: u8::from(i == 0) }).collect()
        });
    for (k, name) in NAMES.into_iter().enumerate() {
        let holds = move |_: &Rumour, config: &[Heard]| config.iter().filter(|v| v.heard == 1).count() > k + 1;
        blueprint = blueprint.phase(name, "some have heard it", holds);
    }
    Catalogue::of(vec![Arc::new(Arc::new(blueprint))])
}

#[test]
fn no_name_breaks_a_format() {
    let (folder, protocols) = (folder("names"), rumour(true, "x"));
    let text = "seed = 1\nrepeats = 4\nphases = true\nlimit = 30\n[[grid]]\nprotocol = \"rumour\"\nn = 6\n";
    let definition = Definition::parse(text.into(), &protocols).unwrap();
    let records = folder.join("a.parquet");
    // Stopped after some trials, so that they go through the journal as well.
    let finished = AtomicUsize::new(0);
    for stop in [2, usize::MAX] {
        let mut ledger = Ledger::open(&definition, &protocols, Shard::WHOLE, &records).unwrap();
        let stopped = || finished.fetch_add(1, Ordering::Relaxed) >= stop;
        if !run_missing(&mut ledger, &protocols, 1, &stopped, &mut |_| ()).unwrap().interrupted {
            ledger.finish().unwrap();
        }
    }
    let rows = rows(&records);
    assert_eq!(rows.len(), 4);
    rows.iter().for_each(|row| is_the_run_of_its_seed(&*protocols.0[0], row));
    assert_eq!(rows[0].setup.params, [("x".to_owned(), 7)]);
    let columns = columns([&*rows[0].setup]);
    let mut names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    assert!(NAMES.iter().chain(&["seed"]).all(|name| names.contains(&format!("phase_{name}").as_str())), "{names:?}");
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), columns.len(), "two columns share a name");
    assert_eq!(gather(&protocols, rows.into_iter().map(Ok)).unwrap()[0].cells[0].phases.len(), 6);
}

/// Settings are part of what a cell is, in words: two of them must not read like others.
#[test]
fn settings_are_words() {
    for name in ["x=1,y", "", "x y", "x;"] {
        let told = Cell::new(&rumour(true, name), Trial::new("rumour", 8, 0), 1).unwrap_err().to_string();
        assert!(told.contains("setting"), "{told}");
    }
}

#[test]
fn a_look_at_a_cell_makes_no_ring() {
    let cell = Cell::new(&rumour(false, "x"), Trial::new("rumour", 1 << 20, 0), 1).unwrap();
    assert_eq!(cell.identity(), "rumour n=1048576 params=x=7 start=one faults= scheduler=clocks");
    assert_eq!(cell.setup.phases.len(), NAMES.len() + 1);
}

/// Cells and seeds of records of format 1 are still those of their definitions, and the rows those of the trials. The small records are
/// older than the law of clocks, so that their trials cannot be run again.
#[test]
fn records_of_format_1_are_read() {
    let (protocols, root) = (builtin(), Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    let mut phases = 0;
    for (path, again) in [
        ("crates/ringleader-cli/tests/records/small.parquet", 0),
        ("crates/ringleader-cli/tests/records/cut.parquet", 0),
        ("records/c1.parquet", 30),
        ("records/psi.parquet", 30),
        ("records/table1.parquet", 1),
    ] {
        let path = root.join(path);
        let meta = parquet::metadata(&path).unwrap();
        let definition = define(&meta.definition);
        assert_eq!(meta.format, "1");
        let (cells, rows) = (&definition.sweep.cells, rows(&path));
        assert_eq!(rows.len() as u64, definition.sweep.trials(), "{}", path.display());
        for row in &rows {
            let cell = &cells[row.outcome.cell as usize];
            assert_eq!(row.outcome.seed, cell.seeds(definition.sweep.seed)(row.outcome.trial));
            // The fingerprint of rules is younger than these records.
            assert_eq!(*row.setup, Setup { rules: 0, ..(*cell.setup).clone() });
            phases += row.outcome.phases.len();
            assert!(row.outcome.phases.last().is_none_or(|(_, safe)| *safe == row.outcome.safe), "the last is safety");
        }
        let again = rows.iter().step_by(rows.len() / 30).take(again);
        again.for_each(|row| is_the_run_of_its_seed(protocols.find(&row.setup.protocol).unwrap(), row));
    }
    assert!(phases > 0);
}

/// What is unknown of one shard is unknown of every row of the whole.
#[test]
fn rules_that_one_shard_does_not_know_are_known_of_no_row() {
    let folder = folder("unknown-rules");
    let shards = [(1, 5), (2, 0)].map(|(index, rules)| {
        let path = folder.join(format!("{index}.parquet"));
        sweep(&with_rules(SHORT, rules), Shard { index, count: 2 }, 1, &path).unwrap();
        path
    });
    assert!(rows(&shards[0]).iter().all(|row| row.setup.rules == 5));
    let out = folder.join("whole.parquet");
    merge(&builtin(), &shards, &out).unwrap();
    assert!(rows(&out).iter().all(|row| row.setup.rules == 0));
}

/// Shards take turns; a sweep that is under way keeps its turns only if the first is always told in the same way.
#[test]
fn the_first_seed_of_a_cell_tells_whose_turn_is_first() {
    let definition = define(DEFINITION);
    for (k, cell) in definition.sweep.cells.iter().enumerate() {
        let first = cell.seeds(definition.sweep.seed)(0) % 3;
        let counts = [1, 2, 3].map(|index| Part::new(&definition.sweep, Shard { index, count: 3 }).count(k, 1));
        assert_eq!(counts, [0, 1, 2].map(|turn| u64::from(turn == first)), "cell {k}");
    }
}

#[test]
fn a_changed_cell_is_told_word_for_word() {
    let records = folder("told").join("a.parquet");
    sweep(&define(SHORT), Shard::WHOLE, 1, &records).unwrap();
    let changed = define(&SHORT.replace("phases = true", "phases = false\nlimit = 9"));
    let told = sweep(&changed, Shard::WHOLE, 1, &records).unwrap_err().to_string();
    let limit = define(SHORT).sweep.cells[0].setup.limit;
    let expected = format!(": it had limit={limit} phases=yes repeats=2, and has limit=9 phases=no repeats=2\n");
    assert!(told.contains(&expected), "{told}");
}

/// A report of a sweep under way has what is finished, and says of which definition.
#[test]
fn of_a_sweep_under_way_there_is_what_it_has_finished() {
    let folder = folder("under-way");
    let (definition, other) = (define(SHORT), define(&SHORT.replace("seed = 3", "seed = 4")));
    let (records, _) = journal(&folder, &definition);
    let whole = folder.join("whole.parquet");
    sweep(&other, Shard::WHOLE, 1, &whole).unwrap();
    let (series, metas) = load(&builtin(), &[records.clone(), whole]).unwrap();
    let told: Vec<(&str, u64)> = metas.iter().map(|meta| (meta.definition.as_str(), meta.seed)).collect();
    assert_eq!(told, [(definition.text.as_str(), 3), (other.text.as_str(), 4)]);
    assert!(series.iter().flat_map(|one| &one.cells).all(|cell| cell.steps.len() == 4), "{series:?}");
    let (alone, metas) = load(&builtin(), &[records]).unwrap();
    assert_eq!((alone.len(), alone[0].cells[0].steps.len(), metas.len()), (series.len(), 2, 1));
}

/// Whoever opens a sweep is alone with it, so what is unfinished there is of a process that was killed.
#[test]
fn what_killed_processes_left_goes_away() {
    let folder = folder("left");
    let (mine, others) = (folder.join(".a.parquet.1-0.part"), folder.join(".b.parquet.1-0.part"));
    [&mine, &others].iter().for_each(|path| fs::write(path, "half").unwrap());
    sweep(&define(SHORT), Shard::WHOLE, 1, &folder.join("a.parquet")).unwrap();
    assert!(!mine.exists() && others.exists());
}
