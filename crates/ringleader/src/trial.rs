//! A trial and its record: plain data. The record is a pure function of the trial, whatever the engine or machine.

use crate::error::Error;
use crate::fault::{Fault, Struck};
use crate::params::Params;
use crate::value::{Text, Value};

/// Where a trial begins.
#[derive(Clone, Debug, PartialEq)]
pub enum Initial {
    /// A start of the protocol, by name.
    Named(String),
    /// This configuration.
    Given(Vec<Value>),
}

/// How interactions are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheduler {
    /// A Poisson clock on every edge, whose order is that of independent uniform arcs; see [`crate::clocks`].
    #[default]
    Clocks,
    /// Independent uniform arcs, one after the other.
    Uniform,
}

impl Scheduler {
    /// All schedulers.
    pub const ALL: [Self; 2] = [Self::Clocks, Self::Uniform];

    /// The word used on the command line and in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Clocks => "clocks",
            Self::Uniform => "uniform",
        }
    }

    /// The scheduler of that name.
    ///
    /// # Errors
    /// If there is none.
    pub fn named(name: &str) -> Result<Self, Error> {
        let found = Self::ALL.into_iter().find(|scheduler| scheduler.name() == name);
        found.ok_or_else(|| Error::unknown("scheduler", name, "allowed is", Self::ALL.map(Self::name)))
    }
}

/// What computes a trial. It never changes the record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// The fastest that can do it.
    #[default]
    Auto,
    /// One ring, one interaction at a time, in the clear form.
    Stepper,
    /// Many rings at once, with the widest words that the processor has.
    Sliced,
    /// Many rings at once, in plain 64-bit words.
    SlicedPortable,
    /// Many rings at once, with AVX2 even where there are wider words.
    SlicedAvx2,
    /// Many rings at once, with the widest words, and a text without machine code.
    SlicedInterpreted,
}

impl Engine {
    /// All engines.
    pub const ALL: [Self; 6] =
        [Self::Auto, Self::Stepper, Self::Sliced, Self::SlicedPortable, Self::SlicedAvx2, Self::SlicedInterpreted];

    /// The word used on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Stepper => "stepper",
            Self::Sliced => "sliced",
            Self::SlicedPortable => "sliced-portable",
            Self::SlicedAvx2 => "sliced-avx2",
            Self::SlicedInterpreted => "sliced-interpreted",
        }
    }

    /// The engine of that name.
    ///
    /// # Errors
    /// If there is none.
    pub fn named(name: &str) -> Result<Self, Error> {
        let found = Self::ALL.into_iter().find(|engine| engine.name() == name);
        found.ok_or_else(|| Error::unknown("engine", name, "allowed is", Self::ALL.map(Self::name)))
    }
}

/// Everything that determines a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// The name of the protocol.
    pub protocol: String,
    /// The number of agents.
    pub n: usize,
    /// The protocol's parameters.
    pub params: Params,
    /// Where it begins; the protocol's first start if `None`.
    pub from: Option<Initial>,
    /// How interactions are chosen.
    pub scheduler: Scheduler,
    /// The seed of all randomness.
    pub seed: u64,
    /// The greatest number of interactions; derived from the protocol and n if `None`.
    pub limit: Option<u64>,
    /// Faults on the way.
    pub faults: Vec<Fault>,
    /// Whether to find the first step of every phase, which needs a look at every step.
    pub phases: bool,
}

impl Trial {
    /// A trial with every choice left at its default.
    #[must_use]
    pub fn new(protocol: &str, n: usize, seed: u64) -> Self {
        Self {
            protocol: protocol.to_owned(),
            n,
            params: Params::default(),
            from: None,
            scheduler: Scheduler::default(),
            seed,
            limit: None,
            faults: Vec::new(),
            phases: true,
        }
    }
}

/// What came of a trial. Step `t` is the configuration after `t` interactions.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The limit in force.
    pub limit: u64,
    /// How many interactions were run: to the last safe step needed, or to the limit.
    pub steps: u64,
    /// The first step in the closed safe set, if it was reached.
    pub safe: Option<u64>,
    /// The limit came before safety, or before recovery from the last fault.
    pub censored: bool,
    /// Somebody stopped the run.
    pub interrupted: bool,
    /// Outputs have been constant since this step.
    pub last_output_change: u64,
    /// The first step of each phase; empty if phases were not asked for.
    pub phases: Vec<Reached>,
    /// The faults that struck, with their recoveries.
    pub faults: Vec<Struck>,
    /// The number of coins that interactions read.
    pub coins_read: u64,
}

/// A phase and the first step at which it held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The name of the phase.
    pub name: Text,
    /// What it means, where the name does not say it.
    pub about: Text,
    /// The first step, if there was one.
    pub step: Option<u64>,
}
