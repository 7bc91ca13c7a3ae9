//! What happens in a round: a function of the seed and of the number of the round.

use std::fmt::Write;

/// SplitMix64.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64, round: u64) -> Self {
        let mut dice = Self(seed);
        dice.0 = dice.next() ^ round;
        dice
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn once_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len() as u64) as usize]
    }

    pub(crate) fn shuffle<T>(&mut self, values: &mut [T]) {
        (1..values.len()).rev().for_each(|k| values.swap(k, self.below(k as u64 + 1) as usize));
    }
}

// --- Definitions ----------------------------------------------------------------------------------------------

/// Protocols, the rings that suit them, and whether they need a limit to end soon.
const PROTOCOLS: [(&str, &[u32], bool); 16] = [
    // A file, in the folder above that of the definition.
    ("../mine.py", &[3, 4, 5, 7], false),
    ("ppl", &[3, 4, 5, 6, 8, 10, 12], false),
    ("ppl", &[3, 4, 5, 6, 8, 10, 12], false),
    ("ppl-prime", &[3, 5, 8], true),
    ("por", &[3, 4, 6, 9], false),
    ("pcl", &[3, 5, 9, 12], false),
    ("pcl-derandomised", &[3, 5, 9], false),
    ("undirected", &[3, 5, 6], true),
    ("ysm", &[3, 4, 5, 8, 13], false),
    ("ysm", &[3, 4, 5, 8, 13], false),
    ("fj", &[3, 4, 5, 7], false),
    ("aaf", &[3, 5, 7], true),
    ("thue-morse", &[3, 4, 5], true),
    ("aaf-colouring", &[3, 4, 5], true),
    ("aaf-token", &[3, 5, 6], true),
    ("elim", &[3, 5, 9], false),
];

/// One `[[grid]]`.
#[derive(Clone, Debug, PartialEq)]
struct Grid {
    /// Which one it is, whatever stands before it.
    id: usize,
    protocol: &'static str,
    sizes: Vec<u32>,
    faults: &'static [&'static str],
    scheduler: Option<&'static str>,
    limit: Option<u64>,
    phases: bool,
    repeats: u64,
}

impl Grid {
    /// One that shares no cell with others.
    fn new(dice: &mut Dice, id: usize, others: &[Grid]) -> Self {
        let (protocol, sizes, endless) = loop {
            let (protocol, sizes, endless) = dice.pick(&PROTOCOLS);
            let taken = |n: &u32| others.iter().any(|grid| grid.protocol == protocol && grid.sizes.contains(n));
            let mut free: Vec<u32> = sizes.iter().copied().filter(|n| !taken(n)).collect();
            dice.shuffle(&mut free);
            free.truncate(1 + dice.below(2) as usize);
            if !free.is_empty() {
                break (protocol, free, endless);
            }
        };
        let faults: [&[&str]; 5] = [
            &[],
            &[],
            &["agents=1,at=safe"],
            &["", "agents=2,place=contiguous,at=9"],
            &["list=0+1,at=5; agents=2,at=safe"],
        ];
        let most = dice.pick(&[3, 20, 60, 200]);
        Self {
            id,
            protocol,
            sizes,
            faults: dice.pick(&faults),
            scheduler: dice.pick(&[None, Some("clocks"), Some("uniform")]),
            limit: (endless || dice.once_in(2)).then(|| dice.pick(&[20, 80, 300, 2_000, 9_000])),
            phases: dice.once_in(3),
            repeats: 1 + dice.below(most),
        }
    }

    fn text(&self) -> String {
        let Self { protocol, sizes, faults, repeats, phases, .. } = self;
        let mut text = format!("\n[[grid]]\nprotocol = \"{protocol}\"\nn = {sizes:?}\nrepeats = {repeats}\n");
        let _ = if faults.is_empty() { Ok(()) } else { writeln!(text, "faults = {faults:?}") };
        let _ = if *phases { writeln!(text, "phases = true") } else { Ok(()) };
        self.scheduler.into_iter().for_each(|name| text += &format!("scheduler = \"{name}\"\n"));
        self.limit.into_iter().for_each(|limit| text += &format!("limit = {limit}\n"));
        text
    }

    fn cells(&self) -> usize {
        self.sizes.len() * self.faults.len().max(1)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Definition {
    seed: u64,
    grids: Vec<Grid>,
}

impl Definition {
    fn new(dice: &mut Dice) -> Self {
        let mut one = Self { seed: dice.below(1000), grids: Vec::new() };
        (0..=dice.below(4)).for_each(|_| one = one.grown(dice));
        one
    }

    /// With one grid more, anywhere.
    fn grown(&self, dice: &mut Dice) -> Self {
        let mut grids = self.grids.clone();
        let at = dice.below(grids.len() as u64 + 1) as usize;
        grids.insert(at, Grid::new(dice, self.grids.len(), &self.grids));
        Self { seed: self.seed, grids }
    }

    /// With more repeats of one grid.
    fn longer(&self, dice: &mut Dice) -> Self {
        let mut other = self.clone();
        let at = dice.below(other.grids.len() as u64) as usize;
        other.grids[at].repeats += 1 + dice.below(20);
        other
    }

    /// Not the same, and not with more cells or repeats either.
    fn changed(&self, dice: &mut Dice) -> Self {
        let mut other = self.clone();
        let at = dice.below(other.grids.len() as u64) as usize;
        match dice.below(5) {
            0 if other.grids.len() > 1 => drop(other.grids.remove(at)),
            1 if other.grids[at].repeats > 1 => other.grids[at].repeats -= 1,
            2 => other.grids[at].phases ^= true,
            3 => other.grids[at].limit = Some(12_345),
            _ => other.seed += 1,
        }
        other
    }

    pub(crate) fn text(&self) -> String {
        let grids: String = self.grids.iter().map(Grid::text).collect();
        format!("seed = {}\n{grids}", self.seed)
    }

    /// For each cell, its grid and its number in it.
    pub(crate) fn cells(&self) -> Vec<(usize, usize)> {
        self.grids.iter().flat_map(|grid| (0..grid.cells()).map(|k| (grid.id, k))).collect()
    }
}

// --- Disasters ------------------------------------------------------------------------------------------------

/// A moment: how far the journal is on its way, in thousandths. More than 1000 is too late.
pub(crate) type Moment = u64;

/// What befalls a sweep.
#[derive(Clone, Debug)]
pub(crate) enum Disaster {
    /// No file can grow beyond a size. The program is told by an error, or, if it is deaf to errors, killed at that byte.
    SizeLimit { at: Moment, deaf: bool },
    /// A signal, when the journal has come so far.
    Signal { name: &'static str, at: Moment },
    /// Stopped for a while, in which others try; then it goes on or is killed.
    Pause { at: Moment, others: u64, killed: bool },
    /// Several at once.
    Crowd(u64),
    /// The journal is damaged.
    Damage(Damage),
    /// Something else is in the place of the journal.
    Journal(Thing),
    /// Something else is in the place of the records, or they are damaged.
    Records(Thing),
    /// Another definition, which does more than to add cells and repeats.
    Changed(String),
    /// The disk has so many pages left.
    SmallDisk(u64),
    /// The folder cannot be written.
    ReadOnly,
    /// Nothing: the sweep runs to its end.
    Finish,
}

/// Places are taken modulo the size of what is there.
#[derive(Clone, Debug)]
pub(crate) enum Damage {
    Flip(u64, u8),
    Cut(u64),
    Zero(u64, u64),
    Insert(u64, Vec<u8>),
    Repeat(u64),
    Delete(u64),
    Swap(u64, u64),
    Shuffle(u64),
    Twice,
    CarriageReturns,
    Strays(u64),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Thing {
    Nothing,
    Empty,
    Text,
    Folder,
    Foreign,
    Damaged(u64),
}

impl Damage {
    fn new(dice: &mut Dice) -> Self {
        // The first lines deserve more than their share.
        let at = if dice.once_in(8) { dice.below(300) } else { dice.next() };
        match dice.below(13) {
            0..=2 => Self::Flip(at, dice.below(8) as u8),
            3 => Self::Cut(at),
            4 => Self::Zero(at, 1 + dice.below(2000)),
            5 => Self::Insert(at, (0..=dice.below(200)).map(|_| dice.next() as u8).collect()),
            6 => Self::Repeat(at),
            7 => Self::Delete(at),
            8 => Self::Swap(at, dice.next()),
            9 => Self::Shuffle(at),
            10 => Self::Twice,
            11 => Self::Strays(at),
            _ => Self::CarriageReturns,
        }
    }
}

impl Disaster {
    fn new(dice: &mut Dice, definition: &Definition) -> Self {
        let at = dice.below(1100);
        match dice.below(22) {
            0..=3 => Self::SizeLimit { at, deaf: dice.once_in(2) },
            4..=7 => Self::Signal { name: dice.pick(&["KILL", "KILL", "INT", "TERM", "HUP", "QUIT"]), at },
            8 => Self::Pause { at, others: 1 + dice.below(2), killed: dice.once_in(2) },
            9 => Self::Crowd(2 + dice.below(4)),
            10..=14 => Self::Damage(Damage::new(dice)),
            15 => Self::Journal(dice.pick(&[Thing::Nothing, Thing::Empty, Thing::Text, Thing::Folder])),
            16 => {
                let damaged = Thing::Damaged(dice.next());
                Self::Records(dice.pick(&[Thing::Empty, Thing::Text, Thing::Folder, Thing::Foreign, damaged]))
            }
            17 => Self::Changed(definition.changed(dice).text()),
            18 => Self::Changed(
                definition.text() + dice.pick(&["[[grid]", "n = 3", "[[grid]]\nprotocol = \"pl\"\nn = 2"]),
            ),
            19 => Self::SmallDisk(dice.below(12)),
            20 => Self::ReadOnly,
            _ => Self::Finish,
        }
    }
}

/// A disaster and what is before it.
#[derive(Clone, Debug)]
pub(crate) struct Blow {
    pub(crate) disaster: Disaster,
    pub(crate) threads: u64,
    /// Finished records are removed first, and the sweep is killed at this moment: there is something to lose.
    pub(crate) afresh: Option<Moment>,
}

/// What befalls a definition before the next one, or the end.
#[derive(Clone, Debug)]
pub(crate) struct Chapter {
    pub(crate) definition: Definition,
    /// For each shard.
    pub(crate) blows: Vec<Vec<Blow>>,
}

impl Blow {
    fn new(dice: &mut Dice, definition: &Definition) -> Self {
        let afresh = if dice.once_in(2) { Some(dice.below(1000)) } else { None };
        Self { disaster: Disaster::new(dice, definition), threads: 1 + dice.below(4), afresh }
    }
}

/// A round.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) shards: u64,
    /// The definition grows from one to the next.
    pub(crate) chapters: Vec<Chapter>,
    /// What befalls the merging and the export: limits of sizes, in thousandths of what is written.
    pub(crate) merge: Vec<(Moment, bool)>,
    /// The last dice: the order of shards, and what is left of it to chance.
    pub(crate) rest: u64,
}

impl Plan {
    pub(crate) fn new(seed: u64, round: u64) -> Self {
        let dice = &mut Dice::new(seed, round);
        let shards = dice.pick(&[1, 1, 1, 2, 3, 5]);
        let mut definitions = vec![Definition::new(dice)];
        while dice.once_in(3) && definitions.len() < 3 {
            let last = &definitions[definitions.len() - 1];
            let grown = if dice.once_in(2) { last.longer(dice) } else { last.grown(dice) };
            definitions.push(grown);
        }
        let most = if shards == 1 { 9 } else { 5 };
        let mut chapters = Vec::new();
        for definition in definitions {
            let mut blows = Vec::new();
            for _ in 0..shards {
                blows.push((0..dice.below(most)).map(|_| Blow::new(dice, &definition)).collect());
            }
            chapters.push(Chapter { definition, blows });
        }
        let merge = (0..dice.below(3)).map(|_| (dice.below(1100), dice.once_in(2))).collect();
        Self { shards, chapters, merge, rest: dice.next() }
    }
}
