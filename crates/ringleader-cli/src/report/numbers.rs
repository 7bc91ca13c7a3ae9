//! The report as JSON: the numbers, unrounded.

use ringleader::stats::Sample;
use ringleader::stats::fit::{Estimate, Fit};
use ringleader::value::Value;
use ringleader_records::analysis::{Analysed, Analysis, CellStatistics, Comparison, Growth, QUANTILES, Stage};
use ringleader_records::meta::Meta;
use ringleader_records::series::Cell;

use crate::report::page::{origins, trials};
use crate::shapes::{carried, faults, mean, quantile};

pub(crate) fn as_json(analysis: &Analysis, metas: &[Meta], under_way: &[String]) -> Value {
    let (trials, censored) = trials(analysis);
    let repeated = analysis.series.iter().flat_map(|one| &one.series.cells).map(|cell| cell.repeated);
    let label = |k: usize| analysis.series.get(k).map(|one| one.series.label.clone());
    let comparison = |one: &Comparison| compared(one, label(one.series));
    Value::map([
        ("seed", analysis.seed.into()),
        ("trials", trials.into()),
        ("censored", censored.into()),
        ("repeated", repeated.sum::<usize>().into()),
        ("under_way", under_way.to_vec().into()),
        ("records", origins(metas).into_iter().map(origin).collect::<Vec<_>>().into()),
        ("series", analysis.series.iter().map(series).collect::<Vec<_>>().into()),
        ("baseline", label(analysis.baseline).into()),
        ("comparisons", analysis.comparisons.iter().map(comparison).collect::<Vec<_>>().into()),
    ])
}

fn origin(meta: &Meta) -> Value {
    Value::map([
        ("definition", meta.definition.clone().into()),
        ("version", meta.version.clone().into()),
        ("machine", meta.machine.clone().into()),
        ("seed", meta.seed.into()),
    ])
}

fn series(one: &Analysed) -> Value {
    let kind = &one.series.kind;
    let settings = kind.settings.iter().map(|setting| (setting.name.clone(), setting.value.into()));
    let cells = one.series.cells.iter().zip(&one.cells).map(|(cell, known)| cell_of(cell, known));
    Value::map([
        ("label", one.series.label.clone().into()),
        ("protocol", kind.protocol.clone().into()),
        ("settings", Value::map(settings)),
        ("start", kind.start.clone().into()),
        ("faults", faults(&kind.faults)),
        ("scheduler", kind.scheduler.clone().into()),
        ("measure", one.series.measure().into()),
        ("claimed", one.series.scale.name().into()),
        ("cells", cells.collect::<Vec<_>>().into()),
        ("growth", one.growth.as_ref().ok().map(growth).into()),
        ("no_fit", one.growth.as_ref().err().cloned().into()),
    ])
}

fn cell_of(cell: &Cell, known: &CellStatistics) -> Value {
    let n = cell.n as usize;
    let quantiles = QUANTILES.iter().zip(&known.quantiles);
    let quantiles = quantiles.map(|(percent, known)| quantile(Some(*percent), known, n));
    let median = |sample: &Sample| sample.quantile(50).map(|median| quantile(Some(50), &median, n));
    let phase = |(name, sample): &(String, Sample)| {
        let reached = sample.len() - sample.censored();
        Value::map([("name", name.clone().into()), ("reached", reached.into()), ("median", median(sample).into())])
    };
    Value::map([
        ("n", cell.n.into()),
        ("trials", cell.steps.len().into()),
        ("censored", cell.steps.censored().into()),
        ("limits", vec![cell.limits.0, cell.limits.1].into()),
        ("mean", known.mean.map(|known| mean(&known, n)).into()),
        ("quantiles", quantiles.collect::<Vec<_>>().into()),
        ("carried_by", known.carried.as_ref().map(carried).into()),
        ("stages", known.stages.iter().map(stage).collect::<Vec<_>>().into()),
        ("all_but_one_in_n", known.tail.as_ref().map(|tail| quantile(None, tail, n)).into()),
        ("last_output_change", median(&cell.changes).into()),
        ("phases", cell.phases.iter().map(phase).collect::<Vec<_>>().into()),
    ])
}

fn stage(stage: &Stage) -> Value {
    Value::map([
        ("until", stage.until.clone().into()),
        ("mean", stage.mean.into()),
        ("steps", stage.steps.into()),
        ("share", stage.share.into()),
    ])
}

/// An estimate as JSON.
pub(crate) fn estimate(estimate: &Estimate) -> Value {
    let (from, to) = estimate.interval;
    Value::map([("value", estimate.value.into()), ("interval", vec![from, to].into())])
}

fn growth(growth: &Growth) -> Value {
    let verdicts = growth.verdicts.iter().map(|verdict| {
        Value::map([
            ("model", verdict.scale.name().into()),
            ("fit", fit(&verdict.fit)),
            ("weight", verdict.weight.into()),
            ("share", verdict.share.into()),
        ])
    });
    let local = growth.local.iter().map(|(from, to, slope)| {
        Value::map([("from", (*from).into()), ("to", (*to).into()), ("exponent", estimate(slope))])
    });
    Value::map([
        ("fitted", growth.location.name().into()),
        ("sizes", growth.sizes.clone().into()),
        ("power", fit(&growth.power)),
        ("power_log", growth.power_log.as_ref().map(fit).into()),
        ("models", verdicts.collect::<Vec<_>>().into()),
        ("local", local.collect::<Vec<_>>().into()),
        ("constant", estimate(&growth.constant)),
    ])
}

fn fit(fit: &Fit) -> Value {
    Value::map([
        ("c", estimate(&fit.c)),
        ("a", fit.a.as_ref().map(estimate).into()),
        ("b", fit.b.as_ref().map(estimate).into()),
        ("deviation", fit.deviation.into()),
        ("chi_square", fit.chi_square.into()),
        ("freedom", fit.freedom.into()),
        ("p", fit.p().into()),
        ("aic", fit.aic().into()),
    ])
}

/// Ends that are not finite are `null`.
fn compared(one: &Comparison, label: Option<String>) -> Value {
    let finite = |value: f64| Value::from(Some(value).filter(|value| value.is_finite()));
    let pair = |(from, to): (f64, f64)| Value::from(vec![finite(from), finite(to)]);
    Value::map([
        ("series", label.into()),
        ("n", one.n.into()),
        ("ratio", one.ratio.map(|ratio| pair(ratio.value)).into()),
        ("interval", one.ratio.map(|ratio| pair(ratio.interval)).into()),
        ("wins", one.superiority.into()),
        ("test", one.test.map(|test| test.name).into()),
        ("statistic", one.test.map(|test| test.statistic).into()),
        ("p", one.test.map(|test| test.p).into()),
        ("p_corrected", one.adjusted.into()),
        ("answer", one.answer().into()),
    ])
}
