//! The process that holds a ledger's lock, by its id in `FILE.lock`.
//!
//! `FILE.lock` serves messages only. The lock itself is the operating system's, on the ledger file, and ends
//! with the process: a `FILE.lock` that a process left behind locks nothing. A file of that name with other
//! content is never overwritten.

use std::fs;
use std::path::{Path, PathBuf};

use super::storage::beside;

/// The announcement that this process holds a ledger's lock. Dropping the value removes `FILE.lock`.
#[derive(Debug)]
pub struct Holder {
    path: PathBuf,
}

impl Holder {
    /// Writes the id of this process, which must have the ledger's lock, to `FILE.lock`. `None` where the file
    /// cannot be written or holds something else.
    #[must_use]
    pub fn announce(ledger: &Path) -> Option<Holder> {
        let path = beside(ledger, ".lock");
        let len = fs::metadata(&path).map_or(0, |metadata| metadata.len());
        if len > 0 && Holder::of(ledger).is_none() {
            return None;
        }
        fs::write(&path, format!("axilog {}\n", std::process::id())).ok()?;
        Some(Holder { path })
    }

    /// Reads the id of the process that `FILE.lock` names.
    #[must_use]
    pub fn of(ledger: &Path) -> Option<u32> {
        let text = fs::read_to_string(beside(ledger, ".lock")).ok()?;
        text.strip_prefix("axilog ")?.trim_end().parse().ok()
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        // The next holder overwrites a file that could not be removed.
        let _ = fs::remove_file(&self.path);
    }
}
