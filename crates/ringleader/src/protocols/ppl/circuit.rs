//! P_PL as a Boolean circuit, to be read beside `ppl.rs`: the same procedures in the same order, with the paper's line
//! numbers. What the pseudocode decides by `if`, the circuit computes in every lane; a change is made where its condition holds
//! and the lane is in `when`. Each procedure reads its planes, and writes them before the next begins, so that
//! few of them are needed at a time.
//!
//! Numbers are held in the form in which the questions asked of them are cheap. The widths are `W` bits, with `psi <= 2^W`, and `K`
//! bits, with `kappa_max < 2^K`:
//! - `dist = psi * half + offset`, and `offset` is counted so that `psi - 1` is the largest number of `W` bits;
//! - a token with `token[1] > 0` has `right` and the way `token[1] - 1`; one with `token[1] < 0` has the way
//!   `token[1] + psi`; bottom has neither;
//! - `hits = psi` is a plane of its own, as no interaction leaves it behind;
//! - `clock` is counted so that `kappa_max` is the largest number of `K` bits.

use super::{BLACK, Mode, PplOf, State, Token, WHITE};
use crate::circuit::{At, Bit, Circuit, Uint, Wires};
use crate::protocols::elim::circuit::Warrior;

/// P_PL as a circuit with numbers of `W` and `K` bits.
#[derive(Clone, Copy, Debug)]
pub struct PplCircuit<const W: usize, const K: usize> {
    prime: bool,
    psi: u32,
    kappa_max: u32,
}

const LEADER: usize = 0;
/// *EliminateLeaders* sees the planes up to here.
const WAR: usize = 5;
const B: usize = 5;
const LAST: usize = 6;
const DETECT: usize = 7;
const HALF: usize = 8;
/// `hits = psi`.
const FULL: usize = 9;

/// Where a token stands among the planes of an agent.
#[derive(Clone, Copy)]
struct Place<const W: usize> {
    right: usize,
    way: At<W>,
    bit: usize,
    carry: usize,
}

impl<const W: usize> Place<W> {
    const fn from(first: usize) -> Self {
        Self { right: first, bit: first + 1, carry: first + 2, way: At(first + 3) }
    }
}

impl<const W: usize, const K: usize> PplCircuit<W, K> {
    const OFFSET: At<W> = At(10);
    const HITS: At<W> = At(10 + W);
    const TOKEN: [Place<W>; 2] = [Place::from(10 + 2 * W), Place::from(13 + 3 * W)];
    const CLOCK: At<K> = At(16 + 4 * W);
    const SIGNAL_R: At<K> = At(16 + 4 * W + K);
    const PLANES: usize = 16 + 4 * W + 2 * K;

    /// The circuit of this protocol, if its numbers fit the widths.
    #[must_use]
    pub fn new<const PRIME: bool>(ppl: &PplOf<PRIME>) -> Option<Self> {
        let fits = u32::from(ppl.psi) <= 1 << W && u32::from(ppl.kappa_max) < 1 << K;
        fits.then_some(Self { prime: PRIME, psi: ppl.psi.into(), kappa_max: ppl.kappa_max.into() })
    }

    /// What stands for the offset 0.
    #[inline(always)]
    fn first(&self) -> u32 {
        (1 << W) - self.psi
    }

    /// What stands for the clock 0.
    #[inline(always)]
    fn midnight(&self) -> u32 {
        (1 << K) - 1 - self.kappa_max
    }

    /// Algorithm 1. Tells where the right agent becomes a leader, or ceases to be one.
    #[inline(always)]
    fn both<T: Bit>(&self, l: &mut [T], r: &mut [T], kappa: Uint<T, K>, when: T) -> T {
        let leader = r[LEADER];
        self.create_leader(l, r, kappa, when); // 1
        let war = l[LEADER] | r[LEADER] | l[1] | l[2] | l[4] | r[4];
        if (when & war).any() {
            let (mut u, mut v) = (Warrior::load(&l[..WAR]), Warrior::load(&r[..WAR]));
            Warrior::eliminate_leaders(&mut u, &mut v); // 2
            u.store(&mut l[..WAR], when);
            v.store(&mut r[..WAR], when);
        }
        leader ^ r[LEADER]
    }

    /// Lines 6 and 20.
    #[inline(always)]
    fn become_leader<T: Bit>(r: &mut [T], when: T) {
        if when.any() {
            let mut v = Warrior::load(&r[..WAR]);
            v.become_leader(when);
            v.store(&mut r[..WAR], when);
        }
    }

    /// Algorithm 2.
    #[inline(always)]
    fn create_leader<T: Bit>(&self, l: &mut [T], r: &mut [T], kappa: Uint<T, K>, when: T) {
        self.determine_mode(l, r, kappa, when); // 3
        let detect = if self.prime { T::ZERO } else { when & r[DETECT] };
        self.measure(l, r, when, detect); // 4-9
        self.move_token(l, r, BLACK, when, detect); // 10
        self.move_token(l, r, WHITE, when, detect); // 11
    }

    /// Lines 4-9.
    #[inline(always)]
    fn measure<T: Bit>(&self, l: &mut [T], r: &mut [T], when: T, detect: T) {
        let (next, wraps) = Self::OFFSET.of(l).plus_with_carry(T::ONE);
        let (offset, leader) = (Self::OFFSET.of(r), r[LEADER]);
        let tmp = next.set(wraps | leader, self.first()); // 4
        let tmp_half = (l[HALF] ^ wraps) & !leader;
        let wrong = tmp.differs(offset) | (tmp_half ^ r[HALF]);
        Self::become_leader(r, detect & wrong); // 5-6
        let construct = when & !detect; // 7
        let offset = Uint::select(construct, tmp, offset); // 8
        Self::OFFSET.put(r, offset);
        r[HALF] = construct.select(tmp_half, r[HALF]);
        let last = r[LEADER] | (r[LAST] & !offset.equals(self.first()));
        l[LAST] = when.select(last, l[LAST]); // 9
    }

    /// Whether an agent has a token, and the token is valid: `Valid(v, d)`. Where the token aims at lies in the other half if
    /// `offset` and the way add up to more than `W` bits; a token to the left must not aim at a border.
    #[inline(always)]
    fn keeps<T: Bit>(v: &[T], c: usize) -> T {
        let place = Self::TOKEN[c];
        let (right, way) = (v[place.right], place.way.of(v));
        let (inside, beyond) = Self::OFFSET.of(v).sum(way, right);
        let half = if c == BLACK { v[HALF] } else { !v[HALF] };
        (right | way.positive()) & (beyond ^ half) & (right | inside.positive())
    }

    /// Algorithm 3.
    #[inline(always)]
    fn move_token<T: Bit>(&self, l: &mut [T], r: &mut [T], c: usize, when: T, detect: T) {
        let place = Self::TOKEN[c];
        let (l_keeps, r_keeps) = (Self::keeps(l, c), Self::keeps(r, c)); // 12
        let go = when & !(l[LAST] | r[LAST]); // 13
        let border = Self::OFFSET.of(l).equals(self.first()) & if c == BLACK { !l[HALF] } else { l[HALF] };
        let fresh = go & border & !l_keeps; // 14
        let way = place.way.of(l).set(fresh, self.psi - 1); // 15
        let (bit, carry) = (fresh.select(!l[B], l[place.bit]), fresh.select(l[B], l[place.carry]));
        let (l_right, r_right) = (l[place.right] | fresh, r[place.right]);
        let l_has = (l_keeps | fresh) & !(go & r_keeps); // 16-17
        let right = go & l_has & l_right; // 18, 25
        let left = go & r_keeps & !r_right; // 28, 31; never together with `right`, by Line 17
        let (l_stays, r_stays) = (!when | (l_has & !right), !when | (r_keeps & !left)); // 12, 17, 24, 27, 30, 33

        let (r_way, r_bit, r_carry) = (place.way.of(r), r[place.bit], r[place.carry]);
        let hits = right & !way.positive();
        let mut arrived = way.minus(!hits).only(right); // 26
        arrived.0[0] = arrived.0[0] | hits; // 23
        place.way.put(r, arrived.or(r_way.only(r_stays)));
        r[place.right] = (right & !hits) | (r_right & r_stays);
        (r[place.bit], r[place.carry]) = (right.select(bit, r_bit), right.select(carry, r_carry));

        let turns = left & r_way.equals(self.psi - 1);
        place.way.put(l, r_way.plus(!turns).only(left).or(way.only(l_stays))); // 32
        l[place.right] = turns | (l_right & l_stays); // 29
        l[place.bit] = turns.select(l[B] ^ r_carry, left.select(r_bit, bit));
        l[place.carry] = turns.select(l[B] & r_carry, left.select(r_carry, carry));

        let wrong = hits & (bit ^ r[B]);
        r[B] = r[B] ^ (wrong & !detect); // 21-22
        Self::become_leader(r, wrong & detect); // 19-20
    }

    /// Algorithm 4. What stands for the clock 0 is `kappa` with all bits turned over.
    #[inline(always)]
    fn determine_mode<T: Bit>(&self, l: &mut [T], r: &mut [T], kappa: Uint<T, K>, when: T) {
        let (u, v, hits) = (Self::SIGNAL_R.of(l), Self::SIGNAL_R.of(r), Self::HITS.of(r));
        let mut full = when & (r[FULL] | hits.equals(self.psi - 1)); // 37
        let signal = when & (l[LEADER] | u.positive() | v.positive()); // 38
        let mut absorbs = T::ZERO;
        if signal.any() {
            for agent in [&mut *l, &mut *r] {
                Self::CLOCK.put(agent, Uint::select(signal, kappa.complement(), Self::CLOCK.of(agent))); // 39
            }
            let u = Uint::select(l[LEADER], kappa, u); // 34-35
            absorbs = signal & u.at_least_that(v); // 40
            full = full & !absorbs;
            Self::SIGNAL_R.put(r, Uint::select(absorbs, u, v).minus(full & signal)); // 41, 43-44
            Self::SIGNAL_R.put(l, Self::SIGNAL_R.of(l).only(!signal)); // 42
        }
        Self::HITS.put(l, Self::HITS.of(l).only(!when)); // 36
        Self::HITS.put(r, hits.plus(when).only(!(full | absorbs))); // 37, 41, 45, 48
        (l[FULL], r[FULL]) = (l[FULL] & !when, r[FULL] & !when);
        let ticks = full & !signal; // 46
        if ticks.any() {
            let clock = Self::CLOCK.of(r);
            Self::CLOCK.put(r, clock.plus(ticks & !clock.largest())); // 47
        }
        for agent in [l, r] {
            agent[DETECT] = when.select(Self::CLOCK.of(agent).largest(), agent[DETECT]); // 49-50
        }
    }
}

impl<const W: usize, const K: usize> Circuit for PplCircuit<W, K> {
    type State = State;
    type Core = Self;

    fn core(&self) -> &Self {
        self
    }

    fn planes(&self) -> usize {
        Self::PLANES
    }

    #[inline(always)]
    fn interact<T: Bit>(&self, l: &mut [T], r: &mut [T], _: &[T], when: T) -> T {
        let kappa = Uint::constant(self.kappa_max);
        self.both(&mut l[..Self::PLANES], &mut r[..Self::PLANES], kappa, when)
    }

    fn leader_plane(&self) -> Option<usize> {
        Some(LEADER)
    }

    /// Equation (1) or the rule of `last` (Line 9) is violated.
    #[inline(always)]
    fn unsettled<T: Bit>(&self, l: &[T], r: &[T]) -> T {
        let (l, r) = (&l[..Self::PLANES], &r[..Self::PLANES]);
        let (next, wraps) = Self::OFFSET.of(l).plus_with_carry(T::ONE);
        let (offset, leader) = (Self::OFFSET.of(r), r[LEADER]);
        let tmp = next.set(wraps | leader, self.first());
        let wrong = tmp.differs(offset) | (((l[HALF] ^ wraps) & !leader) ^ r[HALF]);
        wrong | (l[LAST] ^ (leader | (r[LAST] & !offset.equals(self.first()))))
    }

    fn encode(&self, state: &State) -> u128 {
        let mut planes = [false; 128];
        let (dist, psi, hits) = (u32::from(state.dist), self.psi, u32::from(state.hits));
        Warrior::of(state).store(&mut planes[..WAR], true);
        (planes[B], planes[LAST], planes[DETECT]) = (state.b == 1, state.last == 1, state.mode == Mode::Detect);
        (planes[HALF], planes[FULL]) = (dist >= psi, hits == psi);
        Self::OFFSET.put(&mut planes, Uint::constant(self.first() + dist % psi));
        Self::HITS.put(&mut planes, Uint::constant(hits % psi));
        for (place, token) in Self::TOKEN.into_iter().zip(state.token) {
            let Some(Token { pos, bit, carry }) = token else { continue };
            (planes[place.right], planes[place.bit], planes[place.carry]) = (pos > 0, bit == 1, carry == 1);
            let way = if pos > 0 { i32::from(pos) - 1 } else { i32::from(pos) + psi as i32 };
            place.way.put(&mut planes, Uint::constant(way as u32));
        }
        Self::CLOCK.put(&mut planes, Uint::constant(self.midnight() + u32::from(state.clock)));
        Self::SIGNAL_R.put(&mut planes, Uint::constant(state.signal_r.into()));
        (0..Self::PLANES).map(|p| u128::from(planes[p]) << p).sum()
    }

    fn decode(&self, code: u128) -> State {
        let planes: [bool; 128] = std::array::from_fn(|p| code >> p & 1 == 1);
        let number = |at: At<W>| at.of(&planes).number();
        let token = |place: Place<W>| {
            let (right, way) = (planes[place.right], number(place.way) as i32);
            let pos = if right { way + 1 } else { way - self.psi as i32 } as i8;
            let token = Token { pos, bit: planes[place.bit].into(), carry: planes[place.carry].into() };
            (right || way > 0).then_some(token)
        };
        let half = if planes[HALF] { self.psi } else { 0 };
        let full = if planes[FULL] { self.psi } else { 0 };
        let mut state = State {
            b: planes[B].into(),
            dist: (half + number(Self::OFFSET)).wrapping_sub(self.first()) as u8,
            last: planes[LAST].into(),
            token: [token(Self::TOKEN[0]), token(Self::TOKEN[1])],
            mode: if planes[DETECT] { Mode::Detect } else { Mode::Construct },
            clock: Self::CLOCK.of(&planes).number().wrapping_sub(self.midnight()) as u16,
            signal_r: Self::SIGNAL_R.of(&planes).number() as u16,
            hits: (full + number(Self::HITS)) as u8,
            ..State::default()
        };
        Warrior::load(&planes[..WAR]).put(&mut state);
        state
    }
}

/// The same circuit for every `kappa_max` at once, which it is told by its inputs, the lowest bit first. Clocks are counted up to the largest
/// number whatever `kappa_max` is, so only what stands for the clock 0 moves.
#[derive(Clone, Copy, Debug)]
pub struct AnyKappa<const W: usize, const K: usize>(pub PplCircuit<W, K>);

impl<const W: usize, const K: usize> Circuit for AnyKappa<W, K> {
    type State = State;
    type Core = Self;

    fn core(&self) -> &Self {
        self
    }

    fn planes(&self) -> usize {
        self.0.planes()
    }

    fn inputs(&self) -> usize {
        K
    }

    /// Not a coin: the `kappa_max` of the protocol.
    fn encode_coin(&self, _: u64) -> u64 {
        self.0.kappa_max.into()
    }

    fn encode(&self, state: &State) -> u128 {
        self.0.encode(state)
    }

    fn decode(&self, code: u128) -> State {
        self.0.decode(code)
    }

    fn interact<T: Bit>(&self, l: &mut [T], r: &mut [T], input: &[T], when: T) -> T {
        self.0.both(l, r, At::<K>(0).of(input), when)
    }
}
