//! The list of protocols, and a face for each that does not depend on its types.
//!
//! Dynamic dispatch happens here, once a trial, never once a step.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::check::explicit::{self, Explored, Scope, Workers};
use crate::check::{self, Broken};
use crate::circuit::{Circuit, WithCircuit};
use crate::engine::sliced;
use crate::engine::stepper::oracle;
use crate::error::Error;
use crate::protocol::{About, Params, Protocol};
use crate::protocols::aaf::Aaf;
use crate::protocols::aaf_colouring::AafColouring;
use crate::protocols::aaf_orientation::AafOrientation;
use crate::protocols::aaf_token::AafToken;
use crate::protocols::elim::Elim;
use crate::protocols::fj::Fj;
use crate::protocols::pcl::{Pcl, PclDerandomised};
use crate::protocols::por::Por;
use crate::protocols::ppl::Ppl;
use crate::protocols::ppl_prime::PplPrime;
use crate::protocols::thue_morse::ThueMorse;
use crate::protocols::undirected::{Undirected, UndirectedDerandomised};
use crate::protocols::ysm::Ysm;
use crate::random::{Stream, stream};
use crate::ring::Ring;
use crate::trial::{self, Engine, Initial, Record, Scheduler, Trial};
use crate::value::Value;
use crate::variables::Variables;

mod population;

use population::Typed;
pub use population::{Found, Population};

/// All protocols of the laboratory. A new one is one file and one line here. A `static`, so that their code is made once, in this
/// crate, and not again in every crate that uses the list.
pub static PROTOCOLS: &[Entry] = &[
    entry::<Ppl>(),
    entry::<PplPrime>(),
    entry::<Por>(),
    entry::<Pcl>(),
    entry::<PclDerandomised>(),
    entry::<Undirected>(),
    entry::<UndirectedDerandomised>(),
    entry::<Ysm>(),
    entry::<Fj>(),
    entry::<Aaf>(),
    entry::<ThueMorse>(),
    entry::<AafOrientation>(),
    entry::<AafColouring>(),
    entry::<AafToken>(),
    entry::<Elim>(),
];

/// A protocol before its parameters are known.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Name, ring, claims and parameters.
    pub about: &'static About,
    starts: fn() -> Vec<(&'static str, &'static str)>,
    populate: fn(&Trial) -> Result<Box<dyn Population>, Error>,
    check: fn(usize, &Params, u64) -> Result<(), Broken>,
    explore: Explore,
    batch: RunBatch,
    batch_size: fn(&Trial) -> Result<usize, Error>,
}

type Explore = fn(usize, &Params, Scope, &mut Workers<'_>) -> Result<Explored, Error>;
type RunBatch = fn(&Trial, &[u64], &dyn Fn() -> bool, &mut Finished<'_>) -> Result<Vec<(u64, Record)>, Error>;

const fn entry<P: Protocol>() -> Entry {
    Entry {
        about: &P::ABOUT,
        starts: || P::starts().iter().map(|start| (start.name, start.about)).collect(),
        populate: populate::<P>,
        check: check::laws::<P>,
        explore: explore::<P>,
        batch: batch::<P>,
        batch_size: batch_size_of::<P>,
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

    /// Checks every configuration of a ring of `n` agents.
    ///
    /// # Errors
    /// If the size or a parameter is refused.
    pub fn explore(
        self,
        n: usize,
        params: &Params,
        scope: Scope,
        workers: &mut Workers<'_>,
    ) -> Result<Explored, Error> {
        (self.explore)(n, params, scope, workers)
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

/// Called after each finished trial, in the order in which they finish, with the place of its seed among those of the batch; `Break`
/// ends the batch.
pub type Finished<'a> = dyn FnMut(usize, &Record) -> ControlFlow<()> + 'a;

/// Runs a trial once for each of many seeds. The records come with their seeds, in the order of the seeds; those that were not
/// finished when `stop` said yes or `finished` broke off are missing.
///
/// # Errors
/// If the trial is refused, or its engine cannot do it.
pub fn run_batch(
    trial: &Trial,
    seeds: impl IntoIterator<Item = u64>,
    stop: &dyn Fn() -> bool,
    finished: &mut Finished<'_>,
) -> Result<Vec<(u64, Record)>, Error> {
    let seeds: Vec<u64> = seeds.into_iter().collect();
    (protocol(&trial.protocol)?.batch)(trial, &seeds, stop, finished)
}

fn batch<P: Protocol>(
    trial: &Trial,
    seeds: &[u64],
    stop: &dyn Fn() -> bool,
    finished: &mut Finished<'_>,
) -> Result<Vec<(u64, Record)>, Error> {
    if worth_slicing(trial, seeds.len())
        && let Some(all) = run_sliced::<P>(trial, seeds, &|_| stop(), finished)?
    {
        let records = seeds.iter().zip(all).filter_map(|(&seed, done)| Some((seed, done?.0)));
        return Ok(records.filter(|(_, record)| !record.interrupted).collect());
    }
    one_by_one::<P>(trial, seeds, stop, finished)
}

/// How many trials of this kind are best run at once by one thread, given as many: 1, or as many as the lanes have room for.
///
/// # Errors
/// If the trial is refused.
pub fn batch_size(trial: &Trial) -> Result<usize, Error> {
    (protocol(&trial.protocol)?.batch_size)(trial)
}

fn batch_size_of<P: Protocol>(trial: &Trial) -> Result<usize, Error> {
    struct Exists;
    impl<S> WithCircuit<S> for Exists {
        type Output = ();
        fn with<C: Circuit<State = S>>(self, _: C) {}
    }
    let (_, protocol) = set_up::<P>(trial)?;
    let sliced =
        trial.engine != Engine::Stepper && unsliceable(trial).is_none() && protocol.with_circuit(Exists).is_some();
    Ok(if sliced { sliced::at_once(words(trial.engine), trial.n, usize::MAX).0 } else { 1 })
}

/// With fewer lanes in use than this the stepper is faster.
const WORTH_SLICING: usize = 48;

fn worth_slicing(trial: &Trial, rings: usize) -> bool {
    match trial.engine {
        Engine::Stepper => false,
        Engine::Auto => sliced::at_once(words(trial.engine), trial.n, rings).1 >= WORTH_SLICING,
        _ => true,
    }
}

fn one_by_one<P: Protocol>(
    trial: &Trial,
    seeds: &[u64],
    stop: &dyn Fn() -> bool,
    finished: &mut Finished<'_>,
) -> Result<Vec<(u64, Record)>, Error> {
    let (mut trial, mut records) = (Trial { engine: Engine::Stepper, ..trial.clone() }, Vec::new());
    for (index, &seed) in seeds.iter().enumerate() {
        trial.seed = seed;
        let go_on = &mut |_, _: &dyn Fn() -> Vec<(&'static str, usize)>| match stop() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let record = populate::<P>(&trial)?.run(&trial, go_on)?;
        if record.interrupted {
            break;
        }
        let told = finished(index, &record);
        records.push((seed, record));
        if told.is_break() {
            break;
        }
    }
    Ok(records)
}

/// Why the sliced engine cannot run a trial.
fn unsliceable(trial: &Trial) -> Option<&'static str> {
    if trial.scheduler != Scheduler::Clocks {
        Some("it follows clocks only (--scheduler clocks)")
    } else if !trial.faults.is_empty() {
        Some("it knows no faults; use the stepper")
    } else if trial.phases {
        Some("phases need a look at every step; use the stepper, or --no-phases")
    } else {
        None
    }
}

/// Runs trials on the sliced engine; `None` if it cannot and was not insisted on.
fn run_sliced<P: Protocol>(
    trial: &Trial,
    seeds: &[u64],
    stop: &dyn Fn(u64) -> bool,
    finished: &mut Finished<'_>,
) -> Result<Option<Vec<Option<sliced::Finished<P>>>>, Error> {
    let refuse = |why: &str| match trial.engine {
        Engine::Auto => Ok(None),
        engine => Err(Error::new("engine", engine.name(), why)),
    };
    if let Some(why) = unsliceable(trial) {
        return refuse(why);
    }
    let (ring, protocol) = set_up::<P>(trial)?;
    let variables = protocol.variables();
    let start = |seed| {
        let config = configure(&protocol, ring, &variables, &Trial { seed, ..trial.clone() })?;
        protocol.accepts(&config).map(|()| config)
    };
    let limit = trial::limit(&protocol, ring, trial);
    let batch = sliced::Batch { protocol: &protocol, ring, limit, seeds, start: &start, stop };
    match protocol.with_circuit(Slice { batch: &batch, words: words(trial.engine), finished }) {
        Some(done) => done.map(Some),
        None => refuse("the protocol has no circuit that it runs; use the stepper"),
    }
}

fn words(engine: Engine) -> sliced::Words {
    match engine {
        Engine::SlicedPortable => sliced::Words::Portable,
        Engine::SlicedAvx2 => sliced::Words::Avx2,
        _ => sliced::Words::widest(),
    }
}

/// Chooses the reading, once the circuit is known.
struct Slice<'a, 'b, P: Protocol> {
    batch: &'a sliced::Batch<'a, P>,
    words: sliced::Words,
    finished: &'a mut Finished<'b>,
}

impl<P: Protocol> WithCircuit<P::State> for Slice<'_, '_, P> {
    type Output = Result<Vec<Option<sliced::Finished<P>>>, Error>;

    fn with<C: Circuit<State = P::State>>(self, circuit: C) -> Self::Output {
        sliced::run_in(self.batch, circuit, self.words, self.finished)
    }
}

fn populate<P: Protocol>(trial: &Trial) -> Result<Box<dyn Population>, Error> {
    let (ring, protocol) = set_up::<P>(trial)?;
    let variables = Arc::new(protocol.variables());
    let config = configure(&protocol, ring, &variables, trial)?;
    let oracle = oracle(&protocol, &config);
    Ok(Box::new(Typed { protocol, ring, variables, config, oracle }))
}

fn set_up<P: Protocol>(trial: &Trial) -> Result<(Ring, P), Error> {
    let ring = Ring::new(trial.n, P::ABOUT.ring)?;
    known_parameters::<P>(&trial.params)?;
    Ok((ring, P::new(ring, &trial.params)?))
}

/// The initial configuration of a trial.
fn configure<P: Protocol>(
    protocol: &P,
    ring: Ring,
    variables: &Variables<P::State>,
    trial: &Trial,
) -> Result<Vec<P::State>, Error> {
    match &trial.from {
        Some(Initial::Given(agents)) => given::<P>(ring, variables, agents),
        Some(Initial::Named(name)) => started(protocol, ring, Some(name), trial.seed),
        None => started(protocol, ring, None, trial.seed),
    }
}

fn explore<P: Protocol>(n: usize, params: &Params, scope: Scope, workers: &mut Workers<'_>) -> Result<Explored, Error> {
    known_parameters::<P>(params)?;
    explicit::explore::<P>(n, params, scope, workers)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn trial() -> Trial {
        Trial { phases: false, ..Trial::new("ppl", 5, 0) }
    }

    fn alone(seed: u64) -> (u64, Record) {
        let trial = Trial { seed, ..trial() };
        (seed, populate_trial(&trial).unwrap().run(&trial, &mut |_, _| ControlFlow::Continue(())).unwrap())
    }

    #[test]
    fn a_batch_is_its_trials_one_by_one() {
        let records = run_batch(&trial(), 3..6, &|| false, &mut |_, _| ControlFlow::Continue(())).unwrap();
        assert_eq!(records, [3, 4, 5].map(alone));
        let records = run_batch(&trial(), [u64::MAX, 0], &|| false, &mut |_, _| ControlFlow::Continue(())).unwrap();
        assert_eq!(records, [u64::MAX, 0].map(alone));
    }

    #[test]
    fn a_batch_can_be_ended_and_stopped() {
        let mut left = 2;
        let mut two = |_, _: &Record| {
            left -= 1;
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        assert_eq!(run_batch(&trial(), 0..9, &|| false, &mut two).unwrap(), [0, 1].map(alone));
        let none = run_batch(&trial(), 0..9, &|| true, &mut |_, _| ControlFlow::Continue(())).unwrap();
        assert_eq!(none, []);
    }

    #[test]
    fn a_batch_refuses_what_a_trial_refuses() {
        let wrong = Trial { n: 2, ..trial() };
        assert!(run_batch(&wrong, 0..1, &|| false, &mut |_, _| ControlFlow::Continue(())).is_err());
    }
}
