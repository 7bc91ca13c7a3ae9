//! A simulator of disasters: random sweeps are killed, stopped, crowded, starved of room, their journals damaged and their definitions
//! changed; in the end the records must be those of a sweep that nothing disturbed, to the byte.
//!
//! A round is a function of the seed and of its number, apart from moments of signals: those come when the journal has a certain size, and
//! how far the program gets meanwhile is the machine's affair. Limits of sizes strike at an exact byte. `scripts/disasters --help`
//! tells how to run it for longer; `cargo test` runs some rounds.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../harness/mod.rs"]
mod harness;
mod journal;
mod plan;
mod site;
mod world;

use std::fs;
use std::io::{Write, stderr};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use plan::Plan;
use world::World;

/// What is asked for, in words like those of a command line.
const ASKED: &str = "RINGLEADER_DISASTERS";
/// Rounds of the test.
const ROUNDS: u64 = 150;

struct Asked {
    seed: u64,
    rounds: std::ops::Range<u64>,
    time: Duration,
    program: PathBuf,
}

impl Asked {
    fn new(words: &str) -> Self {
        let program = env!("CARGO_BIN_EXE_ringleader").into();
        let mut asked = Self { seed: 1, rounds: 0..ROUNDS, time: Duration::MAX, program };
        let mut words = words.split_whitespace();
        while let Some(name) = words.next() {
            let value = words.next().unwrap_or_else(|| panic!("{name}: a value is missing"));
            let number =
                || value.parse::<u64>().unwrap_or_else(|_| panic!("{name} {value}: allowed is a whole number"));
            match name {
                "--seed" => asked.seed = number(),
                "--rounds" => asked.rounds = 0..number(),
                "--round" => asked.rounds = number()..number() + 1,
                "--minutes" => (asked.rounds, asked.time) = (0..u64::MAX, Duration::from_secs(60 * number())),
                "--program" => asked.program = value.into(),
                _ => panic!("{name}: allowed are --seed, --rounds, --round, --minutes and --program"),
            }
        }
        asked
    }
}

/// Not what a test prints, which is kept back.
fn say(line: &str) {
    let _ = writeln!(stderr(), "{line}");
}

#[test]
fn whatever_happens_the_records_are_the_same_to_the_byte() {
    let asked = Asked::new(&std::env::var(ASKED).unwrap_or_default());
    let enough = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGINT, enough.clone()).unwrap();
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("disasters-{}", asked.seed));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let mut world = World::new(asked.program.clone(), folder.clone());
    let (begin, mut told) = (Instant::now(), Instant::now());
    for round in asked.rounds.clone() {
        if enough.load(Ordering::Relaxed) || begin.elapsed() >= asked.time {
            break;
        }
        let plan = Plan::new(asked.seed, round);
        if catch_unwind(AssertUnwindSafe(|| world.round(round, &plan))).is_err() {
            let again = format!("scripts/disasters --seed {} --round {round}", asked.seed);
            panic!("round {round} failed\n{plan:?}\nits files are in {}\nrepeat: {again}", folder.display());
        }
        if told.elapsed() > Duration::from_secs(60) {
            told = Instant::now();
            say(&format!("{} rounds, {} minutes", round + 1, begin.elapsed().as_secs() / 60));
        }
    }
    say(&format!("seed {}, {} s\n{}", asked.seed, begin.elapsed().as_secs(), world.tally));
    fs::remove_dir_all(&folder).unwrap();
}
