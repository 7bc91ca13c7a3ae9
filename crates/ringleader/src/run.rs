//! A trial for each seed, on the engine that suits. One trial is a batch of one, and a typed configuration is passed as such.

use std::cell::Cell;
use std::ops::ControlFlow;

use crate::agree::{PAIRS, agree};
use crate::circuit::{Circuit, WithCircuit};
use crate::engine::sliced::{self, Batch, Ended, Phases, Words};
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

/// Trials that are over after so many interactions an agent are not worth slicing: what ends a trial there takes as long on the stepper.
const SOON: u64 = 256;
/// Among so many trials two are tried, on rings of at most this size, so that it costs next to nothing.
const WORTH_TRYING: (usize, usize) = (128, 2048);

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

    /// Runs a trial from a configuration, which becomes the last one. It is moved and never copied: a long ring takes much memory.
    ///
    /// # Errors
    /// If the trial is refused, or the engine cannot do it; the configuration is as it was then.
    pub fn run_from(
        &self,
        trial: &Trial,
        config: &mut Vec<P::State>,
        engine: Engine,
        observer: &dyn Observer,
    ) -> Result<Record, Error> {
        self.protocol.accepts(config)?;
        let (held, mut ended) = (Cell::new(std::mem::take(config)), None);
        let start = |_| Ok(held.take());
        let ran = self.run_each(trial, &[trial.seed], &start, engine, observer, &mut |_, record, last| {
            held.set(last);
            ended = Some(record);
            ControlFlow::Continue(())
        });
        *config = held.take();
        ran.and_then(|()| ended.ok_or_else(|| Error::new("trial", trial.seed, "it did not begin")))
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
        let phases = trial.phases.then(|| self.phases());
        let batch = Batch { protocol: &self.protocol, ring: self.ring, limit, seeds, start: &start, phases, observer };
        let words = self.words(trial, seeds.len(), engine)?;
        let soon = words.is_some() && engine == Engine::Auto && self.end_soon(trial, &batch)?;
        match words.filter(|_| !soon) {
            Some(words) => {
                let sliced = self.protocol.with_circuit(Slice { batch: &batch, words, engine, ended });
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

    /// Whether these trials are likely over so soon that lanes do not pay.
    fn end_soon(&self, trial: &Trial, batch: &Batch<'_, P>) -> Result<bool, Error> {
        let (many, largest) = WORTH_TRYING;
        if batch.seeds.len() < many || self.ring.n() > largest {
            return Ok(false);
        }
        let limit = batch.limit.min(SOON * self.ring.n() as u64);
        for &seed in &batch.seeds[..2] {
            let schedule = AnySchedule::new(trial.scheduler, self.ring, seed);
            let stepper = Stepper::new(self.protocol.clone(), (batch.start)(seed)?, schedule);
            let record = Whole::new(trial, seed, limit, &[], stepper).run(false, "", &());
            if record.censored && limit < batch.limit {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The words in which so many trials of this kind are run at once; `None` if the stepper does them.
    fn words(&self, trial: &Trial, rings: usize, engine: Engine) -> Result<Option<Words>, Error> {
        let Some(words) = words(engine) else { return Ok(None) };
        let refusal = unsliceable(trial);
        if engine == Engine::Auto {
            let worth = sliced::at_once(words, self.ring.n(), rings).1 >= WORTH_SLICING;
            let can = || refusal.is_none() && self.has_circuit() && self.can_wait(trial);
            return Ok((worth && can()).then_some(words));
        }
        refusal.map_or(Ok(Some(words)), |why| Err(Error::new("engine", engine.name(), why)))
    }

    /// How many trials of this kind are best run at once by one thread, given as many: 1, or as many as the lanes have room for.
    pub fn at_once(&self, trial: &Trial, engine: Engine) -> usize {
        match words(engine) {
            Some(words) if unsliceable(trial).is_none() && self.has_circuit() && self.can_wait(trial) => {
                sliced::at_once(words, self.ring.n(), usize::MAX).0
            }
            _ => 1,
        }
    }

    /// Why so many trials of this kind run slower in lanes than they might: there is no machine code of the text. `None` if nothing is amiss.
    pub fn slowed(&self, trial: &Trial, trials: usize, engine: Engine) -> Option<String> {
        struct Why(usize);
        impl<S> WithCircuit<S> for Why {
            type Output = Option<String>;
            fn with<C: Circuit<State = S>>(self, circuit: C) -> Option<String> {
                circuit.without_code(self.0)
            }
        }
        let asked = [Engine::Auto, Engine::Sliced, Engine::SlicedAvx2].contains(&engine);
        let words = self.words(trial, trials, engine).ok().flatten().filter(|_| asked)?;
        self.protocol.with_circuit(Why(words.lanes()))?
    }

    fn phases(&self) -> Phases<'_, P> {
        let (elects, safe) = (self.blueprint.about.elects, self.blueprint.safe_phase());
        Phases { all: &self.blueprint.phases, elects, safe }
    }

    /// Whether looking for phases takes hardly any time, if they are asked for: judged by where the trial begins.
    fn can_wait(&self, trial: &Trial) -> bool {
        let waits = |config: Vec<P::State>| self.phases().can_wait(&self.protocol, self.ring, &config);
        !trial.phases || self.initial(trial.from.as_ref(), trial.seed).is_ok_and(waits)
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
    engine: Engine,
    ended: &'a mut Ended<'b, P>,
}

impl<P: Protocol> WithCircuit<P::State> for Slice<'_, '_, P> {
    type Output = Result<(), Error>;

    fn with<C: Circuit<State = P::State>>(self, circuit: C) -> Self::Output {
        agree(self.batch.protocol, &circuit, PAIRS, SEED).map_err(|differ| {
            let advice = "make the circuit compute what the clear form does, or use --engine stepper";
            Error::new("circuit", "not the clear form", format!("{differ}; {advice}"))
        })?;
        let circuit = match self.engine {
            Engine::SlicedInterpreted => circuit.interpreted().ok_or_else(|| compiled(self.engine))?,
            _ => circuit,
        };
        sliced::run_in(self.batch, circuit, self.words, self.ended)
    }
}

/// The seed of the pairs on which a circuit is compared with the clear form before it is used.
const SEED: u64 = 1;

fn compiled(engine: Engine) -> Error {
    Error::new(
        "engine",
        engine.name(),
        "the circuit of this protocol was compiled with the program; texts are interpreted",
    )
}

fn no_circuit(engine: Engine) -> Error {
    Error::new("engine", engine.name(), "the protocol has no circuit that it runs; use the stepper")
}

/// Why the sliced engine cannot run a trial.
fn unsliceable(trial: &Trial) -> Option<&'static str> {
    if trial.scheduler != Scheduler::Clocks {
        Some("it follows clocks only (--scheduler clocks)")
    } else if !trial.faults.is_empty() {
        Some("it knows no faults; use the stepper")
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
        Engine::Auto | Engine::Sliced | Engine::SlicedInterpreted => Some(Words::widest()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::blueprint::Blueprint;
    use crate::blueprint::Declared;
    use crate::observer::{BETWEEN, Progress};
    use crate::params::Params;
    use crate::protocol::{Input, Transition};
    use crate::protocols::ppl::Ppl;
    use crate::protocols::ysm::{State, Ysm};
    use crate::ring::Orientation;
    use crate::trial::Initial;
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

    /// How many interactions and agents were looked at, in all and at most between two questions.
    #[derive(Default)]
    struct Effort {
        all: AtomicU64,
        asked: AtomicU64,
        most: AtomicU64,
    }

    /// [YSM21], whose effort is counted; it is safe late.
    #[derive(Clone)]
    struct Counted(Ysm, Arc<Effort>);

    impl Transition for Counted {
        type State = State;
        fn interact(&self, l: &mut State, r: &mut State, input: Input) {
            self.1.all.fetch_add(1, Ordering::Relaxed);
            self.0.interact(l, r, input);
        }
    }

    impl Protocol for Counted {
        fn variables(&self) -> Variables<State> {
            self.0.variables()
        }
        fn is_safe(&self, config: &[State]) -> bool {
            self.1.all.fetch_add(config.len() as u64, Ordering::Relaxed);
            config.iter().filter(|state| self.is_leader(state)).count() < config.len() / 4
        }
        fn is_leader(&self, state: &State) -> bool {
            self.0.is_leader(state)
        }
    }

    impl Observer for Effort {
        fn progress(&self, _: Progress<'_>) -> ControlFlow<()> {
            let all = self.all.load(Ordering::Relaxed);
            self.most.fetch_max(all - self.asked.swap(all, Ordering::Relaxed), Ordering::Relaxed);
            ControlFlow::Continue(())
        }
    }

    /// However long a window is: it is run, found to be safe, bisected and run again with questions in between.
    #[test]
    fn an_observer_is_asked_after_a_bounded_effort() {
        let (n, effort) = (1 << 16, Arc::new(Effort::default()));
        let counted = effort.clone();
        let new = move |ring, params: &Params| Ok(Counted(Ysm::new(ring, params)?, counted.clone()));
        let blueprint = Blueprint::new("counted", Orientation::Directed, new).elects().uniform();
        let instance = Instance::new(Arc::new(blueprint), n, &Params::default()).unwrap();
        for phases in [false, true] {
            let trial = Trial { phases, ..Trial::new("counted", n, 1) };
            let mut config = vec![State { leader: 1, ..State::default() }; n];
            let record = instance.run_from(&trial, &mut config, Engine::Stepper, &*effort).unwrap();
            assert!(record.safe.is_some_and(|step| step > 0), "{record:?}");
        }
        let (all, most) = (effort.all.load(Ordering::Relaxed), effort.most.load(Ordering::Relaxed));
        assert!(most <= BETWEEN + 2 * n as u64 && all > 4 * most, "{most} of {all}");
    }

    /// A long ring takes much memory.
    #[test]
    fn a_configuration_is_run_where_it_is() {
        let instance = Instance::new(Arc::new(Ppl::blueprint()), 64, &Params::default()).unwrap();
        let trial = Trial { limit: Some(1000), ..Trial::new("ppl", 64, 1) };
        let mut config = instance.initial(None, 1).unwrap();
        let (place, first) = (config.as_ptr(), config.clone());
        for (fault, engine) in [("agents=65,at=0", Engine::Auto), ("agents=5,at=0", Engine::SlicedPortable)] {
            let wrong = Trial { faults: vec![fault.parse().unwrap()], ..trial.clone() };
            assert!(instance.run_from(&wrong, &mut config, engine, &()).is_err(), "{fault}");
        }
        assert_eq!(config, first, "what is refused changes nothing");
        assert_eq!(instance.run_from(&trial, &mut config, Engine::Stepper, &()).unwrap().steps, 1000);
        assert!(config != first && config.as_ptr() == place);
    }

    /// Trials that begin in the safe set, or have a low limit, and others.
    #[test]
    fn what_ends_soon_is_told_beforehand() {
        let instance = Instance::new(Arc::new(Ppl::blueprint()), 16, &Params::default()).unwrap();
        let ends_soon = |start: &str, seeds: u64, limit: Option<u64>| {
            let trial = Trial { phases: false, limit, ..Trial::new("ppl", 16, 1) };
            let seeds: Vec<u64> = (0..seeds).collect();
            let initial = Initial::Named(start.to_owned());
            let start = |seed| instance.initial(Some(&initial), seed);
            let (protocol, ring, limit) = (&instance.protocol, instance.ring, instance.limit(&trial));
            let batch = Batch { protocol, ring, limit, seeds: &seeds, start: &start, phases: None, observer: &() };
            instance.end_soon(&trial, &batch).unwrap()
        };
        assert!(ends_soon("safe", 200, None) && ends_soon("leaderless", 200, Some(100)));
        assert!(!ends_soon("leaderless", 200, None) && !ends_soon("safe", 20, None));
    }

    #[test]
    fn a_circuit_that_is_not_the_clear_form_is_never_used() {
        let new = |ring, params: &Params| Ok(Edited(Ysm::new(ring, params)?));
        let blueprint = Blueprint::new("edited", Orientation::Directed, new).elects().uniform();
        let instance = Instance::new(Arc::new(blueprint), 64, &Params::default()).unwrap();
        let trial = Trial { phases: false, limit: Some(100_000), ..Trial::new("edited", 64, 1) };
        let seeds: Vec<u64> = (0..600).collect();
        for engine in [Engine::Auto, Engine::Sliced, Engine::SlicedPortable] {
            let refused = instance.run(&trial, &seeds, engine, &()).unwrap_err();
            assert!(refused.name == "circuit" && refused.to_string().contains("--engine stepper"), "{refused}");
        }
        assert_eq!(instance.run(&trial, &seeds[..3], Engine::Stepper, &()), Ok(()));
    }
}
