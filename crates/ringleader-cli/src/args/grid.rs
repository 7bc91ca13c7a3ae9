//! Options that make a grid of trials without a file.

use clap::Args as ClapArgs;
use ringleader::error::Error;
use ringleader::fault::Fault;
use ringleader::trial::Scheduler;
use ringleader_records::sweep::Grid;

use super::{ParamArgs, Sizes, count, seed};
use crate::text::quoted;

/// How often each combination is run if nothing is said.
const REPEATS: u32 = 100;
/// All seeds of trials are derived from this one if nothing is said, so that the same command resumes its sweep.
const SEED: u64 = 1;

/// More sizes than anybody looks at.
const MOST: usize = 1000;

#[derive(ClapArgs)]
#[command(next_help_heading = "A grid without a file")]
pub(crate) struct GridArgs {
    /// The protocols, with commas between them
    #[arg(long, short, value_name = "NAMES", value_delimiter = ',')]
    protocol: Vec<String>,
    /// The numbers of agents: 32..512 doubles, 32..128:16 goes in steps, a list has commas
    #[arg(long = "n", short, id = "sizes", value_name = "SIZES", value_parser = doubling)]
    n: Option<Sizes>,
    /// The starts, with commas between them [default: the first one of each protocol]
    #[arg(long, short, value_name = "NAMES", value_delimiter = ',')]
    start: Vec<String>,
    /// The number of trials of each combination [default: 100]
    #[arg(long, value_name = "K", value_parser = repeats)]
    trials: Option<u32>,
    /// A fault in every trial, as in `run`; can be given several times
    #[arg(long, value_name = "FAULT")]
    fault: Vec<Fault>,
    /// The seed that those of all trials are derived from [default: 1]
    #[arg(long, value_parser = seed)]
    seed: Option<u64>,
    /// The maximum number of steps of a trial [default: as in `run`]
    #[arg(long, value_name = "STEPS", value_parser = count)]
    limit: Option<u64>,
    /// How interactions are chosen: clocks or uniform [default: clocks]
    #[arg(long)]
    scheduler: Option<String>,
    /// Record the first step of every phase, which is slower
    #[arg(long)]
    phases: bool,
    #[command(flatten)]
    params: ParamArgs,
}

impl GridArgs {
    /// Whether something of a grid was asked for.
    pub(crate) fn is_given(&self) -> bool {
        let lists = !self.protocol.is_empty() || !self.start.is_empty() || !self.fault.is_empty();
        let values = [self.trials.is_some(), self.seed.is_some(), self.limit.is_some(), self.scheduler.is_some()];
        lists || values.contains(&true) || self.n.is_some() || self.phases || !self.params.0.0.is_empty()
    }

    /// Whether it has what every grid needs.
    pub(crate) fn is_whole(&self) -> bool {
        !self.protocol.is_empty() && self.n.is_some()
    }

    pub(crate) fn seed(&self) -> u64 {
        self.seed.unwrap_or(SEED)
    }

    /// The grid that was asked for.
    pub(crate) fn grid(&self) -> Result<Grid, Error> {
        let starts = self.start.iter().cloned().map(Some).collect();
        Ok(Grid {
            protocols: self.protocol.clone(),
            sizes: self.n.as_ref().map_or(Vec::new(), |sizes| sizes.0.clone()),
            params: self.params.0.0.iter().map(|(name, value)| (name.to_string(), vec![Some(*value)])).collect(),
            starts: if self.start.is_empty() { vec![None] } else { starts },
            faults: vec![self.fault.clone()],
            scheduler: self.scheduler.as_deref().map_or(Ok(Scheduler::default()), Scheduler::named)?,
            limit: self.limit,
            phases: self.phases,
            repeats: self.trials.unwrap_or(REPEATS),
        })
    }

    /// The options as they could be typed.
    pub(crate) fn words(&self) -> String {
        let Ok(grid) = self.grid() else { return String::new() };
        let sizes = grid.sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        let mut words = format!("--protocol {} --n {sizes}", quoted(&self.protocol.join(",")));
        let mut option = |name: &str, value: String| words += &format!(" --{name} {}", quoted(&value));
        if !self.start.is_empty() {
            option("start", self.start.join(","));
        }
        option("trials", grid.repeats.to_string());
        self.fault.iter().for_each(|fault| option("fault", fault.to_string()));
        self.seed.iter().for_each(|seed| option("seed", seed.to_string()));
        self.limit.iter().for_each(|limit| option("limit", limit.to_string()));
        self.scheduler.iter().for_each(|scheduler| option("scheduler", scheduler.clone()));
        words += if self.phases { " --phases" } else { "" };
        words + &self.params.words()
    }
}

fn repeats(text: &str) -> Result<u32, String> {
    let allowed = count(text).ok().filter(|count| (1..=1_000_000).contains(count));
    allowed.and_then(|count| u32::try_from(count).ok()).ok_or_else(|| "allowed is a whole number, 1 to 1000000".into())
}

/// Sizes as people write them for sweeps, where what matters is growth.
fn doubling(text: &str) -> Result<Sizes, String> {
    let allowed = "allowed are a number, a list such as 16,32, a range that doubles such as 32..512, or one with steps such as \
                   32..128:16; each number from 3 to 1048576";
    let number = |text: &str| count(text.trim()).ok().and_then(|n| usize::try_from(n).ok()).filter(|n| *n <= 1 << 20);
    let part = |part: &str| -> Option<Vec<usize>> {
        let Some((from, to)) = part.split_once("..") else { return number(part).map(|n| vec![n]) };
        let (to, step) = to.split_once(':').map_or((to, None), |(to, step)| (to, Some(step)));
        let (from, to) = (number(from)?, number(to.trim_start_matches('='))?);
        let step = step.map(|step| number(step).filter(|step| *step > 0).ok_or(())).transpose().ok()?;
        let next = |n: &usize| Some(step.map_or(2 * n, |step| n + step)).filter(|next| *next <= to);
        (from > 0 && from <= to).then(|| std::iter::successors(Some(from), next).collect())
    };
    let sizes: Option<Vec<Vec<usize>>> = text.split(',').map(part).collect();
    let sizes = sizes.map(|parts| parts.concat()).filter(|sizes| sizes.iter().all(|n| *n >= 3));
    match sizes {
        Some(sizes) if sizes.len() > MOST => Err(format!("{} sizes; at most {MOST} are run in one sweep", sizes.len())),
        sizes => sizes.map(Sizes).ok_or_else(|| allowed.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_double() {
        let of = |text: &str| doubling(text).map(|Sizes(sizes)| sizes);
        assert_eq!(of("32..512").unwrap(), [32, 64, 128, 256, 512]);
        assert_eq!(of("5..=40,7").unwrap(), [5, 10, 20, 40, 7]);
        assert_eq!(of("32..100:16").unwrap(), [32, 48, 64, 80, 96]);
        assert_eq!(of("1e3").unwrap(), [1000]);
        for wrong in ["", "2", "0..8", "9..8", "8..", "8..16:0", "8..16:x", "a", "4,,5", "2e6", "1..16"] {
            assert!(of(wrong).is_err_and(|told| told.contains("32..512")), "{wrong}");
        }
    }
}
