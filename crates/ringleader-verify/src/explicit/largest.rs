//! Definition 1, taken literally: a configuration is safe if there is exactly one leader (where a protocol elects one)
//! and no output differs in any configuration that can be reached from it.
//!
//! If an output ever changes on the way, some single interaction changes it. So the configurations that are *not* safe
//! are those that have not one leader or in which one interaction may change an output, and all from which such a one
//! can be reached. What is left when they are taken away, backwards from one to the next, is the largest safe set: it
//! is closed, its outputs are constant, and every set of which that is true is part of it.
//!
//! The work is bounded by the configurations that pass the first test, which are few: whether a pair of neighbours may
//! change an output stands in a table. Turns of a configuration are safe together: a turn of the ring carries
//! interactions to interactions and outputs to outputs, and the number of leaders does not see it. (It is not enough to
//! look at least turns alone: that a leader moves on to the next agent must count as a change. So changes are told from
//! the interaction itself, before anything is turned.)

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use ringleader::protocol::Protocol;

use super::bits::Bits;
use super::space::Space;
use super::{Explored, LeftOut, Workers};

impl<P: Protocol> Space<'_, P> {
    /// Fills the first of three empty sets with the largest safe set, and leaves the others empty.
    pub(super) fn largest(&self, [safe, here, there]: &[Bits; 3], workers: &mut Workers<'_>) -> ControlFlow<()> {
        let words = safe.words();
        workers("outputs", words, &|range| {
            let candidate = |number: &u64| self.is_valid(*number) && self.keeps_outputs(*number);
            let least = self.numbers(range).filter(|number| self.least(*number).is_some());
            least.filter(candidate).for_each(|number| self.find(number, safe, here));
        })?;
        workers("outputs, level 0", words, &|range| {
            for number in here.take(range) {
                let mut leaves = false;
                self.successors(number, |next, _| leaves |= !safe.has(next));
                if leaves {
                    self.lose(number, safe, there);
                }
            }
        })?;
        let (mut here, mut there) = (there, here);
        for level in 1.. {
            let any = AtomicBool::new(false);
            workers(&format!("outputs, level {level}"), words, &|range| {
                for number in here.take(range) {
                    any.store(true, Relaxed);
                    self.predecessors(number, |before| self.lose(before, safe, there));
                }
            })?;
            if !any.into_inner() {
                break;
            }
            (here, there) = (there, here);
        }
        ControlFlow::Continue(())
    }

    /// Keeps what the declared safe set leaves out of the largest one. Its least member is the least of its turns, too.
    pub(super) fn note_left_out(&self, largest: &Bits, declared: &Bits, explored: &mut Explored) {
        if let (count, Some(first)) = largest.without(declared) {
            let known = explored.left_out.get_or_insert_with(|| LeftOut { config: self.encoded(first), count: 0 });
            known.count += count;
        }
    }
}
