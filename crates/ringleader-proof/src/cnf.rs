//! Clauses from gates: Tseitin's encoding of the cone of what is asserted.

use rustc_hash::FxHashMap;

use ringleader_notation::graph::{Demand, Gate, Lit};

/// A formula in conjunctive normal form, and which variable stands for which gate.
#[derive(Debug, Default)]
pub struct Cnf {
    /// The clauses one after the other, each ended by 0, as in the DIMACS format.
    pub literals: Vec<i32>,
    /// How many clauses there are.
    pub clauses: usize,
    number: FxHashMap<usize, i32>,
    pending: Vec<Lit>,
}

impl Cnf {
    /// The formula that says: all of these hold, and so do the demands on those free bits that matter for it.
    #[must_use]
    pub fn asserting(asserted: &[Lit], demands: &[Demand]) -> Self {
        let mut cnf = Self::default();
        asserted.iter().for_each(|&lit| cnf.assert(lit));
        cnf.define_pending();
        for demand in demands {
            if demand.bits.iter().any(|&bit| cnf.variable(bit).is_some()) {
                cnf.assert(demand.holds);
            }
        }
        cnf.define_pending();
        cnf
    }

    fn define_pending(&mut self) {
        while let Some(lit) = self.pending.pop() {
            self.define(lit);
        }
    }

    /// The number of variables.
    #[must_use]
    pub fn variables(&self) -> usize {
        self.number.len()
    }

    /// The variable of an input or gate, if the formula has it.
    #[must_use]
    pub fn variable(&self, lit: Lit) -> Option<i32> {
        self.number.get(&lit.gate()).copied()
    }

    /// The clauses.
    pub fn iter(&self) -> impl Iterator<Item = &[i32]> {
        self.literals.split(|&literal| literal == 0).take(self.clauses)
    }

    /// The text of the formula in the DIMACS format.
    #[must_use]
    pub fn dimacs(&self) -> String {
        let mut text = format!("p cnf {} {}\n", self.variables(), self.clauses);
        for &literal in &self.literals {
            text += &literal.to_string();
            text.push(if literal == 0 { '\n' } else { ' ' });
        }
        text
    }

    /// A conjunction asserts its parts, a disjunction is one clause.
    fn assert(&mut self, lit: Lit) {
        let mut asserted = vec![lit];
        while let Some(lit) = asserted.pop() {
            match (lit.constant(), lit.meaning(), lit.is_negated()) {
                (Some(true), ..) => {}
                (Some(false), ..) => self.clause(&[]),
                (_, Gate::And(a, b), false) => asserted.extend([a, b]),
                _ => self.disjunction(lit),
            }
        }
    }

    fn disjunction(&mut self, lit: Lit) {
        let (mut parts, mut clause) = (vec![lit], Vec::new());
        while let Some(part) = parts.pop() {
            match (part.meaning(), part.is_negated()) {
                (Gate::And(a, b), true) => parts.extend([!a, !b]),
                _ => clause.push(self.literal(part)),
            }
        }
        self.clause(&clause);
    }

    fn clause(&mut self, literals: &[i32]) {
        self.literals.extend_from_slice(literals);
        self.literals.push(0);
        self.clauses += 1;
    }

    /// The literal of the formula; its gate is defined later, once.
    fn literal(&mut self, lit: Lit) -> i32 {
        let fresh = self.number.len() as i32 + 1;
        let pending = &mut self.pending;
        let variable = *self.number.entry(lit.gate()).or_insert_with(|| {
            pending.push(lit);
            fresh
        });
        if lit.is_negated() { -variable } else { variable }
    }

    fn define(&mut self, lit: Lit) {
        let me = self.number[&lit.gate()];
        match lit.meaning() {
            // A constant is never a part of a gate.
            Gate::Zero | Gate::Input(_) => {}
            Gate::And(a, b) => {
                let (a, b) = (self.literal(a), self.literal(b));
                [&[-me, a][..], &[-me, b], &[me, -a, -b]].into_iter().for_each(|clause| self.clause(clause));
            }
            Gate::Xor(a, b) => {
                let (a, b) = (self.literal(a), self.literal(b));
                let clauses = [[-me, a, b], [-me, -a, -b], [me, -a, b], [me, a, -b]];
                clauses.iter().for_each(|clause| self.clause(clause));
            }
            Gate::Mux(c, t, e) => {
                let (c, t, e) = (self.literal(c), self.literal(t), self.literal(e));
                let clauses = [[-c, -t, me], [-c, t, -me], [c, -e, me], [c, e, -me], [-t, -e, me], [t, e, -me]];
                clauses.iter().for_each(|clause| self.clause(clause));
            }
        }
    }
}
