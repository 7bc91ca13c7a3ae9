//! The claims of the paper, each under its name there, and how each is decided at one point: a size of ring and parameters.

mod convergence;
mod disappear;
pub mod every;
mod forms;
mod kappa;
mod safe;
mod tokens;
mod undirected;
mod war;
mod ysm;

use ringleader::circuit::{all, any};
use ringleader::params::Params;
use ringleader::protocol::Protocol;
use ringleader::protocols::ppl::PplOf;

use crate::query::{Decided, Query, Undecided, Verdict};
use crate::symbolic::Symbolic;
use crate::unrolling::Unrolling;
use crate::witness::{Subject, Witness};
use ringleader_notation::graph::{Lit, goes_on};

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
    /// Nothing: a theorem for every ring of a protocol without such parameters.
    Nothing,
    /// `n` and `psi`; kappa_max = 1 stands for all.
    NPsi,
    /// `n`, `psi` and `kappa_max`.
    NPsiKappa,
}

impl About {
    /// Whether the claim is about the size of the ring.
    #[must_use]
    pub fn n(self) -> bool {
        !matches!(self, Self::Psi | Self::Nothing)
    }

    /// Whether it is about `psi`.
    #[must_use]
    pub fn psi(self) -> bool {
        !matches!(self, Self::N | Self::Nothing)
    }

    /// Whether it is about `kappa_max`.
    #[must_use]
    pub fn kappa(self) -> bool {
        self == Self::NPsiKappa
    }
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
    /// For a theorem about every size of ring: the name of the reduction, whose text is in PROOFS.md. What is decided does not depend on `n`.
    pub every: Option<&'static str>,
    /// Its premises: the claims that it uses at the same ring, and does not decide itself.
    pub given: &'static [&'static str],
    /// Whether it is known to be false: it must fail somewhere, or the tool is broken.
    pub canary: bool,
    /// The sizes and the `psi` of the quick subset.
    pub quick: [(usize, usize); 2],
    decide: Decide,
}

type Decide = fn(&mut Query<'_>, Point) -> Result<Decided, Undecided>;

impl Claim {
    /// The claims that it rests on, and what those rest on, each before what it is a premise of.
    #[must_use]
    pub fn premises(&self) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        for premise in claims().into_iter().filter(|claim| self.given.contains(&claim.name)) {
            for claim in premise.premises().into_iter().chain([premise]) {
                if found.iter().all(|known| known.name != claim.name) {
                    found.push(claim);
                }
            }
        }
        found
    }

    /// What certificates say of it at a point.
    fn about(&self, Point { n, psi, kappa }: Point) -> Vec<String> {
        let about = self.about;
        let ring = [(about.n(), "n", n), (about.psi(), "psi", psi), (about.kappa(), "kappa_max", kappa)];
        let ring = ring
            .map(|(matters, name, value)| if matters { format!("{name} = {value}") } else { format!("any {name}") });
        let mut lines =
            vec![format!("claim {} ({}): {}", self.name, self.place, self.says), format!("for {}", ring.join(", "))];
        lines.extend(self.every.map(|name| format!("that this decides every n is the reduction {name} of PROOFS.md")));
        if !self.given.is_empty() {
            lines.push(format!("given {}", self.given.join(", ")));
        }
        lines
    }

    /// Decides it.
    ///
    /// # Errors
    /// If it cannot be asked at this point; a limit makes it [`Verdict::Unknown`].
    pub fn decide(&self, query: &mut Query<'_>, point: Point) -> Result<Decided, Undecided> {
        query.about = self.about(point);
        match (self.decide)(query, point) {
            Err(Undecided::Unknown(why)) => Ok(Verdict::Unknown(why).into()),
            decided => decided,
        }
    }
}

/// All claims.
#[must_use]
pub fn claims() -> Vec<Claim> {
    let of_ppl = [safe::claims(), kappa::claims(), war::claims(), tokens::claims(), convergence::claims()].concat();
    [of_ppl, ysm::claims(), undirected::claims(), forms::claims(), every::claims()].concat()
}

/// P_PL or P'_PL at a point.
fn ppl<const PRIME: bool>(point: Point) -> Result<Subject<PplOf<PRIME>>, Undecided> {
    let params = Params::default().with("psi", point.psi as u64).with("kappa", point.kappa as u64);
    Subject::new(point.n, &params.with("unsound", 1))
}

/// A set of configurations in both readings; made by [`either!`].
type Set<'a, S> = (&'a dyn Fn(&[Symbolic<'_, S>]) -> Lit, &'a dyn Fn(&[S]) -> bool);

/// A relation of two configurations in both readings.
type Relation<'a, S> = (&'a dyn Fn(&[Symbolic<'_, S>], &[Symbolic<'_, S>]) -> Lit, &'a dyn Fn(&[S], &[S]) -> bool);

/// The same lines read with literals and with `bool`.
macro_rules! either {
    (|$($config:ident),+| $body:expr) => {
        (&|$($config),+| $body, &|$($config),+| $body)
    };
}
use either;

/// An interaction that leaves a set or changes one of the variables that must stay still, whatever its coin.
fn exit<P: Protocol>(
    query: &mut Query<'_>,
    (subject, unrolling): (&Subject<P>, &Unrolling<'_, P::State>),
    (name, set): (&str, Set<'_, P::State>),
    still: &[&str],
) -> Result<Option<Witness>, Undecided> {
    let (protocol, ring) = (&subject.protocol, subject.ring);
    let left = any((0..ring.arcs()).take_while(|_| goes_on()).map(|k| {
        let next = unrolling.after(ring.arc(k));
        let same = all(unrolling.now.iter().zip(&next).map(|(u, v)| u.equal(still, v)));
        !((set.0)(&next) & same)
    }));
    query.step(format!(
        "a configuration {name}, and an interaction that leads out of the set or changes what must stay"
    ));
    let found = unrolling.find(query, &[(set.0)(&unrolling.now), left])?;
    let variables = protocol.variables();
    let kept = |u: &P::State, v: &P::State| {
        variables.0.iter().filter(|one| still.contains(&&*one.name)).all(|one| one.get(u) == one.get(v))
    };
    let leaves = |trace: &[Vec<P::State>]| {
        let same = trace[0].iter().zip(&trace[1]).all(|(u, v)| kept(u, v));
        (set.1)(&trace[0]) && !((set.1)(&trace[1]) && same)
    };
    let steps = (0..ring.arcs()).flat_map(|k| (0..protocol.coins()).map(move |coin| (ring.arc(k), coin)));
    subject.confirm_some(found, steps, &format!("{name} before the interaction, not after"), leaves)
}
