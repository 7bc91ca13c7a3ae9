//! Exact hitting times against fractions worked out otherwise, with and without rotation.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../ringleader/tests/common/mod.rs"]
mod common;

use common::{entry, params};
use num_traits::ToPrimitive;
use ringleader_verify::exact::NoChain;
use ringleader_verify::exact::ask::{Begin, Found, Question, Until};

/// Protocol, parameters and start.
type Case<'a> = (&'a str, &'a [(&'a str, u64)], &'a str);

fn question(start: &str) -> Question<'_> {
    Question {
        start: Begin::Named(start),
        seed: 1,
        until: Until::Safe,
        rotate: true,
        rename: true,
        most: 1_000_000,
        quantiles: 0,
    }
}

fn ask(protocol: &str, n: usize, named: &[(&str, u64)], question: &Question<'_>) -> Result<Found, NoChain> {
    entry(protocol).exact(n, &params(named), question, None, &()).map(Option::unwrap)
}

fn found(protocol: &str, n: usize, named: &[(&str, u64)], question: &Question<'_>) -> Found {
    ask(protocol, n, named, question).unwrap()
}

#[test]
fn rotation_changes_no_figure() {
    let cases: [Case<'_>; 5] = [
        ("fj", &[], "every"),
        ("elim", &[], "every"),
        ("por", &[("colors", 3)], "every"),
        ("pcl", &[("colors", 3)], "every"),
        ("ppl", &[("psi", 2), ("kappa", 1)], "leaderless"),
    ];
    for (protocol, named, start) in cases {
        let apart = Question { rotate: false, ..question(start) };
        let [turned, apart] = [question(start), apart].map(|question| found(protocol, 3, named, &question));
        assert!(turned.configurations <= apart.configurations, "{protocol}");
        assert_eq!(turned.starts, apart.starts, "{protocol}");
        let (a, b) = (turned.worst.unwrap().0, apart.worst.unwrap().0);
        assert!((a - b).abs() <= a * (turned.error + apart.error), "{protocol}: {a} {b}");
        assert!((turned.finite_mean - apart.finite_mean).abs() <= a * (turned.error + apart.error), "{protocol}");
    }
}

/// P_CL and P_OR do not care what colours are called.
#[test]
fn the_names_of_colours_change_no_figure() {
    let cases: [(Case<'_>, usize); 4] = [
        (("por", &[("colors", 4)], "every"), 3),
        (("por", &[("colors", 3)], "two-segments"), 5),
        (("pcl", &[("colors", 3)], "every"), 3),
        (("pcl", &[("colors", 4)], "one-color"), 3),
    ];
    let mut fewer = 0;
    for ((protocol, named, start), n) in cases {
        for rotate in [true, false] {
            let question = Question { rotate, ..question(start) };
            let apart = found(protocol, n, named, &Question { rename: false, ..question });
            let merged = found(protocol, n, named, &question);
            assert!(merged.renamed && !apart.renamed, "{protocol}");
            assert!(merged.configurations <= apart.configurations, "{protocol}: {}", merged.configurations);
            fewer += usize::from(merged.configurations < apart.configurations);
            assert_eq!(merged.starts, apart.starts, "{protocol}");
            let (a, b) = (apart.worst.unwrap().0, merged.worst.unwrap().0);
            assert!((a - b).abs() <= a * (merged.error + apart.error), "{protocol}: {a} {b}");
            let difference = (merged.finite_mean - apart.finite_mean).abs();
            assert!(difference <= a * (merged.error + apart.error), "{protocol}");
        }
    }
    // The colours of P_OR never change: without rotations there is nothing to merge, and one colouring may have no other name.
    assert!(fewer >= 5, "{fewer}");
    assert!(!found("fj", 3, &[], &question("every")).renamed);
    assert!(!found("pcl-derandomised", 3, &[("colors", 4)], &question("one-color")).renamed);
}

/// The fraction and the floating point number of the same chain lie within the bound.
#[test]
fn fractions_confirm_the_bound_on_the_error() {
    for (protocol, n, start) in [("fj", 3, "every"), ("por", 4, "two-segments"), ("elim", 3, "two-leaders")] {
        let found = found(protocol, n, &[], &question(start));
        let (steps, exact) = (found.worst.unwrap().0, found.fraction.unwrap().to_f64().unwrap());
        assert!((steps - exact).abs() <= 2.0 * exact * found.error, "{protocol}: {steps} {exact} {}", found.error);
        assert!(found.error < 1e-9, "{protocol}: {}", found.error);
    }
}

/// A ring of EliminateLeaders without a leader stays without: no expectation.
#[test]
fn infinity_where_the_target_is_not_certain() {
    let found = found("elim", 3, &[], &question("every"));
    assert!(found.mean.is_infinite() && found.starts[1] > 0 && found.starts[1] < found.starts[0], "{:?}", found.starts);
}

#[test]
fn what_is_too_large_is_refused() {
    let refused = |protocol: &str, n, question: &Question<'_>| match ask(protocol, n, &[], question) {
        Err(NoChain::TooLarge(message)) => message,
        Err(NoChain::Wrong(error)) => panic!("{error}"),
        Ok(_) => panic!("it fits"),
    };
    let many = refused("ppl", 20, &question("every"));
    assert!(many.contains("more than 2^128 configurations"), "{many}");
    // 8 states, 512 configurations, 176 up to rotation: (8^3 + 2 * 8) / 3. At least a third of 512, rounded up, are known of.
    let every = |most, rotate| Question { most, rotate, ..question("every") };
    assert_eq!(refused("fj", 3, &every(170, true)), "every: 512 configurations, at least 171 up to rotation");
    assert_eq!(refused("fj", 3, &every(171, true)), "more than 171 configurations can be reached up to rotation");
    assert!(ask("fj", 3, &[], &every(176, true)).is_ok());
    assert_eq!(refused("fj", 3, &every(511, false)), "every: 512 configurations");
    assert!(ask("fj", 3, &[], &every(512, false)).is_ok());
}
