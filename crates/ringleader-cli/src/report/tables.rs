//! Tables of a report, and how they look in Markdown, LaTeX and HTML.

use std::fmt::Write;

use ringleader::stats::compare::Ratio;
use ringleader::stats::fit::{Estimate, Fit, Scale};
use ringleader::stats::{Observed, Quantile, proportion};
use ringleader_records::analysis::{Analysed, Analysis, Growth, QUANTILES, Sweep};
use ringleader_records::series::Cell;
use ringleader_records::settings::number;

use crate::report::svg::escape;
use crate::text::{commas, ratio};

/// Rows of text under a header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Table {
    /// The name of its file, without ending.
    pub(crate) name: String,
    pub(crate) caption: String,
    pub(crate) header: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(name: &str, caption: impl Into<String>, header: &[&str]) -> Self {
        let header = header.iter().map(|&word| word.to_owned()).collect();
        Self { name: name.to_owned(), caption: caption.into(), header, rows: Vec::new() }
    }

    pub(crate) fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let bars = |cells: &[String]| cells.iter().map(|cell| cell.replace('|', "\\|")).collect::<Vec<_>>();
        let side = |k: usize| if k == 0 { "---" } else { "---:" };
        let rule = (0..self.header.len()).map(side).collect::<Vec<_>>().join("|");
        let rows: String = self.rows.iter().map(|row| line(&bars(row))).collect();
        let caption = if self.caption.is_empty() { String::new() } else { format!("\n{}\n", self.caption) };
        format!("{}|{rule}|\n{rows}{caption}", line(&bars(&self.header)))
    }

    pub(crate) fn latex(&self) -> String {
        let line = |cells: &[String]| cells.iter().map(|cell| latex(cell)).collect::<Vec<_>>().join(" & ");
        let sides = format!("l{}", "r".repeat(self.header.len().saturating_sub(1)));
        let mut out = format!("% {}\n\\begin{{tabular}}{{{sides}}}\n\\hline\n", self.caption.replace('\n', " "));
        let _ = writeln!(out, "{} \\\\\n\\hline", line(&self.header));
        self.rows.iter().for_each(|row| {
            let _ = writeln!(out, "{} \\\\", line(row));
        });
        out + "\\hline\n\\end{tabular}\n"
    }

    pub(crate) fn html(&self) -> String {
        let cells = |row: &[String], tag: &str| -> String {
            row.iter().map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect()
        };
        let rows: String = self.rows.iter().map(|row| format!("<tr>{}</tr>\n", cells(row, "td"))).collect();
        format!(
            "<div class=\"wide\"><table>\n<caption>{}</caption>\n<thead><tr>{}</tr></thead>\n<tbody>\n{rows}</tbody>\n\
             </table></div>\n",
            escape(&self.caption),
            cells(&self.header, "th")
        )
    }
}

/// A cell as LaTeX: what is special is escaped, `n^2` and `1.5e6` become formulas.
fn latex(cell: &str) -> String {
    let mut out = String::new();
    for word in cell.split_inclusive([' ', '[', ',', ']', '(', ')']) {
        let bare = word.trim_end_matches([' ', '[', ',', ']', '(', ')']);
        let power = bare.split_once('e').filter(|(m, p)| m.parse::<f64>().is_ok() && p.parse::<i32>().is_ok());
        match (power, bare.split_once('^')) {
            (Some((mantissa, power)), _) => {
                let _ = write!(out, "${mantissa}\\cdot 10^{{{power}}}$");
            }
            (None, Some((base, power))) if !power.is_empty() => {
                let _ = write!(out, "${}^{{{}}}$", escape_latex(base), escape_latex(power));
            }
            _ => out.push_str(&escape_latex(bare)),
        }
        out.push_str(&word[bare.len()..]);
    }
    out
}

fn escape_latex(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\textbackslash{}"),
            '^' => out.push_str("\\^{}"),
            '~' => out.push_str("\\~{}"),
            '<' => out.push_str("$<$"),
            '>' => out.push_str("$>$"),
            '|' => out.push_str("$|$"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
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

/// A p-value.
pub(crate) fn p_value(p: f64) -> String {
    if p < 1e-4 { "< 0.0001".into() } else { format!("{p:.4}") }
}

fn share(part: f64) -> String {
    format!("{:.1} %", 100.0 * part)
}

// --- The tables -----------------------------------------------------------------------------------------------

/// The statistics of every cell.
pub(crate) fn steps(analysis: &Analysis) -> Table {
    let header = [
        "series", "n", "trials", "censored", "mean", "95 %", "median", "95 %", "5 %", "95 %", "99 %", "greatest",
        "limit",
    ];
    let caption = "Steps: first safe steps, or recoveries from the last fault. Quantiles are values that occurred; \
                   intervals are Student's for the mean and order statistics for the median. > marks what is known only \
                   from below.";
    let mut table = Table::new("steps", caption, &header);
    for (one, cell, k) in cells(analysis) {
        let statistics = &one.cells[k];
        let at = |percent: usize| {
            let place = QUANTILES.iter().position(|&known| known == percent)?;
            statistics.quantiles.get(place)
        };
        let quantile = |percent| at(percent).map_or("-".into(), |quantile| observed(quantile.value));
        let mean = statistics.mean;
        table.rows.push(vec![
            one.series.label.clone(),
            cell.n.to_string(),
            commas(cell.steps.len()),
            commas(cell.steps.censored()),
            mean.map_or("-".into(), |mean| format!("{}{}", if mean.exact { "" } else { "> " }, short(mean.value))),
            interval(mean.and_then(|mean| Some((mean.interval?.0, mean.interval?.1.unwrap_or(f64::INFINITY))))),
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
    let header = ["series", "n", "median / n^2", "/ n^2 log n", "/ n^3", "last output change / n^2 log n"];
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
    let header = ["series", "fitted", "n", "model", "a", "b", "c", "chi-square / freedom", "p"];
    let caption = "Fits by weighted least squares on logarithms, with 95 % bootstrap intervals. They hold for the sizes \
                   shown and say nothing beyond; p is the probability of a worse fit if the model is right.";
    let mut table = Table::new("fits", caption, &header);
    for one in &analysis.series {
        match &one.growth {
            Ok(growth) => table.rows.extend(fit_rows(one, growth)),
            Err(why) => {
                let blank = (3..header.len()).map(|_| "-".to_owned());
                table.rows.push([one.series.label.clone(), why.clone(), "-".into()].into_iter().chain(blank).collect());
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
    let header = ["series", "model", "c", "AIC - least", "weight", "best in replicates", "p"];
    let caption = "The models n^2, n^2 log n and n^3 against each other: Akaike's weights, and how often each is the best \
                   when the trials are drawn again. A small p says that the model does not fit, even if it is the best \
                   of the three.";
    let mut table = Table::new("models", caption, &header);
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
    let mut table = Table::new("exponents", caption, &["series", "from n", "to n", "exponent"]);
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
    let header = ["series", "n", "trials", "quantile at 1 - 1/n", "95 %", "claimed", "divided by it", "95 %"];
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
    let header = ["series", "n", "phase", "reached", "median", "95 %", "/ n^2", "/ n^2 log n"];
    let mut table = Table::new(
        "phases",
        "The first steps of phases, of the trials that reach them; a phase may be left again.",
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

/// Is it faster?
pub(crate) fn comparisons(analysis: &Analysis) -> Table {
    let base = analysis.series.get(analysis.baseline).map_or("", |one| &one.series.label);
    let header = ["series", "n", "ratio of medians", "95 %", "wins", "test", "p", "p, corrected", "answer"];
    let caption = format!(
        "Is it faster than {base}? The median divided by that of {base}, with its bootstrap interval; wins is the \
         probability that one trial takes fewer steps than one of {base}; the test is that of Mann and Whitney, or that of \
         log-ranks where trials are censored; p is corrected by Holm for all rows, and the answer is at 5 %."
    );
    let mut table = Table::new("faster", caption, &header);
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
    let header = [&sweep.parameter, "n", "trials", "median", "95 %", "/ n^2 log n", "censored", "share, 95 %"];
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
        let mut table = Table::new("t", "Steps & more", &["series", "c n^a"]);
        table.rows.push(vec!["|Q| a_b <1>".into(), "1.500e6 [1.2e-4, 3]".into()]);
        table
    }

    #[test]
    fn tables_are_escaped_for_what_they_become() {
        assert_eq!(
            table().markdown(),
            "| series | c n^a |\n|---|---:|\n| \\|Q\\| a_b <1> | 1.500e6 [1.2e-4, 3] |\n\nSteps & more\n"
        );
        let latex = table().latex();
        assert!(latex.contains("series & c $n^{a}$ \\\\"), "{latex}");
        assert!(
            latex.contains("$|$Q$|$ a\\_b $<$1$>$ & $1.500\\cdot 10^{6}$ [$1.2\\cdot 10^{-4}$, 3] \\\\"),
            "{latex}"
        );
        let html = table().html();
        assert!(html.contains("<td>|Q| a_b &lt;1&gt;</td>") && html.contains("<caption>Steps &amp; more"), "{html}");
    }

    #[test]
    fn numbers_have_four_digits() {
        let values = [0.0, 0.01234, 12.345, 123_456.7, 1_234_567.0, f64::INFINITY, 1e-5];
        assert_eq!(values.map(short), ["0", "0.01234", "12.35", "123,457", "1.235e6", "unknown", "1.000e-5"]);
        assert_eq!([0.5, 1e-9].map(p_value), ["0.5000", "< 0.0001"]);
    }
}
