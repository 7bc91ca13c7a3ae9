//! The claims of the paper, each under its name there, and how each is decided at one point: a size of ring and parameters.

mod convergence;
mod others;
mod safe;
mod tokens;
mod war;

use ringleader::error::Error;
use ringleader::protocol::{Params, Protocol};
use ringleader::protocols::ppl::{self, PplOf};
use ringleader::ring::Ring;

use crate::court::{Court, Finding, Model, Ruling, Verdict};
use crate::machine::Machine;
use crate::play::ring_of;

/// Where a claim is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// The number of agents.
    pub n: usize,
    /// `psi`, for P_PL.
    pub psi: usize,
    /// `kappa_max`, for P_PL.
    pub kappa: usize,
}

/// Which parameters a claim is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// `n`; P_PL is taken with psi = 2 and kappa_max = 1, or it is another protocol.
    N,
    /// `psi`; the size of the ring does not matter.
    Psi,
    /// `n` and `psi`; kappa_max = 1 stands for all.
    NPsi,
    /// `n`, `psi` and `kappa_max`.
    NPsiKappa,
}

/// One claim.
#[derive(Clone, Copy)]
pub struct Claim {
    /// Its name, after the paper.
    pub name: &'static str,
    /// Where the paper says it.
    pub place: &'static str,
    /// What it says.
    pub says: &'static str,
    /// Its parameters.
    pub about: About,
    /// Whether it is known to be false: it must fail somewhere, or the tool is broken.
    pub canary: bool,
    /// The sizes and the `psi` of the quick subset.
    pub quick: [(usize, usize); 2],
    /// Decides it.
    pub decide: fn(&mut Court<'_>, Point) -> Result<Finding, Error>,
}

/// All claims.
#[must_use]
pub fn claims() -> Vec<Claim> {
    [safe::claims(), war::claims(), tokens::claims(), convergence::claims(), others::claims()].concat()
}

/// P_PL or P'_PL at a point, with its machine.
pub(crate) struct Lab<const PRIME: bool> {
    pub(crate) ring: Ring,
    pub(crate) protocol: PplOf<PRIME>,
    pub(crate) machine: Machine<ppl::State>,
}

impl<const PRIME: bool> Lab<PRIME> {
    pub(crate) fn new(point: Point) -> Result<Self, Error> {
        let ring = ring_of::<PplOf<PRIME>>(point.n)?;
        let params = Params::default().with("psi", point.psi as u64).with("kappa", point.kappa as u64);
        let protocol = PplOf::<PRIME>::new(ring, &params.with("unsound", 1))?;
        let Some(machine) = Machine::of(&protocol) else {
            return Err(Error::new("psi", point.psi, "P_PL has no circuit for it"));
        };
        Ok(Self { ring, protocol, machine })
    }
}

/// The verdict on a claim whose violation was asked for; `confirm` makes a finding of a violation.
fn unless(ruling: Ruling, confirm: impl FnOnce(&Model) -> Finding) -> Finding {
    match ruling {
        Ruling::Never => Finding::plain(Verdict::Holds),
        Ruling::Undecided(why) => Finding::plain(Verdict::Unknown(why)),
        Ruling::Possible(model) => confirm(&model),
    }
}

/// The clear form does not do what the circuit does: a bug, never to be taken for a result.
fn unconfirmed() -> Finding {
    Finding::plain(Verdict::Unknown("the clear form does not confirm the solver's witness".into()))
}
