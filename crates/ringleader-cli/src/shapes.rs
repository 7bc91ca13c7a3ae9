//! What several commands say in JSON, in one shape wherever it is said.

use ringleader::stats::carried::Carried;
use ringleader::stats::{Mean, Observed, Quantile};
use ringleader::value::Value;

/// The parameters in force.
pub(crate) fn settings<N: AsRef<str>>(settings: &[(N, u64)]) -> Value {
    Value::map(settings.iter().map(|(name, value)| (name.as_ref().to_owned(), Value::from(*value))))
}

/// Faults as `--fault` takes them, from the text in which a semicolon separates them.
#[cfg(feature = "report")]
pub(crate) fn faults(text: &str) -> Value {
    text.split(';').filter(|fault| !fault.is_empty()).map(Value::from).collect::<Vec<_>>().into()
}

/// A number of steps, exact or known from below, on a ring of n agents.
pub(crate) fn observed(known: Observed, n: usize) -> Value {
    Value::map([
        ("steps", known.value.into()),
        ("exact", known.exact.into()),
        ("parallel_time", (known.value as f64 / n as f64).into()),
    ])
}

/// A quantile with its interval; by its percentage, unless it is of another kind.
pub(crate) fn quantile(percent: Option<usize>, known: &Quantile, n: usize) -> Value {
    let interval = known.interval.map(|(from, to)| Value::from(vec![observed(from, n), observed(to, n)]));
    Value::map([("percent", percent.into()), ("value", observed(known.value, n)), ("interval", interval.into())])
}

/// A mean with its interval, whose upper end is unknown where values were cut off.
pub(crate) fn mean(known: &Mean, n: usize) -> Value {
    let interval = known.interval.map(|(from, to)| Value::from(vec![Value::from(from), Value::from(to)]));
    Value::map([
        ("steps", known.value.into()),
        ("exact", known.exact.into()),
        ("parallel_time", (known.value / n as f64).into()),
        ("interval", interval.into()),
    ])
}

/// A few trials that carry the mean.
pub(crate) fn carried(few: &Carried) -> Value {
    Value::map([
        ("trials", few.few.into()),
        ("of", few.of.into()),
        ("share", few.share.into()),
        ("from", few.from.into()),
        ("others_to", few.others_to.into()),
    ])
}
