//! The data of a figure as CSV, and LaTeX with PGFPlots that draws it from there, for those who want the fonts of their paper or
//! another drawing.
//!
//! A row of CSV is a mark, a point or a bar, and `line` is the number of the line that it belongs to. PGFPlots knows no quotes, so
//! names hold letters, digits and spaces only, which the tables have in full; what is not known is `nan`, which it can read.

use std::fmt::Write;

use crate::report::drawing::Colour;
use crate::report::latex::words;
use crate::report::plot::{Axis, Bar, Data, Figure, Line, colour};

/// More ticks than this are left to PGFPlots.
const MOST_TICKS: usize = 10;

/// The numbers of a figure.
pub(crate) fn csv(figure: &Figure) -> String {
    let mut out = match figure.lines.first().map(|line| &line.data) {
        None => "line,series,x,y\n".to_owned(),
        Some(Data::Marks(_)) => "line,series,x,y,low,high,band_low,band_high,lower_bound\n".into(),
        Some(Data::Curve(..)) => "line,series,x,y\n".into(),
        Some(Data::Bars(_)) => "line,series,x,from,to,low,high\n".into(),
    };
    for (k, line) in figure.lines.iter().enumerate() {
        let head = format!("{},{}", k + 1, plain(&line.label));
        rows(&mut out, &head, &line.data);
    }
    out
}

fn rows(out: &mut String, head: &str, data: &Data) {
    let ends = |pair: Option<(f64, f64)>| {
        let finite = pair.filter(|(from, to)| from.is_finite() && to.is_finite());
        finite.map_or("nan,nan".into(), |(from, to)| format!("{from},{to}"))
    };
    match data {
        Data::Marks(marks) => marks.iter().for_each(|mark| {
            let (interval, band, open) = (ends(mark.interval), ends(mark.band), u8::from(mark.open));
            let _ = writeln!(out, "{head},{},{},{interval},{band},{open}", mark.x, mark.y);
        }),
        Data::Curve(points, _) => points.iter().for_each(|(x, y)| {
            let _ = writeln!(out, "{head},{x},{y}");
        }),
        Data::Bars(bars) => {
            // Where a histogram ends, PGFPlots wants a bar of no width.
            let end = bars.last().filter(|_| adjoin(bars)).map(|last| Bar { x: (last.x.1, last.x.1), y: (0.0, 0.0) });
            bars.iter().chain(&end).for_each(|Bar { x, y }| {
                let middle = f64::midpoint(x.0, x.1);
                let _ = writeln!(out, "{head},{middle},{},{},{},{}", x.0, x.1, y.0, y.1);
            });
        }
    }
}

/// A name that breaks neither CSV nor LaTeX.
fn plain(name: &str) -> String {
    let kept: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || "=.-".contains(c) { c } else { ' ' }).collect();
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A picture for `\input`.
pub(crate) fn tex(figure: &Figure) -> String {
    let name = &figure.name;
    let mut out = format!(
        "% {}: {}\n\
         % needs \\usepackage{{pgfplots}}\\pgfplotsset{{compat=1.17}}\\usepgfplotslibrary{{fillbetween}}; reads {name}.csv\n\
         \\providecommand{{\\ringleaderfigures}}{{figures}}% the folder of {name}.csv\n\
         \\pgfplotsset{{ringleader line/.style={{x filter/.code={{%\n  \
           \\edef\\here{{\\thisrow{{line}}}}\\edef\\wanted{{#1}}\\ifx\\here\\wanted\\else\\def\\pgfmathresult{{}}\\fi}}}}}}\n\
         \\begin{{tikzpicture}}\n\\begin{{axis}}[{}]\n",
        comment(&figure.title),
        comment(&figure.caption),
        axes(figure)
    );
    let bars = figure.lines.iter().any(|line| matches!(line.data, Data::Bars(_)));
    let numbered: Vec<(usize, &Line)> = figure.lines.iter().enumerate().collect();
    // A bar stands in front of those that reach higher, so that none has to stand on another.
    let order: Vec<_> = if bars { numbered.into_iter().rev().collect() } else { numbered };
    for (k, line) in order.into_iter().filter(|(_, line)| !line.is_empty()) {
        draw(&mut out, name, k, line);
        if !line.label.is_empty() {
            let _ = writeln!(out, "\\addlegendentry{{{}}}", words(&line.label));
        }
    }
    out + "\\end{axis}\n\\end{tikzpicture}\n"
}

/// Text in a comment, which is one line.
fn comment(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

fn axes(figure: &Figure) -> String {
    let mut options = vec![
        "width=0.95\\linewidth".to_owned(),
        "height=0.62\\linewidth".into(),
        "filter discard warning=false".into(),
        "grid=major".into(),
        "grid style={black!12}".into(),
        "label style={font=\\small}".into(),
        "tick label style={font=\\footnotesize}".into(),
        "legend cell align=left".into(),
        "legend style={font=\\footnotesize, draw=none, at={(0.5,-0.2)}, anchor=north, legend columns=2}".into(),
    ];
    let [x, y] = figure.ticks();
    options.extend(axis("x", &figure.x, &x));
    options.extend(axis("y", &figure.y, &y));
    if figure.lines.iter().any(|line| matches!(&line.data, Data::Bars(bars) if !adjoin(bars))) {
        options.push("enlarge x limits={abs=0.6}".into());
    }
    if figure.starts_at_0() {
        options.push("ymin=0".into());
    }
    options.join(",\n  ")
}

/// The label of an axis and, where PGFPlots would choose worse ones, its ticks.
fn axis(name: &str, axis: &Axis, ticks: &[f64]) -> Vec<String> {
    let mut options = vec![format!("{name}label={{{}}}", words(&axis.label))];
    options.extend(axis.log.then(|| format!("{name}mode=log")));
    let ticks: Vec<(f64, String)> = match axis.ticks.len() {
        0 if axis.log => ticks.iter().map(|&at| (at, power(at))).collect(),
        1..=MOST_TICKS => axis.ticks.iter().map(|(at, label)| (*at, words(label))).collect(),
        _ => Vec::new(),
    };
    if !ticks.is_empty() {
        let (places, labels): (Vec<String>, Vec<String>) =
            ticks.into_iter().map(|(at, label)| (at.to_string(), label)).unzip();
        options.push(format!("{name}tick={{{}}}, {name}ticklabels={{{}}}", places.join(","), labels.join(",")));
    }
    options
}

/// A number on a logarithmic axis: a power of ten, or a few times one.
fn power(value: f64) -> String {
    if (0.01..1000.0).contains(&value) {
        return format!("{value:.4}").trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    let power = (value.log10() + 1e-9).floor() as i32;
    match (value / 10_f64.powi(power)).round() {
        1.0 => format!("$10^{{{power}}}$"),
        times => format!("${times}\\cdot 10^{{{power}}}$"),
    }
}

fn draw(out: &mut String, name: &str, k: usize, line: &Line) {
    let colour = shade(k);
    let number = k + 1;
    let table = |columns: &str| format!("table[col sep=comma, {columns}]{{\\ringleaderfigures/{name}.csv}};\n");
    let dashes = ["solid", "dashed", "densely dotted", "dashdotted"][(k / 2) % 4];
    match &line.data {
        Data::Marks(marks) => {
            if marks.len() > 1 && marks.iter().all(|mark| mark.band.is_some()) {
                for end in ["low", "high"] {
                    let columns = table(&format!("x=x, y=band_{end}"));
                    let _ = write!(
                        out,
                        "\\addplot[name path={end}{number}, draw=none, forget plot, ringleader line={number}] {columns}"
                    );
                }
                let _ = writeln!(
                    out,
                    "\\addplot[fill={colour}, fill opacity=0.12, forget plot] fill between[of=low{number} and high{number}];"
                );
            }
            let mark = ["*", "square*", "triangle*", "diamond*"][k % 4];
            let known =
                marks.iter().all(|mark| mark.interval.is_some_and(|(from, to)| from.is_finite() && to.is_finite()));
            let (bars, errors) = if known {
                (
                    ", error bars/.cd, y dir=both, y explicit",
                    ", y error plus expr=\\thisrow{high}-\\thisrow{y}, y error minus expr=\\thisrow{y}-\\thisrow{low}",
                )
            } else {
                ("", "")
            };
            let style = format!("color={colour}, mark={mark}, mark size=1.6pt, {dashes}, mark options={{solid}}");
            let columns = table(&format!("x=x, y=y{errors}"));
            let _ = write!(out, "\\addplot[{style}, ringleader line={number}{bars}] {columns}");
        }
        Data::Curve(_, special) => {
            if !special.is_empty() {
                let places: String = special.iter().map(|(x, y)| format!("({x},{y})")).collect();
                let _ = writeln!(
                    out,
                    "\\addplot[only marks, mark size=1.6pt, color={colour}, forget plot] coordinates {{{places}}};"
                );
            }
            let columns = table("x=x, y=y");
            let _ = write!(
                out,
                "\\addplot[const plot, no marks, color={colour}, {dashes}, ringleader line={number}] {columns}"
            );
        }
        Data::Bars(bars) => {
            let style = format!("fill={colour}, draw=white, very thin, area legend, ringleader line={number}");
            let (form, columns) = if adjoin(bars) {
                ("ybar interval".to_owned(), table("x=from, y=high"))
            } else {
                let width = bars.first().map_or(1.0, |bar| bar.x.1 - bar.x.0);
                (format!("ybar, bar shift=0pt, bar width={width:.3}"), table("x=x, y=high"))
            };
            let _ = write!(out, "\\addplot[{form}, {style}] {columns}");
        }
    }
}

/// Whether each bar begins where the one before ends: a histogram.
fn adjoin(bars: &[Bar]) -> bool {
    bars.len() == 1 || bars.windows(2).all(|pair| pair[0].x.1 == pair[1].x.0)
}

/// A colour of the figure as LaTeX has it.
fn shade(k: usize) -> String {
    match colour(k) {
        Colour::Ink => "black".into(),
        other => {
            let [r, g, b] = other.rgb().unwrap_or([0; 3]);
            format!("{{rgb,255:red,{r};green,{g};blue,{b}}}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::plot::Mark;

    fn figure(lines: Vec<Line>) -> Figure {
        let ticks = vec![(8.0, "8".to_owned()), (16.0, "16".to_owned())];
        let x = Axis { label: "n (agents)".into(), log: true, ticks };
        let y = Axis { label: "steps / (n^2 log2 n)".into(), log: true, ticks: Vec::new() };
        Figure { name: "f".into(), title: "a\n\\b".into(), x, y, lines, ..Figure::default() }
    }

    #[test]
    fn names_and_unknown_values_break_neither_format() {
        let mark = Mark { x: 8.0, y: 2e5, interval: Some((1.0, f64::INFINITY)), band: Some((1.5, 3.0)), open: true };
        let figure = figure(vec![Line::marks("a,\"b\" 50 % #1_{x}", vec![mark])]);
        let wanted = "line,series,x,y,low,high,band_low,band_high,lower_bound\n1,a b 50 1 x,8,200000,nan,nan,1.5,3,1\n";
        assert_eq!(csv(&figure), wanted);
        let tex = tex(&figure);
        assert!(tex.starts_with("% a \\b: \n") && !tex.contains("error bars"), "{tex}");
        assert!(tex.contains("\\addlegendentry{a,\"b\" 50~\\% \\#1\\_\\{x\\}}"), "{tex}");
        assert!(tex.contains("xtick={8,16}, xticklabels={8,16}") && tex.contains("ymode=log"), "{tex}");
        assert!(tex.contains("ylabel={steps / ($n^{2} \\log_2 n$)}"), "{tex}");
    }

    #[test]
    fn a_histogram_ends_with_a_bar_of_no_width() {
        let bars = [(0.0, 5.0, 3.0), (5.0, 9.0, 1.0)].map(|(from, to, y)| Bar { x: (from, to), y: (0.0, y) });
        let histogram = figure(vec![Line { label: String::new(), data: Data::Bars(bars.to_vec()) }]);
        assert_eq!(csv(&histogram), "line,series,x,from,to,low,high\n1,,2.5,0,5,0,3\n1,,7,5,9,0,1\n1,,9,9,9,0,0\n");
        assert!(tex(&histogram).contains("ybar interval"));
    }

    #[test]
    fn numbers_are_powers_of_ten() {
        assert_eq!(
            [0.05, 3.0 * 0.4, 200.0, 1e3, 2e5, 5e-4].map(power),
            ["0.05", "1.2", "200", "$10^{3}$", "$2\\cdot 10^{5}$", "$5\\cdot 10^{-4}$"]
        );
    }
}
