//! The shape of many trials: a histogram, whether a few carry the mean, what made recoveries long, and where the time goes.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use ringleader::stats::Sample;
use ringleader::stats::carried::Carried;
use ringleader::stats::histogram::{Bin, histogram as bins};
use ringleader::value::Value;
use ringleader_records::drive::UnderWay;
use ringleader_records::outcome::Outcome;

use crate::text::{alarm, columns, commas, faint, ratio, strong};

/// Bins of a histogram, and the characters of its longest bar.
const BINS: usize = 10;
const BAR: usize = 40;

/// A line for each bin.
pub(crate) fn histogram(out: &mut dyn Write, sample: &Sample) -> io::Result<()> {
    let Some(shape) = bins(sample, BINS).filter(|shape| shape.bins.len() > 1) else { return Ok(()) };
    let most = shape.bins.iter().map(|bin| bin.count).max().unwrap_or(1);
    let bar = |bin: &Bin| "#".repeat((bin.count * BAR).div_ceil(most));
    let row = |bin: &Bin| vec![commas(bin.from), commas(bin.count)];
    let header = vec![if shape.log { "from (log scale)" } else { "from" }.to_owned(), "trials".to_owned()];
    let lines = columns(&std::iter::once(header).chain(shape.bins.iter().map(row)).collect::<Vec<_>>());
    writeln!(out, "\n{}", strong(&lines[0]))?;
    for (line, bin) in lines[1..].iter().zip(&shape.bins) {
        let cut = if bin.cut == 0 { String::new() } else { format!(" {} cut off", commas(bin.cut)) };
        writeln!(out, "{}", format!("{line}  {}{cut}", bar(bin)).trim_end())?;
    }
    Ok(())
}

pub(crate) fn histogram_as_json(sample: &Sample) -> Value {
    bins(sample, BINS).map_or(Value::Null, |shape| {
        let bin = |bin: &Bin| {
            Value::map([
                ("from", bin.from.into()),
                ("to", bin.to.into()),
                ("count", bin.count.into()),
                ("cut_off", bin.cut.into()),
            ])
        };
        Value::map([("log", shape.log.into()), ("bins", shape.bins.iter().map(bin).collect::<Vec<_>>().into())])
    })
}

/// A few trials that carry the mean, in one sentence.
pub(crate) fn carried_in_words(few: &Carried) -> String {
    let (others, share) = (few.of - few.few, 100.0 * few.share);
    let (hold, trials) = (if few.few == 1 { "holds" } else { "hold" }, commas(few.of));
    let sizes =
        format!("{} are at most {}, {} at least {}", commas(others), commas(few.others_to), few.few, commas(few.from));
    format!("{} of {trials} trials {hold} {share:.0} % of the mean: {sizes}", few.few)
}

pub(crate) fn warning(out: &mut dyn Write, few: Option<&Carried>) -> io::Result<()> {
    let Some(few) = few else { return Ok(()) };
    writeln!(out, "\n{}: {}", alarm("warning"), carried_in_words(few))?;
    writeln!(out, "other seeds may give another mean, outside of its interval; the median is sound")
}

/// Recoveries by how many leaders the last fault left.
pub(crate) fn causes(out: &mut dyn Write, by_leaders: &BTreeMap<u64, (usize, f64)>) -> io::Result<()> {
    if by_leaders.len() < 2 {
        return Ok(());
    }
    let header = ["leaders left by the last fault", "trials", "mean recovery"].map(str::to_owned).to_vec();
    let row = |(leaders, (trials, sum)): (&u64, &(usize, f64))| {
        vec![leaders.to_string(), commas(trials), ratio(sum / *trials as f64)]
    };
    let lines = columns(&std::iter::once(header).chain(by_leaders.iter().map(row)).collect::<Vec<_>>());
    writeln!(out, "\n{}", strong(&lines[0]))?;
    lines[1..].iter().try_for_each(|line| writeln!(out, "{line}"))
}

pub(crate) fn causes_as_json(by_leaders: &BTreeMap<u64, (usize, f64)>) -> Value {
    let one = |(leaders, (trials, sum)): (&u64, &(usize, f64))| {
        let mean = sum / *trials as f64;
        Value::map([("leaders", (*leaders).into()), ("trials", (*trials).into()), ("mean_recovery", mean.into())])
    };
    by_leaders.iter().map(one).collect::<Vec<_>>().into()
}

/// What was stopped on its way, as a line; nothing if nothing was.
pub(crate) fn under_way(stopped: UnderWay) -> String {
    stopped.farthest.map_or(String::new(), |(steps, seed)| {
        let trials = commas(stopped.trials);
        format!("{trials} were under way, the farthest at step {} (seed {seed})\n", commas(steps))
    })
}

pub(crate) fn under_way_as_json(stopped: UnderWay) -> Value {
    let farthest = stopped.farthest.map(|(steps, seed)| Value::map([("steps", steps.into()), ("seed", seed.into())]));
    Value::map([("trials", stopped.trials.into()), ("farthest", farthest.into())])
}

/// A phase on the way of many trials.
pub(crate) struct Part {
    name: Arc<str>,
    /// How many trials came to it, and when on average.
    reached: usize,
    first: f64,
    /// From the phase before it, on average, and as a share of the whole.
    took: f64,
    share: f64,
}

/// Where the time of these trials goes, in the order in which they come to their phases.
pub(crate) fn where_it_goes(trials: &[Outcome]) -> Vec<Part> {
    let Some(one) = trials.first() else { return Vec::new() };
    let steps = |k: usize| trials.iter().filter_map(move |trial| trial.phases[k].1);
    let first = |k: usize| steps(k).map(|step| step as f64).sum::<f64>() / steps(k).count() as f64;
    let mut order: Vec<usize> = (0..one.phases.len()).filter(|&k| steps(k).next().is_some()).collect();
    // Phases that come at the same time keep the order of the paper.
    order.sort_by(|&a, &b| first(a).total_cmp(&first(b)));
    let mut sums = vec![0.0; order.len()];
    for trial in trials {
        sums.iter_mut().zip(trial.parts(&order)).for_each(|(sum, part)| *sum += part as f64);
    }
    let (all, count) = (sums.iter().sum::<f64>(), trials.len() as f64);
    let part = |(&k, &sum): (&usize, &f64)| Part {
        name: one.phases[k].0.clone(),
        reached: steps(k).count(),
        first: first(k),
        took: sum / count,
        share: if all > 0.0 { sum / all } else { 0.0 },
    };
    order.iter().zip(&sums).map(part).collect()
}

pub(crate) fn phases(out: &mut dyn Write, parts: &[Part]) -> io::Result<()> {
    let header = ["where the time goes", "trials", "mean first step", "mean duration", "share"].map(str::to_owned);
    let row = |part: &Part| {
        let share = format!("{:.1} %", 100.0 * part.share);
        vec![part.name.to_string(), commas(part.reached), ratio(part.first), ratio(part.took), share]
    };
    let lines = columns(&std::iter::once(header.to_vec()).chain(parts.iter().map(row)).collect::<Vec<_>>());
    writeln!(out, "{}", strong(&lines[0]))?;
    lines[1..].iter().try_for_each(|line| writeln!(out, "{line}"))?;
    writeln!(out, "{}\n", faint("durations are from the phase before; what came sooner took no time of its own"))
}

pub(crate) fn phases_as_json(parts: &[Part]) -> Value {
    let part = |part: &Part| {
        Value::map([
            ("name", (&*part.name).into()),
            ("trials", part.reached.into()),
            ("mean_first", part.first.into()),
            ("mean_duration", part.took.into()),
            ("share", part.share.into()),
        ])
    };
    parts.iter().map(part).collect::<Vec<_>>().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader::stats::Observed;

    #[test]
    fn few_trials_are_told_in_a_sentence() {
        let few = Carried { few: 3, of: 500, share: 0.3612, from: 46_000_000, others_to: 1_080_000 };
        let told = "3 of 500 trials hold 36 % of the mean: 497 are at most 1,080,000, 3 at least 46,000,000";
        assert_eq!(carried_in_words(&few), told);
    }

    #[test]
    fn a_histogram_has_a_bar_for_each_bin() {
        let values = [1, 1, 1, 1, 2].map(Observed::exactly).into_iter().chain([Observed::at_least(3)]);
        let mut out = Vec::new();
        histogram(&mut out, &values.collect()).unwrap();
        let shown = String::from_utf8(anstream::adapter::strip_bytes(&out).into_vec()).unwrap();
        let bar = "#".repeat(10);
        let full = bar.repeat(4);
        assert_eq!(
            shown,
            format!("\nfrom  trials\n1          4  {full}\n2          1  {bar}\n3          1  {bar} 1 cut off\n")
        );
    }
}
