//! The server of `view`, spoken to in plain HTTP: what it shows is what `replay` computes, links are functions of plain data, and
//! nothing that a client says can hurt it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod harness;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::{Duration, Instant};

use base64::prelude::{BASE64_STANDARD, Engine};
use harness::{PATIENCE, interrupt, program, ringleader_with_input};
use serde_json::{Value, json};

/// A server that ends with its test.
struct Server {
    child: Child,
    port: u16,
    /// Kept open, so that the server can always write.
    _stdout: BufReader<ChildStdout>,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    fn start(options: &[&str]) -> Self {
        let mut command = program();
        command.args(["view", "--port", "0", "--no-open"]).args(options).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let port = line.trim().trim_end_matches('/').rsplit(':').next().unwrap().parse().unwrap();
        Self { child, port, _stdout: stdout }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends bytes as they are, and reads all that comes back.
    fn raw(&self, request: &[u8]) -> String {
        let mut stream = self.connect();
        // The server may have said no and closed before all was sent.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Status and body of the answer to a request with these further headers.
    /// Asks again where a machine that is busy with other things took too long.
    fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
        let begin = Instant::now();
        loop {
            let (status, answer) = self.ask_once(method, path, headers, body);
            if status != 408 || begin.elapsed() > PATIENCE {
                return (status, answer);
            }
        }
    }

    fn ask_once(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n{body}",
            self.port,
            body.len()
        );
        let answer = self.raw(request.as_bytes());
        let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        (status, answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default())
    }

    fn get(&self, path: &str) -> Value {
        let (status, body) = self.ask("GET", path, "", "");
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap()
    }

    fn send(&self, method: &str, path: &str, description: &Value) -> (u16, Value) {
        let (status, body) = self.ask(method, path, "Content-Type: application/json\r\n", &description.to_string());
        (status, serde_json::from_str(&body).unwrap())
    }

    /// The path of a new run.
    fn open(&self, description: &Value) -> String {
        let (status, run) = self.send("POST", "/api/runs", description);
        assert_eq!(status, 200, "{run}");
        format!("/api/runs/{}", run["id"].as_str().unwrap())
    }

    /// The frame at a step, asked for until it is there.
    fn frame(&self, run: &str, step: u64) -> Value {
        loop {
            let frame = self.get(&format!("{run}/frame?from={step}&ms=250&hash=1"));
            if frame["behind"] == false {
                return frame;
            }
        }
    }

    /// The next frame after a step with an event of these kinds, or that nothing is to be waited for, asked for until it is there.
    fn seek(&self, run: &str, mut from: u64, until: &str) -> Value {
        self.frame(run, from);
        loop {
            let frame = self.get(&format!("{run}/frame?from={from}&steps=100000000&ms=250&until={until}"));
            if frame["event"] != Value::Null || frame["never"] == true {
                return frame;
            }
            from = frame["step"].as_u64().unwrap();
        }
    }
}

/// Exit code and standard output.
fn ringleader(arguments: &[&str], input: &str) -> (i32, String) {
    let output = ringleader_with_input(arguments, input);
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

fn ppl(edits: &Value) -> Value {
    json!({"protocol": "ppl", "n": 16, "params": {"c1": 2}, "start": "uniform", "seed": "18446744073709551615", "edits": edits})
}

fn conformance(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance").join(name);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn a_frame_is_a_function_of_the_description_and_the_step() {
    let server = Server::start(&[]);
    let edits = json!([
        {"step": 100, "agent": 3, "state": {"dist": 2, "leader": 1}},
        {"step": 100, "interact": [3, 4]},
        {"step": 700, "corrupt": 5, "seed": "9"},
        {"step": 5000, "corrupt": 4, "place": "contiguous", "variable": "dist", "seed": 3},
    ]);
    let (one, two) = (server.open(&ppl(&edits)), server.open(&ppl(&edits)));
    // Forwards, and in any order: the same.
    let steps = [0, 1, 99, 100, 101, 102, 699, 700, 701, 4999, 5000, 60_000, 123_457];
    let forwards: Vec<Value> = steps.iter().map(|&step| server.frame(&one, step)).collect();
    for k in [12, 3, 7, 0, 11, 4, 10, 1, 9, 2, 8, 6, 5] {
        let frame = server.frame(&two, steps[k]);
        for part in ["hash", "last", "columns", "leaders", "gauges", "phases", "safe", "segments", "end", "step"] {
            assert_eq!(frame[part], forwards[k][part], "step {}, {part}", steps[k]);
        }
    }
    assert_eq!(forwards[4]["last"]["by"], "hand");
    assert_eq!((&forwards[4]["last"]["initiator"], &forwards[5]["last"]["by"]), (&json!(3), &json!("clocks")));
}

#[test]
fn edits_keep_what_they_have_in_common_and_undo() {
    let server = Server::start(&[]);
    let run = server.open(&ppl(&json!([])));
    let plain: Vec<Value> = [50, 5000, 90_000].iter().map(|&step| server.frame(&run, step)["hash"].clone()).collect();
    let edit = json!([{"step": 4000, "corrupt": 16, "seed": 1}]);
    assert_eq!(server.send("PUT", &run, &ppl(&edit)).0, 200);
    let fresh = server.open(&ppl(&edit));
    for (step, k) in [(90_000, 2), (5000, 1), (50, 0)] {
        let hash = server.frame(&run, step)["hash"].clone();
        assert_eq!(hash, server.frame(&fresh, step)["hash"], "step {step}");
        assert_eq!(hash == plain[k], step < 4000, "step {step}");
    }
    assert_eq!(server.send("PUT", &run, &ppl(&json!([]))).0, 200);
    for (step, k) in [(5000, 1), (50, 0), (90_000, 2)] {
        assert_eq!(server.frame(&run, step)["hash"], plain[k], "step {step}");
    }
}

/// Small numbers from a seed, by the steps of xorshift.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides
    }

    /// Something done by hand at a step.
    fn edit(&mut self, n: u64, step: u64) -> Value {
        let (k, seed) = (self.below(n), self.below(1 << 40));
        match self.below(2) {
            0 => json!({"step": step, "corrupt": k + 1, "seed": seed}),
            _ => json!({"step": step, "interact": [k, (k + 1) % n], "coin": seed % (1 << 32)}),
        }
    }
}

#[test]
fn whatever_is_done_a_run_that_was_changed_is_the_run_as_it_would_be_anew() {
    let server = Server::start(&[]);
    for seed in 1..=24 {
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
        let protocol = ["ppl", "undirected", "pcl-derandomised", "fj", "thue-morse", "ysm"][dice.below(6) as usize];
        let n = 5 + dice.below(6);
        let described =
            |edits: &[Value]| json!({"protocol": protocol, "n": n, "start": "uniform", "seed": seed, "edits": edits});
        let (run, mut edits) = (server.open(&described(&[])), Vec::<Value>::new());
        for _ in 0..8 {
            let step = dice.below(600);
            edits.retain(|edit| edit["step"].as_u64() < Some(step));
            edits.push(dice.edit(n, step));
            assert_eq!(server.send("PUT", &run, &described(&edits)).0, 200, "seed {seed}");
            let at = dice.below(900);
            let (frame, fresh) = (server.frame(&run, at), server.frame(&server.open(&described(&edits)), at));
            for part in ["hash", "last", "gauges", "end"] {
                assert_eq!(frame[part], fresh[part], "seed {seed}: {part} at step {at} of {}", described(&edits));
            }
            let (_, case) = server.ask("GET", &format!("{run}/case?step={at}"), "", "");
            assert_eq!(ringleader(&["replay", "-"], &case).0, 0, "seed {seed}: step {at} of {}", described(&edits));
        }
    }
}

#[test]
fn exported_cases_replay() {
    let server = Server::start(&[]);
    let hand = json!([
        {"step": 10, "interact": [15, 0]},
        {"step": 11, "interact": [0, 1]},
        {"step": 11, "agent": 0, "state": {"leader": 1}},
        {"step": 200, "corrupt": 3, "seed": 5},
    ]);
    let corrupted = json!([{"step": 0, "corrupt": 3, "seed": 5}, {"step": 120_000, "corrupt": 3, "seed": 6}]);
    let undirected = json!({"protocol": "undirected", "n": 7, "seed": "4", "start": "uniform",
        "edits": [{"step": 3, "interact": [4, 3], "coin": 77}, {"step": 4, "interact": [4, 5], "coin": 200}]});
    let oracle = json!({"protocol": "fj", "n": 5, "seed": "4", "params": {"delay": 3}});
    let runs = [(ppl(&hand), 1000), (ppl(&corrupted), 150_000), (ppl(&json!([])), 0), (undirected, 300), (oracle, 50)];
    for (description, step) in runs {
        let run = server.open(&description);
        let frame = server.frame(&run, step);
        let (status, case) = server.ask("GET", &format!("{run}/case?step={step}"), "", "");
        assert_eq!(status, 200, "{case}");
        let (code, replayed) = ringleader(&["replay", "-"], &case);
        assert_eq!(code, 0, "{description}");
        let replayed: Value = serde_json::from_str(&replayed).unwrap();
        assert_eq!((&replayed["steps"], &replayed["leaders"]), (&json!(step), &frame["leaders"]));
        // And back: a case that was exported opens as the same run.
        let again = server.open(&json!({"case": serde_json::from_str::<Value>(&case).unwrap()}));
        assert_eq!(server.frame(&again, step)["hash"], frame["hash"], "{description}");
        let (_, config) = server.ask("GET", &format!("{run}/config?step={step}"), "", "");
        let (code, facts) = ringleader(&["inspect", "-"], &config);
        let facts: Value = serde_json::from_str(&facts).unwrap();
        assert_eq!((code, &facts["hash"]), (0, &frame["hash"]));
        let shown = server.get(&format!("{run}/facts?step={step}"));
        shown.as_object().unwrap().iter().for_each(|(name, fact)| assert_eq!(&facts[name], fact, "{name}"));
    }
}

#[test]
fn a_conformance_case_is_shown_as_it_is_replayed() {
    let server = Server::start(&[]);
    for name in ["ppl_13_n8_psi4_k5.json", "ppl_40_n4_psi2_k1.json", "pcl_1_n4.json", "undirected_2_n5.json"] {
        let case = conformance(name);
        let run = server.open(&json!({"case": case}));
        let hashes = case["hashes"].as_array().unwrap();
        for expected in hashes.iter().rev() {
            let frame = server.frame(&run, expected[0].as_u64().unwrap());
            assert_eq!(frame["hash"], expected[1], "{name}");
        }
        let end = case["schedule"].as_array().unwrap().len() as u64;
        assert_eq!(server.frame(&run, end - 1)["end"], end, "{name}");
        for seed in 0..5 {
            // Edited, it may need more draws than were recorded.
            let edited = server.open(&json!({"case": case, "edits": [{"step": 0, "corrupt": 3, "seed": seed}]}));
            assert_eq!(server.frame(&edited, end)["step"], end, "{name}, seed {seed}");
        }
        let after = server.frame(&run, end + 1);
        assert_eq!((&after["end"], &after["last"]["by"]), (&Value::Null, &json!("clocks")), "{name}");
    }
}

#[test]
fn events_are_found_at_their_exact_steps() {
    let server = Server::start(&[]);
    let run = server.open(&json!({"protocol": "ppl", "n": 8, "params": {"c1": 1}, "seed": "5"}));
    let (_, record) = ringleader(&["run", "--n", "8", "--c1", "1", "--seed", "5", "--json"], "");
    let record: Value = serde_json::from_str(&record).unwrap();
    let seek = |from: u64, until: &str| server.seek(&run, from, until);
    let created = seek(0, "leader%20created");
    assert_eq!(created["event"], json!({"kind": "event", "name": "leader created"}));
    assert!(created["last"]["events"].as_array().unwrap().contains(&json!("leader created")));
    let first_leader = record["phases"].as_array().map(|phases| phases[0]["step"].clone());
    assert_eq!(first_leader.as_ref().unwrap_or(&record["phases"]["first leader"]), &created["step"]);
    let safe = seek(created["step"].as_u64().unwrap(), "safe");
    assert_eq!((&safe["event"]["kind"], &safe["step"], &safe["safe"]), (&json!("safe"), &record["safe"], &json!(true)));
    // Step by step gives the same events as seeking.
    let (mut at, mut stepped) = (0, Vec::new());
    while at < 3000 {
        at += 1;
        let frame = server.frame(&run, at);
        let happened = frame["last"]["events"].as_array().unwrap();
        if happened.iter().any(|name| name == "mode changed" || name == "token at its target") {
            stepped.push(at);
        }
    }
    let (mut at, mut sought) = (0, Vec::new());
    while at < 3000 {
        let frame = server.get(&format!(
            "{run}/frame?from={at}&steps={}&ms=250&until=mode%20changed,token%20at%20its%20target",
            3000 - at
        ));
        at = frame["step"].as_u64().unwrap();
        if frame["event"] != Value::Null {
            sought.push(at);
        }
    }
    assert!(!stepped.is_empty());
    assert_eq!(stepped, sought);
}

#[test]
fn a_recording_knows_the_events_of_its_run_and_its_end() {
    let server = Server::start(&[]);
    let run = server.open(&json!({"protocol": "ppl", "n": 24, "start": "all-leaders", "seed": "1"}));
    let find = |run: &str| {
        let frame = server.seek(run, 0, "safe");
        (frame["event"]["kind"].clone(), frame["step"].as_u64().unwrap())
    };
    let (kind, safe) = find(&run);
    assert_eq!(kind, "safe");
    for step in [safe, safe + 1, 120_000] {
        server.frame(&run, step);
        let (_, case) = server.ask("GET", &format!("{run}/case?step={step}"), "", "");
        let recorded = server.open(&json!({"case": serde_json::from_str::<Value>(&case).unwrap()}));
        assert_eq!(find(&recorded), (json!("safe"), safe), "recorded to {step}");
        assert_eq!(server.frame(&recorded, step - 1)["end"], step);
        assert_eq!(server.frame(&recorded, step)["end"], Value::Null);
    }
    // A safe ring does not become safe again: there is nothing to wait for.
    let after = server.seek(&run, safe, "safe,phase");
    assert_eq!((&after["never"], &after["step"]), (&json!(true), &json!(safe)));
}

#[test]
fn charts_and_diagrams_show_what_was_edited() {
    let server = Server::start(&[]);
    let two = |step| {
        let crown = |agent| json!({"step": step, "agent": agent, "state": {"leader": 1}});
        json!({"protocol": "ppl", "n": 16, "seed": "1", "edits": [crown(3), crown(9)]})
    };
    let run = server.open(&two(50));
    server.frame(&run, 300);
    for step in [0, 100] {
        assert_eq!(server.send("PUT", &run, &two(step)).0, 200);
        for last in [step, 300, 200_000] {
            server.frame(&run, last);
            let place =
                |list: &Value| list["steps"].as_array().unwrap().iter().position(|at| at.as_u64() == Some(step));
            let history = server.get(&format!("{run}/history"));
            let rows = server.get(&format!("{run}/spacetime?variable=leader&to={last}&rows=100000"));
            let (Some(sample), Some(row)) = (place(&history), place(&rows)) else {
                assert!(step > 0 && last == 200_000, "step {step} is seen from {last}");
                continue;
            };
            let values = BASE64_STANDARD.decode(rows["values"].as_str().unwrap()).unwrap();
            let leaders = values[row * 32..(row + 1) * 32].iter().filter(|byte| **byte == 1).count();
            assert_eq!((&history["gauges"]["leaders"][sample], leaders), (&json!(2), 2), "step {step} from {last}");
        }
    }
}

#[test]
fn an_edited_recording_that_runs_out_of_draws_is_exported_as_it_happened() {
    let server = Server::start(&[]);
    let run = server.open(&json!({"protocol": "pcl", "n": 8, "start": "uniform", "seed": "3"}));
    server.frame(&run, 400);
    let (_, case) = server.ask("GET", &format!("{run}/case?step=400"), "", "");
    let case: Value = serde_json::from_str(&case).unwrap();
    for seed in 0..12 {
        let edit = json!({"step": 7 + seed, "corrupt": 8, "seed": seed});
        let edited = server.open(&json!({"case": case, "edits": [edit]}));
        server.frame(&edited, 500);
        let (_, export) = server.ask("GET", &format!("{edited}/case?step=500"), "", "");
        assert_eq!(ringleader(&["replay", "-"], &export).0, 0, "seed {seed}");
    }
}

#[test]
fn bad_descriptions_are_refused_with_the_value_and_what_is_allowed() {
    let server = Server::start(&[]);
    let bad = [
        (json!({"n": 2}), "3 to 16384"),
        (json!({"n": 20000}), "3 to 16384"),
        (json!("run"), "an object that describes a run"),
        (json!({"protocol": "nonsense"}), "allowed is ppl"),
        (json!({"params": {"psi": 1}}), "psi"),
        (json!({"params": {"psi": -1}}), "psi = -1"),
        (json!({"params": {"psi": 3, "unsound": false}}), "unsound"),
        (json!({"params": {"phi": 1}}), "psi, c1"),
        (json!({"start": "nowhere"}), "leaderless"),
        (json!({"scheduler": "fair"}), "clocks, uniform"),
        (json!({"seed": "-1"}), "0 to 2^64-1"),
        (json!({"seed": "1e3"}), "0 to 2^64-1"),
        (json!({"edits": [{"step": 1, "agent": 64, "state": {}}]}), "0 to 63"),
        (json!({"edits": [{"step": 1, "agent": 1, "state": {"dist": 99}}]}), "[0, 11]"),
        (json!({"edits": [{"step": 1, "agent": 1, "state": {"dust": 9}}]}), "dust"),
        (json!({"edits": [{"step": 1, "corrupt": 0}]}), "1 to n = 64"),
        (json!({"edits": [{"step": 1, "corrupt": 1, "place": "left"}]}), "random, contiguous"),
        (json!({"edits": [{"step": 1, "interact": [1, 0]}]}), "right neighbour"),
        (json!({"edits": [{"step": 1, "interact": [0, 1]}, {"step": 1, "interact": [1, 2]}]}), "a step later"),
        (json!({"edits": [{"step": 1}]}), "an edit has"),
        (json!({"edits": [{"step": 1, "agnt": 1}]}), "agnt"),
        (json!({"case": {"protocol": "P_PL"}}), "config"),
        (json!({"case": {"protocol": "P_PL", "psi": 2, "config": [{}, {}, {}]}}), "agent 0"),
        (json!({"case": 7}), "case"),
        (json!([1]), "description"),
        (json!({"edits": vec![json!({"step": 1, "corrupt": 1}); 1001]}), "at most 1000"),
    ];
    for (description, said) in bad {
        let (status, answer) = server.send("POST", "/api/runs", &description);
        assert_eq!(status, 400, "{description}");
        let error = answer["error"].as_str().unwrap();
        assert!(error.contains(said), "{description}: {error}");
    }
    server.open(&json!({"params": {"psi": 3, "unsound": true}}));
    let run = server.open(&ppl(&json!([])));
    let (status, answer) = server.ask("GET", &format!("{run}/frame?from=abc"), "", "");
    assert!(status == 400 && answer.starts_with("{\"error\":\"?from=abc"), "{answer}");
    let (status, answer) = server.ask("GET", &format!("{run}/frame?until=nonsense"), "", "");
    assert!(status == 400 && answer.contains("leader created"), "{answer}");
    for query in
        ["frame?from=-1", "frame?from=x", "frame?steps=99999999999999999999", "spacetime", "spacetime?variable=dust"]
    {
        assert_eq!(server.ask("GET", &format!("{run}/{query}"), "", "").0, 400, "{query}");
    }
    // Nothing that was refused has changed the run.
    assert_eq!(server.send("PUT", &run, &json!({"n": 1})).0, 400);
    assert_eq!(server.frame(&run, 7)["step"], 7);
    assert_eq!(server.ask("GET", "/api/runs/0123456789abcdef/frame", "", "").0, 404);
}

#[test]
fn a_far_step_is_reached_in_short_requests() {
    let server = Server::start(&[]);
    let run = server.open(&json!({"protocol": "ppl", "n": 1000, "seed": "1"}));
    let first = server.get(&format!("{run}/frame?from=20000000&ms=20"));
    assert_eq!(first["behind"], true);
    let there = server.frame(&run, 20_000_000);
    let history = server.get(&format!("{run}/history"));
    let steps = history["steps"].as_array().unwrap();
    assert!((200..=513).contains(&steps.len()), "{}", steps.len());
    assert_eq!(history["gauges"]["tokens"].as_array().unwrap().len(), steps.len());
    let diagram = server.get(&format!("{run}/spacetime?variable=dist&to=20000000&rows=200"));
    let rows = diagram["steps"].as_array().unwrap().len();
    let values = diagram["values"].as_str().unwrap();
    assert_eq!(values.len(), (rows * 1000 * 2).div_ceil(3) * 4);
    // Back is near, however far the run has gone, and the same as before.
    assert_ne!(server.frame(&run, 12_345_678)["hash"], there["hash"]);
    assert_eq!(server.frame(&run, 20_000_000)["hash"], there["hash"]);
}

#[test]
fn foreign_pages_and_names_are_refused() {
    let server = Server::start(&[]);
    let port = server.port;
    let status = |request: String| server.raw(request.as_bytes()).split(' ').nth(1).unwrap_or("").to_owned();
    let head = |host: &str, more: &str| {
        format!("GET /api/protocols HTTP/1.1\r\nHost: {host}\r\n{more}Connection: close\r\n\r\n")
    };
    assert_eq!(status(head(&format!("localhost:{port}"), "")), "200");
    assert_eq!(status(head("example.org", "")), "403");
    assert_eq!(status(head(&format!("example.org:{port}"), "")), "403");
    assert_eq!(status(head(&format!("127.0.0.1:{port}"), "Origin: http://example.org\r\n")), "403");
    assert_eq!(status(head(&format!("127.0.0.1:{port}"), "Origin: null\r\n")), "403");
    assert_eq!(status(head(&format!("127.0.0.1:{port}"), &format!("Origin: http://127.0.0.1:{port}\r\n"))), "200");
    assert_eq!(server.ask("POST", "/api/runs", "Content-Type: text/plain\r\n", "{}").0, 415);
}

#[test]
fn nothing_but_the_page_can_be_read() {
    let server = Server::start(&[]);
    for path in [
        "/../Cargo.toml",
        "/..%2f..%2fCargo.toml",
        "/etc/passwd",
        "//etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/src/main.rs",
        "/ui/index.html",
    ] {
        assert_eq!(server.ask("GET", path, "", "").0, 404, "{path}");
    }
    let (status, page) = server.ask("GET", "/", "", "");
    assert!(status == 200 && page.contains("<title>"));
    assert_eq!(server.ask("DELETE", "/", "Content-Type: application/json\r\n", "").0, 405);
}

/// A rumour that goes around and is forgotten, with a line for each case.
const RUMOUR: &str = "\
class Agent:
    heard: bit
    times: span(0, 9)

def interact(l, r):
    if l.heard == 1:
        r.heard = 1
    elif r.heard == 1:
        r.heard = 0
    r.times = min(r.times + 1, 9)

@start
def one(u):
    u[0].heard = 1
";

fn written(text: &str, n: usize) -> Value {
    json!({"protocol": "mine.py", "n": n, "seed": "3", "text": text})
}

#[test]
fn lines_are_counted_as_frames_tell_them() {
    let server = Server::start(&[]);
    let edits = json!([{"step": 30, "corrupt": 5, "seed": 4}, {"step": 70, "interact": [3, 4]}]);
    let with = |mut run: Value| {
        run["edits"] = edits.clone();
        run
    };
    let fj = json!({"protocol": "fj", "n": 9, "seed": "3"});
    for description in [written(RUMOUR, 9), with(written(RUMOUR, 9)), fj.clone(), with(fj)] {
        let run = server.open(&description);
        let mut sums = vec![std::collections::BTreeMap::<u64, u64>::new()];
        for step in 1..=300 {
            let frame = server.frame(&run, step);
            let mut sum = sums[step as usize - 1].clone();
            let lines = frame["lines"].as_array().unwrap();
            assert!(!lines.is_empty(), "step {step}");
            lines.iter().for_each(|line| *sum.entry(line.as_u64().unwrap()).or_default() += 1);
            sums.push(sum);
        }
        // The texts have no loops, so that a line is executed once in an interaction. A fresh run counts the same, in any order.
        for run in [&run, &server.open(&description)] {
            server.frame(run, 300);
            for step in [300, 0, 1, 299, 64, 65, 31, 30, 71, 128, 200] {
                let expected: Vec<Value> = sums[step].iter().map(|(line, times)| json!([line, times])).collect();
                let mut counted = std::iter::repeat_with(|| server.get(&format!("{run}/lines?step={step}&ms=250")));
                let counted = counted.find(|counted| counted["step"] == step).unwrap();
                assert_eq!(counted["counts"], json!(expected), "step {step} of {description}");
            }
        }
    }
}

#[test]
fn a_text_is_bounded_and_told_where_it_is_wrong() {
    let server = Server::start(&[]);
    let place = |text: &str, n: usize| {
        let (status, answer) = server.send("POST", "/api/runs", &written(text, n));
        let problem = &answer["problems"][0];
        (status, problem["line"].as_u64(), answer["error"].as_str().unwrap_or("").to_owned())
    };
    let line_of = |text: &str, part: &str| text.lines().position(|line| line.contains(part)).map(|k| k as u64 + 1);
    for (good, bad, said) in [
        ("heard: bit", "heard: bitt", "bitt"),
        ("r.heard = 0", "r.herd = 0", "herd"),
        ("class Agent", "K = sum(i for i in range(10 ** 9))\nclass Agent", "too long"),
        ("u[0].heard = 1", "u[0].heard = 7", "`heard` = 7"),
    ] {
        let text = RUMOUR.replace(good, bad);
        let (status, line, error) = place(&text, 8);
        let expected = line_of(&text, bad.lines().next().unwrap());
        assert!(status == 400 && line == expected && error.contains(said), "{bad}: {status} {line:?} {error}");
    }
    let padded = |bytes: usize| format!("{RUMOUR}#{}", "x".repeat(bytes - RUMOUR.len() - 1));
    assert_eq!(place(&padded(65_536), 8).0, 200);
    let (status, line, error) = place(&padded(65_537), 8);
    assert!(status == 400 && line.is_none() && error.contains("65536 bytes at most"), "{error}");
    let many = ["a", "b", "c"].map(|name| format!("\n    {name}: array(128, span(1, 1))")).concat();
    let wide = RUMOUR.replace("times: span(0, 9)", &format!("times: span(0, 9){many}"));
    assert!(place(&wide, 8).2.contains("256"), "{}", place(&wide, 8).2);
    // What goes wrong later ends the run where it is, and tells the line.
    let endless = RUMOUR.replace("r.heard = 0", "for i in range(10 ** 9): r.heard = 0");
    for (text, part, said) in [
        (RUMOUR.replace("min(r.times + 1, 9)", "r.times + 1"), "r.times + 1", "allowed is 0 to 9"),
        (endless.clone(), "range(10 ** 9)", "too long"),
    ] {
        let run = server.open(&written(&text, 8));
        let frame = server.get(&format!("{run}/frame?from=100000&ms=250"));
        assert_eq!((frame["behind"].as_bool(), frame["broken"]["line"].as_u64()), (Some(true), line_of(&text, part)));
        assert!(frame["broken"]["what"].as_str().unwrap().contains(said), "{frame}");
        let end = frame["step"].as_u64().unwrap();
        assert_eq!(server.get(&format!("{run}/lines?step={end}&ms=250"))["step"], end);
        // The step before is still there.
        assert_eq!(server.frame(&run, end - 1)["broken"], Value::Null);
    }
    // Meanwhile others are served.
    let (slow, page) = (server.open(&written(&endless, 64)), server.open(&json!({"n": 8})));
    std::thread::scope(|scope| {
        (0..8).for_each(|_| drop(scope.spawn(|| server.get(&format!("{slow}/frame?from=100000&ms=250")))));
        (1..=20).for_each(|step| assert_eq!(server.frame(&page, step)["step"], step));
    });
}

#[test]
fn garbage_disconnects_and_many_tabs_do_not_hurt_it() {
    let server = Server::start(&[]);
    let garbage: [&[u8]; 6] = [
        b"\0\0\0\0",
        b"GET",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\r\n\r\n\r\n",
        &[0xff; 5000],
        b"POST /api/runs HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
    ];
    for bytes in garbage {
        let mut stream = server.connect();
        let _ = stream.write_all(bytes);
    }
    let body = "[".repeat(1 << 20);
    assert_eq!(server.ask("POST", "/api/runs", "Content-Type: application/json\r\n", &body).0, 400);
    let large = format!(
        "POST /api/runs HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        server.port,
        40 << 20
    );
    let refused = server.raw(&[large.as_bytes(), &vec![b' '; 40 << 20]].concat());
    assert!(refused.is_empty() || refused.starts_with("HTTP/1.1 413"), "{refused}");
    // Ask and go away, many times; then many tabs.
    let first = server.open(&json!({"n": 1000}));
    for k in 0..40 {
        let request =
            format!("GET {first}/frame?from=100000000&ms=250 HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", server.port);
        let mut stream = server.connect();
        stream.write_all(&request.as_bytes()[..request.len() - k % 7]).unwrap();
    }
    let tabs: Vec<String> = (0..20).map(|seed| server.open(&json!({"n": 300, "seed": seed}))).collect();
    assert_eq!(server.frame(&first, 7)["step"], 7);
    std::thread::scope(|scope| {
        for tab in &tabs {
            scope.spawn(|| (0..3).for_each(|k| assert_eq!(server.frame(tab, 50_000 * k)["step"], 50_000 * k)));
        }
    });
}

/// A request of a run that computes as long as it may: the step is never reached.
fn hog(server: &Server, run: &str) -> String {
    format!(
        "GET {run}/facts?step={} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\r\n",
        u64::MAX,
        server.port
    )
}

#[test]
fn no_number_of_hogs_starves_another_page() {
    let server = Server::start(&[]);
    let page = server.open(&json!({"n": 8}));
    let large = || json!({"protocol": "undirected", "n": 16384});
    let runs: Vec<String> = (0..4).map(|_| server.open(&large())).collect();
    let done = AtomicBool::new(false);
    let (asked, begun) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        for k in 0..30 {
            let (asked, server, done, run) = (asked.clone(), &server, &done, &runs[k % runs.len()]);
            scope.spawn(move || {
                while !done.load(SeqCst) {
                    let mut stream = server.connect();
                    let _ = stream.write_all(hog(server, run).as_bytes());
                    let _ = asked.send(());
                    // The answer is waited for no longer than anybody needs hogs.
                    stream.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
                    while !done.load(SeqCst) && stream.read(&mut [0; 1024]).is_err() {}
                }
            });
        }
        (0..30).for_each(|_| begun.recv().unwrap());
        // All of this is another page's, while hogs never cease. A failure must end them, too.
        let answers: Vec<u16> = (1..=20)
            .map(|step| server.ask("GET", &format!("{page}/frame?from={step}"), "", "").0)
            .chain([server.send("PUT", &page, &json!({"n": 8, "edits": [{"step": 1, "corrupt": 3}]})).0])
            .chain([server.ask("GET", &format!("{page}/case?step=20"), "", "").0])
            .collect();
        done.store(true, SeqCst);
        assert_eq!(answers, [200; 22]);
    });
}

#[test]
fn slow_clients_give_way_to_new_ones() {
    let server = Server::start(&[]);
    let run = server.open(&json!({"n": 16384}));
    let mut worked_for = server.connect();
    worked_for.write_all(hog(&server, &run).as_bytes()).unwrap();
    // A head that does not end, and a body that does not.
    let head =
        format!("POST /api/runs HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n", server.port);
    let unfinished = [head.clone(), format!("{head}Content-Length: 9\r\n\r\n{{")];
    let mut slow: Vec<TcpStream> = (0..400).map(|_| server.connect()).collect();
    for (k, stream) in slow.iter_mut().enumerate() {
        // The first ones may have been dropped already.
        let _ = stream.write_all(unfinished[k % 2].as_bytes());
    }
    for _ in 0..10 {
        assert_eq!(server.ask("GET", "/", "", "").0, 200);
    }
    // The oldest went without a word, the latest are still waited for, and what was computed is told.
    let mut said = String::new();
    let _ = slow[0].read_to_string(&mut said);
    assert_eq!(said, "");
    let last = slow.last_mut().unwrap();
    last.write_all(b"\"n\": 8} ").unwrap();
    let mut status = [0; 12];
    last.read_exact(&mut status).unwrap();
    assert_eq!(String::from_utf8_lossy(&status), "HTTP/1.1 200");
    worked_for.read_exact(&mut status).unwrap();
    assert_eq!(String::from_utf8_lossy(&status), "HTTP/1.1 400", "too far, but answered");
}

#[test]
fn large_bodies_that_do_not_end_leave_room_for_others() {
    let server = Server::start(&[]);
    let head = format!(
        "POST /api/runs HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        server.port,
        31 << 20
    );
    let mut slow: Vec<TcpStream> = (0..24).map(|_| server.connect()).collect();
    for stream in &mut slow {
        let _ = stream.write_all(head.as_bytes());
        let _ = stream.write_all(&vec![b' '; 1 << 20]);
    }
    // There is room for two: the others were dropped without an answer.
    for stream in &mut slow[..22] {
        let mut said = String::new();
        let _ = stream.read_to_string(&mut said);
        assert_eq!(said, "");
    }
    // Another that is whole is read, whether large or small.
    let padded = |bytes| format!("{{\"case\": null, \"n\": 8}}{}", " ".repeat(bytes));
    for bytes in [0, 900 << 10] {
        assert_eq!(server.ask("POST", "/api/runs", "Content-Type: application/json\r\n", &padded(bytes)).0, 200);
    }
}

#[test]
fn what_would_not_fit_is_refused_before_it_is_built() {
    let server = Server::start(&[]);
    let zeros = |count: usize| vec!["0"; count].join(",");
    let post = |body: &str| {
        let (status, answer) = server.ask("POST", "/api/runs", "Content-Type: application/json\r\n", body);
        assert!(answer.len() < 1200, "{} bytes", answer.len());
        (status, answer)
    };
    let list = format!("[{}]", zeros(15 << 20));
    let agents = format!("[{}]", vec!["{}"; 9 << 20].join(","));
    let corrupt = json!({"step": 0, "corrupt": 16384});
    for (body, said) in [
        (format!(r#"{{"edits":[{{"step":0,"agent":0,"state":{list}}}]}}"#), "allowed are 32768 values"),
        (format!(r#"{{"params":{list}}}"#), "allowed are 32768 values"),
        (format!(r#"{{"case":{{"config":{list}}}}}"#), "takes 256 MiB at most"),
        (format!(r#"{{"case":{agents}}}"#), "takes 256 MiB at most"),
        (format!(r#"{{"case":{{"config":[],"schedule":{list}}}}}"#), "takes 256 MiB at most"),
        (format!(r#"{{"case":{{"config":[],"draws":{agents}}}}}"#).replace("{}", "[]"), "takes 256 MiB at most"),
        (format!(r#"{{"{}":1}}"#, "x".repeat(30 << 20)), "in 1048576 bytes"),
        (format!(r#"{{"protocol":"{}"}}"#, "x".repeat(1 << 19)), "xxx"),
        (json!({"n": 16384, "edits": vec![corrupt; 5]}).to_string(), "at most 65536 in all"),
    ] {
        let (status, answer) = post(&body);
        assert!(status == 400 && answer.contains(said), "{}: {status} {answer}", &body[..60]);
    }
    // What a page sends at most is read: the largest ring with all of its variables, and a thousand edits.
    let run = server.open(&json!({"protocol": "undirected", "n": 16384}));
    let (_, config) = server.ask("GET", &format!("{run}/config?step=0"), "", "");
    let config: Value = serde_json::from_str(&config).unwrap();
    let state = &config["config"][0];
    let edits: Vec<Value> = (0..1000).map(|k| json!({"step": k, "agent": k, "state": state})).collect();
    server.open(&json!({"case": config, "edits": edits}));
}

#[test]
fn small_runs_are_remembered_in_large_numbers() {
    let server = Server::start(&[]);
    let runs: Vec<String> = (0..24).map(|_| server.open(&json!({"n": 8}))).collect();
    runs.iter().for_each(|run| assert_eq!(server.frame(run, 5)["step"], 5));
    // Large ones take their room.
    (0..20).for_each(|_| drop(server.open(&json!({"n": 16384}))));
    assert_eq!(server.ask("GET", &format!("{}/frame", runs[0]), "", "").0, 404);
}

#[test]
fn every_answer_is_strict() {
    let server = Server::start(&[]);
    let (port, run) = (server.port, server.open(&json!({"n": 8})));
    let request = |line: &str, host: &str, more: &str| {
        format!("{line} HTTP/1.1\r\nHost: {host}\r\n{more}Connection: close\r\n\r\n")
    };
    let own = format!("127.0.0.1:{port}");
    let json = "Content-Type: application/json\r\n";
    let many: String = (0..70).map(|k| format!("X-{k}: 1\r\n")).collect();
    for (status, request) in [
        (200, request("GET /", &own, "")),
        (200, request(&format!("GET {run}/frame"), &own, "")),
        (400, request(&format!("GET {run}/frame?from=x"), &own, "")),
        (403, request("GET /", "example.org", "")),
        (403, request("GET /", &own, "Origin: http://example.org\r\n")),
        (404, request("GET /nowhere", &own, "")),
        (404, request("GET /api/runs/0/frame", &own, "")),
        (405, request("DELETE /api/runs", &own, json)),
        (408, request("POST /api/runs", &own, &format!("{json}Content-Length: 9\r\n"))),
        (413, request("POST /api/runs", &own, &format!("{json}Content-Length: {}\r\n", 33 << 20))),
        (415, request("POST /api/runs", &own, "")),
        (415, request("POST /api/runs", &own, "Content-Type: application/jsonx\r\nContent-Length: 0\r\n")),
        (431, request("GET /", &own, &many)),
        (431, request("GET /", &own, &format!("X: {}\r\n", "x".repeat(20_000)))),
    ] {
        let answer = server.raw(request.as_bytes());
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{request}: {answer}");
        for header in [
            "content-security-policy: default-src 'self'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "cache-control: no-store",
            "cross-origin-resource-policy: same-origin",
        ] {
            assert!(answer.contains(header), "{status} without {header}");
        }
    }
}

#[test]
fn the_command_line_says_what_is_shown_first() {
    let server = Server::start(&["--protocol", "por", "--n", "9", "--seed", "7", "--start", "two-segments"]);
    let opening = server.get("/api/opening");
    assert_eq!((&opening["protocol"], &opening["n"], &opening["seed"]), (&json!("por"), &json!(9), &json!("7")));
    let run = server.open(&opening);
    assert_eq!(server.frame(&run, 0)["gauges"]["segments"], 2);
    let text = r#"{"protocol": "P_PL", "psi": 2, "kappa": 3, "config": [], "seed": 18446744073709551615}"#;
    let agent = r#"{"leader":0,"b":1,"dist":2,"last":0,"tokenB":null,"tokenW":null,"mode":"Construct","clock":0,"signalR":0,"hits":0,"bullet":0,"shield":0,"signalB":0}"#;
    let text = text.replace("[]", &format!("[{agent}, {agent}, {agent}]"));
    let shown = Server::start(&[&harness::file("opening.json", &text)]).get("/api/opening");
    assert_eq!(shown["case"], text.as_str(), "to the letter");
    let named = harness::file("named.json", &text);
    let refused: [&[&str]; 10] = [
        &[&named, "--protocol", "ppl"],
        &[&named, "--psi", "3"],
        &[&named, "--seed", "3"],
        &[&named, "--scheduler", "fair"],
        &["--n", "2"],
        &["--n", "99999"],
        &["--protocol", "nonsense"],
        &["--start", "nowhere"],
        &["missing.json"],
        &["--scheduler", "fair"],
    ];
    for options in refused {
        let all: Vec<&str> = ["view", "--no-open", "--port", "0"].iter().chain(options).copied().collect();
        assert_eq!(ringleader(&all, "").0, 2, "{options:?}");
    }
    let mut child =
        program().args(["view", "--json", "--no-open", "--port", "0"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let told: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(told["address"], format!("http://127.0.0.1:{}/", told["port"]));
    // Ctrl-C is the way to close it, so it is no failure.
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let port = server.port.to_string();
    assert_eq!(ringleader(&["view", "--no-open", "--port", &port], "").0, 2);
    assert_eq!(ringleader(&["view", "--no-open", "--port", "0", "-"], "{\"config\": [").0, 2);
}
