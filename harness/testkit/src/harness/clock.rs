//! A clock that goes only when it is told to.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use axilog_oracle::{Clock, TimeLimit};

/// A clock that stands still while a client works. It goes on by what the client waits, by what a server lets
/// pass, and by the whole time of an attempt where a server says that it will not answer.
#[derive(Clone, Debug)]
pub struct TestClock {
    start: Instant,
    state: Arc<Mutex<ClockState>>,
}

#[derive(Debug, Default)]
struct ClockState {
    elapsed: Duration,
    /// How many attempts were given up and have not noticed it.
    given_up: usize,
    waiting: Option<Waker>,
}

impl TestClock {
    pub fn new() -> TestClock {
        TestClock {
            start: Instant::now(),
            state: Arc::default(),
        }
    }

    /// The time that has passed.
    pub fn elapsed(&self) -> Duration {
        self.state().elapsed
    }

    /// Lets this time pass.
    pub fn advance(&self, time: Duration) {
        self.state().elapsed += time;
    }

    /// Lets the time of the attempt pass that runs now.
    pub fn give_attempt_up(&self) {
        let mut state = self.state();
        state.given_up += 1;
        if let Some(waiting) = state.waiting.take() {
            waiting.wake();
        }
    }

    fn state(&self) -> MutexGuard<'_, ClockState> {
        self.state.lock().unwrap()
    }
}

impl Clock for TestClock {
    fn now(&self) -> Instant {
        self.start + self.elapsed()
    }

    fn sleep(&self, time: Duration) {
        self.advance(time);
    }

    fn limit(&self, time: Duration) -> TimeLimit {
        Box::pin(TestLimit {
            clock: self.clone(),
            time,
        })
    }
}

/// The end of an attempt's time on a [`TestClock`].
struct TestLimit {
    clock: TestClock,
    time: Duration,
}

impl Future for TestLimit {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.clock.state();
        if state.given_up == 0 {
            state.waiting = Some(context.waker().clone());
            return Poll::Pending;
        }
        state.given_up -= 1;
        state.elapsed += self.time;
        Poll::Ready(())
    }
}
