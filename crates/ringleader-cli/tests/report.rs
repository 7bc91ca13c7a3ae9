//! `report` and `table1` as a user meets them, on small committed records (`tests/records/`).

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod harness;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Output;

use harness::{complaint, json, place, program, ringleader};
use serde_json::Value;

/// P_PL and YSM21 on a few sizes, made with `ringleader sweep tests/records/small.toml`.
const SMALL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/records/small.parquet");
/// P_PL under limits that cut many trials off, and with c1 too small.
const CUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/records/cut.parquet");
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn folder(name: &str) -> String {
    let path = place(name);
    let _ = std::fs::remove_dir_all(&path);
    path
}

/// Every file below a folder, with its bytes.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { all.extend(files(&path)) } else { all.push((path.clone(), std::fs::read(&path).unwrap())) }
    }
    all.sort();
    all
}

fn numbers(args: &[&str]) -> Value {
    json(&ringleader(&[&["report"], args, &["--json"]].concat()))
}

#[test]
fn a_report_is_the_same_to_the_byte() {
    let written = |name: &str, seed: &str| {
        let folder = folder(name);
        let done = ringleader(&["report", SMALL, CUT, "--out", &folder, "--seed", seed]);
        assert_eq!(code(&done), 0, "{}", complaint(&done));
        let strip = |(path, bytes): (PathBuf, Vec<u8>)| (path.strip_prefix(&folder).unwrap().to_owned(), bytes);
        files(Path::new(&folder)).into_iter().map(strip).collect::<Vec<_>>()
    };
    let (one, two) = (written("report-one", "1"), written("report-two", "1"));
    assert!(one.len() > 20, "{}", one.len());
    assert!(one == two, "two reports of the same records differ");
    assert!(one != written("report-three", "2"), "the seed of the bootstrap must matter");
}

#[test]
fn a_page_needs_nothing_else() {
    let folder = folder("report-page");
    ringleader(&["report", SMALL, CUT, "--out", &folder]);
    let page = std::fs::read_to_string(Path::new(&folder).join("report.html")).unwrap();
    for foreign in ["src=", "href=", "@import", "url(", "<script"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    let links = page.matches("http").count();
    assert_eq!(
        links,
        page.matches("xmlns=\"http://www.w3.org/2000/svg\"").count(),
        "addresses besides names of formats"
    );
    for title in
        ["Steps", "Fits", "With high probability", "Phases", "Censored trials", "Is it faster?", "Sensitivity to c1"]
    {
        assert!(page.contains(&format!("<h2>{title}")), "{title}");
    }
    assert!(!page.contains("NaN") && !page.contains(">inf"));
    assert!(page.contains("The rules of ysm: a reconstruction."));
}

/// Quantiles and the mean, recomputed from the rows as CSV.
#[test]
fn the_numbers_are_those_of_the_rows() {
    let (rows, report) = (csv(SMALL), numbers(&[SMALL]));
    let mut looked = 0;
    for series in report["series"].as_array().unwrap() {
        for cell in series["cells"].as_array().unwrap() {
            let mine = |row: &&BTreeMap<String, String>| {
                row["protocol"] == series["protocol"].as_str().unwrap()
                    && row["n"].parse::<u64>().ok() == cell["n"].as_u64()
                    && row["start"] == series["start"].as_str().unwrap()
            };
            let mut steps: Vec<u64> = rows.iter().filter(mine).map(|row| row["steps"].parse().unwrap()).collect();
            steps.sort_unstable();
            assert_eq!(cell["trials"], steps.len());
            assert_eq!(cell["quantiles"][2]["value"]["steps"], steps[steps.len().div_ceil(2) - 1]);
            let mean = steps.iter().sum::<u64>() as f64 / steps.len() as f64;
            assert!((cell["mean"]["steps"].as_f64().unwrap() / mean - 1.0).abs() < 1e-12);
            looked += 1;
        }
    }
    assert_eq!(
        looked,
        report["series"].as_array().unwrap().iter().map(|one| one["cells"].as_array().unwrap().len()).sum::<usize>()
    );
    assert!(looked > 5);
}

/// The rows of records, each as a map from names of columns.
fn csv(records: &str) -> Vec<BTreeMap<String, String>> {
    let text = text(&ringleader(&["export", records, "--csv"]));
    let fields = |line: &str| unquoted(line).split(',').map(str::to_owned).collect::<Vec<_>>();
    let header = fields(text.lines().next().unwrap());
    text.lines().skip(1).map(|line| header.iter().cloned().zip(fields(line)).collect()).collect()
}

/// A line of CSV without commas in its quoted fields.
fn unquoted(line: &str) -> String {
    let part = |(k, part): (usize, &str)| if k % 2 == 1 { part.replace(',', ";") } else { part.to_owned() };
    line.split('"').enumerate().map(part).collect()
}

#[test]
fn censored_trials_are_kept_and_shown() {
    let report = numbers(&[CUT]);
    let censored = report["censored"].as_u64().unwrap();
    let rows = csv(CUT);
    let cut = rows.iter().filter(|row| row["censored"] == "true").count();
    assert!(censored > 0 && censored == cut as u64, "{censored} {cut}");
    assert_eq!(report["trials"], rows.len());
    let folder = folder("report-cut");
    let said = text(&ringleader(&["report", CUT, "--out", &folder]));
    assert!(said.contains("censored"), "{said}");
    let steps = std::fs::read_to_string(Path::new(&folder).join("tables/steps.md")).unwrap();
    assert!(steps.contains("> "), "{steps}");
    assert!(Path::new(&folder).join("figures/survival-1.svg").exists());
}

#[test]
fn the_baseline_can_be_chosen() {
    let report = numbers(&[SMALL, "--baseline", "ysm"]);
    assert_eq!(report["baseline"], "ysm*");
    let answers: Vec<&str> =
        report["comparisons"].as_array().unwrap().iter().map(|one| one["answer"].as_str().unwrap()).collect();
    assert!(!answers.is_empty() && answers.iter().all(|answer| *answer == "slower"), "{answers:?}");
    let refused = ringleader(&["report", SMALL, "--baseline", "fast", "--json"]);
    assert_eq!(code(&refused), 2);
    let told: Value = serde_json::from_str(&complaint(&refused)).unwrap();
    let told = told["error"].as_str().unwrap();
    assert!(told.contains("\"fast\" fits no series") && told.contains("ysm*"), "{told}");
}

#[test]
fn bad_records_are_named() {
    let (broken, other) = (place("broken.parquet"), place("no-such.parquet"));
    let mut bytes = std::fs::read(SMALL).unwrap();
    bytes.truncate(bytes.len() / 2);
    std::fs::write(&broken, bytes).unwrap();
    for (files, words) in [(vec![SMALL, &other], "no-such.parquet"), (vec![SMALL, &broken], "broken.parquet")] {
        for command in ["report", "table1"] {
            let refused = ringleader(&[&[command], files.as_slice(), &["--json"]].concat());
            assert_eq!(code(&refused), 2, "{words}");
            assert!(complaint(&refused).contains(words), "{}", complaint(&refused));
        }
    }
    let refused = ringleader(&["report", SMALL, "--out", &format!("{broken}/below")]);
    assert_eq!(code(&refused), 2);
    assert!(complaint(&refused).contains("cannot make the folder"), "{}", complaint(&refused));
    assert_eq!(code(&ringleader(&["report"])), 2);
}

/// The sweeps of the project share a seed, so that some of their cells are the same.
#[test]
fn the_committed_records_are_one_report() {
    let all = numbers(&[&format!("{ROOT}/records")]);
    let rows = |file: &str| numbers(&[&format!("{ROOT}/records/{file}.parquet")])["trials"].as_u64().unwrap();
    let (trials, repeated) = (all["trials"].as_u64().unwrap(), all["repeated"].as_u64().unwrap());
    assert_eq!((trials + repeated, repeated > 0), (rows("table1") + rows("c1") + rows("psi"), true));
    assert_eq!(numbers(&[SMALL, SMALL])["series"], numbers(&[SMALL])["series"]);
    let said = text(&ringleader(&["report", SMALL, SMALL, "--out", &folder("report-twice")]));
    assert!(said.contains("rows repeat trials of others; each trial is counted once"), "{said}");
}

#[test]
fn one_row_is_a_report() {
    let (definition, records) = (
        harness::file("one.toml", "seed = 1\nrepeats = 1\n[[grid]]\nprotocol = \"ppl\"\nn = 8\n"),
        place("one.parquet"),
    );
    let swept = ringleader(&["sweep", &definition, "--out", &records, "--quiet"]);
    assert_eq!(code(&swept), 0, "{}", complaint(&swept));
    let done = ringleader(&["report", &records, "--out", &folder("report-of-one")]);
    assert_eq!(code(&done), 0, "{}", complaint(&done));
    assert!(text(&done).contains("no fit"), "{}", text(&done));
}

#[test]
fn table_1_has_every_row_and_says_what_is_missing() {
    let table = json(&ringleader(&["table1", SMALL, "--json"]));
    let rows = table["rows"].as_array().unwrap();
    let works: Vec<&str> = rows.iter().map(|row| row["work"].as_str().unwrap()).collect();
    assert_eq!(works, ["[AAF+08]", "[FJ06]", "[CC19]", "[YSM21]", "this work"]);
    assert!(rows[2]["exponent"].is_null(), "super-exponential growth has no exponent");
    let exponent = rows[4]["exponent"]["value"].as_f64().unwrap();
    assert!((2.0..2.6).contains(&exponent), "{exponent}");
    let markdown = text(&ringleader(&["table1", SMALL, "--markdown"]));
    assert!(markdown.contains("not measured") && markdown.contains("a reconstruction"), "{markdown}");
    assert!(text(&ringleader(&["table1", SMALL, "--latex"])).contains("\\begin{tabular}"));
    let nowhere = program().arg("table1").current_dir(env!("CARGO_TARGET_TMPDIR")).output().unwrap();
    assert_eq!(code(&nowhere), 2);
    assert!(complaint(&nowhere).contains("ringleader sweep experiments/table1.toml"), "{}", complaint(&nowhere));
}

#[test]
fn the_readme_shows_table_1_from_the_committed_records() {
    let readme = std::fs::read_to_string(format!("{ROOT}/README.md")).unwrap();
    let table = text(&program().args(["table1", "--markdown"]).current_dir(ROOT).output().unwrap());
    assert!(readme.contains(table.trim_end()), "the README's Table 1 is not this one:\n{table}");
}

/// Records say which definition they were made with.
#[test]
fn committed_records_are_those_of_the_committed_definitions() {
    for name in ["table1", "c1", "psi"] {
        let definition = std::fs::read_to_string(format!("{ROOT}/experiments/{name}.toml")).unwrap();
        let meta = json(&ringleader(&["export", &format!("{ROOT}/records/{name}.parquet"), "--meta"]));
        assert_eq!(meta["files"][0]["definition"], definition, "{name}");
    }
}
