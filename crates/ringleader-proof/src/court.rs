//! Where claims are decided: a court counts what it solves, keeps to its limits, and archives certificates.

use ringleader::ring::Interaction;
use ringleader::value::Value;

use crate::bits::{Lit, halted};
use crate::cnf::{Cnf, Demand};
use crate::machine::{Config, Machine};
use crate::solve::{Answer, Halt, certify, solve};

/// What comes of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds on all configurations.
    Holds,
    /// It does not.
    Fails,
    /// The limit that came first.
    Unknown(String),
}

impl Verdict {
    /// The word for it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Fails => "fails",
            Self::Unknown(_) => "unknown",
        }
    }
}

/// A configuration and what happens to it, as a case that `replay` and `inspect` accept.
#[derive(Clone, Debug, PartialEq)]
pub struct Witness {
    /// The protocol's name in cases.
    pub protocol: &'static str,
    /// Its parameters.
    pub settings: Vec<(&'static str, Value)>,
    /// The configuration, agent by agent.
    pub initial: Vec<Value>,
    /// The interactions that follow; none if the configuration itself is the witness.
    pub word: Vec<Interaction>,
    /// The dice of those interactions that read a coin, in order.
    pub draws: Vec<Vec<u64>>,
    /// Whether the ring is directed, which is how interactions are written.
    pub directed: bool,
    /// What it shows.
    pub shows: String,
}

impl Witness {
    /// The case.
    #[must_use]
    pub fn as_case(&self) -> Value {
        let interaction = |e: &Interaction| -> Value {
            if self.directed { e.initiator.into() } else { vec![e.initiator, e.responder].into() }
        };
        let mut case = vec![
            ("protocol", self.protocol.into()),
            ("n", self.initial.len().into()),
            ("shows", self.shows.as_str().into()),
            ("initial", self.initial.clone().into()),
            ("schedule", self.word.iter().map(interaction).collect::<Vec<_>>().into()),
            ("draws", self.draws.iter().cloned().map(Value::from).collect::<Vec<_>>().into()),
        ];
        case.extend(self.settings.iter().cloned());
        Value::map(case)
    }
}

/// What a court found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The verdict.
    pub verdict: Verdict,
    /// A configuration that shows it, where one can.
    pub witness: Option<Witness>,
    /// What else there is to say.
    pub note: String,
}

impl Finding {
    /// A verdict without a witness.
    #[must_use]
    pub fn plain(verdict: Verdict) -> Self {
        Self { verdict, witness: None, note: String::new() }
    }

    /// The same with a remark.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }
}

/// Takes a certificate: a name, the formula, and the proof that it has no solution.
pub type Archive<'a> = &'a (dyn Fn(&str, &str, &str) -> Result<(), String> + 'a);

/// Decides formulas for one claim at one point.
pub struct Court<'a> {
    halt: Halt<'a>,
    archive: Option<Archive<'a>>,
    /// How many formulas were decided.
    pub formulas: usize,
    /// The variables of all formulas.
    pub variables: usize,
    /// The clauses of all formulas.
    pub clauses: usize,
}

/// An assignment of the free bits that satisfies a formula; `None` for a bit that does not matter.
pub struct Model {
    cnf: Cnf,
    truth: Vec<bool>,
}

impl Model {
    /// The truth of a free bit.
    #[must_use]
    pub fn truth(&self, lit: Lit) -> Option<bool> {
        let variable = self.cnf.variable(lit)?;
        Some(self.truth[variable as usize - 1] ^ lit.is_negated())
    }

    /// The states of a configuration.
    pub fn states<S: Copy + Default>(&self, machine: &Machine<S>, config: &Config<Lit>) -> Vec<S> {
        config.iter().map(|agent| machine.read(agent, &|lit| self.truth(lit))).collect()
    }
}

/// The answer to a question.
pub enum Ruling {
    /// No configuration does this.
    Never,
    /// This one does.
    Possible(Box<Model>),
    /// The limit that came first.
    Undecided(String),
}

impl<'a> Court<'a> {
    /// A court that asks `halt` whether to go on, and hands certificates to the archive if there is one.
    #[must_use]
    pub fn new(halt: Halt<'a>, archive: Option<Archive<'a>>) -> Self {
        Self { halt, archive, formulas: 0, variables: 0, clauses: 0 }
    }

    /// Can all of these hold at once, the free bits being values of their domains?
    pub fn ask(&mut self, asserted: &[Lit], demands: &[Demand]) -> Ruling {
        if let Some(why) = halted() {
            return Ruling::Undecided(why);
        }
        let cnf = Cnf::asserting(asserted, demands);
        self.formulas += 1;
        self.variables += cnf.variables();
        self.clauses += cnf.clauses;
        match solve(&cnf, self.halt) {
            Answer::Satisfiable(truth) => Ruling::Possible(Box::new(Model { cnf, truth })),
            Answer::Unknown(why) => Ruling::Undecided(why),
            Answer::Unsatisfiable => self.certify(&cnf).map_or_else(Ruling::Undecided, |()| Ruling::Never),
        }
    }

    fn certify(&self, cnf: &Cnf) -> Result<(), String> {
        let Some(archive) = self.archive else { return Ok(()) };
        match certify(cnf, self.halt)? {
            (Answer::Unsatisfiable, proof) => archive(&self.formulas.to_string(), &cnf.dimacs(), &proof),
            (Answer::Unknown(why), _) => Err(format!("no certificate: {why}")),
            (Answer::Satisfiable(_), _) => Err("the solver contradicts itself".into()),
        }
    }
}
