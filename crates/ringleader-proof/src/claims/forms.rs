//! The circuits that were written by hand do what the texts say, for all pairs of states.

use std::sync::Arc;

use ringleader::blueprint::Declared;
use ringleader::error::Error;
use ringleader::instance::Instance;
use ringleader::params::Params;
use ringleader::protocols::pcl::Pcl;
use ringleader::protocols::por::Por;
use ringleader::protocols::ppl::{Ppl, PplPrime};
use ringleader::protocols::ysm::Ysm;
use ringleader_notation::written::{Trouble, Written};

use super::{About, Claim, Point};
use crate::miter::Twins;
use crate::query::{Decided, Query, Undecided, Verdict};
use crate::witness::Witness;

macro_rules! text {
    ($name:literal) => {
        include_str!(concat!("../../../../protocols/", $name, ".py"))
    };
}

const PPL: Claim = Claim {
    name: "ppl-text",
    place: "Algorithms 1-5",
    says: "the circuit of P_PL does what its text says, for all pairs of states and kappa_max = 1, 2, 3 and 48psi",
    about: About::Psi,
    every: None,
    given: &[],
    canary: false,
    quick: [(3, 3), (2, 4)],
    decide: |query, point| of_ppl::<Ppl>(query, point, text!("ppl")),
};

pub(super) fn claims() -> Vec<Claim> {
    vec![
        PPL,
        Claim {
            name: "ppl-prime-text",
            place: "Section 4.2",
            says: "the circuit of P'_PL does what its text says, for all pairs of states and kappa_max = 1, 2, 3 and 48psi",
            decide: |query, point| of_ppl::<PplPrime>(query, point, text!("ppl-prime")),
            ..PPL
        },
        Claim {
            name: "ysm-text",
            place: "[YSM21], a reconstruction",
            says: "with N = n the circuit does what the text says, for all pairs of states",
            about: About::N,
            quick: [(3, 12), (2, 2)],
            decide: |query, point| of::<Ysm>(query, point.n, ("bound", point.n), text!("ysm")),
            ..PPL
        },
        Claim {
            name: "por-text",
            place: "Algorithm 6",
            says: "with n colours, at most 16, the circuit of P_OR does what its text says, for all pairs of states",
            about: About::N,
            quick: [(3, 6), (2, 2)],
            decide: |query, point| of::<Por>(query, point.n, ("colors", point.n), text!("por")),
            ..PPL
        },
        Claim {
            name: "pcl-text",
            place: "Algorithm 7",
            says: "with n colours, at most 16, the circuit of P_CL does what its text says, for all pairs of states and coins",
            about: About::N,
            quick: [(3, 6), (2, 2)],
            decide: |query, point| of::<Pcl>(query, point.n, ("colors", point.n), text!("pcl")),
            ..PPL
        },
    ]
}

/// The clock and the signals have few bits with the first kappas, and as the paper asks with the last.
fn of_ppl<P: Declared>(query: &mut Query<'_>, point: Point, text: &str) -> Result<Decided, Undecided> {
    for kappa in [1, 2, 3, 48 * point.psi] {
        let params = Params::default().with("psi", point.psi as u64).with("kappa", kappa as u64);
        let decided = same::<P>(query, (point.n, &params), text)?;
        if decided.verdict != Verdict::Holds(None) {
            return Ok(decided);
        }
    }
    Ok(Verdict::Holds(None).into())
}

fn of<P: Declared>(
    query: &mut Query<'_>,
    n: usize,
    (name, value): (&str, usize),
    text: &str,
) -> Result<Decided, Undecided> {
    same::<P>(query, (n, &Params::default().with(name, value as u64)), text)
}

/// The circuit of a protocol and a text of it do the same.
fn same<P: Declared>(query: &mut Query<'_>, (n, params): (usize, &Params), text: &str) -> Result<Decided, Undecided> {
    let Instance { blueprint, protocol, ring } = Instance::new(Arc::new(P::blueprint()), n, params)?;
    let name = blueprint.about.name.clone();
    let program = ringleader_notation::read(&name, text)
        .map_err(|problems| Error::new("protocol", &*name, problems.to_string()))?;
    let law = Written::new(&Arc::new(program), ring, params, &Trouble::default())?;
    let found = Twins { name, ring, protocol: &protocol, law: &law }.own(query)?;
    let told = |Witness { initial, shows, .. }: &Witness| format!("{} meets {}: {shows}", initial[0], initial[1]);
    let note = found.as_ref().map_or(String::new(), told);
    Ok(Verdict::from(found).with_note(note))
}
