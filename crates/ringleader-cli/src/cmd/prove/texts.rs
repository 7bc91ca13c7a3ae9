//! `ringleader prove` for the text of a protocol: what it claims, ring by ring.

use std::io::{self, Write};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use ringleader::params::{Params, Settings};
use ringleader::ring::Ring;
use ringleader::value::Value;
use ringleader_catalogue::{Entries, File, text_of};
use ringleader_notation::graph::in_fresh_arena;
use ringleader_notation::program::Program;
use ringleader_notation::setting::{Refused, Setting};
use ringleader_notation::written::{Trouble, Written, problems};
use ringleader_proof::query::{Certificate, Certificates, Query, Undecided, Verdict};
use ringleader_proof::texts::graph::Graphs;
use ringleader_proof::texts::{Answer, Claim, claims, decide};
use ringleader_proof::witness::Witness;
use ringleader_records::{files, json};

use super::archive::{Archive, manifest};
use super::{as_case, decide_all, halt, refused, summary};
use crate::args::{ProveArgs, RANGES};
use crate::cmd::netlist;
use crate::progress::interrupted;
use crate::shapes::settings;
use crate::stdout::{print, to_stdout};
use crate::stop::{Stop, outcome};
use crate::text::{WIDTH, alarm, commas, faint, good, quoted, strong, wrapped};
use crate::texts::program_of;

/// The rings that are looked at if none are named.
const RINGS: [usize; 3] = [3, 4, 5];
/// The limit of a row if none is named, in seconds: a search for words could go on for ever.
const TIME: u64 = 60;

/// A text and the name under which its protocol is known.
pub(super) struct Named {
    name: String,
    program: Arc<Program>,
}

/// The text that is asked about, if it is one: after --protocol, a file, or a protocol of which the paper claims nothing.
pub(super) fn named(args: &ProveArgs, entries: &Entries, files: &[File]) -> Result<Option<Named>, Stop> {
    let name = match (&args.protocol, args.claims.as_slice()) {
        (Some(name), _) => name,
        (None, [word]) if word.ends_with(".py") => word,
        (None, [word]) if super::choose(&args.claims, false).is_err() && entries.find(word).is_ok() => word,
        (None, words) if words.iter().any(|word| word.ends_with(".py")) => {
            return Err(Stop::Bad("a file stands alone: the claims are those of its text".into()));
        }
        _ => return Ok(None),
    };
    let about = entries.find(name)?.about();
    Ok(Some(Named { name: about.name.to_string(), program: program_of(&about.name, files)? }))
}

/// A ring with parameters; what all claims about it need is made once.
struct Point {
    n: usize,
    params: Params,
    settings: Settings,
    law: Written,
    ready: OnceLock<Result<Ready, Undecided>>,
}

/// The graphs, if the text is not too hard, and what came of its first claim, that nothing goes wrong: on it all others rest.
struct Ready {
    graphs: Option<Graphs>,
    domains: Row,
}

/// A decided claim.
#[derive(Clone)]
struct Row {
    point: usize,
    claim: usize,
    answer: Answer,
    case: Option<Value>,
    seconds: f64,
    formulas: usize,
    variables: usize,
    clauses: usize,
    certificates: Vec<Value>,
}

pub(super) fn prove(args: &ProveArgs, entries: &Entries, text: &Named) -> Result<(), Stop> {
    if args.premises {
        return Err(Stop::Bad(
            "--premises is for the claims of the paper: those of a text rest on `domains`, which is always decided"
                .into(),
        ));
    }
    let points = points(args, text)?;
    let claims = claims(&text.program);
    let mut report = Report { args, entries, text, points: &points, claims: &claims, rows: Vec::new() };
    let tasks = points.len() * claims.len();
    let silent = args.quiet || (args.every && !args.json);
    let work = Work { args, text, points: &points, claims: &claims };
    let printed = decide_all(args, (tasks, silent), |task| work.row(task), |row| report.take(row));
    let printed = printed.and_then(|()| report.finish());
    outcome(printed, report.verdict())
}

/// Every size with every psi and kappa that was named, if the text has them, and with the other parameters.
fn points(args: &ProveArgs, text: &Named) -> Result<Vec<Point>, Stop> {
    let sizes = args.n.as_ref().map_or(RINGS.to_vec(), |sizes| sizes.0.clone());
    let mut all: Vec<Params> = vec![args.params.0.clone()];
    for (name, given) in RANGES.into_iter().zip([&args.psi, &args.kappa]) {
        let Some(values) = given else { continue };
        let with =
            |params: &Params| values.0.iter().map(|&value| params.clone().with(name, value as u64)).collect::<Vec<_>>();
        all = all.iter().flat_map(with).collect();
    }
    let each = sizes.iter().flat_map(|&n| all.iter().map(move |params| (n, params.clone())));
    each.map(|(n, params)| point(text, n, params)).collect()
}

fn point(text: &Named, n: usize, params: Params) -> Result<Point, Stop> {
    let Named { name, program } = text;
    let ring = Ring::new(n, program.ring)?;
    let setting = Setting::new(program, n, &params).map_err(|refused| match refused {
        Refused::Ring(error) => error.into(),
        Refused::Text(fault) => Stop::Bad(problems(program, &fault).to_string()),
    })?;
    let known = setting.parameters(program);
    if let Some((unknown, _)) = params.0.iter().find(|(given, _)| known.iter().all(|(name, _)| name != given)) {
        let takes: Vec<&str> =
            if known.is_empty() { vec!["no parameters"] } else { known.iter().map(|(name, _)| &**name).collect() };
        return Err(ringleader::error::Error::unknown("parameter", unknown, &format!("{name} takes"), takes).into());
    }
    let law = Written::new(program, ring, &params, &Trouble::default())?;
    let settings = known.into_iter().map(|(name, value)| (name.into(), value)).collect();
    Ok(Point { n, params, settings, law, ready: OnceLock::new() })
}

// --- Deciding -------------------------------------------------------------------------------------------------

struct Work<'a> {
    args: &'a ProveArgs,
    text: &'a Named,
    points: &'a [Point],
    claims: &'a [Claim],
}

impl Work<'_> {
    /// A claim on a ring; `None` if Ctrl-C cut it short.
    fn row(&self, task: usize) -> Option<Result<Row, Undecided>> {
        let (point, claim) = (task / self.claims.len(), task % self.claims.len());
        let row = self.decide(&self.points[point], claim).map(|row| Row { point, claim, ..row });
        let cut = interrupted() && row.as_ref().is_ok_and(|row| row.answer.name() == "unknown");
        (!cut).then_some(row)
    }

    fn decide(&self, point: &Point, claim: usize) -> Result<Row, Undecided> {
        let Ready { graphs, domains } = match point.ready.get_or_init(|| self.make_ready(point)) {
            Ok(ready) => ready,
            Err(undecided) => return Err(undecided.clone()),
        };
        match graphs {
            _ if claim == 0 => Ok(domains.clone()),
            Some(graphs) if domains.answer.name() == "holds" => self.asked(point, graphs, claim, Instant::now()),
            _ if domains.answer.name() == "unknown" => Ok(Row { seconds: 0.0, ..domains.clone() }),
            _ => Ok(Row::unknown("what goes wrong must be mended first", 0.0)),
        }
    }

    fn make_ready(&self, point: &Point) -> Result<Ready, Undecided> {
        let begin = Instant::now();
        let (name, program) = (self.text.name.clone().into(), self.text.program.clone());
        let ring = Ring::new(point.n, program.ring)?;
        match Graphs::new(name, program, ring, point.law.clone(), Box::new(self.halt(begin))) {
            Ok(graphs) => {
                let domains = self.asked(point, &graphs, 0, begin)?;
                Ok(Ready { graphs: Some(graphs), domains })
            }
            Err(Undecided::Unknown(why)) => {
                let domains = Row::unknown(&why, begin.elapsed().as_secs_f64());
                Ok(Ready { graphs: None, domains })
            }
            Err(other) => Err(other),
        }
    }

    fn halt(&self, begin: Instant) -> impl Fn() -> Option<String> + 'static {
        let (time, memory) = (Some(self.args.time.unwrap_or(TIME)), self.args.memory);
        move || halt(time, memory, begin)
    }

    fn asked(&self, point: &Point, graphs: &Graphs, claim: usize, begin: Instant) -> Result<Row, Undecided> {
        let (claim, halt) = (&self.claims[claim], self.halt(begin));
        let archive = Archive::new(self.args.certificate.as_deref(), label(&self.text.name, point, claim));
        let save = |made: &Certificate| archive.save(made);
        let certificates: Option<Certificates<'_>> = if self.args.certificate.is_some() { Some(&save) } else { None };
        let mut query = Query::new(&halt, certificates);
        let set = point.settings.iter().map(|(name, value)| format!(", {name} = {value}")).collect::<String>();
        query.about = vec![
            format!("claim {} of the text {}: {}", claim.name, self.text.name, claim.says),
            format!("for n = {}{set}", point.n),
        ];
        let answer = in_fresh_arena(Box::new(self.halt(begin)), || decide(graphs, claim, &mut query))?;
        let Query { formulas, variables, clauses, .. } = query;
        let (seconds, certificates) = (begin.elapsed().as_secs_f64(), archive.written());
        Ok(Row { point: 0, claim: 0, answer, case: None, seconds, formulas, variables, clauses, certificates })
    }
}

impl Row {
    fn unknown(why: &str, seconds: f64) -> Self {
        let answer = Answer::Decided(Verdict::Unknown(why.to_owned()).into());
        let (case, certificates) = (None, Vec::new());
        Self { point: 0, claim: 0, answer, case, seconds, formulas: 0, variables: 0, clauses: 0, certificates }
    }
}

/// The name of a claim on a ring, for files.
fn label(name: &str, point: &Point, claim: &Claim) -> String {
    let name = name.strip_suffix(".py").unwrap_or(name);
    let plain: String = name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '-' }).collect();
    let params: String = point.params.0.iter().map(|(name, value)| format!("-{name}{value}")).collect();
    format!("{plain}-n{}{params}-{}", point.n, claim.name)
}

// --- Showing --------------------------------------------------------------------------------------------------

struct Report<'a> {
    args: &'a ProveArgs,
    entries: &'a Entries,
    text: &'a Named,
    points: &'a [Point],
    claims: &'a [Claim],
    rows: Vec<Row>,
}

impl Report<'_> {
    /// Keeps a row, and shows it at once if every row is asked for.
    fn take(&mut self, row: Result<Row, Undecided>) -> Result<(), Stop> {
        let mut row = row.map_err(|undecided| refused(&undecided))?;
        if let Answer::Decided(decided) = &row.answer {
            row.case =
                decided.verdict.witness().and_then(|witness| self.case(&row, witness).transpose()).transpose()?;
        }
        if let (Some(directory), Some(case)) = (&self.args.witness, &row.case) {
            let path = directory.join(format!("{}.json", self.label(&row)));
            files::write(&path, |out| json::write_line(out, case))?;
        }
        if self.args.every && !self.args.json {
            to_stdout(|out| self.show(out, &row))?;
        }
        self.rows.push(row);
        Ok(())
    }

    /// A witness as a case. A built-in protocol may write a state otherwise than its text does: then there is none.
    fn case(&self, row: &Row, witness: &Witness) -> Result<Option<Value>, Stop> {
        let case = as_case(witness, self.points[row.point].params.clone(), self.entries);
        match case {
            Err(Stop::Bad(_)) if text_of(&self.text.name).is_some() => Ok(None),
            case => case.map(Some),
        }
    }

    fn label(&self, row: &Row) -> String {
        label(&self.text.name, &self.points[row.point], &self.claims[row.claim])
    }

    fn show(&self, out: &mut dyn Write, row: &Row) -> io::Result<()> {
        if self.rows.is_empty() {
            let header = line(["claim", "n", "seconds", "formulas", "variables", "clauses"]);
            writeln!(out, "{}", strong(format!("{header}  verdict")))?;
        }
        let cells = [
            &self.claims[row.claim].name,
            &self.points[row.point].n.to_string(),
            &format!("{:.2}", row.seconds),
            &commas(row.formulas),
            &commas(row.variables),
            &commas(row.clauses),
        ];
        writeln!(out, "{}  {}", line(cells.map(String::as_str)), word(row.answer.name()))?;
        if let Some(remark) = remark(row) {
            wrapped(&remark, WIDTH - 4).iter().try_for_each(|line| writeln!(out, "    {}", faint(line)))?;
        }
        Ok(())
    }

    fn finish(&self) -> Result<(), Stop> {
        if let Some(directory) = &self.args.certificate {
            let missing = self.rows.len() < self.points.len() * self.claims.len();
            manifest(directory, self.rows.iter().map(|row| self.certified(row)).collect(), missing)?;
        }
        print(
            self.args.json,
            "proofs",
            || self.as_json(),
            |out| {
                if !self.args.every {
                    writeln!(out, "{}  {}\n", strong(&self.text.name), self.text.program.summary)?;
                    self.summary(out)?;
                }
                writeln!(out, "\n{}", self.footer())
            },
        )
    }

    fn certified(&self, row: &Row) -> Value {
        let (point, claim) = (&self.points[row.point], &self.claims[row.claim]);
        Value::map([
            ("claim", claim.name.as_str().into()),
            ("protocol", self.text.name.as_str().into()),
            ("n", point.n.into()),
            ("settings", settings(&point.settings)),
            ("verdict", row.answer.name().into()),
            ("formulas", row.certificates.clone().into()),
        ])
    }

    /// A line for each claim, and below it what is not as one would wish.
    fn summary(&self, out: &mut dyn Write) -> io::Result<()> {
        let row = |[claim, n, seconds]: [&str; 3]| format!("{claim:<28} {n:>8} {seconds:>9}");
        writeln!(out, "{}", strong(row(["claim", "n", "seconds"]) + "  verdict"))?;
        for (k, claim) in self.claims.iter().enumerate() {
            let rows: Vec<&Row> = self.rows.iter().filter(|row| row.claim == k).collect();
            let seconds: f64 = rows.iter().map(|row| row.seconds).sum();
            let worst = ["fails", "nothing", "unknown", "holds"];
            let worst = worst.into_iter().find(|name| rows.iter().any(|row| row.answer.name() == *name));
            let n = summary::range(rows.iter().map(|row| self.points[row.point].n).collect());
            let line = row([&claim.name, &n, &format!("{seconds:.2}")]);
            writeln!(out, "{line}  {}", worst.map_or_else(String::new, word))?;
            self.remarks(out, &rows)?;
        }
        if self.args.witness.is_none() && self.rows.iter().any(|row| row.answer.name() == "fails" && row.case.is_some())
        {
            writeln!(out, "{}", faint("witnesses: `--witness DIR` writes them, for `replay` and `inspect`"))?;
        }
        Ok(())
    }

    /// What is to be said of a claim: the first ring for each verdict but `holds`, and what it took where it holds.
    fn remarks(&self, out: &mut dyn Write, rows: &[&Row]) -> io::Result<()> {
        let mut tell = |remark: String| -> io::Result<()> {
            wrapped(&remark, WIDTH - 4).iter().try_for_each(|line| writeln!(out, "    {line}"))
        };
        for name in ["fails", "nothing", "unknown"] {
            let such: Vec<&&Row> = rows.iter().filter(|row| row.answer.name() == name).collect();
            let Some(first) = such.first() else { continue };
            let n = summary::range(such.iter().map(|row| self.points[row.point].n).collect());
            let (at, why) = (self.place(first), remark(first).map_or(String::new(), |why| format!(": {why}")));
            tell(if such.len() == 1 {
                format!("{name} at {at}{why}")
            } else {
                format!("{name} at n = {n}, first {at}{why}")
            })?;
            if let (Some(directory), "fails", Some(_)) = (&self.args.witness, name, &first.case) {
                let path = directory.join(format!("{}.json", self.label(first)));
                tell(format!("witness in {}", quoted(&path.display().to_string())))?;
            }
        }
        Ok(())
    }

    fn place(&self, row: &Row) -> String {
        let point = &self.points[row.point];
        let params = point.params.0.iter().map(|(name, value)| format!(", {name} = {value}"));
        format!("n = {}{}", point.n, params.collect::<String>())
    }

    /// How it came out, in a line.
    fn footer(&self) -> String {
        let count = |name: &str| self.rows.iter().filter(|row| row.answer.name() == name).count();
        let empty = match count("nothing") {
            0 => String::new(),
            empty => format!(" {empty} say something of nothing,"),
        };
        let missing = self.points.len() * self.claims.len() - self.rows.len();
        let (holds, fails, unknown) = (count("holds"), count("fails"), count("unknown"));
        format!("{holds} hold, {fails} fail,{empty} {unknown} unknown, {missing} not decided")
    }

    fn verdict(&self) -> Result<(), Stop> {
        let any = |name: &str| self.rows.iter().any(|row| row.answer.name() == name);
        if self.rows.len() < self.points.len() * self.claims.len() && interrupted() {
            Err(Stop::Interrupted(None))
        } else if any("fails") || any("nothing") {
            Err(Stop::Refuted)
        } else if any("unknown") {
            Err(Stop::Undecided)
        } else {
            Ok(())
        }
    }

    fn as_json(&self) -> Value {
        let row = |row: &Row| {
            let (point, claim) = (&self.points[row.point], &self.claims[row.claim]);
            let (limit, note, fault) = match &row.answer {
                Answer::Wrong(fault) => (None, String::new(), Some(fault)),
                Answer::Decided(decided) => match &decided.verdict {
                    Verdict::Unknown(why) => (Some(why.as_str()), decided.note.clone(), None),
                    _ => (None, decided.note.clone(), None),
                },
            };
            let fault = fault.map(|fault| {
                Value::map([
                    ("line", fault.span.line.into()),
                    ("column", fault.span.column.into()),
                    ("what", fault.what.as_str().into()),
                    ("states", fault.help.as_str().into()),
                ])
            });
            Value::map([
                ("n", point.n.into()),
                ("settings", settings(&point.settings)),
                ("claim", claim.name.as_str().into()),
                ("verdict", row.answer.name().into()),
                ("limit", limit.map(Value::from).into()),
                ("note", note.into()),
                ("seconds", row.seconds.into()),
                ("formulas", row.formulas.into()),
                ("variables", row.variables.into()),
                ("clauses", row.clauses.into()),
                ("fault", fault.into()),
                ("witness", row.case.clone().into()),
            ])
        };
        Value::map([
            ("protocol", self.text.name.as_str().into()),
            ("claims", self.claims.iter().map(claim_as_json).collect::<Vec<_>>().into()),
            ("rows", self.rows.iter().map(row).collect::<Vec<_>>().into()),
            ("asked", (self.points.len() * self.claims.len()).into()),
            ("interrupted", (self.rows.len() < self.points.len() * self.claims.len()).into()),
        ])
    }
}

fn word(name: &'static str) -> String {
    if name == "holds" { good(name) } else { alarm(name) }
}

/// What there is to say beside the verdict.
fn remark(row: &Row) -> Option<String> {
    let words = match &row.answer {
        Answer::Wrong(fault) if fault.help.is_empty() => format!("line {}: {}", fault.span.line, fault.what),
        Answer::Wrong(fault) => format!("line {}: {}; {}", fault.span.line, fault.what, fault.help),
        Answer::Decided(decided) => match &decided.verdict {
            Verdict::Unknown(why) => why.clone(),
            Verdict::Fails(witness) => witness.shows.clone(),
            Verdict::Holds(_) | Verdict::Nothing => decided.note.clone(),
        },
    };
    (!words.is_empty()).then_some(words)
}

fn line([claim, n, seconds, formulas, variables, clauses]: [&str; 6]) -> String {
    format!("{claim:<24} {n:>4} {seconds:>8} {formulas:>8} {variables:>9} {clauses:>10}")
}

fn claim_as_json(claim: &Claim) -> Value {
    Value::map([("claim", claim.name.as_str().into()), ("says", claim.says.as_str().into())])
}

/// The graph of an interaction or of a set instead, on the first ring.
pub(super) fn write(args: &ProveArgs, text: &Named) -> Result<(), Stop> {
    let points = points(args, text)?;
    let Some(point) = points.first() else { return Ok(()) };
    let (setting, of) = (point.law.setting(), args.of.as_str());
    if let Some(path) = &args.aiger {
        netlist::write_aiger(&text.program, setting, of, path)?;
    }
    args.blif.as_ref().map_or(Ok(()), |path| netlist::write_blif(&text.program, setting, of, path))
}

/// The claims instead of what comes of them.
pub(super) fn list(args: &ProveArgs, text: &Named) -> Result<(), Stop> {
    let claims = claims(&text.program);
    let as_json = || {
        let all: Vec<Value> = claims.iter().map(claim_as_json).collect();
        Value::map([("protocol", text.name.as_str().into()), ("claims", all.into())])
    };
    print(args.json, "text_claims", as_json, |out| {
        claims.iter().try_for_each(|claim| writeln!(out, "{}\n    {}", strong(&claim.name), claim.says))
    })
}
