//! Small unsigned integers over bits.
//!
//! Plain loops, on purpose: closures inside the standard library's functions would not be compiled with the processor
//! features of a wide reading.

#![allow(clippy::needless_range_loop, reason = "an index reads like a bit number")]

use super::Bit;

/// An unsigned integer of `W` bits, least significant first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uint<B, const W: usize>(pub [B; W]);

impl<B: Bit, const W: usize> Uint<B, W> {
    /// The same number in every lane.
    #[inline(always)]
    #[must_use]
    pub fn constant(number: u32) -> Self {
        let mut bits = [B::ZERO; W];
        for k in 0..W {
            bits[k] = B::constant(number >> k & 1 == 1);
        }
        Self(bits)
    }

    /// Where the number equals a constant.
    #[inline(always)]
    #[must_use]
    pub fn equals(self, number: u32) -> B {
        let mut equal = B::ONE;
        for k in 0..W {
            equal = equal & !(self.0[k] ^ B::constant(number >> k & 1 == 1));
        }
        equal
    }

    /// Where the number is at least a constant.
    #[inline(always)]
    #[must_use]
    pub fn at_least(self, number: u32) -> B {
        // From the least significant bit up: a one beats a zero of the constant, a zero loses to a one.
        let mut at_least = B::ONE;
        for k in 0..W {
            at_least = B::majority(self.0[k], at_least, B::constant(number >> k & 1 == 0));
        }
        if number >> W == 0 { at_least } else { B::ZERO }
    }

    /// Where the number is not zero.
    #[inline(always)]
    #[must_use]
    pub fn positive(self) -> B {
        let mut any = B::ZERO;
        for k in 0..W {
            any = any | self.0[k];
        }
        any
    }

    /// Where the number is the largest of its width.
    #[inline(always)]
    #[must_use]
    pub fn largest(self) -> B {
        let mut all = B::ONE;
        for k in 0..W {
            all = all & self.0[k];
        }
        all
    }

    /// All bits turned over: the largest number of its width, less this one.
    #[inline(always)]
    #[must_use]
    pub fn complement(self) -> Self {
        let mut bits = self.0;
        for k in 0..W {
            bits[k] = !bits[k];
        }
        Self(bits)
    }

    /// Bit by bit, one number or the other.
    #[inline(always)]
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let mut bits = self.0;
        for k in 0..W {
            bits[k] = bits[k] | other.0[k];
        }
        Self(bits)
    }

    /// Where the two numbers differ.
    #[inline(always)]
    #[must_use]
    pub fn differs(self, other: Self) -> B {
        let mut differ = B::ZERO;
        for k in 0..W {
            differ = differ | (self.0[k] ^ other.0[k]);
        }
        differ
    }

    /// Where this number is at least the other.
    #[inline(always)]
    #[must_use]
    pub fn at_least_that(self, other: Self) -> B {
        let mut at_least = B::ONE;
        for k in 0..W {
            at_least = B::majority(self.0[k], !other.0[k], at_least);
        }
        at_least
    }

    /// Where this number equals the other.
    #[inline(always)]
    #[must_use]
    pub fn equals_that(self, other: Self) -> B {
        !self.differs(other)
    }

    /// One more where `when`, modulo 2^W.
    #[inline(always)]
    #[must_use]
    pub fn plus(self, when: B) -> Self {
        self.plus_with_carry(when).0
    }

    /// One less where `when`, modulo 2^W.
    #[inline(always)]
    #[must_use]
    pub fn minus(self, when: B) -> Self {
        let (mut bits, mut borrow) = (self.0, when);
        for k in 0..W {
            (bits[k], borrow) = (self.0[k] ^ borrow, !self.0[k] & borrow);
        }
        Self(bits)
    }

    /// One more where `when`, and where that is one too many.
    #[inline(always)]
    #[must_use]
    pub fn plus_with_carry(self, when: B) -> (Self, B) {
        let (mut bits, mut carry) = (self.0, when);
        for k in 0..W {
            (bits[k], carry) = (self.0[k] ^ carry, self.0[k] & carry);
        }
        (Self(bits), carry)
    }

    /// The sum of two numbers and a bit, and its carry.
    #[inline(always)]
    #[must_use]
    pub fn sum(self, other: Self, mut carry: B) -> (Self, B) {
        let mut bits = self.0;
        for k in 0..W {
            let (a, b) = (self.0[k], other.0[k]);
            (bits[k], carry) = (a ^ b ^ carry, B::majority(a, b, carry));
        }
        (Self(bits), carry)
    }

    /// This number where `when`, the other elsewhere.
    #[inline(always)]
    #[must_use]
    pub fn select(when: B, then: Self, otherwise: Self) -> Self {
        let mut bits = then.0;
        for k in 0..W {
            bits[k] = when.select(then.0[k], otherwise.0[k]);
        }
        Self(bits)
    }

    /// The number where `when`, zero elsewhere.
    #[inline(always)]
    #[must_use]
    pub fn only(self, when: B) -> Self {
        let mut bits = self.0;
        for k in 0..W {
            bits[k] = bits[k] & when;
        }
        Self(bits)
    }

    /// The number as a constant where `when`, unchanged elsewhere.
    #[inline(always)]
    #[must_use]
    pub fn set(self, when: B, number: u32) -> Self {
        let mut bits = self.0;
        for k in 0..W {
            bits[k] = when.select(B::constant(number >> k & 1 == 1), bits[k]);
        }
        Self(bits)
    }
}

/// Where a number of `W` bits stands among the planes of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At<const W: usize>(pub usize);

impl<const W: usize> At<W> {
    /// The number there.
    #[inline(always)]
    #[must_use]
    pub fn of<B: Bit>(self, planes: &[B]) -> Uint<B, W> {
        let mut bits = [B::ZERO; W];
        for k in 0..W {
            bits[k] = planes[self.0 + k];
        }
        Uint(bits)
    }

    /// Puts a number there.
    #[inline(always)]
    pub fn put<B: Bit>(self, planes: &mut [B], number: Uint<B, W>) {
        for k in 0..W {
            planes[self.0 + k] = number.0[k];
        }
    }
}

impl<const W: usize> Uint<bool, W> {
    /// The number itself.
    #[must_use]
    pub fn number(self) -> u32 {
        (0..W).map(|k| u32::from(self.0[k]) << k).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Small = Uint<bool, 4>;

    fn number(uint: Small) -> u32 {
        uint.number()
    }

    /// All pairs of numbers, against the machine's own arithmetic.
    #[test]
    fn arithmetic_is_exact() {
        for a in 0..16 {
            let x = Small::constant(a);
            assert_eq!(number(x), a);
            assert_eq!((x.positive(), x.largest(), number(x.complement())), (a > 0, a == 15, 15 - a));
            assert_eq!(x.plus_with_carry(true).1, a == 15);
            for when in [false, true] {
                assert_eq!(number(x.plus(when)), (a + u32::from(when)) % 16);
                assert_eq!(number(x.minus(when)), (a + 16 - u32::from(when)) % 16);
                assert_eq!(number(x.only(when)), if when { a } else { 0 });
            }
            for b in 0..16 {
                let y = Small::constant(b);
                assert_eq!(x.equals(b), a == b);
                assert_eq!(x.at_least(b), a >= b);
                assert_eq!(x.at_least_that(y), a >= b);
                assert_eq!(x.equals_that(y), a == b);
                assert_eq!(number(x.or(y)), a | b);
                for when in [false, true] {
                    let (sum, carry) = x.sum(y, when);
                    assert_eq!(number(sum) + 16 * u32::from(carry), a + b + u32::from(when));
                    assert_eq!(number(Small::select(when, x, y)), if when { a } else { b });
                    assert_eq!(number(x.set(when, b)), if when { b } else { a });
                }
            }
            assert!(!x.at_least(16) && !x.at_least(31));
        }
    }
}
