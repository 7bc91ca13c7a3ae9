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

/// A formula without solution and the proof of that, for others to check.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// Its number among the formulas of the claim, from 1.
    pub number: usize,
    /// What a solution would have been; empty if that is what the claim says.
    pub step: String,
    /// Whether nothing was left to solve: the gates alone have decided it.
    pub folded: bool,
    /// The formula in the DIMACS format, with comments that say what it is about.
    pub dimacs: String,
    /// The proof in the DRAT format.
    pub drat: String,
    /// How many variables and clauses it has.
    pub size: [usize; 2],
}

/// Takes certificates.
pub type Certificates<'a> = &'a (dyn Fn(&Certificate) -> Result<(), String> + 'a);

/// What the variables of a formula stand for.
#[derive(Clone, Debug, Default)]
pub struct Legend {
    /// How values are spelt in bits, a line for each variable of an agent.
    pub codes: Vec<String>,
    /// Bits by name; those that are neither variables nor always the same do not matter.
    pub bits: Vec<(String, Lit)>,
}

/// Solves formulas for one claim at one point.
pub struct Query<'a> {
    halt: Halt<'a>,
    certificates: Option<Certificates<'a>>,
    /// What certificates say of the claim, line by line.
    pub about: Vec<String>,
    step: String,
    /// How many formulas were decided.
    pub formulas: usize,
    /// How many of them the gates alone have decided.
    pub folded: usize,
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
        let (about, step) = (Vec::new(), String::new());
        Self { halt, certificates, about, step, formulas: 0, folded: 0, variables: 0, clauses: 0 }
    }

    /// A query with the same limits for what is no part of a proof.
    pub(crate) fn uncertified(&self) -> Self {
        Self::new(self.halt, None)
    }

    /// The limit that came first, if one has.
    #[must_use]
    pub fn halted(&self) -> Option<String> {
        (self.halt)()
    }

    /// From now on, what a solution would be.
    pub fn step(&mut self, step: impl Into<String>) {
        self.step = step.into();
    }

    /// An assignment under which all of these hold, the free bits being values of their domains; `None` if there is none.
    ///
    /// # Errors
    /// If a limit comes first.
    pub fn ask(&mut self, asserted: &[Lit], demands: &[Demand]) -> Result<Option<Model>, Undecided> {
        self.ask_named(asserted, demands, Legend::default)
    }

    /// The same, with a legend for the certificate.
    ///
    /// # Errors
    /// If a limit comes first.
    pub fn ask_named(
        &mut self,
        asserted: &[Lit],
        demands: &[Demand],
        legend: impl FnOnce() -> Legend,
    ) -> Result<Option<Model>, Undecided> {
        if let Some(why) = halted() {
            return Err(Undecided::Unknown(why));
        }
        let cnf = Cnf::asserting(asserted, demands);
        self.formulas += 1;
        self.variables += cnf.variables();
        self.clauses += cnf.clauses;
        self.folded += usize::from(cnf.variables() == 0);
        let solved = solve(&cnf, self.halt).and_then(|solved| {
            if solved.is_none() {
                self.certify(&cnf, legend)?;
            }
            Ok(solved)
        });
        solved.map(|solved| solved.map(|truth| Model { cnf, truth })).map_err(Undecided::Unknown)
    }

    fn certify(&self, cnf: &Cnf, legend: impl FnOnce() -> Legend) -> Result<(), String> {
        let Some(certificates) = self.certificates else { return Ok(()) };
        let (None, drat) = certify(cnf, self.halt).map_err(|why| format!("no certificate: {why}"))? else {
            return Err("the solver contradicts itself".into());
        };
        let (folded, size) = (cnf.variables() == 0, [cnf.variables(), cnf.clauses]);
        let comments = self.comments(cnf, &legend()).into_iter().map(|line| format!("c {line}\n"));
        let dimacs = comments.collect::<String>() + &cnf.dimacs();
        certificates(&Certificate { number: self.formulas, step: self.step.clone(), folded, dimacs, drat, size })
    }

    /// What a formula is about.
    fn comments(&self, cnf: &Cnf, legend: &Legend) -> Vec<String> {
        let mut lines = vec![format!("ringleader {}", env!("CARGO_PKG_VERSION"))];
        lines.extend(self.about.iter().cloned());
        lines.push(format!("formula {}", self.formulas));
        let step = if self.step.is_empty() { "the claim is violated" } else { &self.step };
        lines.push(format!("a solution would be: {step}"));
        if cnf.variables() == 0 {
            lines.push("folded: the gates alone have decided it, and nothing is left to solve".to_owned());
            return lines;
        }
        let of_cnf = |(name, lit): &(String, Lit)| {
            if let Some(truth) = lit.constant() {
                return Some(format!("always {} is {name}", u8::from(truth)));
            }
            let variable = cnf.variable(*lit)?;
            Some(format!("variable {}{variable} is {name}", if lit.is_negated() { "-" } else { "" }))
        };
        lines.extend(legend.codes.iter().map(|code| format!("code {code}")));
        lines.extend(legend.bits.iter().filter_map(of_cnf));
        lines
    }
}
