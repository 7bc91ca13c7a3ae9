//! The built-in protocols as files equal their clear forms in Rust: variables, transition, outputs, sets, starts, trials.
//!
//! States go from Rust to the file variable by variable, as values of JSON. Two variables look different there: bits that were gathered
//! are a list in Rust and a number that begins with a one in a file, and the bits `F` of the colouring are a number and an array.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../ringleader/tests/common/mod.rs"]
mod common;

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Arc;

use common::{entry, instance, params, started, trial};
use ringleader::blueprint::Declared;
use ringleader::instance::Instance;
use ringleader::protocol::{Input, Protocol, Transition, leaders, silent};
use ringleader::protocols::aaf::Aaf;
use ringleader::protocols::aaf_colouring::AafColouring;
use ringleader::protocols::aaf_orientation::AafOrientation;
use ringleader::protocols::aaf_token::AafToken;
use ringleader::protocols::elim::Elim;
use ringleader::protocols::fj::Fj;
use ringleader::protocols::pcl::{Pcl, PclDerandomised};
use ringleader::protocols::por::Por;
use ringleader::protocols::ppl::{Ppl, PplPrime};
use ringleader::protocols::undirected::{Undirected, UndirectedDerandomised};
use ringleader::protocols::ysm::Ysm;
use ringleader::random::{Generator, Stream, below, index, stream};
use ringleader::ring::Orientation;
use ringleader::trial::{Engine, Initial, Record, Trial};
use ringleader::value::Value;
use ringleader::variables::{Domain, Variables};
use ringleader_catalogue::{Entry, File};
use ringleader_notation::setting::State as Packed;
use ringleader_notation::written::{Trouble, Written, blueprint};

/// The parameters of a ring.
type Named = &'static [(&'static str, u64)];

/// What differs: `Ok` if nothing does.
type Same = Result<(), String>;

fn same<T: PartialEq + Debug>(what: &str, rust: T, file: T) -> Same {
    if rust == file { Ok(()) } else { Err(format!("{what}: {rust:?} in Rust, {file:?} in the file")) }
}

fn text(name: &str) -> String {
    std::fs::read_to_string(format!("{}/../../protocols/{name}.py", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// Both forms of a protocol on one ring.
struct Both<P: Protocol> {
    rust: Instance<P>,
    file: Instance<Written>,
    variables: Variables<P::State>,
    twins: Variables<Packed>,
    trouble: Trouble,
}

impl<P: Declared> Both<P> {
    fn new(n: usize, named: Named) -> Self {
        let rust = instance::<P>(n, named);
        let text = text(&rust.blueprint.about.name);
        Self::with(rust, &text, named).unwrap()
    }

    /// The form in Rust and this text.
    fn with(rust: Instance<P>, text: &str, named: Named) -> Result<Self, String> {
        let (about, trouble) = (&rust.blueprint.about, Trouble::default());
        let program = ringleader_notation::read("p.py", text).map_err(|problems| problems.to_string())?;
        let blueprint = blueprint(&Arc::new(program), &about.name, &trouble);
        let file = Instance::new(Arc::new(blueprint), rust.ring.n(), &params(named)).map_err(|e| e.to_string())?;
        let (variables, twins) = (rust.protocol.variables(), file.protocol.variables());
        Ok(Self { rust, file, variables, twins, trouble })
    }

    /// The state of the file that is this one.
    fn across(&self, state: &P::State) -> Packed {
        let (mut packed, mut twins) = (Packed::default(), self.twins.0.iter());
        for variable in &self.variables.0 {
            let value = variable.get(state);
            let mut put = |value: &Value| twins.next().unwrap().set(&mut packed, value).unwrap();
            match (&variable.domain, &*variable.name) {
                (Domain::Bits { .. }, _) => put(&(variable.domain.index(&value).unwrap() + 1).into()),
                (domain, "F") => {
                    let (bits, colors) = (value.as_int().unwrap(), domain.size().ilog2());
                    (0..colors).for_each(|c| put(&(bits >> c & 1).into()));
                }
                _ => put(&value),
            }
        }
        packed
    }

    fn ring_across(&self, config: &[P::State]) -> Vec<Packed> {
        config.iter().map(|state| self.across(state)).collect()
    }

    fn no_trouble(&self) -> Same {
        self.trouble.first().map_or(Ok(()), |fault| Err(format!("line {}: {}", fault.span.line, fault.what)))
    }

    // --- What is said of it

    fn said(&self) -> Same {
        let (rust, file) = (&self.rust.blueprint.about, &self.file.blueprint.about);
        same("summary", &rust.summary, &file.summary)?;
        same("ring", rust.ring, file.ring)?;
        same("assumption", &rust.assumption, &file.assumption)?;
        // The parameter of this one is called like the words.
        if rust.name != "ysm" {
            same("bound", &rust.bound, &file.bound)?;
        }
        same("elects", rust.elects, file.elects)?;
        same("safe set", &rust.safe, &file.safe)?;
        let promise = |name: Option<&str>| name.map(str::to_owned);
        let told = self.rust.blueprint.promise.as_ref().map(|promise| &*promise.name);
        same("promise", promise(told), self.file.blueprint.promise.as_ref().map(|promise| promise.name.to_string()))?;
        let parameters = |about: &ringleader::blueprint::About| {
            about.parameters.iter().map(|parameter| parameter.name.to_string()).collect::<Vec<_>>()
        };
        same("parameters", parameters(rust), parameters(file))?;
        let settings = self.file.protocol.settings();
        for (name, value) in self.rust.protocol.settings() {
            let file = settings.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
            same(&name, Some(value), file)?;
        }
        let limit = self.rust.protocol.default_limit(self.rust.ring);
        same("limit", limit, self.file.protocol.default_limit(self.rust.ring))?;
        same("coins", self.rust.protocol.coins(), self.file.protocol.coins())?;
        let dice = |dice: Vec<u64>| if dice.iter().all(|sides| *sides == 1) { Vec::new() } else { dice };
        same("dice", dice(self.rust.protocol.dice()), dice(self.file.protocol.dice()))?;
        same("oracle", self.rust.protocol.oracle(), self.file.protocol.oracle())?;
        self.same_variables()?;
        self.same_phases()
    }

    fn same_phases(&self) -> Same {
        let rust = self.rust.blueprint.phases.iter().map(|phase| (phase.named.clone(), phase.open.is_some()));
        let file = self.file.blueprint.phases.iter().map(|phase| (phase.named.clone(), phase.open.is_some()));
        let (rust, file): (Vec<_>, Vec<_>) = (rust.collect(), file.collect());
        same("number of phases", rust.len(), file.len())?;
        for ((rust, open), (file, closed)) in rust.into_iter().zip(file) {
            // The names of functions have no spaces.
            same("phase", rust.name.replace([' ', '-'], "_"), file.name.to_string())?;
            same("what a phase is", rust.about, file.about)?;
            same("open phase", open, closed)?;
        }
        Ok(())
    }

    /// Names, domains, inputs; every value in the same order.
    fn same_variables(&self) -> Same {
        same("|Q|", self.variables.states(), self.twins.states())?;
        let mut twins = self.twins.0.iter();
        for variable in &self.variables.0 {
            if variable.name == "F" {
                for c in 0..variable.domain.size().ilog2() {
                    let twin = twins.next().ok_or("a variable is missing")?;
                    same("name", format!("F{c}"), twin.name.to_string())?;
                    same("F", &Domain::BIT, &twin.domain)?;
                }
                continue;
            }
            let twin = twins.next().ok_or("a variable is missing")?;
            same("name", &variable.name, &twin.name)?;
            same("input", variable.input, twin.input)?;
            same(&variable.name, variable.domain.size(), twin.domain.size())?;
            if matches!(variable.domain, Domain::Bits { .. }) {
                continue;
            }
            for k in 0..variable.domain.size() {
                same(&variable.name, variable.domain.nth(k), twin.domain.nth(k))?;
            }
        }
        same("variables", None, twins.next().map(|twin| &twin.name))?;
        same("zero", self.across(&P::State::default()), Packed::default())
    }

    // --- What it does

    /// A file has leaders only if it elects them; in Rust they may be given.
    fn elects(&self) -> bool {
        self.rust.blueprint.about.elects
    }

    /// One interaction of both forms.
    fn same_step(&self, l: P::State, r: P::State, input: Input) -> Same {
        let (mut u, mut v, mut a, mut b) = (l, r, self.across(&l), self.across(&r));
        let reads = (self.rust.protocol.reads_coin(&l, &r), self.file.protocol.reads_coin(&a, &b));
        self.rust.protocol.interact(&mut u, &mut v, input);
        self.file.protocol.interact(&mut a, &mut b, input);
        let told = || format!("{} {} {input:?}", self.variables.encode(&l), self.variables.encode(&r));
        same("reads a coin", reads.0, reads.1).map_err(|e| format!("{e}\n{}", told()))?;
        if (a, b) != (self.across(&u), self.across(&v)) {
            let rust = format!("{} {}", self.variables.encode(&u), self.variables.encode(&v));
            let file = format!("{} {}", self.twins.encode(&a), self.twins.encode(&b));
            return Err(format!("{}\nRust: {rust}\nfile: {file}", told()));
        }
        for (before, after, x, y) in [(l, u, self.across(&l), a), (r, v, self.across(&r), b)] {
            let changed = self.rust.protocol.output(&before) != self.rust.protocol.output(&after);
            same("output changes", changed, self.file.protocol.output(&x) != self.file.protocol.output(&y))?;
            if self.elects() {
                same("leader", self.rust.protocol.is_leader(&after), self.file.protocol.is_leader(&y))?;
            }
        }
        Ok(())
    }

    fn answers(&self) -> &'static [bool] {
        if self.rust.protocol.oracle().is_some() { &[false, true] } else { &[true] }
    }

    /// All pairs, coins, and answers of the oracle.
    fn exhaustive(&self) -> Same {
        let states: Vec<P::State> = self.variables.enumerate(P::State::default()).collect();
        for &l in &states {
            for &r in &states {
                let coins = if self.rust.protocol.reads_coin(&l, &r) { self.rust.protocol.coins() } else { 1 };
                for coin in 0..coins {
                    for &leader in self.answers() {
                        self.same_step(l, r, Input { coin, leader })?;
                    }
                }
            }
        }
        self.no_trouble()
    }

    /// A state whose variables are at the ends of their domains more often than by chance, and often those of another state.
    fn state(&self, near: Option<&P::State>, generator: &mut Generator) -> P::State {
        let mut state = P::State::default();
        for variable in &self.variables.0 {
            let size = variable.domain.size();
            let value = match (below(generator, 8), near) {
                (0, _) => variable.domain.nth(0),
                (1, _) => variable.domain.nth(size - 1),
                (2 | 3, Some(near)) => variable.get(near),
                _ => variable.domain.nth(below(generator, size)),
            };
            variable.put(&mut state, &value);
        }
        state
    }

    fn random_pairs(&self, count: u64, seed: u64) -> Same {
        let mut generator = stream(seed, Stream::Faults);
        for _ in 0..count {
            let l = self.state(None, &mut generator);
            let r = self.state(Some(&l), &mut generator);
            let coin = below(&mut generator, self.rust.protocol.coins());
            let leader = self.answers()[index(&mut generator, self.answers().len())];
            self.same_step(l, r, Input { coin, leader })?;
        }
        self.no_trouble()
    }

    // --- What it says of configurations

    fn same_sets(&self, config: &[P::State]) -> Same {
        let twin = self.ring_across(config);
        let (rust, file, ring) = (&self.rust.protocol, &self.file.protocol, self.rust.ring);
        let told = |error: String| {
            let agents: Vec<String> = config.iter().map(|state| self.variables.encode(state).to_string()).collect();
            format!("{error}\n{}", agents.join("\n"))
        };
        same("safe", rust.is_safe(config), file.is_safe(&twin)).map_err(told)?;
        if self.elects() {
            same("leaders", leaders(rust, config), leaders(file, &twin)).map_err(told)?;
        }
        same("accepts", rust.accepts(config).is_ok(), file.accepts(&twin).is_ok()).map_err(told)?;
        same("silent", silent(rust, ring, config), silent(file, ring, &twin)).map_err(told)?;
        for (phase, other) in self.rust.blueprint.phases.iter().zip(&self.file.blueprint.phases) {
            same(&phase.named.name, (phase.holds)(rust, config), (other.holds)(file, &twin)).map_err(told)?;
        }
        if let (Some(promise), Some(other)) = (&self.rust.blueprint.promise, &self.file.blueprint.promise) {
            same("promise", (promise.holds)(rust, config), (other.holds)(file, &twin)).map_err(told)?;
        }
        self.no_trouble()
    }

    /// The configuration with one variable of one agent changed.
    fn near_miss(&self, config: &[P::State], generator: &mut Generator) -> Vec<P::State> {
        let (mut config, agent) = (config.to_vec(), index(generator, config.len()));
        let variable = &self.variables.0[index(generator, self.variables.0.len())];
        variable.randomise(&mut config[agent], generator);
        config
    }

    /// Safe configurations, those next to them, those on the way, and others; how many of them were safe.
    fn configurations(&self, seeds: std::ops::Range<u64>) -> Result<usize, String> {
        let mut safe = 0;
        for seed in seeds {
            let mut generator = stream(seed, Stream::Faults);
            for start in &self.rust.blueprint.starts {
                if self.rust.start(Some(&start.named.name)).is_err() {
                    continue;
                }
                let mut config = started(&self.rust, &start.named.name, seed);
                for round in 0..6 {
                    safe += usize::from(self.rust.protocol.is_safe(&config));
                    self.same_sets(&config)?;
                    (0..4).try_for_each(|_| self.same_sets(&self.near_miss(&config, &mut generator)))?;
                    self.wander(&mut config, 4 << (2 * round), &mut generator);
                }
            }
            let random: Vec<P::State> = (0..self.rust.ring.n()).map(|_| self.state(None, &mut generator)).collect();
            self.same_sets(&random)?;
        }
        for config in self.rust.protocol.inputs(self.rust.ring).iter().take(100) {
            self.same_sets(config)?;
        }
        Ok(safe)
    }

    /// Some interactions of the form in Rust.
    fn wander(&self, config: &mut [P::State], steps: u64, generator: &mut Generator) {
        for _ in 0..steps {
            let arc = self.rust.ring.arc(index(generator, self.rust.ring.arcs()));
            let (mut l, mut r) = (config[arc.initiator], config[arc.responder]);
            let leader = config.iter().any(|state| self.rust.protocol.is_leader(state));
            let coin = below(generator, self.rust.protocol.coins());
            self.rust.protocol.interact(&mut l, &mut r, Input { coin, leader });
            (config[arc.initiator], config[arc.responder]) = (l, r);
        }
    }

    // --- Whole trials

    /// A start of both forms is refused by both, or gives the same configuration from the same randomness, or (where they draw in
    /// another order) each variable of each agent has the same values in many of them.
    fn same_start(&self, name: &str) -> Same {
        let refused = (self.rust.start(Some(name)).is_err(), self.file.start(Some(name)).is_err());
        same("refused", refused.0, refused.1)?;
        if refused.0 {
            return Ok(());
        }
        let seeds = 0..300;
        let rust = seeds.clone().map(|seed| self.ring_across(&started(&self.rust, name, seed)));
        let file = seeds.map(|seed| started(&self.file, name, seed));
        let (rust, file): (Vec<_>, Vec<_>) = (rust.collect(), file.collect());
        self.no_trouble()?;
        if rust == file {
            return Ok(());
        }
        file.iter().try_for_each(|config| self.file.protocol.accepts(config)).map_err(|error| error.to_string())?;
        for (i, variable) in (0..self.rust.ring.n()).flat_map(|i| self.twins.0.iter().map(move |one| (i, one))) {
            let values = |configs: &[Vec<Packed>]| -> BTreeSet<u64> {
                configs.iter().filter_map(|config| variable.domain.index(&variable.get(&config[i]))).collect()
            };
            let (rust, mut file) = (values(&rust), values(&file));
            // Of the colourings and directions of a ring, a file takes one.
            if self.rust.ring.orientation() == Orientation::Undirected && file.is_subset(&rust) {
                file.clone_from(&rust);
            }
            same(&format!("{} of agent {i}", variable.name), rust, file)?;
        }
        Ok(())
    }

    /// The record of a trial, run by those for whom types are forgotten.
    fn same_trial(&self, start: &str, named: Named, seed: u64) -> Same {
        let (name, n) = (&*self.rust.blueprint.about.name, self.rust.ring.n());
        let config = self.ring_across(&started(&self.rust, start, seed));
        let given = Initial::Given(config.iter().map(|state| self.twins.encode(state)).collect());
        let file = File::read("p.py", &text(name)).map_err(|problems| problems.to_string())?;
        let trial = trial(name, n, named, start, seed);
        let from_given = Trial { from: Some(given), ..trial.clone() };
        let record =
            |entry: &Entry, trial: &Trial| entry.open(trial).unwrap().run(trial, Engine::Stepper, &()).unwrap();
        let plain = |record: Record| {
            let steps: Vec<Option<u64>> = record.phases.iter().map(|phase| phase.step).collect();
            (Record { phases: Vec::new(), ..record }, steps)
        };
        same("record", plain(record(entry(name), &trial)), plain(record(&file.entry, &from_given)))?;
        file.trouble.first().map_or(Ok(()), |fault| Err(fault.what))
    }
}

// --- Every file -------------------------------------------------------------------------------------------------------

/// Does something with every protocol that is there twice: its type, and rings with parameters, smallest first.
trait Work {
    fn work<P: Declared>(&mut self, rings: &[(usize, Named)]);
}

fn every(work: &mut impl Work) {
    const SMALL: Named = &[("psi", 2), ("kappa", 1)];
    const LATE: Named = &[("psi", 4), ("kappa", 3)];
    const FEW: Named = &[("colors", 4)];
    work.work::<Elim>(&[(3, &[]), (4, &[]), (9, &[])]);
    work.work::<Fj>(&[(3, &[]), (4, &[("delay", 3)]), (9, &[("delay", 50)])]);
    work.work::<Aaf>(&[(3, &[]), (4, &[]), (9, &[("k", 4)]), (12, &[])]);
    work.work::<AafColouring>(&[(3, &[]), (5, &[("colors", 4)]), (8, &[("colors", 5)])]);
    work.work::<AafOrientation>(&[(3, &[("colors", 3)]), (4, &[("colors", 2)]), (5, FEW), (9, &[])]);
    work.work::<AafToken>(&[(3, &[]), (4, &[]), (9, &[])]);
    work.work::<Ysm>(&[(3, &[]), (4, &[("bound", 5)]), (9, &[("bound", 20)])]);
    work.work::<Pcl>(&[(3, &[("colors", 3)]), (4, &[("colors", 2)]), (5, FEW), (9, &[])]);
    work.work::<PclDerandomised>(&[(4, &[("colors", 2)]), (5, FEW), (9, &[])]);
    work.work::<Por>(&[(3, &[("colors", 3)]), (4, &[("colors", 2)]), (5, FEW), (9, &[])]);
    work.work::<Ppl>(&[(3, SMALL), (4, LATE), (8, &[]), (13, &[("psi", 5), ("kappa", 9)]), (16, &[("kappa", 4)])]);
    work.work::<PplPrime>(&[(3, SMALL), (4, LATE), (8, &[]), (13, &[("psi", 5), ("kappa", 9)])]);
    work.work::<Undirected>(&[
        (4, &[("psi", 2), ("kappa", 1), ("colors", 2)]),
        (5, &[("kappa", 3), ("colors", 5)]),
        (8, &[("kappa", 2)]),
    ]);
    work.work::<UndirectedDerandomised>(&[
        (4, &[("psi", 2), ("kappa", 1), ("colors", 2)]),
        (5, &[("kappa", 3), ("colors", 4)]),
        (8, &[("kappa", 2)]),
    ]);
}

fn name<P: Declared>() -> String {
    P::blueprint().about.name.to_string()
}

#[test]
fn every_file_has_a_twin() {
    struct Names(Vec<String>);
    impl Work for Names {
        fn work<P: Declared>(&mut self, _: &[(usize, Named)]) {
            self.0.push(format!("{}.py", name::<P>()));
        }
    }
    let mut names = Names(Vec::new());
    every(&mut names);
    names.0.sort_unstable();
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../protocols")).unwrap();
    let mut files: Vec<String> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    files.sort_unstable();
    assert_eq!(names.0, files);
}

#[test]
fn the_same_is_said_of_both() {
    struct Said;
    impl Work for Said {
        fn work<P: Declared>(&mut self, rings: &[(usize, Named)]) {
            for &(n, named) in rings {
                Both::<P>::new(n, named).said().unwrap_or_else(|e| panic!("{} n = {n} {named:?}: {e}", name::<P>()));
            }
        }
    }
    every(&mut Said);
}

/// All pairs of states with all coins and answers where there are not more than `most`, else random pairs.
struct Steps {
    most: u128,
    pairs: u64,
    exhaustive: BTreeSet<String>,
    random: u64,
}

impl Work for Steps {
    fn work<P: Declared>(&mut self, rings: &[(usize, Named)]) {
        for (seed, &(n, named)) in (0..).zip(rings) {
            let both = Both::<P>::new(n, named);
            let pairs = both.variables.states().saturating_mul(both.variables.states());
            let agree = if pairs.saturating_mul(u128::from(both.rust.protocol.coins())) <= self.most {
                self.exhaustive.insert(name::<P>());
                both.exhaustive()
            } else {
                self.random += self.pairs;
                both.random_pairs(self.pairs, seed)
            };
            agree.unwrap_or_else(|error| panic!("{} n = {n} {named:?}: {error}", name::<P>()));
        }
    }
}

/// So many of the rings of `every` have more pairs than are tried at first.
const RANDOM_RINGS: u64 = 20;

impl Steps {
    fn new(most: u128, pairs: u64) -> Self {
        let mut steps = Self { most, pairs, exhaustive: BTreeSet::new(), random: 0 };
        every(&mut steps);
        steps
    }
}

/// The number of random pairs over all rings with too many to try them all: 100,000, or what RINGLEADER_PAIRS says if that is more.
fn pairs() -> u64 {
    let least = 100_000;
    let asked =
        std::env::var("RINGLEADER_PAIRS").map_or(least, |text| text.parse().expect("RINGLEADER_PAIRS is a number"));
    asked.max(least)
}

/// As before a release: `RINGLEADER_PAIRS=10000000 cargo test -p ringleader-catalogue --test files transitions_agree`.
#[test]
fn transitions_agree() {
    let small =
        ["aaf", "aaf-colouring", "aaf-orientation", "aaf-token", "elim", "fj", "pcl", "pcl-derandomised", "por", "ysm"];
    let each = pairs().div_ceil(RANDOM_RINGS);
    let steps = Steps::new(20 * u128::from(each), each);
    assert!(small.iter().all(|name| steps.exhaustive.contains(*name)), "{:?}", steps.exhaustive);
    assert!(steps.random >= 14 * each, "{} random pairs", steps.random);
}

#[test]
fn sets_agree() {
    struct Sets;
    impl Work for Sets {
        fn work<P: Declared>(&mut self, rings: &[(usize, Named)]) {
            let mut safe = 0;
            for &(n, named) in rings {
                let both = Both::<P>::new(n, named);
                safe += both.configurations(0..3).unwrap_or_else(|e| panic!("{} n = {n} {named:?}: {e}", name::<P>()));
            }
            assert!(safe > 10, "{}: only {safe} configurations were safe", name::<P>());
        }
    }
    every(&mut Sets);
}

#[test]
fn starts_agree() {
    struct Starts;
    impl Work for Starts {
        fn work<P: Declared>(&mut self, rings: &[(usize, Named)]) {
            let names = |starts: Vec<ringleader::blueprint::Named>, without: &str| -> BTreeSet<String> {
                starts.iter().map(|start| start.name.to_string()).filter(|name| name != without).collect()
            };
            for &(n, named) in &rings[..2] {
                let both = Both::<P>::new(n, named);
                let (rust, file) = (both.rust.describe().starts, both.file.describe().starts);
                assert_eq!(rust[0].name, file[0].name, "the default start of {}", name::<P>());
                // A random member of the safe set takes more lines than a file is worth; every file has `zero`.
                let starts = names(rust, "safe");
                assert_eq!(starts, names(file, "zero"), "{}", name::<P>());
                for start in starts {
                    both.same_start(&start).unwrap_or_else(|e| panic!("{} n = {n} {start}: {e}", name::<P>()));
                }
            }
        }
    }
    every(&mut Starts);
}

#[test]
fn trials_agree() {
    struct Trials;
    impl Work for Trials {
        fn work<P: Declared>(&mut self, rings: &[(usize, Named)]) {
            for &(n, named) in &rings[..2] {
                for start in P::blueprint().starts {
                    let both = Both::<P>::new(n, named);
                    let start = start.named.name;
                    if both.rust.start(Some(&start)).is_ok() {
                        both.same_trial(&start, named, 11)
                            .unwrap_or_else(|e| panic!("{} n = {n} {start}: {e}", name::<P>()));
                    }
                }
            }
        }
    }
    every(&mut Trials);
}

// --- That these tests can fail ----------------------------------------------------------------------------------------

/// Whether some thousand random pairs tell this text from P_PL.
fn noticed(text: &str) -> bool {
    let rings: [(usize, Named); 2] = [(3, &[("psi", 2), ("kappa", 1)]), (8, &[("psi", 3), ("kappa", 2)])];
    rings.iter().any(|&(n, named)| match Both::<Ppl>::with(instance(n, named), text, named) {
        Ok(both) => both.random_pairs(4000, 1).is_err(),
        Err(error) => panic!("{error}"),
    })
}

/// What is changed, one sign or word of a line at a time.
const CHANGES: &[(&str, &str)] = &[
    ("==", "!="),
    (">=", "<"),
    ("<=", ">"),
    (" > ", " < "),
    (" - 1", " - 2"),
    (" + 1", " + 2"),
    ("0", "1"),
    ("1", "0"),
    ("2", "1"),
    ("l.", "r."),
    ("r.", "l."),
    ("and", "or"),
    ("psi", "1"),
    ("kappa", "0"),
    ("is None", "is not None"),
    ("[c]", "[1 - c]"),
    ("min(", "max("),
    ("max(", "min("),
    ("(l, r)", "(r, l)"),
];

/// Changes that change nothing: an order that does not matter, and what a condition before has ruled out.
const HARMLESS: &[&str] = &[
    "for v in (r, l): v.token[c] = v.token[c] if valid(v, c, d) else None",
    "if r.token[c] is not None and r.token[c] is not None:",
    "elif l.token[c] is not None and l.token[c][0] >= 1:",
    "elif r.token[c] is not None and r.token[c][0] <= -1:",
    "for v in (r, l):",
];

/// Every line of P_PL, changed wherever something on it can be.
#[test]
fn a_changed_line_is_noticed() {
    let text = text("ppl");
    assert!(!noticed(&text));
    let (mut lines, mut harmless) = (BTreeSet::new(), Vec::new());
    for line in text.lines() {
        let Some((code, number)) = line.rsplit_once("  # ") else { continue };
        let Ok(number) = number.parse::<u32>() else { continue };
        for (from, to) in CHANGES.iter().filter(|(from, _)| code.contains(from)) {
            let changed = code.replacen(from, to, 1);
            lines.insert(number);
            if !noticed(&text.replace(line, &changed)) {
                harmless.push(changed.trim().to_owned());
            }
        }
    }
    assert_eq!(harmless, HARMLESS);
    // The others have one word, `else`.
    assert_eq!(lines.len(), 61);
}
