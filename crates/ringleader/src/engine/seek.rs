//! To the next event: the first step at which something happens that somebody wants to see.
//!
//! A event is told from the two agents of an interaction, so it is looked for at every step. Open phases are looked at when an
//! interaction changed something that they can tell apart. Closed sets are looked at once at the end, and the step at which they
//! were entered is found by bisection; if that was before everything else, the run goes back to it.

use crate::engine::hitting::first_in;
use crate::engine::stepper::{Halt, Stepper};
use crate::protocol::{Event, Phase, PhaseKind, Protocol};
use crate::schedule::Schedule;

/// Where a search ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// After how many interactions.
    pub steps: u64,
    /// What happened in the last of them: events, open phases and closed sets, by name; nothing if the steps were over.
    pub names: Vec<&'static str>,
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
pub fn seek<P: Protocol, S: Schedule>(stepper: &mut Stepper<P, S>, steps: u64, wanted: &[&str]) -> Result<Found, Halt> {
    let before = stepper.clone();
    let events: Vec<Event<P>> = P::events().into_iter().filter(|h| wanted.contains(&h.name)).collect();
    let (mut open, closed) = goals(stepper, wanted);
    let (mut names, mut ended) = (Vec::new(), Ok(()));
    while stepper.steps - before.steps < steps && names.is_empty() && ended.is_ok() {
        ended = step(stepper, &events, &mut open).map(|seen| names = seen);
    }
    let run = stepper.steps - before.steps;
    let holds = |goal: &&Goal<P>| (goal.phase.holds)(&stepper.protocol, &stepper.config);
    let entered: Vec<(u64, &'static str)> =
        closed.iter().filter(holds).map(|goal| (first_in(&before, run, goal.phase.holds), goal.phase.name)).collect();
    let Some(exact) = entered.iter().map(|(exact, _)| *exact).min() else {
        return ended.map(|()| Found { steps: run, names });
    };
    if exact < run || ended.is_err() {
        names.clear();
        *stepper = before.clone();
        stepper.advance(exact)?;
    }
    names.extend(entered.into_iter().filter(|(step, _)| *step == exact).map(|(_, name)| name));
    Ok(Found { steps: exact, names })
}

/// The wanted sets, open and closed; of the closed ones only those that can still be entered.
fn goals<P: Protocol, S>(stepper: &Stepper<P, S>, wanted: &[&str]) -> (Vec<Goal<P>>, Vec<Goal<P>>) {
    let safe = Phase { name: P::ABOUT.safe, about: "", holds: P::is_safe, kind: PhaseKind::Closed };
    let phases = P::phases().into_iter().chain([safe]).filter(|phase| wanted.contains(&phase.name));
    let goal = |phase: Phase<P>| Goal { inside: (phase.holds)(&stepper.protocol, &stepper.config), phase };
    let (open, closed): (Vec<Goal<P>>, Vec<Goal<P>>) =
        phases.map(goal).partition(|goal| matches!(goal.phase.kind, PhaseKind::Open(_)));
    (open, closed.into_iter().filter(|goal| !goal.inside).collect())
}

/// One interaction; what it did.
#[inline]
fn step<P: Protocol, S: Schedule>(
    stepper: &mut Stepper<P, S>,
    events: &[Event<P>],
    open: &mut [Goal<P>],
) -> Result<Vec<&'static str>, Halt> {
    let (mut names, mut woken) = (Vec::new(), false);
    let look = |protocol: &P, before: [P::State; 2], after: [&P::State; 2]| {
        let before = [&before[0], &before[1]];
        names.extend(events.iter().filter(|h| (h.occurs)(protocol, before, after)).map(|h| h.name));
        woken = open.iter().any(|goal| match goal.phase.kind {
            PhaseKind::Open(differ) => differ(before[0], after[0]) || differ(before[1], after[1]),
            PhaseKind::Closed => false,
        });
    };
    stepper.step(|_, [l, r]| [*l, *r], look)?;
    if woken {
        names.extend(open.iter_mut().filter_map(|goal| goal.entered(stepper)));
    }
    Ok(names)
}

impl<P: Protocol> Goal<P> {
    /// Looks again; the name of the set if it was entered.
    fn entered<S>(&mut self, stepper: &Stepper<P, S>) -> Option<&'static str> {
        let inside = (self.phase.holds)(&stepper.protocol, &stepper.config);
        let was_inside = std::mem::replace(&mut self.inside, inside);
        (inside && !was_inside).then_some(self.phase.name)
    }
}
