//! What the whole must have, and what no function may do, whoever calls it.

use super::*;

impl Resolver {
    pub(super) fn complete(&mut self, module: &ast::Module) {
        self.nearly_special();
        let end = module.body.last().map_or(Span { line: 1, column: 1, end_line: 1, end_column: 2 }, |stmt| stmt.span);
        let first = Span { end_line: end.line, end_column: end.column + 1, ..end };
        if self.program.interact == usize::MAX {
            // With problems of rules, this would only be their consequence.
            if self.problems.is_empty() && self.unread.is_empty() {
                self.no_transition(first);
            }
        } else if self.program.variables.is_empty() && self.problems.is_empty() && self.unread.is_empty() {
            self.wrong(first, "there are no variables", "a protocol has `class Agent:` with a line for every variable");
        }
        if let (Some(inputs), [], true) = (self.program.inputs, self.program.starts.as_slice(), self.unread.is_empty())
        {
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

    /// A function that nobody calls and that is nearly called like one with a meaning.
    fn nearly_special(&mut self) {
        let program = &self.program;
        let missing = |name: &str| match name {
            "safe" => program.safe.is_none(),
            _ => program.leader.or(program.output).is_none(),
        };
        let missing: Vec<&str> = ["leader", "output", "safe"].into_iter().filter(|name| missing(name)).collect();
        let mut called: Vec<usize> = self.uses.iter().flat_map(|uses| &uses.calls).map(|call| call.0).collect();
        let phases = program.phases.iter().map(|phase| phase.function);
        called.extend(program.starts.iter().copied().chain(program.claims.iter().copied()).chain(phases));
        called.extend(program.promise.into_iter().chain(program.inputs));
        let called: BTreeSet<usize> = called.into_iter().collect();
        let uncalled = program.functions.iter().enumerate().filter(|(function, _)| !called.contains(function));
        let meant = uncalled.filter_map(|(_, function)| {
            let meant = missing.iter().find(|name| is_slip(&function.name, name))?;
            let what = format!("nobody calls `{}`", function.name);
            Some(Problem::new(function.span, what, format!("did you mean `{meant}`?")))
        });
        let meant: Vec<Problem> = meant.collect();
        self.problems.extend(meant);
    }

    /// No function is `interact`; one may be meant by it.
    pub(super) fn no_transition(&mut self, place: Span) {
        let help = "a protocol has `def interact(l, r):` or `rules = {...}`";
        let meant = near("interact", self.functions.keys().map(String::as_str));
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
        if self.problems.is_empty() && self.unread.is_empty() {
            self.returns();
        }
        let circles = self.circles();
        for function in 0..self.uses.len() {
            let around = |call: &&(usize, Span)| circles[call.0] == circles[function];
            if let Some((_, span)) = self.uses[function].calls.iter().find(around).copied() {
                let name = self.program.functions[function].name.clone();
                self.wrong(
                    span,
                    format!("`{name}` calls itself"),
                    "recursion is not part of the notation; a loop over `range(...)` is",
                );
            }
        }
        self.interact_keeps_inputs();
        self.who_looks_changes_nothing();
    }

    /// What an interaction may not do, nor any function that it calls.
    fn interact_keeps_inputs(&mut self) {
        let mut reached = vec![false; self.uses.len()];
        for function in self.reach(self.program.interact, &mut reached) {
            let Uses { writes, draws, .. } = self.uses[function].clone();
            for (span, field) in writes {
                let variable = &self.program.variables[field];
                if variable.given {
                    let what = format!("`{}` is an input", variable.name);
                    self.wrong(span, what, "an interaction never writes it");
                }
            }
            draws.iter().for_each(|span| self.no_draw(*span));
        }
    }

    /// What functions may not do that are asked something; each place is told of once, for the first of them.
    fn who_looks_changes_nothing(&mut self) {
        let mut reached = vec![false; self.uses.len()];
        let program = &self.program;
        let phases = program.phases.iter().map(|phase| phase.function);
        let asked = [program.leader, program.output, program.safe, program.promise, program.inputs];
        let mut asked: Vec<usize> =
            asked.into_iter().flatten().chain(phases).chain(program.claims.iter().copied()).collect();
        asked.sort_unstable();
        for root in asked {
            for function in self.reach(root, &mut reached) {
                let Uses { writes, draws, .. } = self.uses[function].clone();
                let role = self.program.functions[root].name.clone();
                for (span, _) in writes {
                    self.wrong(span, format!("`{role}` changes agents"), "only `interact` and starts do");
                }
                draws.iter().for_each(|span| self.no_draw(*span));
            }
        }
    }

    fn no_draw(&mut self, span: Span) {
        let help = "`interact` has coins: `def interact(l, r, coin: span(0, 1))`";
        self.wrong(span, "`randint` is for starts", help);
    }

    /// The functions to which calls lead, this one included, but for those that were reached before.
    fn reach(&self, function: usize, reached: &mut [bool]) -> Vec<usize> {
        let (mut pending, mut found) = (vec![function], Vec::new());
        while let Some(function) = pending.pop() {
            if reached.get_mut(function).is_some_and(|reached| !std::mem::replace(reached, true)) {
                found.push(function);
                pending.extend(self.uses[function].calls.iter().map(|(called, _)| *called));
            }
        }
        found
    }

    /// By function, which circle of calls it is on: those that call each other, directly or not, have the same number, and no other has
    /// it. In one pass, by Tarjan's way: when all calls of a function have been followed and none led to one that was begun before it,
    /// it and all that were begun since and are still open are a circle.
    fn circles(&self) -> Vec<usize> {
        const NONE: usize = usize::MAX;
        let count = self.uses.len();
        let (mut begun, mut least, mut circle) = (vec![NONE; count], vec![NONE; count], vec![NONE; count]);
        let (mut open, mut time) = (Vec::new(), 0);
        for root in 0..count {
            // Functions whose calls are being followed, and how many of them have been.
            let mut path = vec![(root, 0_usize)];
            while let Some((function, call)) = path.pop() {
                if call == 0 && begun[function] != NONE {
                    continue;
                }
                if call == 0 {
                    (begun[function], least[function], time) = (time, time, time + 1);
                    open.push(function);
                }
                // A call that has been followed.
                if let Some((called, _)) = call.checked_sub(1).map(|call| self.uses[function].calls[call])
                    && circle[called] == NONE
                {
                    least[function] = least[function].min(least[called]);
                }
                if let Some(&(called, _)) = self.uses[function].calls.get(call) {
                    path.extend([(function, call + 1), (called, 0)]);
                } else if least[function] == begun[function] {
                    while let Some(member) = open.pop() {
                        circle[member] = function;
                        if member == function {
                            break;
                        }
                    }
                }
            }
        }
        circle
    }
}
