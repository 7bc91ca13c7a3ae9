//! The laws that every protocol must keep, checked on samples.
//!
//! They need nothing from the protocol but its declaration, so a new protocol is checked from the day it is listed.

pub mod explicit;
pub mod forms;

use std::fmt;

use crate::protocol::{Input, Params, Protocol, Transition, uniform};
use crate::random::{Generator, Stream, below, index, stream};
use crate::ring::Ring;

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

const ACCEPTED: &str = "the parameters are accepted";

/// How many random configurations each law is tried on.
const SAMPLES: usize = 50;

/// All laws, on a ring of `n` agents with these parameters. The seed decides the samples.
///
/// # Errors
/// The first law that is broken.
pub fn laws<P: Protocol>(n: usize, params: &Params, seed: u64) -> Result<(), Broken> {
    let refused = |error: crate::error::Error| Broken { law: ACCEPTED, witness: error.to_string() };
    let ring = Ring::new(n, P::ABOUT.ring).map_err(refused)?;
    let lab = Lab { protocol: P::new(ring, params).map_err(refused)?, ring };
    let mut generator = stream(seed, Stream::Start);
    lab.starts_are_configurations(&mut generator)?;
    for _ in 0..SAMPLES {
        lab.states_read_back(&mut generator)?;
        lab.interactions_stay_in_the_domains(&mut generator)?;
        lab.coins_matter_only_when_read(&mut generator)?;
        lab.the_safe_set_is_closed(&mut generator)?;
    }
    Ok(())
}

struct Lab<P> {
    protocol: P,
    ring: Ring,
}

impl<P: Protocol> Lab<P> {
    fn interact(&self, config: &[P::State], arc: usize, coin: u64) -> Vec<P::State> {
        let (mut next, e) = (config.to_vec(), self.ring.arc(arc));
        let (mut l, mut r) = (config[e.initiator], config[e.responder]);
        // What the immediate oracle says.
        let leader = config.iter().any(|state| self.protocol.is_leader(state));
        self.protocol.interact(&mut l, &mut r, Input { coin, leader });
        (next[e.initiator], next[e.responder]) = (l, r);
        next
    }

    /// Any two states that may meet: neighbours of a uniform configuration.
    fn two_states(&self, generator: &mut Generator) -> Result<(P::State, P::State), Broken> {
        let made = uniform(&self.protocol, self.ring, generator);
        let config =
            made.map_err(|error| Broken { law: "a uniform configuration exists", witness: error.to_string() })?;
        let variables = self.protocol.variables();
        let mut pair = (config[0], config[1]);
        // Inputs too may be anything here: the transition must be total.
        for variable in variables.0.iter().filter(|variable| variable.input) {
            variable.randomise(&mut pair.0, generator);
            variable.randomise(&mut pair.1, generator);
        }
        Ok(pair)
    }

    /// A start gives n states within their domains, or refuses for a reason; `safe` gives a safe configuration.
    fn starts_are_configurations(&self, generator: &mut Generator) -> Result<(), Broken> {
        let variables = self.protocol.variables();
        let starts = P::starts();
        hold("there is a start", !starts.is_empty(), || P::ABOUT.name.into())?;
        for start in starts {
            let Ok(config) = (start.make)(&self.protocol, self.ring, generator) else { continue };
            let right = config.len() == self.ring.n() && config.iter().all(|state| variables.contain(state));
            hold("a start is a configuration", right, || format!("{}: {config:?}", start.name))?;
            let accepted = self.protocol.accepts(&config).is_ok();
            hold("a start is accepted", accepted, || format!("{}: {config:?}", start.name))?;
            let safe = start.name != "safe" || self.protocol.is_safe(&config);
            hold("the start `safe` is safe", safe, || format!("{config:?}"))?;
        }
        Ok(())
    }

    fn states_read_back(&self, generator: &mut Generator) -> Result<(), Broken> {
        let variables = self.protocol.variables();
        let (state, other) = self.two_states(generator)?;
        let read = variables.decode(&variables.encode(&state), other);
        // What is not a variable keeps its value from `other`, so compare what the variables say.
        let same = read.is_ok_and(|read| variables.encode(&read) == variables.encode(&state));
        hold("a state reads back", same, || format!("{state:?}"))
    }

    fn interactions_stay_in_the_domains(&self, generator: &mut Generator) -> Result<(), Broken> {
        let variables = self.protocol.variables();
        let (l, r) = self.two_states(generator)?;
        let coin = below(generator, self.protocol.coins());
        for leader in [false, true] {
            let after = interact(&self.protocol, l, r, Input { coin, leader });
            let inside = variables.contain(&after.0) && variables.contain(&after.1);
            hold("an interaction stays in the domains", inside, || format!("{l:?} {r:?} coin {coin} give {after:?}"))?;
            let deaf = self.protocol.oracle().is_some()
                || after == interact(&self.protocol, l, r, Input { coin, leader: false });
            hold("the oracle matters only when it is asked", deaf, || format!("{l:?} {r:?} coin {coin}"))?;
        }
        Ok(())
    }

    fn coins_matter_only_when_read(&self, generator: &mut Generator) -> Result<(), Broken> {
        let (l, r) = self.two_states(generator)?;
        let coin = below(generator, self.protocol.coins());
        let with = |coin: u64| interact(&self.protocol, l, r, Input { coin, ..Input::default() });
        let same = with(coin) == with(0);
        let fair = self.protocol.reads_coin(&l, &r) || same;
        hold("a coin matters only when it is read", fair, || format!("{l:?} {r:?} coin {coin}"))
    }

    /// From a safe configuration every interaction leads to a safe one with the same outputs.
    fn the_safe_set_is_closed(&self, generator: &mut Generator) -> Result<(), Broken> {
        let Some(start) = P::starts().into_iter().find(|start| start.name == "safe") else { return Ok(()) };
        let Ok(config) = (start.make)(&self.protocol, self.ring, generator) else { return Ok(()) };
        let outputs = |config: &[P::State]| config.iter().map(|v| self.protocol.output(v)).collect::<Vec<u64>>();
        // Every arc of a small ring; a sample on a large one.
        let arcs = self.ring.arcs();
        for k in 0..arcs.min(200) {
            let arc = if arcs <= 200 { k } else { index(generator, arcs) };
            let next = self.interact(&config, arc, below(generator, self.protocol.coins()));
            hold("the safe set is closed", self.protocol.is_safe(&next), || format!("arc {arc} of {config:?}"))?;
            hold("safe outputs never change", outputs(&next) == outputs(&config), || {
                format!("arc {arc} of {config:?}")
            })?;
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
    use crate::error::Error;
    use crate::lab::PROTOCOLS;
    use crate::protocol::{About, Origin, Start};
    use crate::ring::Orientation;
    use crate::value::Value;
    use crate::variable;
    use crate::variables::{Domain, Variables};

    #[test]
    fn every_protocol_keeps_the_laws() {
        for (seed, entry) in (0..).zip(PROTOCOLS) {
            let mut accepted = 0;
            for n in [3, 4, 5, 6, 8, 12, 13, 32, 101] {
                match entry.check(n, &Params::default(), seed) {
                    Ok(()) => accepted += 1,
                    // Some protocols do not run on every size.
                    Err(broken) if broken.law == ACCEPTED => {}
                    Err(broken) => panic!("{} n = {n} seed {seed}: {broken}", entry.about.name),
                }
            }
            assert!(accepted >= 3, "{} runs on {accepted} sizes only", entry.about.name);
        }
    }

    #[test]
    fn every_protocol_keeps_the_laws_with_other_parameters() {
        let small = Params::default().with("psi", 5).with("kappa", 1);
        let few = Params::default().with("colors", 4);
        let loose = Params::default().with("bound", 50);
        for (name, params) in [
            ("ppl", &small),
            ("ppl-prime", &small),
            ("pcl", &few),
            ("pcl-derandomised", &few),
            ("por", &few),
            ("ysm", &loose),
        ] {
            for n in [3, 7, 10, 20] {
                assert_eq!(crate::lab::protocol(name).unwrap().check(n, params, 1), Ok(()), "{name} n = {n}");
            }
        }
    }

    #[test]
    fn every_state_is_enumerated_once() {
        fn count<P: Protocol>(params: &Params) -> (u128, usize) {
            let protocol = P::new(Ring::new(3, P::ABOUT.ring).unwrap(), params).unwrap();
            let variables = protocol.variables();
            let mut texts: Vec<String> =
                variables.enumerate(P::State::default()).map(|state| variables.encode(&state).to_string()).collect();
            texts.sort_unstable();
            texts.dedup();
            (variables.states(), texts.len())
        }
        let few = Params::default().with("colors", 4);
        assert_eq!(count::<crate::protocols::por::Por>(&few), (512, 512));
        assert_eq!(count::<crate::protocols::pcl::PclDerandomised>(&few), (448, 448));
    }

    // --- Canaries: each law must fail on a protocol that breaks it. ---

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Bug {
        None,
        Domain,
        Coin,
        Closure,
        Output,
        Start,
    }

    /// A rumour that spreads; `BUG` is planted.
    #[derive(Clone)]
    struct Rumour<const BUG: u8>;

    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
    struct State {
        heard: u8,
        count: u8,
    }

    const BUGS: [Bug; 6] = [Bug::None, Bug::Domain, Bug::Coin, Bug::Closure, Bug::Output, Bug::Start];

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
        const ABOUT: About = About {
            name: "rumour",
            case: "rumour",
            summary: "a rumour spreads",
            ring: Orientation::Directed,
            assumption: "somebody has heard it",
            bound: "O(n^2)",
            origin: Origin::Ours,
            elects: false,
            safe: "all have heard it",
            parameters: &[],
        };
        fn new(_: Ring, _: &Params) -> Result<Self, Error> {
            Ok(Self)
        }
        fn settings(&self) -> Vec<(&'static str, Value)> {
            Vec::new()
        }
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
        fn starts() -> Vec<Start<Self>> {
            let heard = u8::from(BUGS[BUG as usize] != Bug::Start);
            vec![Start {
                name: "safe",
                about: "",
                make: if heard == 1 {
                    |_, ring, _| Ok(vec![State { heard: 1, count: 2 }; ring.n()])
                } else {
                    |_, ring, _| Ok(vec![State { heard: 0, count: 2 }; ring.n()])
                },
            }]
        }
    }

    #[test]
    fn a_planted_bug_breaks_its_law() {
        let broken = |held: Result<(), Broken>| held.err().map(|broken| broken.law);
        let params = Params::default();
        assert_eq!(broken(laws::<Rumour<0>>(5, &params, 1)), None);
        assert_eq!(broken(laws::<Rumour<1>>(5, &params, 1)), Some("an interaction stays in the domains"));
        assert_eq!(broken(laws::<Rumour<2>>(5, &params, 1)), Some("a coin matters only when it is read"));
        assert_eq!(broken(laws::<Rumour<3>>(5, &params, 1)), Some("the safe set is closed"));
        assert_eq!(broken(laws::<Rumour<4>>(5, &params, 1)), Some("safe outputs never change"));
        assert_eq!(broken(laws::<Rumour<5>>(5, &params, 1)), Some("the start `safe` is safe"));
    }
}
