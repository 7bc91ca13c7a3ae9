//! From text to tokens. Every token has its place, and whatever cannot be a token is reported here and becomes [`Tok::Bad`], over which the
//! parser goes in silence, so that one slip gives one message. An operator that other languages have is reported and replaced by its like.

use crate::ast::Span;
use crate::source::{Problem, is_hidden};

/// So many problems end the reading of a file.
pub(crate) const MOST_PROBLEMS: usize = 100;
/// Brackets, and blocks, are nested so deep at most.
const DEPTH: usize = 64;

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tok<'a> {
    Name(&'a str),
    /// An operator, a bracket or a keyword.
    Op(&'static str),
    Int(i64),
    Float(String),
    Str(String),
    Newline,
    Indent,
    Dedent,
    End,
    /// Something that has been reported.
    Bad,
}

/// A token and its place.
#[derive(Clone, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) tok: Tok<'a>,
    pub(crate) span: Span,
}

/// All that the text gives.
pub(crate) struct Lexed<'a> {
    pub(crate) tokens: Vec<Token<'a>>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) paper_lines: Vec<(u32, String)>,
    /// Lines of which something was given up, from and to.
    pub(crate) unread: Vec<(u32, u32)>,
}

#[rustfmt::skip]
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except",
    "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try",
    "while", "with", "yield",
];

/// Keywords that only begin statements: on a new line inside brackets, they tell that a bracket is not closed.
const STARTERS: [&str; 12] =
    ["assert", "break", "class", "continue", "def", "del", "elif", "import", "pass", "raise", "return", "while"];

/// The longer ones first.
#[rustfmt::skip]
const OPERATORS: [&str; 58] = [
    "===", "!==", "**=", "//=", "<<=", ">>=", "...", "**", "//", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "%=", "@=", "&=", "|=",
    "^=", "->", ":=", "<<", ">>", "<>", "=<", "=>", "&&", "||", "+", "-", "*", "/", "%", "@", "&", "|", "^", "~", "!", "<", ">", "=", ".",
    ",", ":", ";", "(", ")", "[", "]", "{", "}", "?", "$", "`",
];

/// Operators that are refused: what is read in their place (nothing: the statement is given up), and what to write.
const REFUSED: [(&str, &str, &str); 28] = [
    ("===", "==", "equality is `==`"),
    ("!==", "!=", "inequality is `!=`"),
    ("<>", "!=", "inequality is `!=`"),
    ("=<", "<=", "it is written `<=`"),
    ("=>", ">=", "it is written `>=`"),
    ("&&", "and", "it is written `and`"),
    ("||", "or", "it is written `or`"),
    ("!", "not", "it is written `not`"),
    ("/", "//", "`//` divides integers and rounds down"),
    ("/=", "//=", "`//=` divides integers and rounds down"),
    ("<<", "*", "`x * 2 ** k` is `x << k`"),
    (">>", "//", "`x // 2 ** k` is `x >> k`"),
    ("<<=", "*=", "`x *= 2 ** k` is `x <<= k`"),
    (">>=", "//=", "`x //= 2 ** k` is `x >>= k`"),
    ("&", "*", "`and` joins conditions; `x % 2 ** k` takes the lowest k bits"),
    ("&=", "*=", "`x = x and y` joins conditions"),
    ("^", "*", "`**` is the power, `!=` the exclusive or of conditions"),
    ("^=", "*=", "`**=` is the power"),
    ("|=", "+=", "`or` joins conditions"),
    ("~", "-", "`not` negates a condition"),
    ("@=", "*=", "`*=` multiplies"),
    (":=", "", "give the name its value on a line before"),
    ("...", "", "`pass` does nothing"),
    ("?", "", "a choice is written `a if condition else b`"),
    ("$", "", ""),
    ("`", "", "a text is written in `\"`"),
    // Only in front of a line, for a decorator.
    ("@", "*", "`*` multiplies"),
    ("\\", "", "`\\` goes on with a statement on the next line, so it is the last character of its line"),
];

/// Characters that come from papers and word processors, and how they are written.
#[rustfmt::skip]
const TYPESET: [(char, &str); 20] = [
    ('≤', "<="), ('≥', ">="), ('≠', "!="), ('−', "-"), ('–', "-"), ('—', "-"), ('×', "*"), ('·', "*"), ('∧', "and"), ('∨', "or"),
    ('¬', "not"), ('∈', "in"), ('∉', "not in"), ('⊥', "None"), ('←', "="), ('“', "\""), ('”', "\""), ('„', "\""), ('‘', "'"), ('’', "'"),
];

/// A piece of the text for a message: its beginning if it is long.
pub(crate) fn quoted(text: &str) -> String {
    let mut chars = text.chars();
    let short: String = chars.by_ref().take(40).collect();
    if chars.next().is_some() { format!("`{short}...`") } else { format!("`{short}`") }
}

/// All tokens of a text.
pub(crate) fn lex(text: &str) -> Lexed<'_> {
    let mut lexer = Lexer {
        text,
        at: 0,
        line: 1,
        column: 1,
        indents: vec![0],
        open: Vec::new(),
        code_line: 0,
        tab_seen: false,
        out: Lexed { tokens: Vec::new(), problems: Vec::new(), paper_lines: Vec::new(), unread: Vec::new() },
    };
    lexer.run();
    lexer.out
}

/// Line and column.
type Place = (u32, u32);

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    column: u32,
    /// The widths of the blocks around this place; the first is 0.
    indents: Vec<u32>,
    /// The indices of the tokens that are open brackets.
    open: Vec<usize>,
    /// The last line that has a token.
    code_line: u32,
    tab_seen: bool,
    out: Lexed<'a>,
}

impl<'a> Lexer<'a> {
    fn run(&mut self) {
        self.indentation();
        while let Some(c) = self.peek() {
            if self.out.problems.len() >= MOST_PROBLEMS {
                break;
            }
            match c {
                '\n' => self.end_of_line(),
                ' ' | '\t' => drop(self.take(1)),
                '#' => self.comment(),
                '\\' => self.continuation(),
                '"' | '\'' => self.string(self.place(), false),
                '0'..='9' => self.number(),
                '.' if self.rest()[1..].starts_with(|d: char| d.is_ascii_digit()) => self.number(),
                c if c.is_ascii_alphabetic() || c == '_' => self.word(),
                _ => self.operator(c),
            }
        }
        self.unclosed();
        self.newline_token();
        for _ in 1..self.indents.len() {
            self.push(Tok::Dedent, self.place());
        }
        self.push(Tok::End, self.place());
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn place(&self) -> Place {
        (self.line, self.column)
    }

    fn since(&self, (line, column): Place) -> Span {
        Span { line, column, end_line: self.line, end_column: self.column }
    }

    /// Goes over so many bytes of this line.
    fn take(&mut self, bytes: usize) -> &'a str {
        let taken = &self.rest()[..bytes];
        self.at += bytes;
        self.column += taken.chars().count() as u32;
        taken
    }

    /// Goes over the characters of this line that are such.
    fn take_while(&mut self, such: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        self.take(rest.find(|c| !such(c)).unwrap_or(rest.len()))
    }

    fn next_line(&mut self) {
        self.at += 1;
        self.line += 1;
        self.column = 1;
    }

    fn push(&mut self, tok: Tok<'a>, start: Place) {
        if !matches!(tok, Tok::Newline | Tok::Indent | Tok::Dedent | Tok::End) {
            self.code_line = self.line;
        }
        self.out.tokens.push(Token { tok, span: self.since(start) });
    }

    fn report(&mut self, span: Span, what: impl Into<String>, help: impl Into<String>) {
        if self.out.problems.len() < MOST_PROBLEMS {
            self.out.problems.push(Problem::new(span, what, help));
        }
    }

    /// Reports what has been read since a place, and leaves a token that stands for it.
    fn bad(&mut self, start: Place, what: impl Into<String>, help: impl Into<String>) {
        self.report(self.since(start), what, help);
        self.push(Tok::Bad, start);
    }

    /// Whether the next token is the first of its line.
    fn at_start(&self) -> bool {
        matches!(self.out.tokens.last().map(|t| &t.tok), None | Some(Tok::Newline | Tok::Indent | Tok::Dedent))
    }

    /// Ends a statement if there is one; its place is the end of its last token.
    fn newline_token(&mut self) {
        if !self.at_start()
            && let Some(Token { span: Span { end_line, end_column, .. }, .. }) = self.out.tokens.last().cloned()
        {
            let span = Span { line: end_line, column: end_column, end_line, end_column };
            self.out.tokens.push(Token { tok: Tok::Newline, span });
        }
    }

    fn end_of_line(&mut self) {
        if self.open.is_empty() {
            self.newline_token();
            self.next_line();
            return self.indentation();
        }
        self.next_line();
        let rest = self.rest().trim_start_matches(' ');
        let word = &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())];
        if STARTERS.contains(&word) || rest.starts_with('@') || !self.in_braces() && begins_statement(rest, word) {
            self.unclosed();
            self.newline_token();
            self.indentation();
        }
    }

    /// Whether the nearest bracket that is open is a brace, which other languages put around blocks.
    fn in_braces(&self) -> bool {
        self.open.last().is_some_and(|&last| self.out.tokens[last].tok == Tok::Op("{"))
    }

    /// Gives up what stands in brackets of which one is not closed; the rest of the file is then read as usual.
    fn unclosed(&mut self) {
        if let (Some(&first), Some(&last)) = (self.open.first(), self.open.last()) {
            let Token { tok, span } = self.out.tokens[last].clone();
            if let Tok::Op(bracket) = tok {
                let help = if bracket == "{" { "a block is indented, not put in braces" } else { "" };
                self.report(span, format!("`{bracket}` is never closed"), help);
            }
            self.give_up(first, span);
        }
    }

    /// Replaces all tokens from that one on by one that has been reported.
    fn give_up(&mut self, first: usize, span: Span) {
        let lines = (self.out.tokens[first].span.line, self.code_line.max(span.end_line));
        self.out.unread.push(lines);
        self.out.tokens.truncate(first);
        self.out.tokens.push(Token { tok: Tok::Bad, span });
        self.open.clear();
    }

    /// At the start of a line: what it opens and closes. A line without code does neither.
    fn indentation(&mut self) {
        let (start, mut width, mut tab) = (self.place(), 0, false);
        while let Some(c @ (' ' | '\t')) = self.peek() {
            // The width of a tab is CPython's.
            width = if c == ' ' { width + 1 } else { (width / 8 + 1) * 8 };
            tab |= c == '\t';
            self.take(1);
        }
        if matches!(self.peek(), None | Some('\n' | '#')) {
            return;
        }
        if tab && !self.tab_seen {
            self.tab_seen = true;
            self.report(self.since(start), "a tab in the indentation", "indent with spaces, four for each block");
        }
        let here = self.place();
        if self.indents.last().is_some_and(|&top| width > top) {
            if self.indents.len() > DEPTH {
                self.bad(
                    start,
                    format!("blocks are nested more than {DEPTH} deep"),
                    "a helper function can take a part",
                );
                // What follows is as deep.
                self.out.unread.push((start.0, u32::MAX));
                self.at = self.text.len();
                return;
            }
            self.indents.push(width);
            return self.push(Tok::Indent, start);
        }
        while let [.., below, top] = self.indents.as_mut_slice()
            && width < *top
        {
            if *below < width {
                let help = format!("the blocks around it are indented by {below} and by {top}");
                *top = width;
                return self.report(self.since(start), format!("the indentation by {width} matches no block"), help);
            }
            self.indents.pop();
            self.push(Tok::Dedent, here);
        }
    }

    fn comment(&mut self) {
        let text = self.take_while(|c| c != '\n').trim_start_matches('#').trim();
        let number = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
        let range = |part: &str| part.trim().split(['-', '–']).map(str::trim).all(number);
        if self.code_line == self.line && text.split(',').all(range) {
            self.out.paper_lines.push((self.line, text.to_string()));
        }
    }

    fn continuation(&mut self) {
        let start = self.place();
        self.take(1);
        if self.peek() == Some('\n') { self.next_line() } else { self.known("\\", start) }
    }

    fn word(&mut self) {
        let start = self.place();
        let word = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
        if self.peek().is_some_and(|c| !c.is_ascii() && c.is_alphabetic()) {
            return self.foreign_word(start, word);
        }
        let prefix = word.len() <= 2 && word.chars().all(|c| "rRbBfFuU".contains(c));
        if prefix && matches!(self.peek(), Some('"' | '\'')) {
            let what = match word.to_ascii_lowercase().as_str() {
                w if w.contains('f') => "an f-string",
                w if w.contains('b') => "a text of bytes",
                "u" => "`u` in front of a text",
                _ => "a raw text",
            };
            self.report(self.since(start), format!("{what} is not part of the notation"), "a plain text is: `\"...\"`");
            return self.string(start, true);
        }
        let keyword = KEYWORDS.iter().find(|k| **k == word);
        self.push(keyword.map_or(Tok::Name(word), |k| Tok::Op(k)), start);
    }

    fn number(&mut self) {
        let start = self.place();
        let bytes = self.rest().as_bytes();
        let based = bytes[0] == b'0' && bytes.get(1).is_some_and(|b| b"xXbBoO".contains(b));
        let sign = |k: usize| !based && matches!(bytes[k], b'+' | b'-') && matches!(bytes[k - 1], b'e' | b'E');
        let goes_on = |k: usize| bytes[k].is_ascii_alphanumeric() || bytes[k] == b'_' || (bytes[k] == b'.' && !based);
        let end = (1..bytes.len()).find(|&k| !goes_on(k) && !sign(k)).unwrap_or(bytes.len());
        let text = self.take(end);
        match value(text) {
            Ok(tok) => self.push(tok, start),
            Err(None) => self.bad(start, format!("{} is neither a number nor a name", quoted(text)), ""),
            Err(Some(what)) => {
                self.report(self.since(start), format!("{} {what}", quoted(text)), "");
                self.push(Tok::Int(0), start);
            }
        }
    }

    /// A text from its quotes on. If the text is of a kind that is `refused`, backslashes mean nothing.
    fn string(&mut self, start: Place, refused: bool) {
        let rest = self.rest();
        let triple = ["\"\"\"", "'''"].iter().any(|q| rest.starts_with(q));
        let quotes = self.take(if triple { 3 } else { 1 });
        let mut value = String::new();
        while !self.rest().starts_with(quotes) {
            match self.peek() {
                Some('\\') => self.escape(&mut value, refused),
                Some(c) if c != '\n' => {
                    value.push(c);
                    self.take(c.len_utf8());
                }
                Some(_) if triple => {
                    value.push('\n');
                    self.next_line();
                }
                _ => {
                    let help =
                        format!("a text ends with {quotes}, one of several lines stands between \"\"\" and \"\"\"");
                    self.report(self.since(start), "the text is never closed", help);
                    return self.push(Tok::Str(value), start);
                }
            }
        }
        self.take(quotes.len());
        self.push(Tok::Str(value), start);
    }

    fn escape(&mut self, value: &mut String, refused: bool) {
        let start = self.place();
        self.take(1);
        match self.peek() {
            Some('\n') => return self.next_line(),
            Some(c) => drop(self.take(c.len_utf8())),
            None => return,
        }
        let c = self.text[..self.at].chars().next_back().unwrap_or(' ');
        match c {
            '\\' | '\'' | '"' => value.push(c),
            'n' => value.push('\n'),
            't' => value.push('\t'),
            'r' => value.push('\r'),
            _ if refused => {}
            _ => {
                let help = r#"`\n`, `\t`, `\r`, `\\`, `\'` and `\"` are; a backslash itself is written `\\`"#;
                self.report(self.since(start), format!("`\\{}` is not part of the notation", shown(c)), help);
            }
        }
    }

    fn operator(&mut self, c: char) {
        let start = self.place();
        let rest = self.rest();
        let begins = |op: &&&str| op.as_bytes()[0] == rest.as_bytes()[0] && rest.starts_with(**op);
        let Some(op) = OPERATORS.iter().find(begins).copied() else { return self.stray(c) };
        let first = self.at_start();
        self.take(op.len());
        match op {
            "(" | "[" | "{" => self.bracket(op, start),
            ")" | "]" | "}" => self.close(op, start),
            "@" if first => self.push(Tok::Op(op), start),
            _ => self.known(op, start),
        }
    }

    /// An operator, or what is read in its place.
    fn known(&mut self, op: &'static str, start: Place) {
        let Some((_, instead, help)) = REFUSED.iter().find(|r| r.0 == op) else {
            return self.push(Tok::Op(op), start);
        };
        self.report(self.since(start), format!("`{op}` is not part of the notation"), *help);
        self.push(if instead.is_empty() { Tok::Bad } else { Tok::Op(instead) }, start);
    }

    /// A character that no token has; a word of such letters is reported once.
    fn stray(&mut self, c: char) {
        let start = self.place();
        self.take(c.len_utf8());
        if c.is_alphabetic() {
            return self.foreign_word(start, c.encode_utf8(&mut [0; 4]));
        }
        let help = TYPESET.iter().find(|t| t.0 == c).map_or(String::new(), |t| format!("it is written `{}`", t.1));
        let help = if c.is_whitespace() { "a plain space is".to_string() } else { help };
        self.bad(start, format!("`{}` is not part of the notation", shown(c)), help);
    }

    /// A word that began like this and has other letters than names have.
    fn foreign_word(&mut self, start: Place, beginning: &str) {
        let more = self.take_while(|c| c.is_alphanumeric() || c == '_');
        let help = "names are made of a-z, A-Z, 0-9 and `_`";
        self.bad(start, format!("{} is not a name", quoted(&format!("{beginning}{more}"))), help);
    }

    fn bracket(&mut self, op: &'static str, start: Place) {
        if self.open.len() < DEPTH {
            self.open.push(self.out.tokens.len());
            return self.push(Tok::Op(op), start);
        }
        let span = self.since(start);
        self.report(span, format!("brackets are nested more than {DEPTH} deep"), "");
        self.give_up(self.open[0], span);
        self.take_while(|c| c != '\n');
    }

    fn close(&mut self, op: &'static str, start: Place) {
        let Some(&last) = self.open.last() else {
            return self.bad(start, format!("`{op}` closes nothing"), "");
        };
        let opens = match op {
            ")" => "(",
            "]" => "[",
            _ => "{",
        };
        let is_pair = |k: &usize| self.out.tokens[*k].tok == Tok::Op(opens);
        // A bracket that does not match closes the nearest that does, or else the nearest.
        let matching = self.open.iter().rposition(is_pair).unwrap_or(self.open.len() - 1);
        self.open.truncate(matching);
        match self.out.tokens[last].clone() {
            Token { tok: Tok::Op(found), span } if found != opens => {
                let help = format!("`{found}` was opened at line {}, column {}", span.line, span.column);
                self.bad(start, format!("`{op}` does not close `{found}`"), help);
            }
            _ => self.push(Tok::Op(op), start),
        }
    }
}

/// Whether a line in brackets is surely a statement, so that a bracket before it is not closed: `v.x = ...`, or `if ...:` and its like.
fn begins_statement(rest: &str, word: &str) -> bool {
    let line = rest.lines().next().unwrap_or("");
    if ["if", "for", "else", "with", "try"].contains(&word) {
        return line.split('#').next().is_some_and(|code| code.trim_end().ends_with(':'));
    }
    let end = line.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.').unwrap_or(line.len());
    let (name, after) = (&line[..end], line[end..].trim_start());
    let assigned = after.starts_with('=') && !after.starts_with("==");
    name.contains('.') && !word.is_empty() && (assigned || ["+=", "-=", "*="].iter().any(|op| after.starts_with(op)))
}

/// A character for a message.
fn shown(c: char) -> String {
    if is_hidden(c) || c.is_whitespace() { c.escape_unicode().to_string() } else { c.to_string() }
}

/// The number that a text is; or what is wrong with it, unless it is no number at all.
fn value(text: &str) -> Result<Tok<'static>, Option<&'static str>> {
    let (radix, digits) = match text.get(..2).map(str::to_ascii_lowercase).as_deref() {
        Some("0x") => (16, &text[2..]),
        Some("0b") => (2, &text[2..]),
        Some("0o") => (8, &text[2..]),
        _ => (10, text),
    };
    let digits = if radix == 10 { digits } else { digits.strip_prefix('_').unwrap_or(digits) };
    let plain = digits.replace('_', "");
    let is_run = |run: &str, radix| run.split('_').all(|p| !p.is_empty() && p.chars().all(|c| c.is_digit(radix)));
    if !is_run(digits, radix) {
        return if radix == 10 && is_float(digits, is_run) { Ok(Tok::Float(plain)) } else { Err(None) };
    }
    if radix == 10 && plain.starts_with('0') && plain.bytes().any(|b| b != b'0') {
        return Err(Some("begins with 0"));
    }
    let plain = plain.trim_start_matches('0');
    if plain.is_empty() {
        return Ok(Tok::Int(0));
    }
    i64::from_str_radix(plain, radix).map(Tok::Int).map_err(|_| Some("is too large: numbers stay below 2^63"))
}

/// `1.5`, `1.`, `.5`, `1e5`, `1.5e-5`.
fn is_float(text: &str, is_run: impl Fn(&str, u32) -> bool) -> bool {
    let (mantissa, exponent) = text.split_once(['e', 'E']).map_or((text, None), |(m, e)| (m, Some(e)));
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let good = |run: &str| run.is_empty() || is_run(run, 10);
    let exponent = exponent.map(|e| e.strip_prefix(['+', '-']).unwrap_or(e));
    good(whole) && good(part) && !(whole.is_empty() && part.is_empty()) && exponent.is_none_or(|e| is_run(e, 10))
}
