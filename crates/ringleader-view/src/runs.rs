//! The runs that the server remembers: the latest, as many as there is room for. Each is a cache of what its description determines.
//!
//! Room is counted in bytes, and taken before it is used. A run begins with few snapshots and asks for more as it goes on; runs that have more
//! than it then give half of theirs back, and if there are none it makes do with what it has. For a new run all others do so, and then
//! those that nobody uses are forgotten, the oldest first.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::budget::RUNS;
use crate::connections::UNIT;
use crate::run::{FIRST, Run};

/// So long a new run waits before another one that is in use is forgotten for it.
const PAUSE: Duration = Duration::from_millis(100);

/// A run that several requests may ask for, one after the other.
pub(crate) type Shared = Arc<tokio::sync::Mutex<Run>>;

pub(crate) struct Runs {
    /// The latest last.
    list: Mutex<Vec<(String, Shared)>>,
    room: Arc<Semaphore>,
}

/// Room for a run, which it has until nobody uses it any more.
pub(crate) struct Room {
    taken: OwnedSemaphorePermit,
    runs: Weak<Runs>,
}

impl Room {
    /// Takes more, from those who have more than so many snapshots; whether there was enough.
    pub(crate) fn grow(&mut self, bytes: usize, snapshots: usize) -> bool {
        let more = self.runs.upgrade().and_then(|runs| runs.take(bytes, snapshots, false));
        more.map(|more| self.taken.merge(more)).is_some()
    }

    /// Takes more for a while.
    pub(crate) fn lend(&self, bytes: usize) -> Option<OwnedSemaphorePermit> {
        self.runs.upgrade()?.take(bytes, FIRST, true)
    }

    /// Gives something back.
    pub(crate) fn give_back(&mut self, bytes: usize) {
        drop(self.taken.split(self.taken.num_permits().min(bytes / UNIT)));
    }

    /// Gives all back that is not needed.
    pub(crate) fn shrink(&mut self, bytes: usize) {
        self.give_back((UNIT * self.taken.num_permits()).saturating_sub(bytes));
    }
}

impl Runs {
    pub(crate) fn new() -> Arc<Self> {
        Self::within(RUNS)
    }

    pub(crate) fn within(bytes: usize) -> Arc<Self> {
        Arc::new(Self { list: Mutex::default(), room: Arc::new(Semaphore::new(bytes / UNIT)) })
    }

    /// Takes room. If there is not enough, runs that nobody uses give it back: first snapshots, whoever has most of them and more than
    /// so many, then, if that is allowed, the oldest are forgotten. `None` if that is not enough.
    fn take(&self, bytes: usize, snapshots: usize, forget: bool) -> Option<OwnedSemaphorePermit> {
        loop {
            if let Ok(permit) = self.room.clone().try_acquire_many_owned(units(bytes)) {
                return Some(permit);
            }
            let mut runs = open(&self.list);
            let idle = |(_, run): &&(String, Shared)| Arc::strong_count(run) == 1;
            let free = runs.iter().filter(idle).filter_map(|(_, run)| run.try_lock().ok());
            let largest = free.max_by_key(|run| run.most_snapshots());
            if let Some(mut run) = largest.filter(|run| run.most_snapshots() > snapshots) {
                run.thin();
                continue;
            }
            let oldest = runs.iter().position(|run| idle(&run)).filter(|_| forget)?;
            runs.remove(oldest);
        }
    }

    /// Makes room for a new run. If that needs runs that are in use, they are forgotten one after the other, and give it back when they no
    /// longer are. `None` if the server ends.
    pub(crate) async fn room(self: &Arc<Self>, bytes: usize) -> Option<Room> {
        loop {
            let taken = match self.take(bytes, FIRST, true) {
                Some(taken) => Ok(Ok(taken)),
                None => {
                    self.forget_oldest();
                    timeout(PAUSE, self.room.clone().acquire_many_owned(units(bytes))).await
                }
            };
            if let Ok(taken) = taken {
                return Some(Room { taken: taken.ok()?, runs: Arc::downgrade(self) });
            }
        }
    }

    fn forget_oldest(&self) {
        let mut runs = open(&self.list);
        if !runs.is_empty() {
            runs.remove(0);
        }
    }

    /// A name that cannot be guessed.
    pub(crate) fn name() -> String {
        format!("{:016x}", RandomState::new().build_hasher().finish())
    }

    /// Remembers a run, under a name.
    pub(crate) fn add(&self, id: String, run: Run) {
        open(&self.list).push((id, Arc::new(tokio::sync::Mutex::new(run))));
    }

    /// The run of that name, which is now the latest.
    pub(crate) fn get(&self, id: &str) -> Option<Shared> {
        let mut runs = open(&self.list);
        let place = runs.iter().position(|(known, _)| known == id)?;
        let found = runs.remove(place);
        let run = found.1.clone();
        runs.push(found);
        Some(run)
    }

    #[cfg(test)]
    pub(crate) fn forget(&self, id: &str) {
        open(&self.list).retain(|(known, _)| known != id);
    }

    /// Bytes that are left.
    #[cfg(test)]
    pub(crate) fn left(&self) -> usize {
        UNIT * self.room.available_permits()
    }
}

fn units(bytes: usize) -> u32 {
    bytes.div_ceil(UNIT) as u32
}

/// A lock; even if a thread panicked while it held it, what it guards is a list that is still whole.
pub(crate) fn open<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
