//! The graph of a text for other tools: AIGER, in its ASCII and its binary form, and BLIF, with a name for every input and output.
//!
//! A bit of a variable is called `l.dist[0]`, lowest first, those of an interaction's outcome `next.l.dist[0]`. The bits of a variable are a
//! number that is 0 for the value which counts as zero and goes up from there, modulo a power of 2; those of a coin are its place among
//! the values. Not all bits are values: the output `valid` says whether the inputs are, and nothing else means anything where it is 0.

use std::fmt::Write;

use ringleader::circuit::Bit;

use crate::graph::{Cone, Gate, Lit};
use crate::lower::{self, Bits, TooHard};
use crate::program::Program;
use crate::setting::{Cell, Setting, Slot};

/// A graph with names.
#[derive(Clone, Debug)]
pub struct Netlist {
    /// What it is, in a line.
    pub about: String,
    /// The names of the inputs.
    pub inputs: Vec<String>,
    /// The names of the outputs.
    pub outputs: Vec<String>,
    /// The gates.
    pub cone: Cone,
}

/// One interaction of two agents, in the arena of the thread.
///
/// # Errors
/// If the text is too hard.
pub fn interact(program: &Program, setting: &Setting) -> Result<Netlist, Box<TooHard>> {
    let lowered = lower::interact(program, setting)?;
    let function = &program.functions[program.interact];
    let mut drawn = Names::default();
    for (agent, name) in function.locals.iter().take(2).enumerate() {
        drawn.agent(setting, name, &lowered.before[agent]);
    }
    let (mut coins, mut outputs) = (lowered.coins.iter(), Names::default());
    for (name, extra) in function.locals.iter().skip(2).zip(&program.extras) {
        match extra {
            crate::tree::Extra::Oracle(_) => drawn.one(name.clone(), lowered.oracle),
            crate::tree::Extra::Coin(_) => drawn.bits(name, coins.next().map_or(&[], Vec::as_slice)),
        }
    }
    for (agent, name) in function.locals.iter().take(2).enumerate() {
        outputs.agent(setting, &format!("next.{name}"), &lowered.after[agent]);
    }
    for (name, [before, after]) in function.locals.iter().zip(&lowered.leads).filter(|_| program.leader.is_some()) {
        outputs.one(format!("leads.{name}"), *before);
        outputs.one(format!("leads.next.{name}"), *after);
    }
    outputs.one("changed".to_owned(), lowered.changed);
    outputs.one("wrong".to_owned(), lowered.wrong.iter().fold(Lit::ZERO, |some, (_, when)| some | *when));
    outputs.one("valid".to_owned(), lowered.demands.iter().fold(Lit::ONE, |all, demand| all & demand.holds));
    Ok(netlist(format!("{}, one interaction, n = {}", program.file, setting.n), drawn, outputs))
}

/// A function of the ring, in the arena of the thread.
///
/// # Errors
/// If it is too hard.
pub fn set(program: &Program, setting: &Setting, function: usize) -> Result<Netlist, Box<TooHard>> {
    let lowered = lower::set(program, setting, function)?;
    let (mut agents, mut outputs) = (Names::default(), Names::default());
    for (k, bits) in lowered.before.iter().enumerate() {
        agents.agent(setting, &format!("u{k}"), bits);
    }
    let name = &program.functions[function].name;
    outputs.one(name.clone(), lowered.truth);
    outputs.one("wrong".to_owned(), lowered.wrong.iter().fold(Lit::ZERO, |some, (_, when)| some | *when));
    // Coins are inputs of interactions only.
    let about = |demand: &&crate::graph::Demand| demand.bits.iter().all(|bit| agents.lits.contains(bit));
    let valid = lowered.demands.iter().filter(about).fold(Lit::ONE, |all, demand| all & demand.holds);
    outputs.one("valid".to_owned(), valid);
    Ok(netlist(format!("{}, {name}, n = {}", program.file, setting.n), agents, outputs))
}

fn netlist(about: String, inputs: Names, outputs: Names) -> Netlist {
    let cone = Cone::of(&inputs.lits, &outputs.lits);
    Netlist { about, inputs: inputs.names, outputs: outputs.names, cone }
}

/// Literals with their names.
#[derive(Default)]
struct Names {
    names: Vec<String>,
    lits: Vec<Lit>,
}

impl Names {
    fn one(&mut self, name: String, lit: Lit) {
        self.names.push(name);
        self.lits.push(lit);
    }

    fn bits(&mut self, name: &str, bits: &[Lit]) {
        bits.iter().enumerate().for_each(|(k, &bit)| self.one(format!("{name}[{k}]"), bit));
    }

    fn slot(&mut self, name: &str, slot: &Slot, bits: &Bits) {
        let first = 64 * slot.word + slot.shift as usize;
        self.bits(name, &bits[first..first + slot.mask.count_ones() as usize]);
    }

    /// The bits of all variables of an agent.
    fn agent(&mut self, setting: &Setting, agent: &str, bits: &Bits) {
        for (name, cell) in setting.layout.fields.iter().flat_map(|field| &field.cells) {
            match cell {
                Cell::One(slot) => self.slot(&format!("{agent}.{name}"), slot, bits),
                Cell::Maybe(there, parts) => {
                    self.slot(&format!("{agent}.{name}.is_there"), there, bits);
                    for (k, part) in parts.iter().enumerate() {
                        self.slot(&format!("{agent}.{name}.{k}"), part, bits);
                    }
                }
            }
        }
    }
}

impl Netlist {
    /// As AIGER in ASCII, with a table of symbols.
    #[must_use]
    pub fn aag(&self) -> String {
        let aig = Aig::of(self);
        let inputs = self.inputs.len();
        let mut text =
            format!("aag {0} {inputs} 0 {1} {2}\n", inputs + aig.ands.len(), aig.outputs.len(), aig.ands.len());
        (1..=inputs).for_each(|k| text += &format!("{}\n", 2 * k));
        aig.outputs.iter().for_each(|output| text += &format!("{output}\n"));
        for (k, [a, b]) in aig.ands.iter().enumerate() {
            text += &format!("{} {a} {b}\n", 2 * (inputs + 1 + k));
        }
        text + &self.symbols()
    }

    /// As binary AIGER, with a table of symbols.
    #[must_use]
    pub fn aig(&self) -> Vec<u8> {
        let aig = Aig::of(self);
        let inputs = self.inputs.len();
        let header =
            format!("aig {0} {inputs} 0 {1} {2}\n", inputs + aig.ands.len(), aig.outputs.len(), aig.ands.len());
        let mut bytes = header.into_bytes();
        aig.outputs.iter().for_each(|output| bytes.extend(format!("{output}\n").bytes()));
        for (k, [a, b]) in aig.ands.iter().enumerate() {
            delta(&mut bytes, 2 * (inputs + 1 + k) as u32 - a);
            delta(&mut bytes, a - b);
        }
        bytes.extend(self.symbols().bytes());
        bytes
    }

    fn symbols(&self) -> String {
        let inputs = self.inputs.iter().enumerate().map(|(k, name)| format!("i{k} {name}\n"));
        let outputs = self.outputs.iter().enumerate().map(|(k, name)| format!("o{k} {name}\n"));
        inputs.chain(outputs).collect::<String>() + &format!("c\n{}\n", self.about)
    }

    /// As BLIF: a table for every gate.
    #[must_use]
    pub fn blif(&self) -> String {
        let mut text = format!("# {}\n.model text\n.inputs", self.about);
        self.inputs.iter().for_each(|name| text += &format!(" \\\n{name}"));
        text += "\n.outputs";
        self.outputs.iter().for_each(|name| text += &format!(" \\\n{name}"));
        text += "\n";
        for (k, gate) in self.cone.gates.iter().enumerate() {
            self.table(&mut text, k, *gate);
        }
        for (name, &lit) in self.outputs.iter().zip(&self.cone.outputs) {
            let _ = writeln!(text, ".names {} {name}\n{} 1", self.node(lit.gate()), one(lit));
        }
        text + ".end\n"
    }

    fn node(&self, gate: usize) -> String {
        match self.cone.gates[gate] {
            Gate::Input(k) => self.inputs[k as usize].clone(),
            _ => format!("gate{gate}"),
        }
    }

    fn table(&self, text: &mut String, gate: usize, of: Gate) {
        if matches!(of, Gate::Input(_)) {
            return;
        }
        *text += ".names";
        of.parts().for_each(|part| *text += &format!(" {}", self.node(part.gate())));
        *text += &format!(" {}\n", self.node(gate));
        // Each line is a way to be true.
        *text += &match of {
            Gate::Zero | Gate::Input(_) => String::new(),
            Gate::And(a, b) => format!("{}{} 1\n", one(a), one(b)),
            Gate::Xor(a, b) => format!("{}{} 1\n{}{} 1\n", one(a), one(!b), one(!a), one(b)),
            Gate::Mux(c, t, e) => format!("{}{}- 1\n{}-{} 1\n", one(c), one(t), one(!c), one(e)),
        };
    }
}

/// What a node must be for its literal to be true.
fn one(lit: Lit) -> char {
    if lit.is_negated() { '0' } else { '1' }
}

/// A number as binary AIGER writes it: seven bits a byte, lowest first.
fn delta(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Conjunctions only; literals are numbers as in AIGER, of a conjunction the greater operand comes first.
#[derive(Default)]
struct Aig {
    inputs: u32,
    ands: Vec<[u32; 2]>,
    outputs: Vec<u32>,
}

impl Aig {
    fn of(netlist: &Netlist) -> Self {
        let mut aig = Self { inputs: netlist.inputs.len() as u32, ..Self::default() };
        let mut known: Vec<u32> = Vec::with_capacity(netlist.cone.gates.len());
        let of = |known: &[u32], lit: Lit| known[lit.gate()] ^ u32::from(lit.is_negated());
        for gate in &netlist.cone.gates {
            let node = match *gate {
                Gate::Zero => 0,
                Gate::Input(k) => 2 * (k + 1),
                Gate::And(a, b) => aig.and(of(&known, a), of(&known, b)),
                Gate::Xor(a, b) => aig.choose(of(&known, a), of(&known, b) ^ 1, of(&known, b)),
                Gate::Mux(c, t, e) => aig.choose(of(&known, c), of(&known, t), of(&known, e)),
            };
            known.push(node);
        }
        aig.outputs = netlist.cone.outputs.iter().map(|&lit| of(&known, lit)).collect();
        aig
    }

    fn and(&mut self, a: u32, b: u32) -> u32 {
        self.ands.push([a.max(b), a.min(b)]);
        2 * (self.inputs + self.ands.len() as u32)
    }

    fn choose(&mut self, when: u32, then: u32, otherwise: u32) -> u32 {
        let (yes, no) = (self.and(when, then), self.and(when ^ 1, otherwise));
        self.and(yes ^ 1, no ^ 1) ^ 1
    }
}
