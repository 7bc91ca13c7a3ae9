//! AAF08: self-stabilizing leader election on directed rings whose size is no multiple of k, with 16k states
//! (Angluin, Aspnes, Fischer and Jiang, 2008).
//!
//! Agents try to count modulo k around the ring, which must fail somewhere since k does not divide n: where the count breaks is a
//! *barrier*. Barriers move to the right and merge until one is left. A barrier sends out a probe that runs to the right; a leader
//! absorbs it and shoots a bullet to the left, which kills the leaders that it meets, while a probe that comes round to a
//! barrier has found no leader and makes one there.
//!
//! Whose rules these are: the paper cites this system without giving its rules. For **k = 2 they are from a secondary source**, a published
//! model of the protocol; **for other k they are a reconstruction**, with labels modulo k in the place of bits.

use crate::blueprint::{Blueprint, Declared, Origin};
use crate::error::Error;
use crate::params::{Params, Settings};
use crate::portrait::PictureRow;
use crate::protocol::{Input, Protocol, Transition, leaders, n_cubed, uniform};
use crate::random::{Generator, below, index};
use crate::ring::{Orientation, Ring};
use crate::value::{Text, Value, named};
use crate::variable;
use crate::variables::{Domain, Variables};

/// The largest `k`.
pub const MAX_K: u64 = 65_536;

/// The state of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[expect(missing_docs, reason = "the names are the rules'")]
pub struct State {
    pub leader: u8,
    pub bullet: u8,
    pub probe: u8,
    pub phase: u8,
    pub label: u16,
}

/// AAF08 with its modulus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aaf {
    /// `k`, which does not divide n.
    pub k: u32,
}

impl Aaf {
    /// The label after this one.
    #[inline]
    fn next(&self, label: u16) -> u16 {
        if u32::from(label) + 1 == self.k { 0 } else { label + 1 }
    }

    /// Whether the count breaks between two neighbours.
    #[inline]
    fn is_barrier(&self, u: &State, v: &State) -> bool {
        v.label != self.next(u.label)
    }

    #[inline]
    fn on_a_barrier(&self, u: &mut State, v: &mut State) {
        if u.probe == 1 {
            (u.leader, u.probe) = (1, 0); // a
        }
        if u.phase == 0 {
            u.phase = 1; // b
            if v.leader == 0 {
                v.probe = 1;
            }
        } else if v.probe == 0 {
            v.label = self.next(u.label);
            (v.bullet, v.phase) = (0, 0);
        }
    }

    /// The cases c, d and e exclude each other.
    #[inline]
    fn elsewhere(u: &mut State, v: &mut State) {
        if v.leader == 1 && v.bullet == 1 {
            v.leader = 0; // c
        } else if v.leader == 1 {
            (u.bullet, u.probe) = (1, 0); // d
        } else {
            if v.bullet == 1 {
                (v.bullet, u.bullet) = (0, 1); // e
            }
            if u.probe == 1 {
                (u.probe, v.probe) = (0, 1);
            }
        }
    }

    /// The agents `v` of all barriers `(u, v)`.
    fn barriers(&self, config: &[State]) -> Vec<usize> {
        let n = config.len();
        (0..n).filter(|&v| self.is_barrier(&config[(v + n - 1) % n], &config[v])).collect()
    }

    /// Labels that count from agent `v` on, so that the only barrier lies before it.
    fn count_from(&self, config: &mut [State], v: usize, first: u16) {
        let n = config.len();
        let labels = std::iter::successors(Some(first), |&label| Some(self.next(label)));
        (0..n).zip(labels).for_each(|(i, label)| config[(v + i) % n].label = label);
    }
}

impl Transition for Aaf {
    type State = State;

    #[inline]
    fn interact(&self, u: &mut State, v: &mut State, _: Input) {
        if self.is_barrier(u, v) {
            self.on_a_barrier(u, v);
        } else {
            Self::elsewhere(u, v);
        }
    }
}

/// Whether nothing that travels can make a second leader or kill the only one, `w`, given that the only barrier lies before `v`.
fn at_peace(config: &[State], w: usize, v: usize) -> bool {
    let n = config.len();
    let stretch = (0..n - (w + n - v) % n).map(|i| config[(w + i) % n]);
    stretch.into_iter().all(|agent| agent.probe == 0 && (agent.bullet == 0 || w == v))
}

/// One barrier, and no leader that its probes could find.
fn leaderless(aaf: &Aaf, ring: Ring, _: &mut Generator) -> Vec<State> {
    let mut config = vec![State::default(); ring.n()];
    aaf.count_from(&mut config, 0, 0);
    config
}

/// Two leaders, half a ring apart, and one barrier.
fn two_leaders(aaf: &Aaf, ring: Ring, generator: &mut Generator) -> Vec<State> {
    let mut config = leaderless(aaf, ring, generator);
    (config[0].leader, config[ring.n() / 2].leader) = (1, 1);
    config
}

/// No leader, and barriers a third of the ring apart: a stretch begins with the label that the one before ends with.
fn three_barriers(aaf: &Aaf, ring: Ring, _: &mut Generator) -> Vec<State> {
    let (n, mut config) = (ring.n(), vec![State::default(); ring.n()]);
    for i in 1..n {
        let before = config[i - 1].label;
        config[i].label = if i == n / 3 || i == 2 * n / 3 { before } else { aaf.next(before) };
    }
    config
}

/// A random member of the safe set: a uniform configuration, repaired.
fn safe(aaf: &Aaf, ring: Ring, generator: &mut Generator) -> Vec<State> {
    let (n, mut config) = (ring.n(), uniform(aaf, ring, generator));
    let (w, v) = (index(generator, n), index(generator, n));
    config.iter_mut().for_each(|agent| agent.leader = 0);
    config[w].leader = 1;
    aaf.count_from(&mut config, v, below(generator, u64::from(aaf.k)) as u16);
    for i in 0..n - (w + n - v) % n {
        let agent = &mut config[(w + i) % n];
        agent.probe = 0;
        agent.bullet &= u8::from(w == v);
    }
    config
}

impl Aaf {
    /// [AAF+08] with its modulus.
    ///
    /// # Errors
    /// If k divides n.
    pub fn new(ring: Ring, params: &Params) -> Result<Self, Error> {
        let n = ring.n() as u64;
        let least = (2..).find(|&k| !n.is_multiple_of(k)).unwrap_or(2);
        let k = params.within("k", least, 2, MAX_K)?;
        if n.is_multiple_of(k) {
            let allowed = format!(
                "it divides n = {n}, and then no configuration is safe; allowed is 2 to {MAX_K} but no divisor of n, such as {least}"
            );
            return Err(Error::new("k", k, allowed));
        }
        Ok(Self { k: k as u32 })
    }
}

impl Protocol for Aaf {
    fn settings(&self) -> Settings {
        named([("k", self.k.into())])
    }

    fn variables(&self) -> Variables<State> {
        Variables(vec![
            variable!("leader", Domain::BIT, State.leader),
            variable!("bullet", Domain::BIT, State.bullet),
            variable!("probe", Domain::BIT, State.probe),
            variable!("phase", Domain::BIT, State.phase),
            variable!("label", Domain::up_to(self.k - 1), State.label),
        ])
    }

    fn is_leader(&self, state: &State) -> bool {
        state.leader == 1
    }

    fn is_safe(&self, config: &[State]) -> bool {
        match (leaders(self, config).as_slice(), self.barriers(config).as_slice()) {
            ([w], [v]) => at_peace(config, *w, *v),
            _ => false,
        }
    }

    fn default_limit(&self, ring: Ring) -> u64 {
        n_cubed(ring, 100)
    }

    fn facts(&self, config: &[State]) -> Vec<(Text, Value)> {
        named([
            ("n", config.len().into()),
            ("leaders", leaders(self, config).into()),
            ("barriers", self.barriers(config).into()),
            ("safe", self.is_safe(config).into()),
        ])
    }

    fn gauges(&self, config: &[State]) -> Vec<(Text, usize)> {
        named([("leaders", leaders(self, config).len()), ("barriers", self.barriers(config).len())])
    }

    fn picture(&self, config: &[State]) -> Vec<PictureRow> {
        let barriers = self.barriers(config);
        let ring = |i: usize| match config[i].leader {
            1 => 'L',
            _ if barriers.contains(&i) => '|',
            _ => '.',
        };
        let travellers = |v: &State| match (v.bullet, v.probe) {
            (1, 1) => '@',
            (1, _) => '*',
            (_, 1) => '?',
            _ => '.',
        };
        let ring = PictureRow::new("ring", "L leader, | barrier before this agent", (0..config.len()).map(ring));
        let legend = "* bullet moving left, ? probe moving right, @ both";
        vec![ring, PictureRow::new("moving", legend, config.iter().map(travellers))]
    }
}

impl Declared for Aaf {
    fn blueprint() -> Blueprint<Self> {
        Blueprint::new("aaf", Orientation::Directed, Self::new)
            .case("AAF08")
            .summary("[AAF+08]: elects one leader by counting modulo k around the ring")
            .assumption("n is no multiple of k")
            .bound("Theta(n^3)")
            .origin(Origin::Mixed("a secondary source for k = 2, else a reconstruction".into()))
            .elects()
            .safe("one leader, one barrier, peace")
            .evidence("checked for n = 3..4 (ringleader check aaf)")
            .parameter("k", "k, which must not divide n [default: the least such]")
            .start("barriers", "no leader, barriers a third of the ring apart; the worst start known", three_barriers)
            .start("leaderless", "every variable zero but one barrier, no leader", leaderless)
            .uniform()
            .start_all("one-label", "every variable zero: no leader, a barrier at every agent", State::default())
            .start_all("all-leaders", "every agent a leader, all else zero", State { leader: 1, ..State::default() })
            .start("two-leaders", "two antipodal leaders, one barrier", two_leaders)
            .start("safe", "a random safe configuration", safe)
            .phase("one barrier", "the labels count around the ring with one break", |aaf, config| {
                aaf.barriers(config).len() == 1
            })
    }
}
