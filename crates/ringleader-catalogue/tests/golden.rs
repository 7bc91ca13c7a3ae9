//! What records and links rest on from version to version: fingerprints of rules, and the configurations that starts make of a
//! seed. They are golden: whoever changes one on purpose says so in the changelog.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use ringleader::params::Params;
use ringleader::trial::{Initial, Trial};
use ringleader_catalogue::{Entries, builtin};

/// FNV-1a.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn fingerprints_and_starts_are_pinned() {
    let entries = Entries::new(&builtin()).unwrap();
    let catalogue = entries.catalogue();
    let found = entries.iter().map(|entry| {
        let name = &*entry.about().name;
        let mut made = String::new();
        let open = |start: Option<&str>, seed| {
            let from = start.map(|start| Initial::Named(start.to_owned()));
            catalogue.open(&Trial { from, ..Trial::new(name, 16, seed) })
        };
        // With 16 agents every start of every protocol can be made.
        for start in &open(None, 0).unwrap().described().starts {
            for session in (0..4).map(|seed| open(Some(&start.name), seed).unwrap()) {
                made.extend((0..16).map(|i| session.agent(i).to_string()));
            }
        }
        // The name, the fingerprint of its rules, and of its starts.
        format!("{name} {:016x} {:016x}", entry.fingerprint(16, &Params::default()).unwrap(), hash(&made))
    });
    let pinned = [
        "ppl 59d99786ec61e80e d80481773b7469a7",
        "ppl-prime 59d99786ec61e80e c38f219e1f827be7",
        "por 2aaada6e2f9c1483 d50f427afaab8b1c",
        "pcl 1787fe3dd65ecff7 6f4e72bbc2a37bb3",
        "pcl-derandomised f5a6782593346993 5c561538b726c101",
        "undirected cd8aba2f72a8caee acf417fb62e82c45",
        "undirected-derandomised bfaabfb31698968e c90d62589a5e3d34",
        "ysm ed9f75e21c4f7298 586154140b9c3097",
        "fj 24ff75ea9a8696db f4e30cff989e3607",
        "aaf 5386b5547177ce98 9b47dce903e20a2d",
        "thue-morse 323f5384a7824506 00f5440832464710",
        "aaf-orientation d1273dfdec88027a f102010e07f1c2f8",
        "aaf-colouring 9e627645253805a2 16c2f1344642f8b8",
        "aaf-token ee0dd05d717fe3be ebede05c223ef3f9",
        "elim 312ae08dbe42b9b6 79b74f6396f899dc",
    ];
    assert_eq!(found.collect::<Vec<_>>(), pinned);
}
