//! CaDiCaL behind one function: a formula goes in, an answer comes out, within limits. Every formula has its own solver: those of one claim
//! share so little that what one has learned is of no use to the next.
//!
//! A certificate is written by solving with all preprocessing switched off: what is then learned follows from what came
//! before by unit propagation, so that the learned clauses, in order, are a DRUP (and so a DRAT) proof. One more thing must be off,
//! on-the-fly subsumption, which no configuration of the crate switches off but CaDiCaL's own environment variable does.

use cadical::{Callbacks, Solver};

use crate::cnf::Cnf;

/// What the solver found: the truth of every variable, or `None` if no assignment satisfies the formula; or the limit that came first.
pub type Solved = Result<Option<Vec<bool>>, String>;

/// Says why to stop, if there is a reason; asked often.
pub type Halt<'a> = &'a (dyn Fn() -> Option<String> + 'a);

/// What the environment must say for certificates: on-the-fly subsumption changes clauses without telling.
pub const NO_OTFS: (&str, &str) = ("CADICAL_OTFS", "0");

struct Watch<'a> {
    halt: Halt<'a>,
    calls: u32,
    why: Option<String>,
    proof: Option<String>,
}

impl Callbacks for Watch<'_> {
    fn terminate(&mut self) -> bool {
        self.calls += 1;
        if self.why.is_none() && self.calls % 16 == 1 {
            self.why = (self.halt)();
        }
        self.why.is_some()
    }

    fn max_length(&self) -> i32 {
        if self.proof.is_some() { i32::MAX } else { 0 }
    }

    fn learn(&mut self, clause: &[i32]) {
        if let Some(proof) = &mut self.proof {
            clause.iter().for_each(|literal| *proof += &format!("{literal} "));
            *proof += "0\n";
        }
    }
}

/// Solves the formula.
///
/// # Errors
/// The limit that came first.
pub fn solve(cnf: &Cnf, halt: Halt<'_>) -> Solved {
    run(cnf, Solver::new(), halt, false).map(|(solved, _)| solved)
}

/// Solves the formula and gives the proof if it is unsatisfiable.
///
/// # Errors
/// If [`NO_OTFS`] is not in the environment, or the limit that came first.
pub fn certify(cnf: &Cnf, halt: Halt<'_>) -> Result<(Option<Vec<bool>>, String), String> {
    let (name, value) = NO_OTFS;
    if std::env::var(name).as_deref() != Ok(value) {
        return Err(format!("certificates need {name}={value} in the environment"));
    }
    let solver = Solver::with_config("plain").map_err(|error| error.to_string())?;
    run(cnf, solver, halt, true)
}

fn run<'a>(
    cnf: &Cnf,
    mut solver: Solver<Watch<'a>>,
    halt: Halt<'a>,
    prove: bool,
) -> Result<(Option<Vec<bool>>, String), String> {
    if let Some(why) = halt() {
        return Err(why);
    }
    let proof = prove.then(String::new);
    solver.set_callbacks(Some(Watch { halt, calls: 0, why: None, proof }));
    cnf.iter().for_each(|clause| solver.add_clause(clause.iter().copied()));
    let satisfiable = solver.solve();
    let watch = solver.get_callbacks();
    let (why, proof) = watch.map_or((None, None), |watch| (watch.why.take(), watch.proof.take()));
    let Some(satisfiable) = satisfiable else { return Err(why.unwrap_or_else(|| "the solver gave up".into())) };
    let truth = |variable: usize| solver.value(variable as i32) == Some(true);
    Ok((satisfiable.then(|| (1..=cnf.variables()).map(truth).collect()), proof.unwrap_or_default() + "0\n"))
}
