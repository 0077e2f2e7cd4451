//! Who holds a ledger: a process id in `FILE.lock`, for messages only.
//!
//! The lock itself is the system's, on the ledger file, and ends with the process. A `FILE.lock`
//! that was left behind says nothing, and one that is something else is left alone.

use std::fs;
use std::path::{Path, PathBuf};

use super::storage::beside;

/// The announcement; it is withdrawn when it is dropped.
#[derive(Debug)]
pub struct Holder {
    path: PathBuf,
}

impl Holder {
    /// Says that this process holds the ledger, whose lock it has. `None` where it cannot be said.
    #[must_use]
    pub fn announce(ledger: &Path) -> Option<Holder> {
        let path = beside(ledger, ".lock");
        let found = fs::metadata(&path).map_or(0, |metadata| metadata.len());
        if found > 0 && Holder::of(ledger).is_none() {
            return None;
        }
        fs::write(&path, format!("axilog {}\n", std::process::id())).ok()?;
        Some(Holder { path })
    }

    /// The process that says it holds the ledger.
    #[must_use]
    pub fn of(ledger: &Path) -> Option<u32> {
        let text = fs::read_to_string(beside(ledger, ".lock")).ok()?;
        text.strip_prefix("axilog ")?.trim_end().parse().ok()
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        // The next holder writes over one that stays.
        let _ = fs::remove_file(&self.path);
    }
}
