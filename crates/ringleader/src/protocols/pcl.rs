//! P_CL: self-stabilizing two-hop colouring of undirected rings (Algorithm 7, Appendix B), and its
//! derandomised variant (Note "Derandomization").
//!
//! Neighbours stamp each other with their colours and a common bit. If the stamps say "you are the one I met
//! last" but the bits differ, then somebody of the same colour came between: a colour conflict at distance
//! two, and both agents recolour. The derandomised variant gathers its random bits from the scheduler: an
//! agent in role Alg that meets one in role Flip learns whether it was the initiator.

use crate::blueprint::{Blueprint, Declared, Origin};
use crate::circuit::{Agent, Read, WithCircuit, all, any};
use crate::error::Error;
use crate::params::{Params, Settings};
use crate::portrait::PictureRow;
use crate::protocol::{Input, Protocol, Transition};
use crate::protocols::coloring::{
    color_clash, color_row, colors_of, colors_parameter, rename, two_hop_colored, two_hop_coloring,
};
use crate::random::Generator;
use crate::ring::{Orientation, Ring};
use crate::value::{Text, Value, named, why_not};
use crate::variable;
use crate::variables::{Domain, Field, Variables};

pub mod circuit;

use circuit::PclCircuit;

/// Whether an agent waits for a bit or gives one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Role {
    /// Takes a bit from a partner in role Flip.
    #[default]
    Alg,
    /// Gives a bit.
    Flip,
}

impl Role {
    const NAMES: &[&str] = &["Alg", "Flip"];

    fn flipped(self) -> Self {
        if self == Self::Alg { Self::Flip } else { Self::Alg }
    }
}

/// The random bits an agent has gathered, the first most significant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Bits {
    len: u8,
    number: u16,
}

impl Bits {
    fn push(&mut self, bit: u16) {
        *self = Self { len: self.len + 1, number: 2 * self.number + bit };
    }
}

/// The state of an agent. `role` and `bits` are variables of the derandomised variant only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[expect(missing_docs, reason = "the names are the paper's")]
pub struct State {
    pub color: u16,
    pub stamp_c: u16,
    pub stamp_b: u8,
    pub role: Role,
    pub bits: Bits,
}

impl State {
    /// Definition "stamp conflict".
    #[inline(always)]
    #[must_use]
    pub fn stamp_conflict(&self, other: &Self) -> bool {
        stamp_conflict(self, other)
    }
}

/// P_CL with its number of colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PclOf<const DERANDOMISED: bool> {
    colors: u32,
}

/// P_CL, which draws random colours.
pub type Pcl = PclOf<false>;
/// P_CL, which takes its random bits from the scheduler.
pub type PclDerandomised = PclOf<true>;

impl<const DERANDOMISED: bool> PclOf<DERANDOMISED> {
    /// The number of colours.
    #[must_use]
    pub fn colors(&self) -> u32 {
        self.colors
    }

    /// The domain of a colour.
    #[must_use]
    pub fn color(&self) -> Domain {
        Domain::up_to(self.colors - 1)
    }

    /// How many bits make a colour.
    fn bits_needed(&self) -> u32 {
        self.colors.ilog2()
    }

    /// Two new colours: from the coin, or from the gathered bits if both agents have enough of them.
    fn draw(&self, a: &mut State, b: &mut State, input: Input) -> Option<(u16, u16)> {
        if !DERANDOMISED {
            let colors = u64::from(self.colors);
            return Some(((input.coin / colors) as u16, (input.coin % colors) as u16));
        }
        let enough = |v: &State| u32::from(v.bits.len) == self.bits_needed();
        let drawn = (enough(a) && enough(b)).then_some((a.bits.number, b.bits.number))?;
        (a.bits, b.bits) = (Bits::default(), Bits::default());
        Some(drawn)
    }

    /// Note "Derandomization": bits go by the roles held before the interaction, then both roles flip.
    fn gather(&self, a: &mut State, b: &mut State) {
        let roles = (a.role, b.role);
        let room = |v: &State| u32::from(v.bits.len) < self.bits_needed();
        if roles == (Role::Alg, Role::Flip) && room(a) {
            a.bits.push(0);
        }
        if roles == (Role::Flip, Role::Alg) && room(b) {
            b.bits.push(1);
        }
        (a.role, b.role) = (roles.0.flipped(), roles.1.flipped());
    }
}

impl<const DERANDOMISED: bool> Transition for PclOf<DERANDOMISED> {
    type State = State;

    fn coins(&self) -> u64 {
        if DERANDOMISED { 1 } else { u64::from(self.colors).pow(2) }
    }

    #[inline]
    fn reads_coin(&self, a: &State, b: &State) -> bool {
        !DERANDOMISED && a.stamp_conflict(b)
    }

    /// Algorithm 7.
    #[inline]
    #[rustfmt::skip]
    fn interact(&self, a: &mut State, b: &mut State, input: Input) {
        if a.stamp_conflict(b) {                                                                         // 77
            if let Some(drawn) = self.draw(a, b, input) { (a.color, b.color) = drawn; }                  // 78
        }
        (a.stamp_c, b.stamp_c) = (b.color, a.color);                                                     // 79
        (a.stamp_b, b.stamp_b) = (1 - a.stamp_b, 1 - a.stamp_b);                                         // 80
        if DERANDOMISED {
            self.gather(a, b);
        }
    }
}

// --- Appendix B: conflicts, red and blue ----------------------------------------------------------------------

const COLOR: Read<State, u16> = ("color", |v| v.color);
const STAMP_C: Read<State, u16> = ("stampC", |v| v.stamp_c);
const STAMP_B: Read<State, u8> = ("stampB", |v| v.stamp_b);

/// Definition "stamp conflict"; it is symmetric.
#[inline(always)]
pub fn stamp_conflict<A: Agent<State = State>>(u: &A, v: &A) -> A::Bit {
    u.same(COLOR, v, STAMP_C) & u.same(STAMP_C, v, COLOR) & !u.same(STAMP_B, v, STAMP_B)
}

/// Where `u_i` and `u_{i+2}` have the same colour.
pub fn color_conflict<A: Agent<State = State>>(config: &[A], i: usize) -> A::Bit {
    let u = |i: usize| &config[i % config.len()];
    u(i).same(COLOR, u(i + 2), COLOR)
}

/// Where `u_i` is red: in or between a colour conflict, or in a stamp conflict.
pub fn is_red<A: Agent<State = State>>(config: &[A], i: usize) -> A::Bit {
    let n = config.len();
    any([i + n - 2, i + n - 1, i].map(|j| color_conflict(config, j)))
        | any([i + n - 1, i].map(|j| stamp_conflict(&config[j % n], &config[(j + 1) % n])))
}

/// Where no agent is red, which is to say that there is no conflict: the closed safe set of P_CL.
pub fn red_free<A: Agent<State = State>>(config: &[A]) -> A::Bit {
    let n = config.len();
    all((0..n).map(|i| !(color_conflict(config, i) | stamp_conflict(&config[i], &config[(i + 1) % n]))))
}

/// A random red-free configuration with the given colours: uniform stamps, except that a stamp bit that would
/// conflict is made equal to its left neighbour's, or all of them equal if the ring does not close.
pub fn red_free_stamps<const D: bool>(pcl: &PclOf<D>, colors: &[u16], generator: &mut Generator) -> Vec<State> {
    let (variables, n) = (pcl.variables(), colors.len());
    let mut config: Vec<State> = Vec::with_capacity(n);
    for &color in colors {
        let mut v = State::default();
        variables.randomise(&mut v, generator);
        v.color = color;
        if let Some(left) = config.last().filter(|left| left.stamp_conflict(&v)) {
            v.stamp_b = left.stamp_b;
        }
        config.push(v);
    }
    if config[n - 1].stamp_conflict(&config[0]) {
        config.iter_mut().for_each(|v| v.stamp_b = 0);
    }
    config
}

impl<const DERANDOMISED: bool> PclOf<DERANDOMISED> {
    /// P_CL with its colours.
    ///
    /// # Errors
    /// If there are too few or too many, or no power of two where that is needed.
    pub fn new(ring: Ring, params: &Params) -> Result<Self, Error> {
        let colors = colors_of(ring, params)?;
        if DERANDOMISED && !colors.is_power_of_two() {
            let allowed = "the derandomised form needs a power of two, 2 to 65536";
            return Err(Error::new("colors", colors, allowed));
        }
        Ok(Self { colors })
    }
}

impl<const DERANDOMISED: bool> Protocol for PclOf<DERANDOMISED> {
    fn settings(&self) -> Settings {
        named([("colors", self.colors.into())])
    }

    fn variables(&self) -> Variables<State> {
        let mut variables = vec![
            variable!("color", self.color(), State.color),
            variable!("stampC", self.color(), State.stamp_c),
            variable!("stampB", Domain::BIT, State.stamp_b),
        ];
        if DERANDOMISED {
            variables.push(variable!("role", Domain::names(Role::NAMES), State.role));
            variables.push(variable!("bits", Domain::Bits { most: self.bits_needed() }, State.bits));
        }
        Variables(variables)
    }

    fn dice(&self) -> Vec<u64> {
        if DERANDOMISED { Vec::new() } else { vec![u64::from(self.colors); 2] }
    }

    /// New colours are uniform, unless they are made of bits that agents hold already.
    fn rename(&self, config: &mut [State]) -> bool {
        if !DERANDOMISED {
            rename(config.iter_mut().flat_map(|v| [&mut v.color, &mut v.stamp_c]));
        }
        !DERANDOMISED
    }

    fn output(&self, state: &State) -> u64 {
        u64::from(state.color)
    }

    fn is_safe(&self, config: &[State]) -> bool {
        red_free(config)
    }

    fn with_circuit<W: WithCircuit<State>>(&self, work: W) -> Option<W::Output> {
        Some(work.with(PclCircuit::<4>::new(self)?))
    }

    fn facts(&self, config: &[State]) -> Vec<(Text, Value)> {
        let mut facts = color_facts(config);
        let undefined = ["memory_correct", "oriented", "or_segments"].map(|name| (name.into(), Value::Null));
        facts.extend(undefined);
        facts.push(("safe".into(), self.is_safe(config).into()));
        facts.push(("why".into(), why_not(why_not_coloured(config))));
        facts
    }

    fn gauges(&self, config: &[State]) -> Vec<(Text, usize)> {
        named([("red", (0..config.len()).filter(|&i| is_red(config, i)).count())])
    }

    fn picture(&self, config: &[State]) -> Vec<PictureRow> {
        color_rows(config)
    }
}

/// Why it is no two-hop colouring, and why an agent is red.
pub(super) fn why_not_coloured(config: &[State]) -> [(&'static str, Option<String>); 2] {
    let colors: Vec<u16> = config.iter().map(|v| v.color).collect();
    let red = (0..config.len()).find(|&i| is_red(config, i));
    [("two_hop_colored", color_clash(&colors)), ("red_free", red.map(|i| format!("u_{i} is red")))]
}

/// What there is to say about colours and stamps.
pub(super) fn color_facts(config: &[State]) -> Vec<(Text, Value)> {
    let colors: Vec<u16> = config.iter().map(|v| v.color).collect();
    let red: Vec<usize> = (0..config.len()).filter(|&i| is_red(config, i)).collect();
    named([
        ("n", config.len().into()),
        ("two_hop_colored", two_hop_colored(&colors).into()),
        ("red_free", red.is_empty().into()),
        ("red", red.into()),
    ])
}

/// Colours, and who is red.
pub(super) fn color_rows(config: &[State]) -> Vec<PictureRow> {
    let red = (0..config.len()).map(|i| if is_red(config, i) { '!' } else { '.' });
    vec![color_row(config.iter().map(|v| v.color)), PictureRow::new("red", "! red agent (a conflict)", red)]
}

impl<const DERANDOMISED: bool> Declared for PclOf<DERANDOMISED> {
    fn blueprint() -> Blueprint<Self> {
        let [name, case, summary] = if DERANDOMISED {
            let summary = "P_CL with random bits taken from the scheduler (Note in Appendix B)";
            ["pcl-derandomised", "P_CL_derandomised", summary]
        } else {
            ["pcl", "P_CL", "P_CL, Algorithm 7: two-hop colouring with random colours"]
        };
        let coloured = |config: &[State]| two_hop_colored(&config.iter().map(|v| v.color).collect::<Vec<_>>());
        let blueprint = Blueprint::new(name, Orientation::Undirected, Self::new);
        let proven = "proven for n = 3..12 (ringleader prove pcl-red-free)";
        let blueprint = if DERANDOMISED { blueprint } else { blueprint.evidence(proven) };
        blueprint
            .case(case)
            .summary(summary)
            .bound("O(n^2) expected")
            .origin(Origin::Paper)
            .safe("red-free")
            .parameters([colors_parameter()])
            .uniform()
            .start_all("one-color", "every variable zero, so that every agent is in conflict", State::default())
            .start("safe", "a random red-free configuration", |pcl, ring, generator| {
                let colors = two_hop_coloring(ring, pcl.colors, generator);
                red_free_stamps(pcl, &colors, generator)
            })
            .open_phase(
                "two-hop coloured",
                "no colour conflict (stamp conflicts may remain)",
                move |_, config| coloured(config),
                |a, b| a.color != b.color,
            )
    }
}

impl Field for Role {
    fn get(&self) -> Value {
        Self::NAMES[*self as usize].into()
    }
    fn put(&mut self, value: &Value) {
        *self = if *value == Value::from(Self::NAMES[0]) { Self::Alg } else { Self::Flip };
    }
}

impl Field for Bits {
    fn get(&self) -> Value {
        (0..self.len).rev().map(|j| self.number >> j & 1).collect::<Vec<u16>>().into()
    }
    fn put(&mut self, value: &Value) {
        *self = Self::default();
        if let Value::List(bits) = value {
            bits.iter().filter_map(Value::as_int).for_each(|bit| self.push(bit as u16));
        }
    }
}
