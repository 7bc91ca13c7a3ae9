//! Lemma "safe" and what is around it: S_PL is closed, and which of its conditions are needed.

use ringleader::circuit::Bit;
use ringleader::error::Error;
use ringleader::protocols::ppl::{self, BLACK, Ppl, Sets, WHITE};
use ringleader::ring::Interaction;

use super::{About, Claim, Lab, Point, unconfirmed, unless};
use crate::bits::{Lit, all, any, goes_on, implies, same};
use crate::court::{Court, Finding, Ruling, Verdict};
use crate::machine::Config;
use crate::play::{Play, follow, start_of, witness};
use crate::sets::{Condition, PplSets};

const CLOSED: Claim = Claim {
    name: "safe",
    place: "Lemma safe",
    says: "S_PL is closed, and inside it no leader is created or killed and no b changes, for every kappa_max",
    about: About::NPsi,
    canary: false,
    quick: [(3, 10), (2, 4)],
    decide: |court, point| closure(court, point, &S_PL),
};

pub(super) fn claims() -> Vec<Claim> {
    let others = [
        Claim {
            name: "safe-literal",
            says: "S_PL with S_0 the whole ring where zeta = 1 (Section 3.2) is closed as well",
            quick: [(3, 6), (2, 4)],
            decide: |court, point| closure(court, point, &LITERAL),
            ..CLOSED
        },
        Claim {
            name: "literal-trap",
            place: "Definition srl, Section 3.2",
            says: "where zeta = 1 and S_0 is the whole ring, a valid token that moves right stays for ever: S_PL is never reached",
            quick: [(3, 4), (4, 5)],
            decide: literal_trap,
            ..CLOSED
        },
        Claim {
            name: "good-creates-none",
            place: "Section 3.2, the note after Lines 16-17",
            says: "in a good configuration with one leader no token makes a leader in the first or the last segment",
            canary: true,
            quick: [(4, 8), (3, 3)],
            decide: good_creates_none,
            ..CLOSED
        },
        Claim {
            name: "safe-more",
            place: "Definition 1",
            says: "S_PL is not all of the safe configurations: agents outside the last segment may have last = 1",
            quick: [(4, 8), (2, 3)],
            decide: more,
            ..CLOSED
        },
        Claim {
            name: "safe-not-empty",
            place: "Definition srl",
            says: "S_PL has a member, which is perfect",
            quick: [(3, 12), (2, 4)],
            decide: not_empty,
            ..CLOSED
        },
        Claim {
            name: "cpb-lone-closed",
            place: "Section 4.1: \"Unfortunately, the answer is no\"",
            says: "C_PB with one leader is closed",
            canary: true,
            quick: [(3, 5), (2, 3)],
            decide: |court, point| closure(court, point, &LONE),
            ..CLOSED
        },
    ];
    let needed = NEEDED.map(|(name, says, decide)| Claim {
        name,
        place: "Definition srl",
        says,
        quick: [(7, 8), (2, 3)],
        decide,
        ..CLOSED
    });
    [&[CLOSED][..], &others, &needed].concat()
}

/// A set of configurations with leader `u_0`, as a circuit and as a program.
struct Set {
    name: &'static str,
    circuit: fn(&PplSets, &Config<Lit>) -> Lit,
    program: fn(Sets<'_>) -> bool,
    /// Which variables it fixes for certain.
    fixes: &'static [&'static str],
    /// Whether outputs and `b` must stay as well.
    still: bool,
}

const S_PL: Set = Set {
    name: "S_PL",
    circuit: |sets, config| sets.s_pl(config),
    program: |sets| sets.in_s_pl(),
    fixes: &["leader", "dist", "last"],
    still: true,
};
const LITERAL: Set = Set {
    name: "S_PL (literal)",
    circuit: |sets, config| sets.s_pl_literal(config),
    program: |sets| sets.in_s_pl_literal(),
    ..S_PL
};
const LONE: Set = Set {
    name: "C_PB with one leader",
    circuit: |sets, config| sets.war.u_0_leads(config) & sets.war.peace(config),
    program: |sets| sets.in_c_pb() && sets.unique_leader() == Some(0),
    fixes: &["leader"],
    still: false,
};

/// What `u_i` is in C_DL with leader `u_0`.
pub(super) fn settled(psi: usize, n: usize, i: usize) -> ppl::State {
    let last = u8::from(i >= psi * (n.div_ceil(psi) - 1));
    ppl::State { leader: u8::from(i == 0), dist: (i % (2 * psi)) as u8, last, ..ppl::State::default() }
}

/// No interaction leaves the set.
fn closure(court: &mut Court<'_>, point: Point, set: &Set) -> Result<Finding, Error> {
    let lab = Lab::<false>::new(point)?;
    let sets = PplSets::new(&lab.machine, point.n, point.psi);
    let play = Play::new(&lab.machine, point.n, |i, agent| {
        lab.machine.fix(agent, set.fixes, &settled(point.psi, point.n, i));
    });
    let left = any((0..point.n).take_while(|_| goes_on()).map(|i| {
        let next = play.after(lab.ring.e(i), &[]);
        let still = if set.still { unchanged(&sets, &play.now, &next) } else { Lit::ONE };
        !((set.circuit)(&sets, &next) & still)
    }));
    let inside = (set.circuit)(&sets, &play.now);
    let ruling = court.ask(&[inside, left], &play.demands);
    Ok(unless(ruling, |model| exit(&lab, set, &start_of(&play, model))))
}

/// Leaders and bits are the same in both.
fn unchanged(sets: &PplSets, before: &Config<Lit>, after: &Config<Lit>) -> Lit {
    let agents = before.iter().zip(after);
    all(agents.map(|(u, v)| same(sets.war.leader(u), sets.war.leader(v)) & same(sets.b(u), sets.b(v))))
}

/// The interaction that leaves the set, according to the clear form.
fn exit(lab: &Lab<false>, set: &Set, start: &[ppl::State]) -> Finding {
    let leaves = |e: &Interaction| {
        let next = follow(&lab.protocol, start, std::slice::from_ref(e));
        let still = start.iter().zip(&next).all(|(u, v)| (u.leader, u.b) == (v.leader, v.b));
        !(set.program)(lab.protocol.sets(&next)) || (set.still && !still)
    };
    let inside = (set.program)(lab.protocol.sets(start));
    let Some(e) = (0..start.len()).map(|i| lab.ring.e(i)).find(|e| inside && leaves(e)) else { return unconfirmed() };
    let shows = format!("in {} before e_{}, not after", set.name, e.initiator);
    let witness = witness(&lab.protocol, start, &[e], shows);
    Finding { witness: Some(witness), ..Finding::plain(Verdict::Fails) }
}

type Needed = (&'static str, &'static str, fn(&mut Court<'_>, Point) -> Result<Finding, Error>);

const NEEDED: [Needed; 7] = [
    ("needed-peaceful", "S_PL without \"live bullets are peaceful\" is not closed", |court, point| {
        needed(court, point, Condition::Peace)
    }),
    ("needed-one-leader", "S_PL without \"u_0 is the only leader\" is not closed", |court, point| {
        needed(court, point, Condition::OneLeader)
    }),
    ("needed-dist", "S_PL without \"dist is right\" is not closed", |court, point| {
        needed(court, point, Condition::Dist)
    }),
    ("needed-last", "S_PL without \"last is right\" is not closed", |court, point| {
        needed(court, point, Condition::Last)
    }),
    ("needed-no-risky", "S_PL without \"no token is risky\" is not closed", |court, point| {
        needed(court, point, Condition::Risky)
    }),
    ("needed-ids", "S_PL without \"IDs are consecutive\" is not closed", |court, point| {
        needed(court, point, Condition::Ids)
    }),
    ("needed-correct-tokens", "S_PL without \"valid tokens are correct\" is not closed", |court, point| {
        needed(court, point, Condition::Tokens)
    }),
];

/// Without this condition some interaction leaves the set.
fn needed(court: &mut Court<'_>, point: Point, dropped: Condition) -> Result<Finding, Error> {
    let lab = Lab::<false>::new(point)?;
    let sets = PplSets::new(&lab.machine, point.n, point.psi);
    let kept: Vec<Condition> = Condition::ALL.into_iter().filter(|&condition| condition != dropped).collect();
    let play = Play::new(&lab.machine, point.n, |_, _| {});
    let left = any((0..point.n).take_while(|_| goes_on()).map(|i| !sets.with(&kept, &play.after(lab.ring.e(i), &[]))));
    let inside = sets.with(&kept, &play.now);
    let model = match court.ask(&[inside, left], &play.demands) {
        Ruling::Never => return Ok(Finding::plain(Verdict::Fails).with_note("closed without it")),
        Ruling::Undecided(why) => return Ok(Finding::plain(Verdict::Unknown(why))),
        Ruling::Possible(model) => model,
    };
    let start = start_of(&play, &model);
    let within = |config: &[ppl::State]| {
        let bits: Config<bool> = config.iter().map(|state| lab.machine.encode(state)).collect();
        sets.with(&kept, &bits)
    };
    let leaves = |e: &Interaction| !within(&follow(&lab.protocol, &start, std::slice::from_ref(e)));
    let Some(e) = (0..point.n).map(|i| lab.ring.e(i)).find(|e| within(&start) && leaves(e)) else {
        return Ok(unconfirmed());
    };
    let shows = format!("all conditions of S_PL but {} before e_{}, not after", dropped.name(), e.initiator);
    let witness = witness(&lab.protocol, &start, &[e], shows);
    Ok(Finding { witness: Some(witness), ..Finding::plain(Verdict::Holds) })
}

/// S_PL with `last = 1` demanded in the last segment and nothing elsewhere.
fn last_loose(sets: &PplSets, config: &Config<Lit>) -> Lit {
    let others: Vec<Condition> = Condition::ALL.into_iter().filter(|&one| one != Condition::Last).collect();
    let last = all(config.iter().enumerate().map(|(i, agent)| implies(Lit::of(sets.in_last(i)), sets.last(agent))));
    sets.with(&others, config) & last
}

/// The looser set is closed and outputs are constant in it, and it has a member outside S_PL.
fn more(court: &mut Court<'_>, point: Point) -> Result<Finding, Error> {
    let lab = Lab::<false>::new(point)?;
    let sets = PplSets::new(&lab.machine, point.n, point.psi);
    let play = Play::new(&lab.machine, point.n, |i, agent| {
        lab.machine.fix(agent, &["leader", "dist"], &settled(point.psi, point.n, i));
    });
    let inside = last_loose(&sets, &play.now);
    let left = any((0..point.n).take_while(|_| goes_on()).map(|i| {
        let next = play.after(lab.ring.e(i), &[]);
        !(last_loose(&sets, &next) & unchanged(&sets, &play.now, &next))
    }));
    match court.ask(&[inside, left], &play.demands) {
        Ruling::Never => {}
        Ruling::Undecided(why) => return Ok(Finding::plain(Verdict::Unknown(why))),
        Ruling::Possible(_) => return Ok(Finding::plain(Verdict::Fails).with_note("the looser set is not closed")),
    }
    let ruling = court.ask(&[inside, !sets.s_pl(&play.now)], &play.demands);
    Ok(member(&lab, &play, ruling, "safe, but not in S_PL", |sets| !sets.in_s_pl(), "zeta = 1: the looser set is S_PL"))
}

/// S_PL with a valid token that moves right. Where zeta = 1 no token ever moves, since all agents have `last = 1`; if `S_0` is the
/// whole ring, such a token is risky.
fn trapped(sets: &PplSets, config: &Config<Lit>) -> Lit {
    let valid_and_right = |agent: &Vec<Lit>, c: usize| sets.has_valid_token(agent, c) & sets.moves_right(agent, c);
    sets.s_pl(config) & any(config.iter().flat_map(|agent| [BLACK, WHITE].map(|c| valid_and_right(agent, c))))
}

/// The trap is closed, it has a member, and the member is not in S_PL read literally.
fn literal_trap(court: &mut Court<'_>, point: Point) -> Result<Finding, Error> {
    if point.n > point.psi {
        return Ok(Finding::plain(Verdict::Fails).with_note("zeta > 1: tokens move on"));
    }
    let lab = Lab::<false>::new(point)?;
    let sets = PplSets::new(&lab.machine, point.n, point.psi);
    let play = Play::new(&lab.machine, point.n, |i, agent| {
        lab.machine.fix(agent, &["leader", "dist", "last"], &settled(point.psi, point.n, i));
    });
    let inside = trapped(&sets, &play.now);
    let left = any((0..point.n).map(|i| !trapped(&sets, &play.after(lab.ring.e(i), &[]))));
    match court.ask(&[inside, left], &play.demands) {
        Ruling::Never => {}
        Ruling::Undecided(why) => return Ok(Finding::plain(Verdict::Unknown(why))),
        Ruling::Possible(_) => return Ok(Finding::plain(Verdict::Fails).with_note("the trap is not closed")),
    }
    let ruling = court.ask(&[inside], &play.demands);
    let shows = "in S_PL, and never in S_PL read literally";
    Ok(member(&lab, &play, ruling, shows, |sets| sets.in_s_pl() && !sets.in_s_pl_literal(), "the trap is empty"))
}

/// The note says that inconsistent IDs of the first and the last segment never make a leader; a risky token does.
fn good_creates_none(court: &mut Court<'_>, point: Point) -> Result<Finding, Error> {
    let lab = Lab::<false>::new(point)?;
    let sets = PplSets::new(&lab.machine, point.n, point.psi);
    let play = Play::new(&lab.machine, point.n, |i, agent| {
        lab.machine.fix(agent, &["leader", "dist", "last"], &settled(point.psi, point.n, i));
    });
    let ignored = |i: usize| i < point.psi || sets.in_last(i);
    let created = |i: usize| {
        let r = (i + 1) % point.n;
        let next = play.after(lab.ring.e(i), &[]);
        Lit::of(ignored(r)) & !sets.war.leader(&play.now[r]) & sets.war.leader(&next[r])
    };
    let ruling = court.ask(&[any((0..point.n).map(created))], &play.demands);
    Ok(unless(ruling, |model| {
        let start = start_of(&play, model);
        let creates = |e: &Interaction| {
            let next = follow(&lab.protocol, &start, std::slice::from_ref(e));
            ignored(e.responder) && start[e.responder].leader == 0 && next[e.responder].leader == 1
        };
        let good = lab.protocol.sets(&start).good();
        let Some(e) = (0..point.n).map(|i| lab.ring.e(i)).find(|e| good && creates(e)) else { return unconfirmed() };
        let shows = format!("good before e_{}, which makes u_{} a leader", e.initiator, e.responder);
        let witness = witness(&lab.protocol, &start, &[e], shows);
        Finding { witness: Some(witness), ..Finding::plain(Verdict::Fails) }
    }))
}

/// The solver finds a member; larger rings have those of the start `safe`.
fn not_empty(court: &mut Court<'_>, point: Point) -> Result<Finding, Error> {
    let lab = Lab::<false>::new(point)?;
    let sets = PplSets::new(&lab.machine, point.n, point.psi);
    let play = Play::new(&lab.machine, point.n, |_, _| {});
    let ruling = court.ask(&[sets.s_pl(&play.now)], &play.demands);
    Ok(member(&lab, &play, ruling, "a member of S_PL", |sets| sets.in_s_pl() && sets.perfect(), "empty"))
}

/// The verdict on a claim that something exists.
pub(super) fn member(
    lab: &Lab<false>,
    play: &Play<'_, ppl::State>,
    ruling: Ruling,
    shows: &str,
    confirm: fn(Sets<'_>) -> bool,
    otherwise: &str,
) -> Finding {
    match ruling {
        Ruling::Never => Finding::plain(Verdict::Fails).with_note(otherwise),
        Ruling::Undecided(why) => Finding::plain(Verdict::Unknown(why)),
        Ruling::Possible(model) => {
            let start = start_of(play, &model);
            if !confirm(lab.protocol.sets(&start)) {
                return unconfirmed();
            }
            let witness = witness::<Ppl>(&lab.protocol, &start, &[], shows.to_owned());
            Finding { witness: Some(witness), ..Finding::plain(Verdict::Holds) }
        }
    }
}
