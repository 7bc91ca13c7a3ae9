//! A text on a ring as graphs: one interaction, who leads, and every function of the ring, each made once and then applied to the bits
//! of any configuration.

use std::sync::{Arc, Mutex, PoisonError};

use ringleader::circuit::{Bit, all, any};
use ringleader::protocol::{Protocol, Transition, draw};
use ringleader::ring::{Interaction, Ring};
use ringleader::value::Text as Name;
use ringleader_notation::graph::{Cone, Demand, Lit, Watch, halted, in_fresh_arena};
use ringleader_notation::lower::{self, TooHard};
use ringleader_notation::program::Program;
use ringleader_notation::setting::{Setting, State};
use ringleader_notation::written::Written;

use crate::query::Undecided;

/// A text on a ring, in both readings: the law, and graphs.
pub struct Graphs {
    /// The name under which it is known.
    pub name: Name,
    /// The text.
    pub program: Arc<Program>,
    /// The ring.
    pub ring: Ring,
    /// The law.
    pub law: Written,
    /// The bits of a state that some variable has.
    places: Vec<usize>,
    agent: Domain,
    coin: Domain,
    /// How many bits each coin has.
    coin_bits: Vec<usize>,
    step: Cone,
    leads: Cone,
    sets: Mutex<Vec<(usize, Arc<Cone>)>>,
}

/// What is demanded of some bits: which of them each demand is about, and the graph of the demands.
struct Domain {
    about: Vec<Vec<usize>>,
    holds: Cone,
}

/// A configuration, of which every bit is a literal.
#[derive(Clone)]
pub struct Config {
    /// The bits of the agents that some variable has.
    pub agents: Vec<Vec<Lit>>,
    /// What an oracle with a delay remembers: whether there has been no leader for at least 1, 2, ... interactions.
    pub leaderless: Vec<Lit>,
}

/// A longer delay of an oracle would be a long formula.
const MOST_DELAY: u64 = 64;

impl Domain {
    fn of(bits: &[Lit], demands: &[Demand]) -> Self {
        let place = |bit: &Lit| bits.iter().position(|known| known == bit);
        let (mut about, mut holds) = (Vec::new(), Vec::new());
        for demand in demands {
            let places: Vec<usize> = demand.bits.iter().filter_map(place).collect();
            if !places.is_empty() {
                about.push(places);
                holds.push(demand.holds);
            }
        }
        Self { about, holds: Cone::of(bits, &holds) }
    }

    fn demand(&self, bits: &[Lit], demands: &mut Vec<Demand>) {
        for (about, holds) in self.about.iter().zip(self.holds.evaluate(bits)) {
            demands.push(Demand { bits: about.iter().map(|&k| bits[k]).collect(), holds });
        }
    }
}

impl Graphs {
    /// The graphs of a text under a name, made as long as the watch has no objection.
    ///
    /// # Errors
    /// If the text is too hard.
    pub fn new(name: Name, program: Arc<Program>, ring: Ring, law: Written, watch: Watch) -> Result<Self, Undecided> {
        let made = in_fresh_arena(watch, || {
            let setting = law.setting();
            if setting.oracle.is_some_and(|delay| delay > MOST_DELAY) {
                return Err(Undecided::Unknown(format!("the oracle is later than {MOST_DELAY} interactions")));
            }
            let lowered = lower::interact(&program, setting).map_err(|hard| too_hard(&hard))?;
            halted().map_or(Ok(()), |why| Err(Undecided::Unknown(why)))?;
            let places: Vec<usize> = (0..128).filter(|&k| lowered.before[0][k] != Lit::ZERO).collect();
            let used = |bits: &[Lit]| places.iter().map(|&k| bits[k]).collect::<Vec<Lit>>();
            let coins: Vec<Lit> = lowered.coins.concat();
            let first = used(&lowered.before[0]);
            let after = [used(&lowered.after[0]), used(&lowered.after[1]), vec![lowered.changed]].concat();
            Ok((
                Domain::of(&first, &lowered.demands),
                Domain::of(&coins, &lowered.demands),
                lowered.coins.iter().map(Vec::len).collect(),
                Cone::of(&lowered.inputs(), &after),
                Cone::of(&first, &[lowered.leads[0][0]]),
                places,
            ))
        });
        let (agent, coin, coin_bits, step, leads, places) = made?;
        Ok(Self { name, program, ring, law, places, agent, coin, coin_bits, step, leads, sets: Mutex::default() })
    }

    fn setting(&self) -> &Setting {
        self.law.setting()
    }

    fn delay(&self) -> usize {
        self.setting().oracle.unwrap_or(0) as usize
    }

    /// Any configuration; what the domains demand of it is added.
    #[must_use]
    pub fn anything(&self, demands: &mut Vec<Demand>) -> Config {
        let agent = |_| {
            let bits: Vec<Lit> = self.places.iter().map(|_| Lit::input()).collect();
            self.agent.demand(&bits, demands);
            bits
        };
        let agents = (0..self.ring.n()).map(agent).collect();
        let leaderless: Vec<Lit> = (0..self.delay()).map(|_| Lit::input()).collect();
        for pair in leaderless.windows(2) {
            demands.push(Demand { bits: pair.to_vec(), holds: pair[0] | !pair[1] });
        }
        Config { agents, leaderless }
    }

    /// What an interaction makes of a configuration, and whether what some agent says changes.
    #[must_use]
    pub fn after(&self, config: &Config, e: Interaction, coin: &[Lit]) -> (Config, Lit) {
        let mut inputs = [&config.agents[e.initiator][..], &config.agents[e.responder]].concat();
        inputs.extend(coin);
        inputs.push(self.leads(config).into_iter().fold(!config.late(), |some, leads| some | leads));
        let after = self.step.evaluate(&inputs);
        let mut next = config.clone();
        let (first, rest) = after.split_at(self.places.len());
        next.agents[e.initiator] = first.to_vec();
        next.agents[e.responder] = rest[..self.places.len()].to_vec();
        if self.delay() > 0 {
            let none = |config: &Config| !any(self.leads(config));
            let still = none(config) & none(&next);
            let before = [&[Lit::ONE], &config.leaderless[..]].concat();
            next.leaderless = before[..self.delay()].iter().map(|&long| still & long).collect();
        }
        (next, after[2 * self.places.len()])
    }

    /// Any coin; what its domain demands is added.
    #[must_use]
    pub fn any_coin(&self, demands: &mut Vec<Demand>) -> Vec<Lit> {
        let bits: Vec<Lit> = (0..self.coin_bits.iter().sum()).map(|_| Lit::input()).collect();
        self.coin.demand(&bits, demands);
        bits
    }

    /// This coin.
    #[must_use]
    pub fn this_coin(&self, coin: u64) -> Vec<Lit> {
        let bits = |(value, &count): (u64, &usize)| (0..count).map(move |k| Lit::of(value >> k & 1 == 1));
        draw(coin, &self.law.dice()).into_iter().zip(&self.coin_bits).flat_map(bits).collect()
    }

    /// The coin that some bits are under an assignment.
    #[must_use]
    pub fn coin(&self, mut bits: &[Lit], truth: &dyn Fn(Lit) -> Option<bool>) -> u64 {
        let mut coin = 0;
        for (sides, &count) in self.law.dice().into_iter().zip(&self.coin_bits) {
            let (die, rest) = bits.split_at(count);
            coin = coin * sides + number(die, truth);
            bits = rest;
        }
        coin
    }

    /// Which agents lead.
    #[must_use]
    pub fn leads(&self, config: &Config) -> Vec<Lit> {
        config.agents.iter().map(|agent| self.leads.evaluate(agent)[0]).collect()
    }

    /// Whether a configuration is in the set that a function of the ring is, and whether the function goes wrong there.
    ///
    /// # Errors
    /// If the function is too hard.
    pub fn set(&self, function: usize, config: &Config) -> Result<[Lit; 2], Undecided> {
        let known =
            self.sets.lock().unwrap_or_else(PoisonError::into_inner).iter().find(|(f, _)| *f == function).cloned();
        let cone = match known {
            Some((_, cone)) => cone,
            None => self.lower(function)?,
        };
        let said = cone.evaluate(&config.agents.concat());
        Ok([said[0] & !said[1], said[1]])
    }

    /// The graph of a function of the ring, made in this arena, whose limits hold, and taken out of it.
    fn lower(&self, function: usize) -> Result<Arc<Cone>, Undecided> {
        let lowered = lower::set(&self.program, self.setting(), function).map_err(|hard| too_hard(&hard))?;
        halted().map_or(Ok(()), |why| Err(Undecided::Unknown(why)))?;
        let bits = |agent: &Vec<Lit>| self.places.iter().map(|&k| agent[k]).collect::<Vec<Lit>>();
        let inputs: Vec<Lit> = lowered.before.iter().flat_map(bits).collect();
        let wrong = any(lowered.wrong.iter().map(|(_, when)| *when));
        let cone = Arc::new(Cone::of(&inputs, &[lowered.truth, wrong]));
        self.sets.lock().unwrap_or_else(PoisonError::into_inner).push((function, cone.clone()));
        Ok(cone)
    }

    /// Nothing that can happen changes anything, if there are few coins and no oracle: what stands for a safe set where none is declared.
    #[must_use]
    pub fn silent(&self, config: &Config) -> Lit {
        let coins = self.law.coins();
        let moves = (0..self.ring.arcs()).flat_map(|k| (0..coins).map(move |coin| (self.ring.arc(k), coin)));
        all(moves.map(|(e, coin)| {
            let (next, _) = self.after(config, e, &self.this_coin(coin));
            let bits = config.agents.iter().flatten().zip(next.agents.iter().flatten());
            all(bits.map(|(&before, &after)| !(before ^ after)))
        }))
    }

    /// The states of a configuration under an assignment, and for how long there has been no leader.
    #[must_use]
    pub fn states(&self, config: &Config, truth: &dyn Fn(Lit) -> Option<bool>) -> (Vec<State>, u64) {
        let holds = |bit: Lit| bit.constant().or_else(|| truth(bit)).unwrap_or(false);
        let state = |agent: &Vec<Lit>| {
            let mut state = State::default();
            for (&place, _) in self.places.iter().zip(agent).filter(|(_, bit)| holds(**bit)) {
                state.0[place / 64] |= 1 << (place % 64);
            }
            state
        };
        let leaderless = config.leaderless.iter().filter(|bit| holds(**bit)).count();
        (config.agents.iter().map(state).collect(), leaderless as u64)
    }
}

impl Config {
    /// These bits of every agent are as they were before.
    pub fn keep(&mut self, still: &[bool], before: &Self) {
        for (agent, before) in self.agents.iter_mut().zip(&before.agents) {
            for ((bit, &before), _) in agent.iter_mut().zip(before).zip(still).filter(|(_, still)| **still) {
                *bit = before;
            }
        }
    }

    /// Whether the oracle says that there is no leader, if there is none.
    fn late(&self) -> Lit {
        self.leaderless.last().copied().unwrap_or(Lit::ONE)
    }
}

fn number(bits: &[Lit], truth: &dyn Fn(Lit) -> Option<bool>) -> u64 {
    let holds = |bit: Lit| bit.constant().or_else(|| truth(bit)).unwrap_or(false);
    bits.iter().rev().fold(0, |number, &bit| number << 1 | u64::from(holds(bit)))
}

fn too_hard(hard: &TooHard) -> Undecided {
    Undecided::Unknown(halted().unwrap_or_else(|| format!("line {}: {}", hard.span.line, hard.why)))
}
