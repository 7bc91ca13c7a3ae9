//! Two-hop colourings: no two agents at distance two have the same colour. P_CL makes one; P_OR and others are given one.

use crate::circuit::{Bit, all};
use crate::error::Error;
use crate::params::{Parameter, Params};
use crate::portrait::PictureRow;
use crate::random::{Generator, below};
use crate::ring::Ring;

/// The number of colours of the paper.
pub const DEFAULT_COLORS: u64 = 16;
/// The largest number of colours.
pub const MAX_COLORS: u64 = 65_536;

/// The number of colours, as a parameter.
pub(super) fn colors_parameter() -> Parameter {
    let help = "number of colours [default: 16; 3 for aaf-colouring]";
    Parameter { name: "colors".into(), help: help.into(), flag: false }
}

/// Where no two agents at distance two have the same colour, given where two agents have.
pub fn two_hop<B: Bit>(n: usize, same_color: impl Fn(usize, usize) -> B) -> B {
    all((0..n).map(|i| !same_color(i, after_next(i, n))))
}

fn after_next(i: usize, n: usize) -> usize {
    (i + 2) % n
}

/// Calls colours by the order in which they come: the first is 0, the next new one 1.
pub(super) fn rename<'a>(colors: impl Iterator<Item = &'a mut u16>) {
    let mut names: Vec<u16> = Vec::new();
    for color in colors {
        let name = names.iter().position(|known| known == color).unwrap_or(names.len());
        if name == names.len() {
            names.push(*color);
        }
        *color = name as u16;
    }
}

/// Whether no two agents at distance two have the same colour.
#[must_use]
pub fn two_hop_colored(colors: &[u16]) -> bool {
    two_hop(colors.len(), |i, j| colors[i] == colors[j])
}

/// The first two agents at distance two with the same colour, if there are any.
pub(super) fn color_clash(colors: &[u16]) -> Option<String> {
    let other = |i: usize| after_next(i, colors.len());
    let i = (0..colors.len()).find(|&i| colors[i] == colors[other(i)])?;
    Some(format!("u_{i} and u_{} both have colour {}", other(i), colors[i]))
}

/// A two-hop colouring, uniform over all of them: colours along each cycle of "the agent after next", every
/// one different from the one before, drawn again until the cycle closes.
pub fn two_hop_coloring(ring: Ring, colors: u32, generator: &mut Generator) -> Vec<u16> {
    let n = ring.n();
    let (cycles, length) = if n.is_multiple_of(2) { (2, n / 2) } else { (1, n) };
    let mut config = vec![0; n];
    for first in 0..cycles {
        let member = |k: usize| (first + 2 * k) % n;
        loop {
            config[first] = below(generator, u64::from(colors)) as u16;
            for k in 1..length {
                let other = below(generator, u64::from(colors) - 1) as u16;
                let before = config[member(k - 1)];
                config[member(k)] = if other >= before { other + 1 } else { other };
            }
            if config[member(length - 1)] != config[first] {
                break;
            }
        }
    }
    config
}

/// The least number of colours of a two-hop colouring.
#[must_use]
pub fn fewest_colors(ring: Ring) -> u64 {
    if ring.n().is_multiple_of(4) { 2 } else { 3 }
}

/// The fewest colours that a ring needs, unless others are given: an explicit check wants few states.
pub(super) fn fewest_colors_and(ring: Ring, given: &Params) -> Params {
    Params::default().with("colors", fewest_colors(ring)).and(given)
}

/// Every two-hop colouring with at most so many colours, up to renaming the colours and turning the ring.
#[must_use]
pub fn two_hop_colorings(ring: Ring, colors: u32) -> Vec<Vec<u16>> {
    let mut all = Vec::new();
    extend_colorings(&mut Vec::new(), ring.n(), colors, &mut all);
    let turns = |coloring: &[u16]| {
        let mut turned = coloring.to_vec();
        (0..coloring.len()).all(|_| {
            turned.rotate_left(1);
            *coloring <= *renamed(&turned)
        })
    };
    all.retain(|coloring| two_hop_colored(coloring) && turns(coloring));
    all
}

/// All ways to go on such that every new colour is the least that is left.
fn extend_colorings(begun: &mut Vec<u16>, n: usize, colors: u32, all: &mut Vec<Vec<u16>>) {
    let i = begun.len();
    if i == n {
        return all.push(begun.clone());
    }
    let used = begun.iter().max().map_or(0, |&most| most + 1);
    for color in (0..=used).filter(|&color| u32::from(color) < colors) {
        if i < 2 || begun[i - 2] != color {
            begun.push(color);
            extend_colorings(begun, n, colors, all);
            begun.pop();
        }
    }
}

/// The colours in the order of their first appearance.
fn renamed(coloring: &[u16]) -> Vec<u16> {
    let mut order: Vec<u16> = Vec::new();
    let mut rename = |color: &u16| {
        let known = order.iter().position(|other| other == color);
        known.unwrap_or_else(|| {
            order.push(*color);
            order.len() - 1
        }) as u16
    };
    coloring.iter().map(&mut rename).collect()
}

/// Reads the parameter `colors`; a two-hop colouring must exist.
///
/// # Errors
/// If there are too few or too many.
pub fn colors_of(ring: Ring, params: &Params) -> Result<u32, Error> {
    let least = fewest_colors(ring);
    let colors = params.within("colors", DEFAULT_COLORS, 2, MAX_COLORS)?;
    if colors < least {
        let allowed = format!("a two-hop colouring of {} agents needs {least} to {MAX_COLORS} colours", ring.n());
        return Err(Error::new("colors", colors, allowed));
    }
    Ok(colors as u32)
}

/// The row of colours.
pub(super) fn color_row(colors: impl Iterator<Item = u16>) -> PictureRow {
    let cell = |color: u16| char::from_digit(u32::from(color), 36).unwrap_or('+');
    PictureRow::new("color", "the colour, 0-9 a-z (+ beyond)", colors.map(cell))
}
