//! What built-in protocols say of their safe sets is so: those that were checked hold here, those that were proven stand in the
//! committed record.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::ops::RangeInclusive;

use ringleader::params::Params;
use ringleader_catalogue::{Entry, builtin};
use ringleader_verify::explicit::{Scope, Verdict, alone};

/// Takes apart "checked for n = 3..6 (ringleader check fj)": how, which n, which command.
fn said(evidence: &str) -> (&str, RangeInclusive<usize>, &str) {
    let (how, rest) = evidence.split_once(" for n = ").unwrap();
    let (range, rest) = rest.split_once([',', ' ']).unwrap();
    let (from, to) = range.split_once("..").unwrap();
    let command = rest.split_once("(ringleader ").unwrap().1.strip_suffix(')').unwrap();
    (how, from.parse().unwrap()..=to.parse().unwrap(), command)
}

fn holds(entry: &Entry, n: usize) -> bool {
    let scope = Scope { memory: 1 << 28, everywhere: false };
    let explored = entry.explore(n, &Params::default(), scope, &mut alone).unwrap();
    explored.verdict == Verdict::Holds
}

#[test]
fn evidence_is_true() {
    let record = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../records/proofs.txt")).unwrap();
    let mut kinds = [0, 0];
    for entry in builtin() {
        let Some(evidence) = &entry.about().evidence else { continue };
        let (how, sizes, command) = said(evidence);
        let (tool, what) = command.split_once(' ').unwrap();
        match (how, tool) {
            ("checked", "check") => {
                assert_eq!(what, entry.about().name);
                for n in sizes {
                    assert!(holds(&entry, n), "{what} n = {n}");
                }
                kinds[0] += 1;
            }
            ("proven", "prove") => {
                let rows: Vec<Vec<&str>> = record.lines().map(|line| line.split_whitespace().collect()).collect();
                let rows: Vec<&Vec<&str>> = rows.iter().filter(|row| row.first() == Some(&what)).collect();
                // Claim, n, psi, kappa, seconds, variables, clauses; what it is given comes after the verdict.
                assert!(rows.iter().all(|row| row[7] == "holds"), "{what}");
                for n in sizes {
                    assert!(rows.iter().any(|row| row[1] == n.to_string()), "{what} n = {n}");
                }
                kinds[1] += 1;
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(kinds[0] >= 5 && kinds[1] >= 3, "{kinds:?}");
}
