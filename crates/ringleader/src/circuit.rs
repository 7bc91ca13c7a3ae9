//! One circuit, several readings: an interaction as a Boolean circuit, generic over what a bit is.
//!
//! A bit is `bool` for tests, or one bit of many rings at once ([`Lanes64`] and its wider kin) for speed; a literal of a
//! SAT solver fits as well, since no reading may branch on the value of a bit except through [`Bit::any`], which may always
//! answer yes. Small unsigned integers are arrays of bits, least significant first ([`Uint`]).

use std::ops::ControlFlow::{Break, Continue};
use std::ops::{BitAnd, BitOr, BitXor, Not};

mod agent;
mod uint;
mod wires;

pub use agent::{Agent, Question, Read};
pub use uint::{At, Uint};
pub use wires::{Visit, Wires, code, from_code};

/// What a circuit computes with.
pub trait Bit:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
    /// False in every lane.
    const ZERO: Self;
    /// True in every lane.
    const ONE: Self;

    /// `then` where `self` holds, `otherwise` elsewhere.
    #[inline(always)]
    #[must_use]
    fn select(self, then: Self, otherwise: Self) -> Self {
        (self & then) | (!self & otherwise)
    }

    /// Where at least two of the three hold.
    #[inline(always)]
    #[must_use]
    fn majority(a: Self, b: Self, c: Self) -> Self {
        (a & b) | (c & (a | b))
    }

    /// The same in every lane.
    #[inline(always)]
    #[must_use]
    fn constant(bit: bool) -> Self {
        if bit { Self::ONE } else { Self::ZERO }
    }

    /// Whether some lane may be set. A reading that cannot know says yes.
    #[inline(always)]
    fn any(self) -> bool {
        true
    }

    /// Words as the numbers that they are in memory, for machine code that is made at run time.
    #[inline(always)]
    fn wide(_: &mut [Self]) -> Wide<'_> {
        Wide::None
    }

    /// Does some work with the processor features of these words, in a function of its own: however often it is asked for, it is compiled
    /// once for each kind of word.
    #[inline(never)]
    fn work(task: &mut impl Task) {
        task.go();
    }
}

/// Work on words of one kind: `go` and all it calls must be `#[inline(always)]`.
pub trait Task {
    /// Does it.
    fn go(&mut self);
}

/// Words of many lanes in memory.
#[derive(Debug)]
pub enum Wide<'a> {
    /// Words of a reading for which there is no machine code.
    None,
    /// Words of 256 lanes, on a processor with AVX2.
    Avx2(&'a mut [[u64; 4]]),
    /// Words of 512 lanes, on a processor with AVX-512.
    Avx512(&'a mut [[u64; 8]]),
}

impl Bit for bool {
    const ZERO: Self = false;
    const ONE: Self = true;

    #[inline(always)]
    fn any(self) -> bool {
        self
    }
}

/// 64 lanes in a machine word: the portable reading.
pub type Lanes64 = u64;

impl Bit for u64 {
    const ZERO: Self = 0;
    const ONE: Self = u64::MAX;

    #[inline(always)]
    fn any(self) -> bool {
        self != 0
    }
}

/// Where all hold; the rest is not looked at once that is nowhere.
#[inline]
pub fn all<B: Bit>(bits: impl IntoIterator<Item = B>) -> B {
    let and = |sum: B, bit: B| {
        let sum = sum & bit;
        if sum.any() { Continue(sum) } else { Break(sum) }
    };
    match bits.into_iter().try_fold(B::ONE, and) {
        Continue(sum) | Break(sum) => sum,
    }
}

/// Where some hold; the rest is not looked at once that is everywhere.
#[inline]
pub fn any<B: Bit>(bits: impl IntoIterator<Item = B>) -> B {
    !all(bits.into_iter().map(|bit| !bit))
}

/// How many of these hold, as "at least k" for k = 1, 2, ...
#[must_use]
pub fn at_least<B: Bit>(bits: impl Iterator<Item = B>) -> Vec<B> {
    let mut count: Vec<B> = Vec::new();
    for bit in bits {
        count.push(B::ZERO);
        for k in (0..count.len()).rev() {
            let before = if k == 0 { B::ONE } else { count[k - 1] };
            count[k] = count[k] | (bit & before);
        }
    }
    count
}

/// Where both are equal.
#[inline(always)]
pub fn same<B: Bit>(a: B, b: B) -> B {
    !(a ^ b)
}

/// Where both hold; the second is not looked at where the first holds nowhere.
#[inline(always)]
pub fn and<B: Bit>(a: B, b: impl FnOnce() -> B) -> B {
    if a.any() { a & b() } else { a }
}

/// Where the first implies the second, which is not looked at where the first holds nowhere.
#[inline(always)]
pub fn implies<B: Bit>(a: B, b: impl FnOnce() -> B) -> B {
    if a.any() { !a | b() } else { B::ONE }
}

/// The second form of a protocol's transition: one interaction in all lanes at once.
///
/// An agent is a slice of [`Circuit::planes`] bits. Bit `k` of plane `p` is bit `p` of the code of the state in lane `k`.
pub trait Circuit: Clone + Send + Sync + 'static {
    /// The state of an agent in the clear form.
    type State: Copy + Eq + std::fmt::Debug;

    /// The circuit that runs: this one, or one of other states with the same codes, for which the engine is compiled already.
    type Core: Circuit;

    /// The circuit that runs.
    fn core(&self) -> &Self::Core;

    /// The number of bits of a state; at most 128.
    fn planes(&self) -> usize;

    /// The number of planes of input that an interaction reads: the bits of the coin.
    fn inputs(&self) -> usize {
        0
    }

    /// The bits of a state.
    fn encode(&self, state: &Self::State) -> u128;

    /// The state of these bits; of bits that no state has, anything.
    fn decode(&self, code: u128) -> Self::State;

    /// The bits of a coin.
    fn encode_coin(&self, _coin: u64) -> u64 {
        0
    }

    /// In which lanes an interaction of these two reads its coin, whatever an oracle says.
    fn reads_coin<B: Bit>(&self, _l: &[B], _r: &[B]) -> B {
        B::ZERO
    }

    /// One interaction in every lane of `when`; the other lanes keep their states. Tells in which lanes an output changed. An oracle, if one is
    /// asked, says that there is a leader.
    fn interact<B: Bit>(&self, l: &mut [B], r: &mut [B], input: &[B], when: B) -> B;

    /// The plane that says who is a leader, if a safe ring has exactly one.
    fn leader_plane(&self) -> Option<usize> {
        None
    }

    /// In which lanes these two neighbours show that their ring is not safe: a cheap condition that is necessary for safety.
    fn unsettled<B: Bit>(&self, _l: &[B], _r: &[B]) -> B {
        B::ZERO
    }

    /// The same without machine code that is made of it while the program runs; `None` if there never is any.
    fn interpreted(&self) -> Option<Self> {
        None
    }

    /// Why there is no machine code for so many lanes, if there might be some.
    fn without_code(&self, _lanes: usize) -> Option<String> {
        None
    }

    /// Whether the ring of these codes may be safe: a condition that is necessary, for circuits whose codes take long to decode.
    fn looks_safe(&self, _ring: &[u128]) -> bool {
        true
    }
}

/// Something to do with a circuit whose type is known only where its widths are.
pub trait WithCircuit<S> {
    /// What comes of it.
    type Output;

    /// Does it.
    fn with<C: Circuit<State = S>>(self, circuit: C) -> Self::Output;
}
