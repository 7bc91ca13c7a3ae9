//! A drawing: paths and words on a plane, in pixels from the upper left. `svg` and `pdf` write it down, from the same numbers.

/// How many hues there are beside the ink.
pub(crate) const HUES: usize = COLOURS.len();
/// Colours of Okabe and Ito, which the colour-blind can tell apart.
const COLOURS: [[u8; 3]; 7] = [
    [0x00, 0x72, 0xB2],
    [0xD5, 0x5E, 0x00],
    [0x00, 0x9E, 0x73],
    [0xCC, 0x79, 0xA7],
    [0xE6, 0x9F, 0x00],
    [0x56, 0xB4, 0xE9],
    [0x7F, 0x7F, 0x7F],
];

#[derive(Clone, Debug, Default)]
pub(crate) struct Drawing {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// What it shows, for readers that cannot see it.
    pub(crate) title: String,
    pub(crate) parts: Vec<Part>,
}

#[derive(Clone, Debug)]
pub(crate) enum Part {
    Path(Path),
    Text(Text),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Colour {
    /// That of the text: black on paper.
    #[default]
    Ink,
    /// One of the [`HUES`].
    Hue(usize),
    /// That of the paper, between bars.
    Paper,
}

impl Colour {
    /// Red, green and blue; `None` for the ink.
    pub(crate) fn rgb(self) -> Option<[u8; 3]> {
        match self {
            Self::Ink => None,
            Self::Hue(k) => Some(COLOURS[k % HUES]),
            Self::Paper => Some([255; 3]),
        }
    }
}

/// Lines and curves, filled, stroked or both.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    pub(crate) segments: Vec<Segment>,
    pub(crate) fill: Option<Colour>,
    pub(crate) stroke: Option<Colour>,
    /// The width of the stroke.
    pub(crate) width: f64,
    /// Lengths of dashes and gaps, or none.
    pub(crate) dashes: &'static [f64],
    /// Whether what lies behind it stays visible: a grid or a band.
    pub(crate) faint: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Segment {
    Move(f64, f64),
    Line(f64, f64),
    /// A cubic curve: two control points and the end.
    Curve([f64; 6]),
    Close,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) anchor: Anchor,
    pub(crate) words: String,
    pub(crate) bold: bool,
    /// Read from below.
    pub(crate) turned: bool,
}

/// The size of text.
pub(crate) const FONT: f64 = 12.0;
/// How much of what is faint is seen.
pub(crate) const FAINT: f64 = 0.12;

impl Drawing {
    pub(crate) fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, words: &str) {
        let (bold, turned) = (false, false);
        self.parts.push(Part::Text(Text { x, y, anchor, words: words.to_owned(), bold, turned }));
    }

    pub(crate) fn path(&mut self, path: Path) {
        if !path.segments.is_empty() {
            self.parts.push(Part::Path(path));
        }
    }

    /// A straight line in the ink.
    pub(crate) fn rule(&mut self, [x1, y1, x2, y2]: [f64; 4], faint: bool) {
        let segments = vec![Segment::Move(x1, y1), Segment::Line(x2, y2)];
        self.path(Path { segments, stroke: Some(Colour::Ink), width: 1.0, faint, ..Path::default() });
    }
}

/// The segments that join these places.
pub(crate) fn joined(places: impl Iterator<Item = (f64, f64)>) -> Vec<Segment> {
    let segment = |(k, (x, y))| if k == 0 { Segment::Move(x, y) } else { Segment::Line(x, y) };
    places.enumerate().map(segment).collect()
}

/// The segments of a closed outline.
pub(crate) fn closed(places: impl IntoIterator<Item = (f64, f64)>) -> Vec<Segment> {
    joined(places.into_iter()).into_iter().chain([Segment::Close]).collect()
}

/// A circle, as four curves.
pub(crate) fn circle(x: f64, y: f64, r: f64) -> Vec<Segment> {
    // How far control points lie from the ends of a quarter.
    let c = r * 0.552_285;
    vec![
        Segment::Move(x - r, y),
        Segment::Curve([x - r, y - c, x - c, y - r, x, y - r]),
        Segment::Curve([x + c, y - r, x + r, y - c, x + r, y]),
        Segment::Curve([x + r, y + c, x + c, y + r, x, y + r]),
        Segment::Curve([x - c, y + r, x - r, y + c, x - r, y]),
        Segment::Close,
    ]
}
