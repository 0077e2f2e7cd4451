//! The process that holds a ledger's lock, by its id in `FILE.lock`.
//!
//! `FILE.lock` serves messages only. The lock itself is the operating system's, on the ledger file, and ends
//! with the process: a `FILE.lock` that a process left behind locks nothing. What has that name and is no
//! lock file is neither written to nor replaced, and neither is what a link of that name leads to.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::place::FilePlace;
use super::regular_file;
use super::storage::append_suffix;

/// More than a lock file holds.
const MAX_LOCK_BYTES: u64 = 64;

/// The announcement that this process holds a ledger's lock. Dropping the value removes `FILE.lock`.
#[derive(Debug)]
pub struct LockHolder {
    path: PathBuf,
    place: FilePlace,
    len: u64,
    /// Open, since the system may give a removed file's inode to the next file once nobody has it open.
    _file: File,
}

impl LockHolder {
    /// Writes the id of this process, which must have the ledger's lock, to `FILE.lock`. `None` where the file
    /// cannot be written or something else has its name.
    #[must_use]
    pub fn announce(ledger: &Path) -> Option<LockHolder> {
        let path = append_suffix(ledger, ".lock");
        let mut file = match regular_file::create_new(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                // A process that was killed left it; it is removed, since it may have other names.
                let text = read_lock_file(ledger)?;
                if !text.is_empty() {
                    parse_process_id(&text)?;
                }
                fs::remove_file(&path).ok()?;
                regular_file::create_new(&path).ok()?
            }
            created => created.ok()?,
        };
        let text = format!("axilog {}\n", std::process::id());
        let place = FilePlace::of(&path, &file).ok()?;
        file.write_all(text.as_bytes()).ok()?;
        Some(LockHolder {
            path,
            place,
            len: text.len() as u64,
            _file: file,
        })
    }

    /// Reads the id of the process that `FILE.lock` names.
    #[must_use]
    pub fn read_process_id(ledger: &Path) -> Option<u32> {
        parse_process_id(&read_lock_file(ledger)?)
    }
}

impl Drop for LockHolder {
    fn drop(&mut self) {
        // Where the ledger was replaced, its new file has a holder of its own, who announces itself under the
        // same name. The next holder replaces a file that could not be removed.
        if self.place.check(self.len).is_ok() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Reads the text of `FILE.lock`; `None` where it is no regular file, or longer than a lock file.
fn read_lock_file(ledger: &Path) -> Option<String> {
    let file = regular_file::open_for_reading(&append_suffix(ledger, ".lock")).ok()?;
    let mut text = String::new();
    file.take(MAX_LOCK_BYTES).read_to_string(&mut text).ok()?;
    Some(text).filter(|text| (text.len() as u64) < MAX_LOCK_BYTES)
}

fn parse_process_id(text: &str) -> Option<u32> {
    text.strip_prefix("axilog ")?.trim_end().parse().ok()
}
