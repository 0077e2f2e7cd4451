//! The thread that syncs a ledger file in time when no further step comes.

use std::io;
use std::sync::{Arc, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use super::appender::SharedAppender;

/// A thread that syncs an appender whenever a sync is due. Dropping the value ends the thread.
#[derive(Debug)]
pub(super) struct SyncThread {
    appender: Arc<SharedAppender>,
    handle: Option<JoinHandle<()>>,
}

impl SyncThread {
    pub(super) fn start(appender: &Arc<SharedAppender>) -> io::Result<SyncThread> {
        appender.lock().closing = false;
        let for_thread = appender.clone();
        let handle = thread::Builder::new()
            .name("axilog-sync".to_owned())
            .spawn(move || sync_until_closing(&for_thread))?;
        Ok(SyncThread {
            appender: appender.clone(),
            handle: Some(handle),
        })
    }

    /// Tells the thread that a sync may have become due.
    pub(super) fn wake(&self) {
        self.appender.changed.notify_one();
    }
}

impl Drop for SyncThread {
    fn drop(&mut self) {
        self.appender.lock().closing = true;
        self.wake();
        if let Some(handle) = self.handle.take() {
            let _ = handle.join();
        }
    }
}

fn sync_until_closing(shared: &SharedAppender) {
    let mut appender = shared.lock();
    while !appender.closing {
        let now = Instant::now();
        appender = match appender.sync_due() {
            None => shared
                .changed
                .wait(appender)
                .unwrap_or_else(PoisonError::into_inner),
            Some(due) if now < due => {
                shared
                    .changed
                    .wait_timeout(appender, due.saturating_duration_since(now))
                    .unwrap_or_else(PoisonError::into_inner)
                    .0
            }
            Some(_) => {
                appender.sync_pending();
                appender
            }
        };
    }
}
