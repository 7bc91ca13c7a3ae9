//! The parser against CPython: the same tree, with all places, for texts written by hand, for generated ones, and for broken ones that it
//! accepts nevertheless. And what it says about texts that are not part of the notation.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Write as _;
use std::process::{Command, Stdio};

use ringleader_notation::ast::*;
use ringleader_notation::parser::parse;
use ringleader_notation::source::Problems;

/// CPython's trees of the texts.
fn cpython(texts: &[String]) -> Vec<String> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tree.py");
    let mut python = Command::new("python3");
    let python = python.args(["-X", "utf8", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = python.spawn().expect("python3 is needed: it judges the tree");
    let (mut input, all) = (child.stdin.take().unwrap(), texts.join("\0"));
    let writer = std::thread::spawn(move || input.write_all(all.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success());
    let trees: Vec<_> = String::from_utf8(output.stdout).unwrap().split('\n').map(str::to_string).collect();
    assert_eq!(trees.len(), texts.len());
    trees
}

/// Our trees in the form of `tree.py`.
mod dump {
    use super::*;

    pub(crate) fn module(module: &Module) -> String {
        format!("(Module{})", list("body", &module.body, stmt))
    }

    fn list<T>(field: &str, items: &[T], dump: impl Fn(&T) -> String) -> String {
        let items: Vec<_> = items.iter().map(dump).collect();
        if items.is_empty() { String::new() } else { format!(" {field}=[{}]", items.join(" ")) }
    }

    fn option(field: &str, value: &Option<Expr>) -> String {
        value.as_ref().map_or(String::new(), |v| format!(" {field}={}", expr(v)))
    }

    fn start(span: Span) -> String {
        format!("{}:{}", span.line, span.column)
    }

    fn stmt(stmt: &Stmt) -> String {
        let (name, fields) = match &stmt.kind {
            StmtKind::Expr(value) => ("Expr", format!(" value={}", expr(value))),
            StmtKind::Assign { targets, value } => {
                ("Assign", format!("{} value={}", list("targets", targets, expr), expr(value)))
            }
            StmtKind::AugAssign { target, op, value } => {
                ("AugAssign", format!(" target={} op=({op:?}) value={}", expr(target), expr(value)))
            }
            StmtKind::AnnAssign { target, annotation, value } => {
                let value = option("value", value);
                ("AnnAssign", format!(" target={} annotation={}{value}", expr(target), expr(annotation)))
            }
            StmtKind::If { test, body, orelse } => {
                let blocks = list("body", body, self::stmt) + &list("orelse", orelse, self::stmt);
                ("If", format!(" test={}{blocks}", expr(test)))
            }
            StmtKind::For { target, iter, body } => {
                let body = list("body", body, self::stmt);
                ("For", format!(" target={} iter={}{body}", expr(target), expr(iter)))
            }
            StmtKind::Return(value) => ("Return", option("value", value)),
            StmtKind::Assert { test, message } => ("Assert", format!(" test={}{}", expr(test), option("msg", message))),
            StmtKind::Pass => ("Pass", String::new()),
            StmtKind::FunctionDef(f) => ("FunctionDef", function(f)),
            StmtKind::ClassDef { name, body } => {
                ("ClassDef", format!(" name={}{}", name.text, list("body", body, self::stmt)))
            }
            StmtKind::ImportFrom { module, names } => {
                let names = list("names", names, |n| format!("(alias name={n})"));
                ("ImportFrom", format!(" module={module}{names}"))
            }
        };
        placed(name, stmt.span, &fields)
    }

    fn function(f: &FunctionDef) -> String {
        let arg = |a: &Arg| {
            format!("(arg {} arg={}{})", start(a.name.span), a.name.text, option("annotation", &a.annotation))
        };
        let args = format!(" args=(arguments{})", list("args", &f.args, arg));
        let body = list("body", &f.body, stmt);
        format!(" name={}{args}{body}{}", f.name.text, list("decorator_list", &f.decorators, expr))
    }

    fn placed(name: &str, span: Span, fields: &str) -> String {
        format!("({name} {}-{}:{}{fields})", start(span), span.end_line, span.end_column)
    }

    fn hex(text: &str) -> String {
        text.bytes().map(|b| format!("{b:02x}")).collect()
    }

    fn expr(e: &Expr) -> String {
        let (name, fields) = match &e.kind {
            ExprKind::Name(id) => ("Name", format!(" id={id}")),
            ExprKind::Int(value) => ("Constant", format!(" {value}")),
            ExprKind::Float(text) => ("Constant", format!(" f{:016x}", text.parse::<f64>().unwrap().to_bits())),
            ExprKind::Str(text) => ("Constant", format!(" s{}", hex(text))),
            ExprKind::Bool(value) => ("Constant", if *value { " True" } else { " False" }.to_string()),
            ExprKind::None => ("Constant", " None".to_string()),
            ExprKind::Tuple(items) => ("Tuple", list("elts", items, expr)),
            ExprKind::Set(items) => ("Set", list("elts", items, expr)),
            ExprKind::Dict(items) => {
                ("Dict", list("keys", items, |i| expr(&i.0)) + &list("values", items, |i| expr(&i.1)))
            }
            ExprKind::Generator { element, clauses } => {
                ("GeneratorExp", format!(" elt={}{}", expr(element), list("generators", clauses, clause)))
            }
            ExprKind::BoolOp { op, values } => ("BoolOp", format!(" op=({op:?}){}", list("values", values, expr))),
            ExprKind::UnaryOp { op, operand } => ("UnaryOp", format!(" op=({op:?}) operand={}", expr(operand))),
            ExprKind::BinOp { left, op, right } => {
                ("BinOp", format!(" left={} op=({op:?}) right={}", expr(left), expr(right)))
            }
            ExprKind::Compare { left, rest } => {
                let rest = list("ops", rest, |r| format!("({:?})", r.0)) + &list("comparators", rest, |r| expr(&r.1));
                ("Compare", format!(" left={}{rest}", expr(left)))
            }
            ExprKind::IfExp { test, body, orelse } => {
                ("IfExp", format!(" test={} body={} orelse={}", expr(test), expr(body), expr(orelse)))
            }
            ExprKind::Call { func, args, keywords } => {
                let keyword = |(name, value): &(Name, Expr)| {
                    format!("(keyword {} arg={} value={})", start(name.span), name.text, expr(value))
                };
                let args = list("args", args, expr) + &list("keywords", keywords, keyword);
                ("Call", format!(" func={}{args}", expr(func)))
            }
            ExprKind::Attribute { value, attr } => ("Attribute", format!(" value={} attr={}", expr(value), attr.text)),
            ExprKind::Subscript { value, index } => {
                ("Subscript", format!(" value={} slice={}", expr(value), expr(index)))
            }
        };
        placed(name, e.span, &fields)
    }

    fn clause(c: &Comprehension) -> String {
        // CPython marks the clauses of asynchronous generators, which are refused.
        let ifs = list("ifs", &c.ifs, expr);
        format!("(comprehension target={} iter={}{ifs} is_async=0)", expr(&c.target), expr(&c.iter))
    }
}

/// All texts are accepted, and their trees are CPython's.
fn same_trees(texts: &[String]) {
    for (text, theirs) in texts.iter().zip(cpython(texts)) {
        let (module, problems) = parse(text);
        assert!(problems.is_empty(), "{}\n{text}", rendered(text));
        assert_eq!(dump::module(&module), theirs, "\n{text}");
    }
}

fn rendered(text: &str) -> String {
    Problems { file: "p.py".into(), text: text.into(), all: parse(text).1 }.to_string()
}

/// Each construct, and what is delicate about places: brackets, lines, characters of several bytes.
const BY_HAND: &[&str] = &[
    "",
    "\n\n# only a comment\n",
    "'''A protocol.\n\nOf several lines.'''\nfrom ringleader.notation import *\nring = directed",
    "from ringleader.notation import span, bit\nfrom ringleader.notation import (span,\n  bit,)\n",
    "K = 3\n(A, B) = (0, 1)\nA, B = 0, 1\na = b = c, = 1,\npsi: Param = max(2, ceil_log2(n))\nx: (bit)\n",
    "require(2 ** psi >= n, \"2^psi\" ' must' \"\"\" be\n ≥ n\"\"\")\nassert (a), 'ä'\nassert a\n",
    "class Agent:\n    'é'; a: bit\n    b: span(0, 2 * psi - 1) | span(1, 2) | bit = 1\n    m: {\"A\", \"B\",}\n    pass\n",
    "@start\n@closed\ndef f(u):\n  'text'\n  return\n\n@phase # 3\n\ndef g(l, r, coin: span(0, 15), o: oracle,): return l, r\n",
    "def f():\n    if a: pass\n    elif b:\n        return 1\n    elif c: x = 1; y = 2;\n    else:\n        pass\n    # end\n  # odd\n    return x\n",
    "if a:\n  if b:\n    pass\n  else:\n    f()\nelif c:\n  pass\nx = 1\n",
    "for x in u: x.a = 1\nfor a, (b, c) in 1, 2, :\n  v.t[a], b = b, v.t[a]\nfor x, in y: pass\nfor x.a[0] in range(1): pass\n",
    "x += 1; x.y -= 2\nx[1] *= 3\nx //= 4\nx %= a, b\nx **= 6\n",
    "x = -a ** -b ** +c\nx = --1 - -1\nx = (a + b) * c // d % e - f\nx = ((a)) + ((b))\nx = (a).b(c)[d, e][(f)][g,]\n",
    "x = not a and b or not not c and (d or e)\nx = a if b else c if d else e\nx = (a if b else c) if d else e or f\n",
    "x = a < b <= c == d != e > f >= g in h not in i is None is not None\nx = not a in b\nx = a | b + c < d\n",
    "x = sum(1 for v in u)\nx = all(v.a == i for i, v in u if v.b if not c for w in x.y or z)\nx = (a for b in c)\nx = f((a for b in c), d)\n",
    "x = f(a, b=c, d=(e))\nx = f()(a,)(b=1,)\nx = ()\nx = (a,)\nx = {}\nx = {1}\nx = {1: 2, (3, 4): {5: 0.5},}\n",
    "x = (0, 00, 1_000, 0xFF, 0x_f, 0b101, 0O17, 9223372036854775807, 0.5, .5, 5., 1e3, 1.5E-3, 1_0.0_1e+1_0, 007.5)\n",
    "x = 'a\\'b' \"c\\\"d\\n\\t\\r\\\\\" 'e\\\nf' '''g'h''' \"\"\"\"i\"\"\"\ny = ('ψ' 'κ') + ψ_is_text('κ', z)\n",
    "x = 1 + \\\n    2\nif a and \\\n b:\n    pass\nx = (1, # 1\n\n  # comment\n2, # 2\n  )\n",
    "x = f(\n'ψψ', a)\r\ny = '''a\r\nb'''\r\n",
    "x = True, False, None\nx = match; match = x; type = print(x)\n",
    "rules = {(\"A\", \"B\"): (\"C\", \"D\"), (\"C\", \"C\"): {(\"A\", \"C\"): 0.5, (\"C\", \"B\"): 0.5}}\notherwise = mirrored\n",
];

#[test]
fn trees_are_cpythons_by_hand() {
    let texts: Vec<_> = BY_HAND.iter().map(|t| t.replace("ψ_is_text", "f")).collect();
    same_trees(&texts);
}

/// Writes random programs.
struct Author {
    state: u64,
    out: String,
    indent: usize,
}

impl Author {
    fn new(seed: u64) -> Self {
        Self { state: seed, out: String::new(), indent: 0 }
    }

    /// SplitMix64.
    fn below(&mut self, n: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    fn pick(&mut self, from: &[&'static str]) -> &'static str {
        from[self.below(from.len())]
    }

    fn name(&mut self) -> &'static str {
        self.pick(&["a", "b", "v", "token_B", "u0", "_", "match", "notx", "iff"])
    }

    fn many(&mut self, most: usize, depth: usize, item: fn(&mut Self, usize) -> String, between: &str) -> String {
        let count = 1 + self.below(most);
        (0..count).map(|_| item(self, depth)).collect::<Vec<_>>().join(between)
    }

    /// A comma; inside brackets, now and then with a line break.
    fn comma(&mut self) -> &'static str {
        self.pick(&[",", ", ", " , ", ",\n", ", # 7\n      "])
    }

    fn expr(&mut self, depth: usize) -> String {
        let body = self.or(depth);
        if depth == 0 || self.below(6) > 0 {
            return body;
        }
        format!("{body} if {} else {}", self.or(depth - 1), self.expr(depth - 1))
    }

    fn or(&mut self, depth: usize) -> String {
        let most = if depth > 0 && self.below(3) == 0 { 4 } else { 1 };
        let mut text = self.not(depth);
        for _ in 1..most {
            text = format!("{text} {} {}", self.pick(&["and", "or"]), self.not(depth.saturating_sub(1)));
        }
        text
    }

    fn not(&mut self, depth: usize) -> String {
        format!("{}{}", self.pick(&["", "", "", "not ", "not not "]), self.compare(depth))
    }

    fn compare(&mut self, depth: usize) -> String {
        let mut text = self.sum(depth);
        while depth > 0 && self.below(3) == 0 {
            let op = self.pick(&["==", "<", ">=", "!=", "<=", ">", " in ", " not in ", " is ", " is  not "]);
            let right = if op.contains("is") { "None".to_string() } else { self.sum(depth - 1) };
            text = format!("{text}{op}{right}");
        }
        text
    }

    fn sum(&mut self, depth: usize) -> String {
        let mut text = self.operand(depth);
        while depth > 0 && self.below(3) == 0 {
            let op = self.pick(&["+", " - ", "*", "//", " % ", "**", " | "]);
            text = format!("{text}{op}{}", self.operand(depth - 1));
        }
        text
    }

    fn operand(&mut self, depth: usize) -> String {
        format!("{}{}", self.pick(&["", "", "", "", "-", "+", "- -"]), self.postfix(depth))
    }

    fn postfix(&mut self, depth: usize) -> String {
        let mut text = self.atom(depth);
        while depth > 0 && self.below(3) == 0 {
            text = match self.below(3) {
                0 => format!("{text} .{}", self.name()),
                1 => format!("{text}[{}]", self.many(2, depth - 1, Self::expr, ", ")),
                _ => format!("{text}({})", self.arguments(depth - 1)),
            };
        }
        text
    }

    fn arguments(&mut self, depth: usize) -> String {
        let comma = self.comma();
        match self.below(5) {
            0 => String::new(),
            1 => self.generator(depth),
            2 => format!("{}{comma}k={}", self.expr(depth), self.expr(depth)),
            _ => self.many(3, depth, Self::expr, comma),
        }
    }

    fn generator(&mut self, depth: usize) -> String {
        let clause = |s: &mut Self, d: usize| {
            let ifs = if s.below(2) == 0 { format!(" if {}", s.or(d)) } else { String::new() };
            format!("for {} in {}{ifs}", s.target(1), s.or(d))
        };
        format!("{} {}", self.expr(depth), self.many(2, depth, clause, " "))
    }

    fn atom(&mut self, depth: usize) -> String {
        if depth == 0 || self.below(2) == 0 {
            return match self.below(3) {
                0 => self.pick(&["0", "17", "0x1F", "1_0", "2.5", "True", "False", "None"]).to_string(),
                1 => self.pick(&["'é'", "\"A\" 'b'", "'''x\ny'''", "'\\n\\\\'"]).to_string(),
                _ => format!("{} ", self.name()),
            };
        }
        let comma = self.comma();
        let items = |s: &mut Self| s.many(3, depth - 1, Self::expr, comma);
        let entry = |s: &mut Self, d| format!("{}: {}", s.expr(d), s.expr(d));
        match self.below(6) {
            0 => format!("({})", self.expr(depth - 1)),
            1 => format!("( {},)", items(self)),
            2 => format!("{{{}}}", items(self)),
            3 => format!("{{{},}}", self.many(3, depth - 1, entry, comma)),
            4 => format!("({})", self.generator(depth - 1)),
            _ => self.pick(&["()", "{}", "(\n)"]).to_string(),
        }
    }

    fn target(&mut self, depth: usize) -> String {
        match self.below(5) {
            0 if depth > 0 => format!("({})", self.many(3, depth - 1, Self::target, ", ")),
            1 => format!("{}.{}", self.name(), self.name()),
            2 => format!("{}[{}]", self.name(), self.expr(depth)),
            _ => self.name().to_string(),
        }
    }

    fn line(&mut self, text: &str) {
        let comment = self.pick(&["", "", "", " # 12", "  # text", "\n\n", "\n      # odd"]);
        let space = " ".repeat(self.indent);
        self.out += &format!("{space}{text}{comment}\n");
    }

    fn block(&mut self, depth: usize) {
        self.indent += 2;
        for _ in 0..=self.below(3) {
            self.statement(depth);
        }
        self.indent -= 2;
    }

    fn statement(&mut self, depth: usize) {
        match self.below(if depth > 0 { 10 } else { 7 }) {
            7 | 8 => {
                for k in 0..=self.below(3) {
                    let test = self.expr(2);
                    self.line(&format!("{} {test}:", if k == 0 { "if" } else { "elif" }));
                    self.block(depth - 1);
                }
                if self.below(2) == 0 {
                    self.line("else :");
                    self.block(depth - 1);
                }
            }
            9 => {
                let head =
                    format!("for {} in {}:", self.many(2, 1, Self::target, ", "), self.many(2, 2, Self::expr, ", "));
                self.line(&head);
                self.block(depth - 1);
            }
            _ => {
                let text = self.many(2, 3, Self::simple, "; ");
                self.line(&text);
            }
        }
    }

    fn simple(&mut self, depth: usize) -> String {
        match self.below(7) {
            0 => "pass".to_string(),
            1 => format!("assert {}, {}", self.expr(depth), self.expr(depth)),
            2 => format!("{} = {}", self.many(2, 2, Self::target, ", "), self.many(2, depth, Self::expr, ", ")),
            3 => {
                let target = [self.name().to_string(), format!("{}.{}", self.name(), self.name())];
                let op = self.pick(&["+=", "-=", "*=", "//=", "%=", "**="]);
                format!("{} {op} {}", target[self.below(2)], self.expr(depth))
            }
            4 => format!("{}({})", self.name(), self.arguments(depth)),
            5 => format!("{} : {} = {}", self.name(), self.expr(depth), self.expr(depth)),
            _ => format!("{} = {} = {}", self.target(2), self.target(2), self.expr(depth)),
        }
    }

    fn function(&mut self) {
        for _ in 0..self.below(3) {
            self.line("@closed");
        }
        let arg = |s: &mut Self, d: usize| {
            if s.below(2) == 0 { s.name().to_string() } else { format!("{}: {}", s.name(), s.expr(d)) }
        };
        let args = if self.below(3) == 0 { String::new() } else { self.many(3, 1, arg, ", ") };
        self.line(&format!("def f({args}):"));
        self.block(3);
        let value = self.many(2, 3, Self::expr, ", ");
        self.line(&format!("  return {value}"));
    }

    fn program(mut self) -> String {
        self.out += "'''One.\nTwo.'''\nfrom ringleader.notation import *\n";
        for _ in 0..3 {
            match self.below(3) {
                0 => self.statement(2),
                1 => {
                    self.line("class Agent:");
                    let domain = self.expr(2);
                    self.line(&format!("  x: {domain}"));
                }
                _ => self.function(),
            }
        }
        self.out
    }
}

/// So many programs that are not longer.
fn programs(count: usize, longest: usize) -> Vec<String> {
    (0..).map(|seed| Author::new(seed).program()).filter(|p| p.len() <= longest).take(count).collect()
}

#[test]
fn trees_are_cpythons_for_generated_programs() {
    same_trees(&programs(400, 4000));
}

/// Pieces of a text that are moved about: words, runs of spaces, single signs.
fn pieces(text: &str) -> Vec<&str> {
    let kind = |c: char| if c.is_alphanumeric() || c == '_' { 0 } else { u32::from(c) };
    let mut cuts = vec![0];
    let chars: Vec<_> = text.char_indices().collect();
    for pair in chars.windows(2) {
        let (a, b) = (pair[0].1, pair[1].1);
        if kind(a) != kind(b) || !(kind(a) == 0 || a == ' ') {
            cuts.push(pair[1].0);
        }
    }
    cuts.push(text.len());
    cuts.windows(2).map(|w| &text[w[0]..w[1]]).collect()
}

/// What is broken is either refused, at a place that exists, or not broken.
#[test]
fn what_is_accepted_is_python() {
    let mut accepted = Vec::new();
    for (seed, text) in programs(300, 1200).iter().cycle().take(3000).enumerate() {
        let mut author = Author::new(seed as u64);
        let mut parts = pieces(text);
        for _ in 0..=author.below(2) {
            let (a, b) = (author.below(parts.len()), author.below(parts.len()));
            match author.below(4) {
                0 => drop(parts.remove(a)),
                1 => parts.swap(a, b),
                2 => parts.insert(a, parts[b]),
                _ => parts.insert(a, author.pick(&["=", "(", ")", "if ", "not ", "\n", " ", ":", ",", "*", "'", "0"])),
            }
        }
        let text = parts.concat();
        let (_, problems) = parse(&text);
        for problem in &problems {
            let line = text.split('\n').nth(problem.span.line as usize - 1).expect("the line is there");
            assert!((1..=line.chars().count() + 1).contains(&(problem.span.column as usize)), "{problem:?}\n{text}");
        }
        if problems.is_empty() {
            accepted.push(text);
        }
    }
    assert!(accepted.len() > 300, "only {} of the broken texts mean something", accepted.len());
    same_trees(&accepted);
}
