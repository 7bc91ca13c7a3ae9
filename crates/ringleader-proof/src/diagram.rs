//! Predicates on few bits as decision diagrams, made from a function on plain data.

use ringleader::circuit::Bit;
use rustc_hash::FxHashMap;

/// A Boolean function of some planes: nodes `(plane, if false, if true)`, children before parents; 0 and 1 are the constants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagram {
    nodes: Vec<(usize, u32, u32)>,
    root: u32,
}

/// More bits than this would be a mistake.
const MOST_BITS: usize = 20;

impl Diagram {
    /// The function of these planes whose value under the assignment `k` (bit `j` of `k` is the value of plane `j` of the list) is `f(k)`.
    #[must_use]
    pub fn new(planes: &[usize], mut f: impl FnMut(u64) -> bool) -> Self {
        assert!(planes.len() <= MOST_BITS, "a diagram of {} bits", planes.len());
        let mut level: Vec<u32> = (0..1_u64 << planes.len()).map(|k| u32::from(f(k))).collect();
        let mut diagram = Self { nodes: Vec::new(), root: 0 };
        for &plane in planes {
            let mut known = FxHashMap::default();
            level = level.chunks(2).map(|pair| diagram.node(plane, pair[0], pair[1], &mut known)).collect();
        }
        diagram.root = level[0];
        diagram
    }

    fn node(&mut self, plane: usize, low: u32, high: u32, known: &mut FxHashMap<(u32, u32), u32>) -> u32 {
        if low == high {
            return low;
        }
        *known.entry((low, high)).or_insert_with(|| {
            self.nodes.push((plane, low, high));
            self.nodes.len() as u32 + 1
        })
    }

    /// Its value for these planes.
    pub fn of<B: Bit>(&self, plane: impl Fn(usize) -> B) -> B {
        let mut values = Vec::with_capacity(self.nodes.len() + 2);
        values.extend([B::ZERO, B::ONE]);
        for &(bit, low, high) in &self.nodes {
            values.push(plane(bit).select(values[high as usize], values[low as usize]));
        }
        values[self.root as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagram_is_its_function() {
        for f in [|k: u64| k.is_multiple_of(3), |k: u64| k > 9, |_| true, |_| false, |k: u64| k & 4 == 4] {
            let diagram = Diagram::new(&[7, 2, 5, 0], f);
            for k in 0..16_u64 {
                let place = |plane: usize| [7, 2, 5, 0].iter().position(|&p| p == plane).unwrap_or(9);
                assert_eq!(diagram.of(|plane| k >> place(plane) & 1 == 1), f(k), "{k}");
            }
        }
        assert_eq!(Diagram::new(&[0, 1], |k| k & 1 == 1).nodes.len(), 1, "planes without influence are not asked");
    }
}
