//! What comparisons and cases answer, against tables made by hand.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use ringleader_catalogue::{Entries, builtin};
use ringleader_records::case;

#[cfg(feature = "sweeps")]
#[test]
fn a_comparison_answers_what_its_ratio_and_its_test_say() {
    use ringleader::stats::compare::Ratio;
    use ringleader_records::analysis::Comparison;

    let answer = |adjusted: Option<f64>, value: Option<(f64, f64)>| {
        let ratio = value.map(|value| Ratio { value, interval: value });
        let comparison = Comparison { series: 1, n: 8, test: None, adjusted, ratio, superiority: None };
        comparison.answer()
    };
    let table = [
        (Some(0.04), Some((0.9, 0.9)), "faster"),
        (Some(0.04), Some((0.0, 0.9)), "faster"),
        (Some(0.04), Some((0.0, 1.5)), "different"),
        (Some(0.04), Some((1.1, 1.1)), "slower"),
        (Some(0.04), Some((1.1, f64::INFINITY)), "slower"),
        (Some(0.04), Some((1.0, 1.0)), "different"),
        (Some(0.04), None, "different"),
        (Some(0.05), Some((0.9, 0.9)), "not decided"),
        (None, Some((2.0, 2.0)), "not decided"),
    ];
    for (adjusted, value, expected) in table {
        assert_eq!(answer(adjusted, value), expected, "{adjusted:?} {value:?}");
    }
}

#[test]
fn a_case_gives_parameters_if_one_of_them_is_a_number() {
    let entries = Entries::new(&builtin()).unwrap();
    let gives = |protocol: &str, more: &str| {
        let text = format!(r#"{{"protocol": "{protocol}", "n": 4, "schedule": [0]{more}}}"#);
        case::parse(&text).unwrap().gives_parameters(entries.find(protocol).unwrap().about())
    };
    assert!(
        gives("ppl", r#", "psi": 3"#) && gives("ppl", r#", "psi": null, "c1": 2"#) && gives("ysm", r#", "bound": 4"#)
    );
    assert!(!gives("ppl", "") && !gives("ppl", r#", "psi": null"#) && !gives("ppl", r#", "bound": 4"#));
    assert!(!gives("elim", r#", "psi": 3"#), "it takes none");
}
