//! The domains of variables, and rule tables.

use super::*;

impl Resolver {
    /// The names and domains of variables; bounds of domains are resolved later.
    pub(super) fn class(&mut self, name: &ast::Name, body: &[ast::Stmt]) {
        if name.text != "Agent" {
            let help = "the variables of an agent are in `class Agent:`";
            self.wrong(name.span, format!("`class {}` is not part of the notation", name.text), help);
        }
        if !self.program.variables.is_empty() {
            self.wrong(name.span, "there is a `class Agent` already", "one class has all variables");
        }
        for stmt in body {
            match &stmt.kind {
                ast::StmtKind::AnnAssign { target, annotation, .. } => {
                    self.variable(target, annotation);
                }
                ast::StmtKind::Pass => {}
                ast::StmtKind::Expr(text) if matches!(text.kind, ast::ExprKind::Str(_)) => {}
                _ => {
                    let help = "a variable is a line such as `leader: bit` or `dist: span(0, 7)`";
                    self.wrong(stmt.span, "a class has variables only", help);
                }
            }
        }
        if self.program.variables.is_empty() && self.unread.is_empty() {
            self.wrong(name.span, "the agents have no variables", "a variable is a line such as `leader: bit`");
        }
    }

    pub(super) fn variable(&mut self, target: &ast::Expr, annotation: &ast::Expr) {
        let ast::ExprKind::Name(name) = &target.kind else {
            return self.wrong(target.span, "a variable of an agent has a plain name", "");
        };
        if self.program.variables.iter().any(|known| known.name == *name) {
            return self.wrong(target.span, format!("there is a variable `{name}` already"), "");
        }
        let (given, annotation) = match call_of(annotation, "given") {
            Some([inner]) => (true, inner),
            _ => (false, annotation),
        };
        // Its number is needed for the names of its domain; both domain and zero follow once constants are known.
        let place = self.program.variables.len();
        if place == MOST_VARIABLES {
            let what = format!("the agents have more than {MOST_VARIABLES} variables");
            self.wrong(target.span, what, "an `array(k, ...)` is one variable with k values");
        }
        if place >= MOST_VARIABLES {
            return;
        }
        let span = target.span;
        let domain = DomainExpr { span: annotation.span, kind: DomainKind::Bit };
        self.program.variables.push(VariableDecl { name: name.clone(), span, domain, given, zero: None });
        self.kinds.push(Kind::of_domain(annotation));
        self.names_of(annotation, place);
    }

    /// The names in quotes that a domain has.
    pub(super) fn names_of(&mut self, domain: &ast::Expr, variable: usize) {
        match &domain.kind {
            ast::ExprKind::Set(items) => {
                for item in items.iter().take(MOST_LISTED) {
                    if let ast::ExprKind::Str(name) = &item.kind {
                        if name.chars().count() > LONGEST_NAME {
                            let what = format!("a name of {} letters", name.chars().count());
                            self.wrong(item.span, what, format!("at most {LONGEST_NAME} are allowed"));
                        }
                        self.intern(name, variable);
                    }
                }
            }
            ast::ExprKind::Call { func, args, .. } => {
                let labels = matches!(&func.kind, ast::ExprKind::Name(name) if name == "pair" || name == "array");
                let parts = args.iter().filter(|arg| !(labels && matches!(arg.kind, ast::ExprKind::Str(_))));
                parts.for_each(|part| self.names_of(part, variable));
            }
            ast::ExprKind::BinOp { left, right, .. } => {
                self.names_of(left, variable);
                self.names_of(right, variable);
            }
            _ => {}
        }
    }

    pub(super) fn intern(&mut self, name: &str, variable: usize) -> usize {
        self.known.entry(name.to_owned()).or_default().push(variable);
        self.number(name)
    }

    /// The number of a name in quotes.
    pub(super) fn number(&mut self, name: &str) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        self.program.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), self.program.names.len() - 1);
        self.program.names.len() - 1
    }

    pub(super) fn domains(&mut self, body: &[ast::Stmt], scope: &mut Scope) {
        for stmt in body {
            let ast::StmtKind::AnnAssign { target, annotation, value } = &stmt.kind else { continue };
            let Some(place) = self.program.variables.iter().position(|known| known.span == target.span) else {
                continue;
            };
            let annotation = match call_of(annotation, "given") {
                Some([inner]) => inner,
                _ => annotation,
            };
            if let Some(domain) = self.domain(annotation, scope) {
                self.program.variables[place].domain = domain;
            }
            self.program.variables[place].zero = value.as_ref().map(|value| self.expr(value, scope));
        }
    }

    /// The domain that an expression names.
    pub(super) fn domain(&mut self, expr: &ast::Expr, scope: &mut Scope) -> Option<DomainExpr> {
        let help =
            "a domain is `bit`, `span(a, b)`, `{\"A\", \"B\"}`, `maybe(...)`, `pair(...)`, `array(k, ...)` or `a | b`";
        let span = expr.span;
        let kind = match &expr.kind {
            ast::ExprKind::Name(word) if word == "bit" => DomainKind::Bit,
            ast::ExprKind::Set(items) if items.len() > MOST_LISTED => {
                let what = format!("a domain of {} values that are listed", items.len());
                self.wrong(span, what, format!("at most {MOST_LISTED} are; `span(a, b)` has all numbers from a to b"));
                return None;
            }
            ast::ExprKind::Set(items) => DomainKind::Set(items.iter().map(|item| self.expr(item, scope)).collect()),
            ast::ExprKind::BinOp { left, op: BinOp::BitOr, right } => {
                let (left, right) = (self.domain(left, scope), self.domain(right, scope));
                DomainKind::Union(vec![left?, right?])
            }
            ast::ExprKind::Call { func, args, keywords } if keywords.is_empty() => {
                let ast::ExprKind::Name(word) = &func.kind else {
                    self.wrong(span, "this is no domain", help);
                    return None;
                };
                match (word.as_str(), args.as_slice()) {
                    ("span", [low, high]) => DomainKind::Span(self.expr(low, scope), self.expr(high, scope)),
                    ("span", _) => {
                        self.wrong(span, "a span has two ends", "write `span(0, 7)`; both ends are included");
                        return None;
                    }
                    ("maybe", parts) if !parts.is_empty() => {
                        let parts: Vec<_> = parts.iter().map(|part| self.domain(part, scope)).collect();
                        DomainKind::Maybe(parts.into_iter().collect::<Option<_>>()?)
                    }
                    ("pair", [of, labels @ ..]) => {
                        let two = Expr { span, kind: ExprKind::Const(Value::Int(2)) };
                        self.array(two, of, labels, scope)?
                    }
                    ("array", [count, of, labels @ ..]) => {
                        let count = self.expr(count, scope);
                        self.array(count, of, labels, scope)?
                    }
                    ("given", _) => {
                        self.wrong(
                            span,
                            "`given(...)` goes round the whole domain of a variable",
                            "write `x: given(span(0, 4))`",
                        );
                        return None;
                    }
                    ("maybe" | "pair" | "array", _) => {
                        let help = "as in `maybe(bit)`, `pair(bit)`, `array(3, bit)`";
                        self.wrong(span, format!("`{word}(...)` has a domain in it"), help);
                        return None;
                    }
                    _ => {
                        let near = near(word, ["bit", "span", "maybe", "pair", "array", "given"]);
                        let meant = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                        let help = domain_instead(func).unwrap_or(help);
                        self.wrong(span, format!("`{word}(...)` is no domain{meant}"), help);
                        return None;
                    }
                }
            }
            _ => {
                let word = if let ast::ExprKind::Name(word) = &expr.kind { word } else { "" };
                let near = near(word, ["bit", "span", "maybe", "pair", "array", "given", "oracle"]);
                let meant = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                self.wrong(span, format!("this is no domain{meant}"), domain_instead(expr).unwrap_or(help));
                return None;
            }
        };
        Some(DomainExpr { span, kind })
    }

    pub(super) fn array(
        &mut self,
        count: Expr,
        of: &ast::Expr,
        labels: &[ast::Expr],
        scope: &mut Scope,
    ) -> Option<DomainKind> {
        let mut names = Vec::new();
        for label in labels {
            match &label.kind {
                ast::ExprKind::Str(name) => names.push(name.clone()),
                _ => self.wrong(
                    label.span,
                    "the names of elements are texts in quotes",
                    "write `pair(bit, \"left\", \"right\")`",
                ),
            }
        }
        Some(DomainKind::Array(count, Box::new(self.domain(of, scope)?), names))
    }

    pub(super) fn rules(
        &mut self,
        targets: &[ast::Expr],
        table: &ast::Expr,
        states: Option<&ast::Expr>,
        otherwise: Option<&ast::Expr>,
        _scope: &mut Scope,
    ) {
        let named = targets.first().map_or(table.span, |target| target.span);
        if !self.program.variables.is_empty() {
            return self.wrong(
                named,
                "a file has `class Agent` or a rule table, not both",
                "the state of a table is the variable `state`",
            );
        }
        if let Some(&own) = self.functions.get("interact") {
            let span = self.program.functions[own].span;
            return self.wrong(
                span,
                "a file has `interact` or a rule table, not both",
                "`def otherwise(l, r)` says what other pairs do",
            );
        }
        let other = match (otherwise.map(|other| (&other.kind, other.span)), self.functions.get("otherwise")) {
            (None, Some(&function)) => Otherwise::Function(function),
            (None, None) => Otherwise::Mirrored,
            (Some((ast::ExprKind::Name(word), _)), None) if word == "mirrored" => Otherwise::Mirrored,
            (Some((ast::ExprKind::Name(word), _)), None) if word == "unchanged" => Otherwise::Unchanged,
            (Some((kind, span)), _) => {
                let near = match kind {
                    ast::ExprKind::Name(word) => near(word, ["mirrored", "unchanged"]),
                    _ => None,
                };
                let help = format!("write `otherwise = {}`", near.unwrap_or("mirrored"));
                self.wrong(span, "`otherwise` is `mirrored`, `unchanged` or a function", help);
                Otherwise::Mirrored
            }
        };
        let rules = match rules::read(table, states, &self.literals, &self.fractions) {
            Ok(rules) => rules,
            Err(problems) => {
                self.broken_rules = true;
                return problems.into_iter().for_each(|problem| self.wrong(problem.span, problem.what, problem.help));
            }
        };
        for state in &rules.states {
            if let rules::Label::Name(name) = state {
                self.intern(name, 0);
            }
        }
        let mut number = |name: &str| self.numbers.get(name).copied().unwrap_or(0);
        let made = rules::translate(&rules, other, table.span, named, &mut number);
        self.program.variables.push(made.variable);
        self.kinds.push(Kind::Any);
        self.program.extras = made.extras;
        self.program.interact = self.program.functions.len();
        self.program.functions.push(made.interact);
        let calls = if let Otherwise::Function(function) = other { vec![(function, named)] } else { Vec::new() };
        self.uses.push(Uses { calls, writes: vec![(named, 0)], ..Uses::default() });
    }
}
