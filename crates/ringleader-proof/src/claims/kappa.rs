//! One kappa_max stands for all in what is said of one interaction: *DetermineMode* is seen through the mode of r only, and with
//! kappa_max = 1 the same modes can be had.

use ringleader::circuit::Bit;
use ringleader::error::Error;
use ringleader::protocol::{Input, Transition};
use ringleader::protocols::ppl::{self, Mode};

use super::tokens::MODES;
use super::{About, Claim, Lab, Point, unconfirmed, unless};
use crate::bits::Lit;
use crate::court::{Court, Finding, Verdict};
use crate::machine::Machine;
use crate::play::{Play, start_of, witness};

pub(super) fn claims() -> Vec<Claim> {
    vec![Claim {
        name: "one-kappa",
        place: "Algorithm 4",
        says: "what an interaction does with kappa_max = 2, 3 or 48psi to all but mode, clock, signal_R and hits, it can do with kappa_max = 1",
        about: About::Psi,
        canary: false,
        quick: [(3, 3), (2, 5)],
        decide: |court, point| {
            let kappas = [2, 3, 48 * point.psi].map(|kappa| one_kappa(court, Point { kappa, ..point }));
            let found: Result<Vec<Finding>, Error> = kappas.into_iter().collect();
            let other = found?.into_iter().find(|found| found.verdict != Verdict::Holds);
            Ok(other.unwrap_or_else(|| Finding::plain(Verdict::Holds)))
        },
    }]
}

/// The states of the same agent with kappa_max = 1: `clock` says whether r is going to detect, there is no signal and no hit.
fn with_kappa_one(machine: &Machine<ppl::State>, rest: &[&str], agent: &[Lit], detects: Lit) -> Vec<Lit> {
    let [idle, late] = [0, 1].map(|clock| machine.encode(&ppl::State { clock, ..ppl::State::default() }));
    let mut one: Vec<Lit> =
        idle.iter().zip(&late).map(|(&idle, &late)| detects.select(Lit::of(late), Lit::of(idle))).collect();
    machine.copy(rest, agent, &mut one);
    one
}

fn one_kappa(court: &mut Court<'_>, point: Point) -> Result<Finding, Error> {
    let (many, one) = (Lab::<false>::new(point)?, Lab::<false>::new(Point { kappa: 1, ..point })?);
    let rest: Vec<&str> = many.machine.names().filter(|name| !MODES.contains(name)).collect();
    let play = Play::new(&many.machine, point.n, |_, _| {});
    let next = play.after(many.ring.e(0), &[]);
    let mode = many.machine.test(&["mode"], |v| v.mode == Mode::Detect);
    let detects = many.machine.at(&mode, &next[1]);
    let mut pair = play.now[..2].iter().map(|agent| with_kappa_one(&one.machine, &rest, agent, detects)).collect();
    one.machine.interact(&mut pair, 0, 1, &[]);
    let same = |i: usize| many.machine.equal(&rest, &next[i], &pair[i]);
    let as_before = same(0) & same(1) & !(detects ^ one.machine.at(&mode, &pair[1]));
    Ok(unless(court.ask(&[!as_before], &play.demands), |model| {
        let start = start_of(&play, model);
        if agree(&many, &one, start[0], start[1]) {
            return unconfirmed();
        }
        let shows = "no clocks make e_0 do the same with kappa_max = 1".to_owned();
        let witness = witness(&many.protocol, &start, &[many.ring.e(0)], shows);
        Finding { witness: Some(witness), ..Finding::plain(Verdict::Fails) }
    }))
}

/// The same in the clear form, for one pair of states.
fn agree(many: &Lab<false>, one: &Lab<false>, mut l: ppl::State, mut r: ppl::State) -> bool {
    let (mut l_one, mut r_one) = (l, r);
    many.protocol.interact(&mut l, &mut r, Input::default());
    for v in [&mut l_one, &mut r_one] {
        (v.signal_r, v.hits, v.clock) = (0, 0, u16::from(r.mode == Mode::Detect));
    }
    one.protocol.interact(&mut l_one, &mut r_one, Input::default());
    let rest = |v: ppl::State| ppl::State { mode: Mode::Construct, clock: 0, signal_r: 0, hits: 0, ..v };
    (rest(l), rest(r), r.mode) == (rest(l_one), rest(r_one), r_one.mode)
}
