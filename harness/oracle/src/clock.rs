//! The clock that a client waits by.

use std::fmt;
use std::pin::Pin;
use std::thread;
use std::time::{Duration, Instant};

/// The end of an attempt's time: a future that completes when the time is over.
pub type TimeLimit = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A clock that a client reads, and waits by. A client has [`SystemClock`] unless it is given another.
pub trait Clock: fmt::Debug + Send + Sync {
    /// Gives the time now, which never goes back.
    fn now(&self) -> Instant;

    /// Waits between two requests.
    fn sleep(&self, time: Duration);

    /// Limits an attempt that begins now to `time`.
    fn limit(&self, time: Duration) -> TimeLimit;
}

/// The system's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn sleep(&self, time: Duration) {
        thread::sleep(time);
    }

    fn limit(&self, time: Duration) -> TimeLimit {
        Box::pin(tokio::time::sleep(time))
    }
}
