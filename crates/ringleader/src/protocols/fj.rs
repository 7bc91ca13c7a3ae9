//! FJ06: self-stabilizing leader election on directed rings with an oracle and 8 states
//! (Fischer and Jiang, 2006).
//!
//! The oracle Omega? says whether there is a leader; where there is none, an agent makes itself one. A leader sends its shield to the
//! right and shoots bullets to the left; a bullet kills the unshielded leaders that it passes, and a shield that it meets
//! absorbs it. What is left is one leader.
//!
//! The oracle's answer is an input of the interaction. With delay 0, the default, it is the truth about the configuration, and that
//! is the version for which the paper's Table 1 states Theta(n^3).
//!
//! Whose rules these are: **a secondary source**. The paper cites this system without giving its rules; R1 to R5 are known from
//! a published model of the protocol.

use crate::blueprint::{Blueprint, Declared, Origin};
use crate::params::{Params, Settings};
use crate::portrait::PictureRow;
use crate::protocol::{Input, Protocol, Transition, leaders, n_cubed, uniform};
use crate::random::{Generator, below, index};
use crate::ring::{Orientation, Ring};
use crate::value::{Text, Value, named};
use crate::variable;
use crate::variables::{Domain, Variables};

/// The largest delay of the oracle.
pub const MAX_DELAY: u64 = 1 << 40;

/// The state of an agent: B, L and S of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[expect(missing_docs, reason = "the names are the rules'")]
pub struct State {
    pub bullet: u8,
    pub leader: u8,
    pub shield: u8,
}

/// FJ06 with the delay of its oracle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fj {
    /// After so many interactions without a leader the oracle says so.
    pub delay: u64,
}

impl Transition for Fj {
    type State = State;

    #[inline]
    fn oracle(&self) -> Option<u64> {
        Some(self.delay)
    }

    /// The rules R1 to R5, whose guards exclude each other.
    #[inline]
    fn interact(&self, x: &mut State, y: &mut State, input: Input) {
        if !input.leader {
            *x = State { bullet: 1, leader: 1, shield: 1 }; // R1
        } else if x.leader == 0 && x.shield == 1 {
            x.shield = 0; // R2
            (y.bullet, y.shield) = (0, 1);
        } else if x.leader == 1 && x.shield == 1 {
            (x.bullet, x.shield) = (1, 0); // R3
            (y.bullet, y.shield) = (0, 1);
        } else if x.leader == 1 && y.bullet == 0 {
            x.bullet = 1; // R4
        } else if y.bullet == 1 {
            (x.bullet, x.leader) = (1, 0); // R5
            y.bullet = 0;
        }
    }
}

/// Whether no bullet can reach the leader `w`: it is shielded, or a free shield comes before any bullet on its right.
fn out_of_danger(config: &[State], w: usize) -> bool {
    let n = config.len();
    let first = (1..n).map(|i| config[(w + i) % n]).find(|v| v.bullet == 1 || v.shield == 1);
    config[w].shield == 1 || first.is_some_and(|v| v.bullet == 0)
}

/// Two shielded leaders, half a ring apart.
fn two_leaders(_: &Fj, ring: Ring, _: &mut Generator) -> Vec<State> {
    let leader = |i: usize| u8::from(i == 0 || i == ring.n() / 2);
    (0..ring.n()).map(|i| State { leader: leader(i), shield: leader(i), bullet: 0 }).collect()
}

/// A random member of the safe set: a uniform configuration, repaired.
fn safe(fj: &Fj, ring: Ring, generator: &mut Generator) -> Vec<State> {
    let (n, mut config) = (ring.n(), uniform(fj, ring, generator));
    let w = index(generator, n);
    config.iter_mut().for_each(|v| v.leader = 0);
    config[w].leader = 1;
    if below(generator, 2) == 0 {
        config[w].shield = 1;
        return config;
    }
    let guard = 1 + index(generator, n - 1);
    (1..=guard).for_each(|i| config[(w + i) % n].bullet = 0);
    config[(w + guard) % n].shield = 1;
    config
}

impl Protocol for Fj {
    fn settings(&self) -> Settings {
        named([("delay", self.delay)])
    }

    fn variables(&self) -> Variables<State> {
        Variables(vec![
            variable!("bullet", Domain::BIT, State.bullet),
            variable!("leader", Domain::BIT, State.leader),
            variable!("shield", Domain::BIT, State.shield),
        ])
    }

    fn is_leader(&self, state: &State) -> bool {
        state.leader == 1
    }

    fn is_safe(&self, config: &[State]) -> bool {
        let mut leaders = (0..config.len()).filter(|&i| config[i].leader == 1);
        let first = leaders.next();
        leaders.next().is_none() && first.is_some_and(|w| out_of_danger(config, w))
    }

    /// The oracle may have to be waited for, more than once.
    fn default_limit(&self, ring: Ring) -> u64 {
        n_cubed(ring, 100).saturating_add(self.delay.saturating_mul(100))
    }

    fn facts(&self, config: &[State]) -> Vec<(Text, Value)> {
        let leaders = leaders(self, config);
        let danger: Vec<usize> = leaders.iter().copied().filter(|&w| !out_of_danger(config, w)).collect();
        named([
            ("n", config.len().into()),
            ("leaders", leaders.into()),
            ("in_danger", danger.into()),
            ("safe", self.is_safe(config).into()),
        ])
    }

    fn picture(&self, config: &[State]) -> Vec<PictureRow> {
        let war = |v: &State| match (v.shield, v.bullet) {
            (1, 1) => '@',
            (1, _) => '#',
            (_, 1) => '*',
            _ => '.',
        };
        let legend = "* bullet moving left, # shield moving right, @ both";
        let leaders = PictureRow::leaders(config.iter().map(|v| v.leader == 1));
        vec![leaders, PictureRow::new("war", legend, config.iter().map(war))]
    }
}

impl Declared for Fj {
    fn blueprint() -> Blueprint<Self> {
        let new = |_, params: &Params| Ok(Self { delay: params.within("delay", 0, 0, MAX_DELAY)? });
        Blueprint::new("fj", Orientation::Directed, new)
            .case("FJ06")
            .summary("[FJ06]: elects one leader with an oracle that tells whether there is one")
            .assumption("the oracle Omega?")
            .bound("Theta(n^3)")
            .origin(Origin::Secondary)
            .elects()
            .safe("one leader, out of danger")
            .evidence("checked for n = 3..6 (ringleader check fj)")
            .parameter("delay", "the oracle says \"no leader\" only after so many steps without one [default: 0]")
            .start("two-leaders", "two shielded antipodal leaders; the worst start known", two_leaders)
            .start_all("leaderless", "every variable zero, no leader", State::default())
            .uniform()
            .start_all("all-leaders", "every agent a leader, all else zero", State { leader: 1, ..State::default() })
            .start("safe", "a random safe configuration", safe)
    }
}
