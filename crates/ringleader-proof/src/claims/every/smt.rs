//! The facts on tokens and IDs with psi, n and places as integers, in SMT-LIB: what `every-safe` and the window lemma of `every-convergence`
//! decide for each psi, any SMT solver decides for all at once. The algorithms are written once more there, line by line.

const ALGORITHMS: &str = include_str!("smt/algorithms.smt2");
const PLACES: &str = include_str!("smt/places.smt2");
const WINDOW: &str = include_str!("smt/window.smt2");

/// A formula in SMT-LIB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Smt {
    /// Its name, for files.
    pub name: &'static str,
    /// What a solution would be.
    pub says: &'static str,
    /// Whether it has one: theorems have none; conditions and canaries must have one.
    pub satisfiable: bool,
    /// The script.
    pub script: String,
}

/// Algorithms 2 and 3 in SMT-LIB: `interact` of two agents.
#[must_use]
pub fn algorithms() -> &'static str {
    ALGORITHMS
}

/// All formulas.
#[must_use]
pub fn formulas() -> Vec<Smt> {
    let [safe, begun, window] = [("whole", PLACES), ("begun", PLACES), ("dists", WINDOW)];
    let of = |(kind, theory): (&str, &str), name, satisfiable, says, asserted: &[&str]| {
        let status = if satisfiable { "sat" } else { "unsat" };
        let asserted = [&[kind], asserted].concat();
        let asserted: String = asserted.iter().map(|one| format!("(assert {one})\n")).collect();
        let script = format!(
            "; ringleader {}, {name}: a solution would be {says}\n(set-info :status {status})\n{ALGORITHMS}\n{theory}\n{asserted}(check-sat)\n",
            env!("CARGO_PKG_VERSION")
        );
        Smt { name, says, satisfiable, script }
    };
    let all = ["places", "without_risky", "with_correct", "ids"];
    let (no_risky, no_tokens, no_ids) =
        (["places", "with_correct", "ids"], ["places", "without_risky", "ids"], &all[..3]);
    let left = |given: &[&'static str], stays| [given, &[stays]].concat();
    let (out, out_begun) = ("(not stays)", "(not stays_begun)");
    vec![
        of(safe, "safe", false, "an interaction that leaves S_PL, the war apart", &left(&all, out)),
        of(safe, "safe-condition", true, "two neighbours in S_PL", &all),
        of(safe, "safe-risky", true, "one that leaves S_PL without \"no token is risky\"", &left(&no_risky, out)),
        of(
            safe,
            "safe-tokens",
            true,
            "one that leaves S_PL without \"valid tokens are correct\"",
            &left(&no_tokens, out),
        ),
        of(safe, "safe-ids", true, "one that leaves S_PL without \"IDs are consecutive\"", &left(no_ids, out)),
        of(begun, "begun", false, "settled segments that do not stay so", &left(&all, out_begun)),
        of(begun, "begun-condition", true, "two neighbours where some segments are settled", &all),
        of(begun, "begun-ids", true, "settled segments that do not stay so, but for IDs", &left(no_ids, out_begun)),
        of(window, "window", false, "tokens inside two segments that do something else", &["no_last", "(not step)"]),
        of(window, "window-condition", true, "two neighbours inside two segments", &["no_last"]),
        of(window, "window-last", true, "tokens that do something else where last may be 1", &["(not step)"]),
    ]
}
