//! The files of the page, which are part of the binary.

/// Embeds files of `ui/`.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../ui/", $name)))),*]
    };
}

#[rustfmt::skip]
const FILES: &[(&str, &str)] = files! {
    "actions.js", "address.js", "adversary.js", "band.js", "board.js", "charts.js", "dom.js", "domain.js", "draft.js",
    "editor.js", "favicon.svg", "files.js", "geometry.js", "glyphs.js", "index.html", "inspector.js", "keys.js",
    "layers.js", "lessons.js", "link.js", "listing.js", "main.js", "marks-ppl.js", "marks-ring.js",
    "marks-undirected.js", "marks.js", "messages.js", "palette.js", "pen.js", "player.js", "plot.js", "pointer.js",
    "requests.js", "scenes.js", "session.js", "sets.js", "setup.js", "spacetime.js", "stage.js", "store.js",
    "style.css", "syntax.js", "template.js", "texts.js", "theme.js", "tracks.js", "transport.js",
};

/// Kind and text of the file at a path.
pub(crate) fn file(path: &str) -> Option<(&'static str, &'static str)> {
    let name = if path == "/" { "index.html" } else { path.strip_prefix('/')? };
    let text = FILES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)?;
    let kind = match name.rsplit('.').next()? {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        _ => "text/javascript; charset=utf-8",
    };
    Some((kind, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_page_is_embedded() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/ui");
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        // Declarations of types and their settings are for the checker only.
        let mut served: Vec<String> =
            names.filter(|name| !name.ends_with(".d.ts") && !name.ends_with(".json")).collect();
        served.sort();
        assert_eq!(served, FILES.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    }
}
