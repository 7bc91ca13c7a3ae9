//! To the next event: the first step at which something happens that somebody wants to see.
//!
//! An event is told from the two agents of an interaction, so it is looked for at every step. Open phases are looked at when an
//! interaction changed something that they can tell apart. Closed sets are looked at once at the end, and the step at which they
//! were entered is found by bisection; if that was before everything else, the run goes back to it.

use std::sync::Arc;

use crate::blueprint::{Blueprint, Event, Named, Phase};
use crate::engine::hitting::first_in;
use crate::engine::stepper::{Halt, Stepper};
use crate::observer::Pace;
use crate::protocol::Protocol;
use crate::schedule::Schedule;
use crate::value::Text;

/// Where a search ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// After how many interactions.
    pub steps: u64,
    /// What happened in the last of them: events, open phases and closed sets, by name; nothing if the steps were over.
    pub names: Vec<Text>,
}

/// A set that may be entered.
struct Goal<P: Protocol> {
    phase: Phase<P>,
    inside: bool,
}

/// Runs to the first step with something wanted, or for `steps` interactions.
///
/// # Errors
/// If the schedule ends before.
pub fn seek<P: Protocol, S: Schedule>(
    stepper: &mut Stepper<P, S>,
    blueprint: &Blueprint<P>,
    steps: u64,
    wanted: &[Text],
) -> Result<Found, Halt> {
    let before = stepper.clone();
    let events: Vec<&Event<P>> = blueprint.events.iter().filter(|event| wanted.contains(&event.named.name)).collect();
    let (mut open, closed) = goals(stepper, blueprint, wanted);
    let (mut names, mut ended) = (Vec::new(), Ok(()));
    while stepper.steps - before.steps < steps && names.is_empty() && ended.is_ok() {
        ended = step(stepper, &events, &mut open).map(|seen| names = seen);
    }
    let run = stepper.steps - before.steps;
    let holds = |goal: &&Goal<P>| (goal.phase.holds)(&stepper.protocol, &stepper.config);
    let first = |goal: &Goal<P>| first_in(&before, run, &*goal.phase.holds, &mut Pace::new(&()));
    let entered = closed.iter().filter(holds).map(|goal| Ok((first(goal)?, &goal.phase.named.name)));
    let entered: Vec<(u64, &Text)> = entered.collect::<Result<_, Halt>>()?;
    let Some(exact) = entered.iter().map(|(exact, _)| *exact).min() else {
        return ended.map(|()| Found { steps: run, names });
    };
    if exact < run || ended.is_err() {
        names.clear();
        *stepper = before.clone();
        stepper.advance(exact)?;
    }
    names.extend(entered.into_iter().filter(|(step, _)| *step == exact).map(|(_, name)| name.clone()));
    Ok(Found { steps: exact, names })
}

/// The wanted sets, open and closed; of the closed ones only those that can still be entered.
fn goals<P: Protocol, S>(
    stepper: &Stepper<P, S>,
    blueprint: &Blueprint<P>,
    wanted: &[Text],
) -> (Vec<Goal<P>>, Vec<Goal<P>>) {
    let named = Named { name: blueprint.safe_phase(), about: Text::default() };
    let safe = Phase { named, holds: Arc::new(P::is_safe), open: None, led: None };
    let phases = blueprint.phases.iter().cloned().chain([safe]).filter(|phase| wanted.contains(&phase.named.name));
    let goal = |phase: Phase<P>| Goal { inside: (phase.holds)(&stepper.protocol, &stepper.config), phase };
    let (open, closed): (Vec<Goal<P>>, Vec<Goal<P>>) = phases.map(goal).partition(|goal| goal.phase.open.is_some());
    (open, closed.into_iter().filter(|goal| !goal.inside).collect())
}

/// One interaction; what it did.
#[inline]
fn step<P: Protocol, S: Schedule>(
    stepper: &mut Stepper<P, S>,
    events: &[&Event<P>],
    open: &mut [Goal<P>],
) -> Result<Vec<Text>, Halt> {
    let (mut names, mut woken) = (Vec::new(), false);
    stepper.step_closely(&mut |protocol, before, after| {
        let occurred = events.iter().filter(|event| (event.occurs)(protocol, before, after));
        names.extend(occurred.map(|event| event.named.name.clone()));
        woken = open.iter().any(|goal| goal.phase.may_differ(protocol, before, after));
    })?;
    if woken {
        names.extend(open.iter_mut().filter_map(|goal| goal.entered(stepper)));
    }
    Ok(names)
}

impl<P: Protocol> Goal<P> {
    /// Looks again; the name of the set if it was entered.
    fn entered<S>(&mut self, stepper: &Stepper<P, S>) -> Option<Text> {
        let inside = (self.phase.holds)(&stepper.protocol, &stepper.config);
        let was_inside = std::mem::replace(&mut self.inside, inside);
        (inside && !was_inside).then(|| self.phase.named.name.clone())
    }
}
