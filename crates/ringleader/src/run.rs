//! A trial for each seed, on the engine that suits. One trial is a batch of one, and a typed configuration is passed as such.

use std::ops::ControlFlow;

use crate::agree::{PAIRS, agree};
use crate::circuit::{Circuit, WithCircuit};
use crate::engine::sliced::{self, Batch, Ended, Words};
use crate::engine::stepper::Stepper;
use crate::engine::whole::Whole;
use crate::error::Error;
use crate::instance::Instance;
use crate::observer::Observer;
use crate::protocol::Protocol;
use crate::schedule::AnySchedule;
use crate::trial::{Engine, Record, Scheduler, Trial};

/// With fewer lanes in use than this the stepper is faster.
const WORTH_SLICING: usize = 48;

/// The initial configuration of a seed.
type Starts<'a, P> = dyn Fn(u64) -> Result<Vec<<P as crate::protocol::Transition>::State>, Error> + 'a;

impl<P: Protocol> Instance<P> {
    /// Runs a trial once for each of these seeds, and tells the observer of every record.
    ///
    /// # Errors
    /// If the trial is refused, or the engine cannot do it.
    pub fn run(&self, trial: &Trial, seeds: &[u64], engine: Engine, observer: &dyn Observer) -> Result<(), Error> {
        let start = |seed| self.initial(trial.from.as_ref(), seed);
        self.run_each(trial, seeds, &start, engine, observer, &mut |index, record, _| observer.finished(index, record))
    }

    /// Runs a trial from a configuration; its record, and the last configuration.
    ///
    /// # Errors
    /// If the trial is refused, or the engine cannot do it.
    pub fn run_from(
        &self,
        trial: &Trial,
        config: &[P::State],
        engine: Engine,
        observer: &dyn Observer,
    ) -> Result<(Record, Vec<P::State>), Error> {
        let mut ended = None;
        let start = |_| Ok(config.to_vec());
        self.run_each(trial, &[trial.seed], &start, engine, observer, &mut |_, record, last| {
            ended = Some((record, last));
            ControlFlow::Continue(())
        })?;
        ended.ok_or_else(|| Error::new("trial", trial.seed, "it did not begin"))
    }

    fn run_each(
        &self,
        trial: &Trial,
        seeds: &[u64],
        start: &Starts<'_, P>,
        engine: Engine,
        observer: &dyn Observer,
        ended: &mut Ended<'_, P>,
    ) -> Result<(), Error> {
        let limit = self.check_faults(trial)?;
        let start = |seed| {
            let config = start(seed)?;
            self.protocol.accepts(&config).map(|()| config)
        };
        let batch = Batch { protocol: &self.protocol, ring: self.ring, limit, seeds, start: &start, observer };
        match self.words(trial, seeds.len(), engine)? {
            Some(words) => {
                let sliced = self.protocol.with_circuit(Slice { batch: &batch, words, ended });
                sliced.unwrap_or_else(|| Err(no_circuit(engine)))
            }
            None => self.one_by_one(trial, &batch, ended),
        }
    }

    fn one_by_one(&self, trial: &Trial, batch: &Batch<'_, P>, ended: &mut Ended<'_, P>) -> Result<(), Error> {
        let (elects, safe) = (self.blueprint.about.elects, self.blueprint.safe_phase());
        for (index, &seed) in batch.seeds.iter().enumerate() {
            let schedule = AnySchedule::new(trial.scheduler, self.ring, seed);
            let stepper = Stepper::new(self.protocol.clone(), (batch.start)(seed)?, schedule);
            let mut whole = Whole::new(trial, seed, batch.limit, &self.blueprint.phases, stepper);
            let record = whole.run(elects, &safe, batch.observer);
            let interrupted = record.interrupted;
            if ended(index, record, whole.stepper.config).is_break() || interrupted {
                break;
            }
        }
        Ok(())
    }

    /// The words in which so many trials of this kind are run at once; `None` if the stepper does them.
    fn words(&self, trial: &Trial, rings: usize, engine: Engine) -> Result<Option<Words>, Error> {
        let Some(words) = words(engine) else { return Ok(None) };
        let refusal = unsliceable(trial);
        if engine == Engine::Auto {
            let worth = sliced::at_once(words, self.ring.n(), rings).1 >= WORTH_SLICING;
            return Ok((worth && refusal.is_none() && self.has_circuit()).then_some(words));
        }
        refusal.map_or(Ok(Some(words)), |why| Err(Error::new("engine", engine.name(), why)))
    }

    /// How many trials of this kind are best run at once by one thread, given as many: 1, or as many as the lanes have room for.
    pub fn at_once(&self, trial: &Trial, engine: Engine) -> usize {
        match words(engine) {
            Some(words) if unsliceable(trial).is_none() && self.has_circuit() => {
                sliced::at_once(words, self.ring.n(), usize::MAX).0
            }
            _ => 1,
        }
    }

    /// Whether the protocol has a second form.
    pub fn has_circuit(&self) -> bool {
        struct Exists;
        impl<S> WithCircuit<S> for Exists {
            type Output = ();
            fn with<C: Circuit<State = S>>(self, _: C) {}
        }
        self.protocol.with_circuit(Exists).is_some()
    }
}

/// Chooses the reading, once the circuit is known.
struct Slice<'a, 'b, P: Protocol> {
    batch: &'a Batch<'a, P>,
    words: Words,
    ended: &'a mut Ended<'b, P>,
}

impl<P: Protocol> WithCircuit<P::State> for Slice<'_, '_, P> {
    type Output = Result<(), Error>;

    fn with<C: Circuit<State = P::State>>(self, circuit: C) -> Self::Output {
        agree(self.batch.protocol, &circuit, PAIRS, SEED).map_err(|differ| {
            let advice = "make the circuit compute what the clear form does, or use --engine stepper";
            Error::new("circuit", "not the clear form", format!("{differ}; {advice}"))
        })?;
        sliced::run_in(self.batch, circuit, self.words, self.ended)
    }
}

/// The seed of the pairs on which a circuit is compared with the clear form before it is used.
const SEED: u64 = 1;

fn no_circuit(engine: Engine) -> Error {
    Error::new("engine", engine.name(), "the protocol has no circuit that it runs; use the stepper")
}

/// Why the sliced engine cannot run a trial.
fn unsliceable(trial: &Trial) -> Option<&'static str> {
    if trial.scheduler != Scheduler::Clocks {
        Some("it follows clocks only (--scheduler clocks)")
    } else if !trial.faults.is_empty() {
        Some("it knows no faults; use the stepper")
    } else if trial.phases {
        Some("phases need a look at every step; use the stepper, or --no-phases")
    } else {
        None
    }
}

/// The words of an engine; the stepper has none.
fn words(engine: Engine) -> Option<Words> {
    match engine {
        Engine::Stepper => None,
        Engine::SlicedPortable => Some(Words::Portable),
        Engine::SlicedAvx2 => Some(Words::Avx2),
        Engine::Auto | Engine::Sliced => Some(Words::widest()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::blueprint::Blueprint;
    use crate::params::Params;
    use crate::protocol::{Input, Transition};
    use crate::protocols::ysm::{State, Ysm};
    use crate::ring::Orientation;
    use crate::variables::Variables;

    /// [YSM21] after an author has tried another rule in the clear form, and forgotten the circuit.
    #[derive(Clone)]
    struct Edited(Ysm);

    impl Transition for Edited {
        type State = State;
        fn interact(&self, l: &mut State, r: &mut State, input: Input) {
            self.0.interact(l, r, input);
            r.signal_b &= 1 - r.shield;
        }
    }

    impl Protocol for Edited {
        fn variables(&self) -> Variables<State> {
            self.0.variables()
        }
        fn is_safe(&self, config: &[State]) -> bool {
            self.0.is_safe(config)
        }
        fn is_leader(&self, state: &State) -> bool {
            self.0.is_leader(state)
        }
        fn with_circuit<W: WithCircuit<State>>(&self, work: W) -> Option<W::Output> {
            self.0.with_circuit(work)
        }
    }

    #[test]
    fn a_circuit_that_is_not_the_clear_form_is_never_used() {
        let new = |ring, params: &Params| Ok(Edited(Ysm::new(ring, params)?));
        let blueprint = Blueprint::new("edited", Orientation::Directed, new).elects().uniform();
        let instance = Instance::new(Arc::new(blueprint), 8, &Params::default()).unwrap();
        let trial = Trial { phases: false, limit: Some(1000), ..Trial::new("edited", 8, 1) };
        let seeds: Vec<u64> = (0..600).collect();
        for engine in [Engine::Auto, Engine::Sliced, Engine::SlicedPortable] {
            let refused = instance.run(&trial, &seeds, engine, &()).unwrap_err();
            assert!(refused.name == "circuit" && refused.to_string().contains("--engine stepper"), "{refused}");
        }
        assert_eq!(instance.run(&trial, &seeds[..3], Engine::Stepper, &()), Ok(()));
    }
}
