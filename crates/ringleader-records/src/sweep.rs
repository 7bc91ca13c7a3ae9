//! A sweep: many trials by design. Plain data; a cell is a trial without its seed, and is repeated.
//!
//! The seed of a repeat follows from the master seed, from what the cell is, and from the number of the repeat, not from the
//! place of the cell among the others. To add a cell therefore changes no other.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ringleader::blueprint::LEADER_PHASES;
use ringleader::catalogue::Catalogue;
use ringleader::error::Error;
use ringleader::fault::Fault;
use ringleader::instance::Described;
use ringleader::params::{Params, Settings};
use ringleader::random::{GOLDEN, mix};
use ringleader::trial::{Initial, Scheduler, Trial};

use crate::definition::hash_of;

/// All combinations of some values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    /// Names of protocols.
    pub protocols: Vec<String>,
    /// Numbers of agents.
    pub sizes: Vec<usize>,
    /// Parameters, each with its values; `None` is the default of the protocol.
    pub params: Vec<(String, Vec<Option<u64>>)>,
    /// Names of starts; `None` is the protocol's first.
    pub starts: Vec<Option<String>>,
    /// Lists of faults.
    pub faults: Vec<Vec<Fault>>,
    /// How interactions are chosen.
    pub scheduler: Scheduler,
    /// The greatest number of interactions; derived from the protocol and n if `None`.
    pub limit: Option<u64>,
    /// Whether to find the first step of every phase.
    pub phases: bool,
    /// How many trials each combination has.
    pub repeats: u32,
}

impl Grid {
    /// How many combinations there are.
    #[must_use]
    pub fn len(&self) -> u128 {
        let axes = [self.protocols.len(), self.sizes.len(), self.starts.len(), self.faults.len()];
        let values = self.params.iter().map(|(_, values)| values.len());
        axes.into_iter().chain(values).fold(1, |product: u128, len| product.saturating_mul(len as u128))
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A trial for each combination; what comes first in the declaration varies slowest.
    #[must_use]
    pub fn trials(&self) -> Vec<Trial> {
        let mut trials =
            vec![Trial { scheduler: self.scheduler, limit: self.limit, phases: self.phases, ..Trial::new("", 0, 0) }];
        cross(&mut trials, &self.protocols, |trial, name| trial.protocol.clone_from(name));
        cross(&mut trials, &self.sizes, |trial, &n| trial.n = n);
        for (name, values) in &self.params {
            cross(&mut trials, values, |trial, value| trial.params.0.extend(value.map(|value| (name.clone(), value))));
        }
        cross(&mut trials, &self.starts, |trial, name| trial.from = name.clone().map(Initial::Named));
        cross(&mut trials, &self.faults, |trial, faults| trial.faults.clone_from(faults));
        trials
    }
}

fn cross<T>(trials: &mut Vec<Trial>, values: &[T], set: impl Fn(&mut Trial, &T)) {
    let with = |trial: &Trial, value: &T| {
        let mut trial = trial.clone();
        set(&mut trial, value);
        trial
    };
    *trials = trials
        .iter()
        .flat_map(|trial| values.iter().map(move |value| (trial, value)))
        .map(|(trial, value)| with(trial, value))
        .collect();
}

/// What the trials of a cell have in common: plain data, as it stands in records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// The name of the protocol.
    pub protocol: String,
    /// The number of agents.
    pub n: u32,
    /// All parameters in force, sorted by name.
    pub params: Vec<(String, u64)>,
    /// The name of the start.
    pub start: String,
    /// The faults in the order given, separated by `;`.
    pub faults: String,
    /// The name of the scheduler.
    pub scheduler: String,
    /// The fingerprint of the protocol's rules; 0 if it is not known.
    pub rules: u64,
    /// The limit in force.
    pub limit: u64,
    /// The phases that are looked for, in the order in which they are expected.
    pub phases: Vec<Arc<str>>,
}

impl Setup {
    fn new(trial: &Trial, described: &Described, limit: u64, rules: u64) -> Result<Self, Error> {
        let mut params: Vec<(String, u64)> =
            described.settings.iter().map(|(name, value)| (name.to_string(), *value)).collect();
        params.sort_by_cached_key(|(name, _)| format!("{name}="));
        if let Some((name, value)) = params.iter().find(|(_, value)| *value > MOST) {
            return Err(Error::new(name, value, format!("records hold numbers of at most {MOST}")));
        }
        let start = match &trial.from {
            Some(Initial::Named(name)) => name.clone(),
            Some(Initial::Given(_)) => {
                return Err(Error::new("start", "a configuration", "a sweep knows starts by name"));
            }
            None => described.starts.first().map_or_else(String::new, |start| start.name.to_string()),
        };
        Ok(Self {
            protocol: trial.protocol.clone(),
            n: u32::try_from(trial.n).unwrap_or(u32::MAX),
            params,
            start,
            faults: trial.faults.iter().map(ToString::to_string).collect::<Vec<_>>().join(";"),
            scheduler: trial.scheduler.name().to_owned(),
            rules,
            // No trial comes near to it.
            limit: limit.min(MOST),
            phases: if trial.phases { phases(described) } else { Vec::new() },
        })
    }

    /// The parameters as `k=v,k=v`.
    #[must_use]
    pub fn params(&self) -> String {
        self.params.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(",")
    }

    /// What the cell is, as text: all that decides how a trial goes on, but neither how far nor how often.
    #[must_use]
    pub fn identity(&self) -> String {
        let Self { protocol, n, start, faults, scheduler, .. } = self;
        format!("{protocol} n={n} params={} start={start} faults={faults} scheduler={scheduler}", self.params())
    }
}

/// The greatest number in records, whose integers are signed.
const MOST: u64 = i64::MAX.cast_unsigned();

/// All phases of a record, in its order.
fn phases(described: &Described) -> Vec<Arc<str>> {
    let leaders = LEADER_PHASES.into_iter().filter(|_| described.about.elects);
    let own = described.phases.iter().map(|phase| &*phase.name);
    leaders.chain(own).chain([&*described.safe_phase]).map(Arc::from).collect()
}

/// What is known of the rules of trials that come together, of which 0 is unknown; `None` if their rules differ.
#[must_use]
pub fn same_rules(one: u64, other: u64) -> Option<u64> {
    if one == 0 || other == 0 { Some(0) } else { (one == other).then_some(one) }
}

/// Fingerprints of rules, by protocol and parameters: many cells have the same.
type Rules = BTreeMap<(String, Settings), u64>;

/// A trial that can run, repeated with different seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The trial; its seed means nothing.
    pub trial: Trial,
    /// How often it is run.
    pub repeats: u32,
    /// What its records say of it.
    pub setup: Arc<Setup>,
    /// The hash of the protocol's text, if it is one.
    pub text: Option<String>,
}

impl Cell {
    /// A cell, after a look at whether its trial can run. No ring is made for that.
    ///
    /// # Errors
    /// What the trial would refuse.
    pub fn new(protocols: &Catalogue, trial: Trial, repeats: u32) -> Result<Self, Error> {
        Self::knowing(&mut Rules::new(), protocols, trial, repeats)
    }

    fn knowing(known: &mut Rules, protocols: &Catalogue, trial: Trial, repeats: u32) -> Result<Self, Error> {
        let protocol = protocols.find(&trial.protocol)?;
        let (described, limit) = (protocol.describe(trial.n, &trial.params)?, protocol.check(&trial)?);
        let rules = match known.entry((trial.protocol.clone(), described.settings.clone())) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(unknown) => *unknown.insert(protocol.fingerprint(trial.n, &trial.params)?),
        };
        let setup = Setup::new(&trial, &described, limit, rules)?.into();
        let text = protocol.about().text.as_deref().map(hash_of);
        Ok(Self { trial, repeats, setup, text })
    }

    /// What the cell is, as text.
    #[must_use]
    pub fn identity(&self) -> String {
        self.setup.identity()
    }

    /// The seeds of the repeats: `mix(h + (repeat + 1) * GOLDEN)`, where `h` begins as the master seed and takes in each byte `b` of
    /// the identity by `h = mix(h ^ b)`. `mix` and `GOLDEN` are those of SplitMix64. No two repeats of a cell share a seed.
    pub fn seeds(&self, master: u64) -> impl Fn(u32) -> u64 + use<> {
        let hash = self.identity().bytes().fold(master, |hash, byte| mix(hash ^ u64::from(byte)));
        move |repeat| mix(hash.wrapping_add(GOLDEN.wrapping_mul(u64::from(repeat) + 1)))
    }
}

/// Cells and the master seed of all their trials.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// The master seed.
    pub seed: u64,
    /// The cells, all different.
    pub cells: Vec<Cell>,
}

impl Sweep {
    /// The sweep over these trials with their repeats.
    ///
    /// # Errors
    /// All that are refused, with their places in the list: because they cannot run, or are there already.
    pub fn new(protocols: &Catalogue, seed: u64, asked: Vec<(Trial, u32)>) -> Result<Self, Vec<(usize, Error)>> {
        let (mut cells, mut refused, mut known, mut rules) = (Vec::new(), Vec::new(), BTreeSet::new(), Rules::new());
        for (k, (trial, repeats)) in asked.into_iter().enumerate() {
            match Cell::knowing(&mut rules, protocols, trial, repeats) {
                Err(error) => refused.push((k, error)),
                Ok(cell) if !known.insert(cell.identity()) => {
                    let twice = "it is there already; its trials would count twice";
                    refused.push((k, Error::new("cell", cell.identity(), twice)));
                }
                Ok(cell) => cells.push(cell),
            }
        }
        if refused.is_empty() { Ok(Self { seed, cells }) } else { Err(refused) }
    }

    /// How many trials there are.
    #[must_use]
    pub fn trials(&self) -> u64 {
        self.cells.iter().map(|cell| u64::from(cell.repeats)).sum()
    }
}

/// A trial of a grid in a few words, also if it cannot run.
#[must_use]
pub fn words(trial: &Trial) -> String {
    let Params(params) = &trial.params;
    let mut words = vec![trial.protocol.clone(), format!("n={}", trial.n)];
    words.extend(params.iter().map(|(name, value)| format!("{name}={value}")));
    if let Some(Initial::Named(name)) = &trial.from {
        words.push(format!("start={name}"));
    }
    words.extend(trial.faults.iter().map(|fault| format!("fault {fault}")));
    words.join(" ")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The built-in protocols.
    pub(crate) fn builtin() -> Catalogue {
        ringleader_catalogue::Entries::new(&ringleader_catalogue::builtin()).unwrap().catalogue()
    }

    fn grid() -> Grid {
        Grid {
            protocols: vec!["ppl".into(), "ppl-prime".into()],
            sizes: vec![8, 9],
            params: vec![("psi".into(), vec![None, Some(5)])],
            starts: vec![None],
            faults: vec![vec![], vec!["agents=1,at=safe".parse().unwrap()]],
            repeats: 3,
            ..Grid::default()
        }
    }

    fn sweep(grid: &Grid) -> Result<Sweep, Vec<(usize, Error)>> {
        Sweep::new(&builtin(), 1, grid.trials().into_iter().map(|trial| (trial, grid.repeats)).collect())
    }

    #[test]
    fn a_grid_is_all_combinations() {
        let trials = grid().trials();
        assert_eq!((trials.len() as u128, grid().len()), (16, 16));
        let words: Vec<String> = trials.iter().map(words).collect();
        assert_eq!(words[0..3], ["ppl n=8", "ppl n=8 fault agents=1,at=safe", "ppl n=8 psi=5"]);
        assert_eq!(words[15], "ppl-prime n=9 psi=5 fault agents=1,at=safe");
        assert_eq!(sweep(&grid()).unwrap().trials(), 48);
    }

    #[test]
    fn a_cell_is_told_apart_by_what_is_in_force() {
        let cell = Cell::new(&builtin(), Trial::new("ppl", 8, 0), 1).unwrap();
        let said = "ppl n=8 params=kappa=144,psi=3 start=leaderless faults= scheduler=clocks";
        assert_eq!(cell.identity(), said);
        let same = Trial { params: Params::default().with("psi", 3), limit: Some(7), ..Trial::new("ppl", 8, 9) };
        assert_eq!(Cell::new(&builtin(), same, 2).unwrap().identity(), said);
    }

    /// The numbers were worked out in another language from the description above.
    #[test]
    fn seeds_are_value_stable() {
        let cell = Cell::new(&builtin(), Trial::new("ppl", 8, 0), 1).unwrap();
        assert_eq!(
            [0, 1, u32::MAX].map(cell.seeds(1)),
            [8301029668710263085, 9476083230155775294, 7628067041878131130]
        );
        assert_eq!(cell.seeds(u64::MAX)(0), 2140403276651344280);
    }

    #[test]
    fn seeds_depend_on_the_cell_and_not_on_its_place() {
        let all = sweep(&grid()).unwrap();
        let fewer = sweep(&Grid { protocols: vec!["ppl-prime".into()], ..grid() }).unwrap();
        let seeds = |sweep: &Sweep, from: usize| -> Vec<u64> {
            sweep.cells[from..].iter().flat_map(|cell| (0..3).map(cell.seeds(1))).collect()
        };
        assert_eq!(seeds(&all, 8), seeds(&fewer, 0));
        let mut distinct = seeds(&all, 0);
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), 48);
    }

    /// All that decides how a trial goes on makes seeds of its own.
    #[test]
    fn seeds_depend_on_every_part_of_the_cell() {
        let plain = Trial::new("ppl", 8, 0);
        let cells = [
            plain.clone(),
            Trial { protocol: "ppl-prime".into(), ..plain.clone() },
            Trial { n: 9, ..plain.clone() },
            Trial { params: Params::default().with("psi", 5), ..plain.clone() },
            Trial { from: Some(Initial::Named("uniform".into())), ..plain.clone() },
            Trial { faults: vec!["agents=1,at=safe".parse().unwrap()], ..plain.clone() },
            Trial { scheduler: Scheduler::Uniform, ..plain.clone() },
        ];
        let seed = |trial: &Trial| Cell::new(&builtin(), trial.clone(), 1).unwrap().seeds(1)(0);
        let mut seeds: Vec<u64> = cells.iter().map(seed).collect();
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), cells.len());
        assert_eq!(
            seed(&Trial { limit: Some(7), phases: false, ..plain.clone() }),
            seed(&plain),
            "how far is no part of it"
        );
    }

    #[test]
    fn all_that_is_impossible_is_named_at_once() {
        let wrong = Grid {
            protocols: vec!["ppl".into(), "none".into()],
            sizes: vec![2, 8, 8],
            faults: vec![vec!["agents=9,at=safe".parse().unwrap()], vec![]],
            params: Vec::new(),
            ..grid()
        };
        let refused: Vec<String> = sweep(&wrong).unwrap_err().iter().map(|(k, error)| format!("{k} {error}")).collect();
        assert_eq!(refused.len(), 11, "{refused:#?}");
        assert!(refused[0].starts_with("0 n = 2") && refused[2].starts_with("2 fault, agents = 9"), "{refused:#?}");
        assert!(refused[4].contains("there already") && refused[5].starts_with("6 protocol = none"), "{refused:#?}");
    }
}
