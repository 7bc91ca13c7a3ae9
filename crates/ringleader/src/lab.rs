//! The list of protocols, and a face for each that does not depend on its types.
//!
//! Dynamic dispatch happens here, once a trial, never once a step.

use std::fmt;
use std::ops::{ControlFlow, Range};

use crate::check::{self, Broken};
use crate::engine::stepper::{Halt, Stepper};
use crate::error::Error;
use crate::protocol::{About, Lane, Params, Protocol, leaders};
use crate::protocols::pcl::{Pcl, PclDerandomised};
use crate::protocols::por::Por;
use crate::protocols::ppl::Ppl;
use crate::protocols::ppl_prime::PplPrime;
use crate::protocols::undirected::{Undirected, UndirectedDerandomised};
use crate::protocols::ysm::Ysm;
use crate::random::{Stream, stream};
use crate::ring::{Interaction, Ring};
use crate::schedule::{Coins, Uniform};
use crate::trial::{self, From, Record, Trial, Watch};
use crate::value::Value;
use crate::variables::{Domain, Variables};

/// All protocols of the laboratory. A new one is one file and one line here.
pub const PROTOCOLS: &[Entry] = &[
    entry::<Ppl>(),
    entry::<PplPrime>(),
    entry::<Por>(),
    entry::<Pcl>(),
    entry::<PclDerandomised>(),
    entry::<Undirected>(),
    entry::<UndirectedDerandomised>(),
    entry::<Ysm>(),
];

/// A protocol before its parameters are known.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Name, ring, claims and parameters.
    pub about: &'static About,
    starts: fn() -> Vec<(&'static str, &'static str)>,
    populate: fn(&Trial) -> Result<Box<dyn Population>, Error>,
    check: fn(usize, &Params, u64) -> Result<(), Broken>,
}

const fn entry<P: Protocol>() -> Entry {
    Entry {
        about: &P::ABOUT,
        starts: || P::starts().iter().map(|start| (start.name, start.about)).collect(),
        populate: populate::<P>,
        check: check::laws::<P>,
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Entry").field(&self.about.name).finish()
    }
}

impl Entry {
    /// Names and descriptions of its starts, the default first.
    #[must_use]
    pub fn starts(self) -> Vec<(&'static str, &'static str)> {
        (self.starts)()
    }

    /// A ring of agents at the start of a trial.
    ///
    /// # Errors
    /// If a parameter, the size or the start is refused.
    pub fn populate(self, trial: &Trial) -> Result<Box<dyn Population>, Error> {
        (self.populate)(trial)
    }

    /// Checks the laws that every protocol must keep, on a ring of `n` agents with these parameters.
    ///
    /// # Errors
    /// The first law that is broken, with a witness.
    pub fn check(self, n: usize, params: &Params, seed: u64) -> Result<(), Broken> {
        (self.check)(n, params, seed)
    }
}

/// The protocol of that name, on the command line or in a case.
///
/// # Errors
/// If there is none; the message lists all.
pub fn protocol(name: &str) -> Result<Entry, Error> {
    let named = |entry: &&Entry| [entry.about.name, entry.about.case].contains(&name);
    PROTOCOLS.iter().find(named).copied().ok_or_else(|| {
        let names: Vec<&str> = PROTOCOLS.iter().map(|entry| entry.about.name).collect();
        Error::new("protocol", name, format!("allowed is {}", names.join(", ")))
    })
}

/// A ring of agents at the start of a trial.
///
/// # Errors
/// If the protocol is unknown, or a parameter, the size or the start is refused.
pub fn populate_trial(trial: &Trial) -> Result<Box<dyn Population>, Error> {
    protocol(&trial.protocol)?.populate(trial)
}

/// Runs a trial once for each seed, whatever its own seed is. Seeds wrap around: after the greatest comes 0, so a range
/// whose end is before its start goes through it.
///
/// `watch` is called after each finished trial, and `Break` ends the batch; `stop` is asked now and then on the way, and
/// `true` gives up the trials that are not finished. Either way the records are those of the first seeds, in order.
///
/// # Errors
/// If the protocol is unknown, or a parameter, the size, the start or a fault is refused.
pub fn run_batch(
    trial: &Trial,
    seeds: Range<u64>,
    stop: &dyn Fn() -> bool,
    watch: &mut dyn FnMut(&Record) -> ControlFlow<()>,
) -> Result<Vec<Record>, Error> {
    let (mut trial, mut records) = (trial.clone(), Vec::new());
    for k in 0..seeds.end.wrapping_sub(seeds.start) {
        trial.seed = seeds.start.wrapping_add(k);
        let go_on = &mut |_, _: &dyn Fn() -> Vec<(&'static str, usize)>| match stop() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let record = populate_trial(&trial)?.run(&trial, go_on)?;
        if record.interrupted {
            break;
        }
        let watched = watch(&record);
        records.push(record);
        if watched.is_break() {
            break;
        }
    }
    Ok(records)
}

/// What a population does next when it is not left to a trial.
#[derive(Clone, Debug)]
pub enum Script {
    /// Recorded interactions, and the coins they read, in order.
    Recorded(std::vec::IntoIter<Interaction>, std::vec::IntoIter<u64>),
    /// The schedule and the coins of a seed, under the uniform scheduler.
    Uniform(Uniform, Coins),
}

/// A ring of agents that run a protocol: a configuration that knows what it means.
pub trait Population: Send {
    /// Name, ring, claims and parameters of the protocol.
    fn about(&self) -> &'static About;
    /// The ring.
    fn ring(&self) -> Ring;
    /// The parameters in force.
    fn settings(&self) -> Vec<(&'static str, Value)>;
    /// Name and domain of each variable, and whether it is an input.
    fn variables(&self) -> Vec<(&'static str, Domain, bool)>;
    /// |Q|, exactly.
    fn states(&self) -> u128;
    /// The state of agent `i`.
    fn agent(&self, i: usize) -> Value;
    /// Overwrites the state of agent `i`.
    ///
    /// # Errors
    /// If there is no such agent, or a value is outside its domain.
    fn set_agent(&mut self, i: usize, state: &Value) -> Result<(), Error>;
    /// The indices of all leaders.
    fn leaders(&self) -> Vec<usize>;
    /// Whether the configuration is in the closed safe set.
    fn is_safe(&self) -> bool;
    /// The truth of every named set and predicate.
    fn facts(&self) -> Value;
    /// The ring as text.
    fn picture(&self) -> Vec<Lane>;
    /// The dice that one coin consists of.
    fn dice(&self) -> Vec<u64>;
    /// The script of a seed under the uniform scheduler.
    fn uniform_script(&self, seed: u64) -> Script;
    /// Follows a script for some steps.
    ///
    /// # Errors
    /// If the script ends: why, and after how many of the steps.
    fn follow(&mut self, script: &mut Script, steps: u64) -> Result<(), (Halt, u64)>;
    /// The limit in force in a trial: what it says, or the protocol's default for every stretch between faults.
    fn limit(&self, trial: &Trial) -> u64;
    /// Runs the trial from the present configuration.
    ///
    /// # Errors
    /// If the configuration breaks an assumption of the protocol, or a fault of the trial is refused.
    fn run(&mut self, trial: &Trial, watch: &mut Watch<'_>) -> Result<Record, Error>;
}

struct Typed<P: Protocol> {
    protocol: P,
    ring: Ring,
    variables: Variables<P::State>,
    config: Vec<P::State>,
}

fn populate<P: Protocol>(trial: &Trial) -> Result<Box<dyn Population>, Error> {
    let ring = Ring::new(trial.n, P::ABOUT.ring)?;
    known_parameters::<P>(&trial.params)?;
    let protocol = P::new(ring, &trial.params)?;
    let variables = protocol.variables();
    let config = match &trial.from {
        Some(From::Given(agents)) => given::<P>(ring, &variables, agents)?,
        Some(From::Named(name)) => started(&protocol, ring, Some(name), trial.seed)?,
        None => started(&protocol, ring, None, trial.seed)?,
    };
    Ok(Box::new(Typed { protocol, ring, variables, config }))
}

fn known_parameters<P: Protocol>(params: &Params) -> Result<(), Error> {
    let known: Vec<&str> = P::ABOUT.parameters.iter().map(|parameter| parameter.name).collect();
    match params.0.iter().find(|(name, _)| !known.contains(&name.as_str())) {
        None => Ok(()),
        Some((name, _)) => Err(Error::new("parameter", name, format!("{} takes {}", P::ABOUT.name, known.join(", ")))),
    }
}

fn started<P: Protocol>(protocol: &P, ring: Ring, name: Option<&str>, seed: u64) -> Result<Vec<P::State>, Error> {
    let starts = P::starts();
    let wanted = name.unwrap_or(starts[0].name);
    let start = starts.iter().find(|start| start.name == wanted).ok_or_else(|| {
        let names: Vec<&str> = starts.iter().map(|start| start.name).collect();
        let allowed = format!("{} starts from {}, or from a JSON file", P::ABOUT.name, names.join(", "));
        Error::new("start", wanted, allowed)
    })?;
    (start.make)(protocol, ring, &mut stream(seed, Stream::Start))
}

fn given<P: Protocol>(ring: Ring, variables: &Variables<P::State>, agents: &[Value]) -> Result<Vec<P::State>, Error> {
    if agents.len() != ring.n() {
        let allowed = format!("n = {} agents are needed", ring.n());
        return Err(Error::new("number of agents", agents.len(), allowed));
    }
    let decode = |(i, agent)| {
        let decoded = variables.decode(agent, P::State::default());
        decoded.map_err(|error| error.at(&format!("agent {i}")))
    };
    agents.iter().enumerate().map(decode).collect()
}

impl<P: Protocol> Population for Typed<P> {
    fn about(&self) -> &'static About {
        &P::ABOUT
    }

    fn ring(&self) -> Ring {
        self.ring
    }

    fn settings(&self) -> Vec<(&'static str, Value)> {
        self.protocol.settings()
    }

    fn variables(&self) -> Vec<(&'static str, Domain, bool)> {
        self.variables.0.iter().map(|variable| (variable.name, variable.domain.clone(), variable.input)).collect()
    }

    fn states(&self) -> u128 {
        self.variables.states()
    }

    fn agent(&self, i: usize) -> Value {
        self.variables.encode(&self.config[i])
    }

    fn set_agent(&mut self, i: usize, state: &Value) -> Result<(), Error> {
        let n = self.ring.n();
        let place = format!("agent {i}");
        let agent =
            self.config.get_mut(i).ok_or_else(|| Error::new("agent", i, format!("agents are 0 to {}", n - 1)))?;
        *agent = self.variables.decode(state, *agent).map_err(|error| error.at(&place))?;
        Ok(())
    }

    fn leaders(&self) -> Vec<usize> {
        leaders(&self.protocol, &self.config)
    }

    fn is_safe(&self) -> bool {
        self.protocol.is_safe(&self.config)
    }

    fn facts(&self) -> Value {
        Value::map(self.protocol.facts(&self.config))
    }

    fn picture(&self) -> Vec<Lane> {
        self.protocol.picture(&self.config)
    }

    fn dice(&self) -> Vec<u64> {
        self.protocol.dice()
    }

    fn uniform_script(&self, seed: u64) -> Script {
        Script::Uniform(Uniform::new(self.ring, seed), Coins::new(self.protocol.coins(), seed))
    }

    fn follow(&mut self, script: &mut Script, steps: u64) -> Result<(), (Halt, u64)> {
        match script {
            Script::Recorded(schedule, coins) => self.advance(schedule, coins, steps),
            Script::Uniform(schedule, coins) => self.advance(schedule, coins, steps),
        }
    }

    fn limit(&self, trial: &Trial) -> u64 {
        trial::limit(&self.protocol, self.ring, trial)
    }

    fn run(&mut self, trial: &Trial, watch: &mut Watch<'_>) -> Result<Record, Error> {
        trial::run(&self.protocol, self.ring, trial, &mut self.config, watch)
    }
}

impl<P: Protocol> Typed<P> {
    fn advance(
        &mut self,
        schedule: impl Iterator<Item = Interaction>,
        coins: impl Iterator<Item = u64>,
        steps: u64,
    ) -> Result<(), (Halt, u64)> {
        let config = std::mem::take(&mut self.config);
        let mut stepper = Stepper::new(self.protocol.clone(), config, schedule, coins);
        let advanced = stepper.advance(steps).map_err(|halt| (halt, stepper.steps));
        self.config = stepper.config;
        advanced
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial() -> Trial {
        Trial { phases: false, ..Trial::new("ppl", 5, 0) }
    }

    fn alone(seed: u64) -> Record {
        let trial = Trial { seed, ..trial() };
        populate_trial(&trial).unwrap().run(&trial, &mut |_, _| ControlFlow::Continue(())).unwrap()
    }

    #[test]
    fn a_batch_is_its_trials_one_by_one() {
        let records = run_batch(&trial(), 3..6, &|| false, &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(records, [3, 4, 5].map(alone));
        let around = Range { start: u64::MAX, end: 1 };
        let records = run_batch(&trial(), around, &|| false, &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(records, [u64::MAX, 0].map(alone));
    }

    #[test]
    fn a_batch_can_be_ended_and_stopped() {
        let mut left = 2;
        let mut two = |_: &Record| {
            left -= 1;
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        assert_eq!(run_batch(&trial(), 0..9, &|| false, &mut two).unwrap(), [0, 1].map(alone));
        let none = run_batch(&trial(), 0..9, &|| true, &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(none, []);
    }

    #[test]
    fn a_batch_refuses_what_a_trial_refuses() {
        let wrong = Trial { n: 2, ..trial() };
        assert!(run_batch(&wrong, 0..1, &|| false, &mut |_| ControlFlow::Continue(())).is_err());
    }
}
