//! `ringleader sweep`: all trials of a definition on all cores, each kept as a row, whatever happens meanwhile.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::HumanDuration;
use ringleader::catalogue::Catalogue;
use ringleader::value::Value;
use ringleader_catalogue::Entries;
use ringleader_records::definition::Definition;
use ringleader_records::drive::{Ran, Standing, UnderWay, run_missing};
use ringleader_records::error::Error;
use ringleader_records::estimate::of_sweep;
use ringleader_records::ledger::{Ledger, Part, Progress, journal_of, progress};
use ringleader_records::meta::Shard;
use ringleader_records::pool::all_cores;
use ringleader_records::sweep::{Cell, Sweep};
use ringleader_records::{files, json};

use crate::args::SweepArgs;
use crate::cluster::file_of;
use crate::cmd::findings;
use crate::cmd::slurm::{OnSlurm, Request};
use crate::progress::{Bar, interrupted};
use crate::shapes::{faults, settings};
use crate::stdout::{signed, to_stdout};
use crate::stop::{Stop, outcome};
use crate::text::{alarm, columns, commas, duration, faint, good, quoted, ratio, short, strong};

pub(crate) fn sweep(args: &SweepArgs, entries: &Entries) -> Result<(), Stop> {
    if args.example {
        return to_stdout(|out| out.write_all(EXAMPLE.as_bytes()));
    }
    let definition = definition(args, &entries.catalogue())?;
    let shard = args.shard.unwrap_or(Shard::WHOLE);
    let part = Part::new(&definition.sweep, shard);
    let records = records_of(args, shard)?;
    for (read, written) in
        args.definition.iter().flat_map(|read| [(read, records.clone()), (read, journal_of(&records))])
    {
        files::spare(&[read], &written)?;
    }
    let protocols = &definition.protocols;
    let plan = Plan { args, protocols, definition: &definition, shard, part, records };
    if args.slurm.slurm {
        return plan.on_slurm();
    }
    if args.dry_run {
        let before = progress(&definition, protocols, shard, &plan.records)?;
        return outcome(to_stdout(|out| plan.list(out, &before)), Ok(()));
    }
    plan.run()
}

/// How long to find out how long it takes.
const GUESS: Duration = Duration::from_secs(2);

/// A definition with a word on everything it can say.
const EXAMPLE: &str = include_str!("example.toml");

/// What a file says, or the options of a grid.
fn definition(args: &SweepArgs, protocols: &Catalogue) -> Result<Definition, Stop> {
    match (&args.definition, args.grid.is_given()) {
        (Some(path), false) => Ok(Definition::read(path, protocols)?),
        (None, true) if !args.grid.is_whole() => {
            Err(Stop::Bad("a grid needs --protocol and --n, such as --protocol ppl --n 32..512".into()))
        }
        (None, true) => Definition::of_grid(args.grid.seed(), &args.grid.grid()?, protocols).map_err(Stop::Bad),
        (Some(path), true) => {
            let told = "the definition says what is run: leave out --protocol, --n and the options that come with them";
            Err(Stop::Bad(format!("{} and a grid: {told}", path.display())))
        }
        (None, false) => {
            let told = "give a definition, such as table.toml (`ringleader sweep --example` prints one),\nor a grid, such as \
                        --protocol ppl --n 32..512 --trials 200 --out a.parquet";
            Err(Stop::Bad(format!("nothing to run: {told}")))
        }
    }
}

/// Where the records go; shards do not get into each other's way.
fn records_of(args: &SweepArgs, shard: Shard) -> Result<PathBuf, Stop> {
    let path = match (&args.out, &args.definition) {
        (Some(path), _) => path.clone(),
        (None, None) => {
            return Err(Stop::Bad("a grid without a file needs --out FILE, such as --out a.parquet".into()));
        }
        (None, Some(definition)) if definition == Path::new("-") => {
            return Err(Stop::Bad("a definition from standard input needs --out FILE".into()));
        }
        (None, Some(definition)) => definition.with_extension("parquet"),
    };
    if path.is_dir() || path.file_name().is_none() || path == Path::new("-") {
        return Err(Stop::Bad(format!("cannot write {}: give the name of a file", path.display())));
    }
    Ok(file_of(&path, shard))
}

/// What is to be done.
struct Plan<'a> {
    args: &'a SweepArgs,
    protocols: &'a Catalogue,
    definition: &'a Definition,
    shard: Shard,
    part: Part,
    records: PathBuf,
}

/// What was done.
struct Report {
    done: u64,
    ran: Ran,
    elapsed: Duration,
}

impl Plan<'_> {
    fn sweep(&self) -> &Sweep {
        &self.definition.sweep
    }

    /// How many trials of a cell are in this shard.
    fn count(&self, cell: usize) -> u64 {
        self.part.count(cell, self.sweep().cells[cell].repeats)
    }

    fn trials(&self) -> u64 {
        (0..self.sweep().cells.len()).map(|cell| self.count(cell)).sum()
    }

    /// About how long all trials take on one core; `None` if nothing is known of some.
    fn seconds(&self) -> Option<f64> {
        let counts: Vec<u64> = (0..self.sweep().cells.len()).map(|cell| self.count(cell)).collect();
        let expected = of_sweep(self.sweep(), &counts, self.protocols, GUESS);
        let each = expected.iter().zip(&counts).filter(|(_, count)| **count > 0);
        each.map(|(one, count)| Some(one.as_ref()?.seconds * *count as f64)).sum()
    }

    fn on_slurm(&self) -> Result<(), Stop> {
        let Self { args: SweepArgs { slurm: args, threads, dry_run, json, .. }, protocols, records, .. } = self;
        let sweep = OnSlurm { args, protocols, records, command: self.command(), json: *json };
        if args.status {
            return sweep.status();
        }
        if args.cancel {
            return sweep.cancel();
        }
        let seconds = self.seconds();
        sweep.submit(&Request { definition: self.definition, seconds, threads: *threads, dry_run: *dry_run })
    }

    fn run(&self) -> Result<(), Stop> {
        let mut ledger = Ledger::open(self.definition, self.protocols, self.shard, &self.records)?;
        if let Some(why) = ledger.unlocked() {
            let told = "nothing keeps a second process away from its journal; see to it that there is none";
            let _ = writeln!(anstream::stderr(), "{}: this file system has no locks ({why}): {told}", alarm("note"));
        }
        if ledger.is_damaged() {
            let told = "some of the journal was damaged; the missing trials run again";
            let _ = writeln!(anstream::stderr(), "{}: {told}", alarm("note"));
        }
        let begin = Instant::now();
        let ran = self.run_missing(&mut ledger).map_err(|error| self.resumable(&error))?;
        let done = ledger.done();
        if !ran.interrupted {
            ledger.finish().map_err(|error| self.resumable(&error))?;
        }
        let report = Report { done, ran, elapsed: begin.elapsed() };
        let go_on = || Some(self.how_to_go_on(done, ran.under_way));
        let verdict = if ran.interrupted { Err(Stop::Interrupted(go_on())) } else { Ok(()) };
        outcome(to_stdout(|out| self.tell(out, &report)), verdict)
    }

    fn run_missing(&self, ledger: &mut Ledger<'_>) -> Result<Ran, Error> {
        let mut bar = Bar::new(self.trials(), self.args.quiet);
        let threads = self.args.threads.unwrap_or_else(all_cores);
        run_missing(ledger, self.protocols, threads, &interrupted, &mut |standing| {
            // The threads look for Ctrl-C themselves, and still keep what they have.
            let _ = bar.at(share(standing, self.trials()), || {
                format!("{}/{} {}", commas(standing.done), commas(self.trials()), pace(standing))
            });
        })
    }

    fn command(&self) -> String {
        let path = |path: &Path| quoted(&path.display().to_string());
        let source = self.args.definition.as_deref().map_or_else(|| self.args.grid.words(), path);
        let mut words = format!("ringleader sweep {source}");
        if self.shard != Shard::WHOLE {
            words += &format!(" --shard {}", self.shard);
        }
        self.args.out.iter().for_each(|out| words += &format!(" --out {}", path(out)));
        words
    }

    fn how_to_go_on(&self, done: u64, under_way: UnderWay) -> String {
        let (done, all) = (commas(done), commas(self.trials()));
        let journal = journal_of(&self.records);
        let kept = format!("{done} of {all} trials are kept in {}", journal.display());
        format!("{kept}\n{}resume with: {}", findings::under_way(under_way), self.command())
    }

    /// Whatever went wrong, finished trials are in the journal.
    fn resumable(&self, error: &Error) -> Stop {
        let journal = journal_of(&self.records);
        let kept = format!("finished trials are kept in {}", journal.display());
        Stop::Bad(format!("{error}\n{kept}; after fixing this, resume with: {}", self.command()))
    }
}

// --- What is told ---------------------------------------------------------------------------------------------

/// Which part is done: by time if that is known, else by trials.
fn share(standing: &Standing<'_>, trials: u64) -> f64 {
    let by_trials = standing.done as f64 / trials.max(1) as f64;
    let elapsed = standing.elapsed.as_secs_f64();
    let by_time = |left: Duration| elapsed / (elapsed + left.as_secs_f64()).max(1e-9);
    by_trials.max(standing.left.map_or(0.0, by_time))
}

/// How fast it goes, how long it will take, and where it is.
fn pace(standing: &Standing<'_>) -> String {
    let place = format!("{} n={}", standing.cell.trial.protocol, standing.cell.trial.n);
    let seconds = standing.elapsed.as_secs_f64().max(1e-9);
    let rate = if standing.ran == 0 { String::new() } else { format!(", {}/s", ratio(standing.ran as f64 / seconds)) };
    let steps = short(standing.steps as f64 / seconds);
    let left = standing.left.map_or(String::new(), |left| format!(", about {} left", duration(left.as_secs_f64())));
    format!("trials{rate}, {steps} steps/s{left}, {place}")
}

impl Plan<'_> {
    /// The cells and how many trials they have.
    fn list(&self, out: &mut dyn Write, before: &Progress) -> io::Result<()> {
        let threads = self.args.threads.unwrap_or_else(all_cores);
        let left = 1.0 - before.done as f64 / before.trials.max(1) as f64;
        let seconds = self.seconds().map(|seconds| seconds * left / threads as f64);
        if self.args.json {
            let told = [
                ("cells", self.cells()),
                ("done", before.done.into()),
                ("threads", threads.into()),
                ("seconds", seconds.into()),
            ];
            let told = told.map(|(name, value)| (name.to_owned(), value)).to_vec();
            return json::write_line(out, &signed("plan", Value::Map([self.common(), told].concat())));
        }
        let header =
            ["cell", "protocol", "n", "start", "parameters", "faults", "limit", "trials"].map(str::to_owned).to_vec();
        let row = |(k, cell): (usize, &Cell)| {
            let text = |text: &str| if text.is_empty() { "-".to_owned() } else { text.to_owned() };
            let (setup, n, count) = (&cell.setup, commas(cell.trial.n), commas(self.count(k)));
            let (start, params, faults) = (text(&setup.start), text(&setup.params()), text(&setup.faults));
            let limit = commas(setup.limit);
            vec![k.to_string(), cell.trial.protocol.clone(), n, start, params, faults, limit, count]
        };
        let cells = self.sweep().cells.iter().enumerate().map(row);
        let lines = columns(&std::iter::once(header).chain(cells).collect::<Vec<_>>());
        writeln!(out, "{}", strong(&lines[0]))?;
        lines[1..].iter().try_for_each(|line| writeln!(out, "{line}"))?;
        let (trials, cells) = (commas(self.trials()), commas(self.sweep().cells.len()));
        let shard = if self.shard == Shard::WHOLE { String::new() } else { format!(", shard {}", self.shard) };
        let of = if self.sweep().cells.len() == 1 { "cell" } else { "cells" };
        writeln!(out, "\n{trials} trials of {cells} {of}, seed {}{shard}", self.sweep().seed)?;
        if before.done > 0 {
            writeln!(out, "{} of them are done already", commas(before.done))?;
        }
        let on = if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") };
        match seconds {
            Some(seconds) => writeln!(out, "about {} on {on} of this machine, by small rings", duration(seconds))?,
            None => writeln!(out, "how long it takes cannot be told from small rings")?,
        }
        writeln!(out, "the records would go into {}", self.records.display())
    }

    fn tell(&self, out: &mut dyn Write, report: &Report) -> io::Result<()> {
        if self.args.json {
            let told = [
                ("finished".into(), report.done.into()),
                ("interrupted".into(), report.ran.interrupted.into()),
                ("ran".into(), report.ran.trials.into()),
                ("ran_censored".into(), report.ran.censored.into()),
            ];
            return json::write_line(out, &signed("sweep", Value::Map([self.common(), told.to_vec()].concat())));
        }
        if report.ran.trials > 0 {
            let (ran, cut) = (commas(report.ran.trials), commas(report.ran.censored));
            let simulated = ratio(100.0 * report.ran.simulated.as_secs_f64() / report.elapsed.as_secs_f64().max(1e-9));
            let elapsed = HumanDuration(report.elapsed);
            writeln!(out, "ran {ran} trials in {elapsed}, {simulated} % of it simulation")?;
            if report.ran.censored > 0 {
                writeln!(out, "{}: {cut} of them met their limit; they are rows like the others", alarm("censored"))?;
            }
        }
        if report.ran.interrupted {
            return Ok(());
        }
        let (done, records) = (commas(report.done), self.records.display().to_string());
        writeln!(out, "{}: {done} trials in {records}", good("complete"))?;
        writeln!(out, "{} ringleader report {}", faint("what they say:"), quoted(&records))?;
        writeln!(out, "{} ringleader export {} --csv", faint("as a table:"), quoted(&records))
    }

    fn common(&self) -> Vec<(String, Value)> {
        let pairs: [(&str, Value); 7] = [
            ("definition", self.args.definition.as_ref().map(|path| path.display().to_string()).into()),
            ("hash", self.definition.hash.clone().into()),
            ("records", self.records.display().to_string().into()),
            ("seed", self.sweep().seed.into()),
            ("shard", self.shard.to_string().into()),
            ("trials", self.trials().into()),
            ("command", self.command().into()),
        ];
        pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }

    fn cells(&self) -> Value {
        let cell = |(k, cell): (usize, &Cell)| {
            let setup = &cell.setup;
            Value::map([
                ("cell", k.into()),
                ("protocol", setup.protocol.clone().into()),
                ("n", cell.trial.n.into()),
                ("settings", settings(&setup.params)),
                ("start", setup.start.clone().into()),
                ("faults", faults(&setup.faults)),
                ("scheduler", cell.trial.scheduler.name().into()),
                ("limit", setup.limit.into()),
                ("phases", cell.trial.phases.into()),
                ("repeats", cell.repeats.into()),
                ("trials", self.count(k).into()),
            ])
        };
        Value::List(self.sweep().cells.iter().enumerate().map(cell).collect())
    }
}
