//! *EliminateLeaders* as a circuit, for every protocol that runs it.

use super::War;
use crate::circuit::{Bit, Visit, Wires};

/// What *EliminateLeaders* sees of an agent, in every lane.
#[derive(Clone, Copy)]
pub(in crate::protocols) struct Warrior<B> {
    pub(in crate::protocols) leader: B,
    pub(in crate::protocols) live: B,
    pub(in crate::protocols) dummy: B,
    pub(in crate::protocols) shield: B,
    pub(in crate::protocols) signal_b: B,
}

impl<B: Bit> Warrior<B> {
    /// Lines 6 and 20.
    #[inline(always)]
    pub(in crate::protocols) fn become_leader(&mut self, when: B) {
        self.leader = self.leader | when;
        (self.live, self.dummy) = (self.live | when, self.dummy & !when);
        self.shield = self.shield | when;
        self.signal_b = self.signal_b & !when;
    }

    /// Algorithm 5.
    #[inline(always)]
    pub(in crate::protocols) fn eliminate_leaders(l: &mut Self, r: &mut Self) {
        let fires = l.leader & l.signal_b; // 51
        (l.live, l.dummy, l.shield, l.signal_b) =
            (l.live | fires, l.dummy & !fires, l.shield | fires, l.signal_b & !fires); // 52
        let fires = r.leader & r.signal_b; // 53
        (r.live, r.dummy, r.shield, r.signal_b) =
            (r.live & !fires, r.dummy | fires, r.shield & !fires, r.signal_b & !fires); // 54
        let flies = (l.live | l.dummy) & !r.leader; // 55-56, 58
        let empty = !(r.live | r.dummy);
        r.leader = r.leader & !(l.live & !r.shield); // 57
        (r.live, r.dummy) = (r.live | (flies & empty & l.live), r.dummy | (flies & empty & l.dummy)); // 59
        r.signal_b = r.signal_b & !flies; // 60
        (l.live, l.dummy) = (B::ZERO, B::ZERO); // 61; where there was no bullet there is none
        l.signal_b = l.signal_b | r.signal_b | r.leader; // 62
    }
}

impl Warrior<bool> {
    /// The part of a state that *EliminateLeaders* sees.
    pub(in crate::protocols) fn of(state: &impl War) -> Self {
        let v = state.warrior();
        let (live, dummy) = (v.bullet == 2, v.bullet == 1);
        Self { leader: v.leader == 1, live, dummy, shield: v.shield == 1, signal_b: v.signal_b == 1 }
    }

    /// Writes it into a state.
    pub(in crate::protocols) fn put(self, state: &mut impl War) {
        let v = state.warrior_mut();
        *v.bullet = if self.live { 2 } else { self.dummy.into() };
        (*v.leader, *v.shield, *v.signal_b) = (self.leader.into(), self.shield.into(), self.signal_b.into());
    }
}

impl<B: Bit> Wires<B> for Warrior<B> {
    const BLANK: Self = Self { leader: B::ZERO, live: B::ZERO, dummy: B::ZERO, shield: B::ZERO, signal_b: B::ZERO };

    #[inline(always)]
    fn each(&mut self, visit: &mut impl Visit<B>) {
        visit.bit(&mut self.leader);
        visit.bit(&mut self.live);
        visit.bit(&mut self.dummy);
        visit.bit(&mut self.shield);
        visit.bit(&mut self.signal_b);
    }
}
