//! What runs a text on one ring: tables where states are few, else code, and the law where those do not know or give up.
//!
//! No code is trusted: what it does to some thousand pairs is compared with the law before it is used, and its first answers on a ring are.
//! Code that differs is not used again, and that is told among the facts of a configuration.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use ringleader::protocol::Input;

use crate::code::{Asked, Code};
use crate::eval::{PATIENCE, Patience, Result as Ran};
use crate::pairs::{Met, Pairs};
use crate::program::Program;
use crate::setting::{Setting, State};

/// So many pairs are compared.
pub(crate) const PAIRS: usize = 2048;
/// So many expressions may the law evaluate for that.
pub(crate) const COMPARED: u64 = 1 << 20;
/// So many answers of each kind are compared, and so many expressions may each take.
const ANSWERS: u32 = 4;
const ANSWERED: u64 = 1 << 18;

/// The quick readings of a text.
pub(crate) struct Quick {
    pub(crate) pairs: Option<Pairs>,
    pub(crate) step: OnceLock<Option<Code>>,
    /// By function.
    sets: Vec<OnceLock<Option<Set>>>,
    /// Whether some code was not what the law says.
    pub(crate) differs: AtomicBool,
}

/// The code of a function of the ring, and how often it said no and yes so far.
struct Set {
    code: Code,
    said: [AtomicU32; 2],
    differs: AtomicBool,
}

impl Quick {
    pub(crate) fn new(program: &Program, setting: &Setting) -> Self {
        let sets = program.functions.iter().map(|_| OnceLock::new()).collect();
        Self { pairs: Pairs::new(setting), step: OnceLock::new(), sets, differs: AtomicBool::new(false) }
    }

    /// Whether a function of the ring holds; `None` if the law has to say it. `law` is asked with so much patience now and then.
    pub(crate) fn holds(
        &self,
        program: &Program,
        setting: &Setting,
        function: usize,
        config: &[State],
        law: impl FnOnce(&Patience) -> Ran<bool>,
    ) -> Option<bool> {
        let make = || {
            let code = Code::set(program, setting, function)?;
            Some(Set { code, said: [AtomicU32::new(0), AtomicU32::new(0)], differs: AtomicBool::new(false) })
        };
        let set = self.sets[function].get_or_init(make).as_ref().filter(|set| !set.differs.load(Relaxed))?;
        let holds = spending(&set.code, setting, |fuel| set.code.holds(config, fuel))?;
        let said = &set.said[usize::from(holds)];
        if said.load(Relaxed) < ANSWERS {
            said.fetch_add(1, Relaxed);
            let patience = Patience::default();
            patience.allow(ANSWERED);
            let same = law(&patience).map_or_else(|_| patience.left() == 0, |truth| truth == holds);
            if !same {
                set.differs.store(true, Relaxed);
                self.differs.store(true, Relaxed);
                return None;
            }
        }
        Some(holds)
    }
}

/// Runs code within the patience that is left, and pays for what was done.
#[inline]
fn spending<T>(code: &Code, setting: &Setting, run: impl FnOnce(&mut u64) -> Option<T>) -> Option<T> {
    let left = setting.patience.left().min(PATIENCE);
    let granted = left.checked_sub(code.price())?;
    let mut fuel = granted;
    let done = run(&mut fuel)?;
    setting.patience.spend(code.price() + (granted - fuel));
    Some(done)
}

/// One interaction by code; `None` if the law has to do it.
#[inline]
pub(crate) fn meet(code: &Code, setting: &Setting, l: &State, r: &State, input: Input) -> Option<Met> {
    let asked = Asked { coins: &setting.coins, coin: input.coin, leader: input.leader };
    spending(code, setting, |fuel| code.meet(l, r, asked, fuel))
}

/// Whether code does what the law does, as far as there is patience.
pub(crate) fn agrees(
    code: &Code,
    setting: &Setting,
    (l, r, input): (&State, &State, Input),
    patience: &Patience,
    law: impl FnOnce() -> Ran<Met>,
) -> bool {
    let asked = Asked { coins: &setting.coins, coin: input.coin, leader: input.leader };
    // What code burns is paid for, too: it may give up only after a long loop, for every pair.
    let granted = patience.left().min(COMPARED);
    let mut fuel = granted;
    let met = code.meet(l, r, asked, &mut fuel);
    patience.spend(granted - fuel);
    let Some(met) = met else { return true };
    law().map_or_else(|_| patience.left() == 0, |same| same == met)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ringleader::params::Params;
    use ringleader::protocol::Protocol;
    use ringleader::ring::Ring;

    use super::*;
    use crate::written::{Trouble, Written};

    /// The code of another set in the place of the safe set: the first answer that is wrong is the law's, and so are all after it.
    #[test]
    fn code_that_differs_is_not_used() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../protocols/ppl.py");
        let program = Arc::new(crate::read("ppl.py", &std::fs::read_to_string(file).unwrap()).unwrap());
        let ring = Ring::new(8, program.ring).unwrap();
        let text = Written::new(&program, ring, &Params::default(), &Trouble::default()).unwrap();
        let safe = program.safe.unwrap();
        let other = program.functions.iter().position(|function| function.name == "C_PB").unwrap();
        let set = |function| {
            let code = Code::set(&program, text.setting(), function).unwrap();
            Set { code, said: [AtomicU32::new(0), AtomicU32::new(0)], differs: AtomicBool::new(false) }
        };
        assert!(text.quick().sets[safe].set(Some(set(other))).is_ok(), "nobody asked before");
        // Everybody leads: peaceful, but not safe.
        let leads = &text.variables().0[0];
        let mut state = State::default();
        leads.put(&mut state, &1_u64.into());
        let config = vec![state; 8];
        assert_eq!(set(other).code.holds(&config, &mut COMPARED.clone()), Some(true));
        for _ in 0..2 {
            assert!(!text.claims_safe(&config), "the law says so");
            assert!(text.quick().differs.load(Relaxed));
        }
        let differs = |(name, _): &(ringleader::value::Text, ringleader::value::Value)| *name == "by the law only";
        assert!(text.facts(&config).iter().any(differs));
    }
}
