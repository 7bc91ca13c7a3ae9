//! `ringleader prove`: the paper's claims, decided on all configurations.

use std::io::{self, Write};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use ringleader::error::Error;
use ringleader::protocol::draw;
use ringleader::ring::{Interaction, Orientation};
use ringleader::value::Value;
use ringleader_proof::bits::in_fresh_arena;
use ringleader_proof::claims::{Claim, Point, claims};
use ringleader_proof::query::{Certificates, Decided, Query, Undecided, Verdict};
use ringleader_proof::solve::NO_OTFS;
use ringleader_proof::witness::Witness;

use crate::args::{ProveArgs, Sizes};
use crate::progress::{Bar, interrupted};
use crate::stop::{Stop, outcome};
use crate::text::{alarm, commas, faint, good, strong};
use crate::work::all_cores;
use crate::{files, json};

/// One claim at one point.
struct Task {
    claim: Claim,
    point: Point,
}

/// A decided task.
struct Row {
    task: usize,
    decided: Result<Decided, Undecided>,
    seconds: f64,
    formulas: usize,
    variables: usize,
    clauses: usize,
}

pub(crate) fn prove(args: &ProveArgs) -> Result<(), Stop> {
    let chosen = choose(&args.claims)?;
    if args.list {
        return list(&chosen, args.json);
    }
    if args.memory.is_some() && resident().is_none() {
        return Err(Stop::Bad(
            "--memory needs a system that tells how much memory a process uses (/proc/self/status)".into(),
        ));
    }
    for directory in [&args.certificate, &args.witness].into_iter().flatten() {
        std::fs::create_dir_all(directory)
            .map_err(|error| Stop::Bad(format!("cannot make the directory {}: {error}", directory.display())))?;
    }
    if args.certificate.is_some() && std::env::var(NO_OTFS.0).as_deref() != Ok(NO_OTFS.1) {
        return again();
    }
    let tasks: Vec<Task> = chosen
        .iter()
        .flat_map(|claim| points(claim, args).into_iter().map(|point| Task { claim: *claim, point }))
        .collect();
    if tasks.is_empty() {
        return Err(Stop::Bad("these ranges hold no point: --n and --psi are A..B with A <= B".into()));
    }
    let mut report = Report { args, tasks: &tasks, rows: Vec::new() };
    let printed = decide_all(args, &tasks, |row| report.take(row));
    let printed = printed.and_then(|()| report.finish());
    outcome(printed, report.verdict())
}

/// The same command with the environment that certificates need. A Ctrl-C reaches that process as well, which then ends in order.
fn again() -> Result<(), Stop> {
    let _looks_for_interruptions = Bar::new(0, true);
    let itself = std::env::current_exe();
    let run =
        itself.and_then(|path| Command::new(path).args(std::env::args_os().skip(1)).env(NO_OTFS.0, NO_OTFS.1).status());
    let status = run.map_err(|error| Stop::Bad(format!("cannot start the solver for certificates: {error}")))?;
    match status.code() {
        Some(0) => Ok(()),
        code => Err(Stop::Done(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))),
    }
}

/// The claims of these names; all of them if none is named.
fn choose(names: &[String]) -> Result<Vec<Claim>, Stop> {
    let all = claims();
    let find = |name: &String| {
        all.iter().find(|claim| claim.name == name).copied().ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|claim| claim.name).collect();
            Stop::Bad(Error::new("claim", name, format!("allowed is {}", known.join(", "))).to_string())
        })
    };
    if names.is_empty() { Ok(all.clone()) } else { names.iter().map(find).collect() }
}

/// The points of a claim: what was asked for, or its quick subset; parameters that it is not about stay at their least.
fn points(claim: &Claim, args: &ProveArgs) -> Vec<Point> {
    let [n, psi] = claim.quick;
    let chosen = |given: &Option<Sizes>, (low, high): (usize, usize)| -> Vec<usize> {
        given.as_ref().map_or((low..=high).collect(), |sizes| sizes.0.clone())
    };
    let (n, psi, kappa) = (chosen(&args.n, n), chosen(&args.psi, psi), chosen(&args.kappa, (1, 1)));
    let about = claim.about;
    let n = if about.n() { n } else { n[..1].to_vec() };
    let psi = if about.psi() { psi } else { vec![2] };
    let kappa = if about.kappa() { kappa } else { vec![1] };
    let every = psi.iter().flat_map(|&psi| n.iter().map(move |&n| (n, psi)));
    let every = every.flat_map(|(n, psi)| kappa.iter().map(move |&kappa| Point { n, psi, kappa }));
    every
        .filter(|point| !about.n() || args.most_psi.is_none_or(|most| point.n <= most.saturating_mul(point.psi)))
        .collect()
}

// --- Deciding -------------------------------------------------------------------------------------------------

/// Decides all tasks over threads and hands the rows on in the order of the tasks, until Ctrl-C.
fn decide_all(args: &ProveArgs, tasks: &[Task], mut take: impl FnMut(Row) -> Result<(), Stop>) -> Result<(), Stop> {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        let (sender, rows) = channel();
        for _ in 0..args.threads.unwrap_or_else(all_cores).min(tasks.len()) {
            let (next, sender) = (&next, sender.clone());
            let started = thread::Builder::new().spawn_scoped(scope, move || work(args, tasks, next, &sender));
            started.map_err(|error| Stop::Bad(format!("cannot start a thread: {error}")))?;
        }
        drop(sender);
        in_order(&rows, args, tasks.len(), &mut take).inspect_err(|_| next.store(tasks.len(), Ordering::Relaxed))
    })
}

fn in_order(
    rows: &Receiver<Row>,
    args: &ProveArgs,
    tasks: usize,
    take: &mut impl FnMut(Row) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let (mut bar, mut waiting, mut due) = (Bar::new(tasks as u64, args.quiet || !args.json), Vec::new(), 0);
    while let Ok(row) = rows.recv() {
        waiting.push(row);
        let _ = bar.show(waiting.len() as u64 + due as u64, || "decided".into());
        while let Some(k) = waiting.iter().position(|row: &Row| row.task == due) {
            take(waiting.swap_remove(k))?;
            due += 1;
        }
    }
    // After Ctrl-C there may be gaps; what was decided behind them is shown as well.
    waiting.sort_by_key(|row| row.task);
    waiting.into_iter().try_for_each(take)
}

fn work(args: &ProveArgs, tasks: &[Task], next: &AtomicUsize, rows: &Sender<Row>) {
    while !interrupted() {
        let task = next.fetch_add(1, Ordering::Relaxed);
        let Some(Task { claim, point }) = tasks.get(task) else { return };
        let row = decide(args, claim, *point);
        // A task that Ctrl-C cut short was not decided.
        let cut = matches!(&row.decided, Ok(Decided { verdict: Verdict::Unknown(_), .. })) && interrupted();
        if cut || rows.send(Row { task, ..row }).is_err() {
            return;
        }
    }
}

fn decide(args: &ProveArgs, claim: &Claim, point: Point) -> Row {
    let begin = Instant::now();
    let (time, memory) = (args.time, args.memory);
    let halt = move || halt(time, memory, begin);
    let save = |formula: &str, cnf: &str, proof: &str| {
        archive(args.certificate.as_deref(), &format!("{}-{formula}", label(claim, point)), cnf, proof)
    };
    let certificates: Option<Certificates<'_>> = if args.certificate.is_some() { Some(&save) } else { None };
    let mut query = Query::new(&halt, certificates);
    let decided = in_fresh_arena(Box::new(halt), || claim.decide(&mut query, point));
    let Query { formulas, variables, clauses, .. } = query;
    Row { task: 0, decided, seconds: begin.elapsed().as_secs_f64(), formulas, variables, clauses }
}

fn halt(time: Option<u64>, memory: Option<u64>, begin: Instant) -> Option<String> {
    if interrupted() {
        return Some("interrupted".into());
    }
    if let Some(limit) = time.filter(|&limit| begin.elapsed() > Duration::from_secs(limit)) {
        return Some(format!("{limit} s"));
    }
    let most = memory?;
    (resident()? > most).then(|| format!("{} MiB of memory", commas(most >> 20)))
}

/// How much memory this process uses, in bytes, if the system tells.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib << 10)
}

fn archive(directory: Option<&Path>, name: &str, cnf: &str, proof: &str) -> Result<(), String> {
    let Some(directory) = directory else { return Ok(()) };
    for (ending, text) in [("cnf", cnf), ("drat", proof)] {
        let path = directory.join(format!("{name}.{ending}"));
        files::write(&path, |out| out.write_all(text.as_bytes()))
            .map_err(|_| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

// --- Showing --------------------------------------------------------------------------------------------------

struct Report<'a> {
    args: &'a ProveArgs,
    tasks: &'a [Task],
    rows: Vec<Row>,
}

impl Report<'_> {
    /// Shows a row at once, so that nothing is lost when the work ends early.
    fn take(&mut self, row: Row) -> Result<(), Stop> {
        let Task { claim, point } = &self.tasks[row.task];
        let decided = row.decided.as_ref().map_err(refused)?;
        if let (Some(directory), Some(witness)) = (&self.args.witness, decided.verdict.witness()) {
            let path = directory.join(format!("{}.json", label(claim, *point)));
            files::write(&path, |out| {
                json::write(out, &as_case(witness))?;
                writeln!(out)
            })?;
        }
        if !self.args.json {
            let first = self.rows.is_empty();
            files::to_stdout(|out| {
                if first {
                    writeln!(
                        out,
                        "{}",
                        strong(line(["claim", "n", "psi", "kappa", "seconds", "variables", "clauses", "verdict"]))
                    )?;
                }
                writeln!(out, "{}", self.line(&row, decided))?;
                if let Verdict::Fails(witness) = &decided.verdict {
                    write!(out, "  witness: ")?;
                    json::write(&mut &mut *out, &as_case(witness))?;
                    writeln!(out)?;
                }
                Ok(())
            })?;
        }
        self.rows.push(row);
        Ok(())
    }

    fn line(&self, row: &Row, decided: &Decided) -> String {
        let Task { claim, point } = &self.tasks[row.task];
        let (psi, kappa) = parameters(claim, *point);
        let n = if claim.about.n() { point.n.to_string() } else { "any".into() };
        let cells = [
            claim.name,
            &n,
            &psi.map_or("any".into(), |psi| psi.to_string()),
            &kappa.map_or("any".into(), |kappa| kappa.to_string()),
            &format!("{:.2}", row.seconds),
            &commas(row.variables),
            &commas(row.clauses),
        ];
        let word = match &decided.verdict {
            Verdict::Holds(_) => good("holds"),
            Verdict::Fails(_) if claim.canary => "fails, as it must".into(),
            Verdict::Fails(_) => alarm("fails"),
            Verdict::Nothing => alarm("nothing"),
            Verdict::Unknown(why) => format!("{}: {why}", alarm("unknown")),
        };
        let note = if decided.note.is_empty() { String::new() } else { faint(format!(" ({})", decided.note)) };
        format!("{}  {word}{note}", line_of(&cells))
    }

    fn finish(&self) -> Result<(), Stop> {
        let count = |name: &str| self.verdicts().filter(|(_, verdict)| verdict.name() == name).count();
        files::to_stdout(|out| {
            if self.args.json {
                json::write(&mut &mut *out, &self.as_json())?;
                return writeln!(out);
            }
            let (holds, fails, unknown) = (count("holds"), count("fails"), count("unknown"));
            let nothing = Some(count("nothing")).filter(|&of| of > 0);
            let nothing = nothing.map_or(String::new(), |of| format!(" {of} find nothing of what they say exists,"));
            let missing = self.tasks.len() - self.rows.len();
            writeln!(out, "\n{holds} hold, {fails} fail,{nothing} {unknown} unknown, {missing} not decided")
        })
    }

    fn verdicts(&self) -> impl Iterator<Item = (&Claim, &Verdict)> {
        let decided = self.rows.iter().filter_map(|row| Some((row.task, row.decided.as_ref().ok()?)));
        decided.map(|(task, decided)| (&self.tasks[task].claim, &decided.verdict))
    }

    /// A claim that is known to be false must fail somewhere; any other must fail nowhere.
    fn verdict(&self) -> Result<(), Stop> {
        if self.rows.len() < self.tasks.len() && interrupted() {
            return Err(Stop::Interrupted(None));
        }
        let wrong = |verdict: &Verdict| matches!(verdict, Verdict::Fails(_) | Verdict::Nothing);
        if let Some((claim, _)) = self.verdicts().find(|(claim, verdict)| !claim.canary && wrong(verdict)) {
            return Err(Stop::Failed(format!("{} fails", claim.name)));
        }
        let fails_somewhere = |name: &str| {
            self.verdicts().any(|(claim, verdict)| claim.name == name && matches!(verdict, Verdict::Fails(_)))
        };
        if self.verdicts().any(|(_, verdict)| matches!(verdict, Verdict::Unknown(_))) {
            return Err(Stop::Undecided);
        }
        match self.verdicts().find(|(claim, _)| claim.canary && !fails_somewhere(claim.name)) {
            Some((claim, _)) => {
                Err(Stop::Failed(format!("{} holds everywhere here, though it is known to be false", claim.name)))
            }
            None => Ok(()),
        }
    }

    fn as_json(&self) -> Value {
        let row = |row: &Row| {
            let Task { claim, point } = &self.tasks[row.task];
            let (psi, kappa) = parameters(claim, *point);
            let Decided { verdict, note } = row.decided.as_ref().ok()?;
            let why = if let Verdict::Unknown(why) = verdict { Some(why.as_str()) } else { None };
            Some(Value::map([
                ("claim", claim.name.into()),
                ("n", claim.about.n().then_some(point.n).into()),
                ("psi", psi.into()),
                ("kappa", kappa.into()),
                ("verdict", verdict.name().into()),
                ("limit", why.map(Value::from).into()),
                ("must_fail", claim.canary.into()),
                ("note", note.as_str().into()),
                ("seconds", row.seconds.into()),
                ("formulas", row.formulas.into()),
                ("variables", row.variables.into()),
                ("clauses", row.clauses.into()),
                ("witness", verdict.witness().map(as_case).into()),
            ]))
        };
        Value::map([
            ("rows", self.rows.iter().filter_map(row).collect::<Vec<_>>().into()),
            ("asked", self.tasks.len().into()),
            ("interrupted", (self.rows.len() < self.tasks.len()).into()),
        ])
    }
}

/// A witness as a case that `replay` and `inspect` accept.
fn as_case(witness: &Witness) -> Value {
    let interaction = |e: &Interaction| match witness.orientation {
        Orientation::Directed => e.initiator.into(),
        Orientation::Undirected => vec![e.initiator, e.responder].into(),
    };
    let draws = witness.coins.iter().map(|&coin| Value::from(draw(coin, &witness.dice)));
    let mut case = vec![
        ("protocol", witness.protocol.into()),
        ("n", witness.initial.len().into()),
        ("shows", witness.shows.as_str().into()),
        ("initial", witness.initial.clone().into()),
        ("schedule", witness.word.iter().map(interaction).collect::<Vec<Value>>().into()),
        ("draws", draws.collect::<Vec<_>>().into()),
    ];
    case.extend(witness.settings.iter().cloned());
    Value::map(case)
}

fn refused(undecided: &Undecided) -> Stop {
    match undecided {
        Undecided::Refused(error) => Stop::Bad(error.to_string()),
        Undecided::Differs(difference) => {
            let advice =
                "mend the one that is wrong; nothing was proven (`run --engine stepper` uses the clear form only)";
            Stop::Failed(format!("{difference}; {advice}"))
        }
        Undecided::Unknown(why) => Stop::Failed(why.clone()),
    }
}

/// The name of a claim at a point, for files.
fn label(claim: &Claim, point: Point) -> String {
    let about = claim.about;
    let parts = [(about.n(), "n", point.n), (about.psi(), "psi", point.psi), (about.kappa(), "kappa", point.kappa)];
    let parts = parts.into_iter().filter(|(of_it, ..)| *of_it).map(|(_, name, value)| format!("-{name}{value}"));
    claim.name.to_owned() + &parts.collect::<String>()
}

/// `psi` and `kappa_max` of a row, where the claim is about them.
fn parameters(claim: &Claim, point: Point) -> (Option<usize>, Option<usize>) {
    (claim.about.psi().then_some(point.psi), claim.about.kappa().then_some(point.kappa))
}

fn line(cells: [&str; 8]) -> String {
    let [rest @ .., last] = &cells;
    format!("{}  {last}", line_of(rest))
}

fn line_of(cells: &[&str; 7]) -> String {
    let [claim, n, psi, kappa, seconds, variables, clauses] = cells;
    format!("{claim:<24} {n:>4} {psi:>4} {kappa:>5} {seconds:>8} {variables:>9} {clauses:>10}")
}

fn list(chosen: &[Claim], as_json: bool) -> Result<(), Stop> {
    let entry = |claim: &Claim| {
        Value::map([
            ("claim", claim.name.into()),
            ("place", claim.place.into()),
            ("says", claim.says.into()),
            ("must_fail", claim.canary.into()),
        ])
    };
    files::to_stdout(|out| {
        if as_json {
            json::write(&mut &mut *out, &chosen.iter().map(entry).collect::<Vec<_>>().into())?;
            return writeln!(out);
        }
        chosen.iter().try_for_each(|claim| show(out, claim))
    })
}

fn show(out: &mut dyn Write, claim: &Claim) -> io::Result<()> {
    let must = if claim.canary { "  (known to be false: it must fail)" } else { "" };
    writeln!(out, "{}  {}{must}\n    {}", strong(claim.name), faint(claim.place), claim.says)
}
