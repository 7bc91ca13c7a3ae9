//! The sets of Section 5 and Appendix B as circuits over a whole ring, to be read beside `por.rs` and `pcl.rs` of the library.

use ringleader::circuit::Bit;
use ringleader::protocols::{pcl, por};

use crate::bits::{all, any, same};
use crate::machine::{Config, Machine};

fn equal<B: Bit>(a: &[B], b: &[B]) -> B {
    all(a.iter().zip(b).map(|(&a, &b)| same(a, b)))
}

/// The sets of P_OR.
pub struct PorSets<'m>(pub &'m Machine<por::State>);

impl PorSets<'_> {
    fn at<B: Bit>(&self, name: &str, config: &Config<B>, i: usize) -> Vec<B> {
        self.0.bits(name, &config[i % config.len()])
    }

    /// A two-hop colouring, and the right memory.
    pub fn inputs_right<B: Bit>(&self, config: &Config<B>) -> B {
        let n = config.len();
        all((0..n).map(|i| {
            let [left, right] = [i + n - 1, i + 1].map(|j| self.at("color", config, j));
            let (c1, c2) = (self.at("c1", config, i), self.at("c2", config, i));
            let memory = (equal(&c1, &left) & equal(&c2, &right)) | (equal(&c1, &right) & equal(&c2, &left));
            memory & !equal(&left, &right)
        }))
    }

    /// `u_i` points at the agent so many places to the right.
    fn points<B: Bit>(&self, config: &Config<B>, i: usize, by: usize) -> B {
        equal(&self.at("dir", config, i), &self.at("color", config, i + by))
    }

    /// `u_i` points right.
    pub fn right<B: Bit>(&self, config: &Config<B>, i: usize) -> B {
        self.points(config, i, 1)
    }

    /// `u_i` points left.
    pub fn left<B: Bit>(&self, config: &Config<B>, i: usize) -> B {
        self.points(config, i, config.len() - 1)
    }

    /// The invariant of the analysis: every agent points at a neighbour.
    pub fn all_point<B: Bit>(&self, config: &Config<B>) -> B {
        all((0..config.len()).map(|i| self.right(config, i) | self.left(config, i)))
    }

    /// Every agent points the same way.
    pub fn oriented<B: Bit>(&self, config: &Config<B>) -> B {
        let all_in = |by: usize| all((0..config.len()).map(|i| self.points(config, i, by)));
        all_in(1) | all_in(config.len() - 1)
    }

    /// `u_i` and `u_{i+1}` point at each other: two heads.
    pub fn heads_meet<B: Bit>(&self, config: &Config<B>, i: usize) -> B {
        self.right(config, i) & self.left(config, i + 1)
    }

    /// `u_i` is the head of a segment, given the invariant.
    pub fn head<B: Bit>(&self, config: &Config<B>, i: usize) -> B {
        self.heads_meet(config, i) | self.heads_meet(config, i + config.len() - 1)
    }

    /// `u_i` is a segment of its own, given the invariant.
    pub fn alone<B: Bit>(&self, config: &Config<B>, i: usize) -> B {
        let (before, after) = (i + config.len() - 1, i + 1);
        let right = self.right(config, i);
        self.head(config, i) & right.select(self.left(config, before), self.right(config, after))
    }

    /// `u_i` is strong and no head.
    pub fn obstacle<B: Bit>(&self, config: &Config<B>, i: usize) -> B {
        self.at("strong", config, i)[0] & !self.head(config, i)
    }
}

/// The sets of P_CL.
pub struct PclSets<'m>(pub &'m Machine<pcl::State>);

impl PclSets<'_> {
    fn at<B: Bit>(&self, name: &str, config: &Config<B>, i: usize) -> Vec<B> {
        self.0.bits(name, &config[i % config.len()])
    }

    /// `u_i` and `u_{i+2}` have the same colour.
    pub fn color_conflict<B: Bit>(&self, config: &Config<B>, i: usize) -> B {
        equal(&self.at("color", config, i), &self.at("color", config, i + 2))
    }

    /// `u_i` and `u_{i+1}` have a stamp conflict.
    pub fn stamp_conflict<B: Bit>(&self, config: &Config<B>, i: usize) -> B {
        let [c, d] = [i, i + 1].map(|j| self.at("color", config, j));
        let [s, t] = [i, i + 1].map(|j| self.at("stampC", config, j));
        let [x, y] = [i, i + 1].map(|j| self.at("stampB", config, j)[0]);
        equal(&c, &t) & equal(&s, &d) & (x ^ y)
    }

    /// `u_i` is red.
    pub fn red<B: Bit>(&self, config: &Config<B>, i: usize) -> B {
        let n = config.len();
        let conflicts = any([i + n - 2, i, i + n - 1].map(|j| self.color_conflict(config, j)));
        conflicts | self.stamp_conflict(config, i + n - 1) | self.stamp_conflict(config, i)
    }

    /// No two agents at distance two have the same colour.
    pub fn two_hop_colored<B: Bit>(&self, config: &Config<B>) -> B {
        !any((0..config.len()).map(|i| self.color_conflict(config, i)))
    }

    /// No agent is red.
    pub fn red_free<B: Bit>(&self, config: &Config<B>) -> B {
        !any((0..config.len()).map(|i| self.red(config, i)))
    }
}
