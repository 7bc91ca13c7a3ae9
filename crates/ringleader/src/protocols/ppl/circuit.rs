//! P_PL as a Boolean circuit, to be read beside `ppl.rs`: the same procedures in the same order, with the paper's line
//! numbers. What the pseudocode decides by `if`, the circuit computes in every lane and selects.
//!
//! Numbers have fixed widths so that a compiler can keep them in registers: `D` bits for `dist`, `hits` and the place of a
//! token, `K` bits for `clock` and `signal_R`. A token is its place `token[1] + psi - 1`, so that bottom is the place that
//! `token[1] = 0` would have.

use super::{BLACK, Mode, PplOf, State, Token, WHITE};
use crate::circuit::{Bit, Circuit, Uint};

/// P_PL as a circuit with numbers of `D` and `K` bits.
#[derive(Clone, Copy, Debug)]
pub struct PplCircuit<const PRIME: bool, const D: usize, const K: usize> {
    psi: u32,
    kappa_max: u32,
}

impl<const PRIME: bool, const D: usize, const K: usize> PplCircuit<PRIME, D, K> {
    /// The circuit of this protocol, if its numbers fit the widths.
    #[must_use]
    pub fn new(ppl: &PplOf<PRIME>) -> Option<Self> {
        let fits = 2 * u32::from(ppl.psi) <= 1 << D && u32::from(ppl.kappa_max) < 1 << K;
        fits.then_some(Self { psi: ppl.psi.into(), kappa_max: ppl.kappa_max.into() })
    }

    /// The place that stands for bottom.
    fn bottom(&self) -> u32 {
        self.psi - 1
    }
}

/// A token in every lane.
#[derive(Clone, Copy)]
struct Wired<B, const D: usize> {
    place: Uint<B, D>,
    bit: B,
    carry: B,
}

/// An agent in every lane.
#[derive(Clone, Copy)]
struct Agent<B, const D: usize, const K: usize> {
    leader: B,
    b: B,
    dist: Uint<B, D>,
    last: B,
    token: [Wired<B, D>; 2],
    detect: B,
    clock: Uint<B, K>,
    signal_r: Uint<B, K>,
    hits: Uint<B, D>,
    live: B,
    dummy: B,
    shield: B,
    signal_b: B,
}

impl<const PRIME: bool, const D: usize, const K: usize> PplCircuit<PRIME, D, K> {
    const PLANES: usize = 4 * D + 2 * K + 12;

    /// Algorithm 1.
    #[inline(always)]
    fn both<B: Bit>(&self, l: &mut Agent<B, D, K>, r: &mut Agent<B, D, K>) {
        self.create_leader(l, r); // 1
        Self::eliminate_leaders(l, r); // 2
    }

    /// Algorithm 2.
    #[inline(always)]
    fn create_leader<B: Bit>(&self, l: &mut Agent<B, D, K>, r: &mut Agent<B, D, K>) {
        self.determine_mode(l, r); // 3
        let detect = if PRIME { B::ZERO } else { r.detect };
        let wraps = l.dist.equals(2 * self.psi - 1);
        let tmp = l.dist.plus(B::ONE).only(!(r.leader | wraps)); // 4
        let differs = (0..D).fold(B::ZERO, |any, k| any | (tmp.0[k] ^ r.dist.0[k]));
        Self::become_leader(r, detect & differs); // 5-6
        r.dist = Uint::select(detect, r.dist, tmp); // 7-8
        let border = r.dist.equals(0) | r.dist.equals(self.psi);
        l.last = r.leader | (!border & r.last); // 9
        self.move_token(l, r, BLACK, 0, detect); // 10
        self.move_token(l, r, WHITE, self.psi, detect); // 11
    }

    /// Lines 6 and 20.
    #[inline(always)]
    fn become_leader<B: Bit>(r: &mut Agent<B, D, K>, when: B) {
        r.leader = r.leader | when;
        (r.live, r.dummy) = (r.live | when, r.dummy & !when);
        r.shield = r.shield | when;
        r.signal_b = r.signal_b & !when;
    }

    /// `Valid(v, d)`, where `v` has a token. With `x = dist + token[1]` and `sum = x + psi - 1`, a right-moving token has
    /// `x` in `[1, 3 psi - 1]` and a left-moving one in `[1 - psi, 2 psi - 2]`, so that the remainder modulo 2 psi is
    /// decided by comparing `sum` with constants.
    #[inline(always)]
    fn valid<B: Bit>(&self, v: &Agent<B, D, K>, c: usize) -> B {
        let (low, high) = v.dist.sum(v.token[c].place);
        let at_least = |number: u32| {
            if number >> D == 0 { high | low.at_least(number) } else { high & low.at_least(number - (1 << D)) }
        };
        let (psi, right) = (self.psi, v.token[c].place.at_least(self.psi));
        if c == BLACK {
            right.select(at_least(2 * psi - 1) & !at_least(3 * psi - 1), at_least(psi) & !at_least(2 * psi - 1))
        } else {
            right.select(
                (at_least(psi) & !at_least(2 * psi - 1)) | at_least(3 * psi - 1),
                !at_least(psi - 1) | at_least(2 * psi),
            )
        }
    }

    /// Algorithm 3.
    #[inline(always)]
    fn move_token<B: Bit>(&self, l: &mut Agent<B, D, K>, r: &mut Agent<B, D, K>, c: usize, d: u32, detect: B) {
        let (psi, bottom) = (self.psi, self.bottom());
        let has = |z: &Wired<B, D>| !z.place.equals(bottom);
        let (l_keeps, r_keeps) = (has(&l.token[c]) & self.valid(l, c), has(&r.token[c]) & self.valid(r, c)); // 12
        let go = !(l.last | r.last); // 13
        let (y, z) = (&mut l.token[c], &mut r.token[c]);
        let fresh = go & l.dist.equals(d) & !l_keeps; // 14
        *y = Wired {
            place: y.place.set(fresh, 2 * psi - 1),
            bit: fresh.select(!l.b, y.bit),
            carry: fresh.select(l.b, y.carry),
        }; // 15
        let l_has = (l_keeps | fresh) & !(go & r_keeps); // 16-17
        let right = go & l_has & y.place.at_least(psi); // 18, 25
        let left = go & r_keeps & !z.place.at_least(psi); // 28, 31; never together with `right`, by Line 17
        let (right_hits, left_hits) = (right & y.place.equals(psi), left & z.place.equals(psi - 2));
        let wrong = y.bit ^ r.b;
        let moved_right = Wired { place: y.place.minus(B::ONE).only(!right_hits), bit: y.bit, carry: y.carry }; // 23, 26
        let turned = Uint::constant(2 * psi - 1);
        let moved_left = Wired {
            place: Uint::select(left_hits, turned, z.place.plus(B::ONE)),
            bit: left_hits.select(l.b ^ z.carry, z.bit),
            carry: left_hits.select(l.b & z.carry, z.carry),
        }; // 29, 32
        *y = Self::merge(left, moved_left, *y);
        *z = Self::merge(right, moved_right, *z);
        y.place = y.place.set(!(left | (l_has & !right)), bottom); // 12, 17, 24, 27
        z.place = z.place.set(!(right | (r_keeps & !left)), bottom); // 12, 30, 33
        r.b = r.b ^ (right_hits & !detect & wrong); // 21-22
        Self::become_leader(r, right_hits & detect & wrong); // 19-20
    }

    #[inline(always)]
    fn merge<B: Bit>(when: B, then: Wired<B, D>, otherwise: Wired<B, D>) -> Wired<B, D> {
        Wired {
            place: Uint::select(when, then.place, otherwise.place),
            bit: when.select(then.bit, otherwise.bit),
            carry: when.select(then.carry, otherwise.carry),
        }
    }

    /// Algorithm 4.
    #[inline(always)]
    fn determine_mode<B: Bit>(&self, l: &mut Agent<B, D, K>, r: &mut Agent<B, D, K>) {
        l.signal_r = l.signal_r.set(l.leader, self.kappa_max); // 34-35
        l.hits = Uint::constant(0); // 36
        r.hits = r.hits.plus(!r.hits.equals(self.psi)); // 37
        let signal = l.signal_r.positive() | r.signal_r.positive(); // 38
        (l.clock, r.clock) = (l.clock.only(!signal), r.clock.only(!signal)); // 39
        let absorbs = l.signal_r.at_least_that(r.signal_r); // 40; without any signal it absorbs nothing
        r.signal_r = Uint::select(absorbs, l.signal_r, r.signal_r);
        r.hits = r.hits.only(!(absorbs & signal)); // 41
        l.signal_r = Uint::constant(0); // 42; without any signal it is 0 already
        let wins = r.hits.equals(self.psi); // 43, 46
        r.signal_r = r.signal_r.minus(wins & signal); // 44
        r.clock = r.clock.plus(wins & !signal & !r.clock.equals(self.kappa_max)); // 47
        r.hits = r.hits.only(!wins); // 45, 48
        (l.detect, r.detect) = (l.clock.equals(self.kappa_max), r.clock.equals(self.kappa_max)); // 49-50
    }

    /// Algorithm 5.
    #[inline(always)]
    fn eliminate_leaders<B: Bit>(l: &mut Agent<B, D, K>, r: &mut Agent<B, D, K>) {
        let fires = l.leader & l.signal_b; // 51
        (l.live, l.dummy, l.shield, l.signal_b) =
            (l.live | fires, l.dummy & !fires, l.shield | fires, l.signal_b & !fires); // 52
        let fires = r.leader & r.signal_b; // 53
        (r.live, r.dummy, r.shield, r.signal_b) =
            (r.live & !fires, r.dummy | fires, r.shield & !fires, r.signal_b & !fires); // 54
        let flies = (l.live | l.dummy) & !r.leader; // 55-56, 58
        let empty = !(r.live | r.dummy);
        r.leader = r.leader & !(l.live & !r.shield); // 57
        (r.live, r.dummy) = (r.live | (flies & empty & l.live), r.dummy | (flies & empty & l.dummy)); // 59
        r.signal_b = r.signal_b & !flies; // 60
        (l.live, l.dummy) = (B::ZERO, B::ZERO); // 61; where there was no bullet there is none
        l.signal_b = l.signal_b | r.signal_b | r.leader; // 62
    }
}

/// Visits every plane of an agent in the order of the code.
macro_rules! planes_in_order {
    ($agent:ident, $visit:ident) => {
        $visit(&mut $agent.leader);
        $visit(&mut $agent.b);
        $visit(&mut $agent.last);
        $visit(&mut $agent.detect);
        $visit(&mut $agent.live);
        $visit(&mut $agent.dummy);
        $visit(&mut $agent.shield);
        $visit(&mut $agent.signal_b);
        $agent.dist.0.iter_mut().for_each(&mut $visit);
        $agent.hits.0.iter_mut().for_each(&mut $visit);
        for token in &mut $agent.token {
            token.place.0.iter_mut().for_each(&mut $visit);
            $visit(&mut token.bit);
            $visit(&mut token.carry);
        }
        $agent.clock.0.iter_mut().for_each(&mut $visit);
        $agent.signal_r.0.iter_mut().for_each(&mut $visit);
    };
}

impl<B: Bit, const D: usize, const K: usize> Agent<B, D, K> {
    const BLANK: Self = {
        let token = Wired { place: Uint([B::ZERO; D]), bit: B::ZERO, carry: B::ZERO };
        Self {
            leader: B::ZERO,
            b: B::ZERO,
            dist: Uint([B::ZERO; D]),
            last: B::ZERO,
            token: [token; 2],
            detect: B::ZERO,
            clock: Uint([B::ZERO; K]),
            signal_r: Uint([B::ZERO; K]),
            hits: Uint([B::ZERO; D]),
            live: B::ZERO,
            dummy: B::ZERO,
            shield: B::ZERO,
            signal_b: B::ZERO,
        }
    };

    #[inline(always)]
    fn load(planes: &[B]) -> Self {
        let (mut agent, mut next) = (Self::BLANK, 0);
        let mut read = |bit: &mut B| {
            *bit = planes[next];
            next += 1;
        };
        planes_in_order!(agent, read);
        agent
    }

    /// Writes the lanes of `when`.
    #[inline(always)]
    fn store(mut self, planes: &mut [B], when: B) {
        let (agent, mut next) = (&mut self, 0);
        let mut write = |bit: &mut B| {
            planes[next] = when.select(*bit, planes[next]);
            next += 1;
        };
        planes_in_order!(agent, write);
    }
}

impl<const PRIME: bool, const D: usize, const K: usize> Circuit for PplCircuit<PRIME, D, K> {
    type State = State;

    fn planes(&self) -> usize {
        Self::PLANES
    }

    #[inline(always)]
    fn interact<B: Bit>(&self, l: &mut [B], r: &mut [B], _: &[B], when: B) {
        let (left, right) = (&mut l[..Self::PLANES], &mut r[..Self::PLANES]);
        let (mut u, mut v) = (Agent::<B, D, K>::load(left), Agent::<B, D, K>::load(right));
        self.both(&mut u, &mut v);
        u.store(left, when);
        v.store(right, when);
    }

    fn encode(&self, state: &State) -> u128 {
        let mut agent = Agent::<bool, D, K>::BLANK;
        let place =
            |token: Option<Token>| token.map_or(self.bottom(), |z| (i32::from(z.pos) + self.psi as i32 - 1) as u32);
        agent.leader = state.leader == 1;
        agent.b = state.b == 1;
        agent.dist = Uint::constant(state.dist.into());
        agent.last = state.last == 1;
        agent.token = state.token.map(|token| Wired {
            place: Uint::constant(place(token)),
            bit: token.is_some_and(|z| z.bit == 1),
            carry: token.is_some_and(|z| z.carry == 1),
        });
        agent.detect = state.mode == Mode::Detect;
        agent.clock = Uint::constant(state.clock.into());
        agent.signal_r = Uint::constant(state.signal_r.into());
        agent.hits = Uint::constant(state.hits.into());
        (agent.live, agent.dummy) = (state.bullet == 2, state.bullet == 1);
        agent.shield = state.shield == 1;
        agent.signal_b = state.signal_b == 1;
        let (mut code, mut next) = (0_u128, 0);
        let mut write = |bit: &mut bool| {
            code |= u128::from(*bit) << next;
            next += 1;
        };
        planes_in_order!(agent, write);
        code
    }

    fn decode(&self, code: u128) -> State {
        let (mut agent, mut next) = (Agent::<bool, D, K>::BLANK, 0);
        let mut read = |bit: &mut bool| {
            *bit = code >> next & 1 == 1;
            next += 1;
        };
        planes_in_order!(agent, read);
        fn number<const W: usize>(uint: Uint<bool, W>) -> u32 {
            (0..W).map(|k| u32::from(uint.0[k]) << k).sum()
        }
        let token = |z: Wired<bool, D>| {
            let place = number(z.place);
            let pos = (place as i32 + 1 - self.psi as i32) as i8;
            (place != self.bottom()).then_some(Token { pos, bit: z.bit.into(), carry: z.carry.into() })
        };
        State {
            leader: agent.leader.into(),
            b: agent.b.into(),
            dist: number(agent.dist) as u8,
            last: agent.last.into(),
            token: agent.token.map(token),
            mode: if agent.detect { Mode::Detect } else { Mode::Construct },
            clock: number(agent.clock) as u16,
            signal_r: number(agent.signal_r) as u16,
            hits: number(agent.hits) as u8,
            bullet: if agent.live { 2 } else { agent.dummy.into() },
            shield: agent.shield.into(),
            signal_b: agent.signal_b.into(),
        }
    }
}
