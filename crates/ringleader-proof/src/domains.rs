//! Whether a text can go wrong: all pairs of states, coins and answers at once. A store that leaves its domain, an index, a division, a
//! `None` where a number is wanted, an `assert`: the graph of a text says when each happens, and a solver looks for states in which one
//! does. What it finds is confirmed by the law, which also says what it is.

use ringleader_notation::eval::{Agents, Evaluator, Fault, show};
use ringleader_notation::graph::{Lit, Watch, gates, in_fresh_arena};
use ringleader_notation::lower::{self, Bits, Lowered};
use ringleader_notation::program::Program;
use ringleader_notation::setting::{Setting, State};
use ringleader_notation::tree::{Extra, Value};

use crate::query::{Model, Query, Undecided};
use crate::solve::Halt;

/// What is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing goes wrong, in whatever states two agents are.
    Holds,
    /// This goes wrong, as the law says.
    Fails(Fault),
    /// The limit that came first, or why there is no graph.
    Unknown(String),
}

/// What was decided, and what it took.
#[derive(Clone, Debug)]
pub struct Decided {
    /// The verdict.
    pub verdict: Verdict,
    /// The gates of the graph.
    pub gates: usize,
    /// The places that can go wrong as far as the graph alone tells.
    pub places: usize,
    /// The clauses of the formula.
    pub clauses: usize,
}

/// Asks whether a text can go wrong, until `halt` has an objection, which is also asked through `watch` while the graph is made.
#[must_use]
pub fn decide(program: &Program, setting: &Setting, halt: Halt<'_>, watch: Watch) -> Decided {
    in_fresh_arena(watch, || {
        let mut query = Query::new(halt, None);
        let (verdict, places) = judge(program, setting, &mut query);
        Decided { verdict, gates: gates(), places, clauses: query.clauses }
    })
}

/// The same in this arena, and how many places can go wrong as far as the graph alone tells.
pub(crate) fn judge(program: &Program, setting: &Setting, query: &mut Query<'_>) -> (Verdict, usize) {
    match lower::interact(program, setting) {
        Ok(lowered) => (ask(program, setting, &lowered, query), lowered.wrong.len()),
        Err(hard) => (Verdict::Unknown(format!("line {}: {}", hard.span.line, hard.why)), 0),
    }
}

/// So many places are told.
const TOLD: usize = 20;

fn ask(program: &Program, setting: &Setting, lowered: &Lowered, query: &mut Query<'_>) -> Verdict {
    let wrong = lowered.wrong.iter().fold(Lit::of(false), |some, (_, when)| some | *when);
    let first = match query.ask(&[wrong], &lowered.demands) {
        Ok(None) => return Verdict::Holds,
        Ok(Some(model)) => Pair::of(setting, lowered, &model).shown(program, setting),
        Err(Undecided::Unknown(why)) => Verdict::Unknown(why),
        Err(_) => Verdict::Unknown("the solver gave up".to_owned()),
    };
    let Verdict::Fails(first) = first else { return first };
    let mut faults = vec![first];
    // The other places are a service: as many as there is time for.
    while faults.len() < TOLD
        && let Ok(Some(model)) = query.uncertified().ask(&[elsewhere(lowered, &faults)], &lowered.demands)
        && let Verdict::Fails(next) = Pair::of(setting, lowered, &model).shown(program, setting)
        && faults.iter().all(|known| known.span != next.span)
    {
        faults.push(next);
    }
    Fault::several(faults).map_or(Verdict::Holds, Verdict::Fails)
}

/// When the first thing that goes wrong does so at a place that is not among those that are known.
fn elsewhere(lowered: &Lowered, known: &[Fault]) -> Lit {
    let (mut before, mut elsewhere) = (Lit::of(false), Lit::of(false));
    for (span, when) in &lowered.wrong {
        if known.iter().all(|fault| fault.span != *span) {
            elsewhere = elsewhere | *when & !before;
        }
        before = before | *when;
    }
    elsewhere
}

/// Two agents that interact.
#[derive(Clone)]
struct Pair {
    agents: [State; 2],
    coins: Vec<Value>,
    oracle: bool,
}

impl Pair {
    fn of(setting: &Setting, lowered: &Lowered, model: &Model) -> Self {
        let truth = |lit: Lit| lit.constant().or_else(|| model.truth(lit)).unwrap_or(false);
        let word = |bits: &[Lit]| bits.iter().rev().fold(0, |word, &bit| word << 1 | u64::from(truth(bit)));
        let state = |bits: &Bits| State([word(&bits[..64]), word(&bits[64..])]);
        let coins = setting.coins.iter().zip(&lowered.coins);
        Self {
            agents: [state(&lowered.before[0]), state(&lowered.before[1])],
            coins: coins.map(|(slot, bits)| slot.value(slot.nth(word(bits)))).collect(),
            oracle: truth(lowered.oracle),
        }
    }

    /// What the law says goes wrong: in the interaction, or where it is asked who leads and what is said.
    fn fault(&self, program: &Program, setting: &Setting) -> Option<Fault> {
        let mut agents = self.agents;
        let mut law = Evaluator::new(program, &setting.globals, &setting.layout, Agents::Held(&mut agents));
        let interacted = law.interact(&self.coins, self.oracle).err();
        let mut look = |(function, agent)| {
            let seen = Agents::Seen(&self.agents);
            let mut law = Evaluator::new(program, &setting.globals, &setting.layout, seen);
            law.call(function, &[Value::Agent(agent)]).err()
        };
        let asked =
            program.leader.into_iter().chain(program.output).flat_map(|function| [(function, 0), (function, 1)]);
        interacted.or_else(|| asked.into_iter().find_map(&mut look)).map(|fault| *fault)
    }

    fn shown(mut self, program: &Program, setting: &Setting) -> Verdict {
        let Some(first) = self.fault(program, setting) else {
            return Verdict::Unknown("the graph and the law differ".to_owned());
        };
        self.simplify(&first, program, setting);
        match self.fault(program, setting) {
            Some(fault) => Verdict::Fails(Fault { help: self.told(program, setting), ..fault }),
            None => Verdict::Fails(first),
        }
    }

    /// Makes zero what does not matter.
    fn simplify(&mut self, first: &Fault, program: &Program, setting: &Setting) {
        for field in &setting.layout.fields {
            for agent in 0..2 {
                let mut simpler = self.clone();
                for (_, cell) in &field.cells {
                    cell.put(&mut simpler.agents[agent], &cell.get(&State::default()));
                }
                if simpler.fault(program, setting).is_some_and(|fault| fault.span == first.span) {
                    *self = simpler;
                }
            }
        }
    }

    fn told(&self, program: &Program, setting: &Setting) -> String {
        let interact = &program.functions[program.interact];
        let mut parts = Vec::new();
        for (name, state) in interact.locals.iter().zip(&self.agents) {
            for field in &setting.layout.fields {
                let value = field.get(state);
                if value != field.get(&State::default()) {
                    parts.push(format!("{name}.{} = {}", field.name, show(&value, &program.names)));
                }
            }
        }
        let extras = interact.locals.iter().skip(2).zip(&program.extras);
        let mut coins = self.coins.iter();
        for (name, extra) in extras {
            let value = match extra {
                Extra::Oracle(_) => Value::Bool(self.oracle),
                Extra::Coin(_) => coins.next().cloned().unwrap_or(Value::None),
            };
            parts.push(format!("{name} = {}", show(&value, &program.names)));
        }
        if parts.is_empty() {
            return "it happens with every variable zero".to_owned();
        }
        format!("it happens with {}; all else zero", parts.join(", "))
    }
}
