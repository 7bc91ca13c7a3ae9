//! Small unsigned integers over bits.

use super::Bit;

/// An unsigned integer of `W` bits, least significant first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uint<B, const W: usize>(pub [B; W]);

impl<B: Bit, const W: usize> Uint<B, W> {
    /// The same number in every lane.
    #[inline(always)]
    #[must_use]
    pub fn constant(number: u32) -> Self {
        Self(std::array::from_fn(|k| if number >> k & 1 == 1 { B::ONE } else { B::ZERO }))
    }

    /// Where the number equals a constant.
    #[inline(always)]
    #[must_use]
    pub fn equals(self, number: u32) -> B {
        let mut equal = B::ONE;
        for k in 0..W {
            equal = equal & if number >> k & 1 == 1 { self.0[k] } else { !self.0[k] };
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
            at_least = if number >> k & 1 == 1 { self.0[k] & at_least } else { self.0[k] | at_least };
        }
        if number >> W == 0 { at_least } else { B::ZERO }
    }

    /// Where the number is not zero.
    #[inline(always)]
    #[must_use]
    pub fn positive(self) -> B {
        self.0.into_iter().fold(B::ZERO, |any, bit| any | bit)
    }

    /// Where this number is at least the other.
    #[inline(always)]
    #[must_use]
    pub fn at_least_that(self, other: Self) -> B {
        let mut at_least = B::ONE;
        for k in 0..W {
            let differ = self.0[k] ^ other.0[k];
            at_least = differ.select(self.0[k], at_least);
        }
        at_least
    }

    /// Where this number equals the other.
    #[inline(always)]
    #[must_use]
    pub fn equals_that(self, other: Self) -> B {
        !(0..W).fold(B::ZERO, |differs, k| differs | (self.0[k] ^ other.0[k]))
    }

    /// One more where `when`, modulo 2^W.
    #[inline(always)]
    #[must_use]
    pub fn plus(self, when: B) -> Self {
        let mut carry = when;
        Self(self.0.map(|bit| {
            let sum = bit ^ carry;
            carry = bit & carry;
            sum
        }))
    }

    /// One less where `when`, modulo 2^W.
    #[inline(always)]
    #[must_use]
    pub fn minus(self, when: B) -> Self {
        let mut borrow = when;
        Self(self.0.map(|bit| {
            let difference = bit ^ borrow;
            borrow = !bit & borrow;
            difference
        }))
    }

    /// The sum of two numbers, and its carry.
    #[inline(always)]
    #[must_use]
    pub fn sum(self, other: Self) -> (Self, B) {
        let mut carry = B::ZERO;
        let sum = Self(std::array::from_fn(|k| {
            let (a, b) = (self.0[k], other.0[k]);
            let bit = a ^ b ^ carry;
            carry = (a & b) | (carry & (a | b));
            bit
        }));
        (sum, carry)
    }

    /// This number where `when`, the other elsewhere.
    #[inline(always)]
    #[must_use]
    pub fn select(when: B, then: Self, otherwise: Self) -> Self {
        Self(std::array::from_fn(|k| when.select(then.0[k], otherwise.0[k])))
    }

    /// The number where `when`, zero elsewhere.
    #[inline(always)]
    #[must_use]
    pub fn only(self, when: B) -> Self {
        Self(self.0.map(|bit| bit & when))
    }

    /// The number as a constant where `when`, unchanged elsewhere.
    #[inline(always)]
    #[must_use]
    pub fn set(self, when: B, number: u32) -> Self {
        Self(std::array::from_fn(|k| if number >> k & 1 == 1 { self.0[k] | when } else { self.0[k] & !when }))
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
            assert_eq!(x.positive(), a > 0);
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
                let (sum, carry) = x.sum(y);
                assert_eq!(number(sum) + 16 * u32::from(carry), a + b);
                for when in [false, true] {
                    assert_eq!(number(Small::select(when, x, y)), if when { a } else { b });
                    assert_eq!(number(x.set(when, b)), if when { b } else { a });
                }
            }
            assert!(!x.at_least(16) && !x.at_least(31));
        }
    }
}
