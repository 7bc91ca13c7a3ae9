//! Circuits of P_PL with a bug, for tests: the theorems that rest on what is wrong must fail.

use ringleader::circuit::{Bit, Circuit, WithCircuit};
use ringleader::protocols::ppl::{State, Token};

use super::meeting::{Rules, roomy};
use crate::symbolic::NamedCircuit;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bug {
    /// Lines 6 and 20: a leader is created without a shield.
    Unshielded,
    /// Line 60: a bullet that flies on leaves the bullet-absence signal.
    SignalStays,
    /// Line 29: a token that turns to the right forgets its carry.
    CarryForgotten,
}

/// A circuit whose result is changed where the bug shows.
#[derive(Clone)]
struct Planted<C> {
    circuit: C,
    bug: Bug,
}

impl<C: Circuit<State = State>> Planted<C> {
    /// The only plane in which these two states differ.
    fn plane(&self, one: State, other: State) -> usize {
        (self.circuit.encode(&one) ^ self.circuit.encode(&other)).trailing_zeros() as usize
    }
}

const NOBODY: State = State {
    leader: 0,
    b: 0,
    dist: 0,
    last: 0,
    token: [None; 2],
    mode: ringleader::protocols::ppl::Mode::Construct,
    clock: 0,
    signal_r: 0,
    hits: 0,
    bullet: 0,
    shield: 0,
    signal_b: 0,
};

impl<C: Circuit<State = State>> Circuit for Planted<C> {
    type State = State;
    type Core = Self;

    fn core(&self) -> &Self {
        self
    }

    fn planes(&self) -> usize {
        self.circuit.planes()
    }
    fn inputs(&self) -> usize {
        self.circuit.inputs()
    }
    fn encode(&self, state: &State) -> u128 {
        self.circuit.encode(state)
    }
    fn decode(&self, code: u128) -> State {
        self.circuit.decode(code)
    }
    fn interact<B: Bit>(&self, l: &mut [B], r: &mut [B], input: &[B], when: B) -> B {
        let leader = self.plane(NOBODY, State { leader: 1, ..NOBODY });
        let live = self.plane(NOBODY, State { bullet: 2, ..NOBODY });
        let dummy = self.plane(NOBODY, State { bullet: 1, ..NOBODY });
        let shield = self.plane(NOBODY, State { shield: 1, ..NOBODY });
        let signal = self.plane(NOBODY, State { signal_b: 1, ..NOBODY });
        let token = |pos: i8, carry: u8| State { token: [Some(Token { pos, bit: 0, carry }), None], ..NOBODY };
        let (right, carry) = (self.plane(token(-1, 0), token(1, 0)), self.plane(token(1, 0), token(1, 1)));
        let (led, flies, signalled, was_right) = (r[leader], l[live] | l[dummy], r[signal], l[right]);
        let told = self.circuit.interact(l, r, input, when);
        match self.bug {
            Bug::Unshielded => r[shield] = r[shield] & !(r[leader] & !led & when),
            Bug::SignalStays => r[signal] = r[signal] | (signalled & flies & !r[leader] & when),
            Bug::CarryForgotten => l[carry] = l[carry] & !(l[right] & !was_right & when),
        }
        told
    }
}

struct Plant(usize, Bug);

impl WithCircuit<State> for Plant {
    type Output = Rules<false>;

    fn with<C: Circuit<State = State>>(self, circuit: C) -> Rules<false> {
        let circuit = Planted { circuit, bug: self.1 };
        Rules { psi: self.0, circuit: NamedCircuit::unchecked(&roomy::<false>(self.0), circuit) }
    }
}

/// P_PL with a bug.
pub(super) fn planted(psi: usize, bug: Bug) -> Rules<false> {
    #[expect(clippy::expect_used, reason = "a test fails by panicking")]
    roomy::<false>(psi).with_any_kappa(Plant(psi, bug)).expect("a circuit")
}
