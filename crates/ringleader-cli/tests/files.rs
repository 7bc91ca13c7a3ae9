//! What a user keeps in files: nothing is written over, nothing half-written stays, and what is read is read with care.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod harness;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use harness::{PATIENCE, complaint, json, program, ringleader};
use sha2::{Digest, Sha256};

/// Records of a whole sweep.
const SMALL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/records/small.parquet");
/// More of them.
const LARGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../records/table1.parquet");

fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

/// An empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("files-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn refused(output: &Output, words: &[&str]) {
    let told = complaint(output);
    assert_eq!(code(output), 2, "{told}");
    assert!(words.iter().all(|word| told.contains(word)) && !told.contains("panicked"), "{told}\n{words:?}");
    assert!(told.len() < 1000, "{told}");
}

// --- Written --------------------------------------------------------------------------------------------------

/// The file itself, round about, and by a link of either kind.
#[cfg(unix)]
fn names_of(file: &Path) -> Vec<PathBuf> {
    let folder = file.parent().unwrap();
    let name = file.file_name().unwrap().to_string_lossy();
    let (soft, hard) = (folder.join(format!("soft-{name}")), folder.join(format!("hard-{name}")));
    std::os::unix::fs::symlink(file, &soft).unwrap();
    fs::hard_link(file, &hard).unwrap();
    let round_about = folder.join("..").join(folder.file_name().unwrap()).join(&*name);
    vec![file.to_owned(), round_about, soft, hard]
}

#[cfg(unix)]
#[test]
fn no_command_writes_over_what_it_reads() {
    let folder = folder("inputs");
    let [records, definition, case] = ["a.parquet", "a.toml", "a.json"].map(|name| folder.join(name));
    fs::copy(SMALL, &records).unwrap();
    fs::write(&definition, "seed = 1\nrepeats = 2\n[[grid]]\nprotocol = \"fj\"\nn = 4\n").unwrap();
    assert_eq!(code(&ringleader(&["run", "--n", "4", "--seed", "1", "--trace", case.to_str().unwrap()])), 0);
    for (file, commands) in [
        (&records, ["export FILE --out OUT", "export FILE --meta --out OUT", "merge FILE FILE --out OUT"]),
        (&definition, ["sweep FILE --out OUT", "sweep FILE --dry-run --out OUT", "sweep FILE --quiet --out OUT"]),
        (&case, ["run --start FILE --trace OUT", "run --start - --trace OUT", "run --quiet --start FILE --trace OUT"]),
    ] {
        let before = fs::read(file).unwrap();
        for (out, line) in names_of(file).iter().flat_map(|out| commands.map(|line| (out, line))) {
            let (input, out) = (file.to_str().unwrap(), out.to_str().unwrap());
            let word = |word| {
                if word == "FILE" {
                    input
                } else if word == "OUT" {
                    out
                } else {
                    word
                }
            };
            let mut command = program();
            let output = command.args(line.split(' ').map(word)).stdin(File::open(file).unwrap()).output().unwrap();
            let read = if line.contains(" - ") { "as -," } else { input };
            refused(&output, &["cannot write", "the same file", read, out]);
            assert!(output.stdout.is_empty() && fs::read(file).unwrap() == before, "{line}: {out}");
        }
    }
    let left = ["a.json", "a.parquet", "a.toml"]
        .map(|name| vec![name.to_owned(), format!("hard-{name}"), format!("soft-{name}")]);
    let mut left = left.concat();
    left.sort();
    assert_eq!(names(&folder), left);
}

/// Names that a command makes of those that it is given.
#[cfg(unix)]
#[test]
fn nor_under_names_that_it_makes_itself() {
    let folder = folder("made");
    let text = "seed = 1\nrepeats = 2\n[[grid]]\nprotocol = \"fj\"\nn = 4\n";
    let [odd, definition, page] = ["odd.parquet", "a.toml", "report.html"].map(|name| folder.join(name));
    fs::write(&odd, text).unwrap();
    refused(&ringleader(&["sweep", odd.to_str().unwrap()]), &["the same file", "odd.parquet"]);
    fs::write(&definition, text).unwrap();
    fs::hard_link(&definition, folder.join("a.parquet.journal")).unwrap();
    refused(&ringleader(&["sweep", definition.to_str().unwrap()]), &["the same file", "a.parquet.journal", "a.toml"]);
    let records = folder.join("r.parquet");
    fs::copy(SMALL, &records).unwrap();
    std::os::unix::fs::symlink(&records, &page).unwrap();
    for given in [&records, &folder.join("only")] {
        let _ = fs::create_dir(folder.join("only"));
        let _ = fs::hard_link(&records, folder.join("only/r.parquet"));
        let out = ringleader(&["report", given.to_str().unwrap(), "--out", folder.to_str().unwrap()]);
        refused(&out, &["the same file", "report.html", "r.parquet"]);
    }
    assert_eq!(
        (fs::read_to_string(&odd).unwrap(), fs::read_to_string(&definition).unwrap()),
        (text.into(), text.into())
    );
    assert!(fs::read(&records).unwrap() == fs::read(SMALL).unwrap() && !folder.join("figures").exists());
}

/// Whether something becomes true before we lose patience.
fn wait_for(mut what: impl FnMut() -> bool) -> bool {
    let begin = Instant::now();
    while !what() {
        if begin.elapsed() > PATIENCE {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    true
}

#[test]
fn a_signal_leaves_no_unfinished_file() {
    let is_part = |name: &String| name.ends_with(".part");
    for (signal, expected) in [("-INT", 130), ("-TERM", 143)] {
        let (folder, mut copies) = (folder(&format!("unfinished{signal}")), 8);
        fs::write(folder.join("x.csv"), "before").unwrap();
        loop {
            let mut command = program();
            command.arg("export").args(vec![LARGE; copies]).arg("--out").arg(folder.join("x.csv"));
            let mut child = command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            assert!(wait_for(|| names(&folder).iter().any(is_part)), "it does not begin");
            assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
            let ended = child.wait().unwrap().code();
            assert_eq!(names(&folder), ["x.csv"], "{signal}");
            if ended == Some(expected) {
                break;
            }
            // It was faster, which only the machine decides.
            assert_eq!(ended, Some(0), "{signal}");
            fs::write(folder.join("x.csv"), "before").unwrap();
            copies *= 2;
        }
        assert_eq!(fs::read_to_string(folder.join("x.csv")).unwrap(), "before");
    }
}

// --- Told -----------------------------------------------------------------------------------------------------

/// A command that is shown is taken by a shell as it was meant.
#[cfg(unix)]
#[test]
fn commands_to_copy_are_quoted() {
    let folder = folder("it's my $HOME");
    let [definition, records, case] =
        ["a def.toml", "its records;.parquet", "the case.json"].map(|name| folder.join(name));
    fs::write(&definition, "seed = 1\nrepeats = 2\n[[grid]]\nprotocol = \"fj\"\nn = 4\n").unwrap();
    let shell = |line: &str| {
        let bin = Path::new(env!("CARGO_BIN_EXE_ringleader")).parent().unwrap();
        let path = std::env::join_paths(
            [bin.to_owned()].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
        );
        let output = Command::new("sh").args(["-c", line]).env("PATH", path.unwrap()).output().unwrap();
        assert_eq!(code(&output), 0, "{line}: {}", complaint(&output));
        output
    };
    let [definition, records, case] = [&definition, &records, &case].map(|path| path.to_str().unwrap());
    let told = json(&ringleader(&["sweep", definition, "--out", records, "--json"]));
    let again = json(&shell(&format!("{} --json", told["command"].as_str().unwrap())));
    assert_eq!((&again["finished"], &again["ran"]), (&2.into(), &0.into()));
    let shown = String::from_utf8(ringleader(&["sweep", definition, "--out", records]).stdout).unwrap();
    let hint = shown.lines().find_map(|line| line.strip_prefix("as a table: ")).unwrap();
    assert!(shell(hint).stdout.starts_with(b"cell,"), "{hint}");
    ringleader(&["run", "--n", "4", "--seed", "1", "--trace", case]);
    let told = json(&ringleader(&["run", "--start", case, "--seed", "2", "--json"]));
    assert_eq!(json(&shell(&format!("{} --json", told["command"].as_str().unwrap()))), told);
    let refuted = ringleader(&["check", "elim", "--n", "3", "--everywhere", "--witness", case]);
    let shown = String::from_utf8(refuted.stdout).unwrap();
    shell(shown.lines().find_map(|line| line.strip_prefix("witness: ")).unwrap());
}

// --- Read -----------------------------------------------------------------------------------------------------

#[test]
fn a_key_that_is_there_twice_is_refused() {
    let folder = folder("twice");
    let case = folder.join("case.json");
    let path = case.to_str().unwrap();
    assert_eq!(code(&ringleader(&["run", "--protocol", "fj", "--n", "4", "--seed", "1", "--trace", path])), 0);
    let text = fs::read_to_string(&case).unwrap();
    assert_eq!(code(&ringleader(&["replay", path])), 0);
    let first = text.find("\"bullet\":").unwrap();
    let value = &text[first..first + "\"bullet\":0".len()];
    for (key, twice) in [
        ("bullet", text.replacen(value, &format!("{value},{value}"), 1)),
        ("delay", text.replacen('{', r#"{"delay":3,"delay":5,"#, 1)),
        ("note", text.replacen('{', r#"{"notes":[{"note":1,"note":1}],"#, 1)),
    ] {
        fs::write(&case, twice).unwrap();
        for command in
            [&["replay", path][..], &["inspect", path], &["run", "--start", path], &["view", "--no-open", path]]
        {
            refused(&ringleader(command), &["case.json", &format!("the key \"{key}\" is there twice"), "line 1"]);
        }
    }
}

/// A file with a column that begins before it, and with the right seal: the Parquet reader panics, and nobody sees it.
#[test]
fn a_forged_file_is_refused_in_a_line() {
    let (folder, mut bytes) = (folder("forged"), fs::read(SMALL).unwrap());
    let (place, seal) = (bytes.len() - 2190, bytes.windows(7).rposition(|window| window == b"sha256:").unwrap() + 7);
    assert_eq!(bytes[place], 8, "other records need another forgery");
    bytes[place] = 9;
    bytes[seal..seal + 64].fill(b'0');
    let digits: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    bytes[seal..seal + 64].copy_from_slice(digits.as_bytes());
    let path = folder.join("forged.parquet");
    fs::write(&path, bytes).unwrap();
    let path = path.to_str().unwrap();
    let out = folder.join("out").to_string_lossy().into_owned();
    for command in
        [&["export", path][..], &["report", path, "--out", &out], &["merge", path, "--out", &out], &["table1", path]]
    {
        let output = ringleader(command);
        refused(&output, &["cannot read", "forged.parquet", "make no sense"]);
        assert_eq!(complaint(&output).lines().count(), 1, "{}", complaint(&output));
    }
}

/// The address space is limited, so that to ask for more is to die.
#[cfg(target_os = "linux")]
#[test]
fn a_large_file_that_is_no_configuration_takes_little_memory() {
    let folder = folder("large");
    let path = folder.join("zeros.json");
    let zeros = "0,".repeat(30 << 20);
    for (before, after) in [("[[", "0]]"), (r#"{"initial":[["#, "0]]}"), (r#"{"final":[["#, "0]]}")] {
        fs::write(&path, [before, &zeros, after].concat()).unwrap();
        let line = "ulimit -v 524288; exec \"$0\" inspect \"$1\"";
        let output =
            Command::new("sh").args(["-c", line, env!("CARGO_BIN_EXE_ringleader")]).arg(&path).output().unwrap();
        refused(&output, &["zeros.json", "more values than any state has"]);
    }
    fs::remove_file(path).unwrap();
}
