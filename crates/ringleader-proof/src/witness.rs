//! What a solution shows, confirmed by the clear form: there is no other way to make a [`Witness`].

use std::sync::Arc;

use ringleader::blueprint::Declared;
use ringleader::error::Error;
use ringleader::instance::Instance;
use ringleader::oracle::Oracle;
use ringleader::params::{Params, Settings};
use ringleader::protocol::{Input, Protocol, leaders};
use ringleader::ring::{Interaction, Ring};
use ringleader::value::{Text, Value};

use crate::query::Undecided;
use crate::symbolic::{NamedCircuit, Symbolic};
use crate::unrolling::Unrolling;

/// A configuration and what happens to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Witness {
    /// The protocol's name.
    pub protocol: Text,
    /// Its parameters.
    pub settings: Settings,
    /// The configuration, agent by agent.
    pub initial: Vec<Value>,
    /// The interactions that follow; none if the configuration itself is the witness.
    pub word: Vec<Interaction>,
    /// The coins of those interactions that read one, in order.
    pub coins: Vec<u64>,
    /// For how many interactions there has been no leader, if an oracle remembers that.
    pub leaderless: u64,
    /// What it shows.
    pub shows: String,
    _confirmed: Confirmed,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Confirmed;

/// A protocol with its parameters on a ring, in both forms.
pub struct Subject<P: Protocol> {
    /// The protocol's name.
    pub name: Text,
    /// The ring.
    pub ring: Ring,
    /// The clear form.
    pub protocol: P,
    /// The circuit.
    pub circuit: NamedCircuit<P::State>,
}

impl<P: Protocol> Subject<P> {
    /// The protocol on a ring of `n` agents.
    ///
    /// # Errors
    /// If it does not accept these parameters, or has no circuit for them, or one that differs from the clear form.
    pub fn new(n: usize, params: &Params) -> Result<Self, Undecided>
    where
        P: Declared,
    {
        let Instance { blueprint, protocol, ring } = Instance::new(Arc::new(P::blueprint()), n, params)?;
        let name = blueprint.about.name.clone();
        let Some(circuit) = NamedCircuit::of(&protocol)? else {
            return Err(Error::new("protocol", &name, "it has no circuit for these parameters").into());
        };
        Ok(Self { name, ring, protocol, circuit })
    }

    /// An execution from any configuration, in which `fix` may fix variables of an agent.
    pub fn unroll<'c>(&'c self, fix: impl Fn(usize, &mut Symbolic<'c, P::State>)) -> Unrolling<'c, P::State> {
        Unrolling::new(&self.circuit, self.ring.n(), fix)
    }

    /// Replays a word in the clear form, from what the solver found; `shown` is told all configurations and says whether they show what
    /// they should.
    ///
    /// # Errors
    /// If they do not. Then the circuit and the clear form are not the same, and nothing is to be believed.
    pub fn confirm(
        &self,
        found: Option<Vec<P::State>>,
        word: &[Interaction],
        shows: &str,
        shown: impl Fn(&[Vec<P::State>]) -> bool,
    ) -> Result<Option<Witness>, Undecided> {
        found.map(|initial| self.witness(&initial, (word, 0), shows, &shown).ok_or_else(unconfirmed)).transpose()
    }

    /// The same for the first of these interactions, each with its coin, that shows it.
    ///
    /// # Errors
    /// If none does.
    pub fn confirm_some(
        &self,
        found: Option<Vec<P::State>>,
        steps: impl IntoIterator<Item = (Interaction, u64)>,
        shows: &str,
        shown: impl Fn(&[Vec<P::State>]) -> bool,
    ) -> Result<Option<Witness>, Undecided> {
        let Some(initial) = found else { return Ok(None) };
        let mut steps = steps.into_iter();
        let witness = steps.find_map(|(e, coin)| self.witness(&initial, (&[e], coin), shows, &shown));
        witness.map(Some).ok_or_else(unconfirmed)
    }

    fn witness(
        &self,
        initial: &[P::State],
        (word, coin): (&[Interaction], u64),
        shows: &str,
        shown: &impl Fn(&[Vec<P::State>]) -> bool,
    ) -> Option<Witness> {
        let moves: Vec<Move> = word.iter().map(|&e| (e, coin)).collect();
        confirmed(&self.name, &self.protocol, (initial, 0), &moves, shows, shown)
    }
}

/// An interaction and the coin that it may read.
pub type Move = (Interaction, u64);

/// Replays a word by the rules themselves: a witness, if the configurations show what they should. The oracle, if one is asked, remembers
/// for how many interactions there has been no leader.
pub(crate) fn confirmed<P: Protocol>(
    name: &Text,
    protocol: &P,
    (initial, leaderless): (&[P::State], u64),
    moves: &[Move],
    shows: &str,
    shown: &impl Fn(&[Vec<P::State>]) -> bool,
) -> Option<Witness> {
    let mut oracle =
        Oracle::new(protocol.oracle().unwrap_or(0), leaders(protocol, initial).len()).remembering(leaderless);
    let (mut trace, mut coins) = (vec![initial.to_vec()], Vec::new());
    for &(e, coin) in moves {
        let mut config = trace[trace.len() - 1].clone();
        let before = [config[e.initiator], config[e.responder]];
        let [mut a, mut b] = before;
        if protocol.coins() > 1 && protocol.reads_coin(&a, &b) {
            coins.push(coin);
        }
        protocol.interact(&mut a, &mut b, Input { coin, leader: oracle.leader() });
        oracle.observe(leaders(protocol, &before).len(), leaders(protocol, &[a, b]).len());
        (config[e.initiator], config[e.responder]) = (a, b);
        trace.push(config);
    }
    let variables = protocol.variables();
    shown(&trace).then(|| Witness {
        protocol: name.clone(),
        settings: protocol.settings(),
        initial: initial.iter().map(|state| variables.encode(state)).collect(),
        word: moves.iter().map(|(e, _)| *e).collect(),
        coins,
        leaderless,
        shows: shows.to_owned(),
        _confirmed: Confirmed,
    })
}

/// The clear form does not do what the circuit does: a bug, never to be taken for a result.
pub(crate) fn unconfirmed() -> Undecided {
    Undecided::Unknown("the clear form does not confirm the solver's witness".into())
}
