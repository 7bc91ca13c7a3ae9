//! *EliminateLeaders*, Algorithm 5: the war of bullets and shields, for P_PL and every other protocol that runs it; and as a protocol of
//! its own, with nothing that creates a leader.
//!
//! A leader that learns of no bullet in flight shoots one, live with a shield or dummy without, as it happens to be initiator or
//! responder; a live bullet kills the next leader that has no shield. One leader is left, provided that there was one and that every live
//! bullet was *peaceful* (C_PB). A ring without leaders stays without, which is why nothing is promised outside C_PB.
//!
//! The sets on bullets are in `elim/sets.rs`, the second form in `elim/circuit.rs`.

use crate::blueprint::{Blueprint, Declared, Origin};
use crate::portrait::PictureRow;
use crate::protocol::{Input, Protocol, Transition, leaders, uniform};
use crate::random::{Generator, below, index};
use crate::ring::{Orientation, Ring};
use crate::value::{Text, Value, named, why_not};
use crate::variable;
use crate::variables::{Domain, Variables};

pub(super) mod circuit;
pub mod sets;

use sets::{c_pb, in_c_pb, outside_c_pb};

/// What *EliminateLeaders* sees of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the paper's")]
pub struct Warrior<T> {
    pub leader: T,
    pub bullet: T,
    pub shield: T,
    pub signal_b: T,
}

/// A state with the variables of *EliminateLeaders*, which several protocols run.
pub trait War {
    /// These variables.
    fn warrior(&self) -> Warrior<u8>;

    /// The same, to be written.
    fn warrior_mut(&mut self) -> Warrior<&mut u8>;
}

/// Makes a state with fields of these names one of *EliminateLeaders*.
macro_rules! war {
    ($state:ty) => {
        impl $crate::protocols::elim::War for $state {
            #[inline(always)]
            fn warrior(&self) -> $crate::protocols::elim::Warrior<u8> {
                let Self { leader, bullet, shield, signal_b, .. } = *self;
                $crate::protocols::elim::Warrior { leader, bullet, shield, signal_b }
            }

            #[inline(always)]
            fn warrior_mut(&mut self) -> $crate::protocols::elim::Warrior<&mut u8> {
                let Self { leader, bullet, shield, signal_b, .. } = self;
                $crate::protocols::elim::Warrior { leader, bullet, shield, signal_b }
            }
        }
    };
}

pub(crate) use war;

/// Algorithm 5, on the variables that it sees of any state.
#[inline(always)]
#[rustfmt::skip]
pub(super) fn eliminate_leaders<S: War>(l: &mut S, r: &mut S) {
    let (l, r) = (l.warrior_mut(), r.warrior_mut());
    if *l.leader == 1 && *l.signal_b == 1 {                                                              // 51
        (*l.bullet, *l.shield, *l.signal_b) = (2, 1, 0);                                                 // 52
    }
    if *r.leader == 1 && *r.signal_b == 1 {                                                              // 53
        (*r.bullet, *r.shield, *r.signal_b) = (1, 0, 0);                                                 // 54
    }
    if *l.bullet > 0 {                                                                                   // 55
        if *r.leader == 1 {                                                                              // 56
            *r.leader = if *l.bullet == 2 && *r.shield == 0 { 0 } else { 1 };                            // 57
        } else {                                                                                         // 58
            *r.bullet = if *r.bullet == 0 { *l.bullet } else { *r.bullet };                              // 59
            *r.signal_b = 0;                                                                             // 60
        }
        *l.bullet = 0;                                                                                   // 61
    }
    *l.signal_b = (*l.signal_b).max(*r.signal_b).max(*r.leader);                                         // 62
}

/// Either no live bullet is left, or the leader is shielded and no signal lies behind the rightmost one.
pub(super) fn make_peace<S: War>(config: &mut [S], u_0: usize, disarm: bool) {
    let n = config.len();
    let live = |v: &S| v.warrior().bullet == 2;
    if disarm {
        config.iter_mut().filter(|v| live(v)).for_each(|v| *v.warrior_mut().bullet = 0);
    } else if let Some(rightmost) = (0..n).rev().find(|i| live(&config[(u_0 + i) % n])) {
        *config[u_0].warrior_mut().shield = 1;
        (0..=rightmost).for_each(|i| *config[(u_0 + i) % n].warrior_mut().signal_b = 0);
    }
}

/// The legend of [`war_row`].
const WAR: &str = "* live bullet, o dummy bullet, # shield (@ shield and bullet)";

/// Bullets and shields, as a row of a picture.
pub(super) fn war_row<S: War>(config: &[S]) -> PictureRow {
    PictureRow::new("war", WAR, config.iter().map(cell))
}

/// Shields matter only at leaders.
fn cell<S: War>(v: &S) -> char {
    let v = v.warrior();
    match (v.leader == 1 && v.shield == 1, v.bullet) {
        (true, 0) => '#',
        (true, _) => '@',
        (false, 2) => '*',
        (false, 1) => 'o',
        (false, _) => '.',
    }
}

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
            ("why", why_not([("C_PB", outside_c_pb(config))])),
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
