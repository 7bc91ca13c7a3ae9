//! Functions of one agent, as tables over the few bits that they look at: who leads, and what an agent says.

use ringleader::random::mix;

use crate::eval::{Agents, Evaluator, Result, truth};
use crate::program::Program;
use crate::setting::{Cell, Setting, Slot, State};
use crate::tree::{ExprKind, Value};

/// So many bits may a function look at to become a table.
const MOST: u32 = 14;

/// What a function says of an agent.
#[derive(Clone, Debug)]
pub(crate) enum Glance {
    /// By the bits that it looks at.
    Table(Vec<Slot>, Vec<u64>),
    /// By running it.
    Run(usize),
    /// The whole state.
    Whole,
}

impl Glance {
    /// A function of one agent as a table, if it looks at few bits and nothing goes wrong.
    pub(crate) fn of(program: &Program, setting: &Setting, function: usize) -> Self {
        let slots: Vec<Slot> =
            fields_read(program, function).into_iter().flat_map(|field| slots_of(setting, field)).collect();
        let bits: u32 = slots.iter().map(|slot| slot.mask.count_ones()).sum();
        if bits > MOST {
            return Self::Run(function);
        }
        let entry = |key: u64| {
            let mut state = State::default();
            let mut rest = key;
            for slot in &slots {
                state.0[slot.word] |= (rest & slot.mask) << slot.shift;
                rest >>= slot.mask.count_ones();
            }
            // Keys that are no states are never looked up.
            call(program, setting, function, &state).unwrap_or(0)
        };
        let entries = (0..1_u64 << bits).map(entry).collect();
        Self::Table(slots, entries)
    }

    /// What the function says.
    #[inline]
    pub(crate) fn at(&self, program: &Program, setting: &Setting, state: &State) -> Result<u64> {
        match self {
            Self::Table(slots, entries) => {
                let (mut key, mut bits) = (0, 0);
                for slot in slots {
                    key |= (state.0[slot.word] >> slot.shift & slot.mask) << bits;
                    bits += slot.mask.count_ones();
                }
                Ok(entries[key as usize])
            }
            Self::Run(function) => call(program, setting, *function, state),
            // Exact as long as a state fits into one word.
            Self::Whole => Ok(state.0[0] ^ if state.0[1] == 0 { 0 } else { mix(state.0[1]) }),
        }
    }
}

fn call(program: &Program, setting: &Setting, function: usize, state: &State) -> Result<u64> {
    let agents = std::slice::from_ref(state);
    let mut evaluator = Evaluator::new(program, &setting.globals, &setting.layout, Agents::Seen(agents));
    let value = evaluator.call(function, &[Value::Agent(0)])?;
    Ok(if program.leader == Some(function) { u64::from(truth(&value)) } else { number(&value) })
}

/// Different outputs have different numbers.
fn number(value: &Value) -> u64 {
    match value {
        Value::Int(value) => *value as u64,
        Value::Bool(value) => u64::from(*value),
        Value::Name(name) => *name as u64,
        Value::None => u64::MAX,
        Value::Tuple(items) => items.iter().fold(items.len() as u64, |hash, item| mix(hash) ^ number(item)),
        Value::Agent(_) | Value::Ring => 0,
    }
}

/// The variables that a function looks at, those that it calls included.
pub(crate) fn fields_read(program: &Program, function: usize) -> Vec<usize> {
    let (mut fields, mut seen, mut pending) = (Vec::new(), vec![false; program.functions.len()], vec![function]);
    while let Some(function) = pending.pop() {
        if std::mem::replace(&mut seen[function], true) {
            continue;
        }
        for stmt in &program.functions[function].body {
            stmt.visit(&mut |expr| match expr.kind {
                ExprKind::Field(_, field) if !fields.contains(&field) => fields.push(field),
                ExprKind::Call(called, _) => pending.push(called),
                _ => {}
            });
        }
    }
    fields.sort_unstable();
    fields
}

/// Where a variable stands in a state.
pub(crate) fn slots_of(setting: &Setting, field: usize) -> Vec<Slot> {
    let cell = |cell: &Cell| match cell {
        Cell::One(slot) => vec![slot.clone()],
        Cell::Maybe(there, parts) => std::iter::once(there).chain(parts).cloned().collect(),
    };
    setting.layout.fields[field].cells.iter().flat_map(|(_, one)| cell(one)).collect()
}
