//! YSM21: self-stabilizing leader election on directed rings with O(N) states, for a known bound N on n
//! (Yokota, Sudo and Masuzawa, 2021).
//!
//! Every agent counts its distance from the nearest leader on its left. Where there is no leader the count reaches N,
//! which no ring of at most N agents with a leader allows, and the agent that finds this becomes one.
//! *EliminateLeaders* then leaves one leader.
//!
//! Whose rules these are: the paper cites this system without giving its rules. **Rule 1 is a reconstruction**, from the
//! number of states and the time that the paper states. **Rule 2 is verbatim**: *EliminateLeaders*, Algorithm 5 of the
//! paper, unchanged and shared with P_PL.

use crate::blueprint::{Blueprint, Declared, Origin};
use crate::circuit::{Agent, WithCircuit, all, and};
use crate::error::Error;
use crate::params::{Params, Settings};
use crate::portrait::PictureRow;
use crate::protocol::{Input, Protocol, Transition, leaders, n_squared_log_n, uniform};
use crate::protocols::elim::sets::{c_pb, in_c_pb, leads_alone, outside_c_pb, peace};
use crate::protocols::elim::{eliminate_leaders, make_peace, war, war_row};
use crate::random::{Generator, below, index};
use crate::ring::{MAX_N, Orientation, Ring};
use crate::value::{Text, Value, named, why_not};
use crate::variable;
use crate::variables::{Domain, Variables};

pub mod circuit;

use circuit::YsmCircuit;

/// The largest `N`.
pub const MAX_BOUND: u64 = MAX_N as u64;

/// The state of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[expect(missing_docs, reason = "the names are the paper's")]
pub struct State {
    pub leader: u8,
    pub dist: u32,
    pub bullet: u8,
    pub shield: u8,
    pub signal_b: u8,
}

war!(State);

/// YSM21 with its bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ysm {
    /// `N`, at least n.
    pub bound: u32,
}

impl Ysm {
    /// Rule 1, a reconstruction: `dist` counts from the leader; a count of N proves that there is none.
    #[inline]
    fn count(&self, l: &State, r: &mut State) {
        if r.leader == 1 {
            r.dist = 0;
        } else if l.dist + 1 < self.bound {
            r.dist = l.dist + 1;
        } else {
            r.dist = 0;
            (r.leader, r.bullet, r.shield, r.signal_b) = (1, 2, 1, 0);
        }
    }
}

impl Transition for Ysm {
    type State = State;

    #[inline]
    fn interact(&self, l: &mut State, r: &mut State, _: Input) {
        self.count(l, r);
        // Rule 2, verbatim.
        eliminate_leaders(l, r);
    }
}

/// Where `dist` counts from `u_0`.
pub fn counts_from<A: Agent<State = State>>(config: &[A], u_0: usize) -> A::Bit {
    let agents = config[u_0..].iter().chain(&config[..u_0]);
    all(agents.enumerate().map(|(i, u)| u.ask(("dist", i as isize, &["dist"]), |v| v.dist as usize == i)))
}

/// Where `u_0` is the only leader, `dist` counts from it, and every live bullet is peaceful.
pub fn safe_with<A: Agent<State = State>>(config: &[A], u_0: usize) -> A::Bit {
    and(counts_from(config, u_0), || and(leads_alone(config, u_0), || peace(config)))
}

/// Whether there is exactly one leader and `dist` counts from it.
fn counted(config: &[State]) -> bool {
    first_leader(config).is_some_and(|u_0| counts_from(config, u_0) && leads_alone(config, u_0))
}

fn first_leader(config: &[State]) -> Option<usize> {
    config.iter().position(|v| v.leader == 1)
}

/// Two shielded leaders, half a ring apart, with `dist` right for both.
fn two_leaders(_: &Ysm, ring: Ring, _: &mut Generator) -> Vec<State> {
    let half = ring.n() / 2;
    let agent = |i: usize| {
        let dist = if i < half { i } else { i - half };
        let leader = u8::from(dist == 0);
        State { leader, shield: leader, dist: dist as u32, ..State::default() }
    };
    (0..ring.n()).map(agent).collect()
}

/// A random member of the safe set: a uniform configuration, repaired.
fn safe(ysm: &Ysm, ring: Ring, generator: &mut Generator) -> Vec<State> {
    let (n, mut config) = (ring.n(), uniform(ysm, ring, generator));
    let u_0 = index(generator, n);
    for i in 0..n {
        let v = &mut config[(u_0 + i) % n];
        (v.leader, v.dist) = (u8::from(i == 0), i as u32);
    }
    make_peace(&mut config, u_0, below(generator, 2) == 0);
    config
}

impl Ysm {
    /// YSM21 with its bound on n.
    ///
    /// # Errors
    /// If the bound is below n.
    pub fn new(ring: Ring, params: &Params) -> Result<Self, Error> {
        let n = ring.n() as u64;
        let bound = params.get("bound").unwrap_or(n);
        if !(n..=MAX_BOUND).contains(&bound) {
            // With N < n the leader's left neighbour would count to N and declare a second leader, for ever.
            let allowed = format!("N must be at least n, so {n} to {MAX_BOUND}: below n no configuration is safe");
            return Err(Error::new("bound", bound, allowed));
        }
        Ok(Self { bound: bound as u32 })
    }
}

impl Protocol for Ysm {
    fn settings(&self) -> Settings {
        named([("bound", self.bound.into())])
    }

    fn variables(&self) -> Variables<State> {
        Variables(vec![
            variable!("leader", Domain::BIT, State.leader),
            variable!("dist", Domain::up_to(self.bound - 1), State.dist),
            variable!("bullet", Domain::up_to(2), State.bullet),
            variable!("shield", Domain::BIT, State.shield),
            variable!("signalB", Domain::BIT, State.signal_b),
        ])
    }

    fn is_leader(&self, state: &State) -> bool {
        state.leader == 1
    }

    fn is_safe(&self, config: &[State]) -> bool {
        first_leader(config).is_some_and(|u_0| safe_with(config, u_0))
    }

    fn with_circuit<W: WithCircuit<State>>(&self, work: W) -> Option<W::Output> {
        match self.bound {
            ..=1024 => Some(work.with(YsmCircuit::<10>::new(self)?)),
            _ => Some(work.with(YsmCircuit::<20>::new(self)?)),
        }
    }

    /// A count that starts afresh needs about n N steps to reach N.
    fn default_limit(&self, ring: Ring) -> u64 {
        n_squared_log_n(ring, 1000).saturating_add(100 * ring.n() as u64 * u64::from(self.bound))
    }

    fn facts(&self, config: &[State]) -> Vec<(Text, Value)> {
        let leaders = leaders(self, config);
        named([
            ("n", config.len().into()),
            ("L1", (leaders.len() == 1).into()),
            ("Lge1", (!leaders.is_empty()).into()),
            ("dist_right", counted(config).into()),
            ("C_PB", in_c_pb(config).into()),
            ("leaders", leaders.into()),
            ("safe", self.is_safe(config).into()),
            ("why", why_not([("C_PB", outside_c_pb(config))])),
        ])
    }

    fn picture(&self, config: &[State]) -> Vec<PictureRow> {
        let n = config.len();
        let right = |i: usize| match config[i] {
            State { leader: 1, .. } => 'L',
            State { dist, .. } if dist == config[(i + n - 1) % n].dist + 1 => '.',
            _ => '?',
        };
        let legend = "L leader, . dist follows from the left neighbour's, ? it does not";
        vec![PictureRow::new("ring", legend, (0..n).map(right)), war_row(config)]
    }
}

impl Declared for Ysm {
    fn blueprint() -> Blueprint<Self> {
        let blueprint = Blueprint::new("ysm", Orientation::Directed, Self::new)
            .case("YSM21")
            .summary("[YSM21]: counts distances up to N; elects one leader from any configuration")
            .assumption("n <= N = O(n)")
            .bound("Theta(n^2) expected")
            .origin(Origin::Reconstruction)
            .elects()
            .safe("C_PB, one leader, dist right")
            .evidence("proven for n = 3..12 (ringleader prove ysm-safe)")
            .parameter("bound", "N, a bound on n [default: n]")
            .start_all("leaderless", "every variable zero, no leader", State::default())
            .uniform()
            .start_all("all-leaders", "every agent a leader, all else zero", State { leader: 1, ..State::default() })
            .start("two-leaders", "two shielded antipodal leaders, dist right for both", two_leaders)
            .start("safe", "a random safe configuration", safe);
        c_pb(blueprint)
    }
}
