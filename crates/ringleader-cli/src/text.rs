//! Text for people: numbers with separators, tables, and colours that vanish when nobody sees them.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

fn styled(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// A heading, or what matters most in a line.
pub(crate) fn strong(text: impl Display) -> String {
    styled(Style::new().bold(), text)
}

/// What can be passed over.
pub(crate) fn faint(text: impl Display) -> String {
    styled(Style::new().dimmed(), text)
}

/// Good news.
pub(crate) fn good(text: impl Display) -> String {
    styled(AnsiColor::Green.on_default().bold(), text)
}

/// Bad news.
pub(crate) fn alarm(text: impl Display) -> String {
    styled(AnsiColor::Red.on_default().bold(), text)
}

/// An integer with a comma every three digits.
pub(crate) fn commas(number: impl Display) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A ratio with four significant digits or more.
pub(crate) fn ratio(value: f64) -> String {
    let decimals = if value >= 1000.0 {
        0
    } else if value >= 100.0 {
        1
    } else if value >= 10.0 {
        2
    } else {
        3
    };
    commas_in_front(&format!("{value:.decimals$}"))
}

/// A large number in a word or two, for what is only roughly known.
pub(crate) fn short(value: f64) -> String {
    let units = [(1e15, ""), (1e12, " trillion"), (1e9, " billion"), (1e6, " million"), (0.0, "")];
    let (unit, name) = units.into_iter().find(|(unit, _)| value >= *unit).unwrap_or((0.0, ""));
    match unit {
        1e15 => format!("{value:.1e}"),
        0.0 if value >= 10.0 => commas(value.round()),
        0.0 => ratio(value),
        unit => format!("{:.1}{name}", value / unit),
    }
}

/// So many seconds, roughly.
pub(crate) fn duration(seconds: f64) -> String {
    let units = [(365.25 * 86_400.0, "years"), (86_400.0, "days"), (3600.0, "h"), (60.0, "min"), (0.0, "s")];
    let (unit, name) = units.into_iter().find(|(unit, _)| seconds >= 2.0 * unit).unwrap_or((0.0, "s"));
    let value = if unit > 0.0 { seconds / unit } else { seconds };
    if value >= 1e6 {
        return "millions of years".into();
    }
    let decimals = usize::from(unit > 60.0 && value < 10.0);
    format!("{} {name}", commas_in_front(&format!("{value:.decimals$}")))
}

/// Commas between the thousands of what stands in front of the point.
pub(crate) fn commas_in_front(text: &str) -> String {
    match text.split_once('.') {
        Some((whole, rest)) => format!("{}.{rest}", commas(whole)),
        None => commas(text),
    }
}

/// An argument as a shell takes it, for commands that are meant to be copied.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,+:@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Rows as text in columns, the first to the left and the others to the right.
pub(crate) fn columns(rows: &[Vec<String>]) -> Vec<String> {
    let width = |k: usize| rows.iter().filter_map(|row| row.get(k)).map(|cell| cell.chars().count()).max().unwrap_or(0);
    let cell = |(k, text): (usize, &String)| {
        if k == 0 { format!("{text:<0$}", width(k)) } else { format!("{text:>0$}", width(k)) }
    };
    rows.iter().map(|row| row.iter().enumerate().map(cell).collect::<Vec<_>>().join("  ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(["0", "999", "1000", "1234567"].map(commas), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([0.1234, 12.345, 1234.5].map(ratio), ["0.123", "12.35", "1,234"]);
        let large = [2.5, 1234.4, 999_999.0, 5.34e8, 3.41e13, 2e20];
        assert_eq!(large.map(short), ["2.500", "1,234", "999,999", "534.0 million", "34.1 trillion", "2.0e20"]);
        let times = [0.2, 100.0, 150.0, 7500.0, 690_000.0, 1e9, 1e20];
        assert_eq!(
            times.map(duration),
            ["0 s", "100 s", "2 min", "2.1 h", "8.0 days", "32 years", "millions of years"]
        );
    }
}
