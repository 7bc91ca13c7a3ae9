//! Figures: data on axes, and how they are drawn. Shapes and dashes tell lines apart in print, colours on a screen.

use crate::report::drawing::{Anchor, Colour, Drawing, HUES, Part, Path, Segment, Text, circle, closed, joined};

/// How many lines of a figure are told apart by colour alone: the hues, and the ink.
pub(crate) const MOST_LINES: usize = HUES + 1;

/// The frame of the data, in pixels: left, width, height.
const FRAME: [f64; 3] = [72.0, 520.0, 320.0];
/// Above the frame, without titles.
const ABOVE: f64 = 14.0;
/// Below the frame: ticks and the label of the axis.
const BELOW: f64 = 50.0;
/// The height of a line of text.
const LINE: f64 = 18.0;
/// The width of a character, roughly and rather too much.
const CHARACTER: f64 = 6.9;
/// Points of a curve that are nearer than this cannot be told apart.
const NEAR: f64 = 0.6;

/// A figure.
#[derive(Clone, Debug, Default)]
pub(crate) struct Figure {
    /// What kind of figure it is, which is how its name begins.
    pub(crate) kind: &'static str,
    /// The name of its file, without ending.
    pub(crate) name: String,
    /// Whose data these are.
    pub(crate) title: String,
    /// What is drawn.
    pub(crate) caption: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) lines: Vec<Line>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Axis {
    /// In plain text, such as `steps / (n^2 log2 n)`.
    pub(crate) label: String,
    pub(crate) log: bool,
    /// Where ticks should be and what they say, if that is known better than by looking at the range.
    pub(crate) ticks: Vec<(f64, String)>,
}

#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) label: String,
    pub(crate) data: Data,
}

#[derive(Clone, Debug)]
pub(crate) enum Data {
    /// Marks that are joined.
    Marks(Vec<Mark>),
    /// A curve of steps, and points on it that deserve a mark.
    Curve(Vec<(f64, f64)>, Vec<(f64, f64)>),
    /// Bars, side by side or on those of the lines before.
    Bars(Vec<Bar>),
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

/// From and to, along both axes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bar {
    pub(crate) x: (f64, f64),
    pub(crate) y: (f64, f64),
}

impl Line {
    pub(crate) fn marks(label: impl Into<String>, points: Vec<Mark>) -> Self {
        Self { label: label.into(), data: Data::Marks(points) }
    }

    pub(crate) fn is_empty(&self) -> bool {
        match &self.data {
            Data::Marks(marks) => marks.is_empty(),
            Data::Curve(points, _) => points.is_empty(),
            Data::Bars(bars) => bars.is_empty(),
        }
    }

    /// Every place that must be inside the frame.
    fn places(&self) -> Vec<(f64, f64)> {
        let ends = |pair: Option<(f64, f64)>| pair.map(|(from, to)| [from, to]).into_iter().flatten();
        let of_mark = |mark: &Mark| {
            let ys = [mark.y].into_iter().chain(ends(mark.interval)).chain(ends(mark.band));
            let x = mark.x;
            ys.map(move |y| (x, y)).collect::<Vec<_>>()
        };
        match &self.data {
            Data::Marks(marks) => marks.iter().flat_map(of_mark).collect(),
            Data::Curve(points, _) => points.clone(),
            Data::Bars(bars) => bars.iter().flat_map(|bar| [(bar.x.0, bar.y.0), (bar.x.1, bar.y.1)]).collect(),
        }
    }
}

impl Figure {
    pub(crate) fn has_points(&self) -> bool {
        self.lines.iter().any(|line| !line.is_empty())
    }

    fn frame(&self, top: f64) -> Option<Frame> {
        let places: Vec<(f64, f64)> = self.lines.iter().flat_map(Line::places).collect();
        let x = Span::new(&self.x, places.iter().map(|place| place.0))?;
        let y = Span::new(&self.y, places.iter().map(|place| place.1))?;
        Some(Frame { x, y, top })
    }

    /// Where the ticks of both axes are.
    pub(crate) fn ticks(&self) -> [Vec<f64>; 2] {
        let places = |span: &Span, axis: &Axis| span.ticks(axis).into_iter().map(|(at, _)| at).collect();
        self.frame(0.0).map_or_else(Default::default, |frame| [places(&frame.x, &self.x), places(&frame.y, &self.y)])
    }

    /// Whether the vertical axis begins at 0.
    pub(crate) fn starts_at_0(&self) -> bool {
        self.frame(0.0).is_some_and(|frame| !frame.y.log && frame.y.from == 0.0)
    }

    /// Leaves out points of curves that cannot be told apart, so that a million trials are a small file.
    pub(crate) fn thinned(mut self) -> Self {
        let Some(frame) = self.frame(0.0) else { return self };
        for line in &mut self.lines {
            if let Data::Curve(points, _) = &mut line.data {
                *points = frame.thinned(points);
            }
        }
        self
    }

    /// The figure as a drawing, with its title above it or without.
    pub(crate) fn draw(&self, titled: bool) -> Drawing {
        let [left, width, height] = FRAME;
        let whole = left + width + 16.0 + self.legend_width();
        let titles = if titled { self.titles(whole) } else { Vec::new() };
        let top = ABOVE + LINE * titles.len() as f64;
        let mut out =
            Drawing { width: whole, height: top + height + BELOW, title: self.description(), ..Drawing::default() };
        for (k, (bold, words)) in titles.into_iter().enumerate() {
            let (x, y) = (8.0, ABOVE + LINE * k as f64 + 2.0);
            out.parts.push(Part::Text(Text { x, y, anchor: Anchor::Start, words, bold, turned: false }));
        }
        match self.frame(top) {
            Some(frame) => self.draw_in(&mut out, &frame),
            None => out.text((left + width / 2.0, top + height / 2.0), Anchor::Middle, "nothing to show"),
        }
        out
    }

    /// The title and the caption as lines that are not too wide; those of the title are bold.
    fn titles(&self, width: f64) -> Vec<(bool, String)> {
        let most = ((width - 16.0) / CHARACTER) as usize;
        let lines = |bold: bool, text: &str| wrapped(&pretty(text), most).into_iter().map(move |line| (bold, line));
        lines(true, &self.title).chain(lines(false, &self.caption)).collect()
    }

    /// The title and the caption in a sentence.
    pub(crate) fn description(&self) -> String {
        pretty(&format!("{}: {}", self.title, self.caption))
    }

    fn legend_width(&self) -> f64 {
        let longest = self.lines.iter().map(|line| line.label.chars().count()).max().unwrap_or(0);
        if longest == 0 { 0.0 } else { longest as f64 * CHARACTER + 44.0 }
    }

    fn draw_in(&self, out: &mut Drawing, frame: &Frame) {
        self.axes(out, frame);
        for (k, line) in self.lines.iter().enumerate() {
            match &line.data {
                Data::Marks(marks) => draw_marks(out, frame, marks, k),
                Data::Curve(points, special) => draw_curve(out, frame, points, special, k),
                Data::Bars(bars) => draw_bars(out, frame, bars, k),
            }
        }
        self.legend(out, frame.top);
    }

    fn axes(&self, out: &mut Drawing, frame: &Frame) {
        let [left, width, height] = FRAME;
        let top = frame.top;
        let (right, bottom) = (left + width, top + height);
        let (mut free, mut last) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        for (value, label) in frame.x.ticks(&self.x) {
            let at = frame.x(value);
            let half = label.chars().count() as f64 * CHARACTER / 2.0;
            if at - last < 8.0 {
                continue;
            }
            last = at;
            out.rule([at, top, at, bottom], true);
            out.rule([at, bottom, at, bottom + 4.0], false);
            if at - half > free {
                out.text((at, bottom + 18.0), Anchor::Middle, &label);
                free = at + half + 4.0;
            }
        }
        for (value, label) in frame.y.ticks(&self.y) {
            let at = frame.y(value);
            out.rule([left, at, right, at], true);
            out.rule([left - 4.0, at, left, at], false);
            out.text((left - 7.0, at + 4.0), Anchor::End, &label);
        }
        let segments = closed([(left, top), (right, top), (right, bottom), (left, bottom)]);
        out.path(Path { segments, stroke: Some(Colour::Ink), width: 1.0, ..Path::default() });
        out.text((left + width / 2.0, bottom + 40.0), Anchor::Middle, &pretty(&self.x.label));
        let (x, y, words) = (16.0, top + height / 2.0, pretty(&self.y.label));
        out.parts.push(Part::Text(Text { x, y, anchor: Anchor::Middle, words, bold: false, turned: true }));
    }

    /// In the order of the lines; where bars stand on others, in theirs, from above.
    fn legend(&self, out: &mut Drawing, top: f64) {
        let x = FRAME[0] + FRAME[1] + 14.0;
        let lines: Vec<(usize, &Line)> =
            self.lines.iter().enumerate().filter(|(_, line)| !line.label.is_empty()).collect();
        for (place, &(k, line)) in lines.iter().enumerate() {
            let bars = matches!(line.data, Data::Bars(_));
            let row = if bars { lines.len() - 1 - place } else { place };
            let y = top + 10.0 + LINE * row as f64;
            match &line.data {
                Data::Bars(_) => {
                    let segments =
                        closed([(x + 4.0, y - 6.0), (x + 20.0, y - 6.0), (x + 20.0, y + 6.0), (x + 4.0, y + 6.0)]);
                    out.path(Path { segments, fill: Some(colour(k)), ..Path::default() });
                }
                data => {
                    stroke(out, vec![Segment::Move(x, y), Segment::Line(x + 24.0, y)], k, 1.6);
                    if matches!(data, Data::Marks(_)) {
                        shape(out, x + 12.0, y, k, false);
                    }
                }
            }
            out.text((x + 30.0, y + 4.0), Anchor::Start, &line.label);
        }
    }
}

// --- Data -----------------------------------------------------------------------------------------------------

fn draw_marks(out: &mut Drawing, frame: &Frame, marks: &[Mark], k: usize) {
    let marks: Vec<&Mark> = marks.iter().filter(|mark| frame.holds(mark.x, mark.y)).collect();
    draw_band(out, frame, &marks, k);
    stroke(out, joined(marks.iter().map(|mark| (frame.x(mark.x), frame.y(mark.y)))), k, 1.6);
    for mark in &marks {
        let (x, y) = (frame.x(mark.x), frame.y(mark.y));
        if let Some((from, to)) = mark.interval {
            let (from, to) = (frame.y(from), frame.y(to));
            thin(out, &[[x, from, x, to], [x - 3.0, from, x + 3.0, from], [x - 3.0, to, x + 3.0, to]], k);
        }
        if mark.open {
            let tip = y - 16.0;
            thin(out, &[[x, y - 4.0, x, tip], [x - 3.0, tip + 4.0, x, tip], [x, tip, x + 3.0, tip + 4.0]], k);
        }
        shape(out, x, y, k, mark.open);
    }
}

fn draw_band(out: &mut Drawing, frame: &Frame, marks: &[&Mark], k: usize) {
    let end = |mark: &&Mark, part: fn((f64, f64)) -> f64| Some((frame.x(mark.x), frame.y(part(mark.band?))));
    let upper = marks.iter().filter_map(|mark| end(mark, |band| band.1));
    let lower = marks.iter().rev().filter_map(|mark| end(mark, |band| band.0));
    let outline: Vec<(f64, f64)> = upper.chain(lower).collect();
    if outline.len() > 2 {
        out.path(Path { segments: closed(outline), fill: Some(colour(k)), faint: true, ..Path::default() });
    }
}

fn draw_curve(out: &mut Drawing, frame: &Frame, points: &[(f64, f64)], special: &[(f64, f64)], k: usize) {
    let mut places =
        points.iter().filter(|place| frame.holds(place.0, place.1)).map(|&(x, y)| (frame.x(x), frame.y(y)));
    let Some(first) = places.next() else { return };
    let (mut curve, mut height) = (vec![Segment::Move(first.0, first.1)], first.1);
    for (x, y) in places {
        curve.extend([Segment::Line(x, height), Segment::Line(x, y)]);
        height = y;
    }
    stroke(out, curve, k, 1.4);
    for &(x, y) in special.iter().filter(|place| frame.holds(place.0, place.1)) {
        shape(out, frame.x(x), frame.y(y), k, false);
    }
}

fn draw_bars(out: &mut Drawing, frame: &Frame, bars: &[Bar], k: usize) {
    for bar in bars.iter().filter(|bar| bar.y.1 > bar.y.0) {
        let (left, right) = (frame.x(bar.x.0), frame.x(bar.x.1));
        let (low, high) = (frame.y(bar.y.0), frame.y(bar.y.1));
        let segments = closed([(left, low), (left, high), (right, high), (right, low)]);
        let (fill, stroke) = (Some(colour(k)), Some(Colour::Paper));
        out.path(Path { segments, fill, stroke, width: 0.6, ..Path::default() });
    }
}

/// The hues, then the ink.
pub(crate) fn colour(k: usize) -> Colour {
    if k % MOST_LINES < HUES { Colour::Hue(k % MOST_LINES) } else { Colour::Ink }
}

fn stroke(out: &mut Drawing, segments: Vec<Segment>, k: usize, width: f64) {
    out.path(Path { segments, stroke: Some(colour(k)), width, dashes: dashes(k), ..Path::default() });
}

/// Straight lines: bars and arrows.
fn thin(out: &mut Drawing, lines: &[[f64; 4]], k: usize) {
    let segments = lines.iter().flat_map(|&[x1, y1, x2, y2]| [Segment::Move(x1, y1), Segment::Line(x2, y2)]).collect();
    out.path(Path { segments, stroke: Some(colour(k)), width: 1.1, ..Path::default() });
}

fn dashes(k: usize) -> &'static [f64] {
    match (k / 2) % 4 {
        0 => &[],
        1 => &[7.0, 3.0],
        2 => &[2.0, 2.0],
        _ => &[9.0, 3.0, 2.0, 3.0],
    }
}

fn shape(out: &mut Drawing, x: f64, y: f64, k: usize, open: bool) {
    let segments = match k % 4 {
        0 => circle(x, y, 3.6),
        1 => closed([(x - 3.2, y - 3.2), (x + 3.2, y - 3.2), (x + 3.2, y + 3.2), (x - 3.2, y + 3.2)]),
        2 => closed([(x, y - 4.6), (x + 4.2, y + 2.8), (x - 4.2, y + 2.8)]),
        _ => closed([(x, y - 4.4), (x + 4.4, y), (x, y + 4.4), (x - 4.4, y)]),
    };
    let (fill, stroke) = if open { (Colour::Paper, Some(colour(k))) } else { (colour(k), None) };
    out.path(Path { segments, fill: Some(fill), stroke, width: 1.4, ..Path::default() });
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

    fn ticks(&self, axis: &Axis) -> Vec<(f64, String)> {
        let (from, to) = if self.log { (self.from.exp(), self.to.exp()) } else { (self.from, self.to) };
        let labelled = |ticks: Vec<f64>| ticks.into_iter().map(|tick| (tick, number(tick))).collect();
        let ticks: Vec<(f64, String)> = if !axis.ticks.is_empty() {
            axis.ticks.clone()
        } else if self.log && to / from > 8.0 {
            labelled(log_ticks(from, to))
        } else {
            labelled(even_ticks(from, to))
        };
        ticks.into_iter().filter(|(tick, _)| self.holds(*tick)).collect()
    }
}

struct Frame {
    x: Span,
    y: Span,
    top: f64,
}

impl Frame {
    fn x(&self, value: f64) -> f64 {
        FRAME[0] + FRAME[1] * self.x.part(value).clamp(0.0, 1.0)
    }

    /// Cut at the edges, for bars that end at 0 or nowhere.
    fn y(&self, value: f64) -> f64 {
        let part = self.y.part(value);
        let part = if part.is_nan() { 0.0 } else { part.clamp(0.0, 1.0) };
        self.top + FRAME[2] * (1.0 - part)
    }

    fn holds(&self, x: f64, y: f64) -> bool {
        self.x.holds(x) && self.y.holds(y)
    }

    /// The points that can be told from the one before, and the last.
    fn thinned(&self, points: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let mut kept: Vec<(f64, f64)> = Vec::new();
        let mut last = (f64::INFINITY, f64::INFINITY);
        for (k, &(x, y)) in points.iter().enumerate().filter(|(_, place)| self.holds(place.0, place.1)) {
            let place = (self.x(x), self.y(y));
            if (place.0 - last.0).abs() >= NEAR || (place.1 - last.1).abs() >= NEAR || k + 1 == points.len() {
                kept.push((x, y));
                last = place;
            }
        }
        kept
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
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|step| *step >= 0.75 * rough);
    let step = step.unwrap_or(rough);
    let (first, last) = ((from / step).ceil() as i64, (to / step).floor() as i64);
    (first..=last).take(20).map(|k| k as f64 * step).collect()
}

// --- Text -----------------------------------------------------------------------------------------------------

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

/// Plain text with raised exponents: n² log₂ n.
pub(crate) fn pretty(text: &str) -> String {
    text.replace("^2", "²").replace("^3", "³").replace("log2 ", "log₂ ")
}

/// Lines of at most so many characters, broken at spaces.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{pdf, svg};

    #[test]
    fn numbers_on_axes_are_short() {
        let values = [0.0, 0.25, 1.0, 500.0, 1000.0, 2.5e9, 1e-7, 9.999_9e12];
        assert_eq!(values.map(number), ["0", "0.25", "1", "500", "10³", "2.5×10⁹", "10⁻⁷", "10¹³"]);
    }

    #[test]
    fn ticks_are_few_and_inside() {
        assert_eq!(even_ticks(0.0, 1.0), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(log_ticks(1.0, 100.0), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0]);
        assert!(log_ticks(1.0, 1e40).len() < 12);
        let axis = Axis { log: true, ..Axis::default() };
        let span = Span::new(&axis, [3.0, 300.0].into_iter()).unwrap();
        assert_eq!(span.ticks(&axis).first(), Some(&(5.0, "5".to_owned())));
    }

    #[test]
    fn odd_figures_are_still_documents() {
        let mark = |y: f64| Mark { x: 8.0, y, interval: Some((0.0, f64::INFINITY)), open: true, ..Mark::default() };
        for y in [0.0, 5.0, -3.0, f64::NAN, f64::INFINITY] {
            let bar = Bar { x: (0.0, 1.0), y: (0.0, y) };
            for data in [Data::Marks(vec![mark(y)]), Data::Curve(vec![(8.0, y)], vec![(y, y)]), Data::Bars(vec![bar])] {
                for log in [false, true] {
                    let line = Line { label: "a<b".into(), data: data.clone() };
                    let axis = Axis { log, ..Axis::default() };
                    let figure = Figure { y: axis, lines: vec![line], ..Figure::default() }.thinned();
                    let drawn = svg::write(&figure.draw(true));
                    assert!(drawn.starts_with("<svg") && drawn.ends_with("</svg>\n"), "{drawn}");
                    assert!(!drawn.contains("NaN") && !drawn.contains("inf") && !drawn.contains("a<b"), "{drawn}");
                    let page = pdf::write(&figure.draw(false));
                    let page = String::from_utf8_lossy(&page);
                    assert!(!page.contains("NaN") && !page.contains("inf "), "{page}");
                }
            }
        }
        assert!(svg::write(&Figure::default().draw(true)).contains("nothing to show"));
    }

    /// A curve of a million steps becomes a few thousand at most.
    #[test]
    fn curves_are_thinned_to_what_can_be_seen() {
        let points = (1..=1_000_000).map(|k| (f64::from(k), 1.0 / f64::from(k))).collect();
        let line = Line { label: String::new(), data: Data::Curve(points, Vec::new()) };
        let figure =
            Figure { y: Axis { log: true, ..Axis::default() }, lines: vec![line], ..Figure::default() }.thinned();
        let Data::Curve(points, _) = &figure.lines[0].data else { panic!("a curve stays one") };
        assert_eq!(points.last(), Some(&(1e6, 1e-6)));
        let drawn = svg::write(&figure.draw(false));
        assert!(drawn.len() < 60_000, "{}", drawn.len());
    }

    #[test]
    fn titles_are_broken_at_spaces() {
        assert_eq!(wrapped("steps of ppl against n", 9), ["steps of", "ppl", "against n"]);
        assert_eq!(wrapped("unbreakable", 3), ["unbreakable"]);
        assert_eq!(pretty("steps / (n^2 log2 n)"), "steps / (n² log₂ n)");
    }
}
