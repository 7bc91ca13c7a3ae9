//! Integers of a known range as literals: two's complement, lowest bit first, as narrow as the range allows, plus an offset.
//!
//! Widths follow from ranges, so that constants, signs and carries that cannot be are folded away by the graph, and what a range rules out
//! costs nothing. Nor does adding a constant: it changes the offset, and most numbers are written back with the one that they had.

use ringleader::circuit::Bit;

use crate::graph::Lit;

/// An integer between two bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Int {
    /// The number without its offset. At least one bit; the last is the sign.
    bits: Vec<Lit>,
    offset: i128,
    pub(crate) low: i128,
    pub(crate) high: i128,
}

/// Two numbers have so many values at most to be divided by, or raised to, one after the other.
const FEW: i128 = 64;
/// A function of so many bits is written as a table.
const SMALL: usize = 6;

/// How many bits numbers of a range take.
fn width(low: i128, high: i128) -> usize {
    let bits = |value: i128| (i128::BITS - if value < 0 { !value } else { value }.leading_zeros()) as usize + 1;
    bits(low).max(bits(high))
}

impl Int {
    pub(crate) fn constant(value: i128) -> Self {
        Self::fixed(value, 0)
    }

    /// A known number with this offset.
    fn fixed(value: i128, offset: i128) -> Self {
        let rest = value - offset;
        let bits = (0..width(rest, rest)).map(|k| Lit::of(rest >> k & 1 == 1)).collect();
        Self { bits, offset, low: value, high: value }
    }

    pub(crate) fn of(truth: Lit) -> Self {
        Self { bits: vec![truth, Lit::ZERO], offset: 0, low: 0, high: 1 }
    }

    /// A number that is known to lie in a range.
    fn narrowed(mut bits: Vec<Lit>, offset: i128, low: i128, high: i128) -> Self {
        let sign = bits[bits.len() - 1];
        bits.resize(width(low - offset, high - offset), sign);
        if low >= offset {
            bits.pop();
            bits.push(Lit::ZERO);
        } else if high < offset {
            bits.pop();
            bits.push(Lit::ONE);
        }
        Self { bits, offset, low, high }
    }

    /// The same number, of which more is known.
    pub(crate) fn within(self, low: i128, high: i128) -> Self {
        let (low, high) = (self.low.max(low), self.high.min(high));
        // What is nowhere may be anything.
        if low > high { self } else { Self::narrowed(self.bits, self.offset, low, high) }
    }

    /// Bits without a sign plus an offset.
    pub(crate) fn unsigned(bits: &[Lit], offset: i128) -> Self {
        let bits: Vec<Lit> = bits.iter().copied().chain([Lit::ZERO]).collect();
        let high = offset + (1 << (bits.len() - 1)) - 1;
        Self { bits, offset, low: offset, high }
    }

    /// The value, if there is only one.
    pub(crate) fn known(&self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }

    /// Bit `k` of the number without its offset, the sign going on for ever.
    fn bit(&self, k: usize) -> Lit {
        self.bits[k.min(self.bits.len() - 1)]
    }

    /// So many bits of the number less `offset`.
    pub(crate) fn bits_from(&self, offset: i128, count: usize) -> Vec<Lit> {
        let based = self.based(offset);
        (0..count).map(|k| based.bit(k)).collect()
    }

    /// The same number with another offset.
    fn based(&self, offset: i128) -> Self {
        if let Some(value) = self.known() {
            return Self::fixed(value, offset);
        }
        if self.offset == offset {
            return self.clone();
        }
        let (low, high) = (self.low - offset, self.high - offset);
        let more = Self::constant(self.offset - offset);
        let bits = Self::sum(&|k| self.bit(k), &|k| more.bit(k), Lit::ZERO, width(low, high));
        Self::narrowed(bits, offset, self.low, self.high)
    }

    /// The same number without an offset.
    fn plain(&self) -> Self {
        self.based(0)
    }

    /// Two numbers with the same offset.
    fn alike(&self, other: &Self) -> (Self, Self) {
        let offset = if self.known().is_some() { other.offset } else { self.offset };
        (self.based(offset), other.based(offset))
    }

    fn sign(&self) -> Lit {
        self.bit(usize::MAX)
    }

    /// `a + b + carry` in so many bits.
    fn sum(a: &dyn Fn(usize) -> Lit, b: &dyn Fn(usize) -> Lit, mut carry: Lit, width: usize) -> Vec<Lit> {
        let mut bits = Vec::with_capacity(width);
        for k in 0..width {
            let (a, b) = (a(k), b(k));
            let half = a ^ b;
            bits.push(half ^ carry);
            carry = half.select(carry, a);
        }
        bits
    }

    pub(crate) fn add(&self, other: &Self) -> Option<Self> {
        let (low, high) = (self.low.checked_add(other.low)?, self.high.checked_add(other.high)?);
        if let Some(value) = self.known() {
            return Some(Self { offset: other.offset.checked_add(value)?, low, high, ..other.clone() });
        } else if other.known().is_some() {
            return other.add(self);
        }
        let offset = self.offset.checked_add(other.offset)?;
        let width = width(low.checked_sub(offset)?, high.checked_sub(offset)?);
        let bits = Self::sum(&|k| self.bit(k), &|k| other.bit(k), Lit::ZERO, width);
        Some(Self::narrowed(bits, offset, low, high))
    }

    pub(crate) fn sub(&self, other: &Self) -> Option<Self> {
        if let Some(value) = other.known() {
            return self.add(&Self::constant(value.checked_neg()?));
        }
        let (low, high) = (self.low.checked_sub(other.high)?, self.high.checked_sub(other.low)?);
        let from = self.known().map_or_else(|| self.clone(), |value| Self::fixed(value, value));
        let offset = from.offset.checked_sub(other.offset)?;
        let width = width(low.checked_sub(offset)?, high.checked_sub(offset)?);
        let bits = Self::sum(&|k| from.bit(k), &|k| !other.bit(k), Lit::ONE, width);
        Some(Self::narrowed(bits, offset, low, high))
    }

    pub(crate) fn neg(&self) -> Option<Self> {
        Self::constant(0).sub(self)
    }

    pub(crate) fn abs(&self) -> Option<Self> {
        let high = self.low.checked_neg()?.max(self.high);
        let low = if self.low <= 0 && self.high >= 0 { 0 } else { self.low.abs().min(self.high.abs()) };
        let plain = self.plain();
        Some(plain.sign().select_int(&plain.neg()?, &plain).within(low, high))
    }

    pub(crate) fn mul(&self, other: &Self) -> Option<Self> {
        // The known one, or the shorter one, decides what is added up.
        if self.known().is_some() && other.known().is_none()
            || self.bits.len() < other.bits.len() && other.known().is_none()
        {
            return other.mul(self);
        }
        let ends = [(self.low, other.low), (self.low, other.high), (self.high, other.low), (self.high, other.high)];
        let products: Option<Vec<i128>> = ends.iter().map(|(a, b)| a.checked_mul(*b)).collect();
        let products = products?;
        let (low, high) = (products.iter().copied().min()?, products.iter().copied().max()?);
        let (width, one, other) = (width(low, high), self.plain(), other.plain());
        let mut total = vec![Lit::ZERO; width];
        for (k, &bit) in other.bits.iter().enumerate().take(width) {
            // The sign counts negative.
            let negative = k + 1 == other.bits.len();
            let part = |j: usize| if j < k { Lit::ZERO } else { bit & one.bit(j - k) };
            let part = |j: usize| if negative { !part(j) } else { part(j) };
            if bit != Lit::ZERO {
                total = Self::sum(&|j| total[j], &part, Lit::of(negative), width);
            }
        }
        Some(Self::narrowed(total, 0, low, high))
    }

    /// Quotient, rounded down, and rest, which has the sign of the divisor. Where the divisor is 0 they mean nothing; `None` if there are
    /// too many divisors.
    pub(crate) fn divide(&self, by: &Self) -> Option<(Self, Self)> {
        if by.high - by.low >= FEW {
            return None;
        }
        let mut found: Option<(Self, Self)> = None;
        for divisor in (by.low..=by.high).filter(|divisor| *divisor != 0) {
            let (quotient, rest) = self.divide_by(divisor)?;
            let chosen = by.equal(&Self::constant(divisor));
            found = Some(match found {
                None => (quotient, rest),
                Some((q, r)) => (chosen.select_int(&quotient, &q), chosen.select_int(&rest, &r)),
            });
        }
        Some(found.unwrap_or_else(|| (Self::constant(0), Self::constant(0))))
    }

    fn divide_by(&self, divisor: i128) -> Option<(Self, Self)> {
        if divisor < 0 {
            let (quotient, rest) = self.neg()?.divide_by(divisor.checked_neg()?)?;
            return Some((quotient, rest.neg()?));
        }
        let (least, most) = (self.low.div_euclid(divisor), self.high.div_euclid(divisor));
        let rests = if least == most {
            (self.low.rem_euclid(divisor), self.high.rem_euclid(divisor))
        } else {
            (0, divisor - 1)
        };
        if self.bits.len() <= SMALL + 1 {
            let quotient = self.tabulated(&|value| value.div_euclid(divisor), least, most);
            return Some((quotient, self.tabulated(&|value| value.rem_euclid(divisor), rests.0, rests.1)));
        }
        if divisor & (divisor - 1) == 0 {
            let (shift, plain) = (divisor.trailing_zeros() as usize, self.plain());
            let quotient = (shift..shift.max(plain.bits.len() - 1) + 1).map(|k| plain.bit(k)).collect();
            let rest = (0..shift).map(|k| plain.bit(k)).chain([Lit::ZERO]).collect();
            return Some((Self::narrowed(quotient, 0, least, most), Self::narrowed(rest, 0, rests.0, rests.1)));
        }
        // What is left over is made positive, and the largest multiples are taken away first.
        let mut rest = self.sub(&Self::constant(least.checked_mul(divisor)?))?.plain();
        let mut quotient = Self::constant(least);
        for k in (0..width(0, most - least)).rev() {
            let multiple = Self::constant(divisor.checked_mul(1 << k)?);
            if rest.high < multiple.low {
                continue;
            }
            let less = rest.sub(&multiple)?.plain();
            let fits = !less.sign();
            rest = fits.select_int(&less.clone().within(0, less.high), &rest).within(0, multiple.low - 1);
            quotient = quotient.add(&fits.select_int(&Self::constant(1 << k), &Self::constant(0)))?;
        }
        Some((quotient.within(least, most), rest.within(rests.0, rests.1)))
    }

    /// A function of a number of few bits, between these bounds, bit by bit as a table. Of what the number cannot be it is anything.
    fn tabulated(&self, function: &dyn Fn(i128) -> i128, low: i128, high: i128) -> Self {
        let places = 1_usize << self.bits.len();
        let value = |place: usize| {
            let signed = if place * 2 >= places { place as i128 - places as i128 } else { place as i128 };
            Some(self.offset + signed).filter(|value| (self.low..=self.high).contains(value))
        };
        let bit = |k: usize| {
            let table: Vec<Option<bool>> =
                (0..places).map(|place| value(place).map(|value| function(value) >> k & 1 == 1)).collect();
            decided(&self.bits, &table)
        };
        Self::narrowed((0..width(low, high)).map(bit).collect(), 0, low, high)
    }

    /// This to a power that is not negative; `None` if there are too many powers, or they are too large.
    pub(crate) fn power(&self, exponent: &Self) -> Option<Self> {
        let (from, to) = (exponent.low.max(0), exponent.high.max(0));
        if to >= FEW {
            return None;
        }
        let (mut power, mut found) = (Self::constant(1), None);
        for k in 0..=to {
            if k >= from {
                let chosen = exponent.equal(&Self::constant(k));
                found = Some(found.map_or_else(|| power.clone(), |other| chosen.select_int(&power, &other)));
            }
            if k < to {
                power = power.mul(self)?;
            }
        }
        found
    }

    /// The least k with 2^k at least this, which is at least 1.
    pub(crate) fn ceil_log2(&self) -> Self {
        let top = self.plain().bits.len();
        (0..top).fold(Self::constant(0), |found, k| {
            // 2^k is less than this.
            let more = Self::constant(1 << k).less(self);
            more.select_int(&Self::constant(k as i128 + 1), &found)
        })
    }

    pub(crate) fn equal(&self, other: &Self) -> Lit {
        if self.high < other.low || other.high < self.low {
            return Lit::ZERO;
        }
        let (one, other) = self.alike(other);
        let top = one.bits.len().max(other.bits.len());
        (0..top).fold(Lit::ONE, |equal, k| equal & !(one.bit(k) ^ other.bit(k)))
    }

    pub(crate) fn less(&self, other: &Self) -> Lit {
        if self.high < other.low {
            return Lit::ONE;
        }
        if self.low >= other.high {
            return Lit::ZERO;
        }
        // From the lowest bit up: the last that differs decides, the sign the other way round.
        let (one, other) = self.alike(other);
        let top = one.bits.len().max(other.bits.len());
        (0..top).fold(Lit::ZERO, |less, k| {
            let (a, b) = if k + 1 == top { (other.bit(k), one.bit(k)) } else { (one.bit(k), other.bit(k)) };
            (a ^ b).select(b, less)
        })
    }

    pub(crate) fn is_zero(&self) -> Lit {
        self.equal(&Self::constant(0))
    }

    /// Whether it is one of the numbers from `low` to `high`.
    pub(crate) fn is_between(&self, low: i128, high: i128) -> Lit {
        !self.less(&Self::constant(low)) & !Self::constant(high).less(self)
    }
}

/// Chooses between numbers.
pub(crate) trait Choose {
    fn select_int(self, then: &Int, otherwise: &Int) -> Int;
}

impl Choose for Lit {
    fn select_int(self, then: &Int, otherwise: &Int) -> Int {
        match self.constant() {
            Some(true) => return then.clone(),
            Some(false) => return otherwise.clone(),
            None => {}
        }
        let (low, high) = (then.low.min(otherwise.low), then.high.max(otherwise.high));
        let (then, otherwise) = then.alike(otherwise);
        let offset = then.offset;
        let width = width(low - offset, high - offset);
        let bits = (0..width).map(|k| self.select(then.bit(k), otherwise.bit(k))).collect();
        Int { bits, offset, low, high }
    }
}

/// What a table says at the place that some bits spell, where `None` may be anything.
fn decided(bits: &[Lit], table: &[Option<bool>]) -> Lit {
    let mut known = table.iter().flatten();
    let first = known.next().copied().unwrap_or(false);
    let Some((&top, rest)) = bits.split_last().filter(|_| known.any(|&truth| truth != first)) else {
        return Lit::of(first);
    };
    let (low, high) = table.split_at(table.len() / 2);
    // Two halves that do not contradict each other are one.
    if low.iter().zip(high).all(|(low, high)| low.is_none() || high.is_none() || low == high) {
        let both: Vec<Option<bool>> = low.iter().zip(high).map(|(low, high)| low.or(*high)).collect();
        return decided(rest, &both);
    }
    top.select(decided(rest, high), decided(rest, low))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Cone, in_fresh_arena};

    /// Every operation on all numbers of some ranges, against plain arithmetic.
    #[test]
    fn arithmetic_is_that_of_numbers() {
        for (low, high) in [(0, 1), (0, 6), (-3, 4), (-8, -2), (5, 5), (-1, 0), (1, 12)] {
            for (least, most) in [(0, 1), (0, 3), (-2, 5), (3, 3), (-4, -1), (1, 7)] {
                in_fresh_arena(Box::new(|| None), || check((low, high), (least, most)));
            }
        }
    }

    fn input(low: i128, high: i128) -> (Vec<Lit>, Int) {
        let bits: Vec<Lit> = (1..width(0, high - low)).map(|_| Lit::input()).collect();
        let int = Int::unsigned(&bits, low).within(low, high);
        (bits, int)
    }

    fn check((low, high): (i128, i128), (least, most): (i128, i128)) {
        let ((a_bits, a), (b_bits, b)) = (input(low, high), input(least, most));
        let mut ints = vec![a.add(&b), a.sub(&b), a.mul(&b), a.neg(), a.abs(), Some(a.less(&b).select_int(&a, &b))];
        let divided = a.divide(&b).unwrap();
        ints.extend([Some(divided.0), Some(divided.1), a.power(&b)]);
        let truths = [a.equal(&b), a.less(&b), a.is_zero(), a.is_between(least, most)];
        let ints: Vec<Int> = ints.into_iter().map(Option::unwrap).collect();
        let log = (low >= 1).then(|| a.ceil_log2().plain());
        let ints: Vec<Int> = ints.iter().map(Int::plain).collect();
        let outputs: Vec<Lit> = ints.iter().chain(&log).flat_map(|int| int.bits.clone()).chain(truths).collect();
        let inputs: Vec<Lit> = a_bits.iter().chain(&b_bits).copied().collect();
        let cone = Cone::of(&inputs, &outputs);
        for (x, y) in (low..=high).flat_map(|x| (least..=most).map(move |y| (x, y))) {
            let given =
                |bits: &[Lit], value: i128| (0..bits.len()).map(move |k| value >> k & 1 == 1).collect::<Vec<_>>();
            let values = cone.evaluate(&[given(&a_bits, x - low), given(&b_bits, y - least)].concat());
            let mut at = 0;
            let mut read = |int: &Int| {
                let bits = &values[at..at + int.bits.len()];
                at += int.bits.len();
                let sign = i128::from(bits[bits.len() - 1]) << (bits.len() - 1);
                bits[..bits.len() - 1].iter().enumerate().fold(-sign, |sum, (k, &bit)| sum + (i128::from(bit) << k))
            };
            let got: Vec<i128> = ints.iter().map(&mut read).collect();
            assert_eq!(got[..6], [x + y, x - y, x * y, -x, x.abs(), x.min(y)], "{x} {y}");
            if y != 0 {
                let floor = (x as f64 / y as f64).floor() as i128;
                assert_eq!(got[6..8], [floor, x - floor * y], "{x} divided by {y}");
            }
            if y >= 0 {
                assert_eq!(got[8], x.pow(y as u32), "{x} to the power {y}");
            }
            let inside = |(int, got): (&Int, &i128)| (int.low..=int.high).contains(got);
            assert!(y <= 0 || ints.iter().zip(&got).all(inside), "{x} {y}: {got:?} outside of ranges");
            if let Some(log) = &log {
                assert_eq!(read(log), (0..).find(|k| 1_i128 << k >= x).unwrap(), "the logarithm of {x}");
            }
            let truths = &values[values.len() - 4..];
            assert_eq!(truths, [x == y, x < y, x == 0, (least..=most).contains(&x)], "{x} {y}");
        }
    }
}
