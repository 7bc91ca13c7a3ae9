//! Many trials at once: each record is that of its seed alone, and an observer hears of what had begun, and of nothing else.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Collect, ENTRIES, agents, batch, entry, open, run};
use ringleader::trial::{Engine, Record, Trial};

fn ppl(n: usize) -> Trial {
    Trial { phases: false, ..Trial::new("ppl", n, 0) }
}

fn alone(trial: &Trial, seed: u64) -> Record {
    run(&Trial { seed, ..trial.clone() }).1
}

/// What an observer that may break off is told of the seeds from 0 on, in the order in which it is told.
fn told(trial: &Trial, trials: u64, engine: Engine, collect: Collect) -> Vec<(usize, Record)> {
    let seeds: Vec<u64> = (0..trials).collect();
    entry(&trial.protocol).run(trial, &seeds, engine, &collect).unwrap();
    collect.told()
}

#[test]
fn a_batch_is_its_trials_one_by_one() {
    for seeds in [[3, 4, 5], [u64::MAX, 0, 7]] {
        assert_eq!(batch(&ppl(5), &seeds, Engine::Auto), seeds.map(|seed| alone(&ppl(5), seed)));
    }
    for entry in ENTRIES.iter() {
        let trial = Trial { limit: Some(20_000), ..Trial::new(&entry.about().name, 7, 0) };
        let one_by_one = [8, 9].map(|seed| alone(&trial, seed));
        assert_eq!(batch(&trial, &[8, 9], Engine::Auto), one_by_one, "{}", entry.about().name);
    }
}

#[test]
fn a_batch_on_lanes_is_its_trials_one_by_one() {
    let seeds: Vec<u64> = (20..120).collect();
    for (protocol, n) in [("ppl", 9), ("ysm", 12), ("por", 10), ("pcl", 8)] {
        let trial = Trial { phases: false, ..Trial::new(protocol, n, 0) };
        let expected: Vec<Record> = seeds.iter().map(|&seed| alone(&trial, seed)).collect();
        for engine in [Engine::Stepper, Engine::Sliced, Engine::Auto] {
            assert_eq!(batch(&trial, &seeds, engine), expected, "{protocol}, {}", engine.name());
        }
    }
}

/// What was under way when somebody broke off: marked, and a beginning of what it would have been.
fn is_beginning(record: &Record, whole: &Record) {
    assert!(record.interrupted && !record.censored && record.safe.is_none(), "{record:?}");
    assert!(record.steps <= whole.steps && record.last_output_change <= record.steps, "{record:?} of {whole:?}");
    assert!(record.coins_read <= whole.coins_read && record.limit == whole.limit, "{record:?} of {whole:?}");
}

#[test]
fn the_stepper_tells_what_ended_and_the_one_that_was_under_way() {
    let two = told(&ppl(5), 9, Engine::Stepper, Collect::at_most(2));
    assert_eq!(two, [0, 1].map(|seed| (seed as usize, alone(&ppl(5), seed))));
    for looks in [0, 1, 10, 60] {
        let mut told = told(&ppl(9), 9, Engine::Stepper, Collect::looking(looks));
        let (index, last) = told.pop().unwrap();
        assert_eq!(index, told.len());
        is_beginning(&last, &alone(&ppl(9), index as u64));
        let ended: Vec<(usize, Record)> = (0..index).map(|seed| (seed, alone(&ppl(9), seed as u64))).collect();
        assert_eq!(told, ended, "{looks} looks");
        assert!(looks > 0 || last.steps == 0);
    }
}

#[test]
fn the_lanes_tell_what_ended_and_what_was_under_way() {
    let (trial, trials) = (ppl(9), 500);
    let lanes = entry("ppl").at_once(&trial, Engine::SlicedPortable).unwrap();
    assert!(lanes < trials as usize / 2, "{lanes} lanes");
    let looks = [0, 1, 2, 8].map(Collect::looking);
    let records = [1, 2, 100].map(Collect::at_most);
    for collect in looks.into_iter().chain(records) {
        let (most, first) = (collect.records, collect.looks == Some(0));
        let told = told(&trial, trials, Engine::SlicedPortable, collect);
        let ended = told.iter().take_while(|(_, record)| !record.interrupted).count();
        for (k, (seed, record)) in told.iter().enumerate() {
            let whole = alone(&trial, *seed as u64);
            if k < ended {
                assert_eq!(*record, whole);
            } else {
                is_beginning(record, &whole);
            }
            assert!(!first || record.steps == 0);
        }
        assert!(most.is_none_or(|most| most == ended), "{ended} ended");
        // Seeds take the lanes in their order, so what had begun is a beginning of them; each is told once.
        let mut begun: Vec<usize> = told.iter().map(|(seed, _)| *seed).collect();
        begun.sort_unstable();
        assert!(begun.iter().copied().eq(0..told.len()), "{begun:?}");
        let under_way = told.len() - ended;
        assert!((1..=lanes).contains(&under_way), "{under_way} of {lanes} lanes were under way");
    }
}

/// An observer that keeps saying stop is still told all of what was under way.
#[test]
fn whoever_breaks_off_twice_misses_nothing() {
    struct Never(std::sync::Mutex<Vec<usize>>);
    impl ringleader::observer::Observer for Never {
        fn finished(&self, index: usize, _: Record) -> std::ops::ControlFlow<()> {
            self.0.lock().unwrap().push(index);
            std::ops::ControlFlow::Break(())
        }
    }
    let never = Never(std::sync::Mutex::default());
    entry("ppl").run(&ppl(9), &(0..20).collect::<Vec<u64>>(), Engine::Sliced, &never).unwrap();
    let mut told = never.0.into_inner().unwrap();
    told.sort_unstable();
    assert!(told.iter().copied().eq(0..20), "{told:?}");
}

#[test]
fn a_session_that_is_broken_off_stands_where_its_record_says() {
    for engine in [Engine::Stepper, Engine::Sliced] {
        for (looks, n) in [(0, 9), (0, 3000), (2, 200), (3, 20)] {
            let trial = ppl(n);
            let mut session = open(&trial);
            let record = session.run(&trial, engine, &Collect::looking(looks)).unwrap();
            assert!(record.interrupted && (looks == 0) == (record.steps == 0), "{}: {record:?}", engine.name());
            let mut stepped = open(&trial);
            stepped.advance(record.steps).unwrap();
            assert_eq!(agents(&*session), agents(&*stepped), "{} n {n}", engine.name());
        }
    }
}

/// A window of a long ring takes long: whoever breaks off in the middle of the first one is heard, and nothing has happened then.
#[test]
fn a_long_ring_is_broken_off_within_a_window() {
    for (engine, phases) in [(Engine::Stepper, false), (Engine::Stepper, true), (Engine::SlicedPortable, false)] {
        let trial = Trial { phases, ..ppl(1 << 17) };
        let (mut session, collect) = (open(&trial), Collect::looking(1));
        let record = session.run(&trial, engine, &collect).unwrap();
        assert!(record.interrupted && record.steps == 0, "{}, phases {phases}: {record:?}", engine.name());
        assert_eq!(agents(&*session), agents(&*open(&trial)), "{}, phases {phases}", engine.name());
    }
}

/// The limit comes in the middle of a window, which lanes run to its end and then replay: that can be broken off as well.
#[test]
fn a_run_that_is_broken_off_anywhere_stands_where_its_record_says() {
    let trial = Trial { limit: Some(700_000), ..ppl(1 << 14) };
    for engine in [Engine::SlicedPortable, Engine::Stepper] {
        for looks in 0.. {
            let (mut session, collect) = (open(&trial), Collect::looking(looks));
            let record = session.run(&trial, engine, &collect).unwrap();
            if !record.interrupted {
                assert!(looks > 2, "{}: asked {looks} times", engine.name());
                break;
            }
            let mut stepped = open(&trial);
            stepped.advance(record.steps).unwrap();
            assert_eq!(agents(&*session), agents(&*stepped), "{}, {looks} looks, {record:?}", engine.name());
        }
    }
}

#[test]
fn a_batch_refuses_what_a_trial_refuses() {
    let collect = Collect::default();
    assert!(entry("ppl").run(&ppl(2), &[0], Engine::Auto, &collect).is_err());
    assert!(collect.told().is_empty());
}
