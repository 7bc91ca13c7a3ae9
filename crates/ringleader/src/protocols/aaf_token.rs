//! AAF08's token circulation: one token travels for ever around a directed ring that has a leader
//! (Angluin, Aspnes, Fischer and Jiang, 2008).
//!
//! Every agent copies the label of its left neighbour, except the leader, which takes the other one. An edge where that is due
//! is *active*; the token lies at the left end of one. Active edges move to the right and vanish in pairs, and the leader's twist
//! keeps their number odd, so that one is left.
//!
//! `leader` is an input: exactly one agent has it. Nothing of a circulating token is constant, so the output of an agent is that input.
//!
//! Whose rules these are: **a secondary source**, a published model of the protocol.

use crate::blueprint::{Blueprint, Declared, Origin};
use crate::error::Error;
use crate::portrait::PictureRow;
use crate::protocol::{Input, Protocol, Transition, leaders, n_cubed};
use crate::random::{Generator, below, index};
use crate::ring::{Orientation, Ring};
use crate::value::{Text, Value, named};
use crate::variable;
use crate::variables::{Domain, Variables};

/// The state of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[expect(missing_docs, reason = "the names are the rules'")]
pub struct State {
    pub leader: u8,
    pub token: u8,
    pub label: u8,
}

/// Token circulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AafToken;

/// Whether the responder has yet to take over a label, and with it the token.
#[inline]
fn is_active(u: &State, v: &State) -> bool {
    (u.label == v.label) == (v.leader == 1)
}

impl Transition for AafToken {
    type State = State;

    #[inline]
    fn interact(&self, u: &mut State, v: &mut State, _: Input) {
        if v.leader == 1 && u.label == v.label {
            (u.token, v.token, v.label) = (0, 1, 1 - u.label);
        } else if v.leader == 0 && u.label != v.label {
            (u.token, v.token, v.label) = (0, 1, u.label);
        }
    }
}

/// The left ends of all active edges.
fn active(config: &[State]) -> Vec<usize> {
    let n = config.len();
    (0..n).filter(|&i| is_active(&config[i], &config[(i + 1) % n])).collect()
}

fn tokens(config: &[State]) -> Vec<usize> {
    (0..config.len()).filter(|&i| config[i].token == 1).collect()
}

/// `u_0` leads, all else zero.
fn given(ring: Ring) -> Vec<State> {
    (0..ring.n()).map(|i| State { leader: u8::from(i == 0), ..State::default() }).collect()
}

/// A random member of the safe set.
fn safe(_: &AafToken, ring: Ring, generator: &mut Generator) -> Vec<State> {
    let (holder, flip) = (index(generator, ring.n()), below(generator, 2) as u8);
    let mut config = given(ring);
    for (i, v) in config.iter_mut().enumerate() {
        v.token = u8::from(i == holder);
        v.label = flip ^ u8::from(i > holder);
    }
    config
}

impl Protocol for AafToken {
    fn variables(&self) -> Variables<State> {
        Variables(vec![
            variable!("leader", Domain::BIT, State.leader).as_input(),
            variable!("token", Domain::BIT, State.token),
            variable!("label", Domain::BIT, State.label),
        ])
    }

    fn inputs(&self, ring: Ring) -> Vec<Vec<State>> {
        vec![given(ring)]
    }

    fn is_leader(&self, state: &State) -> bool {
        state.leader == 1
    }

    fn accepts(&self, config: &[State]) -> Result<(), Error> {
        match leaders(self, config).len() {
            1 => Ok(()),
            many => Err(Error::new("start, number of leaders", many, "exactly one must be given")),
        }
    }

    fn is_safe(&self, config: &[State]) -> bool {
        let holder = active(config);
        holder.len() == 1 && tokens(config) == holder && leaders(self, config).len() == 1
    }

    fn default_limit(&self, ring: Ring) -> u64 {
        n_cubed(ring, 100)
    }

    fn facts(&self, config: &[State]) -> Vec<(Text, Value)> {
        named([
            ("n", config.len().into()),
            ("leaders", leaders(self, config).into()),
            ("tokens", tokens(config).into()),
            ("active", active(config).into()),
            ("safe", self.is_safe(config).into()),
        ])
    }

    fn gauges(&self, config: &[State]) -> Vec<(Text, usize)> {
        named([("tokens", tokens(config).len()), ("active edges", active(config).len())])
    }

    fn picture(&self, config: &[State]) -> Vec<PictureRow> {
        let row = |name, legend, cell: fn(&State) -> char| PictureRow::new(name, legend, config.iter().map(cell));
        vec![
            row("leader", "L leader (given)", |v| if v.leader == 1 { 'L' } else { '.' }),
            row("token", "o token", |v| if v.token == 1 { 'o' } else { '.' }),
            row("label", "the label", |v| if v.label == 1 { '1' } else { '0' }),
        ]
    }
}

impl Declared for AafToken {
    fn blueprint() -> Blueprint<Self> {
        Blueprint::new("aaf-token", Orientation::Directed, |_, _| Ok(Self))
            .case("AAF08_token")
            .summary("[AAF+08]'s token circulation: one token travels around a ring with a leader")
            .assumption("one leader is given")
            .origin(Origin::Secondary)
            .safe("one active edge, one token")
            .evidence("checked for n = 3..7 (ringleader check aaf-token)")
            .start("uniform", "tokens and labels uniform over their domains", |p, ring, generator| {
                let (variables, mut config) = (p.variables(), given(ring));
                config.iter_mut().for_each(|v| variables.randomise(v, generator));
                config
            })
            .start(
                "alternating",
                "a token at every agent, labels that alternate; the worst start known",
                |_, ring, _| {
                    let mut config = given(ring);
                    config.iter_mut().enumerate().for_each(|(i, v)| (v.token, v.label) = (1, (i % 2) as u8));
                    config
                },
            )
            .start("safe", "a random safe configuration", safe)
    }
}
