//! P_OR: self-stabilizing orientation of an undirected ring with a given two-hop colouring (Algorithm 6).
//!
//! Every agent points at one of its two neighbours by naming its colour. Where two agents point at each other,
//! two segments meet head to head; one wins and the other's head turns round. A head that has just been turned is
//! strong and keeps winning, which carries a segment across the ring quickly.
//!
//! `color`, `c1` and `c2` are inputs: a two-hop colouring, and the colours of the two neighbours.

use crate::blueprint::{Blueprint, Declared, Origin};
use crate::circuit::{Agent, Read, WithCircuit, all, and, any};
use crate::error::Error;
use crate::params::Settings;
use crate::portrait::{LabelledSegment, PictureRow};
use crate::protocol::{Input, Protocol, Transition};
use crate::protocols::coloring::{
    color_clash, color_row, colors_of, colors_parameter, fewest_colors_and, rename, two_hop, two_hop_colored,
    two_hop_coloring, two_hop_colorings,
};
use crate::random::{Generator, below, index};
use crate::ring::{Orientation, Ring};
use crate::value::{Text, Value, named, why_not};
use crate::variable;
use crate::variables::{Domain, Variables};

pub mod circuit;

use circuit::PorCircuit;

/// The state of an agent: the variables of Algorithm 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[expect(missing_docs, reason = "the names are the paper's")]
pub struct State {
    pub color: u16,
    pub c1: u16,
    pub c2: u16,
    pub dir: u16,
    pub strong: u8,
}

impl State {
    /// `min {c in {c1, c2} | c != other}`, or `dir` as it is if that set is empty.
    fn away_from(&self, other: u16) -> u16 {
        [self.c1, self.c2].into_iter().filter(|&c| c != other).min().unwrap_or(self.dir)
    }

    /// The colour memory: observing `c` makes it the most recent of two distinct colours.
    pub fn observe(&mut self, c: u16) {
        if c != self.c1 {
            (self.c1, self.c2) = (c, self.c1);
        }
    }
}

/// P_OR with its number of colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Por {
    colors: u32,
}

impl Transition for Por {
    type State = State;

    /// Algorithm 6.
    #[inline]
    #[rustfmt::skip]
    fn interact(&self, a: &mut State, b: &mut State, _: Input) {
        for v in [&mut *a, &mut *b] {                                                                    // 63
            if v.dir != v.c1 && v.dir != v.c2 {                                                          // 64
                v.dir = v.c1;                                                                            // 65
            }
        }
        if a.dir == b.color && b.dir == a.color {                                                        // 66
            if a.strong == 0 && b.strong == 1 {                                                          // 67
                a.dir = a.away_from(b.color);                                                            // 68
                (a.strong, b.strong) = (1, 0);                                                           // 69
            } else {                                                                                     // 70
                b.dir = b.away_from(a.color);                                                            // 71
                (a.strong, b.strong) = (0, 1);                                                           // 72
            }
        } else if a.dir == b.color {                                                                     // 73
            a.strong = 0;                                                                                // 74
        } else if b.dir == a.color {                                                                     // 75
            b.strong = 0;                                                                                // 76
        }
    }
}

// --- Section 5: directions, segments, heads, obstacles --------------------------------------------------------

/// A direction along the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Towards larger indices.
    Right,
    /// Towards smaller indices.
    Left,
}

use Direction::{Left, Right};

impl Direction {
    fn neighbour(self, i: usize, n: usize) -> usize {
        match self {
            Right => {
                if i + 1 == n {
                    0
                } else {
                    i + 1
                }
            }
            Left => {
                if i == 0 {
                    n - 1
                } else {
                    i - 1
                }
            }
        }
    }

    fn reverse(self) -> Self {
        if self == Right { Left } else { Right }
    }

    /// The word used in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        if self == Right { "right" } else { "left" }
    }
}

/// A maximal run of agents that point the same way; `start` is its last agent, `head` its first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Which way its agents point.
    pub direction: Direction,
    /// The agent farthest from the head; 0 if the segment is the whole ring.
    pub start: usize,
    /// The number of agents.
    pub length: usize,
    /// The agent in front, or `None` if the segment is the whole ring.
    pub head: Option<usize>,
}

const COLOR: Read<State, u16> = ("color", |v| v.color);
const C1: Read<State, u16> = ("c1", |v| v.c1);
const C2: Read<State, u16> = ("c2", |v| v.c2);
const DIR: Read<State, u16> = ("dir", |v| v.dir);

/// Where `u_i` points at its neighbour in that direction.
#[inline]
pub fn points<A: Agent<State = State>>(config: &[A], i: usize, direction: Direction) -> A::Bit {
    config[i].same(DIR, &config[direction.neighbour(i, config.len())], COLOR)
}

/// Where every agent points that way.
fn all_point<A: Agent<State = State>>(config: &[A], direction: Direction) -> A::Bit {
    all((0..config.len()).map(|i| points(config, i, direction)))
}

/// Where all agents point the same way.
pub fn is_oriented<A: Agent<State = State>>(config: &[A]) -> A::Bit {
    any([Right, Left].into_iter().map(|direction| all_point(config, direction)))
}

/// The direction in which all agents point, if they agree.
#[must_use]
pub fn oriented(config: &[State]) -> Option<Direction> {
    [Right, Left].into_iter().find(|&direction| all_point(config, direction))
}

/// Whether `{c1, c2}` are the colours of the two neighbours, at every agent.
pub fn memory_correct<A: Agent<State = State>>(config: &[A]) -> A::Bit {
    all((0..config.len()).map(|i| remembers(config, i)))
}

/// The same at `u_i`.
pub fn remembers<A: Agent<State = State>>(config: &[A], i: usize) -> A::Bit {
    let n = config.len();
    let (u, left, right) = (&config[i], &config[Left.neighbour(i, n)], &config[Right.neighbour(i, n)]);
    let knows = |one: &A, other: &A| u.same(C1, one, COLOR) & u.same(C2, other, COLOR);
    knows(left, right) | knows(right, left)
}

/// Whether the inputs are as P_OR assumes: a two-hop colouring, and the right memory.
pub fn inputs_right<A: Agent<State = State>>(config: &[A]) -> A::Bit {
    let coloured = two_hop(config.len(), |i, j| config[i].same(COLOR, &config[j], COLOR));
    and(coloured, || memory_correct(config))
}

/// Where `u_i` is the head of a segment of that direction: it points that way and the agent in front of it does not.
fn heads<A: Agent<State = State>>(config: &[A], i: usize, direction: Direction) -> A::Bit {
    points(config, i, direction) & !points(config, direction.neighbour(i, config.len()), direction)
}

/// Where `u_i` is the head of a segment.
pub fn is_head<A: Agent<State = State>>(config: &[A], i: usize) -> A::Bit {
    heads(config, i, Right) | heads(config, i, Left)
}

/// Where `u_i` is a segment of its own.
pub fn is_alone<A: Agent<State = State>>(config: &[A], i: usize) -> A::Bit {
    let behind = |direction: Direction| direction.reverse().neighbour(i, config.len());
    let alone = |direction| heads(config, i, direction) & !points(config, behind(direction), direction);
    alone(Right) | alone(Left)
}

/// Where `u_i` is an obstacle: strong, and no head.
pub fn is_obstacle<A: Agent<State = State>>(config: &[A], i: usize) -> A::Bit {
    config[i].ask(("strong", 0, &["strong"]), |v| v.strong == 1) & !is_head(config, i)
}

/// All segments: right ones by their start, then left ones.
#[must_use]
pub fn segments(config: &[State]) -> Vec<Segment> {
    [Right, Left].into_iter().flat_map(|direction| segments_towards(config, direction)).collect()
}

fn segments_towards(config: &[State], direction: Direction) -> Vec<Segment> {
    let n = config.len();
    let points = |i: usize| points(config, i, direction);
    if (0..n).all(points) {
        return vec![Segment { direction, start: 0, length: n, head: None }];
    }
    let starts = (0..n).filter(|&i| points(i) && !points(direction.reverse().neighbour(i, n)));
    let segment = |start: usize| {
        let run = std::iter::successors(Some(start), |&i| Some(direction.neighbour(i, n)));
        let agents: Vec<usize> = run.take_while(|&i| points(i)).collect();
        Segment { direction, start, length: agents.len(), head: agents.last().copied() }
    };
    starts.map(segment).collect()
}

/// Gives every agent the colours of its neighbours, in random order.
pub fn remember(config: &mut [State], generator: &mut Generator) {
    let n = config.len();
    for i in 0..n {
        let (left, right) = (config[(i + n - 1) % n].color, config[(i + 1) % n].color);
        (config[i].c1, config[i].c2) = if below(generator, 2) == 0 { (left, right) } else { (right, left) };
    }
}

/// Makes every agent point the same way.
pub fn orient(config: &mut [State], direction: Direction) {
    let n = config.len();
    (0..n).for_each(|i| config[i].dir = config[direction.neighbour(i, n)].color);
}

fn colored(por: &Por, ring: Ring, generator: &mut Generator) -> Vec<State> {
    let colors = two_hop_coloring(ring, por.colors, generator);
    let mut config: Vec<State> = colors.into_iter().map(|color| State { color, ..State::default() }).collect();
    remember(&mut config, generator);
    config
}

impl Por {
    /// P_OR with this many colours.
    #[must_use]
    pub fn with_colors(colors: u32) -> Self {
        Self { colors }
    }
}

impl Protocol for Por {
    fn settings(&self) -> Settings {
        named([("colors", self.colors.into())])
    }

    fn variables(&self) -> Variables<State> {
        let color = Domain::up_to(self.colors - 1);
        Variables(vec![
            variable!("color", color.clone(), State.color).as_input(),
            variable!("c1", color.clone(), State.c1).as_input(),
            variable!("c2", color.clone(), State.c2).as_input(),
            variable!("dir", color, State.dir),
            variable!("strong", Domain::BIT, State.strong),
        ])
    }

    /// Every two-hop colouring, with every order of the memory. What the colours are called makes no difference: the sets of
    /// which Lines 68 and 71 take the minimum have one member once the inputs are right.
    fn inputs(&self, ring: Ring) -> Vec<Vec<State>> {
        let n = ring.n();
        let remembering = |colors: &Vec<u16>, orders: usize| {
            let agent = |i: usize| {
                let (left, right) = (colors[(i + n - 1) % n], colors[(i + 1) % n]);
                let (c1, c2) = if orders >> i & 1 == 0 { (left, right) } else { (right, left) };
                State { color: colors[i], c1, c2, ..State::default() }
            };
            (0..n).map(agent).collect()
        };
        let colorings = two_hop_colorings(ring, self.colors);
        colorings.iter().flat_map(|colors| (0..1 << n).map(|orders| remembering(colors, orders))).collect()
    }

    /// With right inputs, see `inputs`.
    fn rename(&self, config: &mut [State]) -> bool {
        rename(config.iter_mut().flat_map(|v| [&mut v.color, &mut v.c1, &mut v.c2, &mut v.dir]));
        true
    }

    fn output(&self, state: &State) -> u64 {
        u64::from(state.color) << 16 | u64::from(state.dir)
    }

    fn accepts(&self, config: &[State]) -> Result<(), Error> {
        if inputs_right(config) {
            return Ok(());
        }
        let allowed = "color must be a two-hop colouring, and {c1, c2} the colours of the neighbours, at every agent";
        Err(Error::new("start", "given", allowed))
    }

    fn is_safe(&self, config: &[State]) -> bool {
        is_oriented(config) && inputs_right(config)
    }

    fn with_circuit<W: WithCircuit<State>>(&self, work: W) -> Option<W::Output> {
        Some(work.with(PorCircuit::<4>::new(self)?))
    }

    fn facts(&self, config: &[State]) -> Vec<(Text, Value)> {
        let colors: Vec<u16> = config.iter().map(|v| v.color).collect();
        let mut facts = named([
            ("n", config.len().into()),
            ("two_hop_colored", two_hop_colored(&colors).into()),
            ("red", Value::Null),
            ("red_free", Value::Null),
        ]);
        facts.extend(orientation_facts(config));
        facts.push(("safe".into(), self.is_safe(config).into()));
        let coloured = [("two_hop_colored", color_clash(&colors))];
        facts.push(("why".into(), why_not(coloured.into_iter().chain(why_not_oriented(config)))));
        facts
    }

    fn gauges(&self, config: &[State]) -> Vec<(Text, usize)> {
        named([("segments", segments(config).len())])
    }

    fn segments(&self, config: &[State]) -> Vec<LabelledSegment> {
        segments(config).into_iter().map(|segment| labelled(segment, config.len())).collect()
    }

    fn picture(&self, config: &[State]) -> Vec<PictureRow> {
        [vec![color_row(config.iter().map(|v| v.color))], orientation_rows(config)].concat()
    }
}

/// A segment in the order of the indices, with the direction of its agents.
pub(super) fn labelled(segment: Segment, n: usize) -> LabelledSegment {
    let Segment { start, length, direction, .. } = segment;
    let start = if direction == Right { start } else { (start + 1 + n - length) % n };
    LabelledSegment { start, length, label: direction.name().into(), dark: direction == Right }
}

/// What there is to say about directions.
pub(super) fn orientation_facts(config: &[State]) -> Vec<(Text, Value)> {
    let fact = |segment: Segment| {
        Value::map([
            ("direction", segment.direction.name().into()),
            ("start", segment.start.into()),
            ("length", segment.length.into()),
            ("head", segment.head.into()),
        ])
    };
    named([
        ("memory_correct", memory_correct(config).into()),
        ("oriented", oriented(config).is_some().into()),
        ("direction", oriented(config).map(Direction::name).into()),
        ("or_segments", segments(config).into_iter().map(fact).collect::<Vec<_>>().into()),
        ("obstacles", (0..config.len()).filter(|&i| is_obstacle(config, i)).collect::<Vec<_>>().into()),
    ])
}

/// Why the memory is not right, and why the ring is not oriented.
pub(super) fn why_not_oriented(config: &[State]) -> [(&'static str, Option<String>); 2] {
    let n = config.len();
    let forgetful = (0..n).find(|&i| !remembers(config, i));
    let direction = if points(config, 0, Right) { Right } else { Left };
    let other = (0..n).find(|&i| !points(config, i, direction)).filter(|_| !is_oriented(config));
    let other = other.map(|i| match i {
        0 => "u_0 points at neither of its neighbours".into(),
        _ => format!("u_{i} does not point {}, as u_0 does", direction.name()),
    });
    [
        ("memory_correct", forgetful.map(|i| format!("u_{i} does not know the colours of its neighbours"))),
        ("oriented", other),
    ]
}

/// Where agents point, and who is strong.
pub(super) fn orientation_rows(config: &[State]) -> Vec<PictureRow> {
    let arrow = |i: usize| match (points(config, i, Left), points(config, i, Right)) {
        (true, false) => '<',
        (false, true) => '>',
        _ => '?',
    };
    let strong = config.iter().map(|v| if v.strong == 1 { 's' } else { '.' });
    let arrows = (0..config.len()).map(arrow);
    vec![
        PictureRow::new("dir", "> < points right, left (? at neither or both)", arrows),
        PictureRow::new("strong", "s strong", strong),
    ]
}

impl Declared for Por {
    fn blueprint() -> Blueprint<Self> {
        Blueprint::new("por", Orientation::Undirected, |ring, params| Ok(Self { colors: colors_of(ring, params)? }))
            .case("P_OR")
            .summary("P_OR, Algorithm 6: orients a ring whose two-hop colouring is given")
            .assumption("a two-hop colouring and its memory")
            .bound("O(n^2 log n)")
            .origin(Origin::Paper)
            .safe("oriented")
            .evidence("proven for n = 3..12 (ringleader prove por-oriented)")
            .parameters([colors_parameter()])
            .smallest(fewest_colors_and)
            .start(
                "uniform",
                "a uniform two-hop colouring, dir and strong uniform over their domains",
                |por, ring, generator| {
                    let (variables, mut config) = (por.variables(), colored(por, ring, generator));
                    config.iter_mut().for_each(|v| variables.randomise(v, generator));
                    config
                },
            )
            .start("two-segments", "two segments of half the ring each, all agents strong", |por, ring, generator| {
                let (n, mut config) = (ring.n(), colored(por, ring, generator));
                for i in 0..n {
                    let direction = if i < n / 2 { Right } else { Left };
                    config[i].dir = config[direction.neighbour(i, n)].color;
                    config[i].strong = 1;
                }
                config
            })
            .start("safe", "a random oriented configuration", |por, ring, generator| {
                let mut config = colored(por, ring, generator);
                orient(&mut config, [Right, Left][index(generator, 2)]);
                config.iter_mut().for_each(|v| v.strong = below(generator, 2) as u8);
                config
            })
    }
}
