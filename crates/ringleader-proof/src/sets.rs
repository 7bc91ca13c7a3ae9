//! The sets of Sections 3 and 4 as circuits over a whole ring, to be read beside `ppl/sets.rs` of the library.
//!
//! Where the paper speaks of the unique leader, it is `u_0` here. Everything is generic over what a bit is: the tests read these
//! circuits with `bool` and compare them with the executable predicates.

pub mod undirected;

use ringleader::circuit::Bit;
use ringleader::protocols::ppl::{self, BLACK, Token, WHITE, War};

use crate::bits::{all, any, implies, same};
use crate::machine::{Config, Machine};
use crate::table::Table;

/// What *EliminateLeaders* sees, in any protocol that runs it.
pub struct WarSets {
    leader: Table,
    live: Table,
    shield: Table,
    signal_b: Table,
}

impl WarSets {
    /// The predicates for the states of a machine.
    pub fn new<S: War + Copy + Default>(machine: &Machine<S>) -> Self {
        Self {
            leader: machine.test(&["leader"], |v| v.warrior().leader == 1),
            live: machine.test(&["bullet"], |v| v.warrior().bullet == 2),
            shield: machine.test(&["shield"], |v| v.warrior().shield == 1),
            signal_b: machine.test(&["signalB"], |v| v.warrior().signal_b == 1),
        }
    }

    /// Where this agent is a leader.
    pub fn leader<B: Bit>(&self, agent: &[B]) -> B {
        self.leader.of(|plane| agent[plane])
    }

    /// Where this agent carries a live bullet.
    pub fn live<B: Bit>(&self, agent: &[B]) -> B {
        self.live.of(|plane| agent[plane])
    }

    /// Where this agent carries a bullet-absence signal.
    pub fn signal_b<B: Bit>(&self, agent: &[B]) -> B {
        self.signal_b.of(|plane| agent[plane])
    }

    /// `Peaceful(i)` for every agent. The first pass around the ring pretends that all is peaceful before `u_0`; the second starts
    /// with what the first one found, which is right if there is a leader, and says that no signal exists if there is none.
    pub fn peaceful<B: Bit>(&self, config: &Config<B>) -> Vec<B> {
        let mut peace = B::ONE;
        let mut pass = || -> Vec<B> {
            let step = |agent: &Vec<B>| {
                let nearest = self.leader(agent).select(self.shield.of(|plane| agent[plane]), peace);
                peace = nearest & !self.signal_b(agent);
                peace
            };
            config.iter().map(step).collect()
        };
        pass();
        pass()
    }

    /// Every live bullet is peaceful.
    pub fn peace<B: Bit>(&self, config: &Config<B>) -> B {
        let peaceful = self.peaceful(config);
        all(config.iter().zip(peaceful).map(|(agent, peaceful)| implies(self.live(agent), peaceful)))
    }

    /// There is a leader.
    pub fn some_leader<B: Bit>(&self, config: &Config<B>) -> B {
        any(config.iter().map(|agent| self.leader(agent)))
    }

    /// `u_0` is the only leader.
    pub fn u_0_leads<B: Bit>(&self, config: &Config<B>) -> B {
        all(config.iter().enumerate().map(|(i, agent)| same(self.leader(agent), B::constant(i == 0))))
    }

    /// C_PB.
    pub fn c_pb<B: Bit>(&self, config: &Config<B>) -> B {
        self.some_leader(config) & self.peace(config)
    }
}

/// The conditions of S_PL, one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the paper's")]
pub enum Condition {
    Peace,
    OneLeader,
    Dist,
    Last,
    Risky,
    Ids,
    Tokens,
}

impl Condition {
    /// All of them: a configuration with all of them is in S_PL.
    pub const ALL: [Self; 7] =
        [Self::Peace, Self::OneLeader, Self::Dist, Self::Last, Self::Risky, Self::Ids, Self::Tokens];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Peace => "peaceful",
            Self::OneLeader => "one-leader",
            Self::Dist => "dist",
            Self::Last => "last",
            Self::Risky => "no-risky",
            Self::Ids => "ids",
            Self::Tokens => "correct-tokens",
        }
    }
}

/// The sets of P_PL with its `psi` on rings of `n` agents.
pub struct PplSets {
    n: usize,
    psi: usize,
    /// What *EliminateLeaders* sees.
    pub war: WarSets,
    b: Table,
    last: Table,
    dist: Vec<Table>,
    follows: Table,
    border: Table,
    /// By colour.
    tokens: [TokenTables; 2],
}

/// Predicates on the token of one colour.
struct TokenTables {
    bit: Table,
    carry: Table,
    some: Table,
    valid: Table,
    right: Table,
    /// `token[1] = p` and the token is valid, for every `p`.
    valid_at: Vec<(isize, Table)>,
    /// `token[1] = p`, for every `p > 0`.
    right_by: Vec<(usize, Table)>,
}

impl TokenTables {
    fn new(machine: &Machine<ppl::State>, psi: usize, c: usize) -> Self {
        let name = if c == BLACK { "tokenB" } else { "tokenW" };
        let d = if c == BLACK { 0 } else { psi as u8 };
        let on = |holds: &dyn Fn(Token) -> bool| machine.test(&[name], |v| v.token[c].is_some_and(holds));
        let valid = |v: &ppl::State, z: Token| ppl::valid(psi as u8, v.dist, z, d);
        let valid_at = |p: isize| {
            let here = |v: &ppl::State| v.token[c].is_some_and(|z| isize::from(z.pos) == p && valid(v, z));
            (p, machine.test(&["dist", name], here))
        };
        let places = (1 - psi as isize..=psi as isize).filter(|&p| p != 0);
        Self {
            bit: on(&|z| z.bit == 1),
            carry: on(&|z| z.carry == 1),
            some: on(&|_| true),
            valid: machine.test(&["dist", name], |v| v.token[c].is_some_and(|z| valid(v, z))),
            right: on(&|z| z.pos > 0),
            valid_at: places.map(valid_at).collect(),
            right_by: (1..=psi).map(|p| (p, on(&|z| z.pos as isize == p as isize))).collect(),
        }
    }
}

impl PplSets {
    /// The sets for a machine of P_PL or P'_PL.
    #[must_use]
    pub fn new(machine: &Machine<ppl::State>, n: usize, psi: usize) -> Self {
        let two_psi = 2 * psi as u8;
        let follows = |l: &ppl::State, r: &ppl::State| {
            r.dist == if r.leader == 1 || l.dist + 1 == two_psi { 0 } else { l.dist + 1 }
        };
        Self {
            n,
            psi,
            war: WarSets::new(machine),
            b: machine.test(&["b"], |v| v.b == 1),
            last: machine.test(&["last"], |v| v.last == 1),
            dist: (0..two_psi).map(|d| machine.test(&["dist"], |v| v.dist == d)).collect(),
            follows: machine.test_pair(&["dist"], &["dist", "leader"], follows),
            border: machine.test(&["dist"], |v| v.dist == 0 || v.dist == psi as u8),
            tokens: [BLACK, WHITE].map(|c| TokenTables::new(machine, psi, c)),
        }
    }

    /// `zeta = ceil(n / psi)`.
    #[must_use]
    pub fn zeta(&self) -> usize {
        self.n.div_ceil(self.psi)
    }

    /// The number of pairs `(S_i, S_{i+1})` with `i <= zeta - 3`.
    #[must_use]
    pub fn pairs(&self) -> usize {
        self.zeta().saturating_sub(2)
    }

    /// Where `u_i.b = 1`.
    pub fn b<B: Bit>(&self, agent: &[B]) -> B {
        self.b.of(|plane| agent[plane])
    }

    /// Where `last = 1`.
    pub fn last<B: Bit>(&self, agent: &[B]) -> B {
        self.last.of(|plane| agent[plane])
    }

    /// Where `dist` is this number.
    pub fn dist_is<B: Bit>(&self, agent: &[B], dist: usize) -> B {
        self.dist[dist].of(|plane| agent[plane])
    }

    /// Equation (1) between two neighbours.
    pub fn follows<B: Bit>(&self, machine: &Machine<ppl::State>, l: &[B], r: &[B]) -> B {
        machine.at_pair(&self.follows, l, r)
    }

    /// Where the agent has a token of this colour.
    pub fn has_token<B: Bit>(&self, agent: &[B], c: usize) -> B {
        self.tokens[c].some.of(|plane| agent[plane])
    }

    /// Where it is valid.
    pub fn has_valid_token<B: Bit>(&self, agent: &[B], c: usize) -> B {
        self.tokens[c].valid.of(|plane| agent[plane])
    }

    /// Where it moves right.
    pub fn moves_right<B: Bit>(&self, agent: &[B], c: usize) -> B {
        self.tokens[c].right.of(|plane| agent[plane])
    }

    /// Where `token[1]` is this positive number.
    pub fn goes_by<B: Bit>(&self, agent: &[B], c: usize, p: usize) -> B {
        self.tokens[c].right_by[p - 1].1.of(|plane| agent[plane])
    }

    /// One condition of S_PL. Those on `dist`, IDs and tokens speak of `u_0` as the leader whether it is one or not.
    pub fn condition<B: Bit>(&self, condition: Condition, config: &Config<B>) -> B {
        match condition {
            Condition::Peace => self.war.peace(config),
            Condition::OneLeader => self.war.u_0_leads(config),
            Condition::Dist => all((0..self.n).map(|i| self.dist_is(&config[i], i % (2 * self.psi)))),
            Condition::Last => all((0..self.n).map(|i| same(self.last(&config[i]), B::constant(self.in_last(i))))),
            Condition::Risky => !any(self.each_token().map(|(i, c)| self.risky(&config[i], i, c))),
            Condition::Ids => all((0..self.pairs()).map(|i| self.successive(config, i * self.psi, (i + 1) * self.psi))),
            Condition::Tokens => self.tokens_correct(config, 0..self.pairs()),
        }
    }

    /// Whether `u_i` belongs to the last segment.
    #[must_use]
    pub fn in_last(&self, i: usize) -> bool {
        i >= self.psi * (self.zeta() - 1)
    }

    fn each_token(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.n).flat_map(|i| [(i, BLACK), (i, WHITE)])
    }

    /// Definition "risky", for a token of `u_i`; none is where `zeta = 1`.
    fn risky<B: Bit>(&self, agent: &[B], i: usize, c: usize) -> B {
        let inside = |p: usize| self.zeta() > 1 && i + p < self.psi;
        any((1..=self.psi).filter(|&p| inside(p)).map(|p| self.goes_by(agent, c, p)))
    }

    /// `iota` of the psi agents from `to` is that of the psi agents from `from`, plus 1 modulo 2^psi.
    pub fn successive<B: Bit>(&self, config: &Config<B>, from: usize, to: usize) -> B {
        let bit = |i: usize| self.b(&config[i % self.n]);
        let carry = self.carries(config, from);
        all((0..self.psi).map(|x| same(bit(to + x), bit(from + x) ^ carry[x])))
    }

    /// The carries of the addition of 1 to the ID of the psi agents from `from`: `carry[x]` says that the first x bits are all 1.
    fn carries<B: Bit>(&self, config: &Config<B>, from: usize) -> Vec<B> {
        let next = |carry: &mut B, x: usize| {
            let before = *carry;
            *carry = before & self.b(&config[(from + x) % self.n]);
            Some(before)
        };
        (0..=self.psi).scan(B::ONE, next).collect()
    }

    /// All valid tokens that work for `(S_i, S_{i+1})` are correct, for these `i`.
    pub fn tokens_correct<B: Bit>(&self, config: &Config<B>, pairs: std::ops::Range<usize>) -> B {
        let carries: Vec<Vec<B>> = pairs.clone().map(|i| self.carries(config, i * self.psi)).collect();
        let correct = |k: usize, c: usize, p: isize, is_there: &Table| {
            let target = (k as isize + p).rem_euclid(self.n as isize) as usize;
            let (segment, offset) = (target / self.psi, target % self.psi);
            let (i, x) = if p > 0 {
                ((segment + self.zeta() - 1) % self.zeta(), offset)
            } else {
                (segment, offset.wrapping_sub(1))
            };
            if !pairs.contains(&i) || x >= self.psi {
                return B::ONE;
            }
            let carry = &carries[i - pairs.start];
            let (bit, carried) = (&self.tokens[c].bit, &self.tokens[c].carry);
            let right_bit = same(bit.of(|plane| config[k][plane]), self.b(&config[i * self.psi + x]) ^ carry[x]);
            let right_carry = same(carried.of(|plane| config[k][plane]), carry[x + 1]);
            implies(is_there.of(|plane| config[k][plane]), right_bit & right_carry)
        };
        let of_agent = |(k, c): (usize, usize)| {
            let places = self.tokens[c].valid_at.iter();
            all(places.map(|(p, is_there)| correct(k, c, *p, is_there)))
        };
        all(self.each_token().map(of_agent))
    }

    /// The configurations with these conditions.
    pub fn with<B: Bit>(&self, conditions: &[Condition], config: &Config<B>) -> B {
        all(conditions.iter().map(|&condition| self.condition(condition, config)))
    }

    /// S_PL with leader `u_0`.
    pub fn s_pl<B: Bit>(&self, config: &Config<B>) -> B {
        self.with(&Condition::ALL, config)
    }

    /// C_DL with leader `u_0`.
    pub fn c_dl<B: Bit>(&self, config: &Config<B>) -> B {
        self.with(&Condition::ALL[..4], config)
    }

    /// S_PL read literally, with `S_0` the whole ring if `zeta = 1`: then no token moves right.
    pub fn s_pl_literal<B: Bit>(&self, config: &Config<B>) -> B {
        let right = any(self.each_token().map(|(i, c)| self.moves_right(&config[i], c)));
        self.s_pl(config) & if self.zeta() == 1 { !right } else { B::ONE }
    }

    /// Perfect: equations (1) and (2). Given (1), a segment next to no leader has psi agents and so has the one before it.
    pub fn perfect<B: Bit>(&self, machine: &Machine<ppl::State>, config: &Config<B>) -> B {
        let u = |i: usize| &config[i % self.n][..];
        let consistent = all((0..self.n).map(|i| self.follows(machine, u(i), u(i + 1))));
        let succeeds = |i: usize| {
            let inner = self.border.of(|plane| u(i)[plane]) & !any((0..=self.psi).map(|j| self.war.leader(u(i + j))));
            implies(inner, self.successive(config, i + (self.psi * self.n) - self.psi, i))
        };
        consistent & all((0..self.n).map(succeeds))
    }
}
