//! P_CL as a Boolean circuit, to be read beside `pcl.rs`, with the paper's line numbers. A colour has `C` bits.
//!
//! The two new colours of Line 78 are the input: first the initiator's bits, then the responder's. They are read only in
//! lanes with a stamp conflict. The derandomised variant has no circuit.

use super::{PclOf, State};
use crate::circuit::{Bit, Circuit, Uint, Visit, Wires, code, from_code};

/// P_CL as a circuit with colours of `C` bits.
#[derive(Clone, Copy, Debug)]
pub struct PclCircuit<const C: usize> {
    colors: u64,
}

impl<const C: usize> PclCircuit<C> {
    const PLANES: usize = 2 * C + 1;

    /// The circuit of this protocol, if its colours fit the width.
    #[must_use]
    pub fn new<const DERANDOMISED: bool>(pcl: &PclOf<DERANDOMISED>) -> Option<Self> {
        (!DERANDOMISED && pcl.colors <= 1 << C).then_some(Self { colors: pcl.colors.into() })
    }

    /// Algorithm 7.
    #[inline(always)]
    fn both<B: Bit>(a: &mut Agent<B, C>, b: &mut Agent<B, C>, drawn: &Drawn<B, C>) {
        let conflict = a.stamp_conflict(b); // 77
        a.color = Uint::select(conflict, drawn.a, a.color); // 78
        b.color = Uint::select(conflict, drawn.b, b.color); // 78
        (a.stamp_c, b.stamp_c) = (b.color, a.color); // 79
        (a.stamp_b, b.stamp_b) = (!a.stamp_b, !a.stamp_b); // 80
    }
}

/// An agent in every lane.
#[derive(Clone, Copy)]
struct Agent<B, const C: usize> {
    color: Uint<B, C>,
    stamp_c: Uint<B, C>,
    stamp_b: B,
}

impl<B: Bit, const C: usize> Agent<B, C> {
    #[inline(always)]
    fn stamp_conflict(&self, other: &Self) -> B {
        let stamped = self.color.equals_that(other.stamp_c) & self.stamp_c.equals_that(other.color);
        stamped & (self.stamp_b ^ other.stamp_b)
    }
}

impl<B: Bit, const C: usize> Wires<B> for Agent<B, C> {
    const BLANK: Self = Self { color: Uint([B::ZERO; C]), stamp_c: Uint([B::ZERO; C]), stamp_b: B::ZERO };

    #[inline(always)]
    fn each(&mut self, visit: &mut impl Visit<B>) {
        visit.uint(&mut self.color);
        visit.uint(&mut self.stamp_c);
        visit.bit(&mut self.stamp_b);
    }
}

/// The two colours of the input.
struct Drawn<B, const C: usize> {
    a: Uint<B, C>,
    b: Uint<B, C>,
}

impl<B: Bit, const C: usize> Wires<B> for Drawn<B, C> {
    const BLANK: Self = Self { a: Uint([B::ZERO; C]), b: Uint([B::ZERO; C]) };

    #[inline(always)]
    fn each(&mut self, visit: &mut impl Visit<B>) {
        visit.uint(&mut self.a);
        visit.uint(&mut self.b);
    }
}

impl<const C: usize> Circuit for PclCircuit<C> {
    type State = State;
    type Core = Self;

    fn core(&self) -> &Self {
        self
    }

    fn planes(&self) -> usize {
        Self::PLANES
    }

    fn inputs(&self) -> usize {
        2 * C
    }

    #[inline(always)]
    fn interact<B: Bit>(&self, l: &mut [B], r: &mut [B], input: &[B], when: B) -> B {
        let (left, right, input) = (&mut l[..Self::PLANES], &mut r[..Self::PLANES], &input[..2 * C]);
        let (mut a, mut b) = (Agent::<B, C>::load(left), Agent::<B, C>::load(right));
        let colors = (a.color, b.color);
        Self::both(&mut a, &mut b, &Drawn::load(input));
        a.store(left, when);
        b.store(right, when);
        (colors.0.differs(a.color) | colors.1.differs(b.color)) & when
    }

    #[inline(always)]
    fn reads_coin<B: Bit>(&self, l: &[B], r: &[B]) -> B {
        let (a, b) = (Agent::<B, C>::load(&l[..Self::PLANES]), Agent::<B, C>::load(&r[..Self::PLANES]));
        a.stamp_conflict(&b)
    }

    /// In a safe ring nobody will ever read a coin.
    #[inline(always)]
    fn unsettled<B: Bit>(&self, l: &[B], r: &[B]) -> B {
        self.reads_coin(l, r)
    }

    fn encode(&self, state: &State) -> u128 {
        code(Agent::<bool, C> {
            color: Uint::constant(state.color.into()),
            stamp_c: Uint::constant(state.stamp_c.into()),
            stamp_b: state.stamp_b == 1,
        })
    }

    fn decode(&self, code: u128) -> State {
        let agent: Agent<bool, C> = from_code(code);
        let (color, stamp_c) = (agent.color.number() as u16, agent.stamp_c.number() as u16);
        State { color, stamp_c, stamp_b: agent.stamp_b.into(), ..State::default() }
    }

    fn encode_coin(&self, coin: u64) -> u64 {
        (coin / self.colors) | ((coin % self.colors) << C)
    }
}
