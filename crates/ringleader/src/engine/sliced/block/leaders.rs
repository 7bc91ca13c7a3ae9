//! Whether rings had a leader all the time in a window, for protocols that ask an oracle.
//!
//! Visits are not in the order of time, so nobody who visits an edge knows how many leaders there are then. In lanes the oracle
//! says that there is one, and at the end of the window it is known where that was surely right: where an agent led all the time, or
//! where there was a leader at the beginning and no interaction lost the last one of its two agents.

use crate::circuit::Circuit;
use crate::simd::Lanes;

use super::{Block, has_lane};

/// What is noted of leaders in a window. There is one all the time if some agent leads all the time; or if there is one at the beginning
/// and no interaction takes both agents' leaders without giving one.
pub(super) struct Leaders<L> {
    plane: usize,
    /// Who has led all the time, agent after agent.
    steady: Vec<L>,
    /// The same, anybody.
    some_steady: L,
    /// Where somebody led at the beginning, and at any time.
    first: L,
    ever: L,
    /// Where an interaction left two agents without a leader of which one was one.
    lost: L,
}

impl<L: Lanes> Leaders<L> {
    pub(super) fn new(plane: usize, slots: usize) -> Self {
        let (steady, [some_steady, first, ever, lost]) = (vec![L::ZERO; slots], [L::ZERO; 4]);
        Self { plane, steady, some_steady, first, ever, lost }
    }
}

impl<L: Lanes, C: Circuit> Block<L, C> {
    /// Whether it is known that a ring had a leader all the time, if somebody looked.
    pub(in crate::engine::sliced) fn had_leader(&self, ring: usize) -> bool {
        self.leaders.as_ref().is_some_and(|leaders| {
            let some = |lanes: L| self.over_arcs(ring).any(|lane| has_lane(lanes, lane));
            some(leaders.some_steady) || some(leaders.first) && !some(leaders.lost)
        })
    }

    /// Whether it is known that a ring had no leader at any time.
    pub(in crate::engine::sliced) fn had_no_leader(&self, ring: usize) -> bool {
        let none = |leaders: &Leaders<L>| !self.over_arcs(ring).any(|lane| has_lane(leaders.ever, lane));
        self.leaders.as_ref().is_some_and(none)
    }

    /// Where one of the agents of an edge leads, if somebody wants to know.
    #[inline(always)]
    pub(super) fn pair_leads(&self, j: usize) -> L {
        let width = self.circuit.planes();
        let leads = |leaders: &Leaders<L>| {
            self.planes[j * width + leaders.plane] | self.planes[(j + 1) * width + leaders.plane]
        };
        self.leaders.as_ref().map_or(L::ZERO, leads)
    }

    /// Notes who led before the window.
    pub(super) fn note_first_leaders(&mut self) {
        let width = self.circuit.planes();
        let Some(mut leaders) = self.leaders.take() else { return };
        leaders.first = L::ZERO;
        for j in 0..self.layout.slots {
            leaders.steady[j] = self.planes[j * width + leaders.plane];
            leaders.first = leaders.first | (leaders.steady[j] & self.present(j));
        }
        (leaders.ever, leaders.lost) = (leaders.first, L::ZERO);
        self.leaders = Some(leaders);
    }

    /// Notes who leads after an edge fired, of whose agents one led `before`.
    #[inline(always)]
    pub(super) fn note_leaders(&mut self, j: usize, fires: L, before: L) {
        let (width, m, after) = (self.circuit.planes(), self.layout.slots, self.pair_leads(j));
        let at_end = self.is_at_an_end(j);
        let Some(leaders) = &mut self.leaders else { return };
        leaders.lost = leaders.lost | (fires & before & !after);
        leaders.ever = leaders.ever | (fires & after);
        let right = if j + 1 < m { j + 1 } else { 0 };
        for slot in [j, right, if at_end { 0 } else { j }] {
            leaders.steady[slot] = leaders.steady[slot] & self.planes[slot * width + leaders.plane];
        }
    }

    /// Whether anybody has led all the time.
    pub(super) fn note_steady_leaders(&mut self) {
        let Some(leaders) = &self.leaders else { return };
        let steady = |some: L, j: usize| some | (leaders.steady[j] & self.present(j));
        let some = (0..self.layout.slots).fold(L::ZERO, steady);
        if let Some(leaders) = &mut self.leaders {
            leaders.some_steady = some;
        }
    }
}
