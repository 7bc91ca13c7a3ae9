//! Graphs as files of other tools: what is read back does what the law does, on random states, bit by bit and name by name.
//!
//! A reader of the ASCII form that knows nothing of graphs is here. The readings of others run only when asked, as `scripts/check` does:
//! `cargo test -p ringleader-notation --test netlist -- --ignored` installs py-aiger with pip and unpacks Debian's ABC.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use ringleader::params::Params;
use ringleader::protocol::Protocol;
use ringleader::random::{Generator, Stream, below, stream};
use ringleader::ring::Ring;
use ringleader_notation::eval::{Agents, Evaluator, truth};
use ringleader_notation::graph::in_fresh_arena;
use ringleader_notation::netlist::{self, Netlist};
use ringleader_notation::program::Program;
use ringleader_notation::setting::{Cell, Layout, Slot, State};
use ringleader_notation::tree::Value;
use ringleader_notation::written::{Trouble, Written};

struct Text {
    program: Arc<Program>,
    law: Written,
}

type Bits = HashMap<String, bool>;

impl Text {
    fn new(name: &str, n: usize) -> Self {
        let path = format!("{}/../../protocols/{name}.py", env!("CARGO_MANIFEST_DIR"));
        let program = Arc::new(ringleader_notation::read(name, &std::fs::read_to_string(path).unwrap()).unwrap());
        let ring = Ring::new(n, program.ring).unwrap();
        let law = Written::new(&program, ring, &Params::default(), &Trouble::default()).unwrap();
        Self { program, law }
    }

    fn interaction(&self) -> Netlist {
        in_fresh_arena(Box::new(|| None), || netlist::interact(&self.program, self.law.setting()).unwrap())
    }

    fn safe(&self) -> Netlist {
        let function = self.program.safe.unwrap();
        in_fresh_arena(Box::new(|| None), || netlist::set(&self.program, self.law.setting(), function).unwrap())
    }

    fn states(&self, count: usize, generator: &mut Generator) -> Vec<State> {
        let variables = self.law.variables();
        let state = |_| {
            let mut state = State::default();
            variables.0.iter().for_each(|variable| variable.randomise(&mut state, generator));
            state
        };
        (0..count).map(state).collect()
    }

    /// A random interaction: the inputs by name, and what the law makes of them.
    fn interacts(&self, generator: &mut Generator) -> [Bits; 2] {
        let setting = self.law.setting();
        let before = self.states(2, generator);
        let locals = &self.program.functions[self.program.interact].locals;
        let (mut inputs, mut coins) = (Bits::new(), Vec::new());
        (0..2).for_each(|agent| name(&setting.layout, &locals[agent], &before[agent], &mut inputs));
        let oracle = below(generator, 2) == 1;
        let mut slots = setting.coins.iter();
        for (local, extra) in locals[2..].iter().zip(&self.program.extras) {
            match extra {
                ringleader_notation::tree::Extra::Oracle(_) => inputs.extend([(local.clone(), oracle)]),
                ringleader_notation::tree::Extra::Coin(_) => {
                    let slot: &Slot = slots.next().unwrap();
                    let place = below(generator, slot.size());
                    coins.push(slot.value(slot.nth(place)));
                    inputs.extend((0..64).map(|k| (format!("{local}[{k}]"), place >> k & 1 == 1)));
                }
            }
        }
        let mut agents = [before[0], before[1]];
        let held = Agents::Held(&mut agents);
        Evaluator::new(&self.program, &setting.globals, &setting.layout, held).interact(&coins, oracle).unwrap();
        let mut outputs = Bits::new();
        for (agent, local) in locals.iter().take(2).enumerate() {
            name(&setting.layout, &format!("next.{local}"), &agents[agent], &mut outputs);
            outputs.insert(format!("leads.{local}"), self.law.is_leader(&before[agent]));
            outputs.insert(format!("leads.next.{local}"), self.law.is_leader(&agents[agent]));
        }
        let says = |agents: &[State]| agents.iter().map(|state| self.law.output(state)).collect::<Vec<_>>();
        outputs.insert("changed".into(), says(&before) != says(&agents));
        outputs.extend([("wrong".into(), false), ("valid".into(), true)]);
        [inputs, outputs]
    }

    /// A random configuration, and whether it is safe.
    fn is_safe(&self, generator: &mut Generator) -> [Bits; 2] {
        let setting = self.law.setting();
        let config = self.states(setting.n, generator);
        let mut inputs = Bits::new();
        (0..config.len()).for_each(|k| name(&setting.layout, &format!("u{k}"), &config[k], &mut inputs));
        let function = self.program.safe.unwrap();
        let mut law = Evaluator::new(&self.program, &setting.globals, &setting.layout, Agents::Seen(&config));
        let safe = truth(&law.call(function, &[Value::Ring]).unwrap());
        let name = self.program.functions[function].name.clone();
        [inputs, Bits::from([(name, safe), ("wrong".into(), false), ("valid".into(), true)])]
    }
}

/// The bits of a state by name.
fn name(layout: &Layout, agent: &str, state: &State, bits: &mut Bits) {
    let mut slot = |name: String, slot: &Slot| {
        let raw = state.0[slot.word] >> slot.shift & slot.mask;
        bits.extend((0..slot.mask.count_ones()).map(|k| (format!("{name}[{k}]"), raw >> k & 1 == 1)));
    };
    for (name, cell) in layout.fields.iter().flat_map(|field| &field.cells) {
        match cell {
            Cell::One(one) => slot(format!("{agent}.{name}"), one),
            Cell::Maybe(there, parts) => {
                slot(format!("{agent}.{name}.is_there"), there);
                parts.iter().enumerate().for_each(|(k, part)| slot(format!("{agent}.{name}.{k}"), part));
            }
        }
    }
}

/// The outputs of an AIGER file for these inputs, by name.
fn read(text: &str, inputs: &Bits) -> Bits {
    let mut lines = text.lines();
    let header: Vec<usize> = lines.next().unwrap().split(' ').skip(1).map(|word| word.parse().unwrap()).collect();
    let [most, ins, latches, outs, ands] = header[..] else { panic!("{header:?}") };
    assert_eq!((most, latches), (ins + ands, 0));
    let numbers = |line: &str| line.split(' ').map(|word| word.parse().unwrap()).collect::<Vec<usize>>();
    let of_inputs: Vec<usize> = (0..ins).map(|_| numbers(lines.next().unwrap())[0]).collect();
    let of_outputs: Vec<usize> = (0..outs).map(|_| numbers(lines.next().unwrap())[0]).collect();
    let gates: Vec<Vec<usize>> = (0..ands).map(|_| numbers(lines.next().unwrap())).collect();
    let symbols: HashMap<&str, &str> =
        lines.take_while(|line| *line != "c").filter_map(|line| line.split_once(' ')).collect();
    let mut values = vec![false; most + 1];
    for (k, literal) in of_inputs.iter().enumerate() {
        values[literal / 2] = inputs[symbols[&*format!("i{k}")]];
    }
    let of = |values: &[bool], literal: usize| values[literal / 2] ^ (literal % 2 == 1);
    for gate in &gates {
        assert!(gate[0] > gate[1] && gate[1] >= gate[2], "in order");
        values[gate[0] / 2] = of(&values, gate[1]) & of(&values, gate[2]);
    }
    (0..outs).map(|k| (symbols[&*format!("o{k}")].to_owned(), of(&values, of_outputs[k]))).collect()
}

/// The outputs that a net list has are as the law says.
fn same(read: &Bits, law: &Bits) -> bool {
    read.iter().all(|(name, value)| law.get(name) == Some(value))
}

#[test]
fn what_is_written_does_what_the_law_does() {
    for file in ["aaf", "elim", "fj", "pcl", "por", "ppl", "undirected", "ysm"] {
        let text = Text::new(file, 4);
        let (interaction, safe) = (text.interaction().aag(), text.safe().aag());
        let mut generator = stream(7, Stream::Start);
        for _ in 0..50 {
            let [inputs, outputs] = text.interacts(&mut generator);
            assert!(same(&read(&interaction, &inputs), &outputs), "{file}");
            let [inputs, outputs] = text.is_safe(&mut generator);
            assert!(same(&read(&safe, &inputs), &outputs), "{file}");
        }
    }
}

#[test]
fn a_conjunction_that_is_wrong_is_noticed() {
    let text = Text::new("fj", 4);
    let right = text.interaction().aag();
    let mut lines: Vec<String> = right.lines().map(str::to_owned).collect();
    let ins: usize = lines[0].split(' ').nth(2).unwrap().parse().unwrap();
    let outs: usize = lines[0].split(' ').nth(4).unwrap().parse().unwrap();
    let gate: Vec<usize> = lines[1 + ins + outs].split(' ').map(|word| word.parse().unwrap()).collect();
    lines[1 + ins + outs] = format!("{} {} {}", gate[0], gate[1], gate[2] ^ 1);
    let wrong = lines.join("\n");
    let mut generator = stream(7, Stream::Start);
    let noticed = (0..200).any(|_| {
        let [inputs, outputs] = text.interacts(&mut generator);
        !same(&read(&wrong, &inputs), &outputs)
    });
    assert!(noticed);
}

// --- The readings of others -----------------------------------------------------------------------------------

fn workshop(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {text}{errors}");
    text.into_owned()
}

/// Reads a file, and lines of inputs and outputs that are 1; says how many lines are as it has it.
const PY_AIGER: &str = r"
import aiger, sys
circuit = aiger.load(sys.argv[1])
good = 0
for line in open(sys.argv[2]):
    inputs, outputs = (set(half.split()) for half in line.split(';'))
    said = circuit({name: name in inputs for name in circuit.inputs})[0]
    good += all(value == (name in outputs) for name, value in said.items())
print(good)
";

#[test]
#[ignore = "installs py-aiger with pip"]
fn py_aiger_reads_what_the_law_does() {
    let directory = workshop("py-aiger");
    let python = directory.join("venv/bin/python");
    if !python.exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(directory.join("venv")));
    }
    run(Command::new(&python).args(["-m", "pip", "install", "-q", "py-aiger==8.1.0", "setuptools<81"]));
    std::fs::write(directory.join("read.py"), PY_AIGER).unwrap();
    for file in ["fj", "elim", "pcl", "ppl"] {
        let text = Text::new(file, 4);
        let mut generator = stream(9, Stream::Start);
        let mut check = |kind: &str, netlist: &Netlist, ask: &mut dyn FnMut(&mut Generator) -> [Bits; 2]| {
            let ones =
                |bits: &Bits| bits.iter().filter(|bit| *bit.1).map(|bit| bit.0.as_str()).collect::<Vec<_>>().join(" ");
            let mut line = |_| {
                let [inputs, outputs] = ask(&mut generator);
                format!("{};{}\n", ones(&inputs), ones(&outputs))
            };
            let lines: String = (0..40).map(&mut line).collect();
            let (aag, cases) =
                (directory.join(format!("{file}-{kind}.aag")), directory.join(format!("{file}-{kind}.txt")));
            std::fs::write(&aag, netlist.aag()).unwrap();
            std::fs::write(&cases, lines).unwrap();
            let good = run(Command::new(&python).arg(directory.join("read.py")).arg(&aag).arg(&cases));
            assert_eq!(good.trim(), "40", "{file} {kind}");
        };
        check("interact", &text.interaction(), &mut |generator| text.interacts(generator));
        check("safe", &text.safe(), &mut |generator| text.is_safe(generator));
    }
}

#[test]
#[ignore = "unpacks ABC from Debian"]
fn abc_finds_both_forms_equivalent() {
    let directory = workshop("abc");
    let abc = directory.join("root/usr/bin/berkeley-abc");
    if !abc.exists() {
        run(Command::new("apt-get").args(["download", "berkeley-abc"]).current_dir(&directory));
        let mut files = std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path());
        let package = files.find(|path| path.extension().is_some_and(|ending| ending == "deb")).unwrap();
        run(Command::new("dpkg").arg("-x").arg(package).arg(directory.join("root")));
    }
    let equivalent = |aig: &Path, blif: &Path| {
        let script = format!("cec -n {} {}", aig.display(), blif.display());
        run(Command::new(&abc).arg("-c").arg(script)).contains("Networks are equivalent")
    };
    for file in ["aaf", "elim", "fj", "pcl", "por", "ppl", "undirected", "ysm"] {
        let text = Text::new(file, 4);
        for (kind, netlist) in [("interact", text.interaction()), ("safe", text.safe())] {
            let path = |ending: &str| directory.join(format!("{file}-{kind}.{ending}"));
            std::fs::write(path("aig"), netlist.aig()).unwrap();
            std::fs::write(path("blif"), netlist.blif()).unwrap();
            assert!(equivalent(&path("aig"), &path("blif")), "{file} {kind}");
        }
    }
    // One that is not.
    let (aig, blif) = (directory.join("fj-interact.aig"), directory.join("wrong.blif"));
    let right = std::fs::read_to_string(directory.join("fj-interact.blif")).unwrap();
    std::fs::write(&blif, right.replacen("11 1", "10 1", 1)).unwrap();
    assert!(!equivalent(&aig, &blif));
}
