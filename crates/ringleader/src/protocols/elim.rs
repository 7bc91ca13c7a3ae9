//! EliminateLeaders alone: the war of bullets and shields of P_PL (Algorithm 5), with nothing that creates a leader.
//!
//! A leader that learns of no bullet in flight shoots one, live with a shield or dummy without, as it happens to be initiator or
//! responder; a live bullet kills the next leader that has no shield. One leader is left, provided that there was one and that every live
//! bullet was *peaceful* (C_PB). A ring without leaders stays without, which is why nothing is promised outside C_PB.
//!
//! The rules are the paper's own, shared with P_PL.

use crate::blueprint::{Blueprint, Declared, Origin};
use crate::portrait::PictureRow;
use crate::protocol::{Input, Protocol, Transition, leaders, uniform};
use crate::protocols::ppl::{eliminate_leaders, picture::war_row, sets::c_pb, sets::in_c_pb, starts::make_peace, war};
use crate::random::{Generator, below, index};
use crate::ring::{Orientation, Ring};
use crate::value::{Text, Value, named};
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
fn two_leaders(_: &Elim, ring: Ring, _: &mut Generator) -> Vec<State> {
    let leader = |i: usize| u8::from(i == 0 || i == ring.n() / 2);
    (0..ring.n()).map(|i| State { leader: leader(i), shield: leader(i), ..State::default() }).collect()
}

/// A random member of the safe set: a uniform configuration, repaired.
fn safe(elim: &Elim, ring: Ring, generator: &mut Generator) -> Vec<State> {
    let mut config = uniform(elim, ring, generator);
    let u_0 = index(generator, ring.n());
    config.iter_mut().for_each(|v| v.leader = 0);
    config[u_0].leader = 1;
    make_peace(&mut config, u_0, below(generator, 2) == 0);
    config
}

impl Protocol for Elim {
    fn variables(&self) -> Variables<State> {
        Variables(vec![
            variable!("leader", Domain::BIT, State.leader),
            variable!("bullet", Domain::up_to(2), State.bullet),
            variable!("shield", Domain::BIT, State.shield),
            variable!("signalB", Domain::BIT, State.signal_b),
        ])
    }

    fn is_leader(&self, state: &State) -> bool {
        state.leader == 1
    }

    fn is_safe(&self, config: &[State]) -> bool {
        config.iter().filter(|v| v.leader == 1).count() == 1 && in_c_pb(config)
    }

    fn facts(&self, config: &[State]) -> Vec<(Text, Value)> {
        named([
            ("n", config.len().into()),
            ("leaders", leaders(self, config).into()),
            ("C_PB", in_c_pb(config).into()),
            ("safe", self.is_safe(config).into()),
        ])
    }

    fn picture(&self, config: &[State]) -> Vec<PictureRow> {
        vec![PictureRow::leaders(config.iter().map(|v| v.leader == 1)), war_row(config)]
    }
}

impl Declared for Elim {
    fn blueprint() -> Blueprint<Self> {
        let uniform_about = "every variable of every agent uniform over its domain; may lose all its leaders for ever";
        let blueprint = Blueprint::new("elim", Orientation::Directed, |_, _| Ok(Self))
            .case("EliminateLeaders")
            .summary("EliminateLeaders, Algorithm 5, alone: leaves one of many leaders")
            .assumption("starts in C_PB")
            .bound("O(n^2 log n)")
            .origin(Origin::Paper)
            .elects()
            .safe("C_PB, one leader")
            .evidence("checked for n = 3..4 (ringleader check elim)")
            .promise("C_PB", |_, config| in_c_pb(config))
            .start_all("all-leaders", "every agent a leader, all else zero", State { leader: 1, ..State::default() })
            .start("two-leaders", "two shielded antipodal leaders; the worst start known", two_leaders)
            .start("uniform", uniform_about, uniform)
            .start("safe", "a random safe configuration", safe);
        c_pb(blueprint)
    }
}
