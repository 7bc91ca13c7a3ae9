//! Statements and expressions.

use super::*;

impl Resolver {
    pub(super) fn block(&mut self, stmts: &[ast::Stmt], scope: &mut Scope) -> Vec<Stmt> {
        stmts.iter().filter_map(|stmt| self.stmt(stmt, scope)).collect()
    }

    pub(super) fn stmt(&mut self, stmt: &ast::Stmt, scope: &mut Scope) -> Option<Stmt> {
        let span = stmt.span;
        let kind = match &stmt.kind {
            ast::StmtKind::Pass => return None,
            ast::StmtKind::Expr(expr) if matches!(expr.kind, ast::ExprKind::Str(_)) => return None,
            ast::StmtKind::Expr(expr) => {
                if let Some([test, message @ ..]) = call_of(expr, "require") {
                    let message = self.message(message.first());
                    StmtKind::Assert(self.expr(test, scope), message)
                } else if matches!(expr.kind, ast::ExprKind::Call { .. }) {
                    let called = self.expr(expr, scope);
                    // What it returns is not used.
                    scope.uses.values.retain(|(_, place)| *place != span);
                    StmtKind::Do(called)
                } else {
                    let help = if matches!(expr.kind, ast::ExprKind::Compare { .. }) {
                        "an assignment is written with `=`"
                    } else {
                        ""
                    };
                    self.wrong(span, "an expression alone does nothing", help);
                    return None;
                }
            }
            ast::StmtKind::Assign { targets, value } => {
                let value = self.expr(value, scope);
                let targets: Vec<_> = targets.iter().map(|target| self.target(target, scope)).collect();
                let targets: Vec<_> = targets.into_iter().collect::<Option<_>>()?;
                targets.iter().for_each(|target| self.fits(target, &value));
                // Of several targets it is told which, when it happens.
                if let [target] = targets.as_slice() {
                    self.keeps_kind(target, &value, scope);
                }
                StmtKind::Assign(targets, value)
            }
            ast::StmtKind::AugAssign { target, op, value } => {
                let (old, value) = (self.expr(target, scope), self.expr(value, scope));
                self.arithmetic(*op, &old, &value, scope);
                let target = self.target(target, scope)?;
                let kind = ExprKind::Binary(*op, Box::new(old), Box::new(value));
                StmtKind::Assign(vec![target], Expr { span, kind })
            }
            ast::StmtKind::If { test, body, orelse } => {
                let test = self.expr(test, scope);
                StmtKind::If(test, self.block(body, scope), self.block(orelse, scope))
            }
            ast::StmtKind::For { target, iter, body } => {
                let iter = self.expr(iter, scope);
                self.has_elements(&iter, scope);
                let target = self.target(target, scope);
                scope.loops += 1;
                let body = self.block(body, scope);
                scope.loops -= 1;
                StmtKind::For(self.loop_target(target?)?, iter, body)
            }
            ast::StmtKind::Return(value) => {
                let none = Expr { span, kind: ExprKind::Const(Value::None) };
                StmtKind::Return(value.as_ref().map_or(none, |value| self.expr(value, scope)))
            }
            ast::StmtKind::Assert { test, message } => {
                let message = self.message(message.as_ref());
                StmtKind::Assert(self.expr(test, scope), message)
            }
            ast::StmtKind::AnnAssign { annotation, .. } => {
                self.wrong(annotation.span, "names inside of functions have no domain", "write `x = ...`");
                return None;
            }
            ast::StmtKind::FunctionDef(_) | ast::StmtKind::ClassDef { .. } | ast::StmtKind::ImportFrom { .. } => {
                self.wrong(span, "this cannot stand inside of a function", "");
                return None;
            }
        };
        Some(Stmt { span, kind })
    }

    pub(super) fn loop_target(&mut self, target: Target) -> Option<Target> {
        let plain = match &target.kind {
            TargetKind::Local(_) => true,
            TargetKind::Tuple(items) => items.iter().all(|item| matches!(item.kind, TargetKind::Local(_))),
            _ => false,
        };
        if !plain {
            self.wrong(target.span, "a loop gives values to plain names", "");
        }
        plain.then_some(target)
    }

    pub(super) fn target(&mut self, expr: &ast::Expr, scope: &mut Scope) -> Option<Target> {
        let span = expr.span;
        let kind = match &expr.kind {
            ast::ExprKind::Name(name) => {
                let local = scope.find(name)?;
                scope.given[local] = true;
                TargetKind::Local(local)
            }
            ast::ExprKind::Tuple(items) => {
                let items: Vec<_> = items.iter().map(|item| self.target(item, scope)).collect();
                TargetKind::Tuple(items.into_iter().collect::<Option<_>>()?)
            }
            ast::ExprKind::Attribute { value, attr } => {
                let agent = self.expr(value, scope);
                self.is_agent(&agent, scope);
                let field = self.field(attr)?;
                scope.uses.writes.push((span, field));
                TargetKind::Field(agent, field)
            }
            ast::ExprKind::Subscript { value, index } => {
                let ast::ExprKind::Attribute { value, attr } = &value.kind else {
                    self.wrong(
                        span,
                        "this cannot be assigned to",
                        "variables of agents can: `v.x = ...`, `v.x[i] = ...`, `u[i].x = ...`",
                    );
                    return None;
                };
                let (agent, index) = (self.expr(value, scope), self.expr(index, scope));
                self.is_agent(&agent, scope);
                self.is_number(&index, scope);
                let field = self.field(attr)?;
                if matches!(self.kinds[field], Kind::Number | Kind::Name) {
                    let help = format!("as in `{}: pair(bit)`", attr.text);
                    self.wrong(attr.span, format!("`{}` is no array", attr.text), help);
                }
                scope.uses.writes.push((span, field));
                TargetKind::Element(agent, field, index)
            }
            _ => {
                self.wrong(
                    span,
                    "this cannot be assigned to",
                    "names and variables of agents can: `x = ...`, `v.x = ...`",
                );
                return None;
            }
        };
        Some(Target { span, kind })
    }

    /// The variable of an agent that has this name.
    pub(super) fn field(&mut self, attr: &ast::Name) -> Option<usize> {
        let found = self.program.variables.iter().position(|variable| variable.name == attr.text);
        let silent = self.full() || self.unread.mentions(&attr.text) || self.broken_rules;
        if found.is_none() && !silent && !self.program.variables.is_empty() {
            let names: Vec<&str> = self.program.variables.iter().map(|variable| variable.name.as_str()).collect();
            let meant = near(&attr.text, names.iter().copied());
            let meant = meant.map_or(String::new(), |name| format!("; did you mean `{name}`?"));
            let help = format!("the variables are {}{meant}", listed(&names));
            self.wrong(attr.span, format!("agents have no variable `{}`", attr.text), help);
        }
        found
    }

    /// A name in quotes must be one that the variable may have.
    pub(super) fn fits(&mut self, target: &Target, value: &Expr) {
        match (&target.kind, &value.kind) {
            (TargetKind::Tuple(targets), ExprKind::Tuple(values)) if targets.len() == values.len() => {
                targets.iter().zip(values).for_each(|(target, value)| self.fits(target, value));
            }
            (TargetKind::Tuple(targets), ExprKind::Tuple(values)) => {
                let what = format!("{} for {}", count(values.len(), "value"), count(targets.len(), "name"));
                self.wrong(value.span, what, "both sides must be equally long");
            }
            (TargetKind::Field(_, field), _) => self.may_be(*field, value),
            _ => {}
        }
    }

    /// Whether a variable may have the name that a literal is.
    pub(super) fn may_be(&mut self, field: usize, value: &Expr) {
        let ExprKind::Const(Value::Name(name)) = value.kind else { return };
        let name = self.program.names[name].clone();
        let Some(owners) = self.known.get(&name) else { return };
        if !owners.contains(&field) && !self.full() {
            let variable = &self.program.variables[field].name;
            let values: Vec<&str> = self
                .known
                .iter()
                .filter(|(_, owners)| owners.contains(&field))
                .map(|(name, _)| name.as_str())
                .collect();
            let meant = near(&name, values.iter().copied());
            let meant = meant.map_or(String::new(), |name| format!("; did you mean \"{name}\"?"));
            let help = if values.is_empty() {
                "it has no names".to_owned()
            } else {
                format!("it may be {}{meant}", listed(&values))
            };
            self.wrong(value.span, format!("`{variable}` is never \"{name}\""), help);
        }
    }

    // --- Expressions --------------------------------------------------------------------------------------------

    pub(super) fn expr(&mut self, expr: &ast::Expr, scope: &mut Scope) -> Expr {
        let span = expr.span;
        let kind = match &expr.kind {
            ast::ExprKind::Name(name) => self.name(name, span, scope),
            ast::ExprKind::Int(value) => ExprKind::Const(Value::Int(*value)),
            ast::ExprKind::Bool(value) => ExprKind::Const(Value::Bool(*value)),
            ast::ExprKind::None => {
                self.nones.insert(span);
                ExprKind::Const(Value::None)
            }
            ast::ExprKind::Str(name) => self.quoted(name, span, scope),
            ast::ExprKind::Float(text) => {
                self.wrong(span, format!("{text} is no integer"), "only rule tables have probabilities");
                ExprKind::Const(Value::None)
            }
            ast::ExprKind::Tuple(items) => ExprKind::Tuple(self.exprs(items, scope)),
            ast::ExprKind::Set(_) => {
                self.wrong(span, "a set can only stand after `in`, and as a domain", "write a tuple: `(a, b)`");
                ExprKind::Const(Value::None)
            }
            ast::ExprKind::Dict(_) => {
                self.wrong(span, "a dictionary can only be the rules of a file", "");
                ExprKind::Const(Value::None)
            }
            ast::ExprKind::Generator { .. } => {
                self.wrong(
                    span,
                    "a generator stands alone in `sum all any min max tuple`",
                    "write `tuple(x for x in ...)`",
                );
                ExprKind::Const(Value::None)
            }
            ast::ExprKind::BoolOp { op: ast::BoolOp::And, values } => ExprKind::And(self.exprs(values, scope)),
            ast::ExprKind::BoolOp { op: ast::BoolOp::Or, values } => ExprKind::Or(self.exprs(values, scope)),
            ast::ExprKind::UnaryOp { op, operand } => {
                let operand = self.expr(operand, scope);
                match op {
                    ast::UnaryOp::Not => ExprKind::Not(Box::new(operand)),
                    ast::UnaryOp::USub => {
                        self.is_number(&operand, scope);
                        ExprKind::Neg(Box::new(operand))
                    }
                    // It gives a number, and of nothing else.
                    ast::UnaryOp::UAdd => {
                        self.is_number(&operand, scope);
                        let zero = Expr { span, kind: ExprKind::Const(Value::Int(0)) };
                        ExprKind::Binary(BinOp::Add, Box::new(zero), Box::new(operand))
                    }
                }
            }
            ast::ExprKind::BinOp { op: BinOp::BitOr, .. } => {
                self.wrong(span, "`|` joins domains only", "truth values are joined by `or`");
                ExprKind::Const(Value::None)
            }
            ast::ExprKind::BinOp { left, op, right } => {
                let (left, right) = (self.expr(left, scope), self.expr(right, scope));
                self.arithmetic(*op, &left, &right, scope);
                ExprKind::Binary(*op, Box::new(left), Box::new(right))
            }
            ast::ExprKind::Compare { left, rest } => self.compare(left, rest, scope),
            ast::ExprKind::IfExp { test, body, orelse } => {
                let [test, body, orelse] = [test, body, orelse].map(|part| Box::new(self.expr(part, scope)));
                ExprKind::If(test, body, orelse)
            }
            ast::ExprKind::Call { func, args, keywords } => self.call(func, args, keywords, span, scope),
            ast::ExprKind::Attribute { value, attr } => {
                let agent = self.expr(value, scope);
                self.is_agent(&agent, scope);
                self.field(attr).map_or(ExprKind::Const(Value::None), |field| ExprKind::Field(Box::new(agent), field))
            }
            ast::ExprKind::Subscript { value, index } => {
                let (of, index) = (self.expr(value, scope), self.expr(index, scope));
                self.has_elements(&of, scope);
                self.is_number(&index, scope);
                ExprKind::Index(Box::new(of), Box::new(index))
            }
        };
        Expr { span, kind }
    }

    pub(super) fn exprs(&mut self, items: &[ast::Expr], scope: &mut Scope) -> Vec<Expr> {
        items.iter().map(|item| self.expr(item, scope)).collect()
    }

    pub(super) fn name(&mut self, name: &str, span: Span, scope: &mut Scope) -> ExprKind {
        if let Some(local) = scope.find(name) {
            if !scope.given[local] && scope.loops == 0 {
                self.wrong(span, format!("`{name}` has no value yet"), "it is given one further down");
                scope.given[local] = true;
            }
            return ExprKind::Local(local);
        }
        if let Some(&global) = self.globals.get(name) {
            return ExprKind::Global(global);
        }
        // What stands for something that could not be read has no name.
        if self.full() || self.unread.mentions(name) {
            return ExprKind::Const(Value::None);
        }
        let is_function = self.functions.contains_key(name) || BUILTINS.iter().any(|builtin| builtin.0 == name);
        if is_function {
            self.wrong(span, format!("`{name}` is a function"), format!("call it: `{name}(...)`"));
        } else if WORDS.contains(&name) {
            self.wrong(span, format!("`{name}` is no value"), "");
        } else {
            let known = scope.locals.iter().chain(&self.program.globals).chain(self.functions.keys());
            let meant = near(name, known.map(String::as_str));
            let meant = meant.map_or(String::new(), |near| format!("did you mean `{near}`?"));
            let above = self.literals.contains_key(name);
            let help = if above {
                "it is given a value further down; constants come before their use".to_owned()
            } else if name == "u" {
                "only functions over the ring have it: `def safe(u):`; an interaction knows its two agents".to_owned()
            } else if name == "self" {
                "there are no methods; a function takes the agents that it needs".to_owned()
            } else {
                meant
            };
            self.wrong(span, format!("`{name}` is not known here"), help);
        }
        ExprKind::Const(Value::None)
    }

    pub(super) fn quoted(&mut self, name: &str, span: Span, scope: &Scope) -> ExprKind {
        let silent = self.full() || self.unread.mentions(name) || self.broken_rules;
        if !scope.module && !self.known.contains_key(name) && !silent {
            let near = near(name, self.known.keys().map(String::as_str));
            let names: Vec<String> = self.known.keys().map(|name| format!("\"{name}\"")).collect();
            let all = if names.is_empty() {
                "no variable has names".to_owned()
            } else {
                format!("the names are {}", listed(&names))
            };
            let meant = near.map_or(String::new(), |near| format!("; did you mean \"{near}\"?"));
            self.wrong(span, format!("no variable is ever \"{name}\""), format!("{all}{meant}"));
        }
        ExprKind::Const(Value::Name(self.number(name)))
    }

    pub(super) fn compare(&mut self, left: &ast::Expr, rest: &[(CmpOp, ast::Expr)], scope: &mut Scope) -> ExprKind {
        let left = self.expr(left, scope);
        let mut pairs = Vec::new();
        for (op, right) in rest {
            let right = match (&right.kind, op) {
                (ast::ExprKind::Set(items), CmpOp::In | CmpOp::NotIn) => {
                    Expr { span: right.span, kind: ExprKind::Tuple(self.exprs(items, scope)) }
                }
                _ => self.expr(right, scope),
            };
            if matches!(op, CmpOp::Is | CmpOp::IsNot) && !matches!(right.kind, ExprKind::Const(Value::None)) {
                self.wrong(right.span, "`is` compares with `None` only", "write `==`");
            }
            let before = pairs.last().map_or(&left, |(_, last)| last);
            self.comparable(*op, before, &right, scope);
            pairs.push((*op, right));
        }
        ExprKind::Compare(Box::new(left), pairs)
    }

    /// Whether two values can be in a relation.
    fn comparable(&mut self, op: CmpOp, before: &Expr, after: &Expr, scope: &Scope) {
        if matches!(op, CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE) {
            self.is_number(before, scope);
            return self.is_number(after, scope);
        }
        let parts = if let ExprKind::Tuple(items) = &after.kind { items } else { std::slice::from_ref(after) };
        if let ExprKind::Field(_, field) = before.kind {
            parts.iter().for_each(|part| self.may_be(field, part));
        }
        if let ExprKind::Field(_, field) = after.kind {
            self.may_be(field, before);
        }
        match op {
            CmpOp::In | CmpOp::NotIn => self.has_elements(after, scope),
            _ => {
                if let ExprKind::Field(_, field) = before.kind {
                    self.is_never(field, after, scope);
                } else if let ExprKind::Field(_, field) = after.kind {
                    self.is_never(field, before, scope);
                }
            }
        }
    }

    pub(super) fn call(
        &mut self,
        func: &ast::Expr,
        args: &[ast::Expr],
        keywords: &[(ast::Name, ast::Expr)],
        span: Span,
        scope: &mut Scope,
    ) -> ExprKind {
        let nothing = ExprKind::Const(Value::None);
        let ast::ExprKind::Name(name) = &func.kind else {
            let help = "there are no methods; a function takes agents and values: `f(v, 3)`";
            self.wrong(func.span, "only functions by their name are called", help);
            return nothing;
        };
        if let Some((word, _)) = keywords.first() {
            self.wrong(word.span, "arguments are given in their order, without names", "");
        }
        if let Some(&(_, builtin, least, most)) = BUILTINS.iter().find(|known| known.0 == name) {
            return self.builtin(name, builtin, least..=most, args, span, scope);
        }
        let Some(&function) = self.functions.get(name) else {
            if self.full() || self.unread.mentions(name) {
                return nothing;
            }
            let known = BUILTINS.iter().map(|known| known.0).chain(self.functions.keys().map(String::as_str));
            let meant = near(name, known).map_or(String::new(), |near| format!("did you mean `{near}`?"));
            let python = PYTHON.iter().find(|(known, _)| known == name).map(|(_, help)| (*help).to_owned());
            self.wrong(func.span, format!("there is no function `{name}`"), python.unwrap_or(meant));
            return nothing;
        };
        if scope.module {
            self.wrong(
                span,
                "constants do not call functions of the file",
                "those of the notation they may: min, max, ...",
            );
            return nothing;
        }
        let wanted = self.program.functions[function].args;
        if wanted != args.len() && !self.unread.has(self.program.functions[function].span.line) {
            let what = format!("`{name}` takes {}, {}", count(wanted, "argument"), here(args.len()));
            self.wrong(span, what, "");
        }
        scope.uses.calls.push((function, span));
        scope.uses.values.push((function, span));
        ExprKind::Call(function, self.exprs(args, scope))
    }

    pub(super) fn builtin(
        &mut self,
        name: &str,
        builtin: Builtin,
        allowed: std::ops::RangeInclusive<usize>,
        args: &[ast::Expr],
        span: Span,
        scope: &mut Scope,
    ) -> ExprKind {
        if !allowed.contains(&args.len()) {
            let (least, most) = (*allowed.start(), *allowed.end());
            let wanted = match most {
                _ if least == most => count(least, "argument"),
                usize::MAX => format!("{least} or more arguments"),
                _ => format!("{least} to {most} arguments"),
            };
            self.wrong(span, format!("`{name}` takes {wanted}, {}", here(args.len())), "");
        }
        match builtin {
            Builtin::Randint => scope.uses.draws.push(span),
            Builtin::Require => self.wrong(span, "`require(...)` is a statement of its own", ""),
            _ => {}
        }
        let folds =
            [Builtin::Min, Builtin::Max, Builtin::Sum, Builtin::All, Builtin::Any, Builtin::Tuple].contains(&builtin);
        if let [ast::Expr { kind: ast::ExprKind::Generator { element, clauses }, span: place }] = args
            && folds
        {
            let generator = self.generator(element, clauses, scope);
            return ExprKind::Builtin(builtin, vec![Expr { span: *place, kind: generator }]);
        }
        let args = self.exprs(args, scope);
        match builtin {
            Builtin::Abs | Builtin::Range | Builtin::CeilLog2 | Builtin::Randint => {
                args.iter().for_each(|arg| self.is_number(arg, scope));
            }
            Builtin::Min | Builtin::Max if args.len() > 1 => args.iter().for_each(|arg| self.is_number(arg, scope)),
            Builtin::Min
            | Builtin::Max
            | Builtin::Sum
            | Builtin::All
            | Builtin::Any
            | Builtin::Tuple
            | Builtin::Len => {
                args.iter().for_each(|arg| self.has_elements(arg, scope));
            }
            Builtin::Require => {}
        }
        ExprKind::Builtin(builtin, args)
    }

    /// Its names are visible inside of it only.
    pub(super) fn generator(
        &mut self,
        element: &ast::Expr,
        clauses: &[ast::Comprehension],
        scope: &mut Scope,
    ) -> ExprKind {
        let (mut resolved, mut bound) = (Vec::new(), Vec::new());
        for clause in clauses {
            let iter = self.expr(&clause.iter, scope);
            self.has_elements(&iter, scope);
            let mut names = Vec::new();
            target_names(&clause.target, &mut names);
            for name in &names {
                scope.add(&name.text);
            }
            bound.extend(names);
            let target = self.target(&clause.target, scope).and_then(|target| self.loop_target(target));
            let ifs = self.exprs(&clause.ifs, scope);
            if let Some(target) = target {
                resolved.push(Clause { target, iter, ifs });
            }
        }
        let element = self.expr(element, scope);
        bound.iter().for_each(|name| scope.forget(&name.text));
        ExprKind::Generator(Box::new(element), resolved)
    }
}
