//! Throughput of protocols that are texts against the same protocols in Rust, side by side in one run.
//!
//! ```text
//! cargo bench -p ringleader-catalogue --features bench-parts
//! ```
//! - P_PL from its text against its circuit in Rust, and by the interpreter against plain C++ (`ppl.cpp`);
//! - built-in protocols in the lanes of their texts against the stepper, which runs their form in Rust under the same clocks;
//! - how long it takes to make lanes of P_PL's text.
//!
//! Whoever runs in lanes runs whole windows of the sliced engine from the first start of its protocol, with all looks that a trial needs, but
//! without the replay that ends a trial. Contestants alternate round by round. Seconds are those of the processor. Shown are median and spread in
//! million interactions a second on one core, and the median of the ratios within a round. Nothing here decides a test.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ringleader::blueprint::{Blueprint, Declared};
use ringleader::circuit::{Circuit, WithCircuit};
use ringleader::engine::sliced::Words;
use ringleader::engine::sliced::parts::Trials;
use ringleader::instance::Instance;
use ringleader::observer::Observer;
use ringleader::params::Params;
use ringleader::protocol::Protocol;
use ringleader::protocols::aaf::Aaf;
use ringleader::protocols::aaf_colouring::AafColouring;
use ringleader::protocols::aaf_orientation::AafOrientation;
use ringleader::protocols::aaf_token::AafToken;
use ringleader::protocols::elim::Elim;
use ringleader::protocols::fj::Fj;
use ringleader::protocols::pcl::PclDerandomised;
use ringleader::protocols::ppl::Ppl;
use ringleader::protocols::undirected::{Undirected, UndirectedDerandomised};
use ringleader::random::{Stream, stream};
use ringleader::ring::Ring;
use ringleader::trial::{Engine, Record, Trial};
use ringleader_catalogue::{in_lanes, text_of};
use ringleader_notation::written::{Judged, Trouble, Written, blueprint};

#[path = "cpp.rs"]
mod cpp;
#[path = "rounds.rs"]
mod rounds;

use rounds::{Contestant, compare, now};

const STEPS: u64 = 20_000_000;
/// The stepper is slower, and needs no windows.
const FEWER: u64 = 5_000_000;

fn main() {
    let directory = std::env::temp_dir().join(format!("ringleader-bench-texts-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a temporary directory");
    for n in [64, 1024] {
        ppl(n, &cpp::build(&directory));
    }
    let _ = std::fs::remove_dir_all(&directory);
    built_in::<Undirected>("undirected", 64);
    built_in::<UndirectedDerandomised>("undirected-derandomised", 64);
    built_in::<PclDerandomised>("pcl-derandomised", 1024);
    built_in::<Aaf>("aaf", 256);
    built_in::<AafOrientation>("aaf-orientation", 1024);
    built_in::<AafColouring>("aaf-colouring", 1024);
    built_in::<AafToken>("aaf-token", 1024);
    built_in::<Elim>("elim", 1024);
    built_in::<Fj>("fj", 256);
    compilation();
}

fn ppl(n: usize, program: &Path) {
    let (rust, text) = (Made::of(Ppl::blueprint(), n), Made::of(written("ppl"), n));
    for words in [Words::Avx512, Words::Avx2].into_iter().filter(|words| words.available()) {
        let contestants: [Contestant<'_>; 2] = [
            ("circuit in Rust".into(), Box::new(|seed| rust.sliced(words, false, seed))),
            ("text".into(), Box::new(|seed| text.sliced(words, false, seed))),
        ];
        compare(&format!("P_PL, n = {n}, {words:?}"), &contestants);
    }
    let (made, text) = (rust.protocol, &text);
    let cpp = move |seed| cpp::run_cpp(program, n, made, STEPS, seed);
    let mut contestants: Vec<Contestant<'_>> = vec![("C++".into(), Box::new(cpp))];
    for words in [Words::Avx512, Words::Avx2, Words::Portable].into_iter().filter(|words| words.available()) {
        contestants.push((format!("interpreter, {words:?}"), Box::new(move |seed| text.sliced(words, true, seed))));
    }
    compare(&format!("P_PL, n = {n}, without machine code"), &contestants);
}

fn built_in<P: Declared>(name: &'static str, n: usize) {
    let made = Made::of(in_lanes::<P>(name), n);
    let instance = Instance::new(Arc::new(P::blueprint()), n, &Params::default()).expect("a valid size");
    let made = &made;
    let mut contestants: Vec<Contestant<'_>> = vec![("stepper".into(), Box::new(move |seed| stepper(&instance, seed)))];
    for words in [Words::Avx512, Words::Avx2].into_iter().filter(|words| words.available()) {
        contestants.push((format!("lanes, {words:?}"), Box::new(move |seed| made.sliced(words, false, seed))));
    }
    compare(&format!("{name}, n = {n}"), &contestants);
}

/// Counts interactions, until there are enough.
#[derive(Default)]
struct Enough(AtomicU64);

impl Observer for Enough {
    fn finished(&self, _: usize, record: Record) -> ControlFlow<()> {
        let steps = self.0.fetch_add(record.steps, Relaxed) + record.steps;
        if steps < FEWER { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

/// Million interactions a second of trials one after the other.
fn stepper<P: Protocol>(instance: &Instance<P>, seed: u64) -> f64 {
    let trial = Trial { phases: false, limit: Some(FEWER), ..Trial::new("", instance.ring.n(), seed) };
    let (enough, begin) = (Enough::default(), now());
    let seeds: Vec<u64> = (seed..seed + 10_000).collect();
    instance.run(&trial, &seeds, Engine::Stepper, &enough).expect("a valid batch");
    enough.0.into_inner() as f64 / (now() - begin) / 1e6
}

fn compilation() {
    println!("\nP_PL's text, milliseconds (best of 20)");
    for n in [64, 1024] {
        let ring = Ring::new(n, written("ppl").about.ring).expect("a valid size");
        let mut best = [f64::INFINITY; 3];
        for _ in 0..20 {
            let begin = now();
            let text = (written("ppl").make)(ring, &Params::default()).expect("valid parameters");
            let read = now();
            let lanes = text.lanes().expect("it has lanes").clone();
            let made = now();
            let without = lanes.without_code(Words::widest().lanes());
            assert_eq!(without, None);
            let all = [read - begin, made - read, now() - made];
            best.iter_mut().zip(all).for_each(|(best, one)| *best = best.min(1e3 * one));
        }
        println!(
            "  n = {n:<5} read {:.2}, functions of three bits {:.2}, machine code for the widest words {:.2}, in all {:.2}",
            best[0],
            best[1],
            best[2],
            best.iter().sum::<f64>()
        );
    }
}

/// A built-in protocol from its text. That nothing can go wrong with it is known from the tests.
fn written(name: &str) -> Blueprint<Written> {
    let program = ringleader_notation::read(name, text_of(name).expect("it has a text")).expect("it is right");
    blueprint(&Arc::new(program), name, &Trouble::judged(Some(Arc::new(|_, _| Judged::Right))))
}

/// A protocol on a ring, and its first start.
#[derive(Clone)]
struct Made<P: Protocol> {
    protocol: P,
    ring: Ring,
    start: Vec<P::State>,
}

impl<P: Protocol> Made<P> {
    fn of(blueprint: Blueprint<P>, n: usize) -> Self {
        let ring = Ring::new(n, blueprint.about.ring).expect("a valid size");
        let protocol = (blueprint.make)(ring, &Params::default()).expect("valid parameters");
        let start = (blueprint.starts[0].make)(&protocol, ring, &mut stream(1, Stream::Start));
        Self { protocol, ring, start }
    }

    /// Million interactions a second with all lanes filled.
    fn sliced(&self, words: Words, interpreted: bool, seed: u64) -> f64 {
        let seeds: Vec<u64> = (seed..seed + words.lanes() as u64).collect();
        let trials = Trials { protocol: &self.protocol, ring: self.ring, start: &self.start, seeds: &seeds };
        let stamps = self.protocol.with_circuit(Stamped(trials, words, interpreted)).expect("it runs in lanes");
        // The first window also fills the lanes.
        let ((before, begin), (after, end)) = (stamps[1], stamps[stamps.len() - 1]);
        (after - before) as f64 / (end - begin) / 1e6
    }
}

struct Stamped<'a, P: Protocol>(Trials<'a, P>, Words, bool);

impl<P: Protocol> WithCircuit<P::State> for Stamped<'_, P> {
    type Output = Vec<(u64, f64)>;

    fn with<C: Circuit<State = P::State>>(self, circuit: C) -> Self::Output {
        let Self(trials, words, interpreted) = self;
        let circuit = if interpreted { circuit.interpreted().expect("it is a text") } else { circuit };
        let enough = |windows, steps| windows > 40 || (windows > 3 && steps > STEPS);
        trials.stamped(circuit, words, enough, now).expect("a valid batch")
    }
}
