//! How far a ledger is durable, for threads that wait for it and never hold up the writer.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::durability::LedgerPosition;

/// A mark of how far a ledger is durable, which its session moves on. Clones are one mark.
#[derive(Clone, Debug, Default)]
pub struct DurableWatch(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    mark: Mutex<Mark>,
    moved: Condvar,
}

#[derive(Debug, Default)]
struct Mark {
    durable: LedgerPosition,
    /// The number of records that somebody waits for; `None` where nobody waits.
    wanted: Option<u64>,
    has_ended: bool,
}

/// What a wait has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DurableMark {
    /// How far the ledger is durable.
    pub durable: LedgerPosition,
    /// Whether nothing more is to come.
    pub has_ended: bool,
}

impl DurableWatch {
    /// A mark of a ledger of which no record is known to be durable.
    #[must_use]
    pub fn new() -> DurableWatch {
        DurableWatch::default()
    }

    /// Moves the mark to where the ledger is durable. Wakes who waits for as many records, and waits for nobody itself.
    pub fn move_to(&self, durable: LedgerPosition) {
        let mut mark = self.lock();
        mark.durable = durable;
        if mark.wanted.is_some_and(|wanted| wanted <= durable.entries) {
            self.0.moved.notify_all();
        }
    }

    /// Says that nothing more is to come, and wakes everybody who waits.
    pub fn end(&self) {
        self.lock().has_ended = true;
        self.0.moved.notify_all();
    }

    /// Waits until `entries` records are durable, nothing more is to come, or the time `until` has come; without it, for as
    /// long as it takes. One thread waits at a time.
    #[must_use]
    pub fn wait_for(&self, entries: u64, until: Option<Instant>) -> DurableMark {
        let mut mark = self.lock();
        while mark.durable.entries < entries && !mark.has_ended {
            mark.wanted = Some(entries);
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            mark = match left {
                Some(left) if left.is_zero() => break,
                Some(left) => {
                    let waited = self.0.moved.wait_timeout(mark, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => {
                    let waited = self.0.moved.wait(mark);
                    waited.unwrap_or_else(PoisonError::into_inner)
                }
            };
        }
        mark.wanted = None;
        mark.read()
    }

    fn lock(&self) -> MutexGuard<'_, Mark> {
        self.0.mark.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Mark {
    fn read(&self) -> DurableMark {
        DurableMark {
            durable: self.durable,
            has_ended: self.has_ended,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

    fn position(entries: u64) -> LedgerPosition {
        LedgerPosition {
            entries,
            head: [7; 32],
        }
    }

    #[test]
    fn who_waits_is_woken_by_as_many_records_and_by_the_end() {
        let watch = DurableWatch::new();
        let waiting = watch.clone();
        let waiter = thread::spawn(move || {
            let first = waiting.wait_for(10, None);
            (first, waiting.wait_for(100, None))
        });
        for entries in 1..=10 {
            watch.move_to(position(entries));
        }
        // Only then the second wait begins, which nothing but the end ends.
        while watch.lock().wanted != Some(100) {
            thread::yield_now();
        }
        watch.move_to(position(99));
        watch.end();
        let (first, second) = waiter.join().unwrap();
        assert_eq!(first.durable.entries, 10);
        assert!(!first.has_ended);
        assert_eq!(second.durable, position(99));
        assert!(second.has_ended);
    }

    #[test]
    fn a_wait_ends_with_its_time() {
        let watch = DurableWatch::new();
        watch.move_to(position(3));
        let until = Instant::now() + Duration::from_millis(1);
        assert_eq!(watch.wait_for(4, Some(until)).durable, position(3));
        assert!(Instant::now() >= until);
    }
}
