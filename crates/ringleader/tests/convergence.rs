//! The steps of a record, against a naive run that looks at everything after every interaction.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{ENTRIES, agents, entry, open, params, run, trial};
use ringleader::fault::Fault;
use ringleader::session::Session;
use ringleader::trial::{Engine, Record, Trial};
use ringleader::value::Value;

/// What a naive observer notes down.
#[derive(Default)]
struct Naive {
    safe: Option<u64>,
    last_change: u64,
    first_leader: Option<u64>,
    one_leader: Option<u64>,
    last_kill: Option<u64>,
    facts: Vec<(&'static str, Option<u64>)>,
}

fn fact(session: &dyn Session, name: &str) -> bool {
    let facts = session.facts();
    let inner = facts.get("P_PL").filter(|_| facts.get(name).is_none());
    inner.unwrap_or(&facts).get(name) == Some(&Value::Bool(true))
}

fn naive(trial: &Trial, output: &[&str], names: &[&'static str]) -> Naive {
    let mut session = open(trial);
    let mut seen = Naive { facts: names.iter().map(|name| (*name, None)).collect(), ..Naive::default() };
    let outputs = |session: &dyn Session| -> Vec<Option<Value>> {
        let agents = agents(session).into_iter();
        agents.flat_map(|agent| output.iter().map(|name| agent.get(name).cloned()).collect::<Vec<_>>()).collect()
    };
    let (mut before, mut leaders) = (outputs(&*session), session.leaders());
    for t in 0.. {
        assert!(t < 10_000_000, "the naive run does not end");
        if outputs(&*session) != before {
            (before, seen.last_change) = (outputs(&*session), t);
        }
        let now = session.leaders();
        if leaders.iter().any(|i| !now.contains(i)) {
            seen.last_kill = Some(t);
        }
        leaders = now;
        if !leaders.is_empty() {
            seen.first_leader.get_or_insert(t);
        }
        if leaders.len() == 1 {
            seen.one_leader.get_or_insert(t);
        }
        for (name, step) in &mut seen.facts {
            if step.is_none() && fact(&*session, name) {
                *step = Some(t);
            }
        }
        if session.is_safe() {
            seen.safe = Some(t);
            return seen;
        }
        session.advance(1).unwrap();
    }
    seen
}

fn step(record: &Record, name: &str) -> Option<u64> {
    record.phases.iter().find(|phase| phase.name == name).unwrap_or_else(|| panic!("no phase {name}")).step
}

#[test]
fn every_step_of_a_record_of_p_pl_is_exact() {
    for start in
        ["leaderless", "uniform", "all-leaders", "two-leaders", "stale-signals", "live-bullets", "tokens", "safe"]
    {
        for seed in 0..6 {
            let n = [3, 5, 8, 12, 17, 24][seed as usize];
            let trial = trial("ppl", n, &[("kappa", 4)], start, seed);
            let (naive, (_, record)) = (naive(&trial, &["leader"], &["C_PB", "C_DL", "perfect"]), run(&trial));
            assert_eq!(record.safe, naive.safe, "{start} n {n} seed {seed}");
            assert_eq!(record.last_output_change, naive.last_change, "{start} n {n} seed {seed}");
            assert_eq!(step(&record, "first leader"), naive.first_leader, "{start} n {n} seed {seed}");
            assert_eq!(step(&record, "one leader"), naive.one_leader, "{start} n {n} seed {seed}");
            assert_eq!(step(&record, "last leader killed"), naive.last_kill, "{start} n {n} seed {seed}");
            for (name, seen) in naive.facts {
                assert_eq!(step(&record, name), seen, "{name} {start} n {n} seed {seed}");
            }
        }
    }
}

#[test]
fn every_step_of_a_record_of_the_other_protocols_is_exact() {
    let cases: [(&str, &[&str], &[&'static str]); 11] = [
        ("por", &["color", "dir"], &[]),
        ("pcl", &["color"], &[]),
        ("pcl-derandomised", &["color"], &[]),
        ("undirected", &["leader"], &["red_free", "C_DL", "perfect"]),
        ("ysm", &["leader"], &[]),
        ("fj", &["leader"], &[]),
        ("aaf", &["leader"], &[]),
        ("elim", &["leader"], &[]),
        ("aaf-orientation", &["color", "pre", "suc"], &[]),
        ("aaf-colouring", &["color"], &[]),
        ("aaf-token", &[], &[]),
    ];
    for (protocol, output, names) in cases {
        for seed in 0..8 {
            let n = 3 + seed as usize;
            let params: &[(&str, u64)] = match protocol {
                "undirected" => &[("kappa", 3)],
                "ysm" => &[("bound", 12)],
                // Late enough that the oracle has to remember from one look to the next.
                "fj" => &[("delay", 40)],
                "aaf" | "elim" | "aaf-token" => &[],
                _ => &[("colors", 4)],
            };
            let start = if protocol == "elim" { "all-leaders" } else { "uniform" };
            let trial = trial(protocol, n, params, start, seed);
            let (naive, (_, record)) = (naive(&trial, output, names), run(&trial));
            assert_eq!((record.safe, record.last_output_change), (naive.safe, naive.last_change), "{protocol} n {n}");
            for (name, seen) in naive.facts {
                assert_eq!(
                    step(&record, &name.replace('_', "-").replace("C-DL", "C_DL")),
                    seen,
                    "{protocol} {name} n {n}"
                );
            }
        }
    }
}

#[test]
fn every_step_of_a_record_of_ysm_is_exact() {
    for start in ["leaderless", "uniform", "all-leaders", "two-leaders", "safe"] {
        for seed in 0..6 {
            let n = [3, 5, 8, 12, 17, 24][seed as usize];
            let trial = trial("ysm", n, &[], start, seed);
            let (naive, (_, record)) = (naive(&trial, &["leader"], &["C_PB"]), run(&trial));
            assert_eq!(record.safe, naive.safe, "{start} n {n} seed {seed}");
            assert_eq!(record.last_output_change, naive.last_change, "{start} n {n} seed {seed}");
            assert_eq!(step(&record, "C_PB"), naive.facts[0].1, "{start} n {n} seed {seed}");
        }
    }
}

#[test]
fn looking_at_phases_changes_nothing_else() {
    for seed in 0..5 {
        let mut trial = trial("ppl", 20, &[("kappa", 6)], "leaderless", seed);
        let (with, slow) = run(&trial);
        trial.phases = false;
        let (without, fast) = run(&trial);
        assert_eq!((slow.safe, slow.last_output_change), (fast.safe, fast.last_output_change));
        assert_eq!(agents(&*with), agents(&*without));
        assert!(fast.phases.is_empty());
    }
}

#[test]
fn the_limit_censors_and_is_exact() {
    let mut trial = trial("ppl", 16, &[], "leaderless", 5);
    let safe = run(&trial).1.safe.unwrap();
    for (limit, censored) in [(0, true), (1, true), (safe - 1, true), (safe, false), (safe + 1, false)] {
        trial.limit = Some(limit);
        let (_, record) = run(&trial);
        assert_eq!((record.censored, record.steps), (censored, limit.min(safe)), "limit {limit}");
        assert_eq!(record.safe, (!censored).then_some(safe));
    }
}

#[test]
fn a_safe_start_is_safe_at_step_zero_even_with_limit_zero() {
    let mut trial = trial("ppl", 16, &[], "safe", 5);
    trial.limit = Some(0);
    let (_, record) = run(&trial);
    assert_eq!((record.safe, record.steps, record.censored), (Some(0), 0, false));
}

#[test]
fn a_run_ends_at_the_first_safe_configuration() {
    let trial = trial("ppl", 12, &[("kappa", 5)], "uniform", 3);
    let (session, record) = run(&trial);
    assert!(session.is_safe());
    let mut replayed = open(&trial);
    replayed.advance(record.safe.unwrap() - 1).unwrap();
    assert!(!replayed.is_safe());
    replayed.advance(1).unwrap();
    assert_eq!(agents(&*replayed), agents(&*session));
}

// --- Faults ---------------------------------------------------------------------------------------------------

fn with_faults(start: &str, faults: &[&str], seed: u64) -> Trial {
    let mut trial = trial("ppl", 16, &[("kappa", 8)], start, seed);
    trial.faults = faults.iter().map(|fault| fault.parse::<Fault>().unwrap()).collect();
    trial
}

#[test]
fn recovery_is_counted_from_the_fault_to_the_next_safe_step() {
    let trial = with_faults("uniform", &["agents=16,at=safe", "agents=4,place=contiguous,at=safe"], 1);
    let (session, record) = run(&trial);
    assert!(session.is_safe() && !record.censored);
    let [first, second] = record.faults.as_slice() else { panic!("two faults struck") };
    assert_eq!(Some(first.step), record.safe);
    assert_eq!(Some(second.step), first.safe);
    assert_eq!(Some(record.steps), second.safe);
    assert_eq!((first.agents.len(), second.agents.len()), (16, 4));
    let row: Vec<usize> = second.agents.iter().map(|(i, _)| *i).collect();
    assert!(row.windows(2).all(|pair| pair[1] == (pair[0] + 1) % 16), "{row:?}");
}

#[test]
fn a_fault_at_a_step_strikes_there_and_only_what_it_names() {
    let trial = with_faults("safe", &["list=3+7,variable=clock,at=250"], 2);
    let (_, record) = run(&trial);
    let struck = &record.faults[0];
    assert_eq!((struck.step, struck.agents.len()), (250, 2));
    let mut replayed = open(&trial);
    replayed.advance(250).unwrap();
    for (i, after) in &struck.agents {
        let before = replayed.agent(*i);
        let names = replayed.described().variables.iter().map(|variable| &variable.name);
        for name in names.filter(|name| *name != "clock") {
            assert_eq!(before.get(name), after.get(name), "agent {i} {name}");
        }
    }
}

/// `mode` is always written before it is read, so that a fault in it cannot matter, unless it shifts the schedule.
#[test]
fn a_fault_does_not_shift_the_schedule() {
    for seed in 0..4 {
        let (calm, quiet) = run(&with_faults("leaderless", &[], seed));
        let (shaken, struck) = run(&with_faults("leaderless", &["agents=16,variable=mode,at=700"], seed));
        assert!(quiet.safe.unwrap() > 700);
        assert_eq!((quiet.safe, quiet.last_output_change), (struck.safe, struck.last_output_change));
        assert_eq!(agents(&*calm), agents(&*shaken));
    }
}

#[test]
fn a_fault_inside_the_safe_set_takes_no_time() {
    let (_, record) = run(&with_faults("safe", &["list=0,variable=hits,at=0"], 9));
    assert_eq!((record.faults[0].safe, record.steps), (Some(0), 0));
}

#[test]
fn impossible_faults_are_refused() {
    for (fault, word) in [
        ("agents=17,at=safe", "1 to n = 16"),
        ("agents=0,at=safe", "1 to n = 16"),
        ("list=16,at=safe", "0 to 15"),
        ("agents=1,variable=colour,at=safe", "the protocol has leader"),
        ("agents=1,at=99999999999999", "the limit"),
    ] {
        let trial = with_faults("safe", &[fault], 1);
        let refused = open(&trial).run(&trial, Engine::Auto, &()).unwrap_err();
        assert!(refused.to_string().contains(word), "{fault}: {refused}");
    }
    let mut por = trial("por", 8, &[], "uniform", 1);
    por.faults = vec!["agents=1,variable=color,at=safe".parse().unwrap()];
    let refused = open(&por).run(&por, Engine::Auto, &()).unwrap_err();
    assert!(refused.to_string().contains("input"), "{refused}");
}

// --- Parameters -----------------------------------------------------------------------------------------------

#[test]
fn bad_parameters_are_refused_with_what_is_allowed() {
    for (protocol, n, params, words) in [
        ("ppl", 2, vec![], "3 to 1048576"),
        ("ppl", 1 << 21, vec![], "3 to 1048576"),
        ("ppl", 17, vec![("psi", 4)], "5 to 31"),
        ("ppl", 16, vec![("psi", 32)], "2 to 31"),
        ("ppl", 16, vec![("kappa", 0)], "1 to 65535"),
        ("ppl", 16, vec![("c1", 0)], "1 to"),
        ("ppl", 16, vec![("c1", 48), ("kappa", 5)], "give one of the two"),
        ("ppl", 16, vec![("colors", 5)], "ppl takes psi"),
        ("pcl", 5, vec![("colors", 2)], "needs 3 to 65536"),
        ("pcl-derandomised", 5, vec![("colors", 5)], "a power of two"),
        ("ysm", 5, vec![("bound", 4)], "5 to 1048576: below n no configuration is safe"),
        ("ysm", 5, vec![("bound", 1_048_577)], "5 to 1048576"),
        ("nothing", 5, vec![], "ppl, ppl-prime, por"),
    ] {
        let refused = ENTRIES.catalogue().open(&trial(protocol, n, &params, "uniform", 1)).err().unwrap().to_string();
        assert!(refused.contains(words), "{protocol} {n} {params:?}: {refused}");
    }
}

/// psi = 2 and n = 8 = 2^psi * psi: the leaderless ring with IDs 0, 1, 2, 3 is perfect and stays leaderless for ever.
#[test]
fn with_too_small_a_psi_a_ring_may_stay_leaderless() {
    let mut trial = trial("ppl", 8, &[("psi", 2), ("kappa", 2), ("unsound", 1)], "wrong-id", 4);
    trial.limit = Some(200_000);
    let (session, record) = run(&trial);
    assert!(record.censored && session.leaders().is_empty());
}

/// The largest clock is the largest number of its type; counting on must not overflow.
#[test]
fn the_largest_clock_stays_at_its_end() {
    let trial = trial("ppl", 8, &[("kappa", 65_535)], "wrong-id", 1);
    let trial = Trial { limit: Some(50_000), params: trial.params.clone().with("psi", 4), ..trial };
    let (session, _) = run(&trial);
    assert!(!session.leaders().is_empty(), "a ring in detection mode finds the wrong ID at once");
}

#[test]
fn states_are_counted_exactly() {
    let states = |protocol, n, named: &[(&str, u64)]| entry(protocol).describe(n, &params(named)).unwrap().states;
    // 2 * 2 * 2psi * 2 * (1 + 4 (2psi - 1))^2 * 2 * (kappa + 1)^2 * (psi + 1) * 3 * 2 * 2
    let (psi, kappa) = (8_u128, 384_u128);
    let tokens = 1 + 4 * (2 * psi - 1);
    let by_hand = 8 * 2 * psi * tokens * tokens * 2 * (kappa + 1).pow(2) * (psi + 1) * 12;
    assert_eq!(states("ppl", 256, &[]), by_hand);
    assert_eq!(states("por", 9, &[]), 16_u128.pow(4) * 2);
    assert_eq!((states("ysm", 9, &[]), states("ysm", 9, &[("bound", 20)])), (24 * 9, 24 * 20));
    assert_eq!(states("pcl", 9, &[]), 16 * 16 * 2);
    assert_eq!(states("pcl-derandomised", 9, &[]), 16 * 16 * 2 * 2 * 31);
    assert_eq!(states("undirected", 256, &[]), by_hand * 512 * 16_u128.pow(3) * 2);
}
