//! Whose turn it is to compute, and for how long.
//!
//! There are a few seats, taken in the order in which they are asked for. Work gives its seat back after a slice of time and queues up
//! again, so a short request waits for a slice of each that is at work, never for its end. It is work that takes turns, not clients:
//! all of them come from this machine, and a page is told from another by its run only. A run is worked with by one request at a time,
//! and its lock is waited for without a seat; so who hogs a run waits for himself, and takes one place in the queue.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::budget::SEATS;

/// So long work keeps its seat if others wait.
const SLICE: Duration = Duration::from_millis(20);

/// The seats.
#[derive(Clone)]
pub(crate) struct Seats {
    seats: Arc<Semaphore>,
    /// What cannot be divided into slices, or takes much memory, is done one after the other, and leaves seats for the rest.
    undivided: Arc<Semaphore>,
}

impl Seats {
    /// As many as there are cores, within limits; two even on one core, which the operating system divides.
    pub(crate) fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self::of(cores.clamp(2, SEATS))
    }

    fn of(seats: usize) -> Self {
        Self { seats: Arc::new(Semaphore::new(seats)), undivided: Arc::new(Semaphore::new(1)) }
    }

    /// Work that waits ends, and none begins.
    pub(crate) fn close(&self) {
        self.seats.close();
        self.undivided.close();
    }

    /// A turn for whoever holds the other end of `asker`; it ends when that is gone.
    pub(crate) async fn turn(&self, asker: Weak<()>) -> Turn {
        let seat = self.seats.clone().acquire_owned().await.ok();
        let now = Instant::now();
        let queue = Queue { seats: self.clone(), asker, seat, since: now, undivided: None };
        Turn { deadline: now, queue: Some(queue) }
    }
}

/// A seat, and the time that is left.
pub(crate) struct Turn {
    deadline: Instant,
    queue: Option<Queue>,
}

/// Those with whom a turn shares the seats.
struct Queue {
    seats: Seats,
    asker: Weak<()>,
    seat: Option<OwnedSemaphorePermit>,
    /// When the seat was taken.
    since: Instant,
    undivided: Option<OwnedSemaphorePermit>,
}

impl Turn {
    /// A turn that is shared with nobody.
    #[cfg(test)]
    pub(crate) fn alone(time: Duration) -> Self {
        Self { deadline: Instant::now() + time, queue: None }
    }

    /// From now on there is so much time, whether or not others take their turns in it.
    pub(crate) fn lasts(&mut self, time: Duration) {
        self.deadline = Instant::now() + time;
    }

    /// Whether the time is up, or nobody waits for what is computed. This is asked often, and lets others have their turn.
    pub(crate) fn is_up(&mut self) -> bool {
        self.pass();
        Instant::now() >= self.deadline || self.queue.as_ref().is_some_and(Queue::is_over)
    }

    /// Lets others have their turn if it is time.
    pub(crate) fn pass(&mut self) {
        if let Some(queue) = self.queue.as_mut().filter(|queue| queue.since.elapsed() >= SLICE) {
            queue.seat = None;
            queue.sit();
        }
    }

    /// What follows is not divided into slices: waits until nothing else of the kind is under way.
    pub(crate) fn undivided(&mut self) {
        if let Some(queue) = self.queue.as_mut().filter(|queue| queue.undivided.is_none()) {
            queue.seat = None;
            queue.undivided = Handle::current().block_on(queue.seats.undivided.clone().acquire_owned()).ok();
            queue.sit();
        }
    }
}

impl Queue {
    fn sit(&mut self) {
        self.seat = Handle::current().block_on(self.seats.seats.clone().acquire_owned()).ok();
        self.since = Instant::now();
    }

    fn is_over(&self) -> bool {
        self.seat.is_none() || self.asker.strong_count() == 0
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().build().unwrap()
    }

    /// Work that takes very long, which ends when it is told to.
    async fn hog(
        seats: &Seats,
        asker: &Arc<()>,
        end: &Arc<AtomicBool>,
        undivided: bool,
    ) -> tokio::task::JoinHandle<()> {
        let (mut turn, end) = (seats.turn(Arc::downgrade(asker)).await, end.clone());
        turn.lasts(LONG);
        tokio::task::spawn_blocking(move || {
            if undivided {
                turn.undivided();
            }
            // What cannot be divided does not ask.
            while !end.load(Ordering::SeqCst) && (undivided || !turn.is_up()) {
                std::thread::yield_now();
            }
        })
    }

    #[test]
    fn a_short_request_is_served_however_much_long_work_there_is() {
        runtime().block_on(async {
            let (seats, asker, end) = (Seats::of(2), Arc::new(()), Arc::new(AtomicBool::new(false)));
            let mut hogs = Vec::new();
            for k in 0..12 {
                hogs.push(hog(&seats, &asker, &end, k % 3 == 0).await);
            }
            for _ in 0..3 {
                drop(seats.turn(Arc::downgrade(&asker)).await);
            }
            end.store(true, Ordering::SeqCst);
            for hog in hogs {
                hog.await.unwrap();
            }
        });
    }

    #[test]
    fn work_ends_when_nobody_waits_for_it_or_the_server_ends() {
        runtime().block_on(async {
            let (seats, asker, end) = (Seats::of(1), Arc::new(()), Arc::new(AtomicBool::new(false)));
            let work = hog(&seats, &asker, &end, false).await;
            drop(asker);
            work.await.unwrap();
            let asker = Arc::new(());
            let work = hog(&seats, &asker, &end, false).await;
            seats.close();
            work.await.unwrap();
        });
    }
}
