//! Figures as SVG: axes, lines with intervals, step curves, legends.
//!
//! A writer of our own, since the figures need little and must be the same to the byte: no fonts are measured, no
//! styles are needed, text and axes take the colour of the page. Colours are those of Okabe and Ito, which the
//! colour-blind can tell apart; shapes and dashes tell lines apart in print.

use std::fmt::Write;

const COLOURS: [&str; 7] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F"];
/// How many lines of a figure are told apart by colour alone.
pub(crate) const MOST_LINES: usize = COLOURS.len();
const SHAPES: [Shape; 4] = [Shape::Disc, Shape::Square, Shape::Up, Shape::Diamond];

/// The frame of the data, in pixels: left, top, width, height.
const FRAME: [f64; 4] = [72.0, 14.0, 520.0, 320.0];
/// Below the frame: ticks and the label of the axis.
const BELOW: f64 = 50.0;
/// The width of a character, roughly and rather too much.
const CHARACTER: f64 = 6.9;
/// Points of a curve that are nearer than this cannot be told apart.
const NEAR: f64 = 0.6;

/// A figure.
#[derive(Clone, Debug, Default)]
pub(crate) struct Figure {
    /// The name of its file, without ending.
    pub(crate) name: String,
    pub(crate) caption: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) lines: Vec<Line>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Axis {
    pub(crate) label: String,
    pub(crate) log: bool,
    /// Where ticks should be, if that is known better than by looking at the range.
    pub(crate) ticks: Vec<f64>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    pub(crate) label: String,
    pub(crate) points: Vec<Mark>,
    /// A curve of steps without marks, instead of marks that are joined.
    pub(crate) steps: bool,
    /// Points on a curve that deserve a mark.
    pub(crate) special: Vec<(f64, f64)>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Mark {
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// The ends of a bar.
    pub(crate) interval: Option<(f64, f64)>,
    /// The ends of a band behind the line.
    pub(crate) band: Option<(f64, f64)>,
    /// The value is a lower bound: the mark is open, with an arrow.
    pub(crate) open: bool,
}

#[derive(Clone, Copy)]
enum Shape {
    Disc,
    Square,
    Up,
    Diamond,
}

impl Figure {
    /// The figure as a document that stands alone and can also stand in a page.
    pub(crate) fn render(&self) -> String {
        let [left, top, width, height] = FRAME;
        let legend = self.legend_width();
        let (w, h) = (left + width + 16.0 + legend, top + height + BELOW);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w:.0} {h:.0}\" width=\"{w:.0}\" height=\"{h:.0}\" \
             font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"12\" fill=\"currentColor\" \
             role=\"img\">\n<title>{}</title>\n",
            escape(&self.caption)
        );
        let values = self.values();
        match (Span::new(&self.x, values.iter().map(|v| v.0)), Span::new(&self.y, values.iter().map(|v| v.1))) {
            (Some(x), Some(y)) => self.draw(&mut out, &Frame { x, y }),
            _ => text(&mut out, left + width / 2.0, top + height / 2.0, "middle", "nothing to show"),
        }
        out.push_str("</svg>\n");
        out
    }

    fn legend_width(&self) -> f64 {
        let longest = self.lines.iter().map(|line| line.label.chars().count()).max().unwrap_or(0);
        if longest == 0 { 0.0 } else { longest as f64 * CHARACTER + 44.0 }
    }

    /// Every place that must be inside the frame.
    fn values(&self) -> Vec<(f64, f64)> {
        let ends = |pair: Option<(f64, f64)>| pair.map(|(from, to)| [from, to]).into_iter().flatten();
        let places = |mark: &Mark| {
            let ys = [mark.y].into_iter().chain(ends(mark.interval)).chain(ends(mark.band));
            let x = mark.x;
            ys.map(move |y| (x, y)).collect::<Vec<_>>()
        };
        self.lines.iter().flat_map(|line| line.points.iter().flat_map(places)).collect()
    }

    fn draw(&self, out: &mut String, frame: &Frame) {
        self.axes(out, frame);
        for (k, line) in self.lines.iter().enumerate() {
            let _ = writeln!(out, "<g color=\"{0}\" fill=\"{0}\" stroke=\"{0}\">", COLOURS[k % COLOURS.len()]);
            if line.steps {
                line.draw_steps(out, frame, k);
            } else {
                line.draw_marks(out, frame, k);
            }
            out.push_str("</g>\n");
        }
        self.legend(out);
    }

    fn axes(&self, out: &mut String, frame: &Frame) {
        let [left, top, width, height] = FRAME;
        let (right, bottom) = (left + width, top + height);
        let (mut free, mut last) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        for value in frame.x.ticks(&self.x) {
            let (at, label) = (frame.x(value), self.x.text(value));
            let half = label.chars().count() as f64 * CHARACTER / 2.0;
            if at - last < 8.0 {
                continue;
            }
            last = at;
            rule(out, [at, top, at, bottom], 0.12);
            rule(out, [at, bottom, at, bottom + 4.0], 1.0);
            if at - half > free {
                text(out, at, bottom + 18.0, "middle", &label);
                free = at + half + 4.0;
            }
        }
        for value in frame.y.ticks(&self.y) {
            let at = frame.y(value);
            rule(out, [left, at, right, at], 0.12);
            rule(out, [left - 4.0, at, left, at], 1.0);
            text(out, left - 7.0, at + 4.0, "end", &self.y.text(value));
        }
        let _ = writeln!(
            out,
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"none\" \
             stroke=\"currentColor\"/>"
        );
        text(out, left + width / 2.0, bottom + 40.0, "middle", &self.x.label);
        let (x, y) = (16.0, top + height / 2.0);
        let _ = writeln!(
            out,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" transform=\"rotate(-90 {x:.1} {y:.1})\">{}</text>",
            escape(&self.y.label)
        );
    }

    fn legend(&self, out: &mut String) {
        let [left, top, width, _] = FRAME;
        let x = left + width + 14.0;
        for (k, line) in self.lines.iter().enumerate().filter(|(_, line)| !line.label.is_empty()) {
            let (y, colour) = (top + 10.0 + 18.0 * k as f64, COLOURS[k % COLOURS.len()]);
            let _ = writeln!(out, "<g fill=\"{colour}\" stroke=\"{colour}\">");
            let _ = writeln!(out, "<path d=\"M{x:.1} {y:.1}h24\" fill=\"none\" stroke-width=\"1.6\"{}/>", dashes(k));
            if !line.steps {
                shape(out, x + 12.0, y, k, false);
            }
            out.push_str("</g>\n");
            text(out, x + 30.0, y + 4.0, "start", &line.label);
        }
    }
}

impl Line {
    fn draw_marks(&self, out: &mut String, frame: &Frame, k: usize) {
        let inside = |mark: &&Mark| frame.holds(mark.x, mark.y);
        let marks: Vec<&Mark> = self.points.iter().filter(inside).collect();
        self.draw_band(out, frame, &marks);
        let places = marks.iter().map(|mark| (frame.x(mark.x), frame.y(mark.y)));
        path(out, &joined(places), k, 1.6);
        for mark in &marks {
            let (x, y) = (frame.x(mark.x), frame.y(mark.y));
            if let Some((from, to)) = mark.interval {
                let (from, to) = (frame.y(from), frame.y(to));
                let bar = format!("M{x:.1} {from:.1}V{to:.1}M{:.1} {from:.1}h6M{:.1} {to:.1}h6", x - 3.0, x - 3.0);
                let _ = writeln!(out, "<path d=\"{bar}\" fill=\"none\" stroke-width=\"1\"/>");
            }
            if mark.open {
                let arrow = format!("M{x:.1} {:.1}v-12m-3 4l3 -4l3 4", y - 4.0);
                let _ = writeln!(out, "<path d=\"{arrow}\" fill=\"none\" stroke-width=\"1.2\"/>");
            }
            shape(out, x, y, k, mark.open);
        }
    }

    fn draw_band(&self, out: &mut String, frame: &Frame, marks: &[&Mark]) {
        let end = |mark: &&Mark, part: fn((f64, f64)) -> f64| Some((frame.x(mark.x), frame.y(part(mark.band?))));
        let upper = marks.iter().filter_map(|mark| end(mark, |band| band.1));
        let lower = marks.iter().rev().filter_map(|mark| end(mark, |band| band.0));
        let outline: Vec<(f64, f64)> = upper.chain(lower).collect();
        if outline.len() > 2 {
            let outline = joined(outline.into_iter());
            let _ = writeln!(out, "<path d=\"{outline}Z\" fill-opacity=\"0.12\" stroke=\"none\"/>");
        }
    }

    fn draw_steps(&self, out: &mut String, frame: &Frame, k: usize) {
        let inside = |mark: &&Mark| frame.holds(mark.x, mark.y);
        let mut places = self.points.iter().filter(inside).map(|mark| (frame.x(mark.x), frame.y(mark.y)));
        let Some((mut x, mut y)) = places.next() else { return };
        let (mut curve, mut skipped) = (format!("M{x:.1} {y:.1}"), None);
        for place in places {
            if (place.0 - x).abs() < NEAR && (place.1 - y).abs() < NEAR {
                skipped = Some(place);
                continue;
            }
            (x, y) = place;
            skipped = None;
            let _ = write!(curve, "H{x:.1}V{y:.1}");
        }
        if let Some((x, y)) = skipped {
            let _ = write!(curve, "H{x:.1}V{y:.1}");
        }
        path(out, &curve, k, 1.4);
        for &(x, y) in self.special.iter().filter(|place| frame.holds(place.0, place.1)) {
            shape(out, frame.x(x), frame.y(y), k, false);
        }
    }
}

impl Axis {
    /// The label of a tick. Where ticks were asked for they are given as they are.
    fn text(&self, value: f64) -> String {
        if self.ticks.is_empty() { number(value) } else { format!("{}", (value * 1000.0).round() / 1000.0) }
    }
}

// --- Axes -----------------------------------------------------------------------------------------------------

/// The part of an axis that is shown.
struct Span {
    log: bool,
    from: f64,
    to: f64,
}

impl Span {
    fn new(axis: &Axis, values: impl Iterator<Item = f64>) -> Option<Self> {
        let fits = |value: &f64| value.is_finite() && (!axis.log || *value > 0.0);
        let (from, to) = values.filter(fits).fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        if from > to {
            return None;
        }
        let (low, high) = if axis.log { (from.ln(), to.ln()) } else { (from, to) };
        let least = if axis.log { 0.7 } else { 1e-9 + 0.1 * high.abs() };
        let (middle, half) = ((low + high) / 2.0, 1.08 * ((high - low) / 2.0).max(least / 2.0));
        let (from, to) = (middle - half, middle + half);
        // Nothing that is counted from 0 needs room below it, and what comes near 0 shows it.
        let from = if axis.log || low < 0.0 {
            from
        } else if low < high / 4.0 {
            0.0
        } else {
            from.max(0.0)
        };
        Some(Self { log: axis.log, from, to })
    }

    /// From 0 to 1 within the span.
    fn part(&self, value: f64) -> f64 {
        let value = if self.log { value.ln() } else { value };
        (value - self.from) / (self.to - self.from)
    }

    fn holds(&self, value: f64) -> bool {
        value.is_finite() && (!self.log || value > 0.0) && (-1e-9..=1.0 + 1e-9).contains(&self.part(value))
    }

    fn ticks(&self, axis: &Axis) -> Vec<f64> {
        let (from, to) = if self.log { (self.from.exp(), self.to.exp()) } else { (self.from, self.to) };
        let ticks = if !axis.ticks.is_empty() {
            axis.ticks.clone()
        } else if self.log && to / from > 8.0 {
            log_ticks(from, to)
        } else {
            even_ticks(from, to)
        };
        ticks.into_iter().filter(|&tick| self.holds(tick)).collect()
    }
}

struct Frame {
    x: Span,
    y: Span,
}

impl Frame {
    fn x(&self, value: f64) -> f64 {
        FRAME[0] + FRAME[2] * self.x.part(value)
    }

    /// Cut at the edges, for bars that end at 0 or nowhere.
    fn y(&self, value: f64) -> f64 {
        let part = self.y.part(value);
        let part = if part.is_nan() { 0.0 } else { part.clamp(0.0, 1.0) };
        FRAME[1] + FRAME[3] * (1.0 - part)
    }

    fn holds(&self, x: f64, y: f64) -> bool {
        self.x.holds(x) && self.y.holds(y)
    }
}

/// Powers of ten, with 2 and 5 between them where there is room; fewer where there are too many.
fn log_ticks(from: f64, to: f64) -> Vec<f64> {
    let (low, high) = (from.log10().floor() as i32, to.log10().ceil() as i32);
    let decades = (to / from).log10();
    let steps: &[f64] = if decades < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let stride = (decades / 8.0).ceil().max(1.0) as i32;
    let powers = (low..=high).filter(|power| power.rem_euclid(stride) == 0);
    powers.flat_map(|power| steps.iter().map(move |step| step * 10_f64.powi(power))).collect()
}

/// About five ticks at multiples of 1, 2 or 5 times a power of ten.
fn even_ticks(from: f64, to: f64) -> Vec<f64> {
    let rough = (to - from) / 5.0;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|step| *step >= rough);
    let step = step.unwrap_or(rough);
    let (first, last) = ((from / step).ceil() as i64, (to / step).floor() as i64);
    (first..=last).take(20).map(|k| k as f64 * step).collect()
}

// --- Text and shapes ------------------------------------------------------------------------------------------

/// A number on an axis: plain, or with a power of ten.
fn number(value: f64) -> String {
    if value == 0.0 || (1e-2..1e3).contains(&value.abs()) {
        let text = format!("{value:.4}");
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    let power = value.abs().log10().floor() as i32;
    let mantissa = format!("{:.2}", value / 10_f64.powi(power));
    match mantissa.trim_end_matches('0').trim_end_matches('.') {
        "1" => format!("10{}", raised(power)),
        "10" => format!("10{}", raised(power + 1)),
        mantissa => format!("{mantissa}×10{}", raised(power)),
    }
}

fn raised(power: i32) -> String {
    let digit = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        c => c.to_digit(10).and_then(|d| char::from_u32(0x2070 + d)).unwrap_or(c),
    };
    power.to_string().chars().map(digit).collect()
}

/// Text as it may stand in XML and HTML.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn text(out: &mut String, x: f64, y: f64, anchor: &str, words: &str) {
    let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>", escape(words));
}

fn rule(out: &mut String, [x1, y1, x2, y2]: [f64; 4], opacity: f64) {
    let _ = writeln!(
        out,
        "<path d=\"M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}\" stroke=\"currentColor\" stroke-opacity=\"{opacity}\"/>"
    );
}

fn joined(places: impl Iterator<Item = (f64, f64)>) -> String {
    let place = |(k, (x, y)): (usize, (f64, f64))| format!("{}{x:.1} {y:.1}", if k == 0 { "M" } else { "L" });
    places.enumerate().map(place).collect()
}

fn path(out: &mut String, d: &str, k: usize, width: f64) {
    if !d.is_empty() {
        let _ = writeln!(out, "<path d=\"{d}\" fill=\"none\" stroke-width=\"{width}\"{}/>", dashes(k));
    }
}

fn dashes(k: usize) -> &'static str {
    match (k / 2) % 4 {
        0 => "",
        1 => " stroke-dasharray=\"7 3\"",
        2 => " stroke-dasharray=\"2 2\"",
        _ => " stroke-dasharray=\"9 3 2 3\"",
    }
}

fn shape(out: &mut String, x: f64, y: f64, k: usize, open: bool) {
    let d = match SHAPES[k % SHAPES.len()] {
        Shape::Disc => format!("M{:.1} {y:.1}a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0Z", x - 3.6),
        Shape::Square => format!("M{:.1} {:.1}h6.4v6.4h-6.4Z", x - 3.2, y - 3.2),
        Shape::Up => format!("M{x:.1} {:.1}l4.2 7.4h-8.4Z", y - 4.6),
        Shape::Diamond => format!("M{x:.1} {:.1}l4.4 4.4l-4.4 4.4l-4.4 -4.4Z", y - 4.4),
    };
    let fill = if open { " fill=\"none\" stroke-width=\"1.4\"" } else { " stroke=\"none\"" };
    let _ = writeln!(out, "<path d=\"{d}\"{fill}/>");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_on_axes_are_short() {
        let values = [0.0, 0.25, 1.0, 500.0, 1000.0, 2.5e9, 1e-7, 9.999_9e12];
        assert_eq!(values.map(number), ["0", "0.25", "1", "500", "10³", "2.5×10⁹", "10⁻⁷", "10¹³"]);
        assert_eq!(Axis { ticks: vec![16_384.0], ..Axis::default() }.text(16_384.0), "16384");
    }

    #[test]
    fn ticks_are_few_and_inside() {
        assert_eq!(even_ticks(0.0, 1.0), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(log_ticks(1.0, 100.0), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0]);
        assert!(log_ticks(1.0, 1e40).len() < 12);
        let axis = Axis { log: true, ..Axis::default() };
        let span = Span::new(&axis, [3.0, 300.0].into_iter()).unwrap();
        assert_eq!(span.ticks(&axis).first(), Some(&5.0));
    }

    #[test]
    fn odd_figures_are_still_documents() {
        let mark = |y: f64| Mark { x: 8.0, y, interval: Some((0.0, f64::INFINITY)), open: true, ..Mark::default() };
        for y in [0.0, 5.0, -3.0, f64::NAN, f64::INFINITY] {
            for log in [false, true] {
                let line = Line { label: "a<b".into(), points: vec![mark(y)], ..Line::default() };
                let axis = Axis { log, ..Axis::default() };
                let drawn = Figure { y: axis, lines: vec![line], ..Figure::default() }.render();
                assert!(drawn.starts_with("<svg") && drawn.ends_with("</svg>\n"), "{drawn}");
                assert!(!drawn.contains("NaN") && !drawn.contains("inf") && !drawn.contains("a<b"), "{drawn}");
            }
        }
        assert!(Figure::default().render().contains("nothing to show"));
    }

    /// A curve of a million steps becomes a few thousand at most.
    #[test]
    fn curves_are_thinned_to_what_can_be_seen() {
        let points =
            (1..=1_000_000).map(|k| Mark { x: f64::from(k), y: 1.0 / f64::from(k), ..Mark::default() }).collect();
        let line = Line { points, steps: true, ..Line::default() };
        let drawn =
            Figure { y: Axis { log: true, ..Axis::default() }, lines: vec![line], ..Figure::default() }.render();
        assert!(drawn.len() < 40_000, "{}", drawn.len());
    }
}
