//! What several tests need: the built-in protocols by name, trials in a line, and an observer that keeps what it is told.

#![allow(dead_code, unreachable_pub, reason = "each test uses some of it")]

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use ringleader::blueprint::Declared;
use ringleader::instance::Instance;
use ringleader::observer::{Observer, Progress};
use ringleader::params::Params;
use ringleader::protocol::{Protocol, Transition};
use ringleader::session::Session;
use ringleader::trial::{Engine, Initial, Record, Trial};
use ringleader::value::Value;
use ringleader_catalogue::{Entries, Entry, builtin};

/// The built-in protocols.
pub static ENTRIES: LazyLock<Entries> = LazyLock::new(|| Entries::new(&builtin()).unwrap());

/// A protocol by its name.
pub fn entry(name: &str) -> &'static Entry {
    ENTRIES.find(name).unwrap()
}

pub fn params(named: &[(&str, u64)]) -> Params {
    named.iter().fold(Params::default(), |all, (name, value)| all.with(name, *value))
}

pub fn trial(protocol: &str, n: usize, named: &[(&str, u64)], start: &str, seed: u64) -> Trial {
    let from = Some(Initial::Named(start.into()));
    Trial { params: params(named), from, ..Trial::new(protocol, n, seed) }
}

/// A ring at the start of a trial.
pub fn open(trial: &Trial) -> Box<dyn Session> {
    ENTRIES.catalogue().open(trial).unwrap()
}

/// A trial to its end, on whatever engine suits.
pub fn run(trial: &Trial) -> (Box<dyn Session>, Record) {
    let mut session = open(trial);
    let record = session.run(trial, Engine::Auto, &()).unwrap();
    (session, record)
}

/// The states of all agents.
pub fn agents(session: &dyn Session) -> Vec<Value> {
    (0..session.described().ring.n()).map(|i| session.agent(i)).collect()
}

/// A protocol whose type is known, with its parameters on a ring.
pub fn instance<P: Declared>(n: usize, named: &[(&str, u64)]) -> Instance<P> {
    Instance::new(Arc::new(P::blueprint()), n, &params(named)).unwrap()
}

/// The configuration that a start makes of a seed.
pub fn started<P: Protocol>(instance: &Instance<P>, start: &str, seed: u64) -> Vec<<P as Transition>::State> {
    instance.initial(Some(&Initial::Named(start.into())), seed).unwrap()
}

/// Keeps every record that it is told.
#[derive(Default)]
pub struct Collect {
    told: Mutex<Vec<(usize, Record)>>,
    looked: AtomicUsize,
    pub records: Option<usize>,
    pub looks: Option<usize>,
}

impl Collect {
    /// Breaks off when it has been told so many records.
    pub fn at_most(records: usize) -> Self {
        Self { records: Some(records), ..Self::default() }
    }

    /// Breaks off when it is asked for the time after so many.
    pub fn looking(looks: usize) -> Self {
        Self { looks: Some(looks), ..Self::default() }
    }

    /// Which seeds and their records, in the order in which they were told.
    pub fn told(self) -> Vec<(usize, Record)> {
        self.told.into_inner().unwrap()
    }

    /// The records in the order of the seeds, each of which must have been told once.
    pub fn records(self) -> Vec<Record> {
        let mut told = self.told();
        told.sort_by_key(|(index, _)| *index);
        assert!(told.iter().map(|(index, _)| *index).eq(0..told.len()), "{told:?}");
        told.into_iter().map(|(_, record)| record).collect()
    }
}

impl Observer for Collect {
    fn progress(&self, _: Progress<'_>) -> ControlFlow<()> {
        let looked = self.looked.fetch_add(1, Ordering::Relaxed);
        if self.looks.is_some_and(|most| looked >= most) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn finished(&self, index: usize, record: Record) -> ControlFlow<()> {
        let mut told = self.told.lock().unwrap();
        told.push((index, record));
        if self.records == Some(told.len()) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The records of a trial for each of these seeds, in their order.
pub fn batch(trial: &Trial, seeds: &[u64], engine: Engine) -> Vec<Record> {
    let collect = Collect::default();
    entry(&trial.protocol).run(trial, seeds, engine, &collect).unwrap();
    let records = collect.records();
    assert_eq!(records.len(), seeds.len(), "{}", engine.name());
    records
}
