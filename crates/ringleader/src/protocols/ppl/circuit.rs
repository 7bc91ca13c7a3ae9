//! P_PL as a Boolean circuit, to be read beside `ppl.rs`: the same procedures in the same order, with the paper's line
//! numbers. What the pseudocode decides by `if`, the circuit computes in every lane and selects.
//!
//! Numbers have fixed widths so that a compiler can keep them in registers: `D` bits for `dist`, `hits` and the place of a
//! token, `K` bits for `clock` and `signal_R`. A token is its place `token[1] + psi - 1`, so that bottom is the place that
//! `token[1] = 0` would have.

use super::{BLACK, Mode, PplOf, State, Token, WHITE, War};
use crate::circuit::{Bit, Circuit, Uint, Visit, Wires, code, from_code};

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
    war: Warrior<B>,
    b: B,
    dist: Uint<B, D>,
    last: B,
    token: [Wired<B, D>; 2],
    detect: B,
    clock: Uint<B, K>,
    signal_r: Uint<B, K>,
    hits: Uint<B, D>,
}

impl<const PRIME: bool, const D: usize, const K: usize> PplCircuit<PRIME, D, K> {
    const PLANES: usize = 4 * D + 2 * K + 12;

    /// Algorithm 1.
    #[inline(always)]
    fn both<B: Bit>(&self, l: &mut Agent<B, D, K>, r: &mut Agent<B, D, K>) {
        self.create_leader(l, r); // 1
        Warrior::eliminate_leaders(&mut l.war, &mut r.war); // 2
    }

    /// Algorithm 2.
    #[inline(always)]
    fn create_leader<B: Bit>(&self, l: &mut Agent<B, D, K>, r: &mut Agent<B, D, K>) {
        self.determine_mode(l, r); // 3
        let detect = if PRIME { B::ZERO } else { r.detect };
        let wraps = l.dist.equals(2 * self.psi - 1);
        let tmp = l.dist.plus(B::ONE).only(!(r.war.leader | wraps)); // 4
        r.war.become_leader(detect & tmp.differs(r.dist)); // 5-6
        r.dist = Uint::select(detect, r.dist, tmp); // 7-8
        let border = r.dist.equals(0) | r.dist.equals(self.psi);
        l.last = r.war.leader | (!border & r.last); // 9
        self.move_token(l, r, BLACK, 0, detect); // 10
        self.move_token(l, r, WHITE, self.psi, detect); // 11
    }

    /// `Valid(v, d)`, where `v` has a token. With `x = dist + token[1]` and `sum = x + psi - 1`, a right-moving token has
    /// `x` in `[1, 3 psi - 1]` and a left-moving one in `[1 - psi, 2 psi - 2]`, so that the remainder modulo 2 psi is
    /// decided by comparing `sum` with constants.
    #[inline(always)]
    fn valid<B: Bit>(&self, v: &Agent<B, D, K>, c: usize) -> B {
        let (low, high) = v.dist.sum(v.token[c].place);
        let (psi, right) = (self.psi, v.token[c].place.at_least(self.psi));
        let from_psi = low.with_top_at_least(high, psi);
        let from_2psi_less_1 = low.with_top_at_least(high, 2 * psi - 1);
        let from_3psi_less_1 = low.with_top_at_least(high, 3 * psi - 1);
        let middle = from_psi & !from_2psi_less_1;
        if c == BLACK {
            right.select(from_2psi_less_1 & !from_3psi_less_1, middle)
        } else {
            let outside = !low.with_top_at_least(high, psi - 1) | low.with_top_at_least(high, 2 * psi);
            right.select(middle | from_3psi_less_1, outside)
        }
    }

    /// Algorithm 3.
    #[inline(always)]
    fn move_token<B: Bit>(&self, l: &mut Agent<B, D, K>, r: &mut Agent<B, D, K>, c: usize, d: u32, detect: B) {
        let (psi, bottom) = (self.psi, self.bottom());
        let l_keeps = !l.token[c].place.equals(bottom) & self.valid(l, c); // 12
        let r_keeps = !r.token[c].place.equals(bottom) & self.valid(r, c);
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
        r.war.become_leader(right_hits & detect & wrong); // 19-20
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
        l.signal_r = l.signal_r.set(l.war.leader, self.kappa_max); // 34-35
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
}

/// What *EliminateLeaders* sees of an agent, in every lane.
#[derive(Clone, Copy)]
pub(in crate::protocols) struct Warrior<B> {
    pub(in crate::protocols) leader: B,
    pub(in crate::protocols) live: B,
    pub(in crate::protocols) dummy: B,
    pub(in crate::protocols) shield: B,
    pub(in crate::protocols) signal_b: B,
}

impl<B: Bit> Warrior<B> {
    /// No leader, no bullet, no shield, no signal.
    pub(in crate::protocols) const BLANK: Self =
        Self { leader: B::ZERO, live: B::ZERO, dummy: B::ZERO, shield: B::ZERO, signal_b: B::ZERO };

    /// Lines 6 and 20.
    #[inline(always)]
    pub(in crate::protocols) fn become_leader(&mut self, when: B) {
        self.leader = self.leader | when;
        (self.live, self.dummy) = (self.live | when, self.dummy & !when);
        self.shield = self.shield | when;
        self.signal_b = self.signal_b & !when;
    }

    /// Algorithm 5.
    #[inline(always)]
    pub(in crate::protocols) fn eliminate_leaders(l: &mut Self, r: &mut Self) {
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

impl Warrior<bool> {
    /// The part of a state that *EliminateLeaders* sees.
    pub(in crate::protocols) fn of(state: &impl War) -> Self {
        let v = state.warrior();
        let (live, dummy) = (v.bullet == 2, v.bullet == 1);
        Self { leader: v.leader == 1, live, dummy, shield: v.shield == 1, signal_b: v.signal_b == 1 }
    }

    /// Writes it into a state.
    pub(in crate::protocols) fn put(self, state: &mut impl War) {
        let v = state.warrior_mut();
        *v.bullet = if self.live { 2 } else { self.dummy.into() };
        (*v.leader, *v.shield, *v.signal_b) = (self.leader.into(), self.shield.into(), self.signal_b.into());
    }
}

impl<B: Bit, const D: usize, const K: usize> Wires<B> for Agent<B, D, K> {
    const BLANK: Self = {
        let token = Wired { place: Uint([B::ZERO; D]), bit: B::ZERO, carry: B::ZERO };
        Self {
            war: Warrior::BLANK,
            b: B::ZERO,
            dist: Uint([B::ZERO; D]),
            last: B::ZERO,
            token: [token; 2],
            detect: B::ZERO,
            clock: Uint([B::ZERO; K]),
            signal_r: Uint([B::ZERO; K]),
            hits: Uint([B::ZERO; D]),
        }
    };

    #[inline(always)]
    fn each(&mut self, visit: &mut impl Visit<B>) {
        visit.bit(&mut self.war.leader);
        visit.bit(&mut self.b);
        visit.bit(&mut self.last);
        visit.bit(&mut self.detect);
        visit.bit(&mut self.war.live);
        visit.bit(&mut self.war.dummy);
        visit.bit(&mut self.war.shield);
        visit.bit(&mut self.war.signal_b);
        visit.uint(&mut self.dist);
        visit.uint(&mut self.hits);
        for c in [BLACK, WHITE] {
            visit.uint(&mut self.token[c].place);
            visit.bit(&mut self.token[c].bit);
            visit.bit(&mut self.token[c].carry);
        }
        visit.uint(&mut self.clock);
        visit.uint(&mut self.signal_r);
    }
}

impl<const PRIME: bool, const D: usize, const K: usize> Circuit for PplCircuit<PRIME, D, K> {
    type State = State;

    fn planes(&self) -> usize {
        Self::PLANES
    }

    #[inline(always)]
    fn interact<B: Bit>(&self, l: &mut [B], r: &mut [B], _: &[B], when: B) -> B {
        let (left, right) = (&mut l[..Self::PLANES], &mut r[..Self::PLANES]);
        let (mut u, mut v) = (Agent::<B, D, K>::load(left), Agent::<B, D, K>::load(right));
        let leader = v.war.leader;
        self.both(&mut u, &mut v);
        u.store(left, when);
        v.store(right, when);
        (leader ^ v.war.leader) & when
    }

    fn leader_plane(&self) -> Option<usize> {
        Some(0)
    }

    /// Equation (1) or the rule of `last` (Line 9) is violated.
    #[inline(always)]
    fn unsettled<B: Bit>(&self, l: &[B], r: &[B]) -> B {
        let (u, v) = (Agent::<B, D, K>::load(&l[..Self::PLANES]), Agent::<B, D, K>::load(&r[..Self::PLANES]));
        let wraps = u.dist.equals(2 * self.psi - 1);
        let right = u.dist.plus(B::ONE).only(!(v.war.leader | wraps));
        let border = v.dist.equals(0) | v.dist.equals(self.psi);
        right.differs(v.dist) | (u.last ^ (v.war.leader | (!border & v.last)))
    }

    fn encode(&self, state: &State) -> u128 {
        let place =
            |token: Option<Token>| token.map_or(self.bottom(), |z| (i32::from(z.pos) + self.psi as i32 - 1) as u32);
        code(Agent::<bool, D, K> {
            war: Warrior::of(state),
            b: state.b == 1,
            dist: Uint::constant(state.dist.into()),
            last: state.last == 1,
            token: state.token.map(|token| Wired {
                place: Uint::constant(place(token)),
                bit: token.is_some_and(|z| z.bit == 1),
                carry: token.is_some_and(|z| z.carry == 1),
            }),
            detect: state.mode == Mode::Detect,
            clock: Uint::constant(state.clock.into()),
            signal_r: Uint::constant(state.signal_r.into()),
            hits: Uint::constant(state.hits.into()),
        })
    }

    fn decode(&self, code: u128) -> State {
        let agent: Agent<bool, D, K> = from_code(code);
        let token = |z: Wired<bool, D>| {
            let place = z.place.number();
            let pos = (place as i32 + 1 - self.psi as i32) as i8;
            (place != self.bottom()).then_some(Token { pos, bit: z.bit.into(), carry: z.carry.into() })
        };
        let mut state = State {
            b: agent.b.into(),
            dist: agent.dist.number() as u8,
            last: agent.last.into(),
            token: agent.token.map(token),
            mode: if agent.detect { Mode::Detect } else { Mode::Construct },
            clock: agent.clock.number() as u16,
            signal_r: agent.signal_r.number() as u16,
            hits: agent.hits.number() as u8,
            ..State::default()
        };
        agent.war.put(&mut state);
        state
    }
}
