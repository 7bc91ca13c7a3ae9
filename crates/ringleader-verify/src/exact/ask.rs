//! The question of `ringleader exact`, for any protocol by its name.

use std::cell::Cell;
use std::io::Write;

use num_rational::BigRational;
use ringleader::error::Error;
use ringleader::instance::Instance;
use ringleader::observer::Observer;
use ringleader::params::Settings;
use ringleader::protocol::{Protocol, leaders};
use ringleader::random::{Stream, stream};
use ringleader::ring::Ring;
use ringleader::trial::Initial;
use ringleader::value::{Text, Value};

use super::{Chain, MOST_RATIONAL, NoChain, Plan, Target, chain, quantiles, rational, solve, write_drn, write_prism};

/// Where the chain ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until<'a> {
    /// In the protocol's closed safe set; if it declares none, in all safe configurations.
    Safe,
    /// In all safe configurations of Definition 1, whatever the protocol declares.
    Largest,
    /// As soon as at most one leader is left.
    AtMostOneLeader,
    /// As soon as there is a leader.
    FirstLeader,
    /// In a phase, by its name.
    Phase(&'a str),
}

/// Where it begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Begin<'a> {
    /// At the first start of the protocol.
    First,
    /// At a start by its name, or in `every` configuration.
    Named(&'a str),
    /// In this configuration, which is called so.
    Given(&'a str, &'a Initial),
}

/// What is asked.
pub struct Question<'a> {
    /// Where the chain begins.
    pub start: Begin<'a>,
    /// The seed of a start that is random.
    pub seed: u64,
    /// Where the chain ends.
    pub until: Until<'a>,
    /// Whether rotations of a configuration are one.
    pub rotate: bool,
    /// Whether configurations are one that differ in the names of colours only, of a protocol to which names make no difference.
    pub rename: bool,
    /// The greatest number of configurations.
    pub most: usize,
    /// The greatest number of steps that quantiles are looked for; 0 for none.
    pub quantiles: u64,
}

/// A format for other tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export {
    /// A module of PRISM's language, with a command for each configuration.
    Prism,
    /// Storm's own, which it reads without building anything.
    Drn,
}

/// What was found.
pub struct Found {
    /// The parameters in force.
    pub settings: Settings,
    /// The name of the start.
    pub start: String,
    /// The set that ends the chain.
    pub until: Text,
    /// Whether configurations that differ in the names of colours only are one.
    pub renamed: bool,
    /// How many configurations there are, up to rotation.
    pub configurations: usize,
    /// How many moves between them.
    pub moves: usize,
    /// How many of them are in the target, and of these in the safe set that the protocol declares, if it declares one.
    pub target: (usize, Option<usize>),
    /// How many starts there are, and from how many of them the target is not certain.
    pub starts: [u64; 2],
    /// The mean over all starts; infinite if one of them is.
    pub mean: f64,
    /// The mean over the starts from which the target is certain.
    pub finite_mean: f64,
    /// The worst of these starts: its expectation and its configuration.
    pub worst: Option<(f64, Vec<Value>)>,
    /// The worst as a fraction, if the chain is small.
    pub fraction: Option<BigRational>,
    /// The bound on the relative error of all figures.
    pub error: f64,
    /// The rounds of Gauss-Seidel.
    pub rounds: usize,
    /// The steps by which the worst start has reached the target with a probability of so many percent.
    pub quantiles: Vec<(u32, Option<u64>)>,
}

/// The percents for which quantiles are given.
const PERCENTS: [u32; 6] = [5, 25, 50, 75, 95, 99];
/// Gauss-Seidel ends when nothing changes by more than this.
const TOLERANCE: f64 = 1e-13;

/// Answers; `None` if it was stopped.
///
/// # Errors
/// If the question makes no sense, or its chain is too large.
pub fn ask<P: Protocol>(
    instance: &Instance<P>,
    question: &Question<'_>,
    model: Option<(Export, &mut dyn Write)>,
    observer: &dyn Observer,
) -> Result<Option<Found>, NoChain> {
    let Instance { blueprint, protocol, ring } = instance;
    let (about, ring) = (&blueprint.about, *ring);
    // A text may tell the agents of its safe set apart by their numbers. Then rotations are not one.
    let (uneven, read) = (Cell::new(false), question.rotate && protocol.text() != 0);
    let (set, called) = target(instance, question.until)?;
    let even = |config: &[P::State]| {
        let (inside, mut turned) = (set(config), config.to_vec());
        for _ in 1..if read { config.len() } else { 1 } {
            turned.rotate_left(1);
            uneven.set(uneven.get() || set(&turned) != inside);
        }
        inside
    };
    let until = match question.until {
        Until::Safe if !about.declares_safe => Target::Largest { elects: about.elects },
        Until::Largest => Target::Largest { elects: about.elects },
        _ => Target::Set(&even),
    };
    let plan = Plan { until, rotate: question.rotate, rename: question.rename, most: question.most, observer };
    let (name, starts) = starts(instance, question)?;
    let Some(chain) = chain(protocol, ring, starts.into_iter(), &plan)? else { return Ok(None) };
    if uneven.get() {
        return Err(Error::new("set", &called, "a rotation of a member is none; --no-rotation helps").into());
    }
    if let Some((format, out)) = model {
        let about = format!("{}, n = {}, start {name}", about.summary, ring.n());
        let written = match format {
            Export::Prism => write_prism(&chain, name == "every", &about, out, observer),
            Export::Drn => write_drn(&chain, &about, out, observer),
        };
        if written.map_err(|error| Error::new("model", error, "the model could not be written"))?.is_none() {
            return Ok(None);
        }
    }
    Ok(answer(instance, question, (name, called), &chain, observer))
}

/// The set in which the chain ends, and what it is called.
fn target<P: Protocol>(instance: &Instance<P>, until: Until<'_>) -> Result<(Ends<P>, Text), Error> {
    let about = &instance.blueprint.about;
    let count = |protocol: P, ends: fn(usize) -> bool| -> Ends<P> {
        Box::new(move |config| ends(leaders(&protocol, config).len()))
    };
    let protocol = instance.protocol.clone();
    let (word, ends): (&str, fn(usize) -> bool) = match until {
        Until::AtMostOneLeader => ("at-most-one-leader", |leaders| leaders <= 1),
        Until::FirstLeader => ("first-leader", |leaders| leaders >= 1),
        Until::Phase(name) => return phase(instance, name),
        Until::Safe if about.declares_safe => {
            return Ok((Box::new(move |config| protocol.is_safe(config)), about.safe.clone()));
        }
        Until::Safe | Until::Largest => return Ok((Box::new(|_| false), "safe by Definition 1".into())),
    };
    if !about.elects {
        return Err(Error::new("until", word, format!("{} elects no leader", about.name)));
    }
    Ok((count(protocol, ends), word.replace('-', " ").into()))
}

/// A predicate on configurations.
type Ends<P> = Box<dyn Fn(&[<P as ringleader::protocol::Transition>::State]) -> bool>;

fn phase<P: Protocol>(instance: &Instance<P>, name: &str) -> Result<(Ends<P>, Text), Error> {
    let phases = &instance.blueprint.phases;
    let found = phases.iter().find(|phase| phase.named.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
        let others = ["safe", "largest", "at-most-one-leader", "first-leader"];
        let known: Vec<&str> = others.into_iter().chain(phases.iter().map(|phase| &*phase.named.name)).collect();
        Error::unknown("until", name, "allowed is", known)
    })?;
    let (holds, protocol) = (found.holds.clone(), instance.protocol.clone());
    Ok((Box::new(move |config| holds(&protocol, config)), found.named.name.clone()))
}

/// The figures of a chain; `None` if it was stopped.
fn answer<P: Protocol>(
    instance: &Instance<P>,
    question: &Question<'_>,
    (name, until): (String, Text),
    chain: &Chain<P::State>,
    observer: &dyn Observer,
) -> Option<Found> {
    let (protocol, declares) = (&instance.protocol, instance.blueprint.about.declares_safe);
    let members = || (0..chain.len()).filter(|&k| chain.target[k]);
    let expected = solve(chain, TOLERANCE, observer)?;
    let certain = || chain.starts.iter().filter(|(k, _)| expected.steps[*k as usize].is_finite());
    let count: u64 = chain.starts.iter().map(|(_, times)| times).sum();
    let finite: u64 = certain().map(|(_, times)| times).sum();
    let sum: f64 = certain().map(|&(k, times)| expected.steps[k as usize] * times as f64).sum();
    let worst = certain().map(|(k, _)| *k as usize).max_by(|a, b| expected.steps[*a].total_cmp(&expected.steps[*b]));
    let variables = protocol.variables();
    let show = |k: usize| chain.config(k).iter().map(|state| variables.encode(state)).collect();
    let percents: &[u32] = if question.quantiles > 0 { &PERCENTS } else { &[] };
    let of_worst = match worst {
        Some(k) => quantiles(chain, k, percents, question.quantiles, observer)?,
        None => Vec::new(),
    };
    let unknown = (0..chain.len()).filter(|&k| !chain.target[k] && expected.steps[k].is_finite()).count();
    let fraction = match worst.filter(|_| unknown <= MOST_RATIONAL) {
        Some(k) => rational(chain, observer)?[k].clone(),
        None => None,
    };
    Some(Found {
        settings: protocol.settings(),
        start: name,
        until,
        renamed: question.rename && protocol.rename(&mut chain.config(0)),
        configurations: chain.len(),
        moves: chain.moves(),
        target: (
            members().count(),
            declares.then(|| members().filter(|&k| protocol.is_safe(&chain.config(k))).count()),
        ),
        starts: [count, count - finite],
        mean: if finite < count { f64::INFINITY } else { sum / count as f64 },
        finite_mean: sum / finite as f64,
        fraction,
        worst: worst.map(|k| (expected.steps[k], show(k))),
        error: expected.error,
        rounds: expected.rounds,
        quantiles: percents.iter().copied().zip(of_worst).collect(),
    })
}

type Starts<S> = Box<dyn Iterator<Item = Vec<S>>>;

/// The starts by name.
fn starts<P: Protocol>(instance: &Instance<P>, question: &Question<'_>) -> Result<(String, Starts<P::State>), NoChain> {
    let Instance { protocol, ring, .. } = instance;
    let name = match question.start {
        Begin::Named("every") => return Ok(("every".to_owned(), every(protocol, *ring, question)?)),
        Begin::Given(name, config) => {
            let config = instance.initial(Some(config), question.seed)?;
            protocol.accepts(&config)?;
            return Ok((name.to_owned(), Box::new(std::iter::once(config))));
        }
        Begin::Named(name) => Some(name),
        Begin::First => None,
    };
    let known: Vec<&str> = instance.blueprint.starts.iter().map(|start| &*start.named.name).collect();
    if let Some(name) = name.filter(|name| !known.contains(name)) {
        return Err(Error::unknown("start", name, "allowed is a file, or", [&["every"], &known[..]].concat()).into());
    }
    let start = instance.start(name)?;
    let config = (start.make)(protocol, *ring, &mut stream(question.seed, Stream::Start));
    Ok((start.named.name.clone().into_owned(), Box::new(std::iter::once(config))))
}

/// Every configuration with every right input. Rotations of one are as many as agents, at most.
fn every<P: Protocol>(protocol: &P, ring: Ring, question: &Question<'_>) -> Result<Starts<P::State>, NoChain> {
    let variables = protocol.variables();
    let (states, bases) = (variables.free_states(), protocol.inputs(ring));
    let count = states.checked_pow(ring.n() as u32).and_then(|count| count.checked_mul(bases.len() as u128));
    let least = count.map(|count| if question.rotate { count.div_ceil(ring.n() as u128) } else { count });
    let fits = least.is_some_and(|least| least <= question.most as u128);
    let Some(number) = count.and_then(|count| u64::try_from(count).ok()).filter(|_| fits) else {
        let (Some(count), Some(least)) = (count, least) else {
            return Err(NoChain::TooLarge("every: more than 2^128 configurations".into()));
        };
        let turned = if question.rotate { format!(", at least {least} up to rotation") } else { String::new() };
        return Err(NoChain::TooLarge(format!("every: {count} configurations{turned}")));
    };
    let of_agent = |blank: &P::State| variables.free(*blank);
    let lists: Vec<Vec<Vec<P::State>>> = bases.iter().map(|base| base.iter().map(of_agent).collect()).collect();
    let each = number / lists.len().max(1) as u64;
    let config = move |k: u64| -> Vec<P::State> {
        let mut rest = k % each;
        let pick = |list: &Vec<P::State>| {
            let state = list[(rest % list.len() as u64) as usize];
            rest /= list.len() as u64;
            state
        };
        lists[(k / each) as usize].iter().map(pick).collect()
    };
    Ok(Box::new((0..number).map(config)))
}
