//! P_PL: self-stabilizing leader election on directed rings with polylogarithmic states (Algorithms 1-5).
//!
//! *CreateLeader* embeds a string on the ring that cannot be consistent without a leader: every agent knows
//! its distance to the nearest left leader modulo 2 psi, and the bits `b` of each segment of psi agents spell
//! the number of the segment. In construction mode the agents write this string, in detection mode they look
//! for a flaw and create a leader where they find one; *DetermineMode* switches between the two by a clock
//! that resetting signals from a leader hold down. *EliminateLeaders* is a war of bullets and shields that
//! leaves one leader.
//!
//! The transition below is the paper's pseudocode, one paper line a Rust line, with its number at the right.
//! The sets of Section 4 are in `ppl/sets.rs`.

use std::cmp::min;

use crate::blueprint::{Blueprint, Declared, Origin};
use crate::circuit::WithCircuit;
use crate::error::Error;
use crate::params::{Parameter, Params, Settings};
use crate::portrait::{LabelledSegment, PictureRow};
use crate::protocol::{Input, Protocol, Transition, leaders, n_squared_log_n};
use crate::protocols::elim::{eliminate_leaders, sets::c_pb, war};
use crate::ring::{Orientation, Ring};
use crate::value::{Text, Value, named};
use crate::variable;
use crate::variables::{Domain, Field, Variables};

pub mod circuit;
pub(super) mod events;
pub(super) mod picture;
pub mod sets;
pub mod starts;

use Mode::{Construct, Detect};
use circuit::{AnyKappa, PplCircuit};
pub use sets::Sets;

/// The index of the black token in [`State::token`].
pub const BLACK: usize = 0;
/// The index of the white token in [`State::token`].
pub const WHITE: usize = 1;

/// The largest `psi`.
pub const MAX_PSI: u64 = 31;
/// The largest `kappa_max`.
pub const MAX_KAPPA: u64 = 65_535;
/// `kappa_max = c1 * psi` unless it is set outright; the paper asks for `c1 >= 48`.
pub const DEFAULT_C1: u64 = 48;

/// Whether an agent builds the string or looks for a flaw in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// Looks for a flaw.
    Detect,
    /// Builds the string.
    #[default]
    Construct,
}

impl Mode {
    const NAMES: &[&str] = &["Detect", "Construct"];
}

/// A token that carries one bit of a segment's successor to the next segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Token {
    /// `token[1]`: where the target is, relative to the carrier; never 0.
    pub pos: i8,
    /// `token[2]`: the bit to write or to check at the target.
    pub bit: u8,
    /// `token[3]`: the carry.
    pub carry: u8,
}

/// The state of an agent: the variables of Algorithm 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[expect(missing_docs, reason = "the names are the paper's")]
pub struct State {
    pub leader: u8,
    pub b: u8,
    pub dist: u8,
    pub last: u8,
    /// `token_B` and `token_W`, at [`BLACK`] and [`WHITE`].
    pub token: [Option<Token>; 2],
    pub mode: Mode,
    pub clock: u16,
    pub signal_r: u16,
    pub hits: u8,
    pub bullet: u8,
    pub shield: u8,
    pub signal_b: u8,
}

/// P_PL with its parameters. `PRIME` is the auxiliary protocol P'_PL of Section 4.2, which always takes the
/// construction branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PplOf<const PRIME: bool> {
    /// `psi`, with `log n <= psi <= log n + O(1)`.
    pub psi: u8,
    /// `kappa_max`, the length of the clock and the TTL of a resetting signal.
    pub kappa_max: u16,
}

/// P_PL.
pub type Ppl = PplOf<false>;

/// P'_PL of Section 4.2: P_PL that always executes the branch for construction mode. It creates no leader, so it converges only from
/// configurations that keep one (C_PB). Lemma "srl_variant" uses it: as long as all agents are in construction mode, P_PL and P'_PL
/// behave identically.
pub type PplPrime = PplOf<true>;

/// `Valid(v, d)`: whether a token of the colour with offset `d`, at an agent with this `dist`, is on its trajectory.
#[inline(always)]
#[must_use]
pub fn valid(psi: u8, dist: u8, token: Token, d: u8) -> bool {
    let (psi, sum) = (i16::from(psi), i16::from(dist) + i16::from(token.pos) + i16::from(d));
    // `dist + pos + d` lies in [1 - psi, 4 psi - 1], so one correction gives the remainder.
    let target = if sum < 0 {
        sum + 2 * psi
    } else if sum >= 2 * psi {
        sum - 2 * psi
    } else {
        sum
    };
    if token.pos > 0 { target >= psi } else { 0 < target && target < psi }
}

impl<const PRIME: bool> PplOf<PRIME> {
    /// The mode that commands read.
    #[inline(always)]
    fn mode(v: &State) -> Mode {
        if PRIME { Construct } else { v.mode }
    }

    /// Algorithm 2.
    #[inline(always)]
    #[rustfmt::skip]
    fn create_leader(&self, l: &mut State, r: &mut State) {
        let psi = self.psi;
        self.determine_mode(l, r);                                                                       // 3
        let tmp = if r.leader == 1 || l.dist + 1 == 2 * psi { 0 } else { l.dist + 1 };                   // 4
        if Self::mode(r) == Detect && tmp != r.dist {                                                    // 5
            (r.leader, r.bullet, r.shield, r.signal_b) = (1, 2, 1, 0);                                   // 6
        }
        if Self::mode(r) == Construct {                                                                  // 7
            r.dist = tmp;                                                                                // 8
        }
        l.last = if r.leader == 1 { 1 } else if r.dist == 0 || r.dist == psi { 0 } else { r.last };      // 9
        self.move_token(l, r, BLACK, 0);                                                                 // 10
        self.move_token(l, r, WHITE, psi);                                                               // 11
    }

    /// Algorithm 3; `c` selects the variable `token_B` or `token_W`.
    #[inline(always)]
    #[rustfmt::skip]
    fn move_token(&self, l: &mut State, r: &mut State, c: usize, d: u8) {
        let psi = self.psi;
        let right = psi as i8;
        for v in [&mut *l, &mut *r] { if v.token[c].is_some_and(|z| !valid(psi, v.dist, z, d)) { v.token[c] = None } } // 12
        if l.last == 0 && r.last == 0 {                                                                  // 13
            if l.dist == d && l.token[c].is_none() {                                                     // 14
                l.token[c] = Some(Token { pos: right, bit: 1 - l.b, carry: l.b });                       // 15
            }
            if l.token[c].is_some() && r.token[c].is_some() {                                            // 16
                l.token[c] = None;                                                                       // 17
            }
            if let Some(z) = l.token[c] && z.pos == 1 {                                                  // 18
                if Self::mode(r) == Detect && z.bit != r.b {                                             // 19
                    (r.leader, r.bullet, r.shield, r.signal_b) = (1, 2, 1, 0);                           // 20
                } else if Self::mode(r) == Construct {                                                   // 21
                    r.b = z.bit;                                                                         // 22
                }
                r.token[c] = Some(Token { pos: 1 - right, bit: z.bit, carry: z.carry });                 // 23
                l.token[c] = None;                                                                       // 24
            } else if let Some(z) = l.token[c] && z.pos >= 2 {                                           // 25
                r.token[c] = Some(Token { pos: z.pos - 1, ..z });                                        // 26
                l.token[c] = None;                                                                       // 27
            } else if let Some(z) = r.token[c] && z.pos == -1 {                                          // 28
                l.token[c] = if z.carry == 1 { Some(Token { pos: right, bit: 1 - l.b, carry: l.b }) } else { Some(Token { pos: right, bit: l.b, carry: 0 }) }; // 29
                r.token[c] = None;                                                                       // 30
            } else if let Some(z) = r.token[c] && z.pos <= -2 {                                          // 31
                l.token[c] = Some(Token { pos: z.pos + 1, ..z });                                        // 32
                r.token[c] = None;                                                                       // 33
            }
        }
    }

    /// Algorithm 4.
    #[inline(always)]
    #[rustfmt::skip]
    fn determine_mode(&self, l: &mut State, r: &mut State) {
        let (psi, kappa_max) = (self.psi, self.kappa_max);
        if l.leader == 1 {                                                                               // 34
            l.signal_r = kappa_max;                                                                      // 35
        }
        l.hits = 0;                                                                                      // 36
        r.hits = min(r.hits + 1, psi);                                                                   // 37
        if l.signal_r > 0 || r.signal_r > 0 {                                                            // 38
            (l.clock, r.clock) = (0, 0);                                                                 // 39
            if l.signal_r >= r.signal_r {                                                                // 40
                (r.signal_r, r.hits) = (l.signal_r, 0);                                                  // 41
            }
            l.signal_r = 0;                                                                              // 42
            if r.hits == psi {                                                                           // 43
                r.signal_r -= 1;                                                                         // 44
                r.hits = 0;                                                                              // 45
            }
        } else if r.hits == psi {                                                                        // 46
            r.clock = min(r.clock.saturating_add(1), kappa_max);                                         // 47
            r.hits = 0;                                                                                  // 48
        }
        for v in [l, r] {                                                                                // 49
            v.mode = if v.clock == kappa_max { Detect } else { Construct };                              // 50
        }
    }
}

war!(State);

impl<const PRIME: bool> Transition for PplOf<PRIME> {
    type State = State;

    /// Algorithm 1.
    #[inline]
    #[rustfmt::skip]
    fn interact(&self, l: &mut State, r: &mut State, _: Input) {
        self.create_leader(l, r);                                                                        // 1
        eliminate_leaders(l, r);                                                                         // 2
    }
}

/// The parameters of every protocol that runs P_PL.
pub(super) fn parameters() -> [Parameter; 4] {
    let parameter =
        |name: &'static str, help: &'static str, flag| Parameter { name: name.into(), help: help.into(), flag };
    [
        parameter("psi", "psi, with 2^psi >= n [default: max(2, ceil(log2 n))]", false),
        parameter("c1", "c1 in kappa_max = c1 * psi [default: 48]", false),
        parameter("kappa", "kappa_max outright, instead of c1 * psi", false),
        parameter(
            "unsound",
            "accept 2^psi < n, to see why the paper needs it (a ring may then stay without a leader for ever)",
            true,
        ),
    ]
}

impl<const PRIME: bool> PplOf<PRIME> {
    /// The sets and predicates of Section 4 on a configuration.
    #[must_use]
    pub fn sets<'a>(&self, config: &'a [State]) -> Sets<'a> {
        Sets::new(self.psi, config)
    }

    /// The circuit that is told `kappa_max` by its inputs, up to [`MAX_KAPPA`].
    pub fn with_any_kappa<W: WithCircuit<State>>(&self, work: W) -> Option<W::Output> {
        match self.psi {
            0..=8 => Some(work.with(AnyKappa(PplCircuit::<3, 16>::new(self)?))),
            9..=16 => Some(work.with(AnyKappa(PplCircuit::<4, 16>::new(self)?))),
            _ => Some(work.with(AnyKappa(PplCircuit::<5, 16>::new(self)?))),
        }
    }

    /// Lemma "impossible": a perfect configuration has a leader, unless psi 2^psi divides n (which 2^psi >= n excludes).
    pub(super) fn perfect_needs_leader(&self, ring: Ring) -> bool {
        !ring.n().is_multiple_of(usize::from(self.psi) << self.psi)
    }

    /// Reads `psi`, `c1`, `kappa` and `unsound`.
    ///
    /// # Errors
    /// If one of them is out of range.
    pub fn new(ring: Ring, params: &Params) -> Result<Self, Error> {
        let n = ring.n();
        let enough = u64::from(n.next_power_of_two().ilog2()).max(2);
        let psi = params.within("psi", enough, 2, MAX_PSI)?;
        if psi < enough && params.get("unsound").is_none() {
            let allowed = format!("2^psi must be at least n = {n}, so {enough} to {MAX_PSI} (or say --unsound)");
            return Err(Error::new("psi", psi, allowed));
        }
        if let (Some(c1), Some(kappa)) = (params.get("c1"), params.get("kappa")) {
            return Err(Error::new("kappa", kappa, format!("c1 = {c1} sets it already; give one of the two")));
        }
        let c1 = params.within("c1", DEFAULT_C1, 1, MAX_KAPPA / psi)?;
        let kappa = params.within("kappa", c1 * psi, 1, MAX_KAPPA)?;
        Ok(Self { psi: psi as u8, kappa_max: kappa as u16 })
    }
}

impl<const PRIME: bool> Protocol for PplOf<PRIME> {
    fn settings(&self) -> Settings {
        named([("psi", self.psi.into()), ("kappa", self.kappa_max.into())])
    }

    fn variables(&self) -> Variables<State> {
        let (psi, kappa_max) = (i64::from(self.psi), self.kappa_max);
        let token = Domain::Token { psi };
        Variables(vec![
            variable!("leader", Domain::BIT, State.leader),
            variable!("b", Domain::BIT, State.b),
            variable!("dist", Domain::up_to(2 * psi - 1), State.dist),
            variable!("last", Domain::BIT, State.last),
            variable!("tokenB", token.clone(), State.token[BLACK]),
            variable!("tokenW", token, State.token[WHITE]),
            variable!("mode", Domain::names(Mode::NAMES), State.mode),
            variable!("clock", Domain::up_to(kappa_max), State.clock),
            variable!("signalR", Domain::up_to(kappa_max), State.signal_r),
            variable!("hits", Domain::up_to(psi), State.hits),
            variable!("bullet", Domain::up_to(2), State.bullet),
            variable!("shield", Domain::BIT, State.shield),
            variable!("signalB", Domain::BIT, State.signal_b),
        ])
    }

    fn is_leader(&self, state: &State) -> bool {
        state.leader == 1
    }

    fn is_safe(&self, config: &[State]) -> bool {
        self.sets(config).in_s_pl()
    }

    fn with_circuit<W: WithCircuit<State>>(&self, work: W) -> Option<W::Output> {
        // Few widths, since each is compiled for every reading: psi up to 8, 16, 31 and kappa up to 511, 1023, 65535.
        match (self.psi, self.kappa_max) {
            (..=8, ..=511) => Some(work.with(PplCircuit::<3, 9>::new(self)?)),
            (..=16, ..=1023) => Some(work.with(PplCircuit::<4, 10>::new(self)?)),
            _ => Some(work.with(PplCircuit::<5, 16>::new(self)?)),
        }
    }

    fn default_limit(&self, ring: Ring) -> u64 {
        let clocks = 16 * u64::from(self.kappa_max) * ring.n() as u64;
        n_squared_log_n(ring, 1000).saturating_add(clocks.saturating_mul(1 << self.psi))
    }

    fn facts(&self, config: &[State]) -> Vec<(Text, Value)> {
        self.sets(config).facts()
    }

    fn gauges(&self, config: &[State]) -> Vec<(Text, usize)> {
        let detecting = config.iter().filter(|v| v.mode == Detect).count();
        let tokens = config.iter().flat_map(|v| v.token).flatten().count();
        named([("leaders", leaders(self, config).len()), ("detecting", detecting), ("tokens", tokens)])
    }

    fn segments(&self, config: &[State]) -> Vec<LabelledSegment> {
        self.sets(config).labelled_segments()
    }

    fn picture(&self, config: &[State]) -> Vec<PictureRow> {
        picture::rows(self.sets(config))
    }
}

impl<const PRIME: bool> Declared for PplOf<PRIME> {
    fn blueprint() -> Blueprint<Self> {
        let common = |name, case, summary, assumption| {
            Blueprint::new(name, Orientation::Directed, Self::new)
                .case(case)
                .summary(summary)
                .assumption(assumption)
                .bound("O(n^2 log n)")
                .origin(Origin::Paper)
                .elects()
                .safe("S_PL")
                .parameters(parameters())
        };
        let blueprint: Blueprint<Self> = if PRIME {
            let summary = "P'_PL of Section 4.2: P_PL that always takes the construction branch";
            let prime = common("ppl-prime", "P_PL_prime", summary, "psi = log n + O(1); starts in C_PB");
            // It creates no leader, so it must not start without one, nor lose the only one.
            prime
                .promise("C_PB", |p, config| p.sets(config).in_c_pb())
                .start_all("all-leaders", ALL_LEADERS, State { leader: 1, ..State::default() })
                .uniform()
                .start("two-leaders", TWO_LEADERS, starts::two_leaders)
        } else {
            let summary = "P_PL, Algorithms 1-5: elects one leader from any configuration";
            common("ppl", "P_PL", summary, "psi = log n + O(1)")
                .evidence("proven for n = 3..44, psi = 2..7, n <= 7 psi (ringleader prove safe)")
                .start_all("leaderless", "every variable zero, no leader", State::default())
                .uniform()
                .start_all("all-leaders", ALL_LEADERS, State { leader: 1, ..State::default() })
                .start("two-leaders", TWO_LEADERS, starts::two_leaders)
                .start_where("wrong-id", WRONG_ID, starts::wrong_id_needs, starts::wrong_id)
                .start("stale-signals", STALE_SIGNALS, starts::stale_signals)
                .start("live-bullets", "one unshielded leader, a live bullet at every agent", starts::live_bullets)
        };
        let blueprint =
            blueprint.start("tokens", TOKENS, starts::tokens).start("safe", "a random member of S_PL", starts::safe);
        c_pb(blueprint)
            .open_phase("C_DL", "C_PB, one leader, dist and last right", |p, c| p.sets(c).in_c_dl(), dist_last_leader)
            .led(|_, _| true)
            .open_phase("perfect", "eq. (1) and eq. (2) hold", |p, c| p.sets(c).perfect(), dist_id_leader)
            .led(|p, ring| p.perfect_needs_leader(ring))
            .event("mode changed", events::MODE_CHANGED, |_, before, after| events::mode_changed(before, after))
            .event("token at its target", events::TOKEN_HIT, |p, before, after| events::token_hit(p.psi, before, after))
    }
}

const ALL_LEADERS: &str = "every agent a leader, all else zero";
const TWO_LEADERS: &str = "two shielded antipodal leaders, dist right for both";
const WRONG_ID: &str = "no leader, all in detection mode, dist consistent, segment IDs wrong in one place only, the last to the first (needs 2psi | n)";
const STALE_SIGNALS: &str = "no leader, resetting signals of full TTL and bullet-absence signals everywhere";
const TOKENS: &str = "one leader, dist and last right, random bits, random tokens of both colours everywhere";

/// What C_DL can tell apart.
fn dist_last_leader(a: &State, b: &State) -> bool {
    let seen = |v: &State| (v.leader, v.dist, v.last, v.bullet, v.shield, v.signal_b);
    seen(a) != seen(b)
}

/// What `perfect` can tell apart.
fn dist_id_leader(a: &State, b: &State) -> bool {
    (a.leader, a.dist, a.b) != (b.leader, b.dist, b.b)
}

impl Field for Mode {
    fn get(&self) -> Value {
        Self::NAMES[*self as usize].into()
    }
    fn put(&mut self, value: &Value) {
        *self = if *value == Value::from(Self::NAMES[0]) { Detect } else { Construct };
    }
}

impl Field for Option<Token> {
    fn get(&self) -> Value {
        self.map_or(Value::Null, |z| Value::List(vec![z.pos.into(), z.bit.into(), z.carry.into()]))
    }
    fn put(&mut self, value: &Value) {
        *self = match value {
            Value::List(parts) => match parts.as_slice() {
                [Value::Int(pos), Value::Int(bit), Value::Int(carry)] => {
                    Some(Token { pos: *pos as i8, bit: *bit as u8, carry: *carry as u8 })
                }
                _ => None,
            },
            _ => None,
        };
    }
}
