//! Code against the law: every file of the project and hundreds of generated ones, on random states and at the ends of domains: the agents
//! afterwards, whether a coin was read, what sets say, and that code gives up wherever the law faults.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod generate;

use std::sync::Arc;

use ringleader::agree::pool;
use ringleader::params::Params;
use ringleader::protocol::{Input, Transition, draw};
use ringleader::random::{Generator, Stream, below, index, stream};
use ringleader::ring::Ring;
use ringleader_notation::code::{Asked, Code};
use ringleader_notation::eval::{Agents, Evaluator, truth};
use ringleader_notation::program::Program;
use ringleader_notation::setting::{Slot, State};
use ringleader_notation::tree::Value;
use ringleader_notation::written::{Trouble, Written};

const FUEL: u64 = 1 << 28;

struct Text {
    program: Arc<Program>,
    written: Written,
    pool: Vec<State>,
}

/// How often the law faulted, code gave up although it did not, and code did it.
#[derive(Debug, Default, PartialEq)]
struct Tally {
    faults: usize,
    left: usize,
    done: usize,
}

impl Text {
    fn new(text: &str, n: usize) -> Self {
        let program = Arc::new(ringleader_notation::read("p.py", text).unwrap());
        let ring = Ring::new(n, program.ring).unwrap();
        let written = Written::new(&program, ring, &Params::default(), &Trouble::default()).unwrap();
        let pool = pool(&written, n as u64);
        Self { program, written, pool }
    }

    fn evaluator<'a>(&'a self, agents: Agents<'a>) -> Evaluator<'a> {
        let setting = self.written.setting();
        Evaluator::new(&self.program, &setting.globals, &setting.layout, agents)
    }

    /// A state from every second place of the pool, which are of one kind.
    fn state(&self, kind: usize, generator: &mut Generator) -> State {
        self.pool[2 * index(generator, self.pool.len() / 2) + kind % 2]
    }

    fn meet(&self, code: &Code, [l, r]: [State; 2], input: Input, tally: &mut Tally) -> Result<(), String> {
        let slots = &self.written.setting().coins;
        let asked = Asked { coins: slots, coin: input.coin, leader: input.leader };
        let met = code.meet(&l, &r, asked, &mut FUEL.clone());
        let mut agents = [l, r];
        let drawn = draw(input.coin, &slots.iter().map(Slot::size).collect::<Vec<_>>());
        let coins: Vec<Value> = slots.iter().zip(drawn).map(|(slot, k)| slot.value(slot.nth(k))).collect();
        let law = self.evaluator(Agents::Held(&mut agents)).interact(&coins, input.leader);
        match (&law, met) {
            (Err(_), None) => tally.faults += 1,
            (Ok(_), None) => tally.left += 1,
            (Ok(read), Some(met)) if met == (*read, agents) => tally.done += 1,
            _ => return Err(format!("{l:?} meets {r:?}, {input:?}: {met:?}, by law {law:?} {agents:?}")),
        }
        Ok(())
    }

    fn interactions(&self, code: &Code, count: usize, generator: &mut Generator) -> Result<Tally, String> {
        let mut tally = Tally::default();
        for k in 0..count {
            let states = [self.state(k, generator), self.state(k, generator)];
            let input = Input { coin: below(generator, self.written.coins()), leader: below(generator, 2) == 1 };
            self.meet(code, states, input, &mut tally)?;
        }
        Ok(tally)
    }

    fn holds(&self, function: usize, code: &Code, config: &[State], tally: &mut Tally) -> Result<(), String> {
        let said = code.holds(config, &mut FUEL.clone());
        let law = self.evaluator(Agents::Seen(config)).call(function, &[Value::Ring]).map(|value| truth(&value));
        match (&law, said) {
            (Err(_), None) => tally.faults += 1,
            (Ok(_), None) => tally.left += 1,
            (Ok(law), Some(said)) if *law == said => tally.done += 1,
            _ => {
                let name = &self.program.functions[function].name;
                return Err(format!("{name} of {config:?}: {said:?}, by law {law:?}"));
            }
        }
        Ok(())
    }

    /// On random rings, and on the way of some runs, where sets begin to hold.
    fn set(&self, function: usize, count: usize, generator: &mut Generator) -> Option<Result<Tally, String>> {
        let code = Code::set(&self.program, self.written.setting(), function)?;
        let (n, mut tally) = (self.written.setting().n, Tally::default());
        let random = (0..count).map(|k| (0..n).map(|_| self.state(k, generator)).collect::<Vec<State>>());
        let mut configs: Vec<Vec<State>> = random.collect();
        let starts: Vec<Vec<State>> = configs[..2].iter().cloned().chain([vec![State::default(); n]]).collect();
        for start in starts {
            configs.extend(self.way(start, generator));
        }
        let said = configs.iter().try_for_each(|config| self.holds(function, &code, config, &mut tally));
        Some(said.map(|()| tally))
    }

    /// Configurations of a run.
    fn way(&self, mut config: Vec<State>, generator: &mut Generator) -> Vec<Vec<State>> {
        let n = config.len();
        let step = |k: usize| {
            let (i, coin) = (index(generator, n), below(generator, self.written.coins()));
            let (mut l, mut r) = (config[i], config[(i + 1) % n]);
            self.written.interact(&mut l, &mut r, Input { coin, leader: !k.is_multiple_of(3) });
            (config[i], config[(i + 1) % n]) = (l, r);
            k.is_multiple_of(16 * n).then(|| config.clone())
        };
        (0..400 * n).filter_map(step).collect()
    }

    fn sets(&self) -> Vec<usize> {
        let program = &self.program;
        let phases = program.phases.iter().map(|phase| phase.function).chain(program.claims.iter().copied());
        phases.chain(program.safe).chain(program.promise).chain(program.inputs).collect()
    }
}

fn file(name: &str) -> String {
    std::fs::read_to_string(format!("{}/../../protocols/{name}.py", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn files() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../protocols");
    let name = |path: std::path::PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    std::fs::read_dir(folder).unwrap().map(|entry| name(entry.unwrap().path())).collect()
}

/// Whether code looks after what goes wrong or not, since nothing does in these files.
#[test]
fn every_file_is_its_code() {
    for name in files() {
        for n in [3, 5, 8] {
            let text = Text::new(&file(&name), n);
            let mut generator = stream(n as u64, Stream::Start);
            for proven in [false, true] {
                let code = Code::interact(&text.program, text.written.setting(), proven).unwrap();
                let tally = text.interactions(&code, 3000, &mut generator);
                assert_eq!(tally, Ok(Tally { done: 3000, ..Tally::default() }), "{name}, n = {n}");
            }
            for function in text.sets() {
                let tally =
                    text.set(function, 40, &mut generator).unwrap().unwrap_or_else(|why| panic!("{name}: {why}"));
                assert_eq!((tally.faults, tally.left), (0, 0), "{name}, n = {n}");
            }
        }
    }
}

#[test]
fn generated_files_are_their_codes() {
    let (mut all, mut sets, mut hard) = (Tally::default(), Tally::default(), 0);
    let add = |all: &mut Tally, tally: Tally| {
        (all.faults, all.left, all.done) = (all.faults + tally.faults, all.left + tally.left, all.done + tally.done);
    };
    for seed in 0..250 {
        let (source, n) = generate::protocol(seed);
        let text = Text::new(&source, n);
        let mut generator = stream(seed, Stream::Start);
        match Code::interact(&text.program, text.written.setting(), false) {
            Some(code) => match text.interactions(&code, 100, &mut generator) {
                Ok(tally) => add(&mut all, tally),
                Err(why) => panic!("{why}\n{source}"),
            },
            None => hard += 1,
        }
        for function in text.sets() {
            match text.set(function, 20, &mut generator) {
                Some(Ok(tally)) => add(&mut sets, tally),
                Some(Err(why)) => panic!("{why}\n{source}"),
                None => hard += 1,
            }
        }
    }
    assert!(all.faults > 2000 && all.done > 15_000 && all.left < 2500 && hard == 0, "{all:?}, {hard} too hard");
    assert!(sets.faults > 1000 && sets.done > 10 * sets.left, "{sets:?}");
}
