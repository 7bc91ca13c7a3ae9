//! The sets are written once and read twice: both readings agree. And what "for every kappa_max" rests on.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use ringleader::agree::Disagreement;
use ringleader::blueprint::Declared;
use ringleader::circuit::{Agent, Bit, Circuit, WithCircuit};
use ringleader::params::Params;
use ringleader::protocol::{Input, Protocol, Transition, uniform};
use ringleader::protocols::elim::sets::{in_c_pb, peaceful};
use ringleader::protocols::pcl::{self, Pcl};
use ringleader::protocols::por::{self, Direction, Por};
use ringleader::protocols::ppl::sets::Sets;
use ringleader::protocols::ppl::{Mode, Ppl, State};
use ringleader::protocols::ysm::{self, Ysm};
use ringleader::random::{Generator, Stream, below, index, stream};
use ringleader::ring::{Orientation, Ring};
use ringleader_notation::graph::in_fresh_arena;
use ringleader_proof::symbolic::{NamedCircuit, Symbolic};

const SEED: u64 = 5;

fn lab(n: usize, psi: u64, kappa: u64) -> (Ring, Ppl) {
    let ring = Ring::new(n, Orientation::Directed).unwrap();
    let params = Params::default().with("psi", psi).with("kappa", kappa).with("unsound", 1);
    (ring, Ppl::new(ring, &params).unwrap())
}

/// Members of the safe set, near misses and random configurations.
fn sample<P: Declared>(protocol: &P, ring: Ring, k: usize, generator: &mut Generator) -> Vec<P::State> {
    let name = if k.is_multiple_of(5) { "uniform" } else { "safe" };
    let start = P::blueprint().starts.into_iter().find(|start| start.named.name == name).unwrap();
    let (variables, mut config) = (protocol.variables(), (start.make)(protocol, ring, generator));
    for _ in 0..k % 4 {
        let (i, v) = (index(generator, ring.n()), index(generator, variables.0.len()));
        variables.0[v].randomise(&mut config[i], generator);
    }
    config
}

/// On configurations that are certain the reading with literals is made of constants, and they are what the reading with `bool` says.
macro_rules! both_readings_agree {
    ($protocol:ty, $params:expr, $facts:ident) => {{
        let (mut generator, mut seen) = (stream(SEED, Stream::Start), Vec::new());
        for (n, k) in (3..=17).flat_map(|n| (0..60).map(move |k| (n, k))) {
            let blueprint = <$protocol>::blueprint();
            let ring = Ring::new(n, blueprint.about.ring).unwrap();
            let protocol = (blueprint.make)(ring, &$params(n)).unwrap();
            let circuit = NamedCircuit::of(&protocol).unwrap().unwrap();
            let config = sample(&protocol, ring, k, &mut generator);
            let clear = $facts(&protocol, &config);
            let literal = in_fresh_arena(Box::new(|| None), || {
                let agents: Vec<Symbolic<'_, _>> = config.iter().map(|state| circuit.agent(state)).collect();
                $facts(&protocol, &agents).into_iter().map(|lit| lit.constant()).collect::<Option<Vec<bool>>>()
            });
            assert_eq!(literal.as_ref(), Some(&clear), "seed {SEED}, n {n}, k {k}: {config:?}");
            seen.extend(clear);
        }
        let holds = seen.iter().filter(|&&fact| fact).count();
        assert!(seen.len() / 20 < holds && holds < seen.len() * 19 / 20, "{holds} of {} hold", seen.len());
    }};
}

fn of_p_pl<A: Agent<State = State>>(ppl: &Ppl, config: &[A]) -> Vec<A::Bit> {
    let sets = Sets::new(ppl.psi, config);
    let of_u_0 = (0..config.len()).flat_map(|u_0| [sets.s_pl(u_0), sets.s_pl_literal(u_0), sets.c_dl(u_0)]);
    let correct = sets.tokens_correct(0, 0..sets.zeta());
    let mut peaceful: Vec<(usize, A::Bit)> = peaceful(config).collect();
    peaceful.sort_by_key(|(i, _)| *i);
    let all = [in_c_pb(config), sets.perfect(), sets.eq_dist(), correct];
    all.into_iter().chain(of_u_0).chain(peaceful.into_iter().map(|(_, peaceful)| peaceful)).collect()
}

fn of_ysm<A: Agent<State = ysm::State>>(_: &Ysm, config: &[A]) -> Vec<A::Bit> {
    (0..config.len()).map(|u_0| ysm::safe_with(config, u_0)).chain([in_c_pb(config)]).collect()
}

fn of_p_or<A: Agent<State = por::State>>(_: &Por, config: &[A]) -> Vec<A::Bit> {
    let of_agent = |i: usize| {
        let ways = [Direction::Right, Direction::Left].map(|way| por::points(config, i, way));
        [ways[0], ways[1], por::is_head(config, i), por::is_alone(config, i), por::is_obstacle(config, i)]
    };
    let all = [por::inputs_right(config), por::is_oriented(config)];
    all.into_iter().chain((0..config.len()).flat_map(of_agent)).collect()
}

fn of_p_cl<A: Agent<State = pcl::State>>(_: &Pcl, config: &[A]) -> Vec<A::Bit> {
    let red = (0..config.len()).map(|i| pcl::is_red(config, i));
    [pcl::red_free(config)].into_iter().chain(red).collect()
}

#[test]
fn both_readings_of_every_set_agree() {
    let psi = |n: usize| Params::default().with("psi", 2 + n as u64 % 4).with("kappa", 1 + n as u64 % 3);
    both_readings_agree!(Ppl, |n| psi(n).with("unsound", 1), of_p_pl);
    both_readings_agree!(Ysm, |n| Params::default().with("bound", n as u64), of_ysm);
    // Few colours, so that conflicts are common.
    both_readings_agree!(Por, |_| Params::default().with("colors", 3), of_p_or);
    both_readings_agree!(Pcl, |_| Params::default().with("colors", 3), of_p_cl);
}

/// Decodes random codes of all planes.
struct Decode(Generator);

impl WithCircuit<State> for Decode {
    type Output = ();

    fn with<C: Circuit<State = State>>(mut self, circuit: C) {
        for _ in 0..1000 {
            let bits = (0..circuit.planes()).map(|plane| u128::from(below(&mut self.0, 2)) << plane);
            let _ = circuit.decode(bits.sum());
        }
    }
}

/// What bits decode to that no state has does not matter, but it must be something.
#[test]
fn every_code_decodes() {
    for psi in [2, 3, 7, 8, 9, 31] {
        lab(3, psi, 5).1.with_circuit(Decode(stream(SEED, Stream::Start))).unwrap();
    }
}

/// A circuit whose responder is never a leader.
#[derive(Clone)]
struct Planted<C>(C);

impl<C: Circuit<State = ysm::State>> Circuit for Planted<C> {
    type State = ysm::State;
    type Core = Self;

    fn core(&self) -> &Self {
        self
    }

    fn planes(&self) -> usize {
        self.0.planes()
    }
    fn encode(&self, state: &ysm::State) -> u128 {
        self.0.encode(state)
    }
    fn decode(&self, code: u128) -> ysm::State {
        self.0.decode(code)
    }
    fn interact<B: Bit>(&self, l: &mut [B], r: &mut [B], input: &[B], when: B) -> B {
        let changed = self.0.interact(l, r, input, when);
        self.0.leader_plane().into_iter().for_each(|plane| r[plane] = r[plane] & !when);
        changed
    }
}

struct Plant<'a>(&'a Ysm);

impl WithCircuit<ysm::State> for Plant<'_> {
    type Output = Option<Disagreement>;

    fn with<C: Circuit<State = ysm::State>>(self, circuit: C) -> Self::Output {
        NamedCircuit::new(self.0, Planted(circuit)).err()
    }
}

#[test]
fn a_circuit_that_differs_is_not_used() {
    let ysm = Ysm::new(Ring::new(5, Orientation::Directed).unwrap(), &Params::default()).unwrap();
    let found = ysm.with_circuit(Plant(&ysm)).unwrap().unwrap();
    assert_eq!(found.what, "r.leader", "{found}");
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
        let config = uniform(&many, ring, &mut generator);
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

/// A bit is called after its variable, and a value is spelt as the legend of certificates says.
#[test]
fn bits_are_named_and_values_spelt_as_the_legend_says() {
    let (ring, ppl) = lab(5, 3, 2);
    let circuit = NamedCircuit::of(&ppl).unwrap().unwrap();
    let (codes, variables, mut generator) = (circuit.codes(), ppl.variables(), stream(SEED, Stream::Start));
    for k in 0..200 {
        let state = sample(&ppl, ring, k, &mut generator)[k % 5];
        let bits: Vec<(String, _)> = circuit.agent(&state).bits().collect();
        for (variable, code) in variables.0.iter().zip(&codes) {
            let of_it = bits.iter().filter(|(name, _)| name.split('[').next() == Some(&*variable.name));
            let spelt: String = of_it.map(|(_, bit)| if bit.constant() == Some(true) { '1' } else { '0' }).collect();
            let entry = format!("{}={spelt}", variable.get(&state));
            assert!(code.starts_with(&format!("{}:", variable.name)), "{code}");
            assert!(code.split(' ').any(|known| known == entry), "{entry} is not in {code}");
        }
    }
}
