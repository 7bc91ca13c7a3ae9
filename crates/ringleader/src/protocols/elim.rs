//! EliminateLeaders alone: the war of bullets and shields of P_PL (Algorithm 5), with nothing that creates a leader.
//!
//! A leader that learns of no bullet in flight shoots one, live with a shield or dummy without, as it happens to be initiator or
//! responder; a live bullet kills the next leader that has no shield. One leader is left, provided that there was one and that every live
//! bullet was *peaceful* (C_PB). A ring without leaders stays without, which is why nothing is promised outside C_PB.
//!
//! The rules are the paper's own, shared with P_PL.

use crate::error::Error;
use crate::protocol::{
    About, Input, Origin, Params, Phase, PictureRow, Promise, Protocol, Start, Transition, leaders, uniform,
};
use crate::protocols::ppl::{eliminate_leaders, picture, sets::c_pb, sets::in_c_pb, starts::make_peace, war};
use crate::random::{Generator, below, index};
use crate::ring::{Orientation, Ring};
use crate::value::Value;
use crate::variable;
use crate::variables::{Domain, Variables};

/// The state of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[expect(missing_docs, reason = "the names are the paper's")]
pub struct State {
    pub leader: u8,
    pub bullet: u8,
    pub shield: u8,
    pub signal_b: u8,
}

war!(State);

/// EliminateLeaders alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elim;

impl Transition for Elim {
    type State = State;

    #[inline]
    fn interact(&self, l: &mut State, r: &mut State, _: Input) {
        eliminate_leaders(l, r);
    }
}

/// Two shielded leaders, half a ring apart.
fn two_leaders(_: &Elim, ring: Ring, _: &mut Generator) -> Result<Vec<State>, Error> {
    let leader = |i: usize| u8::from(i == 0 || i == ring.n() / 2);
    Ok((0..ring.n()).map(|i| State { leader: leader(i), shield: leader(i), ..State::default() }).collect())
}

/// A random member of the safe set: a uniform configuration, repaired.
fn safe(elim: &Elim, ring: Ring, generator: &mut Generator) -> Result<Vec<State>, Error> {
    let mut config = uniform(elim, ring, generator)?;
    let u_0 = index(generator, ring.n());
    config.iter_mut().for_each(|v| v.leader = 0);
    config[u_0].leader = 1;
    make_peace(&mut config, u_0, below(generator, 2) == 0);
    Ok(config)
}

impl Protocol for Elim {
    const ABOUT: About = About {
        name: "elim",
        case: "EliminateLeaders",
        summary: "EliminateLeaders, Algorithm 5, alone: leaves one of many leaders",
        ring: Orientation::Directed,
        assumption: "starts in C_PB",
        bound: "O(n^2 log n)",
        origin: Origin::Paper,
        elects: true,
        safe: "C_PB, one leader",
        parameters: &[],
    };

    fn new(_: Ring, _: &Params) -> Result<Self, Error> {
        Ok(Self)
    }

    fn settings(&self) -> Vec<(&'static str, Value)> {
        Vec::new()
    }

    fn variables(&self) -> Variables<State> {
        Variables(vec![
            variable!("leader", Domain::BIT, State.leader),
            variable!("bullet", Domain::up_to(2), State.bullet),
            variable!("shield", Domain::BIT, State.shield),
            variable!("signalB", Domain::BIT, State.signal_b),
        ])
    }

    fn output(&self, state: &State) -> u64 {
        u64::from(state.leader)
    }

    fn is_leader(&self, state: &State) -> bool {
        state.leader == 1
    }

    fn is_safe(&self, config: &[State]) -> bool {
        config.iter().filter(|v| v.leader == 1).count() == 1 && in_c_pb(config)
    }

    fn promise() -> Promise<Self> {
        Promise { name: "C_PB", holds: Some(|_, config| in_c_pb(config)) }
    }

    fn starts() -> Vec<Start<Self>> {
        vec![
            Start {
                name: "all-leaders",
                about: "every agent a leader, all else zero",
                make: |_, ring, _| Ok(vec![State { leader: 1, ..State::default() }; ring.n()]),
            },
            Start {
                name: "two-leaders",
                about: "two shielded antipodal leaders; the worst start known",
                make: two_leaders,
            },
            Start {
                name: "uniform",
                about: "every variable of every agent uniform over its domain; may lose all its leaders for ever",
                make: uniform,
            },
            Start { name: "safe", about: "a random safe configuration", make: safe },
        ]
    }

    fn phases() -> Vec<Phase<Self>> {
        vec![c_pb()]
    }

    fn facts(&self, config: &[State]) -> Vec<(&'static str, Value)> {
        vec![
            ("n", config.len().into()),
            ("leaders", leaders(self, config).into()),
            ("C_PB", in_c_pb(config).into()),
            ("safe", self.is_safe(config).into()),
        ]
    }

    fn picture(&self, config: &[State]) -> Vec<PictureRow> {
        vec![
            PictureRow {
                name: "leader",
                cells: config.iter().map(|v| if v.leader == 1 { 'L' } else { '.' }).collect(),
                legend: "L leader",
            },
            PictureRow { name: "war", cells: config.iter().map(picture::war).collect(), legend: picture::WAR },
        ]
    }
}
