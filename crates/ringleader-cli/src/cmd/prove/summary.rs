//! What was decided, claim by claim: a line each, and below it what is not as one would wish.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

use ringleader::value::Value;
use ringleader_proof::claims::{Claim, Point};
use ringleader_proof::query::{Decided, Verdict};

use super::{label, parameters, whichever};
use crate::paper::STATEMENTS;
use crate::text::{WIDTH, alarm, faint, good, quoted, strong, wrapped};

/// A claim and what came of it on all rings.
pub(super) struct Summary {
    pub(super) claim: Claim,
    rings: Vec<Point>,
    seconds: f64,
    holds: usize,
    /// On how many rings no formula was left.
    pub(super) gates_alone: usize,
    /// Premises that were not decided on the same ring, or hold there; and those that do not.
    open: BTreeSet<&'static str>,
    met: BTreeSet<&'static str>,
    broken: BTreeSet<&'static str>,
    /// Where it is otherwise: the number of rings, the first of them, and what was noted there.
    fails: Found,
    nothing: Found,
    unknown: Found,
}

#[derive(Default)]
struct Found {
    count: usize,
    first: Option<(Point, String)>,
}

impl Found {
    fn add(&mut self, point: Point, note: &str) {
        self.count += 1;
        self.first.get_or_insert_with(|| (point, note.to_owned()));
    }
}

impl Summary {
    pub(super) fn new(claim: Claim) -> Self {
        let [fails, nothing, unknown] = [(); 3].map(|()| Found::default());
        let [open, met, broken] = [(); 3].map(|()| BTreeSet::new());
        let (rings, seconds, holds, gates_alone) = (Vec::new(), 0.0, 0, 0);
        Self { claim, rings, seconds, holds, gates_alone, open, met, broken, fails, nothing, unknown }
    }

    /// What came of a premise on one of the rings.
    pub(super) fn given(&mut self, premise: &'static str, verdict: Option<&'static str>) {
        let known = match verdict {
            None => &mut self.open,
            Some("holds") => &mut self.met,
            Some(_) => &mut self.broken,
        };
        known.insert(premise);
    }

    pub(super) fn add(&mut self, point: Point, decided: &Decided, seconds: f64) {
        self.rings.push(point);
        self.seconds += seconds;
        match &decided.verdict {
            Verdict::Holds(_) => self.holds += 1,
            Verdict::Fails(_) => self.fails.add(point, &decided.note),
            Verdict::Nothing => self.nothing.add(point, &decided.note),
            Verdict::Unknown(why) => self.unknown.add(point, why),
        }
    }

    /// The worst that was found.
    fn verdict(&self) -> &'static str {
        match () {
            () if self.fails.count > 0 => "fails",
            () if self.nothing.count > 0 => "nothing",
            () if self.unknown.count > 0 => "unknown",
            () => "holds",
        }
    }

    pub(super) fn as_json(&self) -> Value {
        Value::map([
            ("claim", self.claim.name.into()),
            ("statements", statements(self.claim.name).collect::<Vec<_>>().into()),
            ("verdict", self.verdict().into()),
            ("given", self.claim.given.iter().map(|&name| Value::from(name)).collect::<Vec<_>>().into()),
            ("must_fail", self.claim.canary.into()),
            ("rings", self.rings.len().into()),
            ("holds", self.holds.into()),
            ("fails", self.fails.count.into()),
            ("nothing", self.nothing.count.into()),
            ("unknown", self.unknown.count.into()),
            ("seconds", self.seconds.into()),
        ])
    }

    fn line(&self) -> String {
        let about = self.claim.about;
        let range = |matters: bool, value: fn(&Point) -> usize| {
            if matters { range(self.rings.iter().map(value).collect()) } else { "any".into() }
        };
        let word = match self.verdict() {
            "holds" if !self.claim.canary => good("holds"),
            "fails" if self.claim.canary => "fails".into(),
            other => alarm(other),
        };
        let cells = [
            self.claim.name,
            statements(self.claim.name).next().unwrap_or_default(),
            &if about.n() { range(true, |point| point.n) } else { whichever(&self.claim).into() },
            &range(about.psi(), |point| point.psi),
            &range(about.kappa(), |point| point.kappa),
            &format!("{:.2}", self.seconds),
        ];
        format!("{}  {word}", row(cells))
    }

    /// What has to be said beside the verdict.
    fn remarks(&self, witnesses: Option<&Path>) -> Vec<String> {
        let (all, canary) = (self.rings.len(), self.claim.canary);
        let witness = |point: Point| {
            let path = witnesses.map(|folder| folder.join(format!("{}.json", label(&self.claim, point))));
            path.map_or(String::new(), |path| format!(": witness in {}", quoted(&path.display().to_string())))
        };
        let noted = |note: &str| if note.is_empty() { String::new() } else { format!(" ({note})") };
        let mut remarks = self.premises();
        let reduction = self.claim.every.filter(|_| self.verdict() == "holds" && !canary);
        remarks.extend(reduction.map(|name| format!("every n by the reduction {name}, whose text is in PROOFS.md")));
        if self.gates_alone > 0 {
            remarks
                .push(format!("on {} of {all} rings the gates alone decide it: no formula is left", self.gates_alone));
        }
        if let Found { count, first: Some((point, note)) } = &self.fails {
            let must = if canary { "known to be false, " } else { "" };
            let at = self.place(*point);
            let of = if *count == all { "all".into() } else { format!("{count} of") };
            let first = if *count == 1 { at } else { format!("{of} {all} rings, first {at}") };
            remarks.push(format!("{must}fails at {first}{}{}", noted(note), witness(*point)));
            if canary && self.holds > 0 {
                remarks.push(format!("holds at {}; what is false need not fail on every ring", rings(self.holds)));
            }
        } else if canary && self.holds > 0 && self.unknown.count == 0 {
            remarks.push(format!(
                "it is known to be false and must fail somewhere, but not on these rings; where it does: \
                 ringleader prove {}",
                self.claim.name
            ));
        }
        if let Found { count, first: Some((point, note)) } = &self.nothing {
            let at = self.place(*point);
            remarks
                .push(format!("at {count} of {all} rings nothing of what it says exists, first {at}{}", noted(note)));
        }
        if let Found { count, first: Some((point, why)) } = &self.unknown {
            remarks.push(format!("unknown at {count} of {all} rings, first {}: {why}", self.place(*point)));
        }
        remarks
    }

    /// On what it rests where it holds.
    fn premises(&self) -> Vec<String> {
        let names = |premises: &BTreeSet<&str>| premises.iter().copied().collect::<Vec<_>>().join(", ");
        let (open, broken) = (names(&self.open), names(&self.broken));
        let met = names(&self.met.iter().filter(|name| !self.open.contains(*name)).copied().collect());
        let remarks = [
            (&met, format!("given {met}, decided on the same rings")),
            (&open, format!("given {open}; --premises decides that on the same rings, too")),
            (&broken, format!("given {broken}, {} somewhere", alarm("which does not hold"))),
        ];
        remarks.into_iter().filter(|(names, _)| self.holds > 0 && !names.is_empty()).map(|(_, remark)| remark).collect()
    }

    /// A ring, by the parameters that matter.
    fn place(&self, point: Point) -> String {
        let (psi, kappa) = parameters(&self.claim, point);
        let parts = [("n", self.claim.about.n().then_some(point.n)), ("psi", psi), ("kappa", kappa)];
        let parts = parts.into_iter().filter_map(|(name, value)| Some(format!("{name} = {}", value?)));
        let parts = parts.collect::<Vec<_>>().join(", ");
        if parts.is_empty() { "some ring".into() } else { parts }
    }
}

fn rings(count: usize) -> String {
    if count == 1 { "the other ring".into() } else { format!("the other {count} rings") }
}

/// The statements of the paper that a claim belongs to.
pub(super) fn statements(claim: &str) -> impl Iterator<Item = &'static str> {
    STATEMENTS.iter().filter(move |one| one.claims().any(|known| known == claim)).map(|one| one.title)
}

/// Numbers as a range or a list, or only the ends where a list would be long; those are marked.
pub(super) fn range(mut numbers: Vec<usize>) -> String {
    numbers.sort_unstable();
    numbers.dedup();
    let list = numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    match numbers[..] {
        [first, .., last] if last - first + 1 == numbers.len() => format!("{first}..{last}"),
        [first, .., last] if list.len() > 6 => format!("{first}-{last}"),
        _ => list,
    }
}

fn row([claim, statement, n, psi, kappa, seconds]: [&str; 6]) -> String {
    format!("{claim:<25}  {statement:<12} {n:>6} {psi:>5} {kappa:>5} {seconds:>8}")
}

/// A line for each claim; witnesses are in their files, or could be.
pub(super) fn show(out: &mut dyn Write, all: &[Summary], witnesses: Option<&Path>) -> io::Result<()> {
    let header = row(["claim", "statement", "n", "psi", "kappa", "seconds"]);
    writeln!(out, "{}", strong(format!("{header}  verdict")))?;
    for one in all {
        writeln!(out, "{}", one.line())?;
        for remark in one.remarks(witnesses) {
            wrapped(&remark, WIDTH - 4).iter().try_for_each(|line| writeln!(out, "    {line}"))?;
        }
    }
    if witnesses.is_none() && all.iter().any(|one| one.fails.count > 0) {
        writeln!(out, "{}", faint("witnesses: `--witness DIR` writes them, for `replay` and `inspect`"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_ranges_lists_or_ends() {
        assert_eq!(range(vec![4, 3, 5, 3]), "3..5");
        assert_eq!(range(vec![7]), "7");
        assert_eq!(range(vec![3, 9, 5]), "3,5,9");
        assert_eq!(range(vec![3, 16, 64, 512]), "3-512");
    }
}
