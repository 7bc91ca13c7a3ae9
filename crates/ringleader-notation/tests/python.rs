//! The law against CPython: every file of the project and hundreds of generated ones do the same in both, on random states: results,
//! coins that were read, and faults, which must be on the same line.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod generate;

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::Arc;

use ringleader::params::Params;
use ringleader::protocol::{Protocol, draw};
use ringleader::random::{Generator, Stream, below, stream};
use ringleader::ring::Ring;
use ringleader_notation::eval::{Agents, Evaluator, Fault, show};
use ringleader_notation::program::Program;
use ringleader_notation::setting::{Setting, Slot, State};
use ringleader_notation::tree::{Extra, Value};
use ringleader_notation::written::{Trouble, Written};

/// A file on a ring, with what both are asked.
struct Asked {
    text: String,
    program: Arc<Program>,
    written: Written,
    n: usize,
    params: Params,
    /// Each case as it is written for CPython, and what the law says.
    cases: Vec<(String, String)>,
}

impl Asked {
    fn new(name: &str, text: &str, n: usize, params: &Params) -> Self {
        let program = ringleader_notation::read(name, text).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
        let program = Arc::new(program);
        let ring = Ring::new(n, program.ring).unwrap();
        let written = Written::new(&program, ring, params, &Trouble::default());
        let written = written.unwrap_or_else(|error| panic!("{error}\n{text}"));
        Self { text: text.to_owned(), program, written, n, params: params.clone(), cases: Vec::new() }
    }

    fn setting(&self) -> &Setting {
        self.written.setting()
    }

    fn state(&self, generator: &mut Generator) -> State {
        let mut state = State::default();
        self.written.variables().0.iter().for_each(|variable| variable.randomise(&mut state, generator));
        state
    }

    fn json(&self, agents: &[State]) -> String {
        let variables = self.written.variables();
        let agents: Vec<String> = agents.iter().map(|state| variables.encode(state).to_string()).collect();
        format!("[{}]", agents.join(","))
    }

    /// What the law says, in the words of `judge.py`.
    fn said(&self, ran: Result<String, Box<Fault>>) -> String {
        ran.unwrap_or_else(|fault| format!("fault {}", fault.span.line))
    }

    fn interaction(&mut self, generator: &mut Generator) {
        let before = [self.state(generator), self.state(generator)];
        let slots: Vec<u64> = self.setting().coins.iter().map(Slot::size).collect();
        let drawn = draw(below(generator, slots.iter().product()), &slots);
        let coins: Vec<Value> =
            self.setting().coins.iter().zip(drawn).map(|(slot, k)| slot.value(slot.nth(k))).collect();
        let oracle = below(generator, 2) == 1;
        let mut left = coins.iter();
        let inputs = self.program.extras.iter().map(|extra| match extra {
            Extra::Coin(_) => show(left.next().unwrap(), &self.program.names),
            Extra::Oracle(_) => oracle.to_string(),
        });
        let inputs: Vec<String> = inputs.collect();
        let case = format!("[\"interact\",{},[{}]]", self.json(&before), inputs.join(","));
        let mut agents = before;
        let Setting { globals, layout, .. } = self.setting();
        let ran = Evaluator::new(&self.program, globals, layout, Agents::Held(&mut agents)).interact(&coins, oracle);
        let said = ran.map(|drawn| format!("{}{}", if drawn { "drawn " } else { "" }, self.json(&agents)));
        self.cases.push((case, self.said(said)));
    }

    /// A function of one agent or of the ring.
    fn question(&mut self, function: usize, over_ring: bool, generator: &mut Generator) {
        let count = if over_ring { self.n } else { 1 };
        let agents: Vec<State> = (0..count).map(|_| self.state(generator)).collect();
        let argument = if over_ring { Value::Ring } else { Value::Agent(0) };
        let Setting { globals, layout, .. } = self.setting();
        let ran = Evaluator::new(&self.program, globals, layout, Agents::Seen(&agents)).call(function, &[argument]);
        let said = ran.map(|value| show(&value, &self.program.names));
        let case = format!("[\"{}\",{}]", self.program.functions[function].name, self.json(&agents));
        self.cases.push((case, self.said(said)));
    }

    /// A start that draws nothing.
    fn start(&mut self, function: usize) {
        let mut agents = vec![State::default(); self.n];
        let Setting { globals, layout, .. } = self.setting();
        let ran =
            Evaluator::new(&self.program, globals, layout, Agents::Held(&mut agents)).call(function, &[Value::Ring]);
        if ran.as_ref().is_err_and(|fault| fault.what.contains("randint")) {
            return;
        }
        let said = ran.map(|_| self.json(&agents));
        let case = format!("[\"start\",\"{}\"]", self.program.functions[function].name);
        self.cases.push((case, self.said(said)));
    }

    fn ask(&mut self, count: usize, generator: &mut Generator) {
        (0..count).for_each(|_| self.interaction(generator));
        let program = self.program.clone();
        for function in program.leader.into_iter().chain(program.output) {
            (0..count.div_ceil(4)).for_each(|_| self.question(function, false, generator));
        }
        let sets = program.phases.iter().map(|phase| phase.function).chain(program.claims.iter().copied());
        for function in sets.chain(program.safe).chain(program.promise).chain(program.inputs) {
            (0..count.div_ceil(4)).for_each(|_| self.question(function, true, generator));
        }
        program.starts.iter().for_each(|&function| self.start(function));
    }
}

/// What CPython says to all cases of all files.
fn cpython(asked: &[Asked]) -> Vec<String> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let mut input = Vec::new();
    for one in asked {
        let params: Vec<String> = one.params.0.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        let cases: Vec<&str> = one.cases.iter().map(|(case, _)| case.as_str()).collect();
        input.push(format!("{}\0{}\0{{{}}}\0{}\0", one.text, one.n, params.join(","), cases.join("\0")));
    }
    let mut python = Command::new("python3");
    python.args(["-X", "utf8", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/judge.py")]);
    python.env("PYTHONPATH", format!("{root}/python")).env("PYTHONDONTWRITEBYTECODE", "1");
    let mut child = python.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("python3 is needed: it judges");
    let (mut pipe, all) = (child.stdin.take().unwrap(), input.join("\0"));
    let writer = std::thread::spawn(move || pipe.write_all(all.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// Both say the same; how many cases there were, and how many of them were faults.
fn agree(asked: &[Asked]) -> (usize, usize) {
    let said = cpython(asked);
    let ours: Vec<(&Asked, &(String, String))> =
        asked.iter().flat_map(|one| one.cases.iter().map(move |case| (one, case))).collect();
    assert_eq!(said.len(), ours.len());
    for ((one, (case, law)), python) in ours.iter().zip(&said) {
        assert_eq!(law, python, "{case}\nthe law first, then CPython\n{}", one.text);
    }
    (said.len(), said.iter().filter(|line| line.starts_with("fault")).count())
}

#[test]
fn every_file_does_the_same_in_cpython() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../protocols");
    let mut asked = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let (name, text) = (path.file_name().unwrap().to_str().unwrap(), std::fs::read_to_string(&path).unwrap());
        for n in [3, 5, 8] {
            let mut one = Asked::new(name, &text, n, &Params::default());
            one.ask(150, &mut stream(n as u64, Stream::Start));
            asked.push(one);
        }
    }
    assert_eq!(asked.len(), 3 * 14);
    let (cases, faults) = agree(&asked);
    assert!(cases > 14_000 && faults == 9, "{cases} cases, {faults} faults");
}

#[test]
fn generated_files_do_the_same_in_cpython() {
    let mut asked = Vec::new();
    for seed in 0..600 {
        let (text, n) = generate::protocol(seed);
        let mut one = Asked::new("p.py", &text, n, &Params::default());
        one.ask(40, &mut stream(seed, Stream::Start));
        asked.push(one);
    }
    let (cases, faults) = agree(&asked);
    let without = asked.iter().filter(|one| one.cases.iter().all(|(_, law)| !law.starts_with("fault"))).count();
    assert!(cases > 20_000 && faults > 500 && without > 200, "{cases} cases, {faults} faults, {without} without any");
}
