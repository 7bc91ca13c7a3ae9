//! A circuit that was written by hand and the graph of a text as one formula: both get the same two agents, the same coin and the same
//! lanes, and it is asked whether anything that comes of it differs. So two forms of one protocol are equal for all pairs of states.
//!
//! They write states otherwise. What the planes of a variable spell is learned from the circuit's `encode` and `decode`, and the bits of
//! the text are functions of these planes. An agent of the formula has any *code* that the circuit may come to: the one that `encode`
//! gives, or, of a variable that is bottom, any that decodes to bottom. That is shown, too: no interaction leaves these codes.

use ringleader::agree::pool;
use ringleader::circuit::{Bit, Circuit, WithCircuit, any, same};
use ringleader::error::Error;
use ringleader::protocol::{Input, Protocol, draw};
use ringleader::ring::Ring;
use ringleader::value::{Text as Name, Value as Data};
use ringleader_notation::eval::{Agents, Evaluator};
use ringleader_notation::graph::{Cone, Demand, Lit, halted};
use ringleader_notation::lower::{self, Lowered};
use ringleader_notation::setting::State;
use ringleader_notation::written::Written;

use crate::diagram::Diagram;
use crate::query::{Model, Query, Undecided};
use crate::symbolic::{gather, scatter};
use crate::witness::{Witness, confirmed, unconfirmed};

/// A protocol on a ring, and its text on the same.
pub struct Twins<'a, P> {
    /// The protocol's name.
    pub name: Name,
    /// The ring.
    pub ring: Ring,
    /// The clear form.
    pub protocol: &'a P,
    /// The text.
    pub law: &'a Written,
}

struct Compare<'t, 'a, 'q, P>(&'t Twins<'a, P>, &'t mut Query<'q>);

impl<P: Protocol> WithCircuit<P::State> for Compare<'_, '_, '_, P> {
    type Output = Result<Option<Witness>, Undecided>;

    fn with<C: Circuit<State = P::State>>(self, circuit: C) -> Self::Output {
        self.0.differ(&circuit, self.1)
    }
}

/// A variable: its planes, which codes of theirs it may have, and the bits of the text, each with its place there.
struct Wire {
    planes: Vec<usize>,
    known: Diagram,
    bits: Vec<(usize, Diagram)>,
}

/// How a circuit and a text write the same state.
struct Relation {
    wires: Vec<Wire>,
    /// The code of the state that is all zero: what planes of no variable always are.
    blank: u128,
    /// A plane that only repeats who leads, which variables of the text tell together.
    led: Option<usize>,
    planes: usize,
    /// For each bit of the circuit's coin what it is of the bits of the text's.
    coin: Vec<Diagram>,
}

/// What one interaction comes to, in one form: what it is about, and the words or the number for it.
type Seen = Vec<(String, String)>;

/// Two agents, a coin by its number, and whether the lane is asked.
struct Meeting<S> {
    codes: [u128; 2],
    states: [State; 2],
    agents: [S; 2],
    coin: u64,
    asked: bool,
}

impl<P: Protocol> Twins<'_, P> {
    /// Two agents, a coin and a lane for which the protocol's own circuit and the text differ; confirmed by running both.
    ///
    /// # Errors
    /// If there is no circuit, or the two have other variables; if a limit comes first.
    pub fn own(&self, query: &mut Query<'_>) -> Result<Option<Witness>, Undecided> {
        let none = || Error::new("protocol", &*self.name, "it has no circuit for these parameters");
        self.protocol.with_circuit(Compare(self, query)).ok_or_else(none)?
    }

    /// The same for any circuit.
    ///
    /// # Errors
    /// As for [`Twins::own`].
    pub fn differ<C>(&self, circuit: &C, query: &mut Query<'_>) -> Result<Option<Witness>, Undecided>
    where
        C: Circuit<State = P::State>,
    {
        let relation = Relation::new(self, circuit)?;
        let lowered = lower::interact(self.law.program(), self.law.setting())
            .map_err(|hard| Undecided::Unknown(format!("line {}: {}", hard.span.line, hard.why)))?;
        halted().map_or(Ok(()), |why| Err(Undecided::Unknown(why)))?;
        let (when, mut demands) = (Lit::input(), lowered.demands.clone());
        let mut before = [(); 2].map(|()| relation.any_code(&mut demands));
        let differs = relation.difference(circuit, &lowered, &mut before, when);
        let Some(model) = query.ask(&[differs], &demands)? else { return Ok(None) };
        let meeting = self.meeting(circuit, &relation, &lowered, &before, (&model, when));
        self.shown(circuit, &relation, &meeting).map(Some)
    }

    fn meeting<C: Circuit<State = P::State>>(
        &self,
        circuit: &C,
        relation: &Relation,
        lowered: &Lowered,
        before: &[Vec<Lit>; 2],
        (model, when): (&Model, Lit),
    ) -> Meeting<P::State> {
        let truth = |lit: Lit| lit.constant().or_else(|| model.truth(lit));
        let code = |bits: &Vec<Lit>| {
            let bit = |(p, &bit): (usize, &Lit)| truth(bit).unwrap_or(relation.blank >> p & 1 == 1);
            bits.iter().enumerate().map(|at| u128::from(bit(at)) << at.0).sum::<u128>()
        };
        let codes = [code(&before[0]), code(&before[1])];
        let die = |bits: &Vec<Lit>| {
            bits.iter().rev().fold(0, |value, &bit| value << 1 | u64::from(truth(bit).unwrap_or(false)))
        };
        let coin = lowered.coins.iter().zip(self.law.dice()).fold(0, |coin, (bits, sides)| coin * sides + die(bits));
        Meeting {
            states: codes.map(|code| relation.state(code)),
            agents: codes.map(|code| circuit.decode(code)),
            codes,
            coin,
            asked: truth(when).unwrap_or(true),
        }
    }

    /// Runs both forms, and says what differs; the clear form in Rust says which of them is wrong.
    fn shown<C: Circuit<State = P::State>>(
        &self,
        circuit: &C,
        relation: &Relation,
        meeting: &Meeting<P::State>,
    ) -> Result<Witness, Undecided> {
        let (text, hand) = (self.by_text(meeting), self.by_circuit(circuit, relation, meeting));
        let different = text.iter().zip(&hand).zip(self.by_rust(meeting)).find(|((text, hand), _)| text != hand);
        let Some((((what, text), (_, hand)), (_, rust))) = different else { return Err(unconfirmed()) };
        let mut initial = vec![P::State::default(); self.ring.n()];
        initial[..2].copy_from_slice(&meeting.agents);
        let (moves, lane) = match meeting.asked {
            true => (vec![(self.ring.e(0), meeting.coin)], ""),
            false => (Vec::new(), ", in a lane that is not asked"),
        };
        let shows =
            format!("after e_0 {what}: {text} in the text, {hand} in the circuit, {rust} in the clear form{lane}");
        let always = |_: &[Vec<P::State>]| true;
        confirmed(&self.name, self.protocol, (&initial, 0), &moves, &shows, &always).ok_or_else(unconfirmed)
    }

    fn by_text(&self, meeting: &Meeting<P::State>) -> Seen {
        let (program, setting) = (self.law.program(), self.law.setting());
        let drawn = draw(meeting.coin, &self.law.dice());
        let coins: Vec<_> = setting.coins.iter().zip(drawn).map(|(slot, k)| slot.value(slot.nth(k))).collect();
        let mut after = meeting.states;
        let mut law = Evaluator::new(program, &setting.globals, &setting.layout, Agents::Held(&mut after));
        let read = match law.interact(&coins, true) {
            Ok(read) => read,
            Err(fault) => return vec![("goes wrong".to_owned(), fault.what)],
        };
        drop(law);
        let after = if meeting.asked { after } else { meeting.states };
        let value = |k: usize, agent: usize| self.law.variables().0[k].get(&after[agent]).to_string();
        self.seen(
            value,
            self.says(self.law, &meeting.states) != self.says(self.law, &after),
            read,
            self.leads(self.law, &after),
        )
    }

    fn by_rust(&self, meeting: &Meeting<P::State>) -> Seen {
        let [mut l, mut r] = meeting.agents;
        let read = self.protocol.coins() > 1 && self.protocol.reads_coin(&l, &r);
        if meeting.asked {
            self.protocol.interact(&mut l, &mut r, Input { coin: meeting.coin, leader: true });
        }
        let value = |k: usize, agent: usize| self.protocol.variables().0[k].get(&[l, r][agent]).to_string();
        let after = [l, r];
        let changed = self.says(self.protocol, &meeting.agents) != self.says(self.protocol, &after);
        self.seen(value, changed, read, self.leads(self.protocol, &after))
    }

    fn by_circuit<C>(&self, circuit: &C, relation: &Relation, meeting: &Meeting<P::State>) -> Seen
    where
        C: Circuit<State = P::State>,
    {
        let planes = |code: u128| (0..circuit.planes()).map(|p| code >> p & 1 == 1).collect::<Vec<bool>>();
        let [mut l, mut r] = meeting.codes.map(planes);
        let coin = circuit.encode_coin(meeting.coin);
        let coin: Vec<bool> = (0..circuit.inputs()).map(|k| coin >> k & 1 == 1).collect();
        let read = circuit.reads_coin(&l, &r);
        let changed = circuit.interact(&mut l, &mut r, &coin, meeting.asked);
        let codes = [l, r].map(|agent| agent.iter().enumerate().map(|(p, &bit)| u128::from(bit) << p).sum::<u128>());
        let value = |k: usize, agent: usize| match relation.wires[k].known.of(|p| codes[agent] >> p & 1 == 1) {
            true => self.protocol.variables().0[k].get(&circuit.decode(codes[agent])).to_string(),
            false => "no value".to_owned(),
        };
        let leads = match circuit.leader_plane() {
            Some(plane) => codes.map(|code| code >> plane & 1 == 1),
            None => self.leads(self.law, &codes.map(|code| relation.state(code))),
        };
        self.seen(value, changed, read, leads)
    }

    fn seen(&self, value: impl Fn(usize, usize) -> String, changed: bool, read: bool, leads: [bool; 2]) -> Seen {
        let variables = self.protocol.variables();
        let of = |(agent, who): (usize, &str)| -> Seen {
            let name = |k: usize| format!("{who}.{}", variables.0[k].name);
            (0..variables.0.len()).map(|k| (name(k), value(k, agent))).collect()
        };
        let told = [("changes", changed), ("reads a coin", read), ("l leads", leads[0]), ("r leads", leads[1])];
        let told = told.map(|(what, truth)| (what.to_owned(), truth.to_string()));
        [(0, "l"), (1, "r")].into_iter().flat_map(of).chain(told).collect()
    }

    fn leads<Q: Protocol>(&self, protocol: &Q, agents: &[Q::State; 2]) -> [bool; 2] {
        [protocol.is_leader(&agents[0]), protocol.is_leader(&agents[1])]
    }

    fn says<Q: Protocol>(&self, protocol: &Q, agents: &[Q::State; 2]) -> [u64; 2] {
        [protocol.output(&agents[0]), protocol.output(&agents[1])]
    }
}

impl Relation {
    fn new<P: Protocol, C: Circuit<State = P::State>>(twins: &Twins<'_, P>, circuit: &C) -> Result<Self, Undecided> {
        let (variables, others) = (twins.protocol.variables(), twins.law.variables());
        let unlike = |name: &str| Undecided::Unknown(format!("the text has another variable {name}"));
        if variables.0.len() != others.0.len() {
            return Err(Undecided::Unknown("the text has other variables".to_owned()));
        }
        let (blank, mut wires) = (circuit.encode(&P::State::default()), Vec::new());
        let repeats = |&plane: &usize| circuit.decode(blank ^ 1 << plane) == circuit.decode(blank);
        let led = circuit.leader_plane().filter(repeats);
        for (variable, other) in variables.0.iter().zip(&others.0) {
            if variable.name != other.name || variable.domain.size() != other.domain.size() {
                return Err(unlike(&variable.name));
            }
            // Both codes of every value, by its number.
            let both = |k: u64| {
                let (value, mut agent, mut state) = (variable.domain.nth(k), P::State::default(), State::default());
                variable.set(&mut agent, &value).and(other.set(&mut state, &value)).ok()?;
                Some((circuit.encode(&agent), u128::from(state.0[1]) << 64 | u128::from(state.0[0])))
            };
            let codes: Option<Vec<(u128, u128)>> = (0..variable.domain.size()).map(both).collect();
            let codes = codes.ok_or_else(|| unlike(&variable.name))?;
            let mask = codes.iter().fold(0, |mask, (code, _)| mask | (code ^ codes[0].0));
            let planes: Vec<usize> = (0..circuit.planes()).filter(|p| mask >> p & 1 == 1 && Some(*p) != led).collect();
            let mut numbers: Vec<Option<usize>> = vec![None; 1 << planes.len()];
            (0..).zip(&codes).for_each(|(k, (code, _))| numbers[gather(*code, &planes) as usize] = Some(k));
            // Bottom leaves planes as they are.
            if let Some(bottom) = (0..codes.len()).find(|&k| variable.domain.nth(k as u64) == Data::Null) {
                let mut agent = P::State::default();
                variable.put(&mut agent, &Data::Null);
                let is_bottom = |code: usize| circuit.decode(scatter(blank, code as u64, &planes)) == agent;
                let codes = (0..numbers.len()).filter(|&code| numbers[code].is_none() && is_bottom(code));
                codes.collect::<Vec<usize>>().into_iter().for_each(|code| numbers[code] = Some(bottom));
            }
            let known = Diagram::new(&planes, |code| numbers[code as usize].is_some());
            let places = (0..128).filter(|place| codes.iter().any(|(_, text)| text >> place & 1 == 1));
            let bit = |place: usize| {
                Diagram::new(&planes, |code| numbers[code as usize].is_some_and(|k| codes[k].1 >> place & 1 == 1))
            };
            let bits = places.map(|place| (place, bit(place))).collect();
            wires.push(Wire { planes, known, bits });
        }
        let coin = coins(twins, circuit);
        let relation = Self { wires, blank, led, planes: circuit.planes(), coin };
        relation.tried(twins, circuit)?;
        Ok(relation)
    }

    /// On many states both forms write what the relation says, so that a variable has its planes for itself.
    fn tried<P, C>(&self, twins: &Twins<'_, P>, circuit: &C) -> Result<(), Undecided>
    where
        P: Protocol,
        C: Circuit<State = P::State>,
    {
        let (variables, others) = (twins.protocol.variables(), twins.law.variables());
        let right = |agent: &P::State| {
            let (code, mut state) = (circuit.encode(agent), State::default());
            let same =
                variables.0.iter().zip(&others.0).all(|(one, other)| other.set(&mut state, &one.get(agent)).is_ok());
            same && self.state(code) == state && circuit.decode(code) == *agent && self.is_code(|p| code >> p & 1 == 1)
        };
        match pool(twins.protocol, 1).iter().all(right) {
            true => Ok(()),
            false => Err(Undecided::Unknown("the planes of a variable depend on another one".to_owned())),
        }
    }

    /// The state of the text that this code is.
    fn state(&self, code: u128) -> State {
        let holds = |(place, bit): &&(usize, Diagram)| (*place, bit.of(|p| code >> p & 1 == 1)).1;
        let bits = self.wires.iter().flat_map(|wire| &wire.bits).filter(holds);
        bits.fold(State::default(), |mut state, (place, _)| {
            state.0[place / 64] |= 1 << (place % 64);
            state
        })
    }

    /// Where these planes are a code that the circuit may come to.
    fn is_code<B: Bit>(&self, plane: impl Fn(usize) -> B) -> B {
        let free = |p: &usize| Some(*p) != self.led && self.wires.iter().all(|wire| !wire.planes.contains(p));
        let still = (0..self.planes).filter(free).map(|p| same(plane(p), B::constant(self.blank >> p & 1 == 1)));
        let known = self.wires.iter().map(|wire| wire.known.of(&plane));
        !any(known.chain(still).map(|holds| !holds))
    }

    /// Any code that the circuit may come to.
    fn any_code(&self, demands: &mut Vec<Demand>) -> Vec<Lit> {
        let mut bits: Vec<Lit> = (0..self.planes).map(|p| Lit::of(self.blank >> p & 1 == 1)).collect();
        for wire in &self.wires {
            wire.planes.iter().for_each(|&p| bits[p] = Lit::input());
            let about = wire.planes.iter().map(|&p| bits[p]).collect();
            demands.push(Demand { bits: about, holds: wire.known.of(|p| bits[p]) });
        }
        bits
    }

    /// The bits of the text at these places.
    fn text(&self, places: &[usize], planes: &[Lit]) -> Vec<Lit> {
        let bits = || self.wires.iter().flat_map(|wire| &wire.bits);
        let at = |place: &usize| {
            bits().find(|(known, _)| known == place).map_or(Lit::ZERO, |(_, bit)| bit.of(|p| planes[p]))
        };
        places.iter().map(at).collect()
    }

    /// Where the two forms differ in anything: the states, the codes, who leads, whether an output changed, whether a coin is read; or
    /// where the text goes wrong.
    fn difference<C: Circuit>(&self, circuit: &C, lowered: &Lowered, before: &mut [Vec<Lit>; 2], when: Lit) -> Lit {
        let places: Vec<usize> = (0..128).filter(|&k| lowered.before[0][k] != Lit::ZERO).collect();
        let used = |bits: &[Lit]| places.iter().map(|&k| bits[k]).collect::<Vec<Lit>>();
        let wrong = any(lowered.wrong.iter().map(|(_, when)| *when));
        let after = [used(&lowered.after[0]), used(&lowered.after[1])].concat();
        let told = [lowered.changed, lowered.drawn, wrong, lowered.leads[0][1], lowered.leads[1][1]];
        let leads = [lowered.leads[0][0], lowered.leads[1][0]];
        let outputs = [&after[..], &told, &leads].concat();
        let coins = lowered.coins.concat();
        let given = [self.text(&places, &before[0]), self.text(&places, &before[1])].concat();
        // In lanes an oracle says that there is a leader; the engine finds out when that was wrong.
        let inputs = [&given[..], &coins, &[Lit::ONE]].concat();
        let text = Cone::of(&lowered.inputs(), &outputs).evaluate(&inputs);
        let (after, told) = text.split_at(after.len());
        let &[changed, drawn, wrong, l_leads, r_leads, l_led, r_led] = told else { return Lit::ONE };

        if let Some(plane) = self.led {
            (before[0][plane], before[1][plane]) = (l_led, r_led);
        }
        let [mut l, mut r] = before.clone();
        let coin: Vec<Lit> = self.coin.iter().map(|bit| bit.of(|k| coins[k])).collect();
        let reads = circuit.reads_coin(&l, &r);
        let tells = circuit.interact(&mut l, &mut r, &coin, when);
        let now = [self.text(&places, &l), self.text(&places, &r)].concat();
        let expected = after.iter().zip(&given).map(|(&after, &before)| when.select(after, before));
        let mut differs: Vec<Lit> = now.into_iter().zip(expected).map(|(now, expected)| now ^ expected).collect();
        differs.extend([wrong, tells ^ (when & changed), reads ^ drawn]);
        differs.extend([!self.is_code(|p| l[p]), !self.is_code(|p| r[p])]);
        if let Some(plane) = circuit.leader_plane() {
            differs.extend([l[plane] ^ when.select(l_leads, l_led), r[plane] ^ when.select(r_leads, r_led)]);
        }
        any(differs)
    }
}

/// What each bit of the circuit's coin is of the bits of the text's.
fn coins<P: Protocol, C: Circuit<State = P::State>>(twins: &Twins<'_, P>, circuit: &C) -> Vec<Diagram> {
    let dice = twins.law.dice();
    let width = |sides: &u64| u64::BITS - (sides - 1).leading_zeros();
    let bits: Vec<usize> = (0..dice.iter().map(width).sum::<u32>() as usize).collect();
    let coin = |mut code: u64| {
        dice.iter().fold(0, |coin, sides| {
            let value = code & ((1 << width(sides)) - 1);
            code >>= width(sides);
            coin * sides + value
        })
    };
    let bit = |k: usize| Diagram::new(&bits, |code| circuit.encode_coin(coin(code)) >> k & 1 == 1);
    (0..circuit.inputs()).map(bit).collect()
}
