//! The code reads beside the paper: every line of its pseudocode stands exactly once in the Rust.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

fn source(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The numbers at the right of the lines, in the order of the file.
fn line_numbers(path: &str) -> Vec<u32> {
    let number = |line: &str| line.rsplit_once("// ").and_then(|(_, end)| end.trim().parse().ok());
    source(path).lines().filter_map(number).collect()
}

fn each_once(path: &str, lines: std::ops::RangeInclusive<u32>) {
    let mut numbers = line_numbers(path);
    numbers.sort_unstable();
    assert_eq!(numbers, lines.collect::<Vec<u32>>(), "{path}");
}

#[test]
fn every_paper_line_stands_once_in_the_code() {
    each_once("crates/ringleader/src/protocols/ppl.rs", 1..=50);
    each_once("crates/ringleader/src/protocols/elim.rs", 51..=62);
    each_once("crates/ringleader/src/protocols/por.rs", 63..=76);
    each_once("crates/ringleader/src/protocols/pcl.rs", 77..=80);
}

#[test]
fn lines_of_one_algorithm_keep_their_order() {
    for (path, blocks) in [
        ("ppl", vec![3..=11, 12..=33, 34..=50, 1..=2]),
        ("elim", vec![51..=62]),
        ("por", vec![63..=76]),
        ("pcl", vec![77..=80]),
    ] {
        let expected: Vec<u32> = blocks.into_iter().flatten().collect();
        assert_eq!(line_numbers(&format!("crates/ringleader/src/protocols/{path}.rs")), expected);
    }
}

#[test]
fn the_pseudocode_has_every_line_once_in_order() {
    let text = source("paper/pseudocode.txt");
    let rows = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let numbers: Vec<u32> = rows.map(|row| row.split_once(" | ").unwrap().0.trim().parse().unwrap()).collect();
    assert_eq!(numbers, (1..=80).collect::<Vec<u32>>());
}

/// The library knows nothing of files, clocks, threads or the environment, and iterates over no hash map.
#[test]
fn the_library_does_not_touch_the_world() {
    let forbidden = [
        "std::fs",
        "std::io",
        "std::time",
        "std::thread",
        "std::env",
        "std::net",
        "std::process",
        "HashMap",
        "HashSet",
        "println!",
        "mul_add",
    ];
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            files += 1;
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            for line in code {
                let found = forbidden.iter().find(|word| line.contains(**word));
                assert_eq!(found, None, "{}: {line}", path.display());
            }
        }
    }
    assert!(files > 15, "only {files} files were read");
}
