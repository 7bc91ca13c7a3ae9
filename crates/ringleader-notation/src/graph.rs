//! The graph of And, Xor and Mux: what a text, or a circuit of the library, becomes when a bit is a literal.
//!
//! Every operation adds at most one gate to the arena of the thread. Constants are folded, and equal gates are one gate
//! (structural hashing), so that what a claim fixes (the leader, its distances) disappears before the solver sees it.
//!
//! A long word may need more gates than there is memory. So the arena asks now and then whether to go on, and if not makes no more gates:
//! literals then mean nothing, and [`halted`] says why, which is to be asked before anything is made of them.

use std::cell::RefCell;
use std::ops::{BitAnd, BitOr, BitXor, Not};

use ringleader::circuit::Bit;
use rustc_hash::FxHashMap;

/// A gate or its negation: twice the number of the gate, plus one if negated. Gate 0 is the constant false.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lit(u32);

/// What a gate computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gate {
    /// False.
    Zero,
    /// A free bit.
    Input(u32),
    /// Both hold.
    And(Lit, Lit),
    /// Exactly one holds.
    Xor(Lit, Lit),
    /// The second where the first holds, else the third.
    Mux(Lit, Lit, Lit),
}

/// What the domain of a variable demands of its free bits.
#[derive(Clone, Debug)]
pub struct Demand {
    /// The free bits of the variable.
    pub bits: Vec<Lit>,
    /// Where they are a value of the domain.
    pub holds: Lit,
}

/// Says why to stop, if there is a reason.
pub type Watch = Box<dyn Fn() -> Option<String>>;

struct Arena {
    gates: Vec<Gate>,
    known: FxHashMap<Gate, u32>,
    watch: Watch,
    halted: Option<String>,
}

/// The watch is asked whenever so many gates were added.
const WATCHED: usize = 1 << 14;
/// More would not fit the numbers of literals.
const MOST_GATES: usize = 1 << 30;

impl Arena {
    fn new(watch: Watch) -> Self {
        Self { gates: vec![Gate::Zero], known: FxHashMap::default(), watch, halted: None }
    }

    fn gate(&mut self, gate: Gate) -> Lit {
        if let Some(&number) = self.known.get(&gate) {
            return Lit(2 * number);
        }
        if self.gates.len().is_multiple_of(WATCHED) && self.halted.is_none() {
            let too_many = || (self.gates.len() >= MOST_GATES).then(|| format!("{MOST_GATES} gates"));
            self.halted = (self.watch)().or_else(too_many);
        }
        if self.halted.is_some() {
            return Lit::ZERO;
        }
        let number = self.gates.len() as u32;
        self.gates.push(gate);
        self.known.insert(gate, number);
        Lit(2 * number)
    }

    fn input(&mut self) -> Lit {
        self.gate(Gate::Input(self.gates.len() as u32))
    }

    fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        match (a, b) {
            (Lit::ZERO, _) => Lit::ZERO,
            (Lit::ONE, b) => b,
            _ if a == b => a,
            _ if a == !b => Lit::ZERO,
            _ => self.absorbed(a, b).or_else(|| self.absorbed(b, a)).unwrap_or_else(|| self.gate(Gate::And(a, b))),
        }
    }

    /// `a and b` where `b` is itself a conjunction that says something of `a`.
    fn absorbed(&self, a: Lit, b: Lit) -> Option<Lit> {
        let Gate::And(x, y) = self.gates[b.gate()] else { return None };
        match (b.is_negated(), a == x || a == y, a == !x || a == !y) {
            (false, true, _) => Some(b),
            (false, _, true) => Some(Lit::ZERO),
            (true, _, true) => Some(a),
            _ => None,
        }
    }

    fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let negated = a.is_negated() ^ b.is_negated();
        let (a, b) = (a.positive().min(b.positive()), a.positive().max(b.positive()));
        let plain = match (a, b) {
            _ if a == b => Lit::ZERO,
            (Lit::ZERO, b) => b,
            _ => self.gate(Gate::Xor(a, b)),
        };
        plain.negated_if(negated)
    }

    fn mux(&mut self, when: Lit, then: Lit, otherwise: Lit) -> Lit {
        if when.is_negated() {
            return self.mux(!when, otherwise, then);
        }
        let then = if then.gate() == when.gate() { Lit::ONE.negated_if(then != when) } else { then };
        let otherwise =
            if otherwise.gate() == when.gate() { Lit::ZERO.negated_if(otherwise != when) } else { otherwise };
        if let Some((when, then, otherwise)) = self.merged(when, then, otherwise) {
            return self.mux(when, then, otherwise);
        }
        match (when, then, otherwise) {
            (Lit::ZERO, _, _) => otherwise,
            _ if then == otherwise => then,
            _ if then == !otherwise => self.xor(when, otherwise),
            (_, Lit::ZERO, _) => self.and(!when, otherwise),
            (_, _, Lit::ZERO) => self.and(when, then),
            (_, Lit::ONE, _) => !self.and(!when, !otherwise),
            (_, _, Lit::ONE) => !self.and(when, !then),
            _ if then.is_negated() => !self.gate(Gate::Mux(when, !then, !otherwise)),
            _ => self.gate(Gate::Mux(when, then, otherwise)),
        }
    }

    /// `c ? (d ? a : x) : x` is `c and d ? a : x`, so that what is kept is chosen once.
    fn merged(&mut self, when: Lit, then: Lit, otherwise: Lit) -> Option<(Lit, Lit, Lit)> {
        for (when, inner, kept) in [(when, then, otherwise), (!when, otherwise, then)] {
            let Gate::Mux(c, t, e) = self.gates[inner.gate()] else { continue };
            let (t, e) = (t.negated_if(inner.is_negated()), e.negated_if(inner.is_negated()));
            if e == kept {
                return Some((self.and(when, c), t, kept));
            } else if t == kept {
                return Some((self.and(when, !c), e, kept));
            }
        }
        None
    }
}

thread_local! {
    static ARENA: RefCell<Arena> = RefCell::new(Arena::new(Box::new(|| None)));
}

fn with<T>(work: impl FnOnce(&mut Arena) -> T) -> T {
    ARENA.with(|arena| work(&mut arena.borrow_mut()))
}

/// Works in an empty arena, as long as the watch has no objection; literals from before have no meaning inside, nor those of inside
/// afterwards.
pub fn in_fresh_arena<T>(watch: Watch, work: impl FnOnce() -> T) -> T {
    let outer = with(|arena| std::mem::replace(arena, Arena::new(watch)));
    let result = work();
    with(|arena| *arena = outer);
    result
}

/// Whether gates are still made; if not, long work need not go on.
#[must_use]
pub fn goes_on() -> bool {
    with(|arena| arena.halted.is_none())
}

/// Why no more gates are made, if so.
#[must_use]
pub fn halted() -> Option<String> {
    with(|arena| arena.halted.clone())
}

/// The number of gates so far.
#[must_use]
pub fn gates() -> usize {
    with(|arena| arena.gates.len())
}

impl Lit {
    /// A free bit.
    #[must_use]
    pub fn input() -> Self {
        with(Arena::input)
    }

    /// The number of its gate.
    #[must_use]
    pub fn gate(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// What the gate of that number computes.
    pub(crate) fn of_gate(gate: usize) -> Self {
        Self(2 * gate as u32)
    }

    /// What its gate computes.
    #[must_use]
    pub fn meaning(self) -> Gate {
        with(|arena| arena.gates[self.gate()])
    }

    /// Whether it is the negation of its gate.
    #[must_use]
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// The truth, if it is a constant.
    #[must_use]
    pub fn constant(self) -> Option<bool> {
        (self.gate() == 0).then_some(self.is_negated())
    }

    /// One constant or the other.
    #[must_use]
    pub fn of(truth: bool) -> Self {
        Self(truth.into())
    }

    /// Negated if so asked.
    #[must_use]
    pub fn negated_if(self, negated: bool) -> Self {
        Self(self.0 ^ u32::from(negated))
    }

    fn positive(self) -> Self {
        Self(self.0 & !1)
    }
}

impl Bit for Lit {
    const ZERO: Self = Self(0);
    const ONE: Self = Self(1);

    fn select(self, then: Self, otherwise: Self) -> Self {
        with(|arena| arena.mux(self, then, otherwise))
    }

    fn any(self) -> bool {
        self != Self::ZERO
    }
}

impl Not for Lit {
    type Output = Self;
    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

impl BitAnd for Lit {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        with(|arena| arena.and(self, other))
    }
}

impl BitOr for Lit {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        with(|arena| !arena.and(!self, !other))
    }
}

impl BitXor for Lit {
    type Output = Self;
    fn bitxor(self, other: Self) -> Self {
        with(|arena| arena.xor(self, other))
    }
}

/// Some literals and the gates that they need, apart from the arena: what readings of a graph start from.
#[derive(Clone, Debug)]
pub struct Cone {
    /// The gates, each after those that it needs. The first is [`Gate::Zero`]; inputs are numbered in their order.
    pub gates: Vec<Gate>,
    /// What is computed, with the numbers of these gates.
    pub outputs: Vec<Lit>,
}

impl Cone {
    /// The cone of these outputs over these inputs, of which it has all.
    ///
    /// # Panics
    /// If an output needs another input.
    #[must_use]
    pub fn of(inputs: &[Lit], outputs: &[Lit]) -> Self {
        let named: FxHashMap<usize, u32> = (0..).zip(inputs).map(|(k, input)| (input.gate(), k)).collect();
        // Gates are older than those that need them.
        let (mut needed, mut pending) = (FxHashMap::default(), outputs.to_vec());
        while let Some(lit) = pending.pop() {
            if !named.contains_key(&lit.gate()) && needed.insert(lit.gate(), lit.meaning()).is_none() {
                pending.extend(lit.meaning().parts());
            }
        }
        needed.remove(&0);
        let mut needed: Vec<(usize, Gate)> = needed.into_iter().collect();
        needed.sort_unstable_by_key(|(gate, _)| *gate);
        let mut numbers: FxHashMap<usize, u32> = named.into_iter().map(|(gate, k)| (gate, k + 1)).collect();
        numbers.insert(0, 0);
        let mut gates: Vec<Gate> = [Gate::Zero].into_iter().chain((0..inputs.len() as u32).map(Gate::Input)).collect();
        for (gate, meaning) in needed {
            assert!(!matches!(meaning, Gate::Input(_)), "an input that was not named");
            numbers.insert(gate, gates.len() as u32);
            gates.push(meaning.map(|part| Lit(2 * numbers[&part.gate()]).negated_if(part.is_negated())));
        }
        let moved = |lit: &Lit| Lit(2 * numbers[&lit.gate()]).negated_if(lit.is_negated());
        Self { outputs: outputs.iter().map(moved).collect(), gates }
    }

    /// The outputs for these inputs, in every lane.
    #[must_use]
    pub fn evaluate<B: Bit>(&self, inputs: &[B]) -> Vec<B> {
        let values = self.values(|k| inputs[k as usize]);
        self.outputs.iter().map(|&lit| Self::value(&values, lit)).collect()
    }

    /// What every gate is when all inputs are false.
    pub(crate) fn at_zero(&self) -> Vec<bool> {
        self.values(|_| false)
    }

    fn value<B: Bit>(values: &[B], lit: Lit) -> B {
        if lit.is_negated() { !values[lit.gate()] } else { values[lit.gate()] }
    }

    fn values<B: Bit>(&self, input: impl Fn(u32) -> B) -> Vec<B> {
        let mut values: Vec<B> = Vec::with_capacity(self.gates.len());
        for gate in &self.gates {
            let of = |lit| Self::value(&values, lit);
            let value = match *gate {
                Gate::Zero => B::ZERO,
                Gate::Input(k) => input(k),
                Gate::And(a, b) => of(a) & of(b),
                Gate::Xor(a, b) => of(a) ^ of(b),
                Gate::Mux(c, t, e) => of(c).select(of(t), of(e)),
            };
            values.push(value);
        }
        values
    }
}

impl Gate {
    /// What it is computed from.
    pub fn parts(self) -> impl Iterator<Item = Lit> {
        let parts = match self {
            Self::Zero | Self::Input(_) => [None; 3],
            Self::And(a, b) | Self::Xor(a, b) => [Some(a), Some(b), None],
            Self::Mux(c, t, e) => [Some(c), Some(t), Some(e)],
        };
        parts.into_iter().flatten()
    }

    fn map(self, to: impl Fn(Lit) -> Lit) -> Self {
        match self {
            Self::Zero | Self::Input(_) => self,
            Self::And(a, b) => Self::And(to(a), to(b)),
            Self::Xor(a, b) => Self::Xor(to(a), to(b)),
            Self::Mux(c, t, e) => Self::Mux(to(c), to(t), to(e)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operation on every combination of constants, a literal, its negation and other literals, against the truth table.
    #[test]
    fn folding_changes_no_truth() {
        in_fresh_arena(Box::new(|| None), || {
            let (x, y) = (Lit::input(), Lit::input());
            let basic = [Lit::ZERO, Lit::ONE, x, !x, y, !y];
            let pool: Vec<Lit> =
                basic.iter().flat_map(|&a| basic.iter().flat_map(move |&b| [a & b, a ^ b, a | b])).collect();
            let value = |lit: Lit, truth: u32| Cone::of(&[x, y], &[lit]).evaluate(&[truth & 1 == 1, truth & 2 == 2])[0];
            for &a in &pool {
                for &b in &pool {
                    for truth in 0..4 {
                        let (p, q) = (value(a, truth), value(b, truth));
                        assert_eq!(value(a & b, truth), p & q, "{a:?} & {b:?}");
                        assert_eq!(value(a ^ b, truth), p ^ q, "{a:?} ^ {b:?}");
                        assert_eq!(value(a | b, truth), p | q, "{a:?} | {b:?}");
                        for &c in &basic {
                            let chosen = if value(c, truth) { p } else { q };
                            assert_eq!(value(c.select(a, b), truth), chosen, "{c:?} ? {a:?} : {b:?}");
                        }
                    }
                }
            }
        });
    }

    #[test]
    fn a_halted_arena_stops_growing_and_says_why() {
        in_fresh_arena(Box::new(|| Some("enough".to_owned())), || {
            let before = halted();
            (1..3 * WATCHED).for_each(|_| assert!(Lit::input().gate() < WATCHED));
            assert_eq!((before, halted(), gates()), (None, Some("enough".into()), WATCHED));
            assert_eq!(Lit::input(), Lit::ZERO);
        });
    }
}
