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

/// The names of the figures of a report that have a file with this ending, sorted.
fn names(folder: &str, ending: &str) -> Vec<String> {
    let stem = |(path, _): &(PathBuf, Vec<u8>)| path.file_stem().unwrap().to_string_lossy().into_owned();
    let ends = |(path, _): &(PathBuf, Vec<u8>)| path.extension().is_some_and(|found| found == ending);
    files(&Path::new(folder).join("figures")).iter().filter(|file| ends(file)).map(stem).collect()
}

/// A report with these options: what was printed, and its folder.
fn report(name: &str, args: &[&str]) -> (String, String) {
    let folder = folder(name);
    let done = ringleader(&[&["report", "--out", &folder], args].concat());
    assert_eq!(code(&done), 0, "{}", complaint(&done));
    (text(&done), folder)
}

fn read(folder: &str, file: &str) -> String {
    String::from_utf8_lossy(&std::fs::read(Path::new(folder).join(file)).unwrap()).into_owned()
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
    for foreign in ["src=", "@import", "url(", "<script"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    let links: Vec<&str> = page.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert!(links.len() > 8, "the contents: {links:?}");
    for link in links {
        let place = link.strip_prefix('#').unwrap_or_else(|| panic!("{link} is not on the page"));
        assert!(page.contains(&format!("<h2 id=\"{place}\">")), "{link} leads nowhere");
    }
    let links = page.matches("http").count();
    assert_eq!(
        links,
        page.matches("xmlns=\"http://www.w3.org/2000/svg\"").count(),
        "addresses besides names of formats"
    );
    for title in [
        "Constants",
        "Steps",
        "Fits",
        "With high probability",
        "Where the time goes",
        "Phases",
        "Censored trials",
        "Is it faster?",
    ] {
        assert!(page.contains(&format!("\">{title}</h2>")), "{title}");
    }
    assert!(page.contains("\">Sensitivity to c1"));
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
    assert!(names(&folder, "svg").iter().any(|name| name.starts_with("survival-")));
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
    assert_eq!((trials + repeated, repeated > 0), (rows("table1") + rows("c1") + rows("psi") + rows("whp"), true));
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
    assert!(text(&done).contains("ppl: no fit: 1 size; a fit needs 3"), "{}", text(&done));
}

#[test]
fn each_figure_is_there_in_every_form() {
    let (_, folder) = report("report-forms", &[SMALL]);
    let all = names(&folder, "svg");
    assert!(
        ["steps", "steps-n2logn", "shares-ppl", "phases-ppl", "histogram-ysm", "tail-ppl"]
            .iter()
            .all(|name| all.iter().any(|known| known == name)),
        "{all:?}"
    );
    for ending in ["pdf", "csv", "tex"] {
        assert_eq!(names(&folder, ending), all, "{ending}");
    }
    for name in &all {
        let (pdf, tex) = (read(&folder, &format!("figures/{name}.pdf")), read(&folder, &format!("figures/{name}.tex")));
        assert!(pdf.starts_with("%PDF-1") && !pdf.contains("Date") && !pdf.contains("NaN"), "{name}");
        assert!(tex.contains(&format!("\\ringleaderfigures/{name}.csv")), "{tex}");
        let csv = read(&folder, &format!("figures/{name}.csv"));
        let widths: Vec<usize> = csv.lines().map(|line| line.split(',').count()).collect();
        assert!(widths.len() > 1 && widths.iter().all(|width| *width == widths[0]), "{csv}");
    }
    let svg = read(&folder, "figures/steps.svg");
    assert!(
        svg.contains(">ppl, ysm* from leaderless, first safe step</text>")
            && svg.contains(">mean steps against n, with 95 % intervals"),
        "{svg}"
    );
}

/// What is drawn is what JSON says.
#[test]
fn the_data_of_a_figure_are_the_numbers_of_the_report() {
    let drawn = |folder: &str, name: &str| -> Vec<f64> {
        let csv = read(folder, &format!("figures/{name}.csv"));
        csv.lines()
            .skip(1)
            .filter(|line| line.starts_with("1,"))
            .map(|line| line.split(',').nth(3).unwrap().parse().unwrap())
            .collect()
    };
    let cells = numbers(&[SMALL])["series"][0]["cells"].as_array().unwrap().clone();
    let of = |part: &dyn Fn(&Value) -> f64| cells.iter().map(part).collect::<Vec<f64>>();
    let mean = |cell: &Value| cell["mean"]["steps"].as_f64().unwrap();
    let (_, means) = report("report-means", &[SMALL]);
    assert_eq!(drawn(&means, "steps"), of(&mean));
    let (_, medians) = report("report-medians", &[SMALL, "--centre", "median"]);
    assert_eq!(drawn(&medians, "steps"), of(&|cell| cell["quantiles"][2]["value"]["steps"].as_f64().unwrap()));
    assert!(read(&medians, "figures/steps.svg").contains(">median steps against n, with 95 % intervals"));
    let squares = |cell: &Value| mean(cell) / cell["n"].as_f64().unwrap().powi(2);
    assert_eq!(drawn(&means, "steps-n2"), of(&squares));
    let stages = cells[0]["stages"].as_array().unwrap();
    let share: f64 = stages.iter().map(|stage| stage["share"].as_f64().unwrap()).sum();
    let steps: f64 = stages.iter().map(|stage| stage["steps"].as_f64().unwrap()).sum();
    assert!((share - 1.0).abs() < 1e-9 && (steps / mean(&cells[0]) - 1.0).abs() < 1e-9, "{stages:?}");
}

#[test]
fn axes_and_figures_can_be_chosen() {
    let (_, folder) = report(
        "report-axes",
        &[SMALL, "--figure", "steps", "--figure", "tail-ppl", "--y-axis", "linear", "--x-axis", "linear"],
    );
    assert_eq!(names(&folder, "svg"), ["steps", "tail-ppl"]);
    let tex = read(&folder, "figures/steps.tex");
    assert!(!tex.contains("mode=log") && tex.contains("ymin=0"), "{tex}");
    let (_, folder) = report("report-log", &[SMALL, "--figure", "tail", "--y-axis", "log", "--no-titles"]);
    assert_eq!(names(&folder, "svg"), ["tail-ppl", "tail-ysm"]);
    assert!(read(&folder, "figures/tail-ppl.tex").contains("ymode=log"));
    assert!(!read(&folder, "figures/tail-ppl.svg").contains("Kaplan and Meier; marks where it is 1/n</text>"));
}

#[test]
fn series_and_sizes_can_be_chosen() {
    let chosen = |args: &[&str]| -> Vec<(String, Vec<u64>)> {
        let report = numbers(&[&[SMALL], args].concat());
        let sizes =
            |one: &Value| one["cells"].as_array().unwrap().iter().map(|cell| cell["n"].as_u64().unwrap()).collect();
        report["series"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| (one["label"].as_str().unwrap().to_owned(), sizes(one)))
            .collect()
    };
    let named = |label: &str, sizes: &[u64]| (label.to_owned(), sizes.to_vec());
    assert_eq!(chosen(&["--only", "ppl"]), [named("ppl", &[8, 16, 32])]);
    assert_eq!(chosen(&["--only", "start=leaderless,ysm", "--n", "16.."]), [named("ysm*", &[16, 32, 64])]);
    assert_eq!(
        chosen(&["--only", "ppl,c1=48", "--only", "ysm,faults=none", "--n", "8,64"]),
        [named("ppl", &[8]), named("ysm*", &[8, 64])]
    );
    let growth = |args: &[&str]| numbers(&[&[SMALL], args].concat())["series"][0]["growth"].clone();
    assert_eq!(growth(&["--only", "ppl"]), growth(&[]), "what is left out changes nothing else");
}

#[test]
fn what_cannot_be_chosen_is_said() {
    for (args, words) in [
        (["--only", "fj"], "protocol is ppl, ysm"),
        (["--only", "start=uniform"], "start is leaderless"),
        (["--only", "speed=3"], "allowed are protocol, start, scheduler, faults, c1"),
        (["--only", "ysm,c1=48"], "no series is all of it; there are ppl; ysm*"),
        (["--only", "ppl,"], "start=leaderless"),
        (["--n", "64..16"], "64..512"),
        (["--n", "1000.."], "there are n = 8, 16, 32, 64"),
        (["--figure", "pie"], "--figure pie: there is no such figure; allowed are steps"),
        (["--centre", "mode"], "possible values: mean, median"),
        (["--x-axis", "cubic"], "possible values: linear, log"),
        (["--y-axis", "0"], "possible values: linear, log"),
        (["--columns", "n,speed"], "--columns speed: no table has such a column; allowed are n, best model"),
    ] {
        let refused = ringleader(&[&["report", SMALL, "--out", &folder("report-refused")], &args[..]].concat());
        assert_eq!(code(&refused), 2, "{args:?}");
        assert!(complaint(&refused).contains(words), "{args:?}: {}", complaint(&refused));
        assert!(!Path::new(&place("report-refused")).exists(), "{args:?}");
    }
}

#[test]
fn columns_of_latex_tables_can_be_chosen() {
    let head = |name: &str, args: &[&str], table: &str| -> String {
        let (_, folder) = report(name, &[&[SMALL], args].concat());
        let tex = read(&folder, &format!("tables/{table}.tex"));
        tex.split("\\toprule\n").nth(1).unwrap().lines().next().unwrap().to_owned()
    };
    let short = "$n$ & mean $\\pm$ half width & mean / ($n^{2} \\log n$) \\\\";
    assert_eq!(head("columns-short", &[], "steps"), short);
    let few = ["--columns", "median,n,95 % quantile"];
    assert_eq!(head("columns-few", &few, "steps"), "median & $n$ & 95~\\% quantile \\\\");
    assert_eq!(head("columns-none", &["--columns", "wins"], "steps"), short, "a table without it stays as it is");
}

/// From the committed records; by hand: the greatest of 200 trials, 90,261, is 24 % of their sum.
#[test]
fn what_matters_is_said_at_once() {
    let (said, folder) = report("report-says", &[&format!("{ROOT}/records/table1.parquet"), "--only", "ppl"]);
    assert!(said.contains("ppl, uniform, n = 16: 1 of 200 trials holds 24 % of the mean"), "{said}");
    assert!(said.contains("42.26 [42.19, 42.33]  c n^2 log n  1.9 %, more than noise"), "{said}");
    assert!(!said.contains("does not fit"), "{said}");
    let page = read(&folder, "report.html");
    let top = &page[..page.find("<h2 id=\"2\">").unwrap()];
    assert!(
        top.contains("1 of 200 trials holds 24 %")
            && top.contains("<td>42.26 [42.19, 42.33]</td><td>1.9 %, more than noise</td>"),
        "{top}"
    );
    for table in ["constants.md", "constants.tex", "models.md", "models.tex", "fits.md"] {
        assert!(read(&folder, &format!("tables/{table}")).contains("more than noise"), "{table}");
    }
    assert!(names(&folder, "svg").contains(&"steps".to_owned()), "eight series can be told apart");
    let (_, folder) = report("report-protocols", &[&format!("{ROOT}/records/table1.parquet")]);
    let steps: Vec<String> =
        names(&folder, "svg").into_iter().filter(|name| name.starts_with("steps-n2logn")).collect();
    assert_eq!(steps, ["aaf", "fj", "ppl", "ysm"].map(|protocol| format!("steps-n2logn-{protocol}")));
}

#[test]
fn table_1_has_every_row_and_says_what_is_missing() {
    let table = json(&ringleader(&["table1", SMALL, "--json"]));
    let rows = table["rows"].as_array().unwrap();
    let works: Vec<&str> = rows.iter().map(|row| row["work"].as_str().unwrap()).collect();
    assert_eq!(works, ["[AAF+08]", "[FJ06]", "[CC19]", "thue-morse", "[YSM21]", "this work"]);
    assert!(rows[3]["exponent"].is_null(), "growth beyond all powers has no exponent");
    assert!(
        rows[2]["protocol"].is_null() && rows[2]["rules"] == "its rules are not public",
        "nothing stands under the citation"
    );
    assert_eq!((&rows[3]["protocol"], &rows[3]["rules"]), (&"thue-morse".into(), &"our own design".into()));
    let exponent = rows[5]["exponent"]["value"].as_f64().unwrap();
    assert!((2.0..2.6).contains(&exponent), "{exponent}");
    let markdown = text(&ringleader(&["table1", SMALL, "--markdown"]));
    assert!(markdown.contains("not measured") && markdown.contains("a reconstruction"), "{markdown}");
    assert!(text(&ringleader(&["table1", SMALL, "--latex"])).contains("\\begin{tabular}"));
    let nowhere = program().arg("table1").current_dir(env!("CARGO_TARGET_TMPDIR")).output().unwrap();
    assert_eq!(code(&nowhere), 2);
    assert!(complaint(&nowhere).contains("ringleader sweep experiments/table1.toml"), "{}", complaint(&nowhere));
}

#[test]
fn the_guide_shows_table_1_from_the_committed_records() {
    let guide = std::fs::read_to_string(format!("{ROOT}/docs/reports.md")).unwrap();
    let table = text(&program().args(["table1", "--markdown"]).current_dir(ROOT).output().unwrap());
    assert!(guide.contains(table.trim_end()), "the Table 1 of docs/reports.md is not this one:\n{table}");
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
