//! How many frames the server of the view answers a second, and how long a client waits for one:
//! `cargo run --release -p ringleader-view --example load`. It asks its own server on this machine, for a few seconds for each line of its
//! table, and ends. In the last column thirty more clients ask for what computes as long as it may, without end.

#![allow(clippy::unwrap_used, reason = "a measurement that fails may say so by panicking")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::{Duration, Instant};

use ringleader_catalogue::{Entries, builtin};
use ringleader_view::{Description, MAX_MEMORY, Server};

/// So long every line is measured, if it is not done before.
const MEASURED: Duration = Duration::from_secs(4);
/// The most requests of a line.
const MOST: usize = 20_000;
/// So many runs there are for the clients, since there is not room for any number of long ones; more clients share them.
const RUNS: usize = 8;
const HOGS: usize = 30;

fn main() {
    let catalogue = Entries::new(&builtin()).unwrap().catalogue();
    let server = Server::bind(catalogue.into(), &Description::default(), 0).unwrap();
    let (port, stop) = (server.port(), AtomicBool::new(false));
    println!("command: cargo run --release -p ringleader-view --example load");
    println!("machine: {}", machine());
    println!("budget: {} MiB for whatever is sent\n", MAX_MEMORY >> 20);
    println!(
        "Frames of P_PL, a step and its picture, each client with a run and a connection of its own; milliseconds"
    );
    println!("\n     n  clients  frames/s     p50     p99    p99 beside {HOGS} hogs");
    std::thread::scope(|scope| {
        scope.spawn(|| server.serve(&|| stop.load(SeqCst)).unwrap());
        for n in [64, 1_000, 16_384] {
            for clients in [1, 10, 50] {
                let runs: Vec<String> = (0..clients.min(RUNS)).map(|_| Client::new(port).open(n)).collect();
                let (alone, seconds) = measure(port, &runs, clients);
                let hogged = beside_hogs(port, || measure(port, &runs, clients).0);
                let rate = alone.len() as f64 / seconds;
                let [p50, p99] = [50, 99].map(|q| percentile(&alone, q));
                let late = percentile(&hogged, 99);
                println!("{n:>6}  {clients:>7}  {rate:>8.0}  {p50:>6.1}  {p99:>6.1}    {late:>6.1}");
            }
        }
        stop.store(true, SeqCst);
    });
}

/// Waiting times of all requests of some clients, in order, and how many seconds it took in all.
fn measure(port: u16, runs: &[String], clients: usize) -> (Vec<Duration>, f64) {
    let begun = Instant::now();
    let times = std::thread::scope(|scope| {
        let client = |k: usize| move || frames(port, &runs[k % runs.len()], begun, MOST / clients);
        let clients: Vec<_> = (0..clients).map(|k| scope.spawn(client(k))).collect();
        let mut times: Vec<Duration> = clients.into_iter().flat_map(|client| client.join().unwrap()).collect();
        times.sort_unstable();
        times
    });
    (times, begun.elapsed().as_secs_f64())
}

/// The times of one client, who asks for the next frame when the last has come.
fn frames(port: u16, run: &str, begun: Instant, most: usize) -> Vec<Duration> {
    let (mut client, mut times) = (Client::new(port), Vec::new());
    while times.len() < most && begun.elapsed() < MEASURED {
        let asked = Instant::now();
        let (status, _) = client.ask("GET", &format!("/api/runs/{run}/frame?from={}", times.len() % 1000), "");
        assert_eq!(status, 200);
        times.push(asked.elapsed());
    }
    times
}

/// Measures while others keep the server busy, on four runs of 4,096 agents.
fn beside_hogs<T>(port: u16, measured: impl FnOnce() -> T) -> T {
    let (done, runs) = (AtomicBool::new(false), [(); 4].map(|()| Client::new(port).open(4096)));
    std::thread::scope(|scope| {
        for k in 0..HOGS {
            let (run, done) = (&runs[k % runs.len()], &done);
            scope.spawn(move || {
                while !done.load(SeqCst) {
                    let mut client = Client::new(port);
                    client.send("GET", &format!("/api/runs/{run}/facts?step={}", u64::MAX), "");
                    client.wait(done);
                }
            });
        }
        let measured = measured();
        done.store(true, SeqCst);
        measured
    })
}

fn percentile(times: &[Duration], q: usize) -> f64 {
    times.get(((times.len() * q).div_ceil(100)).saturating_sub(1)).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
}

/// A connection that is kept.
struct Client {
    stream: TcpStream,
    port: u16,
}

impl Client {
    fn new(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream, port }
    }

    /// A new run; its name.
    fn open(mut self, n: usize) -> String {
        let (status, answer) = self.ask("POST", "/api/runs", &format!("{{\"protocol\":\"ppl\",\"n\":{n}}}"));
        assert_eq!(status, 200, "{answer}");
        answer.split_once("\"id\":\"").unwrap().1.split('"').next().unwrap().to_owned()
    }

    fn send(&mut self, method: &str, path: &str, body: &str) {
        let head =
            format!("{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json", self.port);
        write!(self.stream, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    }

    /// Waits for an answer as long as it matters.
    fn wait(mut self, done: &AtomicBool) {
        self.stream.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        while !done.load(SeqCst) && self.stream.read(&mut [0; 4096]).is_err() {}
    }

    /// Status and body of the answer.
    fn ask(&mut self, method: &str, path: &str, body: &str) -> (u16, String) {
        self.send(method, path, body);
        let mut answer = BufReader::new(&self.stream);
        let (mut status, mut length) = (0, 0);
        loop {
            let mut line = String::new();
            assert!(answer.read_line(&mut line).unwrap() > 0, "the server broke off");
            match line.trim_end().split_once(' ') {
                Some(("HTTP/1.1", rest)) => status = rest[..3].parse().unwrap(),
                Some(("content-length:", rest)) => length = rest.parse().unwrap(),
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        answer.read_exact(&mut body).unwrap();
        (status, String::from_utf8(body).unwrap())
    }
}

/// The processor, as far as the system tells.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let told = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = told.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let unknown = || "unknown".to_owned();
    let [name, family, model] = ["model name", "cpu family", "model\t"].map(|name| field(name).unwrap_or_else(unknown));
    format!("{name} (family {family}, model {model}), {cores} cores")
}
