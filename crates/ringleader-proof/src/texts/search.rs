//! Convergence with probability 1: from every configuration some word leads into the safe set.
//!
//! A finite ring under the random scheduler performs any given word sooner or later, again and again, with any given coins. So if from every
//! configuration some word leads into a set, the set is reached with probability 1; and if that is so of the next set from there, and so
//! on, so is the last. Where a leader election has several leaders, fewer will do, but at least one: that cannot go on for ever.
//!
//! The sets on the way are the phases that the text names. One word is grown for each step: from configurations that it does not lead on,
//! which the solver finds, random ones among the first, sweeps round the ring are tried, and then what a random execution did. When the
//! solver finds no configuration any more, the step is proven. If no word is found from a configuration, all that can be reached from there
//! is visited: only if no member of the safe set is among it, convergence fails.

use ringleader::circuit::{Bit, all, any, at_least};
use ringleader::protocol::{Protocol, Transition, leaders, silent};
use ringleader::random::{Generator, Stream, below, stream};
use ringleader::ring::{Interaction, Ring};
use ringleader_notation::graph::{Cone, Lit};
use ringleader_notation::setting::State;

use super::graph::{Config, Graphs};
use super::play::{Player, Visited};
use super::{Answer, Asked, Found, exactly_one, holds};
use crate::query::{Decided, Undecided, Verdict};
use crate::witness::{Move, unconfirmed};

/// So many random configurations are looked at first.
const SAMPLE: usize = 100;
/// So many of them choose a sweep.
const JURY: usize = 16;
/// A random execution goes on for so long.
const WALK: usize = 20_000;
/// Where no more than so many can be reached all are visited at once, which also finds the shortest word.
const FEW: usize = 1_000;
/// Otherwise so many configurations are visited after that.
const VISIT: usize = 200_000;
/// Coins of a sweep are tried so many times.
const COINS: u64 = 8;
/// More coins than this are not looked at one by one in formulas.
const MOST_COINS: u64 = 64;

/// A step: from every configuration of one set some word leads to a member of another one.
struct Step {
    /// The functions all of which hold before.
    from: Vec<usize>,
    /// Those all of which hold afterwards; `None` at the last step, which leads to the safe set.
    to: Option<Vec<usize>>,
    /// What the step is called.
    name: String,
}

pub(super) fn converges(asked: &mut Asked<'_, '_>) -> Result<Answer, Undecided> {
    let graphs = asked.graphs;
    if graphs.program.safe.is_none() && (graphs.law.oracle().is_some() || graphs.law.coins() > MOST_COINS) {
        return Err(Undecided::Unknown("no safe set is declared; `check` finds it on small rings".to_owned()));
    }
    let (through, at_once) = (steps(graphs, true), steps(graphs, false));
    let several = through.len() > 1;
    match follow(asked, &through)? {
        Followed::Aside(_) if several => match follow(asked, &at_once)? {
            Followed::Aside(why) => Err(Undecided::Unknown(why)),
            Followed::To(answer) => Ok(answer),
        },
        Followed::Aside(why) => Err(Undecided::Unknown(why)),
        Followed::To(answer) => Ok(answer),
    }
}

/// What comes of several steps.
enum Followed {
    /// The answer.
    To(Answer),
    /// A phase is not on the way to safety.
    Aside(String),
}

fn follow(asked: &mut Asked<'_, '_>, steps: &[Step]) -> Result<Followed, Undecided> {
    let (mut notes, mut closed) = (Vec::new(), Vec::new());
    for step in steps {
        for &function in &step.from {
            if !closed.contains(&function) && asked.graphs.program.is_claimed(function) && asked.is_closed(function)? {
                closed.push(function);
            }
        }
        match grow(asked, step, &closed, &mut stream(1, Stream::Schedule))? {
            Grown::Word(0) => {}
            Grown::Word(length) => notes.push(format!("{} {length}", step.name)),
            Grown::Aside(why) => return Ok(Followed::Aside(why)),
            Grown::Never(found, count) => {
                let shows = format!("none of the {count} configurations that can be reached from here is safe");
                let witness = asked.witness(&found, &[], &shows, |_| true)?;
                return Ok(Followed::To(Answer::of(Verdict::Fails(witness))));
            }
        }
    }
    let note = if notes.is_empty() { "no word is needed".to_owned() } else { format!("words: {}", notes.join(", ")) };
    Ok(Followed::To(Answer::Decided(Verdict::Holds(None).with_note(note))))
}

/// One step after the other through the phases, or one step.
fn steps(graphs: &Graphs, phases: bool) -> Vec<Step> {
    let program = &graphs.program;
    let mut from: Vec<usize> = program.promise.into_iter().collect();
    let mut steps = Vec::new();
    let all = program.phases.iter().map(|phase| phase.function);
    let on_the_way = |phase: &usize| phases && Some(*phase) != program.promise && Some(*phase) != program.safe;
    for phase in all.filter(on_the_way) {
        let to = [&from[..], &[phase]].concat();
        steps.push(Step { from, to: Some(to.clone()), name: program.functions[phase].name.clone() });
        from = to;
    }
    let name = program.safe.map_or("silence".to_owned(), |function| program.functions[function].name.clone());
    steps.push(Step { from, to: None, name });
    steps
}

/// What comes of a step.
enum Grown {
    /// A word of so many interactions leads on from every configuration.
    Word(usize),
    /// From here safety is not to be reached, and so many configurations were visited.
    Never(Found, usize),
    /// Safety is, but not by way of what the step leads to.
    Aside(String),
}

/// A configuration from which the word is played: it, and what has become of it; done once that was good.
struct Sample {
    leaders: usize,
    now: Player,
    done: bool,
}

/// The word of a step, as far as it is grown.
struct Word<'a> {
    graphs: &'a Graphs,
    step: &'a Step,
    /// The sets that are closed, so that they need not be looked at again.
    closed: &'a [usize],
    moves: Vec<Move>,
    /// Where parts of it end: what is good is looked for there.
    ends: Vec<usize>,
    samples: Vec<Sample>,
}

fn grow(
    asked: &mut Asked<'_, '_>,
    step: &Step,
    closed: &[usize],
    generator: &mut Generator,
) -> Result<Grown, Undecided> {
    let mut word = Word { graphs: asked.graphs, step, closed, moves: Vec::new(), ends: vec![0], samples: Vec::new() };
    let (start, right) = asked.anything()?;
    let mut asserted = vec![right];
    for &function in &step.from {
        asserted.push(asked.is_in(function, &start)?);
    }
    let still = asked.still(step.from.iter().copied().filter(|function| closed.contains(function)))?;
    let mut counterexamples = 0;
    if let Some(found) = asked.find(&start, &asserted)? {
        word.sample(&found, generator);
    }
    let before = at_least(asked.graphs.leads(&start).into_iter());
    let (mut now, mut shown) = (start.clone(), 0);
    let in_vain = |word: &Word<'_>, counterexamples: usize, why: &str| {
        Undecided::Unknown(format!(
            "step {}: {} words, {} interactions, {counterexamples} configurations led on one by one; {why}",
            step.name,
            word.ends.len() - 1,
            word.moves.len()
        ))
    };
    loop {
        if let Some(never) = word.extend(asked, generator).map_err(|why| in_vain(&word, counterexamples, &why))? {
            return Ok(never);
        }
        // What was added since is followed in the formula.
        for k in shown..word.ends.len() {
            let from = if k == 0 { 0 } else { word.ends[k - 1] };
            for &(e, coin) in &word.moves[from..word.ends[k]] {
                let mut next = asked.graphs.after(&now, e, &asked.graphs.this_coin(coin)).0;
                next.keep(&still, &now);
                now = next;
            }
            asserted.push(!word.good_there(asked, &now, &before)?);
        }
        shown = word.ends.len();
        match asked.find(&start, &asserted).map_err(|undecided| match undecided {
            Undecided::Unknown(why) => in_vain(&word, counterexamples, &why),
            other => other,
        })? {
            None => return Ok(Grown::Word(word.moves.len())),
            Some(found) => {
                counterexamples += 1;
                // By the law the word leads on from there: then graph and law are not the same.
                if !word.add(&found) {
                    return Err(unconfirmed());
                }
            }
        }
    }
}

impl Asked<'_, '_> {
    fn is_closed(&mut self, function: usize) -> Result<bool, Undecided> {
        Ok(matches!(self.closed(function)?, Answer::Decided(Decided { verdict: Verdict::Holds(_), .. })))
    }

    /// The bits of an agent that no interaction changes as long as it stays in these sets, which are closed.
    fn still(&mut self, closed: impl Iterator<Item = usize>) -> Result<Vec<bool>, Undecided> {
        let (graphs, (config, right)) = (self.graphs, self.anything()?);
        let mut asserted = vec![right];
        for function in closed {
            asserted.push(self.is_in(function, &config)?);
        }
        let mut still = vec![true; config.agents[0].len()];
        for e in (0..graphs.ring.arcs()).map(|k| graphs.ring.arc(k)) {
            let coin = graphs.any_coin(&mut self.demands);
            let (next, _) = graphs.after(&config, e, &coin);
            let changed = |k: usize| {
                let changed = |agent: usize| config.agents[agent][k] ^ next.agents[agent][k];
                changed(e.initiator) | changed(e.responder)
            };
            let changed: Vec<Lit> = (0..still.len()).map(changed).collect();
            let inputs = [&config.agents.concat()[..], &config.leaderless, &coin].concat();
            let seen = Cone::of(&inputs, &changed);
            // Every solution shows some bits that change.
            loop {
                let some = any(changed.iter().zip(&still).filter(|(_, still)| **still).map(|(&changed, _)| changed));
                let Some(model) = self.model(&[&asserted[..], &[some]].concat())? else { break };
                let values: Vec<bool> = inputs.iter().map(|&bit| model.truth(bit).unwrap_or(false)).collect();
                still.iter_mut().zip(seen.evaluate(&values)).for_each(|(still, changes)| *still &= !changes);
            }
        }
        Ok(still)
    }
}

impl Word<'_> {
    /// Whether a configuration is what the step leads to, for one that came from so many leaders.
    fn good(&self, leaders: usize, player: &Player) -> bool {
        let (graphs, config) = (self.graphs, &player.config);
        let all = |functions: &[usize]| functions.iter().all(|&function| holds(graphs, function, config));
        (1..leaders).contains(&player.leaders()) && all(&self.step.from)
            || self.step.to.as_ref().map_or_else(|| self.safe(player), |to| all(to))
    }

    fn safe(&self, player: &Player) -> bool {
        match self.graphs.program.safe {
            Some(safe) => holds(self.graphs, safe, &player.config),
            None => is_silent(self.graphs, &player.config),
        }
    }

    /// The same of a configuration of literals, where `before` says whether there were at least 1, 2, ... leaders at the start.
    fn good_there(&self, asked: &Asked<'_, '_>, config: &Config, before: &[Lit]) -> Result<Lit, Undecided> {
        let graphs = self.graphs;
        let every = |functions: &[usize]| -> Result<Lit, Undecided> {
            let lits: Result<Vec<Lit>, Undecided> = functions
                .iter()
                .filter(|function| !self.closed.contains(function))
                .map(|&function| asked.is_in(function, config))
                .collect();
            Ok(all(lits?))
        };
        let now = at_least(graphs.leads(config).into_iter());
        let some = now.first().copied().unwrap_or(Lit::ZERO);
        let fewer = some & any(before.iter().zip(&now).map(|(&before, &now)| before & !now));
        let fewer = if fewer == Lit::ZERO { fewer } else { fewer & every(&self.step.from)? };
        let there = match (&self.step.to, graphs.program.safe) {
            (Some(to), _) => every(to)?,
            (None, Some(safe)) => asked.is_in(safe, config)?,
            (None, None) if graphs.program.leader.is_some() => {
                graphs.silent(config) & exactly_one(&graphs.leads(config))
            }
            (None, None) => graphs.silent(config),
        };
        Ok(fewer | there)
    }

    /// A configuration from which the word has to lead on; whether it does not yet.
    fn add(&mut self, found: &Found) -> bool {
        let start = Player::new(self.graphs, found);
        let leaders = start.leaders();
        let (mut now, mut from) = (start, 0);
        for &end in &self.ends {
            now.play(self.graphs, &self.moves[from..end]);
            if self.good(leaders, &now) {
                return false;
            }
            from = end;
        }
        self.samples.push(Sample { leaders, now, done: false });
        true
    }

    /// Random configurations, with the inputs of this one, if a random execution leads to where the step begins.
    fn sample(&mut self, (like, _): &Found, generator: &mut Generator) {
        let variables = self.graphs.law.variables();
        for _ in 0..SAMPLE {
            let mut config = like.clone();
            config.iter_mut().for_each(|state| variables.randomise(state, generator));
            let player = Player::new(self.graphs, &(config, 0));
            let begins =
                |player: &Player| self.step.from.iter().all(|&function| holds(self.graphs, function, &player.config));
            let mut start = player.clone();
            if let Some(word) = player.walk(self.graphs, 1000, generator, begins) {
                start.play(self.graphs, &word);
                self.add(&start.found());
            }
        }
    }

    /// Makes the word longer until it leads on from all samples; or there is one from which nothing does.
    fn extend(&mut self, asked: &Asked<'_, '_>, generator: &mut Generator) -> Result<Option<Grown>, String> {
        self.samples.retain(|sample| !sample.done);
        while !self.samples.is_empty() {
            if let Some(why) = asked.query.halted() {
                return Err(why);
            }
            let part = match self.best_sweep(generator) {
                Some(part) => part,
                None => match self.executed(generator)? {
                    Ok(part) => part,
                    Err(never) => return Ok(Some(never)),
                },
            };
            let mut samples = std::mem::take(&mut self.samples);
            for sample in &mut samples {
                sample.now.play(self.graphs, &part);
                sample.done = self.good(sample.leaders, &sample.now);
            }
            samples.retain(|sample| !sample.done);
            self.samples = samples;
            self.moves.extend(part);
            self.ends.push(self.moves.len());
        }
        Ok(None)
    }

    /// Of some sweeps round the ring the one that leads on from most of the first samples, if any does.
    fn best_sweep(&self, generator: &mut Generator) -> Option<Vec<Move>> {
        let mut best: Option<(usize, Vec<Move>)> = None;
        for sweep in sweeps(self.graphs.ring) {
            let tosses = if self.graphs.law.coins() > 1 { COINS } else { 1 };
            for toss in 0..tosses {
                let part = tossed(self.graphs, &sweep, toss, generator);
                let leads_on = |sample: &&Sample| {
                    let mut now = sample.now.clone();
                    now.play(self.graphs, &part);
                    self.good(sample.leaders, &now)
                };
                let count = self.samples.iter().take(JURY).filter(leads_on).count();
                if count > best.as_ref().map_or(0, |(most, _)| *most) {
                    best = Some((count, part));
                }
            }
        }
        best.map(|(_, part)| part)
    }

    /// What a random execution did with the first sample until it was good, without what it need not have done.
    fn executed(&self, generator: &mut Generator) -> Result<Result<Vec<Move>, Grown>, String> {
        let sample = &self.samples[0];
        let good = |player: &Player| self.good(sample.leaders, player);
        match sample.now.visit(self.graphs, FEW, good) {
            Visited::Good(word) => return Ok(Ok(word)),
            Visited::All(count) => return self.nowhere(&sample.now, count),
            Visited::TooMany => {}
        }
        if let Some(word) = sample.now.walk(self.graphs, WALK, generator, good) {
            return Ok(Ok(sample.now.shortened(self.graphs, word, good)));
        }
        match sample.now.visit(self.graphs, VISIT, good) {
            Visited::Good(word) => Ok(Ok(word)),
            Visited::TooMany => Err(format!("from one configuration, {WALK} random steps do not lead on")),
            Visited::All(count) => self.nowhere(&sample.now, count),
        }
    }

    /// All that can be reached from here was visited, and nothing is what the step leads to.
    fn nowhere(&self, from: &Player, count: usize) -> Result<Result<Vec<Move>, Grown>, String> {
        let promise = self.graphs.program.promise;
        if promise.is_some_and(|promise| !holds(self.graphs, promise, &from.config)) {
            return Err("a word leads out of the promised set, to where safety cannot be reached".to_owned());
        }
        if !matches!(from.visit(self.graphs, VISIT, |player| self.safe(player)), Visited::All(_)) {
            return Ok(Err(Grown::Aside(format!("{} is not on the way to safety", self.step.name))));
        }
        // Silence is only one way to be safe.
        if self.graphs.program.safe.is_none() && from.never_settles(self.graphs, VISIT) != Some(true) {
            return Err(
                "a ring may be safe here without ever being silent; a `safe` in the text would say where".to_owned()
            );
        }
        Ok(Err(Grown::Never(from.found(), count)))
    }
}

/// What stands for the safe set where none is declared.
fn is_silent(graphs: &Graphs, config: &[State]) -> bool {
    (graphs.program.leader.is_none() || leaders(&graphs.law, config).len() == 1)
        && silent(&graphs.law, graphs.ring, config)
}

/// Round the ring to the right and to the left, each agent once or several times, in both directions.
fn sweeps(ring: Ring) -> Vec<Vec<Interaction>> {
    let (right, left) = (ring.seq_r(0, ring.n()), ring.seq_l(0, ring.n()));
    let back = |word: &[Interaction]| -> Vec<Interaction> { word.iter().map(|e| e.reversed()).collect() };
    let mut once = vec![right.clone(), left.clone(), [right.clone(), left.clone()].concat()];
    if ring.arcs() > ring.n() {
        once.extend([back(&right), back(&left), [right.clone(), back(&left)].concat(), [back(&right), left].concat()]);
        once.push(right.iter().flat_map(|&e| [e, e.reversed()]).collect());
    }
    let often = |times: usize| once.iter().map(move |word| word.repeat(times)).collect::<Vec<_>>();
    let slow = |times: usize| {
        once.iter().map(move |word| word.iter().flat_map(|&e| std::iter::repeat_n(e, times)).collect()).collect()
    };
    [often(1), often(2), often(4), slow(2), slow(4), slow(8)].concat()
}

/// A sweep with coins: all the first, or drawn for each edge, or for each interaction.
fn tossed(graphs: &Graphs, sweep: &[Interaction], toss: u64, generator: &mut Generator) -> Vec<Move> {
    let coins = graphs.law.coins();
    let edges: Vec<u64> = (0..graphs.ring.n()).map(|_| below(generator, coins)).collect();
    let coin = |e: &Interaction, generator: &mut Generator| match toss {
        0 => 0,
        toss if toss % 2 == 1 => edges[edge(graphs.ring, *e)],
        _ => below(generator, coins),
    };
    sweep.iter().map(|e| (*e, coin(e, generator))).collect()
}

/// The number of the edge between two neighbours.
fn edge(ring: Ring, e: Interaction) -> usize {
    if (e.initiator + 1) % ring.n() == e.responder { e.initiator } else { e.responder }
}
