//! A file as a protocol of the laboratory: whatever is asked of a protocol, a text answers.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ringleader::agree::pool;
use ringleader::blueprint::{Blueprint, Named, Origin, Phase, Start};
use ringleader::circuit::WithCircuit;
use ringleader::error::Error;
use ringleader::params::{Params, Settings};
use ringleader::portrait::PictureRow;
use ringleader::protocol::{Input, Protocol, Transition, draw, leaders, n_cubed, n_squared_log_n, silent, uniform};
use ringleader::random::{Generator, Stream, below, index, mix, stream};
use ringleader::ring::Ring;
use ringleader::value::{Text, Value as Data};
use ringleader::variables::{Domain, Variable, Variables};

use crate::ast::Span;
use crate::code::Code;
use crate::eval::{Agents, Evaluator, Fault, Patience, Result as Ran, truth};
use crate::glance::{Glance, fields_read, slots_of};
use crate::lanes::Lanes;
use crate::pairs::Met;
use crate::program::{Program, Setup};
use crate::quick::{self, Quick};
use crate::setting::{Cell, Refused, Setting, Slot, State};
use crate::source::{Problem, Problems};
use crate::tree::{StmtKind, Value};

/// Whether something can go wrong with a file on a ring, in whatever states two agents are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judged {
    /// Nothing can.
    Right,
    /// This can.
    Wrong(Fault),
    /// It is not known, so that it is noticed when it happens.
    Unknown,
}

/// Somebody who is asked that before a file runs.
pub type Judge = Arc<dyn Fn(&Program, &Setting) -> Judged + Send + Sync>;

/// What went wrong while functions of a file ran: the first fault is kept, and whoever asked for the run is told.
#[derive(Clone, Default)]
pub struct Trouble {
    first: Arc<Mutex<Option<Fault>>>,
    /// How long they may run.
    pub patience: Patience,
    /// Who is asked beforehand; without one, all that can go wrong is noticed when it does.
    judge: Option<Judge>,
}

impl Trouble {
    /// None yet, with somebody who is asked beforehand.
    #[must_use]
    pub fn judged(judge: Option<Judge>) -> Self {
        Self { judge, ..Self::default() }
    }

    /// The first fault, if there was one.
    #[must_use]
    pub fn first(&self) -> Option<Fault> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The same, which is then forgotten.
    #[must_use]
    pub fn take(&self) -> Option<Fault> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn keep(&self, fault: Fault) {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(fault);
    }
}

/// A protocol that was read from a file, with its parameters.
#[derive(Clone)]
pub struct Written(Arc<Inner>);

struct Inner {
    program: Arc<Program>,
    setting: Setting,
    ring: Ring,
    leader: Option<Glance>,
    output: Glance,
    limit: u64,
    trouble: Trouble,
    text: u64,
    /// Whether it is known that nothing can go wrong.
    proven: bool,
    lanes: OnceLock<Option<Lanes>>,
    quick: Quick,
}

/// All coins are tried, to see whether anything can happen, if there are no more than this.
const MOST_COINS: u64 = 1 << 16;

/// A hash of a text.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0x5eed, |hash, byte| mix(hash ^ u64::from(byte)))
}

/// The faults of a text as problems of its file.
#[must_use]
pub fn problems(program: &Program, fault: &Fault) -> Problems {
    let problem = |fault: &Fault| Problem::new(fault.span, fault.what.clone(), fault.help.clone());
    let all = std::iter::once(fault).chain(&fault.also).map(problem).collect();
    Problems { file: program.file.clone(), text: program.text.to_string(), all }
}

impl Written {
    /// A file on a ring.
    ///
    /// # Errors
    /// If the file refuses the ring or a parameter, or something is wrong with it there.
    pub fn new(program: &Arc<Program>, ring: Ring, params: &Params, trouble: &Trouble) -> Result<Self, Error> {
        let refuse = |fault: Fault| {
            let error = wrong(program, &fault);
            trouble.keep(fault);
            error
        };
        let setting = match Setting::within(program, ring.n(), params, &trouble.patience) {
            Ok(setting) => setting,
            Err(Refused::Ring(error)) => return Err(error),
            Err(Refused::Text(fault)) => return Err(refuse(fault)),
        };
        let judged = trouble.judge.as_ref().map_or(Judged::Unknown, |judge| judge(program, &setting));
        if let Judged::Wrong(fault) = judged {
            return Err(refuse(fault));
        }
        let leader = program.leader.map(|function| Glance::of(program, &setting, function));
        let output = match program.output {
            Some(function) => Glance::of(program, &setting, function),
            None => leader.clone().unwrap_or(Glance::Whole),
        };
        let limit = setting.limit.unwrap_or_else(|| n_squared_log_n(ring, 1000).max(n_cubed(ring, 100)));
        let (program, trouble, text) = (program.clone(), trouble.clone(), hash(&program.text));
        let (proven, lanes, quick) = (judged == Judged::Right, OnceLock::new(), Quick::new(&program, &setting));
        let inner = Inner { program, setting, ring, leader, output, limit, trouble, text, proven, lanes, quick };
        Ok(Self(Arc::new(inner)))
    }

    /// The file.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.0.program
    }

    /// Its values on this ring.
    #[must_use]
    pub fn setting(&self) -> &Setting {
        &self.0.setting
    }

    /// The text in lanes, if it can be run there.
    #[must_use]
    pub fn lanes(&self) -> Option<&Lanes> {
        let make = || {
            let Inner { program, setting, leader, .. } = &*self.0;
            let (shared, known, leader) = (program.clone(), setting.clone(), leader.clone());
            let leads = move |state: &State| {
                leader.as_ref().is_some_and(|leader| leader.at(&shared, &known, state).is_ok_and(|leads| leads != 0))
            };
            Lanes::new(program, setting, self.0.proven, leads)
        };
        self.0.lanes.get_or_init(make).as_ref()
    }

    /// What a run gave, or what stands for it after a fault, which is kept.
    fn or<T>(&self, ran: Ran<T>, instead: T) -> T {
        ran.unwrap_or_else(|fault| {
            self.0.trouble.keep(*fault);
            instead
        })
    }

    fn evaluator<'a>(&'a self, agents: Agents<'a>) -> Evaluator<'a> {
        self.patient(agents, &self.0.setting.patience)
    }

    fn patient<'a>(&'a self, agents: Agents<'a>, patience: &'a Patience) -> Evaluator<'a> {
        let Inner { program, setting, .. } = &*self.0;
        Evaluator::new(program, &setting.globals, &setting.layout, agents).within(patience)
    }

    /// Whether a configuration is in the set that a function of the ring is.
    fn holds(&self, function: usize, config: &[State]) -> bool {
        let Inner { program, setting, quick, .. } = &*self.0;
        let law = |patience: &Patience| {
            let value = self.patient(Agents::Seen(config), patience).call(function, &[Value::Ring]);
            value.map(|value| truth(&value))
        };
        match quick.holds(program, setting, function, config, law) {
            Some(holds) => holds,
            None => self.or(law(&setting.patience), false),
        }
    }

    /// The configuration that a start makes, with inputs as they must be.
    fn start(&self, function: usize, generator: &mut Generator) -> Ran<Vec<State>> {
        let mut config = vec![State::default(); self.0.ring.n()];
        self.evaluator(Agents::Held(&mut config)).drawing(generator).call(function, &[Value::Ring])?;
        match self.0.program.inputs {
            Some(inputs) if !self.holds(inputs, &config) => {
                let (program, start) = (&self.0.program, &self.0.program.functions[function]);
                let what = format!("this start does not give inputs as they must be: {}", words_of(program, inputs));
                let help = format!("`@inputs` asks for it, n = {}", self.0.ring.n());
                Err(Box::new(Fault::new(start.span, what, help)))
            }
            _ => Ok(config),
        }
    }

    /// Whether nothing will ever happen again; not known, and so false, if there are more coins than can be tried.
    fn is_silent(&self, config: &[State]) -> bool {
        self.coins() <= MOST_COINS && silent(self, self.0.ring, config)
    }

    fn coins_of(&self, coin: u64) -> Vec<Value> {
        let slots = &self.0.setting.coins;
        let drawn = draw(coin, &slots.iter().map(Slot::size).collect::<Vec<_>>());
        slots.iter().zip(drawn).map(|(slot, k)| slot.value(slot.nth(k))).collect()
    }

    /// One interaction by the law; whether it read a coin, and the agents after it.
    fn by_law(&self, l: &State, r: &State, input: Input) -> Ran<Met> {
        self.by_law_within(l, r, input, &self.0.setting.patience)
    }

    fn by_law_within(&self, l: &State, r: &State, input: Input, patience: &Patience) -> Ran<Met> {
        let mut agents = [*l, *r];
        let coins = self.coins_of(input.coin);
        let read = self.patient(Agents::Held(&mut agents), patience).interact(&coins, input.leader)?;
        Ok((read, agents))
    }

    /// What comes of a meeting, by code or by law; kept if there is a table.
    #[inline(never)]
    fn work_out(&self, l: &State, r: &State, input: Input) -> Ran<Met> {
        let met = match self.by_code(l, r, input) {
            Some(met) => met,
            None => self.by_law(l, r, input)?,
        };
        if let Some(pairs) = &self.0.quick.pairs {
            pairs.put(l, r, input, met, |state| self.is_leader(state));
        }
        Ok(met)
    }

    fn by_code(&self, l: &State, r: &State, input: Input) -> Option<Met> {
        let Inner { program, setting, proven, quick, .. } = &*self.0;
        let make = || Code::interact(program, setting, *proven).filter(|code| self.is_kept(code));
        quick.step.get_or_init(make).as_ref().and_then(|code| quick::meet(code, setting, l, r, input))
    }

    #[cfg(test)]
    pub(crate) fn quick(&self) -> &Quick {
        &self.0.quick
    }

    /// Whether code does what the law says to some thousand pairs, or as many as there is time for.
    pub(crate) fn is_kept(&self, code: &Code) -> bool {
        let (setting, patience) = (&self.0.setting, Patience::default());
        patience.allow(quick::COMPARED);
        let pool = pool(self, 1);
        let mut generator = stream(1, Stream::Coins);
        let kept = (0..quick::PAIRS).all(|k| {
            // Two uniform states, or two of the others.
            let mut any = || pool[2 * index(&mut generator, pool.len() / 2) + k % 2];
            let (l, r) = (any(), any());
            let input = Input { coin: below(&mut generator, self.coins()), leader: below(&mut generator, 2) == 1 };
            let law = || self.by_law_within(&l, &r, input, &patience);
            patience.left() == 0 || quick::agrees(code, setting, (&l, &r, input), &patience, law)
        });
        if !kept {
            self.0.quick.differs.store(true, Relaxed);
        }
        kept
    }
}

/// What a function is for, or its name.
fn words_of(program: &Program, function: usize) -> &str {
    let function = &program.functions[function];
    if function.about.is_empty() { &function.name } else { &function.about }
}

/// A fault as the one error of the library.
fn wrong(program: &Program, fault: &Fault) -> Error {
    let Span { line, column, .. } = fault.span;
    Error::new(format!("{}:{line}:{column}", program.file), program.words(fault.span), fault.what.clone())
}

impl Transition for Written {
    type State = State;

    #[inline]
    fn coins(&self) -> u64 {
        self.0.setting.coins.iter().map(Slot::size).product()
    }

    #[inline]
    fn reads_coin(&self, l: &State, r: &State) -> bool {
        // Until the first coin is read, no coin matters.
        let read = |leader| {
            let input = Input { coin: 0, leader };
            let known = self.0.quick.pairs.as_ref().and_then(|pairs| pairs.drawn(l, r, input));
            known.unwrap_or_else(|| self.or(self.work_out(l, r, input).map(|(read, _)| read), false))
        };
        !self.0.setting.coins.is_empty() && (read(true) || self.oracle().is_some() && read(false))
    }

    #[inline]
    fn oracle(&self) -> Option<u64> {
        self.0.setting.oracle
    }

    #[inline]
    fn interact(&self, l: &mut State, r: &mut State, input: Input) {
        if self.0.quick.pairs.as_ref().is_some_and(|pairs| pairs.meet(l, r, input).is_some()) {
            return;
        }
        let after = self.work_out(l, r, input).map(|(_, agents)| agents);
        [*l, *r] = self.or(after, [*l, *r]);
    }
}

impl Protocol for Written {
    fn text(&self) -> u64 {
        self.0.text
    }

    fn lines(&self, l: &State, r: &State, input: Input) -> Vec<u32> {
        let (mut agents, mut lines) = ([*l, *r], Vec::new());
        let coins = self.coins_of(input.coin);
        let mut watch = |line| lines.push(line);
        let ran = self.evaluator(Agents::Held(&mut agents)).watched(&mut watch).interact(&coins, input.leader);
        self.or(ran, false);
        lines
    }

    fn settings(&self) -> Settings {
        let parameters = self.0.setting.parameters(&self.0.program);
        parameters.into_iter().map(|(name, value)| (Text::from(name), value)).collect()
    }

    fn variables(&self) -> Variables<State> {
        let Inner { program, setting, .. } = &*self.0;
        let mut variables = Vec::new();
        for field in &setting.layout.fields {
            for (name, cell) in &field.cells {
                let (get, put) = (Shown::new(cell, program), Shown::new(cell, program));
                let domain = get.domain();
                let variable = Variable::computed(
                    name.clone(),
                    domain,
                    move |state: &State| get.get(state),
                    move |state: &mut State, value| put.put(state, value),
                );
                variables.push(if field.given { variable.as_input() } else { variable });
            }
        }
        Variables(variables)
    }

    fn is_safe(&self, config: &[State]) -> bool {
        (self.0.leader.is_none() || leaders(self, config).len() == 1) && self.claims_safe(config)
    }

    fn claims_safe(&self, config: &[State]) -> bool {
        match self.0.program.safe {
            Some(function) => self.holds(function, config),
            None => (self.0.leader.is_none() || leaders(self, config).len() == 1) && self.is_silent(config),
        }
    }

    #[inline]
    fn is_leader(&self, state: &State) -> bool {
        let Inner { program, setting, leader, .. } = &*self.0;
        leader.as_ref().is_some_and(|leader| self.or(leader.at(program, setting, state), 0) != 0)
    }

    /// A table knows both numbers.
    #[inline]
    fn interact_counted(&self, l: &mut State, r: &mut State, input: Input) -> [usize; 2] {
        if let Some(led) = self.0.quick.pairs.as_ref().and_then(|pairs| pairs.meet(l, r, input)) {
            return led;
        }
        let led = |agents: [&State; 2]| agents.into_iter().filter(|state| self.is_leader(state)).count();
        let before = led([l, r]);
        self.interact(l, r, input);
        [before, led([l, r])]
    }

    #[inline]
    fn output(&self, state: &State) -> u64 {
        let Inner { program, setting, output, .. } = &*self.0;
        self.or(output.at(program, setting, state), 0)
    }

    fn dice(&self) -> Vec<u64> {
        self.0.setting.coins.iter().map(Slot::size).collect()
    }

    fn accepts(&self, config: &[State]) -> Result<(), Error> {
        match self.0.program.inputs {
            Some(inputs) if !self.holds(inputs, config) => {
                let words = words_of(&self.0.program, inputs);
                Err(Error::new("inputs", "(as given)", format!("they must be so: {words}")))
            }
            _ => Ok(()),
        }
    }

    fn inputs(&self, ring: Ring) -> Vec<Vec<State>> {
        let given: Vec<Variable<State>> = self.variables().0.into_iter().filter(|variable| variable.input).collect();
        let mut configs = vec![vec![State::default(); ring.n()]];
        for agent in 0..ring.n() {
            for variable in &given {
                let with = |config: &Vec<State>, k| {
                    let mut config = config.clone();
                    variable.put(&mut config[agent], &variable.domain.nth(k));
                    config
                };
                let size = variable.domain.size();
                configs = configs.iter().flat_map(|config| (0..size).map(move |k| with(config, k))).collect();
            }
        }
        configs.retain(|config| self.accepts(config).is_ok());
        configs
    }

    fn with_circuit<W: WithCircuit<State>>(&self, work: W) -> Option<W::Output> {
        Some(work.with(self.lanes()?.clone()))
    }

    fn default_limit(&self, _: Ring) -> u64 {
        self.0.limit
    }

    fn facts(&self, config: &[State]) -> Vec<(Text, Data)> {
        let program = &self.0.program;
        let mut facts: Vec<(Text, Data)> = vec![("n".into(), config.len().into())];
        if program.leader.is_some() {
            facts.push(("leaders".into(), leaders(self, config).into()));
        }
        let phases = program.phases.iter().map(|phase| phase.function);
        let mut sets: Vec<usize> =
            phases.chain(program.claims.iter().copied()).chain(program.promise).chain(program.inputs).collect();
        sets.sort_unstable();
        sets.dedup();
        for function in sets {
            facts.push((program.functions[function].name.clone().into(), self.holds(function, config).into()));
        }
        if self.coins() <= MOST_COINS {
            facts.push(("silent".into(), self.is_silent(config).into()));
        }
        facts.push(("safe".into(), self.is_safe(config).into()));
        if self.0.quick.differs.load(Relaxed) {
            facts.push(("by the law only".into(), "the code made of this text is not what the text says".into()));
        }
        facts
    }

    fn picture(&self, config: &[State]) -> Vec<PictureRow> {
        let mut rows = Vec::new();
        if self.0.program.leader.is_some() {
            rows.push(PictureRow::leaders(config.iter().map(|state| self.is_leader(state))));
        }
        let shown = |variable: &Variable<State>| variable.domain.size() <= 36 && variable.name != "leader";
        rows.extend(self.variables().0.iter().filter(|variable| shown(variable)).map(|variable| row(variable, config)));
        rows
    }
}

/// A variable as a row: small numbers and first letters as they are, other values by their place in the domain, the first as a dot.
fn row(variable: &Variable<State>, config: &[State]) -> PictureRow {
    let (letters, legend) = letters(&variable.domain);
    let cell = |state: &State| {
        let k = variable.domain.index(&variable.get(state)).unwrap_or(0);
        letters.get(k as usize).copied().unwrap_or('?')
    };
    PictureRow::new(variable.name.clone(), legend, config.iter().map(cell))
}

fn letters(domain: &Domain) -> (Vec<char>, String) {
    let digit =
        |k: u64| if k == 0 { '.' } else { u32::try_from(k).ok().and_then(|k| char::from_digit(k, 36)).unwrap_or('+') };
    let values = 0..domain.size();
    if let Domain::Names(names) = domain {
        let firsts: Vec<char> = names.iter().map(|name| name.chars().next().unwrap_or('?')).collect();
        let mut unique = firsts.clone();
        unique.sort_unstable();
        unique.dedup();
        if unique.len() == names.len() {
            return (firsts, names.join(", "));
        }
        let told: Vec<String> = (0..).zip(names).map(|(k, name)| format!("{} {name}", digit(k))).collect();
        return (values.map(digit).collect(), told.join(", "));
    }
    let legend = match domain {
        Domain::Range { low: 0, .. } => "the value, . is 0".to_owned(),
        _ => format!(". is {}, then in order", domain.nth(0)),
    };
    (values.map(digit).collect(), legend)
}

// --- Variables as plain data ----------------------------------------------------------------------------------------

/// A cell as the laboratory sees it: values by name.
struct Shown {
    cell: Cell,
    names: Arc<Program>,
}

impl Shown {
    fn new(cell: &Cell, program: &Arc<Program>) -> Self {
        Self { cell: cell.clone(), names: program.clone() }
    }

    fn domain(&self) -> Domain {
        match &self.cell {
            Cell::One(slot) => self.scalar(slot),
            Cell::Maybe(_, parts) => Domain::Maybe(parts.iter().map(|part| self.scalar(part)).collect()),
        }
    }

    fn scalar(&self, slot: &Slot) -> Domain {
        if slot.names {
            let numbers = slot.ranges.iter().flat_map(|(low, high)| *low..=*high);
            return Domain::Names(numbers.map(|name| Text::from(self.names.names[name as usize].clone())).collect());
        }
        match slot.ranges.as_slice() {
            [(low, high)] => Domain::Range { low: *low, high: *high },
            ranges => Domain::Ranges(ranges.to_vec()),
        }
    }

    fn data(&self, slot: &Slot, number: i64) -> Data {
        if slot.names { self.names.names[number as usize].as_str().into() } else { number.into() }
    }

    fn get(&self, state: &State) -> Data {
        let part = |slot: &Slot| self.data(slot, slot.get(state));
        match &self.cell {
            Cell::One(slot) => part(slot),
            Cell::Maybe(there, _) if there.get(state) == 0 => Data::Null,
            Cell::Maybe(_, parts) if parts.len() == 1 => part(&parts[0]),
            Cell::Maybe(_, parts) => Data::List(parts.iter().map(part).collect()),
        }
    }

    fn put(&self, state: &mut State, value: &Data) {
        let value = self.value(value);
        let stored = self.cell.put(state, &value);
        debug_assert!(stored, "the domain was checked before");
    }

    fn value(&self, value: &Data) -> Value {
        match value {
            Data::Int(number) => Value::Int(*number as i64),
            Data::Text(name) => {
                Value::Name(self.names.names.iter().position(|known| known == name).unwrap_or(usize::MAX))
            }
            Data::List(items) => Value::Tuple(items.iter().map(|item| self.value(item)).collect()),
            _ => Value::None,
        }
    }
}

impl Slot {
    /// Value number `k`, in the order of the domain.
    #[must_use]
    pub fn nth(&self, mut k: u64) -> i64 {
        for (low, high) in &self.ranges {
            let size = (high - low) as u64 + 1;
            if k < size {
                return low + k as i64;
            }
            k -= size;
        }
        self.high
    }
}

// --- Before the ring is known ---------------------------------------------------------------------------------------

/// The name of a function as a word of the command line.
fn word(name: &str) -> String {
    name.replace('_', "-")
}

/// The blueprint of a file, under a name; faults while it runs go to `trouble`.
#[must_use]
pub fn blueprint(program: &Arc<Program>, name: &str, trouble: &Trouble) -> Blueprint<Written> {
    let (shared, kept) = (program.clone(), trouble.clone());
    let make = move |ring: Ring, params: &Params| Written::new(&shared, ring, params, &kept);
    let summary = if program.summary.is_empty() { "a protocol of yours" } else { &program.summary };
    let mut blueprint = Blueprint::new(name.to_owned(), program.ring, make).summary(summary.to_owned());
    blueprint = blueprint.origin(Origin::Mixed("the file's own".into()));
    if let Some(assumption) = &program.assumption {
        blueprint = blueprint.assumption(assumption.clone());
    }
    if let Some(bound) = &program.bound {
        blueprint = blueprint.bound(bound.clone());
    }
    if program.leader.is_some() {
        blueprint = blueprint.elects();
    }
    blueprint = match program.safe.map(|function| &program.functions[function].about) {
        None => blueprint.without_safe_set(),
        Some(about) if about.is_empty() => blueprint,
        Some(about) => blueprint.safe(about.clone()),
    };
    for setup in &program.setup {
        if let Setup::Parameter(global, default) = setup {
            let help = format!("a parameter of the file [default: {}]", program.words(default.span));
            blueprint = blueprint.parameter(program.globals[*global].clone(), help);
        }
    }
    if let Some(function) = program.promise {
        let name = program.functions[function].name.clone();
        blueprint = blueprint.promise(name, move |written, config| written.holds(function, config));
    }
    let (shared, kept) = (program.clone(), trouble.clone());
    blueprint.fault = Some(Arc::new(move || Some(wrong(&shared, &kept.first()?))));
    blueprint.about.text = Some(program.text.clone());
    blueprint.phases = phases(program);
    blueprint.starts = program.starts.iter().map(|&function| named_start(program, function)).collect();
    let first = program.starts.first().copied();
    let has = |name: &str| program.starts.iter().any(|&function| word(&program.functions[function].name) == name);
    if !has("uniform") {
        let about = "every variable of every agent uniform over its domain";
        blueprint = blueprint
            .start("uniform", about, move |written, ring, generator| uniform_start(written, ring, first, generator));
    }
    if !has("zero") {
        let about = "every variable zero";
        blueprint = blueprint.start("zero", about, move |written, _, generator| zero_start(written, first, generator));
    }
    blueprint
}

/// Inputs as the first start makes them, all else zero.
fn zero_start(written: &Written, first: Option<usize>, generator: &mut Generator) -> Vec<State> {
    let zero = vec![State::default(); written.0.ring.n()];
    let (Some(function), Some(_)) = (first, written.0.program.inputs) else { return zero };
    let made = written.start(function, generator);
    let mut config = written.or(made, zero);
    let variables = written.variables();
    for variable in variables.0.iter().filter(|variable| !variable.input) {
        let value = variable.get(&State::default());
        config.iter_mut().for_each(|state| variable.put(state, &value));
    }
    config
}

/// Inputs as the first start makes them, all else uniform.
fn uniform_start(written: &Written, ring: Ring, first: Option<usize>, generator: &mut Generator) -> Vec<State> {
    if written.0.program.inputs.is_none() {
        return uniform(written, ring, generator);
    }
    let mut config = zero_start(written, first, generator);
    let variables = written.variables();
    config.iter_mut().for_each(|state| variables.randomise(state, generator));
    config
}

fn named_start(program: &Arc<Program>, function: usize) -> Start<Written> {
    let declared = &program.functions[function];
    let named = Named { name: word(&declared.name).into(), about: declared.about.clone().into() };
    let asserts = declared.body.iter().any(|stmt| matches!(stmt.kind, StmtKind::Assert(..)));
    let needs = move |written: &Written, _: Ring| {
        let made = written.start(function, &mut ringleader::random::stream(0, ringleader::random::Stream::Start));
        made.map(drop).map_err(|fault| {
            let name = word(&written.0.program.functions[function].name);
            Error::new("start", name, fault.what)
        })
    };
    let make = move |written: &Written, ring: Ring, generator: &mut Generator| {
        let made = written.start(function, generator);
        written.or(made, vec![State::default(); ring.n()])
    };
    Start { named, needs: asserts.then(|| Arc::new(needs) as _), make: Arc::new(make) }
}

fn phases(program: &Arc<Program>) -> Vec<Phase<Written>> {
    let phase = |phase: &crate::program::PhaseDecl| {
        let (function, declared) = (phase.function, &program.functions[phase.function]);
        let named = Named { name: declared.name.clone().into(), about: declared.about.clone().into() };
        let fields = fields_read(program, function);
        // What the function does not look at cannot matter to it.
        let differ = move |written: &Written, a: &State, b: &State| {
            let slots = fields.iter().flat_map(|&field| slots_of(&written.0.setting, field));
            a != b && slots.into_iter().any(|slot| slot.get(a) != slot.get(b))
        };
        let holds = move |written: &Written, config: &[State]| written.holds(function, config);
        Phase { named, holds: Arc::new(holds), open: (!phase.closed).then(|| Arc::new(differ) as _), led: None }
    };
    program.phases.iter().map(phase).collect()
}
