//! Throughput of protocols that are texts against the same protocols in Rust, side by side in one run.
//!
//! ```text
//! cargo bench -p ringleader-catalogue --features bench-parts
//! ```
//! Every contestant runs whole windows of the sliced engine from the first start of its protocol, with all looks that a trial needs. Contestants
//! alternate round by round. Seconds are those of the processor. Shown are median and spread in million interactions a second on one core, and the
//! median of the ratios within a round. Nothing here decides a test.

use std::sync::Arc;

use ringleader::blueprint::{Blueprint, Declared};
use ringleader::circuit::{Circuit, WithCircuit};
use ringleader::engine::sliced::Words;
use ringleader::engine::sliced::parts::Trials;
use ringleader::params::Params;
use ringleader::protocol::Protocol;
use ringleader::protocols::ppl::Ppl;
use ringleader::random::{Stream, stream};
use ringleader::ring::Ring;
use ringleader_catalogue::text_of;
use ringleader_notation::written::{Judged, Trouble, Written, blueprint};

#[path = "rounds.rs"]
mod rounds;

use rounds::{Contestant, compare, now};

const STEPS: u64 = 20_000_000;

fn main() {
    for n in [64, 1024] {
        let (rust, text) = (Made::of(Ppl::blueprint(), n), Made::of(written("ppl"), n));
        for words in [Words::Avx512, Words::Avx2, Words::Portable].into_iter().filter(|words| words.available()) {
            let contestants: [Contestant<'_>; 2] = [
                ("Rust".into(), Box::new(|seed| rust.sliced(words, seed))),
                ("text".into(), Box::new(|seed| text.sliced(words, seed))),
            ];
            compare(&format!("P_PL, n = {n}, {words:?}"), &contestants);
        }
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
    fn sliced(&self, words: Words, seed: u64) -> f64 {
        let seeds: Vec<u64> = (seed..seed + words.lanes() as u64).collect();
        let trials = Trials { protocol: &self.protocol, ring: self.ring, start: &self.start, seeds: &seeds };
        let stamps = self.protocol.with_circuit(Stamped(trials, words)).expect("it runs in lanes");
        // The first window also fills the lanes.
        let ((before, begin), (after, end)) = (stamps[1], stamps[stamps.len() - 1]);
        (after - before) as f64 / (end - begin) / 1e6
    }
}

struct Stamped<'a, P: Protocol>(Trials<'a, P>, Words);

impl<P: Protocol> WithCircuit<P::State> for Stamped<'_, P> {
    type Output = Vec<(u64, f64)>;

    fn with<C: Circuit<State = P::State>>(self, circuit: C) -> Self::Output {
        let enough = |windows, steps| windows > 40 || (windows > 3 && steps > STEPS);
        self.0.stamped(circuit, self.1, enough, now).expect("a valid batch")
    }
}
