//! What the user may say. Options that are parameters of protocols come from the list of protocols.

use std::sync::LazyLock;

use clap::{Arg, ArgAction, ArgMatches, Args as ClapArgs, CommandFactory, FromArgMatches, Parser, Subcommand};
use ringleader::engine::sliced::Words;
use ringleader::error::Error;
use ringleader::params::{Parameter, Params};
use ringleader_catalogue::Entries;

use crate::stop::Stop;

mod checks;
#[cfg(feature = "report")]
mod grid;
mod shell;
#[cfg(feature = "report")]
mod slurm;
#[cfg(feature = "report")]
mod sweeps;
mod texts;
mod trials;
#[cfg(feature = "view")]
mod view;

#[cfg(feature = "prove")]
pub(crate) use checks::ProveArgs;
pub(crate) use checks::{CheckArgs, ExactArgs, PaperArgs};
#[cfg(feature = "report")]
pub(crate) use grid::GridArgs;
pub(crate) use shell::{CompletionsArgs, ManArgs};
#[cfg(feature = "report")]
pub(crate) use slurm::SlurmArgs;
#[cfg(feature = "report")]
pub(crate) use sweeps::{AxisScale, ExportArgs, MergeArgs, ReportArgs, SweepArgs, Table1Args};
pub(crate) use texts::{NewArgs, ShowArgs};
pub(crate) use trials::{InspectArgs, ListArgs, ReplayArgs, RunArgs};
#[cfg(feature = "view")]
pub(crate) use view::ViewArgs;

const EXIT_CODES: &str = "\
Exit codes:
  0    success
  1    a check or an expectation failed
  2    wrong use, bad input, or a file that cannot be read or written
  3    the limit came before safety
  4    undecided: too many configurations, or a claim unknown within its limits
  130  interrupted by Ctrl-C; what was done so far is shown and saved
  143  the same, by SIGTERM";

/// Where commands say that.
const SEE: &str = "`ringleader --help` lists the exit codes.";

/// The version, with the commit if the build was told of it, and what the sliced engine uses of this processor.
fn version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| {
        let commit = option_env!("RINGLEADER_COMMIT").map_or(String::new(), |commit| format!(" ({commit})"));
        let words = Words::widest();
        let name = match words {
            Words::Portable => "words of 64 bits",
            Words::Avx2 => "AVX2",
            Words::Avx512 => "AVX-512",
        };
        format!("{}{commit}\nsliced engine: {name}, {} lanes", env!("CARGO_PKG_VERSION"), words.lanes())
    });
    &VERSION
}

/// A laboratory for self-stabilizing leader election on rings.
///
/// Without a command, `ringleader` does its main job: it elects a leader with P_PL on a ring of 256 agents from a
/// configuration without any leader, and shows from which step on it is safe for ever.
#[derive(Parser)]
#[command(name = "ringleader", version = env!("CARGO_PKG_VERSION"), long_version = version(), max_term_width = 80, after_help = EXIT_CODES, after_long_help = format!("\
Examples:
  ringleader
      elect a leader on a ring of 256 agents
  ringleader run --n 64 --start uniform --seed 7
      from a random configuration, repeatable
  ringleader list --n 1024
      the protocols and their states at n = 1024
  ringleader new mine.py
      a protocol of your own, in one file
  ringleader show ppl > mine.py
      a variant of the paper's protocol
  ringleader sweep definition.toml
      a whole experiment, one row for each trial
  ringleader replay case.json
      run a recorded execution and check its hashes
  ringleader inspect config.json
      which sets of the paper a configuration is in
  ringleader check fj --n 3..8
      every configuration of small rings
  ringleader report records/table1.parquet
      figures and tables from the records of a sweep
  ringleader prove
      the paper's claims, for all configurations
  ringleader paper                                  the paper, lemma by lemma
  ringleader exact fj --n 3 --start every
      exact expected numbers of steps
  ringleader view                                   see it in a browser

{EXIT_CODES}"))]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run a protocol from an adversarial start to the exact step at which it is safe for ever
    Run(RunArgs),
    /// List the protocols: ring, assumption, number of states, claimed bound, whose rules
    List(ListArgs),
    /// Write a protocol of your own to begin with: one file that works
    New(NewArgs),
    /// Print the text of a protocol, its states, or the text as LaTeX
    Show(ShowArgs),
    /// Replay a recorded execution and check what the case expects of it
    Replay(ReplayArgs),
    /// Run all trials of a definition and keep each one as a row
    #[cfg(feature = "report")]
    Sweep(SweepArgs),
    /// Join the shards of a sweep into one file of records
    #[cfg(feature = "report")]
    Merge(MergeArgs),
    /// Print records as CSV, or their metadata
    #[cfg(feature = "report")]
    Export(ExportArgs),
    /// Print which named sets and predicates of the paper hold for a configuration
    Inspect(InspectArgs),
    /// Check every configuration of a small ring: is the safe set closed, and reachable from everywhere?
    Check(CheckArgs),
    /// Make a page, figures and tables from the records of sweeps
    #[cfg(feature = "report")]
    Report(ReportArgs),
    /// Print the paper's Table 1: what it claims beside what was measured
    #[cfg(feature = "report")]
    Table1(Table1Args),
    /// Decide the paper's claims on all configurations, with a SAT solver
    #[cfg(feature = "prove")]
    Prove(ProveArgs),
    /// List every numbered statement of the paper, with what is known of it here and how
    Paper(PaperArgs),
    /// Compute exact expected numbers of steps from the Markov chain of a small ring
    Exact(ExactArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Print the manual, or write a page for each command
    Man(ManArgs),
    /// See any protocol in a browser: play, scrub, edit, corrupt, share
    #[cfg(feature = "view")]
    View(ViewArgs),
}

/// The command that the arguments of the process name; without one, the main job. Ends the process if they only ask for help, or
/// make no sense and nobody asked for JSON.
///
/// # Errors
/// If a parameter of a protocol has the name of an option, or the arguments make no sense.
pub(crate) fn parse(entries: &Entries, as_json: bool) -> Result<Command, Stop> {
    no_clash(entries)?;
    let matches = command(entries).try_get_matches().map_err(|error| match error.use_stderr() && as_json {
        true => Stop::Bad(error.to_string().trim_start_matches("error: ").trim_end().to_owned()),
        false => error.exit(),
    })?;
    let args = Args::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    Ok(args.command.unwrap_or_else(|| main_job(entries)))
}

/// Refuses parameters that would be options which a command has already.
fn no_clash(entries: &Entries) -> Result<(), Error> {
    let all = Args::command();
    let taken = |name: &str| {
        let takers = all.get_subcommands().filter(|command| WITH_PARAMETERS.contains(&command.get_name()));
        let ranges = |command: &clap::Command| command.get_name() == "prove" && RANGES.contains(&name);
        let has = |command: &&clap::Command| {
            !ranges(command) && command.get_arguments().any(|arg| arg.get_long() == Some(name))
        };
        takers.filter(has).map(clap::Command::get_name).next().or((name == "help").then_some("every command"))
    };
    for about in entries.iter().map(|entry| entry.about()) {
        if let Some((name, command)) = about.parameters.iter().find_map(|one| Some((&one.name, taken(&one.name)?))) {
            let why = format!("--{name} is an option of {command} already; choose another name");
            return Err(Error::new(format!("protocol {}, parameter", about.name), name, why));
        }
    }
    Ok(())
}

fn main_job(entries: &Entries) -> Command {
    let matches = command(entries).get_matches_from(["ringleader", "run"]);
    let args = Args::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    args.command.unwrap_or_else(|| main_job(entries))
}

/// The commands that take the parameters of protocols as options.
const WITH_PARAMETERS: [&str; 8] = ["run", "show", "sweep", "inspect", "check", "exact", "view", "prove"];
/// Those that `prove` takes for many values at once.
pub(crate) const RANGES: [&str; 2] = ["psi", "kappa"];

/// All options, those of these protocols included.
pub(crate) fn command(entries: &Entries) -> clap::Command {
    Args::command().mut_subcommands(|command| {
        // A number below 0 is refused by what takes it, with what is allowed.
        let command = command.allow_negative_numbers(true);
        let ranges =
            |arg: &Arg| command.get_name() == "prove" && arg.get_long().is_some_and(|name| RANGES.contains(&name));
        let all: Vec<Arg> = parameters(entries).into_iter().filter(|arg| !ranges(arg)).collect();
        if WITH_PARAMETERS.contains(&command.get_name()) { command.args(all) } else { command }
    })
}

/// Numbers of agents, in the order given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sizes(pub(crate) Vec<usize>);

/// Larger rings are never checked explicitly, so a longer list is a mistake.
const MAX_SIZES: usize = 1000;

fn sizes(text: &str) -> Result<Sizes, String> {
    let part = |part: &str| -> Option<Vec<usize>> {
        let number = |text: &str| count(text.trim()).ok().and_then(|n| usize::try_from(n).ok());
        match part.split_once("..") {
            None => Some(vec![number(part)?]),
            Some((from, to)) => {
                let (from, to) = (number(from)?, number(to.trim_start_matches('='))?);
                (from <= to && to - from < MAX_SIZES).then(|| (from..=to).collect())
            }
        }
    };
    let sizes: Option<Vec<Vec<usize>>> = text.split(',').map(part).collect();
    let sizes = sizes.map(|parts| parts.concat()).filter(|sizes| sizes.len() <= MAX_SIZES);
    sizes.map(Sizes).ok_or_else(|| "allowed are a number, a range such as 3..8, or a list such as 3,5".into())
}

fn bytes(text: &str) -> Result<u64, String> {
    let units = [("K", 10), ("M", 20), ("G", 30), ("T", 40)];
    let unit = units.iter().find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, *shift)));
    let (number, shift) = unit.unwrap_or((text, 0));
    let bytes = count(number).ok().and_then(|number| number.checked_mul(1 << shift));
    bytes.ok_or_else(|| "allowed is a number of bytes, such as 512M or 4G".into())
}

fn ring_sizes(text: &str) -> Result<Sizes, String> {
    sizes_within(text, 3, 512)
}

fn psis(text: &str) -> Result<Sizes, String> {
    sizes_within(text, 2, 31)
}

fn kappas(text: &str) -> Result<Sizes, String> {
    sizes_within(text, 1, 65_535)
}

fn sizes_within(text: &str, least: usize, most: usize) -> Result<Sizes, String> {
    let within = |sizes: &Sizes| sizes.0.iter().all(|size| (least..=most).contains(size));
    let allowed = "allowed are a number, a range such as 3..8, or a list such as 3,5";
    sizes(text).ok().filter(within).ok_or_else(|| format!("{allowed}, each from {least} to {most}"))
}

fn count(text: &str) -> Result<u64, String> {
    let allowed = "allowed is a whole number of at most 2^64-1, such as 5000000 or 5e6";
    ringleader::fault::count(text).ok_or_else(|| allowed.into())
}

fn agents(text: &str) -> Result<u64, String> {
    let allowed = "allowed is a whole number, 3 to 1048576; `ringleader sweep` takes lists and ranges";
    ringleader::fault::count(text).ok_or_else(|| allowed.into())
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "allowed is a whole number, 0 to 2^64-1".into())
}

/// The greatest number of trials in one go; each takes some memory until the end.
const MAX_TRIALS: u64 = 10_000_000;
/// More threads than any machine of today has cores.
const MAX_THREADS: u64 = 4096;

fn trials(text: &str) -> Result<u64, String> {
    let allowed = |trials: &u64| (1..=MAX_TRIALS).contains(trials);
    count(text).ok().filter(allowed).ok_or_else(|| format!("allowed is a whole number, 1 to {MAX_TRIALS}"))
}

fn threads(text: &str) -> Result<usize, String> {
    let allowed = |threads: &u64| (1..=MAX_THREADS).contains(threads);
    let threads = count(text).ok().filter(allowed).and_then(|threads| usize::try_from(threads).ok());
    threads.ok_or_else(|| format!("allowed is a whole number, 1 to {MAX_THREADS}"))
}

/// What the identifiers of options begin with that are parameters of protocols.
const PARAMETER: &str = "parameter-";

/// Every parameter once, as an option, with the protocols that take it.
fn parameters(entries: &Entries) -> Vec<Arg> {
    let mut all: Vec<(Parameter, Vec<String>)> = Vec::new();
    for about in entries.iter().map(|entry| entry.about()) {
        for parameter in &about.parameters {
            match all.iter_mut().find(|(known, _)| known.name == parameter.name) {
                Some((_, takers)) => takers.push(about.name.clone().into_owned()),
                None => all.push((parameter.clone(), vec![about.name.clone().into_owned()])),
            }
        }
    }
    let option = |(Parameter { name, help, flag }, takers): (Parameter, Vec<String>)| {
        let about = help.clone();
        let arg = Arg::new(format!("{PARAMETER}{name}"))
            .long(name.into_owned())
            .help(help.into_owned())
            .long_help(format!("{about} ({})", takers.join(", ")))
            .help_heading("Parameters of protocols");
        if flag { arg.action(ArgAction::SetTrue) } else { arg.value_name("N").value_parser(clap::value_parser!(u64)) }
    };
    all.into_iter().map(option).collect()
}

/// A protocol by name, alone or after -p.
#[derive(ClapArgs)]
pub(crate) struct ProtocolArg {
    /// The protocol; see `ringleader list`. `run` runs ppl if none is named
    #[arg(value_name = "PROTOCOL", conflicts_with = "protocol_option")]
    protocol: Option<String>,
    /// The protocol, as an option
    #[arg(long = "protocol", short = 'p', id = "protocol_option", value_name = "PROTOCOL")]
    option: Option<String>,
}

impl ProtocolArg {
    /// The name that was given.
    pub(crate) fn given(&self) -> Option<&str> {
        self.protocol.as_deref().or(self.option.as_deref())
    }

    /// The name, for those who have no default.
    pub(crate) fn name(&self) -> Result<&str, Stop> {
        self.given().ok_or_else(|| Stop::Bad("no protocol: name one, such as ppl; `ringleader list` has all".into()))
    }
}

/// The parameters of protocols that were given. The options themselves come with the list of protocols.
#[derive(Default)]
pub(crate) struct ParamArgs(pub(crate) Params);

impl ParamArgs {
    /// The options as they were given, each after a space.
    pub(crate) fn words(&self) -> String {
        let word = |(name, value): &(String, u64)| match name.as_str() {
            "unsound" => " --unsound".to_owned(),
            name => format!(" --{name} {value}"),
        };
        self.0.0.iter().map(word).collect()
    }
}

impl ClapArgs for ParamArgs {
    fn augment_args(command: clap::Command) -> clap::Command {
        command
    }
    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        command
    }
}

impl FromArgMatches for ParamArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut params = Params::default();
        for id in matches.ids().map(clap::Id::as_str) {
            let Some(name) = id.strip_prefix(PARAMETER) else { continue };
            let value = match matches.try_get_one::<u64>(id) {
                Ok(value) => value.copied(),
                Err(_) => matches.get_flag(id).then_some(1),
            };
            params = value.into_iter().fold(params, |params, value| params.with(name, value));
        }
        Ok(Self(params))
    }
    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader::blueprint::Declared;

    fn whole() -> clap::Command {
        command(&Entries::new(&ringleader_catalogue::builtin()).unwrap())
    }

    /// No protocol, only what is said of one.
    #[test]
    fn a_parameter_that_is_an_option_already_is_refused() {
        for (name, clashes) in [("most", true), ("seed", true), ("help", true), ("times", false)] {
            let mut blueprint = ringleader::protocols::elim::Elim::blueprint().parameter(name, "");
            (blueprint.about.name, blueprint.about.case) = ("mine".into(), "mine".into());
            let entries = Entries::new(&[ringleader_catalogue::Entry::new(blueprint)]).unwrap();
            assert_eq!(no_clash(&entries).is_err(), clashes, "{name}");
        }
        no_clash(&Entries::new(&ringleader_catalogue::builtin()).unwrap()).unwrap();
    }

    #[test]
    fn the_command_line_is_consistent() {
        whole().debug_assert();
    }

    /// Longer lines would be broken a second time, in the middle of a paragraph.
    #[test]
    fn long_help_fits_its_width() {
        let args = whole();
        for command in args.get_subcommands().chain([&args]) {
            let help = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
            let long = help.lines().find(|line| line.chars().count() > 80);
            assert_eq!(long, None, "{}", command.get_name());
        }
    }

    #[test]
    fn counts_are_read_as_people_write_them() {
        assert_eq!(["7", "5_000", "5e6"].map(|text| count(text).unwrap()), [7, 5_000, 5_000_000]);
        assert_eq!(["7", "2K", "3G"].map(|text| bytes(text).unwrap()), [7, 2048, 3 << 30]);
        assert!(["", "G", "1.5G", "99999999T"].iter().all(|text| bytes(text).is_err()));
        assert_eq!(["4", "3..5", "3,6..7"].map(|text| sizes(text).unwrap().0), [vec![4], vec![3, 4, 5], vec![3, 6, 7]]);
        assert!(["", "5..3", "3..", "x", "3,,4", "0..5000"].iter().all(|text| sizes(text).is_err()));
        assert!(["", "-1", "1.5", "1e20", "e", "99999999999999999999"].iter().all(|text| count(text).is_err()));
    }
}
