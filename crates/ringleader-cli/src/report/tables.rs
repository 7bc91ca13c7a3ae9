//! Tables of a report, and how they look in Markdown and HTML; `latex` has them for a paper.

use ringleader::stats::compare::Ratio;
use ringleader::stats::fit::{Estimate, Fit, Scale};
use ringleader::stats::{Mean, Observed, Quantile, proportion};
use ringleader_records::analysis::{Analysed, Analysis, Growth, QUANTILES, Sweep, more_than_noise};
use ringleader_records::series::Cell;
use ringleader_records::settings::number;

use crate::cmd::findings::carried_in_words;
use crate::report::svg::escape;
use crate::text::{commas, commas_in_front, ratio};

/// Rows of text under a header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Table {
    /// The name of its file, without ending.
    pub(crate) name: String,
    pub(crate) caption: String,
    /// The caption of the short form, if it is another.
    pub(crate) in_short: String,
    pub(crate) header: Vec<Column>,
    pub(crate) rows: Vec<Vec<String>>,
}

/// What stands above a column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Column {
    /// In a table of all columns; empty if it is not one of them.
    pub(crate) name: String,
    /// In a short table, for a page of a paper; empty if it is not one of them.
    pub(crate) short: String,
}

impl Table {
    /// A table without rows. Each column has its name in the whole table and in the short one, or none.
    pub(crate) fn new(name: &str, caption: impl Into<String>, header: &[(&str, &str)]) -> Self {
        let column = |&(name, short): &(&str, &str)| Column { name: name.to_owned(), short: short.to_owned() };
        let header = header.iter().map(column).collect();
        Self { name: name.to_owned(), caption: caption.into(), header, ..Self::default() }
    }

    /// Adds to the captions.
    pub(crate) fn note(&mut self, note: &str) {
        self.caption.push_str(note);
        if !self.in_short.is_empty() {
            self.in_short.push_str(note);
        }
    }

    /// The names and the rows of the whole table.
    fn whole(&self) -> (Vec<&str>, impl Iterator<Item = Vec<&str>>) {
        let named = |k: &usize| !self.header[*k].name.is_empty();
        let columns: Vec<usize> = (0..self.header.len()).filter(named).collect();
        let names = columns.iter().map(|&k| self.header[k].name.as_str()).collect();
        (names, self.rows.iter().map(move |row| columns.iter().map(|&k| row[k].as_str()).collect()))
    }

    pub(crate) fn markdown(&self) -> String {
        let line = |cells: &[&str]| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let (names, rows) = self.whole();
        let side = |k: usize| if k == 0 { "---" } else { "---:" };
        let rule = (0..names.len()).map(side).collect::<Vec<_>>().join("|");
        let rows: String = rows.map(|row| line(&row)).collect();
        let caption = if self.caption.is_empty() { String::new() } else { format!("\n{}\n", self.caption) };
        format!("{}|{rule}|\n{rows}{caption}", line(&names))
    }

    pub(crate) fn html(&self) -> String {
        let cells = |row: &[&str], tag: &str| -> String {
            row.iter().map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect()
        };
        let (names, rows) = self.whole();
        let rows: String = rows.map(|row| format!("<tr>{}</tr>\n", cells(&row, "td"))).collect();
        format!(
            "<div class=\"wide\"><table>\n<caption>{}</caption>\n<thead><tr>{}</tr></thead>\n<tbody>\n{rows}</tbody>\n\
             </table></div>\n",
            escape(&self.caption),
            cells(&names, "th")
        )
    }
}

// --- Numbers --------------------------------------------------------------------------------------------------

/// Four significant digits, with a power of ten where it is long.
pub(crate) fn short(value: f64) -> String {
    if value.is_infinite() {
        return "unknown".into();
    }
    if value == 0.0 {
        return "0".into();
    }
    if (1.0..1e6).contains(&value) {
        return ratio(value);
    }
    if (1e-3..1.0).contains(&value) {
        let decimals = (3.0 - value.log10().floor()) as usize;
        return format!("{value:.decimals$}");
    }
    format!("{value:.3e}")
}

fn observed(value: Observed) -> String {
    format!("{}{}", if value.exact { "" } else { "> " }, short(value.value as f64))
}

fn interval(ends: Option<(f64, f64)>) -> String {
    ends.map_or("-".into(), |(from, to)| format!("[{}, {}]", short(from), short(to)))
}

fn quantile_interval(quantile: &Quantile) -> String {
    quantile.interval.map_or("-".into(), |(from, to)| format!("[{}, {}]", observed(from), observed(to)))
}

/// An estimate with its interval.
pub(crate) fn estimate(estimate: &Estimate) -> String {
    format!("{} {}", short(estimate.value), interval(Some(estimate.interval)))
}

/// An exponent, which may be negative.
pub(crate) fn exponent(estimate: &Estimate) -> String {
    let (from, to) = estimate.interval;
    format!("{:.3} [{from:.3}, {to:.3}]", estimate.value)
}

/// How far a fit is from its points, and whether that is more than noise.
pub(crate) fn deviation(fit: &Fit) -> String {
    let noise = match more_than_noise(fit) {
        Some(true) => ", more than noise",
        Some(false) => ", within noise",
        None => "",
    };
    format!("{}{noise}", percent(fit.deviation))
}

/// A deviation as a percentage with two digits.
fn percent(part: f64) -> String {
    let decimals = if part < 0.0995 { 1 } else { 0 };
    format!("{:.decimals$} %", 100.0 * part)
}

/// The cells whose mean is carried by a few trials, each in a sentence.
pub(crate) fn warnings(analysis: &Analysis) -> Vec<String> {
    let of = |(one, cell, k): (&Analysed, &Cell, usize)| {
        Some(format!("{}, n = {}: {}", one.series.label, cell.n, carried_in_words(one.cells[k].carried.as_ref()?)))
    };
    cells(analysis).filter_map(of).collect()
}

/// A p-value.
pub(crate) fn p_value(p: f64) -> String {
    if p < 1e-4 { "< 0.0001".into() } else { format!("{p:.4}") }
}

fn share(part: f64) -> String {
    format!("{:.1} %", 100.0 * part)
}

// --- The tables -----------------------------------------------------------------------------------------------

/// The constant of the best growth of every series that has one.
pub(crate) fn constants(analysis: &Analysis) -> Table {
    let header = [
        ("series", ""),
        ("n", "n"),
        ("best model", "model"),
        ("c with its 95 % interval", "c with its 95 % interval"),
        ("deviates by at most", "deviation"),
    ];
    let caption = "Steps are c times the best of n^2, n^2 log2 n and n^3, over these n. The deviation is the largest of a size \
                   from that curve; it is more than noise if chance alone would make it so large less than once in a hundred \
                   times, which terms of lower order do where there are many trials.";
    let mut table = Table::new("constants", caption, &header);
    table.in_short =
        "Steps are c times the best of n^2, n^2 log2 n and n^3, over these n, with 95 % bootstrap intervals. The \
                      deviation is the largest of a size from that curve."
            .into();
    for one in &analysis.series {
        let Ok(growth) = &one.growth else { continue };
        let Some(best) = growth.best() else { continue };
        table.rows.push(vec![
            one.series.label.clone(),
            sizes(growth),
            best.scale.name().to_owned(),
            estimate(&best.fit.c),
            deviation(&best.fit),
        ]);
    }
    table
}

/// The statistics of every cell.
pub(crate) fn steps(analysis: &Analysis) -> Table {
    let header = [
        ("series", ""),
        ("n", "n"),
        ("trials", ""),
        ("censored", ""),
        ("mean", ""),
        ("95 % interval of the mean", ""),
        ("", "mean +- half width"),
        ("mean / n^2 log n", "mean / (n^2 log n)"),
        ("median", ""),
        ("95 % interval of the median", ""),
        ("5 % quantile", ""),
        ("95 % quantile", ""),
        ("99 % quantile", ""),
        ("greatest", ""),
        ("limit", ""),
    ];
    let caption = "Steps: first safe steps, or recoveries from the last fault. Quantiles are values that occurred; \
                   intervals are Student's for the mean and order statistics for the median. > marks what is known only \
                   from below.";
    let mut table = Table::new("steps", caption, &header);
    table.in_short =
        "Mean numbers of steps: first safe steps, or recoveries from the last fault. Errors are half the width \
                      of Student's 95 % interval; log is to base 2; > marks what is known only from below."
            .into();
    for (one, cell, k) in cells(analysis) {
        let statistics = &one.cells[k];
        let at = |percent: usize| {
            let place = QUANTILES.iter().position(|&known| known == percent)?;
            statistics.quantiles.get(place)
        };
        let quantile = |percent| at(percent).map_or("-".into(), |quantile| observed(quantile.value));
        let mean = statistics.mean;
        let mark = mean.map_or("", |mean| if mean.exact { "" } else { "> " });
        let scaled = |mean: Mean| short(mean.value / Scale::N2LogN.at(f64::from(cell.n)));
        table.rows.push(vec![
            one.series.label.clone(),
            cell.n.to_string(),
            commas(cell.steps.len()),
            commas(cell.steps.censored()),
            mean.map_or("-".into(), |mean| format!("{mark}{}", short(mean.value))),
            interval(mean.and_then(|mean| Some((mean.interval?.0, mean.interval?.1.unwrap_or(f64::INFINITY))))),
            mean.map_or("-".into(), |mean| match mean.interval.and_then(|ends| ends.1) {
                Some(most) => with_error(mean.value, most - mean.value),
                None => format!("{mark}{}", short(mean.value)),
            }),
            mean.map_or("-".into(), |mean| format!("{mark}{}", scaled(mean))),
            quantile(50),
            at(50).map_or("-".into(), quantile_interval),
            quantile(5),
            quantile(95),
            quantile(99),
            cell.steps.ranked(cell.steps.len()).map_or("-".into(), observed),
            limits(cell),
        ]);
    }
    table
}

/// A value and half the width of its interval, of which two digits are shown.
pub(crate) fn with_error(value: f64, half: f64) -> String {
    let power = if value < 1e6 { 0 } else { value.log10().floor() as i32 };
    let unit = 10_f64.powi(power);
    let digits = if half > 0.0 { 1 - (half / unit).log10().floor() as i32 } else { 0 };
    let decimals = usize::try_from(digits).unwrap_or(0);
    let shown = |value: f64| commas_in_front(&format!("{:.decimals$}", value / unit));
    let both = format!("{} +- {}", shown(value), shown(half));
    if power == 0 { both } else { format!("({both})e{power}") }
}

fn limits(cell: &Cell) -> String {
    let (least, most) = cell.limits;
    let (least, most) = (short(least as f64), short(most as f64));
    if least == most { least } else { format!("{least} to {most}") }
}

fn cells(analysis: &Analysis) -> impl Iterator<Item = (&Analysed, &Cell, usize)> {
    let of_one = |one| {
        let one: &Analysed = one;
        one.series.cells.iter().enumerate().map(move |(k, cell)| (one, cell, k))
    };
    analysis.series.iter().flat_map(of_one)
}

/// The median divided by every claimed growth, and the last output change.
pub(crate) fn scaled(analysis: &Analysis) -> Table {
    let header = [
        ("series", ""),
        ("n", "n"),
        ("median / n^2", "median / n^2"),
        ("median / n^2 log n", "/ (n^2 log n)"),
        ("median / n^3", "/ n^3"),
        ("last output change / n^2 log n", "last change / (n^2 log n)"),
    ];
    let caption = "Medians divided by n^2, n^2 log2 n and n^3: what stays constant is the growth. The last output change \
                   bounds the convergence time from below, the first safe step from above.";
    let mut table = Table::new("scaled", caption, &header);
    for (one, cell, _) in cells(analysis) {
        let n = f64::from(cell.n);
        let divided = |value: Option<Quantile>, scale: Scale| {
            value.map_or("-".into(), |Quantile { value, .. }| {
                format!("{}{}", if value.exact { "" } else { "> " }, short(value.value as f64 / scale.at(n)))
            })
        };
        let median = cell.steps.quantile(50);
        let mut row = vec![one.series.label.clone(), cell.n.to_string()];
        row.extend(Scale::ALL.map(|scale| divided(median, scale)));
        row.push(divided(cell.changes.quantile(50), Scale::N2LogN));
        table.rows.push(row);
    }
    table
}

/// The fits of c n^a and c n^a (log n)^b.
pub(crate) fn fits(analysis: &Analysis) -> Table {
    let header = [
        ("series", ""),
        ("fitted", ""),
        ("n", "n"),
        ("model", "model"),
        ("a", "a"),
        ("b", "b"),
        ("c", ""),
        ("", "deviation"),
        ("deviates by at most", ""),
        ("chi-square / freedom", ""),
        ("p", ""),
    ];
    let caption = "Fits by weighted least squares on logarithms, with 95 % bootstrap intervals. They hold for the sizes \
                   shown and say nothing about others; p is the probability of a worse fit if the model is right: below \
                   0.01 the largest deviation of a size from the curve is more than noise.";
    let mut table = Table::new("fits", caption, &header);
    table.in_short =
        "Fits by weighted least squares on logarithms, with 95 % bootstrap intervals. They hold for the sizes shown \
                      and say nothing about others. The deviation is the largest of a size from the curve; ! marks what is more \
                      than noise."
            .into();
    for one in &analysis.series {
        match &one.growth {
            Ok(growth) => table.rows.extend(fit_rows(one, growth)),
            Err(why) => {
                let known = [&one.series.label, why, "-", "no fit"].map(str::to_owned);
                let blank = (known.len()..header.len()).map(|_| "-".to_owned());
                table.rows.push(known.into_iter().chain(blank).collect());
            }
        }
    }
    table
}

fn fit_rows(one: &Analysed, growth: &Growth) -> Vec<Vec<String>> {
    let row = |name: &str, fit: &Fit| {
        let shown = |known: &Option<Estimate>| known.as_ref().map_or("-".into(), exponent);
        vec![
            one.series.label.clone(),
            growth.location.name().to_owned(),
            sizes(growth),
            name.to_owned(),
            shown(&fit.a),
            shown(&fit.b),
            estimate(&fit.c),
            format!("{}{}", percent(fit.deviation), if more_than_noise(fit) == Some(true) { " !" } else { "" }),
            deviation(fit),
            format!("{:.1} / {}", fit.chi_square, fit.freedom),
            fit.p().map_or("-".into(), p_value),
        ]
    };
    let mut rows = vec![row("c n^a", &growth.power)];
    rows.extend(growth.power_log.as_ref().map(|fit| row("c n^a (log n)^b", fit)));
    rows
}

/// The sizes of a fit.
pub(crate) fn sizes(growth: &Growth) -> String {
    match growth.sizes[..] {
        [first, .., last] => format!("{first} to {last}"),
        _ => "-".into(),
    }
}

/// The claimed growths against each other.
pub(crate) fn models(analysis: &Analysis) -> Table {
    let header = [
        ("series", ""),
        ("model", "model"),
        ("c", "c"),
        ("AIC - least", ""),
        ("weight", "weight"),
        ("best in replicates", ""),
        ("deviates by at most", "deviation"),
        ("p", ""),
    ];
    let caption = "The models n^2, n^2 log n and n^3 against each other: Akaike's weights, and how often each is the best \
                   when the trials are resampled. The deviation is the largest of a size from the curve; it is more than \
                   noise if p is below 0.01, even of the best of the three.";
    let mut table = Table::new("models", caption, &header);
    table.in_short =
        "The models n^2, n^2 log n and n^3 against each other: constants with 95 % bootstrap intervals, and Akaike's \
                      weights. The deviation is the largest of a size from the curve."
            .into();
    for one in &analysis.series {
        let verdicts = one.growth.as_ref().map_or(&[][..], |growth| &growth.verdicts);
        let least = verdicts.iter().map(|verdict| verdict.fit.aic()).fold(f64::INFINITY, f64::min);
        table.rows.extend(verdicts.iter().map(|verdict| {
            vec![
                one.series.label.clone(),
                verdict.scale.name().to_owned(),
                estimate(&verdict.fit.c),
                format!("{:.1}", verdict.fit.aic() - least),
                share(verdict.weight),
                share(verdict.share),
                deviation(&verdict.fit),
                verdict.fit.p().map_or("-".into(), p_value),
            ]
        }));
    }
    table
}

/// Exponents between neighbouring sizes.
pub(crate) fn local(analysis: &Analysis) -> Table {
    let caption = "The exponent of n between each size and the next: where it still moves, the fit over all sizes is not \
                   the exponent of large n.";
    let header = [
        ("series", ""),
        ("from n", "from n"),
        ("to n", "to n"),
        ("exponent with its 95 % interval", "exponent with its 95 % interval"),
    ];
    let mut table = Table::new("exponents", caption, &header);
    for one in &analysis.series {
        let local = one.growth.as_ref().map_or(&[][..], |growth| &growth.local);
        table.rows.extend(local.iter().map(|(from, to, slope)| {
            vec![one.series.label.clone(), from.to_string(), to.to_string(), exponent(slope)]
        }));
    }
    table
}

/// The quantiles at 1 - 1/n.
pub(crate) fn tails(analysis: &Analysis) -> Table {
    let header = [
        ("series", ""),
        ("n", "n"),
        ("trials", "trials"),
        ("quantile at 1 - 1/n", ""),
        ("its 95 % interval", ""),
        ("claimed", "claimed"),
        ("quantile / claimed", "quantile / claimed"),
        ("95 % interval of the ratio", "95 % interval"),
    ];
    let caption = "With high probability means with probability 1 - O(1/n): the claim says that the quantile at 1 - 1/n, \
                   divided by the claimed growth, stays bounded. An interval needs about 3.7 n trials; with fewer than n \
                   the quantile is the greatest value seen and may be far too low.";
    let mut table = Table::new("tails", caption, &header);
    for (one, cell, k) in cells(analysis) {
        let Some(tail) = one.cells[k].tail else { continue };
        let scale = one.series.scale.at(f64::from(cell.n));
        let divided =
            |value: Observed| format!("{}{}", if value.exact { "" } else { "> " }, short(value.value as f64 / scale));
        let ends = tail.interval.map_or("-".into(), |(from, to)| format!("[{}, {}]", divided(from), divided(to)));
        table.rows.push(vec![
            one.series.label.clone(),
            cell.n.to_string(),
            commas(cell.steps.len()),
            observed(tail.value),
            quantile_interval(&tail),
            one.series.scale.name().to_owned(),
            divided(tail.value),
            ends,
        ]);
    }
    table
}

/// The medians of phases.
pub(crate) fn phases(analysis: &Analysis) -> Table {
    let header = [
        ("series", ""),
        ("n", "n"),
        ("phase", "phase"),
        ("reached", "reached"),
        ("median", "median"),
        ("95 % interval of the median", ""),
        ("median / n^2", ""),
        ("median / n^2 log n", "/ (n^2 log n)"),
    ];
    let mut table = Table::new(
        "phases",
        "The first steps of phases, in the trials that reach them; a phase may be left again.",
        &header,
    );
    for (one, cell, _) in cells(analysis) {
        let n = f64::from(cell.n);
        table.rows.extend(cell.phases.iter().filter_map(|(name, sample)| {
            let median = sample.quantile(50)?;
            let divided = |scale: Scale| short(median.value.value as f64 / scale.at(n));
            Some(vec![
                one.series.label.clone(),
                cell.n.to_string(),
                name.clone(),
                format!("{} of {}", commas(sample.len() - sample.censored()), commas(cell.steps.len())),
                observed(median.value),
                quantile_interval(&median),
                divided(Scale::N2),
                divided(Scale::N2LogN),
            ])
        }));
    }
    table
}

/// Where the time goes.
pub(crate) fn shares(analysis: &Analysis) -> Table {
    let header = [
        ("series", ""),
        ("n", "n"),
        ("until", "until"),
        ("mean of its first step", "mean"),
        ("steps since the phase before", "since the phase before"),
        ("share of the time", "share"),
    ];
    let caption = "Where the time to safety goes: the mean steps from each phase to the next, in the order of their means. Only \
                   phases that every trial reached; means subtract, so the shares add up to the whole.";
    let mut table = Table::new("shares", caption, &header);
    for (one, cell, k) in cells(analysis) {
        table.rows.extend(one.cells[k].stages.iter().map(|stage| {
            vec![
                one.series.label.clone(),
                cell.n.to_string(),
                stage.until.clone(),
                short(stage.mean),
                short(stage.steps),
                share(stage.share),
            ]
        }));
    }
    table
}

/// Is it faster?
pub(crate) fn comparisons(analysis: &Analysis) -> Table {
    let base = analysis.series.get(analysis.baseline).map_or("", |one| &one.series.label);
    let header = [
        ("series", ""),
        ("n", "n"),
        ("ratio of medians", "ratio"),
        ("95 % interval of the ratio", "95 % interval"),
        ("wins", ""),
        ("test", ""),
        ("p", ""),
        ("corrected p", "corrected p"),
        ("answer", "answer"),
    ];
    let caption = format!(
        "Is it faster than {base}? The median divided by that of {base}, with its bootstrap interval; wins is the \
         probability that one trial takes fewer steps than one of {base}; the test is that of Mann and Whitney, or that of \
         log-ranks where trials are censored; p is corrected by Holm for all rows, and answers are at the 5 % level."
    );
    let mut table = Table::new("faster", caption, &header);
    table.in_short = format!(
        "Is it faster than {base}? The median divided by that of {base}, with its bootstrap interval; p is corrected by \
         Holm for all rows, and answers are at the 5 % level."
    );
    for one in &analysis.comparisons {
        table.rows.push(vec![
            analysis.series[one.series].series.label.clone(),
            one.n.to_string(),
            one.ratio.map_or("-".into(), |ratio| between(&ratio)),
            interval(one.ratio.map(|ratio| ratio.interval)),
            one.superiority.map_or("-".into(), share),
            one.test.map_or("-", |test| test.name).to_owned(),
            one.test.map_or("-".into(), |test| p_value(test.p)),
            one.adjusted.map_or("-".into(), p_value),
            one.answer().to_owned(),
        ]);
    }
    table
}

fn between(ratio: &Ratio) -> String {
    match ratio.value {
        (least, most) if least == most => short(least),
        (least, most) if most.is_infinite() => format!("> {}", short(least)),
        (_, most) => format!("< {}", short(most)),
    }
}

/// Steps against a parameter.
pub(crate) fn sweep(analysis: &Analysis, sweep: &Sweep, name: &str) -> Table {
    let caption = format!(
        "Steps against {} ({}). The share of censored trials has Clopper and Pearson's interval.",
        sweep.parameter, sweep.label
    );
    let header = [
        (sweep.parameter.as_str(), sweep.parameter.as_str()),
        ("n", "n"),
        ("trials", ""),
        ("median", "median"),
        ("95 % interval of the median", ""),
        ("median / n^2 log n", "/ (n^2 log n)"),
        ("censored", ""),
        ("share censored with its 95 % interval", "share censored, 95 % interval"),
    ];
    let mut table = Table::new(name, caption, &header);
    for &(value, k) in &sweep.members {
        for cell in &analysis.series[k].series.cells {
            let Some(median) = cell.steps.quantile(50) else { continue };
            let (censored, all) = (cell.steps.censored(), cell.steps.len());
            let (from, to) = proportion::interval(censored, all);
            table.rows.push(vec![
                number(value),
                cell.n.to_string(),
                commas(all),
                observed(median.value),
                quantile_interval(&median),
                short(median.value.value as f64 / Scale::N2LogN.at(f64::from(cell.n))),
                commas(censored),
                format!("{} [{}, {}]", share(censored as f64 / all as f64), share(from), share(to)),
            ]);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new("t", "Steps & more", &[("series", ""), ("c n^a", "c n^a")]);
        table.rows.push(vec!["|Q| a_b <1>".into(), "1.500e6 [1.2e-4, 3]".into()]);
        table
    }

    #[test]
    fn tables_are_escaped_for_what_they_become() {
        assert_eq!(
            table().markdown(),
            "| series | c n^a |\n|---|---:|\n| \\|Q\\| a_b <1> | 1.500e6 [1.2e-4, 3] |\n\nSteps & more\n"
        );
        let html = table().html();
        assert!(html.contains("<td>|Q| a_b &lt;1&gt;</td>") && html.contains("<caption>Steps &amp; more"), "{html}");
    }

    #[test]
    fn deviations_have_two_digits() {
        assert_eq!([0.0004, 0.0266, 0.0994, 0.0996, 2.91].map(percent), ["0.0 %", "2.7 %", "9.9 %", "10 %", "291 %"]);
    }

    #[test]
    fn numbers_have_four_digits() {
        let values = [0.0, 0.01234, 12.345, 123_456.7, 1_234_567.0, f64::INFINITY, 1e-5];
        assert_eq!(values.map(short), ["0", "0.01234", "12.35", "123,457", "1.235e6", "unknown", "1.000e-5"]);
        assert_eq!([0.5, 1e-9].map(p_value), ["0.5000", "< 0.0001"]);
    }
}
