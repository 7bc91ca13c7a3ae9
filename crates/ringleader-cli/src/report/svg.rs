//! Drawings as SVG.
//!
//! A writer of our own, since little is needed and it must be the same to the byte: no fonts are measured, no styles are
//! needed, and text and axes take the colour of the page.

use std::fmt::Write;

use crate::report::drawing::{Anchor, Colour, Drawing, FAINT, FONT, Part, Path, Segment, Text};

/// A document that stands alone and can also stand in a page.
pub(crate) fn write(drawing: &Drawing) -> String {
    let (w, h) = (drawing.width, drawing.height);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w:.0} {h:.0}\" width=\"{w:.0}\" height=\"{h:.0}\" \
         font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"{FONT}\" fill=\"currentColor\" \
         role=\"img\">\n<title>{}</title>\n",
        escape(&drawing.title)
    );
    for part in &drawing.parts {
        match part {
            Part::Path(path) => write_path(&mut out, path),
            Part::Text(text) => write_text(&mut out, text),
        }
    }
    out + "</svg>\n"
}

fn write_path(out: &mut String, path: &Path) {
    out.push_str("<path d=\"");
    for segment in &path.segments {
        let _ = match segment {
            Segment::Move(x, y) => write!(out, "M{x:.1} {y:.1}"),
            Segment::Line(x, y) => write!(out, "L{x:.1} {y:.1}"),
            Segment::Curve([a, b, c, d, x, y]) => write!(out, "C{a:.1} {b:.1} {c:.1} {d:.1} {x:.1} {y:.1}"),
            Segment::Close => write!(out, "Z"),
        };
    }
    let _ = write!(out, "\" fill=\"{}\"", path.fill.map_or("none".into(), colour));
    if let Some(stroke) = path.stroke {
        let _ = write!(out, " stroke=\"{}\" stroke-width=\"{}\"", colour(stroke), path.width);
    }
    if !path.dashes.is_empty() {
        let dashes: Vec<String> = path.dashes.iter().map(ToString::to_string).collect();
        let _ = write!(out, " stroke-dasharray=\"{}\"", dashes.join(" "));
    }
    if path.faint {
        let _ = write!(out, " opacity=\"{FAINT}\"");
    }
    out.push_str("/>\n");
}

fn write_text(out: &mut String, text: &Text) {
    let (x, y) = (text.x, text.y);
    let anchor = match text.anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let turn = if text.turned { format!(" transform=\"rotate(-90 {x:.1} {y:.1})\"") } else { String::new() };
    let weight = if text.bold { " font-weight=\"bold\"" } else { "" };
    let words = escape(&text.words);
    let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\"{weight}{turn}>{words}</text>");
}

fn colour(colour: Colour) -> String {
    colour.rgb().map_or("currentColor".into(), |[r, g, b]| format!("#{r:02X}{g:02X}{b:02X}"))
}

/// Text as it may stand in XML and HTML.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
