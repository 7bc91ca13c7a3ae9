//! The closed safe sets of the other protocols: YSM21, P_OR and P_CL.

use ringleader::circuit::Bit;
use ringleader::error::Error;
use ringleader::protocol::{Params, Protocol};
use ringleader::protocols::pcl::{self, Pcl, circuit::PclCircuit};
use ringleader::protocols::por::{self, Por, circuit::PorCircuit};
use ringleader::protocols::ysm::{self, Ysm, circuit::YsmCircuit};
use ringleader::ring::Ring;

use super::{About, Claim, unconfirmed, unless};
use crate::bits::{Lit, all, any, same};
use crate::court::{Court, Finding, Verdict};
use crate::machine::{Config, Machine};
use crate::play::{Play, follow, ring_of, start_of, witness};
use crate::sets::WarSets;

const YSM: Claim = Claim {
    name: "ysm-safe",
    place: "[YSM21], a reconstruction",
    says: "with N = n, one leader, right distances and C_PB are closed, and no output changes",
    about: About::N,
    canary: false,
    quick: [(3, 12), (2, 2)],
    decide: |court, point| ysm_closed(court, point.n, point.n as u64),
};

pub(super) fn claims() -> Vec<Claim> {
    vec![
        YSM,
        Claim {
            name: "por-oriented",
            place: "Section 5",
            says: "with 16 colours and a right memory, oriented configurations stay so and no dir changes",
            decide: |court, point| por_closed(court, point.n),
            ..YSM
        },
        Claim {
            name: "pcl-red-free",
            place: "Appendix B",
            says: "with 16 colours, red-free configurations stay red-free and no colour changes, whatever the coins",
            decide: |court, point| pcl_closed(court, point.n, true),
            ..YSM
        },
        Claim {
            name: "pcl-two-hop-closed",
            place: "Appendix B",
            says: "two-hop colourings stay as they are whatever the stamps (the paper does not say so)",
            canary: true,
            quick: [(3, 5), (2, 2)],
            decide: |court, point| pcl_closed(court, point.n, false),
            ..YSM
        },
    ]
}

/// A closed set of a protocol in which some variables never change.
struct Closed<'a, S: 'static> {
    inside: &'a dyn Fn(&Config<Lit>) -> Lit,
    program: &'a dyn Fn(&[S]) -> bool,
    /// The variables that never change.
    still: &'static [&'static str],
}

fn closed<P: Protocol>(
    court: &mut Court<'_>,
    (protocol, ring): (&P, Ring),
    play: &Play<'_, P::State>,
    set: &Closed<'_, P::State>,
) -> Finding {
    let machine = play.machine;
    let left = any((0..ring.arcs()).map(|k| {
        let next = play.after(ring.arc(k), &play.coin());
        let still = all(play.now.iter().zip(&next).map(|(u, v)| machine.equal(set.still, u, v)));
        !((set.inside)(&next) & still)
    }));
    let ruling = court.ask(&[(set.inside)(&play.now), left], &play.demands);
    unless(ruling, |model| {
        let start = start_of(play, model);
        if !(set.program)(&start) {
            return unconfirmed();
        }
        let leaves = |e: &ringleader::ring::Interaction| follow(protocol, &start, std::slice::from_ref(e)) != start;
        let word: Vec<_> = (0..ring.arcs()).map(|k| ring.arc(k)).filter(leaves).take(1).collect();
        let witness = witness(protocol, &start, &word, "inside the set before, not after some interaction".into());
        Finding { witness: Some(witness), ..Finding::plain(Verdict::Fails) }
    })
}

fn ysm_closed(court: &mut Court<'_>, n: usize, bound: u64) -> Result<Finding, Error> {
    let ring = ring_of::<Ysm>(n)?;
    let ysm = Ysm::new(ring, &Params::default().with("bound", bound))?;
    let Some(circuit) = YsmCircuit::<20>::new(&ysm) else { return Ok(unconfirmed()) };
    let machine = Machine::new(ysm.variables(), circuit);
    let state = |i: usize| ysm::State { leader: u8::from(i == 0), dist: i as u32, ..ysm::State::default() };
    let play = Play::new(&machine, n, |i, agent| machine.fix(agent, &["leader", "dist"], &state(i)));
    let war = WarSets::new(&machine);
    let right: Vec<_> = (0..n).map(|i| machine.test(&["dist"], |v| v.dist as usize == i)).collect();
    let inside = |config: &Config<Lit>| {
        let counted = all((0..n).map(|i| machine.at(&right[i], &config[i])));
        counted & war.u_0_leads(config) & war.peace(config)
    };
    let set = Closed { inside: &inside, program: &|config| ysm.is_safe(config), still: &["leader"] };
    Ok(closed(court, (&ysm, ring), &play, &set))
}

fn por_closed(court: &mut Court<'_>, n: usize) -> Result<Finding, Error> {
    let ring = ring_of::<Por>(n)?;
    let por = Por::new(ring, &Params::default())?;
    let Some(circuit) = PorCircuit::<4>::new(&por) else { return Ok(unconfirmed()) };
    let machine = Machine::new(por.variables(), circuit);
    let play = Play::new(&machine, n, |_, _| {});
    let at = |name: &'static str, config: &Config<Lit>, i: usize| machine.bits(name, &config[i % n]);
    let equal = |a: &[Lit], b: &[Lit]| all(a.iter().zip(b).map(|(&a, &b)| same(a, b)));
    let inside = |config: &Config<Lit>| {
        let colour = |i: usize| at("color", config, i);
        let inputs = (0..n).map(|i| {
            let (left, right) = (colour(i + n - 1), colour(i + 1));
            let (c1, c2) = (at("c1", config, i), at("c2", config, i));
            let memory = (equal(&c1, &left) & equal(&c2, &right)) | (equal(&c1, &right) & equal(&c2, &left));
            memory & !equal(&colour(i), &colour(i + 2))
        });
        let points = |by: usize| all((0..n).map(|i| equal(&at("dir", config, i), &colour(i + by))));
        all(inputs) & (points(1) | points(n - 1))
    };
    let set =
        Closed { inside: &inside, program: &|config: &[por::State]| por.is_safe(config), still: &["color", "dir"] };
    Ok(closed(court, (&por, ring), &play, &set))
}

fn pcl_closed(court: &mut Court<'_>, n: usize, stamps: bool) -> Result<Finding, Error> {
    let ring = ring_of::<Pcl>(n)?;
    let pcl = Pcl::new(ring, &Params::default())?;
    let Some(circuit) = PclCircuit::<4>::new(&pcl) else { return Ok(unconfirmed()) };
    let machine = Machine::new(pcl.variables(), circuit);
    let play = Play::new(&machine, n, |_, _| {});
    let equal = |a: &[Lit], b: &[Lit]| all(a.iter().zip(b).map(|(&a, &b)| same(a, b)));
    let inside = |config: &Config<Lit>| {
        let at = |name: &'static str, i: usize| machine.bits(name, &config[i % n]);
        let conflict = |i: usize, j: usize| {
            let stamped = equal(&at("color", i), &at("stampC", j)) & equal(&at("stampC", i), &at("color", j));
            stamped & (at("stampB", i)[0] ^ at("stampB", j)[0])
        };
        let coloured = all((0..n).map(|i| !equal(&at("color", i), &at("color", i + 2))));
        coloured & if stamps { all((0..n).map(|i| !conflict(i, i + 1))) } else { Lit::ONE }
    };
    let program = |config: &[pcl::State]| {
        let colors: Vec<u16> = config.iter().map(|v| v.color).collect();
        if stamps { pcl::red_free(config) } else { pcl::two_hop_colored(&colors) }
    };
    let set = Closed { inside: &inside, program: &program, still: &["color"] };
    Ok(closed(court, (&pcl, ring), &play, &set))
}
