//! P_OR as a Boolean circuit, to be read beside `por.rs`, with the paper's line numbers. A colour has `C` bits.

use super::{Por, State};
use crate::circuit::{Bit, Circuit, Uint, Visit, Wires, code, from_code};

/// P_OR as a circuit with colours of `C` bits.
#[derive(Clone, Copy, Debug)]
pub struct PorCircuit<const C: usize>(());

impl<const C: usize> PorCircuit<C> {
    const PLANES: usize = 4 * C + 1;

    /// The circuit of this protocol, if its colours fit the width.
    #[must_use]
    pub fn new(por: &Por) -> Option<Self> {
        (por.colors <= 1 << C).then_some(Self(()))
    }

    /// Algorithm 6.
    #[inline(always)]
    fn both<B: Bit>(a: &mut Agent<B, C>, b: &mut Agent<B, C>) {
        a.point(); // 63-65
        b.point();
        let (a_points, b_points) = (a.dir.equals_that(b.color), b.dir.equals_that(a.color));
        let meet = a_points & b_points; // 66
        let a_turns = meet & !a.strong & b.strong; // 67
        let b_turns = meet & !a_turns; // 70
        a.dir = Uint::select(a_turns, a.away_from(b.color), a.dir); // 68
        b.dir = Uint::select(b_turns, b.away_from(a.color), b.dir); // 71
        a.strong = a_turns | (a.strong & !a_points); // 69, 72-74
        b.strong = b_turns | (b.strong & !b_points); // 69, 72, 75-76
    }
}

/// An agent in every lane.
#[derive(Clone, Copy)]
struct Agent<B, const C: usize> {
    color: Uint<B, C>,
    c1: Uint<B, C>,
    c2: Uint<B, C>,
    dir: Uint<B, C>,
    strong: B,
}

impl<B: Bit, const C: usize> Agent<B, C> {
    /// Lines 64 and 65: `dir` is a colour of the memory.
    #[inline(always)]
    fn point(&mut self) {
        let astray = self.dir.differs(self.c1) & self.dir.differs(self.c2);
        self.dir = Uint::select(astray, self.c1, self.dir);
    }

    /// `min {c in {c1, c2} | c != other}`, or `dir` as it is if that set is empty.
    #[inline(always)]
    fn away_from(&self, other: Uint<B, C>) -> Uint<B, C> {
        let (first, second) = (self.c1.differs(other), self.c2.differs(other));
        let least = second & !(first & self.c2.at_least_that(self.c1));
        Uint::select(least, self.c2, Uint::select(first, self.c1, self.dir))
    }
}

impl<B: Bit, const C: usize> Wires<B> for Agent<B, C> {
    const BLANK: Self = {
        let zero = Uint([B::ZERO; C]);
        Self { color: zero, c1: zero, c2: zero, dir: zero, strong: B::ZERO }
    };

    #[inline(always)]
    fn each(&mut self, visit: &mut impl Visit<B>) {
        visit.uint(&mut self.color);
        visit.uint(&mut self.c1);
        visit.uint(&mut self.c2);
        visit.uint(&mut self.dir);
        visit.bit(&mut self.strong);
    }
}

impl<const C: usize> Circuit for PorCircuit<C> {
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
        let (mut a, mut b) = (Agent::<B, C>::load(left), Agent::<B, C>::load(right));
        let dirs = (a.dir, b.dir);
        Self::both(&mut a, &mut b);
        a.store(left, when);
        b.store(right, when);
        (dirs.0.differs(a.dir) | dirs.1.differs(b.dir)) & when
    }

    /// In a safe ring exactly one of two neighbours points to the other.
    #[inline(always)]
    fn unsettled<B: Bit>(&self, l: &[B], r: &[B]) -> B {
        let (a, b) = (Agent::<B, C>::load(&l[..Self::PLANES]), Agent::<B, C>::load(&r[..Self::PLANES]));
        !(a.dir.equals_that(b.color) ^ b.dir.equals_that(a.color))
    }

    fn encode(&self, state: &State) -> u128 {
        let color = |color: u16| Uint::constant(color.into());
        code(Agent::<bool, C> {
            color: color(state.color),
            c1: color(state.c1),
            c2: color(state.c2),
            dir: color(state.dir),
            strong: state.strong == 1,
        })
    }

    fn decode(&self, code: u128) -> State {
        let agent: Agent<bool, C> = from_code(code);
        let color = |color: Uint<bool, C>| color.number() as u16;
        State {
            color: color(agent.color),
            c1: color(agent.c1),
            c2: color(agent.c2),
            dir: color(agent.dir),
            strong: agent.strong.into(),
        }
    }
}
