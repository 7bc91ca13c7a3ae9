//! The sets as circuits, read with `bool`, against the executable predicates; and what "for every kappa_max" rests on.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use ringleader::protocol::{Input, Params, Protocol, Transition, uniform};
use ringleader::protocols::ppl::{Mode, Ppl, State};
use ringleader::random::{Generator, Stream, below, index, stream};
use ringleader::ring::{Orientation, Ring};
use ringleader_proof::machine::{Config, Machine};
use ringleader_proof::sets::PplSets;

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
