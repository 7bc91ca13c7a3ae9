//! `ringleader run --trials`: many trials on all cores, and their statistics.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};

use ringleader::instance::Described;
use ringleader::stats::carried::carried;
use ringleader::stats::{Observed, Sample};
use ringleader::trial::Trial;
use ringleader::value::Value;
use ringleader_catalogue::Entries;
use ringleader_records::drive::{UnderWay, run_all};
use ringleader_records::outcome::Outcome;
use ringleader_records::pool::all_cores;

use crate::args::RunArgs;
use crate::cmd::closed;
use crate::cmd::findings::{self, where_it_goes};
use crate::cmd::trial::{command, introduce, start_name, tell_if_slowed, trial};
use crate::forecast::Forecast;
use crate::progress::{Bar, interrupted};
use crate::shapes::{self, mean, observed, quantile, settings};
use crate::stdout::print;
use crate::stop::{Stop, outcome, sound};
use crate::text::{alarm, columns, commas, faint, good, ratio, strong};

/// The quantiles that are shown, in percent; the median is shown before them.
const QUANTILES: [usize; 5] = [5, 25, 75, 95, 99];

pub(crate) fn run(args: &RunArgs, asked: u64, entries: &Entries) -> Result<(), Stop> {
    let (trial, engine) = trial(args, &entries.catalogue())?;
    let (trial, entry) = (Trial { phases: args.phases, ..trial.clone() }, entries.find(&trial.protocol)?);
    let (described, limit) = (entry.describe(trial.n, &trial.params)?, entry.check(&trial)?);
    let threads = args.threads.unwrap_or_else(all_cores).min(usize::try_from(asked).unwrap_or(usize::MAX));
    tell_if_slowed(entry, &trial, usize::try_from(asked).unwrap_or(usize::MAX) / threads, engine, args.quiet);
    let mut bar = Bar::new(asked, args.quiet);
    let mut forecast = Forecast::new(&**entry, &trial, asked, limit, args.quiet);
    let mut kept = Kept::new(limit, !trial.faults.is_empty(), args.json || args.phases);
    // What a text does after it went wrong is of no use.
    let stopped = || interrupted() || entry.fault().is_some();
    let under_way = run_all(&**entry, &trial, asked, threads, engine, &stopped, &mut |ended, done| {
        ended.into_iter().for_each(|one| kept.take(one));
        let (share, pace) = forecast.look(done);
        // The threads look for Ctrl-C themselves, and still hand in what they have.
        let _ = bar.at(share, || format!("{}/{} trials{pace}", commas(done.finished), commas(asked)));
    })?;
    drop(bar);
    sound(&**entry)?;
    let left = match kept.quickest {
        Some((steps, seed)) if !interrupted() => {
            closed::left_after_trial(entry, &Trial { seed, ..trial.clone() }, steps)?
        }
        _ => None,
    };
    let report = Report::new(args, trial, described, (asked, threads, under_way), left, kept);
    let printed = print(args.json, "trials", || report.as_json(), |out| report.summary(out));
    let verdict = match &report {
        report if report.interrupted() => Err(Stop::Interrupted(None)),
        report if report.left.is_some() => Err(Stop::Refuted),
        report if report.censored > 0 => Err(Stop::Limit),
        _ => Ok(()),
    };
    outcome(printed, verdict)
}

/// What is kept of trials as they end: a number for each measure, and them whole only if JSON lists them or phases are wanted.
struct Kept {
    limit: u64,
    finished: usize,
    censored: usize,
    /// For each measure what is known, and what was cut off.
    values: Vec<[Vec<u64>; 2]>,
    /// For each number of leaders that the last fault left, how many trials there were, and the sum of their recoveries.
    by_leaders: BTreeMap<u64, (usize, f64)>,
    slowest: Option<Outcome>,
    /// The steps and the seed of the trial that was safe first.
    quickest: Option<(u64, u64)>,
    listed: Option<Vec<Outcome>>,
}

impl Kept {
    fn new(limit: u64, faults: bool, lists: bool) -> Self {
        let values = vec![[Vec::new(), Vec::new()]; if faults { 3 } else { 2 }];
        let (by_leaders, listed) = (BTreeMap::new(), lists.then(Vec::new));
        Self { limit, finished: 0, censored: 0, values, by_leaders, slowest: None, quickest: None, listed }
    }

    fn take(&mut self, one: Outcome) {
        self.finished += 1;
        self.censored += usize::from(one.censored);
        let measured = [one.last_change(), one.safety(self.limit), one.recovery()];
        // Without faults there is no recovery.
        for (values, Observed { value, exact }) in self.values.iter_mut().zip(measured) {
            values[usize::from(!exact)].push(value);
        }
        if let Some(leaders) = one.leaders_after_fault {
            let (trials, sum) = self.by_leaders.entry(leaders).or_default();
            (*trials, *sum) = (*trials + 1, *sum + one.recovery().value as f64);
        }
        // The trial that took longest; the first of them if there are several.
        let slowness = |one: &Outcome| (one.censored, one.steps, Reverse(one.trial));
        if self.slowest.as_ref().is_none_or(|slowest| slowness(slowest) < slowness(&one)) {
            self.slowest = Some(one.clone());
        }
        if one.safe.is_some() {
            let this = (one.steps, one.seed);
            self.quickest = Some(self.quickest.map_or(this, |quickest| quickest.min(this)));
        }
        if let Some(listed) = &mut self.listed {
            listed.push(one);
        }
    }
}

struct Report<'a> {
    args: &'a RunArgs,
    trial: Trial,
    described: Described,
    limit: u64,
    asked: u64,
    threads: usize,
    finished: usize,
    censored: usize,
    /// What was asked for comes first.
    measures: Vec<Measure>,
    by_leaders: BTreeMap<u64, (usize, f64)>,
    under_way: UnderWay,
    /// After how many interactions a safe ring was seen not to be.
    left: Option<u64>,
    slowest: Option<Outcome>,
    listed: Vec<Outcome>,
}

/// Something that every trial has a number of steps for.
struct Measure {
    /// The word in JSON and for people.
    key: &'static str,
    title: &'static str,
    /// How a value that is known only from below is marked.
    beyond: &'static str,
    sample: Sample,
}

/// The measures: key, title and mark; what matters most comes last. Without faults there is no recovery.
const MEASURES: [[&str; 3]; 3] = [
    ["last_output_change", "last output change", ">= "],
    ["safe", "first safe step", "> "],
    ["recovery", "last recovery", ">= "],
];

impl<'a> Report<'a> {
    fn new(
        args: &'a RunArgs,
        trial: Trial,
        described: Described,
        (asked, threads, under_way): (u64, usize, UnderWay),
        left: Option<u64>,
        kept: Kept,
    ) -> Self {
        let Kept { limit, finished, censored, values, by_leaders, slowest, quickest: _, listed } = kept;
        let values = values.into_iter().map(|[known, cut]| Sample::new(known, cut));
        let measure =
            |([key, title, beyond], sample): ([&'static str; 3], Sample)| Measure { key, title, beyond, sample };
        let mut names = MEASURES;
        if !described.about.declares_safe {
            names[1][1] = "first silent step";
        }
        let mut measures: Vec<Measure> = names.into_iter().zip(values).map(measure).collect();
        measures.reverse();
        let mut listed = listed.unwrap_or_default();
        listed.sort_unstable_by_key(|one| one.trial);
        Self {
            args,
            trial,
            described,
            limit,
            asked,
            threads,
            finished,
            censored,
            measures,
            by_leaders,
            under_way,
            left,
            slowest,
            listed,
        }
    }

    fn interrupted(&self) -> bool {
        (self.finished as u64) < self.asked
    }

    /// The command that runs one of the trials alone.
    fn command_of(&self, seed: u64) -> String {
        command(self.args, &Trial { seed, phases: !self.args.no_phases, ..self.trial.clone() })
    }

    fn command(&self) -> String {
        let phases = if self.args.phases { " --phases" } else { "" };
        format!("{} --trials {}{phases}", self.command_of(self.trial.seed), self.asked)
    }
}

// --- For people -----------------------------------------------------------------------------------------------

impl Report<'_> {
    fn summary(&self, out: &mut dyn Write) -> io::Result<()> {
        introduce(out, &self.described)?;
        let (start, scheduler) = (start_name(&self.trial, &self.described), self.trial.scheduler.name());
        writeln!(out, "start {start}, scheduler {scheduler}, limit {} steps", commas(self.limit))?;
        self.trial.faults.iter().try_for_each(|fault| writeln!(out, "fault {fault}"))?;
        let (first, last) = (self.trial.seed, self.trial.seed.wrapping_add(self.asked - 1));
        let threads = if self.threads == 1 { "1 thread".into() } else { format!("{} threads", self.threads) };
        writeln!(out, "trials {}, seeds {first} to {last}, {threads}\n", commas(self.asked))?;
        for (k, measure) in self.measures.iter().enumerate().filter(|(_, measure)| !measure.sample.is_empty()) {
            measure.tell(out, self.trial.n)?;
            if k == 0 {
                findings::histogram(out, &measure.sample)?;
                findings::causes(out, &self.by_leaders)?;
                findings::warning(out, carried(&measure.sample).as_ref())?;
            }
            writeln!(out)?;
        }
        if self.args.phases && self.finished > 0 {
            findings::phases(out, &where_it_goes(&self.listed))?;
        }
        self.verdict(out)?;
        writeln!(out, "{} {}", faint("repeat:"), self.command())
    }

    fn verdict(&self, out: &mut dyn Write) -> io::Result<()> {
        let (finished, asked, censored) = (self.finished, commas(self.asked), self.censored);
        if self.interrupted() {
            let done = commas(finished);
            writeln!(out, "{}: {done} of {asked} trials are finished", alarm("interrupted"))?;
            write!(out, "{}", findings::under_way(self.under_way))?;
            if finished == 0 {
                return Ok(());
            }
            writeln!(out, "the short ones finish first, so the figures are too low")?;
        }
        if censored > 0 {
            let (cut, limit) = (commas(censored), commas(self.limit));
            writeln!(out, "{}: {cut} of {} trials met the limit {limit}", alarm("censored"), commas(finished))?;
            writeln!(out, "they are kept as lower bounds; a larger --limit tells more")?;
        } else if finished > 0 {
            let about = &self.described.about;
            // "For ever" needs evidence.
            let safe = if about.evidence.is_some() { "safe for ever" } else { about.in_safe_set() };
            let safe = if self.left.is_some() { alarm(safe) } else { good(safe) };
            writeln!(out, "{safe} in {} of {} trials", commas(finished), commas(finished))?;
        }
        if let Some(after) = self.left {
            closed::tell(out, after, &self.described.about.name)?;
        }
        if !self.described.about.declares_safe {
            writeln!(out, "{}", faint("no safe set is declared: silent is shown instead, safety may come before"))?;
        }
        let note =
            "quantiles are values that occurred; intervals: Student's for the mean,\norder statistics for the median";
        note.lines().try_for_each(|line| writeln!(out, "{}", faint(line)))?;
        if let Some(slowest) = &self.slowest {
            writeln!(out, "slowest: seed {}, {} steps", slowest.seed, commas(slowest.steps))?;
            writeln!(out, "{} {}", faint("repeat it alone:"), self.command_of(slowest.seed))?;
        }
        Ok(())
    }
}

/// A number of steps as it is shown.
struct Cell<'a> {
    mark: &'a str,
    text: String,
    steps: f64,
}

impl Measure {
    /// A table, unless all trials agree.
    fn tell(&self, out: &mut dyn Write, n: usize) -> io::Result<()> {
        let ends = self.sample.ranked(1).zip(self.sample.ranked(self.sample.len()));
        match ends {
            Some((least, most)) if least == most && least.exact && self.sample.len() > 1 => {
                writeln!(out, "{}  {} in all {} trials", strong(self.title), commas(least.value), self.sample.len())
            }
            _ => self.table(out, n),
        }
    }

    fn table(&self, out: &mut dyn Write, n: usize) -> io::Result<()> {
        let header = [self.title, "steps", "parallel time", "/ n^2", "/ n^2 log2 n"].map(str::to_owned).to_vec();
        let rows = [self.mean_rows(n), self.quantile_rows(n)].concat();
        let lines = columns(&std::iter::once(header).chain(rows).collect::<Vec<_>>());
        writeln!(out, "{}", strong(&lines[0]))?;
        lines[1..].iter().try_for_each(|line| writeln!(out, "{line}"))
    }

    fn mean_rows(&self, n: usize) -> Vec<Vec<String>> {
        let Some(mean) = self.sample.mean() else { return Vec::new() };
        let (name, mark) = if mean.exact { ("mean", "") } else { ("mean (lower bound)", self.beyond) };
        let cell = |steps: f64| Cell { mark, text: ratio(steps), steps };
        let (from, to) = (mean.interval.map(|ends| ends.0), mean.interval.and_then(|ends| ends.1));
        vec![
            row(name, n, Some(cell(mean.value))),
            row("  95 % from", n, from.map(cell)),
            row("  95 % to", n, to.map(cell)),
        ]
    }

    fn quantile_rows(&self, n: usize) -> Vec<Vec<String>> {
        let cell = |observed: Observed| Cell {
            mark: if observed.exact { "" } else { self.beyond },
            text: commas(observed.value),
            steps: observed.value as f64,
        };
        let shown = |name: &str, observed: Option<Observed>| row(name, n, observed.map(cell));
        let at = |percent: usize| self.sample.quantile(percent);
        let ends = at(50).and_then(|median| median.interval);
        let median = vec![
            shown("median", at(50).map(|median| median.value)),
            shown("  95 % from", ends.map(|ends| ends.0)),
            shown("  95 % to", ends.map(|ends| ends.1)),
            shown("minimum", self.sample.ranked(1)),
        ];
        let quantiles =
            QUANTILES.map(|percent| shown(&format!("{percent} %"), at(percent).map(|quantile| quantile.value)));
        [median, quantiles.to_vec(), vec![shown("maximum", self.sample.ranked(self.sample.len()))]].concat()
    }
}

/// Steps as they are, as parallel time, and divided by the scales of the paper.
fn row(name: &str, n: usize, cell: Option<Cell<'_>>) -> Vec<String> {
    let Some(Cell { mark, text, steps }) = cell else {
        return std::iter::once(name).chain(["-"; 4]).map(str::to_owned).collect();
    };
    let n = n as f64;
    let ratios = [n, n * n, n * n * n.log2()].map(|scale| format!("{mark}{}", ratio(steps / scale)));
    [vec![name.to_owned(), format!("{mark}{text}")], ratios.to_vec()].concat()
}

// --- For machines ---------------------------------------------------------------------------------------------

impl Report<'_> {
    /// Neither wall time nor the number of threads: nothing that differs between two runs.
    fn as_json(&self) -> Value {
        let statistics = self.measures.iter().map(|measure| (measure.key, measure.as_json(self.trial.n)));
        let slowest = self.slowest.as_ref().map(|slowest| {
            Value::map([
                ("seed", slowest.seed.into()),
                ("steps", slowest.steps.into()),
                ("command", self.command_of(slowest.seed).into()),
            ])
        });
        Value::map([
            ("protocol", self.described.about.name.clone().into()),
            ("rules", self.described.about.origin.name().into()),
            ("n", self.trial.n.into()),
            ("settings", settings(&self.described.settings)),
            ("states", Value::Digits(self.described.states.to_string())),
            ("start", start_name(&self.trial, &self.described).into()),
            ("scheduler", self.trial.scheduler.name().into()),
            ("faults", self.trial.faults.iter().map(ToString::to_string).collect::<Vec<_>>().into()),
            ("seed", self.trial.seed.into()),
            ("limit", self.limit.into()),
            ("safe_set", self.described.about.safe.clone().into()),
            ("safe_declared", self.described.about.declares_safe.into()),
            ("safe_left_after", self.left.into()),
            ("asked", self.asked.into()),
            ("finished", self.finished.into()),
            ("censored", self.censored.into()),
            ("interrupted", self.interrupted().into()),
            ("statistics", Value::map(statistics)),
            ("slowest", slowest.into()),
            ("under_way", findings::under_way_as_json(self.under_way)),
            ("leaders_after_fault", findings::causes_as_json(&self.by_leaders)),
            ("phases", findings::phases_as_json(&where_it_goes(&self.listed))),
            ("trials", self.listed.iter().map(|one| self.one_as_json(one)).collect::<Vec<_>>().into()),
            ("command", self.command().into()),
        ])
    }

    fn one_as_json(&self, one: &Outcome) -> Value {
        let known = one.recovery();
        let recovery = ("recovery", known.exact.then_some(known.value).into());
        let always = [
            ("seed", one.seed.into()),
            ("safe", one.safe.into()),
            ("last_output_change", one.last_output_change.into()),
            ("censored", one.censored.into()),
        ];
        Value::map(always.into_iter().chain((!self.trial.faults.is_empty()).then_some(recovery)))
    }
}

impl Measure {
    fn as_json(&self, n: usize) -> Value {
        let known = |rank: usize| self.sample.ranked(rank).map(|one| observed(one, n));
        let quantiles = [5, 25, 50, 75, 95, 99].into_iter();
        let quantiles =
            quantiles.filter_map(|percent| Some(quantile(Some(percent), &self.sample.quantile(percent)?, n)));
        Value::map([
            ("count", self.sample.len().into()),
            ("censored", self.sample.censored().into()),
            ("mean", self.sample.mean().map(|known| mean(&known, n)).into()),
            ("quantiles", quantiles.collect::<Vec<_>>().into()),
            ("minimum", known(1).into()),
            ("maximum", known(self.sample.len()).into()),
            ("carried_by", carried(&self.sample).map(|few| shapes::carried(&few)).into()),
            ("histogram", findings::histogram_as_json(&self.sample)),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_figures_fit_80_columns() {
        let sample = [Observed::exactly(0), Observed::at_least(1 << 44)].into_iter().collect();
        let measure = Measure { key: "recovery", title: "last output change", beyond: ">= ", sample };
        let mut out = Vec::new();
        measure.table(&mut out, 1 << 20).unwrap();
        let shown = anstream::adapter::strip_bytes(&out).into_vec();
        let shown = String::from_utf8(shown).unwrap();
        assert!(shown.contains(">= 17,592,186,044,416"), "{shown}");
        assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    }
}
