//! Both schedulers have the law of independent uniform arcs: the arcs themselves by chi-square, and, protocol by protocol, hitting
//! times under clocks against those under the plain uniform scheduler, which share nothing with them.
//!
//! Seeds are fixed, and each comparison alone would fail once in 10^4 seeds. Canaries, schedulers that are wrong in
//! a small way, show that the comparisons can see.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{instance, started};
use ringleader::blueprint::Declared;
use ringleader::clocks::{END, Keys};
use ringleader::engine::hitting::{first_in, window};
use ringleader::engine::stepper::Stepper;
use ringleader::instance::Instance;
use ringleader::observer::Pace;
use ringleader::protocol::Protocol;
use ringleader::protocols::{pcl::Pcl, por::Por, ppl::Ppl, ysm::Ysm};
use ringleader::ring::{Interaction, Orientation, Ring};
use ringleader::schedule::{Clocks, Schedule, Uniform};

/// A normal variable is beyond this on either side once in 10^4.
const Z: f64 = 3.891;

// --- Arcs -----------------------------------------------------------------------------------------------------

/// How many normal deviations chi-square is above what counts that are equally likely have (Wilson and Hilferty).
fn chi_square(seen: &[u32]) -> f64 {
    let draws: f64 = seen.iter().copied().map(f64::from).sum();
    let (expected, freedom) = (draws / seen.len() as f64, (seen.len() - 1) as f64);
    let chi: f64 = seen.iter().map(|&k| (f64::from(k) - expected).powi(2) / expected).sum();
    let spread = 2.0 / (9.0 * freedom);
    ((chi / freedom).cbrt() - (1.0 - spread)) / spread.sqrt()
}

fn number(ring: Ring, e: Interaction) -> usize {
    let backward = ring.e(e.initiator) != e;
    match ring.orientation() {
        Orientation::Directed => e.initiator,
        Orientation::Undirected => 2 * if backward { e.responder } else { e.initiator } + usize::from(backward),
    }
}

fn arcs(ring: Ring, mut schedule: impl Schedule, draws: usize) -> Vec<usize> {
    (0..draws).map(|_| number(ring, schedule.next().unwrap())).collect()
}

/// Chi-square of the ordered pairs of arcs that are `lag` apart.
fn pairs(ring: Ring, arcs: &[usize], lag: usize) -> f64 {
    let mut seen = vec![0; ring.arcs() * ring.arcs()];
    arcs.iter().zip(&arcs[lag..]).for_each(|(a, b)| seen[a * ring.arcs() + b] += 1);
    chi_square(&seen)
}

fn directed(n: usize) -> Ring {
    Ring::new(n, Orientation::Directed).unwrap()
}

fn undirected(n: usize) -> Ring {
    Ring::new(n, Orientation::Undirected).unwrap()
}

#[test]
fn pairs_of_arcs_are_uniform_and_independent() {
    for ring in [3, 4, 5, 7, 8, 10, 16, 33].map(directed).into_iter().chain([3, 4, 5, 8].map(undirected)) {
        let (uniform, clocks) = (Uniform::new(ring, 2), Clocks::new(ring, 2));
        for (name, arcs) in [("uniform", arcs(ring, uniform, 1_000_000)), ("clocks", arcs(ring, clocks, 1_000_000))] {
            for lag in [1, 2, 3, ring.n()] {
                let z = pairs(ring, &arcs, lag);
                assert!(z.abs() < Z, "{name}, n = {}, lag {lag}: {z} deviations", ring.n());
            }
        }
    }
}

#[test]
fn arcs_of_large_rings_are_uniform() {
    for n in [101, 1024, 5001] {
        let (ring, mut seen) = (directed(n), vec![0; n]);
        arcs(ring, Clocks::new(ring, 6), 2_000_000).into_iter().for_each(|arc| seen[arc] += 1);
        assert!(chi_square(&seen).abs() < Z, "n = {n}: {} deviations", chi_square(&seen));
    }
}

/// All clocks start afresh in each window: the arcs on both sides of that moment are as independent as any.
#[test]
fn the_seams_of_windows_do_not_show() {
    for n in [3, 4, 5, 8] {
        let (ring, mut seen) = (directed(n), vec![0; n * n]);
        let mut last = 0;
        for window in 0..20_000 {
            let clocks = Clocks::from_window(ring, 7, window);
            let many = clocks.in_window();
            let here = arcs(ring, clocks, many);
            seen[last * n + here[0]] += u32::from(window > 0);
            last = here[many - 1];
        }
        assert!(chi_square(&seen).abs() < Z, "n = {n}: {} deviations, {seen:?}", chi_square(&seen));
    }
}

/// Clocks that tell only 64 times in a slot apart; ties are won by the lower edge.
#[derive(Clone)]
struct Coarse {
    ring: Ring,
    window: u64,
    /// Time and edge of what is left of the window, the next one last.
    ticks: Vec<(u32, usize)>,
}

impl Schedule for Coarse {
    fn next(&mut self) -> Option<Interaction> {
        while self.ticks.is_empty() {
            let keys = Keys::new(2, self.window);
            self.window += 1;
            for edge in 0..self.ring.n() {
                let clock = keys.clock(edge, self.ring.n());
                let times = std::iter::successors(Some(clock.first()), |&t| Some(clock.next(t)));
                self.ticks.extend(times.take_while(|&t| t < END).map(|t| (t >> 19, edge)));
            }
            self.ticks.sort_unstable_by(|a, b| b.cmp(a));
        }
        self.ticks.pop().map(|(_, edge)| self.ring.e(edge))
    }

    fn coin(&mut self, _: u64) -> Option<u64> {
        None
    }
}

#[test]
fn canary_ties_that_one_side_wins_are_seen() {
    for n in [3, 10] {
        let ring = directed(n);
        let z = pairs(ring, &arcs(ring, Coarse { ring, window: 0, ticks: Vec::new() }, 1_000_000), 1);
        assert!(z > Z, "n = {n}: {z} deviations");
    }
}

// --- Hitting times --------------------------------------------------------------------------------------------

/// The first safe step, by windows and bisection.
fn hitting_time<P: Protocol>(protocol: &P, config: Vec<P::State>, schedule: impl Schedule) -> u64 {
    let mut stepper = Stepper::new(protocol.clone(), config, schedule);
    let mut before = stepper.clone();
    while !protocol.is_safe(&stepper.config) {
        before = stepper.clone();
        stepper.advance(window(stepper.config.len(), stepper.steps)).unwrap();
    }
    before.steps + first_in(&before, stepper.steps - before.steps, &P::is_safe, &mut Pace::new(&())).unwrap()
}

/// Protocol, parameters, size and start of one comparison.
struct Case<'a> {
    n: usize,
    params: &'a [(&'a str, u64)],
    start: &'a str,
    trials: u64,
}

impl Case<'_> {
    /// Hitting times under the schedules that `schedule` makes of seeds from `first` on, in order.
    fn sample<P: Declared, S: Schedule>(&self, first: u64, schedule: impl Fn(Ring, u64) -> S) -> Vec<u64> {
        let instance: Instance<P> = instance(self.n, self.params);
        let time = |seed| {
            hitting_time(&instance.protocol, started(&instance, self.start, seed), schedule(instance.ring, seed))
        };
        let mut times: Vec<u64> = (first..first + self.trials).map(time).collect();
        times.sort_unstable();
        times
    }
}

/// The largest distance between two empirical distributions, in units in which 1.36 is passed once in 20 and 2.225 once in
/// 10^4 (Kolmogorov and Smirnov).
fn distance(a: &[u64], b: &[u64]) -> f64 {
    let share = |sample: &[u64], x| sample.partition_point(|&y| y <= x) as f64 / sample.len() as f64;
    let largest = a.iter().chain(b).map(|&x| (share(a, x) - share(b, x)).abs()).fold(0.0, f64::max);
    largest * (a.len() as f64 * b.len() as f64 / (a.len() + b.len()) as f64).sqrt()
}

const D: f64 = 2.225;

/// How often a value of `a` is the larger one in a pair with one of `b`, as a normal deviation (Mann and Whitney). Equal values
/// count half; there are too few of them to touch the variance.
fn rank_sum(a: &[u64], b: &[u64]) -> f64 {
    let (m, k) = (a.len() as f64, b.len() as f64);
    let wins = |&x: &u64| (b.partition_point(|&y| y < x) + b.partition_point(|&y| y <= x)) as f64 / 2.0;
    let sum: f64 = a.iter().map(wins).sum();
    (sum - m * k / 2.0) / (m * k * (m + k + 1.0) / 12.0).sqrt()
}

fn compare<P: Declared>(case: &Case<'_>) {
    let clocks = case.sample::<P, _>(0, Clocks::new);
    let uniform = case.sample::<P, _>(1 << 32, Uniform::new);
    let (d, z) = (distance(&clocks, &uniform), rank_sum(&clocks, &uniform));
    let mean = |times: &[u64]| times.iter().sum::<u64>() as f64 / times.len() as f64;
    let what = format!("{} n = {} from {}, {} trials each", P::blueprint().about.name, case.n, case.start, case.trials);
    println!("{what}: means {:.1} and {:.1}, distance {d:.2}, rank sum {z:.2}", mean(&clocks), mean(&uniform));
    assert!(d < D && z.abs() < Z, "{what}: distance {d}, rank sum {z}");
}

#[test]
fn hitting_times_of_p_pl_are_those_of_the_uniform_scheduler() {
    let case = |n, start, trials| Case { n, params: &[], start, trials };
    compare::<Ppl>(&case(8, "leaderless", 2_000));
    compare::<Ppl>(&Case { params: &[("kappa", 8)], ..case(8, "leaderless", 4_000) });
    compare::<Ppl>(&Case { params: &[("kappa", 8)], ..case(16, "leaderless", 2_000) });
    compare::<Ppl>(&Case { params: &[("kappa", 8)], ..case(32, "leaderless", 1_000) });
    for (n, trials) in [(8, 4_000), (16, 4_000), (32, 2_000)] {
        compare::<Ppl>(&case(n, "uniform", trials));
        compare::<Ppl>(&case(n, "all-leaders", trials));
    }
}

#[test]
fn hitting_times_of_the_other_protocols_are_those_of_the_uniform_scheduler() {
    let case = |n, start, trials| Case { n, params: &[], start, trials };
    compare::<Ysm>(&case(16, "leaderless", 3_000));
    compare::<Ysm>(&case(17, "uniform", 3_000));
    compare::<Por>(&case(16, "uniform", 3_000));
    compare::<Por>(&case(15, "two-segments", 3_000));
    compare::<Pcl>(&Case { params: &[("colors", 4)], ..case(16, "one-color", 3_000) });
    compare::<Pcl>(&case(9, "one-color", 3_000));
}

/// The uniform scheduler, except that arc 0 is drawn again every fourth time.
#[derive(Clone)]
struct Lame(Ring, Uniform, u64);

impl Schedule for Lame {
    fn next(&mut self) -> Option<Interaction> {
        let drawn = self.1.next();
        self.2 += u64::from(drawn == Some(self.0.arc(0)));
        if drawn == Some(self.0.arc(0)) && self.2.is_multiple_of(4) { self.1.next() } else { drawn }
    }

    fn coin(&mut self, sides: u64) -> Option<u64> {
        self.1.coin(sides)
    }
}

#[test]
fn canary_an_edge_that_is_slower_than_the_others_is_seen() {
    let case = Case { n: 8, params: &[("kappa", 8)], start: "leaderless", trials: 4_000 };
    let lame = case.sample::<Ppl, _>(0, |ring, seed| Lame(ring, Uniform::new(ring, seed), 0));
    let uniform = case.sample::<Ppl, _>(1 << 32, Uniform::new);
    let (d, z) = (distance(&lame, &uniform), rank_sum(&lame, &uniform));
    println!("distance {d:.2}, rank sum {z:.2}");
    assert!(d > D || z.abs() > Z, "distance {d}, rank sum {z}");
}
