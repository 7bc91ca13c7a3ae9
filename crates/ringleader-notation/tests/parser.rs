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
    "x = 'a\\'b' \"c\\\"d\\n\\t\\r\\\\\" 'e\\\nf' '''g'h''' \"\"\"\"i\"\"\"\ny = ('ψ' 'κ') + f('κ', z)\n",
    "x = 1 + \\\n    2\nif a and \\\n b:\n    pass\nx = (1, # 1\n\n  # comment\n2, # 2\n  )\n",
    "x = f(\n'ψψ', a)\r\ny = '''a\r\nb'''\r\n",
    "x = True, False, None\nx = match; match = x; type = print(x)\n",
    "rules = {(\"A\", \"B\"): (\"C\", \"D\"), (\"C\", \"C\"): {(\"A\", \"C\"): 0.5, (\"C\", \"B\"): 0.5}}\notherwise = mirrored\n",
];

#[test]
fn trees_are_cpythons_by_hand() {
    let texts: Vec<_> = BY_HAND.iter().map(|t| t.to_string()).collect();
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

#[test]
fn numbers_at_the_end_of_lines_are_the_papers() {
    let text = "x = 1 # 12\n# 13\ny = (1,  #  14-16\n     # 17\n  2) # 18, 19\nz = 3 # line 20\nw = '# 21' # 22 23\npass ## 24 \n";
    let lines: Vec<_> = [(1, "12"), (3, "14-16"), (5, "18, 19"), (8, "24")].map(|(k, t)| (k, t.to_string())).into();
    assert_eq!(parse(text).0.paper_lines, lines);
}

#[test]
fn all_problems_of_a_file_are_shown() {
    let text = "def f(v):\n    while v.x:\n        v.x = [1]\n    if v.x = 1\n        return true\n    return (v.x\n\n\
                @start\ndef g(u):\n    u[0].x =\n    else if a:\n        pass\n  pass\n";
    let expected = "\
p.py:2:5: `while` is not part of the notation
2 |     while v.x:
  |     ^^^^^
  = a loop over `range(...)` is
p.py:3:15: a list is not part of the notation
3 |         v.x = [1]
  |               ^
  = a tuple is: `(a, b)`, or `tuple(f(x) for x in ...)`
p.py:4:12: `=` in a condition
4 |     if v.x = 1
  |            ^
  = did you mean `==`?
p.py:4:15: expected `:`, found the end of the line
4 |     if v.x = 1
  |               ^
p.py:5:16: `true` is not part of the notation
5 |         return true
  |                ^^^^
  = it is written `True`
p.py:6:12: `(` is never closed
6 |     return (v.x
  |            ^
p.py:10:13: expected an expression, found the end of the line
10 |     u[0].x =
   |             ^
p.py:11:5: `else` alone is not part of the notation
11 |     else if a:
   |     ^^^^
   = no `if` stands before it, with the same indentation
p.py:13:1: the indentation by 2 matches no block
13 |   pass
   | ^^
   = the blocks around it are indented by 0 and by 4";
    assert_eq!(rendered(text), expected);
}

/// Texts that are refused: how each problem is shown, `place: what|help`; what is said begins so, and the help has that part.
const BROKEN: &[(&str, &[&str])] = &[
    ("while x:\n    y = 1\n", &["1:1: `while` is not part of the notation|a loop over `range(...)` is"]),
    ("try:\n    x = 1 +\nexcept E:\n    x = 2\nfinally:\n    pass\n", &["1:1: `try`", "2:12: expected an expression"]),
    ("with a as b: pass\n", &["1:1: `with`"]),
    ("raise x\nbreak\ncontinue\ndel x\n", &["1:1: `raise`", "2:1: `break`", "3:1: `continue`", "4:1: `del`"]),
    ("global x\nnonlocal y\n", &["1:1: `global`", "2:1: `nonlocal`"]),
    ("async def f(): pass\nyield x\nx = await y\n", &["1:1: `async`", "2:1: `yield`", "3:5: `await`"]),
    ("match x:\n    case 1:\n        pass\n", &["1:1: `match`|`if`, `elif`", "2:5: `case`"]),
    ("import math\n", &["1:1: `import` is not part of the notation|from ringleader.notation import *"]),
    ("from random import randint\n", &["1:1: `random` cannot be imported|from ringleader.notation import *"]),
    ("from ringleader.notation import span as s\n", &["1:38: `as`"]),
    ("def f():\n    from ringleader.notation import *\n", &["2:5: an import inside"]),
    ("x = lambda a: a\n", &["1:5: `lambda`|`def`"]),
    ("y = (z := 3)\n", &["1:8: `:=`"]),
    ("x = [i for i in u]\n", &["1:5: a list|tuple"]),
    ("y = {i for i in u}\nz = {i: 1 for i in u}\n", &["1:8: a set or a table made by `for`", "2:11: a set or a table"]),
    ("x = u[1:2] + u[:1] + u[::]\n", &["1:8: a slice", "1:16: a slice", "1:24: a slice"]),
    ("f(*a)\ng(**b)\n*a, b = c\n", &["1:3: `*` in front of a value", "2:3: `**` in front", "3:1: `*` in front"]),
    ("def f(a, b=1): pass\n", &["1:11: a default argument"]),
    ("def f(a, *b): pass\ndef g(**c): pass\n", &["1:10: `*` in front of an argument", "2:7: `*` in front"]),
    ("def f(a) -> int:\n    pass\n", &["1:10: `->`|leave out"]),
    ("def f():\n    def g(): pass\n    class A: pass\n", &["2:5: a function in", "3:5: a class in"]),
    ("class A(B):\n    def f(v): return 1\n", &["1:8: a class built on others", "2:5: a function in"]),
    ("x = a / b\nx /= 2\n", &["1:7: `/`|`//`", "2:3: `/=`|`//=`"]),
    ("x = a << b >> c\n", &["1:7: `<<`|2 ** k", "1:12: `>>`|2 ** k"]),
    ("x = a & b ^ ~c @ d\n", &["1:7: `&`", "1:11: `^`", "1:13: `~`", "1:16: `@`"]),
    (
        "x = f\"{a}\" + rb'\\d' + r'\\d' + u''\n",
        &["1:5: an f-string", "1:14: a text of bytes", "1:23: a raw", "1:31: `u`"],
    ),
    ("for x in u:\n    pass\nelse:\n    pass\n", &["3:1: `else` of a loop"]),
    ("x = a is 3\nx = a is not b\n", &["1:10: `is` compares with `None` only|`==`", "2:14: `is`|`!=`"]),
    ("if a && b || !c:\n    pass\n", &["1:6: `&&`|`and`", "1:11: `||`|`or`", "1:14: `!`|`not`"]),
    ("x++\nx--;\n", &["1:2: `++`|`x += 1`", "2:2: `--`|`x -= 1`"]),
    ("if a: pass\nelse if b: pass\nelif c: pass\nelsif d: pass\n", &["2:6: `else if`|`elif`", "4:1: `elsif`|`elif`"]),
    ("x = true and false or null\n", &["1:5: `true`|`True`", "1:14: `false`|`False`", "1:23: `null`|`None`"]),
    ("if a == 1\n    pass\nx = 1\n", &["1:10: expected `:`, found the end of the line"]),
    ("if x then:\n    pass\n", &["1:6: expected `:`, found `then`"]),
    ("if x = 1: pass\nassert y = 2\n", &["1:6: `=` in a condition|did you mean `==`?", "2:10: `=` in a condition"]),
    ("x = (a = 3)\n", &["1:8: expected `)`, found `=`|did you mean `==`?"]),
    ("x == 1\ny\n", &["1:1: the value is not used|one `=`", "2:1: the value is not used"]),
    ("x = (1, 2]\ny = f(a))\n", &["1:10: `]` does not close `(`|line 1, column 5", "2:9: `)` closes nothing"]),
    ("x = (1,\ny = 2\n", &["1:5: `(` is never closed"]),
    ("def f(v) {\n  return v\n}\n", &["1:10: `{` is never closed|indented", "3:1: `}` closes nothing"]),
    ("if a:\n        x = 1\n    y = 2\n", &["3:1: the indentation by 4 matches no block|by 0 and by 8"]),
    ("if a:\n\tx = 1\n\ty = 2\n", &["2:1: a tab in the indentation|spaces"]),
    ("if a:\nx = 1\n", &["2:1: expected an indented block"]),
    ("x = 1\n  y = 1\n", &["2:1: the line is indented"]),
    ("x = 9223372036854775808 + 0x8000000000000000\n", &["1:5: `9223372036854775808` is too large", "1:27: `0x8"]),
    ("x = 012 + 1abc + 1__0 + 1e + 0b12\n", &["1:5: `012` begins with 0", "1:11: `1abc`", "1:18", "1:25", "1:30"]),
    ("x = 'abc\ny = \"\"\"\n", &["1:5: the text is never closed", "2:5: the text is never closed"]),
    ("x = '\\psi'\n", &["1:6: `\\p` is not part of the notation|`\\\\`"]),
    ("ψ = 3\nx = a ≤ b\nx =\u{a0}1\n", &["1:1: `ψ` is not a name", "2:7: `≤`|`<=`", "3:4: `\\u{a0}`"]),
    ("x = a ? b : c\nx = ...\n", &["1:7: `?`|a if condition else b", "2:5: `...`"]),
    ("x = a if b\n", &["1:11: expected `else`"]),
    (
        "f(a) = 3\n(a, b) += 1\nNone = 1\n",
        &["1:1: nothing can be assigned", "2:1: nothing can be", "3:1: nothing can be"],
    ),
    ("for f() in u: pass\nfor i = 1: pass\n", &["1:5: nothing can be assigned", "2:7: expected `in`|for x in range"]),
    ("return 3\n", &["1:1: `return` outside a function"]),
    ("v.x: bit = 1\n", &["1:1: only a name"]),
    ("@start\nx = 1\n@a.b\ndef f(): pass\n", &["2:1: expected `def`", "3:2: what stands behind `@`"]),
    ("if a: for x in u: pass\n", &["1:7: expected a statement of one line, found `for`"]),
    ("x = f(a b)\n", &["1:9: expected `)`, found `b`"]),
    ("x = f(a for a in b, c)\ny = f(k=1, 2)\n", &["1:19: expected `)`", "2:12: an argument without a name"]),
    ("x = a + \\ b\n", &["1:9: `\\`|last character"]),
];

#[test]
fn what_is_refused_is_explained() {
    for (text, expected) in BROKEN {
        let problems = parse(text).1;
        let said: Vec<_> =
            problems.iter().map(|p| (format!("{}:{}: {}", p.span.line, p.span.column, p.what), &p.help)).collect();
        assert_eq!(said.len(), expected.len(), "{said:#?}\n{text}");
        for ((what, help), expected) in said.iter().zip(*expected) {
            let (start, part) = expected.rsplit_once('|').unwrap_or((expected, ""));
            assert!(what.starts_with(start) && help.contains(part), "{what} | {help}\nbut not {expected}\n{text}");
        }
    }
}

/// Texts that are made to break a parser end, with few messages; the trees of those that are accepted can be walked.
#[test]
fn hostile_texts_end() {
    let many = |head: &str, part: &str, tail: &str| format!("{head}{}{tail}", part.repeat(1_000_000 / part.len()));
    let refused = [
        many("", "(", ""),
        many("", ")", ""),
        many("", "([{", ""),
        many("", "(\n", ""),
        many("", "()", ""),
        many("", "{1:", ""),
        many("", "a", ""),
        many("", "a ", ""),
        many("x = ", "not ", ""),
        many("x = ", "-", "1"),
        many("x = 1", "**1", ""),
        many("x = 1", "+1", ""),
        many("x = a", ".a", ""),
        many("x = ", "1 if 1 else ", "1"),
        many("if a: pass\n", "elif a: pass\n", ""),
        many("if a: pass\n", "else if a: pass\n", ""),
        many("", "if x:\n", ""),
        (0..1400).map(|k| " ".repeat(k) + "if a:\n").collect(),
        many("x = ", "9", ""),
        many("", "'", ""),
        many("", "\0", ""),
        many("", "\\", ""),
        many("", "🦀", ""),
        many("from a", ".a", " import *"),
        many("", "a=", ""),
        many("", "@a\n", ""),
        many("", "f(\nreturn\n", ""),
        many("", "a", &"a".repeat(100_000)),
    ];
    for text in refused {
        let problems = parse(&text).1;
        let start: String = text.chars().take(20).collect();
        assert!((1..=100).contains(&problems.len()), "{} for {start}", problems.len());
        assert!(rendered(&text).len() < 20_000, "{start}");
    }
    for text in [
        many("", "f()\n", ""),
        many("x = (", "1,", ")"),
        many("x = a", "<a", ""),
        many("", "\\\n", ""),
        many("", "#", ""),
        many("", "\r", ""),
    ] {
        let (module, problems) = parse(&text);
        assert!(problems.is_empty());
        assert_eq!(module.clone(), module);
    }
}
