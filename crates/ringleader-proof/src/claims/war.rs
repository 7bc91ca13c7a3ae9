//! The lemmas of Section 4.1 and 4.2 on bullets.
//!
//! Of everything outside *EliminateLeaders* the war sees only whether a leader is created at r, which may happen or not unless l is a leader
//! (then r is in construction mode); that is so for every psi and kappa_max, so one of each stands for all.

use ringleader::circuit::Bit;
use ringleader::error::Error;
use ringleader::protocols::ppl::Sets;
use ringleader::ring::Interaction;

use super::{About, Claim, Lab, Point, unconfirmed, unless};
use crate::bits::{Lit, any};
use crate::court::{Court, Finding, Ruling, Verdict};
use crate::machine::Config;
use crate::play::{Play, follow, start_of, witness};
use crate::sets::PplSets;

const CLOSED: Claim = Claim {
    name: "cpb_closed",
    place: "Lemma cpb_closed",
    says: "C_PB is closed",
    about: About::N,
    canary: false,
    quick: [(3, 12), (2, 2)],
    decide: |court, point| one_step(court, point, cpb_left, &|before, after, _| before.in_c_pb() && !after.in_c_pb()),
};

pub(super) fn claims() -> Vec<Claim> {
    vec![
        CLOSED,
        Claim {
            name: "never_kill",
            place: "Lemma never_kill",
            says: "if there is one leader, a peaceful bullet never kills it",
            decide: |court, point| one_step(court, point, killed, &killed_indeed),
            ..CLOSED
        },
        Claim {
            name: "new_live_bullet",
            place: "Lemma new_live_bullet",
            says: "every newly fired live bullet is peaceful",
            decide: |court, point| {
                one_step(court, point, new_unpeaceful, &|_, after, e| unpeaceful(after, e.responder))
            },
            ..CLOSED
        },
        Claim {
            name: "once_peaceful",
            place: "Lemma once_peaceful",
            says: "a peaceful bullet never becomes non-peaceful",
            decide: |court, point| one_step(court, point, peace_lost, &peace_lost_indeed),
            ..CLOSED
        },
        Claim {
            name: "get_peaceful",
            place: "Lemma get_peaceful",
            says: "after seq_R(0,n)^2 every live bullet is peaceful, from every configuration",
            quick: [(3, 6), (2, 2)],
            decide: |court, point| get_peaceful(court, point, 2),
            ..CLOSED
        },
        Claim {
            name: "get_peaceful-once",
            place: "Lemma get_peaceful",
            says: "one seq_R(0,n) is enough for that (the paper does not say so)",
            canary: true,
            quick: [(3, 5), (2, 2)],
            decide: |court, point| get_peaceful(court, point, 1),
            ..CLOSED
        },
    ]
}

/// A violation by `e_0`, which stands for all interactions by rotation.
type Violation = fn(&PplSets, &Config<Lit>, &Config<Lit>) -> Lit;
type Confirm<'a> = &'a dyn Fn(Sets<'_>, Sets<'_>, Interaction) -> bool;

fn one_step(court: &mut Court<'_>, point: Point, violated: Violation, confirm: Confirm<'_>) -> Result<Finding, Error> {
    let lab = Lab::<false>::new(point)?;
    let sets = PplSets::new(&lab.machine, point.n, point.psi);
    let play = Play::new(&lab.machine, point.n, |_, _| {});
    let e = lab.ring.e(0);
    let ruling = court.ask(&[violated(&sets, &play.now, &play.after(e, &[]))], &play.demands);
    Ok(unless(ruling, |model| {
        let start = start_of(&play, model);
        let next = follow(&lab.protocol, &start, &[e]);
        if !confirm(lab.protocol.sets(&start), lab.protocol.sets(&next), e) {
            return unconfirmed();
        }
        let witness = witness(&lab.protocol, &start, &[e], "violated by e_0".into());
        Finding { witness: Some(witness), ..Finding::plain(Verdict::Fails) }
    }))
}

fn cpb_left(sets: &PplSets, before: &Config<Lit>, after: &Config<Lit>) -> Lit {
    sets.war.c_pb(before) & !sets.war.c_pb(after)
}

/// `u_1` is the only leader, `u_0` holds a peaceful bullet, and `u_1` is killed.
fn killed(sets: &PplSets, before: &Config<Lit>, after: &Config<Lit>) -> Lit {
    let war = &sets.war;
    let others = any((0..before.len()).filter(|&i| i != 1).map(|i| war.leader(&before[i])));
    let peaceful = war.live(&before[0]) & war.peaceful(before)[0];
    war.leader(&before[1]) & !others & peaceful & !war.leader(&after[1])
}

fn killed_indeed(before: Sets<'_>, after: Sets<'_>, _: Interaction) -> bool {
    before.leaders() == [1] && before.at(0).bullet == 2 && before.peaceful(0) && after.leaders().is_empty()
}

fn unpeaceful(sets: Sets<'_>, i: usize) -> bool {
    sets.at(i).bullet == 2 && !sets.peaceful(i)
}

/// After `e_0` a live bullet is at `u_1` that was at neither agent before: it was fired by `u_0` (Line 52, and moved at once), or with
/// the leader that was created at `u_1` (Lines 6 and 20).
fn new_unpeaceful(sets: &PplSets, before: &Config<Lit>, after: &Config<Lit>) -> Lit {
    let war = &sets.war;
    let fires = war.leader(&before[0]) & war.signal_b(&before[0]);
    let created = !war.leader(&before[1]) & war.leader(&after[1]);
    let fresh = created | (!war.live(&before[1]) & (!war.live(&before[0]) | fires));
    fresh & war.live(&after[1]) & !war.peaceful(after)[1]
}

/// Where a live bullet of `u_i` is after `e_0`: `u_0`'s moves to `u_1` or vanishes, the others stay (or `u_1`'s is fired anew).
fn peace_lost(sets: &PplSets, before: &Config<Lit>, after: &Config<Lit>) -> Lit {
    let war = &sets.war;
    let (peaceful, then) = (war.peaceful(before), war.peaceful(after));
    any((0..before.len()).map(|i| {
        let to = i.max(1);
        let moved = if i == 0 { !war.live(&before[1]) } else { Lit::ONE };
        war.live(&before[i]) & peaceful[i] & moved & war.live(&after[to]) & !then[to]
    }))
}

fn peace_lost_indeed(before: Sets<'_>, after: Sets<'_>, _: Interaction) -> bool {
    (0..before.config().len()).any(|i| before.at(i).bullet == 2 && before.peaceful(i) && unpeaceful(after, i.max(1)))
}

/// Everything that *EliminateLeaders* does not see.
pub(super) const OUTSIDE_WAR: [&str; 9] = ["b", "dist", "last", "tokenB", "tokenW", "mode", "clock", "signalR", "hits"];

/// First with leaders created wherever that is conceivable, which covers every psi and kappa_max; if that fails, in P_PL itself.
fn get_peaceful(court: &mut Court<'_>, point: Point, times: usize) -> Result<Finding, Error> {
    let lab = Lab::<false>::new(point)?;
    let sets = PplSets::new(&lab.machine, point.n, point.psi);
    let word = lab.ring.seq_r(0, point.n).repeat(times);
    let mut whatever = Play::new(&lab.machine, point.n, |_, _| {});
    for &e in &word {
        whatever.forget(&[e.initiator, e.responder], &OUTSIDE_WAR);
        whatever.interact(e);
    }
    if let Ruling::Never = court.ask(&[!sets.war.peace(&whatever.now)], &whatever.demands) {
        return Ok(Finding::plain(Verdict::Holds).with_note("whatever creates leaders"));
    }
    let mut play = Play::new(&lab.machine, point.n, |_, _| {});
    word.iter().for_each(|&e| play.interact(e));
    let ruling = court.ask(&[!sets.war.peace(&play.now)], &play.demands);
    Ok(unless(ruling, |model| {
        let start = start_of(&play, model);
        let last = follow(&lab.protocol, &start, &word);
        let Some(i) = (0..point.n).find(|&i| unpeaceful(lab.protocol.sets(&last), i)) else { return unconfirmed() };
        let witness =
            witness(&lab.protocol, &start, &word, format!("u_{i} ends with a live bullet that is not peaceful"));
        Finding { witness: Some(witness), ..Finding::plain(Verdict::Fails) }
    }))
}
