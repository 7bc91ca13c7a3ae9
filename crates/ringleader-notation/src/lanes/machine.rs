//! Machine code of a network, made when it is first asked for, and compared with the interpreter before it is used.

use std::sync::OnceLock;

use ringleader::circuit::{Bit, Wide};
use ringleader::random::mix;

use super::assemble::{Assembled, Base, Isa, Place, assemble};
use super::guards::{Guarded, Rings, guarded};
use super::interpret::Steps;
use super::memory::Code;
use super::network::Network;
use super::{MOST_COINS, Sample, pairs};
use crate::graph::Cone;

/// The code for each kind of word, or why there is none.
pub(super) struct Machine {
    cone: Cone,
    network: Network,
    /// How many planes of l, of r, coins and words that are asked there are.
    parts: [usize; 4],
    outputs: Vec<Place>,
    /// Which planes the outputs are, all but the last.
    changed: Vec<u16>,
    /// Some states of an agent in 64 lanes.
    sample: Sample,
    avx512: OnceLock<Result<Code, String>>,
    avx2: OnceLock<Result<Code, String>>,
}

/// So many random words of each plane are compared with the interpreter.
const WORDS: u64 = 64;

impl Machine {
    pub(super) fn new(cone: Cone, network: Network, parts: [usize; 4], changed: &[u16], sample: Sample) -> Self {
        let width = parts[0] as u32;
        let place = |&plane: &u16| match u32::from(plane) {
            plane if plane < width => Place { base: Base::L, index: plane },
            plane => Place { base: Base::R, index: plane - width },
        };
        let outputs = changed.iter().map(place).chain([Place { base: Base::Io, index: 0 }]).collect();
        let changed = changed.to_vec();
        Self { cone, network, parts, outputs, changed, sample, avx512: OnceLock::new(), avx2: OnceLock::new() }
    }

    fn assembled(&self, isa: Isa) -> Result<Assembled, String> {
        let guarded = self.guarded(isa);
        let (inputs, outputs) = (self.inputs(), &self.outputs);
        assemble(isa, &guarded, &inputs, outputs, (self.parts[0], self.parts[2]))
    }

    /// Where the inputs are.
    fn inputs(&self) -> Vec<Place> {
        let bases = [Base::L, Base::R, Base::Coins, Base::Io];
        let of_base = |(base, count): (Base, usize)| (0..count as u32).map(move |index| Place { base, index });
        bases.into_iter().zip(self.parts).flat_map(of_base).collect()
    }

    /// What the code is made of.
    fn guarded(&self, isa: Isa) -> Guarded {
        let settled = match isa {
            Isa::Avx512 => self.network.clone(),
            Isa::Avx2 => Network::of(&self.cone, self.parts.iter().sum(), &pairs::price),
        };
        let kept: Vec<Option<u32>> = self.changed.iter().map(|&plane| Some(u32::from(plane))).chain([None]).collect();
        let mut guarded = guarded(&settled, &kept, &self.rings().rare(&settled));
        if isa == Isa::Avx512 {
            let is_guard = |value| guarded.blocks.iter().any(|block| block.guard == value);
            guarded.network = guarded.network.clone().with_plain_outputs(is_guard);
        }
        guarded
    }

    /// Rings on which it is looked at how often things happen.
    fn rings(&self) -> Rings<'_> {
        let agents = (0..16).map(|ring| (0..8).map(|agent| (self.sample)(8 * ring + agent)).collect()).collect();
        Rings { planes: self.parts[0], coins: self.parts[2], agents, changed: &self.changed }
    }

    /// Why there is no code for a kind of word, if there is none.
    pub(super) fn missing(&self, isa: Isa, steps: &Steps, changed: &[u16]) -> Option<String> {
        self.code(isa).get_or_init(|| self.made(isa, steps, changed)).as_ref().err().cloned()
    }

    fn code(&self, isa: Isa) -> &OnceLock<Result<Code, String>> {
        match isa {
            Isa::Avx512 => &self.avx512,
            Isa::Avx2 => &self.avx2,
        }
    }

    #[cold]
    fn made(&self, isa: Isa, steps: &Steps, changed: &[u16]) -> Result<Code, String> {
        let code = Code::new(&self.assembled(isa)?)?;
        (0..WORDS).try_for_each(|seed| self.compare(isa, &code, steps, changed, seed)).map(|()| code)
    }

    /// One interaction in all lanes, if there is code for these words.
    #[inline(always)]
    pub(super) fn run<B: Bit>(
        &self,
        steps: &Steps,
        changed: &[u16],
        l: &mut [B],
        r: &mut [B],
        coins: &[B],
        when: B,
    ) -> Option<B> {
        let mut io = [when, B::ONE];
        let isa = match B::wide(&mut io) {
            Wide::None => return None,
            Wide::Avx2(_) => Isa::Avx2,
            Wide::Avx512(_) => Isa::Avx512,
        };
        let code = self.code(isa).get_or_init(|| self.made(isa, steps, changed)).as_ref().ok()?;
        let ran = if coins.is_empty() {
            code.call(B::wide(l), B::wide(r), B::wide(&mut []), B::wide(&mut io))
        } else {
            let mut held = [B::ZERO; MOST_COINS];
            held[..coins.len()].copy_from_slice(coins);
            code.call(B::wide(l), B::wide(r), B::wide(&mut held), B::wide(&mut io))
        };
        ran.then_some(io[0])
    }

    /// The code and the interpreter on random words.
    fn compare(&self, isa: Isa, code: &Code, steps: &Steps, changed: &[u16], seed: u64) -> Result<(), String> {
        match isa {
            Isa::Avx512 => self.compare_words::<8>(code, steps, changed, seed, |words| Wide::Avx512(words)),
            Isa::Avx2 => self.compare_words::<4>(code, steps, changed, seed, |words| Wide::Avx2(words)),
        }
    }

    fn compare_words<const N: usize>(
        &self,
        code: &Code,
        steps: &Steps,
        changed: &[u16],
        seed: u64,
        wide: impl Fn(&mut [[u64; N]]) -> Wide<'_>,
    ) -> Result<(), String> {
        let mut state = seed << 32;
        let mut number = || {
            state = state.wrapping_add(1);
            mix(state)
        };
        let when: [u64; N] = std::array::from_fn(|_| number());
        // Much happens only where most bits are clear, and jumps are taken only where some are clear in every lane.
        let mut planes = |count: usize| -> Vec<[u64; N]> {
            let mut plane = || {
                let clear = seed % 4 > 1 && number() % 4 > 0;
                let mut word = || if seed.is_multiple_of(2) { number() } else { number() & number() & number() };
                if clear { [0; N] } else { std::array::from_fn(|_| word()) }
            };
            (0..count).map(|_| plane()).collect()
        };
        let [width, _, coins, _] = self.parts;
        let (mut l, mut r, mut coins) = (planes(width), planes(width), planes(coins));
        let part = |words: &[[u64; N]], k: usize| words.iter().map(|word| word[k]).collect::<Vec<u64>>();
        let expected: Vec<(Vec<u64>, Vec<u64>, u64)> = (0..N)
            .map(|k| {
                let (mut l, mut r) = (part(&l, k), part(&r, k));
                let told = steps.run(&mut l, &mut r, &part(&coins, k), when[k], changed);
                (l, r, told)
            })
            .collect();
        let mut io = [when, [u64::MAX; N]];
        let ran = code.call(wide(&mut l), wide(&mut r), wide(&mut coins), wide(&mut io));
        let same = (0..N).all(|k| expected[k] == (part(&l, k), part(&r, k), io[0][k]));
        if ran && same { Ok(()) } else { Err("machine code differs from the interpreter".to_owned()) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Lanes, assemble::forgetful};
    use super::*;
    use crate::setting::Setting;
    use ringleader::params::Params;

    fn lanes(name: &str) -> Lanes {
        let path = format!("{}/../../protocols/{name}.py", env!("CARGO_MANIFEST_DIR"));
        let program = crate::read(name, &std::fs::read_to_string(path).unwrap()).unwrap();
        let setting = Setting::new(&program, 12, &Params::default()).unwrap_or_else(|_| panic!("{name}"));
        Lanes::new(&program, &setting, true, |_| false).unwrap()
    }

    /// Whether code that is not as it should be is told from the interpreter.
    fn is_noticed(lanes: &Lanes, isa: Isa, assembled: &Assembled) -> bool {
        let step = &lanes.0.step;
        let code = Code::new(assembled).unwrap();
        (0..WORDS).any(|seed| step.machine.compare(isa, &code, &step.steps, &step.changed, seed).is_err())
    }

    fn available() -> impl Iterator<Item = Isa> {
        let has = [(Isa::Avx512, is_x86_feature_detected!("avx512f")), (Isa::Avx2, is_x86_feature_detected!("avx2"))];
        has.into_iter().filter(|(_, has)| *has).map(|(isa, _)| isa)
    }

    #[test]
    fn a_function_that_is_wrong_is_noticed() {
        for isa in available() {
            let lanes = lanes("elim");
            let machine = &lanes.0.step.machine;
            let right = machine.guarded(isa);
            for node in 0..right.network.nodes.len() {
                let mut wrong = Guarded { network: right.network.clone(), blocks: right.blocks.clone() };
                // Another settled function.
                wrong.network.nodes[node].table ^= 0x66;
                let assembled =
                    assemble(isa, &wrong, &machine.inputs(), &machine.outputs, (machine.parts[0], 0)).unwrap();
                assert!(is_noticed(&lanes, isa, &assembled), "{isa:?}, node {node}");
            }
        }
    }

    #[test]
    fn a_spill_that_is_forgotten_is_noticed() {
        for isa in available() {
            let lanes = lanes("ppl");
            let machine = &lanes.0.step.machine;
            let (guarded, parts) = (machine.guarded(isa), (machine.parts[0], 0));
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
            let machine = &lanes.0.step.machine;
            let mut wrong = machine.guarded(isa);
            assert!(!wrong.blocks.is_empty(), "{isa:?}");
            let other = wrong.network.nodes[wrong.blocks[0].from].of[0];
            wrong.blocks[0].guard = other;
            wrong.blocks[0].to += 1;
            let parts = (machine.parts[0], 0);
            let assembled = assemble(isa, &wrong, &machine.inputs(), &machine.outputs, parts).unwrap();
            assert!(is_noticed(&lanes, isa, &assembled), "{isa:?}");
        }
    }
}
