//! The process that holds a ledger's lock, by its id in `FILE.lock`.
//!
//! `FILE.lock` serves messages only. The lock itself is the operating system's, on the ledger file, and ends
//! with the process: a `FILE.lock` that a process left behind locks nothing. A file of that name with other
//! content is never overwritten.

use std::fs;
use std::path::{Path, PathBuf};

use super::storage::append_suffix;

/// The announcement that this process holds a ledger's lock. Dropping the value removes `FILE.lock`.
#[derive(Debug)]
pub struct LockHolder {
    path: PathBuf,
}

impl LockHolder {
    /// Writes the id of this process, which must have the ledger's lock, to `FILE.lock`. `None` where the file
    /// cannot be written or holds something else.
    #[must_use]
    pub fn announce(ledger: &Path) -> Option<LockHolder> {
        let path = append_suffix(ledger, ".lock");
        let len = fs::metadata(&path).map_or(0, |metadata| metadata.len());
        if len > 0 && LockHolder::read_process_id(ledger).is_none() {
            return None;
        }
        fs::write(&path, format!("axilog {}\n", std::process::id())).ok()?;
        Some(LockHolder { path })
    }

    /// Reads the id of the process that `FILE.lock` names.
    #[must_use]
    pub fn read_process_id(ledger: &Path) -> Option<u32> {
        let text = fs::read_to_string(append_suffix(ledger, ".lock")).ok()?;
        text.strip_prefix("axilog ")?.trim_end().parse().ok()
    }
}

impl Drop for LockHolder {
    fn drop(&mut self) {
        // The next holder overwrites a file that could not be removed.
        let _ = fs::remove_file(&self.path);
    }
}
