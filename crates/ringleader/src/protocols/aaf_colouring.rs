//! AAF08's two-hop colouring of undirected rings with three colours
//! (Angluin, Aspnes, Fischer and Jiang, 2008).
//!
//! Every agent keeps a bit for each colour. Two neighbours flip the bits that they keep for each other's colour, so that the bits agree
//! as long as no agent has two neighbours of one colour; where they do not agree, the initiator takes a random colour.
//!
//! Whose rules these are: **a secondary source**, a published model of the protocol.

use crate::blueprint::{Blueprint, Declared, Origin};
use crate::params::{Params, Settings};
use crate::portrait::PictureRow;
use crate::protocol::{Input, Protocol, Transition, uniform};
use crate::protocols::coloring::{color_row, colors_parameter, two_hop_colored, two_hop_coloring};
use crate::random::{Generator, below};
use crate::ring::{Orientation, Ring};
use crate::value::{Text, Value, named};
use crate::variable;
use crate::variables::{Domain, Variables};

/// The number of colours of the rules; every ring has a two-hop colouring with three.
pub const DEFAULT_COLORS: u64 = 3;
/// The largest number of colours.
pub const MAX_COLORS: u64 = 16;

/// The state of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct State {
    /// The colour.
    pub color: u16,
    /// `F`: bit `c` of this number is kept for neighbours of colour `c`.
    pub f: u16,
}

impl State {
    /// The bit for a colour.
    #[inline]
    fn bit(&self, color: u16) -> u16 {
        self.f >> color & 1
    }

    #[inline]
    fn set_bit(&mut self, color: u16, bit: u16) {
        self.f = self.f & !(1 << color) | bit << color;
    }
}

/// Two-hop colouring with its number of colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AafColouring {
    colors: u32,
}

impl Transition for AafColouring {
    type State = State;

    fn coins(&self) -> u64 {
        u64::from(self.colors)
    }

    #[inline]
    fn reads_coin(&self, u: &State, v: &State) -> bool {
        u.bit(v.color) != v.bit(u.color)
    }

    #[inline]
    fn interact(&self, u: &mut State, v: &mut State, input: Input) {
        if u.bit(v.color) != v.bit(u.color) {
            u.color = input.coin as u16;
            u.set_bit(v.color, v.bit(u.color));
        } else {
            u.f ^= 1 << v.color;
            v.f ^= 1 << u.color;
        }
    }
}

fn colors(config: &[State]) -> Vec<u16> {
    config.iter().map(|v| v.color).collect()
}

/// The left ends of edges whose bits do not agree.
fn conflicts(config: &[State]) -> Vec<usize> {
    let n = config.len();
    let agree = |u: &State, v: &State| u.bit(v.color) == v.bit(u.color);
    (0..n).filter(|&i| !agree(&config[i], &config[(i + 1) % n])).collect()
}

/// A random member of the safe set: a two-hop colouring, then bits that agree.
fn safe(protocol: &AafColouring, ring: Ring, generator: &mut Generator) -> Vec<State> {
    let (n, mut config) = (ring.n(), uniform(protocol, ring, generator));
    let colors = two_hop_coloring(ring, protocol.colors, generator);
    config.iter_mut().zip(colors).for_each(|(v, color)| v.color = color);
    for i in 0..n {
        let (j, bit) = ((i + 1) % n, below(generator, 2) as u16);
        let (left, right) = (config[i].color, config[j].color);
        config[i].set_bit(right, bit);
        config[j].set_bit(left, bit);
    }
    config
}

impl Protocol for AafColouring {
    fn settings(&self) -> Settings {
        named([("colors", self.colors.into())])
    }

    fn variables(&self) -> Variables<State> {
        Variables(vec![
            variable!("color", Domain::up_to(self.colors - 1), State.color),
            variable!("F", Domain::up_to((1_u32 << self.colors) - 1), State.f),
        ])
    }

    fn output(&self, state: &State) -> u64 {
        u64::from(state.color)
    }

    fn is_safe(&self, config: &[State]) -> bool {
        two_hop_colored(&colors(config)) && conflicts(config).is_empty()
    }

    fn facts(&self, config: &[State]) -> Vec<(Text, Value)> {
        named([
            ("n", config.len().into()),
            ("two_hop_colored", two_hop_colored(&colors(config)).into()),
            ("conflicts", conflicts(config).into()),
            ("safe", self.is_safe(config).into()),
        ])
    }

    fn gauges(&self, config: &[State]) -> Vec<(Text, usize)> {
        named([("conflicts", conflicts(config).len())])
    }

    fn picture(&self, config: &[State]) -> Vec<PictureRow> {
        let conflicts = conflicts(config);
        let bits = (0..config.len()).map(|i| if conflicts.contains(&i) { '!' } else { '.' });
        let legend = "! bits that do not agree with the right neighbour's";
        vec![color_row(config.iter().map(|v| v.color)), PictureRow::new("bits", legend, bits)]
    }
}

impl Declared for AafColouring {
    fn blueprint() -> Blueprint<Self> {
        let new = |_, params: &Params| {
            Ok(Self { colors: params.within("colors", DEFAULT_COLORS, DEFAULT_COLORS, MAX_COLORS)? as u32 })
        };
        let worst = "every variable zero, so that every agent is in conflict; the worst start known";
        let coloured = "no two agents at distance two of one colour (bits may still disagree)";
        Blueprint::new("aaf-colouring", Orientation::Undirected, new)
            .case("AAF08_colouring")
            .summary("[AAF+08]'s two-hop colouring with three colours")
            .origin(Origin::Secondary)
            .safe("two-hop coloured, bits agree")
            .evidence("checked for n = 3..4 (ringleader check aaf-colouring)")
            .parameters([colors_parameter()])
            .uniform()
            .start_all("one-color", worst, State::default())
            .start("safe", "a random safe configuration", safe)
            .open_phase(
                "two-hop coloured",
                coloured,
                |_, config| two_hop_colored(&colors(config)),
                |a, b| a.color != b.color,
            )
    }
}
