//! A protocol with its parameters on a ring, before it has a configuration. Whatever can be refused is refused here.

use std::sync::Arc;

use crate::blueprint::{About, Blueprint, Named, Start, check_words};
use crate::error::Error;
use crate::fault::When;
use crate::params::{Params, Settings};
use crate::portrait::PictureRow;
use crate::protocol::Protocol;
use crate::random::{Stream, stream};
use crate::ring::Ring;
use crate::trial::{Initial, Trial};
use crate::value::{Text, Value};
use crate::variables::Domain;

/// A protocol with its parameters on a ring.
pub struct Instance<P: Protocol> {
    /// What is known of it before.
    pub blueprint: Arc<Blueprint<P>>,
    /// The protocol.
    pub protocol: P,
    /// The ring.
    pub ring: Ring,
}

/// What is to be known of an instance, whatever its types: plain data.
#[derive(Clone, Debug)]
pub struct Described {
    /// Name, ring, claims and parameters.
    pub about: About,
    /// The ring.
    pub ring: Ring,
    /// The parameters in force.
    pub settings: Settings,
    /// The variables of an agent.
    pub variables: Vec<VariableAbout>,
    /// |Q|, exactly.
    pub states: u128,
    /// The dice that one coin consists of.
    pub dice: Vec<u64>,
    /// The initial configurations that have a name, the default first.
    pub starts: Vec<Named>,
    /// Sets on the way to safety.
    pub phases: Vec<Named>,
    /// The name of the safe set among the phases.
    pub safe_phase: Text,
    /// What an interaction may do that is worth stopping at.
    pub events: Vec<Named>,
}

/// A variable of an agent.
#[derive(Clone, Debug)]
pub struct VariableAbout {
    /// The name in the paper and in JSON.
    pub name: Text,
    /// The values it may take.
    pub domain: Domain,
    /// Whether it is an input: given and right, never corrupted.
    pub input: bool,
}

impl<P: Protocol> Instance<P> {
    /// The protocol with these parameters on a ring of `n` agents.
    ///
    /// # Errors
    /// If the size or a parameter is refused; the message names it and what is allowed.
    pub fn new(blueprint: Arc<Blueprint<P>>, n: usize, params: &Params) -> Result<Self, Error> {
        blueprint.check_names()?;
        let ring = Ring::new(n, blueprint.about.ring)?;
        let known: Vec<&str> = blueprint.about.parameters.iter().map(|parameter| &*parameter.name).collect();
        if let Some((name, _)) = params.0.iter().find(|(name, _)| !known.contains(&name.as_str())) {
            let about = &blueprint.about;
            let takes = if known.is_empty() { vec!["no parameters"] } else { known };
            return Err(Error::unknown("parameter", name, &format!("{} takes", about.name), takes));
        }
        let protocol = (blueprint.make)(ring, params)?;
        let (variables, settings) = (protocol.variables(), protocol.settings());
        check_words("variable", &variables.0.iter().map(|variable| &variable.name).collect::<Vec<_>>())?;
        check_words("setting", &settings.iter().map(|(name, _)| name).collect::<Vec<_>>())?;
        Ok(Self { blueprint, protocol, ring })
    }

    /// The same with the parameters of an explicit check: few states, unless others are given.
    ///
    /// # Errors
    /// If the size or a parameter is refused.
    pub fn smallest(blueprint: Arc<Blueprint<P>>, n: usize, given: &Params) -> Result<Self, Error> {
        let ring = Ring::new(n, blueprint.about.ring)?;
        let params = (blueprint.smallest)(ring, given);
        Self::new(blueprint, n, &params)
    }

    /// What is to be known of it.
    pub fn describe(&self) -> Described {
        let Blueprint { about, starts, phases, events, .. } = &*self.blueprint;
        let variables = self.protocol.variables();
        Described {
            about: about.clone(),
            ring: self.ring,
            settings: self.protocol.settings(),
            states: variables.states(),
            variables: variables
                .0
                .into_iter()
                .map(|one| VariableAbout { name: one.name, domain: one.domain, input: one.input })
                .collect(),
            dice: self.protocol.dice(),
            starts: starts.iter().map(|start| start.named.clone()).collect(),
            phases: phases.iter().map(|phase| phase.named.clone()).collect(),
            safe_phase: self.blueprint.safe_phase(),
            events: events.iter().map(|event| event.named.clone()).collect(),
        }
    }

    /// The limit in force: the trial's own, or the protocol's default for every part of the run between faults.
    pub fn limit(&self, trial: &Trial) -> u64 {
        let parts = 1 + trial.faults.len() as u64;
        trial.limit.unwrap_or_else(|| self.protocol.default_limit(self.ring).saturating_mul(parts))
    }

    /// Whether a trial can run, without running it and without a start being made; its limit.
    ///
    /// # Errors
    /// If its start does not exist on this ring or is none of this protocol, or a fault cannot strike or would come after the limit.
    pub fn check(&self, trial: &Trial) -> Result<u64, Error> {
        match &trial.from {
            Some(Initial::Given(agents)) => self.protocol.accepts(&self.given(agents)?)?,
            Some(Initial::Named(name)) => drop(self.start(Some(name))?),
            None => drop(self.start(None)?),
        }
        self.check_faults(trial)
    }

    /// Whether the faults of a trial can strike, wherever it begins; its limit.
    pub(crate) fn check_faults(&self, trial: &Trial) -> Result<u64, Error> {
        let limit = self.limit(trial);
        for fault in &trial.faults {
            fault.check(&self.protocol, self.ring.n())?;
            match fault.when {
                When::Step(step) if step > limit => {
                    return Err(Error::new("fault, at", step, format!("the limit of the run is {limit} steps")));
                }
                _ => {}
            }
        }
        Ok(limit)
    }

    /// A start of that name which exists on this ring, or the default.
    ///
    /// # Errors
    /// If there is none.
    pub fn start(&self, name: Option<&str>) -> Result<&Start<P>, Error> {
        let Blueprint { starts, about, .. } = &*self.blueprint;
        let found = name.map_or(starts.first(), |name| starts.iter().find(|start| start.named.name == name));
        let start = found.ok_or_else(|| {
            let (words, names) = (format!("{} starts from", about.name), starts.iter());
            Error::unknown("start", name.unwrap_or("(none)"), &words, names.map(|start| &*start.named.name))
        })?;
        start.needs.as_ref().map_or(Ok(()), |needs| needs(&self.protocol, self.ring))?;
        Ok(start)
    }

    /// The initial configuration of a trial with this seed.
    ///
    /// # Errors
    /// If the start does not exist on this ring, or a given configuration is none of this protocol.
    pub fn initial(&self, from: Option<&Initial>, seed: u64) -> Result<Vec<P::State>, Error> {
        let name = match from {
            Some(Initial::Given(agents)) => return self.given(agents),
            Some(Initial::Named(name)) => Some(name.as_str()),
            None => None,
        };
        Ok((self.start(name)?.make)(&self.protocol, self.ring, &mut stream(seed, Stream::Start)))
    }

    fn given(&self, agents: &[Value]) -> Result<Vec<P::State>, Error> {
        let (n, variables) = (self.ring.n(), self.protocol.variables());
        if agents.len() != n {
            return Err(Error::new("number of agents", agents.len(), format!("n = {n} agents are needed")));
        }
        let decode = |(i, agent)| {
            let decoded = variables.decode(agent, P::State::default());
            decoded.map_err(|error| error.at(&format!("agent {i}")))
        };
        agents.iter().enumerate().map(decode).collect()
    }

    /// The ring as text: what the protocol draws, or else its leaders, or its outputs.
    pub fn picture(&self, config: &[P::State]) -> Vec<PictureRow> {
        let rows = self.protocol.picture(config);
        if !rows.is_empty() {
            return rows;
        }
        if self.blueprint.about.elects {
            return vec![PictureRow::leaders(config.iter().map(|state| self.protocol.is_leader(state)))];
        }
        let digit = |state| u32::try_from(self.protocol.output(state)).ok().and_then(|v| char::from_digit(v, 36));
        let cells = config.iter().map(|state| digit(state).unwrap_or('+'));
        vec![PictureRow::new("output", "the output, 0-9 a-z (+ beyond)", cells)]
    }
}
