//! That the comparison of circuits with texts can fail: differences planted in either form are found, and both forms say so when they run.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use ringleader::agree::{PAIRS, agree};
use ringleader::circuit::{Bit, Circuit, WithCircuit};
use ringleader::params::Params;
use ringleader::protocol::Protocol;
use ringleader::protocols::ppl::{Mode, Ppl, State, Token};
use ringleader::ring::{Orientation, Ring};
use ringleader_notation::graph::in_fresh_arena;
use ringleader_notation::written::{Trouble, Written};
use ringleader_proof::miter::Twins;
use ringleader_proof::query::{Query, Undecided};
use ringleader_proof::witness::Witness;

const TEXT: &str = include_str!("../../../protocols/ppl.py");

fn ring() -> Ring {
    Ring::new(4, Orientation::Directed).unwrap()
}

fn params() -> Params {
    Params::default().with("psi", 3).with("kappa", 2)
}

fn law(text: &str) -> Written {
    let program = ringleader_notation::read("ppl.py", text).unwrap_or_else(|problems| panic!("{problems}"));
    Written::new(&Arc::new(program), ring(), &params(), &Trouble::default()).unwrap()
}

/// Compares the circuit that `plant` makes of the one of P_PL with a text.
fn compared(text: &str, plant: Option<(Meeting, Plant)>) -> Result<Option<Witness>, Undecided> {
    let (protocol, law) = (Ppl::new(ring(), &params()).unwrap(), law(text));
    let twins = Twins { name: "ppl".into(), ring: ring(), protocol: &protocol, law: &law };
    in_fresh_arena(Box::new(|| None), || {
        let mut query = Query::new(&|| None, None);
        match plant {
            None => twins.own(&mut query),
            Some((meeting, plant)) => {
                protocol.with_circuit(Planting { twins: &twins, meeting, plant, query: &mut query }).unwrap()
            }
        }
    })
}

#[test]
fn a_changed_line_of_the_text_is_found() {
    assert_eq!(compared(TEXT, None), Ok(None));
    let changes = [
        ("r.signalR = r.signalR - 1", "r.signalR = max(1, r.signalR - 1)", "r.signalR"),
        ("r.token[c][0] <= -2", "r.token[c][0] < -2", "token"),
        ("(psi, l.b, 0)", "(psi, l.b, 1 if l.bullet == 2 and l.clock == kappa else 0)", "l.token"),
        ("tmp != r.dist", "tmp != r.dist and not (tmp == psi and r.dist == 2 * psi - 1 and r.bullet == 1)", "l.last"),
        ("return v.leader == 1", "return v.leader == 1 and v.shield == 1", "leads"),
        // Goes wrong where there was nothing to be done.
        ("r.hits = min(r.hits + 1, psi)", "r.hits = r.hits + 1", "goes wrong"),
    ];
    for (from, to, what) in changes {
        assert!(TEXT.contains(from), "{from}");
        let found = compared(&TEXT.replacen(from, to, 1), None).unwrap().unwrap_or_else(|| panic!("{to} is not found"));
        assert!(found.shows.contains(what), "{to}: {}", found.shows);
        // Who leads differs before anybody does anything.
        let moves = if what == "leads" { 0..=1 } else { 1..=1 };
        assert!(found.initial.len() == 4 && moves.contains(&found.word.len()), "{to}");
    }
}

/// Two states in which a planted circuit does otherwise, and in nothing else.
type Meeting = (State, State);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Plant {
    /// Another bit of r afterwards.
    Bit,
    /// It says otherwise whether an output changed.
    Told,
    /// Lanes that are not asked change, too.
    Asked,
    /// The code of no state.
    Code,
}

#[derive(Clone)]
struct Planted<C: Circuit> {
    circuit: C,
    codes: [u128; 2],
    plant: Plant,
}

impl<C: Circuit<State = State>> Circuit for Planted<C> {
    type State = State;
    type Core = Self;

    fn core(&self) -> &Self {
        self
    }

    fn planes(&self) -> usize {
        self.circuit.planes()
    }
    fn encode(&self, state: &State) -> u128 {
        self.circuit.encode(state)
    }
    fn decode(&self, code: u128) -> State {
        self.circuit.decode(code)
    }
    fn leader_plane(&self) -> Option<usize> {
        self.circuit.leader_plane()
    }
    fn interact<B: Bit>(&self, l: &mut [B], r: &mut [B], input: &[B], when: B) -> B {
        let is = |code: u128, planes: &[B]| {
            planes.iter().enumerate().fold(B::ONE, |is, (p, &bit)| is & !(bit ^ B::constant(code >> p & 1 == 1)))
        };
        let here = is(self.codes[0], l) & is(self.codes[1], r);
        let told = self.circuit.interact(l, r, input, when);
        let one = |state: State| (self.encode(&state) ^ self.encode(&State::default())).trailing_zeros() as usize;
        let b = one(State { b: 1, ..State::default() });
        match self.plant {
            Plant::Told => return told ^ (here & when),
            Plant::Bit => r[b] = r[b] ^ (here & when),
            Plant::Asked => r[b] = r[b] ^ (here & !when),
            // `hits` has one number more than fits its planes, which has a plane of its own: with any of the others, that is no number.
            Plant::Code => {
                let full = one(State { hits: 3, ..State::default() });
                let hit = one(State { hits: 1, ..State::default() });
                (r[full], r[hit]) = (r[full] | (here & when), r[hit] | (here & when));
            }
        }
        told
    }
}

struct Planting<'t, 'a, 'q, 'h> {
    twins: &'t Twins<'a, Ppl>,
    meeting: Meeting,
    plant: Plant,
    query: &'q mut Query<'h>,
}

impl WithCircuit<State> for Planting<'_, '_, '_, '_> {
    type Output = Result<Option<Witness>, Undecided>;

    fn with<C: Circuit<State = State>>(self, circuit: C) -> Self::Output {
        let codes = [circuit.encode(&self.meeting.0), circuit.encode(&self.meeting.1)];
        let planted = Planted { circuit, codes, plant: self.plant };
        // Some thousand pairs do not meet these two.
        assert_eq!(agree(self.twins.protocol, &planted, PAIRS, 1), Ok(()), "{:?}", self.plant);
        self.twins.differ(&planted, self.query)
    }
}

#[test]
fn a_circuit_that_is_wrong_for_one_pair_is_found() {
    let token = Token { pos: -2, bit: 1, carry: 0 };
    let l = State { b: 1, dist: 4, token: [None, Some(token)], signal_r: 2, ..State::default() };
    let r = State { dist: 5, mode: Mode::Detect, clock: 2, hits: 1, bullet: 2, ..State::default() };
    for (plant, what) in
        [(Plant::Bit, "r.b:"), (Plant::Told, "changes"), (Plant::Asked, "not asked"), (Plant::Code, "no value")]
    {
        let found = compared(TEXT, Some(((l, r), plant))).unwrap().unwrap_or_else(|| panic!("{plant:?}"));
        assert!(found.shows.contains(what), "{plant:?}: {}", found.shows);
        let variables = Ppl::new(ring(), &params()).unwrap().variables();
        let shown = [l, r].map(|state| variables.encode(&state));
        assert_eq!(found.initial[..2], shown, "{plant:?}");
    }
}
