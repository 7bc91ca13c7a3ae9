//! Protocols that are files against their clear forms in Rust, on one ring, side by side in one run.
//!
//! ```text
//! cargo bench -p ringleader-notation
//! ```
//! All start from the same uniform configuration under the plain uniform scheduler, with nobody looking; contestants alternate round by
//! round. Shown are median and spread in million interactions a second on one core, and the median of the ratios within a round. Last come
//! the milliseconds from a text to its protocol, with and without what is worked out when it first runs, and the functions of the ring.
//! Nothing here decides a test.

use std::hint::black_box;
use std::sync::Arc;

use ringleader::blueprint::Declared;
use ringleader::engine::stepper::Stepper;
use ringleader::params::Params;
use ringleader::protocol::{Input, Protocol, Transition, uniform};
use ringleader::protocols::{aaf_token::AafToken, elim::Elim, fj::Fj, ppl::Ppl, ysm::Ysm};
use ringleader::random::{Stream, stream};
use ringleader::ring::Ring;
use ringleader::schedule::Uniform;
use ringleader_notation::written::{Judged, Trouble, Written};

#[path = "rounds.rs"]
mod rounds;

use rounds::{Contestant, ROUNDS, compare, now};

const STEPS: u64 = 10_000_000;

fn main() {
    println!("{STEPS} interactions a round, {ROUNDS} rounds, million interactions a second on one core");
    for n in [64, 1024] {
        race::<Ppl>("ppl", n, "code");
    }
    race::<Elim>("elim", 64, "a table");
    race::<Ysm>("ysm", 16, "a table");
    race::<Fj>("fj", 64, "a table");
    race::<AafToken>("aaf-token", 64, "a table");
    loading();
    looking();
}

fn text(name: &str) -> String {
    let path = format!("{}/../../protocols/{name}.py", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a file of the project")
}

/// As after the proof that nothing can go wrong, which the program makes when it loads a file.
fn written(name: &str, n: usize) -> Written {
    let program = Arc::new(ringleader_notation::read(name, &text(name)).expect("a text without a problem"));
    let ring = Ring::new(n, program.ring).expect("a valid size");
    let trouble = Trouble::judged(Some(Arc::new(|_, _| Judged::Right)));
    Written::new(&program, ring, &Params::default(), &trouble).expect("a valid ring")
}

fn race<P: Declared>(name: &str, n: usize, how: &str) {
    let blueprint = P::blueprint();
    let ring = Ring::new(n, blueprint.about.ring).expect("a valid size");
    let clear = (blueprint.make)(ring, &Params::default()).expect("valid parameters");
    let file = written(name, n);
    let contestants: Vec<Contestant<'_>> = vec![
        ("clear form".into(), Box::new(move |seed| speed(&clear, ring, seed))),
        ("file".into(), Box::new(move |seed| speed(&file, ring, seed))),
    ];
    compare(&format!("{name}, n = {n}, by {how}"), &contestants);
}

fn speed<P: Protocol>(protocol: &P, ring: Ring, seed: u64) -> f64 {
    let start = uniform(protocol, ring, &mut stream(seed, Stream::Start));
    let mut stepper = Stepper::new(protocol.clone(), start, Uniform::new(ring, seed));
    let begin = now();
    stepper.advance(STEPS).expect("a random schedule does not end");
    let seconds = now() - begin;
    black_box(&stepper.config);
    STEPS as f64 / seconds / 1e6
}

/// How long it takes until a text can run.
fn loading() {
    println!("\nMilliseconds, n = 64 {:>14} {:>18}", "to load", "and to run once");
    for name in ["ppl", "undirected", "elim", "fj"] {
        let mut times: Vec<[f64; 2]> = (0..9).map(|_| load(name)).collect();
        times.sort_by(|a, b| a[1].total_cmp(&b[1]));
        let [load, run] = times[4];
        println!("  {name:20} {:12.2} {:18.2}", 1e3 * load, 1e3 * run);
    }
}

fn load(name: &str) -> [f64; 2] {
    let begin = now();
    let file = written(name, 64);
    let loaded = now() - begin;
    let (mut l, mut r) = Default::default();
    file.interact(&mut l, &mut r, Input::default());
    black_box((l, r));
    [loaded, now() - begin]
}

/// How long sets take to look at a ring, on the way to safety.
fn looking() {
    println!("\nMicroseconds a look, n = 64 {:>12} {:>12} {:>8}", "clear form", "file", "ratio");
    let blueprint = Ppl::blueprint();
    let ring = Ring::new(64, blueprint.about.ring).expect("a valid size");
    let clear = (blueprint.make)(ring, &Params::default()).expect("valid parameters");
    let file = written("ppl", 64);
    let kinds = ringleader_notation::written::blueprint(&Arc::new(file.program().clone()), "ppl", &Trouble::default());
    let clears = on_the_way(&clear, ring);
    let files = on_the_way(&file, ring);
    let shown = |name: &str, clear: f64, file: f64| {
        println!("  {name:25} {:12.2} {:12.2} {:8.2}", 1e6 * clear, 1e6 * file, clear / file);
    };
    for phase in &kinds.phases {
        let same = blueprint.phases.iter().find(|known| known.named.name == phase.named.name);
        let Some(same) = same else { continue };
        let clear = look(&clears, &|config| (same.holds)(&clear, config));
        let file = look(&files, &|config| (phase.holds)(&file, config));
        shown(&phase.named.name, clear, file);
    }
    shown("safe", look(&clears, &|config| clear.is_safe(config)), look(&files, &|config| file.is_safe(config)));
}

/// Configurations of a run, the last of which are safe.
fn on_the_way<P: Protocol>(protocol: &P, ring: Ring) -> Vec<Vec<P::State>> {
    let start = vec![P::State::default(); ring.n()];
    let mut stepper = Stepper::new(protocol.clone(), start, Uniform::new(ring, 1));
    let mut all = Vec::new();
    for _ in 0..200 {
        stepper.advance(20_000).expect("a random schedule does not end");
        all.push(stepper.config.clone());
    }
    all
}

/// Seconds a look, the median of some rounds.
fn look<S>(configs: &[Vec<S>], holds: &dyn Fn(&[S]) -> bool) -> f64 {
    let round = || {
        let begin = now();
        let held = configs.iter().filter(|config| holds(config)).count();
        black_box(held);
        (now() - begin) / configs.len() as f64
    };
    let mut times: Vec<f64> = (0..9).map(|_| round()).collect();
    times.sort_by(f64::total_cmp);
    times[4]
}
