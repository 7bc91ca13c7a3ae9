//! The built-in protocols as files of the notation, which are tested to do the same.

macro_rules! texts {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../protocols/", $name, ".py")))),*]
    };
}

#[rustfmt::skip]
const TEXTS: &[(&str, &str)] = texts! {
    "aaf",
    "aaf-colouring",
    "aaf-orientation",
    "aaf-token",
    "elim",
    "fj",
    "pcl",
    "pcl-derandomised",
    "por",
    "ppl",
    "ppl-prime",
    "undirected",
    "undirected-derandomised",
    "ysm",
};

/// The text of a built-in protocol, if it has one.
#[must_use]
pub fn text_of(name: &str) -> Option<&'static str> {
    TEXTS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    fn every_file_is_the_text_of_a_protocol() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../protocols");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = files.filter_map(|name| Some(name.strip_suffix(".py")?.to_owned())).collect();
        names.sort();
        assert_eq!(names, TEXTS.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        assert!(names.iter().all(|name| crate::builtin().iter().any(|entry| entry.about().name == **name)));
    }
}
