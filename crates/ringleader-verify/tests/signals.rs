//! Resetting signals and clocks as players of the lottery game (Lemmas "keep_construction" and "absorbed"): what Algorithm 4 does to them in
//! one interaction, and from that the chances, computed without sampling.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use ringleader::params::Params;
use ringleader::protocol::{Input, Transition};
use ringleader::protocols::ppl::{Ppl, PplPrime, State};
use ringleader::ring::{Orientation, Ring};
use ringleader_verify::exact::{Plan, Target, chain, solve};

/// `kappa_max = 48 psi`, the least that the paper asks for.
const C1: u64 = 48;

fn psi(n: u64) -> u64 {
    u64::from(n.next_power_of_two().ilog2()).max(2)
}

fn prime(n: usize, kappa: u64) -> (Ring, PplPrime) {
    let ring = Ring::new(n, Orientation::Directed).unwrap();
    (ring, PplPrime::new(ring, &Params::default().with("kappa", kappa)).unwrap())
}

// --- What an interaction does ---------------------------------------------------------------------------------

/// All clocks, signals and hits of two agents, with a leader or without, where a leader is created and where not: an interaction is a tail
/// for l, and for r a head, or, if a signal comes from l, a tail; whoever wins loses a unit of its signal if there is one, and else gains
/// one of its clock.
#[test]
fn an_interaction_is_a_flip_for_both() {
    let mut looked = 0;
    for (psi, kappa_max) in (2..=4).flat_map(|psi| (1..=4).map(move |kappa_max| (psi, kappa_max))) {
        let protocol = Ppl { psi, kappa_max };
        let signals = || (0..=kappa_max).flat_map(|a| (0..=kappa_max).map(move |b| (a, b)));
        for ((l_clock, r_clock), (l_signal, r_signal)) in
            signals().flat_map(|clocks| signals().map(move |s| (clocks, s)))
        {
            for (l_hits, r_hits, bits) in
                (0..=psi).flat_map(|a| (0..=psi).flat_map(move |b| (0..8).map(move |c| (a, b, c))))
            {
                let l =
                    State { leader: bits & 1, clock: l_clock, signal_r: l_signal, hits: l_hits, ..State::default() };
                let dist = bits >> 2;
                let r = State {
                    leader: bits >> 1 & 1,
                    dist,
                    clock: r_clock,
                    signal_r: r_signal,
                    hits: r_hits,
                    ..State::default()
                };
                let (mut left, mut right) = (l, r);
                protocol.interact(&mut left, &mut right, Input::default());
                let comes = if l.leader == 1 { kappa_max } else { l.signal_r };
                let (head, signal) = (comes == 0 || comes < r.signal_r, comes.max(r.signal_r));
                let won = head && r.hits + 1 >= psi;
                assert_eq!((left.hits, left.signal_r), (0, 0));
                assert_eq!(right.hits, if won || !head { 0 } else { r.hits + 1 });
                assert_eq!(right.signal_r, signal - u16::from(won && signal > 0));
                let clocks = if signal > 0 { (0, 0) } else { (l.clock, kappa_max.min(r.clock + u16::from(won))) };
                assert_eq!((left.clock, right.clock), clocks);
                looked += 1;
            }
        }
    }
    assert!(looked > 300_000, "{looked}");
}

// --- The game at the pace of a ring ---------------------------------------------------------------------------

/// The chances of each number of wins, those of `most` and more together, of a player on a ring of `n` agents after so many steps: in each
/// step it sees a head or a tail with a chance of `1/n` each. With `whole`, not chances but numbers of words.
fn game(n: u64, k: usize, hits: usize, steps: u64, most: usize, whole: bool) -> Vec<f64> {
    let (stays, each) = if whole { (n as f64 - 2.0, 1.0) } else { (1.0 - 2.0 / n as f64, 1.0 / n as f64) };
    let (mut now, mut next) = (vec![0.0; (most + 1) * k], vec![0.0; (most + 1) * k]);
    now[hits] = 1.0;
    for _ in 0..steps {
        next.fill(0.0);
        for won in 0..=most {
            let (row, after) = (&now[won * k..][..k], (won + 1).min(most) * k);
            for (heads, &weight) in row.iter().enumerate() {
                // What is smaller is slow to reckon with and far below every bound: see `at_most`.
                if weight < 1e-280 {
                    continue;
                }
                let to = if heads + 1 == k { after } else { won * k + heads + 1 };
                next[won * k + heads] += weight * stays;
                next[won * k] += weight * each;
                next[to] += weight * each;
            }
        }
        std::mem::swap(&mut now, &mut next);
    }
    (0..=most).map(|won| now[won * k..][..k].iter().sum()).collect()
}

/// What a sum of such chances is at most: each is rounded some times a step, and what was left out in all these steps is less than 1e-260.
fn at_most(chances: &[f64], k: usize, steps: u64) -> f64 {
    let rounded = 1.0 + (k + 5) as f64 * (steps + chances.len() as u64) as f64 * f64::EPSILON;
    chances.iter().sum::<f64>() * rounded + 1e-260
}

/// Of all words of so many interactions, those after which each holds.
fn words(
    n: usize,
    steps: u32,
    initial: &[State],
    protocol: PplPrime,
    ends: impl Fn(&[State]) -> usize,
    most: usize,
) -> Vec<f64> {
    let mut counts = vec![0.0; most + 1];
    for mut code in 0..(n as u64).pow(steps) {
        let mut config = initial.to_vec();
        for _ in 0..steps {
            let i = (code % n as u64) as usize;
            code /= n as u64;
            let j = (i + 1) % n;
            let (mut l, mut r) = (config[i], config[j]);
            protocol.interact(&mut l, &mut r, Input::default());
            (config[i], config[j]) = (l, r);
        }
        counts[ends(&config)] += 1.0;
    }
    counts
}

/// Every word on a small ring: the signal that is there plays the game, and so does each clock where there is none. (P'_PL, so that nobody
/// becomes a leader on the way.)
#[test]
fn signals_and_clocks_play_the_game() {
    for (n, kappa, steps) in [(3, 1, 9), (3, 2, 10), (4, 1, 8), (4, 2, 9)] {
        let (ring, protocol) = prime(n, kappa);
        for hits in 0..=protocol.psi {
            let mut initial = vec![State::default(); ring.n()];
            initial[1] = State { signal_r: kappa as u16, hits, ..State::default() };
            let kappa = kappa as usize;
            let left = |config: &[State]| kappa - config.iter().map(|v| usize::from(v.signal_r)).sum::<usize>();
            // Hits of psi are as good as one less: they are at most psi after the next head, too.
            let first = usize::from(hits.min(protocol.psi - 1));
            let game = game(n as u64, usize::from(protocol.psi), first, u64::from(steps), kappa, true);
            assert_eq!(words(n, steps, &initial, protocol, left, kappa), game, "signal, n = {n}");
            initial[1].signal_r = 0;
            let clock = |config: &[State]| usize::from(config[1].clock);
            assert_eq!(words(n, steps, &initial, protocol, clock, kappa), game, "clock, n = {n}");
        }
    }
}

/// A signal lives `n kappa (2^psi - 1)` steps in expectation: `kappa` wins of `2^(psi+1) - 2` flips each, one every `n/2` steps. The chain of
/// all configurations says the same, whatever else goes on in them.
#[test]
fn a_signal_lives_as_long_as_the_game_says() {
    let (n, kappa) = (3, 1);
    let (ring, protocol) = prime(n, kappa);
    let mut start = vec![State::default(); n];
    start[0].signal_r = kappa as u16;
    let gone = |config: &[State]| config.iter().all(|v| v.signal_r == 0);
    let plan = Plan { until: Target::Set(&gone), rotate: true, rename: false, most: 2_000_000, observer: &() };
    let chain = chain(&protocol, ring, std::iter::once(start), &plan).unwrap().unwrap();
    let found = solve(&chain, 1e-12, &()).unwrap();
    let (expected, steps) = (found.steps[chain.starts[0].0 as usize], n as u64 * kappa * ((1 << protocol.psi) - 1));
    assert!((expected / steps as f64 - 1.0).abs() < 1e-9, "{expected}");
}

// --- The lemmas -----------------------------------------------------------------------------------------------

/// Lemma "absorbed": after `8 n kappa_max 2^psi` steps a signal with any hits is gone but for a chance of `1/n^2`.
#[test]
fn a_signal_is_gone_in_time() {
    for n in [3, 4, 5, 6, 7, 8] {
        let (psi, kappa) = (psi(n), C1 * psi(n));
        let steps = (8 * n * kappa) << psi;
        for hits in 0..psi as usize {
            let there = &game(n, psi as usize, hits, steps, kappa as usize, false)[..kappa as usize];
            assert!(at_most(there, psi as usize, steps) <= (n as f64).powi(-2), "n = {n}, hits = {hits}");
        }
    }
}

/// Lemma "keep_construction", (i): within `6n^2` steps after it was made, a signal meets at most `24n` interactions, has not died of them,
/// and no clock has won `kappa_max/2` times. (That it has come round by then is Lemma "base".)
#[test]
fn a_signal_comes_round() {
    for n in [3, 4, 5, 8, 16, 32, 64, 128, 256, 512] {
        let (psi, kappa, low) = (psi(n), C1 * psi(n), 1.0 / n as f64);
        // With k = 1 a win is a head, so that wins and tails together are all flips.
        let flips = |steps: u64, most: u64| {
            let (mut term, mut over) = (1.0_f64, 0.0);
            let (p, rest) = (2.0 / n as f64, 1.0 - 2.0 / n as f64);
            // The greatest term first, and only ratios of terms, since (1 - 2/n)^steps is too small to be a number.
            let (peak, mut sum) = ((steps as f64 * p) as u64, 1.0);
            for i in peak..steps {
                term *= (steps - i) as f64 / (i + 1) as f64 * p / rest;
                sum += term;
                over += if i + 1 > most { term } else { 0.0 };
                if term < 1e-280 {
                    break;
                }
            }
            // Those below the peak would only make it smaller.
            over / sum
        };
        assert!(flips(6 * n * n, 24 * n) <= low, "(B), n = {n}");
        // Every interaction that it meets is a flip, so there the game has its own pace: n = 2.
        let died = &game(2, psi as usize, 0, 24 * n, kappa as usize, false)[kappa as usize..];
        assert!(at_most(died, psi as usize, 24 * n) <= (n as f64).powi(-6), "(C), n = {n}");
        let half = (kappa / 2) as usize;
        let worst = (0..psi as usize).map(|hits| game(2, psi as usize, hits, 24 * n, half, false)[half]);
        let worst = worst.fold(0.0, f64::max);
        assert!(n as f64 * at_most(&[worst], psi as usize, 24 * n) <= low, "clocks, n = {n}");
    }
}

/// Lemma "keep_construction", (ii): from clocks of at most `kappa_max/2` on, nobody's is `kappa_max` within the next `(n kappa_max / 16) 2^psi` steps but
/// for a chance of `1/n^2` an agent. Signals only take clocks down.
#[test]
fn construction_is_kept() {
    for n in [3, 4, 5, 6, 7, 8, 16, 32] {
        let (psi, kappa) = (psi(n), C1 * psi(n));
        let (steps, half) = (((n * kappa) << psi) / 16, (kappa / 2) as usize);
        for hits in 0..psi as usize {
            let out = &game(n, psi as usize, hits, steps, half, false)[half..];
            assert!(at_most(out, psi as usize, steps) <= (n as f64).powi(-2), "n = {n}, hits = {hits}");
        }
    }
}

/// The numbers of the lemmas cannot be moved at will: a tenth of the steps is too few for a signal to be gone, and eight times as many too
/// many for the clocks.
#[test]
fn other_numbers_would_be_wrong() {
    let (n, psi, kappa) = (8, 3, C1 * 3);
    let steps = ((8 * n * kappa) << psi) / 10;
    let there: f64 = game(n, psi, 0, steps, kappa as usize, false)[..kappa as usize].iter().sum();
    assert!(there > 1.0 / 64.0, "{there}");
    let (steps, half) = (((n * kappa) << psi) / 2, (kappa / 2) as usize);
    let out = game(n, psi, 0, steps, half, false)[half];
    assert!(out > 1.0 / 64.0, "{out}");
}
