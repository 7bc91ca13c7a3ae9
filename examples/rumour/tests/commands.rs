//! An own protocol has every command, without a change to the laboratory.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

fn program(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rumour"));
    command.args(args);
    command
}

/// Runs a command that must end well; what it prints.
fn run(args: &[&str]) -> String {
    let Output { status, stdout, stderr } = program(args).output().unwrap();
    assert!(status.success(), "{args:?}: {}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).unwrap()
}

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&run(args)).unwrap()
}

/// A file of this test's own.
fn file(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("commands");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    let _ = std::fs::remove_file(&path);
    path
}

#[test]
fn it_is_listed_and_its_options_are_there() {
    let list = json(&["list", "--json"]);
    let names: Vec<&str> = list["protocols"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!((names[0], names[names.len() - 1]), ("ppl", "rumour"));
    let help = run(&["run", "--help"]);
    assert!(help.contains("--times") && help.contains("how often an agent tells it"), "{help}");
}

#[test]
fn run_finds_the_exact_step_and_says_what_is_only_declared() {
    let once = run(&["run", "--protocol", "rumour", "--n", "20", "--seed", "3", "--times", "2"]);
    assert!(once.contains("all have heard it") && once.contains("closed: declared by the protocol"), "{once}");
    let record = json(&["run", "--protocol", "rumour", "--n", "20", "--seed", "3", "--json"]);
    let step = |name: &str| {
        let phases = record["phases"].as_array().unwrap();
        phases.iter().find(|phase| phase["name"] == name).unwrap()["step"].as_u64().unwrap()
    };
    assert!(step("half") < step("all have heard it"));
    let trials = json(&["run", "--protocol", "rumour", "--n", "9", "--trials", "50", "--seed", "1", "--json"]);
    assert_eq!((trials["finished"].as_u64(), trials["censored"].as_u64()), (Some(50), Some(0)));
}

#[test]
fn traces_replay_and_configurations_are_inspected() {
    let case = file("case.json");
    let case = case.to_str().unwrap();
    run(&["run", "--protocol", "rumour", "--n", "6", "--seed", "1", "--trace", case]);
    let replayed: Value = serde_json::from_str(&run(&["replay", case])).unwrap();
    assert_eq!(replayed["safe"], true);
    assert_eq!(json(&["inspect", case])["safe"], false);
}

#[test]
fn every_configuration_is_checked_and_expectations_are_exact() {
    let checks = json(&["check", "rumour", "--n", "3..5", "--times", "1", "--json"]);
    assert!(checks["checks"].as_array().unwrap().iter().all(|row| row["verdict"] == "holds"), "{checks}");
    // From one agent that knows, each of the n - 1 others waits for one of n edges: n (n - 1) steps.
    let exact = json(&["exact", "rumour", "--n", "4", "--times", "1", "--start", "one", "--json"]);
    assert_eq!(exact["worst_fraction"], "12", "{exact}");
}

#[test]
fn a_sweep_makes_records_and_a_report() {
    let (definition, records, page) = (file("grid.toml"), file("grid.parquet"), file("report"));
    let _ = std::fs::remove_dir_all(&page);
    let grid = "seed = 1\nrepeats = 20\nphases = true\n[[grid]]\nprotocol = \"rumour\"\nn = [4, 8, 16]\nparams.times = [1, 3]\n";
    std::fs::write(&definition, grid).unwrap();
    let [definition, records, page] = [&definition, &records, &page].map(|path| path.to_str().unwrap());
    run(&["sweep", definition, "--out", records, "--quiet"]);
    let csv = run(&["export", records, "--csv"]);
    assert_eq!(csv.lines().count(), 1 + 6 * 20);
    assert!(csv.starts_with("cell,protocol,n,param_times,"), "{csv}");
    run(&["report", records, "--out", page]);
    let html = std::fs::read_to_string(format!("{page}/report.html")).unwrap();
    assert!(html.contains("rumour"));
}

/// A server that is stopped when the test ends, however it ends.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn it_is_seen_in_a_browser() {
    let mut command = program(&["view", "--protocol", "rumour", "--n", "12", "--port", "0", "--no-open", "--json"]);
    let mut served = Served(command.stdout(Stdio::piped()).spawn().unwrap());
    let mut line = String::new();
    BufReader::new(served.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let port = serde_json::from_str::<Value>(&line).unwrap()["port"].as_u64().unwrap();
    let mut stream = TcpStream::connect(("127.0.0.1", u16::try_from(port).unwrap())).unwrap();
    let host = format!("127.0.0.1:{port}");
    write!(stream, "GET /api/protocols HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\"rumour\""), "{answer}");
}
