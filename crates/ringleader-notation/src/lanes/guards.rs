//! Which parts of a network need not run, because a condition holds in no lane.
//!
//! If a value `g` is false in every lane, some other values do not matter: they are only looked at where `g` holds, or they put back what is in their
//! plane already. Such nodes become a block, which is jumped over then. What is made of values of the block outside of it is right
//! whatever they are, and a plane that was not written has its old value, so nothing has to be put right after a jump.
//!
//! Whether a jump pays is asked of some small rings that are run beforehand.

use ringleader::circuit::Bit;

use super::interpret::apply;
use super::network::{Network, Table, depends};

/// Nodes that follow each other, and the value without which they are not needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) guard: u32,
}

/// A jump takes as long as so many nodes, with what has to be kept in memory for it.
const JUMP: f64 = 16.0;
/// So many nodes a block must spare on average.
const LEAST: f64 = 8.0;
/// A store takes as long as so many nodes.
const STORE: usize = 3;
const MOST_BLOCKS: usize = 8;
/// So often a guard must be false in every lane.
const RAREST: f64 = 0.1;
/// Blocks are not looked for in larger networks, where it would take too long.
const LARGEST: usize = 2000;

/// What is known of a value when the guard is false.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Is(bool),
    /// Nothing.
    Free,
}

/// How a function looks if some of its operands are known: its table, in which the known ones do not matter.
fn restricted(mut table: Table, known: [Known; 3]) -> Table {
    for (k, known) in known.into_iter().enumerate() {
        let (by, bit) = (4 >> k, super::network::BITS[k]);
        match known {
            Known::Is(true) => table = table & bit | (table & bit) >> by,
            Known::Is(false) => table = table & !bit | (table & !bit) << by,
            Known::Free => {}
        }
    }
    table
}

/// A network whose nodes are in an order with blocks, and how it came from another.
pub(crate) struct Guarded {
    pub(crate) network: Network,
    pub(crate) blocks: Vec<Block>,
}

struct Search<'a> {
    network: &'a Network,
    /// The input that each output is, if it puts something back.
    kept: &'a [Option<u32>],
    users: Vec<Vec<usize>>,
    /// Which outputs a node is.
    outputs: Vec<Vec<usize>>,
    /// What each value was worth as a guard when it was last looked at, which only becomes less.
    worth: Vec<f64>,
    /// Which block a node is in.
    block: Vec<Option<usize>>,
    guards: Vec<u32>,
}

/// Makes blocks of a settled network. `kept` says for each output the input whose place it takes, and `rare` how often a value is false in every
/// lane.
pub(crate) fn guarded(network: &Network, kept: &[Option<u32>], rare: &[f64]) -> Guarded {
    let mut search = Search::new(network, kept);
    while network.nodes.len() <= LARGEST && search.guards.len() < MOST_BLOCKS && search.add(rare) {}
    let order = order(network, &search.block, &search.guards);
    let place = |node: usize| order.iter().position(|&other| other == node);
    let reordered = network.reordered(&order);
    let mut values: Vec<u32> = (0..(network.inputs + network.nodes.len()) as u32).collect();
    for (k, &node) in order.iter().enumerate() {
        values[network.inputs + node] = (network.inputs + k) as u32;
    }
    let blocks = search.guards.iter().enumerate().filter_map(|(b, &guard)| {
        let of = |node: &usize| search.block[*node] == Some(b);
        let count = (0..network.nodes.len()).filter(of).count();
        let from = (0..network.nodes.len()).filter(of).filter_map(place).min()?;
        Some(Block { from, to: from + count, guard: values[guard as usize] })
    });
    let mut blocks: Vec<Block> = blocks.collect();
    blocks.sort_by_key(|block| block.from);
    Guarded { network: reordered, blocks }
}

impl<'a> Search<'a> {
    fn new(network: &'a Network, kept: &'a [Option<u32>]) -> Self {
        let mut users = vec![Vec::new(); network.inputs + network.nodes.len()];
        for (k, node) in network.nodes.iter().enumerate() {
            for value in (0..3).filter(|&j| depends(node.table, j)).map(|j| node.of[j] as usize) {
                if users[value].last() != Some(&k) {
                    users[value].push(k);
                }
            }
        }
        let mut outputs = vec![Vec::new(); network.nodes.len()];
        for (k, (value, _)) in network.outputs.iter().enumerate() {
            if let Some(node) = (*value as usize).checked_sub(network.inputs) {
                outputs[node].push(k);
            }
        }
        let (worth, block) = (vec![f64::INFINITY; users.len()], vec![None; network.nodes.len()]);
        Self { network, kept, users, outputs, worth, block, guards: Vec::new() }
    }

    /// Adds the block that spares most, if there is one that spares enough.
    fn add(&mut self, rare: &[f64]) -> bool {
        let mut best: (f64, u32, Vec<usize>) = (LEAST, 0, Vec::new());
        let mut guards: Vec<usize> = (0..rare.len()).filter(|&guard| rare[guard] >= RAREST).collect();
        guards.sort_by(|&a, &b| self.worth[b].total_cmp(&self.worth[a]));
        for guard in guards {
            if self.worth[guard] <= best.0 {
                break;
            }
            let nodes = self.spared(guard);
            let stores = nodes.iter().filter(|&&node| !self.outputs[node].is_empty()).count();
            let worth = rare[guard] * (nodes.len() + STORE * stores) as f64 - JUMP;
            self.worth[guard] = worth;
            if worth > best.0 && self.fits(&nodes, guard) {
                best = (worth, guard as u32, nodes);
            }
        }
        let (_, guard, nodes) = best;
        nodes.iter().for_each(|&node| self.block[node] = Some(self.guards.len()));
        if !nodes.is_empty() {
            self.guards.push(guard);
        }
        !nodes.is_empty()
    }

    /// The nodes that are not needed if a value is false, apart from those of other blocks.
    fn spared(&self, guard: usize) -> Vec<usize> {
        let (network, inputs) = (self.network, self.network.inputs);
        let (mut known, mut before) =
            (vec![Known::Free; inputs + network.nodes.len()], vec![false; network.nodes.len()]);
        known[guard] = Known::Is(false);
        for (k, node) in network.nodes.iter().enumerate().filter(|(k, _)| inputs + k != guard) {
            known[inputs + k] = match restricted(node.table, node.of.map(|value| known[value as usize])) {
                0 => Known::Is(false),
                0xff => Known::Is(true),
                _ => Known::Free,
            };
        }
        // What the guard is made of comes before it.
        if let Some(own) = guard.checked_sub(inputs) {
            before[own] = true;
            for k in (0..=own).rev().filter(|&k| before[k]).collect::<Vec<_>>() {
                self.mark(k, &mut before);
            }
        }
        let mut spared = vec![false; network.nodes.len()];
        for k in (0..network.nodes.len()).rev() {
            let settled = before[k] || known[inputs + k] != Known::Free || self.block[k].is_some();
            spared[k] = !settled && (self.puts_back(k, &known) || self.is_unseen(k, &known, &spared));
        }
        self.convex(spared, &known)
    }

    fn mark(&self, node: usize, before: &mut [bool]) {
        for &value in &self.network.nodes[node].of {
            if let Some(of) = (value as usize).checked_sub(self.network.inputs)
                && !std::mem::replace(&mut before[of], true)
            {
                self.mark(of, before);
            }
        }
    }

    /// Whether a node is only an output that is what its place held.
    fn puts_back(&self, node: usize, known: &[Known]) -> bool {
        let this = self.network.nodes[node];
        let table = restricted(this.table, this.of.map(|value| known[value as usize]));
        let is_input = |input: u32| (0..3).any(|k| this.of[k] == input && table == super::network::BITS[k]);
        let puts_back = |&k: &usize| !self.network.outputs[k].1 && self.kept[k].is_some_and(is_input);
        !self.outputs[node].is_empty() && self.outputs[node].iter().all(puts_back)
    }

    /// Whether nobody looks at a node but those that are spared, or who then do not depend on it.
    fn is_unseen(&self, node: usize, known: &[Known], spared: &[bool]) -> bool {
        let value = (self.network.inputs + node) as u32;
        let looks = |user: usize| {
            let user = self.network.nodes[user];
            let table = restricted(user.table, user.of.map(|value| known[value as usize]));
            // Several operands may be this value; then it is told together what depends on it.
            (0..3).any(|k| user.of[k] == value && depends(table, k))
        };
        self.outputs[node].is_empty() && self.users[value as usize].iter().all(|&user| spared[user] || !looks(user))
    }

    /// Without nodes that need something which needs another of them, from outside.
    fn convex(&self, mut spared: Vec<bool>, known: &[Known]) -> Vec<usize> {
        let inputs = self.network.inputs;
        loop {
            let (mut after, mut changed) = (vec![false; spared.len()], false);
            for (k, node) in self.network.nodes.iter().enumerate() {
                let of = || node.of.iter().filter_map(|&value| (value as usize).checked_sub(inputs));
                if spared[k] && of().any(|of| after[of]) {
                    (spared[k], changed) = (false, true);
                }
                after[k] = !spared[k] && of().any(|of| spared[of] || after[of]);
            }
            if !changed {
                break;
            }
            for k in (0..spared.len()).rev() {
                spared[k] = spared[k] && (self.puts_back(k, known) || self.is_unseen(k, known, &spared));
            }
        }
        (0..spared.len()).filter(|&k| spared[k]).collect()
    }

    /// Whether these nodes can follow each other, those of each other block too.
    fn fits(&self, nodes: &[usize], guard: usize) -> bool {
        let (mut block, mut guards) = (self.block.clone(), self.guards.clone());
        nodes.iter().for_each(|&node| block[node] = Some(guards.len()));
        guards.push(guard as u32);
        order(self.network, &block, &guards).len() == self.network.nodes.len()
    }
}

/// The nodes in the order of what outputs need, those of a block together and after its guard; shorter if that cannot be.
fn order(network: &Network, block: &[Option<usize>], guards: &[u32]) -> Vec<usize> {
    let base = network.depth_first();
    let mut rank = vec![0; base.len()];
    base.iter().enumerate().for_each(|(k, &node)| rank[node] = k);
    let state = vec![0; base.len() + guards.len()];
    let mut visit = Visit { network, block, guards, rank, state, order: Vec::new() };
    if base.into_iter().all(|node| visit.visit(node)) { visit.order } else { Vec::new() }
}

/// Nodes and blocks, each after all that it needs.
struct Visit<'a> {
    network: &'a Network,
    block: &'a [Option<usize>],
    guards: &'a [u32],
    /// The place of each node if there were no blocks.
    rank: Vec<usize>,
    /// 0: not seen; 1: under way; 2: done.
    state: Vec<u8>,
    order: Vec<usize>,
}

impl Visit<'_> {
    /// False if something needs itself.
    fn visit(&mut self, node: usize) -> bool {
        let (network, nodes) = (self.network, self.network.nodes.len());
        let unit = self.block[node].map_or(node, |block| nodes + block);
        match self.state[unit] {
            0 => {}
            state => return state == 2,
        }
        self.state[unit] = 1;
        let mut members: Vec<usize> = match self.block[node] {
            None => vec![node],
            Some(block) => (0..nodes).filter(|&other| self.block[other] == Some(block)).collect(),
        };
        members.sort_by_key(|&member| self.rank[member]);
        let needs = members.iter().flat_map(|&member| {
            let node = network.nodes[member];
            (0..3).filter(move |&k| depends(node.table, k)).map(move |k| node.of[k])
        });
        let guard = self.block[node].map(|block| self.guards[block]);
        let needs: Vec<u32> = guard.into_iter().chain(needs).collect();
        for value in needs {
            let Some(of) = (value as usize).checked_sub(network.inputs) else { continue };
            if !members.contains(&of) && !self.visit(of) {
                return false;
            }
        }
        self.order.extend(members);
        self.state[unit] = 2;
        true
    }
}

/// How often each value is false in every lane, on some states of two agents that follow each other.
#[derive(Clone, Debug)]
pub(crate) struct Rings<'a> {
    /// How many planes an agent has, and how many coins there are.
    pub(crate) planes: usize,
    pub(crate) coins: usize,
    /// Rings of agents, each agent as its planes, in 64 lanes.
    pub(crate) agents: Vec<Vec<Vec<u64>>>,
    /// What each output but the last becomes: a plane of l or, after those, of r.
    pub(crate) changed: &'a [u16],
}

/// Words that are looked at together make the lanes of a word of the engine.
const TOGETHER: usize = 8;
/// How often every edge is visited.
const ROUNDS: usize = 6;

impl Rings<'_> {
    /// Runs the rings, of which so many are looked at together.
    pub(crate) fn rare(mut self, network: &Network) -> Vec<f64> {
        let (mut zero, mut visits) = (vec![0_u32; network.inputs + network.nodes.len()], 0);
        let (n, mut seed) = (self.agents[0].len(), 0_u64);
        let mut random = || {
            seed += 1;
            ringleader::random::mix(seed)
        };
        for _ in 0..ROUNDS {
            for left in 0..n {
                for rings in self.agents.chunks_mut(TOGETHER) {
                    let mut some = vec![0_u64; zero.len()];
                    for ring in rings {
                        let right = (left + 1) % n;
                        let (l, r) = (ring[left].clone(), ring[right].clone());
                        let coins = (0..self.coins).map(|_| random()).collect::<Vec<_>>();
                        // A third of the lanes.
                        let when = random() & (random() | random() & random());
                        let values = network.values(&[l, r, coins, vec![when]].concat());
                        some.iter_mut().zip(&values).for_each(|(some, value)| *some |= value);
                        for (&plane, &(value, negated)) in self.changed.iter().zip(&network.outputs) {
                            let (agent, plane) = if (plane as usize) < self.planes {
                                (left, plane as usize)
                            } else {
                                (right, plane as usize - self.planes)
                            };
                            ring[agent][plane] = if negated { !values[value as usize] } else { values[value as usize] };
                        }
                    }
                    zero.iter_mut().zip(&some).for_each(|(zero, some)| *zero += u32::from(*some == 0));
                    visits += 1;
                }
            }
        }
        zero.into_iter().map(|zero| f64::from(zero) / f64::from(visits)).collect()
    }
}

impl Network {
    /// All values of a settled network.
    pub(crate) fn values<B: Bit>(&self, inputs: &[B]) -> Vec<B> {
        let mut values = inputs.to_vec();
        for node in &self.nodes {
            let [a, b, c] = node.of.map(|value| values[value as usize]);
            values.push(apply(node.table, a, b, c));
        }
        values
    }
}
