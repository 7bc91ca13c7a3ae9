//! Who is connected, and what clients hold up. There is room for so many connections, large bodies and large answers; when it is taken, the
//! client that has been waited for longest gives way. So no number of slow clients keeps a new one out.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::AbortHandle;

use crate::budget::{ANSWERS, BODIES, CONNECTIONS, SMALL};
use crate::runs::open;

/// Bytes are counted by these, since permits are counted by 32 bits.
pub(crate) const UNIT: usize = 1 << 10;

/// What is held for a client.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    /// A large body, until it is understood.
    Body,
    /// A large answer, until it is sent.
    Answer,
}

pub(crate) struct Connections {
    all: Mutex<All>,
    places: Arc<Semaphore>,
    bodies: Arc<Semaphore>,
    answers: Arc<Semaphore>,
}

#[derive(Default)]
struct All {
    /// Counts all that happens, and so says what came first.
    now: u64,
    list: BTreeMap<u64, One>,
}

/// A connection and what it takes, which is given back when it leaves the list.
struct One {
    /// When its client was last waited for, or answered.
    since: u64,
    /// It is the client's turn: to send a head or a body, or to take an answer.
    awaited: bool,
    holds: Vec<(Kind, u64, OwnedSemaphorePermit)>,
    task: Option<AbortHandle>,
    _place: OwnedSemaphorePermit,
}

impl All {
    fn tick(&mut self) -> u64 {
        self.now += 1;
        self.now
    }

    /// Drops the connection that has been waited for longest among some; whether there was one.
    fn drop_oldest(&mut self, among: &impl Fn(&One) -> bool) -> bool {
        let oldest = self.list.iter().filter(|(_, one)| among(one)).min_by_key(|(_, one)| one.since).map(|(id, _)| *id);
        let dropped = oldest.and_then(|id| self.list.remove(&id));
        dropped.iter().filter_map(|one| one.task.as_ref()).for_each(AbortHandle::abort);
        dropped.is_some()
    }
}

impl Connections {
    pub(crate) fn new() -> Arc<Self> {
        let [places, bodies, answers] =
            [CONNECTIONS, BODIES / UNIT, ANSWERS / UNIT].map(|most| Arc::new(Semaphore::new(most)));
        Arc::new(Self { all: Mutex::default(), places, bodies, answers })
    }

    /// Makes room for a connection. If all are being worked for, it waits until one is not. `None` if the server ends.
    pub(crate) async fn place(self: &Arc<Self>) -> Option<Connection> {
        let place = self.room(&self.places, 1, |one| one.awaited).await?;
        let mut all = open(&self.all);
        let id = all.tick();
        all.list.insert(id, One { since: id, awaited: true, holds: Vec::new(), task: None, _place: place });
        Some(Connection(Arc::new(Listed { id, connections: self.clone() })))
    }

    /// Takes of something that is limited; those who were waited for longest give way if there is not enough.
    async fn room(
        &self,
        of: &Arc<Semaphore>,
        amount: u32,
        gives_way: impl Fn(&One) -> bool,
    ) -> Option<OwnedSemaphorePermit> {
        loop {
            if let Ok(permit) = of.clone().try_acquire_many_owned(amount) {
                return Some(permit);
            }
            if !open(&self.all).drop_oldest(&gives_way) {
                return of.clone().acquire_many_owned(amount).await.ok();
            }
        }
    }

    /// Bytes that are taken of a kind.
    #[cfg(test)]
    pub(crate) fn held(&self, kind: Kind) -> usize {
        let (of, most) = self.of(kind);
        most - UNIT * of.available_permits()
    }

    fn of(&self, kind: Kind) -> (&Arc<Semaphore>, usize) {
        match kind {
            Kind::Body => (&self.bodies, BODIES),
            Kind::Answer => (&self.answers, ANSWERS),
        }
    }
}

/// A connection, which is in the list as long as anybody has this, unless it had to give way.
#[derive(Clone)]
pub(crate) struct Connection(Arc<Listed>);

struct Listed {
    id: u64,
    connections: Arc<Connections>,
}

impl Drop for Listed {
    fn drop(&mut self) {
        open(&self.connections.all).list.remove(&self.id);
    }
}

impl Listed {
    /// Changes its entry, at this moment; `None` if it had to give way.
    fn change<T>(&self, change: impl FnOnce(&mut One, u64) -> T) -> Option<T> {
        let mut all = open(&self.connections.all);
        let now = all.tick();
        all.list.get_mut(&self.id).map(|one| change(one, now))
    }
}

impl Connection {
    /// The task that serves it, which ends if it must give way.
    pub(crate) fn served_by(&self, task: AbortHandle) {
        self.0.change(|one, _| one.task = Some(task));
    }

    /// From now on the client is waited for, or is not.
    pub(crate) fn awaited(&self, awaited: bool) {
        self.0.change(|one, now| (one.awaited, one.since) = (awaited, now));
    }

    /// Takes room for so many bytes; what is small needs none. `None` if this connection had to give way.
    pub(crate) async fn hold(&self, kind: Kind, bytes: usize) -> Option<Held> {
        let held = |key| Held { key, of: Arc::downgrade(&self.0) };
        if bytes <= SMALL {
            return Some(held(0));
        }
        let (of, most) = self.0.connections.of(kind);
        let amount = bytes.min(most).div_ceil(UNIT) as u32;
        // Who has not taken an answer gives way even if something else is computed for him.
        let holds = |one: &One| one.holds.iter().any(|held| held.0 == kind);
        let gives_way = |one: &One| holds(one) && (one.awaited || kind == Kind::Answer);
        let permit = self.0.connections.room(of, amount, gives_way).await?;
        let taken = |one: &mut One, now| {
            one.holds.push((kind, now, permit));
            now
        };
        self.0.change(taken).map(held)
    }
}

/// Room that is taken for a client. It does not keep the connection.
pub(crate) struct Held {
    /// The moment at which it was taken, which tells it from others; 0 if it is none.
    key: u64,
    of: Weak<Listed>,
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(listed) = self.of.upgrade() {
            listed.change(|one, _| one.holds.retain(|held| held.1 != self.key));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_was_waited_for_longest_gives_way() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let connections = Connections::new();
            let known = |one: &Connection| open(&connections.all).list.contains_key(&one.0.id);
            let mut all = Vec::new();
            for _ in 0..CONNECTIONS {
                all.push(connections.place().await.unwrap());
            }
            all[0].awaited(false);
            all[1].awaited(true);
            let new = connections.place().await.unwrap();
            let gone: Vec<usize> = (0..CONNECTIONS).filter(|&k| !known(&all[k])).collect();
            assert!(gone == [2] && known(&new), "{gone:?} gave way");

            // Bodies of 31 MiB: there is room for two, whoever sends them.
            let mut bodies = Vec::new();
            for one in &all[3..40] {
                bodies.push(one.hold(Kind::Body, 31 << 20).await.unwrap());
                assert!(connections.held(Kind::Body) <= BODIES);
            }
            let left: Vec<usize> = (3..40).filter(|&k| known(&all[k])).collect();
            assert_eq!(left, [38, 39]);
            drop(bodies);
            assert_eq!(connections.held(Kind::Body), 0);
            // An answer that nobody takes makes room for the next, even if its client asks on; small ones need none.
            let _answer = all[50].hold(Kind::Answer, ANSWERS).await.unwrap();
            all[50].awaited(false);
            let _small = all[51].hold(Kind::Answer, SMALL).await.unwrap();
            assert!(known(&all[50]));
            let _next = all[52].hold(Kind::Answer, 1 << 20).await.unwrap();
            assert!(!known(&all[50]) && known(&all[51]));
            assert_eq!(connections.held(Kind::Answer), 1 << 20);
        });
    }
}
