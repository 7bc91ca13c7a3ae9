//! Built-in protocols in the lanes of their texts.
//!
//! A protocol that is written in Rust and has no circuit of its own runs on the sliced engine as its text does: states go to the text and come
//! back variable by variable, value number for value number. Whatever else is asked of the protocol, its Rust answers. Before the circuit is used
//! it is compared with that, as every circuit is ([`ringleader::agree`]).

mod across;

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ringleader::blueprint::{Blueprint, Declared, Event, Phase, Promise, Start};
use ringleader::circuit::{Bit, Circuit, WithCircuit};
use ringleader::error::Error;
use ringleader::params::{Params, Settings};
use ringleader::portrait::{LabelledSegment, PictureRow};
use ringleader::protocol::{Input, Protocol, Transition};
use ringleader::ring::Ring;
use ringleader::value::{Text as Name, Value};
use ringleader::variables::Variables;
use ringleader_notation::lanes::Lanes;
use ringleader_notation::setting::State as Packed;
use ringleader_notation::written::{Judged, Trouble, Written, blueprint};

use crate::texts::text_of;
use across::Across;

/// A protocol with the lanes of its text.
#[derive(Clone)]
pub struct InLanes<P: Protocol> {
    protocol: P,
    ring: Ring,
    params: Arc<Params>,
    twins: Arc<Twins<P>>,
}

/// The text of a protocol, as what it is on rings of late.
struct Twins<P: Protocol> {
    name: &'static str,
    text: OnceLock<Option<Blueprint<Written>>>,
    known: Mutex<Vec<Known<P>>>,
}

/// What a text is on a ring with parameters; nothing if it has no lanes there.
type Known<P> = (Ring, Arc<Params>, Option<Twin<P>>);

/// So many rings are kept.
const KEPT: usize = 8;

/// The circuit of a text, with the states of the form in Rust.
struct Twin<P: Protocol> {
    lanes: Lanes,
    inner: Arc<Inner<P>>,
}

struct Inner<P: Protocol> {
    written: Written,
    across: Across<P::State>,
}

impl<P: Protocol> Clone for Twin<P> {
    fn clone(&self) -> Self {
        Self { lanes: self.lanes.clone(), inner: self.inner.clone() }
    }
}

impl<P: Protocol> Twin<P> {
    fn new(protocol: &P, written: Written) -> Option<Self> {
        let across = Across::new(protocol.variables(), written.variables())?;
        Some(Self { lanes: written.lanes()?.clone(), inner: Arc::new(Inner { written, across }) })
    }
}

impl<P: Protocol> Twins<P> {
    /// That nothing goes wrong with these texts is known: the proofs decide it (`tests/domains.rs` there).
    fn text(&self) -> Option<&Blueprint<Written>> {
        let read = || {
            let program = Arc::new(ringleader_notation::read(self.name, text_of(self.name)?).ok()?);
            Some(blueprint(&program, self.name, &Trouble::judged(Some(Arc::new(|_, _| Judged::Right)))))
        };
        self.text.get_or_init(read).as_ref()
    }

    fn of(&self, protocol: &P, ring: Ring, params: &Arc<Params>) -> Option<Twin<P>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, _, twin)) = known.iter().find(|(at, with, _)| (at, with) == (&ring, params)) {
            return twin.clone();
        }
        let make = |text: &Blueprint<Written>| Twin::new(protocol, (text.make)(ring, params).ok()?);
        let twin = self.text().and_then(make);
        if known.len() == KEPT {
            known.remove(0);
        }
        known.push((ring, params.clone(), twin.clone()));
        twin
    }
}

impl<P: Protocol> Circuit for Twin<P> {
    type State = P::State;
    type Core = Lanes;

    fn core(&self) -> &Lanes {
        &self.lanes
    }

    fn planes(&self) -> usize {
        self.lanes.planes()
    }

    fn inputs(&self) -> usize {
        self.lanes.inputs()
    }

    fn encode(&self, state: &P::State) -> u128 {
        self.lanes.encode(&self.inner.across.there(state))
    }

    fn decode(&self, code: u128) -> P::State {
        self.inner.across.back(&self.lanes.decode(code))
    }

    fn encode_coin(&self, coin: u64) -> u64 {
        self.lanes.encode_coin(coin)
    }

    #[inline(always)]
    fn reads_coin<B: Bit>(&self, l: &[B], r: &[B]) -> B {
        self.lanes.reads_coin(l, r)
    }

    #[inline(always)]
    fn interact<B: Bit>(&self, l: &mut [B], r: &mut [B], input: &[B], when: B) -> B {
        self.lanes.interact(l, r, input, when)
    }

    fn leader_plane(&self) -> Option<usize> {
        self.lanes.leader_plane()
    }

    fn interpreted(&self) -> Option<Self> {
        Some(Self { lanes: self.lanes.interpreted()?, ..self.clone() })
    }

    fn without_code(&self, lanes: usize) -> Option<String> {
        self.lanes.without_code(lanes)
    }

    /// The text says what is safe, too, and its states are sooner at hand.
    fn looks_safe(&self, ring: &[u128]) -> bool {
        let ring: Vec<Packed> = ring.iter().map(|&code| self.lanes.decode(code)).collect();
        self.inner.written.claims_safe(&ring)
    }
}

impl<P: Protocol> Transition for InLanes<P> {
    type State = P::State;

    #[inline]
    fn coins(&self) -> u64 {
        self.protocol.coins()
    }

    #[inline]
    fn reads_coin(&self, l: &P::State, r: &P::State) -> bool {
        self.protocol.reads_coin(l, r)
    }

    #[inline]
    fn oracle(&self) -> Option<u64> {
        self.protocol.oracle()
    }

    #[inline]
    fn interact(&self, l: &mut P::State, r: &mut P::State, input: Input) {
        self.protocol.interact(l, r, input);
    }
}

impl<P: Protocol> Protocol for InLanes<P> {
    fn variables(&self) -> Variables<P::State> {
        self.protocol.variables()
    }

    fn is_safe(&self, config: &[P::State]) -> bool {
        self.protocol.is_safe(config)
    }

    fn claims_safe(&self, config: &[P::State]) -> bool {
        self.protocol.claims_safe(config)
    }

    #[inline]
    fn is_leader(&self, state: &P::State) -> bool {
        self.protocol.is_leader(state)
    }

    #[inline]
    fn interact_counted(&self, l: &mut P::State, r: &mut P::State, input: Input) -> [usize; 2] {
        self.protocol.interact_counted(l, r, input)
    }

    #[inline]
    fn output(&self, state: &P::State) -> u64 {
        self.protocol.output(state)
    }

    fn text(&self) -> u64 {
        self.protocol.text()
    }

    fn lines(&self, l: &P::State, r: &P::State, input: Input) -> Vec<u32> {
        self.protocol.lines(l, r, input)
    }

    fn settings(&self) -> Settings {
        self.protocol.settings()
    }

    fn dice(&self) -> Vec<u64> {
        self.protocol.dice()
    }

    fn accepts(&self, config: &[P::State]) -> Result<(), Error> {
        self.protocol.accepts(config)
    }

    fn inputs(&self, ring: Ring) -> Vec<Vec<P::State>> {
        self.protocol.inputs(ring)
    }

    fn rename(&self, config: &mut [P::State]) -> bool {
        self.protocol.rename(config)
    }

    fn with_circuit<W: WithCircuit<P::State>>(&self, work: W) -> Option<W::Output> {
        Some(work.with(self.twins.of(&self.protocol, self.ring, &self.params)?))
    }

    fn default_limit(&self, ring: Ring) -> u64 {
        self.protocol.default_limit(ring)
    }

    fn facts(&self, config: &[P::State]) -> Vec<(Name, Value)> {
        self.protocol.facts(config)
    }

    fn gauges(&self, config: &[P::State]) -> Vec<(Name, usize)> {
        self.protocol.gauges(config)
    }

    fn segments(&self, config: &[P::State]) -> Vec<LabelledSegment> {
        self.protocol.segments(config)
    }

    fn picture(&self, config: &[P::State]) -> Vec<PictureRow> {
        self.protocol.picture(config)
    }
}

/// A protocol that is written in Rust, in the lanes of the built-in text of that name.
#[must_use]
pub fn in_lanes<P: Declared>(name: &'static str) -> Blueprint<InLanes<P>> {
    let Blueprint { about, make, starts, phases, events, promise, smallest, fault } = P::blueprint();
    let twins = Arc::new(Twins { name, text: OnceLock::new(), known: Mutex::default() });
    let make = move |ring: Ring, params: &Params| {
        let protocol = make(ring, params)?;
        Ok(InLanes { protocol, ring, params: Arc::new(params.clone()), twins: twins.clone() })
    };
    Blueprint {
        about,
        make: Arc::new(make),
        starts: starts.into_iter().map(start).collect(),
        phases: phases.into_iter().map(phase).collect(),
        events: events.into_iter().map(event).collect(),
        promise: promise.map(|Promise { name, holds }| Promise {
            name,
            holds: Arc::new(move |own: &InLanes<P>, config: &[P::State]| holds(&own.protocol, config)),
        }),
        smallest,
        fault,
    }
}

fn start<P: Protocol>(Start { named, needs, make }: Start<P>) -> Start<InLanes<P>> {
    let needs = needs.map(|needs| Arc::new(move |own: &InLanes<P>, ring| needs(&own.protocol, ring)) as _);
    Start {
        named,
        needs,
        make: Arc::new(move |own: &InLanes<P>, ring, generator| make(&own.protocol, ring, generator)),
    }
}

fn phase<P: Protocol>(Phase { named, holds, open, led }: Phase<P>) -> Phase<InLanes<P>> {
    let open =
        open.map(|open| Arc::new(move |own: &InLanes<P>, a: &P::State, b: &P::State| open(&own.protocol, a, b)) as _);
    let holds = Arc::new(move |own: &InLanes<P>, config: &[P::State]| holds(&own.protocol, config));
    let led = led.map(|led| Arc::new(move |own: &InLanes<P>, ring| led(&own.protocol, ring)) as _);
    Phase { named, holds, open, led }
}

fn event<P: Protocol>(Event { named, occurs }: Event<P>) -> Event<InLanes<P>> {
    let occurs = Arc::new(move |own: &InLanes<P>, before: [&P::State; 2], after: [&P::State; 2]| {
        occurs(&own.protocol, before, after)
    });
    Event { named, occurs }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use ringleader::agree::{Disagreement, PAIRS, agree};
    use ringleader::protocols::aaf_colouring::AafColouring;
    use ringleader::protocols::elim::Elim;
    use ringleader::protocols::undirected::{Undirected, UndirectedDerandomised};

    use super::*;

    struct Agree<'a, P: Protocol>(&'a P);

    impl<P: Protocol> WithCircuit<P::State> for Agree<'_, P> {
        type Output = Result<(), Disagreement>;

        fn with<C: Circuit<State = P::State>>(self, circuit: C) -> Self::Output {
            agree(self.0, &circuit, PAIRS, 1)
        }
    }

    fn protocol<P: Declared>(text: Option<(&str, &str)>, n: usize) -> InLanes<P> {
        let mut blueprint = in_lanes::<P>(P::blueprint().about.name.to_string().leak());
        if let Some((line, other)) = text {
            let changed = text_of(&blueprint.about.name).unwrap().replacen(line, other, 1);
            assert!(Some(&*changed) != text_of(&blueprint.about.name));
            let program = Arc::new(ringleader_notation::read("p.py", &changed).unwrap());
            let text = super::blueprint(&program, "p", &Trouble::default());
            let make = blueprint.make.clone();
            blueprint.make = Arc::new(move |ring, params| {
                let own = make(ring, params)?;
                let twins = Twins { name: "", text: OnceLock::from(Some(text.clone())), known: Mutex::default() };
                Ok(InLanes { twins: Arc::new(twins), ..own })
            });
        }
        (blueprint.make)(Ring::new(n, blueprint.about.ring).unwrap(), &Params::default()).unwrap()
    }

    #[test]
    fn a_text_that_is_another_protocol_is_found_or_has_no_lanes() {
        let differs = |text| {
            let elim: InLanes<Elim> = protocol(text, 8);
            elim.with_circuit(Agree(&elim)).map(|same| same.is_err())
        };
        assert_eq!(differs(None), Some(false));
        assert_eq!(differs(Some(("l.bullet = 0 ", "l.bullet = 1 "))), Some(true));
        assert_eq!(differs(Some(("shield: bit", "shield: span(0, 2)"))), None);
    }

    fn there_and_back<P: Declared>(n: usize) {
        let own: InLanes<P> = protocol(None, n);
        let twin = own.twins.of(&own.protocol, own.ring, &own.params).unwrap();
        for state in ringleader::agree::pool(&own, 1) {
            assert_eq!(twin.decode(twin.encode(&state)), state);
        }
    }

    /// Arrays that are numbers, bits that are lists, and variables of many values.
    #[test]
    fn states_come_back_as_they_were() {
        there_and_back::<Undirected>(8);
        there_and_back::<UndirectedDerandomised>(200);
        there_and_back::<AafColouring>(12);
    }
}
