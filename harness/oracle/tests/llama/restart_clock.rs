//! A clock for a client whose server is started again.

use std::sync::Mutex;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use axilog_oracle::{Clock, SystemClock, TimeLimit};

/// The system's clock, but that a wait before a further attempt lasts until the server is back.
#[derive(Debug)]
pub struct RestartClock {
    restart: Mutex<Receiver<()>>,
}

impl RestartClock {
    /// A clock for a server of which `restart` tells that it is back.
    pub fn new(restart: Receiver<()>) -> RestartClock {
        RestartClock {
            restart: Mutex::new(restart),
        }
    }
}

impl Clock for RestartClock {
    fn now(&self) -> Instant {
        SystemClock.now()
    }

    fn sleep(&self, time: Duration) {
        if !time.is_zero() {
            // An error says that the server could not be started, of which its own thread tells more.
            let _ = self.restart.lock().unwrap().recv();
        }
    }

    fn limit(&self, time: Duration) -> TimeLimit {
        SystemClock.limit(time)
    }
}
