//! Transient faults: at some step, some agents find some of their variables overwritten by random values.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;
use crate::protocol::Protocol;
use crate::random::{Generator, index, shuffle};
use crate::value::Value;

/// Which agents a fault strikes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// This many, chosen uniformly.
    Random(usize),
    /// This many in a row, from a uniform place on.
    Contiguous(usize),
    /// Exactly these.
    Listed(Vec<usize>),
}

/// When a fault strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// After this many interactions.
    Step(u64),
    /// At the first safe step since the start or the previous fault.
    Safe,
}

/// A fault to come. Its text form is `agents=5,place=contiguous,variable=dist,at=safe`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Which agents.
    pub place: Place,
    /// The one variable that is overwritten; all that are not inputs if `None`.
    pub variable: Option<String>,
    /// When.
    pub when: When,
}

/// A fault that has struck, and how long it took to recover.
#[derive(Clone, Debug, PartialEq)]
pub struct Struck {
    /// The fault.
    pub fault: Fault,
    /// The number of interactions before it.
    pub step: u64,
    /// The agents it struck, with their states after it.
    pub agents: Vec<(usize, Value)>,
    /// How many leaders it left, if the protocol elects one.
    pub leaders: Option<u64>,
    /// The first safe step from then on, unless the next fault or the limit came before.
    pub safe: Option<u64>,
}

impl Fault {
    /// Checks the fault against a protocol and a ring of `n` agents.
    ///
    /// # Errors
    /// If it strikes too many agents, one that does not exist, or a variable that it cannot.
    pub fn check<P: Protocol>(&self, protocol: &P, n: usize) -> Result<(), Error> {
        match &self.place {
            Place::Random(k) | Place::Contiguous(k) if !(1..=n).contains(k) => {
                return Err(Error::new("fault, agents", k, format!("allowed is 1 to n = {n}")));
            }
            Place::Listed(agents) => {
                if let Some(agent) = agents.iter().find(|&&agent| agent >= n) {
                    return Err(Error::new("fault, agent", agent, format!("agents are 0 to {}", n - 1)));
                }
            }
            _ => {}
        }
        let Some(name) = &self.variable else { return Ok(()) };
        let variables = protocol.variables();
        if variables.named(name).map_err(|error| error.at("fault"))?.input {
            return Err(Error::new("fault, variable", name, "it is an input of the protocol, given and right"));
        }
        Ok(())
    }

    /// Strikes. The agents are returned with their new states.
    pub fn strike<P: Protocol>(
        &self,
        protocol: &P,
        config: &mut [P::State],
        generator: &mut Generator,
    ) -> Vec<(usize, Value)> {
        let variables = protocol.variables();
        let agents = self.agents(config.len(), generator);
        for &i in &agents {
            match self.variable.as_deref().map(|name| variables.named(name)) {
                Some(Ok(variable)) => variable.randomise(&mut config[i], generator),
                _ => variables.randomise(&mut config[i], generator),
            }
        }
        agents.into_iter().map(|i| (i, variables.encode(&config[i]))).collect()
    }

    fn agents(&self, n: usize, generator: &mut Generator) -> Vec<usize> {
        match &self.place {
            Place::Listed(agents) => agents.clone(),
            Place::Contiguous(k) => {
                let first = index(generator, n);
                (0..*k).map(|j| (first + j) % n).collect()
            }
            Place::Random(k) => {
                let mut all: Vec<usize> = (0..n).collect();
                shuffle(generator, &mut all);
                all.truncate(*k);
                all.sort_unstable();
                all
            }
        }
    }
}

const FORM: &str = "the form is agents=K[,place=random|contiguous] or list=I+J+..., then [,variable=NAME],at=safe|STEP";

impl FromStr for Fault {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong = |value: &str| Error::new("fault", value, FORM);
        let (mut agents, mut list, mut place, mut variable, mut when) = (None, None, None, None, None);
        for part in text.split(',') {
            let (key, value) = part.split_once('=').ok_or_else(|| wrong(part))?;
            let slot = match key {
                "agents" => &mut agents,
                "list" => &mut list,
                "place" => &mut place,
                "variable" => &mut variable,
                "at" => &mut when,
                _ => return Err(wrong(part)),
            };
            if slot.replace(value).is_some() {
                return Err(Error::new("fault", text, format!("{key} is given twice; {FORM}")));
            }
        }
        let when = match when.ok_or_else(|| wrong(text))? {
            "safe" => When::Safe,
            step => When::Step(count(step).ok_or_else(|| wrong(step))?),
        };
        let place = match (agents, list, place) {
            (Some(count), None, place) => parse_count(count, place.unwrap_or("random")),
            (None, Some(list), None) => parse_list(list),
            _ => None,
        };
        let place = place.ok_or_else(|| wrong(text))?;
        Ok(Self { place, variable: variable.map(str::to_owned), when })
    }
}

/// A count as people write it: 5000000, 5_000_000 or 5e6.
#[must_use]
pub fn count(text: &str) -> Option<u64> {
    let plain = text.replace('_', "");
    let Some((digits, zeros)) = plain.split_once(['e', 'E']) else { return plain.parse().ok() };
    let power = 10_u64.checked_pow(zeros.parse().ok()?)?;
    digits.parse::<u64>().ok()?.checked_mul(power)
}

fn parse_count(count: &str, place: &str) -> Option<Place> {
    let count = count.parse().ok()?;
    match place {
        "random" => Some(Place::Random(count)),
        "contiguous" => Some(Place::Contiguous(count)),
        _ => None,
    }
}

fn parse_list(list: &str) -> Option<Place> {
    let mut agents: Vec<usize> = list.split('+').map(|i| i.parse().ok()).collect::<Option<_>>()?;
    agents.sort_unstable();
    agents.dedup();
    Some(Place::Listed(agents))
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Random(k) => write!(f, "agents={k}")?,
            Place::Contiguous(k) => write!(f, "agents={k},place=contiguous")?,
            Place::Listed(agents) => {
                let names: Vec<String> = agents.iter().map(ToString::to_string).collect();
                write!(f, "list={}", names.join("+"))?;
            }
        }
        if let Some(variable) = &self.variable {
            write!(f, ",variable={variable}")?;
        }
        match self.when {
            When::Safe => write!(f, ",at=safe"),
            When::Step(step) => write!(f, ",at={step}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Stream, stream};

    #[test]
    fn the_text_form_reads_back() {
        for text in
            ["agents=5,at=safe", "agents=3,place=contiguous,variable=dist,at=100", "list=0+3+7,at=0", "list=3,at=safe"]
        {
            assert_eq!(text.parse::<Fault>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn agents_in_a_row_go_on_around_the_end_of_the_ring() {
        let (fault, mut generator) =
            (Fault::from_str("agents=3,place=contiguous,at=0").unwrap(), stream(1, Stream::Faults));
        let mut first = [false; 5];
        for _ in 0..100 {
            let agents = fault.agents(5, &mut generator);
            assert_eq!(agents, [0, 1, 2].map(|k| (agents[0] + k) % 5));
            first[agents[0]] = true;
        }
        assert_eq!(first, [true; 5], "they begin anywhere");
    }

    #[test]
    fn bad_faults_are_refused_with_the_form() {
        let bad = [
            "",
            "agents=5",
            "at=safe",
            "agents=x,at=safe",
            "agents=1,at=soon",
            "agents=1,at=1,at=2",
            "k=1,at=1",
            "agents=1,list=2,at=1",
        ];
        for text in bad {
            assert!(text.parse::<Fault>().unwrap_err().to_string().contains("the form is"), "{text}");
        }
    }
}
