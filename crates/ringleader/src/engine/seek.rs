//! To the next event: the first step at which something happens that somebody wants to see.
//!
//! A happening is told from the two agents of an interaction, so it is looked for at every step. Open phases are looked at when an
//! interaction changed something that they can tell apart. Closed sets are looked at once at the end, and the step at which they
//! were entered is found by bisection; if that was before everything else, the run goes back to it.

use crate::engine::hitting::first_in;
use crate::engine::stepper::{Halt, Stepper};
use crate::protocol::{Happening, Phase, PhaseKind, Protocol};
use crate::schedule::Schedule;

/// Where a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// After how many interactions.
    pub steps: u64,
    /// What happened in the last of them: a happening, a phase or the safe set, by name; `None` if nothing did.
    pub name: Option<&'static str>,
}

/// A set that may be entered.
struct Goal<P: Protocol> {
    phase: Phase<P>,
    inside: bool,
}

/// Runs to the first step with something wanted, or for `steps` interactions. If an interaction does several things, the first
/// in the order of happenings, open phases and closed sets counts.
///
/// # Errors
/// If the schedule ends.
pub fn seek<P: Protocol, S: Schedule>(stepper: &mut Stepper<P, S>, steps: u64, wanted: &[&str]) -> Result<Found, Halt> {
    let before = stepper.clone();
    let mut name = None;
    let happenings: Vec<Happening<P>> = P::happenings().into_iter().filter(|h| wanted.contains(&h.name)).collect();
    let (mut open, closed) = goals(stepper, wanted);
    while stepper.steps - before.steps < steps && name.is_none() {
        name = step(stepper, &happenings, &mut open)?;
    }
    let run = stepper.steps - before.steps;
    let holds = |goal: &&Goal<P>| (goal.phase.holds)(&stepper.protocol, &stepper.config);
    let entered = closed.iter().filter(holds).map(|goal| (first_in(&before, run, goal.phase.holds), goal.phase.name));
    if let Some((exact, set)) = entered.min_by_key(|(exact, _)| *exact)
        && (exact < run || name.is_none())
    {
        *stepper = before.clone();
        stepper.advance(exact)?;
        name = Some(set);
    }
    Ok(Found { steps: stepper.steps - before.steps, name })
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
    happenings: &[Happening<P>],
    open: &mut [Goal<P>],
) -> Result<Option<&'static str>, Halt> {
    let (mut name, mut woken) = (None, false);
    let look = |protocol: &P, before: [P::State; 2], after: [&P::State; 2]| {
        let before = [&before[0], &before[1]];
        name = happenings.iter().find(|h| (h.occurs)(protocol, before, after)).map(|h| h.name);
        woken = open.iter().any(|goal| match goal.phase.kind {
            PhaseKind::Open(differ) => differ(before[0], after[0]) || differ(before[1], after[1]),
            PhaseKind::Closed => false,
        });
    };
    stepper.step(|_, [l, r]| [*l, *r], look)?;
    let entered = if woken { enter(stepper, open) } else { None };
    Ok(name.or(entered))
}

/// Looks at the open sets again; the first that was entered.
fn enter<P: Protocol, S>(stepper: &Stepper<P, S>, open: &mut [Goal<P>]) -> Option<&'static str> {
    let mut entered = None;
    for goal in open {
        let inside = (goal.phase.holds)(&stepper.protocol, &stepper.config);
        if inside && !goal.inside {
            entered = entered.or(Some(goal.phase.name));
        }
        goal.inside = inside;
    }
    entered
}
