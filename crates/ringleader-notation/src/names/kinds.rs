//! What kind of value an expression has, as far as it is plain without running anything: `None` in a sum, a name in an order, a variable of
//! a number are told wherever they stand, even if that place is never reached.

use super::*;

/// A kind of value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Number,
    Name,
    Tuple,
    None,
    Agent,
    Ring,
    /// It depends.
    Any,
}

impl Kind {
    fn words(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Name => "a name",
            Self::Tuple => "a tuple",
            Self::None => "None",
            Self::Agent => "an agent",
            Self::Ring => "the ring",
            Self::Any => "this",
        }
    }

    /// What may have been meant.
    fn help(self) -> &'static str {
        match self {
            Self::Name => "names are compared by `==`, `!=` and `in` only",
            Self::Agent => "its variables are read by their names: `v.x`",
            Self::Ring => "its agents have variables: `u[i].x`, `sum(v.x for v in u)`",
            _ => "",
        }
    }

    /// The kind of the values of a domain.
    pub(super) fn of_domain(domain: &ast::Expr) -> Self {
        let called = |name: &str| call_of(domain, name).is_some();
        match &domain.kind {
            ast::ExprKind::Name(word) if word == "bit" => Self::Number,
            ast::ExprKind::Set(items) if items.iter().all(|item| matches!(item.kind, ast::ExprKind::Str(_))) => {
                Self::Name
            }
            ast::ExprKind::BinOp { left, op: BinOp::BitOr, right } => {
                let (left, right) = (Self::of_domain(left), Self::of_domain(right));
                if left == right { left } else { Self::Any }
            }
            _ if called("span") => Self::Number,
            _ if called("pair") || called("array") => Self::Tuple,
            _ => Self::Any,
        }
    }
}

impl Resolver {
    /// The kind of an expression.
    pub(super) fn kind(&self, expr: &Expr, scope: &Scope) -> Kind {
        match &expr.kind {
            ExprKind::Const(Value::Int(_) | Value::Bool(_)) => Kind::Number,
            ExprKind::Const(Value::Name(_)) => Kind::Name,
            // What could not be resolved is `None`, too.
            ExprKind::Const(Value::None) if self.nones.contains(&expr.span) => Kind::None,
            ExprKind::Local(local) => scope.kinds[*local],
            ExprKind::Global(N) | ExprKind::Not(_) | ExprKind::Neg(_) | ExprKind::Compare(..) => Kind::Number,
            ExprKind::Binary(BinOp::Add, left, right) => {
                let (left, right) = (self.kind(left, scope), self.kind(right, scope));
                if left == right && [Kind::Number, Kind::Tuple].contains(&left) { left } else { Kind::Any }
            }
            ExprKind::Binary(..) => Kind::Number,
            ExprKind::Tuple(_) => Kind::Tuple,
            ExprKind::Field(_, field) => self.kinds.get(*field).copied().unwrap_or(Kind::Any),
            ExprKind::Index(of, _) if self.kind(of, scope) == Kind::Ring => Kind::Agent,
            ExprKind::Builtin(builtin, _) => match builtin {
                Builtin::Sum | Builtin::Abs | Builtin::Len | Builtin::CeilLog2 | Builtin::Randint => Kind::Number,
                Builtin::All | Builtin::Any => Kind::Number,
                Builtin::Tuple | Builtin::Range => Kind::Tuple,
                Builtin::Min | Builtin::Max | Builtin::Require => Kind::Any,
            },
            _ => Kind::Any,
        }
    }

    /// Refuses what is surely no number.
    pub(super) fn is_number(&mut self, expr: &Expr, scope: &Scope) {
        let kind = self.kind(expr, scope);
        if !matches!(kind, Kind::Number | Kind::Any) {
            self.wrong(expr.span, format!("{} is no number", kind.words()), kind.help());
        }
    }

    /// Refuses what is surely no agent.
    pub(super) fn is_agent(&mut self, expr: &Expr, scope: &Scope) {
        let kind = self.kind(expr, scope);
        if !matches!(kind, Kind::Agent | Kind::Any) {
            self.wrong(expr.span, format!("{} is no agent", kind.words()), kind.help());
        }
    }

    /// Refuses what surely has no elements.
    pub(super) fn has_elements(&mut self, expr: &Expr, scope: &Scope) {
        let kind = self.kind(expr, scope);
        if !matches!(kind, Kind::Tuple | Kind::Ring | Kind::Any) {
            self.wrong(expr.span, format!("{} has no elements", kind.words()), "");
        }
    }

    /// Refuses arithmetic with what is surely no number.
    pub(super) fn arithmetic(&mut self, op: BinOp, left: &Expr, right: &Expr, scope: &Scope) {
        let kinds = [left, right].map(|part| self.kind(part, scope));
        if op == BinOp::Add
            && kinds.contains(&Kind::Tuple)
            && kinds.iter().all(|k| [Kind::Tuple, Kind::Any].contains(k))
        {
            return;
        }
        self.is_number(left, scope);
        self.is_number(right, scope);
    }

    /// Refuses to store a value that a variable surely never has.
    pub(super) fn keeps_kind(&mut self, target: &Target, value: &Expr, scope: &Scope) {
        match (&target.kind, &value.kind) {
            (TargetKind::Tuple(targets), ExprKind::Tuple(values)) if targets.len() == values.len() => {
                targets.iter().zip(values).for_each(|(target, value)| self.keeps_kind(target, value, scope));
            }
            (TargetKind::Field(_, field), _) => self.is_never(*field, value, scope),
            _ => {}
        }
    }

    /// Refuses a value that a variable surely never has.
    pub(super) fn is_never(&mut self, field: usize, value: &Expr, scope: &Scope) {
        let (has, kind) = (self.kinds[field], self.kind(value, scope));
        // Which names a variable may have is looked at elsewhere.
        if has == Kind::Any || kind == Kind::Any || has == kind || (has, kind) == (Kind::Number, Kind::Name) {
            return;
        }
        let help = match has {
            Kind::Tuple => "it has several values, as a tuple or one by one: `v.x[0]`",
            Kind::Name => "its values are names in quotes",
            _ if kind == Kind::None => "`maybe(...)` is a domain with None",
            _ => "its values are numbers",
        };
        let name = self.program.variables[field].name.clone();
        self.wrong(value.span, format!("`{name}` is never {}", kind.words()), help);
    }
}
