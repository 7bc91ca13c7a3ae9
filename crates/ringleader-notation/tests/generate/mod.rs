//! Random protocols: texts of the whole notation that are read without a problem and mostly run without a fault.
//!
//! Every statement is one line, so that a line says where a fault is. Numbers stay small, and nothing is written on which Python and the
//! notation differ by design: names are not ordered, and exponents are not negative.

#![allow(dead_code, unreachable_pub, reason = "each test uses some of it")]

use ringleader::random::{GOLDEN, mix};

/// The domain of a variable of the generated class: text, and what the values are.
#[derive(Clone)]
enum Kind {
    /// The integers of `[low, high]`.
    Span(i64, i64),
    /// Some integers.
    Some(Vec<i64>),
    /// Names.
    Names(Vec<&'static str>),
    /// `None` or these parts.
    Maybe(Vec<Kind>),
    /// So many of these.
    Array(usize, Box<Kind>),
}

#[derive(Clone)]
struct Variable {
    name: String,
    kind: Kind,
    given: bool,
}

/// What can be named where an expression stands.
#[derive(Clone, Default)]
struct Scope {
    agents: Vec<String>,
    numbers: Vec<String>,
    truths: Vec<String>,
    /// Whether variables of agents may be written.
    writes: bool,
    /// Whether the ring is at hand.
    ring: bool,
    /// Whether a value may be returned.
    returns: bool,
    /// The helpers that may be called: those that were written before.
    helpers: usize,
    coins: Vec<(String, Kind)>,
}

/// Writes one protocol.
pub struct Author {
    state: u64,
    out: String,
    indent: usize,
    n: i64,
    variables: Vec<Variable>,
    names: usize,
    /// Whether each helper changes agents.
    helpers: Vec<bool>,
}

/// A protocol, and the size of ring that it is meant for; it can be read on others, too, if that is at least 3.
#[must_use]
pub fn protocol(seed: u64) -> (String, usize) {
    let mut author = Author {
        state: mix(seed ^ GOLDEN),
        out: String::new(),
        indent: 0,
        n: 0,
        variables: Vec::new(),
        names: 0,
        helpers: Vec::new(),
    };
    author.n = 3 + author.below(4) as i64;
    author.module();
    (author.out, author.n as usize)
}

const NAMES: [&str; 6] = ["Detect", "Construct", "A", "B", "idle", "c_1"];

impl Author {
    fn below(&mut self, n: usize) -> usize {
        self.state = self.state.wrapping_add(GOLDEN);
        (mix(self.state) % n as u64) as usize
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    fn line(&mut self, line: &str) {
        self.out += &format!("{}{line}\n", "    ".repeat(self.indent));
    }

    /// A name that nothing has.
    fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    // --- The module

    fn module(&mut self) {
        self.line("\"\"\"A generated protocol\n\nIt means nothing.\n\"\"\"");
        self.line("from ringleader.notation import *");
        let ring = self.pick(&["directed", "undirected"]);
        self.line(&format!("ring = {ring}"));
        self.line("K = 3");
        self.line("(LOW, HIGH) = (0 - 2, K * n % 5 + 1)");
        self.line("size: Param = max(2, ceil_log2(n)) + K");
        self.line("TABLE = tuple((i * i + n) % 4 for i in range(size) if i != 1)");
        self.line("require(size >= 2 and n >= 3, \"the ring is too small\")");
        self.class();
        for _ in 0..self.below(4) {
            self.helper();
        }
        self.interact();
        self.over_agents();
        self.over_rings();
    }

    fn class(&mut self) {
        self.line("class Agent:");
        self.indent += 1;
        for _ in 0..2 + self.below(5) {
            let array = self.chance(4);
            let scalar = self.kind(true);
            let kind = if array { Kind::Array(2 + self.below(2), Box::new(scalar)) } else { scalar };
            let (name, given) = (self.fresh("x"), self.chance(8));
            let domain = self.domain(&kind);
            let domain = if given { format!("given({domain})") } else { domain };
            let zero = match &kind {
                Kind::Span(low, high) if self.chance(4) => format!(" = {}", low + (high - low) / 2),
                Kind::Names(names) if self.chance(4) => format!(" = \"{}\"", names[names.len() - 1]),
                _ => String::new(),
            };
            self.line(&format!("{name}: {domain}{zero}"));
            self.variables.push(Variable { name, kind, given });
        }
        self.indent -= 1;
    }

    fn kind(&mut self, maybe: bool) -> Kind {
        match self.below(if maybe { 8 } else { 6 }) {
            0 => Kind::Span(0, 1),
            1 | 2 => {
                let low = self.below(7) as i64 - 3;
                Kind::Span(low, low + 1 + self.below(9) as i64)
            }
            3 => Kind::Span(0, self.n),
            4 => Kind::Some(self.pick(&[vec![1, 3, 5], vec![-2, -1, 1, 2], vec![7, 0, 2]])),
            5 => {
                let from = self.below(4);
                Kind::Names(NAMES[from..from + 2 + self.below(2)].to_vec())
            }
            _ => Kind::Maybe((0..self.pick(&[1, 2, 3])).map(|_| self.kind(false)).collect()),
        }
    }

    fn domain(&mut self, kind: &Kind) -> String {
        match kind {
            Kind::Span(0, 1) => "bit".to_owned(),
            Kind::Span(0, high) if *high == self.n => "span(0, n)".to_owned(),
            Kind::Span(low, high) => format!("span({low}, {high})"),
            Kind::Some(values) if *values == [-2, -1, 1, 2] => "span(LOW, -1) | span(1, 2)".to_owned(),
            Kind::Some(values) => format!("{{{}}}", join(values)),
            Kind::Names(names) => {
                format!("{{{}}}", names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", "))
            }
            Kind::Maybe(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.domain(part)).collect();
                format!("maybe({})", parts.join(", "))
            }
            Kind::Array(2, of) => format!("pair({})", self.domain(of)),
            Kind::Array(count, of) => format!("array({count}, {})", self.domain(of)),
        }
    }

    fn helper(&mut self) {
        let scope = Scope {
            agents: vec!["v".to_owned(), "w".to_owned()],
            numbers: vec!["a".to_owned()],
            returns: true,
            writes: self.chance(2),
            helpers: self.helpers.len(),
            ..Scope::default()
        };
        self.line(&format!("def help{}(v, w, a):", self.helpers.len()));
        self.helpers.push(scope.writes);
        self.body(scope, true);
    }

    fn interact(&mut self) {
        let mut scope = Scope {
            agents: vec!["l".to_owned(), "r".to_owned()],
            writes: true,
            helpers: self.helpers.len(),
            ..Scope::default()
        };
        let mut arguments = String::new();
        for _ in 0..self.pick(&[0, 0, 1, 2]) {
            let (name, kind) = (self.fresh("coin"), self.kind(false));
            arguments += &format!(", {name}: {}", self.domain(&kind));
            match kind {
                Kind::Names(_) => {}
                _ => scope.numbers.push(name.clone()),
            }
            scope.coins.push((name, kind));
        }
        if self.chance(4) {
            arguments += if self.chance(2) { ", known: oracle" } else { ", known: oracle(2 * n)" };
            scope.truths.push("known".to_owned());
        }
        self.line(&format!("def interact(l, r{arguments}):"));
        self.body(scope, false);
    }

    fn over_agents(&mut self) {
        let scope = Scope { agents: vec!["v".to_owned()], ..Scope::default() };
        if self.chance(2) {
            let test = self.truth(2, &scope);
            self.line(&format!("def leader(v): return {test}"));
        } else if self.chance(2) {
            let value = self.number(2, &scope);
            self.line(&format!("def output(v): return {value}"));
        }
    }

    fn over_rings(&mut self) {
        let scope = Scope {
            agents: vec!["u[0]".to_owned()],
            ring: true,
            returns: true,
            helpers: self.helpers.len(),
            ..Scope::default()
        };
        for name in ["safe", "some"] {
            if name == "some" {
                self.line("@phase");
            }
            self.line(&format!("def {name}(u):"));
            self.indent += 1;
            self.line("\"a set of configurations\"");
            let mut scope = scope.clone();
            for _ in 0..self.below(3) {
                self.statement(2, &mut scope);
            }
            let test = self.truth(3, &scope);
            self.line(&format!("return {test}"));
            self.indent -= 1;
        }
        self.line("@start");
        self.line("def wild(u):");
        self.indent += 1;
        let mut scope = Scope { writes: true, returns: false, ..scope };
        for _ in 0..=self.below(3) {
            self.statement(2, &mut scope);
        }
        self.indent -= 1;
    }

    // --- Statements

    fn body(&mut self, mut scope: Scope, returns: bool) {
        self.indent += 1;
        for _ in 0..1 + self.below(4) {
            self.statement(3, &mut scope);
        }
        if returns {
            let value = self.number(2, &scope);
            self.line(&format!("return {value}"));
        }
        self.indent -= 1;
    }

    fn block(&mut self, depth: usize, scope: &Scope) {
        self.indent += 1;
        let mut inner = scope.clone();
        for _ in 0..=self.below(2) {
            self.statement(depth - 1, &mut inner);
        }
        self.indent -= 1;
    }

    fn statement(&mut self, depth: usize, scope: &mut Scope) {
        match self.below(if depth > 0 { 16 } else { 8 }) {
            0..=4 if scope.writes => self.store(scope),
            5 => {
                let (value, name) = (self.number(2, scope), self.fresh("t"));
                self.line(&format!("{name} = {value}"));
                scope.numbers.push(name);
            }
            6 if !scope.numbers.is_empty() && self.chance(2) => self.swap(scope),
            7 if self.chance(4) => {
                let test = self.truth(1, scope);
                let line =
                    self.pick(&["assert TEST, \"it must\"", "assert TEST", "require(TEST, \"it must\")", "pass"]);
                self.line(&line.replace("TEST", &test));
            }
            8..=11 => {
                let test = self.truth(2, scope);
                self.line(&format!("if {test}:"));
                self.block(depth, scope);
                if self.chance(3) {
                    let test = self.truth(1, scope);
                    self.line(&format!("elif {test}:"));
                    self.block(depth, scope);
                }
                if self.chance(2) {
                    self.line("else:");
                    self.block(depth, scope);
                }
            }
            12 | 13 => self.repeat(depth, scope),
            14 if scope.helpers > 0 => {
                let call = self.call(1, scope).unwrap_or("pass".to_owned());
                self.line(&call);
            }
            15 if scope.returns && self.chance(6) => {
                // Somewhere in the middle, where nothing follows in its block.
                let test = self.truth(1, scope);
                let value = self.number(1, scope);
                self.line(&format!("if {test}: return {value}"));
            }
            _ => {
                let (test, value) = (self.truth(1, scope), self.number(1, scope));
                let name = self.fresh("t");
                self.line(&format!("{name} = {value} if {test} else K"));
                scope.numbers.push(name);
            }
        }
    }

    fn repeat(&mut self, depth: usize, scope: &Scope) {
        let mut inner = scope.clone();
        let name = self.fresh("i");
        match self.below(4) {
            0 if scope.ring => {
                self.line(&format!("for {name} in u:"));
                inner.agents.push(name);
            }
            0 => {
                let agents = scope.agents.join(", ");
                self.line(&format!("for {name} in ({agents},):"));
                inner.agents = vec![name];
            }
            1 => {
                let value = self.number(1, scope);
                self.line(&format!("for {name} in ({value}, K, -1):"));
                inner.numbers.push(name);
            }
            2 => {
                let (other, value) = (self.fresh("i"), self.number(1, scope));
                self.line(&format!("for ({name}, {other}) in ((0, {value}), (1, 2)):"));
                inner.numbers.extend([name, other]);
            }
            _ => {
                let range = self.range(scope);
                self.line(&format!("for {name} in {range}:"));
                inner.numbers.push(name);
            }
        }
        self.block(depth, &inner);
    }

    fn range(&mut self, scope: &Scope) -> String {
        let value = self.number(1, scope);
        match self.below(4) {
            0 => "range(n)".to_owned(),
            1 => format!("range(({value}) % 4)"),
            2 => format!("range(-1, ({value}) % 3)"),
            _ => format!("range({}, ({value}) % 3, {})", self.below(5), self.pick(&["-1", "2", "-2", "K"])),
        }
    }

    fn swap(&mut self, scope: &mut Scope) {
        let (a, b) = (self.pick(&scope.numbers), self.number(1, scope));
        let (c, d) = (self.fresh("t"), self.fresh("t"));
        self.line(&format!("({c}, {d}) = ({b}, {a})"));
        scope.numbers.extend([c, d]);
    }

    /// A place of an agent that can be written, with what it may hold; now and then one element too far.
    fn place(&mut self, scope: &Scope) -> Option<(String, Kind)> {
        let free: Vec<Variable> = self.variables.iter().filter(|variable| !variable.given).cloned().collect();
        let (agent, variable) = (self.agent(scope), free.get(self.below(free.len().max(1)))?.clone());
        let name = format!("{agent}.{}", variable.name);
        match variable.kind {
            Kind::Array(count, of) if !self.chance(4) => {
                let index = if self.chance(30) { count.to_string() } else { self.index(count, scope) };
                Some((format!("{name}[{index}]"), *of))
            }
            kind => Some((name, kind)),
        }
    }

    fn index(&mut self, count: usize, scope: &Scope) -> String {
        match self.below(3) {
            0 => format!("({}) % {count}", self.number(1, scope)),
            1 => "-1".to_owned(),
            _ => self.below(count).to_string(),
        }
    }

    fn store(&mut self, scope: &Scope) {
        let Some((place, kind)) = self.place(scope) else { return self.line("pass") };
        let value = self.value(&kind, 2, scope);
        match self.below(6) {
            0 => {
                let Some((other, of)) = self.place(scope) else { return self.line("pass") };
                let second = self.value(&of, 1, scope);
                self.line(&format!("({place}, {other}) = ({value}, {second})"));
            }
            1 if let Kind::Span(low, high) = kind => {
                let operator = self.pick(&["+=", "-=", "*=", "//=", "%="]);
                let test = format!("if {low} < {place} < {high}: {place} {operator} 1");
                self.line(&test);
            }
            2 => {
                // Both take the value, the first first. That a variable never has a name is seen when a file is read.
                let name = value.contains('"');
                let Some((other, _)) = self.place(scope).filter(|_| !name && self.chance(8)) else {
                    return self.line(&format!("{place} = {value}"));
                };
                self.line(&format!("{place} = {other} = {value}"));
            }
            _ => self.line(&format!("{place} = {value}")),
        }
    }

    /// An expression for a value of a domain; now and then for one outside.
    fn value(&mut self, kind: &Kind, depth: usize, scope: &Scope) -> String {
        if self.chance(40) {
            // Such that it is not noticed before it is run.
            return format!("({}, 0)[0]", self.pick(&["99", "None", "-17", "(0, 0)", "True", "n"]));
        }
        match kind {
            Kind::Span(0, 1) if self.chance(2) => self.truth(depth, scope),
            Kind::Span(low, high) => {
                let (size, value) = (high - low + 1, self.number(depth, scope));
                match self.below(3) {
                    0 => format!("min(max({value}, {low}), {high})"),
                    1 => format!("{low} + ({value}) % {size}"),
                    _ => self.pick(&[low.to_string(), high.to_string()]),
                }
            }
            Kind::Some(values) => {
                let (value, all) = (self.number(depth, scope), join(values));
                match self.below(3) {
                    0 => format!("({all})[({value}) % {}]", values.len()),
                    1 => format!("{value} if {value} in ({all}) else {}", values[0]),
                    _ => self.pick(values).to_string(),
                }
            }
            Kind::Names(names) => {
                let (a, b) = (self.pick(names), self.pick(names));
                if self.chance(2) {
                    format!("\"{a}\"")
                } else {
                    format!("\"{a}\" if {} else \"{b}\"", self.truth(1, scope))
                }
            }
            Kind::Maybe(_) if self.chance(3) => "None".to_owned(),
            Kind::Maybe(parts) => {
                let values: Vec<String> =
                    parts.iter().map(|part| format!("({})", self.value(part, 1, scope))).collect();
                if values.len() == 1 { values[0].clone() } else { format!("({})", values.join(", ")) }
            }
            Kind::Array(count, of) => {
                let values: Vec<String> = (0..*count).map(|_| self.value(of, 1, scope)).collect();
                format!("({})", values.join(", "))
            }
        }
    }

    // --- Expressions

    fn agent(&mut self, scope: &Scope) -> String {
        if scope.ring && self.chance(2) {
            let index = self.number(1, &Scope { ring: false, agents: Vec::new(), helpers: 0, ..scope.clone() });
            return format!("u[{index}]");
        }
        self.pick(&scope.agents)
    }

    /// A place that can be read, with what it may hold.
    fn read(&mut self, scope: &Scope) -> Option<(String, Kind)> {
        if scope.agents.is_empty() || self.variables.is_empty() {
            return None;
        }
        let (agent, variables) = (self.agent(scope), self.variables.clone());
        let Variable { name, kind, .. } = self.pick(&variables);
        match kind {
            Kind::Array(count, of) => {
                let index = self.below(count);
                Some((format!("{agent}.{name}[{index}]"), *of))
            }
            kind => Some((format!("{agent}.{name}"), kind)),
        }
    }

    fn call(&mut self, depth: usize, scope: &Scope) -> Option<String> {
        let helper = self.below(scope.helpers.max(1));
        if !self.helpers.get(helper).is_some_and(|writes| scope.writes || !writes) || helper >= scope.helpers {
            return None;
        }
        let (a, b) = (self.agent(scope), self.agent(scope));
        let value = self.number(depth.min(1), &Scope { helpers: 0, ..scope.clone() });
        Some(format!("help{helper}({a}, {b}, {value})"))
    }

    /// A number in an atom of its own.
    fn atom(&mut self, scope: &Scope) -> String {
        match self.below(6) {
            0 => self.pick(&["0", "1", "2", "-1", "5", "True"]).to_owned(),
            1 => self.pick(&["n", "K", "LOW", "HIGH", "size", "TABLE[0]", "len(TABLE)"]).to_owned(),
            2 if !scope.numbers.is_empty() => self.coin_or(scope),
            _ => match self.read(scope) {
                Some((place, Kind::Span(..) | Kind::Some(_))) => place,
                Some((place, Kind::Maybe(parts))) if matches!(parts[0], Kind::Span(..) | Kind::Some(_)) => {
                    let part = if parts.len() == 1 { place.clone() } else { format!("{place}[0]") };
                    // Now and then nobody looks whether it is there.
                    if self.chance(20) { part } else { format!("({part} if {place} is not None else 0)") }
                }
                _ => "K".to_owned(),
            },
        }
    }

    fn coin_or(&mut self, scope: &Scope) -> String {
        self.pick(&scope.numbers)
    }

    fn number(&mut self, depth: usize, scope: &Scope) -> String {
        if depth == 0 {
            return self.atom(scope);
        }
        let a = self.number(depth - 1, scope);
        let mut b = || self.atom(scope);
        let (b, c) = (b(), b());
        match self.below(22) {
            0 | 1 => format!("{a} + {b}"),
            2 | 3 => format!("{a} - {b}"),
            4 => format!("({a}) * {b}"),
            5 => format!("({a}) // {}", self.pick(&["2", "3", "-2", "K"])),
            6 => format!("({a}) % {}", self.pick(&["2", "3", "-3", "size"])),
            7 if self.chance(4) => format!("({a}) {} ({b})", self.pick(&["//", "%"])),
            8 => format!("-({a})"),
            9 => format!("abs({a})"),
            10 => format!("{}({a}, {b}, {c})", self.pick(&["min", "max"])),
            11 => format!("({a} if {} else {b})", self.truth(depth - 1, scope)),
            12 => format!("({a}, {b}, {c})[({a}) % 3]"),
            13 => {
                let (name, range) = (self.fresh("j"), self.range(&Scope { helpers: 0, ..scope.clone() }));
                let mut inner = scope.clone();
                inner.numbers.push(name.clone());
                let (element, test) = (self.number(1, &inner), self.truth(1, &inner));
                format!("sum({element} for {name} in {range} if {test})")
            }
            14 => format!("len(({a}, {b}) + TABLE)"),
            15 => format!("ceil_log2(1 + abs({a}))"),
            16 => format!("2 ** (({a}) % 4)"),
            17 => format!("({a} {} {b})", self.pick(&["or", "and"])),
            18 => format!("({}) + {a}", self.truth(depth - 1, scope)),
            19 => self.call(depth, scope).unwrap_or(a),
            20 => {
                let name = self.fresh("j");
                format!("{}({name} * {b} for {name} in ({a}, {c}))", self.pick(&["min", "max"]))
            }
            _ => format!("(+{a})"),
        }
    }

    fn truth(&mut self, depth: usize, scope: &Scope) -> String {
        let a = self.number(depth.saturating_sub(1), scope);
        let b = self.atom(scope);
        if depth == 0 {
            return format!("{a} {} {b}", self.pick(&["==", "!=", "<", "<=", ">", ">="]));
        }
        match self.below(18) {
            0..=3 => format!("{a} {} {b}", self.pick(&["==", "!=", "<", "<=", ">", ">="])),
            4 => format!("{a} {} {b} {} K", self.pick(&["<", "==", "<="]), self.pick(&["<", "!=", ">="])),
            5 => format!("{a} {} {{0, {b}, -1}}", self.pick(&["in", "not in"])),
            6 => format!("{a} {} ({b}, None, 2)", self.pick(&["in", "not in"])),
            7 => format!("{a} {} {}", self.pick(&["in", "not in"]), self.range(scope)),
            8 => format!("({} and {})", self.truth(depth - 1, scope), self.truth(depth - 1, scope)),
            9 => format!("({} or {})", self.truth(depth - 1, scope), self.truth(depth - 1, scope)),
            10 => format!("not ({})", self.truth(depth - 1, scope)),
            11 => format!("({a}, {b}) {} (K, {})", self.pick(&["==", "!="]), self.atom(scope)),
            12 if !scope.truths.is_empty() => self.pick(&scope.truths),
            13 => {
                let name = self.fresh("j");
                let (over, inner) = if scope.ring {
                    ("u".to_owned(), Scope { agents: vec![name.clone()], ..scope.clone() })
                } else {
                    let mut inner = scope.clone();
                    inner.numbers.push(name.clone());
                    (self.range(scope), inner)
                };
                format!("{}({} for {name} in {over})", self.pick(&["any", "all"]), self.truth(1, &inner))
            }
            _ => self.about_place(scope).unwrap_or_else(|| format!("({a}) != 0")),
        }
    }

    /// Something about a variable, by what it may hold.
    fn about_place(&mut self, scope: &Scope) -> Option<String> {
        let (place, kind) = self.read(scope)?;
        let equal = self.pick(&["==", "!="]);
        Some(match kind {
            Kind::Names(names) => {
                let (a, b) = (self.pick(&names), self.pick(&names));
                self.pick(&[format!("{place} {equal} \"{a}\""), format!("{place} in (\"{a}\", \"{b}\")")])
            }
            Kind::Maybe(parts) => match self.below(4) {
                0 => format!("{place} is None"),
                1 => format!("{place} is not None"),
                2 => format!("{place} {equal} {place}"),
                _ if parts.len() > 1 => {
                    format!("({place} is not None and {place}[-1] == {place}[{}])", parts.len() - 1)
                }
                _ => format!("not {place}"),
            },
            _ => place,
        })
    }
}

fn join(values: &[i64]) -> String {
    values.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
}
