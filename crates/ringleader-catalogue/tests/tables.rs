//! A protocol need not be a type of its own: one whose states are numbers, whose names are made while the program runs and whose
//! transition is a table does all that its original does, with every tool.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../ringleader/tests/common/mod.rs"]
mod common;

use std::collections::HashMap;
use std::sync::Arc;

use common::{agents, batch, entry, params, trial};
use ringleader::blueprint::{Blueprint, Declared};
use ringleader::instance::Instance;
use ringleader::params::{Params, Settings};
use ringleader::protocol::{Input, Protocol, Transition};
use ringleader::protocols::{fj::Fj, pcl::Pcl, ysm::Ysm};
use ringleader::ring::Ring;
use ringleader::trial::{Engine, Trial};
use ringleader::value::Value;
use ringleader::variables::{Domain, Variable, Variables};
use ringleader_catalogue::Entry;
use ringleader_verify::exact::ask::{Begin, Question, Until};
use ringleader_verify::explicit::{Scope, alone};

/// All that a protocol does, written out.
struct Written<P: Protocol> {
    /// Asked for nothing but the sets that are no tables.
    original: P,
    states: Vec<P::State>,
    number: HashMap<P::State, u32>,
    /// Name, domain, and how many states there are between two values.
    digits: Vec<(String, Domain, u32)>,
    /// For each initiator, responder, coin and answer of the oracle.
    after: Vec<[u32; 2]>,
    reads_coin: Vec<bool>,
    outputs: Vec<u64>,
    leads: Vec<bool>,
}

#[derive(Clone)]
struct Table<P: Protocol>(Arc<Written<P>>);

impl<P: Protocol> Table<P> {
    fn new(original: P) -> Self {
        let variables = original.variables();
        let states: Vec<P::State> = variables.enumerate(P::State::default()).collect();
        let number: HashMap<P::State, u32> = states.iter().copied().zip(0..).collect();
        let (mut digits, mut stride) = (Vec::new(), 1);
        for variable in variables.0.iter().rev() {
            digits.push((variable.name.to_string(), variable.domain.clone(), stride));
            stride *= variable.domain.size() as u32;
        }
        digits.reverse();
        let (mut after, mut reads_coin) = (Vec::new(), Vec::new());
        for (a, b) in states.iter().flat_map(|a| states.iter().map(move |b| (a, b))) {
            reads_coin.push(original.reads_coin(a, b));
            for (coin, leader) in (0..original.coins()).flat_map(|coin| [(coin, false), (coin, true)]) {
                let (mut l, mut r) = (*a, *b);
                original.interact(&mut l, &mut r, Input { coin, leader });
                after.push([number[&l], number[&r]]);
            }
        }
        let outputs = states.iter().map(|state| original.output(state)).collect();
        let leads = states.iter().map(|state| original.is_leader(state)).collect();
        Self(Arc::new(Written { original, states, number, digits, after, reads_coin, outputs, leads }))
    }

    fn pair(&self, l: u32, r: u32) -> usize {
        l as usize * self.0.states.len() + r as usize
    }

    fn read(&self, config: &[u32]) -> Vec<P::State> {
        config.iter().map(|&k| self.0.states[k as usize]).collect()
    }

    fn numbers(&self, config: &[P::State]) -> Vec<u32> {
        config.iter().map(|state| self.0.number[state]).collect()
    }
}

impl<P: Protocol> Transition for Table<P> {
    type State = u32;

    fn coins(&self) -> u64 {
        self.0.original.coins()
    }

    fn reads_coin(&self, l: &u32, r: &u32) -> bool {
        self.0.reads_coin[self.pair(*l, *r)]
    }

    fn oracle(&self) -> Option<u64> {
        self.0.original.oracle()
    }

    fn interact(&self, l: &mut u32, r: &mut u32, input: Input) {
        let coin = self.pair(*l, *r) as u64 * self.coins() + input.coin;
        [*l, *r] = self.0.after[2 * coin as usize + usize::from(input.leader)];
    }
}

impl<P: Protocol> Protocol for Table<P> {
    fn variables(&self) -> Variables<u32> {
        let digit = |(name, domain, stride): &(String, Domain, u32)| {
            let (of, to, stride, size) = (domain.clone(), domain.clone(), *stride, domain.size() as u32);
            let get = move |k: &u32| of.nth(u64::from(k / stride % size));
            let put = move |k: &mut u32, value: &Value| {
                *k = *k - *k / stride % size * stride + to.index(value).unwrap() as u32 * stride;
            };
            Variable::computed(name.clone(), domain.clone(), get, put)
        };
        Variables(self.0.digits.iter().map(digit).collect())
    }

    fn is_safe(&self, config: &[u32]) -> bool {
        self.0.original.is_safe(&self.read(config))
    }

    fn is_leader(&self, state: &u32) -> bool {
        self.0.leads[*state as usize]
    }

    fn output(&self, state: &u32) -> u64 {
        self.0.outputs[*state as usize]
    }

    fn settings(&self) -> Settings {
        self.0.original.settings()
    }

    fn dice(&self) -> Vec<u64> {
        self.0.original.dice()
    }

    fn default_limit(&self, ring: Ring) -> u64 {
        self.0.original.default_limit(ring)
    }
}

/// The blueprint of the table of a protocol; every name is made on the spot.
fn written<P: Declared>() -> Blueprint<Table<P>> {
    let of = P::blueprint();
    let make = of.make.clone();
    let mut all = Blueprint::new(format!("{}-table", of.about.name), of.about.ring, move |ring, params: &Params| {
        Ok(Table::new(make(ring, params)?))
    })
    .safe(of.about.safe.to_string())
    .parameters(of.about.parameters.clone());
    if of.about.elects {
        all = all.elects();
    }
    let smallest = of.smallest.clone();
    all = all.smallest(move |ring, given| smallest(ring, given));
    for start in of.starts {
        let make = start.make;
        all = all.start(start.named.name.to_string(), start.named.about.to_string(), move |table, ring, generator| {
            table.numbers(&make(&table.0.original, ring, generator))
        });
    }
    for phase in of.phases {
        let holds = phase.holds;
        let holds = move |table: &Table<P>, config: &[u32]| holds(&table.0.original, &table.read(config));
        let (name, about) = (phase.named.name.to_string(), phase.named.about.to_string());
        // An open phase looks whenever something has changed.
        all = match phase.open {
            None => all.phase(name, about, holds),
            Some(_) => all.open_phase(name, about, holds, |a, b| a != b),
        };
    }
    for event in of.events.into_iter().skip(all.events.len()) {
        let occurs = event.occurs;
        all = all.event(event.named.name.to_string(), String::new(), move |table, before, after| {
            let [before, after] = [before, after].map(|pair| pair.map(|k| table.0.states[*k as usize]));
            occurs(&table.0.original, [&before[0], &before[1]], [&after[0], &after[1]])
        });
    }
    all
}

fn compare<P: Declared>(n: usize, named: &[(&str, u64)]) {
    let (name, table) = (P::blueprint().about.name, Entry::new(written::<P>()));
    let original = entry(&name);
    assert_eq!(table.laws(n, &params(named), 1), Ok(()));
    for start in original.starts() {
        let mut trial = Trial { limit: Some(20_000), ..trial(&name, n, named, &start.name, 3) };
        assert_eq!(table.check(&trial), original.check(&trial));
        let collect = common::Collect::default();
        table.run(&trial, &[5, 6, 7], Engine::Auto, &collect).unwrap();
        assert_eq!(collect.records(), batch(&trial, &[5, 6, 7], Engine::Auto), "{name} from {}", start.name);
        let (mut one, mut two) = (table.open(&trial).unwrap(), original.open(&trial).unwrap());
        for _ in 0..500 {
            assert_eq!(one.step(), two.step(), "{name}");
            assert_eq!((one.phases(), one.leaders(), one.is_safe()), (two.phases(), two.leaders(), two.is_safe()));
        }
        trial.faults = vec!["agents=2,at=safe".parse().unwrap(), "agents=3,place=contiguous,at=40".parse().unwrap()];
        let collect = common::Collect::default();
        table.run(&trial, &[5], Engine::Auto, &collect).unwrap();
        assert_eq!(collect.records(), batch(&trial, &[5], Engine::Auto), "{name} from {}, faults", start.name);
        assert_eq!(agents(&*one), agents(&*two), "{name}");
    }
}

#[test]
fn a_table_runs_as_its_original() {
    compare::<Fj>(5, &[("delay", 30)]);
    compare::<Pcl>(6, &[("colors", 3)]);
    compare::<Ysm>(4, &[]);
}

#[test]
fn a_table_is_checked_and_solved_as_its_original() {
    fn same<P: Declared>(n: usize, named: &[(&str, u64)]) {
        let (original, table) = (entry(&P::blueprint().about.name), Entry::new(written::<P>()));
        let scope = Scope { memory: 1 << 28, everywhere: false };
        let explored = [original, &table].map(|entry| entry.explore(n, &params(named), scope, &mut alone).unwrap());
        assert_eq!(explored[0], explored[1]);
        let question = Question {
            start: Begin::Named("every"),
            seed: 1,
            until: Until::Safe,
            rotate: true,
            // A table does not know which of its states are colours.
            rename: false,
            most: 400_000,
            quantiles: 0,
        };
        let found = [original, &table].map(|entry| {
            let found = entry.exact(n, &params(named), &question, None, &()).unwrap().unwrap();
            (found.configurations, found.moves, found.mean)
        });
        assert_eq!(found[0], found[1]);
    }
    same::<Fj>(4, &[]);
    same::<Pcl>(3, &[("colors", 3)]);
    same::<Ysm>(3, &[]);
}

#[test]
fn what_is_said_of_a_table_is_what_was_read() {
    let blueprint = Arc::new(written::<Pcl>());
    let described = Instance::new(blueprint, 6, &params(&[("colors", 3)])).unwrap().describe();
    let original = entry("pcl").describe(6, &params(&[("colors", 3)])).unwrap();
    assert_eq!(described.about.name, "pcl-table");
    assert_eq!(
        (described.states, described.settings, described.dice),
        (original.states, original.settings, original.dice)
    );
    assert_eq!((described.starts, described.phases), (original.starts, original.phases));
}
