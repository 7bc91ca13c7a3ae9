//! The laws that every protocol must keep, checked on samples.
//!
//! They need nothing from the protocol but its declaration, so a new protocol is checked from the day it is listed.

use std::fmt;
use std::sync::Arc;

use ringleader::blueprint::{Blueprint, Phase};
use ringleader::error::Error;
use ringleader::instance::Instance;
use ringleader::params::Params;
use ringleader::protocol::{Input, Protocol, Transition, leaders, uniform};
use ringleader::random::{Generator, Stream, below, index, stream};

/// A law that does not hold, with a witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The law.
    pub law: &'static str,
    /// Where it fails.
    pub witness: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.law, self.witness)
    }
}

fn hold(law: &'static str, holds: bool, witness: impl FnOnce() -> String) -> Result<(), Broken> {
    if holds { Ok(()) } else { Err(Broken { law, witness: witness() }) }
}

/// The law that is broken where a protocol refuses the size of a ring or a parameter.
pub const ACCEPTED: &str = "the parameters are accepted";

/// The laws of safe sets, of which an explicit check finds more.
pub const CLOSED: [&str; 2] = ["the safe set is closed", "safe outputs never change"];

/// The law of phases of which it is said that they never hold without a leader.
const LED: &str = "a phase that needs a leader has one";

/// How many random configurations each law is tried on.
const SAMPLES: usize = 50;

/// All laws, on a ring of `n` agents with these parameters. The seed decides the samples.
///
/// # Errors
/// The first law that is broken.
pub fn laws<P: Protocol>(blueprint: &Arc<Blueprint<P>>, n: usize, params: &Params, seed: u64) -> Result<(), Broken> {
    let refused = |error: Error| Broken { law: ACCEPTED, witness: error.to_string() };
    let subject = Subject(Instance::new(blueprint.clone(), n, params).map_err(refused)?);
    let mut generator = stream(seed, Stream::Start);
    subject.starts_are_configurations(&mut generator)?;
    for _ in 0..SAMPLES {
        subject.states_read_back(&mut generator)?;
        subject.interactions_stay_in_the_domains(&mut generator)?;
        subject.coins_matter_only_when_read(&mut generator)?;
        subject.the_safe_set_is_closed(&mut generator)?;
        subject.phases_that_need_a_leader_have_one(&mut generator)?;
    }
    Ok(())
}

struct Subject<P: Protocol>(Instance<P>);

impl<P: Protocol> Subject<P> {
    fn interact(&self, config: &[P::State], arc: usize, coin: u64) -> Vec<P::State> {
        let (mut next, e) = (config.to_vec(), self.0.ring.arc(arc));
        let (mut l, mut r) = (config[e.initiator], config[e.responder]);
        // What the immediate oracle says.
        let leader = config.iter().any(|state| self.0.protocol.is_leader(state));
        self.0.protocol.interact(&mut l, &mut r, Input { coin, leader });
        (next[e.initiator], next[e.responder]) = (l, r);
        next
    }

    /// Any two states that may meet: neighbours of a uniform configuration.
    fn two_states(&self, generator: &mut Generator) -> (P::State, P::State) {
        let config = uniform(&self.0.protocol, self.0.ring, generator);
        let variables = self.0.protocol.variables();
        let mut pair = (config[0], config[1]);
        // Inputs too may be anything here: the transition must be total.
        for variable in variables.0.iter().filter(|variable| variable.input) {
            variable.randomise(&mut pair.0, generator);
            variable.randomise(&mut pair.1, generator);
        }
        pair
    }

    /// A start gives n states within their domains, or refuses for a reason; `safe` gives a safe configuration.
    fn starts_are_configurations(&self, generator: &mut Generator) -> Result<(), Broken> {
        let variables = self.0.protocol.variables();
        let Blueprint { starts, about, .. } = &*self.0.blueprint;
        hold("there is a start", !starts.is_empty(), || about.name.clone().into_owned())?;
        for start in starts {
            let name = &start.named.name;
            if self.0.start(Some(name)).is_err() {
                continue;
            }
            let config = (start.make)(&self.0.protocol, self.0.ring, generator);
            let right = config.len() == self.0.ring.n() && config.iter().all(|state| variables.contain(state));
            hold("a start is a configuration", right, || format!("{name}: {config:?}"))?;
            let accepted = self.0.protocol.accepts(&config).is_ok();
            hold("a start is accepted", accepted, || format!("{name}: {config:?}"))?;
            let safe = name != "safe" || self.0.protocol.is_safe(&config);
            hold("the start `safe` is safe", safe, || format!("{config:?}"))?;
        }
        Ok(())
    }

    fn states_read_back(&self, generator: &mut Generator) -> Result<(), Broken> {
        let variables = self.0.protocol.variables();
        let (state, other) = self.two_states(generator);
        let read = variables.decode(&variables.encode(&state), other);
        // What is not a variable keeps its value from `other`, so compare what the variables say.
        let same = read.is_ok_and(|read| variables.encode(&read) == variables.encode(&state));
        hold("a state reads back", same, || format!("{state:?}"))
    }

    fn interactions_stay_in_the_domains(&self, generator: &mut Generator) -> Result<(), Broken> {
        let variables = self.0.protocol.variables();
        let (l, r) = self.two_states(generator);
        let coin = below(generator, self.0.protocol.coins());
        for leader in [false, true] {
            let after = interact(&self.0.protocol, l, r, Input { coin, leader });
            let inside = variables.contain(&after.0) && variables.contain(&after.1);
            hold("an interaction stays in the domains", inside, || format!("{l:?} {r:?} coin {coin} give {after:?}"))?;
            let deaf = self.0.protocol.oracle().is_some()
                || after == interact(&self.0.protocol, l, r, Input { coin, leader: false });
            hold("the oracle matters only when it is asked", deaf, || format!("{l:?} {r:?} coin {coin}"))?;
        }
        Ok(())
    }

    fn coins_matter_only_when_read(&self, generator: &mut Generator) -> Result<(), Broken> {
        let (l, r) = self.two_states(generator);
        let coin = below(generator, self.0.protocol.coins());
        let with = |coin: u64| interact(&self.0.protocol, l, r, Input { coin, ..Input::default() });
        let same = with(coin) == with(0);
        let fair = self.0.protocol.reads_coin(&l, &r) || same;
        hold("a coin matters only when it is read", fair, || format!("{l:?} {r:?} coin {coin}"))
    }

    /// From a safe configuration every interaction leads to a safe one with the same outputs.
    fn the_safe_set_is_closed(&self, generator: &mut Generator) -> Result<(), Broken> {
        let Ok(start) = self.0.start(Some("safe")) else { return Ok(()) };
        let config = (start.make)(&self.0.protocol, self.0.ring, generator);
        let outputs = |config: &[P::State]| config.iter().map(|v| self.0.protocol.output(v)).collect::<Vec<u64>>();
        // Every arc of a small ring; a sample on a large one.
        let arcs = self.0.ring.arcs();
        for k in 0..arcs.min(200) {
            let arc = if arcs <= 200 { k } else { index(generator, arcs) };
            let next = self.interact(&config, arc, below(generator, self.0.protocol.coins()));
            hold(CLOSED[0], self.0.protocol.is_safe(&next), || format!("arc {arc} of {config:?}"))?;
            hold(CLOSED[1], outputs(&next) == outputs(&config), || format!("arc {arc} of {config:?}"))?;
        }
        Ok(())
    }

    /// On the way from a random configuration without a leader, and where it begins.
    fn phases_that_need_a_leader_have_one(&self, generator: &mut Generator) -> Result<(), Broken> {
        let (protocol, ring) = (&self.0.protocol, self.0.ring);
        let need = |phase: &&Phase<P>| phase.needs_leader(protocol, ring);
        let phases: Vec<&Phase<P>> = self.0.blueprint.phases.iter().filter(need).collect();
        if phases.is_empty() {
            return Ok(());
        }
        let mut config = uniform(protocol, ring, generator);
        let Some(follower) = config.iter().copied().find(|v| !protocol.is_leader(v)) else { return Ok(()) };
        config.iter_mut().filter(|v| protocol.is_leader(v)).for_each(|v| *v = follower);
        for _ in 0..ring.arcs().min(50) {
            let found = phases.iter().find(|phase| (phase.holds)(protocol, &config));
            let led = !leaders(protocol, &config).is_empty();
            let name = found.map_or("", |phase| &phase.named.name);
            hold(LED, led || found.is_none(), || format!("{name} holds in {config:?}"))?;
            config = self.interact(&config, index(generator, ring.arcs()), below(generator, protocol.coins()));
        }
        Ok(())
    }
}

fn interact<P: Transition>(protocol: &P, mut l: P::State, mut r: P::State, input: Input) -> (P::State, P::State) {
    protocol.interact(&mut l, &mut r, input);
    (l, r)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader::blueprint::Declared;
    use ringleader::ring::Orientation;
    use ringleader::variable;
    use ringleader::variables::{Domain, Variables};

    // --- Canaries: each law must fail on a protocol that breaks it. ---

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Bug {
        None,
        Domain,
        Coin,
        Closure,
        Output,
        Start,
        Phase,
    }

    /// A rumour that spreads; `BUG` is planted.
    #[derive(Clone)]
    struct Rumour<const BUG: u8>;

    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
    struct State {
        heard: u8,
        count: u8,
    }

    const BUGS: [Bug; 7] = [Bug::None, Bug::Domain, Bug::Coin, Bug::Closure, Bug::Output, Bug::Start, Bug::Phase];

    impl<const BUG: u8> Transition for Rumour<BUG> {
        type State = State;
        fn coins(&self) -> u64 {
            6
        }
        fn interact(&self, l: &mut State, r: &mut State, input: Input) {
            r.heard = r.heard.max(l.heard);
            r.count = if BUGS[BUG as usize] == Bug::Domain { r.count + 1 } else { (r.count + 1) % 4 };
            if BUGS[BUG as usize] == Bug::Coin {
                l.count = (input.coin % 4) as u8;
            }
            if BUGS[BUG as usize] == Bug::Closure && r.count == 3 {
                r.heard = 0;
            }
        }
    }

    impl<const BUG: u8> Protocol for Rumour<BUG> {
        fn variables(&self) -> Variables<State> {
            let count = variable!("count", Domain::up_to(3), State.count);
            Variables(vec![variable!("heard", Domain::BIT, State.heard), count])
        }
        fn output(&self, state: &State) -> u64 {
            u64::from(if BUGS[BUG as usize] == Bug::Output { state.count } else { state.heard })
        }
        fn is_safe(&self, config: &[State]) -> bool {
            config.iter().all(|state| state.heard == 1)
        }
    }

    impl<const BUG: u8> Declared for Rumour<BUG> {
        fn blueprint() -> Blueprint<Self> {
            let heard = u8::from(BUGS[BUG as usize] != Bug::Start);
            let blueprint = Blueprint::new("rumour", Orientation::Directed, |_, _| Ok(Self)).safe("all have heard it");
            blueprint
                .start_all("safe", "", State { heard, count: 2 })
                .phase("few", "somebody has not heard it", |_, config: &[State]| config.iter().any(|v| v.heard == 0))
                .led(|_, _| BUGS[BUG as usize] == Bug::Phase)
        }
    }

    #[test]
    fn a_planted_bug_breaks_its_law() {
        let broken = |held: Result<(), Broken>| held.err().map(|broken| broken.law);
        let params = Params::default();
        assert_eq!(broken(laws(&Arc::new(Rumour::<0>::blueprint()), 5, &params, 1)), None);
        assert_eq!(
            broken(laws(&Arc::new(Rumour::<1>::blueprint()), 5, &params, 1)),
            Some("an interaction stays in the domains")
        );
        assert_eq!(
            broken(laws(&Arc::new(Rumour::<2>::blueprint()), 5, &params, 1)),
            Some("a coin matters only when it is read")
        );
        assert_eq!(broken(laws(&Arc::new(Rumour::<3>::blueprint()), 5, &params, 1)), Some("the safe set is closed"));
        assert_eq!(broken(laws(&Arc::new(Rumour::<4>::blueprint()), 5, &params, 1)), Some("safe outputs never change"));
        assert_eq!(broken(laws(&Arc::new(Rumour::<5>::blueprint()), 5, &params, 1)), Some("the start `safe` is safe"));
        assert_eq!(broken(laws(&Arc::new(Rumour::<6>::blueprint()), 5, &params, 1)), Some(LED));
    }
}
