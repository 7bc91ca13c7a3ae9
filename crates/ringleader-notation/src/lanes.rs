//! The graph of a text as a circuit of the library: one interaction in all lanes at once.
//!
//! An oracle says in lanes that there is a leader; the engine finds out when that was wrong.
//!
//! Planes are the bits of a state that some variable has, in order, and one that says who leads if none of them does. What an interaction
//! keeps is not written, and in lanes that are not asked everything is kept, by the graph itself.
//!
//! ```text
//! graph --network--> functions of three bits --guards--> what need not run when --interpret--> any word, on any processor
//!                                                        --assemble--> machine code for AVX-512 and AVX2 --memory--> a call
//! ```

use std::sync::{Arc, OnceLock};

use ringleader::circuit::{Bit, Circuit};
use ringleader::protocol::draw;
use ringleader::random::mix;
use rustc_hash::FxHashSet;

use crate::glance::slots_of;
use crate::graph::{Cone, Gate, Lit, in_fresh_arena};
use crate::lower::{self, Lowered};
use crate::program::Program;
use crate::setting::{Cell, Setting, Slot, State};
use ground::Ground;
use interpret::Acts;
use network::Network;

#[cfg(target_arch = "x86_64")]
mod assemble;
mod ground;
mod guards;
mod interpret;
#[cfg(target_arch = "x86_64")]
mod machine;
#[cfg(target_arch = "x86_64")]
mod memory;
mod network;
#[cfg(target_arch = "x86_64")]
mod pairs;

/// A text in lanes.
#[derive(Clone)]
pub struct Lanes {
    inner: Arc<Inner>,
    /// Whether machine code is not to be used.
    interpreted: bool,
}

struct Inner {
    /// The place of each plane in a state.
    places: Vec<u32>,
    /// The place of every bit that says whether something is there, and the bits of what it is about.
    loose: Vec<(u32, [u64; 2])>,
    /// Who leads, by plane; it is the last if it has no place.
    leader: Option<usize>,
    leads: Box<dyn Fn(&State) -> bool + Send + Sync>,
    /// How many values each coin has.
    coins: Vec<u64>,
    inputs: usize,
    step: Reading,
    reads: Vec<Drawn>,
}

/// Whether a coin is read.
struct Drawn {
    /// The planes of l or, after those, of r on which it depends.
    planes: Vec<u16>,
    acts: Acts,
}

/// An interaction, ready to run.
struct Reading {
    ground: Arc<Ground>,
    /// Without jumps.
    plain: Acts,
    /// With jumps, made when it is first asked for.
    acts: OnceLock<Acts>,
    #[cfg(target_arch = "x86_64")]
    machine: machine::Machine,
}

const FIRST_RANDOM: usize = 64;

/// The most planes of coins.
const MOST_COINS: usize = 64;

impl Lanes {
    /// The circuit of a text that cannot go wrong, or is known not to; `leads` says whether an agent leads. `None` if it is too hard.
    pub(crate) fn new(
        program: &Program,
        setting: &Setting,
        proven: bool,
        leads: impl Fn(&State) -> bool + Send + Sync + 'static,
    ) -> Option<Self> {
        // Who asks an oracle has leaders that are counted.
        if setting.oracle.is_some() && program.leader.is_none() {
            return None;
        }
        let inner = in_fresh_arena(Box::new(|| None), || {
            let (when, asks) = (Lit::input(), setting.oracle.is_some());
            let lowered = lower::interact_told(program, setting, when, Lit::ONE).ok()?;
            let right = proven || lowered.wrong.is_empty();
            let otherwise = match asks && !setting.coins.is_empty() {
                true => Some(lower::interact_told(program, setting, when, Lit::ZERO).ok()?),
                false => None,
            };
            right.then(|| Inner::new(program, setting, &lowered, otherwise.as_ref(), when, Box::new(leads)))?
        });
        inner.map(|inner| Self { inner: Arc::new(inner), interpreted: false })
    }
}

impl Inner {
    fn new(
        program: &Program,
        setting: &Setting,
        lowered: &Lowered,
        otherwise: Option<&Lowered>,
        when: Lit,
        leads: Box<dyn Fn(&State) -> bool + Send + Sync>,
    ) -> Option<Self> {
        let places: Vec<u32> = (0..128).filter(|&k| lowered.before[0][k as usize] != Lit::ZERO).collect();
        let planes = |agents: &[Vec<Lit>], agent: usize| -> Vec<Lit> {
            places.iter().map(|&place| agents[agent][place as usize]).collect()
        };
        let mut before = [planes(&lowered.before, 0), planes(&lowered.before, 1)];
        let mut after = [planes(&lowered.after, 0), planes(&lowered.after, 1)];
        let leader = program.leader.map(|_| {
            let known = before[0].iter().position(|&plane| plane == lowered.leads[0][0]);
            known.unwrap_or_else(|| {
                for agent in 0..2 {
                    before[agent].push(Lit::input());
                    after[agent].push(lowered.leads[agent][1]);
                }
                places.len()
            })
        });
        let coins: Vec<Lit> = lowered.coins.iter().flatten().copied().collect();
        if coins.len() > MOST_COINS {
            return None;
        }
        let kept = before.concat();
        let inputs = [&kept[..], &coins, &[when]].concat();
        let next: Vec<Lit> = after.concat().iter().zip(&kept).map(|(&new, &old)| when.select(new, old)).collect();
        let changed: Vec<u16> = (0..next.len()).filter(|&k| next[k] != kept[k]).map(|k| k as u16).collect();
        let outputs = changed.iter().map(|&k| next[k as usize]).chain([when & lowered.changed]).collect::<Vec<_>>();
        let width = before[0].len();
        let sample = sampled(setting, &places, width);
        let step = Reading::new(Cone::of(&inputs, &outputs), [width, width, coins.len(), 1], changed, sample)?;
        let mut reads = Vec::new();
        for lowered in [Some(lowered), otherwise].into_iter().flatten().filter(|_| !coins.is_empty()) {
            // The planes of this one, without that of who leads.
            let own: Vec<Lit> = [planes(&lowered.before, 0), planes(&lowered.before, 1)].concat();
            reads.push(Drawn::new(&own, lowered.drawn, (places.len(), width))?);
        }
        let sizes = setting.coins.iter().map(Slot::size).collect();
        let loose = loose(setting);
        Some(Self { places, loose, leader, leads, coins: sizes, inputs: coins.len(), step, reads })
    }

    fn planes(&self) -> usize {
        self.places.len() + usize::from(self.leader == Some(self.places.len()))
    }
}

fn loose(setting: &Setting) -> Vec<(u32, [u64; 2])> {
    let cells = setting.layout.fields.iter().flat_map(|field| &field.cells);
    let loose = cells.filter_map(|(_, cell)| match cell {
        Cell::One(_) => None,
        Cell::Maybe(there, parts) => {
            let mut bits = [0; 2];
            parts.iter().for_each(|part| bits[part.word] |= part.mask << part.shift);
            Some((64 * there.word as u32 + there.shift, bits))
        }
    });
    loose.collect()
}

/// Some states of an agent in 64 lanes, by number, as planes.
type Sample = Box<dyn Fn(usize) -> Vec<u64> + Send + Sync>;

/// The first samples are the state that is all zero, the others are any.
fn sampled(setting: &Setting, places: &[u32], width: usize) -> Sample {
    let (slots, places) = (
        (0..setting.layout.fields.len()).flat_map(|field| slots_of(setting, field)).collect::<Vec<_>>(),
        places.to_vec(),
    );
    Box::new(move |number| {
        let mut planes = vec![0; width];
        for lane in (0..64).filter(|_| number >= FIRST_RANDOM) {
            let mut state = State::default();
            for (k, slot) in slots.iter().enumerate() {
                let random = mix((64 * number + lane) as u64 ^ mix(k as u64));
                slot.put(&mut state, slot.nth(random % slot.size()));
            }
            for (plane, &place) in planes.iter_mut().zip(&places) {
                *plane |= (state.0[place as usize / 64] >> (place % 64) & 1) << lane;
            }
        }
        planes
    })
}

impl Drawn {
    /// What this literal says, of these planes; an agent has so many of them, and in all so many. Until a coin is read, no coin matters.
    fn new(planes: &[Lit], drawn: Lit, (own, all): (usize, usize)) -> Option<Self> {
        let mut seen = FxHashSet::default();
        let mut pending = vec![drawn];
        while let Some(lit) = pending.pop() {
            if seen.insert(lit.gate()) {
                pending.extend(lit.meaning().parts());
            }
        }
        let needed: Vec<usize> = (0..planes.len()).filter(|&k| seen.contains(&planes[k].gate())).collect();
        let inputs: Vec<Lit> = needed.iter().map(|&k| planes[k]).collect();
        let is_input = |gate: &usize| matches!(Lit::of_gate(*gate).meaning(), Gate::Input(_));
        let only_planes = seen.iter().filter(|gate| is_input(gate)).count() == inputs.len();
        let network = only_planes.then(|| Network::of(&Cone::of(&inputs, &[drawn]), inputs.len(), &|_| 1))?;
        let plane = |k: usize| if k < own { k } else { k - own + all } as u16;
        Some(Self { planes: needed.into_iter().map(plane).collect(), acts: Acts::plain(&network, &[])? })
    }

    #[inline(always)]
    fn told<B: Bit>(&self, l: &[B], r: &[B]) -> B {
        if self.planes.len() <= 64 { self.told_of::<B, 64>(l, r) } else { self.told_of::<B, 256>(l, r) }
    }

    #[inline(always)]
    fn told_of<B: Bit, const N: usize>(&self, l: &[B], r: &[B]) -> B {
        let mut needed = [B::ZERO; N];
        for (to, &plane) in needed.iter_mut().zip(&self.planes) {
            let plane = plane as usize;
            *to = if plane < l.len() { l[plane] } else { r[plane - l.len()] };
        }
        self.acts.told(&needed[..self.planes.len()])
    }
}

impl Reading {
    /// A cone whose inputs are planes of l, of r, coins, and the lanes that are asked.
    fn new(cone: Cone, parts: [usize; 4], changed: Vec<u16>, sample: Sample) -> Option<Self> {
        let network = Network::of(&cone, parts.iter().sum(), &|_| 1);
        let plain = Acts::plain(&network, &changed)?;
        let ground = Arc::new(Ground { cone, network, parts, changed, sample });
        Some(Self {
            #[cfg(target_arch = "x86_64")]
            machine: machine::Machine::new(ground.clone()),
            ground,
            plain,
            acts: OnceLock::new(),
        })
    }

    /// Whether acts do what the network does.
    fn agrees(&self, acts: &Acts) -> bool {
        let same = |seed| {
            self.ground.agrees(seed, |[l, r, coins], when: [u64; 1]| {
                Some([acts.run(l.as_flattened_mut(), r.as_flattened_mut(), coins.as_flattened(), when[0])])
            })
        };
        (0..ground::WORDS).all(same)
    }

    #[cold]
    fn jumping(&self) -> Acts {
        let jumping = Acts::of(&self.ground.guarded(&self.ground.network), &self.ground.changed);
        jumping.filter(|acts| self.agrees(acts)).unwrap_or_else(|| self.plain.clone())
    }

    #[inline(always)]
    fn run<B: Bit>(&self, l: &mut [B], r: &mut [B], coins: &[B], when: B, interpreted: bool) -> B {
        #[cfg(target_arch = "x86_64")]
        if !interpreted && let Some(told) = self.machine.run(l, r, coins, when) {
            return told;
        }
        self.acts.get_or_init(|| self.jumping()).run(l, r, coins, when)
    }
}

impl Lanes {
    fn step(&self) -> &Reading {
        &self.inner.step
    }

    /// For which words there is no machine code, and why.
    #[must_use]
    pub fn missing(&self) -> Vec<(&'static str, String)> {
        #[cfg(target_arch = "x86_64")]
        {
            let kinds = [("AVX-512", assemble::Isa::Avx512), ("AVX2", assemble::Isa::Avx2)];
            let missing = |(name, isa)| Some((name, self.step().machine.missing(isa)?));
            kinds.into_iter().filter_map(missing).collect()
        }
        #[cfg(not(target_arch = "x86_64"))]
        vec![("wide words", "machine code is made for x86-64 only".to_owned())]
    }
}

impl Circuit for Lanes {
    type State = State;
    type Core = Self;

    fn core(&self) -> &Self {
        self
    }

    fn planes(&self) -> usize {
        self.inner.planes()
    }

    fn inputs(&self) -> usize {
        self.inner.inputs
    }

    fn encode(&self, state: &State) -> u128 {
        let bit = |place: u32| u128::from(state.0[place as usize / 64] >> (place % 64) & 1);
        let code = self.inner.places.iter().enumerate().fold(0, |code, (p, &place)| code | bit(place) << p);
        let own = self.inner.leader == Some(self.inner.places.len()) && (self.inner.leads)(state);
        code | u128::from(own) << self.inner.places.len()
    }

    fn decode(&self, code: u128) -> State {
        let mut state = State::default();
        for (p, &place) in self.inner.places.iter().enumerate() {
            state.0[place as usize / 64] |= ((code >> p & 1) as u64) << (place % 64);
        }
        // The parts of a value that is not there are anything here, and zero in a state.
        for &(there, parts) in &self.inner.loose {
            if state.0[there as usize / 64] >> (there % 64) & 1 == 0 {
                state.0[0] &= !parts[0];
                state.0[1] &= !parts[1];
            }
        }
        state
    }

    fn encode_coin(&self, coin: u64) -> u64 {
        let drawn = draw(coin, &self.inner.coins);
        let (mut code, mut at) = (0, 0);
        for (place, size) in drawn.into_iter().zip(&self.inner.coins) {
            code |= place << at;
            at += u64::BITS - (size - 1).leading_zeros();
        }
        code
    }

    #[inline(always)]
    fn reads_coin<B: Bit>(&self, l: &[B], r: &[B]) -> B {
        self.inner.reads.iter().fold(B::ZERO, |reads, drawn| reads | drawn.told(l, r))
    }

    #[inline(always)]
    fn interact<B: Bit>(&self, l: &mut [B], r: &mut [B], input: &[B], when: B) -> B {
        self.step().run(l, r, &input[..self.inner.inputs], when, self.interpreted)
    }

    fn leader_plane(&self) -> Option<usize> {
        self.inner.leader
    }

    fn interpreted(&self) -> Option<Self> {
        Some(Self { interpreted: true, ..self.clone() })
    }

    fn without_code(&self, lanes: usize) -> Option<String> {
        let name = match lanes {
            512 => "AVX-512",
            256 => "AVX2",
            _ => return Some("machine code is made for AVX-512 and AVX2 only".to_owned()),
        };
        self.missing().into_iter().find_map(|(words, why)| (words == name).then_some(why))
    }
}

#[cfg(test)]
mod tests {
    use ringleader::params::Params;

    use super::*;

    /// The lanes of a built-in text on 12 agents.
    pub(super) fn lanes(name: &str) -> Lanes {
        let path = format!("{}/../../protocols/{name}.py", env!("CARGO_MANIFEST_DIR"));
        let program = crate::read(name, &std::fs::read_to_string(path).unwrap()).unwrap();
        let setting = Setting::new(&program, 12, &Params::default()).unwrap_or_else(|_| panic!("{name}"));
        Lanes::new(&program, &setting, true, |_| false).unwrap()
    }
}
