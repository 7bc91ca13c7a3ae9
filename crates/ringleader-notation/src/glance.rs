//! Functions of one agent, as tables over the few bits that they look at: who leads, and what an agent says.

use ringleader::random::mix;

use crate::eval::{Agents, Evaluator, Result, truth};
use crate::program::Program;
use crate::setting::{Cell, Setting, Slot, State};
use crate::tree::{ExprKind, Value};

/// So many bits may a function look at to become a table.
const MOST: u32 = 14;

/// Bits in a row: their word, the lowest, and how many ones as a number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    word: usize,
    shift: u32,
    mask: u64,
}

impl Run {
    #[inline]
    fn of(self, state: &State) -> u64 {
        state.0[self.word & 1] >> self.shift & self.mask
    }

    /// The bits of slots; those that meet are one.
    fn all(slots: &[Slot]) -> Vec<Self> {
        let mut slots: Vec<&Slot> = slots.iter().filter(|slot| slot.mask != 0).collect();
        slots.sort_by_key(|slot| (slot.word, slot.shift));
        let mut runs: Vec<Self> = Vec::new();
        for slot in slots {
            match runs.last_mut() {
                Some(run) if run.word == slot.word && run.shift + run.mask.count_ones() == slot.shift => {
                    run.mask |= slot.mask << run.mask.count_ones();
                }
                _ => runs.push(Self { word: slot.word, shift: slot.shift, mask: slot.mask }),
            }
        }
        runs
    }
}

/// What a function says of an agent.
#[derive(Clone, Debug)]
pub(crate) enum Glance {
    /// By the bits that it looks at, which stand in one place; where it went wrong, it is run.
    Few(usize, Run, Vec<Option<u64>>),
    /// The same, in several places.
    Table(usize, Vec<Run>, Vec<Option<u64>>),
    /// By running it.
    Run(usize),
    /// The whole state.
    Whole,
}

impl Glance {
    /// A function of one agent as a table, if it looks at few bits.
    pub(crate) fn of(program: &Program, setting: &Setting, function: usize) -> Self {
        let slots: Vec<Slot> =
            fields_read(program, function).into_iter().flat_map(|field| slots_of(setting, field)).collect();
        let bits: u32 = slots.iter().map(|slot| slot.mask.count_ones()).sum();
        if bits > MOST {
            return Self::Run(function);
        }
        let runs = Run::all(&slots);
        let entry = |key: u64| {
            let mut state = State::default();
            let mut rest = key;
            for run in &runs {
                state.0[run.word] |= (rest & run.mask) << run.shift;
                rest >>= run.mask.count_ones();
            }
            // Keys that are no states are never looked up.
            call(program, setting, function, &state).ok()
        };
        let entries = (0..1_u64 << bits).map(entry).collect();
        match runs.as_slice() {
            [only] => Self::Few(function, *only, entries),
            _ => Self::Table(function, runs, entries),
        }
    }

    /// What the function says.
    #[inline]
    pub(crate) fn at(&self, program: &Program, setting: &Setting, state: &State) -> Result<u64> {
        match self {
            Self::Few(function, run, entries) => {
                entries[run.of(state) as usize].map_or_else(|| call(program, setting, *function, state), Ok)
            }
            Self::Table(function, runs, entries) => {
                let (mut key, mut bits) = (0, 0);
                for run in runs {
                    key |= run.of(state) << bits;
                    bits += run.mask.count_ones();
                }
                entries[key as usize].map_or_else(|| call(program, setting, *function, state), Ok)
            }
            Self::Run(function) => call(program, setting, *function, state),
            // Exact as long as a state fits into one word.
            Self::Whole => Ok(state.0[0] ^ if state.0[1] == 0 { 0 } else { mix(state.0[1]) }),
        }
    }
}

fn call(program: &Program, setting: &Setting, function: usize, state: &State) -> Result<u64> {
    let agents = std::slice::from_ref(state);
    let mut evaluator =
        Evaluator::new(program, &setting.globals, &setting.layout, Agents::Seen(agents)).within(&setting.patience);
    let value = evaluator.call(function, &[Value::Agent(0)])?;
    Ok(if program.leader == Some(function) { u64::from(truth(&value)) } else { number(&value) })
}

/// A name is not taken for a number, nor is nothing.
const NAME: u64 = 0x6e61_6d65;

/// Different outputs have different numbers.
fn number(value: &Value) -> u64 {
    match value {
        Value::Int(value) => *value as u64,
        Value::Bool(value) => u64::from(*value),
        Value::Name(name) => mix(*name as u64 ^ NAME),
        Value::None => mix(!NAME),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_neither_a_number_nor_a_name() {
        let others = [Value::Int(-1), Value::Int(0), Value::Name(0), Value::Bool(false), Value::Bool(true)];
        assert!(others.iter().all(|other| number(other) != number(&Value::None)));
    }
}
