//! What the paper says of chances alone, computed: how soon a sequence occurs (Lemma "base"), and the lottery game (Lemmas "upper_wl" and
//! "lower_wl"). Nothing is sampled; logarithms have base 2.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::ops::AddAssign;

use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};

// --- Lemma base -----------------------------------------------------------------------------------------------

/// How many of the `n^steps` sequences of interactions do not contain a given one of this length: its next interaction comes with
/// probability 1/n at each step, whichever it is, so that fewer than `length` of the steps have brought it on.
fn too_late(n: u32, length: u64, steps: u64) -> BigUint {
    // Of `i` successes in `steps` trials: binomial(steps, i) (n-1)^(steps-i), each from the one before.
    let mut term = BigUint::from(n - 1).pow(steps as u32);
    let mut sum = BigUint::zero();
    for i in 0..length.min(steps + 1) {
        sum += &term;
        term = term * (steps - i) / ((i + 1) * u64::from(n - 1));
    }
    sum
}

/// The greatest whole number that is at most `2n(length + 4c log n)`.
fn in_time(n: u32, length: u64, c: u32) -> u64 {
    2 * u64::from(n) * length + (BigUint::from(n).pow(8 * n * c).bits() - 1)
}

/// The expectation is `n length`, since each interaction is waited for `n` steps; the tail is at most `n^-c`.
#[test]
fn a_sequence_occurs_as_soon_as_lemma_base_says() {
    let mut looked = 0;
    for n in (3..=12).chain([16, 24, 32, 48, 64]) {
        for length in [1, 2, 3, 5, 8, 13, 21, 34, 55, 89] {
            for c in 1..=3 {
                let steps = in_time(n, length, c);
                let late = too_late(n, length, steps) * BigUint::from(n).pow(c);
                assert!(late <= BigUint::from(n).pow(steps as u32), "n = {n}, length {length}, c = {c}");
                looked += 1;
            }
        }
    }
    assert_eq!(looked, 450);
}

/// Every sequence of interactions, one by one.
#[test]
fn the_tail_is_that_of_all_sequences() {
    for (n, word, steps) in [(3_u32, &[0_u32, 1, 2][..], 9), (3, &[1, 1], 8), (4, &[2, 0, 2, 3], 8), (5, &[4], 6)] {
        let without = (0..u64::from(n).pow(steps)).filter(|&code| {
            let (mut rest, mut done) = (code, 0);
            for _ in 0..steps {
                done += usize::from(word.get(done) == Some(&((rest % u64::from(n)) as u32)));
                rest /= u64::from(n);
            }
            done < word.len()
        });
        assert_eq!(too_late(n, word.len() as u64, u64::from(steps)), BigUint::from(without.count()), "{word:?}");
    }
}

// --- The lottery game -----------------------------------------------------------------------------------------

/// What the numbers of the game are counted in.
trait Weight: Clone + Zero + One + AddAssign {
    /// Half of it, where weights are chances; all of it where they are numbers of sequences.
    fn flipped(&self) -> Self;
}

impl Weight for BigUint {
    fn flipped(&self) -> Self {
        self.clone()
    }
}

impl Weight for f64 {
    fn flipped(&self) -> Self {
        self / 2.0
    }
}

/// `WL(k, flips)`: the weight of each number of wins, those of `most` and more together.
fn wins<W: Weight>(k: usize, flips: u64, most: usize) -> Vec<W> {
    // By the heads in a row so far, and the wins.
    let mut now = vec![vec![W::zero(); most + 1]; k];
    now[0][0] = W::one();
    for _ in 0..flips {
        let mut next = vec![vec![W::zero(); most + 1]; k];
        for (heads, row) in now.iter().enumerate() {
            for (won, weight) in row.iter().enumerate() {
                let weight = weight.flipped();
                next[0][won] += weight.clone();
                if heads + 1 == k {
                    next[0][(won + 1).min(most)] += weight;
                } else {
                    next[heads + 1][won] += weight;
                }
            }
        }
        now = next;
    }
    (0..=most).map(|won| now.iter().fold(W::zero(), |sum, row| sum + row[won].clone())).collect()
}

/// What a chance in floating point is at most: nothing is subtracted, halves are exact but for the smallest numbers, and of every number
/// at most `k + 1` sums are rounded a flip.
fn at_most(chance: f64, k: usize, flips: u64) -> f64 {
    chance * (1.0 + (k + 1) as f64 * flips as f64 * f64::EPSILON) + f64::MIN_POSITIVE
}

/// The `k` that are looked at, each with its `c`. With `c = 6`, that is kappa_max = 48psi, Lemmas "keep_construction" and "absorbed" use them.
const GAMES: [(usize, &[u32]); 10] = [
    (1, &[1, 2, 3, 8]),
    (2, &[1, 2, 3, 6, 8]),
    (3, &[1, 2, 3, 6]),
    (4, &[1, 2, 3, 6]),
    (5, &[1, 2, 6]),
    (6, &[1, 2, 6]),
    (7, &[1]),
    (8, &[1]),
    (9, &[1]),
    (10, &[1]),
];

/// `Pr(WL(k, 4ck 2^k) < 8ck) >= 1 - 2^-ck`.
#[test]
fn upper_wl_holds() {
    for (k, c) in GAMES.into_iter().flat_map(|(k, all)| all.iter().map(move |&c| (k, c))) {
        let (ck, flips) = (c as usize * k, 4 * u64::from(c) * k as u64 * (1 << k));
        let many = wins::<f64>(k, flips, 8 * ck)[8 * ck];
        assert!(at_most(many, k, flips) <= 0.5_f64.powi(ck as i32), "k = {k}, c = {c}: {many}");
    }
}

/// `Pr(WL(k, 64ck 2^k) > 8ck) >= 1 - 2^-ck`.
#[test]
fn lower_wl_holds() {
    for (k, c) in GAMES.into_iter().flat_map(|(k, all)| all.iter().map(move |&c| (k, c))) {
        let (ck, flips) = (c as usize * k, 64 * u64::from(c) * k as u64 * (1 << k));
        let few: f64 = wins::<f64>(k, flips, 8 * ck + 1)[..=8 * ck].iter().sum();
        assert!(at_most(few, k, flips) <= 0.5_f64.powi(ck as i32), "k = {k}, c = {c}: {few}");
    }
}

/// Sequences of flips are counted, played one by one where there are few, and both agree with the chances.
#[test]
fn the_game_is_counted_right() {
    for (k, flips) in [(1, 10), (2, 12), (3, 14)] {
        let counted = wins::<BigUint>(k, flips, flips as usize);
        let mut played = vec![0_u64; flips as usize + 1];
        for code in 0..1_u64 << flips {
            let (mut won, mut row) = (0, 0);
            for flip in 0..flips {
                row = if code >> flip & 1 == 1 { row + 1 } else { 0 };
                if row == k {
                    (won, row) = (won + 1, 0);
                }
            }
            played[won] += 1;
        }
        assert_eq!(counted, played.into_iter().map(BigUint::from).collect::<Vec<_>>(), "k = {k}");
    }
    for (k, c) in [(2, 1), (3, 1), (4, 1)] {
        let (flips, most) = (4 * c * k as u64 * (1 << k), 8 * k);
        let (counted, chances) = (wins::<BigUint>(k, flips, most), wins::<f64>(k, flips, most));
        for (count, chance) in counted.iter().zip(&chances) {
            let exact = count.to_f64().unwrap() / 2.0_f64.powi(flips as i32);
            assert!((exact - chance).abs() <= 1e-9 * exact + f64::MIN_POSITIVE, "k = {k}: {exact} {chance}");
        }
    }
}

/// The numbers of the lemmas cannot be moved at will: a quarter of the flips is too few for `lower_wl`'s wins, eight times as many too many
/// for `upper_wl`'s.
#[test]
fn other_numbers_would_be_wrong() {
    let (k, ck) = (4, 4);
    let few: f64 = wins::<f64>(k, 16 * ck as u64 * (1 << k) / 2, 8 * ck + 1)[..=8 * ck].iter().sum();
    assert!(few > 0.5_f64.powi(ck as i32), "{few}");
    let many = wins::<f64>(k, 32 * ck as u64 * (1 << k), 8 * ck)[8 * ck];
    assert!(many > 0.5_f64.powi(ck as i32), "{many}");
}
