//! Exact hitting times: the Markov chain of the configurations that can be reached, up to rotation.
//!
//! A configuration is numbered by the least of its rotations, which the random scheduler cannot tell apart, with colours called by the order
//! in which they come where the protocol does not care what they are called. The
//! expected number of steps to the target solves `E = 1 + P E`. Small chains are solved in rational numbers, larger
//! ones by Gauss-Seidel with a bound on the error: if no entry of the residual `1 + P x - x` is larger than rho, then
//! every `E` is within a factor `1 +- rho` of `x`, because `(I - P)^-1` has no negative entry and `(I - P)^-1 1 = E`.

pub mod ask;

use std::fmt;
use std::io::{self, Write};

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};
use ringleader::error::Error;
use ringleader::observer::{BETWEEN, Observer, Pace, Progress};
use ringleader::protocol::{Input, Protocol};
use ringleader::ring::Ring;
use rustc_hash::FxHashMap;

/// A configuration as a number: so many bits for each agent, `u_0` lowest.
type Key = u128;

/// Where a chain ends.
#[derive(Clone, Copy)]
pub enum Target<'a, S> {
    /// In the configurations of this set.
    Set(&'a dyn Fn(&[S]) -> bool),
    /// In the safe configurations of Definition 1: no output ever changes, and there is one leader if one is elected.
    Largest {
        /// Whether one is.
        elects: bool,
    },
}

/// What to build.
pub struct Plan<'a, S> {
    /// Where it ends.
    pub until: Target<'a, S>,
    /// Whether rotations of a configuration are one.
    pub rotate: bool,
    /// Whether configurations are one that differ in the names of colours only, of a protocol to which names make no difference.
    pub rename: bool,
    /// The greatest number of configurations.
    pub most: usize,
    /// Told how many configurations there are, and asked whether to go on.
    pub observer: &'a dyn Observer,
}

/// Tells an observer of a part of the work, under its name, and asks whether to go on after every so many moves,
/// configurations or terms.
struct Part<'a> {
    pace: Pace<'a>,
    name: &'static str,
    done: u64,
}

impl<'a> Part<'a> {
    fn new(observer: &'a dyn Observer, name: &'static str) -> Self {
        Self { pace: Pace::new(observer), name, done: 0 }
    }

    /// So much work was done; `None` if the observer breaks off.
    fn did(&mut self, work: usize) -> Option<()> {
        let progress = Progress { steps: self.done, gauges: &|| vec![(self.name.into(), self.done as usize)] };
        self.pace.did(work as u64, progress).is_continue().then_some(())
    }

    /// One more thing of those that are counted is done, which took so much work.
    fn one(&mut self, work: usize) -> Option<()> {
        self.done += 1;
        self.did(work)
    }
}

/// Why there is no chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoChain {
    /// The question makes no sense.
    Wrong(Error),
    /// There are too many configurations; how many.
    TooLarge(String),
}

impl From<Error> for NoChain {
    fn from(error: Error) -> Self {
        Self::Wrong(error)
    }
}

impl fmt::Display for NoChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wrong(error) => error.fmt(f),
            Self::TooLarge(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for NoChain {}

/// A Markov chain on configurations.
pub struct Chain<S> {
    ring: Ring,
    rotate: bool,
    width: u32,
    states: Vec<S>,
    configs: Vec<Key>,
    /// Where the row of each configuration begins; those of the target are empty.
    begins: Vec<usize>,
    /// Where it goes, and how many of [`Chain::outcomes`] equally likely outcomes go there.
    moves: Vec<(u32, u32)>,
    outcomes: u32,
    /// Which configurations are in the target.
    pub target: Vec<bool>,
    /// Those that were given as starts, and how many starts are the same up to rotation.
    pub starts: Vec<(u32, u64)>,
}

/// What may come of an interaction: both new states, and how many outcomes lead there; and whether one of them changes
/// an output.
type Outcomes = (Vec<(u32, u32, u32)>, bool);

/// The numbers of configurations are kept in so many tables: one that grows is out of reach for a while, and a single
/// one of millions for too long.
const TABLES: usize = 256;

/// To reach a configuration costs as much as some moves.
const REACH: usize = 16;

/// Builds states, transitions and configurations as they are met.
struct Builder<'p, P: Protocol> {
    protocol: &'p P,
    rename: bool,
    known: FxHashMap<P::State, u32>,
    pairs: FxHashMap<(u32, u32, bool), Outcomes>,
    numbers: Vec<FxHashMap<Key, u32>>,
    chain: Chain<P::State>,
}

impl<P: Protocol> Builder<'_, P> {
    fn state(&mut self, state: P::State) -> Result<u32, Error> {
        let (fresh, states) = (self.chain.states.len() as u32, &mut self.chain.states);
        let number = *self.known.entry(state).or_insert_with(|| {
            states.push(state);
            fresh
        });
        if self.chain.width < 32 && number >> self.chain.width > 0 {
            let most = format!("at most {} states of an agent fit for this many agents", 1_u64 << self.chain.width);
            return Err(Error::new("n", self.chain.ring.n(), most));
        }
        Ok(number)
    }

    fn config(&mut self, key: Key, most: usize) -> Result<u32, NoChain> {
        let key = self.canonical(key)?;
        let fresh = self.chain.configs.len();
        let number = *self.numbers[table(key)].entry(key).or_insert(fresh as u32);
        if number as usize == fresh {
            if fresh >= most {
                let up_to = if self.chain.rotate { " up to rotation" } else { "" };
                let up_to = up_to.to_owned() + if self.rename { " and the names of colours" } else { "" };
                return Err(NoChain::TooLarge(format!("more than {most} configurations can be reached{up_to}")));
            }
            self.chain.configs.push(key);
        }
        Ok(number)
    }

    /// What stands for a configuration: the least of its rotations, each with colours called by their order if names make no difference.
    fn canonical(&mut self, key: Key) -> Result<Key, Error> {
        if !self.rename {
            return Ok(self.chain.least_rotation(key));
        }
        let (mut config, mut least) = (self.chain.config_of(key), Key::MAX);
        for _ in 0..if self.chain.rotate { config.len() } else { 1 } {
            let mut named = config.clone();
            self.protocol.rename(&mut named);
            least = least.min(self.key(named)?);
            config.rotate_left(1);
        }
        Ok(least)
    }

    fn key(&mut self, config: Vec<P::State>) -> Result<Key, Error> {
        let mut key = 0;
        for (i, state) in config.into_iter().enumerate() {
            let number = self.state(state)?;
            key = self.chain.with(key, i, number);
        }
        Ok(key)
    }

    /// What may come of the interaction of two states, each with its number of outcomes.
    fn interact(&mut self, a: u32, b: u32, leader: bool) -> Result<Outcomes, Error> {
        if let Some(known) = self.pairs.get(&(a, b, leader)) {
            return Ok(known.clone());
        }
        let (x, y) = (self.chain.states[a as usize], self.chain.states[b as usize]);
        let coins = self.protocol.coins();
        let read = if self.protocol.reads_coin(&x, &y) { coins } else { 1 };
        let output = |state: &P::State| (self.protocol.output(state), self.protocol.is_leader(state));
        let before = (output(&x), output(&y));
        let (mut results, mut changes) = (Vec::<(u32, u32, u32)>::new(), false);
        for coin in 0..read {
            let (mut x, mut y) = (x, y);
            self.protocol.interact(&mut x, &mut y, Input { coin, leader });
            changes |= (output(&x), output(&y)) != before;
            let (x, y) = (self.state(x)?, self.state(y)?);
            match results.iter_mut().find(|known| (known.0, known.1) == (x, y)) {
                Some(known) => known.2 += (coins / read) as u32,
                None => results.push((x, y, (coins / read) as u32)),
            }
        }
        self.pairs.insert((a, b, leader), (results.clone(), changes));
        Ok((results, changes))
    }

    /// The row of one configuration; whether an interaction may change an output. That cannot be told from
    /// configurations up to rotation: a leader may have moved on.
    fn expand(&mut self, key: Key, most: usize) -> Result<bool, NoChain> {
        let (ring, mut row, mut changes) = (self.chain.ring, Vec::<(u32, u32)>::new(), false);
        let leader = self.leaders(key) > 0;
        for arc in 0..ring.arcs() {
            let e = ring.arc(arc);
            let (a, b) = (self.chain.agent(key, e.initiator), self.chain.agent(key, e.responder));
            let (results, changed) = self.interact(a, b, leader)?;
            changes |= changed;
            for (x, y, outcomes) in results {
                let next = self.chain.with(self.chain.with(key, e.initiator, x), e.responder, y);
                let next = self.config(next, most)?;
                match row.iter_mut().find(|(known, _)| *known == next) {
                    Some((_, sum)) => *sum += outcomes,
                    None => row.push((next, outcomes)),
                }
            }
        }
        self.chain.moves.extend(row);
        Ok(changes)
    }

    fn leaders(&self, key: Key) -> usize {
        self.chain.config_of(key).iter().filter(|state| self.protocol.is_leader(state)).count()
    }
}

/// The table of a configuration: the top bits of a product in which every bit of it has a part.
fn table(key: Key) -> usize {
    let mixed = (key as u64 ^ (key >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> (64 - TABLES.ilog2())) as usize
}

/// The chain of all configurations that can be reached from these starts before the target; `None` if it was stopped.
///
/// # Errors
/// If there are too many configurations or states, or the protocol asks an oracle that remembers.
pub fn chain<P: Protocol>(
    protocol: &P,
    ring: Ring,
    starts: impl Iterator<Item = Vec<P::State>>,
    plan: &Plan<'_, P::State>,
) -> Result<Option<Chain<P::State>>, NoChain> {
    if let Some(delay) = protocol.oracle().filter(|&delay| delay > 0) {
        return Err(Error::new("delay", delay, "a chain needs an oracle that answers at once, delay 0").into());
    }
    let n = ring.n();
    if n > 64 {
        return Err(Error::new("n", n, "a chain has at most 64 agents").into());
    }
    let outcomes = ring.arcs() as u64 * protocol.coins();
    let outcomes =
        u32::try_from(outcomes).map_err(|_| Error::new("colors", outcomes, "too many outcomes of one step"))?;
    let chain = Chain {
        ring,
        rotate: plan.rotate,
        width: 128 / n as u32,
        states: Vec::new(),
        configs: Vec::new(),
        begins: vec![0],
        moves: Vec::new(),
        outcomes,
        target: Vec::new(),
        starts: Vec::new(),
    };
    let (known, pairs, numbers) = (FxHashMap::default(), FxHashMap::default(), vec![FxHashMap::default(); TABLES]);
    let rename = plan.rename && protocol.rename(&mut vec![P::State::default(); n]);
    let mut builder = Builder { protocol, rename, known, pairs, numbers, chain };
    let (mut part, mut times) = (Part::new(plan.observer, "starts"), Vec::<u64>::new());
    for start in starts {
        let key = builder.key(start)?;
        let number = builder.config(key, plan.most)? as usize;
        times.resize(times.len().max(number + 1), 0);
        times[number] += 1;
        if part.one(REACH).is_none() {
            return Ok(None);
        }
    }
    builder.chain.starts = times.iter().enumerate().map(|(k, &times)| (k as u32, times)).collect();
    let mut part = Part::new(plan.observer, "configurations");
    while builder.chain.target.len() < builder.chain.configs.len() {
        let done = builder.chain.target.len();
        if part.one(REACH * ring.arcs()).is_none() {
            return Ok(None);
        }
        let key = builder.chain.configs[done];
        let reached = match plan.until {
            Target::Set(holds) => {
                let reached = holds(&builder.chain.config_of(key));
                if !reached {
                    builder.expand(key, plan.most)?;
                }
                reached
            }
            Target::Largest { elects } => {
                let changes = builder.expand(key, plan.most)?;
                !changes && (!elects || builder.leaders(key) == 1)
            }
        };
        builder.chain.target.push(reached);
        builder.chain.begins.push(builder.chain.moves.len());
    }
    let mut chain = builder.chain;
    if matches!(plan.until, Target::Largest { .. }) && chain.shrink_target(plan.observer).is_none() {
        return Ok(None);
    }
    Ok(Some(chain))
}

impl<S: Copy> Chain<S> {
    fn mask(&self) -> Key {
        if self.width >= 128 { Key::MAX } else { (1 << self.width) - 1 }
    }

    fn agent(&self, key: Key, i: usize) -> u32 {
        (key >> (i as u32 * self.width) & self.mask()) as u32
    }

    fn with(&self, key: Key, i: usize, state: u32) -> Key {
        let shift = i as u32 * self.width;
        key & !(self.mask() << shift) | Key::from(state) << shift
    }

    fn least_rotation(&self, key: Key) -> Key {
        if !self.rotate {
            return key;
        }
        let top = (self.ring.n() as u32 - 1) * self.width;
        let turn = |key: &Key| Some(key >> self.width | (key & self.mask()) << top);
        std::iter::successors(Some(key), turn).take(self.ring.n()).min().unwrap_or(key)
    }

    fn config_of(&self, key: Key) -> Vec<S> {
        (0..self.ring.n()).map(|i| self.states[self.agent(key, i) as usize]).collect()
    }

    /// Configuration number `k`.
    #[must_use]
    pub fn config(&self, k: usize) -> Vec<S> {
        self.config_of(self.configs[k])
    }

    /// How many configurations there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.configs.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.configs.is_empty()
    }

    /// How many moves there are.
    #[must_use]
    pub fn moves(&self) -> usize {
        self.moves.len()
    }

    /// Where configuration `k` goes, with how many of how many outcomes.
    #[must_use]
    pub fn row(&self, k: usize) -> (&[(u32, u32)], u32) {
        (&self.moves[self.begins[k]..self.begins[k + 1]], self.outcomes)
    }

    /// The configurations in the order of their distance to the target, and which of them have an infinite expectation:
    /// those from which some configuration can be reached that cannot reach the target. `None` if it was stopped.
    pub fn order(&self, observer: &dyn Observer) -> Option<(Vec<u32>, Vec<bool>)> {
        let mut part = Part::new(observer, "configurations in order");
        let reversed = self.reversed(&mut part)?;
        let (order, can) = self.backwards(&reversed, &|k| self.target[k], &mut part)?;
        let (_, lost) = self.backwards(&reversed, &|k| !can[k], &mut part)?;
        Some((order, lost))
    }

    /// The configurations from which one of those can be reached, by distance, and whether each is one of them.
    fn backwards(
        &self,
        (begins, sources): &(Vec<usize>, Vec<u32>),
        from: &dyn Fn(usize) -> bool,
        part: &mut Part<'_>,
    ) -> Option<(Vec<u32>, Vec<bool>)> {
        let mut seen: Vec<bool> = (0..self.len()).map(from).collect();
        let mut found: Vec<u32> = (0..self.len() as u32).filter(|&k| seen[k as usize]).collect();
        let mut next = 0;
        while next < found.len() {
            let k = found[next] as usize;
            part.one(1 + begins[k + 1] - begins[k])?;
            for &source in &sources[begins[k]..begins[k + 1]] {
                if !std::mem::replace(&mut seen[source as usize], true) {
                    found.push(source);
                }
            }
            next += 1;
        }
        Some((found, seen))
    }

    /// Of the configurations that may be the target, those remain that reach no other one; no row is left of them.
    /// `None` if it was stopped.
    fn shrink_target(&mut self, observer: &dyn Observer) -> Option<()> {
        let mut part = Part::new(observer, "safe configurations");
        let reversed = self.reversed(&mut part)?;
        let (_, lost) = self.backwards(&reversed, &|k| !self.target[k], &mut part)?;
        self.target = lost.into_iter().map(|lost| !lost).collect();
        let (mut begins, mut moves) = (vec![0], Vec::new());
        for k in 0..self.len() {
            if !self.target[k] {
                moves.extend_from_slice(self.row(k).0);
            }
            begins.push(moves.len());
        }
        (self.begins, self.moves) = (begins, moves);
        Some(())
    }

    /// The moves the other way round: where the list of each configuration begins, and all lists.
    fn reversed(&self, part: &mut Part<'_>) -> Option<(Vec<usize>, Vec<u32>)> {
        let mut begins = vec![0_usize; self.len() + 1];
        for moves in self.moves.chunks(BETWEEN as usize) {
            moves.iter().for_each(|(to, _)| begins[*to as usize + 1] += 1);
            part.did(moves.len())?;
        }
        (0..self.len()).for_each(|k| begins[k + 1] += begins[k]);
        let (mut next, mut sources) = (begins.clone(), vec![0; self.moves.len()]);
        for k in 0..self.len() {
            let row = self.row(k).0;
            part.did(1 + row.len())?;
            for (to, _) in row {
                sources[next[*to as usize]] = k as u32;
                next[*to as usize] += 1;
            }
        }
        Some((begins, sources))
    }
}

/// Expected numbers of steps, infinite where the target is not certain, each within a factor `1 +- error`.
pub struct Expected {
    /// By the number of the configuration.
    pub steps: Vec<f64>,
    /// The bound on the relative error; 0 is never claimed.
    pub error: f64,
    /// How many times all equations were used.
    pub rounds: usize,
}

/// Gauss-Seidel from the target outwards; `None` if it was stopped.
pub fn solve<S: Copy>(chain: &Chain<S>, tolerance: f64, observer: &dyn Observer) -> Option<Expected> {
    let (order, lost) = chain.order(observer)?;
    let rows: Vec<u32> = order.into_iter().filter(|&k| !chain.target[k as usize] && !lost[k as usize]).collect();
    let (system, mut values) = (System::new(chain, &rows, observer)?, vec![0.0; rows.len()]);
    let (mut rounds, mut best, mut stuck) = (0, f64::INFINITY, 0);
    let mut part = Part::new(observer, "rounds");
    loop {
        let worst = system.sweep(&mut values, &mut part)?;
        part.one(1)?;
        rounds += 1;
        (stuck, best) = if worst < best { (0, worst) } else { (stuck + 1, best) };
        if worst < tolerance || stuck > 50 {
            break;
        }
    }
    let mut steps: Vec<f64> = lost.iter().map(|&lost| if lost { f64::INFINITY } else { 0.0 }).collect();
    rows.iter().zip(values).for_each(|(&k, value)| steps[k as usize] = value);
    // Asked of the chain itself, so that nothing depends on how the values were found.
    let error = residual(chain, &rows, &steps, observer)?;
    Some(Expected { steps, error, rounds })
}

/// The equations of some rows in the order in which they are solved, so that a sweep reads memory from one end to the
/// other. What leads to the target or stays is left out.
struct System {
    /// For each row where its terms end, how many outcomes there are, and how many of them leave.
    rows: Vec<(usize, f64, f64)>,
    /// Which row, and how many outcomes lead there.
    terms: Vec<(u32, u32)>,
}

impl System {
    fn new<S: Copy>(chain: &Chain<S>, rows: &[u32], observer: &dyn Observer) -> Option<Self> {
        let mut place = vec![u32::MAX; chain.len()];
        rows.iter().enumerate().for_each(|(j, &k)| place[k as usize] = j as u32);
        let mut system = Self { rows: Vec::with_capacity(rows.len()), terms: Vec::new() };
        let mut part = Part::new(observer, "equations");
        for &k in rows {
            let (row, outcomes) = chain.row(k as usize);
            part.one(1 + row.len())?;
            let stay: u32 = row.iter().filter(|(to, _)| *to == k).map(|(_, weight)| weight).sum();
            let inner = row.iter().filter(|(to, _)| *to != k && place[*to as usize] != u32::MAX);
            system.terms.extend(inner.map(|&(to, weight)| (place[to as usize], weight)));
            system.rows.push((system.terms.len(), f64::from(outcomes), f64::from(outcomes - stay)));
        }
        Some(system)
    }

    /// Solves every equation once, in order, and tells the largest change relative to the value.
    fn sweep(&self, values: &mut [f64], part: &mut Part<'_>) -> Option<f64> {
        let (mut worst, mut begin) = (0.0_f64, 0);
        for (j, &(end, outcomes, leave)) in self.rows.iter().enumerate() {
            part.did(1 + end - begin)?;
            let terms = self.terms[begin..end].iter();
            let sum: f64 = terms.map(|&(to, weight)| f64::from(weight) * values[to as usize]).sum();
            let value = (outcomes + sum) / leave;
            worst = worst.max((value - values[j]).abs() / value);
            (values[j], begin) = (value, end);
        }
        Some(worst)
    }
}

/// The largest entry of `1 + P x - x`, with what rounding may have hidden.
fn residual<S: Copy>(chain: &Chain<S>, rows: &[u32], steps: &[f64], observer: &dyn Observer) -> Option<f64> {
    let mut part = Part::new(observer, "residuals");
    let entry = |&k: &u32| {
        let (row, outcomes) = chain.row(k as usize);
        part.one(1 + row.len())?;
        let sum: f64 = row.iter().map(|&(to, weight)| f64::from(weight) * steps[to as usize]).sum();
        let largest = row.iter().map(|&(to, _)| steps[to as usize]).fold(steps[k as usize], f64::max);
        let rounding = (row.len() + 4) as f64 * f64::EPSILON * largest;
        Some((1.0 + sum / f64::from(outcomes) - steps[k as usize]).abs() + rounding)
    };
    let rho = rows.iter().map(entry).try_fold(0.0, |rho, entry| Some(f64::max(rho, entry?)))?;
    Some(rho / (1.0 - rho).max(f64::EPSILON))
}

/// The largest chain that is solved in rational numbers.
pub const MOST_RATIONAL: usize = 400;

/// To work with a term in rational numbers, of which some have thousands of digits, costs as much as so many moves.
const FRACTION: usize = 1 << 12;

/// The expected numbers of steps as fractions, `None` where infinite; only for small chains, and if it was not stopped.
pub fn rational<S: Copy>(chain: &Chain<S>, observer: &dyn Observer) -> Option<Vec<Option<BigRational>>> {
    let (order, lost) = chain.order(observer)?;
    let rows: Vec<usize> = order.into_iter().map(|k| k as usize).filter(|&k| !chain.target[k] && !lost[k]).collect();
    if rows.len() > MOST_RATIONAL {
        return None;
    }
    let place: FxHashMap<usize, usize> = rows.iter().enumerate().map(|(j, &k)| (k, j)).collect();
    let mut equations: Vec<Equation> = rows.iter().map(|&k| Equation::new(chain, k, &place)).collect();
    // The farthest first: its equation is put into all nearer ones, and so on inwards; then values go outwards.
    let mut part = Part::new(observer, "equations");
    for j in (0..rows.len()).rev() {
        equations[j].solve_for(j);
        let (nearer, solved) = equations.split_at_mut(j);
        for equation in nearer {
            equation.substitute(j, &solved[0]);
            part.did(FRACTION * solved[0].terms.len())?;
        }
        part.one(1)?;
    }
    let mut values: Vec<BigRational> = Vec::with_capacity(rows.len());
    for equation in &equations {
        part.did(FRACTION * equation.terms.len())?;
        let value = equation
            .terms
            .iter()
            .map(|(j, factor)| factor * &values[*j])
            .fold(equation.constant.clone(), |sum, term| sum + term);
        values.push(value);
    }
    let value = |k: usize| match place.get(&k) {
        Some(&j) => Some(values[j].clone()),
        None => (!lost[k]).then(BigRational::zero),
    };
    Some((0..chain.len()).map(value).collect())
}

/// `x_j = constant + sum of factor * x`.
struct Equation {
    constant: BigRational,
    terms: FxHashMap<usize, BigRational>,
}

impl Equation {
    fn new<S: Copy>(chain: &Chain<S>, k: usize, place: &FxHashMap<usize, usize>) -> Self {
        let (row, outcomes) = chain.row(k);
        let fraction = |weight: u32| BigRational::new(BigInt::from(weight), BigInt::from(outcomes));
        let terms = row.iter().filter_map(|(to, weight)| Some((*place.get(&(*to as usize))?, fraction(*weight))));
        Self { constant: BigRational::one(), terms: terms.collect() }
    }

    /// Removes `x_j` from its own equation.
    fn solve_for(&mut self, j: usize) {
        let Some(own) = self.terms.remove(&j) else { return };
        let scale = (BigRational::one() - own).recip();
        self.constant *= &scale;
        self.terms.values_mut().for_each(|factor| *factor *= &scale);
    }

    fn substitute(&mut self, j: usize, solved: &Self) {
        let Some(factor) = self.terms.remove(&j) else { return };
        self.constant += &factor * &solved.constant;
        for (k, term) in &solved.terms {
            *self.terms.entry(*k).or_insert_with(BigRational::zero) += &factor * term;
        }
    }
}

/// The least numbers of steps by which the target is reached from configuration `k` with these probabilities, in
/// percent; `None` beyond `most` steps, and instead of all of them if it was stopped.
pub fn quantiles<S: Copy>(
    chain: &Chain<S>,
    k: usize,
    percents: &[u32],
    most: u64,
    observer: &dyn Observer,
) -> Option<Vec<Option<u64>>> {
    let mut part = Part::new(observer, "steps");
    let mut mass = vec![0.0_f64; chain.len()];
    mass[k] = 1.0;
    let mut found = vec![None; percents.len()];
    for step in 0..=most {
        let reached: f64 = (0..chain.len()).filter(|&k| chain.target[k]).map(|k| mass[k]).sum();
        for (slot, &percent) in found.iter_mut().zip(percents) {
            if slot.is_none() && reached >= f64::from(percent) / 100.0 {
                *slot = Some(step);
            }
        }
        if found.iter().all(Option::is_some) {
            break;
        }
        mass = advance(chain, &mass, &mut part)?;
        part.one(1)?;
    }
    Some(found)
}

fn advance<S: Copy>(chain: &Chain<S>, mass: &[f64], part: &mut Part<'_>) -> Option<Vec<f64>> {
    let mut next = vec![0.0; mass.len()];
    for (k, &here) in mass.iter().enumerate() {
        let (row, outcomes) = chain.row(k);
        part.did(1 + row.len())?;
        if here == 0.0 {
            continue;
        }
        if chain.target[k] {
            next[k] += here;
        }
        row.iter().for_each(|&(to, weight)| next[to as usize] += here * f64::from(weight) / f64::from(outcomes));
    }
    Some(next)
}

/// The chain as a PRISM model: `R{"steps"}=? [F "safe"]` is what this module computes. The target comes last. `None` if
/// it was stopped, and then it is not whole.
///
/// # Errors
/// If it cannot be written.
pub fn write_prism<S: Copy>(
    chain: &Chain<S>,
    every: bool,
    about: &str,
    out: &mut dyn Write,
    observer: &dyn Observer,
) -> io::Result<Option<()>> {
    let mut part = Part::new(observer, "configurations written");
    let (inner, target): (Vec<usize>, Vec<usize>) = (0..chain.len()).partition(|&k| !chain.target[k]);
    let mut name = vec![0; chain.len()];
    inner.iter().chain(&target).enumerate().for_each(|(j, &k)| name[k] = j);
    writeln!(
        out,
        "// {about}\ndtmc\n\nmodule ring\n  s : [0..{}]{};",
        chain.len() - 1,
        if every { String::new() } else { format!(" init {}", name[0]) }
    )?;
    for &k in &inner {
        let (row, outcomes) = chain.row(k);
        if part.one(REACH * (1 + row.len())).is_none() {
            return Ok(None);
        }
        let moves: Vec<String> =
            row.iter().map(|(to, weight)| format!("{weight}/{outcomes}:(s'={})", name[*to as usize])).collect();
        writeln!(out, "  [] s={} -> {};", name[k], moves.join(" + "))?;
    }
    if !target.is_empty() {
        writeln!(out, "  [] s>={} -> (s'=s);", inner.len())?;
    }
    writeln!(out, "endmodule\n")?;
    if every {
        writeln!(out, "init true endinit\n")?;
    }
    writeln!(out, "label \"safe\" = s>={};\n\nrewards \"steps\"\n  true : 1;\nendrewards", inner.len())?;
    Ok(Some(()))
}

/// The chain in Storm's own format, DRN: states by number, with the number of outcomes that lead from each to the next.
/// `R{"steps"}=? [F "safe"]` is what this module computes. `None` if it was stopped, and then it is not whole.
///
/// # Errors
/// If it cannot be written.
pub fn write_drn<S: Copy>(
    chain: &Chain<S>,
    about: &str,
    out: &mut dyn Write,
    observer: &dyn Observer,
) -> io::Result<Option<()>> {
    let mut part = Part::new(observer, "configurations written");
    writeln!(out, "// {about}\n@type: DTMC\n@parameters\n\n@reward_models\nsteps\n@nr_states\n{}", chain.len())?;
    writeln!(out, "@nr_choices\n{}\n@model", chain.len())?;
    let mut starts = vec![false; chain.len()];
    chain.starts.iter().for_each(|(k, _)| starts[*k as usize] = true);
    for (k, start) in starts.into_iter().enumerate() {
        let (row, outcomes) = chain.row(k);
        if part.one(REACH * (1 + row.len())).is_none() {
            return Ok(None);
        }
        let (init, safe) = (if start { " init" } else { "" }, if chain.target[k] { " safe" } else { "" });
        writeln!(out, "state {k} [1]{init}{safe}\n\taction 0 [0]")?;
        let mut row = row.to_vec();
        // The format wants them in order, and a target to stay.
        row.sort_unstable();
        if chain.target[k] {
            row = vec![(k as u32, outcomes)];
        }
        for (to, weight) in row {
            writeln!(out, "\t\t{to} : {weight}/{outcomes}")?;
        }
    }
    Ok(Some(()))
}
