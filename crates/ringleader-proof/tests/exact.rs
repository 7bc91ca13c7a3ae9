//! Exact hitting times against fractions worked out otherwise, with and without rotation.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use num_traits::ToPrimitive;
use ringleader::lab::PROTOCOLS;
use ringleader::protocol::Params;
use ringleader_proof::exact::NoChain;
use ringleader_proof::exact::ask::{Found, Question, Until, ask};

fn question<'a>(protocol: &'a str, n: usize, params: &'a Params, start: &'a str) -> Question<'a> {
    Question {
        protocol,
        n,
        params,
        start: Some(start),
        seed: 1,
        until: Until::Safe,
        rotate: true,
        most: 1_000_000,
        quantiles: 0,
        stop: &|_| false,
    }
}

fn found(question: &Question<'_>) -> Found {
    ask(question, None).unwrap().unwrap()
}

#[test]
fn rotation_changes_no_figure() {
    let few = Params::default().with("colors", 3);
    let (none, small) = (Params::default(), Params::default().with("psi", 2).with("kappa", 1));
    let cases = [
        ("fj", &none, "every"),
        ("elim", &none, "every"),
        ("por", &few, "every"),
        ("pcl", &few, "every"),
        ("ppl", &small, "leaderless"),
    ];
    for (protocol, params, start) in cases {
        let question = question(protocol, 3, params, start);
        let (turned, apart) = (found(&question), found(&Question { rotate: false, ..question }));
        assert!(turned.configurations <= apart.configurations, "{protocol}");
        assert_eq!(turned.starts, apart.starts, "{protocol}");
        let (a, b) = (turned.worst.unwrap().0, apart.worst.unwrap().0);
        assert!((a - b).abs() <= a * (turned.error + apart.error), "{protocol}: {a} {b}");
        assert!((turned.finite_mean - apart.finite_mean).abs() <= a * (turned.error + apart.error), "{protocol}");
    }
}

/// The fraction and the floating point number of the same chain lie within the bound.
#[test]
fn fractions_confirm_the_bound_on_the_error() {
    let none = Params::default();
    for (protocol, n, start) in [("fj", 3, "every"), ("por", 4, "two-segments"), ("elim", 3, "two-leaders")] {
        let found = found(&question(protocol, n, &none, start));
        let (steps, exact) = (found.worst.unwrap().0, found.fraction.unwrap().to_f64().unwrap());
        assert!((steps - exact).abs() <= 2.0 * exact * found.error, "{protocol}: {steps} {exact} {}", found.error);
        assert!(found.error < 1e-9, "{protocol}: {}", found.error);
    }
}

/// A ring of EliminateLeaders without a leader stays without: no expectation.
#[test]
fn infinity_where_the_target_is_not_certain() {
    let none = Params::default();
    let found = found(&question("elim", 3, &none, "every"));
    assert!(found.mean.is_infinite() && found.starts[1] > 0 && found.starts[1] < found.starts[0], "{:?}", found.starts);
}

#[test]
fn what_is_too_large_is_refused() {
    let none = Params::default();
    let refused = |question: &Question<'_>| match ask(question, None) {
        Err(NoChain::TooLarge(message)) => message,
        Err(NoChain::Wrong(error)) => panic!("{error}"),
        Ok(_) => panic!("it fits"),
    };
    let many = refused(&question("ppl", 20, &none, "every"));
    assert!(many.contains("more than 2^128 configurations"), "{many}");
    // 8 states, 512 configurations, 176 up to rotation: (8^3 + 2 * 8) / 3. At least a third of 512, rounded up, are known of.
    let fj = |most, rotate| Question { most, rotate, ..question("fj", 3, &none, "every") };
    assert_eq!(refused(&fj(170, true)), "every: 512 configurations, at least 171 up to rotation");
    assert_eq!(refused(&fj(171, true)), "more than 171 configurations can be reached up to rotation");
    assert!(ask(&fj(176, true), None).unwrap().is_some());
    assert_eq!(refused(&fj(511, false)), "every: 512 configurations");
    assert!(ask(&fj(512, false), None).unwrap().is_some());
}

#[test]
fn every_protocol_is_known_or_refused_by_name() {
    let none = Params::default();
    for entry in PROTOCOLS {
        let question = Question { most: 50, ..question(entry.about.name, 3, &none, entry.starts()[0].0) };
        if let Err(error) = ask(&question, None) {
            let text = error.to_string();
            assert!(text.contains("chains are made for") || text.contains("50"), "{}: {text}", entry.about.name);
        }
    }
}
