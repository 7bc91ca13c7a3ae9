//! The sets as circuits, read with `bool`, against the executable predicates; and what "for every kappa_max" rests on.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use ringleader::protocol::{Input, Params, Protocol, Transition, uniform};
use ringleader::protocols::pcl::{self, Pcl};
use ringleader::protocols::por::{self, Direction, Por};
use ringleader::protocols::ppl::{Mode, Ppl, State};
use ringleader::random::{Generator, Stream, below, index, stream};
use ringleader::ring::{Orientation, Ring};
use ringleader_proof::machine::{Config, Machine};
use ringleader_proof::sets::PplSets;
use ringleader_proof::sets::undirected::{PclSets, PorSets};

const SEED: u64 = 5;

fn lab(n: usize, psi: u64, kappa: u64) -> (Ring, Ppl) {
    let ring = Ring::new(n, Orientation::Directed).unwrap();
    let params = Params::default().with("psi", psi).with("kappa", kappa).with("unsound", 1);
    (ring, Ppl::new(ring, &params).unwrap())
}

/// Members, near misses and random configurations.
fn sample(ppl: &Ppl, ring: Ring, k: usize, generator: &mut Generator) -> Vec<State> {
    if k.is_multiple_of(7) {
        return uniform(ppl, ring, generator).unwrap();
    }
    let safe = Ppl::starts().into_iter().find(|start| start.name == "safe").unwrap().make;
    let (variables, mut config) = (ppl.variables(), safe(ppl, ring, generator).unwrap());
    for _ in 0..k % 4 {
        let (i, v) = (index(generator, ring.n()), index(generator, variables.0.len()));
        variables.0[v].randomise(&mut config[i], generator);
    }
    config
}

#[test]
fn circuits_of_sets_equal_the_executable_predicates() {
    let mut generator = stream(SEED, Stream::Start);
    let mut members = [0_usize; 5];
    let mut total = 0;
    for psi in 2..=5_usize {
        for n in 3..=17 {
            let (ring, ppl) = lab(n, psi as u64, 1 + (n as u64) % 3);
            let machine = Machine::of(&ppl).unwrap();
            let sets = PplSets::new(&machine, n, psi);
            for k in 0..60 {
                let mut config = sample(&ppl, ring, k, &mut generator);
                // The circuits speak of u_0 as the leader.
                if let Some(u_0) = ppl.sets(&config).unique_leader() {
                    config.rotate_left(u_0);
                }
                let bits: Config<bool> = config.iter().map(|state| machine.encode(state)).collect();
                let truth = ppl.sets(&config);
                let pairs = [
                    (sets.s_pl(&bits), truth.in_s_pl()),
                    (sets.s_pl_literal(&bits), truth.in_s_pl_literal()),
                    (sets.c_dl(&bits), truth.in_c_dl()),
                    (sets.war.c_pb(&bits), truth.in_c_pb()),
                    (sets.perfect(&machine, &bits), truth.perfect()),
                ];
                for (set, (circuit, program)) in pairs.into_iter().enumerate() {
                    assert_eq!(circuit, program, "set {set}, seed {SEED}, n {n}, psi {psi}: {config:?}");
                    members[set] += usize::from(program);
                }
                let peaceful: Vec<bool> = (0..n).map(|i| truth.peaceful(i)).collect();
                assert_eq!(sets.war.peaceful(&bits), peaceful, "seed {SEED}, n {n}, psi {psi}: {config:?}");
                total += 1;
            }
        }
    }
    assert!(
        members.iter().all(|&of| total / 10 < of && of < total * 19 / 20),
        "{members:?} of {total} do not discriminate"
    );
}

/// A start of a protocol by its name.
fn started<P: Protocol>(protocol: &P, ring: Ring, name: &str, generator: &mut Generator) -> Vec<P::State> {
    let start = P::starts().into_iter().find(|start| start.name == name).unwrap();
    (start.make)(protocol, ring, generator).unwrap()
}

/// A protocol with few colours, so that conflicts are common, and a configuration that is often near its safe set.
fn coloured<P: Protocol>(n: usize, k: usize, generator: &mut Generator) -> (P, Vec<P::State>) {
    let ring = Ring::new(n, P::ABOUT.ring).unwrap();
    let protocol = P::new(ring, &Params::default().with("colors", 3)).unwrap();
    let mut config = started(&protocol, ring, if k.is_multiple_of(3) { "uniform" } else { "safe" }, generator);
    let variables = protocol.variables();
    for _ in 0..k % 4 {
        let (i, v) = (index(generator, n), index(generator, variables.0.len()));
        variables.0[v].randomise(&mut config[i], generator);
    }
    (protocol, config)
}

#[test]
fn circuits_of_p_or_equal_the_executable_predicates() {
    let mut generator = stream(SEED, Stream::Start);
    let mut seen = [0_usize; 4];
    for (n, k) in (3..=9).flat_map(|n| (0..200).map(move |k| (n, k))) {
        let (por, config) = coloured::<Por>(n, k, &mut generator);
        let machine = Machine::of(&por).unwrap();
        let (sets, bits) =
            (PorSets(&machine), config.iter().map(|state| machine.encode(state)).collect::<Config<bool>>());
        let shown = format!("seed {SEED}, n {n}: {config:?}");
        assert_eq!(sets.inputs_right(&bits), por::inputs_right(&config), "{shown}");
        assert_eq!(sets.oriented(&bits), por::oriented(&config).is_some(), "{shown}");
        let points = |i: usize| [Direction::Right, Direction::Left].map(|way| por::points(&config, i, way));
        (0..n).for_each(|i| assert_eq!([sets.right(&bits, i), sets.left(&bits, i)], points(i), "{shown}"));
        seen[0] += usize::from(por::inputs_right(&config));
        seen[1] += usize::from(por::oriented(&config).is_some());
        // Heads and obstacles are meant where every agent points at one neighbour.
        if !(por::inputs_right(&config) && sets.all_point(&bits)) {
            continue;
        }
        let segments = por::segments(&config);
        let alone = |i: usize| segments.iter().any(|one| one.length == 1 && one.head == Some(i));
        for i in 0..n {
            assert_eq!(sets.obstacle(&bits, i), por::obstacles(&config).contains(&i), "u_{i}, {shown}");
            assert_eq!(sets.head(&bits, i), segments.iter().any(|one| one.head == Some(i)), "u_{i}, {shown}");
            assert_eq!(sets.alone(&bits, i), alone(i), "u_{i}, {shown}");
            seen[2] += usize::from(sets.obstacle(&bits, i));
            seen[3] += usize::from(sets.alone(&bits, i));
        }
    }
    assert!(seen.iter().all(|&seen| seen > 50), "{seen:?} do not discriminate");
}

#[test]
fn circuits_of_p_cl_equal_the_executable_predicates() {
    let mut generator = stream(SEED, Stream::Start);
    let mut seen = [0_usize; 2];
    for (n, k) in (3..=9).flat_map(|n| (0..200).map(move |k| (n, k))) {
        let (pcl, config) = coloured::<Pcl>(n, k, &mut generator);
        let machine = Machine::of(&pcl).unwrap();
        let (sets, bits) =
            (PclSets(&machine), config.iter().map(|state| machine.encode(state)).collect::<Config<bool>>());
        let red: Vec<bool> = (0..n).map(|i| pcl::is_red(&config, i)).collect();
        let shown = format!("seed {SEED}, n {n}: {config:?}");
        assert_eq!((0..n).map(|i| sets.red(&bits, i)).collect::<Vec<bool>>(), red, "{shown}");
        assert_eq!(sets.red_free(&bits), pcl::red_free(&config), "{shown}");
        let conflicts = |i: usize| config[i].stamp_conflict(&config[(i + 1) % n]);
        (0..n).for_each(|i| assert_eq!(sets.stamp_conflict(&bits, i), conflicts(i), "u_{i}, {shown}"));
        seen[usize::from(pcl::red_free(&config))] += 1;
    }
    assert!(seen.iter().all(|&seen| seen > 100), "{seen:?} do not discriminate");
}

/// What bits decode to that no state has does not matter, but it must be something.
#[test]
fn every_code_decodes() {
    let mut generator = stream(SEED, Stream::Start);
    for psi in [2, 3, 7, 8, 9, 31] {
        let (_, ppl) = lab(3, psi, 5);
        let machine = Machine::of(&ppl).unwrap();
        let planes = machine.encode(&State::default()).len();
        for _ in 0..1000 {
            let bits: Vec<bool> = (0..planes).map(|_| below(&mut generator, 2) == 1).collect();
            let _ = machine.decode(&bits);
        }
    }
}

/// Beyond `mode`, `clock`, `signal_R` and `hits` themselves an interaction depends on them only through the mode of r, and with
/// kappa_max = 1 that mode can be had as well: so one kappa_max stands for all in claims about one interaction.
#[test]
fn one_kappa_stands_for_all() {
    let mut generator = stream(SEED, Stream::Start);
    let mut detected = 0;
    for k in 0..40_000_u64 {
        let (psi, kappa) = (2 + k % 5, 1 + below(&mut generator, 4));
        let ((ring, many), (_, one)) = (lab(3, psi, kappa), lab(3, psi, 1));
        let config = uniform(&many, ring, &mut generator).unwrap();
        let (mut l, mut r) = (config[0], config[1]);
        if k.is_multiple_of(2) {
            (l.leader, l.signal_r, r.signal_r, r.clock) = (0, 0, 0, many.kappa_max);
        }
        let (mut l_one, mut r_one) = (l, r);
        many.interact(&mut l, &mut r, Input::default());
        detected += usize::from(r.mode == Mode::Detect);
        for v in [&mut l_one, &mut r_one] {
            (v.signal_r, v.hits, v.clock) = (0, 0, u16::from(r.mode == Mode::Detect));
        }
        one.interact(&mut l_one, &mut r_one, Input::default());
        let rest = |v: State| State { mode: Mode::Construct, clock: 0, signal_r: 0, hits: 0, ..v };
        assert_eq!((rest(l), rest(r), r.mode), (rest(l_one), rest(r_one), r_one.mode), "seed {SEED}, trial {k}");
    }
    assert!((10_000..35_000).contains(&detected), "{detected}");
}
