//! YSM21 as a Boolean circuit, to be read beside `ysm.rs`. `dist` has `D` bits; *EliminateLeaders* is P_PL's circuit.

use super::{State, Ysm};
use crate::circuit::{Bit, Circuit, Uint, Visit, Wires, code, from_code};
use crate::protocols::elim::circuit::Warrior;

/// YSM21 as a circuit with distances of `D` bits, at most 20.
#[derive(Clone, Copy, Debug)]
pub struct YsmCircuit<const D: usize> {
    bound: u32,
}

impl<const D: usize> YsmCircuit<D> {
    const PLANES: usize = D + 5;

    /// The circuit of this protocol, if its distances fit the width.
    #[must_use]
    pub fn new(ysm: &Ysm) -> Option<Self> {
        (ysm.bound <= 1 << D).then_some(Self { bound: ysm.bound })
    }

    /// Rule 1.
    #[inline(always)]
    fn count<B: Bit>(&self, l: &Agent<B, D>, r: &mut Agent<B, D>) {
        let (leader, over) = (r.war.leader, l.dist.equals(self.bound - 1));
        r.dist = l.dist.plus(B::ONE).only(!(leader | over));
        r.war.become_leader(!leader & over);
    }
}

/// An agent in every lane.
#[derive(Clone, Copy)]
struct Agent<B, const D: usize> {
    war: Warrior<B>,
    dist: Uint<B, D>,
}

impl<B: Bit, const D: usize> Wires<B> for Agent<B, D> {
    const BLANK: Self = Self { war: Warrior::BLANK, dist: Uint([B::ZERO; D]) };

    #[inline(always)]
    fn each(&mut self, visit: &mut impl Visit<B>) {
        self.war.each(visit);
        visit.uint(&mut self.dist);
    }
}

impl<const D: usize> Circuit for YsmCircuit<D> {
    type State = State;
    type Core = Self;

    fn core(&self) -> &Self {
        self
    }

    fn planes(&self) -> usize {
        Self::PLANES
    }

    #[inline(always)]
    fn interact<B: Bit>(&self, l: &mut [B], r: &mut [B], _: &[B], when: B) -> B {
        let (left, right) = (&mut l[..Self::PLANES], &mut r[..Self::PLANES]);
        let (mut u, mut v) = (Agent::<B, D>::load(left), Agent::<B, D>::load(right));
        let leader = v.war.leader;
        self.count(&u, &mut v);
        Warrior::eliminate_leaders(&mut u.war, &mut v.war); // 51-62
        u.store(left, when);
        v.store(right, when);
        (leader ^ v.war.leader) & when
    }

    fn leader_plane(&self) -> Option<usize> {
        Some(0)
    }

    /// In a safe ring every agent knows its distance to the leader.
    #[inline(always)]
    fn unsettled<B: Bit>(&self, l: &[B], r: &[B]) -> B {
        let (u, v) = (Agent::<B, D>::load(&l[..Self::PLANES]), Agent::<B, D>::load(&r[..Self::PLANES]));
        u.dist.plus(B::ONE).only(!v.war.leader).differs(v.dist)
    }

    fn encode(&self, state: &State) -> u128 {
        code(Agent::<bool, D> { war: Warrior::of(state), dist: Uint::constant(state.dist) })
    }

    fn decode(&self, code: u128) -> State {
        let agent: Agent<bool, D> = from_code(code);
        let mut state = State { dist: agent.dist.number(), ..State::default() };
        agent.war.put(&mut state);
        state
    }
}
