//! The graph against the law: every file of the project and hundreds of generated ones, on random states, 64 at a time: the agents
//! afterwards, whether a coin was read, what sets say, and exactly where the law faults something is wrong in the graph.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod generate;

use std::sync::Arc;

use ringleader::params::Params;
use ringleader::protocol::{Protocol, draw};
use ringleader::random::{Generator, Stream, below, stream};
use ringleader::ring::Ring;
use ringleader_notation::eval::{Agents, Evaluator, Fault, truth};
use ringleader_notation::graph::{Cone, Lit, in_fresh_arena};
use ringleader_notation::lower::{self, Bits, Lowered};
use ringleader_notation::program::Program;
use ringleader_notation::setting::{Slot, State};
use ringleader_notation::tree::Value;
use ringleader_notation::written::{Trouble, Written};

const LANES: usize = 64;

struct Text {
    program: Arc<Program>,
    written: Written,
}

/// What is computed for 64 inputs at once.
struct Seen {
    after: Vec<Vec<State>>,
    drawn: u64,
    truth: u64,
    wrong: u64,
}

impl Text {
    fn new(text: &str, n: usize, params: &Params) -> Self {
        let program = Arc::new(ringleader_notation::read("p.py", text).unwrap());
        let ring = Ring::new(n, program.ring).unwrap();
        let written = Written::new(&program, ring, params, &Trouble::default()).unwrap();
        Self { program, written }
    }

    fn states(&self, count: usize, generator: &mut Generator) -> Vec<State> {
        let variables = self.written.variables();
        let state = |_| {
            let mut state = State::default();
            variables.0.iter().for_each(|variable| variable.randomise(&mut state, generator));
            state
        };
        (0..count).map(state).collect()
    }

    fn evaluator<'a>(&'a self, agents: Agents<'a>) -> Evaluator<'a> {
        let setting = self.written.setting();
        Evaluator::new(&self.program, &setting.globals, &setting.layout, agents)
    }

    /// Asks who leads and what is said of two agents.
    fn look(&self, agents: [State; 2]) -> Result<(), Box<Fault>> {
        let functions = self.program.leader.into_iter().chain(self.program.output);
        functions.flat_map(|function| [(function, 0), (function, 1)]).try_for_each(|(function, agent)| {
            self.evaluator(Agents::Seen(&agents)).call(function, &[Value::Agent(agent)]).map(drop)
        })
    }

    /// The law and the graph say the same of interactions; how many of them faulted.
    fn interactions(&self, batches: usize, generator: &mut Generator) -> Result<usize, String> {
        let lowered = lower::interact(&self.program, self.written.setting()).map_err(|hard| hard.why.to_owned())?;
        let reader = Reader::new(&lowered);
        let mut faults = 0;
        for _ in 0..batches {
            let before: Vec<Vec<State>> = (0..2).map(|_| self.states(LANES, generator)).collect();
            let slots = &self.written.setting().coins;
            let sizes: Vec<u64> = slots.iter().map(Slot::size).collect();
            let coins: Vec<Vec<u64>> =
                (0..LANES).map(|_| draw(below(generator, sizes.iter().product()), &sizes)).collect();
            let oracle = below(generator, u64::MAX);
            let seen = reader.see(&before, &coins, oracle);
            for lane in 0..LANES {
                let mut agents = [before[0][lane], before[1][lane]];
                let drawn: Vec<Value> =
                    slots.iter().zip(&coins[lane]).map(|(slot, k)| slot.value(slot.nth(*k))).collect();
                let ran = self.evaluator(Agents::Held(&mut agents)).interact(&drawn, oracle >> lane & 1 == 1);
                // Who leads and what is said is asked before and after, and that can go wrong, too.
                let ran = ran.and_then(|drawn| self.look([before[0][lane], before[1][lane]]).map(|()| drawn));
                faults += usize::from(ran.is_err());
                let same = match ran {
                    Err(_) => seen.wrong >> lane & 1 == 1,
                    Ok(drawn) => {
                        seen.wrong >> lane & 1 == 0
                            && (seen.drawn >> lane & 1 == 1) == drawn
                            && (0..2).all(|agent| seen.after[agent][lane] == agents[agent])
                    }
                };
                if !same {
                    return Err(format!("{:?} {:?}: {ran:?} by law", before[0][lane], before[1][lane]));
                }
            }
        }
        Ok(faults)
    }

    /// The same of a function of the ring; `None` if it is too hard.
    fn set(&self, function: usize, generator: &mut Generator) -> Option<Result<(), String>> {
        let lowered = lower::set(&self.program, self.written.setting(), function).ok()?;
        let before: Vec<Vec<State>> = (0..self.written.setting().n).map(|_| self.states(LANES, generator)).collect();
        let seen = Reader::new(&lowered).see(&before, &vec![vec![0; lowered.coins.len()]; LANES], 0);
        for lane in 0..LANES {
            let config: Vec<State> = before.iter().map(|agent| agent[lane]).collect();
            let ran = self.evaluator(Agents::Seen(&config)).call(function, &[Value::Ring]);
            let said = ran.ok().map(|value| truth(&value));
            let graph = (seen.wrong >> lane & 1 == 0).then_some(seen.truth >> lane & 1 == 1);
            if said != graph {
                let name = &self.program.functions[function].name;
                return Some(Err(format!("{name} of {config:?}: {said:?} by law, {graph:?} in the graph")));
            }
        }
        Some(Ok(()))
    }
}

/// A graph that is evaluated.
struct Reader {
    cone: Cone,
    agents: usize,
    before: Vec<Bits>,
    coins: Vec<Bits>,
}

impl Reader {
    fn new(lowered: &Lowered) -> Self {
        let wrong = lowered.wrong.iter().fold(Lit::of(false), |some, (_, when)| some | *when);
        let after = lowered.after.iter().flatten().copied();
        let outputs: Vec<Lit> = after.chain([lowered.drawn, lowered.truth, wrong]).collect();
        let cone = Cone::of(&lowered.inputs(), &outputs);
        Self { cone, agents: lowered.after.len(), before: lowered.before.clone(), coins: lowered.coins.clone() }
    }

    fn see(&self, before: &[Vec<State>], coins: &[Vec<u64>], oracle: u64) -> Seen {
        let lanes =
            |bit: &dyn Fn(usize) -> bool| (0..LANES).fold(0_u64, |all, lane| all | u64::from(bit(lane)) << lane);
        let mut inputs = Vec::new();
        for (bits, states) in self.before.iter().zip(before) {
            for k in (0..bits.len()).filter(|k| bits[*k] != Lit::of(false)) {
                inputs.push(lanes(&|lane| states[lane].0[k / 64] >> (k % 64) & 1 == 1));
            }
        }
        for (c, bits) in self.coins.iter().enumerate() {
            inputs.extend((0..bits.len()).map(|k| lanes(&|lane| coins[lane][c] >> k & 1 == 1)));
        }
        inputs.push(oracle);
        let outputs = self.cone.evaluate(&inputs);
        let state = |agent: usize, lane: usize| {
            let word =
                |w: usize| (0..64).fold(0, |word, k| word | (outputs[128 * agent + 64 * w + k] >> lane & 1) << k);
            State([word(0), word(1)])
        };
        let after = (0..self.agents).map(|agent| (0..LANES).map(|lane| state(agent, lane)).collect()).collect();
        let at = 128 * self.agents;
        Seen { after, drawn: outputs[at], truth: outputs[at + 1], wrong: outputs[at + 2] }
    }
}

fn in_arena<T>(work: impl FnOnce() -> T) -> T {
    in_fresh_arena(Box::new(|| None), work)
}

fn file(name: &str) -> String {
    std::fs::read_to_string(format!("{}/../../protocols/{name}.py", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn every_file_is_its_graph() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../protocols");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        for n in [3, 5, 8] {
            let text = Text::new(&file(name), n, &Params::default());
            let mut generator = stream(n as u64, Stream::Start);
            let faults = in_arena(|| text.interactions(40, &mut generator));
            assert_eq!(faults, Ok(0), "{name}, n = {n}");
            let program = text.program.clone();
            let phases = program.phases.iter().map(|phase| phase.function).chain(program.claims.iter().copied());
            for function in phases.chain(program.safe).chain(program.promise) {
                let same = in_arena(|| text.set(function, &mut generator));
                assert_eq!(same, Some(Ok(())), "{name}, n = {n}");
            }
        }
    }
}

#[test]
fn generated_files_are_their_graphs() {
    let (mut faults, mut hard, mut sets) = (0, 0, 0);
    for seed in 0..500 {
        let (source, n) = generate::protocol(seed);
        let text = Text::new(&source, n, &Params::default());
        let mut generator = stream(seed, Stream::Start);
        match in_arena(|| text.interactions(2, &mut generator)) {
            Ok(found) => faults += found,
            Err(why) if why.contains("by law") => panic!("seed {seed}: {why}\n{source}"),
            Err(_) => hard += 1,
        }
        for function in text.program.phases.iter().map(|phase| phase.function).chain(text.program.safe) {
            match in_arena(|| text.set(function, &mut generator)) {
                Some(Ok(())) => sets += 1,
                Some(Err(why)) => panic!("{why}\n{source}"),
                None => hard += 1,
            }
        }
    }
    assert!(faults > 1000 && sets > 800 && hard < 200, "{faults} faults, {sets} sets, {hard} too hard");
}

/// One sign of one line changed in the text that the graph is made from, but not in the law.
#[test]
fn a_wrong_graph_is_noticed() {
    let right = Text::new(&file("ppl"), 8, &Params::default());
    for (from, to) in [("l.dist + 1", "l.dist + 2"), ("r.leader == 1", "r.leader == 0"), ("[c]", "[1 - c]")] {
        let source = file("ppl");
        assert!(source.contains(from), "{from}");
        let program = Arc::new(ringleader_notation::read("p.py", &source.replacen(from, to, 1)).unwrap());
        let other = Text { program: right.program.clone(), written: right.written.clone() };
        let noticed = in_arena(|| {
            let lowered = lower::interact(&program, right.written.setting()).unwrap();
            let reader = Reader::new(&lowered);
            let mut generator = stream(1, Stream::Start);
            (0..40).any(|_| {
                let before: Vec<Vec<State>> = (0..2).map(|_| other.states(LANES, &mut generator)).collect();
                let seen = reader.see(&before, &vec![Vec::new(); LANES], 0);
                (0..LANES).any(|lane| {
                    let mut agents = [before[0][lane], before[1][lane]];
                    other.evaluator(Agents::Held(&mut agents)).interact(&[], false).unwrap();
                    (0..2).any(|agent| seen.after[agent][lane] != agents[agent])
                })
            })
        });
        assert!(noticed, "{from} -> {to}");
    }
}
