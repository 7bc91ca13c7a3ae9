//! `sweep`, `merge` and `export` as a user meets them: whatever happens on the way, the rows are the same to the byte.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod harness;

use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::{BuildHasher, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use harness::{PATIENCE, complaint, json, program, ringleader, ringleader_with_input};
use sha2::{Digest, Sha256};

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
limit = 2000
repeats = 10

[[grid]]
protocol = "pcl"
n = 9
scheduler = "uniform"
"#;

/// An empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("sweep-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn define(folder: &Path, text: &str) -> String {
    let path = folder.join("a.toml");
    fs::write(&path, text).unwrap();
    path.to_string_lossy().into_owned()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

fn done(args: &[&str]) -> Output {
    let output = ringleader(args);
    assert_eq!(code(&output), 0, "{args:?}: {}", complaint(&output));
    output
}

fn refused(args: &[&str], words: &[&str]) {
    let output = ringleader(args);
    let told = complaint(&output);
    assert_eq!((code(&output), output.stdout.len()), (2, 0), "{args:?}: {told}");
    assert!(words.iter().all(|word| told.contains(word)), "{args:?}: {told}\n{words:?}");
    assert!(!told.contains("panicked"), "{told}");
}

/// The bytes of the records of a definition that nothing interrupts.
fn undisturbed(name: &str, text: &str) -> Vec<u8> {
    let folder = folder(&format!("{name}-undisturbed"));
    done(&["sweep", &define(&folder, text)]);
    fs::read(folder.join("a.parquet")).unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The rows of a file, each as a map from names of columns. No text of these tests has quotes inside.
fn rows(records: &str) -> Vec<Vec<(String, String)>> {
    let text = String::from_utf8(done(&["export", "--csv", records]).stdout).unwrap();
    let fields = |line: &str| -> Vec<String> {
        let (mut fields, mut quoted) = (vec![String::new()], false);
        for c in line.chars() {
            match c {
                '"' => quoted = !quoted,
                ',' if !quoted => fields.push(String::new()),
                c => fields.last_mut().unwrap().push(c),
            }
        }
        fields
    };
    let mut lines = text.lines();
    let header = fields(lines.next().unwrap());
    lines.map(|line| header.iter().cloned().zip(fields(line)).collect()).collect()
}

fn get<'a>(row: &'a [(String, String)], name: &str) -> &'a str {
    &row.iter().find(|(key, _)| key == name).unwrap().1
}

#[test]
fn each_row_is_the_run_of_its_seed() {
    let folder = folder("rows");
    let definition = define(&folder, DEFINITION);
    let told = json(&done(&["sweep", &definition, "--json"]));
    assert_eq!(
        (told["trials"].as_u64(), told["ran"].as_u64(), told["finished"].as_u64()),
        (Some(410), Some(410), Some(410))
    );
    let rows = rows(told["records"].as_str().unwrap());
    assert_eq!(rows.len(), 410);
    assert_eq!(names(&folder), ["a.parquet", "a.toml"]);
    assert!(told["ran_censored"].as_u64().unwrap() > 0, "the limit cuts nothing, which this test does not fit");
    for row in rows.iter().step_by(9) {
        let mut words = vec!["run", "--json", "--protocol", get(row, "protocol"), "--n", get(row, "n")];
        words.extend(["--seed", get(row, "seed"), "--limit", get(row, "limit"), "--start", get(row, "start")]);
        words.extend(["--scheduler", get(row, "scheduler")]);
        let named = |start: &str| -> Vec<(String, &str)> {
            let fields =
                row.iter().filter_map(|(name, value)| Some((name.strip_prefix(start)?.to_owned(), value.as_str())));
            fields.filter(|(_, value)| start == "phase_" || !value.is_empty()).collect()
        };
        let params: Vec<(String, &str)> =
            named("param_").into_iter().map(|(name, value)| (format!("--{name}"), value)).collect();
        params.iter().for_each(|(name, value)| words.extend([name.as_str(), *value]));
        let faults = get(row, "faults");
        faults.split(';').filter(|fault| !fault.is_empty()).for_each(|fault| words.extend(["--fault", fault]));
        let alone = json(&ringleader(&words));
        for name in ["steps", "safe", "censored", "last_output_change"] {
            let expected = alone[name].to_string().replace("null", "");
            assert_eq!(get(row, name), expected, "{name} of {words:?}");
        }
        if get(row, "phases") != "[]" {
            let phase = |phase: &serde_json::Value| {
                (phase["name"].as_str().unwrap().to_owned(), phase["step"].to_string().replace("null", ""))
            };
            let expected: Vec<(String, String)> = alone["phases"].as_array().unwrap().iter().map(phase).collect();
            let found: Vec<(String, String)> =
                named("phase_").into_iter().map(|(name, step)| (name, step.to_owned())).collect();
            assert_eq!(found, expected, "{words:?}");
        }
        let struck = alone["faults"].as_array().unwrap();
        let all = struck.len() == faults.split(';').filter(|fault| !fault.is_empty()).count();
        let last = struck.last().filter(|_| all).map_or(String::new(), |last| last["step"].to_string());
        assert_eq!(get(row, "last_fault"), last, "{words:?}");
    }
}

fn start(definition: &str) -> Child {
    let mut command = program();
    command
        .args(["sweep", definition, "--quiet", "--threads", "2"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// A sweep of a second or so; it repeats a sequence of pauses that its seed tells.
#[test]
fn killed_at_any_moment_it_goes_on() {
    let text = DEFINITION.replace("repeats = 70", "repeats = 300").replace("n = 9", "n = [9, 20]");
    let expected = undisturbed("killed", &text);
    let folder = folder("killed");
    let definition = define(&folder, &text);
    let mut seed = RandomState::new().build_hasher().finish();
    println!("seed {seed}");
    let (mut kills, mut most) = (0, 0);
    loop {
        let mut child = start(&definition);
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Longer and longer, so that a slow machine gets there as well.
        sleep(Duration::from_millis((seed >> 33) % (40 + 20 * kills)));
        if child.try_wait().unwrap().is_some() {
            let output = child.wait_with_output().unwrap();
            assert_eq!(code(&output), 0, "after {kills} kills: {}", complaint(&output));
            if kills > 0 {
                break;
            }
            // This test was asleep for too long; once more.
            fs::remove_file(folder.join("a.parquet")).unwrap();
            continue;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        let kept = fs::metadata(folder.join("a.parquet.journal")).map_or(0, |meta| meta.len());
        assert!(kept >= most || folder.join("a.parquet").exists(), "{kept} bytes where {most} were kept");
        most = kept;
    }
    println!("{kills} kills");
    assert_eq!(fs::read(folder.join("a.parquet")).unwrap(), expected, "after {kills} kills");
    assert_eq!(names(&folder), ["a.parquet", "a.toml"], "nothing is left behind");
}

/// 64 trials that the engine runs at the same time, and that end at different times.
const ONE_BATCH: &str = r#"
seed = 5
repeats = 64
[[grid]]
protocol = "ppl"
n = 40
start = "uniform"
"#;

/// The trials in a journal, which is there while its sweep runs.
fn journalled(folder: &Path) -> Vec<u64> {
    let text = fs::read_to_string(folder.join("a.parquet.journal")).unwrap_or_default();
    // The last line may be half written.
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let lists = whole.lines().filter_map(|line| line.split_once(" [").map(|(_, list)| format!("[{list}")));
    lists.map(|list| serde_json::from_str::<serde_json::Value>(&list).unwrap()[2].as_u64().unwrap()).collect()
}

/// Runs the batch in a fresh folder and kills it after some trials; how many it has kept then, or nothing if all were done before.
fn killed_within_a_batch(folder: &Path, definition: &str) -> Option<Vec<u64>> {
    let _ = fs::remove_file(folder.join("a.parquet"));
    let _ = fs::remove_file(folder.join("a.parquet.journal"));
    let mut command = program();
    command.args(["sweep", definition, "--quiet", "--threads", "1"]).stdin(Stdio::null());
    let mut child = command.spawn().unwrap();
    let over = wait_for(|| child.try_wait().unwrap().is_some() || journalled(folder).len() >= 20);
    assert!(over, "it does not begin");
    let _ = child.kill();
    child.wait().unwrap();
    let kept = journalled(folder);
    (!folder.join("a.parquet").exists() && kept.len() < 64).then_some(kept)
}

#[test]
fn killed_within_a_batch_only_trials_in_flight_are_run_again() {
    let expected = undisturbed("batch", ONE_BATCH);
    let folder = folder("batch");
    let definition = define(&folder, ONE_BATCH);
    // Whoever looks too late looks again.
    let kept = (0..100).find_map(|_| killed_within_a_batch(&folder, &definition)).unwrap();
    assert!(!kept.is_empty());
    let told = json(&done(&["sweep", &definition, "--json"]));
    assert_eq!(told["ran"].as_u64(), Some(64 - kept.len() as u64));
    assert_eq!(fs::read(folder.join("a.parquet")).unwrap(), expected);
    // All began together, so those that were run again are those that take longest, up to a window or two of some 89 n steps.
    let steps = |row: &Vec<(String, String)>| get(row, "steps").parse::<u64>().unwrap();
    let is_kept = |row: &Vec<(String, String)>| kept.contains(&get(row, "trial").parse().unwrap());
    let (kept, again): (Vec<_>, Vec<_>) =
        rows(&folder.join("a.parquet").to_string_lossy()).into_iter().partition(is_kept);
    let (latest, earliest) = (kept.iter().map(steps).max().unwrap(), again.iter().map(steps).min().unwrap());
    assert!(earliest + 3 * 128 * 40 > latest, "a trial of {earliest} steps was lost, one of {latest} was kept");
}

/// A trial that takes hours, beside some that take no time.
const ENDLESS: &str = r#"
seed = 1
repeats = 3
[[grid]]
protocol = "ysm"
n = 4
[[grid]]
protocol = "ysm"
n = 50000
repeats = 1
"#;

/// Sends a signal to a process.
fn send(signal: &str, child: &Child) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

/// Whether something becomes true before we lose patience.
fn wait_for(mut what: impl FnMut() -> bool) -> bool {
    let begin = Instant::now();
    while !what() {
        if begin.elapsed() > PATIENCE {
            return false;
        }
        sleep(Duration::from_millis(1));
    }
    true
}

/// A sweep that runs for ever and has done what takes no time.
fn endless(folder: &Path) -> (String, Child) {
    endless_by(folder, start)
}

fn endless_by(folder: &Path, start: impl Fn(&str) -> Child) -> (String, Child) {
    let definition = define(folder, ENDLESS);
    let child = start(&definition);
    assert!(wait_for(|| journalled(folder).len() >= 3), "it does not begin");
    (definition, child)
}

#[test]
fn two_processes_do_not_meet_and_a_dead_one_is_no_obstacle() {
    let folder = folder("two");
    let (definition, mut first) = endless(&folder);
    refused(&["sweep", &definition], &["a.parquet.journal is in use", "another process"]);
    first.kill().unwrap();
    first.wait().unwrap();
    let (_, mut second) = endless(&folder);
    second.kill().unwrap();
    second.wait().unwrap();
}

/// By a user, or by the scheduler of a cluster.
#[test]
fn an_interruption_says_how_to_go_on() {
    for (signal, expected) in [("-INT", 130), ("-TERM", 143)] {
        let folder = folder(&format!("interrupted{signal}"));
        let (definition, child) = endless(&folder);
        send(signal, &child);
        let output = child.wait_with_output().unwrap();
        let told = complaint(&output);
        assert_eq!(code(&output), expected, "{told}");
        let resume = format!("resume with: ringleader sweep {definition}");
        let words = ["interrupted: ", "3 of 4 trials are kept in", "a.parquet.journal", &resume];
        assert!(words.iter().all(|word| told.contains(word)), "{told}");
        assert_eq!(names(&folder), ["a.parquet.journal", "a.toml"]);
    }
}

/// Each line has its own checksum: one that is wrong costs its trial, and those behind it are kept.
#[test]
fn a_damaged_line_costs_one_trial_and_is_told() {
    let folder = folder("damaged-line");
    let (definition, mut child) = endless(&folder);
    child.kill().unwrap();
    child.wait().unwrap();
    let path = folder.join("a.parquet.journal");
    let mut bytes = fs::read(&path).unwrap();
    // The checksum of the second trial, after a line for the file and one for the definition.
    let (end, _) = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(2).unwrap();
    bytes[end + 1] = if bytes[end + 1] == b'0' { b'1' } else { b'0' };
    fs::write(&path, &bytes).unwrap();
    let child = start(&definition);
    assert!(wait_for(|| journalled(&folder).len() == 4), "it does not begin");
    send("-INT", &child);
    let output = child.wait_with_output().unwrap();
    let told = complaint(&output);
    assert!(told.contains("some of the journal was damaged; the missing trials run again"), "{told}");
    assert!(code(&output) == 130 && told.contains("3 of 4 trials are kept in"), "{told}");
    let ran = String::from_utf8(output.stdout).unwrap();
    assert!(ran.contains("ran 1 trials"), "{ran}");
}

/// `nohup` ignores the signal of a terminal that is closed, so that only the second signal is heard.
#[test]
fn a_sweep_outlives_its_terminal_under_nohup() {
    let folder = folder("nohup");
    let (_, child) = endless_by(&folder, |definition| {
        let mut nohup = Command::new("sh");
        nohup.args(["-c", "trap '' HUP; exec \"$0\" sweep \"$1\"", env!("CARGO_BIN_EXE_ringleader"), definition]);
        nohup.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    });
    send("-HUP", &child);
    send("-INT", &child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 130);
    assert!(complaint(&output).contains("3 of 4 trials are kept in"), "{}", complaint(&output));
}

/// The first lines of a journal as if another version had written them.
fn by_version(journal: &str, version: &str) -> String {
    let (head, lines) = journal.split_once('\n').unwrap();
    let (_, text) = lines.lines().next().unwrap().split_once(' ').unwrap();
    let text = text.replace(env!("CARGO_PKG_VERSION"), version);
    let sum: String = Sha256::digest(&text)[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{head}\n{sum} {text}\n")
}

#[test]
fn a_journal_may_only_grow_too() {
    let folder = folder("journal");
    let (definition, mut child) = endless(&folder);
    child.kill().unwrap();
    child.wait().unwrap();
    define(&folder, &ENDLESS.replace("n = 50000", "n = 5"));
    refused(&["sweep", &definition], &["a.parquet.journal", "ysm n=50000", "removed"]);
    let journal = folder.join("a.parquet.journal");
    let of_another_version = by_version(&fs::read_to_string(&journal).unwrap(), "0.0.0");
    fs::write(&journal, &of_another_version).unwrap();
    define(&folder, ENDLESS);
    refused(&["sweep", &definition], &["a.parquet.journal", "ringleader 0.0.0 wrote it", "another --out"]);
    assert_eq!(fs::read_to_string(&journal).unwrap(), of_another_version, "it was not touched");
    fs::remove_file(&journal).unwrap();
    define(&folder, &ENDLESS.replace("n = 50000", "n = 5"));
    done(&["sweep", &definition]);
    fs::write(&journal, "something else").unwrap();
    refused(&["sweep", &definition], &["no journal"]);
    fs::write(&journal, "meta 10 0123456789abcdef\n").unwrap();
    refused(&["sweep", &definition], &["an earlier version wrote it"]);
}

#[test]
fn bad_definitions_are_refused_before_anything_is_run() {
    let folder = folder("bad");
    for (text, words) in [
        ("seed = 1\n[[grid]\n", vec!["a.toml", "line 2, column 8"]),
        (
            "seed = 1\nrepeats = 'many'\n[[grid]]\nprotocol = 'ppl'\nn = 8",
            vec!["line 2, column 11", "many", "1 to 1000000"],
        ),
        ("seed = 1\n[[grid]]\nprotocol = 'ppl'\nn = 8\nm = 9", vec!["line 5, column 1", "`m`"]),
        (
            "seed = 1\n[[grid]]\nprotocol = ['ppl', 'pl']\nn = [1, 8]\nstart = ['safe', 'sound']\n",
            vec!["7 of 8 cells are impossible", "ppl n=1 start=safe (grid at line 2)", "pl n=8", "start = sound"],
        ),
        ("seed = 1\n[[grid]]\nprotocol = 'ppl'\nn = [8, 8]", vec!["1 of 2 cells is impossible", "there already"]),
    ] {
        let definition = define(&folder, text);
        refused(&["sweep", &definition], &words);
        refused(&["sweep", &definition, "--dry-run"], &words);
        assert_eq!(names(&folder), ["a.toml"]);
    }
    let none = folder.join("none.toml").to_string_lossy().into_owned();
    refused(&["sweep", &none], &["none.toml"]);
    let definition = define(&folder, DEFINITION);
    refused(&["sweep", &definition, "--shard", "3/2"], &["3/2", "1 <= i <= k"]);
    refused(&["sweep", &definition, "--out", &folder.to_string_lossy()], &["name of a file"]);
    refused(&["sweep", &definition, "--out", &folder.join("no/where").to_string_lossy()], &["cannot write"]);
    assert_eq!(code(&ringleader_with_input(&["sweep", "-"], DEFINITION)), 2);
    assert_eq!(names(&folder), ["a.toml"]);
}

#[test]
fn a_dry_run_lists_the_cells() {
    let folder = folder("dry");
    let definition = define(&folder, DEFINITION);
    let told = json(&done(&["sweep", &definition, "--dry-run", "--json"]));
    assert_eq!((told["cells"].as_array().unwrap().len(), told["trials"].as_u64()), (11, Some(410)));
    assert_eq!(told["cells"][5]["faults"][0], "agents=3,at=safe");
    assert_eq!(told["cells"][4]["settings"]["psi"], 3);
    let half = json(&done(&["sweep", &definition, "--dry-run", "--json", "--shard", "1/2"]));
    assert!(half["trials"].as_u64().unwrap() < 410);
    let text = String::from_utf8(done(&["sweep", &definition, "--dry-run"]).stdout).unwrap();
    assert!(text.contains("410 trials of 11 cells, seed 7") && text.contains("a.parquet"), "{text}");
    assert_eq!(names(&folder), ["a.toml"]);
}

/// What happens on a full disk: a write fails in the middle. Here a limit on the size of files makes it fail.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_loses_nothing() {
    let text = DEFINITION.replace("repeats = 70", "repeats = 400");
    let expected = undisturbed("full", &text);
    let folder = folder("full");
    let definition = define(&folder, &text);
    for blocks in [1, 4, 8, 40] {
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" sweep \"$1\"");
        let output =
            Command::new("bash").args(["-c", &script, env!("CARGO_BIN_EXE_ringleader"), &definition]).output().unwrap();
        let told = complaint(&output);
        let words = ["cannot write", "File too large", "a.parquet.journal", "resume with: ringleader sweep"];
        assert_eq!(code(&output), 2, "{blocks} blocks: {told}");
        assert!(words.iter().all(|word| told.contains(word)), "{blocks} blocks: {told}");
        assert_eq!(names(&folder), ["a.parquet.journal", "a.toml"]);
    }
    let told = json(&done(&["sweep", &definition, "--json"]));
    assert!(told["ran"].as_u64().unwrap() < told["trials"].as_u64().unwrap(), "{told}");
    assert_eq!(fs::read(folder.join("a.parquet")).unwrap(), expected);
}

fn place_of(bytes: &[u8], word: &[u8]) -> usize {
    bytes.windows(word.len()).rposition(|window| window == word).unwrap() + word.len()
}

/// The same records as if they had format 3, with the seal of the changed file.
fn of_a_later_version(whole: &[u8]) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    let format = place_of(&bytes, b"ringleader.format") + 2;
    assert_eq!(bytes[format], b'2');
    bytes[format] = b'3';
    let seal = place_of(&bytes, b"sha256:");
    bytes[seal..seal + 64].fill(b'0');
    let hash: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    bytes[seal..seal + 64].copy_from_slice(hash.as_bytes());
    bytes
}

#[test]
fn damaged_and_foreign_records_are_refused() {
    let folder = folder("damaged");
    let definition = define(&folder, DEFINITION);
    done(&["sweep", &definition]);
    let records = folder.join("a.parquet");
    let (path, whole) = (records.to_string_lossy().into_owned(), fs::read(&records).unwrap());
    let changed = [&whole[..900], &[whole[900] ^ 1], &whole[901..]].concat();
    for (bytes, word) in [
        (whole[..whole.len() - 1].to_vec(), "cut off"),
        (whole[..whole.len() / 2].to_vec(), "cut off"),
        (changed, "damaged"),
        (of_a_later_version(&whole), "format 3"),
        (b"PAR1PAR1".to_vec(), "no records of ringleader"),
        (b"seed = 1".to_vec(), "not a Parquet file"),
        (Vec::new(), "not a Parquet file"),
    ] {
        fs::write(&records, &bytes).unwrap();
        let out = folder.join("out.parquet").to_string_lossy().into_owned();
        refused(&["export", "--csv", &path], &["a.parquet", word]);
        refused(&["export", "--meta", &path], &["a.parquet", word]);
        refused(&["merge", &path, "--out", &out], &["a.parquet", word]);
        refused(&["sweep", &definition], &["a.parquet", word, "--out"]);
        assert_eq!(names(&folder), ["a.parquet", "a.toml"], "nothing is written");
        assert_eq!(fs::read(&records).unwrap(), bytes, "nothing is overwritten");
    }
}

#[test]
fn shards_of_different_sweeps_are_not_merged() {
    let folder = folder("different");
    let (a, b) = (folder.join("a.toml"), folder.join("b.toml"));
    fs::write(&a, DEFINITION).unwrap();
    fs::write(&b, DEFINITION.replace("seed = 7", "seed = 8")).unwrap();
    let shard = |path: &Path, shard: &str| {
        let told = json(&done(&["sweep", &path.to_string_lossy(), "--shard", shard, "--json"]));
        told["records"].as_str().unwrap().to_owned()
    };
    let (one, two) = (shard(&a, "1/2"), shard(&b, "2/2"));
    let out = folder.join("out.parquet");
    refused(&["merge", &one, &two, "--out", &out.to_string_lossy()], &["different definitions"]);
    assert!(!out.exists());
    // The same shard twice is no sweep either.
    refused(&["merge", &one, &one, "--out", &out.to_string_lossy()], &["in none of the files"]);
}

/// More shards than trials: most have nothing to do, now or before the definition grew, and name no machine.
#[test]
fn shards_without_trials_change_no_byte() {
    let text = "seed = 3\nrepeats = 2\n[[grid]]\nprotocol = 'ysm'\nn = 4\n";
    let grown = format!("{text}[[grid]]\nprotocol = 'ysm'\nn = 5\n");
    let (expected, folder) = (undisturbed("idle", &grown), folder("idle"));
    let shard = |index: u32| {
        for text in [text, &grown] {
            done(&["sweep", &define(&folder, text), "--shard", &format!("{index}/7")]);
        }
        folder.join(format!("a.{index}of7.parquet")).to_string_lossy().into_owned()
    };
    let (shards, out): (Vec<String>, PathBuf) = ((1..=7).map(shard).collect(), folder.join("all.parquet"));
    let shards = shards.iter().map(String::as_str);
    done(&["merge", "--out", &out.to_string_lossy()].into_iter().chain(shards).collect::<Vec<_>>());
    assert_eq!(fs::read(&out).unwrap(), expected);
}

#[test]
fn records_say_where_they_come_from() {
    let folder = folder("meta");
    let definition = define(&folder, DEFINITION);
    done(&["sweep", &definition, "--shard", "2/3"]);
    let path = folder.join("a.2of3.parquet").to_string_lossy().into_owned();
    let meta = &json(&done(&["export", "--meta", &path]))["files"][0];
    assert_eq!((meta["definition"].as_str(), meta["seed"].as_u64()), (Some(DEFINITION), Some(7)));
    assert_eq!((meta["shard"].as_str(), meta["version"].as_str()), (Some("2/3"), Some(env!("CARGO_PKG_VERSION"))));
    assert!(meta["machine"].as_str().unwrap().contains(" core"), "{meta}");
    let csv = folder.join("a.csv").to_string_lossy().into_owned();
    done(&["export", &path, "--out", &csv]);
    assert_eq!(fs::read(csv).unwrap(), done(&["export", &path]).stdout);
}
