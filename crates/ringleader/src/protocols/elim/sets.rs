//! The sets of Section 4.1 on bullets, in any protocol that runs *EliminateLeaders*: C_PB and what it is made of. They are generic over the
//! agent: the same lines are read with `bool` by `is_safe` and with literals by a proof.

use super::War;
use crate::blueprint::Blueprint;
use crate::circuit::{Agent, Bit, all, and, any, implies, same};
use crate::protocol::Protocol;

/// What sets ask of an agent that runs *EliminateLeaders*.
pub trait Armed: Agent<State: War> {
    /// Where it is a leader.
    #[inline(always)]
    fn leader(&self) -> Self::Bit {
        self.ask(("leader", 0, &["leader"]), |v| v.warrior().leader == 1)
    }

    /// Where it carries a live bullet.
    #[inline(always)]
    fn live(&self) -> Self::Bit {
        self.ask(("live", 0, &["bullet"]), |v| v.warrior().bullet == 2)
    }

    /// Where it is shielded.
    #[inline(always)]
    fn shield(&self) -> Self::Bit {
        self.ask(("shield", 0, &["shield"]), |v| v.warrior().shield == 1)
    }

    /// Where it carries a bullet-absence signal.
    #[inline(always)]
    fn signal_b(&self) -> Self::Bit {
        self.ask(("signal_B", 0, &["signalB"]), |v| v.warrior().signal_b == 1)
    }
}

impl<A: Agent<State: War>> Armed for A {}

/// `Peaceful(i)` of every `i`, once around the ring: the nearest left leader is shielded and no bullet-absence signal lies between.
///
/// It goes round from an agent that is a leader for certain. If none is, it first goes round pretending that all is peaceful before `u_0`: what
/// that round ends with is right if there is a leader, and if there is none says that there is no signal.
pub fn peaceful<A: Armed>(config: &[A]) -> impl Iterator<Item = (usize, A::Bit)> {
    let step = |peace: A::Bit, u: &A| u.leader().select(u.shield(), peace) & !u.signal_b();
    let certain = config.iter().position(|u| !(!u.leader()).any());
    let before = if certain.is_some() { A::Bit::ONE } else { config.iter().fold(A::Bit::ONE, step) };
    let first = certain.unwrap_or(0);
    (first..config.len()).chain(0..first).scan(before, move |peace, i| {
        *peace = step(*peace, &config[i]);
        Some((i, *peace))
    })
}

/// Every live bullet is peaceful.
pub fn peace<A: Armed>(config: &[A]) -> A::Bit {
    all(peaceful(config).map(|(i, peaceful)| implies(config[i].live(), || peaceful)))
}

/// C_PB: a leader exists and every live bullet is peaceful.
pub fn in_c_pb<A: Armed>(config: &[A]) -> A::Bit {
    and(any(config.iter().map(Armed::leader)), || peace(config))
}

/// Why a configuration is not in C_PB, if it is not.
#[must_use]
pub fn outside_c_pb<S: War + Copy>(config: &[S]) -> Option<String> {
    if !config.iter().any(Armed::leader) {
        return Some(number_of_leaders(&[]));
    }
    let unpeaceful = peaceful(config).filter(|&(i, peaceful)| config[i].live() && !peaceful).map(|(i, _)| i).min()?;
    Some(format!("the live bullet of u_{unpeaceful} is not peaceful"))
}

/// How many leaders there are, which is not one, and where the first of them are.
pub(crate) fn number_of_leaders(leaders: &[usize]) -> String {
    let names: Vec<String> = leaders.iter().take(3).map(|i| format!("u_{i}")).collect();
    let more = if leaders.len() > 3 { ", ..." } else { "" };
    if leaders.is_empty() {
        return "there is no leader".into();
    }
    format!("there are {} leaders: {}{more}", leaders.len(), names.join(", "))
}

/// `u_0` is the only leader.
pub fn leads_alone<A: Armed>(config: &[A], u_0: usize) -> A::Bit {
    all(config.iter().enumerate().map(|(i, u)| same(u.leader(), A::Bit::constant(i == u_0))))
}

/// Adds C_PB as a phase to any protocol that runs *EliminateLeaders*.
#[must_use]
pub(crate) fn c_pb<P: Protocol<State: War>>(blueprint: Blueprint<P>) -> Blueprint<P> {
    blueprint
        .phase("C_PB", "a leader exists and every live bullet is peaceful", |_, config| in_c_pb(config))
        .led(|_, _| true)
}
