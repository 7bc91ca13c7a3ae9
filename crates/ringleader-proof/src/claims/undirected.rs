//! P_OR and P_CL: their closed safe sets, and the lemmas of Section 5 and Appendix B.

use ringleader::circuit::Bit;
use ringleader::error::Error;
use ringleader::protocol::{Params, Protocol};
use ringleader::protocols::pcl::{self, Pcl};
use ringleader::protocols::por::{self, Por};
use ringleader::ring::{Interaction, Ring};

use super::{About, Claim, Closed, closed, unconfirmed, unless};
use crate::bits::{Lit, all, any};
use crate::court::{Court, Finding, Verdict};
use crate::machine::{Config, Machine};
use crate::play::{Play, follow, follow_with, ring_of, start_of, witness, witness_with};
use crate::sets::undirected::{PclSets, PorSets};

const ORIENTED: Claim = Claim {
    name: "por-oriented",
    place: "Section 5",
    says: "with 16 colours and a right memory, oriented configurations stay so and no dir changes",
    about: About::N,
    canary: false,
    quick: [(3, 12), (2, 2)],
    decide: |court, point| oriented(court, point.n),
};

const RED_FREE: Claim = Claim {
    name: "pcl-red-free",
    place: "Appendix B",
    says: "with 16 colours, red-free configurations stay red-free and no colour changes, whatever the coins",
    decide: |court, point| pcl_closed(court, point.n, true),
    ..ORIENTED
};

pub(super) fn claims() -> Vec<Claim> {
    let of_por = vec![
        ORIENTED,
        Claim {
            name: "obstacle",
            place: "Lemma obstacle",
            says: "an agent becomes an obstacle only when it loses a head-to-head interaction and its segment disappears",
            quick: [(3, 8), (2, 2)],
            decide: |court, point| obstacle(court, point.n),
            ..ORIENTED
        },
        Claim {
            name: "disappear",
            place: "Claim disappear",
            says: "without obstacles seq'_R(0,n)^2 seq'_L(0,n)^2 leaves fewer segments, or the ring is oriented",
            quick: [(3, 5), (2, 2)],
            decide: |court, point| disappear(court, point.n, 2),
            ..ORIENTED
        },
        Claim {
            name: "disappear-once",
            place: "Claim disappear",
            says: "so does seq'_R(0,n) seq'_L(0,n) (the paper does not say so)",
            canary: true,
            quick: [(3, 6), (2, 2)],
            decide: |court, point| disappear(court, point.n, 1),
            ..ORIENTED
        },
        Claim {
            name: "por-convergence",
            place: "Theorem ssro",
            says: "words orient every configuration with right inputs, so that it is oriented with probability 1",
            quick: [(3, 5), (2, 2)],
            decide: |court, point| por_converges(court, point.n),
            ..ORIENTED
        },
    ];
    let of_pcl = vec![
        RED_FREE,
        Claim {
            name: "pcl-two-hop-closed",
            says: "two-hop colourings stay as they are whatever the stamps (the paper does not say so)",
            canary: true,
            quick: [(3, 5), (2, 2)],
            decide: |court, point| pcl_closed(court, point.n, false),
            ..RED_FREE
        },
        Claim {
            name: "red_increase",
            place: "Lemma red_increase",
            says: "a blue agent becomes red only when a stamp conflict is detected",
            quick: [(3, 8), (2, 2)],
            decide: |court, point| reddens(court, point.n, false),
            ..RED_FREE
        },
        Claim {
            name: "recolour",
            place: "Theorem two-hop",
            says: "if a recolouring makes no colour conflict, both agents become blue and no blue agent becomes red",
            quick: [(3, 8), (2, 2)],
            decide: |court, point| reddens(court, point.n, true),
            ..RED_FREE
        },
        Claim {
            name: "red_decrease",
            place: "Lemma red_decrease",
            says: "if u_0 and u_2 have the same colour, one of (u_0,u_1) (u_1,u_2) (u_0,u_1) detects a stamp conflict",
            quick: [(3, 8), (2, 2)],
            decide: |court, point| red_decrease(court, point.n),
            ..RED_FREE
        },
    ];
    [of_por, of_pcl].concat()
}

/// A protocol with 16 colours on a ring, with its machine.
struct Lab<P: Protocol> {
    ring: Ring,
    protocol: P,
    machine: Machine<P::State>,
}

impl<P: Protocol<State: Default>> Lab<P> {
    fn new(n: usize) -> Result<Self, Error> {
        let ring = ring_of::<P>(n)?;
        let protocol = P::new(ring, &Params::default())?;
        let machine = Machine::of(&protocol).ok_or_else(|| Error::new("n", n, "no circuit for it"))?;
        Ok(Self { ring, protocol, machine })
    }

    fn play(&self) -> Play<'_, P::State> {
        Play::new(&self.machine, self.ring.n(), |_, _| {})
    }

    /// A failure with this case, if the clear form agrees.
    fn fails(&self, agrees: bool, start: &[P::State], step: (&[Interaction], u64), shows: &str) -> Finding {
        if !agrees {
            return unconfirmed();
        }
        let witness = witness_with(&self.protocol, start, step, shows.to_owned());
        Finding { witness: Some(witness), ..Finding::plain(Verdict::Fails) }
    }
}

fn oriented(court: &mut Court<'_>, n: usize) -> Result<Finding, Error> {
    let lab = Lab::<Por>::new(n)?;
    let sets = PorSets(&lab.machine);
    let set = Closed {
        inside: &|config| sets.inputs_right(config) & sets.oriented(config),
        program: &|config: &[por::State]| por::inputs_right(config) && por::oriented(config).is_some(),
        still: &["color", "dir"],
    };
    Ok(closed(court, (&lab.protocol, lab.ring), &lab.play(), &set))
}

/// By `e_0` in both directions, which stand for all interactions by rotation.
fn obstacle(court: &mut Court<'_>, n: usize) -> Result<Finding, Error> {
    let lab = Lab::<Por>::new(n)?;
    let (sets, play) = (PorSets(&lab.machine), lab.play());
    let ways = [lab.ring.e(0), lab.ring.e(0).reversed()];
    let wrong = any(ways.map(|e| {
        let (now, next) = (&play.now, play.after(e, &[]));
        let turned = |i: usize| sets.right(now, i) ^ sets.right(&next, i);
        let lost = |i: usize| turned(i) & sets.alone(now, i);
        any((0..n).map(|i| sets.obstacle(&next, i) & !sets.obstacle(now, i) & !lost(i)))
    }));
    let asked = [sets.inputs_right(&play.now), sets.all_point(&play.now), wrong];
    Ok(unless(court.ask(&asked, &play.demands), |model| {
        let start = start_of(&play, model);
        let segments = por::segments(&start);
        let was_alone = |i: usize| segments.iter().any(|one| one.length == 1 && one.head == Some(i));
        let wrong = |e: &&Interaction| {
            let next = follow(&lab.protocol, &start, &[**e]);
            let fresh = |i: &&usize| !por::obstacles(&start).contains(i);
            let lost = |i: usize| next[i].dir != start[i].dir && was_alone(i);
            por::obstacles(&next).iter().filter(fresh).any(|&i| !lost(i))
        };
        let found = ways.iter().find(wrong);
        lab.fails(
            found.is_some(),
            &start,
            (&[*found.unwrap_or(&ways[0])], 0),
            "a new obstacle that has not lost its segment",
        )
    }))
}

/// seq'_R(0,n)^times seq'_L(0,n)^times of Section 5: the initiator is the agent behind.
fn sweeps(ring: Ring, times: usize) -> Vec<Interaction> {
    let left: Vec<Interaction> = ring.seq_l(0, ring.n()).into_iter().map(Interaction::reversed).collect();
    [ring.seq_r(0, ring.n()).repeat(times), left.repeat(times)].concat()
}

/// How many of these hold, as "at least k" for k = 1, 2, ...
fn at_least(bits: impl Iterator<Item = Lit>) -> Vec<Lit> {
    let mut count: Vec<Lit> = Vec::new();
    for bit in bits {
        count.push(Lit::ZERO);
        for k in (0..count.len()).rev() {
            let before = if k == 0 { Lit::ONE } else { count[k - 1] };
            count[k] = count[k] | (bit & before);
        }
    }
    count
}

fn disappear(court: &mut Court<'_>, n: usize, times: usize) -> Result<Finding, Error> {
    let lab = Lab::<Por>::new(n)?;
    let (sets, mut play) = (PorSets(&lab.machine), lab.play());
    let word = sweeps(lab.ring, times);
    word.iter().for_each(|&e| play.interact(e));
    let start = &play.start;
    let meetings = |config: &Config<Lit>| at_least((0..n).map(|i| sets.heads_meet(config, i)));
    let fewer = any(meetings(start).into_iter().zip(meetings(&play.now)).map(|(before, after)| before & !after));
    let free = !any((0..n).map(|i| sets.obstacle(start, i)));
    let asked = [sets.inputs_right(start), sets.all_point(start), free, !sets.oriented(start), !fewer];
    Ok(unless(court.ask(&asked, &play.demands), |model| {
        let start = start_of(&play, model);
        let count = |config: &[por::State]| por::segments(config).len();
        let last = follow(&lab.protocol, &start, &word);
        let agrees = por::obstacles(&start).is_empty() && count(&last) >= count(&start);
        lab.fails(agrees, &start, (&word, 0), "no obstacle before the word, as many segments after")
    }))
}

/// A pair of heads can disappear in every second repetition, since the first clears the obstacles.
fn por_converges(court: &mut Court<'_>, n: usize) -> Result<Finding, Error> {
    let lab = Lab::<Por>::new(n)?;
    let (sets, mut play) = (PorSets(&lab.machine), lab.play());
    let word = sweeps(lab.ring, 2).repeat(1 + n / 2);
    word.iter().for_each(|&e| play.interact(e));
    let asked = [sets.inputs_right(&play.start), !sets.oriented(&play.now)];
    Ok(unless(court.ask(&asked, &play.demands), |model| {
        let start = start_of(&play, model);
        let last = follow(&lab.protocol, &start, &word);
        let agrees = por::inputs_right(&start) && por::oriented(&last).is_none();
        lab.fails(agrees, &start, (&word, 0), "not oriented after the word")
    })
    .with_note(format!("a word of {}", word.len())))
}

fn pcl_closed(court: &mut Court<'_>, n: usize, stamps: bool) -> Result<Finding, Error> {
    let lab = Lab::<Pcl>::new(n)?;
    let sets = PclSets(&lab.machine);
    let colored = |config: &[pcl::State]| pcl::two_hop_colored(&config.iter().map(|v| v.color).collect::<Vec<u16>>());
    let set = Closed {
        inside: &|config| if stamps { sets.red_free(config) } else { sets.two_hop_colored(config) },
        program: &|config: &[pcl::State]| if stamps { pcl::red_free(config) } else { colored(config) },
        still: &["color"],
    };
    Ok(closed(court, (&lab.protocol, lab.ring), &lab.play(), &set))
}

/// A blue agent becomes red by `e_0`, in either direction, without a stamp conflict; or with one, although both new colours are in no
/// colour conflict; or then one of the two stays red.
fn reddens(court: &mut Court<'_>, n: usize, recoloured: bool) -> Result<Finding, Error> {
    let lab = Lab::<Pcl>::new(n)?;
    let (sets, play) = (PclSets(&lab.machine), lab.play());
    let ways = [lab.ring.e(0), lab.ring.e(0).reversed()];
    let wrong = any(ways.map(|e| {
        let next = play.after(e, &play.coin());
        let reddens = any((0..n).map(|i| !sets.red(&play.now, i) & sets.red(&next, i)));
        if !recoloured {
            return reddens;
        }
        let clash = any([n - 2, n - 1, 0, 1].map(|i| sets.color_conflict(&next, i)));
        !clash & (reddens | sets.red(&next, 0) | sets.red(&next, 1))
    }));
    let conflict = sets.stamp_conflict(&play.now, 0);
    let asked = [wrong, conflict.negated_if(!recoloured)];
    Ok(unless(court.ask(&asked, &play.demands), |model| {
        let start = start_of(&play, model);
        let red = |config: &[pcl::State], i: usize| pcl::is_red(config, i);
        let wrong = |(e, coin): &(Interaction, u64)| {
            let next = follow_with(&lab.protocol, &start, &[*e], *coin);
            let clash = [n - 2, n - 1, 0, 1].iter().any(|&i| next[i].color == next[(i + 2) % n].color);
            let reddens = (0..n).any(|i| !red(&start, i) && red(&next, i));
            if recoloured { !clash && (reddens || red(&next, 0) || red(&next, 1)) } else { reddens }
        };
        let steps = ways.iter().flat_map(|&e| (0..256).map(move |coin| (e, coin)));
        let found = steps.into_iter().find(wrong);
        let (e, coin) = found.unwrap_or((ways[0], 0));
        lab.fails(found.is_some(), &start, (&[e], coin), "an agent is red after the interaction")
    }))
}

fn red_decrease(court: &mut Court<'_>, n: usize) -> Result<Finding, Error> {
    let lab = Lab::<Pcl>::new(n)?;
    let (sets, mut play) = (PclSets(&lab.machine), lab.play());
    let word = [lab.ring.e(0), lab.ring.e(1), lab.ring.e(0)];
    let mut unseen = vec![sets.color_conflict(&play.now, 0)];
    for e in word {
        unseen.push(!sets.stamp_conflict(&play.now, e.initiator));
        play.interact(e);
    }
    Ok(unless(court.ask(&[all(unseen)], &play.demands), |model| {
        let start = start_of(&play, model);
        let detects = |k: usize| {
            let config = follow(&lab.protocol, &start, &word[..k]);
            config[word[k].initiator].stamp_conflict(&config[word[k].responder])
        };
        let agrees = start[0].color == start[2].color && !(0..3).any(detects);
        if !agrees {
            return unconfirmed();
        }
        let witness = witness(&lab.protocol, &start, &word, "no interaction detects a stamp conflict".into());
        Finding { witness: Some(witness), ..Finding::plain(Verdict::Fails) }
    }))
}
