//! What the parameters of a row mean whatever n is, so that rings of all sizes form one series.
//!
//! Records hold the parameters in force, some of which follow n: `psi` is ceil(log2 n) by default, `kappa` is c1 psi, the
//! bound N of `ysm` is n. Here they become c1, psi - log2 n and N / n.

use std::fmt;

use ringleader::lab;
use ringleader::trial::Trial;
use ringleader::value::Value;

/// A parameter as it is the same for all sizes of a series.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Setting {
    pub(crate) name: String,
    pub(crate) value: f64,
    /// Whether it is what the protocol takes unless told otherwise.
    pub(crate) default: bool,
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, number(self.value))
    }
}

/// A value of a setting: mostly a whole number, else with three decimals.
pub(crate) fn number(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value}") } else { format!("{value:.3}") }
}

/// The settings behind `k=v,k=v` for a protocol at a size.
///
/// # Errors
/// If the text has another form.
pub(crate) fn settings(protocol: &str, n: u32, params: &str) -> Result<Vec<Setting>, String> {
    let given = pairs(params)?;
    let usual = defaults(protocol, n);
    let relative = |pairs: &[(String, i128)]| pairs.iter().map(|pair| in_general(pair, pairs, n)).collect::<Vec<_>>();
    let usual = relative(&usual);
    let setting = |(name, value): (String, f64)| {
        let default = usual.iter().any(|(other, usual)| *other == name && *usual == value);
        Setting { name, value, default }
    };
    Ok(relative(&given).into_iter().map(setting).collect())
}

fn pairs(params: &str) -> Result<Vec<(String, i128)>, String> {
    let pair = |text: &str| {
        let (name, value) = text.split_once('=')?;
        let value = match value {
            "true" => 1,
            "false" => 0,
            number => number.parse().ok()?,
        };
        Some((name.to_owned(), value))
    };
    let wrong = |text| format!("{text:?} among the parameters {params:?} is not of the form name=number");
    params.split(',').filter(|text| !text.is_empty()).map(|text| pair(text).ok_or_else(|| wrong(text))).collect()
}

/// The parameters in force by default; none if this program does not know the protocol at this size.
fn defaults(protocol: &str, n: u32) -> Vec<(String, i128)> {
    let number = |value: &Value| match value {
        Value::Bool(truth) => Some(i128::from(*truth)),
        value => value.as_int(),
    };
    let known = lab::populate_trial(&Trial::new(protocol, n as usize, 0)).map(|population| population.settings());
    let pair = |(name, value): (&str, Value)| Some((name.to_owned(), number(&value)?));
    known.unwrap_or_default().into_iter().filter_map(pair).collect()
}

/// A parameter without n: `psi`, `kappa` and `bound` relative to what they follow.
fn in_general((name, value): &(String, i128), all: &[(String, i128)], n: u32) -> (String, f64) {
    let psi = all.iter().find(|(name, _)| name == "psi").map(|(_, psi)| *psi as f64);
    let (value, log) = (*value as f64, f64::from(n.next_power_of_two().ilog2()));
    match (name.as_str(), psi) {
        ("psi", _) => ("psi-log2n".into(), value - log),
        ("kappa", Some(psi)) => ("c1".into(), value / psi),
        ("bound", _) => ("N/n".into(), value / f64::from(n)),
        _ => (name.clone(), value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(protocol: &str, n: u32, params: &str) -> Vec<String> {
        let mark = |setting: &Setting| format!("{setting}{}", if setting.default { "" } else { "!" });
        settings(protocol, n, params).unwrap().iter().map(mark).collect()
    }

    #[test]
    fn parameters_lose_their_n() {
        assert_eq!(shown("ppl", 64, "kappa=288,psi=6"), ["c1=48", "psi-log2n=0"]);
        assert_eq!(shown("ppl", 100, "kappa=336,psi=7"), ["c1=48", "psi-log2n=0"]);
        assert_eq!(shown("ppl", 64, "kappa=32,psi=8"), ["c1=4!", "psi-log2n=2!"]);
        assert_eq!(shown("ppl", 64, "kappa=31,psi=8"), ["c1=3.875!", "psi-log2n=2!"]);
        assert_eq!(shown("ysm", 10, "bound=20"), ["N/n=2!"]);
        assert_eq!(shown("ysm", 10, "bound=10"), ["N/n=1"]);
        assert_eq!(shown("of another version", 10, "x=3"), ["x=3!"]);
        assert!(settings("ppl", 8, "psi").unwrap_err().contains("\"psi\""));
        assert_eq!(shown("pcl", 8, ""), [""; 0]);
    }
}
