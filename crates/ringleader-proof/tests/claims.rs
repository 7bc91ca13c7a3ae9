//! A quick subset of every claim, those included that must fail; and certificates.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::cell::RefCell;

use ringleader_notation::graph::in_fresh_arena;
use ringleader_proof::claims::{Claim, Point, claims};
use ringleader_proof::query::{Certificate, Certificates, Decided, Query, Verdict};

fn decide(claim: &Claim, point: Point, certificates: Option<Certificates<'_>>) -> Decided {
    in_fresh_arena(Box::new(|| None), || claim.decide(&mut Query::new(&|| None, certificates), point)).unwrap()
}

fn named(name: &str) -> Claim {
    claims().into_iter().find(|claim| claim.name == name).unwrap()
}

fn quick_points(claim: &Claim) -> Vec<Point> {
    let [n, psi] = claim.quick;
    let n = if claim.about.n() { n.0..=n.1 } else { n.0..=n.0 };
    let psi = if claim.about.psi() { psi.0..=psi.1 } else { 2..=2 };
    n.flat_map(|n| psi.clone().map(move |psi| Point { n, psi, kappa: 1 })).collect()
}

#[test]
fn claims_hold_and_canaries_fail() {
    for claim in claims() {
        let points = quick_points(&claim).into_iter();
        let found: Vec<Decided> = points.map(|point| decide(&claim, point, None)).collect();
        let expected = if claim.canary {
            found.iter().any(|found| matches!(found.verdict, Verdict::Fails(_)))
        } else {
            found.iter().all(|found| matches!(found.verdict, Verdict::Holds(_)))
        };
        assert!(expected, "{}: {found:?}", claim.name);
    }
}

#[test]
fn names_are_unique() {
    let mut names: Vec<&str> = claims().iter().map(|claim| claim.name).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
}

/// A leaderless perfect configuration exists exactly where psi 2^psi divides n.
#[test]
fn impossible_fails_exactly_at_multiples_of_psi_2_psi() {
    for (psi, most) in [(2, 26), (3, 26)] {
        for n in 3..=most {
            let expected = if n % (psi << psi) == 0 { "fails" } else { "holds" };
            let found = decide(&named("impossible"), Point { n, psi, kappa: 1 }, None);
            assert_eq!(found.verdict.name(), expected, "n {n}, psi {psi}");
        }
    }
}

#[test]
fn a_limit_makes_a_claim_unknown() {
    let halt = || Some("no time".to_owned());
    let (mut query, point) = (Query::new(&halt, None), Point { n: 9, psi: 3, kappa: 1 });
    let found = in_fresh_arena(Box::new(|| None), || named("safe").decide(&mut query, point)).unwrap();
    assert_eq!(found.verdict, Verdict::Unknown("no time".into()));
}

/// Checks a proof by reverse unit propagation, clause by clause, as simply as can be: no watched literals, no deletion.
fn checks(cnf: &str, proof: &str) -> bool {
    let clause =
        |line: &str| -> Vec<i32> { line.split(' ').map(|word| word.parse().unwrap()).filter(|&l| l != 0).collect() };
    let mut clauses: Vec<Vec<i32>> = cnf.lines().filter(|line| !line.starts_with(['c', 'p'])).map(clause).collect();
    for line in proof.lines() {
        let lemma = clause(line);
        if !conflicts(&clauses, &lemma) {
            return false;
        }
        if lemma.is_empty() {
            return true;
        }
        clauses.push(lemma);
    }
    false
}

fn conflicts(clauses: &[Vec<i32>], lemma: &[i32]) -> bool {
    let mut truth: std::collections::HashSet<i32> = lemma.iter().map(|literal| -literal).collect();
    loop {
        let before = truth.len();
        for clause in clauses {
            if clause.iter().any(|literal| truth.contains(literal)) {
                continue;
            }
            let mut open = clause.iter().filter(|literal| !truth.contains(&-**literal));
            match (open.next(), open.next()) {
                (None, _) => return true,
                (Some(&unit), None) => drop(truth.insert(unit)),
                _ => {}
            }
        }
        if truth.len() == before {
            return false;
        }
    }
}

#[test]
fn certificates_check() {
    for (name, n, psi) in
        [("safe", 5, 2), ("cpb_closed", 4, 2), ("srl_variant", 4, 3), ("convergence", 3, 2), ("por-text", 3, 2)]
    {
        let certificates = RefCell::new(Vec::new());
        let save = |made: &Certificate| {
            certificates.borrow_mut().push((made.dimacs.clone(), made.drat.clone()));
            Ok(())
        };
        decide(&named(name), Point { n, psi, kappa: 1 }, Some(&save));
        let certificates = certificates.into_inner();
        assert!(!certificates.is_empty(), "{name}");
        for (cnf, proof) in &certificates {
            assert!(checks(cnf, proof), "{name}: a proof of {} lines is not accepted", proof.lines().count());
        }
        // A proof of nothing is not accepted: without its learned clauses a formula that needs them stays open.
        let needs_some = certificates.iter().filter(|(cnf, _)| !checks(cnf, "0\n")).count();
        assert!(needs_some > 0 || name != "safe", "{name}: every formula is refuted by propagation alone");
    }
}
