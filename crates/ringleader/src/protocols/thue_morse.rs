//! Thue-Morse: self-stabilizing leader election on any directed ring with a constant number of states. **Our own design**, in the
//! spirit of a system that the paper cites as CC19, whose rules are not available; nothing here is that system.
//!
//! The Thue-Morse string contains no overlap a w a w a (a letter a, a string w). A leader writes it along the ring, bit by bit. *Checkers* are
//! lists of cells over consecutive agents that look for an overlap in the bits that they lie on: without a leader a list may go
//! round the ring more than twice and then finds the ring's own period as one, so that a leader is made; behind a leader
//! the string has none. *EliminateLeaders* leaves one leader. All this works only while the scheduler leaves a list alone for long, which makes
//! it super-exponentially slow: rings of more than four agents are out of reach in practice.
//!
//! A checker list has a cell `M1` that is compared with the cell at its end; `E` marks where the first period ends. Its head
//! grows the list (`G`), carries the bit of the end to the left (`L0`, `L1`), advances M1 after a match (`A`), and returns to the right end to
//! add a cell (`R`). M1 has reached E when x_j = x_{j+p} for all j <= p: an overlap. The writer doubles in the same way: `P` marks the bit x_i
//! from which x_{2i} = x_i and x_{2i+1} = 1 - x_i are written (`K`, `O`), then its head goes back (`B`) and advances P (`N`).

use crate::blueprint::{Blueprint, Declared};
use crate::portrait::PictureRow;
use crate::protocol::{Input, Protocol, Transition, leaders};
use crate::protocols::elim::{eliminate_leaders, sets::in_c_pb, war, war_row};
use crate::ring::{Orientation, Ring};
use crate::value::{Text, Value, named};
use crate::variable;
use crate::variables::{Domain, Field, Variables};

mod sets;

use sets::{from_leader, safe, settled, thue_morse, written};

/// How many checker cells an agent has, one in each layer: enough for a list that goes round twice and one further.
pub const LAYERS: usize = 3;

/// What a cell's left or right end is linked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Link {
    /// Nothing: the list begins or ends here.
    #[default]
    Open,
    /// A cell in the same layer.
    Same,
    /// On the right, a cell one layer up; on the left, one layer down.
    Step,
}

use Link::{Open, Same, Step};

/// The head of a checker list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[expect(missing_docs, reason = "explained above")]
pub enum Head {
    #[default]
    None,
    G,
    L(u8),
    A,
    R,
}

/// The head of a writer list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[expect(missing_docs, reason = "explained above")]
pub enum Pen {
    #[default]
    None,
    K(u8),
    O(u8),
    B,
    N,
}

/// A cell of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Cell<H> {
    /// Where the list goes on to the left.
    pub left: Link,
    /// Where the list goes on to the right.
    pub right: Link,
    /// `M1` of a checker, `P` of a writer.
    pub mark: bool,
    /// `E` of a checker.
    pub end: bool,
    /// The head, if it is here.
    pub head: H,
}

/// A cell of a checker.
pub type Checker = Option<Cell<Head>>;
/// A cell of a writer.
pub type Writer = Option<Cell<Pen>>;

/// The state of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[expect(missing_docs, reason = "explained above")]
pub struct State {
    pub leader: u8,
    pub bullet: u8,
    pub shield: u8,
    pub signal_b: u8,
    pub x: u8,
    /// How many interactions in a row the agent has been responder, up to 3.
    pub rc: u8,
    pub checkers: [Checker; LAYERS],
    pub writer: Writer,
}

war!(State);

/// The protocol; it has no parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThueMorse;

// --- 1. Erosion -----------------------------------------------------------------------------------------------

/// The layer of the right neighbour that a right link from this layer leads to.
fn up(layer: usize, link: Link) -> Option<usize> {
    match link {
        Open => None,
        Same => Some(layer),
        Step => Some(layer + 1).filter(|&layer| layer < LAYERS),
    }
}

/// The layer of the left neighbour that a left link from this layer leads to.
fn down(layer: usize, link: Link) -> Option<usize> {
    match link {
        Open => None,
        Same => Some(layer),
        Step => layer.checked_sub(1),
    }
}

/// Whether a checker cell of the left agent is linked to one of the right agent, and that to it.
fn linked(l: &State, layer: usize, r: &State) -> bool {
    let Some(cell) = l.checkers[layer].filter(|cell| cell.right != Open) else { return false };
    let other = up(layer, cell.right).and_then(|layer| r.checkers[layer]);
    other.is_some_and(|other| other.left == cell.right)
}

/// Links that are not returned, or that lead into a leader, and writer cells in the wrong place.
fn erode(l: &mut State, r: &mut State) {
    let (old_l, old_r) = (*l, *r);
    for layer in 0..LAYERS {
        let into_leader = r.leader == 1;
        let broken = |cell: &Cell<Head>| cell.right != Open && (into_leader || !linked(&old_l, layer, &old_r));
        l.checkers[layer] = l.checkers[layer].filter(|cell| !broken(cell));
        let returned = |cell: &Cell<Head>| down(layer, cell.left).is_some_and(|below| linked(&old_l, below, &old_r));
        let broken = |cell: &Cell<Head>| cell.left != Open && (into_leader || !returned(cell));
        r.checkers[layer] = r.checkers[layer].filter(|cell| !broken(cell));
    }
    let written = old_l.writer.is_some_and(|cell| cell.right == Same)
        && old_r.writer.is_some_and(|cell| cell.left == Same)
        && r.leader == 0;
    l.writer = l.writer.filter(|cell| cell.right == Open || written);
    r.writer = r.writer.filter(|cell| cell.left == Open || written);
    for v in [l, r] {
        v.writer = v.writer.filter(|cell| (cell.left == Open) == (v.leader == 1));
    }
}

// --- 2. Checkers ----------------------------------------------------------------------------------------------

/// Adds a cell to the right of a list that ends in `layer`, with this head: in the same layer if it is free, else one up.
fn extend(l: &mut State, layer: usize, r: &mut State, head: Head) -> Option<usize> {
    let free = |link: Link| up(layer, link).filter(|&above| r.checkers[above].is_none()).map(|above| (link, above));
    let (link, above) = [Same, Step].into_iter().find_map(free).filter(|_| r.leader == 0)?;
    let cell = l.checkers[layer].as_mut()?;
    (cell.right, cell.head) = (link, Head::None);
    r.checkers[above] = Some(Cell { left: link, right: Open, mark: false, end: false, head });
    Some(above)
}

/// The head of the left agent's cell acts towards the right one. Tells where in the right agent it has arrived.
fn act_right(l: &mut State, layer: usize, r: &mut State) -> Option<usize> {
    let cell = l.checkers[layer]?;
    match (cell.head, cell.right) {
        (Head::G, Open) => extend(l, layer, r, Head::G),
        (Head::R, Open) if r.leader == 0 => {
            let carried = Head::L(r.x);
            extend(l, layer, r, carried)
        }
        (Head::A | Head::R, Same | Step) => {
            let above = up(layer, cell.right)?;
            l.checkers[layer].as_mut()?.head = Head::None;
            let next = r.checkers[above].as_mut()?;
            next.mark |= cell.head == Head::A;
            next.head = Head::R;
            Some(above)
        }
        (Head::None | Head::L(_), _) => None,
        // R that would run into a leader, G that is not at the end, A that is.
        _ => {
            l.checkers[layer] = None;
            None
        }
    }
}

/// The head of the right agent's cell acts towards the left one.
fn act_left(l: &mut State, r: &mut State, layer: usize) -> Option<()> {
    let cell = r.checkers[layer]?;
    let carried = match (cell.head, cell.left) {
        (Head::G, Open) => return None,
        (Head::G, _) if cell.right == Open => r.x,
        (Head::L(bit), Same | Step) => bit,
        (Head::G | Head::L(_), _) => {
            r.checkers[layer] = None;
            return None;
        }
        _ => return None,
    };
    let mine = r.checkers[layer].as_mut()?;
    mine.end |= cell.head == Head::G;
    mine.head = Head::None;
    arrive(l, down(layer, cell.left)?, carried);
    Some(())
}

/// A bit from the end of the list arrives: it is compared where M1 is.
fn arrive(l: &mut State, layer: usize, bit: u8) {
    let Some(cell) = l.checkers[layer].as_mut() else { return };
    if !cell.mark {
        cell.head = Head::L(bit);
    } else if l.x == bit && !cell.end {
        (cell.mark, cell.head) = (false, Head::A);
    } else {
        if l.x == bit {
            (l.leader, l.bullet, l.shield, l.signal_b) = (1, 2, 1, 0);
        }
        l.checkers[layer] = None;
    }
}

/// Every head makes at most one move.
fn check(l: &mut State, r: &mut State) {
    let mut arrived = [false; LAYERS];
    for layer in 0..LAYERS {
        if let Some(there) = act_right(l, layer, r) {
            arrived[there] = true;
        }
    }
    for layer in (0..LAYERS).filter(|&layer| !arrived[layer]) {
        act_left(l, r, layer);
    }
}

// --- 3. The writer --------------------------------------------------------------------------------------------

fn write(l: &mut State, r: &mut State) {
    if write_right(l, r) != Some(true) {
        write_left(l, r);
    }
}

/// The writer's head in the left agent acts towards the right one. Tells whether it has arrived there.
fn write_right(l: &mut State, r: &mut State) -> Option<bool> {
    let cell = l.writer?;
    match (cell.head, cell.right) {
        (Pen::K(_) | Pen::O(_), Same) => {
            r.writer.as_mut()?.head = cell.head;
            l.writer.as_mut()?.head = Pen::None;
        }
        (Pen::N, Same) => {
            let next = r.writer.as_mut()?;
            (next.mark, next.head) = (true, Pen::K(r.x));
            l.writer.as_mut()?.head = Pen::None;
        }
        (Pen::K(bit) | Pen::O(bit), Open) if r.leader == 0 && r.writer.is_none() => {
            let doubled = matches!(cell.head, Pen::K(_));
            (r.x, r.writer) = (if doubled { bit } else { 1 - bit }, Some(Cell { left: Same, ..Cell::default() }));
            r.writer.as_mut()?.head = if doubled { Pen::O(bit) } else { Pen::B };
            let cell = l.writer.as_mut()?;
            (cell.right, cell.head) = (Same, Pen::None);
        }
        (Pen::None | Pen::B, _) => return Some(false),
        _ => {
            l.writer = None;
            return Some(false);
        }
    }
    Some(true)
}

/// The writer's head in the right agent goes back to the left one.
fn write_left(l: &mut State, r: &mut State) -> Option<()> {
    let cell = r.writer.filter(|cell| cell.head == Pen::B)?;
    if cell.left == Open {
        r.writer = None;
        return None;
    }
    let next = l.writer.as_mut()?;
    next.head = if next.mark { Pen::N } else { Pen::B };
    next.mark = false;
    r.writer.as_mut()?.head = Pen::None;
    Some(())
}

// --- 4. and 5. Creation, and the counter of responses ---------------------------------------------------------

fn create(l: &mut State) {
    if l.checkers[0].is_none() && l.rc == 2 {
        l.checkers[0] = Some(Cell { mark: true, head: Head::G, ..Cell::default() });
    }
    if l.leader == 1 && l.writer.is_none() && l.rc == 1 {
        l.x = 0;
        l.writer = Some(Cell { mark: true, head: Pen::O(0), ..Cell::default() });
    }
}

fn count_responses(l: &mut State, r: &mut State) {
    l.rc = 0;
    if r.rc == 3 {
        (r.checkers, r.writer) = ([None; LAYERS], None);
    } else {
        r.rc += 1;
    }
}

impl Transition for ThueMorse {
    type State = State;

    fn interact(&self, l: &mut State, r: &mut State, _: Input) {
        erode(l, r); // 1
        check(l, r); // 2
        write(l, r); // 3
        create(l); // 4
        count_responses(l, r); // 5
        eliminate_leaders(l, r); // 6
    }
}

// --- The protocol ---------------------------------------------------------------------------------------------

impl Protocol for ThueMorse {
    fn variables(&self) -> Variables<State> {
        let checker = Domain::Parts(named([
            ("left", Domain::names(Checker::LEFT)),
            ("right", Domain::names(Checker::RIGHT)),
            ("M1", Domain::BIT),
            ("E", Domain::BIT),
            ("head", Domain::names(HEADS)),
        ]));
        let writer = Domain::Parts(named([
            ("left", Domain::names(Writer::LEFT)),
            ("right", Domain::names(Writer::RIGHT)),
            ("P", Domain::BIT),
            ("head", Domain::names(PENS)),
        ]));
        Variables(vec![
            variable!("leader", Domain::BIT, State.leader),
            variable!("bullet", Domain::up_to(2), State.bullet),
            variable!("shield", Domain::BIT, State.shield),
            variable!("signalB", Domain::BIT, State.signal_b),
            variable!("x", Domain::BIT, State.x),
            variable!("rc", Domain::up_to(3), State.rc),
            variable!("checker0", checker.clone(), State.checkers[0]),
            variable!("checker1", checker.clone(), State.checkers[1]),
            variable!("checker2", checker, State.checkers[2]),
            variable!("writer", writer, State.writer),
        ])
    }

    fn is_leader(&self, state: &State) -> bool {
        state.leader == 1
    }

    fn is_safe(&self, config: &[State]) -> bool {
        settled(config)
    }

    /// Enough for four agents; no limit is enough for many.
    fn default_limit(&self, _: Ring) -> u64 {
        1_000_000_000
    }

    fn facts(&self, config: &[State]) -> Vec<(Text, Value)> {
        named([
            ("n", config.len().into()),
            ("leaders", leaders(self, config).into()),
            ("C_PB", in_c_pb(config).into()),
            ("written", from_leader(config).is_some_and(|led| written(&led)).into()),
            ("safe", self.is_safe(config).into()),
        ])
    }

    fn picture(&self, config: &[State]) -> Vec<PictureRow> {
        let row = |name, legend, cell: &dyn Fn(&State) -> char| PictureRow::new(name, legend, config.iter().map(cell));
        let cells = |v: &State| v.checkers.iter().flatten().count();
        vec![
            PictureRow::leaders(config.iter().map(|v| v.leader == 1)),
            row("x", "the bit", &|v| if v.x == 1 { '1' } else { '0' }),
            row("checkers", "the number of checker cells", &|v| {
                char::from_digit(cells(v) as u32, 10).filter(|&digit| digit != '0').unwrap_or('.')
            }),
            row("writer", "w a writer cell", &|v| if v.writer.is_some() { 'w' } else { '.' }),
            war_row(config),
        ]
    }
}

impl Declared for ThueMorse {
    fn blueprint() -> Blueprint<Self> {
        let string = "no leader, but the Thue-Morse string around the ring; the worst start known";
        Blueprint::new("thue-morse", Orientation::Directed, |_, _| Ok(Self))
            .summary("Thue-Morse, our own: elects one leader on any ring with a constant number of states")
            .bound("super-exponential")
            .elects()
            .safe("C_PB, one leader, string kept")
            .start_all("leaderless", "every variable zero, no leader", State::default())
            .start("string", string, |_, ring, _| {
                (0..ring.n()).map(|i| State { x: thue_morse(i), ..State::default() }).collect()
            })
            .uniform()
            .start_all("all-leaders", "every agent a leader, all else zero", State { leader: 1, ..State::default() })
            .start("safe", "a random safe configuration", safe)
            .open_phase(
                "written",
                "one leader, and the Thue-Morse string from it on",
                |_, config| from_leader(config).is_some_and(|led| written(&led)),
                |a, b| (a.leader, a.x) != (b.leader, b.x),
            )
    }
}

// --- Plain data -----------------------------------------------------------------------------------------------

const HEADS: &[&str] = &["none", "G", "L0", "L1", "A", "R"];
const PENS: &[&str] = &["none", "K0", "K1", "O0", "O1", "B", "N"];

/// The names of links and heads.
trait Names {
    const LEFT: &[&str];
    const RIGHT: &[&str];
}

impl Names for Checker {
    const LEFT: &[&str] = &["begin", "same", "down"];
    const RIGHT: &[&str] = &["end", "same", "up"];
}

impl Names for Writer {
    const LEFT: &[&str] = &["begin", "same"];
    const RIGHT: &[&str] = &["end", "same"];
}

const LINKS: [Link; 3] = [Open, Same, Step];
const HEADS_IN_ORDER: [Head; 6] = [Head::None, Head::G, Head::L(0), Head::L(1), Head::A, Head::R];
const PENS_IN_ORDER: [Pen; 7] = [Pen::None, Pen::K(0), Pen::K(1), Pen::O(0), Pen::O(1), Pen::B, Pen::N];

/// The member of `all` that has the place of a value among `names`; the first if it has none.
fn called<T: Copy>(value: Option<&Value>, names: &[&str], all: &[T]) -> T {
    let place = names.iter().position(|name| value == Some(&Value::from(*name)));
    all[place.unwrap_or(0)]
}

fn name_of<T: PartialEq>(member: T, names: &[&'static str], all: &[T]) -> Value {
    all.iter().position(|one| *one == member).map_or(Value::Null, |place| names[place].into())
}

fn is_set(cell: &Value, part: &str) -> bool {
    cell.get(part).and_then(Value::as_int) == Some(1)
}

impl Field for Checker {
    fn get(&self) -> Value {
        self.map_or(Value::Null, |cell| {
            Value::map([
                ("left", name_of(cell.left, Self::LEFT, &LINKS)),
                ("right", name_of(cell.right, Self::RIGHT, &LINKS)),
                ("M1", u8::from(cell.mark).into()),
                ("E", u8::from(cell.end).into()),
                ("head", name_of(cell.head, HEADS, &HEADS_IN_ORDER)),
            ])
        })
    }
    fn put(&mut self, value: &Value) {
        *self = matches!(value, Value::Map(_)).then(|| Cell {
            left: called(value.get("left"), Self::LEFT, &LINKS),
            right: called(value.get("right"), Self::RIGHT, &LINKS),
            mark: is_set(value, "M1"),
            end: is_set(value, "E"),
            head: called(value.get("head"), HEADS, &HEADS_IN_ORDER),
        });
    }
}

impl Field for Writer {
    fn get(&self) -> Value {
        self.map_or(Value::Null, |cell| {
            Value::map([
                ("left", name_of(cell.left, Self::LEFT, &LINKS)),
                ("right", name_of(cell.right, Self::RIGHT, &LINKS)),
                ("P", u8::from(cell.mark).into()),
                ("head", name_of(cell.head, PENS, &PENS_IN_ORDER)),
            ])
        })
    }
    fn put(&mut self, value: &Value) {
        *self = matches!(value, Value::Map(_)).then(|| Cell {
            left: called(value.get("left"), Self::LEFT, &LINKS),
            right: called(value.get("right"), Self::RIGHT, &LINKS),
            mark: is_set(value, "P"),
            end: false,
            head: called(value.get("head"), PENS, &PENS_IN_ORDER),
        });
    }
}
