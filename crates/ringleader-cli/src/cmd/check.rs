//! `ringleader check`: every configuration of a small ring, one by one.

use std::io::{self, Write};
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use indicatif::HumanBytes;
use ringleader::params::Params;
use ringleader::schedule::{AnySchedule, Recorded};
use ringleader::trial::{Initial, Scheduler, Trial};
use ringleader::value::Value;
use ringleader_catalogue::{Entries, Entry};
use ringleader_records::case::execution::{Course, Execution};
use ringleader_records::pool::{all_cores, spread};
use ringleader_records::{files, json};
use ringleader_verify::explicit::{Claim, Evidence, Explored, Flaw, LeftOut, Move, Scope, Verdict, Work};
use ringleader_verify::laws::{ACCEPTED, CLOSED};

use crate::args::CheckArgs;
use crate::progress::{Bar, interrupted};
use crate::shapes::settings;
use crate::stdout::print;
use crate::stop::{Stop, outcome, sound};
use crate::text::{alarm, columns, commas, faint, good, quoted, strong};

/// Words of 64 configurations that a thread takes at once.
const CHUNK: u64 = 1 << 10;
/// A run from a configuration that cannot become safe is so many times n^2 steps long.
const TRAPPED: u64 = 1000;

/// Numbers from here on do not fit into a table of 80 columns.
const WIDE: u128 = 1_000_000_000_000;

/// A size and what was found there.
struct Row {
    n: usize,
    explored: Explored,
    /// The first flaw as a case.
    witness: Option<Value>,
}

pub(crate) fn check(args: &CheckArgs, entries: &Entries) -> Result<(), Stop> {
    let entry = entries.find(args.protocol.name()?)?;
    let sizes = &args.n.0;
    // All that can be refused is refused before anything runs.
    for &n in sizes {
        entry.describe_smallest(n, &args.params.0)?;
        keeps_laws(entry, n, args)?;
    }
    if let Some(path) = &args.witness {
        files::check_writable(path)?;
    }
    sound(&**entry)?;
    let threads = args.threads.unwrap_or_else(all_cores);
    let mut rows = Vec::new();
    for &n in sizes {
        let explored = explore(entry, n, args, threads)?;
        let stopped = explored.verdict == Verdict::Stopped;
        let witness = explored.flaws.first().map(|flaw| case(entry, n, &explored, flaw)).transpose()?;
        rows.push(Row { n, explored, witness });
        if stopped {
            break;
        }
    }
    sound(&**entry)?;
    let printed = print(args.json, "check", || as_json(entry, args, &rows), |out| report(out, entry, args, &rows));
    if let (Some(path), Some(witness)) = (&args.witness, rows.iter().find_map(|row| row.witness.as_ref())) {
        save(path, witness)?;
    }
    outcome(printed, verdict(&rows))
}

/// A protocol that leaves its domains, or reads coins that it does not announce, has no configurations to look at.
fn keeps_laws(entry: &Entry, n: usize, args: &CheckArgs) -> Result<(), Stop> {
    match entry.laws(n, &args.params.0, 0) {
        Err(broken) if broken.law != ACCEPTED && !CLOSED.contains(&broken.law) => {
            Err(Stop::Failed(format!("{}, n = {n}: this law is broken: {broken}", entry.about().name)))
        }
        _ => Ok(()),
    }
}

fn verdict(rows: &[Row]) -> Result<(), Stop> {
    let any = |verdict: Verdict| rows.iter().any(|row| row.explored.verdict == verdict);
    if any(Verdict::Fails) {
        Err(Stop::Refuted)
    } else if any(Verdict::Stopped) {
        Err(Stop::Interrupted(None))
    } else if any(Verdict::TooLarge) {
        Err(Stop::Undecided)
    } else {
        Ok(())
    }
}

fn save(path: &Path, witness: &Value) -> Result<(), Stop> {
    Ok(files::write(path, |out| json::write_line(out, witness))?)
}

// --- Threads --------------------------------------------------------------------------------------------------

fn explore(entry: &Entry, n: usize, args: &CheckArgs, threads: usize) -> Result<Explored, Stop> {
    let mut bar = Bar::new(0, args.quiet);
    let mut workers = |what: &str, words: u64, work: &Work<'_>| share(&mut bar, n, what, words, work, threads);
    let scope = Scope { memory: args.memory, everywhere: args.everywhere };
    Ok(entry.explore(n, &args.params.0, scope, &mut workers)?)
}

/// Shares the words among threads; small work is not worth starting any.
fn share(bar: &mut Bar, n: usize, what: &str, words: u64, work: &Work<'_>, threads: usize) -> ControlFlow<()> {
    let next = AtomicU64::new(0);
    let take = || -> Option<Range<u64>> {
        let first = next.fetch_add(CHUNK, Ordering::Relaxed);
        (first < words && !interrupted()).then(|| first..(first + CHUNK).min(words))
    };
    let mut shown = || {
        bar.set_length(64 * words);
        let done = next.load(Ordering::Relaxed).min(words);
        bar.show(64 * done, || format!("configurations, n = {n}, {what}"))
    };
    if threads > 1 && words > CHUNK {
        let make = || {
            let range = take()?;
            work(range);
            Some(Ok::<(), Stop>(()))
        };
        // If not all threads can be started, this one does what is left.
        let _ = spread(threads, &AtomicBool::new(false), make, |_| {
            let _ = shown();
            Ok(())
        });
    }
    while let Some(range) = take() {
        work(range);
        shown()?;
    }
    shown()
}

// --- Witnesses ------------------------------------------------------------------------------------------------

/// A flaw as a case that `replay` confirms: the step that breaks a claim, a loop, or a run that does not become safe.
fn case(entry: &Entry, n: usize, explored: &Explored, flaw: &Flaw) -> Result<Value, Stop> {
    let mut trial = Trial::new(&entry.about().name, n, 0);
    trial.from = Some(Initial::Given(flaw.config.clone()));
    trial.params = Params(explored.settings.iter().map(|(name, value)| (name.clone().into_owned(), *value)).collect());
    let mut last = entry.open(&trial)?;
    if flaw.leaderless > 0 {
        last.set_leaderless(flaw.leaderless)?;
    }
    let first = last.duplicate();
    let ring = last.described().ring;
    let moves: &[Move] = match &flaw.evidence {
        Evidence::Step(step) => std::slice::from_ref(step),
        Evidence::Loop(moves, _) => moves,
        Evidence::Itself | Evidence::Silent | Evidence::Endless => &[],
    };
    let interactions: Vec<_> = moves.iter().map(|(e, _)| *e).collect();
    let coins: Vec<u64> = moves.iter().filter_map(|(_, coin)| *coin).collect();
    let (course, schedule, steps) = if matches!(flaw.evidence, Evidence::Silent | Evidence::Endless) {
        let (scheduler, seed, steps) = (Scheduler::Uniform, 0, TRAPPED * (n as u64).pow(2));
        (Course::Seeded(scheduler, seed, steps), AnySchedule::new(scheduler, ring, seed), steps)
    } else {
        let recorded = Recorded::new(interactions.clone(), coins.clone());
        (Course::Recorded(&interactions, &coins), AnySchedule::Recorded(recorded), moves.len() as u64)
    };
    *last.schedule() = schedule;
    let followed = last.advance(steps);
    followed.map_err(|(halt, step)| Stop::Bad(format!("the witness ends after {step} steps: {halt:?}")))?;
    let hashes = [(0, json::hash(first.as_ref())), (steps, json::hash(last.as_ref()))];
    let mut notes = vec![("claim".into(), flaw.claim.text(&explored.promise).into())];
    notes.extend(shown(&flaw.evidence).map(|words| ("shows".into(), words.into())));
    let execution = Execution {
        leaderless: (flaw.leaderless > 0).then_some(flaw.leaderless),
        hashes: &hashes,
        safety: true,
        notes,
        ..Execution::new(first.as_ref(), last.as_ref(), course)
    };
    Ok(execution.value())
}

/// What there is to see in a case, where that is not one step.
fn shown(evidence: &Evidence) -> Option<String> {
    Some(match evidence {
        Evidence::Itself | Evidence::Step(_) => return None,
        Evidence::Silent => "no interaction changes anything".into(),
        Evidence::Loop(moves, changes) => {
            let outputs = if *changes { "outputs change on the way" } else { "outputs stay as they are" };
            format!("{} interactions lead round and back; {outputs}", moves.len())
        }
        Evidence::Endless => "it goes on without becoming safe".into(),
    })
}

// --- For people -----------------------------------------------------------------------------------------------

fn report(out: &mut dyn Write, entry: &Entry, args: &CheckArgs, rows: &[Row]) -> io::Result<()> {
    let about = entry.about();
    writeln!(out, "{}  {}", strong(&about.name), about.summary)?;
    writeln!(out, "rules {}, ring {}", about.origin.name(), about.ring.name())?;
    if about.declares_safe {
        writeln!(out, "safe set: {}", about.safe)?;
    } else {
        writeln!(out, "no safe set is declared; safe: {}", definition(about.elects))?;
    }
    if let Some(Row { explored, .. }) = rows.first() {
        writeln!(out, "claims:")?;
        explored.claims.iter().try_for_each(|claim| writeln!(out, "  {}", claim.text(&explored.promise)))?;
    }
    writeln!(out)?;
    table(out, rows)?;
    if about.declares_safe {
        all_of_it(out, about.elects, rows)?;
    }
    if rows.iter().all(|row| row.explored.verdict == Verdict::Holds) {
        writeln!(out, "{} from every configuration checked", good("holds"))?;
        if !about.declares_safe {
            writeln!(out, "on these rings it is self-stabilizing: it becomes safe with probability 1")?;
        }
    }
    rows.iter().try_for_each(|row| findings(out, entry, args, row))
}

/// Definition 1.
fn definition(elects: bool) -> &'static str {
    if elects { "one leader, and no output ever changes" } else { "no output ever changes" }
}

/// Whether the safe set has all safe configurations of Definition 1, and if not, one that it leaves out.
fn all_of_it(out: &mut dyn Write, elects: bool, rows: &[Row]) -> io::Result<()> {
    let done = rows.iter().filter(|row| matches!(row.explored.verdict, Verdict::Holds | Verdict::Fails));
    let (mut any, mut example) = (false, None);
    for Row { n, explored, .. } in done {
        if !std::mem::replace(&mut any, true) {
            writeln!(out, "\nsafe by Definition 1: {}", definition(elects))?;
        }
        let (all, left_out) = (explored.largest, explored.left_out.as_ref());
        let part = match left_out.map(|left_out| all - left_out.count) {
            None => "all".into(),
            Some(part) => format!("{} of the", commas(part)),
        };
        writeln!(out, "n = {n}: the safe set has {part} {} safe configurations", commas(all))?;
        example = example.or(left_out.map(|left_out| (n, left_out)));
    }
    if let Some((n, left_out)) = example {
        write!(out, "left out with n = {n}, for example: ")?;
        json::write_line(out, &Value::List(left_out.config.clone()))?;
    }
    if any { writeln!(out) } else { Ok(()) }
}

fn table(out: &mut dyn Write, rows: &[Row]) -> io::Result<()> {
    let header = ["n", "|Q|", "inputs", "configurations", "promised", "safe", "farthest", "verdict"];
    let header = header.map(str::to_owned).to_vec();
    let lines = columns(&std::iter::once(header).chain(rows.iter().map(cells)).collect::<Vec<_>>());
    writeln!(out, "{}", strong(&lines[0]))?;
    lines[1..].iter().try_for_each(|line| writeln!(out, "{line}"))?;
    let note = "|Q|: states an agent may have for given inputs; inputs: ways to give them\n\
        promised: from where safety is claimed; farthest: fewest interactions to\n\
        safety from the farthest configuration that can become safe";
    note.lines().try_for_each(|line| writeln!(out, "{}", faint(line)))
}

fn cells(row: &Row) -> Vec<String> {
    let Row { n, explored, .. } = row;
    let known = |value: u64| match explored.verdict {
        Verdict::Holds | Verdict::Fails => commas(value),
        _ => "-".into(),
    };
    vec![
        n.to_string(),
        commas(explored.states),
        explored.inputs.map_or("-".into(), commas),
        if explored.configurations.is_some_and(|all| all < WIDE) { size(*n, explored) } else { order(*n, explored) },
        known(explored.promised),
        known(explored.safe),
        known(explored.farthest),
        explored.verdict.name().to_owned(),
    ]
}

/// The number of configurations, or its order where it has more than 38 digits.
fn size(n: usize, explored: &Explored) -> String {
    explored.configurations.map_or_else(|| order(n, explored), commas)
}

fn order(n: usize, explored: &Explored) -> String {
    format!("about 10^{}", (n as f64 * (explored.states as f64).log10()).round())
}

fn findings(out: &mut dyn Write, entry: &Entry, args: &CheckArgs, row: &Row) -> io::Result<()> {
    let Row { n, explored, witness } = row;
    match explored.verdict {
        Verdict::Holds => Ok(()),
        Verdict::Stopped => writeln!(out, "n = {n}: {}; nothing is known", alarm("interrupted")),
        Verdict::TooLarge => {
            writeln!(out, "n = {n}: {}: {} configurations", alarm("too large"), size(*n, explored))?;
            if has_inputs(entry, args, *n) {
                writeln!(out, "this many for each choice of inputs")?;
            }
            advice(out, entry, args, *n, explored)
        }
        Verdict::Fails => {
            for flaw in &explored.flaws {
                let (claim, count) = (flaw.claim.text(&explored.promise), commas(flaw.count));
                writeln!(out, "n = {n}: {}: {claim}", alarm("fails"))?;
                writeln!(out, "violated in {count} configurations")?;
                if flaw.claim == Claim::Stabilizes {
                    writeln!(out, "on this ring it is not self-stabilizing")?;
                }
            }
            if let Some(words) = explored.flaws.first().and_then(|flaw| shown(&flaw.evidence)) {
                writeln!(out, "what the witness shows: {words}")?;
            }
            match (&args.witness, witness) {
                (Some(path), _) => {
                    let path = quoted(&path.display().to_string());
                    writeln!(out, "witness: ringleader replay {path}")?;
                    writeln!(out, "watch it: ringleader view {path}")
                }
                (None, Some(witness)) => {
                    writeln!(out, "witness, for `ringleader replay -` (--witness FILE writes it):")?;
                    json::write_line(out, witness)
                }
                (None, None) => Ok(()),
            }
        }
    }
}

/// No machine has more memory than this.
const MEMORY: u128 = 1 << 44;

/// Claims of `prove` that say of all configurations what is too much for looking at each.
const PROVED: [(&str, &str); 4] = [
    ("ppl", "safe convergence"),
    ("ysm", "ysm-safe ysm-convergence"),
    ("por", "por-oriented por-convergence"),
    ("pcl", "pcl-red-free"),
];

/// What helps where there are too many configurations: memory, smaller parameters, or a proof.
fn advice(out: &mut dyn Write, entry: &Entry, args: &CheckArgs, n: usize, explored: &Explored) -> io::Result<()> {
    let memory = |explored: &Explored| explored.configurations.map(|all| all.div_ceil(8).saturating_mul(3));
    let needed = memory(explored).filter(|needed| *needed <= MEMORY).and_then(|needed| u64::try_from(needed).ok());
    let why = needed.map_or("that is beyond any memory".into(), |needed| {
        format!("it takes {}, and --memory allows {}", HumanBytes(needed), HumanBytes(args.memory))
    });
    writeln!(out, "n = {n} was not checked: {why}")?;
    if let Some((options, least)) = smallest(entry, n, &args.params.0) {
        let fits = memory(&least).is_some_and(|needed| needed <= MEMORY);
        let but = if fits { "" } else { ", still too many" };
        writeln!(out, "with the smallest parameters,{options}, there are {}{but}", size(n, &least))?;
    }
    match PROVED.iter().find(|(protocol, _)| *protocol == entry.about().name) {
        Some((_, claims)) => {
            writeln!(out, "all configurations at once, by a SAT solver: ringleader prove {claims} --n {n}")
        }
        None => Ok(()),
    }
}

/// The smallest parameters that the protocol accepts, if they make a difference, and how many configurations there are then.
fn smallest(entry: &Entry, n: usize, given: &Params) -> Option<(String, Explored)> {
    let count = |params: &Params| {
        entry.explore(n, params, Scope { memory: 0, everywhere: false }, &mut |_, _, _| ControlFlow::Break(())).ok()
    };
    let (mut params, mut options, mut found) = (Params::default(), String::new(), None);
    // The last parameters first: kappa is what c1, before it, only scales.
    for parameter in entry.about().parameters.iter().rev().filter(|parameter| !parameter.flag) {
        let accepted = |value: u64| Some((value, count(&params.clone().with(&parameter.name, value))?));
        if let Some((value, explored)) = (1..=64).find_map(accepted) {
            params = params.with(&parameter.name, value);
            options = format!(" --{} {value}{options}", parameter.name);
            found = Some(explored);
        }
    }
    let (found, now) = (found?, count(given)?);
    (found.states < now.states).then_some((options, found))
}

fn has_inputs(entry: &Entry, args: &CheckArgs, n: usize) -> bool {
    let described = entry.describe_smallest(n, &args.params.0);
    described.is_ok_and(|described| described.variables.iter().any(|variable| variable.input))
}

// --- For machines ---------------------------------------------------------------------------------------------

fn as_json(entry: &Entry, args: &CheckArgs, rows: &[Row]) -> Value {
    let about = entry.about();
    Value::map([
        ("protocol", about.name.clone().into()),
        ("rules", about.origin.name().into()),
        ("safe_set", about.safe.clone().into()),
        ("safe_declared", about.declares_safe.into()),
        ("memory", args.memory.into()),
        ("checks", rows.iter().map(row_as_json).collect::<Vec<_>>().into()),
    ])
}

fn row_as_json(row: &Row) -> Value {
    let Row { n, explored, witness } = row;
    let done = matches!(explored.verdict, Verdict::Holds | Verdict::Fails);
    let known = |value: u64| Value::from(done.then_some(value));
    let digits = |number: u128| Value::Digits(number.to_string());
    let claim = |claim: &Claim| {
        let flaw = explored.flaws.iter().find(|flaw| flaw.claim == *claim);
        Value::map([
            ("claim", claim.text(&explored.promise).into()),
            ("holds", done.then_some(flaw.is_none()).into()),
            ("exceptions", done.then_some(flaw.map_or(0, |flaw| flaw.count)).into()),
        ])
    };
    let left_out =
        |left_out: &LeftOut| Value::map([("count", left_out.count.into()), ("config", left_out.config.clone().into())]);
    Value::map([
        ("n", (*n).into()),
        ("settings", settings(&explored.settings)),
        ("states", digits(explored.states)),
        ("inputs", explored.inputs.into()),
        ("configurations", explored.configurations.map(digits).into()),
        ("promise", explored.promise.clone().into()),
        ("promised", known(explored.promised)),
        ("safe", known(explored.safe)),
        ("largest", known(explored.largest)),
        ("left_out", explored.left_out.as_ref().filter(|_| done).map(left_out).into()),
        ("farthest", known(explored.farthest)),
        ("verdict", explored.verdict.name().into()),
        ("claims", explored.claims.iter().map(claim).collect::<Vec<_>>().into()),
        ("witness", witness.clone().into()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader::ring::Interaction;

    #[cfg(feature = "prove")]
    #[test]
    fn what_is_proved_are_claims() {
        let claims = ringleader_proof::claims::claims();
        let named = PROVED.iter().flat_map(|(_, names)| names.split(' '));
        assert_eq!(named.filter(|name| claims.iter().all(|claim| claim.name != *name)).count(), 0);
        let entries = Entries::new(&ringleader_catalogue::builtin()).unwrap();
        assert!(PROVED.iter().all(|(name, _)| entries.find(name).is_ok()));
    }

    /// A step with a coin on an undirected ring, as a closure that fails would give.
    #[test]
    fn a_step_that_reads_a_coin_is_a_case() {
        let entries = Entries::new(&ringleader_catalogue::builtin()).unwrap();
        let entry = entries.find("pcl").unwrap();
        let scope = Scope { memory: 1 << 20, everywhere: false };
        let params = Params::default().with("colors", 3);
        let explored = entry.explore(3, &params, scope, &mut |_, words, work| {
            work(0..words);
            ControlFlow::Continue(())
        });
        let agent = |color: u8, stamp: u8, bit: u8| {
            Value::map([("color", color.into()), ("stampC", stamp.into()), ("stampB", bit.into())])
        };
        let flaw = Flaw {
            claim: Claim::SafeClosed,
            config: vec![agent(0, 1, 0), agent(1, 0, 1), agent(2, 2, 0)],
            leaderless: 0,
            evidence: Evidence::Step((Interaction { initiator: 1, responder: 0 }, Some(5))),
            count: 1,
        };
        let case = case(entry, 3, &explored.unwrap(), &flaw).unwrap();
        let list = |name: &str| case.get(name).unwrap().to_string();
        assert_eq!((list("schedule"), list("draws")), ("[[1,0]]".into(), "[[1,2]]".into()));
        let Some(Value::List(last)) = case.get("final") else { panic!("{case}") };
        assert_eq!((last[1].get("color"), last[0].get("color")), (Some(&Value::Int(1)), Some(&Value::Int(2))));
    }
}
