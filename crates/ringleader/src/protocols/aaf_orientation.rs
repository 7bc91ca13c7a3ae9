//! AAF08's ring orientation: agents of an undirected ring with a given two-hop colouring agree on predecessors and successors
//! (Angluin, Aspnes, Fischer and Jiang, 2008).
//!
//! Every agent names the colours of its predecessor and of its successor. Where neighbours disagree, the initiator has its way:
//! the frontier between two orientations walks at random until one of them is gone.
//!
//! `color` is an input: a two-hop colouring.
//!
//! Whose rules these are: **a secondary source**, a published model of the protocol.

use crate::blueprint::{Blueprint, Declared, Origin};
use crate::error::Error;
use crate::params::Settings;
use crate::portrait::PictureRow;
use crate::protocol::{Input, Protocol, Transition, n_cubed};
use crate::protocols::coloring::{
    color_row, colors_of, colors_parameter, fewest_colors_and, two_hop_colored, two_hop_coloring, two_hop_colorings,
};
use crate::random::{Generator, index};
use crate::ring::{Orientation, Ring};
use crate::value::{Text, Value, named};
use crate::variable;
use crate::variables::{Domain, Variables};

/// The state of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[expect(missing_docs, reason = "the names are the rules'")]
pub struct State {
    pub color: u16,
    pub pre: u16,
    pub suc: u16,
}

/// Ring orientation with its number of colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AafOrientation {
    colors: u32,
}

impl Transition for AafOrientation {
    type State = State;

    #[inline]
    fn interact(&self, u: &mut State, v: &mut State, _: Input) {
        if v.color == u.pre && v.color != u.suc {
            v.suc = u.color;
        } else if v.color == u.suc && v.color != u.pre {
            v.pre = u.color;
        } else {
            u.pre = v.color;
            v.suc = u.color;
        }
    }
}

/// The colours of both neighbours, left and right.
fn neighbours(config: &[State], i: usize) -> (u16, u16) {
    let n = config.len();
    (config[(i + n - 1) % n].color, config[(i + 1) % n].color)
}

/// Whether the successor of `u_i` is its right neighbour and the predecessor its left one (`'>'`), the reverse (`'<'`), or neither.
fn direction(config: &[State], i: usize) -> char {
    let ((left, right), v) = (neighbours(config, i), config[i]);
    match (v.pre, v.suc) {
        known if known == (left, right) => '>',
        known if known == (right, left) => '<',
        _ => '?',
    }
}

fn oriented(config: &[State]) -> bool {
    let first = direction(config, 0);
    first != '?' && (0..config.len()).all(|i| direction(config, i) == first)
}

fn colored(colors: impl IntoIterator<Item = u16>) -> Vec<State> {
    colors.into_iter().map(|color| State { color, ..State::default() }).collect()
}

fn random_colors(protocol: &AafOrientation, ring: Ring, generator: &mut Generator) -> Vec<State> {
    colored(two_hop_coloring(ring, protocol.colors, generator))
}

/// Makes some agents take their right neighbour for the successor, and the others their left one.
fn orient(config: &mut [State], right: impl Fn(usize) -> bool) {
    for i in 0..config.len() {
        let (left_color, right_color) = neighbours(config, i);
        (config[i].pre, config[i].suc) = if right(i) { (left_color, right_color) } else { (right_color, left_color) };
    }
}

fn inputs_right(config: &[State]) -> bool {
    two_hop_colored(&config.iter().map(|v| v.color).collect::<Vec<_>>())
}

impl Protocol for AafOrientation {
    fn settings(&self) -> Settings {
        named([("colors", self.colors.into())])
    }

    fn variables(&self) -> Variables<State> {
        let color = Domain::up_to(self.colors - 1);
        Variables(vec![
            variable!("color", color.clone(), State.color).as_input(),
            variable!("pre", color.clone(), State.pre),
            variable!("suc", color, State.suc),
        ])
    }

    fn inputs(&self, ring: Ring) -> Vec<Vec<State>> {
        two_hop_colorings(ring, self.colors).into_iter().map(colored).collect()
    }

    fn output(&self, state: &State) -> u64 {
        u64::from(state.color) << 32 | u64::from(state.pre) << 16 | u64::from(state.suc)
    }

    fn accepts(&self, config: &[State]) -> Result<(), Error> {
        if inputs_right(config) {
            return Ok(());
        }
        Err(Error::new("start", "given", "color must be a two-hop colouring"))
    }

    fn is_safe(&self, config: &[State]) -> bool {
        oriented(config) && inputs_right(config)
    }

    fn default_limit(&self, ring: Ring) -> u64 {
        n_cubed(ring, 100)
    }

    fn facts(&self, config: &[State]) -> Vec<(Text, Value)> {
        named([
            ("n", config.len().into()),
            ("two_hop_colored", inputs_right(config).into()),
            ("oriented", oriented(config).into()),
            ("safe", self.is_safe(config).into()),
        ])
    }

    fn gauges(&self, config: &[State]) -> Vec<(Text, usize)> {
        let against = (0..config.len()).filter(|&i| direction(config, i) != direction(config, 0)).count();
        named([("against u_0", against)])
    }

    fn picture(&self, config: &[State]) -> Vec<PictureRow> {
        let legend = "> < the successor is on the right, on the left (? unclear)";
        let directions = PictureRow::new("dir", legend, (0..config.len()).map(|i| direction(config, i)));
        vec![directions, color_row(config.iter().map(|v| v.color))]
    }
}

impl Declared for AafOrientation {
    fn blueprint() -> Blueprint<Self> {
        let worst = "two segments of half the ring each, oriented against each other; the worst start known";
        Blueprint::new("aaf-orientation", Orientation::Undirected, |ring, params| {
            Ok(Self { colors: colors_of(ring, params)? })
        })
        .case("AAF08_orientation")
        .summary("[AAF+08]'s ring orientation: orients a ring whose two-hop colouring is given")
        .assumption("a two-hop colouring")
        .origin(Origin::Secondary)
        .safe("oriented")
        .evidence("checked for n = 3..5 (ringleader check aaf-orientation)")
        .parameters([colors_parameter()])
        .smallest(fewest_colors_and)
        .start(
            "uniform",
            "a uniform two-hop colouring, pre and suc uniform over their domains",
            |p, ring, generator| {
                let (variables, mut config) = (p.variables(), random_colors(p, ring, generator));
                config.iter_mut().for_each(|v| variables.randomise(v, generator));
                config
            },
        )
        .start("two-segments", worst, |p, ring, generator| {
            let mut config = random_colors(p, ring, generator);
            orient(&mut config, |i| i < ring.n() / 2);
            config
        })
        .start("safe", "a random oriented configuration", |p, ring, generator| {
            let mut config = random_colors(p, ring, generator);
            let right = index(generator, 2) == 0;
            orient(&mut config, |_| right);
            config
        })
    }
}
