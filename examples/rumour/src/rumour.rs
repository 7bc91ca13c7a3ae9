//! A rumour spreads clockwise, and nobody forgets it before having passed it on some times.

use ringleader::blueprint::{Blueprint, Declared};
use ringleader::error::Error;
use ringleader::params::{Params, Settings};
use ringleader::protocol::{Input, Protocol, Transition};
use ringleader::ring::{Orientation, Ring};
use ringleader::value::named;
use ringleader::variable;
use ringleader::variables::{Domain, Variables};

/// The state of an agent. `default()` is the all-zero state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub(crate) struct State {
    /// Whether the agent has heard it.
    heard: u8,
    /// How often it has told it.
    told: u8,
}

/// The protocol with its parameters.
#[derive(Clone, Debug)]
pub(crate) struct Rumour {
    /// How often an agent tells it at most.
    most: u8,
}

impl Rumour {
    fn new(_: Ring, params: &Params) -> Result<Self, Error> {
        Ok(Self { most: params.within("times", 3, 1, 9)? as u8 })
    }
}

impl Transition for Rumour {
    type State = State;

    #[rustfmt::skip] // so that line numbers may stand at the right
    fn interact(&self, l: &mut State, r: &mut State, _: Input) {
        if l.heard == 1 && r.heard == 0 {                                   // 1
            r.heard = 1;                                                    // 2
        }
        if l.heard == 1 && l.told < self.most {                             // 3
            l.told += 1;                                                    // 4
        }
    }
}

impl Protocol for Rumour {
    fn variables(&self) -> Variables<State> {
        Variables(vec![
            variable!("heard", Domain::BIT, State.heard),
            variable!("told", Domain::up_to(self.most), State.told),
        ])
    }

    fn settings(&self) -> Settings {
        named([("times", self.most.into())])
    }

    fn output(&self, state: &State) -> u64 {
        state.heard.into()
    }

    /// It must be closed: what is safe stays safe, and no output changes any more.
    fn is_safe(&self, config: &[State]) -> bool {
        config.iter().all(|v| v.heard == 1)
    }
}

impl Declared for Rumour {
    fn blueprint() -> Blueprint<Self> {
        Blueprint::new("rumour", Orientation::Directed, Self::new)
            .summary("A rumour spreads clockwise")
            .assumption("some agent has heard it")
            .bound("O(n^2)")
            .safe("all have heard it")
            .parameter("times", "how often an agent tells it at most [default: 3]")
            .promise("some agent has heard it", |_, config| config.iter().any(|v| v.heard == 1))
            .start("one", "u_0 has heard it", |_, ring, _| {
                (0..ring.n()).map(|i| State { heard: u8::from(i == 0), told: 0 }).collect()
            })
            .start_all("safe", "all have heard it", State { heard: 1, told: 0 })
            .uniform()
            .phase("half", "half of the agents have heard it", |_, config| {
                2 * config.iter().filter(|v| v.heard == 1).count() >= config.len()
            })
    }
}
