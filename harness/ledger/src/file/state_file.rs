//! The file `LEDGER.state`, from which the next opening goes on. This module has its frame: its name and version, the
//! hash of what it says, who may have written it, and that it is there whole or not at all. What it says is the
//! session's.
//!
//! Nothing in it is synced: what a power failure leaves of it has another hash, and is made anew.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use axilog::hash::{Hash, Hasher, sha256};

use super::LedgerFile;
use super::blobs::BlobStore;
use super::stamp::FileStamp;
use super::storage::{append_all, append_suffix};
use super::volume::Volume;
use crate::encoding::hex;
use crate::error::FileError;

/// How a state of any version begins.
const NAME: &[u8] = b"axilog state ";

/// The version of the format.
const VERSION: &str = "1";

/// The most bytes of a state.
pub(crate) const MAX_STATE_BYTES: usize = 1 << 20;

/// The rights to write of everybody but the owner.
const OTHERS_WRITE: u32 = 0o022;

impl LedgerFile {
    /// Reads what the ledger's state says.
    ///
    /// # Errors
    /// Why it cannot be used, in words.
    pub(crate) fn read_state(&self) -> Result<Vec<u8>, String> {
        let path = state_path(&self.path);
        let text = |error: io::Error| format!("{}: {error}", path.display());
        let stamp = match self.volume.stamp(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(format!("there is no file {}", path.display()));
            }
            stamp => stamp.map_err(text)?,
        };
        let ledger = self.stamp().map_err(text)?;
        if !is_as_safe(&stamp, &ledger) {
            return Err(format!(
                "{} may have been written by somebody who may not write the ledger",
                path.display()
            ));
        }
        let mut bytes = Vec::new();
        self.volume
            .read(&path)
            .and_then(|file| {
                file.take(MAX_STATE_BYTES as u64 + 1)
                    .read_to_end(&mut bytes)
            })
            .map_err(text)?;
        let document = read_frame(&bytes).map_err(|fault| format!("{}: {fault}", path.display()));
        document.map(<[u8]>::to_vec)
    }

    /// Writes what the ledger's state says, with the rights of the ledger. Another file of that name is left alone.
    ///
    /// # Errors
    /// [`FileError::Io`], also for a state that is too long. The state is as it was before.
    pub(crate) fn write_state(&self, document: &[u8]) -> Result<(), FileError> {
        let path = state_path(&self.path);
        let mut bytes = frame_line(document).into_bytes();
        bytes.extend_from_slice(document);
        let written = match bytes.len() {
            0..=MAX_STATE_BYTES => self.replace_state(&path, &bytes),
            len => Err(io::Error::other(format!(
                "found {len} bytes, expected at most {MAX_STATE_BYTES}; the next opening replays the whole ledger"
            ))),
        };
        written.map_err(FileError::from_io(&path, "write the state"))
    }

    /// Removes the ledger's state, where there is one that can be removed.
    pub(crate) fn remove_state(&self) {
        let path = state_path(&self.path);
        if self.volume.stamp(&path).is_ok() && check_replaceable(&*self.volume, &path).is_ok() {
            // A state that stays is of no use, since nobody goes on from the ledger.
            let _ = self.volume.remove(&path);
        }
    }

    /// The stamp of what has the ledger's name.
    pub(crate) fn stamp(&self) -> io::Result<FileStamp> {
        self.volume.stamp(&self.path)
    }

    /// A digest of the stamps of the folders of blobs. It is another once a file was added to any of them, removed or
    /// renamed. There are at most 257 folders.
    pub(crate) fn digest_blob_folders(&self) -> io::Result<Hash> {
        let store = BlobStore::of_ledger(&self.path);
        let listed = match self.volume.list(store.directory()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(sha256(b"")),
            listed => listed?,
        };
        let mut hasher = Hasher::new();
        let folders = listed.into_iter().filter(|entry| entry.is_directory);
        let folders = folders.map(|entry| entry.path);
        for folder in folders.chain([store.directory().to_owned()]) {
            let FileStamp { inode, changed, .. } = self.volume.stamp(&folder)?;
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            hasher.update(format!("{name} {inode} {changed}\n").as_bytes());
        }
        Ok(hasher.finish())
    }

    /// Writes the state under another name and renames it. The process that writes has the ledger's lock, so that nobody
    /// else writes under that name.
    fn replace_state(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let volume = &*self.volume;
        check_replaceable(volume, path)?;
        let new = append_suffix(path, ".new");
        let created = match volume.create(&new) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                // A process that was killed left it.
                check_replaceable(volume, &new)?;
                volume.remove(&new)?;
                volume.create(&new)
            }
            created => created,
        };
        let mut file = created?;
        let written = volume
            .copy_rights(&self.path, &new)
            .and_then(|()| append_all(&mut *file, bytes))
            .and_then(|()| volume.rename(&new, path));
        if written.is_err() {
            let _ = volume.remove(&new);
        }
        written
    }
}

fn state_path(ledger: &Path) -> PathBuf {
    append_suffix(ledger, ".state")
}

/// Whether nobody may write a state who may not write its ledger. A directory may let others add files, and not replace
/// the ledger.
fn is_as_safe(state: &FileStamp, ledger: &FileStamp) -> bool {
    let is_owner_trusted = state.owner == ledger.owner || state.owner == 0;
    is_owner_trusted && state.mode & !ledger.mode & OTHERS_WRITE == 0
}

fn frame_line(document: &[u8]) -> String {
    let name = String::from_utf8_lossy(NAME);
    format!("{name}{VERSION} {}\n", hex(&sha256(document)))
}

/// Gives what a state says.
fn read_frame(bytes: &[u8]) -> Result<&[u8], &'static str> {
    if bytes.len() > MAX_STATE_BYTES {
        return Err("it is longer than a state");
    }
    let frame = bytes.strip_prefix(NAME).ok_or("it is no state")?;
    let is_known = frame.starts_with(VERSION.as_bytes());
    if !is_known {
        return Err("it is of another version of the format");
    }
    let line = bytes.iter().position(|byte| *byte == b'\n');
    let (line, document) = line
        .and_then(|end| bytes.split_at_checked(end + 1))
        .ok_or("it is cut off")?;
    match line == frame_line(document).as_bytes() {
        true => Ok(document),
        false => Err("it has another hash than it says"),
    }
}

/// Tells whether `bytes`, the first of a file or all of them, are how the state of a ledger begins, as far as they go. A
/// power failure may leave nothing of a state, or bytes that are 0 at its end.
#[must_use]
pub fn begins_as_state(bytes: &[u8]) -> bool {
    let beginning = bytes.get(..NAME.len()).unwrap_or(bytes);
    let written = beginning.iter().rposition(|byte| *byte != 0);
    let written = written.map_or(0, |last| last + 1);
    NAME.starts_with(beginning.get(..written).unwrap_or_default())
}

/// Checks that nothing is lost where the file at `path` is replaced: there is none, or it begins as a state does.
fn check_replaceable(volume: &dyn Volume, path: &Path) -> io::Result<()> {
    let mut beginning = Vec::new();
    match volume.read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        file => file?.take(NAME.len() as u64).read_to_end(&mut beginning)?,
    };
    match begins_as_state(&beginning) {
        true => Ok(()),
        false => Err(io::Error::new(
            io::ErrorKind::AlreadyExists,
            "found a file that is no state of a ledger; move it away",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_read_whole_and_unaltered_only() {
        let mut state = frame_line(b"what it says").into_bytes();
        state.extend_from_slice(b"what it says");
        assert_eq!(read_frame(&state), Ok(b"what it says".as_slice()));
        for length in 0..state.len() {
            assert!(read_frame(&state[..length]).is_err(), "{length}");
        }
        for place in 0..state.len() {
            let mut altered = state.clone();
            altered[place] ^= 1;
            assert!(read_frame(&altered).is_err(), "{place}");
        }
        let other = b"axilog state 2 of another form";
        assert_eq!(
            read_frame(other),
            Err("it is of another version of the format")
        );
        state.resize(MAX_STATE_BYTES + 1, b' ');
        assert_eq!(read_frame(&state), Err("it is longer than a state"));
    }

    #[test]
    fn what_a_power_failure_leaves_of_a_state_begins_as_one_and_other_files_do_not() {
        for length in 0..=NAME.len() {
            let mut cut = NAME[..length].to_vec();
            assert!(begins_as_state(&cut), "{length}");
            cut.resize(100, 0);
            assert!(begins_as_state(&cut), "{length}");
        }
        for other in ["axilog 12\n", "{}", "axilog states", "\0axilog state "] {
            assert!(!begins_as_state(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn a_state_is_as_safe_as_its_ledger_where_no_other_may_write_it() {
        let of = |owner: u32, mode: u32| FileStamp {
            owner,
            mode,
            ..FileStamp::default()
        };
        let ledger = of(1000, 0o100_640);
        assert!(is_as_safe(&of(1000, 0o100_640), &ledger));
        assert!(is_as_safe(&of(0, 0o100_600), &ledger));
        assert!(!is_as_safe(&of(1001, 0o100_600), &ledger));
        assert!(!is_as_safe(&of(1000, 0o100_660), &ledger));
        assert!(!is_as_safe(&of(1000, 0o100_602), &ledger));
        let shared = of(1000, 0o100_660);
        assert!(is_as_safe(&of(1000, 0o100_660), &shared));
    }
}
