//! Leader election on undirected rings: the composition of Theorem 3 (Section 5).
//!
//! One interaction runs, in this order, P_CL (colours), the memory of two colours, P_OR (directions), and P_PL in the
//! direction that P_OR gives: the initiator is P_PL's left agent if it points at the responder, else its right one.

use crate::blueprint::{Blueprint, Declared, Origin};
use crate::error::Error;
use crate::params::{Params, Settings};
use crate::portrait::{LabelledSegment, PictureRow};
use crate::protocol::{Input, Protocol, Transition, leaders, uniform};
use crate::protocols::coloring;
use crate::protocols::pcl::{self, PclOf};
use crate::protocols::por::{self, Direction, Por};
use crate::protocols::ppl::events::{MODE_CHANGED, TOKEN_HIT, mode_changed, token_hit};
use crate::protocols::ppl::{self, Ppl};
use crate::random::{Generator, index};
use crate::ring::{Orientation, Ring};
use crate::value::{Text, Value, named, why_not};
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

/// Makes the P_PL part of a start.
type MakePl = dyn Fn(&Ppl, Ring, &mut Generator) -> Vec<ppl::State>;

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

    fn with_pl(&self, ring: Ring, generator: &mut Generator, pl: &MakePl) -> Vec<State> {
        let mut config = uniform(self, ring, generator);
        let parts = pl(&self.pl, ring, generator);
        config.iter_mut().zip(parts).for_each(|(v, pl)| v.pl = pl);
        config
    }

    /// A ring that is coloured, remembers, and is oriented, with this P_PL part in the direction of `dir`.
    fn settled_with_pl(&self, ring: Ring, generator: &mut Generator, pl: &MakePl) -> Vec<State> {
        let mut config = self.with_pl(ring, generator, pl);
        let colors = coloring::two_hop_coloring(ring, self.cl.colors(), generator);
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
        config
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

impl<const D: bool> UndirectedOf<D> {
    /// The composition with the parameters of its parts.
    ///
    /// # Errors
    /// If one of them is out of range.
    pub fn new(ring: Ring, params: &Params) -> Result<Self, Error> {
        let cl = PclOf::<D>::new(ring, params)?;
        Ok(Self { cl, or: Por::with_colors(cl.colors()), pl: Ppl::new(ring, params)? })
    }
}

impl<const D: bool> Protocol for UndirectedOf<D> {
    fn settings(&self) -> Settings {
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

    fn default_limit(&self, ring: Ring) -> u64 {
        self.pl.default_limit(ring)
    }

    fn facts(&self, config: &[State]) -> Vec<(Text, Value)> {
        let mut facts = pcl::color_facts(&cl(config));
        facts.extend(por::orientation_facts(&or(config)));
        let pl = Self::directed(config).map(|pl| Value::map(self.pl.facts(&pl)));
        facts.extend(named([
            ("leaders", leaders(self, config).into()),
            ("P_PL", pl.into()),
            ("safe", self.is_safe(config).into()),
            ("why", why_not(pcl::why_not_coloured(&cl(config)).into_iter().chain(por::why_not_oriented(&or(config))))),
        ]));
        facts
    }

    fn gauges(&self, config: &[State]) -> Vec<(Text, usize)> {
        let red = self.cl.gauges(&cl(config));
        let pl: Vec<ppl::State> = config.iter().map(|v| v.pl).collect();
        [self.pl.gauges(&pl), red, self.or.gauges(&or(config))].concat()
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
        let mut rows = vec![PictureRow::leaders(config.iter().map(|v| v.pl.leader == 1))];
        rows.extend(pcl::color_rows(&cl(config)));
        rows.extend(por::orientation_rows(&or(config)));
        if let Some(pl) = Self::directed(config) {
            rows.extend(self.pl_rows(&pl, por::oriented(&or(config)) == Some(Direction::Left)));
        }
        rows
    }
}

impl<const D: bool> UndirectedOf<D> {
    /// P_PL's rows, brought back into the order of the indices; an arrow then points the other way.
    fn pl_rows(&self, pl: &[ppl::State], reversed: bool) -> Vec<PictureRow> {
        let mut rows = self.pl.picture(pl);
        if reversed {
            let turn = |cell: &mut char| match *cell {
                '>' => *cell = '<',
                '<' => *cell = '>',
                _ => {}
            };
            rows.retain(|row| row.name != "ids");
            for row in &mut rows {
                row.cells.reverse();
                row.cells.iter_mut().for_each(turn);
            }
        }
        rows
    }
}

impl<const D: bool> Declared for UndirectedOf<D> {
    fn blueprint() -> Blueprint<Self> {
        let [name, case, summary] = if D {
            ["undirected-derandomised", "undirected_derandomised", "The composition of Theorem 3, P_CL derandomised"]
        } else {
            ["undirected", "undirected", "The composition of Theorem 3: P_CL, P_OR, P_PL at once"]
        };
        let [psi, c1, kappa, unsound] = ppl::parameters();
        let blueprint = Blueprint::new(name, Orientation::Undirected, Self::new)
            .case(case)
            .summary(summary)
            .assumption("psi = log n + O(1)")
            .bound("O(n^2 log n)")
            .origin(Origin::Paper)
            .elects()
            .safe("oriented S_PL")
            .parameters([psi, c1, kappa, coloring::colors_parameter(), unsound]);
        with_events(with_phases(with_starts(blueprint)))
    }
}

fn with_starts<const D: bool>(blueprint: Blueprint<UndirectedOf<D>>) -> Blueprint<UndirectedOf<D>> {
    use ppl::starts;
    let zero: fn(&Ppl, Ring, &mut Generator) -> Vec<ppl::State> = |_, ring, _| vec![ppl::State::default(); ring.n()];
    let leaders: fn(&Ppl, Ring, &mut Generator) -> Vec<ppl::State> =
        |_, ring, _| vec![ppl::State { leader: 1, ..ppl::State::default() }; ring.n()];
    let live_bullets = "one unshielded leader, a live bullet at every agent; all else uniform";
    let two_leaders = "two shielded antipodal leaders, dist right for both; coloured and oriented";
    let wrong_id = "no leader, detection mode, IDs wrong in one place only (needs 2psi | n); coloured and oriented";
    let tokens = "one leader, dist and last right, random bits and tokens; coloured and oriented";
    blueprint
        .start("leaderless", "the P_PL part zero, no leader; all else uniform", move |p, r, g| p.with_pl(r, g, &zero))
        .uniform()
        .start("all-leaders", "every agent a leader; all else uniform", move |p, r, g| p.with_pl(r, g, &leaders))
        .start("stale-signals", "no leader, every signal set; all else uniform", |p, r, g| {
            p.with_pl(r, g, &starts::stale_signals)
        })
        .start("live-bullets", live_bullets, |p, r, g| p.with_pl(r, g, &starts::live_bullets))
        .start("two-leaders", two_leaders, |p, r, g| p.settled_with_pl(r, g, &starts::two_leaders))
        .start_where(
            "wrong-id",
            wrong_id,
            |p, ring| starts::wrong_id_needs(&p.pl, ring),
            |p, r, g| p.settled_with_pl(r, g, &starts::wrong_id),
        )
        .start("tokens", tokens, |p, r, g| p.settled_with_pl(r, g, &starts::tokens))
        .start("safe", "a random safe configuration", |p, r, g| p.settled_with_pl(r, g, &starts::safe))
}

fn with_phases<const D: bool>(blueprint: Blueprint<UndirectedOf<D>>) -> Blueprint<UndirectedOf<D>> {
    fn differ(a: &State, b: &State) -> bool {
        let seen = |v: &State| (v.pl.leader, v.pl.b, v.pl.dist, v.pl.last, v.pl.bullet, v.pl.shield, v.pl.signal_b);
        seen(a) != seen(b) || (a.cl.color, a.dir) != (b.cl.color, b.dir)
    }
    let (c_dl, perfect) = ("oriented, and the P_PL part in C_DL", "oriented, and the P_PL part perfect");
    blueprint
        .phase("red-free", "no colour or stamp conflict", |_, c| pcl::red_free(&cl(c)))
        .phase("memory", "red-free, and every agent knows its neighbours' colours", |_, c| remembered(c))
        .phase("oriented", "red-free, memory right, and all agents point one way", |_, c| settled(c))
        .phase("C_PB", "the same, and the P_PL part in C_PB", |p, c| {
            p.oriented_in(c, |sets| sets.in_c_pb()) && remembered(c)
        })
        .led(|_, _| true)
        .open_phase("C_DL", c_dl, |p, c| p.oriented_in(c, |sets| sets.in_c_dl()), differ)
        .led(|_, _| true)
        .open_phase("perfect", perfect, |p, c| p.oriented_in(c, |sets| sets.perfect()), differ)
        .led(|p, ring| p.pl.perfect_needs_leader(ring))
}

fn with_events<const D: bool>(blueprint: Blueprint<UndirectedOf<D>>) -> Blueprint<UndirectedOf<D>> {
    blueprint
        .event("mode changed", MODE_CHANGED, |_, before, after| {
            mode_changed(before.map(|v| &v.pl), after.map(|v| &v.pl))
        })
        .event("token at its target", TOKEN_HIT, |p, before, after| {
            let [l, r] = if after[0].dir == after[1].cl.color { [0, 1] } else { [1, 0] };
            token_hit(p.pl.psi, [&before[l].pl, &before[r].pl], [&after[l].pl, &after[r].pl])
        })
        .event("recoloured", "an agent draws another colour", |_, before, after| {
            (0..2).any(|k| before[k].cl.color != after[k].cl.color)
        })
        .event("direction changed", "an agent points at another colour", |_, before, after| {
            (0..2).any(|k| before[k].dir != after[k].dir)
        })
}
