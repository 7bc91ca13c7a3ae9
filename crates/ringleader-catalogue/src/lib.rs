//! Protocols with every tool, whatever their types: types are forgotten here, and nowhere else.
//!
//! The list of built-in protocols is compiled in this crate, once, with all tools; programs that use it need not do so again.

mod texts;
mod twin;

use std::io::Write;
use std::sync::Arc;

use ringleader::blueprint::{About, Blueprint, Declared};
use ringleader::catalogue::{AnyProtocol, Catalogue, Reader};
use ringleader::error::Error;
use ringleader::instance::{Described, Instance};
use ringleader::observer::Observer;
use ringleader::params::Params;
use ringleader::protocol::Protocol;
use ringleader::protocols::aaf::Aaf;
use ringleader::protocols::aaf_colouring::AafColouring;
use ringleader::protocols::aaf_orientation::AafOrientation;
use ringleader::protocols::aaf_token::AafToken;
use ringleader::protocols::elim::Elim;
use ringleader::protocols::fj::Fj;
use ringleader::protocols::pcl::{Pcl, PclDerandomised};
use ringleader::protocols::por::Por;
use ringleader::protocols::ppl::{Ppl, PplPrime};
use ringleader::protocols::thue_morse::ThueMorse;
use ringleader::protocols::undirected::{Undirected, UndirectedDerandomised};
use ringleader::protocols::ysm::Ysm;
use ringleader_notation::program::Program;
use ringleader_notation::source::Problems;
use ringleader_notation::written::{Judge, Trouble, blueprint};
use ringleader_verify::exact::NoChain;
use ringleader_verify::exact::ask::{Export, Found, Question, ask};
use ringleader_verify::explicit::{Explored, Scope, Workers, explore};
use ringleader_verify::laws::{Broken, laws};

pub use texts::text_of;
pub use twin::{InLanes, in_lanes};

/// A protocol with every tool, whatever its types.
pub trait Tools: AnyProtocol {
    /// Checks the laws that every protocol must keep, on a ring of `n` agents with these parameters.
    ///
    /// # Errors
    /// The first law that is broken, with a witness.
    fn laws(&self, n: usize, params: &Params, seed: u64) -> Result<(), Broken>;

    /// What is to be known of it with the parameters of a check.
    ///
    /// # Errors
    /// If the size or a parameter is refused.
    fn describe_smallest(&self, n: usize, params: &Params) -> Result<Described, Error>;

    /// Checks every configuration of a ring of `n` agents.
    ///
    /// # Errors
    /// If the size or a parameter is refused.
    fn explore(&self, n: usize, params: &Params, scope: Scope, workers: &mut Workers<'_>) -> Result<Explored, Error>;

    /// Exact hitting times on a ring of `n` agents, and the chain as a model; `None` if it was stopped.
    ///
    /// # Errors
    /// If the question makes no sense, or its chain is too large.
    fn exact(
        &self,
        n: usize,
        params: &Params,
        question: &Question<'_>,
        model: Option<(Export, &mut dyn Write)>,
        observer: &dyn Observer,
    ) -> Result<Option<Found>, NoChain>;
}

impl<P: Protocol> Tools for Arc<Blueprint<P>> {
    fn laws(&self, n: usize, params: &Params, seed: u64) -> Result<(), Broken> {
        laws(self, n, params, seed)
    }

    fn describe_smallest(&self, n: usize, params: &Params) -> Result<Described, Error> {
        Ok(Instance::smallest(self.clone(), n, params)?.describe())
    }

    fn explore(&self, n: usize, params: &Params, scope: Scope, workers: &mut Workers<'_>) -> Result<Explored, Error> {
        Ok(explore(&Instance::smallest(self.clone(), n, params)?, scope, workers))
    }

    fn exact(
        &self,
        n: usize,
        params: &Params,
        question: &Question<'_>,
        model: Option<(Export, &mut dyn Write)>,
        observer: &dyn Observer,
    ) -> Result<Option<Found>, NoChain> {
        ask(&Instance::smallest(self.clone(), n, params)?, question, model, observer)
    }
}

/// A protocol of a program: one that was built in, or one that its user brings.
#[derive(Clone)]
pub struct Entry(Arc<dyn Tools>);

impl Entry {
    /// A protocol that is written in Rust.
    #[must_use]
    pub fn of<P: Declared>() -> Self {
        Self::new(P::blueprint())
    }

    /// A protocol that is written in Rust and has no circuit: it runs in the lanes of its text, which is built in under this name.
    fn in_lanes<P: Declared>(name: &'static str) -> Self {
        Self::new(twin::in_lanes::<P>(name))
    }

    /// Any protocol, wherever its blueprint comes from.
    #[must_use]
    pub fn new<P: Protocol>(blueprint: Blueprint<P>) -> Self {
        Self(Arc::new(Arc::new(blueprint)))
    }
}

impl Entry {
    /// The same without the tools of this crate.
    #[must_use]
    pub fn any(&self) -> Arc<dyn AnyProtocol> {
        self.0.clone()
    }
}

/// A protocol that was read from a file.
#[derive(Clone)]
pub struct File {
    /// The protocol, under the name by which the file was asked for.
    pub entry: Entry,
    /// What the file says.
    pub program: Arc<Program>,
    /// What goes wrong while it runs.
    pub trouble: Trouble,
}

impl File {
    /// Reads a protocol from a text; `name` is that of the file, and the protocol's.
    ///
    /// # Errors
    /// All that is wrong with the text.
    pub fn read(name: &str, text: &str) -> Result<Self, Problems> {
        Self::judged(name, text, None)
    }

    /// The same, with somebody who is asked before it runs.
    ///
    /// # Errors
    /// All that is wrong with the text.
    pub fn judged(name: &str, text: &str, judge: Option<Judge>) -> Result<Self, Problems> {
        let (program, trouble) = (Arc::new(ringleader_notation::read(name, text)?), Trouble::judged(judge));
        let entry = Entry::new(blueprint(&program, name, &trouble));
        Ok(Self { entry, program, trouble })
    }
}

impl std::ops::Deref for Entry {
    type Target = dyn Tools;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

/// The protocols of a program, and how texts become some.
#[derive(Clone)]
pub struct Entries(Vec<Entry>, Option<Reader>);

impl Entries {
    /// These protocols.
    ///
    /// # Errors
    /// If two of them have the same name.
    pub fn new(entries: &[Entry]) -> Result<Self, Error> {
        for (k, entry) in entries.iter().enumerate() {
            let About { name, case, .. } = entry.about();
            let taken =
                |known: &Entry| [name, case].iter().any(|one| [&known.about().name, &known.about().case].contains(one));
            if entries[..k].iter().any(taken) {
                return Err(Error::new("protocol", name, "another protocol has that name, or that name in cases"));
            }
        }
        Ok(Self(entries.to_vec(), None))
    }

    /// The same, with a way to make protocols of texts that come with records and cases.
    #[must_use]
    pub fn reading(self, reader: Reader) -> Self {
        Self(self.0, Some(reader))
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.0.iter()
    }

    /// The protocol of that name, on the command line or in a case.
    ///
    /// # Errors
    /// If there is none; the message lists all.
    pub fn find(&self, name: &str) -> Result<&Entry, Error> {
        let index = self.catalogue().position(name)?;
        Ok(&self.0[index])
    }

    /// The same without the tools of this crate.
    #[must_use]
    pub fn catalogue(&self) -> Catalogue {
        Catalogue(self.0.iter().map(Entry::any).collect(), self.1.clone())
    }
}

/// The built-in protocols.
#[must_use]
pub fn builtin() -> Vec<Entry> {
    vec![
        Entry::of::<Ppl>(),
        Entry::of::<PplPrime>(),
        Entry::of::<Por>(),
        Entry::of::<Pcl>(),
        Entry::in_lanes::<PclDerandomised>("pcl-derandomised"),
        Entry::in_lanes::<Undirected>("undirected"),
        Entry::in_lanes::<UndirectedDerandomised>("undirected-derandomised"),
        Entry::of::<Ysm>(),
        Entry::in_lanes::<Fj>("fj"),
        Entry::in_lanes::<Aaf>("aaf"),
        Entry::of::<ThueMorse>(),
        Entry::in_lanes::<AafOrientation>("aaf-orientation"),
        Entry::in_lanes::<AafColouring>("aaf-colouring"),
        Entry::in_lanes::<AafToken>("aaf-token"),
        Entry::in_lanes::<Elim>("elim"),
    ]
}

/// The example of `CONTRIBUTING.md` compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../../../CONTRIBUTING.md")]
struct Contributing;
