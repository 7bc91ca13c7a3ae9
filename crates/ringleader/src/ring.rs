//! The population: `n` anonymous agents on a ring, and the interactions they may have (Section 2).

use crate::error::Error;

/// The smallest ring; the paper assumes `n >= 3`.
pub const MIN_N: usize = 3;
/// The largest ring that is accepted: 2^20 agents.
pub const MAX_N: usize = 1 << 20;

/// Which arcs the ring has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Orientation {
    /// Arcs `(u_i, u_{i+1})` only: the initiator is the left neighbour.
    Directed,
    /// Arcs in both directions; each of the 2n is equally likely.
    Undirected,
}

impl Orientation {
    /// The word used in tables and JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Directed => "directed",
            Self::Undirected => "undirected",
        }
    }
}

/// One interaction: the indices of its two agents, always neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interaction {
    /// Index of the initiator.
    pub initiator: usize,
    /// Index of the responder.
    pub responder: usize,
}

/// A ring of `n` agents `u_0, ..., u_{n-1}`; indices are taken modulo `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    n: usize,
    orientation: Orientation,
}

impl Ring {
    /// A ring of `n` agents.
    ///
    /// # Errors
    /// If `n` is below 3 or above [`MAX_N`].
    pub fn new(n: usize, orientation: Orientation) -> Result<Self, Error> {
        if (MIN_N..=MAX_N).contains(&n) {
            Ok(Self { n, orientation })
        } else {
            Err(Error::new("n", n, format!("a ring has {MIN_N} to {MAX_N} agents")))
        }
    }

    /// The number of agents.
    #[must_use]
    pub fn n(self) -> usize {
        self.n
    }

    /// Which arcs there are.
    #[must_use]
    pub fn orientation(self) -> Orientation {
        self.orientation
    }

    /// The number of arcs, that is, of possible interactions.
    #[must_use]
    pub fn arcs(self) -> usize {
        match self.orientation {
            Orientation::Directed => self.n,
            Orientation::Undirected => 2 * self.n,
        }
    }

    /// Arc number `k` in `[0, arcs)`: `e_k` on a directed ring; on an undirected one arc `2i` is
    /// `(u_i, u_{i+1})` and arc `2i+1` is `(u_{i+1}, u_i)`.
    #[inline]
    #[must_use]
    pub fn arc(self, k: usize) -> Interaction {
        match self.orientation {
            Orientation::Directed => self.e(k),
            Orientation::Undirected if k.is_multiple_of(2) => self.e(k / 2),
            Orientation::Undirected => self.e(k / 2).reversed(),
        }
    }

    /// The interaction `e_i = (u_i, u_{i+1})`, for `i` in `[0, n)`.
    #[inline]
    #[must_use]
    pub fn e(self, i: usize) -> Interaction {
        let responder = if i + 1 == self.n { 0 } else { i + 1 };
        Interaction { initiator: i, responder }
    }

    /// The interaction between two named agents.
    ///
    /// # Errors
    /// If an index is out of range, or the ring has no such arc.
    pub fn between(self, initiator: usize, responder: usize) -> Result<Interaction, Error> {
        let shown = format!("[{initiator}, {responder}]");
        if initiator >= self.n || responder >= self.n {
            return Err(Error::new("interaction", shown, format!("agents are 0 to {}", self.n - 1)));
        }
        let interaction = Interaction { initiator, responder };
        let forward = self.e(initiator) == interaction;
        let backward = self.e(responder) == interaction.reversed();
        match self.orientation {
            _ if forward => Ok(interaction),
            Orientation::Undirected if backward => Ok(interaction),
            Orientation::Undirected => Err(Error::new("interaction", shown, "only neighbours interact")),
            Orientation::Directed => Err(Error::new(
                "interaction",
                shown,
                "on a directed ring the responder is the initiator's right neighbour",
            )),
        }
    }

    /// `u_{i+by}`, with indices modulo `n`.
    #[inline]
    #[must_use]
    pub fn shift(self, i: usize, by: isize) -> usize {
        (i as isize + by).rem_euclid(self.n as isize) as usize
    }

    /// `seq_R(i, j) = e_i, e_{i+1}, ..., e_{i+j-1}`. Sequences are vectors: `concat` is the paper's
    /// dot and `repeat(k)` its power.
    ///
    /// ```
    /// # use ringleader::ring::{Ring, Orientation};
    /// let ring = Ring::new(5, Orientation::Directed)?;
    /// let word = [ring.seq_r(3, 3), ring.seq_l(1, 2)].concat().repeat(2);
    /// let initiators: Vec<usize> = word.iter().map(|e| e.initiator).collect();
    /// assert_eq!(initiators, [3, 4, 0, 0, 4, 3, 4, 0, 0, 4]);
    /// # Ok::<(), ringleader::error::Error>(())
    /// ```
    #[must_use]
    pub fn seq_r(self, i: usize, j: usize) -> Vec<Interaction> {
        (0..j).map(|k| self.e((i + k) % self.n)).collect()
    }

    /// `seq_L(i, j) = e_{i-1}, e_{i-2}, ..., e_{i-j}`.
    #[must_use]
    pub fn seq_l(self, i: usize, j: usize) -> Vec<Interaction> {
        (1..=j).map(|k| self.e(self.shift(i, -(k as isize)))).collect()
    }
}

impl Interaction {
    /// The same pair with the roles exchanged.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self { initiator: self.responder, responder: self.initiator }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_outside_the_range_are_refused() {
        for n in [0, 2, MAX_N + 1] {
            let error = Ring::new(n, Orientation::Directed).unwrap_err().to_string();
            assert!(error.contains(&n.to_string()) && error.contains("3 to 1048576"), "{error}");
        }
    }

    #[test]
    fn undirected_arcs_are_every_ordered_pair_of_neighbours_once() {
        let ring = Ring::new(4, Orientation::Undirected).unwrap();
        let mut arcs: Vec<_> = (0..ring.arcs()).map(|k| ring.arc(k)).map(|e| (e.initiator, e.responder)).collect();
        arcs.sort_unstable();
        assert_eq!(arcs, [(0, 1), (0, 3), (1, 0), (1, 2), (2, 1), (2, 3), (3, 0), (3, 2)]);
    }

    #[test]
    fn only_arcs_of_the_ring_are_interactions() {
        let directed = Ring::new(5, Orientation::Directed).unwrap();
        let undirected = Ring::new(5, Orientation::Undirected).unwrap();
        assert!(directed.between(4, 0).is_ok() && directed.between(0, 4).is_err());
        assert!(undirected.between(0, 4).is_ok() && undirected.between(0, 2).is_err());
        assert!(undirected.between(5, 0).is_err());
    }
}
