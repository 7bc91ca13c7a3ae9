//! The pages about protocols as files are true: every command of docs/write-your-own.md gives what is shown under it, and every example of
//! docs/notation.md runs.
//!
//! A block "```python NAME" is a file; "NAME +" adds to it, and "NAME = OTHER +" is another with something added. In a block "```console"
//! a line `$ ringleader ...` is a command; `...` stands for any lines, and at the end of a line for its rest. With `RINGLEADER_BLESS=1`
//! the test writes what the commands print under those that have nothing under them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod harness;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use harness::program;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/write-your-own.md");
const REFERENCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/notation.md");

fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// A block of a page: what stands behind the fence, its lines, and where it ends.
struct Block {
    head: String,
    lines: Vec<String>,
}

/// The page in pieces: plain lines, and blocks.
fn pieces(page: &str) -> Vec<Result<String, Block>> {
    let (mut pieces, mut lines) = (Vec::new(), page.lines());
    while let Some(line) = lines.next() {
        pieces.push(match line.strip_prefix("```") {
            None => Ok(line.to_owned()),
            Some(head) => {
                let lines = lines.by_ref().take_while(|line| *line != "```").map(str::to_owned).collect();
                Err(Block { head: head.to_owned(), lines })
            }
        });
    }
    pieces
}

/// Keeps a file of the page up to date.
fn write(folder: &Path, files: &mut BTreeMap<String, String>, head: &str, lines: &[String]) {
    let (text, words) = (lines.join("\n") + "\n", head.split(' ').collect::<Vec<_>>());
    let before = match words.as_slice() {
        ["python", _] => String::new(),
        ["python", name, "+"] | ["python", _, "=", name, "+"] => format!("{}\n\n", files[*name].trim_end_matches('\n')),
        other => panic!("{other:?}"),
    };
    files.insert(words[1].to_owned(), format!("{before}{text}"));
    fs::write(folder.join(words[1]), &files[words[1]]).unwrap();
}

/// All that a command prints.
fn printed(folder: &Path, command: &str) -> Vec<String> {
    let words: Vec<&str> = command.strip_prefix("ringleader ").expect("a command of ours").split(' ').collect();
    let output = program().args(words).current_dir(folder).env("NO_COLOR", "1").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    text.lines().map(|line| line.trim_end().to_owned()).collect()
}

/// Whether lines are as shown.
fn fits(shown: &[String], printed: &[String]) -> bool {
    match shown {
        [] => printed.is_empty(),
        [dots, rest @ ..] if dots == "..." => (0..=printed.len()).any(|skipped| fits(rest, &printed[skipped..])),
        [line, rest @ ..] => printed.split_first().is_some_and(|(first, others)| {
            let same = line.strip_suffix("...").map_or(first == line, |beginning| first.starts_with(beginning));
            same && fits(rest, others)
        }),
    }
}

/// The lines of a console block with every command run; panics where something else is shown.
fn console(folder: &Path, lines: &[String], bless: bool) -> Vec<String> {
    let mut told = Vec::new();
    let mut rest = lines;
    while let [command, after @ ..] = rest {
        let count = after.iter().position(|line| line.starts_with("$ ")).unwrap_or(after.len());
        let (shown, printed) = (&after[..count], printed(folder, &command[2..]));
        told.push(command.clone());
        if shown.is_empty() && bless {
            told.extend(printed);
        } else {
            assert!(fits(shown, &printed), "{command}\nprints\n{}\nshown is\n{}", printed.join("\n"), shown.join("\n"));
            told.extend_from_slice(shown);
        }
        rest = &after[count..];
    }
    told
}

#[test]
fn every_command_of_the_page_prints_what_is_shown() {
    let (folder, bless) = (folder("page"), std::env::var_os("RINGLEADER_BLESS").is_some());
    let (mut files, mut commands, mut out) = (BTreeMap::new(), 0, String::new());
    for piece in pieces(&fs::read_to_string(PAGE).unwrap()) {
        let Block { head, lines } = match piece {
            Ok(line) => {
                out += &format!("{line}\n");
                continue;
            }
            Err(block) => block,
        };
        let lines = if head == "console" {
            let lines = console(&folder, &lines, bless);
            commands += lines.iter().filter(|line| line.starts_with("$ ")).count();
            lines
        } else {
            write(&folder, &mut files, &head, &lines);
            lines
        };
        out += &format!("```{head}\n{}\n```\n", lines.join("\n"));
    }
    assert!(commands >= 12 && files.len() >= 6, "{commands} commands, {} files", files.len());
    if bless {
        fs::write(PAGE, out).unwrap();
    }
}

/// That the comparison can fail.
#[test]
fn what_is_not_printed_is_noticed() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let printed = lines("a b\nc\nd\ne");
    for same in ["a b\nc\nd\ne", "a b\n...\ne", "...", "a...\nc\n..."] {
        assert!(fits(&lines(same), &printed), "{same}");
    }
    for other in ["a b\nc\nd", "a b\n...\nf", "b...\n...", "", "a b\nd\n..."] {
        assert!(!fits(&lines(other), &printed), "{other}");
    }
}

#[test]
fn every_example_of_the_reference_runs() {
    let folder = folder("reference");
    let mut examples = 0;
    for Block { head, lines } in pieces(&fs::read_to_string(REFERENCE).unwrap()).into_iter().filter_map(Result::err) {
        assert_eq!(head, "python");
        examples += 1;
        fs::write(folder.join("p.py"), lines.join("\n") + "\n").unwrap();
        for command in ["list p.py", "run p.py --n 6 --seed 1 --limit 1000", "check p.py --n 3"] {
            let output = program().args(command.split(' ')).current_dir(&folder).output().unwrap();
            let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(matches!(output.status.code(), Some(0 | 1 | 3)) && complaint.is_empty(), "{command}: {complaint}");
        }
    }
    assert!(examples >= 4, "{examples}");
}
