//! Two neighbours in any states that meet, `kappa_max` being any number, and facts about what comes of it.
//!
//! A fact has a condition and a consequence, both written once and read with literals and in the clear form. That the condition holds
//! somewhere is asked as well, so that no fact says nothing.

use ringleader::circuit::{Agent, Circuit, Uint, WithCircuit};
use ringleader::protocols::ppl::{MAX_KAPPA, PplOf, State};
use ringleader::ring::Interaction;

use super::super::tokens::WAR;
use super::super::war::creates_in;
use super::super::{Point, ppl};
use crate::query::{Decided, Legend, Model, Query, Undecided, Verdict};
use crate::symbolic::{NamedCircuit, Symbolic};
use crate::unrolling::of_agent;
use ringleader_notation::graph::{Demand, Lit};

/// A clock or a signal.
pub(super) type Number<B> = Uint<B, 16>;

/// An interaction and those who see it.
pub(super) struct Meeting<A: Agent> {
    /// The initiator, the responder, and agents that do nothing.
    pub(super) before: Vec<A>,
    pub(super) after: Vec<A>,
    /// Whether Line 6 or 20 is executed.
    pub(super) created: A::Bit,
    pub(super) kappa: Number<A::Bit>,
    /// Other bits that may be anything.
    pub(super) bits: Vec<A::Bit>,
}

impl<A: Agent> Meeting<A> {
    /// Initiator and responder, before and after.
    pub(super) fn pairs(&self) -> [[&A; 2]; 2] {
        [[&self.before[0], &self.before[1]], [&self.after[0], &self.after[1]]]
    }
}

/// What *DetermineMode* counts.
pub(super) trait Timed: Agent<State = State> {
    /// `signal_R`.
    fn signal_r(&self) -> Number<Self::Bit>;

    /// How much is missing from the clock to `kappa_max`.
    fn left(&self, kappa: Number<Self::Bit>) -> Number<Self::Bit>;
}

impl Timed for State {
    fn signal_r(&self) -> Number<bool> {
        Uint::constant(self.signal_r.into())
    }

    fn left(&self, kappa: Number<bool>) -> Number<bool> {
        Uint::constant(kappa.number().saturating_sub(self.clock.into()))
    }
}

impl Timed for Symbolic<'_, State> {
    fn signal_r(&self) -> Number<Lit> {
        Uint(sixteen(&self.number("signalR")))
    }

    fn left(&self, _: Number<Lit>) -> Number<Lit> {
        Uint(sixteen(&self.number("clock"))).complement()
    }
}

fn sixteen(bits: &[Lit]) -> [Lit; 16] {
    std::array::from_fn(|k| bits[k])
}

/// A condition and its consequence, in both readings.
pub(super) type Says<'a> =
    (&'a dyn Fn(&Meeting<Symbolic<'_, State>>) -> [Lit; 2], &'a dyn Fn(&Meeting<State>) -> [bool; 2]);

/// Where a fact is asked: what is certain of the two who meet, who else is there, and how many other bits there are.
pub(super) struct Scene<'a> {
    pub(super) certain: [(&'a [&'a str], State); 2],
    pub(super) rest: &'a [State],
    pub(super) bits: usize,
}

impl Scene<'_> {
    /// Two agents in any states.
    pub(super) fn anywhere() -> Self {
        Self { certain: [(&[], State::default()); 2], rest: &[], bits: 0 }
    }
}

/// What comes of a fact.
pub(super) enum Weighed {
    Holds,
    /// Its condition holds nowhere.
    SaysNothing,
    Refuted(Decided),
}

/// P_PL or P'_PL with one `psi` and any `kappa_max`.
pub(super) struct Rules<const PRIME: bool> {
    pub(super) psi: usize,
    pub(super) circuit: NamedCircuit<State>,
}

struct Named<'a, const PRIME: bool>(&'a PplOf<PRIME>);

impl<const PRIME: bool> WithCircuit<State> for Named<'_, PRIME> {
    type Output = Result<NamedCircuit<State>, Undecided>;

    fn with<C: Circuit<State = State>>(self, circuit: C) -> Self::Output {
        Ok(NamedCircuit::new(self.0, circuit)?)
    }
}

/// The protocol whose variables have room for every `kappa_max`.
pub(super) fn roomy<const PRIME: bool>(psi: usize) -> PplOf<PRIME> {
    PplOf { psi: psi as u8, kappa_max: MAX_KAPPA as u16 }
}

impl<const PRIME: bool> Rules<PRIME> {
    pub(super) fn new(psi: usize) -> Result<Self, Undecided> {
        let ppl = roomy(psi);
        let Some(circuit) = ppl.with_any_kappa(Named::<PRIME>(&ppl)) else {
            return Err(Undecided::Unknown("there is no circuit for every kappa_max with this psi".into()));
        };
        Ok(Self { psi, circuit: circuit? })
    }

    /// The meeting, and what domains demand of its free bits.
    fn meet<'c>(&'c self, scene: &Scene<'_>) -> (Meeting<Symbolic<'c, State>>, Vec<Demand>) {
        let (mut demands, coin) = (Vec::new(), self.circuit.coin());
        let kappa = Uint(sixteen(&coin));
        let mut before: Vec<Symbolic<'c, State>> =
            scene.certain.iter().map(|(names, state)| self.someone(&mut demands, kappa, names, state)).collect();
        before.extend(scene.rest.iter().map(|state| self.circuit.agent(state)));
        demands.push(Demand { bits: coin.clone(), holds: kappa.positive() });
        let mut after = before.clone();
        self.circuit.interact(&mut after, 0, 1, &coin);
        let mut bare = before[..2].to_vec();
        bare.iter_mut().for_each(|agent| agent.fix(&WAR, &State::default()));
        self.circuit.interact(&mut bare, 0, 1, &coin);
        let created = bare[1].ask(("live", 0, &["bullet"]), |v| v.bullet == 2);
        let bits = (0..scene.bits).map(|_| Lit::input()).collect();
        (Meeting { before, after, created, kappa, bits }, demands)
    }

    /// An agent in any state, but for what is certain, with clock and signal up to `kappa_max`.
    fn someone<'c>(
        &'c self,
        demands: &mut Vec<Demand>,
        kappa: Number<Lit>,
        names: &[&str],
        state: &State,
    ) -> Symbolic<'c, State> {
        let mut agent = self.circuit.any_agent(demands);
        agent.fix(names, state);
        for (name, number) in [("signalR", agent.signal_r()), ("clock", agent.left(kappa))] {
            demands.push(Demand { bits: agent.number(name), holds: kappa.at_least_that(number) });
        }
        agent
    }

    /// Decides a fact: nothing if it holds, and otherwise what comes of a claim that needs it.
    pub(super) fn fact(
        &self,
        query: &mut Query<'_>,
        name: &str,
        scene: &Scene<'_>,
        says: Says<'_>,
    ) -> Result<Option<Decided>, Undecided> {
        Ok(match self.weigh(query, name, scene, says)? {
            Weighed::Holds => None,
            Weighed::SaysNothing => {
                Some(Verdict::Nothing.with_note(format!("there are no neighbours as it says: {name}")))
            }
            Weighed::Refuted(decided) => Some(decided),
        })
    }

    /// The same where a fact that says nothing is no failure.
    pub(super) fn weigh(
        &self,
        query: &mut Query<'_>,
        name: &str,
        scene: &Scene<'_>,
        says: Says<'_>,
    ) -> Result<Weighed, Undecided> {
        let (meeting, demands) = self.meet(scene);
        let [given, then] = (says.0)(&meeting);
        query.step(format!("two neighbours of whom this says something: {name}"));
        if query.ask(&[given], &demands)?.is_none() {
            return Ok(Weighed::SaysNothing);
        }
        query.step(format!("two neighbours of whom this is wrong: {name}"));
        let Some(model) = query.ask_named(&[given, !then], &demands, || self.legend(&meeting))? else {
            return Ok(Weighed::Holds);
        };
        match self.refuted(name, &meeting, &model, says) {
            Err(Undecided::Unknown(why)) => Err(Undecided::Unknown(format!("{name}: {why}"))),
            decided => decided.map(Weighed::Refuted),
        }
    }

    fn legend(&self, meeting: &Meeting<Symbolic<'_, State>>) -> Legend {
        let mut bits: Vec<(String, Lit)> = Vec::new();
        for (config, when) in [(&meeting.before, "before"), (&meeting.after, "after (u_0, u_1)")] {
            bits.extend(config.iter().enumerate().flat_map(|(i, agent)| of_agent(i, agent, when)));
        }
        bits.extend((0..).zip(meeting.kappa.0).map(|(k, bit): (usize, Lit)| (format!("kappa_max[{k}]"), bit)));
        bits.extend(meeting.bits.iter().enumerate().map(|(k, &bit)| (format!("further bit {k}"), bit)));
        Legend { codes: self.circuit.codes(), bits }
    }

    /// The pair that refutes a fact, confirmed by the clear form, with idle agents where a ring needs more.
    fn refuted(
        &self,
        name: &str,
        meeting: &Meeting<Symbolic<'_, State>>,
        model: &Model,
        says: Says<'_>,
    ) -> Result<Decided, Undecided> {
        let truth = |bit: Lit| bit.constant().or_else(|| model.truth(bit));
        let kappa = Uint(meeting.kappa.0.map(|bit| truth(bit).unwrap_or(true)));
        let bits: Vec<bool> = meeting.bits.iter().map(|&bit| truth(bit).unwrap_or(false)).collect();
        let most = kappa.number() as u16;
        // In the room for every kappa_max, a clock has as much left as in the room for this one.
        let here = |v: State| State { clock: most.saturating_sub(MAX_KAPPA as u16 - v.clock), ..v };
        let mut config: Vec<State> =
            meeting.before.iter().map(|agent| here(agent.state(&|lit| model.truth(lit)))).collect();
        let long = config.len();
        config.resize(long.max(3), State::default());
        let subject = ppl::<PRIME>(Point { n: config.len(), psi: self.psi, kappa: most.into() })?;
        let shown = |trace: &[Vec<State>]| {
            let created = creates_in(&subject.protocol, &trace[0], subject.ring.e(0));
            let [before, after] = [0, 1].map(|time| trace[time][..long].to_vec());
            let [given, then] = (says.1)(&Meeting { before, after, created, kappa, bits: bits.clone() });
            given && !then
        };
        let shows = format!("u_0 and u_1 refute: {name}");
        let witness = subject.confirm(Some(config), &[Interaction { initiator: 0, responder: 1 }], &shows, shown)?;
        let fails = witness.map_or(Verdict::Nothing, Verdict::Fails);
        Ok(fails.with_note(name))
    }
}
