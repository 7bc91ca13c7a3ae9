//! What is said of broken files, as a table: `broken.txt` has files of every kind and, under each, the first line of every message.
//!
//! A case begins with `## name`. Lines after `| ` are the body of `interact` in a small protocol, which has them from line 9 on; lines
//! after `> ` are a whole file. Then come the messages, without the name of the file. `<TAB>`, `<CR>`, `<NUL>` and `<BOM>` are these
//! characters. With `RINGLEADER_BLESS=1` the test writes the messages as they are, to be read over before they are committed.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use ringleader::params::Params;
use ringleader::ring::Ring;
use ringleader_notation::source::{Problem, Problems};
use ringleader_notation::written::{Trouble, Written, problems};

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/broken.txt");
const HEAD: &str = "\"\"\"A test\"\"\"\nfrom ringleader.notation import *\n\nclass Agent:\n    x: span(0, 3)\n    mode: \
                    {\"Detect\", \"Construct\"}\n\ndef interact(l, r):\n";
const TAIL: &str = "\ndef leader(v):\n    return v.x == 1\n";

struct Case {
    name: String,
    /// As it stands in the table.
    lines: Vec<String>,
    messages: Vec<String>,
}

impl Case {
    fn text(&self) -> String {
        let mut body = String::new();
        for line in &self.lines {
            if let Some(line) = line.strip_prefix('|') {
                body += &format!("    {}\n", line.strip_prefix(' ').unwrap_or(line));
            } else {
                let line = line.strip_prefix('>').unwrap();
                body += &format!("{}\n", line.strip_prefix(' ').unwrap_or(line));
            }
        }
        let whole = self.lines.first().is_none_or(|line| line.starts_with('>'));
        let text = if whole { body } else { format!("{HEAD}{body}{TAIL}") };
        [("<TAB>", "\t"), ("<CR>", "\r"), ("<NUL>", "\0"), ("<BOM>", "\u{feff}")]
            .iter()
            .fold(text, |text, (mark, character)| text.replace(mark, character))
    }
}

fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in std::fs::read_to_string(TABLE).unwrap().lines().skip_while(|line| !line.starts_with("##")) {
        if let Some(name) = line.strip_prefix("## ") {
            cases.push(Case { name: name.to_owned(), lines: Vec::new(), messages: Vec::new() });
        } else if line.starts_with(['|', '>']) {
            cases.last_mut().unwrap().lines.push(line.to_owned());
        } else if !line.is_empty() {
            cases.last_mut().unwrap().messages.push(line.to_owned());
        }
    }
    cases
}

/// What is wrong with a file, on a ring of five agents if it can be read.
fn wrong(text: &str) -> Option<Problems> {
    let program = match ringleader_notation::read("p.py", text) {
        Ok(program) => Arc::new(program),
        Err(found) => return Some(found),
    };
    let trouble = Trouble::default();
    let ring = Ring::new(5, program.ring).unwrap();
    let error = Written::new(&program, ring, &Params::default(), &trouble).err()?;
    Some(trouble.first().map_or_else(
        || Problems {
            file: "p.py".to_owned(),
            text: text.to_owned(),
            all: vec![Problem::new(ringleader_notation::ast::Span::default(), error.to_string(), "")],
        },
        |fault| problems(&program, &fault),
    ))
}

/// The first lines of the messages; every message shows its line, marks a place in it, and ends.
fn said(text: &str) -> Vec<String> {
    let Some(found) = wrong(text) else { return vec!["nothing is wrong".to_owned()] };
    let shown = found.to_string();
    let first = |line: &&str| line.starts_with("p.py:");
    let lines: Vec<String> = shown.lines().filter(first).map(|line| line["p.py:".len()..].to_owned()).collect();
    assert_eq!(
        shown.lines().filter(|line| line.trim_start().starts_with("| ") && line.contains('^')).count(),
        lines.len()
    );
    assert!(shown.lines().all(|line| line.chars().count() < 260 && !line.contains(['\0', '\r', '\t'])), "{shown}");
    lines
}

#[test]
fn messages_are_those_of_the_table() {
    let mut cases = cases();
    assert!(cases.len() > 90, "{}", cases.len());
    let mut differ = Vec::new();
    for case in &mut cases {
        let now = said(&case.text());
        if now != case.messages {
            differ.push(format!("{}:\n  expected {:#?}\n  found {now:#?}", case.name, case.messages));
            case.messages = now;
        }
    }
    if std::env::var_os("RINGLEADER_BLESS").is_some() {
        let shown =
            |case: &Case| format!("## {}\n{}\n{}\n", case.name, case.lines.join("\n"), case.messages.join("\n"));
        std::fs::write(TABLE, cases.iter().map(shown).collect::<Vec<_>>().join("\n")).unwrap();
    } else {
        assert!(differ.is_empty(), "{}", differ.join("\n"));
    }
}

fn many(count: usize, between: &str, one: impl Fn(usize) -> String) -> String {
    (0..count).map(one).collect::<Vec<_>>().join(between)
}

/// Long texts in which nothing is wrong are read soon, too.
#[test]
fn long_files_are_read_at_once() {
    let body = |lines: String| format!("{HEAD}{lines}{TAIL}");
    let texts = [
        body(format!("    r.x = {}\n", many(100_000, " and ", |_| "l.x".to_owned()))),
        body(format!("    r.x = {}\n", many(100_000, " < ", |_| "l.x".to_owned()))),
        body(format!("    r.x = min({})\n", many(100_000, ",", |_| "l.x".to_owned()))),
        body("    r.x = 3 - l.x\n".repeat(50_000)),
        body(many(50_000, "", |k| format!("    a{k} = {k}\n"))),
        many(50_000, "", |k| format!("K{k} = {k}\n")) + &body("    r.x = 0\n".to_owned()),
        body("    r.x = f0(l)\n".to_owned())
            + &many(25_000, "", |k| format!("def f{k}(v): return f{}(v)\n", k + 1))
            + "def f25000(v): return 1\n",
        format!("rules = {{{}}}", many(36_000, ", ", |k| format!("({}, {}): (0, 1)", k % 4000, k / 4000))),
    ];
    for text in texts {
        let before = Instant::now();
        assert_eq!(wrong(&text), None);
        assert!(before.elapsed() < Duration::from_secs(60));
    }
}

/// Texts that nobody writes by hand: each is refused, soon, with few words.
#[test]
fn monstrous_files_are_refused_at_once() {
    let body = |lines: String| format!("{HEAD}{lines}{TAIL}");
    let mut noise = 7_u32;
    let mut garbage = |letters: &[u8]| -> String {
        let next = |_| {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from(letters[(noise >> 8) as usize % letters.len()])
        };
        (0..1 << 20).map(next).collect()
    };
    let printable: Vec<u8> = (32..127).chain([b'\n']).collect();
    let texts = [
        garbage(&printable),
        garbage(b"()[]{}\n "),
        garbage(b"if else:\n    x=1 "),
        "x = 1 + ".repeat(100_000),
        "x".repeat((1 << 20) + 1),
        "(".repeat(1 << 20),
        "@start\n".repeat(140_000),
        "\n    ".repeat(200_000),
        body(format!("    r.x = {}1{}\n", "(".repeat(9999), ")".repeat(9999))),
        body(format!("    if {}l.x: r.x = 0\n", "not ".repeat(9999))),
        body(format!("    r.x = {}0\n", "0 + ".repeat(9999))),
        body((0..150).map(|k| format!("{}if l.x == 1:\n", "    ".repeat(k + 1))).collect::<String>()),
        body(format!("    if l.x == 1: r.x = 0\n{}", "    elif l.x == 1: r.x = 0\n".repeat(500))),
        body("    r.x = 0\n".to_owned()).replace("span(0, 3)", "span(0, 2 ** 62)"),
        body("    r.x = 0\n".to_owned()).replace("span(0, 3)", "array(128, span(0, 9))"),
        body("    r.x = 0\n".to_owned()).replace("span(0, 3)", "array(10 ** 18, bit)"),
        body("    r.x = 0\n".to_owned()).replace("class", "K = 9 ** 9 ** 9\nclass"),
        body("    r.x = 0\n".to_owned()).replace("class", "K = sum(i for i in range(10 ** 18))\nclass"),
        body("    r.x = 0\n".to_owned()).replace("class", "limit = sum(i for i in range(10 ** 18))\nclass"),
        body(format!("    r.x = {}\n", many(100_000, "|", |_| "1".to_owned()))),
        body(format!("    r.x = l{}\n", ".x".repeat(100_000))),
        body(format!("    r.x = l{}\n", "[0]".repeat(100_000))),
        body(format!("    r.x = f{}\n", "(l)".repeat(100_000))),
        body(format!("    if l.x: pass\n{}", "    elif l.x: pass\n".repeat(40_000))),
        body(many(50_000, "", |k| format!("    a{k} = b{k}\n"))),
        body(many(50_000, "", |k| format!("    r.mode = \"a{k}\"\n"))),
        // Numbers, variables and names without end.
        body("    r.x = 0\n".to_owned())
            .replace("class", &format!("{}class", many(20_000, "", |k| format!("K{k} = tuple(range(200000))\n")))),
        body("    r.x = 0\n".to_owned())
            .replace("class", &format!("{}class", many(40_000, "", |k| format!("K{k} = 1 // 0\n")))),
        body("    r.x = 0\n".to_owned())
            .replace("    x:", &format!("{}    x:", many(50_000, "", |k| format!("    v{k}: bit\n")))),
        body("    r.x = 0\n".to_owned())
            .replace("span(0, 3)", &format!("{{{}}}", many(90_000, ", ", |k| format!("\"a{k}\"")))),
        body("    r.x = 0\n".to_owned()).replace("Detect", &"a".repeat(1_000_000)),
        body(format!("    r.{} = 0\n", "a".repeat(1_000_000))),
        // Functions that call each other in a long circle, and sets that a thousand functions ask.
        body("    r.x = f0(l)\n".to_owned())
            + &many(25_000, "", |k| format!("def f{k}(v): return f{}(v)\n", (k + 1) % 25_000)),
        body("    r.x = 0\n".to_owned())
            + &many(15_000, "", |k| format!("@phase\ndef f{k}(u): h(u)\n"))
            + &format!("def h(u):\n{}", "    u[0].x = 1\n".repeat(15_000)),
        body("    r.x = f(l)\n".to_owned())
            + &format!("def f({}): return 1\n", many(100_000, ", ", |k| format!("a{k}"))),
        // Probabilities that are twice the one before, or themselves.
        format!(
            "p0 = 0.5\n{}rules = {{(0, 1): {{(1, 1): p69}}}}",
            many(69, "", |k| format!("p{} = p{k} + p{k}\n", k + 1))
        ),
        "p = p * p\nrules = {(0, 1): {(1, 1): p}}".to_owned(),
        format!("K = ({})\nrules = {{{}}}", "1, ".repeat(200_000), "(K, K): (K, K), ".repeat(20_000)),
    ];
    for text in texts {
        let (before, shown) = (Instant::now(), wrong(&text).expect("it is refused").to_string());
        let beginning: String = text.chars().take(60).collect();
        assert!(shown.len() < 8000, "{beginning}: {} bytes", shown.len());
        // Nothing here depends on timing but that it ends: this is many times what it takes.
        assert!(before.elapsed() < Duration::from_secs(60), "{beginning}");
    }
}
