//! Memory whose bytes are executed. Leaf file: the only one of this crate with `unsafe`, which is one call.
//!
//! Memory is never writable and executable at once: the code is written, and then the system is asked to make it executable and no longer
//! writable. Where it refuses, or the processor has not the instructions, there is no code, and whoever asked for it runs without.

#![allow(unsafe_code, reason = "a call of code that was made here, and of the pages that it is in")]

use memmap2::{Mmap, MmapOptions};
use ringleader::circuit::Wide;

use super::assemble::{Assembled, Isa};

/// The function that code is: addresses of the planes of l and of r, of coins, and of two words for what is asked and told.
type Function = unsafe extern "sysv64" fn(*mut u64, *mut u64, *const u64, *mut u64);

/// Machine code that can be called.
pub(crate) struct Code {
    pages: Mmap,
    isa: Isa,
    planes: usize,
    coins: usize,
}

impl Code {
    /// Makes code executable.
    ///
    /// # Errors
    /// Why the processor or the system does not do it.
    pub(crate) fn new(assembled: &Assembled) -> Result<Self, String> {
        let Assembled { isa, ref bytes, planes, coins } = *assembled;
        let available = match isa {
            Isa::Avx512 => is_x86_feature_detected!("avx512f"),
            Isa::Avx2 => is_x86_feature_detected!("avx2"),
        };
        if !available {
            return Err(format!("this processor has no {isa:?}"));
        }
        let refused = |error: std::io::Error| format!("the system refuses executable memory: {error}");
        let mut pages = MmapOptions::new().len(bytes.len()).map_anon().map_err(refused)?;
        pages.copy_from_slice(bytes);
        Ok(Self { pages: pages.make_exec().map_err(refused)?, isa, planes, coins })
    }

    /// An interaction of two agents; `io` is the lanes that are asked and a word of ones, and then what is told. False, and nothing
    /// happens, if these words are not those of the code.
    #[inline(always)]
    pub(crate) fn call(&self, l: Wide<'_>, r: Wide<'_>, coins: Wide<'_>, io: Wide<'_>) -> bool {
        let parts = match (self.isa, l, r, coins, io) {
            (Isa::Avx512, Wide::Avx512(l), Wide::Avx512(r), Wide::Avx512(coins), Wide::Avx512(io)) => {
                [l.as_flattened_mut(), r.as_flattened_mut(), coins.as_flattened_mut(), io.as_flattened_mut()]
            }
            (Isa::Avx2, Wide::Avx2(l), Wide::Avx2(r), Wide::Avx2(coins), Wide::Avx2(io)) => {
                [l.as_flattened_mut(), r.as_flattened_mut(), coins.as_flattened_mut(), io.as_flattened_mut()]
            }
            _ => return false,
        };
        let [l, r, coins, io] = parts;
        let word = self.isa.bytes() / 8;
        assert!(
            l.len() == self.planes * word
                && r.len() == l.len()
                && coins.len() >= self.coins * word
                && io.len() == 2 * word
        );
        // SAFETY: the bytes are a whole function of this type, made by `assemble` for `planes` planes of each agent, `coins` coins and two
        // words, of which it touches no others (apart from its own frame, whose pages it touches in order); the lengths are asserted. The
        // four parts are borrowed and so do not overlap. It uses registers that a function may use, and instructions whose presence
        // `new` has seen. The pages are executable and live as long as `self`.
        unsafe {
            let function: Function = std::mem::transmute(self.pages.as_ptr());
            function(l.as_mut_ptr(), r.as_mut_ptr(), coins.as_ptr(), io.as_mut_ptr());
        }
        true
    }
}
