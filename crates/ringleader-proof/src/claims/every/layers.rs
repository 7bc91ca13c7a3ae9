//! Theorem 3 for every ring (reduction `layers` in PROOFS.md): an interaction of the composition is one of P_CL, then the memory, then one of
//! P_OR, then one of P_PL, each on what those before it have left. That is decided for the graphs of the four texts, on two agents in
//! any states.

use std::sync::Arc;

use ringleader::circuit::{Bit, all, any, same};
use ringleader::error::Error;
use ringleader::params::Params;
use ringleader::protocol::{Protocol, draw};
use ringleader::ring::{Orientation, Ring};
use ringleader_notation::eval::{Agents, Evaluator};
use ringleader_notation::graph::{Cone, Demand, Lit, halted};
use ringleader_notation::lower::{self, Lowered};
use ringleader_notation::setting::{Cell, Field, Slot, State};
use ringleader_notation::written::{Trouble, Written};

use crate::query::{Decided, Model, Query, Undecided, Verdict};
use crate::witness::{Witness, confirmed, unconfirmed};

/// The texts of the composition and of its parts.
#[derive(Clone)]
struct Texts<'a> {
    whole: &'a str,
    cl: &'a str,
    or: &'a str,
    pl: &'a str,
}

const TEXTS: Texts<'static> = Texts {
    whole: include_str!("../../../../../protocols/undirected.py"),
    cl: include_str!("../../../../../protocols/pcl.py"),
    or: include_str!("../../../../../protocols/por.py"),
    pl: include_str!("../../../../../protocols/ppl.py"),
};

/// What an interaction makes of two agents, all in the composition's bits.
struct Met<B> {
    after: [Vec<B>; 2],
    drawn: B,
    wrong: B,
}

/// A text in both readings, and for each bit of its states which one of the composition's it is.
struct Layer {
    law: Written,
    step: Cone,
    places: Vec<[usize; 2]>,
}

/// The bits of a state that a slot has.
fn bits_of(slot: &Slot) -> std::ops::Range<usize> {
    let first = 64 * slot.word + slot.shift as usize;
    first..first + slot.mask.count_ones() as usize
}

/// All slots of a variable.
fn slots(field: &Field) -> Vec<&Slot> {
    field.cells.iter().flat_map(|(_, cell)| slots_of(cell)).collect()
}

fn slots_of(cell: &Cell) -> Vec<&Slot> {
    match cell {
        Cell::One(slot) => vec![slot],
        Cell::Maybe(there, parts) => std::iter::once(there).chain(parts).collect(),
    }
}

/// The law of a text on a ring of four.
fn law(name: &str, text: &str, orientation: Orientation, params: &[(&'static str, u64)]) -> Result<Written, Undecided> {
    let program =
        ringleader_notation::read(name, text).map_err(|problems| Error::new("protocol", name, problems.to_string()))?;
    let params = params.iter().fold(Params::default(), |params, &(name, value)| params.with(name, value));
    Ok(Written::new(&Arc::new(program), Ring::new(4, orientation)?, &params, &Trouble::default())?)
}

/// The graph of an interaction, over the bits that agents have.
fn graph(law: &Written) -> Result<(Cone, Vec<usize>, Lowered), Undecided> {
    let lowered = lower::interact(law.program(), law.setting())
        .map_err(|hard| Undecided::Unknown(format!("line {}: {}", hard.span.line, hard.why)))?;
    halted().map_or(Ok(()), |why| Err(Undecided::Unknown(why)))?;
    let places: Vec<usize> = (0..128).filter(|&place| lowered.before[0][place] != Lit::ZERO).collect();
    let after = lowered.after.iter().flat_map(|agent| places.iter().map(|&place| agent[place]));
    let wrong = any(lowered.wrong.iter().map(|(_, when)| *when));
    let outputs: Vec<Lit> = after.chain([lowered.drawn, wrong]).collect();
    Ok((Cone::of(&lowered.inputs(), &outputs), places, lowered))
}

impl Layer {
    /// A part whose variables are some of the composition's.
    fn new(law: Written, whole: &Written) -> Result<Self, Undecided> {
        let (step, places, _) = graph(&law)?;
        let mut twins = Vec::new();
        for field in &law.setting().layout.fields {
            let unlike = || Undecided::Unknown(format!("the composition has no such variable: {}", field.name));
            let twin = whole.setting().layout.fields.iter().find(|twin| twin.name == field.name).ok_or_else(unlike)?;
            let (here, there) = (slots(field), slots(twin));
            let fits = |(a, b): (&&Slot, &&Slot)| (a.zero, &a.ranges, a.names) == (b.zero, &b.ranges, b.names);
            if here.len() != there.len() || !here.iter().zip(&there).all(fits) {
                return Err(unlike());
            }
            let pairs = here.into_iter().zip(there).flat_map(|(a, b)| bits_of(a).zip(bits_of(b)));
            twins.extend(pairs.map(|(a, b)| [a, b]));
        }
        let twin = |place: usize| twins.iter().find(|[here, _]| *here == place).copied();
        let places = places.into_iter().filter_map(twin).collect();
        Ok(Self { law, step, places })
    }

    fn by_graph(&self, agents: [&[Lit]; 2], coins: &[Lit]) -> Met<Lit> {
        let coins = if self.law.setting().coins.is_empty() { &[][..] } else { coins };
        let bits = agents.iter().flat_map(|agent| self.places.iter().map(|&[_, place]| agent[place]));
        let inputs: Vec<Lit> = bits.chain(coins.iter().copied()).chain([Lit::ONE]).collect();
        let outputs = self.step.evaluate(&inputs);
        let (count, mut after) = (self.places.len(), agents.map(<[Lit]>::to_vec));
        for (k, &[_, place]) in self.places.iter().enumerate() {
            (after[0][place], after[1][place]) = (outputs[k], outputs[count + k]);
        }
        Met { after, drawn: outputs[2 * count], wrong: outputs[2 * count + 1] }
    }

    fn by_law(&self, agents: [&[bool]; 2], coin: u64) -> Met<bool> {
        let (program, setting) = (self.law.program(), self.law.setting());
        let mut states = agents.map(|agent| state(self.places.iter().map(|&[here, place]| (here, agent[place]))));
        let drawn = if setting.coins.is_empty() { Vec::new() } else { draw(coin, &self.law.dice()) };
        let coins: Vec<_> = setting.coins.iter().zip(drawn).map(|(slot, k)| slot.value(slot.nth(k))).collect();
        let ran = Evaluator::new(program, &setting.globals, &setting.layout, Agents::Held(&mut states))
            .interact(&coins, true);
        let mut after = agents.map(<[bool]>::to_vec);
        for (agent, state) in after.iter_mut().zip(&states) {
            self.places.iter().for_each(|&[here, place]| agent[place] = state.0[here / 64] >> (here % 64) & 1 == 1);
        }
        Met { after, wrong: ran.is_err(), drawn: ran.unwrap_or(false) }
    }
}

/// The state that has these bits.
fn state(bits: impl Iterator<Item = (usize, bool)>) -> State {
    bits.filter(|(_, bit)| *bit).fold(State::default(), |mut state, (place, _)| {
        state.0[place / 64] |= 1 << (place % 64);
        state
    })
}

/// What is asked of an interaction of agents `a` and `b`.
#[derive(Clone, Copy)]
enum Fact {
    Colours,
    Memory,
    Told,
    Arrows,
    Election,
    /// Both point one way, from the agent of this number to the other one.
    Oriented(usize),
}

const FACTS: [(Fact, &str); 7] = [
    (Fact::Colours, "colours, stamps and whether a coin is read are those of P_CL, and nothing goes wrong"),
    (Fact::Memory, "the other's colour is remembered, and before it the one that was, or the next if it was the same"),
    (
        Fact::Told,
        "without a stamp conflict colours stay, and so does what is remembered of neighbours, if the other is",
    ),
    (Fact::Arrows, "dir and strong are those of P_OR with the colours and memories of this moment"),
    (
        Fact::Election,
        "the rest is that of P_PL, its left agent being the initiator if it points at the responder, and else the responder",
    ),
    (
        Fact::Oriented(0),
        "where both point from the initiator to the responder they go on, and that is P_PL's direction",
    ),
    (
        Fact::Oriented(1),
        "where both point from the responder to the initiator they go on, and that is P_PL's direction",
    ),
];

/// Two agents before, and after the interaction of each text.
struct Scene<B> {
    before: [Vec<B>; 2],
    whole: Met<B>,
    cl: Met<B>,
    /// P_OR on colours and memories as the composition has them afterwards.
    or: Met<B>,
    /// P_PL with the initiator as its left agent, and with the responder.
    pl: [Met<B>; 2],
}

/// The composition and its parts.
struct Layers {
    whole: Layer,
    cl: Layer,
    or: Layer,
    pl: Layer,
    demands: Vec<Demand>,
    agents: [Vec<Lit>; 2],
    coins: Vec<Vec<Lit>>,
}

impl Layers {
    fn new(texts: &Texts<'_>, psi: usize, kappa: usize) -> Result<Self, Undecided> {
        let (colours, own) = (("colors", 16), [("psi", psi as u64), ("kappa", kappa as u64)]);
        let both = Orientation::Undirected;
        let law_of_whole = law("undirected", texts.whole, both, &[&own[..], &[colours]].concat())?;
        let layer = |name, text, orientation, params: &[_]| {
            law(name, text, orientation, params).and_then(|law| Layer::new(law, &law_of_whole))
        };
        let (_, _, lowered) = graph(&law_of_whole)?;
        Ok(Self {
            cl: layer("pcl", texts.cl, both, &[colours])?,
            or: layer("por", texts.or, both, &[colours])?,
            pl: layer("ppl", texts.pl, Orientation::Directed, &own)?,
            whole: Layer::new(law_of_whole.clone(), &law_of_whole)?,
            agents: [lowered.before[0].clone(), lowered.before[1].clone()],
            coins: lowered.coins,
            demands: lowered.demands,
        })
    }

    /// All interactions of two agents, by graphs or by laws.
    fn scene<B: Bit>(&self, before: [Vec<B>; 2], run: impl Fn(&Layer, [&[B]; 2]) -> Met<B>) -> Scene<B> {
        let [a, b] = &before;
        let whole = run(&self.whole, [a, b]);
        let mut met = whole.after.clone();
        for (met, before) in met.iter_mut().zip(&before) {
            ["dir", "strong"].iter().flat_map(|name| self.bits(name)).for_each(|place| met[place] = before[place]);
        }
        let pl = [run(&self.pl, [a, b]), run(&self.pl, [b, a])];
        let (cl, or) = (run(&self.cl, [a, b]), run(&self.or, [&met[0], &met[1]]));
        Scene { whole, cl, or, pl, before }
    }

    fn field(&self, name: &str) -> Option<&Field> {
        self.whole.law.setting().layout.fields.iter().find(|field| field.name == name)
    }

    /// The bits of a variable.
    fn bits(&self, name: &str) -> Vec<usize> {
        self.field(name).map_or(Vec::new(), |field| slots(field).into_iter().flat_map(bits_of).collect())
    }

    /// Where a variable of one agent and another variable of an agent have the same bits.
    fn equal<B: Bit>(&self, (u, name): (&[B], &str), (v, other): (&[B], &str)) -> B {
        all(self.bits(name).into_iter().zip(self.bits(other)).map(|(place, other)| same(u[place], v[other])))
    }

    /// Where these variables are the same in two states. Parts of a value that is not there do not count.
    fn agree<B: Bit>(&self, names: &[&str], u: &[B], v: &[B]) -> B {
        let equal = |slot: &Slot| all(bits_of(slot).map(|place| same(u[place], v[place])));
        let cells = names.iter().filter_map(|name| self.field(name)).flat_map(|field| &field.cells);
        all(cells.map(|(_, cell)| match cell {
            Cell::One(slot) => equal(slot),
            Cell::Maybe(there, parts) => equal(there) & (!u[bits_of(there).start] | all(parts.iter().map(equal))),
        }))
    }

    /// Where both agents are the same in the variables of P_PL.
    fn elected<B: Bit>(&self, one: [&[B]; 2], other: [&[B]; 2]) -> B {
        let names: Vec<&str> = self.pl.law.setting().layout.fields.iter().map(|field| &*field.name).collect();
        all((0..2).map(|k| self.agree(&names, one[k], other[k])))
    }

    /// Where `v` remembers the colour of `other`, or points at it by this variable.
    fn knows<B: Bit>(&self, v: &[B], colour: (&[B], &str)) -> B {
        self.equal((v, "c1"), colour) | self.equal((v, "c2"), colour)
    }

    /// A condition and its consequence.
    fn says<B: Bit>(&self, fact: Fact, scene: &Scene<B>) -> [B; 2] {
        let [[a, b], [now_a, now_b]] = [&scene.before, &scene.whole.after].map(|pair| [&pair[0][..], &pair[1][..]]);
        let of = |met: &'_ Met<B>, names: &[&str]| {
            self.agree(names, &met.after[0], now_a) & self.agree(names, &met.after[1], now_b)
        };
        let ways = [(a, now_a, b, now_b), (b, now_b, a, now_a)];
        let conflict = self.equal((a, "color"), (b, "stampC"))
            & self.equal((a, "stampC"), (b, "color"))
            & !self.equal((a, "stampB"), (b, "stampB"));
        let told = all(ways.map(|(v, _, other, _)| self.knows(v, (other, "color")))) & !conflict;
        let [forward, backward] = &scene.pl;
        let forward = self.elected([&forward.after[0], &forward.after[1]], [now_a, now_b]);
        let backward = self.elected([&backward.after[1], &backward.after[0]], [now_a, now_b]);
        match fact {
            Fact::Colours => {
                let drawn = same(scene.whole.drawn, scene.cl.drawn);
                [B::ONE, !scene.whole.wrong & drawn & of(&scene.cl, &["color", "stampC", "stampB"])]
            }
            Fact::Memory => {
                let remembers = |(v, now, _, other): (&[B], &[B], &[B], &[B])| {
                    let known = self.equal((v, "c1"), (other, "color"));
                    let second = known.select(self.equal((now, "c2"), (v, "c2")), self.equal((now, "c2"), (v, "c1")));
                    self.equal((now, "c1"), (other, "color")) & second
                };
                [B::ONE, all(ways.map(remembers))]
            }
            Fact::Told => {
                let stays = |(v, now, _, _): (&[B], &[B], &[B], &[B])| {
                    let swapped = self.equal((now, "c1"), (v, "c2")) & self.equal((now, "c2"), (v, "c1"));
                    self.agree(&["color"], v, now) & (self.agree(&["c1", "c2"], v, now) | swapped)
                };
                [told, all(ways.map(stays))]
            }
            Fact::Arrows => [B::ONE, of(&scene.or, &["dir", "strong"])],
            Fact::Election => [B::ONE, self.equal((now_a, "dir"), (now_b, "color")).select(forward, backward)],
            Fact::Oriented(behind) => {
                let (first, _, second, _) = ways[behind];
                let away = !self.equal((second, "dir"), (first, "color")) & self.knows(second, (second, "dir"));
                let given = told & self.equal((first, "dir"), (second, "color")) & away;
                let goes_on = self.agree(&["dir"], a, now_a) & self.agree(&["dir"], b, now_b);
                [given, goes_on & if behind == 0 { forward } else { backward }]
            }
        }
    }

    /// The facts that are wrong come to light here, first of them first.
    fn decide(&self, query: &mut Query<'_>, kappa: usize) -> Result<Option<Decided>, Undecided> {
        let coins = self.coins.concat();
        let scene = self.scene(self.agents.clone(), |layer, agents| layer.by_graph(agents, &coins));
        for (fact, name) in FACTS {
            let [given, then] = self.says(fact, &scene);
            query.step(format!("agents of whom this says something, kappa_max = {kappa}: {name}"));
            if query.ask(&[given], &self.demands)?.is_none() {
                return Ok(Some(Verdict::Nothing.with_note(format!("there are no agents as it says: {name}"))));
            }
            query.step(format!("agents of whom this is wrong, kappa_max = {kappa}: {name}"));
            if let Some(model) = query.ask(&[given, !then], &self.demands)? {
                let witness = self.witness(fact, name, &model)?;
                return Ok(Some(Verdict::Fails(witness).with_note(name)));
            }
        }
        Ok(None)
    }

    /// The two agents of an assignment, with what the laws of all texts make of them.
    fn witness(&self, fact: Fact, name: &str, model: &Model) -> Result<Witness, Undecided> {
        let truth = |bit: &Lit| bit.constant().or_else(|| model.truth(*bit)).unwrap_or(false);
        let before = [0, 1].map(|k| self.agents[k].iter().map(truth).collect::<Vec<bool>>());
        let die = |bits: &Vec<Lit>| bits.iter().rev().fold(0, |number, bit| number << 1 | u64::from(truth(bit)));
        let law = &self.whole.law;
        let coin = self.coins.iter().zip(law.dice()).fold(0, |coin, (bits, sides)| coin * sides + die(bits));
        let mut initial = vec![State::default(); 4];
        (0..2).for_each(|k| initial[k] = state(before[k].iter().copied().enumerate()));
        let scene = self.scene(before, |layer, agents| layer.by_law(agents, coin));
        let after = [0, 1].map(|k| state(scene.whole.after[k].iter().copied().enumerate()));
        let shown = |trace: &[Vec<State>]| trace[1][..2] == after && self.says(fact, &scene) == [true, false];
        let (moves, shows) =
            ([(Ring::new(4, Orientation::Undirected)?.e(0), coin)], format!("u_0 and u_1 refute: {name}"));
        confirmed(&"undirected".into(), law, (&initial, 0), &moves, &shows, &shown).ok_or_else(unconfirmed)
    }
}

/// With kappa_max = 1, 2, 3 and the paper's.
pub(super) fn compose(query: &mut Query<'_>, psi: usize) -> Result<Decided, Undecided> {
    for kappa in [1, 2, 3, 48 * psi] {
        if let Some(wrong) = Layers::new(&TEXTS, psi, kappa)?.decide(query, kappa)? {
            return Ok(wrong);
        }
    }
    Ok(Verdict::Holds(None).into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use ringleader_notation::graph::in_fresh_arena;

    use super::*;

    fn decided(texts: &Texts<'_>) -> Option<Decided> {
        in_fresh_arena(Box::new(|| None), || {
            Layers::new(texts, 2, 1).unwrap().decide(&mut Query::new(&|| None, None), 1).unwrap()
        })
    }

    /// The composition with another line breaks the fact that the line is about, and the laws confirm it.
    #[test]
    fn a_layer_that_reads_another_is_noticed() {
        assert_eq!(decided(&TEXTS), None);
        let [colours, memory, told, arrows, election, ahead, _] = FACTS.map(|(_, name)| name);
        let wrong = [
            (
                "return (a.color, a.stampC, a.stampB) ==",
                "return a.leader == 0 and (a.color, a.stampC, a.stampB) ==",
                colours,
            ),
            ("if color != v.c1:", "if color != v.c1 and v.leader == 0:", memory),
            ("if a.strong == 0 and b.strong == 1:", "if a.strong == 0 and b.strong == 1 and b.bullet == 0:", arrows),
            (
                "    if a.dir == b.color:\n        elect(a, b)",
                "    if a.dir != b.color:\n        elect(a, b)",
                election,
            ),
            ("    l.hits = 0 ", "    l.hits = l.hits * l.strong ", election),
        ];
        for (line, instead, name) in wrong {
            let text = TEXTS.whole.replacen(line, instead, 1);
            assert_ne!(text, TEXTS.whole, "{line}");
            let wrong = decided(&Texts { whole: &text, ..TEXTS }).unwrap();
            assert_eq!((wrong.verdict.name(), &*wrong.note), ("fails", name), "{instead}");
        }
        // The facts that follow from others fail by themselves where these are not asked.
        for (facts, line, instead) in [
            (told, "if color != v.c1:", "if color != v.c2:"),
            (ahead, "    if a.dir == b.color:\n        elect(a, b)", "    if a.dir != b.color:\n        elect(a, b)"),
        ] {
            let text = TEXTS.whole.replacen(line, instead, 1);
            in_fresh_arena(Box::new(|| None), || {
                let layers = Layers::new(&Texts { whole: &text, ..TEXTS }, 2, 1).unwrap();
                let coins = layers.coins.concat();
                let scene = layers.scene(layers.agents.clone(), |layer, agents| layer.by_graph(agents, &coins));
                let (fact, name) = FACTS.into_iter().find(|(_, name)| *name == facts).unwrap();
                let [given, then] = layers.says(fact, &scene);
                let model = Query::new(&|| None, None).ask(&[given, !then], &layers.demands).unwrap().unwrap();
                layers.witness(fact, name, &model).unwrap();
            });
        }
    }

    /// So what is decided for some kappa_max is so for all: Algorithms 1-5 are the same words in both texts.
    #[test]
    fn the_lines_of_p_pl_are_the_same_in_both_texts() {
        let lines = |text: &str| {
            let (from, to) = (text.find("    create_leader(l, r)").unwrap(), text.find("\n\n\ndef leader(v)").unwrap());
            text[from..to].to_owned()
        };
        assert!(lines(TEXTS.pl).lines().count() > 60);
        assert_eq!(lines(TEXTS.whole), lines(TEXTS.pl));
    }
}
