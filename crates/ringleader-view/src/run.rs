//! A run that can be looked at anywhere: forwards it is computed, backwards it is computed again from a snapshot.
//!
//! Snapshots and samples are taken at multiples of a stride that doubles when there are too many, so that the whole of any run is
//! covered by a bounded number of them, and no step is farther from a snapshot than the stride.

use std::time::Duration;

use ringleader::error::Error as Refusal;
use ringleader::schedule::AnySchedule;
use ringleader::session::{Session, Step};
use ringleader::trial::Trial;
use ringleader::value::Text;
use ringleader_notation::eval::Fault;
use ringleader_records::error::Error;
use tokio::sync::OwnedSemaphorePermit;

use crate::cursor::Cursor;
use crate::description::{Description, Plan};
use crate::edits::Edits;
use crate::listing::{CHUNK, COUNTS, Listing, Pace};
use crate::runs::Room;
use crate::turn::Turn;

/// The most samples of a run.
const SAMPLES: usize = 512;
/// Snapshots of one run may take about this many bytes.
const SNAPSHOT_BYTES: usize = 64 << 20;
/// So many interactions may be run again for a picture of many steps.
const MAX_AGAIN: u64 = 4_000_000;
/// The lines of so many interactions are counted after all of them were made: a text that has no patience left goes back to before them.
const COUNTED_AT_ONCE: u64 = 64;
/// The fewest snapshots of a long run.
const LEAST: usize = 64;
/// What an agent takes in a snapshot: its state and the next tick of its clock.
const AGENT_BYTES: usize = 64;
/// What a snapshot has beside: the ticks of its bucket of time, 89 for each agent or some 16,384.
const BUCKET_BYTES: (usize, usize) = (8 * 89, 144 << 10);
/// What a run has beside: its samples, how often the lines of a text of ours were executed, and what determines it.
const RUN_BYTES: usize = 640 << 10;
/// So many snapshots a run has room for from the beginning, and so many more there are of its session.
pub(crate) const FIRST: usize = 16;
const SESSIONS: usize = 5;

/// What a snapshot takes.
fn snapshot_bytes(n: usize) -> usize {
    n * AGENT_BYTES + (n * BUCKET_BYTES.0).min(BUCKET_BYTES.1)
}

/// What a run takes with so many snapshots, beside its edits and the case from which it comes.
fn bytes_with(snapshots: usize, n: usize) -> usize {
    (snapshots + SESSIONS) * snapshot_bytes(n) + RUN_BYTES
}

/// What a run takes at the beginning, beside its edits and the case from which it comes.
pub(crate) fn first_bytes(n: usize) -> usize {
    bytes_with(FIRST, n)
}

/// Things at the multiples of a stride.
pub(crate) struct Series<T> {
    pub(crate) stride: u64,
    /// The first stride.
    least: u64,
    most: usize,
    pub(crate) items: Vec<(u64, T)>,
}

impl<T> Series<T> {
    /// At most so many, from a stride on that grows with the ring: in a long one little happens in a few interactions.
    fn new(most: usize, n: usize) -> Self {
        let least = (n as u64 / 64).next_power_of_two();
        Self { stride: least, least, most, items: Vec::new() }
    }

    fn due(&self, at: u64) -> bool {
        at.is_multiple_of(self.stride) && self.items.last().is_none_or(|(last, _)| *last < at)
    }

    /// The next step at which something is due.
    fn next(&self, at: u64) -> u64 {
        (at / self.stride + 1).saturating_mul(self.stride)
    }

    fn push(&mut self, at: u64, item: T) {
        self.items.push((at, item));
        self.thin();
    }

    /// Keeps every second one while there are too many.
    fn thin(&mut self) {
        while self.items.len() > self.most {
            self.stride *= 2;
            let stride = self.stride;
            self.items.retain(|(at, _)| at.is_multiple_of(stride));
        }
    }

    /// The last that is not after a step.
    fn before(&self, step: u64) -> Option<&(u64, T)> {
        let after = self.items.partition_point(|(at, _)| *at <= step);
        self.items.get(after.checked_sub(1)?)
    }

    /// Forgets all from a step on, and goes on from there as closely as a run of that length allows.
    fn forget(&mut self, step: u64) {
        self.stride = self.stride.min(self.least.max((step / self.most as u64 + 1).next_power_of_two()));
        self.items.truncate(self.items.partition_point(|(at, _)| *at < step));
    }
}

/// What the charts show of a configuration.
pub(crate) struct Sample {
    pub(crate) gauges: Vec<(Text, usize)>,
    pub(crate) phases: Vec<bool>,
    pub(crate) safe: bool,
}

impl Sample {
    pub(crate) fn of(session: &dyn Session) -> Self {
        Self { gauges: session.gauges(), phases: session.phases(), safe: session.is_safe() }
    }
}

/// What a page wants to see.
pub(crate) struct Ask {
    pub(crate) from: u64,
    pub(crate) steps: u64,
    pub(crate) time: Duration,
    pub(crate) until: Vec<String>,
}

/// What was found on the way to a frame.
pub(crate) struct Found {
    pub(crate) behind: bool,
    pub(crate) event: Option<Text>,
    /// Nothing that is wanted can happen any more.
    pub(crate) never: bool,
}

pub(crate) struct Run {
    /// What determines it, except for its edits.
    base: Description,
    /// The room that it has taken; as much as it likes if `None`.
    room: Option<Room>,
    /// That of edits that came later.
    edits_room: Option<OwnedSemaphorePermit>,
    pub(crate) trial: Trial,
    pub(crate) recorded: Option<u64>,
    pub(crate) leaderless: Option<u64>,
    pub(crate) first: Box<dyn Session>,
    pub(crate) edits: Edits,
    pub(crate) cursor: Cursor,
    /// The interaction that led to the cursor, and who chose it; `None` if that is not known.
    pub(crate) last: Option<(Step, &'static str)>,
    pub(crate) furthest: u64,
    pub(crate) samples: Series<Sample>,
    pub(crate) snapshots: Series<Cursor>,
    pub(crate) listing: Option<Listing>,
    /// How often lines were executed.
    counts: Series<Counts>,
    /// Where they were counted last.
    counted: Option<Counting>,
    /// Where the text went wrong: the interaction that comes at this step cannot be made.
    pub(crate) broken: Option<(u64, Fault)>,
    /// What went wrong when the sets of a configuration were looked at, and at which step.
    pub(crate) blind: Option<(u64, Fault)>,
}

/// How often each line of a text was executed, from the first.
pub(crate) type Counts = Vec<u64>;

/// Counts lines that an interaction executed.
fn tally(counts: &mut Counts, lines: &[u32]) {
    for &line in lines {
        let line = line as usize;
        counts.resize(counts.len().max(line + 1), 0);
        counts[line] += 1;
    }
}

/// Lines that are being counted: up to step `from` they are, and the cursor is there, or still on its way.
struct Counting {
    cursor: Cursor,
    from: u64,
    counts: Counts,
}

impl Run {
    pub(crate) fn new(plan: Plan, mut room: Option<Room>) -> Result<Self, Error> {
        let Plan { base, case_bytes, text_bytes, edit_bytes, trial, listing, first, edits, recorded, leaderless } =
            plan;
        if let Some(room) = &mut room {
            room.shrink(first_bytes(trial.n) + case_bytes + text_bytes + edit_bytes);
        }
        let cursor = Cursor::new(first.as_ref());
        let snapshots = Series::new(FIRST, trial.n);
        let samples = Series::new(SAMPLES, trial.n);
        let counts = Series::new(COUNTS, trial.n);
        let (last, furthest) = (None, 0);
        let mut run = Self {
            base,
            room,
            edits_room: None,
            trial,
            recorded,
            leaderless,
            first,
            edits,
            cursor,
            last,
            furthest,
            samples,
            snapshots,
            listing,
            counts,
            counted: None,
            broken: None,
            blind: None,
        };
        run.settle()?;
        Ok(run)
    }

    /// Whether a plan is of the same run, but for the edits.
    pub(crate) fn is_of(&self, plan: &Plan) -> bool {
        self.base == plan.base
    }

    /// The same run with the edits of another plan: what both have in common is kept.
    pub(crate) fn replan(&mut self, plan: Plan) -> Result<(), Error> {
        self.edits_room = self.lend(plan.edit_bytes)?;
        let old = std::mem::replace(&mut self.edits, plan.edits).list;
        let new = &self.edits.list;
        let common = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let differ = [&old, new].map(|edits| edits.get(common).map_or(u64::MAX, |edit| edit.step));
        let until = differ[0].min(differ[1]);
        self.snapshots.forget(until);
        self.samples.forget(until);
        self.counts.forget(until);
        (self.counted, self.broken, self.blind) = (None, None, None);
        self.furthest = self.furthest.min(until);
        if self.cursor.at > until || self.cursor.applied > common {
            self.restore(until);
        }
        self.settle()
    }

    /// Makes the edits that are due at the cursor, and takes what is due there.
    fn settle(&mut self) -> Result<(), Error> {
        let (applied, fault) = self.pace().look(|| self.cursor.apply(&self.edits));
        self.checked(applied)?;
        self.blinded(fault);
        self.note();
        Ok(())
    }

    pub(crate) fn pace(&self) -> Pace {
        Pace::new(self.listing.as_ref())
    }

    fn blinded(&mut self, fault: Option<Fault>) {
        let at = self.cursor.at;
        self.blind = fault.map(|fault| (at, fault)).or_else(|| self.blind.take().filter(|(step, _)| *step == at));
    }

    /// What is to be seen of the configuration at the cursor.
    pub(crate) fn sample(&mut self) -> Sample {
        let (sample, fault) = self.pace().look(|| Sample::of(self.cursor.session.as_ref()));
        self.blinded(fault);
        sample
    }

    /// Takes what is due at the cursor.
    fn note(&mut self) {
        self.furthest = self.furthest.max(self.cursor.at);
        if self.samples.due(self.cursor.at) {
            let sample = self.sample();
            self.samples.push(self.cursor.at, sample);
        }
        if self.snapshots.due(self.cursor.at) {
            self.more_snapshots();
            self.snapshots.push(self.cursor.at, self.cursor.duplicate());
        }
    }

    /// Lets there be twice as many snapshots if they have come to their limit and there is room.
    fn more_snapshots(&mut self) {
        let (n, most) = (self.trial.n, self.snapshots.most);
        let more = (2 * most).min((SNAPSHOT_BYTES / snapshot_bytes(n)).clamp(LEAST, SAMPLES));
        let bytes = bytes_with(more, n) - bytes_with(most, n);
        let full = self.snapshots.items.len() == most && more > most;
        if full && self.room.as_mut().is_none_or(|room| room.grow(bytes, more)) {
            self.snapshots.most = more;
        }
    }

    pub(crate) fn most_snapshots(&self) -> usize {
        self.snapshots.most
    }

    /// Gives half of its snapshots back, for others.
    pub(crate) fn thin(&mut self) {
        let (n, most) = (self.trial.n, self.snapshots.most);
        self.snapshots.most = (most / 2).max(FIRST);
        self.snapshots.thin();
        let bytes = bytes_with(most, n) - bytes_with(self.snapshots.most, n);
        self.room.iter_mut().for_each(|room| room.give_back(bytes));
    }

    /// Room for something that this run needs for a while.
    pub(crate) fn lend(&self, bytes: usize) -> Result<Option<OwnedSemaphorePermit>, Error> {
        let Some(room) = &self.room else { return Ok(None) };
        room.lend(bytes).map(Some).ok_or_else(|| Error::new("all memory is in use by other runs; try again later"))
    }

    /// A cursor at the beginning, before the first edit.
    pub(crate) fn beginning(&self) -> Cursor {
        Cursor::new(self.first.as_ref())
    }

    /// A cursor at a snapshot that is not after a step.
    pub(crate) fn near(&self, step: u64) -> Cursor {
        self.snapshots.before(step).map_or_else(|| self.beginning(), |(_, cursor)| cursor.duplicate())
    }

    fn restore(&mut self, step: u64) {
        self.cursor = self.near(step);
        self.last = None;
    }

    /// Goes on to a step, or until the time is up or the text goes wrong. A failure leaves the run at its beginning.
    fn advance(&mut self, step: u64, turn: &mut Turn) -> Result<(), Error> {
        let mut pace = self.pace();
        while self.cursor.at < step && !turn.is_up() {
            self.last = None;
            let at = self.cursor.at;
            let goal = step.min(self.samples.next(at)).min(self.snapshots.next(at));
            match pace.forward(&mut self.cursor, &self.edits, goal) {
                Ok(gone) => self.checked(gone)?,
                Err(fault) => {
                    self.broken = Some((at, fault));
                    break;
                }
            }
            self.note();
        }
        Ok(())
    }

    fn checked<T>(&mut self, done: Result<T, Error>) -> Result<T, Error> {
        if done.is_err() {
            self.restore(0);
        }
        done
    }

    /// One interaction, looked at closely.
    fn single(&mut self) -> Result<(), Error> {
        self.settle()?;
        let by_hand = self.cursor.by_hand(&self.edits).is_some();
        let (at, edits) = (self.cursor.at, &self.edits);
        let stepped = match self.pace().attempt(&mut self.cursor, 1, |cursor, _| cursor.step(edits)) {
            Ok(stepped) => stepped,
            Err(fault) => {
                self.broken = Some((at, fault));
                return Ok(());
            }
        };
        let step = self.checked(stepped)?;
        let by = match self.cursor.session.schedule() {
            _ if by_hand => "hand",
            AnySchedule::Recorded(_) => "recorded",
            _ => self.trial.scheduler.name(),
        };
        self.last = Some((step, by));
        self.note();
        Ok(())
    }

    /// Moves the cursor to a step, by an interaction that is looked at closely; at most as far as the time allows.
    pub(crate) fn move_to(&mut self, step: u64, turn: &mut Turn) -> Result<(), Error> {
        if self.cursor.at == step && (self.last.is_some() || step == 0) {
            return self.settle();
        }
        let before = step.saturating_sub(1);
        let snapshot = self.snapshots.before(before).map_or(0, |(at, _)| *at);
        if self.cursor.at > before || snapshot > self.cursor.at {
            self.restore(before);
        }
        self.advance(before, turn)?;
        if step > 0 { self.single() } else { self.settle() }
    }

    /// Goes where a page asks to go.
    pub(crate) fn go(&mut self, ask: &Ask, turn: &mut Turn) -> Result<Found, Error> {
        turn.lasts(ask.time);
        self.move_to(ask.from, turn)?;
        let behind = self.cursor.at < ask.from;
        let (wanted, fault) = self.pace().look(|| self.wanted(&ask.until));
        self.blinded(fault);
        let wanted = wanted?;
        let never = !ask.until.is_empty() && wanted.is_empty();
        if behind || never || ask.steps == 0 {
            return Ok(Found { behind, event: None, never });
        }
        let goal = self.cursor.at.saturating_add(ask.steps);
        let event = if wanted.is_empty() {
            self.advance(goal - 1, turn)?;
            self.single().map(|()| None)?
        } else {
            self.seek(goal, &wanted, turn)?
        };
        Ok(Found { behind, event, never })
    }

    /// The names of what is wanted and may still happen; "phase" stands for all phases, "safe" for the safe set. A safe ring does
    /// not become safe again, nor does it enter phases in which it is.
    fn wanted(&self, until: &[String]) -> Result<Vec<Text>, Refusal> {
        let session = self.cursor.session.as_ref();
        let described = session.described();
        let known =
            |name: &str| ["phase", "safe"].contains(&name) || described.events.iter().any(|one| one.name == name);
        if let Some(name) = until.iter().find(|name| !known(name)) {
            let events: Vec<&str> = described.events.iter().map(|event| &*event.name).collect();
            return Err(Refusal::new("until", name, format!("allowed is {}, phase, safe", events.join(", "))));
        }
        let asked = |name: &str| until.iter().any(|wanted| wanted == name);
        let events = described.events.iter().filter(|event| asked(&event.name));
        let mut wanted: Vec<Text> = events.map(|event| event.name.clone()).collect();
        let safe = (asked("phase") || asked("safe")) && session.is_safe();
        if asked("phase") {
            let inside = if safe { session.phases() } else { vec![false; described.phases.len()] };
            let ahead = described.phases.iter().zip(inside).filter(|(_, inside)| !inside);
            wanted.extend(ahead.map(|(phase, _)| phase.name.clone()));
        }
        if asked("safe") && !safe {
            wanted.push(described.safe_phase.clone());
        }
        Ok(wanted)
    }

    /// Goes on to the first step with something wanted, to a step, or until the time is up.
    fn seek(&mut self, goal: u64, wanted: &[Text], turn: &mut Turn) -> Result<Option<Text>, Error> {
        let (mut chunk, mut pace) = (64, self.pace());
        loop {
            let (before, at) = (self.cursor.duplicate(), self.cursor.at);
            let step = goal.min(at + chunk).min(self.samples.next(at)).min(self.snapshots.next(at));
            let edits = &self.edits;
            let sought =
                pace.attempt_looking(&mut self.cursor, step - at, |cursor, steps| cursor.seek(edits, steps, wanted));
            let name = match sought {
                Ok(sought) => self.checked(sought)?,
                Err(fault) => {
                    self.broken = Some((at, fault));
                    return Ok(None);
                }
            };
            let found = self.cursor.at;
            if name.is_some() || found == goal || turn.is_up() {
                self.retrace(before, found)?;
                return Ok(name);
            }
            self.note();
            chunk = (2 * chunk).min(CHUNK);
        }
    }

    /// Goes again to a step, from a place before it, to look closely at its interaction.
    fn retrace(&mut self, before: Cursor, step: u64) -> Result<(), Error> {
        (self.cursor, self.last) = (before, None);
        if step > self.cursor.at {
            let (gone, _) = self.pace().look(|| self.cursor.forward(&self.edits, step - 1));
            self.checked(gone)?;
            self.single()?;
        }
        Ok(())
    }

    /// Configurations at about `rows` steps between two, as `look` sees them: snapshots if they lie close enough, else computed, as
    /// far as the time allows.
    pub(crate) fn rows<T>(
        &self,
        (from, to): (u64, u64),
        rows: u64,
        turn: &mut Turn,
        look: impl Fn(&dyn Session) -> T,
    ) -> Result<Vec<(u64, T)>, Error> {
        let to = to.min(self.furthest);
        let from = from.min(to);
        if to - from >= MAX_AGAIN.min(64 * self.snapshots.stride) {
            let within = self.snapshots.items.iter().filter(|(at, _)| (from..=to).contains(at));
            return Ok(within.map(|(at, cursor)| (*at, look(cursor.session.as_ref()))).collect());
        }
        let (mut cursor, rows) = (self.near(from), rows.clamp(1, to - from + 1));
        let (mut seen, mut pace) = (Vec::new(), self.pace());
        for k in 0..rows {
            let step = from + (u128::from(to - from) * u128::from(k) / u128::from((rows - 1).max(1))) as u64;
            while cursor.at < step && !turn.is_up() {
                let Ok(gone) = pace.forward(&mut cursor, &self.edits, step) else { break };
                gone?;
            }
            if cursor.at < step {
                break;
            }
            cursor.apply(&self.edits)?;
            seen.push((step, look(cursor.session.as_ref())));
        }
        Ok(seen)
    }

    /// How often each line was executed up to a step, as far as the time allows; and up to which step that is.
    pub(crate) fn count(&mut self, step: u64, turn: &mut Turn) -> Result<(u64, Counts), Error> {
        let step = step.min(self.furthest);
        let Counting { mut cursor, mut from, mut counts } = self.counting(step);
        let mut pace = self.pace();
        while let Some(listing) = self.listing.as_ref().filter(|_| from < step && !turn.is_up()) {
            let edits = &self.edits;
            if cursor.at < from {
                let Ok(gone) = pace.forward(&mut cursor, edits, from) else { break };
                gone?;
                continue;
            }
            let most = COUNTED_AT_ONCE.min(step - from);
            let go = |cursor: &mut Cursor, steps| (0..steps).map(|_| cursor.step(edits)).collect::<Result<Vec<_>, _>>();
            let Ok(steps) = pace.attempt(&mut cursor, most, go) else { break };
            for step in &steps? {
                tally(&mut counts, &listing.lines(step));
                from += 1;
                if self.counts.due(from) {
                    self.counts.push(from, counts.clone());
                }
            }
        }
        let counted = (from, counts.clone());
        self.counted = Some(Counting { cursor, from, counts });
        Ok(counted)
    }

    /// Where to go on counting for a step: where it was done last, or at the last counts that were kept.
    fn counting(&mut self, step: u64) -> Counting {
        let (known, kept) = self.counts.before(step).map_or((0, Counts::new()), |(at, counts)| (*at, counts.clone()));
        match self.counted.take() {
            Some(counted) if (known..=step).contains(&counted.from) => counted,
            _ => Counting { cursor: self.near(known), from: known, counts: kept },
        }
    }

    /// The step at which a recording ends, if it has not ended yet.
    pub(crate) fn end(&mut self) -> Option<u64> {
        let at = self.cursor.at;
        let end = match &self.edits.after_recording {
            Some(_) => self.cursor.recording_left().map(|left| at + left),
            None => self.recorded,
        };
        end.filter(|end| *end > at)
    }
}
