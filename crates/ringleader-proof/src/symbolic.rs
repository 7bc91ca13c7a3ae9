//! Agents in any state: a protocol's circuit with its bits named by the variables of the paper, and agents whose bits are literals.
//!
//! Which planes hold which variable is learned from `encode`, and what a predicate says of them from `decode`: nothing here
//! knows how a circuit lays out its bits, and every predicate on an agent is the clear form's own.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use ringleader::agree::{Disagreement, PAIRS, agree};
use ringleader::circuit::{Agent, Bit, Circuit, Question, Read, WithCircuit, all, same};
use ringleader::protocol::Protocol;
use ringleader::variables::Variables;
use rustc_hash::FxHashMap;

use crate::diagram::Diagram;
use ringleader_notation::graph::Demand;
use ringleader_notation::graph::Lit;

/// So many values of a variable are listed with their bits.
const MOST_CODES: u64 = 512;

type Step = dyn Fn(&mut [Lit], &mut [Lit], &[Lit]);

/// A circuit read as literals, with its variables by name.
pub struct NamedCircuit<S: 'static> {
    variables: Variables<S>,
    /// For each variable its planes, and which of their assignments are values of its domain.
    wires: Vec<(Vec<usize>, Diagram)>,
    blank: u128,
    planes: usize,
    inputs: usize,
    encode: Box<dyn Fn(&S) -> u128>,
    decode: Box<dyn Fn(u128) -> S>,
    step: Box<Step>,
    /// What was asked so far.
    questions: RefCell<FxHashMap<Question, Rc<Diagram>>>,
}

struct Name<'a, P>(&'a P);

impl<P: Protocol> WithCircuit<P::State> for Name<'_, P> {
    type Output = Result<NamedCircuit<P::State>, Disagreement>;

    fn with<C: Circuit<State = P::State>>(self, circuit: C) -> Self::Output {
        NamedCircuit::new(self.0, circuit)
    }
}

impl<S: Copy + Default + 'static> NamedCircuit<S> {
    /// The circuit of a protocol, if it has one.
    ///
    /// # Errors
    /// If it is not the same as the clear form.
    pub fn of<P: Protocol<State = S>>(protocol: &P) -> Result<Option<Self>, Disagreement> {
        protocol.with_circuit(Name(protocol)).transpose()
    }

    /// A circuit for a protocol.
    ///
    /// # Errors
    /// If it is not the same as the clear form.
    pub fn new<P, C>(protocol: &P, circuit: C) -> Result<Self, Disagreement>
    where
        P: Protocol<State = S>,
        C: Circuit<State = S>,
    {
        agree(protocol, &circuit, PAIRS, 1)?;
        Ok(Self::unchecked(protocol, circuit))
    }

    /// A circuit for variables as this protocol has them, whatever it does.
    pub(crate) fn unchecked<P, C>(protocol: &P, circuit: C) -> Self
    where
        P: Protocol<State = S>,
        C: Circuit<State = S>,
    {
        let (encoder, decoder) = (circuit.clone(), circuit.clone());
        let mut named = Self {
            wires: Vec::new(),
            blank: circuit.encode(&S::default()),
            planes: circuit.planes(),
            inputs: circuit.inputs(),
            encode: Box::new(move |state| encoder.encode(state)),
            decode: Box::new(move |code| decoder.decode(code)),
            step: Box::new(move |l, r, input| {
                circuit.interact(l, r, input, Lit::ONE);
            }),
            variables: protocol.variables(),
            questions: RefCell::default(),
        };
        named.wires = (0..named.variables.0.len()).map(|k| named.wire(k)).collect();
        named
    }

    /// The planes that differ between two values of variable `k`, and its domain on them.
    fn wire(&self, k: usize) -> (Vec<usize>, Diagram) {
        let variable = &self.variables.0[k];
        let code_of = |value: u64| {
            let mut state = S::default();
            let put = variable.set(&mut state, &variable.domain.nth(value));
            debug_assert!(put.is_ok(), "a value of the domain");
            (self.encode)(&state)
        };
        let codes: Vec<u128> = (0..variable.domain.size()).map(code_of).collect();
        let mask = codes.iter().fold(0, |mask, code| mask | (code ^ codes[0]));
        let planes: Vec<usize> = (0..self.planes).filter(|plane| mask >> plane & 1 == 1).collect();
        let mut codes: Vec<u64> = codes.iter().map(|code| gather(*code, &planes)).collect();
        codes.sort_unstable();
        let domain = Diagram::new(&planes, |assignment| codes.binary_search(&assignment).is_ok());
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
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.variables.0.iter().map(|variable| &*variable.name)
    }

    /// Free bits for a coin.
    #[must_use]
    pub fn coin(&self) -> Vec<Lit> {
        (0..self.inputs).map(|_| Lit::input()).collect()
    }

    /// How the values of each variable are spelt in bits, the first bit first: a line for each.
    #[must_use]
    pub fn codes(&self) -> Vec<String> {
        let line = |(variable, (planes, _)): (&ringleader::variables::Variable<S>, &(Vec<usize>, Diagram))| {
            let size = variable.domain.size();
            let spelt = |value: u64| {
                let (value, mut state) = (variable.domain.nth(value), S::default());
                let put = variable.set(&mut state, &value);
                debug_assert!(put.is_ok(), "a value of the domain");
                let code = (self.encode)(&state);
                let bits: String = planes.iter().map(|plane| if code >> plane & 1 == 1 { '1' } else { '0' }).collect();
                format!(" {value}={bits}")
            };
            let more = if size > MOST_CODES { format!(" ... {size} values") } else { String::new() };
            format!("{}:{}{more}", variable.name, (0..size.min(MOST_CODES)).map(spelt).collect::<String>())
        };
        self.variables.0.iter().zip(&self.wires).map(line).collect()
    }

    /// A predicate on some variables, by their planes. Some codes are no state's: it is never asked of those, and counts as false there.
    fn diagram(&self, question: Question, holds: impl Fn(&S) -> bool) -> Rc<Diagram> {
        if let Some(known) = self.questions.borrow().get(&question) {
            return known.clone();
        }
        let planes = self.planes_of(question.2);
        let variables: Vec<_> = question.2.iter().map(|name| &self.variables.0[self.index(name)]).collect();
        let diagram = Rc::new(Diagram::new(&planes, |bits| {
            let state = (self.decode)(scatter(self.blank, bits, &planes));
            variables.iter().all(|one| one.domain.contains(&one.get(&state))) && holds(&state)
        }));
        self.questions.borrow_mut().insert(question, diagram.clone());
        diagram
    }

    /// The agent that is in this state for certain.
    #[must_use]
    pub fn agent(&self, state: &S) -> Symbolic<'_, S> {
        let code = (self.encode)(state);
        Symbolic { circuit: self, bits: (0..self.planes).map(|plane| Lit::of(code >> plane & 1 == 1)).collect() }
    }

    /// An agent in any state: a free bit for every plane of a variable. What the domains demand of these bits is added to `demands`.
    pub fn any_agent(&self, demands: &mut Vec<Demand>) -> Symbolic<'_, S> {
        let mut agent = self.agent(&S::default());
        self.names().for_each(|name| agent.forget(&[name], demands));
        agent
    }

    /// One interaction; `coin` is what it may read.
    pub fn interact(&self, config: &mut [Symbolic<'_, S>], initiator: usize, responder: usize, coin: &[Lit]) {
        if let Ok([l, r]) = config.get_disjoint_mut([initiator, responder]) {
            (self.step)(&mut l.bits, &mut r.bits, coin);
        }
    }
}

/// An agent that stands for all the states that its bits may spell.
pub struct Symbolic<'c, S: 'static> {
    circuit: &'c NamedCircuit<S>,
    bits: Vec<Lit>,
}

impl<S> Clone for Symbolic<'_, S> {
    fn clone(&self) -> Self {
        Self { circuit: self.circuit, bits: self.bits.clone() }
    }
}

impl<S> fmt::Debug for Symbolic<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bits.fmt(f)
    }
}

impl<S: Copy + Default + 'static> Symbolic<'_, S> {
    /// Forgets what these variables are.
    pub fn forget(&mut self, names: &[&str], demands: &mut Vec<Demand>) {
        for name in names {
            let (planes, domain) = &self.circuit.wires[self.circuit.index(name)];
            planes.iter().for_each(|&plane| self.bits[plane] = Lit::input());
            let bits = planes.iter().map(|&plane| self.bits[plane]).collect();
            demands.push(Demand { bits, holds: domain.of(|plane| self.bits[plane]) });
        }
    }

    /// Fixes these variables to those of a state.
    pub fn fix(&mut self, names: &[&str], state: &S) {
        let fixed = self.circuit.agent(state);
        self.copy(names, &fixed);
    }

    /// Copies these variables from an agent of a circuit with the same planes.
    pub fn copy(&mut self, names: &[&str], from: &Symbolic<'_, S>) {
        self.circuit.planes_of(names).into_iter().for_each(|plane| self.bits[plane] = from.bits[plane]);
    }

    /// Its bits by name, such as `dist[0]`, in the order of [`NamedCircuit::codes`].
    pub fn bits(&self) -> impl Iterator<Item = (String, Lit)> {
        let wires = self.circuit.names().zip(&self.circuit.wires);
        let named = move |(name, (planes, _)): (&str, &(Vec<usize>, Diagram))| {
            let bit = |(k, &plane): (usize, &usize)| (format!("{name}[{k}]"), self.bits[plane]);
            planes.iter().enumerate().map(bit).collect::<Vec<_>>()
        };
        wires.flat_map(named)
    }

    /// The bits of a variable in the order of the planes. Where it is written as a binary number that is the number, its lowest bit first.
    #[must_use]
    pub fn number(&self, name: &str) -> Vec<Lit> {
        self.circuit.planes_of(&[name]).into_iter().map(|plane| self.bits[plane]).collect()
    }

    /// One of two agents of the same circuit.
    #[must_use]
    pub fn select(when: Lit, then: &Self, otherwise: &Self) -> Self {
        let bits = then.bits.iter().zip(&otherwise.bits).map(|(&then, &otherwise)| when.select(then, otherwise));
        Self { circuit: then.circuit, bits: bits.collect() }
    }

    /// Where two agents agree in these variables.
    #[must_use]
    pub fn equal(&self, names: &[&str], other: &Self) -> Lit {
        all(self.circuit.planes_of(names).into_iter().map(|plane| same(self.bits[plane], other.bits[plane])))
    }

    /// The state under an assignment; free bits that it does not know are as in the all-zero state.
    pub fn state(&self, truth: &dyn Fn(Lit) -> Option<bool>) -> S {
        let known = |bit: Lit| bit.constant().or_else(|| truth(bit));
        let (blank, decode) = (self.circuit.blank, &self.circuit.decode);
        let bit = |(plane, &bit): (usize, &Lit)| known(bit).unwrap_or(blank >> plane & 1 == 1);
        decode(self.bits.iter().enumerate().map(|at| u128::from(bit(at)) << at.0).sum())
    }
}

impl<S: Copy + Default + 'static> Agent for Symbolic<'_, S> {
    type State = S;
    type Bit = Lit;

    fn ask(&self, question: Question, holds: impl Fn(&S) -> bool) -> Lit {
        self.circuit.diagram(question, holds).of(|plane| self.bits[plane])
    }

    fn cases(
        &self,
        (name, _, variables): Question,
        among: impl Iterator<Item = isize>,
        number: impl Fn(&S) -> Option<isize>,
    ) -> impl Iterator<Item = (isize, Lit)> {
        among.map(move |case| (case, self.ask((name, case, variables), |v| number(v) == Some(case))))
    }

    fn same<T: Eq>(&self, mine: Read<S, T>, other: &Self, theirs: Read<S, T>) -> Lit {
        let [mine, theirs] = [mine.0, theirs.0].map(|name| self.circuit.planes_of(&[name]));
        all(mine.into_iter().zip(theirs).map(|(mine, theirs)| same(self.bits[mine], other.bits[theirs])))
    }
}

/// The values of some planes of a code, as a number.
pub(crate) fn gather(code: u128, planes: &[usize]) -> u64 {
    planes.iter().enumerate().fold(0, |bits, (j, plane)| bits | ((code >> plane & 1) as u64) << j)
}

/// The code with other values of some planes.
pub(crate) fn scatter(code: u128, bits: u64, planes: &[usize]) -> u128 {
    planes.iter().enumerate().fold(code, |code, (j, plane)| code & !(1 << plane) | u128::from(bits >> j & 1) << plane)
}
