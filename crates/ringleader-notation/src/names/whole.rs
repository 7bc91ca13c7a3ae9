//! What the whole must have, and what no function may do, whoever calls it.

use super::*;

impl Resolver {
    pub(super) fn complete(&mut self, module: &ast::Module) {
        let end = module.body.last().map_or(Span { line: 1, column: 1, end_line: 1, end_column: 2 }, |stmt| stmt.span);
        let first = Span { end_line: end.line, end_column: end.column + 1, ..end };
        if self.program.interact == usize::MAX {
            // With problems of rules, this would only be their consequence.
            if self.problems.is_empty() {
                self.no_transition(first);
            }
        } else if self.program.variables.is_empty() && self.problems.is_empty() {
            self.wrong(first, "there are no variables", "a protocol has `class Agent:` with a line for every variable");
        }
        if let (Some(inputs), []) = (self.program.inputs, self.program.starts.as_slice()) {
            let span = self.program.functions[inputs].span;
            self.wrong(
                span,
                "`@inputs` without a start",
                "inputs are given by a `@start`, the first of which all others take",
            );
        }
        if let (Some(_), Some(output)) = (self.program.leader, self.program.output) {
            let span = self.program.functions[output].span;
            self.wrong(span, "a file has `leader` or `output`, not both", "the output of an election is who leads");
        }
        if self.program.inputs.is_none() {
            return;
        }
        if !self.program.variables.iter().any(|variable| variable.given) {
            let span = self.program.inputs.map_or(first, |function| self.program.functions[function].span);
            self.wrong(span, "`@inputs` without an input", "an input is a variable `x: given(...)`");
        }
    }

    /// No function is `interact`; one may be meant by it.
    pub(super) fn no_transition(&mut self, place: Span) {
        let help = "a protocol has `def interact(l, r):` or `rules = {...}`";
        let meant = nearest("interact", self.functions.keys().map(String::as_str));
        let pairs = ["delta", "transition", "rule", "rules", "step", "update", "interaction"];
        let meant = meant.or_else(|| self.functions.keys().map(String::as_str).find(|name| pairs.contains(name)));
        match meant.map(|name| &self.program.functions[self.functions[name]]) {
            Some(function) => {
                let (span, name) = (function.span, function.name.clone());
                self.wrong(span, "there is no transition", format!("it is called `interact`: did you mean `{name}`?"));
            }
            None => self.wrong(place, "there is no transition", help),
        }
    }

    /// That nothing is returned where nobody takes it, and something is where somebody does.
    pub(super) fn returns(&mut self) {
        let program = &self.program;
        let asked = [program.leader, program.output, program.safe, program.promise, program.inputs];
        let phases = program.phases.iter().map(|phase| phase.function);
        let asked: Vec<usize> =
            asked.into_iter().flatten().chain(phases).chain(program.claims.iter().copied()).collect();
        let changing: Vec<usize> = program.starts.iter().copied().chain([program.interact]).collect();
        let mut problems = Vec::new();
        for function in changing.into_iter().filter_map(|function| program.functions.get(function)) {
            if let Some(span) = returned(&function.body) {
                let name = &function.name;
                let help = "it changes agents in place: `r.x = l.x`, and ends with a plain `return` or none";
                problems.push(Problem::new(span, format!("what `{name}` returns is not used"), help));
            }
        }
        let silent = |function: usize| returned(&program.functions[function].body).is_none();
        for function in asked.into_iter().filter(|&function| silent(function)) {
            let Function { name, span, .. } = &program.functions[function];
            problems.push(Problem::new(*span, format!("`{name}` returns nothing"), "write `return ...`"));
        }
        for (function, span) in self.uses.iter().flat_map(|uses| &uses.values).filter(|(called, _)| silent(*called)) {
            let what = format!("`{}` returns nothing, so that this is `None`", program.functions[*function].name);
            problems.push(Problem::new(*span, what, "`return ...` in it gives a value"));
        }
        self.problems.extend(problems);
    }

    /// Who may write and draw, and that nobody calls itself.
    pub(super) fn uses(&mut self) {
        // A function with problems is not all there.
        if self.problems.is_empty() {
            self.returns();
        }
        let count = self.program.functions.len();
        for function in 0..count {
            if let Some(span) = self.calls_itself(function) {
                let name = self.program.functions[function].name.clone();
                self.wrong(
                    span,
                    format!("`{name}` calls itself"),
                    "recursion is not part of the notation; a loop over `range(...)` is",
                );
            }
        }
        if self.problems.iter().any(|problem| problem.what.ends_with("calls itself")) {
            return;
        }
        let starts = self.program.starts.clone();
        for root in 0..count {
            let role = self.role_of(root);
            let Some(role) = role else { continue };
            let mut reached = vec![false; count];
            self.reach(root, &mut reached);
            for function in (0..count).filter(|&function| reached[function]) {
                let Uses { writes, draws, .. } = self.uses[function].clone();
                for (span, field) in writes {
                    let variable = self.program.variables[field].clone();
                    if role == "interact" && variable.given {
                        self.wrong(span, format!("`{}` is an input", variable.name), "an interaction never writes it");
                    } else if role != "interact" && !starts.contains(&root) {
                        self.wrong(span, format!("`{role}` changes agents"), "only `interact` and starts do");
                    }
                }
                for span in draws {
                    if !starts.contains(&root) {
                        self.wrong(
                            span,
                            "`randint` is for starts",
                            "`interact` has coins: `def interact(l, r, coin: span(0, 1))`",
                        );
                    }
                }
            }
        }
    }

    /// The name under which the program runs a function itself, if it does.
    pub(super) fn role_of(&self, function: usize) -> Option<String> {
        let program = &self.program;
        if function == program.interact {
            return Some("interact".to_owned());
        }
        let mut roles =
            [program.leader, program.output, program.safe, program.promise, program.inputs].into_iter().flatten();
        let listed = roles.any(|role| role == function)
            || program.starts.contains(&function)
            || program.claims.contains(&function)
            || program.phases.iter().any(|phase| phase.function == function);
        listed.then(|| program.functions[function].name.clone())
    }

    pub(super) fn reach(&self, function: usize, reached: &mut [bool]) {
        let mut pending = vec![function];
        while let Some(function) = pending.pop() {
            if !std::mem::replace(&mut reached[function], true) {
                pending.extend(self.uses[function].calls.iter().map(|(called, _)| *called));
            }
        }
    }

    /// Where a function calls one that leads back to it.
    pub(super) fn calls_itself(&self, function: usize) -> Option<Span> {
        let leads_back = |called: usize| {
            let mut reached = vec![false; self.uses.len()];
            self.reach(called, &mut reached);
            reached[function]
        };
        self.uses[function].calls.iter().find(|(called, _)| leads_back(*called)).map(|(_, span)| *span)
    }
}
