//! Throughput of the engines against plain C++ (`ppl.cpp`), side by side in one run.
//!
//! ```text
//! cargo bench -p ringleader --features bench-parts [-- TABLE]
//!     (no TABLE)    every engine at three sizes, with many rings, few and one; and then the parts
//!     parts         each part of the sliced engine alone
//!     end-to-end    from the leaderless start to the exact first safe step, against C++ that checks nothing (minutes)
//!     scaling       the cost of such a trial from n = 64 to 4096 (minutes)
//! ```
//! The C++ is built with the system compiler (`$CXX` or `c++`, `-O3 -march=native`). Contestants alternate round by
//! round, so that whatever the machine does to one it does to the other. Seconds are those of the processor, so that other work on
//! the machine counts little. Shown are median and spread in million interactions a second on one core, and the median of the
//! ratios within a round. Nothing here decides a test.
//!
//! All run P_PL from the all-zero leaderless configuration with the default psi and kappa_max:
//! - `C++`: `ppl.cpp`, a struct of ints and mt19937_64;
//! - `stepper`: the clear form with nobody looking, under the plain uniform scheduler;
//! - `convergence`: the same with changes of output followed and windows checked for safety;
//! - `phases`: the same with every open phase watched at every step;
//! - `clocks`: the stepper under clocks on the edges;
//! - `sliced 512` and so on: that many rings at once, in windows as a trial runs them, with all looks at the end of a window but
//!   without the replay that ends a trial; with the widest words, with AVX2, and in plain words. The engine itself counts the
//!   interactions (`engine::sliced::parts`, whose tests compare its numbers with the schedules').

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ringleader::blueprint::Declared;
use ringleader::circuit::{Circuit, WithCircuit};
use ringleader::engine::hitting::window;
use ringleader::engine::sliced::Words;
use ringleader::engine::sliced::parts::{Part, Trials, alone};
use ringleader::engine::stepper::Stepper;
use ringleader::engine::tracker::Tracker;
use ringleader::instance::Instance;
use ringleader::observer::{Observer, Pace};
use ringleader::params::Params;
use ringleader::protocol::Protocol;
use ringleader::protocols::ppl::{Ppl, State, circuit::PplCircuit};
use ringleader::ring::{Orientation, Ring};
use ringleader::schedule::{Clocks, Uniform};
use ringleader::trial::{Engine, Record, Trial};

#[path = "cpp.rs"]
mod cpp;
#[path = "rounds.rs"]
mod rounds;

use cpp::{build, run_cpp};
use rounds::{Contestant, ROUNDS, compare, now};

const STEPS: u64 = 20_000_000;
const SIZES: [usize; 3] = [64, 1024, 16384];
const RINGS: [u64; 4] = [512, 64, 16, 1];

fn main() {
    let directory = std::env::temp_dir().join(format!("ringleader-bench-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a temporary directory");
    let cpp = build(&directory);
    let tables = ["parts", "end-to-end", "scaling"];
    match std::env::args().find(|argument| tables.contains(&argument.as_str())).as_deref() {
        Some("parts") => parts(),
        Some("end-to-end") => end_to_end(&cpp),
        Some(_) => scaling(),
        None => {
            matrix(&cpp);
            parts();
        }
    }
    let _ = std::fs::remove_dir_all(&directory);
}

fn matrix(cpp: &std::path::Path) {
    println!("P_PL, {STEPS} interactions a round, {ROUNDS} rounds, million interactions a second on one core");
    for n in SIZES {
        let (ring, ppl) = setting(n);
        let mut contestants: Vec<Contestant<'_>> = vec![
            ("C++".into(), Box::new(move |seed| run_cpp(cpp, ring.n(), ppl, STEPS, seed))),
            ("stepper".into(), Box::new(move |seed| timed(|| stepper(ring, ppl, seed)))),
            ("convergence".into(), Box::new(move |seed| timed(|| followed(ring, ppl, seed, false)))),
            ("phases".into(), Box::new(move |seed| timed(|| followed(ring, ppl, seed, true)))),
            ("clocks".into(), Box::new(move |seed| timed(|| clocks(ring, ppl, seed)))),
        ];
        for rings in RINGS {
            for (name, words) in
                [("sliced", Words::widest()), ("sliced-avx2", Words::Avx2), ("sliced-portable", Words::Portable)]
            {
                let run = move |seed| sliced(ring, ppl, words, rings, seed);
                contestants.push((format!("{name} {rings}"), Box::new(run)));
            }
        }
        compare(&format!("n = {n}"), &contestants);
    }
}

/// Each part of the sliced engine alone, on whole rings: the speed that the engine would have if the other parts cost nothing.
fn parts() {
    const N: usize = 64;
    let circuit = PplCircuit::<3, 9>::new(&setting(N).1).expect("wide enough for these parameters");
    println!(
        "\nEach part of the sliced engine alone, n = {N}, best of 20\n  {:40} {:>10} {:>12}",
        "", "ns a visit", "million/s"
    );
    for words in [Words::Avx512, Words::Avx2, Words::Portable].into_iter().filter(|words| words.available()) {
        for (part, name) in [
            (Part::Draw, "draws (random numbers)"),
            (Part::Schedule, "firings (scheduling)"),
            (Part::Transition, "interactions (transition)"),
            (Part::Windows, "interactions, nobody looks"),
            (Part::Looks, "interactions, looks at windows"),
        ] {
            let mut best = (f64::INFINITY, 0);
            for _ in 0..20 {
                let start = now();
                let done = alone(part, circuit, N, words, 100).expect("these words are available");
                let seconds = now() - start;
                best = if seconds < best.0 { (seconds, done) } else { best };
            }
            let (visit, rate) = (best.0 / (100 * N) as f64 * 1e9, best.1 as f64 / best.0 / 1e6);
            let visit = if matches!(part, Part::Windows | Part::Looks) { "-".into() } else { format!("{visit:.1}") };
            println!("  {:40} {visit:>10} {rate:12.1}", format!("{words:?} {name}"));
        }
    }
}

/// Whole trials from the leaderless start, against C++ that runs as many steps and checks nothing.
fn end_to_end(cpp: &std::path::Path) {
    println!("From the leaderless start to the exact first safe step, one core\n");
    println!("  {:>6} {:>7} {:>16} {:>10} {:>10} {:>8}", "n", "trials", "steps", "million/s", "C++", "ratio");
    for (n, trials) in [(256, 512), (256, 64), (1024, 64), (1024, 512)] {
        let (_, ppl) = setting(n);
        let before = run_cpp(cpp, n, ppl, STEPS, 1);
        let (steps, seconds) = whole_trials(n, trials);
        let cpp = (before + run_cpp(cpp, n, ppl, STEPS, 2)) / 2.0;
        let rate = steps as f64 / seconds / 1e6;
        println!("  {n:6} {trials:7} {steps:16} {rate:10.1} {cpp:10.1} {:8.2}", rate / cpp);
    }
}

/// The cost of a trial against n^2 log n.
fn scaling() {
    println!("From the leaderless start to the exact first safe step, one core\n");
    println!(
        "  {:>6} {:>7} {:>14} {:>22} {:>26}",
        "n", "trials", "seconds/trial", "steps / (n^2 log2 n)", "nanoseconds / (n^2 log2 n)"
    );
    for (n, trials) in [(64, 512), (128, 512), (256, 256), (512, 128), (1024, 64), (2048, 16), (4096, 8)] {
        let (steps, seconds) = whole_trials(n, trials);
        let unit = (n * n) as f64 * (n as f64).log2() * trials as f64;
        let cost = seconds / trials as f64;
        println!("  {n:6} {trials:7} {cost:14.4} {:22.2} {:26.2}", steps as f64 / unit, seconds * 1e9 / unit);
    }
}

/// The steps of trials, all of which must become safe.
#[derive(Default)]
struct Steps(AtomicU64);

impl Observer for Steps {
    fn finished(&self, _: usize, record: Record) -> ControlFlow<()> {
        assert!(record.safe.is_some(), "a trial was censored");
        self.0.fetch_add(record.steps, Ordering::Relaxed);
        ControlFlow::Continue(())
    }
}

/// Steps and seconds of trials to the end.
fn whole_trials(n: usize, trials: u64) -> (u64, f64) {
    let trial = Trial { phases: false, ..Trial::new("ppl", n, 1) };
    let instance = Instance::new(Arc::new(Ppl::blueprint()), n, &trial.params).expect("a valid size");
    let (seeds, steps): (Vec<u64>, Steps) = ((1..trials + 1).collect(), Steps::default());
    let start = now();
    instance.run(&trial, &seeds, Engine::Sliced, &steps).expect("a valid batch");
    (steps.0.into_inner(), now() - start)
}

fn setting(n: usize) -> (Ring, Ppl) {
    let ring = Ring::new(n, Orientation::Directed).expect("a valid size");
    (ring, Ppl::new(ring, &Params::default()).expect("valid parameters"))
}

fn timed(run: impl FnOnce()) -> f64 {
    let start = now();
    run();
    STEPS as f64 / (now() - start) / 1e6
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

/// Million interactions a second of `rings` trials at once, over whole windows: at least 3, at most 40, and 20 million
/// interactions where that leaves a choice.
fn sliced(ring: Ring, ppl: Ppl, words: Words, rings: u64, seed: u64) -> f64 {
    let (start, seeds) = (vec![State::default(); ring.n()], (seed..seed + rings).collect::<Vec<u64>>());
    let trials = Trials { protocol: &ppl, ring, start: &start, seeds: &seeds };
    let stamps = ppl.with_circuit(Stamped(trials, words)).expect("P_PL has a circuit");
    // The first window also fills the lanes.
    let ((before, begin), (after, end)) = (stamps[1], stamps[stamps.len() - 1]);
    (after - before) as f64 / (end - begin) / 1e6
}

/// The moments between the windows of trials, once their circuit is known.
struct Stamped<'a>(Trials<'a, Ppl>, Words);

impl WithCircuit<State> for Stamped<'_> {
    type Output = Vec<(u64, f64)>;

    fn with<C: Circuit<State = State>>(self, circuit: C) -> Self::Output {
        let enough = |windows, steps| windows > 40 || (windows > 3 && steps > STEPS);
        self.0.stamped(circuit, self.1, enough, now).expect("a valid batch")
    }
}

/// Windows as in a trial, but past safety, so that every contestant runs the same number of interactions.
fn followed(ring: Ring, ppl: Ppl, seed: u64, phases: bool) {
    let mut stepper = fresh(ring, ppl, seed);
    let known = Ppl::blueprint().phases;
    let mut tracker = Tracker::new(&ppl, &known, &stepper.config);
    let mut left = STEPS;
    let _ = std::iter::repeat(()).try_for_each(|()| {
        let before = (stepper.clone(), tracker.clone());
        let steps = window(ring.n(), STEPS - left).min(left);
        let mut pace = Pace::new(&());
        let followed = if phases {
            let followed = tracker.follow_phases(&mut stepper, &known, steps, &mut pace);
            followed.and_then(|()| tracker.find_closed(&before.0, &stepper, &known, &mut pace))
        } else {
            tracker.follow_output(&mut stepper, steps, &mut pace)
        };
        followed.expect("a random schedule does not end");
        std::hint::black_box((before, ppl.is_safe(&stepper.config)));
        left -= steps;
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
}
