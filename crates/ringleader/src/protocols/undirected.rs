//! Leader election on undirected rings: the composition of Theorem 3 (Section 5).
//!
//! One interaction runs, in this order, P_CL (colours), the memory of two colours, P_OR (directions), and P_PL in the
//! direction that P_OR gives: the initiator is P_PL's left agent if it points at the responder, else its right one.

use crate::error::Error;
use crate::protocol::{
    About, Event, Input, LabelledSegment, MakeStart, Origin, Parameter, Params, Phase, PhaseKind, PictureRow, Protocol,
    Start, Transition, leaders, uniform,
};
use crate::protocols::pcl::{self, PclOf};
use crate::protocols::por::{self, Direction, Por};
use crate::protocols::ppl::events::{events, mode_changed, token_hit};
use crate::protocols::ppl::{self, Ppl};
use crate::random::{Generator, index};
use crate::ring::{Orientation, Ring};
use crate::value::Value;
use crate::variable;
use crate::variables::Variables;

/// The state of an agent: that of P_PL, of P_CL, and what P_OR adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[expect(missing_docs, reason = "the names are the paper's")]
pub struct State {
    pub pl: ppl::State,
    pub cl: pcl::State,
    pub c1: u16,
    pub c2: u16,
    pub dir: u16,
    pub strong: u8,
}

impl State {
    /// The part that P_OR sees; the colour is P_CL's.
    #[must_use]
    pub fn or(&self) -> por::State {
        por::State { color: self.cl.color, c1: self.c1, c2: self.c2, dir: self.dir, strong: self.strong }
    }

    fn set_or(&mut self, or: por::State) {
        (self.c1, self.c2, self.dir, self.strong) = (or.c1, or.c2, or.dir, or.strong);
    }
}

/// The composition, with random or derandomised colouring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UndirectedOf<const DERANDOMISED: bool> {
    cl: PclOf<DERANDOMISED>,
    or: Por,
    pl: Ppl,
}

/// The composition with P_CL's random colours.
pub type Undirected = UndirectedOf<false>;
/// The composition with derandomised P_CL: no coin at all.
pub type UndirectedDerandomised = UndirectedOf<true>;

impl<const D: bool> Transition for UndirectedOf<D> {
    type State = State;

    fn coins(&self) -> u64 {
        self.cl.coins()
    }

    #[inline]
    fn reads_coin(&self, u: &State, v: &State) -> bool {
        self.cl.reads_coin(&u.cl, &v.cl)
    }

    #[inline]
    fn interact(&self, u: &mut State, v: &mut State, input: Input) {
        self.cl.interact(&mut u.cl, &mut v.cl, input);
        let (mut a, mut b) = (u.or(), v.or());
        a.observe(b.color);
        b.observe(a.color);
        self.or.interact(&mut a, &mut b, input);
        u.set_or(a);
        v.set_or(b);
        if u.dir == v.cl.color {
            self.pl.interact(&mut u.pl, &mut v.pl, input);
        } else {
            self.pl.interact(&mut v.pl, &mut u.pl, input);
        }
    }
}

impl<const D: bool> UndirectedOf<D> {
    /// The P_PL part, read in the direction in which all agents point; `None` while they disagree.
    fn directed(config: &[State]) -> Option<Vec<ppl::State>> {
        let pl = config.iter().map(|v| v.pl);
        match por::oriented(&or(config))? {
            Direction::Right => Some(pl.collect()),
            Direction::Left => Some(pl.rev().collect()),
        }
    }

    /// Whether all agents point one way and the P_PL part is in a set when read that way.
    fn oriented_in(&self, config: &[State], set: impl Fn(ppl::Sets<'_>) -> bool) -> bool {
        Self::directed(config).is_some_and(|pl| set(self.pl.sets(&pl)))
    }

    fn with_pl(&self, ring: Ring, generator: &mut Generator, pl: MakeStart<Ppl>) -> Result<Vec<State>, Error> {
        let mut config = uniform(self, ring, generator)?;
        let parts = pl(&self.pl, ring, generator)?;
        config.iter_mut().zip(parts).for_each(|(v, pl)| v.pl = pl);
        Ok(config)
    }

    /// A ring that is coloured, remembers, and is oriented, with this P_PL part in the direction of `dir`.
    fn settled_with_pl(&self, ring: Ring, generator: &mut Generator, pl: MakeStart<Ppl>) -> Result<Vec<State>, Error> {
        let mut config = self.with_pl(ring, generator, pl)?;
        let colors = pcl::two_hop_coloring(ring, self.cl.colors(), generator);
        let cl = pcl::red_free_stamps(&self.cl, &colors, generator);
        config.iter_mut().zip(cl).for_each(|(v, cl)| v.cl = cl);
        let (mut parts, direction) = (or(&config), [Direction::Right, Direction::Left][index(generator, 2)]);
        por::remember(&mut parts, generator);
        por::orient(&mut parts, direction);
        config.iter_mut().zip(parts).for_each(|(v, part)| v.set_or(part));
        if direction == Direction::Left {
            let pl: Vec<ppl::State> = config.iter().rev().map(|v| v.pl).collect();
            config.iter_mut().zip(pl).for_each(|(v, pl)| v.pl = pl);
        }
        Ok(config)
    }
}

fn or(config: &[State]) -> Vec<por::State> {
    config.iter().map(State::or).collect()
}

fn cl(config: &[State]) -> Vec<pcl::State> {
    config.iter().map(|v| v.cl).collect()
}

/// Red-free, memory right, and oriented: from here on P_PL runs on a directed ring.
fn settled(config: &[State]) -> bool {
    remembered(config) && por::oriented(&or(config)).is_some()
}

fn remembered(config: &[State]) -> bool {
    pcl::red_free(&cl(config)) && por::memory_correct(&or(config))
}

const fn parameters() -> [Parameter; 5] {
    let [psi, c1, kappa, unsound] = ppl::PARAMETERS;
    [psi, c1, kappa, pcl::COLORS, unsound]
}

impl<const D: bool> Protocol for UndirectedOf<D> {
    const ABOUT: About = About {
        name: if D { "undirected-derandomised" } else { "undirected" },
        case: if D { "undirected_derandomised" } else { "undirected" },
        summary: if D {
            "The composition of Theorem 3, P_CL derandomised"
        } else {
            "The composition of Theorem 3: P_CL, P_OR, P_PL at once"
        },
        ring: Orientation::Undirected,
        assumption: "psi = log n + O(1)",
        bound: "O(n^2 log n)",
        origin: Origin::Paper,
        elects: true,
        safe: "oriented S_PL",
        parameters: &parameters(),
    };

    fn new(ring: Ring, params: &Params) -> Result<Self, Error> {
        let cl = PclOf::<D>::new(ring, params)?;
        Ok(Self { cl, or: Por::with_colors(cl.colors()), pl: Ppl::new(ring, params)? })
    }

    fn settings(&self) -> Vec<(&'static str, Value)> {
        [self.pl.settings(), self.cl.settings()].concat()
    }

    fn variables(&self) -> Variables<State> {
        let color = self.cl.color();
        let pl = self.pl.variables().0.into_iter().map(|variable| variable.within(|v: &State| &v.pl, |v| &mut v.pl));
        let cl = self.cl.variables().0.into_iter().map(|variable| variable.within(|v: &State| &v.cl, |v| &mut v.cl));
        let mut variables: Vec<_> = pl.chain(cl).collect();
        variables.extend([
            variable!("c1", color.clone(), State.c1),
            variable!("c2", color.clone(), State.c2),
            variable!("dir", color, State.dir),
            variable!("strong", crate::variables::Domain::BIT, State.strong),
        ]);
        Variables(variables)
    }

    fn dice(&self) -> Vec<u64> {
        self.cl.dice()
    }

    fn output(&self, state: &State) -> u64 {
        self.pl.output(&state.pl)
    }

    fn is_leader(&self, state: &State) -> bool {
        self.pl.is_leader(&state.pl)
    }

    fn is_safe(&self, config: &[State]) -> bool {
        Self::directed(config).is_some_and(|pl| self.pl.is_safe(&pl)) && remembered(config)
    }

    fn starts() -> Vec<Start<Self>> {
        macro_rules! over {
            ($name:literal, $about:literal, $make:path) => {
                Start {
                    name: $name,
                    about: concat!($about, "; all else uniform"),
                    make: |p, ring, generator| p.with_pl(ring, generator, $make),
                }
            };
        }
        macro_rules! settled {
            ($name:literal, $about:literal, $make:path) => {
                Start {
                    name: $name,
                    about: concat!($about, "; coloured and oriented"),
                    make: |p, ring, generator| p.settled_with_pl(ring, generator, $make),
                }
            };
        }
        use ppl::starts;
        vec![
            over!("leaderless", "the P_PL part zero, no leader", starts::leaderless),
            Start { name: "uniform", about: "every variable of every agent uniform over its domain", make: uniform },
            over!("all-leaders", "every agent a leader", starts::all_leaders),
            over!("stale-signals", "no leader, every signal set", starts::stale_signals),
            over!("live-bullets", "one unshielded leader, a live bullet at every agent", starts::live_bullets),
            settled!("two-leaders", "two shielded antipodal leaders, dist right for both", starts::two_leaders),
            settled!(
                "wrong-id",
                "no leader, detection mode, IDs wrong in one place only (needs 2psi | n)",
                starts::wrong_id
            ),
            settled!("tokens", "one leader, dist and last right, random bits and tokens", starts::tokens),
            Start {
                name: "safe",
                about: "a random safe configuration",
                make: |p, ring, generator| p.settled_with_pl(ring, generator, starts::safe),
            },
        ]
    }

    fn phases() -> Vec<Phase<Self>> {
        fn differ(a: &State, b: &State) -> bool {
            let seen = |v: &State| (v.pl.leader, v.pl.b, v.pl.dist, v.pl.last, v.pl.bullet, v.pl.shield, v.pl.signal_b);
            seen(a) != seen(b) || (a.cl.color, a.dir) != (b.cl.color, b.dir)
        }
        let closed =
            |name, about, holds: fn(&Self, &[State]) -> bool| Phase { name, about, holds, kind: PhaseKind::Closed };
        let open = |name, about, holds: fn(&Self, &[State]) -> bool| Phase {
            name,
            about,
            holds,
            kind: PhaseKind::Open(differ),
        };
        vec![
            closed("red-free", "no colour or stamp conflict", |_, c| pcl::red_free(&cl(c))),
            closed("memory", "red-free, and every agent knows its neighbours' colours", |_, c| remembered(c)),
            closed("oriented", "red-free, memory right, and all agents point one way", |_, c| settled(c)),
            closed("C_PB", "the same, and the P_PL part in C_PB", |p, c| {
                p.oriented_in(c, |sets| sets.in_c_pb()) && remembered(c)
            }),
            open("C_DL", "oriented, and the P_PL part in C_DL", |p, c| p.oriented_in(c, |sets| sets.in_c_dl())),
            open("perfect", "oriented, and the P_PL part perfect", |p, c| p.oriented_in(c, |sets| sets.perfect())),
        ]
    }

    fn default_limit(&self, ring: Ring) -> u64 {
        self.pl.default_limit(ring)
    }

    fn facts(&self, config: &[State]) -> Vec<(&'static str, Value)> {
        let mut facts = pcl::color_facts(&cl(config));
        facts.extend(por::orientation_facts(&or(config)));
        let pl = Self::directed(config).map(|pl| Value::map(self.pl.facts(&pl)));
        facts.extend([
            ("leaders", leaders(self, config).into()),
            ("P_PL", pl.into()),
            ("safe", self.is_safe(config).into()),
        ]);
        facts
    }

    fn gauges(&self, config: &[State]) -> Vec<(&'static str, usize)> {
        let red = self.cl.gauges(&cl(config));
        let pl: Vec<ppl::State> = config.iter().map(|v| v.pl).collect();
        [self.pl.gauges(&pl), red, self.or.gauges(&or(config))].concat()
    }

    fn events() -> Vec<Event<Self>> {
        let mut events = events::<Self>(
            |_, before, after| mode_changed(before.map(|v| &v.pl), after.map(|v| &v.pl)),
            |p, before, after| {
                let [l, r] = if after[0].dir == after[1].cl.color { [0, 1] } else { [1, 0] };
                token_hit(p.pl.psi, [&before[l].pl, &before[r].pl], [&after[l].pl, &after[r].pl])
            },
        );
        events.push(Event {
            name: "recoloured",
            about: "an agent draws another colour",
            occurs: |_, before, after| (0..2).any(|k| before[k].cl.color != after[k].cl.color),
        });
        events.push(Event {
            name: "direction changed",
            about: "an agent points at another colour",
            occurs: |_, before, after| (0..2).any(|k| before[k].dir != after[k].dir),
        });
        events
    }

    /// The segments of P_PL once there is a direction, before that those of equal direction.
    fn segments(&self, config: &[State]) -> Vec<LabelledSegment> {
        let (n, or) = (config.len(), or(config));
        let Some(pl) = Self::directed(config) else {
            return por::segments(&or).into_iter().map(|segment| por::labelled(segment, n)).collect();
        };
        let mut segments = self.pl.segments(&pl);
        if por::oriented(&or) == Some(Direction::Left) {
            segments.iter_mut().for_each(|s| s.start = (2 * n - s.start - s.length) % n);
        }
        segments
    }

    fn picture(&self, config: &[State]) -> Vec<PictureRow> {
        let leader = |v: &State| if v.pl.leader == 1 { 'L' } else { '.' };
        let mut lanes =
            vec![PictureRow { name: "leader", cells: config.iter().map(leader).collect(), legend: "L leader" }];
        lanes.extend(pcl::color_lanes(&cl(config)));
        lanes.extend(por::orientation_lanes(&or(config)));
        if let Some(pl) = Self::directed(config) {
            lanes.extend(self.pl_lanes(&pl, por::oriented(&or(config)) == Some(Direction::Left)));
        }
        lanes
    }
}

impl<const D: bool> UndirectedOf<D> {
    /// P_PL's lanes, brought back into the order of the indices; an arrow then points the other way.
    fn pl_lanes(&self, pl: &[ppl::State], reversed: bool) -> Vec<PictureRow> {
        let mut lanes = self.pl.picture(pl);
        if reversed {
            let turn = |cell: &mut char| match *cell {
                '>' => *cell = '<',
                '<' => *cell = '>',
                _ => {}
            };
            lanes.retain(|lane| lane.name != "ids");
            for lane in &mut lanes {
                lane.cells.reverse();
                lane.cells.iter_mut().for_each(turn);
            }
        }
        lanes
    }
}
