//! Drawings as PDF, for papers.
//!
//! Text is in Helvetica, which every reader of PDF has, so that no font is part of the file. Its encoding has no digits that are
//! raised or lowered but a few, so they are set as small ones. Nothing but the drawing decides the bytes: no dates, no names.

use pdf_writer::types::LineJoinStyle;
use pdf_writer::{Content, Finish, Name, Pdf, Rect, Ref, Str, TextStr};

use crate::report::drawing::{Anchor, Colour, Drawing, FAINT, FONT, Part, Path, Segment, Text};

/// Points in a pixel: text of 12 pixels is 9 points high.
const POINTS: f32 = 0.75;
const PLAIN: Name<'static> = Name(b"F");
const BOLD: Name<'static> = Name(b"B");
const SOLID_STATE: Name<'static> = Name(b"S");
const FAINT_STATE: Name<'static> = Name(b"T");

/// A document of one page, as large as the drawing.
pub(crate) fn write(drawing: &Drawing) -> Vec<u8> {
    let [catalog, pages, page, content, plain, bold, solid, faint, info] = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(Ref::new);
    let (w, h) = (drawing.width as f32 * POINTS, drawing.height as f32 * POINTS);
    let mut pdf = Pdf::new();
    pdf.catalog(catalog).pages(pages);
    pdf.document_info(info).title(TextStr(&drawing.title));
    pdf.pages(pages).kids([page]).count(1);
    let mut one = pdf.page(page);
    one.media_box(Rect::new(0.0, 0.0, w, h)).parent(pages).contents(content);
    let mut resources = one.resources();
    resources.fonts().pair(PLAIN, plain).pair(BOLD, bold);
    resources.ext_g_states().pair(SOLID_STATE, solid).pair(FAINT_STATE, faint);
    resources.finish();
    one.finish();
    for (id, name) in [(plain, "Helvetica"), (bold, "Helvetica-Bold")] {
        pdf.type1_font(id).base_font(Name(name.as_bytes())).encoding_predefined(Name(b"WinAnsiEncoding"));
    }
    for (id, alpha) in [(solid, 1.0), (faint, FAINT as f32)] {
        pdf.ext_graphics(id).stroking_alpha(alpha).non_stroking_alpha(alpha);
    }
    pdf.stream(content, &parts(drawing, h));
    pdf.finish()
}

/// The drawing in pixels from the upper left, which the first line turns into points from the lower left.
fn parts(drawing: &Drawing, height: f32) -> Vec<u8> {
    let mut out = Content::new();
    out.transform([POINTS, 0.0, 0.0, -POINTS, 0.0, height]).set_line_join(LineJoinStyle::RoundJoin);
    for part in &drawing.parts {
        match part {
            Part::Path(path) => write_path(&mut out, path),
            Part::Text(text) => write_text(&mut out, text),
        }
    }
    out.finish().into_vec()
}

/// Tenths of a pixel, as in SVG.
fn tenths(value: f64) -> f32 {
    ((value * 10.0).round() / 10.0) as f32
}

fn write_path(out: &mut Content, path: &Path) {
    out.set_parameters(if path.faint { FAINT_STATE } else { SOLID_STATE });
    out.set_line_width(path.width as f32).set_dash_pattern(path.dashes.iter().map(|dash| *dash as f32), 0.0);
    if let Some([r, g, b]) = path.stroke.map(rgb) {
        out.set_stroke_rgb(r, g, b);
    }
    if let Some([r, g, b]) = path.fill.map(rgb) {
        out.set_fill_rgb(r, g, b);
    }
    for segment in &path.segments {
        match *segment {
            Segment::Move(x, y) => out.move_to(tenths(x), tenths(y)),
            Segment::Line(x, y) => out.line_to(tenths(x), tenths(y)),
            Segment::Curve(places) => {
                let [a, b, c, d, x, y] = places.map(tenths);
                out.cubic_to(a, b, c, d, x, y)
            }
            Segment::Close => out.close_path(),
        };
    }
    match (path.fill, path.stroke) {
        (Some(_), Some(_)) => out.fill_nonzero_and_stroke(),
        (Some(_), None) => out.fill_nonzero(),
        (None, Some(_)) => out.stroke(),
        (None, None) => out.end_path(),
    };
}

fn rgb(colour: Colour) -> [f32; 3] {
    colour.rgb().unwrap_or([0; 3]).map(|part| f32::from(part) / 255.0)
}

fn write_text(out: &mut Content, text: &Text) {
    let runs = runs(&text.words);
    let length: f32 = runs.iter().map(Run::width).sum();
    let back = match text.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => length / 2.0,
        Anchor::End => length,
    };
    let (x, y) = (tenths(text.x), tenths(text.y));
    // Pixels count downwards, so what is upright here is mirrored twice.
    let matrix = if text.turned { [0.0, -1.0, -1.0, 0.0, x, y + back] } else { [1.0, 0.0, 0.0, -1.0, x - back, y] };
    out.set_parameters(SOLID_STATE).set_fill_rgb(0.0, 0.0, 0.0).begin_text().set_text_matrix(matrix);
    for run in &runs {
        out.set_font(if text.bold { BOLD } else { PLAIN }, run.size()).set_rise(run.rise()).show(Str(&run.bytes));
    }
    out.end_text();
}

/// Text at one height.
struct Run {
    place: Place,
    /// In WinAnsi encoding.
    bytes: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Line,
    Raised,
    Lowered,
}

impl Run {
    fn size(&self) -> f32 {
        FONT as f32 * if self.place == Place::Line { 1.0 } else { 0.7 }
    }

    fn rise(&self) -> f32 {
        match self.place {
            Place::Line => 0.0,
            Place::Raised => 0.35 * FONT as f32,
            Place::Lowered => -0.15 * FONT as f32,
        }
    }

    fn width(&self) -> f32 {
        let units: u32 = self.bytes.iter().map(|&byte| u32::from(width(byte))).sum();
        units as f32 / 1000.0 * self.size()
    }
}

fn runs(words: &str) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for c in words.chars() {
        let (place, byte) = placed(c);
        match runs.last_mut() {
            Some(run) if run.place == place => run.bytes.push(byte),
            _ => runs.push(Run { place, bytes: vec![byte] }),
        }
    }
    runs
}

/// Where a character stands, and its byte; what the encoding lacks becomes a question mark.
fn placed(c: char) -> (Place, u8) {
    let digit = |from: char| u8::try_from(u32::from(c).wrapping_sub(u32::from(from))).ok().filter(|digit| *digit < 10);
    match c {
        '¹' => (Place::Raised, b'1'),
        '²' => (Place::Raised, b'2'),
        '³' => (Place::Raised, b'3'),
        '⁻' => (Place::Raised, b'-'),
        ' '..='~' | '\u{a1}'..='\u{ff}' => (Place::Line, c as u32 as u8),
        _ => match (digit('⁰'), digit('₀')) {
            (Some(digit), _) => (Place::Raised, b'0' + digit),
            (_, Some(digit)) => (Place::Lowered, b'0' + digit),
            _ => (Place::Line, b'?'),
        },
    }
}

/// The width of a character of Helvetica, in thousandths of its size, as Adobe's metrics have it.
fn width(byte: u8) -> u16 {
    const FROM_SPACE: [u16; 95] = [
        278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, // space to /
        556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, // 0 to ?
        1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, // @ to O
        667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, // P to _
        333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, // ` to o
        556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584, // p to ~
    ];
    byte.checked_sub(b' ').and_then(|k| FROM_SPACE.get(usize::from(k))).copied().unwrap_or(584)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raised_and_lowered_digits_are_small_ones() {
        let shown: Vec<(Vec<u8>, f32)> =
            runs("n² log₂ n 10⁻¹²ψ").into_iter().map(|run| (run.bytes.clone(), run.rise())).collect();
        let texts: Vec<&[u8]> = shown.iter().map(|(bytes, _)| bytes.as_slice()).collect();
        assert_eq!(texts, [&b"n"[..], b"2", b" log", b"2", b" n 10", b"-12", b"?"]);
        assert!(shown[1].1 > 0.0 && shown[3].1 < 0.0 && shown[0].1 == 0.0);
    }

    /// From Adobe's metrics: H 722, e 556, l 222, l 222, o 556.
    #[test]
    fn widths_are_those_of_helvetica() {
        let width: f32 = runs("Hello").iter().map(Run::width).sum();
        assert!((width - 2.278 * 12.0).abs() < 1e-4, "{width}");
    }

    #[test]
    fn a_document_is_the_same_to_the_byte_and_says_nothing_of_when() {
        let mut drawing = Drawing { width: 40.0, height: 20.0, title: "steps (n²)".into(), ..Drawing::default() };
        drawing.text((3.0, 9.0), Anchor::Middle, "a(b\\c)");
        drawing.rule([0.0, 0.0, 5.0, 5.0], true);
        let bytes = write(&drawing);
        assert_eq!(bytes, write(&drawing));
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.starts_with("%PDF-") && text.trim_end().ends_with("%%EOF"), "{text}");
        assert!(!text.contains("Date") && text.contains("/MediaBox [0 0 30 15]"), "{text}");
        assert!(text.contains("(a\\(b\\\\c\\)) Tj") || text.contains("(a(b\\\\c)) Tj"), "{text}");
    }
}
