//! What the parameters of a row mean whatever n is, so that rings of all sizes form one series.
//!
//! Records hold the parameters in force, some of which follow n: `psi` is ceil(log2 n) by default, `kappa` is c1 psi, the
//! bound N of `ysm` is n. Here they become c1, psi - log2 n and N / n. How the parameters of a file follow n is its own affair: of one
//! that does and is what it is by default, only that is kept.

use std::fmt;

use ringleader::catalogue::{Catalogue, is_file};
use ringleader::params::Params;

use crate::sweep::Setup;

/// A parameter as it is the same for all sizes of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// Whether it is what the protocol takes unless told otherwise.
    pub default: bool,
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, number(self.value))
    }
}

/// A value of a setting: mostly a whole number, else with three decimals.
#[must_use]
pub fn number(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value}") } else { format!("{value:.3}") }
}

/// The settings of a cell.
pub(crate) fn settings(protocols: &Catalogue, setup: &Setup) -> Vec<Setting> {
    let relative = |pairs: &[(String, u64)], n| pairs.iter().map(|pair| in_general(pair, pairs, n)).collect::<Vec<_>>();
    let usual = |n| relative(&defaults(protocols, &setup.protocol, n), n);
    let n = setup.n;
    // Some protocols refuse some sizes.
    let (here, elsewhere) = (usual(n), [n + 1, n + 2, n.saturating_mul(2), n / 2].map(usual));
    let setting = |one: (String, f64)| {
        let default = here.contains(&one);
        let follows_n = elsewhere.iter().any(|usual| !usual.is_empty() && !usual.contains(&one));
        let (name, value) =
            if default && follows_n && is_file(&setup.protocol) { (one.0 + "-default", 0.0) } else { one };
        Setting { name, value, default }
    };
    relative(&setup.params, n).into_iter().map(setting).collect()
}

/// The parameters in force by default; none if nobody knows the protocol at this size.
fn defaults(protocols: &Catalogue, protocol: &str, n: u32) -> Vec<(String, u64)> {
    let protocol = protocols.find(protocol);
    let described = protocol.and_then(|protocol| protocol.describe(n as usize, &Params::default()));
    let pairs = described.map(|described| described.settings).unwrap_or_default();
    pairs.into_iter().map(|(name, value)| (name.into_owned(), value)).collect()
}

/// A parameter without n: `psi`, `kappa` and `bound` relative to what they follow.
fn in_general((name, value): &(String, u64), all: &[(String, u64)], n: u32) -> (String, f64) {
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
    use crate::sweep::tests::builtin;

    fn shown(protocol: &str, n: u32, params: &[(&str, u64)]) -> Vec<String> {
        let mark = |setting: &Setting| format!("{setting}{}", if setting.default { "" } else { "!" });
        let params = params.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let setup = Setup { protocol: protocol.to_owned(), n, params, ..Setup::default() };
        settings(&builtin(), &setup).iter().map(mark).collect()
    }

    #[test]
    fn parameters_lose_their_n() {
        assert_eq!(shown("ppl", 64, &[("kappa", 288), ("psi", 6)]), ["c1=48", "psi-log2n=0"]);
        assert_eq!(shown("ppl", 100, &[("kappa", 336), ("psi", 7)]), ["c1=48", "psi-log2n=0"]);
        assert_eq!(shown("ppl", 64, &[("kappa", 32), ("psi", 8)]), ["c1=4!", "psi-log2n=2!"]);
        assert_eq!(shown("ppl", 64, &[("kappa", 31), ("psi", 8)]), ["c1=3.875!", "psi-log2n=2!"]);
        assert_eq!(shown("ysm", 10, &[("bound", 20)]), ["N/n=2!"]);
        assert_eq!(shown("ysm", 10, &[("bound", 10)]), ["N/n=1"]);
        assert_eq!(shown("of another version", 10, &[("x", 3)]), ["x=3!"]);
        assert_eq!(shown("pcl", 8, &[]), [""; 0]);
    }
}
