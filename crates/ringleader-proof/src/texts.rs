//! What is to be proven of a text: that nothing goes wrong, that the sets which it calls closed are closed, that outputs are constant in the
//! safe set, with one leader, and that words lead into it from everywhere. No claim is empty: each set has a member.
//!
//! The graphs of a text ([`graph`]) are read with literals, and what a solver finds is replayed by the law. Words are searched for
//! (`search`), and what they do is then decided for all configurations.

pub mod graph;
mod play;
mod search;

use ringleader::circuit::Bit;
use ringleader::protocol::{Protocol, leaders};
use ringleader_notation::eval::{Agents, Evaluator, Fault, truth};
use ringleader_notation::graph::{Demand, Lit};
use ringleader_notation::program::Program;
use ringleader_notation::setting::State;
use ringleader_notation::tree::Value;

use crate::domains;
use crate::query::{Decided, Model, Query, Undecided, Verdict};
use crate::witness::{Move, Witness, confirmed, unconfirmed};
use graph::{Config, Graphs};

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    Domains,
    Member(usize),
    OneLeader,
    Constant,
    Closed(usize),
    Converges,
}

/// Something that is claimed of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Its name, made from those of the sets.
    pub name: String,
    /// What it says.
    pub says: String,
    ask: Ask,
}

/// What came of a claim of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The verdict.
    Decided(Decided),
    /// The text goes wrong, as the law says.
    Wrong(Fault),
}

impl Answer {
    /// The word for it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Decided(decided) => decided.verdict.name(),
            Self::Wrong(_) => "fails",
        }
    }
}

/// The claims of a text, in the order in which they are told.
#[must_use]
pub fn claims(program: &Program) -> Vec<Claim> {
    let name = |function: usize| program.functions[function].name.clone();
    let claim = |name: String, says: &str, ask| Claim { name, says: says.to_owned(), ask };
    let mut all = vec![claim("domains".to_owned(), "nothing goes wrong, in whatever states agents are", Ask::Domains)];
    if let Some(function) = program.inputs {
        all.push(claim(format!("{}-exists", name(function)), "some inputs are right", Ask::Member(function)));
    }
    let closed = program.promise.into_iter().chain(program.claims.iter().copied()).chain(program.safe);
    for function in closed {
        let closed = Ask::Closed(function);
        if all.iter().all(|known| known.ask != closed) {
            let exists = claim(format!("{}-exists", name(function)), "the set has a member", Ask::Member(function));
            all.extend([exists, claim(format!("{}-closed", name(function)), "no interaction leaves the set", closed)]);
        }
    }
    if program.safe.is_some() {
        if program.leader.is_some() {
            all.push(claim("one-leader".to_owned(), "in the safe set there is exactly one leader", Ask::OneLeader));
        }
        all.push(claim("constant".to_owned(), "in the safe set no output changes", Ask::Constant));
    }
    let every = "every configuration".to_owned();
    let from = program.promise.map_or(every.clone(), |function| format!("{every} of {}", name(function)));
    let to = if program.safe.is_some() { "the safe set" } else { "silence" };
    all.push(claim("convergence".to_owned(), &format!("from {from} some word leads to {to}"), Ask::Converges));
    all
}

/// Decides a claim, in the arena of the thread.
///
/// # Errors
/// If it cannot be asked; a limit makes it [`Verdict::Unknown`].
pub fn decide(graphs: &Graphs, claim: &Claim, query: &mut Query<'_>) -> Result<Answer, Undecided> {
    let mut asked = Asked { graphs, demands: Vec::new(), query };
    let decided = match claim.ask {
        Ask::Domains => asked.functions(),
        Ask::Member(function) => asked.member(function),
        Ask::OneLeader => asked.one_leader(),
        Ask::Constant => asked.constant(),
        Ask::Closed(function) => asked.closed(function),
        Ask::Converges => search::converges(&mut asked),
    };
    match decided {
        Err(Undecided::Unknown(why)) => Ok(Answer::Decided(Verdict::Unknown(why).into())),
        decided => decided,
    }
}

/// A claim that is being decided.
struct Asked<'a, 'q> {
    graphs: &'a Graphs,
    /// What domains demand of the free bits so far.
    demands: Vec<Demand>,
    query: &'a mut Query<'q>,
}

/// A configuration as the law has it, and for how long there has been no leader.
type Found = (Vec<State>, u64);

impl Asked<'_, '_> {
    /// Any configuration with right inputs, and where they are right.
    fn anything(&mut self) -> Result<(Config, Lit), Undecided> {
        let config = self.graphs.anything(&mut self.demands);
        let right = match self.graphs.program.inputs {
            Some(function) => self.graphs.set(function, &config)?[0],
            None => Lit::ONE,
        };
        Ok((config, right))
    }

    fn is_in(&self, function: usize, config: &Config) -> Result<Lit, Undecided> {
        Ok(self.graphs.set(function, config)?[0])
    }

    fn name(&self, function: usize) -> &str {
        &self.graphs.program.functions[function].name
    }

    fn model(&mut self, asserted: &[Lit]) -> Result<Option<Model>, Undecided> {
        self.query.ask(asserted, &self.demands)
    }

    /// A configuration for which all of these hold, some of which are about it.
    fn find(&mut self, config: &Config, asserted: &[Lit]) -> Result<Option<Found>, Undecided> {
        let model = self.model(asserted)?;
        Ok(model.map(|model| self.graphs.states(config, &|lit| model.truth(lit))))
    }

    fn witness(
        &self,
        (initial, leaderless): &Found,
        moves: &[Move],
        shows: &str,
        shown: impl Fn(&[Vec<State>]) -> bool,
    ) -> Result<Witness, Undecided> {
        let Graphs { name, law, .. } = self.graphs;
        confirmed(name, law, (initial, *leaderless), moves, shows, &shown).ok_or_else(unconfirmed)
    }

    // --- Claims -------------------------------------------------------------------------------------------------

    /// Nothing goes wrong, neither in an interaction nor in a function of the ring.
    fn functions(&mut self) -> Result<Answer, Undecided> {
        let Graphs { program, law, .. } = self.graphs;
        match domains::judge(program, law.setting(), self.query).0 {
            domains::Verdict::Holds => {}
            domains::Verdict::Fails(fault) => return Ok(Answer::Wrong(fault)),
            domains::Verdict::Unknown(why) => return Err(Undecided::Unknown(why)),
        }
        for function in program.sets() {
            let (config, right) = self.anything()?;
            let [_, wrong] = self.graphs.set(function, &config)?;
            // Nothing is asked of a configuration whose inputs are wrong but whether they are.
            let right = if program.inputs == Some(function) { Lit::ONE } else { right };
            if let Some((states, _)) = self.find(&config, &[right, wrong])? {
                let fault = said(self.graphs, function, &states).err().ok_or_else(unconfirmed)?;
                return Ok(Answer::Wrong(*fault));
            }
        }
        Ok(Answer::of(Verdict::Holds(None)))
    }

    fn member(&mut self, function: usize) -> Result<Answer, Undecided> {
        let (config, right) = self.anything()?;
        let is_in = self.is_in(function, &config)?;
        let Some(found) = self.find(&config, &[right, is_in])? else { return Ok(Answer::of(Verdict::Nothing)) };
        let shows = format!("a member of {}", self.name(function));
        let graphs = self.graphs;
        let witness = self.witness(&found, &[], &shows, |trace| holds(graphs, function, &trace[0]))?;
        Ok(Answer::of(Verdict::Holds(Some(witness))))
    }

    /// The safe set as it is declared.
    fn safe(&self, config: &Config) -> Result<Lit, Undecided> {
        self.graphs.program.safe.map_or(Ok(Lit::ZERO), |function| self.is_in(function, config))
    }

    fn one_leader(&mut self) -> Result<Answer, Undecided> {
        let (config, right) = self.anything()?;
        let (safe, graphs) = (self.safe(&config)?, self.graphs);
        let leads = graphs.leads(&config);
        let found = self.find(&config, &[right, safe, !exactly_one(&leads)])?;
        let others =
            |trace: &[Vec<State>]| claims_safe(graphs, &trace[0]) && leaders(&graphs.law, &trace[0]).len() != 1;
        let witness =
            found.map(|found| self.witness(&found, &[], "in the safe set, without exactly one leader", others));
        Ok(Answer::of(witness.transpose()?))
    }

    fn constant(&mut self) -> Result<Answer, Undecided> {
        let (config, right) = self.anything()?;
        let (safe, graphs) = (self.safe(&config)?, self.graphs);
        self.no_step(
            &config,
            &[right, safe],
            "an output changes in the safe set",
            |_, changed, _| Ok(changed),
            |before, after| {
                let says = |config: &[State]| config.iter().map(|state| graphs.law.output(state)).collect::<Vec<u64>>();
                claims_safe(graphs, before) && says(before) != says(after)
            },
        )
    }

    fn closed(&mut self, function: usize) -> Result<Answer, Undecided> {
        let (config, right) = self.anything()?;
        let (is_in, graphs) = (self.is_in(function, &config)?, self.graphs);
        let shows = format!("in {} before the interaction, not after", self.name(function));
        let left = |asked: &Self, _, next: &Config| Ok(!asked.is_in(function, next)?);
        self.no_step(&config, &[right, is_in], &shows, left, |before, after| {
            holds(graphs, function, before) && !holds(graphs, function, after)
        })
    }

    /// No interaction of a configuration for which all of these hold does something wrong, which the law tells from both configurations.
    fn no_step(
        &mut self,
        config: &Config,
        asserted: &[Lit],
        shows: &str,
        wrong: impl Fn(&Self, Lit, &Config) -> Result<Lit, Undecided>,
        shown: impl Fn(&[State], &[State]) -> bool,
    ) -> Result<Answer, Undecided> {
        let graphs = self.graphs;
        for e in (0..graphs.ring.arcs()).map(|k| graphs.ring.arc(k)) {
            let coin = graphs.any_coin(&mut self.demands);
            let (next, changed) = graphs.after(config, e, &coin);
            let wrong = wrong(self, changed, &next)?;
            let Some(model) = self.model(&[asserted, &[wrong]].concat())? else { continue };
            let truth = |lit: Lit| model.truth(lit);
            let (found, coin) = (graphs.states(config, &truth), graphs.coin(&coin, &truth));
            let witness = self.witness(&found, &[(e, coin)], shows, |trace| shown(&trace[0], &trace[1]))?;
            return Ok(Answer::of(Verdict::Fails(witness)));
        }
        Ok(Answer::of(Verdict::Holds(None)))
    }
}

impl Answer {
    fn of(verdict: impl Into<Verdict>) -> Self {
        Self::Decided(verdict.into().into())
    }
}

fn exactly_one(bits: &[Lit]) -> Lit {
    let (mut one, mut more) = (Lit::ZERO, Lit::ZERO);
    for &bit in bits {
        (one, more) = (one | bit, more | (one & bit));
    }
    one & !more
}

/// What the law says that a function of the ring gives.
fn said(graphs: &Graphs, function: usize, config: &[State]) -> Result<bool, Box<Fault>> {
    let setting = graphs.law.setting();
    let mut law = Evaluator::new(&graphs.program, &setting.globals, &setting.layout, Agents::Seen(config));
    law.call(function, &[Value::Ring]).map(|value| truth(&value))
}

/// The same; where it goes wrong it is false.
fn holds(graphs: &Graphs, function: usize, config: &[State]) -> bool {
    said(graphs, function, config).unwrap_or(false)
}

fn claims_safe(graphs: &Graphs, config: &[State]) -> bool {
    graphs.program.safe.is_some_and(|function| holds(graphs, function, config))
}
