//! [YSM21]: its safe set is closed, and words lead into it from every configuration.

use ringleader::circuit::Bit;
use ringleader::error::Error;
use ringleader::protocol::{Params, Protocol};
use ringleader::protocols::ppl::sets::in_c_pb;
use ringleader::protocols::ysm::{self, Ysm};
use ringleader::ring::{Interaction, Ring};

use super::convergence::{battles, fewer_leaders};
use super::{About, Claim, Closed, closed, unless};
use crate::bits::{Lit, all};
use crate::court::{Court, Finding, Verdict};
use crate::machine::{Config, Machine};
use crate::play::{Play, ring_of, start_of, witness};
use crate::sets::WarSets;
use crate::table::Table;

const SAFE: Claim = Claim {
    name: "ysm-safe",
    place: "[YSM21], a reconstruction",
    says: "with N = n, one leader, right distances and C_PB are closed, and no output changes",
    about: About::N,
    canary: false,
    quick: [(3, 12), (2, 2)],
    decide: |court, point| Lab::new(point.n)?.is_closed(court, true),
};

pub(super) fn claims() -> Vec<Claim> {
    vec![
        SAFE,
        Claim {
            name: "ysm-distances",
            says: "one leader and C_PB are closed whatever the distances (the paper does not say so)",
            canary: true,
            quick: [(3, 5), (2, 2)],
            decide: |court, point| Lab::new(point.n)?.is_closed(court, false),
            ..SAFE
        },
        Claim {
            name: "ysm-convergence",
            says: "with N = n words lead into the safe set from every configuration, so that it is reached with probability 1",
            quick: [(3, 6), (2, 2)],
            decide: converges,
            ..SAFE
        },
    ]
}

/// [YSM21] with `N = n`.
struct Lab {
    ring: Ring,
    protocol: Ysm,
    machine: Machine<ysm::State>,
    war: WarSets,
    /// `dist` is this number.
    dist: Vec<Table>,
}

impl Lab {
    fn new(n: usize) -> Result<Self, Error> {
        let ring = ring_of::<Ysm>(n)?;
        let protocol = Ysm::new(ring, &Params::default().with("bound", n as u64))?;
        let machine = Machine::of(&protocol).ok_or_else(|| Error::new("n", n, "[YSM21] has no circuit for it"))?;
        let dist = (0..n).map(|d| machine.test(&["dist"], |v| v.dist as usize == d)).collect();
        Ok(Self { ring, protocol, war: WarSets::new(&machine), dist, machine })
    }

    /// The safe set with leader `u_0`, or what is left of it without the distances.
    fn inside(&self, config: &Config<Lit>, counted: bool) -> Lit {
        let right = |i: usize| if counted { self.machine.at(&self.dist[i], &config[i]) } else { Lit::ONE };
        all((0..config.len()).map(right)) & self.war.u_0_leads(config) & self.war.peace(config)
    }

    fn is_closed(&self, court: &mut Court<'_>, counted: bool) -> Result<Finding, Error> {
        let fixed: &[&str] = if counted { &["leader", "dist"] } else { &["leader"] };
        let state = |i: usize| ysm::State { leader: u8::from(i == 0), dist: i as u32, ..ysm::State::default() };
        let play = Play::new(&self.machine, self.ring.n(), |i, agent| self.machine.fix(agent, fixed, &state(i)));
        let program = |config: &[ysm::State]| {
            let counted = config.iter().enumerate().all(|(i, v)| !counted || v.dist as usize == i);
            counted && lead_by_u_0(config) && in_c_pb(config)
        };
        let set = Closed { inside: &|config| self.inside(config, counted), program: &program, still: &["leader"] };
        Ok(closed(court, (&self.protocol, self.ring), &play, &set))
    }

    /// A word makes this of every configuration in which `fix` may fix some variables.
    fn leads(&self, court: &mut Court<'_>, word: &[Interaction], question: &Question<'_>) -> Finding {
        let mut play = Play::new(&self.machine, self.ring.n(), |i, agent| (question.fix)(i, agent));
        word.iter().for_each(|&e| play.interact(e));
        let asked = [(question.from)(&play.start), !(question.to)(&play.now)];
        unless(court.ask(&asked, &play.demands), |model| {
            let start = start_of(&play, model);
            let shows = format!("the word does not lead to: {}", question.shows);
            let witness = witness(&self.protocol, &start, word, shows);
            Finding { witness: Some(witness), ..Finding::plain(Verdict::Fails) }
        })
    }
}

struct Question<'a> {
    fix: &'a dyn Fn(usize, &mut Vec<Lit>),
    from: &'a dyn Fn(&Config<Lit>) -> Lit,
    to: &'a dyn Fn(&Config<Lit>) -> Lit,
    shows: &'static str,
}

fn lead_by_u_0(config: &[ysm::State]) -> bool {
    config.iter().enumerate().all(|(i, v)| (v.leader == 1) == (i == 0))
}

/// Three rounds lead into C_PB, battles then leave fewer leaders and create none, and one round more is enough for the
/// distances.
fn converges(court: &mut Court<'_>, point: super::Point) -> Result<Finding, Error> {
    let lab = Lab::new(point.n)?;
    let around = lab.ring.seq_r(0, point.n);
    let leader = ysm::State { leader: 1, ..ysm::State::default() };
    let alone = |i: usize, agent: &mut Vec<Lit>| {
        lab.machine.fix(agent, &["leader"], &ysm::State { leader: u8::from(i == 0), ..leader });
    };
    let c_pb = Question { fix: &|_, _| {}, from: &|_| Lit::ONE, to: &|config| lab.war.c_pb(config), shows: "C_PB" };
    let safe = Question {
        fix: &alone,
        from: &|config| lab.war.peace(config),
        to: &|config| lab.inside(config, true),
        shows: "the safe set",
    };
    // e_{n-1} first, so that u_0.dist = 0 and no count reaches N.
    let words: Vec<Vec<Interaction>> =
        battles(lab.ring).into_iter().map(|word| [vec![lab.ring.e(point.n - 1)], word].concat()).collect();
    let steps = [
        ("C_PB", lab.leads(court, &around.repeat(3), &c_pb)),
        ("fewer", fewer_leaders(court, (&lab.protocol, lab.ring), (&lab.machine, &leader), &words)),
        ("distances", lab.leads(court, &[vec![lab.ring.e(point.n - 1)], around].concat(), &safe)),
    ];
    let failed = steps.into_iter().find(|(_, found)| found.verdict != Verdict::Holds);
    Ok(failed.map_or(Finding::plain(Verdict::Holds), |(name, found)| found.with_note(format!("step {name}"))))
}
