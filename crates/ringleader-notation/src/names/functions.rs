//! Functions: what each is for, which names it has, and what it takes.

use super::*;

impl Resolver {
    pub(super) fn function(&mut self, def: &ast::FunctionDef) {
        let Some(&place) = self.functions.get(&def.name.text) else { return };
        if self.program.functions[place].span != def.name.span {
            return;
        }
        let mut scope = Scope::default();
        for arg in &def.args {
            if scope.find(&arg.name.text).is_some() {
                self.wrong(arg.name.span, format!("there is an argument `{}` already", arg.name.text), "");
            }
            let local = scope.add(&arg.name.text);
            scope.given[local] = true;
        }
        let (seen, kind) = match def.name.text.as_str() {
            "interact" => (2, Kind::Agent),
            "leader" | "output" => (1, Kind::Agent),
            "safe" => (1, Kind::Ring),
            _ => (def.decorators.len().min(1), Kind::Ring),
        };
        scope.kinds.iter_mut().take(seen).for_each(|known| *known = kind);
        self.role(def, place);
        let mut assigned = Vec::new();
        assigned_names(&def.body, &mut assigned);
        for name in assigned {
            if scope.find(&name.text).is_none() {
                if self.globals.contains_key(&name.text) || self.functions.contains_key(&name.text) {
                    let what = format!("`{}` is a constant or a function", name.text);
                    self.wrong(name.span, what, "a function cannot change it; take another name");
                }
                self.reserved(&name.text, name.span);
                scope.add(&name.text);
            }
        }
        self.keeps_agents(def);
        let body = if docstring(&def.body).is_some() { &def.body[1..] } else { &def.body[..] };
        let body = self.block(body, &mut scope);
        let function = &mut self.program.functions[place];
        (function.body, function.locals) = (body, scope.locals);
        self.uses[place] = scope.uses;
    }

    /// Refuses to give another meaning to the agents or the ring that a function is called with: it would change nobody.
    pub(super) fn keeps_agents(&mut self, def: &ast::FunctionDef) {
        let agents = match def.name.text.as_str() {
            "interact" => 2,
            "leader" | "output" | "safe" => 1,
            _ => def.decorators.len().min(1),
        };
        let mut assigned = Vec::new();
        assigned_names(&def.body, &mut assigned);
        for arg in def.args.iter().take(agents) {
            if let Some(name) = assigned.iter().find(|name| name.text == arg.name.text) {
                let what = format!("this changes what `{}` means, and no agent", name.text);
                self.wrong(name.span, what, "an agent is changed by its variables: `v.x = ...`");
            }
        }
    }

    /// What a function is for, by its name and by what stands above it.
    pub(super) fn role(&mut self, def: &ast::FunctionDef, place: usize) {
        let (name, span) = (def.name.text.as_str(), def.name.span);
        let mut marks = Vec::new();
        for decorator in &def.decorators {
            match &decorator.kind {
                ast::ExprKind::Name(word) if DECORATORS.contains(&word.as_str()) => marks.push(word.as_str()),
                ast::ExprKind::Name(word) => {
                    let near = near(word, DECORATORS);
                    let meant = near.map_or(String::new(), |near| format!("; did you mean `@{near}`?"));
                    self.wrong(
                        decorator.span,
                        format!("`@{word}` means nothing here"),
                        format!("there are @start, @phase, @closed, @promise and @inputs{meant}"),
                    );
                }
                _ => self.wrong(
                    decorator.span,
                    "this means nothing here",
                    "there are @start, @phase, @closed, @promise and @inputs",
                ),
            }
        }
        let extras = def.args.iter().skip(2).any(|arg| arg.annotation.is_some());
        if name == "interact" {
            self.interact(def, place);
        } else if let Some(arg) = def.args.iter().find(|arg| arg.annotation.is_some()) {
            let help = if extras || name != "interact" { "only `interact` has coins and an oracle" } else { "" };
            self.wrong(arg.name.span, "this argument needs no domain", help);
        }
        let wanted = SPECIAL.iter().find(|(known, _)| *known == name).map(|(_, args)| *args);
        let wanted = wanted.or((!marks.is_empty()).then_some("u"));
        if let Some(wanted) = wanted
            && wanted.split(", ").count() != def.args.len()
        {
            self.wrong(
                span,
                format!("`{name}` takes {} here", count(def.args.len(), "argument")),
                format!("write `def {name}({wanted}):`"),
            );
        }
        match name {
            "leader" => self.program.leader = Some(place),
            "output" => self.program.output = Some(place),
            "safe" => self.program.safe = Some(place),
            _ => {}
        }
        let closed = marks.contains(&"closed");
        if let (true, Some(asked)) = (marks.contains(&"start"), marks.iter().find(|mark| **mark != "start")) {
            let what = format!("a `@start` changes agents, and `@{asked}` is asked of them");
            return self.wrong(span, what, format!("write two functions; that of `@{asked}` returns whether it is so"));
        }
        for mark in &marks {
            match *mark {
                "start" => self.program.starts.push(place),
                "phase" => self.program.phases.push(PhaseDecl { function: place, closed }),
                "closed" => self.program.claims.push(place),
                "promise" if self.program.promise.replace(place).is_some() => {
                    self.wrong(span, "there is a promise already", "a protocol has one");
                }
                "inputs" if self.program.inputs.replace(place).is_some() => {
                    self.wrong(span, "there is an `@inputs` already", "a protocol has one");
                }
                _ => {}
            }
        }
    }

    pub(super) fn interact(&mut self, def: &ast::FunctionDef, place: usize) {
        self.program.interact = place;
        let itself = def.args.first().is_some_and(|arg| arg.name.text == "self");
        if def.args.len() < 2 || itself {
            return self.wrong(
                def.name.span,
                "an interaction has an initiator and a responder",
                if itself { "there is no `self`: write `def interact(l, r):`" } else { "write `def interact(l, r):`" },
            );
        }
        let mut scope = Scope { module: true, ..Scope::default() };
        let mut oracles = 0;
        for (k, arg) in def.args.iter().enumerate() {
            let extra = match (&arg.annotation, k) {
                (None, 0 | 1) => continue,
                (Some(annotation), 0 | 1) => {
                    self.wrong(annotation.span, "the first two arguments are the agents", "they have no domain");
                    continue;
                }
                (None, _) => {
                    let help = "a coin has a domain, `coin: span(0, 15)`; the oracle is `there_is_a_leader: oracle`";
                    self.wrong(arg.name.span, format!("what is `{}`?", arg.name.text), help);
                    continue;
                }
                (Some(annotation), _) => match (&annotation.kind, call_of(annotation, "oracle")) {
                    (ast::ExprKind::Name(word), _) if word == "oracle" => Extra::Oracle(None),
                    (_, Some([delay])) => Extra::Oracle(Some(self.expr(delay, &mut scope))),
                    _ => match self.domain(annotation, &mut scope) {
                        Some(domain) => Extra::Coin(domain),
                        None => continue,
                    },
                },
            };
            oracles += usize::from(matches!(extra, Extra::Oracle(_)));
            if oracles >= 2 && matches!(extra, Extra::Oracle(_)) {
                self.wrong(arg.name.span, "there is an oracle already", "a protocol asks one");
            }
            self.program.extras.push(extra);
        }
        self.program.locals = self.program.locals.max(scope.locals.len());
    }
}
