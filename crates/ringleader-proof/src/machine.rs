//! A protocol's circuit with its bits named by the variables of the paper.
//!
//! Which planes hold which variable is learned from `encode`, and what a predicate says of them from `decode`: nothing here
//! knows how a circuit lays out its bits, and every predicate on one or two agents is the clear form's own.

use ringleader::circuit::{Bit, Circuit, WithCircuit};
use ringleader::protocol::Protocol;
use ringleader::value::Value;
use ringleader::variables::Variables;

use crate::bits::{Lit, all, same};
use crate::cnf::Demand;
use crate::table::Table;

/// The bits of a configuration, agent by agent.
pub type Config<B> = Vec<Vec<B>>;

type Step = dyn Fn(&mut [Lit], &mut [Lit], &[Lit]);

/// A circuit read as literals, with its variables by name.
pub struct Machine<S: 'static> {
    variables: Variables<S>,
    /// For each variable its planes, and which of their assignments are values of its domain.
    wires: Vec<(Vec<usize>, Table)>,
    blank: u128,
    planes: usize,
    inputs: usize,
    encode: Box<dyn Fn(&S) -> u128>,
    decode: Box<dyn Fn(u128) -> S>,
    step: Box<Step>,
}

struct MakeMachine<S: 'static>(Variables<S>);

impl<S: Copy + Default + 'static> WithCircuit<S> for MakeMachine<S> {
    type Output = Machine<S>;

    fn with<C: Circuit<State = S>>(self, circuit: C) -> Machine<S> {
        Machine::new(self.0, circuit)
    }
}

impl<S: Copy + Default + 'static> Machine<S> {
    /// The machine of a protocol that offers its circuit.
    #[must_use]
    pub fn of<P: Protocol<State = S>>(protocol: &P) -> Option<Self> {
        protocol.with_circuit(MakeMachine(protocol.variables()))
    }

    /// The machine of a circuit whose states have these variables.
    pub fn new<C: Circuit<State = S>>(variables: Variables<S>, circuit: C) -> Self {
        let (encoder, decoder) = (circuit.clone(), circuit.clone());
        let mut machine = Self {
            wires: Vec::new(),
            blank: circuit.encode(&S::default()),
            planes: circuit.planes(),
            inputs: circuit.inputs(),
            encode: Box::new(move |state| encoder.encode(state)),
            decode: Box::new(move |code| decoder.decode(code)),
            step: Box::new(move |l, r, input| {
                circuit.interact(l, r, input, Lit::ONE);
            }),
            variables,
        };
        machine.wires = (0..machine.variables.0.len()).map(|k| machine.wire(k)).collect();
        machine
    }

    /// The planes that differ between two values of variable `k`, and its domain on them.
    fn wire(&self, k: usize) -> (Vec<usize>, Table) {
        let variable = &self.variables.0[k];
        let codes: Vec<u128> = (0..variable.domain.size())
            .map(|value| {
                let mut state = S::default();
                let put = variable.set(&mut state, &variable.domain.nth(value));
                debug_assert!(put.is_ok(), "a value of the domain");
                (self.encode)(&state)
            })
            .collect();
        let mask = codes.iter().fold(0, |mask, code| mask | (code ^ codes[0]));
        let planes: Vec<usize> = (0..self.planes).filter(|plane| mask >> plane & 1 == 1).collect();
        let mut codes: Vec<u64> = codes.iter().map(|code| gather(*code, &planes)).collect();
        codes.sort_unstable();
        let domain = Table::new(&planes, |assignment| codes.binary_search(&assignment).is_ok());
        (planes, domain)
    }

    fn index(&self, name: &str) -> usize {
        let found = self.variables.0.iter().position(|variable| variable.name == name);
        found.unwrap_or_else(|| panic!("no variable {name}"))
    }

    /// The planes of these variables.
    fn planes_of(&self, names: &[&str]) -> Vec<usize> {
        names.iter().flat_map(|name| self.wires[self.index(name)].0.iter().copied()).collect()
    }

    /// All variables.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.variables.0.iter().map(|variable| variable.name)
    }

    /// How many free bits an interaction reads.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The state with these values of these planes and blank otherwise, if they are values of these variables. Some codes are no state's:
    /// a predicate is never asked of those, and may count as false there.
    fn state(&self, names: &[&str], planes: &[usize], bits: u64) -> Option<S> {
        let state = (self.decode)(scatter(self.blank, bits, planes));
        let variable = |name: &&str| &self.variables.0[self.index(name)];
        names.iter().map(variable).all(|one| one.domain.contains(&one.get(&state))).then_some(state)
    }

    /// A predicate on these variables of one agent.
    pub fn test(&self, names: &[&str], holds: impl Fn(&S) -> bool) -> Table {
        let planes = self.planes_of(names);
        Table::new(&planes, |bits| self.state(names, &planes, bits).is_some_and(|state| holds(&state)))
    }

    /// A predicate on these variables of two agents; the planes of the second come after those of the first.
    pub fn test_pair(&self, left: &[&str], right: &[&str], holds: impl Fn(&S, &S) -> bool) -> Table {
        let (l, r) = (self.planes_of(left), self.planes_of(right));
        let both: Vec<usize> = l.iter().copied().chain(r.iter().map(|plane| plane + self.planes)).collect();
        Table::new(&both, |bits| {
            let pair = self.state(left, &l, bits).zip(self.state(right, &r, bits >> l.len()));
            pair.is_some_and(|(left, right)| holds(&left, &right))
        })
    }

    /// A predicate of [`Machine::test`] at an agent.
    pub fn at<B: Bit>(&self, table: &Table, agent: &[B]) -> B {
        table.of(|plane| agent[plane])
    }

    /// A predicate of [`Machine::test_pair`] at two agents.
    pub fn at_pair<B: Bit>(&self, table: &Table, left: &[B], right: &[B]) -> B {
        table.of(|plane| if plane < self.planes { left[plane] } else { right[plane - self.planes] })
    }

    /// The bits of one variable of an agent.
    pub fn bits<B: Bit>(&self, name: &str, agent: &[B]) -> Vec<B> {
        self.planes_of(&[name]).into_iter().map(|plane| agent[plane]).collect()
    }

    /// Where two agents agree in the bits of these variables.
    pub fn equal<B: Bit>(&self, names: &[&str], one: &[B], other: &[B]) -> B {
        all(self.planes_of(names).into_iter().map(|plane| same(one[plane], other[plane])))
    }

    /// The bits of a state.
    pub fn encode(&self, state: &S) -> Vec<bool> {
        let code = (self.encode)(state);
        (0..self.planes).map(|plane| code >> plane & 1 == 1).collect()
    }

    /// The state of these bits.
    #[must_use]
    pub fn decode(&self, bits: &[bool]) -> S {
        (self.decode)(bits.iter().enumerate().fold(0, |code, (plane, &bit)| code | u128::from(bit) << plane))
    }

    /// A state as named values.
    pub fn value(&self, state: &S) -> Value {
        self.variables.encode(state)
    }

    /// An agent in any state: a free bit for every plane of a variable. What the domains demand of these bits is added to `demands`.
    pub fn free(&self, demands: &mut Vec<Demand>) -> Vec<Lit> {
        let mut agent: Vec<Lit> = (0..self.planes).map(|plane| Lit::of(self.blank >> plane & 1 == 1)).collect();
        (0..self.wires.len()).for_each(|k| self.release(&mut agent, k, demands));
        agent
    }

    fn release(&self, agent: &mut [Lit], k: usize, demands: &mut Vec<Demand>) {
        let (planes, domain) = &self.wires[k];
        planes.iter().for_each(|&plane| agent[plane] = Lit::input());
        let bits = planes.iter().map(|&plane| agent[plane]).collect();
        demands.push(Demand { bits, holds: self.at(domain, agent) });
    }

    /// Forgets what these variables of an agent are.
    pub fn forget(&self, agent: &mut [Lit], names: &[&str], demands: &mut Vec<Demand>) {
        names.iter().for_each(|name| self.release(agent, self.index(name), demands));
    }

    /// Fixes variables of an agent to those of a state.
    pub fn fix(&self, agent: &mut [Lit], names: &[&str], state: &S) {
        let code = (self.encode)(state);
        self.planes_of(names).into_iter().for_each(|plane| agent[plane] = Lit::of(code >> plane & 1 == 1));
    }

    /// Copies variables of one agent to another.
    pub fn copy(&self, names: &[&str], from: &[Lit], to: &mut [Lit]) {
        self.planes_of(names).into_iter().for_each(|plane| to[plane] = from[plane]);
    }

    /// The state of an agent under an assignment; free bits that it does not know are as in the all-zero state.
    pub fn read(&self, agent: &[Lit], truth: &dyn Fn(Lit) -> Option<bool>) -> S {
        let known = |plane: usize| agent[plane].constant().or_else(|| truth(agent[plane]));
        let bit = |plane: usize| known(plane).unwrap_or(self.blank >> plane & 1 == 1);
        self.decode(&(0..self.planes).map(bit).collect::<Vec<bool>>())
    }

    /// One interaction; `input` is its coin.
    pub fn interact(&self, config: &mut Config<Lit>, initiator: usize, responder: usize, input: &[Lit]) {
        let (mut l, mut r) = (config[initiator].clone(), config[responder].clone());
        (self.step)(&mut l, &mut r, input);
        (config[initiator], config[responder]) = (l, r);
    }
}

/// The values of some planes of a code, as a number.
fn gather(code: u128, planes: &[usize]) -> u64 {
    planes.iter().enumerate().fold(0, |bits, (j, plane)| bits | ((code >> plane & 1) as u64) << j)
}

/// The code with other values of some planes.
fn scatter(code: u128, bits: u64, planes: &[usize]) -> u128 {
    planes.iter().enumerate().fold(code, |code, (j, plane)| code & !(1 << plane) | u128::from(bits >> j & 1) << plane)
}
