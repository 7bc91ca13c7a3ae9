//! Tables for a paper: LaTeX with booktabs. They have few columns unless all are asked for, so that they fit a page of `article`.
//!
//! Cells are the plain text of all tables; what is mathematics in them is set as such, and what is special to LaTeX is escaped.

use std::fmt::Write;

use crate::report::choice::once;
use crate::report::tables::{Column, Table};

/// A table with more lines than this is broken over pages.
const PAGE: usize = 40;
/// Names of series with more characters than this are broken into lines.
const LONG: usize = 55;

/// Which columns a table has.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Columns<'a> {
    /// Those that fit a page.
    Short,
    All,
    /// Those with these names, or the short table where there are none of them.
    Named(&'a [String]),
}

impl Columns<'_> {
    /// The places of the columns, and what stands above them; `first` is the place of the first that may be taken.
    fn of(self, header: &[Column], first: usize) -> Vec<(usize, &str)> {
        let places = || header.iter().enumerate().skip(first);
        let short =
            || places().map(|(k, column)| (k, column.short.as_str())).filter(|(_, name)| !name.is_empty()).collect();
        match self {
            Self::Short => short(),
            Self::All => {
                places().map(|(k, column)| (k, column.name.as_str())).filter(|(_, name)| !name.is_empty()).collect()
            }
            Self::Named(names) => {
                let named: Vec<(usize, &str)> = names.iter().filter_map(|name| find(header, name, first)).collect();
                if named.is_empty() { short() } else { named }
            }
        }
    }
}

/// The column of a name, which may be the one that it has in the short table.
fn find<'a>(header: &'a [Column], name: &str, first: usize) -> Option<(usize, &'a str)> {
    let by = |part: fn(&Column) -> &String| {
        let found = header.iter().enumerate().skip(first).find(|(_, column)| part(column) == name);
        found.map(|(k, column)| (k, part(column).as_str()))
    };
    by(|column| &column.name).or_else(|| by(|column| &column.short))
}

/// Rows of a series stand below its name.
fn grouped(table: &Table) -> bool {
    table.header.first().is_some_and(|column| column.name == "series")
}

/// What may be named as a column of one of these tables.
pub(crate) fn names<'a>(tables: impl Iterator<Item = &'a Table>) -> Vec<&'a str> {
    let of_table = |table: &'a Table| table.header.iter().skip(usize::from(grouped(table)));
    let names = tables.flat_map(of_table).flat_map(|column| [column.name.as_str(), column.short.as_str()]);
    once(names.filter(|name| !name.is_empty()))
}

/// The table with its caption and its label.
pub(crate) fn render(table: &Table, columns: Columns<'_>) -> String {
    let grouped = grouped(table);
    let whole = !matches!(columns, Columns::Short);
    let (columns, header): (Vec<usize>, Vec<String>) =
        columns.of(&table.header, usize::from(grouped)).into_iter().map(|(k, name)| (k, cell(name))).unzip();
    let mut lines: Vec<String> = Vec::new();
    let (mut group, mut above) = (None, None::<&String>);
    for row in &table.rows {
        if grouped && group.replace(&row[0]) != Some(&row[0]) {
            lines.extend((!lines.is_empty()).then(|| "\\addlinespace\n".into()));
            lines.push(heading(&row[0], columns.len()));
        }
        // A row that begins with nothing belongs to the one above.
        let apart = above.replace(&row[0]).is_some_and(String::is_empty) && !row[0].is_empty();
        lines.extend(apart.then(|| "\\addlinespace\n".into()));
        lines.push(line(columns.iter().map(|&k| cell(&row[k]))));
    }
    let sides: String = columns.iter().map(|&k| side(table.rows.iter().map(|row| row[k].as_str()))).collect();
    let caption = words(if whole || table.in_short.is_empty() { &table.caption } else { &table.in_short });
    let (header, label) = (line(header.into_iter()), &table.name);
    let form = "\\small\\setlength{\\tabcolsep}{4pt}";
    if lines.len() > PAGE {
        let head =
            format!("\\caption{{{caption}}}\\label{{tab:{label}}} \\\\\n\\toprule\n{header}\\midrule\n\\endhead\n");
        return format!(
            "% needs \\usepackage{{booktabs,longtable}}\n\\begingroup{form}\n\\begin{{longtable}}{{@{{}}{sides}@{{}}}}\n\
             {head}\\bottomrule\n\\endfoot\n{}\\end{{longtable}}\n\\endgroup\n",
            lines.concat()
        );
    }
    format!(
        "% needs \\usepackage{{booktabs}}\n\\begin{{table}}\n\\centering{form}\\setlength{{\\belowcaptionskip}}{{6pt}}\n\\caption{{{caption}}}\n\
         \\label{{tab:{label}}}\n\\begin{{tabular}}{{@{{}}{sides}@{{}}}}\n\\toprule\n{header}\\midrule\n{}\\bottomrule\n\
         \\end{{tabular}}\n\\end{{table}}\n",
        lines.concat()
    )
}

/// A line of cells. What begins with `[` or `*` would be read as an argument of the command in front of it.
fn line(cells: impl Iterator<Item = String>) -> String {
    let line = cells.collect::<Vec<_>>().join(" & ");
    let guard = if line.starts_with(['[', '*']) { "{}" } else { "" };
    format!("{guard}{line} \\\\\n")
}

fn heading(name: &str, columns: usize) -> String {
    let form = if name.chars().count() > LONG { "p{0.9\\linewidth}" } else { "l" };
    format!("\\multicolumn{{{columns}}}{{@{{}}{form}@{{}}}}{{\\emph{{{}}}}} \\\\\n", words(name))
}

/// Numbers stand to the right, words to the left.
fn side<'a>(mut cells: impl Iterator<Item = &'a str>) -> char {
    let number = |text: &str| text.is_empty() || text.starts_with(|c: char| c.is_ascii_digit() || "-<>[(".contains(c));
    if cells.all(number) { 'r' } else { 'l' }
}

/// A cell: a number with its error, a formula, or words.
fn cell(text: &str) -> String {
    if text == "-" {
        return "--".into();
    }
    let mathematics = with_error(text).or_else(|| formula(text));
    mathematics.map_or_else(|| words(text), |formula| format!("${formula}$"))
}

/// `1,234 +- 56` or `(1.234 +- 0.056)e6`.
fn with_error(text: &str) -> Option<String> {
    let (value, error) = text.split_once(" +- ")?;
    let (error, power) = error.split_once(")e").map_or((error, None), |(error, power)| (error, Some(power)));
    let number = |text: &str| text.replace(',', "{,}");
    error.replace(',', "").parse::<f64>().ok()?;
    Some(match power {
        Some(power) => format!("{} \\pm {error}) \\cdot 10^{{{power}}}", number(value)),
        None => format!("{} \\pm {}", number(value), number(error)),
    })
}

/// A symbol of a formula.
fn symbol(word: &str) -> Option<&'static str> {
    let known = [
        ("n", "n"),
        ("k", "k"),
        ("a", "a"),
        ("b", "b"),
        ("c", "c"),
        ("p", "p"),
        ("c1", "c_1"),
        ("O", "O"),
        ("psi", "\\psi"),
        ("kappa", "\\kappa"),
        ("Theta", "\\Theta"),
        ("Omega", "\\Omega"),
        ("log", "\\log"),
        ("log2", "\\log_2"),
        ("polylog", "\\mathrm{polylog}"),
    ];
    known.iter().find_map(|(name, symbol)| (*name == word).then_some(*symbol))
}

/// The text as a formula, if it is one from end to end, such as `O(n^2 log n)`.
fn formula(text: &str) -> Option<String> {
    let mut out = String::new();
    let (mut rest, mut symbols) = (text, 0);
    while let Some(c) = rest.chars().next() {
        let end = |rest: &str| rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let length = match c {
            'a'..='z' | 'A'..='Z' => {
                let word = &rest[..end(rest)];
                out.push_str(symbol(word)?);
                symbols += 1;
                word.len()
            }
            '^' if !out.ends_with('}') => {
                let raised = |c: char| c.is_ascii_alphanumeric() || c == '.';
                let power = &rest[1..][..rest[1..].find(|c| !raised(c)).unwrap_or(rest.len() - 1)];
                let power = power.trim_end_matches('.');
                let _ = write!(out, "^{{{}}}", Some(power).filter(|power| !power.is_empty())?);
                1 + power.len()
            }
            '<' | '>' if rest[1..].starts_with('=') => {
                out.push_str(if c == '<' { "\\le " } else { "\\ge " });
                2
            }
            '0'..='9' | '.' | '+' | '-' | '=' | '<' | '>' | '/' | '(' | ')' | ' ' | '?' => {
                out.push(c);
                1
            }
            _ => return None,
        };
        rest = &rest[length..];
    }
    (symbols > 0).then_some(out)
}

/// Text in which symbols, powers and numbers with an exponent become formulas.
pub(crate) fn words(text: &str) -> String {
    const AROUND: [char; 8] = [' ', '[', ',', ']', '(', ')', ':', ';'];
    let mut out = String::new();
    for word in text.split_inclusive(AROUND) {
        let bare = word.trim_end_matches(AROUND).trim_end_matches('.');
        out.push_str(&self::word(bare));
        out.push_str(&word[bare.len()..]);
    }
    // Formulas side by side are one, and a number and its % stay together.
    out.replace("$ $", " ").replace(" \\%", "~\\%")
}

fn word(word: &str) -> String {
    let power = word.split_once('e').filter(|(m, p)| m.parse::<f64>().is_ok() && p.parse::<i32>().is_ok());
    if let Some((mantissa, power)) = power {
        return format!("${mantissa}\\cdot 10^{{{power}}}$");
    }
    if let Some((set, name)) = word.split_once('_')
        && [set, name].iter().all(|part| part.chars().all(|c| c.is_ascii_uppercase()) && !part.is_empty())
    {
        return format!("${set}_{{\\mathrm{{{name}}}}}$");
    }
    let negative = word.starts_with('-') && word.parse::<f64>().is_ok();
    match (word, formula(word)) {
        ("a" | "O", _) => word.to_owned(), // words, in a text
        (_, Some(formula)) => format!("${formula}$"),
        ("-", None) => "$-$".into(),
        ("+-", None) => "$\\pm$".into(),
        ("<=", None) => "$\\le$".into(),
        (">=", None) => "$\\ge$".into(),
        (_, None) if negative => format!("${word}$"),
        (_, None) => escape(word),
    }
}

fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\textbackslash{}"),
            '^' => out.push_str("\\^{}"),
            '~' => out.push_str("\\~{}"),
            '<' => out.push_str("$<$"),
            '>' => out.push_str("$>$"),
            '|' => out.push_str("$|$"),
            '$' => out.push_str("\\textdollar{}"),
            '&' | '%' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            ' '..='~' | '\u{a1}'..='\u{17f}' => out.push(c),
            // Other scripts need packages of their own.
            _ => out.push('?'),
        }
    }
    out
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::path::{Path, PathBuf};

    use ringleader_records::analysis::analyse;
    use ringleader_records::series::load;

    use crate::report::figures::Style;
    use crate::report::page::sections;

    /// What LaTeX would stumble over, found without LaTeX.
    pub(crate) fn flaw(text: &str) -> Option<String> {
        let text: String = text.lines().filter(|line| !line.starts_with('%')).map(|line| format!("{line}\n")).collect();
        unbalanced(&text).or_else(|| raw(&text)).or_else(|| {
            let (columns, body) = body(&text)?;
            body.split("\\\\").find_map(|row| uneven(row, columns))
        })
    }

    fn unbalanced(text: &str) -> Option<String> {
        let mut open = Vec::new();
        for (place, _) in text.match_indices(['\\', '{', '}']).filter(|(k, _)| !text[..*k].ends_with('\\')) {
            let rest = &text[place..];
            let name = |command: &str| rest.strip_prefix(command)?.split_once('}').map(|(name, _)| name.to_owned());
            match (name("\\begin{"), name("\\end{")) {
                (Some(name), _) => open.push(name),
                (_, Some(name)) if open.last() == Some(&name) => _ = open.pop(),
                (_, Some(name)) => return Some(format!("{name} ends, open are {open:?}")),
                _ if rest.starts_with('{') => open.push("{".into()),
                _ if rest.starts_with('}') && open.pop().is_none_or(|last| last != "{") => return Some("a }".into()),
                _ => {}
            }
        }
        (!open.is_empty()).then(|| format!("open are {open:?}"))
    }

    /// What is special to LaTeX, outside formulas; and formulas that do not end.
    fn raw(text: &str) -> Option<String> {
        if text.contains("}^{") {
            return Some("a power of a power".into());
        }
        let (mut before, mut formula) = (' ', false);
        for c in text.chars() {
            match c {
                '$' if before != '\\' => formula = !formula,
                '<' | '>' | '|' | '_' | '^' | '%' | '#' if before != '\\' && !formula => {
                    return Some(format!("a raw {c}"));
                }
                '\n' if formula => return Some("a formula does not end".into()),
                _ => {}
            }
            // The second of two backslashes escapes nothing.
            before = if c == '\\' && before == '\\' { ' ' } else { c };
        }
        None
    }

    /// The number of columns, and the rows.
    fn body(text: &str) -> Option<(usize, &str)> {
        let (_, rest) = text.split_once("\\begin{tabular}").or_else(|| text.split_once("\\begin{longtable}"))?;
        let (sides, body) = rest.split_once('\n')?;
        let columns = sides.replace("@{}", "").chars().filter(|c| "lr".contains(*c)).count();
        let (body, _) = body.split_once("\\end{")?;
        Some((
            columns,
            body.split_once("\\label{").filter(|_| text.contains("longtable")).map_or(body, |(_, rows)| rows),
        ))
    }

    fn uneven(row: &str, columns: usize) -> Option<String> {
        let mut row = row;
        // Commands in front of a row take what begins with a bracket or a star as their argument, as \\ does.
        for _ in 0..5 {
            row = row.trim_start();
            if row.starts_with(['[', '*']) {
                return Some(format!("an argument: {row}"));
            }
            let commands = ["\\toprule", "\\midrule", "\\bottomrule", "\\addlinespace", "\\endhead", "\\endfoot"];
            row = commands.iter().find_map(|command| row.strip_prefix(command)).unwrap_or(row);
        }
        let ends = row.is_empty() || row.starts_with("tab:");
        let spanned = row.strip_prefix("\\multicolumn{").and_then(|rest| rest.split_once('}')?.0.parse::<usize>().ok());
        let cells = row.replace("\\&", "").matches('&').count() + 1;
        (!ends && spanned.unwrap_or(cells) != columns).then(|| format!("{columns} columns: {row}"))
    }

    fn records(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/records").join(name)
    }

    #[test]
    fn tables_of_a_report_are_latex() {
        let mut looked = 0;
        for name in ["small.parquet", "cut.parquet"] {
            let analysis = analyse(
                load(
                    &ringleader_catalogue::Entries::new(&ringleader_catalogue::builtin()).unwrap().catalogue(),
                    &[records(name)],
                )
                .unwrap()
                .0,
                1,
                0,
            );
            for table in sections(&analysis, Style::default()).iter().flat_map(|section| &section.tables) {
                let all: Vec<String> = names(std::iter::once(table)).into_iter().map(str::to_owned).collect();
                for columns in [Columns::Short, Columns::All, Columns::Named(&all[..2]), Columns::Named(&["x".into()])]
                {
                    let text = render(table, columns);
                    assert_eq!(flaw(&text), None, "{text}");
                    let heads = columns.of(&table.header, 1);
                    assert_eq!(
                        once(heads.iter().map(|(_, name)| name)).len(),
                        heads.len(),
                        "a head is there twice: {heads:?}"
                    );
                    for once in ["\\caption{", &format!("\\label{{tab:{}}}", table.name), "\\toprule", "\\bottomrule"] {
                        assert_eq!(text.matches(once).count(), 1, "{once}: {text}");
                    }
                    looked += 1;
                }
            }
        }
        assert!(looked > 20, "{looked}");
    }

    /// Names come from files, and may hold anything.
    #[test]
    fn no_name_breaks_a_table() {
        let names = [
            "[FJ06]",
            "*",
            "a_b",
            "50 % of {x}",
            "\\end{table}",
            "x^",
            "^2",
            "<",
            ">= 3",
            "#1 & $2$ | ~",
            "S_PL",
            "e",
            "-",
            "-1e5",
            "1e",
            "n^n^n",
            "ψ\n",
            "a_b_c^d",
            "n$",
            "\\",
        ];
        let mut table = Table::new("t", names.join(" "), &[("series", ""), ("a_%", "%"), ("", "n^2"), ("x", "x")]);
        for few in [10, names.len()] {
            table.rows = names[..few].iter().map(|name| [name, name, "-", name].map(str::to_owned).to_vec()).collect();
            for (which, columns) in [(Columns::Short, 3), (Columns::All, 2), (Columns::Named(&["n^2".into()]), 1)] {
                let text = render(&table, which);
                assert_eq!(flaw(&text), None, "{text}");
                assert_eq!(body(&text).unwrap().0, columns);
                assert_eq!(text.contains("longtable"), few > 10);
            }
        }
    }

    #[test]
    fn what_latex_would_stumble_over_is_found() {
        let mut table = Table::new("t", "x", &[("a", "a"), ("b", "b")]);
        table.rows.extend([["1", "2"], ["3", "4"]].map(|row| row.map(str::to_owned).to_vec()));
        let good = render(&table, Columns::Short);
        assert_eq!(flaw(&good), None);
        for (old, new, why) in [
            ("3 & 4", "[3] & 4", "an argument"),
            ("1 & 2", "*1 & 2", "an argument"),
            ("3 & 4", "3", "2 columns"),
            ("3 & 4", "3 & 4 & 5", "2 columns"),
            ("3 & 4", "3 & a_b", "a raw _"),
            ("3 & 4", "3 & 5 %", "a raw %"),
            ("3 & 4", "3 & $4", "a formula"),
            ("3 & 4", "3 & $n^{n}^{n}$", "a power"),
            ("3 & 4", "3 & {4", "ends, open are"),
            ("\\end{table}", "", "open are"),
        ] {
            assert!(good.contains(old), "{old}: {good}");
            let found = flaw(&good.replace(old, new));
            assert!(found.as_ref().is_some_and(|found| found.contains(why)), "{old} to {new}: {found:?}");
        }
    }

    #[test]
    fn mathematics_is_set_as_such() {
        for (text, wanted) in [
            ("Theta(n^3)", "$\\Theta(n^{3})$"),
            ("O(n^2 log n)", "$O(n^{2} \\log n)$"),
            ("log n <= psi <= log n + O(1)", "$\\log n \\le  \\psi \\le  \\log n + O(1)$"),
            ("c n^a (log n)^b", "$c n^{a} (\\log n)^{b}$"),
            ("oracle Omega?", "oracle $\\Omega?$"),
            ("n is not a multiple of k", "$n$ is not a multiple of $k$"),
            ("1.500e6 [1.2e-4, -3]", "$1.500\\cdot 10^{6}$ [$1.2\\cdot 10^{-4}$, $-3$]"),
            ("(4.227 +- 0.012)e6", "$(4.227 \\pm 0.012) \\cdot 10^{6}$"),
            ("a = 2.242 +- 0.001", "$a = 2.242 \\pm 0.001$"),
            ("12,345 +- 678", "$12{,}345 \\pm 678$"),
            ("at n^2.", "at $n^{2}$."),
            ("mean +- half width", "mean $\\pm$ half width"),
            ("< 0.0001", "$<$ 0.0001"),
            ("95 % of S_PL", "95~\\% of $S_{\\mathrm{PL}}$"),
            ("ppl c1=48, psi=7", "ppl $c_1=48$, $\\psi=7$"),
        ] {
            assert_eq!(cell(text), wanted);
        }
    }
}
