//! A graph as functions of three bits, which is what a vector instruction computes.
//!
//! Every gate has some cuts: at most three gates from which it can be computed. The mapper chooses one for each gate that is needed, so
//! that the sum of prices is small: first by how a gate's price is shared by its users (area flow), then by what a choice really adds to
//! what is there (exact area).
//!
//! Values are *settled*: a value that is true when all inputs are false is kept negated, so every function gives false for all false. All of
//! these functions can be made of and, or, xor and and-not, without a constant.

use crate::graph::{Cone, Gate, Lit};

/// The truth of `f(a, b, c)` is bit `4a + 2b + c`, as in VPTERNLOG.
pub(crate) type Table = u8;

/// The three bits themselves, as tables.
pub(crate) const BITS: [Table; 3] = [0xf0, 0xcc, 0xaa];

/// A function of three values. Those on which it does not depend are any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) table: Table,
    pub(crate) of: [u32; 3],
}

/// Nodes, each after those that it needs. The first values are the inputs, then those of nodes in their order.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    pub(crate) inputs: usize,
    pub(crate) nodes: Vec<Node>,
    /// Which value each output is, and whether it is negated.
    pub(crate) outputs: Vec<(u32, bool)>,
}

/// How many cuts of a gate are kept.
const CUTS: usize = 8;
/// So often the price of all is looked at anew.
const FLOW_ROUNDS: usize = 2;
const EXACT_ROUNDS: usize = 2;

const NOBODY: u32 = u32::MAX;

/// Leaves in increasing order, and the function of them.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cut {
    leaves: [u32; 3],
    table: Table,
    flow: f32,
}

/// Whether a function depends on a bit.
pub(crate) fn depends(table: Table, bit: usize) -> bool {
    let by = 4 >> bit;
    (table >> by ^ table) & !BITS[bit] != 0
}

/// The function of `(a, b, c)` that is `table` of the bits `from[0], from[1], from[2]` of these.
pub(crate) fn permuted(table: Table, from: [usize; 3]) -> Table {
    let bit = |k: usize, place: usize| k >> (2 - place) & 1;
    (0..8)
        .filter(|&k| table >> (4 * bit(k, from[0]) + 2 * bit(k, from[1]) + bit(k, from[2])) & 1 == 1)
        .fold(0, |table, k| table | 1 << k)
}

impl Cut {
    fn itself(gate: usize) -> Self {
        Self { leaves: [gate as u32, NOBODY, NOBODY], table: BITS[0], flow: 0.0 }
    }

    fn leaves(&self) -> impl Iterator<Item = usize> {
        self.leaves.into_iter().take_while(|&leaf| leaf != NOBODY).map(|leaf| leaf as usize)
    }

    /// All leaves of two cuts, if they are not too many.
    fn union(a: [u32; 3], b: [u32; 3]) -> Option<[u32; 3]> {
        let (mut union, mut i, mut j) = ([NOBODY; 3], 0, 0);
        for place in &mut union {
            let (x, y) = (a.get(i).copied().unwrap_or(NOBODY), b.get(j).copied().unwrap_or(NOBODY));
            *place = x.min(y);
            i += usize::from(x == *place);
            j += usize::from(y == *place);
        }
        let rest = |part: [u32; 3], k: usize| part.get(k).is_none_or(|&leaf| leaf == NOBODY);
        (rest(a, i) && rest(b, j)).then_some(union)
    }

    /// Its function, of other leaves among which its own are.
    fn table_over(&self, leaves: [u32; 3]) -> Table {
        let place = |leaf: u32| leaves.iter().position(|&other| other == leaf).unwrap_or(0);
        permuted(self.table, self.leaves.map(place))
    }

    /// Without the leaves on which it does not depend.
    fn trimmed(mut self) -> Self {
        for k in (0..3).rev() {
            if self.leaves[k] != NOBODY && !depends(self.table, k) {
                // What was at place k goes last, where nobody is.
                self.table = permuted(self.table, [0, 1, 2].map(|j| if j == k { 2 } else { j - usize::from(j > k) }));
                self.leaves[k..].rotate_left(1);
                self.leaves[2] = NOBODY;
            }
        }
        self
    }
}

/// What the mapper knows.
struct Mapper<'a> {
    cone: &'a Cone,
    price: &'a dyn Fn(Table) -> u32,
    /// What every gate is when all inputs are false.
    zero: Vec<bool>,
    cuts: Vec<Vec<Cut>>,
    best: Vec<Cut>,
    /// How many chosen cuts and outputs use a gate; before there are any, how many gates do.
    uses: Vec<u32>,
    flow: Vec<f32>,
}

impl Network {
    /// A network for a cone, where each function has a price.
    pub(crate) fn of(cone: &Cone, inputs: usize, price: &dyn Fn(Table) -> u32) -> Self {
        let mut mapper = Mapper::new(cone, price);
        mapper.enumerate();
        for _ in 0..FLOW_ROUNDS {
            mapper.choose_by_flow();
            mapper.count_uses();
        }
        for _ in 0..EXACT_ROUNDS {
            mapper.choose_exactly();
        }
        mapper.network(inputs)
    }

    /// The values of the outputs on which an instruction may not spend a negation become what they are: of a node its function and what is
    /// made of it are negated, if no other output needs it as it is and it is not fixed.
    pub(crate) fn with_plain_outputs(mut self, fixed: impl Fn(u32) -> bool) -> Self {
        for k in 0..self.outputs.len() {
            let (value, negated) = self.outputs[k];
            if !negated {
                continue;
            }
            let all_negated = self.outputs.iter().all(|&(other, negated)| other != value || negated);
            if value as usize >= self.inputs && all_negated && !fixed(value) {
                self.negate(value);
            } else {
                self.outputs[k] = ((self.inputs + self.nodes.len()) as u32, false);
                self.nodes.push(Node { table: !BITS[0], of: [value; 3] });
            }
        }
        self
    }

    fn negate(&mut self, value: u32) {
        let at = value as usize - self.inputs;
        self.nodes[at].table = !self.nodes[at].table;
        for node in &mut self.nodes[at + 1..] {
            for k in (0..3).filter(|&k| node.of[k] == value) {
                let by = 4 >> k;
                node.table = (node.table & BITS[k]) >> by | (node.table & !BITS[k]) << by;
            }
        }
        for (other, negated) in &mut self.outputs {
            *negated ^= *other == value;
        }
    }
}

impl<'a> Mapper<'a> {
    fn new(cone: &'a Cone, price: &'a dyn Fn(Table) -> u32) -> Self {
        let gates = cone.gates.len();
        let mut uses = vec![0; gates];
        let parts = cone.gates.iter().flat_map(|gate| gate.parts()).chain(cone.outputs.iter().copied());
        parts.for_each(|lit| uses[lit.gate()] += 1);
        let (best, flow) = ((0..gates).map(Cut::itself).collect(), vec![0.0; gates]);
        Self { cone, price, zero: cone.at_zero(), cuts: vec![Vec::new(); gates], best, uses, flow }
    }

    /// What a literal is when all inputs are false.
    fn at_zero(&self, lit: Lit) -> bool {
        self.zero[lit.gate()] ^ lit.is_negated()
    }

    fn is_node(&self, gate: usize) -> bool {
        !matches!(self.cone.gates[gate], Gate::Zero | Gate::Input(_))
    }

    /// Finds cuts of every gate, those with the least flow.
    fn enumerate(&mut self) {
        for k in 0..self.cone.gates.len() {
            if !self.is_node(k) {
                self.cuts[k] = vec![Cut::itself(k)];
                continue;
            }
            let mut cuts = self.made_of_parts(k);
            cuts.sort_by(|a, b| a.flow.total_cmp(&b.flow).then(a.leaves.cmp(&b.leaves)));
            cuts.dedup_by_key(|cut| cut.leaves);
            cuts.truncate(CUTS);
            (self.best[k], self.flow[k]) = (cuts[0], cuts[0].flow / self.uses[k].max(1) as f32);
            cuts.push(Cut::itself(k));
            self.cuts[k] = cuts;
        }
    }

    /// All cuts of a gate that cuts of its parts make.
    fn made_of_parts(&self, gate: usize) -> Vec<Cut> {
        let parts: Vec<Lit> = self.cone.gates[gate].parts().collect();
        let (mut cuts, last) = (Vec::new(), parts.get(2).map_or(&[][..], |lit| &self.cuts[lit.gate()][..]));
        for a in &self.cuts[parts[0].gate()] {
            for b in &self.cuts[parts[1].gate()] {
                let Some(both) = Cut::union(a.leaves, b.leaves) else { continue };
                if parts.len() == 2 {
                    cuts.push(self.cut(gate, &parts, &[a, b], both));
                }
                for c in last {
                    if let Some(all) = Cut::union(both, c.leaves) {
                        cuts.push(self.cut(gate, &parts, &[a, b, c], all));
                    }
                }
            }
        }
        cuts
    }

    fn cut(&self, gate: usize, parts: &[Lit], cuts: &[&Cut], leaves: [u32; 3]) -> Cut {
        let of = |k: usize| cuts[k].table_over(leaves) ^ if self.at_zero(parts[k]) { 0xff } else { 0 };
        let table = match self.cone.gates[gate] {
            Gate::And(..) => of(0) & of(1),
            Gate::Xor(..) => of(0) ^ of(1),
            Gate::Mux(..) => of(0) & of(1) | !of(0) & of(2),
            Gate::Zero | Gate::Input(_) => 0,
        };
        let cut = Cut { leaves, table: table ^ if self.zero[gate] { 0xff } else { 0 }, flow: 0.0 }.trimmed();
        Cut { flow: self.flow_of(&cut), ..cut }
    }

    fn flow_of(&self, cut: &Cut) -> f32 {
        (self.price)(cut.table) as f32 + cut.leaves().map(|leaf| self.flow[leaf]).sum::<f32>()
    }

    fn choose_by_flow(&mut self) {
        for k in (0..self.cone.gates.len()).filter(|&k| self.is_node(k)).collect::<Vec<_>>() {
            let own = self.cuts[k].len() - 1;
            let best = (0..own).map(|c| (self.flow_of(&self.cuts[k][c]), c)).min_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((flow, c)) = best {
                (self.best[k], self.flow[k]) = (self.cuts[k][c], flow / self.uses[k].max(1) as f32);
            }
        }
    }

    /// Counts how often each gate is used by what was chosen.
    fn count_uses(&mut self) {
        self.uses.fill(0);
        self.cone.outputs.iter().for_each(|lit| self.uses[lit.gate()] += 1);
        for k in (0..self.cone.gates.len()).rev() {
            if self.uses[k] > 0 && self.is_node(k) {
                self.best[k].leaves().for_each(|leaf| self.uses[leaf] += 1);
            }
        }
    }

    /// Takes a cut into use; what it adds to the price of all.
    fn take(&mut self, cut: &Cut) -> u32 {
        let mut price = (self.price)(cut.table);
        for leaf in cut.leaves() {
            self.uses[leaf] += 1;
            if self.uses[leaf] == 1 && self.is_node(leaf) {
                let best = self.best[leaf];
                price += self.take(&best);
            }
        }
        price
    }

    /// The opposite.
    fn leave(&mut self, cut: &Cut) {
        for leaf in cut.leaves() {
            self.uses[leaf] -= 1;
            if self.uses[leaf] == 0 && self.is_node(leaf) {
                let best = self.best[leaf];
                self.leave(&best);
            }
        }
    }

    fn choose_exactly(&mut self) {
        for k in 0..self.cone.gates.len() {
            if self.uses[k] == 0 || !self.is_node(k) {
                continue;
            }
            let (old, cuts) = (self.best[k], self.cuts[k].clone());
            self.leave(&old);
            let mut best = (u32::MAX, old);
            for cut in &cuts[..cuts.len() - 1] {
                let price = self.take(cut);
                self.leave(cut);
                if price < best.0 {
                    best = (price, *cut);
                }
            }
            self.best[k] = best.1;
            self.take(&best.1);
        }
    }

    fn network(&self, inputs: usize) -> Network {
        let (mut values, mut nodes) = (vec![0_u32; self.cone.gates.len()], Vec::new());
        for (k, gate) in self.cone.gates.iter().enumerate() {
            let table_and_leaves = match gate {
                Gate::Input(input) => {
                    values[k] = *input;
                    continue;
                }
                _ if self.uses[k] == 0 => continue,
                // The constant: nothing of any value.
                Gate::Zero => (0, [NOBODY; 3]),
                // Another gate that says the same.
                _ if self.best[k].table == BITS[0] => {
                    values[k] = values[self.best[k].leaves[0] as usize];
                    continue;
                }
                _ => (self.best[k].table, self.best[k].leaves),
            };
            let first = table_and_leaves.1[0];
            let of = table_and_leaves.1.map(|leaf| if leaf == NOBODY { first } else { leaf });
            values[k] = (inputs + nodes.len()) as u32;
            let of = of.map(|leaf| if leaf == NOBODY { 0 } else { values[leaf as usize] });
            nodes.push(Node { table: table_and_leaves.0, of });
        }
        let outputs = self.cone.outputs.iter().map(|&lit| (values[lit.gate()], self.at_zero(lit))).collect();
        Network { inputs, nodes, outputs }
    }
}

impl Network {
    /// The same with the nodes in another order, each still after those that it needs.
    pub(crate) fn reordered(&self, order: &[usize]) -> Self {
        let mut values: Vec<u32> = (0..(self.inputs + self.nodes.len()) as u32).collect();
        for (k, &node) in order.iter().enumerate() {
            values[self.inputs + node] = (self.inputs + k) as u32;
        }
        let node = |&node: &usize| {
            let Node { table, of } = self.nodes[node];
            Node { table, of: of.map(|value| values[value as usize]) }
        };
        let outputs = self.outputs.iter().map(|&(value, negated)| (values[value as usize], negated)).collect();
        Self { inputs: self.inputs, nodes: order.iter().map(node).collect(), outputs }
    }

    /// For every node, the nodes on which it depends.
    fn operands(&self) -> Vec<Vec<usize>> {
        let operands = |node: &Node| {
            let mut of: Vec<usize> = (0..3)
                .filter(|&k| depends(node.table, k) && node.of[k] as usize >= self.inputs)
                .map(|k| node.of[k] as usize - self.inputs)
                .collect();
            of.sort_unstable();
            of.dedup();
            of
        };
        self.nodes.iter().map(operands).collect()
    }

    /// An order in which what an output needs comes just before it.
    pub(crate) fn depth_first(&self) -> Vec<usize> {
        fn visit(node: usize, operands: &[Vec<usize>], done: &mut [bool], order: &mut Vec<usize>) {
            if !std::mem::replace(&mut done[node], true) {
                operands[node].iter().for_each(|&of| visit(of, operands, done, order));
                order.push(node);
            }
        }
        let (operands, mut done, mut order) = (self.operands(), vec![false; self.nodes.len()], Vec::new());
        let mut ends: Vec<usize> =
            self.outputs.iter().filter_map(|(value, _)| (*value as usize).checked_sub(self.inputs)).collect();
        ends.sort_unstable();
        ends.into_iter().for_each(|node| visit(node, &operands, &mut done, &mut order));
        order
    }
}
