//! The protocols that are shown, and the texts of those that have one.

use std::sync::Arc;

use ringleader::catalogue::Catalogue;
use ringleader_notation::program::Program;

/// The protocols of a server. A text is that of the protocol itself if its name ends in `.py`, as names of files do; otherwise it says
/// what a protocol in Rust does.
#[derive(Clone)]
pub struct Library {
    pub(crate) catalogue: Catalogue,
    texts: Vec<(String, Arc<Program>)>,
}

impl From<Catalogue> for Library {
    fn from(catalogue: Catalogue) -> Self {
        Self { catalogue, texts: Vec::new() }
    }
}

impl Library {
    /// The same with the text of a protocol.
    #[must_use]
    pub fn with_text(mut self, name: &str, program: Arc<Program>) -> Self {
        self.texts.push((name.to_owned(), program));
        self
    }

    /// The protocol that is shown by default.
    pub(crate) fn default_name(&self) -> Option<&str> {
        self.catalogue.0.first().map(|protocol| &*protocol.about().name)
    }

    /// The text of the protocol of that name.
    pub(crate) fn text(&self, name: &str) -> Option<&Arc<Program>> {
        self.texts.iter().find(|(known, _)| known == name).map(|(_, program)| program)
    }

    /// The same, if the protocol is its text.
    pub(crate) fn file(&self, name: &str) -> Option<&Arc<Program>> {
        self.text(name).filter(|_| is_file(name))
    }
}

/// Whether a protocol of that name is a text.
pub(crate) fn is_file(name: &str) -> bool {
    name.ends_with(".py")
}
