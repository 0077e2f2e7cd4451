//! How long work takes.

use std::time::{Duration, Instant};

const ENOUGH: Duration = Duration::from_millis(300);

/// How long this thread has been on a processor, where the system (Linux) says: other work on the machine
/// does not count then. It moves in steps of some milliseconds.
fn on_processor() -> Option<Duration> {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = times.split(' ').next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

/// The time of one piece of work, over as many as take [`ENOUGH`] together.
pub fn time(work: impl Fn()) -> Duration {
    let wall = Instant::now();
    let now = || on_processor().unwrap_or_else(|| wall.elapsed());
    let (start, mut count) = (now(), 0);
    loop {
        work();
        count += 1;
        let taken = now() - start;
        if taken >= ENOUGH {
            return taken / count;
        }
    }
}
