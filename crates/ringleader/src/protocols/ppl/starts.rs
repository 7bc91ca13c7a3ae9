//! Adversarial initial configurations of P_PL, and random members of S_PL.

use super::{Mode, PplOf, State};
use crate::error::Error;
use crate::protocol::{Protocol, uniform};
use crate::protocols::elim::make_peace;
use crate::random::{Generator, below, index};
use crate::ring::Ring;

type Made = Vec<State>;

fn each(ring: Ring, agent: impl Fn(usize) -> State) -> Made {
    (0..ring.n()).map(agent).collect()
}

/// Two shielded leaders, half a ring apart, with `dist` right for both.
pub(crate) fn two_leaders<const P: bool>(ppl: &PplOf<P>, ring: Ring, _: &mut Generator) -> Made {
    let half = ring.n() / 2;
    each(ring, |i| {
        let from_leader = if i < half { i } else { i - half };
        let leader = u8::from(from_leader == 0);
        State { leader, shield: leader, dist: dist(ppl, from_leader), ..State::default() }
    })
}

/// Whether `dist` can be consistent without a leader.
pub(crate) fn wrong_id_needs<const P: bool>(ppl: &PplOf<P>, ring: Ring) -> Result<(), Error> {
    let border = 2 * usize::from(ppl.psi);
    if ring.n().is_multiple_of(border) {
        return Ok(());
    }
    let allowed = format!("n must be a multiple of 2 psi = {border}, so that dist can be consistent");
    Err(Error::new("start wrong-id with n", ring.n(), allowed))
}

/// Leaderless and in detection mode; segments count 0, 1, 2, ... so that only the step from the last back to
/// the first is wrong.
pub(crate) fn wrong_id<const P: bool>(ppl: &PplOf<P>, ring: Ring, _: &mut Generator) -> Made {
    let psi = usize::from(ppl.psi);
    each(ring, |i| {
        let b = (i / psi) >> (i % psi) & 1;
        State { dist: dist(ppl, i), b: b as u8, clock: ppl.kappa_max, mode: Mode::Detect, ..State::default() }
    })
}

/// Leaderless, with every signal that only a leader could have sent.
pub(crate) fn stale_signals<const P: bool>(ppl: &PplOf<P>, ring: Ring, _: &mut Generator) -> Made {
    each(ring, |_| State { signal_r: ppl.kappa_max, signal_b: 1, ..State::default() })
}

/// One unshielded leader in a ring full of live bullets: it will be killed.
pub(crate) fn live_bullets<const P: bool>(_: &PplOf<P>, ring: Ring, _: &mut Generator) -> Made {
    each(ring, |i| State { leader: u8::from(i == 0), bullet: 2, ..State::default() })
}

/// In C_DL, with random bits and a random token of each colour at every agent.
pub(crate) fn tokens<const P: bool>(ppl: &PplOf<P>, ring: Ring, generator: &mut Generator) -> Made {
    let variables = ppl.variables();
    let mut config = vec![State::default(); ring.n()];
    for v in &mut config {
        v.b = below(generator, 2) as u8;
        for variable in variables.0.iter().filter(|variable| variable.name.starts_with("token")) {
            let k = 1 + below(generator, variable.domain.size() - 1);
            variable.put(v, &variable.domain.nth(k));
        }
    }
    make_leader(ppl, &mut config, 0);
    config
}

fn dist<const P: bool>(ppl: &PplOf<P>, i: usize) -> u8 {
    (i % (2 * usize::from(ppl.psi))) as u8
}

/// Makes `u_{u_0}` the only leader and sets `dist` and `last` as C_DL asks.
fn make_leader<const P: bool>(ppl: &PplOf<P>, config: &mut [State], u_0: usize) {
    let (n, psi) = (config.len(), usize::from(ppl.psi));
    let last_border = psi * (n.div_ceil(psi) - 1);
    for i in 0..n {
        let v = &mut config[(u_0 + i) % n];
        v.leader = u8::from(i == 0);
        v.dist = dist(ppl, i);
        v.last = u8::from(i >= last_border);
    }
}

/// A random member of S_PL: a uniform configuration, repaired condition by condition.
pub(crate) fn safe<const P: bool>(ppl: &PplOf<P>, ring: Ring, generator: &mut Generator) -> Made {
    let mut config = uniform(ppl, ring, generator);
    let u_0 = index(generator, ring.n());
    make_leader(ppl, &mut config, u_0);
    make_peace(&mut config, u_0, below(generator, 2) == 0);
    number_segments(ppl, &mut config, u_0);
    correct_tokens(ppl, &mut config, u_0);
    config
}

/// Gives `S_1, ..., S_{zeta-2}` the IDs that follow from that of `S_0`.
fn number_segments<const P: bool>(ppl: &PplOf<P>, config: &mut [State], u_0: usize) {
    let (n, psi) = (config.len(), usize::from(ppl.psi));
    for i in 1..(n.div_ceil(psi)).saturating_sub(1) {
        let mut carry = 1;
        for j in 0..psi {
            let b = config[(u_0 + (i - 1) * psi + j) % n].b;
            config[(u_0 + i * psi + j) % n].b = b ^ carry;
            carry &= b;
        }
    }
}

/// Drops risky tokens and corrects those that work for a pair of segments whose IDs matter.
fn correct_tokens<const P: bool>(ppl: &PplOf<P>, config: &mut [State], u_0: usize) {
    let before = config.to_vec();
    let sets = ppl.sets(&before);
    for z in sets.tokens() {
        let (k, pos) = sets.place(u_0, z);
        let token = &mut config[z.agent].token[z.colour];
        if sets.zeta() > 1 && sets.is_risky(u_0, z) {
            *token = None;
        } else if let (true, i, Some(x)) = (sets.is_valid(z), sets.working_for(k, pos), sets.round(k, pos))
            && i < sets.pairs()
        {
            let (bit, carry) = sets.correct(u_0, i, x);
            *token = Some(super::Token { bit: bit.into(), carry: carry.into(), ..z.token });
        }
    }
}
