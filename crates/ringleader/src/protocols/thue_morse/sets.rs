//! The safe set of Thue-Morse: one leader at peace, the string written from it on, and lists that disturb neither, however they go
//! on. A list is followed on its own to see what it would do.

use super::Link::{Open, Same};
use super::{Cell, Head, LAYERS, Pen, State, ThueMorse, down, linked, up};
use crate::protocols::elim::{make_peace, sets::in_c_pb};
use crate::random::{Generator, below, index};
use crate::ring::Ring;

/// Bit `i` of the Thue-Morse string: the parity of the ones of i.
pub(super) fn thue_morse(i: usize) -> u8 {
    (i.count_ones() % 2) as u8
}

/// The configuration read from its only leader on, which becomes `u_0`; `None` if it has not exactly one.
pub(super) fn from_leader(config: &[State]) -> Option<Vec<State>> {
    let mut led = (0..config.len()).filter(|&i| config[i].leader == 1);
    let (w, None) = (led.next()?, led.next()) else { return None };
    Some([&config[w..], &config[..w]].concat())
}

/// Whether every bit is that of the Thue-Morse string, from the leader on.
pub(super) fn written(config: &[State]) -> bool {
    config.iter().enumerate().all(|(i, v)| v.x == thue_morse(i))
}

/// The checker lists of a ring with its leader first, each as its first agent and its cells. No list crosses into the leader.
fn lists(config: &[State]) -> Vec<(usize, Vec<Cell<Head>>)> {
    let n = config.len();
    let linked = |i: usize, layer: usize| i + 1 < n && linked(&config[i], layer, &config[i + 1]);
    let begins = |i: usize, layer: usize| {
        let below = config[i].checkers[layer].and_then(|cell| down(layer, cell.left));
        i == 0 || !below.is_some_and(|below| linked(i - 1, below))
    };
    let mut lists = Vec::new();
    for (first, layer) in (0..n).flat_map(|i| (0..LAYERS).map(move |layer| (i, layer))) {
        let Some(mut cell) = config[first].checkers[layer].filter(|_| begins(first, layer)) else { continue };
        let (mut i, mut layer, mut cells) = (first, layer, vec![cell]);
        while linked(i, layer) {
            let Some(above) = up(layer, cell.right) else { break };
            let Some(next) = config[i + 1].checkers[above] else { break };
            (i, layer, cell) = (i + 1, above, next);
            cells.push(cell);
        }
        lists.push((first, cells));
    }
    lists
}

/// A list on its own, that begins at agent `first` of a ring of `n` agents with the Thue-Morse string on it.
struct Run {
    first: usize,
    n: usize,
    cells: Vec<Cell<Head>>,
    at: usize,
}

impl Run {
    fn x(&self, k: usize) -> u8 {
        thue_morse(self.first + k)
    }

    /// Whether the list may go on beyond its last cell: it ends there, and the leader is not next.
    fn may_grow(&self) -> bool {
        self.cells[self.cells.len() - 1].right == Open && self.first + self.cells.len() < self.n
    }

    fn grow(&mut self, head: Head) {
        let last = self.cells.len() - 1;
        (self.cells[last].right, self.cells[last].head) = (Same, Head::None);
        self.cells.push(Cell { left: Same, head, ..Cell::default() });
        self.at = last + 1;
    }

    /// Whether the list would make a leader, left to itself. Cells are lost on the way only, which cannot help it.
    fn makes_a_leader(mut self) -> bool {
        while self.cells[self.at].head == Head::G {
            if self.cells[self.at].right != Open {
                return false;
            }
            if self.at > 0 && self.stopped().goes_on_to_make_one() {
                return true;
            }
            if !self.may_grow() {
                return false;
            }
            self.grow(Head::G);
        }
        self.goes_on_to_make_one()
    }

    /// The same list, whose head has just stopped growing it.
    fn stopped(&self) -> Self {
        let mut cells = self.cells.clone();
        cells[self.at].end = true;
        cells[self.at].head = Head::L(self.x(self.at));
        Self { cells, ..*self }
    }

    /// Every round advances M1 or ends the run, so this ends.
    fn goes_on_to_make_one(mut self) -> bool {
        loop {
            let cell = self.cells[self.at];
            match cell.head {
                Head::L(bit) => {
                    let Some(mark) = (0..self.at).rev().find(|&k| self.cells[k].mark) else { return false };
                    if self.x(mark) != bit {
                        return false;
                    }
                    if self.cells[mark].end {
                        return true;
                    }
                    self.cells[self.at].head = Head::None;
                    (self.cells[mark].mark, self.cells[mark].head) = (false, Head::A);
                    self.at = mark;
                }
                Head::A if self.at + 1 < self.cells.len() => {
                    self.cells[self.at].head = Head::None;
                    self.at += 1;
                    (self.cells[self.at].mark, self.cells[self.at].head) = (true, Head::R);
                }
                Head::R if self.may_grow() => {
                    self.cells[self.at].head = Head::None;
                    let bit = self.x(self.cells.len());
                    self.grow(Head::L(bit));
                }
                _ => return false,
            }
        }
    }
}

/// Whether a list cannot make a leader: at most one head, and that one finds no overlap.
fn harmless(first: usize, n: usize, cells: Vec<Cell<Head>>) -> bool {
    let mut heads = (0..cells.len()).filter(|&k| cells[k].head != Head::None);
    match (heads.next(), heads.next()) {
        (None, _) => true,
        (Some(at), None) => !Run { first, n, cells, at }.makes_a_leader(),
        _ => false,
    }
}

/// The writer's lists of a ring with its leader first, each as its first agent and its cells.
fn writers(config: &[State]) -> Vec<(usize, Vec<Cell<Pen>>)> {
    let mut lists: Vec<(usize, Vec<Cell<Pen>>)> = Vec::new();
    for (i, cell) in config.iter().enumerate().filter_map(|(i, v)| v.writer.map(|cell| (i, cell))) {
        match lists.last_mut() {
            Some((first, cells))
                if *first + cells.len() == i && cells[cells.len() - 1].right == Same && cell.left == Same =>
            {
                cells.push(cell);
            }
            _ => lists.push((i, vec![cell])),
        }
    }
    lists
}

/// Whether a writer's list writes nothing but the Thue-Morse string, left to itself: at most one head, and every bit right.
fn faithful(first: usize, n: usize, mut cells: Vec<Cell<Pen>>) -> bool {
    let mut heads = (0..cells.len()).filter(|&k| cells[k].head != Pen::None);
    let (Some(mut at), None) = (heads.next(), heads.next()) else {
        return cells.iter().filter(|cell| cell.head != Pen::None).count() == 0;
    };
    loop {
        match cells[at].head {
            Pen::K(bit) | Pen::O(bit) => {
                let (last, doubled) = (cells.len() - 1, matches!(cells[at].head, Pen::K(_)));
                if cells[last].right != Open || first + cells.len() == n {
                    return true;
                }
                if thue_morse(first + cells.len()) != if doubled { bit } else { 1 - bit } {
                    return false;
                }
                cells[at].head = Pen::None;
                cells[last].right = Same;
                cells.push(Cell { left: Same, ..Cell::default() });
                at = last + 1;
                cells[at].head = if doubled { Pen::O(bit) } else { Pen::B };
            }
            Pen::B => {
                let Some(mark) = (0..at).rev().find(|&k| cells[k].mark) else { return true };
                cells[at].head = Pen::None;
                (cells[mark].mark, cells[mark].head, at) = (false, Pen::N, mark);
            }
            Pen::N if at + 1 < cells.len() => {
                cells[at].head = Pen::None;
                at += 1;
                (cells[at].mark, cells[at].head) = (true, Pen::K(thue_morse(first + at)));
            }
            _ => return true,
        }
    }
}

/// Whether the leader is alone and at peace, the string is written, and no list can disturb that.
pub(super) fn settled(config: &[State]) -> bool {
    let Some(led) = from_leader(config) else { return false };
    let n = led.len();
    written(&led)
        && in_c_pb(&led)
        && lists(&led).into_iter().all(|(first, cells)| harmless(first, n, cells))
        && writers(&led).into_iter().all(|(first, cells)| faithful(first, n, cells))
}

/// A random member of the safe set: the string from a leader on, peace, and lists of one cell that have just been created.
pub(super) fn safe(_: &ThueMorse, ring: Ring, generator: &mut Generator) -> Vec<State> {
    let (n, u_0) = (ring.n(), index(generator, ring.n()));
    let mut config = vec![State::default(); n];
    for i in 0..n {
        let v = &mut config[(u_0 + i) % n];
        (v.leader, v.x, v.rc) = (u8::from(i == 0), thue_morse(i), below(generator, 4) as u8);
        (v.bullet, v.shield, v.signal_b) =
            (below(generator, 3) as u8, below(generator, 2) as u8, below(generator, 2) as u8);
        let layer = index(generator, 2 * LAYERS);
        if layer < LAYERS {
            v.checkers[layer] = Some(Cell { mark: true, head: Head::G, ..Cell::default() });
        }
    }
    if below(generator, 2) == 0 {
        config[u_0].writer = Some(Cell { mark: true, head: Pen::O(0), ..Cell::default() });
    }
    make_peace(&mut config, u_0, below(generator, 2) == 0);
    config
}
