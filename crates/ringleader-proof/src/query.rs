//! Questions to the solver: a query counts what it solves, keeps to its limits, and hands on certificates.

use ringleader::agree::Disagreement;
use ringleader::error::Error;

use crate::cnf::Cnf;
use crate::solve::{Halt, certify, solve};
use crate::witness::Witness;
use ringleader_notation::graph::Demand;
use ringleader_notation::graph::{Lit, halted};

/// What comes of a claim.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It holds on all configurations; if it says that something exists, this is an example.
    Holds(Option<Witness>),
    /// It does not, as this shows.
    Fails(Witness),
    /// It says that something exists, but nothing of the kind does.
    Nothing,
    /// The limit that came first, or what was tried in vain.
    Unknown(String),
}

impl Verdict {
    /// The word for it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Holds(_) => "holds",
            Self::Fails(_) => "fails",
            Self::Nothing => "nothing",
            Self::Unknown(_) => "unknown",
        }
    }

    /// The execution that shows it, where one can.
    #[must_use]
    pub fn witness(&self) -> Option<&Witness> {
        match self {
            Self::Holds(witness) => witness.as_ref(),
            Self::Fails(witness) => Some(witness),
            Self::Nothing | Self::Unknown(_) => None,
        }
    }

    /// The verdict, with a remark.
    #[must_use]
    pub fn with_note(self, note: impl Into<String>) -> Decided {
        Decided { verdict: self, note: note.into() }
    }
}

/// A claim that something holds everywhere, decided by looking for a violation.
impl From<Option<Witness>> for Verdict {
    fn from(violation: Option<Witness>) -> Self {
        violation.map_or(Self::Holds(None), Self::Fails)
    }
}

/// A verdict, and what else there is to say.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    /// The verdict.
    pub verdict: Verdict,
    /// The remark; empty if there is none.
    pub note: String,
}

impl<V: Into<Verdict>> From<V> for Decided {
    fn from(verdict: V) -> Self {
        verdict.into().with_note("")
    }
}

/// Why a claim was not decided.
#[derive(Clone, Debug, PartialEq)]
pub enum Undecided {
    /// The limit that came first, or what was tried in vain.
    Unknown(String),
    /// The protocol does not accept these parameters.
    Refused(Error),
    /// The circuit is not the same as the clear form, so that nothing can be proven with it.
    Differs(Disagreement),
}

impl From<Disagreement> for Undecided {
    fn from(difference: Disagreement) -> Self {
        Self::Differs(difference)
    }
}

impl From<Error> for Undecided {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

/// Takes a certificate: a name, the formula, and the proof that it has no solution.
pub type Certificates<'a> = &'a (dyn Fn(&str, &str, &str) -> Result<(), String> + 'a);

/// Solves formulas for one claim at one point.
pub struct Query<'a> {
    halt: Halt<'a>,
    certificates: Option<Certificates<'a>>,
    /// How many formulas were decided.
    pub formulas: usize,
    /// The variables of all formulas.
    pub variables: usize,
    /// The clauses of all formulas.
    pub clauses: usize,
}

/// An assignment of the free bits that satisfies a formula.
pub struct Model {
    cnf: Cnf,
    truth: Vec<bool>,
}

impl Model {
    /// The truth of a free bit; `None` if it does not matter.
    #[must_use]
    pub fn truth(&self, lit: Lit) -> Option<bool> {
        let variable = self.cnf.variable(lit)?;
        Some(self.truth[variable as usize - 1] ^ lit.is_negated())
    }
}

impl<'a> Query<'a> {
    /// A query that asks `halt` whether to go on, and hands on certificates if they are wanted.
    #[must_use]
    pub fn new(halt: Halt<'a>, certificates: Option<Certificates<'a>>) -> Self {
        Self { halt, certificates, formulas: 0, variables: 0, clauses: 0 }
    }

    /// The limit that came first, if one has.
    #[must_use]
    pub fn halted(&self) -> Option<String> {
        (self.halt)()
    }

    /// An assignment under which all of these hold, the free bits being values of their domains; `None` if there is none.
    ///
    /// # Errors
    /// If a limit comes first.
    pub fn ask(&mut self, asserted: &[Lit], demands: &[Demand]) -> Result<Option<Model>, Undecided> {
        if let Some(why) = halted() {
            return Err(Undecided::Unknown(why));
        }
        let cnf = Cnf::asserting(asserted, demands);
        self.formulas += 1;
        self.variables += cnf.variables();
        self.clauses += cnf.clauses;
        let solved = solve(&cnf, self.halt).and_then(|solved| {
            if solved.is_none() {
                self.certify(&cnf)?;
            }
            Ok(solved)
        });
        solved.map(|solved| solved.map(|truth| Model { cnf, truth })).map_err(Undecided::Unknown)
    }

    fn certify(&self, cnf: &Cnf) -> Result<(), String> {
        let Some(certificates) = self.certificates else { return Ok(()) };
        match certify(cnf, self.halt).map_err(|why| format!("no certificate: {why}"))? {
            (None, proof) => certificates(&self.formulas.to_string(), &cnf.dimacs(), &proof),
            (Some(_), _) => Err("the solver contradicts itself".into()),
        }
    }
}
