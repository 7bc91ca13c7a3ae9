//! `ringleader prove`: the paper's claims, decided on all configurations.

use std::collections::HashSet;
use std::io::{self, Write};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use ringleader::error::nearest;
use ringleader::params::Params;
use ringleader::schedule::{AnySchedule, Recorded};
use ringleader::trial::{Initial, Trial};
use ringleader::value::Value;
use ringleader_catalogue::{Entries, File};
use ringleader_notation::graph::in_fresh_arena;
use ringleader_proof::claims::{Claim, Point, claims};
use ringleader_proof::query::{Certificate, Certificates, Decided, Query, Undecided, Verdict};
use ringleader_proof::solve::NO_OTFS;
use ringleader_proof::witness::Witness;
use ringleader_records::case::execution::{Course, Execution};
use ringleader_records::pool::{all_cores, spread};
use ringleader_records::{files, json};

use crate::args::{ProveArgs, Sizes};
use crate::paper::{STATEMENTS, Statement, called, same_name};
use crate::progress::{Bar, interrupted};
use crate::stdout::{print, to_stdout};
use crate::stop::{Stop, outcome};
use crate::text::{alarm, commas, faint, good, strong};

mod archive;
mod list;
mod smt;
mod summary;
mod texts;

use archive::{Archive, manifest};
use summary::Summary;

/// One claim at one point.
struct Task {
    claim: Claim,
    point: Point,
}

/// A decided task.
struct Row {
    task: usize,
    decided: Result<Decided, Undecided>,
    /// What shows it, as a case.
    case: Option<Value>,
    seconds: f64,
    formulas: usize,
    folded: usize,
    variables: usize,
    clauses: usize,
    certificates: Vec<Value>,
}

pub(crate) fn prove(args: &ProveArgs, entries: &Entries, files: &[File]) -> Result<(), Stop> {
    if let Some(text) = texts::named(args, entries, files)? {
        return match () {
            () if args.list => texts::list(args, &text),
            () if args.aiger.is_some() || args.blif.is_some() => texts::write(args, &text),
            () => prepare(args)?.map_or_else(again, |()| texts::prove(args, entries, &text)),
        };
    }
    if let Some((name, _)) = args.params.0.0.first() {
        return Err(Stop::Bad(format!("--{name} is for a protocol: name one with --protocol, or a file")));
    }
    if args.aiger.is_some() || args.blif.is_some() {
        return Err(Stop::Bad(
            "--aiger and --blif write the text of a protocol: name one with --protocol, or a file".into(),
        ));
    }
    if let Some(directory) = &args.smt2 {
        return smt::write(directory, args.json);
    }
    let chosen = choose(&args.claims, args.every_n)?;
    if args.list {
        return list::list(&chosen, args.json);
    }
    if args.n.is_some() && chosen.iter().all(|claim| claim.every.is_some()) {
        return Err(Stop::Bad("--n: these claims are about every n; leave it out".into()));
    }
    if prepare(args)?.is_none() {
        return again();
    }
    let tasks = tasks(&chosen, args);
    if tasks.is_empty() {
        return Err(Stop::Bad("these ranges hold no point: --n and --psi are A..B with A <= B".into()));
    }
    let mut report = Report { args, entries, tasks: &tasks, rows: Vec::new() };
    let silent = args.quiet || (args.every && !args.json);
    let printed =
        decide_all(args, (tasks.len(), silent), |task| next_row(args, &tasks[task], task), |row| report.take(row));
    let printed = printed.and_then(|()| report.finish());
    outcome(printed, report.verdict())
}

/// Refuses what can be refused, and makes directories; `None` if the environment is not what certificates need.
fn prepare(args: &ProveArgs) -> Result<Option<()>, Stop> {
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
        return Ok(None);
    }
    Ok(Some(()))
}

/// The same command with the environment that certificates need. A Ctrl-C reaches that process as well, which then ends in order;
/// under Unix it takes the place of this one, so that SIGTERM does too.
fn again() -> Result<(), Stop> {
    let _looks_for_interruptions = Bar::new(0, true);
    let itself = std::env::current_exe();
    let run = itself.and_then(|path| {
        let mut command = Command::new(path);
        command.args(std::env::args_os().skip(1)).env(NO_OTFS.0, NO_OTFS.1);
        #[cfg(unix)]
        return Err(std::os::unix::process::CommandExt::exec(&mut command));
        #[cfg(not(unix))]
        command.status()
    });
    let status: std::process::ExitStatus =
        run.map_err(|error| Stop::Bad(format!("cannot start the solver for certificates: {error}")))?;
    match status.code() {
        Some(0) => Ok(()),
        code => Err(Stop::Done(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))),
    }
}

/// The claims of these names, or of the statements of these names; all of them if none is named.
fn choose(names: &[String], every_n: bool) -> Result<Vec<Claim>, Stop> {
    let all: Vec<Claim> = claims().into_iter().filter(|claim| !every_n || claim.every.is_some()).collect();
    let mut chosen: Vec<Claim> = Vec::new();
    // `prove Lemma 14` is one name in two words.
    let whole = names.join(" ");
    let names = if called(&whole).is_empty() { names } else { std::slice::from_ref(&whole) };
    for claim in names.iter().map(|name| named(&all, name)).collect::<Result<Vec<_>, _>>()?.concat() {
        if chosen.iter().all(|known| known.name != claim.name) {
            chosen.push(claim);
        }
    }
    Ok(if names.is_empty() { all } else { chosen })
}

/// The claim of this name, or those that belong to a statement of the paper.
fn named(all: &[Claim], name: &str) -> Result<Vec<Claim>, Stop> {
    if let Some(claim) = all.iter().find(|claim| same_name(claim.name, name)) {
        return Ok(vec![*claim]);
    }
    let statements = called(name);
    let names: Vec<&str> = statements.iter().flat_map(|statement| statement.claims()).collect();
    let found: Vec<Claim> = all.iter().filter(|claim| names.contains(&claim.name)).copied().collect();
    if let (true, Some(claim)) = (found.is_empty(), claims().iter().find(|claim| same_name(claim.name, name))) {
        let why = "is decided ring by ring; leave out --every-n";
        return Err(Stop::Bad(format!("{} {why}", claim.name)));
    }
    match (found.is_empty(), statements.first()) {
        (false, _) => Ok(found),
        (true, Some(Statement { title, name, .. })) => Err(Stop::Bad(format!(
            "{title} ({name}): no claim is about it; `ringleader paper {title}` says what there is"
        ))),
        (true, None) => {
            let known = all.iter().map(|claim| claim.name).chain(STATEMENTS.iter().map(|statement| statement.title));
            let meant = nearest(name, known).map_or(String::new(), |known| format!("did you mean {known:?}? "));
            let allowed = "allowed is a claim of `ringleader prove --list`, or a statement such as \"Lemma 14\"";
            Err(Stop::Bad(format!("claim = {name}: {meant}{allowed}")))
        }
    }
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

/// The claims at their points, claim by claim; before each, if that is asked for, its premises at the same points.
fn tasks(chosen: &[Claim], args: &ProveArgs) -> Vec<Task> {
    let (mut all, mut known): (Vec<(Claim, Vec<Point>)>, HashSet<String>) = Default::default();
    let mut add = |claim: Claim, point: Point| {
        let place = all.iter().position(|(listed, _)| listed.name == claim.name).unwrap_or(all.len());
        if place == all.len() {
            all.push((claim, Vec::new()));
        }
        if known.insert(label(&claim, point)) {
            all[place].1.push(point);
        }
    };
    for claim in chosen {
        let (points, premises) = (points(claim, args), if args.premises { claim.premises() } else { Vec::new() });
        premises.into_iter().for_each(|premise| points.iter().for_each(|point| add(premise, at(&premise, *point))));
        points.into_iter().for_each(|point| add(*claim, point));
    }
    all.into_iter().flat_map(|(claim, points)| points.into_iter().map(move |point| Task { claim, point })).collect()
}

/// A point as another claim sees it, whose parameters may be fewer.
fn at(claim: &Claim, point: Point) -> Point {
    let ([n, _], about) = (claim.quick, claim.about);
    Point {
        n: if about.n() { point.n } else { n.0 },
        psi: if about.psi() { point.psi } else { 2 },
        kappa: if about.kappa() { point.kappa } else { 1 },
    }
}

// --- Deciding -------------------------------------------------------------------------------------------------

/// Decides so many tasks over threads and hands the rows on in the order of the tasks, until Ctrl-C, which cuts tasks short: they give none.
fn decide_all<R: Send>(
    args: &ProveArgs,
    (tasks, silent): (usize, bool),
    decide: impl Fn(usize) -> Option<R> + Sync,
    mut take: impl FnMut(R) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (mut bar, mut waiting, mut due) = (Bar::new(tasks as u64, silent), Vec::new(), 0);
    let threads = args.threads.unwrap_or_else(all_cores).min(tasks);
    let next_row = || {
        let task = next.fetch_add(1, Ordering::Relaxed);
        let going = task < tasks && !interrupted() && !failed.load(Ordering::Relaxed);
        going.then(|| decide(task)).flatten().map(|row| (task, row))
    };
    spread(
        threads,
        &failed,
        || next_row().map(Ok::<(usize, R), Stop>),
        |row| {
            waiting.extend(row);
            let _ = bar.show(waiting.len() as u64 + due as u64, || "decided".into());
            while let Some(k) = waiting.iter().position(|(task, _)| *task == due) {
                take(waiting.swap_remove(k).1)?;
                due += 1;
            }
            Ok(())
        },
    )?;
    // After Ctrl-C there may be gaps; what was decided behind them is shown as well.
    waiting.sort_by_key(|(task, _)| *task);
    waiting.into_iter().try_for_each(|(_, row)| take(row))
}

/// A task, decided; `None` if Ctrl-C cut it short.
fn next_row(args: &ProveArgs, Task { claim, point }: &Task, task: usize) -> Option<Row> {
    let row = decide(args, claim, *point);
    let cut = matches!(&row.decided, Ok(Decided { verdict: Verdict::Unknown(_), .. })) && interrupted();
    (!cut).then_some(Row { task, ..row })
}

fn decide(args: &ProveArgs, claim: &Claim, point: Point) -> Row {
    let begin = Instant::now();
    let (time, memory) = (args.time, args.memory);
    let halt = move || halt(time, memory, begin);
    let archive = Archive::new(args.certificate.as_deref(), label(claim, point));
    let save = |made: &Certificate| archive.save(made);
    let certificates: Option<Certificates<'_>> = if args.certificate.is_some() { Some(&save) } else { None };
    let mut query = Query::new(&halt, certificates);
    let decided = in_fresh_arena(Box::new(halt), || claim.decide(&mut query, point));
    let Query { formulas, folded, variables, clauses, .. } = query;
    let (seconds, certificates) = (begin.elapsed().as_secs_f64(), archive.written());
    Row { task: 0, decided, case: None, seconds, formulas, folded, variables, clauses, certificates }
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

// --- Showing --------------------------------------------------------------------------------------------------

struct Report<'a> {
    args: &'a ProveArgs,
    entries: &'a Entries,
    tasks: &'a [Task],
    rows: Vec<Row>,
}

impl Report<'_> {
    /// Keeps a row, and shows it at once if every row is asked for.
    fn take(&mut self, mut row: Row) -> Result<(), Stop> {
        let Task { claim, point } = &self.tasks[row.task];
        let decided = row.decided.as_ref().map_err(refused)?;
        let case = |witness: &Witness| match as_case(witness, of_witness(witness, self.entries)?, self.entries) {
            // Two agents that no ring with right inputs has are told in the note.
            Err(Stop::Bad(_)) if !decided.note.is_empty() => Ok(None),
            case => case.map(Some),
        };
        row.case = decided.verdict.witness().and_then(|witness| case(witness).transpose()).transpose()?;
        if let (Some(directory), Some(case)) = (&self.args.witness, &row.case) {
            let path = directory.join(format!("{}.json", label(claim, *point)));
            files::write(&path, |out| json::write_line(out, case))?;
        }
        if self.args.every && !self.args.json {
            to_stdout(|out| self.show(out, &row, decided))?;
        }
        self.rows.push(row);
        Ok(())
    }

    fn show(&self, out: &mut dyn Write, row: &Row, decided: &Decided) -> io::Result<()> {
        if self.rows.is_empty() {
            let header = ["claim", "n", "psi", "kappa", "seconds", "variables", "clauses", "verdict"];
            writeln!(out, "{}", strong(line(header)))?;
        }
        writeln!(out, "{}", self.line(row, decided))
    }

    fn line(&self, row: &Row, decided: &Decided) -> String {
        let Task { claim, point } = &self.tasks[row.task];
        let (psi, kappa) = parameters(claim, *point);
        let n = if claim.about.n() { point.n.to_string() } else { whichever(claim).into() };
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
        let folded = if row.folded > 0 && row.folded == row.formulas { "the gates alone decide it" } else { "" };
        let given = if claim.given.is_empty() || !matches!(decided.verdict, Verdict::Holds(_)) {
            String::new()
        } else {
            format!("given {}", claim.given.join(", "))
        };
        let every = every(claim, &decided.verdict);
        let notes = [decided.note.as_str(), folded, &every, &given]
            .into_iter()
            .filter(|note| !note.is_empty())
            .collect::<Vec<_>>();
        let notes = if notes.is_empty() { String::new() } else { faint(format!(" ({})", notes.join("; "))) };
        format!("{}  {word}{notes}", line_of(&cells))
    }

    fn finish(&self) -> Result<(), Stop> {
        if let Some(directory) = &self.args.certificate {
            let certified = |row: &Row| {
                let mut pairs = self.identity(row);
                pairs.push(("formulas", row.certificates.clone().into()));
                Value::map(pairs)
            };
            manifest(directory, self.rows.iter().map(certified).collect(), self.rows.len() < self.tasks.len())?;
        }
        print(
            self.args.json,
            "prove",
            || self.as_json(),
            |out| {
                if !self.args.every {
                    summary::show(out, &self.counted(), self.args.witness.as_deref())?;
                }
                writeln!(out, "\n{}", self.footer())
            },
        )
    }

    /// How it came out, in a line. That a claim which is known to be false fails is no failure.
    fn footer(&self) -> String {
        let count = |name: &str, canary: bool| {
            self.verdicts().filter(|(claim, verdict)| verdict.name() == name && claim.canary == canary).count()
        };
        let both = |name: &str| count(name, false) + count(name, true);
        let some = |of: usize, what: &str| if of > 0 { format!(" {of} {what},") } else { String::new() };
        let must = some(count("fails", true), "fail as they must");
        let nothing = some(both("nothing"), "find nothing of what they say exists");
        let (holds, fails, unknown) = (both("holds"), count("fails", false), both("unknown"));
        let missing = self.tasks.len() - self.rows.len();
        format!("{holds} hold, {fails} fail,{must}{nothing} {unknown} unknown, {missing} not decided")
    }

    /// The rows by claim.
    fn counted(&self) -> Vec<Summary> {
        let mut all: Vec<Summary> = Vec::new();
        for row in &self.rows {
            let (Task { claim, point }, Ok(decided)) = (&self.tasks[row.task], &row.decided) else { continue };
            if all.last().is_none_or(|last| last.claim.name != claim.name) {
                all.push(Summary::new(*claim));
            }
            if let Some(last) = all.last_mut() {
                last.add(*point, decided, row.seconds);
                last.gates_alone += usize::from(row.folded > 0 && row.folded == row.formulas);
                self.given(row).into_iter().for_each(|(name, verdict)| last.given(name, verdict));
            }
        }
        all
    }

    /// The premises of a row, and what came of them at the same ring in this run, if they were decided.
    fn given(&self, row: &Row) -> Vec<(&'static str, Option<&'static str>)> {
        let Task { claim, point } = &self.tasks[row.task];
        let here = |other: &&Row, premise: &Claim| {
            let Task { claim, point: there } = &self.tasks[other.task];
            claim.name == premise.name && label(claim, *there) == label(premise, at(premise, *point))
        };
        let verdict = |premise: Claim| {
            let decided =
                self.rows.iter().find(|other| here(other, &premise)).and_then(|row| row.decided.as_ref().ok());
            (premise.name, decided.map(|decided| decided.verdict.name()))
        };
        claim.premises().into_iter().filter(|premise| claim.given.contains(&premise.name)).map(verdict).collect()
    }

    /// What a row is about, and what came of it.
    fn identity(&self, row: &Row) -> Vec<(&'static str, Value)> {
        let Task { claim, point } = &self.tasks[row.task];
        let (psi, kappa) = parameters(claim, *point);
        let premise = |(name, verdict): (&str, Option<&str>)| {
            Value::map([("claim", name.into()), ("verdict", verdict.map(Value::from).into())])
        };
        let (verdict, note) = match &row.decided {
            Ok(Decided { verdict, note }) => (verdict.name(), note.as_str()),
            Err(_) => ("unknown", ""),
        };
        vec![
            ("claim", claim.name.into()),
            ("n", claim.about.n().then_some(point.n).into()),
            ("psi", psi.into()),
            ("kappa", kappa.into()),
            ("verdict", verdict.into()),
            ("reduction", claim.every.map(Value::from).into()),
            ("given", self.given(row).into_iter().map(premise).collect::<Vec<_>>().into()),
            ("note", note.into()),
        ]
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
            let (Task { claim, .. }, decided) = (&self.tasks[row.task], row.decided.as_ref().ok()?);
            let why = if let Verdict::Unknown(why) = &decided.verdict { Some(why.as_str()) } else { None };
            let mut pairs = self.identity(row);
            pairs.extend([
                ("limit", why.map(Value::from).into()),
                ("must_fail", claim.canary.into()),
                ("seconds", row.seconds.into()),
                ("formulas", row.formulas.into()),
                ("folded", row.folded.into()),
                ("variables", row.variables.into()),
                ("clauses", row.clauses.into()),
                ("witness", row.case.clone().into()),
            ]);
            Some(Value::map(pairs))
        };
        Value::map([
            ("claims", self.counted().iter().map(Summary::as_json).collect::<Vec<_>>().into()),
            ("rows", self.rows.iter().filter_map(row).collect::<Vec<_>>().into()),
            ("asked", self.tasks.len().into()),
            ("interrupted", (self.rows.len() < self.tasks.len()).into()),
        ])
    }
}

/// The parameters of a witness, which may have been accepted in spite of what the protocol requires.
fn of_witness(witness: &Witness, entries: &Entries) -> Result<Params, Stop> {
    let entry = entries.find(&witness.protocol)?;
    let params = Params(witness.settings.iter().map(|(name, value)| (name.clone().into_owned(), *value)).collect());
    let unsound = entry.about().parameters.iter().any(|parameter| parameter.name == "unsound");
    Ok(if unsound { params.with("unsound", 1) } else { params })
}

/// A witness as a case that `replay` and `inspect` accept.
fn as_case(witness: &Witness, params: Params, entries: &Entries) -> Result<Value, Stop> {
    let entry = entries.find(&witness.protocol)?;
    let mut trial = Trial::new(&witness.protocol, witness.initial.len(), 0);
    trial.from = Some(Initial::Given(witness.initial.clone()));
    trial.params = params;
    let mut first = entry.open(&trial)?;
    if witness.leaderless > 0 {
        first.set_leaderless(witness.leaderless)?;
    }
    let (mut last, steps) = (first.duplicate(), witness.word.len() as u64);
    *last.schedule() = AnySchedule::Recorded(Recorded::new(witness.word.clone(), witness.coins.clone()));
    last.advance(steps).map_err(|(halt, step)| Stop::Failed(format!("a witness ends after {step} steps: {halt:?}")))?;
    let hashes = [(0, json::hash(first.as_ref())), (steps, json::hash(last.as_ref()))];
    let course = Course::Recorded(&witness.word, &witness.coins);
    let notes = vec![("shows".into(), witness.shows.as_str().into())];
    let leaderless = (witness.leaderless > 0).then_some(witness.leaderless);
    let execution =
        Execution { leaderless, hashes: &hashes, notes, ..Execution::new(first.as_ref(), last.as_ref(), course) };
    Ok(execution.value())
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

/// What stands for `n` where a claim is not about one ring.
fn whichever(claim: &Claim) -> &'static str {
    if claim.every.is_some() { "every" } else { "any" }
}

/// By what a theorem that holds is one about every ring.
fn every(claim: &Claim, verdict: &Verdict) -> String {
    let holds = matches!(verdict, Verdict::Holds(_));
    claim.every.filter(|_| holds).map_or(String::new(), |name| format!("every n by the reduction {name}"))
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
