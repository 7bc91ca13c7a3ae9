//! A protocol before its ring and parameters are known: what is said of it, and how it is made. A value, not a type: a protocol may
//! be written in Rust ([`Declared`]) or read from elsewhere while the program runs.
//!
//! ```
//! # use ringleader::{blueprint::*, error::Error, params::*, protocol::*, random::Generator, ring::*, variables::*, variable};
//! # #[derive(Clone)] struct Rumour;
//! # #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)] struct State { heard: u8 }
//! # impl Transition for Rumour { type State = State; fn interact(&self, l: &mut State, r: &mut State, _: Input) { r.heard |= l.heard; } }
//! # impl Protocol for Rumour {
//! #     fn variables(&self) -> Variables<State> { Variables(vec![variable!("heard", Domain::BIT, State.heard)]) }
//! #     fn is_safe(&self, config: &[State]) -> bool { config.iter().all(|v| v.heard == config[0].heard) }
//! # }
//! let rumour = Blueprint::new("rumour", Orientation::Directed, |_, _| Ok(Rumour))
//!     .summary("a rumour spreads")
//!     .safe("all know, or none")
//!     .start("one-knows", "u_0 has heard it", |_, ring, _| (0..ring.n()).map(|i| State { heard: u8::from(i == 0) }).collect())
//!     .uniform();
//! assert_eq!(rumour.about.name, "rumour");
//! ```

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::error::Error;
use crate::params::{Parameter, Params};
use crate::protocol::{Protocol, Transition, uniform};
use crate::random::Generator;
use crate::ring::{Orientation, Ring};
use crate::value::Text;

/// Where the rules of a protocol come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The paper's own pseudocode.
    Paper,
    /// Known from another publication than the one that is cited.
    Secondary,
    /// Some from another publication, some rebuilt: these words say which.
    Mixed(Text),
    /// Rebuilt from what is known of a system whose rules were not available.
    Reconstruction,
    /// Designed for this laboratory, or brought by its user.
    Ours,
}

impl Origin {
    /// The words used in tables.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Paper => "the paper's own",
            Self::Secondary => "a secondary source",
            Self::Mixed(which) => which,
            Self::Reconstruction => "a reconstruction",
            Self::Ours => "our own design",
        }
    }
}

/// What is said of a protocol before it runs.
#[derive(Clone, Debug)]
pub struct About {
    /// The name on the command line.
    pub name: Text,
    /// The name in JSON cases.
    pub case: Text,
    /// One line on what it does.
    pub summary: Text,
    /// The ring it runs on.
    pub ring: Orientation,
    /// What it must know or assume.
    pub assumption: Text,
    /// The claimed number of steps.
    pub bound: Text,
    /// Whose rules these are.
    pub origin: Origin,
    /// Whether it elects a leader.
    pub elects: bool,
    /// The name of its closed safe set.
    pub safe: Text,
    /// Whether that set is declared. If not, it is the silent configurations, in which a run may stop, and Definition 1 is taken
    /// literally where all configurations are known.
    pub declares_safe: bool,
    /// How it is known that the safe set is closed, and for which rings; `None` if the protocol only declares it.
    pub evidence: Option<Text>,
    /// The parameters it takes.
    pub parameters: Vec<Parameter>,
    /// The text that it is, if it is one.
    pub text: Option<Arc<str>>,
}

impl About {
    /// What a configuration of the safe set is called. Of one that is declared it is believed that it is safe.
    #[must_use]
    pub fn in_safe_set(&self) -> &str {
        if self.declares_safe { "safe" } else { &self.safe }
    }
}

/// Something with a name, and a few words on what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its name.
    pub name: Text,
    /// What it means.
    pub about: Text,
}

/// Makes a protocol from a ring and parameters.
pub type Make<P> = Arc<dyn Fn(Ring, &Params) -> Result<P, Error> + Send + Sync>;
/// Makes an initial configuration from a stream of randomness.
pub type MakeStart<P> = Arc<dyn Fn(&P, Ring, &mut Generator) -> Vec<<P as Transition>::State> + Send + Sync>;
/// Whether a start exists on a ring, and why not.
pub type Needs<P> = Arc<dyn Fn(&P, Ring) -> Result<(), Error> + Send + Sync>;
/// Whether a configuration is in a set.
pub type Set<P> = Arc<dyn Fn(&P, &[<P as Transition>::State]) -> bool + Send + Sync>;
/// Whether a predicate can tell two states apart.
pub type Differ<P> = Arc<dyn Fn(&P, &<P as Transition>::State, &<P as Transition>::State) -> bool + Send + Sync>;
/// Whether a set has no member without a leader, on a ring.
pub type Led<P> = Arc<dyn Fn(&P, Ring) -> bool + Send + Sync>;
/// Whether something happened between two pairs of states.
pub type Occurs<P> =
    Arc<dyn Fn(&P, [&<P as Transition>::State; 2], [&<P as Transition>::State; 2]) -> bool + Send + Sync>;
/// The parameters of an explicit check, given those that the user named.
pub type Smallest = Arc<dyn Fn(Ring, &Params) -> Params + Send + Sync>;

/// An initial configuration with a name.
#[derive(Clone)]
pub struct Start<P: Protocol> {
    /// Its name on the command line, and what it looks like and is for.
    pub named: Named,
    /// Refuses rings on which it does not exist.
    pub needs: Option<Needs<P>>,
    /// How it is made.
    pub make: MakeStart<P>,
}

/// A set of configurations whose first step is of interest.
#[derive(Clone)]
pub struct Phase<P: Protocol> {
    /// Its name in the paper, and what it means.
    pub named: Named,
    /// Whether the configuration is in the set.
    pub holds: Set<P>,
    /// `None` if it is closed: look now and then, then bisect. Otherwise look after every interaction that changed something which the
    /// predicate can tell apart.
    pub open: Option<Differ<P>>,
    /// Where it never holds without a leader, so that nobody needs to look; `None` if it may anywhere.
    pub led: Option<Led<P>>,
}

impl<P: Protocol> Phase<P> {
    /// Whether it never holds without a leader.
    pub fn needs_leader(&self, protocol: &P, ring: Ring) -> bool {
        self.led.as_ref().is_some_and(|led| led(protocol, ring))
    }

    /// Whether an interaction may have led into an open phase.
    #[inline]
    pub(crate) fn may_differ(&self, protocol: &P, before: [&P::State; 2], after: [&P::State; 2]) -> bool {
        let differ = |differ: &Differ<P>| (0..2).any(|k| differ(protocol, before[k], after[k]));
        self.open.as_ref().is_some_and(differ)
    }
}

/// Something that an interaction may do, told from the two states before and after it, initiator first.
#[derive(Clone)]
pub struct Event<P: Protocol> {
    /// Its name, and what it means.
    pub named: Named,
    /// Whether it happened.
    pub occurs: Occurs<P>,
}

/// The set of configurations from which safety is promised.
#[derive(Clone)]
pub struct Promise<P: Protocol> {
    /// Its name.
    pub name: Text,
    /// Whether the configuration is in it, and so the promise made.
    pub holds: Set<P>,
}

/// A protocol before its ring and parameters are known.
#[derive(Clone)]
pub struct Blueprint<P: Protocol> {
    /// Name, ring, claims and parameters.
    pub about: About,
    /// How it is made.
    pub make: Make<P>,
    /// The initial configurations that have a name. The first is the default.
    pub starts: Vec<Start<P>>,
    /// Named sets on the way to safety, in the order in which they are expected.
    pub phases: Vec<Phase<P>>,
    /// What an interaction may do that is worth stopping at.
    pub events: Vec<Event<P>>,
    /// From where it promises to become safe, if not from everywhere.
    pub promise: Option<Promise<P>>,
    /// The parameters of an explicit check.
    pub smallest: Smallest,
    /// What went wrong in any run of it so far, if that can be.
    pub fault: Option<Arc<dyn Fn() -> Option<Error> + Send + Sync>>,
}

/// A protocol that its type declares: one that is written in Rust.
pub trait Declared: Protocol {
    /// Its blueprint.
    fn blueprint() -> Blueprint<Self>;
}

impl<P: Protocol> Blueprint<P> {
    /// A blueprint of which only the name, the ring and the way to make it are known.
    pub fn new(
        name: impl Into<Text>,
        ring: Orientation,
        make: impl Fn(Ring, &Params) -> Result<P, Error> + Send + Sync + 'static,
    ) -> Self {
        let name = name.into();
        let about = About {
            case: name.clone(),
            name,
            summary: Text::default(),
            ring,
            assumption: "none".into(),
            bound: "not stated".into(),
            origin: Origin::Ours,
            elects: false,
            safe: "safe".into(),
            declares_safe: true,
            evidence: None,
            parameters: Vec::new(),
            text: None,
        };
        Self {
            about,
            make: Arc::new(make),
            starts: Vec::new(),
            phases: Vec::new(),
            events: vec![output_changed()],
            promise: None,
            smallest: Arc::new(|_, given| given.clone()),
            fault: None,
        }
    }

    /// One line on what it does.
    #[must_use]
    pub fn summary(mut self, summary: impl Into<Text>) -> Self {
        self.about.summary = summary.into();
        self
    }

    /// The name in JSON cases, if it is another one.
    #[must_use]
    pub fn case(mut self, case: impl Into<Text>) -> Self {
        self.about.case = case.into();
        self
    }

    /// What it must know or assume.
    #[must_use]
    pub fn assumption(mut self, assumption: impl Into<Text>) -> Self {
        self.about.assumption = assumption.into();
        self
    }

    /// The claimed number of steps.
    #[must_use]
    pub fn bound(mut self, bound: impl Into<Text>) -> Self {
        self.about.bound = bound.into();
        self
    }

    /// Whose rules these are.
    #[must_use]
    pub fn origin(mut self, origin: Origin) -> Self {
        self.about.origin = origin;
        self
    }

    /// It elects a leader: the first events are the birth and death of leaders, not changes of output.
    #[must_use]
    pub fn elects(mut self) -> Self {
        if !std::mem::replace(&mut self.about.elects, true) {
            self.events.retain(|event| event.named.name != OUTPUT_CHANGED);
            self.events.splice(..0, leader_events());
        }
        self
    }

    /// The name of its closed safe set.
    #[must_use]
    pub fn safe(mut self, safe: impl Into<Text>) -> Self {
        self.about.safe = safe.into();
        self
    }

    /// No safe set is declared. [`Protocol::is_safe`] must then be [`crate::protocol::silent`], with one leader if it elects: that is
    /// closed whatever the rules are.
    #[must_use]
    pub fn without_safe_set(mut self) -> Self {
        self.about.declares_safe = false;
        self.safe(SILENT)
    }

    /// How it is known that the safe set is closed, and for which rings.
    #[must_use]
    pub fn evidence(mut self, evidence: impl Into<Text>) -> Self {
        self.about.evidence = Some(evidence.into());
        self
    }

    /// A parameter that takes a number.
    #[must_use]
    pub fn parameter(self, name: impl Into<Text>, help: impl Into<Text>) -> Self {
        self.parameters([Parameter { name: name.into(), help: help.into(), flag: false }])
    }

    /// Parameters, also those that another protocol has.
    #[must_use]
    pub fn parameters(mut self, parameters: impl IntoIterator<Item = Parameter>) -> Self {
        self.about.parameters.extend(parameters);
        self
    }

    /// A start with a name. The first is the default.
    #[must_use]
    pub fn start(
        mut self,
        name: impl Into<Text>,
        about: impl Into<Text>,
        make: impl Fn(&P, Ring, &mut Generator) -> Vec<P::State> + Send + Sync + 'static,
    ) -> Self {
        let named = Named { name: name.into(), about: about.into() };
        self.starts.push(Start { named, needs: None, make: Arc::new(make) });
        self
    }

    /// A start that exists on some rings only.
    #[must_use]
    pub fn start_where(
        mut self,
        name: impl Into<Text>,
        about: impl Into<Text>,
        needs: impl Fn(&P, Ring) -> Result<(), Error> + Send + Sync + 'static,
        make: impl Fn(&P, Ring, &mut Generator) -> Vec<P::State> + Send + Sync + 'static,
    ) -> Self {
        self = self.start(name, about, make);
        if let Some(start) = self.starts.last_mut() {
            start.needs = Some(Arc::new(needs));
        }
        self
    }

    /// The start with every agent in the same state.
    #[must_use]
    pub fn start_all(self, name: impl Into<Text>, about: impl Into<Text>, state: P::State) -> Self {
        self.start(name, about, move |_, ring, _| vec![state; ring.n()])
    }

    /// The start `uniform`, which follows from the variables.
    #[must_use]
    pub fn uniform(self) -> Self {
        self.start("uniform", "every variable of every agent uniform over its domain", uniform)
    }

    /// A closed set on the way to safety.
    #[must_use]
    pub fn phase(
        mut self,
        name: impl Into<Text>,
        about: impl Into<Text>,
        holds: impl Fn(&P, &[P::State]) -> bool + Send + Sync + 'static,
    ) -> Self {
        let named = Named { name: name.into(), about: about.into() };
        self.phases.push(Phase { named, holds: Arc::new(holds), open: None, led: None });
        self
    }

    /// Says where the phase that was named last never holds without a leader.
    #[must_use]
    pub fn led(mut self, on: impl Fn(&P, Ring) -> bool + Send + Sync + 'static) -> Self {
        if let Some(phase) = self.phases.last_mut() {
            phase.led = Some(Arc::new(on));
        }
        self
    }

    /// A set on the way to safety that is not closed, with what it can tell apart.
    #[must_use]
    pub fn open_phase(
        mut self,
        name: impl Into<Text>,
        about: impl Into<Text>,
        holds: impl Fn(&P, &[P::State]) -> bool + Send + Sync + 'static,
        differ: impl Fn(&P::State, &P::State) -> bool + Send + Sync + 'static,
    ) -> Self {
        self = self.phase(name, about, holds);
        if let Some(phase) = self.phases.last_mut() {
            phase.open = Some(Arc::new(move |_, a, b| differ(a, b)));
        }
        self
    }

    /// Something that an interaction may do.
    #[must_use]
    pub fn event(
        mut self,
        name: impl Into<Text>,
        about: impl Into<Text>,
        occurs: impl Fn(&P, [&P::State; 2], [&P::State; 2]) -> bool + Send + Sync + 'static,
    ) -> Self {
        let named = Named { name: name.into(), about: about.into() };
        self.events.push(Event { named, occurs: Arc::new(occurs) });
        self
    }

    /// From where it promises to become safe, if not from everywhere.
    #[must_use]
    pub fn promise(
        mut self,
        name: impl Into<Text>,
        holds: impl Fn(&P, &[P::State]) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.promise = Some(Promise { name: name.into(), holds: Arc::new(holds) });
        self
    }

    /// The parameters of an explicit check, given those that the user named.
    #[must_use]
    pub fn smallest(mut self, smallest: impl Fn(Ring, &Params) -> Params + Send + Sync + 'static) -> Self {
        self.smallest = Arc::new(smallest);
        self
    }

    /// What the safe set is called among the phases: its own name, unless another phase has it.
    #[must_use]
    pub fn safe_phase(&self) -> Text {
        let taken = self.phases.iter().any(|phase| phase.named.name == self.about.safe)
            || (self.about.elects && LEADER_PHASES.contains(&&*self.about.safe));
        if taken { format!("safe ({})", self.about.safe).into() } else { self.about.safe.clone() }
    }

    /// Refuses names that would be ambiguous or unreadable in a table, a file or on the command line.
    ///
    /// # Errors
    /// The first such name.
    pub fn check_names(&self) -> Result<(), Error> {
        let About { name, case, safe, parameters, .. } = &self.about;
        let starts: Vec<&Text> = self.starts.iter().map(|start| &start.named.name).collect();
        let events: Vec<&Text> = self.events.iter().map(|event| &event.named.name).collect();
        let (leaders, safe_phase) = (LEADER_PHASES.map(Text::from), self.safe_phase());
        let mut phases: Vec<&Text> = leaders.iter().filter(|_| self.about.elects).collect();
        phases.extend(self.phases.iter().map(|phase| &phase.named.name));
        check_items("name", &[name])?;
        check_words("start", &starts)?;
        check_words("parameter", &parameters.iter().map(|parameter| &parameter.name).collect::<Vec<_>>())?;
        check_lines("case", &[case])?;
        check_lines("safe set", &[safe])?;
        check_items("event", &events)?;
        check_items("phase", &phases)?;
        // Whoever waits for one of them names it, and nothing else.
        check_lines("event or phase", &[events, phases, vec![&safe_phase]].concat())
    }
}

/// Names that are typed on a command line or stand in a list.
pub(crate) fn check_words(kind: &str, names: &[&Text]) -> Result<(), Error> {
    let is_word = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    check(kind, names, is_word, "it must be a word of letters, digits, - and _")
}

/// Names that head a column or stand in a row.
fn check_lines(kind: &str, names: &[&Text]) -> Result<(), Error> {
    check(kind, names, is_line, "it must be one line of text, without spaces at its ends")
}

/// Names of which there may be a list, with commas between them.
fn check_items(kind: &str, names: &[&Text]) -> Result<(), Error> {
    let is_item = |name: &str| is_line(name) && !name.contains(',');
    check(kind, names, is_item, "it must be one line of text, without commas and without spaces at its ends")
}

fn is_line(name: &str) -> bool {
    name.trim() == name && !name.contains(char::is_control)
}

fn check(kind: &str, names: &[&Text], fits: fn(&str) -> bool, allowed: &str) -> Result<(), Error> {
    let mut known = BTreeSet::new();
    for name in names {
        let refuse = |why| Err(Error::new(format!("protocol, {kind}"), name, why));
        if name.is_empty() || !fits(name) {
            return refuse(allowed);
        }
        if !known.insert(name) {
            return refuse("another one has that name");
        }
    }
    Ok(())
}

/// The phases of every protocol that elects a leader.
pub const LEADER_PHASES: [&str; 3] = ["first leader", "one leader", "last leader killed"];

fn turned<P: Protocol>(protocol: &P, from: [&P::State; 2], to: [&P::State; 2]) -> bool {
    (0..2).any(|k| !protocol.is_leader(from[k]) && protocol.is_leader(to[k]))
}

/// The events of every protocol that elects a leader.
fn leader_events<P: Protocol>() -> Vec<Event<P>> {
    let created = Named { name: "leader created".into(), about: "an agent becomes a leader".into() };
    let killed = Named { name: "leader killed".into(), about: "a leader ceases to be one".into() };
    vec![
        Event { named: created, occurs: Arc::new(turned::<P>) },
        Event { named: killed, occurs: Arc::new(|protocol, before, after| turned(protocol, after, before)) },
    ]
}

/// The set in which a run stops where no safe set is declared.
const SILENT: &str = "silent";

const OUTPUT_CHANGED: &str = "output changed";

/// The event of every other protocol.
fn output_changed<P: Protocol>() -> Event<P> {
    let named = Named { name: OUTPUT_CHANGED.into(), about: "the output of an agent changes".into() };
    let occurs = |protocol: &P, before: [&P::State; 2], after: [&P::State; 2]| {
        (0..2).any(|k| protocol.output(before[k]) != protocol.output(after[k]))
    };
    Event { named, occurs: Arc::new(occurs) }
}
