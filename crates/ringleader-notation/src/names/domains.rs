//! The domains of variables, and rule tables.

use super::*;

impl Resolver {
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
                self.wrong(span, "this is no domain", domain_instead(expr).unwrap_or(help));
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
            (Some((_, span)), _) => {
                return self.wrong(
                    span,
                    "`otherwise` is `mirrored`, `unchanged` or a function",
                    "write `otherwise = mirrored`",
                );
            }
        };
        let rules = match rules::read(table, states, &self.literals, &self.fractions) {
            Ok(rules) => rules,
            Err(problems) => return self.problems.extend(problems),
        };
        for state in &rules.states {
            if let rules::Label::Name(name) = state {
                self.intern(name, 0);
            }
        }
        let mut number = |name: &str| self.numbers.get(name).copied().unwrap_or(0);
        let made = rules::translate(&rules, other, table.span, named, &mut number);
        self.program.variables.push(made.variable);
        self.program.extras = made.extras;
        self.program.interact = self.program.functions.len();
        self.program.functions.push(made.interact);
        let calls = if let Otherwise::Function(function) = other { vec![(function, named)] } else { Vec::new() };
        self.uses.push(Uses { calls, writes: vec![(named, 0)], ..Uses::default() });
    }
}
