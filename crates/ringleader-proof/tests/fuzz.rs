//! A fuzzer: random protocols, and every reading of each compared with the law. `cargo test` runs some of them; `scripts/fuzz --help` tells
//! how to go on for longer.
//!
//! A program is a function of the seed and of its number. Of each it is decided by SAT whether it can go wrong; where it can, the readings
//! must give up exactly there, where it cannot, all of them run: code for one ring, the table of pairs, the graph, lanes in plain words, and
//! whole trials by the stepper and in words of every width, by machine code. That lanes are the graph is proven for all pairs of states.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../ringleader-notation/tests/generate/mod.rs"]
mod generate;

use std::collections::BTreeMap;
use std::io::{Write, stderr};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ringleader::agree::{agree, pool};
use ringleader::circuit::{Circuit, WithCircuit};
use ringleader::instance::Instance;
use ringleader::observer::Observer;
use ringleader::params::Params;
use ringleader::protocol::{Input, Protocol, Transition, draw};
use ringleader::random::{Generator, Stream, below, index, mix, stream};
use ringleader::ring::Ring;
use ringleader::trial::{Engine, Initial, Record, Trial};
use ringleader_notation::code::{Asked as Coins, Code};
use ringleader_notation::eval::{Agents, Evaluator, truth};
use ringleader_notation::graph::{Cone, Lit, in_fresh_arena};
use ringleader_notation::lower::{self, Lowered};
use ringleader_notation::program::Program;
use ringleader_notation::setting::{Slot, State};
use ringleader_notation::tree::Value;
use ringleader_notation::written::{Judged, Trouble, Written, blueprint};
use ringleader_proof::domains::{self, Verdict};
use ringleader_proof::miter::Twins;
use ringleader_proof::query::{Query, Undecided};

/// What is asked for, in words like those of a command line.
const ASKED: &str = "RINGLEADER_FUZZ";
/// Programs of the test.
const PROGRAMS: u64 = 150;
/// So many pairs of states of each program, and rings of each of its sets.
const MEETINGS: usize = 256;
const RINGS: usize = 64;
const FUEL: u64 = 1 << 24;
/// A question to the solver may take so long.
const LONGEST: Duration = Duration::from_secs(10);

struct Asked {
    seed: u64,
    programs: std::ops::Range<u64>,
    time: Duration,
}

impl Asked {
    fn new(words: &str) -> Self {
        let mut asked = Self { seed: 1, programs: 0..PROGRAMS, time: Duration::MAX };
        let mut words = words.split_whitespace();
        while let Some(name) = words.next() {
            let value = words.next().unwrap_or_else(|| panic!("{name}: a value is missing"));
            let number = value.parse::<u64>();
            let number = number.unwrap_or_else(|_| panic!("{name} {value}: allowed is a whole number"));
            match name {
                "--seed" => asked.seed = number,
                "--programs" => asked.programs = 0..number,
                "--program" => asked.programs = number..number + 1,
                "--minutes" => (asked.programs, asked.time) = (0..u64::MAX, Duration::from_secs(60 * number)),
                _ => panic!("{name}: allowed are --seed, --programs, --program and --minutes"),
            }
        }
        asked
    }
}

/// Not what a test prints, which is kept back.
fn say(line: &str) {
    let _ = writeln!(stderr(), "{line}");
}

/// How often what was compared.
type Tally = BTreeMap<&'static str, u64>;

#[test]
fn every_reading_of_every_program_is_the_law() {
    let words = std::env::var(ASKED);
    let asked = Asked::new(words.as_deref().unwrap_or_default());
    let (begin, mut told, mut tally) = (Instant::now(), Instant::now(), Tally::new());
    for k in asked.programs.clone() {
        if begin.elapsed() >= asked.time {
            break;
        }
        let seed = mix(asked.seed << 32 ^ k);
        let (text, n) = generate::protocol(seed);
        let ran = catch_unwind(AssertUnwindSafe(|| Subject::new(&text, n, seed).checked(&mut tally)));
        let wrong = ran.map_or_else(|_| Some("it panics".to_owned()), Result::err);
        if let Some(why) = wrong {
            panic!("{text}\n{why}\nn = {n}; again: scripts/fuzz --seed {} --program {k}", asked.seed);
        }
        *tally.entry("programs").or_default() += 1;
        if words.is_ok() && told.elapsed() > Duration::from_secs(60) {
            told = Instant::now();
            say(&format!("{} programs after {} s", tally["programs"], begin.elapsed().as_secs()));
        }
    }
    if words.is_ok() {
        say(&format!("seed {}, {} s", asked.seed, begin.elapsed().as_secs()));
        tally.iter().for_each(|(what, count)| say(&format!("{count:>12} {what}")));
    } else {
        let least = [("meetings by law", 30_000), ("meetings by code", 20_000), ("meetings by graph", 30_000)];
        let others = [("texts in lanes, proven", 50), ("trials in each width", 3000), ("texts with machine code", 50)];
        for (what, least) in least.into_iter().chain(others) {
            let found = tally.get(what).copied().unwrap_or_default();
            // Other processors have no machine code.
            let there = what != "texts with machine code" || cfg!(target_arch = "x86_64");
            assert!(found >= least || !there, "{what}: only {found}");
        }
    }
}

/// A meeting, and what the law makes of it; `None` if it goes wrong.
struct Meeting {
    agents: [State; 2],
    coin: u64,
    leader: bool,
    law: Option<(bool, [State; 2])>,
}

struct Subject {
    program: Arc<Program>,
    ring: Ring,
    written: Written,
    /// Whether it is proven that nothing goes wrong.
    right: bool,
    verdict: Verdict,
    pool: Vec<State>,
    generator: Generator,
    seed: u64,
}

/// Whether something differs, and what.
type Same = Result<(), String>;

fn same(holds: bool, what: impl FnOnce() -> String) -> Same {
    if holds { Ok(()) } else { Err(what()) }
}

impl Subject {
    fn new(text: &str, n: usize, seed: u64) -> Self {
        let program = Arc::new(ringleader_notation::read("p.py", text).unwrap());
        let ring = Ring::new(n, program.ring).unwrap();
        let law = Written::new(&program, ring, &Params::default(), &Trouble::default()).unwrap();
        let verdict = domains::decide(&program, law.setting(), &late(), Box::new(late())).verdict;
        let right = verdict == Verdict::Holds;
        let written = Written::new(&program, ring, &Params::default(), &judged(right)).unwrap();
        let (pool, generator) = (pool(&written, seed), stream(seed, Stream::Coins));
        Self { program, ring, written, right, verdict, pool, generator, seed }
    }

    fn checked(mut self, tally: &mut Tally) -> Same {
        let mut count = |what, by: u64| *tally.entry(what).or_default() += by;
        match &self.verdict {
            Verdict::Unknown(why) if why.contains("differ") => return Err(format!("domains: {why}")),
            Verdict::Unknown(_) => count("texts of which it is not known whether they go wrong", 1),
            Verdict::Fails(_) => count("texts that go wrong", 1),
            Verdict::Holds => count("texts proven right", 1),
        }
        let meetings: Vec<Meeting> = (0..MEETINGS).map(|k| self.meeting(k)).collect();
        count("meetings by law", meetings.len() as u64);
        count("meetings that go wrong", meetings.iter().filter(|meeting| meeting.law.is_none()).count() as u64);
        let right = !self.right || meetings.iter().all(|meeting| meeting.law.is_some());
        same(right, || "a text that was proven right goes wrong".to_owned())?;
        for proven in [false, true] {
            // Code that is told so does not look after what goes wrong.
            if !proven || self.right {
                count("meetings by code", self.by_code(proven, &meetings)?);
            }
        }
        count("meetings by table or code", self.by_written(&meetings)?);
        count("meetings by graph", self.by_graph(&meetings)?);
        let (by_code, by_graph) = self.sets()?;
        count("rings by code", by_code);
        count("rings by graph", by_graph);
        if self.right
            && let Some(lanes) = self.written.with_circuit(InLanes(&self))
        {
            count(if lanes? { "texts in lanes, proven" } else { "texts in lanes, not decided in time" }, 1);
            let missing = self.written.lanes().map(|lanes| lanes.missing()).unwrap_or_default();
            // There is code wherever the processor and the system allow it.
            let wrong = missing.iter().find(|(_, why)| !why.contains("this processor") && !why.contains("refuses"));
            same(wrong.is_none(), || format!("machine code: {wrong:?}"))?;
            count("texts with machine code", u64::from(missing.is_empty()));
            count("trials in each width", self.trials()?);
        }
        Ok(())
    }

    fn evaluator<'a>(&'a self, agents: Agents<'a>) -> Evaluator<'a> {
        let setting = self.written.setting();
        Evaluator::new(&self.program, &setting.globals, &setting.layout, agents)
    }

    /// Two uniform states, or two whose variables are at the ends of their domains.
    fn state(&mut self, kind: usize) -> State {
        self.pool[2 * index(&mut self.generator, self.pool.len() / 2) + kind % 2]
    }

    fn meeting(&mut self, k: usize) -> Meeting {
        let mut agents = [self.state(k), self.state(k)];
        let coin = below(&mut self.generator, self.written.coins());
        let leader = below(&mut self.generator, 2) == 1;
        let before = agents;
        let values = self.coins(coin);
        let values: Vec<Value> =
            self.written.setting().coins.iter().zip(values).map(|(slot, k)| slot.value(slot.nth(k))).collect();
        let read = self.evaluator(Agents::Held(&mut agents)).interact(&values, leader).ok();
        // Who leads and what is said is asked, too, and that can go wrong.
        let law = read.filter(|_| self.looks(&before)).map(|read| (read, agents));
        Meeting { agents: before, coin, leader, law }
    }

    fn coins(&self, coin: u64) -> Vec<u64> {
        draw(coin, &self.written.setting().coins.iter().map(Slot::size).collect::<Vec<_>>())
    }

    fn looks(&self, agents: &[State; 2]) -> bool {
        let functions = self.program.leader.into_iter().chain(self.program.output);
        functions.flat_map(|function| [(function, 0), (function, 1)]).all(|(function, agent)| {
            self.evaluator(Agents::Seen(agents)).call(function, &[Value::Agent(agent)]).is_ok()
        })
    }

    /// Code may give up, but not only do otherwise.
    fn by_code(&self, proven: bool, meetings: &[Meeting]) -> Result<u64, String> {
        let Some(code) = Code::interact(&self.program, self.written.setting(), proven) else { return Ok(0) };
        let mut done = 0;
        for meeting in meetings {
            let [l, r] = meeting.agents;
            let asked = Coins { coins: &self.written.setting().coins, coin: meeting.coin, leader: meeting.leader };
            let met = code.meet(&l, &r, asked, &mut FUEL.clone());
            // What is said afterwards is not the code's affair.
            let wrong = met.is_some() && met != meeting.law && (meeting.law.is_some() || self.looks(&meeting.agents));
            same(!wrong, || format!("code: {met:?}, by law {:?}: {:?}", meeting.law, meeting.agents))?;
            done += u64::from(met.is_some());
        }
        Ok(done)
    }

    /// Whatever runs the text on one ring; the second time a table knows.
    fn by_written(&self, meetings: &[Meeting]) -> Result<u64, String> {
        let mut done = 0;
        for meeting in meetings.iter().chain(meetings) {
            let Some((_, after)) = meeting.law else { continue };
            let [mut l, mut r] = meeting.agents;
            self.written.interact(&mut l, &mut r, Input { coin: meeting.coin, leader: meeting.leader });
            same([l, r] == after, || format!("on one ring: {:?}, by law {after:?}: {:?}", [l, r], meeting.agents))?;
            done += 1;
        }
        let differs = self.written.facts(&self.pool[..self.ring.n()]);
        let differs = differs.iter().any(|(name, _)| *name == "by the law only");
        same(!differs, || "the code made of this text is not what the text says".to_owned())?;
        Ok(done)
    }

    /// Also where it goes wrong, and who leads.
    fn by_graph(&self, meetings: &[Meeting]) -> Result<u64, String> {
        in_fresh_arena(Box::new(|| None), || {
            let Ok(lowered) = lower::interact(&self.program, self.written.setting()) else { return Ok(0) };
            let leads = [lowered.leads[0], lowered.leads[1]].concat();
            let told = [&leads[..], &[lowered.drawn, wrong(&lowered)]].concat();
            let graph = Graph::new(&lowered, &told);
            for some in meetings.chunks(64) {
                let agents: Vec<Vec<State>> = (0..2).map(|k| some.iter().map(|one| one.agents[k]).collect()).collect();
                let coins: Vec<Vec<u64>> = some.iter().map(|one| self.coins(one.coin)).collect();
                let leader = lanes(some.len(), |lane| some[lane].leader);
                let (after, told) = graph.see(&agents, &coins, leader);
                for (lane, one) in some.iter().enumerate() {
                    let bit = |k: usize| told[k] >> lane & 1 == 1;
                    let met = (bit(4), [after[0][lane], after[1][lane]]);
                    let seen = (!bit(5)).then_some(met);
                    same(seen == one.law, || format!("graph: {seen:?}, by law {:?}: {:?}", one.law, one.agents))?;
                    let Some((_, after)) = one.law.filter(|(_, after)| self.looks(after)) else { continue };
                    let led = [&one.agents[0], &after[0], &one.agents[1], &after[1]];
                    let led = led.map(|state| self.written.is_leader(state));
                    same(led == [bit(0), bit(1), bit(2), bit(3)], || format!("who leads: {:?}", one.agents))?;
                }
            }
            Ok(meetings.len() as u64)
        })
    }

    /// Functions of the ring by law, code and graph; how many by the latter two.
    fn sets(&mut self) -> Result<(u64, u64), String> {
        let (n, mut by_code, mut by_graph) = (self.ring.n(), 0, 0);
        let program = self.program.clone();
        for function in program.sets() {
            let rings: Vec<Vec<State>> = (0..RINGS).map(|k| (0..n).map(|_| self.state(k)).collect()).collect();
            let law = |ring: &Vec<State>| {
                self.evaluator(Agents::Seen(ring)).call(function, &[Value::Ring]).ok().map(|value| truth(&value))
            };
            let law: Vec<Option<bool>> = rings.iter().map(law).collect();
            if let Some(code) = Code::set(&self.program, self.written.setting(), function) {
                for (ring, law) in rings.iter().zip(&law) {
                    let said = code.holds(ring, &mut FUEL.clone());
                    same(said.is_none() || said == *law, || format!("code: {said:?}, by law {law:?}: {ring:?}"))?;
                    by_code += u64::from(said.is_some());
                }
            }
            by_graph += in_fresh_arena(Box::new(|| None), || self.set_by_graph(function, &rings, &law))?;
        }
        Ok((by_code, by_graph))
    }

    fn set_by_graph(&self, function: usize, rings: &[Vec<State>], law: &[Option<bool>]) -> Result<u64, String> {
        let Ok(lowered) = lower::set(&self.program, self.written.setting(), function) else { return Ok(0) };
        let graph = Graph::new(&lowered, &[lowered.truth, wrong(&lowered)]);
        let agents: Vec<Vec<State>> = (0..self.ring.n()).map(|k| rings.iter().map(|ring| ring[k]).collect()).collect();
        let (_, told) = graph.see(&agents, &vec![vec![0; lowered.coins.len()]; rings.len()], 0);
        for (lane, (ring, law)) in rings.iter().zip(law).enumerate() {
            let said = (told[1] >> lane & 1 == 0).then_some(told[0] >> lane & 1 == 1);
            same(said == *law, || format!("graph: {said:?}, by law {law:?}: {ring:?}"))?;
        }
        Ok(rings.len() as u64)
    }

    /// Whole trials by the stepper and in words of every width, until nothing can happen: a random safe set is not closed, so that the step
    /// at which it is first looked at would matter.
    fn trials(&self) -> Result<u64, String> {
        let text = self.program.text.replace("def safe(u):", "@phase\ndef calm(u):");
        let program = Arc::new(ringleader_notation::read("p.py", &text).unwrap());
        let blueprint = blueprint(&program, "p.py", &judged(true));
        let instance = Instance::new(Arc::new(blueprint), self.ring.n(), &Params::default()).unwrap();
        let from = Some(Initial::Named("uniform".into()));
        let trial = Trial { phases: false, limit: Some(200), from, ..Trial::new("p.py", self.ring.n(), 1) };
        let seeds: Vec<u64> = (0..70).map(|k| mix(self.seed ^ k) >> 16).collect();
        let run = |engine| {
            let records = Records::default();
            let ran = instance.run(&trial, &seeds, engine, &records).map_err(|error| error.to_string());
            let mut records = records.0.into_inner().unwrap();
            records.sort();
            ran.map(|_| records)
        };
        let stepper = run(Engine::Stepper)?;
        for engine in [Engine::Sliced, Engine::SlicedAvx2, Engine::SlicedPortable] {
            let records = run(engine)?;
            let different = stepper.iter().zip(&records).find(|(one, other)| one != other);
            same(records == stepper, || format!("{engine:?}: {different:?}"))?;
        }
        Ok(seeds.len() as u64)
    }
}

/// Somebody who knows whether a text goes wrong.
fn judged(right: bool) -> Trouble {
    Trouble::judged(Some(Arc::new(move |_, _| if right { Judged::Right } else { Judged::Unknown })))
}

fn late() -> impl Fn() -> Option<String> {
    let begin = Instant::now();
    move || (begin.elapsed() > LONGEST).then(|| "too long".to_owned())
}

fn wrong(lowered: &Lowered) -> Lit {
    lowered.wrong.iter().fold(Lit::of(false), |some, (_, when)| some | *when)
}

/// Keeps all records, by seed.
#[derive(Default)]
struct Records(Mutex<Vec<(usize, String)>>);

impl Observer for Records {
    fn finished(&self, k: usize, record: Record) -> ControlFlow<()> {
        self.0.lock().unwrap().push((k, format!("{record:?}")));
        ControlFlow::Continue(())
    }
}

/// The circuit of a text: it does what the law says to random pairs, and is proven to be the graph; false if that takes too long.
struct InLanes<'a>(&'a Subject);

impl WithCircuit<State> for InLanes<'_> {
    type Output = Result<bool, String>;

    fn with<C: Circuit<State = State>>(self, circuit: C) -> Self::Output {
        let Subject { ring, written, seed, .. } = self.0;
        agree(written, &circuit, 1024, *seed).map_err(|difference| format!("lanes: {difference}"))?;
        let twins = Twins { name: "p.py".into(), ring: *ring, protocol: written, law: written };
        let halt = late();
        match in_fresh_arena(Box::new(late()), || twins.differ(&circuit, &mut Query::new(&halt, None))) {
            Ok(None) => Ok(true),
            Ok(Some(witness)) => Err(format!("lanes: {}: {:?}", witness.shows, witness.initial)),
            Err(Undecided::Unknown(why)) if why == "too long" => Ok(false),
            Err(undecided) => Err(format!("lanes: {undecided:?}")),
        }
    }
}

/// A graph in 64 lanes.
struct Graph<'a> {
    lowered: &'a Lowered,
    cone: Cone,
}

fn lanes(count: usize, bit: impl Fn(usize) -> bool) -> u64 {
    (0..count).fold(0, |all, lane| all | u64::from(bit(lane)) << lane)
}

impl<'a> Graph<'a> {
    fn new(lowered: &'a Lowered, told: &[Lit]) -> Self {
        let after: Vec<Lit> = lowered.after.iter().flatten().copied().collect();
        Self { lowered, cone: Cone::of(&lowered.inputs(), &[&after, told].concat()) }
    }

    /// The agents afterwards, each in all lanes, and what is told.
    fn see(&self, agents: &[Vec<State>], coins: &[Vec<u64>], oracle: u64) -> (Vec<Vec<State>>, Vec<u64>) {
        let (count, mut inputs) = (coins.len(), Vec::new());
        for (bits, states) in self.lowered.before.iter().zip(agents) {
            for k in (0..bits.len()).filter(|k| bits[*k] != Lit::of(false)) {
                inputs.push(lanes(count, |lane| states[lane].0[k / 64] >> (k % 64) & 1 == 1));
            }
        }
        for (c, bits) in self.lowered.coins.iter().enumerate() {
            inputs.extend((0..bits.len()).map(|k| lanes(count, |lane| coins[lane][c] >> k & 1 == 1)));
        }
        inputs.push(oracle);
        let outputs = self.cone.evaluate(&inputs);
        let (after, told) = outputs.split_at(128 * self.lowered.after.len());
        let word = |bits: &[u64], lane: usize| (0..64).fold(0, |word, k| word | (bits[k] >> lane & 1) << k);
        let state = |bits: &[u64], lane| State([word(&bits[..64], lane), word(&bits[64..], lane)]);
        let after = after.chunks(128).map(|bits| (0..count).map(|lane| state(bits, lane)).collect());
        (after.collect(), told.to_vec())
    }
}
