//! An agent as named bits: one order of them for loading, storing, encoding and decoding.
//!
//! Visitors are named types, on purpose: closures would not be compiled with the processor features of a wide reading.

use super::{Bit, Uint};

/// An agent in every lane. Its bits have one order, that of the planes and of the code.
pub trait Wires<B: Bit>: Sized {
    /// All bits false.
    const BLANK: Self;

    /// Visits every bit, in order.
    fn each(&mut self, visit: &mut impl Visit<B>);

    /// Reads the planes.
    #[inline(always)]
    #[must_use]
    fn load(planes: &[B]) -> Self {
        let mut agent = Self::BLANK;
        agent.each(&mut Load { planes, next: 0 });
        agent
    }

    /// Writes the lanes of `when`.
    #[inline(always)]
    fn store(mut self, planes: &mut [B], when: B) {
        self.each(&mut Store { planes, when, next: 0 });
    }
}

/// What is done with each bit of an agent.
pub trait Visit<B: Bit> {
    /// The next bit.
    fn bit(&mut self, bit: &mut B);

    /// The bits of a number.
    #[inline(always)]
    fn uint<const W: usize>(&mut self, uint: &mut Uint<B, W>) {
        for k in 0..W {
            self.bit(&mut uint.0[k]);
        }
    }
}

struct Load<'a, B> {
    planes: &'a [B],
    next: usize,
}

impl<B: Bit> Visit<B> for Load<'_, B> {
    #[inline(always)]
    fn bit(&mut self, bit: &mut B) {
        *bit = self.planes[self.next];
        self.next += 1;
    }
}

struct Store<'a, B> {
    planes: &'a mut [B],
    when: B,
    next: usize,
}

impl<B: Bit> Visit<B> for Store<'_, B> {
    #[inline(always)]
    fn bit(&mut self, bit: &mut B) {
        self.planes[self.next] = self.when.select(*bit, self.planes[self.next]);
        self.next += 1;
    }
}

/// Puts bits into a number, or takes them out of it.
struct Code<const TAKE: bool> {
    code: u128,
    next: u32,
}

impl<const TAKE: bool> Visit<bool> for Code<TAKE> {
    #[inline(always)]
    fn bit(&mut self, bit: &mut bool) {
        if TAKE {
            *bit = self.code >> self.next & 1 == 1;
        } else {
            self.code |= u128::from(*bit) << self.next;
        }
        self.next += 1;
    }
}

/// The bits of one agent as a number.
#[inline]
#[must_use]
pub fn code(mut agent: impl Wires<bool>) -> u128 {
    let mut put = Code::<false> { code: 0, next: 0 };
    agent.each(&mut put);
    put.code
}

/// The agent with these bits.
#[inline]
#[must_use]
pub fn from_code<A: Wires<bool>>(code: u128) -> A {
    let mut agent = A::BLANK;
    agent.each(&mut Code::<true> { code, next: 0 });
    agent
}
