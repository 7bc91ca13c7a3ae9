//! Settled functions of three bits as short programs of two-input instructions, for processors that have no others.

use std::sync::LazyLock;

use super::network::{BITS, Table};

/// An instruction of two inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pair {
    And,
    Or,
    Xor,
    /// Not the first, and the second.
    AndNot,
}

/// What to do with which operands: the three bits, then the results of the steps before.
pub(crate) type Program = Vec<(Pair, usize, usize)>;

/// The most steps of a program; with them every settled function is made.
const MOST: usize = 4;

static PROGRAMS: LazyLock<Vec<Option<Program>>> = LazyLock::new(|| {
    let mut programs = vec![None; 256];
    BITS.iter().for_each(|&bit| programs[bit as usize] = Some(Vec::new()));
    programs[0] = Some(vec![(Pair::AndNot, 0, 0)]);
    (1..=MOST).for_each(|steps| search(&mut BITS.to_vec(), &mut Vec::new(), steps, &mut programs));
    programs
});

/// How many results of these steps neither another of them nor these two uses. Every one must be used in the end, and a step uses two at most.
fn unused(steps: &Program, but: [usize; 2]) -> usize {
    let is_used = |k: usize| but.contains(&k) || steps.iter().any(|&(_, a, b)| a == k || b == k);
    (0..steps.len()).filter(|k| !is_used(BITS.len() + k)).count()
}

/// Tries all programs of so many more steps.
fn search(known: &mut Vec<Table>, steps: &mut Program, left: usize, programs: &mut [Option<Program>]) {
    for b in 0..known.len() {
        for a in (0..known.len()).filter(|&a| unused(steps, [a, b]) < left).collect::<Vec<_>>() {
            let (x, y) = (known[a], known[b]);
            let commuting = [(Pair::And, x & y), (Pair::Or, x | y), (Pair::Xor, x ^ y)];
            let made = commuting.into_iter().filter(|_| a < b).chain([(Pair::AndNot, !x & y)]);
            for (pair, table) in made.collect::<Vec<_>>() {
                if table == 0 || known.contains(&table) {
                    continue;
                }
                steps.push((pair, a, b));
                if left == 1 {
                    programs[table as usize].get_or_insert_with(|| steps.clone());
                } else {
                    known.push(table);
                    search(known, steps, left - 1, programs);
                    known.pop();
                }
                steps.pop();
            }
        }
    }
}

/// The shortest program of a settled function.
pub(crate) fn program(table: Table) -> Option<&'static Program> {
    PROGRAMS[table as usize].as_ref()
}

/// How many instructions a settled function takes.
pub(crate) fn price(table: Table) -> u32 {
    program(table).map_or(1, |program| program.len() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_settled_function_has_a_program_that_makes_it() {
        for table in (0..=254).step_by(2) {
            let program = program(table).unwrap();
            let mut values = BITS.to_vec();
            for &(pair, a, b) in program {
                let (a, b) = (values[a], values[b]);
                values.push(match pair {
                    Pair::And => a & b,
                    Pair::Or => a | b,
                    Pair::Xor => a ^ b,
                    Pair::AndNot => !a & b,
                });
            }
            assert!(program.is_empty() && BITS.contains(&table) || values.last() == Some(&table), "{table:#x}");
        }
        let prices = |tables: [Table; 4]| tables.map(price);
        // and, xor; choice, which is (b ^ c) & a ^ c; majority.
        assert_eq!(prices([0xc0, 0x3c, 0xca, 0xe8]), [1, 1, 3, 4]);
    }
}
