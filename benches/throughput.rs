//! Throughput of the clear form against plain C++ (`ppl.cpp`), side by side in one run.
//!
//! `cargo bench` builds the C++ with the system compiler (`$CXX` or `c++`, `-O3 -march=native`), then alternates
//! the contestants round by round, so that whatever the machine does to one it does to the other. Shown are median
//! and spread in million interactions a second on one core, and the median of the ratios within a round. Nothing
//! here decides a test.
//!
//! All run P_PL from the all-zero leaderless configuration with the default psi and kappa_max:
//! - `C++`: `ppl.cpp`, a struct of ints and mt19937_64;
//! - `stepper`: the clear form with nobody looking, under the plain uniform scheduler;
//! - `convergence`: the same with changes of output followed and windows checked for safety;
//! - `phases`: the same with every open phase watched at every step;
//! - `clocks`: the stepper under clocks on the edges;
//! - `sliced`, `sliced-portable`: a batch of rings, one in every lane, from start to limit, with all that a record needs.

use std::ops::ControlFlow;
use std::process::Command;
use std::time::Instant;

use ringleader::engine::hitting::window;
use ringleader::engine::stepper::Stepper;
use ringleader::engine::tracker::Tracker;
use ringleader::lab::run_batch;
use ringleader::protocol::{Params, Protocol};
use ringleader::protocols::ppl::{Ppl, State};
use ringleader::ring::{Orientation, Ring};
use ringleader::schedule::{Clocks, Uniform};
use ringleader::trial::{Engine, Trial};

const ROUNDS: u64 = 5;
const STEPS: u64 = 20_000_000;
const SIZES: [usize; 3] = [64, 1024, 16384];
/// Larger rings in all lanes take too long for a benchmark.
const LARGEST_SLICED: usize = 1024;

type Contestant<'a> = (&'a str, Box<dyn Fn(u64) -> f64 + 'a>);

fn main() {
    let directory = std::env::temp_dir().join(format!("ringleader-bench-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a temporary directory");
    let cpp = build(&directory);
    println!("P_PL, {STEPS} interactions a round, {ROUNDS} rounds, million interactions a second on one core");
    for n in SIZES {
        let ring = Ring::new(n, Orientation::Directed).expect("a valid size");
        let ppl = Ppl::new(ring, &Params::default()).expect("valid parameters");
        let contestants: [Contestant<'_>; 7] = [
            ("C++", Box::new(|seed| run_cpp(&cpp, ring, ppl, seed))),
            ("stepper", Box::new(|seed| timed(|| stepper(ring, ppl, seed)))),
            ("convergence", Box::new(|seed| timed(|| followed(ring, ppl, seed, false)))),
            ("phases", Box::new(|seed| timed(|| followed(ring, ppl, seed, true)))),
            ("clocks", Box::new(|seed| timed(|| clocks(ring, ppl, seed)))),
            ("sliced", Box::new(|seed| sliced(ring, Engine::Sliced, 512, seed))),
            ("sliced-portable", Box::new(|seed| sliced(ring, Engine::SlicedPortable, 64, seed))),
        ];
        compare(n, if n <= LARGEST_SLICED { &contestants } else { &contestants[..5] });
    }
    let _ = std::fs::remove_dir_all(&directory);
}

fn build(directory: &std::path::Path) -> std::path::PathBuf {
    let (compiler, program) = (std::env::var("CXX").unwrap_or_else(|_| "c++".into()), directory.join("ppl"));
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/ppl.cpp");
    let status =
        Command::new(&compiler).args(["-std=c++17", "-O3", "-march=native", "-o"]).arg(&program).arg(source).status();
    assert!(status.is_ok_and(|status| status.success()), "{compiler} could not build benches/ppl.cpp");
    program
}

/// Million interactions a second, as the C++ measures itself.
fn run_cpp(program: &std::path::Path, ring: Ring, ppl: Ppl, seed: u64) -> f64 {
    let arguments = [ring.n() as u64, u64::from(ppl.psi), u64::from(ppl.kappa_max), STEPS, seed];
    let output =
        Command::new(program).args(arguments.map(|argument| argument.to_string())).output().expect("the C++ runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let seconds = text.split_whitespace().find_map(|word| word.strip_prefix("seconds=")?.parse::<f64>().ok());
    STEPS as f64 / seconds.expect("the C++ prints its seconds") / 1e6
}

fn timed(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    STEPS as f64 / start.elapsed().as_secs_f64() / 1e6
}

fn fresh(ring: Ring, ppl: Ppl, seed: u64) -> Stepper<Ppl, Uniform> {
    Stepper::new(ppl, vec![State::default(); ring.n()], Uniform::new(ring, seed))
}

fn stepper(ring: Ring, ppl: Ppl, seed: u64) {
    let mut stepper = fresh(ring, ppl, seed);
    stepper.advance(STEPS).expect("a random schedule does not end");
    std::hint::black_box(&stepper.config);
}

fn clocks(ring: Ring, ppl: Ppl, seed: u64) {
    let mut stepper = Stepper::new(ppl, vec![State::default(); ring.n()], Clocks::new(ring, seed));
    stepper.advance(STEPS).expect("a random schedule does not end");
    std::hint::black_box(&stepper.config);
}

/// Million interactions a second of `rings` trials at once, over 32 windows of clocks each, of which the last is replayed in
/// the clear form.
fn sliced(ring: Ring, engine: Engine, rings: u64, seed: u64) -> f64 {
    let mut trial = Trial::new("ppl", ring.n(), seed);
    (trial.phases, trial.engine) = (false, engine);
    trial.limit = Some(32 * 128 * ring.n() as u64);
    let start = Instant::now();
    let records =
        run_batch(&trial, seed..seed + rings, &|| false, &mut |_| ControlFlow::Continue(())).expect("a valid batch");
    let steps: u64 = records.iter().map(|(_, record)| record.steps).sum();
    steps as f64 / start.elapsed().as_secs_f64() / 1e6
}

/// Windows as in a trial, but past safety, so that every contestant runs the same number of interactions.
fn followed(ring: Ring, ppl: Ppl, seed: u64, phases: bool) {
    let mut stepper = fresh(ring, ppl, seed);
    let mut tracker = Tracker::new(&ppl, &stepper.config);
    let mut left = STEPS;
    let _ = std::iter::repeat(()).try_for_each(|()| {
        let before = (stepper.clone(), tracker.clone());
        let steps = window(ring.n(), STEPS - left).min(left);
        let followed = if phases {
            tracker.follow_phases(&mut stepper, steps)
        } else {
            tracker.follow_output(&mut stepper, steps)
        };
        followed.expect("a random schedule does not end");
        std::hint::black_box((before, ppl.is_safe(&stepper.config)));
        left -= steps;
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
}

fn compare(n: usize, contestants: &[Contestant<'_>]) {
    let rounds: Vec<Vec<f64>> =
        (0..=ROUNDS).map(|round| contestants.iter().map(|(_, run)| run(round)).collect()).collect();
    // The first round warms up.
    let rounds = &rounds[1..];
    println!("\nn = {n}\n  {:15} {:>8} {:>17} {:>14}", "", "median", "least - most", "ratio to C++");
    for (k, (name, _)) in contestants.iter().enumerate() {
        let speeds = sorted(rounds.iter().map(|round| round[k]));
        let ratios = sorted(rounds.iter().map(|round| round[k] / round[0]));
        let (least, most) = (speeds[0], speeds[speeds.len() - 1]);
        let spread = format!("{least:.1} - {most:.1}");
        println!("  {name:15} {:8.1} {spread:>17} {:14.2}", speeds[speeds.len() / 2], ratios[ratios.len() / 2]);
    }
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}
