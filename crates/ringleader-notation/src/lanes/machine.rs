//! Machine code of a network, made when it is first asked for, and compared with the network before it is used.

use std::sync::{Arc, OnceLock};

use ringleader::circuit::{Bit, Wide};

use super::assemble::{Assembled, Base, Isa, Place, assemble};
use super::ground::{Ground, WORDS};
use super::guards::Guarded;
use super::memory::Code;
use super::network::Network;
use super::{MOST_COINS, pairs};

/// The code for each kind of word, or why there is none.
pub(super) struct Machine {
    ground: Arc<Ground>,
    outputs: Vec<Place>,
    avx512: OnceLock<Result<Code, String>>,
    avx2: OnceLock<Result<Code, String>>,
}

impl Machine {
    pub(super) fn new(ground: Arc<Ground>) -> Self {
        let width = ground.parts[0] as u32;
        let place = |&plane: &u16| match u32::from(plane) {
            plane if plane < width => Place { base: Base::L, index: plane },
            plane => Place { base: Base::R, index: plane - width },
        };
        let outputs = ground.changed.iter().map(place).chain([Place { base: Base::Io, index: 0 }]).collect();
        Self { ground, outputs, avx512: OnceLock::new(), avx2: OnceLock::new() }
    }

    fn assembled(&self, isa: Isa) -> Result<Assembled, String> {
        let parts = self.ground.parts;
        assemble(isa, &self.guarded(isa), &self.inputs(), &self.outputs, (parts[0], parts[2]))
    }

    /// Where the inputs are.
    fn inputs(&self) -> Vec<Place> {
        let bases = [Base::L, Base::R, Base::Coins, Base::Io];
        let of_base = |(base, count): (Base, usize)| (0..count as u32).map(move |index| Place { base, index });
        bases.into_iter().zip(self.ground.parts).flat_map(of_base).collect()
    }

    /// What the code is made of.
    fn guarded(&self, isa: Isa) -> Guarded {
        let Ground { cone, network, parts, .. } = &*self.ground;
        let mut guarded = match isa {
            Isa::Avx512 => self.ground.guarded(network),
            Isa::Avx2 => self.ground.guarded(&Network::of(cone, parts.iter().sum(), &pairs::price)),
        };
        if isa == Isa::Avx512 {
            let is_guard = |value| guarded.blocks.iter().any(|block| block.guard == value);
            guarded.network = guarded.network.clone().with_plain_outputs(is_guard);
        }
        guarded
    }

    /// Why there is no code for a kind of word, if there is none.
    pub(super) fn missing(&self, isa: Isa) -> Option<String> {
        self.code(isa).as_ref().err().cloned()
    }

    fn code(&self, isa: Isa) -> &Result<Code, String> {
        let made = match isa {
            Isa::Avx512 => &self.avx512,
            Isa::Avx2 => &self.avx2,
        };
        made.get_or_init(|| self.made(isa))
    }

    #[cold]
    fn made(&self, isa: Isa) -> Result<Code, String> {
        let code = Code::new(&self.assembled(isa)?)?;
        let same = (0..WORDS).all(|seed| self.agrees(isa, &code, seed));
        if same { Ok(code) } else { Err("machine code differs from the network".to_owned()) }
    }

    /// One interaction in all lanes, if there is code for these words.
    #[inline(always)]
    pub(super) fn run<B: Bit>(&self, l: &mut [B], r: &mut [B], coins: &[B], when: B) -> Option<B> {
        let mut io = [when, B::ONE];
        let isa = match B::wide(&mut io) {
            Wide::None => return None,
            Wide::Avx2(_) => Isa::Avx2,
            Wide::Avx512(_) => Isa::Avx512,
        };
        let code = self.code(isa).as_ref().ok()?;
        let ran = if coins.is_empty() {
            code.call(B::wide(l), B::wide(r), B::wide(&mut []), B::wide(&mut io))
        } else {
            let mut held = [B::ZERO; MOST_COINS];
            held[..coins.len()].copy_from_slice(coins);
            code.call(B::wide(l), B::wide(r), B::wide(&mut held), B::wide(&mut io))
        };
        ran.then_some(io[0])
    }

    /// Whether the code does what the network does to some random words.
    fn agrees(&self, isa: Isa, code: &Code, seed: u64) -> bool {
        match isa {
            Isa::Avx512 => self.agrees_in::<8>(code, seed, |words| Wide::Avx512(words)),
            Isa::Avx2 => self.agrees_in::<4>(code, seed, |words| Wide::Avx2(words)),
        }
    }

    fn agrees_in<const N: usize>(&self, code: &Code, seed: u64, wide: impl Fn(&mut [[u64; N]]) -> Wide<'_>) -> bool {
        self.ground.agrees(seed, |[l, r, coins], when: [u64; N]| {
            let mut io = [when, [u64::MAX; N]];
            code.call(wide(l), wide(r), wide(coins), wide(&mut io)).then_some(io[0])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::lanes;
    use super::super::{Lanes, assemble::forgetful};
    use super::*;

    /// Whether code that is not as it should be is told from the interpreter.
    fn is_noticed(lanes: &Lanes, isa: Isa, assembled: &Assembled) -> bool {
        let code = Code::new(assembled).unwrap();
        (0..WORDS).any(|seed| !lanes.step().machine.agrees(isa, &code, seed))
    }

    fn available() -> impl Iterator<Item = Isa> {
        let has = [(Isa::Avx512, is_x86_feature_detected!("avx512f")), (Isa::Avx2, is_x86_feature_detected!("avx2"))];
        has.into_iter().filter(|(_, has)| *has).map(|(isa, _)| isa)
    }

    #[test]
    fn a_function_that_is_wrong_is_noticed() {
        for isa in available() {
            let lanes = lanes("elim");
            let machine = &lanes.step().machine;
            let right = machine.guarded(isa);
            for node in 0..right.network.nodes.len() {
                let mut wrong = Guarded { network: right.network.clone(), blocks: right.blocks.clone() };
                // Another settled function.
                wrong.network.nodes[node].table ^= 0x66;
                let assembled =
                    assemble(isa, &wrong, &machine.inputs(), &machine.outputs, (machine.ground.parts[0], 0)).unwrap();
                assert!(is_noticed(&lanes, isa, &assembled), "{isa:?}, node {node}");
            }
        }
    }

    #[test]
    fn a_spill_that_is_forgotten_is_noticed() {
        for isa in available() {
            let lanes = lanes("ppl");
            let machine = &lanes.step().machine;
            let (guarded, parts) = (machine.guarded(isa), (machine.ground.parts[0], 0));
            let right = assemble(isa, &guarded, &machine.inputs(), &machine.outputs, parts).unwrap();
            assert!(!is_noticed(&lanes, isa, &right));
            let wrong = forgetful(isa, &guarded, &machine.inputs(), &machine.outputs, parts).unwrap();
            assert!(is_noticed(&lanes, isa, &wrong), "{isa:?}");
        }
    }

    /// A block that is skipped although it is needed.
    #[test]
    fn a_jump_that_is_wrong_is_noticed() {
        for isa in available() {
            let lanes = lanes("ppl");
            let machine = &lanes.step().machine;
            let mut wrong = machine.guarded(isa);
            assert!(!wrong.blocks.is_empty(), "{isa:?}");
            let other = wrong.network.nodes[wrong.blocks[0].from].of[0];
            wrong.blocks[0].guard = other;
            wrong.blocks[0].to += 1;
            let parts = (machine.ground.parts[0], 0);
            let assembled = assemble(isa, &wrong, &machine.inputs(), &machine.outputs, parts).unwrap();
            assert!(is_noticed(&lanes, isa, &assembled), "{isa:?}");
        }
    }
}
