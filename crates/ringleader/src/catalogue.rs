//! Protocols whose types are forgotten, and a list of them.
//!
//! Dynamic dispatch happens here, once a batch of trials or a session, never once a step.

use std::fmt;
use std::sync::Arc;

use crate::blueprint::{About, Blueprint, Named};
use crate::error::Error;
use crate::fingerprint::fingerprint;
use crate::instance::{Described, Instance};
use crate::observer::Observer;
use crate::params::Params;
use crate::protocol::Protocol;
use crate::session::Session;
use crate::trial::{Engine, Trial};

/// A protocol before its ring and parameters are known, whatever its types.
pub trait AnyProtocol: Send + Sync {
    /// Name, ring, claims and parameters.
    fn about(&self) -> &About;

    /// What went wrong with a protocol that is a text, in any run of it so far: what came of such a run means nothing.
    fn fault(&self) -> Option<Error>;

    /// The initial configurations that have a name, the default first.
    fn starts(&self) -> Vec<Named>;

    /// What is to be known of it with these parameters on a ring of `n` agents.
    ///
    /// # Errors
    /// If the size or a parameter is refused.
    fn describe(&self, n: usize, params: &Params) -> Result<Described, Error>;

    /// The fingerprint of its rules with these parameters on a ring of `n` agents.
    ///
    /// # Errors
    /// If the size or a parameter is refused.
    fn fingerprint(&self, n: usize, params: &Params) -> Result<u64, Error>;

    /// Whether a trial can run, without running it; its limit.
    ///
    /// # Errors
    /// If it cannot.
    fn check(&self, trial: &Trial) -> Result<u64, Error>;

    /// How many trials of this kind are best run at once by one thread, given as many.
    ///
    /// # Errors
    /// If the trial is refused.
    fn at_once(&self, trial: &Trial, engine: Engine) -> Result<usize, Error>;

    /// Why so many trials of this kind run slower in lanes than they might, if anything is amiss.
    fn slowed(&self, trial: &Trial, trials: usize, engine: Engine) -> Option<String>;

    /// Runs a trial once for each of these seeds, and tells the observer of every record.
    ///
    /// # Errors
    /// If the trial is refused, or the engine cannot do it.
    fn run(&self, trial: &Trial, seeds: &[u64], engine: Engine, observer: &dyn Observer) -> Result<(), Error>;

    /// A ring at the start of a trial.
    ///
    /// # Errors
    /// If the trial is refused.
    fn open(&self, trial: &Trial) -> Result<Box<dyn Session>, Error>;
}

impl<P: Protocol> AnyProtocol for Arc<Blueprint<P>> {
    fn about(&self) -> &About {
        &self.about
    }

    fn fault(&self) -> Option<Error> {
        self.fault.as_ref().and_then(|fault| fault())
    }

    fn starts(&self) -> Vec<Named> {
        self.starts.iter().map(|start| start.named.clone()).collect()
    }

    fn describe(&self, n: usize, params: &Params) -> Result<Described, Error> {
        Ok(Instance::new(self.clone(), n, params)?.describe())
    }

    fn fingerprint(&self, n: usize, params: &Params) -> Result<u64, Error> {
        Ok(fingerprint(&Instance::new(self.clone(), n, params)?.protocol))
    }

    fn check(&self, trial: &Trial) -> Result<u64, Error> {
        Instance::new(self.clone(), trial.n, &trial.params)?.check(trial)
    }

    fn at_once(&self, trial: &Trial, engine: Engine) -> Result<usize, Error> {
        Ok(Instance::new(self.clone(), trial.n, &trial.params)?.at_once(trial, engine))
    }

    fn slowed(&self, trial: &Trial, trials: usize, engine: Engine) -> Option<String> {
        Instance::new(self.clone(), trial.n, &trial.params).ok()?.slowed(trial, trials, engine)
    }

    fn run(&self, trial: &Trial, seeds: &[u64], engine: Engine, observer: &dyn Observer) -> Result<(), Error> {
        Instance::new(self.clone(), trial.n, &trial.params)?.run(trial, seeds, engine, observer)
    }

    fn open(&self, trial: &Trial) -> Result<Box<dyn Session>, Error> {
        Instance::new(self.clone(), trial.n, &trial.params)?.open(trial)
    }
}

/// Whether a protocol of that name is a file, whose text says what it does.
#[must_use]
pub fn is_file(name: &str) -> bool {
    let stem = name.strip_suffix(".py");
    stem.is_some_and(|stem| !stem.is_empty() && !stem.ends_with('/'))
}

/// Makes a protocol of a name and a text, or says all that is wrong with the text.
pub type Reader = Arc<dyn Fn(&str, &str) -> Result<Arc<dyn AnyProtocol>, String> + Send + Sync>;

/// The protocols that somebody brings, and how texts become some.
#[derive(Clone)]
pub struct Catalogue(pub Vec<Arc<dyn AnyProtocol>>, pub Option<Reader>);

impl fmt::Debug for Catalogue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|one| &one.about().name)).finish()
    }
}

impl Catalogue {
    /// These protocols, and no others.
    #[must_use]
    pub fn of(protocols: Vec<Arc<dyn AnyProtocol>>) -> Self {
        Self(protocols, None)
    }

    /// The same with a protocol that is this text, in the place of one that has its name.
    ///
    /// # Errors
    /// What is wrong with the text, or that texts are not read here.
    pub fn with_text(&self, name: &str, text: &str) -> Result<Self, String> {
        let read = self.1.as_ref().ok_or_else(|| format!("{name}: this program reads no protocols that are files"))?;
        let own = read(name, text)?;
        let others = self.0.iter().filter(|one| one.about().name != name).cloned();
        Ok(Self(std::iter::once(own).chain(others).collect(), self.1.clone()))
    }

    /// Where the protocol of that name stands, on the command line or in a case.
    ///
    /// # Errors
    /// If there is none; the message lists all.
    pub fn position(&self, name: &str) -> Result<usize, Error> {
        let is_called = |one: &Arc<dyn AnyProtocol>| [&*one.about().name, &*one.about().case].contains(&name);
        self.0
            .iter()
            .position(is_called)
            .ok_or_else(|| Error::unknown("protocol", name, "allowed is", self.0.iter().map(|one| &*one.about().name)))
    }

    /// The protocol of that name.
    ///
    /// # Errors
    /// If there is none; the message lists all.
    pub fn find(&self, name: &str) -> Result<&dyn AnyProtocol, Error> {
        self.position(name).map(|index| &*self.0[index])
    }

    /// A ring at the start of a trial.
    ///
    /// # Errors
    /// If the protocol is unknown, or the trial is refused.
    pub fn open(&self, trial: &Trial) -> Result<Box<dyn Session>, Error> {
        self.find(&trial.protocol)?.open(trial)
    }
}
