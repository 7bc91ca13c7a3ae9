//! Theorems for every size of ring: facts about two neighbours, with `kappa_max` as free bits, and the reductions that carry them to
//! every `n`. What a claim here decides is the facts; its reduction is a text in PROOFS.md, and what that says about indices is compared
//! with the library's own predicates in the tests.

mod layers;
mod meeting;
mod others;
#[cfg(test)]
mod planted;
mod safe;
pub mod smt;
mod war;
mod window;
mod words;

use super::{About, Claim};
use safe::Dropped;
use war::Lemma;

const SAFE: Claim = Claim {
    name: "every-safe",
    place: "Lemma safe",
    says: "S_PL is closed, and inside it no leader is created or killed, no b changes, and Lines 6 and 20 are never executed, for every n and kappa_max",
    about: About::Psi,
    every: Some("places"),
    given: &["every-cpb_closed"],
    canary: false,
    quick: [(3, 3), (2, 5)],
    decide: |query, point| safe::closed(query, point.psi, Dropped::Nothing),
};

const CLOSED: Claim = Claim {
    name: "every-cpb_closed",
    place: "Lemma cpb_closed",
    says: "C_PB is closed, also in P'_PL, for every n and kappa_max",
    every: Some("rest"),
    given: &[],
    decide: |query, point| Lemma::CpbClosed.decide(query, point.psi),
    ..SAFE
};

const UNDIRECTED: Claim = Claim {
    name: "every-undirected",
    place: "Theorem undirected",
    says: "the composition of P_CL, P_OR and P_PL reaches oriented S_PL with probability 1 from every configuration, and stays in it, for every n that is no multiple of psi 2^psi",
    every: Some("layers"),
    given: &["every-pcl-convergence", "every-por-convergence", "every-convergence"],
    decide: |query, point| layers::compose(query, point.psi),
    ..SAFE
};

pub(super) fn claims() -> Vec<Claim> {
    [of_s_pl(), of_bullets(), of_convergence(), of_others(), vec![UNDIRECTED]].concat()
}

fn of_others() -> Vec<Claim> {
    let oriented = Claim {
        name: "every-por-convergence",
        place: "Theorem ssro",
        says: "P_OR with right colours and memories becomes oriented with probability 1, and stays so, for every n",
        about: About::Nothing,
        every: Some("arrows"),
        given: &[],
        canary: false,
        quick: [(3, 3), (2, 2)],
        decide: |query, _| others::arrows(query, false),
    };
    let coloured = Claim {
        name: "every-pcl-red-free",
        place: "Appendix B",
        says: "with 16 colours, red-free configurations of P_CL stay red-free and no colour changes, for every n",
        every: Some("near"),
        decide: |query, _| others::red_free(query),
        ..oriented
    };
    vec![
        oriented,
        Claim {
            name: "every-por-initiator",
            says: "of two heads the initiator always wins",
            canary: true,
            decide: |query, _| others::arrows(query, true),
            ..oriented
        },
        coloured,
        Claim {
            name: "every-red_increase",
            place: "Lemma red_increase",
            says: "a blue agent becomes red only when a stamp conflict is detected, for every n",
            decide: |query, _| others::fresh_red(query, false),
            ..coloured
        },
        Claim {
            name: "every-recolour",
            place: "Theorem two-hop",
            says: "if a recolouring makes no colour conflict, both agents become blue and no blue agent becomes red, for every n",
            decide: |query, _| others::fresh_red(query, true),
            ..coloured
        },
        Claim {
            name: "every-red_decrease",
            place: "Lemma red_decrease",
            says: "what `red_decrease` says, for every n",
            decide: |query, _| others::red_decrease(query),
            ..coloured
        },
        Claim {
            name: "every-pcl-convergence",
            place: "Theorem two-hop",
            says: "with 16 colours P_CL becomes red-free with probability 1 from every configuration, and stays so, for every n",
            every: Some("fresh"),
            given: &["every-red_decrease", "every-red_increase", "every-recolour", "every-pcl-red-free"],
            decide: |query, _| others::fresh_colours(query, false),
            ..coloured
        },
    ]
}

fn of_convergence() -> Vec<Claim> {
    let convergence = Claim {
        name: "every-convergence",
        place: "Theorem main",
        says: "S_PL is reached with probability 1 from every configuration, for every n that is no multiple of psi 2^psi (so for every n <= 2^psi) and every kappa_max",
        every: Some("words"),
        given: &[
            "every-get_peaceful",
            "every-new_live_bullet",
            "every-once_peaceful",
            "every-cpb_closed",
            "every-safe",
        ],
        decide: |query, point| words::lead_on(query, point.psi),
        ..SAFE
    };
    let canary = |name, says, decide| Claim { name, says, canary: true, given: &[], decide, ..convergence };
    vec![
        convergence,
        canary("every-kill-shielded", "a live bullet kills whatever leader it comes to", |query, point| {
            words::kills_always(query, point.psi)
        }),
        canary("every-window-last", "the facts on tokens hold whatever last is", |query, point| {
            words::tokens_always(query, point.psi)
        }),
    ]
}

fn of_bullets() -> Vec<Claim> {
    vec![
        CLOSED,
        Claim {
            name: "every-never_kill",
            place: "Lemma never_kill",
            says: "if there is one leader, a peaceful bullet never kills it, for every n and kappa_max",
            decide: |query, point| Lemma::NeverKill.decide(query, point.psi),
            ..CLOSED
        },
        Claim {
            name: "every-never_kill-any",
            place: "Lemma never_kill",
            says: "nor does any other bullet",
            canary: true,
            decide: |query, point| Lemma::NeverKillAtAll.decide(query, point.psi),
            ..CLOSED
        },
        Claim {
            name: "every-new_live_bullet",
            place: "Lemma new_live_bullet",
            says: "every newly fired live bullet is peaceful, for every n and kappa_max",
            decide: |query, point| Lemma::NewLiveBullet.decide(query, point.psi),
            ..CLOSED
        },
        Claim {
            name: "every-once_peaceful",
            place: "Lemma once_peaceful",
            says: "a peaceful bullet never becomes non-peaceful, for every n and kappa_max",
            decide: |query, point| Lemma::OncePeaceful.decide(query, point.psi),
            ..CLOSED
        },
        Claim {
            name: "every-get_peaceful",
            place: "Lemma get_peaceful",
            says: "when seq_R(0,n)^2 has occurred, whatever occurred in between, every live bullet is peaceful, for every n and kappa_max",
            every: Some("trail"),
            given: &["every-new_live_bullet", "every-once_peaceful"],
            decide: |query, point| war::get_peaceful(query, point.psi, false),
            ..CLOSED
        },
        Claim {
            name: "every-trail-signals",
            place: "Lemma get_peaceful",
            says: "the same if signals may lie in the trail of a bullet",
            every: Some("trail"),
            canary: true,
            decide: |query, point| war::get_peaceful(query, point.psi, true),
            ..CLOSED
        },
    ]
}

fn of_s_pl() -> Vec<Claim> {
    let canary = |name, says, decide| Claim { name, says, canary: true, given: &[], decide, ..SAFE };
    vec![
        SAFE,
        canary("every-safe-risky", "the same without \"no token is risky\"", |query, point| {
            safe::closed(query, point.psi, Dropped::Risky)
        }),
        canary("every-safe-tokens", "the same without \"valid tokens are correct\"", |query, point| {
            safe::closed(query, point.psi, Dropped::Tokens)
        }),
        canary("every-safe-ids", "the same without \"IDs are consecutive\"", |query, point| {
            safe::closed(query, point.psi, Dropped::Ids)
        }),
    ]
}
