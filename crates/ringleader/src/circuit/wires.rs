//! An agent as named bits: one order of them for loading, storing, encoding and decoding.

use super::Bit;

/// An agent in every lane. Its bits have one order, that of the planes and of the code.
pub trait Wires<B: Bit>: Sized {
    /// All bits false.
    const BLANK: Self;

    /// Visits every bit, in order.
    fn each(&mut self, visit: impl FnMut(&mut B));

    /// Reads the planes.
    #[inline(always)]
    #[must_use]
    fn load(planes: &[B]) -> Self {
        let (mut agent, mut next) = (Self::BLANK, 0);
        agent.each(|bit| {
            *bit = planes[next];
            next += 1;
        });
        agent
    }

    /// Writes the lanes of `when`.
    #[inline(always)]
    fn store(mut self, planes: &mut [B], when: B) {
        let mut next = 0;
        self.each(|bit| {
            planes[next] = when.select(*bit, planes[next]);
            next += 1;
        });
    }
}

/// The bits of one agent as a number.
#[inline]
#[must_use]
pub fn code(mut agent: impl Wires<bool>) -> u128 {
    let (mut code, mut next) = (0_u128, 0);
    agent.each(|bit| {
        code |= u128::from(*bit) << next;
        next += 1;
    });
    code
}

/// The agent with these bits.
#[inline]
#[must_use]
pub fn from_code<A: Wires<bool>>(code: u128) -> A {
    let (mut agent, mut next) = (A::BLANK, 0);
    agent.each(|bit| {
        *bit = code >> next & 1 == 1;
        next += 1;
    });
    agent
}
