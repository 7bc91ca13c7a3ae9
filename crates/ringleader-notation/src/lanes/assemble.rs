//! A network as the machine code of a processor with AVX-512 or AVX2.
//!
//! Nodes come in their order, which is that of the text. Of the values that are in registers, the one whose next use is farthest gives way
//! (which is best in straight code). Planes are read from where they are, as late as they are needed, and written as soon as they are
//! known; whoever still needs the old value of a plane that is written gets it into a register before.

use iced_x86::{Code, Encoder, IcedError, Instruction, MemoryOperand, Register};

use super::guards::{Block, Guarded};
use super::network::{Network, Node, depends, permuted};
use super::pairs::{Pair, program};

/// The instructions of a processor that code is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Isa {
    /// 512 lanes, functions of three bits.
    Avx512,
    /// 256 lanes, functions of two bits.
    Avx2,
}

impl Isa {
    /// How many bytes a word has.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::Avx512 => 64,
            Self::Avx2 => 32,
        }
    }

    fn registers(self) -> usize {
        match self {
            Self::Avx512 => 32,
            Self::Avx2 => 16,
        }
    }

    fn register(self, k: usize) -> Register {
        match self {
            Self::Avx512 => Register::ZMM0 + k as u32,
            Self::Avx2 => Register::YMM0 + k as u32,
        }
    }
}

/// What a word of memory belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// Planes of the initiator.
    L,
    /// Planes of the responder.
    R,
    Coins,
    /// First the lanes that are asked, and afterwards what is told; then a word of ones.
    Io,
    /// What did not fit the registers.
    Frame,
}

/// A word of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) base: Base,
    pub(crate) index: u32,
}

const ONES: Place = Place { base: Base::Io, index: 1 };

/// Machine code of a function of four addresses: planes of l, planes of r, coins, and two words for what is asked and told.
#[derive(Clone, Debug)]
pub(crate) struct Assembled {
    pub(crate) isa: Isa,
    pub(crate) bytes: Vec<u8>,
    /// How many planes an agent has, and how many coins there are: all that is touched.
    pub(crate) planes: usize,
    pub(crate) coins: usize,
}

/// What happens, in order.
enum Event {
    Node(Node, u32),
    Pair(Pair, u32, u32, u32),
    Not(u32, u32),
    Store(u32, Place),
    /// What follows is not needed if a value is false in every lane.
    Enter(u32),
    Leave,
}

impl Event {
    /// The values that it needs.
    fn needs(&self) -> Vec<u32> {
        let mut needs = match self {
            Self::Node(node, _) => (0..3).filter(|&k| depends(node.table, k)).map(|k| node.of[k]).collect(),
            Self::Pair(_, a, b, _) => vec![*a, *b],
            Self::Not(a, _) | Self::Store(a, _) | Self::Enter(a) => vec![*a],
            Self::Leave => Vec::new(),
        };
        needs.sort_unstable();
        needs.dedup();
        needs
    }

    /// The value that it makes.
    fn makes(&self) -> Option<u32> {
        match self {
            Self::Node(_, to) | Self::Pair(.., to) | Self::Not(_, to) => Some(*to),
            Self::Store(..) | Self::Enter(_) | Self::Leave => None,
        }
    }
}

/// A frame that is larger is not made.
const LARGEST_FRAME: usize = 1 << 20;
/// So much may be skipped on the stack without touching it.
const PAGE: usize = 4096;

/// The code of a network whose inputs are at these places, and whose outputs go to those.
///
/// # Errors
/// If it needs too much of the stack, or cannot be encoded.
pub(crate) fn assemble(
    isa: Isa,
    guarded: &Guarded,
    inputs: &[Place],
    outputs: &[Place],
    (planes, coins): (usize, usize),
) -> Result<Assembled, String> {
    let (events, values) = events(isa, &guarded.network, &guarded.blocks, outputs);
    let writer = Writer::new(isa, &events, values, inputs);
    written(writer, &events, (planes, coins))
}

/// The same with one mistake, for a test: what is kept in the frame is not written.
#[cfg(test)]
pub(crate) fn forgetful(
    isa: Isa,
    guarded: &Guarded,
    inputs: &[Place],
    outputs: &[Place],
    parts: (usize, usize),
) -> Result<Assembled, String> {
    let (events, values) = events(isa, &guarded.network, &guarded.blocks, outputs);
    let mut writer = Writer::new(isa, &events, values, inputs);
    writer.forgets = true;
    written(writer, &events, parts)
}

fn written(mut writer: Writer, events: &[Event], (planes, coins): (usize, usize)) -> Result<Assembled, String> {
    let isa = writer.isa;
    for (k, event) in events.iter().enumerate() {
        writer.event(k as u32, event, events)?;
    }
    Ok(Assembled { isa, bytes: writer.finish()?, planes, coins })
}

/// What happens, and how many values there are.
fn events(isa: Isa, network: &Network, blocks: &[Block], outputs: &[Place]) -> (Vec<Event>, usize) {
    let mut list = List { events: Vec::new(), values: (network.inputs + network.nodes.len()) as u32 };
    // What is an output is stored at once, what is an input at the end.
    let stores = |value: u32| {
        let all = network.outputs.iter().zip(outputs).enumerate();
        all.filter(move |(_, ((of, _), _))| *of == value).map(|(k, ((_, negated), place))| (k, *negated, *place))
    };
    for (k, node) in network.nodes.iter().enumerate() {
        let value = (network.inputs + k) as u32;
        list.events.extend(blocks.iter().filter(|block| block.from == k).map(|block| Event::Enter(block.guard)));
        list.node(isa, *node, value);
        stores(value).for_each(|(_, negated, place)| list.store(isa, value, negated, place));
        list.events.extend(blocks.iter().filter(|block| block.to == k + 1).map(|_| Event::Leave));
    }
    for ((value, negated), place) in network.outputs.iter().zip(outputs) {
        if (*value as usize) < network.inputs {
            list.store(isa, *value, *negated, *place);
        }
    }
    (list.events, list.values as usize)
}

struct List {
    events: Vec<Event>,
    values: u32,
}

impl List {
    fn value(&mut self) -> u32 {
        self.values += 1;
        self.values - 1
    }

    fn node(&mut self, isa: Isa, node: Node, value: u32) {
        let Some(program) = (isa == Isa::Avx2).then(|| program(node.table)).flatten() else {
            return self.events.push(Event::Node(node, value));
        };
        let mut operands = node.of.to_vec();
        for (k, &(pair, a, b)) in program.iter().enumerate() {
            let to = if k + 1 == program.len() { value } else { self.value() };
            self.events.push(Event::Pair(pair, operands[a], operands[b], to));
            operands.push(to);
        }
    }

    fn store(&mut self, isa: Isa, value: u32, negated: bool, place: Place) {
        let stored = if negated { self.value() } else { value };
        if negated {
            let node = Node { table: 0x0f, of: [value; 3] };
            self.events.push(if isa == Isa::Avx2 { Event::Not(value, stored) } else { Event::Node(node, stored) });
        }
        self.events.push(Event::Store(stored, place));
    }
}

/// Never.
const NEVER: u32 = u32::MAX;

/// Writes instructions, and knows where every value is.
struct Writer {
    isa: Isa,
    encoder: Encoder,
    /// When each value is needed, the next time last.
    uses: Vec<Vec<u32>>,
    /// Which value a register holds, and the other way round.
    held: Vec<Option<u32>>,
    register: Vec<Option<usize>>,
    /// Where in memory a value is.
    home: Vec<Option<Place>>,
    free_slots: Vec<u32>,
    slots: u32,
    /// How many bytes there are so far.
    at: usize,
    /// Where a distance is to be written, which ends there, and to where it leads.
    jumps: Vec<(usize, Option<usize>)>,
    /// What registers held when the block under way began, and when that was.
    entered: Option<(Vec<Option<u32>>, u32)>,
    /// Whether what goes into the frame is lost.
    #[cfg(test)]
    forgets: bool,
}

type Written<T> = Result<T, String>;

impl Writer {
    fn new(isa: Isa, events: &[Event], values: usize, inputs: &[Place]) -> Self {
        let mut uses = vec![Vec::new(); values];
        for (k, event) in events.iter().enumerate().rev() {
            event.needs().into_iter().for_each(|value| uses[value as usize].push(k as u32));
        }
        let mut home = vec![None; values];
        home.iter_mut().zip(inputs).for_each(|(home, place)| *home = Some(*place));
        let (held, register) = (vec![None; isa.registers()], vec![None; values]);
        let (encoder, free_slots, jumps) = (Encoder::new(64), Vec::new(), Vec::new());
        Self {
            isa,
            encoder,
            uses,
            held,
            register,
            home,
            free_slots,
            slots: 0,
            at: 0,
            jumps,
            entered: None,
            #[cfg(test)]
            forgets: false,
        }
    }

    fn emit(&mut self, instruction: Result<Instruction, IcedError>) -> Written<()> {
        let length = instruction.and_then(|instruction| self.encoder.encode(&instruction, 0));
        self.at += length.map_err(|error| error.to_string())?;
        Ok(())
    }

    fn memory(&self, place: Place) -> MemoryOperand {
        let base = match place.base {
            Base::L => Register::RDI,
            Base::R => Register::RSI,
            Base::Coins => Register::RDX,
            Base::Io => Register::RCX,
            Base::Frame => Register::RSP,
        };
        MemoryOperand::with_base_displ(base, i64::from(place.index) * self.isa.bytes() as i64)
    }

    fn load(&mut self, register: usize, place: Place) -> Written<()> {
        let code = match self.isa {
            Isa::Avx512 => Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512,
            Isa::Avx2 => Code::VEX_Vmovdqu_ymm_ymmm256,
        };
        self.emit(Instruction::with2(code, self.isa.register(register), self.memory(place)))
    }

    fn store(&mut self, register: usize, place: Place) -> Written<()> {
        #[cfg(test)]
        if self.forgets && place.base == Base::Frame {
            return Ok(());
        }
        let code = match self.isa {
            Isa::Avx512 => Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm,
            Isa::Avx2 => Code::VEX_Vmovdqu_ymmm256_ymm,
        };
        self.emit(Instruction::with2(code, self.memory(place), self.isa.register(register)))
    }

    fn next_use(&self, value: u32) -> u32 {
        self.uses[value as usize].last().copied().unwrap_or(NEVER)
    }

    /// When a value is needed after this moment.
    fn use_after(&self, value: u32, now: u32) -> u32 {
        self.uses[value as usize].iter().rev().copied().find(|&at| at > now).unwrap_or(NEVER)
    }

    fn put(&mut self, value: u32, register: usize) {
        self.held[register] = Some(value);
        self.register[value as usize] = Some(register);
    }

    fn take(&mut self, value: u32) {
        if let Some(register) = self.register[value as usize].take() {
            self.held[register] = None;
        }
    }

    /// A register for something new, which is none of these values.
    fn room(&mut self, but: &[u32]) -> Written<usize> {
        if let Some(register) = self.held.iter().position(Option::is_none) {
            return Ok(register);
        }
        let mut victim = (0, 0, 0);
        for (register, held) in self.held.iter().enumerate() {
            let Some(value) = held.filter(|value| !but.contains(value)) else { continue };
            if self.next_use(value) >= victim.0 {
                victim = (self.next_use(value), register, value);
            }
        }
        let (_, register, value) = victim;
        if self.home[value as usize].is_none() {
            self.spill(value, register)?;
        }
        self.take(value);
        Ok(register)
    }

    /// Keeps a value in the frame.
    fn spill(&mut self, value: u32, register: usize) -> Written<()> {
        let slot = self.free_slots.pop().unwrap_or_else(|| {
            self.slots += 1;
            self.slots - 1
        });
        let place = Place { base: Base::Frame, index: slot };
        self.store(register, place)?;
        self.home[value as usize] = Some(place);
        Ok(())
    }

    /// The register of a value, which is loaded if it is in none.
    fn in_register(&mut self, value: u32, but: &[u32]) -> Written<usize> {
        if let Some(register) = self.register[value as usize] {
            return Ok(register);
        }
        let register = self.room(but)?;
        if let Some(place) = self.home[value as usize] {
            self.load(register, place)?;
        }
        self.put(value, register);
        Ok(register)
    }

    /// A value has been used; one that is not needed again makes room.
    fn used(&mut self, value: u32, now: u32) {
        let uses = &mut self.uses[value as usize];
        while uses.last().is_some_and(|&at| at <= now) {
            uses.pop();
        }
        if uses.is_empty() {
            self.take(value);
            if let Some(Place { base: Base::Frame, index }) = self.home[value as usize].take() {
                self.free_slots.push(index);
            }
        }
    }

    fn event(&mut self, now: u32, event: &Event, all: &[Event]) -> Written<()> {
        let needs = event.needs();
        match event {
            Event::Node(node, to) => self.node(now, *node, &needs, *to),
            Event::Pair(pair, a, b, to) => self.pair(now, *pair, (*a, *b), &needs, *to),
            Event::Not(a, to) => {
                let a = self.in_register(*a, &needs)?;
                let to_register = self.result(now, &needs, *to)?;
                let (code, ones) = (Code::VEX_Vpxor_ymm_ymm_ymmm256, self.memory(ONES));
                let (to, a) = (self.isa.register(to_register), self.isa.register(a));
                self.emit(Instruction::with3(code, to, a, ones))
            }
            Event::Store(value, place) => self.output(now, *value, *place),
            Event::Enter(guard) => self.enter(now, *guard, &all[now as usize..]),
            Event::Leave => self.leave(now, all),
        }
    }

    /// A jump over what follows, where a value is false in every lane. Whatever is needed behind it is in memory before, since what registers
    /// hold there is only known if they were left alone.
    fn enter(&mut self, now: u32, guard: u32, rest: &[Event]) -> Written<()> {
        let length = rest.iter().position(|event| matches!(event, Event::Leave)).unwrap_or(rest.len() - 1);
        let end = now + length as u32;
        for event in &rest[..length] {
            let Event::Store(_, place) = event else { continue };
            for old in 0..self.home.len() as u32 {
                if self.home[old as usize] == Some(*place) && self.use_after(old, end) != NEVER {
                    let register = self.in_register(old, &[guard])?;
                    self.spill(old, register)?;
                }
            }
        }
        for register in 0..self.held.len() {
            let Some(value) = self.held[register] else { continue };
            if self.home[value as usize].is_none() && self.use_after(value, end) != NEVER {
                self.spill(value, register)?;
            }
        }
        let register = self.in_register(guard, &[guard])?;
        let tested = self.isa.register(register);
        match self.isa {
            Isa::Avx512 => {
                let code = Code::EVEX_Vptestmq_kr_k1_zmm_zmmm512b64;
                self.emit(Instruction::with3(code, Register::K1, tested, tested))?;
                self.emit(Instruction::with2(Code::VEX_Kortestw_kr_kr, Register::K1, Register::K1))?;
            }
            Isa::Avx2 => self.emit(Instruction::with2(Code::VEX_Vptest_ymm_ymmm256, tested, tested))?,
        }
        // The distance is known at the end.
        self.emit(Instruction::with_branch(Code::Je_rel32_64, 0))?;
        self.jumps.push((self.at, None));
        self.used(guard, now);
        self.entered = Some((self.held.clone(), now));
        Ok(())
    }

    /// The end of a jump.
    fn leave(&mut self, now: u32, all: &[Event]) -> Written<()> {
        let Some((held, since)) = self.entered.take() else { return Ok(()) };
        let made: Vec<u32> = all[since as usize..now as usize].iter().filter_map(Event::makes).collect();
        for (register, before) in held.into_iter().enumerate() {
            let Some(value) = self.held[register] else { continue };
            // What was made and is needed behind is in its plane, or anything.
            if made.contains(&value) && self.home[value as usize].is_none() {
                self.spill(value, register)?;
            }
            if self.held[register] != before {
                self.take(value);
            }
        }
        if let Some(jump) = self.jumps.last_mut() {
            jump.1 = Some(self.at);
        }
        Ok(())
    }

    /// The register of a result, after all operands are where they are needed: that of an operand that is needed no more, if there is one.
    fn result(&mut self, now: u32, needs: &[u32], to: u32) -> Written<usize> {
        let dying = needs
            .iter()
            .copied()
            .find(|&value| self.use_after(value, now) == NEVER && self.register[value as usize].is_some());
        let register = match dying.and_then(|value| self.register[value as usize]) {
            Some(register) => register,
            None => self.room(needs)?,
        };
        needs.iter().for_each(|&value| self.used(value, now));
        self.put(to, register);
        Ok(register)
    }

    /// A store of an output; whoever needs what is there now gets it before.
    fn output(&mut self, now: u32, value: u32, place: Place) -> Written<()> {
        let register = self.in_register(value, &[value])?;
        for old in 0..self.home.len() as u32 {
            if self.home[old as usize] == Some(place) {
                if self.use_after(old, now) != NEVER {
                    self.in_register(old, &[value, old])?;
                }
                self.home[old as usize] = None;
            }
        }
        self.store(register, place)?;
        self.home[value as usize].get_or_insert(place);
        self.used(value, now);
        Ok(())
    }

    fn pair(&mut self, now: u32, pair: Pair, (a, b): (u32, u32), needs: &[u32], to: u32) -> Written<()> {
        // The second operand may be in memory.
        let is_in_memory = |this: &Self, value: u32| this.register[value as usize].is_none();
        let (a, b) =
            if pair != Pair::AndNot && is_in_memory(self, a) && !is_in_memory(self, b) { (b, a) } else { (a, b) };
        let first = self.in_register(a, needs)?;
        let second = match (self.register[b as usize], self.home[b as usize]) {
            (None, Some(place)) if self.use_after(b, now) == NEVER => Err(place),
            _ => Ok(self.in_register(b, needs)?),
        };
        let code = match pair {
            Pair::And => Code::VEX_Vpand_ymm_ymm_ymmm256,
            Pair::Or => Code::VEX_Vpor_ymm_ymm_ymmm256,
            Pair::Xor => Code::VEX_Vpxor_ymm_ymm_ymmm256,
            Pair::AndNot => Code::VEX_Vpandn_ymm_ymm_ymmm256,
        };
        let to = self.result(now, needs, to)?;
        let (to, first) = (self.isa.register(to), self.isa.register(first));
        match second {
            Ok(second) => self.emit(Instruction::with3(code, to, first, self.isa.register(second))),
            Err(place) => self.emit(Instruction::with3(code, to, first, self.memory(place))),
        }
    }

    /// A function of up to three values: `to = f(to, second, third)`, where the third may be in memory.
    fn node(&mut self, now: u32, node: Node, needs: &[u32], to: u32) -> Written<()> {
        // At most one stays in memory: one that is not needed soon again.
        let missing = needs.iter().copied().filter(|&value| self.register[value as usize].is_none());
        let far = missing.filter(|&value| self.home[value as usize].is_some()).max_by_key(|&v| self.use_after(v, now));
        let far = far.filter(|&value| self.use_after(value, now) == NEVER || !self.held.contains(&None));
        for &value in needs.iter().filter(|&&value| Some(value) != far) {
            self.in_register(value, needs)?;
        }
        let third_in_memory = far.and_then(|value| self.home[value as usize]);
        let dying = needs.iter().copied().find(|&v| Some(v) != far && self.use_after(v, now) == NEVER);
        // Who is first, and in which register.
        let (first, register) = match dying.and_then(|value| Some((value, self.register[value as usize]?))) {
            Some((value, register)) => (Some(value), register),
            None => {
                let register = self.room(needs)?;
                let copied = needs.iter().copied().find(|&value| Some(value) != far).filter(|_| needs.len() == 3);
                if let Some(from) = copied.and_then(|value| self.register[value as usize]) {
                    let (code, from) = (Code::EVEX_Vmovdqa64_zmm_k1z_zmmm512, self.isa.register(from));
                    self.emit(Instruction::with2(code, self.isa.register(register), from))?;
                }
                (copied, register)
            }
        };
        let mut others: Vec<u32> = needs.iter().copied().filter(|&value| Some(value) != first).collect();
        // The one in memory comes last.
        others.sort_by_key(|&value| Some(value) == far);
        let third = others.last().copied();
        let second = others.first().copied();
        let place = |value: u32| {
            if Some(value) == third {
                2
            } else if Some(value) == first {
                0
            } else {
                1
            }
        };
        let table = permuted(node.table, node.of.map(place));
        let at =
            |this: &Self, value: Option<u32>| value.and_then(|value| this.register[value as usize]).unwrap_or(register);
        let (second, third) = (at(self, second), at(self, third));
        needs.iter().for_each(|&value| self.used(value, now));
        self.put(to, register);
        let [first, second, third] = [register, second, third].map(|register| self.isa.register(register));
        let code = Code::EVEX_Vpternlogq_zmm_k1z_zmm_zmmm512b64_imm8;
        let table = u32::from(table);
        match third_in_memory {
            Some(place) => self.emit(Instruction::with4(code, first, second, self.memory(place), table)),
            None => self.emit(Instruction::with4(code, first, second, third, table)),
        }
    }

    /// The code with its frame around it, whose pages are touched in order.
    fn finish(mut self) -> Written<Vec<u8>> {
        let (mut body, frame) = (self.encoder.take_buffer(), self.slots as usize * self.isa.bytes() + self.isa.bytes());
        if frame > LARGEST_FRAME {
            return Err(format!("it needs {frame} bytes of the stack"));
        }
        for (from, to) in std::mem::take(&mut self.jumps) {
            let distance = to.unwrap_or(from) - from;
            body[from - 4..from].copy_from_slice(&(distance as u32).to_le_bytes());
        }
        self.emit(Instruction::with1(Code::Push_r64, Register::RBP))?;
        self.emit(Instruction::with2(Code::Mov_r64_rm64, Register::RBP, Register::RSP))?;
        for page in 1..=frame / PAGE {
            let below = MemoryOperand::with_base_displ(Register::RBP, -((page * PAGE) as i64));
            self.emit(Instruction::with2(Code::Mov_r32_rm32, Register::EAX, below))?;
        }
        self.emit(Instruction::with2(Code::Sub_rm64_imm32, Register::RSP, frame as i32))?;
        self.emit(Instruction::with2(Code::And_rm64_imm8, Register::RSP, -(self.isa.bytes() as i32)))?;
        let mut bytes = self.encoder.take_buffer();
        bytes.extend(body);
        self.emit(Instruction::with2(Code::Mov_r64_rm64, Register::RSP, Register::RBP))?;
        self.emit(Instruction::with1(Code::Pop_r64, Register::RBP))?;
        self.emit(Ok(Instruction::with(Code::Retnq)))?;
        bytes.extend(self.encoder.take_buffer());
        Ok(bytes)
    }
}
